#include "data/texture.h"

mr_texture *mr_texture_create(mr_context *context, uint32_t width, uint32_t height, uint32_t channels,
                              mr_error *error)
{
    if (width == 0 || height == 0 || channels == 0 || channels > 4) {
        mr_fail(error, MR_BAD_INPUT,
                "a texture of %u x %u texels in %u channels; it has at least one texel and 1 to 4 "
                "channels",
                width, height, channels);
        return NULL;
    }
    size_t values;
    if (!mr_size_multiply(width, height, &values) || !mr_size_multiply(values, channels, &values)) {
        mr_fail(error, MR_LIMIT, "%u x %u texels in %u channels do not fit the machine's memory", width,
                height, channels);
        return NULL;
    }
    mr_texture *texture = mr_allocate_zeroed(context, sizeof *texture);
    if (!texture) {
        mr_fail_memory(error, sizeof *texture);
        return NULL;
    }
    mr_refs_init(&texture->refs);
    texture->context = context;
    texture->width = width;
    texture->height = height;
    texture->channels = channels;
    texture->bits = 32;
    texture->floating = true;
    texture->texels = mr_column_create(context, MR_COLUMN_FLOAT, values, error);
    if (!texture->texels) {
        mr_free(context, texture);
        return NULL;
    }
    return texture;
}

mr_texture *mr_texture_retain(mr_texture *texture)
{
    mr_refs_retain(&texture->refs);
    return texture;
}

void mr_texture_release(mr_texture *texture)
{
    if (texture && mr_refs_release(&texture->refs)) {
        mr_column_release(texture->texels);
        mr_free(texture->context, texture);
    }
}

void mr_texture_digest(const mr_texture *texture, mr_digester *digester)
{
    mr_digest_u64(digester, texture->width);
    mr_digest_u64(digester, texture->height);
    mr_digest_u64(digester, texture->channels);
    mr_digest_u64(digester, texture->bits);
    mr_digest_u64(digester, texture->floating);
    mr_digest_u64(digester, texture->has_range);
    if (texture->has_range) {
        mr_digest_f64(digester, texture->range_low);
        mr_digest_f64(digester, texture->range_high);
    }
    mr_column_digest(texture->texels, digester);
}
