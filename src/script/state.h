// script/state.h: one Lua state in its sandbox.
//
// A state is used by one thread at a time. What a script reaches is Lua's own language, its string, table, math, utf8
// and coroutine libraries made deterministic, and what the host puts in; never files, time, addresses or the
// environment. Its limits cannot be swallowed: once one is reached the state is stopped, and pcall, xpcall and
// coroutines only pass that on.

#ifndef MARRAM_SCRIPT_STATE_H
#define MARRAM_SCRIPT_STATE_H

#include "base/context.h"
#include "base/text.h"
#include "script/lua_number.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#undef LUA_EXTRASPACE
#define LUA_EXTRASPACE MR_LUA_EXTRASPACE

typedef struct mr_script_limits {
    uint64_t work;   // instructions, and their like in library functions (characters matched, elements moved)
    uint64_t memory; // bytes a state may hold
    uint64_t text;   // bytes of one text
} mr_script_limits;
mr_script_limits mr_script_limits_default(void);

// A line of a script's file; file is empty where none is being run.
typedef struct mr_script_line {
    char file[MR_PATH_SIZE];
    uint32_t line;
} mr_script_line;

typedef struct mr_script_block mr_script_block;
typedef struct mr_script {
    mr_context *context;
    lua_State *lua;
    mr_script_limits limits;
    int64_t work_left;
    uint64_t memory;
    mr_script_block *blocks;   // all there are
    uint64_t serial;           // blocks made so far
    mr_status refused;         // why the allocator last said no, MR_OK when it did not
    const char *refusal;       // in words
    mr_script_line refused_at; // and where
    bool quiet;                // print says nothing
    bool stopped;              // a limit was reached or the call was cancelled
    mr_error stop;             // then: which
    mr_arena arena;            // what definitions read from the script hold
    void *host;                // of the part that made the state (files, a graph): see script/plan.h
    uint32_t object_serial;    // userdata made so far
} mr_script;

// A state with the libraries open. limits may be NULL.
mr_script *mr_script_create(mr_context *context, const mr_script_limits *limits, mr_error *error);
void mr_script_destroy(mr_script *script);
mr_script *mr_script_of(lua_State *L);

// Runs body(L, argument) with every Lua error caught and turned into error: file, line and message as Lua's position
// says. Nothing of Lua may be called outside such a body.
bool mr_script_run(mr_script *script, int (*body)(lua_State *L, void *argument), void *argument,
                   mr_error *error);

// Compiles text (never bytecode) and leaves the function on the stack; raises what is wrong with it. name: "land.lua".
void mr_script_compile(lua_State *L, const char *name, mr_view text);

// Raises an error with the calling line before it. A limit, a failure of the system and a cancellation stop the state.
int mr_script_raise(lua_State *L, const mr_error *error);
// Stops the state for good.
int mr_script_stop(lua_State *L, mr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// To be called when a protected call failed, with its error value on top of `from`: passes a limit on.
void mr_script_pass_stop(lua_State *L, lua_State *from, int status);
// Counts work; raises when there was too much.
void mr_lua_work(lua_State *L, size_t amount);

mr_script_line mr_script_where(lua_State *L); // the line being run

// Every userdata a script can hold begins with this, so that they have an order.
typedef struct mr_script_object {
    uint32_t serial;
} mr_script_object;
// A userdata of size bytes (zeroed) with the metatable registered under name, on the stack.
void *mr_script_new(lua_State *L, size_t size, const char *name);

// Libraries, each putting its table or functions into the globals.
void mr_script_open_base(lua_State *L);
void mr_script_open_coroutine(lua_State *L);
void mr_script_open_table(lua_State *L);
void mr_script_open_string(lua_State *L);
void mr_script_open_math(lua_State *L);
void mr_script_open_random(lua_State *L);

// Words for a value, without an address.
const char *mr_lua_tolstring(lua_State *L, int index, size_t *size);
// Pushes pairs' three values for the table at index 1.
int mr_script_pairs(lua_State *L);
int mr_script_next(lua_State *L);

#endif
