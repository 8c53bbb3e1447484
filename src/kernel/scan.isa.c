// kernel/scan.isa.c: a block of a scan, in vectors as wide as the instruction set has.
//
// A tile of 16 is folded as a tree whose steps are the same whatever the width: at step s the upper half of every 2^s
// words takes the last word of the lower half. What a vector does not reach is done between the tile's vectors.

#include "kernel/scan_block.h"

#include "base/isa.h"
#include "kernel/fold_vectors.h"

#if MARRAM_ISA_LEVEL >= 4
#define UP1 16, 0, 16, 2, 16, 4, 16, 6, 16, 8, 16, 10, 16, 12, 16, 14
#define UP2 16, 16, 1, 1, 16, 16, 5, 5, 16, 16, 9, 9, 16, 16, 13, 13
#define UP3 16, 16, 16, 16, 3, 3, 3, 3, 16, 16, 16, 16, 11, 11, 11, 11
#define UP4 16, 16, 16, 16, 16, 16, 16, 16, 7, 7, 7, 7, 7, 7, 7, 7
#define LAST 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15
#define SHIFT 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#elif MARRAM_ISA_LEVEL == 3
#define UP1 8, 0, 8, 2, 8, 4, 8, 6
#define UP2 8, 8, 1, 1, 8, 8, 5, 5
#define UP3 8, 8, 8, 8, 3, 3, 3, 3
#define LAST 7, 7, 7, 7, 7, 7, 7, 7
#define SHIFT 7, 8, 9, 10, 11, 12, 13, 14
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD 1, 3, 5, 7, 9, 11, 13, 15
#else
#define UP1 4, 0, 4, 2
#define UP2 4, 4, 1, 1
#define LAST 3, 3, 3, 3
#define SHIFT 3, 4, 5, 6
#define EVEN 0, 2, 4, 6
#define ODD 1, 3, 5, 7
#endif

// A set of vectors is worked on side by side, so that no step waits for the one before.
enum { TILE = MR_SCAN_TILE, VECTORS = TILE / WIDTH, SET = 4 };

// Past the caches: what is written is not read first, and what is in them stays.
INLINE void store(int32_t *to, words word, bool stream)
{
#if MARRAM_ISA_LEVEL >= 4 && defined(__x86_64__)
    if (stream) {
        _mm512_stream_si512((void *)to, (__m512i)word);
        return;
    }
#elif MARRAM_ISA_LEVEL == 3 && defined(__x86_64__)
    if (stream) {
        _mm256_stream_si256((void *)to, (__m256i)word);
        return;
    }
#elif defined(__x86_64__)
    if (stream) {
        _mm_stream_si128((void *)to, (__m128i)word);
        return;
    }
#endif
    (void)stream;
    memcpy(to, &word, sizeof word);
}

#define STEP(lanes)                                                                                          \
    for (int k = 0; k < count; k++) {                                                                        \
        v[k] = combine(mode, __builtin_shufflevector(v[k], nothing, lanes), v[k]);                           \
    }

// The running folds of the tiles that count vectors hold, in place.
INLINE void fold_tiles(mr_fold_mode mode, words *v, const int count)
{
    const words nothing = splat(mr_fold_identity(mode));
    STEP(UP1)
    STEP(UP2)
#if MARRAM_ISA_LEVEL >= 3
    STEP(UP3)
#endif
#if MARRAM_ISA_LEVEL >= 4
    STEP(UP4)
#endif
    for (int half = 1; half < VECTORS; half *= 2) {
        for (int k = 0; k < count; k++) {
            if (k & half) {
                words last = v[(k & ~(half - 1)) - 1];
                v[k] = combine(mode, __builtin_shufflevector(last, last, LAST), v[k]);
            }
        }
    }
}

// Folds of pairs, those of a before those of b.
INLINE words pairs(mr_fold_mode mode, words a, words b)
{
    return combine(mode, __builtin_shufflevector(a, b, EVEN), __builtin_shufflevector(a, b, ODD));
}

INLINE words pairs2(mr_fold_mode mode, const int32_t *from)
{
    return pairs(mode, load(mode, from), load(mode, from + WIDTH));
}
INLINE words pairs4(mr_fold_mode mode, const int32_t *from)
{
    return pairs(mode, pairs2(mode, from), pairs2(mode, from + 2 * WIDTH));
}
INLINE words pairs8(mr_fold_mode mode, const int32_t *from)
{
    return pairs(mode, pairs4(mode, from), pairs4(mode, from + 4 * WIDTH));
}

// The folds of WIDTH tiles, one a word: the last words of what fold_tiles makes of them, by the same tree.
INLINE words fold_totals(mr_fold_mode mode, const int32_t *from)
{
    return pairs(mode, pairs8(mode, from), pairs8(mode, from + 8 * WIDTH));
}

INLINE void load_tiles(mr_fold_mode mode, const int32_t *from, words *v, const int count)
{
    for (int k = 0; k < count; k++) {
        v[k] = load(mode, from + k * WIDTH);
    }
    fold_tiles(mode, v, count);
}

INLINE int32_t fold_ordered(mr_fold_mode mode, const int32_t *from, size_t count)
{
    int32_t sum = mr_fold_identity(mode);
    size_t i = 0;
    for (; i + TILE * WIDTH <= count; i += TILE * WIDTH) {
        words totals = fold_totals(mode, from + i);
        for (int k = 0; k < WIDTH; k++) {
            sum = mr_fold_combine(mode, sum, totals[k]);
        }
    }
    for (; i < count; i += TILE) {
        words tile[VECTORS];
        int32_t own[TILE] = { 0 };
        size_t left = count - i < TILE ? count - i : TILE;
        memcpy(own, from + i, left * sizeof *own);
        load_tiles(mode, own, tile, VECTORS);
        memcpy(own, tile, sizeof own);
        sum = mr_fold_combine(mode, sum, own[left - 1]);
    }
    return sum;
}

// Whole numbers come to the same in any order.
INLINE int32_t fold_any(mr_fold_mode mode, const int32_t *from, size_t count)
{
    words sums[4];
    int32_t sum = mr_fold_identity(mode);
    size_t i = 0;
    for (int k = 0; k < 4; k++) {
        sums[k] = splat(sum);
    }
    for (; i + 4 * WIDTH <= count; i += 4 * WIDTH) {
        for (int k = 0; k < 4; k++) {
            sums[k] = combine(mode, sums[k], load(mode, from + i + (size_t)k * WIDTH));
        }
    }
    sums[0] = combine(mode, combine(mode, sums[0], sums[1]), combine(mode, sums[2], sums[3]));
    for (int k = 0; k < WIDTH; k++) {
        sum = mr_fold_combine(mode, sum, sums[0][k]);
    }
    for (; i < count; i++) {
        sum = mr_fold_combine(mode, sum, mr_fold_word(mode, from[i]));
    }
    return sum;
}

// What stands in front of every word of a block, and the last word answered.
typedef struct front {
    words outer, inner, own, before;
    bool exclusive;
} front;

// The answers of tiles, from their running folds.
INLINE void place_tiles(mr_fold_mode mode, front *f, words *v, const int count, int32_t *to, bool stream)
{
    words own[SET];
    for (int k = 0; k < count; k++) {
        own[k] = f->own;
        if (k % VECTORS == VECTORS - 1) {
            f->own = combine(mode, f->own, __builtin_shufflevector(v[k], v[k], LAST));
        }
    }
    for (int k = 0; k < count; k++) {
        v[k] = combine(mode, f->inner, combine(mode, own[k], v[k]));
    }
    for (int k = 0; k < count; k++) {
        words word = combine(mode, f->outer, v[k]);
        words shifted = __builtin_shufflevector(f->before, word, SHIFT);
        store(to + k * WIDTH, answer(mode, f->exclusive ? shifted : word), stream);
        f->before = word;
    }
}

INLINE int32_t scan_tail(mr_fold_mode mode, front *f, const int32_t *from, int32_t *to, size_t count)
{
    words tile[VECTORS];
    int32_t own[TILE] = { 0 }, answers[TILE];
    memcpy(own, from, count * sizeof *own);
    load_tiles(mode, own, tile, VECTORS);
    memcpy(own, tile, sizeof own);
    int32_t sum = mr_fold_combine(mode, f->own[0], own[count - 1]);
    place_tiles(mode, f, tile, VECTORS, answers, false);
    memcpy(to, answers, count * sizeof *to);
    return sum;
}

INLINE int32_t scan_block(mr_fold_mode mode, const mr_scan_block *block, bool stream)
{
    front f = {
        splat(block->outer), splat(block->inner), splat(mr_fold_identity(mode)), { 0 }, block->exclusive
    };
    f.before = combine(mode, f.outer, f.inner);
    size_t i = 0;
    for (; i + SET * WIDTH <= block->count; i += SET * WIDTH) {
        words set[SET];
        load_tiles(mode, block->from + i, set, SET);
        place_tiles(mode, &f, set, SET, block->to + i, stream);
    }
    for (; i + TILE <= block->count; i += TILE) {
        words tile[VECTORS];
        load_tiles(mode, block->from + i, tile, VECTORS);
        place_tiles(mode, &f, tile, VECTORS, block->to + i, stream);
    }
    if (i < block->count) {
        return scan_tail(mode, &f, block->from + i, block->to + i, block->count - i);
    }
    return f.own[0];
}

INLINE int32_t scan_any(mr_fold_mode mode, const mr_scan_block *block)
{
    return block->stream && (uintptr_t)block->to % 64 == 0 ? scan_block(mode, block, true)
                                                           : scan_block(mode, block, false);
}

#define MODE(name, mode, fold)                                                                               \
    static int32_t fold_##name(const int32_t *from, size_t count)                                            \
    {                                                                                                        \
        return fold(mode, from, count);                                                                      \
    }                                                                                                        \
    static int32_t scan_##name(const mr_scan_block *block)                                                   \
    {                                                                                                        \
        return scan_any(mode, block);                                                                        \
    }
MODE(add_f32, MR_FOLD_ADD_F32, fold_ordered)
MODE(min_f32, MR_FOLD_MIN_F32, fold_any)
MODE(max_f32, MR_FOLD_MAX_F32, fold_any)
MODE(mul_f32, MR_FOLD_MUL_F32, fold_ordered)
MODE(add_i32, MR_FOLD_ADD_I32, fold_any)
MODE(min_i32, MR_FOLD_MIN_I32, fold_any)
MODE(max_i32, MR_FOLD_MAX_I32, fold_any)
MODE(mul_i32, MR_FOLD_MUL_I32, fold_any)

const mr_scan_kernels MR_ISA(mr_scan_kernels) = {
    .fold = { fold_add_f32, fold_min_f32, fold_max_f32, fold_mul_f32, fold_add_i32, fold_min_i32,
              fold_max_i32, fold_mul_i32 },
    .scan = { scan_add_f32, scan_min_f32, scan_max_f32, scan_mul_f32, scan_add_i32, scan_min_i32,
              scan_max_i32, scan_mul_i32 },
};
