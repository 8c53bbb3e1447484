// node/mesh/box.c: a box that stands on y = 0.

#include "node/mesh/shared_shape.h"

// Each face's outward axis and the way to its right, as axis numbers and signs; up is what is left over: outward x right.
static const struct {
    int out_axis, out_sign, right_axis, right_sign, up_axis, up_sign;
} faces[6] = {
    { 0, 1, 2, -1, 1, 1 }, { 0, -1, 2, 1, 1, 1 },  // sides: +x seen with -z on the right, -x with +z
    { 1, 1, 0, 1, 2, -1 }, { 1, -1, 0, 1, 2, 1 },  // top and bottom
    { 2, 1, 0, 1, 1, 1 },  { 2, -1, 0, -1, 1, 1 }, // front and back
};

// Point number: bit a is set where the corner lies on the + side of axis a.
static mr_corner face_corner(int face, int right, int up)
{
    mr_corner corner = { .uv = { (float)right, (float)(1 - up) } };
    int bits[3];
    bits[faces[face].out_axis] = faces[face].out_sign > 0;
    bits[faces[face].right_axis] = right == (faces[face].right_sign > 0);
    bits[faces[face].up_axis] = up == (faces[face].up_sign > 0);
    corner.normal[faces[face].out_axis] = (float)faces[face].out_sign;
    corner.point = bits[0] | bits[1] << 1 | bits[2] << 2;
    return corner;
}

static bool box_cook(mr_cook *cook, mr_error *error)
{
    const double *size = mr_cook_vector(cook, "size");
    mr_shape shape;
    if (!mr_shape_begin(&shape, cook->context, 8, 12, error)) {
        return false;
    }
    for (int corner = 0; corner < 8; corner++) {
        mr_shape_point(&shape, (corner & 1 ? 0.5 : -0.5) * size[0], corner & 2 ? size[1] : 0,
                       (corner & 4 ? 0.5 : -0.5) * size[2]);
    }
    for (int face = 0; face < 6; face++) {
        mr_shape_quad(&shape, face_corner(face, 0, 0), face_corner(face, 1, 0), face_corner(face, 1, 1),
                      face_corner(face, 0, 1));
    }
    return mr_shape_end(&shape, cook, error);
}

const mr_node mr_node_mesh_box = {
    .name = "mesh.box",
    .version = 1,
    .summary = "A box: its base stands on y = 0, its middle on the y axis. Every edge is hard.",
    .inputs = {
        { .name = "size", .type = MR_VEC3, .unit = MR_METRES, .vector = { 1, 1, 1 }, MR_WITHIN(1e-6, 1e6), .doc = "Along x, y (its height) and z." },
    },
    .outputs = { { .name = "geometry", .type = MR_GEOMETRY, .doc = "Triangles with vertex normals and texture places." } },
    .example = "g.mesh.box { size = { 4, 2.5, 3 } }",
    .cook = box_cook,
};
