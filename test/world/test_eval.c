// The world language's values: what expressions come to, to the bit, and the errors of evaluation.

#include "world_support.h"

static void expect(mr_context *context, const char *expression, const char *wanted)
{
    char text[2048], got[2048];
    mr_text_format(text, sizeof text, "field it = %s\n", expression);
    field_text(context, text, "it", got, sizeof got);
    if (strcmp(got, wanted) != 0) {
        fail_msg("%s\n came to %s\n not to  %s", expression, got, wanted);
    }
}

static void expect_world(mr_context *context, const char *text, const char *wanted)
{
    char got[2048];
    field_text(context, text, "it", got, sizeof got);
    if (strcmp(got, wanted) != 0) {
        fail_msg("%s\n came to %s\n not to  %s", text, got, wanted);
    }
}

static void numbers_are_f32_and_whole_numbers_are_64_bit(void **state)
{
    mr_context *c = *state;
    expect(c, "0.1 + 0.2", "0.3");
    expect(c, "16777216.0 + 1", "16777216");
    expect(c, "16777216 + 1", "16777217");
    expect(c, "1 / 3", "0.33333334");
    expect(c, "7 div 2", "3");
    expect(c, "-7 div 2", "-4");
    expect(c, "-7 % 3", "2");
    expect(c, "7 % -3", "-2");
    expect(c, "9223372036854775807", "9223372036854775807");
    expect(c, "2 * 3.5", "7");
    expect(c, "0x1f + 1_000", "1031");
    expect(c, "floor(-0.5)", "-1");
    expect(c, "ceil(2.1)", "3");
    expect(c, "round(2.5)", "3");
    expect(c, "2 + 3 * 4 - 10 / 4", "11.5");
}

static void quantities_carry_their_dimension(void **state)
{
    mr_context *c = *state;
    expect(c, "2.6 m + 40 cm", "3 meters");
    expect(c, "1 km", "1000 meters");
    expect(c, "180 deg", "3.1415927 degrees");
    expect(c, "1 turn", "6.2831855 degrees");
    expect(c, "6 m / 2 s", "3 m/s");
    expect(c, "2 m * 3 m", "6 m^2");
    expect(c, "sqrt(9 m^2)", "3 meters");
    expect(c, "6 m / 2 m", "3");
    expect(c, "max(0, 2 m)", "2 meters");
    expect(c, "mix(2 m, 4 m, 0.5)", "3 meters");
    expect(c, "if 2 m > 0 { 1 } else { 2 }", "1");
}

static void tuples_lists_and_records_compute(void **state)
{
    mr_context *c = *state;
    expect(c, "(1, 2) + (3, 4)", "(4, 6)");
    expect(c, "(1 m, 2 m) * 2", "(2 meters, 4 meters)");
    expect(c, "(1 m, 2 m) + (1 m, 5 m, 1 m)", "(2 meters, 3 meters)");
    expect(c, "-(1, 2)", "(-1, -2)");
    expect(c, "[3, 1, 2].sort()", "[1, 2, 3]");
    expect(c, "[3, 1, 2].map(x => x * 2)", "[6, 2, 4]");
    expect(c, "[3, 1, 2].map(fn(k, x) { k * 10 + x })", "[3, 11, 22]");
    expect(c, "[(1, 2), (3, 4)].map((a, b) => a + b)", "[3, 7]");
    expect(c, "[3, 1, 2].filter(x => x > 1).sum()", "5");
    expect(c, "[5, 6].numbered()", "[(0, 5), (1, 6)]");
    expect(c, "[5, 6].zip([7, 8, 9])", "[(5, 7), (6, 8)]");
    expect(c, "[5, 6, 7].reversed().at(0)", "7");
    expect(c, "[5, 6, 7].len", "3");
    expect(c, "[5, 6, 7].count(x => x > 5)", "2");
    expect(c, "[5, 6, 7].find(x => x > 5)", "6");
    expect(c, "[5, 6, 7].first() + [5, 6, 7].last()", "12");
    expect(c, "[2 m, 5 m].max()", "5 meters");
    expect(c, "[\"b\", \"a\"].sort()", "[\"a\", \"b\"]");
    expect(c, "(width: 2 m, tall: true).width", "2 meters");
    expect(c, "[4, 5][1]", "5");
    expect(c, "{ let a = 2; let (b, d) = (3, 4); a * b + d }", "10");
    expect(c, "override((levels: [(n: 1), (n: 2)], k: 3), path: levels[1].n, value: 9)",
           "(levels: [(n: 1), (n: 9)], k: 3)");
    expect(c, "text(2.5) + \"!\"", "\"2.5!\"");
}

static void functions_and_records_of_the_world(void **state)
{
    mr_context *c = *state;
    expect_world(c, "fn twice(x) { x * 2 }\nfield it = twice(4 m)\n", "8 meters");
    expect_world(c,
                 "fn power(x: number, n: int) number { if n == 0 { 1 } else { x * power(x, n - 1) } }\nfield "
                 "it = power(2, 5)\n",
                 "32");
    expect_world(
        c, "record level(branches: int, angle: degrees = 0 deg)\nfield it = level(branches: 3).branches\n",
        "3");
    expect_world(c, "field a = b + 1\nfield b = 2\nfield it = a * b\n", "6");
    expect_world(c, "part p\n  field x = 2\n  part q\n    field y = x + 1\nfield it = p.q.y\n", "3");
    expect_world(c,
                 "part p\n  part q[7]\n    field y = 1\n  part q[3]\n    field y = 2\nfield it = (p.q[3].y, "
                 "p.q.at(0).y)\n",
                 "(2, 1)");
    expect_world(c,
                 "part p\n  each k in 0 ..< 3 {\n    part q[2 * k]\n      field y = k\n  }\nfield it = "
                 "p.q.map(x => x.y).sum()\n",
                 "3");
    expect_world(c,
                 "part d\n  field h: meters, within: 5 ..= 15\n  field twice = h * 2\npart e: d(h: 6 "
                 "m)\nfield it = e.twice\n",
                 "12 meters");
    expect_world(c, "part d\n  field h: meters, default: 7 m\npart e: d\nfield it = e.h\n", "7 meters");
    expect_world(c, "part d\n  field h: meters\npart e: d, h: 3 m\nfield it = e.h\n", "3 meters");
    expect_world(c, "field it = oneOf([1, 2, 3, 4, 5], seed: 12)\n", "1"); // pcg(pcg(12)) % 5 is 0
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_f32_and_whole_numbers_are_64_bit),
        cmocka_unit_test(quantities_carry_their_dimension),
        cmocka_unit_test(tuples_lists_and_records_compute),
        cmocka_unit_test(functions_and_records_of_the_world),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
