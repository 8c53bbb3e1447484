// geometry.transform against a slow matrix product, geometry.merge against its parts.

#include "node/shape.h"

// The turn about one axis, right-handed, in f64.
static void turn(double at[3], int axis, double degrees)
{
    double s = sin(degrees * 0.017453292519943295), c = cos(degrees * 0.017453292519943295);
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    double u = c * at[a] - s * at[b], v = s * at[a] + c * at[b];
    at[a] = u;
    at[b] = v;
}

static void place(const double from[3], const double scale[3], const double degrees[3], double to[3])
{
    for (int k = 0; k < 3; k++) {
        to[k] = from[k] * scale[k];
    }
    for (int axis = 0; axis < 3; axis++) {
        turn(to, axis, degrees[axis]);
    }
}

// Unit, at a right angle to what was at a right angle before, and on the side it was.
static void assert_normal_follows(const float after[3], const float before[3], const double scale[3],
                                  const double degrees[3])
{
    double n[3], was[3], there[3];
    for (int k = 0; k < 3; k++) {
        n[k] = (double)after[k];
        was[k] = (double)before[k];
    }
    assert_near(dot(n, n), 1, 1e-6);
    place(was, scale, degrees, there);
    assert_true(dot(n, there) > 0);
    for (int k = 0; k < 3; k++) {
        double tangent[3] = { 0, 0, 0 }; // was x axis k
        tangent[(k + 1) % 3] = was[(k + 2) % 3];
        tangent[(k + 2) % 3] = -was[(k + 1) % 3];
        place(tangent, scale, degrees, there);
        assert_true(fabs(dot(n, there)) < 1e-5);
    }
}

static void transforms_place_every_point_and_keep_faces_outward(void **state)
{
    test_random random = { 4 };
    mr_binding shape[] = { give_number("topRadius", 0.2), give_number("segments", 5) };
    mr_value before = call_good(*state, "mesh.cone", shape, 2);
    mesh old = mesh_of(&before);
    for (size_t i = 0; i < test_count(500); i++) {
        double t[3], r[3], s[3];
        for (int k = 0; k < 3; k++) {
            t[k] = test_between(&random, -10, 10);
            r[k] = test_between(&random, -720, 720);
            s[k] = exp2(test_between(&random, -3, 3)) * (test_below(&random, 2) ? 1 : -1);
        }
        mr_binding inputs[] = { give("geometry", before), give_vector("translate", t[0], t[1], t[2]),
                                give_vector("rotate", r[0], r[1], r[2]),
                                give_vector("scale", s[0], s[1], s[2]) };
        mr_value after = call_good(*state, "geometry.transform", inputs, 4);
        mesh m = mesh_of(&after);
        for (size_t p = 0; p < m.points; p++) {
            const float *from = old.at + 3 * p;
            double at[3];
            place((double[3]){ (double)from[0], (double)from[1], (double)from[2] }, s, r, at);
            for (int k = 0; k < 3; k++) {
                assert_true(fabs(at[k] + t[k] - (double)m.at[3 * p + (size_t)k]) < 3e-5);
            }
        }
        assert_closed(&m);
        bool mirrors = s[0] * s[1] * s[2] < 0;
        for (size_t v = 0; v < 3 * m.triangles; v++) {
            size_t was = mirrors && v % 3 ? v - v % 3 + 3 - v % 3 : v;
            assert_int_equal(m.pt[v], old.pt[was]);
            assert_memory_equal(m.uv + 2 * v, old.uv + 2 * was, 2 * sizeof(float));
            assert_normal_follows(m.normal + 3 * v, old.normal + 3 * was, s, r);
        }
        assert_near(volume_of(&m), volume_of(&old) * fabs(s[0] * s[1] * s[2]), 1e-3);
        mr_value_release(&after);
    }
    mr_value_release(&before);
}

static void quarter_turns_are_exact(void **state)
{
    mr_binding shape[] = { give_vector("size", 2, 3, 5) };
    mr_value box = call_good(*state, "mesh.box", shape, 1);
    for (int quarter = -8; quarter <= 8; quarter++) {
        mr_binding inputs[] = { give("geometry", box), give_vector("rotate", 0, 90.0 * quarter, 0) };
        mr_value turned = call_good(*state, "geometry.transform", inputs, 2);
        float low[3], high[3];
        assert_true(mr_geometry_bounds(turned.geometry, low, high));
        float x = quarter % 2 ? 2.5f : 1, z = quarter % 2 ? 1 : 2.5f;
        assert_true(low[0] == -x && high[0] == x && low[2] == -z && high[2] == z && low[1] == 0 &&
                    high[1] == 3);
        mr_value_release(&turned);
    }
    mr_value_release(&box);
}

static void what_is_not_moved_is_shared(void **state)
{
    mr_value box = call_good(*state, "mesh.box", NULL, 0);
    mr_binding inputs[] = { give("geometry", box), give_vector("translate", 0, 1, 0) };
    mr_value moved = call_good(*state, "geometry.transform", inputs, 2);
    static const struct {
        mr_class class_of;
        const char *name;
    } shared[] = { { MR_VERTEX, "uv" }, { MR_VERTEX, "pt" }, { MR_PRIMITIVE, "vstart" } };
    for (size_t i = 0; i < 3; i++) {
        assert_ptr_equal(mr_geometry_find(box.geometry, shared[i].class_of, shared[i].name),
                         mr_geometry_find(moved.geometry, shared[i].class_of, shared[i].name));
    }
    mr_value_release(&box);
    mr_value_release(&moved);
}

static void merged_parts_keep_their_faces(void **state)
{
    mr_value box = call_good(*state, "mesh.box", NULL, 0);
    mr_value ball = call_good(*state, "mesh.sphere", NULL, 0);
    mr_binding inputs[] = { give("c", ball), give("a", box), give("h", box) };
    mr_value all = call_good(*state, "geometry.merge", inputs, 3);
    mesh m = mesh_of(&all), b = mesh_of(&box), s = mesh_of(&ball);
    assert_int_equal(m.points, 2 * b.points + s.points);
    assert_int_equal(m.triangles, 2 * b.triangles + s.triangles);
    assert_near(volume_of(&m), 2 * volume_of(&b) + volume_of(&s), 1e-9);
    assert_memory_equal(m.uv, b.uv, 6 * b.triangles * sizeof *b.uv);
    for (size_t v = 0; v < 3 * s.triangles; v++) {
        size_t there = 3 * b.triangles + v;
        assert_memory_equal(place_of(&m, there), place_of(&s, v), 3 * sizeof(float));
        assert_memory_equal(m.normal + 3 * there, s.normal + 3 * v, 3 * sizeof(float));
    }
    mr_value_release(&all);
    mr_value_release(&box);
    mr_value_release(&ball);
}

static void set_column(mr_value *value, const char *name, mr_column_type type, uint32_t word)
{
    mr_error error;
    mr_geometry *geometry = value->geometry;
    size_t count = mr_geometry_count(geometry, MR_POINT);
    mr_column *column = mr_column_create(geometry->context, type, count, &error);
    for (size_t i = 0; i < count * mr_column_lanes(type); i++) {
        column->u32[i] = word;
    }
    if (type == MR_COLUMN_TEXT) {
        assert_int_equal(mr_column_word(column, MR_VIEW("oak")), 0);
    }
    test_assert_ok(mr_geometry_set(geometry, MR_POINT, name, column, &error), &error);
}

static mr_value plain_points(mr_context *context)
{
    mr_error error;
    static const float places[6] = { 1, 2, 3, 4, 5, 6 };
    mr_value value = { .type = MR_GEOMETRY, .geometry = mr_geometry_create(context, &error) };
    mr_column *column = mr_column_from(context, MR_COLUMN_VEC3, places, 2, &error);
    test_assert_ok(mr_geometry_set(value.geometry, MR_POINT, "P", column, &error), &error);
    return value;
}

static void an_attribute_that_one_lacks_is_filled(void **state)
{
    mr_value a = plain_points(*state), b = plain_points(*state);
    set_column(&a, "kind", MR_COLUMN_TEXT, 0);
    set_column(&b, "mass", MR_COLUMN_FLOAT, 0x3f800000);
    set_column(&b, "Cd", MR_COLUMN_COLOR, 0x3f000000);
    mr_binding inputs[] = { give("a", a), give("b", b) };
    mr_value all = call_good(*state, "geometry.merge", inputs, 2);
    const mr_column *kind = mr_geometry_find(all.geometry, MR_POINT, "kind");
    assert_string_equal(kind->words[kind->u32[1]], "oak");
    assert_string_equal(kind->words[kind->u32[2]], "");
    const float *mass = mr_geometry_find(all.geometry, MR_POINT, "mass")->f32;
    assert_true(mass[0] == 0 && mass[1] == 0 && mass[2] == 1 && mass[3] == 1);
    const float *color = mr_geometry_find(all.geometry, MR_POINT, "Cd")->f32;
    assert_true(color[0] == 1 && color[7] == 1 && color[8] == 0.5f && color[15] == 0.5f);
    mr_value_release(&all);
    mr_value_release(&a);
    mr_value_release(&b);
}

static void what_cannot_be_done_is_said(void **state)
{
    mr_value a = plain_points(*state), b = plain_points(*state), none = { .type = MR_NONE };
    mr_error error = { 0 };
    set_column(&a, "mass", MR_COLUMN_FLOAT, 0);
    set_column(&b, "mass", MR_COLUMN_INT, 0);
    mr_binding inputs[] = { give("a", a), give("d", b) };
    assert_false(call(*state, "geometry.merge", inputs, 2, &none, &error));
    assert_string_equal(error.message,
                        "geometry.merge: point.mass is Float in a and Int in d; it must be of one type");
    mr_binding flat[] = { give("geometry", a), give_vector("scale", 1, 0, 1) };
    assert_false(call(*state, "geometry.transform", flat, 2, &none, &error));
    assert_string_equal(error.message, "geometry.transform: scale.y is 0; it must not be 0");
    assert_false(call(*state, "geometry.transform", NULL, 0, &none, &error));
    assert_string_equal(error.message, "geometry.transform: input geometry is missing: What to move.");
    mr_value_release(&a);
    mr_value_release(&b);
}

static void refused_memory_anywhere_is_an_error_and_no_leak(void **state)
{
    static const char *const nodes[] = { "geometry.transform", "geometry.merge" };
    for (size_t n = 0; n < 2; n++) {
        bool done = false;
        for (uint64_t at = 1; !done; at++) {
            test_counting count;
            mr_context *context = test_counting_context(&count, 1);
            mr_value box = call_good(context, "mesh.box", NULL, 0);
            mr_value other = plain_points(context);
            mr_value value = { .type = MR_NONE };
            mr_error error = { 0 };
            set_column(&other, "kind", MR_COLUMN_TEXT, 0);
            mr_binding inputs[2][2] = { { give("geometry", box), give_vector("scale", -1, 1, 1) },
                                        { give("a", other), give("b", box) } };
            mr_memory_fail_after(context, at, true);
            done = call(context, nodes[n], inputs[n], 2, &value, &error);
            mr_memory_fail_after(context, 0, false);
            assert_true(done || error.status == MR_OUT_OF_MEMORY);
            assert_true(at < 1000);
            mr_value_release(&value);
            mr_value_release(&box);
            mr_value_release(&other);
            test_counting_end(&count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(transforms_place_every_point_and_keep_faces_outward,
                                        test_setup_counting, test_teardown_counting),
        cmocka_unit_test_setup_teardown(quarter_turns_are_exact, test_setup_counting, test_teardown_counting),
        cmocka_unit_test_setup_teardown(what_is_not_moved_is_shared, test_setup_counting,
                                        test_teardown_counting),
        cmocka_unit_test_setup_teardown(merged_parts_keep_their_faces, test_setup_counting,
                                        test_teardown_counting),
        cmocka_unit_test_setup_teardown(an_attribute_that_one_lacks_is_filled, test_setup_counting,
                                        test_teardown_counting),
        cmocka_unit_test_setup_teardown(what_cannot_be_done_is_said, test_setup_counting,
                                        test_teardown_counting),
        cmocka_unit_test(refused_memory_anywhere_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
