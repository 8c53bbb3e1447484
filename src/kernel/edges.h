// kernel/edges.h: the sides of a mesh as pairs of points, a slot a vertex.

#ifndef MARRAM_KERNEL_EDGES_H
#define MARRAM_KERNEL_EDGES_H

#include "base/context.h"

// A mesh's linkage: the point of each vertex, and each primitive's run of vertices. Borrowed.
typedef struct mr_linkage {
    const int32_t *pt;
    size_t vertices;
    const int32_t *vstart, *vcount;
    size_t primitives;
    const uint32_t *closed; // a word a primitive, 0: its run is open; NULL: every run wraps
} mr_linkage;

// Arrays of as many slots as vertices. Slot v holds the side that leaves vertex v: its lower and its higher point, the
// primitive that owns it, and 1 in rev where it runs from the higher to the lower. A slot with no side holds
// MR_SIDE_NONE, MR_SIDE_NONE, -1 and 0: the last vertex of an open run, a side from a point to itself, one with an end
// that is no point (negative, or MR_SIDE_NONE), any vertex of a run of fewer than two or of one that does not lie
// within the vertices, and a vertex in no run.
typedef struct mr_sides {
    int32_t *lo, *hi, *face, *rev;
} mr_sides;

// Writes every slot. Of primitives whose runs overlap the last holds the vertices they share. Errors: MR_CANCELLED and
// MR_LIMIT (time) alone.
bool mr_edges_sides(mr_context *context, const mr_linkage *mesh, const mr_sides *sides, mr_error *error);

#endif
