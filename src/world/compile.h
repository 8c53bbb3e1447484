// world/compile.h: deferred options as flat programs over the table of operations.
//
// What can be said in registers is: numbers, whole numbers, conditions, spots and tuples of them. An expression that
// needs more is left to the walking asker, which means the same; so is one whose preparation fails, for what fails while
// candidates are asked must fail only if it is asked. A program works nothing that its answer does not read (a component
// of a tuple left unread), so what would have no answer there is no error; in all else, errors too are the walking's.

#ifndef MARRAM_WORLD_COMPILE_H
#define MARRAM_WORLD_COMPILE_H

#include "field/program.h"
#include "world/population.h"

typedef enum mr_compiled_kind {
    MR_COMPILED_CONSTANT, // datum
    MR_COMPILED_SCALAR,   // reg: f32 with a dimension, i64 or a truth
    MR_COMPILED_SPOT,     // x y z regs
    MR_COMPILED_TUPLE,    // items
    MR_COMPILED_RANGE     // items: low, high
} mr_compiled_kind;

typedef struct mr_compiled_value mr_compiled_value;
struct mr_compiled_value {
    mr_compiled_kind kind;
    mr_datum datum;
    mr_lane lane;
    mr_register reg;
    mr_dimension dimension;
    bool layer;
    mr_register spot[3];
    const mr_land_datum *land;
    const mr_compiled_value *items;
    size_t count;
    bool to; // RANGE
};

typedef struct mr_compiler {
    mr_evaluator *ev;
    mr_rule_run *rule;
    mr_program_builder *builder;
    mr_arena *arena;
    uint32_t depth;
    uint32_t calls;
} mr_compiler;

// Inputs of a program, by number; given names follow.
enum {
    MR_INPUT_X,
    MR_INPUT_Y,
    MR_INPUT_Z,
    MR_INPUT_K,
    MR_INPUT_ALONG,
    MR_INPUT_SIDE,
    MR_INPUT_SPACING,
    MR_INPUT_SIZE,
    MR_INPUT_TEST,
    MR_INPUT_GIVEN,
    MR_INPUT_COUNT = MR_INPUT_GIVEN + MR_GIVEN_MAX
};

// All answer false where the walking asker must do it.
bool mr_compile_expr(mr_compiler *compiler, const mr_scope *scope, const mr_expr *expr,
                     mr_compiled_value *value);
bool mr_compile_call(mr_compiler *compiler, const mr_scope *scope, const mr_expr *expr,
                     mr_compiled_value *value);
bool mr_compile_body(mr_compiler *compiler, const mr_closure *closure, const mr_compiled_value *values,
                     size_t count, mr_compiled_value *value);
bool mr_compile_operator(mr_compiler *compiler, const mr_expr *expr, const mr_compiled_value *a,
                         const mr_compiled_value *b, mr_compiled_value *value);
// Made into what is asked for, as mr_coerce does: a number of a dimension, a whole number, a condition, a place.
bool mr_compile_as(mr_compiler *compiler, const mr_expr *expr, const mr_world_type *want,
                   mr_compiled_value *value);
// A number as a register: f32 (whole numbers are made f32), or whole.
bool mr_compile_number(mr_compiler *compiler, const mr_compiled_value *value, mr_register *reg);
bool mr_compile_whole(mr_compiler *compiler, const mr_compiled_value *value, mr_register *reg);
bool mr_compile_truth(mr_compiler *compiler, const mr_compiled_value *value, mr_register *reg);
// x and z of a place.
bool mr_compile_plan(mr_compiler *compiler, const mr_compiled_value *value, mr_register *x, mr_register *z);
mr_compiled_value mr_compiled_number(mr_register reg, mr_dimension dimension);
mr_compiled_value mr_compiled_constant(mr_datum datum);
mr_dimension mr_compiled_dimension(const mr_compiled_value *value);
bool mr_compiled_numeric(const mr_compiled_value *value);
const mr_scope *mr_compile_cell(mr_compiler *compiler, const mr_scope *outer, mr_view name,
                                const mr_compiled_value *value);
bool mr_compile_pattern(mr_compiler *compiler, const mr_scope *outer, const mr_param *pattern, size_t count,
                        bool tuple, const mr_compiled_value *value, const mr_scope **scope);

// An asker that runs the compiled expressions (a condition: all of them must hold). False: walk instead. Never fails.
bool mr_compile_asker(const mr_deferred *deferred, mr_asker *asker);

#endif
