// The f32 functions of two arguments against MPFR: random, dense, and where ties stand.

#include "exact_reference.h"

#include <math.h>

typedef struct binary_f32 {
    const char *name;
    float (*scalar)(float, float);
    void (*array)(const float *, const float *, float *, size_t);
    reference_of_two reference;
} binary_f32;

static const binary_f32 power = { "pow", mr_f32_pow, mr_f32_pow_array, mpfr_pow };
static const binary_f32 angle = { "atan2", mr_f32_atan2, mr_f32_atan2_array, mpfr_atan2 };
static const binary_f32 length = { "hypot", mr_f32_hypot, mr_f32_hypot_array, mpfr_hypot };
static const binary_f32 rest = { "fmod", mr_f32_fmod, mr_f32_fmod_array, mpfr_fmod };

static void assert_rounded(reference *r, const binary_f32 *function, float x, float y)
{
    float got = function->scalar(x, y), in_array;
    function->array(&x, &y, &in_array, 1);
    float want = reference_f32_of_two(r, function->reference, x, y);
    if (bits_of(got) != bits_of(want) || bits_of(in_array) != bits_of(want)) {
        fail_msg("%s(%a, %a) is %a (%08x), not %a (%08x)", function->name, (double)x, (double)y, (double)got,
                 bits_of(got), (double)want, bits_of(want));
    }
}

static void assert_special_values(const binary_f32 *function)
{
    reference r;
    reference_begin(&r, true);
    for (size_t i = 0; i < SPECIAL_COUNT; i++) {
        for (size_t j = 0; j < SPECIAL_COUNT; j++) {
            assert_rounded(&r, function, float_of(special_bits[i]), float_of(special_bits[j]));
        }
    }
    reference_end(&r);
}

static void special_values_are_annex_f(void **state)
{
    assert_special_values(&power);
    assert_special_values(&angle);
    assert_special_values(&length);
    assert_special_values(&rest);
}

static void pow_is_correctly_rounded(void **state)
{
    reference r;
    reference_begin(&r, true);
    test_random random = { 11 };
    size_t count = test_count(500000);
    for (uint32_t i = 0; i < count; i++) {
        float x = argument(&random, i), y = argument(&random, i / 8);
        // Half of them where the answer is within f32's range: y log2 x from -150 to 128.
        if (i & 1) {
            x = fabsf(x);
            double log_x = log2((double)x);
            if (log_x != 0 && isfinite(log_x)) {
                y = (float)(test_between(&random, -150, 128) / log_x);
            }
        }
        assert_rounded(&r, &power, x, y);
    }
    reference_end(&r);
}

// Powers that are ties themselves, or numbers of f32: small whole numbers to small whole powers, and their roots.
static void pow_of_exact_cases_is_correctly_rounded(void **state)
{
    reference r;
    reference_begin(&r, true);
    for (int x = -70; x <= 70; x++) {
        for (int y = -8; y <= 12; y++) {
            assert_rounded(&r, &power, (float)x, (float)y);
            assert_rounded(&r, &power, (float)x * 0x1p-3f, (float)y);
            if (x > 0) {
                float root = 1.0f / (float)(1 << (y & 3));
                assert_rounded(&r, &power, (float)x * (float)x * (float)x * (float)x, root);
                assert_rounded(&r, &power, (float)x * (float)x * (float)x * (float)x, 3.0f * root);
            }
        }
    }
    for (uint32_t m = 1; m < 5792; m += 3) { // squares and cubes of up to 25 bits, and past them
        assert_rounded(&r, &power, (float)m, 2.0f);
        assert_rounded(&r, &power, (float)(m % 400), 3.0f);
    }
    for (int y = -151; y <= 128; y++) { // powers of two, down to half the least number
        assert_rounded(&r, &power, 2.0f, (float)y);
        assert_rounded(&r, &power, 4.0f, (float)y * 0.5f);
    }
    reference_end(&r);
}

static void atan2_is_correctly_rounded(void **state)
{
    reference r;
    reference_begin(&r, true);
    test_random random = { 12 };
    size_t count = test_count(500000);
    for (uint32_t i = 0; i < count; i++) {
        assert_rounded(&r, &angle, argument(&random, i), argument(&random, i / 8));
    }
    // Quotients that are halfway between two subnormal numbers: the angle lies just inside.
    for (uint32_t i = 0; i < 2000; i++) {
        float x = ldexpf(1.0f, (int)(i % 60));
        uint32_t odd = (test_u32(&random) >> 9 | 1u) & 0x7fffffu;
        float y = ldexpf((float)odd, -150 + (int)(i % 60));
        assert_rounded(&r, &angle, y, x);
        assert_rounded(&r, &angle, -y, x);
    }
    reference_end(&r);
}

static void hypot_is_correctly_rounded(void **state)
{
    reference r;
    reference_begin(&r, true);
    test_random random = { 13 };
    size_t count = test_count(500000);
    for (uint32_t i = 0; i < count; i++) {
        float x = argument(&random, i);
        float y = i & 1 ? argument(&random, i / 8) : x * (float)test_between(&random, 0x1p-13, 1);
        assert_rounded(&r, &length, x, y);
    }
    // Pythagoras's triples whose hypotenuse has 25 bits: ties. (m^2 - n^2, 2 m n, m^2 + n^2)
    uint32_t ties = 0;
    for (uint32_t m = 2900; m < 5792; m++) {
        for (uint32_t n = 1401 - (m & 1); n < m; n += 62) {
            uint32_t a = m * m - n * n, b = 2 * m * n, c = m * m + n * n;
            if (c & 1 && c >> 24 == 1 && (uint32_t)(float)a == a && (uint32_t)(float)b == b) {
                ties++;
                assert_rounded(&r, &length, (float)a, (float)b);
                assert_rounded(&r, &length, (float)a * 0x1p-149f, (float)b * 0x1p-149f);
            }
        }
    }
    assert_true(ties > 100);
    reference_end(&r);
}

static void fmod_is_exact(void **state)
{
    reference r;
    reference_begin(&r, true);
    test_random random = { 14 };
    size_t count = test_count(500000);
    for (uint32_t i = 0; i < count; i++) {
        assert_rounded(&r, &rest, argument(&random, i), argument(&random, i / 8));
    }
    reference_end(&r);
}

// x - y floor(x / y), with room for every bit of the quotient.
static float slow_mod(mpfr_t t, float x, float y)
{
    if (!isfinite(x) || !(fabsf(y) > 0)) {
        return float_of(0x7fc00000u);
    }
    wide_exponents();
    mpfr_t q;
    mpfr_init2(q, 700);
    mpfr_set_flt(q, x, MPFR_RNDN);
    mpfr_set_flt(t, y, MPFR_RNDN);
    mpfr_fmod(q, q, t, MPFR_RNDN);
    if (!mpfr_zero_p(q) && mpfr_signbit(q) != mpfr_signbit(t)) {
        mpfr_add(q, q, t, MPFR_RNDN);
    }
    float value = mpfr_get_flt(q, MPFR_RNDN);
    mpfr_clear(q);
    return value == 0 ? copysignf(0, y) : value;
}

static void mod_has_the_sign_of_the_divisor(void **state)
{
    mpfr_t t;
    mpfr_init2(t, 700);
    test_random random = { 15 };
    size_t count = test_count(100000);
    for (uint32_t i = 0; i < count; i++) {
        float x = argument(&random, i), y = argument(&random, i / 8);
        if (isinf(y)) {
            continue;
        }
        float got = mr_f32_mod(x, y), want = slow_mod(t, x, y);
        if (bits_of(got) != bits_of(want)) {
            fail_msg("mod(%a, %a) is %a, not %a", (double)x, (double)y, (double)got, (double)want);
        }
    }
    mpfr_clear(t);
    assert_true(mr_f32_mod(-1.0f, 3.0f) == 2.0f);
    assert_true(mr_f32_mod(1.0f, -3.0f) == -2.0f);
    assert_true(mr_f32_mod(-6.0f, 3.0f) == 0.0f && !signbit(mr_f32_mod(-6.0f, 3.0f)));
    assert_true(mr_f32_mod(-1.0f, INFINITY) == INFINITY && mr_f32_mod(1.0f, INFINITY) == 1.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values_are_annex_f),
        cmocka_unit_test(pow_is_correctly_rounded),
        cmocka_unit_test(pow_of_exact_cases_is_correctly_rounded),
        cmocka_unit_test(atan2_is_correctly_rounded),
        cmocka_unit_test(hypot_is_correctly_rounded),
        cmocka_unit_test(fmod_is_exact),
        cmocka_unit_test(mod_has_the_sign_of_the_divisor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
