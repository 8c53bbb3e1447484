// test/kernel/slow_rays.h: scenes, rays, and a loop over all triangles, for the tests of what is traced.

#ifndef MARRAM_TEST_SLOW_RAYS_H
#define MARRAM_TEST_SLOW_RAYS_H

#include "kernel/tree.h"
#include "support.h"

#include <math.h>

typedef struct scene {
    mr_faces faces;
    float *points;
    int32_t *corners, *starts, *counts;
} scene;

static void *room_for(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

// How wild a scene is: coordinates on a small lattice (ties, shared edges, flat triangles), any, or odd.
typedef enum kind { LATTICE, ANY, ODD, KINDS } kind;

static float coordinate(test_random *random, kind of, float scale, float offset)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, -0.0f, 1e-42f, 3e38f, -2e30f, 0x1p100f, 1e20f };
    if (of == LATTICE) {
        return scale * (float)test_below(random, 4) + offset;
    }
    if (of == ODD && test_below(random, 12) == 0) {
        return odd[test_below(random, 9)];
    }
    return scale * (float)test_between(random, -1, 1) + offset;
}

static scene random_scene(test_random *random, size_t primitives, kind of, float scale, float offset)
{
    scene s = { .faces = { .count = primitives } };
    size_t points = 1 + test_below(random, (uint32_t)(2 * primitives + 3)),
           each = test_below(random, 3) ? 3 : 6;
    float small = test_below(random, 2) ? scale : 0.1f * scale; // small triangles in a large scene
    s.points = room_for(points, 3 * sizeof(float));
    s.corners = room_for(each * primitives, sizeof(int32_t));
    s.starts = room_for(primitives, sizeof(int32_t));
    s.counts = room_for(primitives, sizeof(int32_t));
    for (size_t i = 0; i < 3 * points; i++) {
        s.points[i] = coordinate(random, of, scale, offset);
        if (small != scale && of == ANY && i >= 9 && i / 3 % 8) {
            s.points[i] = s.points[i - 3] + small * (float)test_between(random, -1, 1);
        }
    }
    for (size_t i = 0; i < primitives; i++) {
        s.starts[i] = (int32_t)(each * i);
        s.counts[i] = each == 3 && of != ODD ? 3 : (int32_t)test_below(random, (uint32_t)each + 2) - 1;
        if (of == ODD && test_below(random, 20) == 0) {
            s.starts[i] = (int32_t)test_u32(random);
        }
        int32_t at = (int32_t)test_below(random, (uint32_t)points);
        for (size_t k = 0; k < each; k++) {
            int32_t near = (at + (int32_t)k) % (int32_t)points;
            s.corners[each * i + k] =
                test_below(random, 3) ? near : (int32_t)test_below(random, (uint32_t)points);
            if (of == ODD && test_below(random, 30) == 0) {
                s.corners[each * i + k] = (int32_t)test_u32(random);
            }
        }
    }
    s.faces.points = s.points;
    s.faces.point_count = points;
    s.faces.vertex_points = s.corners;
    s.faces.vertex_count = each * primitives;
    s.faces.starts = s.starts;
    s.faces.counts = s.counts;
    return s;
}

static void free_scene(scene *s)
{
    free(s->points);
    free(s->corners);
    free(s->starts);
    free(s->counts);
}

// A ray that may run along axes, at a corner or the middle of an edge, or start on the surface.
static mr_ray random_ray(test_random *random, const scene *s, kind of, float scale, float offset)
{
    mr_ray ray = { .low = 0, .high = INFINITY };
    const float *p = s->points + 3 * test_below(random, (uint32_t)s->faces.point_count);
    const float *q = s->points + 3 * test_below(random, (uint32_t)s->faces.point_count);
    uint32_t aim = test_below(random, 4), from = test_below(random, 8);
    for (int axis = 0; axis < 3; axis++) {
        ray.origin[axis] = from == 0   ? p[axis]
                           : from == 1 ? 0.5f * p[axis] + 0.5f * q[axis]
                                       : coordinate(random,
                                                    of == ODD  ? ODD
                                                    : from < 5 ? LATTICE
                                                               : ANY,
                                                    from == 7 ? 1000 * scale : 2 * scale, offset);
        ray.direction[axis] = aim == 0   ? (float)test_below(random, 3) - 1
                              : aim == 1 ? p[axis] - ray.origin[axis]
                              : aim == 2 ? (0.5f * p[axis] + 0.5f * q[axis]) - ray.origin[axis]
                                         : (float)test_between(random, -1, 1) * (of == ODD ? 1e-10f : 1);
    }
    switch (test_below(random, 6)) {
    case 0:
        ray.high = 1;
        break;
    case 1:
        ray.low = (float)test_between(random, -2, 1);
        ray.high = ray.low + (float)test_between(random, -0.1, 3);
        break;
    case 2:
        ray.low = -INFINITY;
        break;
    case 3:
        ray.low = of == ODD ? NAN : 1;
        break;
    default:
        break;
    }
    return ray;
}

// The loop. A triangle's own test, written out from the paper and tree.h.

static bool counts_as_number(const float *p)
{
    return fabsf(p[0]) <= 0x1p100f && fabsf(p[1]) <= 0x1p100f && fabsf(p[2]) <= 0x1p100f;
}

static const float *corner(const scene *s, size_t vertex)
{
    int32_t at = vertex < s->faces.vertex_count ? s->corners[vertex] : -1;
    const float *p = at >= 0 && (size_t)at < s->faces.point_count ? s->points + 3 * at : NULL;
    return p && counts_as_number(p) ? p : NULL;
}

static bool slow_meets(const mr_ray *ray, const float *const p[3], float *t, float *u, float *v)
{
    const float *d = ray->direction, *o = ray->origin;
    int z = fabsf(d[0]) >= fabsf(d[1]) ? 0 : 1;
    z = fabsf(d[z]) >= fabsf(d[2]) ? z : 2;
    int x = (z + 1) % 3, y = (z + 2) % 3;
    if (d[z] < 0) {
        int swap = x;
        x = y;
        y = swap;
    }
    float sx = d[x] / d[z], sy = d[y] / d[z], sz = 1 / d[z], cx[3], cy[3], cz[3];
    for (int k = 0; k < 3; k++) {
        float along = p[k][z] - o[z];
        cx[k] = (p[k][x] - o[x]) - sx * along;
        cy[k] = (p[k][y] - o[y]) - sy * along;
        cz[k] = sz * along;
    }
    double w[3];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        w[k] = (double)cx[i] * (double)cy[j] - (double)cy[i] * (double)cx[j];
    }
    double sum = w[0] + w[1] + w[2];
    bool above = w[0] >= 0 && w[1] >= 0 && w[2] >= 0, below = w[0] <= 0 && w[1] <= 0 && w[2] <= 0;
    if (!(above || below) || sum == 0) {
        return false;
    }
    double along = w[0] * (double)cz[0] + w[1] * (double)cz[1] + w[2] * (double)cz[2];
    *t = (float)(along / sum);
    *u = (float)(w[1] / sum);
    *v = (float)(w[2] / sum);
    return *t >= ray->low && *t <= ray->high && isfinite(*t);
}

static bool ray_counts(const mr_ray *ray)
{
    const float *d = ray->direction;
    float greatest = fmaxf(fabsf(d[0]), fmaxf(fabsf(d[1]), fabsf(d[2])));
    return counts_as_number(ray->origin) && !isnan(d[0] + d[1] + d[2]) && greatest <= 0x1p64f &&
           greatest >= 0x1p-64f && ray->low <= ray->high;
}

static mr_hit slow_closest(const scene *s, const mr_ray *ray)
{
    mr_hit hit = { -1, 0, 0, MR_TREE_NONE, 0 };
    for (size_t i = 0; i < s->faces.count && ray_counts(ray); i++) {
        for (int32_t fan = 0; s->starts[i] >= 0 && fan + 2 < s->counts[i]; fan++) {
            size_t first = (size_t)s->starts[i];
            const float *p[3] = { corner(s, first), corner(s, first + (size_t)fan + 1),
                                  corner(s, first + (size_t)fan + 2) };
            float t, u, v;
            bool met = p[0] && p[1] && p[2] && slow_meets(ray, p, &t, &u, &v);
            if (met && (hit.primitive == MR_TREE_NONE || t < hit.t)) {
                hit = (mr_hit){ t, u, v, (uint32_t)i, (uint32_t)fan };
            }
        }
    }
    return hit;
}

#endif
