// The signs of determinants, against rational arithmetic without rounding (GMP).

#include "num/predicates.h"
#include "support.h"

#include <gmp.h>
#include <math.h>

// Coordinates of a kind each: any bits, small whole numbers, a few steps about one value, one scale, scales far apart.
static float any_finite(test_random *random)
{
    for (;;) {
        union {
            uint32_t bits;
            float value;
        } word = { test_u32(random) };
        if (isfinite(word.value)) {
            return word.value;
        }
    }
}

static float coordinate(test_random *random, uint32_t kind)
{
    switch (kind) {
    case 0:
        return any_finite(random);
    case 1:
        return (float)((int)test_below(random, 7) - 3);
    case 2: {
        float value = 0.1f;
        for (uint32_t steps = test_below(random, 4); steps--;) {
            value = nextafterf(value, 1.0f);
        }
        return value;
    }
    case 3:
        return (float)test_between(random, -1, 1);
    case 4:
        return ldexpf((float)test_between(random, -1, 1), -148 + (int)test_below(random, 12)); // denormals
    default:
        return ldexpf((float)test_between(random, -1, 1), (int)test_below(random, 60) - 30);
    }
}

enum { KINDS = 6 };

// Points in general, or all on one line or plane but for rounding.
static void points_of(test_random *random, uint32_t kind, int dimension, int count, float out[][3])
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < dimension; k++) {
            out[i][k] = coordinate(random, kind);
        }
    }
    if (test_below(random, 2)) {
        float weight[3], *last = out[count - 1];
        for (int i = 0; i < 3; i++) {
            weight[i] = test_below(random, 2) ? 0.25f * (float)test_below(random, 5)
                                              : (float)test_between(random, 0, 1);
        }
        for (int k = 0; k < dimension; k++) {
            float value = out[0][k] + weight[0] * (out[1][k] - out[0][k]);
            if (count == 4) {
                value += weight[1] * (out[2][k] - out[0][k]);
            }
            last[k] = isfinite(value) ? value : out[0][k];
        }
    }
}

// The determinant of the edges from the last point, by Leibniz, without rounding.
static void reference(float points[][3], int dimension, mpq_t out)
{
    static const int order3[6][4] = { { 0, 1, 2, 1 },  { 1, 2, 0, 1 },  { 2, 0, 1, 1 },
                                      { 0, 2, 1, -1 }, { 2, 1, 0, -1 }, { 1, 0, 2, -1 } };
    static const int order2[2][4] = { { 0, 1, 0, 1 }, { 1, 0, 0, -1 } };
    mpq_t edge[3][3], term, last;
    mpq_init(term);
    mpq_init(last);
    mpq_set_si(out, 0, 1);
    for (int i = 0; i < dimension; i++) {
        for (int k = 0; k < dimension; k++) {
            mpq_init(edge[i][k]);
            mpq_set_d(edge[i][k], (double)points[i][k]);
            mpq_set_d(last, (double)points[dimension][k]);
            mpq_sub(edge[i][k], edge[i][k], last);
        }
    }
    for (int p = 0; p < (dimension == 3 ? 6 : 2); p++) {
        const int *order = dimension == 3 ? order3[p] : order2[p];
        mpq_set_si(term, order[3], 1);
        for (int i = 0; i < dimension; i++) {
            mpq_mul(term, term, edge[i][order[i]]);
        }
        mpq_add(out, out, term);
    }
    for (int i = 0; i < dimension; i++) {
        for (int k = 0; k < dimension; k++) {
            mpq_clear(edge[i][k]);
        }
    }
    mpq_clear(term);
    mpq_clear(last);
}

static void sum_of(const mr_exact *exact, mpq_t out)
{
    mpq_t part;
    mpq_init(part);
    mpq_set_si(out, 0, 1);
    for (int i = 0; i < exact->count; i++) {
        mpq_set_d(part, exact->part[i]);
        mpq_add(out, out, part);
    }
    mpq_clear(part);
}

static void orientation_in_the_plane_has_the_sign_of_the_exact_area(void **state)
{
    test_random random = { 1 };
    mpq_t want, got;
    mpq_init(want);
    mpq_init(got);
    size_t zeros = 0;
    for (size_t n = 0; n < test_count(60000); n++) {
        float p[3][3];
        points_of(&random, (uint32_t)n % KINDS, 2, 3, p);
        reference(p, 2, want);
        assert_int_equal(mr_orient2d(p[0], p[1], p[2]), mpq_sgn(want));
        mr_exact exact;
        mr_orient2d_exact(p[0], p[1], p[2], &exact);
        sum_of(&exact, got);
        assert_true(mpq_equal(want, got));
        assert_int_equal(mr_orient2d(p[1], p[0], p[2]), -mpq_sgn(want));
        zeros += mpq_sgn(want) == 0;
    }
    assert_true(zeros > 10);
    mpq_clear(want);
    mpq_clear(got);
}

static void orientation_in_space_has_the_sign_of_the_exact_volume(void **state)
{
    test_random random = { 2 };
    mpq_t want, got;
    mpq_init(want);
    mpq_init(got);
    size_t zeros = 0;
    for (size_t n = 0; n < test_count(60000); n++) {
        float p[4][3];
        points_of(&random, (uint32_t)n % KINDS, 3, 4, p);
        reference(p, 3, want);
        mpq_neg(want, want);
        assert_int_equal(mr_orient3d(p[0], p[1], p[2], p[3]), mpq_sgn(want));
        mr_exact exact;
        mr_orient3d_exact(p[0], p[1], p[2], p[3], &exact);
        sum_of(&exact, got);
        assert_true(mpq_equal(want, got));
        double value = mpq_get_d(want);
        assert_true(fabs(mr_exact_value(&exact) - value) <= 0x1p-51 * fabs(value));
        assert_int_equal(mr_orient3d(p[1], p[0], p[2], p[3]), -mpq_sgn(want));
        assert_int_equal(mr_orient3d(p[3], p[2], p[1], p[0]), mpq_sgn(want));
        zeros += mpq_sgn(want) == 0;
    }
    assert_true(zeros > 10);
    mpq_clear(want);
    mpq_clear(got);
}

static void the_outer_side_of_a_counterclockwise_face_is_positive(void **state)
{
    float a[3] = { 0, 0, 0 }, b[3] = { 1, 0, 0 }, c[3] = { 0, 1, 0 }, up[3] = { 0, 0, 1e-45f };
    assert_int_equal(mr_orient3d(a, b, c, up), 1);
    assert_int_equal(mr_orient2d(a, b, c), 1);
}

// Rows of points and of directions (w 0), as a predicate of moved points takes them, by expansion along the first row.
static void reference4(double rows[4][4], mpq_t out)
{
    static const int order[24][4] = {
        { 0, 1, 2, 3 }, { 0, 2, 3, 1 }, { 0, 3, 1, 2 }, { 1, 0, 3, 2 }, { 1, 2, 0, 3 }, { 1, 3, 2, 0 },
        { 2, 0, 1, 3 }, { 2, 1, 3, 0 }, { 2, 3, 0, 1 }, { 3, 0, 2, 1 }, { 3, 1, 0, 2 }, { 3, 2, 1, 0 },
        { 0, 1, 3, 2 }, { 0, 2, 1, 3 }, { 0, 3, 2, 1 }, { 1, 0, 2, 3 }, { 1, 2, 3, 0 }, { 1, 3, 0, 2 },
        { 2, 0, 3, 1 }, { 2, 1, 0, 3 }, { 2, 3, 1, 0 }, { 3, 0, 1, 2 }, { 3, 1, 2, 0 }, { 3, 2, 0, 1 },
    };
    mpq_t term, entry;
    mpq_init(term);
    mpq_init(entry);
    mpq_set_si(out, 0, 1);
    for (int p = 0; p < 24; p++) {
        mpq_set_si(term, p < 12 ? 1 : -1, 1); // the even permutations come first
        for (int i = 0; i < 4; i++) {
            mpq_set_d(entry, rows[i][order[p][i]]);
            mpq_mul(term, term, entry);
        }
        mpq_add(out, out, term);
    }
    mpq_clear(term);
    mpq_clear(entry);
}

static void determinants_of_points_and_directions_are_exact(void **state)
{
    test_random random = { 3 };
    mpq_t want, got;
    mpq_init(want);
    mpq_init(got);
    for (size_t n = 0; n < test_count(20000); n++) {
        double rows[4][4];
        uint32_t kind = (uint32_t)n % KINDS;
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 3; k++) {
                rows[i][k] = (double)coordinate(&random, kind);
            }
            rows[i][3] = test_below(&random, 3) ? 1 : 0;
        }
        reference4(rows, want);
        mr_exact exact = { 0 };
        mr_exact_add_determinant(&exact, (const double(*)[4])rows, 1.0);
        sum_of(&exact, got);
        assert_true(mpq_equal(want, got));
        assert_int_equal(mr_exact_sign(&exact), mpq_sgn(want));
        mr_exact_add_determinant(&exact, (const double(*)[4])rows, -1.0);
        assert_int_equal(exact.count, 0);
    }
    mpq_clear(want);
    mpq_clear(got);
}

static void products_of_sums_are_exact(void **state)
{
    test_random random = { 4 };
    mpq_t want, got, other;
    mpq_init(want);
    mpq_init(got);
    mpq_init(other);
    for (size_t n = 0; n < test_count(20000); n++) {
        float p[6][3];
        points_of(&random, (uint32_t)n % KINDS, 2, 3, p);
        points_of(&random, (uint32_t)n % KINDS, 2, 3, p + 3);
        mr_exact a, b, product = { 0 };
        mr_orient2d_exact(p[0], p[1], p[2], &a);
        mr_orient2d_exact(p[3], p[4], p[5], &b);
        mr_exact_add_multiple(&product, &a, &b);
        reference(p, 2, want);
        reference(p + 3, 2, other);
        mpq_mul(want, want, other);
        sum_of(&product, got);
        assert_true(mpq_equal(want, got));
    }
    mpq_clear(want);
    mpq_clear(got);
    mpq_clear(other);
}

static void values_that_are_no_numbers_answer_without_a_fault(void **state)
{
    test_random random = { 5 };
    float bad[] = { NAN, INFINITY, -INFINITY, 3.4e38f, 1e-45f, -0.0f };
    for (size_t n = 0; n < test_count(5000); n++) {
        float p[4][3];
        for (int i = 0; i < 12; i++) {
            p[i / 3][i % 3] = test_below(&random, 2) ? bad[test_below(&random, 6)] : any_finite(&random);
        }
        int flat = mr_orient2d(p[0], p[1], p[2]), deep = mr_orient3d(p[0], p[1], p[2], p[3]);
        assert_in_range(flat + 1, 0, 2);
        assert_in_range(deep + 1, 0, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orientation_in_the_plane_has_the_sign_of_the_exact_area),
        cmocka_unit_test(orientation_in_space_has_the_sign_of_the_exact_volume),
        cmocka_unit_test(the_outer_side_of_a_counterclockwise_face_is_positive),
        cmocka_unit_test(determinants_of_points_and_directions_are_exact),
        cmocka_unit_test(products_of_sums_are_exact),
        cmocka_unit_test(values_that_are_no_numbers_answer_without_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
