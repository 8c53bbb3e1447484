// script/elementary.c: the elementary functions a script may call.

#include "script/elementary.h"

#include "script/lua_number.h"

#if __has_include("num/exact.h")
#include "num/exact.h"

static double log_of_base(double x, double base)
{
    return base == 0 ? mr_f64_log(x) : base == 2 ? mr_f64_log2(x) : mr_f64_log(x) / mr_f64_log(base);
}

double mr_lua_power(double base, double exponent)
{
    return exponent == 2 ? base * base : mr_f64_pow(base, exponent);
}

#define ONE(of)                                                                                              \
    {                                                                                                        \
        .name = #of, .one = mr_f64_##of                                                                      \
    }
#define TWO(of, function, without)                                                                           \
    {                                                                                                        \
        .name = #of, .two = (function), .second = (without)                                                  \
    }
#else
// Whole powers by squaring, until num/exact.h is there.
double mr_lua_power(double base, double exponent)
{
    double left = exponent < 0 ? -exponent : exponent, answer = 1, factor = base;
    for (left = left < 4096 ? __builtin_floor(left) : 0; left > 0; left = __builtin_floor(left / 2)) {
        answer = left - 2 * __builtin_floor(left / 2) > 0 ? answer * factor : answer;
        factor *= factor;
    }
    return exponent < 0 ? 1 / answer : answer;
}

#define ONE(of)                                                                                              \
    {                                                                                                        \
        .name = #of                                                                                          \
    }
#define TWO(of, function, without)                                                                           \
    {                                                                                                        \
        .name = #of                                                                                          \
    }
#endif

const mr_elementary mr_elementary_table[] = {
    ONE(sin),  ONE(cos),
    ONE(tan),  ONE(asin),
    ONE(acos), TWO(atan, mr_f64_atan2, 1),
    ONE(exp),  TWO(log, log_of_base, 0),
};
const size_t mr_elementary_count = sizeof mr_elementary_table / sizeof mr_elementary_table[0];
