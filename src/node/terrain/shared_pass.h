// node/terrain/shared_pass.h: one pass over a ground's stored cells (margin and all), by tiles on all threads.
//
// A shape says what it makes at each cell and how much of it; the pass applies the mask, blends, and writes. What a
// cell gets depends on its position alone, so tiles are scheduling and nothing more.

#ifndef MARRAM_NODE_TERRAIN_SHARED_PASS_H
#define MARRAM_NODE_TERRAIN_SHARED_PASS_H

#include "node/terrain/shared_inputs.h"

enum { TERRAIN_TILE_WIDTH = 256, TERRAIN_TILE_ROWS = 64 };

// A run of cells of one row.
typedef struct terrain_span {
    const double *x; // metres, one a cell
    double z;        // metres
    size_t column;   // of the first cell, counted over the stored cells
    size_t row;
    size_t count; // at most TERRAIN_TILE_WIDTH
} terrain_span;

// Fills value and weight (0..1, how much of the value applies) for each cell of the span.
typedef void (*terrain_fill)(const void *shape, const terrain_span *span, float *value, float *weight);

// Where a shape can change anything, in metres. A cell outside has weight 0.
typedef struct terrain_bounds {
    double low_x, low_z, high_x, high_z;
} terrain_bounds;
static inline terrain_bounds terrain_everywhere(void)
{
    return (terrain_bounds){ -INFINITY, -INFINITY, INFINITY, INFINITY };
}
static inline terrain_bounds terrain_around(const double from[2], const double to[2], double reach)
{
    return (terrain_bounds){ (from[0] < to[0] ? from[0] : to[0]) - reach,
                             (from[1] < to[1] ? from[1] : to[1]) - reach,
                             (from[0] > to[0] ? from[0] : to[0]) + reach,
                             (from[1] > to[1] ? from[1] : to[1]) + reach };
}

// A mask as the inputs mask, maskMode and maskGain name it.
typedef struct terrain_mask {
    const float *cells; // NULL: everywhere
    bool subtract;
    float gain;
} terrain_mask;

// Errors: MR_BAD_INPUT when the ground has no layer of the name; the message lists those it has.
bool terrain_layer_of(const mr_raster *raster, const char *input, const char *name, const float **cells,
                      mr_error *error);
bool terrain_mask_of(const mr_cook *cook, const mr_raster *raster, terrain_mask *mask, mr_error *error);
static inline float terrain_mask_at(const terrain_mask *mask, size_t cell)
{
    if (!mask->cells) {
        return 1.0f;
    }
    float m = mask->cells[cell] * mask->gain;
    m = mask->subtract ? 1.0f - m : m;
    m = m > 0.0f ? m : 0.0f;
    return m < 1.0f ? m : 1.0f;
}

// Runs body over tiles of the raster's stored cells within bounds.
typedef struct terrain_tile {
    size_t left, top, width, rows; // stored cells
    const double *x;               // metres, one a column of the tile
} terrain_tile;
typedef void (*terrain_tile_body)(void *argument, const terrain_tile *tile);
bool terrain_tiles(const mr_raster *raster, terrain_bounds bounds, terrain_tile_body body, void *argument,
                   mr_error *error);

// Metres of a stored row or column.
static inline double terrain_x(const mr_raster *raster, size_t column)
{
    return (double)(raster->corner_x - (int64_t)raster->margin + (int64_t)column) * raster->cell;
}
static inline double terrain_z(const mr_raster *raster, size_t row)
{
    return (double)(raster->corner_z - (int64_t)raster->margin + (int64_t)row) * raster->cell;
}

// The whole of most nodes' cook: takes the input raster, blends the shape into the layer that `layer` (an input, or a
// plain name where the node has no such input) names, with the node's blend and mask, and sets the output raster.
bool terrain_cook(mr_cook *cook, const char *layer, mr_blend blend, terrain_bounds bounds, terrain_fill fill,
                  const void *shape, mr_error *error);

#endif
