// kernel/sort.c: the order of a column's elements.

#include "kernel/sort.h"

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/kernel.h"
#include "kernel/order_key.h"

enum { GRAIN = 1 << 15 };
enum { KEYS, PERM };
enum { DESCENDING };

typedef struct job {
    const uint32_t *words;
    mr_element element;
    uint32_t flip; // all bits: from the greatest key down
    uint32_t *keys;
    int32_t *perm;
} job;

static bool make_keys(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const uint32_t *restrict words = j->words;
    uint32_t *restrict keys = j->keys;
    const uint32_t flip = j->flip;
    (void)error;
    if (j->element == MR_F32) {
        for (size_t i = begin; i < end; i++) {
            keys[i] = mr_sort_key(words[i], true) ^ flip;
        }
    } else {
        const uint32_t sign = j->element == MR_I32 ? 0x80000000u ^ flip : flip;
        for (size_t i = begin; i < end; i++) {
            keys[i] = words[i] ^ sign;
        }
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots;
    size_t live = call->live;
    job j = { .words = slots[KEYS].u32,
              .element = slots[KEYS].element,
              .flip = call->params[DESCENDING].u32 ? UINT32_MAX : 0u,
              .perm = slots[PERM].i32 };
    j.keys = mr_buffer_take(call->context, live * sizeof *j.keys, error);
    bool good = j.keys && mr_parallel_for(call->context, live, GRAIN, make_keys, &j, error) &&
                mr_sort_permutation(call->context, j.keys, live, 32, slots[PERM].u32, error);
    mr_buffer_release(call->context, j.keys);
    for (size_t i = live; good && i < call->n; i++) {
        j.perm[i] = (int32_t)i;
    }
    return good;
}

const mr_kernel mr_kernel_sort = {
    .name = "sort",
    .summary = "The stable order of a column's elements: the index of the element that comes first, second, "
               "and so on.",
    .source = "Knuth, The Art of Computer Programming 3, 5.2.5",
    .determinism = MR_EXACT,
    .gpu = "exact: a stable order is a function of the keys",
    .bindings = { { .name = "keys",
                    .access = MR_READ,
                    .element = MR_TAKES_T,
                    .count = "n",
                    .doc = "what the elements are ordered by; -0 and +0 are one key, NaN is greater than "
                           "+infinity" },
                  { .name = "perm",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "indices in the order of their keys, equal keys in their own order either way; a "
                           "slot "
                           "past the live ones holds itself" },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "descending",
                  .type = MR_U32,
                  .value = 0,
                  .low = 0,
                  .high = 1,
                  .doc = "1: from the greatest key down" } },
    .specializations = { { .name = "KEY",
                           .options = "f32 i32 u32",
                           .doc = "the number a key is; left out, that of the column" },
                         MR_KERNEL_COUNT },
    .run = run,
};
