// num/color.h: between sRGB and linear light (IEC 61966-2-1), the same bits on every machine.
//
// Worked in f64 and rounded once: within 0.5001 units of the last place of the standard's formula.

#ifndef MARRAM_NUM_COLOR_H
#define MARRAM_NUM_COLOR_H

#include <stdint.h>

// One channel; odd functions, so that numbers below 0 and above 1 have answers too. NaN gives the canonical NaN.
float mr_srgb_to_linear(float code);
float mr_linear_to_srgb(float light);

// One channel as a byte: of the code k / 255; and the nearest code, light clamped to 0..1 (NaN is 0).
float mr_srgb8_to_linear(uint8_t code);
uint8_t mr_linear_to_srgb8(float light);

// Relative luminance of linear light with the primaries of Rec. 709: 0.2126 r + 0.7152 g + 0.0722 b, in that order.
float mr_luminance(float r, float g, float b);

// Red, green and blue of hue, saturation and value, and back: hue in turns (any; a whole turn is none, and what is not
// finite is 0), the others usually 0 to 1. After Smith, "Color Gamut Transform Pairs" (SIGGRAPH 1978). In f32, each step
// rounded; back, a gray has hue 0, and black saturation 0.
void mr_hsv_to_rgb(const float hsv[3], float rgb[3]);
void mr_rgb_to_hsv(const float rgb[3], float hsv[3]);

// The linear light (Rec. 709 primaries) of a black body, its greatest channel 1 and none below 0. kelvin is held to 1000
// to 15000, where the approximation holds (Krystek, "An algorithm to calculate correlated colour temperature", 1985); NaN
// is 1000. In f64, rounded once.
void mr_blackbody(float kelvin, float rgb[3]);

// The smooth ease between two keys of a ramp: t * t * (3 - 2 t) of t held to 0 and 1 (NaN stays).
float mr_ramp_ease(float t);

#endif
