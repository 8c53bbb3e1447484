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

static void try_bytes(const uint8_t *data, size_t size)
{
    mr_error error = { 0 };
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
}

static uint32_t crc_of(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) {
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
    }
    return ~crc;
}

// Puts right every chunk's check sum, which chance would never hit, so that what stands behind it is reached.
static void mend(uint8_t *data, size_t size)
{
    for (size_t at = 8; at + 12 <= size;) {
        uint32_t length = (uint32_t)data[at] << 24 | (uint32_t)data[at + 1] << 16 |
                          (uint32_t)data[at + 2] << 8 | data[at + 3];
        if (length > size - at - 12) {
            return;
        }
        uint32_t crc = crc_of(data + at + 4, length + 4);
        for (int i = 0; i < 4; i++) {
            data[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        }
        at += 12 + length;
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
    try_bytes(data, size);
    uint8_t *copy = malloc(size + 1);
    check(copy != NULL);
    memcpy(copy, data, size);
    mend(copy, size);
    try_bytes(copy, size);
    free(copy);
    return 0;
}
