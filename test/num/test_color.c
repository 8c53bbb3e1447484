// The sRGB curves against MPFR.

#include "exact_reference.h"
#include "num/color.h"

#include <math.h>

static double of_text(const char *text)
{
    return strtod(text, NULL);
}

// The standard's formulas with 120 bits; its constants are decimals.
static double slow_curve(mpfr_t t, mpfr_t u, double x, bool to_linear)
{
    double size = fabs(x);
    mpfr_set_d(t, size, MPFR_RNDN);
    if (to_linear && size <= of_text("0.04045")) {
        mpfr_set_str(u, "12.92", 10, MPFR_RNDN);
        mpfr_div(t, t, u, MPFR_RNDN);
    } else if (to_linear) {
        mpfr_set_str(u, "0.055", 10, MPFR_RNDN);
        mpfr_add(t, t, u, MPFR_RNDN);
        mpfr_set_str(u, "1.055", 10, MPFR_RNDN);
        mpfr_div(t, t, u, MPFR_RNDN);
        mpfr_set_str(u, "2.4", 10, MPFR_RNDN);
        mpfr_pow(t, t, u, MPFR_RNDN);
    } else if (size <= of_text("0.0031308")) {
        mpfr_set_str(u, "12.92", 10, MPFR_RNDN);
        mpfr_mul(t, t, u, MPFR_RNDN);
    } else {
        mpfr_set_str(u, "2.4", 10, MPFR_RNDN);
        mpfr_ui_div(u, 1, u, MPFR_RNDN);
        mpfr_pow(t, t, u, MPFR_RNDN);
        mpfr_set_str(u, "1.055", 10, MPFR_RNDN);
        mpfr_mul(t, t, u, MPFR_RNDN);
        mpfr_set_str(u, "0.055", 10, MPFR_RNDN);
        mpfr_sub(t, t, u, MPFR_RNDN);
    }
    return copysign(mpfr_get_d(t, MPFR_RNDN), x);
}

static void assert_curve(mpfr_t t, mpfr_t u, float x)
{
    for (int to_linear = 0; to_linear < 2; to_linear++) {
        float got = to_linear ? mr_srgb_to_linear(x) : mr_linear_to_srgb(x);
        double want = slow_curve(t, u, (double)x, to_linear);
        if (fabs(want) > 0x1.fffffefp127) {
            assert_true(isinf(got));
            continue;
        }
        int exponent;
        frexp(want, &exponent);
        double unit = ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
        if (!(fabs((double)got - want) <= 0.5001 * unit)) {
            fail_msg("%s of %a is %a, not %a", to_linear ? "linear" : "srgb", (double)x, (double)got, want);
        }
    }
}

static void curves_are_the_standards_rounded(void **state)
{
    mpfr_t t, u;
    mpfr_inits2(120, t, u, (mpfr_ptr)NULL);
    wide_exponents();
    mpfr_set_emax(5000);
    test_random random = { 1 };
    size_t count = test_count(100000);
    for (uint32_t i = 0; i < count; i++) {
        float x = i % 2 ? (float)test_between(&random, -0.1, 1.5) : argument(&random, i);
        if (isfinite(x)) {
            assert_curve(t, u, x);
        }
    }
    mpfr_clears(t, u, (mpfr_ptr)NULL);
    assert_int_equal(bits_of(mr_srgb_to_linear(float_of(0xff812345u))), 0x7fc00000u);
    assert_int_equal(bits_of(mr_linear_to_srgb(NAN)), 0x7fc00000u);
    assert_true(mr_srgb_to_linear(-INFINITY) == -INFINITY);
    assert_true(signbit(mr_srgb_to_linear(-0.0f)));
    assert_true(mr_srgb_to_linear(1.0f) == 1.0f && mr_linear_to_srgb(1.0f) == 1.0f);
}

static void bytes_come_back(void **state)
{
    for (uint32_t code = 0; code < 256; code++) {
        float light = mr_srgb8_to_linear((uint8_t)code);
        assert_int_equal(mr_linear_to_srgb8(light), code);
        assert_true(code == 0 || light > mr_srgb8_to_linear((uint8_t)(code - 1)));
    }
    assert_int_equal(mr_linear_to_srgb8(-1.0f), 0);
    assert_int_equal(mr_linear_to_srgb8(NAN), 0);
    assert_int_equal(mr_linear_to_srgb8(7.0f), 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_the_standards_rounded),
        cmocka_unit_test(bytes_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
