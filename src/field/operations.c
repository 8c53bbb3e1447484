// field/operations.c: the table, and one lane by it.

#include "field/operations.h"

#define OPERATION(code, text, about, stand_in, to, may_fail, either_way, ...)                                \
    [MR_OP_##code] = { .name = text,                                                                         \
                       .op = MR_OP_##code,                                                                   \
                       .arity = sizeof((mr_lane[]){ __VA_ARGS__ }) / sizeof(mr_lane),                        \
                       .operands = { __VA_ARGS__ },                                                          \
                       .result = to,                                                                         \
                       .fails = may_fail,                                                                    \
                       .commutes = either_way,                                                               \
                       .summary = about,                                                                     \
                       .guard = stand_in }
#define F32 MR_LANE_F32
#define I64 MR_LANE_I64
#define BOOL MR_LANE_BOOL
#define WORD MR_LANE_WORD

static const mr_operation operations[MR_OP_COUNT] = {
    OPERATION(ADD, "add", "a + b", NULL, F32, false, true, F32, F32),
    OPERATION(SUB, "sub", "a - b", NULL, F32, false, false, F32, F32),
    OPERATION(MUL, "mul", "a * b", NULL, F32, false, true, F32, F32),
    OPERATION(DIV, "div", "a / b", "by 0 it is 0", F32, false, false, F32, F32),
    OPERATION(NEG, "neg", "-a", NULL, F32, false, false, F32),
    OPERATION(ABS, "abs", "The size of a, without its sign.", NULL, F32, false, false, F32),
    OPERATION(SIGN, "sign", "1 above 0, -1 below, else 0.", "0 and NaN give 0", F32, false, false, F32),
    OPERATION(MIN, "min", "The lesser; -0 is less than 0.", "NaN where either is NaN", F32, false, true, F32,
              F32),
    OPERATION(MAX, "max", "The greater; 0 is more than -0.", "NaN where either is NaN", F32, false, true, F32,
              F32),
    OPERATION(CLAMP, "clamp", "min(max(x, low), high)", "where low is above high it is high", F32, false,
              false, F32, F32, F32),
    OPERATION(FLOOR, "floor", "The greatest whole number not above a.", NULL, F32, false, false, F32),
    OPERATION(CEIL, "ceil", "The least whole number not below a.", NULL, F32, false, false, F32),
    OPERATION(ROUND, "round", "The nearest whole number; a half goes away from 0.", NULL, F32, false, false,
              F32),
    OPERATION(TRUNC, "trunc", "a without its fraction.", NULL, F32, false, false, F32),
    OPERATION(MOD, "mod", "a - b floor(a / b), rounded once; the sign of b.", "by 0 it is 0", F32, false,
              false, F32, F32),
    OPERATION(FMOD, "fmod", "a - b trunc(a / b), exact; the sign of a.", "by 0 it is 0", F32, false, false,
              F32, F32),
    OPERATION(MIX, "mix", "a + (b - a) * t, each step rounded.", NULL, F32, false, false, F32, F32, F32),
    OPERATION(LERP, "lerp", "mix that ends at b.", "at t = 1 it is b", F32, false, false, F32, F32, F32),
    OPERATION(SMOOTHSTEP, "smoothstep",
              "t * t * (3 - 2 * t) of t = clamp((x - low) / (high - low), 0, 1); operands low, high, x.",
              "low equal to high gives 0", F32, false, false, F32, F32, F32),
    OPERATION(SQRT, "sqrt", "The square root.", "0 at and below 0", F32, false, false, F32),
    OPERATION(CBRT, "cbrt", "The cube root.", NULL, F32, false, false, F32),
    OPERATION(HYPOT, "hypot", "The square root of a * a + b * b.", NULL, F32, false, true, F32, F32),
    OPERATION(SIN, "sin", "The sine of radians.", "NaN of an infinite angle", F32, false, false, F32),
    OPERATION(COS, "cos", "The cosine of radians.", "NaN of an infinite angle", F32, false, false, F32),
    OPERATION(TAN, "tan", "The tangent of radians.", "NaN of an infinite angle", F32, false, false, F32),
    OPERATION(ASIN, "asin", "The angle whose sine is a.", "past -1 or 1 it reads the nearer of the two", F32,
              false, false, F32),
    OPERATION(ACOS, "acos", "The angle whose cosine is a.", "past -1 or 1 it reads the nearer of the two",
              F32, false, false, F32),
    OPERATION(ATAN, "atan", "The angle whose tangent is a.", NULL, F32, false, false, F32),
    OPERATION(ATAN2, "atan2", "The angle of the point (b, a), from -pi to pi.", NULL, F32, false, false, F32,
              F32),
    OPERATION(SINH, "sinh", "The hyperbolic sine.", NULL, F32, false, false, F32),
    OPERATION(COSH, "cosh", "The hyperbolic cosine.", NULL, F32, false, false, F32),
    OPERATION(TANH, "tanh", "The hyperbolic tangent.", NULL, F32, false, false, F32),
    OPERATION(EXP, "exp", "e to the power a.", NULL, F32, false, false, F32),
    OPERATION(EXP2, "exp2", "2 to the power a.", NULL, F32, false, false, F32),
    OPERATION(LOG, "log", "The natural logarithm.", "0 at and below 0", F32, false, false, F32),
    OPERATION(LOG2, "log2", "The logarithm to base 2.", "0 at and below 0", F32, false, false, F32),
    OPERATION(LOG10, "log10", "The logarithm to base 10.", "0 at and below 0", F32, false, false, F32),
    OPERATION(POW, "pow", "a to the power b.", "NaN where a is below 0 and b no whole number", F32, false,
              false, F32, F32),
    OPERATION(LDEXP, "ldexp", "a * 2^b, rounded once; of b its whole part.", "NaN where b is", F32, false,
              false, F32, F32),
    OPERATION(FREXP_FRACTION, "frexp_fraction", "The f of a = f * 2^e, 0.5 to below 1 in size.",
              "0, infinities and NaN are their own", F32, false, false, F32),
    OPERATION(FREXP_EXPONENT, "frexp_exponent", "The e of a = f * 2^e.", "0 of 0, infinities and NaN", F32,
              false, false, F32),
    OPERATION(MODF_FRACTION, "modf_fraction", "a - trunc(a), with the sign of a.", "0 of an infinity", F32,
              false, false, F32),
    OPERATION(LT, "lt", "a < b", NULL, BOOL, false, false, F32, F32),
    OPERATION(LE, "le", "a <= b", NULL, BOOL, false, false, F32, F32),
    OPERATION(GT, "gt", "a > b", NULL, BOOL, false, false, F32, F32),
    OPERATION(GE, "ge", "a >= b", NULL, BOOL, false, false, F32, F32),
    OPERATION(EQ, "eq", "a == b", NULL, BOOL, false, true, F32, F32),
    OPERATION(NE, "ne", "a != b", NULL, BOOL, false, true, F32, F32),
    OPERATION(WHERE, "where", "a where the truth holds, else b.", NULL, F32, false, false, BOOL, F32, F32),
    OPERATION(ISNAN, "isnan", "Whether a is no number.", NULL, BOOL, false, false, F32),
    OPERATION(ISINF, "isinf", "Whether a is infinite.", NULL, BOOL, false, false, F32),
    OPERATION(ISFINITE, "isfinite", "Whether a is neither infinite nor NaN.", NULL, BOOL, false, false, F32),
    OPERATION(AND, "and", "Whether both hold.", NULL, BOOL, false, true, BOOL, BOOL),
    OPERATION(OR, "or", "Whether either holds.", NULL, BOOL, false, true, BOOL, BOOL),
    OPERATION(NOT, "not", "Whether it does not hold.", NULL, BOOL, false, false, BOOL),
    OPERATION(BEQ, "beq", "Whether two truths are alike.", NULL, BOOL, false, true, BOOL, BOOL),
    OPERATION(BWHERE, "bwhere", "where, of truths.", NULL, BOOL, false, false, BOOL, BOOL, BOOL),
    OPERATION(IADD, "iadd", "a + b of whole numbers.", "overflow is an error", I64, true, true, I64, I64),
    OPERATION(ISUB, "isub", "a - b of whole numbers.", "overflow is an error", I64, true, false, I64, I64),
    OPERATION(IMUL, "imul", "a * b of whole numbers.", "overflow is an error", I64, true, true, I64, I64),
    OPERATION(IDIV, "idiv", "floor(a / b) of whole numbers.", "by 0 it is 0; overflow is an error", I64, true,
              false, I64, I64),
    OPERATION(IMOD, "imod", "a - b floor(a / b) of whole numbers; the sign of b.", "by 0 it is 0", I64, false,
              false, I64, I64),
    OPERATION(INEG, "ineg", "-a of a whole number.", "overflow is an error", I64, true, false, I64),
    OPERATION(IABS, "iabs", "The size of a whole number.", "overflow is an error", I64, true, false, I64),
    OPERATION(IMIN, "imin", "The lesser whole number.", NULL, I64, false, true, I64, I64),
    OPERATION(IMAX, "imax", "The greater whole number.", NULL, I64, false, true, I64, I64),
    OPERATION(ILT, "ilt", "a < b of whole numbers.", NULL, BOOL, false, false, I64, I64),
    OPERATION(ILE, "ile", "a <= b of whole numbers.", NULL, BOOL, false, false, I64, I64),
    OPERATION(IGT, "igt", "a > b of whole numbers.", NULL, BOOL, false, false, I64, I64),
    OPERATION(IGE, "ige", "a >= b of whole numbers.", NULL, BOOL, false, false, I64, I64),
    OPERATION(IEQ, "ieq", "a == b of whole numbers.", NULL, BOOL, false, true, I64, I64),
    OPERATION(INE, "ine", "a != b of whole numbers.", NULL, BOOL, false, true, I64, I64),
    OPERATION(IWHERE, "iwhere", "where, of whole numbers.", NULL, I64, false, false, BOOL, I64, I64),
    OPERATION(WADD, "wadd", "a + b of words.", "wraps round", WORD, false, true, WORD, WORD),
    OPERATION(WSUB, "wsub", "a - b of words.", "wraps round", WORD, false, false, WORD, WORD),
    OPERATION(WMUL, "wmul", "a * b of words.", "wraps round", WORD, false, true, WORD, WORD),
    OPERATION(WDIV, "wdiv", "floor(a / b) of signed words.", "by 0 it is 0; -2^31 over -1 is -2^31", WORD,
              false, false, WORD, WORD),
    OPERATION(UDIV, "udiv", "floor(a / b) of unsigned words.", "by 0 it is 0", WORD, false, false, WORD,
              WORD),
    OPERATION(WMOD, "wmod", "a - b floor(a / b) of signed words; the sign of b.", "by 0 it is 0", WORD, false,
              false, WORD, WORD),
    OPERATION(UMOD, "umod", "a - b floor(a / b) of unsigned words.", "by 0 it is 0", WORD, false, false, WORD,
              WORD),
    OPERATION(WNEG, "wneg", "-a of a word.", "wraps round", WORD, false, false, WORD),
    OPERATION(WABS, "wabs", "The size of a signed word.", "-2^31 stays", WORD, false, false, WORD),
    OPERATION(WSIGN, "wsign", "1 above 0, -1 below, else 0, of a signed word.", NULL, WORD, false, false,
              WORD),
    OPERATION(WMIN, "wmin", "The lesser signed word.", NULL, WORD, false, true, WORD, WORD),
    OPERATION(UMIN, "umin", "The lesser unsigned word.", NULL, WORD, false, true, WORD, WORD),
    OPERATION(WMAX, "wmax", "The greater signed word.", NULL, WORD, false, true, WORD, WORD),
    OPERATION(UMAX, "umax", "The greater unsigned word.", NULL, WORD, false, true, WORD, WORD),
    OPERATION(WAND, "wand", "The bits both have.", NULL, WORD, false, true, WORD, WORD),
    OPERATION(WOR, "wor", "The bits either has.", NULL, WORD, false, true, WORD, WORD),
    OPERATION(WXOR, "wxor", "The bits one of them has.", NULL, WORD, false, true, WORD, WORD),
    OPERATION(WSHL, "wshl", "a's bits moved up by b.", "0 where b is outside 0..31", WORD, false, false, WORD,
              WORD),
    OPERATION(WSHR, "wshr", "a's bits moved down by b, its sign moving in.",
              "all sign where b is outside 0..31", WORD, false, false, WORD, WORD),
    OPERATION(USHR, "ushr", "a's bits moved down by b.", "0 where b is outside 0..31", WORD, false, false,
              WORD, WORD),
    OPERATION(WLT, "wlt", "a < b of signed words.", NULL, BOOL, false, false, WORD, WORD),
    OPERATION(ULT, "ult", "a < b of unsigned words.", NULL, BOOL, false, false, WORD, WORD),
    OPERATION(WLE, "wle", "a <= b of signed words.", NULL, BOOL, false, false, WORD, WORD),
    OPERATION(ULE, "ule", "a <= b of unsigned words.", NULL, BOOL, false, false, WORD, WORD),
    OPERATION(WEQ, "weq", "a == b of words.", NULL, BOOL, false, true, WORD, WORD),
    OPERATION(WNE, "wne", "a != b of words.", NULL, BOOL, false, true, WORD, WORD),
    OPERATION(WWHERE, "wwhere", "where, of words.", NULL, WORD, false, false, BOOL, WORD, WORD),
    OPERATION(TO_F32, "to_f32", "The f32 nearest a whole number.", NULL, F32, false, false, I64),
    OPERATION(FLOOR_TO_INT, "floor_to_int", "floor as a whole number.",
              "NaN gives 0; past either end, that end", I64, false, false, F32),
    OPERATION(CEIL_TO_INT, "ceil_to_int", "ceil as a whole number.", "NaN gives 0; past either end, that end",
              I64, false, false, F32),
    OPERATION(ROUND_TO_INT, "round_to_int", "round as a whole number.",
              "NaN gives 0; past either end, that end", I64, false, false, F32),
    OPERATION(BOOL_TO_F32, "bool_to_f32", "1 where it holds, else 0.", NULL, F32, false, false, BOOL),
    OPERATION(BOOL_TO_WORD, "bool_to_word", "1 where it holds, else 0, as a word.", NULL, WORD, false, false,
              BOOL),
    OPERATION(WORD_TO_F32, "word_to_f32", "The f32 nearest a signed word.", NULL, F32, false, false, WORD),
    OPERATION(UWORD_TO_F32, "uword_to_f32", "The f32 nearest an unsigned word.", NULL, F32, false, false,
              WORD),
    OPERATION(F32_TO_WORD, "f32_to_word", "trunc as a signed word.", "NaN gives 0; past either end, that end",
              WORD, false, false, F32),
    OPERATION(F32_TO_UWORD, "f32_to_uword", "trunc as an unsigned word.",
              "NaN gives 0; past either end, that end", WORD, false, false, F32),
    OPERATION(RANDOM, "random", "pcg(pcg(seed) + i), 0 to 4294967295; of i its low 32 bits.",
              "a seed outside 0..4294967295 is an error", I64, true, false, I64, I64),
    OPERATION(GRADIENT2, "gradient2", "Gradient noise, -1 to 1, of (x / size, z / size) under a seed.",
              "a size of 0 reads the origin; a seed outside 0..4294967295 is an error", F32, true, false, F32,
              F32, F32, I64),
    OPERATION(FNV, "fnv", "A word's bytes folded into an FNV-1a hash; operands hash, word.", NULL, WORD,
              false, false, WORD, WORD),
    OPERATION(RAND_WORD, "rand_word", "The word of an element under a rand prefix; operands prefix, element.",
              NULL, WORD, false, false, WORD, WORD),
    OPERATION(RAND_UNIT, "rand_unit", "rand_word as a number in [0, 1).", NULL, F32, false, false, WORD,
              WORD),
    OPERATION(PERLIN, "perlin", "Perlin's improved noise at (a, b, c), about -1 to 1.",
              "what is not finite counts as 0", F32, false, false, F32, F32, F32),
};

const mr_operation *mr_operation_of(mr_op op)
{
    return &operations[op];
}

const mr_operation *mr_operation_find(mr_view name)
{
    for (size_t i = 0; i < MR_OP_COUNT; i++) {
        if (mr_view_is(name, operations[i].name)) {
            return &operations[i];
        }
    }
    return NULL;
}

extern const mr_operation_block mr_operation_table_base[MR_OP_COUNT];
#if defined(__x86_64__)
extern const mr_operation_block mr_operation_table_v3[MR_OP_COUNT], mr_operation_table_v4[MR_OP_COUNT];
#endif

const mr_operation_block *mr_operation_blocks(mr_isa isa)
{
    return *MR_ISA_PICK(mr_operation_table, isa);
}

// Why an operation that fails had no answer.
static bool refuse(mr_op op, const mr_lane_value *a, mr_error *error)
{
    static const char range[] = "; whole numbers go from -9223372036854775808 to 9223372036854775807";
    long long x = (long long)a[0].i64, y = (long long)a[1].i64;
    switch (op) {
    case MR_OP_IADD:
        return mr_fail(error, MR_BAD_INPUT, "%lld + %lld overflows%s", x, y, range);
    case MR_OP_ISUB:
        return mr_fail(error, MR_BAD_INPUT, "%lld - %lld overflows%s", x, y, range);
    case MR_OP_IMUL:
        return mr_fail(error, MR_BAD_INPUT, "%lld * %lld overflows%s", x, y, range);
    case MR_OP_IDIV:
        return mr_fail(error, MR_BAD_INPUT, "%lld div %lld overflows%s", x, y, range);
    case MR_OP_INEG:
    case MR_OP_IABS:
        return mr_fail(error, MR_BAD_INPUT, "-(%lld) overflows%s", x, range);
    case MR_OP_GRADIENT2:
        x = (long long)a[3].i64;
        break;
    default:
        break;
    }
    return mr_fail(error, MR_BAD_INPUT, "seed is %lld; it must be from 0 to 4294967295", x);
}

bool mr_operation_apply(mr_op op, const mr_lane_value *operands, mr_lane_value *result, mr_error *error)
{
    const void *places[MR_OPERANDS_MAX] = { 0 };
    for (size_t i = 0; i < operations[op].arity; i++) {
        places[i] = &operands[i];
    }
    mr_lane_value value = { 0 };
    if (!mr_operation_table_base[op](&value, places, 1)) {
        return refuse(op, operands, error);
    }
    *result = value;
    return true;
}
