// Counting, limits, recycling, arenas, arrays, maps, text, and a failing allocator at every site of them.

#include "support.h"

#include "base/array.h"
#include "base/map.h"
#include "base/thread.h"

#include <stdatomic.h>

static void blocks_are_aligned_and_counted(void **state)
{
    mr_context *context = *state;
    void *blocks[200];
    for (size_t i = 0; i < 200; i++) {
        blocks[i] = mr_allocate(context, i * 37);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)i, i * 37);
    }
    assert_true(mr_context_memory_now(context) >= 37 * 199 * 200 / 2);
    uint64_t peak = mr_context_memory_peak(context);
    for (size_t i = 0; i < 200; i++) {
        blocks[i] = mr_reallocate(context, blocks[i], i * 80 + 1);
        for (size_t k = 0; k < i * 37; k++) {
            assert_int_equal(((unsigned char *)blocks[i])[k], (unsigned char)i);
        }
        mr_free(context, blocks[i]);
    }
    mr_free(context, NULL);
    assert_int_equal(mr_context_memory_now(context), 0);
    assert_true(mr_context_memory_peak(context) >= peak);
}

static void the_limit_refuses_with_the_sum(void **state)
{
    mr_context *context = test_context_of(1, 1 << 20);
    mr_error error = { 0 };
    void *held = mr_allocate(context, 600000);
    assert_non_null(held);
    assert_null(mr_allocate(context, 600000));
    mr_fail_memory(&error, 600000);
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message, "600016 bytes");
    assert_text_contains(error.message, "limit of 1048576 bytes");
    assert_null(mr_reallocate(context, held, 1200000));
    assert_null(mr_buffer_take(context, 600000, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message, "600000 bytes asked for while 600016 are held");
    assert_text_contains(error.message, "1048576");
    assert_true(mr_context_memory_peak(context) <= 1 << 20);
    mr_free(context, held);
    void *buffer = mr_buffer_take(context, 600000, &error);
    assert_non_null(buffer);
    mr_buffer_release(context, buffer);
    assert_true(mr_buffer_idle(context) >= 600000);
    held = mr_allocate(context, 900000); // the idle buffer gives way
    assert_non_null(held);
    assert_int_equal(mr_buffer_idle(context), 0);
    mr_free(context, held);
    test_context_end(context);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    mr_context *context = *state;
    mr_error error = { 0 };
    assert_null(mr_allocate(context, SIZE_MAX));
    assert_null(mr_allocate(context, SIZE_MAX - 8));
    assert_null(mr_buffer_take(context, SIZE_MAX, &error));
    assert_int_equal(error.status, MR_OUT_OF_MEMORY);
    assert_null(mr_buffer_take(context, SIZE_MAX / 2, &error));
    assert_null(mr_buffer_take(context, (size_t)1 << 60, &error));
    mr_arena arena;
    mr_arena_init(&arena, context);
    assert_null(mr_arena_take(&arena, SIZE_MAX));
    assert_null(mr_arena_take(&arena, SIZE_MAX - 20));
    assert_null(mr_arena_text(&arena, "", SIZE_MAX));
    mr_arena_destroy(&arena);
    void *items = NULL;
    size_t capacity = 0;
    assert_false(mr_array_grow(context, &items, &capacity, SIZE_MAX / 2, 16));
    assert_false(mr_array_grow(context, &items, &capacity, SIZE_MAX, 1));
}

static void buffers_are_aligned_and_come_back(void **state)
{
    mr_context *context = *state;
    mr_error error;
    test_random random = { 1 };
    for (size_t i = 0; i < 300; i++) {
        size_t size = (size_t)1 << test_below(&random, 25);
        size += test_below(&random, (uint32_t)size);
        unsigned char *buffer = mr_buffer_take(context, size, &error);
        assert_non_null(buffer);
        assert_int_equal((uintptr_t)buffer % (size >= 2u << 20 ? 2u << 20 : 64), 0);
        buffer[0] = buffer[size - 1] = 1;
        mr_buffer_release(context, buffer);
        unsigned char *again = mr_buffer_take(context, size, &error);
        assert_ptr_equal(again, buffer);
        mr_buffer_release(context, again);
    }
    mr_buffer_release(context, NULL);
    assert_true(mr_buffer_idle(context) <= (size_t)512 << 20);
    mr_buffer_trim(context);
    assert_int_equal(mr_context_memory_now(context), 0);
}

// Many sizes live at once never overlap.
static void live_buffers_never_overlap(void **state)
{
    mr_context *context = *state;
    mr_error error;
    test_random random = { 2 };
    enum { LIVE = 64 };
    uint32_t *buffers[LIVE] = { 0 };
    size_t words[LIVE] = { 0 };
    for (size_t i = 0; i < test_count(3000); i++) {
        size_t k = test_below(&random, LIVE);
        if (buffers[k]) {
            for (size_t w = 0; w < words[k]; w += 97) {
                assert_int_equal(buffers[k][w], (uint32_t)(k * 1000003 + w));
            }
            mr_buffer_release(context, buffers[k]);
        }
        words[k] = ((size_t)1 << test_below(&random, 20)) + test_below(&random, 1000);
        buffers[k] = mr_buffer_take(context, words[k] * 4, &error);
        for (size_t w = 0; w < words[k]; w += 97) {
            buffers[k][w] = (uint32_t)(k * 1000003 + w);
        }
    }
    for (size_t k = 0; k < LIVE; k++) {
        mr_buffer_release(context, buffers[k]);
    }
}

typedef struct test_hooks {
    atomic_size_t held;
    atomic_size_t calls;
    atomic_size_t refuse_from; // calls past this answer NULL
} test_hooks;

static void *hook_allocate(void *user, size_t size, size_t align)
{
    test_hooks *hooks = user;
    if (atomic_fetch_add(&hooks->calls, 1) >= hooks->refuse_from) {
        return NULL;
    }
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);
    atomic_fetch_add(&hooks->held, memory ? size : 0);
    return memory;
}
static void hook_free(void *user, void *memory, size_t size)
{
    test_hooks *hooks = user;
    atomic_fetch_sub(&hooks->held, size);
    free(memory);
}

static void hooks_get_every_byte_back(void **state)
{
    test_hooks hooks = { 0, 0, SIZE_MAX };
    mr_context_config config = mr_context_config_default();
    config.user = &hooks;
    config.allocate = hook_allocate;
    config.free = hook_free;
    mr_context *context;
    mr_error error;
    test_assert_ok(mr_context_create(&config, &context, &error), &error);
    void *block = mr_allocate(context, 100);
    block = mr_reallocate(context, block, 10000);
    void *small = mr_buffer_take(context, 5000, &error);
    void *large = mr_buffer_take(context, 5000000, &error);
    assert_non_null(block);
    assert_non_null(small);
    assert_non_null(large);
    assert_true(hooks.held > 5000000);
    size_t before = hooks.held;
    hooks.refuse_from = 0;
    assert_null(mr_allocate(context, 8));
    assert_null(mr_reallocate(context, block, 20000));
    assert_null(mr_buffer_take(context, 9000, &error));
    assert_int_equal(error.status, MR_OUT_OF_MEMORY);
    assert_null(mr_buffer_take(context, 9000000, &error));
    hooks.refuse_from = hooks.calls + 1; // the large buffer's head is given, its pages are not
    assert_null(mr_buffer_take(context, 9000000, &error));
    assert_int_equal(hooks.held, before);
    mr_free(context, block);
    mr_buffer_release(context, small);
    mr_buffer_release(context, large);
    mr_context_destroy(context);
    assert_int_equal(hooks.held, 0);
    hooks.refuse_from = 0;
    assert_false(mr_context_create(&config, &context, &error));
    assert_int_equal(error.status, MR_OUT_OF_MEMORY);
}

static void arena_pieces_are_zeroed_and_apart(void **state)
{
    mr_context *context = *state;
    mr_arena arena;
    mr_arena_init(&arena, context);
    test_random random = { 3 };
    struct {
        unsigned char *at;
        size_t size;
    } pieces[2000];
    for (size_t i = 0; i < 2000; i++) {
        pieces[i].size = test_below(&random, i % 50 ? 200 : 100000);
        pieces[i].at = mr_arena_take(&arena, pieces[i].size);
        assert_int_equal((uintptr_t)pieces[i].at % 16, 0);
        for (size_t k = 0; k < pieces[i].size; k++) {
            assert_int_equal(pieces[i].at[k], 0);
        }
        memset(pieces[i].at, (int)(i % 255) + 1, pieces[i].size);
    }
    for (size_t i = 0; i < 2000; i++) {
        for (size_t k = 0; k < pieces[i].size; k++) {
            assert_int_equal(pieces[i].at[k], i % 255 + 1);
        }
    }
    assert_string_equal(mr_arena_text(&arena, "hello there", 5), "hello");
    mr_arena_destroy(&arena);
    mr_buffer_trim(context); // large blocks are the pool's
    assert_int_equal(mr_context_memory_now(context), 0);
}

static void a_map_finds_what_was_put_and_keeps_the_order(void **state)
{
    mr_context *context = *state;
    mr_map map;
    mr_map_init(&map, context);
    char key[32];
    uint64_t value;
    assert_false(mr_map_find(&map, MR_VIEW("nothing"), &value));
    for (size_t i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key %zu", i * 7919 % 5000);
        assert_true(mr_map_put(&map, mr_view_of(key), i));
    }
    assert_int_equal(map.count, 5000);
    for (size_t i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key %zu", i * 7919 % 5000);
        assert_true(mr_view_is(map.entries[i].key, key));
        assert_true(mr_map_find(&map, mr_view_of(key), &value));
        assert_int_equal(value, i);
    }
    assert_true(mr_map_put(&map, MR_VIEW("key 0"), 99));
    assert_int_equal(map.count, 5000);
    assert_true(mr_map_find(&map, MR_VIEW("key 0"), &value));
    assert_int_equal(value, 99);
    assert_true(mr_map_put(&map, MR_VIEW(""), 1));
    assert_true(mr_map_put(&map, ((mr_view){ "a\0b", 3 }), 2));
    assert_false(mr_map_find(&map, ((mr_view){ "a\0c", 3 }), NULL));
    assert_true(mr_map_find(&map, ((mr_view){ "a\0b", 3 }), NULL));
    mr_map_destroy(&map);
}

// Everything of the floor that allocates, in one go. Answers whether it all went well; what it did is undone.
static bool use_everything(mr_context *context, mr_error *error)
{
    bool good = true;
    MR_ARRAY(uint64_t) list = { 0 };
    for (uint64_t i = 0; i < 100; i++) {
        if (!mr_array_push(context, &list, i)) {
            good = mr_fail_memory(error, list.count);
            break;
        }
    }
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(list.items[i], i);
    }
    mr_array_free(context, &list);

    mr_map map;
    mr_map_init(&map, context);
    for (size_t i = 0; i < 600; i++) {
        char key[32];
        mr_text_format(key, sizeof key, "a rather long key %zu", i);
        if (!mr_map_put(&map, mr_view_of(key), i)) {
            good = mr_fail_memory(error, i);
            break;
        }
    }
    for (size_t i = 0; i < map.count; i++) {
        uint64_t value;
        assert_true(mr_map_find(&map, map.entries[i].key, &value));
        assert_int_equal(value, i);
    }
    mr_map_destroy(&map);

    mr_text text;
    mr_text_init(&text, context);
    for (size_t i = 0; i < 50; i++) {
        mr_text_print(&text, "%zu %s\n", i, "and a tail that makes it long enough to grow a few times over");
    }
    good = mr_text_finish(&text, error) && good;
    mr_text_destroy(&text);

    mr_arena arena;
    mr_arena_init(&arena, context);
    for (size_t i = 0; i < 40; i++) {
        if (!mr_arena_take(&arena, i * 100)) {
            good = mr_fail_memory(error, i * 100);
        }
    }
    mr_arena_destroy(&arena);

    void *small = mr_buffer_take(context, 10000, error);
    void *large = mr_buffer_take(context, 3000000, error);
    good = small && large && good;
    mr_buffer_release(context, small);
    mr_buffer_release(context, large);

    mr_task_group *group = mr_task_group_create(context);
    if (!group) {
        good = mr_fail_memory(error, 0);
    }
    mr_task_group_destroy(group);
    return good;
}

static void every_allocation_may_fail(void **state)
{
    mr_context *context = *state;
    mr_error error = { 0 };
    uint64_t before = mr_memory_allocations(context);
    test_assert_ok(use_everything(context, &error), &error);
    uint64_t sites = mr_memory_allocations(context) - before;
    assert_true(sites > 20);
    for (int sticky = 0; sticky < 2; sticky++) {
        for (uint64_t site = 1; site <= sites; site++) {
            mr_buffer_trim(context);
            mr_memory_fail_after(context, site, sticky);
            error.status = MR_OK;
            assert_false(use_everything(context, &error));
            assert_int_equal(error.status, MR_OUT_OF_MEMORY);
            mr_memory_fail_after(context, 0, false);
            mr_buffer_trim(context);
            assert_int_equal(mr_context_memory_now(context), 0);
        }
    }
    test_assert_ok(use_everything(context, &error), &error);
}

static int make_count, destroy_count, order[4], order_count;
static void note_destroy(void *made)
{
    destroy_count++;
    if (order_count < 4) {
        order[order_count++] = *(int *)made;
    }
}

static void attachments_end_in_reverse_and_the_first_stays(void **state)
{
    static const char keys[3];
    static int values[4] = { 0, 1, 2, 3 };
    mr_context *context = test_context_of(1, 0);
    destroy_count = order_count = make_count = 0;
    assert_null(mr_context_find(context, &keys[0]));
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(mr_context_attach(context, &keys[i], &values[i], note_destroy), &values[i]);
    }
    assert_ptr_equal(mr_context_attach(context, &keys[1], &values[3], note_destroy), &values[1]);
    assert_int_equal(destroy_count, 1);
    assert_int_equal(order[0], 3);
    assert_ptr_equal(mr_context_find(context, &keys[2]), &values[2]);
    mr_memory_fail_after(context, 1, true);
    assert_null(mr_context_attach(context, &values, &values[3], note_destroy));
    assert_int_equal(destroy_count, 2);
    mr_context_destroy(context);
    assert_int_equal(destroy_count, 5);
    assert_int_equal(order[2], 2);
    assert_int_equal(order[3], 1);
}

static bool churn(void *argument, size_t begin, size_t end, mr_error *error)
{
    mr_context *context = argument;
    for (size_t i = begin; i < end; i++) {
        void *block = mr_allocate(context, i % 1000);
        void *buffer = mr_buffer_take(context, (size_t)4096 << (i % 11), error);
        if (!block || !buffer) {
            mr_free(context, block);
            return mr_fail_memory(error, 0);
        }
        memset(buffer, (int)i, 4096);
        mr_free(context, block);
        mr_buffer_release(context, buffer);
    }
    return true;
}

static void counts_hold_under_threads(void **state)
{
    mr_context *context = test_context_of(4, 0);
    mr_error error;
    test_assert_ok(mr_parallel_for(context, 2000, 5, churn, context, &error), &error);
    test_context_end(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_are_aligned_and_counted, test_setup, test_teardown),
        cmocka_unit_test(the_limit_refuses_with_the_sum),
        cmocka_unit_test_setup_teardown(sizes_that_cannot_be_are_refused, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(buffers_are_aligned_and_come_back, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(live_buffers_never_overlap, test_setup, test_teardown),
        cmocka_unit_test(hooks_get_every_byte_back),
        cmocka_unit_test_setup_teardown(arena_pieces_are_zeroed_and_apart, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_map_finds_what_was_put_and_keeps_the_order, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, test_setup, test_teardown),
        cmocka_unit_test(attachments_end_in_reverse_and_the_first_stays),
        cmocka_unit_test(counts_hold_under_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
