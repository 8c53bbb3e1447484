// io/gltf_ground.c: a ground's drawn triangles.

#include "io/gltf_mesh.h"

#include <string.h>

typedef struct ground {
    const mr_raster *raster;
    const char *name;
    const float *cells; // the rect's first
    size_t row;         // floats from a cell to the one at +z
    uint32_t stride;
    uint32_t columns;
    uint32_t rows;
} ground;

// How many of `count` cells stay when every stride-th does, and the last.
static uint32_t kept(uint32_t count, uint32_t stride)
{
    return (count - 1 + stride - 1) / stride + 1;
}

static uint32_t kept_at(uint32_t count, uint32_t stride, uint32_t i)
{
    uint64_t at = (uint64_t)i * stride;
    return at < count - 1 ? (uint32_t)at : count - 1;
}

static uint32_t choose_stride(const mr_raster *raster, uint32_t most)
{
    uint32_t stride = 1;
    while (stride < raster->width + raster->height) {
        uint64_t columns = kept(raster->width, stride) - 1;
        uint64_t rows = kept(raster->height, stride) - 1;
        if (2 * columns * rows <= most || (columns <= 1 && rows <= 1)) {
            break;
        }
        stride++;
    }
    return stride;
}

// Rise over run along x and z at a cell, over one stride either side; the margin's cells count where there are any.
static void slope_at(const ground *g, uint32_t i, uint32_t j, double *along_x, double *along_z)
{
    const mr_raster *raster = g->raster;
    int64_t reach = g->stride;
    int64_t margin = raster->margin;
    int64_t left = (int64_t)i - reach < -margin ? -margin : (int64_t)i - reach;
    int64_t right = (int64_t)i + reach > raster->width - 1 + margin ? raster->width - 1 + margin : i + reach;
    int64_t near = (int64_t)j - reach < -margin ? -margin : (int64_t)j - reach;
    int64_t far = (int64_t)j + reach > raster->height - 1 + margin ? raster->height - 1 + margin : j + reach;
    const float *row = g->cells + (int64_t)j * (int64_t)g->row;
    double run_x = (double)(right - left) * raster->cell;
    double run_z = (double)(far - near) * raster->cell;
    double rise_x = (double)row[right] - (double)row[left];
    double rise_z =
        (double)g->cells[far * (int64_t)g->row + i] - (double)g->cells[near * (int64_t)g->row + i];
    *along_x = run_x > 0 && __builtin_isfinite(rise_x) ? rise_x / run_x : 0;
    *along_z = run_z > 0 && __builtin_isfinite(rise_z) ? rise_z / run_z : 0;
}

// A plain look for a ground that says nothing of its own: sand at the sea, grass, rock where it is steep.
static void color_of(double height, double slope, uint8_t *out)
{
    static const double sand[3] = { 186, 164, 118 };
    static const double grass[3] = { 86, 108, 52 };
    static const double rock[3] = { 112, 108, 102 };
    double green = height < 1 ? 0 : height < 4 ? (height - 1) / 3 : 1;
    double bare = slope < 0.6 ? 0 : slope < 1.1 ? (slope - 0.6) / 0.5 : 1;
    for (int i = 0; i < 3; i++) {
        double low = sand[i] + (grass[i] - sand[i]) * green;
        out[i] = (uint8_t)(low + (rock[i] - low) * bare);
    }
    out[3] = 255;
}

static bool fill_vertices(const ground *g, mr_gltf_mesh *mesh, mr_error *error)
{
    size_t v = 0;
    for (uint32_t r = 0; r < g->rows; r++) {
        uint32_t j = kept_at(g->raster->height, g->stride, r);
        for (uint32_t c = 0; c < g->columns; c++, v++) {
            uint32_t i = kept_at(g->raster->width, g->stride, c);
            float height = g->cells[(size_t)j * g->row + i];
            if (!__builtin_isfinite(height)) {
                return mr_fail(error, MR_BAD_INPUT,
                               "ground \"%s\": the height at cell (%u, %u) is %g; it must be finite", g->name,
                               i, j, (double)height);
            }
            mesh->positions[3 * v] = (float)((double)i * g->raster->cell);
            mesh->positions[3 * v + 1] = height;
            mesh->positions[3 * v + 2] = (float)((double)j * g->raster->cell);
            double dx;
            double dz;
            slope_at(g, i, j, &dx, &dz);
            double squared = dx * dx + dz * dz;
            double length = __builtin_sqrt(1 + squared);
            mesh->normals[3 * v] = (float)(-dx / length);
            mesh->normals[3 * v + 1] = (float)(1 / length);
            mesh->normals[3 * v + 2] = (float)(-dz / length);
            color_of((double)height, __builtin_sqrt(squared), mesh->byte_colors + 4 * v);
        }
    }
    return true;
}

static void fill_triangles(const ground *g, uint32_t *out)
{
    for (uint32_t r = 0; r + 1 < g->rows; r++) {
        for (uint32_t c = 0; c + 1 < g->columns; c++) {
            uint32_t a = r * g->columns + c;
            uint32_t b = a + 1;
            uint32_t d = a + g->columns;
            uint32_t corners[6] = { a, d, b, b, d, d + 1 };
            memcpy(out, corners, sizeof corners);
            out += 6;
        }
    }
}

static bool allocate(mr_context *context, mr_gltf_mesh *mesh, mr_error *error)
{
    mesh->positions = mr_allocate(context, mesh->vertex_count * 3 * sizeof(float));
    mesh->normals = mr_allocate(context, mesh->vertex_count * 3 * sizeof(float));
    mesh->byte_colors = mr_allocate(context, mesh->vertex_count * 4);
    mesh->indices = mr_allocate(context, mesh->index_count * sizeof(uint32_t));
    if (!mesh->positions || !mesh->normals || !mesh->byte_colors || !mesh->indices) {
        return mr_fail_memory(error, mesh->vertex_count * 28 + mesh->index_count * sizeof(uint32_t));
    }
    return true;
}

bool mr_gltf_mesh_ground(mr_context *context, const mr_raster *raster, const char *name, uint32_t most,
                         mr_gltf_mesh *mesh, mr_error *error)
{
    mr_gltf_mesh made = { .stride = 1 };
    const float *cells = mr_raster_layer_read(raster, "height");
    if (!cells || raster->width < 2 || raster->height < 2) {
        *mesh = made;
        return true;
    }
    ground g = { .raster = raster, .name = name, .row = mr_raster_stride(raster) };
    g.cells = cells + raster->margin * g.row + raster->margin;
    g.stride = choose_stride(raster, most);
    g.columns = kept(raster->width, g.stride);
    g.rows = kept(raster->height, g.stride);
    made.stride = g.stride;
    made.vertex_count = (size_t)g.columns * g.rows;
    made.index_count = (size_t)(g.columns - 1) * (g.rows - 1) * 6;
    made.translation[0] = (double)raster->corner_x * raster->cell;
    made.translation[2] = (double)raster->corner_z * raster->cell;
    if (!allocate(context, &made, error) || !fill_vertices(&g, &made, error)) {
        mr_gltf_mesh_free(context, &made);
        return false;
    }
    fill_triangles(&g, made.indices);
    *mesh = made;
    return true;
}
