// script/lib_base.c: the globals: protected calls that pass limits on, and text without addresses.

#include "script/state.h"

const char *mr_lua_tolstring(lua_State *L, int index, size_t *size)
{
    index = lua_absindex(L, index);
    if (luaL_callmeta(L, index, "__tostring")) {
        if (!lua_isstring(L, -1)) {
            luaL_error(L, "__tostring must answer a text");
        }
        return lua_tolstring(L, -1, size);
    }
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
        lua_pushvalue(L, index);
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
    case LUA_TNIL:
        lua_pushliteral(L, "nil");
        break;
    default:
        if (luaL_getmetafield(L, index, "__name") != LUA_TSTRING) {
            lua_pushstring(L, luaL_typename(L, index));
        }
        break;
    }
    return lua_tolstring(L, -1, size);
}

static int finish_pcall(lua_State *L, int status, lua_KContext extra)
{
    if (status != LUA_OK && status != LUA_YIELD) {
        mr_script_pass_stop(L, L, status);
        lua_pushboolean(L, 0);
        lua_pushvalue(L, -2);
        return 2;
    }
    return lua_gettop(L) - (int)extra;
}

static int base_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_pcall);
    return finish_pcall(L, status, 0);
}

static int finish_handler(lua_State *L, int status, lua_KContext extra)
{
    (void)extra;
    if (status != LUA_OK && status != LUA_YIELD) {
        mr_script_pass_stop(L, L, status);
    }
    // The handler's answers stand from 2 on, or its error at 2.
    lua_pushboolean(L, 0);
    lua_replace(L, 1);
    return lua_gettop(L);
}

// The stack: the handler, true, then the function's answers or its error on top.
static int finish_xpcall(lua_State *L, int status, lua_KContext extra)
{
    (void)extra;
    if (status == LUA_OK || status == LUA_YIELD) {
        return lua_gettop(L) - 1;
    }
    mr_script_pass_stop(L, L, status);
    // The handler is called when the error has passed and not before: were it called from within, one raised by a
    // limit would have it run with no limit.
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -2);
    lua_replace(L, 1);
    lua_replace(L, 2);
    lua_settop(L, 2); // the error, the handler
    lua_pushvalue(L, 1);
    return finish_handler(L, lua_pcallk(L, 1, LUA_MULTRET, 0, 0, finish_handler), 0);
}

static int base_xpcall(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_replace(L, 1); // the handler
    lua_pushboolean(L, 1);
    lua_replace(L, 2);
    lua_insert(L, 3);
    return finish_xpcall(L, lua_pcallk(L, lua_gettop(L) - 3, LUA_MULTRET, 0, 0, finish_xpcall), 0);
}

static int base_print(lua_State *L)
{
    luaL_Buffer line;
    int count = lua_gettop(L);
    luaL_buffinit(L, &line);
    for (int i = 1; i <= count; i++) {
        if (i > 1) {
            luaL_addchar(&line, '\t');
        }
        mr_lua_tolstring(L, i, NULL);
        luaL_addvalue(&line);
    }
    luaL_pushresult(&line);
    size_t size;
    const char *text = lua_tolstring(L, -1, &size);
    mr_lua_work(L, 100 + size / 16);
    if (mr_script_of(L)->quiet) {
        return 0;
    }
    mr_script_line where = mr_script_where(L);
    mr_log(mr_script_of(L)->context, MR_LOG_INFO, "%s:%u: %.*s", where.file, where.line,
           (int)(size < 4000 ? size : 4000), text);
    return 0;
}

static int base_setmetatable(lua_State *L)
{
    static const char *const gone[] = { "__gc", "__mode", "__close" };
    luaL_checktype(L, 1, LUA_TTABLE);
    int type = lua_type(L, 2);
    luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
    for (size_t i = 0; type == LUA_TTABLE && i < sizeof gone / sizeof gone[0]; i++) {
        lua_pushstring(L, gone[i]);
        if (lua_rawget(L, 2) != LUA_TNIL) {
            return luaL_error(
                L, "%s is not part of this sandbox: when memory is freed may decide nothing here", gone[i]);
        }
        lua_pop(L, 1);
    }
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) {
        return luaL_error(L, "cannot change a protected metatable");
    }
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

// load(text [, name [, mode [, env]]]): text only.
static int base_load(lua_State *L)
{
    size_t size;
    const char *text = luaL_checklstring(L, 1, &size);
    const char *name = luaL_optstring(L, 2, "=(load)");
    const char *mode = luaL_optstring(L, 3, "t");
    if (!strchr(mode, 't')) {
        return luaL_error(L, "load takes text only; bytecode is not part of this sandbox");
    }
    mr_lua_work(L, size);
    bool environment = !lua_isnone(L, 4);
    int status = luaL_loadbufferx(L, text, size, name, "t");
    if (status != LUA_OK) {
        if (status != LUA_ERRSYNTAX) {
            mr_script_pass_stop(L, L, status);
        }
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    if (environment) {
        lua_pushvalue(L, 4);
        if (!lua_setupvalue(L, -2, 1)) {
            lua_pop(L, 1);
        }
    }
    return 1;
}

void mr_script_open_base(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "pcall", base_pcall },    { "xpcall", base_xpcall },
        { "print", base_print },    { "setmetatable", base_setmetatable },
        { "load", base_load },      { "pairs", mr_script_pairs },
        { "next", mr_script_next }, { NULL, NULL },
    };
    static const char *const gone[] = { "collectgarbage", "dofile", "loadfile", "warn" };
    luaopen_base(L);
    luaL_setfuncs(L, functions, 0);
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        lua_pushnil(L);
        lua_setfield(L, -2, gone[i]);
    }
    lua_pop(L, 1);
}
