// script/families.c: g, by which a script makes nodes: g.terrain.fbm{ raster = ground, ... }.
//
// g and its families are tables filled from the registry, so that a call costs a look-up; a name that is not there is an
// error that offers the nearest.

#include "script/plan.h"

// Upvalue 1: the node's place in the registry.
static int make_node(lua_State *L)
{
    const mr_node *node = mr_node_at((size_t)lua_tointeger(L, lua_upvalueindex(1)));
    mr_script_plan *plan = mr_script_plan_of(L);
    mr_error error = { 0 };
    mr_binding *bindings = NULL;
    size_t count = 0;
    uint32_t made = 0;
    if (lua_gettop(L) == 0) {
        lua_newtable(L);
    }
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TTABLE) {
        return luaL_error(L, "%s takes its inputs by name in one table: g.%s{ name = value }", node->name,
                          node->name);
    }
    if (!plan->graph) {
        return luaL_error(L, "nodes are made in build, not while the file is read");
    }
    mr_lua_work(L, 100);
    mr_script_line where = mr_script_where(L);
    bool good = mr_script_read_bindings(L, 1, node->name, &bindings, &count, &error);
    if (good) {
        good = mr_graph_add(plan->graph, node, bindings, count, (mr_origin){ where.file, where.line }, &made,
                            &error);
        mr_script_free_bindings(mr_script_of(L)->context, bindings, count);
    }
    if (!good) {
        return mr_script_raise(L, &error);
    }
    if (!node->outputs[1].name) {
        mr_script_push_socket(L, (mr_socket){ made, 0 }, node, node->outputs[0].name, node->outputs[0].type);
        return 1;
    }
    lua_newtable(L);
    for (uint32_t i = 0; i < MR_MAX_OUTPUTS && node->outputs[i].name; i++) {
        mr_script_push_socket(L, (mr_socket){ made, i }, node, node->outputs[i].name, node->outputs[i].type);
        lua_setfield(L, -2, node->outputs[i].name);
    }
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_setmetatable(L, -2);
    return 1;
}

// Offers the nearest of the table's names. Upvalue 1: what it is ("terrain has no node").
static int unknown(lua_State *L)
{
    const char *wanted = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
    const char *names[256];
    size_t count = 0;
    lua_settop(L, 2);
    mr_script_pairs(L); // in order, so that of equally near names the first is offered
    lua_settop(L, 3);
    for (;;) {
        lua_pushvalue(L, 3);
        lua_pushvalue(L, 1);
        lua_call(L, 1, 1);
        if (lua_type(L, -1) != LUA_TSTRING || count == 256) {
            break;
        }
        names[count++] = lua_tostring(L, -1); // held by the table
        lua_settop(L, 3);
    }
    const char *nearest = mr_nearest_name(wanted, names, count);
    const char *what = lua_tostring(L, lua_upvalueindex(1));
    return nearest ? luaL_error(L, "%s %s; did you mean %s?", what, wanted, nearest)
                   : luaL_error(L, "%s %s", what, wanted);
}

static int fixed(lua_State *L)
{
    return luaL_error(L, "nodes are made by the library; a table of them cannot be changed");
}

// The metatable of a table whose missing names are errors.
static void push_strict(lua_State *L, const char *what)
{
    lua_createtable(L, 0, 3);
    lua_pushstring(L, what);
    lua_pushcclosure(L, unknown, 1);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, fixed);
    lua_setfield(L, -2, "__newindex");
    lua_pushliteral(L, "locked");
    lua_setfield(L, -2, "__metatable");
}

static void add_node(lua_State *L, int families, size_t place)
{
    const mr_node *node = mr_node_at(place);
    size_t size = strcspn(node->name, ".");
    if (!node->name[size]) {
        return;
    }
    lua_pushlstring(L, node->name, size);
    lua_pushvalue(L, -1);
    if (lua_rawget(L, families) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushfstring(L, "%s has no node", lua_tostring(L, -2));
        push_strict(L, lua_tostring(L, -1));
        lua_remove(L, -2);
        lua_setmetatable(L, -2);
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, families);
    }
    lua_pushstring(L, node->name + size + 1);
    lua_pushinteger(L, (lua_Integer)place);
    if (node->outputs[0].name && node->outputs[1].name) {
        lua_pushfstring(L, "%s has no output", node->name);
        push_strict(L, lua_tostring(L, -1));
        lua_remove(L, -2);
    } else {
        lua_pushnil(L);
    }
    lua_pushcclosure(L, make_node, 2);
    lua_rawset(L, -3);
    lua_pop(L, 2);
}

void mr_script_push_families(lua_State *L)
{
    lua_newtable(L);
    int families = lua_gettop(L);
    for (size_t i = 0; i < mr_node_count(); i++) {
        add_node(L, families, i);
    }
    push_strict(L, "no node family is called");
    lua_setmetatable(L, families);
}
