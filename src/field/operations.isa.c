// field/operations.isa.c: what each operation does to a block of lanes.

#include "field/operations.h"
#include "num/exact.h"
#include "num/exact_kernels.h"
#include "num/noise.h"
#include "num/perlin.h"

enum { CHUNK = 256 };

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float divided(float a, float b)
{
    return b == 0.0f ? 0.0f : a / b;
}

static float sign_of(float a)
{
    return a > 0.0f ? 1.0f : a < 0.0f ? -1.0f : 0.0f;
}

// NaN where either is; of the two zeros -0 is the lesser. Numbers that are equal differ in the bits of zeros alone.
static float lesser(float a, float b)
{
    float value = a < b ? a : b;
    value = a == b ? of_bits(bits_of(a) | bits_of(b)) : value;
    return a != a ? a : value;
}

static float greater(float a, float b)
{
    float value = a > b ? a : b;
    value = a == b ? of_bits(bits_of(a) & bits_of(b)) : value;
    return a != a ? a : value;
}

static float clamped(float x, float low, float high)
{
    return lesser(greater(x, low), high);
}

// Half away from zero. What is cut off is exact.
static float rounded(float x)
{
    float whole = __builtin_truncf(x);
    return __builtin_fabsf(x - whole) >= 0.5f ? whole + __builtin_copysignf(1.0f, x) : whole;
}

static float smooth(float low, float high, float x)
{
    float t = clamped(divided(x - low, high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

static float rooted(float x)
{
    float root = __builtin_sqrtf(x);
    return x <= 0.0f ? 0.0f : root;
}

// A whole number in f32 as an integer: held at the ends of int64_t, NaN as 0.
static int64_t to_integer(float whole)
{
    bool inside = whole >= -0x1p63f && whole < 0x1p63f;
    int64_t value = (int64_t)(inside ? whole : 0.0f);
    value = whole >= 0x1p63f ? INT64_MAX : value;
    return whole < -0x1p63f ? INT64_MIN : value;
}

// A whole part as a word: held at the ends of what the word holds, NaN as 0.
static uint32_t to_word(float x)
{
    bool inside = x >= -0x1p31f && x < 0x1p31f;
    int32_t value = (int32_t)(inside ? x : 0.0f);
    value = x >= 0x1p31f ? INT32_MAX : value;
    return (uint32_t)(x < -0x1p31f ? INT32_MIN : value);
}

static uint32_t to_uword(float x)
{
    bool inside = x > 0.0f && x < 0x1p32f;
    uint32_t value = (uint32_t)(inside ? x : 0.0f);
    return x >= 0x1p32f ? UINT32_MAX : value;
}

static uint32_t divided_words(uint32_t a, uint32_t b)
{
    int64_t x = (int32_t)a, y = (int32_t)b;
    if (y == 0) {
        return 0;
    }
    int64_t quotient = x / y;
    return (uint32_t)(uint64_t)(quotient - (x % y != 0 && (x < 0) != (y < 0)));
}

static uint32_t modulo_words(uint32_t a, uint32_t b)
{
    return b == 0 ? 0 : a - b * divided_words(a, b);
}

static uint32_t sign_of_word(uint32_t a)
{
    return (uint32_t)(((int32_t)a > 0) - ((int32_t)a < 0));
}

static uint32_t moved_down(uint32_t a, uint32_t by)
{
    return (uint32_t)((int32_t)a >> (by < 31u ? by : 31u));
}

// The product of an f32 and a power of two from 2^-400 to 2^400 is exact in f64.
static float scaled(float a, float power)
{
    float held = power > -400.0f ? power : -400.0f;
    held = held < 400.0f ? held : 400.0f;
    int64_t whole = (int64_t)held;
    uint64_t bits = (uint64_t)(whole + 1023) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return power != power ? power : (float)((double)a * factor);
}

// Every f32 but 0 is a normal f64.
static float fraction_of(float a)
{
    double wide = (double)a;
    uint64_t bits;
    memcpy(&bits, &wide, sizeof bits);
    bits = (bits & 0x800fffffffffffffu) | 0x3fe0000000000000u;
    memcpy(&wide, &bits, sizeof wide);
    return a - a == 0.0f && a != 0.0f ? (float)wide : a;
}

static float exponent_of(float a)
{
    double wide = (double)a;
    uint64_t bits;
    memcpy(&bits, &wide, sizeof bits);
    float exponent = (float)((int32_t)(bits >> 52 & 0x7ffu) - 1022);
    return a - a == 0.0f && a != 0.0f ? exponent : 0.0f;
}

static float past_whole(float a)
{
    float rest = a - __builtin_truncf(a);
    rest = __builtin_fabsf(a) == __builtin_inff() ? 0.0f : rest;
    return __builtin_copysignf(rest, a);
}

#define BLOCK_OF_1(name, to, from, expression)                                                               \
    static bool name##_block(void *result, const void *const *operands, size_t count)                        \
    {                                                                                                        \
        to *restrict out = result;                                                                           \
        const from *restrict as = operands[0];                                                               \
        for (size_t i = 0; i < count; i++) {                                                                 \
            from a = as[i];                                                                                  \
            out[i] = expression;                                                                             \
        }                                                                                                    \
        return true;                                                                                         \
    }

#define BLOCK_OF_2(name, to, from, expression)                                                               \
    static bool name##_block(void *result, const void *const *operands, size_t count)                        \
    {                                                                                                        \
        to *restrict out = result;                                                                           \
        const from *restrict as = operands[0];                                                               \
        const from *restrict bs = operands[1];                                                               \
        for (size_t i = 0; i < count; i++) {                                                                 \
            from a = as[i], b = bs[i];                                                                       \
            out[i] = expression;                                                                             \
        }                                                                                                    \
        return true;                                                                                         \
    }

#define BLOCK_OF_3(name, to, first, rest, expression)                                                        \
    static bool name##_block(void *result, const void *const *operands, size_t count)                        \
    {                                                                                                        \
        to *restrict out = result;                                                                           \
        const first *restrict as = operands[0];                                                              \
        const rest *restrict bs = operands[1];                                                               \
        const rest *restrict cs = operands[2];                                                               \
        for (size_t i = 0; i < count; i++) {                                                                 \
            first a = as[i];                                                                                 \
            rest b = bs[i], c = cs[i];                                                                       \
            out[i] = expression;                                                                             \
        }                                                                                                    \
        return true;                                                                                         \
    }

BLOCK_OF_2(add, float, float, a + b)
BLOCK_OF_2(sub, float, float, a - b)
BLOCK_OF_2(mul, float, float, a *b)
BLOCK_OF_2(div, float, float, divided(a, b))
BLOCK_OF_1(neg, float, float, -a)
BLOCK_OF_1(abs, float, float, __builtin_fabsf(a))
BLOCK_OF_1(sign, float, float, sign_of(a))
BLOCK_OF_2(min, float, float, lesser(a, b))
BLOCK_OF_2(max, float, float, greater(a, b))
BLOCK_OF_3(clamp, float, float, float, clamped(a, b, c))
BLOCK_OF_1(floor, float, float, __builtin_floorf(a))
BLOCK_OF_1(ceil, float, float, __builtin_ceilf(a))
BLOCK_OF_1(round, float, float, rounded(a))
BLOCK_OF_1(trunc, float, float, __builtin_truncf(a))
BLOCK_OF_2(mod, float, float, b == 0.0f ? 0.0f : mr_f32_mod(a, b))
BLOCK_OF_2(fmod, float, float, b == 0.0f ? 0.0f : mr_f32_fmod(a, b))
BLOCK_OF_3(mix, float, float, float, a + (b - a) * c)
BLOCK_OF_3(lerp, float, float, float, c == 1.0f ? b : a + (b - a) * c)
BLOCK_OF_3(smoothstep, float, float, float, smooth(a, b, c))
BLOCK_OF_1(sqrt, float, float, rooted(a))

BLOCK_OF_2(ldexp, float, float, scaled(a, b))
BLOCK_OF_1(frexp_fraction, float, float, fraction_of(a))
BLOCK_OF_1(frexp_exponent, float, float, exponent_of(a))
BLOCK_OF_1(modf_fraction, float, float, past_whole(a))

BLOCK_OF_2(lt, uint32_t, float, a < b)
BLOCK_OF_2(le, uint32_t, float, a <= b)
BLOCK_OF_2(gt, uint32_t, float, a > b)
BLOCK_OF_2(ge, uint32_t, float, a >= b)
BLOCK_OF_2(eq, uint32_t, float, a == b)
BLOCK_OF_2(ne, uint32_t, float, a != b)
BLOCK_OF_3(where, float, uint32_t, float, a ? b : c)
BLOCK_OF_1(isnan, uint32_t, float, a != a)
BLOCK_OF_1(isinf, uint32_t, float, __builtin_fabsf(a) == __builtin_inff())
BLOCK_OF_1(isfinite, uint32_t, float, __builtin_fabsf(a) < __builtin_inff())

BLOCK_OF_2(and, uint32_t, uint32_t, a &b)
BLOCK_OF_2(or, uint32_t, uint32_t, a | b)
BLOCK_OF_1(not, uint32_t, uint32_t, a ^ 1u)
BLOCK_OF_2(beq, uint32_t, uint32_t, a == b)
BLOCK_OF_3(bwhere, uint32_t, uint32_t, uint32_t, a ? b : c)

BLOCK_OF_2(imin, int64_t, int64_t, a < b ? a : b)
BLOCK_OF_2(imax, int64_t, int64_t, a > b ? a : b)
BLOCK_OF_2(ilt, uint32_t, int64_t, a < b)
BLOCK_OF_2(ile, uint32_t, int64_t, a <= b)
BLOCK_OF_2(igt, uint32_t, int64_t, a > b)
BLOCK_OF_2(ige, uint32_t, int64_t, a >= b)
BLOCK_OF_2(ieq, uint32_t, int64_t, a == b)
BLOCK_OF_2(ine, uint32_t, int64_t, a != b)
BLOCK_OF_3(iwhere, int64_t, uint32_t, int64_t, a ? b : c)

BLOCK_OF_2(wadd, uint32_t, uint32_t, a + b)
BLOCK_OF_2(wsub, uint32_t, uint32_t, a - b)
BLOCK_OF_2(wmul, uint32_t, uint32_t, a *b)
BLOCK_OF_2(wdiv, uint32_t, uint32_t, divided_words(a, b))
BLOCK_OF_2(udiv, uint32_t, uint32_t, b == 0 ? 0 : a / b)
BLOCK_OF_2(wmod, uint32_t, uint32_t, modulo_words(a, b))
BLOCK_OF_2(umod, uint32_t, uint32_t, b == 0 ? 0 : a % b)
BLOCK_OF_1(wneg, uint32_t, uint32_t, 0u - a)
BLOCK_OF_1(wabs, uint32_t, uint32_t, (int32_t)a < 0 ? 0u - a : a)
BLOCK_OF_1(wsign, uint32_t, uint32_t, sign_of_word(a))
BLOCK_OF_2(wmin, int32_t, int32_t, a < b ? a : b)
BLOCK_OF_2(umin, uint32_t, uint32_t, a < b ? a : b)
BLOCK_OF_2(wmax, int32_t, int32_t, a > b ? a : b)
BLOCK_OF_2(umax, uint32_t, uint32_t, a > b ? a : b)
BLOCK_OF_2(wand, uint32_t, uint32_t, a &b)
BLOCK_OF_2(wor, uint32_t, uint32_t, a | b)
BLOCK_OF_2(wxor, uint32_t, uint32_t, a ^ b)
BLOCK_OF_2(wshl, uint32_t, uint32_t, b < 32u ? a << (b & 31u) : 0u)
BLOCK_OF_2(wshr, uint32_t, uint32_t, moved_down(a, b))
BLOCK_OF_2(ushr, uint32_t, uint32_t, b < 32u ? a >> (b & 31u) : 0u)
BLOCK_OF_2(wlt, uint32_t, int32_t, a < b)
BLOCK_OF_2(ult, uint32_t, uint32_t, a < b)
BLOCK_OF_2(wle, uint32_t, int32_t, a <= b)
BLOCK_OF_2(ule, uint32_t, uint32_t, a <= b)
BLOCK_OF_2(weq, uint32_t, uint32_t, a == b)
BLOCK_OF_2(wne, uint32_t, uint32_t, a != b)
BLOCK_OF_3(wwhere, uint32_t, uint32_t, uint32_t, a ? b : c)

BLOCK_OF_1(to_f32, float, int64_t, (float)a)
BLOCK_OF_1(floor_to_int, int64_t, float, to_integer(__builtin_floorf(a)))
BLOCK_OF_1(ceil_to_int, int64_t, float, to_integer(__builtin_ceilf(a)))
BLOCK_OF_1(round_to_int, int64_t, float, to_integer(rounded(a)))
BLOCK_OF_1(bool_to_f32, float, uint32_t, (float)a)
BLOCK_OF_1(bool_to_word, uint32_t, uint32_t, a)
BLOCK_OF_1(word_to_f32, float, int32_t, (float)a)
BLOCK_OF_1(uword_to_f32, float, uint32_t, (float)a)
BLOCK_OF_1(f32_to_word, uint32_t, float, to_word(a))
BLOCK_OF_1(f32_to_uword, uint32_t, float, to_uword(a))

BLOCK_OF_2(fnv, uint32_t, uint32_t, mr_fnv_u32(a, b))
BLOCK_OF_2(rand_word, uint32_t, uint32_t, mr_rand_word(a, b))
BLOCK_OF_2(rand_unit, float, uint32_t, mr_rand_unit(a, b))
BLOCK_OF_3(perlin, float, float, float, mr_perlin3(a, b, c))

// The elementary functions, with what stands in for arguments where they have no answer.
#define BLOCK_OF_KERNEL_1(name, guarded)                                                                     \
    static bool name##_block(void *result, const void *const *operands, size_t count)                        \
    {                                                                                                        \
        float *out = result;                                                                                 \
        const float *as = operands[0];                                                                       \
        for (size_t begin = 0; begin < count; begin += CHUNK) {                                              \
            size_t size = count - begin < CHUNK ? count - begin : CHUNK;                                     \
            float in[CHUNK];                                                                                 \
            for (size_t i = 0; i < size; i++) {                                                              \
                float a = as[begin + i];                                                                     \
                in[i] = guarded;                                                                             \
            }                                                                                                \
            MR_ISA(mr_exact_table).name(in, out + begin, size);                                              \
        }                                                                                                    \
        return true;                                                                                         \
    }

#define BLOCK_OF_KERNEL_2(name)                                                                              \
    static bool name##_block(void *result, const void *const *operands, size_t count)                        \
    {                                                                                                        \
        MR_ISA(mr_exact_table).name(operands[0], operands[1], result, count);                                \
        return true;                                                                                         \
    }

BLOCK_OF_KERNEL_1(cbrt, a)
BLOCK_OF_KERNEL_1(sin, a)
BLOCK_OF_KERNEL_1(cos, a)
BLOCK_OF_KERNEL_1(tan, a)
BLOCK_OF_KERNEL_1(asin, clamped(a, -1.0f, 1.0f))
BLOCK_OF_KERNEL_1(acos, clamped(a, -1.0f, 1.0f))
BLOCK_OF_KERNEL_1(atan, a)
BLOCK_OF_KERNEL_1(sinh, a)
BLOCK_OF_KERNEL_1(cosh, a)
BLOCK_OF_KERNEL_1(tanh, a)
BLOCK_OF_KERNEL_1(exp, a)
BLOCK_OF_KERNEL_1(exp2, a)
// The logarithm of 1 is 0.
BLOCK_OF_KERNEL_1(log, a <= 0.0f ? 1.0f : a)
BLOCK_OF_KERNEL_1(log2, a <= 0.0f ? 1.0f : a)
BLOCK_OF_KERNEL_1(log10, a <= 0.0f ? 1.0f : a)
BLOCK_OF_KERNEL_2(hypot)
BLOCK_OF_KERNEL_2(atan2)
BLOCK_OF_KERNEL_2(pow)

// Whole numbers that may overflow: the lanes are all worked, and one that overflowed is told of.

static bool iadd_block(void *result, const void *const *operands, size_t count)
{
    int64_t *restrict out = result;
    const int64_t *restrict a = operands[0];
    const int64_t *restrict b = operands[1];
    uint64_t over = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t x = (uint64_t)a[i], y = (uint64_t)b[i], sum = x + y;
        over |= (sum ^ x) & (sum ^ y); // the sign is neither operand's
        out[i] = (int64_t)sum;
    }
    return over >> 63 == 0;
}

static bool isub_block(void *result, const void *const *operands, size_t count)
{
    int64_t *restrict out = result;
    const int64_t *restrict a = operands[0];
    const int64_t *restrict b = operands[1];
    uint64_t over = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t x = (uint64_t)a[i], y = (uint64_t)b[i], difference = x - y;
        over |= (x ^ y) & (difference ^ x);
        out[i] = (int64_t)difference;
    }
    return over >> 63 == 0;
}

static bool imul_block(void *result, const void *const *operands, size_t count)
{
    int64_t *out = result;
    const int64_t *a = operands[0], *b = operands[1];
    bool over = false;
    for (size_t i = 0; i < count; i++) {
        over |= __builtin_mul_overflow(a[i], b[i], &out[i]);
    }
    return !over;
}

static bool idiv_block(void *result, const void *const *operands, size_t count)
{
    int64_t *out = result;
    const int64_t *a = operands[0], *b = operands[1];
    bool over = false;
    for (size_t i = 0; i < count; i++) {
        if (b[i] == 0) {
            out[i] = 0;
        } else if (b[i] == -1) {
            over |= __builtin_sub_overflow((int64_t)0, a[i], &out[i]);
        } else {
            int64_t quotient = a[i] / b[i], rest = a[i] % b[i];
            out[i] = quotient - (rest != 0 && (rest < 0) != (b[i] < 0));
        }
    }
    return !over;
}

static bool imod_block(void *result, const void *const *operands, size_t count)
{
    int64_t *out = result;
    const int64_t *a = operands[0], *b = operands[1];
    for (size_t i = 0; i < count; i++) {
        int64_t rest = b[i] == 0 || b[i] == -1 ? 0 : a[i] % b[i];
        out[i] = rest != 0 && (rest < 0) != (b[i] < 0) ? rest + b[i] : rest;
    }
    return true;
}

static bool ineg_block(void *result, const void *const *operands, size_t count)
{
    int64_t *restrict out = result;
    const int64_t *restrict a = operands[0];
    uint32_t over = 0;
    for (size_t i = 0; i < count; i++) {
        over |= a[i] == INT64_MIN;
        out[i] = (int64_t)(0u - (uint64_t)a[i]);
    }
    return !over;
}

static bool iabs_block(void *result, const void *const *operands, size_t count)
{
    int64_t *restrict out = result;
    const int64_t *restrict a = operands[0];
    uint32_t over = 0;
    for (size_t i = 0; i < count; i++) {
        over |= a[i] == INT64_MIN;
        out[i] = a[i] < 0 ? (int64_t)(0u - (uint64_t)a[i]) : a[i];
    }
    return !over;
}

static bool is_seed(int64_t seed)
{
    return seed >= 0 && seed <= (int64_t)UINT32_MAX;
}

static bool random_block(void *result, const void *const *operands, size_t count)
{
    int64_t *restrict out = result;
    const int64_t *restrict seed = operands[0];
    const int64_t *restrict index = operands[1];
    uint32_t refused = 0;
    for (size_t i = 0; i < count; i++) {
        refused |= !is_seed(seed[i]);
        out[i] = (int64_t)mr_random((uint32_t)(uint64_t)seed[i], (uint32_t)(uint64_t)index[i]);
    }
    return !refused;
}

static bool gradient2_block(void *result, const void *const *operands, size_t count)
{
    float *out = result;
    const float *x = operands[0], *z = operands[1], *size = operands[2];
    const int64_t *seed = operands[3];
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good &= is_seed(seed[i]);
        out[i] =
            mr_gradient2(divided(x[i], size[i]), divided(z[i], size[i]), (uint32_t)(uint64_t)seed[i]).value;
    }
    return good;
}

extern const mr_operation_block MR_ISA(mr_operation_table)[MR_OP_COUNT];
const mr_operation_block MR_ISA(mr_operation_table)[MR_OP_COUNT] = {
    [MR_OP_ADD] = add_block,
    [MR_OP_SUB] = sub_block,
    [MR_OP_MUL] = mul_block,
    [MR_OP_DIV] = div_block,
    [MR_OP_NEG] = neg_block,
    [MR_OP_ABS] = abs_block,
    [MR_OP_SIGN] = sign_block,
    [MR_OP_MIN] = min_block,
    [MR_OP_MAX] = max_block,
    [MR_OP_CLAMP] = clamp_block,
    [MR_OP_FLOOR] = floor_block,
    [MR_OP_CEIL] = ceil_block,
    [MR_OP_ROUND] = round_block,
    [MR_OP_TRUNC] = trunc_block,
    [MR_OP_MOD] = mod_block,
    [MR_OP_FMOD] = fmod_block,
    [MR_OP_MIX] = mix_block,
    [MR_OP_SMOOTHSTEP] = smoothstep_block,
    [MR_OP_SQRT] = sqrt_block,
    [MR_OP_CBRT] = cbrt_block,
    [MR_OP_HYPOT] = hypot_block,
    [MR_OP_SIN] = sin_block,
    [MR_OP_COS] = cos_block,
    [MR_OP_TAN] = tan_block,
    [MR_OP_ASIN] = asin_block,
    [MR_OP_ACOS] = acos_block,
    [MR_OP_ATAN] = atan_block,
    [MR_OP_ATAN2] = atan2_block,
    [MR_OP_SINH] = sinh_block,
    [MR_OP_COSH] = cosh_block,
    [MR_OP_TANH] = tanh_block,
    [MR_OP_EXP] = exp_block,
    [MR_OP_EXP2] = exp2_block,
    [MR_OP_LOG] = log_block,
    [MR_OP_LOG2] = log2_block,
    [MR_OP_LOG10] = log10_block,
    [MR_OP_POW] = pow_block,
    [MR_OP_LT] = lt_block,
    [MR_OP_LE] = le_block,
    [MR_OP_GT] = gt_block,
    [MR_OP_GE] = ge_block,
    [MR_OP_EQ] = eq_block,
    [MR_OP_NE] = ne_block,
    [MR_OP_WHERE] = where_block,
    [MR_OP_ISNAN] = isnan_block,
    [MR_OP_ISFINITE] = isfinite_block,
    [MR_OP_AND] = and_block,
    [MR_OP_OR] = or_block,
    [MR_OP_NOT] = not_block,
    [MR_OP_BEQ] = beq_block,
    [MR_OP_BWHERE] = bwhere_block,
    [MR_OP_IADD] = iadd_block,
    [MR_OP_ISUB] = isub_block,
    [MR_OP_IMUL] = imul_block,
    [MR_OP_IDIV] = idiv_block,
    [MR_OP_IMOD] = imod_block,
    [MR_OP_INEG] = ineg_block,
    [MR_OP_IABS] = iabs_block,
    [MR_OP_IMIN] = imin_block,
    [MR_OP_IMAX] = imax_block,
    [MR_OP_ILT] = ilt_block,
    [MR_OP_ILE] = ile_block,
    [MR_OP_IGT] = igt_block,
    [MR_OP_IGE] = ige_block,
    [MR_OP_IEQ] = ieq_block,
    [MR_OP_INE] = ine_block,
    [MR_OP_IWHERE] = iwhere_block,
    [MR_OP_TO_F32] = to_f32_block,
    [MR_OP_FLOOR_TO_INT] = floor_to_int_block,
    [MR_OP_CEIL_TO_INT] = ceil_to_int_block,
    [MR_OP_ROUND_TO_INT] = round_to_int_block,
    [MR_OP_BOOL_TO_F32] = bool_to_f32_block,
    [MR_OP_RANDOM] = random_block,
    [MR_OP_GRADIENT2] = gradient2_block,
    [MR_OP_LERP] = lerp_block,
    [MR_OP_LDEXP] = ldexp_block,
    [MR_OP_FREXP_FRACTION] = frexp_fraction_block,
    [MR_OP_FREXP_EXPONENT] = frexp_exponent_block,
    [MR_OP_MODF_FRACTION] = modf_fraction_block,
    [MR_OP_ISINF] = isinf_block,
    [MR_OP_WADD] = wadd_block,
    [MR_OP_WSUB] = wsub_block,
    [MR_OP_WMUL] = wmul_block,
    [MR_OP_WDIV] = wdiv_block,
    [MR_OP_UDIV] = udiv_block,
    [MR_OP_WMOD] = wmod_block,
    [MR_OP_UMOD] = umod_block,
    [MR_OP_WNEG] = wneg_block,
    [MR_OP_WABS] = wabs_block,
    [MR_OP_WSIGN] = wsign_block,
    [MR_OP_WMIN] = wmin_block,
    [MR_OP_UMIN] = umin_block,
    [MR_OP_WMAX] = wmax_block,
    [MR_OP_UMAX] = umax_block,
    [MR_OP_WAND] = wand_block,
    [MR_OP_WOR] = wor_block,
    [MR_OP_WXOR] = wxor_block,
    [MR_OP_WSHL] = wshl_block,
    [MR_OP_WSHR] = wshr_block,
    [MR_OP_USHR] = ushr_block,
    [MR_OP_WLT] = wlt_block,
    [MR_OP_ULT] = ult_block,
    [MR_OP_WLE] = wle_block,
    [MR_OP_ULE] = ule_block,
    [MR_OP_WEQ] = weq_block,
    [MR_OP_WNE] = wne_block,
    [MR_OP_WWHERE] = wwhere_block,
    [MR_OP_BOOL_TO_WORD] = bool_to_word_block,
    [MR_OP_WORD_TO_F32] = word_to_f32_block,
    [MR_OP_UWORD_TO_F32] = uword_to_f32_block,
    [MR_OP_F32_TO_WORD] = f32_to_word_block,
    [MR_OP_F32_TO_UWORD] = f32_to_uword_block,
    [MR_OP_FNV] = fnv_block,
    [MR_OP_RAND_WORD] = rand_word_block,
    [MR_OP_RAND_UNIT] = rand_unit_block,
    [MR_OP_PERLIN] = perlin_block,
};
