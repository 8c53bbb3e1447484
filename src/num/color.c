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

static float larger(float a, float b)
{
    return a > b ? a : b;
}

void mr_hsv_to_rgb(const float hsv[3], float rgb[3])
{
    static const float starts[3] = { 5.0f, 3.0f, 1.0f };
    float turn = hsv[0] - __builtin_floorf(hsv[0]);
    turn = turn >= 0.0f ? turn : 0.0f;
    float chroma = hsv[2] * hsv[1], value = hsv[2];
    for (int k = 0; k < 3; k++) {
        float at = starts[k] + turn * 6.0f;
        at = at >= 6.0f ? at - 6.0f : at;
        float other = 4.0f - at;
        float part = at < other ? at : other;
        part = part > 0.0f ? part : 0.0f;
        rgb[k] = value - chroma * (part < 1.0f ? part : 1.0f);
    }
}

void mr_rgb_to_hsv(const float rgb[3], float hsv[3])
{
    float r = rgb[0], g = rgb[1], b = rgb[2];
    float value = larger(larger(r, g), b), least = -larger(larger(-r, -g), -b), span = value - least;
    float hue = 0.0f;
    if (span > 0.0f) {
        hue = value == r ? (g - b) / span : value == g ? 2.0f + (b - r) / span : 4.0f + (r - g) / span;
        hue = hue / 6.0f;
        hue = hue < 0.0f ? hue + 1.0f : hue;
        hue = hue < 1.0f ? hue : 0.0f;
    }
    hsv[0] = hue;
    hsv[1] = value != 0.0f ? span / value : 0.0f;
    hsv[2] = value;
}

void mr_blackbody(float kelvin, float rgb[3])
{
    double t = kelvin > 1000.0f ? (double)kelvin : 1000.0;
    t = t < 15000.0 ? t : 15000.0;
    double u = (0.860117757 + 1.54118254e-4 * t + 1.28641212e-7 * t * t) /
               (1.0 + 8.42420235e-4 * t + 7.08145163e-7 * t * t);
    double v = (0.317398726 + 4.22806245e-5 * t + 4.20481691e-8 * t * t) /
               (1.0 - 2.89741816e-5 * t + 1.61456053e-7 * t * t);
    // CIE 1960 (u, v) to X, Y, Z of Y = 1.
    double x = 1.5 * u / v, z = (4.0 - u - 10.0 * v) / (2.0 * v);
    double light[3] = { 3.2404542 * x - 1.5371385 - 0.4985314 * z, -0.9692660 * x + 1.8760108 + 0.0415560 * z,
                        0.0556434 * x - 0.2040259 + 1.0572252 * z };
    double most = light[0] > light[1] ? light[0] : light[1];
    most = most > light[2] ? most : light[2];
    for (int k = 0; k < 3; k++) {
        rgb[k] = (float)(light[k] > 0.0 ? light[k] / most : 0.0);
    }
}

float mr_ramp_ease(float t)
{
    float held = t < 0.0f ? 0.0f : t;
    held = held > 1.0f ? 1.0f : held;
    return held * held * (3.0f - 2.0f * held);
}
