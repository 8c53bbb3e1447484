// node/mesh/sphere.c: a ball of rings and segments round its centre.

#include "node/mesh/shared_shape.h"

typedef struct ball {
    double radius;
    uint32_t segments, rings;
} ball;

// The sine and cosine of the angle from the top, ring by ring.
static void ring_angle(const ball *b, uint32_t ring, double *out, double *up)
{
    mr_shape_direction(ring, 2 * b->rings, out, up);
    *out = -*out;
    *up = -*up;
}

static int32_t point_at(const ball *b, uint32_t ring, uint32_t k)
{
    if (ring == 0) {
        return 0;
    }
    uint32_t before = 1 + (ring - 1) * b->segments;
    return (int32_t)(ring == b->rings ? before : before + k % b->segments);
}

// half counts half segments, so that a pole has a direction of its own above each face.
static mr_corner corner_at(const ball *b, uint32_t ring, uint32_t half)
{
    double x, z, out, up;
    mr_shape_direction(half % (2 * b->segments), 2 * b->segments, &x, &z);
    ring_angle(b, ring, &out, &up);
    return (mr_corner){
        .point = point_at(b, ring, half / 2),
        .normal = { (float)(x * out), (float)up, (float)(z * out) },
        .uv = { (float)half / (float)(2 * b->segments), (float)ring / (float)b->rings },
    };
}

static void add_points(mr_shape *shape, const ball *b)
{
    for (uint32_t ring = 0; ring <= b->rings; ring++) {
        double out, up;
        ring_angle(b, ring, &out, &up);
        bool pole = ring == 0 || ring == b->rings;
        for (uint32_t k = 0; k < (pole ? 1 : b->segments); k++) {
            double x, z;
            mr_shape_direction(k, b->segments, &x, &z);
            mr_shape_point(shape, x * out * b->radius, up * b->radius, z * out * b->radius);
        }
    }
}

static bool sphere_cook(mr_cook *cook, mr_error *error)
{
    ball b = {
        .radius = mr_cook_number(cook, "radius"),
        .segments = (uint32_t)mr_cook_integer(cook, "segments"),
        .rings = (uint32_t)mr_cook_integer(cook, "rings"),
    };
    mr_shape shape;
    size_t between = b.rings - 1;
    if (!mr_shape_begin(&shape, cook->context, 2 + between * b.segments, 2 * between * b.segments, error)) {
        return false;
    }
    add_points(&shape, &b);
    for (uint32_t ring = 0; ring < b.rings; ring++) {
        for (uint32_t k = 0; k < b.segments; k++) {
            mr_corner a = corner_at(&b, ring + 1, 2 * k), c = corner_at(&b, ring + 1, 2 * k + 2);
            mr_corner d = corner_at(&b, ring, 2 * k + 2), e = corner_at(&b, ring, 2 * k);
            if (ring == 0) {
                mr_shape_triangle(&shape, a, c, corner_at(&b, ring, 2 * k + 1));
            } else if (ring + 1 == b.rings) {
                mr_shape_triangle(&shape, e, corner_at(&b, b.rings, 2 * k + 1), d);
            } else {
                mr_shape_quad(&shape, a, c, d, e);
            }
        }
    }
    return mr_shape_end(&shape, cook, error);
}

const mr_node mr_node_mesh_sphere = {
    .name = "mesh.sphere",
    .version = 1,
    .summary = "A ball centred on the origin, its poles on the y axis. Smooth all over.",
    .inputs = {
        { .name = "radius", .type = MR_NUMBER, .unit = MR_METRES, .value = 0.5, MR_WITHIN(1e-6, 1e6), .doc = "From the centre to a corner." },
        { .name = "segments", .type = MR_INT, .value = 32, MR_WITHIN(3, 1024), .doc = "Faces around." },
        { .name = "rings", .type = MR_INT, .value = 16, MR_WITHIN(2, 512), .doc = "Faces from pole to pole." },
    },
    .outputs = { { .name = "geometry", .type = MR_GEOMETRY, .doc = "Triangles with vertex normals and texture places." } },
    .example = "g.mesh.sphere { radius = 0.4 }",
    .cook = sphere_cook,
};
