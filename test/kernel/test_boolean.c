// The boolean of closed solids: exact volumes and areas of boxes, the cases that others get wrong, random pairs against
// winding numbers by solid angles, and blocks of a grid against counting them.

#include "solids.h"

#include "base/digest.h"
#include "kernel/boolean.h"

static const mr_boolean_op ops[] = { MR_BOOLEAN_UNION, MR_BOOLEAN_DIFFERENCE, MR_BOOLEAN_INTERSECTION };

static bool try_boolean(mr_context *context, mr_boolean_op op, const solid *a, const solid *b, solid *answer,
                        mr_error *error)
{
    mr_triangles va = solid_view(a), vb = solid_view(b);
    mr_boolean_mesh m;
    if (!mr_boolean(context, op, &va, &vb, &m, error)) {
        assert_int_equal(m.point_count | m.triangle_count, 0);
        return false;
    }
    *answer = solid_new(m.point_count, m.triangle_count);
    if (m.triangle_count > 0) {
        memcpy(answer->points, m.points, 3 * m.point_count * sizeof(float));
        memcpy(answer->triangles, m.triangles, 3 * m.triangle_count * sizeof(uint32_t));
    }
    for (size_t t = 0; t < m.triangle_count; t++) {
        assert_true(m.sources[t] < a->triangle_count + b->triangle_count);
    }
    mr_boolean_release(context, &m);
    return true;
}

static solid boolean_of(mr_context *context, mr_boolean_op op, const solid *a, const solid *b)
{
    solid answer;
    mr_error error;
    test_assert_ok(try_boolean(context, op, a, b, &answer, &error), &error);
    const char *fault = solid_fault(&answer);
    if (fault) {
        fail_msg("op %d has %s", (int)op, fault);
    }
    return answer;
}

// All three, and that their volumes add up.
static void check_pair(mr_context *context, const solid *a, const solid *b, solid out[3])
{
    double va = solid_volume(a), vb = solid_volume(b), most = va > vb ? va : vb, v[3];
    for (int i = 0; i < 3; i++) {
        out[i] = boolean_of(context, ops[i], a, b);
        v[i] = solid_volume(&out[i]);
        assert_true(v[i] > -1e-6 * most);
    }
    if (fabs(va + vb - v[0] - v[2]) > 1e-6 * most || fabs(va - v[1] - v[2]) > 1e-6 * most) {
        fail_msg("volumes %.9g and %.9g: union %.9g, difference %.9g, intersection %.9g", va, vb, v[0], v[1],
                 v[2]);
    }
}

static void free_all(solid *a, solid *b, solid *out)
{
    if (a) {
        solid_free(a);
    }
    if (b) {
        solid_free(b);
    }
    for (int i = 0; out && i < 3; i++) {
        solid_free(&out[i]);
    }
}

static bool has_point(const solid *s, float x, float y, float z)
{
    for (size_t i = 0; i < s->point_count; i++) {
        if (s->points[3 * i] == x && s->points[3 * i + 1] == y && s->points[3 * i + 2] == z) {
            return true;
        }
    }
    return false;
}

// The area of the triangles that lie in a plane z.
static double area_at(const solid *s, float z)
{
    double area = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *ids = s->triangles + 3 * t;
        bool in = s->points[3 * ids[0] + 2] == z && s->points[3 * ids[1] + 2] == z &&
                  s->points[3 * ids[2] + 2] == z;
        area += in ? solid_triangle_area(s, t) : 0;
    }
    return area;
}

static void assert_near(double got, double want, double within)
{
    if (!(fabs(got - want) <= within)) {
        fail_msg("%.12g is not %.12g", got, want);
    }
}

static void boxes_that_stand_on_each_other_become_one(void **state)
{
    solid a = solid_box(0, 0, 0, 10, 10, 25), b = solid_box(0, 0, 0, 10, 10, 35), out[3];
    solid_move(&b, 0, 0, 25);
    check_pair(*state, &a, &b, out);
    assert_near(solid_area(&out[0]), 2600, 1e-9);
    assert_near(solid_volume(&out[0]), 6000, 1e-9);
    assert_near(area_at(&out[0], 25), 0, 0);
    assert_near(solid_volume(&out[1]), 2500, 1e-9);
    assert_int_equal(out[2].triangle_count, 0);
    free_all(&a, &b, out);
}

static void boxes_that_share_a_part_of_a_face_keep_the_rest_of_it(void **state)
{
    solid a = solid_box(0, 0, 0, 10, 10, 25), b = solid_box(5, 0, 25, 15, 10, 60),
          c = solid_box(5, 5, 25, 15, 15, 60);
    solid out[3];
    check_pair(*state, &a, &b, out);
    assert_near(solid_volume(&out[0]), 6000, 1e-9);
    assert_near(solid_area(&out[0]), 2700, 1e-9);
    assert_near(area_at(&out[0], 25), 100, 1e-9);
    free_all(NULL, NULL, out);
    check_pair(*state, &a, &c, out);
    assert_near(solid_area(&out[0]), 2750, 1e-9);
    assert_near(area_at(&out[0], 25), 150, 1e-9);
    assert_true(has_point(&out[0], 10, 5, 25) && has_point(&out[0], 5, 10, 25)); // where the outlines cross
    free_all(&a, &b, out);
    solid_free(&c);
}

static void outlines_that_cross_on_a_common_face_keep_their_crossings(void **state)
{
    solid a = solid_box(-5, -2, 0, 5, 2, 1), b = solid_box(-2, -5, 1, 2, 5, 2), out[3];
    check_pair(*state, &a, &b, out);
    assert_near(solid_volume(&out[0]), 80, 1e-9);
    assert_near(solid_area(&out[0]), 2 * (80 + 28) - 2 * 16, 1e-9);
    for (int i = 0; i < 4; i++) {
        assert_true(has_point(&out[0], i & 1 ? 2 : -2, i & 2 ? 2 : -2, 1));
    }
    free_all(&a, &b, out);
}

static void boxes_some_steps_of_rounding_apart_or_into_each_other_are_closed(void **state)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int steps = -3; steps <= 3; steps++) {
            solid a = solid_box(0, 0, 0, 10, 10, 25), b = solid_box(0, 0, 25, 10, 10, 60), out[3];
            for (int i = 0; i < 8; i++) {
                float *x = &b.points[3 * i + axis];
                for (int k = 0; k < abs(steps); k++) {
                    *x = nextafterf(*x, steps < 0 ? -INFINITY : INFINITY);
                }
            }
            check_pair(*state, &a, &b, out);
            assert_near(solid_volume(&out[0]), 6000, 2e-3);
            // Along z a step up is a gap, and what is apart stays so.
            assert_near(solid_area(&out[0]), axis == 2 && steps > 0 ? 2800 : 2600, 1e-3);
            free_all(&a, &b, out);
        }
    }
}

static void solids_that_touch_in_an_edge_or_a_corner_are_closed(void **state)
{
    static const float places[][3] = {
        { 10, 10, 0 }, { 10, 10, 25 }, { 10, 0, 0 }, { -10, -10, -25 }, { 10, 4, 7 }
    };
    for (size_t i = 0; i < 5; i++) {
        solid a = solid_box(0, 0, 0, 10, 10, 25), b = solid_copy(&a), out[3];
        solid_move(&b, (double)places[i][0], (double)places[i][1], (double)places[i][2]);
        check_pair(*state, &a, &b, out);
        assert_near(solid_volume(&out[0]), 5000, 1e-9);
        assert_near(solid_area(&out[0]), i < 2 || i == 3 ? 2400 : i == 2 ? 1900 : 2184, 1e-9);
        free_all(&a, &b, out);
    }
}

// A solid by number: boxes, spheres, tori, cylinders, of sizes about 1.
static solid random_solid(test_random *random)
{
    double size = test_between(random, 0.5, 1.5);
    switch (test_below(random, 4)) {
    case 0:
        return solid_box(-size, -test_between(random, 0.3, 1), -0.5, size, test_between(random, 0.3, 1), 0.5);
    case 1:
        return solid_sphere(size, 3 + test_below(random, 8), 3 + test_below(random, 12));
    case 2:
        return solid_torus(size, size * test_between(random, 0.2, 0.6), 3 + test_below(random, 8),
                           3 + test_below(random, 12));
    default:
        return solid_cylinder(size, test_between(random, 0.3, 2), 3 + test_below(random, 20));
    }
}

static void turn_awkwardly(test_random *random, solid *s)
{
    static const double angles[] = {
        0.1, 1e-7, 1e-4, 0.7853981633974483, 1.5707963267948966, 1.0471975511965976
    };
    for (int axis = 0; axis < 3; axis++) {
        if (test_below(random, 2)) {
            solid_turn(s, axis, angles[test_below(random, 6)]);
        }
    }
}

static void a_solid_with_itself_is_itself(void **state)
{
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(60); n++) {
        solid a = random_solid(&random), b, out[3];
        turn_awkwardly(&random, &a);
        b = solid_copy(&a);
        check_pair(*state, &a, &b, out);
        assert_near(solid_area(&out[0]), solid_area(&a), 1e-6);
        assert_near(solid_area(&out[2]), solid_area(&a), 1e-6);
        assert_int_equal(out[0].triangle_count, a.triangle_count);
        assert_int_equal(out[1].triangle_count, 0);
        free_all(&a, &b, out);
    }
}

// The winding number by solid angles (van Oosterom and Strackee 1983), which is a whole number but for rounding.
static double winding_of(const solid *s, const double p[3])
{
    double sum = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        double v[3][3], length[3], dots[3];
        for (int i = 0; i < 3; i++) {
            length[i] = 0;
            for (int k = 0; k < 3; k++) {
                v[i][k] = (double)s->points[3 * (size_t)s->triangles[3 * t + (size_t)i] + (size_t)k] - p[k];
                length[i] += v[i][k] * v[i][k];
            }
            length[i] = sqrt(length[i]);
        }
        for (int i = 0; i < 3; i++) {
            dots[i] = v[i][0] * v[(i + 1) % 3][0] + v[i][1] * v[(i + 1) % 3][1] + v[i][2] * v[(i + 1) % 3][2];
        }
        double det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                     v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                     v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        sum += atan2(det, length[0] * length[1] * length[2] + dots[0] * length[2] + dots[1] * length[0] +
                              dots[2] * length[1]);
    }
    return sum / (2 * 3.14159265358979323846);
}

static bool is_inside(const solid *s, const double p[3])
{
    double w = winding_of(s, p);
    assert_near(w, round(w), 1e-3);
    return round(w) > 0.5;
}

// B shares faces, edges or corners with A, or nothing.
static void random_pair(test_random *random, solid *a, solid *b)
{
    *a = random_solid(random);
    switch (test_below(random, 4)) {
    case 0: // of one kind and size
        *b = solid_copy(a);
        solid_turn(b, (int)test_below(random, 3), test_below(random, 2) ? 1.5707963267948966 : 0.3);
        break;
    case 1: { // a box on a side of A's bounds
        double high = -INFINITY, low = INFINITY;
        for (size_t i = 0; i < a->point_count; i++) {
            high = fmax(high, (double)a->points[3 * i + 2]);
            low = fmin(low, (double)a->points[3 * i + 2]);
        }
        *b = test_below(random, 2) ? solid_box(-0.5, -0.5, high, 0.5, 0.5, high + 1)
                                   : solid_box(-1, -1, low, 1, 1, high);
        break;
    }
    default:
        *b = random_solid(random);
        break;
    }
    if (test_below(random, 2)) {
        solid_move(b, test_between(random, -1, 1), test_between(random, -1, 1), test_between(random, -1, 1));
    } else if (test_below(random, 2)) {
        solid_move(b, 0.5 * test_below(random, 4), 0.25 * test_below(random, 4), 0);
    }
    if (test_below(random, 2)) {
        turn_awkwardly(random, b);
    }
    if (test_below(random, 2)) { // both alike: what was shared is so but for rounding
        test_random twin = *random;
        turn_awkwardly(random, a);
        turn_awkwardly(&twin, b);
    }
}

static void random_pairs_are_closed_and_their_volumes_add_up(void **state)
{
    test_random random = { 3 };
    for (size_t n = 0; n < test_count(1000); n++) {
        solid a, b, out[3];
        random_pair(&random, &a, &b);
        check_pair(*state, &a, &b, out);
        for (int i = 0; i < 4; i++) {
            double p[3] = { test_between(&random, -1.5, 1.5), test_between(&random, -1.5, 1.5),
                            test_between(&random, -1, 1) };
            bool in_a = is_inside(&a, p), in_b = is_inside(&b, p);
            assert_int_equal(is_inside(&out[0], p), in_a || in_b);
            assert_int_equal(is_inside(&out[1], p), in_a && !in_b);
            assert_int_equal(is_inside(&out[2], p), in_a && in_b);
        }
        free_all(&a, &b, out);
    }
}

enum { SIDE = 6 };

static size_t count_cells(char cells[SIDE][SIDE][SIDE])
{
    size_t count = 0;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        count += (size_t)cells[i / (SIDE * SIDE)][i / SIDE % SIDE][i % SIDE];
    }
    return count;
}

static void blocks_of_a_grid_are_as_many_as_counted(void **state)
{
    test_random random = { 4 };
    for (size_t n = 0; n < test_count(120); n++) {
        char cells[SIDE][SIDE][SIDE] = { 0 };
        solid sum = solid_new(0, 0);
        for (int step = 0; step < 12; step++) {
            int lo[3], hi[3], choice = step < 4 ? 0 : (int)test_below(&random, 8);
            mr_boolean_op op = choice < 5   ? MR_BOOLEAN_UNION
                               : choice < 7 ? MR_BOOLEAN_DIFFERENCE
                                            : MR_BOOLEAN_INTERSECTION;
            for (int k = 0; k < 3; k++) {
                lo[k] = (int)test_below(&random, SIDE);
                hi[k] = lo[k] + 1 + (int)test_below(&random, 3);
                hi[k] = hi[k] > SIDE ? SIDE : hi[k];
            }
            solid block = solid_box(lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
            solid next = boolean_of(*state, op, &sum, &block);
            for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
                int at[3] = { i / (SIDE * SIDE), i / SIDE % SIDE, i % SIDE };
                bool in = true;
                for (int k = 0; k < 3; k++) {
                    in = in && at[k] >= lo[k] && at[k] < hi[k];
                }
                char *cell = &cells[at[0]][at[1]][at[2]];
                *cell = (char)(op == MR_BOOLEAN_UNION        ? *cell || in
                               : op == MR_BOOLEAN_DIFFERENCE ? *cell && !in
                                                             : *cell && in);
            }
            assert_near(solid_volume(&next), (double)count_cells(cells), 1e-4);
            free_all(&sum, &block, NULL);
            sum = next;
        }
        solid_free(&sum);
    }
}

static void nothing_is_a_solid(void **state)
{
    solid a = solid_box(0, 0, 0, 1, 1, 1), none = solid_new(0, 0);
    for (int i = 0; i < 3; i++) {
        solid left = boolean_of(*state, ops[i], &a, &none), right = boolean_of(*state, ops[i], &none, &a);
        solid neither = boolean_of(*state, ops[i], &none, &none);
        assert_int_equal(left.triangle_count, i < 2 ? 12 : 0);
        assert_int_equal(right.triangle_count, i == 0 ? 12 : 0);
        assert_int_equal(neither.triangle_count, 0);
        free_all(&left, &right, NULL);
        solid_free(&neither);
    }
    free_all(&a, &none, NULL);
}

static void what_is_no_solid_is_refused_by_name(void **state)
{
    static const struct {
        const char *part;
        int kind;
    } cases[] = { { "is open", 0 },       { "is badly oriented", 1 }, { "is inside out", 2 },
                  { "is not finite", 3 }, { "there is none", 4 },     { "names point", 5 },
                  { "is open", 6 } };
    for (size_t i = 0; i < 7; i++) {
        for (int which = 0; which < 2; which++) {
            solid good = solid_sphere(1, 4, 7), bad = solid_sphere(1, 4, 7), answer;
            uint32_t *t = bad.triangles + 30, swap = t[0];
            mr_error error;
            switch (cases[i].kind) {
            case 0:
                bad.triangle_count--;
                break;
            case 1:
                t[0] = t[1];
                t[1] = swap;
                break;
            case 2:
                solid_turn_over(&bad);
                break;
            case 3:
                bad.points[31] = NAN;
                break;
            case 4:
                t[2] = 1000000;
                break;
            case 5:
                t[1] = t[0];
                break;
            default: // one triangle stands in another's place
                memcpy(t, t + 3, 3 * sizeof *t);
                break;
            }
            assert_false(try_boolean(*state, MR_BOOLEAN_UNION, which ? &good : &bad, which ? &bad : &good,
                                     &answer, &error));
            assert_int_equal(error.status, MR_BAD_INPUT);
            assert_text_contains(error.message, which ? "operand B" : "operand A");
            assert_text_contains(error.message, cases[i].part);
            free_all(&good, &bad, NULL);
        }
    }
}

static mr_digest digest_of(const solid *s)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_digest_bytes(&digester, s->points, 3 * s->point_count * sizeof(float));
    mr_digest_bytes(&digester, s->triangles, 3 * s->triangle_count * sizeof(uint32_t));
    return mr_digest_end(&digester);
}

static void threads_and_instruction_sets_do_not_matter(void **state)
{
    static const struct {
        uint32_t threads;
        const char *isa;
    } kinds[] = { { 1, "base" }, { 7, "v3" }, { 3, "v4" }, { 2, NULL } };
    mr_digest want[3] = { { 0 } };
    for (size_t k = 0; k < 4; k++) {
        mr_context_config config = mr_context_config_default();
        config.threads = kinds[k].threads;
        config.isa = kinds[k].isa;
        mr_context *context;
        mr_error error;
        if (!mr_context_create(&config, &context, &error)) {
            continue; // a machine without it
        }
        solid a = solid_sphere(1, 60, 90), b = solid_torus(1, 0.4, 50, 80), out[3];
        solid_turn(&b, 0, 0.4);
        solid_move(&b, 0.3, 0, 0.1);
        check_pair(context, &a, &b, out);
        for (int i = 0; i < 3; i++) {
            mr_digest got = digest_of(&out[i]);
            want[i] = k == 0 ? got : want[i];
            assert_true(mr_digest_equal(got, want[i]));
        }
        free_all(&a, &b, out);
        test_context_end(context);
    }
}

static void failing_memory_is_an_error_at_every_site(void **state)
{
    solid a = solid_box(0, 0, 0, 1, 1, 1), b = solid_box(0.5, 0.5, 0.5, 2, 2, 2), answer;
    bool done = false;
    for (uint64_t site = 1; !done; site++) {
        mr_context *context = test_context_of(2, 0);
        mr_error error;
        mr_memory_fail_after(context, site, true);
        done = try_boolean(context, MR_BOOLEAN_UNION, &a, &b, &answer, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(done || error.status == MR_OUT_OF_MEMORY);
        assert_true(site < 1000);
        test_context_end(context);
    }
    assert_null(solid_fault(&answer));
    free_all(&a, &b, NULL);
    solid_free(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_that_stand_on_each_other_become_one),
        cmocka_unit_test(boxes_that_share_a_part_of_a_face_keep_the_rest_of_it),
        cmocka_unit_test(outlines_that_cross_on_a_common_face_keep_their_crossings),
        cmocka_unit_test(boxes_some_steps_of_rounding_apart_or_into_each_other_are_closed),
        cmocka_unit_test(solids_that_touch_in_an_edge_or_a_corner_are_closed),
        cmocka_unit_test(a_solid_with_itself_is_itself),
        cmocka_unit_test(random_pairs_are_closed_and_their_volumes_add_up),
        cmocka_unit_test(blocks_of_a_grid_are_as_many_as_counted),
        cmocka_unit_test(nothing_is_a_solid),
        cmocka_unit_test(what_is_no_solid_is_refused_by_name),
        cmocka_unit_test(threads_and_instruction_sets_do_not_matter),
        cmocka_unit_test(failing_memory_is_an_error_at_every_site),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
