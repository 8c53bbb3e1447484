// node/geometry/transform.c: a geometry scaled, turned and moved.
//
// A place p becomes translate + R (scale * p), where R turns about x first, then y, then z, each right-handed. Normals
// (N of points and of vertices) follow by the inverse transpose and are made unit again. A scale that mirrors turns
// every face's corners round, so that faces stay counter-clockwise from outside. Other attributes are shared as they
// are.

#include "base/thread.h"
#include "graph/node.h"
#include "num/exact.h"

typedef struct motion {
    double matrix[9];  // row by row: the turn times the scale
    double normals[9]; // its inverse transpose, but for a positive factor
    double translate[3];
    bool mirrors;
} motion;

// Of an angle in degrees: exact at the quarters of a turn.
static void turn_of(double degrees, double *sine, double *cosine)
{
    double quarters = __builtin_floor(degrees / 90 + 0.5);
    float s, c;
    mr_f32_sincos((float)((degrees - 90 * quarters) * (3.141592653589793 / 180)), &s, &c);
    switch ((int)(quarters - 4 * __builtin_floor(quarters / 4))) {
    case 0:
        *sine = (double)s, *cosine = (double)c;
        break;
    case 1:
        *sine = (double)c, *cosine = -(double)s;
        break;
    case 2:
        *sine = -(double)s, *cosine = -(double)c;
        break;
    default:
        *sine = -(double)c, *cosine = (double)s;
        break;
    }
}

static motion motion_of(const mr_cook *cook)
{
    const double *turn = mr_cook_vector(cook, "rotate"), *scale = mr_cook_vector(cook, "scale");
    double sx, cx, sy, cy, sz, cz;
    turn_of(turn[0], &sx, &cx);
    turn_of(turn[1], &sy, &cy);
    turn_of(turn[2], &sz, &cz);
    const double rotation[9] = {
        cz * cy,
        cz * sy * sx - sz * cx,
        cz * sy * cx + sz * sx, //
        sz * cy,
        sz * sy * sx + cz * cx,
        sz * sy * cx - cz * sx, //
        -sy,
        cy * sx,
        cy * cx,
    };
    motion m = { .mirrors = (scale[0] < 0) != ((scale[1] < 0) != (scale[2] < 0)) };
    memcpy(m.translate, mr_cook_vector(cook, "translate"), sizeof m.translate);
    for (int i = 0; i < 9; i++) {
        m.matrix[i] = rotation[i] * scale[i % 3];
        m.normals[i] = rotation[i] / scale[i % 3];
    }
    return m;
}

static void apply(const double matrix[9], const float from[3], double to[3])
{
    for (int row = 0; row < 3; row++) {
        to[row] = matrix[3 * row] * (double)from[0] + matrix[3 * row + 1] * (double)from[1] +
                  matrix[3 * row + 2] * (double)from[2];
    }
}

enum { GRAIN = 1 << 14 };

typedef struct pass {
    const motion *motion;
    bool normals;
    const float *from;
    float *to;
} pass;

static bool move(void *argument, size_t begin, size_t end, mr_error *error)
{
    (void)error;
    const pass *p = argument;
    const motion *m = p->motion;
    for (size_t i = begin; i < end; i++) {
        double to[3];
        apply(p->normals ? m->normals : m->matrix, p->from + 3 * i, to);
        double length = p->normals ? __builtin_sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]) : 1;
        for (int axis = 0; axis < 3; axis++) {
            double plain = p->normals ? (length > 0 ? to[axis] / length : 0) : to[axis] + m->translate[axis];
            p->to[3 * i + (size_t)axis] = (float)plain;
        }
    }
    return true;
}

static bool move_attribute(mr_geometry *geometry, mr_class class_of, const char *name, const motion *m,
                           mr_error *error)
{
    const mr_column *from = mr_geometry_find(geometry, class_of, name);
    if (!from || from->type != MR_COLUMN_VEC3) {
        return true;
    }
    mr_column *to = mr_column_create(geometry->context, MR_COLUMN_VEC3, from->count, error);
    if (!to) {
        return false;
    }
    pass p = { m, *name == 'N', from->f32, to->f32 };
    if (!mr_parallel_for(geometry->context, from->count, GRAIN, move, &p, error)) {
        mr_column_release(to);
        return false;
    }
    return mr_geometry_set(geometry, class_of, name, to, error);
}

// A face keeps its first corner; the others come in the opposite order.
static bool turn_round(mr_geometry *geometry, const char *name, mr_error *error)
{
    const mr_column *from = mr_geometry_find(geometry, MR_VERTEX, name);
    const mr_column *start = mr_geometry_find(geometry, MR_PRIMITIVE, "vstart");
    const mr_column *count = mr_geometry_find(geometry, MR_PRIMITIVE, "vcount");
    size_t lanes = mr_column_lanes(from->type);
    mr_column *to = mr_column_writable(mr_column_retain((mr_column *)(uintptr_t)from), error);
    for (size_t i = 0; to && start && count && i < start->count; i++) {
        size_t first = (size_t)start->i32[i], corners = (size_t)count->i32[i];
        for (size_t k = 1; k < corners; k++) {
            memcpy(to->u32 + (first + k) * lanes, from->u32 + (first + corners - k) * lanes, 4 * lanes);
        }
    }
    return to && mr_geometry_set(geometry, MR_VERTEX, name, to, error);
}

static bool turn_faces(mr_geometry *geometry, mr_error *error)
{
    for (size_t i = 0; i < geometry->classes[MR_VERTEX].count; i++) {
        if (!turn_round(geometry, geometry->classes[MR_VERTEX].items[i].name, error)) {
            return false;
        }
    }
    return true;
}

static bool transform_cook(mr_cook *cook, mr_error *error)
{
    const double *scale = mr_cook_vector(cook, "scale");
    for (int axis = 0; axis < 3; axis++) {
        if (scale[axis] == 0) {
            return mr_fail(error, MR_BAD_INPUT, "scale.%c is 0; it must not be 0", "xyz"[axis]);
        }
    }
    mr_geometry *given = (mr_geometry *)(uintptr_t)mr_cook_geometry(cook, "geometry");
    if (!mr_geometry_validate(given, error)) {
        return false;
    }
    motion m = motion_of(cook);
    mr_geometry *geometry = mr_geometry_writable(mr_geometry_retain(given), error);
    bool good = geometry && move_attribute(geometry, MR_POINT, "P", &m, error) &&
                move_attribute(geometry, MR_POINT, "N", &m, error) &&
                move_attribute(geometry, MR_VERTEX, "N", &m, error) &&
                (!m.mirrors || turn_faces(geometry, error));
    if (!good) {
        mr_geometry_release(geometry);
        return false;
    }
    mr_cook_set_geometry(cook, "geometry", geometry);
    return true;
}

const mr_node mr_node_geometry_transform = {
    .name = "geometry.transform",
    .version = 1,
    .summary = "A geometry scaled, then turned about x, y and z in this order, then moved.",
    .inputs = {
        { .name = "geometry", .type = MR_GEOMETRY, .flags = MR_REQUIRED, .doc = "What to move." },
        { .name = "translate", .type = MR_VEC3, .unit = MR_METRES, MR_WITHIN(-1e9, 1e9), .doc = "How far to move it." },
        { .name = "rotate", .type = MR_VEC3, .unit = MR_DEGREES, MR_WITHIN(-1e6, 1e6), .doc = "Turns about x, y and z, right-handed." },
        { .name = "scale", .type = MR_VEC3, .vector = { 1, 1, 1 }, MR_WITHIN(-1e6, 1e6), .doc = "Along x, y and z; a negative one mirrors." },
    },
    .outputs = { { .name = "geometry", .type = MR_GEOMETRY } },
    .example = "g.geometry.transform { geometry = g.mesh.box {}, translate = { 0, 2, 0 }, rotate = { 0, 45, 0 } }",
    .cook = transform_cook,
};
