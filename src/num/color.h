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

#endif
