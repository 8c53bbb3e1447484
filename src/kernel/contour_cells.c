// kernel/contour_cells.c: which cells of a grid of samples own vertices of the surface.

#include "base/thread.h"
#include "kernel/contour_core.h"

#include <math.h>

enum { TOPOLOGY };
enum { VALS, FLAG };

typedef struct job {
    mr_contour_grid grid;
    const mr_contour_table *table; // NULL: one vertex a cell
    uint32_t *flag;
} job;

// Of one row of cells: whether some of the eight corners is inside and some is not.
static void straddling_row(const mr_contour_grid *grid, size_t y, size_t z, uint32_t *restrict flag)
{
    const float *restrict a = grid->values + mr_contour_sample(grid, 0, y, z);
    const float *restrict b = a + grid->sx, *restrict c = a + grid->sx * grid->sy, *restrict d = c + grid->sx;
    for (size_t x = 0; x < grid->nx; x++) {
        int inside = (a[x] < 0) + (a[x + 1] < 0) + (b[x] < 0) + (b[x + 1] < 0) + (c[x] < 0) + (c[x + 1] < 0) +
                     (d[x] < 0) + (d[x + 1] < 0);
        flag[x] = inside > 0 && inside < 8;
    }
}

static bool flag_rows(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_contour_grid *grid = &j->grid;
    (void)error;
    for (size_t row = begin; row < end; row++) {
        size_t y = row % grid->ny, z = row / grid->ny;
        uint32_t *flag = j->flag + row * grid->nx;
        straddling_row(grid, y, z, flag);
        for (size_t x = 0; x < grid->nx && j->table; x++) {
            flag[x] = flag[x] ? mr_contour_cell_at(j->table, grid, x, y, z).count : 0;
        }
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    job j = { .flag = call->slots[FLAG].u32 };
    mr_contour_table table;
    if (!mr_contour_grid_of(call, call->slots[VALS].f32, &j.grid, error)) {
        return false;
    }
    if (mr_contour_cells(&j.grid) != call->n) {
        return mr_kernel_refuse(error, call->kernel, NULL, "the grid has %zu cells; the domain is %zu",
                                mr_contour_cells(&j.grid), call->n);
    }
    if (call->choices[TOPOLOGY] == MR_CONTOUR_MANIFOLD) {
        mr_contour_table_make(&table);
        j.table = &table;
    }
    return mr_parallel_for(call->context, j.grid.ny * j.grid.nz, 16, flag_rows, &j, error);
}

const mr_kernel mr_kernel_contour_cells = {
    .name = "contour_cells",
    .summary =
        "Which cells of a grid of samples the surface passes through, and how many vertices each owns.",
    .source = "Ju et al. 2002; Nielson 2004; Wenger 2013 (see kernel/contour_core.h)",
    .determinism = MR_EXACT,
    .gpu = "Exact: a cell is counted from signs alone.",
    .bindings = { { .name = "vals",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = MR_CONTOUR_SAMPLES,
                    .doc = "The distance at every sample, below 0 inside. 0 and NaN are outside." },
                  { .name = "flag",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .doc =
                        "single: 1 where corners lie on both sides, else 0. manifold: how many vertices the "
                        "cell owns, 0 to 4; a scan of it numbers them and expand lists them." } },
    .params = { MR_CONTOUR_PARAMS },
    .specializations = { { .name = "TOPOLOGY",
                           .options = MR_CONTOUR_TOPOLOGIES,
                           .doc =
                               "manifold: a vertex for each sheet of the surface in a cell, and none where "
                               "no quad would meet at it." } },
    .run = run,
};
