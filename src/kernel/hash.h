// kernel/hash.h: the making of a spatial hash: keys, then (sorted by key, mr_sort_permutation) where each bucket's points
// stand. hash_walk.h searches it.

#ifndef MARRAM_KERNEL_HASH_H
#define MARRAM_KERNEL_HASH_H

#include "base/context.h"
#include "kernel/hash_cell.h"

// keys[i] = the bucket of the cell that point i (xyz at points + 3 * i) stands in. inv_cell is finite and above 0,
// buckets a power of two up to MR_HASH_BUCKETS_MOST. Errors: MR_CANCELLED.
bool mr_hash_keys(mr_context *context, const float *points, size_t count, uint32_t buckets, float inv_cell,
                  uint32_t *keys, mr_error *error);

// range[2 k] and range[2 k + 1]: the first place whose key is k or more, and the first whose key is above k. Place i
// holds point order[i], and keys rise along the places. A key at or past buckets is in no range. count is below 2^31.
// Errors: MR_BAD_INPUT where order names a point at or past count, or does not sort the keys; MR_CANCELLED.
bool mr_hash_starts(mr_context *context, const uint32_t *keys, const uint32_t *order, size_t count,
                    uint32_t buckets, uint32_t *range, mr_error *error);

// What the copies of hash.isa.c are called with.
typedef struct mr_hash_kernels {
    void (*keys)(const float *points, size_t count, uint32_t buckets, float inv_cell, uint32_t *keys);
    // Bit i: (x[i], y[i], z[i]) is at most `squared` from q, squared, as hash_walk.h says. count is at most 64, and the
    // arrays can be read, whatever they hold there, up to the next multiple of 16.
    uint64_t (*within)(const float *x, const float *y, const float *z, uint32_t count, const float q[3],
                       float squared);
} mr_hash_kernels;

#endif
