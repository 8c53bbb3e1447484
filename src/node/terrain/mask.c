// node/terrain/mask.c: a soft band over one feature of the ground, written into a named layer.

#include "kernel/fbm.h"
#include "node/terrain/shared_polyline.h"
#include "node/terrain/shared_profile.h"

enum { BY_HEIGHT, BY_SLOPE, BY_CURVATURE, BY_NOISE, BY_CURVE };

// A side of the band this far out is open.
static const double open_side = 1e29;

typedef struct band {
    uint32_t by;
    bool invert;
    bool open_low, open_high;
    float low, high, feather;
    float jitter;
    const float *height;
    size_t stride, rows, step;
    double cell;
    const float *noise;    // by noise: 0..1 in the raster's own layout
    const float *wander;   // jitter's field, -1..1, or NULL
    terrain_polyline line; // by curve
    double limit;          // metres past which a distance to the curve need not be known
} band;

// The heights step cells to either side, held to the margin's end, and how far apart those stand.
typedef struct neighbours {
    float before, after;
    float apart; // metres
} neighbours;

static neighbours neighbours_along(const band *b, size_t at, size_t place, size_t count, size_t stride)
{
    size_t back = place < b->step ? place : b->step;
    size_t on = count - 1 - place < b->step ? count - 1 - place : b->step;
    return (neighbours){ b->height[at - back * stride], b->height[at + on * stride],
                         (float)((double)(back + on) * b->cell) };
}

// Rise over run.
static float slope_at(const band *b, size_t column, size_t row)
{
    size_t at = row * b->stride + column;
    neighbours x = neighbours_along(b, at, column, b->stride, 1),
               z = neighbours_along(b, at, row, b->rows, b->stride);
    float dx = x.apart > 0.0f ? (x.after - x.before) / x.apart : 0.0f;
    float dz = z.apart > 0.0f ? (z.after - z.before) / z.apart : 0.0f;
    return __builtin_sqrtf(dx * dx + dz * dz);
}

static float curvature_at(const band *b, size_t column, size_t row)
{
    size_t at = row * b->stride + column;
    neighbours x = neighbours_along(b, at, column, b->stride, 1),
               z = neighbours_along(b, at, row, b->rows, b->stride);
    float step = (float)((double)b->step * b->cell), here = b->height[at];
    return ((x.before - here) + (x.after - here) + (z.before - here) + (z.after - here)) / (step * step);
}

static float rising(float v, float at, float feather)
{
    return feather > 0.0f ? terrain_smooth((v - (at - feather)) / (2.0f * feather)) : v >= at ? 1.0f : 0.0f;
}

static float weight_of(const band *b, float v)
{
    float low = b->open_low ? 1.0f : rising(v, b->low, b->feather);
    // What stands on the upper bound itself is within a band without feather.
    float high = b->open_high        ? 1.0f
                 : b->feather > 0.0f ? 1.0f - rising(v, b->high, b->feather)
                 : v <= b->high      ? 1.0f
                                     : 0.0f;
    float weight = low * high;
    return b->invert ? 1.0f - weight : weight;
}

static void measure(const band *b, const terrain_span *span, float *value)
{
    size_t at = span->row * b->stride + span->column;
    terrain_near near[TERRAIN_TILE_WIDTH];
    if (b->by == BY_CURVE) {
        terrain_polyline_near(&b->line, span, b->limit, near);
    }
    for (size_t i = 0; i < span->count; i++) {
        switch (b->by) {
        case BY_HEIGHT:
            value[i] = b->height[at + i];
            break;
        case BY_SLOPE:
            value[i] = slope_at(b, span->column + i, span->row);
            break;
        case BY_CURVATURE:
            value[i] = curvature_at(b, span->column + i, span->row);
            break;
        case BY_NOISE:
            value[i] = b->noise[at + i];
            break;
        default:
            value[i] = (float)near[i].distance;
        }
    }
    if (b->by == BY_SLOPE) {
        mr_f32_atan_array(value, value, span->count);
        for (size_t i = 0; i < span->count; i++) {
            value[i] *= 57.2957795f;
        }
    }
}

static void mask_fill(const void *shape, const terrain_span *span, float *value, float *weight)
{
    const band *b = shape;
    size_t at = span->row * b->stride + span->column;
    measure(b, span, value);
    for (size_t i = 0; i < span->count; i++) {
        float v = b->wander ? value[i] + b->jitter * b->wander[at + i] : value[i];
        value[i] = weight_of(b, v);
        weight[i] = 1.0f;
    }
}

// One layer of the terrain's noise over the stored cells, brought to about low..high and held there.
typedef struct spread {
    float *cells;
    size_t stride;
    float middle, half;
} spread;

static void spread_tile(void *argument, const terrain_tile *tile)
{
    const spread *s = argument;
    for (size_t j = 0; j < tile->rows; j++) {
        float *cells = s->cells + (tile->top + j) * s->stride + tile->left;
        for (size_t i = 0; i < tile->width; i++) {
            // A layer spans 0.7 either way.
            float n = cells[i] * 1.41421356f;
            n = n > -1.0f ? n : -1.0f;
            cells[i] = s->middle + s->half * (n < 1.0f ? n : 1.0f);
        }
    }
}

static float *noise_field(mr_cook *cook, const mr_raster *raster, double size, uint32_t seed, float low,
                          float high, mr_error *error)
{
    size_t stride = mr_raster_stride(raster), rows = mr_raster_rows(raster);
    float *cells = mr_buffer_take(cook->context, stride * rows * sizeof(float), error);
    if (!cells) {
        return NULL;
    }
    mr_fbm fbm;
    mr_fbm_prepare(&fbm, &(mr_fbm_config){ .cell = raster->cell,
                                           .feature_size = size,
                                           .octaves = 1,
                                           .lacunarity = 2,
                                           .gain = 0.5,
                                           .seed = seed,
                                           .amplitude = 1 });
    spread s = { cells, stride, 0.5f * (low + high), 0.5f * (high - low) };
    if (!mr_fbm_fill(cook->context, &fbm, raster->corner_x - (int64_t)raster->margin,
                     raster->corner_z - (int64_t)raster->margin, stride, rows, cells, stride,
                     MR_BLEND_REPLACE, NULL, error) ||
        !terrain_tiles(raster, terrain_everywhere(), spread_tile, &s, error)) {
        mr_buffer_release(cook->context, cells);
        return NULL;
    }
    return cells;
}

static double cells_of(double step, double cell)
{
    double cells = __builtin_rint(step / cell);
    return cells < 1 ? 1 : cells < 1e9 ? cells : 1e9;
}

static uint32_t mask_reach(const mr_cook *cook)
{
    uint32_t by = mr_cook_choice(cook, "input");
    const mr_raster *raster = mr_cook_raster(cook, "raster");
    return by == BY_SLOPE || by == BY_CURVATURE
               ? (uint32_t)cells_of(mr_cook_number(cook, "step"), raster->cell)
               : 0;
}

static bool read_band(mr_cook *cook, const mr_raster *raster, band *b, mr_error *error)
{
    double low = mr_cook_number(cook, "min"), high = mr_cook_number(cook, "max");
    double feather = mr_cook_number(cook, "feather"), jitter = mr_cook_number(cook, "jitter");
    *b = (band){ .by = mr_cook_choice(cook, "input"),
                 .invert = mr_cook_boolean(cook, "invert"),
                 .open_low = low <= -open_side,
                 .open_high = high >= open_side,
                 .low = (float)low,
                 .high = (float)high,
                 .feather = (float)feather,
                 .jitter = (float)jitter,
                 .stride = mr_raster_stride(raster),
                 .rows = mr_raster_rows(raster),
                 .step = (size_t)cells_of(mr_cook_number(cook, "step"), raster->cell),
                 .cell = raster->cell };
    if (!(low <= high)) {
        return mr_fail(error, MR_BAD_INPUT, "min is %g and max is %g; min must not be the greater", low,
                       high);
    }
    // Farther than this a distance is past both edges, whatever it is.
    double top = b->open_high ? low : high;
    b->limit = (top > 0 ? top : 0) + feather + jitter + 1;
    return (b->by == BY_NOISE || b->by == BY_CURVE ||
            terrain_layer_of(raster, "raster", "height", &b->height, error)) &&
           (b->by != BY_CURVE || terrain_polyline_of(cook, false, &b->line, error));
}

static bool mask_cook(mr_cook *cook, mr_error *error)
{
    // Kept for as long as its heights are read, so that writing a layer never changes them.
    mr_raster *raster = mr_raster_retain((mr_raster *)(uintptr_t)mr_cook_raster(cook, "raster"));
    const char *name = mr_cook_text(cook, "name");
    uint32_t seed = mr_cook_seed(cook, "seed");
    band b = { 0 };
    float *noise = NULL, *wander = NULL;
    bool good = read_band(cook, raster, &b, error);
    if (good && b.by == BY_NOISE) {
        b.noise = noise = noise_field(cook, raster, mr_cook_number(cook, "noiseSize"), seed, 0, 1, error);
        good = noise != NULL;
    }
    if (good && b.jitter > 0.0f) {
        b.wander = wander =
            noise_field(cook, raster, mr_cook_number(cook, "jitterSize"), mr_pcg(seed), -1, 1, error);
        good = wander != NULL;
    }
    good = good && terrain_cook(cook, name, mr_cook_choice(cook, "blend"), terrain_everywhere(), mask_fill,
                                &b, error);
    mr_buffer_release(cook->context, noise);
    mr_buffer_release(cook->context, wander);
    if (b.line.pieces) {
        terrain_polyline_end(&b.line);
    }
    mr_raster_release(raster);
    return good;
}

const mr_node mr_node_terrain_mask = {
    .name = "terrain.mask",
    .version = 1,
    .summary = "A soft band over height, slope, curvature, noise or distance to a curve, written into a named layer as 0..1.",
    .inputs = {
        TERRAIN_RASTER_INPUT,
        { .name = "name", .type = MR_TEXT, .text = "mask", .doc = "The layer written; other nodes' mask names it." },
        { .name = "input", .type = MR_CHOICE, .choices = "height slope curvature noise curve", .text = "height", .doc = "What the band is over: metres, degrees from flat, 1/metre (above 0 in a gully), 0..1, or metres to the curve." },
        { .name = "min", .type = MR_NUMBER, .value = -1e30, .doc = "The band's lower edge, in the input's unit; -1e29 and less is open." },
        { .name = "max", .type = MR_NUMBER, .value = 1e30, .doc = "Its upper edge; 1e29 and more is open." },
        { .name = "feather", .type = MR_NUMBER, .value = 0, MR_WITHIN(0, 1e12), .doc = "How far either side of an edge the weight takes to rise, in the input's unit." },
        { .name = "jitter", .type = MR_NUMBER, .value = 0, MR_WITHIN(0, 1e12), .doc = "How far noise moves the value before the band, so that the edge wanders." },
        { .name = "jitterSize", .type = MR_NUMBER, .unit = MR_METRES, .value = 25, MR_WITHIN(1e-3, TERRAIN_FAR), .doc = "Size of the wandering's features." },
        { .name = "noiseSize", .type = MR_NUMBER, .unit = MR_METRES, .value = 60, MR_WITHIN(1e-3, TERRAIN_FAR), .doc = "Size of the noise input's features." },
        { .name = "seed", .type = MR_INT, .value = 1, MR_ANY_SEED, .doc = "Of the noise and the jitter." },
        { .name = "step", .type = MR_NUMBER, .unit = MR_METRES, .value = 1, MR_WITHIN(1e-6, 1e6), .doc = "How far either side slope and curvature look; at least a cell." },
        { .name = "invert", .type = MR_BOOL, .doc = "Select what the band leaves out." },
        TERRAIN_CURVE_INPUTS,
        TERRAIN_BLEND_INPUT("replace"),
        TERRAIN_MASK_INPUTS,
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .example = "g.terrain.mask { raster = g.terrain.source { size = { 512, 512 } }, name = \"grass\", input = \"slope\", max = 30, feather = 5 }",
    .reach = mask_reach,
    .cook = mask_cook,
};
