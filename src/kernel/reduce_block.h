// kernel/reduce_block.h: one block of a reduction. Shared by reduce_run.c and reduce.isa.c alone.

#ifndef MARRAM_KERNEL_REDUCE_BLOCK_H
#define MARRAM_KERNEL_REDUCE_BLOCK_H

#include "kernel/fold_word.h"

enum { MR_REDUCE_ROW = 64, MR_REDUCE_BLOCK = 16384 };

// A word by which elements beat one another: -0 and +0 are the same.
static inline int32_t mr_beat_word(mr_fold_mode mode, int32_t bits)
{
    bool zero = bits == INT32_MIN && (mode == MR_FOLD_MIN_F32 || mode == MR_FOLD_MAX_F32);
    return mr_fold_word(mode, zero ? 0 : bits);
}

typedef struct mr_reduce_kernels {
    // The fold of a block of 1 to MR_REDUCE_BLOCK elements, as it is answered, a word a lane, in the order of reduce.h.
    void (*fold[MR_FOLD_MODES])(const int32_t *from, size_t count, uint32_t lanes, int32_t *fold);
    // Of min and max: the best beat word of each lane.
    void (*best[MR_FOLD_MODES])(const int32_t *from, size_t count, uint32_t lanes, int32_t *best);
    // The exact sum of each lane's whole numbers.
    void (*sum)(const int32_t *from, size_t count, uint32_t lanes, int64_t *sum);
} mr_reduce_kernels;

#endif
