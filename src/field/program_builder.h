// field/program_builder.h: a program under construction.

#ifndef MARRAM_FIELD_PROGRAM_BUILDER_H
#define MARRAM_FIELD_PROGRAM_BUILDER_H

#include "base/array.h"
#include "field/program_state.h"

typedef enum register_kind { REGISTER_CONSTANT, REGISTER_INPUT, REGISTER_WORKED } register_kind;

typedef struct register_about {
    mr_lane lane;
    register_kind kind;
    mr_lane_value value; // of a constant
    uint32_t index;      // of an input
} register_about;

// An instruction under construction; operands are registers. `region` is the condition it stands in.
typedef struct draft {
    program_instruction instruction;
    uint32_t region;
    uint32_t next; // in its bucket; one more than the number
} draft;

typedef struct region {
    uint32_t outer;
    uint32_t skip; // its PROGRAM_SKIP
    bool open;
} region;

struct mr_program_builder {
    mr_context *context;
    mr_arena arena;
    MR_ARRAY(register_about) registers;
    MR_ARRAY(draft) drafts;
    MR_ARRAY(region) regions;
    MR_ARRAY(mr_external) calls;
    MR_ARRAY(uint32_t) lists;
    MR_ARRAY(program_message) messages;
    MR_ARRAY(uint32_t) outputs;
    MR_ARRAY(uint32_t) given;   // registers of constants and inputs
    MR_ARRAY(uint32_t) buckets; // of operations, by hash: one more than the newest's number
    uint32_t region;            // the one open innermost
    program_place place;
    uint32_t depth;
    uint32_t streams;
    bool draws;
    bool failed;
    mr_error error; // of the first failure
};

#endif
