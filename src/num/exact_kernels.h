// num/exact_kernels.h: the f32 functions over arrays, for a given instruction set.
//
// Callers that have a context use mr_exact_kernels_of(mr_context_isa(context)); the mr_f32_..._array functions of
// num/exact.h take the machine's best. The bits are the same.

#ifndef MARRAM_NUM_EXACT_KERNELS_H
#define MARRAM_NUM_EXACT_KERNELS_H

#include "base/isa.h"

#include <stddef.h>

typedef void (*mr_exact_of_one)(const float *x, float *out, size_t count);
typedef void (*mr_exact_of_two)(const float *x, const float *y, float *out, size_t count);

typedef struct mr_exact_kernels {
    mr_exact_of_one sqrt, cbrt, exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan, asin, acos, atan,
        sinh, cosh, tanh;
    mr_exact_of_two pow, atan2, hypot, fmod, mod;
} mr_exact_kernels;

const mr_exact_kernels *mr_exact_kernels_of(mr_isa isa);

MR_ISA_TABLES(mr_exact_kernels, mr_exact_table);

#endif
