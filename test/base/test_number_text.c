// Number text against the C library's, in the C locale, which is exact on glibc.

#include "support.h"

#include "base/number_text.h"

#include <math.h>
#include <time.h>

static double f64_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static uint64_t bits_of_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static float f32_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static uint32_t bits_of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Numbers of every kind: any bits, few digits, halves, near powers of two and of ten, subnormals.
static double any_f64(test_random *random, size_t i)
{
    switch (i % 8) {
    case 0:
        return (double)(int32_t)test_u32(random) / pow(10, test_below(random, 12));
    case 1:
        return ldexp(1.0 + (double)test_below(random, 3) * 0x1p-52, (int)test_below(random, 2098) - 1074);
    case 2:
        return test_between(random, -1e4, 1e4);
    case 3:
        return f64_of(test_u64(random) >> (12 + test_below(random, 52)));
    case 4:
        return (double)(float)test_between(random, -2000, 2000);
    case 5:
        return nextafter(pow(10, (int)test_below(random, 617) - 308), test_u32(random) & 1 ? 0 : INFINITY);
    default:
        return f64_of(test_u64(random));
    }
}

static float any_f32(test_random *random, size_t i)
{
    switch (i % 4) {
    case 0:
        return (float)any_f64(random, i / 4);
    case 1:
        return ldexpf(1.0f + (float)test_below(random, 3) * 0x1p-23f, (int)test_below(random, 277) - 149);
    default:
        return f32_of(test_u32(random));
    }
}

static void general_text_equals_printf(void **state)
{
    test_random random = { 1 };
    char ours[MR_NUMBER_TEXT_SIZE], theirs[64];
    for (size_t i = 0, n = test_count(300000); i < n; i++) {
        double value = any_f64(&random, i);
        int digits = 1 + (int)test_below(&random, 17);
        if (isnan(value)) {
            continue;
        }
        size_t size = mr_f64_text_general(value, digits, ours);
        snprintf(theirs, sizeof theirs, "%.*g", digits, value);
        assert_string_equal(ours, theirs);
        assert_int_equal(size, strlen(theirs));
    }
}

static void format_of_doubles_equals_printf(void **state)
{
    test_random random = { 2 };
    static const char *const formats[] = { "%.*f",     "%.*e",  "%.*g",    "%012.*f",
                                           "%-14.*e|", "%+.*f", "% 20.*g", "%020.*e" };
    static char ours[1024], theirs[1024];
    for (size_t i = 0, n = test_count(100000); i < n; i++) {
        double value = any_f64(&random, i);
        int digits = (int)test_below(&random, 30);
        const char *format = formats[i % 8];
        if (isnan(value) || (strchr(format, 'g') && digits > 17)) {
            continue;
        }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        size_t size = mr_text_format(ours, sizeof ours, format, digits, value);
        size_t length = (size_t)snprintf(theirs, sizeof theirs, format, digits, value);
#pragma GCC diagnostic pop
        assert_string_equal(ours, theirs);
        assert_int_equal(size, length);
    }
}

static void f64_parse_equals_strtod(void **state)
{
    test_random random = { 3 };
    char text[128];
    for (size_t i = 0, n = test_count(1000000); i < n; i++) {
        double value = any_f64(&random, i), ours = -1;
        if (!isfinite(value)) {
            continue;
        }
        snprintf(text, sizeof text, "%.*e", 1 + (int)test_below(&random, 24), fabs(value));
        assert_int_equal(mr_f64_parse(mr_view_of(text), &ours), strlen(text));
        if (bits_of_f64(ours) != bits_of_f64(strtod(text, NULL))) {
            fail_msg("%s: %a, strtod %a", text, ours, strtod(text, NULL));
        }
    }
}

static void f32_parse_equals_strtof(void **state)
{
    test_random random = { 4 };
    char text[128];
    for (size_t i = 0, n = test_count(1000000); i < n; i++) {
        float value = any_f32(&random, i), ours = -1;
        if (!isfinite(value)) {
            continue;
        }
        snprintf(text, sizeof text, "%.*e", 1 + (int)test_below(&random, 12), (double)fabsf(value));
        assert_int_equal(mr_f32_parse(mr_view_of(text), &ours), strlen(text));
        if (bits_of_f32(ours) != bits_of_f32(strtof(text, NULL))) {
            fail_msg("%s: %a, strtof %a", text, (double)ours, (double)strtof(text, NULL));
        }
    }
}

// Points halfway between two numbers, written out in full, and a last digit above or below.
static void parse_of_exact_halfway_points_goes_to_even(void **state)
{
    test_random random = { 5 };
    static char text[2048];
    for (size_t i = 0, n = test_count(20000); i < n; i++) {
        double value = fabs(any_f64(&random, i)), ours = -1;
        if (!isfinite(value) || value > 1e300 || value == 0) {
            continue;
        }
        __extension__ typedef long double wide; // x87's 64 bits hold the point halfway
        if (sizeof(wide) < 16) {
            break;
        }
        wide middle = ((wide)value + (wide)nextafter(value, INFINITY)) / 2;
        int size = snprintf(text, sizeof text, "%.1100Lf", middle);
        int change = (int)(i % 3);
        if (change == 1) {
            text[size - 1] = '1';
        } else if (change == 2 && size < 2000) {
            memset(text + size, '0', 40);
            text[size + 39] = '3';
            text[size + 40] = '\0';
        }
        size_t read = mr_f64_parse(mr_view_of(text), &ours);
        assert_int_equal(read, strlen(text));
        assert_int_equal(bits_of_f64(ours), bits_of_f64(strtod(text, NULL)));
    }
}

// No text with fewer digits reads back as the number, and none with as many is nearer.
static void check_shortest_f64(double value)
{
    char ours[MR_NUMBER_TEXT_SIZE], theirs[64];
    mr_f64_text(value, ours);
    if (bits_of_f64(strtod(ours, NULL)) != bits_of_f64(value)) {
        fail_msg("%a is written %s", value, ours);
    }
    char digits[32];
    size_t count = 0;
    for (const char *at = ours; *at && *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9' && (count || *at != '0')) {
            digits[count++] = *at;
        }
    }
    while (count && digits[count - 1] == '0') {
        count--;
    }
    if (count > 1) {
        // Any shorter decimal inside the bounds is a neighbour of the number: the one printf rounds to, or one up or
        // down in its last place.
        snprintf(theirs, sizeof theirs, "%.*e", (int)count - 2, value);
        double unit = strtod(theirs, NULL);
        if (bits_of_f64(unit) == bits_of_f64(value)) {
            fail_msg("%a is written %s, but %s is shorter", value, ours, theirs);
        }
    }
    snprintf(theirs, sizeof theirs, "%.*e", count ? (int)count - 1 : 0, value);
    if (bits_of_f64(strtod(theirs, NULL)) == bits_of_f64(value)) {
        assert_int_equal(bits_of_f64(strtod(theirs, NULL)), bits_of_f64(strtod(ours, NULL)));
        char again[64];
        snprintf(again, sizeof again, "%.*e", count ? (int)count - 1 : 0, strtod(ours, NULL));
        assert_string_equal(
            again, theirs); // the nearest of that many digits, when it reads back, is what is written
    }
}

static void f64_text_is_the_shortest_that_reads_back(void **state)
{
    test_random random = { 6 };
    for (size_t i = 0, n = test_count(200000); i < n; i++) {
        double value = any_f64(&random, i), back = 0;
        if (!isfinite(value)) {
            continue;
        }
        check_shortest_f64(value);
        char text[MR_NUMBER_TEXT_SIZE];
        size_t size = mr_f64_text(value, text);
        bool negative = text[0] == '-';
        assert_int_equal(mr_f64_parse((mr_view){ text + negative, size - negative }, &back), size - negative);
        assert_int_equal(bits_of_f64(negative ? -back : back), bits_of_f64(value));
    }
}

static void f32_text_is_the_shortest_that_reads_back(void **state)
{
    test_random random = { 7 };
    for (size_t i = 0, n = test_count(1000000); i < n; i++) {
        float value = any_f32(&random, i), back = 0;
        if (!isfinite(value)) {
            continue;
        }
        char text[MR_NUMBER_TEXT_SIZE], theirs[64];
        size_t size = mr_f32_text(value, text);
        bool negative = text[0] == '-';
        assert_int_equal(mr_f32_parse((mr_view){ text + negative, size - negative }, &back), size - negative);
        assert_int_equal(bits_of_f32(negative ? -back : back), bits_of_f32(value));
        if (i % 4) {
            continue;
        }
        int count = 1;
        for (; count < 9; count++) {
            snprintf(theirs, sizeof theirs, "%.*e", count - 1, (double)value);
            if (bits_of_f32(strtof(theirs, NULL)) == bits_of_f32(value)) {
                break;
            }
        }
        int digits = 0, zeros = 0;
        for (const char *at = text; *at && *at != 'e'; at++) {
            if (*at >= '0' && *at <= '9' && (digits || *at != '0')) {
                digits++;
                zeros = *at == '0' ? zeros + 1 : 0;
            }
        }
        if (digits - zeros > count) {
            fail_msg("%a is written %s, but %s is shorter", (double)value, text, theirs);
        }
    }
}

static void known_numbers_are_written_as_known(void **state)
{
    static const struct {
        double value;
        const char *text;
    } known[] = {
        { 0, "0" },
        { -0.0, "-0" },
        { 0.1, "0.1" },
        { 0.3, "0.3" },
        { 1e20, "1e+20" },
        { 1e17, "1e+17" },
        { 1e16, "10000000000000000" },
        { 1e-5, "0.00001" },
        { 1e-6, "1e-06" },
        { 123456.789, "123456.789" },
        { 5e-324, "5e-324" },
        { 1.7976931348623157e308, "1.7976931348623157e+308" },
        { 2.2250738585072014e-308, "2.2250738585072014e-308" },
        { 0x1p-44, "5.684341886080802e-14" }, // narrow below: the nearest of 16 digits does not read back
        { 9007199254740993.0, "9007199254740992" },
        { 9.5367431640625e-07, "9.5367431640625e-07" },
        { INFINITY, "inf" },
        { -INFINITY, "-inf" },
        { NAN, "nan" },
        { -NAN, "nan" },
    };
    char text[MR_NUMBER_TEXT_SIZE];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(mr_f64_text(known[i].value, text), strlen(known[i].text));
        assert_string_equal(text, known[i].text);
    }
    mr_f32_text(0.1f, text);
    assert_string_equal(text, "0.1");
    mr_f32_text(16777216.0f, text);
    assert_string_equal(text, "16777216");
    mr_f32_text(1e9f, text);
    assert_string_equal(text, "1e+09");
    mr_f32_text(0x1p-149f, text);
    assert_string_equal(text, "1e-45");
    mr_f32_text(3.4028235e38f, text);
    assert_string_equal(text, "3.4028235e+38");
}

static void parse_reads_as_much_as_is_a_number(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        double value;
    } cases[] = {
        { "12", 2, 12 },
        { "12abc", 2, 12 },
        { "1..5", 1, 1 },
        { "1.", 2, 1 },
        { "1.x", 2, 1 },
        { ".5", 2, 0.5 },
        { ".", 0, 0 },
        { "", 0, 0 },
        { "-1", 0, 0 },
        { " 1", 0, 0 },
        { "e5", 0, 0 },
        { "1e", 1, 1 },
        { "1e+", 1, 1 },
        { "1e+5x", 4, 1e5 },
        { "1E-2", 4, 0.01 },
        { "0x10", 1, 0 },
        { "1.5.5", 3, 1.5 },
        { "000.000", 7, 0 },
        { "0e999999999999999999999", 23, 0 },
        { "1e999999999999999999999", 23, INFINITY },
        { "1e-999999999999999999999", 24, 0 },
        { "1.7976931348623158e308", 22, 1.7976931348623157e308 },
        { "1.7976931348623159e308", 22, INFINITY },
        { "2.4703282292062327e-324", 23, 0 },
        { "2.4703282292062328e-324", 23, 5e-324 },
        { "9007199254740993", 16, 9007199254740992.0 },
        { "9007199254740993.00000000000000000000000000000001", 49, 9007199254740994.0 },
        { "inf", 0, 0 },
        { "nan", 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 0;
        assert_int_equal(mr_f64_parse(mr_view_of(cases[i].text), &value), cases[i].size);
        assert_int_equal(bits_of_f64(value), bits_of_f64(cases[i].value));
    }
}

static void parse_of_very_long_digits_is_exact(void **state)
{
    static char text[200000];
    double value;
    memset(text, '0', sizeof text);
    memcpy(text, "0.", 2);
    text[100000] = '1';
    memcpy(text + 100001, "e99999", 7);
    mr_f64_parse(mr_view_of(text), &value);
    assert_int_equal(bits_of_f64(value), bits_of_f64(1.0)); // 99,998 zeros, and the digit is the 99,999th

    // 2^-1074 halved, and a tail no one can hold in 800 digits.
    int size = snprintf(text, sizeof text, "%.1074f", 0x1p-1074);
    memmove(text + size, "5", 2);
    mr_f64_parse(mr_view_of(text), &value);
    assert_int_equal(bits_of_f64(value), bits_of_f64(strtod(text, NULL)));
    char tie[1200];
    size = snprintf(tie, sizeof tie, "9007199254740993.");
    memset(tie + size, '0', 900);
    tie[size + 900] = '\0';
    mr_f64_parse(mr_view_of(tie), &value);
    assert_int_equal(bits_of_f64(value), bits_of_f64(9007199254740992.0));
    tie[size + 899] = '1';
    mr_f64_parse(mr_view_of(tie), &value);
    assert_int_equal(bits_of_f64(value), bits_of_f64(9007199254740994.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers_are_written_as_known),
        cmocka_unit_test(parse_reads_as_much_as_is_a_number),
        cmocka_unit_test(parse_of_very_long_digits_is_exact),
        cmocka_unit_test(general_text_equals_printf),
        cmocka_unit_test(format_of_doubles_equals_printf),
        cmocka_unit_test(f64_parse_equals_strtod),
        cmocka_unit_test(f32_parse_equals_strtof),
        cmocka_unit_test(parse_of_exact_halfway_points_goes_to_even),
        cmocka_unit_test(f64_text_is_the_shortest_that_reads_back),
        cmocka_unit_test(f32_text_is_the_shortest_that_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
