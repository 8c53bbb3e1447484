// node/mesh/shared_shape.h: triangles with normals and texture places, put together corner by corner.
//
// Points are shared by the faces that meet in them; normals and texture places are the vertices' own, so that an edge is
// hard where its faces give other normals and smooth where they give one. Texture places run as a picture's rows do: u to
// the right and v down, seen from outside with the face upright.

#ifndef MARRAM_NODE_MESH_SHARED_SHAPE_H
#define MARRAM_NODE_MESH_SHARED_SHAPE_H

#include "graph/node.h"

typedef struct mr_corner {
    int32_t point;
    float normal[3];
    float uv[2];
} mr_corner;

typedef struct mr_shape {
    mr_geometry *geometry;
    mr_column *places, *pt, *normals, *uvs;
    int32_t point_count;
    size_t vertex_count;
} mr_shape;

// Room for exactly so many points and triangles. MR_LIMIT when a geometry cannot hold them.
bool mr_shape_begin(mr_shape *shape, mr_context *context, size_t points, size_t triangles, mr_error *error);
// The number of the new point.
int32_t mr_shape_point(mr_shape *shape, double x, double y, double z);
// Corners counter-clockwise, seen from outside.
void mr_shape_triangle(mr_shape *shape, mr_corner a, mr_corner b, mr_corner c);
void mr_shape_quad(mr_shape *shape, mr_corner a, mr_corner b, mr_corner c, mr_corner d);
// Sets it as the cook's output "geometry". Begun, every shape ends, also on failure.
bool mr_shape_end(mr_shape *shape, mr_cook *cook, mr_error *error);

// The direction k of n round the y axis, from -z (the back, where a seam is out of sight) through -x: x and z. Exact on
// the axes, and the same in each eighth but for swaps and signs.
void mr_shape_direction(uint32_t k, uint32_t n, double *x, double *z);

// A cone cut off at the top (a cylinder where both radii are one, a whole cone where top is 0), its base on y = 0.
bool mr_shape_frustum(mr_cook *cook, double bottom, double top, double height, mr_error *error);

#endif
