// kernel/scan.c: the running fold of a column, as a kernel. The folding is scan_run.c's.

#include "kernel/scan.h"

#include "base/thread.h"

#include <string.h>

enum { SRC, STARTS, DST, TOTAL, SEGMENT_COUNT };
enum { EXCLUSIVE, SEGMENTS };
enum { FORM_COUNT, TYPE, OP, FORM_SEGMENTS };

typedef struct padding {
    uint32_t *to;
    uint32_t lanes;
    uint32_t element[4];
} padding;

static bool pad(void *argument, size_t begin, size_t end, mr_error *error)
{
    const padding *p = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        for (uint32_t lane = 0; lane < p->lanes; lane++) {
            p->to[i * p->lanes + lane] = p->element[lane];
        }
    }
    return true;
}

// Writes elements first to end - 1 of dst: the element given, or 0.
static bool fill(const mr_kernel_call *call, size_t first, size_t end, const uint32_t *element,
                 mr_error *error)
{
    const mr_kernel_slot *dst = &call->slots[DST];
    padding p = { dst->u32 + first * dst->lanes, dst->lanes, { 0 } };
    if (element) {
        memcpy(p.element, element, dst->lanes * sizeof *element);
    }
    return first >= end || mr_parallel_for(call->context, end - first, 1 << 15, pad, &p, error);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    static const mr_segment_places places = { STARTS, SEGMENTS, SEGMENT_COUNT, FORM_SEGMENTS };
    const mr_kernel_slot *src = &call->slots[SRC], *total = &call->slots[TOTAL];
    mr_scan_run scan = { .op = (mr_scan_op)call->choices[OP],
                         .element = src->element == MR_F32 ? MR_F32 : MR_I32,
                         .lanes = src->lanes,
                         .exclusive = call->params[EXCLUSIVE].u32 != 0,
                         .from = src->data,
                         .to = call->slots[DST].data,
                         .totals = total->data };
    if (!mr_segments_of(call, places, &scan.segments, &scan.longest, error)) {
        return false;
    }
    size_t groups = scan.segments.count;
    size_t first = groups ? mr_segment_begin(&scan.segments, 0) : call->live;
    if (!mr_scan(call->context, &scan, error)) {
        return mr_fail_prefix(error, "kernel %s", call->kernel->name);
    }
    size_t written = groups * src->lanes;
    size_t stated = call->params[SEGMENTS].u32 ? (size_t)call->params[SEGMENTS].u32 * src->lanes : src->lanes;
    memset(total->u32 + written, 0, (stated - written) * sizeof(uint32_t));
    const uint32_t *last = groups ? total->u32 + written - src->lanes : NULL;
    return fill(call, 0, first, NULL, error) && fill(call, call->live, call->n, last, error);
}

const mr_kernel mr_kernel_scan = {
    .name = "scan",
    .summary =
        "The running sum, product, least or greatest of a run of elements, over all of it or by groups.",
    .source =
        "The tree in a tile: Sklansky, Conditional-sum addition logic, 1960. The chain of spans: Merrill "
        "and Garland, Single-pass parallel prefix scan with decoupled look-back, 2016",
    .determinism = MR_EXACT,
    .gpu = "exact: a workgroup a block in the order of kernel/scan.h, tiles' folds chained in it, then "
           "blocks and "
           "spans; f32 min and max on the bits turned into whole numbers",
    .bindings = { { .name = "src",
                    .access = MR_READ,
                    .element = MR_TAKES_T,
                    .count = "n",
                    .doc = "What is folded; a vector lane by lane." },
                  { .name = "starts",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "segments",
                    .optional = true,
                    .doc =
                        "Where each group begins, never falling. A group ends where the next begins, the "
                        "last "
                        "at the last element; a start past it begins an empty group, and what stands before "
                        "the first start is in none. Needed where segments is above 0." },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_T,
                    .doc =
                        "The fold up to each element of its group. Past the live elements the last group's "
                        "total; 0 for an element of no group." },
                  { .name = "total",
                    .access = MR_WRITE,
                    .element = MR_TAKES_T,
                    .count = "1 - segments + segments",
                    .doc = "The fold of each group; 0 for an empty one, and for one that is not live." },
                  { .name = "segment_count",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "1",
                    .when = "SEGMENTS=device",
                    .doc = "How many of the groups there are." },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "exclusive",
                  .type = MR_U32,
                  .low = 0,
                  .high = 1,
                  .doc = "1: the fold of the elements before each one, where the first of a group has 0 for "
                         "add, "
                         "1 for mul and itself for min and max. 0: up to and including it." },
                { .name = "segments",
                  .type = MR_U32,
                  .low = 0,
                  .high = INT32_MAX,
                  .doc =
                      "How many groups starts has; 0: everything is one group (in SEGMENTS=device: there is "
                      "none)." } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "T",
                           .options = "f32 i32 vec2 vec3 vec4 ivec2 ivec3 ivec4",
                           .doc = "An element." },
                         { .name = "OP",
                           .options = "add min max mul",
                           .doc = "The fold. Whole numbers wrap; min and max pass over NaN and take -0 below "
                                  "+0." },
                         { .name = "SEGMENTS",
                           .options = "plain device",
                           .doc =
                               "device: segments is the most groups there can be, and segment_count says how "
                               "many there are." } },
    .run = run,
};
