// The sandbox: what a script cannot reach, and limits it cannot swallow.

#include "script/run.h"

#include <pthread.h>

// Every one of these must raise, or answer "out of reach".
static const char *const escapes[] = {
    "return os.execute('true')",
    "return io.open('/etc/passwd')",
    "return io.popen('ls')",
    "return debug.getregistry()",
    "return debug.sethook()",
    "return debug.getinfo(1)",
    "return package.loadlib('libc.so.6', 'system')",
    "return package.path",
    "return dofile('/etc/passwd')",
    "return loadfile('/etc/passwd')",
    "return collectgarbage('count')",
    "return collectgarbage('stop')",
    "return warn('@on')",
    "return string.dump(function() end)",
    "return ('x').dump(function() end)",
    "return string.pack('i4', 1)",
    "return string.unpack('z', 'abc')",
    "return load(string.char(27) .. 'Lua')()",
    "return load('\\27LuaT\\0\\25\\147\\13\\10\\26\\10')()",
    "return load('return 1', 'x', 'b')()",
    "return load(function() return 'return 1' end)()",
    "return _ENV.os.time()",
    "return _G.io.write('x')",
    "return _G['os'].clock()",
    "return rawget(_G, 'debug').getlocal(1, 1)",
    "return load('return os.getenv(\"HOME\")')()",
    "return load('return io', 'x', 't', _G)().stdout",
    "return load('return os', 'x', 't', setmetatable({}, { __index = _G }))().exit()",
    "getmetatable('').__index = function() return 1 end",
    "getmetatable('').__index.rep = nil",
    "setmetatable('', {})",
    "setmetatable({}, { __gc = function() end })",
    "setmetatable({}, { __mode = 'k' })",
    "setmetatable({}, { __close = function() end })",
    "local x <close> = setmetatable({}, (function() local m = {} return m end)()) ; error('out of reach')",
    "local m = {} local o = setmetatable({}, m) m.__close = function() end local x <close> = o",
    "return math.random()",
    "return math.randomseed(1)",
    "return string.format('%p', {})",
    "return tostring({}):match('0x') or error('out of reach')",
    "return tostring(print):match('0x') or error('out of reach')",
    "return (select(2, pcall(function() return {} .. {} end))):match('0x') or error('out of reach')",
    "return require('os')",
    "return require('io').read()",
    "return os and 1 or error('out of reach')",
    "return getmetatable(random.stream(1)).__index.next",
    "getmetatable(random.stream(1)).__index = {}",
    "setmetatable(random.stream(1), {})",
    "return rawset(random.stream(1), 1, 2)",
    "return coroutine.wrap(function() return debug.traceback() end)()",
    "return xpcall(function() error('x') end, debug.traceback)",
    "return jit.on()",
    "return bit32.band(1, 2)",
    "return utf8.codepoint('x', -10)",
    "return table.unpack({}, 1, 1e9)",
    "return string.byte(('x'):rep(2000000), 1, -1)",
    "return select(-5)",
    "error()",
    "error(nil)",
    "error({})",
    "error(setmetatable({}, { __tostring = function() error('again') end }))",
    "return setmetatable(_G, { __index = function(_, k) error('no ' .. k) end }).os",
};

static void what_a_script_must_not_reach_is_out_of_reach(void **state)
{
    static char answer[ANSWER_SIZE];
    size_t count = sizeof escapes / sizeof escapes[0];
    assert_true(count >= 40);
    for (size_t i = 0; i < count; i++) {
        mr_error error = { 0 };
        if (run_view(*state, NULL, mr_view_of(escapes[i]), NULL, answer, &error)) {
            fail_msg("%s\n  answered %s", escapes[i], answer);
        }
        assert_true(error.status == MR_BAD_INPUT);
        assert_true(error.message[0] != 0);
    }
}

// The globals are these and no others.
static void the_globals_are_the_stated_ones(void **state)
{
    const char *got = answer_of(*state, "local s = '' for k in pairs(_G) do s = s .. k .. ' ' end return s");
    assert_string_equal(
        got, "_G _VERSION assert coroutine error getmetatable ipairs load math next pairs pcall print random "
             "rawequal rawget rawlen rawset select setmetatable string table tonumber tostring type "
             "utf8 xpcall ");
    got = answer_of(*state, "local s = '' for k in pairs(string) do s = s .. k .. ' ' end return s");
    assert_string_equal(got, "byte char find format gmatch gsub len lower match rep reverse sub upper ");
}

static const mr_script_limits small = { .work = 3000000, .memory = 8 << 20, .text = 1 << 20 };

static mr_error stopped(mr_context *context, const char *code, const char *part)
{
    static char answer[ANSWER_SIZE];
    mr_error error = { 0 };
    mr_script_limits limits = small;
    if (strstr(part, "deep")) {
        limits.memory = 128u << 20; // a million slots of stack come first
        limits.work = 100000000;
    }
    if (run_view(context, &limits, mr_view_of(code), NULL, answer, &error)) {
        fail_msg("%s\n  answered %s", code, answer);
    }
    if (error.status != MR_LIMIT || !strstr(error.message, part)) {
        fail_msg("%s\n  status %d: %s", code, (int)error.status, error.message);
    }
    return error;
}

// Ways to use a lot; each is tried plainly and in every wrapping that might swallow the limit.
static const struct {
    const char *code;
    const char *says;
} hungry[] = {
    { "while true do end", "more work" },
    { "for i = 1, math.huge do end", "more work" },
    { "::a:: goto a", "more work" },
    { "local function f() return f() end f()", "more work" },
    { "repeat local ok = pcall(error) until false", "more work" },
    { "local s = ('a'):rep(30) .. 'b' for i = 1, 1e9 do s:find('a-a-a-a-a-a-a-a-a-c') end", "more work" },
    { "local s = ('a'):rep(10000) return s:find(('a*'):rep(20) .. 'b')", "more work" },
    { "local s = ('a'):rep(500000) return s:find(('a'):rep(250000) .. 'b', 1, true)", "more work" },
    { "local s = ('('):rep(500000) for i = 1, 100 do s:gsub('%b()', '') end", "more work" },
    { "local s = ('x'):rep(900000) for i = 1, 1e6 do local t = s .. i end", "more work" },
    { "local s = ('x'):rep(900000) for i = 1, 1e6 do s:upper() end", "more work" },
    { "local s = ('x'):rep(900000) for i = 1, 1e6 do utf8.len(s) end", "more work" },
    { "local s = ('x'):rep(900000) for i = 1, 1e6 do s:reverse():sub(2) end", "more work" },
    { "table.move({}, 1, 1 << 62, 2)", "more work" },
    { "table.concat(setmetatable({}, { __index = function() return '' end }), '', 1, 1 << 62)", "more work" },
    { "table.insert(setmetatable({}, { __len = function() return 1 << 62 end }), 1, 1)", "more work" },
    { "table.remove(setmetatable({}, { __len = function() return 1 << 62 end }), 1)", "more work" },
    { "table.sort(setmetatable({}, { __len = function() return 1 << 30 end, __index = function() return 1 "
      "end }))",
      "more work" },
    { "local t = {} for i = 1, 20000 do t[i] = i end for i = 1, 1e6 do table.insert(t, 1, 0) table.remove(t, "
      "1) end",
      "more work" },
    { "local t = {} for i = 1, 20000 do t[i] = i end for i = 1, 1e6 do pairs(t) end", "more work" },
    { "local t = {} for i = 1, 20000 do t[i] = i end for i = 1, 1e6 do next(t, 5) end", "more work" },
    { "for i = 1, 1e9 do coroutine.wrap(function() end) end", "more work" },
    { "local function nest(d) local co = coroutine.wrap(function() for i = 1, 1e9 do if d > 0 then nest(d - "
      "1) end end end) co() end nest(20)",
      "more work" },
    { "local s = 'return ' .. ('1 + '):rep(50000) .. '1' for i = 1, 1e6 do load(s) end", "more work" },
    { "for i = 1, 1e9 do string.format('%99.99f', 1e300) end", "more work" },
    { "local t = {} for i = 1, 1e9 do t[i] = i end", "more memory" },
    { "local t = {} for i = 1, 1e9 do t[i] = {} end", "more memory" },
    { "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end", "more" },
    { "local t = {} for i = 1, 1e9 do t['k' .. i] = function() return t end end", "more memory" },
    { "local t = {} for i = 1, 1e9 do t[i] = coroutine.create(print) end", "more" },
    { "return ('x'):rep(1e9)", "may have" },
    { "return ('x'):rep(1 << 62)", "may have" },
    { "local s = 'x' for i = 1, 60 do s = s .. s end", "text longer" },
    { "local s = ('x'):rep(1100) return s:gsub('x', s)", "text longer" },
    { "local t = {} for i = 1, 2000 do t[i] = ('x'):rep(1000) end return table.concat(t)", "text longer" },
    { "local function f() return 1 + f() end f()", "too deep" },
    { "local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k] end return t.x",
      "too deep" },
    { "local t = setmetatable({}, {}) getmetatable(t).__add = function(a, b) return a + b end return t + 1",
      "too deep" },
    { "local function f(s) return (s:gsub('x', f)) end return f('x')", "too deep" },
    { "local function f() coroutine.wrap(f)() end f()", "too deep" },
    { "local function f() table.sort({ 1, 2 }, f) end f()", "too deep" },
    { "return tostring(setmetatable({}, { __tostring = function(t) return tostring(t) end }))", "too deep" },
};

static const char *const wrappings[] = {
    "%s",
    "pcall(function() %s end) return 'swallowed'",
    "for i = 1, 5 do pcall(function() %s end) end return 'swallowed'",
    "pcall(pcall, pcall, function() %s end) return 'swallowed'",
    "xpcall(function() %s end, function(m) return 1 end) return 'swallowed'",
    "xpcall(function() %s end, function(m) while true do end end) return 'swallowed'",
    "xpcall(function() %s end, error) return 'swallowed'",
    "xpcall(function() %s end, print) return 'swallowed'",
    "coroutine.resume(coroutine.create(function() %s end)) return 'swallowed'",
    "pcall(coroutine.wrap(function() %s end)) return 'swallowed'",
    "local co = coroutine.create(function() %s end) coroutine.resume(co) coroutine.close(co) return "
    "'swallowed'",
    "coroutine.wrap(function() pcall(function() coroutine.yield() end) end)() pcall(function() %s end) "
    "return 'swallowed'",
    "local t = setmetatable({}, { __index = function() %s end }) pcall(function() return t.x end) return "
    "'swallowed'",
    "pcall(table.sort, { 1, 2, 3 }, function() %s end) return 'swallowed'",
    "pcall(string.gsub, 'x', 'x', function() %s end) return 'swallowed'",
    "pcall(load, 'return 1') pcall(load([==[ %s ]==])) return 'swallowed'",
    "pcall(tostring, setmetatable({}, { __tostring = function() %s end })) return 'swallowed'",
    "for _ in pairs({ 1 }) do pcall(next, {}, nil) pcall(function() %s end) end return 'swallowed'",
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { every = 20 };
#else
enum { every = 4 };
#endif

static void limits_cannot_be_swallowed(void **state)
{
    char code[4096];
    for (size_t i = 0; i < sizeof hungry / sizeof hungry[0]; i++) {
        for (size_t k = 0; k < sizeof wrappings / sizeof wrappings[0]; k++) {
            if (k && (i + k) % every && test_scale() < 2) {
                continue; // all of them in the long run
            }
            char plain[2048];
            snprintf(plain, sizeof plain, "do %s end", hungry[i].code);
            // "return" has to end a block, and `do ... end` lets it.
            snprintf(code, sizeof code, wrappings[k], plain);
            mr_error error = stopped(*state, code, hungry[i].says);
            if (k == 0) {
                bool unknown = error.line == 0 && strstr(hungry[i].says, "deep"); // of the C stack
                if (!unknown && (strcmp(error.file, "test.lua") != 0 || error.line != 1)) {
                    fail_msg("%s\n  %s:%u: %s", code, error.file, error.line, error.message);
                }
            }
        }
    }
}

static void a_limit_says_its_line(void **state)
{
    mr_error error = stopped(*state, "local n = 0\n\nwhile true do\n  n = n + 1\nend", "more work");
    assert_true(error.line >= 3 && error.line <= 4);
    error = error_of(*state, "local x = 1\nlocal y = nil\nreturn x + y", "attempt to perform arithmetic");
    assert_int_equal(error.line, 3);
    assert_string_equal(error.file, "test.lua");
    error = error_of(*state, "local x = \n= 1", "unexpected symbol");
    assert_int_equal(error.line, 2);
    error = error_of(*state, "error('no line', 0)", "no line");
    assert_int_equal(error.line, 0);
    error = error_of(*state, "error({})", "a table");
    error = error_of(*state, "local function f()\n error('mine')\nend\nf()", "mine");
    assert_int_equal(error.line, 2);
}

// A cancelled call stops in a loop, and a time limit too, whatever the loop does.
static void cancelling_and_time_stop_a_script(void **state)
{
    static char answer[ANSWER_SIZE];
    static const char *const loops[] = {
        "while true do pcall(function() while true do end end) end",
        "local s = ('a'):rep(1000) while true do pcall(string.find, s, ('a*'):rep(20) .. 'b') end",
    };
    for (size_t i = 0; i < 2; i++) {
        mr_context *context = test_context_of(1, 0);
        mr_error error = { 0 };
        mr_context_cancel(context);
        assert_false(run_view(context, NULL, mr_view_of(loops[i]), NULL, answer, &error));
        assert_int_equal(error.status, MR_CANCELLED);
        test_context_end(context);
    }
    mr_context_config config = mr_context_config_default();
    config.time_limit = 0.2;
    for (size_t i = 0; i < 2; i++) {
        mr_context *context;
        mr_error error = { 0 };
        mr_entry entry;
        assert_true(mr_context_create(&config, &context, &error));
        mr_enter(context, &entry);
        double before = mr_clock_seconds();
        assert_false(run_view(context, NULL, mr_view_of(loops[i]), NULL, answer, &error));
        assert_true(mr_clock_seconds() - before < 5);
        mr_leave(&entry);
        assert_int_equal(error.status, MR_LIMIT);
        test_context_end(context);
    }
}

// Memory that ends at any allocation is an error, and nothing leaks.
static void a_failing_allocation_is_an_error_and_leaks_nothing(void **state)
{
    static char answer[ANSWER_SIZE];
    static const char code[] =
        "local t = {} for i = 1, 20 do t[i] = { key = 'k' .. i % 3, i = i } end\n"
        "table.sort(t, function(a, b) return a.key < b.key end)\n"
        "local s = {} for k, v in pairs({ a = 1, b = {}, [3] = print }) do s[#s + 1] = tostring(k) end\n"
        "local co = coroutine.wrap(function() coroutine.yield(('x'):rep(100):gsub('x', 'yy')) end) co()\n"
        "pcall(function() error({ 'x' }) end) pcall(function() return ('x' .. {}) end)\n"
        "return table.concat(s, ' ') .. string.format('%s %5.2f', 'long enough to be a text of its own', "
        "1.5)";
    mr_context *context = test_context_of(1, 0);
    mr_error error = { 0 };
    uint64_t before = mr_memory_allocations(context);
    assert_true(run_view(context, NULL, mr_view_of(code), NULL, answer, &error));
    uint64_t whole = mr_memory_allocations(context) - before;
    char wanted[200];
    snprintf(wanted, sizeof wanted, "%.199s", answer);
    assert_true(whole > 200);
    size_t failed = 0;
    for (uint64_t n = 1; n <= whole + 2; n++) {
        uint64_t held = mr_context_memory_now(context);
        for (int sticky = 0; sticky < 2; sticky++) {
            error = (mr_error){ 0 };
            mr_memory_fail_after(context, n, sticky);
            bool good = run_view(context, NULL, mr_view_of(code), NULL, answer, &error);
            mr_memory_fail_after(context, 0, false);
            if (good) { // Lua collected and tried again
                assert_string_equal(answer, wanted);
            } else {
                failed++;
                if (error.status != MR_OUT_OF_MEMORY) {
                    fail_msg("allocation %d: status %d, %s", (int)n, (int)error.status, error.message);
                }
            }
            assert_int_equal(mr_context_memory_now(context), held);
        }
    }
    assert_true(failed > whole / 2);
    test_context_end(context);
}

static void sources_of_any_bytes_are_errors_with_a_line(void **state)
{
    static char answer[ANSWER_SIZE];
    test_random random = { 5 };
    mr_error error;
    // Deep nesting of every kind.
    static const char *const open[] = { "(",  "{",    "do ", "if x then ", "function() return ", "x(",
                                        "- ", "not ", "a..", "{{",         "while x do ",        "f'' " };
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        mr_text text;
        mr_text_init(&text, *state);
        mr_text_print(&text, "return ");
        for (int k = 0; k < 100000; k++) {
            mr_text_print(&text, "%s", open[i]);
        }
        error = (mr_error){ 0 };
        bool good = run_view(*state, NULL, (mr_view){ text.data, text.size }, NULL, answer, &error);
        mr_text_destroy(&text);
        if (good || (error.status != MR_BAD_INPUT && error.status != MR_LIMIT)) {
            fail_msg("%s: status %d, %s", open[i], (int)error.status, error.message);
        }
    }
    // Truncated at every byte, and with random bytes in it.
    static const char whole[] =
        "local t = { [1] = \"a\\u{48}\\x41\", 'b', ... } --[==[ long ]==]\nfor k, v in pairs(t) do if k ~= "
        "0x1p4 and not v then goto done end end ::done:: return #t";
    for (size_t size = 0; size < sizeof whole - 1; size++) {
        error = (mr_error){ 0 };
        if (!run_view(*state, NULL, (mr_view){ whole, size }, NULL, answer, &error)) {
            assert_true(error.status == MR_BAD_INPUT && error.message[0]);
            assert_string_equal(error.file, "test.lua");
        }
    }
    for (size_t i = 0; i < test_count(3000); i++) {
        char bytes[sizeof whole];
        memcpy(bytes, whole, sizeof whole);
        for (uint32_t k = 1 + test_below(&random, 5); k > 0; k--) {
            bytes[test_below(&random, sizeof whole - 1)] = (char)test_below(&random, 256);
        }
        error = (mr_error){ 0 };
        mr_script_limits limits = small;
        limits.work = 200000;
        run_view(*state, &limits, (mr_view){ bytes, sizeof whole - 1 }, NULL, answer, &error);
    }
    // Compiled code, whole or cut.
    static const char binary[] = "\x1bLua\x54\x00\x19\x93\r\n\x1a\n\x04\x08\x08\x78\x56";
    for (size_t size = 1; size < sizeof binary; size++) {
        error = (mr_error){ 0 };
        assert_false(run_view(*state, NULL, (mr_view){ binary, size }, NULL, answer, &error));
        assert_int_equal(error.status, MR_BAD_INPUT);
    }
}

static void a_tables_length_and_order_are_a_function_of_what_was_put_in(void **state)
{
    // Borders of tables with holes and with objects among the keys: the same in every state, wherever it lies.
    static const char code[] =
        "local s = {} for n = 1, 60 do local t, keep = {}, {} for i = 1, n do\n"
        "  if i * 7 % 5 ~= 0 then t[i] = i end keep[i] = (i % 3 == 0) and {} or (i % 3 == 1) and function() "
        "return i end or coroutine.create(print)\n"
        "  t[keep[i]] = i t['k' .. i] = i end s[n] = #t end return table.concat(s, ' ')";
    char first[ANSWER_SIZE];
    snprintf(first, sizeof first, "%s", answer_of(*state, code));
    void *apart[50];
    for (int i = 0; i < 50; i++) {
        apart[i] = mr_allocate(*state, (size_t)(1000 + 977 * i));
        assert_string_equal(answer_of(*state, code), first);
    }
    for (int i = 0; i < 50; i++) {
        mr_free(*state, apart[i]);
    }
}

typedef struct thread_run {
    mr_context *context;
    char answer[ANSWER_SIZE];
    bool good;
} thread_run;

static void *run_on_thread(void *argument)
{
    thread_run *run = argument;
    mr_error error = { 0 };
    run->good = true;
    for (int i = 0; i < 20 && run->good; i++) {
        run->good =
            run_view(run->context, NULL,
                     MR_VIEW("local t = {} for i = 1, 500 do t['k' .. i] = i end local n = 0 for k, v in "
                             "pairs(t) do n = n * 31 + v & "
                             "0xffffffff end table.sort({ 3, 2, 1 }) return n .. string.format('%g', 0.1)"),
                     NULL, run->answer, &error);
    }
    return NULL;
}

// Two states on two threads, of one context and of two.
static void two_threads_share_nothing(void **state)
{
    static thread_run runs[4];
    pthread_t threads[4];
    mr_context *other = test_context_of(1, 0);
    for (int i = 0; i < 4; i++) {
        runs[i].context = i < 2 ? *state : other;
        assert_int_equal(pthread_create(&threads[i], NULL, run_on_thread, &runs[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_true(runs[i].good);
        assert_string_equal(runs[i].answer, runs[0].answer);
    }
    test_context_end(other);
}

static void *recurse_on_thread(void *argument)
{
    mr_context *context = argument;
    for (size_t i = 0; i < sizeof hungry / sizeof hungry[0]; i++) {
        if (strstr(hungry[i].says, "deep")) {
            stopped(context, hungry[i].code, hungry[i].says);
        }
    }
    error_of(context, "local s = ('('):rep(190) .. 'x' return assert(load('return ' .. s))", "expected");
    error_of(context, "local s = ('('):rep(1000) .. 'x' return assert(load('return ' .. s))", "too deep");
    error_of(context, "return ('x'):rep(300000):find(('x-'):rep(250) .. 'y')", "too complex");
    return context;
}

// The stack a calling thread must have, as loader.h says.
static void a_stack_of_512_kilobytes_is_enough(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
    skip(); // frames are larger
#endif
    pthread_attr_t attributes;
    pthread_t thread;
    void *answer = NULL;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 512 << 10), 0);
    assert_int_equal(pthread_create(&thread, &attributes, recurse_on_thread, *state), 0);
    pthread_join(thread, &answer);
    pthread_attr_destroy(&attributes);
    assert_ptr_equal(answer, *state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_script_must_not_reach_is_out_of_reach),
        cmocka_unit_test(the_globals_are_the_stated_ones),
        cmocka_unit_test(limits_cannot_be_swallowed),
        cmocka_unit_test(a_limit_says_its_line),
        cmocka_unit_test(cancelling_and_time_stop_a_script),
        cmocka_unit_test(a_failing_allocation_is_an_error_and_leaks_nothing),
        cmocka_unit_test(sources_of_any_bytes_are_errors_with_a_line),
        cmocka_unit_test(a_tables_length_and_order_are_a_function_of_what_was_put_in),
        cmocka_unit_test(two_threads_share_nothing),
        cmocka_unit_test(a_stack_of_512_kilobytes_is_enough),
    };
    return cmocka_run_group_tests_name("script sandbox", tests, test_setup, test_teardown);
}
