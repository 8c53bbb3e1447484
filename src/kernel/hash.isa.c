// kernel/hash.isa.c: a run of points' buckets, and which of a run of points are near.

#include "kernel/hash.h"

#include "base/isa.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { BLOCK = 256 };

// Cells first and buckets after: the first loop reads three words a point, the second nothing but whole vectors.
static void keys_of(const float *restrict points, size_t count, uint32_t buckets, float inv_cell,
                    uint32_t *restrict keys)
{
    int32_t x[BLOCK], y[BLOCK], z[BLOCK];
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t size = count - at < BLOCK ? count - at : BLOCK;
        const float *restrict from = points + 3 * at;
        for (size_t i = 0; i < size; i++) {
            x[i] = mr_hash_cell_along(from[3 * i], inv_cell);
            y[i] = mr_hash_cell_along(from[3 * i + 1], inv_cell);
            z[i] = mr_hash_cell_along(from[3 * i + 2], inv_cell);
        }
        for (size_t i = 0; i < size; i++) {
            keys[at + i] = mr_hash_bucket((mr_hash_cell){ x[i], y[i], z[i] }, buckets);
        }
    }
}

// near(): the bits of LANES points, by the same f32 operations in the same order in each.
#if defined(__AVX512F__)
enum { LANES = 16 };
static inline uint32_t near(const float *x, const float *y, const float *z, const float q[3], float squared)
{
    __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(x), _mm512_set1_ps(q[0]));
    __m512 dy = _mm512_sub_ps(_mm512_loadu_ps(y), _mm512_set1_ps(q[1]));
    __m512 dz = _mm512_sub_ps(_mm512_loadu_ps(z), _mm512_set1_ps(q[2]));
    __m512 sum = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
    sum = _mm512_add_ps(sum, _mm512_mul_ps(dz, dz));
    return _mm512_cmp_ps_mask(sum, _mm512_set1_ps(squared), _CMP_LE_OQ);
}
#elif defined(__AVX2__)
enum { LANES = 8 };
static inline uint32_t near(const float *x, const float *y, const float *z, const float q[3], float squared)
{
    __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(x), _mm256_set1_ps(q[0]));
    __m256 dy = _mm256_sub_ps(_mm256_loadu_ps(y), _mm256_set1_ps(q[1]));
    __m256 dz = _mm256_sub_ps(_mm256_loadu_ps(z), _mm256_set1_ps(q[2]));
    __m256 sum = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
    sum = _mm256_add_ps(sum, _mm256_mul_ps(dz, dz));
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(sum, _mm256_set1_ps(squared), _CMP_LE_OQ));
}
#elif defined(__SSE2__)
enum { LANES = 4 };
static inline uint32_t near(const float *x, const float *y, const float *z, const float q[3], float squared)
{
    __m128 dx = _mm_sub_ps(_mm_loadu_ps(x), _mm_set1_ps(q[0]));
    __m128 dy = _mm_sub_ps(_mm_loadu_ps(y), _mm_set1_ps(q[1]));
    __m128 dz = _mm_sub_ps(_mm_loadu_ps(z), _mm_set1_ps(q[2]));
    __m128 sum = _mm_add_ps(_mm_mul_ps(dx, dx), _mm_mul_ps(dy, dy));
    sum = _mm_add_ps(sum, _mm_mul_ps(dz, dz));
    return (uint32_t)_mm_movemask_ps(_mm_cmple_ps(sum, _mm_set1_ps(squared)));
}
#else
enum { LANES = 1 };
static inline uint32_t near(const float *x, const float *y, const float *z, const float q[3], float squared)
{
    float dx = *x - q[0], dy = *y - q[1], dz = *z - q[2];
    return dx * dx + dy * dy + dz * dz <= squared;
}
#endif

static uint64_t within(const float *x, const float *y, const float *z, uint32_t count, const float q[3],
                       float squared)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        bits |= (uint64_t)near(x + i, y + i, z + i, q, squared) << i;
    }
    return count < 64 ? bits & (((uint64_t)1 << count) - 1u) : bits;
}

const mr_hash_kernels MR_ISA(mr_hash_kernels) = { .keys = keys_of, .within = within };
