// kernel/hash_walk.c: rows of cells become runs of places, and runs of places bits.

#include "kernel/hash_walk.h"

#include "base/isa.h"
#include "base/memory.h"
#include "base/thread.h"
#include "kernel/hash.h"

#include <math.h>

MR_ISA_TABLES(mr_hash_kernels, mr_hash_kernels);

typedef struct copy_job {
    mr_context *context;
    const mr_hash_index *index;
} copy_job;

static bool copy_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const copy_job *job = argument;
    mr_hash_index way = *job->index;
    way.x = NULL;
    for (size_t i = begin; i < end; i++) {
        float p[3] = { NAN, NAN, NAN };
        if (i < way.places) {
            mr_hash_place(&way, (uint32_t)i, p);
        }
        job->index->x[i] = p[0];
        job->index->y[i] = p[1];
        job->index->z[i] = p[2];
    }
    return mr_keep_going(job->context, error);
}

static bool copy_positions(mr_context *context, mr_hash_index *index, mr_error *error)
{
    // A line between the three, so that the rows of one place do not fall in the same sets of a cache.
    size_t size = (size_t)index->places + MR_HASH_PAD, stride = (size + 15) / 16 * 16 + 16;
    copy_job job = { context, index };
    float *all = mr_buffer_take(context, 3 * stride * sizeof *all, error);
    if (!all) {
        return false;
    }
    index->x = all;
    index->y = all + stride;
    index->z = all + 2 * stride;
    if (!mr_parallel_for(context, size, 8192, copy_run, &job, error)) {
        mr_hash_index_end(context, index);
        return false;
    }
    return true;
}

bool mr_hash_index_begin(mr_context *context, mr_hash_index *index, bool copy, mr_error *error)
{
    uint32_t last = index->range[2 * (size_t)index->buckets - 1];
    index->places = last < index->order_count ? last : (uint32_t)index->order_count;
    index->x = index->y = index->z = NULL;
    index->kernels = MR_ISA_PICK(mr_hash_kernels, mr_context_isa(context));
    return !copy || copy_positions(context, index, error);
}

void mr_hash_index_end(mr_context *context, mr_hash_index *index)
{
    mr_buffer_release(context, index->x);
    index->x = index->y = index->z = NULL;
}

// |p - q| <= s (1 + 2^-23) + 2^-74.5 where s is the root, f32's least step under it included.
float mr_hash_reach(float squared)
{
    return __builtin_sqrtf(squared) * (1.0f + 0x1p-20f) + 0x1p-74f;
}

mr_hash_box mr_hash_box_about(const mr_hash_index *index, const float q[3], float reach)
{
    float low[3], high[3];
    for (int i = 0; i < 3; i++) {
        // Rounding keeps order too: a p at most reach away is in f32 at least this and at most that.
        low[i] = q[i] - reach;
        high[i] = q[i] + reach;
    }
    return (mr_hash_box){ mr_hash_cell_of(low, index->inv_cell), mr_hash_cell_of(high, index->inv_cell) };
}

static uint64_t cells_across(int32_t low, int32_t high)
{
    return (uint64_t)((int64_t)high - low) + 1;
}

// Whether a box has more rows than `most`.
static bool too_many_rows(const mr_hash_box *box, uint64_t most)
{
    uint64_t y = cells_across(box->low.y, box->high.y), z = cells_across(box->low.z, box->high.z);
    return y > most || z > most || y * z > most;
}

// The places of the cells of the row at walk->row_y, row_z.
static void take_row(mr_hash_walk *walk)
{
    const mr_hash_index *index = walk->index;
    uint32_t cells = (uint32_t)cells_across(walk->box.low.x, walk->box.high.x);
    uint32_t bucket =
        ((uint32_t)walk->box.low.x + mr_hash_row(walk->row_y, walk->row_z)) & (index->buckets - 1u);
    uint32_t past = bucket + cells, end = past <= index->buckets ? past : index->buckets;
    walk->at = index->range[2 * (size_t)bucket];
    walk->end = index->range[2 * (size_t)end - 1];
    walk->more_at = walk->more_end = 0;
    if (past > index->buckets) {
        walk->more_at = index->range[0];
        walk->more_end = index->range[2 * (size_t)(past - index->buckets) - 1];
    }
    walk->end = walk->end < index->places ? walk->end : index->places;
    walk->more_end = walk->more_end < index->places ? walk->more_end : index->places;
}

bool mr_hash_walk_run(mr_hash_walk *walk)
{
    if (walk->more_at < walk->more_end) {
        walk->at = walk->more_at;
        walk->end = walk->more_end;
        walk->more_end = 0;
        return true;
    }
    if (walk->whole || (walk->row_y == walk->box.high.y && walk->row_z == walk->box.high.z)) {
        return false;
    }
    if (walk->row_y == walk->box.high.y) {
        walk->row_y = walk->box.low.y;
        walk->row_z++;
    } else {
        walk->row_y++;
    }
    take_row(walk);
    return true;
}

static uint64_t within(const mr_hash_walk *walk, uint32_t count)
{
    const mr_hash_index *index = walk->index;
    if (index->x) {
        return index->kernels->within(index->x + walk->at, index->y + walk->at, index->z + walk->at, count,
                                      walk->q, walk->squared);
    }
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        float p[3];
        mr_hash_place(index, walk->at + i, p);
        bits |= (uint64_t)(mr_hash_squared(p, walk->q) <= walk->squared) << i;
    }
    return bits;
}

// Leaves out what stands in a cell of another row: the walk has met it there or will. (Along x a point within the
// radius is in the box, and the box is narrower than the buckets, so its bucket is its cell's.)
static uint64_t of_this_row(const mr_hash_walk *walk, uint64_t bits)
{
    for (uint64_t left = bits; left; left &= left - 1u) {
        float p[3];
        mr_hash_place(walk->index, walk->at + (uint32_t)__builtin_ctzll(left), p);
        if (mr_hash_cell_along(p[1], walk->index->inv_cell) != walk->row_y ||
            mr_hash_cell_along(p[2], walk->index->inv_cell) != walk->row_z) {
            bits &= ~(left & -left);
        }
    }
    return bits;
}

bool mr_hash_walk_more(mr_hash_walk *walk)
{
    while (!walk->bits) {
        while (walk->at >= walk->end) {
            if (!mr_hash_walk_run(walk)) {
                return false;
            }
        }
        uint32_t left = walk->end - walk->at, count = left < MR_HASH_PAD ? left : MR_HASH_PAD;
        uint64_t bits = within(walk, count);
        walk->bits = bits && !walk->whole ? of_this_row(walk, bits) : bits;
        walk->first = walk->at;
        walk->at += count;
    }
    return true;
}

void mr_hash_walk_over(mr_hash_walk *walk, const mr_hash_index *index, const float q[3], float squared,
                       mr_hash_box box)
{
    *walk = (mr_hash_walk){ .index = index, .q = { q[0], q[1], q[2] }, .squared = squared, .box = box };
    walk->row_y = box.low.y;
    walk->row_z = box.low.z;
    walk->whole = cells_across(box.low.x, box.high.x) >= index->buckets || too_many_rows(&box, index->places);
    if (walk->whole) {
        walk->end = index->places;
    } else {
        take_row(walk);
    }
}

void mr_hash_walk_begin(mr_hash_walk *walk, const mr_hash_index *index, const float q[3], float radius)
{
    float squared = radius * radius;
    mr_hash_walk_over(walk, index, q, squared, mr_hash_box_about(index, q, mr_hash_reach(squared)));
}

// The nearest.

static void better(mr_hash_walk *walk, uint32_t skip, mr_hash_found *best)
{
    const mr_hash_index *index = walk->index;
    for (uint32_t place; mr_hash_walk_next(walk, &place);) {
        uint32_t point = index->order[place];
        float p[3];
        mr_hash_place(index, place, p);
        float squared = mr_hash_squared(p, walk->q);
        if (point != skip && (squared < best->squared || (squared == best->squared && point < best->point))) {
            *best = (mr_hash_found){ point, squared };
            walk->squared = squared;
        }
    }
}

static int32_t moved(int32_t cell, int64_t by)
{
    int64_t to = cell + by;
    return to < INT32_MIN                    ? INT32_MIN
           : to > (int64_t)MR_HASH_CELL_MOST ? (int32_t)MR_HASH_CELL_MOST
                                             : (int32_t)to;
}

static mr_hash_box shell(mr_hash_cell cell, uint32_t ring)
{
    int64_t r = ring;
    return (mr_hash_box){ { moved(cell.x, -r), moved(cell.y, -r), moved(cell.z, -r) },
                          { moved(cell.x, r), moved(cell.y, r), moved(cell.z, r) } };
}

static bool holds(const mr_hash_box *outer, const mr_hash_box *inner)
{
    return outer->low.x <= inner->low.x && outer->low.y <= inner->low.y && outer->low.z <= inner->low.z &&
           outer->high.x >= inner->high.x && outer->high.y >= inner->high.y && outer->high.z >= inner->high.z;
}

// Answers whether every place was read.
static bool walk_box(const mr_hash_index *index, const float q[3], mr_hash_box box, uint32_t skip,
                     mr_hash_found *best)
{
    mr_hash_walk walk;
    mr_hash_walk_over(&walk, index, q, best->squared, box);
    better(&walk, skip, best);
    return walk.whole;
}

mr_hash_found mr_hash_nearest(const mr_hash_index *index, const float q[3], uint32_t rings, uint32_t skip)
{
    enum { PLACES_A_ROW = 16 }; // a row costs about what looking at so many places does
    mr_hash_found best = { MR_HASH_NONE, INFINITY };
    mr_hash_cell cell = mr_hash_cell_of(q, index->inv_cell);
    const uint64_t rows = index->places / PLACES_A_ROW;
    if (isnan(q[0]) || isnan(q[1]) || isnan(q[2])) {
        return best;
    }
    for (uint64_t ring = 0;; ring = ring < rings ? ring + 1 : 2 * ring + 1) {
        mr_hash_box walked = shell(cell, (uint32_t)ring);
        if (too_many_rows(&walked, rows)) {
            break;
        }
        if (walk_box(index, q, walked, skip, &best)) {
            return best;
        }
        if (best.squared < INFINITY) {
            mr_hash_box needed = mr_hash_box_about(index, q, mr_hash_reach(best.squared));
            if (holds(&walked, &needed)) {
                return best;
            }
            if (ring >= rings && !too_many_rows(&needed, rows)) {
                walk_box(index, q, needed, skip, &best);
                return best;
            }
        }
    }
    mr_hash_box all = { { INT32_MIN, INT32_MIN, INT32_MIN }, { INT32_MAX, INT32_MAX, INT32_MAX } };
    walk_box(index, q, all, skip, &best);
    return best;
}
