// node/mesh/shared_shape.c: triangles put together corner by corner.

#include "node/mesh/shared_shape.h"

#include "num/exact.h"

static const double quarter_turn = 1.5707963267948966;

bool mr_shape_begin(mr_shape *shape, mr_context *context, size_t points, size_t triangles, mr_error *error)
{
    *shape = (mr_shape){ .geometry = NULL };
    if (points > INT32_MAX || triangles > INT32_MAX / 3) {
        return mr_fail(error, MR_LIMIT,
                       "%zu points and %zu triangles; a geometry holds at most 2147483647 vertices", points,
                       triangles);
    }
    shape->geometry = mr_geometry_create(context, error);
    shape->places = shape->geometry ? mr_column_create(context, MR_COLUMN_VEC3, points, error) : NULL;
    shape->pt = shape->places ? mr_column_create(context, MR_COLUMN_INT, 3 * triangles, error) : NULL;
    shape->normals = shape->pt ? mr_column_create(context, MR_COLUMN_VEC3, 3 * triangles, error) : NULL;
    shape->uvs = shape->normals ? mr_column_create(context, MR_COLUMN_VEC2, 3 * triangles, error) : NULL;
    if (shape->uvs) {
        return true;
    }
    mr_geometry_release(shape->geometry);
    mr_column_release(shape->places);
    mr_column_release(shape->pt);
    mr_column_release(shape->normals);
    return false;
}

int32_t mr_shape_point(mr_shape *shape, double x, double y, double z)
{
    float *at = shape->places->f32 + 3 * (size_t)shape->point_count;
    at[0] = (float)(x + 0.0); // a zero is +0
    at[1] = (float)(y + 0.0);
    at[2] = (float)(z + 0.0);
    return shape->point_count++;
}

static void add_vertex(mr_shape *shape, const mr_corner *corner)
{
    size_t vertex = shape->vertex_count++;
    shape->pt->i32[vertex] = corner->point;
    for (size_t axis = 0; axis < 3; axis++) {
        shape->normals->f32[3 * vertex + axis] = corner->normal[axis] + 0.0f;
    }
    memcpy(shape->uvs->f32 + 2 * vertex, corner->uv, sizeof corner->uv);
}

void mr_shape_triangle(mr_shape *shape, mr_corner a, mr_corner b, mr_corner c)
{
    add_vertex(shape, &a);
    add_vertex(shape, &b);
    add_vertex(shape, &c);
}

void mr_shape_quad(mr_shape *shape, mr_corner a, mr_corner b, mr_corner c, mr_corner d)
{
    mr_shape_triangle(shape, a, b, c);
    mr_shape_triangle(shape, a, c, d);
}

static bool set(mr_shape *shape, bool good, mr_class class_of, const char *name, mr_column *column,
                mr_error *error)
{
    return mr_geometry_set(shape->geometry, class_of, name, column, good ? error : NULL) && good;
}

bool mr_shape_end(mr_shape *shape, mr_cook *cook, mr_error *error)
{
    bool good =
        shape->point_count == (int64_t)shape->places->count && shape->vertex_count == shape->pt->count;
    if (!good) {
        mr_fail(error, MR_INTERNAL, "%d points and %zu vertices where there is room for %zu and %zu",
                shape->point_count, shape->vertex_count, shape->places->count, shape->pt->count);
    }
    good = set(shape, good, MR_POINT, "P", shape->places, error);
    good = set(shape, good, MR_VERTEX, "pt", shape->pt, error);
    good = set(shape, good, MR_VERTEX, "N", shape->normals, error);
    good = set(shape, good, MR_VERTEX, "uv", shape->uvs, error);
    good = good && mr_geometry_set_triangles(shape->geometry, shape->vertex_count / 3, error);
    if (good) {
        mr_cook_set_geometry(cook, "geometry", shape->geometry);
    } else {
        mr_geometry_release(shape->geometry);
    }
    return good;
}

void mr_shape_direction(uint32_t k, uint32_t n, double *x, double *z)
{
    uint64_t quarters = 4 * (uint64_t)(k % n);
    uint64_t rest = quarters % n;
    bool mirrored = 2 * rest > n;
    float sine, cosine;
    mr_f32_sincos((float)((double)(mirrored ? n - rest : rest) / n * quarter_turn), &sine, &cosine);
    double across = mirrored ? cosine : sine;
    double along = mirrored ? sine : cosine;
    switch (quarters / n) {
    case 0:
        *x = -across, *z = -along;
        break;
    case 1:
        *x = -along, *z = across;
        break;
    case 2:
        *x = across, *z = along;
        break;
    default:
        *x = along, *z = -across;
        break;
    }
}

typedef struct frustum {
    double bottom, top, height;
    uint32_t segments;
    bool caps;
    double slant_out, slant_up; // the side's normal: so much outwards, so much up
} frustum;

static mr_corner side_corner(const frustum *f, int32_t point, uint32_t half, double v)
{
    double x, z;
    mr_shape_direction(half % (2 * f->segments), 2 * f->segments, &x, &z);
    return (mr_corner){
        .point = point,
        .normal = { (float)(x * f->slant_out), (float)f->slant_up, (float)(z * f->slant_out) },
        .uv = { (float)half / (float)(2 * f->segments), (float)v },
    };
}

// A ring's points are numbered from first on; a ring of radius 0 is one point.
static int32_t ring_point(const frustum *f, int32_t first, double radius, uint32_t k)
{
    return radius > 0 ? first + (int32_t)(k % f->segments) : first;
}

static void add_ring(mr_shape *shape, const frustum *f, double radius, double y)
{
    for (uint32_t k = 0; k < (radius > 0 ? f->segments : 1); k++) {
        double x, z;
        mr_shape_direction(k, f->segments, &x, &z);
        mr_shape_point(shape, x * radius, y, z * radius);
    }
}

static void add_sides(mr_shape *shape, const frustum *f, int32_t low, int32_t high)
{
    for (uint32_t k = 0; k < f->segments; k++) {
        mr_corner a = side_corner(f, ring_point(f, low, f->bottom, k), 2 * k, 1);
        mr_corner b = side_corner(f, ring_point(f, low, f->bottom, k + 1), 2 * k + 2, 1);
        if (f->top > 0) {
            mr_corner c = side_corner(f, ring_point(f, high, f->top, k + 1), 2 * k + 2, 0);
            mr_corner d = side_corner(f, ring_point(f, high, f->top, k), 2 * k, 0);
            mr_shape_quad(shape, a, b, c, d);
        } else {
            mr_shape_triangle(shape, a, b, side_corner(f, high, 2 * k + 1, 0));
        }
    }
}

static mr_corner cap_corner(const frustum *f, int32_t point, uint32_t k, double reach, float up)
{
    double x, z;
    mr_shape_direction(k % f->segments, f->segments, &x, &z);
    return (mr_corner){
        .point = point,
        .normal = { 0, up, 0 },
        .uv = { (float)(0.5 + 0.5 * reach * x), (float)(0.5 + 0.5 * reach * z * (double)up) },
    };
}

static void add_cap(mr_shape *shape, const frustum *f, int32_t ring, double y, float up)
{
    int32_t middle = mr_shape_point(shape, 0, y, 0);
    for (uint32_t k = 0; k < f->segments; k++) {
        uint32_t left = up > 0 ? k : k + 1;
        uint32_t right = up > 0 ? k + 1 : k;
        mr_shape_triangle(shape, cap_corner(f, middle, 0, 0, up),
                          cap_corner(f, ring_point(f, ring, 1, left), left, 1, up),
                          cap_corner(f, ring_point(f, ring, 1, right), right, 1, up));
    }
}

bool mr_shape_frustum(mr_cook *cook, double bottom, double top, double height, mr_error *error)
{
    double lean = bottom - top;
    double slant = __builtin_sqrt(height * height + lean * lean);
    frustum f = {
        .bottom = bottom,
        .top = top,
        .height = height,
        .segments = (uint32_t)mr_cook_integer(cook, "segments"),
        .caps = mr_cook_boolean(cook, "caps"),
        .slant_out = height / slant,
        .slant_up = lean / slant,
    };
    size_t n = f.segments;
    size_t points = n + (top > 0 ? n : 1) + (f.caps ? 1u + (top > 0) : 0u);
    size_t triangles = (top > 0 ? 2 * n : n) + (f.caps ? (top > 0 ? 2 * n : n) : 0);
    mr_shape shape;
    if (!mr_shape_begin(&shape, cook->context, points, triangles, error)) {
        return false;
    }
    int32_t low = shape.point_count;
    add_ring(&shape, &f, bottom, 0);
    int32_t high = shape.point_count;
    add_ring(&shape, &f, top, height);
    add_sides(&shape, &f, low, high);
    if (f.caps) {
        add_cap(&shape, &f, low, 0, -1);
        if (top > 0) {
            add_cap(&shape, &f, high, height, 1);
        }
    }
    return mr_shape_end(&shape, cook, error);
}
