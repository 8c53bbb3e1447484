// io/png_read.c: PNG to texture.

#include "io/png.h"

#include "base/context.h"
#include "base/file.h"
#include "base/number_text.h"
#include "io/image.h"

#include <spng.h>
#include <string.h>

enum {
    SIGNATURE_SIZE = 8,
    HEADER_END = 33,        // of the signature and the header's chunk
    CHUNK_LIMIT = 16 << 20, // bytes of one chunk beside the picture's own
    CHUNK_CACHE = 64 << 20, // and of all of them together
    DEFLATE_MOST = 1032,    // deflate never makes one byte stand for more
    RANGE_TEXT_SIZE = 64,
};

// Samples of a texel by the header's colour type.
static const unsigned char samples_of[7] = { 1, 0, 3, 1, 2, 0, 4 };

static const unsigned char signature[SIGNATURE_SIZE] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };

typedef struct reader {
    mr_context *context;
    const char *name;
    mr_library_scope scope;
    spng_ctx *png;
    struct spng_ihdr header;
    struct spng_trns clear; // the colour that is transparent, where has_clear
    bool has_clear;
    int format;
    uint32_t stored;   // channels as decoded
    uint32_t channels; // channels of the texture
    unsigned char *raw;
    size_t raw_size;
} reader;

static bool fail_code(const reader *r, const char *doing, int code, mr_error *error)
{
    if (code == SPNG_EMEM || r->scope.refused) {
        return mr_library_fail(&r->scope, r->name, doing, error);
    }
    if (code == SPNG_IO_EOF || code == SPNG_EOF || code == SPNG_EIDAT_TOO_SHORT) {
        return mr_fail(error, MR_BAD_INPUT, "%s: the PNG ends too early (cannot %s)", r->name, doing);
    }
    return mr_fail(error, MR_BAD_INPUT, "%s: damaged PNG: cannot %s: %s", r->name, doing,
                   spng_strerror(code));
}

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// Opens the bytes with every limit set; nothing of the picture is read but its header.
static bool open_reader(reader *r, const void *bytes, size_t size, mr_error *error)
{
    if (size < SIGNATURE_SIZE || memcmp(bytes, signature, SIGNATURE_SIZE) != 0) {
        return mr_fail(error, MR_BAD_INPUT, "%s: not a PNG (%zu bytes, without its signature)", r->name,
                       size);
    }
    // The library calls a size it cannot count a damage; the sum says more.
    const unsigned char *head = bytes;
    uint32_t samples = size >= HEADER_END && head[25] < sizeof samples_of ? samples_of[head[25]] : 0;
    if (samples > 0 && memcmp(head + 12, "IHDR", 4) == 0 &&
        !mr_image_check(r->name, big_endian(head + 16), big_endian(head + 20), samples, error)) {
        return false;
    }
    struct spng_alloc allocator = { mr_library_allocate, mr_library_reallocate, mr_library_allocate_zeroed,
                                    mr_library_free };
    r->png = spng_ctx_new2(&allocator, 0);
    if (!r->png) {
        return mr_library_fail(&r->scope, r->name, "open the PNG", error);
    }
    int code = spng_set_image_limits(r->png, 0x7fffffff, 0x7fffffff);
    code = code ? code : spng_set_chunk_limits(r->png, CHUNK_LIMIT, CHUNK_CACHE);
    code = code ? code : spng_set_crc_action(r->png, SPNG_CRC_ERROR, SPNG_CRC_DISCARD);
    code = code ? code : spng_set_png_buffer(r->png, bytes, size);
    code = code ? code : spng_get_ihdr(r->png, &r->header);
    return code == 0 || fail_code(r, "read the header", code, error);
}

// How the samples will come, and what the texture will hold.
static void choose_format(reader *r)
{
    static const unsigned char channels_of[7] = { 1, 0, 3, 3, 2, 0, 4 };
    r->has_clear = spng_get_trns(r->png, &r->clear) == 0;
    r->format = SPNG_FMT_PNG;
    r->stored = channels_of[r->header.color_type];
    if (r->header.color_type == SPNG_COLOR_TYPE_INDEXED) {
        r->format = r->has_clear ? SPNG_FMT_RGBA8 : SPNG_FMT_RGB8;
        r->stored = r->has_clear ? 4 : 3;
        r->has_clear = false; // the library puts it in
    } else if (r->header.bit_depth < 8) {
        r->format = SPNG_FMT_G8;
    }
    r->channels = r->stored + (r->has_clear ? 1 : 0);
}

static bool check_sizes(reader *r, size_t size, mr_error *error)
{
    if (!mr_image_check(r->name, r->header.width, r->header.height, r->channels, error)) {
        return false;
    }
    uint64_t bits = (uint64_t)r->header.width * samples_of[r->header.color_type] * r->header.bit_depth;
    uint64_t needed = (bits / 8 + 1) * r->header.height;
    if (needed / DEFLATE_MOST > size) {
        return mr_fail(
            error, MR_BAD_INPUT,
            "%s: the PNG ends too early: %zu bytes cannot hold the %u x %u samples its header states",
            r->name, size, r->header.width, r->header.height);
    }
    int code = spng_decoded_image_size(r->png, r->format, &r->raw_size);
    return code == 0 || fail_code(r, "size the picture", code, error);
}

static bool decode_raw(reader *r, mr_error *error)
{
    r->raw = mr_buffer_take(r->context, r->raw_size, error);
    if (!r->raw) {
        return mr_fail_prefix(error, "%s", r->name);
    }
    int flags = r->format == SPNG_FMT_RGBA8 ? SPNG_DECODE_TRNS : 0;
    int code = spng_decode_image(r->png, r->raw, r->raw_size, r->format, flags);
    if (code) {
        return fail_code(r, "decode the picture", code, error);
    }
    // What stands behind the picture may be missing; the picture is whole.
    spng_decode_chunks(r->png);
    return true;
}

// Whether the texel is the one that is transparent. Grey below 8 bits was spread over 0..255, so the colour is too.
static bool is_clear(const reader *r, const uint32_t *texel)
{
    if (r->stored == 1) {
        uint32_t grey = r->clear.gray;
        if (r->header.bit_depth < 8) {
            uint32_t greatest = (1u << r->header.bit_depth) - 1;
            grey = (grey & greatest) * (255u / greatest);
        }
        return texel[0] == grey;
    }
    return texel[0] == r->clear.red && texel[1] == r->clear.green && texel[2] == r->clear.blue;
}

static void fill_with_alpha(const reader *r, float *texels, size_t count)
{
    const uint8_t *bytes = r->raw;
    const uint16_t *words = (const uint16_t *)(const void *)r->raw;
    bool wide = r->header.bit_depth == 16;
    float opaque = wide ? 65535.0f : 255.0f;
    for (size_t i = 0; i < count; i++) {
        uint32_t texel[3] = { 0 };
        for (uint32_t c = 0; c < r->stored; c++) {
            texel[c] = wide ? words[i * r->stored + c] : bytes[i * r->stored + c];
            texels[i * r->channels + c] = (float)texel[c];
        }
        texels[i * r->channels + r->stored] = is_clear(r, texel) ? 0.0f : opaque;
    }
}

static void fill_texels(const reader *r, float *texels)
{
    size_t count = (size_t)r->header.width * r->header.height;
    if (r->has_clear) {
        fill_with_alpha(r, texels, count);
        return;
    }
    size_t samples = count * r->stored;
    if (r->header.bit_depth == 16) {
        const uint16_t *words = (const uint16_t *)(const void *)r->raw;
        for (size_t i = 0; i < samples; i++) {
            texels[i] = (float)words[i];
        }
    } else {
        for (size_t i = 0; i < samples; i++) {
            texels[i] = (float)r->raw[i];
        }
    }
}

// Copies the text of a keyword; false when the file has none.
static bool find_text(spng_ctx *png, const char *keyword, char *text, size_t text_size)
{
    uint32_t count = 0;
    if (spng_get_text(png, NULL, &count) != 0 || count == 0) {
        return false;
    }
    struct spng_text *texts = mr_library_allocate_zeroed(count, sizeof *texts); // its failure is noted
    if (!texts) {
        return false;
    }
    bool found = false;
    if (spng_get_text(png, texts, &count) == 0) {
        for (uint32_t i = 0; i < count && !found; i++) {
            if (strncmp(texts[i].keyword, keyword, sizeof texts[i].keyword) == 0) {
                size_t length = texts[i].length < text_size - 1 ? texts[i].length : text_size - 1;
                memcpy(text, texts[i].text, length);
                text[length] = 0;
                found = true;
            }
        }
    }
    mr_library_free(texts);
    return found;
}

static bool parse_number(const char *text, double *number)
{
    bool negative = text[0] == '-';
    mr_view view = mr_view_of(text + (negative ? 1 : 0));
    double value;
    size_t used = mr_f64_parse(view, &value);
    if (used == 0 || used != view.size || !__builtin_isfinite(value)) {
        return false;
    }
    *number = negative ? -value : value;
    return true;
}

static bool read_range(const reader *r, mr_texture *texture, mr_error *error)
{
    char low[RANGE_TEXT_SIZE];
    char high[RANGE_TEXT_SIZE];
    if (!find_text(r->png, "marram:low", low, sizeof low) ||
        !find_text(r->png, "marram:high", high, sizeof high)) {
        return true;
    }
    if (!parse_number(low, &texture->range_low) || !parse_number(high, &texture->range_high)) {
        return mr_fail(error, MR_BAD_INPUT, "%s: its range is \"%s\" to \"%s\"; both must be finite numbers",
                       r->name, low, high);
    }
    texture->has_range = true;
    return true;
}

static bool decode(reader *r, const void *bytes, size_t size, mr_texture **texture, mr_error *error)
{
    if (!open_reader(r, bytes, size, error)) {
        return false;
    }
    choose_format(r);
    if (!check_sizes(r, size, error) || !decode_raw(r, error)) {
        return false;
    }
    mr_texture *made = mr_texture_create(r->context, r->header.width, r->header.height, r->channels, error);
    if (!made) {
        return mr_fail_prefix(error, "%s", r->name);
    }
    made->bits = r->header.bit_depth == 16 ? 16 : 8;
    made->floating = false;
    if (!read_range(r, made, error)) {
        mr_texture_release(made);
        return false;
    }
    if (r->scope.refused) {
        mr_texture_release(made);
        return mr_library_fail(&r->scope, r->name, "read the texts", error);
    }
    fill_texels(r, made->texels->f32);
    mr_column_publish(made->texels);
    *texture = made;
    return true;
}

static void end_reader(reader *r)
{
    if (!r->scope.refused) {
        spng_ctx_free(r->png);
    }
    mr_library_end(&r->scope);
    mr_buffer_release(r->context, r->raw);
}

bool mr_png_decode(mr_context *context, const void *bytes, size_t size, const char *name,
                   mr_texture **texture, mr_error *error)
{
    reader r = { .context = context, .name = name };
    mr_library_begin(&r.scope, context);
    bool good = decode(&r, bytes, size, texture, error);
    end_reader(&r);
    return good;
}

bool mr_png_load(mr_context *context, const char *path, mr_texture **texture, mr_error *error)
{
    char *bytes;
    size_t size;
    if (!mr_file_read(context, path, MR_IMAGE_BYTES_LIMIT, &bytes, &size, error)) {
        return false;
    }
    bool good = mr_png_decode(context, bytes, size, path, texture, error);
    mr_free(context, bytes);
    return good;
}

bool mr_png_find_text(mr_context *context, const void *bytes, size_t size, const char *keyword, char *text,
                      size_t text_size)
{
    reader r = { .context = context, .name = "" };
    mr_error ignored;
    mr_library_begin(&r.scope, context);
    bool found = open_reader(&r, bytes, size, &ignored) && find_text(r.png, keyword, text, text_size);
    end_reader(&r);
    return found;
}
