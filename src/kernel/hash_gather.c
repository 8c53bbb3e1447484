// kernel/hash_gather.c: the points near each query, list after list.

#include "kernel/hash_search.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define NONE UINT64_MAX

enum { QPTS = MR_HASH_BINDINGS, QOFF, ITEMS };
enum { RADIUS = MR_HASH_PARAMS, SKIP_SELF, TOTAL };

typedef struct job {
    bool skip_self;
    const uint32_t *offsets;
    size_t live;
    uint32_t *items;      // after what an earlier append left
    size_t room;          // in items
    uint64_t last;        // how many the last query lists, when it has been asked
    _Atomic uint64_t bad; // the least query whose list is not as long as the offsets leave room for, or NONE
} job;

static void note_bad(job *j, uint32_t query)
{
    uint64_t bad = atomic_load_explicit(&j->bad, memory_order_relaxed);
    while (query < bad && !atomic_compare_exchange_weak_explicit(&j->bad, &bad, query, memory_order_relaxed,
                                                                 memory_order_relaxed)) {
    }
}

static bool list_near(void *argument, uint32_t query, const uint32_t *near, size_t count, mr_error *error)
{
    job *j = argument;
    const bool is_last = query + 1u == j->live;
    const uint64_t begin = j->offsets[query], end = is_last ? UINT64_MAX : j->offsets[query + 1u];
    uint64_t at = begin;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        if (j->skip_self && near[i] == query) {
            continue;
        }
        if (at < end && at < j->room) {
            j->items[at] = near[i];
        }
        at++;
    }
    if (is_last) {
        j->last = at - begin;
    } else if (at != end) {
        note_bad(j, query);
    }
    return true;
}

static void soon(const void *argument, uint32_t query, bool sooner)
{
    const job *j = argument;
    if (!sooner) {
        __builtin_prefetch(j->offsets + query);
    } else if (j->offsets[query] < j->room) {
        __builtin_prefetch(j->items + j->offsets[query], 1);
    }
}

// Rising offsets keep every query's words its own, whatever the lists are.
static bool offsets_rise(const mr_kernel_call *call, mr_error *error)
{
    const uint32_t *offsets = call->slots[QOFF].u32;
    if (call->live > 0 && offsets[0] != 0) {
        return mr_kernel_refuse(error, call->kernel, "qoff", "begins with %u; a running sum begins with 0",
                                offsets[0]);
    }
    for (size_t i = 1; i < call->live; i++) {
        if (offsets[i] < offsets[i - 1]) {
            return mr_kernel_refuse(error, call->kernel, "qoff",
                                    "falls at query %zu; it is no running sum of counts", i);
        }
    }
    return true;
}

static bool state_count(const mr_kernel_call *call, const job *j, mr_error *error)
{
    const mr_kernel_slot *items = &call->slots[ITEMS];
    uint64_t listed = (call->live > 0 ? j->offsets[call->live - 1] : 0) + j->last;
    uint64_t count = *items->counter + listed;
    if (j->bad != NONE) {
        return mr_kernel_refuse(
            error, call->kernel, "qoff",
            "leaves query %u room for %u points, and it has another number of them; it must be "
            "the running sum of hash_count's counts with the same params",
            (unsigned)j->bad, j->offsets[j->bad + 1] - j->offsets[j->bad]);
    }
    if (count > UINT32_MAX) {
        return mr_kernel_refuse(error, call->kernel, "items", "lists more points than 32 bits can count");
    }
    *items->counter = (uint32_t)count;
    if (listed < j->room) {
        memset(j->items + listed, 0, (j->room - listed) * sizeof *j->items);
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *items = &call->slots[ITEMS];
    size_t first = *items->counter < items->count ? *items->counter : items->count;
    mr_hash_search search;
    job j = { .skip_self = call->params[SKIP_SELF].u32 != 0,
              .offsets = call->slots[QOFF].u32,
              .live = call->live,
              .items = items->u32 + first,
              .room = items->count - first };
    atomic_init(&j.bad, NONE);
    if (!offsets_rise(call, error) ||
        !mr_hash_search_begin(call, call->slots[MR_HASH_PTS].count, call->slots[QPTS].f32, call->live,
                              &search, error)) {
        return false;
    }
    bool good = mr_hash_search_near(&search, call->params[RADIUS].f32, true, list_near, soon, &j, error);
    mr_hash_search_end(&search);
    return good && state_count(call, &j, error);
}

const mr_kernel mr_kernel_hash_gather = {
    .name = "hash_gather",
    .summary = "The indexed points within a radius of each query, query after query, in the order of the "
               "walk: cells by "
               "z, then y, then x, and in a cell by place.",
    .determinism = MR_EXACT,
    .gpu = "exact where products and sums are not fused",
    .bindings = { MR_HASH_INDEX(NULL, NULL),
                  MR_HASH_QUERIES,
                  { .name = "qoff",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "n",
                    .doc = "Where each query's list begins: the exclusive running sum of hash_count's "
                           "counts. Refused "
                           "where it is another." },
                  { .name = "items",
                    .access = MR_APPEND,
                    .element = MR_TAKES_U32,
                    .count = "total",
                    .doc = "The points' numbers; 0 past them. Its count is how many there are, also where "
                           "they do not "
                           "all fit." },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { MR_HASH_NUMBERS(NAN, 1, FLT_MIN),
                MR_HASH_RADIUS(NAN),
                MR_HASH_SKIP_SELF,
                { .name = "total",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = INT32_MAX,
                  .doc = "How many points items has room for: the counts' sum, or a bound." } },
    .specializations = { MR_KERNEL_COUNT },
    .run = run,
};
