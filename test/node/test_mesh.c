// The solids: closed, of the volume that geometry gives them, facing outwards, standing where they say.

#include "node/shape.h"

static const double two_pi = 6.283185307179586;

static void assert_bounds(const mr_value *value, const double low[3], const double high[3])
{
    float got[2][3];
    assert_true(mr_geometry_bounds(value->geometry, got[0], got[1]));
    for (int i = 0; i < 3; i++) {
        assert_true(got[0][i] == (float)low[i]);
        assert_true(got[1][i] == (float)high[i]);
    }
}

static void boxes_are_closed_and_of_their_size(void **state)
{
    test_random random = { 1 };
    for (size_t i = 0; i < test_count(300); i++) {
        double size[3];
        for (int k = 0; k < 3; k++) {
            size[k] = exp2(test_between(&random, -10, 10));
        }
        mr_binding inputs[] = { give_vector("size", size[0], size[1], size[2]) };
        mr_value value = call_good(*state, "mesh.box", inputs, 1);
        mesh m = mesh_of(&value);
        assert_closed(&m);
        assert_corners_good(&m);
        assert_near(volume_of(&m), size[0] * size[1] * size[2], 1e-6);
        assert_bounds(&value, (double[3]){ -size[0] / 2, 0, -size[2] / 2 },
                      (double[3]){ size[0] / 2, size[1], size[2] / 2 });
        mr_value_release(&value);
    }
}

// A frustum over a regular polygon of n corners on a circle.
static double frustum_volume(double bottom, double top, double height, double n)
{
    double area = n / 2 * sin(two_pi / n);
    return area * height / 3 * (bottom * bottom + bottom * top + top * top);
}

static void cylinders_and_cones_are_closed_and_of_their_volume(void **state)
{
    test_random random = { 2 };
    for (size_t i = 0; i < test_count(300); i++) {
        double radius = exp2(test_between(&random, -6, 6)), height = exp2(test_between(&random, -6, 6));
        int kind = (int)test_below(&random, 3); // cylinder, cone, cut cone
        double top = kind == 0 ? radius : kind == 1 ? 0 : exp2(test_between(&random, -6, 6));
        uint32_t segments = 3 + test_below(&random, 62);
        mr_binding inputs[] = { give_number("radius", radius), give_number("height", height),
                                give_number("segments", segments), give_number("topRadius", top) };
        mr_value value =
            call_good(*state, kind == 0 ? "mesh.cylinder" : "mesh.cone", inputs, kind == 0 ? 3 : 4);
        mesh m = mesh_of(&value);
        assert_closed(&m);
        assert_corners_good(&m);
        assert_near(volume_of(&m), frustum_volume(radius, top, height, segments), 2e-5);
        float low[3], high[3];
        assert_true(mr_geometry_bounds(value.geometry, low, high));
        assert_true(low[1] == 0 && high[1] == (float)height);
        for (size_t v = 0; v < 3 * m.triangles; v++) {
            // Flat on the caps, else at a right angle to the side's slope and pointing away from the axis.
            const float *n = m.normal + 3 * v, *p = place_of(&m, v);
            bool cap = fabsf(n[1]) == 1 && n[0] == 0 && n[2] == 0;
            double out = (double)n[0] * (double)p[0] + (double)n[2] * (double)p[2];
            double across = hypot((double)n[0], (double)n[2]);
            bool side =
                fabs((top - radius) * across + height * (double)n[1]) < 1e-5 * (radius + top + height) &&
                out >= -1e-5 * radius;
            assert_true(cap ? p[1] == (n[1] > 0 ? high[1] : 0) : side);
        }
        mr_value_release(&value);
    }
}

static void without_caps_the_rims_are_open(void **state)
{
    mr_binding inputs[] = { give("caps", mr_value_boolean(false)), give_number("segments", 7),
                            give_number("topRadius", 0) };
    size_t edges;
    mr_value tube = call_good(*state, "mesh.cylinder", inputs, 2);
    mesh m = mesh_of(&tube);
    assert_int_equal(m.triangles, 14);
    assert_int_equal(open_edges(&m, &edges), 14);
    mr_value_release(&tube);
    mr_value hat = call_good(*state, "mesh.cone", inputs, 3);
    m = mesh_of(&hat);
    assert_int_equal(m.triangles, 7);
    assert_int_equal(open_edges(&m, &edges), 7);
    mr_value_release(&hat);
}

static void spheres_are_closed_and_of_their_volume(void **state)
{
    test_random random = { 3 };
    for (size_t i = 0; i < test_count(100); i++) {
        double radius = exp2(test_between(&random, -6, 6));
        uint32_t segments = 3 + test_below(&random, 40), rings = 2 + test_below(&random, 30);
        mr_binding inputs[] = { give_number("radius", radius), give_number("segments", segments),
                                give_number("rings", rings) };
        mr_value value = call_good(*state, "mesh.sphere", inputs, 3);
        mesh m = mesh_of(&value);
        assert_closed(&m);
        assert_corners_good(&m);
        double volume = 0; // ring by ring, each between two of the polygons
        for (uint32_t r = 0; r < rings; r++) {
            double a = two_pi / 2 * r / rings, b = two_pi / 2 * (r + 1) / rings;
            volume += frustum_volume(radius * sin(a), radius * sin(b), radius * (cos(a) - cos(b)), segments);
        }
        assert_near(volume_of(&m), volume, 2e-5);
        for (size_t v = 0; v < 3 * m.triangles; v++) {
            const float *n = m.normal + 3 * v, *p = place_of(&m, v);
            double along = 0;
            for (int k = 0; k < 3; k++) {
                along += (double)n[k] * (double)p[k];
            }
            bool pole = p[0] == 0 && p[2] == 0;
            assert_near(along, radius, 1e-6);
            assert_true(!pole || fabs((double)p[1]) == fabs((double)(float)radius));
        }
        mr_value_release(&value);
    }
}

static void rounds_are_exact_on_the_axes_and_symmetric(void **state)
{
    mr_binding inputs[] = { give_number("radius", 3), give_number("segments", 24) };
    mr_value value = call_good(*state, "mesh.cylinder", inputs, 2);
    mesh m = mesh_of(&value);
    assert_bounds(&value, (double[3]){ -3, 0, -3 }, (double[3]){ 3, 1, 3 });
    for (size_t i = 0; i < m.points; i++) {
        const float *p = m.at + 3 * i;
        size_t mirrored = 0;
        for (size_t k = 0; k < m.points; k++) {
            const float *q = m.at + 3 * k;
            mirrored += p[1] == q[1] && ((p[0] == -q[0] && p[2] == q[2]) || (p[0] == q[0] && p[2] == -q[2]) ||
                                         (p[0] == q[2] && p[2] == q[0]));
        }
        assert_true(mirrored >= 1 && mirrored <= 3);
        assert_false(signbit(p[0] == 0 ? p[0] : 1));
    }
    mr_value_release(&value);
}

static void planes_face_up_and_share_their_points(void **state)
{
    mr_binding inputs[] = { give("size", (mr_value){ .type = MR_VEC2, .vector = { 6, 4 } }),
                            give_number("columns", 3), give_number("rows", 5) };
    mr_value value = call_good(*state, "mesh.plane", inputs, 3);
    mesh m = mesh_of(&value);
    size_t edges;
    assert_int_equal(m.points, 24);
    assert_int_equal(m.triangles, 30);
    assert_int_equal(open_edges(&m, &edges), 16);
    assert_int_equal((long)m.points - (long)edges + (long)m.triangles, 1); // Euler, of a sheet
    assert_corners_good(&m);
    assert_bounds(&value, (double[3]){ -3, 0, -2 }, (double[3]){ 3, 0, 2 });
    double area = 0;
    for (size_t i = 0; i < m.triangles; i++) {
        double normal[3];
        face_normal(&m, i, normal);
        assert_true(normal[0] == 0 && normal[1] > 0 && normal[2] == 0);
        area += normal[1] / 2;
    }
    assert_near(area, 24, 1e-6);
    mr_value_release(&value);
}

static void bad_sizes_are_refused_by_name(void **state)
{
    static const struct {
        const char *node, *input, *says;
        double value;
    } cases[] = {
        { "mesh.cone", "radius", "mesh.cone: radius is -4 m; it must be ", -4 },
        { "mesh.cone", "topRadius", "mesh.cone: topRadius is -1 m; it must be 0 to 1000000 m", -1 },
        { "mesh.cylinder", "height", "mesh.cylinder: height is 0 m; it must be ", 0 },
        { "mesh.cylinder", "radius", "mesh.cylinder: radius is ", INFINITY },
        { "mesh.sphere", "radius", "mesh.sphere: radius is ", NAN },
        { "mesh.sphere", "segments", "mesh.sphere: segments is 2; it must be a whole number from 3 to 1024",
          2 },
        { "mesh.sphere", "rings", "mesh.sphere: rings is 2.5; it must be a whole number", 2.5 },
        { "mesh.plane", "columns", "mesh.plane: columns is 100000; it must be ", 100000 },
        { "mesh.box", "size", "mesh.box: size is 2; it must be a Vec3", 2 },
        { "mesh.box", "sise", "mesh.box has no input sise; did you mean size?", 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mr_value value = { .type = MR_NONE };
        mr_error error = { 0 };
        mr_binding inputs[] = { give_number(cases[i].input, cases[i].value) };
        assert_false(call(*state, cases[i].node, inputs, 1, &value, &error));
        assert_int_equal(error.status, MR_BAD_INPUT);
        assert_text_contains(error.message, cases[i].says);
        assert_int_equal(value.type, MR_NONE);
    }
}

static void refused_memory_anywhere_is_an_error_and_no_leak(void **state)
{
    static const char *const nodes[] = { "mesh.box", "mesh.cylinder", "mesh.cone", "mesh.sphere",
                                         "mesh.plane" };
    for (size_t n = 0; n < sizeof nodes / sizeof *nodes; n++) {
        bool done = false;
        for (uint64_t at = 1; !done; at++) {
            test_counting count;
            mr_context *context = test_counting_context(&count, 1);
            mr_value value = { .type = MR_NONE };
            mr_error error = { 0 };
            mr_memory_fail_after(context, at, true);
            done = call(context, nodes[n], NULL, 0, &value, &error);
            mr_memory_fail_after(context, 0, false);
            assert_true(done || error.status == MR_OUT_OF_MEMORY);
            assert_true(at < 1000);
            mr_value_release(&value);
            test_counting_end(&count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(boxes_are_closed_and_of_their_size, test_setup_counting,
                                        test_teardown_counting),
        cmocka_unit_test_setup_teardown(cylinders_and_cones_are_closed_and_of_their_volume,
                                        test_setup_counting, test_teardown_counting),
        cmocka_unit_test_setup_teardown(without_caps_the_rims_are_open, test_setup_counting,
                                        test_teardown_counting),
        cmocka_unit_test_setup_teardown(spheres_are_closed_and_of_their_volume, test_setup_counting,
                                        test_teardown_counting),
        cmocka_unit_test_setup_teardown(rounds_are_exact_on_the_axes_and_symmetric, test_setup_counting,
                                        test_teardown_counting),
        cmocka_unit_test_setup_teardown(planes_face_up_and_share_their_points, test_setup_counting,
                                        test_teardown_counting),
        cmocka_unit_test_setup_teardown(bad_sizes_are_refused_by_name, test_setup_counting,
                                        test_teardown_counting),
        cmocka_unit_test(refused_memory_anywhere_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
}
