// num/hash.h: the hashes every random choice comes from, and how their words become numbers.
//
// All arithmetic is on 32-bit words that wrap round. docs/noise.md says each hash with test vectors; none of them may
// ever change. Inline, because kernels compiled per instruction set use them in their loops.

#ifndef MARRAM_NUM_HASH_H
#define MARRAM_NUM_HASH_H

#include "base/text.h"

// O'Neill's PCG output function over one LCG step (RXS-M-XS).
static inline uint32_t mr_pcg(uint32_t v)
{
    uint32_t s = v * 747796405u + 2891336453u;
    uint32_t w = ((s >> ((s >> 28) + 4u)) ^ s) * 277803737u;
    return (w >> 22) ^ w;
}

typedef struct mr_words2 {
    uint32_t x, y;
} mr_words2;
typedef struct mr_words3 {
    uint32_t x, y, z;
} mr_words3;
typedef struct mr_words4 {
    uint32_t x, y, z, w;
} mr_words4;

// Jarzynski and Olano 2020, "Hash Functions for GPU Rendering".
static inline mr_words2 mr_pcg2d(uint32_t x, uint32_t y)
{
    x = x * 1664525u + 1013904223u;
    y = y * 1664525u + 1013904223u;
    x += y * 1664525u;
    y += x * 1664525u;
    x ^= x >> 16;
    y ^= y >> 16;
    x += y * 1664525u;
    y += x * 1664525u;
    x ^= x >> 16;
    y ^= y >> 16;
    return (mr_words2){ x, y };
}

static inline mr_words3 mr_pcg3d(uint32_t x, uint32_t y, uint32_t z)
{
    x = x * 1664525u + 1013904223u;
    y = y * 1664525u + 1013904223u;
    z = z * 1664525u + 1013904223u;
    x += y * z;
    y += z * x;
    z += x * y;
    x ^= x >> 16;
    y ^= y >> 16;
    z ^= z >> 16;
    x += y * z;
    y += z * x;
    z += x * y;
    return (mr_words3){ x, y, z };
}

static inline mr_words4 mr_pcg4d(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    x = x * 1664525u + 1013904223u;
    y = y * 1664525u + 1013904223u;
    z = z * 1664525u + 1013904223u;
    w = w * 1664525u + 1013904223u;
    x += y * w;
    y += z * x;
    z += x * y;
    w += y * z;
    x ^= x >> 16;
    y ^= y >> 16;
    z ^= z >> 16;
    w ^= w >> 16;
    x += y * w;
    y += z * x;
    z += x * y;
    w += y * z;
    return (mr_words4){ x, y, z, w };
}

// Lattice hashes: a negative coordinate is its two's-complement word, and the seed is one more coordinate.
static inline uint32_t mr_hash1(int32_t x, uint32_t seed)
{
    return mr_pcg2d((uint32_t)x, seed).x;
}
static inline mr_words3 mr_hash2(int32_t x, int32_t y, uint32_t seed)
{
    return mr_pcg3d((uint32_t)x, (uint32_t)y, seed);
}
static inline mr_words4 mr_hash3(int32_t x, int32_t y, int32_t z, uint32_t seed)
{
    return mr_pcg4d((uint32_t)x, (uint32_t)y, (uint32_t)z, seed);
}

// The i-th whole number of a seed, for what is numbered rather than drawn in turn.
static inline uint32_t mr_random(uint32_t seed, uint32_t i)
{
    return mr_pcg(mr_pcg(seed) + i);
}

// [0, 1) by the top 24 bits, exact.
static inline float mr_to_unit(uint32_t h)
{
    return (float)(h >> 8) * 0x1p-24f;
}
// [-1, 1) by the top 24 bits, exact.
static inline float mr_to_signed(uint32_t h)
{
    return (float)(h >> 8) * 0x1p-23f - 1.0f;
}

// mr_to_signed(u) times ratio once for each low set bit of coin up to the first clear one, at most cap times: a
// power-law tail of index log 2 / log ratio.
float mr_heavy_signed(uint32_t u, uint32_t coin, float ratio, uint32_t cap);

// XXH32 with seed 0, the number of a name (a rule's, a design's).
uint32_t mr_name_hash(mr_view name);

// The rand family, which fields and kernels share: FNV-1a over bytes, then an avalanche.

#define MR_FNV_BASIS 2166136261u
#define MR_FNV_PRIME 16777619u

// Folds a word's four bytes into a running FNV-1a hash, the lowest first.
static inline uint32_t mr_fnv_u32(uint32_t hash, uint32_t word)
{
    hash = (hash ^ (word & 255u)) * MR_FNV_PRIME;
    hash = (hash ^ ((word >> 8) & 255u)) * MR_FNV_PRIME;
    hash = (hash ^ ((word >> 16) & 255u)) * MR_FNV_PRIME;
    return (hash ^ (word >> 24)) * MR_FNV_PRIME;
}

// Folds a text: its bytes, then its length as a word, so that ("ab", "c") and ("a", "bc") differ.
uint32_t mr_fnv_text(uint32_t hash, mr_view text);

// The finisher of MurmurHash3 (Appleby).
static inline uint32_t mr_avalanche(uint32_t h)
{
    h ^= h >> 16;
    h *= 2246822507u;
    h ^= h >> 13;
    h *= 3266489909u;
    return h ^ (h >> 16);
}

// The prefix of a seed, to which further scopes (words or texts) may be folded.
static inline uint32_t mr_rand_prefix(uint32_t seed)
{
    return mr_fnv_u32(MR_FNV_BASIS, seed);
}
// An element's word and its unit number under a prefix.
static inline uint32_t mr_rand_word(uint32_t prefix, uint32_t element)
{
    return mr_avalanche(mr_fnv_u32(prefix, element));
}
static inline float mr_rand_unit(uint32_t prefix, uint32_t element)
{
    return mr_to_unit(mr_rand_word(prefix, element));
}

// The seeded forms: [0, 1); low + (high - low) * u; and three numbers for one element (its word folded, then 0, 1, 2).
static inline float mr_rand(uint32_t seed, uint32_t element)
{
    return mr_rand_unit(mr_rand_prefix(seed), element);
}
static inline float mr_rand_range(uint32_t seed, uint32_t element, float low, float high)
{
    return low + (high - low) * mr_rand(seed, element);
}
static inline void mr_rand3(uint32_t seed, uint32_t element, float out[3])
{
    uint32_t prefix = mr_fnv_u32(mr_rand_prefix(seed), element);
    for (uint32_t k = 0; k < 3; k++) {
        out[k] = mr_rand_unit(prefix, k);
    }
}

#endif
