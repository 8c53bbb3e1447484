// kernel/neighbour_index.c: an index of points, and every point's neighbours.

#include "kernel/neighbour_index.h"

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/hash.h"
#include "kernel/hash_batch.h"
#include "kernel/sort.h"

#include <float.h>
#include <stdatomic.h>

enum { CHUNK = 8192 };

// The farthest finite coordinate. Found by whole numbers, whose order is that of f32s without a sign: the greatest of
// the runs does not depend on which comes first.

typedef struct far_job {
    const float *points;
    _Atomic uint32_t farthest;
} far_job;

static bool far_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    far_job *job = argument;
    float most = 0;
    (void)error;
    for (size_t i = 3 * begin; i < 3 * end; i++) {
        float size = __builtin_fabsf(job->points[i]);
        most = size > most && size <= FLT_MAX ? size : most;
    }
    uint32_t bits, now = atomic_load_explicit(&job->farthest, memory_order_relaxed);
    memcpy(&bits, &most, sizeof bits);
    while (bits > now && !atomic_compare_exchange_weak_explicit(&job->farthest, &now, bits,
                                                                memory_order_relaxed, memory_order_relaxed)) {
    }
    return true;
}

static bool choose_cell(mr_context *context, mr_neighbour_index *index, mr_error *error)
{
    far_job job = { .points = index->hash.points };
    atomic_init(&job.farthest, 0u);
    if (!mr_parallel_for(context, index->hash.point_count, 16384, far_run, &job, error)) {
        return false;
    }
    uint32_t bits = atomic_load_explicit(&job.farthest, memory_order_relaxed);
    float farthest, cell, least;
    memcpy(&farthest, &bits, sizeof farthest);
    least = farthest * 0x1p-20f;
    // A little wider, so that what is near is never two cells on: neighbour_grid.h counts on it.
    cell = mr_hash_reach(index->radius * index->radius) * (1.0f + 0x1p-10f);
    cell = cell > least ? cell : least;
    index->hash.inv_cell = cell <= FLT_MAX / 4 ? 1.0f / cell : FLT_MIN;
    return true;
}

// About as many buckets as points.
static unsigned bucket_bits(size_t count)
{
    unsigned bits = 0;
    while (bits < 29 && ((size_t)1 << bits) < count) {
        bits++;
    }
    return bits;
}

static bool sort_points(mr_context *context, mr_neighbour_index *index, mr_error *error)
{
    mr_hash_index *hash = &index->hash;
    size_t count = hash->point_count, words = count > 0 ? count : 1;
    unsigned bits = bucket_bits(count);
    hash->buckets = 1u << bits;
    uint32_t *keys = mr_buffer_take(context, words * sizeof *keys, error);
    index->order = keys ? mr_buffer_take(context, words * sizeof *index->order, error) : NULL;
    index->range = index->order ? mr_buffer_take(context, 2 * sizeof *index->range << bits, error) : NULL;
    bool good = index->range &&
                mr_hash_keys(context, hash->points, count, hash->buckets, hash->inv_cell, keys, error) &&
                mr_sort_permutation(context, keys, count, bits, index->order, error) &&
                mr_hash_starts(context, keys, index->order, count, hash->buckets, index->range, error);
    mr_buffer_release(context, keys);
    hash->order = index->order;
    hash->order_count = count;
    hash->range = index->range;
    return good;
}

bool mr_neighbour_index_create(mr_context *context, const float *points, size_t count, float radius,
                               mr_neighbour_index *index, mr_error *error)
{
    if (!(radius >= 0 && radius <= FLT_MAX)) {
        return mr_fail(error, MR_BAD_INPUT, "a radius of neighbours must be finite and 0 or more");
    }
    if (count > INT32_MAX) {
        return mr_fail(error, MR_LIMIT, "%zu points are past the %d that indices can hold", count, INT32_MAX);
    }
    mr_neighbour_index made = { .hash = { .points = points, .point_count = count }, .radius = radius };
    if (!choose_cell(context, &made, error) || !sort_points(context, &made, error) ||
        !mr_hash_index_begin(context, &made.hash, true, error)) {
        mr_neighbour_index_destroy(context, &made);
        return false;
    }
    *index = made;
    return true;
}

void mr_neighbour_index_destroy(mr_context *context, mr_neighbour_index *index)
{
    mr_hash_index_end(context, &index->hash);
    mr_buffer_release(context, index->range);
    mr_buffer_release(context, index->order);
    index->range = index->order = NULL;
}

// Lists. Each chunk of places writes its own into a buffer of its own, and when all are done they are put together: the
// searching is done once.

typedef struct chunk {
    mr_context *context;
    const uint32_t *order;
    mr_neighbour_list *of; // each place's list, among the chunk's items
    uint32_t *items;
    size_t count, room;
    uint64_t first; // where its items stand among all
} chunk;

typedef struct lists_job {
    mr_context *context;
    const mr_neighbour_index *index;
    mr_hash_batch batch;
    mr_neighbour_lists *lists;
    mr_neighbour_list *by_place;
    chunk *chunks;
} lists_job;

static bool make_room(chunk *c, size_t more, mr_error *error)
{
    size_t room = c->room > 0 ? c->room : 16 * CHUNK;
    while (room - c->count < more) {
        room *= 2;
    }
    if (room == c->room) {
        return true;
    }
    uint32_t *items = mr_buffer_take(c->context, room * sizeof *items, error);
    if (!items) {
        return false;
    }
    if (c->items) {
        memcpy(items, c->items, c->count * sizeof *items);
        mr_buffer_discard(c->context, c->items);
    }
    c->items = items;
    c->room = room;
    return true;
}

static bool keep_list(void *argument, uint32_t place, const uint32_t *points, size_t count, mr_error *error)
{
    chunk *c = argument;
    if (!make_room(c, count, error)) {
        return false;
    }
    uint32_t *items = c->items + c->count, self = c->order[place];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        items[kept] = points[i];
        kept += points[i] != self;
    }
    c->of[place] = (mr_neighbour_list){ (uint32_t)c->count, (uint32_t)kept };
    c->count += kept;
    return true;
}

static bool search_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const lists_job *job = argument;
    size_t count = job->index->hash.point_count;
    for (size_t k = begin; k < end; k++) {
        size_t from = k * CHUNK, to = from + CHUNK < count ? from + CHUNK : count;
        if (!mr_hash_batch_part(job->context, &job->batch, from, to, &job->chunks[k], error)) {
            return false;
        }
    }
    return true;
}

static bool join_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const lists_job *job = argument;
    size_t count = job->index->hash.point_count;
    for (size_t k = begin; k < end; k++) {
        const chunk *c = &job->chunks[k];
        size_t from = k * CHUNK, to = from + CHUNK < count ? from + CHUNK : count;
        if (c->count > 0) {
            memcpy(job->lists->items + c->first, c->items, c->count * sizeof *c->items);
        }
        for (size_t i = from; i < to; i++) {
            mr_neighbour_list list = { (uint32_t)c->first + c->of[i].first, c->of[i].count };
            job->lists->of[job->index->order[i]] = list;
        }
    }
    return mr_keep_going(job->context, error);
}

static bool place_chunks(const lists_job *job, size_t chunks, mr_error *error)
{
    uint64_t total = 0;
    for (size_t k = 0; k < chunks; k++) {
        job->chunks[k].first = total;
        total += job->chunks[k].count;
    }
    if (total > UINT32_MAX) {
        return mr_fail(error, MR_LIMIT, "there are more neighbours than 32 bits can count");
    }
    job->lists->total = (size_t)total;
    job->lists->items =
        mr_buffer_take(job->context, (size_t)(total > 0 ? total : 1) * sizeof(uint32_t), error);
    return job->lists->items != NULL;
}

static bool search_all(const lists_job *job, size_t chunks, mr_error *error)
{
    lists_job mine = *job;
    for (size_t k = 0; k < chunks; k++) {
        job->chunks[k] = (chunk){ .context = job->context, .order = job->index->order, .of = job->by_place };
    }
    bool good = mr_parallel_for(job->context, chunks, 1, search_run, &mine, error) &&
                place_chunks(job, chunks, error) &&
                mr_parallel_for(job->context, chunks, 1, join_run, &mine, error);
    for (size_t k = 0; k < chunks; k++) {
        mr_buffer_release(job->context, job->chunks[k].items);
    }
    return good;
}

bool mr_neighbour_lists_create(mr_context *context, const mr_neighbour_index *index,
                               mr_neighbour_lists *lists, mr_error *error)
{
    size_t count = index->hash.point_count, size = (count > 0 ? count : 1) * sizeof(mr_neighbour_list);
    size_t chunks = (count + CHUNK - 1) / CHUNK;
    mr_neighbour_lists made = { .of = mr_buffer_take(context, size, error) };
    lists_job job = {
        .context = context,
        .index = index,
        .batch = { .index = &index->hash, .radius = index->radius, .points = true, .answer = keep_list },
        .lists = &made
    };
    job.by_place = made.of ? mr_buffer_take(context, size, error) : NULL;
    job.chunks = job.by_place ? mr_buffer_take(context, (chunks + 1) * sizeof *job.chunks, error) : NULL;
    bool good = job.chunks && search_all(&job, chunks, error);
    mr_buffer_release(context, job.chunks);
    mr_buffer_release(context, job.by_place);
    if (!good) {
        mr_neighbour_lists_destroy(context, &made);
        return false;
    }
    *lists = made;
    return true;
}

void mr_neighbour_lists_destroy(mr_context *context, mr_neighbour_lists *lists)
{
    mr_buffer_release(context, lists->items);
    mr_buffer_release(context, lists->of);
    *lists = (mr_neighbour_lists){ 0 };
}
