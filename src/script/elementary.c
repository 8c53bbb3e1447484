// script/elementary.c: the elementary functions a script may call.

#include "script/elementary.h"

#include "num/exact.h"

static double log_of_base(double x, double base)
{
    return base == 0    ? mr_f64_log(x)
           : base == 2  ? mr_f64_log2(x)
           : base == 10 ? mr_f64_log10(x)
                        : mr_f64_log(x) / mr_f64_log(base);
}

#define ONE(of)                                                                                              \
    {                                                                                                        \
        .name = #of, .one = mr_f64_##of                                                                      \
    }

const mr_elementary mr_elementary_table[] = {
    ONE(sin),
    ONE(cos),
    ONE(tan),
    ONE(asin),
    ONE(acos),
    ONE(exp),
    ONE(sinh),
    ONE(cosh),
    ONE(tanh),
    ONE(log10),
    { .name = "atan", .two = mr_f64_atan2, .second = 1 },
    { .name = "log", .two = log_of_base, .second = 0 },
};
const size_t mr_elementary_count = sizeof mr_elementary_table / sizeof mr_elementary_table[0];
