// kernel/segments.c: the groups a kernel's call states.

#include "kernel/segments.h"

#include "base/thread.h"

#include <stdatomic.h>

typedef struct job {
    const mr_kernel_call *call;
    const mr_segments *segments;
    const char *binding;
    atomic_size_t longest;
} job;

static bool check_groups(void *argument, size_t begin, size_t end, mr_error *error)
{
    job *j = argument;
    const uint32_t *starts = j->segments->starts;
    size_t longest = 0;
    for (size_t group = begin; group < end; group++) {
        if (group > 0 && starts[group] < starts[group - 1]) {
            return mr_kernel_refuse(error, j->call->kernel, j->binding,
                                    "falls at group %zu: %u comes after %u", group, starts[group],
                                    starts[group - 1]);
        }
        size_t own = mr_segment_end(j->segments, group) - mr_segment_begin(j->segments, group);
        longest = own > longest ? own : longest;
    }
    size_t seen = atomic_load_explicit(&j->longest, memory_order_relaxed);
    while (longest > seen && !atomic_compare_exchange_weak(&j->longest, &seen, longest)) {
    }
    return true;
}

bool mr_segments_of(const mr_kernel_call *call, mr_segment_places places, mr_segments *segments,
                    size_t *longest, mr_error *error)
{
    size_t count = call->params[places.segments].u32;
    const mr_kernel_slot *starts = &call->slots[places.starts];
    bool device = places.specialization >= 0 && call->choices[places.specialization] == 1;
    *segments = (mr_segments){ NULL, 1, call->live };
    *longest = call->live;
    if (count == 0 && !device) {
        return true;
    }
    const char *binding = call->kernel->bindings[places.starts].name;
    if (!starts->data && count > 0) {
        return mr_kernel_refuse(error, call->kernel, binding, "is not bound; it says where %zu groups start",
                                count);
    }
    if (device) {
        size_t stated = call->slots[places.segment_count].u32[0];
        count = stated < count ? stated : count;
    }
    *segments = (mr_segments){ starts->u32, count, call->live };
    job j = { .call = call, .segments = segments, .binding = binding };
    atomic_init(&j.longest, 0);
    bool good = mr_parallel_for(call->context, count, 1 << 16, check_groups, &j, error);
    *longest = atomic_load(&j.longest);
    return good;
}

size_t mr_segments_grain(const mr_segments *segments)
{
    enum { ELEMENTS = 1 << 14 };
    return 1 + segments->count * ELEMENTS / (segments->count + segments->elements + 1);
}
