// The terrain's noise against a second implementation written from docs/noise.md, and the statistics it must have.

#include "num/angle_noise.h"
#include "support.h"

#include <math.h>
#include <mpfr.h>

static void directions_are_the_sines_correctly_rounded(void **state)
{
    mpfr_t x, s;
    mpfr_init2(x, 300);
    mpfr_init2(s, 24);
    for (long k = 0; k < 320; k++) {
        mpfr_const_pi(x, MPFR_RNDN);
        mpfr_mul_si(x, x, 2 * k, MPFR_RNDN);
        mpfr_div_si(x, x, 256, MPFR_RNDN);
        mpfr_sin(s, x, MPFR_RNDN);
        // 300 bits of pi leave a sine of some 1e-90 where the true one is 0.
        float want = k % 128 == 0 ? 0.0f : mpfr_get_flt(s, MPFR_RNDN);
        assert_true(mr_angle_sine[k] == want);
    }
    mpfr_clears(x, s, (mpfr_ptr)0);
}

// The second implementation: 64-bit integers, f32 steps forced to memory, no code shared.

static uint32_t slow_mix(uint64_t v)
{
    v &= 0xffffffffu;
    v ^= v >> 16;
    v = v * 0x7feb352du % (UINT64_C(1) << 32);
    v ^= v >> 15;
    v = v * 0x846ca68bu % (UINT64_C(1) << 32);
    return (uint32_t)(v ^ (v >> 16));
}

static uint32_t slow_pcg(uint64_t v)
{
    uint64_t s = ((v & 0xffffffffu) * 747796405u + 2891336453u) & 0xffffffffu;
    uint64_t w = (((s >> ((s >> 28) + 4)) ^ s) * 277803737u) & 0xffffffffu;
    return (uint32_t)((w >> 22) ^ w);
}

static uint32_t slow_hash(int64_t x, int64_t z, uint32_t seed)
{
    uint64_t row = slow_mix(((uint64_t)z * 0x85ebca77u) ^ slow_pcg(seed));
    return slow_mix(row + (uint64_t)x * 0x9e3779b1u);
}

static float slow_sine(int k)
{
    return (float)sin(6.283185307179586476925 * (k % 256) / 256);
}

static float times(float a, float b)
{
    volatile float c = a * b;
    return c;
}

static float plus(float a, float b)
{
    volatile float c = a + b;
    return c;
}

static float slow_fade(float t)
{
    float cube = times(times(t, t), t);
    return times(cube, plus(times(t, plus(times(t, 6), -15)), 10));
}

static float slow_blend(float a, float b, float u)
{
    return plus(a, times(u, plus(b, -a)));
}

static float slow_layer(int64_t x, float tx, int64_t z, float tz, uint32_t seed, float strength)
{
    float u = slow_fade(tx), v = slow_fade(tz), p[2], q[2];
    for (int far = 0; far < 2; far++) {
        int left = (int)(slow_hash(x, z + far, seed) >> 24),
            right = (int)(slow_hash(x + 1, z + far, seed) >> 24);
        // A float sine of a double is the correctly rounded one but for ties, and the table is tested on its own.
        float pl = left % 128 ? slow_sine(left) : 0, pr = right % 128 ? slow_sine(right) : 0;
        float ql = (left + 64) % 128 ? slow_sine(left + 64) : 0,
              qr = (right + 64) % 128 ? slow_sine(right + 64) : 0;
        p[far] = times(slow_blend(pl, pr, u), strength);
        q[far] = times(slow_blend(times(ql, tx), times(qr, plus(tx, -1)), u), strength);
    }
    float e = plus(p[1], -p[0]), f = plus(plus(q[1], -p[1]), -q[0]);
    return plus(plus(times(p[0], tz), q[0]), times(v, plus(times(e, tz), f)));
}

typedef struct slow_push {
    float x, z;
} slow_push;

static float slow_fbm(double x, double z, uint32_t octaves, double lacunarity, double gain, uint32_t seed,
                      slow_push push)
{
    double squares = 0, weight = 1;
    for (uint32_t i = 0; i < octaves; i++, weight *= gain) {
        squares += weight * weight;
    }
    float sum = 0;
    double frequency = 1;
    weight = 1;
    for (uint32_t i = 0; i < octaves; i++, frequency *= lacunarity, weight *= gain) {
        uint32_t own = seed + i * 7919u;
        double at[2] = { x * frequency + (slow_pcg(slow_pcg(own)) >> 8) / 16777216.0,
                         z * frequency + (slow_pcg(slow_pcg(own) + 1u) >> 8) / 16777216.0 };
        int64_t cell[2];
        float t[2];
        for (int k = 0; k < 2; k++) {
            float by = times(k ? push.z : push.x, (float)frequency);
            cell[k] = (int64_t)floor(at[k]);
            t[k] = plus((float)(at[k] - floor(at[k])), by);
            float whole = push.x != 0 || push.z != 0 ? floorf(t[k]) : 0;
            cell[k] += (int64_t)whole;
            t[k] = plus(t[k], -whole);
        }
        sum = plus(sum, slow_layer(cell[0], t[0], cell[1], t[1], own, (float)(weight / sqrt(squares))));
    }
    return sum;
}

static float slow_warped(double x, double z, uint32_t octaves, double lacunarity, double gain, uint32_t seed,
                         double warp, double feature)
{
    slow_push push = { times((float)(warp / feature),
                             slow_fbm(x, z, 4, 2, 0.5, slow_pcg(seed ^ 0x57415258u), (slow_push){ 0 })),
                       times((float)(warp / feature),
                             slow_fbm(x, z, 4, 2, 0.5, slow_pcg(seed ^ 0x5741525au), (slow_push){ 0 })) };
    return slow_fbm(x, z, octaves, lacunarity, gain, seed, push);
}

static uint32_t angle_hash(int64_t x, int64_t z, uint32_t seed)
{
    return mr_angle_corner(mr_angle_row(mr_angle_key(seed), (uint32_t)z), (uint32_t)x);
}

static void written_vectors_hold_in_both_implementations(void **state)
{
    // docs/noise.md
    static const struct {
        int64_t x, z;
        uint32_t seed, hash;
    } hashes[] = { { 0, 0, 0u, 0xbb14743bu },
                   { 1, 0, 0u, 0xd3f4e324u },
                   { 0, 1, 0u, 0x0a41170du },
                   { -1, -1, 1u, 0x87481884u },
                   { 123456, -654321, 20260520u, 0x56164188u },
                   { -INT64_C(2147483648), 2147483647, 4294967295u, 0x7998f1a1u },
                   { 5, 9, 2147483647u, 0x5f40f7deu } };
    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++) {
        assert_int_equal(angle_hash(hashes[i].x, hashes[i].z, hashes[i].seed), hashes[i].hash);
        assert_int_equal(slow_hash(hashes[i].x, hashes[i].z, hashes[i].seed), hashes[i].hash);
    }
    static const struct {
        double x, z;
        float layer, fbm, warped;
    } noises[] = { { 0.5, 0.25, 0.212976843f, 0.0870084018f, 0.114508688f },
                   { 1.40625, -2.71875, -0.184933648f, 0.143886119f, 0.0661751404f },
                   { -3.3, 7.9, -0.143874645f, -0.0239112414f, -0.0272269528f },
                   { 1666666.6875, -1666667.3125, 0.352346569f, -0.176948711f, -0.0881559849f } };
    mr_angle_fbm fbm;
    mr_angle_warp warp;
    mr_angle_fbm_prepare(&fbm, 7, 6, 2, 0.5);
    mr_angle_warp_prepare(&warp, &fbm, 7, 80, 600);
    for (size_t i = 0; i < sizeof noises / sizeof noises[0]; i++) {
        double x = noises[i].x, z = noises[i].z;
        mr_lattice lx = mr_lattice_of_f64(x), lz = mr_lattice_of_f64(z);
        assert_true(mr_angle_gradient2(lx, lz, 7) == noises[i].layer);
        assert_true(slow_layer((int64_t)floor(x), lx.t, (int64_t)floor(z), lz.t, 7, 1) == noises[i].layer);
        assert_true(mr_angle_fbm2(&fbm, x, z) == noises[i].fbm);
        assert_true(slow_fbm(x, z, 6, 2, 0.5, 7, (slow_push){ 0 }) == noises[i].fbm);
        assert_true(mr_angle_warped2(&fbm, &warp, x, z) == noises[i].warped);
        assert_true(slow_warped(x, z, 6, 2, 0.5, 7, 80, 600) == noises[i].warped);
    }
}

static void sums_equal_the_second_implementation(void **state)
{
    test_random random = { 5 };
    for (size_t i = 0; i < test_count(4000); i++) {
        double far = pow(10, test_between(&random, 0, 8));
        double x = test_between(&random, -far, far), z = test_between(&random, -far, far);
        uint32_t octaves = 1 + test_below(&random, 16), seed = test_u32(&random);
        double lacunarity = test_between(&random, 1.5, 3), gain = test_between(&random, 0.2, 0.9);
        double warp = test_between(&random, 0.1, 500), feature = test_between(&random, 1, 1000);
        mr_angle_fbm fbm;
        mr_angle_warp push;
        mr_angle_fbm_prepare(&fbm, seed, octaves, lacunarity, gain);
        mr_angle_warp_prepare(&push, &fbm, seed, warp, feature);
        assert_true(mr_angle_fbm2(&fbm, x, z) ==
                    slow_fbm(x, z, octaves, lacunarity, gain, seed, (slow_push){ 0 }));
        assert_true(mr_angle_warped2(&fbm, &push, x, z) ==
                    slow_warped(x, z, octaves, lacunarity, gain, seed, warp, feature));
    }
}

static void a_push_past_all_bounds_is_held(void **state)
{
    mr_angle_fbm fbm;
    mr_angle_warp warp;
    mr_angle_fbm_prepare(&fbm, 1, 16, 2, 0.5);
    mr_angle_warp_prepare(&warp, &fbm, 1, 1e30, 1e-3);
    for (int i = 0; i < 1000; i++) {
        float n = mr_angle_warped2(&fbm, &warp, i * 0.37, -i * 0.11);
        assert_true(n > -1.5f && n < 1.5f);
    }
    mr_angle_warp_prepare(&warp, &fbm, 1, -5, 600);
    assert_true(mr_angle_warped2(&fbm, &warp, 0.3, 0.7) == mr_angle_fbm2(&fbm, 0.3, 0.7));
}

static const uint32_t seeds[] = { 0, 1, 0x7fffffffu, 0xffffffffu };

static void flipping_any_bit_of_the_lattice_hash_flips_half_of_the_output(void **state)
{
    enum { SAMPLES = 8192 };
    for (int in = 0; in < 96; in++) {
        uint32_t flips[32] = { 0 };
        for (uint32_t s = 0; s < SAMPLES; s++) {
            // Small coordinates round the origin, as in use, and the seeds next to each other.
            uint32_t v[3] = { (s & 31u) - 16u, ((s >> 5) & 31u) - 16u, s >> 10 }, w[3];
            memcpy(w, v, sizeof v);
            w[in / 32] ^= 1u << (in % 32);
            uint32_t changed = angle_hash((int32_t)v[0], (int32_t)v[1], v[2]) ^
                               angle_hash((int32_t)w[0], (int32_t)w[1], w[2]);
            for (int out = 0; out < 32; out++) {
                flips[out] += (changed >> out) & 1u;
            }
        }
        for (int out = 0; out < 32; out++) {
            double rate = (double)flips[out] / SAMPLES;
            if (fabs(rate - 0.5) > 0.04) {
                fail_msg("input bit %d flips output bit %d at a rate of %d/1000", in, out,
                         (int)(rate * 1000));
            }
        }
    }
}

static void every_direction_is_as_frequent_as_any_other(void **state)
{
    enum { SIDE = 512 };
    for (size_t s = 0; s < 4; s++) {
        uint32_t counts[256] = { 0 };
        for (int64_t z = -SIDE / 2; z < SIDE / 2; z++) {
            for (int64_t x = -SIDE / 2; x < SIDE / 2; x++) {
                counts[angle_hash(x, z, seeds[s]) >> 24]++;
            }
        }
        double chi = 0, want = SIDE * SIDE / 256.0;
        for (int k = 0; k < 256; k++) {
            chi += (counts[k] - want) * (counts[k] - want) / want;
        }
        // 255 degrees of freedom: mean 255, deviation 22.6.
        assert_true(chi > 255 - 5 * 22.6 && chi < 255 + 5 * 22.6);
    }
}

static void neighbouring_directions_are_unrelated(void **state)
{
    enum { SIDE = 512 };
    static const int steps[][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 },  { 1, -1 }, { 2, 0 },
                                    { 0, 2 }, { 2, 1 }, { 16, 0 }, { 0, 16 } };
    for (size_t s = 0; s < 4; s++) {
        for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
            for (uint32_t wave = 1; wave <= 4; wave++) {
                double even = 0, odd = 0;
                for (int64_t z = -SIDE / 2; z < SIDE / 2; z++) {
                    for (int64_t x = -SIDE / 2; x < SIDE / 2; x++) {
                        uint32_t a = angle_hash(x, z, seeds[s]),
                                 b = angle_hash(x + steps[k][0], z + steps[k][1], seeds[s]);
                        uint32_t turn = ((b - a) * wave) >> 24;
                        even += (double)mr_angle_sine[turn + 64];
                        odd += (double)mr_angle_sine[turn];
                    }
                }
                // Each mean has a deviation of sqrt(1/2) / SIDE.
                assert_true(hypot(even, odd) / (SIDE * SIDE) < 4.5 * 0.71 / SIDE);
            }
        }
    }
    // One corner under seeds that follow each other.
    double even = 0;
    for (uint32_t seed = 0; seed < 100000; seed++) {
        even += (double)mr_angle_sine[((angle_hash(3, 4, seed + 1) - angle_hash(3, 4, seed)) >> 24) + 64];
    }
    assert_true(fabs(even) / 100000 < 4.5 * 0.71 / sqrt(100000));
}

// The mean square of the difference over a step, for octaves of the seed.
static double roughness(const mr_angle_fbm *fbm, double x0, double z0, double dx, double dz, uint32_t samples)
{
    test_random random = { 9 };
    double sum = 0;
    for (uint32_t i = 0; i < samples; i++) {
        double x = x0 + test_between(&random, 0, 4000), z = z0 + test_between(&random, 0, 4000);
        double d = (double)(mr_angle_fbm2(fbm, x + dx, z + dz) - mr_angle_fbm2(fbm, x, z));
        sum += d * d;
    }
    return sum / samples;
}

static void slopes_are_as_steep_along_x_z_and_the_diagonals(void **state)
{
    const double h = 0x1p-7, r = h * sqrt(0.5);
    const uint32_t samples = 60000;
    for (size_t s = 0; s < 4; s++) {
        mr_angle_fbm fbm;
        mr_angle_fbm_prepare(&fbm, seeds[s], 1, 2, 0.5);
        double across[4] = { roughness(&fbm, 0, 0, h, 0, samples), roughness(&fbm, 0, 0, 0, h, samples),
                             roughness(&fbm, 0, 0, r, r, samples), roughness(&fbm, 0, 0, r, -r, samples) };
        double mean = (across[0] + across[1] + across[2] + across[3]) / 4;
        for (int k = 0; k < 4; k++) {
            assert_true(fabs(across[k] / mean - 1) < 0.03);
        }
        // At steps of a lattice cell and more the square lattice shows, but x and z stay alike, and so do the diagonals.
        for (double step = 0.5; step <= 2; step *= 2) {
            double x = roughness(&fbm, 0, 0, step, 0, samples), z = roughness(&fbm, 0, 0, 0, step, samples);
            double a = roughness(&fbm, 0, 0, step, step, samples),
                   b = roughness(&fbm, 0, 0, step, -step, samples);
            assert_true(fabs(x / z - 1) < 0.04);
            assert_true(fabs(a / b - 1) < 0.04);
        }
    }
}

static void extreme_seeds_have_the_same_statistics(void **state)
{
    double deviation[4];
    for (size_t s = 0; s < 4; s++) {
        mr_angle_fbm fbm;
        mr_angle_fbm_prepare(&fbm, seeds[s], 6, 2, 0.5);
        test_random random = { 3 };
        double sum = 0, squares = 0, low = 0, high = 0;
        const int count = 60000;
        for (int i = 0; i < count; i++) {
            double n = (double)mr_angle_fbm2(&fbm, test_between(&random, -2000, 2000),
                                             test_between(&random, -2000, 2000));
            sum += n;
            squares += n * n;
            low = n < low ? n : low;
            high = n > high ? n : high;
        }
        double mean = sum / count;
        deviation[s] = sqrt(squares / count - mean * mean);
        assert_true(fabs(mean) < 0.01);
        assert_true(low < -0.7 && low > -1.25 && high > 0.7 && high < 1.25);
    }
    for (size_t s = 1; s < 4; s++) {
        assert_true(fabs(deviation[s] / deviation[0] - 1) < 0.02);
    }
}

static void one_layer_spans_about_seven_tenths(void **state)
{
    test_random random = { 4 };
    float low = 0, high = 0;
    for (int i = 0; i < 400000; i++) {
        float n = mr_angle_gradient2(mr_lattice_of_f64(test_between(&random, -5000, 5000)),
                                     mr_lattice_of_f64(test_between(&random, -5000, 5000)), 11);
        low = n < low ? n : low;
        high = n > high ? n : high;
    }
    assert_true(low > -0.7072f && low < -0.6f && high > 0.6f && high < 0.7072f);
    for (int i = -50; i < 50; i++) {
        assert_true(mr_angle_gradient2((mr_lattice){ i, 0 }, (mr_lattice){ 3 * i, 0 }, 11) == 0.0f);
    }
}

static void noise_is_continuous_across_cells(void **state)
{
    for (int32_t x = -200; x < 200; x++) {
        for (int k = 0; k < 16; k++) {
            mr_lattice end = { x, 1.0f }, start = { x + 1, 0.0f }, along = { 7 * x, (float)k / 16 };
            assert_true(fabsf(mr_angle_gradient2(end, along, 5) - mr_angle_gradient2(start, along, 5)) <
                        1e-6f);
            assert_true(fabsf(mr_angle_gradient2(along, end, 5) - mr_angle_gradient2(along, start, 5)) <
                        1e-6f);
        }
    }
}

static void ten_thousand_seeds_give_ten_thousand_small_grounds(void **state)
{
    static float grounds[10000][4];
    for (uint32_t seed = 0; seed < 10000; seed++) {
        mr_angle_fbm fbm;
        mr_angle_fbm_prepare(&fbm, seed, 3, 2, 0.5);
        for (int k = 0; k < 4; k++) {
            grounds[seed][k] = mr_angle_fbm2(&fbm, (k & 1) * 0.4 + 0.1, (k >> 1) * 0.4 + 0.1);
        }
    }
    // All pairs through a hash of the four values.
    static uint32_t slots[1 << 16];
    for (uint32_t seed = 0; seed < 10000; seed++) {
        uint32_t words[4], at = 0;
        memcpy(words, grounds[seed], sizeof words);
        for (int k = 0; k < 4; k++) {
            at = slow_mix(at ^ words[k]);
        }
        for (at &= 0xffffu; slots[at]; at = (at + 1) & 0xffffu) {
            assert_true(memcmp(grounds[slots[at] - 1], grounds[seed], sizeof grounds[0]) != 0);
        }
        slots[at] = seed + 1;
    }
}

static void ground_far_from_the_origin_keeps_its_roughness(void **state)
{
    static const double places[] = { 0, 1e4, -1e4, 1e6, -1e6, 1e9, -1e9 };
    double near = 0;
    for (size_t k = 0; k < 7; k++) {
        mr_angle_fbm fbm;
        mr_angle_fbm_prepare(&fbm, 21, 6, 2, 0.5);
        // One metre at a feature size of 600 m, over many rows, so that the place's own relief evens out.
        double squares = 0, curvature = 0;
        uint32_t same = 0, count = 0;
        for (int row = 0; row < 256; row++) {
            double z = (places[k] + row * 613.0) / 600;
            float before = 0, last = 0;
            for (int i = 0; i < 300; i++) {
                float n = mr_angle_fbm2(&fbm, (places[k] + i) / 600, z);
                if (i >= 2) {
                    squares += (double)((n - last) * (n - last));
                    curvature += (double)((n - 2 * last + before) * (n - 2 * last + before));
                    same += n == last;
                    count++;
                }
                before = last;
                last = n;
            }
        }
        if (k == 0) {
            near = squares;
        }
        assert_true(fabs(squares / near - 1) < 0.15);
        // Blocky ground has steps: its second differences are as large as its first.
        assert_true(curvature < 0.1 * squares);
        assert_in_range(same, 0, count / 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_the_sines_correctly_rounded),
        cmocka_unit_test(written_vectors_hold_in_both_implementations),
        cmocka_unit_test(sums_equal_the_second_implementation),
        cmocka_unit_test(a_push_past_all_bounds_is_held),
        cmocka_unit_test(flipping_any_bit_of_the_lattice_hash_flips_half_of_the_output),
        cmocka_unit_test(every_direction_is_as_frequent_as_any_other),
        cmocka_unit_test(neighbouring_directions_are_unrelated),
        cmocka_unit_test(slopes_are_as_steep_along_x_z_and_the_diagonals),
        cmocka_unit_test(extreme_seeds_have_the_same_statistics),
        cmocka_unit_test(one_layer_spans_about_seven_tenths),
        cmocka_unit_test(noise_is_continuous_across_cells),
        cmocka_unit_test(ten_thousand_seeds_give_ten_thousand_small_grounds),
        cmocka_unit_test(ground_far_from_the_origin_keeps_its_roughness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
