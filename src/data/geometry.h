// data/geometry.h: points, vertices, primitives and one detail, each a set of named columns.
//
// Linkage: vertex.pt (Int), the point a vertex stands on; primitive.vstart and primitive.vcount (Int), its run of
// vertices; primitive.closed (Bool), whether the run is a polygon (1) or an open line (0). Common attributes: point.P
// (Vec3), vertex.N and point.N (Vec3), vertex.uv (Vec2), point.Cd (Color). Faces turn counter-clockwise seen from
// outside.

#ifndef MARRAM_DATA_GEOMETRY_H
#define MARRAM_DATA_GEOMETRY_H

#include "data/column.h"

typedef enum mr_class { MR_POINT, MR_VERTEX, MR_PRIMITIVE, MR_DETAIL, MR_CLASS_COUNT } mr_class;
const char *mr_class_name(mr_class class_of);

typedef struct mr_attribute {
    char name[32];
    mr_column *column;
} mr_attribute;

typedef struct mr_attributes {
    mr_attribute *items; // sorted by name
    size_t count;
    size_t capacity;
    size_t elements; // every column has this many
} mr_attributes;

typedef struct mr_geometry {
    mr_refs refs;
    mr_context *context;
    mr_attributes classes[MR_CLASS_COUNT];
} mr_geometry;

mr_geometry *mr_geometry_create(mr_context *context, mr_error *error);
mr_geometry *mr_geometry_retain(mr_geometry *geometry);
void mr_geometry_release(mr_geometry *geometry);
// The geometry itself when nobody else holds it, else a copy that shares every column; takes the caller's reference.
mr_geometry *mr_geometry_writable(mr_geometry *geometry, mr_error *error);

// A borrowed column, or NULL.
mr_column *mr_geometry_find(const mr_geometry *geometry, mr_class class_of, const char *name);
// Sets or replaces a column (takes the reference, published by the call, also on failure). The first column of an empty
// class fixes its count; later ones must agree (MR_BAD_INPUT).
bool mr_geometry_set(mr_geometry *geometry, mr_class class_of, const char *name, mr_column *column,
                     mr_error *error);
void mr_geometry_remove(mr_geometry *geometry, mr_class class_of, const char *name);
size_t mr_geometry_count(const mr_geometry *geometry, mr_class class_of);

// From flat arrays: points (x, y, z each) and triangles (three point numbers each). The usual way to make a mesh.
mr_geometry *mr_geometry_from_triangles(mr_context *context, const float *points, size_t point_count,
                                        const uint32_t *triangles, size_t triangle_count, mr_error *error);

// vstart, vcount and closed of triangles whose vertices stand three by three.
bool mr_geometry_set_triangles(mr_geometry *geometry, size_t triangle_count, mr_error *error);

// Checks the linkage: in range, runs within the vertices, finite P. The message names the element.
bool mr_geometry_validate(const mr_geometry *geometry, mr_error *error);
// Bounds of point.P; false when there is no point.
bool mr_geometry_bounds(const mr_geometry *geometry, float low[3], float high[3]);
void mr_geometry_digest(const mr_geometry *geometry, mr_digester *digester);

#endif
