// kernel/compact.h: the elements that are kept, and where each of them went.

#ifndef MARRAM_KERNEL_COMPACT_H
#define MARRAM_KERNEL_COMPACT_H

#include "base/context.h"

// What is written where. A place is one of `indices`; the first element kept gets place `first`.
typedef struct mr_compact_answer {
    uint32_t *indices; // the kept elements' numbers, in order
    size_t room;       // places there are: what would go past them is left out
    size_t first;
    uint32_t *inverse; // NULL, or an element's place, UINT32_MAX (-1) for one that is not kept
} mr_compact_answer;

// Keeps the elements whose word is not 0: in order, whatever the threads. *kept is how many they are, those past the
// room counted too. Places past the last one written are left alone. Errors: MR_LIMIT when a place would not fit 31
// bits, MR_OUT_OF_MEMORY, MR_CANCELLED.
bool mr_compact(mr_context *context, const uint32_t *keep, size_t count, const mr_compact_answer *answer,
                size_t *kept, mr_error *error);

// The same with room for all and no inverse: indices has `count` places. indices may not be keep.
bool mr_compact_indices(mr_context *context, const uint32_t *keep, size_t count, uint32_t *indices,
                        size_t *kept, mr_error *error);

#endif
