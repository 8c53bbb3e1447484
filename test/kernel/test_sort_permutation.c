// The radix sort, held to a merge sort that is plain to see.

#include "support.h"

#include "base/isa.h"
#include "kernel/sort.h"

#include <math.h>

enum { LARGE = 600000 };

static uint32_t low_bits(uint32_t key, unsigned bits)
{
    return bits >= 32 ? key : key & ((1u << bits) - 1u);
}

// Merges runs of 1, 2, 4, ... that are in order; of two equal keys the earlier stands first.
static void merge_sort(const uint32_t *keys, size_t count, unsigned bits, uint32_t *permutation,
                       uint32_t *scratch)
{
    for (size_t i = 0; i < count; i++) {
        permutation[i] = (uint32_t)i;
    }
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            size_t a = begin, b = middle;
            for (size_t i = begin; i < end; i++) {
                bool left = b == end || (a < middle && low_bits(keys[permutation[a]], bits) <=
                                                           low_bits(keys[permutation[b]], bits));
                scratch[i] = permutation[left ? a++ : b++];
            }
        }
        memcpy(permutation, scratch, count * sizeof *permutation);
    }
}

// Keys of every kind: all bits, few values, a span far from 0, bits with gaps, floats' words, in order, backwards.
static void make_keys(test_random *random, uint32_t *keys, size_t count)
{
    uint32_t kind = test_below(random, 9), base = test_u32(random),
             mask = test_u32(random) & test_u32(random);
    uint32_t below = 1 + test_below(random, kind == 1 ? 4 : 3000);
    for (size_t i = 0; i < count; i++) {
        float part = (float)test_between(random, -1, 1);
        switch (kind) {
        case 0:
            keys[i] = test_u32(random);
            break;
        case 1:
        case 2:
            keys[i] = base + test_below(random, below);
            break;
        case 3:
            keys[i] = base ^ (test_u32(random) & mask);
            break;
        case 4:
            memcpy(&keys[i], &part, sizeof part);
            break;
        case 5:
            keys[i] = (uint32_t)i;
            break;
        case 6:
            keys[i] = UINT32_MAX - (uint32_t)i / 3;
            break;
        case 7:
            keys[i] = i + 1 == count ? 0 : (uint32_t)i; // in order but for the last
            break;
        default:
            keys[i] = base;
            break;
        }
    }
}

typedef struct arrays {
    uint32_t *keys, *want, *got, *scratch;
} arrays;

static arrays arrays_of(size_t count)
{
    uint32_t *memory = malloc((4 * count + 64) * sizeof *memory);
    assert_non_null(memory);
    return (arrays){ memory, memory + count, memory + 2 * count, memory + 3 * count };
}

static void check(mr_context *context, test_random *random, const arrays *a, size_t count)
{
    mr_error error = { 0 };
    unsigned bits = test_below(random, 3) ? 32 : test_below(random, 33);
    make_keys(random, a->keys, count);
    merge_sort(a->keys, count, bits, a->want, a->scratch);
    memset(a->got, 0xff, count * sizeof *a->got);
    test_assert_ok(mr_sort_permutation(context, a->keys, count, bits, a->got, &error), &error);
    assert_memory_equal(a->got, a->want, count * sizeof *a->got);
}

static void the_order_is_that_of_a_merge_sort(void **state)
{
    static const size_t edges[] = {
        0, 1, 2, 47, 48, 49, 50, 255, 256, 257, 16383, 16384, 16385, 32767, 32768
    };
    test_random random = { 1 };
    arrays a = arrays_of(40000);
    for (size_t i = 0; i < test_count(11000); i++) {
        check(*state, &random, &a,
              test_below(&random, 8) ? test_below(&random, 120) : test_below(&random, 700));
    }
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        for (size_t k = 0; k < test_count(9); k++) {
            check(*state, &random, &a, edges[i]);
        }
    }
    free(a.keys);
}

// Long enough for the widest digits and for writing past the caches, into an array that lies on a line and one that does
// not.
static void every_instruction_set_and_any_threads_give_one_order(void **state)
{
    test_random random = { 2 };
    arrays a = arrays_of(LARGE);
    uint32_t *room = aligned_alloc(64, LARGE * sizeof *room + 64);
    assert_non_null(room);
    for (size_t round = 0; round < 4; round++) {
        size_t count = LARGE - test_below(&random, 100);
        unsigned bits = round == 3 ? 13 : 32;
        make_keys(&random, a.keys, count);
        for (size_t i = 0; i < count && round < 2; i++) {
            a.keys[i] = test_u32(&random);
        }
        merge_sort(a.keys, count, bits, a.want, a.scratch);
        for (mr_isa isa = MR_ISA_BASE; isa <= mr_isa_best(); isa++) {
            for (uint32_t threads = 1; threads <= 7; threads += 6) {
                mr_context_config config = mr_context_config_default();
                mr_context *context;
                mr_error error = { 0 };
                uint32_t *got = room + (round & 1u);
                config.threads = threads;
                config.isa = mr_isa_name(isa);
                test_assert_ok(mr_context_create(&config, &context, &error), &error);
                memset(got, 0xff, count * sizeof *got);
                test_assert_ok(mr_sort_permutation(context, a.keys, count, bits, got, &error), &error);
                assert_memory_equal(got, a.want, count * sizeof *got);
                test_context_end(context);
            }
        }
    }
    free(room);
    free(a.keys);
}

// Every bucket holds its own keys and no others, in their order.
static void check_partition(mr_context *context, test_random *random, const uint32_t *keys, size_t count,
                            uint64_t *pairs)
{
    static size_t starts[MR_SORT_BUCKETS + 1];
    mr_error error = { 0 };
    unsigned bits = test_below(random, 12);
    size_t buckets = (size_t)1 << bits, at = 0;
    test_assert_ok(mr_sort_partition(context, keys, count, 31 - bits, buckets, pairs, starts, &error),
                   &error);
    assert_int_equal(starts[0], 0);
    assert_int_equal(starts[buckets], count);
    for (size_t b = 0; b < buckets; b++) {
        assert_true(starts[b] <= starts[b + 1]);
        for (size_t k = starts[b]; k < starts[b + 1]; k++, at++) {
            uint32_t key = (uint32_t)pairs[k], index = (uint32_t)(pairs[k] >> 32);
            assert_true(index < count && keys[index] == key && key >> (31 - bits) == b);
            assert_true(k == starts[b] || index > pairs[k - 1] >> 32);
        }
    }
    assert_int_equal(at, count);
}

static void a_partition_deals_keys_to_their_buckets_in_order(void **state)
{
    test_random random = { 4 };
    arrays a = arrays_of(LARGE);
    uint64_t *pairs = aligned_alloc(64, (LARGE * sizeof *pairs + 63) / 64 * 64);
    assert_non_null(pairs);
    for (size_t i = 0; i < test_count(300); i++) {
        size_t count = i == 0                   ? LARGE
                       : test_below(&random, 8) ? test_below(&random, 200)
                                                : test_below(&random, 40000);
        make_keys(&random, a.keys, count);
        for (size_t k = 0; k < count; k++) {
            a.keys[k] >>= 1;
        }
        check_partition(*state, &random, a.keys, count, pairs);
    }
    free(pairs);
    free(a.keys);
}

static void failing_memory_and_a_cancel_are_errors(void **state)
{
    test_random random = { 3 };
    arrays a = arrays_of(50000);
    mr_context *context = test_context_of(2, 0);
    mr_error error = { 0 };
    for (size_t i = 0; i < 50000; i++) {
        a.keys[i] = test_u32(&random);
    }
    bool good = false;
    for (uint64_t site = 1; !good; site++) {
        mr_buffer_trim(context);
        mr_memory_fail_after(context, site, true);
        good = mr_sort_permutation(context, a.keys, 50000, 32, a.got, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY);
        assert_true(site < 1000);
    }
    mr_context_cancel(context);
    assert_false(mr_sort_permutation(context, a.keys, 50000, 32, a.got, &error));
    assert_int_equal(error.status, MR_CANCELLED);
    mr_context_resume(context);
    size_t past = (size_t)UINT32_MAX + 1;
    assert_false(mr_sort_permutation(context, a.keys, past, 32, a.got, &error));
    assert_int_equal(error.status, MR_LIMIT);
    test_context_end(context);
    free(a.keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_order_is_that_of_a_merge_sort, test_setup, test_teardown),
        cmocka_unit_test(every_instruction_set_and_any_threads_give_one_order),
        cmocka_unit_test_setup_teardown(a_partition_deals_keys_to_their_buckets_in_order, test_setup,
                                        test_teardown),
        cmocka_unit_test(failing_memory_and_a_cancel_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
