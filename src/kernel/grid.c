// kernel/grid.c: reads and writes a field of cells, a grid or the tiles of a raster.

#include "base/thread.h"
#include "kernel/blend.h"
#include "kernel/kernel.h"
#include "kernel/tile_layout.h"
#include "num/exact.h"

#include <math.h>

enum { MODE, SAMPLING, STENCIL, BLEND };
enum { SAMPLE, WRITE, MEASURE };
enum { NEAREST, TRILINEAR };
enum { OFFSET, SLOPE, CURVATURE, GRADIENT };
enum { MULTIPLY = MR_BLEND_MIN + 1 };
enum { FIELD, AUX, WEIGHT, OUT };
enum {
    NX,
    NY,
    NZ,
    TX,
    TZ,
    APRON,
    LANES,
    LANE,
    OUT_LANES,
    OX,
    OY,
    OZ,
    CELL,
    WX,
    WY,
    WZ,
    PX,
    PY,
    PZ,
    DX,
    DY,
    DZ,
    STEP,
    HAS_WEIGHT
};

typedef struct job {
    const mr_kernel_call *call;
    mr_tile_layout layout;
    size_t lane, out_lanes;
    int64_t window[3]; // the patch's first cell
    size_t patch[3];   // and how many cells it has
    int64_t offset[3];
    size_t step;
    double origin[3], cell;
    bool weighted;
} job;

// Sampling.

// Along one axis: the cell at or before the place, and how far past it, 0 at the last cell and where there is one.
static float place_along(const job *j, int axis, float position, size_t *cell)
{
    double place = ((double)position - j->origin[axis]) / j->cell, last = (double)(j->layout.cells[axis] - 1);
    place = place > 0 ? place : 0; // NaN too
    place = place < last ? place : last;
    if (j->call->choices[SAMPLING] == NEAREST) {
        *cell = (size_t)__builtin_floor(place + 0.5);
        return 0;
    }
    *cell = (size_t)place;
    return (float)(place - (double)*cell);
}

// The first cell alone where nothing of the second is asked for.
static float between(float a, float b, float part)
{
    return part > 0.0f ? a + (b - a) * part : a;
}

static void sample_one(const job *j, const float *position, float *out)
{
    const float *field = j->call->slots[FIELD].f32 + j->lane;
    size_t cell[3], corner[8];
    float part[3];
    for (int a = 0; a < 3; a++) {
        part[a] = place_along(j, a, position[a], &cell[a]);
    }
    for (size_t k = 0; k < 8; k++) {
        size_t at[3] = { cell[0] + ((k & 1) && part[0] > 0), cell[1] + ((k >> 1 & 1) && part[1] > 0),
                         cell[2] + ((k >> 2) && part[2] > 0) };
        // A part rounded up to 1 may stand at the last cell.
        for (int a = 0; a < 3; a++) {
            at[a] = at[a] < j->layout.cells[a] ? at[a] : j->layout.cells[a] - 1;
        }
        corner[k] = mr_tile_owner_index(&j->layout, at) * j->layout.lanes;
    }
    for (size_t l = 0; l < j->out_lanes; l++) {
        float along_x[4], along_y[2];
        for (size_t k = 0; k < 4; k++) {
            along_x[k] = between(field[corner[2 * k] + l], field[corner[2 * k + 1] + l], part[0]);
        }
        for (size_t k = 0; k < 2; k++) {
            along_y[k] = between(along_x[2 * k], along_x[2 * k + 1], part[1]);
        }
        out[l] = between(along_y[0], along_y[1], part[2]);
    }
}

static bool sample(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_kernel_slot *slots = j->call->slots;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        sample_one(j, slots[AUX].f32 + 3 * i, slots[OUT].f32 + i * j->out_lanes);
    }
    return true;
}

// Writing.

static float blended(uint8_t blend, float old, float value, float weight)
{
    if (blend != MULTIPLY) {
        return mr_blend_at((mr_blend)blend, old, value, weight);
    }
    float full = old * value;
    return weight >= 1.0f ? full : weight > 0.0f ? old + (full - old) * weight : old;
}

static bool write(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_kernel_slot *slots = j->call->slots;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        mr_tile_cell cell = mr_tile_decode(&j->layout, i);
        size_t at[3];
        bool covered = true;
        for (int a = 0; a < 3; a++) {
            int64_t in_patch = cell.field[a] - j->window[a];
            covered &= in_patch >= 0 && in_patch < (int64_t)j->patch[a];
            at[a] = (size_t)in_patch;
        }
        if (!covered) {
            continue;
        }
        size_t from = (at[2] * j->patch[1] + at[1]) * j->patch[0] + at[0];
        float weight = j->weighted ? slots[WEIGHT].f32[from] : 1.0f;
        for (size_t l = 0; l < j->out_lanes; l++) {
            float *old = slots[OUT].f32 + i * j->layout.lanes + j->lane + l;
            *old = blended(j->call->choices[BLEND], *old, slots[AUX].f32[from * j->out_lanes + l], weight);
        }
    }
    return true;
}

// Stencils.

// What stands `step` cells to either side along an axis, held to what the tile stores, and how far apart those are.
typedef struct sides {
    float before, after;
    float apart;
} sides;

static sides sides_along(const job *j, const mr_tile_cell *cell, int axis)
{
    const float *field = j->call->slots[FIELD].f32 + j->lane;
    size_t place = cell->local[axis], last = j->layout.stored[axis] - 1;
    size_t back = place < j->step ? place : j->step, on = last - place < j->step ? last - place : j->step;
    int64_t offset[3] = { 0, 0, 0 };
    offset[axis] = -(int64_t)back;
    size_t before = mr_tile_neighbour_index(&j->layout, cell, offset);
    offset[axis] = (int64_t)on;
    size_t after = mr_tile_neighbour_index(&j->layout, cell, offset);
    return (sides){ field[before * j->layout.lanes], field[after * j->layout.lanes],
                    (float)((double)(back + on) * j->cell) };
}

static float rise(sides s)
{
    return s.apart > 0.0f ? (s.after - s.before) / s.apart : 0.0f;
}

static void measure_one(const job *j, size_t i, float *out)
{
    const float *field = j->call->slots[FIELD].f32 + j->lane;
    mr_tile_cell cell = mr_tile_decode(&j->layout, i);
    if (j->call->choices[STENCIL] == OFFSET) {
        *out = field[mr_tile_neighbour_index(&j->layout, &cell, j->offset) * j->layout.lanes];
        return;
    }
    sides x = sides_along(j, &cell, 0), z = sides_along(j, &cell, 2);
    float dx = rise(x), dz = rise(z), here = field[i * j->layout.lanes];
    float step = (float)((double)j->step * j->cell);
    switch (j->call->choices[STENCIL]) {
    case SLOPE:
        *out = mr_f32_atan(__builtin_sqrtf(dx * dx + dz * dz)) * 57.2957795f;
        break;
    case CURVATURE:
        *out = ((x.before - here) + (x.after - here) + (z.before - here) + (z.after - here)) / (step * step);
        break;
    default:
        out[0] = dx;
        out[1] = dz;
    }
}

static bool measure(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        measure_one(j, i, j->call->slots[OUT].f32 + i * j->out_lanes);
    }
    return true;
}

// What a call asks for.

static bool read_job(job *j, const mr_kernel_call *call, mr_error *error)
{
    const mr_word *p = call->params;
    const size_t cells[3] = { p[NX].u32, p[NY].u32, p[NZ].u32 };
    *j = (job){ .call = call,
                .lane = p[LANE].u32,
                .out_lanes = p[OUT_LANES].u32,
                .window = { p[WX].i32, p[WY].i32, p[WZ].i32 },
                .patch = { p[PX].u32, p[PY].u32, p[PZ].u32 },
                .offset = { p[DX].i32, p[DY].i32, p[DZ].i32 },
                .step = p[STEP].u32,
                .origin = { (double)p[OX].f32, (double)p[OY].f32, (double)p[OZ].f32 },
                .cell = (double)p[CELL].f32,
                .weighted = p[HAS_WEIGHT].u32 != 0 };
    if (call->choices[MODE] == MEASURE) {
        j->out_lanes = call->choices[STENCIL] == GRADIENT ? 2 : 1;
    }
    if (!mr_tile_layout_make(&j->layout, cells, p[TX].u32, p[TZ].u32, p[APRON].u32, p[LANES].u32)) {
        return mr_kernel_refuse(error, call->kernel, NULL, "%zu x %zu x %zu cells pass what memory can hold",
                                cells[0], cells[1], cells[2]);
    }
    size_t lanes = call->choices[MODE] == MEASURE ? 1 : j->out_lanes;
    if (j->lane + lanes > j->layout.lanes) {
        return mr_kernel_refuse(error, call->kernel, NULL, "lanes %zu to %zu are asked for; a cell has %zu",
                                j->lane, j->lane + lanes - 1, j->layout.lanes);
    }
    if (call->choices[MODE] != SAMPLE && j->layout.total != call->n) {
        return mr_kernel_refuse(error, call->kernel, NULL, "the field stores %zu cells; the domain is %zu",
                                j->layout.total, call->n);
    }
    return true;
}

static bool holds(const job *j, uint32_t slot, size_t words, mr_error *error)
{
    const mr_kernel_slot *held = &j->call->slots[slot];
    const char *name = j->call->kernel->bindings[slot].name;
    if (held->data && held->element != MR_F32) {
        return mr_kernel_refuse(error, j->call->kernel, name, "holds floats");
    }
    return held->count >= words ||
           mr_kernel_refuse(error, j->call->kernel, name, "holds %zu values; %zu are asked for", held->count,
                            words);
}

static bool check_slots(const job *j, mr_error *error)
{
    const size_t n = j->call->n, field = j->layout.total * j->layout.lanes;
    size_t patch, values;
    switch (j->call->choices[MODE]) {
    case SAMPLE:
        return holds(j, FIELD, field, error) && holds(j, AUX, 3 * n, error) &&
               holds(j, OUT, n * j->out_lanes, error);
    case MEASURE:
        return holds(j, FIELD, field, error) && holds(j, OUT, n * j->out_lanes, error);
    default:
        if (!mr_size_multiply(j->patch[0], j->patch[1], &patch) ||
            !mr_size_multiply(patch, j->patch[2], &patch) ||
            !mr_size_multiply(patch, j->out_lanes, &values)) {
            return mr_kernel_refuse(error, j->call->kernel, NULL, "the patch is past what memory can hold");
        }
        return holds(j, AUX, values, error) && (!j->weighted || holds(j, WEIGHT, patch, error)) &&
               holds(j, OUT, field, error);
    }
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    static const mr_range_body bodies[] = { sample, write, measure };
    job j;
    return read_job(&j, call, error) && check_slots(&j, error) &&
           mr_parallel_for(call->context, call->n, 1024, bodies[call->choices[MODE]], &j, error);
}

enum { MOST_CELLS = 1 << 28, MOST_LANES = 1 << 10 };

#define NUMBER(name_, value_, low_, high_, doc_)                                                             \
    {                                                                                                        \
        .name = name_, .type = MR_U32, .value = value_, .low = low_, .high = high_, .doc = doc_,             \
    }
#define SIGNED(name_, doc_)                                                                                  \
    {                                                                                                        \
        .name = name_, .type = MR_I32, .value = 0, .low = -(1 << 30), .high = 1 << 30, .doc = doc_,          \
    }

const mr_kernel mr_kernel_grid = {
    .name = "grid",
    .summary = "Samples a field of cells at positions, blends a patch into it, or measures it cell by cell.",
    .source = "Horn 1981 for slopes by differences",
    .determinism = MR_EXACT,
    .gpu = "Exact but for slope, whose arc tangent must be correctly rounded, and for positions where the "
           "device has "
           "no f64.",
    .bindings = { { .name = "field",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .flat = true,
                    .when = "MODE=sample; MODE=stencil",
                    .doc = "The cells, as kernel/tile_layout.h stores them." },
                  { .name = "aux",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .flat = true,
                    .when = "MODE=sample; MODE=write",
                    .doc = "sample: positions, x y z each. write: the patch, outLanes values a cell, x "
                           "fastest." },
                  { .name = "weight",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .flat = true,
                    .when = "MODE=write",
                    .optional = true,
                    .doc = "How much of each patch cell is taken, read where hasWeight is 1: all from 1 on, "
                           "nothing at "
                           "0 or less and NaN." },
                  { .name = "out",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_F32,
                    .flat = true,
                    .doc = "sample: outLanes values a position. stencil: one value a stored cell, or two. "
                           "write: the "
                           "field; what the patch does not cover stays." } },
    .params = { NUMBER("nx", NAN, 1, MOST_CELLS, "Cells of the field along x."),
                NUMBER("ny", 1, 1, MOST_CELLS, "Cells along y."),
                NUMBER("nz", 1, 1, MOST_CELLS, "Cells along z."),
                NUMBER("tx", 0, 0, MOST_CELLS, "Cells of a tile's core along x; 0: one tile."),
                NUMBER("tz", 0, 0, MOST_CELLS, "Cells of a tile's core along z; 0: one tile."),
                NUMBER("apron", 0, 0, 1 << 16, "Cells a tile stores past its core, along x and z."),
                NUMBER("lanes", 1, 1, MOST_LANES, "Values a cell."),
                NUMBER("lane", 0, 0, MOST_LANES, "The first that is read or written."),
                NUMBER("outLanes", 1, 1, MOST_LANES, "sample, write: how many are."),
                { .name = "ox", .type = MR_F32, .value = 0, .doc = "Where cell (0, 0, 0) stands, x." },
                { .name = "oy", .type = MR_F32, .value = 0, .doc = "Where cell (0, 0, 0) stands, y." },
                { .name = "oz", .type = MR_F32, .value = 0, .doc = "Where cell (0, 0, 0) stands, z." },
                { .name = "cell",
                  .type = MR_F32,
                  .value = 1,
                  .low = 1e-20,
                  .high = 1e20,
                  .doc = "Metres from one cell to the next." },
                SIGNED("wx", "write: the patch's first cell, x; it may lie past the field."),
                SIGNED("wy", "write: the patch's first cell, y."),
                SIGNED("wz", "write: the patch's first cell, z."),
                NUMBER("px", 1, 0, MOST_CELLS, "write: cells of the patch along x."),
                NUMBER("py", 1, 0, MOST_CELLS, "write: cells of the patch along y."),
                NUMBER("pz", 1, 0, MOST_CELLS, "write: cells of the patch along z."),
                SIGNED("dx", "offset: how many cells on along x."),
                SIGNED("dy", "offset: how many cells on along y."),
                SIGNED("dz", "offset: how many cells on along z."),
                NUMBER("step", 1, 1, MOST_CELLS, "slope, curvature, gradient: cells to either side."),
                NUMBER("hasWeight", 0, 0, 1, "write: 1 where weight is bound.") },
    .specializations = { { .name = "MODE", .options = "sample write stencil", .doc = "What is done." },
                         { .name = "SAMPLING",
                           .options = "nearest trilinear",
                           .doc = "sample: the nearest cell (of two the greater), or the eight around, along "
                                  "x, then "
                                  "y, then z. Past the field, and at NaN, the edge cell." },
                         { .name = "STENCIL",
                           .options = "offset slope curvature gradient",
                           .doc = "stencil: a neighbour's value; degrees from flat; the Laplacian over x and "
                                  "z, 1/m; "
                                  "d/dx and d/dz. Neighbours are held to the cells a tile stores." },
                         { .name = "BLEND",
                           .options = MR_BLEND_CHOICES " multiply",
                           .doc = "write: how the patch meets what is there." } },
    .run = run,
};
