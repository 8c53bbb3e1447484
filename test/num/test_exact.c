// The f32 functions of one argument at their special values, in place, and in every instruction set.

#include "exact_reference.h"
#include "num/exact_kernels.h"

static void special_values_are_annex_f(void **state)
{
    reference r;
    reference_begin(&r, true);
    for (size_t f = 0; f < UNARY_COUNT; f++) {
        for (size_t i = 0; i < SPECIAL_COUNT; i++) {
            float x = float_of(special_bits[i]), out;
            unary_functions[f].array(&x, &out, 1);
            assert_rounded_at(&r, &unary_functions[f], x, out);
            assert_rounded_at(&r, &unary_functions[f], x, unary_functions[f].scalar(x));
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

// Every quick path, the arguments it cannot settle among them, in each copy this machine can run.
static void instruction_sets_agree(void **state)
{
    enum { COUNT = 100003 };
    float *x = malloc(COUNT * sizeof *x), *y = malloc(COUNT * sizeof *y);
    float *want = malloc(COUNT * sizeof *want), *got = malloc(COUNT * sizeof *got);
    test_random random = { 3 };
    for (uint32_t i = 0; i < COUNT; i++) {
        x[i] = argument(&random, i);
        y[i] = argument(&random, i / 8);
    }
    const mr_exact_kernels *base = mr_exact_kernels_of(MR_ISA_BASE);
    for (mr_isa isa = MR_ISA_BASE; isa <= mr_isa_best(); isa++) {
        const mr_exact_kernels *kernels = mr_exact_kernels_of(isa);
        for (size_t f = 0; f < sizeof *base / sizeof base->sqrt; f++) {
            bool two = f >= offsetof(mr_exact_kernels, pow) / sizeof base->sqrt;
            if (two) {
                ((const mr_exact_of_two *)base)[f](x, y, want, COUNT);
                ((const mr_exact_of_two *)kernels)[f](x, y, got, COUNT);
            } else {
                ((const mr_exact_of_one *)base)[f](x, want, COUNT);
                ((const mr_exact_of_one *)kernels)[f](x, got, COUNT);
            }
            assert_memory_equal(got, want, COUNT * sizeof *got);
        }
    }
    free(x);
    free(y);
    free(want);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values_are_annex_f),
        cmocka_unit_test(sincos_is_sin_and_cos),
        cmocka_unit_test(arrays_of_any_length_may_be_worked_in_place),
        cmocka_unit_test(instruction_sets_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
