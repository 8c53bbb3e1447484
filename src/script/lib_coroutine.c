// script/lib_coroutine.c: coroutines that pass limits on to whoever resumes them.

#include "script/state.h"

static lua_State *checked(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argexpected(L, co, 1, "coroutine");
    return co;
}

// A new coroutine may run up to a hook's worth of instructions before they are counted: they are paid for here.
static int create(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    mr_lua_work(L, 1000);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    return 1;
}

// Resumes co with the top `given` values. Answers how many values it left on L, or -1 with the error on top of L.
static int resume_with(lua_State *L, lua_State *co, int given)
{
    if (!lua_checkstack(co, given)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, co, given);
    int results = 0;
    int status = lua_resume(co, L, given, &results);
    if (status != LUA_OK && status != LUA_YIELD) {
        mr_script_pass_stop(L, co, status);
        lua_xmove(co, L, 1);
        return -1;
    }
    if (!lua_checkstack(L, results + 1)) {
        lua_pop(co, results);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(co, L, results);
    return results;
}

static int resume(lua_State *L)
{
    lua_State *co = checked(L);
    int results = resume_with(L, co, lua_gettop(L) - 1);
    if (results < 0) {
        lua_pushboolean(L, 0);
        lua_insert(L, -2);
        return 2;
    }
    lua_pushboolean(L, 1);
    lua_insert(L, -(results + 1));
    return results + 1;
}

static int resume_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int results = resume_with(L, co, lua_gettop(L));
    if (results < 0) {
        if (lua_type(L, -1) == LUA_TSTRING) {
            luaL_where(L, 1);
            lua_insert(L, -2);
            lua_concat(L, 2);
        }
        return lua_error(L);
    }
    return results;
}

static int wrap(lua_State *L)
{
    create(L);
    lua_pushcclosure(L, resume_wrapped, 1);
    return 1;
}

static int yield(lua_State *L)
{
    return lua_yield(L, lua_gettop(L));
}

static const char *state_of(lua_State *L, lua_State *co)
{
    lua_Debug about;
    if (L == co) {
        return "running";
    }
    switch (lua_status(co)) {
    case LUA_YIELD:
        return "suspended";
    case LUA_OK:
        return lua_getstack(co, 0, &about) ? "normal" : lua_gettop(co) == 0 ? "dead" : "suspended";
    default:
        return "dead";
    }
}

static int status(lua_State *L)
{
    lua_pushstring(L, state_of(L, checked(L)));
    return 1;
}

static int running(lua_State *L)
{
    int main = lua_pushthread(L);
    lua_pushboolean(L, main);
    return 2;
}

static int is_yieldable(lua_State *L)
{
    lua_State *co = lua_isnone(L, 1) ? L : checked(L);
    lua_pushboolean(L, lua_isyieldable(co));
    return 1;
}

static int close(lua_State *L)
{
    lua_State *co = checked(L);
    const char *state = state_of(L, co);
    if (strcmp(state, "dead") != 0 && strcmp(state, "suspended") != 0) {
        return luaL_error(L, "cannot close a %s coroutine", state);
    }
    int result = lua_resetthread(co);
    if (result != LUA_OK) {
        mr_script_pass_stop(L, co, result);
        lua_pushboolean(L, 0);
        lua_xmove(co, L, 1);
        return 2;
    }
    lua_pushboolean(L, 1);
    return 1;
}

void mr_script_open_coroutine(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "create", create },   { "resume", resume }, { "wrap", wrap },
        { "yield", yield },     { "status", status }, { "isyieldable", is_yieldable },
        { "running", running }, { "close", close },   { NULL, NULL },
    };
    luaL_newlib(L, functions);
    lua_setglobal(L, "coroutine");
}
