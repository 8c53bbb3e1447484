// kernel/boolean_move.c: which way each point is moved: out of every face it is part of (or into the solid), where there is
// such a way. B is moved by half of what A is, so that two meshes that are one part, and a point of A that has no such way
// still meets B's faces. A point of no triangle that is near the other mesh stays where it is, which is a way as good as any.
//
// Sums are of whole numbers, so that threads may add in any order.

#include "base/thread.h"
#include "kernel/boolean_near.h"

enum { GRAIN = 4096, SWEEPS = 32 };
#define MARGIN 0.05 // how far out of each face a way of length 1 should go
#define UNIT 0x1p24 // a normal's length as a whole number

typedef struct job {
    boolean *b;
    boolean_side *side;
    int64_t (*sum)[3];  // of each point
    int64_t (*more)[3]; // what its faces ask it to be moved by
    uint32_t *hits;     // how many of them do
    uint8_t *open;      // whether any did the last time
    bool first;
    uint32_t wanting;
    double way;
} job;

static bool normal_of(const boolean_side *side, const uint32_t *ids, double normal[3])
{
    double e[2][3], square = 0.0;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            e[i][k] = (double)boolean_at(side, ids[i + 1])[k] - (double)boolean_at(side, ids[0])[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        normal[k] = e[0][u] * e[1][v] - e[0][v] * e[1][u];
        square += normal[k] * normal[k];
    }
    if (!(square > 0.0)) {
        return false;
    }
    double length = __builtin_sqrt(square);
    for (int k = 0; k < 3; k++) {
        normal[k] /= length;
    }
    return true;
}

static void add_to(int64_t sum[3], const double normal[3])
{
    for (int k = 0; k < 3; k++) {
        __atomic_fetch_add(&sum[k], (int64_t)(normal[k] * UNIT), __ATOMIC_RELAXED);
    }
}

static bool add_normals(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *ids = boolean_corners(j->side, (uint32_t)t);
        double normal[3];
        if (!(j->open[ids[0]] | j->open[ids[1]] | j->open[ids[2]]) || !normal_of(j->side, ids, normal)) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            if (j->open[ids[i]]) {
                add_to(j->sum[ids[i]], normal);
            }
        }
    }
    return mr_keep_going(j->b->context, error);
}

// Asks every point that would not leave one of its faces by enough to be moved to where it would: the mean of the least moves
// (Cimmino's method), which goes to a way out of all faces where there is one, and along them where there is but that.
static bool mend(void *argument, size_t begin, size_t end, mr_error *error)
{
    job *j = argument;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *ids = boolean_corners(j->side, (uint32_t)t);
        double normal[3];
        if (!(j->open[ids[0]] | j->open[ids[1]] | j->open[ids[2]]) || !normal_of(j->side, ids, normal)) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            const int64_t *sum = j->sum[ids[i]];
            double out =
                ((double)sum[0] * normal[0] + (double)sum[1] * normal[1] + (double)sum[2] * normal[2]) / UNIT;
            if (j->open[ids[i]] && out < MARGIN) {
                double by = MARGIN - out;
                add_to(j->more[ids[i]], (double[3]){ by * normal[0], by * normal[1], by * normal[2] });
                __atomic_fetch_add(&j->hits[ids[i]], 1u, __ATOMIC_RELAXED);
            }
        }
    }
    return mr_keep_going(j->b->context, error);
}

// Makes the move, a half further than asked, and the way of length 1 again. A point that nothing was asked of is done.
static bool step(void *argument, size_t begin, size_t end, mr_error *error)
{
    job *j = argument;
    for (size_t p = begin; p < end; p++) {
        double way[3], square = 0.0;
        if (j->open[p] && j->first) {
            j->hits[p] = 1;
        }
        j->open[p] = j->hits[p] > 0;
        if (!j->open[p]) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            way[k] = (double)j->sum[p][k] + 1.5 * (double)j->more[p][k] / (double)j->hits[p];
            square += way[k] * way[k];
        }
        for (int k = 0; k < 3; k++) {
            j->sum[p][k] = square > 0.0 ? (int64_t)(way[k] * (UNIT / __builtin_sqrt(square))) : 0;
            j->more[p][k] = 0;
        }
        j->hits[p] = 0;
        __atomic_store_n(&j->wanting, 1u, __ATOMIC_RELAXED);
    }
    return mr_keep_going(j->b->context, error);
}

// To eleven bits: short numbers make the exact terms short.
static bool round_off(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t p = begin; p < end; p++) {
        for (int k = 0; k < 3; k++) {
            double part = (double)j->sum[p][k] / UNIT;
            j->side->along[p][k] = (float)(j->way * (double)(int)(part * 1024.0) / 1024.0);
        }
    }
    return mr_keep_going(j->b->context, error);
}

static bool move_side(boolean *b, const boolean_near *near, uint32_t which, double way, mr_error *error)
{
    boolean_side *side = &b->side[which];
    size_t points = side->mesh.point_count, triangles = side->mesh.triangle_count;
    job j = { .b = b, .side = side, .way = way };
    if (!(side->along = boolean_take(b, points, sizeof *side->along, false, error)) ||
        !(j.sum = boolean_take(b, points, sizeof *j.sum, true, error)) ||
        !(j.more = boolean_take(b, points, sizeof *j.more, true, error)) ||
        !(j.hits = boolean_take(b, points, sizeof *j.hits, true, error)) ||
        !(j.open = boolean_take(b, points, 1, true, error))) {
        return false;
    }
    for (size_t i = 0; i < 3 * near->count[which]; i++) {
        j.open[boolean_corners(side, near->triangles[which][i / 3])[i % 3]] = 1;
    }
    if (!mr_parallel_for(b->context, triangles, GRAIN, add_normals, &j, error)) {
        return false;
    }
    j.first = true;
    for (int sweep = 0; sweep <= SWEEPS; sweep++) {
        j.wanting = 0;
        if (!mr_parallel_for(b->context, points, GRAIN, step, &j, error)) {
            return false;
        }
        j.first = false;
        if (!j.wanting) {
            break;
        }
        if (sweep < SWEEPS && !mr_parallel_for(b->context, triangles, GRAIN, mend, &j, error)) {
            return false;
        }
    }
    return mr_parallel_for(b->context, points, GRAIN, round_off, &j, error);
}

bool boolean_move(boolean *b, const boolean_near *near, mr_error *error)
{
    double way = b->op == MR_BOOLEAN_UNION ? 1.0 : -1.0;
    return move_side(b, near, 0, way, error) &&
           move_side(b, near, 1, b->op == MR_BOOLEAN_INTERSECTION ? -0.5 : 0.5, error);
}
