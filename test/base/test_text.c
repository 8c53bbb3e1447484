// Formatting, growing text, names, UTF-8, digests.

#include "support.h"

#include "base/digest.h"

#include <limits.h>
#include <math.h>
#include <xxhash.h>

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wformat-overflow"
#endif

#define assert_formats(...)                                                                                  \
    do {                                                                                                     \
        char ours_[256], theirs_[256];                                                                       \
        size_t size_ = mr_text_format(ours_, sizeof ours_, __VA_ARGS__);                                     \
        int length_ = snprintf(theirs_, sizeof theirs_, __VA_ARGS__);                                        \
        assert_string_equal(ours_, theirs_);                                                                 \
        assert_int_equal(size_, length_);                                                                    \
    } while (0)

static void formats_of_integers_and_text_equal_printf(void **state)
{
    static const int64_t values[] = { 0,
                                      1,
                                      -1,
                                      42,
                                      -42,
                                      127,
                                      128,
                                      -128,
                                      255,
                                      256,
                                      32767,
                                      -32768,
                                      65535,
                                      65536,
                                      INT_MAX,
                                      INT_MIN,
                                      INT64_MAX,
                                      INT64_MIN,
                                      1234567890123456789 };
    static const char *const flags[] = { "", "0", "-", "+", " ", "-0", "+0" };
    static const char *const widths[] = { "", "1", "5", "12", "25" };
    static const char *const precisions[] = { "", ".0", ".1", ".8" };
    static const char *const sizes[] = { "hh", "h", "", "l", "ll", "z", "j", "t" };
    static const char kinds[] = "diuxX";
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        for (size_t i = 0; i < 7 * 5 * 4 * 8 * 5; i++) {
            char format[32];
            snprintf(format, sizeof format, "<%%%s%s%s%s%c>", flags[i % 7], widths[i / 7 % 5],
                     precisions[i / 35 % 4], sizes[i / 140 % 8], kinds[i / 1120]);
            if (strlen(sizes[i / 140 % 8]) == 0 || sizes[i / 140 % 8][0] == 'h') {
                assert_formats(format, (int)values[v]);
            } else {
                assert_formats(format, (long long)values[v]);
            }
        }
    }
    assert_formats("%s|%10s|%-10s|%.3s|%.*s|%c|%3c|%-3c|%%|%*d|%-*d|%*d", "text", "right", "left", "cut off",
                   2, "given", 'c', 'd', 'e', 5, 42, 5, 42, -5, 42);
    assert_formats("%.0s%s", "hidden", "");
    assert_formats("plain");
    assert_formats("%g %e %f %.3f %10.2f %-10.1f| %010.1f %+g % g", 1e100, 1.5, 2.5, 1.0005, 3.14159, 2.0,
                   -2.5, 1.0, 2.0);
    assert_formats("%.0f %.0f %.0f %.0f %.1f %.20f", 0.5, 1.5, 2.5, 1e22, 0.05, 0.1);
    assert_formats("%f %g %e %5f|%-8g|%08f", (double)INFINITY, -(double)INFINITY, (double)INFINITY,
                   (double)INFINITY, (double)INFINITY, -(double)INFINITY);
    char text[64];
    mr_text_format(text, sizeof text, "%s %f", (const char *)NULL, -(double)NAN);
    assert_string_equal(text, "(null) nan");
}

static void formatted_text_is_cut_to_its_room(void **state)
{
    char out[8] = "#######";
    assert_int_equal(mr_text_format(out, 4, "%s", "longer"), 6);
    assert_string_equal(out, "lon");
    assert_int_equal(out[4], '#');
    assert_int_equal(mr_text_format(out, 1, "%d", 12345), 5);
    assert_string_equal(out, "");
    assert_int_equal(mr_text_format(NULL, 0, "%0100d", 1), 100);
    assert_int_equal(mr_text_format(out, sizeof out, "%.300f", 1e300), 301 + 1 + 300);
    assert_string_equal(out, "1000000");
    mr_text_format(out, sizeof out, "%q");
    assert_string_equal(out, "%q");
    mr_text_format(out, sizeof out, "%");
    assert_string_equal(out, "%");
}

static void text_grows_and_says_once_that_it_failed(void **state)
{
    mr_context *context = *state;
    mr_text text;
    mr_error error = { 0 };
    mr_text_init(&text, context);
    test_assert_ok(mr_text_finish(&text, &error), &error);
    assert_string_equal(text.data, "");
    char expected[20000];
    size_t size = 0;
    for (int i = 0; i < 1000; i++) {
        mr_text_print(&text, "%d;", i);
        size += (size_t)snprintf(expected + size, sizeof expected - size, "%d;", i);
    }
    mr_text_print(&text, "%0500d", 1);
    size += (size_t)snprintf(expected + size, sizeof expected - size, "%0500d", 1);
    mr_text_add_view(&text, MR_VIEW("end"));
    memcpy(expected + size, "end", 4);
    test_assert_ok(mr_text_finish(&text, &error), &error);
    assert_string_equal(text.data, expected);
    assert_int_equal(text.size, size + 3);
    mr_memory_fail_after(context, 1, false);
    for (int i = 0; i < 1000; i++) {
        mr_text_print(&text, "%0300d", i);
    }
    assert_false(mr_text_finish(&text, &error));
    assert_int_equal(error.status, MR_OUT_OF_MEMORY);
    mr_text_destroy(&text);
}

// The definition, by recursion: the distance of prefixes i and j.
static uint32_t slow_distance(const char *a, size_t i, const char *b, size_t j)
{
    if (i == 0 || j == 0) {
        return (uint32_t)(i + j);
    }
    uint32_t best = slow_distance(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
    uint32_t dropped = slow_distance(a, i - 1, b, j) + 1, added = slow_distance(a, i, b, j - 1) + 1;
    best = dropped < best ? dropped : best;
    best = added < best ? added : best;
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        uint32_t swapped = slow_distance(a, i - 2, b, j - 2) + 1;
        best = swapped < best ? swapped : best;
    }
    return best;
}

static void edit_distance_equals_its_definition(void **state)
{
    test_random random = { 1 };
    for (size_t i = 0; i < test_count(400); i++) {
        char a[8], b[8];
        size_t sizes[2] = { test_below(&random, 7), test_below(&random, 7) };
        for (size_t k = 0; k < 7; k++) {
            a[k] = (char)('a' + test_below(&random, 3));
            b[k] = (char)('a' + test_below(&random, 3));
        }
        assert_int_equal(mr_edit_distance((mr_view){ a, sizes[0] }, (mr_view){ b, sizes[1] }),
                         slow_distance(a, sizes[0], b, sizes[1]));
    }
    char longer[1000];
    memset(longer, 'x', sizeof longer);
    assert_true(mr_edit_distance((mr_view){ longer, sizeof longer }, MR_VIEW("x")) >= 800);
}

static void the_nearest_name_is_offered_only_when_near(void **state)
{
    static const char *const names[] = {
        "radius", "height", "seed", "featureSize", "amplitude", "at", "sees"
    };
    enum { COUNT = sizeof names / sizeof names[0] };
    assert_string_equal(mr_nearest_name("raduis", names, COUNT), "radius");
    assert_string_equal(mr_nearest_name("hight", names, COUNT), "height");
    assert_string_equal(mr_nearest_name("sede", names, COUNT), "seed");
    assert_string_equal(mr_nearest_name("seeds", names, COUNT), "seed"); // a tie takes the earlier
    assert_string_equal(mr_nearest_name("featuresize", names, COUNT), "featureSize");
    assert_string_equal(mr_nearest_name("ay", names, COUNT), "at");
    assert_null(mr_nearest_name("density", names, COUNT));
    assert_null(mr_nearest_name("", names, 1));
    assert_null(mr_nearest_name("radius", names, 0));
}

static void views_compare_by_bytes(void **state)
{
    assert_true(mr_view_compare(MR_VIEW("a"), MR_VIEW("b")) < 0);
    assert_true(mr_view_compare(MR_VIEW("ab"), MR_VIEW("a")) > 0);
    assert_true(mr_view_compare(MR_VIEW("\xc3"), MR_VIEW("z")) > 0);
    assert_true(mr_view_compare(MR_VIEW(""), (mr_view){ NULL, 0 }) == 0);
    assert_true(mr_view_equal(MR_VIEW(""), (mr_view){ NULL, 0 }));
}

// Every code point goes there and back; everything that is not well-formed is told.
static void utf8_is_told_from_what_is_not(void **state)
{
    for (uint32_t point = 0; point < 0x110000; point++) {
        char bytes[4];
        size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        static const unsigned char leads[5] = { 0, 0, 0xc0, 0xe0, 0xf0 };
        for (size_t i = 0; i < size; i++) {
            uint32_t part = point >> (6 * (size - 1 - i));
            bytes[i] = (char)(i ? 0x80 | (part & 0x3f) : size == 1 ? part : leads[size] | part);
        }
        mr_view view = { bytes, size };
        size_t at = 0;
        bool surrogate = point >= 0xd800 && point < 0xe000;
        assert_int_equal(mr_utf8_valid(view), !surrogate);
        uint32_t back = mr_utf8_next(view, &at);
        assert_int_equal(back, surrogate ? 0xfffd : point);
        assert_int_equal(at, surrogate ? 1 : size);
        for (size_t cut = 1; cut < size; cut++) {
            assert_false(mr_utf8_valid((mr_view){ bytes, cut }));
        }
    }
    static const char *const bad[] = { "\x80",
                                       "\xc0\x80",
                                       "\xc1\xbf",
                                       "\xe0\x9f\xbf",
                                       "\xf0\x8f\xbf\xbf",
                                       "\xf4\x90\x80\x80",
                                       "\xf8\x88\x80\x80\x80",
                                       "\xff",
                                       "a\xc3",
                                       "\xc3(" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(mr_utf8_valid(mr_view_of(bad[i])));
    }
    assert_true(mr_utf8_valid(MR_VIEW("")));
}

// The chain as digest.h writes it down, worked again with xxHash alone.
static void a_digest_is_the_chain_that_is_written_down(void **state)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_digest_u64(&digester, 7);
    mr_digest_text(&digester, MR_VIEW("fbm"));
    mr_digest_bytes(&digester, "fbm", 3);
    mr_digest_f64(&digester, -0.0);
    mr_digest_f64(&digester, -(double)NAN);
    XXH128_hash_t fbm = XXH3_128bits("fbm", 3);
    const uint64_t steps[5][4] = { { 3, 8, 7, 0 },
                                   { 2, 3, fbm.low64, fbm.high64 },
                                   { 1, 3, fbm.low64, fbm.high64 },
                                   { 4, 8, 0x8000000000000000u, 0 },
                                   { 4, 8, 0x7ff8000000000000u, 0 } };
    uint64_t low = 0, high = 0;
    for (int i = 0; i < 5; i++) {
        const uint64_t message[6] = { low, high, steps[i][0], steps[i][1], steps[i][2], steps[i][3] };
        XXH128_hash_t hash = XXH3_128bits(message, sizeof message);
        low = hash.low64;
        high = hash.high64;
    }
    mr_digest digest = mr_digest_end(&digester);
    assert_true(mr_digest_equal(digest, (mr_digest){ low, high }));
    char hex[33], expected[33];
    mr_digest_hex(digest, hex);
    snprintf(expected, sizeof expected, "%016llx%016llx", (unsigned long long)high, (unsigned long long)low);
    assert_string_equal(hex, expected);
    mr_digest_hex((mr_digest){ 0xa, 0xb }, hex);
    assert_string_equal(hex, "000000000000000b000000000000000a");
}

static void different_additions_give_different_digests(void **state)
{
    mr_digest digests[8];
    for (int i = 0; i < 8; i++) {
        mr_digester digester;
        mr_digest_begin(&digester);
        switch (i) {
        case 0:
            break;
        case 1:
            mr_digest_bytes(&digester, NULL, 0);
            break;
        case 2:
            mr_digest_text(&digester, (mr_view){ NULL, 0 });
            break;
        case 3:
            mr_digest_text(&digester, MR_VIEW("ab"));
            mr_digest_text(&digester, MR_VIEW("c"));
            break;
        case 4:
            mr_digest_text(&digester, MR_VIEW("a"));
            mr_digest_text(&digester, MR_VIEW("bc"));
            break;
        case 5:
            mr_digest_u64(&digester, 0);
            break;
        case 6:
            mr_digest_f64(&digester, 0.0);
            break;
        default:
            mr_digest_f64(&digester, -0.0);
        }
        digests[i] = mr_digest_end(&digester);
        for (int k = 0; k < i; k++) {
            assert_false(mr_digest_equal(digests[i], digests[k]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_of_integers_and_text_equal_printf),
        cmocka_unit_test(formatted_text_is_cut_to_its_room),
        cmocka_unit_test_setup_teardown(text_grows_and_says_once_that_it_failed, test_setup, test_teardown),
        cmocka_unit_test(edit_distance_equals_its_definition),
        cmocka_unit_test(the_nearest_name_is_offered_only_when_near),
        cmocka_unit_test(views_compare_by_bytes),
        cmocka_unit_test(utf8_is_told_from_what_is_not),
        cmocka_unit_test(a_digest_is_the_chain_that_is_written_down),
        cmocka_unit_test(different_additions_give_different_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
