// kernel/walk.h: walkers that each take dependent steps.
//
// A walker's state is 1 to 8 floats. Before step k it may stop; else its next state is worked from the state, k and the
// walker's number alone, so that walkers meet nothing of each other and no split or order shows.

#ifndef MARRAM_KERNEL_WALK_H
#define MARRAM_KERNEL_WALK_H

#include "base/context.h"
#include "kernel/element_program.h"

enum { MR_WALK_WIDTH_MAX = 8 };

// Everything is borrowed. Programs read the state, the step number and the walker's number as `id`; positions there are
// none. Past the step after which a walker stopped its rows of `path` repeat the state it stopped in.
typedef struct mr_walk {
    size_t walkers;
    uint32_t steps, width; // width 1 to 8
    const float *start;    // width floats a walker
    const mr_element_program
        *step; // lanes 0 to 3 of the next state, 1 to 4 floats (0 where it has fewer); NULL: advance
    const mr_element_program *step_hi; // lanes 4 to 7; NULL: they stay
    const mr_element_program *done; // whether the walker stops before the step: one word, not 0; NULL: never
    float advance[4];
    float *finish;       // width floats a walker
    float *path;         // row k of walker i, the state after step k, at (i * steps + k) * width
    uint32_t *steps_run; // a walker's steps before it stopped
} mr_walk;

// Whether the programs' types fit; the error names the binding of the kernel `walk` at fault.
bool mr_walk_check(const mr_walk *walk, mr_error *error);
// Errors: mr_walk_check's, the programs' own, MR_CANCELLED.
bool mr_walk_run(mr_context *context, const mr_walk *walk, mr_error *error);

// The constant step: a state's first lanes moved by a vector.
static inline void mr_walk_advance(float *state, uint32_t width, const float advance[4])
{
    for (uint32_t l = 0; l < width && l < 4; l++) {
        state[l] += advance[l];
    }
}

#endif
