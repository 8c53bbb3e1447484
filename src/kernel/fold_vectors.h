// kernel/fold_vectors.h: vectors of words, folded one onto another. For sources compiled per instruction set.

#ifndef MARRAM_KERNEL_FOLD_VECTORS_H
#define MARRAM_KERNEL_FOLD_VECTORS_H

#include "kernel/fold_word.h"

// Words a vector.
#if MARRAM_ISA_LEVEL >= 4
enum { WIDTH = 16 };
#elif MARRAM_ISA_LEVEL == 3
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif

typedef int32_t words __attribute__((vector_size(4 * WIDTH)));
typedef uint32_t counts __attribute__((vector_size(4 * WIDTH)));
typedef float numbers __attribute__((vector_size(4 * WIDTH)));

#define INLINE static inline __attribute__((always_inline))

INLINE words choose(words mask, words yes, words no)
{
    return (mask & yes) | (~mask & no);
}

INLINE words splat(int32_t word)
{
    return (words){ 0 } + word;
}

INLINE words combine(mr_fold_mode mode, words a, words b)
{
    switch (mode) {
    case MR_FOLD_ADD_F32:
        return (words)((numbers)a + (numbers)b);
    case MR_FOLD_MUL_F32:
        return (words)((numbers)a * (numbers)b);
    case MR_FOLD_ADD_I32:
        return (words)((counts)a + (counts)b);
    case MR_FOLD_MUL_I32:
        return (words)((counts)a * (counts)b);
    case MR_FOLD_MIN_F32:
    case MR_FOLD_MIN_I32:
        return choose(a < b, a, b);
    case MR_FOLD_MAX_F32:
    case MR_FOLD_MAX_I32:
    case MR_FOLD_MODES:
        break;
    }
    return choose(a > b, a, b);
}

// The order-keeping turn of a float's bits and back: the same both ways.
INLINE words turn(words bits)
{
    return bits ^ (words)((counts)(bits >> 31) >> 1);
}

INLINE words load(mr_fold_mode mode, const int32_t *from)
{
    words bits;
    memcpy(&bits, from, sizeof bits);
    if (mode == MR_FOLD_MIN_F32 || mode == MR_FOLD_MAX_F32) {
        words nan = (bits & INT32_MAX) > 0x7f800000;
        return choose(nan, splat(mr_fold_identity(mode)), turn(bits));
    }
    return bits;
}

INLINE words answer(mr_fold_mode mode, words word)
{
    if (mode == MR_FOLD_MIN_F32 || mode == MR_FOLD_MAX_F32) {
        return choose(word == mr_fold_identity(mode), splat(0x7fc00000), turn(word));
    }
    return word;
}

#endif
