// io/png_write.c: texels to PNG, at compression level 1: a world's pictures are written far more often than read.

#include "io/png.h"

#include "base/file.h"
#include "io/image.h"

#include <spng.h>

enum { TEXT_LIMIT = 16, BLOCK_SIZE = 1 << 18, RUNS_ALONE = 3 /* zlib's Z_RLE */ };

typedef struct sink {
    mr_file_writer file;
    mr_error *error;
    bool failed;
    unsigned char *block; // small pieces gathered, so that the system is asked seldom
    size_t used;
} sink;

static bool flush(sink *s)
{
    if (s->used > 0 && !s->failed && !mr_file_write(&s->file, s->block, s->used, s->error)) {
        s->failed = true;
    }
    s->used = 0;
    return !s->failed;
}

static int put(spng_ctx *png, void *user, void *bytes, size_t size)
{
    (void)png;
    sink *s = user;
    const unsigned char *from = bytes;
    while (size > 0) {
        size_t run = BLOCK_SIZE - s->used < size ? BLOCK_SIZE - s->used : size;
        memcpy(s->block + s->used, from, run);
        s->used += run;
        from += run;
        size -= run;
        if (s->used == BLOCK_SIZE && !flush(s)) {
            return SPNG_IO_ERROR;
        }
    }
    return 0;
}

static int set_texts(spng_ctx *png, const mr_png_text *texts, size_t count, struct spng_text *room)
{
    for (size_t i = 0; i < count; i++) {
        memset(&room[i], 0, sizeof room[i]);
        size_t length = strlen(texts[i].keyword);
        if (length >= sizeof room[i].keyword) {
            return SPNG_ETEXT_KEYWORD;
        }
        memcpy(room[i].keyword, texts[i].keyword, length + 1);
        room[i].type = SPNG_TEXT;
        room[i].length = strlen(texts[i].text);
        room[i].text = (char *)(uintptr_t)texts[i].text; // the encoder only reads it
    }
    return count > 0 ? spng_set_text(png, room, (uint32_t)count) : 0;
}

static int encode(spng_ctx *png, sink *s, const void *texels, uint32_t width, uint32_t height,
                  uint32_t channels, uint32_t bits, const mr_png_text *texts, size_t text_count)
{
    struct spng_text room[TEXT_LIMIT];
    struct spng_ihdr header = {
        .width = width,
        .height = height,
        .bit_depth = (uint8_t)bits,
        .color_type = channels == 1   ? SPNG_COLOR_TYPE_GRAYSCALE
                      : channels == 3 ? SPNG_COLOR_TYPE_TRUECOLOR
                                      : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA,
    };
    // One filter for all rows spares trying five: Up for grounds, Paeth for pictures. What they leave has runs but few
    // matches, and looking for runs alone takes half the time for files of the same size.
    int filter = channels >= 3 ? SPNG_FILTER_CHOICE_PAETH : SPNG_FILTER_CHOICE_UP;
    int code = spng_set_png_stream(png, put, s);
    code = code ? code : spng_set_ihdr(png, &header);
    code = code ? code : spng_set_option(png, SPNG_IMG_COMPRESSION_LEVEL, 1);
    code = code ? code : spng_set_option(png, SPNG_IMG_COMPRESSION_STRATEGY, RUNS_ALONE);
    code = code ? code : spng_set_option(png, SPNG_FILTER_CHOICE, filter);
    code = code ? code : (channels >= 3 && bits == 8 ? spng_set_srgb(png, 0) : 0);
    code = code ? code : set_texts(png, texts, text_count, room);
    size_t size = (size_t)width * height * channels * (bits / 8);
    return code ? code : spng_encode_image(png, texels, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
}

static bool check_shape(const char *path, uint32_t width, uint32_t height, uint32_t channels, uint32_t bits,
                        size_t text_count, mr_error *error)
{
    if (!mr_image_check(path, width, height, channels, error)) {
        return false;
    }
    bool known =
        (channels == 1 && (bits == 8 || bits == 16)) || ((channels == 3 || channels == 4) && bits == 8);
    if (!known) {
        return mr_fail(
            error, MR_BAD_INPUT,
            "%s: %u channels of %u bits; a PNG is written with 1 channel of 8 or 16 bits, 3 or 4 of 8", path,
            channels, bits);
    }
    if (text_count > TEXT_LIMIT) {
        return mr_fail(error, MR_BAD_INPUT, "%s: %zu texts; at most %d are allowed", path, text_count,
                       (int)TEXT_LIMIT);
    }
    return true;
}

bool mr_png_save(mr_context *context, const char *path, const void *texels, uint32_t width, uint32_t height,
                 uint32_t channels, uint32_t bits, const mr_png_text *texts, size_t text_count,
                 mr_error *error)
{
    if (!check_shape(path, width, height, channels, bits, text_count, error)) {
        return false;
    }
    sink s = { .error = error };
    bool good = false;
    mr_library_scope scope;
    mr_library_begin(&scope, context);
    struct spng_alloc allocator = { mr_library_allocate, mr_library_reallocate, mr_library_allocate_zeroed,
                                    mr_library_free };
    spng_ctx *png = spng_ctx_new2(&allocator, SPNG_CTX_ENCODER);
    s.block = mr_allocate(context, BLOCK_SIZE);
    if (!png || !s.block) {
        mr_fail_memory(error, BLOCK_SIZE);
        goto done;
    }
    if (!mr_file_begin(context, path, &s.file, error)) {
        goto done;
    }
    int code = encode(png, &s, texels, width, height, channels, bits, texts, text_count);
    if (s.failed || (code == 0 && !flush(&s))) {
        // the writer has said it
    } else if (code && scope.refused) {
        mr_library_fail(&scope, path, "encode the PNG", error);
    } else if (code) {
        mr_fail(error, MR_BAD_INPUT, "%s: cannot encode the PNG: %s", path, spng_strerror(code));
    } else {
        good = mr_file_commit(&s.file, error);
    }
    mr_file_abandon(&s.file);
done:
    mr_free(context, s.block);
    if (!scope.refused) {
        spng_ctx_free(png);
    }
    mr_library_end(&scope);
    return good;
}
