// data/raster.h: a field over a rect of ground.
//
// Cell (i, j), i along +x and j along +z, stands at ((corner_x + i) * cell, (corner_z + j) * cell), worked in f64, so two
// rasters of one cell size share the positions of the cells they share. The rect holds width x height cells; every layer
// stores `margin` cells more on each side, the same whatever the tiling. Tiles and their halos are how a pass is
// scheduled, never part of the answer: offset reads reach into the margin and clamp only at its end.

#ifndef MARRAM_DATA_RASTER_H
#define MARRAM_DATA_RASTER_H

#include "data/column.h"

enum { MR_RASTER_LAYERS = 16, MR_RASTER_DEFAULT_MARGIN = 16 };

typedef struct mr_raster_layer {
    char name[32];
    mr_column
        *column; // Float, stride * (height + 2 * margin) elements, a row of x at a time from the smallest z
} mr_raster_layer;

typedef struct mr_raster {
    mr_refs refs;
    mr_context *context;
    int64_t corner_x; // cell index of the rect's first cell
    int64_t corner_z;
    double cell; // metres
    uint32_t width;
    uint32_t height;
    uint32_t margin;
    uint32_t layer_count;
    mr_raster_layer layers[MR_RASTER_LAYERS]; // in the order they were added; "height" first
} mr_raster;

// A raster with no layer. Errors: MR_BAD_INPUT (cell not in 1e-6..1e6 m, counts 0, positions past 1e12 m), MR_LIMIT.
mr_raster *mr_raster_create(mr_context *context, int64_t corner_x, int64_t corner_z, double cell,
                            uint32_t width, uint32_t height, uint32_t margin, mr_error *error);
mr_raster *mr_raster_retain(mr_raster *raster);
void mr_raster_release(mr_raster *raster);
// The raster itself when nobody else holds it, else a copy that shares its layers; takes the caller's reference.
mr_raster *mr_raster_writable(mr_raster *raster, mr_error *error);

static inline size_t mr_raster_stride(const mr_raster *raster)
{
    return (size_t)raster->width + 2 * (size_t)raster->margin;
}
static inline size_t mr_raster_rows(const mr_raster *raster)
{
    return (size_t)raster->height + 2 * (size_t)raster->margin;
}

// A layer's stored cells for reading; cell (0, 0) of the rect stands at [margin * stride + margin]. NULL if not there.
const float *mr_raster_layer_read(const mr_raster *raster, const char *name);
// A layer's stored cells for writing, made (filled with `fill`) when not there, copied first when shared. The raster must
// itself be writable.
float *mr_raster_layer_write(mr_raster *raster, const char *name, float fill, mr_error *error);
// The same for a layer every cell of which will be overwritten: contents undefined, nothing copied.
float *mr_raster_layer_replace(mr_raster *raster, const char *name, mr_error *error);

// Least and greatest of the rect's cells (margin left out); NaN cells are passed over.
bool mr_raster_range(const mr_raster *raster, const char *name, float *low, float *high);
// The rect's cells and the layers by name; the margin belongs to the answer, so it is hashed too.
void mr_raster_digest(const mr_raster *raster, mr_digester *digester);

#endif
