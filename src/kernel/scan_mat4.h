// kernel/scan_mat4.h: running products of 4x4 matrices, in the run's order: m[0] * m[1] * ... * m[i].
//
// The order of combination, the same whatever the threads: a group's matrices are cut from its first on into blocks of
// 128. Inside a block each product is the one before it times the next matrix, and the first is its matrix. The products
// before a block are chained in the same way: what stands before the next block is what stood before this one times this
// one's last product; the first block has nothing before it. An answer is what stands before its block times the product
// inside. An entry of a product is ((a0 * b0 + a1 * b1) + a2 * b2) + a3 * b3, every step rounded to f32. NaN and
// infinities go where these steps take them.
//
// Block by block rather than by a tree: a tree of steps inside a block costs a product a step for every matrix.

#ifndef MARRAM_KERNEL_SCAN_MAT4_H
#define MARRAM_KERNEL_SCAN_MAT4_H

#include "kernel/segments.h"
#include "num/vector.h"

typedef struct mr_scan_mat4_run {
    bool exclusive;       // the products before each matrix: the first of a group has the identity
    const mr_mat4 *from;  // column-major
    mr_mat4 *to;          // may be from
    mr_segments segments; // elements before the first start are left alone
    size_t longest;       // matrices of the largest group
    mr_mat4 *totals;      // a matrix a group, the identity for an empty one; NULL: not wanted
} mr_scan_mat4_run;

// Errors: MR_OUT_OF_MEMORY, MR_LIMIT (memory), MR_CANCELLED.
bool mr_scan_mat4(mr_context *context, const mr_scan_mat4_run *run, mr_error *error);

#endif
