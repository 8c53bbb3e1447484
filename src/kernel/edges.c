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
enum { BLOCK = 1 << 9 }; // primitives whose slots stay in cache between their two passes

typedef struct job {
    mr_context *context;
    const mr_linkage *mesh;
    const mr_sides *sides;
    atomic_bool strays; // some run begins before the one ahead of it has ended, or leaves the vertices
} job;

// The sides of slots begin .. end - 1, of which face holds the primitives and rev the points they lead to, -1 where
// nothing leads on.
static void write_sides(const int32_t *restrict pt, const mr_sides *to, size_t begin, size_t end)
{
    int32_t *restrict lo = to->lo, *restrict hi = to->hi, *restrict face = to->face, *restrict rev = to->rev;
    for (size_t v = begin; v < end; v++) {
        int32_t a = pt[v], b = rev[v];
        bool joins = mr_side_joins(a, b);
        int32_t least = a < b ? a : b, most = a < b ? b : a;
        lo[v] = joins ? least : MR_SIDE_NONE;
        hi[v] = joins ? most : MR_SIDE_NONE;
        face[v] = joins ? face[v] : -1;
        rev[v] = joins & (a > b);
    }
}

static void lead_nowhere(const mr_sides *sides, size_t begin, size_t end)
{
    for (size_t v = begin; v < end; v++) {
        sides->rev[v] = -1;
    }
}

// Says where the sides of a run lead.
static inline void lead_on(const mr_linkage *mesh, const mr_sides *sides, size_t primitive)
{
    mr_vertex_run run = mr_vertex_run_of(mesh->vstart[primitive], mesh->vcount[primitive], mesh->vertices);
    const int32_t *pt = mesh->pt + run.first;
    int32_t *face = sides->face + run.first, *to = sides->rev + run.first;
    bool wraps = !mesh->closed || mesh->closed[primitive] != 0;
    if (run.count == 3) { // as most are: a loop of unknown length costs more than they do
        int32_t first = pt[0], second = pt[1], third = pt[2];
        face[0] = face[1] = face[2] = (int32_t)primitive;
        to[0] = second;
        to[1] = third;
        to[2] = wraps ? first : -1;
        return;
    }
    for (size_t k = 0; k + 1 < run.count; k++) {
        face[k] = (int32_t)primitive;
        to[k] = pt[k + 1];
    }
    if (run.count > 0) {
        face[run.count - 1] = (int32_t)primitive;
        to[run.count - 1] = wraps ? pt[0] : -1;
    }
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

static bool write_in_order(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_linkage mesh = *j->mesh;
    const mr_sides sides = *j->sides;
    for (size_t from = begin; from < end; from += BLOCK) {
        size_t to = from + BLOCK < end ? from + BLOCK : end;
        size_t first = from == 0 ? 0 : (size_t)mesh.vstart[from];
        lead_nowhere(&sides, first, (size_t)mesh.vstart[from]);
        for (size_t i = from; i < to; i++) {
            lead_on(&mesh, &sides, i);
            lead_nowhere(&sides, (size_t)mesh.vstart[i] + (size_t)mesh.vcount[i], slots_end(&mesh, i));
        }
        write_sides(mesh.pt, &sides, first, slots_end(&mesh, to - 1));
    }
    return mr_keep_going(j->context, error);
}

static bool write_nothing(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    lead_nowhere(j->sides, begin, end);
    write_sides(j->mesh->pt, j->sides, begin, end);
    return mr_keep_going(j->context, error);
}

static bool write_in_turn(mr_context *context, const mr_linkage *mesh, const mr_sides *sides, mr_error *error)
{
    for (size_t i = 0; i < mesh->primitives; i++) {
        mr_vertex_run run = mr_vertex_run_of(mesh->vstart[i], mesh->vcount[i], mesh->vertices);
        lead_on(mesh, sides, i);
        write_sides(mesh->pt, sides, run.first, run.first + run.count);
        if (i % GRAIN == 0 && !mr_keep_going(context, error)) {
            return false;
        }
    }
    return true;
}

bool mr_edges_sides(mr_context *context, const mr_linkage *mesh, const mr_sides *sides, mr_error *error)
{
    job j = { .context = context, .mesh = mesh, .sides = sides };
    atomic_init(&j.strays, mesh->primitives == 0);
    if (!mr_parallel_for(context, mesh->primitives, GRAIN, look_for_strays, &j, error)) {
        return false;
    }
    if (!atomic_load_explicit(&j.strays, memory_order_relaxed)) {
        return mr_parallel_for(context, mesh->primitives, GRAIN, write_in_order, &j, error);
    }
    return mr_parallel_for(context, mesh->vertices, GRAIN, write_nothing, &j, error) &&
           write_in_turn(context, mesh, sides, error);
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
