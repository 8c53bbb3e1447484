// kernel/intersect_planar.h: a triangle in its own plane, cut along segments.

#ifndef MARRAM_KERNEL_INTERSECT_PLANAR_H
#define MARRAM_KERNEL_INTERSECT_PLANAR_H

#include "base/array.h"

typedef struct mr_planar_edge {
    uint32_t a, b;
} mr_planar_edge;

typedef struct mr_planar_triangle {
    uint32_t corners[3];
} mr_planar_triangle;

// Filled by the caller: points (points 0 to 2 the triangle's corners, counterclockwise; no two within `near` of each other, none
// further outside than that) and segments between them. The rest is scratch, kept from one triangle to the next.
typedef struct mr_planar {
    mr_context *context;
    double near;             // what is closer than this is at one place
    MR_ARRAY(double) points; // two words each
    MR_ARRAY(mr_planar_edge) segments;
    MR_ARRAY(mr_planar_triangle) triangles; // the answer
    MR_ARRAY(mr_planar_edge) held;
    MR_ARRAY(uint64_t) candidates;
    MR_ARRAY(uint32_t) first; // of each point's half-edges in `around`
    MR_ARRAY(uint32_t) around;
    MR_ARRAY(uint32_t) place; // of each half-edge in `around`
    MR_ARRAY(uint32_t) ring;
    MR_ARRAY(uint8_t) seen;
} mr_planar;

// Triangles, counterclockwise, that tile the triangle, with every segment a union of their sides. The sides and the segments
// are held first, cut at the points on them; then all other edges, shortest first by class (the exponent and three more
// bits of the squared length as an f32) and in a class by their points, each where it crosses no held edge and no point is
// on it; faces left with more than three points are cut ear by ear. Segments that cross where there is no point: the
// later one is left out. n points take at most n^2 / 2 tries of as many as 3 n edges. False: no memory.
bool mr_planar_cut(mr_planar *planar);
void mr_planar_free(mr_planar *planar);

#endif
