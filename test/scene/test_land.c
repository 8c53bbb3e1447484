// Spines against the published island's walkway and the slow obvious search; the land against its drawn triangles.

#include "support.h"

#include "scene/land.h"

#include <math.h>

static const float walkway[] = { -22, 498, -22, 476, -34, 450, -14, 424, -38,
                                 400, -12, 378, -22, 354, -16, 340, -16, 333.6f };

static mr_spine *spine_of(mr_context *context, const float *points, size_t count, bool smooth)
{
    mr_error error;
    mr_spine *spine = mr_spine_create(context, points, count, smooth, &error);
    if (!spine) {
        fail_msg("%s", error.message);
    }
    return spine;
}

// The island's reference: 205 points, 203.3 m, and five of them.
static void the_walkway_is_the_published_one(void **state)
{
    mr_spine *spine = spine_of(*state, walkway, 9, true);
    assert_int_equal(spine->count, 205);
    assert_float_equal(mr_spine_length(spine), 203.3, 0.05);
    static const struct {
        size_t index;
        double x, z;
    } published[] = { { 0, -22, 498 },
                      { 27, -23.3026, 472.6188 },
                      { 100, -24.2764, 413.1652 },
                      { 150, -13.6468, 380.5923 },
                      { 203, -15.9475, 334.1119 } };
    for (size_t i = 0; i < 5; i++) {
        assert_float_equal(spine->x[published[i].index], published[i].x, 1e-4);
        assert_float_equal(spine->z[published[i].index], published[i].z, 1e-4);
    }
    mr_spine_release(spine);
}

// Six pairs of lanterns, from the published list; it takes its directions from five points, ours from the one segment, so
// the spots agree to a lantern's width.
static void spots_beside_the_walkway_stand_where_the_lanterns_do(void **state)
{
    static const double lanterns[] = {
        -14.217, 335.205, -17.198, 335.545, -14.146, 338.323, -17.129, 338.002,
        -14.966, 341.451, -17.721, 340.263, -16.558, 344.074, -19.053, 342.408,
        -18.129, 346.356, -20.656, 344.740, -19.427, 348.589, -22.159, 347.349
    };
    mr_spine *spine = spine_of(*state, walkway, 9, true);
    for (int i = 0; i < 12; i++) {
        float x;
        float z;
        float along = mr_spine_length(spine) - (1.8f + 2.8f * (float)(i / 2));
        mr_spine_at(spine, along, i % 2 == 0 ? 1.5f : -1.5f, &x, &z);
        // The published list walks away from the steps, so its sides are the other way round.
        float mirrored_x;
        float mirrored_z;
        mr_spine_at(spine, along, i % 2 == 0 ? -1.5f : 1.5f, &mirrored_x, &mirrored_z);
        double straight = hypot(x - lanterns[2 * i], z - lanterns[2 * i + 1]);
        double mirrored = hypot(mirrored_x - lanterns[2 * i], mirrored_z - lanterns[2 * i + 1]);
        assert_true(fmin(straight, mirrored) < 0.25);
    }
    mr_spine_release(spine);
}

static double slow_distance(const mr_spine *spine, double x, double z)
{
    double best = INFINITY;
    for (size_t i = 0; i + 1 < spine->count; i++) {
        double ax = spine->x[i];
        double az = spine->z[i];
        double dx = spine->x[i + 1] - ax;
        double dz = spine->z[i + 1] - az;
        double t = fmin(1, fmax(0, ((x - ax) * dx + (z - az) * dz) / (dx * dx + dz * dz)));
        best = fmin(best, hypot(x - ax - t * dx, z - az - t * dz));
    }
    return best;
}

static void the_index_never_changes_a_distance(void **state)
{
    test_random random = { 3 };
    for (size_t round = 0; round < test_count(40); round++) {
        float points[2 * 40];
        size_t count = 2 + test_below(&random, 39);
        double middle = round % 3 == 0 ? 0 : test_between(&random, -1e5, 1e5);
        double size = pow(10, test_between(&random, 0, round % 10 == 0 ? 4 : 2.5));
        for (size_t i = 0; i < 2 * count; i++) {
            points[i] = (float)(middle + test_between(&random, -size, size));
        }
        mr_spine *spine = spine_of(*state, points, count, round % 2 == 0);
        float reach = (float)pow(10, test_between(&random, -1, 3));
        mr_error error;
        test_assert_ok(mr_spine_index(spine, reach, &error), &error);
        for (int i = 0; i < 500; i++) {
            float x = (float)(middle + test_between(&random, -1.2 * size - reach, 1.2 * size + reach));
            float z = (float)(middle + test_between(&random, -1.2 * size - reach, 1.2 * size + reach));
            float whole = mr_spine_distance(spine, x, z, NULL);
            float expected = whole < reach ? whole : reach;
            assert_true(mr_spine_distance_within(spine, x, z, reach) == expected);
            double slow = slow_distance(spine, x, z);
            assert_true(fabs((double)whole - slow) <= 1e-5 * slow + 1e-6 * (fabs(middle) + size));
        }
        mr_spine_release(spine);
    }
}

static void a_spine_runs_on_straight_past_its_ends(void **state)
{
    const float points[] = { 0, 0, 10, 0, 10, 20 };
    mr_spine *spine = spine_of(*state, points, 3, false);
    float x;
    float z;
    mr_spine_at(spine, -5, 2, &x, &z); // heading +x, right of travel is +z
    assert_true(x == -5 && z == 2);
    mr_spine_at(spine, 40, 2, &x, &z); // heading +z, right of travel is -x
    assert_true(x == 8 && z == 30);
    assert_true(mr_spine_length(spine) == 30);
    assert_int_equal(mr_spine_index_at(spine, 9.99f), 0);
    assert_int_equal(mr_spine_index_at(spine, 10), 1);
    assert_true(mr_spine_bend(spine, 10, 3) == 1); // a right angle is past the whole
    assert_true(mr_spine_bend(spine, 20, 3) == 0);
    float along;
    assert_true(mr_spine_distance(spine, 13, 7, &along) == 3 && along == 17);
    mr_spine_release(spine);
}

static mr_raster *raster_of(mr_context *context, int64_t corner, double cell, uint32_t size,
                            double (*height)(double, double))
{
    mr_error error;
    mr_raster *raster = mr_raster_create(context, corner, corner, cell, size, size, 3, &error);
    float *cells = mr_raster_layer_write(raster, "height", 0, &error);
    for (uint32_t j = 0; j < size + 6; j++) {
        for (uint32_t i = 0; i < size + 6; i++) {
            double x = ((double)corner + i - 3) * cell;
            double z = ((double)corner + j - 3) * cell;
            cells[(size_t)j * (size + 6) + i] = (float)height(x, z);
        }
    }
    return raster;
}

static double plane(double x, double z)
{
    return 0.25 * x - 0.125 * z + 3;
}

static double bumps(double x, double z)
{
    return 10 * sin(x * 0.31) * cos(z * 0.27);
}

static void a_plane_has_its_height_slope_and_normal_everywhere(void **state)
{
    mr_error error;
    mr_raster *raster = raster_of(*state, -50, 0.5, 101, plane);
    mr_land *land = mr_land_create(*state, raster, 16, -30, &error);
    test_random random = { 5 };
    for (int i = 0; i < 2000; i++) {
        float x = (float)test_between(&random, -23, 23);
        float z = (float)test_between(&random, -23, 23);
        assert_float_equal(mr_land_height(land, x, z), plane(x, z), 1e-5);
        assert_float_equal(mr_land_slope(land, x, z), sqrt(0.25 * 0.25 + 0.125 * 0.125), 1e-5);
        float normal[3];
        mr_land_normal(land, x, z, normal);
        assert_float_equal(normal[0] / normal[1], -0.25, 1e-5);
        assert_float_equal(normal[2] / normal[1], 0.125, 1e-5);
    }
    mr_land_release(land);
    mr_raster_release(raster);
}

// The triangle a place lies on, found the slow way, and the plane through its corners solved in f64.
static double slow_height(const mr_raster *raster, double x, double z)
{
    const float *cells = mr_raster_layer_read(raster, "height");
    double px = x / raster->cell - (double)raster->corner_x;
    double pz = z / raster->cell - (double)raster->corner_z;
    size_t i = (size_t)fmin(floor(px), raster->width - 2.0);
    size_t j = (size_t)fmin(floor(pz), raster->height - 2.0);
    size_t stride = mr_raster_stride(raster);
    const float *at = cells + (j + raster->margin) * stride + i + raster->margin;
    double u = px - (double)i;
    double v = pz - (double)j;
    return u + v <= 1 ? (1 - u - v) * at[0] + u * at[1] + v * at[stride]
                      : (u + v - 1) * at[stride + 1] + (1 - u) * at[stride] + (1 - v) * at[1];
}

static void height_lies_on_the_drawn_triangles(void **state)
{
    mr_error error;
    mr_raster *raster = raster_of(*state, 1000, 2, 65, bumps);
    mr_land *land = mr_land_create(*state, raster, 16, -30, &error);
    test_random random = { 6 };
    for (int i = 0; i < 20000; i++) {
        float x = (float)test_between(&random, 2000, 2128);
        float z = (float)test_between(&random, 2000, 2128);
        assert_float_equal(mr_land_height(land, x, z), slow_height(raster, x, z), 2e-4);
    }
    // The border belongs to the rect, a hair past it does not.
    assert_float_equal(mr_land_height(land, 2128, 2128), bumps(2128, 2128), 1e-5);
    assert_true(mr_land_holds(land, 2000, 2128));
    assert_true(mr_land_height(land, nextafterf(2128, 3000), 2000) == -30);
    assert_true(mr_land_height(land, NAN, 2000) == -30);
    assert_false(mr_land_holds(land, NAN, 2000));
    mr_land_release(land);
    mr_raster_release(raster);
}

static void bad_spines_and_lands_are_refused(void **state)
{
    mr_error error;
    const float alike[] = { 1, 1, 1, 1 };
    const float broken[] = { 1, 1, NAN, 2 };
    assert_null(mr_spine_create(*state, alike, 1, false, &error));
    assert_text_contains(error.message, "a spine of 1 points");
    assert_null(mr_spine_create(*state, alike, 2, true, &error));
    assert_text_contains(error.message, "all points of a spine are one");
    assert_null(mr_spine_create(*state, broken, 2, true, &error));
    assert_text_contains(error.message, "point 1 of a spine stands at (nan, 2) m");
    mr_raster *raster = mr_raster_create(*state, 0, 0, 1, 4, 4, 0, &error);
    assert_null(mr_land_create(*state, raster, 16, 0, &error));
    assert_text_contains(error.message, "no layer called height");
    mr_raster_release(raster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_walkway_is_the_published_one, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(spots_beside_the_walkway_stand_where_the_lanterns_do, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(the_index_never_changes_a_distance, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_spine_runs_on_straight_past_its_ends, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_plane_has_its_height_slope_and_normal_everywhere, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(height_lies_on_the_drawn_triangles, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(bad_spines_and_lands_are_refused, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
