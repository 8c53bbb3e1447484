// kernel/edges.c: the first stage of the edge table: every side of a mesh as a pair of points.
//
// Meshes store their runs in order and apart, so that each primitive can write its own slots, and those behind it that
// are in no run, on any thread. A mesh that does not is written primitive after primitive.

#include "kernel/edges.h"

#include "base/thread.h"
#include "kernel/kernel.h"
#include "kernel/run_sides.h"

#include <stdatomic.h>

enum { GRAIN = 1 << 13 };

typedef struct job {
    mr_context *context;
    const mr_linkage *mesh;
    const mr_sides *sides;
    atomic_bool strays; // some run begins before the one ahead of it has ended, or leaves the vertices
} job;

static void write_none(const mr_sides *sides, size_t begin, size_t end)
{
    for (size_t v = begin; v < end; v++) {
        sides->lo[v] = MR_SIDE_NONE;
        sides->hi[v] = MR_SIDE_NONE;
        sides->face[v] = -1;
        sides->rev[v] = 0;
    }
}

static void write_side(const mr_linkage *mesh, const mr_sides *sides, size_t primitive, size_t from,
                       size_t to)
{
    int32_t a = mesh->pt[from], b = mesh->pt[to];
    bool joins = mr_side_joins(a, b);
    sides->lo[from] = joins ? (a < b ? a : b) : MR_SIDE_NONE;
    sides->hi[from] = joins ? (a < b ? b : a) : MR_SIDE_NONE;
    sides->face[from] = joins ? (int32_t)primitive : -1;
    sides->rev[from] = joins && a > b;
}

static void write_run(const mr_linkage *mesh, const mr_sides *sides, size_t primitive)
{
    mr_vertex_run run = mr_vertex_run_of(mesh->vstart[primitive], mesh->vcount[primitive], mesh->vertices);
    bool wraps = !mesh->closed || mesh->closed[primitive] != 0;
    size_t count = mr_run_sides(run.count, wraps);
    for (size_t k = 0; k < count; k++) {
        write_side(mesh, sides, primitive, run.first + k, mr_run_next(run, k));
    }
    write_none(sides, run.first + count, run.first + run.count);
}

// Where the slots end that primitive i writes, in a mesh whose runs are in order: where the next one's run begins.
static size_t slots_end(const mr_linkage *mesh, size_t primitive)
{
    return primitive + 1 < mesh->primitives ? (size_t)mesh->vstart[primitive + 1] : mesh->vertices;
}

static bool look_for_strays(void *argument, size_t begin, size_t end, mr_error *error)
{
    job *j = argument;
    const mr_linkage *mesh = j->mesh;
    bool strays = false;
    for (size_t i = begin; i < end; i++) {
        int64_t next = i + 1 < mesh->primitives ? mesh->vstart[i + 1] : (int64_t)mesh->vertices;
        strays |=
            mesh->vstart[i] < 0 || mesh->vcount[i] < 0 || (int64_t)mesh->vstart[i] + mesh->vcount[i] > next;
    }
    if (strays) {
        atomic_store_explicit(&j->strays, true, memory_order_relaxed);
    }
    return mr_keep_going(j->context, error);
}

static bool write_runs_in_order(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_linkage *mesh = j->mesh;
    if (begin == 0) {
        write_none(j->sides, 0, (size_t)mesh->vstart[0]);
    }
    for (size_t i = begin; i < end; i++) {
        write_run(mesh, j->sides, i);
        write_none(j->sides, (size_t)mesh->vstart[i] + (size_t)mesh->vcount[i], slots_end(mesh, i));
    }
    return mr_keep_going(j->context, error);
}

static bool write_nothing(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    write_none(j->sides, begin, end);
    return mr_keep_going(j->context, error);
}

bool mr_edges_sides(mr_context *context, const mr_linkage *mesh, const mr_sides *sides, mr_error *error)
{
    job j = { .context = context, .mesh = mesh, .sides = sides };
    atomic_init(&j.strays, mesh->primitives == 0);
    if (!mr_parallel_for(context, mesh->primitives, GRAIN, look_for_strays, &j, error)) {
        return false;
    }
    if (!atomic_load_explicit(&j.strays, memory_order_relaxed)) {
        return mr_parallel_for(context, mesh->primitives, GRAIN, write_runs_in_order, &j, error);
    }
    if (!mr_parallel_for(context, mesh->vertices, GRAIN, write_nothing, &j, error)) {
        return false;
    }
    for (size_t i = 0; i < mesh->primitives; i++) {
        write_run(mesh, sides, i);
        if (i % GRAIN == 0 && !mr_keep_going(context, error)) {
            return false;
        }
    }
    return true;
}

enum { PT, VSTART, VCOUNT, CLOSED, LO, HI, FACE, REV };
enum { NP, CLOSED_ALL };
enum { COUNT };
enum { COUNT_DEVICE = 1 };

// The vertices there are slots for: an output may be bound to a column of more.
static size_t vertex_slots(const mr_kernel_slot *slots)
{
    size_t least = slots[PT].count;
    for (size_t i = LO; i <= REV; i++) {
        least = slots[i].count < least ? slots[i].count : least;
    }
    return least;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots;
    bool wraps = call->choices[COUNT] == COUNT_DEVICE || call->params[CLOSED_ALL].u32 == 1;
    if (!wraps && !slots[CLOSED].data) {
        return mr_kernel_refuse(
            error, call->kernel, "closed",
            "is not bound; it says of each primitive whether it wraps, as closed_all is 0");
    }
    size_t named = call->params[NP].u32;
    bool held = call->choices[COUNT] != COUNT_DEVICE && named < call->live;
    mr_linkage mesh = {
        .pt = slots[PT].i32,
        .vertices = vertex_slots(slots),
        .vstart = slots[VSTART].i32,
        .vcount = slots[VCOUNT].i32,
        .primitives = held ? named : call->live,
        .closed = wraps ? NULL : slots[CLOSED].u32,
    };
    mr_sides sides = { slots[LO].i32, slots[HI].i32, slots[FACE].i32, slots[REV].i32 };
    return mr_edges_sides(call->context, &mesh, &sides, error);
}

const mr_kernel mr_kernel_edges = {
    .name = "edges",
    .summary = "Writes, for every vertex of every primitive, the side that leaves it as a pair of points, "
               "lower first: "
               "the first stage of a mesh's table of edges.",
    .determinism = MR_EXACT,
    .gpu = "exact: whole numbers, and every slot is written by one primitive where runs do not overlap",
    .bindings = { { .name = "pt",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "nv",
                    .doc = "the point of each vertex; a negative one makes no side" },
                  { .name = "vstart",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "each primitive's first vertex" },
                  { .name = "vcount",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "each primitive's vertices; a run that leaves the vertices has no sides" },
                  { .name = "closed",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "n",
                    .when = "COUNT=plain",
                    .optional = true,
                    .doc = "not 0 where a primitive's run wraps; read where closed_all is 0" },
                  { .name = "lo",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "nv",
                    .doc = "the side's lower point, 2147483647 where there is no side" },
                  { .name = "hi",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "nv",
                    .doc = "its higher point, 2147483647 where there is no side" },
                  { .name = "face",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "nv",
                    .doc =
                        "the primitive that owns it (the last, where runs overlap), -1 where there is none" },
                  { .name = "rev",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "nv",
                    .doc = "1 where the side runs from its higher point to its lower" },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "np",
                  .type = MR_U32,
                  .value = UINT32_MAX,
                  .doc = "plain: primitives, where they are fewer than the domain" },
                { .name = "closed_all",
                  .type = MR_U32,
                  .value = 1,
                  .low = 0,
                  .high = 1,
                  .doc =
                      "1: every run wraps, as faces do; 0: closed says which. Over a live count all wrap" } },
    .specializations = { MR_KERNEL_COUNT },
    .run = run,
};
