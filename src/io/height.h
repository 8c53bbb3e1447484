// io/height.h: grounds as height files, PNG of 16 bits or EXR, with their range and place travelling along.

#ifndef MARRAM_IO_HEIGHT_H
#define MARRAM_IO_HEIGHT_H

#include "data/raster.h"
#include "data/texture.h"

// A height file as read.
typedef struct mr_height_file {
    mr_texture *texture; // one channel; codes (bits 8 or 16, not floating) or metres (floating)
    bool coarse;         // only 8 bits: its steps will show as terraces; the caller warns
    bool has_place;      // the file said where its first sample stands
    double cell;         // metres
    int64_t corner_x;    // cell index of the first sample
    int64_t corner_z;
} mr_height_file;

// Reads a height file, told by its first bytes. PNG: grey, or the red channel of a colour picture whose channels are
// equal. EXR: Y, R or the only channel. Let go of file->texture with mr_texture_release. Errors as in io/png.h and
// io/exr.h; MR_BAD_INPUT names the channels found when none can be the height.
bool mr_height_load(mr_context *context, const char *path, mr_height_file *file, mr_error *error);
bool mr_height_decode(mr_context *context, const void *bytes, size_t size, const char *name,
                      mr_height_file *file, mr_error *error);

// The height a sample of the texture stands for: itself when floating; else low + code * (high - low) / greatest code
// with the texture's range, worked in f64. Without a range a code is taken as metres.
double mr_height_of_code(const mr_texture *texture, float sample);

// Writes the rect (margin left out) of a raster's layer. The PNG's codes are
// round((h - low) / (high - low) * 65535), ties to even, so that a height read back is off by at most half a code; low
// and high (which may be NULL) answer the range it was written with: the layer's own. NaN is refused.
bool mr_height_save_png(mr_context *context, const char *path, const mr_raster *raster, const char *layer,
                        float *low, float *high, mr_error *error);
// Writes channel Y in f32, exactly.
bool mr_height_save_exr(mr_context *context, const char *path, const mr_raster *raster, const char *layer,
                        mr_error *error);

#endif
