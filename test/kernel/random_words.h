// test/kernel/random_words.h: words of floats and integers with everything that is strange among them.

#ifndef MARRAM_TEST_RANDOM_WORDS_H
#define MARRAM_TEST_RANDOM_WORDS_H

#include "support.h"

#include "data/column.h"

static uint32_t word_of_f32(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static float f32_of_word(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static uint32_t random_f32(test_random *random)
{
    static const uint32_t strange[] = { 0,           0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 1,
                                        0x80000001u, 0x007fffffu, 0x7f7fffffu, 0xff7fffffu, 0x3f800000u };
    uint32_t kind = test_below(random, 6);
    if (kind == 0) {
        return strange[test_below(random, sizeof strange / sizeof *strange)];
    }
    uint32_t any = test_u32(random);
    bool nan = (any & 0x7fffffffu) > 0x7f800000u;
    return kind == 1 && !nan ? any
           : kind < 4        ? word_of_f32((float)test_below(random, 9) - 4)
                             : word_of_f32((float)test_between(random, -100, 100));
}

static uint32_t random_word(test_random *random, mr_element element)
{
    static const uint32_t strange[] = { 0, 1, UINT32_MAX, 0x80000000u, 0x7fffffffu };
    if (element == MR_F32) {
        return random_f32(random);
    }
    uint32_t kind = test_below(random, 4);
    return kind == 0   ? strange[test_below(random, 5)]
           : kind == 1 ? test_u32(random)
                       : test_below(random, 9) - (element == MR_I32 ? 4u : 0u);
}

// Whether a comes before b, by what the numbers are: NaN after every other, the zeros equal.
static bool word_before(mr_element element, uint32_t a, uint32_t b)
{
    if (element == MR_F32) {
        float x = f32_of_word(a), y = f32_of_word(b);
        return y != y ? x == x : x < y;
    }
    return element == MR_I32 ? (int32_t)a < (int32_t)b : a < b;
}

#endif
