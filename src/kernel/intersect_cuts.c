// kernel/intersect_cuts.c: the segment that each entry of intersect_pairs is cut along.

#include "base/thread.h"
#include "kernel/intersect_core.h"

#include <string.h>

enum { APTS, ATRI, BPTS, BTRI, PAIRS, CUT };
enum { GRAIN = 1024 };

typedef struct job {
    const mr_kernel_call *call;
    mr_cut_meshes meshes;
    const uint32_t *pairs;
    uint32_t *cut;
} job;

_Static_assert(sizeof(mr_cut_end) == MR_END_WORDS * sizeof(uint32_t), "an end is its words");

static bool cut_range(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t i = begin; i < end; i++) {
        mr_cut_end ends[2] = { 0 };
        const uint32_t *entry = j->pairs + 3 * i;
        if (i < j->call->live && !mr_cut_part(&j->meshes, entry[0], entry[1], entry[2], ends)) {
            return mr_kernel_refuse(
                error, j->call->kernel, "pairs",
                "entry %zu says that triangles %u and %u have part %u, which they have not", i, entry[0],
                entry[1], entry[2]);
        }
        memcpy(j->cut + MR_CUT_WORDS * i, ends, sizeof ends);
    }
    return mr_keep_going(j->call->context, error);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *s = call->slots;
    job j = {
        .call = call,
        .meshes.mesh = { { s[APTS].f32, s[ATRI].u32, s[APTS].count, s[ATRI].count / 3 },
                         { s[BPTS].f32, s[BTRI].u32, s[BPTS].count, s[BTRI].count / 3 } },
        .pairs = s[PAIRS].u32,
        .cut = s[CUT].u32,
    };
    return mr_parallel_for(call->context, call->n, GRAIN, cut_range, &j, error);
}

const mr_kernel mr_kernel_intersect_cuts = {
    .name = "intersect_cuts",
    .summary = "The two ends of the segment of every entry of intersect_pairs. End e of entry i is slot 2 i "
               "+ e of the "
               "later kernels.",
    .determinism = MR_EXACT,
    .gpu = "exact where f64 is there; one entry an invocation",
    .bindings = { { .name = "apts",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "Where the points of A are." },
                  { .name = "atri",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .flat = true,
                    .doc = "Three points a triangle of A." },
                  { .name = "bpts",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "Where the points of B are." },
                  { .name = "btri",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .flat = true,
                    .doc = "Three points a triangle of B." },
                  { .name = "pairs",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .flat = true,
                    .count = "3 * n",
                    .doc = "The entries of intersect_pairs; one that names no part of its pair is refused." },
                  { .name = "cut",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .count = "16 * n",
                    .doc = "Two ends of 8 words an entry: position (f32 bits), kind (low byte) and the "
                           "meshes it cuts "
                           "(bits 8 and 9), lo, hi, tri, extra. 0 past the live entries." },
                  MR_KERNEL_DOMAIN_COUNT },
    .specializations = { MR_KERNEL_COUNT },
    .run = run,
};
