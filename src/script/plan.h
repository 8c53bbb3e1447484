// script/plan.h: what a script that plans a graph is given: proc, g, sockets, modules.

#ifndef MARRAM_SCRIPT_PLAN_H
#define MARRAM_SCRIPT_PLAN_H

#include "graph/program.h"
#include "script/state.h"

// A file a program ran.
typedef struct mr_script_file {
    char name[MR_PATH_SIZE]; // "lib/shapes.lua", relative to the folder it was found in
    char *text;
    size_t size;
} mr_script_file;

// The files of one program. While it loads they come from the disk; when it plans they are the same bytes again.
typedef struct mr_script_files {
    mr_context *context;
    const char *folders[2]; // the world's folder and the packages', which may be NULL
    mr_script_file *items;  // in the order they were first asked for
    size_t count;
    size_t capacity;
    bool complete; // no file may be added
} mr_script_files;

void mr_script_files_destroy(mr_script_files *files);
// The file of a relative path ("land.lua"); read once. Errors: an absolute path, "..", a link that leads out of the
// folders, a file that is not there (the names tried), one over 4 MiB.
bool mr_script_files_get(mr_script_files *files, const char *name, const mr_script_file **file,
                         mr_error *error);
bool mr_script_files_module(mr_script_files *files, const char *name, const mr_script_file **file,
                            mr_error *error);
void mr_script_files_digest(const mr_script_files *files, mr_digester *digester);

// What proc.define was given. It lives in the state's arena.
typedef struct mr_definition {
    const char *summary;
    mr_input *inputs;
    size_t input_count;
    mr_output *outputs;
    size_t output_count;
} mr_definition;

// The host of a state that loads or plans (mr_script.host).
typedef struct mr_script_plan {
    mr_script_files *files;
    const char *name;  // of the file that is run
    mr_script_line at; // what errors without a line of their own are about; empty before the file is read
    mr_graph *graph;   // NULL while loading
    bool wants_record; // definitions are read whole (loading)
    const mr_definition *definition; // loading: what the file answered
    const mr_binding *inputs;        // planning
    size_t input_count;
    const mr_graph_program *program;
    mr_binding *outputs; // planning: filled in the order of the program's outputs
} mr_script_plan;
static inline mr_script_plan *mr_script_plan_of(lua_State *L)
{
    return mr_script_of(L)->host;
}

// A node's output as a script holds it.
typedef struct mr_script_socket {
    mr_script_object object;
    mr_socket socket;
    const mr_node *node; // NULL: an input of the program
    const char *name;    // of the output
    mr_type type;
} mr_script_socket;
bool mr_script_is_socket(lua_State *L, int index);
mr_script_socket *mr_script_socket_at(lua_State *L, int index);
void mr_script_push_socket(lua_State *L, mr_socket socket, const mr_node *node, const char *name,
                           mr_type type);

// A vector a script made: of 2 to 4 numbers.
typedef struct mr_script_vector {
    mr_script_object object;
    uint32_t lanes;
    double at[4];
} mr_script_vector;

// Between Lua's values and the graph's. Reading raises nothing: it fails with an error, and the value is released by
// the caller. Texts, numbers, booleans, lists and records (their names sorted by bytes) of these, vectors.
bool mr_script_read(lua_State *L, int index, mr_value *value, mr_error *error);
bool mr_script_push(lua_State *L, const mr_value *value, mr_error *error);
// A table of named values or sockets as bindings, sorted by name. The names stay the table's. `of`: what takes them, for
// errors ("terrain.cone").
bool mr_script_read_bindings(lua_State *L, int index, const char *of, mr_binding **bindings, size_t *count,
                             mr_error *error);
void mr_script_free_bindings(mr_context *context, mr_binding *bindings, size_t count);

void mr_script_open_sockets(lua_State *L); // metatables of sockets and vectors
void mr_script_open_proc(lua_State *L);    // proc.define
void mr_script_open_require(lua_State *L);
void mr_script_push_families(lua_State *L); // g

// Runs the plan's file and keeps its definition (loading), or plans its graph (planning).
bool mr_script_plan_run(mr_script *script, mr_script_plan *plan, mr_error *error);

#endif
