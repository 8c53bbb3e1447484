// kernel/fold_vectors.h: vectors of words, folded one onto another. For sources compiled per instruction set.

#ifndef MARRAM_KERNEL_FOLD_VECTORS_H
#define MARRAM_KERNEL_FOLD_VECTORS_H

#include "kernel/fold_word.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

// Word by word a < b ? yes : no.
INLINE words choose(words a, words b, words yes, words no)
{
#if MARRAM_ISA_LEVEL >= 4 && defined(__x86_64__)
    return (words)_mm512_mask_mov_epi32((__m512i)no, _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b),
                                        (__m512i)yes);
#elif MARRAM_ISA_LEVEL == 3 && defined(__x86_64__)
    return (words)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)(a < b));
#else
    words mask = a < b;
    return (mask & yes) | (~mask & no);
#endif
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
        return choose(a, b, a, b);
    case MR_FOLD_MAX_F32:
    case MR_FOLD_MAX_I32:
    case MR_FOLD_MODES:
        break;
    }
    return choose(b, a, a, b);
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
        return choose(splat(0x7f800000), bits & INT32_MAX, splat(mr_fold_identity(mode)), turn(bits));
    }
    return bits;
}

INLINE words answer(mr_fold_mode mode, words word)
{
    if (mode == MR_FOLD_MIN_F32) {
        return choose(splat(INT32_MAX - 1), word, splat(0x7fc00000), turn(word));
    }
    if (mode == MR_FOLD_MAX_F32) {
        return choose(word, splat(INT32_MIN + 1), splat(0x7fc00000), turn(word));
    }
    return word;
}

#endif
