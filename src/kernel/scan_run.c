// kernel/scan_run.c: groups of elements scanned, in the order that scan.h states.
//
// A long group is scanned in one pass over memory: a thread takes the next span, folds it, adds that to what stands
// before the span and hands the sum on, and then scans the span while it is still in its cache.

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/scan.h"
#include "kernel/scan_block.h"

#include <sched.h>
#include <stdatomic.h>

enum { LANES = 4, SPAN = MR_SCAN_SPAN, BLOCK = MR_SCAN_BLOCK, LONG = 4 * SPAN };

MR_ISA_TABLES(mr_scan_kernels, mr_scan_kernels);

// An element's words, of which there are as many as lanes.
typedef struct element {
    int32_t words[LANES];
} element;

typedef struct scan {
    mr_context *context;
    const mr_scan_run *run;
    mr_fold_mode mode;
    int32_t (*fold)(const int32_t *from, size_t count);
    int32_t (*scan)(const mr_scan_block *block);
    size_t lanes;
    bool stream;
} scan;

static element nothing(const scan *s)
{
    int32_t word = mr_fold_identity(s->mode);
    return (element){ { word, word, word, word } };
}

static element combined(const scan *s, element a, element b)
{
    for (size_t lane = 0; lane < s->lanes; lane++) {
        a.words[lane] = mr_fold_combine(s->mode, a.words[lane], b.words[lane]);
    }
    return a;
}

// Lanes apart and together again, a block at a time. Called with the lanes known, so that the loops are vectors.
static inline void take_lanes(int32_t (*apart)[BLOCK], const int32_t *from, size_t count, size_t lanes)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t lane = 0; lane < lanes; lane++) {
            apart[lane][i] = from[i * lanes + lane];
        }
    }
}

static inline void give_lanes(int32_t (*apart)[BLOCK], int32_t *to, size_t count, size_t lanes)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t lane = 0; lane < lanes; lane++) {
            to[i * lanes + lane] = apart[lane][i];
        }
    }
}

static void part(int32_t (*apart)[BLOCK], const int32_t *from, size_t count, size_t lanes)
{
    if (lanes == 2) {
        take_lanes(apart, from, count, 2);
    } else if (lanes == 3) {
        take_lanes(apart, from, count, 3);
    } else {
        take_lanes(apart, from, count, 4);
    }
}

static void join(int32_t (*apart)[BLOCK], int32_t *to, size_t count, size_t lanes)
{
    if (lanes == 2) {
        give_lanes(apart, to, count, 2);
    } else if (lanes == 3) {
        give_lanes(apart, to, count, 3);
    } else {
        give_lanes(apart, to, count, 4);
    }
}

// The fold of a span of up to SPAN elements.
static element fold_span(const scan *s, const int32_t *from, size_t count)
{
    int32_t apart[LANES][BLOCK];
    element sum = nothing(s), own;
    for (size_t i = 0; i < count; i += BLOCK) {
        size_t size = count - i < BLOCK ? count - i : BLOCK;
        if (s->lanes > 1) {
            part(apart, from + i * s->lanes, size, s->lanes);
        }
        for (size_t lane = 0; lane < s->lanes; lane++) {
            own.words[lane] = s->fold(s->lanes > 1 ? apart[lane] : from + i, size);
        }
        sum = combined(s, sum, own);
    }
    return sum;
}

// Writes a span behind what stands before it; answers the fold of the span's own.
static element scan_span(const scan *s, const int32_t *from, int32_t *to, size_t count, element outer)
{
    int32_t apart[LANES][BLOCK];
    element inner = nothing(s), own;
    mr_scan_block block = { .exclusive = s->run->exclusive, .stream = s->stream && s->lanes == 1 };
    for (size_t i = 0; i < count; i += BLOCK) {
        block.count = count - i < BLOCK ? count - i : BLOCK;
        if (s->lanes > 1) {
            part(apart, from + i * s->lanes, block.count, s->lanes);
        }
        for (size_t lane = 0; lane < s->lanes; lane++) {
            block.from = s->lanes > 1 ? apart[lane] : from + i;
            block.to = s->lanes > 1 ? apart[lane] : to + i;
            block.outer = outer.words[lane];
            block.inner = inner.words[lane];
            own.words[lane] = s->scan(&block);
        }
        if (s->lanes > 1) {
            join(apart, to + i * s->lanes, block.count, s->lanes);
        }
        inner = combined(s, inner, own);
    }
    return inner;
}

// What an exclusive scan's group begins with, from its first element's bits.
static element first_answer(const scan *s, const int32_t *from)
{
    element first;
    for (size_t lane = 0; lane < s->lanes; lane++) {
        bool itself = s->run->op == MR_SCAN_MIN || s->run->op == MR_SCAN_MAX;
        int32_t one = s->run->element == MR_F32 ? 0x3f800000 : 1;
        first.words[lane] = itself ? mr_fold_answer(s->mode, mr_fold_word(s->mode, from[lane]))
                            : s->run->op == MR_SCAN_MUL ? one
                                                        : 0;
    }
    return first;
}

static void put_total(const scan *s, size_t group, bool empty, element total)
{
    int32_t *to = s->run->totals;
    for (size_t lane = 0; to && lane < s->lanes; lane++) {
        to[group * s->lanes + lane] = empty ? 0 : mr_fold_answer(s->mode, total.words[lane]);
    }
}

static bool is_long(const scan *s, size_t count)
{
    return count * s->lanes >= LONG && mr_context_threads(s->context) > 1;
}

// A group on one thread.
static bool scan_short(const scan *s, size_t group, size_t begin, size_t end, mr_error *error)
{
    const int32_t *from = (const int32_t *)s->run->from + begin * s->lanes;
    int32_t *to = (int32_t *)s->run->to + begin * s->lanes;
    element sum = nothing(s), first = { 0 };
    if (begin < end && s->run->exclusive) {
        first = first_answer(s, from);
    }
    for (size_t i = 0; i < end - begin; i += SPAN) {
        size_t size = end - begin - i < SPAN ? end - begin - i : SPAN;
        if (i > 0 && !mr_keep_going(s->context, error)) {
            return false;
        }
        sum = combined(s, sum, scan_span(s, from + i * s->lanes, to + i * s->lanes, size, sum));
    }
    if (begin < end && s->run->exclusive) {
        memcpy(to, first.words, s->lanes * sizeof *to);
    }
    put_total(s, group, begin == end, sum);
    return true;
}

static bool scan_groups(void *argument, size_t begin, size_t end, mr_error *error)
{
    const scan *s = argument;
    const mr_segments *segments = &s->run->segments;
    for (size_t group = begin; group < end; group++) {
        size_t first = mr_segment_begin(segments, group), last = mr_segment_end(segments, group);
        if (!is_long(s, last - first) && !scan_short(s, group, first, last, error)) {
            return false;
        }
    }
    return true;
}

// What stands before a span, handed on by whoever took the one before.
typedef struct hand {
    atomic_uint ready;
    element before;
} hand;

typedef struct long_scan {
    const scan *s;
    const int32_t *from;
    int32_t *to;
    size_t count;
    hand *hands; // one a span and one for the total
    atomic_size_t next;
} long_scan;

// Whoever took the span before is at work on it and waits for nothing but those before: it is a matter of microseconds,
// unless its thread is not running.
static element wait_for(hand *h)
{
    for (uint32_t turns = 0; !atomic_load_explicit(&h->ready, memory_order_acquire); turns++) {
        if (turns > 64) {
            sched_yield();
        }
    }
    return h->before;
}

static void hand_on(hand *h, element before)
{
    h->before = before;
    atomic_store_explicit(&h->ready, 1, memory_order_release);
}

// Spans are taken in order by whoever comes, not by the run's place, so that those who wait wait for work begun.
static bool scan_spans(void *argument, size_t begin, size_t end, mr_error *error)
{
    long_scan *l = argument;
    const scan *s = l->s;
    (void)error;
    for (; begin < end; begin++) {
        size_t span = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
        size_t at = span * SPAN, size = l->count - at < SPAN ? l->count - at : SPAN;
        element own = fold_span(s, l->from + at * s->lanes, size);
        element before = wait_for(&l->hands[span]);
        hand_on(&l->hands[span + 1], combined(s, before, own));
        scan_span(s, l->from + at * s->lanes, l->to + at * s->lanes, size, before);
    }
    return true;
}

// A group on all threads.
static bool scan_long(const scan *s, size_t group, size_t begin, size_t end, mr_error *error)
{
    size_t spans = (end - begin + SPAN - 1) / SPAN;
    long_scan l = { .s = s,
                    .from = (const int32_t *)s->run->from + begin * s->lanes,
                    .to = (int32_t *)s->run->to + begin * s->lanes,
                    .count = end - begin,
                    .hands = mr_buffer_take(s->context, (spans + 1) * sizeof(hand), error) };
    if (!l.hands) {
        return false;
    }
    for (size_t i = 0; i <= spans; i++) {
        atomic_init(&l.hands[i].ready, 0);
    }
    atomic_init(&l.next, 0);
    element first = first_answer(s, l.from);
    hand_on(&l.hands[0], nothing(s));
    bool good = mr_parallel_for(s->context, spans, 1, scan_spans, &l, error);
    if (good) {
        if (s->run->exclusive) {
            memcpy(l.to, first.words, s->lanes * sizeof *l.to);
        }
        put_total(s, group, false, l.hands[spans].before);
    }
    mr_buffer_release(s->context, l.hands);
    return good;
}

bool mr_scan(mr_context *context, const mr_scan_run *run, mr_error *error)
{
    const mr_scan_kernels *kernels = MR_ISA_PICK(mr_scan_kernels, mr_context_isa(context));
    mr_fold_mode mode = (mr_fold_mode)run->op + (run->element == MR_F32 ? MR_FOLD_ADD_F32 : MR_FOLD_ADD_I32);
    size_t groups = run->segments.count;
    scan s = { .context = context,
               .run = run,
               .mode = mode,
               .fold = kernels->fold[mode],
               .scan = kernels->scan[mode],
               .lanes = run->lanes,
               .stream = run->to != run->from && run->segments.elements >= (1 << 20) };
    for (size_t group = 0; is_long(&s, run->longest) && group < groups; group++) {
        size_t begin = mr_segment_begin(&run->segments, group), end = mr_segment_end(&run->segments, group);
        if (is_long(&s, end - begin) && !scan_long(&s, group, begin, end, error)) {
            return false;
        }
    }
    return mr_parallel_for(context, groups, mr_segments_grain(&run->segments), scan_groups, &s, error);
}
