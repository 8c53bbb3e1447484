// kernel/scatter_fold.c: the fold behind scatter.h.
//
// Sources are dealt to buckets of neighbouring places, in their order; a bucket is then one thread's, and its places fit
// the caches.

#include "kernel/scatter.h"

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/order_key.h"
#include "kernel/sort.h"

#include <string.h>

enum {
    FEW = 1 << 14,          // sources and places that one thread folds as they come
    GRAIN = 1 << 15,        // sources
    BUCKETS_A_THREAD = 8,   // for threads that come late
    BUCKET_BYTES = 1 << 18, // of places
    AHEAD = 24,             // sources whose memory is asked for before it is their turn
    CHECK = 1 << 16,        // sources folded between two looks at whether to go on
};

// What an element does to its place.
typedef enum fold_rule {
    ADD_F32,
    ADD_EXACT,
    ADD_I32,
    ADD_I64,
    MIN_F32,
    MAX_F32,
    MIN_I32,
    MAX_I32,
    SET
} fold_rule;

typedef struct job {
    mr_context *context;
    const mr_place_fold *scatter;
    unsigned stages;
    fold_rule rule;
    unsigned shift;        // a bucket is 1 << shift places
    uint32_t *keys;        // a source: its place, or `places` for none
    const uint64_t *pairs; // source << 32 | place, bucket after bucket
    const size_t *starts;
    size_t buckets; // a power of two
} job;

// A run of places and the sources that go there.
typedef struct bucket {
    size_t first, end;
    const uint64_t *pairs; // NULL: all sources, in order
    size_t count;
    int64_t *sums; // ADD_I64: a word of a place; else NULL
} bucket;

static fold_rule rule_of(const mr_place_fold *scatter, unsigned stages)
{
    bool floats = !scatter->whole_numbers;
    switch (scatter->fold) {
    case MR_PLACE_MIN:
        return floats ? MIN_F32 : MIN_I32;
    case MR_PLACE_MAX:
        return floats ? MAX_F32 : MAX_I32;
    case MR_PLACE_SET:
        return SET;
    case MR_PLACE_ADD:
    case MR_PLACE_MEAN:
        break;
    }
    if (floats) {
        return scatter->exact ? ADD_EXACT : ADD_F32;
    }
    bool whole = stages == (MR_PLACE_INIT | MR_PLACE_WORK | MR_PLACE_FINISH);
    return whole && scatter->fold == MR_PLACE_MEAN ? ADD_I64 : ADD_I32;
}

static inline float f32_of(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint32_t word_of(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

// To the nearest whole number, ties to even, held to i32; NaN is 0.
static inline uint32_t multiple_of(float value, float scale)
{
    float y = value * scale, size = __builtin_fabsf(y);
    if (!(size < 0x1p31f)) {
        return y > 0.0f ? 0x7fffffffu : y < 0.0f ? 0x80000000u : 0u;
    }
    size = size < 0x1p23f ? (size + 0x1p23f) - 0x1p23f : size; // past it floats have no fractions
    return (uint32_t)(int32_t)(y < 0.0f ? -size : size);
}

static inline uint32_t folded(fold_rule rule, uint32_t held, uint32_t word, bool first, float scale)
{
    bool is_float = rule == MIN_F32 || rule == MAX_F32;
    switch (rule) {
    case ADD_F32:
        return word_of(f32_of(held) + f32_of(word));
    case ADD_EXACT:
        return held + multiple_of(f32_of(word), scale);
    case ADD_I32:
        return held + word;
    case MIN_F32:
    case MIN_I32:
        return first || mr_order_key(word, is_float) < mr_order_key(held, is_float) ? word : held;
    case MAX_F32:
    case MAX_I32:
        return first || mr_order_key(word, is_float) > mr_order_key(held, is_float) ? word : held;
    case ADD_I64:
    case SET:
        break;
    }
    return word;
}

static inline void fold_one(const mr_place_fold *s, fold_rule rule, const bucket *b, size_t place,
                            size_t source)
{
    const uint32_t *restrict from = s->from + source * s->words;
    uint32_t *restrict to = s->to + place * s->words;
    bool first = s->hits[place] == 0, newest = source + 1 >= (size_t)(uint32_t)s->last[place];
    if (rule == ADD_I64) {
        int64_t *sums = b->sums + (place - b->first) * s->words;
        for (size_t k = 0; k < s->words; k++) {
            sums[k] += (int32_t)from[k];
        }
    } else if (rule != SET || newest) {
        for (size_t k = 0; k < s->words; k++) {
            to[k] = folded(rule, to[k], from[k], first, s->scale);
        }
    }
    s->hits[place] = (int32_t)((uint32_t)s->hits[place] + 1u);
    s->last[place] = newest ? (int32_t)(source + 1) : s->last[place];
}

// A bucket's sources lie far apart: they are asked for before it is their turn.
static inline void ask_for(const mr_place_fold *s, const bucket *b, size_t i)
{
    if (b->pairs && i + AHEAD < b->count) {
        __builtin_prefetch(s->from + (size_t)(b->pairs[i + AHEAD] >> 32) * s->words);
    }
}

static inline void fold_some(const mr_place_fold *s, fold_rule rule, const bucket *b, size_t begin,
                             size_t end)
{
    for (size_t i = begin; i < end; i++) {
        size_t place = b->pairs ? (uint32_t)b->pairs[i] : (uint32_t)s->index[i];
        ask_for(s, b, i);
        if (place < s->places) {
            fold_one(s, rule, b, place, b->pairs ? (size_t)(b->pairs[i] >> 32) : i);
        }
    }
}

// The rule is a constant in each of the calls, so that each becomes a loop of its own.
static void fold_by_rule(const mr_place_fold *s, fold_rule rule, const bucket *b, size_t begin, size_t end)
{
    switch (rule) {
    case ADD_F32:
        fold_some(s, ADD_F32, b, begin, end);
        break;
    case ADD_EXACT:
        fold_some(s, ADD_EXACT, b, begin, end);
        break;
    case ADD_I32:
        fold_some(s, ADD_I32, b, begin, end);
        break;
    case ADD_I64:
        fold_some(s, ADD_I64, b, begin, end);
        break;
    case MIN_F32:
        fold_some(s, MIN_F32, b, begin, end);
        break;
    case MAX_F32:
        fold_some(s, MAX_F32, b, begin, end);
        break;
    case MIN_I32:
        fold_some(s, MIN_I32, b, begin, end);
        break;
    case MAX_I32:
        fold_some(s, MAX_I32, b, begin, end);
        break;
    case SET:
        fold_some(s, SET, b, begin, end);
        break;
    }
}

static void init_places(const mr_place_fold *s, const bucket *b)
{
    size_t count = b->end - b->first;
    memset(s->to + b->first * s->words, 0, count * s->words * sizeof *s->to);
    memset(s->hits + b->first, 0, count * sizeof *s->hits);
    memset(s->last + b->first, 0, count * sizeof *s->last);
}

static uint32_t finished(const mr_place_fold *s, fold_rule rule, uint32_t word, int32_t hits)
{
    bool mean = s->fold == MR_PLACE_MEAN;
    if (rule == ADD_I32) {
        return mean ? (uint32_t)((int32_t)word / hits) : word;
    }
    float sum = rule == ADD_EXACT ? (float)(int32_t)word / s->scale : f32_of(word);
    return word_of(mean ? sum / (float)hits : sum);
}

static void finish_places(const mr_place_fold *s, fold_rule rule, const bucket *b)
{
    bool divides = s->fold == MR_PLACE_MEAN || rule == ADD_EXACT;
    for (size_t place = b->first; divides && place < b->end; place++) {
        int32_t hits = s->hits[place];
        for (size_t k = 0; hits > 0 && k < s->words; k++) {
            uint32_t *word = &s->to[place * s->words + k];
            *word = rule == ADD_I64 ? (uint32_t)(b->sums[(place - b->first) * s->words + k] / hits)
                                    : finished(s, rule, *word, hits);
        }
    }
}

static bool take_sums(const job *j, bucket *b, mr_error *error)
{
    size_t size;
    if (j->rule != ADD_I64) {
        return true;
    }
    if (!mr_size_multiply((b->end - b->first) * sizeof(int64_t), j->scatter->words, &size)) {
        return mr_fail(error, MR_LIMIT, "sums of %zu places are past what memory can hold",
                       b->end - b->first);
    }
    b->sums = mr_buffer_take(j->context, size, error);
    if (b->sums) {
        memset(b->sums, 0, size);
    }
    return b->sums != NULL;
}

static bool run_bucket(const job *j, bucket b, mr_error *error)
{
    if (!take_sums(j, &b, error)) {
        return false;
    }
    bool good = true;
    if (j->stages & MR_PLACE_INIT) {
        init_places(j->scatter, &b);
    }
    for (size_t i = 0; (j->stages & MR_PLACE_WORK) && i < b.count && good; i += CHECK) {
        size_t end = b.count - i < CHECK ? b.count : i + CHECK;
        fold_by_rule(j->scatter, j->rule, &b, i, end);
        good = mr_keep_going(j->context, error);
    }
    if (j->stages & MR_PLACE_FINISH) {
        finish_places(j->scatter, j->rule, &b);
    }
    mr_buffer_release(j->context, b.sums);
    return good;
}

static bool run_buckets(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    bool good = true;
    for (size_t i = begin; i < end && good; i++) {
        bucket b = { .first = i << j->shift, .end = (i + 1) << j->shift };
        b.end = b.end < j->scatter->places ? b.end : j->scatter->places;
        if (j->pairs) {
            b.pairs = j->pairs + j->starts[i];
            b.count = j->starts[i + 1] - j->starts[i];
        }
        good = run_bucket(j, b, error);
    }
    return good;
}

static bool make_keys(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const int32_t *restrict index = j->scatter->index;
    uint32_t *restrict keys = j->keys;
    const uint32_t places = (uint32_t)j->scatter->places;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        uint32_t place = (uint32_t)index[i];
        keys[i] = place < places ? place : places;
    }
    return true;
}

// Large buckets, so that a bucket's sources lie near each other, but enough for every thread, and not past the caches.
static void choose_buckets(job *j)
{
    size_t wanted = (size_t)mr_context_threads(j->context) * BUCKETS_A_THREAD, places = j->scatter->places;
    size_t bytes = (j->scatter->words + 2) * sizeof(uint32_t);
    unsigned shift = 0;
    while (places >> shift >= MR_SORT_BUCKETS ||
           (places >> (shift + 1) >= wanted && bytes << (shift + 1) <= BUCKET_BYTES)) {
        shift++;
    }
    j->shift = shift;
    j->buckets = 1;
    while (j->buckets <= places >> shift) {
        j->buckets *= 2;
    }
}

static bool deal(job *j, uint64_t *pairs, size_t *starts, mr_error *error)
{
    size_t count = j->scatter->count;
    j->keys = mr_buffer_take(j->context, count * sizeof *j->keys, error);
    bool good = j->keys && mr_parallel_for(j->context, count, GRAIN, make_keys, j, error) &&
                mr_sort_partition(j->context, j->keys, count, j->shift, j->buckets, pairs, starts, error);
    mr_buffer_release(j->context, j->keys);
    j->pairs = pairs;
    j->starts = starts;
    return good;
}

bool mr_fold_into_places(mr_context *context, const mr_place_fold *scatter, unsigned stages, mr_error *error)
{
    job j = { .context = context, .scatter = scatter, .stages = stages, .rule = rule_of(scatter, stages) };
    size_t count = stages & MR_PLACE_WORK ? scatter->count : 0;
    if (count + scatter->places <= FEW) {
        return run_bucket(&j, (bucket){ .end = scatter->places, .count = count }, error);
    }
    choose_buckets(&j);
    uint64_t *pairs = NULL;
    size_t *starts = NULL;
    bool good = true;
    if (count > 0) {
        pairs = mr_buffer_take(context, count * sizeof *pairs, error);
        starts = pairs ? mr_buffer_take(context, (j.buckets + 1) * sizeof *starts, error) : NULL;
        good = starts && deal(&j, pairs, starts, error);
    }
    good = good && mr_parallel_for(context, (scatter->places >> j.shift) + 1, 1, run_buckets, &j, error);
    mr_buffer_release(context, starts);
    mr_buffer_release(context, pairs);
    return good;
}
