// Any bytes as an EXR, for its colours and for its height: a picture within the memory allowed, or an error that names the
// file; nothing is kept.

#include "base/context.h"
#include "io/exr.h"
#include "io/height.h"

#include <stdlib.h>

static mr_context *context;

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mr_error error = { 0 };
    if (!context) {
        mr_context_config config = mr_context_config_default();
        config.threads = 1;
        config.memory_limit = 12 << 20;
        check(mr_context_create(&config, &context, &error));
    }
    uint64_t before = mr_context_memory_now(context);
    mr_texture *texture;
    mr_exr_attribute place = { .name = "marram:place" };
    if (mr_exr_decode(context, data, size, "fuzz.exr", MR_EXR_COLOR, &place, 1, &texture, &error)) {
        check(texture->texels->count == (size_t)texture->width * texture->height * texture->channels);
        mr_texture_release(texture);
    } else {
        check(error.status != MR_OK && strstr(error.message, "fuzz.exr"));
    }
    mr_height_file height;
    if (mr_height_decode(context, data, size, "fuzz.exr", &height, &error)) {
        mr_texture_release(height.texture);
    } else {
        check(strstr(error.message, "fuzz.exr"));
    }
    mr_buffer_trim(context);
    check(mr_context_memory_now(context) == before);
    return 0;
}
