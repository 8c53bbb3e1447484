#include "support.h"

#include "base/file.h"
#include "io/csv.h"
#include "io/exr.h"
#include "io/gltf.h"
#include "io/height.h"
#include "io/png.h"

#include <math.h>
#include <sys/mount.h>
#include <sys/wait.h>

// A ramp of 1 : 1000 over 4 km: 4 m of rise, 2001 samples of 2 m, with a margin that must not travel.
enum { RAMP = 2001, ROWS = 5, MARGIN = 3 };

static mr_raster *make_ramp(mr_context *context, double base)
{
    mr_error error;
    mr_raster *raster = mr_raster_create(context, -700, 123456789012, 2.0, RAMP, ROWS, MARGIN, &error);
    assert_non_null(raster);
    float *cells = mr_raster_layer_write(raster, "height", 9e9f, &error);
    assert_non_null(cells);
    for (size_t z = 0; z < ROWS; z++) {
        for (size_t x = 0; x < RAMP; x++) {
            cells[(z + MARGIN) * mr_raster_stride(raster) + x + MARGIN] = (float)(base + 0.002 * (double)x);
        }
    }
    return raster;
}

static float cell_of(const mr_raster *raster, size_t x, size_t z)
{
    const float *cells = mr_raster_layer_read(raster, "height");
    return cells[(z + MARGIN) * mr_raster_stride(raster) + x + MARGIN];
}

static void a_ramp_comes_back_through_png_within_half_a_code(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "h.png", &error));
    static const double bases[] = { 0, -30, 1000, -0.001 };
    for (size_t b = 0; b < 4; b++) {
        mr_raster *raster = make_ramp(context, bases[b]);
        float low;
        float high;
        test_assert_ok(mr_height_save_png(context, path, raster, "height", &low, &high, &error), &error);
        assert_true(low == (float)bases[b]);
        assert_true(high == cell_of(raster, RAMP - 1, 0));
        mr_height_file file;
        test_assert_ok(mr_height_load(context, path, &file, &error), &error);
        assert_int_equal(file.texture->width, RAMP);
        assert_int_equal(file.texture->height, ROWS);
        assert_int_equal(file.texture->bits, 16);
        assert_false(file.coarse);
        assert_true(file.texture->has_range);
        assert_true(file.texture->range_low == (double)low && file.texture->range_high == (double)high);
        assert_true(file.has_place && file.cell == 2 && file.corner_x == -700);
        assert_true(file.corner_z == 123456789012);
        double quantum = ((double)high - (double)low) / 65535;
        double before = -1e9;
        for (size_t z = 0; z < ROWS; z++) {
            before = -1e9;
            for (size_t x = 0; x < RAMP; x++) {
                double height = mr_height_of_code(file.texture, file.texture->texels->f32[z * RAMP + x]);
                assert_true(fabs(height - (double)cell_of(raster, x, z)) <= quantum * 0.5000001);
                // 2 mm a sample are 32 codes: no two samples may share one, and none is far from its step.
                assert_true(height - before > 0.0019);
                assert_true(x == 0 || height - before < 0.0021);
                before = height;
            }
        }
        mr_texture_release(file.texture);
        mr_raster_release(raster);
    }
    test_folder_remove(folder);
}

static void a_ramp_comes_back_through_exr_to_the_bit(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "h.exr", &error));
    mr_raster *raster = make_ramp(context, -30);
    test_assert_ok(mr_height_save_exr(context, path, raster, "height", &error), &error);
    mr_height_file file;
    test_assert_ok(mr_height_load(context, path, &file, &error), &error);
    for (size_t i = 0; i < (size_t)RAMP * ROWS; i++) {
        assert_true(file.texture->texels->f32[i] == cell_of(raster, i % RAMP, i / RAMP));
        assert_true(mr_height_of_code(file.texture, file.texture->texels->f32[i]) ==
                    (double)cell_of(raster, i % RAMP, i / RAMP));
    }
    assert_true(file.texture->has_range && file.texture->range_low == -30);
    assert_true(file.has_place && file.cell == 2 && file.corner_x == -700 && file.corner_z == 123456789012);
    mr_texture_release(file.texture);
    mr_raster_release(raster);
    test_folder_remove(folder);
}

static void a_picture_of_eight_bits_is_told_as_coarse(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "h.png", &error));
    uint8_t pixels[12] = { 1, 1, 1, 9, 9, 9, 200, 200, 200, 255, 255, 255 };
    test_assert_ok(mr_png_save(context, path, pixels, 4, 1, 3, 8, NULL, 0, &error), &error);
    mr_height_file file;
    test_assert_ok(mr_height_load(context, path, &file, &error), &error);
    assert_true(file.coarse);
    assert_int_equal(file.texture->channels, 1);
    assert_true(file.texture->texels->f32[2] == 200.0f);
    assert_false(file.has_place);
    assert_true(mr_height_of_code(file.texture, 200.0f) == 200.0); // no range: a code is metres
    mr_texture_release(file.texture);
    pixels[7] = 3;
    test_assert_ok(mr_png_save(context, path, pixels, 4, 1, 3, 8, NULL, 0, &error), &error);
    assert_false(mr_height_load(context, path, &file, &error));
    assert_text_contains(error.message, "channels R, G, B");
    assert_text_contains(error.message, "(2, 0)");
    test_folder_remove(folder);
}

static void a_flat_ground_and_a_ground_with_a_hole(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "h.png", &error));
    mr_raster *raster = mr_raster_create(context, 0, 0, 0.3, 4, 3, 1, &error);
    float *cells = mr_raster_layer_write(raster, "height", 7.5f, &error);
    test_assert_ok(mr_height_save_png(context, path, raster, "height", NULL, NULL, &error), &error);
    mr_height_file file;
    test_assert_ok(mr_height_load(context, path, &file, &error), &error);
    for (int i = 0; i < 12; i++) {
        assert_true(mr_height_of_code(file.texture, file.texture->texels->f32[i]) == 7.5);
    }
    mr_texture_release(file.texture);
    cells[mr_raster_stride(raster) * 2 + 3] = NAN;
    assert_false(mr_height_save_png(context, path, raster, "height", NULL, NULL, &error));
    assert_text_contains(error.message, "(2, 1)");
    assert_false(mr_height_save_exr(context, path, raster, "height", &error));
    assert_false(mr_height_save_exr(context, path, raster, "snow", &error));
    assert_text_contains(error.message, "snow");
    mr_raster_release(raster);
    test_folder_remove(folder);
}

// Each way of writing a file, into folder.
static bool write_each(mr_context *context, int which, const char *folder, mr_error *error)
{
    static const char *const names[] = { "h.png", "h.exr", "t.csv", "w.glb" };
    char path[MR_PATH_SIZE];
    assert_true(mr_path_join(path, folder, names[which], error));
    if (which == 2) {
        mr_csv csv;
        if (!mr_csv_begin(context, path, &csv, error)) {
            return false;
        }
        for (int i = 0; i < 200000; i++) {
            mr_csv_integer(&csv, i);
            mr_csv_row(&csv);
        }
        return mr_csv_finish(&csv, error);
    }
    mr_raster *raster = mr_raster_create(context, 0, 0, 1, 700, 700, 0, error);
    float *cells = mr_raster_layer_write(raster, "height", 0, error);
    test_random random = { 4 };
    for (size_t i = 0; i < 700 * 700; i++) {
        cells[i] = (float)test_between(&random, 0, 100);
    }
    bool good;
    if (which == 3) {
        mr_scene *scene = mr_scene_create(context, error);
        mr_ground ground = { .path = "w.land", .raster = mr_raster_retain(raster) };
        assert_true(mr_array_push(context, &scene->grounds, ground));
        good = mr_gltf_save(context, scene, path, NULL, NULL, error);
        mr_scene_destroy(scene);
    } else {
        good = which == 0 ? mr_height_save_png(context, path, raster, "height", NULL, NULL, error)
                          : mr_height_save_exr(context, path, raster, "height", error);
    }
    mr_raster_release(raster);
    return good;
}

// A folder on a file system of its own: of 256 KiB, or that may not be written.
static bool mount_small(const char *folder, bool read_only)
{
    return mount("tmpfs", folder, "tmpfs", read_only ? MS_RDONLY : 0, "size=256k") == 0;
}

static void a_full_disk_and_a_folder_that_may_not_be_written_are_errors_and_leave_nothing(void **state)
{
    mr_context *context = *state;
    for (int read_only = 0; read_only < 2; read_only++) {
        char folder[MR_PATH_SIZE];
        test_folder(folder);
        if (!mount_small(folder, read_only)) {
            print_message("[ SKIPPED  ] no file system could be mounted\n");
            test_folder_remove(folder);
            skip();
        }
        for (int which = 0; which < 4; which++) {
            mr_error error = { 0 };
            bool good = write_each(context, which, folder, &error);
            size_t left = test_folder_count(folder);
            if (good || error.status != MR_SYSTEM || left != 0) {
                umount(folder);
                fail_msg("writer %d: good %d, status %d, %zu files left: %s", which, good, (int)error.status,
                         left, error.message);
            }
        }
        umount(folder);
        test_folder_remove(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_ramp_comes_back_through_png_within_half_a_code, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(a_ramp_comes_back_through_exr_to_the_bit, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_picture_of_eight_bits_is_told_as_coarse, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_flat_ground_and_a_ground_with_a_hole, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(
            a_full_disk_and_a_folder_that_may_not_be_written_are_errors_and_leave_nothing, test_setup,
            test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
