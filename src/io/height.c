#include "io/height.h"

#include "base/file.h"
#include "base/number_text.h"
#include "io/exr.h"
#include "io/image.h"
#include "io/png.h"

enum { CODE_MOST = 65535 };

// Numbers of a place: "cell corner_x corner_z", as text, so that a corner keeps all its digits.
static void place_text(const mr_raster *raster, char *out, size_t size)
{
    char cell[MR_NUMBER_TEXT_SIZE];
    mr_f64_text(raster->cell, cell);
    mr_text_format(out, size, "%s %lld %lld", cell, (long long)raster->corner_x, (long long)raster->corner_z);
}

static bool parse_integer(mr_view *rest, int64_t *number)
{
    size_t at = 0;
    bool negative = at < rest->size && rest->data[at] == '-';
    at += negative ? 1 : 0;
    size_t begin = at;
    int64_t value = 0;
    for (; at < rest->size && rest->data[at] >= '0' && rest->data[at] <= '9'; at++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, rest->data[at] - '0', &value)) {
            return false;
        }
    }
    if (at == begin || (!negative && value == INT64_MIN)) {
        return false;
    }
    *number = negative ? value : -value; // gathered below zero, which reaches one further
    rest->data += at;
    rest->size -= at;
    return true;
}

static bool skip_space(mr_view *rest)
{
    if (rest->size == 0 || rest->data[0] != ' ') {
        return false;
    }
    rest->data++;
    rest->size--;
    return true;
}

// A place that does not read is no place: the heights themselves are whole.
static void parse_place(const char *text, mr_height_file *file)
{
    mr_view rest = mr_view_of(text);
    double cell;
    int64_t corner_x;
    int64_t corner_z;
    size_t used = mr_f64_parse(rest, &cell);
    rest.data += used;
    rest.size -= used;
    if (used == 0 || !(cell > 0) || !__builtin_isfinite(cell) || !skip_space(&rest) ||
        !parse_integer(&rest, &corner_x) || !skip_space(&rest) || !parse_integer(&rest, &corner_z) ||
        rest.size != 0) {
        return;
    }
    file->has_place = true;
    file->cell = cell;
    file->corner_x = corner_x;
    file->corner_z = corner_z;
}

// The first channel alone, once the colour channels are seen to be equal. Takes the texture's reference.
static bool only_grey(mr_context *context, const char *name, mr_texture **texture, mr_error *error)
{
    mr_texture *from = *texture;
    if (from->channels == 1) {
        return true;
    }
    size_t count = (size_t)from->width * from->height;
    const float *texels = from->texels->f32;
    for (size_t i = 0; from->channels >= 3 && i < count; i++) {
        const float *texel = texels + i * from->channels;
        if (texel[0] != texel[1] || texel[0] != texel[2]) {
            return mr_fail(
                error, MR_BAD_INPUT,
                "%s: has the channels R, G, B%s that differ at texel (%zu, %zu); a height is read from grey",
                name, from->channels == 4 ? ", A" : "", i % from->width, i / from->width);
        }
    }
    mr_texture *made = mr_texture_create(context, from->width, from->height, 1, error);
    if (!made) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        made->texels->f32[i] = texels[i * from->channels];
    }
    made->bits = from->bits;
    made->floating = from->floating;
    made->has_range = from->has_range;
    made->range_low = from->range_low;
    made->range_high = from->range_high;
    mr_column_publish(made->texels);
    mr_texture_release(from);
    *texture = made;
    return true;
}

static bool decode_png(mr_context *context, const void *bytes, size_t size, const char *name,
                       mr_height_file *file, mr_error *error)
{
    if (!mr_png_decode(context, bytes, size, name, &file->texture, error)) {
        return false;
    }
    if (!only_grey(context, name, &file->texture, error)) {
        return false;
    }
    file->coarse = file->texture->bits <= 8;
    char place[96];
    if (mr_png_find_text(context, bytes, size, "marram:place", place, sizeof place)) {
        parse_place(place, file);
    }
    return true;
}

static bool decode_exr(mr_context *context, const void *bytes, size_t size, const char *name,
                       mr_height_file *file, mr_error *error)
{
    mr_exr_attribute place = { .name = "marram:place" };
    if (!mr_exr_decode(context, bytes, size, name, MR_EXR_HEIGHT, &place, 1, &file->texture, error)) {
        return false;
    }
    const float *heights = file->texture->texels->f32;
    size_t count = (size_t)file->texture->width * file->texture->height;
    for (size_t i = 0; i < count; i++) {
        if (!__builtin_isfinite(heights[i])) {
            return mr_fail(error, MR_BAD_INPUT, "%s: the height at (%zu, %zu) is %g; heights must be finite",
                           name, i % file->texture->width, i / file->texture->width, (double)heights[i]);
        }
    }
    if (place.is_text) {
        parse_place(place.text, file);
    }
    return true;
}

bool mr_height_decode(mr_context *context, const void *bytes, size_t size, const char *name,
                      mr_height_file *file, mr_error *error)
{
    const unsigned char *head = bytes;
    mr_height_file made = { 0 };
    bool good;
    if (size >= 4 && head[0] == 0x89 && head[1] == 'P') {
        good = decode_png(context, bytes, size, name, &made, error);
    } else if (size >= 4 && head[0] == 0x76 && head[1] == 0x2f) {
        good = decode_exr(context, bytes, size, name, &made, error);
    } else {
        return mr_fail(error, MR_BAD_INPUT, "%s: neither a PNG nor an EXR (%zu bytes)", name, size);
    }
    if (!good) {
        mr_texture_release(made.texture);
        return false;
    }
    *file = made;
    return true;
}

bool mr_height_load(mr_context *context, const char *path, mr_height_file *file, mr_error *error)
{
    char *bytes;
    size_t size;
    if (!mr_file_read(context, path, MR_IMAGE_BYTES_LIMIT, &bytes, &size, error)) {
        return false;
    }
    bool good = mr_height_decode(context, bytes, size, path, file, error);
    mr_free(context, bytes);
    return good;
}

double mr_height_of_code(const mr_texture *texture, float sample)
{
    if (texture->floating || !texture->has_range) {
        return (double)sample;
    }
    double most = texture->bits == 16 ? 65535.0 : 255.0;
    return texture->range_low + (double)sample * (texture->range_high - texture->range_low) / most;
}

// The rect's first cell, once every cell of the rect is seen to be finite.
static const float *find_cells(const mr_raster *raster, const char *layer, const char *path, float *low,
                               float *high, mr_error *error)
{
    const float *cells = mr_raster_layer_read(raster, layer);
    if (!cells) {
        mr_fail(error, MR_BAD_INPUT, "%s: the ground has no layer \"%s\"", path, layer);
        return NULL;
    }
    size_t stride = mr_raster_stride(raster);
    cells += raster->margin * stride + raster->margin;
    float least = __builtin_inff();
    float most = -__builtin_inff();
    for (uint32_t z = 0; z < raster->height; z++) {
        const float *row = cells + z * stride;
        for (uint32_t x = 0; x < raster->width; x++) {
            if (!__builtin_isfinite(row[x])) {
                mr_fail(error, MR_BAD_INPUT, "%s: layer \"%s\" at cell (%u, %u) is %g; it must be finite",
                        path, layer, x, z, (double)row[x]);
                return NULL;
            }
            least = row[x] < least ? row[x] : least;
            most = row[x] > most ? row[x] : most;
        }
    }
    *low = least;
    *high = most;
    return cells;
}

bool mr_height_save_png(mr_context *context, const char *path, const mr_raster *raster, const char *layer,
                        float *low, float *high, mr_error *error)
{
    float least;
    float most;
    const float *cells = find_cells(raster, layer, path, &least, &most, error);
    if (!cells) {
        return false;
    }
    size_t count;
    size_t bytes;
    if (!mr_size_multiply(raster->width, raster->height, &count) || !mr_size_multiply(count, 2, &bytes)) {
        return mr_fail_memory(error, SIZE_MAX);
    }
    uint16_t *codes = mr_buffer_take(context, bytes, error);
    if (!codes) {
        return false;
    }
    // One division for all; the product's rounding is far below the half code that rounding gives away anyway.
    double scale = most > least ? CODE_MOST / ((double)most - (double)least) : 0.0;
    size_t stride = mr_raster_stride(raster);
    for (uint32_t z = 0; z < raster->height; z++) {
        const float *row = cells + z * stride;
        uint16_t *out = codes + (size_t)z * raster->width;
        for (uint32_t x = 0; x < raster->width; x++) {
            double code = __builtin_rint(((double)row[x] - (double)least) * scale);
            out[x] = (uint16_t)(code < CODE_MOST ? code : CODE_MOST);
        }
    }
    char low_text[MR_NUMBER_TEXT_SIZE];
    char high_text[MR_NUMBER_TEXT_SIZE];
    char place[96];
    mr_f64_text((double)least, low_text);
    mr_f64_text((double)most, high_text);
    place_text(raster, place, sizeof place);
    mr_png_text texts[] = { { "marram:low", low_text },
                            { "marram:high", high_text },
                            { "marram:place", place } };
    bool good = mr_png_save(context, path, codes, raster->width, raster->height, 1, 16, texts, 3, error);
    mr_buffer_release(context, codes);
    if (good && low) {
        *low = least;
    }
    if (good && high) {
        *high = most;
    }
    return good;
}

bool mr_height_save_exr(mr_context *context, const char *path, const mr_raster *raster, const char *layer,
                        mr_error *error)
{
    float low;
    float high;
    const float *cells = find_cells(raster, layer, path, &low, &high, error);
    if (!cells) {
        return false;
    }
    mr_exr_attribute attributes[3] = {
        { .name = "marram:low", .number = (double)low },
        { .name = "marram:high", .number = (double)high },
        { .name = "marram:place", .is_text = true },
    };
    place_text(raster, attributes[2].text, sizeof attributes[2].text);
    mr_exr_channel channel = { "Y", cells, 1, mr_raster_stride(raster) };
    // Packing f32 heights takes ten times as long as writing them and saves a tenth.
    return mr_exr_save(context, path, raster->width, raster->height, &channel, 1, false, attributes, 3,
                       error);
}
