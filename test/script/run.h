// test/script/run.h: a piece of Lua run in a fresh sandbox.

#ifndef MARRAM_TEST_SCRIPT_RUN_H
#define MARRAM_TEST_SCRIPT_RUN_H

#include "script/state.h"
#include "support.h"

enum { ANSWER_SIZE = 1 << 16 };

typedef struct chunk {
    mr_view text;
    char *answer; // what the chunk returned, as text
    void (*prepare)(lua_State *L);
} chunk;

static int chunk_body(lua_State *L, void *argument)
{
    const chunk *what = argument;
    if (what->prepare) {
        what->prepare(L);
    }
    mr_script_compile(L, "test.lua", what->text);
    lua_call(L, 0, 1);
    size_t size;
    const char *text = mr_lua_tolstring(L, -1, &size);
    size = size < ANSWER_SIZE - 1 ? size : ANSWER_SIZE - 1;
    memcpy(what->answer, text, size);
    what->answer[size] = 0;
    return 0;
}

static bool run_view(mr_context *context, const mr_script_limits *limits, mr_view text,
                     void (*prepare)(lua_State *L), char answer[ANSWER_SIZE], mr_error *error)
{
    chunk what = { text, answer, prepare };
    mr_script *script = mr_script_create(context, limits, error);
    if (!script) {
        return false;
    }
    bool good = mr_script_run(script, chunk_body, &what, error);
    mr_script_destroy(script);
    return good;
}

// The chunk's answer as text; fails the test when it raises.
static const char *answer_of(mr_context *context, const char *text)
{
    static char answer[ANSWER_SIZE];
    mr_error error = { 0 };
    if (!run_view(context, NULL, mr_view_of(text), NULL, answer, &error)) {
        fail_msg("%s\n  raised %s:%u: %s", text, error.file, error.line, error.message);
    }
    return answer;
}

// Fails the test unless the chunk raises an error with `part` in its message.
static mr_error error_of(mr_context *context, const char *text, const char *part)
{
    static char answer[ANSWER_SIZE];
    mr_error error = { 0 };
    if (run_view(context, NULL, mr_view_of(text), NULL, answer, &error)) {
        fail_msg("%s\n  answered %s", text, answer);
    }
    if (!strstr(error.message, part)) {
        fail_msg("%s\n  raised \"%s\", without \"%s\"", text, error.message, part);
    }
    return error;
}

#endif
