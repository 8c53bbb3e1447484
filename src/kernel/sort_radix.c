// kernel/sort_radix.c: the passes of the radix sort.

#include "kernel/sort.h"

#include "base/isa.h"
#include "base/memory.h"
#include "base/thread.h"
#include "kernel/sort_radix.h"

#include <string.h>

MR_ISA_TABLES(sort_radix_kernels, sort_radix_kernels);

enum {
    FEW = 48,          // keys that are put in order by insertion
    BITS_OF_SHORT = 8, // of a digit, where a run is too short for more buckets to fill their lines
    SHORT = 1 << 17,   // keys
    GRAIN = 1 << 14,   // keys a run has at least
    RUNS_A_THREAD = 4, // for threads that come late
    CACHED = 1 << 20,  // bytes that a pass writes into the caches
    PASSES_MOST = 4,
};

typedef struct sorter {
    mr_context *context;
    const sort_radix_kernels *kernels;
    const uint32_t *keys;
    size_t count;
    size_t grain, runs;
    uint32_t mask;    // of the bits that are sorted by
    uint32_t *differ; // a run
    bool *ordered;    // a run
    sort_place pass;
    uint32_t *tables; // a bucket and run
} sorter;

static size_t run_of(const sorter *s, size_t begin)
{
    return mr_parallel_run_of(s->count, s->grain, begin);
}

static bool survey_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const sorter *s = argument;
    size_t run = run_of(s, begin), from = begin > 0 ? begin - 1 : 0;
    (void)error;
    s->kernels->survey(s->keys + from, end - from, s->mask, s->keys[0], &s->differ[run], &s->ordered[run]);
    return true;
}

// Looks through all the keys: the bits in which any two differ, or 0 where they are in order already.
static bool survey(sorter *s, uint32_t *differ, mr_error *error)
{
    if (!mr_parallel_for(s->context, s->count, s->grain, survey_run, s, error)) {
        return false;
    }
    bool ordered = true;
    *differ = 0;
    for (size_t run = 0; run < s->runs; run++) {
        *differ |= s->differ[run];
        ordered &= s->ordered[run];
    }
    *differ = ordered ? 0 : *differ;
    return true;
}

// Digits as few as there can be and as wide as each other, the lowest first; each begins at a bit that differs.
static size_t choose_digits(const sorter *s, uint32_t differ, sort_digit digits[PASSES_MOST])
{
    unsigned most = s->count / s->runs < SHORT ? BITS_OF_SHORT : SORT_BITS_MOST;
    unsigned span = 32u - (unsigned)__builtin_clz(differ) - (unsigned)__builtin_ctz(differ);
    unsigned bits = (span + (span + most - 1) / most - 1) / ((span + most - 1) / most);
    size_t passes = 0;
    while (differ) {
        unsigned shift = (unsigned)__builtin_ctz(differ);
        uint32_t mask = differ >> shift & ((1u << bits) - 1u);
        digits[passes++] = (sort_digit){ shift, mask, (size_t)1 << (32 - __builtin_clz(mask)) };
        differ &= ~(mask << shift);
    }
    return passes;
}

typedef void (*run_body)(const sort_place *run);

static bool with_run(const sorter *s, size_t begin, size_t end, run_body body, mr_error *error)
{
    sort_place run = s->pass;
    size_t buckets = run.digit.buckets;
    run.scratch = mr_buffer_take(s->context, buckets * (SORT_LINE + sizeof(uint32_t)), error);
    if (!run.scratch) {
        return false;
    }
    run.begin = begin;
    run.end = end;
    run.next = s->tables + run_of(s, begin) * buckets;
    body(&run);
    mr_buffer_release(s->context, run.scratch);
    return true;
}

static bool count_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const sorter *s = argument;
    return with_run(s, begin, end, s->kernels->count, error);
}

static bool place_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const sorter *s = argument;
    return with_run(s, begin, end, s->kernels->place, error);
}

// Counts into places: the first bucket's elements, run after run, then the second's.
static void sum_tables(const sorter *s)
{
    size_t buckets = s->pass.digit.buckets;
    uint32_t sum = 0;
    for (size_t d = 0; d < buckets; d++) {
        for (size_t run = 0; run < s->runs; run++) {
            uint32_t *entry = &s->tables[run * buckets + d], held = *entry;
            *entry = sum;
            sum += held;
        }
    }
}

static bool run_pass(sorter *s, mr_error *error)
{
    if (!mr_parallel_for(s->context, s->count, s->grain, count_run, s, error)) {
        return false;
    }
    sum_tables(s);
    return mr_parallel_for(s->context, s->count, s->grain, place_run, s, error);
}

// The first pass reads the keys, the last writes the permutation, and pairs go to and fro between.
static bool run_passes(sorter *s, const sort_digit *digits, size_t passes, uint32_t *permutation,
                       mr_error *error)
{
    uint64_t *pairs[2] = { NULL, NULL };
    bool good = true;
    for (size_t i = 0; i + 1 < passes && i < 2 && good; i++) {
        pairs[i] = mr_buffer_take(s->context, s->count * sizeof(uint64_t), error);
        good = pairs[i] != NULL;
    }
    for (size_t i = 0; i < passes && good; i++) {
        bool last = i + 1 == passes;
        void *to = last ? (void *)permutation : pairs[i % 2];
        bool aligned = (uintptr_t)to % SORT_LINE == 0; // a caller's own array may not be
        s->pass = (sort_place){ .from = i == 0 ? (const void *)s->keys : pairs[(i + 1) % 2],
                                .to = to,
                                .digit = digits[i],
                                .from_keys = i == 0,
                                .to_pairs = !last,
                                .streams = aligned && s->count > CACHED / sizeof(uint64_t) };
        good = run_pass(s, error);
    }
    mr_buffer_release(s->context, pairs[1]);
    mr_buffer_release(s->context, pairs[0]);
    return good;
}

static bool identity_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    uint32_t *permutation = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        permutation[i] = (uint32_t)i;
    }
    return true;
}

static bool sort_many(sorter *s, uint32_t *permutation, mr_error *error)
{
    uint32_t differ;
    if (!survey(s, &differ, error)) {
        return false;
    }
    if (!differ) {
        return mr_parallel_for(s->context, s->count, s->grain, identity_run, permutation, error);
    }
    sort_digit digits[PASSES_MOST];
    size_t passes = choose_digits(s, differ, digits), size = s->runs * sizeof *s->tables << SORT_BITS_MOST;
    s->tables = mr_buffer_take(s->context, size, error);
    bool good = s->tables && run_passes(s, digits, passes, permutation, error);
    mr_buffer_release(s->context, s->tables);
    return good;
}

static void sort_few(const uint32_t *keys, size_t count, uint32_t mask, uint32_t *permutation)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && (keys[permutation[at - 1]] & mask) > (keys[i] & mask); at--) {
            permutation[at] = permutation[at - 1];
        }
        permutation[at] = (uint32_t)i;
    }
}

static sorter sorter_of(mr_context *context, const uint32_t *keys, size_t count)
{
    size_t share = count / ((size_t)mr_context_threads(context) * RUNS_A_THREAD);
    sorter s = { .context = context,
                 .kernels = MR_ISA_PICK(sort_radix_kernels, mr_context_isa(context)),
                 .keys = keys,
                 .count = count,
                 .grain = share > GRAIN ? share : GRAIN };
    s.runs = mr_parallel_runs(count, s.grain);
    return s;
}

bool mr_sort_permutation(mr_context *context, const uint32_t *keys, size_t count, unsigned bits,
                         uint32_t *permutation, mr_error *error)
{
    uint32_t mask = bits >= 32 ? UINT32_MAX : (1u << bits) - 1u;
    if (count > UINT32_MAX) {
        return mr_fail(error, MR_LIMIT, "%zu keys are more than 32 bits can index", count);
    }
    if (count <= FEW) {
        sort_few(keys, count, mask, permutation);
        return true;
    }
    sorter s = sorter_of(context, keys, count);
    s.mask = mask;
    s.differ = mr_allocate(context, s.runs * (sizeof *s.differ + sizeof *s.ordered));
    if (!s.differ) {
        return mr_fail_memory(error, s.runs * (sizeof *s.differ + sizeof *s.ordered));
    }
    s.ordered = (bool *)(s.differ + s.runs);
    bool good = sort_many(&s, permutation, error);
    mr_free(context, s.differ);
    return good;
}

bool mr_sort_partition(mr_context *context, const uint32_t *keys, size_t count, unsigned shift,
                       size_t buckets, uint64_t *pairs, size_t *starts, mr_error *error)
{
    if (count > UINT32_MAX) {
        return mr_fail(error, MR_LIMIT, "%zu keys are more than 32 bits can index", count);
    }
    sorter s = sorter_of(context, keys, count);
    s.pass = (sort_place){ .from = keys,
                           .to = pairs,
                           .digit = { shift, (uint32_t)buckets - 1u, buckets },
                           .from_keys = true,
                           .to_pairs = true,
                           .streams = count > CACHED / sizeof *pairs };
    s.tables = mr_buffer_take(context, s.runs * buckets * sizeof *s.tables, error);
    bool good = s.tables && mr_parallel_for(context, count, s.grain, count_run, &s, error);
    if (good) {
        sum_tables(&s);
        for (size_t d = 0; d < buckets; d++) {
            starts[d] = count > 0 ? s.tables[d] : 0;
        }
        starts[buckets] = count;
        good = mr_parallel_for(context, count, s.grain, place_run, &s, error);
    }
    mr_buffer_release(context, s.tables);
    return good;
}
