// kernel/contour_crossings.c: where the surface crosses the edges of the cells that own vertices.

#include "base/thread.h"
#include "kernel/contour_core.h"

#include <math.h>

enum { TOPOLOGY };
enum { VALS, CELLS, SHEET, CROSS_P, CROSS_W, DOMAIN_COUNT };

typedef struct job {
    const mr_kernel_call *call;
    mr_contour_grid grid;
    const mr_contour_table *table; // NULL: one vertex a cell
} job;

// The edges whose crossings place vertex `slot`; 0 where there is no such vertex.
static unsigned edges_of(const job *j, size_t slot, const size_t cell[3])
{
    if (!j->table) {
        return mr_contour_crossed(mr_contour_corners(&j->grid, cell[0], cell[1], cell[2]));
    }
    mr_contour_cell owns = mr_contour_cell_at(j->table, &j->grid, cell[0], cell[1], cell[2]);
    uint32_t sheet = j->call->slots[SHEET].u32[slot];
    return sheet < owns.count ? owns.placed[sheet] : 0;
}

static bool cross(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_kernel_slot *slots = j->call->slots;
    const size_t cells = mr_contour_cells(&j->grid);
    (void)error;
    for (size_t s = begin; s < end; s++) {
        float(*point)[3] = (float(*)[3])slots[CROSS_P].f32 + s * 12;
        float *weight = slots[CROSS_W].f32 + s * 12;
        uint32_t number = s < j->call->live ? slots[CELLS].u32[s] : UINT32_MAX;
        if (number >= cells) {
            memset(point, 0, 12 * sizeof *point);
            memset(weight, 0, 12 * sizeof *weight);
            continue;
        }
        size_t cell[3];
        mr_contour_place(&j->grid, number, cell);
        unsigned edges = edges_of(j, s, cell);
        for (unsigned e = 0; e < 12; e++) {
            weight[e] = edges >> e & 1 ? 1.0f : 0.0f;
            if (edges >> e & 1) {
                mr_contour_crossing(&j->grid, cell, e, point[e]);
            } else {
                mr_contour_centre(&j->grid, cell, point[e]);
            }
        }
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    job j = { .call = call };
    mr_contour_table table;
    if (!mr_contour_grid_of(call, call->slots[VALS].f32, &j.grid, error)) {
        return false;
    }
    if (call->choices[TOPOLOGY] == MR_CONTOUR_MANIFOLD) {
        mr_contour_table_make(&table);
        j.table = &table;
    }
    return mr_parallel_for(call->context, call->n, 256, cross, &j, error);
}

const mr_kernel mr_kernel_contour_crossings = {
    .name = "contour_crossings",
    .summary = "Where the surface crosses the twelve edges of every cell that owns a vertex.",
    .source = "Ju et al. 2002; Nielson 2004 (see kernel/contour_core.h)",
    .determinism = MR_EXACT,
    .gpu = "Exact where the device has f64: a crossing is one division, and each lane of a point is rounded "
           "once.",
    .bindings = { { .name = "vals",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = MR_CONTOUR_SAMPLES,
                    .doc = "The distance at every sample." },
                  { .name = "cells",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc =
                        "The cell of each vertex. A number that is no cell's is a slot that holds nothing." },
                  { .name = "sheet",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "TOPOLOGY=manifold",
                    .doc = "Which of its cell's vertices each one is (the local index that expand gives)." },
                  { .name = "cross_p",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .count = "n * 12",
                    .doc =
                        "The crossing of edge e of vertex s at 12 s + e, or the cell's centre where there is "
                        "none; past the count the origin." },
                  { .name = "cross_w",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .count = "n * 12",
                    .doc = "1 where the edge crosses (manifold: in the vertex's own sheet), else 0." },
                  { .name = "domain_count",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "1",
                    .doc = "How many vertices there are. Bound by the domain." } },
    .params = { MR_CONTOUR_PARAMS },
    .specializations = { { .name = "TOPOLOGY",
                           .options = MR_CONTOUR_TOPOLOGIES,
                           .doc = "manifold: a vertex a sheet; the slots are vertices, not cells." } },
    .run = run,
};
