// kernel/hash_search.h: what the kernels that search a spatial hash share: the bindings and params that state the index,
// and queries asked beside each other in space, whatever order they stand in.

#ifndef MARRAM_KERNEL_HASH_SEARCH_H
#define MARRAM_KERNEL_HASH_SEARCH_H

#include "kernel/hash_batch.h"
#include "kernel/kernel.h"

// The first three bindings, and the first two params, of each of them.
enum { MR_HASH_PTS, MR_HASH_ORDER, MR_HASH_RANGE, MR_HASH_BINDINGS };
enum { MR_HASH_BUCKETS, MR_HASH_INV_CELL, MR_HASH_PARAMS };

#define MR_HASH_READ(binding, takes, words, least, variants, text)                                           \
    {                                                                                                        \
        .name = binding, .access = MR_READ, .element = takes, .lanes = words, .count = least,                \
        .when = variants, .doc = text                                                                        \
    }
// when: the variants that search; points: the least that pts and order hold, NULL where no param says it.
#define MR_HASH_INDEX(when, points)                                                                          \
    MR_HASH_READ("pts", MR_TAKES_F32, 3, points, when, "The indexed points."),                               \
        MR_HASH_READ(                                                                                        \
            "order", MR_TAKES_U32, 1, points, when,                                                          \
            "The point at each place: what sorts the points by their hash key. An entry that is no "         \
            "point is passed over."),                                                                        \
        MR_HASH_READ("range", MR_TAKES_U32, 1, "2 * buckets", when,                                          \
                     "Each bucket's places, from hash_starts.")
#define MR_HASH_QUERIES                                                                                      \
    MR_HASH_READ("qpts", MR_TAKES_F32, 3, "n", NULL, "The positions that are asked about.")

// What states the index must be given: MR_HASH_NUMBERS(NAN, 1, FLT_MIN). (0, 0, 0): a variant searches nothing, and
// mr_hash_search_begin refuses what was left out.
#define MR_HASH_NUMBERS(unstated, fewest, least)                                                             \
    { .name = "buckets",                                                                                     \
      .type = MR_U32,                                                                                        \
      .value = unstated,                                                                                     \
      .low = fewest,                                                                                         \
      .high = MR_HASH_BUCKETS_MOST,                                                                          \
      .doc = "The buckets of the index, a power of two." },                                                  \
    {                                                                                                        \
        .name = "inv_cell", .type = MR_F32, .value = unstated, .low = least, .high = FLT_MAX,                \
        .doc = "1 over the side of the index's cells, in 1 / metres."                                        \
    }
#define MR_HASH_RADIUS(unstated)                                                                             \
    {                                                                                                        \
        .name = "radius", .type = MR_F32, .value = unstated, .low = 0, .high = FLT_MAX,                      \
        .doc = "How far is near, in metres."                                                                 \
    }
#define MR_HASH_SKIP_SELF                                                                                    \
    {                                                                                                        \
        .name = "skip_self", .type = MR_U32, .value = 0, .low = 0, .high = 1,                                \
        .doc = "1: a query leaves out the point of its own number."                                          \
    }

typedef struct mr_hash_search {
    mr_context *context;
    mr_hash_index index;
    const float *queries; // xyz each
    size_t count;
    uint32_t *turns; // the order they are asked in; NULL: as they stand
} mr_hash_search;

// Makes the index that a call's first bindings state, its first point_count points, ready for `count` queries. Refuses
// buckets that are no power of two. Errors else: MR_OUT_OF_MEMORY, MR_LIMIT, MR_CANCELLED.
bool mr_hash_search_begin(const mr_kernel_call *call, size_t point_count, const float *queries, size_t count,
                          mr_hash_search *search, mr_error *error);
void mr_hash_search_end(mr_hash_search *search);

// Asks every query once, from any thread. Queries that are near each other come one after another, so that what one has
// read the next finds in the cache; no answer depends on it.
bool mr_hash_search_each(const mr_hash_search *search, void (*ask)(void *argument, uint32_t query),
                         void *argument, mr_error *error);

// Asks every query once for all that is within the radius of it: mr_hash_batch_ask.
typedef bool (*mr_hash_answer)(void *argument, uint32_t query, const uint32_t *near, size_t count,
                               mr_error *error);
typedef void (*mr_hash_soon)(const void *argument, uint32_t query, bool sooner);
bool mr_hash_search_near(const mr_hash_search *search, float radius, bool points, mr_hash_answer answer,
                         mr_hash_soon soon, void *argument, mr_error *error);

static inline const float *mr_hash_query(const mr_hash_search *search, uint32_t query)
{
    return search->queries + 3 * (size_t)query;
}

#endif
