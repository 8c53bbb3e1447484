// io/exr_read.c: EXR to texture.

#include "io/exr.h"

#include "base/file.h"
#include "io/image.h"

#include <OpenEXR/openexr.h>

enum {
    LIBRARY_SIDE_LIMIT = 1 << 24, // the library's own sums stay within 32 bits below this; our limit is lower
    CHANNEL_LIMIT = 1024,
    DEFLATE_MOST = 1032, // deflate never makes one byte stand for more
};

typedef struct reader {
    mr_context *context;
    const char *name;
    const unsigned char *bytes;
    size_t size;
    mr_library_scope scope;
    exr_context_t exr;
    int part;
    exr_storage_t storage;
    exr_compression_t compression;
    const exr_attr_chlist_t *list;
    uint32_t width;
    uint32_t height;
    int32_t first_y;
    uint32_t channels;
    int chosen[4]; // places in the file's list of the texture's channels
    float *texels;
    char said[160]; // the library's first message
} reader;

// Zeroed, so that what a damaged chunk leaves unwritten is the same on every run.
static void *allocate_zeroed(size_t size)
{
    return mr_library_allocate_zeroed(1, size);
}

static int64_t read_bytes(exr_const_context_t exr, void *user, void *buffer, uint64_t size, uint64_t offset,
                          exr_stream_error_func_ptr_t say)
{
    (void)exr;
    (void)say;
    const reader *r = user;
    if (offset >= r->size) {
        return 0;
    }
    uint64_t have = r->size - offset < size ? r->size - offset : size;
    memcpy(buffer, r->bytes + offset, have);
    return (int64_t)have;
}

static int64_t size_of_bytes(exr_const_context_t exr, void *user)
{
    (void)exr;
    return (int64_t)((const reader *)user)->size;
}

// The library would print; the first message is kept, being the nearest to the cause.
static void keep_message(exr_const_context_t exr, exr_result_t code, const char *message)
{
    (void)code;
    void *user = NULL;
    if (!exr || exr_get_user_data(exr, &user) != EXR_ERR_SUCCESS || !user) {
        return;
    }
    reader *r = user;
    if (r->said[0] == 0) {
        mr_text_format(r->said, sizeof r->said, "%s", message);
    }
}

static bool fail_code(const reader *r, const char *doing, exr_result_t code, mr_error *error)
{
    if (code == EXR_ERR_OUT_OF_MEMORY || r->scope.refused) {
        return mr_library_fail(&r->scope, r->name, doing, error);
    }
    if (code == EXR_ERR_READ_IO) {
        return mr_fail(error, MR_BAD_INPUT, "%s: the EXR ends too early (cannot %s)", r->name, doing);
    }
    return mr_fail(error, MR_BAD_INPUT, "%s: damaged EXR: cannot %s: %s", r->name, doing,
                   r->said[0] ? r->said : exr_get_default_error_message(code));
}

static bool open_reader(reader *r, mr_error *error)
{
    static const unsigned char magic[4] = { 0x76, 0x2f, 0x31, 0x01 };
    if (r->size < 8 || memcmp(r->bytes, magic, 4) != 0) {
        return mr_fail(error, MR_BAD_INPUT, "%s: not an EXR (%zu bytes, without its signature)", r->name,
                       r->size);
    }
    exr_context_initializer_t set = EXR_DEFAULT_CONTEXT_INITIALIZER;
    set.error_handler_fn = keep_message;
    set.alloc_fn = allocate_zeroed;
    set.free_fn = mr_library_free;
    set.user_data = r;
    set.read_fn = read_bytes;
    set.size_fn = size_of_bytes;
    set.max_image_width = LIBRARY_SIDE_LIMIT;
    set.max_image_height = LIBRARY_SIDE_LIMIT;
    set.max_tile_width = LIBRARY_SIDE_LIMIT;
    set.max_tile_height = LIBRARY_SIDE_LIMIT;
    set.flags = EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
    exr_result_t code = exr_start_read(&r->exr, r->name, &set);
    return code == EXR_ERR_SUCCESS || fail_code(r, "read the header", code, error);
}

static bool find_flat_part(reader *r, mr_error *error)
{
    int count = 0;
    exr_result_t code = exr_get_count(r->exr, &count);
    for (r->part = 0; code == EXR_ERR_SUCCESS && r->part < count; r->part++) {
        code = exr_get_storage(r->exr, r->part, &r->storage);
        if (code == EXR_ERR_SUCCESS &&
            (r->storage == EXR_STORAGE_SCANLINE || r->storage == EXR_STORAGE_TILED)) {
            return true;
        }
    }
    if (code != EXR_ERR_SUCCESS) {
        return fail_code(r, "read the parts", code, error);
    }
    return mr_fail(error, MR_BAD_INPUT, "%s: its %d parts are all deep; a flat part is needed", r->name,
                   count);
}

// A channel of the list by name, or -1.
static int find_channel(const exr_attr_chlist_t *list, const char *name)
{
    for (int i = 0; i < list->num_channels; i++) {
        const exr_attr_string_t *have = &list->entries[i].name;
        if ((size_t)have->length == strlen(name) && memcmp(have->str, name, strlen(name)) == 0) {
            return i;
        }
    }
    return -1;
}

static bool fail_channels(const reader *r, const char *wanted, mr_error *error)
{
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; i < r->list->num_channels && used < sizeof names - 1; i++) {
        const exr_attr_string_t *name = &r->list->entries[i].name;
        used += mr_text_format(names + used, sizeof names - used, "%s%.*s", i > 0 ? ", " : "",
                               (int)name->length, name->str);
    }
    return mr_fail(error, MR_BAD_INPUT, "%s: has the channels %s; %s", r->name,
                   r->list->num_channels > 0 ? names : "(none)", wanted);
}

static bool choose_height(reader *r, mr_error *error)
{
    int y = find_channel(r->list, "Y");
    int red = find_channel(r->list, "R");
    r->channels = 1;
    r->chosen[0] = y >= 0 ? y : red;
    if (r->chosen[0] < 0 && r->list->num_channels == 1) {
        r->chosen[0] = 0;
    }
    return r->chosen[0] >= 0 || fail_channels(r, "a height is read from Y, R or the only channel", error);
}

static bool choose_color(reader *r, mr_error *error)
{
    static const char *const rgba[4] = { "R", "G", "B", "A" };
    static const char *const ya[2] = { "Y", "A" };
    for (r->channels = 0; r->channels < 4; r->channels++) {
        r->chosen[r->channels] = find_channel(r->list, rgba[r->channels]);
        if (r->chosen[r->channels] < 0) {
            break;
        }
    }
    if (r->channels >= 3) {
        return true;
    }
    for (r->channels = 0; r->channels < 2; r->channels++) {
        r->chosen[r->channels] = find_channel(r->list, ya[r->channels]);
        if (r->chosen[r->channels] < 0) {
            break;
        }
    }
    if (r->channels >= 1) {
        return true;
    }
    r->channels = 1;
    r->chosen[0] = find_channel(r->list, "R");
    if (r->chosen[0] < 0 && r->list->num_channels == 1) {
        r->chosen[0] = 0;
    }
    return r->chosen[0] >= 0 || fail_channels(r, "R G B, Y, R or one alone can be read", error);
}

// How many bytes of samples one byte of the file can stand for at most; 0 where nobody can say.
static uint64_t most_expansion(exr_compression_t compression)
{
    switch (compression) {
    case EXR_COMPRESSION_NONE:
        return 1;
    case EXR_COMPRESSION_RLE:
        return 64;
    case EXR_COMPRESSION_ZIPS:
    case EXR_COMPRESSION_ZIP:
    case EXR_COMPRESSION_PXR24:
    case EXR_COMPRESSION_B44:
    case EXR_COMPRESSION_B44A:
        return DEFLATE_MOST * 2; // PXR24 drops a byte of each float beside deflating
    default:
        return 0;
    }
}

static bool check_compression(reader *r, mr_error *error)
{
    exr_result_t code = exr_get_compression(r->exr, r->part, &r->compression);
    if (code != EXR_ERR_SUCCESS) {
        return fail_code(r, "read the compression", code, error);
    }
    if (r->compression == EXR_COMPRESSION_DWAA || r->compression == EXR_COMPRESSION_DWAB ||
        (int)r->compression >= (int)EXR_COMPRESSION_LAST_TYPE) {
        return mr_fail(
            error, MR_BAD_INPUT,
            "%s: compression number %d is not readable here; none, rle, zips, zip, piz, pxr24, b44 and "
            "b44a are",
            r->name, (int)r->compression);
    }
    return true;
}

static uint64_t bytes_of_texel(const reader *r)
{
    uint64_t bytes = 0;
    for (int i = 0; i < r->list->num_channels; i++) {
        bytes += r->list->entries[i].pixel_type == EXR_PIXEL_HALF ? 2 : 4;
    }
    return bytes;
}

static bool check_samples(const reader *r, mr_error *error)
{
    for (int i = 0; i < r->list->num_channels; i++) {
        const exr_attr_chlist_entry_t *entry = &r->list->entries[i];
        if (entry->x_sampling != 1 || entry->y_sampling != 1) {
            return mr_fail(error, MR_BAD_INPUT,
                           "%s: channel %.*s has a sample each %d x %d pixels; each pixel must have one",
                           r->name, (int)entry->name.length, entry->name.str, entry->x_sampling,
                           entry->y_sampling);
        }
    }
    return true;
}

// A chunk's table entry is 8 bytes and its head at least as much, so a file states no more chunks than fit in it.
static bool check_chunks(const reader *r, mr_error *error)
{
    int32_t chunks = 0;
    exr_result_t code = exr_get_chunk_count(r->exr, r->part, &chunks);
    uint64_t chunk_bytes = 0;
    code = code ? code : exr_get_chunk_unpacked_size(r->exr, r->part, &chunk_bytes);
    if (code != EXR_ERR_SUCCESS) {
        return fail_code(r, "count the chunks", code, error);
    }
    uint64_t all = 0;
    uint64_t expansion = most_expansion(r->compression);
    if (expansion > 0) {
        all = (uint64_t)r->width * r->height * bytes_of_texel(r) / expansion;
    }
    if (chunks < 0 || (uint64_t)chunks * 16 > r->size || all > r->size) {
        return mr_fail(
            error, MR_BAD_INPUT,
            "%s: the EXR ends too early: %zu bytes cannot hold the %u x %u samples in %d chunks its header "
            "states",
            r->name, r->size, r->width, r->height, chunks);
    }
    if (chunk_bytes > MR_IMAGE_BYTES_LIMIT) {
        return mr_fail(error, MR_LIMIT, "%s: a chunk needs %llu bytes; at most %llu are allowed", r->name,
                       (unsigned long long)chunk_bytes, (unsigned long long)MR_IMAGE_BYTES_LIMIT);
    }
    return true;
}

static bool check_header(reader *r, mr_exr_wanted wanted, mr_error *error)
{
    exr_attr_box2i_t window;
    exr_result_t code = exr_get_data_window(r->exr, r->part, &window);
    code = code ? code : exr_get_channels(r->exr, r->part, &r->list);
    if (code != EXR_ERR_SUCCESS) {
        return fail_code(r, "read the header", code, error);
    }
    if (r->list->num_channels > CHANNEL_LIMIT) {
        return mr_fail(error, MR_LIMIT, "%s: has %d channels; at most %d are allowed", r->name,
                       r->list->num_channels, (int)CHANNEL_LIMIT);
    }
    int64_t width = (int64_t)window.max.x - window.min.x + 1;
    int64_t height = (int64_t)window.max.y - window.min.y + 1;
    if (width < 1 || height < 1) {
        return mr_fail(error, MR_BAD_INPUT, "%s: damaged EXR: its data window is %lld x %lld", r->name,
                       (long long)width, (long long)height);
    }
    bool chosen = wanted == MR_EXR_HEIGHT ? choose_height(r, error) : choose_color(r, error);
    if (!chosen || !mr_image_check(r->name, (uint64_t)width, (uint64_t)height, r->channels, error)) {
        return false;
    }
    r->width = (uint32_t)width;
    r->height = (uint32_t)height;
    r->first_y = window.min.y;
    return check_samples(r, error) && check_compression(r, error) && check_chunks(r, error);
}

// A half as the float of the same value.
static float float_of_half(uint32_t half)
{
    uint32_t sign = (half & 0x8000u) << 16;
    uint32_t exponent = half >> 10 & 31;
    uint32_t mantissa = half & 1023;
    if (exponent == 0) {
        float value = (float)mantissa * 0x1p-24f;
        return sign ? -value : value;
    }
    uint32_t bits = exponent == 31 ? 0x7f800000u | mantissa << 13 : (exponent + 112) << 23 | mantissa << 13;
    bits |= sign;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void convert_samples(const unsigned char *from, exr_pixel_type_t type, size_t count, float *to,
                            size_t step)
{
    for (size_t i = 0; i < count; i++) {
        if (type == EXR_PIXEL_HALF) {
            uint16_t half;
            memcpy(&half, from + 2 * i, sizeof half);
            to[i * step] = float_of_half(half);
        } else if (type == EXR_PIXEL_FLOAT) {
            memcpy(&to[i * step], from + 4 * i, sizeof(float));
        } else {
            uint32_t number;
            memcpy(&number, from + 4 * i, sizeof number);
            to[i * step] = (float)number;
        }
    }
}

typedef struct chunk_place {
    const reader *r;
    size_t x, y; // the chunk's first texel
} chunk_place;

// Stands in for the library's own unpacking, whose choice between special cases goes wrong where some channels are not
// wanted. A chunk holds its rows in turn, each a run of samples a channel.
static exr_result_t unpack_chunk(exr_decode_pipeline_t *pipe)
{
    const chunk_place *place = pipe->decoding_user_data;
    const reader *r = place->r;
    const unsigned char *from = pipe->unpacked_buffer;
    size_t wide = (size_t)pipe->chunk.width;
    for (size_t y = 0; y < (size_t)pipe->chunk.height; y++) {
        float *row = r->texels + ((place->y + y) * r->width + place->x) * r->channels;
        for (int i = 0; i < r->list->num_channels; i++) {
            exr_pixel_type_t type = r->list->entries[i].pixel_type;
            for (uint32_t c = 0; c < r->channels; c++) {
                if (r->chosen[c] == i) {
                    convert_samples(from, type, wide, row + c, r->channels);
                }
            }
            from += wide * (type == EXR_PIXEL_HALF ? 2 : 4);
        }
    }
    return EXR_ERR_SUCCESS;
}

// What the chunk states of itself must be what the header makes of it.
static bool check_chunk(const reader *r, const exr_chunk_info_t *chunk, size_t x, size_t y, size_t wide,
                        size_t high, mr_error *error)
{
    wide = wide < r->width - x ? wide : r->width - x;
    high = high < r->height - y ? high : r->height - y;
    uint64_t whole = (uint64_t)wide * high * bytes_of_texel(r);
    bool plain = r->compression == EXR_COMPRESSION_NONE;
    bool good = chunk->width >= 1 && (size_t)chunk->width == wide && chunk->height >= 1 &&
                (size_t)chunk->height == high && chunk->unpacked_size == whole && chunk->packed_size > 0 &&
                chunk->packed_size <= r->size && (!plain || chunk->packed_size == whole);
    if (!good) {
        return mr_fail(
            error, MR_BAD_INPUT,
            "%s: damaged EXR: chunk %d states %d x %d texels in %llu bytes; %zu x %zu are in its place",
            r->name, chunk->idx, chunk->width, chunk->height, (unsigned long long)chunk->packed_size, wide,
            high);
    }
    return true;
}

// Decodes one chunk whose first texel is (x, y). Each has a pipeline of its own: a used one keeps stale pointers.
static bool run_chunk(const reader *r, const exr_chunk_info_t *chunk, size_t x, size_t y, mr_error *error)
{
    exr_decode_pipeline_t pipe = EXR_DECODE_PIPELINE_INITIALIZER;
    chunk_place place = { r, x, y };
    exr_result_t code = exr_decoding_initialize(r->exr, r->part, chunk, &pipe);
    if (code == EXR_ERR_SUCCESS) {
        code = exr_decoding_choose_default_routines(r->exr, r->part, &pipe);
        pipe.decoding_user_data = &place;
        pipe.unpack_and_convert_fn = unpack_chunk;
        code = code ? code : exr_decoding_run(r->exr, r->part, &pipe);
        if (!r->scope.refused) {
            exr_decoding_destroy(r->exr, &pipe);
        }
    }
    return (code == EXR_ERR_SUCCESS && !r->scope.refused) || fail_code(r, "decode the picture", code, error);
}

static bool decode_scanlines(const reader *r, mr_error *error)
{
    int32_t lines = 0;
    exr_result_t code = exr_get_scanlines_per_chunk(r->exr, r->part, &lines);
    if (code != EXR_ERR_SUCCESS || lines < 1) {
        return fail_code(r, "count the scanlines", code, error);
    }
    for (uint32_t y = 0; y < r->height; y += (uint32_t)lines) {
        exr_chunk_info_t chunk;
        code = exr_read_scanline_chunk_info(r->exr, r->part, r->first_y + (int32_t)y, &chunk);
        if (code != EXR_ERR_SUCCESS) {
            return fail_code(r, "find the scanlines", code, error);
        }
        if (!check_chunk(r, &chunk, 0, y, r->width, (size_t)lines, error) ||
            !run_chunk(r, &chunk, 0, y, error)) {
            return false;
        }
    }
    return true;
}

static bool decode_tiles(const reader *r, mr_error *error)
{
    int32_t wide = 0;
    int32_t high = 0;
    exr_result_t code = exr_get_tile_sizes(r->exr, r->part, 0, 0, &wide, &high);
    if (code != EXR_ERR_SUCCESS || wide < 1 || high < 1) {
        return fail_code(r, "read the tiles' size", code, error);
    }
    for (uint32_t y = 0; y < r->height; y += (uint32_t)high) {
        for (uint32_t x = 0; x < r->width; x += (uint32_t)wide) {
            exr_chunk_info_t chunk;
            code = exr_read_tile_chunk_info(r->exr, r->part, (int)(x / (uint32_t)wide),
                                            (int)(y / (uint32_t)high), 0, 0, &chunk);
            if (code != EXR_ERR_SUCCESS) {
                return fail_code(r, "find the tiles", code, error);
            }
            if (!check_chunk(r, &chunk, x, y, (size_t)wide, (size_t)high, error) ||
                !run_chunk(r, &chunk, x, y, error)) {
                return false;
            }
        }
    }
    return true;
}

// The attribute's value, where it is a text or a number.
static void look_up(const reader *r, mr_exr_attribute *wanted)
{
    wanted->is_text = false;
    wanted->number = __builtin_nan("");
    wanted->text[0] = 0;
    const exr_attribute_t *have = NULL;
    if (exr_get_attribute_by_name(r->exr, r->part, wanted->name, &have) != EXR_ERR_SUCCESS || !have) {
        return;
    }
    switch (have->type) {
    case EXR_ATTR_STRING:
        wanted->is_text = true;
        mr_text_format(wanted->text, sizeof wanted->text, "%.*s", (int)have->string->length,
                       have->string->str);
        break;
    case EXR_ATTR_DOUBLE:
        wanted->number = have->d;
        break;
    case EXR_ATTR_FLOAT:
        wanted->number = (double)have->f;
        break;
    case EXR_ATTR_INT:
        wanted->number = (double)have->i;
        break;
    default:
        break;
    }
}

static void read_range(const reader *r, mr_texture *texture)
{
    mr_exr_attribute low = { .name = "marram:low" };
    mr_exr_attribute high = { .name = "marram:high" };
    look_up(r, &low);
    look_up(r, &high);
    if (__builtin_isfinite(low.number) && __builtin_isfinite(high.number)) {
        texture->has_range = true;
        texture->range_low = low.number;
        texture->range_high = high.number;
    }
}

static bool decode(reader *r, mr_exr_wanted wanted, mr_exr_attribute *attributes, size_t attribute_count,
                   mr_texture **texture, mr_error *error)
{
    if (!open_reader(r, error) || !find_flat_part(r, error) || !check_header(r, wanted, error)) {
        return false;
    }
    mr_texture *made = mr_texture_create(r->context, r->width, r->height, r->channels, error);
    if (!made) {
        return mr_fail_prefix(error, "%s", r->name);
    }
    made->bits = 32;
    made->floating = true;
    r->texels = made->texels->f32;
    if (!(r->storage == EXR_STORAGE_TILED ? decode_tiles(r, error) : decode_scanlines(r, error))) {
        mr_texture_release(made);
        return false;
    }
    read_range(r, made);
    for (size_t i = 0; i < attribute_count; i++) {
        look_up(r, &attributes[i]);
    }
    if (r->scope.refused) {
        mr_texture_release(made);
        return fail_code(r, "read the attributes", EXR_ERR_OUT_OF_MEMORY, error);
    }
    mr_column_publish(made->texels);
    *texture = made;
    return true;
}

bool mr_exr_decode(mr_context *context, const void *bytes, size_t size, const char *name,
                   mr_exr_wanted wanted, mr_exr_attribute *attributes, size_t attribute_count,
                   mr_texture **texture, mr_error *error)
{
    reader r = { .context = context, .name = name, .bytes = bytes, .size = size };
    mr_library_begin(&r.scope, context);
    bool good = decode(&r, wanted, attributes, attribute_count, texture, error);
    if (r.exr && !r.scope.refused) {
        exr_finish(&r.exr);
    }
    mr_library_end(&r.scope);
    return good;
}

bool mr_exr_load(mr_context *context, const char *path, mr_exr_wanted wanted, mr_exr_attribute *attributes,
                 size_t attribute_count, mr_texture **texture, mr_error *error)
{
    char *bytes;
    size_t size;
    if (!mr_file_read(context, path, MR_IMAGE_BYTES_LIMIT, &bytes, &size, error)) {
        return false;
    }
    bool good =
        mr_exr_decode(context, bytes, size, path, wanted, attributes, attribute_count, texture, error);
    mr_free(context, bytes);
    return good;
}
