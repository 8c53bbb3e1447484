// num/stream.h: the sequential random stream, the same to the bit on every machine. docs/noise.md has its vectors.

#ifndef MARRAM_NUM_STREAM_H
#define MARRAM_NUM_STREAM_H

#include "num/hash.h"

// One word of state: it moves by a fixed step at each draw, and what is drawn is a hash of it, so the n-th draw can be
// had without those before it. A copy of the struct is a second stream that draws the same numbers.
typedef struct mr_stream {
    uint32_t state;
} mr_stream;

#define MR_STREAM_STEP 0x9e3779b9u
#define MR_STREAM_SALT 0x85ebca6bu

static inline mr_stream mr_stream_init(uint32_t seed, uint32_t salt)
{
    return (mr_stream){ mr_pcg(seed ^ (salt * MR_STREAM_SALT)) };
}

// The next whole number, 0..4294967295.
static inline uint32_t mr_stream_next(mr_stream *stream)
{
    stream->state += MR_STREAM_STEP;
    return mr_pcg(stream->state);
}

// From 0 up to, not including, 1: the top 24 bits of a draw, exact in f32.
static inline float mr_stream_unit(mr_stream *stream)
{
    return mr_to_unit(mr_stream_next(stream));
}

// a + (b - a) * u, each step rounded to f32 in that order. b itself can come out through that rounding.
static inline float mr_stream_uniform(mr_stream *stream, float a, float b)
{
    float u = mr_stream_unit(stream);
    return a + (b - a) * u;
}

// A draw modulo n: 0..n - 1. n = 0 takes its draw too and answers 0.
static inline uint32_t mr_stream_below(mr_stream *stream, uint32_t n)
{
    uint32_t word = mr_stream_next(stream);
    return n ? word % n : 0;
}

// The stream after `draws` more draws.
static inline mr_stream mr_stream_skip(mr_stream stream, uint32_t draws)
{
    return (mr_stream){ stream.state + draws * MR_STREAM_STEP };
}

// The word that the draw `index` (from 0) from here will give; the stream stays where it is.
static inline uint32_t mr_stream_word_at(mr_stream stream, uint32_t index)
{
    return mr_pcg(stream.state + (index + 1u) * MR_STREAM_STEP);
}

#endif
