// field/field_state.h: a field's node, and how operators are typed and lowered to a program.

#ifndef MARRAM_FIELD_FIELD_STATE_H
#define MARRAM_FIELD_FIELD_STATE_H

#include "base/memory.h"
#include "field/field.h"
#include "field/program.h"

enum { FIELD_LANES_MAX = 16, FIELD_OPERANDS_MAX = 5 };

typedef enum field_kind { FIELD_F32, FIELD_I32, FIELD_U32, FIELD_BOOL } field_kind;

typedef enum field_node {
    FIELD_CONSTANT,
    FIELD_COLUMN,
    FIELD_ID,
    FIELD_POSITION,
    FIELD_STATE,
    FIELD_STEP,
    FIELD_TABLE,
    FIELD_COMPONENT,
    FIELD_APPLY,
    FIELD_NOISE,
} field_node;

typedef struct field_operator field_operator;
typedef struct field_noise field_noise; // what a noise was asked for, ready to be sampled

struct mr_field {
    mr_refs refs;
    mr_context *context;
    field_node node;
    mr_column_type type;
    uint32_t lane; // FIELD_COMPONENT: which; FIELD_STATE: the first
    uint32_t operand_count;
    mr_field *operands[FIELD_OPERANDS_MAX];
    mr_column *column;             // FIELD_COLUMN, FIELD_TABLE
    const field_operator *applied; // FIELD_APPLY
    field_noise *noise;            // FIELD_NOISE, its own
    bool literal;                  // a number that takes the kind of what it meets
    double number;
    uint32_t words[FIELD_LANES_MAX]; // FIELD_CONSTANT
    mr_field *next;                  // while it is released
};

// A node of no operands; NULL with an error: no memory.
mr_field *field_make(mr_context *context, field_node node, mr_column_type type, mr_error *error);
void field_take_operand(mr_field *field, mr_field *operand);

field_kind field_kind_of(mr_column_type type);
// The column type of lanes of a kind, or MR_COLUMN_TYPE_COUNT where there is none.
mr_column_type field_type_of(field_kind kind, uint32_t lanes);

static inline uint32_t field_lanes(const mr_field *field)
{
    return mr_column_lanes(field->type);
}

// What an operator is lowered with: its operands' registers.
typedef struct field_operands {
    mr_program_builder *builder;
    const mr_field *node;
    const mr_register *lanes[FIELD_OPERANDS_MAX];
} field_operands;

// Lane l of operand k, widened, as a register of a kind's lane.
mr_register field_operand(const field_operands *operands, uint32_t k, uint32_t lane, field_kind kind);
// Works the operator of operands->node: a register for each lane of its type, in the lane of its type's kind.
void field_operator_lower(const field_operands *operands, mr_register *out);

// noise is that of the node, or one the same.
void field_lower_noise(const field_operands *operands, field_noise *noise, mr_register *out);
bool field_same_noise(const field_noise *a, const field_noise *b);

const field_operator *field_operator_find(mr_view name);
const char *field_operator_name(const field_operator *applied);
// The operator's least and most operands; most UINT32_MAX: folded two at a time.
void field_operator_arity(const field_operator *applied, uint32_t *least, uint32_t *most);
// The type it answers over operands, or false with an error.
bool field_operator_type(const field_operator *applied, mr_field *const *operands, uint32_t count,
                         mr_column_type *type, mr_error *error);

#endif
