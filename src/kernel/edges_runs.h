// kernel/edges_runs.h: sorted sides become edges.

#ifndef MARRAM_KERNEL_EDGES_RUNS_H
#define MARRAM_KERNEL_EDGES_RUNS_H

#include "base/context.h"

// The sides of a mesh (edges.h) and an order of their slots by lo and then hi; NULL: they stand in that order. A place
// whose slot is out of range holds no side. Borrowed.
typedef struct mr_sorted_sides {
    const int32_t *lo, *hi;
    size_t slots;
    const int32_t *order;
    size_t places;
} mr_sorted_sides;

// Writes 1 to flag[i] where place i holds another side than the place before it, else 0; places that hold no side start
// nothing. Errors: MR_CANCELLED and MR_LIMIT (time) alone.
bool mr_edge_heads(mr_context *context, const mr_sorted_sides *sides, int32_t *flag, mr_error *error);

// Of each edge e that starts at place starts[e]: its lower point a, its higher point b, and how many places from there
// on hold that very side. -1, -1 and 0 where starts[e] is no place, or one that holds no side. Errors as above.
bool mr_edge_table_rows(mr_context *context, const mr_sorted_sides *sides, const int32_t *starts,
                        size_t edges, int32_t *a, int32_t *b, int32_t *fcount, mr_error *error);

#endif
