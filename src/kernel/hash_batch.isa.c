// kernel/hash_batch.isa.c: bringing points together, and comparing one with many.
//
// The copies differ in how many they take at once and how they close the gaps between what is kept; the f32 operations
// on each point are the same in the same order.

#include "kernel/hash_batch.h"

#include "base/isa.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)

static inline __m512i cells(__m512 p, float inv_cell)
{
    __m512 t = _mm512_mul_ps(p, _mm512_set1_ps(inv_cell));
    t = _mm512_max_ps(t, _mm512_set1_ps(MR_HASH_CELL_LEAST)); // of NaN, the second
    t = _mm512_min_ps(t, _mm512_set1_ps(MR_HASH_CELL_MOST));
    return _mm512_cvttps_epi32(_mm512_floor_ps(t));
}

static void collect(const mr_hash_index *index, uint32_t at, uint32_t end, int32_t y, int32_t z, bool points,
                    mr_hash_tile *tile)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t count = tile->count;
    for (uint32_t i = at; i < end; i += 16) {
        __mmask16 there = (__mmask16)(end - i < 16 ? (1u << (end - i)) - 1u : 0xffffu);
        __m512 py = _mm512_loadu_ps(index->y + i), pz = _mm512_loadu_ps(index->z + i);
        there = _mm512_mask_cmpeq_epi32_mask(there, cells(py, index->inv_cell), _mm512_set1_epi32(y));
        there = _mm512_mask_cmpeq_epi32_mask(there, cells(pz, index->inv_cell), _mm512_set1_epi32(z));
        // Compressed in a register and stored whole: a compressing store is many times slower on some machines.
        _mm512_storeu_ps(tile->x + count, _mm512_maskz_compress_ps(there, _mm512_loadu_ps(index->x + i)));
        _mm512_storeu_ps(tile->y + count, _mm512_maskz_compress_ps(there, py));
        _mm512_storeu_ps(tile->z + count, _mm512_maskz_compress_ps(there, pz));
        __m512i name = points ? _mm512_maskz_loadu_epi32(there, index->order + i)
                              : _mm512_add_epi32(_mm512_set1_epi32((int)i), lanes);
        _mm512_storeu_si512(tile->name + count, _mm512_maskz_compress_epi32(there, name));
        count += (uint32_t)__builtin_popcount(there);
    }
    tile->count = count;
}

static uint32_t near(mr_hash_tile *tile, const float q[3], float squared)
{
    const __m512 qx = _mm512_set1_ps(q[0]), qy = _mm512_set1_ps(q[1]), qz = _mm512_set1_ps(q[2]);
    const __m512 limit = _mm512_set1_ps(squared);
    uint32_t count = 0;
    for (uint32_t i = 0; i < tile->count; i += 16) {
        __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(tile->x + i), qx);
        __m512 dy = _mm512_sub_ps(_mm512_loadu_ps(tile->y + i), qy);
        __m512 dz = _mm512_sub_ps(_mm512_loadu_ps(tile->z + i), qz);
        __m512 sum = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
        sum = _mm512_add_ps(sum, _mm512_mul_ps(dz, dz));
        __mmask16 hit = _mm512_cmp_ps_mask(sum, limit, _CMP_LE_OQ);
        __m512i name = _mm512_loadu_si512(tile->name + i);
        _mm512_storeu_si512(tile->near + count, _mm512_maskz_compress_epi32(hit, name));
        count += (uint32_t)__builtin_popcount(hit);
    }
    return count;
}

#else

// Every point is written, and stays where it is kept: nothing could foresee a branch.
static void collect(const mr_hash_index *index, uint32_t at, uint32_t end, int32_t y, int32_t z, bool points,
                    mr_hash_tile *tile)
{
    uint32_t count = tile->count;
    for (uint32_t i = at; i < end; i++) {
        tile->x[count] = index->x[i];
        tile->y[count] = index->y[i];
        tile->z[count] = index->z[i];
        tile->name[count] = points ? index->order[i] : i;
        count += ((mr_hash_cell_along(index->y[i], index->inv_cell) ^ y) |
                  (mr_hash_cell_along(index->z[i], index->inv_cell) ^ z)) == 0;
    }
    tile->count = count;
}

#if defined(__AVX2__)
enum { LANES = 8 };
static inline uint32_t hits_at(const mr_hash_tile *tile, uint32_t i, const float q[3], float squared)
{
    __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(tile->x + i), _mm256_set1_ps(q[0]));
    __m256 dy = _mm256_sub_ps(_mm256_loadu_ps(tile->y + i), _mm256_set1_ps(q[1]));
    __m256 dz = _mm256_sub_ps(_mm256_loadu_ps(tile->z + i), _mm256_set1_ps(q[2]));
    __m256 sum = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
    sum = _mm256_add_ps(sum, _mm256_mul_ps(dz, dz));
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(sum, _mm256_set1_ps(squared), _CMP_LE_OQ));
}
#elif defined(__SSE2__)
enum { LANES = 4 };
static inline uint32_t hits_at(const mr_hash_tile *tile, uint32_t i, const float q[3], float squared)
{
    __m128 dx = _mm_sub_ps(_mm_loadu_ps(tile->x + i), _mm_set1_ps(q[0]));
    __m128 dy = _mm_sub_ps(_mm_loadu_ps(tile->y + i), _mm_set1_ps(q[1]));
    __m128 dz = _mm_sub_ps(_mm_loadu_ps(tile->z + i), _mm_set1_ps(q[2]));
    __m128 sum = _mm_add_ps(_mm_mul_ps(dx, dx), _mm_mul_ps(dy, dy));
    sum = _mm_add_ps(sum, _mm_mul_ps(dz, dz));
    return (uint32_t)_mm_movemask_ps(_mm_cmple_ps(sum, _mm_set1_ps(squared)));
}
#else
enum { LANES = 1 };
static inline uint32_t hits_at(const mr_hash_tile *tile, uint32_t i, const float q[3], float squared)
{
    float dx = tile->x[i] - q[0], dy = tile->y[i] - q[1], dz = tile->z[i] - q[2];
    return dx * dx + dy * dy + dz * dz <= squared;
}
#endif

static uint32_t near(mr_hash_tile *tile, const float q[3], float squared)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tile->count; i += LANES) {
        for (uint32_t hits = hits_at(tile, i, q, squared); hits; hits &= hits - 1u) {
            tile->near[count++] = tile->name[i + (uint32_t)__builtin_ctz(hits)];
        }
    }
    return count;
}

#endif

const mr_hash_tile_kernels MR_ISA(mr_hash_tile_kernels) = { .collect = collect, .near = near };
