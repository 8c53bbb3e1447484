// node/mesh/plane.c: a level sheet.

#include "node/mesh/shared_shape.h"

static bool plane_cook(mr_cook *cook, mr_error *error)
{
    const double *size = mr_cook_vector(cook, "size");
    uint32_t columns = (uint32_t)mr_cook_integer(cook, "columns");
    uint32_t rows = (uint32_t)mr_cook_integer(cook, "rows");
    mr_shape shape;
    if (!mr_shape_begin(&shape, cook->context, ((size_t)columns + 1) * (rows + 1), 2 * (size_t)columns * rows,
                        error)) {
        return false;
    }
    for (uint32_t j = 0; j <= rows; j++) {
        for (uint32_t i = 0; i <= columns; i++) {
            mr_shape_point(&shape, ((double)i / columns - 0.5) * size[0], 0,
                           ((double)j / rows - 0.5) * size[1]);
        }
    }
    for (uint32_t j = 0; j < rows; j++) {
        for (uint32_t i = 0; i < columns; i++) {
            mr_corner corners[4]; // counter-clockwise from the near left one
            for (uint32_t c = 0; c < 4; c++) {
                uint32_t right = i + (c == 1 || c == 2), near = j + (c < 2);
                corners[c] = (mr_corner){
                    .point = (int32_t)(near * (columns + 1) + right),
                    .normal = { 0, 1, 0 },
                    .uv = { (float)right / (float)columns, (float)near / (float)rows },
                };
            }
            mr_shape_quad(&shape, corners[0], corners[1], corners[2], corners[3]);
        }
    }
    return mr_shape_end(&shape, cook, error);
}

const mr_node mr_node_mesh_plane = {
    .name = "mesh.plane",
    .version = 1,
    .summary = "A level sheet at y = 0, centred on the origin, facing up.",
    .inputs = {
        { .name = "size", .type = MR_VEC2, .unit = MR_METRES, .vector = { 1, 1 }, MR_WITHIN(1e-6, 1e6), .doc = "Along x and z." },
        { .name = "columns", .type = MR_INT, .value = 1, MR_WITHIN(1, 4096), .doc = "Faces along x." },
        { .name = "rows", .type = MR_INT, .value = 1, MR_WITHIN(1, 4096), .doc = "Faces along z." },
    },
    .outputs = { { .name = "geometry", .type = MR_GEOMETRY, .doc = "Triangles with vertex normals and texture places." } },
    .example = "g.mesh.plane { size = { 10, 10 }, columns = 8, rows = 8 }",
    .cook = plane_cook,
};
