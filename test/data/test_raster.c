// Rasters: cells that stand where they say, layers copied only when shared, sizes refused with the sum.

#include "refused.h"

#include "data/raster.h"

#include <math.h>

static mr_raster *raster_of(mr_context *context, uint32_t width, uint32_t height, uint32_t margin)
{
    mr_error error;
    mr_raster *raster = mr_raster_create(context, -3, 7, 0.5, width, height, margin, &error);
    test_assert_ok(raster != NULL, &error);
    return raster;
}

static float *layer_of(mr_raster *raster, const char *name, float fill)
{
    mr_error error;
    float *cells = mr_raster_layer_write(raster, name, fill, &error);
    test_assert_ok(cells != NULL, &error);
    return cells;
}

static mr_digest digest_of(const mr_raster *raster)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_raster_digest(raster, &digester);
    return mr_digest_end(&digester);
}

static bool same(const mr_raster *a, const mr_raster *b)
{
    return mr_digest_equal(digest_of(a), digest_of(b));
}

static size_t cell_count(const mr_raster *raster)
{
    return mr_raster_stride(raster) * mr_raster_rows(raster);
}

static void what_cannot_be_a_raster_is_refused(void **state)
{
    static const struct {
        int64_t corner_x, corner_z;
        double cell;
        uint32_t width, height;
        const char *says;
    } cases[] = {
        { 0, 0, 0, 1, 1, "a cell of 0 m" },
        { 0, 0, -1, 1, 1, "a cell of -1 m; it must be " },
        { 0, 0, 1e-7, 1, 1, "a cell of 1e-07 m" },
        { 0, 0, 1e7, 1, 1, "a cell of 1e+07 m" },
        { 0, 0, (double)NAN, 1, 1, "a cell of nan m" },
        { 0, 0, (double)INFINITY, 1, 1, "a cell of inf m" },
        { 0, 0, 1, 0, 1, "0 x 1 cells" },
        { 0, 0, 1, 1, 0, "1 x 0 cells" },
        { INT64_MIN, 0, 1, 1, 1, "m from the world's middle; the limit is 1e+12 m" },
        { INT64_MAX, 0, 1, 1, 1, "m from the world's middle" },
        { 0, INT64_MIN, 1e-6, 1, 1, "m from the world's middle" },
        { 1000001, 0, 1e6, 1, 1, "m from the world's middle" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mr_error error = { .status = MR_OK };
        assert_null(mr_raster_create(*state, cases[i].corner_x, cases[i].corner_z, cases[i].cell,
                                     cases[i].width, cases[i].height, 16, &error));
        assert_int_equal(error.status, MR_BAD_INPUT);
        assert_text_contains(error.message, cases[i].says);
    }
    mr_error error;
    mr_raster *far = mr_raster_create(*state, -1000000000000, 999999999000, 1, 1, 1, 16, &error);
    assert_null(far); // a margin past the limit is past it too
    far = mr_raster_create(*state, -999999999000, 999999999000, 1, 1, 1, 16, &error);
    test_assert_ok(far != NULL, &error);
    mr_raster_release(far);
}

static void a_size_past_the_limit_is_refused_with_the_sum(void **state)
{
    mr_error error = { .status = MR_OK };
    mr_context *context = test_context_of(1, 1 << 30);
    assert_null(mr_raster_create(context, 0, 0, 1, 65536, 65536, 16, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message,
                         "65536 x 65536 cells of 4 bytes and a margin of 16: 17.2 GB; the limit is 1.074 GB");
    assert_true(strlen(error.hint) > 0);
    assert_null(mr_raster_create(context, 0, 0, 1, UINT32_MAX, UINT32_MAX, UINT32_MAX, &error));
    assert_int_equal(error.status, MR_LIMIT);
    // One layer fits, the third does not.
    mr_raster *raster = mr_raster_create(context, 0, 0, 1, 10000, 10000, 0, &error);
    test_assert_ok(raster != NULL, &error);
    assert_non_null(mr_raster_layer_replace(raster, "a", &error));
    assert_non_null(mr_raster_layer_replace(raster, "b", &error));
    assert_null(mr_raster_layer_replace(raster, "c", &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message, "10000 x 10000 cells of 4 bytes");
    assert_int_equal(raster->layer_count, 2);
    mr_raster_release(raster);
    test_context_end(context);
    assert_null(mr_raster_create(*state, 0, 0, 1, UINT32_MAX, UINT32_MAX, 0, &error));
    assert_int_equal(error.status, MR_LIMIT); // also where the context has no limit of its own
}

static void layers_are_made_filled_and_kept_in_order(void **state)
{
    mr_error error = { .status = MR_OK };
    mr_raster *raster = raster_of(*state, 5, 3, 2);
    assert_int_equal(mr_raster_stride(raster), 9);
    assert_int_equal(mr_raster_rows(raster), 7);
    assert_null(mr_raster_layer_read(raster, "height"));
    const float *height = layer_of(raster, "height", 2.5f);
    for (size_t i = 0; i < cell_count(raster); i++) {
        assert_true(height[i] == 2.5f);
    }
    assert_ptr_equal(layer_of(raster, "height", 9), height); // there already: not filled again
    assert_true(height[0] == 2.5f);
    for (int i = 1; i < MR_RASTER_LAYERS; i++) {
        char name[8];
        snprintf(name, sizeof name, "l%d", 20 - i);
        layer_of(raster, name, (float)i);
        assert_string_equal(raster->layers[i].name, name);
    }
    assert_null(mr_raster_layer_write(raster, "one more", 0, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message, "one more would be the raster's 17th; it holds 16");
    assert_string_equal(raster->layers[0].name, "height");
    mr_raster_release(raster);
    raster = raster_of(*state, 1, 1, 0);
    assert_null(mr_raster_layer_write(raster, "", 0, &error));
    assert_null(mr_raster_layer_write(raster, "a name of thirty two bytes is 1 m", 0, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    layer_of(raster, "a name of thirty one bytes 1234", 0);
    mr_raster_release(raster);
}

static void copies_share_layers_until_one_is_written(void **state)
{
    mr_error error;
    mr_raster *raster = raster_of(*state, 40, 30, 1);
    layer_of(raster, "height", 1);
    layer_of(raster, "water", 2);
    layer_of(raster, "sand", 3);
    assert_ptr_equal(mr_raster_writable(raster, &error), raster); // alone
    mr_digest before = digest_of(raster);
    mr_raster *copy = mr_raster_writable(mr_raster_retain(raster), &error);
    assert_ptr_not_equal(copy, raster);
    assert_true(same(copy, raster));
    for (uint32_t i = 0; i < 3; i++) {
        assert_ptr_equal(copy->layers[i].column, raster->layers[i].column);
    }
    layer_of(copy, "water", 0)[5] = 7; // a copy of what was there, then written
    assert_true(mr_raster_layer_read(copy, "water")[4] == 2);
    assert_true(mr_raster_layer_read(raster, "water")[5] == 2);
    const float *fresh = mr_raster_layer_replace(copy, "sand", &error);
    assert_ptr_not_equal(fresh, mr_raster_layer_read(raster, "sand"));
    assert_ptr_equal(mr_raster_layer_read(copy, "height"), mr_raster_layer_read(raster, "height"));
    assert_true(mr_digest_equal(digest_of(raster), before));
    assert_ptr_equal(mr_raster_layer_replace(copy, "sand", &error), fresh); // nobody else's: itself
    mr_raster_release(raster);
    const float *height = mr_raster_layer_read(copy, "height");
    assert_ptr_equal(layer_of(copy, "height", 0), height);
    mr_raster_release(copy);
}

// A layer that was hashed and is then written has another digest.
static void writing_forgets_the_digest(void **state)
{
    mr_error error;
    mr_raster *raster = raster_of(*state, 8, 8, 0);
    layer_of(raster, "height", 1);
    mr_column_publish(raster->layers[0].column);
    mr_digest before = digest_of(raster);
    layer_of(raster, "height", 0)[3] = 4;
    mr_column_publish(raster->layers[0].column);
    mr_digest between = digest_of(raster);
    assert_false(mr_digest_equal(before, between));
    float *cells = mr_raster_layer_replace(raster, "height", &error);
    for (int i = 0; i < 64; i++) {
        cells[i] = 1;
    }
    mr_column_publish(raster->layers[0].column);
    assert_true(mr_digest_equal(digest_of(raster), before));
    mr_raster_release(raster);
}

static void every_part_of_a_raster_is_hashed_and_the_order_of_layers_is_not(void **state)
{
    mr_error error;
    mr_raster *a = raster_of(*state, 6, 4, 1), *b = raster_of(*state, 6, 4, 1);
    layer_of(a, "height", 1);
    layer_of(a, "water", 2);
    layer_of(b, "water", 2);
    layer_of(b, "height", 1);
    assert_true(same(a, b));
    layer_of(b, "height", 0)[0] = 3; // in the margin
    assert_false(same(a, b));
    layer_of(b, "height", 0)[0] = 1;
    assert_true(same(a, b));
    layer_of(b, "sand", 0);
    assert_false(same(a, b));
    mr_raster_release(b);
    static const struct {
        int64_t x, z;
        double cell;
        uint32_t width, height, margin;
    } cases[] = { { -2, 7, 0.5, 6, 4, 1 }, { -3, 8, 0.5, 6, 4, 1 }, { -3, 7, 0.25, 6, 4, 1 },
                  { -3, 7, 0.5, 4, 6, 1 }, { -3, 7, 0.5, 4, 2, 2 }, { -3, 7, 0.5, 8, 6, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        b = mr_raster_create(*state, cases[i].x, cases[i].z, cases[i].cell, cases[i].width, cases[i].height,
                             cases[i].margin, &error);
        layer_of(b, "height", 1);
        layer_of(b, "water", 2);
        assert_false(same(a, b));
        mr_raster_release(b);
    }
    mr_raster_release(a);
}

static void the_range_leaves_out_the_margin_and_nan(void **state)
{
    test_random random = { 11 };
    for (size_t round = 0; round < test_count(300); round++) {
        uint32_t width = 1 + test_below(&random, 9), height = 1 + test_below(&random, 9),
                 margin = test_below(&random, 3);
        mr_raster *raster = raster_of(*state, width, height, margin);
        float *cells = layer_of(raster, "height", 1e30f);
        float least = INFINITY, most = -INFINITY;
        for (uint32_t j = 0; j < height; j++) {
            for (uint32_t i = 0; i < width; i++) {
                float cell = (float)test_between(&random, -5, 5);
                bool nan = test_below(&random, 3) == 0;
                cells[(j + margin) * mr_raster_stride(raster) + i + margin] = nan ? NAN : cell;
                least = !nan && cell < least ? cell : least;
                most = !nan && cell > most ? cell : most;
            }
        }
        float low = 77, high = 78;
        bool any = mr_raster_range(raster, "height", &low, &high);
        assert_int_equal(any, least <= most);
        assert_true(low == (any ? least : 77) && high == (any ? most : 78));
        assert_false(mr_raster_range(raster, "depth", &low, &high));
        mr_raster_release(raster);
    }
}

// Where two rasters overlap, the position of a cell is one f64 whichever of them it is worked from.
static void overlapping_rasters_share_the_positions_of_their_cells(void **state)
{
    static const double cells[] = { 0.3, 1, 2 };
    test_random random = { 11 };
    for (size_t n = 0; n < test_count(2000); n++) {
        mr_error error;
        double cell = cells[n % 3];
        int64_t x = (int64_t)(test_u64(&random) % 800000000000) - 400000000000;
        uint32_t shift = test_below(&random, 101);
        mr_raster *a = mr_raster_create(*state, x, -x, cell, 128, 128, 0, &error);
        mr_raster *b = mr_raster_create(*state, x + shift, -x, cell, 128, 128, 0, &error);
        for (uint32_t i = 0; i + shift < 128; i++) {
            double from_a = (double)(a->corner_x + i + shift) * a->cell;
            double from_b = (double)(b->corner_x + i) * b->cell;
            assert_memory_equal(&from_a, &from_b, sizeof from_a);
        }
        mr_raster_release(a);
        mr_raster_release(b);
    }
}

static bool work(mr_context *context, mr_error *error)
{
    mr_raster *raster = mr_raster_create(context, 0, 0, 1, 9, 9, 1, error);
    mr_raster *copy = NULL;
    bool good = raster && mr_raster_layer_write(raster, "height", 1, error) &&
                mr_raster_layer_replace(raster, "water", error);
    copy = good ? mr_raster_writable(mr_raster_retain(raster), error) : NULL;
    good = copy && mr_raster_layer_write(copy, "height", 1, error) &&
           mr_raster_layer_replace(copy, "water", error) && mr_raster_layer_write(copy, "sand", 1, error);
    mr_raster_release(raster);
    mr_raster_release(copy);
    return good;
}

static void refused_memory_anywhere_is_an_error_and_no_leak(void **state)
{
    refuse_everywhere(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_cannot_be_a_raster_is_refused, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_size_past_the_limit_is_refused_with_the_sum, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(layers_are_made_filled_and_kept_in_order, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(copies_share_layers_until_one_is_written, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(writing_forgets_the_digest, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(every_part_of_a_raster_is_hashed_and_the_order_of_layers_is_not,
                                        test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(the_range_leaves_out_the_margin_and_nan, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(overlapping_rasters_share_the_positions_of_their_cells, test_setup,
                                        test_teardown),
        cmocka_unit_test(refused_memory_anywhere_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests_name("raster", tests, NULL, NULL);
}
