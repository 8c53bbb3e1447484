// script/sockets.c: sockets and vectors as a script sees them.
//
// A socket is known only when the graph is cooked. Lua tells == of two sockets, `if` and `and` nothing about values:
// they cannot be caught. What can be is: arithmetic and < <= over a socket are errors that say what to do.

#include "script/plan.h"

#define SOCKET "socket"
#define VECTOR "vector"

bool mr_script_is_socket(lua_State *L, int index)
{
    return luaL_testudata(L, index, SOCKET) != NULL;
}

mr_script_socket *mr_script_socket_at(lua_State *L, int index)
{
    return luaL_testudata(L, index, SOCKET);
}

void mr_script_push_socket(lua_State *L, mr_socket socket, const mr_node *node, const char *name,
                           mr_type type)
{
    mr_script_socket *made = mr_script_new(L, sizeof *made, SOCKET);
    made->socket = socket;
    made->node = node;
    made->name = name;
    made->type = type;
}

static const char *name_of(const mr_script_socket *socket)
{
    return socket->node ? socket->node->name : "an input";
}

// The socket among the two operands.
static const mr_script_socket *operand(lua_State *L)
{
    const mr_script_socket *socket = mr_script_socket_at(L, 1);
    return socket ? socket : mr_script_socket_at(L, 2);
}

// Upvalue 1: the operation's sign.
static int no_arithmetic(lua_State *L)
{
    const mr_script_socket *socket = operand(L);
    return luaL_error(
        L,
        "not yet: %s over a socket (%s of %s); a socket is known only when the graph is cooked: "
        "give planned numbers, or a node that does it",
        lua_tostring(L, lua_upvalueindex(1)), socket->name, name_of(socket));
}

static int no_order(lua_State *L)
{
    const mr_script_socket *socket = operand(L);
    return luaL_error(L,
                      "a socket (%s of %s) is known only when the graph is cooked, so < and <= cannot choose "
                      "here; use math.lt or math.le",
                      socket->name, name_of(socket));
}

static int socket_text(lua_State *L)
{
    const mr_script_socket *socket = luaL_checkudata(L, 1, SOCKET);
    lua_pushfstring(L, "socket %s.%s (%s)", name_of(socket), socket->name, mr_type_name(socket->type));
    return 1;
}

// A node of one output answers its socket, which may also be asked for by its name.
static int socket_index(lua_State *L)
{
    const mr_script_socket *socket = luaL_checkudata(L, 1, SOCKET);
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    if (name && strcmp(name, socket->name) == 0) {
        lua_settop(L, 1);
        return 1;
    }
    return luaL_error(L, "%s answers one output, %s; it has no %s", name_of(socket), socket->name,
                      name ? name : luaL_typename(L, 2));
}

static int socket_newindex(lua_State *L)
{
    return luaL_error(L, "a socket cannot be changed");
}

static int vector_create(lua_State *L)
{
    int lanes = lua_gettop(L);
    luaL_argcheck(L, lanes >= 2 && lanes <= 4, lanes, "vector.create takes two to four numbers");
    double at[4] = { 0 };
    for (int i = 0; i < lanes; i++) {
        at[i] = luaL_checknumber(L, i + 1);
    }
    mr_script_vector *made = mr_script_new(L, sizeof *made, VECTOR);
    made->lanes = (uint32_t)lanes;
    memcpy(made->at, at, sizeof at);
    return 1;
}

static int vector_index(lua_State *L)
{
    const mr_script_vector *vector = luaL_checkudata(L, 1, VECTOR);
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    size_t place = strlen(name) == 1 ? strcspn("xyzw", name) : 4;
    if (place >= vector->lanes) {
        return luaL_error(L, "a vector of %d numbers has no %s", (int)vector->lanes, name);
    }
    lua_pushnumber(L, vector->at[place]);
    return 1;
}

// The operand as lanes; a number stands for all of them.
static uint32_t lanes_of(lua_State *L, int index, double at[4])
{
    const mr_script_vector *vector = luaL_testudata(L, index, VECTOR);
    if (vector) {
        memcpy(at, vector->at, sizeof vector->at);
        return vector->lanes;
    }
    double number = luaL_checknumber(L, index);
    for (int i = 0; i < 4; i++) {
        at[i] = number;
    }
    return 0;
}

// Upvalue 1: the operation's sign.
static int vector_arithmetic(lua_State *L)
{
    double a[4], b[4];
    char sign = *lua_tostring(L, lua_upvalueindex(1));
    if (mr_script_is_socket(L, 1) || mr_script_is_socket(L, 2)) {
        return no_arithmetic(L);
    }
    uint32_t lanes = lanes_of(L, 1, a), other = lanes_of(L, 2, b);
    if (lanes && other && lanes != other) {
        return luaL_error(L, "a vector of %d numbers %c one of %d", (int)lanes, sign, (int)other);
    }
    mr_script_vector *made = mr_script_new(L, sizeof *made, VECTOR);
    made->lanes = lanes ? lanes : other;
    for (uint32_t i = 0; i < made->lanes; i++) {
        made->at[i] = sign == '+'   ? a[i] + b[i]
                      : sign == '-' ? a[i] - b[i]
                      : sign == '*' ? a[i] * b[i]
                                    : a[i] / b[i];
    }
    return 1;
}

static int vector_equal(lua_State *L)
{
    const mr_script_vector *a = luaL_testudata(L, 1, VECTOR), *b = luaL_testudata(L, 2, VECTOR);
    bool equal = a && b && a->lanes == b->lanes;
    for (uint32_t i = 0; equal && i < a->lanes; i++) {
        equal = a->at[i] == b->at[i];
    }
    lua_pushboolean(L, equal);
    return 1;
}

static int vector_text(lua_State *L)
{
    const mr_script_vector *vector = luaL_checkudata(L, 1, VECTOR);
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (uint32_t i = 0; i < vector->lanes; i++) {
        luaL_addstring(&text, i ? ", " : "(");
        lua_pushnumber(L, vector->at[i]);
        mr_lua_tolstring(L, -1, NULL);
        lua_remove(L, -2);
        luaL_addvalue(&text);
    }
    luaL_addchar(&text, ')');
    luaL_pushresult(&text);
    return 1;
}

static void set_signed(lua_State *L, const char *event, lua_CFunction function, const char *sign)
{
    lua_pushstring(L, sign);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, -2, event);
}

void mr_script_open_sockets(lua_State *L)
{
    static const char *const arithmetic[][2] = {
        { "__add", "+" },  { "__sub", "-" },   { "__mul", "*" },   { "__div", "/" },     { "__mod", "%" },
        { "__pow", "^" },  { "__unm", "-" },   { "__idiv", "//" }, { "__concat", ".." }, { "__len", "#" },
        { "__band", "&" }, { "__bor", "|" },   { "__bxor", "~" },  { "__shl", "<<" },    { "__shr", ">>" },
        { "__bnot", "~" }, { "__call", "()" },
    };
    static const luaL_Reg socket[] = {
        { "__lt", no_order },
        { "__le", no_order },
        { "__tostring", socket_text },
        { "__index", socket_index },
        { "__newindex", socket_newindex },
        { NULL, NULL },
    };
    static const luaL_Reg vector[] = {
        { "__index", vector_index },
        { "__eq", vector_equal },
        { "__tostring", vector_text },
        { NULL, NULL },
    };
    static const luaL_Reg functions[] = { { "create", vector_create }, { NULL, NULL } };
    luaL_newmetatable(L, SOCKET);
    luaL_setfuncs(L, socket, 0);
    for (size_t i = 0; i < sizeof arithmetic / sizeof arithmetic[0]; i++) {
        set_signed(L, arithmetic[i][0], no_arithmetic, arithmetic[i][1]);
    }
    lua_pushliteral(L, SOCKET);
    lua_setfield(L, -2, "__metatable");
    luaL_newmetatable(L, VECTOR);
    luaL_setfuncs(L, vector, 0);
    for (size_t i = 0; i < 4; i++) {
        set_signed(L, arithmetic[i][0], vector_arithmetic, arithmetic[i][1]);
    }
    lua_pushliteral(L, VECTOR);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 2);
    luaL_newlib(L, functions);
    lua_setglobal(L, "vector");
}
