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

// By the six sixths of a turn: the channel at its most, at its least and on its way.
static void slow_rgb(const float hsv[3], double rgb[3])
{
    static const int places[6][3] = { { 0, 2, 1 }, { 2, 0, 1 }, { 1, 0, 2 },
                                      { 1, 2, 0 }, { 2, 1, 0 }, { 0, 1, 2 } };
    double turn = (double)hsv[0] - floor((double)hsv[0]), s = (double)hsv[1], v = (double)hsv[2];
    int sixth = (int)(turn * 6) % 6;
    double part = turn * 6 - floor(turn * 6);
    double levels[3] = { v, v * (1 - s), v * (sixth % 2 ? 1 - s * part : 1 - s * (1 - part)) };
    for (int k = 0; k < 3; k++) {
        rgb[k] = levels[places[sixth][k]];
    }
}

static void hues_are_the_sixths_of_a_turn(void **state)
{
    test_random random = { 2 };
    for (size_t i = 0; i < test_count(20000); i++) {
        float hsv[3] = { (float)test_between(&random, -2, 3), (float)test_between(&random, 0, 1),
                         (float)test_between(&random, 0, 4) };
        float rgb[3], back[3];
        double want[3];
        mr_hsv_to_rgb(hsv, rgb);
        slow_rgb(hsv, want);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs((double)rgb[k] - want[k]) < 1e-5);
        }
        mr_rgb_to_hsv(rgb, back);
        double gap = fabs((double)back[0] - ((double)hsv[0] - floor((double)hsv[0])));
        gap = gap > 0.5 ? 1 - gap : gap;
        assert_true(back[0] >= 0 && back[0] < 1);
        assert_true(gap * (double)(hsv[1] * hsv[2]) < 1e-5);
        assert_true(fabsf(back[1] - hsv[1]) * hsv[2] < 1e-5f && fabsf(back[2] - hsv[2]) < 1e-5f);
    }
    float red[3], gray[3];
    mr_hsv_to_rgb((float[3]){ NAN, 1, 1 }, red);
    assert_true(red[0] == 1 && red[1] == 0 && red[2] == 0);
    mr_hsv_to_rgb((float[3]){ INFINITY, 1, 1 }, red);
    assert_true(red[0] == 1 && red[1] == 0 && red[2] == 0);
    mr_rgb_to_hsv((float[3]){ 0.25f, 0.25f, 0.25f }, gray);
    assert_true(gray[0] == 0 && gray[1] == 0 && gray[2] == 0.25f);
    mr_rgb_to_hsv((float[3]){ 0, 0, 0 }, gray);
    assert_true(gray[0] == 0 && gray[1] == 0 && gray[2] == 0);
}

// Chromaticities of the Planckian locus as tables of the CIE 1931 observer give them.
static void black_bodies_stand_on_the_planckian_locus(void **state)
{
    static const struct {
        float kelvin;
        double x, y;
    } table[] = { { 2000, 0.5267, 0.4133 }, { 2856, 0.4476, 0.4074 }, { 4000, 0.3805, 0.3768 },
                  { 5000, 0.3451, 0.3516 }, { 6500, 0.3135, 0.3237 }, { 10000, 0.2807, 0.2884 } };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        float rgb[3];
        mr_blackbody(table[i].kelvin, rgb);
        double r = (double)rgb[0], g = (double)rgb[1], b = (double)rgb[2];
        double x = 0.4124564 * r + 0.3575761 * g + 0.1804375 * b,
               y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
               z = 0.0193339 * r + 0.1191920 * g + 0.9503041 * b;
        assert_true(fabs(x / (x + y + z) - table[i].x) < 0.001 && fabs(y / (x + y + z) - table[i].y) < 0.001);
        assert_true(rgb[0] <= 1 && rgb[1] <= 1 && rgb[2] <= 1 && (rgb[0] == 1 || rgb[2] == 1));
    }
    float cold[3], colder[3], none[3];
    mr_blackbody(1000, cold);
    mr_blackbody(-5, colder);
    mr_blackbody(NAN, none);
    assert_memory_equal(cold, colder, sizeof cold);
    assert_memory_equal(cold, none, sizeof cold);
    assert_true(cold[0] == 1 && cold[2] == 0);
}

static void a_ramp_eases_at_both_ends(void **state)
{
    assert_true(mr_ramp_ease(-1) == 0 && mr_ramp_ease(0) == 0 && isnan(mr_ramp_ease(NAN)));
    assert_true(mr_ramp_ease(1) == 1 && mr_ramp_ease(INFINITY) == 1 && mr_ramp_ease(0.5f) == 0.5f);
    for (int i = 0; i < 1000; i++) {
        float t = (float)i / 1000;
        assert_true(mr_ramp_ease(t + 0.001f) > mr_ramp_ease(t));
        assert_true(fabsf(mr_ramp_ease(t) + mr_ramp_ease(1 - t) - 1) < 1e-6f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_the_standards_rounded),
        cmocka_unit_test(bytes_come_back),
        cmocka_unit_test(hues_are_the_sixths_of_a_turn),
        cmocka_unit_test(black_bodies_stand_on_the_planckian_locus),
        cmocka_unit_test(a_ramp_eases_at_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
