// field/field_operators.c: the operators fields know, and how each is typed.

#include "field/field_operator.h"

// The table.

#define REAL(text, count, code, about, stand_in)                                                             \
    {                                                                                                        \
        .name = text, .least = count, .most = count, .rule = FIELD_RULE_LANES, .kind = FIELD_F32,            \
        .ops = { MR_OP_##code }, .summary = about, .guard = stand_in                                         \
    }
#define NUMBER(text, count, most_of, f32, i32, u32, about, stand_in)                                         \
    {                                                                                                        \
        .name = text, .least = count, .most = most_of, .rule = FIELD_RULE_NUMBER, .ops = { f32, i32, u32 },  \
        .summary = about, .guard = stand_in                                                                  \
    }
#define WHOLE(text, i32, u32, about, stand_in)                                                               \
    {                                                                                                        \
        .name = text, .least = 2, .most = 2, .rule = FIELD_RULE_WHOLE, .ops = { MR_OP_COUNT, i32, u32 },     \
        .summary = about, .guard = stand_in                                                                  \
    }
#define ORDER(text, swapped, f32, i32, u32, about)                                                           \
    {                                                                                                        \
        .name = text, .least = 2, .most = 2, .rule = FIELD_RULE_ORDER,                                       \
        .kind = swapped ? FIELD_BOOL : FIELD_F32, .ops = { f32, i32, u32 }, .lower = field_lower_order,      \
        .summary = about                                                                                     \
    }
#define WORKED(text, low, high, how, kind_of, type_of, with, about, stand_in)                                \
    {                                                                                                        \
        .name = text, .least = low, .most = high, .rule = how, .kind = kind_of, .type = type_of,             \
        .lower = with, .summary = about, .guard = stand_in                                                   \
    }
#define TEST(text, code, about)                                                                              \
    {                                                                                                        \
        .name = text, .least = 1, .most = 1, .rule = FIELD_RULE_LANES, .kind = FIELD_BOOL,                   \
        .ops = { MR_OP_##code }, .lower = field_lower_test, .summary = about                                 \
    }
#define PAIR(text, first, second, about, stand_in)                                                           \
    {                                                                                                        \
        .name = text, .least = 1, .most = 1, .rule = FIELD_RULE_NARROW, .type = MR_COLUMN_VEC2,              \
        .ops = { MR_OP_##first, MR_OP_##second }, .lower = field_lower_pair, .summary = about,               \
        .guard = stand_in                                                                                    \
    }

static const field_operator operators[] = {
    NUMBER("add", 2, 2, MR_OP_ADD, MR_OP_WADD, MR_OP_WADD, "a + b", NULL),
    NUMBER("sub", 2, 2, MR_OP_SUB, MR_OP_WSUB, MR_OP_WSUB, "a - b", NULL),
    NUMBER("mul", 2, 2, MR_OP_MUL, MR_OP_WMUL, MR_OP_WMUL, "a * b, component by component.", NULL),
    REAL("div", 2, DIV, "a / b, a Float.", "by 0 it is 0"),
    { .name = "floordiv",
      .least = 2,
      .most = 2,
      .rule = FIELD_RULE_NUMBER,
      .ops = { MR_OP_DIV, MR_OP_WDIV, MR_OP_UDIV },
      .lower = field_lower_floordiv,
      .summary = "floor(a / b)",
      .guard = "by 0 it is 0" },
    NUMBER("mod", 2, 2, MR_OP_MOD, MR_OP_WMOD, MR_OP_UMOD, "a - b floor(a / b); the sign of b.",
           "by 0 it is 0"),
    REAL("fmod", 2, FMOD, "a - b trunc(a / b), a Float; the sign of a.", "by 0 it is 0"),
    REAL("pow", 2, POW, "a to the power b.", "NaN where a is below 0 and b no whole number"),
    NUMBER("neg", 1, 1, MR_OP_NEG, MR_OP_WNEG, MR_OP_WNEG, "-a", NULL),
    NUMBER("abs", 1, 1, MR_OP_ABS, MR_OP_WABS, FIELD_SAME, "The size of a.", NULL),
    NUMBER("min", 1, UINT32_MAX, MR_OP_MIN, MR_OP_WMIN, MR_OP_UMIN, "The least operand; -0 is less than 0.",
           "NaN where any is NaN"),
    NUMBER("max", 1, UINT32_MAX, MR_OP_MAX, MR_OP_WMAX, MR_OP_UMAX,
           "The greatest operand; 0 is more than -0.", "NaN where any is NaN"),
    WORKED("clamp", 3, 3, FIELD_RULE_NUMBER, 0, 0, field_lower_clamp, "min(max(x, low), high)",
           "where low is above high it is high"),
    WORKED("sign", 1, 1, FIELD_RULE_NUMBER, 0, 0, field_lower_sign, "1 above 0, -1 below, else 0.",
           "0 of NaN"),
    NUMBER("floor", 1, 1, MR_OP_FLOOR, FIELD_SAME, FIELD_SAME, "The greatest whole number not above a.",
           NULL),
    NUMBER("ceil", 1, 1, MR_OP_CEIL, FIELD_SAME, FIELD_SAME, "The least whole number not below a.", NULL),
    NUMBER("round", 1, 1, MR_OP_ROUND, FIELD_SAME, FIELD_SAME,
           "The nearest whole number; a half goes away from 0.", NULL),
    NUMBER("trunc", 1, 1, MR_OP_TRUNC, FIELD_SAME, FIELD_SAME, "a without its fraction.", NULL),
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
    WORKED("log", 1, 2, FIELD_RULE_LANES, FIELD_F32, 0, field_lower_log,
           "The natural logarithm, or log(a) / log(b): to the base b.", "0 at and below 0; 0 to the base 1"),
    REAL("log10", 1, LOG10, "The logarithm to base 10.", "0 at and below 0"),
    REAL("ldexp", 2, LDEXP, "a * 2^b, rounded once; of b its whole part.", "NaN where b is"),
    PAIR("frexp", FREXP_FRACTION, FREXP_EXPONENT, "(f, e) of a = f * 2^e, f from 0.5 to below 1 in size.",
         "(a, 0) of 0, infinities and NaN"),
    PAIR("modf", TRUNC, MODF_FRACTION, "The whole part and the fraction of a, both with its sign.",
         "the fraction of an infinity is 0"),
    WORKED("map", 5, 5, FIELD_RULE_LANES, FIELD_F32, 0, field_lower_map,
           "x moved from one range to another: low2 + (x - low1) * (high2 - low2) / (high1 - low1).",
           "low2 from a range of no width"),
    WORKED("deg", 1, 1, FIELD_RULE_LANES, FIELD_F32, 0, field_lower_deg, "Radians as degrees.", NULL),
    WORKED("rad", 1, 1, FIELD_RULE_LANES, FIELD_F32, 0, field_lower_rad, "Degrees as radians.", NULL),
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
    WORKED("eq", 2, 2, FIELD_RULE_EQUAL, 0, 0, field_lower_equal, "Whether every component is equal.", NULL),
    WORKED("ne", 2, 2, FIELD_RULE_EQUAL, 0, 0, field_lower_unequal, "Whether some component differs.", NULL),
    WORKED("where", 3, 3, FIELD_RULE_WHERE, 0, 0, field_lower_where, "a where the truth holds, else b.",
           NULL),
    WORKED("to_int", 1, 1, FIELD_RULE_LANES, FIELD_I32, 0, field_lower_cast, "trunc, as an Int.",
           "NaN gives 0; past either end, that end"),
    WORKED("to_uint", 1, 1, FIELD_RULE_NARROW, FIELD_U32, MR_COLUMN_UINT, field_lower_cast,
           "trunc, as a UInt.", "NaN gives 0; past either end, that end"),
    WORKED("to_float", 1, 1, FIELD_RULE_LANES, FIELD_F32, 0, field_lower_cast, "The nearest Float.", NULL),
    WORKED("to_bool", 1, 1, FIELD_RULE_LANES, FIELD_BOOL, 0, field_lower_cast, "Whether it differs from 0.",
           NULL),
    WHOLE("band", MR_OP_WAND, MR_OP_WAND, "The bits both have.", NULL),
    WHOLE("bor", MR_OP_WOR, MR_OP_WOR, "The bits either has.", NULL),
    WHOLE("bxor", MR_OP_WXOR, MR_OP_WXOR, "The bits one of them has.", NULL),
    WHOLE("shl", MR_OP_WSHL, MR_OP_WSHL, "a's bits moved up by b.", "0 where b is outside 0..31"),
    WHOLE("shr", MR_OP_WSHR, MR_OP_USHR, "a's bits moved down by b; an Int's sign moves in.",
          "all sign where b is outside 0..31"),
    WORKED("length", 1, 1, FIELD_RULE_FIXED, 0, MR_COLUMN_FLOAT, field_lower_length,
           "The root of the sum of squares.", NULL),
    WORKED("normalize", 1, 1, FIELD_RULE_LANES, FIELD_F32, 0, field_lower_normalize, "a over its length.",
           "of length 0 it stays as it is"),
    WORKED("dot", 2, 2, FIELD_RULE_FIXED, 0, MR_COLUMN_FLOAT, field_lower_dot, "The sum of products.", NULL),
    WORKED("cross", 2, 2, FIELD_RULE_FIXED, 0, MR_COLUMN_VEC3, field_lower_cross,
           "The cross product of three components.", NULL),
    WORKED("vec2", 1, 2, FIELD_RULE_COMPOSE, 0, MR_COLUMN_VEC2, field_lower_compose, "Two components.", NULL),
    WORKED("vec3", 1, 3, FIELD_RULE_COMPOSE, 0, MR_COLUMN_VEC3, field_lower_compose, "Three components.",
           NULL),
    WORKED("vec4", 1, 4, FIELD_RULE_COMPOSE, 0, MR_COLUMN_VEC4, field_lower_compose, "Four components.",
           NULL),
    WORKED("color", 1, 4, FIELD_RULE_COMPOSE, 0, MR_COLUMN_COLOR, field_lower_compose,
           "Red, green, blue and alpha.", NULL),
    WORKED("noise", 1, 3, FIELD_RULE_POINT, 0, MR_COLUMN_FLOAT, field_lower_perlin,
           "Perlin's improved noise, about -1 to 1, at 1 to 3 components.", "what is not finite counts as 0"),
    WORKED("srgb_to_linear", 1, 1, FIELD_RULE_LANES, FIELD_F32, 0, field_lower_srgb_to_linear,
           "A code of sRGB as linear light, channel by channel; the alpha of a Color stays.", NULL),
    WORKED("linear_to_srgb", 1, 1, FIELD_RULE_LANES, FIELD_F32, 0, field_lower_linear_to_srgb,
           "Linear light as a code of sRGB, channel by channel; the alpha of a Color stays.", NULL),
    WORKED("luminance", 1, 1, FIELD_RULE_FIXED, 0, MR_COLUMN_FLOAT, field_lower_luminance,
           "The relative luminance of linear light.", NULL),
    WORKED("hsv_to_rgb", 1, 1, FIELD_RULE_FIXED, 0, MR_COLUMN_VEC3, field_lower_hsv_to_rgb,
           "Red, green and blue of hue (in turns), saturation and value.", "a hue that is not finite is red"),
    WORKED("rgb_to_hsv", 1, 1, FIELD_RULE_FIXED, 0, MR_COLUMN_VEC3, field_lower_rgb_to_hsv,
           "Hue (in turns, 0 to below 1), saturation and value of red, green and blue.", "hue 0 of a gray"),
    WORKED("blackbody", 1, 1, FIELD_RULE_NARROW, 0, MR_COLUMN_VEC3, field_lower_blackbody,
           "The linear light of a black body of so many kelvin, its greatest channel 1.",
           "held to 1000 to 15000; NaN is 1000"),
    WORKED("ramp_ease", 1, 1, FIELD_RULE_LANES, FIELD_F32, 0, field_lower_ramp_ease,
           "t * t * (3 - 2 * t) of t held to 0 and 1.", NULL),
    WORKED("rand", 2, 5, FIELD_RULE_NARROW, 0, MR_COLUMN_FLOAT, field_lower_rand,
           "A number in [0, 1) of a seed, scopes and an element, all whole.", NULL),
    WORKED("rand_range", 4, 4, FIELD_RULE_NARROW, 0, MR_COLUMN_FLOAT, field_lower_rand_range,
           "low + (high - low) * rand(seed, element).", NULL),
    WORKED("rand3", 2, 2, FIELD_RULE_NARROW, 0, MR_COLUMN_VEC3, field_lower_rand3,
           "Three numbers in [0, 1) of a seed and an element.", NULL),
    { .name = "rand_unit",
      .least = 2,
      .most = 2,
      .rule = FIELD_RULE_NARROW,
      .type = MR_COLUMN_FLOAT,
      .ops = { MR_OP_RAND_UNIT },
      .lower = field_lower_rand_prefixed,
      .summary = "A number in [0, 1) of a prefix already folded and an element." },
    { .name = "rand_word",
      .least = 2,
      .most = 2,
      .rule = FIELD_RULE_NARROW,
      .type = MR_COLUMN_UINT,
      .ops = { MR_OP_RAND_WORD },
      .lower = field_lower_rand_prefixed,
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
        uint32_t own = field_lanes(operands[i]);
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
        } else if (field_lanes(operands[i]) == 4) {
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
    uint32_t sum = 0, most = applied->rule == FIELD_RULE_COMPOSE ? mr_column_lanes(applied->type) : 3;
    for (uint32_t i = 0; i < count; i++) {
        sum += field_lanes(operands[i]);
    }
    if (sum == most || (applied->rule == FIELD_RULE_POINT && sum < most)) {
        return true;
    }
    return mr_fail(error, MR_BAD_INPUT, "%s takes %s%u components and was given %u", applied->name,
                   applied->rule == FIELD_RULE_POINT ? "1 to " : "", most, sum);
}

static bool check_narrow(const field_operator *applied, mr_field *const *operands, uint32_t count,
                         mr_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (field_lanes(operands[i]) != 1) {
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
    case FIELD_RULE_NUMBER:
        return widened_type(applied, field_number_kind(operands, count), operands, count, type, error);
    case FIELD_RULE_WHOLE:
        return widened_type(applied, field_whole_kind(operands, count), operands, count, type, error);
    case FIELD_RULE_LANES:
        return widened_type(applied, applied->kind, operands, count, type, error);
    case FIELD_RULE_WHERE: {
        uint32_t lanes = field_lanes(operands[0]);
        field_kind kind = field_joint_kind(operands + 1, 2);
        if (lanes > widest(operands + 1, 2)) {
            return widened_type(applied, kind, operands, count, type, error);
        }
        return widened_type(applied, kind, operands + 1, 2, type, error);
    }
    case FIELD_RULE_ORDER:
    case FIELD_RULE_EQUAL:
        *type = MR_COLUMN_BOOL;
        return true;
    case FIELD_RULE_COMPOSE:
    case FIELD_RULE_POINT:
        return check_components(applied, operands, count, error);
    case FIELD_RULE_NARROW:
        return check_narrow(applied, operands, count, error);
    case FIELD_RULE_FIXED:
    default:
        return true;
    }
}
