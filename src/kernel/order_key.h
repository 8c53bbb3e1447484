// kernel/order_key.h: words of f32 and i32 as keys that are ordered, as unsigned numbers, the way the values are.
//
// A least or greatest of many that is kept as a key is the same whatever order they come in.

#ifndef MARRAM_KERNEL_ORDER_KEY_H
#define MARRAM_KERNEL_ORDER_KEY_H

#include <stdbool.h>
#include <stdint.h>

// The key of a word, and the word of a key: inverses over all words. Floats: -0 is the key below +0, a NaN lies past the
// infinity of its sign. Source: T. Herf, Radix Tricks, 2001.
static inline uint32_t mr_order_key(uint32_t word, bool is_float)
{
    uint32_t all = is_float ? (uint32_t)((int32_t)word >> 31) : 0u;
    return word ^ (all | 0x80000000u);
}
static inline uint32_t mr_order_word(uint32_t key, bool is_float)
{
    uint32_t all = is_float ? (uint32_t)((int32_t)~key >> 31) : 0u;
    return key ^ (all | 0x80000000u);
}

// The key values are compared by where equal values must be one: -0 and +0 are, and every NaN, past +infinity.
static inline uint32_t mr_sort_key(uint32_t word, bool is_float)
{
    if (is_float) {
        word = word == 0x80000000u ? 0u : word;
        word = (word & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : word;
    }
    return mr_order_key(word, is_float);
}

#endif
