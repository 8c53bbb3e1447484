// The two helpers that other kernels are built on: where runs begin, and which elements are kept.

#include "kernel/compact.h"
#include "kernel/scan.h"
#include "support.h"

static const size_t sizes[] = { 0,     1,     2,     3,     100,    8191,   8192,  8193,
                                32767, 32768, 32769, 65536, 131071, 262145, 500001 };
enum { SIZES = sizeof sizes / sizeof sizes[0], MOST = 500001 };
static uint32_t input[MOST], got[MOST], places[MOST];

static size_t any_size(test_random *random)
{
    return test_below(random, 8) ? test_below(random, 300) : sizes[test_below(random, SIZES)];
}

static void offsets_are_the_sums_before(void **state)
{
    test_random random = { 1 };
    mr_context *contexts[] = { test_context_of(1, 0), test_context_of(7, 0) };
    for (size_t n = 0; n < SIZES + test_count(3000); n++) {
        size_t count = n < SIZES ? sizes[n] : any_size(&random);
        for (size_t i = 0; i < count; i++) {
            input[i] = got[i] = test_below(&random, n % 3 ? 9 : 8000);
        }
        uint64_t total = 1, sum = 0;
        mr_error error;
        bool aliased = n % 2;
        test_assert_ok(mr_scan_counts(contexts[n % 4 / 2], aliased ? got : input, count, got, &total, &error),
                       &error);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(got[i], sum);
            sum += input[i];
        }
        assert_int_equal(total, sum);
    }
    test_context_end(contexts[0]);
    test_context_end(contexts[1]);
}

static void offsets_past_32_bits_are_refused_and_totals_are_not(void **state)
{
    uint32_t counts[] = { 0xffffffff, 0, 0xffffffff }, offsets[3] = { 7, 7, 7 };
    uint64_t total = 0;
    mr_error error;
    test_assert_ok(mr_scan_counts(*state, counts, 3, offsets, &total, &error), &error);
    assert_int_equal(offsets[2], 0xffffffff);
    assert_true(total == 0x1fffffffe);
    counts[1] = 1;
    offsets[2] = 7;
    assert_false(mr_scan_counts(*state, counts, 3, offsets, &total, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_int_equal(offsets[2], 7);
}

static void what_is_kept_is_listed_in_order(void **state)
{
    test_random random = { 2 };
    mr_context *contexts[] = { test_context_of(1, 0), test_context_of(7, 0) };
    for (size_t n = 0; n < SIZES + test_count(3000); n++) {
        size_t count = n < SIZES ? sizes[n] : any_size(&random), kept = 9;
        size_t first = n % 3 ? 0 : test_below(&random, 20), want = 0;
        size_t room = n % 5 ? first + count : test_below(&random, (uint32_t)count + 30);
        uint32_t chance = test_below(&random, 11);
        for (size_t i = 0; i < count; i++) {
            input[i] = test_below(&random, 10) < chance ? test_u32(&random) | 1 : 0;
        }
        room = room < MOST ? room : MOST;
        memset(got, 0xee, sizeof got);
        mr_compact_answer answer = { got, room, first, n % 2 ? places : NULL };
        mr_error error;
        test_assert_ok(mr_compact(contexts[n % 4 / 2], input, count, &answer, &kept, &error), &error);
        for (size_t i = 0; i < count; i++) {
            if (answer.inverse) {
                assert_int_equal(places[i], input[i] ? first + want : UINT32_MAX);
            }
            if (input[i] && first + want < room) {
                assert_int_equal(got[first + want], i);
            }
            want += input[i] != 0;
        }
        assert_int_equal(kept, want);
        assert_true(first == 0 || got[first - 1] == 0xeeeeeeee);
        size_t end = first + want < room ? first + want : room;
        assert_true(end >= MOST || got[end] == 0xeeeeeeee);
        if (room == first + count && first == 0) {
            test_assert_ok(mr_compact_indices(*state, input, count, places, &kept, &error), &error);
            assert_memory_equal(places, got, kept * sizeof *got);
        }
    }
    test_context_end(contexts[0]);
    test_context_end(contexts[1]);
}

static void failing_memory_and_a_cancel_are_errors(void **state)
{
    mr_context *context = test_context_of(1, 0);
    uint64_t total;
    size_t kept;
    mr_error error;
    mr_memory_fail_after(context, 1, true);
    assert_false(mr_scan_counts(context, input, 1000, got, &total, &error));
    assert_int_equal(error.status, MR_OUT_OF_MEMORY);
    assert_false(mr_compact_indices(context, input, 1000, got, &kept, &error));
    assert_int_equal(error.status, MR_OUT_OF_MEMORY);
    mr_memory_fail_after(context, 0, false);
    mr_context_cancel(context);
    assert_false(mr_scan_counts(context, input, 1000, got, &total, &error));
    assert_int_equal(error.status, MR_CANCELLED);
    assert_false(mr_compact_indices(context, input, 1000, got, &kept, &error));
    assert_int_equal(error.status, MR_CANCELLED);
    mr_context_resume(context);
    test_context_end(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_the_sums_before),
        cmocka_unit_test_setup_teardown(offsets_past_32_bits_are_refused_and_totals_are_not, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(what_is_kept_is_listed_in_order, test_setup, test_teardown),
        cmocka_unit_test(failing_memory_and_a_cancel_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
