// kernel/hash.isa.c: a run of points' buckets.

#include "kernel/hash.h"

#include "base/isa.h"

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

const mr_hash_kernels MR_ISA(mr_hash_kernels) = { .keys = keys_of };
