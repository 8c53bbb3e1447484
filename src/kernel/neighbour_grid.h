// kernel/neighbour_grid.h: the walk over the 27 cells about a position, for code that reads a neighbour index as plain
// words: settings (gcfg), where each bucket's points stand (grange) and the points (gorder).
//
// What is met are candidates; their distance is the caller's to look at. All points within the grid's radius are among
// them where the position's cell is within 2^15 of 0 on every axis and the radius's square is an f32. (Farther out f32 is so coarse that a point may be two
// cells on; mr_hash_walk finds it everywhere.)

#ifndef MARRAM_KERNEL_NEIGHBOUR_GRID_H
#define MARRAM_KERNEL_NEIGHBOUR_GRID_H

#include "kernel/grid_cell.h"
#include "kernel/neighbour_index.h"

// A view of an index, or of columns that hold the same words.
typedef struct mr_neighbour_grid {
    float gcfg[MR_GRID_WORDS];
    const uint32_t *grange; // two words a bucket
    const uint32_t *gorder; // one a point
    const float *points;    // xyz each
} mr_neighbour_grid;

typedef struct mr_grid_span {
    uint32_t begin, end;
} mr_grid_span;

static inline mr_neighbour_grid mr_neighbour_grid_of(const mr_neighbour_index *index)
{
    return (mr_neighbour_grid){ .gcfg = { [MR_GRID_INV_CELL] = index->hash.inv_cell,
                                          [MR_GRID_BUCKETS] = (float)index->hash.buckets,
                                          [MR_GRID_RADIUS] = index->radius },
                                .grange = index->range,
                                .gorder = index->order,
                                .points = index->hash.points };
}

// The places of a cell's bucket: its own points, and maybe those of other cells.
static inline mr_grid_span mr_grid_range(const float gcfg[MR_GRID_WORDS], const uint32_t *grange,
                                         mr_hash_cell cell)
{
    const uint32_t *words = grange + 2 * (size_t)mr_grid_bucket(gcfg, cell);
    return (mr_grid_span){ words[0], words[1] };
}

typedef struct mr_grid_walk {
    const mr_neighbour_grid *grid;
    mr_hash_cell middle, cell; // the position's own, and the one being read
    uint32_t step;             // of 27: x first, then y, then z
    mr_grid_span span;         // what is left of the cell's bucket
} mr_grid_walk;

// The next of the 27 that has a number.
static inline bool mr_grid_walk_cell(mr_grid_walk *walk)
{
    while (walk->step < 27) {
        int64_t x = (int64_t)walk->middle.x + walk->step % 3 - 1;
        int64_t y = (int64_t)walk->middle.y + walk->step / 3 % 3 - 1;
        int64_t z = (int64_t)walk->middle.z + walk->step / 9 - 1;
        walk->step++;
        if (x == (int32_t)x && y == (int32_t)y && z == (int32_t)z) {
            walk->cell = (mr_hash_cell){ (int32_t)x, (int32_t)y, (int32_t)z };
            walk->span = mr_grid_range(walk->grid->gcfg, walk->grid->grange, walk->cell);
            return true;
        }
    }
    return false;
}

static inline void mr_grid_walk_begin(mr_grid_walk *walk, const mr_neighbour_grid *grid, const float p[3])
{
    *walk = (mr_grid_walk){ .grid = grid, .middle = mr_grid_cell(grid->gcfg, p) };
}

// The next candidate; false at the end. Each comes once, whatever cells share its bucket: in the order of the cells, and
// in a cell in that of gorder.
static inline bool mr_grid_walk_next(mr_grid_walk *walk, uint32_t *point)
{
    for (;;) {
        while (walk->span.begin < walk->span.end) {
            *point = walk->grid->gorder[walk->span.begin++];
            mr_hash_cell own = mr_grid_cell(walk->grid->gcfg, walk->grid->points + 3 * (size_t)*point);
            if (own.x == walk->cell.x && own.y == walk->cell.y && own.z == walk->cell.z) {
                return true;
            }
        }
        if (!mr_grid_walk_cell(walk)) {
            return false;
        }
    }
}

#endif
