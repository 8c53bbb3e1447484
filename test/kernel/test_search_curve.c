// search_curve, held to walking along each curve's vertices, in doubles.

#include "kernel/run_kernel.h"

#include <math.h>

enum { CURVES_MOST = 8, VERTICES_MOST = 60, SAMPLES_MOST = 50 };

static float vertices[4 * VERTICES_MOST], curves[4 * CURVES_MOST], at[SAMPLES_MOST];
static int32_t owner[SAMPLES_MOST];
static size_t curve_count, vertex_count;

// Curves on a lattice, whose lengths are whole: arc lengths are exact, and samples meet vertices exactly.
static void make_curves(test_random *random)
{
    float arc = 0;
    curve_count = test_below(random, CURVES_MOST + 1);
    vertex_count = 0;
    for (size_t c = 0; c < curve_count; c++) {
        size_t count = test_below(random, 8);
        bool closed = test_below(random, 2);
        float before = arc, p[3] = { 0, 0, 0 };
        for (size_t i = 0; i < count; i++) {
            float *v = &vertices[4 * (vertex_count + i)];
            float step = i == 0 ? 0 : (float)test_below(random, 4); // 0: a segment of no length
            size_t axis = test_below(random, 3);
            p[axis] += test_below(random, 2) ? step : -step;
            arc += step;
            memcpy(v, p, sizeof p);
            v[3] = arc;
        }
        if (closed && count > 0) {
            const float *a = &vertices[4 * vertex_count], *b = &vertices[4 * (vertex_count + count - 1)];
            arc += roundf(sqrtf((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                (a[2] - b[2]) * (a[2] - b[2])));
        }
        float *curve = &curves[4 * c];
        curve[0] = (float)vertex_count;
        curve[1] = closed ? -(float)count : (float)count;
        curve[2] = before;
        curve[3] = arc - before;
        vertex_count += count;
    }
}

static void make_samples(test_random *random, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        static const float strange[] = { NAN, INFINITY, -INFINITY, -0.0f, 1.0f, 0.0f, 2.0f, -1.0f };
        owner[i] = (int32_t)test_below(random, (uint32_t)curve_count + 2) - 1;
        at[i] = test_below(random, 5) == 0   ? strange[test_below(random, 8)]
                : test_below(random, 2) == 0 ? (float)test_below(random, 9) / 8
                                             : (float)test_between(random, 0, 1);
    }
}

static void nothing_there(const int32_t *segment, const float *placed, const float *heading, int32_t none)
{
    assert_int_equal(segment[0], none);
    assert_int_equal(segment[1], none);
    for (size_t k = 0; k < 4; k++) {
        assert_true(placed[k] == 0 && (k == 3 || heading[k] == 0));
    }
}

static void check_sample(size_t i, const int32_t *segment, const float *placed, const float *heading)
{
    const float *c = owner[i] < 0 || (size_t)owner[i] >= curve_count ? NULL : &curves[4 * owner[i]];
    if (!c || c[1] == 0) {
        nothing_there(segment, placed, heading, -1);
        return;
    }
    size_t first = (size_t)c[0], count = (size_t)fabsf(c[1]);
    bool closed = c[1] < 0;
    float held = at[i] > 0 ? (at[i] < 1 ? at[i] : 1) : 0;
    volatile float part = held * c[3];
    float s = c[2] + part;
    size_t last = closed || count == 1 ? count - 1 : count - 2, found = 0;
    for (size_t k = 0; k <= last; k++) {
        found = vertices[4 * (first + k) + 3] <= s ? k : found;
    }
    size_t next = found + 1 < count ? found + 1 : closed ? 0 : found;
    assert_int_equal(segment[0], first + found);
    assert_int_equal(segment[1], first + next);
    const float *p = &vertices[4 * (first + found)], *q = &vertices[4 * (first + next)];
    double span = (double)(next > found ? q[3] : c[2] + c[3]) - (double)p[3];
    double t = span > 0 ? ((double)s - (double)p[3]) / span : 0, length = 0;
    t = t > 1 ? 1 : t < 0 ? 0 : t;
    assert_true(fabs((double)placed[3] - t) < 1e-6);
    for (size_t k = 0; k < 3; k++) {
        double d = (double)q[k] - (double)p[k];
        length += d * d;
        assert_true(fabs((double)placed[k] - ((double)p[k] + d * t)) < 1e-5);
    }
    for (size_t k = 0; k < 3; k++) {
        double unit = length > 0 ? ((double)q[k] - (double)p[k]) / sqrt(length) : 0;
        assert_true(fabs((double)heading[k] - unit) < 1e-6);
    }
    if (t == 1) {
        assert_memory_equal(placed, q, 3 * sizeof *q);
    }
}

static void begin(kernel_run *run, mr_context *context, size_t n, long live)
{
    kernel_begin(run, context, "search_curve", n, live);
    kernel_bind(run, "owner", owner, n);
    kernel_bind_as(run, "at", MR_COLUMN_FLOAT, at, n);
    kernel_bind_as(run, "vertices", MR_COLUMN_VEC4, vertices, vertex_count);
    kernel_bind_as(run, "curves", MR_COLUMN_VEC4, curves, curve_count);
}

static void samples_stand_where_a_walk_finds_them(void **state)
{
    test_random random = { 61 };
    for (size_t i = 0; i < test_count(4000); i++) {
        size_t n = test_below(&random, SAMPLES_MOST);
        long live = test_below(&random, 3) ? -1 : (long)test_below(&random, (uint32_t)n + 2);
        make_curves(&random);
        make_samples(&random, n);
        kernel_run run;
        begin(&run, *state, n, live);
        kernel_go_ok(&run);
        const int32_t *segment = kernel_out(&run, "segment");
        const float *placed = mr_kernel_result_find(&run.result, "placed")->f32;
        const float *heading = mr_kernel_result_find(&run.result, "heading")->f32;
        for (size_t k = 0; k < n; k++) {
            if (live >= 0 && k >= (size_t)live) {
                nothing_there(segment + 2 * k, placed + 4 * k, heading + 3 * k, 0);
            } else {
                check_sample(k, segment + 2 * k, placed + 4 * k, heading + 3 * k);
            }
        }
        kernel_end(&run);
    }
}

static void slots_past_the_live_samples_are_left_alone(void **state)
{
    static const float line[] = { 0, 0, 0, 0, 2, 0, 0, 2 };
    static const int32_t kept[] = { 5, 6, 7, 8 };
    memcpy(vertices, line, sizeof line);
    memcpy(curves, (float[]){ 0, 2, 0, 2 }, 4 * sizeof(float));
    curve_count = 1;
    vertex_count = 2;
    owner[0] = owner[1] = 0;
    at[0] = at[1] = 0.25f;
    kernel_run run;
    begin(&run, *state, 2, 1);
    kernel_bind_as(&run, "segment", MR_COLUMN_INT2, kept, 2);
    kernel_go_ok(&run);
    assert_words("segment", kernel_out(&run, "segment"), (int32_t[]){ 0, 1, 7, 8 }, 4);
    assert_true(mr_kernel_result_find(&run.result, "placed")->f32[0] == 0.5f);
    kernel_end(&run);
}

// Curves that are none: fractions, NaN, runs that leave the vertices, numbers no index holds.
static void curves_that_do_not_hold_are_none(void **state)
{
    static const float bad[][2] = { { -1, 2 },       { 0, 3 },         { 2, 1 },     { 1, -2 },
                                    { NAN, 2 },      { 0, NAN },       { 1e20f, 1 }, { 0, INFINITY },
                                    { INFINITY, 1 }, { 0, -INFINITY }, { 0, 0.5f },  { 3e9f, 1 } };
    static const float line[] = { 0, 0, 0, 0, 2, 0, 0, 2 };
    memcpy(vertices, line, sizeof line);
    vertex_count = 2;
    curve_count = 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(curves, (float[]){ bad[i][0], bad[i][1], 0, 2 }, 4 * sizeof(float));
        owner[0] = 0;
        at[0] = 0.5f;
        kernel_run run;
        begin(&run, *state, 1, -1);
        kernel_go_ok(&run);
        nothing_there(kernel_out(&run, "segment"), mr_kernel_result_find(&run.result, "placed")->f32,
                      mr_kernel_result_find(&run.result, "heading")->f32, -1);
        kernel_end(&run);
    }
}

static void directions_are_unit_at_every_size(void **state)
{
    static const float scales[] = { 1e-40f, 1e-30f, 1.0f, 1e18f, 1e37f };
    for (size_t i = 0; i < 5; i++) {
        float s = scales[i];
        float line[] = { 0, 0, 0, 0, 3 * s, 0, 4 * s, 5 * s };
        memcpy(vertices, line, sizeof line);
        memcpy(curves, (float[]){ 0, 2, 0, 5 * s }, 4 * sizeof(float));
        vertex_count = 2;
        curve_count = 1;
        owner[0] = 0;
        at[0] = 0.5f;
        kernel_run run;
        begin(&run, *state, 1, -1);
        kernel_go_ok(&run);
        const float *heading = mr_kernel_result_find(&run.result, "heading")->f32;
        float most = i == 0 ? 1e-4f : 1e-6f; // a denormal has fewer digits
        assert_true(fabsf(heading[0] - 0.6f) < most && heading[1] == 0 && fabsf(heading[2] - 0.8f) < most);
        kernel_end(&run);
    }
}

static void any_threads_place_the_same_and_what_does_not_fit_is_refused(void **state)
{
    enum { LARGE = 30000 };
    static int32_t owners[LARGE];
    static float places[LARGE], first[4 * LARGE];
    test_random random = { 62 };
    do {
        make_curves(&random);
    } while (curve_count < 4);
    for (size_t i = 0; i < LARGE; i++) {
        owners[i] = (int32_t)test_below(&random, (uint32_t)curve_count);
        places[i] = (float)test_between(&random, 0, 1);
    }
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        kernel_run run;
        kernel_begin(&run, context, "search_curve", LARGE, -1);
        kernel_bind(&run, "owner", owners, LARGE);
        kernel_bind_as(&run, "at", MR_COLUMN_FLOAT, places, LARGE);
        kernel_bind_as(&run, "vertices", MR_COLUMN_VEC4, vertices, vertex_count);
        kernel_bind_as(&run, "curves", MR_COLUMN_VEC4, curves, curve_count);
        kernel_go_ok(&run);
        const float *placed = mr_kernel_result_find(&run.result, "placed")->f32;
        if (threads == 1) {
            memcpy(first, placed, sizeof first);
        }
        assert_memory_equal(placed, first, sizeof first);
        kernel_end(&run);
        test_context_end(context);
    }
    kernel_run run;
    kernel_begin(&run, *state, "search_curve", 3, -1);
    kernel_bind(&run, "owner", owner, 3);
    kernel_bind_as(&run, "at", MR_COLUMN_FLOAT, at, 2);
    kernel_bind_as(&run, "vertices", MR_COLUMN_VEC4, vertices, vertex_count);
    kernel_bind_as(&run, "curves", MR_COLUMN_VEC4, curves, curve_count);
    kernel_refused(&run, "at");
    kernel_begin(&run, *state, "search_curve", 3, -1);
    kernel_bind(&run, "owner", owner, 3);
    kernel_bind_as(&run, "at", MR_COLUMN_FLOAT, at, 3);
    kernel_bind_as(&run, "vertices", MR_COLUMN_VEC3, vertices, vertex_count);
    kernel_bind_as(&run, "curves", MR_COLUMN_VEC4, curves, curve_count);
    kernel_refused(&run, "vertices");
    begin(&run, *state, 2, -1);
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
        cmocka_unit_test_setup_teardown(samples_stand_where_a_walk_finds_them, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(slots_past_the_live_samples_are_left_alone, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(curves_that_do_not_hold_are_none, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(directions_are_unit_at_every_size, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(any_threads_place_the_same_and_what_does_not_fit_is_refused,
                                        test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
