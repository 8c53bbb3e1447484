// kernel/contour_solve.c: the vertex of every slot, from its crossings.

#include "base/thread.h"
#include "kernel/contour_core.h"

#include <math.h>

enum { PLACEMENT };
enum { CELLS, CROSS_P, CROSS_W, CROSS_N, POS, DOMAIN_COUNT };
enum { LAMBDA = MR_CONTOUR_PARAM_COUNT };
enum { QEF, CENTROID };

typedef struct job {
    const mr_kernel_call *call;
    mr_contour_grid grid;
} job;

static void solve_slot(const job *j, size_t s, const size_t cell[3], float *vertex)
{
    const mr_kernel_slot *slots = j->call->slots;
    const bool qef = j->call->choices[PLACEMENT] == QEF;
    const float *point = slots[CROSS_P].f32 + s * 36, *normal = qef ? slots[CROSS_N].f32 + s * 36 : NULL;
    float points[12][3], normals[12][3];
    size_t count = 0;
    for (size_t e = 0; e < 12; e++) {
        if (slots[CROSS_W].f32[s * 12 + e] > 0.0f) {
            memcpy(points[count], point + 3 * e, sizeof points[0]);
            if (qef) {
                memcpy(normals[count], normal + 3 * e, sizeof normals[0]);
            }
            count++;
        }
    }
    if (count == 0) {
        mr_contour_centre(&j->grid, cell, vertex);
        return;
    }
    mr_contour_solve(&j->grid, cell, points, qef ? normals : NULL, count, (double)j->call->params[LAMBDA].f32,
                     vertex);
}

static bool solve(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_kernel_slot *slots = j->call->slots;
    const size_t cells = mr_contour_cells(&j->grid);
    (void)error;
    for (size_t s = begin; s < end; s++) {
        float *vertex = slots[POS].f32 + s * 3;
        uint32_t number = s < j->call->live ? slots[CELLS].u32[s] : UINT32_MAX;
        if (number >= cells) {
            memset(vertex, 0, 3 * sizeof *vertex);
            continue;
        }
        size_t cell[3];
        mr_contour_place(&j->grid, number, cell);
        solve_slot(j, s, cell, vertex);
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    job j = { .call = call };
    return mr_contour_grid_of(call, NULL, &j.grid, error) &&
           mr_parallel_for(call->context, call->n, 256, solve, &j, error);
}

const mr_kernel mr_kernel_contour_solve = {
    .name = "contour_solve",
    .summary =
        "Places the vertices of a contour: where the planes at their crossings meet, or at their mean.",
    .source = "Ju et al. 2002 (see kernel/contour_core.h)",
    .determinism = MR_EXACT,
    .gpu = "Exact where the device has f64: three by three sums and a Cholesky solve in a stated order.",
    .bindings = { { .name = "cells",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "The cell of each vertex. A number that is no cell's gives the origin." },
                  { .name = "cross_p",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .count = "n * 12",
                    .doc = "Twelve crossings a vertex." },
                  { .name = "cross_w",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = "n * 12",
                    .doc = "Above 0 where there is a crossing. A vertex with none stands at its cell's "
                           "centre." },
                  { .name = "cross_n",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .count = "n * 12",
                    .when = "PLACEMENT=qef",
                    .doc = "The surface's unit normal at each. One that is zero or NaN adds no plane." },
                  { .name = "pos",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .live = true,
                    .doc = "Where each vertex stands; past the count the origin." },
                  { .name = "domain_count",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "1",
                    .doc = "How many vertices there are. Bound by the domain." } },
    .params = { MR_CONTOUR_PARAMS,
                { .name = "lambda",
                  .type = MR_F32,
                  .value = 0.02,
                  .low = 0,
                  .high = 1e6,
                  .doc = "How hard each crossing pulls the vertex to their mean, against its plane's 1. 0: "
                         "not at "
                         "all, and directions that no plane holds stay at the mean." } },
    .specializations = { { .name = "PLACEMENT",
                           .options = "qef centroid",
                           .doc = "qef: nearest to the planes, inside the cell. centroid: the mean." } },
    .run = run,
};
