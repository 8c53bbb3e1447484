// script/lib_table.c: the table library. Every element moved counts as work, so that no call runs without end, and sort
// is a stable merge sort.

#include "script/state.h"

static lua_Integer length(lua_State *L, int index)
{
    return luaL_len(L, index);
}

// How many elements first..last are, refused past what fits.
static size_t span(lua_State *L, lua_Integer first, lua_Integer last)
{
    if (first > last) {
        return 0;
    }
    size_t count = (size_t)last - (size_t)first;
    mr_lua_work(L, count == SIZE_MAX ? count : count + 1);
    return count + 1;
}

static int insert(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer end = (lua_Integer)((lua_Unsigned)length(L, 1) + 1u);
    lua_Integer at = end;
    if (lua_gettop(L) == 3) {
        at = luaL_checkinteger(L, 2);
        luaL_argcheck(L, (lua_Unsigned)at - 1u < (lua_Unsigned)end, 2, "position out of bounds");
        span(L, at, end);
        for (lua_Integer i = end; i > at; i--) {
            lua_geti(L, 1, i - 1);
            lua_seti(L, 1, i);
        }
    } else if (lua_gettop(L) != 2) {
        return luaL_error(L, "wrong number of arguments to insert");
    }
    lua_seti(L, 1, at);
    return 0;
}

static int removed(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer size = length(L, 1);
    lua_Integer at = luaL_optinteger(L, 2, size);
    if (lua_gettop(L) >= 2) {
        luaL_argcheck(L, (lua_Unsigned)at - 1u <= (lua_Unsigned)size || (size == 0 && at == 0), 2,
                      "position out of bounds");
    }
    span(L, at, size);
    lua_geti(L, 1, at);
    for (; at < size; at++) {
        lua_geti(L, 1, at + 1);
        lua_seti(L, 1, at);
    }
    lua_pushnil(L);
    lua_seti(L, 1, at);
    return 1;
}

static int concat(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t separator_size;
    const char *separator = luaL_optlstring(L, 2, "", &separator_size);
    lua_Integer first = luaL_optinteger(L, 3, 1);
    lua_Integer last = lua_isnoneornil(L, 4) ? length(L, 1) : luaL_checkinteger(L, 4);
    lua_settop(L, 4);
    size_t count = span(L, first, last);
    luaL_Buffer whole;
    luaL_buffinit(L, &whole);
    for (size_t i = 0; i < count; i++) {
        lua_geti(L, 1, first + (lua_Integer)i);
        if (!lua_isstring(L, -1)) {
            return luaL_error(L, "element %I of the list is a %s; concat joins texts and numbers",
                              (LUAI_UACINT)(first + (lua_Integer)i), luaL_typename(L, -1));
        }
        luaL_addvalue(&whole);
        if (i + 1 < count) {
            luaL_addlstring(&whole, separator, separator_size);
        }
    }
    luaL_pushresult(&whole);
    return 1;
}

static int pack(lua_State *L)
{
    int count = lua_gettop(L);
    mr_lua_work(L, (size_t)count);
    lua_createtable(L, count, 1);
    lua_insert(L, 1);
    for (int i = count; i >= 1; i--) {
        lua_seti(L, 1, i);
    }
    lua_pushinteger(L, count);
    lua_setfield(L, 1, "n");
    return 1;
}

static int unpack(lua_State *L)
{
    lua_Integer first = luaL_optinteger(L, 2, 1);
    lua_Integer last = lua_isnoneornil(L, 3) ? length(L, 1) : luaL_checkinteger(L, 3);
    size_t count = first > last ? 0 : (size_t)last - (size_t)first;
    if (first > last) {
        return 0;
    }
    if (count >= INT32_MAX || !lua_checkstack(L, (int)++count)) {
        return luaL_error(L, "too many results to unpack");
    }
    mr_lua_work(L, count);
    for (size_t i = 0; i < count; i++) {
        lua_geti(L, 1, first + (lua_Integer)i);
    }
    return (int)count;
}

static int move(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer first = luaL_checkinteger(L, 2);
    lua_Integer last = luaL_checkinteger(L, 3);
    lua_Integer to = luaL_checkinteger(L, 4);
    int target = lua_isnoneornil(L, 5) ? 1 : 5;
    luaL_checktype(L, target, LUA_TTABLE);
    if (last >= first) {
        luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
        size_t count = span(L, first, last);
        luaL_argcheck(L, to <= LUA_MAXINTEGER - (lua_Integer)count + 1, 4, "destination wraps around");
        bool forwards = to > last || to <= first || (target != 1 && !lua_compare(L, 1, target, LUA_OPEQ));
        for (size_t i = 0; i < count; i++) {
            lua_Integer k = (lua_Integer)(forwards ? i : count - 1 - i);
            lua_geti(L, 1, first + k);
            lua_seti(L, target, to + k);
        }
    }
    lua_pushvalue(L, target);
    return 1;
}

// Whether the value at a comes before the one at b, by the function at 2 or by <.
static bool before(lua_State *L, int a, int b)
{
    if (lua_isnil(L, 2)) {
        return lua_compare(L, a, b, LUA_OPLT);
    }
    a = lua_absindex(L, a);
    b = lua_absindex(L, b);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, a);
    lua_pushvalue(L, b);
    lua_call(L, 2, 1);
    bool answer = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return answer;
}

// Merges begin..middle-1 and middle..end-1 of the list at `from` into the one at `to`.
static void merge(lua_State *L, int from, int to, lua_Integer begin, lua_Integer middle, lua_Integer end)
{
    lua_Integer left = begin, right = middle;
    for (lua_Integer i = begin; i < end; i++) {
        bool take_left = right >= end;
        if (left < middle && right < end) {
            lua_rawgeti(L, from, right);
            lua_rawgeti(L, from, left);
            take_left = !before(L, -2, -1);
            lua_pop(L, 2);
        }
        lua_rawgeti(L, from, take_left ? left++ : right++);
        lua_rawseti(L, to, i);
    }
}

static int sort(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!lua_isnoneornil(L, 2)) {
        luaL_checktype(L, 2, LUA_TFUNCTION);
    }
    lua_settop(L, 2);
    lua_Integer count = length(L, 1);
    if (count < 2) {
        return 0;
    }
    luaL_argcheck(L, count < INT32_MAX, 1, "the list is too long");
    span(L, 1, count);
    int from = 3, to = 4;
    lua_createtable(L, (int)count, 0);
    lua_createtable(L, (int)count, 0);
    for (lua_Integer i = 1; i <= count; i++) {
        if (lua_geti(L, 1, i) == LUA_TNIL) {
            return luaL_error(L, "element %I of the list to sort is nil", (LUAI_UACINT)i);
        }
        lua_rawseti(L, from, i);
    }
    for (lua_Integer run = 1; run < count; run *= 2) {
        mr_lua_work(L, (size_t)count);
        for (lua_Integer begin = 1; begin <= count; begin += 2 * run) {
            lua_Integer middle = begin + run <= count ? begin + run : count + 1;
            lua_Integer end = begin + 2 * run <= count ? begin + 2 * run : count + 1;
            merge(L, from, to, begin, middle, end);
        }
        int other = from;
        from = to;
        to = other;
    }
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, from, i);
        if (i > 1) {
            lua_rawgeti(L, from, i - 1);
            if (before(L, -2, -1)) {
                return luaL_error(L,
                                  "the order function contradicts itself: it puts a before b and b before a");
            }
            lua_pop(L, 1);
        }
        lua_seti(L, 1, i);
    }
    return 0;
}

void mr_script_open_table(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "insert", insert }, { "remove", removed }, { "concat", concat }, { "pack", pack },
        { "unpack", unpack }, { "move", move },      { "sort", sort },     { NULL, NULL },
    };
    luaL_newlib(L, functions);
    lua_setglobal(L, "table");
}
