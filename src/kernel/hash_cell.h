// kernel/hash_cell.h: the cell a point stands in and the bucket a cell hashes to. Keys, searches and grids all take them
// from here, so that one definition decides every point's bucket.
//
// A coordinate's cell is floor(p * inv_cell), the product rounded to f32, held to the whole numbers from -2^31 to
// 2^31 - 128 (the last below 2^31 that is an f32); NaN stands in the first of them. Every step keeps order, so of two
// positions the greater never has the lesser cell: what a box of positions holds stands in the box of their cells,
// however coarse f32 is out there.
//
// Buckets are a power of two. Cells that follow each other along x have buckets that follow each other, so a row of
// cells is one run of the sorted points; each row (y, z) begins at a bucket of its own, by pcg2d. docs/noise.md has test
// vectors; neither may ever change.

#ifndef MARRAM_KERNEL_HASH_CELL_H
#define MARRAM_KERNEL_HASH_CELL_H

#include "num/hash.h"

#include <stdbool.h>

#define MR_HASH_CELL_LEAST (-0x1p31f)
#define MR_HASH_CELL_MOST 2147483520.0f
#define MR_HASH_NO_KEY 0x7fffffffu       // past every bucket: the key of a slot that holds no point
#define MR_HASH_NONE 0xffffffffu         // no point
#define MR_HASH_BUCKETS_MOST 0x20000000u // two words of range a bucket still number below 2^31

typedef struct mr_hash_cell {
    int32_t x, y, z;
} mr_hash_cell;

static inline int32_t mr_hash_cell_along(float p, float inv_cell)
{
    float t = p * inv_cell;
    t = t > MR_HASH_CELL_LEAST ? t : MR_HASH_CELL_LEAST;
    t = t < MR_HASH_CELL_MOST ? t : MR_HASH_CELL_MOST;
    int32_t whole = (int32_t)t;
    return whole - ((float)whole > t);
}

static inline mr_hash_cell mr_hash_cell_of(const float p[3], float inv_cell)
{
    return (mr_hash_cell){ mr_hash_cell_along(p[0], inv_cell), mr_hash_cell_along(p[1], inv_cell),
                           mr_hash_cell_along(p[2], inv_cell) };
}

// What is added to x for the bucket of the cells of row (y, z).
static inline uint32_t mr_hash_row(int32_t y, int32_t z)
{
    return mr_pcg2d((uint32_t)y, (uint32_t)z).x;
}

static inline uint32_t mr_hash_bucket(mr_hash_cell cell, uint32_t buckets)
{
    return ((uint32_t)cell.x + mr_hash_row(cell.y, cell.z)) & (buckets - 1u);
}

static inline bool mr_hash_buckets_good(uint32_t buckets)
{
    return buckets > 0 && buckets <= MR_HASH_BUCKETS_MOST && (buckets & (buckets - 1u)) == 0;
}

#endif
