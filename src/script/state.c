// script/state.c: a Lua state, its allocator and its limits.

#include "script/state.h"

enum {
    HOOK_EVERY = 1000,
    BYTES_A_UNIT = 32, // a unit of work pays for making this many bytes
};

// Before every block: its neighbours, so that a state ends by freeing all it holds without running any of it, and its
// number, which objects hash by when they stand as keys.
struct mr_script_block {
    mr_script_block *next, *before;
    uint64_t serial;
    uint64_t reserved; // keeps what follows aligned to 16
};
typedef mr_script_block header;

mr_script_limits mr_script_limits_default(void)
{
    return (mr_script_limits){
        .work = 200u * 1000 * 1000,
        .memory = (uint64_t)128 << 20,
        .text = (uint64_t)4 << 20,
    };
}

mr_script *mr_script_of(lua_State *L)
{
    mr_script *script;
    memcpy(&script, lua_getextraspace(L), sizeof script);
    return script;
}

unsigned mr_lua_serial(const void *object)
{
    uint64_t serial;
    memcpy(&serial, (const char *)object - sizeof(header) + offsetof(header, serial), sizeof serial);
    return (unsigned)serial;
}

mr_script_line mr_script_where(lua_State *L)
{
    lua_Debug about;
    mr_script_line where = { .line = 0 };
    for (int level = 0; level < 20 && lua_getstack(L, level, &about); level++) {
        lua_getinfo(L, "Sl", &about);
        if (about.currentline > 0) {
            // source is "@land.lua"; short_src would shorten a long path.
            mr_text_format(where.file, sizeof where.file, "%s", about.source + (about.source[0] == '@'));
            where.line = (uint32_t)about.currentline;
            break;
        }
    }
    return where;
}

static void *refuse(mr_script *script, mr_status status, const char *why)
{
    script->refused = status;
    script->refusal = why;
    if (script->lua) {
        script->refused_at = mr_script_where(script->lua);
    }
    return NULL;
}

static void *allocate(void *user, void *memory, size_t old_size, size_t new_size)
{
    mr_script *script = user;
    header *block = memory ? (header *)memory - 1 : NULL;
    size_t held = memory ? old_size + sizeof(header) : 0;
    if (new_size == 0) {
        if (block) {
            script->memory -= held;
            *(block->before ? &block->before->next : &script->blocks) = block->next;
            if (block->next) {
                block->next->before = block->before;
            }
            mr_free(script->context, block);
        }
        return NULL;
    }
    size_t whole;
    if (!mr_size_add(new_size, sizeof(header), &whole)) {
        return refuse(script, MR_LIMIT, "memory");
    }
    if (whole > held) {
        script->work_left -= (int64_t)(new_size / BYTES_A_UNIT);
        if (script->stopped || script->work_left <= 0) {
            return refuse(script, MR_LIMIT, "work");
        }
        if (!memory && old_size == LUA_TSTRING && new_size > script->limits.text + 64) {
            return refuse(script, MR_LIMIT, "text");
        }
        if (whole - held > script->limits.memory - script->memory) {
            return refuse(script, MR_LIMIT, "memory");
        }
    }
    header *made = mr_reallocate(script->context, block, whole);
    if (!made) {
        // Lua counts on a block that shrinks staying where it is.
        return whole <= held ? memory : refuse(script, MR_OUT_OF_MEMORY, "memory");
    }
    if (!block) {
        *made = (header){ .next = script->blocks, .serial = ++script->serial };
    }
    *(made->before ? &made->before->next : &script->blocks) = made;
    if (made->next) {
        made->next->before = made;
    }
    script->memory += whole - held;
    script->refused = MR_OK;
    return made + 1;
}

// Raises what no protected call lets a script have: a light userdata, so that raising takes no memory.
static int raise_stop(lua_State *L)
{
    lua_settop(L, 0);
    lua_pushlightuserdata(L, mr_script_of(L));
    return lua_error(L);
}

static void hook(lua_State *L, lua_Debug *about);

// Splits "land.lua:12: message": the message, with the file and the line in error. NULL where it has no such shape.
static const char *split_position(mr_error *error, const char *text, size_t size)
{
    const char *end = text + size;
    for (const char *colon = text; (colon = memchr(colon, ':', (size_t)(end - colon))); colon++) {
        const char *at = colon + 1;
        uint64_t line = 0;
        while (at < end && *at >= '0' && *at <= '9' && line < 100000000) {
            line = line * 10 + (uint64_t)(*at++ - '0');
        }
        if (at > colon + 1 && end - at > 2 && at[0] == ':' && at[1] == ' ' && colon - text < MR_PATH_SIZE) {
            char file[MR_PATH_SIZE];
            memcpy(file, text, (size_t)(colon - text));
            file[colon - text] = 0;
            mr_fail_at(error, file, (uint32_t)line, 0);
            return at + 2;
        }
    }
    return NULL;
}

static void fill_error(mr_error *error, mr_status status, const char *text, size_t size)
{
    mr_error place = { 0 };
    const char *message = split_position(&place, text, size);
    size_t skipped = message ? (size_t)(message - text) : 0;
    mr_fail(error, status, "%.*s", (int)(size - skipped), text + skipped);
    if (message) {
        mr_fail_at(error, place.file, place.line, 0);
    }
}

static void note_stop(lua_State *L, const mr_error *error)
{
    mr_script *script = mr_script_of(L);
    if (!script->stopped) {
        mr_script_line where = mr_script_where(L);
        if (!where.file[0]) { // an error of memory has left the script already
            where = script->refused_at;
        }
        script->stop = *error;
        if (script->stop.line == 0) {
            mr_fail_at(&script->stop, where.file, where.line, 0);
        }
        script->stopped = true;
    }
    // Whatever still runs while the error passes is stopped at its first instruction.
    lua_sethook(L, hook, LUA_MASKCOUNT, 1);
}

int mr_script_stop(lua_State *L, mr_status status, const char *format, ...)
{
    mr_error error = { 0 };
    char message[MR_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    mr_text_format_list(message, sizeof message, format, list);
    va_end(list);
    mr_fail(&error, status, "%s", message);
    note_stop(L, &error);
    return raise_stop(L);
}

static void fail_work(const mr_script *script, mr_error *error)
{
    mr_fail(error, MR_LIMIT,
            "the script did more work than it may (%llu million instructions or their like); is there a loop "
            "that never ends?",
            (unsigned long long)(script->limits.work / 1000000));
}

// Why the allocator said no.
static void fail_refused(const mr_script *script, mr_error *error)
{
    if (script->refused == MR_OUT_OF_MEMORY) {
        mr_fail(error, MR_OUT_OF_MEMORY, "there is no memory left for the script");
    } else if (script->refused == MR_LIMIT && strcmp(script->refusal, "work") == 0) {
        fail_work(script, error);
    } else if (script->refused == MR_LIMIT && strcmp(script->refusal, "text") == 0) {
        mr_fail(error, MR_LIMIT, "the script made a text longer than the %llu bytes it may have",
                (unsigned long long)script->limits.text);
    } else {
        mr_fail(error, MR_LIMIT, "the script needs more memory than the %llu bytes it may have",
                (unsigned long long)script->limits.memory);
    }
}

static bool ends_with(const char *text, size_t size, const char *end)
{
    size_t length = strlen(end);
    return size >= length && memcmp(text + size - length, end, length) == 0;
}

// Whether a failed call's status and error value (on top of L) tell of a limit, and which.
static bool is_limit(const mr_script *script, lua_State *L, int status, mr_error *error)
{
    size_t size = 0;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &size) : "";
    if (status == LUA_ERRMEM || strcmp(text, "not enough memory") == 0) {
        fail_refused(script, error);
        return true;
    }
    if (status == LUA_ERRERR || ends_with(text, size, "stack overflow")) {
        mr_fail(error, MR_LIMIT, "the script calls too deep (a function that calls itself without end?)");
        split_position(error, text, size);
        return true;
    }
    return false;
}

static void stop_for_work(lua_State *L)
{
    mr_error error = { 0 };
    fail_work(mr_script_of(L), &error);
    note_stop(L, &error);
    raise_stop(L);
}

static void hook(lua_State *L, lua_Debug *about)
{
    (void)about;
    mr_script *script = mr_script_of(L);
    if (script->stopped) {
        lua_sethook(L, hook, LUA_MASKCOUNT, 1);
        raise_stop(L);
    }
    script->work_left -= HOOK_EVERY;
    if (script->work_left <= 0) {
        stop_for_work(L);
    }
    mr_error error = { 0 };
    if (!mr_keep_going(script->context, &error)) {
        note_stop(L, &error);
        raise_stop(L);
    }
}

void mr_lua_work(lua_State *L, size_t amount)
{
    mr_script *script = mr_script_of(L);
    int64_t left = script->work_left;
    script->work_left = amount < (uint64_t)INT64_MAX / 2 ? left - (int64_t)amount : INT64_MIN / 2;
    if (script->work_left <= 0) {
        stop_for_work(L);
    }
    // A long match runs no instruction: time and cancellation are looked at here too.
    if (left / (1 << 16) != script->work_left / (1 << 16)) {
        mr_error error = { 0 };
        if (!mr_keep_going(script->context, &error)) {
            note_stop(L, &error);
            raise_stop(L);
        }
    }
}

void mr_script_pass_stop(lua_State *L, lua_State *from, int status)
{
    mr_script *script = mr_script_of(L);
    mr_error error = { 0 };
    if (script->stopped) {
        lua_sethook(L, hook, LUA_MASKCOUNT, 1);
        raise_stop(L);
    }
    if (is_limit(script, from, status, &error)) {
        note_stop(L, &error);
        raise_stop(L);
    }
}

int mr_script_raise(lua_State *L, const mr_error *error)
{
    switch (error->status) {
    case MR_LIMIT:
    case MR_OUT_OF_MEMORY:
    case MR_CANCELLED:
    case MR_SYSTEM:
    case MR_INTERNAL:
        note_stop(L, error);
        return raise_stop(L);
    default:
        break;
    }
    if (error->line) {
        lua_pushfstring(L, "%s:%d: ", error->file, (int)error->line);
    } else {
        luaL_where(L, 1);
    }
    lua_pushstring(L, error->message);
    if (error->hint[0]) {
        lua_pushfstring(L, "; %s", error->hint);
    } else {
        lua_pushliteral(L, "");
    }
    lua_concat(L, 3);
    return lua_error(L);
}

typedef struct run {
    int (*body)(lua_State *L, void *argument);
    void *argument;
} run;

static int protected_body(lua_State *L)
{
    const run *what = lua_touserdata(L, 1);
    lua_settop(L, 0);
    return what->body(L, what->argument);
}

bool mr_script_run(mr_script *script, int (*body)(lua_State *L, void *argument), void *argument,
                   mr_error *error)
{
    lua_State *L = script->lua;
    run what = { body, argument };
    lua_settop(L, 0);
    lua_pushcfunction(L, protected_body);
    lua_pushlightuserdata(L, &what);
    int status = lua_pcall(L, 1, 0, 0);
    if (status == LUA_OK) {
        return true;
    }
    mr_error limit = { 0 };
    if (!script->stopped && is_limit(script, L, status, &limit)) {
        note_stop(L, &limit);
    }
    if (script->stopped) {
        if (error) {
            *error = script->stop;
        }
    } else if (lua_type(L, 1) == LUA_TSTRING) {
        size_t size;
        const char *text = lua_tolstring(L, 1, &size);
        fill_error(error, strstr(text, "not yet:") ? MR_NOT_YET : MR_BAD_INPUT, text, size);
    } else {
        mr_fail(error, MR_BAD_INPUT, "the script raised an error that is no text but a %s",
                luaL_typename(L, 1));
    }
    lua_settop(L, 0);
    return false;
}

void mr_script_compile(lua_State *L, const char *name, mr_view text)
{
    char chunk[MR_PATH_SIZE + 2];
    mr_text_format(chunk, sizeof chunk, "@%s", name);
    int status = luaL_loadbufferx(L, text.data, text.size, chunk, "t");
    if (status != LUA_OK) {
        if (status == LUA_ERRSYNTAX) {
            lua_error(L);
        }
        mr_script_pass_stop(L, L, status);
        lua_error(L);
    }
}

void *mr_script_new(lua_State *L, size_t size, const char *name)
{
    mr_script_object *made = lua_newuserdatauv(L, size, 0);
    memset(made, 0, size);
    made->serial = ++mr_script_of(L)->object_serial;
    luaL_getmetatable(L, name);
    lua_setmetatable(L, -2);
    return made;
}

static int open_libraries(lua_State *L, void *argument)
{
    (void)argument;
    mr_script_open_base(L);
    mr_script_open_coroutine(L);
    mr_script_open_table(L);
    mr_script_open_string(L);
    mr_script_open_math(L);
    mr_script_open_random(L);
    return 0;
}

mr_script *mr_script_create(mr_context *context, const mr_script_limits *limits, mr_error *error)
{
    mr_script *script = mr_allocate_zeroed(context, sizeof *script);
    if (!script) {
        mr_fail_memory(error, sizeof *script);
        return NULL;
    }
    script->context = context;
    script->limits = limits ? *limits : mr_script_limits_default();
    script->work_left = (int64_t)script->limits.work;
    mr_arena_init(&script->arena, context);
    lua_State *L = lua_newstate(allocate, script);
    if (!L) {
        mr_fail(error, script->refused == MR_LIMIT ? MR_LIMIT : MR_OUT_OF_MEMORY,
                "there is no memory for a script's state");
        mr_script_destroy(script);
        return NULL;
    }
    script->lua = L;
    memset(lua_getextraspace(L), 0, LUA_EXTRASPACE);
    memcpy(lua_getextraspace(L), &script, sizeof script);
    if (!mr_script_run(script, open_libraries, NULL, error)) {
        mr_script_destroy(script);
        return NULL;
    }
    lua_sethook(L, hook, LUA_MASKCOUNT, HOOK_EVERY);
    return script;
}

void mr_script_destroy(mr_script *script)
{
    if (!script) {
        return;
    }
    for (header *block = script->blocks; block;) {
        header *next = block->next;
        mr_free(script->context, block);
        block = next;
    }
    mr_arena_destroy(&script->arena);
    mr_free(script->context, script);
}
