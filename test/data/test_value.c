// Values: equal by content, whoever made them and in whatever order; counted; of a depth that can be walked.

#include "refused.h"

#include "data/value.h"

#include <math.h>

static mr_value text_of(mr_context *context, const char *text)
{
    mr_value value;
    mr_error error;
    test_assert_ok(mr_value_text(context, mr_view_of(text), &value, &error), &error);
    return value;
}

static mr_value list_of(mr_context *context, size_t count, const mr_value *items)
{
    mr_value value;
    mr_error error;
    test_assert_ok(mr_value_list(context, &value, &error), &error);
    for (size_t i = 0; i < count; i++) {
        test_assert_ok(mr_list_add(value.list, items[i], &error), &error);
    }
    return value;
}

static mr_value record_of(mr_context *context)
{
    mr_value value;
    mr_error error;
    test_assert_ok(mr_value_record(context, &value, &error), &error);
    return value;
}

static void set(mr_value *record, const char *name, mr_value item)
{
    mr_error error;
    test_assert_ok(mr_record_set(record->list, mr_view_of(name), item, &error), &error);
}

static mr_value vector_of(mr_type type, double x, double y, double z, double w)
{
    return (mr_value){ .type = type, .vector = { x, y, z, w } };
}

static void numbers_are_equal_by_worth(void **state)
{
    static const struct {
        mr_value a, b;
        bool equal;
    } cases[] = {
        { { .type = MR_INT, .integer = 2 }, { .type = MR_NUMBER, .number = 2.0 }, true },
        { { .type = MR_INT, .integer = -7 }, { .type = MR_NUMBER, .number = -7.0 }, true },
        { { .type = MR_INT, .integer = 2 }, { .type = MR_NUMBER, .number = 2.5 }, false },
        { { .type = MR_NUMBER, .number = 0.0 }, { .type = MR_NUMBER, .number = -0.0 }, true },
        { { .type = MR_INT, .integer = 0 }, { .type = MR_NUMBER, .number = -0.0 }, true },
        { { .type = MR_NUMBER, .number = (double)NAN }, { .type = MR_NUMBER, .number = -(double)NAN }, true },
        { { .type = MR_INT, .integer = 9007199254740993 },
          { .type = MR_NUMBER, .number = 9007199254740992.0 },
          false },
        { { .type = MR_INT, .integer = 9007199254740994 },
          { .type = MR_NUMBER, .number = 9007199254740994.0 },
          true },
        { { .type = MR_INT, .integer = 9007199254740993 },
          { .type = MR_INT, .integer = 9007199254740992 },
          false },
        { { .type = MR_INT, .integer = INT64_MAX }, { .type = MR_NUMBER, .number = 0x1p63 }, false },
        { { .type = MR_INT, .integer = INT64_MIN }, { .type = MR_NUMBER, .number = -0x1p63 }, true },
        { { .type = MR_INT, .integer = 1 }, { .type = MR_BOOL, .boolean = true }, false },
        { { .type = MR_NONE }, { .type = MR_INT, .integer = 0 }, false },
        { { .type = MR_VEC2, .vector = { 1, 2, 3, 4 } },
          { .type = MR_VEC2, .vector = { 1, 2, 9, 9 } },
          true },
        { { .type = MR_VEC3, .vector = { 1, -0.0, 3 } }, { .type = MR_VEC3, .vector = { 1, 0, 3 } }, true },
        { { .type = MR_VEC4, .vector = { 1, 2, 3, 4 } },
          { .type = MR_COLOR, .vector = { 1, 2, 3, 4 } },
          false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(mr_value_equal(&cases[i].a, &cases[i].b), cases[i].equal);
        assert_int_equal(mr_value_equal(&cases[i].b, &cases[i].a), cases[i].equal);
        assert_true(mr_value_equal(&cases[i].a, &cases[i].a));
    }
}

// Values of which no two are the same thing.
enum { MANY = 200 };
static size_t many_values(mr_context *context, mr_value *out)
{
    mr_error error;
    size_t count = 0;
    out[count++] = (mr_value){ .type = MR_NONE };
    out[count++] = mr_value_boolean(false);
    out[count++] = mr_value_boolean(true);
    for (int i = -3; i < 4; i++) {
        out[count++] = mr_value_number(i * 0.5);
        out[count++] = mr_value_integer(9007199254740993 + 2 * i);
    }
    static const char *const texts[] = { "", "a", "b", "ab", "0", "true" };
    for (size_t i = 0; i < 6; i++) {
        out[count++] = text_of(context, texts[i]);
        mr_value item = text_of(context, texts[i]);
        out[count++] = list_of(context, 1, &item);
        mr_value record = record_of(context);
        set(&record, texts[i], mr_value_number(1));
        out[count++] = record;
    }
    out[count++] = list_of(context, 0, NULL);
    out[count++] = record_of(context);
    mr_value pairs[2][2] = { { text_of(context, "a"), text_of(context, "b") },
                             { text_of(context, "b"), text_of(context, "a") } };
    out[count++] = list_of(context, 2, pairs[0]);
    out[count++] = list_of(context, 2, pairs[1]); // the order of a list is part of it
    mr_value inner = list_of(context, 0, NULL);
    out[count++] = list_of(context, 1, &inner);
    for (int type = MR_VEC2; type <= MR_COLOR; type++) {
        out[count++] = vector_of(type, 1, 2, 3, 4);
        out[count++] = vector_of(type, 1, 1, 3, 4);
    }
    mr_value swapped[2] = { record_of(context), record_of(context) };
    set(&swapped[0], "x", mr_value_number(1));
    set(&swapped[0], "y", mr_value_number(2));
    set(&swapped[1], "x", mr_value_number(2));
    set(&swapped[1], "y", mr_value_number(1));
    out[count++] = swapped[0];
    out[count++] = swapped[1];
    static const float floats[4] = { 1, 2, 3, 4 };
    out[count++] = (mr_value){ .type = MR_COLUMN,
                               .column = mr_column_from(context, MR_COLUMN_FLOAT, floats, 4, &error) };
    out[count++] =
        (mr_value){ .type = MR_COLUMN, .column = mr_column_from(context, MR_COLUMN_VEC2, floats, 2, &error) };
    out[count++] = (mr_value){ .type = MR_GEOMETRY, .geometry = mr_geometry_create(context, &error) };
    out[count++] =
        (mr_value){ .type = MR_RASTER, .raster = mr_raster_create(context, 0, 0, 1, 2, 2, 0, &error) };
    for (int i = 0; i < 5; i++) {
        mr_texture *texture = mr_texture_create(context, i == 1 ? 4 : 2, i == 1 ? 1 : 2, 1, &error);
        memcpy(texture->texels->f32, floats, sizeof floats);
        texture->bits = i == 2 ? 16 : 32;
        texture->has_range = i >= 3;
        texture->range_high = i == 4;
        out[count++] = (mr_value){ .type = MR_TEXTURE, .texture = texture };
    }
    return count;
}

static void different_values_are_different(void **state)
{
    mr_value values[MANY], again[MANY];
    size_t count = many_values(*state, values);
    assert_int_equal(many_values(*state, again), count);
    assert_true(count < MANY);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (mr_value_equal(&values[i], &again[k]) != (i == k)) {
                fail_msg("values %zu and %zu", i, k);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        assert_true(mr_value_bytes(&values[i]) >= sizeof(mr_value));
        mr_value_release(&values[i]);
        assert_int_equal(values[i].type, MR_NONE);
        mr_value_release(&values[i]); // nothing, again
        mr_value_release(&again[i]);
    }
}

static void what_is_retained_outlives_its_maker(void **state)
{
    mr_value values[MANY], kept[MANY];
    size_t count = many_values(*state, values);
    for (size_t i = 0; i < count; i++) {
        kept[i] = mr_value_retain(values[i]);
        mr_value expected = mr_value_retain(values[i]);
        mr_value_release(&values[i]);
        assert_true(mr_value_equal(&kept[i], &expected));
        mr_value_release(&expected);
        mr_value_release(&kept[i]);
    }
}

static void records_are_what_a_plain_list_of_names_says(void **state)
{
    test_random random = { 31 };
    for (size_t round = 0; round < test_count(200); round++) {
        enum { NAMES = 30 };
        bool there[NAMES] = { false };
        double worth[NAMES];
        int order[NAMES];
        size_t count = 0;
        mr_value record = record_of(*state);
        for (int step = 0; step < 60; step++) {
            int at = (int)test_below(&random, NAMES);
            char name[8];
            snprintf(name, sizeof name, "n%d", at);
            worth[at] = test_below(&random, 1000);
            set(&record, name, mr_value_number(worth[at]));
            if (!there[at]) {
                there[at] = true;
                order[count++] = at;
            }
        }
        assert_int_equal(record.list->count, count);
        for (size_t i = 0; i < count; i++) { // in the order they were first set
            char name[8];
            snprintf(name, sizeof name, "n%d", order[i]);
            assert_string_equal(record.list->names[i]->data, name);
            assert_true(mr_record_find(record.list, name)->number == worth[order[i]]);
        }
        assert_null(mr_record_find(record.list, "n"));
        mr_value other = record_of(*state); // the same things in another order
        for (size_t i = count; i-- > 0;) {
            char name[8];
            snprintf(name, sizeof name, "n%d", order[i]);
            set(&other, name, mr_value_integer((int64_t)worth[order[i]]));
        }
        assert_true(mr_value_equal(&record, &other));
        set(&other, "n0", mr_value_number(-1));
        assert_false(mr_value_equal(&record, &other));
        mr_value_release(&record);
        mr_value_release(&other);
    }
}

static void lists_too_deep_are_refused(void **state)
{
    for (int kind = 0; kind < 2; kind++) {
        mr_value outer = list_of(*state, 0, NULL);
        mr_error error = { .status = MR_OK };
        for (int depth = 1; depth < MR_LIST_DEPTH; depth++) {
            mr_value wrap = kind ? record_of(*state) : list_of(*state, 0, NULL);
            bool good = kind ? mr_record_set(wrap.list, MR_VIEW("in"), outer, &error)
                             : mr_list_add(wrap.list, outer, &error);
            test_assert_ok(good, &error);
            outer = wrap;
        }
        mr_value wrap = kind ? record_of(*state) : list_of(*state, 0, NULL);
        bool good = kind ? mr_record_set(wrap.list, MR_VIEW("in"), outer, &error)
                         : mr_list_add(wrap.list, outer, &error);
        assert_false(good); // and the item was let go
        assert_int_equal(error.status, MR_LIMIT);
        assert_text_contains(error.message, "64");
        assert_int_equal(wrap.list->count, 0);
        mr_value_release(&wrap);
    }
    mr_error error = { .status = MR_OK };
    mr_value itself = list_of(*state, 0, NULL);
    mr_value item = mr_value_number(1);
    mr_list_add(itself.list, item, &error);
    mr_value inner = list_of(*state, 0, NULL);
    mr_list_add(itself.list, inner, &error);
    assert_false(mr_list_add(itself.list, mr_value_retain(itself), &error)); // no circle
    assert_int_equal(error.status, MR_LIMIT);
    mr_value_release(&itself);
}

static void publishing_reaches_every_column(void **state)
{
    mr_error error;
    static const uint32_t words[2] = { 0xffffffff, 0x3f800000 };
    mr_column *columns[4];
    for (int i = 0; i < 4; i++) {
        columns[i] = mr_column_from(*state, MR_COLUMN_FLOAT, words, 2, &error);
    }
    mr_geometry *geometry = mr_geometry_create(*state, &error);
    mr_geometry_set(geometry, MR_POINT, "mass", mr_column_retain(columns[0]), &error);
    mr_raster *raster = mr_raster_create(*state, 0, 0, 1, 1, 1, 0, &error);
    mr_raster_layer_write(raster, "height", NAN, &error);
    mr_texture *texture = mr_texture_create(*state, 1, 1, 2, &error);
    memcpy(texture->texels->data, words, sizeof words);
    mr_value items[4] = { { .type = MR_COLUMN, .column = columns[1] },
                          { .type = MR_GEOMETRY, .geometry = geometry },
                          { .type = MR_RASTER, .raster = raster },
                          { .type = MR_TEXTURE, .texture = texture } };
    mr_value list = list_of(*state, 4, items);
    mr_value record = record_of(*state);
    set(&record, "all", list);
    assert_false(columns[1]->published);
    mr_value_publish(&record);
    assert_true(columns[0]->published && columns[0]->u32[0] == 0x7fc00000);
    assert_true(columns[1]->published && columns[1]->u32[0] == 0x7fc00000);
    assert_true(raster->layers[0].column->published);
    assert_true(texture->texels->published && texture->texels->u32[0] == 0x7fc00000);
    mr_value_release(&record);
    mr_column_release(columns[0]);
    mr_column_release(columns[2]);
    mr_column_release(columns[3]);
}

static void sizes_are_counted(void **state)
{
    mr_error error;
    mr_value raster = { .type = MR_RASTER, .raster = mr_raster_create(*state, 0, 0, 1, 100, 50, 10, &error) };
    size_t empty = mr_value_bytes(&raster);
    mr_raster_layer_write(raster.raster, "height", 0, &error);
    assert_true(mr_value_bytes(&raster) >= empty + 120 * 70 * 4);
    mr_value list = list_of(*state, 1, &raster);
    assert_true(mr_value_bytes(&list) >= empty + 120 * 70 * 4);
    mr_value record = record_of(*state);
    set(&record, "list", list);
    assert_true(mr_value_bytes(&record) >= empty + 120 * 70 * 4);
    mr_value_release(&record);
    mr_value text = text_of(*state, "four");
    assert_true(mr_value_bytes(&text) >= sizeof(mr_value) + 4);
    mr_value_release(&text);
}

static void textures_that_cannot_be_are_refused(void **state)
{
    mr_error error = { .status = MR_OK };
    static const uint32_t bad[][3] = { { 0, 1, 1 }, { 1, 0, 1 }, { 1, 1, 0 }, { 1, 1, 5 } };
    for (size_t i = 0; i < 4; i++) {
        assert_null(mr_texture_create(*state, bad[i][0], bad[i][1], bad[i][2], &error));
        assert_int_equal(error.status, MR_BAD_INPUT);
    }
    assert_null(mr_texture_create(*state, UINT32_MAX, UINT32_MAX, 4, &error));
    assert_int_equal(error.status, MR_LIMIT);
    mr_context *small = test_context_of(1, 1 << 20);
    assert_null(mr_texture_create(small, 1024, 1024, 4, &error));
    assert_int_equal(error.status, MR_LIMIT);
    test_context_end(small);
}

static bool add_item(mr_context *context, mr_value *list, mr_value *record, int i, mr_error *error)
{
    mr_value text, inner;
    char name[8];
    snprintf(name, sizeof name, "n%d", i);
    if (!mr_value_text(context, MR_VIEW("text"), &text, error)) {
        return false;
    }
    mr_value shared = mr_value_retain(text);
    if (!mr_list_add(list->list, text, error)) {
        mr_value_release(&shared);
        return false;
    }
    return mr_record_set(record->list, mr_view_of(name), shared, error) &&
           mr_value_list(context, &inner, error) && mr_list_add(list->list, inner, error);
}

static bool work(mr_context *context, mr_error *error)
{
    mr_value list = { .type = MR_NONE }, record = { .type = MR_NONE };
    bool good = mr_value_list(context, &list, error) && mr_value_record(context, &record, error);
    for (int i = 0; good && i < 20; i++) {
        good = add_item(context, &list, &record, i, error);
    }
    mr_texture *texture = good ? mr_texture_create(context, 2, 2, 2, error) : NULL;
    good = texture != NULL;
    mr_texture_release(texture);
    mr_value_release(&list);
    mr_value_release(&record);
    return good;
}

static void refused_memory_anywhere_is_an_error_and_no_leak(void **state)
{
    refuse_everywhere(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_are_equal_by_worth, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(different_values_are_different, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(what_is_retained_outlives_its_maker, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(records_are_what_a_plain_list_of_names_says, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(lists_too_deep_are_refused, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(publishing_reaches_every_column, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(sizes_are_counted, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(textures_that_cannot_be_are_refused, test_setup, test_teardown),
        cmocka_unit_test(refused_memory_anywhere_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
