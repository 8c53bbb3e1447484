// kernel/edge_table.h: the whole table of a mesh's edges at once, for C code that walks meshes.

#ifndef MARRAM_KERNEL_EDGE_TABLE_H
#define MARRAM_KERNEL_EDGE_TABLE_H

#include "kernel/edges.h"

// Edges stand in order of a and then b. The sides along edge e are the places start[e] .. start[e] + count[e] - 1, in
// order of their vertices. A side runs from a to b where its vertex reads a, and from b to a where it reads b.
typedef struct mr_edge_table {
    size_t edges, sides, vertices;
    size_t open;    // edges of one side: the boundary
    size_t crowded; // edges of more than two sides
    // A word an edge.
    int32_t *a, *b; // its points, a < b
    int32_t *start, *count;
    // A word a side, in order of edges.
    int32_t *vertex; // the vertex it leaves
    int32_t *face;   // the primitive that owns it
    // A word a vertex: the edge of the side that leaves it, -1 where none does.
    int32_t *edge;
    void *rows, *places; // the buffers all of these stand in
} mr_edge_table;

// What is a side is what it is in edges.h, so meshes may be open, degenerate, crowded at edges, or hold faces twice.
// A pure function of the mesh. Time linear in vertices. Errors: MR_LIMIT (more vertices than 32 bits can number,
// memory), MR_OUT_OF_MEMORY, MR_CANCELLED; the table is then empty, and need not be released. Called from any thread.
bool mr_edge_table_build(mr_context *context, const mr_linkage *mesh, mr_edge_table *table, mr_error *error);
void mr_edge_table_release(mr_context *context, mr_edge_table *table);

#endif
