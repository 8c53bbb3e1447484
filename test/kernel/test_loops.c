// Directed edges ordered into rings and chains by loops, jump, loops_cut and loops_place, against walks from edge to
// edge: over disjoint rings and chains whose order is known, over any edges at all, and over words no stage wrote.

#include "kernel/run_kernel.h"

enum { MOST = 40, POINTS = 30, NONE = INT32_MAX };

typedef struct edges {
    size_t n, live, points;
    int32_t tail[MOST], tip[MOST];
} edges;

typedef struct order {
    int32_t leaving[POINTS], entering[POINTS], next[MOST], head[MOST], ring[MOST], pos[MOST];
} order;

static int32_t strange(test_random *random)
{
    static const int32_t words[] = { -1, INT32_MIN, INT32_MAX, MOST };
    return words[test_below(random, 4)];
}

static size_t random_size(test_random *random, size_t most)
{
    return test_below(random, 6) == 0 ? test_below(random, 4) : test_below(random, (uint32_t)most + 1);
}

static bool is_point(const edges *e, int32_t point)
{
    return point >= 0 && point < (int32_t)e->points;
}

// The sequence by kernels.

static void begin(kernel_run *run, mr_context *context, const char *kernel, const char *stage, const edges *e,
                  bool device)
{
    kernel_begin(run, context, kernel, e->n, device ? (long)e->live : -1);
    kernel_choose(run, strcmp(kernel, "jump") == 0 ? "MODE" : "STAGE", stage);
    if (!device && e->live != e->n) {
        kernel_param(run, "n", (double)e->live);
    }
}

static void take(const kernel_run *run, const char *name, int32_t *words, size_t count)
{
    memcpy(words, kernel_out(run, name), count * 4);
}

static void run_loops(mr_context *context, const edges *e, bool device, order *out)
{
    kernel_run run;
    kernel_begin(&run, context, "loops", e->points, device ? (long)e->points / 2 : -1);
    kernel_choose(&run, "STAGE", "clear");
    kernel_go_ok(&run);
    take(&run, "leaving", out->leaving, e->points);
    take(&run, "entering", out->entering, e->points);
    kernel_end(&run);
    for (size_t p = 0; p < e->points; p++) {
        assert_true(out->leaving[p] == NONE && out->entering[p] == NONE);
    }
    for (int stage = 0; stage < 2; stage++) {
        begin(&run, context, "loops", stage == 0 ? "claim" : "link", e, device);
        kernel_bind(&run, "tail", e->tail, e->n);
        kernel_bind(&run, "tip", e->tip, e->n);
        kernel_bind(&run, "leaving", out->leaving, e->points);
        kernel_bind(&run, "entering", out->entering, e->points);
        kernel_go_ok(&run);
        assert_int_equal(run.result.count, 2);
        if (stage == 0) {
            take(&run, "leaving", out->leaving, e->points);
            take(&run, "entering", out->entering, e->points);
        } else {
            take(&run, "next", out->next, e->n);
            take(&run, "head", out->head, e->n);
        }
        kernel_end(&run);
    }
}

static void run_jumps(mr_context *context, const char *mode, const edges *e, bool device, int32_t *parent,
                      int32_t *value)
{
    for (size_t reach = 1; reach < e->n; reach *= 2) {
        kernel_run run;
        begin(&run, context, "jump", mode, e, device);
        kernel_bind(&run, "parent", parent, e->n);
        kernel_bind(&run, "value", value, e->n);
        kernel_go_ok(&run);
        take(&run, "parent_out", parent, e->n);
        take(&run, "value_out", value, e->n);
        kernel_end(&run);
    }
}

// loops_cut from loops' answers: the lists' first edges in head, their links in cut.
static void run_cut(mr_context *context, const edges *e, bool device, const order *o, int32_t *head,
                    int32_t *cut)
{
    kernel_run run;
    int32_t par[MOST], label[MOST];
    memcpy(par, o->next, sizeof par);
    for (size_t i = 0; i < e->n; i++) {
        label[i] = (int32_t)i;
    }
    run_jumps(context, "min", e, device, par, label);
    begin(&run, context, "loops_cut", "head", e, device);
    kernel_bind(&run, "next", o->next, e->n);
    kernel_bind(&run, "head0", o->head, e->n);
    kernel_bind(&run, "label", label, e->n);
    kernel_bind(&run, "par", par, e->n);
    kernel_go_ok(&run);
    take(&run, "head", head, e->n);
    kernel_end(&run);
    begin(&run, context, "loops_cut", "cut", e, device);
    kernel_bind(&run, "next", o->next, e->n);
    kernel_bind(&run, "head", head, e->n);
    kernel_go_ok(&run);
    take(&run, "cut", cut, e->n);
    kernel_end(&run);
}

static void run_order(mr_context *context, const edges *e, bool device, order *out)
{
    kernel_run run;
    int32_t head[MOST], root[MOST], rank[MOST], headof[MOST];
    memset(out, 0, sizeof *out);
    run_loops(context, e, device, out);
    run_cut(context, e, device, out, head, root);
    for (size_t i = 0; i < e->n; i++) {
        rank[i] = root[i] != (int32_t)i;
    }
    run_jumps(context, "rank", e, device, root, rank);
    begin(&run, context, "loops_place", "claim", e, device);
    kernel_bind(&run, "root", root, e->n);
    kernel_bind(&run, "head", head, e->n);
    kernel_go_ok(&run);
    take(&run, "headof", headof, e->n);
    kernel_end(&run);
    begin(&run, context, "loops_place", "place", e, device);
    kernel_bind(&run, "root", root, e->n);
    kernel_bind(&run, "rank", rank, e->n);
    kernel_bind(&run, "headof", headof, e->n);
    kernel_go_ok(&run);
    take(&run, "ring", out->ring, e->n);
    take(&run, "pos", out->pos, e->n);
    kernel_end(&run);
}

// The sequence by walking.

static int32_t least_at(const edges *e, const int32_t *ends, int32_t point)
{
    for (int32_t i = 0; i < (int32_t)e->live; i++) {
        if (is_point(e, point) && ends[i] == point) {
            return i;
        }
    }
    return NONE;
}

// The edge that follows edge i, which is the least to enter its point; NONE: none does.
static int32_t follower(const edges *e, int32_t i)
{
    return least_at(e, e->tip, e->tip[i]) == i ? least_at(e, e->tail, e->tip[i]) : NONE;
}

static void walk_list(const edges *e, int32_t first, order *out)
{
    int32_t pos = 0, i = first;
    do {
        out->ring[i] = first;
        out->pos[i] = pos++;
        i = follower(e, i);
    } while (i != NONE && out->ring[i] < 0);
}

static void walk(const edges *e, order *out)
{
    memset(out, 0, sizeof *out);
    for (int32_t p = 0; p < (int32_t)e->points; p++) {
        out->leaving[p] = least_at(e, e->tail, p);
        out->entering[p] = least_at(e, e->tip, p);
    }
    for (int32_t i = 0; i < (int32_t)e->n; i++) {
        int32_t next = i < (int32_t)e->live ? follower(e, i) : NONE;
        out->next[i] = next == NONE ? i : next;
        out->head[i] = i < (int32_t)e->live;
        out->ring[i] = -1;
    }
    for (int32_t i = 0; i < (int32_t)e->live; i++) {
        if (out->next[i] != i) {
            out->head[out->next[i]] = 0;
        }
    }
    for (int pass = 0; pass < 2;
         pass++) { // chains from their heads, then what is left: rings from their least
        for (int32_t i = 0; i < (int32_t)e->live; i++) {
            if (out->ring[i] < 0 && (pass == 1 || out->head[i])) {
                walk_list(e, i, out);
            }
        }
    }
}

static void assert_order(const edges *e, const order *got, const order *expected)
{
    assert_words("leaving", got->leaving, expected->leaving, e->points);
    assert_words("entering", got->entering, expected->entering, e->points);
    assert_words("next", got->next, expected->next, e->n);
    assert_words("head", got->head, expected->head, e->n);
    assert_words("ring", got->ring, expected->ring, e->n);
    assert_words("pos", got->pos, expected->pos, e->n);
}

static void any_edges_are_ordered_as_a_walk_orders_them(void **state)
{
    test_random random = { 117 };
    for (size_t i = 0; i < test_count(10000); i++) {
        edges e = { .n = random_size(&random, MOST), .points = random_size(&random, POINTS) };
        e.live = test_below(&random, 2) ? e.n : test_below(&random, (uint32_t)e.n + 1);
        bool wild = e.points == 0 || test_below(&random, 3) == 0;
        for (size_t k = 0; k < e.n; k++) {
            bool out = wild && (e.points == 0 || test_below(&random, 6) == 0);
            e.tail[k] = out ? strange(&random) : (int32_t)test_below(&random, (uint32_t)e.points);
            out = wild && (e.points == 0 || test_below(&random, 6) == 0);
            e.tip[k] = out ? strange(&random) : (int32_t)test_below(&random, (uint32_t)e.points);
        }
        order got, expected;
        walk(&e, &expected);
        run_order(*state, &e, i % 2, &got);
        assert_order(&e, &got, &expected);
    }
}

static void shuffle(test_random *random, int32_t *words, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t other = test_below(random, (uint32_t)k + 1);
        words[k] = words[other];
        words[other] = (int32_t)k;
    }
}

// Rings and chains laid through points in order, under shuffled edge numbers: every edge's place is known.
static void disjoint_rings_and_chains_come_back_whole(void **state)
{
    test_random random = { 118 };
    for (size_t i = 0; i < test_count(4000); i++) {
        edges e = { .points = POINTS };
        int32_t number[MOST], point[POINTS];
        order expected = { .ring = { 0 } }, got;
        size_t laid = 0, used = 0;
        e.n = e.live = POINTS - 12; // each chain takes one point more than edges
        shuffle(&random, number, e.n);
        shuffle(&random, point, POINTS);
        while (laid < e.n) {
            size_t count = 1 + test_below(&random, (uint32_t)(e.n - laid));
            bool ring = test_below(&random, 2) || used - laid >= 12;
            size_t first = laid;
            for (size_t k = 0; k < count; k++) {
                int32_t edge = number[laid++];
                e.tail[edge] = point[used + k];
                e.tip[edge] = point[used + (ring ? (k + 1) % count : k + 1)];
            }
            used += count + !ring;
            size_t start = first; // a ring starts at its least edge
            for (size_t k = first; ring && k < laid; k++) {
                start = number[k] < number[start] ? k : start;
            }
            for (size_t k = 0; k < count; k++) {
                int32_t edge = number[first + (start - first + k) % count];
                expected.ring[edge] = number[start];
                expected.pos[edge] = (int32_t)k;
            }
        }
        run_order(*state, &e, i % 2, &got);
        assert_words("ring", got.ring, expected.ring, e.n);
        assert_words("pos", got.pos, expected.pos, e.n);
    }
}

// Links made of claims that nobody claimed: each edge has still at most one ahead and one behind, which agree.
static void claims_of_no_stage_make_lists_too(void **state)
{
    test_random random = { 119 };
    for (size_t i = 0; i < test_count(3000); i++) {
        edges e = { .n = random_size(&random, MOST), .points = 1 + test_below(&random, 6) };
        int32_t leaving[POINTS], entering[POINTS], behind[MOST];
        e.live = e.n;
        for (size_t k = 0; k < e.n; k++) {
            e.tail[k] = (int32_t)test_below(&random, (uint32_t)e.points);
            e.tip[k] = (int32_t)test_below(&random, (uint32_t)e.points);
            behind[k] = 0;
        }
        for (size_t p = 0; p < e.points; p++) {
            leaving[p] = test_below(&random, 4) ? (int32_t)test_below(&random, MOST) : strange(&random);
            entering[p] = test_below(&random, 4) ? (int32_t)test_below(&random, MOST) : strange(&random);
        }
        kernel_run run;
        begin(&run, *state, "loops", "link", &e, i % 2);
        kernel_bind(&run, "tail", e.tail, e.n);
        kernel_bind(&run, "tip", e.tip, e.n);
        kernel_bind(&run, "leaving", leaving, e.points);
        kernel_bind(&run, "entering", entering, e.points);
        kernel_go_ok(&run);
        const int32_t *next = kernel_out(&run, "next"), *head = kernel_out(&run, "head");
        for (int32_t k = 0; k < (int32_t)e.n; k++) {
            assert_true(next[k] >= 0 && next[k] < (int32_t)e.n);
            assert_true(next[k] == k || e.tip[k] == e.tail[next[k]]);
            behind[next[k]] += next[k] != k;
        }
        for (size_t k = 0; k < e.n; k++) {
            assert_int_equal(behind[k], head[k] ? 0 : 1);
        }
        kernel_end(&run);
    }
}

static int32_t random_word(test_random *random, size_t n)
{
    return n == 0 || test_below(random, 4) == 0 ? strange(random) : (int32_t)test_below(random, (uint32_t)n);
}

// Whatever the words are, loops_cut and loops_place answer as they state and stay within bounds.
static void cut_and_place_follow_their_rules_on_any_words(void **state)
{
    test_random random = { 120 };
    for (size_t i = 0; i < test_count(10000); i++) {
        edges e = { .n = random_size(&random, MOST) };
        int32_t words[6][MOST], head[MOST], cut[MOST], headof[MOST], ring[MOST], pos[MOST];
        e.live = test_below(&random, 2) ? e.n : test_below(&random, (uint32_t)e.n + 1);
        int32_t live = (int32_t)e.live;
        for (size_t k = 0; k < e.n; k++) {
            for (int w = 0; w < 6; w++) {
                words[w][k] = w == 1 ? (int32_t)test_below(&random, 2) : random_word(&random, e.n);
            }
            words[2][k] = test_below(&random, 2) ? (int32_t)k : words[2][k];
        }
        const int32_t *next = words[0], *head0 = words[1], *label = words[2], *par = words[3];
        const int32_t *root = words[4], *rank = words[5];
        for (int32_t k = 0; k < (int32_t)e.n; k++) {
            int32_t far = par[k], far_next = far >= 0 && far < live ? next[far] : far;
            bool rings = far >= 0 && far < live && far_next >= 0 && far_next < live && far_next != far;
            head[k] = k < live && (head0[k] || (rings && label[k] == k));
            headof[k] = -1;
        }
        for (int32_t k = 0; k < (int32_t)e.n; k++) {
            int32_t to = next[k] >= 0 && next[k] < live ? next[k] : k;
            cut[k] = k < live && !head0[to] ? to : k;
        }
        for (int32_t k = live - 1; k >= 0; k--) {
            if (head0[k] && root[k] >= 0 && root[k] < live) {
                headof[root[k]] = k;
            }
        }
        for (int32_t k = 0; k < (int32_t)e.n; k++) {
            int32_t first = k < live && root[k] >= 0 && root[k] < live ? par[root[k]] : -1;
            bool placed = first >= 0 && first < live;
            ring[k] = placed ? first : -1;
            pos[k] = placed ? (int32_t)((uint32_t)rank[first] - (uint32_t)rank[k]) : 0;
        }
        kernel_run run;
        begin(&run, *state, "loops_cut", "head", &e, i % 2);
        kernel_bind(&run, "next", next, e.n);
        kernel_bind(&run, "head0", head0, e.n);
        kernel_bind(&run, "label", label, e.n);
        kernel_bind(&run, "par", par, e.n);
        kernel_go_ok(&run);
        assert_out(&run, "head", head, e.n);
        kernel_end(&run);
        begin(&run, *state, "loops_cut", "cut", &e, i % 2);
        kernel_bind(&run, "next", next, e.n);
        kernel_bind(&run, "head", head0, e.n);
        kernel_go_ok(&run);
        assert_out(&run, "cut", cut, e.n);
        kernel_end(&run);
        begin(&run, *state, "loops_place", "claim", &e, i % 2);
        kernel_bind(&run, "root", root, e.n);
        kernel_bind(&run, "head", head0, e.n);
        kernel_go_ok(&run);
        assert_out(&run, "headof", headof, e.n);
        kernel_end(&run);
        begin(&run, *state, "loops_place", "place", &e, i % 2);
        kernel_bind(&run, "root", root, e.n);
        kernel_bind(&run, "rank", rank, e.n);
        kernel_bind(&run, "headof", par, e.n);
        kernel_go_ok(&run);
        assert_out(&run, "ring", ring, e.n);
        assert_out(&run, "pos", pos, e.n);
        kernel_end(&run);
    }
}

static void two_rings_that_share_a_point_are_ordered_by_their_least_edges(void **state)
{
    // 0 -> 1 -> 2 -> 0 as edges 0, 2, 4, and 0 -> 3 -> 4 -> 0 as edges 1, 3, 5.
    edges e = { .n = 6, .live = 6, .points = 5, .tail = { 0, 0, 1, 3, 2, 4 }, .tip = { 1, 3, 2, 4, 0, 0 } };
    static const int32_t ring[] = { 0, 1, 0, 1, 0, 1 }, pos[] = { 0, 0, 1, 1, 2, 2 };
    order got;
    run_order(*state, &e, false, &got);
    assert_words("ring", got.ring, ring, 6);
    assert_words("pos", got.pos, pos, 6);
}

static void a_stage_is_refused_what_it_lacks(void **state)
{
    edges e = { .n = 2, .live = 2, .points = 2 };
    kernel_run run;
    begin(&run, *state, "loops", "claim", &e, false);
    kernel_bind(&run, "tail", e.tail, 2);
    kernel_bind(&run, "tip", e.tip, 2);
    kernel_refused(&run, "binding leaving is not bound");
    begin(&run, *state, "loops", "clear", &e, false);
    kernel_bind(&run, "tail", e.tail, 2);
    kernel_refused(&run, "tail is of another variant");
    begin(&run, *state, "loops_cut", "head", &e, false);
    kernel_bind(&run, "next", e.tail, 1);
    kernel_bind(&run, "head0", e.tail, 2);
    kernel_bind(&run, "label", e.tail, 2);
    kernel_bind(&run, "par", e.tail, 2);
    kernel_refused(&run, "binding next holds 1 elements");
    begin(&run, *state, "loops_place", "place", &e, false);
    kernel_bind(&run, "root", e.tail, 2);
    kernel_bind(&run, "rank", e.tail, 2);
    kernel_refused(&run, "binding headof is not bound");
}

// One long ring under numbers that jump about it; every stage over many runs of the pool.
static void threads_change_nothing(void **state)
{
    enum { N = 60000, STEP = 7919 };
    int32_t *words = malloc((size_t)N * 4 * sizeof *words);
    int32_t *tail = words, *tip = tail + N, *none = tip + N, *expected = none + N;
    for (int32_t i = 0; i < N; i++) {
        int32_t place = (int32_t)((int64_t)i * STEP % N);
        tail[i] = place;
        tip[i] = (place + 1) % N;
        none[i] = NONE;
        expected[place] = i;
    }
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        kernel_run claim, run;
        kernel_begin(&claim, context, "loops", N, -1);
        kernel_choose(&claim, "STAGE", "claim");
        kernel_bind(&claim, "tail", tail, N);
        kernel_bind(&claim, "tip", tip, N);
        kernel_bind(&claim, "leaving", none, N);
        kernel_bind(&claim, "entering", none, N);
        kernel_go_ok(&claim);
        assert_out(&claim, "leaving", expected, N);
        kernel_begin(&run, context, "loops", N, -1);
        kernel_choose(&run, "STAGE", "link");
        kernel_bind(&run, "tail", tail, N);
        kernel_bind(&run, "tip", tip, N);
        kernel_bind(&run, "leaving", kernel_out(&claim, "leaving"), N);
        kernel_bind(&run, "entering", kernel_out(&claim, "entering"), N);
        kernel_go_ok(&run);
        for (int32_t i = 0; i < N; i++) {
            assert_int_equal(kernel_out(&run, "next")[i], expected[tip[i]]);
            assert_int_equal(kernel_out(&run, "head")[i], 0);
        }
        kernel_end(&run);
        kernel_end(&claim);
        test_context_end(context);
    }
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_edges_are_ordered_as_a_walk_orders_them, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(disjoint_rings_and_chains_come_back_whole, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(claims_of_no_stage_make_lists_too, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(cut_and_place_follow_their_rules_on_any_words, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(two_rings_that_share_a_point_are_ordered_by_their_least_edges,
                                        test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_stage_is_refused_what_it_lacks, test_setup, test_teardown),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
