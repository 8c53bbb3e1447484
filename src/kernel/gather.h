// kernel/gather.h: elements picked by a run of indices.

#ifndef MARRAM_KERNEL_GATHER_H
#define MARRAM_KERNEL_GATHER_H

#include "base/context.h"

// to[i] = from[index[i]] for i below count, elements of `words` 32-bit words (1 or more), `held` of them in from. An index
// below 0 or not below held gives zeros. to may overlap neither from nor index. Errors: MR_CANCELLED.
bool mr_gather(mr_context *context, const uint32_t *from, size_t held, size_t words, const int32_t *index,
               size_t count, uint32_t *to, mr_error *error);

#endif
