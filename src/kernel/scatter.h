// kernel/scatter.h: elements folded into the places that a run of indices names.

#ifndef MARRAM_KERNEL_SCATTER_H
#define MARRAM_KERNEL_SCATTER_H

#include "base/context.h"

// How elements that meet in a place become one; a place nothing reached holds zeros.
//   ADD   f32: +0, then each element added in the order of the source. i32: modulo 2^32.
//   MIN, MAX  lane by lane; of floats in the order of their words: -0 is below +0, NaN is greater than +infinity.
//   MEAN  f32: the sum as above over the number of elements. i32: the true sum over it, rounded toward 0.
//   SET   the element with the greatest source index.
typedef enum mr_place_rule {
    MR_PLACE_ADD,
    MR_PLACE_MIN,
    MR_PLACE_MAX,
    MR_PLACE_MEAN,
    MR_PLACE_SET
} mr_place_rule;

typedef enum mr_place_stage {
    MR_PLACE_INIT = 1,  // places are made empty
    MR_PLACE_WORK = 2,  // elements are folded in
    MR_PLACE_FINISH = 4 // means are divided, and places nothing reached become zeros
} mr_place_stage;

typedef struct mr_place_fold {
    mr_place_rule fold;
    bool whole_numbers; // elements are i32 (or u32, for all but MIN, MAX and MEAN), else f32
    bool
        exact; // f32 ADD and MEAN: each number is rounded to a multiple of 1 / scale (ties to even; held to the i32 there
    // are of these; NaN to 0), summed as an i32 modulo 2^32, and the sum is divided by scale again
    float scale;          // more than 0
    const uint32_t *from; // count elements of `words`
    const int32_t *index; // count: the place of each; one outside 0 .. places - 1 is skipped
    size_t count, words;
    uint32_t *to;  // places elements
    int32_t *hits; // places: elements folded into each
    int32_t *last; // places: one more than the greatest source index that reached it, 0 for none
    size_t places;
} mr_place_fold;

// Runs the stages, one behind the other. A stage left out was or will be run by another call over the same arrays; then
// the sums between are held in `to`: those of an i32 MEAN modulo 2^32, and EXACT needs all three at once. The answer
// does not depend on the threads: every place is folded by one, in the order of the source. Errors: MR_LIMIT (memory),
// MR_OUT_OF_MEMORY, MR_CANCELLED; the places are then undefined.
bool mr_fold_into_places(mr_context *context, const mr_place_fold *scatter, unsigned stages, mr_error *error);

#endif
