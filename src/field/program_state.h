// field/program_state.h: a finished program, between what builds it and what runs it.

#ifndef MARRAM_FIELD_PROGRAM_STATE_H
#define MARRAM_FIELD_PROGRAM_STATE_H

#include "field/program.h"

// What an instruction does beside the operations.
enum {
    PROGRAM_CALL =
        MR_OP_COUNT,   // operands: the call's number, the first of its registers in `lists`, its first result
    PROGRAM_DRAW_UNIT, // stream
    PROGRAM_DRAW_BELOW, // stream, n
    PROGRAM_STOP,       // message
    PROGRAM_SKIP,       // condition, the instruction to go to when no lane wants it
};

typedef struct program_place {
    const char *file;
    uint32_t line, column;
} program_place;

// Operands are slots, but where the list above says otherwise.
typedef struct program_instruction {
    uint32_t code;
    uint32_t result;
    uint32_t operands[MR_OPERANDS_MAX];
    program_place place;
} program_instruction;

typedef struct program_slot {
    mr_lane lane;
    size_t offset; // in bytes a lane, from the start of the run's memory
} program_slot;

typedef struct program_constant {
    uint32_t slot;
    mr_lane_value value;
} program_constant;

typedef struct program_input {
    uint32_t slot;
    uint32_t index;
} program_input;

typedef struct program_message {
    const char *message, *hint;
} program_message;

struct mr_program {
    mr_context *context;
    mr_arena arena; // all that follows
    program_instruction *instructions;
    size_t instruction_count;
    program_slot *slots;
    size_t slot_count;
    size_t lane_bytes; // of all slots
    program_constant *constants;
    size_t constant_count;
    program_input *inputs;
    size_t input_count;
    uint32_t inputs_needed; // one more than the greatest index
    uint32_t streams_needed;
    mr_external *calls;
    uint32_t *lists;
    program_message *messages;
    uint32_t *outputs; // slots
    size_t output_count;
    bool draws;
    bool is_constant;
    mr_lane_value constant;
};

static inline size_t program_lane_size(mr_lane lane)
{
    return lane == MR_LANE_I64 ? sizeof(int64_t) : sizeof(float);
}

#endif
