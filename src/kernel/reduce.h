// kernel/reduce.h: a run of elements folded to one a group.
//
// The order of combination, the same whatever the threads, the vectors' width and the memory:
//
//   A group's elements are cut from its first on into blocks of 16,384, and a block into rows of 64. Lane k of 64 folds
//   the block's elements k, k + 64, k + 128, ... in that order; then, for half = 32, 16, 8, 4, 2, 1, lane k takes lane
//   k + half behind it: x = x + other. What there is nothing of is left out. The blocks' folds are a run again, and
//   are folded in the same way until one is left.
//
// The error of a float sum of n elements is within (256 + 6) (levels) 2^-24 times the sum of the magnitudes, where there
// are as many levels as times n can be divided by 16,384 (rounding up) until 1 is left. Whole numbers wrap modulo 2^32;
// they, min and max come to the same in any order. Of floats min and max take -0 below +0 and pass over a NaN: the
// answer is a NaN only where there is nothing else. A NaN in a sum makes it NaN.
//
// The mean of floats is the sum divided by the count rounded to f32; that of whole numbers is their exact sum (64 bits)
// divided by the count, rounded toward 0.

#ifndef MARRAM_KERNEL_REDUCE_H
#define MARRAM_KERNEL_REDUCE_H

#include "kernel/segments.h"

typedef enum mr_reduce_fold {
    MR_REDUCE_ADD,
    MR_REDUCE_MIN,
    MR_REDUCE_MAX,
    MR_REDUCE_MEAN,
    MR_REDUCE_COUNT,
    MR_REDUCE_ARGMIN, // the first element that no other is below
    MR_REDUCE_ARGMAX
} mr_reduce_fold;

typedef struct mr_reduce_run {
    mr_reduce_fold fold;
    mr_element element; // MR_F32, or MR_I32 for whole numbers of any kind
    uint32_t lanes;     // 1 to 4: words an element, each folded by itself
    const void *from;
    mr_segments segments;
    size_t longest; // elements of the largest group
    void *to;       // an element a group: the fold; 0 for an empty group. Of argmin and argmax the one picked
    int32_t *picked; // a word a group, or NULL: the number of the element picked; -1 where none is
} mr_reduce_run;

// Folds every group. argmin goes through a group in order and picks an element that beats the one picked before it in
// every lane, beginning with the first: a lane beats by being less (argmax: greater), or by being a number where the
// other is NaN; -0 and +0 are equal. Of one lane that is the first of the least. Errors: MR_OUT_OF_MEMORY, MR_LIMIT
// (memory), MR_CANCELLED.
bool mr_reduce(mr_context *context, const mr_reduce_run *run, mr_error *error);

#endif
