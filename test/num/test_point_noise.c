// Point noise against a second writing of docs/noise.md, its vectors, and what noise should be: within its range, without
// a favoured axis, its hash without a trace of its input.

#include "support.h"

#include "num/noise.h"
#include "num/point_noise.h"

#include <math.h>

// The second writing.

static uint32_t stirred(uint32_t v)
{
    v ^= v >> 15;
    return v * 0x7feb352du;
}

static uint32_t hash_of(uint32_t row, int32_t x)
{
    uint32_t v = row + (uint32_t)x * 0x9e3779b1u;
    v ^= v >> 15;
    return v * 0x846ca68bu;
}

static uint32_t hash3(int32_t x, int32_t y, int32_t z, uint32_t seed)
{
    uint32_t plane = stirred(mr_pcg(seed) + (uint32_t)z * 0xc2b2ae3du);
    return hash_of(stirred(plane + (uint32_t)y * 0x85ebca77u), x);
}

static uint32_t hash2(int32_t x, int32_t y, uint32_t seed)
{
    return hash_of(stirred(mr_pcg(seed) + (uint32_t)y * 0x85ebca77u), x);
}

static float turned(float x, bool turn)
{
    return turn ? -x : x;
}

static float edge2(uint32_t h, const float d[2])
{
    bool top = h >= 0x80000000u;
    float p = 0.9238795f * d[top], q = 0.38268343f * d[!top];
    return turned(p, h & 1u << 19) + turned(q, h & 1u << 18);
}

static float edge3(uint32_t h, const float d[3])
{
    int64_t word = h >= 0x80000000u ? (int64_t)h - 4294967296 : (int64_t)h;
    int p = word < -715827882 ? 1 : word < 715827882 ? 2 : 0;
    float q = 1.618034f * d[(p + 1) % 3];
    return turned(d[p], h & 1u << 19) + turned(q, h & 1u << 18);
}

// One octave: corners blended along x, then y, then z, each pass halving how many there are.
static float blended(const mr_point_noise *noise, const float *p, uint32_t seed)
{
    bool value = noise->kind == MR_POINT_VALUE2 || noise->kind == MR_POINT_VALUE3;
    uint32_t axes = noise->kind == MR_POINT_VALUE2 || noise->kind == MR_POINT_GRADIENT2 ? 2 : 3;
    int32_t cell[3];
    float t[3], n[8];
    for (uint32_t a = 0; a < axes; a++) {
        float held = fabsf(p[a]) < 2147483648.0f ? p[a] : 0;
        cell[a] = (int32_t)floorf(held);
        t[a] = held - floorf(held);
    }
    for (uint32_t c = 0; c < 1u << axes; c++) {
        float d[3];
        int32_t at[3];
        for (uint32_t a = 0; a < axes; a++) {
            d[a] = t[a] - (float)(c >> a & 1);
            at[a] = (int32_t)((uint32_t)cell[a] + (c >> a & 1));
        }
        uint32_t h = axes == 2 ? hash2(at[0], at[1], seed) : hash3(at[0], at[1], at[2], seed);
        n[c] = value ? (float)(h / 256) / 16777216.0f : axes == 2 ? edge2(h, d) : edge3(h, d);
    }
    for (uint32_t a = 0; a < axes; a++) {
        float x = t[a];
        float inner = x * 6 - 15;
        inner = x * inner + 10;
        float fade = x * x * x * inner;
        for (uint32_t c = 0; c < 1u << (axes - 1 - a); c++) {
            float step = fade * (n[2 * c + 1] - n[2 * c]);
            n[c] = n[2 * c] + step;
        }
    }
    if (value) {
        return n[0] < 0 ? 0 : n[0] > 1 - 0x1p-24f ? 1 - 0x1p-24f : n[0];
    }
    return n[0] * (axes == 2 ? 1.5132f : 0.732f);
}

static float simplex(const float *given, uint32_t seed)
{
    float p[3], c[3], r[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        p[a] = fabsf(given[a]) < 536870912.0f ? given[a] : 0;
    }
    float skew = p[0] + p[1] + p[2];
    skew = skew * 0.33333334f;
    for (int a = 0; a < 3; a++) {
        c[a] = floorf(p[a] + skew);
    }
    float back = c[0] + c[1] + c[2];
    back = back * 0.16666667f;
    int32_t cell[3];
    for (int a = 0; a < 3; a++) {
        r[a] = p[a] - (c[a] - back);
        cell[a] = (int32_t)c[a];
    }
    bool stepped[3] = { false };
    for (int n = 0; n < 4; n++) {
        int best = -1;
        for (int a = 0; n > 0 && a < 3; a++) {
            best = !stepped[a] && (best < 0 || r[a] > r[best]) ? a : best;
        }
        if (best >= 0) {
            stepped[best] = true;
        }
        float d[3];
        for (int a = 0; a < 3; a++) {
            d[a] = r[a] - (float)stepped[a] + (float)n * 0.16666667f;
        }
        float fall = 0.5f - d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
        fall = fall > 0 ? fall * fall : 0;
        uint32_t h = hash3(cell[0] + stepped[0], cell[1] + stepped[1], cell[2] + stepped[2], seed);
        sum += fall * fall * edge3(h, d);
    }
    return 57.06f * sum;
}

static float slow_noise(const mr_point_noise *noise, const float p[3])
{
    float sum = 0, weights = 0, frequency = 1, weight = 1;
    for (uint32_t i = 0; i < noise->octaves && i < 32; i++) {
        float q[3] = { p[0] * frequency, p[1] * frequency, p[2] * frequency };
        uint32_t seed = noise->seed + i * 7919u;
        float n = noise->kind == MR_POINT_SIMPLEX3 ? simplex(q, seed) : blended(noise, q, seed);
        sum += weight * n;
        weights += fabsf(weight);
        frequency *= noise->lacunarity;
        weight *= noise->gain;
    }
    return weights > 0 ? sum * (1 / weights) : 0;
}

static void the_vectors_of_the_page_hold(void **state)
{
    static const struct {
        int32_t x, y, z;
        uint32_t seed, space, plane;
    } hashes[] = { { 0, 0, 0, 0, 0x11321ec6u, 0x25ef4fbeu },
                   { 1, 0, 0, 0, 0xce766c24u, 0x9866c548u },
                   { 0, 1, 0, 0, 0xd463a9bdu, 0x323ece19u },
                   { 0, 0, 1, 0, 0xcaeae30bu, 0x25ef4fbeu },
                   { -1, -2, -3, 7, 0xf644aea8u, 0x81ea22a5u },
                   { 123456, -654321, 424242, 20260520, 0x042af3cfu, 0xc11a38b2u },
                   { INT32_MIN, INT32_MAX, INT32_MIN, UINT32_MAX, 0x5fe958b5u, 0x7e304fcau } };
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        assert_int_equal(hash3(hashes[i].x, hashes[i].y, hashes[i].z, hashes[i].seed), hashes[i].space);
        assert_int_equal(hash2(hashes[i].x, hashes[i].y, hashes[i].seed), hashes[i].plane);
    }
    static const float points[4][3] = { { 0.5f, 0.25f, 0.75f },
                                        { 1.40625f, -2.71875f, 3.3f },
                                        { -3.3f, 7.9f, -0.1f },
                                        { 1000.625f, -2000.375f, 30.5f } };
    static const float want[4][6] = {
        { 0.488455504f, 0.359878004f, -0.566721082f, 0.0797728151f, -0.463132054f, 0.0781195536f },
        { 0.450320363f, 0.403057933f, 0.172541067f, 0.0979178101f, -0.351188213f, -0.00379003887f },
        { 0.281043828f, 0.438288599f, -0.261663258f, -0.0392137654f, 0.359520078f, -0.051322192f },
        { 0.558581293f, 0.504145324f, -0.12256185f, -0.129957095f, 0.143307537f, -0.000226096512f }
    };
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 6; k++) {
            mr_point_noise noise = { k < 5 ? (mr_point_noise_kind)k : MR_POINT_GRADIENT3, 7, k < 5 ? 1 : 6, 2,
                                     0.5f };
            float got = mr_point_noise_at(&noise, points[i][0], points[i][1], points[i][2]);
            assert_memory_equal(&got, &want[i][k], sizeof got);
        }
    }
}

static float random_coordinate(test_random *random)
{
    static const float odd[] = {
        0,       -0.0f,       1,        -1,       NAN,        INFINITY,       -INFINITY,     1e-40f,
        -1e-10f, 0.99999994f, 16777216, -8388609, 2147483520, -2147483648.0f, 2147483648.0f, 5e8f,
        6e8f,    3e38f
    };
    switch (test_below(random, 10)) {
    case 0:
        return odd[test_below(random, sizeof odd / sizeof *odd)];
    case 1:
        return (float)test_below(random, 40) - 20;
    case 2:
        return (float)test_between(random, -1e6, 1e6);
    default:
        return (float)test_between(random, -30, 30);
    }
}

static void every_form_is_what_the_page_says(void **state)
{
    enum { MOST = 700 };
    static const size_t edges[] = { 0, 1, 2, 255, 256, 257, 700 };
    static float p[3][MOST], out[MOST];
    test_random random = { 11 };
    size_t points = 0;
    for (size_t round = 0; round < test_count(300); round++) {
        mr_point_noise noise = { (mr_point_noise_kind)(round % 5),
                                 test_below(&random, 3) ? test_u32(&random) : 0,
                                 test_below(&random, 3) ? test_below(&random, 7) : 1,
                                 test_below(&random, 3) ? 2.0f : (float)test_between(&random, 1.5, 3),
                                 test_below(&random, 3) ? 0.5f : (float)test_between(&random, -0.9, 0.9) };
        noise.octaves = test_below(&random, 60) ? noise.octaves : 40;
        size_t count = round < 35 ? edges[round / 5] : test_below(&random, 120);
        for (size_t i = 0; i < count; i++) {
            for (int a = 0; a < 3; a++) {
                p[a][i] = random_coordinate(&random);
            }
        }
        bool flat = noise.kind == MR_POINT_VALUE2 || noise.kind == MR_POINT_GRADIENT2;
        for (mr_isa isa = MR_ISA_BASE; isa <= mr_isa_best(); isa++) {
            mr_point_noise_array(isa, &noise, p[0], p[1], flat ? NULL : p[2], out, count);
            for (size_t i = 0; i < count; i++) {
                float want = slow_noise(&noise, (float[3]){ p[0][i], p[1][i], p[2][i] });
                float one = mr_point_noise_at(&noise, p[0][i], p[1][i], p[2][i]);
                if (memcmp(&want, &out[i], 4) != 0 || memcmp(&want, &one, 4) != 0) {
                    fail_msg("kind %d, %u octaves, %s, (%.9g, %.9g, %.9g): %.9g and alone %.9g, not %.9g",
                             (int)noise.kind, noise.octaves, mr_isa_name(isa), (double)p[0][i],
                             (double)p[1][i], (double)p[2][i], (double)out[i], (double)one, (double)want);
                }
            }
        }
        points += count;
    }
    assert_true(points >= 10000 || test_scale() < 1);
}

static void noise_stays_in_its_range_and_is_0_on_its_lattice(void **state)
{
    test_random random = { 12 };
    for (int kind = 0; kind < 5; kind++) {
        float low = 9, high = -9;
        double sum = 0;
        size_t count = test_count(200000);
        mr_point_noise noise = { (mr_point_noise_kind)kind, 3, 1, 2, 0.5f };
        for (size_t i = 0; i < count; i++) {
            float n = mr_point_noise_at(&noise, (float)test_between(&random, -500, 500),
                                        (float)test_between(&random, -500, 500),
                                        (float)test_between(&random, -500, 500));
            low = n < low ? n : low;
            high = n > high ? n : high;
            sum += (double)n;
        }
        bool value = kind == MR_POINT_VALUE2 || kind == MR_POINT_VALUE3;
        assert_true(value ? low >= 0 && high < 1 : low >= -1 && high <= 1);
        assert_true(high - low > (value ? 0.9f : 1.6f) || test_scale() < 1);
        assert_true(fabs(sum / (double)count - (value ? 0.5 : 0)) < 0.02 || test_scale() < 1);
    }
    mr_point_noise noise = { MR_POINT_GRADIENT3, 5, 6, 2, 0.5f };
    for (int i = 0; i < 1000; i++) {
        float x = (float)test_below(&random, 2000) - 1000, y = (float)test_below(&random, 2000) - 1000;
        assert_true(mr_point_noise_at(&noise, x, y, x - y) == 0);
    }
}

// The mean square of the slope along each direction of a sphere is the same within a few hundredths.
static void no_axis_is_favoured(void **state)
{
    static const double directions[][3] = { { 1, 0, 0 },
                                            { 0, 1, 0 },
                                            { 0, 0, 1 },
                                            { 0.70710678, 0.70710678, 0 },
                                            { 0.70710678, 0, -0.70710678 },
                                            { 0, 0.70710678, 0.70710678 },
                                            { 0.57735027, 0.57735027, 0.57735027 },
                                            { 0.57735027, -0.57735027, 0.57735027 } };
    size_t count = test_count(60000);
    double tolerance = test_scale() < 1 ? 0.2 : 0.04;
    for (int kind = MR_POINT_GRADIENT3; kind <= MR_POINT_SIMPLEX3; kind++) {
        double mean = 0, squares[8];
        for (int d = 0; d < 8; d++) {
            test_random random = { 13 };
            squares[d] = 0;
            for (size_t i = 0; i < count; i++) {
                mr_point_noise noise = { (mr_point_noise_kind)kind, (uint32_t)i, 1, 2, 0.5f };
                float p[3], q[3];
                for (int a = 0; a < 3; a++) {
                    p[a] = (float)test_between(&random, 0, 8);
                    q[a] = p[a] + (float)directions[d][a] * 0.03125f;
                }
                double slope = (double)(mr_point_noise_at(&noise, q[0], q[1], q[2]) -
                                        mr_point_noise_at(&noise, p[0], p[1], p[2]));
                squares[d] += slope * slope;
            }
            mean += squares[d] / 8;
        }
        for (int d = 0; d < 8; d++) {
            if (fabs(squares[d] / mean - 1) > tolerance) {
                fail_msg("kind %d, direction %d: %.3f of the mean", kind, d, squares[d] / mean);
            }
        }
    }
}

// A flipped bit of any coordinate flips each of the hash's upper bits half the time; a neighbour's word tells nothing.
static void the_hash_keeps_no_trace_of_its_input(void **state)
{
    test_random random = { 14 };
    int count = (int)test_count(8000);
    double tolerance = 4.5 * 0.5 / sqrt(count); // some 10^-5 of honest coins pass it
    for (uint32_t bit = 0; bit < 3 * 18; bit++) {
        int flips[16] = { 0 };
        for (int i = 0; i < count; i++) {
            int32_t v[3];
            for (int a = 0; a < 3; a++) {
                v[a] = (int32_t)test_below(&random, 65536) - 32768;
            }
            uint32_t seed = test_u32(&random), h = hash3(v[0], v[1], v[2], seed);
            v[bit / 18] ^= 1 << bit % 18;
            h ^= hash3(v[0], v[1], v[2], seed);
            for (uint32_t b = 0; b < 16; b++) {
                flips[b] += (int)(h >> (16 + b) & 1);
            }
        }
        for (uint32_t b = 0; b < 16; b++) {
            if (fabs((double)flips[b] / count - 0.5) > tolerance) {
                fail_msg("bit %u of coordinate %u flips bit %u %d times of %d", bit % 18, bit / 18, b + 16,
                         flips[b], count);
            }
        }
    }
}

static void a_curl_has_no_sources(void **state)
{
    test_random random = { 15 };
    for (int i = 0; i < 200; i++) {
        float p[3], ahead[3], behind[3], q[3], out[3], again[3];
        double divergence = 0, size = 0;
        for (int a = 0; a < 3; a++) {
            p[a] = (float)test_between(&random, -20, 20);
        }
        const float h = 1.0f / 256;
        for (int a = 0; a < 3; a++) {
            memcpy(q, p, sizeof q);
            q[a] = p[a] + h;
            mr_point_curl3(q, 9, 0.5f, 3, ahead);
            q[a] = p[a] - h;
            mr_point_curl3(q, 9, 0.5f, 3, behind);
            divergence += (double)(ahead[a] - behind[a]) / (2.0 / 256);
            size += fabs((double)(ahead[a] - behind[a]) / (2.0 / 256));
        }
        assert_true(fabs(divergence) < 0.02 + 0.02 * size);
        mr_point_curl3(p, 9, 0.5f, 3, out);
        mr_point_curl3(p, 9, 0.5f, 6, again);
        assert_true(again[0] == 2 * out[0] && again[1] == 2 * out[1] && again[2] == 2 * out[2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_the_page_hold),
        cmocka_unit_test(every_form_is_what_the_page_says),
        cmocka_unit_test(noise_stays_in_its_range_and_is_0_on_its_lattice),
        cmocka_unit_test(no_axis_is_favoured),
        cmocka_unit_test(the_hash_keeps_no_trace_of_its_input),
        cmocka_unit_test(a_curl_has_no_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
