// kernel/compact.c: a keep mask turned into the kept elements' numbers.
//
// Blocks are counted, placed one after another, and then each writes its own places.

#include "kernel/compact.h"

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/kernel.h"

#include <string.h>

enum { BLOCK = 1 << 13 };

typedef struct job {
    const uint32_t *keep;
    size_t count;
    mr_compact_answer answer;
    size_t *places; // one a block: how many it keeps; then its first place
} job;

static size_t block_size(const job *j, size_t block)
{
    size_t left = j->count - block * BLOCK;
    return left < BLOCK ? left : BLOCK;
}

static bool count_blocks(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t block = begin; block < end; block++) {
        const uint32_t *keep = j->keep + block * BLOCK;
        size_t size = block_size(j, block);
        uint32_t kept = 0;
        for (size_t i = 0; i < size; i++) {
            kept += keep[i] != 0;
        }
        j->places[block] = kept;
    }
    return true;
}

// Without a branch on the mask, which nothing could foresee: every number is written, and stays where it is kept.
static uint32_t list_block(const uint32_t *keep, size_t size, uint32_t first, uint32_t *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < size; i++) {
        list[kept] = first + i;
        kept += keep[i] != 0;
    }
    return kept;
}

static void invert_block(const uint32_t *keep, size_t size, uint32_t place, uint32_t *inverse)
{
    for (size_t i = 0; i < size; i++) {
        uint32_t is_kept = keep[i] != 0;
        inverse[i] = is_kept ? place : UINT32_MAX;
        place += is_kept;
    }
}

static bool place_blocks(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_compact_answer *answer = &j->answer;
    uint32_t list[BLOCK];
    (void)error;
    for (size_t block = begin; block < end; block++) {
        const uint32_t *keep = j->keep + block * BLOCK;
        size_t size = block_size(j, block), place = j->places[block];
        size_t kept = list_block(keep, size, (uint32_t)(block * BLOCK), list);
        size_t room = place < answer->room ? answer->room - place : 0;
        size_t fits = kept < room ? kept : room;
        if (fits > 0) {
            memcpy(answer->indices + place, list, fits * sizeof *list);
        }
        if (answer->inverse) {
            invert_block(keep, size, (uint32_t)place, answer->inverse + block * BLOCK);
        }
    }
    return true;
}

bool mr_compact(mr_context *context, const uint32_t *keep, size_t count, const mr_compact_answer *answer,
                size_t *kept, mr_error *error)
{
    if (count == 0) {
        *kept = 0;
        return true;
    }
    size_t blocks = (count + BLOCK - 1) / BLOCK, at = answer->first;
    job j = { keep, count, *answer, mr_buffer_take(context, blocks * sizeof(size_t), error) };
    if (!j.places) {
        return false;
    }
    bool good = mr_parallel_for(context, blocks, 8, count_blocks, &j, error);
    for (size_t block = 0; good && block < blocks; block++) {
        size_t own = j.places[block];
        j.places[block] = at;
        at += own;
    }
    if (good && at > INT32_MAX) {
        good = mr_fail(error, MR_LIMIT, "%zu elements are kept, past the %d that indices can hold", at,
                       INT32_MAX);
    }
    good = good && mr_parallel_for(context, blocks, 8, place_blocks, &j, error);
    mr_buffer_release(context, j.places);
    if (good) {
        *kept = at - answer->first;
    }
    return good;
}

bool mr_compact_indices(mr_context *context, const uint32_t *keep, size_t count, uint32_t *indices,
                        size_t *kept, mr_error *error)
{
    mr_compact_answer answer = { .indices = indices, .room = count };
    return mr_compact(context, keep, count, &answer, kept, error);
}

// The kernel.

enum { MASK, INDICES, INVERSE };

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *indices = &call->slots[INDICES], *inverse = &call->slots[INVERSE];
    mr_compact_answer answer = { indices->u32, indices->count, *indices->counter, inverse->u32 };
    size_t kept;
    if (!mr_compact(call->context, call->slots[MASK].u32, call->live, &answer, &kept, error)) {
        return mr_fail_prefix(error, "kernel %s: binding indices", call->kernel->name);
    }
    size_t end = answer.first + kept;
    *indices->counter = (uint32_t)end;
    if (end < answer.room) {
        memset(indices->u32 + end, 0xff, (answer.room - end) * sizeof(uint32_t));
    }
    memset(inverse->u32 + call->live, 0xff, (call->n - call->live) * sizeof(uint32_t));
    return true;
}

const mr_kernel mr_kernel_compact = {
    .name = "compact",
    .summary = "Lists the elements a mask keeps, in order, and says of every element which of them it is.",
    .determinism = MR_EXACT,
    .gpu = "exact: whole numbers; counts of blocks, their running sum, then each block its own places",
    .bindings = { { .name = "mask",
                    .access = MR_READ,
                    .element = MR_TAKES_WORD,
                    .count = "n",
                    .doc = "An element is kept unless its word is 0. The words are looked at as they are: a "
                           "Float's -0 and NaN keep." },
                  { .name = "indices",
                    .access = MR_APPEND,
                    .element = MR_TAKES_I32,
                    .doc =
                        "The numbers of the kept elements, rising; -1 past them. Its count is how many are "
                        "kept." },
                  { .name = "inverse",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .doc = "Where in indices an element stands; -1 where it is not kept." },
                  MR_KERNEL_DOMAIN_COUNT },
    .specializations = { MR_KERNEL_COUNT },
    .run = run,
};
