// kernel/luau_noise.c: what fields and kernels call of num/perlin.h.

#include "kernel/kernel.h"

const mr_kernel mr_kernel_luau_noise = {
    .name = "luau_noise",
    .summary = "Perlin's improved noise, which scripts know as math.noise.",
    .source = "Perlin, Improving Noise (SIGGRAPH 2002)",
    .determinism = MR_EXACT,
    .gpu = "exact: a table of 256 and f32 sums and products, none fused",
};
