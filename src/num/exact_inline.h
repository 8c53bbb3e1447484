// num/exact_inline.h: the quick paths of the f32 functions, for loops that the compiler may vectorize.
//
// exact_f(x) answers f(x) in f64, off by less than 2^-45 of itself (EXACT_POW_ERROR for pow), or NaN where it does not
// know: those arguments are special, far off, or no number. exact_settled rounds such an answer to f32 and says whether
// that is the true answer's rounding too, which it is unless a tie lies within the error: once in a million. The rest
// goes to num/exact_settle.h. The errors are those of the polynomials (exact_polynomials.h) and of a few roundings, in
// all below 2^-48; docs/exact-math.md works them out.
//
// Straight code without branches: a choice is a select, a rounding to whole numbers the addition of 1.5 * 2^52.

#ifndef MARRAM_NUM_EXACT_INLINE_H
#define MARRAM_NUM_EXACT_INLINE_H

#include "num/exact_polynomials.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EXACT_ERROR 0x1p-45
#define EXACT_POW_ERROR 0x1p-42
#define EXACT_WHOLE 0x1.8p52 // x + this - this is the nearest whole number, its low bits those of the sum
#define EXACT_TURNS_LIMIT 0x1p20f // how far sin, cos and tan go

static inline uint64_t exact_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double exact_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double exact_signed_as(double size, double x)
{
    return exact_of_bits(exact_bits(size) | (exact_bits(x) & UINT64_C(0x8000000000000000)));
}

static inline double exact_unknown(void)
{
    return exact_of_bits(UINT64_C(0x7ff8000000000000));
}

// *unsettled is 0 where the rounding is sure.
static inline float exact_settled(double value, double error, uint32_t *unsettled)
{
    float low = (float)(value * (1.0 - error));
    float high = (float)(value * (1.0 + error));
    *unsettled = low == high ? 0u : 1u;
    return low;
}

// x = quarters * pi / 2 + r (after Cody and Waite), |r| to pi / 4. The low two bits of *turns count the quarters.
static inline double exact_reduced(double x, uint64_t *turns)
{
    double whole = x * EXACT_TWO_OVER_PI + EXACT_WHOLE;
    double n = whole - EXACT_WHOLE;
    *turns = exact_bits(whole);
    return ((x - n * EXACT_HALF_PI_1) - n * EXACT_HALF_PI_2) - n * EXACT_HALF_PI_3;
}

static inline double exact_sine_of(double r)
{
    double square = r * r;
    return r + r * square * exact_poly_sin(square);
}

static inline double exact_cosine_of(double r)
{
    double square = r * r;
    return 1.0 - (0.5 * square - square * square * exact_poly_cos(square));
}

// sin(r + turns * pi / 2)
static inline double exact_turned(double sine, double cosine, uint64_t turns)
{
    double value = turns & 1u ? cosine : sine;
    return exact_of_bits(exact_bits(value) ^ (turns & 2u) << 62);
}

static inline double exact_sin(float x)
{
    uint64_t turns;
    double r = exact_reduced((double)x, &turns);
    double value = exact_turned(exact_sine_of(r), exact_cosine_of(r), turns);
    value = x == 0.0f ? (double)x : value;
    return __builtin_fabsf(x) < EXACT_TURNS_LIMIT ? value : exact_unknown();
}

static inline double exact_cos(float x)
{
    uint64_t turns;
    double r = exact_reduced((double)x, &turns);
    double value = exact_turned(exact_sine_of(r), exact_cosine_of(r), turns + 1u);
    return __builtin_fabsf(x) < EXACT_TURNS_LIMIT ? value : exact_unknown();
}

static inline double exact_tangent_of(double r, uint64_t turns)
{
    double sine = exact_sine_of(r), cosine = exact_cosine_of(r);
    double above = turns & 1u ? -cosine : sine;
    double below = turns & 1u ? sine : cosine;
    return above / below;
}

static inline double exact_tan(float x)
{
    uint64_t turns;
    double r = exact_reduced((double)x, &turns);
    double value = exact_tangent_of(r, turns);
    value = x == 0.0f ? (double)x : value;
    return __builtin_fabsf(x) < EXACT_TURNS_LIMIT ? value : exact_unknown();
}

// asin s for s from 0 to 1/2 whose square is given.
static inline double exact_arcsine_of(double s, double square)
{
    return s + s * square * exact_poly_asin(square);
}

// For a = |x| above 1/2: asin a = pi / 2 - 2 asin(sqrt((1 - a) / 2)). Past 1 the root is no number.
static inline double exact_asin(float x)
{
    double a = __builtin_fabs((double)x);
    bool far = a > 0.5;
    double half = (1.0 - a) * 0.5;
    double square = far ? half : a * a;
    double s = far ? __builtin_sqrt(half) : a;
    double angle = exact_arcsine_of(s, square);
    return exact_signed_as(far ? EXACT_HALF_PI - 2.0 * angle : angle, (double)x);
}

static inline double exact_acos(float x)
{
    double a = __builtin_fabs((double)x);
    bool far = a > 0.5, behind = x < 0.0f;
    double half = (1.0 - a) * 0.5;
    double square = far ? half : a * a;
    double s = far ? __builtin_sqrt(half) : a;
    double angle = exact_arcsine_of(s, square);
    double near_zero = 2.0 * angle;
    double far_angle = behind ? EXACT_PI - near_zero : near_zero;
    double near_angle = behind ? EXACT_HALF_PI + angle : EXACT_HALF_PI - angle;
    return far ? far_angle : near_angle;
}

// The angle of (along, up), both from 0 on, not both 0.
static inline double exact_angle_of(double up, double along)
{
    bool steep = up > along;
    double less = steep ? along : up, more = steep ? up : along;
    bool low = less <= EXACT_TAN_PI_8 * more;
    double t = (low ? less : less - more) / (low ? more : less + more);
    double square = t * t;
    double small = t + t * square * exact_poly_atan(square);
    double angle = low ? small : EXACT_QUARTER_PI + small;
    return steep ? EXACT_HALF_PI - angle : angle;
}

static inline double exact_atan(float x)
{
    return exact_signed_as(exact_angle_of(__builtin_fabs((double)x), 1.0), (double)x);
}

// Unknown where either is 0 or not finite.
static inline double exact_atan2(float y, float x)
{
    double up = __builtin_fabs((double)y), along = __builtin_fabs((double)x);
    double angle = exact_angle_of(up, along);
    angle = x < 0.0f ? EXACT_PI - angle : angle;
    angle = exact_signed_as(angle, (double)y);
    double less = up < along ? up : along, more = up < along ? along : up;
    return less > 0.0 && more < __builtin_inf() ? angle : exact_unknown();
}

// e^x = 2^k (1 + p): answers p, and 2^k. x between -1000 and 1000.
static inline double exact_exp_parts(double x, double *power)
{
    double whole = x * EXACT_LOG2_E + EXACT_WHOLE;
    double k = whole - EXACT_WHOLE;
    double r = (x - k * EXACT_LN2_1) - k * EXACT_LN2_2;
    *power = exact_of_bits((exact_bits(whole) << 52) + (UINT64_C(1023) << 52));
    return r + r * r * exact_poly_exp(r);
}

// Past these every f32 answer is 0 or infinite (or -1, or 1); NaN stays what it is.
static inline double exact_between(double x, double low, double high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

static inline double exact_exp(float x)
{
    double power;
    double p = exact_exp_parts(exact_between((double)x, -150.0, 150.0), &power);
    return power + power * p;
}

// 2^x for x between -1000 and 1000.
static inline double exact_exp2_of(double x)
{
    double whole = x + EXACT_WHOLE;
    double r = (x - (whole - EXACT_WHOLE)) * EXACT_LN2;
    double power = exact_of_bits((exact_bits(whole) << 52) + (UINT64_C(1023) << 52));
    return power + power * (r + r * r * exact_poly_exp(r));
}

static inline double exact_exp2(float x)
{
    return exact_exp2_of(exact_between((double)x, -200.0, 200.0));
}

static inline double exact_expm1_of(double x)
{
    double power;
    double p = exact_exp_parts(x, &power);
    return power * p + (power - 1.0);
}

static inline double exact_expm1(float x)
{
    double value = exact_expm1_of(exact_between((double)x, -150.0, 150.0));
    return x == 0.0f ? (double)x : value;
}

static inline double exact_sinh(float x)
{
    double p = exact_expm1_of(exact_between(__builtin_fabs((double)x), 0.0, 150.0));
    return exact_signed_as(0.5 * (p + p / (1.0 + p)), (double)x);
}

static inline double exact_cosh(float x)
{
    double power;
    double p = exact_exp_parts(exact_between(__builtin_fabs((double)x), 0.0, 150.0), &power);
    double e = power + power * p;
    return 0.5 * (e + 1.0 / e);
}

static inline double exact_tanh(float x)
{
    double p = exact_expm1_of(-2.0 * exact_between(__builtin_fabs((double)x), 0.0, 50.0));
    return exact_signed_as(__builtin_fabs(p) / (p + 2.0), (double)x);
}

// x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), for normal x above 0. Answers f, and k.
static inline double exact_log_parts(double x, double *k)
{
    uint64_t bits = exact_bits(x);
    uint64_t raised = bits - exact_bits(EXACT_SQRT_HALF) + (UINT64_C(1023) << 52);
    *k = exact_of_bits(raised >> 52 | exact_bits(0x1p52)) - (0x1p52 + 1023.0);
    uint64_t power = raised & UINT64_C(0xfff0000000000000);
    return exact_of_bits(bits - power + (UINT64_C(1023) << 52)) - 1.0;
}

// log(1 + f)
static inline double exact_log_of(double f)
{
    double s = f / (2.0 + f);
    double square = s * s;
    return 2.0 * s + s * square * exact_poly_log(square);
}

// Logarithms know their arguments above 0 and below infinity.
static inline double exact_if_positive(float x, double value)
{
    return x > 0.0f && x < __builtin_inff() ? value : exact_unknown();
}

static inline double exact_log(float x)
{
    double k, f = exact_log_parts((double)x, &k);
    return exact_if_positive(x, k * EXACT_LN2 + exact_log_of(f));
}

static inline double exact_log2(float x)
{
    double k, f = exact_log_parts((double)x, &k);
    return exact_if_positive(x, k + exact_log_of(f) * EXACT_LOG2_E);
}

static inline double exact_log10(float x)
{
    double k, f = exact_log_parts((double)x, &k);
    return exact_if_positive(x, k * EXACT_LOG10_2 + exact_log_of(f) * EXACT_LOG10_E);
}

static inline double exact_log1p(float x)
{
    // About 0 the argument is f as it stands, so that its last bits are not lost in 1 + x.
    double k, f = exact_log_parts(1.0 + (double)x, &k);
    f = k == 0.0 ? (double)x : f;
    double value = k * EXACT_LN2 + exact_log_of(f);
    value = x == 0.0f ? (double)x : value;
    return x > -1.0f && x < __builtin_inff() ? value : exact_unknown();
}

static inline double exact_cbrt(float x)
{
    // |x| = 2^(e - 1023) m = 2^(3 q - 1023 + r) m with r 0, 1 or 2; 1023 is 3 * 341, and 682 is 1023 - 341.
    double a = __builtin_fabs((double)x);
    uint64_t bits = exact_bits(a);
    double e = exact_of_bits(bits >> 52 | exact_bits(0x1p52)) - 0x1p52;
    double whole = (e - 1.0) * (1.0 / 3.0) + EXACT_WHOLE;
    double r = e - 3.0 * (whole - EXACT_WHOLE);
    double m = exact_of_bits((bits & UINT64_C(0x000fffffffffffff)) | exact_bits(1.0));
    double root = exact_poly_cbrt(m);
    root = r == 0.0 ? root : r == 1.0 ? root * EXACT_CBRT2 : root * EXACT_CBRT4;
    m = r == 0.0 ? m : r == 1.0 ? m * 2.0 : m * 4.0;
    // Halley's step makes an error of 2^-21 one of 2^-62.
    double cube = root * root * root;
    root = root - root * (cube - m) / (2.0 * cube + m);
    root = root * exact_of_bits((exact_bits(whole) << 52) + (UINT64_C(682) << 52));
    root = exact_signed_as(root, (double)x);
    root = x == 0.0f ? (double)x : root;
    return a < __builtin_inf() ? root : exact_unknown();
}

// The squares of f32 are whole in f64, so only their sum and the root round.
static inline double exact_hypot(float x, float y)
{
    double value = __builtin_sqrt((double)x * (double)x + (double)y * (double)y);
    return value < __builtin_inf() ? value : exact_unknown();
}

// Rounded by itself; the NaN of an argument below 0 is the canonical one.
static inline float exact_sqrt(float x)
{
    float root = __builtin_sqrtf(x);
    return root == root ? root : (float)exact_unknown();
}

// Unknown where either is 0 or not finite, and for x below 0 where y is not a whole number below 2^22.
static inline double exact_pow(float x, float y)
{
    double a = __builtin_fabs((double)x), b = (double)y;
    double k, f = exact_log_parts(a, &k);
    double exponent = exact_between((k + exact_log_of(f) * EXACT_LOG2_E) * b, -200.0, 200.0);
    double size = exact_exp2_of(exponent);
    double whole = b + EXACT_WHOLE;
    // Select after select, since the compiler would make branches of &&.
    double whole_y = whole - EXACT_WHOLE == b ? size : exact_unknown();
    whole_y = __builtin_fabs(b) < 0x1p22 ? whole_y : exact_unknown();
    uint64_t odd = exact_bits(whole) << 63;
    double value = x < 0.0f ? exact_of_bits(exact_bits(whole_y) ^ odd) : size;
    value = a > 0.0 ? value : exact_unknown();
    value = a < __builtin_inf() ? value : exact_unknown();
    return __builtin_fabs(b) < __builtin_inf() ? value : exact_unknown();
}

#endif
