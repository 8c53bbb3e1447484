// kernel/hash_count.c: how many points are near each query.

#include "kernel/hash_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { QPTS = MR_HASH_BINDINGS, COUNTS };
enum { RADIUS = MR_HASH_PARAMS, SKIP_SELF };

typedef struct job {
    bool skip_self;
    uint32_t *counts;
} job;

static bool count_near(void *argument, uint32_t query, const uint32_t *near, size_t count, mr_error *error)
{
    const job *j = argument;
    uint32_t left_out = 0;
    (void)error;
    for (size_t i = 0; i < count && j->skip_self; i++) {
        left_out += near[i] == query;
    }
    j->counts[query] = (uint32_t)count - left_out;
    return true;
}

static void soon(const void *argument, uint32_t query, bool sooner)
{
    const job *j = argument;
    if (!sooner) {
        __builtin_prefetch(j->counts + query, 1);
    }
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    job j = { call->params[SKIP_SELF].u32 != 0, call->slots[COUNTS].u32 };
    mr_hash_search search;
    if (!mr_hash_search_begin(call, call->slots[MR_HASH_PTS].count, call->slots[QPTS].f32, call->live,
                              &search, error)) {
        return false;
    }
    memset(j.counts + call->live, 0, (call->n - call->live) * sizeof *j.counts);
    bool good = mr_hash_search_near(&search, call->params[RADIUS].f32, true, count_near, soon, &j, error);
    mr_hash_search_end(&search);
    return good;
}

const mr_kernel mr_kernel_hash_count = {
    .name = "hash_count",
    .summary = "How many indexed points stand within a radius of each query: at most the radius away, by f32 "
               "squares. "
               "Its running sum is where hash_gather writes each query's list.",
    .determinism = MR_EXACT,
    .gpu = "exact where products and sums are not fused",
    .bindings = { MR_HASH_INDEX(NULL, NULL),
                  MR_HASH_QUERIES,
                  { .name = "counts",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .doc = "How many are near; 0 for a query with NaN and past the live count." },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { MR_HASH_NUMBERS(NAN, 1, FLT_MIN), MR_HASH_RADIUS(NAN), MR_HASH_SKIP_SELF },
    .specializations = { MR_KERNEL_COUNT },
    .run = run,
};
