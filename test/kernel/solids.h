// test/kernel/solids.h: closed meshes, and what must hold of one.

#ifndef MARRAM_TEST_SOLIDS_H
#define MARRAM_TEST_SOLIDS_H

#include "support.h"

#include "kernel/intersect_core.h"

#include <math.h>

typedef struct solid {
    float *points;
    uint32_t *triangles;
    size_t point_count, triangle_count;
} solid;

static solid solid_new(size_t points, size_t triangles)
{
    return (solid){ malloc((3 * points + 1) * sizeof(float)), malloc((3 * triangles + 1) * sizeof(uint32_t)),
                    points, triangles };
}

static solid solid_copy(const solid *s)
{
    solid c = solid_new(s->point_count, s->triangle_count);
    memcpy(c.points, s->points, 3 * s->point_count * sizeof(float));
    memcpy(c.triangles, s->triangles, 3 * s->triangle_count * sizeof(uint32_t));
    return c;
}

static void solid_free(solid *s)
{
    free(s->points);
    free(s->triangles);
    *s = (solid){ 0 };
}

static mr_triangles solid_view(const solid *s)
{
    return (mr_triangles){ s->points, s->triangles, s->point_count, s->triangle_count };
}

static solid solid_box(double x0, double y0, double z0, double x1, double y1, double z1)
{
    static const uint32_t faces[12][3] = { { 0, 2, 3 }, { 0, 3, 1 }, { 4, 5, 7 }, { 4, 7, 6 },
                                           { 0, 1, 5 }, { 0, 5, 4 }, { 2, 6, 7 }, { 2, 7, 3 },
                                           { 0, 4, 6 }, { 0, 6, 2 }, { 1, 3, 7 }, { 1, 7, 5 } };
    solid s = solid_new(8, 12);
    for (int i = 0; i < 8; i++) {
        s.points[3 * i] = (float)(i & 1 ? x1 : x0);
        s.points[3 * i + 1] = (float)(i & 2 ? y1 : y0);
        s.points[3 * i + 2] = (float)(i & 4 ? z1 : z0);
    }
    memcpy(s.triangles, faces, sizeof faces);
    return s;
}

// A grid of `rows` x `columns` points, closed around its columns, and around its rows or by a pole at either end.
static solid solid_lathe(uint32_t rows, uint32_t columns, bool ring, const double *profile)
{
    size_t points = (size_t)rows * columns + (ring ? 0 : 2);
    solid s = solid_new(points, 2 * (size_t)columns * (ring ? rows : rows));
    size_t t = 0;
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t k = 0; k < columns; k++) {
            double angle = 2 * 3.14159265358979323846 * k / columns;
            float *p = s.points + 3 * ((size_t)i * columns + k);
            p[0] = (float)(profile[2 * i] * cos(angle));
            p[1] = (float)(profile[2 * i] * sin(angle));
            p[2] = (float)profile[2 * i + 1];
            uint32_t a = i * columns + k, b = i * columns + (k + 1) % columns;
            uint32_t c = (i + 1) % rows * columns + k, d = (i + 1) % rows * columns + (k + 1) % columns;
            if (ring || i + 1 < rows) {
                uint32_t two[6] = { a, b, d, a, d, c };
                memcpy(s.triangles + 3 * t, two, sizeof two);
                t += 2;
            }
        }
    }
    uint32_t low = rows * columns, high = low + 1;
    for (uint32_t k = 0; !ring && k < columns; k++) {
        uint32_t two[6] = { low,  (k + 1) % columns,        k,
                            high, (rows - 1) * columns + k, (rows - 1) * columns + (k + 1) % columns };
        memcpy(s.triangles + 3 * t, two, sizeof two);
        t += 2;
    }
    s.triangle_count = t;
    return s;
}

// Profiles go up along z outside, so that faces look outward.
static solid solid_sphere(double radius, uint32_t rows, uint32_t columns)
{
    double *profile = malloc(2 * rows * sizeof *profile);
    for (uint32_t i = 0; i < rows; i++) {
        double angle = 3.14159265358979323846 * ((double)(i + 1) / (rows + 1) - 0.5);
        profile[2 * i] = radius * cos(angle);
        profile[2 * i + 1] = radius * sin(angle);
    }
    solid s = solid_lathe(rows, columns, false, profile);
    float *pole = s.points + 3 * (size_t)rows * columns;
    pole[0] = pole[1] = pole[3] = pole[4] = 0;
    pole[2] = (float)-radius;
    pole[5] = (float)radius;
    free(profile);
    return s;
}

static solid solid_cylinder(double radius, double height, uint32_t columns)
{
    double profile[4] = { radius, 0, radius, height };
    solid s = solid_lathe(2, columns, false, profile);
    float *pole = s.points + 6 * (size_t)columns;
    pole[0] = pole[1] = pole[2] = pole[3] = pole[4] = 0;
    pole[5] = (float)height;
    return s;
}

static solid solid_torus(double radius, double tube, uint32_t rows, uint32_t columns)
{
    double *profile = malloc(2 * rows * sizeof *profile);
    for (uint32_t i = 0; i < rows; i++) {
        double angle = 2 * 3.14159265358979323846 * i / rows;
        profile[2 * i] = radius + tube * cos(angle);
        profile[2 * i + 1] = tube * sin(angle);
    }
    solid s = solid_lathe(rows, columns, true, profile);
    free(profile);
    return s;
}

static void solid_move(solid *s, double x, double y, double z)
{
    for (size_t i = 0; i < s->point_count; i++) {
        s->points[3 * i] = (float)((double)s->points[3 * i] + x);
        s->points[3 * i + 1] = (float)((double)s->points[3 * i + 1] + y);
        s->points[3 * i + 2] = (float)((double)s->points[3 * i + 2] + z);
    }
}

// About the axis, by an angle.
static void solid_turn(solid *s, int axis, double angle)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (size_t i = 0; i < s->point_count; i++) {
        float *p = s->points + 3 * i;
        double x = (double)p[u], y = (double)p[v];
        p[u] = (float)(x * cos(angle) - y * sin(angle));
        p[v] = (float)(x * sin(angle) + y * cos(angle));
    }
}

static void solid_turn_over(solid *s)
{
    for (size_t t = 0; t < s->triangle_count; t++) {
        uint32_t swap = s->triangles[3 * t + 1];
        s->triangles[3 * t + 1] = s->triangles[3 * t + 2];
        s->triangles[3 * t + 2] = swap;
    }
}

static double solid_volume(const solid *s)
{
    double volume = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        double p[3][3];
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                p[i][k] = (double)s->points[3 * (size_t)s->triangles[3 * t + (size_t)i] + (size_t)k] -
                          (double)s->points[k];
            }
        }
        volume += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                  p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                  p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return volume / 6;
}

static double solid_triangle_area(const solid *s, size_t t)
{
    double e[2][3], square = 0;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            e[i][k] = (double)s->points[3 * (size_t)s->triangles[3 * t + (size_t)i + 1] + (size_t)k] -
                      (double)s->points[3 * (size_t)s->triangles[3 * t] + (size_t)k];
        }
    }
    for (int k = 0; k < 3; k++) {
        double n = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
        square += n * n;
    }
    return sqrt(square) / 2;
}

static double solid_area(const solid *s)
{
    double area = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        area += solid_triangle_area(s, t);
    }
    return area;
}

static int solid_by_edge(const void *a, const void *b)
{
    const uint64_t *p = a, *q = b;
    return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : p[1] < q[1] ? -1 : 1;
}

// NULL, or what is wrong: every directed edge there once and its reverse once, one fan of triangles at every point.
static const char *solid_fault(const solid *s)
{
    size_t edges = 3 * s->triangle_count;
    uint64_t *sorted = malloc((2 * edges + 1) * sizeof *sorted); // (from, to), half-edge
    const char *fault = NULL;
    for (size_t h = 0; h < edges; h++) {
        uint32_t from = s->triangles[h], to = s->triangles[h % 3 == 2 ? h - 2 : h + 1];
        fault = from >= s->point_count ? "a point out of range"
                : from == to           ? "a triangle with a point twice"
                                       : fault;
        sorted[2 * h] = (uint64_t)from << 32 | to;
        sorted[2 * h + 1] = h;
    }
    qsort(sorted, edges, 2 * sizeof *sorted, solid_by_edge);
    uint32_t *twin = malloc((edges + 1) * sizeof *twin);
    for (size_t i = 0; i < edges && !fault; i++) {
        uint64_t back[2] = { sorted[2 * i] << 32 | sorted[2 * i] >> 32, 0 };
        size_t low = 0, high = edges;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (sorted[2 * middle] < back[0]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        fault = i > 0 && sorted[2 * i] == sorted[2 * i - 2]  ? "an edge that two triangles go along one way"
                : low == edges || sorted[2 * low] != back[0] ? "an edge with one side"
                                                             : fault;
        if (!fault) {
            twin[sorted[2 * i + 1]] = (uint32_t)sorted[2 * low + 1];
        }
    }
    uint32_t *seen = calloc(s->point_count + 1, sizeof *seen), *fan = calloc(s->point_count + 1, sizeof *fan);
    for (size_t h = 0; h < edges && !fault; h++) {
        seen[s->triangles[h]]++;
    }
    for (size_t h = 0; h < edges && !fault; h++) {
        uint32_t p = s->triangles[h], n = 0, g = (uint32_t)h;
        if (!fan[p]) {
            do {
                n++;
                g = twin[g % 3 == 0 ? g + 2 : g - 1];
            } while (g != h);
            fan[p] = n;
            fault = n != seen[p] ? "a point with two fans" : NULL;
        }
    }
    for (size_t p = 0; p < s->point_count && !fault; p++) {
        fault = seen[p] ? NULL : "a point of no triangle";
    }
    free(sorted);
    free(twin);
    free(seen);
    free(fan);
    return fault;
}

#endif
