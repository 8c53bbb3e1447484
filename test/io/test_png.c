#include "support.h"

#include "base/file.h"
#include "io/png.h"

#include <pthread.h>
#include <spng.h>

// Pictures of every kind are made by hand, in blocks that are not compressed, so that no encoder is trusted.

typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static void put(bytes *out, const void *data, size_t size)
{
    out->data = realloc(out->data, out->size + size + 1);
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

static void put_u32(bytes *out, uint32_t value)
{
    unsigned char big[4] = { (unsigned char)(value >> 24), (unsigned char)(value >> 16),
                             (unsigned char)(value >> 8), (unsigned char)value };
    put(out, big, 4);
}

static uint32_t crc_of(uint32_t crc, const unsigned char *data, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) {
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
    }
    return ~crc;
}

static void put_chunk(bytes *out, const char *type, const void *data, size_t size)
{
    put_u32(out, (uint32_t)size);
    put(out, type, 4);
    put(out, data, size);
    uint32_t crc = crc_of(0, (const unsigned char *)type, 4);
    put_u32(out, crc_of(crc, data, size));
}

static void put_header(bytes *out, uint32_t width, uint32_t height, int depth, int type)
{
    put(out, "\x89PNG\r\n\x1a\n", 8);
    bytes header = { 0 };
    put_u32(&header, width);
    put_u32(&header, height);
    unsigned char rest[5] = { (unsigned char)depth, (unsigned char)type, 0, 0, 0 };
    put(&header, rest, 5);
    put_chunk(out, "IHDR", header.data, header.size);
    free(header.data);
}

static void put_picture(bytes *out, const unsigned char *rows, size_t size)
{
    bytes packed = { 0 };
    put(&packed, "\x78\x01", 2);
    uint32_t a = 1;
    uint32_t b = 0;
    for (size_t at = 0; at < size || size == 0; at += 65535) {
        size_t run = size - at < 65535 ? size - at : 65535;
        unsigned char head[5] = { at + run == size, (unsigned char)run, (unsigned char)(run >> 8),
                                  (unsigned char)~run, (unsigned char)(~run >> 8) };
        put(&packed, head, 5);
        put(&packed, rows + at, run);
        if (size == 0) {
            break;
        }
    }
    for (size_t i = 0; i < size; i++) {
        a = (a + rows[i]) % 65521;
        b = (b + a) % 65521;
    }
    put_u32(&packed, b << 16 | a);
    put_chunk(out, "IDAT", packed.data, packed.size);
    put_chunk(out, "IEND", "", 0);
    free(packed.data);
}

static const unsigned char samples_of[7] = { 1, 0, 3, 1, 2, 0, 4 };

// A code of a picture, any function of the place.
static uint32_t code_at(uint32_t x, uint32_t y, uint32_t c, int depth)
{
    uint32_t mixed = (x * 2654435761u) ^ (y * 40503u) ^ (c * 97u + 13u);
    return (mixed >> 7) & ((1u << depth) - 1u);
}

// A picture of rows that are not filtered.
static bytes make_picture(uint32_t width, uint32_t height, int depth, int type, const void *palette,
                          size_t colors, const void *clear, size_t clear_size)
{
    bytes out = { 0 };
    put_header(&out, width, height, depth, type);
    if (palette) {
        put_chunk(&out, "PLTE", palette, colors * 3);
    }
    if (clear) {
        put_chunk(&out, "tRNS", clear, clear_size);
    }
    size_t row = 1 + (width * samples_of[type] * (size_t)depth + 7) / 8;
    unsigned char *rows = calloc(row, height);
    for (uint32_t y = 0; y < height; y++) {
        unsigned char *to = rows + y * row + 1;
        for (uint32_t i = 0; i < width * samples_of[type]; i++) {
            uint32_t code = code_at(i / samples_of[type], y, i % samples_of[type], depth);
            if (depth == 16) {
                to[2 * i] = (unsigned char)(code >> 8);
                to[2 * i + 1] = (unsigned char)code;
            } else {
                size_t bit = i * (size_t)depth;
                to[bit / 8] = (unsigned char)(to[bit / 8] | code << (8 - (size_t)depth - bit % 8));
            }
        }
    }
    put_picture(&out, rows, row * height);
    free(rows);
    return out;
}

static void every_kind_of_picture_keeps_its_codes_exactly(void **state)
{
    mr_context *context = *state;
    static const int kinds[][2] = { { 1, 0 },  { 2, 0 }, { 4, 0 },  { 8, 0 }, { 16, 0 }, { 8, 2 },
                                    { 16, 2 }, { 8, 4 }, { 16, 4 }, { 8, 6 }, { 16, 6 } };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        int depth = kinds[k][0];
        int type = kinds[k][1];
        for (uint32_t width = 1; width < 20; width += 6) {
            bytes file = make_picture(width, 7, depth, type, NULL, 0, NULL, 0);
            mr_texture *texture;
            mr_error error;
            test_assert_ok(mr_png_decode(context, file.data, file.size, "t.png", &texture, &error), &error);
            assert_int_equal(texture->width, width);
            assert_int_equal(texture->height, 7);
            assert_int_equal(texture->channels, samples_of[type]);
            assert_int_equal(texture->bits, depth == 16 ? 16 : 8);
            assert_false(texture->floating);
            assert_false(texture->has_range);
            uint32_t spread = depth < 8 ? 255u / ((1u << depth) - 1u) : 1;
            for (uint32_t y = 0; y < 7; y++) {
                for (uint32_t i = 0; i < width * texture->channels; i++) {
                    uint32_t code = code_at(i / texture->channels, y, i % texture->channels, depth) * spread;
                    assert_true(texture->texels->f32[y * width * texture->channels + i] == (float)code);
                }
            }
            mr_texture_release(texture);
            free(file.data);
        }
    }
}

static void palettes_become_colours_and_clear_colours_an_alpha(void **state)
{
    mr_context *context = *state;
    unsigned char palette[12] = { 10, 20, 30, 40, 50, 60, 70, 80, 90, 255, 0, 1 };
    unsigned char alphas[2] = { 7, 200 };
    for (int with_alpha = 0; with_alpha < 2; with_alpha++) {
        bytes file = make_picture(9, 5, 2, 3, palette, 4, with_alpha ? alphas : NULL, with_alpha ? 2 : 0);
        mr_texture *texture;
        mr_error error;
        test_assert_ok(mr_png_decode(context, file.data, file.size, "t.png", &texture, &error), &error);
        assert_int_equal(texture->channels, with_alpha ? 4 : 3);
        for (uint32_t y = 0; y < 5; y++) {
            for (uint32_t x = 0; x < 9; x++) {
                uint32_t entry = code_at(x, y, 0, 2);
                const float *texel = texture->texels->f32 + (y * 9 + x) * texture->channels;
                for (uint32_t c = 0; c < 3; c++) {
                    assert_true(texel[c] == palette[3 * entry + c]);
                }
                if (with_alpha) {
                    assert_true(texel[3] == (entry < 2 ? (float)alphas[entry] : 255.0f));
                }
            }
        }
        mr_texture_release(texture);
        free(file.data);
    }
    static const int depths[] = { 1, 2, 4, 8, 16 };
    for (size_t k = 0; k < 5; k++) {
        int depth = depths[k];
        uint32_t clear = code_at(3, 2, 0, depth);
        unsigned char chunk[2] = { (unsigned char)(clear >> 8), (unsigned char)clear };
        bytes file = make_picture(9, 5, depth, 0, NULL, 0, chunk, 2);
        mr_texture *texture;
        mr_error error;
        test_assert_ok(mr_png_decode(context, file.data, file.size, "t.png", &texture, &error), &error);
        assert_int_equal(texture->channels, 2);
        for (uint32_t i = 0; i < 45; i++) {
            bool is_clear = code_at(i % 9, i / 9, 0, depth) == clear;
            float opaque = depth == 16 ? 65535.0f : 255.0f;
            assert_true(texture->texels->f32[2 * i + 1] == (is_clear ? 0.0f : opaque));
        }
        mr_texture_release(texture);
        free(file.data);
    }
}

static void what_is_written_reads_back_and_its_range_and_texts_with_it(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    test_folder(folder);
    char path[MR_PATH_SIZE];
    mr_error error;
    assert_true(mr_path_join(path, folder, "t.png", &error));
    static const uint32_t shapes[][2] = { { 1, 8 }, { 1, 16 }, { 3, 8 }, { 4, 8 } };
    for (size_t k = 0; k < 4; k++) {
        uint32_t channels = shapes[k][0];
        uint32_t bits = shapes[k][1];
        uint16_t wide[37 * 21];
        uint8_t narrow[37 * 21 * 4];
        for (uint32_t i = 0; i < 37 * 21; i++) {
            wide[i] = (uint16_t)code_at(i, 1, 2, 16);
        }
        for (uint32_t i = 0; i < 37 * 21 * 4; i++) {
            narrow[i] = (uint8_t)code_at(i, 1, 2, 8);
        }
        mr_png_text texts[] = { { "marram:low", "-0.1" },
                                { "marram:high", "1e+20" },
                                { "Title", "a ground" } };
        const void *texels = bits == 16 ? (const void *)wide : narrow;
        test_assert_ok(mr_png_save(context, path, texels, 37, 21, channels, bits, texts, 3, &error), &error);
        mr_texture *texture;
        test_assert_ok(mr_png_load(context, path, &texture, &error), &error);
        assert_int_equal(texture->channels, channels);
        assert_int_equal(texture->bits, bits);
        assert_true(texture->has_range);
        assert_true(texture->range_low == -0.1 && texture->range_high == 1e20);
        for (uint32_t i = 0; i < 37 * 21 * channels; i++) {
            assert_true(texture->texels->f32[i] == (bits == 16 ? (float)wide[i] : (float)narrow[i]));
        }
        mr_texture_release(texture);
        char *file;
        size_t size;
        assert_true(mr_file_read(context, path, 0, &file, &size, &error));
        char title[16];
        assert_true(mr_png_find_text(context, file, size, "Title", title, sizeof title));
        assert_string_equal(title, "a ground");
        assert_true(mr_png_find_text(context, file, size, "Title", title, 4));
        assert_string_equal(title, "a g");
        assert_false(mr_png_find_text(context, file, size, "Author", title, sizeof title));
        mr_free(context, file);
    }
    assert_int_equal(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

static void sizes_are_refused_from_the_header_with_the_sum_worked_out(void **state)
{
    mr_context *context = test_context_of(1, 64 << 20);
    struct {
        uint32_t width, height;
        mr_status status;
        const char *part;
    } cases[] = {
        { 0x7fffffff, 0x7fffffff, MR_LIMIT, "2147483647" },
        { 1 << 20, 1 << 20, MR_LIMIT, "17592186044416 bytes; at most" },
        { 15000, 15000, MR_BAD_INPUT, "ends too early" },
        { 0, 10, MR_BAD_INPUT, "t.png" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        bytes file = { 0 };
        put_header(&file, cases[k].width, cases[k].height, 16, 6);
        put_picture(&file, (const unsigned char *)"\0\0\0\0", 4);
        uint64_t before = mr_context_memory_peak(context);
        mr_texture *texture;
        mr_error error = { 0 };
        assert_false(mr_png_decode(context, file.data, file.size, "t.png", &texture, &error));
        assert_int_equal(error.status, cases[k].status);
        assert_text_contains(error.message, cases[k].part);
        assert_text_contains(error.message, "t.png");
        assert_true(mr_context_memory_peak(context) < before + (1 << 20));
        free(file.data);
    }
    // More than the context may hold, in a file that could hold it: all of one colour.
    bytes file = make_picture(6000, 3000, 16, 0, NULL, 0, NULL, 0);
    mr_texture *texture;
    mr_error error = { 0 };
    assert_false(mr_png_decode(context, file.data, file.size, "t.png", &texture, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message, "t.png");
    free(file.data);
    test_context_end(context);
}

static void broken_files_are_errors_that_name_the_file(void **state)
{
    mr_context *context = test_context_of(1, 256 << 20);
    unsigned char palette[12] = { 0 };
    bytes files[] = { make_picture(31, 17, 16, 2, NULL, 0, NULL, 0),
                      make_picture(31, 17, 2, 3, palette, 4, "\1", 1),
                      make_picture(8, 8, 8, 0, NULL, 0, NULL, 0) };
    test_random random = { 77 };
    for (size_t f = 0; f < 3; f++) {
        for (size_t size = 0; size < files[f].size; size++) {
            mr_texture *texture;
            mr_error error = { 0 };
            if (mr_png_decode(context, files[f].data, size, "cut.png", &texture, &error)) {
                assert_true(size > files[f].size - 20); // only what stands behind the picture was cut
                mr_texture_release(texture);
            } else {
                assert_int_equal(error.status, MR_BAD_INPUT);
                assert_text_contains(error.message, "cut.png");
            }
        }
        for (size_t i = 0; i < test_count(4000); i++) {
            unsigned char *copy = malloc(files[f].size);
            memcpy(copy, files[f].data, files[f].size);
            for (uint32_t n = 1 + test_below(&random, 4); n > 0; n--) {
                copy[test_below(&random, (uint32_t)files[f].size)] ^=
                    (unsigned char)(1 + test_below(&random, 255));
            }
            mr_texture *texture;
            mr_error error = { 0 };
            if (mr_png_decode(context, copy, files[f].size, "bent.png", &texture, &error)) {
                mr_texture_release(texture);
            } else {
                assert_text_contains(error.message, "bent.png");
            }
            free(copy);
        }
        free(files[f].data);
    }
    mr_texture *texture;
    mr_error error;
    assert_false(mr_png_load(context, "/nonexistent/x.png", &texture, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    test_context_end(context);
}

static void a_range_that_is_no_number_is_an_error(void **state)
{
    mr_context *context = *state;
    static const char *const bad[] = { "", "abc", "nan", "inf", "1 ", "1,5", "--1", "1e999" };
    char folder[MR_PATH_SIZE];
    test_folder(folder);
    char path[MR_PATH_SIZE];
    mr_error error;
    assert_true(mr_path_join(path, folder, "t.png", &error));
    uint16_t code = 5;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        mr_png_text texts[] = { { "marram:low", bad[k][0] ? bad[k] : "x" }, { "marram:high", "2" } };
        test_assert_ok(mr_png_save(context, path, &code, 1, 1, 1, 16, texts, 2, &error), &error);
        mr_texture *texture;
        assert_false(mr_png_load(context, path, &texture, &error));
        assert_int_equal(error.status, MR_BAD_INPUT);
        assert_text_contains(error.message, "finite numbers");
    }
    test_folder_remove(folder);
}

static void any_failing_allocation_is_an_error_and_leaks_nothing(void **state)
{
    char folder[MR_PATH_SIZE];
    test_folder(folder);
    char path[MR_PATH_SIZE];
    mr_error error;
    assert_true(mr_path_join(path, folder, "t.png", &error));
    static uint16_t codes[64 * 64];
    mr_png_text texts[] = { { "marram:low", "1" }, { "marram:high", "2" } };
    size_t failed = 0;
    for (uint64_t n = 1; n < 10000; n++) {
        mr_context *context = test_context_of(1, 0);
        mr_memory_fail_after(context, n, false);
        bool good = mr_png_save(context, path, codes, 64, 64, 1, 16, texts, 2, &error);
        mr_memory_fail_after(context, 0, false);
        if (!good) {
            assert_int_equal(error.status, MR_OUT_OF_MEMORY);
            assert_int_equal(test_folder_count(folder), 0);
            failed++;
        }
        test_context_end(context);
        if (good) {
            break;
        }
    }
    assert_true(failed > 3);
    for (uint64_t n = 1; n < 10000; n++) {
        mr_context *context = test_context_of(1, 0);
        mr_memory_fail_after(context, n, false);
        mr_texture *texture = NULL;
        bool good = mr_png_load(context, path, &texture, &error);
        mr_memory_fail_after(context, 0, false);
        if (good) {
            assert_true(texture->has_range);
            mr_texture_release(texture);
            test_context_end(context);
            break;
        }
        assert_int_equal(error.status, MR_OUT_OF_MEMORY);
        test_context_end(context);
    }
    test_folder_remove(folder);
}

typedef struct job {
    mr_context *context;
    char path[MR_PATH_SIZE];
    uint8_t *pixels;
    bool good;
} job;

static void *save_one(void *argument)
{
    job *j = argument;
    mr_error error;
    j->good = mr_png_save(j->context, j->path, j->pixels, 300, 200, 3, 8, NULL, 0, &error);
    return NULL;
}

static void several_pictures_are_written_beside_each_other_as_if_alone(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    test_folder(folder);
    enum { JOBS = 8 };
    static job jobs[JOBS];
    pthread_t threads[JOBS];
    mr_error error;
    for (int i = 0; i < JOBS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.png", i);
        jobs[i].context = context;
        assert_true(mr_path_join(jobs[i].path, folder, name, &error));
        jobs[i].pixels = malloc(300 * 200 * 3);
        for (uint32_t k = 0; k < 300 * 200 * 3; k++) {
            jobs[i].pixels[k] = (uint8_t)code_at(k / 50, (uint32_t)i / 2, 0, 8);
        }
        pthread_create(&threads[i], NULL, save_one, &jobs[i]);
    }
    char *first = NULL;
    size_t first_size = 0;
    for (int i = 0; i < JOBS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(jobs[i].good);
        char *file;
        size_t size;
        test_assert_ok(mr_file_read(context, jobs[i].path, 0, &file, &size, &error), &error);
        if (i % 2) {
            assert_int_equal(size, first_size);
            assert_memory_equal(file, first, size);
        }
        mr_free(context, first);
        first = file;
        first_size = size;
        free(jobs[i].pixels);
    }
    mr_free(context, first);
    test_folder_remove(folder);
}

static void shapes_that_png_cannot_hold_are_refused(void **state)
{
    mr_context *context = *state;
    uint8_t pixels[64] = { 0 };
    mr_error error;
    assert_false(mr_png_save(context, "/tmp/never.png", pixels, 1, 1, 2, 8, NULL, 0, &error));
    assert_false(mr_png_save(context, "/tmp/never.png", pixels, 1, 1, 3, 16, NULL, 0, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_false(mr_png_save(context, "/tmp/never.png", pixels, 0, 1, 1, 8, NULL, 0, &error));
    char long_keyword[100];
    memset(long_keyword, 'k', 99);
    long_keyword[99] = 0;
    mr_png_text text = { long_keyword, "x" };
    assert_false(mr_png_save(context, "/tmp/never.png", pixels, 1, 1, 1, 8, &text, 1, &error));
    assert_int_equal(access("/tmp/never.png", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_kind_of_picture_keeps_its_codes_exactly, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(palettes_become_colours_and_clear_colours_an_alpha, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(what_is_written_reads_back_and_its_range_and_texts_with_it,
                                        test_setup, test_teardown),
        cmocka_unit_test(sizes_are_refused_from_the_header_with_the_sum_worked_out),
        cmocka_unit_test(broken_files_are_errors_that_name_the_file),
        cmocka_unit_test_setup_teardown(a_range_that_is_no_number_is_an_error, test_setup, test_teardown),
        cmocka_unit_test(any_failing_allocation_is_an_error_and_leaks_nothing),
        cmocka_unit_test_setup_teardown(several_pictures_are_written_beside_each_other_as_if_alone,
                                        test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(shapes_that_png_cannot_hold_are_refused, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
