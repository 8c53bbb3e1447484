// field/field_operators.c: the operators fields know, how each is typed and how it becomes operations.

#include "field/field_state.h"
#include "num/hash.h"

typedef enum rule {
    RULE_NUMBER,  // one kind for all operands, the widest's lanes
    RULE_LANES,   // `kind`, the widest's lanes
    RULE_WHOLE,   // Int, or UInt where all are; the widest's lanes
    RULE_ORDER,   // first components compared: a Bool
    RULE_EQUAL,   // every component compared: a Bool
    RULE_WHERE,   // a truth, then two of one kind
    RULE_COMPOSE, // `type`, of as many components as it has lanes
    RULE_POINT,   // `type`, of 1 to 3 components
    RULE_NARROW,  // `type`, of single numbers
    RULE_FIXED,   // `type`
} rule;

#define SAME MR_OP_COUNT // the operand itself

struct field_operator {
    const char *name;
    uint32_t least, most;
    rule rule;
    field_kind kind;
    mr_column_type type;
    mr_op ops[3]; // of Float, Int and UInt operands, applied lane by lane, where there is no function
    void (*lower)(const field_operands *operands, mr_register *out);
    const char *summary;
    const char *guard;
};

static uint32_t lanes_of(const mr_field *field)
{
    return mr_column_lanes(field->type);
}

static bool is_whole(double number, double low, double high)
{
    return number >= low && number <= high && number == __builtin_floor(number);
}

// The kind operands meet in. Numbers written as numbers follow the others where they can; alone they are Floats.
static field_kind joint_kind(mr_field *const *operands, uint32_t count)
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

static field_kind number_kind(mr_field *const *operands, uint32_t count)
{
    field_kind kind = joint_kind(operands, count);
    return kind == FIELD_BOOL ? FIELD_I32 : kind;
}

static field_kind whole_kind(mr_field *const *operands, uint32_t count)
{
    return joint_kind(operands, count) == FIELD_U32 ? FIELD_U32 : FIELD_I32;
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
    uint32_t lanes = lanes_of(operand);
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
    if (op == SAME) {
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
    return applied->rule == RULE_LANES   ? applied->kind
           : applied->rule == RULE_WHOLE ? whole_kind(node->operands, node->operand_count)
                                         : number_kind(node->operands, node->operand_count);
}

void field_operator_lower(const field_operands *o, mr_register *out)
{
    const field_operator *applied = o->node->applied;
    if (applied->lower) {
        applied->lower(o, out);
        return;
    }
    field_kind kind = kind_of_node(o->node);
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
        out[l] = lane_wise(o, applied->ops[kind == FIELD_BOOL ? FIELD_I32 : kind], l, kind);
    }
}

static void lower_cast(const field_operands *o, mr_register *out)
{
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
        out[l] = field_operand(o, 0, l, o->node->applied->kind);
        // Truths of several lanes are Ints.
        out[l] = convert(o->builder, out[l], o->node->applied->kind, field_kind_of(o->node->type));
    }
}

static void lower_test(const field_operands *o, mr_register *out)
{
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
        mr_register truth = lane_wise(o, o->node->applied->ops[0], l, FIELD_F32);
        out[l] = convert(o->builder, truth, FIELD_BOOL, field_kind_of(o->node->type));
    }
}

// gt and ge of words are lt and le the other way round.
static void lower_order(const field_operands *o, mr_register *out)
{
    field_kind kind = number_kind(o->node->operands, 2);
    mr_op op = o->node->applied->ops[kind];
    mr_register a = field_operand(o, 0, 0, kind), b = field_operand(o, 1, 0, kind);
    bool swapped = kind != FIELD_F32 && o->node->applied->kind == FIELD_BOOL;
    out[0] = swapped ? mr_program_op2(o->builder, op, b, a) : mr_program_op2(o->builder, op, a, b);
}

static void lower_equal(const field_operands *o, mr_register *out)
{
    field_kind kind = number_kind(o->node->operands, 2);
    uint32_t a = lanes_of(o->node->operands[0]), b = lanes_of(o->node->operands[1]);
    mr_op op = kind == FIELD_F32 ? MR_OP_EQ : MR_OP_WEQ;
    out[0] = lane_wise(o, op, 0, kind);
    for (uint32_t l = 1; l < (a > b ? a : b); l++) {
        out[0] = mr_program_op2(o->builder, MR_OP_AND, out[0], lane_wise(o, op, l, kind));
    }
}

static void lower_unequal(const field_operands *o, mr_register *out)
{
    lower_equal(o, out);
    out[0] = mr_program_op1(o->builder, MR_OP_NOT, out[0]);
}

static void lower_where(const field_operands *o, mr_register *out)
{
    static const mr_op ops[] = { [FIELD_F32] = MR_OP_WHERE,
                                 [FIELD_I32] = MR_OP_WWHERE,
                                 [FIELD_U32] = MR_OP_WWHERE,
                                 [FIELD_BOOL] = MR_OP_BWHERE };
    field_kind kind = joint_kind(o->node->operands + 1, 2);
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
        mr_register chosen = mr_program_op3(o->builder, ops[kind], field_operand(o, 0, l, FIELD_BOOL),
                                            field_operand(o, 1, l, kind), field_operand(o, 2, l, kind));
        out[l] = convert(o->builder, chosen, kind, field_kind_of(o->node->type));
    }
}

static void lower_clamp(const field_operands *o, mr_register *out)
{
    field_kind kind = number_kind(o->node->operands, 3);
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
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

static void lower_sign(const field_operands *o, mr_register *out)
{
    field_kind kind = number_kind(o->node->operands, 1);
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
        mr_register x = field_operand(o, 0, l, kind);
        out[l] = kind == FIELD_U32
                     ? mr_program_op2(o->builder, MR_OP_UMIN, x, mr_program_word(o->builder, 1))
                     : mr_program_op1(o->builder, kind == FIELD_F32 ? MR_OP_SIGN : MR_OP_WSIGN, x);
    }
}

static void lower_floordiv(const field_operands *o, mr_register *out)
{
    field_kind kind = number_kind(o->node->operands, 2);
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
        out[l] = lane_wise(o, o->node->applied->ops[kind], l, kind);
        out[l] = kind == FIELD_F32 ? mr_program_op1(o->builder, MR_OP_FLOOR, out[l]) : out[l];
    }
}

static void lower_log(const field_operands *o, mr_register *out)
{
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
        out[l] = mr_program_op1(o->builder, MR_OP_LOG, field_operand(o, 0, l, FIELD_F32));
        if (o->node->operand_count == 2) {
            mr_register base = mr_program_op1(o->builder, MR_OP_LOG, field_operand(o, 1, l, FIELD_F32));
            out[l] = mr_program_op2(o->builder, MR_OP_DIV, out[l], base);
        }
    }
}

static void lower_map(const field_operands *o, mr_register *out)
{
    mr_program_builder *b = o->builder;
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
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
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
        out[l] = mr_program_op2(o->builder, MR_OP_MUL, field_operand(o, 0, l, FIELD_F32),
                                mr_program_f32(o->builder, factor));
    }
}

static void lower_deg(const field_operands *o, mr_register *out)
{
    lower_scaled(o, out, (float)(180.0 / 0x1.921fb54442d18p+1));
}

static void lower_rad(const field_operands *o, mr_register *out)
{
    lower_scaled(o, out, (float)(0x1.921fb54442d18p+1 / 180.0));
}

// Two answers of one number.
static void lower_pair(const field_operands *o, mr_register *out)
{
    mr_register x = field_operand(o, 0, 0, FIELD_F32);
    out[0] = mr_program_op1(o->builder, o->node->applied->ops[0], x);
    out[1] = mr_program_op1(o->builder, o->node->applied->ops[1], x);
}

// Vectors. Products are summed from the first component on.

static mr_register dot(const field_operands *o, uint32_t a, uint32_t b)
{
    uint32_t lanes = lanes_of(o->node->operands[a]), other = lanes_of(o->node->operands[b]);
    mr_register sum = MR_NO_REGISTER;
    lanes = lanes > other ? lanes : other;
    for (uint32_t l = 0; l < lanes; l++) {
        mr_register product = mr_program_op2(o->builder, MR_OP_MUL, field_operand(o, a, l, FIELD_F32),
                                             field_operand(o, b, l, FIELD_F32));
        sum = l == 0 ? product : mr_program_op2(o->builder, MR_OP_ADD, sum, product);
    }
    return sum;
}

static void lower_dot(const field_operands *o, mr_register *out)
{
    out[0] = dot(o, 0, 1);
}

static void lower_length(const field_operands *o, mr_register *out)
{
    out[0] = mr_program_op1(o->builder, MR_OP_SQRT, dot(o, 0, 0));
}

static void lower_normalize(const field_operands *o, mr_register *out)
{
    mr_program_builder *b = o->builder;
    mr_register length = mr_program_op1(b, MR_OP_SQRT, dot(o, 0, 0));
    mr_register some = mr_program_op2(b, MR_OP_GT, length, mr_program_f32(b, 0));
    for (uint32_t l = 0; l < lanes_of(o->node); l++) {
        mr_register x = field_operand(o, 0, l, FIELD_F32);
        out[l] = mr_program_op3(b, MR_OP_WHERE, some, mr_program_op2(b, MR_OP_DIV, x, length), x);
    }
}

static void lower_cross(const field_operands *o, mr_register *out)
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
        for (uint32_t l = 0; l < lanes_of(o->node->operands[k]); l++) {
            out[count++] = field_operand(o, k, l, FIELD_F32);
        }
    }
    return count;
}

static void lower_compose(const field_operands *o, mr_register *out)
{
    components(o, out);
}

static void lower_noise(const field_operands *o, mr_register *out)
{
    mr_register p[3];
    for (uint32_t count = components(o, p); count < 3; count++) {
        p[count] = mr_program_f32(o->builder, 0);
    }
    out[0] = mr_program_op3(o->builder, MR_OP_PERLIN, p[0], p[1], p[2]);
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

static void lower_rand(const field_operands *o, mr_register *out)
{
    uint32_t last = o->node->operand_count - 1;
    out[0] =
        mr_program_op2(o->builder, MR_OP_RAND_UNIT, folded(o, last), field_operand(o, last, 0, FIELD_U32));
}

static void lower_rand_range(const field_operands *o, mr_register *out)
{
    mr_program_builder *b = o->builder;
    mr_register unit = mr_program_op2(b, MR_OP_RAND_UNIT, folded(o, 1), field_operand(o, 1, 0, FIELD_U32));
    mr_register low = field_operand(o, 2, 0, FIELD_F32), high = field_operand(o, 3, 0, FIELD_F32);
    mr_register wide = mr_program_op2(b, MR_OP_SUB, high, low);
    out[0] = mr_program_op2(b, MR_OP_ADD, low, mr_program_op2(b, MR_OP_MUL, wide, unit));
}

static void lower_rand3(const field_operands *o, mr_register *out)
{
    mr_register prefix = folded(o, 2);
    for (uint32_t l = 0; l < 3; l++) {
        out[l] = mr_program_op2(o->builder, MR_OP_RAND_UNIT, prefix, mr_program_word(o->builder, l));
    }
}

static void lower_rand_prefixed(const field_operands *o, mr_register *out)
{
    out[0] = mr_program_op2(o->builder, o->node->applied->ops[0], field_operand(o, 0, 0, FIELD_U32),
                            field_operand(o, 1, 0, FIELD_U32));
}

// The table.

#define REAL(text, count, code, about, stand_in)                                                             \
    {                                                                                                        \
        .name = text, .least = count, .most = count, .rule = RULE_LANES, .kind = FIELD_F32,                  \
        .ops = { MR_OP_##code }, .summary = about, .guard = stand_in                                         \
    }
#define NUMBER(text, count, most_of, f32, i32, u32, about, stand_in)                                         \
    {                                                                                                        \
        .name = text, .least = count, .most = most_of, .rule = RULE_NUMBER, .ops = { f32, i32, u32 },        \
        .summary = about, .guard = stand_in                                                                  \
    }
#define WHOLE(text, i32, u32, about, stand_in)                                                               \
    {                                                                                                        \
        .name = text, .least = 2, .most = 2, .rule = RULE_WHOLE, .ops = { MR_OP_COUNT, i32, u32 },           \
        .summary = about, .guard = stand_in                                                                  \
    }
#define ORDER(text, swapped, f32, i32, u32, about)                                                           \
    {                                                                                                        \
        .name = text, .least = 2, .most = 2, .rule = RULE_ORDER, .kind = swapped ? FIELD_BOOL : FIELD_F32,   \
        .ops = { f32, i32, u32 }, .lower = lower_order, .summary = about                                     \
    }
#define WORKED(text, low, high, how, kind_of, type_of, with, about, stand_in)                                \
    {                                                                                                        \
        .name = text, .least = low, .most = high, .rule = how, .kind = kind_of, .type = type_of,             \
        .lower = with, .summary = about, .guard = stand_in                                                   \
    }
#define TEST(text, code, about)                                                                              \
    {                                                                                                        \
        .name = text, .least = 1, .most = 1, .rule = RULE_LANES, .kind = FIELD_BOOL,                         \
        .ops = { MR_OP_##code }, .lower = lower_test, .summary = about                                       \
    }
#define PAIR(text, first, second, about, stand_in)                                                           \
    {                                                                                                        \
        .name = text, .least = 1, .most = 1, .rule = RULE_NARROW, .type = MR_COLUMN_VEC2,                    \
        .ops = { MR_OP_##first, MR_OP_##second }, .lower = lower_pair, .summary = about, .guard = stand_in   \
    }

static const field_operator operators[] = {
    NUMBER("add", 2, 2, MR_OP_ADD, MR_OP_WADD, MR_OP_WADD, "a + b", NULL),
    NUMBER("sub", 2, 2, MR_OP_SUB, MR_OP_WSUB, MR_OP_WSUB, "a - b", NULL),
    NUMBER("mul", 2, 2, MR_OP_MUL, MR_OP_WMUL, MR_OP_WMUL, "a * b, component by component.", NULL),
    REAL("div", 2, DIV, "a / b, a Float.", "by 0 it is 0"),
    { .name = "floordiv",
      .least = 2,
      .most = 2,
      .rule = RULE_NUMBER,
      .ops = { MR_OP_DIV, MR_OP_WDIV, MR_OP_UDIV },
      .lower = lower_floordiv,
      .summary = "floor(a / b)",
      .guard = "by 0 it is 0" },
    NUMBER("mod", 2, 2, MR_OP_MOD, MR_OP_WMOD, MR_OP_UMOD, "a - b floor(a / b); the sign of b.",
           "by 0 it is 0"),
    REAL("fmod", 2, FMOD, "a - b trunc(a / b), a Float; the sign of a.", "by 0 it is 0"),
    REAL("pow", 2, POW, "a to the power b.", "NaN where a is below 0 and b no whole number"),
    NUMBER("neg", 1, 1, MR_OP_NEG, MR_OP_WNEG, MR_OP_WNEG, "-a", NULL),
    NUMBER("abs", 1, 1, MR_OP_ABS, MR_OP_WABS, SAME, "The size of a.", NULL),
    NUMBER("min", 1, UINT32_MAX, MR_OP_MIN, MR_OP_WMIN, MR_OP_UMIN, "The least operand; -0 is less than 0.",
           "NaN where any is NaN"),
    NUMBER("max", 1, UINT32_MAX, MR_OP_MAX, MR_OP_WMAX, MR_OP_UMAX,
           "The greatest operand; 0 is more than -0.", "NaN where any is NaN"),
    WORKED("clamp", 3, 3, RULE_NUMBER, 0, 0, lower_clamp, "min(max(x, low), high)",
           "where low is above high it is high"),
    WORKED("sign", 1, 1, RULE_NUMBER, 0, 0, lower_sign, "1 above 0, -1 below, else 0.", "0 of NaN"),
    NUMBER("floor", 1, 1, MR_OP_FLOOR, SAME, SAME, "The greatest whole number not above a.", NULL),
    NUMBER("ceil", 1, 1, MR_OP_CEIL, SAME, SAME, "The least whole number not below a.", NULL),
    NUMBER("round", 1, 1, MR_OP_ROUND, SAME, SAME, "The nearest whole number; a half goes away from 0.",
           NULL),
    NUMBER("trunc", 1, 1, MR_OP_TRUNC, SAME, SAME, "a without its fraction.", NULL),
    REAL("sqrt", 1, SQRT, "The square root.", "0 at and below 0"),
    REAL("sin", 1, SIN, "The sine of radians.", "NaN of an infinite angle"),
    REAL("cos", 1, COS, "The cosine of radians.", "NaN of an infinite angle"),
    REAL("tan", 1, TAN, "The tangent of radians.", "NaN of an infinite angle"),
    REAL("asin", 1, ASIN, "The angle whose sine is a.", "past -1 or 1 it reads the nearer of the two"),
    REAL("acos", 1, ACOS, "The angle whose cosine is a.", "past -1 or 1 it reads the nearer of the two"),
    REAL("atan", 1, ATAN, "The angle whose tangent is a.", NULL),
    REAL("atan2", 2, ATAN2, "The angle of the point (b, a), from -pi to pi.", NULL),
    REAL("sinh", 1, SINH, "The hyperbolic sine.", NULL),
    REAL("cosh", 1, COSH, "The hyperbolic cosine.", NULL),
    REAL("tanh", 1, TANH, "The hyperbolic tangent.", NULL),
    REAL("exp", 1, EXP, "e to the power a.", NULL),
    WORKED("log", 1, 2, RULE_LANES, FIELD_F32, 0, lower_log,
           "The natural logarithm, or log(a) / log(b): to the base b.", "0 at and below 0; 0 to the base 1"),
    REAL("log10", 1, LOG10, "The logarithm to base 10.", "0 at and below 0"),
    REAL("ldexp", 2, LDEXP, "a * 2^b, rounded once; of b its whole part.", "NaN where b is"),
    PAIR("frexp", FREXP_FRACTION, FREXP_EXPONENT, "(f, e) of a = f * 2^e, f from 0.5 to below 1 in size.",
         "(a, 0) of 0, infinities and NaN"),
    PAIR("modf", TRUNC, MODF_FRACTION, "The whole part and the fraction of a, both with its sign.",
         "the fraction of an infinity is 0"),
    WORKED("map", 5, 5, RULE_LANES, FIELD_F32, 0, lower_map,
           "x moved from one range to another: low2 + (x - low1) * (high2 - low2) / (high1 - low1).",
           "low2 from a range of no width"),
    WORKED("deg", 1, 1, RULE_LANES, FIELD_F32, 0, lower_deg, "Radians as degrees.", NULL),
    WORKED("rad", 1, 1, RULE_LANES, FIELD_F32, 0, lower_rad, "Degrees as radians.", NULL),
    REAL("lerp", 3, LERP, "a + (b - a) * t", "at t = 1 it is b"),
    REAL("smoothstep", 3, SMOOTHSTEP, "t * t * (3 - 2 * t) of t = clamp((x - low) / (high - low), 0, 1).",
         "low equal to high gives 0"),
    TEST("isnan", ISNAN, "Whether a is no number."),
    TEST("isinf", ISINF, "Whether a is infinite."),
    TEST("isfinite", ISFINITE, "Whether a is neither infinite nor NaN."),
    ORDER("lt", false, MR_OP_LT, MR_OP_WLT, MR_OP_ULT, "a < b, of the first components."),
    ORDER("le", false, MR_OP_LE, MR_OP_WLE, MR_OP_ULE, "a <= b, of the first components."),
    ORDER("gt", true, MR_OP_GT, MR_OP_WLT, MR_OP_ULT, "a > b, of the first components."),
    ORDER("ge", true, MR_OP_GE, MR_OP_WLE, MR_OP_ULE, "a >= b, of the first components."),
    WORKED("eq", 2, 2, RULE_EQUAL, 0, 0, lower_equal, "Whether every component is equal.", NULL),
    WORKED("ne", 2, 2, RULE_EQUAL, 0, 0, lower_unequal, "Whether some component differs.", NULL),
    WORKED("where", 3, 3, RULE_WHERE, 0, 0, lower_where, "a where the truth holds, else b.", NULL),
    WORKED("to_int", 1, 1, RULE_LANES, FIELD_I32, 0, lower_cast, "trunc, as an Int.",
           "NaN gives 0; past either end, that end"),
    WORKED("to_uint", 1, 1, RULE_NARROW, FIELD_U32, MR_COLUMN_UINT, lower_cast, "trunc, as a UInt.",
           "NaN gives 0; past either end, that end"),
    WORKED("to_float", 1, 1, RULE_LANES, FIELD_F32, 0, lower_cast, "The nearest Float.", NULL),
    WORKED("to_bool", 1, 1, RULE_LANES, FIELD_BOOL, 0, lower_cast, "Whether it differs from 0.", NULL),
    WHOLE("band", MR_OP_WAND, MR_OP_WAND, "The bits both have.", NULL),
    WHOLE("bor", MR_OP_WOR, MR_OP_WOR, "The bits either has.", NULL),
    WHOLE("bxor", MR_OP_WXOR, MR_OP_WXOR, "The bits one of them has.", NULL),
    WHOLE("shl", MR_OP_WSHL, MR_OP_WSHL, "a's bits moved up by b.", "0 where b is outside 0..31"),
    WHOLE("shr", MR_OP_WSHR, MR_OP_USHR, "a's bits moved down by b; an Int's sign moves in.",
          "all sign where b is outside 0..31"),
    WORKED("length", 1, 1, RULE_FIXED, 0, MR_COLUMN_FLOAT, lower_length, "The root of the sum of squares.",
           NULL),
    WORKED("normalize", 1, 1, RULE_LANES, FIELD_F32, 0, lower_normalize, "a over its length.",
           "of length 0 it stays as it is"),
    WORKED("dot", 2, 2, RULE_FIXED, 0, MR_COLUMN_FLOAT, lower_dot, "The sum of products.", NULL),
    WORKED("cross", 2, 2, RULE_FIXED, 0, MR_COLUMN_VEC3, lower_cross,
           "The cross product of three components.", NULL),
    WORKED("vec2", 1, 2, RULE_COMPOSE, 0, MR_COLUMN_VEC2, lower_compose, "Two components.", NULL),
    WORKED("vec3", 1, 3, RULE_COMPOSE, 0, MR_COLUMN_VEC3, lower_compose, "Three components.", NULL),
    WORKED("vec4", 1, 4, RULE_COMPOSE, 0, MR_COLUMN_VEC4, lower_compose, "Four components.", NULL),
    WORKED("color", 1, 4, RULE_COMPOSE, 0, MR_COLUMN_COLOR, lower_compose, "Red, green, blue and alpha.",
           NULL),
    WORKED("noise", 1, 3, RULE_POINT, 0, MR_COLUMN_FLOAT, lower_noise,
           "Perlin's improved noise, about -1 to 1, at 1 to 3 components.", "what is not finite counts as 0"),
    WORKED("rand", 2, 5, RULE_NARROW, 0, MR_COLUMN_FLOAT, lower_rand,
           "A number in [0, 1) of a seed, scopes and an element, all whole.", NULL),
    WORKED("rand_range", 4, 4, RULE_NARROW, 0, MR_COLUMN_FLOAT, lower_rand_range,
           "low + (high - low) * rand(seed, element).", NULL),
    WORKED("rand3", 2, 2, RULE_NARROW, 0, MR_COLUMN_VEC3, lower_rand3,
           "Three numbers in [0, 1) of a seed and an element.", NULL),
    { .name = "rand_unit",
      .least = 2,
      .most = 2,
      .rule = RULE_NARROW,
      .type = MR_COLUMN_FLOAT,
      .ops = { MR_OP_RAND_UNIT },
      .lower = lower_rand_prefixed,
      .summary = "A number in [0, 1) of a prefix already folded and an element." },
    { .name = "rand_word",
      .least = 2,
      .most = 2,
      .rule = RULE_NARROW,
      .type = MR_COLUMN_UINT,
      .ops = { MR_OP_RAND_WORD },
      .lower = lower_rand_prefixed,
      .summary = "A word of a prefix already folded and an element." },
};

enum { OPERATORS = sizeof operators / sizeof *operators };

const field_operator *field_operator_find(mr_view name)
{
    for (size_t i = 0; i < OPERATORS; i++) {
        if (mr_view_is(name, operators[i].name)) {
            return &operators[i];
        }
    }
    return NULL;
}

const char *field_operator_name(const field_operator *applied)
{
    return applied->name;
}

void field_operator_arity(const field_operator *applied, uint32_t *least, uint32_t *most)
{
    *least = applied->least;
    *most = applied->most;
}

size_t mr_field_operator_count(void)
{
    return OPERATORS;
}

mr_field_operator_about mr_field_operator_at(size_t index)
{
    const field_operator *applied = &operators[index];
    return (mr_field_operator_about){ applied->name, applied->least, applied->most, applied->summary,
                                      applied->guard };
}

// Typing.

static uint32_t widest(mr_field *const *operands, uint32_t count)
{
    uint32_t lanes = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = lanes_of(operands[i]);
        lanes = own > lanes ? own : lanes;
    }
    return lanes;
}

static bool all_colors(mr_field *const *operands, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i]->type == MR_COLUMN_COLOR) {
            any = true;
        } else if (lanes_of(operands[i]) == 4) {
            return false;
        }
    }
    return any;
}

static bool widened_type(const field_operator *applied, field_kind kind, mr_field *const *operands,
                         uint32_t count, mr_column_type *type, mr_error *error)
{
    uint32_t lanes = widest(operands, count);
    *type = field_type_of(kind, lanes);
    if (*type == MR_COLUMN_TYPE_COUNT) {
        return mr_fail(error, MR_BAD_INPUT, "%s of %u lanes would be whole numbers; no column holds so many",
                       applied->name, lanes);
    }
    if (*type == MR_COLUMN_VEC4 && all_colors(operands, count)) {
        *type = MR_COLUMN_COLOR;
    }
    return true;
}

static bool check_components(const field_operator *applied, mr_field *const *operands, uint32_t count,
                             mr_error *error)
{
    uint32_t sum = 0, most = applied->rule == RULE_COMPOSE ? mr_column_lanes(applied->type) : 3;
    for (uint32_t i = 0; i < count; i++) {
        sum += lanes_of(operands[i]);
    }
    if (sum == most || (applied->rule == RULE_POINT && sum < most)) {
        return true;
    }
    return mr_fail(error, MR_BAD_INPUT, "%s takes %s%u components and was given %u", applied->name,
                   applied->rule == RULE_POINT ? "1 to " : "", most, sum);
}

static bool check_narrow(const field_operator *applied, mr_field *const *operands, uint32_t count,
                         mr_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (lanes_of(operands[i]) != 1) {
            return mr_fail(error, MR_BAD_INPUT, "%s takes single numbers; operand %u is a %s", applied->name,
                           i + 1, mr_column_type_name(operands[i]->type));
        }
    }
    return true;
}

bool field_operator_type(const field_operator *applied, mr_field *const *operands, uint32_t count,
                         mr_column_type *type, mr_error *error)
{
    *type = applied->type;
    switch (applied->rule) {
    case RULE_NUMBER:
        return widened_type(applied, number_kind(operands, count), operands, count, type, error);
    case RULE_WHOLE:
        return widened_type(applied, whole_kind(operands, count), operands, count, type, error);
    case RULE_LANES:
        return widened_type(applied, applied->kind, operands, count, type, error);
    case RULE_WHERE: {
        uint32_t lanes = lanes_of(operands[0]);
        field_kind kind = joint_kind(operands + 1, 2);
        if (lanes > widest(operands + 1, 2)) {
            return widened_type(applied, kind, operands, count, type, error);
        }
        return widened_type(applied, kind, operands + 1, 2, type, error);
    }
    case RULE_ORDER:
    case RULE_EQUAL:
        *type = MR_COLUMN_BOOL;
        return true;
    case RULE_COMPOSE:
    case RULE_POINT:
        return check_components(applied, operands, count, error);
    case RULE_NARROW:
        return check_narrow(applied, operands, count, error);
    case RULE_FIXED:
    default:
        return true;
    }
}
