// num/color.c: the curves of IEC 61966-2-1.

#include "num/color.h"

#include "num/exact_inline.h"

// x^p for x above 0 in f64, off by less than 2^-43 of itself where |p log2 x| < 200.
static double power(double x, double p)
{
    double k, f = exact_log_parts(x, &k);
    return exact_exp2_of((k + exact_log_of(f) * EXACT_LOG2_E) * p);
}

static float rounded(double size, float sign)
{
    float value = (float)size;
    return value == value ? __builtin_copysignf(value, sign) : (float)exact_unknown();
}

float mr_srgb_to_linear(float code)
{
    double c = __builtin_fabs((double)code);
    if (!(c < __builtin_inf())) {
        return rounded(c, code);
    }
    // Past 2^60 every answer is infinite.
    c = c < 0x1p60 ? c : 0x1p60;
    return rounded(c <= 0.04045 ? c / 12.92 : power((c + 0.055) / 1.055, 2.4), code);
}

float mr_linear_to_srgb(float light)
{
    double l = __builtin_fabs((double)light);
    if (!(l < __builtin_inf())) {
        return rounded(l, light);
    }
    return rounded(l <= 0.0031308 ? l * 12.92 : 1.055 * power(l, 1.0 / 2.4) - 0.055, light);
}

float mr_srgb8_to_linear(uint8_t code)
{
    double c = (double)code / 255.0;
    return (float)(c <= 0.04045 ? c / 12.92 : power((c + 0.055) / 1.055, 2.4));
}

uint8_t mr_linear_to_srgb8(float light)
{
    if (!(light > 0.0f)) {
        return 0;
    }
    double l = light < 1.0f ? (double)light : 1.0;
    double code = l <= 0.0031308 ? l * 12.92 : 1.055 * power(l, 1.0 / 2.4) - 0.055;
    return (uint8_t)(code * 255.0 + 0.5);
}

float mr_luminance(float r, float g, float b)
{
    return 0.2126f * r + 0.7152f * g + 0.0722f * b;
}
