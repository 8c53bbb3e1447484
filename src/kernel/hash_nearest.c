// kernel/hash_nearest.c: the point nearest each query.

#include "kernel/hash_search.h"

#include <float.h>
#include <math.h>

enum { QPTS = MR_HASH_BINDINGS, NEAREST, DIST2, POINT_COUNT };
enum { RINGS = MR_HASH_PARAMS, SKIP_SELF, POINTS };
enum { COUNT_FORM, POINTS_FORM };

typedef struct job {
    mr_hash_search search;
    uint32_t rings;
    bool skip_self;
    uint32_t *nearest;
    float *squared;
} job;

static void find_nearest(void *argument, uint32_t query)
{
    const job *j = argument;
    mr_hash_found found = mr_hash_nearest(&j->search.index, mr_hash_query(&j->search, query), j->rings,
                                          j->skip_self ? query : MR_HASH_NONE);
    j->nearest[query] = found.point;
    j->squared[query] = found.squared;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    job j = { .rings = call->params[RINGS].u32,
              .skip_self = call->params[SKIP_SELF].u32 != 0,
              .nearest = call->slots[NEAREST].u32,
              .squared = call->slots[DIST2].f32 };
    size_t points = call->params[POINTS].u32;
    if (call->choices[POINTS_FORM] && *call->slots[POINT_COUNT].u32 < points) {
        points = *call->slots[POINT_COUNT].u32;
    }
    if (!mr_hash_search_begin(call, points, call->slots[QPTS].f32, call->live, &j.search, error)) {
        return false;
    }
    for (size_t i = call->live; i < call->n; i++) {
        j.nearest[i] = MR_HASH_NONE;
        j.squared[i] = INFINITY;
    }
    bool good = mr_hash_search_each(&j.search, find_nearest, &j, error);
    mr_hash_search_end(&j.search);
    return good;
}

const mr_kernel mr_kernel_hash_nearest = {
    .name = "hash_nearest",
    .summary = "The indexed point nearest each query, with its squared distance; of two equally near, the "
               "lower number.",
    .determinism = MR_EXACT,
    .gpu = "exact where products and sums are not fused",
    .bindings = { MR_HASH_INDEX(NULL, "points"),
                  MR_HASH_QUERIES,
                  { .name = "nearest",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .doc =
                        "The point's number; 4294967295 where no point is indexed (or only what is left "
                        "out), for a "
                        "query with NaN, and past the live count. A point with NaN is nearest to nothing." },
                  { .name = "dist2",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .doc = "The squared distance in square metres, each step rounded to f32; infinity where "
                           "there is "
                           "no point." },
                  { .name = "point_count",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "1",
                    .when = "POINTS=device",
                    .doc = "How many of the points there are." },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { MR_HASH_NUMBERS(NAN, 1, FLT_MIN),
                { .name = "rings",
                  .type = MR_U32,
                  .value = 2,
                  .doc = "How many shells of cells are walked one by one before the search widens. It moves "
                         "the time "
                         "and no answer." },
                MR_HASH_SKIP_SELF,
                { .name = "points",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = INT32_MAX,
                  .doc = "How many points are indexed, or the most there can be." } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "POINTS",
                           .options = "plain device",
                           .doc = "device: the first point_count of the points are indexed." } },
    .run = run,
};
