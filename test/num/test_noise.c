// The lattice noises against the reference's vectors, their derivatives against differences, and their seams.

#include "num/noise.h"
#include "support.h"

#include <math.h>

static const mr_fractal four = { 4, 2.0f, 0.5f };
static const float points[3][2] = { { 0.5f, 0.25f }, { 1.40625f, -2.71875f }, { -3.3f, 7.9f } };

static void assert_close(double got, double want, double bound)
{
    if (!(fabs(got - want) <= bound)) {
        char a[40], b[40];
        mr_text_format(a, sizeof a, "%.9g", got);
        mr_text_format(b, sizeof b, "%.9g", want);
        fail_msg("%s is not %s", a, b);
    }
}

static void assert_noise2(mr_noise2 got, float value, float dx, float dy)
{
    assert_close((double)got.value, (double)value, 6e-8);
    assert_close((double)got.dx, (double)dx, 6e-7);
    assert_close((double)got.dy, (double)dy, 6e-7);
}

static void plane_noises_give_the_reference_vectors(void **state)
{
    static const float value[3][3] = { { -0.5427875f, 0.678221f, 0.314859f },
                                       { 0.7444813f, -0.242231f, -1.096038f },
                                       { 0.2930599f, 0.826217f, -0.075721f } };
    static const float gradient[3][3] = { { -0.1600061f, 0.283602f, -0.207006f },
                                          { 0.1670336f, -0.990940f, 0.243091f },
                                          { -0.2028956f, 0.133975f, 0.881229f } };
    static const float sums[3][3] = { { 0.0566809f, 1.3047041f, -1.2099377f },
                                      { 0.3297195f, 0.9655414f, -0.7508248f },
                                      { 0.1614395f, 1.5109981f, -1.4816564f } };
    for (int i = 0; i < 3; i++) {
        float x = points[i][0], y = points[i][1];
        assert_noise2(mr_value2(x, y, 7), value[i][0], value[i][1], value[i][2]);
        assert_noise2(mr_gradient2(x, y, 7), gradient[i][0], gradient[i][1], gradient[i][2]);
        assert_close((double)mr_fbm2(x, y, 7, four).value, (double)sums[i][0], 6e-8);
        assert_close((double)mr_ridged2(x, y, 7, four).value, (double)sums[i][1], 1.2e-7);
        assert_close((double)mr_billow2(x, y, 7, four).value, (double)sums[i][2], 1.2e-7);
    }
}

static void space_noises_give_the_reference_vectors(void **state)
{
    assert_close((double)mr_value3(0.5f, 0.25f, 0.75f, 7).value, 0.1538320, 6e-8);
    assert_close((double)mr_gradient3(0.5f, 0.25f, 0.75f, 7).value, -0.0483318, 6e-8);
    assert_close((double)mr_fbm3(0.5f, 0.25f, 0.75f, 7, four).value, -0.0545705, 6e-8);
    assert_close((double)mr_value3(1.4f, -2.7f, 3.1f, 7).value, 0.4402302, 6e-8);
    assert_close((double)mr_gradient3(1.4f, -2.7f, 3.1f, 7).value, 0.1232594, 6e-8);
    assert_close((double)mr_fbm3(1.4f, -2.7f, 3.1f, 7, four).value, 0.3205544, 6e-8);
}

static void cellular_gives_the_reference_vectors(void **state)
{
    static const double want[3][4] = { { 0.387540, 0.717729, -0.365271, 0.129477 },
                                       { 0.799287, 0.971789, 0.524284, 0.603313 },
                                       { 0.434800, 0.598147, -0.314214, 0.300533 } };
    static const uint32_t ids[3] = { 3058963555u, 338561966u, 3366746807u };
    for (int i = 0; i < 3; i++) {
        mr_cellular2_answer got = mr_cellular2(points[i][0], points[i][1], 7, 1.0f);
        assert_close((double)got.f1, want[i][0], 6e-7);
        assert_close((double)got.f2, want[i][1], 6e-7);
        assert_int_equal(got.id, ids[i]);
        assert_close((double)got.to[0], want[i][2], 6e-7);
        assert_close((double)got.to[1], want[i][3], 6e-7);
    }
}

static float random_coordinate(uint32_t i, uint32_t k)
{
    return (mr_to_unit(mr_random(k, i)) - 0.5f) * 40.0f;
}

// Central differences on a step that f32 and the noise's curvature both leave room for.
static void derivatives_are_the_slopes(void **state)
{
    typedef mr_noise2 (*plane)(float, float, uint32_t, mr_fractal);
    static const plane planes[] = { mr_fbm2, mr_ridged2, mr_billow2 };
    typedef mr_noise3 (*space)(float, float, float, uint32_t, mr_fractal);
    static const space spaces[] = { mr_fbm3, mr_ridged3, mr_billow3 };
    const mr_fractal two = { 2, 2.0f, 0.5f };
    const float h = 0x1p-9f;
    int misses = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        float x = random_coordinate(i, 1), y = random_coordinate(i, 2), z = random_coordinate(i, 3);
        mr_noise2 v = mr_value2(x, y, i), g = mr_gradient2(x, y, i);
        assert_close((double)v.dx,
                     (double)(mr_value2(x + h, y, i).value - mr_value2(x - h, y, i).value) * 256, 4e-3);
        assert_close((double)v.dy,
                     (double)(mr_value2(x, y + h, i).value - mr_value2(x, y - h, i).value) * 256, 4e-3);
        assert_close((double)g.dx,
                     (double)(mr_gradient2(x + h, y, i).value - mr_gradient2(x - h, y, i).value) * 256, 4e-3);
        assert_close((double)g.dy,
                     (double)(mr_gradient2(x, y + h, i).value - mr_gradient2(x, y - h, i).value) * 256, 4e-3);
        mr_noise3 w = mr_value3(x, y, z, i);
        assert_close((double)w.dx,
                     (double)(mr_value3(x + h, y, z, i).value - mr_value3(x - h, y, z, i).value) * 256, 4e-3);
        assert_close((double)w.dz,
                     (double)(mr_value3(x, y, z + h, i).value - mr_value3(x, y, z - h, i).value) * 256, 4e-3);
        for (int k = 0; k < 3; k++) {
            // Ridges and folds have no slope on their crest; a sample beside one may miss.
            mr_noise2 n = planes[k](x, y, i, two);
            double slope =
                (double)(planes[k](x, y + h, i, two).value - planes[k](x, y - h, i, two).value) * 256;
            misses += fabs((double)n.dy - slope) > 0.02;
            mr_noise3 m = spaces[k](x, y, z, i, two);
            slope =
                (double)(spaces[k](x, y + h, z, i, two).value - spaces[k](x, y - h, z, i, two).value) * 256;
            misses += fabs((double)m.dy - slope) > 0.02;
        }
    }
    assert_in_range(misses, 0, 12000 / 50);
}

static void noises_stay_in_their_ranges_and_gradient_noise_is_zero_on_the_lattice(void **state)
{
    for (uint32_t i = 0; i < 100000; i++) {
        float x = random_coordinate(i, 1), y = random_coordinate(i, 2), z = random_coordinate(i, 3);
        assert_true(fabsf(mr_value2(x, y, 1).value) <= 1.0f);
        assert_true(fabsf(mr_value3(x, y, z, 1).value) <= 1.0f);
        assert_true(fabsf(mr_gradient2(x, y, 1).value) <= 1.0f);
        assert_true(fabsf(mr_gradient3(x, y, z, 1).value) <= 1.5f);
        assert_true(mr_gradient2(floorf(x), floorf(y), 1).value == 0.0f);
        assert_true(mr_gradient3(floorf(x), floorf(y), floorf(z), 1).value == 0.0f);
    }
}

static void periodic_noise_repeats_and_meets_itself(void **state)
{
    const int32_t periods[3] = { 5, 3, 1 };
    for (uint32_t i = 0; i < 2000; i++) {
        float x = random_coordinate(i, 1), y = random_coordinate(i, 2), z = random_coordinate(i, 3);
        mr_lattice p[3] = { mr_lattice_of(x), mr_lattice_of(y), mr_lattice_of(z) }, q[3];
        memcpy(q, p, sizeof p);
        q[0].cell -= 5 * 7;
        q[1].cell += 3 * 4;
        q[2].cell -= 11;
        assert_true(mr_value2_at(p, 9, periods).value == mr_value2_at(q, 9, periods).value);
        assert_true(mr_gradient2_at(p, 9, periods).value == mr_gradient2_at(q, 9, periods).value);
        assert_true(mr_value3_at(p, 9, periods).value == mr_value3_at(q, 9, periods).value);
        assert_true(mr_gradient3_at(p, 9, periods).value == mr_gradient3_at(q, 9, periods).value);
    }
    mr_lattice before[2] = { { 4, 1.0f }, { 0, 0.3f } }, after[2] = { { 0, 0.0f }, { 0, 0.3f } };
    assert_close((double)mr_value2_at(before, 9, periods).value,
                 (double)mr_value2_at(after, 9, periods).value, 1e-6);
    // Inside its first period a wrapped lattice is the plain one.
    mr_lattice inside[2] = { { 2, 0.25f }, { 1, 0.75f } };
    assert_true(mr_value2_at(inside, 9, periods).value == mr_value2_at(inside, 9, NULL).value);
}

static void cascade_without_strength_is_fbm_to_the_bit(void **state)
{
    for (uint32_t i = 0; i < 2000; i++) {
        float x = random_coordinate(i, 1), y = random_coordinate(i, 2);
        assert_true(mr_cascade2(x, y, i, four, 0.0f) == mr_fbm2(x, y, i, four).value);
        assert_true(mr_warp2(x, y, i, 4, 0.0f) == mr_fbm2(x, y, i, four).value);
        assert_true(mr_cascade2(x, y, i, four, 0.7f) != mr_fbm2(x, y, i, four).value);
    }
}

static void cellular_finds_the_nearest_of_all_points(void **state)
{
    for (uint32_t i = 0; i < 2000; i++) {
        float p[3] = { random_coordinate(i, 1), random_coordinate(i, 2), random_coordinate(i, 3) };
        float jitter = (float)(i % 5) * 0.25f;
        double best2[2] = { 1e9, 1e9 }, best3[2] = { 1e9, 1e9 };
        for (int dz = -3; dz <= 3; dz++) {
            for (int dy = -3; dy <= 3; dy++) {
                for (int dx = -3; dx <= 3; dx++) {
                    int cell[3] = { (int)floorf(p[0]) + dx, (int)floorf(p[1]) + dy, (int)floorf(p[2]) + dz };
                    mr_words4 h = mr_hash3(cell[0], cell[1], cell[2], i);
                    const uint32_t words[3] = { h.x, h.y, h.z };
                    double distance = 0;
                    for (int k = 0; k < 3; k++) {
                        double at = cell[k] + 0.5 + (double)jitter * ((double)mr_to_unit(words[k]) - 0.5) -
                                    (double)p[k];
                        distance += at * at;
                    }
                    if (distance < best3[0]) {
                        best3[1] = best3[0];
                        best3[0] = distance;
                    } else if (distance < best3[1]) {
                        best3[1] = distance;
                    }
                    if (dz == 0) {
                        mr_words3 g = mr_hash2(cell[0], cell[1], i);
                        double ax =
                            cell[0] + 0.5 + (double)jitter * ((double)mr_to_unit(g.x) - 0.5) - (double)p[0];
                        double ay =
                            cell[1] + 0.5 + (double)jitter * ((double)mr_to_unit(g.y) - 0.5) - (double)p[1];
                        double flat = ax * ax + ay * ay;
                        if (flat < best2[0]) {
                            best2[1] = best2[0];
                            best2[0] = flat;
                        } else if (flat < best2[1]) {
                            best2[1] = flat;
                        }
                    }
                }
            }
        }
        mr_cellular2_answer two = mr_cellular2(p[0], p[1], i, jitter);
        mr_cellular3_answer three = mr_cellular3(p[0], p[1], p[2], i, jitter);
        assert_close((double)two.f1, sqrt(best2[0]), 4e-6);
        assert_close((double)two.f2, sqrt(best2[1]), 4e-6);
        assert_close((double)three.f1, sqrt(best3[0]), 4e-6);
        assert_close((double)three.f2, sqrt(best3[1]), 4e-6);
    }
}

static void coordinates_split_into_cell_and_fraction(void **state)
{
    assert_int_equal(mr_lattice_of_f64(-0.25).cell, -1);
    assert_true(mr_lattice_of_f64(-0.25).t == 0.75f);
    assert_int_equal(mr_lattice_of_f64(1e9 + 0.5).cell, 1000000000);
    assert_true(mr_lattice_of_f64(1e9 + 0.5).t == 0.5f);
    assert_int_equal(mr_lattice_of_f64(0x1p32 + 3.25).cell, 3);
    assert_int_equal(mr_lattice_of_f64(-0x1p32 - 3.0).cell, -3);
    assert_int_equal(mr_lattice_of(0x1p80f).cell, 0);
    assert_true(mr_lattice_of_f64((double)INFINITY).t == 0.0f);
    assert_true(mr_lattice_of_f64((double)NAN).t == 0.0f);
}

static void phacelle_gives_the_reference_vectors(void **state)
{
    static const float along[2] = { 0.6f, 0.8f }, flat[2] = { 1, 0 };
    mr_phacelle_answer a = mr_phacelle(1.40625f, -2.71875f, along, 1, 0, 0.4f, 31);
    assert_close((double)a.cosine, 0.132794, 6e-7);
    assert_close((double)a.sine, 0.163350, 6e-7);
    assert_close((double)a.side[0], -5.026548, 6e-7);
    assert_close((double)a.side[1], 3.769912, 6e-7);
    a = mr_phacelle(-3.3f, 7.9f, along, 1, 0.25f, 0.4f, 31);
    assert_close((double)a.cosine, -0.864742, 6e-7);
    assert_close((double)a.sine, 0.502217, 6e-7);
    a = mr_phacelle(0.5f, 0.25f, flat, 1, 0, 0.4f, 7);
    assert_close((double)a.cosine, -0.852523, 6e-7);
    assert_close((double)a.sine, 0.107909, 6e-7);
    assert_close((double)a.side[0], 0, 1e-9);
    assert_close((double)a.side[1], 6.283185, 6e-7);
    for (uint32_t i = 0; i < 100; i++) {
        a = mr_phacelle(random_coordinate(i, 1), random_coordinate(i, 2), along, 1, 0, 1, i);
        assert_close(hypot((double)a.cosine, (double)a.sine), 1, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_noises_give_the_reference_vectors),
        cmocka_unit_test(space_noises_give_the_reference_vectors),
        cmocka_unit_test(cellular_gives_the_reference_vectors),
        cmocka_unit_test(derivatives_are_the_slopes),
        cmocka_unit_test(noises_stay_in_their_ranges_and_gradient_noise_is_zero_on_the_lattice),
        cmocka_unit_test(periodic_noise_repeats_and_meets_itself),
        cmocka_unit_test(cascade_without_strength_is_fbm_to_the_bit),
        cmocka_unit_test(cellular_finds_the_nearest_of_all_points),
        cmocka_unit_test(phacelle_gives_the_reference_vectors),
        cmocka_unit_test(coordinates_split_into_cell_and_fraction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
