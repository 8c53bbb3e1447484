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
// half angle's complex number multiplied into the product of those before it, whole turns counted apart. Errors:
// MR_LIMIT, MR_OUT_OF_MEMORY, MR_CANCELLED.
bool mr_winding_numbers(mr_context *context, const mr_faces *faces, const mr_winding_points *points,
                        mr_error *error);

// What winding.isa.c is called with: eight points, and triangles of nine words each.
enum { MR_WINDING_LANES = 8 };
typedef struct mr_winding_lanes {
    double x[MR_WINDING_LANES], y[MR_WINDING_LANES], z[MR_WINDING_LANES];
    double real[MR_WINDING_LANES], imaginary[MR_WINDING_LANES]; // the product
    double turns[MR_WINDING_LANES];                             // of half a whole turn: 2 pi of half angle
} mr_winding_lanes;

typedef struct mr_winding_kernels {
    void (*add)(mr_winding_lanes *lanes, const float *triangles, size_t count);
} mr_winding_kernels;

#endif
