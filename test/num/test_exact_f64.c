// The f64 functions by MPFR with 120 bits. What is promised is 1 unit in the last place; what is found, and held to here,
// is the nearest number.

#include "exact_reference.h"

#include <math.h>

typedef struct unary_f64 {
    const char *name;
    double (*function)(double);
    reference_of_one reference;
} unary_f64;

#define UNARY_F64(name)                                                                                      \
    {                                                                                                        \
#name, mr_f64_##name, mpfr_##name                                                                    \
    }
static const unary_f64 functions[] = {
    UNARY_F64(exp),  UNARY_F64(log),  UNARY_F64(log2), UNARY_F64(log10), UNARY_F64(sin),
    UNARY_F64(cos),  UNARY_F64(tan),  UNARY_F64(asin), UNARY_F64(acos),  UNARY_F64(atan),
    UNARY_F64(sinh), UNARY_F64(cosh), UNARY_F64(tanh),
};
enum { COUNT = sizeof functions / sizeof *functions };
#define NEAREST 0.5000001 // units; a tie missed by the error of the quick way would show as 0.501

static double argument_f64(test_random *random, uint32_t i)
{
    uint64_t bits = test_u64(random);
    switch (i % 8) {
    default:
        return double_of(bits);
    case 1:
    case 2: // 2^-20 to 2^12
        return double_of((bits & 0x800fffffffffffffu) | (1003u + (bits >> 52) % 32u) << 52);
    case 3: // 1/2 to 2
        return double_of((bits & 0x801fffffffffffffu) + 0x3fe0000000000000u);
    case 4:
        return double_of(0x3ff0000000000000u + (bits & 0xffffffffu) - 0x7fffffffu);
    case 5:
        return (double)((int64_t)bits >> (bits & 63u)) * 1.57079632679489661923;
    case 6:
        return (double)((int64_t)bits >> (bits & 63u));
    case 7:
        return (double)argument(random, i);
    }
}

// How many units in the last place of `got` lie between it and the value, which has more bits.
static double units_apart(mpfr_t value, double got)
{
    if (mpfr_nan_p(value)) {
        return bits_of_f64(got) == 0x7ff8000000000000u ? 0 : INFINITY;
    }
    double nearest = mpfr_get_d(value, MPFR_RNDN);
    if (!isfinite(nearest) || !isfinite(got) || nearest == 0) {
        return bits_of_f64(nearest) == bits_of_f64(got) ? 0
               : nearest == 0 && fabs(got) <= 0x1p-1074 ? 1
                                                        : INFINITY;
    }
    int exponent;
    frexp(nearest, &exponent);
    mpfr_t apart;
    mpfr_init2(apart, 120);
    mpfr_sub_d(apart, value, got, MPFR_RNDN);
    mpfr_mul_2si(apart, apart, exponent - 53 < -1074 ? 1074 : 53 - exponent, MPFR_RNDN);
    double units = fabs(mpfr_get_d(apart, MPFR_RNDN));
    mpfr_clear(apart);
    return units;
}

static void functions_of_one_argument_are_the_nearest(void **state)
{
    mpfr_t x, value;
    mpfr_init2(x, 53);
    mpfr_init2(value, 120);
    mpfr_set_emin(-5000);
    mpfr_set_emax(5000);
    for (size_t f = 0; f < COUNT; f++) {
        test_random random = { f };
        double worst = 0;
        size_t count = test_count(100000);
        for (uint32_t i = 0; i < count; i++) {
            double at = argument_f64(&random, i), got = functions[f].function(at);
            mpfr_set_d(x, at, MPFR_RNDN);
            functions[f].reference(value, x, MPFR_RNDN);
            double units = units_apart(value, got);
            if (!(units <= NEAREST)) {
                fail_msg("%s(%a) is %a: %g units off", functions[f].name, at, got, units);
            }
            worst = units > worst ? units : worst;
        }
        print_message("%s: %.3f units at worst\n", functions[f].name, worst);
        assert_true(worst > 0.4); // the measure works
    }
    mpfr_clears(x, value, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

static void assert_of_two(const char *name, double (*function)(double, double),
                          reference_of_two reference_value, bool exact)
{
    mpfr_t x, y, value;
    mpfr_inits2(53, x, y, (mpfr_ptr)NULL);
    mpfr_init2(value, exact ? 53 : 120);
    mpfr_set_emin(-1000000);
    mpfr_set_emax(1000000);
    test_random random = { 77 };
    double worst = 0;
    size_t count = test_count(200000);
    for (uint32_t i = 0; i < count; i++) {
        double a = argument_f64(&random, i), b = argument_f64(&random, i / 8);
        if (i & 1 && !exact) {
            a = fabs(a);
            double log_a = log2(a);
            b = log_a != 0 && isfinite(log_a) ? test_between(&random, -1075, 1024) / log_a : b;
        }
        double got = function(a, b);
        mpfr_set_d(x, a, MPFR_RNDN);
        mpfr_set_d(y, b, MPFR_RNDN);
        reference_value(value, x, y, MPFR_RNDN);
        double units = units_apart(value, got);
        if (!(units <= (exact ? 0.0 : NEAREST))) {
            fail_msg("%s(%a, %a) is %a: %g units off", name, a, b, got, units);
        }
        worst = units > worst ? units : worst;
    }
    print_message("%s: %.3f units at worst\n", name, worst);
    mpfr_clears(x, y, value, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

static void functions_of_two_arguments_are_the_nearest(void **state)
{
    assert_of_two("pow", mr_f64_pow, mpfr_pow, false);
    assert_of_two("atan2", mr_f64_atan2, mpfr_atan2, false);
    assert_of_two("fmod", mr_f64_fmod, mpfr_fmod, true);
}

// The same special values as f32's, which are numbers of f64 too; and f64's own ends.
static void special_values_are_annex_f(void **state)
{
    static const double ends[] = { 0x1p-1074,
                                   -0x1p-1074,
                                   0x1p-1022,
                                   0x1.fffffffffffffp1023,
                                   709.782712893384,
                                   709.782712893385,
                                   -745.1332191019411,
                                   -745.1332191019412,
                                   -708.3964185322641,
                                   1e300,
                                   -1e300,
                                   0x1p1000 };
    enum { ENDS = sizeof ends / sizeof *ends };
    double all[SPECIAL_COUNT + ENDS];
    for (size_t i = 0; i < SPECIAL_COUNT; i++) {
        all[i] = (double)float_of(special_bits[i]);
    }
    memcpy(all + SPECIAL_COUNT, ends, sizeof ends);
    mpfr_t x, y, value;
    mpfr_inits2(53, x, y, (mpfr_ptr)NULL);
    mpfr_init2(value, 120);
    mpfr_set_emin(-1000000);
    mpfr_set_emax(1000000);
    for (size_t i = 0; i < SPECIAL_COUNT + ENDS; i++) {
        mpfr_set_d(x, all[i], MPFR_RNDN);
        for (size_t f = 0; f < COUNT; f++) {
            functions[f].reference(value, x, MPFR_RNDN);
            double got = functions[f].function(all[i]);
            if (!(units_apart(value, got) <= 1.0) ||
                (mpfr_zero_p(value) && signbit(got) != mpfr_signbit(value))) {
                fail_msg("%s(%a) is %a", functions[f].name, all[i], got);
            }
        }
        for (size_t j = 0; j < SPECIAL_COUNT + ENDS; j++) {
            mpfr_set_d(y, all[j], MPFR_RNDN);
            mpfr_pow(value, x, y, MPFR_RNDN);
            if (!(units_apart(value, mr_f64_pow(all[i], all[j])) <= 1.0) ||
                (mpfr_zero_p(value) && signbit(mr_f64_pow(all[i], all[j])) != mpfr_signbit(value))) {
                fail_msg("pow(%a, %a) is %a", all[i], all[j], mr_f64_pow(all[i], all[j]));
            }
            mpfr_atan2(value, x, y, MPFR_RNDN);
            if (!(units_apart(value, mr_f64_atan2(all[i], all[j])) <= 1.0) ||
                (mpfr_zero_p(value) && signbit(mr_f64_atan2(all[i], all[j])) != mpfr_signbit(value))) {
                fail_msg("atan2(%a, %a) is %a", all[i], all[j], mr_f64_atan2(all[i], all[j]));
            }
            mpfr_fmod(value, x, y, MPFR_RNDN);
            if (!(units_apart(value, mr_f64_fmod(all[i], all[j])) == 0)) {
                fail_msg("fmod(%a, %a) is %a", all[i], all[j], mr_f64_fmod(all[i], all[j]));
            }
        }
    }
    mpfr_clears(x, y, value, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_argument_are_the_nearest),
        cmocka_unit_test(functions_of_two_arguments_are_the_nearest),
        cmocka_unit_test(special_values_are_annex_f),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
