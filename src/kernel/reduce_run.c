// kernel/reduce_run.c: groups of elements folded, in the order that reduce.h states.

#include "base/isa.h"
#include "base/memory.h"
#include "base/thread.h"
#include "kernel/reduce.h"
#include "kernel/reduce_block.h"

// BLOCK is the order's; STRETCH is how many elements are looked at together for one that beats.
enum { LANES = 4, BLOCK = MR_REDUCE_BLOCK, STRETCH = 4096, LONG = 1 << 17 };

MR_ISA_TABLES(mr_reduce_kernels, mr_reduce_kernels);

typedef struct reduction {
    mr_context *context;
    const mr_reduce_run *run;
    const mr_reduce_kernels *kernels;
    mr_fold_mode mode;
    uint32_t lanes;
} reduction;

// A group, and what is known of its parts: a fold, a sum or a best a part, in order.
typedef struct group {
    const reduction *r;
    const int32_t *from;
    size_t count;
    size_t part; // elements of one
    union {
        int32_t *words;
        int64_t *sums;
    };
} group;

static bool picks(const reduction *r)
{
    return r->run->fold >= MR_REDUCE_ARGMIN;
}

static bool sums_whole(const reduction *r)
{
    return r->run->fold == MR_REDUCE_MEAN && r->run->element != MR_F32;
}

static bool work_parts(void *argument, size_t begin, size_t end, mr_error *error)
{
    const group *g = argument;
    const reduction *r = g->r;
    (void)error;
    for (size_t part = begin; part < end; part++) {
        size_t at = part * g->part, size = g->count - at < g->part ? g->count - at : g->part;
        const int32_t *from = g->from + at * r->lanes;
        if (picks(r)) {
            r->kernels->best[r->mode](from, size, r->lanes, g->words + part * r->lanes);
        } else if (sums_whole(r)) {
            r->kernels->sum(from, size, r->lanes, g->sums + part * r->lanes);
        } else {
            r->kernels->fold[r->mode](from, size, r->lanes, g->words + part * r->lanes);
        }
    }
    return true;
}

// The blocks' folds, a run of `count` elements, to one in front of them. A block's fold stands no further on than the
// block began.
static void fold_parts(const reduction *r, int32_t *words, size_t count)
{
    while (count > 1) {
        size_t blocks = (count + BLOCK - 1) / BLOCK;
        for (size_t block = 0; block < blocks; block++) {
            size_t at = block * BLOCK, size = count - at < BLOCK ? count - at : BLOCK;
            int32_t fold[LANES];
            r->kernels->fold[r->mode](words + at * r->lanes, size, r->lanes, fold);
            memcpy(words + block * r->lanes, fold, r->lanes * sizeof *fold);
        }
        count = blocks;
    }
}

static bool beats(const reduction *r, const int32_t *words, const int32_t *best)
{
    bool all = true;
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        all &= r->mode == MR_FOLD_MIN_F32 || r->mode == MR_FOLD_MIN_I32 ? words[lane] < best[lane]
                                                                        : words[lane] > best[lane];
    }
    return all;
}

// Goes through elements begin to end - 1 in order: from the one picked, whose words best are, to the one then picked.
static size_t pick_among(const group *g, size_t begin, size_t end, size_t picked, int32_t *best)
{
    const reduction *r = g->r;
    for (size_t i = begin; i < end; i++) {
        int32_t words[LANES];
        for (uint32_t lane = 0; lane < r->lanes; lane++) {
            words[lane] = mr_beat_word(r->mode, g->from[i * r->lanes + lane]);
        }
        if (beats(r, words, best)) {
            picked = i;
            memcpy(best, words, r->lanes * sizeof *best);
        }
    }
    return picked;
}

// A part can hold an element that beats only where the best of each of its lanes does; of one lane the last part that
// does so is the only one to be gone through.
static size_t pick_from_parts(const group *g)
{
    const reduction *r = g->r;
    size_t parts = (g->count + g->part - 1) / g->part, picked = 0, last = 0;
    int32_t best[LANES], first[LANES];
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        best[lane] = first[lane] = mr_beat_word(r->mode, g->from[lane]);
    }
    for (size_t part = 0; part < parts; part++) {
        const int32_t *words = g->words + part * r->lanes;
        if (!beats(r, words, best)) {
            continue;
        }
        if (r->lanes == 1) {
            best[0] = words[0];
            last = part;
        } else {
            size_t end = (part + 1) * g->part;
            picked = pick_among(g, part * g->part, end < g->count ? end : g->count, picked, best);
        }
    }
    if (r->lanes == 1) {
        size_t end = (last + 1) * g->part;
        picked = pick_among(g, last * g->part, end < g->count ? end : g->count, 0, first);
    }
    return picked;
}

static void answer_sums(const group *g, size_t parts, int32_t *to)
{
    const reduction *r = g->r;
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        int64_t sum = 0;
        for (size_t part = 0; part < parts; part++) {
            sum += g->sums[part * r->lanes + lane];
        }
        to[lane] = (int32_t)(sum / (int64_t)g->count);
    }
}

static void answer_fold(const group *g, size_t parts, int32_t *to)
{
    const reduction *r = g->r;
    fold_parts(r, g->words, parts);
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        float sum = mr_fold_f32(g->words[lane]);
        to[lane] = r->run->fold == MR_REDUCE_MEAN ? mr_fold_bits(sum / (float)g->count) : g->words[lane];
    }
}

// Writes a group's answer from what is known of its parts.
static void answer(const group *g, size_t index, size_t begin)
{
    const reduction *r = g->r;
    int32_t *to = (int32_t *)r->run->to + index * r->lanes;
    size_t parts = (g->count + g->part - 1) / g->part;
    if (picks(r)) {
        size_t picked = pick_from_parts(g);
        memcpy(to, g->from + picked * r->lanes, r->lanes * sizeof *to);
        if (r->run->picked) {
            r->run->picked[index] = (int32_t)(begin + picked);
        }
    } else if (sums_whole(r)) {
        answer_sums(g, parts, to);
    } else {
        answer_fold(g, parts, to);
    }
}

static void answer_count(const reduction *r, size_t index, size_t count)
{
    int32_t *to = (int32_t *)r->run->to + index * r->lanes;
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        to[lane] = r->run->element == MR_F32 ? mr_fold_bits((float)count) : (int32_t)count;
    }
}

static group group_of(const reduction *r, size_t begin, size_t end)
{
    return (group){ .r = r,
                    .from = (const int32_t *)r->run->from + begin * r->lanes,
                    .count = end - begin,
                    .part = picks(r) ? STRETCH : BLOCK };
}

static bool is_long(const reduction *r, size_t count)
{
    return count >= LONG && r->run->fold != MR_REDUCE_COUNT;
}

static bool reduce_groups(void *argument, size_t begin, size_t end, mr_error *error)
{
    const reduction *r = argument;
    int64_t room[LONG / STRETCH * LANES];
    for (size_t index = begin; index < end; index++) {
        size_t first = mr_segment_begin(&r->run->segments, index);
        size_t last = mr_segment_end(&r->run->segments, index);
        if (is_long(r, last - first)) {
            continue;
        }
        if (r->run->picked) {
            r->run->picked[index] = -1;
        }
        if (r->run->fold == MR_REDUCE_COUNT || first == last) {
            answer_count(r, index, last - first);
            continue;
        }
        group g = group_of(r, first, last);
        g.sums = room;
        if (!work_parts(&g, 0, (g.count + g.part - 1) / g.part, error)) {
            return false;
        }
        answer(&g, index, first);
    }
    return true;
}

// A group on all threads.
static bool reduce_long(const reduction *r, size_t index, size_t begin, size_t end, mr_error *error)
{
    group g = group_of(r, begin, end);
    size_t parts = (g.count + g.part - 1) / g.part;
    g.sums = mr_buffer_take(r->context, parts * LANES * sizeof(int64_t), error);
    if (!g.sums) {
        return false;
    }
    bool good = mr_parallel_for(r->context, parts, (1 << 17) / g.part, work_parts, &g, error);
    if (good) {
        if (r->run->picked) {
            r->run->picked[index] = -1;
        }
        answer(&g, index, begin);
    }
    mr_buffer_release(r->context, g.sums);
    return good;
}

static mr_fold_mode mode_of(const mr_reduce_run *run)
{
    static const mr_fold_mode modes[] = {
        [MR_REDUCE_ADD] = MR_FOLD_ADD_F32,   [MR_REDUCE_MIN] = MR_FOLD_MIN_F32,
        [MR_REDUCE_MAX] = MR_FOLD_MAX_F32,   [MR_REDUCE_MEAN] = MR_FOLD_ADD_F32,
        [MR_REDUCE_COUNT] = MR_FOLD_ADD_F32, [MR_REDUCE_ARGMIN] = MR_FOLD_MIN_F32,
        [MR_REDUCE_ARGMAX] = MR_FOLD_MAX_F32
    };
    bool whole = run->element != MR_F32;
    return modes[run->fold] + (whole ? MR_FOLD_ADD_I32 - MR_FOLD_ADD_F32 : 0);
}

bool mr_reduce(mr_context *context, const mr_reduce_run *run, mr_error *error)
{
    reduction r = { .context = context,
                    .run = run,
                    .kernels = MR_ISA_PICK(mr_reduce_kernels, mr_context_isa(context)),
                    .mode = mode_of(run),
                    .lanes = run->lanes };
    size_t groups = run->segments.count;
    for (size_t index = 0; is_long(&r, run->longest) && index < groups; index++) {
        size_t begin = mr_segment_begin(&run->segments, index), end = mr_segment_end(&run->segments, index);
        if (is_long(&r, end - begin) && !reduce_long(&r, index, begin, end, error)) {
            return false;
        }
    }
    return mr_parallel_for(context, groups, mr_segments_grain(&run->segments), reduce_groups, &r, error);
}
