// The sides of meshes against a walk of every primitive's own list of points: meshes in order and out of it, with runs
// that overlap, leave gaps, are empty or leave the vertices, with points that are none.

#include "kernel/run_kernel.h"

enum { MOST_VERTICES = 64, MOST_PRIMITIVES = 24, NONE = INT32_MAX };

typedef struct mesh {
    size_t vertices, primitives;
    int32_t pt[MOST_VERTICES], vstart[MOST_PRIMITIVES], vcount[MOST_PRIMITIVES], closed[MOST_PRIMITIVES];
} mesh;

typedef struct answer {
    int32_t lo[MOST_VERTICES], hi[MOST_VERTICES], face[MOST_VERTICES], rev[MOST_VERTICES];
} answer;

static int32_t random_point(test_random *random, uint32_t points, bool broken)
{
    static const int32_t strange[] = { -1, INT32_MIN, INT32_MAX, INT32_MAX - 1 };
    return broken && test_below(random, 8) == 0 ? strange[test_below(random, 4)]
                                                : (int32_t)test_below(random, points);
}

// In order and apart, with gaps between runs.
static void ordered_runs(test_random *random, mesh *m)
{
    size_t at = 0;
    for (size_t i = 0; i < m->primitives; i++) {
        at += test_below(random, 4) == 0 ? test_below(random, 3) : 0;
        at = at < m->vertices ? at : m->vertices;
        size_t count = test_below(random, 6);
        count = count < m->vertices - at ? count : m->vertices - at;
        m->vstart[i] = (int32_t)at;
        m->vcount[i] = (int32_t)count;
        at += count;
    }
}

static void broken_runs(test_random *random, mesh *m)
{
    static const int32_t strange[] = { -1, INT32_MIN, INT32_MAX, MOST_VERTICES };
    for (size_t i = 0; i < m->primitives; i++) {
        m->vstart[i] = (int32_t)test_below(random, (uint32_t)m->vertices + 2);
        m->vcount[i] = (int32_t)test_below(random, 6);
        if (test_below(random, 8) == 0) {
            m->vstart[i] = strange[test_below(random, 4)];
        }
        if (test_below(random, 8) == 0) {
            m->vcount[i] = strange[test_below(random, 4)];
        }
    }
}

static void random_mesh(test_random *random, mesh *m)
{
    m->vertices = test_below(random, 8) == 0 ? test_below(random, 4) : test_below(random, MOST_VERTICES + 1);
    m->primitives = test_below(random, MOST_PRIMITIVES + 1);
    uint32_t points = 1 + test_below(random, 12);
    bool broken = test_below(random, 3) == 0;
    for (size_t v = 0; v < m->vertices; v++) {
        m->pt[v] = random_point(random, points, broken);
    }
    for (size_t i = 0; i < m->primitives; i++) {
        m->closed[i] = test_below(random, 2) ? (int32_t)test_below(random, 3) - 1 : 1;
    }
    if (test_below(random, 2)) {
        broken_runs(random, m);
    } else {
        ordered_runs(random, m);
    }
}

static void reference(const mesh *m, size_t primitives, bool all_wrap, answer *out)
{
    for (size_t v = 0; v < m->vertices; v++) {
        out->lo[v] = out->hi[v] = NONE;
        out->face[v] = -1;
        out->rev[v] = 0;
    }
    for (size_t i = 0; i < primitives; i++) {
        int64_t first = m->vstart[i], count = m->vcount[i];
        if (first < 0 || count < 1 || first + count > (int64_t)m->vertices) {
            continue;
        }
        for (int64_t k = 0; k < count; k++) {
            int32_t a = m->pt[first + k], b = m->pt[first + (k + 1) % count];
            bool last = k == count - 1, open = !all_wrap && m->closed[i] == 0;
            bool side = count >= 2 && !(last && open) && a != b && a >= 0 && b >= 0 && a < NONE && b < NONE;
            out->lo[first + k] = !side ? NONE : a < b ? a : b;
            out->hi[first + k] = !side ? NONE : a < b ? b : a;
            out->face[first + k] = side ? (int32_t)i : -1;
            out->rev[first + k] = side && b < a ? 1 : 0;
        }
    }
}

static void begin(kernel_run *run, mr_context *context, const mesh *m, long live)
{
    kernel_begin(run, context, "edges", m->primitives, live);
    kernel_bind(run, "pt", m->pt, m->vertices);
    kernel_bind(run, "vstart", m->vstart, m->primitives);
    kernel_bind(run, "vcount", m->vcount, m->primitives);
    kernel_bind_number(run, "nv", m->vertices);
}

static void assert_answer(kernel_run *run, const mesh *m, const answer *expected)
{
    assert_out(run, "lo", expected->lo, m->vertices);
    assert_out(run, "hi", expected->hi, m->vertices);
    assert_out(run, "face", expected->face, m->vertices);
    assert_out(run, "rev", expected->rev, m->vertices);
}

static void sides_are_those_of_each_primitives_own_points(void **state)
{
    test_random random = { 93 };
    for (size_t i = 0; i < test_count(12000); i++) {
        mesh m;
        answer expected;
        kernel_run run;
        random_mesh(&random, &m);
        uint32_t form = test_below(&random, 4);
        size_t live = test_below(&random, (uint32_t)m.primitives + 3);
        if (form == 0) { // over a live count
            size_t held = live < m.primitives ? live : m.primitives;
            reference(&m, held, true, &expected);
            begin(&run, *state, &m, (long)live);
        } else {
            bool held = form == 1;
            size_t primitives = held && live < m.primitives ? live : m.primitives;
            reference(&m, primitives, form == 2, &expected);
            begin(&run, *state, &m, -1);
            kernel_param(&run, "closed_all", form == 2);
            kernel_bind(&run, "closed", m.closed, m.primitives);
            if (held) {
                kernel_param(&run, "np", (double)live);
            }
        }
        kernel_go_ok(&run);
        assert_answer(&run, &m, &expected);
        kernel_end(&run);
    }
}

static void a_triangle_a_polyline_and_a_pair(void **state)
{
    static const int32_t pt[] = { 5, 2, 9, 1, 2, 2, 3, 7, 4, 6 };
    static const int32_t vstart[] = { 0, 3, 7, 9 }, vcount[] = { 3, 4, 2, 1 }, closed[] = { 1, 0, 1, 1 };
    static const int32_t lo[] = { 2, 2, 5, 1, NONE, 2, NONE, 4, 4, NONE };
    static const int32_t hi[] = { 5, 9, 9, 2, NONE, 3, NONE, 7, 7, NONE };
    static const int32_t face[] = { 0, 0, 0, 1, -1, 1, -1, 2, 2, -1 };
    static const int32_t rev[] = { 1, 0, 1, 0, 0, 0, 0, 1, 0, 0 };
    kernel_run run;
    kernel_begin(&run, *state, "edges", 4, -1);
    kernel_bind(&run, "pt", pt, 10);
    kernel_bind(&run, "vstart", vstart, 4);
    kernel_bind(&run, "vcount", vcount, 4);
    kernel_bind(&run, "closed", closed, 4);
    kernel_bind_number(&run, "nv", 10);
    kernel_param(&run, "closed_all", 0);
    kernel_go_ok(&run);
    assert_out(&run, "lo", lo, 10);
    assert_out(&run, "hi", hi, 10);
    assert_out(&run, "face", face, 10);
    assert_out(&run, "rev", rev, 10);
    kernel_end(&run);
}

// A strip of triangles long enough for many runs of the pool; `shuffled` puts the primitives out of order.
static uint64_t strip_digest(uint32_t threads, bool shuffled)
{
    enum { TRIANGLES = 100000 };
    mr_context *context = test_context_of(threads, 0);
    int32_t *words = malloc((size_t)TRIANGLES * 5 * sizeof *words);
    int32_t *pt = words, *vstart = words + 3 * TRIANGLES, *vcount = vstart + TRIANGLES;
    for (int32_t i = 0; i < TRIANGLES; i++) {
        int32_t place = shuffled ? (int32_t)((int64_t)i * 7919 % TRIANGLES) : i;
        for (int32_t k = 0; k < 3; k++) {
            pt[3 * i + k] = i + (i % 2 == 0 ? k : 2 - k);
        }
        vstart[i] = 3 * place;
        vcount[i] = 3;
    }
    kernel_run run;
    kernel_begin(&run, context, "edges", TRIANGLES, -1);
    kernel_bind(&run, "pt", pt, 3 * TRIANGLES);
    kernel_bind(&run, "vstart", vstart, TRIANGLES);
    kernel_bind(&run, "vcount", vcount, TRIANGLES);
    kernel_bind_number(&run, "nv", 3 * TRIANGLES);
    kernel_go_ok(&run);
    uint64_t digest = 0;
    for (size_t v = 0; v < 3 * TRIANGLES; v++) {
        size_t owner = (size_t)kernel_out(&run, "face")[v];
        assert_true((size_t)vstart[owner] == v / 3 * 3);
        int32_t lo = kernel_out(&run, "lo")[v], hi = kernel_out(&run, "hi")[v];
        assert_true(hi - lo == 1 || hi - lo == 2);
        digest = digest * 31 + (uint64_t)lo * 5 + (uint64_t)hi * 3 + (uint64_t)kernel_out(&run, "rev")[v];
    }
    kernel_end(&run);
    free(words);
    test_context_end(context);
    return digest;
}

static void threads_and_the_order_of_primitives_change_nothing(void **state)
{
    uint64_t one = strip_digest(1, false);
    assert_true(strip_digest(7, false) == one);
    assert_true(strip_digest(1, true) == one);
    assert_true(strip_digest(7, true) == one);
}

static void what_is_missing_or_short_is_refused(void **state)
{
    mesh m = { .vertices = 3, .primitives = 1, .pt = { 0, 1, 2 }, .vcount = { 3 } };
    kernel_run run;
    begin(&run, *state, &m, -1);
    kernel_param(&run, "closed_all", 0);
    kernel_refused(&run, "binding closed is not bound");
    kernel_begin(&run, *state, "edges", 1, -1);
    kernel_bind(&run, "pt", m.pt, 3);
    kernel_bind(&run, "vstart", m.vstart, 1);
    kernel_bind(&run, "vcount", m.vcount, 1);
    kernel_refused(&run, "nv says how much it writes");
    kernel_begin(&run, *state, "edges", 2, -1);
    kernel_bind(&run, "pt", m.pt, 3);
    kernel_bind(&run, "vstart", m.vstart, 1);
    kernel_bind(&run, "vcount", m.vcount, 2);
    kernel_bind_number(&run, "nv", 3);
    kernel_refused(&run, "binding vstart holds 1 elements");
    begin(&run, *state, &m, -1);
    run.binds[3].count = mr_count_plain(4);
    kernel_refused(&run, "binding pt holds 3 elements");
    begin(&run, *state, &m, 1);
    kernel_bind(&run, "closed", m.closed, 1);
    kernel_refused(&run, "of another variant");
}

// An output bound to a longer column keeps what it held past the vertices; no shorter one is written past its end.
static void bound_outputs_are_copied_and_written_within(void **state)
{
    mesh m = { .vertices = 3, .primitives = 1, .pt = { 0, 1, 2 }, .vcount = { 3 } };
    static const int32_t held[] = { 7, 7, 7, 7, 7 }, expected[] = { 0, 1, 0, 7, 7 };
    kernel_run run;
    begin(&run, *state, &m, -1);
    kernel_bind(&run, "lo", held, 5);
    kernel_go_ok(&run);
    assert_out(&run, "lo", expected, 5);
    kernel_end(&run);
}

static void a_failing_allocator_loses_nothing(void **state)
{
    mesh m = { .vertices = 3, .primitives = 1, .pt = { 0, 1, 2 }, .vcount = { 3 } };
    bool good = false;
    for (uint64_t at = 1; !good; at++) {
        mr_context *context = test_context_of(1, 0);
        kernel_run run;
        begin(&run, context, &m, -1);
        mr_memory_fail_after(context, at, false);
        good = kernel_go(&run);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || run.error.status == MR_OUT_OF_MEMORY);
        assert_true(good || at < 100);
        kernel_end(&run);
        test_context_end(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sides_are_those_of_each_primitives_own_points, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(a_triangle_a_polyline_and_a_pair, test_setup, test_teardown),
        cmocka_unit_test(threads_and_the_order_of_primitives_change_nothing),
        cmocka_unit_test_setup_teardown(what_is_missing_or_short_is_refused, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(bound_outputs_are_copied_and_written_within, test_setup,
                                        test_teardown),
        cmocka_unit_test(a_failing_allocator_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
