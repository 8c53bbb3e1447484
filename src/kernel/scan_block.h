// kernel/scan_block.h: one block of a scan. Shared by scan_run.c and scan.isa.c alone.

#ifndef MARRAM_KERNEL_SCAN_BLOCK_H
#define MARRAM_KERNEL_SCAN_BLOCK_H

#include "kernel/fold_word.h"

enum { MR_SCAN_TILE = 16, MR_SCAN_BLOCK = 1024, MR_SCAN_SPAN = 65536 };

// A block of one lane's words, one after another.
typedef struct mr_scan_block {
    const int32_t *from;
    int32_t *to;   // may be from
    size_t count;  // 1 to MR_SCAN_BLOCK
    int32_t outer; // the fold of the spans before, and of the blocks before in this span
    int32_t inner;
    bool exclusive;
    bool stream; // to is not looked at again soon: written past the caches where it is aligned to 64 bytes
} mr_scan_block;

typedef struct mr_scan_kernels {
    // The fold of a block's words, in the order of scan.h.
    int32_t (*fold[MR_FOLD_MODES])(const int32_t *from, size_t count);
    // Writes outer + (inner + the fold of the block's own up to each); answers the fold of the block's own.
    int32_t (*scan[MR_FOLD_MODES])(const mr_scan_block *block);
} mr_scan_kernels;

#endif
