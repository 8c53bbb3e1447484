// kernel/winding.c: winding numbers by the sum over all triangles.

#include "kernel/winding.h"

#include "base/isa.h"
#include "base/memory.h"
#include "base/thread.h"
#include "kernel/tree_triangle.h"
#include "num/exact.h"

#include <string.h>

MR_ISA_TABLES(mr_winding_kernels, mr_winding_kernels);

enum { LANES = MR_WINDING_LANES, CORNERS = 9, SLAB = 4096 };
#define WHOLE 0x1.8p32 // x + this - this is x to the nearest 2^-20

typedef struct job {
    mr_context *context;
    const mr_winding_kernels *kernels;
    const mr_winding_points *points;
    const float *triangles;
    size_t triangle_count;
} job;

// The half angles come to turns and a rest, each whole turn of theirs to a winding of 1.
static float number_of(double turns, double real, double imaginary)
{
    double rest = mr_f64_atan2(imaginary + 0.0, real) * 0.15915494309189535;
    double sum = turns + rest;
    return (float)((sum + WHOLE) - WHOLE) + 0.0f;
}

static bool point_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_winding_points *p = j->points;
    for (size_t group = begin; group < end; group++) {
        mr_winding_lanes lanes = { 0 };
        size_t first = group * LANES, count = p->count - first < LANES ? p->count - first : LANES;
        bool counts[LANES] = { 0 };
        for (size_t i = 0; i < LANES; i++) {
            const float *at = p->origins + (first + (i < count ? i : 0)) * p->stride;
            counts[i] = mr_tree_point_counts(at);
            lanes.x[i] = counts[i] ? (double)at[0] : 0.0;
            lanes.y[i] = counts[i] ? (double)at[1] : 0.0;
            lanes.z[i] = counts[i] ? (double)at[2] : 0.0;
            lanes.real[i] = 1.0;
        }
        for (size_t k = 0; k < j->triangle_count; k += SLAB) {
            size_t left = j->triangle_count - k;
            j->kernels->add(&lanes, j->triangles + CORNERS * k, left < SLAB ? left : SLAB);
            if (!mr_keep_going(j->context, error)) {
                return false;
            }
        }
        for (size_t i = 0; i < count; i++) {
            p->numbers[(first + i) * p->step] =
                counts[i] ? number_of(lanes.turns[i], lanes.real[i], lanes.imaginary[i]) : 0.0f;
        }
    }
    return true;
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
    bool good = mr_parallel_for(context, (points->count + LANES - 1) / LANES, 1, point_run, &j, error);
    mr_buffer_release(context, triangles);
    return good;
}
