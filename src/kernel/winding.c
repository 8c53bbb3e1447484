// kernel/winding.c: winding numbers, by the sum over all triangles or by what a ray crosses.

#include "kernel/winding.h"

#include "base/isa.h"
#include "base/memory.h"
#include "base/thread.h"
#include "kernel/tree_triangle.h"
#include "num/exact.h"

#include <string.h>

MR_ISA_TABLES(mr_winding_kernels, mr_winding_kernels);

enum { LANES = MR_WINDING_LANES, CORNERS = 9, EDGE_WORDS = 6, SLAB = 4096 };
#define WHOLE 0x1.8p32 // x + this - this is x to the nearest 2^-20

typedef struct job {
    mr_context *context;
    const mr_winding_kernels *kernels;
    const mr_winding_points *points;
    const float *triangles;
    size_t triangle_count;
    const mr_tree *tree; // NULL: all triangles are summed
    const float *edges;  // the boundary's
    size_t edge_count;
} job;

// The strips go this way and the rays the other. Any direction does; along this one little is built.
static const float strips_along[3] = { 0.6031f, 0.3517f, 0.7159f };

// Eight points, or fewer with one of them in the lanes that are left.
typedef struct group {
    mr_winding_lanes lanes;
    size_t first, count;
    bool counts[LANES];
} group;

static void begin_group(const job *j, size_t number, group *g)
{
    const mr_winding_points *p = j->points;
    *g = (group){ .first = number * LANES };
    g->count = p->count - g->first < LANES ? p->count - g->first : LANES;
    for (size_t i = 0; i < LANES; i++) {
        const float *at = p->origins + (g->first + (i < g->count ? i : 0)) * p->stride;
        g->counts[i] = mr_tree_point_counts(at);
        g->lanes.x[i] = g->counts[i] ? (double)at[0] : 0.0;
        g->lanes.y[i] = g->counts[i] ? (double)at[1] : 0.0;
        g->lanes.z[i] = g->counts[i] ? (double)at[2] : 0.0;
        g->lanes.real[i] = 1.0;
    }
}

// Half angles come to turns and a rest, each whole turn of theirs to a winding of 1. To the nearest 2^-20.
static float number_of(const group *g, size_t i, double before)
{
    double rest = mr_f64_atan2(g->lanes.imaginary[i] + 0.0, g->lanes.real[i]) * 0.15915494309189535;
    double sum = before + (g->lanes.turns[i] + rest);
    return g->counts[i] ? (float)((sum + WHOLE) - WHOLE) + 0.0f : 0.0f;
}

static float *answer_of(const job *j, const group *g, size_t i)
{
    return j->points->numbers + (g->first + i) * j->points->step;
}

static bool sum_all(const job *j, group *g, mr_error *error)
{
    for (size_t k = 0; k < j->triangle_count; k += SLAB) {
        size_t left = j->triangle_count - k;
        j->kernels->add(&g->lanes, j->triangles + CORNERS * k, left < SLAB ? left : SLAB);
        if (!mr_keep_going(j->context, error)) {
            return false;
        }
    }
    return true;
}

// How far from a point's neighbourhood rounding reaches: four times what the tree's boxes are widened by.
static double reach_of_rounding(const mr_box *bounds, const float *at)
{
    double reach = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double o = (double)at[axis], size = __builtin_fabs(o);
        double low = __builtin_fabs((double)bounds->low[axis] - o);
        double high = __builtin_fabs((double)bounds->high[axis] - o);
        double most = (low > high ? low : high) + size;
        reach = most > reach ? most : reach;
    }
    return reach * 0x1p-18 + 0x1p-100;
}

// The crossings of a group's rays, and the strips in its lanes; a lane in doubt is marked.
static void cross_all(const job *j, group *g, int32_t crossings[LANES])
{
    mr_box bounds = mr_tree_bounds(j->tree);
    for (size_t i = 0; i < g->count; i++) {
        const float *at = j->points->origins + (g->first + i) * j->points->stride;
        mr_ray ray = { .origin = { at[0], at[1], at[2] },
                       .direction = { -strips_along[0], -strips_along[1], -strips_along[2] } };
        bool near;
        g->lanes.close[i] = g->counts[i] ? reach_of_rounding(&bounds, at) : 0.0;
        crossings[i] = mr_tree_crossings(j->tree, &ray, (float)(2.0 * g->lanes.close[i]), &near);
        g->lanes.doubt[i] = near;
    }
    const double d[3] = { (double)strips_along[0], (double)strips_along[1], (double)strips_along[2] };
    double length = __builtin_sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
    const double unit[3] = { d[0] / length, d[1] / length, d[2] / length };
    j->kernels->sweep(&g->lanes, j->edges, j->edge_count, unit);
}

// Sums the group's numbers over all triangles; of a group that was crossed, those in doubt.
static bool sum_group(const job *j, size_t number, const double *doubt, mr_error *error)
{
    group g;
    begin_group(j, number, &g);
    if (!sum_all(j, &g, error)) {
        return false;
    }
    for (size_t i = 0; i < g.count; i++) {
        if (!doubt || doubt[i] > 0.0) {
            *answer_of(j, &g, i) = number_of(&g, i, 0.0);
        }
    }
    return true;
}

static bool cross_group(const job *j, size_t number, mr_error *error)
{
    group g;
    int32_t crossings[LANES];
    bool doubt = false;
    begin_group(j, number, &g);
    cross_all(j, &g, crossings);
    for (size_t i = 0; i < g.count; i++) {
        *answer_of(j, &g, i) = number_of(&g, i, (double)crossings[i]);
        doubt |= g.counts[i] && g.lanes.doubt[i] > 0.0;
    }
    return doubt ? sum_group(j, number, g.lanes.doubt, error) : mr_keep_going(j->context, error);
}

static bool point_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t number = begin; number < end; number++) {
        if (j->tree ? !cross_group(j, number, error) : !sum_group(j, number, NULL, error)) {
            return false;
        }
    }
    return mr_keep_going(j->context, error);
}

// A fan's triangle; false: it takes no part.
static bool corners_of(const mr_faces *faces, mr_face_run run, size_t fan, float out[CORNERS])
{
    const size_t vertices[3] = { run.first, run.first + fan + 1, run.first + fan + 2 };
    for (int corner = 0; corner < 3; corner++) {
        const float *point = mr_face_vertex(faces, vertices[corner]);
        if (!point || !mr_tree_point_counts(point)) {
            return false;
        }
        memcpy(out + 3 * corner, point, 3 * sizeof *point);
    }
    return true;
}

static size_t triangles_at_most(const mr_faces *faces)
{
    size_t count = 0;
    for (size_t i = 0; i < faces->count; i++) {
        size_t vertices = mr_face_run_of(faces, i).count;
        count += vertices > 2 ? vertices - 2 : 0;
    }
    return count;
}

static size_t gather(const mr_faces *faces, float *triangles)
{
    size_t count = 0;
    for (size_t i = 0; i < faces->count; i++) {
        mr_face_run run = mr_face_run_of(faces, i);
        for (size_t fan = 0; fan + 2 < run.count; fan++) {
            count += corners_of(faces, run, fan, triangles + CORNERS * count);
        }
    }
    return count;
}

static bool work(job *j, mr_error *error)
{
    size_t groups = (j->points->count + LANES - 1) / LANES;
    return mr_parallel_for(j->context, groups, 1, point_run, j, error);
}

// By crossings, where the boundary is short enough.
static bool work_through_tree(job *j, const mr_faces *faces, mr_error *error)
{
    float *edges = NULL;
    size_t most = j->triangle_count / 8;
    if (!mr_winding_boundary(j->context, j->triangles, j->triangle_count, most, &edges, &j->edge_count,
                             error)) {
        return false;
    }
    if (j->edge_count > most) {
        return work(j, error);
    }
    mr_tree *tree = mr_tree_over_faces(j->context, faces, MR_TREE_MORTON, error);
    j->tree = tree;
    j->edges = edges;
    bool good = tree && work(j, error);
    mr_tree_destroy(tree);
    if (edges) {
        mr_buffer_release(j->context, edges);
    }
    return good;
}

bool mr_winding_numbers(mr_context *context, const mr_faces *faces, const mr_winding_points *points,
                        mr_error *error)
{
    size_t size, most = triangles_at_most(faces);
    if (!mr_size_multiply(most + 1, CORNERS * sizeof(float), &size)) {
        return mr_fail(error, MR_LIMIT, "%zu triangles do not fit", most);
    }
    float *triangles = mr_buffer_take(context, size, error);
    if (!triangles) {
        return false;
    }
    job j = { .context = context,
              .kernels = MR_ISA_PICK(mr_winding_kernels, mr_context_isa(context)),
              .points = points,
              .triangles = triangles,
              .triangle_count = gather(faces, triangles) };
    bool many = points->count >= MR_WINDING_MANY && points->count >= MR_WINDING_LONG / (j.triangle_count + 1);
    bool good = many ? work_through_tree(&j, faces, error) : work(&j, error);
    mr_buffer_release(context, triangles);
    return good;
}
