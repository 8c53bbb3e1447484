// kernel/boolean_settle.c: points that are one but for rounding are merged, and edges are split at points that are on them but
// for rounding, in all faces alike, until nothing is that near.

#include "kernel/boolean_state.h"

enum { ROUNDS = 8 };

typedef struct split {
    uint32_t lo, hi, point;
    double t; // the fraction of the way from lo
} split;

typedef struct job {
    boolean *b;
    uint8_t *kinds;          // of the points that one stands for: 1 some are A's, 2 B's
    MR_ARRAY(uint32_t) near; // a face's points
    MR_ARRAY(split) splits;
    MR_ARRAY(uint32_t) order;
    bool changed;
} job;

typedef struct by_axis {
    const boolean *b;
    int axis;
} by_axis;

static double square_between(const float *a, const float *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)a[k] - (double)b[k];
        sum += d * d;
    }
    return sum;
}

// Points of one operand are left apart, however near they are, but where they are at one place.
static void try_merge(job *j, uint32_t p, uint32_t q)
{
    boolean *b = j->b;
    p = boolean_find(b, p);
    q = boolean_find(b, q);
    double square = square_between(boolean_position(b, p), boolean_position(b, q));
    if (p == q || square > b->tolerance * b->tolerance || ((j->kinds[p] & j->kinds[q]) && square > 0.0)) {
        return;
    }
    uint32_t lower = p < q ? p : q, higher = p < q ? q : p;
    b->same[higher] = lower;
    j->kinds[lower] |= j->kinds[higher];
    j->changed = true;
}

static bool lower_along(const void *self, uint32_t p, uint32_t q)
{
    const by_axis *by = self;
    float x = boolean_position(by->b, p)[by->axis], y = boolean_position(by->b, q)[by->axis];
    return x != y ? x < y : p < q;
}

// The face's points along the axis on which they are spread the most.
static bool list_points(job *j, const boolean_face *face, int *axis, mr_error *error)
{
    boolean *b = j->b;
    mr_box box = mr_box_empty();
    j->near.count = 0;
    for (size_t i = face->first; i < face->first + face->count; i++) {
        const boolean_edge *e = &b->edges.items[i];
        mr_box_add_point(&box, boolean_position(b, e->from));
        mr_box_add_point(&box, boolean_position(b, e->to));
        if (!mr_array_push(b->context, &j->near, e->from) || !mr_array_push(b->context, &j->near, e->to)) {
            return mr_fail_memory(error, (j->near.count + 2) * sizeof(uint32_t));
        }
    }
    *axis = 0;
    for (int k = 1; k < 3; k++) {
        *axis = box.high[k] - box.low[k] > box.high[*axis] - box.low[*axis] ? k : *axis;
    }
    by_axis by = { b, *axis };
    if (!boolean_order(b, j->near.items, j->near.count, lower_along, &by, error)) {
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < j->near.count; i++) {
        if (kept == 0 || j->near.items[kept - 1] != j->near.items[i]) {
            j->near.items[kept++] = j->near.items[i];
        }
    }
    j->near.count = kept;
    return true;
}

static bool merge_face(job *j, const boolean_face *face, mr_error *error)
{
    int axis;
    if (!list_points(j, face, &axis, error)) {
        return false;
    }
    for (size_t i = 0; i < j->near.count; i++) {
        double x = (double)boolean_position(j->b, j->near.items[i])[axis];
        for (size_t k = i + 1; k < j->near.count; k++) {
            if ((double)boolean_position(j->b, j->near.items[k])[axis] - x > j->b->tolerance) {
                break;
            }
            try_merge(j, j->near.items[i], j->near.items[k]);
        }
    }
    return true;
}

// Whether a point is on an edge, to within the tolerance, and between its ends.
static bool is_on(const job *j, const boolean_edge *e, uint32_t point, double *t)
{
    const float *from = boolean_position(j->b, e->from), *to = boolean_position(j->b, e->to);
    const float *at = boolean_position(j->b, point);
    double along = 0.0, length = 0.0, away = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)to[k] - (double)from[k], v = (double)at[k] - (double)from[k];
        along += d * v;
        length += d * d;
    }
    *t = along / length;
    if (!(*t > 0.0 && *t < 1.0)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        double d = (double)from[k] + *t * ((double)to[k] - (double)from[k]) - (double)at[k];
        away += d * d;
    }
    return away <= j->b->tolerance * j->b->tolerance;
}

static bool split_edge(job *j, const boolean_edge *e, int axis, mr_error *error)
{
    float from = boolean_position(j->b, e->from)[axis], to = boolean_position(j->b, e->to)[axis];
    double low = (double)(from < to ? from : to) - j->b->tolerance;
    double high = (double)(from < to ? to : from) + j->b->tolerance;
    size_t first = 0, last = j->near.count;
    while (first < last) {
        size_t middle = (first + last) / 2;
        if ((double)boolean_position(j->b, j->near.items[middle])[axis] < low) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    for (; first < j->near.count; first++) {
        uint32_t point = j->near.items[first];
        split s = { e->from, e->to, point, 0.0 };
        if ((double)boolean_position(j->b, point)[axis] > high) {
            break;
        }
        if (point != e->from && point != e->to && is_on(j, e, point, &s.t) &&
            !mr_array_push(j->b->context, &j->splits, s)) {
            return mr_fail_memory(error, (j->splits.count + 1) * sizeof s);
        }
    }
    return true;
}

static bool find_splits(job *j, const boolean_face *face, mr_error *error)
{
    int axis;
    if (!list_points(j, face, &axis, error)) {
        return false;
    }
    for (size_t i = face->first; i < face->first + face->count; i++) {
        if (!split_edge(j, &j->b->edges.items[i], axis, error)) {
            return false;
        }
    }
    return true;
}

static bool split_before(const void *self, uint32_t i, uint32_t k)
{
    const split *p = (const split *)self + i, *q = (const split *)self + k;
    return p->lo != q->lo   ? p->lo < q->lo
           : p->hi != q->hi ? p->hi < q->hi
           : p->t != q->t   ? p->t < q->t
                            : p->point < q->point;
}

static bool put_splits_in_order(job *j, mr_error *error)
{
    j->order.count = 0;
    for (uint32_t i = 0; i < j->splits.count; i++) {
        if (!mr_array_push(j->b->context, &j->order, i)) {
            return mr_fail_memory(error, j->splits.count * sizeof i);
        }
    }
    if (!boolean_order(j->b, j->order.items, j->order.count, split_before, j->splits.items, error)) {
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < j->order.count; i++) {
        const split *s = &j->splits.items[j->order.items[i]];
        const split *before = kept ? &j->splits.items[j->order.items[kept - 1]] : NULL;
        if (!before || before->lo != s->lo || before->hi != s->hi || before->point != s->point) {
            j->order.items[kept++] = j->order.items[i];
        }
    }
    j->order.count = kept;
    return true;
}

// The splits of an edge: their place in the order, and how many.
static size_t splits_of(const job *j, uint32_t lo, uint32_t hi, size_t *count)
{
    size_t first = 0, last = j->order.count;
    while (first < last) {
        size_t middle = (first + last) / 2;
        const split *s = &j->splits.items[j->order.items[middle]];
        if (s->lo < lo || (s->lo == lo && s->hi < hi)) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    for (*count = 0; first + *count < j->order.count; ++*count) {
        const split *s = &j->splits.items[j->order.items[first + *count]];
        if (s->lo != lo || s->hi != hi) {
            break;
        }
    }
    return first;
}

// Where a face's own side is split, what is across it has to be split too.
static bool wake_neighbours(job *j, mr_error *error)
{
    boolean *b = j->b;
    for (size_t f = 0; f < b->faces.count; f++) {
        const boolean_side *side = &b->side[b->faces.items[f].side];
        const uint32_t *ids = boolean_corners(side, b->faces.items[f].triangle);
        for (int i = 0; i < 3; i++) {
            uint32_t p = ids[i], q = ids[(i + 1) % 3], lo = p < q ? p : q, hi = p < q ? q : p;
            uint32_t from = boolean_find(b, side->base + lo), to = boolean_find(b, side->base + hi);
            size_t count;
            splits_of(j, from < to ? from : to, from < to ? to : from, &count);
            for (uint32_t s = side->first[lo]; count > 0 && s < side->first[lo + 1]; s++) {
                uint32_t triangle = (uint32_t)side->spokes[s] / 3;
                if (side->spokes[s] >> 32 == hi && !side->face_of[triangle] &&
                    !boolean_add_face(b, (uint32_t)(side - b->side), triangle, error)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// A face that was asleep begins as its triangle.
static bool add_whole(boolean *b, boolean_face *face, mr_error *error)
{
    const boolean_side *side = &b->side[face->side];
    const uint32_t *ids = boolean_corners(side, face->triangle);
    face->first = b->edges.count;
    for (int i = 0; i < 3; i++) {
        boolean_edge e = { side->base + ids[i], side->base + ids[(i + 1) % 3],
                           boolean_multiplicity(b, side, side->winding[ids[0]]) };
        if (e.count != 0 && !mr_array_push(b->context, &b->edges, e)) {
            return mr_fail_memory(error, (b->edges.count + 1) * sizeof e);
        }
    }
    face->count = b->edges.count - face->first;
    return true;
}

static bool add_split(job *j, boolean_edges *out, const boolean_edge *e, mr_error *error)
{
    size_t count, first = splits_of(j, e->from, e->to, &count);
    uint32_t last = e->from;
    for (size_t k = 0; k <= count; k++) {
        uint32_t to = k < count ? j->splits.items[j->order.items[first + k]].point : e->to;
        boolean_edge piece = { last, to, e->count };
        if (!mr_array_push(j->b->context, out, piece)) {
            return mr_fail_memory(error, (out->count + 1) * sizeof piece);
        }
        last = to;
    }
    return true;
}

// Every edge between the points that stand for its ends, split.
static bool rebuild(job *j, mr_error *error)
{
    boolean *b = j->b;
    boolean_edges old = b->edges, out = { 0 };
    bool good = true;
    for (size_t f = 0; good && f < b->faces.count; f++) {
        boolean_face *face = &b->faces.items[f];
        size_t first = out.count;
        for (size_t i = face->first; good && i < face->first + face->count; i++) {
            boolean_edge e = old.items[i];
            e.from = boolean_find(b, e.from);
            e.to = boolean_find(b, e.to);
            if (e.from > e.to) {
                e = (boolean_edge){ e.to, e.from, -e.count };
            }
            good = e.from == e.to || add_split(j, &out, &e, error);
        }
        face->first = first;
        face->count = out.count - first;
        boolean_tidy(out.items + first, &face->count);
        out.count = first + face->count;
    }
    mr_array_free(b->context, &old);
    b->edges = out;
    return good;
}

static bool run_round(job *j, mr_error *error)
{
    boolean *b = j->b;
    j->changed = false;
    j->splits.count = j->order.count = 0;
    for (size_t f = 0; f < b->faces.count; f++) {
        if (!merge_face(j, &b->faces.items[f], error)) {
            return false;
        }
    }
    if (j->changed && !rebuild(j, error)) {
        return false;
    }
    for (size_t f = 0; f < b->faces.count; f++) {
        if (!find_splits(j, &b->faces.items[f], error)) {
            return false;
        }
    }
    size_t faces = b->faces.count;
    if (j->splits.count == 0) {
        return true;
    }
    j->changed = true;
    if (!put_splits_in_order(j, error) || !wake_neighbours(j, error)) {
        return false;
    }
    for (size_t f = faces; f < b->faces.count; f++) {
        if (!add_whole(b, &b->faces.items[f], error)) {
            return false;
        }
    }
    return rebuild(j, error) && mr_keep_going(b->context, error);
}

bool boolean_settle(boolean *b, mr_error *error)
{
    job j = { .b = b, .kinds = boolean_take(b, b->total, 1, true, error) };
    if (!j.kinds) {
        return false;
    }
    uint32_t of_b = b->side[1].base, crossing = b->total - (uint32_t)b->point_count;
    for (uint32_t p = 0; p < crossing; p++) {
        j.kinds[p] = p < of_b ? 1 : 2;
    }
    bool good = true;
    for (int round = 0; good && round < ROUNDS && (round == 0 || j.changed); round++) {
        good = run_round(&j, error);
    }
    mr_array_free(b->context, &j.near);
    mr_array_free(b->context, &j.splits);
    mr_array_free(b->context, &j.order);
    return good;
}
