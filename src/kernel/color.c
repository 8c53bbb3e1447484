// kernel/color.c: what fields and kernels call of num/color.h.

#include "kernel/kernel.h"

const mr_kernel mr_kernel_color = {
    .name = "color",
    .summary = "Curves of sRGB, luminance, HSV, black bodies and the ease of ramps.",
    .source = "IEC 61966-2-1; Smith 1978; Krystek 1985",
    .determinism = MR_EXACT,
    .gpu = "HSV, luminance and ease exact in f32; the curves and black bodies are worked in f64",
};
