// Columns: shared and never changed once published, NaN canonical, hashed by content alone.

#include "refused.h"

#include "data/column.h"

#include <math.h>
#include <pthread.h>

static mr_column *column_of(mr_context *context, mr_column_type type, size_t count)
{
    mr_error error;
    mr_column *column = mr_column_create(context, type, count, &error);
    test_assert_ok(column != NULL, &error);
    return column;
}

static mr_digest digest_of(const mr_column *column)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_column_digest(column, &digester);
    return mr_digest_end(&digester);
}

static bool same(const mr_column *a, const mr_column *b)
{
    return mr_digest_equal(digest_of(a), digest_of(b));
}

static void types_have_their_lanes_and_elements(void **state)
{
    static const struct {
        const char *name;
        uint32_t lanes;
        mr_element element;
    } types[MR_COLUMN_TYPE_COUNT] = {
        { "Float", 1, MR_F32 }, { "Int", 1, MR_I32 },  { "UInt", 1, MR_U32 }, { "Bool", 1, MR_U32 },
        { "Vec2", 2, MR_F32 },  { "Vec3", 3, MR_F32 }, { "Vec4", 4, MR_F32 }, { "Color", 4, MR_F32 },
        { "Mat4", 16, MR_F32 }, { "Int2", 2, MR_I32 }, { "Int3", 3, MR_I32 }, { "Int4", 4, MR_I32 },
        { "Text", 1, MR_U32 },
    };
    for (mr_column_type type = 0; type < MR_COLUMN_TYPE_COUNT; type++) {
        assert_string_equal(mr_column_type_name(type), types[type].name);
        assert_int_equal(mr_column_lanes(type), types[type].lanes);
        assert_int_equal(mr_column_element(type), types[type].element);
        mr_column *column = column_of(*state, type, 5);
        memset(column->data, 0xa5, (size_t)5 * types[type].lanes * 4); // all of it is there
        mr_column_release(column);
        mr_column_release(column_of(*state, type, 0));
    }
    mr_column_release(NULL);
}

// Bit patterns with many NaNs among them.
static uint32_t random_word(test_random *random)
{
    uint32_t word = test_u32(random);
    return test_below(random, 3) == 0 ? word | 0x7f800000u : word;
}

static void publishing_makes_each_nan_the_one_and_changes_nothing_else(void **state)
{
    static const size_t counts[] = { 0, 1, 1023, 1024, 1025, 5000, (1 << 18) - 1, (1 << 18) + 1, 700001 };
    test_random random = { 5 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (int whole = 0; whole < 2; whole++) {
            size_t count = counts[i];
            bool rare = i % 2;
            mr_column *column = column_of(*state, whole ? MR_COLUMN_INT : MR_COLUMN_FLOAT, count);
            uint32_t *before = malloc((count + 1) * 4);
            for (size_t k = 0; k < count; k++) {
                before[k] =
                    rare ? (test_below(&random, 4000) ? 0x3f800000u : 0xffc12345u) : random_word(&random);
                column->u32[k] = before[k];
            }
            assert_ptr_equal(mr_column_publish(column), column);
            assert_true(column->published);
            for (size_t k = 0; k < count; k++) {
                bool nan = (before[k] & 0x7fffffffu) > 0x7f800000u;
                if (column->u32[k] != (nan && !whole ? 0x7fc00000u : before[k])) {
                    fail_msg("element %zu: %08x became %08x", k, before[k], column->u32[k]);
                }
            }
            free(before);
            mr_column_release(column);
        }
    }
}

static void a_shared_column_is_copied_before_it_is_written(void **state)
{
    mr_error error;
    static const float given[3] = { 1, 2, 3 };
    mr_column *mine = mr_column_from(*state, MR_COLUMN_FLOAT, given, 3, &error);
    mr_column_publish(mine);
    assert_ptr_equal(mr_column_writable(mine, &error), mine); // alone: itself, open again
    assert_false(mine->published);
    mr_column_publish(mine);
    mr_column *theirs = mr_column_retain(mine);
    mr_column *copy = mr_column_writable(theirs, &error);
    assert_ptr_not_equal(copy, mine);
    assert_false(copy->published);
    copy->f32[1] = 9;
    assert_memory_equal(mine->f32, given, sizeof given);
    assert_true(mine->published);
    assert_ptr_equal(mr_column_writable(mine, &error), mine); // the copy gave its reference back
    mr_column_release(mine);
    mr_column_release(copy);
}

static void text_copies_keep_their_words(void **state)
{
    mr_error error;
    mr_column *text = column_of(*state, MR_COLUMN_TEXT, 4);
    static const char *const words[4] = { "oak", "ash", "oak", "" };
    for (size_t i = 0; i < 4; i++) {
        text->u32[i] = mr_column_word(text, mr_view_of(words[i]));
    }
    assert_int_equal(text->word_count, 3); // in first-seen order
    assert_int_equal(text->u32[2], 0);
    mr_column *copy = mr_column_writable(mr_column_retain(text), &error);
    assert_true(same(text, copy));
    assert_int_equal(mr_column_word(copy, MR_VIEW("elm")), 3);
    assert_int_equal(text->word_count, 3);
    mr_column_release(text);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(copy->words[copy->u32[i]], words[i]);
    }
    mr_column_release(copy);
}

static void text_is_hashed_by_its_words(void **state)
{
    test_random random = { 8 };
    for (size_t round = 0; round < test_count(100); round++) {
        mr_column *a = column_of(*state, MR_COLUMN_TEXT, 20), *b = column_of(*state, MR_COLUMN_TEXT, 20);
        for (uint32_t i = 0; i < 6; i++) { // b knows all words before, in another order
            char word[2] = { (char)('f' - i), 0 };
            mr_column_word(b, mr_view_of(word));
        }
        for (size_t i = 0; i < 20; i++) {
            char word[2] = { (char)('a' + test_below(&random, 6)), 0 };
            a->u32[i] = mr_column_word(a, mr_view_of(word));
            b->u32[i] = mr_column_word(b, mr_view_of(word));
        }
        assert_true(same(a, b));
        b->u32[3] = (b->u32[3] + 1) % 6;
        assert_false(same(a, b));
        mr_column_release(a);
        mr_column_release(b);
    }
}

static void content_decides_the_digest_whatever_the_threads(void **state)
{
    static const size_t counts[] = { 0, 1, 1000, 1 << 18, (1 << 18) + 1, 3000000, 17 << 20 };
    test_random random = { 6 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t count = counts[i];
        mr_digest first = { 0, 0 };
        uint64_t seed = random.state;
        static const uint32_t threads[] = { 1, 2, 7 };
        for (int t = 0; t < 3; t++) {
            mr_context *context = test_context_of(threads[t], 0);
            mr_column *column = column_of(context, MR_COLUMN_UINT, count);
            random.state = seed;
            for (size_t k = 0; k < count; k++) {
                column->u32[k] = (uint32_t)k * 2654435761u + (uint32_t)seed;
            }
            mr_digest open = digest_of(column);
            first = t == 0 ? open : first;
            assert_true(mr_digest_equal(open, first));
            assert_true(mr_digest_equal(digest_of(mr_column_publish(column)), first));
            assert_true(mr_digest_equal(digest_of(column), first)); // remembered
            for (int change = 0; count > 0 && change < (count > 1 << 20 ? 2 : 30); change++) {
                size_t at = (size_t)(test_u64(&random) % count);
                uint32_t bit = 1u << test_below(&random, 32);
                mr_column_reopen(column);
                column->u32[at] ^= bit;
                assert_false(mr_digest_equal(digest_of(mr_column_publish(column)), first));
                mr_column_reopen(column);
                column->u32[at] ^= bit;
                assert_true(mr_digest_equal(digest_of(mr_column_publish(column)), first));
            }
            mr_column_release(column);
            test_context_end(context);
        }
    }
}

static void type_and_count_are_part_of_the_content(void **state)
{
    mr_error error;
    static const uint32_t zeros[64] = { 0 };
    mr_digest digests[MR_COLUMN_TYPE_COUNT * 5];
    size_t made = 0;
    for (mr_column_type type = 0; type < MR_COLUMN_TYPE_COUNT; type++) {
        for (size_t count = 0; count < 5; count++) {
            mr_column *column = mr_column_from(*state, type, zeros, count, &error);
            digests[made] = digest_of(column);
            for (size_t i = 0; i < made; i++) {
                assert_false(mr_digest_equal(digests[i], digests[made]));
            }
            made++;
            mr_column_release(column);
        }
    }
}

static void *ask(void *column)
{
    mr_digest *digest = malloc(sizeof *digest);
    *digest = digest_of(column);
    return digest;
}

static void many_threads_may_ask_at_once(void **state)
{
    for (int round = 0; round < 20; round++) {
        mr_column *column = column_of(*state, MR_COLUMN_UINT, 20000);
        memset(column->data, round, 80000);
        mr_digest expected = digest_of(column); // not yet published, so not kept
        mr_column_publish(column);
        pthread_t threads[4];
        for (int i = 0; i < 4; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, ask, column), 0);
        }
        for (int i = 0; i < 4; i++) {
            void *digest;
            pthread_join(threads[i], &digest);
            assert_true(mr_digest_equal(*(mr_digest *)digest, expected));
            free(digest);
        }
        mr_column_release(column);
    }
}

static void what_does_not_fit_is_refused_with_the_sum(void **state)
{
    mr_error error = { .status = MR_OK };
    assert_null(mr_column_create(*state, MR_COLUMN_MAT4, SIZE_MAX / 8, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message, "elements of Mat4");
    mr_context *small = test_context_of(1, 1 << 20);
    assert_null(mr_column_create(small, MR_COLUMN_VEC3, 100000, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_null(mr_column_create(small, MR_COLUMN_VEC3, SIZE_MAX / 12, &error));
    assert_true(error.status == MR_LIMIT || error.status == MR_OUT_OF_MEMORY);
    mr_column_release(column_of(small, MR_COLUMN_VEC3, 1000)); // what fits still does
    test_context_end(small);
}

static bool work(mr_context *context, mr_error *error)
{
    mr_column *text = mr_column_create(context, MR_COLUMN_TEXT, 30, error);
    mr_column *copy = NULL;
    bool good = text != NULL;
    for (size_t i = 0; good && i < 30; i++) {
        char word[16];
        snprintf(word, sizeof word, "word %zu", i);
        text->u32[i] = mr_column_word(text, mr_view_of(word));
        good = text->u32[i] != UINT32_MAX || mr_fail_memory(error, sizeof word);
    }
    if (good) {
        copy = mr_column_writable(mr_column_retain(text), error);
        good = copy && same(copy, text);
    }
    mr_column_release(text);
    mr_column_release(copy);
    return good;
}

static void refused_memory_anywhere_is_an_error_and_no_leak(void **state)
{
    refuse_everywhere(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(types_have_their_lanes_and_elements, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(publishing_makes_each_nan_the_one_and_changes_nothing_else,
                                        test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_shared_column_is_copied_before_it_is_written, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(text_copies_keep_their_words, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(text_is_hashed_by_its_words, test_setup, test_teardown),
        cmocka_unit_test(content_decides_the_digest_whatever_the_threads),
        cmocka_unit_test_setup_teardown(type_and_count_are_part_of_the_content, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(many_threads_may_ask_at_once, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused_with_the_sum, test_setup, test_teardown),
        cmocka_unit_test(refused_memory_anywhere_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests_name("column", tests, NULL, NULL);
}
