// Any bytes as a PNG: a picture within the memory allowed, or an error that names the file; nothing is kept.

#include "base/context.h"
#include "io/png.h"

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
        config.memory_limit = 64 << 20;
        check(mr_context_create(&config, &context, &error));
    }
    uint64_t before = mr_context_memory_now(context);
    mr_texture *texture;
    if (mr_png_decode(context, data, size, "fuzz.png", &texture, &error)) {
        float sum = 0;
        for (size_t i = 0; i < texture->texels->count; i++) {
            sum += texture->texels->f32[i];
            check(texture->texels->f32[i] >= 0 &&
                  texture->texels->f32[i] <= (texture->bits == 16 ? 65535 : 255));
        }
        check(sum >= 0);
        mr_texture_release(texture);
    } else {
        check(error.status != MR_OK && strstr(error.message, "fuzz.png"));
    }
    char text[64];
    mr_png_find_text(context, data, size, "marram:low", text, sizeof text);
    mr_buffer_trim(context);
    check(mr_context_memory_now(context) == before);
    return 0;
}
