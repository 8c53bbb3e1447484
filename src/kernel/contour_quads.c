// kernel/contour_quads.c: a quad about every edge of the grid that the surface crosses.

#include "base/thread.h"
#include "kernel/contour_core.h"

#include <math.h>

enum { TOPOLOGY };
enum { VALS, VERTEX_OF, QUAD_FLAG, QUAD_V };

typedef struct job {
    mr_contour_grid grid;
    const mr_contour_table *table; // NULL: one vertex a cell
    const int32_t *vertex_of;
    uint32_t *flag;
    int32_t (*quad)[4];
} job;

// The vertex of a cell in the quad of its edge, or -1.
static int32_t vertex_at(const job *j, const size_t cell[3], unsigned edge)
{
    const mr_contour_grid *grid = &j->grid;
    int32_t first = j->vertex_of[(cell[2] * grid->ny + cell[1]) * grid->nx + cell[0]];
    if (!j->table || first < 0) {
        return first;
    }
    mr_contour_cell owns = mr_contour_cell_at(j->table, grid, cell[0], cell[1], cell[2]);
    for (int32_t v = 0; v < owns.count; v++) {
        if (owns.quads[v] >> edge & 1) {
            return (int32_t)((uint32_t)first + (uint32_t)v);
        }
    }
    return -1;
}

// Whether the edge is crossed with four cells around it.
static bool owns_quad(const mr_contour_grid *grid, const size_t at[3], unsigned axis, bool *low_inside)
{
    const size_t cells[3] = { grid->nx, grid->ny, grid->nz }, steps[3] = { 1, grid->sx, grid->sx * grid->sy };
    size_t u = at[(axis + 1) % 3], w = at[(axis + 2) % 3];
    if (at[axis] >= cells[axis] || u == 0 || u >= cells[(axis + 1) % 3] || w == 0 ||
        w >= cells[(axis + 2) % 3]) {
        return false;
    }
    const float *value = grid->values + mr_contour_sample(grid, at[0], at[1], at[2]);
    *low_inside = mr_contour_inside(value[0]);
    return *low_inside != mr_contour_inside(value[steps[axis]]);
}

static bool quad_at(const job *j, const size_t at[3], unsigned axis, int32_t quad[4])
{
    const mr_contour_around *around = &mr_contour_arounds[axis];
    bool low_inside;
    if (!owns_quad(&j->grid, at, axis, &low_inside)) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        size_t cell[3] = { at[0], at[1], at[2] };
        cell[(axis + 1) % 3] -= around->back[i] & 1;
        cell[(axis + 2) % 3] -= around->back[i] >> 1;
        // From the first cell the other way round where the solid is ahead.
        quad[low_inside ? i : (4 - i) % 4] = vertex_at(j, cell, around->edge[i]);
    }
    return quad[0] >= 0 && quad[1] >= 0 && quad[2] >= 0 && quad[3] >= 0;
}

static bool make_rows(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_contour_grid *grid = &j->grid;
    (void)error;
    for (size_t row = begin; row < end; row++) {
        for (size_t x = 0; x < grid->sx; x++) {
            size_t at[3] = { x, row % grid->sy, row / grid->sy };
            for (unsigned axis = 0; axis < 3; axis++) {
                size_t e = 3 * (row * grid->sx + x) + axis;
                j->flag[e] = quad_at(j, at, axis, j->quad[e]);
                if (!j->flag[e]) {
                    memset(j->quad[e], 0xff, sizeof j->quad[e]);
                }
            }
        }
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    job j = { .vertex_of = call->slots[VERTEX_OF].i32,
              .flag = call->slots[QUAD_FLAG].u32,
              .quad = (int32_t(*)[4])call->slots[QUAD_V].i32 };
    mr_contour_table table;
    if (!mr_contour_grid_of(call, call->slots[VALS].f32, &j.grid, error)) {
        return false;
    }
    size_t edges = 3 * j.grid.sx * j.grid.sy * (j.grid.nz + 1);
    if (edges != call->n) {
        return mr_kernel_refuse(error, call->kernel, NULL, "the samples have %zu edges; the domain is %zu",
                                edges, call->n);
    }
    if (call->choices[TOPOLOGY] == MR_CONTOUR_MANIFOLD) {
        mr_contour_table_make(&table);
        j.table = &table;
    }
    return mr_parallel_for(call->context, j.grid.sy * (j.grid.nz + 1), 16, make_rows, &j, error);
}

const mr_kernel mr_kernel_contour_quads = {
    .name = "contour_quads",
    .summary =
        "A quad for every edge of the grid that the surface crosses, between the four cells around it.",
    .source = "Ju et al. 2002; Wenger 2013 (see kernel/contour_core.h)",
    .determinism = MR_EXACT,
    .gpu = "Exact: whole numbers alone.",
    .bindings = { { .name = "vals",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = MR_CONTOUR_SAMPLES,
                    .doc = "The distance at every sample." },
                  { .name = "vertex_of",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "nx * ny * nz",
                    .doc = "single: the vertex each cell owns. manifold: the first of them. Below 0: none." },
                  { .name = "quad_flag",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .doc = "1 where an edge owns a quad: it crosses, and four cells with vertices stand "
                           "around it. "
                           "Edge e runs from sample e / 3 along axis e % 3." },
                  { .name = "quad_v",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .lanes = 4,
                    .doc = "The quad's vertices, counterclockwise seen from outside; -1 where there is "
                           "none." } },
    .params = { MR_CONTOUR_PARAMS },
    .specializations = { { .name = "TOPOLOGY",
                           .options = MR_CONTOUR_TOPOLOGIES,
                           .doc = "manifold: a cell gives the vertex of the edge's own sheet." } },
    .run = run,
};
