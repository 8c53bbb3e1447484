// kernel/reduce.isa.c: a block of a reduction, a row of 64 elements at a time.
//
// A row's words stand one after another whatever the lanes of an element, so that rows are folded as they lie in memory
// and only what is left at the end is told apart.

#include "kernel/reduce_block.h"

#include "base/isa.h"
#include "kernel/fold_vectors.h"

enum { ROW = MR_REDUCE_ROW, LANES = 4 };

INLINE words load_any(mr_fold_mode mode, bool beat, const int32_t *from)
{
    words bits;
    if (!beat || (mode != MR_FOLD_MIN_F32 && mode != MR_FOLD_MAX_F32)) {
        return load(mode, from);
    }
    memcpy(&bits, from, sizeof bits);
    bits = choose(bits, splat(INT32_MIN + 1), splat(0), bits);
    return load(mode, (const int32_t *)(const void *)&bits);
}

INLINE int32_t word_of(mr_fold_mode mode, bool beat, int32_t bits)
{
    return beat ? mr_beat_word(mode, bits) : mr_fold_word(mode, bits);
}

// Folds the whole rows there are into `row`.
INLINE void fold_rows(mr_fold_mode mode, bool beat, const int32_t *from, size_t count, const uint32_t lanes,
                      int32_t *row)
{
    words sums[ROW * LANES / WIDTH];
    const uint32_t vectors = ROW * lanes / WIDTH;
    for (uint32_t k = 0; k < vectors; k++) {
        sums[k] = load_any(mode, beat, from + k * WIDTH);
    }
    for (size_t i = ROW; i + ROW <= count; i += ROW) {
        for (uint32_t k = 0; k < vectors; k++) {
            sums[k] = combine(mode, sums[k], load_any(mode, beat, from + i * lanes + k * WIDTH));
        }
    }
    memcpy(row, sums, vectors * sizeof *sums);
}

// A row's elements to one, in `row`.
INLINE void fold_row(mr_fold_mode mode, int32_t *row, size_t width, const uint32_t lanes)
{
    for (size_t half = width / 2; half > 0; half /= 2) {
        for (size_t i = 0; i < half * lanes; i++) {
            row[i] = mr_fold_combine(mode, row[i], row[i + half * lanes]);
        }
    }
}

// Fewer elements than a row: the rest of it, as far as it is folded, is nothing.
INLINE void fold_few(mr_fold_mode mode, bool beat, const int32_t *from, size_t count, const uint32_t lanes,
                     int32_t *row)
{
    size_t width = 1;
    while (width < count) {
        width *= 2;
    }
    for (size_t i = 0; i < (size_t)ROW * lanes; i++) {
        row[i] = mr_fold_identity(mode);
    }
    for (size_t i = 0; i < count * lanes; i++) {
        row[i] = word_of(mode, beat, from[i]);
    }
    fold_row(mode, row, width, lanes);
}

INLINE void fold_lanes(mr_fold_mode mode, bool beat, const int32_t *from, size_t count, const uint32_t lanes,
                       int32_t *fold)
{
    int32_t row[ROW * LANES];
    if (count >= ROW) {
        const size_t left = count % ROW;
        const int32_t *rest = from + (count - left) * lanes;
        fold_rows(mode, beat, from, count, lanes, row);
        for (size_t i = 0; i < left * lanes; i++) {
            row[i] = mr_fold_combine(mode, row[i], word_of(mode, beat, rest[i]));
        }
        fold_row(mode, row, ROW, lanes);
    } else {
        fold_few(mode, beat, from, count, lanes, row);
    }
    for (uint32_t lane = 0; lane < lanes; lane++) {
        fold[lane] = beat ? row[lane] : mr_fold_answer(mode, row[lane]);
    }
}

// With the lanes known, so that the rows stay in registers.
INLINE void fold_any(mr_fold_mode mode, bool beat, const int32_t *from, size_t count, uint32_t lanes,
                     int32_t *fold)
{
    if (lanes == 1) {
        fold_lanes(mode, beat, from, count, 1, fold);
    } else if (lanes == 2) {
        fold_lanes(mode, beat, from, count, 2, fold);
    } else if (lanes == 3) {
        fold_lanes(mode, beat, from, count, 3, fold);
    } else {
        fold_lanes(mode, beat, from, count, 4, fold);
    }
}

// Words that a whole number of elements of any lanes fills.
enum { TURN = 48 };

static void sum_block(const int32_t *from, size_t count, uint32_t lanes, int64_t *sum)
{
    int64_t sums[TURN] = { 0 };
    size_t i = 0;
    for (; i + TURN <= count * lanes; i += TURN) {
        for (size_t k = 0; k < TURN; k++) {
            sums[k] += from[i + k];
        }
    }
    for (size_t k = 0; i + k < count * lanes; k++) {
        sums[k] += from[i + k];
    }
    for (uint32_t lane = 0; lane < lanes; lane++) {
        sum[lane] = 0;
        for (size_t k = lane; k < TURN; k += lanes) {
            sum[lane] += sums[k];
        }
    }
}

#define FOLD(name, mode, beat)                                                                               \
    static void name(const int32_t *from, size_t count, uint32_t lanes, int32_t *fold)                       \
    {                                                                                                        \
        fold_any(mode, beat, from, count, lanes, fold);                                                      \
    }
FOLD(add_f32, MR_FOLD_ADD_F32, false)
FOLD(min_f32, MR_FOLD_MIN_F32, false)
FOLD(max_f32, MR_FOLD_MAX_F32, false)
FOLD(add_i32, MR_FOLD_ADD_I32, false)
FOLD(min_i32, MR_FOLD_MIN_I32, false)
FOLD(max_i32, MR_FOLD_MAX_I32, false)
FOLD(least_f32, MR_FOLD_MIN_F32, true)
FOLD(greatest_f32, MR_FOLD_MAX_F32, true)

const mr_reduce_kernels MR_ISA(mr_reduce_kernels) = {
    .fold = { [MR_FOLD_ADD_F32] = add_f32,
              [MR_FOLD_MIN_F32] = min_f32,
              [MR_FOLD_MAX_F32] = max_f32,
              [MR_FOLD_ADD_I32] = add_i32,
              [MR_FOLD_MIN_I32] = min_i32,
              [MR_FOLD_MAX_I32] = max_i32 },
    .best = { [MR_FOLD_MIN_F32] = least_f32,
              [MR_FOLD_MAX_F32] = greatest_f32,
              [MR_FOLD_MIN_I32] = min_i32,
              [MR_FOLD_MAX_I32] = max_i32 },
    .sum = sum_block,
};
