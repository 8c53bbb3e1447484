// field/field_operator.h: what an operator is: how its operands meet and how it becomes operations.

#ifndef MARRAM_FIELD_FIELD_OPERATOR_H
#define MARRAM_FIELD_FIELD_OPERATOR_H

#include "field/field_state.h"

typedef enum field_rule {
    FIELD_RULE_NUMBER,  // one kind for all operands, the widest's lanes
    FIELD_RULE_LANES,   // `kind`, the widest's lanes
    FIELD_RULE_WHOLE,   // Int, or UInt where all are; the widest's lanes
    FIELD_RULE_ORDER,   // first components compared: a Bool
    FIELD_RULE_EQUAL,   // every component compared: a Bool
    FIELD_RULE_WHERE,   // a truth, then two of one kind
    FIELD_RULE_COMPOSE, // `type`, of as many components as it has lanes
    FIELD_RULE_POINT,   // `type`, of 1 to 3 components
    FIELD_RULE_NARROW,  // `type`, of single numbers
    FIELD_RULE_FIXED,   // `type`
} field_rule;

// How an operator that is no single operation a lane is worked: a register for each lane of the node's type.
typedef void field_lower(const field_operands *operands, mr_register *out);

#define FIELD_SAME MR_OP_COUNT // the operand itself

struct field_operator {
    const char *name;
    uint32_t least, most;
    field_rule rule;
    field_kind kind;
    mr_column_type type;
    mr_op ops[3]; // of Float, Int and UInt operands, applied lane by lane, where there is no function
    field_lower *lower;
    const char *summary;
    const char *guard;
};

// The kind operands meet in. Numbers written as numbers follow the others where they can; alone they are Floats.
field_kind field_joint_kind(mr_field *const *operands, uint32_t count);
// The same, Bools being Ints; and Int, or UInt where all are.
field_kind field_number_kind(mr_field *const *operands, uint32_t count);
field_kind field_whole_kind(mr_field *const *operands, uint32_t count);

field_lower field_lower_cast, field_lower_test, field_lower_order, field_lower_equal, field_lower_unequal,
    field_lower_where, field_lower_clamp, field_lower_sign, field_lower_floordiv, field_lower_log,
    field_lower_map, field_lower_deg, field_lower_rad, field_lower_pair, field_lower_dot, field_lower_length,
    field_lower_normalize, field_lower_cross, field_lower_compose, field_lower_perlin, field_lower_ramp_ease,
    field_lower_rand, field_lower_rand_range, field_lower_rand3, field_lower_rand_prefixed;
// Functions of the num floor.
field_lower field_lower_srgb_to_linear, field_lower_linear_to_srgb, field_lower_luminance,
    field_lower_hsv_to_rgb, field_lower_rgb_to_hsv, field_lower_blackbody;

#endif
