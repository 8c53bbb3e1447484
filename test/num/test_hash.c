// The hashes against their published vectors, a second implementation, and the statistics a hash must have.

#include "num/hash.h"
#include "support.h"

#include <math.h>

static void pcg_family_gives_the_published_vectors(void **state)
{
    static const uint32_t pcg[][2] = { { 0, 129708002u },           { 1, 2831084092u },
                                       { 2, 2055130248u },          { 0xffffffffu, 3861530882u },
                                       { 123456789u, 4272394698u }, { 0xdeadbeefu, 1730779506u } };
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(mr_pcg(pcg[i][0]), pcg[i][1]);
    }
    mr_words2 a = mr_pcg2d(0, 0), b = mr_pcg2d(1, 2), c = mr_pcg2d(0xffffffffu, 7);
    assert_true(a.x == 417608103u && a.y == 90043601u);
    assert_true(b.x == 45825804u && b.y == 214070181u);
    assert_true(c.x == 1216683889u && c.y == 3974706342u);
    mr_words3 d = mr_pcg3d(0, 0, 0), e = mr_pcg3d(1, 2, 3);
    assert_true(d.x == 2611992518u && d.y == 2833812075u && d.z == 1058359340u);
    assert_true(e.x == 4204755366u && e.y == 1223881804u && e.z == 1500469937u);
    mr_words4 f = mr_pcg4d(0, 0, 0, 0), g = mr_pcg4d(1, 2, 3, 4);
    assert_true(f.x == 251852841u && f.y == 760645481u && f.z == 850445371u && f.w == 3542436074u);
    assert_true(g.x == 908250390u && g.y == 4044648920u && g.z == 3775961919u && g.w == 45698095u);
}

static void lattice_hashes_give_the_published_vectors(void **state)
{
    assert_int_equal(mr_hash1(5, 42), 2143355903u);
    assert_int_equal(mr_hash1(-3, 42), 3094598621u);
    mr_words3 a = mr_hash2(-2, 9, 42);
    assert_true(a.x == 3424231864u && a.y == 1126664629u && a.z == 2105803023u);
    mr_words4 b = mr_hash3(1, -1, 2, 42);
    assert_true(b.x == 1190010999u && b.y == 1950562044u && b.z == 2919536075u && b.w == 2058105507u);
}

static void words_become_numbers_exactly(void **state)
{
    assert_true(mr_to_unit(0) == 0.0f);
    assert_true(mr_to_unit(0x80000000u) == 0.5f);
    assert_true(mr_to_unit(0xffffffffu) == 1.0f - 0x1p-24f);
    assert_true(mr_to_unit(0xffu) == 0.0f);
    assert_true(mr_to_signed(0) == -1.0f);
    assert_true(mr_to_signed(0x80000000u) == 0.0f);
    assert_true(mr_to_signed(0xffffffffu) == 1.0f - 0x1p-23f);
    const uint32_t u = 0xC0000000u, ones = 0xffffffffu;
    assert_true(mr_heavy_signed(u, 0, 2, 5) == 0.5f);
    assert_true(mr_heavy_signed(u, 7, 2, 5) == 4.0f);
    assert_true(mr_heavy_signed(u, 0xB, 2, 5) == 2.0f);
    assert_true(mr_heavy_signed(u, ones, 2, 5) == 16.0f);
    assert_true(mr_heavy_signed(u, ones, 2, 0) == 0.5f);
    assert_true(mr_heavy_signed(u, 3, 1.5f, 5) == 1.125f);
}

static void random_is_a_pcg_of_a_pcg(void **state)
{
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(mr_random(0xdeadbeefu, i), mr_pcg(1730779506u + i));
    }
}

static void name_hash_gives_the_xxh32_vectors(void **state)
{
    assert_int_equal(mr_name_hash(mr_view_of("")), 0x02cc5d05u);
    assert_int_equal(mr_name_hash((mr_view){ NULL, 0 }), 0x02cc5d05u);
    assert_int_equal(mr_name_hash(mr_view_of("a")), 0x550d7456u);
    assert_int_equal(mr_name_hash(mr_view_of("abc")), 0x32d153ffu);
}

// FNV-1a over bytes, as its authors publish it.
static uint32_t slow_fnv(uint32_t hash, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash ^= bytes[i];
        hash = (uint32_t)(((uint64_t)hash * 16777619) % (UINT64_C(1) << 32));
    }
    return hash;
}

static void fnv_folds_the_bytes_of_words_lowest_first(void **state)
{
    assert_int_equal(slow_fnv(MR_FNV_BASIS, (const uint8_t *)"a", 1), 0xe40c292cu);
    assert_int_equal(slow_fnv(MR_FNV_BASIS, (const uint8_t *)"foobar", 6), 0xbf9cf968u);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t word = mr_pcg(i);
        uint8_t bytes[4] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                             (uint8_t)(word >> 24) };
        assert_int_equal(mr_fnv_u32(MR_FNV_BASIS, word), slow_fnv(MR_FNV_BASIS, bytes, 4));
    }
    uint8_t text[] = { 'f', 'o', 'o', 'b', 'a', 'r', 6, 0, 0, 0 };
    assert_int_equal(mr_fnv_text(MR_FNV_BASIS, mr_view_of("foobar")), slow_fnv(MR_FNV_BASIS, text, 10));
    assert_int_not_equal(mr_fnv_text(mr_fnv_text(7, mr_view_of("ab")), mr_view_of("c")),
                         mr_fnv_text(mr_fnv_text(7, mr_view_of("a")), mr_view_of("bc")));
}

static void rand_gives_the_written_vectors(void **state)
{
    assert_int_equal(mr_avalanche(0), 0);
    assert_int_equal(mr_avalanche(1), 0x514e28b7u);
    // docs/noise.md
    assert_int_equal(mr_rand_prefix(0), 0x4b95f515u);
    assert_int_equal(mr_rand_word(mr_rand_prefix(0), 0), 0xbb10dc19u);
    assert_int_equal(mr_rand_word(mr_rand_prefix(7), 1), 0xa26fce56u);
    assert_int_equal(mr_rand_word(mr_rand_prefix(0xffffffffu), 0xffffffffu), 0x1fbca3d7u);
    for (uint32_t i = 0; i < 1000; i++) {
        uint8_t bytes[12] = { 5, 0, 0, 0, (uint8_t)i, (uint8_t)(i >> 8), 0, 0, 2, 0, 0, 0 };
        float unit = mr_to_unit(mr_avalanche(slow_fnv(MR_FNV_BASIS, bytes, 8)));
        assert_true(mr_rand(5, i) == unit);
        assert_true(mr_rand_range(5, i, -0.5f, 0.5f) == -0.5f + unit);
        float three[3];
        mr_rand3(5, i, three);
        assert_true(three[2] == mr_to_unit(mr_avalanche(slow_fnv(MR_FNV_BASIS, bytes, 12))));
    }
}

// A hash of two words to one, for the statistics.
typedef uint32_t (*hash_of_two)(uint32_t a, uint32_t b);
static uint32_t two_rand(uint32_t a, uint32_t b)
{
    return mr_rand_word(mr_rand_prefix(a), b);
}
static uint32_t two_random(uint32_t a, uint32_t b)
{
    return mr_random(a, b);
}

// The chance that flipping an input bit flips an output bit, for every pair; inputs are small numbers, as they are in use.
static void assert_avalanche(hash_of_two hash, double bound)
{
    enum { SAMPLES = 4096 };
    for (int in = 0; in < 64; in++) {
        uint32_t flips[32] = { 0 };
        for (uint32_t s = 0; s < SAMPLES; s++) {
            uint32_t a = s & 63u, b = s >> 6;
            uint32_t before = hash(a, b);
            uint32_t after = in < 32 ? hash(a ^ (1u << in), b) : hash(a, b ^ (1u << (in - 32)));
            for (int out = 0; out < 32; out++) {
                flips[out] += ((before ^ after) >> out) & 1u;
            }
        }
        for (int out = 0; out < 32; out++) {
            double rate = (double)flips[out] / SAMPLES;
            if (fabs(rate - 0.5) > bound) {
                fail_msg("input bit %d flips output bit %d at a rate of %d/1000", in, out,
                         (int)(rate * 1000));
            }
        }
    }
}

static void flipping_any_input_bit_flips_half_the_output(void **state)
{
    assert_avalanche(two_random, 0.1);
    assert_avalanche(two_rand, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pcg_family_gives_the_published_vectors),
        cmocka_unit_test(lattice_hashes_give_the_published_vectors),
        cmocka_unit_test(words_become_numbers_exactly),
        cmocka_unit_test(random_is_a_pcg_of_a_pcg),
        cmocka_unit_test(name_hash_gives_the_xxh32_vectors),
        cmocka_unit_test(fnv_folds_the_bytes_of_words_lowest_first),
        cmocka_unit_test(rand_gives_the_written_vectors),
        cmocka_unit_test(flipping_any_input_bit_flips_half_the_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
