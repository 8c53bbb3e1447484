// kernel/live.h: device.bound, device.live and device.guard: counts that stay where they were made, columns that carry
// them, and what must hold before an answer is handed on.

#ifndef MARRAM_KERNEL_LIVE_H
#define MARRAM_KERNEL_LIVE_H

#include "data/function.h"
#include "kernel/element_program.h"

// What device.bound is told. The words of a count are read once here: on the CPU device that waits for nothing.
typedef struct mr_bound {
    mr_value value; // a Number or Int, a one-word Int or UInt Column, or a Count; borrowed
    bool has_capacity;
    size_t capacity; // the most it can reach, where the caller can state it
    bool live;       // a plain number becomes a live count too
} mr_bound;

// A count with the most it can reach: a number stays one, unless `live`; then it is a word with room for the next power
// of two. A word of no stated capacity gets twice its count, as a power of two; a Count keeps its own. Errors
// (MR_BAD_INPUT): a number that is negative or not whole, a column of other words, a value of another type; a number
// above its own stated capacity; MR_LIMIT: past what indices can hold. The answer is the caller's to release.
bool mr_device_bound(mr_context *context, const mr_bound *bound, mr_count *count, mr_error *error);

// The column carrying a count as its live count: the column's elements shared or, where others hold it, copied. Takes
// the reference, also on failure (NULL). A plain count of all there are takes the live count away. Errors: MR_BAD_INPUT
// for a capacity past the column's elements.
mr_column *mr_device_live(mr_column *values, const mr_count *count, mr_error *error);

// What device.guard is told: exactly one of flag and program.
typedef struct mr_guard {
    mr_value flag;                     // a Number, Int or Bool, or a one-word Column; borrowed
    const mr_element_program *program; // or a field over one element
    const char *why;                   // the refusal
    mr_function *detail;               // or one whose own error is the refusal; called only then. NULL: none
} mr_guard;

// True once the flag is 0. Anything else (NaN too) refuses: MR_BAD_INPUT with `why`, or with what `detail` fails with.
bool mr_device_guard(mr_context *context, const mr_guard *guard, mr_error *error);

#endif
