// num/exact.isa.c: the f32 functions over arrays.
//
// A block at a time: the quick path for all its lanes, without a branch, then the few lanes that it could not settle
// through the scalar function.

#include "num/exact.h"
#include "num/exact_inline.h"
#include "num/exact_kernels.h"

enum { BLOCK = 256 };

#define OF_ONE(name)                                                                                         \
    static void name##_array(const float *x, float *out, size_t count)                                       \
    {                                                                                                        \
        float in[BLOCK], value[BLOCK];                                                                       \
        uint32_t unsettled[BLOCK];                                                                           \
        for (size_t begin = 0; begin < count; begin += BLOCK) {                                              \
            size_t size = count - begin < BLOCK ? count - begin : BLOCK;                                     \
            memcpy(in, x + begin, size * sizeof *in);                                                        \
            uint32_t any = 0;                                                                                \
            for (size_t i = 0; i < size; i++) {                                                              \
                value[i] = exact_settled(exact_##name(in[i]), EXACT_ERROR, &unsettled[i]);                   \
                any |= unsettled[i];                                                                         \
            }                                                                                                \
            for (size_t i = 0; any && i < size; i++) {                                                       \
                value[i] = unsettled[i] ? mr_f32_##name(in[i]) : value[i];                                   \
            }                                                                                                \
            memcpy(out + begin, value, size * sizeof *out);                                                  \
        }                                                                                                    \
    }
OF_ONE(cbrt)
OF_ONE(exp)
OF_ONE(exp2)
OF_ONE(expm1)
OF_ONE(log)
OF_ONE(log2)
OF_ONE(log10)
OF_ONE(log1p)
OF_ONE(sin)
OF_ONE(cos)
OF_ONE(tan)
OF_ONE(asin)
OF_ONE(acos)
OF_ONE(atan)
OF_ONE(sinh)
OF_ONE(cosh)
OF_ONE(tanh)

#define OF_TWO(name, quick, error)                                                                           \
    static void name##_array(const float *x, const float *y, float *out, size_t count)                       \
    {                                                                                                        \
        float first[BLOCK], second[BLOCK], value[BLOCK];                                                     \
        uint32_t unsettled[BLOCK];                                                                           \
        for (size_t begin = 0; begin < count; begin += BLOCK) {                                              \
            size_t size = count - begin < BLOCK ? count - begin : BLOCK;                                     \
            memcpy(first, x + begin, size * sizeof *first);                                                  \
            memcpy(second, y + begin, size * sizeof *second);                                                \
            uint32_t any = 0;                                                                                \
            for (size_t i = 0; i < size; i++) {                                                              \
                value[i] = exact_settled(quick(first[i], second[i]), error, &unsettled[i]);                  \
                any |= unsettled[i];                                                                         \
            }                                                                                                \
            for (size_t i = 0; any && i < size; i++) {                                                       \
                value[i] = unsettled[i] ? mr_f32_##name(first[i], second[i]) : value[i];                     \
            }                                                                                                \
            memcpy(out + begin, value, size * sizeof *out);                                                  \
        }                                                                                                    \
    }
OF_TWO(pow, exact_pow, EXACT_POW_ERROR)
OF_TWO(atan2, exact_atan2, EXACT_ERROR)
OF_TWO(hypot, exact_hypot, EXACT_ERROR)

static void sqrt_array(const float *x, float *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = exact_sqrt(x[i]);
    }
}

static void fmod_array(const float *x, const float *y, float *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = mr_f32_fmod(x[i], y[i]);
    }
}

static void mod_array(const float *x, const float *y, float *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = mr_f32_mod(x[i], y[i]);
    }
}

const mr_exact_kernels MR_ISA(mr_exact_table) = {
    .sqrt = sqrt_array,
    .cbrt = cbrt_array,
    .exp = exp_array,
    .exp2 = exp2_array,
    .expm1 = expm1_array,
    .log = log_array,
    .log2 = log2_array,
    .log10 = log10_array,
    .log1p = log1p_array,
    .sin = sin_array,
    .cos = cos_array,
    .tan = tan_array,
    .asin = asin_array,
    .acos = acos_array,
    .atan = atan_array,
    .sinh = sinh_array,
    .cosh = cosh_array,
    .tanh = tanh_array,
    .pow = pow_array,
    .atan2 = atan2_array,
    .hypot = hypot_array,
    .fmod = fmod_array,
    .mod = mod_array,
};
