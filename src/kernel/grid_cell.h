// kernel/grid_cell.h: the cell a point stands in and the bucket it hashes to, by the settings of a neighbour grid: three
// f32 words, so that they can be bound to a kernel as a column.

#ifndef MARRAM_KERNEL_GRID_CELL_H
#define MARRAM_KERNEL_GRID_CELL_H

#include "kernel/hash_cell.h"

// The words of gcfg.
enum {
    MR_GRID_INV_CELL, // 1 over a cell's side, in 1 / metres
    MR_GRID_BUCKETS,  // a power of two up to MR_HASH_BUCKETS_MOST, which an f32 holds exactly
    MR_GRID_RADIUS,   // what the grid was built for, in metres
    MR_GRID_WORDS
};

static inline mr_hash_cell mr_grid_cell(const float gcfg[MR_GRID_WORDS], const float p[3])
{
    return mr_hash_cell_of(p, gcfg[MR_GRID_INV_CELL]);
}

static inline uint32_t mr_grid_bucket(const float gcfg[MR_GRID_WORDS], mr_hash_cell cell)
{
    return mr_hash_bucket(cell, (uint32_t)gcfg[MR_GRID_BUCKETS]);
}

#endif
