// node/mesh/cone.c: an upright cone, whole or cut off, its base on y = 0.

#include "node/mesh/shared_shape.h"

static bool cone_cook(mr_cook *cook, mr_error *error)
{
    return mr_shape_frustum(cook, mr_cook_number(cook, "radius"), mr_cook_number(cook, "topRadius"),
                            mr_cook_number(cook, "height"), error);
}

const mr_node mr_node_mesh_cone = {
    .name = "mesh.cone",
    .version = 1,
    .summary = "An upright cone: its base stands on y = 0, its tip on the y axis. Smooth around, hard at its rims.",
    .inputs = {
        { .name = "radius", .type = MR_NUMBER, .unit = MR_METRES, .value = 0.5, MR_WITHIN(1e-6, 1e6), .doc = "Of the base, from the axis to a corner of the ring." },
        { .name = "topRadius", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(0, 1e6), .doc = "Where it is cut off; 0 leaves it whole." },
        { .name = "height", .type = MR_NUMBER, .unit = MR_METRES, .value = 1, MR_WITHIN(1e-6, 1e6), .doc = "From the base to the top." },
        { .name = "segments", .type = MR_INT, .value = 32, MR_WITHIN(3, 1024), .doc = "Faces around." },
        { .name = "caps", .type = MR_BOOL, .value = 1, .doc = "Whether its base, and the top of one cut off, are closed." },
    },
    .outputs = { { .name = "geometry", .type = MR_GEOMETRY, .doc = "Triangles with vertex normals and texture places." } },
    .example = "g.mesh.cone { radius = 1.6, height = 7 }",
    .cook = cone_cook,
};
