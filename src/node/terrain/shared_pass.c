// node/terrain/shared_pass.c: tiles of a ground, masks, and the pass that blends a shape in.

#include "node/terrain/shared_pass.h"

#include "base/thread.h"

bool terrain_layer_of(const mr_raster *raster, const char *input, const char *name, const float **cells,
                      mr_error *error)
{
    *cells = mr_raster_layer_read(raster, name);
    if (*cells) {
        return true;
    }
    const char *names[MR_RASTER_LAYERS];
    for (uint32_t i = 0; i < raster->layer_count; i++) {
        names[i] = raster->layers[i].name;
    }
    mr_fail(error, MR_BAD_INPUT, "%s names the layer \"%s\", which the ground does not have", input, name);
    const char *near = mr_nearest_name(name, names, raster->layer_count);
    if (near) {
        return mr_hint(error, "did you mean \"%s\"?", near);
    }
    char list[MR_HINT_SIZE - 40];
    size_t used = 0;
    list[0] = 0;
    for (uint32_t i = 0; i < raster->layer_count && used < sizeof list; i++) {
        used += mr_text_format(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    return mr_hint(error, raster->layer_count ? "it has %s" : "it has no layer at all%s", list);
}

bool terrain_mask_of(const mr_cook *cook, const mr_raster *raster, terrain_mask *mask, mr_error *error)
{
    const char *name = mr_cook_text(cook, "mask");
    mask->cells = NULL;
    mask->subtract = mr_cook_choice(cook, "maskMode") == 1;
    mask->gain = (float)mr_cook_number(cook, "maskGain");
    return *name == 0 || terrain_layer_of(raster, "mask", name, &mask->cells, error);
}

typedef struct tiles_job {
    const mr_raster *raster;
    size_t left, top, width, rows; // the part within bounds
    size_t across;
    terrain_tile_body body;
    void *argument;
} tiles_job;

static bool run_tiles(void *argument, size_t begin, size_t end, mr_error *error)
{
    const tiles_job *job = argument;
    double x[TERRAIN_TILE_WIDTH];
    for (size_t k = begin; k < end; k++) {
        if (!mr_keep_going(job->raster->context, error)) {
            return false;
        }
        size_t left = k % job->across * TERRAIN_TILE_WIDTH, top = k / job->across * TERRAIN_TILE_ROWS;
        terrain_tile tile = {
            .left = job->left + left,
            .top = job->top + top,
            .width = job->width - left < TERRAIN_TILE_WIDTH ? job->width - left : TERRAIN_TILE_WIDTH,
            .rows = job->rows - top < TERRAIN_TILE_ROWS ? job->rows - top : TERRAIN_TILE_ROWS,
            .x = x,
        };
        for (size_t i = 0; i < tile.width; i++) {
            x[i] = terrain_x(job->raster, tile.left + i);
        }
        job->body(job->argument, &tile);
    }
    return true;
}

// The stored cells whose positions lie between low and high, a cell more on each side against rounding.
static void cells_between(double low, double high, double first, double cell, size_t count, size_t *from,
                          size_t *to)
{
    double begin = __builtin_floor((low - first) / cell) - 1, end = __builtin_ceil((high - first) / cell) + 2;
    *from = begin > 0 ? (begin < (double)count ? (size_t)begin : count) : 0;
    *to = end < (double)count ? (end > 0 ? (size_t)end : 0) : count;
}

bool terrain_tiles(const mr_raster *raster, terrain_bounds bounds, terrain_tile_body body, void *argument,
                   mr_error *error)
{
    size_t right, bottom;
    tiles_job job = { .raster = raster, .body = body, .argument = argument };
    cells_between(bounds.low_x, bounds.high_x, terrain_x(raster, 0), raster->cell, mr_raster_stride(raster),
                  &job.left, &right);
    cells_between(bounds.low_z, bounds.high_z, terrain_z(raster, 0), raster->cell, mr_raster_rows(raster),
                  &job.top, &bottom);
    if (job.left >= right || job.top >= bottom) {
        return true;
    }
    job.width = right - job.left;
    job.rows = bottom - job.top;
    job.across = (job.width + TERRAIN_TILE_WIDTH - 1) / TERRAIN_TILE_WIDTH;
    size_t down = (job.rows + TERRAIN_TILE_ROWS - 1) / TERRAIN_TILE_ROWS;
    return mr_parallel_for(raster->context, job.across * down, 1, run_tiles, &job, error);
}

typedef struct shape_job {
    const mr_raster *raster;
    float *cells;
    terrain_mask mask;
    mr_blend blend;
    terrain_fill fill;
    const void *shape;
} shape_job;

static void blend_tile(void *argument, const terrain_tile *tile)
{
    const shape_job *job = argument;
    float value[TERRAIN_TILE_WIDTH], weight[TERRAIN_TILE_WIDTH];
    size_t stride = mr_raster_stride(job->raster);
    for (size_t j = 0; j < tile->rows; j++) {
        terrain_span span = { .x = tile->x,
                              .z = terrain_z(job->raster, tile->top + j),
                              .column = tile->left,
                              .row = tile->top + j,
                              .count = tile->width };
        job->fill(job->shape, &span, value, weight);
        size_t at = span.row * stride + span.column;
        if (job->mask.cells) {
            for (size_t i = 0; i < span.count; i++) {
                weight[i] *= terrain_mask_at(&job->mask, at + i);
            }
        }
        float *cells = job->cells + at;
        for (size_t i = 0; i < span.count; i++) {
            cells[i] = mr_blend_at(job->blend, cells[i], value[i], weight[i]);
        }
    }
}

bool terrain_cook(mr_cook *cook, const char *layer, mr_blend blend, terrain_bounds bounds, terrain_fill fill,
                  const void *shape, mr_error *error)
{
    mr_raster *raster = mr_cook_take_raster(cook, "raster", error);
    if (!raster) {
        return false;
    }
    shape_job job = { .raster = raster, .blend = blend, .fill = fill, .shape = shape };
    // Writing first: it may put a copy in place of the layer a mask reads.
    job.cells = mr_raster_layer_write(raster, layer, 0.0f, error);
    if (!job.cells || !terrain_mask_of(cook, raster, &job.mask, error) ||
        !terrain_tiles(raster, bounds, blend_tile, &job, error)) {
        mr_raster_release(raster);
        return false;
    }
    mr_cook_set_raster(cook, "raster", raster);
    return true;
}
