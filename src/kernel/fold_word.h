// kernel/fold_word.h: what the folding kernels fold: one word and another.
//
// Folds work on words: of i32 the numbers, of f32 add and mul the bits, of f32 min and max the bits turned into whole
// numbers of the same order (-0 below +0, a NaN past every number), whose folds may be made in any order.

#ifndef MARRAM_KERNEL_FOLD_WORD_H
#define MARRAM_KERNEL_FOLD_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum mr_fold_mode {
    MR_FOLD_ADD_F32,
    MR_FOLD_MIN_F32,
    MR_FOLD_MAX_F32,
    MR_FOLD_MUL_F32,
    MR_FOLD_ADD_I32,
    MR_FOLD_MIN_I32,
    MR_FOLD_MAX_I32,
    MR_FOLD_MUL_I32,
    MR_FOLD_MODES
} mr_fold_mode;

// A word that changes no other: what stands for nothing.
static inline int32_t mr_fold_identity(mr_fold_mode mode)
{
    static const int32_t words[MR_FOLD_MODES] = {
        [MR_FOLD_ADD_F32] = INT32_MIN,  // -0
        [MR_FOLD_MUL_F32] = 0x3f800000, // 1
        [MR_FOLD_ADD_I32] = 0,          [MR_FOLD_MUL_I32] = 1,         [MR_FOLD_MIN_F32] = INT32_MAX,
        [MR_FOLD_MIN_I32] = INT32_MAX,  [MR_FOLD_MAX_F32] = INT32_MIN, [MR_FOLD_MAX_I32] = INT32_MIN,
    };
    return words[mode];
}

static inline float mr_fold_f32(int32_t word)
{
    float number;
    memcpy(&number, &word, sizeof number);
    return number;
}

static inline int32_t mr_fold_bits(float number)
{
    int32_t word;
    memcpy(&word, &number, sizeof word);
    return word;
}

static inline int32_t mr_fold_combine(mr_fold_mode mode, int32_t a, int32_t b)
{
    switch (mode) {
    case MR_FOLD_ADD_F32:
        return mr_fold_bits(mr_fold_f32(a) + mr_fold_f32(b));
    case MR_FOLD_MUL_F32:
        return mr_fold_bits(mr_fold_f32(a) * mr_fold_f32(b));
    case MR_FOLD_ADD_I32:
        return (int32_t)((uint32_t)a + (uint32_t)b);
    case MR_FOLD_MUL_I32:
        return (int32_t)((uint32_t)a * (uint32_t)b);
    case MR_FOLD_MIN_F32:
    case MR_FOLD_MIN_I32:
        return a < b ? a : b;
    case MR_FOLD_MAX_F32:
    case MR_FOLD_MAX_I32:
    case MR_FOLD_MODES:
        break;
    }
    return a > b ? a : b;
}

// An element's bits as a word, and a word's bits as they are answered.
static inline int32_t mr_fold_word(mr_fold_mode mode, int32_t bits)
{
    if (mode != MR_FOLD_MIN_F32 && mode != MR_FOLD_MAX_F32) {
        return bits;
    }
    if ((bits & INT32_MAX) > 0x7f800000) {
        return mode == MR_FOLD_MIN_F32 ? INT32_MAX : INT32_MIN;
    }
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

static inline int32_t mr_fold_answer(mr_fold_mode mode, int32_t word)
{
    if (mode != MR_FOLD_MIN_F32 && mode != MR_FOLD_MAX_F32) {
        return word;
    }
    if (word == INT32_MAX || word == INT32_MIN) {
        return 0x7fc00000;
    }
    return word ^ (int32_t)((uint32_t)(word >> 31) >> 1);
}

#endif
