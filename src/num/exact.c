// num/exact.c: the scalar functions.

#include "num/exact.h"

#include "num/exact_inline.h"
#include "num/exact_kernels.h"
#include "num/exact_settle.h"

static const float infinity = __builtin_inff();

static float quiet_nan(void)
{
    const uint32_t bits = 0x7fc00000u;
    float nan;
    memcpy(&nan, &bits, sizeof nan);
    return nan;
}

static double quiet_nan_f64(void)
{
    return (double)quiet_nan();
}

// The quick path, and what it cannot settle by wide numbers. NaN as f64 narrows to NaN as f32 with the quiet bit alone.
#define UNARY(name, NAME)                                                                                    \
    float mr_f32_##name(float x)                                                                             \
    {                                                                                                        \
        uint32_t unsettled;                                                                                  \
        float value = exact_settled(exact_##name(x), EXACT_ERROR, &unsettled);                               \
        return unsettled ? (float)mr_exact_settle_f32(EXACT_##NAME, (double)x, 0.0) : value;                 \
    }
UNARY(cbrt, CBRT)
UNARY(exp, EXP)
UNARY(exp2, EXP2)
UNARY(expm1, EXPM1)
UNARY(log, LOG)
UNARY(log2, LOG2)
UNARY(log10, LOG10)
UNARY(log1p, LOG1P)
UNARY(asin, ASIN)
UNARY(acos, ACOS)
UNARY(atan, ATAN)
UNARY(sinh, SINH)
UNARY(cosh, COSH)
UNARY(tanh, TANH)

// Bits of 2 / pi: bit i from the left, counted from 1, weighs 2^-i.
static const uint32_t two_over_pi[8] = { 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                         0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u };

// As exact_reduced, for finite x from 2^20 on (after Payne and Hanek 1983): x is 24 bits times 2^e, and the bits of
// 2 / pi whose product with it is a multiple of 4 are left out. Of the next 128 the product's fraction keeps 102, and no
// f32 comes nearer to a multiple of pi / 2 than 2^-30 of it, so r is as good as f64 can hold.
static double far_reduced(float x, uint64_t *turns)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 23 & 0xff) - 150;
    uint64_t mantissa = (bits & 0x7fffffu) | 0x800000u;
    int first = e > 2 ? e - 1 : 1;
    uint64_t product[4], carry = 0;
    for (int i = 3; i >= 0; i--) {
        int at = first - 1 + 32 * i;
        uint64_t two = (uint64_t)two_over_pi[at / 32] << 32 | (at / 32 < 7 ? two_over_pi[at / 32 + 1] : 0u);
        carry += mantissa * (uint32_t)(two >> (32 - at % 32));
        product[i] = carry & 0xffffffffu;
        carry >>= 32;
    }
    // The product weighs 2^-point a unit; above the point are the quarters.
    int shift = first + 127 - e - 96; // the point's place in `high`: 30 to 35
    uint64_t high = carry << 32 | product[0], middle = product[1] << 32 | product[2];
    uint64_t whole = high >> shift;
    uint64_t fraction = high << (64 - shift) | middle >> shift;
    uint64_t rest = middle << (64 - shift);
    // As a signed number an upper half is what it lacks to the next quarter.
    whole += fraction >> 63;
    double r = ((double)(int64_t)fraction * 0x1p-64 + (double)rest * 0x1p-128) * EXACT_HALF_PI;
    *turns = x < 0.0f ? 0u - whole : whole;
    return x < 0.0f ? -r : r;
}

static bool is_far(float x)
{
    return __builtin_fabsf(x) >= EXACT_TURNS_LIMIT && __builtin_fabsf(x) < infinity;
}

// What value does where it settles the rounding, and what wide numbers say where it does not.
static float trigonometric(exact_function function, float x, double value)
{
    uint32_t unsettled;
    float rounded = exact_settled(value, EXACT_ERROR, &unsettled);
    return unsettled ? (float)mr_exact_settle_f32(function, (double)x, 0.0) : rounded;
}

float mr_f32_sin(float x)
{
    if (is_far(x)) {
        uint64_t turns;
        double r = far_reduced(x, &turns);
        return trigonometric(EXACT_SIN, x, exact_turned(exact_sine_of(r), exact_cosine_of(r), turns));
    }
    return trigonometric(EXACT_SIN, x, exact_sin(x));
}

float mr_f32_cos(float x)
{
    if (is_far(x)) {
        uint64_t turns;
        double r = far_reduced(x, &turns);
        return trigonometric(EXACT_COS, x, exact_turned(exact_sine_of(r), exact_cosine_of(r), turns + 1u));
    }
    return trigonometric(EXACT_COS, x, exact_cos(x));
}

float mr_f32_tan(float x)
{
    if (is_far(x)) {
        uint64_t turns;
        double r = far_reduced(x, &turns);
        return trigonometric(EXACT_TAN, x, exact_tangent_of(r, turns));
    }
    return trigonometric(EXACT_TAN, x, exact_tan(x));
}

float mr_f32_sqrt(float x)
{
    return exact_sqrt(x);
}

void mr_f32_sincos(float x, float *sine, float *cosine)
{
    uint64_t turns;
    double r = is_far(x) ? far_reduced(x, &turns) : exact_reduced((double)x, &turns);
    double s = exact_sine_of(r), c = exact_cosine_of(r);
    *sine = trigonometric(EXACT_SIN, x, x == 0.0f ? (double)x : exact_turned(s, c, turns));
    *cosine = trigonometric(EXACT_COS, x, exact_turned(s, c, turns + 1u));
}

float mr_f32_pow(float x, float y)
{
    uint32_t unsettled;
    float value = exact_settled(exact_pow(x, y), EXACT_POW_ERROR, &unsettled);
    return unsettled ? (float)mr_exact_settle_f32(EXACT_POW, (double)x, (double)y) : value;
}

float mr_f32_atan2(float y, float x)
{
    uint32_t unsettled;
    float value = exact_settled(exact_atan2(y, x), EXACT_ERROR, &unsettled);
    return unsettled ? (float)mr_exact_settle_f32(EXACT_ATAN2, (double)y, (double)x) : value;
}

float mr_f32_hypot(float x, float y)
{
    if (__builtin_fabsf(x) == infinity || __builtin_fabsf(y) == infinity) {
        return infinity;
    }
    if (x != x || y != y) {
        return quiet_nan();
    }
    // The squares are whole in f64, and high + low is their sum exactly.
    double a = (double)x * (double)x, b = (double)y * (double)y;
    double high = a + b;
    double part = high - a;
    double low = (a - (high - part)) + (b - part);
    double root = __builtin_sqrt(high);
    // The root is off by less than 2^-51 of itself. Where a tie between two f32 lies that near, which side the true
    // root is on is the sign of high + low - tie^2, which has no error: the tie has 25 bits.
    float under = (float)(root * (1.0 - 0x1p-51)), over = (float)(root * (1.0 + 0x1p-51));
    if (under == over) {
        return under;
    }
    double tie = over == infinity ? 0x1.ffffffp127 : ((double)under + (double)over) * 0.5;
    double past = (high - tie * tie) + low;
    return past > 0.0 ? over : past < 0.0 ? under : (float)tie;
}

// The remainder of finite x >= 0 by finite y > 0: integers times powers of two, the dividend's bits shifted in as many at
// a time as the divisor leaves room for.
static double remainder_of(double x, double y)
{
    if (x < y) {
        return x;
    }
    uint64_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    int e = (int)(a >> 52), f = (int)(b >> 52);
    uint64_t m = (a & 0xfffffffffffff) | (uint64_t)(e > 0) << 52;
    uint64_t n = (b & 0xfffffffffffff) | (uint64_t)(f > 0) << 52;
    e = e ? e : 1;
    f = f ? f : 1;
    int zeros = __builtin_ctzll(n);
    n >>= zeros;
    f += zeros;
    if (e < f) { // x has bits below the divisor's last; there are fewer than 53 of them, since x >= y
        int down = f - e;
        m = (m >> down) % n << down | (m & ((UINT64_C(1) << down) - 1));
    } else {
        int room = __builtin_clzll(n);
        m %= n;
        for (int left = e - f; left > 0 && m;) {
            int step = left < room ? left : room;
            m = (m << step) % n;
            left -= step;
        }
        e = f;
    }
    // m 2^(e - 1075) is exact, but that power may lie below f64's normal range.
    double value = (double)m;
    for (; e < 75; e += 64) {
        value *= 0x1p-64;
    }
    uint64_t power = (uint64_t)(e - 1075 + 1023) << 52;
    double factor;
    memcpy(&factor, &power, sizeof factor);
    return value * factor;
}

double mr_f64_fmod(double x, double y)
{
    double size = __builtin_fabs(x), divisor = __builtin_fabs(y);
    if (!(size < __builtin_inf()) || !(divisor > 0.0)) { // also where either is NaN
        return quiet_nan_f64();
    }
    return __builtin_copysign(divisor < __builtin_inf() ? remainder_of(size, divisor) : size, x);
}

float mr_f32_fmod(float x, float y)
{
    return (float)mr_f64_fmod((double)x, (double)y);
}

float mr_f32_mod(float x, float y)
{
    double rest = mr_f64_fmod((double)x, (double)y);
    if (rest == 0.0) {
        return __builtin_copysignf(0.0f, y);
    }
    // The sum is that of two f32; it is rounded to f64 and then to f32, which settles the same way: see docs.
    return (rest < 0.0) != (y < 0.0f) ? (float)(rest + (double)y) : (float)rest;
}

const mr_exact_kernels *mr_exact_kernels_of(mr_isa isa)
{
    return MR_ISA_PICK(mr_exact_table, isa);
}

#define ARRAY(name)                                                                                          \
    void mr_f32_##name##_array(const float *x, float *out, size_t count)                                     \
    {                                                                                                        \
        mr_exact_kernels_of(mr_isa_here())->name(x, out, count);                                             \
    }
ARRAY(sqrt)
ARRAY(cbrt)
ARRAY(exp)
ARRAY(exp2)
ARRAY(expm1)
ARRAY(log)
ARRAY(log2)
ARRAY(log10)
ARRAY(log1p)
ARRAY(sin)
ARRAY(cos)
ARRAY(tan)
ARRAY(asin)
ARRAY(acos)
ARRAY(atan)
ARRAY(sinh)
ARRAY(cosh)
ARRAY(tanh)

#define ARRAY_OF_TWO(name)                                                                                   \
    void mr_f32_##name##_array(const float *x, const float *y, float *out, size_t count)                     \
    {                                                                                                        \
        mr_exact_kernels_of(mr_isa_here())->name(x, y, out, count);                                          \
    }
ARRAY_OF_TWO(pow)
ARRAY_OF_TWO(atan2)
ARRAY_OF_TWO(hypot)
ARRAY_OF_TWO(fmod)
ARRAY_OF_TWO(mod)
