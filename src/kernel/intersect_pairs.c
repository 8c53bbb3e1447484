// kernel/intersect_pairs.c: which parts of which pairs of triangles two meshes cut each other in.

#include "base/thread.h"
#include "kernel/bvh.h"
#include "kernel/intersect_core.h"

#include <math.h>

enum { APTS, ATRI, BPTS, BTRI, NODES, START, CNT, PAIRS };
enum { NB, TOTAL };
enum { COUNT, STAGE };
enum { STAGE_COUNT, STAGE_WRITE };
enum { GRAIN = 256, STACK = 128 };

typedef struct job {
    const mr_kernel_call *call;
    mr_cut_meshes meshes;
    const uint32_t *nodes;
    size_t node_count;
    const uint32_t *start; // the write stage
    uint32_t *counts;      // the count stage
    uint32_t *pairs;
} job;

// A list of entries: counted, and written where there is room.
typedef struct list {
    uint32_t *entries;
    size_t count, room;
} list;

static void list_pair(const job *j, list *out, uint32_t a, uint32_t b)
{
    uint64_t parts = mr_cut_parts(&j->meshes, a, b);
    for (; parts; parts &= parts - 1) {
        if (out->count < out->room) {
            uint32_t *entry = out->entries + 3 * out->count;
            entry[0] = a;
            entry[1] = b;
            entry[2] = (uint32_t)__builtin_ctzll(parts);
        }
        out->count++;
    }
}

static bool overlap(const mr_box *a, const mr_box *b)
{
    for (int k = 0; k < 3; k++) {
        if (!(a->low[k] <= b->high[k] && b->low[k] <= a->high[k])) {
            return false;
        }
    }
    return true;
}

static mr_box box_of(const mr_triangles *mesh, uint32_t triangle)
{
    mr_box box = mr_box_empty();
    for (int i = 0; i < 3; i++) {
        uint32_t point = mesh->triangles[3 * (size_t)triangle + (size_t)i];
        if (point < mesh->point_count) {
            mr_box_add_point(&box, mesh->points + 3 * (size_t)point);
        }
    }
    return box;
}

// Depth first, the first link before the second. A table that is no tree is found out by the steps it takes.
static bool walk(const job *j, uint32_t a, list *out, mr_error *error)
{
    uint32_t stack[STACK];
    size_t depth = 0, steps = 0;
    mr_box box = box_of(&j->meshes.mesh[0], a);
    if (j->node_count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        const uint32_t *node = j->nodes + MR_BVH_NODE_WORDS * (size_t)stack[--depth];
        mr_box bounds = mr_bvh_box(j->nodes, stack[depth]);
        if (++steps > j->node_count) {
            return mr_kernel_refuse(error, j->call->kernel, "nodes",
                                    "is no tree: its links lead in a circle");
        }
        if (!overlap(&box, &bounds)) {
            continue;
        }
        uint32_t left = node[MR_BVH_LEFT], right = node[MR_BVH_RIGHT];
        if (right == MR_BVH_LEAF) {
            list_pair(j, out, a, left);
        } else if (left >= j->node_count || right >= j->node_count || depth + 2 > STACK) {
            return mr_kernel_refuse(error, j->call->kernel, "nodes", "is no tree: a link leads out of it");
        } else {
            stack[depth++] = right;
            stack[depth++] = left;
        }
    }
    return true;
}

static bool count_range(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t a = begin; a < end; a++) {
        list out = { NULL, 0, 0 };
        if (a < j->call->live && !walk(j, (uint32_t)a, &out, error)) {
            return false;
        }
        if (out.count > UINT32_MAX) {
            return mr_kernel_refuse(error, j->call->kernel, "cnt",
                                    "a triangle has more entries than 32 bits count");
        }
        j->counts[a] = (uint32_t)out.count;
    }
    return mr_keep_going(j->call->context, error);
}

static bool write_range(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    size_t total = j->call->params[TOTAL].u32;
    for (size_t a = begin; a < end; a++) {
        size_t first = j->start[a], last = a + 1 < j->call->live ? j->start[a + 1] : total;
        list out = { j->pairs + 3 * first, 0, last - first };
        if (!walk(j, (uint32_t)a, &out, error)) {
            return false;
        }
        if (out.count != out.room) {
            return mr_kernel_refuse(error, j->call->kernel, "start",
                                    "gives triangle %zu of A room for %zu entries, and it has %zu", a,
                                    out.room, out.count);
        }
    }
    return mr_keep_going(j->call->context, error);
}

// Offsets that ascend from 0 to the total, so that every triangle has a stretch of its own.
static bool check_start(const mr_kernel_call *call, const uint32_t *start, mr_error *error)
{
    size_t total = call->params[TOTAL].u32, before = 0;
    for (size_t a = 0; a < call->live; a++) {
        if (start[a] < before || start[a] > total || (a == 0 && start[a] != 0)) {
            return mr_kernel_refuse(error, call->kernel, "start",
                                    "is not the running total of the counts: at triangle %zu it is %u", a,
                                    start[a]);
        }
        before = start[a];
    }
    if (call->live == 0 && total != 0) {
        return mr_kernel_refuse(error, call->kernel, "pairs", "total is %zu over no triangles", total);
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *s = call->slots;
    size_t nb = call->params[NB].u32;
    job j = {
        .call = call,
        .meshes.mesh = { { s[APTS].f32, s[ATRI].u32, s[APTS].count, call->n },
                         { s[BPTS].f32, s[BTRI].u32, s[BPTS].count, nb } },
        .nodes = s[NODES].u32,
        .node_count = nb ? 2 * nb - 1 : 0,
    };
    if (call->choices[STAGE] == STAGE_COUNT) {
        j.counts = s[CNT].u32;
        return mr_parallel_for(call->context, call->n, GRAIN, count_range, &j, error);
    }
    j.start = s[START].u32;
    j.pairs = s[PAIRS].u32;
    return check_start(call, j.start, error) &&
           mr_parallel_for(call->context, call->live, GRAIN, write_range, &j, error);
}

const mr_kernel mr_kernel_intersect_pairs = {
    .name = "intersect_pairs",
    .summary =
        "Lists the parts (intersect_core) in which the triangles of mesh A cut those of mesh B: how many "
        "each "
        "triangle of A has, then, at the running total of those, the entries: by the triangle of A, then in "
        "the order the tree of B is walked, then by part.",
    .determinism = MR_EXACT,
    .gpu = "exact where f64 is there; one triangle of A an invocation",
    .bindings = { { .name = "apts",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "Where the points of A are. A triangle with a coordinate that is not finite cuts "
                           "nothing." },
                  { .name = "atri",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .flat = true,
                    .count = "3 * n",
                    .doc = "Three points a triangle of A. One out of range, or used twice, and it cuts "
                           "nothing." },
                  { .name = "bpts",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "Where the points of B are." },
                  { .name = "btri",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .flat = true,
                    .count = "3 * nb",
                    .doc = "Three points a triangle of B." },
                  { .name = "nodes",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .flat = true,
                    .count = "16 * nb - 8",
                    .doc = "The tree the bvh kernels make of B's triangles." },
                  { .name = "start",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "n",
                    .when = "STAGE=write",
                    .doc = "Where each triangle's entries begin: the running total of cnt before it." },
                  { .name = "cnt",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .when = "STAGE=count",
                    .doc = "How many entries each triangle of A has; 0 past the live ones." },
                  { .name = "pairs",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .count = "3 * total",
                    .when = "STAGE=write",
                    .doc = "Three words an entry: the triangle of A, the triangle of B, the part." },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "nb",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = MR_BVH_MOST,
                  .doc = "How many triangles B has." },
                { .name = "total",
                  .type = MR_U32,
                  .value = 0,
                  .low = 0,
                  .high = INT32_MAX / 3,
                  .doc = "The sum of all the counts, which pairs is made for." } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "STAGE", .options = "count write", .doc = "Which of the two is made." } },
    .run = run,
};
