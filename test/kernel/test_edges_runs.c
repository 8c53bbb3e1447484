// The table of edges against a naive map of pairs, over orders that are right, in part and out of all range, in the
// plain form and over a live count.

#include "kernel/run_kernel.h"

enum { MOST = 48, NONE = INT32_MAX };

typedef struct sides {
    size_t slots, places, live;
    int32_t lo[MOST], hi[MOST], order[MOST];
} sides;

static bool before(const sides *s, int32_t a, int32_t b)
{
    return s->lo[a] != s->lo[b] ? s->lo[a] < s->lo[b] : s->hi[a] < s->hi[b];
}

// An insertion sort, which is stable.
static void sort_order(sides *s)
{
    for (size_t i = 0; i < s->slots; i++) {
        size_t at = i;
        for (; at > 0 && before(s, (int32_t)i, s->order[at - 1]); at--) {
            s->order[at] = s->order[at - 1];
        }
        s->order[at] = (int32_t)i;
    }
    s->places = s->slots;
}

static void random_sides(test_random *random, sides *s)
{
    uint32_t points = 2 + test_below(random, 8);
    s->slots = test_below(random, 6) == 0 ? test_below(random, 4) : test_below(random, MOST + 1);
    for (size_t i = 0; i < s->slots; i++) {
        int32_t a = (int32_t)test_below(random, points), b = (int32_t)test_below(random, points);
        s->lo[i] = a == b ? NONE : a < b ? a : b;
        s->hi[i] = a == b ? NONE : a < b ? b : a;
    }
    sort_order(s);
}

static void spoil_order(test_random *random, sides *s)
{
    static const int32_t strange[] = { -1, INT32_MIN, INT32_MAX, MOST };
    s->places = test_below(random, MOST + 1);
    for (size_t i = 0; i < s->places; i++) {
        bool out = s->slots == 0 || test_below(random, 6) == 0;
        s->order[i] = out ? strange[test_below(random, 4)] : (int32_t)test_below(random, (uint32_t)s->slots);
    }
}

// A place's side as one number; -1: none.
static int64_t side_of(const sides *s, int64_t place)
{
    if (place < 0 || place >= (int64_t)s->live || s->order[place] < 0 ||
        s->order[place] >= (int64_t)s->slots) {
        return -1;
    }
    int32_t slot = s->order[place];
    return s->lo[slot] == NONE ? -1 : (int64_t)s->lo[slot] << 32 | s->hi[slot];
}

static void begin(kernel_run *run, mr_context *context, const sides *s, const char *stage, size_t n,
                  bool device)
{
    kernel_begin(run, context, "edges_runs", n, device ? (long)s->live : -1);
    kernel_choose(run, "STAGE", stage);
    kernel_bind(run, "lo", s->lo, s->slots);
    kernel_bind(run, "hi", s->hi, s->slots);
    kernel_bind(run, "order", s->order, s->places);
    if (!device && s->live != s->places) {
        kernel_param(run, "n", (double)s->live);
    }
}

static void check_heads(mr_context *context, const sides *s, bool device, int32_t *flag)
{
    kernel_run run;
    for (size_t i = 0; i < s->places; i++) {
        int64_t side = side_of(s, (int64_t)i);
        flag[i] = side >= 0 && side != side_of(s, (int64_t)i - 1);
    }
    begin(&run, context, s, "heads", s->places, device);
    kernel_go_ok(&run);
    assert_int_equal(run.result.count, 1);
    assert_out(&run, "flag", flag, s->places);
    kernel_end(&run);
}

static void check_table(mr_context *context, const sides *s, bool device, const int32_t *starts, size_t edges)
{
    int32_t a[MOST], b[MOST], fcount[MOST];
    kernel_run run;
    for (size_t e = 0; e < edges; e++) {
        int64_t side = side_of(s, starts[e]);
        a[e] = side < 0 ? -1 : (int32_t)(side >> 32);
        b[e] = side < 0 ? -1 : (int32_t)(side & INT32_MAX);
        fcount[e] = 0;
        for (int64_t place = starts[e]; side >= 0 && side_of(s, place) == side; place++) {
            fcount[e]++;
        }
    }
    begin(&run, context, s, "table", edges, device);
    kernel_bind(&run, "starts", starts, edges);
    kernel_go_ok(&run);
    assert_int_equal(run.result.count, 3);
    assert_out(&run, "a", a, edges);
    assert_out(&run, "b", b, edges);
    assert_out(&run, "fcount", fcount, edges);
    kernel_end(&run);
}

// The starts of the flags, -1 past them.
static size_t compact(const int32_t *flag, size_t places, int32_t *starts, size_t capacity)
{
    size_t kept = 0;
    for (size_t i = 0; i < capacity; i++) {
        starts[i] = -1;
    }
    for (size_t i = 0; i < places; i++) {
        if (flag[i]) {
            starts[kept++] = (int32_t)i;
        }
    }
    return kept;
}

static void heads_and_rows_are_those_of_a_naive_walk(void **state)
{
    test_random random = { 94 };
    for (size_t i = 0; i < test_count(12000); i++) {
        sides s;
        int32_t flag[MOST], starts[MOST];
        random_sides(&random, &s);
        if (test_below(&random, 2)) {
            spoil_order(&random, &s);
        }
        bool device = test_below(&random, 2);
        s.live = test_below(&random, 2) ? s.places : test_below(&random, (uint32_t)s.places + 1);
        check_heads(*state, &s, device, flag);
        size_t kept = compact(flag, s.places, starts, MOST);
        size_t spare = test_below(&random, (uint32_t)(MOST - kept) + 1);
        if (test_below(&random, 3) == 0) { // starts that no compaction made
            for (size_t e = 0; e < kept + spare; e++) {
                starts[e] = (int32_t)test_below(&random, (uint32_t)s.places + 4) - 2;
            }
        }
        check_table(*state, &s, device, starts, kept + spare);
    }
}

// Every pair of points there is, once, and its slots in their own order.
static void edges_are_the_pairs_there_are(void **state)
{
    test_random random = { 95 };
    for (size_t i = 0; i < test_count(3000); i++) {
        sides s;
        int32_t flag[MOST], starts[MOST];
        kernel_run run;
        random_sides(&random, &s);
        s.live = s.places;
        check_heads(*state, &s, false, flag);
        size_t edges = compact(flag, s.places, starts, s.places), sides_seen = 0, pairs = 0;
        begin(&run, *state, &s, "table", edges, false);
        kernel_bind(&run, "starts", starts, edges);
        kernel_go_ok(&run);
        const int32_t *a = kernel_out(&run, "a"), *b = kernel_out(&run, "b");
        const int32_t *fcount = kernel_out(&run, "fcount");
        for (size_t e = 0; e < edges; e++) {
            assert_true(a[e] < b[e]);
            assert_true(e == 0 || a[e - 1] < a[e] || (a[e - 1] == a[e] && b[e - 1] < b[e]));
            for (int32_t j = 0; j < fcount[e]; j++) {
                int32_t slot = s.order[starts[e] + j];
                assert_true(s.lo[slot] == a[e] && s.hi[slot] == b[e]);
                assert_true(j == 0 || slot > s.order[starts[e] + j - 1]);
            }
            sides_seen += (size_t)fcount[e];
        }
        for (size_t v = 0; v < s.slots; v++) {
            pairs += s.lo[v] != NONE;
        }
        assert_int_equal(sides_seen, pairs);
        kernel_end(&run);
    }
}

// The live count states the sorted places also where there is room for fewer edges.
static void a_table_of_fewer_edges_than_places_walks_all_of_a_run(void **state)
{
    sides s = { .slots = 4,
                .places = 4,
                .live = 4,
                .lo = { 1, 1, 1, 1 },
                .hi = { 2, 2, 2, 2 },
                .order = { 0, 1, 2, 3 } };
    static const int32_t starts[] = { 0 }, four[] = { 4 };
    kernel_run run;
    begin(&run, *state, &s, "table", 1, true);
    kernel_bind(&run, "starts", starts, 1);
    kernel_go_ok(&run);
    assert_out(&run, "fcount", four, 1);
    kernel_end(&run);
}

static void a_stage_binds_its_own_alone(void **state)
{
    sides s = { .slots = 1, .places = 1, .live = 1, .lo = { 1 }, .hi = { 2 }, .order = { 0 } };
    kernel_run run;
    begin(&run, *state, &s, "heads", 1, false);
    kernel_bind(&run, "starts", s.order, 1);
    kernel_refused(&run, "starts is of another variant");
    begin(&run, *state, &s, "table", 2, false);
    kernel_bind(&run, "starts", s.order, 1);
    kernel_refused(&run, "binding starts holds 1 elements");
    begin(&run, *state, &s, "tables", 1, false);
    kernel_refused(&run, "heads table");
}

// Pairs in runs of 1 to 5 slots, over many runs of the pool.
static void threads_change_nothing(void **state)
{
    enum { PLACES = 200000 };
    int32_t *words = malloc((size_t)PLACES * 4 * sizeof *words);
    int32_t *lo = words, *hi = lo + PLACES, *order = hi + PLACES, *starts = order + PLACES;
    size_t edges = 0;
    for (int32_t i = 0; i < PLACES; i++) {
        int32_t slot = (int32_t)((int64_t)i * 7919 % PLACES); // places stand all over the slots
        order[i] = slot;
        lo[slot] = i / 15;
        hi[slot] = i / 15 + 1 + (i % 15 >= 1) + (i % 15 >= 3) + (i % 15 >= 6) + (i % 15 >= 10);
    }
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        kernel_run run;
        kernel_begin(&run, context, "edges_runs", PLACES, -1);
        kernel_bind(&run, "lo", lo, PLACES);
        kernel_bind(&run, "hi", hi, PLACES);
        kernel_bind(&run, "order", order, PLACES);
        kernel_go_ok(&run);
        edges = compact(kernel_out(&run, "flag"), PLACES, starts, PLACES);
        kernel_end(&run);
        kernel_begin(&run, context, "edges_runs", PLACES, -1);
        kernel_choose(&run, "STAGE", "table");
        kernel_bind(&run, "lo", lo, PLACES);
        kernel_bind(&run, "hi", hi, PLACES);
        kernel_bind(&run, "order", order, PLACES);
        kernel_bind(&run, "starts", starts, PLACES);
        kernel_go_ok(&run);
        for (size_t e = 0; e < PLACES; e++) {
            int32_t count = e == edges - 1 ? PLACES - starts[e] : (int32_t)(e % 5) + 1;
            assert_int_equal(kernel_out(&run, "fcount")[e], e < edges ? count : 0);
            assert_int_equal(kernel_out(&run, "a")[e], e < edges ? (int32_t)(e / 5) : -1);
            assert_int_equal(kernel_out(&run, "b")[e], e < edges ? (int32_t)(e / 5 + e % 5) + 1 : -1);
        }
        kernel_end(&run);
        test_context_end(context);
    }
    assert_true(edges > PLACES / 3);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(heads_and_rows_are_those_of_a_naive_walk, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(edges_are_the_pairs_there_are, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_table_of_fewer_edges_than_places_walks_all_of_a_run, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(a_stage_binds_its_own_alone, test_setup, test_teardown),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
