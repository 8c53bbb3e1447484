// gather, held to copying one element after another.

#include "kernel/random_words.h"
#include "kernel/run_kernel.h"

enum { MOST = 300, LARGE = 60000 };

static const struct {
    mr_column_type type;
    uint32_t words;
    const char *name;
} types[] = {
    { MR_COLUMN_FLOAT, 1, "f32" },  { MR_COLUMN_INT, 1, "i32" },    { MR_COLUMN_VEC2, 2, "vec2" },
    { MR_COLUMN_VEC3, 3, "vec3" },  { MR_COLUMN_VEC4, 4, "vec4" },  { MR_COLUMN_INT2, 2, "ivec2" },
    { MR_COLUMN_INT3, 3, "ivec3" }, { MR_COLUMN_INT4, 4, "ivec4" }, { MR_COLUMN_UINT, 1, "u32" },
    { MR_COLUMN_MAT4, 16, "mat4" }, { MR_COLUMN_COLOR, 4, "vec4" },
};

static int32_t random_index(test_random *random, size_t held)
{
    static const int32_t strange[] = { -1, INT32_MIN, INT32_MAX };
    uint32_t kind = test_below(random, 8);
    return kind == 0 ? strange[test_below(random, 3)] : (int32_t)test_below(random, (uint32_t)held + 2);
}

static void check(mr_context *context, test_random *random, size_t held, size_t n)
{
    static uint32_t src[16 * LARGE];
    static int32_t index[LARGE], want[16 * LARGE];
    uint32_t kind = test_below(random, sizeof types / sizeof *types), words = types[kind].words;
    long live = test_below(random, 2) ? (long)test_below(random, (uint32_t)n + 3) : -1;
    size_t count = live < 0 || (size_t)live > n ? n : (size_t)live;
    for (size_t i = 0; i < held * words; i++) {
        src[i] = random_word(random, mr_column_element(types[kind].type));
    }
    for (size_t i = 0; i < n; i++) {
        index[i] = random_index(random, held);
        for (size_t k = 0; k < words; k++) {
            bool inside = i < count && index[i] >= 0 && (size_t)index[i] < held;
            want[i * words + k] = inside ? (int32_t)src[(size_t)index[i] * words + k] : 0;
        }
    }
    kernel_run run;
    kernel_begin(&run, context, "gather", n, live);
    kernel_bind_as(&run, "src", types[kind].type, src, held);
    kernel_bind(&run, "index", index, n);
    if (test_below(random, 2)) {
        kernel_choose(&run, "T", types[kind].name);
    }
    kernel_go_ok(&run);
    const mr_column *dst = mr_kernel_result_find(&run.result, "dst");
    assert_int_equal(dst->type, types[kind].type);
    assert_int_equal(dst->count, n);
    assert_words("dst", dst->i32, want, n * words);
    kernel_end(&run);
}

static void elements_are_those_the_indices_name(void **state)
{
    static const size_t sizes[] = { 0, 1, 2, 63, 64, 65, 66, 129, MOST };
    test_random random = { 21 };
    for (size_t i = 0; i < test_count(11000); i++) {
        size_t n = test_below(&random, 3) ? test_below(&random, 60) : sizes[test_below(&random, 9)];
        check(*state, &random, test_below(&random, 4) ? test_below(&random, 60) : test_below(&random, 2), n);
    }
}

static void any_threads_pick_the_same(void **state)
{
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        test_random random = { 22 };
        for (size_t i = 0; i < test_count(6); i++) {
            check(context, &random, LARGE - i, LARGE - 3 * i);
        }
        test_context_end(context);
    }
}

static void what_does_not_fit_is_refused_and_memory_may_fail(void **state)
{
    static const int32_t words[12] = { 0 };
    kernel_run run;
    kernel_begin(&run, *state, "gather", 4, -1);
    kernel_bind(&run, "src", words, 4);
    kernel_bind(&run, "index", words, 3);
    kernel_refused(&run, "index");
    kernel_begin(&run, *state, "gather", 4, -1);
    kernel_bind_as(&run, "src", MR_COLUMN_VEC3, words, 4);
    kernel_bind(&run, "index", words, 4);
    kernel_choose(&run, "T", "vec2");
    kernel_refused(&run, "src");
    kernel_begin(&run, *state, "gather", 4, -1);
    kernel_bind_as(&run, "src", MR_COLUMN_VEC3, words, 4);
    kernel_refused(&run, "index");
    kernel_begin(&run, *state, "gather", 4, -1);
    kernel_bind_as(&run, "src", MR_COLUMN_VEC3, words, 4);
    kernel_bind(&run, "index", words, 4);
    bool good = false;
    for (uint64_t site = 1; !good && site < 100; site++) {
        mr_buffer_trim(*state);
        mr_memory_fail_after(*state, site, true);
        good = kernel_go(&run);
        mr_memory_fail_after(*state, 0, false);
        assert_true(good || run.error.status == MR_OUT_OF_MEMORY);
    }
    assert_true(good);
    kernel_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(elements_are_those_the_indices_name, test_setup, test_teardown),
        cmocka_unit_test(any_threads_pick_the_same),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused_and_memory_may_fail, test_setup,
                                        test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
