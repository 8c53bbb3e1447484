// kernel/winding.h: how many times a surface winds about a point.
//
// The generalized winding number (Jacobson, Kavan, Sorkine-Hornung 2013): the sum over all triangles of the solid angle
// each is seen under (Van Oosterom, Strackee 1983), by the whole turn 4 pi. Of a closed surface that faces outward it is 1
// inside and 0 outside. A point on a face counts as one just behind it; what one on an edge or a corner counts is a matter
// of rounding. Triangles take part as in kernel/tree.h.
//
// The answer is a multiple of 2^-20: the sum, worked in f64, has some thirty bits more that are sure, so that what is
// closed winds a whole number of times to the bit.

#ifndef MARRAM_KERNEL_WINDING_H
#define MARRAM_KERNEL_WINDING_H

#include "base/context.h"
#include "kernel/faces.h"

typedef struct mr_winding_points {
    const float *origins; // x, y, z at each stride
    size_t stride;        // words from one to the next
    size_t count;
    float *numbers; // one a stride of `step` words
    size_t step;
} mr_winding_points;

// The number at each point. A point that is no number, or past MR_TREE_FAR, gets 0. Order: triangles ascending, each
// half angle's complex number multiplied into the product of those before it, whole turns counted apart.
//
// Of MR_WINDING_MANY points or more, where a sum over all triangles for each would be long, the sum is taken another way,
// which comes to the same: the surface is closed by the strips its boundary edges sweep along one direction without end, the crossings of a ray against that direction are counted in a tree (exactly), and the
// strips' solid angles are taken away again. A closed surface has no boundary. A point so near the surface or a strip
// that its side is a matter of rounding is summed over all triangles, as is a surface that is mostly boundary.
// Errors: MR_LIMIT, MR_OUT_OF_MEMORY, MR_CANCELLED.
bool mr_winding_numbers(mr_context *context, const mr_faces *faces, const mr_winding_points *points,
                        mr_error *error);

#define MR_WINDING_MANY ((size_t)256)     // points
#define MR_WINDING_LONG ((size_t)1 << 22) // points by triangles

// The edges of triangles (nine words each) that no other triangle takes back the other way: six words each, as often and
// in the direction in which they are too many, in an order that is a pure function of the triangles. Ends are the same
// where their coordinates are equal. *edges is a buffer of *count of them, or NULL where there are none or more than
// `most` (*count is then past it).
bool mr_winding_boundary(mr_context *context, const float *triangles, size_t triangle_count, size_t most,
                         float **edges, size_t *count, mr_error *error);

// What winding.isa.c is called with: eight points.
enum { MR_WINDING_LANES = 8 };
typedef struct mr_winding_lanes {
    double x[MR_WINDING_LANES], y[MR_WINDING_LANES], z[MR_WINDING_LANES];
    double real[MR_WINDING_LANES], imaginary[MR_WINDING_LANES]; // the product
    double turns[MR_WINDING_LANES];                             // each of 2 pi of half angle
    double close[MR_WINDING_LANES]; // how near a strip is too near; 1 in doubt where one was
    double doubt[MR_WINDING_LANES];
} mr_winding_lanes;

typedef struct mr_winding_kernels {
    void (*add)(mr_winding_lanes *lanes, const float *triangles, size_t count); // nine words each
    // Strips of edges, six words each, along a direction of length 1.
    void (*sweep)(mr_winding_lanes *lanes, const float *edges, size_t count, const double direction[3]);
} mr_winding_kernels;

#endif
