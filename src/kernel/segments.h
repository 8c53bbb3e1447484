// kernel/segments.h: a run of elements cut into groups, as the folding kernels take it.
//
// Group g holds the elements from starts[g] up to starts[g + 1], the last one up to the run's end. Starts never fall;
// one past the end of the run stands at it, so that what follows the live elements is empty. Elements before the first
// start are in no group.

#ifndef MARRAM_KERNEL_SEGMENTS_H
#define MARRAM_KERNEL_SEGMENTS_H

#include "kernel/kernel.h"

typedef struct mr_segments {
    const uint32_t *starts; // NULL: the whole run is one group
    size_t count;           // groups; there may be none
    size_t elements;
} mr_segments;

static inline size_t mr_segment_begin(const mr_segments *segments, size_t group)
{
    size_t start = segments->starts ? segments->starts[group] : 0;
    return start < segments->elements ? start : segments->elements;
}

static inline size_t mr_segment_end(const mr_segments *segments, size_t group)
{
    return group + 1 < segments->count ? mr_segment_begin(segments, group + 1) : segments->elements;
}

// Where a kernel has what says its groups, by number.
typedef struct mr_segment_places {
    uint32_t starts;        // binding
    uint32_t segments;      // param: how many groups; 0: the whole run is one
    int32_t segment_count;  // binding of SEGMENTS=device, or -1
    int32_t specialization; // SEGMENTS, or -1
} mr_segment_places;

// A call's groups. *longest is how many elements the largest holds. Errors: starts that is not bound and is needed, or
// that falls; MR_CANCELLED.
bool mr_segments_of(const mr_kernel_call *call, mr_segment_places places, mr_segments *segments,
                    size_t *longest, mr_error *error);

// How many groups a thread takes at a time, for groups of all sizes up to `longest`.
size_t mr_segments_grain(const mr_segments *segments);

#endif
