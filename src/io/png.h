// io/png.h: PNG pictures in and out (libspng). Every function may run on several threads at once.

#ifndef MARRAM_IO_PNG_H
#define MARRAM_IO_PNG_H

#include "base/text.h"
#include "data/texture.h"

// A text of the file (a tEXt chunk): keyword of 1 to 79 Latin-1 characters.
typedef struct mr_png_text {
    const char *keyword;
    const char *text;
} mr_png_text;

// Reads a PNG of any kind into a texture. Codes are kept exactly, as floats, without gamma or colour conversion:
// 0..255 with bits = 8 (grey of 1, 2 or 4 bits is spread over 0..255; palettes become RGB or RGBA), or 0..65535 with
// bits = 16. Channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA; a transparent colour becomes an alpha channel. The texts
// "marram:low" and "marram:high" become the texture's range. `name` is what errors call the bytes. Errors: MR_BAD_INPUT
// (not a PNG, truncated, damaged, a range that is no number), MR_LIMIT (size, checked before memory is taken).
bool mr_png_decode(mr_context *context, const void *bytes, size_t size, const char *name,
                   mr_texture **texture, mr_error *error);
bool mr_png_load(mr_context *context, const char *path, mr_texture **texture, mr_error *error);

// The texts of a PNG by keyword: `text` (ended by 0, cut to size) is filled and true answered when it is there.
bool mr_png_find_text(mr_context *context, const void *bytes, size_t size, const char *keyword, char *text,
                      size_t text_size);

// Writes width x height texels, row 0 the top row, rows without padding. channels and bits: 1 (8 or 16 bits), 3 or 4
// (8 bits); 16-bit samples are uint16_t of the machine's order. 8-bit pictures of 3 or 4 channels are marked sRGB. The
// file appears whole or not at all. Errors: MR_BAD_INPUT (sizes), MR_SYSTEM (the disk).
bool mr_png_save(mr_context *context, const char *path, const void *texels, uint32_t width, uint32_t height,
                 uint32_t channels, uint32_t bits, const mr_png_text *texts, size_t text_count,
                 mr_error *error);

#endif
