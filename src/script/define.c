// script/define.c: proc.define, and the two times a graph's file is run: to learn what it declares, and to plan.

#include "script/plan.h"

enum { MOST_CHOICES = 64 };

#define DEFINITION "proc.definition"

static const char *keep_text(lua_State *L, int index)
{
    size_t size;
    const char *text = lua_tolstring(L, index, &size);
    char *kept = mr_arena_text(&mr_script_of(L)->arena, text, size);
    if (!kept) {
        mr_script_stop(L, MR_OUT_OF_MEMORY, "there is no memory for a definition");
    }
    return kept;
}

static void *keep(lua_State *L, size_t size)
{
    void *kept = mr_arena_take(&mr_script_of(L)->arena, size ? size : 1);
    if (!kept) {
        mr_script_stop(L, MR_OUT_OF_MEMORY, "there is no memory for a definition");
    }
    return kept;
}

// The text under name in the table at index, kept; NULL where there is none.
static const char *text_field(lua_State *L, int index, const char *name, const char *of)
{
    int type = lua_getfield(L, index, name);
    if (type != LUA_TNIL && type != LUA_TSTRING) {
        luaL_error(L, "proc.define: %s: %s must be a text", of, name);
    }
    const char *kept = type == LUA_TSTRING ? keep_text(L, -1) : NULL;
    lua_pop(L, 1);
    return kept;
}

static bool number_field(lua_State *L, int index, const char *name, const char *of, double *number)
{
    int type = lua_getfield(L, index, name);
    if (type != LUA_TNIL && type != LUA_TNUMBER) {
        luaL_error(L, "proc.define: %s: %s must be a number", of, name);
    }
    if (type == LUA_TNUMBER) {
        *number = lua_tonumber(L, -1);
    }
    lua_pop(L, 1);
    return type == LUA_TNUMBER;
}

static mr_type read_type(lua_State *L, int index, const char *of)
{
    const char *names[MR_TYPE_COUNT];
    size_t count = 0;
    const char *wanted = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
    if (!wanted) {
        luaL_error(L, "proc.define: %s has no type; write { \"name\", \"Number\", default }", of);
    }
    for (int type = MR_NONE + 1; type < MR_TYPE_COUNT; type++) {
        names[count++] = mr_type_name((mr_type)type);
        if (strcmp(names[count - 1], wanted) == 0) {
            return (mr_type)type;
        }
    }
    const char *nearest = mr_nearest_name(wanted, names, count);
    luaL_error(L, "proc.define: %s: there is no type %s; did you mean %s?", of, wanted,
               nearest ? nearest : "Number");
    return MR_NONE;
}

static mr_unit read_unit(lua_State *L, int index, const char *of)
{
    static const mr_unit units[] = { MR_METRES, MR_DEGREES, MR_RADIANS, MR_SECONDS, MR_KILOGRAMS };
    const char *wanted = text_field(L, index, "unit", of);
    if (!wanted || !*wanted) {
        return MR_UNITLESS;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(mr_unit_symbol(units[i]), wanted) == 0) {
            return units[i];
        }
    }
    luaL_error(L, "proc.define: %s: there is no unit \"%s\"; units are m, deg, rad, s and kg", of, wanted);
    return MR_UNITLESS;
}

// choices: a text of words or a list of texts, kept as a text of words.
static const char *read_choices(lua_State *L, int index, const char *of)
{
    int type = lua_getfield(L, index, "choices");
    if (type == LUA_TTABLE) {
        luaL_Buffer words;
        int list = lua_gettop(L);
        lua_Integer count = luaL_len(L, list);
        luaL_buffinit(L, &words);
        for (lua_Integer i = 1; i <= count && i <= MOST_CHOICES; i++) {
            if (i > 1) {
                luaL_addchar(&words, ' ');
            }
            if (lua_geti(L, list, i) != LUA_TSTRING || strchr(lua_tostring(L, -1), ' ')) {
                luaL_error(L, "proc.define: %s: choices are words", of);
            }
            luaL_addvalue(&words);
        }
        luaL_pushresult(&words);
    } else if (type != LUA_TSTRING) {
        luaL_error(L, "proc.define: %s: a Choice needs choices, a list of words", of);
    }
    const char *kept = keep_text(L, -1);
    lua_settop(L, index);
    return kept;
}

// The default, through the same check as a given value.
static void read_default(lua_State *L, int index, mr_input *input)
{
    mr_context *context = mr_script_of(L)->context;
    mr_value given = { 0 }, checked = { 0 };
    mr_error error = { 0 };
    mr_node stand_in = { .name = "proc.define" };
    lua_rawgeti(L, index, 3);
    bool good = mr_script_read(L, -1, &given, &error) &&
                mr_input_check(&stand_in, input, &given, context, &checked, &error);
    if (!good) {
        mr_value_release(&given);
        mr_fail_prefix(&error, "the default of %s", input->name);
        mr_script_raise(L, &error);
    }
    switch (checked.type) {
    case MR_NUMBER:
        input->value = checked.number;
        break;
    case MR_INT:
        input->value = (double)checked.integer;
        break;
    case MR_BOOL:
        input->value = checked.boolean;
        break;
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR:
        memcpy(input->vector, checked.vector, sizeof input->vector);
        break;
    case MR_TEXT:
    case MR_CHOICE:
        input->text = mr_arena_text(&mr_script_of(L)->arena, checked.text->data, checked.text->size);
        break;
    default:
        mr_value_release(&given);
        mr_value_release(&checked);
        luaL_error(L, "proc.define: %s: a %s has no default; leave it out", input->name,
                   mr_type_name(input->type));
    }
    bool kept = input->text || (checked.type != MR_TEXT && checked.type != MR_CHOICE);
    mr_value_release(&given);
    mr_value_release(&checked);
    lua_pop(L, 1);
    if (!kept) {
        mr_script_stop(L, MR_OUT_OF_MEMORY, "there is no memory for a definition");
    }
}

static void refuse_unknown(lua_State *L, int index, const char *of, const char *const *known, size_t count)
{
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TNUMBER) {
            continue;
        }
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : luaL_typename(L, -2);
        bool found = false;
        for (size_t i = 0; i < count; i++) {
            found = found || strcmp(known[i], name) == 0;
        }
        if (!found) {
            const char *nearest = mr_nearest_name(name, known, count);
            luaL_error(L,
                       nearest ? "proc.define: %s has no field %s; did you mean %s?"
                               : "proc.define: %s has no field %s",
                       of, name, nearest);
        }
    }
}

// The name in the declaration's first place, kept, a word of Lua's.
static const char *read_name(lua_State *L, int index, const char *what, size_t place)
{
    if (lua_type(L, index) != LUA_TTABLE || lua_rawgeti(L, index, 1) != LUA_TSTRING) {
        luaL_error(L, "proc.define: %s %d is no declaration; write { \"name\", \"Number\", default }", what,
                   (int)place + 1);
    }
    const char *name = keep_text(L, -1);
    lua_pop(L, 1);
    for (const char *at = name; *at || at == name; at++) {
        bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_';
        if (!letter && !(at > name && *at >= '0' && *at <= '9')) {
            luaL_error(L, "proc.define: %s \"%s\" is no name of letters, digits and _", what, name);
        }
    }
    return name;
}

static void read_input(lua_State *L, int index, size_t place, mr_input *input)
{
    static const char *const fields[] = { "unit", "min", "max", "choices", "doc" };
    input->name = read_name(L, index, "input", place);
    refuse_unknown(L, index, input->name, fields, sizeof fields / sizeof fields[0]);
    lua_rawgeti(L, index, 2);
    input->type = read_type(L, lua_gettop(L), input->name);
    lua_pop(L, 1);
    input->unit = read_unit(L, index, input->name);
    input->doc = text_field(L, index, "doc", input->name);
    input->range = (mr_range){ false, -(double)INFINITY, (double)INFINITY };
    bool least = number_field(L, index, "min", input->name, &input->range.low);
    bool most = number_field(L, index, "max", input->name, &input->range.high);
    input->range.bounded = least || most;
    if (!(input->range.low <= input->range.high)) {
        luaL_error(L, "proc.define: %s: min is more than max", input->name);
    }
    if (input->type == MR_CHOICE) {
        input->choices = read_choices(L, index, input->name);
    }
    bool given = lua_rawgeti(L, index, 3) != LUA_TNIL;
    lua_pop(L, 1);
    if (given) {
        read_default(L, index, input);
    } else {
        input->flags |= MR_REQUIRED;
    }
}

static size_t list_field(lua_State *L, const char *name, size_t most)
{
    int type = lua_getfield(L, 1, name);
    if (type != LUA_TNIL && type != LUA_TTABLE) {
        luaL_error(L, "proc.define: %s must be a list of declarations", name);
    }
    size_t count = type == LUA_TTABLE ? (size_t)lua_rawlen(L, -1) : 0;
    if (count > most) {
        luaL_error(L, "proc.define: %d %s are declared; a graph has %d at most", (int)count, name, (int)most);
    }
    return count;
}

static void read_inputs(lua_State *L, mr_definition *definition)
{
    size_t count = list_field(L, "inputs", MR_MAX_INPUTS);
    int list = lua_gettop(L);
    definition->inputs = keep(L, (count + 1) * sizeof *definition->inputs);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        read_input(L, lua_gettop(L), i, &definition->inputs[i]);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(definition->inputs[k].name, definition->inputs[i].name) == 0) {
                luaL_error(L, "proc.define: input %s is declared twice", definition->inputs[i].name);
            }
        }
        lua_settop(L, list);
    }
    definition->input_count = count;
    lua_settop(L, 1);
}

static void read_outputs(lua_State *L, mr_definition *definition)
{
    static const char *const fields[] = { "doc" };
    size_t count = list_field(L, "outputs", MR_MAX_OUTPUTS);
    int list = lua_gettop(L);
    if (count == 0) {
        luaL_error(L, "proc.define: outputs are missing; write outputs = { { \"ground\", \"Raster\" } }");
    }
    definition->outputs = keep(L, (count + 1) * sizeof *definition->outputs);
    for (size_t i = 0; i < count; i++) {
        mr_output *output = &definition->outputs[i];
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        int index = lua_gettop(L);
        output->name = read_name(L, index, "output", i);
        refuse_unknown(L, index, output->name, fields, 1);
        lua_rawgeti(L, index, 2);
        output->type = read_type(L, lua_gettop(L), output->name);
        output->doc = text_field(L, index, "doc", output->name);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(definition->outputs[k].name, output->name) == 0) {
                luaL_error(L, "proc.define: output %s is declared twice", output->name);
            }
        }
        lua_settop(L, list);
    }
    definition->output_count = count;
    lua_settop(L, 1);
}

typedef struct definition_object {
    mr_script_object object;
    const mr_definition *definition;
} definition_object;

// proc.define(table): a definition, to be what the file returns. Its table, with build in it, is kept beside it.
static int define(lua_State *L)
{
    static const char *const fields[] = { "summary", "inputs", "outputs", "build" };
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TTABLE) {
        return luaL_error(
            L, "proc.define takes one table: proc.define{ inputs = ..., outputs = ..., build = ... }");
    }
    refuse_unknown(L, 1, "a graph", fields, sizeof fields / sizeof fields[0]);
    if (lua_getfield(L, 1, "build") != LUA_TFUNCTION) {
        return luaL_error(L, "proc.define: build must be a function of g and inputs");
    }
    lua_settop(L, 1);
    mr_definition *definition = NULL;
    if (mr_script_plan_of(L)->wants_record) {
        definition = keep(L, sizeof *definition);
        definition->summary = text_field(L, 1, "summary", "a graph");
        read_inputs(L, definition);
        read_outputs(L, definition);
    }
    definition_object *made = lua_newuserdatauv(L, sizeof *made, 1);
    *made = (definition_object){ { ++mr_script_of(L)->object_serial }, definition };
    lua_getfield(L, 1, "build");
    lua_setiuservalue(L, -2, 1);
    luaL_getmetatable(L, DEFINITION);
    lua_setmetatable(L, -2);
    return 1;
}

static int definition_index(lua_State *L)
{
    return luaL_error(L, "not yet: a graph used within a graph; return it from its own file");
}

void mr_script_open_proc(lua_State *L)
{
    static const luaL_Reg functions[] = { { "define", define }, { NULL, NULL } };
    static const luaL_Reg events[] = {
        { "__index", definition_index },
        { "__newindex", definition_index },
        { "__call", definition_index },
        { NULL, NULL },
    };
    luaL_newmetatable(L, DEFINITION);
    luaL_setfuncs(L, events, 0);
    lua_pushliteral(L, DEFINITION);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
    luaL_newlib(L, functions);
    lua_setglobal(L, "proc");
}

// A missing input is an error that offers the nearest. Upvalue 1: the program's inputs' names, in a table of its own.
static int no_input(lua_State *L)
{
    const mr_script_plan *plan = mr_script_plan_of(L);
    const char *wanted = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
    const char *names[MR_MAX_INPUTS];
    size_t count = 0;
    for (; count < plan->program->input_count; count++) {
        names[count] = plan->program->inputs[count].name;
        if (strcmp(names[count], wanted) == 0) {
            lua_pushnil(L); // declared, and left out
            return 1;
        }
    }
    const char *nearest = mr_nearest_name(wanted, names, count);
    return nearest ? luaL_error(L, "the graph declares no input %s; did you mean %s?", wanted, nearest)
                   : luaL_error(L, "the graph declares no input %s", wanted);
}

static void push_default(lua_State *L, const mr_input *input)
{
    mr_value value = { .type = input->type };
    mr_error error = { 0 };
    switch (input->type) {
    case MR_NUMBER:
        value.number = input->value;
        break;
    case MR_INT:
        value.integer = (int64_t)input->value;
        break;
    case MR_BOOL:
        value.boolean = input->value != 0;
        break;
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR:
        memcpy(value.vector, input->vector, sizeof value.vector);
        break;
    case MR_TEXT:
    case MR_CHOICE:
        lua_pushstring(L, input->text);
        return;
    default:
        lua_pushnil(L);
        return;
    }
    mr_script_push(L, &value, &error);
}

static void push_inputs(lua_State *L, const mr_script_plan *plan)
{
    lua_newtable(L);
    for (size_t i = 0; i < plan->program->input_count; i++) {
        const mr_input *input = &plan->program->inputs[i];
        const mr_binding *given = NULL;
        for (size_t k = 0; k < plan->input_count; k++) {
            given = strcmp(plan->inputs[k].name, input->name) == 0 ? &plan->inputs[k] : given;
        }
        mr_error error = { 0 };
        if (!given) {
            if (input->flags & MR_REQUIRED) {
                luaL_error(L, "input %s is missing", input->name);
            }
            push_default(L, input);
        } else if (given->wired) {
            mr_script_push_socket(L, given->socket, NULL, input->name, input->type);
        } else if (!mr_script_push(L, &given->value, &error)) {
            mr_fail_prefix(&error, "input %s", input->name);
            mr_script_raise(L, &error);
        }
        lua_setfield(L, -2, input->name);
    }
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, no_input);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

// One answer of build, on top of the stack, as the output's binding.
static void take_output(lua_State *L, mr_script_plan *plan, size_t place)
{
    const mr_output *output = &plan->program->outputs[place];
    mr_binding *out = &plan->outputs[place];
    const mr_script_socket *socket = mr_script_socket_at(L, -1);
    mr_error error = { 0 };
    if (socket) {
        if (socket->type != output->type && socket->type != MR_ANY && output->type != MR_ANY) {
            luaL_error(L, "output %s is declared a %s; build answered a %s", output->name,
                       mr_type_name(output->type), mr_type_name(socket->type));
        }
        *out = (mr_binding){ .name = output->name, .wired = true, .socket = socket->socket };
        return;
    }
    if (lua_isnil(L, -1)) {
        luaL_error(L, "build answered no %s", output->name);
    }
    mr_value value = { 0 }, checked = { 0 };
    mr_input stand_in = { .name = output->name, .type = output->type == MR_CHOICE ? MR_TEXT : output->type };
    mr_node node = { .name = "build's answer" };
    bool good = mr_script_read(L, -1, &value, &error);
    if (!good) {
        mr_fail_prefix(&error, "%s: %s", node.name, output->name);
    }
    good = good && mr_input_check(&node, &stand_in, &value, mr_script_of(L)->context, &checked, &error);
    mr_value_release(&value);
    if (!good) {
        mr_script_raise(L, &error);
    }
    *out = (mr_binding){ .name = output->name, .value = checked };
}

static void take_outputs(lua_State *L, mr_script_plan *plan)
{
    const mr_graph_program *program = plan->program;
    const char *names[MR_MAX_OUTPUTS];
    int answer = lua_gettop(L);
    if (program->output_count == 1 && mr_script_is_socket(L, answer)) {
        take_output(L, plan, 0);
        return;
    }
    if (lua_type(L, answer) != LUA_TTABLE) {
        luaL_error(L, "build answered a %s; it must answer a table of outputs, { %s = ... }",
                   luaL_typename(L, answer), program->outputs[0].name);
    }
    for (size_t i = 0; i < program->output_count; i++) {
        names[i] = program->outputs[i].name;
        lua_pushstring(L, names[i]);
        lua_rawget(L, answer);
        take_output(L, plan, i);
        lua_settop(L, answer);
    }
    refuse_unknown(L, answer, "the declaration of outputs", names, program->output_count);
}

// Where build, on top of the stack, is written.
static void set_at(lua_State *L, mr_script_plan *plan)
{
    lua_Debug about;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">S", &about);
    if (about.linedefined > 0) { // not a function of the library
        mr_text_format(plan->at.file, sizeof plan->at.file, "%s", about.source + (about.source[0] == '@'));
        plan->at.line = (uint32_t)about.linedefined;
    }
}

static int run_plan(lua_State *L, void *argument)
{
    mr_script_plan *plan = argument;
    const mr_script_file *file;
    mr_error error = { 0 };
    mr_script_open_sockets(L);
    mr_script_open_proc(L);
    mr_script_open_require(L);
    if (!mr_script_files_get(plan->files, plan->name, &file, &error)) {
        return mr_script_raise(L, &error);
    }
    mr_text_format(plan->at.file, sizeof plan->at.file, "%s", file->name);
    mr_script_compile(L, file->name, (mr_view){ file->text, file->size });
    lua_call(L, 0, 1);
    const definition_object *made = luaL_testudata(L, -1, DEFINITION);
    if (!made) {
        return luaL_error(L, "%s answers a %s; a graph's file ends in return proc.define{ ... }", plan->name,
                          luaL_typename(L, -1));
    }
    plan->definition = made->definition;
    if (!plan->program) {
        return 0;
    }
    lua_getiuservalue(L, -1, 1);
    set_at(L, plan);
    mr_script_push_families(L);
    push_inputs(L, plan);
    lua_call(L, 2, 1);
    take_outputs(L, plan);
    return 0;
}

bool mr_script_plan_run(mr_script *script, mr_script_plan *plan, mr_error *error)
{
    script->host = plan;
    script->quiet = !plan->program; // the file is run again to plan, and prints then
    bool good = mr_script_run(script, run_plan, plan, error);
    script->host = NULL;
    if (!good && error && !error->file[0] && plan->at.file[0]) {
        mr_fail_at(error, plan->at.file, plan->at.line, 0);
    }
    return good;
}
