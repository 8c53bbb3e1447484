// io/exr_write.c: f32 channels to EXR scanlines.

#include "io/exr.h"

#include "base/file.h"
#include "io/image.h"

#include <OpenEXR/openexr.h>

typedef struct writer {
    mr_file_writer file;
    mr_error *error;
    const char *path;
    mr_library_scope scope;
    exr_context_t exr;
    bool failed; // the file has said why
} writer;

static int64_t put(exr_const_context_t exr, void *user, const void *bytes, uint64_t size, uint64_t offset,
                   exr_stream_error_func_ptr_t say)
{
    (void)exr;
    (void)say;
    writer *w = user;
    if (w->failed || !mr_file_write_at(&w->file, offset, bytes, size, w->error)) {
        w->failed = true;
        return -1;
    }
    return (int64_t)size;
}

// The library would print. It calls while it holds its own lock, so that asking it for the writer would wait for ever; the
// code it answers must do.
static void say_nothing(exr_const_context_t exr, exr_result_t code, const char *message)
{
    (void)exr;
    (void)code;
    (void)message;
}

static bool fail_code(const writer *w, exr_result_t code, mr_error *error)
{
    if (w->failed) {
        return false;
    }
    if (code == EXR_ERR_OUT_OF_MEMORY || w->scope.refused) {
        return mr_library_fail(&w->scope, w->path, "encode the EXR", error);
    }
    return mr_fail(error, MR_BAD_INPUT, "%s: cannot encode the EXR: %s", w->path,
                   exr_get_default_error_message(code));
}

static exr_result_t set_attributes(writer *w, int part, const mr_exr_attribute *attributes, size_t count)
{
    exr_result_t code = EXR_ERR_SUCCESS;
    for (size_t i = 0; i < count && code == EXR_ERR_SUCCESS; i++) {
        code = attributes[i].is_text
                   ? exr_attr_set_string(w->exr, part, attributes[i].name, attributes[i].text)
                   : exr_attr_set_double(w->exr, part, attributes[i].name, attributes[i].number);
    }
    return code;
}

static exr_result_t begin(writer *w, uint32_t width, uint32_t height, const mr_exr_channel *channels,
                          size_t channel_count, bool compress, const mr_exr_attribute *attributes,
                          size_t attribute_count)
{
    exr_context_initializer_t set = EXR_DEFAULT_CONTEXT_INITIALIZER;
    set.error_handler_fn = say_nothing;
    set.alloc_fn = mr_library_allocate;
    set.free_fn = mr_library_free;
    set.user_data = w;
    set.write_fn = put;
    set.zip_level = 1;
    int part = 0;
    exr_result_t code = exr_start_write(&w->exr, w->path, EXR_WRITE_FILE_DIRECTLY, &set);
    code = code ? code : exr_add_part(w->exr, "ground", EXR_STORAGE_SCANLINE, &part);
    code = code ? code
                : exr_initialize_required_attr_simple(w->exr, part, (int32_t)width, (int32_t)height,
                                                      compress ? EXR_COMPRESSION_ZIP : EXR_COMPRESSION_NONE);
    for (size_t i = 0; i < channel_count && code == EXR_ERR_SUCCESS; i++) {
        code =
            exr_add_channel(w->exr, part, channels[i].name, EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LINEAR, 1, 1);
    }
    code = code ? code : set_attributes(w, part, attributes, attribute_count);
    return code ? code : exr_write_header(w->exr);
}

static exr_result_t aim(exr_encode_pipeline_t *pipe, const mr_exr_channel *channels, size_t channel_count,
                        uint32_t y)
{
    for (int i = 0; i < pipe->channel_count; i++) {
        exr_coding_channel_info_t *info = &pipe->channels[i];
        const mr_exr_channel *from = NULL;
        for (size_t c = 0; c < channel_count; c++) {
            if (strcmp(channels[c].name, info->channel_name) == 0) {
                from = &channels[c];
            }
        }
        if (!from) {
            return EXR_ERR_INVALID_ARGUMENT;
        }
        info->user_bytes_per_element = sizeof(float);
        info->user_data_type = EXR_PIXEL_FLOAT;
        info->user_pixel_stride = (int32_t)(from->pixel_stride * sizeof(float));
        info->user_line_stride = (int32_t)(from->row_stride * sizeof(float));
        info->encode_from_ptr = (const uint8_t *)(from->samples + (size_t)y * from->row_stride);
    }
    return EXR_ERR_SUCCESS;
}

static exr_result_t write_rows(writer *w, uint32_t height, const mr_exr_channel *channels,
                               size_t channel_count)
{
    int32_t lines = 1;
    exr_result_t code = exr_get_scanlines_per_chunk(w->exr, 0, &lines);
    exr_encode_pipeline_t pipe = EXR_ENCODE_PIPELINE_INITIALIZER;
    bool begun = false;
    for (uint32_t y = 0; y < height && code == EXR_ERR_SUCCESS; y += (uint32_t)lines) {
        exr_chunk_info_t chunk;
        code = exr_write_scanline_chunk_info(w->exr, 0, (int)y, &chunk);
        code = code    ? code
               : begun ? exr_encoding_update(w->exr, 0, &chunk, &pipe)
                       : exr_encoding_initialize(w->exr, 0, &chunk, &pipe);
        begun = begun || code == EXR_ERR_SUCCESS;
        code = code ? code : aim(&pipe, channels, channel_count, y);
        code = code ? code : exr_encoding_choose_default_routines(w->exr, 0, &pipe);
        code = code ? code : exr_encoding_run(w->exr, 0, &pipe);
    }
    if (begun && !w->scope.refused) {
        exr_encoding_destroy(w->exr, &pipe);
    }
    return code;
}

bool mr_exr_save(mr_context *context, const char *path, uint32_t width, uint32_t height,
                 const mr_exr_channel *channels, size_t channel_count, bool compress,
                 const mr_exr_attribute *attributes, size_t attribute_count, mr_error *error)
{
    if (!mr_image_check(path, width, height, channel_count, error)) {
        return false;
    }
    if (channel_count > MR_EXR_CHANNELS) {
        return mr_fail(error, MR_BAD_INPUT, "%s: %zu channels; at most %d can be written", path,
                       channel_count, (int)MR_EXR_CHANNELS);
    }
    for (size_t i = 0; i < channel_count; i++) {
        if (channels[i].row_stride > INT32_MAX / sizeof(float) ||
            channels[i].pixel_stride > INT32_MAX / sizeof(float)) {
            return mr_fail(error, MR_BAD_INPUT, "%s: a row of %zu samples is too long", path,
                           channels[i].row_stride);
        }
    }
    mr_error own;
    writer w = { .error = error ? error : &own, .path = path };
    if (!mr_file_begin(context, path, &w.file, error)) {
        return false;
    }
    mr_library_begin(&w.scope, context);
    exr_result_t code =
        begin(&w, width, height, channels, channel_count, compress, attributes, attribute_count);
    code = code ? code : write_rows(&w, height, channels, channel_count);
    if (w.exr && !w.scope.refused) {
        // Ending writes the table of chunks, so it can fail like any writing.
        exr_result_t end = exr_finish(&w.exr);
        code = code ? code : end;
    }
    mr_library_end(&w.scope);
    bool good = code == EXR_ERR_SUCCESS && !w.failed && !w.scope.refused ? mr_file_commit(&w.file, error)
                                                                         : fail_code(&w, code, error);
    mr_file_abandon(&w.file);
    return good;
}
