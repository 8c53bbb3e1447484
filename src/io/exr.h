// io/exr.h: OpenEXR pictures in and out (OpenEXR's core library). Every function may run on several threads at once.

#ifndef MARRAM_IO_EXR_H
#define MARRAM_IO_EXR_H

#include "base/text.h"
#include "data/texture.h"

// What a file's own attributes say, beside its texels.
typedef struct mr_exr_attribute {
    const char *name;
    bool is_text;
    double number;
    char text[96];
} mr_exr_attribute;

typedef enum mr_exr_wanted {
    MR_EXR_COLOR, // R, G, B and maybe A (3 or 4 channels); Y and A (2); else one channel named R, Y or alone (1)
    MR_EXR_HEIGHT, // one channel: Y, else R, else the only one there is
} mr_exr_wanted;

// Reads the first flat part (scanline or tiled; of several levels the first, full one) of half, float or uint samples
// into a texture of values (floating, bits = 32). Halfs and uints become floats (uints above 2^24 round). Doubles named
// "marram:low" and "marram:high" become the texture's range; attributes named in `attributes` are looked up, and those
// found are filled in (text or number), the others keep is_text false and number NaN. `name` is what errors call the
// bytes. Errors: MR_BAD_INPUT (not an EXR, deep, damaged, truncated, no such channels: those found are named),
// MR_LIMIT (size, checked before memory is taken).
bool mr_exr_decode(mr_context *context, const void *bytes, size_t size, const char *name,
                   mr_exr_wanted wanted, mr_exr_attribute *attributes, size_t attribute_count,
                   mr_texture **texture, mr_error *error);
bool mr_exr_load(mr_context *context, const char *path, mr_exr_wanted wanted, mr_exr_attribute *attributes,
                 size_t attribute_count, mr_texture **texture, mr_error *error);

typedef struct mr_exr_channel {
    const char *name;
    const float *samples;
    size_t pixel_stride; // floats from a sample to the one at its right
    size_t row_stride;   // floats from a sample to the one below
} mr_exr_channel;

enum { MR_EXR_CHANNELS = 16 };

// Writes f32 channels as scanlines, ZIP (16 rows a block) or not compressed. The file appears whole or not at all.
// Errors: MR_BAD_INPUT (sizes, names), MR_SYSTEM (the disk).
bool mr_exr_save(mr_context *context, const char *path, uint32_t width, uint32_t height,
                 const mr_exr_channel *channels, size_t channel_count, bool compress,
                 const mr_exr_attribute *attributes, size_t attribute_count, mr_error *error);

#endif
