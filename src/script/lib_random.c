// script/lib_random.c: random streams (num/stream.h, the world language's own) and vectors.

#include "num/stream.h"
#include "script/plan.h"

#define STREAM "random.stream"

typedef struct stream {
    mr_script_object object;
    mr_stream at;
} stream;

static uint32_t word(lua_State *L, int index, const char *what)
{
    int whole = 0;
    lua_Integer number = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &whole) : 0;
    if (!whole || number < 0 || number > UINT32_MAX) {
        luaL_error(L, "random.stream: %s is %s; it must be a whole number from 0 to 4294967295", what,
                   mr_lua_tolstring(L, index, NULL));
    }
    return (uint32_t)number;
}

static int make(lua_State *L)
{
    lua_settop(L, 2);
    uint32_t seed = word(L, 1, "seed");
    uint32_t salt = lua_isnil(L, 2) ? 0 : word(L, 2, "salt");
    stream *made = mr_script_new(L, sizeof *made, STREAM);
    made->at = mr_stream_init(seed, salt);
    return 1;
}

static stream *checked(lua_State *L)
{
    return luaL_checkudata(L, 1, STREAM);
}

static int next(lua_State *L)
{
    lua_pushinteger(L, mr_stream_next(&checked(L)->at));
    return 1;
}

static int unit(lua_State *L)
{
    lua_pushnumber(L, (double)mr_stream_unit(&checked(L)->at));
    return 1;
}

static int signed_unit(lua_State *L)
{
    lua_pushnumber(L, (double)mr_stream_uniform(&checked(L)->at, -1, 1));
    return 1;
}

static int uniform(lua_State *L)
{
    stream *from = checked(L);
    float low = (float)luaL_checknumber(L, 2), high = (float)luaL_checknumber(L, 3);
    lua_pushnumber(L, (double)mr_stream_uniform(&from->at, low, high));
    return 1;
}

static int below(lua_State *L)
{
    stream *from = checked(L);
    lua_Integer count = luaL_checkinteger(L, 2);
    luaL_argcheck(L, count >= 1 && count <= UINT32_MAX, 2, "must be from 1 to 4294967295");
    lua_pushinteger(L, mr_stream_below(&from->at, (uint32_t)count));
    return 1;
}

void mr_script_open_random(lua_State *L)
{
    static const luaL_Reg functions[] = { { "stream", make }, { NULL, NULL } };
    static const luaL_Reg methods[] = {
        { "next", next },       { "unit", unit },   { "signed", signed_unit },
        { "uniform", uniform }, { "below", below }, { NULL, NULL },
    };
    luaL_newmetatable(L, STREAM);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, STREAM);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
    luaL_newlib(L, functions);
    lua_setglobal(L, "random");
}
