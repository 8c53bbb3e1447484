// Lua as scripts have it: numbers, text, tables and libraries that answer the same on every machine.

#include "script/run.h"

#include "num/perlin.h"
#include "script/lua_number.h"

#include <math.h>

typedef struct pair {
    const char *code;
    const char *answer;
} pair;

static void check_pairs(mr_context *context, const pair *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *got = answer_of(context, list[i].code);
        if (strcmp(got, list[i].answer) != 0) {
            fail_msg("%s\n  answered %s, not %s", list[i].code, got, list[i].answer);
        }
    }
}
#define CHECK_PAIRS(...)                                                                                     \
    do {                                                                                                     \
        static const pair list_[] = { __VA_ARGS__ };                                                         \
        check_pairs(*state, list_, sizeof list_ / sizeof list_[0]);                                          \
    } while (0)

static void a_float_is_the_shortest_text_that_reads_back(void **state)
{
    CHECK_PAIRS({ "return 0.1", "0.1" }, { "return 1/3", "0.3333333333333333" },
                { "return 2^53", "9007199254740992.0" }, { "return 3.0", "3.0" }, { "return -0.0", "-0.0" },
                { "return 1e100", "1e+100" }, { "return 0/0", "nan" }, { "return -(0/0)", "nan" },
                { "return 1/0", "inf" }, { "return -1/0", "-inf" }, { "return 7", "7" },
                { "return math.mininteger", "-9223372036854775808" },
                { "return 0.1 .. '|' .. 5e-324 .. '|' .. 1.7976931348623157e308",
                  "0.1|5e-324|1.7976931348623157e+308" },
                { "return string.format('%.14g|%5.2f|%-8d|%+d|%05d|%x|%X|%s|%q', 0.1, 3.14159, 42, 7, 42, "
                  "255, 255, {}, 'a\\n\"')",
                  "0.1| 3.14|42      |+7|00042|ff|FF|table|\"a\\\n\\\"\"" },
                { "return string.format('%e %E %g %G', 12345.678, 12345.678, 1e-10, 1e-10)",
                  "1.234568e+04 1.234568E+04 1e-10 1E-10" },
                { "return string.format('%5s|%-5s|%.2s|%c%%', 'ab', 'ab', 'abc', 65)", "   ab|ab   |ab|A%" },
                { "return string.format('%d', 3.0)", "3" }, { "return string.format('%q', 1/0)", "1e9999" });
}

static void a_text_is_read_as_the_nearest_number(void **state)
{
    CHECK_PAIRS({ "return tonumber('0x10')", "16" }, { "return tonumber('  12  ')", "12" },
                { "return tonumber('1e1')", "10.0" }, { "return tonumber('0x.8p1')", "1.0" },
                { "return tonumber('0x1p-1074')", "5e-324" }, { "return tonumber('0x1p-1075')", "0.0" },
                { "return tonumber('0x1.8p-1075')", "5e-324" },
                { "return tonumber('0x1p99999999999')", "inf" },
                { "return tonumber('0x0.00000000000000000000000000001p120')", "16.0" },
                { "return tonumber('0x1.fffffffffffff8p1023')", "inf" },
                { "return tonumber('0x1.fffffffffffff7p1023')", "1.7976931348623157e+308" },
                { "return tonumber('0x20000000000001p0')", "9007199254740992.0" },
                { "return tonumber('0x20000000000001.1p0')", "9007199254740994.0" },
                { "return tonumber('1,5')", "nil" }, { "return tonumber('inf')", "nil" },
                { "return tonumber('nan')", "nil" }, { "return tonumber('1e')", "nil" },
                { "return tonumber('')", "nil" }, { "return tonumber('0x')", "nil" },
                { "return tonumber('9007199254740993.0')", "9007199254740992.0" },
                { "return tonumber('zz', 36)", "1295" }, { "return tonumber('8', 8)", "nil" },
                { "return 3 .. ''", "3" });
}

static void number_text_and_reading_do_not_ask_the_locale(void **state)
{
    const char *why = "";
    char *before = strdup(setlocale(LC_ALL, NULL));
    if (!test_comma_locale(&why)) {
        free(before);
        print_message("%s\n", why);
        skip();
    }
    CHECK_PAIRS({ "return 1.5 .. ''", "1.5" }, { "return tonumber('1.5') + 1", "2.5" },
                { "return tonumber('1,5')", "nil" }, { "return string.format('%.2f', 1.5)", "1.50" },
                { "return load('return 2.5')()", "2.5" }, { "return tostring('\\228' < 'z')", "false" },
                { "return ('\\228x'):upper()", "\344X" });
    setlocale(LC_ALL, before);
    free(before);
}

static void division_by_nothing_answers_0(void **state)
{
    CHECK_PAIRS(
        { "return 5 // 0", "0" }, { "return 5 % 0", "0" }, { "return 5.0 // 0", "0.0" },
        { "return 5 % 0.0", "0.0" }, { "return -7 // 2", "-4" }, { "return -7 % 3", "2" },
        { "return 7 % -3", "-2" }, { "return -7.5 % 2", "0.5" }, { "return 5.3 % -2", "-0.7000000000000002" },
        { "return math.mininteger // -1", "-9223372036854775808" }, { "return math.mininteger % -1", "0" },
        { "local z = 0 return 5 // z .. ' ' .. 5 % z", "0 0" }, { "return math.fmod(-7, 3)", "-1" },
        { "return math.fmod(7, 0)", "0" }, { "return -1 % math.huge", "inf" },
        { "return 1 % -math.huge", "-inf" }, { "return 2^10", "1024.0" }, { "return 2^-2", "0.25" },
        { "return 10^2", "100.0" });
}

static void elementary_functions_are_the_exact_ones(void **state)
{
    CHECK_PAIRS({ "return math.sin(0) .. math.cos(0) .. math.exp(0) .. math.log(1)", "0.01.01.00.0" },
                { "return math.log(8, 2) .. math.log(1000, 10) .. math.log(1)", "3.03.00.0" },
                { "return math.atan(1) * 4 == math.pi and math.atan(0, -1) == math.pi and math.asin(1) * 2 "
                  "== math.pi",
                  "true" },
                { "return 2^0.5 == math.sqrt(2) and math.pow(2, 10) .. ' ' .. 2^-1074", "1024.0 5e-324" });
    // Within an ulp or two of the C library's, which is another's work.
    static const struct {
        const char *name;
        double (*reference)(double);
    } functions[] = { { "sin", sin }, { "cos", cos },   { "tan", tan },  { "exp", exp },
                      { "log", log }, { "atan", atan }, { "tanh", tanh } };
    test_random random = { 14 };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        for (int k = 0; k < 20; k++) {
            double x = test_between(&random, 0.01, 20);
            char code[100];
            snprintf(code, sizeof code, "return string.format('%%.17g', math.%s(%.17g))", functions[i].name,
                     x);
            double got = atof(answer_of(*state, code)), wanted = functions[i].reference(x);
            assert_true(fabs(got - wanted) <= 4e-16 * fabs(wanted));
        }
    }
}

static void hexadecimal_reads_as_the_c_library_reads_it(void **state)
{
    test_random random = { 12 };
    for (size_t i = 0; i < test_count(100000); i++) {
        char text[80], *end_a, *end_b;
        size_t size = (size_t)sprintf(text, "0x");
        size_t digits = 1 + test_below(&random, 20), point = test_below(&random, 24);
        for (size_t k = 0; k < digits; k++) {
            if (k == point) {
                text[size++] = '.';
            }
            text[size++] = "0123456789abcdefABCDEF00"[test_below(&random, 24)];
        }
        sprintf(text + size, "p%d", (int)test_below(&random, 2400) - 1200);
        double wanted = strtod(text, &end_a), got = mr_lua_read_number(text, &end_b);
        if (memcmp(&wanted, &got, 8) != 0 || end_a != end_b) {
            fail_msg("%s is %a, not %a", text, wanted, got);
        }
    }
}

static void pairs_walks_in_the_stated_order(void **state)
{
    CHECK_PAIRS(
        { "local t = { [3]=1, [1]=1, [2.5]=1, [-1]=1, b=1, a=1, B=1, ['']=1, [true]=1, [false]=1, [2]=1 }\n"
          "local s = {} for k in pairs(t) do s[#s + 1] = tostring(k) end return table.concat(s, ' ')",
          "-1 1 2 2.5 3  B a b false true" },
        { "local a, b, c = {}, {}, {} local t = { [c]='c', [a]='a', [b]='b' } local s = ''\n"
          "for _, v in pairs(t) do s = s .. v end return s",
          "abc" },
        { "local f = function() return 1 end local g = function() return 2 end local t = { [g] = 'g', [f] = "
          "'f', x = 'x', [{}] = 't' } local s = ''\n"
          "for _, v in pairs(t) do s = s .. v end return s",
          "xtfg" },
        { "local t = { a=1, b=2, c=3 } local s = '' for k in pairs(t) do s = s .. k t[k] = nil t.b = nil t.z "
          "= 1 end return s",
          "ac" },
        { "local t = { z=1, y=2, [1]=3 } local s = '' local k = nil repeat k = next(t, k) s = s .. "
          "tostring(k) .. ' ' until k == nil return s",
          "1 y z nil " },
        { "return next({}) == nil and next({ 5 }) == 1 and select(2, next({ x = 7 }))", "7" },
        { "local t = setmetatable({}, { __pairs = function() return function(_, k) if not k then return 1, 2 "
          "end end, nil, nil end })\n"
          "for k, v in pairs(t) do return k + v end",
          "3" },
        { "local t = { [2^53] = 'x', [(1 << 53) + 1] = 'y', [math.maxinteger] = 'm', [1e300] = 'e', [-1e300] "
          "= "
          "'n', [0.5] = 'h', [1] = 'o' }\n"
          "local s = '' for _, v in pairs(t) do s = s .. v end return s",
          "nhoxyme" });
    error_of(*state, "local t = { [print] = 1, [next] = 2 } for k in pairs(t) do end", "no order");
    error_of(*state, "next({}, coroutine.create(print))", "no order");
}

// Sorting 10,000 records of ten distinct keys keeps records of one key in their order.
static void sort_is_stable(void **state)
{
    CHECK_PAIRS(
        { "local t = {} local x = 1 for i = 1, 10000 do x = x * 1103515245 + 12345 & 0x7fffffff t[i] = { key "
          "= x // 65536 % 10, i = i } end\n"
          "table.sort(t, function(a, b) return a.key < b.key end)\n"
          "for i = 2, #t do local a, b = t[i - 1], t[i] if a.key > b.key or a.key == b.key and a.i >= b.i "
          "then return 'unstable at ' .. i end end return 'stable'",
          "stable" },
        { "local t = { 3, 1, 2, 1.5, -1 } table.sort(t) return table.concat(t, ' ')", "-1 1 1.5 2 3" },
        { "local t = { 'b', 'a', 'B', '' } table.sort(t) return table.concat(t, ',')", ",B,a,b" },
        { "local t = { 1, 2, 3 } table.sort(t, function(a, b) return a > b end) return table.concat(t, ' ')",
          "3 2 1" },
        { "local t = {} table.sort(t) return #t", "0" });
    error_of(*state, "table.sort({ 3, 1, 2, 5, 4 }, function(a, b) return true end)", "contradicts itself");
    error_of(*state, "table.sort({ 1, 'a' })", "compare");
}

static void the_table_library_does_what_lua_says(void **state)
{
    CHECK_PAIRS(
        { "local t = { 1, 2, 3 } table.insert(t, 2, 9) table.insert(t, 8) return table.concat(t, ' ')",
          "1 9 2 3 8" },
        { "local t = { 1, 2, 3 } local r = table.remove(t, 1) return r .. ':' .. table.concat(t, ' ')",
          "1:2 3" },
        { "local t = {} return tostring(table.remove(t)) .. #t", "nil0" },
        { "local t = { 1, 2 } table.remove(t, 3) return #t", "2" },
        { "return table.concat({ 1, 2.5, 'x' }, '-', 2, 3)", "2.5-x" }, { "return table.concat({})", "" },
        { "return select('#', table.unpack({ 1, nil, 3 }, 1, 3))", "3" },
        { "return table.pack(1, nil, nil).n", "3" },
        { "local t = table.move({ 1, 2, 3 }, 1, 3, 2) return table.concat(t, ' ')", "1 1 2 3" },
        { "local t = table.move({ 1, 2, 3 }, 2, 3, 1) return table.concat(t, ' ')", "2 3 3" },
        { "local t = table.move({ 1, 2, 3 }, 1, 3, 1, {}) return table.concat(t, ' ')", "1 2 3" });
    error_of(*state, "table.insert({ 1 }, 5, 1)", "out of bounds");
    error_of(*state, "table.concat({ {} })", "element 1");
}

static void the_string_library_does_what_lua_says(void **state)
{
    CHECK_PAIRS(
        { "return ('hello world'):find('o w')", "5" }, { "return select(2, ('hello'):find('l+'))", "4" },
        { "return tostring(('a.b'):find('.', 1, true))", "2" },
        { "return tostring(('abc'):find('b', -1))", "nil" }, { "return tostring(('abc'):find('', 4))", "4" },
        { "return tostring(('abc'):find('', 5))", "nil" },
        { "return ('x=1, y=2'):gsub('(%w+)=(%w+)', '%2=%1')", "1=x, 2=y" },
        { "return ('abc'):rep(3, '-')", "abc-abc-abc" },
        { "return ('x'):rep(0) .. ('x'):rep(-5) .. (''):rep(1e15)", "" }, { "return ('%d'):format(3)", "3" },
        { "local s = '' for w in ('one two'):gmatch('%a+') do s = s .. w .. ';' end return s", "one;two;" },
        { "return ('THE (quick) fox'):match('%((%a+)%)')", "quick" },
        { "return ('f(a(b)c)d'):match('%b()')", "(a(b)c)" },
        { "return ('abc'):byte(-1) .. ('abc'):upper() .. ('aBc'):lower() .. ('abc'):reverse() .. "
          "('abc'):sub(2, 3) .. #'abc'",
          "99ABCabccbabc3" },
        { "return utf8.char(228, 8364) .. utf8.len('\\u{e4}x')", "\303\244\342\202\2542" },
        { "return getmetatable('')", "string" },
        { "return tostring(pcall(function() return '10' + 1 end))", "false" });
    error_of(*state, "return string.format('%d', 1.5)", "no integer representation");
    error_of(*state, "return string.format('%p', {})", "address");
    error_of(*state, "return string.format('%a', 1)", "%.17g");
    error_of(*state, "return string.format('%5.100f', 1)", "two digits");
    error_of(*state, "return string.format('%y', 1)", "no conversion");
    error_of(*state, "return string.format('%d')", "bad argument #2");
}

static void the_math_library_answers_exactly(void **state)
{
    CHECK_PAIRS(
        { "return math.floor(-1.5) .. math.ceil(-1.5) .. math.round(2.5) .. math.round(-2.5) .. "
          "math.round(0.49999999999999994)",
          "-2-13-30" },
        { "return math.clamp(5, 1, 3) .. ' ' .. math.clamp(-1, 0.5, 3) .. ' ' .. math.sign(-3) .. "
          "math.sign(0) .. math.sign(2.5)",
          "3 0.5 -101" },
        { "return math.lerp(10, 20, 0.25) .. ' ' .. math.lerp(0.1, 0.7, 1) .. ' ' .. math.map(5, 0, 10, 100, "
          "200)",
          "12.5 0.7 150.0" },
        { "return math.max(1, 5, 3) .. math.min(4, 2.5)", "52.5" },
        { "return math.abs(math.mininteger)", "-9223372036854775808" },
        { "return math.sqrt(2)", "1.4142135623730951" }, { "return math.pi", "3.141592653589793" },
        { "return math.type(1) .. math.type(1.0) .. tostring(math.type('1'))", "integerfloatnil" },
        { "return math.tointeger(3.0) .. tostring(math.tointeger(3.5)) .. tostring(math.tointeger('x'))",
          "3nilnil" },
        { "return tostring(math.ult(1, -1)) .. tostring(math.lt(1, 2)) .. tostring(math.le(2, 1))",
          "truetruefalse" },
        { "local a, b = math.modf(-3.25) return a .. ' ' .. b", "-3.0 -0.25" },
        { "return math.rad(180) == math.pi", "true" });
    error_of(*state, "math.random()", "random.stream");
    error_of(*state, "math.randomseed(1)", "random.stream");
}

// Perlin's improved noise in f64 from the paper's description, with the permutation checked to be one.
static void noise_is_perlins(void **state)
{
    // The value the reference gives for (3.14, 42, 7), and 0 at whole coordinates.
    assert_true(fabs((double)mr_perlin3(3.14f, 42, 7) - 0.13691995878400012) < 1e-6);
    for (int i = -300; i < 300; i += 7) {
        assert_true(mr_perlin3((float)i, (float)(3 * i), (float)-i) == 0);
    }
    test_random random = { 13 };
    for (int i = 0; i < 10000; i++) {
        float p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = (float)((int)test_below(&random, 1 << 20) - (1 << 19)) / 1024.0f;
        }
        float here = mr_perlin3(p[0], p[1], p[2]);
        assert_true(here >= -1.1f && here <= 1.1f);
        assert_true(here == mr_perlin3(p[0] + 256, p[1] - 256, p[2] + 512));
    }
    assert_true(mr_perlin3(__builtin_nanf(""), 0.5f, __builtin_inff()) == mr_perlin3(0, 0.5f, 0));
}

static void streams_are_those_of_the_world_language(void **state)
{
    // An independent statement of the stream: state = pcg(seed ^ salt * 0x85ebca6b); each draw adds 0x9e3779b9.
    CHECK_PAIRS({ "local function pcg(v) local s = v * 747796405 + 2891336453 & 0xffffffff\n"
                  "  local w = ((s >> (s >> 28) + 4) ~ s) * 277803737 & 0xffffffff return w >> 22 ~ w end\n"
                  "local seed, salt = 42, 7 local at = pcg(seed ~ (salt * 0x85ebca6b & 0xffffffff))\n"
                  "local s = random.stream(seed, salt)\n"
                  "for i = 1, 100 do at = at + 0x9e3779b9 & 0xffffffff local w = s:next() if w ~= pcg(at) "
                  "then return 'draw ' .. i end end\n"
                  "at = at + 0x9e3779b9 & 0xffffffff if s:unit() ~= (pcg(at) >> 8) / 16777216 then return "
                  "'unit' end\n"
                  "at = at + 0x9e3779b9 & 0xffffffff if s:below(10) ~= pcg(at) % 10 then return 'below' end\n"
                  "at = at + 0x9e3779b9 & 0xffffffff if s:signed() ~= -1 + 2 * ((pcg(at) >> 8) / 16777216) "
                  "then return 'signed' end return 'same'",
                  "same" });
    error_of(*state, "random.stream(-1)", "0 to 4294967295");
    error_of(*state, "random.stream(2^32)", "0 to 4294967295");
    error_of(*state, "random.stream(1.5)", "0 to 4294967295");
    error_of(*state, "random.stream('7')", "0 to 4294967295");
    error_of(*state, "random.stream(1):below(0)", "from 1");
}

static void objects_have_no_address_in_their_text(void **state)
{
    CHECK_PAIRS({ "return tostring({})", "table" }, { "return tostring(print)", "function" },
                { "return tostring(coroutine.create(print))", "thread" },
                { "return tostring(random.stream(1))", "random.stream" },
                { "return tostring(setmetatable({}, { __tostring = function() return 'me' end }))", "me" },
                { "return tostring(setmetatable({}, { __name = 'mine' }))", "mine" },
                { "return tostring(nil) .. tostring(true)", "niltrue" });
}

static void protected_calls_do_what_lua_says(void **state)
{
    CHECK_PAIRS(
        { "return tostring(pcall(error, 'x', 0)) .. select('#', pcall(function() return 1, 2, 3 end))",
          "false4" },
        { "return select(2, xpcall(function(a, b) return a + b end, print, 3, 4))", "7" },
        { "return select('#', xpcall(function(...) return ... end, print, 1, nil, nil))", "4" },
        { "local ok, m = xpcall(error, function(m) return m .. '!' end, 'x', 0) return tostring(ok) .. m",
          "falsex!" },
        { "return tostring((xpcall(error, function(m) error('again', 0) end)))", "false" },
        { "return select(2, xpcall(error, function(m) error('again', 0) end))", "again" },
        { "local co = coroutine.wrap(function() return xpcall(function() coroutine.yield(1) error('late', 0) "
          "end,\n"
          "function(m) coroutine.yield(m) return 'handled' end) end) return co() .. co() .. tostring((co()))",
          "1latefalse" },
        { "return select(2, pcall(error, nil)) == nil and 'nil'", "nil" },
        { "return select('#', xpcall(function() end, print))", "1" });
}

static void coroutines_do_what_lua_says(void **state)
{
    CHECK_PAIRS(
        { "local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) return b * 2 end)\n"
          "local _, x = coroutine.resume(co, 1) local _, y = coroutine.resume(co, 5) return x .. ' ' .. y .. "
          "coroutine.status(co)",
          "2 10dead" },
        { "local f = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) return f() + f() "
          "+ f()",
          "6" },
        { "local ok, e = coroutine.resume(coroutine.create(function() error('x', 0) end)) return "
          "tostring(ok) .. e",
          "falsex" },
        { "local ok, e = pcall(coroutine.wrap(function() error({ 7 }) end)) return e[1]", "7" },
        { "local co = coroutine.create(function() pcall(function() coroutine.yield(1) error('late', 0) end) "
          "return 'done' end)\n"
          "coroutine.resume(co) return select(2, coroutine.resume(co))",
          "done" },
        { "local co = coroutine.create(function() end) return tostring(coroutine.close(co)) .. "
          "coroutine.status(co)",
          "truedead" },
        { "return tostring(select(2, coroutine.running())) .. tostring(coroutine.isyieldable())",
          "truefalse" });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_float_is_the_shortest_text_that_reads_back),
        cmocka_unit_test(a_text_is_read_as_the_nearest_number),
        cmocka_unit_test(number_text_and_reading_do_not_ask_the_locale),
        cmocka_unit_test(division_by_nothing_answers_0),
        cmocka_unit_test(elementary_functions_are_the_exact_ones),
        cmocka_unit_test(hexadecimal_reads_as_the_c_library_reads_it),
        cmocka_unit_test(pairs_walks_in_the_stated_order),
        cmocka_unit_test(sort_is_stable),
        cmocka_unit_test(the_table_library_does_what_lua_says),
        cmocka_unit_test(the_string_library_does_what_lua_says),
        cmocka_unit_test(the_math_library_answers_exactly),
        cmocka_unit_test(noise_is_perlins),
        cmocka_unit_test(streams_are_those_of_the_world_language),
        cmocka_unit_test(objects_have_no_address_in_their_text),
        cmocka_unit_test(protected_calls_do_what_lua_says),
        cmocka_unit_test(coroutines_do_what_lua_says),
    };
    return cmocka_run_group_tests_name("script language", tests, test_setup, test_teardown);
}
