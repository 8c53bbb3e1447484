// Winding numbers of many points, which are worked out by crossings and strips, against the sum over all triangles that
// few points get; and the boundary edges both hang on.

#include "kernel/winding.h"
#include "slow_rays.h"

#include <string.h>

enum { POINTS = 2000, FEW = 200 };

// A torus of quads about the z axis, of which some faces may be missing, doubled or turned.
static scene torus(test_random *random, size_t across, size_t around, uint32_t harm)
{
    size_t quads = across * around, made = 0;
    scene s = { .faces = { 0 } };
    s.points = room_for(quads, 3 * sizeof(float));
    s.corners = room_for(2 * quads * 4, sizeof(int32_t));
    s.starts = room_for(2 * quads, sizeof(int32_t));
    s.counts = room_for(2 * quads, sizeof(int32_t));
    for (size_t k = 0; k < quads; k++) {
        double a = 2 * M_PI * (double)(k / around) / (double)across,
               b = 2 * M_PI * (double)(k % around) / (double)around;
        s.points[3 * k] = (float)((1 + 0.4 * cos(b)) * cos(a)) + 7;
        s.points[3 * k + 1] = (float)((1 + 0.4 * cos(b)) * sin(a));
        s.points[3 * k + 2] = (float)(0.4 * sin(b));
    }
    for (size_t k = 0; k < quads; k++) {
        size_t i = k / around, j = k % around, i1 = (i + 1) % across, j1 = (j + 1) % around;
        int32_t c[] = { (int32_t)k, (int32_t)(i1 * around + j), (int32_t)(i1 * around + j1),
                        (int32_t)(i * around + j1) };
        uint32_t copies = !harm || test_below(random, harm) ? 1 : test_below(random, 3);
        bool turned = harm && test_below(random, 4 * harm) == 0;
        for (uint32_t copy = 0; copy < copies; copy++, made++) {
            for (size_t corner_of = 0; corner_of < 4; corner_of++) {
                s.corners[4 * made + corner_of] = c[turned ? 3 - corner_of : corner_of];
            }
            s.starts[made] = (int32_t)(4 * made);
            s.counts[made] = 4;
        }
    }
    s.faces = (mr_faces){ s.points, quads, s.corners, 4 * made, s.starts, s.counts, made };
    return s;
}

static void random_points(test_random *random, const scene *s, float *points)
{
    for (size_t i = 0; i < POINTS; i++) {
        const float *p = s->points + 3 * test_below(random, (uint32_t)s->faces.point_count);
        const float *q = p + (i % 5 == 1 && p + 3 < s->points + 3 * s->faces.point_count ? 3 : 0);
        for (int axis = 0; axis < 3; axis++) {
            float on = 0.5f * p[axis] + 0.5f * q[axis];
            float off = i % 5 == 2 ? (float)test_between(random, -1e-5, 1e-5) : 0;
            points[3 * i + (size_t)axis] =
                i % 5 && i % 5 < 4 ? on + off : (float)test_between(random, -1.6, 1.6) + (axis == 0 ? 7 : 0);
        }
    }
    points[3] = NAN;
    points[3 * POINTS - 1] = 1e31f;
}

static void check_scene(mr_context *context, const scene *s, const float *points, bool closed)
{
    static float many[POINTS], few[POINTS];
    mr_error error = { 0 };
    mr_winding_points all = { points, 3, POINTS, many, 1 };
    test_assert_ok(mr_winding_numbers(context, &s->faces, &all, &error), &error);
    for (size_t i = 0; i < POINTS; i += FEW) {
        mr_winding_points part = { points + 3 * i, 3, FEW, few + i, 1 };
        test_assert_ok(mr_winding_numbers(context, &s->faces, &part, &error), &error);
    }
    for (size_t i = 0; i < POINTS; i++) {
        // Of a closed surface to the bit; else the last bits of two sums may round apart.
        if (!(closed ? many[i] == few[i] : fabsf(many[i] - few[i]) <= 0x1p-20f)) {
            fail_msg("point %zu (%a %a %a) winds %.9g, not %.9g", i, (double)points[3 * i],
                     (double)points[3 * i + 1], (double)points[3 * i + 2], (double)many[i], (double)few[i]);
        }
        assert_true(!closed || i % 5 || many[i] == 0 || many[i] == 1);
    }
    assert_true(many[1] == 0 && many[POINTS - 1] == 0);
}

static void many_points_wind_as_few_do(void **state)
{
    static float points[3 * POINTS];
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(10); n++) {
        scene s = torus(&random, 60, 30, n % 2 ? 100 : 0);
        random_points(&random, &s, points);
        check_scene(*state, &s, points, n % 2 == 0);
        free_scene(&s);
    }
}

static void every_instruction_set_and_thread_count_gives_the_same_bits(void **state)
{
    static const char *const isas[] = { "base", "v3", "v4", NULL };
    static float points[3 * POINTS], first[POINTS], other[POINTS];
    test_random random = { 2 };
    scene s = torus(&random, 60, 30, 60);
    random_points(&random, &s, points);
    for (size_t k = 0; k < 4; k++) {
        mr_context_config config = mr_context_config_default();
        mr_context *context;
        mr_error error;
        config.isa = isas[k];
        config.threads = isas[k] ? 1 : 7;
        if (!mr_context_create(&config, &context, &error)) {
            continue;
        }
        mr_winding_points all = { points, 3, POINTS, k ? other : first, 1 };
        test_assert_ok(mr_winding_numbers(context, &s.faces, &all, &error), &error);
        assert_memory_equal(k ? other : first, first, sizeof first);
        test_context_end(context);
    }
    free_scene(&s);
}

static bool same_point(const float *a, const float *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// How often the edges hold one from a to b, less those from b to a.
static int64_t times(const float *edges, size_t count, size_t stride, const float *a, const float *b)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const float *from = edges + stride * i, *to = from + 3;
        sum += same_point(from, a) && same_point(to, b);
        sum -= same_point(from, b) && same_point(to, a);
    }
    return sum;
}

static void the_boundary_is_what_is_not_taken_back(void **state)
{
    enum { MOST = 60 };
    test_random random = { 3 };
    for (size_t n = 0; n < test_count(400); n++) {
        size_t count = test_below(&random, MOST), boundary, left = 0;
        float triangles[9 * MOST], edges[18 * MOST], *found;
        mr_error error = { 0 };
        for (size_t i = 0; i < 9 * count; i++) {
            triangles[i] = (float)test_below(&random, 2); // few places: much is shared
            triangles[i] = triangles[i] == 0 && test_below(&random, 2) ? -0.0f : triangles[i];
        }
        for (size_t i = 0; i < 3 * count; i++) {
            memcpy(edges + 6 * i, triangles + 9 * (i / 3) + 3 * (i % 3), 12);
            memcpy(edges + 6 * i + 3, triangles + 9 * (i / 3) + 3 * ((i + 1) % 3), 12);
        }
        test_assert_ok(mr_winding_boundary(*state, triangles, count, SIZE_MAX, &found, &boundary, &error),
                       &error);
        for (size_t i = 0; i < 3 * count; i++) {
            const float *a = edges + 6 * i, *b = a + 3;
            int64_t want = same_point(a, b) ? 0 : times(edges, 3 * count, 6, a, b);
            assert_int_equal(found ? times(found, boundary, 6, a, b) : 0, want);
        }
        for (size_t i = 0; found && i < boundary; i++) { // none both ways, none of no length
            left += times(found, boundary, 6, found + 6 * i, found + 6 * i + 3) > 0;
        }
        assert_int_equal(left, boundary);
        if (found) {
            mr_buffer_release(*state, found);
        }
    }
}

static void failing_memory_and_a_cancel_are_errors(void **state)
{
    static float points[3 * POINTS], numbers[POINTS];
    test_random random = { 4 };
    scene s = torus(&random, 60, 30, 100);
    mr_context *context = test_context_of(1, 0);
    mr_winding_points all = { points, 3, POINTS, numbers, 1 };
    mr_error error = { 0 };
    bool good = false;
    random_points(&random, &s, points);
    for (uint64_t site = 1; !good; site++) {
        mr_memory_fail_after(context, site, true);
        good = mr_winding_numbers(context, &s.faces, &all, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY);
        mr_buffer_trim(context);
        assert_true(site < 1000);
    }
    mr_context_cancel(context);
    assert_false(mr_winding_numbers(context, &s.faces, &all, &error));
    assert_int_equal(error.status, MR_CANCELLED);
    mr_context_resume(context);
    test_context_end(context);
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(many_points_wind_as_few_do, test_setup, test_teardown),
        cmocka_unit_test(every_instruction_set_and_thread_count_gives_the_same_bits),
        cmocka_unit_test_setup_teardown(the_boundary_is_what_is_not_taken_back, test_setup, test_teardown),
        cmocka_unit_test(failing_memory_and_a_cancel_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
