// kernel/topology.c: edits of a mesh's linkage, in two stages with an exclusive prefix sum between them.
//
// What each operation reads in rec:
//   split_edge    a word a vertex: the point to insert in the side that leaves it; negative: none
//   collapse_edge a word a point: the point it becomes; one that is no point: itself
//   insert_face   two words a new face, where its points begin in rec and how many there are; then the points
//   delete_face   a word a primitive: not 0 where it goes
//   split_vertex  a word a vertex: the first vertex of its group, which names itself; else it keeps its point
//
// Both stages run the same function over a primitive, into nothing or into its places, so that they agree. A collapse
// drops the vertices whose sides have become no sides: of neighbours in a run that become one point the last stays.

#include "base/thread.h"
#include "kernel/kernel.h"
#include "kernel/run_sides.h"

#include <math.h>

enum { GRAIN = 1 << 12 };

enum { PT, VSTART, VCOUNT, REC, CNT, OFF, O_PT, O_SRC };
enum { NP, NV, NPTS, NNEW, WRAP, MINV };
enum { OP, STAGE };
enum { OP_SPLIT_EDGE, OP_COLLAPSE_EDGE, OP_INSERT_FACE, OP_DELETE_FACE, OP_SPLIT_VERTEX };
enum { STAGE_COUNT = 0 };

// An output vertex that stands for none of the input's: what ~v is of the vertex that names none.
#define SOURCE_NONE (~MR_SIDE_NONE)

// A primitive's output vertices: how many, and the first `room` of them.
typedef struct output {
    int32_t *pt, *src;
    size_t room, count;
} output;

typedef struct job job;

typedef void (*edit)(const job *j, size_t primitive, output *out);

struct job {
    const mr_kernel_call *call;
    const int32_t *pt, *vstart, *vcount, *rec;
    size_t rec_count, primitives, vertices, points, inserted, least;
    bool wraps;
    edit edit;
    size_t places; // output vertices there are places for
};

static inline void put(output *out, int32_t pt, int32_t src)
{
    if (out->count < out->room) {
        out->pt[out->count] = pt;
        out->src[out->count] = src;
    }
    out->count++;
}

static inline mr_vertex_run run_of(const job *j, size_t primitive)
{
    return mr_vertex_run_of(j->vstart[primitive], j->vcount[primitive], j->vertices);
}

static void copy_run(const job *j, size_t primitive, output *out)
{
    mr_vertex_run run = run_of(j, primitive);
    for (size_t v = run.first; v < run.first + run.count; v++) {
        put(out, j->pt[v], (int32_t)v);
    }
}

static void split_edges(const job *j, size_t primitive, output *out)
{
    mr_vertex_run run = run_of(j, primitive);
    size_t sides = mr_run_sides(run.count, j->wraps);
    for (size_t k = 0; k < run.count; k++) {
        size_t v = run.first + k;
        put(out, j->pt[v], (int32_t)v);
        if (k < sides && j->rec[v] >= 0) {
            put(out, j->rec[v], ~(int32_t)v);
        }
    }
}

static inline int32_t becomes(const job *j, size_t v)
{
    size_t point = (uint32_t)j->pt[v];
    size_t other = point < j->points ? (uint32_t)j->rec[point] : j->points;
    return other < j->points ? (int32_t)other : j->pt[v];
}

// Whether the side k that leaves a vertex is still one. Where it is not the vertex goes with it.
static inline bool stays(const job *j, mr_vertex_run run, size_t sides, size_t k)
{
    return k >= sides || becomes(j, run.first + k) != becomes(j, mr_run_next(run, k));
}

static void collapse_edges(const job *j, size_t primitive, output *out)
{
    mr_vertex_run run = run_of(j, primitive);
    size_t sides = mr_run_sides(run.count, j->wraps), kept = 0;
    for (size_t k = 0; k < run.count; k++) {
        kept += stays(j, run, sides, k);
    }
    for (size_t k = 0; k < run.count && kept >= j->least; k++) {
        if (stays(j, run, sides, k)) {
            put(out, becomes(j, run.first + k), (int32_t)(run.first + k));
        }
    }
}

static bool are_points(const job *j, const int32_t *points, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if ((uint32_t)points[k] >= j->points) {
            return false;
        }
    }
    return true;
}

static void insert_faces(const job *j, size_t primitive, output *out)
{
    if (primitive < j->primitives) {
        copy_run(j, primitive, out);
        return;
    }
    const int32_t *record = &j->rec[2 * (primitive - j->primitives)];
    mr_vertex_run run = mr_vertex_run_of(record[0], record[1], j->rec_count);
    if (!are_points(j, j->rec + run.first, run.count)) {
        return;
    }
    for (size_t k = 0; k < run.count; k++) {
        put(out, j->rec[run.first + k], SOURCE_NONE);
    }
}

static void delete_faces(const job *j, size_t primitive, output *out)
{
    if (j->rec[primitive] == 0) {
        copy_run(j, primitive, out);
    }
}

static bool count_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t i = begin; i < end; i++) {
        output out = { .room = 0 };
        if (i < j->primitives + j->inserted) {
            j->edit(j, i, &out);
        }
        if (out.count > INT32_MAX) {
            return mr_kernel_refuse(error, j->call->kernel, "cnt", "of primitive %zu would be past 32 bits",
                                    i);
        }
        j->call->slots[CNT].i32[i] = (int32_t)out.count;
    }
    return mr_keep_going(j->call->context, error);
}

static void write_none(const job *j, size_t begin, size_t end)
{
    for (size_t at = begin; at < end; at++) {
        j->call->slots[O_PT].i32[at] = -1;
        j->call->slots[O_SRC].i32[at] = -1;
    }
}

// Where primitive i's places end: where the next one's begin.
static int64_t places_end(const job *j, size_t i)
{
    return i + 1 < j->call->n ? j->call->slots[OFF].i32[i + 1] : (int64_t)j->places;
}

// That no two primitives have a place in common, before any is written.
static bool check_places(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t i = begin; i < end; i++) {
        int32_t first = j->call->slots[OFF].i32[i];
        if (first < 0 || first > places_end(j, i) || (size_t)first > j->places) {
            return mr_kernel_refuse(error, j->call->kernel, "off",
                                    "is no prefix sum within nv_out, which is %zu: word %zu is %d", j->places,
                                    i, first);
        }
    }
    return mr_keep_going(j->call->context, error);
}

static bool write_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const int32_t *off = j->call->slots[OFF].i32;
    if (begin == 0) {
        write_none(j, 0, (size_t)off[0]);
    }
    for (size_t i = begin; i < end; i++) {
        size_t first = (size_t)off[i];
        output out = {
            .pt = j->call->slots[O_PT].i32 + first,
            .src = j->call->slots[O_SRC].i32 + first,
            .room = (size_t)places_end(j, i) - first,
        };
        if (i < j->primitives + j->inserted) {
            j->edit(j, i, &out);
        }
        if (out.count > out.room) {
            return mr_kernel_refuse(error, j->call->kernel, "off",
                                    "leaves primitive %zu room for %zu vertices; it has %zu", i, out.room,
                                    out.count);
        }
        write_none(j, first + out.count, first + out.room);
    }
    return mr_keep_going(j->call->context, error);
}

// split_vertex, a vertex at a time.

static inline bool leads(const job *j, size_t v)
{
    return v < j->vertices && (uint32_t)j->rec[v] == v;
}

static bool count_leaders(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t v = begin; v < end; v++) {
        j->call->slots[CNT].i32[v] = leads(j, v);
    }
    return mr_keep_going(j->call->context, error);
}

static bool write_vertices(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const int32_t *off = j->call->slots[OFF].i32;
    for (size_t v = begin; v < end; v++) {
        size_t leader = (uint32_t)j->rec[v];
        int64_t point = j->pt[v];
        if (leader < j->call->n && leads(j, leader)) {
            point = (int64_t)j->points + off[leader];
            if (off[leader] < 0 || point >= MR_SIDE_NONE) {
                return mr_kernel_refuse(error, j->call->kernel, "off",
                                        "of vertex %zu is %d; with %zu points that numbers none", leader,
                                        off[leader], j->points);
            }
        }
        j->call->slots[O_PT].i32[v] = (int32_t)point;
        j->call->slots[O_SRC].i32[v] = (int32_t)v;
    }
    return mr_keep_going(j->call->context, error);
}

static bool run_split_vertex(job *j, bool counts, mr_error *error)
{
    size_t n = j->call->n, vertices = n < j->vertices ? n : j->vertices;
    if (counts) {
        return mr_parallel_for(j->call->context, n, GRAIN, count_leaders, j, error);
    }
    vertices = vertices < j->places ? vertices : j->places;
    write_none(j, vertices, j->places);
    return mr_parallel_for(j->call->context, vertices, GRAIN, write_vertices, j, error);
}

static bool check_rec(const job *j, size_t asked, mr_error *error)
{
    return j->rec_count >= asked ||
           mr_kernel_refuse(error, j->call->kernel, "rec", "holds %zu words; the operation asks for %zu",
                            j->rec_count, asked);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    static const edit edits[] = { split_edges, collapse_edges, insert_faces, delete_faces, NULL };
    const mr_kernel_slot *slots = call->slots;
    uint8_t op = call->choices[OP];
    bool counts = call->choices[STAGE] == STAGE_COUNT;
    job j = {
        .call = call,
        .pt = slots[PT].i32,
        .vstart = slots[VSTART].i32,
        .vcount = slots[VCOUNT].i32,
        .rec = slots[REC].i32,
        .rec_count = slots[REC].count,
        .primitives = call->params[NP].u32,
        .vertices = call->params[NV].u32,
        .points = call->params[NPTS].u32,
        .inserted = op == OP_INSERT_FACE ? call->params[NNEW].u32 : 0,
        .least = call->params[MINV].u32,
        .wraps = call->params[WRAP].u32 == 1,
        .edit = edits[op],
    };
    const size_t asked[] = { j.vertices, j.points, 2 * j.inserted, j.primitives, j.vertices };
    if (!check_rec(&j, asked[op], error)) {
        return false;
    }
    if (!counts) {
        j.places = slots[O_PT].count < slots[O_SRC].count ? slots[O_PT].count : slots[O_SRC].count;
    }
    if (op == OP_SPLIT_VERTEX) {
        return run_split_vertex(&j, counts, error);
    }
    if (counts) {
        return mr_parallel_for(call->context, call->n, GRAIN, count_run, &j, error);
    }
    if (call->n == 0) {
        write_none(&j, 0, j.places);
    }
    return mr_parallel_for(call->context, call->n, GRAIN, check_places, &j, error) &&
           mr_parallel_for(call->context, call->n, GRAIN, write_run, &j, error);
}

const mr_kernel mr_kernel_topology = {
    .name = "topology",
    .summary =
        "Edits a mesh's linkage: splits edges, collapses them, inserts or deletes faces, or gives groups of "
        "corners points of their own. First the vertices each primitive will have, then, over their prefix "
        "sum, the vertices.",
    .determinism = MR_EXACT,
    .gpu = "exact: whole numbers, and a primitive writes its own places",
    .bindings = { { .name = "pt",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "nv",
                    .doc = "the point of each vertex" },
                  { .name = "vstart",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "np",
                    .doc = "each primitive's first vertex" },
                  { .name = "vcount",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "np",
                    .doc = "each primitive's vertices; a run that leaves the vertices counts as empty" },
                  { .name = "rec",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc =
                        "split_edge, a word a vertex: the point put in the side that leaves it, or below 0. "
                        "collapse_edge, a word a point: what it becomes. insert_face, two words a new face: "
                        "where its points begin in rec, and how many. delete_face, a word a primitive: not 0 "
                        "where it goes. split_vertex, a word a vertex: its group's first vertex, or below "
                        "0" },
                  { .name = "cnt",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=count",
                    .doc = "the output vertices of each primitive (new faces behind them); of split_vertex, "
                           "1 of a "
                           "group's first vertex" },
                  { .name = "off",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=write",
                    .doc = "the exclusive prefix sum of cnt" },
                  { .name = "o_pt",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "nv_out",
                    .when = "STAGE=write",
                    .doc = "the point of each output vertex, -1 past them" },
                  { .name = "o_src",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "nv_out",
                    .when = "STAGE=write",
                    .doc = "the vertex it takes its attributes from; ~v of one put in behind v, -2147483648 "
                           "of a "
                           "new face's, -1 past them" } },
    .params = { { .name = "np", .type = MR_U32, .value = NAN, .doc = "primitives" },
                { .name = "nv", .type = MR_U32, .value = NAN, .doc = "vertices" },
                { .name = "npts", .type = MR_U32, .value = NAN, .doc = "points" },
                { .name = "nnew",
                  .type = MR_U32,
                  .value = 0,
                  .doc = "faces that insert_face puts behind the others" },
                { .name = "wrap",
                  .type = MR_U32,
                  .value = 1,
                  .low = 0,
                  .high = 1,
                  .doc = "1: runs have a side from their last vertex to their first" },
                { .name = "minv",
                  .type = MR_U32,
                  .value = 3,
                  .doc = "collapse_edge: a primitive left fewer vertices goes" } },
    .specializations = { { .name = "OP",
                           .options = "split_edge collapse_edge insert_face delete_face split_vertex",
                           .doc = "the edit. Over the primitives; of insert_face and the new faces; of "
                                  "split_vertex "
                                  "over the vertices" },
                         { .name = "STAGE", .options = "count write", .doc = "cnt, or o_pt and o_src" } },
    .run = run,
};
