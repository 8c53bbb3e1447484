// kernel/bvh_pyramid.c: one level of the pyramid of leaf bounds.

#include "base/thread.h"
#include "kernel/bvh.h"
#include "kernel/kernel.h"

#include <math.h>

enum { NODES, PYR };
enum { NP, PYR_SIZE, LEVEL };
enum { GRAIN = 8192 };

bool mr_bvh_check_room(const mr_kernel *kernel, size_t count, size_t room, mr_error *error)
{
    size_t want = count > 0;
    while (want < count) {
        want *= 2;
    }
    return room == want ||
           mr_kernel_refuse(error, kernel, NULL, "pyr_size is %zu; %zu primitives round up to %zu", room,
                            count, want);
}

typedef struct job {
    const uint32_t *nodes;
    size_t count;
    mr_box *pyramid;
    size_t width; // nodes of the level
    bool lowest;
} job;

static mr_box leaf(const job *j, size_t place)
{
    return place < j->count ? mr_bvh_box(j->nodes, j->count - 1 + place) : mr_box_empty();
}

static bool level_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        size_t node = j->width + i;
        mr_box box = j->lowest ? leaf(j, 2 * i) : j->pyramid[2 * node];
        mr_box other = j->lowest ? leaf(j, 2 * i + 1) : j->pyramid[2 * node + 1];
        mr_box_add(&box, &other);
        j->pyramid[node] = box;
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    size_t count = call->params[NP].u32, room = call->params[PYR_SIZE].u32;
    uint32_t level = call->params[LEVEL].u32;
    if (!mr_bvh_check_room(call->kernel, count, room, error)) {
        return false;
    }
    size_t width = room >> level;
    if (width == 0 || call->n != width) {
        return mr_kernel_refuse(error, call->kernel, NULL,
                                "runs over %zu elements, where level %u of a pyramid of %zu has %zu", call->n,
                                level, room, width);
    }
    job j = { call->slots[NODES].u32, count, call->slots[PYR].data, width, level == 1 };
    return mr_parallel_for(call->context, width, GRAIN, level_run, &j, error);
}

const mr_kernel mr_kernel_bvh_pyramid = {
    .name = "bvh_pyramid",
    .summary =
        "One level of the pyramid of leaf bounds: each of its nodes folds two of the level below, the leaves "
        "at level 1. Run once a level, from 1 to log2(pyr_size).",
    .determinism = MR_EXACT,
    .gpu = "exact: minima and maxima of f32; one node an invocation, one dispatch a level",
    .bindings = { { .name = "nodes",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "16 * np - 8",
                    .doc = "The node table, of which the leaves are read." },
                  { .name = "pyr",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_F32,
                    .count = "6 * pyr_size",
                    .doc = "The pyramid, 6 words a node, low then high: node 1 is its top and node k stands "
                           "over "
                           "2 k and 2 k + 1; those past pyr_size are the leaves' places." } },
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
                  .doc = "np rounded up to a power of two." },
                { .name = "level",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 1,
                  .high = 31,
                  .doc = "Which level: it has pyr_size / 2^level nodes." } },
    .run = run,
};
