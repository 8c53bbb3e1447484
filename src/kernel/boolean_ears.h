// kernel/boolean_ears.h: a polygon cut into triangles.

#ifndef MARRAM_KERNEL_BOOLEAN_EARS_H
#define MARRAM_KERNEL_BOOLEAN_EARS_H

#include "base/array.h"

// A corner of a ring: its point, and the corners before and after it.
typedef struct boolean_node {
    uint32_t point, before, after;
} boolean_node;

typedef struct boolean_corners3 {
    uint32_t corners[3];
} boolean_corners3;

typedef MR_ARRAY(boolean_node) boolean_nodes;
typedef MR_ARRAY(boolean_corners3) boolean_ears;

// Cuts the ring of `count` corners from node `start` on into count - 2 triangles, ear by ear. Points are two f32 of `flat`; the
// ring goes around its inside counterclockwise, and may touch itself. Ears lower than `height` are left for last, and where
// rounding has left a ring no ear, a corner is cut off all the same: the triangles' edges always add up to the ring's.
// False: no memory.
bool boolean_cut_ears(mr_context *context, boolean_node *nodes, uint32_t start, size_t count,
                      const float *flat, double height, boolean_ears *ears);

#endif
