// kernel/bvh.c: the leaves and the links of the node table.

#include "kernel/bvh.h"

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/kernel.h"

#include <math.h>

enum { PTS, VPT, VSTART, VCOUNT, CODES, ORDER, NODES, PYR };
enum { NP, PYR_SIZE };
enum { GRAIN = 4096 };

typedef struct job {
    mr_faces faces;
    const uint32_t *order;
    const uint32_t *codes; // of the places
    uint32_t *nodes;
    size_t count;
    mr_box *pyramid;
} job;

static bool leaf_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t k = begin; k < end; k++) {
        size_t node = j->count - 1 + k;
        mr_box box = mr_face_box(&j->faces, j->order[k]);
        mr_bvh_set_box(j->nodes, node, &box);
        j->nodes[MR_BVH_NODE_WORDS * node + MR_BVH_LEFT] = j->order[k];
        j->nodes[MR_BVH_NODE_WORDS * node + MR_BVH_RIGHT] = MR_BVH_LEAF;
    }
    return true;
}

static bool link_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    uint32_t count = (uint32_t)j->count;
    mr_box empty = mr_box_empty();
    for (size_t i = begin; i < end; i++) {
        mr_bvh_span span = mr_bvh_span_of(j->codes, count, (uint32_t)i);
        uint32_t left = span.split == span.first ? count - 1 + span.split : span.split;
        uint32_t right = span.split + 1 == span.last ? count - 1 + span.last : span.split + 1;
        mr_bvh_set_box(j->nodes, i, &empty);
        j->nodes[MR_BVH_NODE_WORDS * i + MR_BVH_LEFT] = left;
        j->nodes[MR_BVH_NODE_WORDS * i + MR_BVH_RIGHT] = right;
    }
    return true;
}

static bool clear_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        j->pyramid[i] = mr_box_empty();
    }
    return true;
}

static bool build(const mr_kernel_call *call, const job *j, mr_error *error)
{
    size_t room = call->params[PYR_SIZE].u32;
    return mr_parallel_for(call->context, j->count, GRAIN, leaf_run, (void *)j, error) &&
           mr_parallel_for(call->context, j->count ? j->count - 1 : 0, GRAIN, link_run, (void *)j, error) &&
           mr_parallel_for(call->context, room, GRAIN, clear_run, (void *)j, error);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *s = call->slots;
    size_t count = call->params[NP].u32;
    if (call->n != count) {
        return mr_kernel_refuse(error, call->kernel, NULL, "runs over %zu elements, where np is %zu", call->n,
                                count);
    }
    if (!mr_bvh_check_room(call->kernel, count, call->params[PYR_SIZE].u32, error)) {
        return false;
    }
    size_t size;
    uint32_t *codes =
        mr_size_multiply(count, sizeof *codes, &size) ? mr_buffer_take(call->context, size, error) : NULL;
    if (!codes) {
        return false;
    }
    job j = {
        .faces = { .points = s[PTS].f32,
                   .point_count = s[PTS].count,
                   .vertex_points = s[VPT].i32,
                   .vertex_count = s[VPT].count,
                   .starts = s[VSTART].i32,
                   .counts = s[VCOUNT].i32,
                   .count = count },
        .order = s[ORDER].u32,
        .codes = codes,
        .nodes = s[NODES].u32,
        .count = count,
        .pyramid = s[PYR].data,
    };
    bool good = mr_bvh_sorted_codes(call->context, s[CODES].u32, s[ORDER].u32, count, codes, error);
    if (!good && error->status == MR_BAD_INPUT) {
        mr_fail_prefix(error, "kernel bvh: binding order");
    }
    good = good && build(call, &j, error);
    mr_buffer_release(call->context, codes);
    return good;
}

const mr_kernel mr_kernel_bvh = {
    .name = "bvh",
    .summary =
        "The leaves, with their bounds, and the links of a binary radix tree over a geometry's primitives; "
        "bvh_pyramid and bvh_internal then fill in the bounds of the inner nodes.",
    .source = "T. Karras 2012, Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees",
    .determinism = MR_EXACT,
    .gpu = "exact: whole numbers, and minima and maxima of f32; one primitive an invocation",
    .bindings = { { .name = "pts",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "Where the points are; a coordinate that is no number is passed over." },
                  { .name = "vpt",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc = "The point of each vertex; one out of range counts for nothing." },
                  { .name = "vstart",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "np",
                    .doc = "Each primitive's first vertex." },
                  { .name = "vcount",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "np",
                    .doc = "How many vertices each primitive has; cut to those there are." },
                  { .name = "codes",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "np",
                    .doc = "Each primitive's Morton code." },
                  { .name = "order",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "np",
                    .doc = "The primitives by ascending code; equal codes stand as the sort left them." },
                  { .name = "nodes",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .count = "16 * np - 8",
                    .doc = "8 words a node: low, high (f32 bits), two links. np - 1 inner nodes, whose boxes "
                           "are "
                           "still empty and whose links are nodes; then np leaves, whose links are the "
                           "primitive and 0xffffffff." },
                  { .name = "pyr",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .count = "6 * pyr_size",
                    .doc = "Room for the pyramid of bounds: empty boxes." } },
    .params = { { .name = "np",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = MR_BVH_MOST,
                  .doc = "How many primitives there are." },
                { .name = "pyr_size",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = MR_BVH_ROOM_MOST,
                  .doc = "np rounded up to a power of two." } },
    .run = run,
};
