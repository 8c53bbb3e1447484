// kernel/bvh_internal.c: the bounds of the inner nodes, each the fold of the leaves its run of places covers.

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/bvh.h"
#include "kernel/kernel.h"

#include <math.h>

enum { CODES, ORDER, PYR, NODES };
enum { NP, PYR_SIZE };
enum { GRAIN = 4096 };

typedef struct job {
    const uint32_t *codes; // of the places
    size_t count, room;
    const mr_box *pyramid;
    uint32_t *nodes;
} job;

static void add_place(const job *j, size_t node, mr_box *box)
{
    // Past the pyramid stand the leaves.
    mr_box part = node < j->room ? j->pyramid[node] : mr_bvh_box(j->nodes, j->count - 1 + (node - j->room));
    mr_box_add(box, &part);
}

// The fold of places first to last: as few nodes of the pyramid as cover them.
static mr_box fold(const job *j, size_t first, size_t last)
{
    mr_box box = mr_box_empty();
    size_t low = j->room + first, high = j->room + last + 1;
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1) {
            add_place(j, low++, &box);
        }
        if (high & 1) {
            add_place(j, --high, &box);
        }
    }
    return box;
}

static bool bound_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        mr_bvh_span span = mr_bvh_span_of(j->codes, (uint32_t)j->count, (uint32_t)i);
        mr_box box = fold(j, span.first, span.last);
        mr_bvh_set_box(j->nodes, i, &box);
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *s = call->slots;
    size_t count = call->params[NP].u32, inner = count ? count - 1 : 0;
    if (call->n != inner) {
        return mr_kernel_refuse(error, call->kernel, NULL, "runs over %zu elements, where np - 1 is %zu",
                                call->n, inner);
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
    job j = { codes, count, call->params[PYR_SIZE].u32, s[PYR].data, s[NODES].u32 };
    bool good = mr_bvh_sorted_codes(call->context, s[CODES].u32, s[ORDER].u32, count, codes, error);
    if (!good && error->status == MR_BAD_INPUT) {
        mr_fail_prefix(error, "kernel bvh_internal: binding order");
    }
    good = good && mr_parallel_for(call->context, inner, GRAIN, bound_run, &j, error);
    mr_buffer_release(call->context, codes);
    return good;
}

const mr_kernel mr_kernel_bvh_internal = {
    .name = "bvh_internal",
    .summary =
        "The bounds of each inner node of the table: the fold, read from the pyramid, of the leaves it "
        "covers. The last step of the tree's build.",
    .source = "T. Karras 2012, Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees",
    .determinism = MR_EXACT,
    .gpu = "exact: whole numbers, and minima and maxima of f32; one inner node an invocation",
    .bindings = { { .name = "codes",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "np",
                    .doc = "Each primitive's Morton code." },
                  { .name = "order",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "np",
                    .doc = "The primitives by ascending code." },
                  { .name = "pyr",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = "6 * pyr_size",
                    .doc = "The pyramid of leaf bounds, every level of it." },
                  { .name = "nodes",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_U32,
                    .count = "16 * np - 8",
                    .doc = "The node table; the bounds of nodes 0 to np - 2 are written." } },
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
