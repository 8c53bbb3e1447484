// field/program_move.h: words on their way into a program's lanes and out of them.

#ifndef MARRAM_FIELD_PROGRAM_MOVE_H
#define MARRAM_FIELD_PROGRAM_MOVE_H

#include "field/program_state.h"

enum { PROGRAM_GROUP_MAX = 4 };

// What an instruction set has. A group is the words of a vector that stand side by side, taken apart or put together in
// one pass; groups are of 2 to 4.
typedef struct program_moves {
    void (*take[PROGRAM_GROUP_MAX + 1])(uint32_t *const *out, const uint32_t *from, size_t count);
    void (*take_one)(uint32_t *out, const uint32_t *from, size_t stride,
                     size_t count); // every stride-th word
    void (*gather)(uint32_t *out, const uint32_t *from, const uint32_t *places, size_t count);
    // Floats handed on: any NaN becomes the canonical one.
    void (*put[PROGRAM_GROUP_MAX + 1])(uint32_t *to, const uint32_t *const *from, size_t count);
    void (*put_one)(uint32_t *to, const uint32_t *from, size_t stride, size_t count);
} program_moves;

const program_moves *program_moves_of(mr_isa isa);

// A run of a program, from its first block to its last.
typedef struct program_run {
    mr_context *context;
    const mr_program *program;
    const mr_program_run_data *data;
    const mr_operation_block *operations;
    const program_moves *moves;
    unsigned char *memory;
    size_t block; // lanes the memory is laid out for
    // Where each slot's lanes are: in the memory, or in the caller's own arrays.
    void **slots;
} program_run;

// Puts every slot in the memory, and what does not change from block to block into them.
void program_prepare(const program_run *r);
// Brings the inputs of the lanes from `begin` of the run on.
void program_bring(const program_run *r, size_t begin, size_t count);
// Hands the outputs on; any NaN becomes the canonical one.
void program_store(const program_run *r, size_t begin, size_t count);

#endif
