// data/texture.h: texels in 1 to 4 channels of f32, with what a file said of them.

#ifndef MARRAM_DATA_TEXTURE_H
#define MARRAM_DATA_TEXTURE_H

#include "data/column.h"

typedef struct mr_texture {
    mr_refs refs;
    mr_context *context;
    uint32_t width;
    uint32_t height;
    uint32_t channels;
    uint32_t
        bits; // of the file's samples: 8, 16 (integers, texels hold the codes themselves, exactly), 32 (floats)
    bool floating;  // texels are values, not codes
    bool has_range; // the file said which values code 0 and the greatest code stand for
    double range_low;
    double range_high;
    mr_column *texels; // Float: width * height * channels, row 0 the top row
} mr_texture;

mr_texture *mr_texture_create(mr_context *context, uint32_t width, uint32_t height, uint32_t channels,
                              mr_error *error);
mr_texture *mr_texture_retain(mr_texture *texture);
void mr_texture_release(mr_texture *texture);
void mr_texture_digest(const mr_texture *texture, mr_digester *digester);

#endif
