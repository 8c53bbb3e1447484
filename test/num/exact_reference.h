// What MPFR says of a function: correctly rounded to f32 or f64, subnormal numbers included.

#ifndef MARRAM_TEST_EXACT_REFERENCE_H
#define MARRAM_TEST_EXACT_REFERENCE_H

#include "num/exact.h"
#include "support.h"

#include <mpfr.h>

#pragma GCC diagnostic ignored "-Wunused-variable"

typedef int (*reference_of_one)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*reference_of_two)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

typedef struct unary_f32 {
    const char *name;
    float (*scalar)(float);
    void (*array)(const float *, float *, size_t);
    reference_of_one reference;
} unary_f32;

#define UNARY_F32(name)                                                                                      \
    {                                                                                                        \
#name, mr_f32_##name, mr_f32_##name##_array, mpfr_##name                                             \
    }
static const unary_f32 unary_functions[] = {
    UNARY_F32(sqrt), UNARY_F32(cbrt),  UNARY_F32(exp),   UNARY_F32(exp2), UNARY_F32(expm1), UNARY_F32(log),
    UNARY_F32(log2), UNARY_F32(log10), UNARY_F32(log1p), UNARY_F32(sin),  UNARY_F32(cos),   UNARY_F32(tan),
    UNARY_F32(asin), UNARY_F32(acos),  UNARY_F32(atan),  UNARY_F32(sinh), UNARY_F32(cosh),  UNARY_F32(tanh),
};
enum { UNARY_COUNT = sizeof unary_functions / sizeof *unary_functions };

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// MPFR's numbers, with the exponents of f32 or f64.
typedef struct reference {
    mpfr_t x, y, value;
} reference;

static void reference_begin(reference *r, bool f32)
{
    mpfr_inits2(53, r->x, r->y, (mpfr_ptr)NULL);
    mpfr_init2(r->value, f32 ? 24 : 53);
}

static void reference_end(reference *r)
{
    mpfr_clears(r->x, r->y, r->value, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

static void wide_exponents(void)
{
    mpfr_set_emin(-1100);
    mpfr_set_emax(1100);
}

static void f32_exponents(void)
{
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
}

static float reference_f32(reference *r, reference_of_one function, float x)
{
    wide_exponents();
    mpfr_set_flt(r->x, x, MPFR_RNDN);
    f32_exponents();
    int sense = function(r->value, r->x, MPFR_RNDN);
    sense = mpfr_check_range(r->value, sense, MPFR_RNDN);
    mpfr_subnormalize(r->value, sense, MPFR_RNDN);
    return mpfr_nan_p(r->value) ? float_of(0x7fc00000u) : mpfr_get_flt(r->value, MPFR_RNDN);
}

static float reference_f32_of_two(reference *r, reference_of_two function, float x, float y)
{
    wide_exponents();
    mpfr_set_flt(r->x, x, MPFR_RNDN);
    mpfr_set_flt(r->y, y, MPFR_RNDN);
    f32_exponents();
    int sense = function(r->value, r->x, r->y, MPFR_RNDN);
    sense = mpfr_check_range(r->value, sense, MPFR_RNDN);
    mpfr_subnormalize(r->value, sense, MPFR_RNDN);
    return mpfr_nan_p(r->value) ? float_of(0x7fc00000u) : mpfr_get_flt(r->value, MPFR_RNDN);
}

// Arguments of every kind in turn: any bits at all, a middling size, near 1, near a multiple of pi / 2, whole numbers.
static float argument(test_random *random, uint32_t i)
{
    uint32_t bits = test_u32(random);
    switch (i % 8) {
    default:
        return float_of(bits);
    case 1:
    case 2: // 2^-12 to 2^8
        return float_of((bits & 0x807fffffu) | (115u + (bits >> 8) % 20u) << 23);
    case 3: // 1/2 to 2
        return float_of((bits & 0x80ffffffu) + 0x3f000000u);
    case 4:
        return float_of(0x3f800000u + (bits & 0x803fffu) - 0x2000u);
    case 5:
        return (float)((double)(int32_t)(bits >> (bits & 31u)) * 1.57079632679489661923);
    case 6:
        return (float)((int32_t)bits >> (bits & 31u));
    case 7: // subnormal and just above
        return float_of(bits & 0x81ffffffu);
    }
}

static const uint32_t special_bits[] = {
    0x00000000u, 0x80000000u, 0x00000001u, 0x80000001u, 0x007fffffu, 0x807fffffu, 0x00800000u, 0x80800000u,
    0x7f7fffffu, 0xff7fffffu, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff812345u,
    0x3f800000u, 0xbf800000u, 0x3f7fffffu, 0xbf7fffffu, 0x3f800001u, 0xbf800001u, 0x3f000000u, 0xbf000000u,
    0x40000000u, 0xc0000000u, 0x40400000u, 0xc0400000u, 0x40490fdbu, 0xc0490fdbu, 0x3fc90fdbu, 0xbfc90fdbu,
    0x42b17218u, 0x42b17217u, 0x42b17219u, 0xc2cff1b4u, 0xc2cff1b5u, 0xc2ce8ed0u, 0x43000000u, 0xc3150000u,
    0xc3160000u, 0xc3158000u, 0x4b800000u, 0xcb800000u, 0x4b7fffffu, 0x4b000001u, 0xcb000001u, 0x3eaaaaabu,
    0x41200000u, 0x42c80000u, 0x447a0000u, 0x3dcccccdu, 0x5f000000u, 0xdf000000u, 0x33800000u, 0xb3800000u,
    0x33000000u, 0xb3000000u, 0x39800000u, 0x3f490fdbu, 0x3f3504f3u, 0x3f3504f4u, 0x3fb504f3u, 0x3fb504f4u,
};
enum { SPECIAL_COUNT = sizeof special_bits / sizeof *special_bits };

static void assert_rounded_at(reference *r, const unary_f32 *function, float x, float got)
{
    float want = reference_f32(r, function->reference, x);
    if (bits_of(got) != bits_of(want)) {
        fail_msg("%s(%a) is %a (%08x), not %a (%08x)", function->name, (double)x, (double)got, bits_of(got),
                 (double)want, bits_of(want));
    }
}

static void assert_function_is_correctly_rounded(const unary_f32 *function)
{
    enum { BLOCK = 1000 };
    reference r;
    reference_begin(&r, true);
    test_random random = { bits_of(function->scalar(0.6f)) };
    float x[BLOCK], out[BLOCK];
    size_t blocks = test_count(1000);
    for (size_t b = 0; b < blocks; b++) {
        for (uint32_t i = 0; i < BLOCK; i++) {
            x[i] = argument(&random, i);
        }
        function->array(x, out, BLOCK);
        for (uint32_t i = 0; i < BLOCK; i++) {
            assert_int_equal(bits_of(out[i]), bits_of(function->scalar(x[i])));
            assert_rounded_at(&r, function, x[i], out[i]);
        }
    }
    reference_end(&r);
}

#define ROUNDED(name)                                                                                        \
    static void name##_is_correctly_rounded(void **state)                                                    \
    {                                                                                                        \
        const unary_f32 function = UNARY_F32(name);                                                          \
        assert_function_is_correctly_rounded(&function);                                                     \
    }

#endif
