// kernel/run_sides.c: the functions of run_sides.h as a library of the registry.

#include "kernel/run_sides.h"

#include "kernel/kernel.h"

const mr_kernel mr_kernel_run_sides = {
    .name = "run_sides",
    .summary =
        "What the perimeter of a run of vertices is: how many sides it has, the vertex a side ends on, and "
        "the word that names no edge or point.",
    .determinism = MR_EXACT,
    .gpu = "exact: functions of whole numbers",
};
