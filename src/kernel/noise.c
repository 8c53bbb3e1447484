// kernel/noise.c: what fields and kernels call of num/point_noise.h and num/noise.h.

#include "kernel/kernel.h"

const mr_kernel mr_kernel_noise = {
    .name = "noise",
    .summary = "Value, gradient, simplex and Worley noise, curl and octave sums at arbitrary points.",
    .source = "docs/noise.md, Point noise; Perlin 1985, 2001; Worley 1996",
    .determinism = MR_EXACT,
    .gpu = "exact: whole arithmetic and f32 sums and products, none fused; Worley distances take an exact "
           "square root",
};
