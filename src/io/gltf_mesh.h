// io/gltf_mesh.h: geometry as a renderer's vertices and triangles.

#ifndef MARRAM_IO_GLTF_MESH_H
#define MARRAM_IO_GLTF_MESH_H

#include "data/geometry.h"
#include "data/raster.h"

typedef struct mr_gltf_mesh {
    size_t vertex_count;
    float *positions;     // 3 a vertex
    float *normals;       // 3 a vertex, of length 1; NULL when the geometry has none
    float *uvs;           // 2 a vertex, or NULL
    float *colors;        // 4 a vertex in 0..1, or NULL
    uint8_t *byte_colors; // 4 a vertex (grounds), or NULL
    uint32_t *indices;
    size_t index_count;
    size_t dropped;        // triangles without an area
    double translation[3]; // where the positions' origin stands (grounds); else 0
    uint32_t stride;       // of the ground's cells
} mr_gltf_mesh;

// Polygons become triangles (convex ones a fan, others by cutting ears), open runs are passed over, corners that agree in
// every attribute become one vertex, numbered in the order they are first used. Normals and uvs are vertex.N, else
// point.N, and vertex.uv, else point.uv; colours vertex.Cd, else point.Cd, else primitive.Cd. Nothing in the answer is
// NaN; a zero normal becomes its face's. Errors: MR_BAD_INPUT with `name` (broken linkage), MR_LIMIT (a polygon
// that is not convex with more than 20,000 corners), memory.
bool mr_gltf_mesh_build(mr_context *context, const mr_geometry *geometry, const char *name,
                        mr_gltf_mesh *mesh, mr_error *error);

// The raster's layer "height" as its drawn triangles, every stride-th cell so that there are at most `most` triangles (the
// last row and column always stay).
bool mr_gltf_mesh_ground(mr_context *context, const mr_raster *raster, const char *name, uint32_t most,
                         mr_gltf_mesh *mesh, mr_error *error);

void mr_gltf_mesh_free(mr_context *context, mr_gltf_mesh *mesh);

// Cuts a simple polygon of count corners (x, y, z each) into triangles, three corner numbers each, at most count - 2 of
// them, into `triangles`. Answers how many.
size_t mr_polygon_cut(const float *corners, size_t count, uint32_t *links, uint32_t *triangles);

#endif
