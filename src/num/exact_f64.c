// num/exact_f64.c: the f64 functions.
//
// Each works its answer as the sum of two f64 (after Dekker 1971) with an error below 2^-64 of it, then asks whether all
// numbers within 2^-63 round alike. The one in a few hundred that does not, and what lies near the ends of f64's range,
// is settled by wide numbers. Products are split by hand, since nothing may be fused.

#include "num/exact.h"

#include "num/exact_inline.h"
#include "num/exact_settle.h"

typedef struct pair {
    double high, low; // low is at most half a unit in the last place of high
} pair;

#include "num/exact_pairs.h"

#define PAIR_ERROR 0x1p-63
#define PAIR_POW_ERROR 0x1p-61

// a + b without error.
static pair sum(double a, double b)
{
    double high = a + b;
    double part = high - a;
    return (pair){ high, (a - (high - part)) + (b - part) };
}

// The same where |a| is not less than |b|.
static pair quick_sum(double a, double b)
{
    double high = a + b;
    return (pair){ high, b - (high - a) };
}

// a * b without error, where nothing over- or underflows: each factor in halves of 26 bits.
static pair product(double a, double b)
{
    double x = a * 0x1.0000002p27, y = b * 0x1.0000002p27;
    double a1 = x - (x - a), b1 = y - (y - b);
    double a2 = a - a1, b2 = b - b1;
    double high = a * b;
    return (pair){ high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2 };
}

static pair add(pair a, pair b)
{
    pair s = sum(a.high, b.high);
    return quick_sum(s.high, s.low + (a.low + b.low));
}

static pair negated(pair a)
{
    return (pair){ -a.high, -a.low };
}

static pair subtract(pair a, pair b)
{
    return add(a, negated(b));
}

static pair multiply(pair a, pair b)
{
    pair p = product(a.high, b.high);
    return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static pair times(pair a, double b) // b a power of two, or of few bits
{
    pair p = product(a.high, b);
    return quick_sum(p.high, p.low + a.low * b);
}

static pair divide(pair a, pair b)
{
    double quotient = a.high / b.high;
    pair p = product(quotient, b.high);
    double rest = ((a.high - p.high) - p.low) + (a.low - quotient * b.low);
    return quick_sum(quotient, rest / b.high);
}

static pair root(pair a)
{
    double s = __builtin_sqrt(a.high);
    pair p = product(s, s);
    double rest = ((a.high - p.high) - p.low) + a.low;
    return quick_sum(s, rest / (2.0 * s));
}

// The answer where it is sure.
static bool settled(pair value, double error, double *out)
{
    double most = __builtin_fabs(value.high) * error;
    *out = value.high + (value.low - most);
    return *out == value.high + (value.low + most) && __builtin_fabs(*out) > 0x1p-1000 &&
           __builtin_fabs(*out) < 0x1p1000;
}

static double finish(pair value, exact_function function, double x)
{
    double out;
    return settled(value, PAIR_ERROR, &out) ? out : mr_exact_settle_f64(function, x, 0.0);
}

// e^x = 2^k times the answer, for |x| below 1000: x = (32 k + i) log 2 / 32 + r with |r| to log 2 / 64.
static pair exp_of(pair x, int *k)
{
    double n = (x.high * (32.0 * EXACT_LOG2_E) + EXACT_WHOLE) - EXACT_WHOLE;
    pair r = sum(x.high - n * PAIR_LN2_32_1, -(n * PAIR_LN2_32_2));
    r = quick_sum(r.high, r.low + (x.low - n * PAIR_LN2_32_3));
    double t = r.high;
    double tail =
        1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t * (1.0 / 720 + t * (1.0 / 5040 + t * (1.0 / 40320)))));
    pair square = product(t, t);
    pair p = sum(t, 0.5 * square.high);
    p = quick_sum(p.high, p.low + (r.low + (0.5 * square.low + t * r.low) + t * square.high * tail));
    int steps = (int)n;
    pair power = pair_exp2[steps & 31];
    *k = (steps - (steps & 31)) / 32;
    return add(power, multiply(power, p));
}

static double power_of_two(int k) // from -1022 to 1023
{
    return exact_of_bits((uint64_t)(1023 + k) << 52);
}

// log x for normal x: x = 2^k m, m c = 1 + r with |r| to 2^-7.
static pair log_of(double x)
{
    uint64_t bits = exact_bits(x);
    int k = (int)(bits >> 52) - 1023;
    size_t i = (size_t)(bits >> 45 & 127u);
    double m = exact_of_bits((bits & UINT64_C(0x000fffffffffffff)) | exact_bits(1.0));
    if (i >= 53) { // from about sqrt 2 on, so that numbers just below 1 have k = 0
        m *= 0.5;
        k++;
    }
    pair r = product(m, pair_log[i].c);
    r = sum(r.high - 1.0, r.low);
    pair square = multiply(r, r);
    pair cube = multiply(multiply(square, r), pair_third);
    double t = r.high;
    double tail =
        0.25 - t * (0.2 - t * (1.0 / 6 - t * (1.0 / 7 - t * (0.125 - t * (1.0 / 9 - t * (0.1 - t / 11))))));
    pair value = subtract(r, times(square, 0.5));
    value = add(value, cube);
    value = quick_sum(value.high, value.low - square.high * square.high * tail);
    pair base = { pair_log[i].high, pair_log[i].low };
    base = add(sum((double)k * PAIR_LN2_1, (double)k * PAIR_LN2_2), base);
    return base.high == 0.0 ? value : add(base, value);
}

static bool is_ordinary(double x) // above 0, normal and finite
{
    return x >= 0x1p-1022 && x < __builtin_inf();
}

double mr_f64_exp(double x)
{
    if (!(__builtin_fabs(x) < 690.0 && __builtin_fabs(x) > 0x1p-60)) {
        return mr_exact_settle_f64(EXACT_EXP, x, 0.0);
    }
    int k;
    double out;
    pair value = exp_of((pair){ x, 0.0 }, &k);
    return settled(value, PAIR_ERROR, &out) ? out * power_of_two(k) : mr_exact_settle_f64(EXACT_EXP, x, 0.0);
}

double mr_f64_log(double x)
{
    return is_ordinary(x) && x != 1.0 ? finish(log_of(x), EXACT_LOG, x)
                                      : mr_exact_settle_f64(EXACT_LOG, x, 0.0);
}

double mr_f64_log2(double x)
{
    return is_ordinary(x) && x != 1.0 ? finish(multiply(log_of(x), pair_log2_e), EXACT_LOG2, x)
                                      : mr_exact_settle_f64(EXACT_LOG2, x, 0.0);
}

double mr_f64_log10(double x)
{
    return is_ordinary(x) && x != 1.0 ? finish(multiply(log_of(x), pair_log10_e), EXACT_LOG10, x)
                                      : mr_exact_settle_f64(EXACT_LOG10, x, 0.0);
}

double mr_f64_pow(double x, double y)
{
    double size = __builtin_fabs(x);
    bool whole = __builtin_floor(y) == y;
    double out;
    if (is_ordinary(size) && size != 1.0 && (x > 0.0 || whole) && __builtin_fabs(y) < 0x1p60 &&
        __builtin_fabs(y) > 0x1p-60) {
        pair exponent = log_of(size);
        pair scaled = product(exponent.high, y);
        scaled = quick_sum(scaled.high, scaled.low + exponent.low * y);
        if (__builtin_fabs(scaled.high) < 690.0 && __builtin_fabs(scaled.high) > 0x1p-60) {
            int k;
            bool odd = whole && __builtin_floor(y * 0.5) != y * 0.5;
            if (settled(exp_of(scaled, &k), PAIR_POW_ERROR, &out)) {
                out *= power_of_two(k);
                return x < 0.0 && odd ? -out : out;
            }
        }
    }
    return mr_exact_settle_f64(EXACT_POW, x, y);
}

// x = turns * pi / 2 + r for |x| below 2^20 (after Cody and Waite): the first two products are exact, the third is kept
// whole, and r is right to 2^-64 of itself, since no f64 of that size comes nearer to a multiple of pi / 2 than 2^-62.
static pair reduced(double x, uint64_t *turns)
{
    double whole = x * EXACT_TWO_OVER_PI + EXACT_WHOLE;
    double n = whole - EXACT_WHOLE;
    *turns = exact_bits(whole);
    pair r = sum(x - n * PAIR_HALF_PI_1, -(n * PAIR_HALF_PI_2));
    r = subtract(r, product(n, PAIR_HALF_PI_3));
    return quick_sum(r.high, r.low - n * PAIR_HALF_PI_4);
}

// sin and cos of |r| to pi / 4, through the nearest number of 32nds: r = i / 32 + t.
static void sincos_of(pair r, pair *sine, pair *cosine)
{
    bool below = r.high < 0.0;
    r = below ? negated(r) : r;
    size_t i = (size_t)(r.high * 32.0 + 0.5);
    pair t = sum(r.high - (double)i * 0x1p-5, r.low);
    pair square = multiply(t, t);
    double s = square.high;
    double sine_tail = s * t.high * (-1.0 / 6 + s * (1.0 / 120 - s * (1.0 / 5040 - s / 362880)));
    double cosine_tail = s * s * (1.0 / 24 - s * (1.0 / 720 - s / 40320));
    pair sine_of_t = quick_sum(t.high, t.low + sine_tail);
    pair versed = quick_sum(-0.5 * s, -0.5 * square.low + cosine_tail); // cos t - 1
    pair c = pair_cos[i], v = pair_sin[i];
    *cosine = subtract(add(c, multiply(c, versed)), multiply(v, sine_of_t));
    *sine = i == 0 ? sine_of_t : add(v, add(multiply(v, versed), multiply(c, sine_of_t)));
    *sine = below ? negated(*sine) : *sine;
}

// False where the quick way does not know the angle.
static bool circular(double x, pair *sine, pair *cosine)
{
    if (!(__builtin_fabs(x) < 0x1p20 && __builtin_fabs(x) > 0x1p-60)) {
        return false;
    }
    uint64_t turns;
    pair s, c;
    sincos_of(reduced(x, &turns), &s, &c);
    *sine = turns & 1u ? c : s;
    *cosine = turns & 1u ? s : c;
    *sine = turns & 2u ? negated(*sine) : *sine;
    *cosine = (turns + 1u) & 2u ? negated(*cosine) : *cosine;
    return true;
}

double mr_f64_sin(double x)
{
    pair sine, cosine;
    return circular(x, &sine, &cosine) ? finish(sine, EXACT_SIN, x) : mr_exact_settle_f64(EXACT_SIN, x, 0.0);
}

double mr_f64_cos(double x)
{
    pair sine, cosine;
    return circular(x, &sine, &cosine) ? finish(cosine, EXACT_COS, x)
                                       : mr_exact_settle_f64(EXACT_COS, x, 0.0);
}

double mr_f64_tan(double x)
{
    pair sine, cosine;
    return circular(x, &sine, &cosine) ? finish(divide(sine, cosine), EXACT_TAN, x)
                                       : mr_exact_settle_f64(EXACT_TAN, x, 0.0);
}

// The angle of (along, up), both above 0, through the nearest number of 32nds of their quotient.
static pair angle_of(pair up, pair along)
{
    bool steep = up.high > along.high;
    pair less = steep ? along : up, more = steep ? up : along;
    size_t i = (size_t)(less.high / more.high * 32.0 + 0.5);
    double c = (double)i * 0x1p-5;
    pair t = i == 0 ? divide(less, more) : divide(subtract(less, times(more, c)), add(more, times(less, c)));
    double s = t.high * t.high;
    double tail = s * t.high * (-1.0 / 3 + s * (0.2 - s * (1.0 / 7 - s * (1.0 / 9 - s / 11))));
    pair angle = quick_sum(t.high, t.low + tail);
    angle = i == 0 ? angle : add(pair_atan[i], angle);
    return steep ? subtract(pair_half_pi, angle) : angle;
}

static bool is_middling(double size)
{
    return size > 0x1p-400 && size < 0x1p400;
}

double mr_f64_atan2(double y, double x)
{
    double up = __builtin_fabs(y), along = __builtin_fabs(x), out;
    if (is_middling(up) && is_middling(along) && up < along * 0x1p60 && along < up * 0x1p60) {
        pair angle = angle_of((pair){ up, 0.0 }, (pair){ along, 0.0 });
        angle = x < 0.0 ? subtract(pair_pi, angle) : angle;
        if (settled(angle, PAIR_ERROR, &out)) {
            return __builtin_copysign(out, y);
        }
    }
    return mr_exact_settle_f64(EXACT_ATAN2, y, x);
}

double mr_f64_atan(double x)
{
    double size = __builtin_fabs(x), out;
    if (size > 0x1p-60 && size < 0x1p60 &&
        settled(angle_of((pair){ size, 0.0 }, (pair){ 1.0, 0.0 }), PAIR_ERROR, &out)) {
        return __builtin_copysign(out, x);
    }
    return mr_exact_settle_f64(EXACT_ATAN, x, 0.0);
}

// sqrt(1 - x^2) for |x| below 1.
static pair cosine_side(double x)
{
    pair square = product(x, x);
    pair rest = sum(1.0, -square.high);
    return root(quick_sum(rest.high, rest.low - square.low));
}

double mr_f64_asin(double x)
{
    double size = __builtin_fabs(x), out;
    if (size > 0x1p-60 && size < 1.0 &&
        settled(angle_of((pair){ size, 0.0 }, cosine_side(x)), PAIR_ERROR, &out)) {
        return __builtin_copysign(out, x);
    }
    return mr_exact_settle_f64(EXACT_ASIN, x, 0.0);
}

double mr_f64_acos(double x)
{
    double size = __builtin_fabs(x);
    if (!(size > 0x1p-60 && size < 1.0)) {
        return mr_exact_settle_f64(EXACT_ACOS, x, 0.0);
    }
    pair angle = angle_of(cosine_side(x), (pair){ size, 0.0 });
    return finish(x < 0.0 ? subtract(pair_pi, angle) : angle, EXACT_ACOS, x);
}

// e^size and e^-size, halved, for sizes below 300.
static void half_exponentials(double size, pair *up, pair *down)
{
    int k;
    pair e = exp_of((pair){ size, 0.0 }, &k);
    double half = power_of_two(k - 1);
    *up = (pair){ e.high * half, e.low * half };
    *down = divide((pair){ 0.25, 0.0 }, *up);
}

// sinh x for |x| below 1/4, by its series: x (1 + u / 6 + u^2 (1 / 120 + ...)), u = x^2.
static pair small_sinh(double x)
{
    pair u = product(x, x);
    double t = u.high;
    double tail =
        1.0 / 120 +
        t * (1.0 / 5040 +
             t * (1.0 / 362880 + t * (1.0 / 39916800 + t * (1.0 / 6227020800.0 + t / 1307674368000.0))));
    pair sixth = multiply(u, pair_sixth);
    pair factor = quick_sum(sixth.high, sixth.low + t * t * tail);
    pair value = multiply(factor, (pair){ x, 0.0 });
    return add((pair){ x, 0.0 }, value);
}

static bool is_hyperbolic(double x)
{
    return __builtin_fabs(x) > 0x1p-60 && __builtin_fabs(x) < 300.0;
}

double mr_f64_sinh(double x)
{
    if (!is_hyperbolic(x)) {
        return mr_exact_settle_f64(EXACT_SINH, x, 0.0);
    }
    pair up, down;
    half_exponentials(__builtin_fabs(x), &up, &down);
    pair value = subtract(up, down);
    value = x < 0.0 ? negated(value) : value;
    return finish(__builtin_fabs(x) < 0.25 ? small_sinh(x) : value, EXACT_SINH, x);
}

double mr_f64_cosh(double x)
{
    if (!is_hyperbolic(x)) {
        return mr_exact_settle_f64(EXACT_COSH, x, 0.0);
    }
    pair up, down;
    half_exponentials(__builtin_fabs(x), &up, &down);
    return finish(add(up, down), EXACT_COSH, x);
}

double mr_f64_tanh(double x)
{
    if (!is_hyperbolic(x)) {
        return mr_exact_settle_f64(EXACT_TANH, x, 0.0);
    }
    pair up, down;
    half_exponentials(__builtin_fabs(x), &up, &down);
    pair sine = subtract(up, down);
    sine = x < 0.0 ? negated(sine) : sine;
    return finish(divide(__builtin_fabs(x) < 0.25 ? small_sinh(x) : sine, add(up, down)), EXACT_TANH, x);
}
