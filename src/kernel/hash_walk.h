// kernel/hash_walk.h: searching a spatial hash: every point within a radius, or the nearest.
//
// A point is within a radius r of q where (px - qx)^2 + (py - qy)^2 + (pz - qz)^2 <= r * r, each step rounded to f32 in
// that order: what comparing with every point would find is what is found, to the last point. (hash_cell.h says why no
// point is missed where f32 is coarse.) A NaN is within nothing. Where r * r is past f32, everything else is within it.
//
// A walk meets each point once, whatever cells share buckets: cells by z, then y, then x, each rising, and within a cell
// by place. A query whose box of cells is as wide as the buckets, or has more rows than there are points, reads every
// place in order instead.

#ifndef MARRAM_KERNEL_HASH_WALK_H
#define MARRAM_KERNEL_HASH_WALK_H

#include "base/context.h"
#include "kernel/hash_cell.h"

typedef struct mr_hash_kernels mr_hash_kernels;

// A spatial hash that hash, a sort and hash_starts made; all of it is borrowed. Words that are out of range (an order
// that names no point, a range past the places) are read as no point, so that no index can lead out of the arrays.
typedef struct mr_hash_index {
    const float *points; // xyz a point
    size_t point_count;
    const uint32_t *order; // the point at each place
    size_t order_count;
    const uint32_t *range; // two words a bucket
    uint32_t buckets;      // a power of two, as mr_hash_buckets_good says
    float inv_cell;        // finite and above 0
    // Worked out by mr_hash_index_begin: the places in use, and copies of the positions by place, x, y and z apart, with
    // NaN for MR_HASH_PAD places more; NULL: positions are read by way of order.
    uint32_t places;
    float *x, *y, *z;
    const mr_hash_kernels *kernels;
} mr_hash_index;

enum { MR_HASH_PAD = 64 };

// Makes an index, whose borrowed fields are set, ready to be searched. `copy` sorts the positions, which pays from about
// as many queries as a sixteenth of the points. Errors: MR_OUT_OF_MEMORY and MR_LIMIT for the copy, MR_CANCELLED.
bool mr_hash_index_begin(mr_context *context, mr_hash_index *index, bool copy, mr_error *error);
void mr_hash_index_end(mr_context *context, mr_hash_index *index); // lets the copy go

// A box of cells, inclusive.
typedef struct mr_hash_box {
    mr_hash_cell low, high;
} mr_hash_box;

// The most a coordinate of p can differ from q's where (p - q)^2, as above, is at most `squared`.
float mr_hash_reach(float squared);
// The cells that hold every point within that reach of q.
mr_hash_box mr_hash_box_about(const mr_hash_index *index, const float q[3], float reach);

typedef struct mr_hash_walk {
    const mr_hash_index *index;
    float q[3];
    float squared; // a hit is at most this far, squared; it may be lowered while the walk is on
    mr_hash_box box;
    int32_t row_y, row_z;       // the row being read
    bool whole;                 // every place is read, in order
    uint32_t at, end;           // places of the row still to be looked at
    uint32_t more_at, more_end; // and those past the last bucket's, where the row wraps round
    uint64_t bits;              // hits among the places from `first`
    uint32_t first;
} mr_hash_walk;

// radius is 0 or more.
void mr_hash_walk_begin(mr_hash_walk *walk, const mr_hash_index *index, const float q[3], float radius);
// The same, over a box the caller worked out.
void mr_hash_walk_over(mr_hash_walk *walk, const mr_hash_index *index, const float q[3], float squared,
                       mr_hash_box box);
bool mr_hash_walk_more(mr_hash_walk *walk);
// The next run of places, in walk->at and end; false at the walk's end. For a caller that looks at them itself: the
// first run is there when the walk has begun.
bool mr_hash_walk_run(mr_hash_walk *walk);

// The next place whose point is within the radius; false at the end. The point is index->order[*place].
static inline bool mr_hash_walk_next(mr_hash_walk *walk, uint32_t *place)
{
    if (walk->bits == 0 && !mr_hash_walk_more(walk)) {
        return false;
    }
    *place = walk->first + (uint32_t)__builtin_ctzll(walk->bits);
    walk->bits &= walk->bits - 1u;
    return true;
}

// The position at a place; NaN where order names no point.
static inline void mr_hash_place(const mr_hash_index *index, uint32_t place, float p[3])
{
    if (index->x) {
        p[0] = index->x[place];
        p[1] = index->y[place];
        p[2] = index->z[place];
        return;
    }
    size_t point = index->order[place];
    for (size_t i = 0; i < 3; i++) {
        p[i] = point < index->point_count ? index->points[3 * point + i] : __builtin_nanf("");
    }
}

static inline float mr_hash_squared(const float p[3], const float q[3])
{
    float x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    return x * x + y * y + z * z;
}

typedef struct mr_hash_found {
    uint32_t point; // MR_HASH_NONE: there is none
    float squared;  // infinity where there is none
} mr_hash_found;

// The nearest point to q but `skip` (MR_HASH_NONE: none is left out); of two equally near, by the squared distance as
// above, the lower. NaN is near to nothing. Shells of cells up to `rings` are walked first, and where they cannot prove
// the answer the cells as far as the nearest of them, or every place: rings moves time, never the answer.
mr_hash_found mr_hash_nearest(const mr_hash_index *index, const float q[3], uint32_t rings, uint32_t skip);

#endif
