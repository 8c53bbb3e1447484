// The compact kernel against a loop that says what it means, in every form.

#include "support.h"

#include "kernel/device.h"

#include <math.h>

static const uint32_t words[] = { 0, 0, 0, 1, 0x3f800000, 0x80000000, 0x7fc00000, 0xffffffff, 0x7f800000, 2 };

typedef struct sample {
    mr_column *mask, *live, *onto; // live: of the domain, or NULL; onto: what indices is bound to, or NULL
    size_t n;
} sample;

static mr_column *column(mr_context *context, mr_column_type type, size_t count)
{
    mr_error error;
    mr_column *made = mr_column_create(context, type, count, &error);
    assert_non_null(made);
    return made;
}

static sample sample_of(mr_context *context, test_random *random, size_t n)
{
    static const mr_column_type types[] = { MR_COLUMN_FLOAT, MR_COLUMN_INT, MR_COLUMN_UINT, MR_COLUMN_BOOL };
    sample s = { .n = n };
    mr_column_type type = types[test_below(random, 4)];
    s.mask = column(context, type, n + test_below(random, 3));
    for (size_t i = 0; i < s.mask->count; i++) {
        s.mask->u32[i] = words[test_below(random, 10)];
    }
    mr_column_publish(s.mask);
    if (test_below(random, 2)) {
        s.live = column(context, MR_COLUMN_UINT, 1);
        s.live->u32[0] = test_below(random, (uint32_t)n + 4);
        mr_column_publish(s.live);
    }
    if (test_below(random, 4) == 0) {
        mr_column *count = column(context, MR_COLUMN_UINT, 1);
        s.onto = column(context, MR_COLUMN_INT, test_below(random, 2 * (uint32_t)n + 4));
        count->u32[0] = test_below(random, (uint32_t)s.onto->count + 1);
        for (size_t i = 0; i < s.onto->count; i++) {
            s.onto->i32[i] = (int32_t)i + 500;
        }
        mr_column_set_live(s.onto, mr_column_publish(count));
        mr_column_publish(s.onto);
        mr_column_release(count);
    }
    return s;
}

static void sample_end(sample *s)
{
    mr_column_release(s->mask);
    mr_column_release(s->live);
    mr_column_release(s->onto);
}

static bool run(mr_context *context, const sample *s, mr_kernel_result *result, mr_error *error)
{
    mr_bind bind[] = { { .name = "mask", .kind = MR_BIND_COLUMN, .column = s->mask },
                       { .name = "indices", .kind = MR_BIND_COLUMN, .column = s->onto } };
    mr_kernel_request request = { .kernel = mr_kernel_find("compact"),
                                  .domain = s->live ? (mr_count){ s->live, s->n } : mr_count_plain(s->n),
                                  .bind = bind,
                                  .bind_count = s->onto ? 2 : 1 };
    return mr_kernel_run(context, &request, result, error);
}

static void check(const sample *s, const mr_kernel_result *result)
{
    const mr_column *indices = mr_kernel_result_find(result, "indices");
    const mr_column *inverse = mr_kernel_result_find(result, "inverse");
    const mr_column *counter = mr_kernel_result_find(result, "indices_count");
    size_t live = s->live && s->live->u32[0] < s->n ? s->live->u32[0] : s->n;
    size_t at = s->onto ? s->onto->live->u32[0] : 0;
    assert_int_equal(inverse->count, s->n);
    assert_int_equal(indices->count, s->onto ? s->onto->count : s->n);
    for (size_t i = 0; i < at; i++) {
        assert_int_equal(indices->i32[i], s->onto->i32[i]);
    }
    for (size_t i = 0; i < s->n; i++) {
        bool kept = i < live && s->mask->u32[i] != 0;
        assert_int_equal(inverse->i32[i], kept ? (int32_t)at : -1);
        if (kept && at < indices->count) {
            assert_int_equal(indices->i32[at], i);
        }
        at += kept;
    }
    assert_int_equal(counter->u32[0], at);
    assert_int_equal(indices->live->u32[0], at);
    for (; at < indices->count; at++) {
        assert_int_equal(indices->i32[at], -1);
    }
}

static void every_form_equals_the_plain_loop(void **state)
{
    static const size_t sizes[] = { 0, 1, 2, 8191, 8192, 8193, 65536, 65537, 300000 };
    test_random random = { 1 };
    mr_context *contexts[] = { test_context_of(1, 0), test_context_of(7, 0) };
    for (size_t n = 0; n < 9 + test_count(10000); n++) {
        mr_context *context = contexts[n % 50 == 0];
        size_t size = n < 9 ? sizes[n] : test_below(&random, n % 40 ? 60 : 20000);
        sample s = sample_of(context, &random, size);
        mr_kernel_result result;
        mr_error error;
        test_assert_ok(run(context, &s, &result, &error), &error);
        check(&s, &result);
        mr_kernel_result_release(&result);
        sample_end(&s);
    }
    test_context_end(contexts[0]);
    test_context_end(contexts[1]);
}

static void bad_requests_are_refused(void **state)
{
    sample s = { .n = 3, .mask = mr_column_publish(column(*state, MR_COLUMN_INT, 2)) };
    mr_kernel_result result;
    mr_error error;
    assert_false(run(*state, &s, &result, &error));
    assert_text_contains(error.message, "kernel compact: binding mask");
    mr_column_release(s.mask);
    s.mask = mr_column_publish(column(*state, MR_COLUMN_VEC2, 3));
    assert_false(run(*state, &s, &result, &error));
    assert_text_contains(error.message, "kernel compact: binding mask");
    sample_end(&s);
}

static void every_failing_allocation_is_an_error(void **state)
{
    for (uint64_t at = 1;; at++) {
        mr_context *context = test_context_of(1, 0);
        test_random random = { 3 };
        sample s = sample_of(context, &random, 100);
        mr_kernel_result result;
        mr_error error = { 0 };
        mr_memory_fail_after(context, at, false);
        bool good = run(context, &s, &result, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY);
        mr_kernel_result_release(&result);
        sample_end(&s);
        test_context_end(context);
        if (good) {
            assert_true(at > 5);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_equals_the_plain_loop),
        cmocka_unit_test_setup_teardown(bad_requests_are_refused, test_setup, test_teardown),
        cmocka_unit_test(every_failing_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
