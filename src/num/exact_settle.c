// num/exact_settle.c: special values after C's Annex F, then wide numbers.

#include "num/exact_settle.h"

#include "num/wide.h"

#include <stdbool.h>
#include <string.h>

static const double infinity = __builtin_inf();

static double quiet_nan(void)
{
    const uint64_t bits = UINT64_C(0x7ff8000000000000);
    double nan;
    memcpy(&nan, &bits, sizeof nan);
    return nan;
}

static bool is_negative(double x)
{
    return __builtin_signbit(x) != 0;
}

static bool is_infinite(double x)
{
    return __builtin_fabs(x) == infinity;
}

static bool is_integer(double x)
{
    return __builtin_floor(x) == x;
}

static bool is_odd(double x)
{
    return is_integer(x) && !is_integer(x * 0.5);
}

// Each of these answers whether the function's value at x needs no working out, and that value. A value here is one
// that rounds to the same number in f32 and f64, given that x came from there.

static bool special_odd_function(double x, double at_infinity, double *value)
{
    // x is so near 0 that the function is x to far beyond the last place.
    if (__builtin_fabs(x) < 0x1p-60) {
        *value = x;
        return true;
    }
    if (is_infinite(x)) {
        *value = at_infinity != at_infinity ? at_infinity : __builtin_copysign(at_infinity, x);
        return true;
    }
    return false;
}

static bool special_log(double x, double *value)
{
    if (x == 0.0) {
        *value = -infinity;
    } else if (is_negative(x)) {
        *value = quiet_nan();
    } else if (is_infinite(x)) {
        *value = x;
    } else {
        return false;
    }
    return true;
}

static bool special_pow(double x, double y, double *value)
{
    double size = __builtin_fabs(x);
    bool odd = !is_infinite(y) && is_odd(y);
    double sign = is_negative(x) && odd ? -1.0 : 1.0;
    if (y == 0.0 || x == 1.0) {
        *value = 1.0;
    } else if (x != x || y != y) {
        *value = quiet_nan();
    } else if (is_infinite(y)) {
        *value = size == 1.0 ? 1.0 : (size > 1.0) == !is_negative(y) ? infinity : 0.0;
    } else if (size == 0.0 || is_infinite(x)) {
        *value = sign * ((size == 0.0) == !is_negative(y) ? 0.0 : infinity);
    } else if (is_negative(x) && !is_integer(y)) {
        *value = quiet_nan();
    } else {
        return false;
    }
    return true;
}

static bool special_atan2(double y, double x, double *value)
{
    if (y == 0.0 && !is_negative(x)) {
        *value = y; // x is +0 or more
        return true;
    }
    if (x == infinity && !is_infinite(y)) {
        *value = __builtin_copysign(0.0, y);
        return true;
    }
    return false;
}

static bool special(exact_function function, double x, double y, double *value)
{
    switch (function) {
    case EXACT_POW:
        return special_pow(x, y, value);
    case EXACT_ATAN2:
        if (x != x || y != y) {
            *value = quiet_nan();
            return true;
        }
        return special_atan2(x, y, value);
    default:
        break;
    }
    if (x != x) {
        *value = quiet_nan();
        return true;
    }
    switch (function) {
    case EXACT_EXP:
    case EXACT_EXP2:
        if (is_infinite(x)) {
            *value = is_negative(x) ? 0.0 : infinity;
            return true;
        }
        return false;
    case EXACT_EXPM1:
        if (x == -infinity) {
            *value = -1.0;
            return true;
        }
        return special_odd_function(x, infinity, value);
    case EXACT_LOG:
    case EXACT_LOG2:
    case EXACT_LOG10:
        return special_log(x, value);
    case EXACT_LOG1P:
        if (x == -1.0 || x == infinity) {
            *value = x * infinity;
            return true;
        }
        if (x < -1.0) {
            *value = quiet_nan();
            return true;
        }
        return special_odd_function(x, infinity, value);
    case EXACT_SIN:
    case EXACT_TAN:
        return special_odd_function(x, quiet_nan(), value);
    case EXACT_COS:
        *value = quiet_nan();
        return is_infinite(x);
    case EXACT_ASIN:
    case EXACT_ACOS:
        if (__builtin_fabs(x) > 1.0) {
            *value = quiet_nan();
            return true;
        }
        return function == EXACT_ASIN && special_odd_function(x, infinity, value);
    case EXACT_SINH:
    case EXACT_CBRT:
        if (x == 0.0 || is_infinite(x)) {
            *value = x;
            return true;
        }
        return function == EXACT_SINH && special_odd_function(x, infinity, value);
    case EXACT_COSH:
        *value = infinity;
        return is_infinite(x);
    case EXACT_TANH:
        return special_odd_function(x, 1.0, value);
    case EXACT_ATAN:
        return !is_infinite(x) && special_odd_function(x, infinity, value);
    default:
        return false;
    }
}

// e^x and e^-x, for the hyperbolic functions.
static wide exp_sum(wide x, bool subtract)
{
    wide up = wide_exp(x), down = wide_exp(wide_negate(x));
    return wide_shift(subtract ? wide_subtract(up, down) : wide_add(up, down), -1);
}

static wide power(double x, double y)
{
    wide value = wide_exp(wide_multiply(wide_from(y), wide_log(wide_from(__builtin_fabs(x)))));
    return is_negative(x) && is_odd(y) ? wide_negate(value) : value;
}

static wide angle_of(double y, double x)
{
    if (y == 0.0) { // special() left x below 0, or -0
        x = -1.0;
    }
    // Infinite sides: only how they compare counts.
    if (is_infinite(y) || is_infinite(x)) {
        double high = is_infinite(y) ? 1.0 : 0.0, wide_side = is_infinite(x) ? 1.0 : 0.0;
        high = is_negative(y) ? -high : high;
        wide_side = is_negative(x) ? -wide_side : wide_side;
        wide angle = wide_atan2(wide_from(high), wide_from(wide_side));
        return is_negative(y) && !angle.negative ? wide_negate(angle) : angle;
    }
    wide angle = wide_atan2(wide_from(y), wide_from(x));
    // A quotient this small is the angle to 2^-120, but where it is a tie itself the angle is what lies below it.
    if (!is_negative(x) && angle.exponent < -60) {
        angle = wide_subtract(angle, wide_shift(angle, -120));
    }
    return is_negative(y) && !angle.negative ? wide_negate(angle) : angle;
}

static wide value_at(exact_function function, double x, double y)
{
    wide sine, cosine, root, w;
    switch (function) {
    case EXACT_POW:
        return power(x, y);
    case EXACT_ATAN2:
        return angle_of(x, y);
    case EXACT_ATAN:
        return angle_of(x, 1.0);
    default:
        break;
    }
    w = wide_from(x);
    const wide one = wide_from(1.0);
    switch (function) {
    case EXACT_CBRT:
        w.negative = false;
        w = wide_exp(wide_divide(wide_log(w), wide_from(3.0)));
        return is_negative(x) ? wide_negate(w) : w;
    case EXACT_EXP:
        return wide_exp(w);
    case EXACT_EXP2:
        return wide_exp(wide_multiply(w, wide_log(wide_from(2.0))));
    case EXACT_EXPM1:
        return wide_subtract(wide_exp(w), one);
    case EXACT_LOG:
        return wide_log(w);
    case EXACT_LOG2:
        return wide_log2(w);
    case EXACT_LOG10:
        return wide_log10(w);
    case EXACT_LOG1P:
        return wide_log(wide_add(one, w));
    case EXACT_SIN:
    case EXACT_COS:
    case EXACT_TAN:
        wide_sincos(x, &sine, &cosine);
        return function == EXACT_SIN ? sine : function == EXACT_COS ? cosine : wide_divide(sine, cosine);
    case EXACT_ASIN:
    case EXACT_ACOS:
        root = wide_square_root(wide_subtract(one, wide_multiply(w, w)));
        return function == EXACT_ASIN ? wide_atan2(w, root) : wide_atan2(root, w);
    case EXACT_SINH:
        return exp_sum(w, true);
    case EXACT_COSH:
        return exp_sum(w, false);
    case EXACT_TANH:
    default:
        if (__builtin_fabs(x) > 100.0) {
            return is_negative(x) ? wide_negate(one) : one;
        }
        return wide_divide(exp_sum(w, true), exp_sum(w, false));
    }
}

double mr_exact_settle_f32(exact_function function, double x, double y)
{
    double value;
    return special(function, x, y, &value) ? value : wide_round(value_at(function, x, y), 24, -149, 128);
}

double mr_exact_settle_f64(exact_function function, double x, double y)
{
    double value;
    return special(function, x, y, &value) ? value : wide_round(value_at(function, x, y), 53, -1074, 1024);
}
