// The pool: splits, nesting, errors, cancellation, groups, and an embedder's own runner.

#include "support.h"

#include "base/thread.h"

#include <signal.h>
#include <stdatomic.h>

typedef struct test_marks {
    mr_context *context;
    size_t count;
    size_t grain;
    atomic_uint *seen;
    _Atomic size_t fail_from; // bodies that hold or lie past this index fail
} test_marks;

static bool mark_each(void *argument, size_t begin, size_t end, mr_error *error)
{
    test_marks *marks = argument;
    assert_true(begin < end && end <= marks->count);
    assert_int_equal(begin % marks->grain, 0);
    for (size_t i = begin; i < end; i++) {
        atomic_fetch_add(&marks->seen[i], 1);
    }
    return true;
}

static void every_index_is_visited_once_whatever_the_count_and_grain(void **state)
{
    mr_context *context = test_context_of(4, 0);
    test_random random = { 1 };
    for (size_t i = 0; i < test_count(300); i++) {
        size_t count = test_below(&random, i % 3 ? 100 : 20000);
        size_t grain = 1 + test_below(&random, i % 2 ? 10 : 3000);
        test_marks marks = { context, count, grain, calloc(count + 1, sizeof(atomic_uint)), 0 };
        mr_error error;
        test_assert_ok(mr_parallel_for(context, count, grain, mark_each, &marks, &error), &error);
        for (size_t k = 0; k < count; k++) {
            assert_int_equal(marks.seen[k], 1);
        }
        free(marks.seen);
    }
    test_context_end(context);
}

typedef struct test_runs {
    size_t count, grain;
    atomic_uint *begins;
} test_runs;

static bool note_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    test_runs *runs = argument;
    size_t run = mr_parallel_run_of(runs->count, runs->grain, begin);
    size_t all = mr_parallel_runs(runs->count, runs->grain);
    assert_true(run < all);
    assert_int_equal(mr_parallel_run_of(runs->count, runs->grain, end - 1), run);
    assert_true(end - begin >= runs->grain || runs->count < runs->grain);
    atomic_fetch_add(&runs->begins[run], 1);
    return true;
}

static void run_of_names_every_run_once(void **state)
{
    mr_context *context = test_context_of(3, 0);
    test_random random = { 2 };
    for (size_t i = 0; i < test_count(300); i++) {
        test_runs runs = { test_below(&random, 30000), 1 + test_below(&random, 50), NULL };
        size_t all = mr_parallel_runs(runs.count, runs.grain);
        runs.begins = calloc(all + 1, sizeof(atomic_uint));
        assert_true(mr_parallel_for(context, runs.count, runs.grain, note_run, &runs, NULL));
        for (size_t k = 0; k < all; k++) {
            assert_int_equal(runs.begins[k], 1);
        }
        free(runs.begins);
    }
    assert_int_equal(mr_parallel_runs(0, 7), 0);
    assert_int_equal(mr_parallel_runs(6, 7), 1);
    assert_int_equal(mr_parallel_runs(14, 7), 2);
    assert_true(mr_parallel_runs(SIZE_MAX, 1) <= 1024);
    assert_int_equal(mr_parallel_run_of(SIZE_MAX, 1, SIZE_MAX - 1), mr_parallel_runs(SIZE_MAX, 1) - 1);
    test_context_end(context);
}

static bool fail_past(void *argument, size_t begin, size_t end, mr_error *error)
{
    test_marks *marks = argument;
    for (size_t i = begin; i < end; i++) {
        atomic_fetch_add(&marks->seen[i], 1);
        if (i >= marks->fail_from) {
            return mr_fail(error, MR_BAD_INPUT, "element %zu", i);
        }
    }
    return true;
}

static void the_lowest_failing_run_is_the_error_at_any_thread_count(void **state)
{
    for (uint32_t threads = 1; threads <= 7; threads += 2) {
        mr_context *context = test_context_of(threads, 0);
        for (size_t from = 0; from < 200; from += 13) {
            test_marks marks = { context, 1000, 1, calloc(1000, sizeof(atomic_uint)), from };
            mr_error error = { 0 };
            char expected[64];
            assert_false(mr_parallel_for(context, marks.count, 1, fail_past, &marks, &error));
            snprintf(expected, sizeof expected, "element %zu", from);
            assert_string_equal(error.message, expected);
            for (size_t i = 0; i < from; i++) {
                assert_int_equal(marks.seen[i], 1);
            }
            free(marks.seen);
        }
        test_context_end(context);
    }
}

static bool fail_without_a_word(void *argument, size_t begin, size_t end, mr_error *error)
{
    return begin < 5;
}

static void a_body_that_fails_without_a_word_is_an_internal_error(void **state)
{
    mr_context *context = test_context_of(2, 0);
    mr_error error = { 0 };
    assert_false(mr_parallel_for(context, 10, 1, fail_without_a_word, NULL, &error));
    assert_int_equal(error.status, MR_INTERNAL);
    assert_false(mr_parallel_for(context, 10, 1, fail_without_a_word, NULL, NULL));
    test_context_end(context);
}

typedef struct test_nest {
    mr_context *context;
    int depth;
    atomic_uint *leaves;
} test_nest;

static bool nest(void *argument, size_t begin, size_t end, mr_error *error)
{
    const test_nest *outer = argument;
    for (size_t i = begin; i < end; i++) {
        if (outer->depth == 0) {
            atomic_fetch_add(outer->leaves, 1);
            continue;
        }
        test_nest inner = { outer->context, outer->depth - 1, outer->leaves };
        if (!mr_parallel_for(outer->context, 6, 1, nest, &inner, error)) {
            return false;
        }
    }
    return true;
}

static void loops_nest(void **state)
{
    for (uint32_t threads = 1; threads <= 5; threads++) {
        mr_context *context = test_context_of(threads, 0);
        atomic_uint leaves = 0;
        test_nest outer = { context, 4, &leaves };
        mr_error error;
        test_assert_ok(mr_parallel_for(context, 6, 1, nest, &outer, &error), &error);
        assert_int_equal(leaves, 6 * 6 * 6 * 6 * 6);
        test_context_end(context);
    }
}

static bool cancel_at(void *argument, size_t begin, size_t end, mr_error *error)
{
    test_marks *marks = argument;
    atomic_fetch_add(&marks->seen[0], 1);
    if (begin == marks->fail_from) {
        mr_context_cancel(marks->context);
    }
    return mr_keep_going(marks->context, error);
}

static void cancelling_leaves_the_rest_out_and_stays_until_resumed(void **state)
{
    for (uint32_t threads = 1; threads <= 4; threads++) {
        mr_context *context = test_context_of(threads, 0);
        atomic_uint seen = 0;
        test_marks marks = { context, 1000, 1, &seen, 20 };
        mr_error error = { 0 };
        assert_false(mr_parallel_for(context, 1000, 1, cancel_at, &marks, &error));
        assert_int_equal(error.status, MR_CANCELLED);
        assert_true(seen < 1000);
        unsigned so_far = seen;
        assert_false(mr_parallel_for(context, 1000, 1, cancel_at, &marks, &error));
        assert_int_equal(seen, so_far);
        mr_context_resume(context);
        marks.fail_from = SIZE_MAX;
        test_assert_ok(mr_parallel_for(context, 1000, 1, cancel_at, &marks, &error), &error);
        test_context_end(context);
    }
}

static bool spin(void *argument, size_t begin, size_t end, mr_error *error)
{
    double until = mr_clock_seconds() + 0.002;
    while (mr_clock_seconds() < until) {
    }
    return true;
}

static void the_time_limit_reaches_the_workers(void **state)
{
    mr_context_config config = mr_context_config_default();
    config.threads = 3;
    config.time_limit = 0.05;
    mr_context *context;
    mr_error error;
    test_assert_ok(mr_context_create(&config, &context, &error), &error);
    mr_entry entry;
    mr_enter(context, &entry);
    double begin = mr_clock_seconds();
    assert_false(mr_parallel_for(context, 5000, 1, spin, NULL, &error));
    mr_leave(&entry);
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message, "0.05 s");
    assert_true(mr_clock_seconds() - begin < 5);
    mr_enter(context, &entry); // the next entry has its own time
    test_assert_ok(mr_keep_going(context, &error), &error);
    mr_leave(&entry);
    test_context_end(context);
}

typedef struct test_tree {
    mr_task_group *group;
    mr_context *context;
    atomic_uint *ended;
    int depth;
} test_tree;

static bool add_one(void *argument, size_t begin, size_t end, mr_error *error)
{
    for (size_t i = begin; i < end; i++) {
        atomic_fetch_add((atomic_uint *)argument, 1);
    }
    return true;
}

static void grow_tree(void *argument)
{
    test_tree *tree = argument;
    assert_true(mr_parallel_for(tree->context, 10, 1, add_one, tree->ended, NULL)); // a loop inside a task
    if (tree->depth > 0) {
        for (int i = 0; i < 3; i++) {
            test_tree *child = malloc(sizeof *child);
            *child = (test_tree){ tree->group, tree->context, tree->ended, tree->depth - 1 };
            assert_true(mr_task_group_add(tree->group, grow_tree, child));
        }
    }
    free(tree);
}

static void check_tree(mr_context *context)
{
    atomic_uint ended = 0;
    mr_task_group *group = mr_task_group_create(context);
    for (int round = 0; round < 3; round++) {
        test_tree *root = malloc(sizeof *root);
        *root = (test_tree){ group, context, &ended, 4 };
        assert_true(mr_task_group_add(group, grow_tree, root));
        mr_task_group_wait(group);
        assert_int_equal(ended, (unsigned)(round + 1) * 10 * (1 + 3 + 9 + 27 + 81));
    }
    mr_task_group_destroy(group);
}

static void tasks_may_add_tasks_and_run_loops(void **state)
{
    for (uint32_t threads = 1; threads <= 5; threads++) {
        mr_context *context = test_context_of(threads, 0);
        check_tree(context);
        test_context_end(context);
    }
}

typedef struct test_order {
    size_t at;
    size_t order[10];
} test_order;
typedef struct test_turn {
    test_order *order;
    size_t number;
} test_turn;
static void take_turn(void *argument)
{
    const test_turn *turn = argument;
    turn->order->order[turn->order->at++] = turn->number;
}
static void tasks_of_one_thread_run_in_the_order_they_were_added(void **state)
{
    mr_context *context = test_context_of(1, 0);
    test_order order = { 0 };
    test_turn turns[10];
    mr_task_group *group = mr_task_group_create(context);
    for (size_t i = 0; i < 10; i++) {
        turns[i] = (test_turn){ &order, i };
        mr_task_group_add(group, take_turn, &turns[i]);
    }
    mr_task_group_destroy(group); // waits
    assert_int_equal(order.at, 10);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(order.order[i], i);
    }
    test_context_end(context);
}

// An embedder that starts a thread a task, last first.
typedef struct test_host_task {
    void (*job)(void *argument, uint32_t index);
    void *argument;
    uint32_t index;
} test_host_task;
static void *host_thread(void *argument)
{
    test_host_task *task = argument;
    task->job(task->argument, task->index);
    return NULL;
}
static void host_run(void *user, uint32_t count, void (*job)(void *argument, uint32_t index), void *argument)
{
    atomic_fetch_add((atomic_uint *)user, 1);
    enum { SOME = 8 };
    for (uint32_t from = count; from > 0;) {
        pthread_t threads[SOME];
        test_host_task tasks[SOME];
        uint32_t some = from < SOME ? from : SOME;
        for (uint32_t i = 0; i < some; i++) {
            tasks[i] = (test_host_task){ job, argument, from - 1 - i };
            pthread_create(&threads[i], NULL, host_thread, &tasks[i]);
        }
        for (uint32_t i = 0; i < some; i++) {
            pthread_join(threads[i], NULL);
        }
        from -= some;
    }
}
static void host_run_inline(void *user, uint32_t count, void (*job)(void *argument, uint32_t index),
                            void *argument)
{
    atomic_fetch_add((atomic_uint *)user, 1);
    for (uint32_t i = 0; i < count; i++) {
        job(argument, i);
    }
}

static void an_embedders_runner_does_the_work_and_gives_the_same_error(void **state)
{
    for (int which = 0; which < 2; which++) {
        atomic_uint calls = 0;
        mr_context_config config = mr_context_config_default();
        config.threads = 4;
        config.user = &calls;
        config.run_tasks = which ? host_run : host_run_inline;
        mr_context *context;
        mr_error error = { 0 };
        test_assert_ok(mr_context_create(&config, &context, &error), &error);
        test_marks marks = { context, 100, 1, calloc(100, sizeof(atomic_uint)), SIZE_MAX };
        test_assert_ok(mr_parallel_for(context, 100, 1, mark_each, &marks, &error), &error);
        for (size_t i = 0; i < 100; i++) {
            assert_int_equal(marks.seen[i], 1);
        }
        marks.fail_from = 17;
        assert_false(mr_parallel_for(context, 100, 1, fail_past, &marks, &error));
        assert_string_equal(error.message, "element 17");
        free(marks.seen);
        if (which == 0) {
            check_tree(context);
        }
        atomic_uint leaves = 0;
        test_nest outer = { context, 1, &leaves };
        test_assert_ok(mr_parallel_for(context, 6, 1, nest, &outer, &error), &error);
        assert_int_equal(leaves, 36);
        assert_true(calls > 3);
        test_context_end(context);
    }
}

// Two threads of the host on one context, each with loops of its own.
static void *use_context(void *argument)
{
    mr_context *context = argument;
    for (int i = 0; i < 200; i++) {
        atomic_uint ended = 0;
        if (!mr_parallel_for(context, 64, 1, add_one, &ended, NULL) || ended != 64) {
            return context;
        }
    }
    return NULL;
}

static void a_context_serves_several_threads_at_once(void **state)
{
    mr_context *context = test_context_of(3, 0);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, use_context, context);
    }
    for (int i = 0; i < 3; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    test_context_end(context);
}

static bool note_signals(void *argument, size_t begin, size_t end, mr_error *error)
{
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (!pthread_equal(pthread_self(), *(pthread_t *)argument) && !sigismember(&blocked, SIGINT)) {
        return mr_fail(error, MR_INTERNAL, "a worker takes interrupts");
    }
    spin(argument, begin, end, error);
    return true;
}

static void workers_take_no_signals(void **state)
{
    mr_context *context = test_context_of(3, 0);
    pthread_t self = pthread_self();
    mr_error error;
    test_assert_ok(mr_parallel_for(context, 20, 1, note_signals, &self, &error), &error);
    test_context_end(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_is_visited_once_whatever_the_count_and_grain),
        cmocka_unit_test(run_of_names_every_run_once),
        cmocka_unit_test(the_lowest_failing_run_is_the_error_at_any_thread_count),
        cmocka_unit_test(a_body_that_fails_without_a_word_is_an_internal_error),
        cmocka_unit_test(loops_nest),
        cmocka_unit_test(cancelling_leaves_the_rest_out_and_stays_until_resumed),
        cmocka_unit_test(the_time_limit_reaches_the_workers),
        cmocka_unit_test(tasks_may_add_tasks_and_run_loops),
        cmocka_unit_test(tasks_of_one_thread_run_in_the_order_they_were_added),
        cmocka_unit_test(an_embedders_runner_does_the_work_and_gives_the_same_error),
        cmocka_unit_test(a_context_serves_several_threads_at_once),
        cmocka_unit_test(workers_take_no_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
