#include "support.h"

#include "base/file.h"
#include "io/exr.h"
#include "io/height.h"

#include <OpenEXR/openexr.h>
#include <math.h>

// Files of every kind are made with the library's writing half, into memory.

typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static int64_t put(exr_const_context_t exr, void *user, const void *data, uint64_t size, uint64_t offset,
                   exr_stream_error_func_ptr_t say)
{
    bytes *out = user;
    if (offset + size > out->size) {
        out->data = realloc(out->data, offset + size);
        memset(out->data + out->size, 0, offset + size - out->size);
        out->size = offset + size;
    }
    memcpy(out->data + offset, data, size);
    return (int64_t)size;
}

typedef struct kind {
    const char *channels; // a letter each
    exr_pixel_type_t type;
    bool tiled;
    exr_compression_t compression;
    int32_t width, height, left, top;
    bool deep_before; // a deep part stands first
    exr_tile_level_mode_t levels;
} kind;

// The values of a channel: whole numbers a half holds.
static float value_at(int x, int y, int c)
{
    return (float)((x * 7 + y * 13 + c * 5) % 2048) - (c == 0 ? 100.0f : 0.0f);
}

static uint16_t half_of(float value)
{
    if (value == 0) {
        return 0;
    }
    int power;
    float fraction = frexpf(fabsf(value), &power); // 0.5..1
    uint32_t mantissa = (uint32_t)lrintf(fraction * 2048.0f);
    uint32_t sign = value < 0 ? 0x8000u : 0u;
    return (uint16_t)(sign | (uint32_t)(power + 14) << 10 | (mantissa - 1024u));
}

static void fill_samples(const kind *k, int c, void *samples)
{
    for (int y = 0; y < k->height; y++) {
        for (int x = 0; x < k->width; x++) {
            size_t at = (size_t)y * (size_t)k->width + (size_t)x;
            float value = value_at(x, y, c);
            if (k->type == EXR_PIXEL_HALF) {
                ((uint16_t *)samples)[at] = half_of(value);
            } else if (k->type == EXR_PIXEL_FLOAT) {
                ((float *)samples)[at] = value;
            } else {
                ((uint32_t *)samples)[at] = (uint32_t)(value + 100.0f);
            }
        }
    }
}

static float expected_at(const kind *k, int x, int y, int c)
{
    return value_at(x, y, c) + (k->type == EXR_PIXEL_UINT ? 100.0f : 0.0f);
}

static void must(exr_result_t code)
{
    if (code != EXR_ERR_SUCCESS) {
        fail_msg("the library's writer: %s", exr_get_default_error_message(code));
    }
}

static void encode_chunk(exr_context_t exr, int part, const kind *k, exr_chunk_info_t *chunk, int x, int y,
                         void *const *samples)
{
    exr_encode_pipeline_t pipe = EXR_ENCODE_PIPELINE_INITIALIZER;
    must(exr_encoding_initialize(exr, part, chunk, &pipe));
    size_t size = k->type == EXR_PIXEL_HALF ? 2 : 4;
    for (int i = 0; i < pipe.channel_count; i++) {
        int c = (int)(strchr(k->channels, pipe.channels[i].channel_name[0]) - k->channels);
        pipe.channels[i].user_pixel_stride = (int32_t)size;
        pipe.channels[i].user_line_stride = (int32_t)(size * (size_t)k->width);
        pipe.channels[i].user_bytes_per_element = (int16_t)size;
        pipe.channels[i].user_data_type = (uint16_t)k->type;
        pipe.channels[i].encode_from_ptr =
            (const uint8_t *)samples[c] + ((size_t)y * (size_t)k->width + (size_t)x) * size;
    }
    must(exr_encoding_choose_default_routines(exr, part, &pipe));
    must(exr_encoding_run(exr, part, &pipe));
    must(exr_encoding_destroy(exr, &pipe));
}

static bytes make_exr(const kind *k)
{
    bytes out = { 0 };
    exr_context_initializer_t set = EXR_DEFAULT_CONTEXT_INITIALIZER;
    set.user_data = &out;
    set.write_fn = put;
    exr_context_t exr;
    must(exr_start_write(&exr, "made", EXR_WRITE_FILE_DIRECTLY, &set));
    int part;
    must(exr_add_part(exr, "flat", k->tiled ? EXR_STORAGE_TILED : EXR_STORAGE_SCANLINE, &part));
    exr_attr_box2i_t window = { .min = { .x = k->left, .y = k->top } };
    window.max.x = k->left + k->width - 1;
    window.max.y = k->top + k->height - 1;
    exr_attr_v2f_t centre = { .x = 0, .y = 0 };
    must(exr_initialize_required_attr(exr, part, &window, &window, 1, &centre, 1, EXR_LINEORDER_INCREASING_Y,
                                      k->compression));
    if (k->tiled) {
        must(exr_set_tile_descriptor(exr, part, 16, 12, k->levels, EXR_TILE_ROUND_DOWN));
    }
    for (const char *name = k->channels; *name; name++) {
        char text[2] = { *name, 0 };
        must(exr_add_channel(exr, part, text, k->type, EXR_PERCEPTUALLY_LINEAR, 1, 1));
    }
    must(exr_attr_set_double(exr, part, "marram:low", -3.5));
    must(exr_attr_set_double(exr, part, "marram:high", 1234.25));
    must(exr_attr_set_string(exr, part, "marram:place", "2 -512 7"));
    must(exr_write_header(exr));
    void *samples[8];
    for (size_t c = 0; c < strlen(k->channels); c++) {
        samples[c] = malloc((size_t)k->width * (size_t)k->height * 4);
        fill_samples(k, (int)c, samples[c]);
    }
    exr_chunk_info_t chunk;
    if (k->tiled) {
        for (int ty = 0; ty * 12 < k->height; ty++) {
            for (int tx = 0; tx * 16 < k->width; tx++) {
                must(exr_write_tile_chunk_info(exr, part, tx, ty, 0, 0, &chunk));
                encode_chunk(exr, part, k, &chunk, tx * 16, ty * 12, samples);
            }
        }
    } else {
        int32_t lines;
        must(exr_get_scanlines_per_chunk(exr, part, &lines));
        for (int y = 0; y < k->height; y += lines) {
            must(exr_write_scanline_chunk_info(exr, part, k->top + y, &chunk));
            encode_chunk(exr, part, k, &chunk, 0, y, samples);
        }
    }
    must(exr_finish(&exr));
    for (size_t c = 0; c < strlen(k->channels); c++) {
        free(samples[c]);
    }
    return out;
}

static void every_kind_of_file_gives_the_same_ground(void **state)
{
    mr_context *context = *state;
    static const char *const channels[] = { "Y", "R", "RGB", "RGBA", "YA", "Z" };
    static const exr_pixel_type_t types[] = { EXR_PIXEL_HALF, EXR_PIXEL_FLOAT, EXR_PIXEL_UINT };
    static const exr_compression_t packings[] = { EXR_COMPRESSION_NONE, EXR_COMPRESSION_RLE,
                                                  EXR_COMPRESSION_ZIPS, EXR_COMPRESSION_ZIP,
                                                  EXR_COMPRESSION_PIZ };
    for (size_t n = 0; n < 6 * 3 * 5 * 2; n++) {
        kind k = { .channels = channels[n % 6],
                   .type = types[n / 6 % 3],
                   .compression = packings[n / 18 % 5],
                   .tiled = n / 90 == 1,
                   .width = 45,
                   .height = 50,
                   .left = n % 2 ? -7 : 0,
                   .top = n % 2 ? 11 : 0 };
        bytes file = make_exr(&k);
        mr_height_file height;
        mr_error error;
        test_assert_ok(mr_height_decode(context, file.data, file.size, "g.exr", &height, &error), &error);
        assert_int_equal(height.texture->width, 45);
        assert_int_equal(height.texture->height, 50);
        assert_int_equal(height.texture->channels, 1);
        assert_true(height.texture->floating);
        assert_false(height.coarse);
        for (int i = 0; i < 45 * 50; i++) {
            assert_true(height.texture->texels->f32[i] == expected_at(&k, i % 45, i / 45, 0));
        }
        assert_true(height.texture->has_range);
        assert_true(height.texture->range_low == -3.5 && height.texture->range_high == 1234.25);
        assert_true(height.has_place && height.cell == 2 && height.corner_x == -512 && height.corner_z == 7);
        mr_texture_release(height.texture);
        mr_texture *color;
        test_assert_ok(
            mr_exr_decode(context, file.data, file.size, "g.exr", MR_EXR_COLOR, NULL, 0, &color, &error),
            &error);
        assert_int_equal(color->channels, strlen(k.channels));
        for (int i = 0; i < 45 * 50; i++) {
            for (uint32_t c = 0; c < color->channels; c++) {
                assert_true(color->texels->f32[(size_t)i * color->channels + c] ==
                            expected_at(&k, i % 45, i / 45, (int)c));
            }
        }
        mr_texture_release(color);
        free(file.data);
    }
}

static void packings_that_lose_are_read_within_their_loss(void **state)
{
    mr_context *context = *state;
    static const exr_compression_t packings[] = { EXR_COMPRESSION_PXR24, EXR_COMPRESSION_B44,
                                                  EXR_COMPRESSION_B44A };
    for (size_t n = 0; n < 3; n++) {
        kind k = {
            .channels = "Y", .type = EXR_PIXEL_HALF, .compression = packings[n], .width = 45, .height = 50
        };
        bytes file = make_exr(&k);
        mr_height_file height;
        mr_error error;
        test_assert_ok(mr_height_decode(context, file.data, file.size, "g.exr", &height, &error), &error);
        if (packings[n] == EXR_COMPRESSION_PXR24) { // loses nothing of halfs
            for (int i = 0; i < 45 * 50; i++) {
                assert_true(height.texture->texels->f32[i] == expected_at(&k, i % 45, i / 45, 0));
            }
        }
        mr_texture_release(height.texture);
        free(file.data);
    }
}

static void channels_that_cannot_be_a_height_are_named(void **state)
{
    mr_context *context = *state;
    kind k = { .channels = "BGN",
               .type = EXR_PIXEL_FLOAT,
               .compression = EXR_COMPRESSION_ZIP,
               .width = 4,
               .height = 4 };
    bytes file = make_exr(&k);
    mr_height_file height;
    mr_error error;
    assert_false(mr_height_decode(context, file.data, file.size, "g.exr", &height, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_text_contains(error.message, "g.exr: has the channels B, G, N");
    assert_text_contains(error.message, "Y, R");
    free(file.data);
    assert_false(mr_height_decode(context, "plain text", 10, "g.txt", &height, &error));
    assert_text_contains(error.message, "g.txt: neither a PNG nor an EXR");
}

static void heights_that_are_not_finite_are_refused_with_their_place(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "g.exr", &error));
    float samples[12] = { 0 };
    samples[7] = NAN;
    mr_exr_channel channel = { "Y", samples, 1, 4 };
    test_assert_ok(mr_exr_save(context, path, 4, 3, &channel, 1, true, NULL, 0, &error), &error);
    mr_height_file height;
    assert_false(mr_height_load(context, path, &height, &error));
    assert_text_contains(error.message, "(3, 1)");
    test_folder_remove(folder);
}

static void broken_files_are_errors_that_name_the_file(void **state)
{
    mr_context *context = test_context_of(1, 256 << 20);
    kind kinds[] = {
        { .channels = "Y",
          .type = EXR_PIXEL_FLOAT,
          .compression = EXR_COMPRESSION_ZIP,
          .width = 19,
          .height = 40 },
        { .channels = "RGBA",
          .type = EXR_PIXEL_HALF,
          .compression = EXR_COMPRESSION_PIZ,
          .width = 33,
          .height = 20 },
        { .channels = "R",
          .type = EXR_PIXEL_UINT,
          .compression = EXR_COMPRESSION_RLE,
          .tiled = true,
          .width = 33,
          .height = 30 },
        { .channels = "RGB",
          .type = EXR_PIXEL_HALF,
          .compression = EXR_COMPRESSION_NONE,
          .tiled = true,
          .width = 33,
          .height = 30 },
    };
    test_random random = { 78 };
    for (size_t f = 0; f < 4; f++) {
        bytes file = make_exr(&kinds[f]);
        for (size_t size = 0; size < file.size; size += size < 700 ? 1 : 13) {
            mr_texture *texture;
            mr_error error = { 0 };
            bool good =
                mr_exr_decode(context, file.data, size, "cut.exr", MR_EXR_HEIGHT, NULL, 0, &texture, &error);
            assert_false(good);
            assert_int_equal(error.status, MR_BAD_INPUT);
            assert_text_contains(error.message, "cut.exr");
        }
        for (size_t i = 0; i < test_count(4000); i++) {
            unsigned char *copy = malloc(file.size);
            memcpy(copy, file.data, file.size);
            uint32_t reach = (uint32_t)(i % 2 ? file.size : file.size < 600 ? file.size : 600);
            for (uint32_t n = 1 + test_below(&random, 4); n > 0; n--) {
                copy[test_below(&random, reach)] ^= (unsigned char)(1 + test_below(&random, 255));
            }
            mr_texture *texture;
            mr_error error = { 0 };
            if (mr_exr_decode(context, copy, file.size, "bent.exr", MR_EXR_HEIGHT, NULL, 0, &texture,
                              &error)) {
                mr_texture_release(texture);
            } else {
                assert_text_contains(error.message, "bent.exr");
            }
            free(copy);
        }
        free(file.data);
    }
    test_context_end(context);
}

static void sizes_are_refused_from_the_header(void **state)
{
    mr_context *context = test_context_of(1, 64 << 20);
    kind k = {
        .channels = "Y", .type = EXR_PIXEL_FLOAT, .compression = EXR_COMPRESSION_ZIP, .width = 4, .height = 4
    };
    bytes file = make_exr(&k);
    // The data window's greatest x and y, where they stand in the bytes.
    unsigned char *at = memmem(file.data, file.size, "dataWindow", 10);
    assert_non_null(at);
    int32_t *most = (int32_t *)(void *)(at + 11 + 6 + 4 + 8);
    struct {
        int32_t x, y;
        mr_status status;
    } cases[] = { { 0x7ffffffe, 3, MR_BAD_INPUT },
                  { 3, 1 << 20, MR_LIMIT },
                  { 100000, 100000, MR_LIMIT },
                  { 3, 900000, MR_BAD_INPUT },
                  { -5, 3, MR_BAD_INPUT } };
    for (size_t i = 0; i < 5; i++) {
        memcpy(most, &cases[i].x, 4);
        memcpy((char *)most + 4, &cases[i].y, 4);
        mr_texture *texture;
        mr_error error = { 0 };
        assert_false(mr_exr_decode(context, file.data, file.size, "big.exr", MR_EXR_HEIGHT, NULL, 0, &texture,
                                   &error));
        assert_int_equal(error.status, cases[i].status);
        assert_text_contains(error.message, "big.exr");
        if (cases[i].status == MR_LIMIT && i == 2) {
            assert_text_contains(error.message, "40000800004 bytes");
        }
        assert_true(mr_context_memory_peak(context) < 8 << 20);
    }
    free(file.data);
    test_context_end(context);
}

static void a_limit_reached_inside_the_library_is_said_with_its_sum(void **state)
{
    kind k = { .channels = "Y",
               .type = EXR_PIXEL_FLOAT,
               .compression = EXR_COMPRESSION_PIZ,
               .width = 900,
               .height = 64 };
    bytes file = make_exr(&k);
    // Room for the texels, none for a chunk.
    mr_context *context = test_context_of(1, (uint64_t)900 * 64 * 4 + 60000);
    mr_texture *texture;
    mr_error error;
    assert_false(
        mr_exr_decode(context, file.data, file.size, "g.exr", MR_EXR_HEIGHT, NULL, 0, &texture, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message, "g.exr: cannot decode the picture");
    test_context_end(context);
    free(file.data);
}

static void what_is_written_reads_back_exactly(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "g.exr", &error));
    enum { WIDE = 67, HIGH = 53 };
    static float samples[HIGH * (WIDE + 5) * 2];
    test_random random = { 3 };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        uint32_t bits = test_u32(&random);
        memcpy(&samples[i], &bits, 4);
        samples[i] = isnan(samples[i]) ? 1.0f : samples[i];
    }
    for (int compress = 0; compress < 2; compress++) {
        mr_exr_channel channels[2] = { { "height", samples, 2, (WIDE + 5) * 2 },
                                       { "A", samples + 1, 2, (WIDE + 5) * 2 } };
        channels[0].name = "Y";
        mr_exr_attribute said[2] = { { .name = "marram:cell", .number = 0.3 },
                                     { .name = "words", .is_text = true, .text = "so and so" } };
        test_assert_ok(mr_exr_save(context, path, WIDE, HIGH, channels, 2, compress, said, 2, &error),
                       &error);
        mr_exr_attribute asked[3] = { { .name = "words" }, { .name = "marram:cell" }, { .name = "none" } };
        mr_texture *texture;
        test_assert_ok(mr_exr_load(context, path, MR_EXR_COLOR, asked, 3, &texture, &error), &error);
        assert_int_equal(texture->channels, 2);
        for (size_t i = 0; i < WIDE * HIGH; i++) {
            const float *from = samples + i / WIDE * (WIDE + 5) * 2 + i % WIDE * 2;
            assert_memory_equal(texture->texels->f32 + 2 * i, from, 8);
        }
        assert_string_equal(asked[0].text, "so and so");
        assert_true(asked[1].number == 0.3 && isnan(asked[2].number));
        assert_false(texture->has_range);
        mr_texture_release(texture);
    }
    assert_int_equal(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

static void any_failing_allocation_is_an_error_and_leaks_nothing(void **state)
{
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "g.exr", &error));
    static float samples[64 * 64];
    mr_exr_channel channel = { "Y", samples, 1, 64 };
    mr_exr_attribute said = { .name = "marram:low", .number = 1 };
    for (int writing = 1; writing >= 0; writing--) {
        size_t failed = 0;
        for (uint64_t n = 1;; n++) {
            assert_true(n < 100000);
            mr_context *context = test_context_of(1, 0);
            mr_memory_fail_after(context, n, n % 2);
            mr_texture *texture = NULL;
            bool good = writing ? mr_exr_save(context, path, 64, 64, &channel, 1, true, &said, 1, &error)
                                : mr_exr_load(context, path, MR_EXR_HEIGHT, &said, 1, &texture, &error);
            mr_memory_fail_after(context, 0, false);
            mr_texture_release(texture);
            test_context_end(context);
            if (good) {
                break;
            }
            failed++;
            assert_int_equal(error.status, MR_OUT_OF_MEMORY);
            assert_int_equal(test_folder_count(folder), writing ? 0 : 1);
        }
        assert_true(failed > 5);
    }
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_kind_of_file_gives_the_same_ground, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(packings_that_lose_are_read_within_their_loss, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(channels_that_cannot_be_a_height_are_named, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(heights_that_are_not_finite_are_refused_with_their_place, test_setup,
                                        test_teardown),
        cmocka_unit_test(broken_files_are_errors_that_name_the_file),
        cmocka_unit_test(sizes_are_refused_from_the_header),
        cmocka_unit_test(a_limit_reached_inside_the_library_is_said_with_its_sum),
        cmocka_unit_test_setup_teardown(what_is_written_reads_back_exactly, test_setup, test_teardown),
        cmocka_unit_test(any_failing_allocation_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
