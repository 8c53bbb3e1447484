#include "capture/map_relief.h"

#include "base/context.h"
#include "base/thread.h"

enum { INDEX_EVERY = 5, GRAIN = 16 };

double mr_map_round_step(double value)
{
    if (!(value > 0) || !__builtin_isfinite(value)) {
        return 1;
    }
    double power = 1;
    while (power > value) {
        power /= 10;
    }
    while (power * 10 <= value) {
        power *= 10;
    }
    return value >= power * 5 ? power * 5 : value >= power * 2 ? power * 2 : power;
}

// --- Heights ---

typedef struct sampler {
    const mr_raster *raster;
    const float *cells; // the stored ones, margin and all
    int64_t stride, rows;
} sampler;

static float stored(const sampler *s, int64_t i, int64_t j)
{
    i = i < 0 ? 0 : i >= s->stride ? s->stride - 1 : i;
    j = j < 0 ? 0 : j >= s->rows ? s->rows - 1 : j;
    return s->cells[j * s->stride + i];
}

static void cubic_weights(float t, float w[4])
{
    float t2 = t * t;
    float t3 = t2 * t;
    w[0] = 0.5f * (-t3 + 2 * t2 - t);
    w[1] = 0.5f * (3 * t3 - 5 * t2 + 2);
    w[2] = 0.5f * (-3 * t3 + 4 * t2 + t);
    w[3] = 0.5f * (t3 - t2);
}

// Between the cells, smooth (Catmull-Rom): shading shows every kink of a plainer way.
static float sample_close(const sampler *s, double u, double v)
{
    double iu = __builtin_floor(u);
    double jv = __builtin_floor(v);
    float wx[4];
    float wy[4];
    cubic_weights((float)(u - iu), wx);
    cubic_weights((float)(v - jv), wy);
    float sum = 0;
    for (int64_t j = 0; j < 4; j++) {
        float row = 0;
        for (int64_t i = 0; i < 4; i++) {
            row += wx[i] * stored(s, (int64_t)iu - 1 + i, (int64_t)jv - 1 + j);
        }
        sum += wy[j] * row;
    }
    return sum;
}

// The mean of the cells a pixel covers.
static float sample_wide(const sampler *s, double u, double v, double span)
{
    int64_t i0 = (int64_t)__builtin_ceil(u - span / 2);
    int64_t i1 = (int64_t)__builtin_ceil(u + span / 2);
    int64_t j0 = (int64_t)__builtin_ceil(v - span / 2);
    int64_t j1 = (int64_t)__builtin_ceil(v + span / 2);
    // Past a dozen cells a side more of them change nothing to be seen.
    int64_t step = (int64_t)(span / 12) + 1;
    float sum = 0;
    float count = 0;
    for (int64_t j = j0; j < j1; j += step) {
        for (int64_t i = i0; i < i1; i += step) {
            sum += stored(s, i, j);
            count += 1;
        }
    }
    return count > 0 ? sum / count : stored(s, i0, j0);
}

static float sample_ground(const mr_ground *ground, double x, double z, double step)
{
    const mr_raster *raster = ground->raster;
    double u = x / raster->cell - (double)raster->corner_x;
    double v = z / raster->cell - (double)raster->corner_z;
    if (u < -0.5 || v < -0.5 || u > (double)raster->width - 0.5 || v > (double)raster->height - 0.5) {
        return __builtin_nanf("");
    }
    sampler s = { .raster = raster,
                  .cells = mr_raster_layer_read(raster, "height"),
                  .stride = (int64_t)mr_raster_stride(raster),
                  .rows = (int64_t)mr_raster_rows(raster) };
    if (!s.cells) {
        return __builtin_nanf("");
    }
    u += raster->margin;
    v += raster->margin;
    double span = step / raster->cell;
    return span > 1 ? sample_wide(&s, u, v, span) : sample_close(&s, u, v);
}

static bool sample_rows(void *argument, size_t begin, size_t end, mr_error *error)
{
    const mr_map_relief *relief = argument;
    const mr_map_view *view = &relief->view;
    for (size_t row = begin; row < end; row++) {
        float *out = relief->heights + row * (view->width + 2);
        double z = view->z + ((double)row - 0.5) * view->step;
        for (uint32_t column = 0; column < view->width + 2; column++) {
            double x = view->x + ((double)column - 0.5) * view->step;
            out[column] = __builtin_nanf("");
            for (size_t g = 0; g < relief->scene->grounds.count && __builtin_isnan(out[column]); g++) {
                out[column] = sample_ground(&relief->scene->grounds.items[g], x, z, view->step);
            }
        }
    }
    return mr_keep_going(relief->context, error);
}

// The panel's range, and how steep it is on the whole, over rows in order.
static void measure(mr_map_relief *relief)
{
    const mr_map_view *view = &relief->view;
    float low = __builtin_inff();
    float high = -__builtin_inff();
    double steepness = 0;
    double count = 0;
    for (int32_t y = 0; y < (int32_t)view->height; y++) {
        for (int32_t x = 0; x < (int32_t)view->width; x++) {
            float h = mr_map_relief_at(relief, x, y);
            float dx = mr_map_relief_at(relief, x + 1, y) - mr_map_relief_at(relief, x - 1, y);
            float dy = mr_map_relief_at(relief, x, y + 1) - mr_map_relief_at(relief, x, y - 1);
            if (__builtin_isnan(h)) {
                continue;
            }
            low = h < low ? h : low;
            high = h > high ? h : high;
            if (!__builtin_isnan(dx) && !__builtin_isnan(dy) &&
                (!relief->tint.sea || h > relief->tint.level)) {
                steepness += (double)__builtin_sqrtf(dx * dx + dy * dy) / (2 * view->step);
                count += 1;
            }
        }
    }
    relief->low = low;
    relief->high = high;
    double mean = count > 0 ? steepness / count : 0;
    double upright = mean > 0 ? 0.27 / mean : 1;
    relief->upright = (float)(upright < 1 ? 1 : upright > 8 ? 8 : upright);
    double rise =
        (double)high - (double)(relief->tint.sea && low < relief->tint.level ? relief->tint.level : low);
    relief->interval = count > 0 && rise > 1e-6 ? (float)mr_map_round_step(rise / 14) : 0;
}

bool mr_map_relief_make(mr_context *context, const mr_scene *scene, const mr_map_view *view,
                        const mr_map_tint *tint, mr_map_relief *relief, mr_error *error)
{
    mr_map_relief made = { .context = context, .scene = scene, .view = *view, .tint = *tint };
    size_t size = (size_t)(view->width + 2) * (view->height + 2) * sizeof(float);
    made.heights = mr_buffer_take(context, size, error);
    if (!made.heights) {
        return false;
    }
    if (!mr_parallel_for(context, view->height + 2, GRAIN, sample_rows, &made, error)) {
        mr_map_relief_free(&made);
        return false;
    }
    measure(&made);
    *relief = made;
    return true;
}

void mr_map_relief_free(mr_map_relief *relief)
{
    if (relief->heights) {
        mr_buffer_release(relief->context, relief->heights);
        relief->heights = NULL;
    }
}

// --- Colours ---

typedef struct stop {
    float at;
    uint32_t color;
} stop;

static const stop land_stops[] = { { 0, 0xa3c088 },     { 0.10f, 0xb2c98e }, { 0.26f, 0xccd19e },
                                   { 0.44f, 0xe0d3a6 }, { 0.62f, 0xd9bd92 }, { 0.78f, 0xc6a280 },
                                   { 0.90f, 0xc0b0a0 }, { 1, 0xf4f2ee } };
static const stop sea_stops[] = {
    { 0, 0xc9e6e4 }, { 0.08f, 0xb0d9de }, { 0.3f, 0x8ec3d5 }, { 0.65f, 0x6aa6c4 }, { 1, 0x4f8bb0 }
};
static const uint32_t sand = 0xeddfb6;

static mr_map_color mix(mr_map_color a, mr_map_color b, float t)
{
    return (mr_map_color){ a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, 1 };
}

static mr_map_color color_on(const stop *stops, size_t count, float t)
{
    if (!(t > 0)) {
        return mr_map_rgb(stops[0].color, 1);
    }
    for (size_t i = 1; i < count; i++) {
        if (t <= stops[i].at) {
            float within = (t - stops[i - 1].at) / (stops[i].at - stops[i - 1].at);
            return mix(mr_map_rgb(stops[i - 1].color, 1), mr_map_rgb(stops[i].color, 1), within);
        }
    }
    return mr_map_rgb(stops[count - 1].color, 1);
}

mr_map_color mr_map_tint_color(const mr_map_tint *tint, float height)
{
    if (tint->sea && height < tint->level) {
        float t = tint->low < tint->level ? (height - tint->level) / (tint->low - tint->level) : 1;
        return color_on(sea_stops, sizeof sea_stops / sizeof sea_stops[0], t);
    }
    float base = tint->sea ? tint->level : tint->low;
    float rise = tint->high - base;
    float t = rise > 0 ? (height - base) / rise : 0;
    // Most ground lies low; give it more of the colours.
    mr_map_color color =
        color_on(land_stops, sizeof land_stops / sizeof land_stops[0], t * (1.4f - 0.4f * t));
    float beach = 0.02f * rise < 2.6f ? 0.02f * rise : 2.6f;
    if (tint->sea && height - base < beach) {
        float dry = (height - base) / beach;
        color = mix(mr_map_rgb(sand, 1), color, dry * dry * dry);
    }
    return color;
}

static float light_of(float nx, float ny, float nz, float lx, float ly, float lz)
{
    float light = nx * lx + ny * ly + nz * lz;
    return light > 0 ? light : 0;
}

// Brightness over that of flat ground: mostly the light from the north west, some from the west and from above, so that
// slopes along the light are not lost.
static float shade(float slope_x, float slope_y)
{
    float length = __builtin_sqrtf(1 + slope_x * slope_x + slope_y * slope_y);
    float nx = -slope_x / length;
    float ny = -slope_y / length;
    float nz = 1 / length;
    float north_west = light_of(nx, ny, nz, -0.54f, -0.54f, 0.65f);
    float west = light_of(nx, ny, nz, -0.8f, 0.2f, 0.57f);
    return (0.72f * north_west + 0.16f * west + 0.12f * nz) / (0.72f * 0.65f + 0.16f * 0.57f + 0.12f);
}

static mr_map_color lit(mr_map_color color, float light, float strength)
{
    float k = 1 + (light - 1) * strength;
    if (k < 1) {
        // Shadows turn to blue, as under a clear sky.
        float dark = (1 - k) * (1.15f - 0.5f * (1 - k));
        return (mr_map_color){ color.r * (1 - 0.84f * dark), color.g * (1 - 0.78f * dark),
                               color.b * (1 - 0.60f * dark), 1 };
    }
    float bright = (k - 1) * 0.8f;
    return mix(color, mr_map_rgb(0xfffbea, 1), bright < 0.7f ? bright : 0.7f);
}

// How much of the pixel a line covers that runs where value is whole: rise is what value gains a pixel.
static float line_share(float value, float rise, float width)
{
    float off = value - __builtin_rintf(value);
    off = off < 0 ? -off : off;
    if (rise <= 1e-7f) {
        return 0;
    }
    float covered = width / 2 + 0.5f - off / rise;
    covered = covered <= 0 ? 0 : covered >= 1 ? 1 : covered;
    // Nearly flat ground at a line's own height would be all line.
    float fade = rise / 0.004f;
    return covered * (fade < 1 ? fade : 1);
}

static mr_map_color with_line(mr_map_color color, uint32_t line, float alpha)
{
    return alpha > 0 ? mix(color, mr_map_rgb(line, 1), alpha) : color;
}

static mr_map_color with_contours(const mr_map_relief *relief, mr_map_color color, float h, float rise)
{
    float interval = relief->interval;
    bool wet = relief->tint.sea && h < relief->tint.level;
    if (interval > 0) {
        float crowd = interval / (rise > 1e-9f ? rise : 1e-9f); // pixels between lines
        float room = crowd < 3 ? 0 : crowd < 7 ? (crowd - 3) / 4 : 1;
        float plain = line_share(h / interval, rise / interval, 1.0f) * room;
        float index = line_share(h / (interval * INDEX_EVERY), rise / (interval * INDEX_EVERY), 1.7f);
        color = with_line(color, wet ? 0x2f6f98 : 0x7c5a30, plain * (wet ? 0.30f : 0.42f));
        color = with_line(color, wet ? 0x2f6f98 : 0x6b4a24, index * (wet ? 0.42f : 0.68f));
    }
    if (relief->tint.sea) {
        float off = h < relief->tint.level ? relief->tint.level - h : h - relief->tint.level;
        float distance = off / (rise > 1e-9f ? rise : 1e-9f);
        float covered = 1.4f - distance;
        color = with_line(color, 0x2b5a74, covered <= 0 ? 0 : (covered < 1 ? covered : 1) * 0.92f);
    }
    return color;
}

void mr_map_relief_fill(void *argument, uint32_t y, uint32_t begin, uint32_t end, float *pixels)
{
    const mr_map_relief *relief = argument;
    const mr_map_view *view = &relief->view;
    int32_t row = (int32_t)(y - view->top);
    float run = (float)(2 * view->step);
    for (uint32_t x = begin; x < end; x++) {
        int32_t column = (int32_t)(x - view->left);
        float *pixel = pixels + 3 * (size_t)(x - begin);
        float h = mr_map_relief_at(relief, column, row);
        mr_map_color color = mr_map_rgb(0xe6e0d2, 1);
        if (!__builtin_isnan(h)) {
            float west = mr_map_relief_at(relief, column - 1, row);
            float east = mr_map_relief_at(relief, column + 1, row);
            float north = mr_map_relief_at(relief, column, row - 1);
            float south = mr_map_relief_at(relief, column, row + 1);
            float dx = (__builtin_isnan(east) ? h : east) - (__builtin_isnan(west) ? h : west);
            float dy = (__builtin_isnan(south) ? h : south) - (__builtin_isnan(north) ? h : north);
            float light = shade(dx / run * relief->upright, dy / run * relief->upright);
            bool wet = relief->tint.sea && h < relief->tint.level;
            color = lit(mr_map_tint_color(&relief->tint, h), light, wet ? 0.3f : 1.0f);
            color = with_contours(relief, color, h, __builtin_sqrtf(dx * dx + dy * dy) / 2);
        }
        pixel[0] = color.r;
        pixel[1] = color.g;
        pixel[2] = color.b;
    }
}
