// kernel/hash_starts.c: where each bucket's points stand among the sorted.
//
// One pass over the places writes them all: between two neighbouring places, every bucket above the first's key and up
// to the second's begins. (A search of each bucket's own gives the same words and reads the keys log2(points) times.)

#include "base/thread.h"
#include "data/count.h"
#include "kernel/hash.h"
#include "kernel/kernel.h"

#include <math.h>

enum { BLOCK = 16384 };

typedef struct starts_job {
    mr_context *context;
    const uint32_t *keys, *order;
    size_t count;
    uint32_t buckets;
    uint32_t *range;
} starts_job;

// Buckets after `past` and up to `key` begin at place, and the bucket before each of them ends there. Buckets are
// numbered from 1 here, so that 0 stands for what is before the first.
static void begin_buckets(const starts_job *job, uint32_t past, uint32_t key, uint32_t place)
{
    for (uint32_t k = past; k < key; k++) {
        if (k > 0) {
            job->range[2 * (size_t)k - 1] = place;
        }
        if (k < job->buckets) {
            job->range[2 * (size_t)k] = place;
        }
    }
}

// A place's key, numbered from 1; false where there is no such point.
static inline bool key_at(const starts_job *job, size_t place, uint32_t *key)
{
    uint32_t point = job->order[place];
    if (point >= job->count) {
        return false;
    }
    uint32_t word = job->keys[point];
    *key = word < job->buckets ? word + 1u : job->buckets + 1u;
    return true;
}

static bool no_point(const starts_job *job, size_t place, mr_error *error)
{
    return mr_fail(error, MR_BAD_INPUT, "order names point %u at place %zu; there are %zu points",
                   job->order[place], place, job->count);
}

// The places of one run; the last run closes what is left.
static bool starts_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const starts_job *job = argument;
    uint32_t past = 0, key = 0;
    if (begin > 0 && !key_at(job, begin - 1, &past)) {
        return no_point(job, begin - 1, error);
    }
    for (size_t i = begin; i < end; i++) {
        if (!key_at(job, i, &key)) {
            return no_point(job, i, error);
        }
        if (key < past) {
            return mr_fail(error, MR_BAD_INPUT,
                           "order does not sort keys: place %zu's is below the one before", i);
        }
        if (key != past) {
            begin_buckets(job, past, key, (uint32_t)i);
            past = key;
        }
    }
    if (end == job->count) {
        begin_buckets(job, past, job->buckets + 1u, (uint32_t)end);
    }
    return mr_keep_going(job->context, error);
}

bool mr_hash_starts(mr_context *context, const uint32_t *keys, const uint32_t *order, size_t count,
                    uint32_t buckets, uint32_t *range, mr_error *error)
{
    starts_job job = { context, keys, order, count, buckets, range };
    if (count == 0) {
        memset(range, 0, 2 * (size_t)buckets * sizeof *range);
        return true;
    }
    return mr_parallel_for(context, count, BLOCK, starts_run, &job, error);
}

enum { KEYS, ORDER, RANGE };
enum { POINTS };

static bool run(const mr_kernel_call *call, mr_error *error)
{
    mr_error why = { 0 };
    if (call->n > MR_HASH_BUCKETS_MOST) {
        return mr_kernel_refuse(error, call->kernel, NULL, "%zu buckets are more than the %u there may be",
                                call->n, MR_HASH_BUCKETS_MOST);
    }
    bool good = mr_hash_starts(call->context, call->slots[KEYS].u32, call->slots[ORDER].u32,
                               call->params[POINTS].u32, (uint32_t)call->n, call->slots[RANGE].u32, &why);
    if (!good && why.status == MR_BAD_INPUT) {
        return mr_kernel_refuse(error, call->kernel, NULL, "binding %s", why.message);
    }
    if (!good) {
        *error = why;
    }
    return good;
}

const mr_kernel mr_kernel_hash_starts = {
    .name = "hash_starts",
    .summary = "Where each bucket's points begin and end among the points sorted by their keys. Runs over "
               "the buckets.",
    .gpu = "exact: whole numbers; two binary searches a bucket",
    .bindings = { { .name = "keys",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "points",
                    .doc = "Each point's bucket, as hash writes it." },
                  { .name = "order",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "points",
                    .doc = "The permutation that sorts the keys: the point at each place. Refused where it "
                           "does not." },
                  { .name = "range",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .count = "2 * n",
                    .doc = "Two words a bucket: the place its points begin at and the place they end before; "
                           "the same "
                           "place twice where it has none. A bucket ends where the next begins." } },
    .params = { { .name = "points",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = MR_COUNT_MOST,
                  .doc = "How many points there are; those with a key past the buckets are in none." } },
    .run = run,
};
