// kernel/sort_radix.isa.c: a pass of the radix sort over one run.
//
// Elements are gathered in one line a digit and written a whole line at a time: writing each to its place directly
// touches as many pages and lines at once as there are digits, and reads every line before it writes it.

#include "kernel/sort_radix.h"

#include "base/isa.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

static void survey(const uint32_t *keys, size_t count, uint32_t mask, uint32_t first, uint32_t *differ,
                   bool *ordered)
{
    uint32_t bits = 0, falls = 0;
    for (size_t i = 0; i < count; i++) {
        bits |= keys[i] ^ first;
    }
    for (size_t i = 1; i < count; i++) {
        falls |= (uint32_t)((keys[i] & mask) < (keys[i - 1] & mask));
    }
    *differ = bits & mask;
    *ordered = falls == 0;
}

static inline uint32_t digit_of(uint32_t key, sort_digit digit)
{
    return key >> digit.shift & digit.mask;
}

static inline uint32_t key_at(const void *from, bool keys, size_t i)
{
    return keys ? ((const uint32_t *)from)[i] : (uint32_t)((const uint64_t *)from)[i];
}

// Two tables, because a digit twice in a row would have to wait for its own count to be written.
static inline void count_in(const sort_place *run, bool keys)
{
    const sort_digit digit = run->digit;
    uint32_t *restrict even = run->next, *restrict odd = run->scratch;
    memset(even, 0, digit.buckets * sizeof *even);
    memset(odd, 0, digit.buckets * sizeof *odd);
    size_t i = run->begin;
    for (; i + 2 <= run->end; i += 2) {
        even[digit_of(key_at(run->from, keys, i), digit)]++;
        odd[digit_of(key_at(run->from, keys, i + 1), digit)]++;
    }
    if (i < run->end) {
        even[digit_of(key_at(run->from, keys, i), digit)]++;
    }
    for (size_t d = 0; d < digit.buckets; d++) {
        even[d] += odd[d];
    }
}

static void count(const sort_place *run)
{
    if (run->from_keys) {
        count_in(run, true);
    } else {
        count_in(run, false);
    }
}

static inline void write_line(unsigned char *to, const unsigned char *line, bool streams)
{
#if defined(__x86_64__)
    if (streams) {
#if MARRAM_ISA_LEVEL >= 4
        _mm512_stream_si512((void *)to, _mm512_load_si512((const void *)line));
#else
        for (size_t i = 0; i < SORT_LINE; i += 16) {
            _mm_stream_si128((void *)(to + i), _mm_load_si128((const void *)(line + i)));
        }
#endif
        return;
    }
#endif
    memcpy(to, line, SORT_LINE);
}

// What was streamed is seen by whoever is told that the run is done.
static inline void finish_streams(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

// A digit's line is the aligned line of `to` that its next element goes to. The first may begin, and the last end, with
// elements of another run, which are left alone: `first` says where the digit began.
static inline void place_in(const sort_place *run, bool from_keys, bool to_pairs)
{
    const size_t size = to_pairs ? sizeof(uint64_t) : sizeof(uint32_t), across = SORT_LINE / size;
    const sort_digit digit = run->digit;
    unsigned char *restrict lines = run->scratch, *restrict to = run->to;
    uint32_t *restrict next = run->next, *restrict first = (uint32_t *)(lines + digit.buckets * SORT_LINE);
    memcpy(first, next, digit.buckets * sizeof *first);
    for (size_t i = run->begin; i < run->end; i++) {
        uint64_t pair = from_keys ? (uint64_t)i << 32 | ((const uint32_t *)run->from)[i]
                                  : ((const uint64_t *)run->from)[i];
        uint32_t d = digit_of((uint32_t)pair, digit), at = next[d];
        size_t slot = at % across;
        unsigned char *line = lines + (size_t)d * SORT_LINE;
        uint32_t index = (uint32_t)(pair >> 32);
        memcpy(line + slot * size, to_pairs ? (const void *)&pair : &index, size);
        next[d] = at + 1;
        if (slot == across - 1) {
            size_t held = at + 1 - first[d];
            if (held >= across) {
                write_line(to + (at - slot) * size, line, run->streams);
            } else {
                memcpy(to + first[d] * size, line + SORT_LINE - held * size, held * size);
            }
        }
    }
    for (size_t d = 0; d < digit.buckets; d++) {
        size_t rest = next[d] % across, held = next[d] - first[d], own = held < rest ? held : rest;
        memcpy(to + (next[d] - own) * size, lines + d * SORT_LINE + (rest - own) * size, own * size);
    }
    finish_streams();
}

static void place(const sort_place *run)
{
    if (run->from_keys) {
        if (run->to_pairs) {
            place_in(run, true, true);
        } else {
            place_in(run, true, false);
        }
    } else if (run->to_pairs) {
        place_in(run, false, true);
    } else {
        place_in(run, false, false);
    }
}

const sort_radix_kernels MR_ISA(sort_radix_kernels) = { .survey = survey, .count = count, .place = place };
