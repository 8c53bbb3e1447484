// Every point's neighbours, against a look at every pair, and batches against walks one by one.

#include "hash_support.h"

#include "kernel/hash_batch.h"
#include "kernel/neighbour_grid.h"

static bool is_near(const cloud *c, size_t a, size_t b, float radius)
{
    const float *p = c->xyz + 3 * a, *q = c->xyz + 3 * b;
    volatile float x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    volatile float xx = x * x, yy = y * y, zz = z * z, xy = xx + yy, sum = xy + zz, limit = radius * radius;
    return sum <= limit;
}

// The list is that of the index's own walk, in its order, without the point itself.
static void assert_walk(const mr_neighbour_index *index, const mr_neighbour_lists *lists, uint32_t point)
{
    const mr_neighbour_list *list = &lists->of[point];
    mr_hash_walk walk;
    uint32_t found = 0;
    mr_hash_walk_begin(&walk, &index->hash, index->hash.points + 3 * (size_t)point, index->radius);
    for (uint32_t place; mr_hash_walk_next(&walk, &place);) {
        if (index->order[place] != point) {
            assert_true(found < list->count);
            assert_int_equal(lists->items[list->first + found++], index->order[place]);
        }
    }
    assert_int_equal(found, list->count);
}

static void check(mr_context *context, const cloud *c, float radius)
{
    mr_neighbour_index index;
    mr_neighbour_lists lists;
    mr_error error;
    size_t total = 0;
    bool *seen = calloc(c->count + 1, 1);
    test_assert_ok(mr_neighbour_index_create(context, c->xyz, c->count, radius, &index, &error), &error);
    test_assert_ok(mr_neighbour_lists_create(context, &index, &lists, &error), &error);
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t *items = lists.items + lists.of[i].first;
        size_t near = 0;
        for (size_t k = 0; k < lists.of[i].count; k++) {
            assert_true(items[k] < c->count && items[k] != i && !seen[items[k]]);
            assert_true(is_near(c, i, items[k], radius));
            seen[items[k]] = true;
        }
        for (size_t k = 0; k < c->count; k++) {
            near += k != i && is_near(c, i, k, radius);
        }
        assert_int_equal(near, lists.of[i].count);
        for (size_t k = 0; k < lists.of[i].count; k++) {
            seen[items[k]] = false;
        }
        assert_walk(&index, &lists, i);
        total += near;
    }
    assert_int_equal(total, lists.total);
    free(seen);
    mr_neighbour_lists_destroy(context, &lists);
    mr_neighbour_index_destroy(context, &index);
}

static void lists_hold_every_neighbour_once(void **state)
{
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(4000); n++) {
        static const float some[] = { 0.0f, 1e20f, 1e-20f, 0x1p-149f, 3e38f };
        cloud c = cloud_of(&random, size_of(&random));
        uint32_t pick = test_below(&random, 20);
        check(contexts[n % context_count], &c,
              pick < 5 ? some[pick] : (float)test_between(&random, 0, pick < 8 ? 10 : 2) * c.side);
        free(c.xyz);
    }
}

// More points in a cell than a tile holds, and more neighbours than a query's scratch.
static void heaps_are_listed_too(void **state)
{
    test_random random = { 2 };
    for (size_t n = 0; n < context_count; n++) {
        cloud c = { 1500, malloc(3 * 1500 * sizeof(float)), 1 };
        for (size_t i = 0; i < 3 * c.count; i++) {
            c.xyz[i] = (float)test_between(&random, 0, i < 3 * 1200 ? 0.3 : 9);
        }
        check(contexts[n], &c, 1);
        free(c.xyz);
    }
}

static void any_threads_and_instruction_set_give_the_same_lists(void **state)
{
    enum { COUNT = 40000 };
    test_random random = { 3 };
    float *points = malloc(3 * COUNT * sizeof(float));
    for (size_t i = 0; i < 3 * COUNT; i++) {
        points[i] = (float)test_between(&random, -1, 1);
    }
    mr_neighbour_lists first = { 0 };
    for (size_t n = 0; n < context_count; n++) {
        mr_neighbour_index index;
        mr_neighbour_lists lists;
        mr_error error;
        test_assert_ok(mr_neighbour_index_create(contexts[n], points, COUNT, 0.07f, &index, &error), &error);
        test_assert_ok(mr_neighbour_lists_create(contexts[n], &index, &lists, &error), &error);
        mr_neighbour_index_destroy(contexts[n], &index);
        if (n == 0) {
            first = lists;
            continue;
        }
        assert_int_equal(first.total, lists.total);
        assert_memory_equal(first.of, lists.of, COUNT * sizeof *first.of);
        assert_memory_equal(first.items, lists.items, first.total * 4);
        mr_neighbour_lists_destroy(contexts[n], &lists);
    }
    mr_neighbour_lists_destroy(contexts[0], &first);
    free(points);
}

// The candidates of the 27 cells hold all that is near, each once, out to 2^15 cells; also with few buckets.
static void the_walk_of_a_grid_misses_nothing(void **state)
{
    test_random random = { 4 };
    for (size_t n = 0; n < test_count(3000); n++) {
        cloud c = cloud_of(&random, size_of(&random));
        float radius = (float)test_between(&random, 0.1, 3) * c.side;
        mr_neighbour_index index;
        mr_error error;
        for (size_t i = 0; i < 3 * c.count && n % 2; i++) { // steps of f32 by the corners of far cells
            float corner =
                (float)test_below(&random, 4) * radius + (float)(1u << test_below(&random, 16)) * radius;
            c.xyz[i] = corner + (float)((int)test_below(&random, 5) - 2) * corner * 0x1p-23f;
        }
        test_assert_ok(
            mr_neighbour_index_create(contexts[n % context_count], c.xyz, c.count, radius, &index, &error),
            &error);
        mr_neighbour_grid grid = mr_neighbour_grid_of(&index);
        bool *seen = malloc(c.count + 1);
        for (uint32_t i = 0; i < c.count; i++) {
            mr_hash_cell cell = mr_grid_cell(grid.gcfg, c.xyz + 3 * i);
            mr_grid_walk walk;
            memset(seen, 0, c.count + 1);
            mr_grid_walk_begin(&walk, &grid, c.xyz + 3 * i);
            for (uint32_t point; mr_grid_walk_next(&walk, &point);) {
                assert_true(point < c.count && !seen[point]);
                seen[point] = true;
            }
            bool close = abs(cell.x) <= 32768 && abs(cell.y) <= 32768 && abs(cell.z) <= 32768;
            for (size_t k = 0; k < c.count && close; k++) {
                assert_true(seen[k] || !is_near(&c, i, k, radius));
            }
        }
        free(seen);
        mr_neighbour_index_destroy(contexts[n % context_count], &index);
        free(c.xyz);
    }
}

static void a_radius_is_finite_and_not_below_zero(void **state)
{
    static const float radii[] = { -1.0f, NAN, INFINITY, -0x1p-149f };
    mr_neighbour_index index;
    mr_error error;
    for (size_t i = 0; i < 4; i++) {
        assert_false(mr_neighbour_index_create(contexts[0], NULL, 0, radii[i], &index, &error));
        assert_int_equal(error.status, MR_BAD_INPUT);
        assert_text_contains(error.message, "radius");
    }
    assert_false(mr_neighbour_index_create(contexts[0], NULL, (size_t)1 << 31, 1, &index, &error));
    assert_int_equal(error.status, MR_LIMIT);
}

static bool list_somehow(mr_context *context)
{
    enum { COUNT = 3000 };
    static float points[3 * COUNT]; // all in one place: scratch and lists must grow
    mr_neighbour_index index;
    mr_neighbour_lists lists;
    mr_error error;
    if (!mr_neighbour_index_create(context, points, COUNT, 1, &index, &error)) {
        return false;
    }
    bool good = mr_neighbour_lists_create(context, &index, &lists, &error);
    if (good) {
        assert_int_equal(lists.total, COUNT * (COUNT - 1));
        mr_neighbour_lists_destroy(context, &lists);
    }
    mr_neighbour_index_destroy(context, &index);
    return good;
}

static void a_failing_allocator_loses_nothing(void **state)
{
    test_allocations(list_somehow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_hold_every_neighbour_once),
        cmocka_unit_test(heaps_are_listed_too),
        cmocka_unit_test(any_threads_and_instruction_set_give_the_same_lists),
        cmocka_unit_test(the_walk_of_a_grid_misses_nothing),
        cmocka_unit_test(a_radius_is_finite_and_not_below_zero),
        cmocka_unit_test(a_failing_allocator_loses_nothing),
    };
    return cmocka_run_group_tests(tests, contexts_begin, contexts_end);
}
