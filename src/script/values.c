// script/values.c: between Lua's values and the graph's. Only calls that raise nothing are made while a value is held.

#include "script/plan.h"

enum { MOST_DEEP = 32 };

// Keys of a table by their bytes: names with what was read for them.
static bool sort_bindings(mr_context *context, mr_binding *bindings, size_t count, mr_error *error)
{
    mr_binding *scratch = mr_allocate(context, (count + 1) * sizeof *scratch);
    if (!scratch) {
        return mr_fail_memory(error, count * sizeof *scratch);
    }
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * run) {
            size_t middle = begin + run < count ? begin + run : count;
            size_t end = begin + 2 * run < count ? begin + 2 * run : count;
            size_t left = begin, right = middle;
            for (size_t i = begin; i < end; i++) {
                bool take_left =
                    left < middle && (right >= end || strcmp(bindings[left].name, bindings[right].name) <= 0);
                scratch[i] = bindings[take_left ? left++ : right++];
            }
        }
        memcpy(bindings, scratch, count * sizeof *bindings);
    }
    mr_free(context, scratch);
    return true;
}

void mr_script_free_bindings(mr_context *context, mr_binding *bindings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!bindings[i].wired) {
            mr_value_release(&bindings[i].value);
        }
    }
    mr_free(context, bindings);
}

static bool read_value(lua_State *L, int index, int depth, mr_value *value, mr_error *error);

// Reads the named values of the table; sockets are let through where `sockets`.
static bool read_named(lua_State *L, int table, int depth, bool sockets, mr_binding **bindings, size_t *count,
                       mr_error *error)
{
    mr_context *context = mr_script_of(L)->context;
    size_t capacity = 0, used = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        capacity++;
    }
    size_t bytes;
    mr_binding *items =
        mr_size_multiply(capacity + 1, sizeof *items, &bytes) ? mr_allocate_zeroed(context, bytes) : NULL;
    if (!items) {
        return mr_fail_memory(error, capacity * sizeof *items);
    }
    bool good = true;
    for (lua_pushnil(L); good && lua_next(L, table);) {
        const mr_script_socket *socket = mr_script_socket_at(L, -1);
        mr_binding *item = &items[used];
        if (lua_type(L, -2) != LUA_TSTRING) {
            good = mr_fail(error, MR_BAD_INPUT, "a value without a name; write name = value");
            break;
        }
        item->name = lua_tolstring(L, -2, NULL);
        if (socket && sockets) {
            item->wired = true;
            item->socket = socket->socket;
        } else {
            good = read_value(L, lua_gettop(L), depth + 1, &item->value, error);
            if (!good) {
                mr_fail_prefix(error, "%s", item->name);
            }
        }
        used++; // also what failed half way, to be let go
        lua_pop(L, 1);
    }
    lua_settop(L, table);
    good = good && sort_bindings(context, items, used, error);
    if (!good) {
        mr_script_free_bindings(context, items, used);
        return false;
    }
    *bindings = items;
    *count = used;
    return true;
}

static bool read_record(lua_State *L, int table, int depth, mr_value *value, mr_error *error)
{
    mr_context *context = mr_script_of(L)->context;
    mr_binding *items;
    size_t count;
    if (!read_named(L, table, depth, false, &items, &count, error)) {
        return false;
    }
    bool good = mr_value_record(context, value, error);
    for (size_t i = 0; good && i < count; i++) {
        good = mr_record_set(value->list, mr_view_of(items[i].name), items[i].value, error);
        items[i].value = (mr_value){ 0 };
    }
    mr_script_free_bindings(context, items, count);
    return good;
}

static bool read_list(lua_State *L, int table, size_t count, int depth, mr_value *value, mr_error *error)
{
    if (!mr_value_list(mr_script_of(L)->context, value, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        mr_value item = { 0 };
        lua_rawgeti(L, table, (lua_Integer)i + 1);
        bool good = read_value(L, lua_gettop(L), depth + 1, &item, error);
        lua_settop(L, table);
        if (!good) {
            mr_value_release(&item);
            return mr_fail_prefix(error, "element %zu", i + 1);
        }
        if (!mr_list_add(value->list, item, error)) {
            return false;
        }
    }
    return true;
}

static bool read_table(lua_State *L, int table, int depth, mr_value *value, mr_error *error)
{
    if (depth > MOST_DEEP || !lua_checkstack(L, 8)) {
        return mr_fail(error, MR_BAD_INPUT, "tables within tables more than %d deep", (int)MOST_DEEP);
    }
    size_t listed = lua_rawlen(L, table), keys = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        keys++;
    }
    if (listed == keys) {
        return read_list(L, table, keys, depth, value, error);
    }
    if (listed > 0) {
        return mr_fail(error, MR_BAD_INPUT,
                       "a table that is half a list and half a record (or a list with holes)");
    }
    return read_record(L, table, depth, value, error);
}

static bool read_value(lua_State *L, int index, int depth, mr_value *value, mr_error *error)
{
    size_t size;
    const char *text;
    lua_Integer integer;
    const mr_script_vector *vector;
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        // 2 and 2.0 are one Number; a whole number past what a float holds stays whole.
        integer = lua_tointeger(L, index);
        *value = lua_isinteger(L, index) && (integer > ((int64_t)1 << 53) || integer < -((int64_t)1 << 53))
                     ? mr_value_integer(integer)
                     : mr_value_number(lua_tonumber(L, index));
        return true;
    case LUA_TBOOLEAN:
        *value = mr_value_boolean(lua_toboolean(L, index));
        return true;
    case LUA_TSTRING:
        text = lua_tolstring(L, index, &size);
        return mr_value_text(mr_script_of(L)->context, (mr_view){ text, size }, value, error);
    case LUA_TTABLE:
        return read_table(L, index, depth, value, error);
    case LUA_TUSERDATA:
        if (mr_script_is_socket(L, index)) {
            return mr_fail(error, MR_NOT_YET,
                           "not yet: a socket within a list or a record; give it to an input of its own");
        }
        vector = luaL_testudata(L, index, "vector");
        if (vector) {
            *value = (mr_value){ .type = (mr_type)(MR_VEC2 + vector->lanes - 2) };
            memcpy(value->vector, vector->at, sizeof vector->at);
            return true;
        }
        return mr_fail(error, MR_BAD_INPUT, "a thing of the script's own cannot be a value of a graph");
    case LUA_TFUNCTION:
        return mr_fail(error, MR_NOT_YET, "not yet: a function as a value");
    default:
        return mr_fail(error, MR_BAD_INPUT, "a %s cannot be a value of a graph",
                       lua_typename(L, lua_type(L, index)));
    }
}

bool mr_script_read(lua_State *L, int index, mr_value *value, mr_error *error)
{
    if (!lua_checkstack(L, 8)) {
        return mr_fail_memory(error, 8);
    }
    lua_pushvalue(L, index);
    bool good = read_value(L, lua_gettop(L), 0, value, error);
    lua_pop(L, 1);
    return good;
}

bool mr_script_read_bindings(lua_State *L, int index, const char *of, mr_binding **bindings, size_t *count,
                             mr_error *error)
{
    if (!lua_checkstack(L, 8)) {
        return mr_fail_memory(error, 8);
    }
    lua_pushvalue(L, index);
    int table = lua_gettop(L);
    bool good = read_named(L, table, 0, true, bindings, count, error);
    lua_settop(L, table - 1);
    return good || mr_fail_prefix(error, "%s", of);
}

// Pushing makes Lua objects and so may raise; the values are the caller's and stay his.
static bool push_value(lua_State *L, const mr_value *value, int depth, mr_error *error)
{
    luaL_checkstack(L, 8, "a value");
    switch (value->type) {
    case MR_NONE:
        lua_pushnil(L);
        return true;
    case MR_NUMBER:
        lua_pushnumber(L, value->number);
        return true;
    case MR_INT:
        lua_pushinteger(L, value->integer);
        return true;
    case MR_BOOL:
        lua_pushboolean(L, value->boolean);
        return true;
    case MR_TEXT:
    case MR_CHOICE:
        lua_pushlstring(L, value->text->data, value->text->size);
        return true;
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR: {
        mr_script_vector *vector = mr_script_new(L, sizeof *vector, "vector");
        vector->lanes = value->type == MR_COLOR ? 4 : (uint32_t)(value->type - MR_VEC2) + 2;
        memcpy(vector->at, value->vector, sizeof vector->at);
        return true;
    }
    case MR_LIST:
    case MR_RECORD:
        if (depth > MOST_DEEP) {
            return mr_fail(error, MR_BAD_INPUT, "lists within lists more than %d deep", (int)MOST_DEEP);
        }
        lua_createtable(L, 0, 0);
        for (size_t i = 0; i < value->list->count; i++) {
            if (!push_value(L, &value->list->items[i], depth + 1, error)) {
                return false;
            }
            if (value->type == MR_LIST) {
                lua_rawseti(L, -2, (lua_Integer)i + 1);
            } else {
                lua_setfield(L, -2, value->list->names[i]->data);
            }
        }
        return true;
    default:
        return mr_fail(error, MR_NOT_YET, "not yet: a planned %s in a script; wire it",
                       mr_type_name(value->type));
    }
}

bool mr_script_push(lua_State *L, const mr_value *value, mr_error *error)
{
    return push_value(L, value, 0, error);
}
