// num/point_noise.c: single points, and arrays in the instruction set asked for.

#include "num/noise.h"
#include "num/point_noise_inline.h"

MR_ISA_TABLES(mr_point_noise_kernels, mr_point_noise_table);

float mr_point_noise_at(const mr_point_noise *noise, float x, float y, float z)
{
    float sum = 0.0f, frequency = 1.0f, weight = 1.0f;
    for (uint32_t i = 0; i < noise->octaves && i < MR_POINT_OCTAVES; i++) {
        float n =
            point_sample(noise->kind, x * frequency, y * frequency, z * frequency, point_key(noise->seed, i));
        sum += weight * n;
        frequency *= noise->lacunarity;
        weight *= noise->gain;
    }
    return sum * point_norm(noise);
}

void mr_point_noise_array(mr_isa isa, const mr_point_noise *noise, const float *x, const float *y,
                          const float *z, float *out, size_t count)
{
    MR_ISA_PICK(mr_point_noise_table, isa)->array(noise, x, y, z, out, count);
}

void mr_point_curl3(const float p[3], uint32_t seed, float frequency, float amplitude, float out[3])
{
    mr_noise3 n[3];
    for (int32_t k = 0; k < 3; k++) {
        n[k] = mr_gradient3(p[0] * frequency, p[1] * frequency, p[2] * frequency, mr_hash1(k, seed));
    }
    out[0] = (n[2].dy - n[1].dz) * amplitude;
    out[1] = (n[0].dz - n[2].dx) * amplitude;
    out[2] = (n[1].dx - n[0].dy) * amplitude;
}
