// sort, search and order_key, held to what the numbers are: a merge sort and a walk along the column by comparing them.

#include "kernel/random_words.h"
#include "kernel/run_kernel.h"

#include "kernel/order_key.h"

enum { MOST = 3000, LARGE = 200000 };

static const mr_element elements[] = { MR_F32, MR_I32, MR_U32 };
static const mr_column_type types[] = { MR_COLUMN_FLOAT, MR_COLUMN_INT, MR_COLUMN_UINT };
static const char *const names[] = { "f32", "i32", "u32" };

// Stable, by halves.
static void merge_sort(mr_element element, bool descending, const uint32_t *words, int32_t *perm,
                       int32_t *scratch, size_t count)
{
    if (count < 2) {
        return;
    }
    size_t half = count / 2, a = 0, b = half;
    merge_sort(element, descending, words, perm, scratch, half);
    merge_sort(element, descending, words, perm + half, scratch, count - half);
    for (size_t i = 0; i < count; i++) {
        bool right = false;
        if (a < half && b < count) {
            uint32_t x = words[perm[a]], y = words[perm[b]];
            right = descending ? word_before(element, x, y) : word_before(element, y, x);
        }
        scratch[i] = perm[a == half || right ? b++ : a++];
    }
    memcpy(perm, scratch, count * sizeof *perm);
}

static size_t random_size(test_random *random)
{
    static const size_t sizes[] = { 0, 1, 2, 3, 47, 48, 49, 50, 300, MOST };
    return test_below(random, 5) ? test_below(random, 60) : sizes[test_below(random, 10)];
}

static void check_sort(mr_context *context, test_random *random, size_t n)
{
    static uint32_t words[LARGE];
    static int32_t want[LARGE], scratch[LARGE];
    uint32_t kind = test_below(random, 3);
    bool descending = test_below(random, 2);
    long live = test_below(random, 2) ? (long)test_below(random, (uint32_t)n + 3) : -1;
    size_t held = live < 0 || (size_t)live > n ? n : (size_t)live;
    for (size_t i = 0; i < n; i++) {
        words[i] = random_word(random, elements[kind]);
        want[i] = (int32_t)i;
    }
    merge_sort(elements[kind], descending, words, want, scratch, held);
    kernel_run run;
    kernel_begin(&run, context, "sort", n, live);
    kernel_bind_as(&run, "keys", types[kind], words, n);
    if (test_below(random, 2)) {
        kernel_choose(&run, "KEY", names[kind]);
    }
    if (descending || test_below(random, 2)) {
        kernel_param(&run, "descending", descending);
    }
    kernel_go_ok(&run);
    assert_out(&run, "perm", want, n);
    kernel_end(&run);
}

static void sort_is_the_stable_order_of_the_numbers(void **state)
{
    test_random random = { 11 };
    for (size_t i = 0; i < test_count(12000); i++) {
        check_sort(*state, &random, random_size(&random));
    }
}

static void sort_is_one_order_on_any_threads(void **state)
{
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        test_random random = { 12 };
        for (size_t i = 0; i < test_count(3); i++) {
            check_sort(context, &random, LARGE - i);
        }
        test_context_end(context);
    }
}

static void sort_casts_by_value_and_refuses(void **state)
{
    static const int32_t want_floats[] = { 1, 2, 0 }, want_ints[] = { 0, 1, 2 };
    static const float floats[] = { 1.9f, 1.2f, 1.5f };
    kernel_run run;
    kernel_begin(&run, *state, "sort", 3, -1); // KEY follows the column
    kernel_bind_as(&run, "keys", MR_COLUMN_FLOAT, floats, 3);
    kernel_go_ok(&run);
    assert_out(&run, "perm", want_floats, 3);
    kernel_end(&run);
    kernel_begin(&run, *state, "sort", 3, -1); // all are 1
    kernel_bind_as(&run, "keys", MR_COLUMN_FLOAT, floats, 3);
    kernel_choose(&run, "KEY", "i32");
    kernel_go_ok(&run);
    assert_out(&run, "perm", want_ints, 3);
    kernel_end(&run);
    kernel_begin(&run, *state, "sort", 4, -1);
    kernel_bind_as(&run, "keys", MR_COLUMN_FLOAT, floats, 3);
    kernel_refused(&run, "keys");
    kernel_begin(&run, *state, "sort", 3, -1);
    kernel_bind_as(&run, "keys", MR_COLUMN_FLOAT, floats, 3);
    kernel_param(&run, "descending", 2);
    kernel_refused(&run, "descending");
    kernel_begin(&run, *state, "sort", 1, -1);
    kernel_bind_as(&run, "keys", MR_COLUMN_VEC3, floats, 1);
    kernel_refused(&run, "keys");
    kernel_begin(&run, *state, "sort", 1, -1);
    kernel_refused(&run, "keys");
}

static void search_finds_what_a_walk_finds(void **state)
{
    test_random random = { 13 };
    static uint32_t sorted[MOST], words[MOST], queries[200];
    static int32_t perm[MOST], scratch[MOST], want[200];
    for (size_t i = 0; i < test_count(3000); i++) {
        size_t count = random_size(&random), n = test_below(&random, 60);
        uint32_t kind = test_below(&random, 3);
        bool upper = test_below(&random, 2);
        for (size_t k = 0; k < count; k++) {
            words[k] = random_word(&random, elements[kind]);
            perm[k] = (int32_t)k;
        }
        merge_sort(elements[kind], false, words, perm, scratch, count);
        for (size_t k = 0; k < count; k++) {
            sorted[k] = words[perm[k]];
        }
        for (size_t k = 0; k < n; k++) {
            queries[k] = random_word(&random, elements[kind]);
            size_t at = 0;
            while (at < count && (upper ? !word_before(elements[kind], queries[k], sorted[at])
                                        : word_before(elements[kind], sorted[at], queries[k]))) {
                at++;
            }
            want[k] = (int32_t)at;
        }
        kernel_run run;
        kernel_begin(&run, *state, "search", n, -1);
        kernel_bind_as(&run, "sorted", types[kind], sorted, count);
        kernel_bind_as(&run, "queries", types[kind], queries, n);
        if (upper || test_below(&random, 2)) {
            kernel_choose(&run, "SIDE", upper ? "upper" : "lower");
        }
        kernel_go_ok(&run);
        assert_out(&run, "place", want, n);
        kernel_end(&run);
    }
}

static void search_stays_inside_a_column_that_is_not_sorted(void **state)
{
    test_random random = { 14 };
    uint32_t words[100];
    for (size_t i = 0; i < test_count(1000); i++) {
        size_t count = test_below(&random, 100);
        for (size_t k = 0; k < 100; k++) {
            words[k] = random_f32(&random);
        }
        kernel_run run;
        kernel_begin(&run, *state, "search", 100, -1);
        kernel_bind_as(&run, "sorted", MR_COLUMN_FLOAT, words, count);
        kernel_bind_as(&run, "queries", MR_COLUMN_FLOAT, words, 100);
        kernel_go_ok(&run);
        const int32_t *place = kernel_out(&run, "place");
        for (size_t k = 0; k < 100; k++) {
            assert_in_range((uint32_t)place[k], 0, count);
        }
        kernel_end(&run);
    }
}

static void search_is_the_same_on_any_threads_and_refuses(void **state)
{
    static float sorted[MOST], queries[LARGE];
    static int32_t want[LARGE];
    test_random random = { 15 };
    for (size_t i = 0; i < MOST; i++) {
        sorted[i] = (float)(i / 2);
    }
    for (size_t i = 0; i < LARGE; i++) {
        float at = queries[i] = (float)test_below(&random, 2 * MOST) / 2;
        size_t whole = (size_t)at;
        want[i] = 2 * whole + 2 < MOST ? (int32_t)(2 * whole + 2) : MOST;
    }
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        kernel_run run;
        kernel_begin(&run, context, "search", LARGE, -1);
        kernel_bind_as(&run, "sorted", MR_COLUMN_FLOAT, sorted, MOST);
        kernel_bind_as(&run, "queries", MR_COLUMN_FLOAT, queries, LARGE);
        kernel_choose(&run, "SIDE", "upper");
        kernel_go_ok(&run);
        assert_out(&run, "place", want, LARGE);
        kernel_end(&run);
        test_context_end(context);
    }
    kernel_run run;
    kernel_begin(&run, *state, "search", 4, -1);
    kernel_bind_as(&run, "sorted", MR_COLUMN_FLOAT, sorted, 4);
    kernel_bind_as(&run, "queries", MR_COLUMN_FLOAT, queries, 3);
    kernel_refused(&run, "queries");
    kernel_begin(&run, *state, "search", 4, -1);
    kernel_bind_as(&run, "queries", MR_COLUMN_FLOAT, queries, 4);
    kernel_refused(&run, "sorted");
    kernel_begin(&run, *state, "search", 4, -1);
    kernel_bind_as(&run, "sorted", MR_COLUMN_FLOAT, sorted, 4);
    kernel_bind_as(&run, "queries", MR_COLUMN_FLOAT, queries, 4);
    kernel_choose(&run, "SIDE", "middle");
    kernel_refused(&run, "SIDE");
}

static void order_keys_follow_the_numbers_and_come_back(void **state)
{
    test_random random = { 16 };
    for (size_t i = 0; i < test_count(200000); i++) {
        bool is_float = test_below(&random, 2);
        mr_element element = is_float ? MR_F32 : MR_I32;
        uint32_t a = random_word(&random, element), b = random_word(&random, element),
                 any = test_u32(&random);
        assert_int_equal(mr_order_word(mr_order_key(a, is_float), is_float), a);
        assert_int_equal(mr_order_word(mr_order_key(any, is_float), is_float), any);
        assert_int_equal(mr_order_key(mr_order_word(any, is_float), is_float), any);
        if (word_before(element, a, b)) {
            assert_true(mr_order_key(a, is_float) < mr_order_key(b, is_float));
            assert_true(mr_sort_key(a, is_float) < mr_sort_key(b, is_float));
        } else if (!word_before(element, b, a)) {
            assert_true(mr_sort_key(a, is_float) == mr_sort_key(b, is_float));
        }
    }
    assert_true(mr_order_key(0x80000000u, true) + 1 == mr_order_key(0, true)); // -0 just below +0
    assert_true(mr_sort_key(0xffc00001u, true) == mr_sort_key(0x7f800001u, true));
    kernel_run run;
    kernel_begin(&run, *state, "order_key", 1, -1);
    kernel_refused(&run, "library of functions");
}

static void failing_memory_is_an_error(void **state)
{
    static int32_t keys[1000];
    test_random random = { 17 };
    mr_context *context = test_context_of(2, 0);
    for (size_t i = 0; i < 1000; i++) {
        keys[i] = (int32_t)test_u32(&random);
    }
    kernel_run run;
    kernel_begin(&run, context, "sort", 1000, -1);
    kernel_bind(&run, "keys", keys, 1000);
    bool good = false;
    for (uint64_t site = 1; !good && site < 1000; site++) {
        mr_buffer_trim(context);
        mr_memory_fail_after(context, site, true);
        good = kernel_go(&run);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || run.error.status == MR_OUT_OF_MEMORY);
    }
    assert_true(good);
    kernel_end(&run);
    test_context_end(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sort_is_the_stable_order_of_the_numbers, test_setup, test_teardown),
        cmocka_unit_test(sort_is_one_order_on_any_threads),
        cmocka_unit_test_setup_teardown(sort_casts_by_value_and_refuses, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(search_finds_what_a_walk_finds, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(search_stays_inside_a_column_that_is_not_sorted, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(search_is_the_same_on_any_threads_and_refuses, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(order_keys_follow_the_numbers_and_come_back, test_setup,
                                        test_teardown),
        cmocka_unit_test(failing_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
