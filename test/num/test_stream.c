// The stream, against a second implementation written from the seed page's definition in plain 64-bit arithmetic.

#include "num/stream.h"
#include "support.h"

static uint64_t slow_pcg(uint64_t v)
{
    const uint64_t word = UINT64_C(1) << 32;
    uint64_t s = (v * 747796405 + UINT64_C(2891336453)) % word;
    uint64_t shift = (s >> 28) + 4;
    uint64_t w = (((s >> shift) ^ s) * 277803737) % word;
    return (w >> 22) ^ w;
}

static uint64_t slow_start(uint64_t seed, uint64_t salt)
{
    return slow_pcg(seed ^ ((salt * UINT64_C(0x85ebca6b)) % (UINT64_C(1) << 32)));
}

static uint64_t slow_next(uint64_t *state)
{
    *state = (*state + UINT64_C(0x9E3779B9)) % (UINT64_C(1) << 32);
    return slow_pcg(*state);
}

static void stream_starts_and_draws_the_published_words(void **state)
{
    assert_int_equal(mr_stream_init(20260520, 1).state, 0xd74ced21u);
    assert_int_equal(mr_stream_init(20260520, 2).state, 0x551b7f57u);
    assert_int_equal(mr_stream_init(20260520, 7).state, 0x0d2f2efbu);
    static const uint32_t words[] = { 0xfad727e2u, 0x207b4b1au, 0x9ddf037du, 0x2107e6e2u, 0x71837dd8u };
    mr_stream stream = mr_stream_init(20260520, 1);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(mr_stream_next(&stream), words[i]);
    }
    stream = mr_stream_init(20260520, 7);
    assert_int_equal(mr_stream_next(&stream), 0x54a32d4du);
}

static void stream_equals_the_definition_for_many_seeds_and_salts(void **state)
{
    static const uint32_t seeds[] = { 0, 1, 20260520, 0x7fffffffu, 0x80000000u, 0xffffffffu };
    static const uint32_t salts[] = { 0, 1, 7, 0x7fffffffu, 0xffffffffu };
    for (size_t s = 0; s < 6; s++) {
        for (size_t k = 0; k < 5; k++) {
            mr_stream stream = mr_stream_init(seeds[s], salts[k]);
            uint64_t slow = slow_start(seeds[s], salts[k]);
            for (int i = 0; i < 20000; i++) {
                uint64_t want = slow_next(&slow);
                if (i % 3 == 0) {
                    assert_int_equal(mr_stream_next(&stream), want);
                } else if (i % 3 == 1) {
                    assert_true(mr_stream_unit(&stream) == (float)(want / 256) / 16777216.0f);
                } else {
                    uint32_t n = (uint32_t)i * 7919u + 1u;
                    assert_int_equal(mr_stream_below(&stream, n), want % n);
                }
            }
        }
    }
}

static void uniform_rounds_each_step_to_f32(void **state)
{
    mr_stream stream = mr_stream_init(3, 4);
    uint64_t slow = slow_start(3, 4);
    for (int i = 0; i < 20000; i++) {
        float a = (float)(i % 17) * 0.3f - 2.0f, b = (float)(i % 29) * 1.7f;
        volatile float width = b - a;
        volatile float step = width * ((float)(slow_next(&slow) >> 8) * 0x1p-24f);
        volatile float want = a + step;
        assert_true(mr_stream_uniform(&stream, a, b) == want);
    }
}

static void any_draw_can_be_had_without_those_before_it(void **state)
{
    mr_stream start = mr_stream_init(99, 5), walked = start;
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(mr_stream_skip(start, i).state, walked.state);
        uint32_t ahead = mr_stream_word_at(start, i);
        assert_int_equal(ahead, mr_stream_next(&walked));
    }
    assert_int_equal(mr_stream_skip(mr_stream_skip(start, 0xffffffffu), 1).state, start.state);
}

static void below_nothing_draws_and_answers_zero(void **state)
{
    mr_stream a = mr_stream_init(1, 1), b = a;
    assert_int_equal(mr_stream_below(&a, 0), 0);
    mr_stream_next(&b);
    assert_int_equal(a.state, b.state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_starts_and_draws_the_published_words),
        cmocka_unit_test(stream_equals_the_definition_for_many_seeds_and_salts),
        cmocka_unit_test(uniform_rounds_each_step_to_f32),
        cmocka_unit_test(any_draw_can_be_had_without_those_before_it),
        cmocka_unit_test(below_nothing_draws_and_answers_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
