// kernel/intersect_retri.c: the triangles of a mesh, cut along the segments that reach them.

#include "base/thread.h"
#include "kernel/intersect_core.h"
#include "kernel/intersect_planar.h"
#include "num/predicates.h"

#include <math.h>
#include <string.h>

enum { PTS, TRI, CUT, RUNS, ORDER, OFF, CNT, OUT };
enum { NPTS, TOTAL, ENTRIES, SIDE };
enum { COUNT, STAGE };
enum { STAGE_COUNT, STAGE_WRITE };
enum { GRAIN = 64, HEAD = 4 };

typedef struct job {
    const mr_kernel_call *call;
    mr_triangles mesh;
    const mr_cut_end *ends;
    const uint32_t *runs, *order, *off;
    uint32_t *counts, *out;
} job;

// One triangle being cut: its plane, and what each point of it is called.
typedef struct work {
    mr_planar planar;
    MR_ARRAY(uint32_t) names;  // a point of the mesh, or npts + slot
    MR_ARRAY(float) positions; // three words each
    double origin[3], axes[2][3];
} work;

static bool find_plane(work *w, const float *corners[3])
{
    double e[2][3], length = 0.0, along = 0.0, across = 0.0, largest = 0.0, longest = 0.0;
    for (int i = 0; i < 3; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            double size = __builtin_fabs((double)corners[i][k]),
                   d = (double)corners[(i + 1) % 3][k] - (double)corners[i][k];
            largest = size > largest ? size : largest;
            square += d * d;
        }
        longest = square > longest ? square : longest;
    }
    for (int k = 0; k < 3; k++) {
        w->origin[k] = (double)corners[0][k];
        e[0][k] = (double)corners[1][k] - (double)corners[0][k];
        e[1][k] = (double)corners[2][k] - (double)corners[0][k];
        length += e[0][k] * e[0][k];
        along += e[0][k] * e[1][k];
    }
    for (int k = 0; k < 3; k++) {
        w->axes[0][k] = e[0][k] / __builtin_sqrt(length);
        w->axes[1][k] = e[1][k] - e[0][k] * (along / length);
        across += w->axes[1][k] * w->axes[1][k];
    }
    for (int k = 0; k < 3; k++) {
        w->axes[1][k] /= __builtin_sqrt(across);
    }
    double by_place = 5e-7 * largest, by_size = 1e-7 * __builtin_sqrt(longest);
    w->planar.near = by_place > by_size ? by_place : by_size;
    return across > 0.0 && across < __builtin_inf();
}

// The point at a position: one that is there, or a new one of that name. UINT32_MAX: outside the triangle; no memory makes
// *good false.
static uint32_t point_at(work *w, const float *position, uint32_t name, bool *good)
{
    mr_planar *p = &w->planar;
    double at[2] = { 0.0, 0.0 };
    for (int k = 0; k < 3; k++) {
        double d = (double)position[k] - w->origin[k];
        at[0] += d * w->axes[0][k];
        at[1] += d * w->axes[1][k];
    }
    for (uint32_t i = 0; i < w->names.count; i++) {
        double x = p->points.items[2 * i] - at[0], y = p->points.items[2 * i + 1] - at[1];
        if (x * x + y * y <= p->near * p->near) {
            return i;
        }
    }
    for (uint32_t i = 0; w->names.count >= 3 && i < 3; i++) {
        const double *a = p->points.items + 2 * i, *b = p->points.items + 2 * ((i + 1) % 3);
        double x = b[0] - a[0], y = b[1] - a[1], out = (at[0] - a[0]) * y - (at[1] - a[1]) * x;
        if (!(out <= 0.0 || out * out <= p->near * p->near * (x * x + y * y))) {
            return UINT32_MAX;
        }
    }
    *good = mr_array_push(p->context, &p->points, at[0]) && mr_array_push(p->context, &p->points, at[1]) &&
            mr_array_push(p->context, &w->names, name);
    for (int k = 0; *good && k < 3; k++) {
        *good = mr_array_push(p->context, &w->positions, position[k]);
    }
    return (uint32_t)w->names.count - 1;
}

static bool on_one_line(const work *w, const mr_planar_triangle *t)
{
    for (int axis = 0; axis < 3; axis++) {
        float flat[3][2];
        for (int i = 0; i < 3; i++) {
            const float *at = w->positions.items + 3 * (size_t)t->corners[i];
            flat[i][0] = at[(axis + 1) % 3];
            flat[i][1] = at[(axis + 2) % 3];
        }
        if (mr_orient2d(flat[0], flat[1], flat[2]) != 0) {
            return false;
        }
    }
    return true;
}

// The points and segments of the entries that cut this mesh. *cut: there are some.
static bool take_entries(const job *j, work *w, uint32_t triangle, bool *cut, mr_error *error)
{
    uint32_t first = j->runs[2 * (size_t)triangle], count = j->runs[2 * (size_t)triangle + 1];
    uint32_t entries = j->call->params[ENTRIES].u32, side = 1u << j->call->params[SIDE].u32;
    *cut = false;
    if (first > entries || count > entries - first) {
        return mr_kernel_refuse(error, j->call->kernel, "runs",
                                "triangle %u has entries %u to %u, and there are %u", triangle, first,
                                first + count - 1, entries);
    }
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t entry = j->order[i], points[2];
        bool good = true;
        if (entry >= entries) {
            return mr_kernel_refuse(error, j->call->kernel, "order", "names entry %u, and there are %u",
                                    entry, entries);
        }
        if (!(j->ends[2 * (size_t)entry].kind >> MR_END_CUTS_SHIFT & side)) {
            continue;
        }
        for (uint32_t e = 0; good && e < 2; e++) {
            uint32_t slot = 2 * entry + e;
            points[e] = point_at(w, j->ends[slot].position, j->call->params[NPTS].u32 + slot, &good);
        }
        mr_planar_edge segment = { points[0], points[1] };
        if (good && points[0] != points[1] && points[0] != UINT32_MAX && points[1] != UINT32_MAX) {
            good = mr_array_push(w->planar.context, &w->planar.segments, segment);
        }
        if (!good) {
            return mr_fail_memory(error, w->names.count * sizeof(float));
        }
        *cut = true;
    }
    return true;
}

// Cuts a triangle; its pieces, of which there is one where nothing reaches it, are then in the planar's triangles.
static bool cut_triangle(const job *j, work *w, uint32_t triangle, mr_error *error)
{
    const uint32_t *ids = j->mesh.triangles + 3 * (size_t)triangle;
    const float *corners[3];
    bool cut = false, good = true;
    w->planar.points.count = w->planar.segments.count = w->planar.triangles.count = 0;
    w->names.count = w->positions.count = 0;
    for (int i = 0; i < 3; i++) {
        if (ids[i] >= j->mesh.point_count || ids[i] >= j->call->params[NPTS].u32) {
            return mr_kernel_refuse(error, j->call->kernel, "tri",
                                    "triangle %u names point %u, and there is none", triangle, ids[i]);
        }
        corners[i] = j->mesh.points + 3 * (size_t)ids[i];
    }
    if (j->runs[2 * (size_t)triangle + 1] > 0 && find_plane(w, corners)) {
        for (int i = 0; i < 3; i++) {
            point_at(w, corners[i], ids[i], &good);
        }
        // Corners at one place leave a triangle of no area whole.
        if (good && w->names.count == 3 && !take_entries(j, w, triangle, &cut, error)) {
            return false;
        }
    }
    mr_planar_triangle whole = { { 0, 1, 2 } };
    if (!cut) {
        w->names.count = 0;
        for (int i = 0; good && i < 3; i++) {
            good = mr_array_push(w->planar.context, &w->names, ids[i]);
        }
        good = good && mr_array_push(w->planar.context, &w->planar.triangles, whole);
    } else {
        good = good && mr_planar_cut(&w->planar);
        size_t kept = 0;
        for (size_t i = 0; good && i < w->planar.triangles.count; i++) {
            if (!on_one_line(w, &w->planar.triangles.items[i])) {
                w->planar.triangles.items[kept++] = w->planar.triangles.items[i];
            }
        }
        w->planar.triangles.count = kept;
    }
    return good || mr_fail_memory(error, w->names.count * sizeof(double));
}

static bool write_pieces(const job *j, const work *w, uint32_t triangle, mr_error *error)
{
    size_t first = j->off[triangle], total = j->call->params[TOTAL].u32;
    size_t last = triangle + 1 < j->call->live ? j->off[triangle + 1] : total;
    if (last - first != w->planar.triangles.count) {
        return mr_kernel_refuse(error, j->call->kernel, "off",
                                "gives triangle %u room for %zu pieces, and it has %zu", triangle,
                                last - first, w->planar.triangles.count);
    }
    for (size_t i = 0; i < w->planar.triangles.count; i++) {
        uint32_t *words = j->out + HEAD + 4 * (first + i);
        for (int k = 0; k < 3; k++) {
            words[k] = w->names.items[w->planar.triangles.items[i].corners[k]];
        }
        words[3] = triangle;
    }
    return true;
}

static bool cut_range(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    work w = { .planar.context = j->call->context };
    bool good = true;
    for (size_t t = begin; good && t < end; t++) {
        if (t >= j->call->live) {
            j->counts[t] = 0; // the count stage alone goes so far
            continue;
        }
        good = cut_triangle(j, &w, (uint32_t)t, error);
        if (good && j->counts) {
            j->counts[t] = (uint32_t)w.planar.triangles.count;
        } else {
            good = good && write_pieces(j, &w, (uint32_t)t, error);
        }
    }
    mr_array_free(j->call->context, &w.names);
    mr_array_free(j->call->context, &w.positions);
    mr_planar_free(&w.planar);
    return good && mr_keep_going(j->call->context, error);
}

static bool check_off(const job *j, mr_error *error)
{
    size_t before = 0, total = j->call->params[TOTAL].u32;
    for (size_t t = 0; t < j->call->live; t++) {
        if (j->off[t] < before || j->off[t] > total || (t == 0 && j->off[0] != 0)) {
            return mr_kernel_refuse(error, j->call->kernel, "off",
                                    "is not the running total of the counts: at triangle %zu it is %u", t,
                                    j->off[t]);
        }
        before = j->off[t];
    }
    return total == 0 || j->call->live > 0 ||
           mr_kernel_refuse(error, j->call->kernel, "out", "total is %zu over no triangles", total);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *s = call->slots;
    bool counting = call->choices[STAGE] == STAGE_COUNT;
    job j = {
        .call = call,
        .mesh = { s[PTS].f32, s[TRI].u32, s[PTS].count, call->n },
        .ends = s[CUT].data,
        .runs = s[RUNS].u32,
        .order = s[ORDER].u32,
        .off = counting ? NULL : s[OFF].u32,
        .counts = counting ? s[CNT].u32 : NULL,
        .out = s[OUT].u32,
    };
    memset(j.out, 0, s[OUT].count * sizeof *j.out);
    return (counting || check_off(&j, error)) &&
           mr_parallel_for(call->context, counting ? call->n : call->live, GRAIN, cut_range, &j, error);
}

const mr_kernel mr_kernel_intersect_retri = {
    .name = "intersect_retri",
    .summary = "The triangles of one mesh cut along the segments of the entries that reach them: how many "
               "pieces each "
               "becomes, then, at the running total of those, the pieces, wound as their triangle is.",
    .determinism = MR_EXACT,
    .gpu = "exact where f64 is there; one triangle an invocation",
    .bindings = { { .name = "pts",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "Where the mesh's points are." },
                  { .name = "tri",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .flat = true,
                    .count = "3 * n",
                    .doc = "Three points a triangle; one of no area is left whole." },
                  { .name = "cut",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .flat = true,
                    .count = "16 * entries",
                    .doc = "The ends, as intersect_cuts writes them. One outside the triangle, which no cut "
                           "of it is, is "
                           "passed over." },
                  { .name = "runs",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .flat = true,
                    .count = "2 * n",
                    .doc = "Each triangle's entries: the first in order, and how many." },
                  { .name = "order",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "entries",
                    .doc = "The entries by this mesh's triangle." },
                  { .name = "off",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "n",
                    .when = "STAGE=write",
                    .doc = "Where each triangle's pieces begin: the running total of cnt before it." },
                  { .name = "cnt",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .when = "STAGE=count",
                    .doc = "How many pieces each triangle becomes; 0 past the live ones." },
                  { .name = "out",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .count = "4 + 4 * total + 64 * n + 40 * entries",
                    .doc = "Four words, the first 1 where working space ran out (here never); four a piece: "
                           "its corners "
                           "(a point of the mesh, or npts + the slot of an end) and its triangle; then room "
                           "that a GPU "
                           "works in, 0." },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "npts",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = INT32_MAX,
                  .doc = "How many points the mesh has: corners from here on are ends of cuts." },
                { .name = "total",
                  .type = MR_U32,
                  .value = 0,
                  .low = 0,
                  .high = INT32_MAX / 4 - 1,
                  .doc = "The sum of all the counts; 0 in the count stage." },
                { .name = "entries",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = INT32_MAX / 40,
                  .doc = "How many entries there are." },
                { .name = "side",
                  .type = MR_U32,
                  .value = 0,
                  .low = 0,
                  .high = 1,
                  .doc = "Which mesh this is: 0 A, 1 B. Entries whose ends say that they cut the other are "
                         "passed over." } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "STAGE", .options = "count write", .doc = "Which of the two is made." } },
    .run = run,
};
