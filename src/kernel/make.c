// kernel/make.c: points and primitives from a count for each of a run of owners.

#include "base/thread.h"
#include "kernel/kernel.h"

enum { GRAIN = 1 << 13 };
enum { COUNTS, BASES, SIZES, P, VERTEX_PT, PRIM_VSTART, PRIM_VCOUNT };
enum { ACROSS };
enum { PASS, SHAPE };
enum { PASS_SIZES };
typedef enum make_shape { POINTS, STRIP, FAN, GRID, RING } make_shape;

// What one owner makes.
typedef struct sizes {
    int64_t points, vertices, primitives;
} sizes;

static sizes sizes_of(make_shape shape, int32_t given, uint32_t across)
{
    int64_t count = given > 0 ? given : 0;
    switch (shape) {
    case POINTS:
        break;
    case STRIP:
        return count < 2 ? (sizes){ count, 0, 0 } : (sizes){ count, count, 1 };
    case RING:
        return count < 3 ? (sizes){ count, 0, 0 } : (sizes){ count, count, 1 };
    case FAN:
        return count < 3 ? (sizes){ count, 0, 0 } : (sizes){ count, 3 * (count - 2), count - 2 };
    case GRID: {
        int64_t quads = count < 2 ? 0 : (count - 1) * ((int64_t)across - 1);
        return (sizes){ count * across, 4 * quads, quads };
    }
    }
    return (sizes){ count, 0, 0 };
}

// The vertices of one primitive.
static int64_t corners_of(make_shape shape, int32_t given)
{
    return shape == FAN ? 3 : shape == GRID ? 4 : given;
}

// The point, of its owner's, that a vertex of the owner's reads.
static int64_t point_of(make_shape shape, int64_t vertex, uint32_t across)
{
    int64_t corner;
    switch (shape) {
    case FAN:
        corner = vertex % 3;
        return corner == 0 ? 0 : vertex / 3 + corner;
    case GRID: {
        int64_t quad = vertex / 4, along = quad / (across - 1), side = quad % (across - 1);
        corner = vertex % 4;
        return (along + (corner == 1 || corner == 2)) * across + side + (corner >= 2);
    }
    case POINTS:
    case STRIP:
    case RING:
        break;
    }
    return vertex;
}

typedef struct job {
    const mr_kernel_call *call;
    make_shape shape;
    uint32_t across;
    const int32_t *counts;
    const int32_t *bases; // points, vertices, primitives before each owner's
    size_t owners;
} job;

static bool sizes_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    int32_t *out = j->call->slots[SIZES].i32;
    for (size_t i = begin; i < end; i++) {
        sizes s = sizes_of(j->shape, j->counts[i], j->across);
        if (s.points > INT32_MAX || s.vertices > INT32_MAX) {
            mr_kernel_refuse(
                error, j->call->kernel, "counts",
                "holds %d for owner %zu; that makes %lld points and %lld vertices, past what indices can "
                "hold",
                j->counts[i], i, (long long)s.points, (long long)s.vertices);
            error->status = MR_LIMIT;
            return false;
        }
        out[3 * i] = (int32_t)s.points;
        out[3 * i + 1] = (int32_t)s.vertices;
        out[3 * i + 2] = (int32_t)s.primitives;
    }
    return true;
}

static int64_t size_at(const sizes *s, size_t lane)
{
    return lane == 0 ? s->points : lane == 1 ? s->vertices : s->primitives;
}

// Every owner's elements must lie behind those of the owner before: then each slot is in one owner's at most.
static bool check_bases(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t i = begin; i < end; i++) {
        sizes s = sizes_of(j->shape, j->counts[i], j->across);
        for (size_t lane = 0; lane < 3; lane++) {
            int64_t base = j->bases[3 * i + lane], past = base + size_at(&s, lane);
            int64_t next = i + 1 < j->owners ? j->bases[3 * i + 3 + lane] : INT32_MAX;
            if (base < 0 || past > next) {
                return mr_kernel_refuse(
                    error, j->call->kernel, "bases",
                    "has owner %zu at %lld, to %lld, of lane %zu, and the next at %lld; it must be "
                    "the running sum of sizes",
                    i, (long long)base, (long long)past, lane, (long long)next);
            }
        }
    }
    return true;
}

// The last owner whose base is not past the slot, or -1.
static int64_t owner_of(const job *j, size_t lane, size_t slot)
{
    size_t low = 0, high = j->owners;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((size_t)j->bases[3 * middle + lane] <= slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (int64_t)low - 1;
}

// A slot's owner and its place among the owner's elements; slots are asked for in rising order.
typedef struct cursor {
    int64_t owner;
    int64_t place; // -1: the slot is nobody's
} cursor;

static void move_to(cursor *c, const job *j, size_t lane, size_t slot)
{
    while (c->owner + 1 < (int64_t)j->owners &&
           (size_t)j->bases[3 * (c->owner + 1) + (int64_t)lane] <= slot) {
        c->owner++;
    }
    c->place = -1;
    if (c->owner >= 0) {
        sizes s = sizes_of(j->shape, j->counts[c->owner], j->across);
        int64_t place = (int64_t)slot - j->bases[3 * c->owner + (int64_t)lane];
        c->place = place < size_at(&s, lane) ? place : -1;
    }
}

static bool fill_points(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    cursor c = { .owner = owner_of(j, 0, begin) };
    (void)error;
    for (size_t i = begin; i < end; i++) {
        float *p = j->call->slots[P].f32 + 3 * i;
        int64_t across = j->shape == GRID ? j->across : 1;
        move_to(&c, j, 0, i);
        p[0] = c.place < 0 ? 0.0f : (float)(c.place / across);
        p[1] = c.place < 0 ? 0.0f : (float)(c.place % across);
        p[2] = c.place < 0 ? 0.0f : (float)c.owner;
    }
    return true;
}

static bool fill_vertices(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    cursor c = { .owner = owner_of(j, 1, begin) };
    (void)error;
    for (size_t i = begin; i < end; i++) {
        move_to(&c, j, 1, i);
        j->call->slots[VERTEX_PT].i32[i] =
            c.place < 0 ? -1 : (int32_t)(j->bases[3 * c.owner] + point_of(j->shape, c.place, j->across));
    }
    return true;
}

static bool fill_primitives(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_kernel_slot *slots = j->call->slots;
    cursor c = { .owner = owner_of(j, 2, begin) };
    (void)error;
    for (size_t i = begin; i < end; i++) {
        move_to(&c, j, 2, i);
        int64_t corners = c.place < 0 ? 0 : corners_of(j->shape, j->counts[c.owner]);
        slots[PRIM_VSTART].i32[i] =
            c.place < 0 ? 0 : (int32_t)(j->bases[3 * c.owner + 1] + c.place * corners);
        slots[PRIM_VCOUNT].i32[i] = (int32_t)corners;
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots;
    job j = { .call = call,
              .shape = (make_shape)call->choices[SHAPE],
              .across = call->params[ACROSS].u32,
              .counts = slots[COUNTS].i32,
              .bases = slots[BASES].i32,
              .owners = slots[COUNTS].count };
    if (call->choices[PASS] == PASS_SIZES && call->n > j.owners) {
        return mr_kernel_refuse(error, call->kernel, "counts", "holds %zu elements; %zu owners are asked for",
                                j.owners, call->n);
    }
    if (call->choices[PASS] == PASS_SIZES) {
        return mr_parallel_for(call->context, call->n, GRAIN, sizes_run, &j, error);
    }
    size_t primitives = slots[PRIM_VSTART].count < slots[PRIM_VCOUNT].count ? slots[PRIM_VSTART].count
                                                                            : slots[PRIM_VCOUNT].count;
    return mr_parallel_for(call->context, j.owners, GRAIN, check_bases, &j, error) &&
           mr_parallel_for(call->context, slots[P].count, GRAIN, fill_points, &j, error) &&
           mr_parallel_for(call->context, slots[VERTEX_PT].count, GRAIN, fill_vertices, &j, error) &&
           mr_parallel_for(call->context, primitives, GRAIN, fill_primitives, &j, error);
}

const mr_kernel mr_kernel_make = {
    .name = "make",
    .summary = "Makes the points and the primitives of a geometry from a count for each owner and a shape.",
    .determinism = MR_EXACT,
    .gpu = "exact: whole numbers, each written once",
    .bindings = { { .name = "counts",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc = "of each owner the points along its shape; below 0 is 0. The pass sizes runs over "
                           "them" },
                  { .name = "bases",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .lanes = 3,
                    .count = "counts",
                    .when = "PASS=fill",
                    .doc = "the points, vertices and primitives before each owner's: the exclusive running "
                           "sum of "
                           "sizes" },
                  { .name = "sizes",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .lanes = 3,
                    .when = "PASS=sizes",
                    .doc = "the points, vertices and primitives each owner makes" },
                  { .name = "P",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .count = "points",
                    .when = "PASS=fill",
                    .doc = "of each point its place along its owner's shape, its place across (0 but in a "
                           "grid), and "
                           "the owner; a slot past the points is 0" },
                  { .name = "vertex_pt",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "vertices",
                    .when = "PASS=fill",
                    .doc = "the point each vertex reads; -1 past the vertices" },
                  { .name = "prim_vstart",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "primitives",
                    .when = "PASS=fill",
                    .doc = "each primitive's first vertex; 0 past the primitives" },
                  { .name = "prim_vcount",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "primitives",
                    .when = "PASS=fill",
                    .doc = "its vertices; 0 past the primitives" } },
    .params = { { .name = "across",
                  .type = MR_U32,
                  .value = 2,
                  .low = 2,
                  .high = 1 << 24,
                  .doc = "the points across a grid" } },
    .specializations = { { .name = "PASS",
                           .options = "sizes fill",
                           .doc = "sizes: what each owner makes; fill, once that is summed into bases: all "
                                  "of it. Bind "
                                  "points, vertices and primitives to the sums" },
                         { .name = "SHAPE",
                           .options = "points strip fan grid ring",
                           .doc = "of count points. points: no primitive. strip: one open run of them, from "
                                  "2 on. "
                                  "ring: one closed run, from 3 on. fan: triangles of the first point and "
                                  "each two "
                                  "neighbours behind it. grid: count rows of across points, point (i, j) the "
                                  "i * across "
                                  "+ j-th, and quads (i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1), row "
                                  "after row" } },
    .run = run,
};
