// kernel/sort_radix.h: one pass of the radix sort over one run of elements, in copies for each instruction set. Shared by
// sort_radix.c and sort_radix.isa.c alone.

#ifndef MARRAM_KERNEL_SORT_RADIX_H
#define MARRAM_KERNEL_SORT_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SORT_BITS_MOST = 11, // of a digit: a line for each bucket still lies in the second cache
    SORT_LINE = 64,      // bytes that are written to memory at once
};

// Buckets are the values of a digit, 1 << SORT_BITS_MOST at most.
typedef struct sort_digit {
    unsigned shift;
    uint32_t mask;
    size_t buckets;
} sort_digit;

// One run of a pass: elements begin .. end - 1 of `from` go to `to`. They are bare keys, whose index is their place, pairs
// (index << 32 | key), or bare indices.
typedef struct sort_place {
    const void *from;
    void *to;
    size_t begin, end;
    sort_digit digit;
    bool from_keys; // else pairs
    bool to_pairs;  // else indices
    bool streams;   // `to` is too large for the caches: write past them
    uint32_t *next; // a bucket: where its next element goes; left at the bucket's end
    void *scratch;  // buckets * SORT_LINE bytes, aligned to as much, and 4 bytes a bucket
} sort_place;

typedef struct sort_radix_kernels {
    // The bits of mask in which keys differ from `first`, and whether no key is less than the one before it by them.
    void (*survey)(const uint32_t *keys, size_t count, uint32_t mask, uint32_t first, uint32_t *differ,
                   bool *ordered);
    // How many elements there are of each digit into next.
    void (*count)(const sort_place *run);
    void (*place)(const sort_place *run);
} sort_radix_kernels;

#endif
