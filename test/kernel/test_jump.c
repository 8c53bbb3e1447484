// Pointer jumping against walks of one link at a time, and connected sets against flooding, over forests, cycles,
// chains, links and pairs that lead nowhere, in the plain form and over a live count.

#include "kernel/run_kernel.h"

enum { MOST = 40 };

typedef struct links {
    size_t n, live;
    int32_t parent[MOST], value[MOST];
} links;

static int32_t strange(test_random *random)
{
    static const int32_t words[] = { -1, INT32_MIN, INT32_MAX, MOST };
    return words[test_below(random, 4)];
}

static size_t random_size(test_random *random)
{
    return test_below(random, 6) == 0 ? test_below(random, 4) : test_below(random, MOST + 1);
}

static void begin(kernel_run *run, mr_context *context, const char *mode, const links *l, bool device)
{
    kernel_begin(run, context, "jump", l->n, device ? (long)l->live : -1);
    kernel_choose(run, "MODE", mode);
    kernel_bind(run, "parent", l->parent, l->n);
    kernel_bind(run, "value", l->value, l->n);
    if (!device && l->live != l->n) {
        kernel_param(run, "n", (double)l->live);
    }
}

// One round, of whose answer l is made.
static void round_of(mr_context *context, const char *mode, links *l, bool device)
{
    kernel_run run;
    begin(&run, context, mode, l, device);
    kernel_go_ok(&run);
    assert_int_equal(run.result.count, 2);
    memcpy(l->parent, kernel_out(&run, "parent_out"), l->n * 4);
    memcpy(l->value, kernel_out(&run, "value_out"), l->n * 4);
    kernel_end(&run);
}

static int32_t follow(const links *l, int32_t at)
{
    int32_t to = l->parent[at];
    return to < 0 || to >= (int32_t)l->live ? at : to;
}

// A round as it is stated, an element at a time.
static void naive_round(const links *l, bool ranks, links *out)
{
    *out = *l;
    for (int32_t i = 0; i < (int32_t)l->n; i++) {
        if (i >= (int32_t)l->live) {
            out->parent[i] = i;
            out->value[i] = 0;
            continue;
        }
        int32_t to = follow(l, i);
        int64_t sum = (int64_t)l->value[i] + (to == i ? 0 : l->value[to]);
        out->parent[i] = follow(l, to);
        out->value[i] = ranks                        ? (int32_t)(uint32_t)(uint64_t)sum
                        : l->value[to] < l->value[i] ? l->value[to]
                                                     : l->value[i];
    }
}

static void one_round_is_as_stated(void **state)
{
    test_random random = { 113 };
    for (size_t i = 0; i < test_count(12000); i++) {
        links l = { .n = random_size(&random) }, expected;
        bool device = test_below(&random, 2), ranks = test_below(&random, 2), wild = test_below(&random, 2);
        l.live = test_below(&random, 2) ? l.n : test_below(&random, (uint32_t)l.n + 1);
        for (size_t k = 0; k < l.n; k++) {
            l.parent[k] =
                test_below(&random, 5) == 0 ? strange(&random) : (int32_t)test_below(&random, (uint32_t)l.n);
            l.value[k] = wild ? (int32_t)test_u32(&random) : (int32_t)test_below(&random, 9) - 4;
        }
        naive_round(&l, ranks, &expected);
        round_of(*state, ranks ? "rank" : "min", &l, device);
        assert_words("parent_out", l.parent, expected.parent, l.n);
        assert_words("value_out", l.value, expected.value, l.n);
    }
}

static int rounds_for(size_t n)
{
    int rounds = 0;
    while (((size_t)1 << rounds) < n) {
        rounds++;
    }
    return rounds;
}

// A forest whose elements link to ones that an order of them all puts before them; of chains, each is linked to once.
static void random_forest(test_random *random, links *l)
{
    int32_t order[MOST], taken[MOST] = { 0 };
    bool chains = test_below(random, 2);
    for (size_t k = 0; k < l->n; k++) {
        size_t other = test_below(random, (uint32_t)k + 1);
        order[k] = order[other];
        order[other] = (int32_t)k;
    }
    for (size_t k = 0; k < l->n; k++) {
        int32_t to = k == 0 || test_below(random, 5) == 0 ? order[k] : order[test_below(random, (uint32_t)k)];
        if (chains && to != order[k] && taken[to]++) {
            to = order[k];
        }
        l->parent[order[k]] = to == order[k] && test_below(random, 2) ? strange(random) : to;
        l->value[order[k]] = to != order[k];
    }
}

static void ranks_are_the_steps_to_the_end_of_chain_or_tree(void **state)
{
    test_random random = { 114 };
    for (size_t i = 0; i < test_count(2000); i++) {
        links l = { .n = random_size(&random) }, start;
        l.live = l.n;
        random_forest(&random, &l);
        start = l;
        for (int k = 0; k < rounds_for(l.n); k++) {
            round_of(*state, "rank", &l, i % 2);
        }
        for (int32_t k = 0; k < (int32_t)l.n; k++) {
            int32_t at = k, steps = 0;
            while (follow(&start, at) != at) {
                at = follow(&start, at);
                steps++;
            }
            assert_int_equal(l.value[k], steps);
            assert_int_equal(follow(&l, k), at);
        }
    }
}

static void every_element_of_a_cycle_holds_its_least_label(void **state)
{
    test_random random = { 115 };
    for (size_t i = 0; i < test_count(2000); i++) {
        links l = { .n = random_size(&random) }, start;
        l.live = l.n;
        for (size_t k = 0; k < l.n; k++) {
            size_t other = test_below(&random, (uint32_t)k + 1);
            l.parent[k] = l.parent[other];
            l.parent[other] = (int32_t)k;
            l.value[k] = (int32_t)k;
        }
        start = l;
        for (int k = 0; k < rounds_for(l.n); k++) {
            round_of(*state, "min", &l, i % 2);
        }
        for (int32_t k = 0; k < (int32_t)l.n; k++) {
            int32_t least = k;
            for (int32_t at = start.parent[k]; at != k; at = start.parent[at]) {
                least = at < least ? at : least;
            }
            assert_int_equal(l.value[k], least);
        }
    }
}

typedef struct pairs {
    size_t n, live, elements;
    int32_t la[MOST], lb[MOST], label[MOST];
} pairs;

// Floods labels over the pairs until none changes.
static void flood(const pairs *p, int32_t *label)
{
    memcpy(label, p->label, p->elements * 4);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < p->live; i++) {
            int32_t a = p->la[i], b = p->lb[i], most = (int32_t)p->elements;
            if (a < 0 || b < 0 || a >= most || b >= most || label[a] == label[b]) {
                continue;
            }
            label[a] = label[b] = label[a] < label[b] ? label[a] : label[b];
            more = true;
        }
    }
}

static void random_pairs(test_random *random, pairs *p)
{
    p->n = random_size(random);
    p->elements = random_size(random);
    p->live = test_below(random, 2) ? p->n : test_below(random, (uint32_t)p->n + 1);
    int shape = (int)test_below(random, 3);
    for (size_t i = 0; i < p->n; i++) {
        bool out = p->elements == 0 || test_below(random, 9) == 0;
        p->la[i] = out ? strange(random) : (int32_t)test_below(random, (uint32_t)p->elements);
        p->lb[i] = p->elements == 0 ? strange(random) : (int32_t)test_below(random, (uint32_t)p->elements);
    }
    for (size_t i = 0; i < p->elements; i++) {
        p->label[i] = shape == 0   ? (int32_t)i
                      : shape == 1 ? (int32_t)test_below(random, 5) - 2
                                   : (int32_t)test_u32(random);
    }
}

static void sets_take_their_least_label_in_one_round(void **state)
{
    test_random random = { 116 };
    for (size_t i = 0; i < test_count(12000); i++) {
        pairs p;
        random_pairs(&random, &p);
        int32_t label[MOST], changed = 0;
        flood(&p, label);
        for (size_t k = 0; k < p.elements; k++) {
            changed += label[k] != p.label[k];
        }
        for (int turn = 0; turn < 2; turn++) {
            kernel_run run;
            bool device = (i + (size_t)turn) % 2;
            kernel_begin(&run, *state, "jump", p.n, device ? (long)p.live : -1);
            kernel_choose(&run, "MODE", "label");
            kernel_bind(&run, "la", p.la, p.n);
            kernel_bind(&run, "lb", p.lb, p.n);
            kernel_bind(&run, "label", p.label, p.elements);
            if (!device) {
                kernel_param(&run, "n", (double)p.live);
            }
            kernel_go_ok(&run);
            assert_out(&run, "label", label, p.elements);
            assert_int_equal(kernel_out(&run, "changed")[0], turn == 0 ? changed : 0);
            memcpy(p.label, label, sizeof label);
            kernel_end(&run);
        }
    }
}

// Large enough for every thread to link the same sets at once.
static void threads_change_nothing(void **state)
{
    enum { N = 300000, SETS = 3 }; // enough for random links to be laid beside their values
    test_random random = { 117 };
    int32_t *words = malloc((size_t)N * 6 * sizeof *words);
    int32_t *la = words, *lb = la + N, *label = lb + N, *parent = label + N, *value = parent + N;
    int32_t *expected = value + N;
    for (int32_t i = 0; i < N; i++) { // shuffled pairs of neighbours that are SETS apart
        la[i] = (int32_t)((int64_t)i * 7919 % N);
        lb[i] = la[i] + SETS;
        label[i] = N - i;
        parent[i] = (int32_t)test_below(&random, N);
        value[i] = (int32_t)test_below(&random, 100);
        expected[i] = SETS - i % SETS;
    }
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        kernel_run run;
        kernel_begin(&run, context, "jump", N, -1);
        kernel_choose(&run, "MODE", "label");
        kernel_bind(&run, "la", la, N);
        kernel_bind(&run, "lb", lb, N);
        kernel_bind(&run, "label", label, N);
        kernel_go_ok(&run);
        assert_out(&run, "label", expected, N);
        assert_int_equal(kernel_out(&run, "changed")[0], N - SETS);
        kernel_end(&run);
        for (int mode = 0; mode < 2; mode++) {
            kernel_begin(&run, context, "jump", N, -1);
            kernel_choose(&run, "MODE", mode == 0 ? "min" : "rank");
            kernel_bind(&run, "parent", parent, N);
            kernel_bind(&run, "value", value, N);
            kernel_go_ok(&run);
            for (int32_t i = 0; i < N; i++) {
                int32_t own = value[i], ahead = value[parent[i]];
                int32_t sum = parent[i] == i ? own : own + ahead;
                assert_int_equal(kernel_out(&run, "parent_out")[i], parent[parent[i]]);
                assert_int_equal(kernel_out(&run, "value_out")[i], mode ? sum : own < ahead ? own : ahead);
            }
            kernel_end(&run);
        }
        test_context_end(context);
    }
    free(words);
}

static void a_mode_binds_its_own_alone(void **state)
{
    links l = { .n = 2, .live = 2 };
    kernel_run run;
    begin(&run, *state, "label", &l, false);
    kernel_refused(&run, "parent is of another variant");
    kernel_begin(&run, *state, "jump", 2, -1);
    kernel_refused(&run, "binding parent is not bound");
    kernel_begin(&run, *state, "jump", 3, -1);
    kernel_bind(&run, "parent", l.parent, 2);
    kernel_bind(&run, "value", l.value, 3);
    kernel_refused(&run, "binding parent holds 2 elements");
    kernel_begin(&run, *state, "jump", 2, -1);
    kernel_choose(&run, "MODE", "label");
    kernel_bind(&run, "la", l.parent, 2);
    kernel_bind(&run, "lb", l.parent, 2);
    kernel_refused(&run, "binding label is not bound");
}

static void a_failing_allocator_loses_nothing(void **state)
{
    static const int32_t la[] = { 0, 1 }, lb[] = { 1, 2 }, label[] = { 4, 3, 2 };
    bool good = false;
    for (uint64_t at = 1; !good; at++) {
        mr_context *context = test_context_of(1, 0);
        kernel_run run;
        kernel_begin(&run, context, "jump", 2, -1);
        kernel_choose(&run, "MODE", "label");
        kernel_bind(&run, "la", la, 2);
        kernel_bind(&run, "lb", lb, 2);
        kernel_bind(&run, "label", label, 3);
        mr_memory_fail_after(context, at, false);
        good = kernel_go(&run);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || run.error.status == MR_OUT_OF_MEMORY);
        assert_true(good || at < 100);
        kernel_end(&run);
        test_context_end(context);
    }
}

static void a_round_of_many_random_links_without_memory_is_refused(void **state)
{
    enum { N = 1 << 18 };
    int32_t *words = malloc((size_t)N * 2 * sizeof *words);
    test_random random = { 121 };
    bool good = false;
    for (int32_t i = 0; i < N; i++) {
        words[i] = (int32_t)test_below(&random, N);
        words[N + i] = 1;
    }
    for (uint64_t at = 1; !good; at++) {
        mr_context *context = test_context_of(2, 0);
        kernel_run run;
        kernel_begin(&run, context, "jump", N, -1);
        kernel_bind(&run, "parent", words, N);
        kernel_bind(&run, "value", words + N, N);
        mr_memory_fail_after(context, at, false);
        good = kernel_go(&run);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || run.error.status == MR_OUT_OF_MEMORY);
        assert_true(good || at < 100);
        kernel_end(&run);
        test_context_end(context);
    }
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_round_is_as_stated, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(ranks_are_the_steps_to_the_end_of_chain_or_tree, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(every_element_of_a_cycle_holds_its_least_label, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(sets_take_their_least_label_in_one_round, test_setup, test_teardown),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test_setup_teardown(a_mode_binds_its_own_alone, test_setup, test_teardown),
        cmocka_unit_test(a_failing_allocator_loses_nothing),
        cmocka_unit_test(a_round_of_many_random_links_without_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
