// kernel/tree_state.h: what the files of the tree share.

#ifndef MARRAM_KERNEL_TREE_STATE_H
#define MARRAM_KERNEL_TREE_STATE_H

#include "base/isa.h"
#include "kernel/tree_triangle.h"

enum { MR_TREE_WIDTH = 8, MR_TREE_STACK = 8 * 96 };
#define MR_TREE_MOST ((size_t)1 << 27) // triangles or boxes

// A child: a node's number, or MR_TREE_LEAF and a block's (over boxes: the box's own number). MR_TREE_NONE: no child;
// its bounds are upside down.
#define MR_TREE_LEAF UINT32_C(0x80000000)

typedef struct mr_tree_node {
    float bounds[6][MR_TREE_WIDTH]; // low x, y, z, high x, y, z
    uint32_t child[MR_TREE_WIDTH];
    uint32_t padding[MR_TREE_WIDTH]; // to four cache lines
} mr_tree_node;

// Up to eight triangles. Lanes past them hold NaN, which meets nothing.
typedef struct mr_tree_block {
    float corner[3][3][MR_TREE_WIDTH]; // of corner and axis
    uint32_t item[MR_TREE_WIDTH];
} mr_tree_block;

// Items are triangles, numbered by primitive and then by fan, or boxes.
typedef struct mr_tree_items {
    const mr_faces *faces; // NULL over boxes
    const mr_box *boxes;
    size_t count;
    const uint32_t *primitive; // of each item; NULL: the item's own number
    const uint32_t *first;     // a primitive's first item
} mr_tree_items;

typedef struct mr_tree_hit {
    float t;
    uint32_t item; // MR_TREE_NONE: a miss
    uint32_t block, lane;
} mr_tree_hit;

typedef struct mr_tree_kernels {
    mr_tree_hit (*closest)(const mr_tree *tree, const mr_tree_ray *ray);
    bool (*any)(const mr_tree *tree, const mr_tree_ray *ray);
    int32_t (*crossings)(const mr_tree *tree, const mr_tree_ray *ray, float margin, bool *near);
    void (*visit)(const mr_tree *tree, const mr_tree_ray *ray, mr_tree_visitor visit, void *self);
} mr_tree_kernels;

struct mr_tree {
    mr_context *context;
    const mr_tree_kernels *kernels;
    mr_box bounds;
    size_t node_count, block_count, item_count; // items that take part
    mr_tree_node *nodes;                        // node 0 is the root
    mr_tree_block *blocks;
    uint32_t *primitive, *first; // of items; NULL where every item is the primitive of its number
};

// A builder orders the items and cuts ranges of that order in two.
typedef struct mr_tree_range {
    uint32_t first, count;
    double weight; // of a node's ranges the heaviest is cut first
    mr_box box;    // of a builder that works with boxes
} mr_tree_range;

typedef struct mr_tree_builder {
    void *self;
    // Cuts a range of two or more; `depth` cuts lead to it. `alone`: only this thread works (else the cut may be shared
    // out among all).
    bool (*cut)(void *self, const mr_tree_range *range, uint32_t depth, bool alone, mr_tree_range halves[2],
                mr_error *error);
    const uint32_t *order; // the item at place k, once all is cut, is order[k * stride]
    size_t stride;
    uint32_t leaf_most; // items a leaf holds
} mr_tree_builder;

// Builds nodes and blocks from a builder's whole range (with its box, where the builder works with boxes).
bool mr_tree_plan(mr_tree *tree, const mr_tree_items *items, const mr_tree_builder *builder,
                  const mr_tree_range *whole, mr_error *error);

// An item's box; false: it takes no part.
bool mr_tree_item_box(const mr_tree_items *items, uint32_t item, mr_box *box);
// The three points of a triangle; false: it takes no part.
bool mr_tree_item_corners(const mr_tree_items *items, uint32_t item, const float *corners[3]);

bool mr_tree_build_morton(mr_tree *tree, const mr_tree_items *items, mr_error *error);
bool mr_tree_build_surface(mr_tree *tree, const mr_tree_items *items, mr_error *error);

#endif
