// The f32 functions of one argument against MPFR, and their special values. make exhaustive tries every argument.

#include "exact_reference.h"

static void assert_rounded(reference *r, const unary_f32 *function, float x, float got)
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
    size_t blocks = test_count(20);
    for (size_t b = 0; b < blocks; b++) {
        for (uint32_t i = 0; i < BLOCK; i++) {
            x[i] = argument(&random, i);
        }
        function->array(x, out, BLOCK);
        for (uint32_t i = 0; i < BLOCK; i++) {
            assert_int_equal(bits_of(out[i]), bits_of(function->scalar(x[i])));
            assert_rounded(&r, function, x[i], out[i]);
        }
    }
    reference_end(&r);
}

#define ROUNDED(name, index)                                                                                 \
    static void name##_is_correctly_rounded(void **state)                                                    \
    {                                                                                                        \
        assert_function_is_correctly_rounded(&unary_functions[index]);                                       \
    }
ROUNDED(sqrt, 0)
ROUNDED(cbrt, 1)
ROUNDED(exp, 2)
ROUNDED(exp2, 3)
ROUNDED(expm1, 4)
ROUNDED(log, 5)
ROUNDED(log2, 6)
ROUNDED(log10, 7)
ROUNDED(log1p, 8)
ROUNDED(sin, 9)
ROUNDED(cos, 10)
ROUNDED(tan, 11)
ROUNDED(asin, 12)
ROUNDED(acos, 13)
ROUNDED(atan, 14)
ROUNDED(sinh, 15)
ROUNDED(cosh, 16)
ROUNDED(tanh, 17)

static void special_values_are_annex_f(void **state)
{
    reference r;
    reference_begin(&r, true);
    for (size_t f = 0; f < UNARY_COUNT; f++) {
        for (size_t i = 0; i < SPECIAL_COUNT; i++) {
            float x = float_of(special_bits[i]), out;
            unary_functions[f].array(&x, &out, 1);
            assert_rounded(&r, &unary_functions[f], x, out);
            assert_rounded(&r, &unary_functions[f], x, unary_functions[f].scalar(x));
        }
    }
    reference_end(&r);
}

static void sincos_is_sin_and_cos(void **state)
{
    test_random random = { 5 };
    for (uint32_t i = 0; i < 10000; i++) {
        float x = argument(&random, i), sine, cosine;
        mr_f32_sincos(x, &sine, &cosine);
        assert_int_equal(bits_of(sine), bits_of(mr_f32_sin(x)));
        assert_int_equal(bits_of(cosine), bits_of(mr_f32_cos(x)));
    }
}

static void arrays_of_any_length_may_be_worked_in_place(void **state)
{
    float x[70], want[70];
    for (size_t f = 0; f < UNARY_COUNT; f++) {
        for (size_t count = 0; count <= 70; count += 7) {
            for (size_t i = 0; i < 70; i++) {
                x[i] = (float)i * 0.013f;
                want[i] = i < count ? unary_functions[f].scalar(x[i]) : x[i];
            }
            unary_functions[f].array(x, x, count);
            assert_memory_equal(x, want, sizeof x);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sqrt_is_correctly_rounded),
        cmocka_unit_test(cbrt_is_correctly_rounded),
        cmocka_unit_test(exp_is_correctly_rounded),
        cmocka_unit_test(exp2_is_correctly_rounded),
        cmocka_unit_test(expm1_is_correctly_rounded),
        cmocka_unit_test(log_is_correctly_rounded),
        cmocka_unit_test(log2_is_correctly_rounded),
        cmocka_unit_test(log10_is_correctly_rounded),
        cmocka_unit_test(log1p_is_correctly_rounded),
        cmocka_unit_test(sin_is_correctly_rounded),
        cmocka_unit_test(cos_is_correctly_rounded),
        cmocka_unit_test(tan_is_correctly_rounded),
        cmocka_unit_test(asin_is_correctly_rounded),
        cmocka_unit_test(acos_is_correctly_rounded),
        cmocka_unit_test(atan_is_correctly_rounded),
        cmocka_unit_test(sinh_is_correctly_rounded),
        cmocka_unit_test(cosh_is_correctly_rounded),
        cmocka_unit_test(tanh_is_correctly_rounded),
        cmocka_unit_test(special_values_are_annex_f),
        cmocka_unit_test(sincos_is_sin_and_cos),
        cmocka_unit_test(arrays_of_any_length_may_be_worked_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
