// Keys and bucket spans of the spatial hash, against their definitions worked out slowly.

#include "hash_support.h"

static void a_cell_is_the_floor_of_the_rounded_product(void **state)
{
    assert_int_equal(mr_hash_cell_along(0.0f, 1), 0);
    assert_int_equal(mr_hash_cell_along(-0.0f, 1), 0);
    assert_int_equal(mr_hash_cell_along(-0x1p-149f, 1), -1);
    assert_int_equal(mr_hash_cell_along(-1.0f, 1), -1);
    assert_int_equal(mr_hash_cell_along(-1.5f, 2), -3);
    assert_int_equal(mr_hash_cell_along(8388609.0f, 1), 8388609);
    assert_int_equal(mr_hash_cell_along(INFINITY, 1), 2147483520);
    assert_int_equal(mr_hash_cell_along(2147483648.0f, 1), 2147483520);
    assert_int_equal(mr_hash_cell_along(-INFINITY, 1), INT32_MIN);
    assert_int_equal(mr_hash_cell_along(NAN, 1), INT32_MIN);
    assert_int_equal(mr_hash_cell_along(3e38f, 3e38f), 2147483520);
}

static void cells_keep_the_order_of_positions(void **state)
{
    test_random random = { 3 };
    for (size_t n = 0; n < test_count(100000); n++) {
        uint32_t bits = test_u32(&random);
        float inv_cell = (float)test_between(&random, 0.01, 5), low;
        memcpy(&low, &bits, 4);
        float high =
            test_below(&random, 2) ? nextafterf(low, INFINITY) : (float)test_between(&random, -1e10, 1e10);
        if (low <= high) {
            assert_true(mr_hash_cell_along(low, inv_cell) <= mr_hash_cell_along(high, inv_cell));
        }
    }
}

// docs/noise.md's vectors.
static void buckets_are_those_of_the_page(void **state)
{
    static const struct {
        mr_hash_cell cell;
        uint32_t bucket;
    } vectors[] = {
        { { 0, 0, 0 }, 274855 },
        { { -1, 0, 0 }, 274854 },
        { { 7, 1, 2 }, 737043 },
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        assert_int_equal(mr_hash_bucket(vectors[i].cell, 0x100000u), vectors[i].bucket);
    }
}

static void keys_are_the_buckets_of_cells(void **state)
{
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(4000); n++) {
        cloud c = cloud_of(&random, size_of(&random));
        uint32_t buckets = n % 50 ? buckets_for(&random) : 1u << 29, live = (uint32_t)c.count;
        float inv_cell = 1.0f / c.side;
        kernel_test t;
        test_kernel(&t, contexts[n % context_count], "hash", c.count);
        assert_true(test_bind(&t, "pts", MR_COLUMN_VEC3, c.xyz, c.count));
        test_number(&t, "buckets", buckets);
        test_number(&t, "inv_cell", (double)inv_cell);
        if (n % 3 == 0) {
            live = test_below(&random, live + 1);
            assert_true(test_live(&t, live));
        }
        test_run(&t);
        const mr_column *keys = test_found(&t, "keys");
        assert_int_equal(keys->count, c.count);
        for (size_t i = 0; i < c.count; i++) {
            assert_int_equal(keys->u32[i],
                             i < live ? slow_bucket(c.xyz + 3 * i, buckets, inv_cell) : 0x7fffffffu);
        }
        test_end(&t);
        free(c.xyz);
    }
}

static void starts_are_the_spans_of_equal_keys(void **state)
{
    test_random random = { 2 };
    for (size_t n = 0; n < test_count(6000); n++) {
        size_t count = size_of(&random);
        uint32_t buckets = 1 + test_below(&random, test_below(&random, 2) ? 8 : 600),
                 *keys = malloc(count * 4 + 4);
        uint32_t few = test_below(&random, buckets) + 1;
        for (size_t i = 0; i < count; i++) {
            keys[i] = test_below(&random, 9) ? test_below(&random, few) : 0x7fffffffu;
        }
        slow_index s = slow_index_of(keys, count, buckets);
        kernel_test t;
        test_kernel(&t, contexts[n % context_count], "hash_starts", buckets);
        assert_true(test_bind(&t, "keys", MR_COLUMN_UINT, keys, count));
        assert_true(test_bind(&t, "order", MR_COLUMN_UINT, s.order, count));
        test_number(&t, "points", (double)count);
        test_run(&t);
        assert_memory_equal(test_found(&t, "range")->u32, s.range, 2 * (size_t)buckets * 4);
        test_end(&t);
        slow_index_free(&s);
        free(keys);
    }
}

static void large_runs_are_the_same_on_any_threads(void **state)
{
    enum { COUNT = 70001, BUCKETS = 1 << 15 };
    test_random random = { 4 };
    float *points = malloc(3 * COUNT * sizeof(float));
    uint32_t *order = malloc(COUNT * 4), *starts = calloc(BUCKETS + 2, 4), *keys = malloc(COUNT * 4),
             *range = malloc(8 * BUCKETS);
    for (size_t i = 0; i < 3 * COUNT; i++) {
        points[i] = (float)test_between(&random, -20, 20);
    }
    for (size_t i = 0; i < COUNT; i++) {
        starts[slow_bucket(points + 3 * i, BUCKETS, 0.8f) + 1]++;
    }
    for (size_t k = 0; k < BUCKETS; k++) {
        starts[k + 1] += starts[k];
        range[2 * k] = starts[k];
    }
    for (size_t i = 0; i < COUNT; i++) {
        order[starts[slow_bucket(points + 3 * i, BUCKETS, 0.8f)]++] = (uint32_t)i;
    }
    for (size_t k = 0; k < BUCKETS; k++) {
        range[2 * k + 1] = starts[k];
    }
    for (size_t k = 0; k < context_count; k++) {
        mr_error error;
        uint32_t *found = malloc(8 * BUCKETS);
        test_assert_ok(mr_hash_keys(contexts[k], points, COUNT, BUCKETS, 0.8f, keys, &error), &error);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(keys[i], slow_bucket(points + 3 * i, BUCKETS, 0.8f));
        }
        test_assert_ok(mr_hash_starts(contexts[k], keys, order, COUNT, BUCKETS, found, &error), &error);
        assert_memory_equal(found, range, 8 * BUCKETS);
        free(found);
    }
    free(points);
    free(order);
    free(starts);
    free(keys);
    free(range);
}

static void bad_input_is_refused_by_name(void **state)
{
    static const uint32_t keys[] = { 3, 1, 2 }, order[] = { 0, 1, 2 }, strange[] = { 1, 3, 0 };
    kernel_test t;
    test_kernel(&t, contexts[0], "hash", 0);
    test_number(&t, "buckets", 3);
    test_number(&t, "inv_cell", 1);
    assert_true(test_bind(&t, "pts", MR_COLUMN_VEC3, NULL, 0));
    test_refused(&t, "power of two");
    t.uniforms[0].value[0] = 0;
    test_refused(&t, "buckets");
    t.uniforms[0].value[0] = 0x1p30;
    test_refused(&t, "buckets");
    t.uniforms[0].value[0] = 4;
    for (size_t i = 0; i < 4; i++) {
        t.uniforms[1].value[0] = (double[]){ 0, -1, NAN, INFINITY }[i];
        test_refused(&t, "inv_cell");
    }
    test_end(&t);
    test_kernel(&t, contexts[0], "hash_starts", 4);
    test_number(&t, "points", 3);
    assert_true(test_bind(&t, "keys", MR_COLUMN_UINT, keys, 3));
    assert_true(test_bind(&t, "order", MR_COLUMN_UINT, order, 3));
    test_refused(&t, "binding order does not sort keys");
    memcpy(t.bind[1].column->u32, strange, sizeof strange);
    test_refused(&t, "binding order names point 3");
    t.uniforms[0].value[0] = 4;
    test_refused(&t, "keys");
    test_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_the_floor_of_the_rounded_product),
        cmocka_unit_test(cells_keep_the_order_of_positions),
        cmocka_unit_test(buckets_are_those_of_the_page),
        cmocka_unit_test(keys_are_the_buckets_of_cells),
        cmocka_unit_test(starts_are_the_spans_of_equal_keys),
        cmocka_unit_test(large_runs_are_the_same_on_any_threads),
        cmocka_unit_test(bad_input_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, contexts_begin, contexts_end);
}
