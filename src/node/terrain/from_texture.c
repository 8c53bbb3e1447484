// node/terrain/from_texture.c: a picture of heights as ground.

#include "node/terrain/shared_rect.h"

#include "base/thread.h"
#include "node/terrain/shared_pass.h"

// The taps one output row or column reads: Catmull-Rom, widened where texels are finer than cells.
typedef struct taps {
    size_t most;     // a place
    uint32_t *texel; // most a place; texels past the picture's edge are its edge's
    float *weight;   // most a place, summing to 1
} taps;

static double catmull_rom(double x)
{
    x = x < 0 ? -x : x;
    return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

// place0 + i * step is where output i stands, in texels.
static bool make_taps(mr_arena *arena, size_t outputs, double place0, double step, uint32_t texels, taps *out,
                      mr_error *error)
{
    double widen = step > 1 ? step : 1;
    out->most = (size_t)__builtin_ceil(4 * widen) + 1;
    size_t size;
    if (!mr_size_multiply(outputs, out->most * sizeof(float), &size)) {
        return mr_fail(error, MR_LIMIT, "%zu cells of %zu taps each", outputs, out->most);
    }
    out->texel = mr_arena_take(arena, size);
    out->weight = mr_arena_take(arena, size);
    if (!out->texel || !out->weight) {
        return mr_fail_memory(error, size);
    }
    for (size_t i = 0; i < outputs; i++) {
        double place = place0 + (double)i * step;
        place = place > -2 * widen ? place : -2 * widen;
        place = place < texels + 2 * widen ? place : texels + 2 * widen;
        double first = __builtin_ceil(place - 2 * widen), sum = 0;
        double weights[2] = { 0 };
        for (int pass = 0; pass < 2; pass++) {
            for (size_t k = 0; k < out->most; k++) {
                double texel = first + (double)k, weight = catmull_rom((texel - place) / widen);
                texel = texel > 0 ? texel : 0;
                texel = texel < texels - 1.0 ? texel : texels - 1.0;
                weights[pass] += weight;
                if (pass) {
                    out->texel[i * out->most + k] = (uint32_t)texel;
                    out->weight[i * out->most + k] = (float)(weight / sum);
                }
            }
            sum = weights[0];
        }
    }
    return true;
}

typedef struct resample {
    const mr_texture *texture;
    uint32_t channel;
    double low, scale; // height = low + texel * scale
    taps across, down;
    float *wide; // texture rows, already at the raster's columns
    float *cells;
    size_t stride;
} resample;

static bool widen_rows(void *argument, size_t begin, size_t end, mr_error *error)
{
    const resample *r = argument;
    const mr_texture *texture = r->texture;
    for (size_t row = begin; row < end; row++) {
        const float *texels = texture->texels->f32 + row * texture->width * texture->channels + r->channel;
        for (size_t i = 0; i < texture->width; i++) {
            if (!__builtin_isfinite(texels[i * texture->channels])) {
                return mr_fail(error, MR_BAD_INPUT, "texel (%zu, %zu) is %g; heights must be finite", i, row,
                               (double)texels[i * texture->channels]);
            }
        }
        for (size_t i = 0; i < r->stride; i++) {
            float sum = 0.0f;
            for (size_t k = i * r->across.most; k < (i + 1) * r->across.most; k++) {
                sum += texels[r->across.texel[k] * texture->channels] * r->across.weight[k];
            }
            r->wide[row * r->stride + i] = sum;
        }
    }
    return true;
}

static bool lower_columns(void *argument, size_t begin, size_t end, mr_error *error)
{
    const resample *r = argument;
    (void)error;
    for (size_t row = begin; row < end; row++) {
        float *cells = r->cells + row * r->stride;
        memset(cells, 0, r->stride * sizeof(float));
        for (size_t k = row * r->down.most; k < (row + 1) * r->down.most; k++) {
            const float *wide = r->wide + r->down.texel[k] * r->stride;
            float weight = r->down.weight[k];
            for (size_t i = 0; i < r->stride; i++) {
                cells[i] += wide[i] * weight;
            }
        }
        for (size_t i = 0; i < r->stride; i++) {
            cells[i] = (float)(r->low + (double)cells[i] * r->scale);
        }
    }
    return true;
}

// What texels mean: the input range, else metresPerCode and base, else the file's own range, else metres.
static bool read_scale(const mr_cook *cook, const mr_texture *texture, resample *r, mr_error *error)
{
    const double *range = mr_cook_vector(cook, "range");
    double per_code = mr_cook_number(cook, "metresPerCode");
    bool ranged = range[0] != range[1],
         file = !ranged && per_code == 0 && texture->has_range && !texture->floating;
    double greatest = texture->floating || texture->bits == 0 || texture->bits > 31
                          ? 1
                          : (double)((1u << texture->bits) - 1u);
    r->low = mr_cook_number(cook, "base");
    r->scale = per_code != 0 ? per_code : 1;
    if (ranged && per_code != 0) {
        return mr_fail(error, MR_BAD_INPUT,
                       "range and metresPerCode are both given; one of them says what a code means");
    }
    if (ranged || file) {
        double low = ranged ? range[0] : texture->range_low, high = ranged ? range[1] : texture->range_high;
        r->low += low;
        r->scale = (high - low) / greatest;
    }
    r->channel = (uint32_t)mr_cook_integer(cook, "channel");
    if (r->channel >= texture->channels) {
        return mr_fail(error, MR_BAD_INPUT, "channel is %u; the texture has %u, counted from 0", r->channel,
                       texture->channels);
    }
    if (!texture->floating && texture->bits <= 8) {
        mr_log(cook->context, MR_LOG_WARNING,
               "%s: the texture has 8 bits a sample, %g m a step; slopes will show terraces",
               cook->node->name, r->scale < 0 ? -r->scale : r->scale);
    }
    return true;
}

// Where the raster's stored cells stand in texels: first and step along x and z.
typedef struct placing {
    double first[2], step[2];
} placing;

// The rect and where it lies on the picture. Without a size a texel is a cell, and nothing is resampled.
static mr_raster *open_rect(mr_cook *cook, const mr_texture *texture, placing *at, mr_error *error)
{
    const double *given = mr_cook_vector(cook, "size"), *origin = mr_cook_vector(cook, "origin");
    double cell = mr_cook_number(cook, "resolution");
    uint32_t margin = (uint32_t)mr_cook_integer(cook, "margin");
    const double texels[2] = { texture->width, texture->height };
    if ((given[0] > 0) != (given[1] > 0)) {
        mr_fail(error, MR_BAD_INPUT,
                "size is (%g, %g) m; both must be more than 0, or both 0 for a texel a cell", given[0],
                given[1]);
        return NULL;
    }
    if (given[0] > 0) {
        // On a picture of areas the outer texels' middles stand half a texel inside the border; on one of corners, on it.
        double outer = mr_cook_choice(cook, "texels") == 0 ? 0 : 1;
        mr_raster *raster = terrain_rect(cook->context, given, origin, cell, margin, error);
        for (int k = 0; raster && k < 2; k++) {
            double first = k ? terrain_z(raster, 0) : terrain_x(raster, 0);
            double spacing = given[k] / (texels[k] - outer > 0 ? texels[k] - outer : 1);
            at->step[k] = cell / spacing;
            at->first[k] = (first - (origin[k] - given[k] / 2)) / spacing - (outer > 0 ? 0 : 0.5);
        }
        return raster;
    }
    double corner[2];
    for (int k = 0; k < 2; k++) {
        corner[k] = __builtin_rint(origin[k] / cell - (texels[k] - 1) / 2);
        at->step[k] = 1;
        at->first[k] = -(double)margin;
    }
    if (!(corner[0] > -1e18 && corner[0] < 1e18 && corner[1] > -1e18 && corner[1] < 1e18)) {
        mr_fail(error, MR_BAD_INPUT, "origin is (%g, %g) m, too far out for cells of %g m", origin[0],
                origin[1], cell);
        return NULL;
    }
    return mr_raster_create(cook->context, (int64_t)corner[0], (int64_t)corner[1], cell, texture->width,
                            texture->height, margin, error);
}

static bool fill(mr_cook *cook, const mr_texture *texture, mr_raster *raster, const placing *at,
                 mr_error *error)
{
    size_t stride = mr_raster_stride(raster), rows = mr_raster_rows(raster), size;
    resample r = { .texture = texture, .stride = stride };
    if (!read_scale(cook, texture, &r, error)) {
        return false;
    }
    if (!mr_size_multiply(stride * sizeof(float), texture->height, &size)) {
        return mr_fail(error, MR_LIMIT, "%zu x %u cells", stride, texture->height);
    }
    mr_arena arena;
    mr_arena_init(&arena, cook->context);
    r.wide = mr_buffer_take(cook->context, size, error);
    bool good = r.wide &&
                make_taps(&arena, stride, at->first[0], at->step[0], texture->width, &r.across, error) &&
                make_taps(&arena, rows, at->first[1], at->step[1], texture->height, &r.down, error) &&
                (r.cells = mr_raster_layer_replace(raster, "height", error)) &&
                mr_parallel_for(cook->context, texture->height, 16, widen_rows, &r, error) &&
                mr_parallel_for(cook->context, rows, 16, lower_columns, &r, error);
    mr_buffer_release(cook->context, r.wide);
    mr_arena_destroy(&arena);
    return good;
}

static bool from_texture_cook(mr_cook *cook, mr_error *error)
{
    const mr_texture *texture = mr_cook_texture(cook, "texture");
    placing at;
    mr_raster *raster = open_rect(cook, texture, &at, error);
    if (!raster) {
        return false;
    }
    if (!fill(cook, texture, raster, &at, error)) {
        mr_raster_release(raster);
        return false;
    }
    mr_cook_set_raster(cook, "raster", raster);
    return true;
}

const mr_node mr_node_terrain_from_texture = {
    .name = "terrain.from_texture",
    .version = 1,
    .summary = "A picture of heights as ground, resampled by Catmull-Rom; row 0 is the rect's edge of smallest z.",
    .source = "Catmull and Rom 1974.",
    .inputs = {
        { .name = "texture", .type = MR_TEXTURE, .flags = MR_REQUIRED, .doc = "The heights." },
        { .name = "size", .type = MR_VEC2, .unit = MR_METRES, MR_WITHIN(0, TERRAIN_FAR), .doc = "Of the ground the picture shows, along x and z; 0 makes every texel a cell." },
        { .name = "resolution", .type = MR_NUMBER, .unit = MR_METRES, .value = 1, MR_WITHIN(1e-6, 1e6), .doc = "From one cell to the next." },
        { .name = "origin", .type = MR_VEC2, .unit = MR_METRES, MR_WITHIN(-TERRAIN_FAR, TERRAIN_FAR), .doc = "The rect's middle, as (x, z)." },
        { .name = "metresPerCode", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(-1e9, 1e9), .doc = "What one step of the picture's codes (1 in a float picture) is; 0 takes the file's own range, or 1." },
        { .name = "base", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(-1e9, 1e9), .doc = "Added to every height." },
        { .name = "range", .type = MR_VEC2, .unit = MR_METRES, MR_WITHIN(-1e9, 1e9), .doc = "The heights of code 0 and of the greatest code (0 and 1 in a float picture); two alike: none." },
        { .name = "channel", .type = MR_INT, .value = 0, MR_WITHIN(0, 3), .doc = "Which of the picture's channels, counted from 0." },
        { .name = "texels", .type = MR_CHOICE, .choices = "areas corners", .text = "areas", .doc = "With a size: each texel is a patch of ground (elevation files), or the outer ones stand on the border (height maps of grids)." },
        { .name = "margin", .type = MR_INT, .value = MR_RASTER_DEFAULT_MARGIN, MR_WITHIN(0, 4096), .doc = "Cells kept past the rect on each side; past the picture its edge goes on." },
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .cook = from_texture_cook,
};
