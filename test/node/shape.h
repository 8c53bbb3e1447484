// test/node/shape.h: nodes called with numbers, and what a mesh of triangles is measured by.

#ifndef MARRAM_TEST_NODE_SHAPE_H
#define MARRAM_TEST_NODE_SHAPE_H

#include "support.h"

#include "graph/graph.h"

#include <math.h>

static mr_binding give(const char *name, mr_value value)
{
    return (mr_binding){ .name = name, .value = value };
}

static mr_binding give_number(const char *name, double number)
{
    return give(name, mr_value_number(number));
}

static mr_binding give_vector(const char *name, double x, double y, double z)
{
    return give(name, (mr_value){ .type = MR_VEC3, .vector = { x, y, z } });
}

static bool call(mr_context *context, const char *name, const mr_binding *inputs, size_t count,
                 mr_value *answer, mr_error *error)
{
    const mr_node *node = mr_node_find(name);
    if (!node) {
        fail_msg("there is no %s", name);
    }
    return mr_node_call(context, NULL, node, inputs, count, answer, error);
}

static mr_value call_good(mr_context *context, const char *name, const mr_binding *inputs, size_t count)
{
    mr_error error = { 0 };
    mr_value answer = { .type = MR_NONE };
    test_assert_ok(call(context, name, inputs, count, &answer, &error), &error);
    assert_int_equal(answer.type, MR_GEOMETRY);
    test_assert_ok(mr_geometry_validate(answer.geometry, &error), &error);
    return answer;
}

typedef struct mesh {
    const float *at, *normal, *uv;
    const int32_t *pt;
    size_t points, triangles;
} mesh;

// Of the nodes' triangles: every primitive three vertices, closed, in order.
static mesh mesh_of(const mr_value *value)
{
    const mr_geometry *geometry = value->geometry;
    mesh m = {
        .at = mr_geometry_find(geometry, MR_POINT, "P")->f32,
        .normal = mr_geometry_find(geometry, MR_VERTEX, "N")->f32,
        .uv = mr_geometry_find(geometry, MR_VERTEX, "uv")->f32,
        .pt = mr_geometry_find(geometry, MR_VERTEX, "pt")->i32,
        .points = mr_geometry_count(geometry, MR_POINT),
        .triangles = mr_geometry_count(geometry, MR_PRIMITIVE),
    };
    assert_int_equal(mr_geometry_count(geometry, MR_VERTEX), 3 * m.triangles);
    for (size_t i = 0; i < m.triangles; i++) {
        assert_int_equal(mr_geometry_find(geometry, MR_PRIMITIVE, "vstart")->i32[i], 3 * i);
        assert_int_equal(mr_geometry_find(geometry, MR_PRIMITIVE, "vcount")->i32[i], 3);
        assert_int_equal(mr_geometry_find(geometry, MR_PRIMITIVE, "closed")->u32[i], 1);
    }
    return m;
}

static const float *place_of(const mesh *m, size_t vertex)
{
    return m->at + 3 * (size_t)m->pt[vertex];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Of a triangle: twice its area, along its normal.
static void face_normal(const mesh *m, size_t triangle, double out[3])
{
    const float *a = place_of(m, 3 * triangle), *b = place_of(m, 3 * triangle + 1),
                *c = place_of(m, 3 * triangle + 2);
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = (double)b[i] - (double)a[i];
        v[i] = (double)c[i] - (double)a[i];
    }
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

static double volume_of(const mesh *m)
{
    double volume = 0;
    for (size_t i = 0; i < m->triangles; i++) {
        double normal[3];
        face_normal(m, i, normal);
        const float *a = place_of(m, 3 * i);
        volume += dot(normal, (double[3]){ (double)a[0], (double)a[1], (double)a[2] }) / 6;
    }
    return volume;
}

static int compare_edges(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// How many edges have a face on one side only. No directed edge may be walked twice.
static size_t open_edges(const mesh *m, size_t *edges)
{
    size_t count = 3 * m->triangles, open = 0;
    uint64_t *walked = malloc(count * sizeof *walked);
    for (size_t i = 0; i < count; i++) {
        uint64_t from = (uint32_t)m->pt[i], to = (uint32_t)m->pt[i - i % 3 + (i % 3 + 1) % 3];
        assert_true(from != to);
        walked[i] = from << 32 | to;
    }
    qsort(walked, count, sizeof *walked, compare_edges);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || walked[i] != walked[i - 1]);
        uint64_t back = walked[i] << 32 | walked[i] >> 32;
        open += bsearch(&back, walked, count, sizeof *walked, compare_edges) == NULL;
    }
    free(walked);
    *edges = (count + open) / 2;
    return open;
}

static void assert_closed(const mesh *m)
{
    size_t edges;
    assert_int_equal(open_edges(m, &edges), 0);
    assert_int_equal((long)m->points - (long)edges + (long)m->triangles, 2); // Euler
    uint8_t *used = calloc(m->points, 1);
    for (size_t i = 0; i < 3 * m->triangles; i++) {
        used[m->pt[i]] = 1;
    }
    for (size_t i = 0; i < m->points; i++) {
        assert_true(used[i]);
    }
    free(used);
}

static void assert_near(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fmax(fabs(a), fabs(b)))) {
        fail_msg("%.17g is not %.17g", a, b);
    }
}

// Normals are unit and on their face's outer side; pictures are not mirrored: u to the right, v down.
static void assert_corners_good(const mesh *m)
{
    for (size_t i = 0; i < 3 * m->triangles; i++) {
        const float *n = m->normal + 3 * i;
        double normal[3] = { (double)n[0], (double)n[1], (double)n[2] }, face[3];
        face_normal(m, i / 3, face);
        assert_near(dot(normal, normal), 1, 1e-6);
        assert_true(dot(normal, face) > 0);
        assert_true(m->uv[2 * i] >= 0 && m->uv[2 * i] <= 1 && m->uv[2 * i + 1] >= 0 && m->uv[2 * i + 1] <= 1);
        if (i % 3 == 0) {
            const float *uv = m->uv + 2 * i;
            double turned = (double)(uv[2] - uv[0]) * (double)(uv[5] - uv[1]) -
                            (double)(uv[4] - uv[0]) * (double)(uv[3] - uv[1]);
            assert_true(turned < 0);
        }
    }
}

#endif
