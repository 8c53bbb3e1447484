// kernel/tree_plan.c: wide nodes over the ranges a builder cuts.
//
// The upper part of the tree is planned first, on the calling thread, down to ranges of a hundredth of the whole; each
// of those is then a part of its own, planned on any thread. The numbers of all nodes and blocks follow, and every part
// writes its own into place. So the tree is the same for any number of threads.

#include "base/array.h"
#include "base/thread.h"
#include "kernel/tree_state.h"

#include <string.h>

enum { PARTS = 128, PART_LEAST = 2048 };

// Where a node or a leaf hangs: a node's number and a place in it.
typedef struct hook {
    uint32_t node, place;
} hook;

typedef struct plan_node {
    uint32_t child[MR_TREE_WIDTH]; // of the part; a leaf's with MR_TREE_LEAF
    hook parent;
    mr_tree_range range; // that it is opened from
    uint32_t depth;
} plan_node;

typedef struct plan_leaf {
    uint32_t first, count;
    hook parent;
} plan_leaf;

typedef struct part {
    MR_ARRAY(plan_node) nodes; // a parent before its children
    MR_ARRAY(plan_leaf) leaves;
    mr_tree_range whole;
    uint32_t depth;
    hook parent; // of the part's first node, in part 0
    size_t node_base, leaf_base;
} part;

typedef struct plan {
    mr_tree *tree;
    const mr_tree_items *items;
    const mr_tree_builder *builder;
    MR_ARRAY(part) parts;
    uint32_t part_most; // a range of no more items than this becomes a part
} plan;

typedef struct child_range {
    mr_tree_range range;
    uint32_t depth;
} child_range;

// Cuts a range into up to eight. Answers how many; 0 is an error.
static size_t cut_wide(const plan *p, const plan_node *node, bool alone, child_range out[MR_TREE_WIDTH],
                       mr_error *error)
{
    size_t count = 1;
    out[0] = (child_range){ node->range, node->depth };
    while (count < MR_TREE_WIDTH) {
        size_t best = count;
        for (size_t i = 0; i < count; i++) {
            bool may = out[i].range.count > p->builder->leaf_most;
            if (may && (best == count || out[i].range.weight > out[best].range.weight)) {
                best = i;
            }
        }
        if (best == count) {
            break;
        }
        mr_tree_range halves[2];
        uint32_t depth = out[best].depth;
        if (!p->builder->cut(p->builder->self, &out[best].range, depth, alone, halves, error)) {
            return 0;
        }
        out[best] = (child_range){ halves[0], depth + 1 };
        out[count++] = (child_range){ halves[1], depth + 1 };
    }
    return count;
}

static bool add_node(mr_context *context, part *to, const mr_tree_range *range, uint32_t depth, hook parent,
                     mr_error *error)
{
    plan_node node = { .parent = parent, .range = *range, .depth = depth };
    memset(node.child, 0xff, sizeof node.child);
    return mr_array_push(context, &to->nodes, node) || mr_fail_memory(error, sizeof node);
}

static bool add_leaf(mr_context *context, part *to, const mr_tree_range *range, hook parent, mr_error *error)
{
    plan_leaf leaf = { range->first, range->count, parent };
    return mr_array_push(context, &to->leaves, leaf) || mr_fail_memory(error, sizeof leaf);
}

static bool add_part(plan *p, const child_range *child, hook parent, mr_error *error)
{
    part added = { .whole = child->range, .depth = child->depth, .parent = parent };
    return mr_array_push(p->tree->context, &p->parts, added) || mr_fail_memory(error, sizeof added);
}

// Opens one node of a part. In the upper part small ranges become parts; the others find no parts to add.
static bool open_node(plan *p, part *of, size_t at, bool upper, mr_error *error)
{
    mr_context *context = p->tree->context;
    child_range children[MR_TREE_WIDTH];
    size_t count = cut_wide(p, &of->nodes.items[at], !upper, children, error);
    for (uint32_t i = 0; i < count; i++) {
        const child_range *child = &children[i];
        hook parent = { (uint32_t)at, i };
        uint32_t *link = &of->nodes.items[at].child[i];
        bool good = true;
        if (child->range.count == 0) {
            continue;
        }
        if (child->range.count <= p->builder->leaf_most) {
            *link = MR_TREE_LEAF | (uint32_t)of->leaves.count;
            good = add_leaf(context, of, &child->range, parent, error);
        } else if (upper && child->range.count <= p->part_most) {
            good = add_part(p, child, parent, error);
        } else {
            *link = (uint32_t)of->nodes.count;
            good = add_node(context, of, &child->range, child->depth, parent, error);
        }
        if (!good) {
            return false;
        }
    }
    return count > 0;
}

static bool plan_part(plan *p, part *of, bool upper, mr_error *error)
{
    mr_context *context = p->tree->context;
    if (!add_node(context, of, &of->whole, of->depth, (hook){ 0, 0 }, error)) {
        return false;
    }
    for (size_t i = 0; i < of->nodes.count; i++) {
        if ((i % 64 == 0 && !mr_keep_going(context, error)) || !open_node(p, of, i, upper, error)) {
            return false;
        }
    }
    return true;
}

static bool plan_lower(void *argument, size_t begin, size_t end, mr_error *error)
{
    plan *p = argument;
    for (size_t i = begin; i < end; i++) {
        if (!plan_part(p, &p->parts.items[1 + i], false, error)) {
            return false;
        }
    }
    return true;
}

// The upper part grows the list of parts, so it is planned outside of it.
static bool plan_upper(plan *p, const mr_tree_range *whole, mr_error *error)
{
    mr_context *context = p->tree->context;
    part upper = { .whole = *whole };
    bool good = mr_array_push(context, &p->parts, upper) || mr_fail_memory(error, sizeof upper);
    good = good && plan_part(p, &upper, true, error);
    if (p->parts.count > 0) {
        p->parts.items[0] = upper;
    }
    return good;
}

// Writing.

static void fill_block(const plan *p, const plan_leaf *leaf, mr_tree_block *block)
{
    memset(block, 0xff, sizeof *block); // NaN, and no item
    for (uint32_t lane = 0; lane < leaf->count; lane++) {
        uint32_t item = p->builder->order[(leaf->first + lane) * p->builder->stride];
        const float *corners[3];
        if (!mr_tree_item_corners(p->items, item, corners)) {
            continue;
        }
        for (int corner = 0; corner < 3; corner++) {
            for (int axis = 0; axis < 3; axis++) {
                block->corner[corner][axis][lane] = corners[corner][axis];
            }
        }
        block->item[lane] = item;
    }
}

static mr_box leaf_box(const plan *p, const plan_leaf *leaf)
{
    mr_box box = mr_box_empty(), other;
    for (uint32_t i = 0; i < leaf->count; i++) {
        uint32_t item = p->builder->order[(leaf->first + i) * p->builder->stride];
        if (mr_tree_item_box(p->items, item, &other)) {
            mr_box_add(&box, &other);
        }
    }
    return box;
}

static void set_bounds(mr_tree_node *node, uint32_t place, const mr_box *box)
{
    for (int axis = 0; axis < 3; axis++) {
        node->bounds[axis][place] = box->low[axis];
        node->bounds[3 + axis][place] = box->high[axis];
    }
}

static mr_box node_box(const mr_tree_node *node)
{
    mr_box box = mr_box_empty();
    for (int place = 0; place < MR_TREE_WIDTH; place++) {
        mr_box child;
        for (int axis = 0; axis < 3; axis++) {
            child.low[axis] = node->bounds[axis][place];
            child.high[axis] = node->bounds[3 + axis][place];
        }
        mr_box_add(&box, &child);
    }
    return box;
}

static void write_node(const plan *p, const part *of, size_t at)
{
    mr_tree_node *node = &p->tree->nodes[of->node_base + at];
    mr_box empty = mr_box_empty();
    for (uint32_t i = 0; i < MR_TREE_WIDTH; i++) {
        uint32_t child = of->nodes.items[at].child[i];
        node->padding[i] = 0;
        set_bounds(node, i, &empty);
        node->child[i] = child == MR_TREE_NONE  ? child
                         : child & MR_TREE_LEAF ? child + (uint32_t)of->leaf_base
                                                : child + (uint32_t)of->node_base;
    }
}

static void write_leaf(const plan *p, const part *of, size_t at)
{
    const plan_leaf *leaf = &of->leaves.items[at];
    mr_tree_node *node = &p->tree->nodes[of->node_base + leaf->parent.node];
    mr_box box = leaf_box(p, leaf);
    set_bounds(node, leaf->parent.place, &box);
    if (p->items->faces) {
        fill_block(p, leaf, &p->tree->blocks[of->leaf_base + at]);
    } else {
        node->child[leaf->parent.place] = MR_TREE_LEAF | p->builder->order[leaf->first * p->builder->stride];
    }
}

// From the last node to the first: each parent then has its children's boxes.
static void write_boxes(const plan *p, const part *of)
{
    for (size_t i = of->nodes.count; i-- > 1;) {
        hook parent = of->nodes.items[i].parent;
        mr_box box = node_box(&p->tree->nodes[of->node_base + i]);
        set_bounds(&p->tree->nodes[of->node_base + parent.node], parent.place, &box);
    }
}

static void write_part(const plan *p, const part *of)
{
    for (size_t i = 0; i < of->leaves.count; i++) {
        write_leaf(p, of, i);
    }
}

static bool write_lower(void *argument, size_t begin, size_t end, mr_error *error)
{
    const plan *p = argument;
    for (size_t i = 1 + begin; i < 1 + end; i++) {
        const part *of = &p->parts.items[i];
        for (size_t k = 0; k < of->nodes.count; k++) {
            write_node(p, of, k);
        }
        write_part(p, of);
        write_boxes(p, of);
        mr_tree_node *above = &p->tree->nodes[of->parent.node];
        mr_box box = node_box(&p->tree->nodes[of->node_base]);
        set_bounds(above, of->parent.place, &box);
        above->child[of->parent.place] = (uint32_t)of->node_base;
        if (!mr_keep_going(p->tree->context, error)) {
            return false;
        }
    }
    return true;
}

static bool make_room(plan *p, mr_error *error)
{
    mr_tree *tree = p->tree;
    for (size_t i = 0; i < p->parts.count; i++) {
        part *of = &p->parts.items[i];
        of->node_base = tree->node_count;
        of->leaf_base = tree->block_count;
        tree->node_count += of->nodes.count;
        tree->block_count += of->leaves.count;
    }
    size_t size;
    if (!mr_size_multiply(tree->node_count, sizeof *tree->nodes, &size)) {
        return mr_fail(error, MR_LIMIT, "a tree of %zu nodes does not fit", tree->node_count);
    }
    tree->nodes = mr_buffer_take(tree->context, size, error);
    if (!tree->nodes || !p->items->faces) {
        return tree->nodes;
    }
    if (!mr_size_multiply(tree->block_count, sizeof *tree->blocks, &size)) {
        return mr_fail(error, MR_LIMIT, "a tree of %zu blocks does not fit", tree->block_count);
    }
    tree->blocks = mr_buffer_take(tree->context, size, error);
    return tree->blocks;
}

static bool write_all(plan *p, mr_error *error)
{
    const part *upper = &p->parts.items[0];
    for (size_t i = 0; i < upper->nodes.count; i++) {
        write_node(p, upper, i);
    }
    if (!mr_parallel_for(p->tree->context, p->parts.count - 1, 1, write_lower, p, error)) {
        return false;
    }
    write_part(p, upper);
    write_boxes(p, upper);
    p->tree->bounds = node_box(&p->tree->nodes[0]);
    return true;
}

bool mr_tree_plan(mr_tree *tree, const mr_tree_items *items, const mr_tree_builder *builder,
                  const mr_tree_range *whole, mr_error *error)
{
    uint32_t most = whole->count / PARTS;
    plan p = {
        .tree = tree, .items = items, .builder = builder, .part_most = most > PART_LEAST ? most : PART_LEAST
    };
    tree->item_count = whole->count;
    bool good = plan_upper(&p, whole, error) &&
                mr_parallel_for(tree->context, p.parts.count - 1, 1, plan_lower, &p, error) &&
                make_room(&p, error) && write_all(&p, error);
    for (size_t i = 0; i < p.parts.count; i++) {
        mr_array_free(tree->context, &p.parts.items[i].nodes);
        mr_array_free(tree->context, &p.parts.items[i].leaves);
    }
    mr_array_free(tree->context, &p.parts);
    return good;
}
