// kernel/boolean_check.c: whether an operand is a closed solid, and its half-edges by their points.

#include "base/thread.h"
#include "kernel/boolean_state.h"
#include "kernel/scan.h"

#include <string.h>

enum { GRAIN = 4096 };

typedef struct job {
    boolean *b;
    boolean_side *side;
    mr_box *boxes;    // one a run
    double *volumes;  // one a run, six times
    uint32_t *cursor; // where the next half-edge of a point goes
} job;

static bool bad(const job *j, mr_error *error, const char *format, uint32_t x, uint32_t y, uint32_t z)
{
    mr_fail(error, MR_BAD_INPUT, format, x, y, z);
    return mr_fail_prefix(error, "boolean: operand %s", j->side->name);
}

static bool check_corners(const job *j, uint32_t t, mr_error *error)
{
    const uint32_t *ids = boolean_corners(j->side, t);
    for (int i = 0; i < 3; i++) {
        if (ids[i] >= j->side->mesh.point_count) {
            return bad(j, error, "triangle %u names point %u, and there is none", t, ids[i], 0);
        }
        if (ids[i] == ids[(i + 1) % 3]) {
            return bad(j, error, "triangle %u names point %u twice", t, ids[i], 0);
        }
        const float *at = boolean_at(j->side, ids[i]);
        for (int k = 0; k < 3; k++) {
            if (!(__builtin_fabsf(at[k]) <= 3.4028234663852886e38f)) {
                return bad(j, error, "point %u of triangle %u is not finite", ids[i], t, 0);
            }
        }
    }
    return true;
}

static double volume_of(const job *j, uint32_t t)
{
    const uint32_t *ids = boolean_corners(j->side, t);
    const float *o = j->side->mesh.points + 3 * (size_t)j->side->mesh.triangles[0];
    double e[3][3];
    for (int i = 0; i < 3; i++) {
        const float *at = boolean_at(j->side, ids[i]);
        for (int k = 0; k < 3; k++) {
            e[i][k] = (double)at[k] - (double)o[k];
        }
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static bool look(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    size_t run = mr_parallel_run_of(j->side->mesh.triangle_count, GRAIN, begin);
    mr_box box = mr_box_empty();
    double volume = 0.0;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *ids = boolean_corners(j->side, (uint32_t)t);
        if (!check_corners(j, (uint32_t)t, error)) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            uint32_t next = ids[(i + 1) % 3], lo = ids[i] < next ? ids[i] : next;
            __atomic_fetch_add(&j->side->first[lo], 1u, __ATOMIC_RELAXED);
            mr_box_add_point(&box, boolean_at(j->side, ids[i]));
        }
        volume += volume_of(j, (uint32_t)t);
    }
    j->boxes[run] = box;
    j->volumes[run] = volume;
    return mr_keep_going(j->b->context, error);
}

static bool spread(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t h = 3 * begin; h < 3 * end; h++) {
        uint32_t from = j->side->mesh.triangles[h], to = j->side->mesh.triangles[h % 3 == 2 ? h - 2 : h + 1];
        uint32_t lo = from < to ? from : to, hi = from < to ? to : from;
        uint32_t place = __atomic_fetch_add(&j->cursor[lo], 1u, __ATOMIC_RELAXED);
        j->side->spokes[place] = (uint64_t)hi << 32 | h;
    }
    return mr_keep_going(j->b->context, error);
}

static void sift(uint64_t *items, size_t at, size_t count)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && items[child] < items[child + 1];
        if (items[at] >= items[child]) {
            return;
        }
        uint64_t swap = items[at];
        items[at] = items[child];
        items[child] = swap;
    }
}

// A fan of any size stays quick: insertion for the usual six, a heap for the rest.
static void put_in_order(uint64_t *items, size_t count)
{
    if (count <= 32) {
        for (size_t i = 1; i < count; i++) {
            uint64_t item = items[i];
            size_t at = i;
            for (; at > 0 && items[at - 1] > item; at--) {
                items[at] = items[at - 1];
            }
            items[at] = item;
        }
        return;
    }
    for (size_t i = count / 2; i-- > 0;) {
        sift(items, i, count);
    }
    for (size_t last = count - 1; last > 0; last--) {
        uint64_t swap = items[0];
        items[0] = items[last];
        items[last] = swap;
        sift(items, 0, last);
    }
}

// Whether the half-edges of one edge, all of them, go as often one way as the other.
static bool check_edge(const job *j, uint32_t lo, const uint64_t *spokes, size_t count, mr_error *error)
{
    uint32_t hi = (uint32_t)(spokes[0] >> 32), triangle = (uint32_t)spokes[0] / 3;
    size_t up = 0;
    for (size_t i = 0; i < count; i++) {
        up += j->side->mesh.triangles[(uint32_t)spokes[i]] == lo;
    }
    if (2 * up == count) {
        return true;
    }
    if (count % 2 == 1) {
        return bad(j, error,
                   "is open: the edge from point %u to point %u has a triangle (%u) on one side and none on "
                   "the other",
                   lo, hi, triangle);
    }
    return bad(
        j, error,
        "is badly oriented: the triangles at the edge from point %u to point %u (%u and its neighbour) go "
        "along it the same way",
        lo, hi, triangle);
}

static bool match(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t p = begin; p < end; p++) {
        uint64_t *spokes = j->side->spokes + j->side->first[p];
        size_t count = j->side->first[p + 1] - j->side->first[p];
        put_in_order(spokes, count);
        for (size_t i = 0, n; i < count; i += n) {
            for (n = 1; i + n < count && spokes[i + n] >> 32 == spokes[i] >> 32; n++) {
            }
            if (!check_edge(j, (uint32_t)p, spokes + i, n, error)) {
                return false;
            }
        }
    }
    return mr_keep_going(j->b->context, error);
}

static bool fold_runs(job *j, size_t runs, mr_error *error)
{
    double volume = 0.0;
    j->side->box = mr_box_empty();
    for (size_t i = 0; i < runs; i++) {
        mr_box_add(&j->side->box, &j->boxes[i]);
        volume += j->volumes[i];
    }
    double size = 0.0;
    for (int k = 0; k < 3; k++) {
        double side = (double)j->side->box.high[k] - (double)j->side->box.low[k];
        size = side > size ? side : size;
    }
    // What rounding leaves of a solid that is flat is not inside out.
    if (volume < -1e-12 * size * size * size) {
        return bad(j, error,
                   "is inside out: its volume is below 0, so its triangles are wound clockwise from outside",
                   0, 0, 0);
    }
    return true;
}

bool boolean_check(boolean *b, uint32_t which, mr_error *error)
{
    boolean_side *side = &b->side[which];
    size_t triangles = side->mesh.triangle_count, points = side->mesh.point_count;
    size_t runs = mr_parallel_runs(triangles, GRAIN);
    job j = { .b = b, .side = side };
    side->box = mr_box_empty();
    if (!(side->first = boolean_take(b, points + 1, sizeof *side->first, true, error)) ||
        !(side->spokes = boolean_take(b, 3 * triangles, sizeof *side->spokes, false, error)) ||
        !(j.boxes = boolean_take(b, runs, sizeof *j.boxes, false, error)) ||
        !(j.volumes = boolean_take(b, runs, sizeof *j.volumes, false, error)) ||
        !(j.cursor = boolean_take(b, points + 1, sizeof *j.cursor, false, error))) {
        return false;
    }
    // The first corner is what volumes are seen from, so it is looked at before the rest.
    return (triangles == 0 || check_corners(&j, 0, error)) &&
           mr_parallel_for(b->context, triangles, GRAIN, look, &j, error) &&
           mr_scan_counts(b->context, side->first, points + 1, side->first, NULL, error) &&
           (memcpy(j.cursor, side->first, (points + 1) * sizeof *j.cursor), true) &&
           mr_parallel_for(b->context, triangles, GRAIN, spread, &j, error) &&
           mr_parallel_for(b->context, points, GRAIN, match, &j, error) && fold_runs(&j, runs, error);
}
