// test/kernel/run_kernel.h: asks for a kernel by name over columns, step by step.

#ifndef MARRAM_TEST_RUN_KERNEL_H
#define MARRAM_TEST_RUN_KERNEL_H

#include "support.h"

#include "kernel/device.h"

typedef struct kernel_run {
    mr_context *context;
    mr_kernel_request request;
    mr_kernel_result result;
    mr_column *columns[MR_KERNEL_BINDINGS];
    mr_bind binds[MR_KERNEL_BINDINGS];
    mr_choice choices[MR_KERNEL_SPECIALIZATIONS];
    mr_uniform uniforms[MR_KERNEL_PARAMS];
    mr_error error;
} kernel_run;

// Over n elements; live at or above 0: over a live count of capacity n that states so many.
static void kernel_begin(kernel_run *run, mr_context *context, const char *kernel, size_t n, long live)
{
    memset(run, 0, sizeof *run);
    run->context = context;
    run->request.kernel = mr_kernel_find(kernel);
    assert_non_null(run->request.kernel);
    run->request.bind = run->binds;
    run->request.specialize = run->choices;
    run->request.uniforms = run->uniforms;
    run->request.domain = mr_count_plain(n);
    if (live >= 0) {
        uint32_t word = (uint32_t)live;
        mr_column *column = mr_column_from(context, MR_COLUMN_UINT, &word, 1, &run->error);
        assert_non_null(column);
        mr_column_publish(column);
        test_assert_ok(mr_count_live(column, n, &run->request.domain, &run->error), &run->error);
        mr_column_release(column);
    }
}

static void kernel_bind_as(kernel_run *run, const char *name, mr_column_type type, const void *words,
                           size_t count)
{
    size_t at = run->request.bind_count++;
    int32_t none = 0;
    mr_column *column = mr_column_from(run->context, type, count ? words : &none, count, &run->error);
    assert_non_null(column);
    run->columns[at] = mr_column_publish(column);
    run->binds[at] = (mr_bind){ .name = name, .kind = MR_BIND_COLUMN, .column = column };
}

static void kernel_bind(kernel_run *run, const char *name, const int32_t *words, size_t count)
{
    kernel_bind_as(run, name, MR_COLUMN_INT, words, count);
}

static void kernel_bind_number(kernel_run *run, const char *name, size_t number)
{
    run->binds[run->request.bind_count++] =
        (mr_bind){ .name = name, .kind = MR_BIND_COUNT, .count = mr_count_plain(number) };
}

static void kernel_choose(kernel_run *run, const char *name, const char *option)
{
    run->choices[run->request.specialize_count++] = (mr_choice){ name, option };
}

static void kernel_param(kernel_run *run, const char *name, double value)
{
    run->uniforms[run->request.uniform_count++] =
        (mr_uniform){ .name = name, .lanes = 1, .value = { value } };
}

static bool kernel_go(kernel_run *run)
{
    return mr_kernel_run(run->context, &run->request, &run->result, &run->error);
}

static void kernel_go_ok(kernel_run *run)
{
    test_assert_ok(kernel_go(run), &run->error);
}

// An output's words; NULL where there is none of that name.
static const int32_t *kernel_out(const kernel_run *run, const char *name)
{
    const mr_column *column = mr_kernel_result_find(&run->result, name);
    return column ? column->i32 : NULL;
}

static void kernel_end(kernel_run *run)
{
    mr_kernel_result_release(&run->result);
    mr_count_release(&run->request.domain);
    for (size_t i = 0; i < MR_KERNEL_BINDINGS; i++) {
        mr_column_release(run->columns[i]);
    }
}

// Runs, is refused with a message that has the part in it, and ends.
static void kernel_refused(kernel_run *run, const char *part)
{
    assert_false(kernel_go(run));
    assert_int_equal(run->result.count, 0);
    assert_text_contains(run->error.message, run->request.kernel->name);
    assert_text_contains(run->error.message, part);
    kernel_end(run);
}

static void assert_words(const char *what, const int32_t *words, const int32_t *expected, size_t count)
{
    assert_non_null(words);
    for (size_t i = 0; i < count; i++) {
        if (words[i] != expected[i]) {
            fail_msg("%s[%zu] of %zu is %d, not %d", what, i, count, words[i], expected[i]);
        }
    }
}

static void assert_out(const kernel_run *run, const char *name, const int32_t *expected, size_t count)
{
    const mr_column *column = mr_kernel_result_find(&run->result, name);
    assert_non_null(column);
    assert_int_equal(column->count, count);
    assert_words(name, column->i32, expected, count);
}

#endif
