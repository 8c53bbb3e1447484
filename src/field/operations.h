// field/operations.h: the one table of operations.
//
// The world language's compiled expressions, fields and the math nodes all mean these by the same names, so that an
// operation has one definition. f32 arithmetic rounds once an operation and is never fused; the elementary functions are
// correctly rounded (num/exact.h). A chain keeps producing numbers: the guards say what stands in for a division by 0
// and the like. A NaN operand gives NaN unless said otherwise; which NaN is not settled until a program's answer is
// stored, where it becomes the canonical one.

#ifndef MARRAM_FIELD_OPERATIONS_H
#define MARRAM_FIELD_OPERATIONS_H

#include "base/isa.h"
#include "base/text.h"

// What a lane holds: float; int64_t; uint32_t that is 0 or 1; uint32_t, the word of an Int or UInt.
typedef enum mr_lane { MR_LANE_F32, MR_LANE_I64, MR_LANE_BOOL, MR_LANE_WORD } mr_lane;
enum { MR_LANE_COUNT = MR_LANE_WORD + 1 };

typedef enum mr_op {
    // Numbers.
    MR_OP_ADD,
    MR_OP_SUB,
    MR_OP_MUL,
    MR_OP_DIV,
    MR_OP_NEG,
    MR_OP_ABS,
    MR_OP_SIGN,
    MR_OP_MIN,
    MR_OP_MAX,
    MR_OP_CLAMP,
    MR_OP_FLOOR,
    MR_OP_CEIL,
    MR_OP_ROUND,
    MR_OP_TRUNC,
    MR_OP_MOD,
    MR_OP_FMOD,
    MR_OP_MIX,
    MR_OP_LERP,
    MR_OP_SMOOTHSTEP,
    MR_OP_SQRT,
    MR_OP_CBRT,
    MR_OP_HYPOT,
    MR_OP_SIN,
    MR_OP_COS,
    MR_OP_TAN,
    MR_OP_ASIN,
    MR_OP_ACOS,
    MR_OP_ATAN,
    MR_OP_ATAN2,
    MR_OP_SINH,
    MR_OP_COSH,
    MR_OP_TANH,
    MR_OP_EXP,
    MR_OP_EXP2,
    MR_OP_LOG,
    MR_OP_LOG2,
    MR_OP_LOG10,
    MR_OP_POW,
    MR_OP_LDEXP,
    MR_OP_FREXP_FRACTION,
    MR_OP_FREXP_EXPONENT,
    MR_OP_MODF_FRACTION,
    // Numbers compared, chosen, tested.
    MR_OP_LT,
    MR_OP_LE,
    MR_OP_GT,
    MR_OP_GE,
    MR_OP_EQ,
    MR_OP_NE,
    MR_OP_WHERE,
    MR_OP_ISNAN,
    MR_OP_ISINF,
    MR_OP_ISFINITE,
    // Truths.
    MR_OP_AND,
    MR_OP_OR,
    MR_OP_NOT,
    MR_OP_BEQ,
    MR_OP_BWHERE,
    // Whole numbers.
    MR_OP_IADD,
    MR_OP_ISUB,
    MR_OP_IMUL,
    MR_OP_IDIV,
    MR_OP_IMOD,
    MR_OP_INEG,
    MR_OP_IABS,
    MR_OP_IMIN,
    MR_OP_IMAX,
    MR_OP_ILT,
    MR_OP_ILE,
    MR_OP_IGT,
    MR_OP_IGE,
    MR_OP_IEQ,
    MR_OP_INE,
    MR_OP_IWHERE,
    // Words: Int (signed; W) and UInt (U) where the two differ. They wrap round.
    MR_OP_WADD,
    MR_OP_WSUB,
    MR_OP_WMUL,
    MR_OP_WDIV,
    MR_OP_UDIV,
    MR_OP_WMOD,
    MR_OP_UMOD,
    MR_OP_WNEG,
    MR_OP_WABS,
    MR_OP_WSIGN,
    MR_OP_WMIN,
    MR_OP_UMIN,
    MR_OP_WMAX,
    MR_OP_UMAX,
    MR_OP_WAND,
    MR_OP_WOR,
    MR_OP_WXOR,
    MR_OP_WSHL,
    MR_OP_WSHR,
    MR_OP_USHR,
    MR_OP_WLT,
    MR_OP_ULT,
    MR_OP_WLE,
    MR_OP_ULE,
    MR_OP_WEQ,
    MR_OP_WNE,
    MR_OP_WWHERE,
    // Between kinds.
    MR_OP_TO_F32,
    MR_OP_FLOOR_TO_INT,
    MR_OP_CEIL_TO_INT,
    MR_OP_ROUND_TO_INT,
    MR_OP_BOOL_TO_F32,
    MR_OP_BOOL_TO_WORD,
    MR_OP_WORD_TO_F32,
    MR_OP_UWORD_TO_F32,
    MR_OP_F32_TO_WORD,
    MR_OP_F32_TO_UWORD,
    // Hashes and noise.
    MR_OP_RANDOM,
    MR_OP_GRADIENT2,
    MR_OP_FNV,
    MR_OP_RAND_WORD,
    MR_OP_RAND_UNIT,
    MR_OP_PERLIN,
    MR_OP_COUNT
} mr_op;

enum { MR_OPERANDS_MAX = 4 };

typedef struct mr_operation {
    const char *name;
    mr_op op;
    uint8_t arity;
    mr_lane operands[MR_OPERANDS_MAX];
    mr_lane result;
    bool fails; // a lane may have no answer (overflow, a seed out of range); then the block says so
    bool commutes;
    const char *summary;
    const char *guard; // what stands in where mathematics has no answer, or NULL
} mr_operation;

// The table, in mr_op's order. find answers NULL for a name it has not.
const mr_operation *mr_operation_of(mr_op op);
const mr_operation *mr_operation_find(mr_view name);

// Works count lanes: operands[k] and result are whole arrays of the lane types of the table; the result overlaps no
// operand. False where some lane has no answer (which lane: work them one at a time).
typedef bool (*mr_operation_block)(void *result, const void *const *operands, size_t count);

// The functions of an instruction set, in mr_op's order; all give the same bits.
const mr_operation_block *mr_operation_blocks(mr_isa isa);

// One lane, by the same functions. A lane is written as its bits in the low end of a word.
typedef union mr_lane_value {
    float f32;
    int64_t i64;
    uint32_t truth;
    uint32_t word;
} mr_lane_value;
// False with an error that says why a lane has no answer ("9223372036854775807 + 1 is past what whole numbers hold").
bool mr_operation_apply(mr_op op, const mr_lane_value *operands, mr_lane_value *result, mr_error *error);

#endif
