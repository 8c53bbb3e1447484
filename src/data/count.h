// data/count.h: how many elements a kernel runs over: a number, or a live count.
//
// A live count is a one-word UInt or Int column, made by some kernel, with a capacity: the most it can reach. Arithmetic
// that only grows with the counts it reads (sums, products, the lesser, the greater) is a live count again, whose
// capacity is the same arithmetic over the capacities; what takes a count away from something is read and becomes a
// number.

#ifndef MARRAM_DATA_COUNT_H
#define MARRAM_DATA_COUNT_H

#include "data/column.h"

#define MR_COUNT_MOST ((size_t)INT32_MAX) // elements a kernel may run over: indices are i32

typedef struct mr_count {
    mr_column *word; // a reference; NULL: a plain number
    size_t capacity; // the number itself, when plain
} mr_count;

mr_count mr_count_plain(size_t number);
// Takes no reference: retains the word. Errors (MR_BAD_INPUT): a column of more than one word or of Float.
bool mr_count_live(mr_column *word, size_t capacity, mr_count *count, mr_error *error);
// A column's elements: its live count where it carries one, else its count as a number.
mr_count mr_count_of(const mr_column *column);
mr_count mr_count_retain(mr_count count);
void mr_count_release(mr_count *count); // leaves the number 0

// What the count comes to now, as it is (it may state more than its capacity: an overflow), and held to its capacity. A
// negative Int word is 0.
size_t mr_count_read(const mr_count *count);
size_t mr_count_held(const mr_count *count);

typedef enum mr_count_op {
    MR_COUNT_ADD,
    MR_COUNT_MULTIPLY,
    MR_COUNT_MIN,
    MR_COUNT_MAX,
    MR_COUNT_SUBTRACT,
    MR_COUNT_DIVIDE
} mr_count_op;

// a op b. Of numbers a number. Subtraction stops at 0; DIVIDE rounds down, by a plain number of 1 or more, and is live
// over a live a. Errors: MR_LIMIT when a word or a capacity would not fit 32 bits (MR_COUNT_MOST), MR_BAD_INPUT for a
// divisor of 0 or a live one, MR_OUT_OF_MEMORY. The answer is the caller's to release.
bool mr_count_combine(mr_context *context, mr_count_op op, const mr_count *a, const mr_count *b,
                      mr_count *answer, mr_error *error);

#endif
