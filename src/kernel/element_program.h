// kernel/element_program.h: the interface through which a kernel runs an expression over elements. The field floor, above, fills
// it in.

#ifndef MARRAM_KERNEL_ELEMENT_PROGRAM_H
#define MARRAM_KERNEL_ELEMENT_PROGRAM_H

#include "data/column.h"

// What is the same for a run of elements: where the kernel stands. A program reads what its leaves name and no more.
typedef struct mr_program_lanes {
    size_t first; // the run is elements first .. first + count - 1
    size_t count;
    const uint32_t *ids; // or NULL: the elements' own numbers. `id` of lane i is ids[i]
    const float
        *position;      // 3 words a lane; NULL: none, and a program that reads it is refused before it runs
    const float *state; // a walk's state: `width` words a lane
    uint32_t width;
    uint32_t step; // a walk's step number
} mr_program_lanes;

typedef struct mr_element_program {
    mr_column_type type; // what it answers, an element
    void *self;
    bool needs_position, needs_state;
    size_t
        elements; // of the columns it reads, the shortest (a read past a column's end reads its last element); SIZE_MAX: none
    // Writes count elements of `type` to out, packed. Called from any thread. Answers are pure functions of the lane.
    bool (*run)(const struct mr_element_program *program, const mr_program_lanes *lanes, void *out,
                mr_error *error);
} mr_element_program;

// A program's answers for elements 0 .. count - 1, not yet published. NULL with an error: MR_BAD_INPUT for a program that
// reads a position or a walk's state, which are not to be had here, and what the program itself fails with.
mr_column *mr_element_program_column(mr_context *context, const mr_element_program *program, size_t count,
                                     mr_error *error);

#endif
