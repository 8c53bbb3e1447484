// kernel/hash.c: the bucket of every point.

#include "kernel/hash.h"

#include "base/isa.h"
#include "base/thread.h"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

MR_ISA_TABLES(mr_hash_kernels, mr_hash_kernels);

typedef struct keys_job {
    mr_context *context;
    const mr_hash_kernels *kernels;
    const float *points;
    uint32_t *keys;
    uint32_t buckets;
    float inv_cell;
} keys_job;

static bool key_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const keys_job *job = argument;
    job->kernels->keys(job->points + 3 * begin, end - begin, job->buckets, job->inv_cell, job->keys + begin);
    return mr_keep_going(job->context, error);
}

bool mr_hash_keys(mr_context *context, const float *points, size_t count, uint32_t buckets, float inv_cell,
                  uint32_t *keys, mr_error *error)
{
    keys_job job = { context, MR_ISA_PICK(mr_hash_kernels, mr_context_isa(context)), points, keys, buckets,
                     inv_cell };
    return mr_parallel_for(context, count, 8192, key_run, &job, error);
}

enum { PTS, KEYS };
enum { BUCKETS, INV_CELL };

static bool run(const mr_kernel_call *call, mr_error *error)
{
    uint32_t buckets = call->params[BUCKETS].u32, *keys = call->slots[KEYS].u32;
    if (!mr_hash_buckets_good(buckets)) {
        return mr_kernel_refuse(error, call->kernel, NULL, "param buckets is %u; it must be a power of two",
                                buckets);
    }
    for (size_t i = call->live; i < call->n; i++) {
        keys[i] = MR_HASH_NO_KEY;
    }
    return mr_hash_keys(call->context, call->slots[PTS].f32, call->live, buckets, call->params[INV_CELL].f32,
                        keys, error);
}

const mr_kernel mr_kernel_hash = {
    .name = "hash",
    .summary =
        "The bucket of the cell each point stands in: sorted by it, and with hash_starts, points become an "
        "index that hash_count, hash_gather, hash_nearest, hash_repel and hash_hook search.",
    .source =
        "Teschner et al. 2003, Optimized Spatial Hashing for Collision Detection of Deformable Objects; "
        "the hash of a row is pcg2d (Jarzynski and Olano 2020)",
    .gpu = "exact: one product rounded, then whole numbers",
    .bindings = { { .name = "pts",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .count = "n",
                    .doc =
                        "The points. One with NaN or an infinity has a bucket too, and is near to nothing." },
                  { .name = "keys",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .doc = "Each point's bucket; 2147483647 past the live count." },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "buckets",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 1,
                  .high = MR_HASH_BUCKETS_MOST,
                  .doc = "How many buckets there are, a power of two; about as many as points is good." },
                { .name = "inv_cell",
                  .type = MR_F32,
                  .value = NAN,
                  .low = FLT_MIN,
                  .high = FLT_MAX,
                  .doc = "1 over a cell's side, in 1 / metres. Cells a radius wide search best." } },
    .specializations = { MR_KERNEL_COUNT },
    .run = run,
};
