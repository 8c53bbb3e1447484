// kernel/boolean.h: the union, difference and intersection of closed solids.
//
// How, and why so. Mesh A is moved by an infinitely small amount: each of its points outward (union) or inward (difference,
// intersection), and what is still undecided then is decided by an infinitely smaller shift of B along x, y, z. That is a
// true motion of the solids, worked exactly (num/predicates.h; after Edelsbrunner and Muecke 1990, "Simulation of
// simplicity"), so no corner is ever on a face, no edges meet and nothing is coplanar: the surfaces cross in closed curves
// whose every point is an edge through a face, and there are no special cases to get wrong. Outward and inward are what
// makes touching solids one, and their common face go, and takes the skin off a difference (as in Smith and Dodgson 2007,
// "A topologically robust algorithm for Boolean operations on polyhedral shapes", which Manifold is built on).
//
// A face keeps its part with the multiplicity c + s w, w the winding number of the other operand about it: 1 - w of both in
// a union, 1 - w of A and -w of B in a difference, w of both in an intersection. w is one number for each connected run of
// edges that nothing crosses, found by one exact ray where the run has no point outside the other's bounds. What a face
// keeps is held as a chain: its directed boundary, each edge with a count. The sum of all faces' chains is closed by
// construction, and stays so whatever is done to all faces alike: to merge points, and to split an edge at a point. So the
// cleaning that floats need (merging what is closer than the tolerance, splitting edges at points that near, dropping what
// then cancels) cannot open the surface. In the end half-edges are paired (by angle where more than two faces meet) and
// points that several fans of faces share are doubled, so that the answer is a manifold.
//
// The kernels' part 0 and endpoint names (intersect_core.h) and intersect_unify number the crossing points. The kernels' parts
// for coplanar triangles and intersect_retri are not used: they keep both sides of every cut, as a graph wants that looks at
// pieces, where this needs one.

#ifndef MARRAM_KERNEL_BOOLEAN_H
#define MARRAM_KERNEL_BOOLEAN_H

#include "kernel/intersect_core.h"

typedef enum mr_boolean_op { MR_BOOLEAN_UNION, MR_BOOLEAN_DIFFERENCE, MR_BOOLEAN_INTERSECTION } mr_boolean_op;

// Buffers of mr_buffer_take; NULL where there are no triangles.
typedef struct mr_boolean_mesh {
    float *points;       // 3 words a point
    uint32_t *triangles; // 3 points a triangle, counterclockwise from outside
    uint32_t *sources;   // the triangle each is a piece of: of A, or A's triangle count + of B
    size_t point_count, triangle_count;
} mr_boolean_mesh;

// A or B, A without B, A and B. Each operand is a closed mesh, wound counterclockwise from outside: every edge is gone along
// as often one way as the other. It may be of many parts, nested (a cavity is wound the other way), and may touch itself;
// one that crosses itself gets the answer that its winding numbers give, closed all the same. No triangles: nothing, which
// is a solid too.
//
// The answer is closed and every edge of it is of two triangles. Points that A or B had keep their bits. The tolerance is
// 2^-22 of the largest coordinate: points of cut faces that are closer than it are merged (not two of one operand), and edges
// are split at points that are closer to them. The same bits for every thread count and instruction set.
//
// Errors: MR_BAD_INPUT, which names the operand (an index out of range, a coordinate that is not finite, a triangle that
// names a point twice, an edge that is open or wound against itself, a volume below 0: inside out); MR_LIMIT (counts past
// 32 bits, memory), MR_OUT_OF_MEMORY, MR_CANCELLED. The answer is then empty.
bool mr_boolean(mr_context *context, mr_boolean_op op, const mr_triangles *a, const mr_triangles *b,
                mr_boolean_mesh *answer, mr_error *error);
void mr_boolean_release(mr_context *context, mr_boolean_mesh *mesh);

#endif
