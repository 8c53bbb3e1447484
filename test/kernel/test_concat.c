// concat, held to asking of each element which geometry it is of.

#include "kernel/random_words.h"
#include "kernel/run_kernel.h"

enum { PARTS_MOST = 12, MOST = 6000, LANES_MOST = 4 };

static const mr_column_type types[] = { MR_COLUMN_INT, MR_COLUMN_INT2, MR_COLUMN_INT3, MR_COLUMN_INT4 };
static const char *const names[] = { "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b0", "b1" };

typedef struct joined {
    size_t parts, n, lanes;
    int32_t desc[4 + 4 * PARTS_MOST];
    mr_attribute items[PARTS_MOST];
} joined;

static int32_t want[MOST * LANES_MOST];

static void make_joined(mr_context *context, test_random *random, joined *j, uint32_t longest)
{
    mr_error error;
    *j = (joined){ .parts = test_below(random, PARTS_MOST + 1), .lanes = 1 + test_below(random, LANES_MOST) };
    for (size_t k = 0; k < 4; k++) {
        j->desc[k] = (int32_t)random_word(random, MR_I32);
    }
    for (size_t p = 0; p < j->parts; p++) {
        int32_t *d = &j->desc[4 + 4 * p];
        j->n += test_below(random, 5) == 0 ? test_below(random, 4) : 0; // what no geometry covers
        d[0] = (int32_t)j->n;
        d[1] = (int32_t)(test_below(random, 4) ? test_below(random, longest) : test_below(random, 2));
        d[2] = test_below(random, 2) ? (int32_t)random_word(random, MR_I32) : 0;
        d[3] = test_below(random, 4) != 0;
        j->n += (size_t)d[1];
        size_t held = d[3] ? (size_t)d[1] + test_below(random, 2) : test_below(random, 2);
        mr_column *column = mr_column_create(context, types[j->lanes - 1], held, &error);
        assert_non_null(column);
        for (size_t i = 0; i < held * j->lanes; i++) {
            column->u32[i] = random_word(random, MR_I32);
        }
        j->items[p].column = mr_column_publish(column);
        memcpy(j->items[p].name, names[p], sizeof "a0");
    }
    j->n += test_below(random, 3);
}

static int32_t word_at(const joined *j, size_t element, size_t lane)
{
    for (size_t p = 0; p < j->parts; p++) {
        const int32_t *d = &j->desc[4 + 4 * p];
        size_t at = element - (size_t)d[0];
        if (element >= (size_t)d[0] && at < (size_t)d[1] && d[3]) {
            return (int32_t)(j->items[p].column->u32[at * j->lanes + lane] + (uint32_t)d[2]);
        }
    }
    return j->desc[lane];
}

static void check(mr_context *context, test_random *random, uint32_t longest)
{
    joined j;
    kernel_run run;
    make_joined(context, random, &j, longest);
    for (size_t i = 0; i < j.n * j.lanes; i++) {
        want[i] = word_at(&j, i / j.lanes, i % j.lanes);
    }
    kernel_begin(&run, context, "concat", j.n, -1);
    kernel_bind(&run, "desc", j.desc, 4 + 4 * j.parts);
    run.binds[run.request.bind_count++] =
        (mr_bind){ .name = "sources", .kind = MR_BIND_TABLE, .table = { j.items, j.parts } };
    kernel_param(&run, "parts", (double)j.parts);
    bool typed = test_below(random, 2);
    static const char *const options[] = { "i32", "ivec2", "ivec3", "ivec4" };
    if (typed) {
        kernel_choose(&run, "T", options[j.lanes - 1]);
    } else {
        kernel_param(&run, "lanes", (double)j.lanes);
    }
    kernel_go_ok(&run);
    const mr_column *dst = mr_kernel_result_find(&run.result, "dst");
    assert_int_equal(dst->type, typed ? types[j.lanes - 1] : MR_COLUMN_UINT);
    assert_int_equal(dst->count, typed ? j.n : j.n * j.lanes);
    assert_words("dst", dst->i32, want, j.n * j.lanes);
    kernel_end(&run);
    for (size_t p = 0; p < j.parts; p++) {
        mr_column_release(j.items[p].column);
    }
}

static void elements_are_those_of_their_geometry(void **state)
{
    test_random random = { 41 };
    for (size_t i = 0; i < test_count(11000); i++) {
        check(*state, &random, 8);
    }
}

static void any_threads_join_the_same(void **state)
{
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        test_random random = { 42 };
        for (size_t i = 0; i < test_count(50); i++) {
            check(context, &random, 480);
        }
        test_context_end(context);
    }
}

// Long enough to be cut, and an element of sixteen words, of which the default states four.
static void a_long_join_of_matrices(void **state)
{
    enum { EACH = 20000 };
    mr_error error;
    mr_column *column = mr_column_create(*state, MR_COLUMN_MAT4, EACH, &error);
    assert_non_null(column);
    for (size_t i = 0; i < 16 * (size_t)EACH; i++) {
        column->f32[i] = (float)i;
    }
    mr_column_publish(column);
    mr_attribute items[] = { { "a", column }, { "b", column }, { "c", column } };
    static const int32_t desc[] = { 1, 2, 3, 4, 0, EACH, 0, 1, EACH, EACH, 0, 0, 2 * EACH, EACH, 0, 1 };
    kernel_run run;
    kernel_begin(&run, *state, "concat", 3 * EACH, -1);
    kernel_bind(&run, "desc", desc, 16);
    run.binds[run.request.bind_count++] =
        (mr_bind){ .name = "sources", .kind = MR_BIND_TABLE, .table = { items, 3 } };
    kernel_param(&run, "parts", 3);
    kernel_choose(&run, "T", "mat4");
    kernel_go_ok(&run);
    const mr_column *dst = mr_kernel_result_find(&run.result, "dst");
    assert_int_equal(dst->type, MR_COLUMN_MAT4);
    assert_memory_equal(dst->f32, column->f32, 16 * EACH * sizeof(float));
    assert_memory_equal(dst->f32 + 32 * (size_t)EACH, column->f32, 16 * EACH * sizeof(float));
    for (size_t i = 0; i < 16 * (size_t)EACH; i++) {
        assert_int_equal(dst->u32[16 * (size_t)EACH + i], i % 16 < 4 ? i % 16 + 1 : 0);
    }
    kernel_end(&run);
    mr_column_release(column);
}

static void refused(mr_context *context, const int32_t *desc, size_t count, double parts, size_t columns,
                    const char *part)
{
    mr_error error;
    static const int32_t words[3] = { 7, 8, 9 };
    mr_column *column = mr_column_publish(mr_column_from(context, MR_COLUMN_INT, words, 3, &error));
    mr_attribute items[] = { { "a", column }, { "b", column } };
    kernel_run run;
    kernel_begin(&run, context, "concat", 6, -1);
    kernel_bind(&run, "desc", desc, count);
    run.binds[run.request.bind_count++] =
        (mr_bind){ .name = "sources", .kind = MR_BIND_TABLE, .table = { items, columns } };
    kernel_param(&run, "parts", parts);
    kernel_refused(&run, part);
    mr_column_release(column);
}

static void a_description_that_does_not_hold_is_refused(void **state)
{
    static const int32_t good[] = { 0, 0, 0, 0, 0, 3, 0, 1, 3, 3, 0, 1 };
    static const struct {
        size_t at;
        int32_t word;
        const char *part;
    } bad[] = { { 4, -1, "desc" }, { 5, -1, "desc" },        { 8, 2, "desc" },
                { 9, 4, "desc" },  { 5, INT32_MAX, "desc" }, { 8, INT32_MAX, "desc" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int32_t desc[12];
        memcpy(desc, good, sizeof desc);
        desc[bad[i].at] = bad[i].word;
        refused(*state, desc, 12, 2, 2, bad[i].part);
    }
    static const int32_t longer[] = { 0, 0, 0, 0, 0, 4, 0, 1, 4, 2, 0, 1 };
    refused(*state, longer, 12, 2, 2, "sources");
    refused(*state, good, 12, 2, 1, "sources");
    refused(*state, good, 11, 2, 2, "desc");
}

static void failing_memory_is_an_error(void **state)
{
    mr_error error;
    static const int32_t words[3] = { 7, 8, 9 }, desc[] = { 0, 0, 0, 0, 0, 3, 0, 1 };
    mr_context *context = test_context_of(2, 0);
    mr_column *column = mr_column_publish(mr_column_from(context, MR_COLUMN_INT, words, 3, &error));
    mr_attribute items[] = { { "a", column } };
    kernel_run run;
    kernel_begin(&run, context, "concat", 3, -1);
    kernel_bind(&run, "desc", desc, 8);
    run.binds[run.request.bind_count++] =
        (mr_bind){ .name = "sources", .kind = MR_BIND_TABLE, .table = { items, 1 } };
    kernel_param(&run, "parts", 1);
    bool good = false;
    for (uint64_t site = 1; !good && site < 100; site++) {
        mr_buffer_trim(context);
        mr_memory_fail_after(context, site, true);
        good = kernel_go(&run);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || run.error.status == MR_OUT_OF_MEMORY);
    }
    assert_true(good);
    kernel_end(&run);
    mr_column_release(column);
    test_context_end(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(elements_are_those_of_their_geometry, test_setup, test_teardown),
        cmocka_unit_test(any_threads_join_the_same),
        cmocka_unit_test_setup_teardown(a_long_join_of_matrices, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_description_that_does_not_hold_is_refused, test_setup,
                                        test_teardown),
        cmocka_unit_test(failing_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
