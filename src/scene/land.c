#include "scene/land.h"

#include "base/text.h"

#include <math.h>

mr_land *mr_land_create(mr_context *context, mr_raster *raster, float reach, float outside, mr_error *error)
{
    if (!mr_raster_layer_read(raster, "height")) {
        mr_fail(error, MR_BAD_INPUT, "the raster has no layer called height");
        return NULL;
    }
    if (raster->width < 2 || raster->height < 2) {
        mr_fail(error, MR_BAD_INPUT, "%u x %u cells; a land has at least 2 each way", raster->width,
                raster->height);
        return NULL;
    }
    if (!(reach > 0) || !isfinite(reach)) {
        mr_fail(error, MR_BAD_INPUT, "reach is %g m; it must be more than 0", (double)reach);
        return NULL;
    }
    if (!isfinite(outside)) {
        mr_fail(error, MR_BAD_INPUT, "outside is %g m; it must be a height", (double)outside);
        return NULL;
    }
    mr_land *land = mr_allocate_zeroed(context, sizeof *land);
    if (!land) {
        mr_fail_memory(error, sizeof *land);
        return NULL;
    }
    mr_refs_init(&land->refs);
    land->context = context;
    land->raster = mr_raster_retain(raster);
    land->reach = reach;
    land->outside = outside;
    return land;
}

bool mr_land_add_spine(mr_land *land, const char *name, mr_spine *spine, mr_error *error)
{
    if (land->spine_count == MR_LAND_SPINES) {
        return mr_fail(error, MR_LIMIT, "the land has %d spines already", MR_LAND_SPINES);
    }
    if (strlen(name) >= sizeof land->spines->name) {
        return mr_fail(error, MR_BAD_INPUT, "the spine name %s is longer than %zu bytes", name,
                       sizeof land->spines->name - 1);
    }
    if (!mr_spine_index(spine, land->reach, error)) {
        return false;
    }
    size_t place = land->spine_count++;
    memcpy(land->spines[place].name, name, strlen(name) + 1);
    land->spines[place].spine = mr_spine_retain(spine);
    return true;
}

mr_land *mr_land_retain(mr_land *land)
{
    mr_refs_retain(&land->refs);
    return land;
}

void mr_land_release(mr_land *land)
{
    if (!land || !mr_refs_release(&land->refs)) {
        return;
    }
    for (size_t i = 0; i < land->spine_count; i++) {
        mr_spine_release(land->spines[i].spine);
    }
    mr_raster_release(land->raster);
    mr_free(land->context, land);
}

// A place in cells of the rect: the whole cell (the last one's far border belongs to it) and the fractions within. False off
// the rect, and for NaN.
static inline bool locate(const mr_raster *raster, float x, float z, size_t *cell, float *fx, float *fz)
{
    double px = (double)x / raster->cell - (double)raster->corner_x;
    double pz = (double)z / raster->cell - (double)raster->corner_z;
    double wide = raster->width - 1.0;
    double deep = raster->height - 1.0;
    if (!(px >= 0 && pz >= 0 && px <= wide && pz <= deep)) {
        return false;
    }
    uint32_t i = (uint32_t)px;
    uint32_t j = (uint32_t)pz;
    i -= i + 1 == raster->width;
    j -= j + 1 == raster->height;
    *fx = (float)(px - i);
    *fz = (float)(pz - j);
    *cell = (j + (size_t)raster->margin) * mr_raster_stride(raster) + i + raster->margin;
    return true;
}

bool mr_land_holds(const mr_land *land, float x, float z)
{
    size_t cell;
    float fx;
    float fz;
    return locate(land->raster, x, z, &cell, &fx, &fz);
}

// Corners a (0, 0), b (1, 0), c (0, 1), d (1, 1); the diagonal runs from c to b.
static inline float on_triangles(const float *cells, size_t stride, size_t cell, float fx, float fz)
{
    float a = cells[cell];
    float b = cells[cell + 1];
    float c = cells[cell + stride];
    float d = cells[cell + stride + 1];
    if (fx + fz <= 1) {
        return a + fx * (b - a) + fz * (c - a);
    }
    return d + (1 - fx) * (c - d) + (1 - fz) * (b - d);
}

static inline float height_at(const mr_land *land, const float *cells, float x, float z)
{
    size_t cell;
    float fx;
    float fz;
    return locate(land->raster, x, z, &cell, &fx, &fz)
               ? on_triangles(cells, mr_raster_stride(land->raster), cell, fx, fz)
               : land->outside;
}

static inline float slope_at(const mr_land *land, const float *cells, float x, float z)
{
    float gx = (height_at(land, cells, x + 1, z) - height_at(land, cells, x - 1, z)) * 0.5f;
    float gz = (height_at(land, cells, x, z + 1) - height_at(land, cells, x, z - 1)) * 0.5f;
    return sqrtf(gx * gx + gz * gz);
}

float mr_land_height(const mr_land *land, float x, float z)
{
    float height;
    mr_land_heights(land, &x, &z, &height, 1);
    return height;
}

float mr_land_slope(const mr_land *land, float x, float z)
{
    float slope;
    mr_land_slopes(land, &x, &z, &slope, 1);
    return slope;
}

void mr_land_normal(const mr_land *land, float x, float z, float normal[3])
{
    const float *cells = mr_raster_layer_read(land->raster, "height");
    float gx = (height_at(land, cells, x + 1, z) - height_at(land, cells, x - 1, z)) * 0.5f;
    float gz = (height_at(land, cells, x, z + 1) - height_at(land, cells, x, z - 1)) * 0.5f;
    float length = sqrtf(gx * gx + 1 + gz * gz);
    normal[0] = -gx / length;
    normal[1] = 1 / length;
    normal[2] = -gz / length;
}

float mr_land_layer(const mr_land *land, uint32_t layer, float x, float z)
{
    float value;
    mr_land_layers(land, layer, &x, &z, &value, 1);
    return value;
}

float mr_land_spine_distance(const mr_land *land, size_t spine, float x, float z)
{
    return mr_spine_distance_within(land->spines[spine].spine, x, z, land->reach);
}

void mr_land_heights(const mr_land *land, const float *x, const float *z, float *out, size_t count)
{
    const float *cells = mr_raster_layer_read(land->raster, "height");
    for (size_t i = 0; i < count; i++) {
        out[i] = height_at(land, cells, x[i], z[i]);
    }
}

void mr_land_slopes(const mr_land *land, const float *x, const float *z, float *out, size_t count)
{
    const float *cells = mr_raster_layer_read(land->raster, "height");
    for (size_t i = 0; i < count; i++) {
        out[i] = slope_at(land, cells, x[i], z[i]);
    }
}

void mr_land_layers(const mr_land *land, uint32_t layer, const float *x, const float *z, float *out,
                    size_t count)
{
    const float *cells = land->raster->layers[layer].column->f32;
    size_t stride = mr_raster_stride(land->raster);
    for (size_t i = 0; i < count; i++) {
        size_t cell;
        float fx;
        float fz;
        if (!locate(land->raster, x[i], z[i], &cell, &fx, &fz)) {
            out[i] = 0;
            continue;
        }
        float near = cells[cell] + fx * (cells[cell + 1] - cells[cell]);
        float far = cells[cell + stride] + fx * (cells[cell + stride + 1] - cells[cell + stride]);
        out[i] = near + fz * (far - near);
    }
}

void mr_land_spine_distances(const mr_land *land, size_t spine, const float *x, const float *z, float *out,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = mr_land_spine_distance(land, spine, x[i], z[i]);
    }
}
