// Columns, geometry, rasters, textures and values: what is shared, what is copied, what is the same content.

#include "support.h"

#include "data/scene.h"
#include "data/value.h"

#include <math.h>

static mr_digest column_digest(const mr_column *column)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_column_digest(column, &digester);
    return mr_digest_end(&digester);
}

static mr_digest value_digest(mr_value value)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_value_digest(&value, &digester);
    return mr_digest_end(&digester);
}

static bool same(mr_digest a, mr_digest b)
{
    return mr_digest_equal(a, b);
}

static mr_column *make(mr_context *context, mr_column_type type, size_t count)
{
    mr_error error;
    mr_column *column = mr_column_create(context, type, count, &error);
    test_assert_ok(column != NULL, &error);
    return column;
}

// Around the sizes at which publishing changes its way (blocks of 2^10 words, chunks of 2^18).
static void publishing_makes_every_nan_one_nan_and_nothing_else(void **state)
{
    static const size_t counts[] = { 0, 1, 1023, 1024, 1025, 262143, 262144, 262145, 600001 };
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        mr_context *context = test_context_of(threads, 0);
        test_random random = { 3 };
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            mr_column *column = make(context, MR_COLUMN_FLOAT, counts[c]);
            uint32_t *before = malloc(counts[c] * 4 + 4);
            for (size_t i = 0; i < counts[c]; i++) {
                column->u32[i] = before[i] = test_below(&random, 5000) ? test_u32(&random) & 0xbfffffffu
                                                                       : test_u32(&random) | 0x7f800000u;
            }
            mr_column_publish(column);
            for (size_t i = 0; i < counts[c]; i++) {
                float value;
                memcpy(&value, &before[i], 4);
                if (column->u32[i] != (value != value ? 0x7fc00000u : before[i])) {
                    fail_msg("word %zu of %zu: %x became %x", i, counts[c], before[i], column->u32[i]);
                }
            }
            free(before);
            mr_column_release(column);
        }
        test_context_end(context);
    }
}

static void integers_are_published_as_they_are(void **state)
{
    mr_context *context = *state;
    mr_column *column = make(context, MR_COLUMN_UINT, 3);
    column->u32[0] = 0xffffffffu;
    column->u32[1] = 0x7f800001u;
    column->u32[2] = 0;
    mr_column_publish(column);
    assert_int_equal(column->u32[0], 0xffffffffu);
    assert_int_equal(column->u32[1], 0x7f800001u);
    mr_column_release(column);
}

static void a_columns_digest_is_its_content_at_any_threads(void **state)
{
    mr_digest first = { 0, 0 };
    for (uint32_t threads = 1; threads <= 7; threads += 3) {
        mr_context *context = test_context_of(threads, 0);
        mr_column *column = make(context, MR_COLUMN_VEC3, 1000003);
        for (size_t i = 0; i < 3000009; i++) {
            column->u32[i] = (uint32_t)(i * 2654435761u) & 0xbfffffffu;
        }
        mr_digest loose = column_digest(column);
        mr_column_publish(column);
        mr_digest digest = column_digest(column);
        assert_true(same(loose, digest));
        assert_true(same(column_digest(column), digest)); // remembered
        assert_true(threads == 1 || same(digest, first));
        first = digest;
        mr_column_reopen(column);
        column->u32[2999999] ^= 1;
        mr_column_publish(column);
        assert_false(same(column_digest(column), digest)); // not remembered too long
        mr_column_release(column);
        test_context_end(context);
    }
}

static void type_and_count_are_part_of_a_columns_content(void **state)
{
    mr_context *context = *state;
    static const uint32_t words[4] = { 1, 2, 3, 4 };
    mr_error error;
    mr_column *columns[4] = {
        mr_column_from(context, MR_COLUMN_UINT, words, 4, &error),
        mr_column_from(context, MR_COLUMN_INT, words, 4, &error),
        mr_column_from(context, MR_COLUMN_INT2, words, 2, &error),
        mr_column_from(context, MR_COLUMN_UINT, words, 3, &error),
    };
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++) {
            assert_false(same(column_digest(columns[i]), column_digest(columns[k])));
        }
    }
    for (int i = 0; i < 4; i++) {
        mr_column_release(columns[i]);
    }
}

static void text_is_the_same_by_words_whatever_their_numbers(void **state)
{
    mr_context *context = *state;
    mr_column *a = make(context, MR_COLUMN_TEXT, 3);
    mr_column *b = make(context, MR_COLUMN_TEXT, 3);
    static const char *const words[3] = { "oak", "ash", "oak" };
    assert_int_equal(mr_column_word(b, MR_VIEW("elm")), 0); // never used
    assert_int_equal(mr_column_word(b, MR_VIEW("ash")), 1);
    for (int i = 0; i < 3; i++) {
        a->u32[i] = mr_column_word(a, mr_view_of(words[i]));
        b->u32[i] = mr_column_word(b, mr_view_of(words[i]));
    }
    assert_int_equal(a->u32[0], 0);
    assert_int_equal(b->u32[0], 2);
    assert_int_equal(a->word_count, 2);
    assert_true(same(column_digest(a), column_digest(b)));
    b->u32[1] = 0;
    assert_false(same(column_digest(a), column_digest(b)));
    mr_error error;
    mr_column *copy = mr_column_writable(mr_column_retain(a), &error);
    assert_ptr_not_equal(copy, a);
    assert_true(same(column_digest(copy), column_digest(a)));
    assert_int_equal(mr_column_word(copy, MR_VIEW("yew")), 2);
    assert_int_equal(a->word_count, 2);
    mr_column_release(copy);
    mr_column_release(a);
    mr_column_release(b);
}

static void a_column_is_copied_only_when_another_holds_it(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_column *column = mr_column_publish(make(context, MR_COLUMN_FLOAT, 8));
    assert_ptr_equal(mr_column_writable(column, &error), column);
    assert_false(column->published);
    column->f32[0] = 5;
    mr_column *other = mr_column_writable(mr_column_retain(column), &error);
    assert_ptr_not_equal(other, column);
    other->f32[0] = 6;
    assert_true(column->f32[0] == 5);
    mr_column_release(other);
    mr_column_release(column);
}

static const float square[12] = { 0, 0, 0, 1, 0, 0, 1, 0, -1, 0, 0, -1 };
static const uint32_t halves[6] = { 0, 1, 2, 0, 2, 3 };

static mr_geometry *make_square(mr_context *context)
{
    mr_error error;
    mr_geometry *geometry = mr_geometry_from_triangles(context, square, 4, halves, 2, &error);
    test_assert_ok(geometry != NULL, &error);
    return geometry;
}

static mr_digest geometry_digest(mr_geometry *geometry)
{
    return value_digest((mr_value){ .type = MR_GEOMETRY, .geometry = geometry });
}

static void triangles_make_a_valid_geometry(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_geometry *geometry = make_square(context);
    test_assert_ok(mr_geometry_validate(geometry, &error), &error);
    assert_int_equal(mr_geometry_count(geometry, MR_POINT), 4);
    assert_int_equal(mr_geometry_count(geometry, MR_VERTEX), 6);
    assert_int_equal(mr_geometry_count(geometry, MR_PRIMITIVE), 2);
    assert_int_equal(mr_geometry_find(geometry, MR_VERTEX, "pt")->i32[5], 3);
    float low[3], high[3];
    assert_true(mr_geometry_bounds(geometry, low, high));
    assert_true(low[0] == 0 && high[0] == 1 && low[2] == -1 && high[2] == 0 && low[1] == 0 && high[1] == 0);
    for (size_t i = 1; i < geometry->classes[MR_PRIMITIVE].count; i++) {
        assert_true(strcmp(geometry->classes[MR_PRIMITIVE].items[i - 1].name,
                           geometry->classes[MR_PRIMITIVE].items[i].name) < 0);
    }
    mr_geometry_release(geometry);
}

static void a_geometrys_copy_shares_its_columns(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_geometry *geometry = make_square(context);
    mr_column *place = mr_geometry_find(geometry, MR_POINT, "P");
    assert_ptr_equal(mr_geometry_writable(geometry, &error), geometry);
    mr_geometry *copy = mr_geometry_writable(mr_geometry_retain(geometry), &error);
    assert_ptr_not_equal(copy, geometry);
    assert_ptr_equal(mr_geometry_find(copy, MR_POINT, "P"), place);
    test_assert_ok(mr_geometry_set(copy, MR_POINT, "Cd", make(context, MR_COLUMN_COLOR, 4), &error), &error);
    assert_null(mr_geometry_find(geometry, MR_POINT, "Cd"));
    mr_geometry_remove(copy, MR_POINT, "Cd");
    mr_geometry_remove(copy, MR_POINT, "Cd");
    assert_true(same(geometry_digest(copy), geometry_digest(geometry)));
    mr_geometry_release(copy);
    mr_geometry_release(geometry);
}

static void attributes_of_one_class_agree_in_count(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_geometry *geometry = make_square(context);
    assert_false(mr_geometry_set(geometry, MR_POINT, "Cd", make(context, MR_COLUMN_COLOR, 5), &error));
    assert_string_equal(error.message, "point.Cd has 5 elements where the class has 4");
    assert_false(mr_geometry_set(geometry, MR_POINT, "a_name_that_is_far_too_long_to_be_kept",
                                 make(context, MR_COLUMN_FLOAT, 4), &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    mr_geometry_release(geometry);
}

static void the_order_of_setting_is_no_part_of_a_geometry(void **state)
{
    mr_context *context = *state;
    mr_digest digests[2];
    static const char *const names[3] = { "b", "c", "a" };
    for (int order = 0; order < 2; order++) {
        mr_error error;
        mr_geometry *geometry = make_square(context);
        for (int i = 0; i < 3; i++) {
            int which = order ? 2 - i : i;
            mr_column *column = make(context, MR_COLUMN_INT, 4);
            for (int k = 0; k < 4; k++) {
                column->i32[k] = which * 10 + k;
            }
            test_assert_ok(mr_geometry_set(geometry, MR_POINT, names[which], column, &error), &error);
        }
        digests[order] = geometry_digest(geometry);
        mr_geometry_release(geometry);
    }
    assert_true(same(digests[0], digests[1]));
}

static void linkage_out_of_range_is_named(void **state)
{
    mr_context *context = *state;
    mr_error error;
    static const uint32_t wild[3] = { 0, 1, 4 };
    mr_geometry *geometry = mr_geometry_from_triangles(context, square, 4, wild, 1, &error);
    assert_false(mr_geometry_validate(geometry, &error));
    assert_string_equal(error.message, "vertex 2 stands on point 4 of 4");
    mr_geometry_release(geometry);
    static const float far[3] = { 0, INFINITY, 0 };
    geometry = mr_geometry_from_triangles(context, far, 1, NULL, 0, &error);
    assert_false(mr_geometry_validate(geometry, &error));
    assert_text_contains(error.message, "point 0 stands at 0, inf, 0");
    mr_geometry_release(geometry);
    geometry = make_square(context);
    mr_column *count = make(context, MR_COLUMN_INT, 2);
    count->i32[0] = 3;
    count->i32[1] = 4;
    test_assert_ok(mr_geometry_set(geometry, MR_PRIMITIVE, "vcount", count, &error), &error);
    assert_false(mr_geometry_validate(geometry, &error));
    assert_string_equal(error.message, "primitive 1 runs over vertices 3 to 6 of 6");
    mr_geometry_release(geometry);
}

static mr_raster *make_raster(mr_context *context, int64_t x, int64_t z, uint32_t side, uint32_t margin)
{
    mr_error error;
    mr_raster *raster = mr_raster_create(context, x, z, 0.3, side, side, margin, &error);
    test_assert_ok(raster != NULL, &error);
    return raster;
}

static mr_digest raster_digest(mr_raster *raster)
{
    return value_digest((mr_value){ .type = MR_RASTER, .raster = raster });
}

static void only_the_layer_that_is_written_is_copied(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_raster *raster = make_raster(context, 0, 0, 8, 2);
    float *height = mr_raster_layer_write(raster, "height", 1, &error);
    float *water = mr_raster_layer_write(raster, "water", 2, &error);
    assert_true(height[143] == 1 && water[0] == 2);
    assert_ptr_equal(mr_raster_layer_write(raster, "height", 9, &error), height); // alone: in place
    assert_ptr_equal(mr_raster_layer_replace(raster, "height", &error), height);
    mr_raster *copy = mr_raster_writable(mr_raster_retain(raster), &error);
    assert_ptr_not_equal(copy, raster);
    assert_ptr_equal(mr_raster_layer_read(copy, "height"), height);
    float *mine = mr_raster_layer_write(copy, "height", 0, &error);
    assert_ptr_not_equal(mine, height);
    assert_true(mine[5] == 1);
    assert_ptr_equal(mr_raster_layer_read(copy, "water"), water);
    assert_ptr_not_equal(mr_raster_layer_replace(copy, "water", &error), water);
    assert_null(mr_raster_layer_read(copy, "mask"));
    mr_raster_release(copy);
    assert_ptr_equal(mr_raster_layer_write(raster, "water", 0, &error), water); // alone again
    mr_raster_release(raster);
}

static void a_layers_writing_is_seen_by_its_digest(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_value value = { .type = MR_RASTER, .raster = make_raster(context, 0, 0, 4, 1) };
    mr_raster_layer_write(value.raster, "height", 1, &error);
    mr_value_publish(&value);
    mr_digest before = value_digest(value);
    mr_raster_layer_write(value.raster, "height", 0, &error)[0] = 7; // in the margin
    mr_value_publish(&value);
    assert_false(same(value_digest(value), before));
    mr_raster_layer_write(value.raster, "height", 0, &error)[0] = 1;
    assert_true(same(value_digest(value), before));
    mr_value_release(&value);
}

static void layers_are_the_same_in_any_order(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_raster *a = make_raster(context, 3, -4, 4, 1);
    mr_raster *b = make_raster(context, 3, -4, 4, 1);
    mr_raster *moved = make_raster(context, 3, -5, 4, 1);
    mr_raster_layer_write(a, "height", 1, &error);
    mr_raster_layer_write(a, "mask", 2, &error);
    mr_raster_layer_write(b, "mask", 2, &error);
    mr_raster_layer_write(b, "height", 1, &error);
    mr_raster_layer_write(moved, "height", 1, &error);
    mr_raster_layer_write(moved, "mask", 2, &error);
    assert_true(same(raster_digest(a), raster_digest(b)));
    assert_false(same(raster_digest(a), raster_digest(moved)));
    mr_raster_release(a);
    mr_raster_release(b);
    mr_raster_release(moved);
}

// Where two rasters overlap, the position of a cell is one f64 whichever of them it is worked from.
static void overlapping_rasters_share_the_positions_of_their_cells(void **state)
{
    mr_context *context = *state;
    test_random random = { 11 };
    for (size_t n = 0; n < test_count(2000); n++) {
        int64_t x = (int64_t)(test_u64(&random) % 2000000000) - 1000000000;
        uint32_t shift = test_below(&random, 100);
        mr_raster *a = make_raster(context, x, 0, 128, 0);
        mr_raster *b = make_raster(context, x + shift, 0, 128, 0);
        for (uint32_t i = 0; i + shift < 128; i++) {
            double from_a = (double)(a->corner_x + i + shift) * a->cell;
            double from_b = (double)(b->corner_x + i) * b->cell;
            assert_memory_equal(&from_a, &from_b, sizeof from_a);
        }
        mr_raster_release(a);
        mr_raster_release(b);
    }
}

static void a_range_leaves_out_the_margin_and_what_is_not_a_number(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_raster *raster = make_raster(context, 0, 0, 2, 1);
    float *height = mr_raster_layer_write(raster, "height", 100, &error);
    height[5] = -1;
    height[6] = NAN;
    height[9] = 4;
    height[10] = 2;
    float low = 0, high = 0;
    assert_true(mr_raster_range(raster, "height", &low, &high));
    assert_true(low == -1 && high == 4);
    assert_false(mr_raster_range(raster, "mask", &low, &high));
    height[5] = height[9] = height[10] = NAN;
    assert_false(mr_raster_range(raster, "height", &low, &high));
    mr_raster_release(raster);
}

static void refuse_raster(mr_context *context, int64_t corner, double cell, uint32_t side, const char *part)
{
    mr_error error;
    assert_null(mr_raster_create(context, corner, 0, cell, side, side, 16, &error));
    assert_text_contains(error.message, part);
}

static void rasters_that_cannot_be_are_refused(void **state)
{
    mr_context *context = test_context_of(1, 4000000000u);
    refuse_raster(context, 0, 1, 65536,
                  "65536 x 65536 cells of 4 bytes and a margin of 16: 17.2 GB; the limit is 4 GB");
    mr_context_destroy(context);
    context = *state;
    refuse_raster(context, 0, 1, 4294967295u, "the limit is 1100 GB");
    refuse_raster(context, 0, 0, 4, "a cell of 0 m");
    refuse_raster(context, 0, NAN, 4, "a cell of nan m");
    refuse_raster(context, 0, -1, 4, "a cell of -1 m");
    refuse_raster(context, 0, INFINITY, 4, "a cell of inf m");
    refuse_raster(context, 0, 1, 0, "0 x 0 cells");
    refuse_raster(context, INT64_MAX, 1, 4, "the limit is 1e+12 m");
    refuse_raster(context, INT64_MIN, 1, 4, "the limit is 1e+12 m");
    mr_error error;
    mr_raster *raster = make_raster(context, 0, 0, 1, 0);
    for (int i = 0; i < MR_RASTER_LAYERS; i++) {
        char name[16];
        mr_text_format(name, sizeof name, "layer%d", i);
        assert_non_null(mr_raster_layer_write(raster, name, 0, &error));
    }
    assert_null(mr_raster_layer_write(raster, "more", 0, &error));
    assert_text_contains(error.message, "the layer more would be the raster's 17th");
    mr_raster_release(raster);
}

static void textures_are_checked_and_hashed_by_texels(void **state)
{
    mr_context *context = *state;
    mr_error error;
    assert_null(mr_texture_create(context, 4, 0, 1, &error));
    assert_null(mr_texture_create(context, 4, 4, 5, &error));
    mr_texture *a = mr_texture_create(context, 2, 3, 1, &error);
    mr_texture *b = mr_texture_create(context, 3, 2, 1, &error);
    for (int i = 0; i < 6; i++) {
        a->texels->f32[i] = b->texels->f32[i] = (float)i;
    }
    mr_value value = { .type = MR_TEXTURE, .texture = a };
    mr_value other = { .type = MR_TEXTURE, .texture = b };
    assert_false(mr_value_equal(&value, &other));
    mr_value_release(&value);
    mr_value_release(&other);
}

static mr_value text(mr_context *context, const char *words)
{
    mr_value value;
    mr_error error;
    test_assert_ok(mr_value_text(context, mr_view_of(words), &value, &error), &error);
    return value;
}

static void numbers_are_the_same_by_what_they_count(void **state)
{
    mr_value two = mr_value_integer(2);
    mr_value two_point_nought = mr_value_number(2.0);
    assert_true(mr_value_equal(&two, &two_point_nought));
    mr_value zero = mr_value_number(0), minus_zero = mr_value_number(-0.0), none = mr_value_integer(0);
    assert_true(mr_value_equal(&zero, &minus_zero) && mr_value_equal(&zero, &none));
    mr_value a = mr_value_integer(9007199254740992), b = mr_value_integer(9007199254740993);
    mr_value c = mr_value_number(9007199254740992.0), d = mr_value_number(9223372036854775808.0);
    mr_value most = mr_value_integer(INT64_MAX);
    assert_false(mr_value_equal(&a, &b));
    assert_true(mr_value_equal(&a, &c));
    assert_false(mr_value_equal(&most, &d));
    mr_value yes = mr_value_boolean(true), one = mr_value_integer(1);
    assert_false(mr_value_equal(&yes, &one));
    uint64_t bits[2] = { 0x7ff8000000000001u, 0xfff0000000000001u };
    mr_value nans[2] = { { .type = MR_NUMBER }, { .type = MR_NUMBER } };
    memcpy(&nans[0].number, &bits[0], 8);
    memcpy(&nans[1].number, &bits[1], 8);
    assert_true(mr_value_equal(&nans[0], &nans[1]));
}

static void lists_go_by_order_and_records_by_name(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_value values[4];
    for (int i = 0; i < 4; i++) {
        bool record = i >= 2;
        test_assert_ok(record ? mr_value_record(context, &values[i], &error)
                              : mr_value_list(context, &values[i], &error),
                       &error);
        for (int k = 0; k < 40; k++) {
            int which = i % 2 ? 39 - k : k;
            char name[8];
            mr_text_format(name, sizeof name, "n%d", which);
            mr_value item = which % 2 ? mr_value_integer(which) : text(context, name);
            test_assert_ok(record ? mr_record_set(values[i].list, mr_view_of(name), item, &error)
                                  : mr_list_add(values[i].list, item, &error),
                           &error);
        }
    }
    assert_false(mr_value_equal(&values[0], &values[1]));
    assert_true(mr_value_equal(&values[2], &values[3]));
    assert_false(mr_value_equal(&values[0], &values[2]));
    assert_int_equal(mr_record_find(values[2].list, "n7")->integer, 7);
    assert_null(mr_record_find(values[2].list, "n40"));
    test_assert_ok(mr_record_set(values[2].list, MR_VIEW("n7"), text(context, "seven"), &error), &error);
    assert_int_equal(values[2].list->count, 40);
    assert_false(mr_value_equal(&values[2], &values[3]));
    for (int i = 0; i < 4; i++) {
        mr_value_release(&values[i]);
    }
}

static void lists_have_a_bottom(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_value value;
    test_assert_ok(mr_value_list(context, &value, &error), &error);
    int depth = 0;
    for (;; depth++) {
        mr_value outer;
        test_assert_ok(mr_value_list(context, &outer, &error), &error);
        if (!mr_list_add(outer.list, value, &error)) { // which takes the value also then
            value = outer;
            break;
        }
        value = outer;
    }
    assert_int_equal(error.status, MR_LIMIT);
    assert_int_equal(depth, MR_LIST_DEPTH - 1);
    mr_value itself = mr_value_retain(value);
    assert_false(mr_list_add(value.list, itself, &error));
    mr_value_release(&value);
}

static void bytes_count_what_is_held(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_value value = { .type = MR_RASTER, .raster = make_raster(context, 0, 0, 100, 0) };
    size_t bare = mr_value_bytes(&value);
    mr_raster_layer_write(value.raster, "height", 0, &error);
    size_t one = mr_value_bytes(&value);
    assert_true(one >= bare + 40000 && one < bare + 41000);
    mr_value_release(&value);
}

// A value of every kind, made while memory fails at each place in turn.
static bool make_all(mr_context *context, mr_error *error)
{
    mr_value record = { .type = MR_NONE }, list = { .type = MR_NONE }, item;
    mr_geometry *geometry = mr_geometry_from_triangles(context, square, 4, halves, 2, error);
    bool good = geometry && mr_value_record(context, &record, error) && mr_value_list(context, &list, error);
    for (int i = 0; good && i < 20; i++) {
        char name[8];
        mr_text_format(name, sizeof name, "n%d", i);
        good = mr_value_text(context, mr_view_of(name), &item, error) &&
               mr_record_set(record.list, mr_view_of(name), item, error) &&
               mr_list_add(list.list, mr_value_retain(record), error);
    }
    mr_raster *raster = good ? mr_raster_create(context, 0, 0, 1, 8, 8, 1, error) : NULL;
    good = raster && mr_raster_layer_write(raster, "height", 0, error) &&
           mr_raster_layer_replace(raster, "water", error);
    if (good) {
        mr_raster *copy = mr_raster_writable(mr_raster_retain(raster), error);
        good = copy && mr_raster_layer_write(copy, "height", 0, error);
        mr_raster_release(copy);
    }
    if (good) {
        geometry = mr_geometry_writable(geometry, error);
        mr_geometry *copy = mr_geometry_writable(mr_geometry_retain(geometry), error);
        mr_column *column = copy ? mr_column_create(context, MR_COLUMN_TEXT, 4, error) : NULL;
        good = column && mr_column_word(column, MR_VIEW("oak")) == 0;
        if (good) {
            memset(column->data, 0, 16);
            good = mr_geometry_set(copy, MR_POINT, "kind", column, error);
        } else {
            mr_column_release(column);
            error->status = column ? MR_OUT_OF_MEMORY : error->status;
        }
        mr_geometry_release(copy);
    }
    mr_texture *texture = good ? mr_texture_create(context, 4, 4, 3, error) : NULL;
    good = texture != NULL;
    mr_texture_release(texture);
    mr_raster_release(raster);
    mr_geometry_release(geometry);
    mr_value_release(&list);
    mr_value_release(&record);
    return good;
}

static void memory_failing_anywhere_leaks_nothing(void **state)
{
    bool good = false;
    for (uint64_t n = 1; !good; n++) {
        mr_context *context = test_context_of(1, 0);
        mr_error error = { .status = MR_OK };
        mr_memory_fail_after(context, n, n % 2);
        good = make_all(context, &error);
        assert_true(good || error.status == MR_OUT_OF_MEMORY);
        mr_memory_fail_after(context, 0, false);
        test_context_end(context);
        assert_true(n < 1000);
    }
}

static mr_scene *make_scene(mr_context *context, bool backwards, float x)
{
    mr_error error;
    mr_scene *scene = mr_scene_create(context, &error);
    test_assert_ok(scene != NULL, &error);
    static const char *const paths[3] = { "isle.a", "isle.b", "isle.c" };
    for (int i = 0; i < 3; i++) {
        int which = backwards ? 2 - i : i;
        mr_entity entity = {
            .path = paths[which],
            .parent = MR_NO_INDEX,
            .model = MR_NO_INDEX,
            .transform = mr_transform_identity,
        };
        entity.transform.translation[0] = x * (float)which;
        assert_true(mr_array_push(context, &scene->entities, entity));
    }
    return scene;
}

static void a_scenes_digest_goes_by_path_not_by_order(void **state)
{
    mr_context *context = *state;
    mr_scene *scenes[3] = { make_scene(context, false, 1), make_scene(context, true, 1),
                            make_scene(context, false, 2) };
    assert_true(same(mr_scene_digest(scenes[0]), mr_scene_digest(scenes[1])));
    assert_false(same(mr_scene_digest(scenes[0]), mr_scene_digest(scenes[2])));
    for (int i = 0; i < 3; i++) {
        mr_scene_destroy(scenes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(publishing_makes_every_nan_one_nan_and_nothing_else),
        cmocka_unit_test(integers_are_published_as_they_are),
        cmocka_unit_test(a_columns_digest_is_its_content_at_any_threads),
        cmocka_unit_test(type_and_count_are_part_of_a_columns_content),
        cmocka_unit_test(text_is_the_same_by_words_whatever_their_numbers),
        cmocka_unit_test(a_column_is_copied_only_when_another_holds_it),
        cmocka_unit_test(triangles_make_a_valid_geometry),
        cmocka_unit_test(a_geometrys_copy_shares_its_columns),
        cmocka_unit_test(attributes_of_one_class_agree_in_count),
        cmocka_unit_test(the_order_of_setting_is_no_part_of_a_geometry),
        cmocka_unit_test(linkage_out_of_range_is_named),
        cmocka_unit_test(only_the_layer_that_is_written_is_copied),
        cmocka_unit_test(a_layers_writing_is_seen_by_its_digest),
        cmocka_unit_test(layers_are_the_same_in_any_order),
        cmocka_unit_test(overlapping_rasters_share_the_positions_of_their_cells),
        cmocka_unit_test(a_range_leaves_out_the_margin_and_what_is_not_a_number),
        cmocka_unit_test(rasters_that_cannot_be_are_refused),
        cmocka_unit_test(textures_are_checked_and_hashed_by_texels),
        cmocka_unit_test(numbers_are_the_same_by_what_they_count),
        cmocka_unit_test(lists_go_by_order_and_records_by_name),
        cmocka_unit_test(lists_have_a_bottom),
        cmocka_unit_test(bytes_count_what_is_held),
        cmocka_unit_test(memory_failing_anywhere_leaks_nothing),
        cmocka_unit_test(a_scenes_digest_goes_by_path_not_by_order),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
