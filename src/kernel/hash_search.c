// kernel/hash_search.c: queries in the order of the cells they stand in.

#include "kernel/hash_search.h"

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/hash.h"
#include "kernel/sort.h"

enum { SORTED_FROM = 4096, GRAIN = 256 };

static unsigned bits_of(uint32_t buckets)
{
    return buckets > 1 ? 32u - (unsigned)__builtin_clz(buckets - 1u) : 0u;
}

static bool sort_queries(mr_hash_search *search, mr_error *error)
{
    mr_context *context = search->context;
    size_t size = search->count * sizeof(uint32_t); // a column's words are in memory already: it fits
    uint32_t *keys = mr_buffer_take(context, size, error);
    search->turns = keys ? mr_buffer_take(context, size, error) : NULL;
    bool good = search->turns &&
                mr_hash_keys(context, search->queries, search->count, search->index.buckets,
                             search->index.inv_cell, keys, error) &&
                mr_sort_permutation(context, keys, search->count, bits_of(search->index.buckets),
                                    search->turns, error);
    mr_buffer_release(context, keys);
    return good;
}

bool mr_hash_search_begin(const mr_kernel_call *call, size_t point_count, const float *queries, size_t count,
                          mr_hash_search *search, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots;
    uint32_t buckets = call->params[MR_HASH_BUCKETS].u32;
    float inv_cell = call->params[MR_HASH_INV_CELL].f32;
    if (!mr_hash_buckets_good(buckets)) {
        return mr_kernel_refuse(error, call->kernel, NULL, "param buckets is %u; it must be a power of two",
                                buckets);
    }
    if (!(inv_cell > 0)) {
        return mr_kernel_refuse(error, call->kernel, NULL, "param inv_cell must be given");
    }
    *search = (mr_hash_search){
        .context = call->context,
        .index = { .points = slots[MR_HASH_PTS].f32,
                   .point_count = point_count,
                   .order = slots[MR_HASH_ORDER].u32,
                   .order_count = slots[MR_HASH_ORDER].count,
                   .range = slots[MR_HASH_RANGE].u32,
                   .buckets = buckets,
                   .inv_cell = inv_cell },
        .queries = queries,
        .count = count,
    };
    bool copy = count >= slots[MR_HASH_ORDER].count / 16;
    if (!mr_hash_index_begin(call->context, &search->index, copy, error)) {
        return false;
    }
    if (queries && count >= SORTED_FROM && !sort_queries(search, error)) {
        mr_hash_search_end(search);
        return false;
    }
    return true;
}

void mr_hash_search_end(mr_hash_search *search)
{
    mr_buffer_release(search->context, search->turns);
    search->turns = NULL;
    mr_hash_index_end(search->context, &search->index);
}

typedef struct asking {
    const mr_hash_search *search;
    void (*ask)(void *argument, uint32_t query);
    void *argument;
} asking;

static bool ask_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const asking *a = argument;
    for (size_t i = begin; i < end; i++) {
        if (i % GRAIN == 0 && !mr_keep_going(a->search->context, error)) {
            return false;
        }
        a->ask(a->argument, a->search->turns ? a->search->turns[i] : (uint32_t)i);
    }
    return true;
}

bool mr_hash_search_each(const mr_hash_search *search, void (*ask)(void *argument, uint32_t query),
                         void *argument, mr_error *error)
{
    asking a = { search, ask, argument };
    return mr_parallel_for(search->context, search->count, GRAIN, ask_run, &a, error);
}

bool mr_hash_search_near(const mr_hash_search *search, float radius, bool points, mr_hash_answer answer,
                         mr_hash_soon soon, void *argument, mr_error *error)
{
    mr_hash_batch batch = { .index = &search->index,
                            .queries = search->queries,
                            .turns = search->turns,
                            .radius = radius,
                            .points = points,
                            .answer = answer,
                            .soon = soon,
                            .argument = argument };
    return mr_hash_batch_ask(search->context, &batch, search->count, error);
}
