// kernel/boolean_near.h: which triangles of two meshes have bounds that meet: a tree of boxes over some of them.

#ifndef MARRAM_KERNEL_BOOLEAN_NEAR_H
#define MARRAM_KERNEL_BOOLEAN_NEAR_H

#include "kernel/boolean_state.h"

static inline bool boolean_boxes_meet(const mr_box *a, const mr_box *b)
{
    for (int k = 0; k < 3; k++) {
        if (!(a->low[k] <= b->high[k] && b->low[k] <= a->high[k])) {
            return false;
        }
    }
    return true;
}

static inline mr_box boolean_box_of(const boolean_side *side, uint32_t triangle)
{
    const uint32_t *ids = boolean_corners(side, triangle);
    mr_box box = mr_box_empty();
    for (int i = 0; i < 3; i++) {
        mr_box_add_point(&box, boolean_at(side, ids[i]));
    }
    return box;
}

// Of each side the triangles, ascending, that may meet one of the other: those in a cell of a grid over the common bounds
// in which there are some of both.
typedef struct boolean_near {
    uint32_t *triangles[2];
    size_t count[2];
} boolean_near;
bool boolean_find_near(boolean *b, boolean_near *near, mr_error *error);
// Which way the points are moved.
bool boolean_move(boolean *b, const boolean_near *near, mr_error *error);

// A tree over triangles of B: `order` are they along a curve through space, four to a leaf; node i has children 2 i and
// 2 i + 1, the leaves are nodes `leaves` to 2 leaves - 1.
typedef struct boolean_tree {
    uint32_t *order;
    size_t count, leaves;
    mr_box *boxes;
} boolean_tree;
enum { BOOLEAN_LEAF = 4 };
bool boolean_plant(boolean *b, const uint32_t *triangles, size_t count, boolean_tree *tree, mr_error *error);

#endif
