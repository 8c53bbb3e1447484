// node/mesh/cylinder.c: an upright cylinder, its base on y = 0.

#include "node/mesh/shared_shape.h"

static bool cylinder_cook(mr_cook *cook, mr_error *error)
{
    double radius = mr_cook_number(cook, "radius");
    return mr_shape_frustum(cook, radius, radius, mr_cook_number(cook, "height"), error);
}

const mr_node mr_node_mesh_cylinder = {
    .name = "mesh.cylinder",
    .version = 1,
    .summary = "An upright cylinder: its base stands on y = 0, round the y axis. Smooth around, hard at its rims.",
    .inputs = {
        { .name = "radius", .type = MR_NUMBER, .unit = MR_METRES, .value = 0.5, MR_WITHIN(1e-6, 1e6), .doc = "From the axis to a corner of the ring." },
        { .name = "height", .type = MR_NUMBER, .unit = MR_METRES, .value = 1, MR_WITHIN(1e-6, 1e6), .doc = "From the base to the top." },
        { .name = "segments", .type = MR_INT, .value = 32, MR_WITHIN(3, 1024), .doc = "Faces around." },
        { .name = "caps", .type = MR_BOOL, .value = 1, .doc = "Whether its top and bottom are closed." },
    },
    .outputs = { { .name = "geometry", .type = MR_GEOMETRY, .doc = "Triangles with vertex normals and texture places." } },
    .example = "g.mesh.cylinder { radius = 0.15, height = 9, segments = 12 }",
    .cook = cylinder_cook,
};
