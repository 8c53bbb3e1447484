// kernel/scan_counts.c: the running sum of counts, which says where each one's run begins.
//
// The sums of blocks first, in 64 bits, so that what does not fit is found before anything is written; then every block
// is scanned from where the blocks before it end.

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/scan.h"

enum { BLOCK = 1 << 15 };

typedef struct job {
    const uint32_t *counts;
    uint32_t *offsets;
    size_t count;
    uint64_t *sums; // one a block; then where the block begins
} job;

static size_t block_size(const job *j, size_t block)
{
    size_t left = j->count - block * BLOCK;
    return left < BLOCK ? left : BLOCK;
}

static bool sum_blocks(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t block = begin; block < end; block++) {
        const uint32_t *counts = j->counts + block * BLOCK;
        size_t size = block_size(j, block);
        uint64_t sum = 0;
        for (size_t i = 0; i < size; i++) {
            sum += counts[i];
        }
        j->sums[block] = sum;
    }
    return true;
}

static bool scan_blocks(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t block = begin; block < end; block++) {
        const uint32_t *counts = j->counts + block * BLOCK;
        uint32_t *offsets = j->offsets + block * BLOCK;
        size_t size = block_size(j, block);
        uint32_t at = (uint32_t)j->sums[block];
        for (size_t i = 0; i < size; i++) {
            uint32_t own = counts[i];
            offsets[i] = at;
            at += own;
        }
    }
    return true;
}

// Turns the blocks' sums into where they begin; answers the sum of all.
static uint64_t place_blocks(uint64_t *sums, size_t blocks)
{
    uint64_t at = 0;
    for (size_t block = 0; block < blocks; block++) {
        uint64_t own = sums[block];
        sums[block] = at;
        at += own;
    }
    return at;
}

bool mr_scan_counts(mr_context *context, const uint32_t *counts, size_t count, uint32_t *offsets,
                    uint64_t *total, mr_error *error)
{
    size_t blocks = (count + BLOCK - 1) / BLOCK;
    job j = { counts, offsets, count, NULL };
    if (count > 0) {
        j.sums = mr_buffer_take(context, blocks * sizeof *j.sums, error);
        if (!j.sums) {
            return false;
        }
    }
    bool good = mr_parallel_for(context, blocks, 4, sum_blocks, &j, error);
    uint64_t sum = good ? place_blocks(j.sums, blocks) : 0;
    if (good && count > 0 && sum - counts[count - 1] > UINT32_MAX) {
        good = mr_fail(error, MR_LIMIT, "the counts come to %llu, past what 32-bit offsets can hold",
                       (unsigned long long)sum);
    }
    good = good && mr_parallel_for(context, blocks, 4, scan_blocks, &j, error);
    if (good && total) {
        *total = sum;
    }
    mr_buffer_release(context, j.sums);
    return good;
}
