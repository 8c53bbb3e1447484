// field/field_lower.c: how operators become operations.

#include "field/field_operator.h"
#include "num/hash.h"

static bool is_whole(double number, double low, double high)
{
    return number >= low && number <= high && number == __builtin_floor(number);
}

// The kind operands meet in. Numbers written as numbers follow the others where they can; alone they are Floats.
field_kind field_joint_kind(mr_field *const *operands, uint32_t count)
{
    bool any = false, all_bool = true, all_u32 = true;
    for (uint32_t i = 0; i < count; i++) {
        const mr_field *operand = operands[i];
        field_kind kind = field_kind_of(operand->type);
        if (operand->literal && is_whole(operand->number, -0x1p31, 0x1p32 - 1)) {
            all_bool = false;
            all_u32 = all_u32 && operand->number >= 0;
            continue;
        }
        if (kind == FIELD_F32) {
            return FIELD_F32;
        }
        any = true;
        all_bool = all_bool && kind == FIELD_BOOL;
        all_u32 = all_u32 && kind == FIELD_U32;
    }
    return !any ? FIELD_F32 : all_bool ? FIELD_BOOL : all_u32 ? FIELD_U32 : FIELD_I32;
}

field_kind field_number_kind(mr_field *const *operands, uint32_t count)
{
    field_kind kind = field_joint_kind(operands, count);
    return kind == FIELD_BOOL ? FIELD_I32 : kind;
}

field_kind field_whole_kind(mr_field *const *operands, uint32_t count)
{
    return field_joint_kind(operands, count) == FIELD_U32 ? FIELD_U32 : FIELD_I32;
}

// Lowering.

static mr_register convert(mr_program_builder *b, mr_register from, field_kind is, field_kind wanted)
{
    static const mr_op to_f32[] = {
        [FIELD_I32] = MR_OP_WORD_TO_F32, [FIELD_U32] = MR_OP_UWORD_TO_F32, [FIELD_BOOL] = MR_OP_BOOL_TO_F32
    };
    if (is == wanted) {
        return from;
    }
    switch (wanted) {
    case FIELD_F32:
        return mr_program_op1(b, to_f32[is], from);
    case FIELD_BOOL:
        return is == FIELD_F32 ? mr_program_op2(b, MR_OP_NE, from, mr_program_f32(b, 0))
                               : mr_program_op2(b, MR_OP_WNE, from, mr_program_word(b, 0));
    case FIELD_I32:
    case FIELD_U32:
    default:
        return is == FIELD_BOOL ? mr_program_op1(b, MR_OP_BOOL_TO_WORD, from)
               : is != FIELD_F32
                   ? from
                   : mr_program_op1(b, wanted == FIELD_I32 ? MR_OP_F32_TO_WORD : MR_OP_F32_TO_UWORD, from);
    }
}

static mr_register zero(mr_program_builder *b, field_kind kind)
{
    return kind == FIELD_F32    ? mr_program_f32(b, 0)
           : kind == FIELD_BOOL ? mr_program_bool(b, false)
                                : mr_program_word(b, 0);
}

mr_register field_operand(const field_operands *operands, uint32_t k, uint32_t lane, field_kind kind)
{
    const mr_field *operand = operands->node->operands[k];
    uint32_t lanes = field_lanes(operand);
    if (lanes == 1) {
        lane = 0;
    }
    if (lane >= lanes) {
        return zero(operands->builder, kind);
    }
    if (operand->literal && (kind == FIELD_I32 || kind == FIELD_U32) &&
        is_whole(operand->number, -0x1p31, 0x1p32 - 1)) {
        return mr_program_word(operands->builder, (uint32_t)(uint64_t)(int64_t)operand->number);
    }
    return convert(operands->builder, operands->lanes[k][lane], field_kind_of(operand->type), kind);
}

// The kind of an operation's operand, where words are of `whole`.
static field_kind kind_of_lane(mr_lane lane, field_kind whole)
{
    return lane == MR_LANE_F32 ? FIELD_F32 : lane == MR_LANE_BOOL ? FIELD_BOOL : whole;
}

static mr_register lane_wise(const field_operands *o, mr_op op, uint32_t lane, field_kind whole)
{
    mr_register r[MR_OPERANDS_MAX] = { MR_NO_REGISTER, MR_NO_REGISTER, MR_NO_REGISTER, MR_NO_REGISTER };
    if (op == FIELD_SAME) {
        return field_operand(o, 0, lane, whole);
    }
    const mr_operation *operation = mr_operation_of(op);
    for (uint32_t k = 0; k < operation->arity; k++) {
        r[k] = field_operand(o, k, lane, kind_of_lane(operation->operands[k], whole));
    }
    return mr_program_op(o->builder, op, r[0], r[1], r[2], r[3]);
}

static field_kind kind_of_node(const mr_field *node)
{
    const field_operator *applied = node->applied;
    return applied->rule == FIELD_RULE_LANES   ? applied->kind
           : applied->rule == FIELD_RULE_WHOLE ? field_whole_kind(node->operands, node->operand_count)
                                               : field_number_kind(node->operands, node->operand_count);
}

void field_operator_lower(const field_operands *o, mr_register *out)
{
    const field_operator *applied = o->node->applied;
    if (applied->lower) {
        applied->lower(o, out);
        return;
    }
    field_kind kind = kind_of_node(o->node);
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        out[l] = lane_wise(o, applied->ops[kind == FIELD_BOOL ? FIELD_I32 : kind], l, kind);
    }
}

void field_lower_cast(const field_operands *o, mr_register *out)
{
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        out[l] = field_operand(o, 0, l, o->node->applied->kind);
        // Truths of several lanes are Ints.
        out[l] = convert(o->builder, out[l], o->node->applied->kind, field_kind_of(o->node->type));
    }
}

void field_lower_test(const field_operands *o, mr_register *out)
{
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        mr_register truth = lane_wise(o, o->node->applied->ops[0], l, FIELD_F32);
        out[l] = convert(o->builder, truth, FIELD_BOOL, field_kind_of(o->node->type));
    }
}

// gt and ge of words are lt and le the other way round.
void field_lower_order(const field_operands *o, mr_register *out)
{
    field_kind kind = field_number_kind(o->node->operands, 2);
    mr_op op = o->node->applied->ops[kind];
    mr_register a = field_operand(o, 0, 0, kind), b = field_operand(o, 1, 0, kind);
    bool swapped = kind != FIELD_F32 && o->node->applied->kind == FIELD_BOOL;
    out[0] = swapped ? mr_program_op2(o->builder, op, b, a) : mr_program_op2(o->builder, op, a, b);
}

void field_lower_equal(const field_operands *o, mr_register *out)
{
    field_kind kind = field_number_kind(o->node->operands, 2);
    uint32_t a = field_lanes(o->node->operands[0]), b = field_lanes(o->node->operands[1]);
    mr_op op = kind == FIELD_F32 ? MR_OP_EQ : MR_OP_WEQ;
    out[0] = lane_wise(o, op, 0, kind);
    for (uint32_t l = 1; l < (a > b ? a : b); l++) {
        out[0] = mr_program_op2(o->builder, MR_OP_AND, out[0], lane_wise(o, op, l, kind));
    }
}

void field_lower_unequal(const field_operands *o, mr_register *out)
{
    field_lower_equal(o, out);
    out[0] = mr_program_op1(o->builder, MR_OP_NOT, out[0]);
}

void field_lower_where(const field_operands *o, mr_register *out)
{
    static const mr_op ops[] = { [FIELD_F32] = MR_OP_WHERE,
                                 [FIELD_I32] = MR_OP_WWHERE,
                                 [FIELD_U32] = MR_OP_WWHERE,
                                 [FIELD_BOOL] = MR_OP_BWHERE };
    field_kind kind = field_joint_kind(o->node->operands + 1, 2);
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        mr_register chosen = mr_program_op3(o->builder, ops[kind], field_operand(o, 0, l, FIELD_BOOL),
                                            field_operand(o, 1, l, kind), field_operand(o, 2, l, kind));
        out[l] = convert(o->builder, chosen, kind, field_kind_of(o->node->type));
    }
}

void field_lower_clamp(const field_operands *o, mr_register *out)
{
    field_kind kind = field_number_kind(o->node->operands, 3);
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        mr_register x = field_operand(o, 0, l, kind);
        mr_register low = field_operand(o, 1, l, kind), high = field_operand(o, 2, l, kind);
        if (kind == FIELD_F32) {
            out[l] = mr_program_op3(o->builder, MR_OP_CLAMP, x, low, high);
        } else {
            mr_register held =
                mr_program_op2(o->builder, kind == FIELD_I32 ? MR_OP_WMAX : MR_OP_UMAX, x, low);
            out[l] = mr_program_op2(o->builder, kind == FIELD_I32 ? MR_OP_WMIN : MR_OP_UMIN, held, high);
        }
    }
}

void field_lower_sign(const field_operands *o, mr_register *out)
{
    field_kind kind = field_number_kind(o->node->operands, 1);
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        mr_register x = field_operand(o, 0, l, kind);
        out[l] = kind == FIELD_U32
                     ? mr_program_op2(o->builder, MR_OP_UMIN, x, mr_program_word(o->builder, 1))
                     : mr_program_op1(o->builder, kind == FIELD_F32 ? MR_OP_SIGN : MR_OP_WSIGN, x);
    }
}

void field_lower_floordiv(const field_operands *o, mr_register *out)
{
    field_kind kind = field_number_kind(o->node->operands, 2);
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        out[l] = lane_wise(o, o->node->applied->ops[kind], l, kind);
        out[l] = kind == FIELD_F32 ? mr_program_op1(o->builder, MR_OP_FLOOR, out[l]) : out[l];
    }
}

void field_lower_log(const field_operands *o, mr_register *out)
{
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        out[l] = mr_program_op1(o->builder, MR_OP_LOG, field_operand(o, 0, l, FIELD_F32));
        if (o->node->operand_count == 2) {
            mr_register base = mr_program_op1(o->builder, MR_OP_LOG, field_operand(o, 1, l, FIELD_F32));
            out[l] = mr_program_op2(o->builder, MR_OP_DIV, out[l], base);
        }
    }
}

void field_lower_map(const field_operands *o, mr_register *out)
{
    mr_program_builder *b = o->builder;
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        mr_register r[5];
        for (uint32_t k = 0; k < 5; k++) {
            r[k] = field_operand(o, k, l, FIELD_F32);
        }
        mr_register past = mr_program_op2(b, MR_OP_SUB, r[0], r[1]);
        mr_register scaled = mr_program_op2(b, MR_OP_MUL, past, mr_program_op2(b, MR_OP_SUB, r[4], r[3]));
        mr_register part = mr_program_op2(b, MR_OP_DIV, scaled, mr_program_op2(b, MR_OP_SUB, r[2], r[1]));
        out[l] = mr_program_op2(b, MR_OP_ADD, r[3], part);
    }
}

static void lower_scaled(const field_operands *o, mr_register *out, float factor)
{
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        out[l] = mr_program_op2(o->builder, MR_OP_MUL, field_operand(o, 0, l, FIELD_F32),
                                mr_program_f32(o->builder, factor));
    }
}

void field_lower_deg(const field_operands *o, mr_register *out)
{
    lower_scaled(o, out, (float)(180.0 / 0x1.921fb54442d18p+1));
}

void field_lower_rad(const field_operands *o, mr_register *out)
{
    lower_scaled(o, out, (float)(0x1.921fb54442d18p+1 / 180.0));
}

// Two answers of one number.
void field_lower_pair(const field_operands *o, mr_register *out)
{
    mr_register x = field_operand(o, 0, 0, FIELD_F32);
    out[0] = mr_program_op1(o->builder, o->node->applied->ops[0], x);
    out[1] = mr_program_op1(o->builder, o->node->applied->ops[1], x);
}

// Vectors. Products are summed from the first component on.

static mr_register dot(const field_operands *o, uint32_t a, uint32_t b)
{
    uint32_t lanes = field_lanes(o->node->operands[a]), other = field_lanes(o->node->operands[b]);
    mr_register sum = MR_NO_REGISTER;
    lanes = lanes > other ? lanes : other;
    for (uint32_t l = 0; l < lanes; l++) {
        mr_register product = mr_program_op2(o->builder, MR_OP_MUL, field_operand(o, a, l, FIELD_F32),
                                             field_operand(o, b, l, FIELD_F32));
        sum = l == 0 ? product : mr_program_op2(o->builder, MR_OP_ADD, sum, product);
    }
    return sum;
}

void field_lower_dot(const field_operands *o, mr_register *out)
{
    out[0] = dot(o, 0, 1);
}

void field_lower_length(const field_operands *o, mr_register *out)
{
    out[0] = mr_program_op1(o->builder, MR_OP_SQRT, dot(o, 0, 0));
}

void field_lower_normalize(const field_operands *o, mr_register *out)
{
    mr_program_builder *b = o->builder;
    mr_register length = mr_program_op1(b, MR_OP_SQRT, dot(o, 0, 0));
    mr_register some = mr_program_op2(b, MR_OP_GT, length, mr_program_f32(b, 0));
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        mr_register x = field_operand(o, 0, l, FIELD_F32);
        out[l] = mr_program_op3(b, MR_OP_WHERE, some, mr_program_op2(b, MR_OP_DIV, x, length), x);
    }
}

void field_lower_cross(const field_operands *o, mr_register *out)
{
    mr_program_builder *b = o->builder;
    for (uint32_t l = 0; l < 3; l++) {
        uint32_t m = (l + 1) % 3, n = (l + 2) % 3;
        mr_register plus = mr_program_op2(b, MR_OP_MUL, field_operand(o, 0, m, FIELD_F32),
                                          field_operand(o, 1, n, FIELD_F32));
        mr_register minus = mr_program_op2(b, MR_OP_MUL, field_operand(o, 0, n, FIELD_F32),
                                           field_operand(o, 1, m, FIELD_F32));
        out[l] = mr_program_op2(b, MR_OP_SUB, plus, minus);
    }
}

// The operands' components one after another, as Floats; how many there are.
static uint32_t components(const field_operands *o, mr_register *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < o->node->operand_count; k++) {
        for (uint32_t l = 0; l < field_lanes(o->node->operands[k]); l++) {
            out[count++] = field_operand(o, k, l, FIELD_F32);
        }
    }
    return count;
}

void field_lower_compose(const field_operands *o, mr_register *out)
{
    components(o, out);
}

void field_lower_perlin(const field_operands *o, mr_register *out)
{
    mr_register p[3];
    for (uint32_t count = components(o, p); count < 3; count++) {
        p[count] = mr_program_f32(o->builder, 0);
    }
    out[0] = mr_program_op3(o->builder, MR_OP_PERLIN, p[0], p[1], p[2]);
}

void field_lower_ramp_ease(const field_operands *o, mr_register *out)
{
    for (uint32_t l = 0; l < field_lanes(o->node); l++) {
        out[l] = mr_program_op3(o->builder, MR_OP_SMOOTHSTEP, mr_program_f32(o->builder, 0),
                                mr_program_f32(o->builder, 1), field_operand(o, 0, l, FIELD_F32));
    }
}

// Random numbers: a prefix of the seed and the scopes, then the element (num/hash.h).

static mr_register folded(const field_operands *o, uint32_t count)
{
    mr_register prefix = mr_program_word(o->builder, MR_FNV_BASIS);
    for (uint32_t k = 0; k < count; k++) {
        prefix = mr_program_op2(o->builder, MR_OP_FNV, prefix, field_operand(o, k, 0, FIELD_U32));
    }
    return prefix;
}

void field_lower_rand(const field_operands *o, mr_register *out)
{
    uint32_t last = o->node->operand_count - 1;
    out[0] =
        mr_program_op2(o->builder, MR_OP_RAND_UNIT, folded(o, last), field_operand(o, last, 0, FIELD_U32));
}

void field_lower_rand_range(const field_operands *o, mr_register *out)
{
    mr_program_builder *b = o->builder;
    mr_register unit = mr_program_op2(b, MR_OP_RAND_UNIT, folded(o, 1), field_operand(o, 1, 0, FIELD_U32));
    mr_register low = field_operand(o, 2, 0, FIELD_F32), high = field_operand(o, 3, 0, FIELD_F32);
    mr_register wide = mr_program_op2(b, MR_OP_SUB, high, low);
    out[0] = mr_program_op2(b, MR_OP_ADD, low, mr_program_op2(b, MR_OP_MUL, wide, unit));
}

void field_lower_rand3(const field_operands *o, mr_register *out)
{
    mr_register prefix = folded(o, 2);
    for (uint32_t l = 0; l < 3; l++) {
        out[l] = mr_program_op2(o->builder, MR_OP_RAND_UNIT, prefix, mr_program_word(o->builder, l));
    }
}

void field_lower_rand_prefixed(const field_operands *o, mr_register *out)
{
    out[0] = mr_program_op2(o->builder, o->node->applied->ops[0], field_operand(o, 0, 0, FIELD_U32),
                            field_operand(o, 1, 0, FIELD_U32));
}
