// num/point_noise_inline.h: one sample of point noise, in pieces that vectorize.

#ifndef MARRAM_NUM_POINT_NOISE_INLINE_H
#define MARRAM_NUM_POINT_NOISE_INLINE_H

#include "num/point_noise.h"

#include <string.h>

// What an instruction set has.
typedef struct mr_point_noise_kernels {
    void (*array)(const mr_point_noise *noise, const float *x, const float *y, const float *z, float *out,
                  size_t count);
} mr_point_noise_kernels;

#define POINT_X 0x9e3779b1u
#define POINT_Y 0x85ebca77u
#define POINT_Z 0xc2b2ae3du

// Planes and rows of the lattice, then a corner on its row.
static inline uint32_t point_stir(uint32_t v)
{
    return (v ^ v >> 15) * 0x7feb352du;
}
static inline uint32_t point_last(uint32_t v)
{
    return (v ^ v >> 15) * 0x846ca68bu;
}

// The cell and the fraction past it.
static inline float point_split(float p, float limit, int32_t *cell)
{
    float held = __builtin_fabsf(p) < limit ? p : 0.0f;
    float corner = __builtin_floorf(held);
    *cell = (int32_t)corner;
    return held - corner;
}

static inline float point_fade(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

static inline float point_mix(float a, float b, float t)
{
    return a + t * (b - a);
}

// x, its sign turned where that bit of the hash is set.
static inline float point_signed(float x, uint32_t hash, unsigned bit)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= hash << (31u - bit) & 0x80000000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float point_unit(uint32_t hash)
{
    return (float)(int32_t)(hash >> 8) * 0x1p-24f;
}

// A vector from a corner, and its products with the gradients' longer component.
typedef struct point_reach {
    float x, y, z, long_x, long_y, long_z;
} point_reach;

#define POINT_LONG3 1.618034f
static inline point_reach point_reach3(float x, float y, float z)
{
    return (point_reach){ x, y, z, POINT_LONG3 * x, POINT_LONG3 * y, POINT_LONG3 * z };
}

// With one of the 12 corners of an icosahedron: (0, 1, long), (long, 0, 1) or (1, long, 0) by the third of all words that
// the hash is in, with two signs.
static inline float point_dot3(uint32_t hash, const point_reach *d)
{
    int32_t word = (int32_t)hash;
    float near = word < -715827882 ? d->y : word < 715827882 ? d->z : d->x;
    float far = word < -715827882 ? d->long_z : word < 715827882 ? d->long_x : d->long_y;
    return point_signed(near, hash, 19) + point_signed(far, hash, 18);
}

// With one of the 8 corners of an octagon, (long, short) or (short, long) with two signs.
#define POINT_LONG2 0.9238795f
#define POINT_SHORT2 0.38268343f
static inline float point_dot2(uint32_t hash, float x, float y)
{
    bool turned = (int32_t)hash < 0;
    float first = POINT_LONG2 * (turned ? y : x), second = POINT_SHORT2 * (turned ? x : y);
    return point_signed(first, hash, 19) + point_signed(second, hash, 18);
}

// Blends keep what they blend within its own ends but for their rounding.
static inline float point_held_unit(float value)
{
    value = value > 0.0f ? value : 0.0f;
    return value < 0x1.fffffep-1f ? value : 0x1.fffffep-1f;
}

static inline float point_value2(float x, float y, uint32_t key)
{
    int32_t i, j;
    float u = point_fade(point_split(x, 0x1p31f, &i)), v = point_fade(point_split(y, 0x1p31f, &j));
    uint32_t column = (uint32_t)i * POINT_X, line = key + (uint32_t)j * POINT_Y;
    uint32_t near = point_stir(line), far = point_stir(line + POINT_Y);
    float low =
        point_mix(point_unit(point_last(near + column)), point_unit(point_last(near + column + POINT_X)), u);
    float high =
        point_mix(point_unit(point_last(far + column)), point_unit(point_last(far + column + POINT_X)), u);
    return point_held_unit(point_mix(low, high, v));
}

static inline float point_gradient2(float x, float y, uint32_t key)
{
    int32_t i, j;
    float s = point_split(x, 0x1p31f, &i), t = point_split(y, 0x1p31f, &j);
    float u = point_fade(s), v = point_fade(t);
    uint32_t column = (uint32_t)i * POINT_X, line = key + (uint32_t)j * POINT_Y;
    uint32_t near = point_stir(line), far = point_stir(line + POINT_Y);
    float low = point_mix(point_dot2(point_last(near + column), s, t),
                          point_dot2(point_last(near + column + POINT_X), s - 1.0f, t), u);
    float high = point_mix(point_dot2(point_last(far + column), s, t - 1.0f),
                           point_dot2(point_last(far + column + POINT_X), s - 1.0f, t - 1.0f), u);
    return 1.5132f * point_mix(low, high, v);
}

// The words of a cell's four rows, (y, z), (y + 1, z), (y, z + 1), (y + 1, z + 1).
static inline void point_rows(uint32_t key, int32_t j, int32_t k, uint32_t rows[4])
{
    uint32_t line = (uint32_t)j * POINT_Y, depth = key + (uint32_t)k * POINT_Z;
    uint32_t near = point_stir(depth), far = point_stir(depth + POINT_Z);
    rows[0] = point_stir(near + line);
    rows[1] = point_stir(near + line + POINT_Y);
    rows[2] = point_stir(far + line);
    rows[3] = point_stir(far + line + POINT_Y);
}

static inline float point_value_row(uint32_t row, uint32_t column, float u)
{
    return point_mix(point_unit(point_last(row + column)), point_unit(point_last(row + column + POINT_X)), u);
}

static inline float point_value3(float x, float y, float z, uint32_t key)
{
    int32_t i, j, k;
    float u = point_fade(point_split(x, 0x1p31f, &i)), v = point_fade(point_split(y, 0x1p31f, &j)),
          w = point_fade(point_split(z, 0x1p31f, &k));
    uint32_t column = (uint32_t)i * POINT_X, rows[4];
    point_rows(key, j, k, rows);
    float near = point_mix(point_value_row(rows[0], column, u), point_value_row(rows[1], column, u), v);
    float far = point_mix(point_value_row(rows[2], column, u), point_value_row(rows[3], column, u), v);
    return point_held_unit(point_mix(near, far, w));
}

// Two corners of a row blended: the vectors from them differ by 1 along x.
static inline float point_gradient_row(uint32_t row, uint32_t column, float x, float y, float z, float u)
{
    point_reach near = point_reach3(x, y, z), far = point_reach3(x - 1.0f, y, z);
    return point_mix(point_dot3(point_last(row + column), &near),
                     point_dot3(point_last(row + column + POINT_X), &far), u);
}

static inline float point_gradient3(float x, float y, float z, uint32_t key)
{
    int32_t i, j, k;
    float r = point_split(x, 0x1p31f, &i), s = point_split(y, 0x1p31f, &j), t = point_split(z, 0x1p31f, &k);
    float u = point_fade(r), v = point_fade(s), w = point_fade(t);
    uint32_t column = (uint32_t)i * POINT_X, rows[4];
    point_rows(key, j, k, rows);
    float near = point_mix(point_gradient_row(rows[0], column, r, s, t, u),
                           point_gradient_row(rows[1], column, r, s - 1.0f, t, u), v);
    float far = point_mix(point_gradient_row(rows[2], column, r, s, t - 1.0f, u),
                          point_gradient_row(rows[3], column, r, s - 1.0f, t - 1.0f, u), v);
    return 0.732f * point_mix(near, far, w);
}

// What one corner of a tetrahedron adds.
static inline float point_simplex_corner(uint32_t key, const int32_t cell[3], const uint32_t step[3], float x,
                                         float y, float z)
{
    uint32_t plane = point_stir(key + ((uint32_t)cell[2] + step[2]) * POINT_Z);
    uint32_t row = point_stir(plane + ((uint32_t)cell[1] + step[1]) * POINT_Y);
    point_reach d = point_reach3(x, y, z);
    float fall = 0.5f - x * x - y * y - z * z;
    fall = fall > 0.0f ? fall : 0.0f;
    fall = fall * fall;
    return fall * fall * point_dot3(point_last(row + ((uint32_t)cell[0] + step[0]) * POINT_X), &d);
}

#define POINT_THIRD 0.33333334f
#define POINT_SIXTH 0.16666667f

static inline float point_simplex3(float x, float y, float z, uint32_t key)
{
    x = __builtin_fabsf(x) < 0x1p29f ? x : 0.0f;
    y = __builtin_fabsf(y) < 0x1p29f ? y : 0.0f;
    z = __builtin_fabsf(z) < 0x1p29f ? z : 0.0f;
    float skew = (x + y + z) * POINT_THIRD;
    float fi = __builtin_floorf(x + skew), fj = __builtin_floorf(y + skew), fk = __builtin_floorf(z + skew);
    float back = (fi + fj + fk) * POINT_SIXTH;
    float r = x - (fi - back), s = y - (fj - back), t = z - (fk - back);
    int32_t cell[3] = { (int32_t)fi, (int32_t)fj, (int32_t)fk };
    // How many of the other two each offset is ahead of: the walk's first step is along the greatest, its last along the
    // least.
    uint32_t a = (uint32_t)(r >= s) + (uint32_t)(r >= t), b = (uint32_t)(s > r) + (uint32_t)(s >= t),
             c = (uint32_t)(t > r) + (uint32_t)(t > s);
    const uint32_t steps[4][3] = {
        { 0, 0, 0 }, { a >> 1, b >> 1, c >> 1 }, { a > 0, b > 0, c > 0 }, { 1, 1, 1 }
    };
    float sum = 0.0f;
    for (unsigned n = 0; n < 4; n++) {
        float shift = (float)n * POINT_SIXTH;
        sum += point_simplex_corner(key, cell, steps[n], r - (float)(int32_t)steps[n][0] + shift,
                                    s - (float)(int32_t)steps[n][1] + shift,
                                    t - (float)(int32_t)steps[n][2] + shift);
    }
    return 57.06f * sum;
}

static inline float point_sample(mr_point_noise_kind kind, float x, float y, float z, uint32_t key)
{
    switch (kind) {
    case MR_POINT_VALUE2:
        return point_value2(x, y, key);
    case MR_POINT_VALUE3:
        return point_value3(x, y, z, key);
    case MR_POINT_GRADIENT2:
        return point_gradient2(x, y, key);
    case MR_POINT_GRADIENT3:
        return point_gradient3(x, y, z, key);
    case MR_POINT_SIMPLEX3:
    default:
        return point_simplex3(x, y, z, key);
    }
}

// An octave's key of the hash.
static inline uint32_t point_key(uint32_t seed, uint32_t octave)
{
    return mr_pcg(seed + octave * 7919u);
}

// One over the sum of the weights' sizes.
static inline float point_norm(const mr_point_noise *noise)
{
    float sum = 0.0f, weight = 1.0f;
    for (uint32_t i = 0; i < noise->octaves && i < MR_POINT_OCTAVES; i++) {
        sum += __builtin_fabsf(weight);
        weight *= noise->gain;
    }
    return sum > 0.0f ? 1.0f / sum : 0.0f;
}

#endif
