// num/point_noise.isa.c: arrays of points, a block at a time, an octave after another.

#include "num/point_noise_inline.h"

#if defined(__x86_64__) && MARRAM_ISA_LEVEL == 1

// SSE2 has neither 32-bit products nor floors: made up from others they take longer than one point after another.
static void array(const mr_point_noise *noise, const float *x, const float *y, const float *z, float *out,
                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = mr_point_noise_at(noise, x[i], y[i], z ? z[i] : 0.0f);
    }
}

#else

enum { BLOCK = 256 };

#define OCTAVE(name, of)                                                                                     \
    static void name(const float *restrict x, const float *restrict y, const float *restrict z,              \
                     uint32_t key, float frequency, float weight, float *restrict out, size_t count)         \
    {                                                                                                        \
        (void)z;                                                                                             \
        for (size_t i = 0; i < count; i++) {                                                                 \
            out[i] += weight * (of);                                                                         \
        }                                                                                                    \
    }
OCTAVE(value2, point_value2(x[i] * frequency, y[i] * frequency, key))
OCTAVE(value3, point_value3(x[i] * frequency, y[i] * frequency, z[i] * frequency, key))
OCTAVE(gradient2, point_gradient2(x[i] * frequency, y[i] * frequency, key))
OCTAVE(gradient3, point_gradient3(x[i] * frequency, y[i] * frequency, z[i] * frequency, key))
OCTAVE(simplex3, point_simplex3(x[i] * frequency, y[i] * frequency, z[i] * frequency, key))

static void array(const mr_point_noise *noise, const float *x, const float *y, const float *z, float *out,
                  size_t count)
{
    static void (*const octaves[])(const float *restrict, const float *restrict, const float *restrict,
                                   uint32_t, float, float, float *restrict,
                                   size_t) = { [MR_POINT_VALUE2] = value2,
                                               [MR_POINT_VALUE3] = value3,
                                               [MR_POINT_GRADIENT2] = gradient2,
                                               [MR_POINT_GRADIENT3] = gradient3,
                                               [MR_POINT_SIMPLEX3] = simplex3 };
    float norm = point_norm(noise);
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        size_t size = count - begin < BLOCK ? count - begin : BLOCK;
        float sum[BLOCK] = { 0 }, frequency = 1.0f, weight = 1.0f;
        for (uint32_t i = 0; i < noise->octaves && i < MR_POINT_OCTAVES; i++) {
            octaves[noise->kind](x + begin, y + begin, z ? z + begin : NULL, point_key(noise->seed, i),
                                 frequency, weight, sum, size);
            frequency *= noise->lacunarity;
            weight *= noise->gain;
        }
        for (size_t i = 0; i < size; i++) {
            out[begin + i] = sum[i] * norm;
        }
    }
}

#endif

extern const mr_point_noise_kernels MR_ISA(mr_point_noise_table);
const mr_point_noise_kernels MR_ISA(mr_point_noise_table) = { .array = array };
