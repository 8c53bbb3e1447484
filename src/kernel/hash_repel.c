// kernel/hash_repel.c: how each query is pushed by the points about it.
//
// A neighbour at p, nearer than the radius, pushes a query at q by (q - p) / d * (1 - d / radius), where d is the root
// of the squared distance: for each coordinate the quotient and then the product, in f32. The pushes are added from zero
// in the order of the walk, and the sum's coordinates divided by how many neighbours there are.

#include "kernel/hash_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { QPTS = MR_HASH_BINDINGS, PUSH, DOMAIN_COUNT };
enum { RADIUS = MR_HASH_PARAMS, SKIP_SELF };

typedef struct job {
    mr_hash_search search;
    float radius;
    bool skip_self;
    float *push;
} job;

static bool push_query(void *argument, uint32_t query, const uint32_t *near, size_t near_count,
                       mr_error *error)
{
    const job *j = argument;
    const mr_hash_index *index = &j->search.index;
    const float *q = mr_hash_query(&j->search, query);
    const float limit = j->radius * j->radius;
    float sum[3] = { 0, 0, 0 }, count = 0;
    (void)error;
    for (size_t k = 0; k < near_count; k++) {
        float p[3];
        mr_hash_place(index, near[k], p);
        float squared = mr_hash_squared(p, q);
        bool left_out = j->skip_self && (index->order[near[k]] == query || squared == 0.0f);
        if (left_out || !(squared < limit)) {
            continue;
        }
        count += 1.0f;
        if (squared > 0.0f) {
            float distance = __builtin_sqrtf(squared), weight = 1.0f - distance / j->radius;
            for (int i = 0; i < 3; i++) {
                sum[i] += (q[i] - p[i]) / distance * weight;
            }
        }
    }
    for (size_t i = 0; i < 3; i++) {
        j->push[3 * (size_t)query + i] = count > 0.0f ? sum[i] / count : 0.0f;
    }
    return true;
}

static void soon(const void *argument, uint32_t query, bool sooner)
{
    const job *j = argument;
    if (!sooner) {
        __builtin_prefetch(j->push + 3 * (size_t)query, 1);
    }
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    job j = { .radius = call->params[RADIUS].f32,
              .skip_self = call->params[SKIP_SELF].u32 != 0,
              .push = call->slots[PUSH].f32 };
    if (!mr_hash_search_begin(call, call->slots[MR_HASH_PTS].count, call->slots[QPTS].f32, call->live,
                              &j.search, error)) {
        return false;
    }
    memset(j.push + 3 * call->live, 0, 3 * (call->n - call->live) * sizeof *j.push);
    bool good = mr_hash_search_near(&j.search, j.radius, false, push_query, soon, &j, error);
    mr_hash_search_end(&j.search);
    return good;
}

const mr_kernel mr_kernel_hash_repel = {
    .name = "hash_repel",
    .summary = "The mean push away from the indexed points nearer than a radius: each along the unit "
               "direction from itself "
               "to the query, times 1 - distance / radius.",
    .determinism = MR_EXACT,
    .gpu = "exact where roots and quotients are correctly rounded and nothing is fused",
    .bindings = { MR_HASH_INDEX(NULL, NULL),
                  MR_HASH_QUERIES,
                  { .name = "push",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "The push, at most 1 long; zero where nothing is near, for a query with NaN, and "
                           "past the live "
                           "count. A point that stands on the query pushes nowhere and is counted in the "
                           "mean, unless "
                           "skip_self leaves it out." },
                  { .name = "domain_count",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "1",
                    .doc = "How many of the n queries there are. Bound by the domain." } },
    .params = { MR_HASH_NUMBERS(NAN, 1, FLT_MIN),
                MR_HASH_RADIUS(NAN),
                { .name = "skip_self",
                  .type = MR_U32,
                  .value = 0,
                  .low = 0,
                  .high = 1,
                  .doc = "1: a query leaves out the point of its own number, and every point that stands on "
                         "it." } },
    .run = run,
};
