// kernel/sort.h: the stable order of a run of keys.

#ifndef MARRAM_KERNEL_SORT_H
#define MARRAM_KERNEL_SORT_H

#include "base/context.h"

// Writes to permutation, count places, the index of the key that comes first, second, ... by the low `bits` bits (0 to
// 32) of the keys, ascending; keys equal in those bits keep their order. A pure function of the keys, whatever the
// threads. permutation may not overlap keys. A radix sort from the least significant digit up (Knuth, TAOCP 3, 5.2.5)
// over the bits in which any two keys differ, so narrow keys take fewer passes, and keys already in order one reading.
// Scratch: 8 bytes a key, 16 where it takes three passes or more. Errors: MR_LIMIT (more keys than 32 bits can index,
// memory), MR_OUT_OF_MEMORY, MR_CANCELLED; permutation is then undefined. Called from any thread.
bool mr_sort_permutation(mr_context *context, const uint32_t *keys, size_t count, unsigned bits,
                         uint32_t *permutation, mr_error *error);

// Deals keys to buckets by key >> shift, which must be below `buckets`: a power of two up to MR_SORT_BUCKETS. pairs, of
// count, are index << 32 | key, those of bucket b from starts[b] to starts[b + 1] in the order of the keys; starts has
// buckets + 1. pairs is aligned to 64 bytes. Errors as above.
enum { MR_SORT_BUCKETS = 1 << 11 };
bool mr_sort_partition(mr_context *context, const uint32_t *keys, size_t count, unsigned shift,
                       size_t buckets, uint64_t *pairs, size_t *starts, mr_error *error);

#endif
