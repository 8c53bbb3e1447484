// script/lib_math.c: the math library, of exact functions, with what graphs use of Luau's (clamp, sign, round, map, lerp,
// noise) and without chance: numbers at random come from a stream or a field.

#include "num/exact.h"
#include "num/perlin.h"
#include "script/elementary.h"
#include "script/plan.h"
#include "script/state.h"

// Numbers that are no whole number an integer can hold stay floats.
static int push_whole(lua_State *L, double number)
{
    if (number >= -0x1p63 && number < 0x1p63) {
        lua_pushinteger(L, (lua_Integer)number);
    } else {
        lua_pushnumber(L, number);
    }
    return 1;
}

static int math_floor(lua_State *L)
{
    if (lua_isinteger(L, 1)) {
        lua_settop(L, 1);
        return 1;
    }
    return push_whole(L, __builtin_floor(luaL_checknumber(L, 1)));
}

static int math_ceil(lua_State *L)
{
    if (lua_isinteger(L, 1)) {
        lua_settop(L, 1);
        return 1;
    }
    return push_whole(L, __builtin_ceil(luaL_checknumber(L, 1)));
}

// Halves away from 0.
static int math_round(lua_State *L)
{
    if (lua_isinteger(L, 1)) {
        lua_settop(L, 1);
        return 1;
    }
    double number = luaL_checknumber(L, 1);
    double whole = __builtin_trunc(number);
    double rest = number - whole;
    return push_whole(L, rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole);
}

static int math_abs(lua_State *L)
{
    if (lua_isinteger(L, 1)) {
        lua_Integer number = lua_tointeger(L, 1);
        lua_pushinteger(L, number < 0 ? (lua_Integer)(0u - (lua_Unsigned)number) : number);
    } else {
        lua_pushnumber(L, __builtin_fabs(luaL_checknumber(L, 1)));
    }
    return 1;
}

static int math_sign(lua_State *L)
{
    double number = luaL_checknumber(L, 1);
    lua_pushinteger(L, number > 0 ? 1 : number < 0 ? -1 : 0);
    return 1;
}

static int math_sqrt(lua_State *L)
{
    lua_pushnumber(L, __builtin_sqrt(luaL_checknumber(L, 1)));
    return 1;
}

static int math_pow(lua_State *L)
{
    lua_pushnumber(L, mr_lua_power(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
    return 1;
}

static int math_fmod(lua_State *L)
{
    if (lua_isinteger(L, 1) && lua_isinteger(L, 2)) {
        lua_Integer a = lua_tointeger(L, 1), b = lua_tointeger(L, 2);
        lua_pushinteger(L, b == 0 || b == -1 ? 0 : a % b);
    } else {
        double a = luaL_checknumber(L, 1), b = luaL_checknumber(L, 2);
        lua_pushnumber(L, b == 0 ? 0 : mr_f64_fmod(a, b));
    }
    return 1;
}

static int math_modf(lua_State *L)
{
    double number = luaL_checknumber(L, 1);
    double whole = __builtin_trunc(number);
    lua_pushnumber(L, whole);
    lua_pushnumber(L, number == whole ? 0 : number - whole);
    return 2;
}

static int math_tointeger(lua_State *L)
{
    int whole;
    lua_Integer number = lua_type(L, 1) == LUA_TNUMBER ? lua_tointegerx(L, 1, &whole) : (whole = 0);
    luaL_checkany(L, 1);
    if (whole) {
        lua_pushinteger(L, number);
    } else {
        lua_pushnil(L);
    }
    return 1;
}

static int math_type(lua_State *L)
{
    luaL_checkany(L, 1);
    if (lua_type(L, 1) == LUA_TNUMBER) {
        lua_pushstring(L, lua_isinteger(L, 1) ? "integer" : "float");
    } else {
        lua_pushnil(L);
    }
    return 1;
}

static int math_ult(lua_State *L)
{
    lua_pushboolean(L, (lua_Unsigned)luaL_checkinteger(L, 1) < (lua_Unsigned)luaL_checkinteger(L, 2));
    return 1;
}

static int extreme(lua_State *L, bool greatest)
{
    int count = lua_gettop(L), best = 1;
    luaL_checknumber(L, 1);
    for (int i = 2; i <= count; i++) {
        luaL_checknumber(L, i);
        if (greatest ? lua_compare(L, best, i, LUA_OPLT) : lua_compare(L, i, best, LUA_OPLT)) {
            best = i;
        }
    }
    lua_pushvalue(L, best);
    return 1;
}

static int math_max(lua_State *L)
{
    return extreme(L, true);
}

static int math_min(lua_State *L)
{
    return extreme(L, false);
}

static int math_deg(lua_State *L)
{
    lua_pushnumber(L, luaL_checknumber(L, 1) * (180.0 / 0x1.921fb54442d18p+1));
    return 1;
}

static int math_rad(lua_State *L)
{
    lua_pushnumber(L, luaL_checknumber(L, 1) * (0x1.921fb54442d18p+1 / 180.0));
    return 1;
}

static int math_clamp(lua_State *L)
{
    luaL_checknumber(L, 1);
    luaL_argcheck(L, luaL_checknumber(L, 2) <= luaL_checknumber(L, 3), 3, "max must be at least min");
    lua_settop(L, 3);
    int answer = lua_compare(L, 1, 2, LUA_OPLT) ? 2 : lua_compare(L, 3, 1, LUA_OPLT) ? 3 : 1;
    lua_pushvalue(L, answer);
    return 1;
}

static int math_lerp(lua_State *L)
{
    double a = luaL_checknumber(L, 1), b = luaL_checknumber(L, 2), t = luaL_checknumber(L, 3);
    lua_pushnumber(L, t == 1 ? b : a + (b - a) * t);
    return 1;
}

static int math_map(lua_State *L)
{
    double x = luaL_checknumber(L, 1);
    double from_low = luaL_checknumber(L, 2), from_high = luaL_checknumber(L, 3);
    double to_low = luaL_checknumber(L, 4), to_high = luaL_checknumber(L, 5);
    lua_pushnumber(L, to_low + (x - from_low) * (to_high - to_low) / (from_high - from_low));
    return 1;
}

static int math_noise(lua_State *L)
{
    float x = (float)luaL_checknumber(L, 1);
    float y = (float)luaL_optnumber(L, 2, 0), z = (float)luaL_optnumber(L, 3, 0);
    lua_pushnumber(L, (double)mr_perlin3(x, y, z));
    return 1;
}

static int compare(lua_State *L, int operation, const char *name)
{
    luaL_checkany(L, 2);
    if (mr_script_is_socket(L, 1) || mr_script_is_socket(L, 2)) {
        return luaL_error(L, "not yet: math.%s over a socket; compare planned numbers", name);
    }
    lua_pushboolean(L, lua_compare(L, 1, 2, operation));
    return 1;
}

static int math_lt(lua_State *L)
{
    return compare(L, LUA_OPLT, "lt");
}

static int math_le(lua_State *L)
{
    return compare(L, LUA_OPLE, "le");
}

// Upvalue 1: which.
static int elementary(lua_State *L)
{
    const mr_elementary *which = &mr_elementary_table[lua_tointeger(L, lua_upvalueindex(1))];
    double first = luaL_checknumber(L, 1);
    lua_pushnumber(L,
                   which->one ? which->one(first) : which->two(first, luaL_optnumber(L, 2, which->second)));
    return 1;
}

static int refused(lua_State *L)
{
    return luaL_error(L,
                      "math.%s is not part of this sandbox, where every run gives the same world: draw from "
                      "random.stream(seed, salt), or use a noise field",
                      lua_tostring(L, lua_upvalueindex(1)));
}

void mr_script_open_math(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "abs", math_abs },   { "ceil", math_ceil },   { "clamp", math_clamp },
        { "deg", math_deg },   { "floor", math_floor }, { "fmod", math_fmod },
        { "le", math_le },     { "lerp", math_lerp },   { "lt", math_lt },
        { "map", math_map },   { "max", math_max },     { "min", math_min },
        { "modf", math_modf }, { "noise", math_noise }, { "pow", math_pow },
        { "rad", math_rad },   { "round", math_round }, { "sign", math_sign },
        { "sqrt", math_sqrt }, { "type", math_type },   { "tointeger", math_tointeger },
        { "ult", math_ult },   { NULL, NULL },
    };
    static const char *const chance[] = { "random", "randomseed" };
    luaL_newlib(L, functions);
    for (size_t i = 0; i < mr_elementary_count; i++) {
        lua_pushinteger(L, (lua_Integer)i);
        lua_pushcclosure(L, elementary, 1);
        lua_setfield(L, -2, mr_elementary_table[i].name);
    }
    for (size_t i = 0; i < sizeof chance / sizeof chance[0]; i++) {
        lua_pushstring(L, chance[i]);
        lua_pushcclosure(L, refused, 1);
        lua_setfield(L, -2, chance[i]);
    }
    lua_pushnumber(L, 0x1.921fb54442d18p+1);
    lua_setfield(L, -2, "pi");
    lua_pushnumber(L, (double)INFINITY);
    lua_setfield(L, -2, "huge");
    lua_pushinteger(L, LUA_MAXINTEGER);
    lua_setfield(L, -2, "maxinteger");
    lua_pushinteger(L, LUA_MININTEGER);
    lua_setfield(L, -2, "mininteger");
    lua_setglobal(L, "math");
}
