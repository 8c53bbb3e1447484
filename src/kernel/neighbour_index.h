// kernel/neighbour_index.h: the neighbours of every one of a run of points, for C code that wants them all.
//
// What is near is what hash_walk.h says: at most `radius` away by f32 squares, in the order of its walk. A pure function
// of the points and the radius, whatever the threads.

#ifndef MARRAM_KERNEL_NEIGHBOUR_INDEX_H
#define MARRAM_KERNEL_NEIGHBOUR_INDEX_H

#include "kernel/hash_walk.h"

typedef struct mr_neighbour_index {
    mr_hash_index
        hash; // with positions sorted; mr_hash_walk_begin and mr_hash_nearest search it for any query
    float radius;
    uint32_t *order, *range; // what hash borrows
} mr_neighbour_index;

// Indexes count points (xyz each, borrowed until the end) in cells as wide as the radius, in metres, 0 or more and
// finite; wider where that would make more than 2^20 cells of the farthest coordinate. Errors: MR_BAD_INPUT for a radius
// out of range, MR_LIMIT for more than 2^31 - 1 points and for memory, MR_OUT_OF_MEMORY, MR_CANCELLED.
bool mr_neighbour_index_create(mr_context *context, const float *points, size_t count, float radius,
                               mr_neighbour_index *index, mr_error *error);
void mr_neighbour_index_destroy(mr_context *context, mr_neighbour_index *index);

// Every point's neighbours, kept. Lists stand in the order of the index's places, so that neighbouring points' lists are
// near each other.
typedef struct mr_neighbour_list {
    uint32_t first, count; // items[first] .. items[first + count - 1]
} mr_neighbour_list;

typedef struct mr_neighbour_lists {
    mr_neighbour_list *of; // one a point
    uint32_t *items;       // points
    size_t total;
} mr_neighbour_lists;

// A point is none of its own neighbours. Errors: MR_LIMIT for 2^32 neighbours and for memory, MR_OUT_OF_MEMORY, MR_CANCELLED.
bool mr_neighbour_lists_create(mr_context *context, const mr_neighbour_index *index,
                               mr_neighbour_lists *lists, mr_error *error);
void mr_neighbour_lists_destroy(mr_context *context, mr_neighbour_lists *lists);

#endif
