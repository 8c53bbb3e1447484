// kernel/scan.h: running folds.
//
// The order of combination, the same whatever the threads, the vectors' width and the memory:
//
//   A group's elements are cut from its first on into tiles of 16, blocks of 64 tiles (1,024) and spans of 64 blocks
//   (65,536). Inside a tile, at steps 1, 2, 3 and 4, every element of the upper half of each run of 2^step takes the
//   last element of the lower half in front: x = last + x. A block's tiles, a span's blocks and a group's spans are
//   chained: the fold before the next is the fold before this one + this one's own. So the inclusive answer is
//       spans before + (blocks before in the span + (tiles before in the block + up to here in the tile))
//   where what there is nothing of is left out. The exclusive answer is the inclusive one of the element before, and
//   a group's total the inclusive one of its last.
//
// The error of a float sum of n elements is within (4 + 64 + 64 + n / 65536) 2^-24 times the sum of the magnitudes
// before it, and running sums of what is 0 or more never fall. Whole numbers wrap modulo 2^32; they, min and max come to
// the same in any order. Of floats min and max take -0 below +0 and pass over a NaN: the answer is a NaN only where
// there is nothing else. NaN in a sum or a product stays to the group's end. The tree in a tile is Sklansky's
// ("Conditional-sum addition logic", 1960).

#ifndef MARRAM_KERNEL_SCAN_H
#define MARRAM_KERNEL_SCAN_H

#include "kernel/segments.h"

typedef enum mr_scan_op { MR_SCAN_ADD, MR_SCAN_MIN, MR_SCAN_MAX, MR_SCAN_MUL } mr_scan_op;

typedef struct mr_scan_run {
    mr_scan_op op;
    mr_element element; // MR_F32, or MR_I32 for whole numbers of any kind
    uint32_t lanes;     // 1 to 4: words an element, each folded by itself
    bool exclusive;     // the first of a group: 0 for add, 1 for mul, itself for min and max
    const void *from;
    void *to; // may be from
    mr_segments segments;
    size_t longest; // elements of the largest group
    void *totals;   // an element a group, 0 for an empty one; NULL: not wanted
} mr_scan_run;

// Scans every group. Elements before the first start are left alone. Errors: MR_OUT_OF_MEMORY, MR_LIMIT (memory),
// MR_CANCELLED.
bool mr_scan(mr_context *context, const mr_scan_run *run, mr_error *error);

// The exclusive running sum of counts: offsets[j] is counts[0] + ... + counts[j - 1], offsets[0] is 0. offsets may be
// counts. *total (which may be NULL) is the sum of all of them, true beyond 32 bits. Errors, with nothing written:
// MR_LIMIT when an offset does not fit 32 bits, MR_OUT_OF_MEMORY; MR_CANCELLED may leave some offsets written.
bool mr_scan_counts(mr_context *context, const uint32_t *counts, size_t count, uint32_t *offsets,
                    uint64_t *total, mr_error *error);

#endif
