// kernel/intersect_core.h: how a triangle of mesh A and one of mesh B cut each other, which the intersect kernels share.
//
// A pair has up to MR_CUT_PARTS parts, each a segment (maybe of no length) that cuts A, B or both:
//
//      0       the curve in which two triangles that are not coplanar cross                    A and B
//      1 +i    coplanar triangles: edge i of b, clipped to a                                    A
//      4 +i    coplanar triangles: edge i of a, clipped to b                                    B
//      7 +3i+j edge i of a and edge j of b cross, in one plane, strictly inside both            A and B
//     16 +3v+j corner v of a is strictly inside edge j of b                                     A and B
//     25 +3v+i corner v of b is strictly inside edge i of a                                     A and B
//
// Edge i of a triangle goes from corner i to corner i + 1, and is always worked from the lower of its two point ids to the
// higher, so that the triangles on both its sides get the same bits. Whether a part is there is decided exactly
// (num/predicates.h). In part 0 a corner on the other's plane counts as on its outer side, and a line through the other's
// edge as on the left of it: triangles that only touch cross in all their pairs alike, or in none, and a pair with
// anything but two ends has no part 0. (So where a corner is exactly on an edge, or an edge goes exactly through a corner, a
// pair of triangles that cross may have none: that is no true motion of the meshes. kernel/boolean.h uses one that is.) Triangles are coplanar when neither has its corners on one line and the six
// volumes are all 0.
//
// The ends carry names, and the same name is the same point. A position is worked in f64 from the exact volumes (or areas)
// that the end's name speaks of and rounded once to f32, so it is the same bits wherever the name comes up.
//
// A triangle with a point out of range, a point used twice or a coordinate that is not finite has no parts.

#ifndef MARRAM_KERNEL_INTERSECT_CORE_H
#define MARRAM_KERNEL_INTERSECT_CORE_H

#include "kernel/kernel.h"

enum { MR_CUT_PARTS = 34 };

typedef struct mr_triangles {
    const float *points;       // 3 words a point
    const uint32_t *triangles; // 3 points a triangle
    size_t point_count, triangle_count;
} mr_triangles;

// The two meshes, 0 A and 1 B.
typedef struct mr_cut_meshes {
    mr_triangles mesh[2];
} mr_cut_meshes;

// What an end is made of.
enum {
    MR_END_EDGE_OF_A = 0,  // edge (lo, hi) of A through triangle `tri` of B
    MR_END_EDGE_OF_B = 1,  // edge (lo, hi) of B through triangle `tri` of A
    MR_END_EDGES = 3,      // edge (lo, hi) of A across edge (tri, extra) of B
    MR_END_POINT_OF_B = 4, // point lo = hi
    MR_END_POINT_OF_A = 5, // point lo = hi
    MR_END_KIND = 0xff,    // the kind word's low byte
    MR_END_CUTS_SHIFT = 8, // above it: 1 the segment cuts A, 2 B, 3 both
    MR_END_WORDS = 8,      // an end as words, in the order of mr_cut_end
    MR_CUT_WORDS = 2 * MR_END_WORDS,
};

typedef struct mr_cut_end {
    float position[3];
    uint32_t kind; // the kind word
    uint32_t lo, hi, tri, extra;
} mr_cut_end;

// The parts that triangle a of A and triangle b of B have: bit p for part p.
uint64_t mr_cut_parts(const mr_cut_meshes *meshes, uint32_t a, uint32_t b);

// The two ends of a part. False: the pair has no such part (nor may there be such triangles).
bool mr_cut_part(const mr_cut_meshes *meshes, uint32_t a, uint32_t b, uint32_t part, mr_cut_end ends[2]);

// Whether two ends name one point: by kind, lo, hi, tri and extra. Which meshes a segment cuts is no part of its end's
// name, or the two meshes could not share the crossings of a coplanar region's edges.
static inline bool mr_cut_same_point(const mr_cut_end *a, const mr_cut_end *b)
{
    return ((a->kind ^ b->kind) & MR_END_KIND) == 0 && a->lo == b->lo && a->hi == b->hi && a->tri == b->tri &&
           a->extra == b->extra;
}

#endif
