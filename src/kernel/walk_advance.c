// kernel/walk_advance.c: the constant step, which fields and `walk` share as mr_walk_advance (kernel/walk.h).

#include "kernel/kernel.h"

const mr_kernel mr_kernel_walk_advance = {
    .name = "walk_advance",
    .summary =
        "A walk's state moved by the constant vector (dx, dy, dz, dw): a path that is a straight line.",
    .determinism = MR_EXACT,
    .gpu = "exact: four additions",
};
