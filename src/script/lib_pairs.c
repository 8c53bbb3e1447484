// script/lib_pairs.c: pairs and next in a defined order.
//
// Numbers ascending, then texts by their bytes, then false and true, then tables, functions and userdata in the order in
// which they were made. pairs takes the keys there are when it is called: a key removed while walking is passed over,
// one added is not met.

#include "script/state.h"

typedef struct key {
    int rank;
    bool whole; // an integer
    uint32_t serial;
    uint32_t place; // in the table's own order
    union {
        lua_Integer integer;
        lua_Number number;
        mr_view text;
    };
} key;

enum { RANK_NUMBER, RANK_TEXT, RANK_BOOLEAN, RANK_TABLE, RANK_FUNCTION, RANK_USERDATA };

// The key at index, whose text (if any) stays the table's.
static key read_key(lua_State *L, int index)
{
    key got = { 0 };
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        got.rank = RANK_NUMBER;
        got.whole = lua_isinteger(L, index);
        if (got.whole) {
            got.integer = lua_tointeger(L, index);
        } else {
            got.number = lua_tonumber(L, index);
        }
        break;
    case LUA_TSTRING:
        got.rank = RANK_TEXT;
        got.text.data = lua_tolstring(L, index, &got.text.size);
        break;
    case LUA_TBOOLEAN:
        got.rank = RANK_BOOLEAN;
        got.serial = (uint32_t)lua_toboolean(L, index);
        break;
    case LUA_TTABLE:
        got.rank = RANK_TABLE;
        got.serial = mr_lua_serial(lua_topointer(L, index));
        break;
    case LUA_TUSERDATA:
        got.rank = RANK_USERDATA;
        got.serial = ((const mr_script_object *)lua_touserdata(L, index))->serial;
        break;
    case LUA_TFUNCTION:
        if (!lua_iscfunction(L, index)) {
            got.rank = RANK_FUNCTION;
            got.serial = mr_lua_serial(lua_topointer(L, index));
            break;
        }
        luaL_error(L, "a key of the table is a function of the library, which has no order to be walked in");
        break;
    default:
        luaL_error(L, "a key of the table is a %s, which has no order to be walked in",
                   luaL_typename(L, index));
    }
    return got;
}

// An integer with a float that is no integer (Lua stores whole floats as integers).
static bool integer_before_float(lua_Integer integer, lua_Number number)
{
    if (number >= 0x1p63) {
        return true;
    }
    return number >= -0x1p63 && integer <= (lua_Integer)__builtin_floor(number);
}

static bool before(const key *a, const key *b)
{
    if (a->rank != b->rank) {
        return a->rank < b->rank;
    }
    switch (a->rank) {
    case RANK_NUMBER:
        if (a->whole && b->whole) {
            return a->integer < b->integer;
        }
        if (a->whole) {
            return integer_before_float(a->integer, b->number);
        }
        if (b->whole) {
            return !integer_before_float(b->integer, a->number);
        }
        return a->number < b->number;
    case RANK_TEXT:
        return mr_view_compare(a->text, b->text) < 0;
    default:
        return a->serial < b->serial;
    }
}

// Merges the two runs from[begin, middle) and from[middle, end) into to.
static void merge(const key *from, key *to, size_t begin, size_t middle, size_t end)
{
    size_t left = begin, right = middle;
    for (size_t i = begin; i < end; i++) {
        bool take_left = left < middle && (right >= end || !before(&from[right], &from[left]));
        to[i] = take_left ? from[left++] : from[right++];
    }
}

// Answers whichever of the two holds the sorted keys.
static key *sort_keys(key *keys, key *scratch, size_t count)
{
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * run) {
            size_t middle = begin + run < count ? begin + run : count;
            size_t end = begin + 2 * run < count ? begin + 2 * run : count;
            merge(keys, scratch, begin, middle, end);
        }
        key *other = keys;
        keys = scratch;
        scratch = other;
    }
    return keys;
}

static size_t count_keys(lua_State *L, int table)
{
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        count++;
    }
    return count;
}

// Pushes a list of the table's keys in order.
static void push_keys(lua_State *L, int table)
{
    size_t count = count_keys(L, table);
    mr_lua_work(L, 4 * count);
    lua_createtable(L, (int)(count < INT32_MAX ? count : INT32_MAX), 0);
    int unsorted = lua_gettop(L);
    key *keys = lua_newuserdatauv(L, (2 * count + 1) * sizeof *keys, 0);
    uint32_t place = 0;
    bool sorted = true;
    for (lua_pushnil(L); lua_next(L, table) && place < count;) {
        lua_pop(L, 1);
        keys[place] = read_key(L, -1);
        keys[place].place = place + 1;
        sorted = sorted && (place == 0 || before(&keys[place - 1], &keys[place]));
        place++;
        lua_pushvalue(L, -1);
        lua_rawseti(L, unsorted, place);
    }
    if (sorted) {
        lua_settop(L, unsorted);
        return;
    }
    const key *ordered = sort_keys(keys, keys + count, count);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, unsorted, ordered[i].place);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_replace(L, unsorted);
    lua_settop(L, unsorted);
}

// Upvalues: the keys, the place of the last one answered. Arguments: the table, the last key (unread).
static int walk(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer place = lua_tointeger(L, lua_upvalueindex(2));
    lua_settop(L, 1);
    for (;;) {
        place++;
        if (lua_rawgeti(L, lua_upvalueindex(1), place) == LUA_TNIL) {
            return 1;
        }
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 1) != LUA_TNIL) {
            break;
        }
        lua_settop(L, 1);
        mr_lua_work(L, 1);
    }
    lua_pushinteger(L, place);
    lua_replace(L, lua_upvalueindex(2));
    return 2;
}

int mr_script_pairs(lua_State *L)
{
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
        lua_pushvalue(L, 1);
        lua_call(L, 1, 3);
        return 3;
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    push_keys(L, 1);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, walk, 2);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

// The first key after the given one (the first of all after nil), found by looking at every key.
int mr_script_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    bool from_start = lua_isnil(L, 2);
    key after = { 0 }, best = { 0 };
    if (!from_start) {
        if (lua_isnumber(L, 2) && lua_type(L, 2) == LUA_TNUMBER && !lua_isinteger(L, 2)) {
            int whole;
            lua_Integer integer = lua_tointegerx(L, 2, &whole);
            if (whole) {
                lua_pushinteger(L, integer);
                lua_replace(L, 2);
            }
        }
        after = read_key(L, 2);
    }
    lua_pushnil(L); // 3: the best key so far
    bool found = false;
    size_t met = 0;
    for (lua_pushnil(L); lua_next(L, 1); met++) {
        lua_pop(L, 1);
        key here = read_key(L, -1);
        if ((from_start || before(&after, &here)) && (!found || before(&here, &best))) {
            best = here;
            found = true;
            lua_pushvalue(L, -1);
            lua_replace(L, 3);
        }
    }
    mr_lua_work(L, met);
    lua_settop(L, 3);
    if (!found) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushvalue(L, 3);
    lua_rawget(L, 1);
    return 2;
}
