// kernel/contour_triangles.c: the kept quads as two triangles each.

#include "base/thread.h"
#include "kernel/kernel.h"

enum { EDGES, QUAD_V, PT, VSTART };

static bool split(void *argument, size_t begin, size_t end, mr_error *error)
{
    static const uint8_t corners[6] = { 0, 1, 2, 0, 2, 3 };
    const mr_kernel_slot *slots = ((const mr_kernel_call *)argument)->slots;
    (void)error;
    for (size_t q = begin; q < end; q++) {
        uint32_t edge = slots[EDGES].u32[q];
        bool there = edge < slots[QUAD_V].count;
        for (size_t i = 0; i < 6; i++) {
            slots[PT].i32[6 * q + i] = there ? slots[QUAD_V].i32[4 * (size_t)edge + corners[i]] : -1;
        }
        slots[VSTART].i32[2 * q] = (int32_t)(6 * q);
        slots[VSTART].i32[2 * q + 1] = (int32_t)(6 * q + 3);
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    return mr_parallel_for(call->context, call->n, 4096, split, (void *)(uintptr_t)call, error);
}

const mr_kernel mr_kernel_contour_triangles = {
    .name = "contour_triangles",
    .summary = "Splits each kept quad from its first corner to its third.",
    .determinism = MR_EXACT,
    .gpu = "Exact: whole numbers alone.",
    .bindings = { { .name = "edges",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "The edges that own a quad, as compact lists them. A number past the quads holds "
                           "none." },
                  { .name = "quad_v",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .lanes = 4,
                    .doc = "The vertices of every edge's quad." },
                  { .name = "pt",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "n * 6",
                    .doc = "Of quad a b c d: a b c, a c d. -1 where there is no quad." },
                  { .name = "vstart",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "n * 2",
                    .doc = "Where each triangle's corners begin in pt." } },
    .run = run,
};
