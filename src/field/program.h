// field/program.h: an expression compiled to a flat program over registers, run over many lanes at once.
//
// A lane is one element: a candidate, a point, a cell. A program without draws runs in blocks of 256 lanes, each
// instruction over a whole block; one with draws runs lane by lane, in order, since the n-th number drawn depends on
// all before it. Both give the same bits: a lane's answer depends on nothing but its own inputs (and the draws).
//
// Conditions: what stands between begin_if(c) and end_if is worked only where c holds. In lane-by-lane mode that is
// exact (a draw or an error there does not happen where c is false); in block mode it is left out when no lane of the
// block wants it, and where some do, the other lanes' values are worked to no purpose and nobody reads them: an error in
// a block is confirmed by running its lanes one by one. A register made inside may be used after end_if only where its
// lanes are not chosen when c is false: as the operand of `where` (by c), or of `and` / `or` beside c.
//
//     a && b:                    begin_if(a); b = ...; end_if; r = and(a, b)
//     a || b:    n = not(a);     begin_if(n); b = ...; end_if; r = or(a, b)
//     if c x else y:             begin_if(c); x = ...; end_if; n = not(c); begin_if(n); y = ...; end_if; r = where(c, x, y)

#ifndef MARRAM_FIELD_PROGRAM_H
#define MARRAM_FIELD_PROGRAM_H

#include "base/context.h"
#include "field/operations.h"
#include "num/stream.h"

// A register of a program under construction; each is written once. MR_NO_REGISTER is what a failed call answers.
typedef uint32_t mr_register;
#define MR_NO_REGISTER UINT32_MAX

enum { MR_CALL_OPERANDS_MAX = 8, MR_CALL_RESULTS_MAX = 16 };

// A function of another floor (a land's height, a spine's nearest point), asked for a block of lanes.
typedef struct mr_external {
    const char *name; // for messages
    void *self;
    uint8_t arity;
    mr_lane operands[MR_CALL_OPERANDS_MAX];
    uint8_t result_count;
    mr_lane results[MR_CALL_RESULTS_MAX];
    bool pure; // equal operands give equal results: two equal calls may be made one
    // Reads operands[k][0..count-1], writes results[k][0..count-1]. Called from any thread, also for lanes whose answer
    // nobody wants; on an error there the lanes are asked again one at a time, the wanted ones alone.
    bool (*call)(void *self, const void *const *operands, void *const *results, size_t count,
                 mr_error *error);
} mr_external;

typedef struct mr_program mr_program;
typedef struct mr_program_builder mr_program_builder;

// Building. A builder that ran out of memory, or was given an operand of the wrong kind, answers MR_NO_REGISTER from
// then on, and finish says the error: calls need not be checked one by one.
mr_program_builder *mr_program_builder_create(mr_context *context); // NULL: no memory
void mr_program_builder_destroy(mr_program_builder *builder);       // NULL is allowed
mr_lane mr_program_lane(const mr_program_builder *builder, mr_register of);

// Where the instructions that follow stand in a source file, for errors. file must outlive the program; NULL: nowhere.
void mr_program_at(mr_program_builder *builder, const char *file, uint32_t line, uint32_t column);

// Constants equal to the bit are one register.
mr_register mr_program_f32(mr_program_builder *builder, float value);
mr_register mr_program_i64(mr_program_builder *builder, int64_t value);
mr_register mr_program_bool(mr_program_builder *builder, bool value);
mr_register mr_program_word(mr_program_builder *builder, uint32_t value);

// An input by its number among the run's inputs; asked for again it is the same register.
mr_register mr_program_input(mr_program_builder *builder, uint32_t index, mr_lane lane);

// An operation; operands past its arity are not read. Operations on constants alone are worked here and now, and an
// operation that already stands where it is always worked is not added again.
mr_register mr_program_op(mr_program_builder *builder, mr_op op, mr_register a, mr_register b, mr_register c,
                          mr_register d);
#define mr_program_op1(builder, op, a)                                                                       \
    mr_program_op((builder), (op), (a), MR_NO_REGISTER, MR_NO_REGISTER, MR_NO_REGISTER)
#define mr_program_op2(builder, op, a, b)                                                                    \
    mr_program_op((builder), (op), (a), (b), MR_NO_REGISTER, MR_NO_REGISTER)
#define mr_program_op3(builder, op, a, b, c) mr_program_op((builder), (op), (a), (b), (c), MR_NO_REGISTER)

// A call; `external` is copied (its name and self must outlive the program). Answers the first result's register; the
// others follow it.
mr_register mr_program_call(mr_program_builder *builder, const mr_external *external,
                            const mr_register *operands);

// Draws from the run's stream of that number: [0, 1), and a whole number below n (n from 0 to 2^32 - 1, else the run
// errs; 0 draws and answers 0).
mr_register mr_program_draw_unit(mr_program_builder *builder, uint32_t stream);
mr_register mr_program_draw_below(mr_program_builder *builder, uint32_t stream, mr_register n);

// Ends the run with this message (and hint, or NULL) where it is worked for a wanted lane: under begin_if, what an
// author's check says. The texts are copied.
void mr_program_stop(mr_program_builder *builder, const char *message, const char *hint);

void mr_program_begin_if(mr_program_builder *builder, mr_register condition);
void mr_program_end_if(mr_program_builder *builder);

// Adds an output, in order.
void mr_program_output(mr_program_builder *builder, mr_register from);

// The finished program, or NULL with the first error of the building. The builder is spent either way but for destroy.
mr_program *mr_program_finish(mr_program_builder *builder, mr_error *error);
void mr_program_destroy(mr_program *program); // NULL is allowed

bool mr_program_draws(const mr_program *program);
// Instructions, for tests and reports.
size_t mr_program_length(const mr_program *program);
// The only output's value where the program needs no lane to say it (a constant); false otherwise.
bool mr_program_constant(const mr_program *program, mr_lane_value *value);

// Where an input's value of a lane stands.
typedef enum mr_input_from {
    MR_INPUT_LANES,   // data[stride * lane number]
    MR_INPUT_SAME,    // *data, for all lanes
    MR_INPUT_PLACES,  // data[stride * the lane's place in the run]
    MR_INPUT_NUMBERS, // the lane number itself; the input is a word, and data is not read
} mr_input_from;

typedef struct mr_program_input_data {
    const void *data;
    mr_input_from from;
    uint32_t stride; // 0: 1
    size_t elements; // MR_INPUT_LANES: lanes past the last read the last; 0: none is past it
} mr_program_input_data;

typedef struct mr_program_run_data {
    const mr_program_input_data *inputs; // by input number
    size_t input_count;
    // Arrays by place in the run: outputs[k][output_stride * i] is of the i-th lane; f32 NaN is canonical.
    void *const *outputs;
    size_t output_stride;  // 0: 1
    const uint32_t *lanes; // the lane numbers, or NULL: first, first + 1, ...
    size_t first;
    size_t count;
    mr_stream *const *streams; // by stream number; each moves on as numbers are drawn
    size_t stream_count;
    uint64_t *draws; // counts the numbers drawn; may be NULL
    size_t block;    // lanes a block; 0: 256 (tests try others; no answer depends on it)
} mr_program_run_data;

// Runs a program over lanes. Safe from any thread, and on the same program from several (each with its own outputs and
// streams). On an error (the lowest lane's, with its place) outputs hold nothing to be read. Uses the context's
// instruction set and memory.
bool mr_program_run(mr_context *context, const mr_program *program, const mr_program_run_data *run,
                    mr_error *error);

#endif
