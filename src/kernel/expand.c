// kernel/expand.c: a count per element turned into that many slots.
//
// A run of slots finds its first element by bisection and then goes from element to element, so that what is written
// is written in order and what is read is read once.

#include "base/thread.h"
#include "kernel/kernel.h"

#include <string.h>

enum { COUNTS, OFFSETS, OWNER, LOCAL_INDEX, ELEMENT_COUNT, DOMAIN_COUNT };
enum { FORM_COUNT, FORM_ELEMENTS };
enum { PLAIN, DEVICE };
enum { GRAIN = 1 << 14 };

typedef struct job {
    const mr_kernel_call *call;
    const uint32_t *offsets;
    size_t elements;
    size_t room;  // slots that owner can take
    size_t slots; // that are filled
    uint32_t *owner, *local_index;
} job;

// Every element must begin where the one before it ends: what offsets says decides where things are written.
static bool check_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const int32_t *counts = j->call->slots[COUNTS].i32;
    for (size_t i = begin; i < end; i++) {
        uint64_t before = i == 0 ? 0 : (uint64_t)j->offsets[i - 1] + (uint32_t)counts[i - 1];
        if (counts[i] < 0) {
            return mr_kernel_refuse(error, j->call->kernel, "counts", "is %d at element %zu", counts[i], i);
        }
        if (j->offsets[i] != before) {
            return mr_kernel_refuse(error, j->call->kernel, "offsets",
                                    "is %u at element %zu; the counts before it come to %llu", j->offsets[i],
                                    i, (unsigned long long)before);
        }
    }
    return true;
}

// The last element that begins at or before the slot: elements without slots begin where the next one does.
static size_t element_of(const job *j, size_t slot)
{
    size_t low = 0, high = j->elements;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (j->offsets[middle] <= slot) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void fill_slots(const job *j, size_t begin, size_t end)
{
    size_t element = element_of(j, begin);
    for (size_t slot = begin; slot < end; element++) {
        size_t first = j->offsets[element];
        size_t next = element + 1 < j->elements ? j->offsets[element + 1] : j->slots;
        next = next < end ? next : end;
        for (; slot < next; slot++) {
            j->owner[slot] = (uint32_t)element;
            j->local_index[slot] = (uint32_t)(slot - first);
        }
    }
}

// A run of the n slots; those past the last that is filled hold -1.
static bool fill_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    size_t filled = end < j->slots ? end : j->slots > begin ? j->slots : begin;
    if (begin < filled) {
        fill_slots(j, begin, filled);
    }
    memset(j->local_index + filled, 0xff, (end - filled) * sizeof(uint32_t));
    size_t room = end < j->room ? end : j->room;
    if (filled < room) {
        memset(j->owner + filled, 0xff, (room - filled) * sizeof(uint32_t));
    }
    return true;
}

static size_t element_count(const mr_kernel_call *call)
{
    size_t held = call->slots[COUNTS].count;
    if (call->choices[FORM_ELEMENTS] == DEVICE) {
        size_t stated = call->slots[ELEMENT_COUNT].u32[0];
        return stated < held ? stated : held;
    }
    if (call->choices[FORM_COUNT] == DEVICE) {
        size_t stated = call->slots[DOMAIN_COUNT].u32[0];
        return stated < held ? stated : held;
    }
    return held;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *owner = &call->slots[OWNER], *counts = &call->slots[COUNTS];
    size_t base = *owner->counter;
    job j = { .call = call,
              .offsets = call->slots[OFFSETS].u32,
              .elements = element_count(call),
              .room = owner->count - base,
              .owner = owner->u32 + base,
              .local_index = call->slots[LOCAL_INDEX].u32 };
    if (!mr_parallel_for(call->context, j.elements, GRAIN, check_run, &j, error)) {
        return false;
    }
    size_t last = j.elements - 1;
    uint64_t sum = j.elements ? (uint64_t)j.offsets[last] + counts->u32[last] : 0;
    j.room = j.room < call->n ? j.room : call->n;
    j.slots = sum < j.room ? (size_t)sum : j.room;
    uint64_t stated = base + (call->choices[FORM_COUNT] == DEVICE ? sum : j.slots);
    if (stated > UINT32_MAX) {
        return mr_fail(error, MR_LIMIT,
                       "kernel %s: binding counts comes to %llu, past what 32 bits can state",
                       call->kernel->name, (unsigned long long)stated);
    }
    if (!mr_parallel_for(call->context, call->n, GRAIN, fill_run, &j, error)) {
        return false;
    }
    *owner->counter = (uint32_t)stated;
    size_t end = base + j.room;
    memset(owner->u32 + end, 0xff, (owner->count - end) * sizeof(uint32_t));
    return true;
}

const mr_kernel mr_kernel_expand = {
    .name = "expand",
    .summary = "Gives every element as many slots as it counts, and says of each slot whose it is.",
    .determinism = MR_EXACT,
    .gpu = "exact: whole numbers; every slot finds its element by bisection",
    .bindings = { { .name = "counts",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc = "How many slots an element takes: 0 or more." },
                  { .name = "offsets",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "counts",
                    .doc = "The exclusive running sum of counts; anything else is refused." },
                  { .name = "owner",
                    .access = MR_APPEND,
                    .element = MR_TAKES_I32,
                    .doc = "The element a slot belongs to; -1 past the last. Its count is the sum of counts: "
                           "over a plain number held to n, over a live count as it is." },
                  { .name = "local_index",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .doc = "A slot's place among its element's own, from 0; -1 past the last slot." },
                  { .name = "element_count",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "1",
                    .when = "ELEMENTS=device",
                    .doc = "How many elements counts and offsets hold, whatever n covers." },
                  MR_KERNEL_DOMAIN_COUNT },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "ELEMENTS",
                           .options = "plain device",
                           .doc =
                               "device: element_count says how many elements there are. plain: the domain's "
                               "live count does, or all that counts holds over a plain number." } },
    .run = run,
};
