// kernel/scan.h: running folds.

#ifndef MARRAM_KERNEL_SCAN_H
#define MARRAM_KERNEL_SCAN_H

#include "base/context.h"

// The exclusive running sum of counts: offsets[j] is counts[0] + ... + counts[j - 1], offsets[0] is 0. offsets may be
// counts. *total (which may be NULL) is the sum of all of them, true beyond 32 bits. Errors, with nothing written:
// MR_LIMIT when an offset does not fit 32 bits, MR_OUT_OF_MEMORY; MR_CANCELLED may leave some offsets written.
bool mr_scan_counts(mr_context *context, const uint32_t *counts, size_t count, uint32_t *offsets,
                    uint64_t *total, mr_error *error);

#endif
