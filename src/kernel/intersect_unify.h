// kernel/intersect_unify.h: which ends of cuts are one point.

#ifndef MARRAM_KERNEL_INTERSECT_UNIFY_H
#define MARRAM_KERNEL_INTERSECT_UNIFY_H

#include "kernel/intersect_core.h"

// rep[s] is the lowest slot whose end names the point that the end in slot s names (mr_cut_same_point). `ends`: one a
// slot. Errors: MR_LIMIT (more slots than 2^30), memory.
bool mr_cut_unify(mr_context *context, const mr_cut_end *ends, size_t slots, uint32_t *rep, mr_error *error);

// The hash a point's name is looked up by.
static inline uint32_t mr_cut_hash(const mr_cut_end *end)
{
    uint64_t h = ((uint64_t)end->lo << 32 | end->hi) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 32;
    h += ((uint64_t)end->tri << 32 | end->extra) ^ (uint64_t)(end->kind & MR_END_KIND) << 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    h ^= h >> 29;
    h *= UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(h >> 32);
}

// The cell of a table of `cells` (a power of two) that holds end's point, or the empty one it would take: a cell holds 0
// or 1 + the first slot of its point. `cells` itself: the table is full, or names slots there are not.
uint32_t mr_cut_cell(const uint32_t *table, uint32_t cells, const mr_cut_end *ends, size_t slots,
                     const mr_cut_end *end);

#endif
