// kernel/noise_angle.c: what fields and kernels call of num/angle_noise.h.

#include "kernel/kernel.h"

const mr_kernel mr_kernel_noise_angle = {
    .name = "noise_angle",
    .summary = "Gradient noise over a plane whose lattice gradients are unit vectors at a hashed angle: one "
               "layer, octave sums, warped sums.",
    .source = "docs/noise.md, The terrain's noise",
    .determinism = MR_EXACT,
    .gpu = "exact where positions are split in f64 as here",
};
