// kernel/rand.c: what fields and kernels call of num/hash.h.

#include "kernel/kernel.h"

const mr_kernel mr_kernel_rand = {
    .name = "rand",
    .summary = "The rand family: a word or a number in [0, 1) of a seed, scopes and an element.",
    .source = "docs/noise.md, The rand family",
    .determinism = MR_EXACT,
    .gpu = "exact: whole arithmetic and one exact product",
};
