// kernel/bvh.h: the node table of a binary radix tree over a geometry's primitives, which bvh_codes, sort, bvh,
// bvh_pyramid and bvh_internal make in turn.
//
// Of np primitives there are 2 np - 1 nodes of 8 words: low x y z, high x y z (f32 bits), and two links. Node 0 is the
// root. Nodes 0 to np - 2 are inner ones, their links the nodes of their two halves. Node np - 1 + k is the leaf at
// sorted place k: its first link is the primitive, its second MR_BVH_LEAF. Of no primitives there is no node.
//
// An inner node's run of places is cut where the codes' common prefix ends (Karras 2012); equal codes are told apart by
// their places. Inner node i is the first or the last place of its run, so links are found for all nodes at once.

#ifndef MARRAM_KERNEL_BVH_H
#define MARRAM_KERNEL_BVH_H

#include "kernel/faces.h"
#include "kernel/kernel.h"

#include <string.h>

enum { MR_BVH_NODE_WORDS = 8, MR_BVH_LEFT = 6, MR_BVH_RIGHT = 7, MR_BVH_BOX_WORDS = 6 };
#define MR_BVH_LEAF UINT32_C(0xffffffff)
#define MR_BVH_MOST (INT32_MAX / 16) // primitives: words are counted in i32
#define MR_BVH_ROOM_MOST (1 << 27)

static inline mr_box mr_bvh_box(const uint32_t *nodes, size_t node)
{
    mr_box box;
    memcpy(&box, nodes + MR_BVH_NODE_WORDS * node, sizeof box);
    return box;
}

static inline void mr_bvh_set_box(uint32_t *nodes, size_t node, const mr_box *box)
{
    memcpy(nodes + MR_BVH_NODE_WORDS * node, box, sizeof *box);
}

// The 30-bit Morton code of a box's centre in `scene`: ten bits an axis, x the highest. 0 for the empty box; a centre
// that is no number, or a scene of no size, counts as the low end of that axis.
uint32_t mr_bvh_code(const mr_box *box, const mr_box *scene);

// The run of places of inner node i, and the last place of its first half. `codes` are those of the places, ascending.
typedef struct mr_bvh_span {
    uint32_t first, last, split;
} mr_bvh_span;
mr_bvh_span mr_bvh_span_of(const uint32_t *codes, uint32_t count, uint32_t i);

// The codes of the places, codes[order[k]]. Errors (MR_BAD_INPUT): a primitive out of range, codes that descend.
bool mr_bvh_sorted_codes(mr_context *context, const uint32_t *codes, const uint32_t *order, size_t count,
                         uint32_t *sorted, mr_error *error);

// Whether `room`, a kernel's pyr_size, is count rounded up to a power of two (0 of 0); refuses where it is not.
bool mr_bvh_check_room(const mr_kernel *kernel, size_t count, size_t room, mr_error *error);

#endif
