// kernel/reduce.c: a run of elements folded to one a group, as a kernel. The folding is reduce_run.c's.

#include "kernel/reduce.h"

#include <string.h>

enum { SRC, STARTS, DST, PICKED, SEGMENT_COUNT };
enum { SEGMENTS };
enum { FORM_COUNT, TYPE, FOLD, FORM_SEGMENTS };

static bool run(const mr_kernel_call *call, mr_error *error)
{
    static const mr_segment_places places = { STARTS, SEGMENTS, SEGMENT_COUNT, FORM_SEGMENTS };
    const mr_kernel_slot *src = &call->slots[SRC], *dst = &call->slots[DST], *picked = &call->slots[PICKED];
    mr_reduce_run reduce = { .fold = (mr_reduce_fold)call->choices[FOLD],
                             .element = src->element == MR_F32 ? MR_F32 : MR_I32,
                             .lanes = src->lanes,
                             .from = src->data,
                             .to = dst->data,
                             .picked = picked->i32 };
    if (!mr_segments_of(call, places, &reduce.segments, &reduce.longest, error)) {
        return false;
    }
    if (!mr_reduce(call->context, &reduce, error)) {
        return mr_fail_prefix(error, "kernel %s", call->kernel->name);
    }
    size_t groups = reduce.segments.count, stated = call->params[SEGMENTS].u32;
    stated = stated ? stated : 1;
    memset(dst->u32 + groups * src->lanes, 0, (stated - groups) * src->lanes * sizeof(uint32_t));
    memset(picked->u32 + groups, 0xff, (stated - groups) * sizeof(uint32_t));
    return true;
}

const mr_kernel mr_kernel_reduce = {
    .name = "reduce",
    .summary =
        "The sum, least, greatest, mean or count of a run of elements, or which of them is the least or "
        "greatest, over all of it or by groups.",
    .determinism = MR_EXACT,
    .gpu =
        "exact: a workgroup of 64 lanes a block in the order of kernel/reduce.h, then the blocks' folds the "
        "same way; f32 min and max on the bits turned into whole numbers; a vector's argmin by blocks' "
        "bests, "
        "then in order through those that can beat",
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
                    .doc = "Where each group begins, never falling. A group ends where the next begins, the "
                           "last "
                           "at the last element; a start past it begins an empty group. Needed where "
                           "segments is "
                           "above 0." },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_T,
                    .count = "1 - segments + segments",
                    .doc = "Each group's fold, of argmin and argmax the element itself; 0 for an empty group "
                           "and "
                           "one that is not live." },
                  { .name = "picked",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "1 - segments + segments",
                    .doc =
                        "Of argmin and argmax the number of the first element that is least or greatest (of "
                        "vectors the one that beats the one before it in every lane); -1 for an empty group, "
                        "one that is not live, and every other fold." },
                  { .name = "segment_count",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "1",
                    .when = "SEGMENTS=device",
                    .doc = "How many of the groups there are." },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "segments",
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
                         { .name = "FOLD",
                           .options = "add min max mean count argmin argmax",
                           .doc = "Sums of whole numbers wrap; their mean is exact and rounds toward 0. min, "
                                  "max, "
                                  "argmin and argmax pass over NaN; min and max take -0 below +0." },
                         { .name = "SEGMENTS",
                           .options = "plain device",
                           .doc =
                               "device: segments is the most groups there can be, and segment_count says how "
                               "many there are." } },
    .run = run,
};
