// kernel/boolean_fill.c: what is kept of a face, as triangles: its boundary followed into loops, the holes joined to what is
// around them, and each loop cut into ears. In the plane of the two coordinates that the face is widest in.

#include "kernel/boolean_ears.h"
#include "kernel/boolean_state.h"
#include "num/predicates.h"

#include <string.h>

typedef struct loop {
    uint32_t start; // a node
    size_t count;
    double area;   // twice
    uint32_t left; // its leftmost node
    bool is_hole, done;
} loop;

// A directed edge to be followed once.
typedef struct step {
    uint32_t from, to; // places in points
    bool taken;
} step;

typedef struct job {
    boolean *b;
    MR_ARRAY(uint32_t) points; // the face's, ascending
    MR_ARRAY(float) flat;      // two words a point
    MR_ARRAY(step) steps;      // by from
    MR_ARRAY(uint32_t) first;  // the first step of each point, and one more
    MR_ARRAY(loop) loops;
    boolean_nodes nodes;
    boolean_ears ears;
    MR_ARRAY(uint32_t) order;
} job;

// The axes of the face's plane, so that it is seen turning left, or right where the operand's faces are turned over.
static void axes_of(const boolean *b, const boolean_face *face, int axes[2])
{
    const boolean_side *side = &b->side[face->side];
    const uint32_t *ids = boolean_corners(side, face->triangle);
    double e[2][3], normal[3];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            e[i][k] = (double)boolean_at(side, ids[i + 1])[k] - (double)boolean_at(side, ids[0])[k];
        }
    }
    int widest = 0;
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        normal[k] = e[0][u] * e[1][v] - e[0][v] * e[1][u];
        widest = __builtin_fabs(normal[k]) > __builtin_fabs(normal[widest]) ? k : widest;
    }
    bool turned = (normal[widest] < 0.0) != (b->op == MR_BOOLEAN_DIFFERENCE && face->side == 1);
    axes[0] = (widest + (turned ? 2 : 1)) % 3;
    axes[1] = (widest + (turned ? 1 : 2)) % 3;
}

static uint32_t place_of(const job *j, uint32_t point)
{
    size_t first = 0, last = j->points.count;
    while (first + 1 < last) {
        size_t middle = (first + last) / 2;
        if (j->points.items[middle] <= point) {
            first = middle;
        } else {
            last = middle;
        }
    }
    return (uint32_t)first;
}

static bool by_number(const void *self, uint32_t p, uint32_t q)
{
    (void)self;
    return p < q;
}

static bool list_points(job *j, const boolean_face *face, mr_error *error)
{
    boolean *b = j->b;
    int axes[2];
    axes_of(b, face, axes);
    j->points.count = 0;
    for (size_t i = face->first; i < face->first + face->count; i++) {
        const boolean_edge *e = &b->edges.items[i];
        if (!mr_array_push(b->context, &j->points, e->from) ||
            !mr_array_push(b->context, &j->points, e->to)) {
            return mr_fail_memory(error, j->points.count * sizeof(uint32_t));
        }
    }
    if (!boolean_order(b, j->points.items, j->points.count, by_number, NULL, error)) {
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < j->points.count; i++) {
        if (kept == 0 || j->points.items[kept - 1] != j->points.items[i]) {
            j->points.items[kept++] = j->points.items[i];
        }
    }
    j->points.count = kept;
    if (!mr_array_reserve(b->context, &j->flat, 2 * kept)) {
        return mr_fail_memory(error, 2 * kept * sizeof(float));
    }
    for (size_t i = 0; i < kept; i++) {
        const float *at = boolean_position(b, j->points.items[i]);
        j->flat.items[2 * i] = at[axes[0]];
        j->flat.items[2 * i + 1] = at[axes[1]];
    }
    return true;
}

// The edges as steps, by where they begin; an edge gone along n times is n steps.
static bool list_steps(job *j, const boolean_face *face, mr_error *error)
{
    boolean *b = j->b;
    size_t points = j->points.count, total = 0;
    for (size_t i = face->first; i < face->first + face->count; i++) {
        int32_t count = b->edges.items[i].count;
        total += (size_t)(count < 0 ? -count : count);
    }
    if (!mr_array_reserve(b->context, &j->steps, total) ||
        !mr_array_reserve(b->context, &j->first, points + 2)) {
        return mr_fail_memory(error, total * sizeof(step));
    }
    memset(j->first.items, 0, (points + 2) * sizeof(uint32_t));
    uint32_t *next = j->first.items + 1;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = face->first; i < face->first + face->count; i++) {
            const boolean_edge *e = &b->edges.items[i];
            uint32_t from = place_of(j, e->count < 0 ? e->to : e->from);
            uint32_t to = place_of(j, e->count < 0 ? e->from : e->to);
            for (int32_t n = e->count < 0 ? -e->count : e->count; n > 0; n--) {
                if (pass == 0) {
                    next[from + 1]++;
                } else {
                    j->steps.items[next[from]++] = (step){ from, to, false };
                }
            }
        }
        for (size_t p = 0; pass == 0 && p < points; p++) {
            next[p + 1] += next[p];
        }
    }
    j->steps.count = total;
    return true;
}

static const float *flat_of(const job *j, uint32_t point)
{
    return j->flat.items + 2 * (size_t)point;
}

// Of two ways on from a point, whether x is turned to first, clockwise from the way back.
static bool clockwise_first(const job *j, uint32_t point, uint32_t back, uint32_t x, uint32_t y)
{
    const float *o = flat_of(j, point), *r = flat_of(j, back), *p = flat_of(j, x), *q = flat_of(j, y);
    int px = mr_orient2d(o, r, p), qx = mr_orient2d(o, r, q);
    // Right of the way back, or straight on, comes before left of it and before the way back itself.
    bool p_right = px < 0, q_right = qx < 0;
    if (p_right != q_right) {
        return p_right;
    }
    return mr_orient2d(o, p, q) < 0;
}

// The way on: of several the first clockwise from the way back, which keeps loops that only touch apart.
static step *way_on(job *j, uint32_t point, uint32_t back)
{
    step *best = NULL;
    for (uint32_t i = j->first.items[point]; i < j->first.items[point + 1]; i++) {
        step *s = &j->steps.items[i];
        if (!s->taken && (!best || clockwise_first(j, point, back, s->to, best->to))) {
            best = s;
        }
    }
    return best;
}

static void measure(const job *j, loop *l)
{
    const boolean_node *nodes = j->nodes.items;
    const float *o = flat_of(j, nodes[l->start].point);
    l->area = 0.0;
    l->left = l->start;
    uint32_t node = l->start;
    for (size_t i = 0; i < l->count; i++, node = nodes[node].after) {
        const float *p = flat_of(j, nodes[node].point), *q = flat_of(j, nodes[nodes[node].after].point);
        const float *left = flat_of(j, nodes[l->left].point);
        l->area += ((double)p[0] - (double)o[0]) * ((double)q[1] - (double)o[1]) -
                   ((double)p[1] - (double)o[1]) * ((double)q[0] - (double)o[0]);
        if (p[0] < left[0] || (p[0] == left[0] && p[1] < left[1])) {
            l->left = node;
        }
    }
    l->is_hole = l->area < 0.0;
}

static bool follow(job *j, step *s, mr_error *error)
{
    // The first step stays free, so that the loop ends where that is the way on, and not at the first return.
    uint32_t base = (uint32_t)j->nodes.count;
    step *next = s;
    do {
        boolean_node node = { next->from, (uint32_t)j->nodes.count - 1, (uint32_t)j->nodes.count + 1 };
        if (!mr_array_push(j->b->context, &j->nodes, node)) {
            return mr_fail_memory(error, j->nodes.count * sizeof node);
        }
        next->taken = next != s;
        next = way_on(j, next->to, next->from);
        if (!next) {
            return mr_fail(error, MR_INTERNAL, "boolean: the boundary of a face does not close");
        }
    } while (next != s);
    s->taken = true;
    uint32_t last = (uint32_t)j->nodes.count - 1;
    j->nodes.items[base].before = last;
    j->nodes.items[last].after = base;
    loop l = { .start = base, .count = j->nodes.count - base };
    measure(j, &l);
    return mr_array_push(j->b->context, &j->loops, l) ||
           mr_fail_memory(error, (j->loops.count + 1) * sizeof l);
}

// Whether a point is inside a loop: how often a ray to the left meets it.
static bool is_inside(const job *j, const loop *l, const float *at)
{
    bool inside = false;
    uint32_t node = l->start;
    for (size_t i = 0; i < l->count; i++, node = j->nodes.items[node].after) {
        const float *p = flat_of(j, j->nodes.items[node].point);
        const float *q = flat_of(j, j->nodes.items[j->nodes.items[node].after].point);
        if ((p[1] > at[1]) != (q[1] > at[1])) {
            inside ^= mr_orient2d(p, q, at) == (q[1] > p[1] ? -1 : 1);
        }
    }
    return inside;
}

// The smallest loop around a hole, or -1.
static long around(const job *j, const loop *hole)
{
    long best = -1;
    for (size_t i = 0; i < j->loops.count; i++) {
        const loop *l = &j->loops.items[i];
        if (!l->is_hole && l->area > -hole->area && (best < 0 || l->area < j->loops.items[best].area)) {
            // Some corner of a hole is inside and not only on the edge.
            uint32_t node = hole->start;
            size_t in = 0;
            for (size_t k = 0; k < hole->count; k++, node = j->nodes.items[node].after) {
                in += is_inside(j, l, flat_of(j, j->nodes.items[node].point));
            }
            best = 2 * in >= hole->count ? (long)i : best;
        }
    }
    return best;
}

// Whether the corner at `node` opens towards a point: the segment leaves it on the loop's inside.
static bool opens_towards(const job *j, uint32_t node, const float *p)
{
    const boolean_node *n = &j->nodes.items[node];
    const float *a = flat_of(j, j->nodes.items[n->before].point), *o = flat_of(j, n->point);
    const float *c = flat_of(j, j->nodes.items[n->after].point);
    bool convex = mr_orient2d(a, o, c) > 0;
    bool left_in = mr_orient2d(a, o, p) > 0, left_out = mr_orient2d(o, c, p) > 0;
    return convex ? left_in && left_out : left_in || left_out;
}

// The corner of the loop that a hole's leftmost corner is joined to: what a ray to the left meets first, or, of the corners
// between, the one at the least angle to the ray (Eberly 2002, "Triangulation by ear clipping").
static uint32_t bridge_of(const job *j, const loop *l, const float *at)
{
    const boolean_node *nodes = j->nodes.items;
    double near = -__builtin_inf();
    uint32_t best = l->start, node = l->start;
    for (size_t i = 0; i < l->count; i++, node = nodes[node].after) {
        const float *p = flat_of(j, nodes[node].point), *q = flat_of(j, nodes[nodes[node].after].point);
        // The inside is to the left of an edge that goes down.
        if (p[1] >= at[1] && q[1] <= at[1] && p[1] != q[1]) {
            double t = ((double)p[1] - (double)at[1]) / ((double)p[1] - (double)q[1]);
            double x = (double)p[0] + t * ((double)q[0] - (double)p[0]);
            if (x <= (double)at[0] && x > near) {
                near = x;
                best = p[0] < q[0] ? node : nodes[node].after;
                best = q[1] == at[1] ? nodes[node].after : p[1] == at[1] ? node : best;
            }
        }
    }
    const float *m = flat_of(j, nodes[best].point);
    double least = __builtin_inf();
    uint32_t chosen = best;
    node = l->start;
    for (size_t i = 0; i < l->count; i++, node = nodes[node].after) {
        const float *p = flat_of(j, nodes[node].point);
        double away = (double)at[0] - (double)p[0], rise = __builtin_fabs((double)p[1] - (double)at[1]);
        bool within = p[0] >= m[0] && p[0] <= at[0] &&
                      (m[1] > at[1] ? p[1] >= at[1] && p[1] <= m[1] : p[1] <= at[1] && p[1] >= m[1]);
        double slope = away > 0.0 ? rise / away : rise > 0.0 ? __builtin_inf() : -1.0;
        if (within && opens_towards(j, node, at) &&
            (slope < least || (slope == least && p[0] > flat_of(j, nodes[chosen].point)[0]))) {
            least = slope;
            chosen = node;
        }
    }
    return chosen;
}

// Joins a hole to a loop at a corner, by an edge there and back.
static bool join(job *j, loop *l, const loop *hole, mr_error *error)
{
    uint32_t node = bridge_of(j, l, flat_of(j, j->nodes.items[hole->left].point)), own = hole->left;
    uint32_t twin = (uint32_t)j->nodes.count, own_twin = twin + 1;
    boolean_node blank = { 0 };
    if (!mr_array_push(j->b->context, &j->nodes, blank) || !mr_array_push(j->b->context, &j->nodes, blank)) {
        return mr_fail_memory(error, j->nodes.count * sizeof blank);
    }
    boolean_node *n = j->nodes.items;
    // before - node - own - the hole - own_twin - twin - after
    n[twin] = (boolean_node){ n[node].point, own_twin, n[node].after };
    n[own_twin] = (boolean_node){ n[own].point, n[own].before, twin };
    n[n[node].after].before = twin;
    n[n[own].before].after = own_twin;
    n[node].after = own;
    n[own].before = node;
    l->count += hole->count + 2;
    return true;
}

static bool left_first(const void *self, uint32_t p, uint32_t q)
{
    const job *j = self;
    const float *a = flat_of(j, j->nodes.items[j->loops.items[p].left].point);
    const float *b = flat_of(j, j->nodes.items[j->loops.items[q].left].point);
    return a[0] != b[0] ? a[0] < b[0] : a[1] != b[1] ? a[1] < b[1] : p < q;
}

static bool join_holes(job *j, mr_error *error)
{
    j->order.count = 0;
    for (uint32_t i = 0; i < j->loops.count; i++) {
        if (j->loops.items[i].is_hole && !mr_array_push(j->b->context, &j->order, i)) {
            return mr_fail_memory(error, j->loops.count * sizeof i);
        }
    }
    if (!boolean_order(j->b, j->order.items, j->order.count, left_first, j, error)) {
        return false;
    }
    for (size_t i = 0; i < j->order.count; i++) {
        loop *hole = &j->loops.items[j->order.items[i]];
        long outer = around(j, hole);
        if (outer >= 0) {
            hole->done = true;
            if (!join(j, &j->loops.items[outer], hole, error)) {
                return false;
            }
        }
    }
    return true;
}

static void turn_over(job *j, const loop *l)
{
    boolean_node *n = j->nodes.items;
    uint32_t node = l->start;
    for (size_t i = 0; i < l->count; i++) {
        uint32_t after = n[node].after;
        n[node].after = n[node].before;
        n[node].before = after;
        node = after;
    }
}

static bool keep_ears(job *j, const boolean_face *face, bool turned, mr_error *error)
{
    boolean *b = j->b;
    uint32_t source = face->triangle + (face->side ? (uint32_t)b->side[0].mesh.triangle_count : 0);
    for (size_t i = 0; i < j->ears.count; i++) {
        const uint32_t *c = j->ears.items[i].corners, *points = j->points.items;
        boolean_triangle t = { { points[c[0]], points[c[turned ? 2 : 1]], points[c[turned ? 1 : 2]] },
                               source };
        if (t.corners[0] == t.corners[1] || t.corners[1] == t.corners[2] || t.corners[2] == t.corners[0]) {
            continue; // its edges cancel
        }
        if (!mr_array_push(b->context, &b->made, t)) {
            return mr_fail_memory(error, (b->made.count + 1) * sizeof t);
        }
    }
    j->ears.count = 0;
    return true;
}

static bool fill_face(job *j, const boolean_face *face, mr_error *error)
{
    boolean *b = j->b;
    j->loops.count = j->nodes.count = 0;
    if (!list_points(j, face, error) || !list_steps(j, face, error)) {
        return false;
    }
    for (size_t i = 0; i < j->steps.count; i++) {
        if (!j->steps.items[i].taken && !follow(j, &j->steps.items[i], error)) {
            return false;
        }
    }
    if (!join_holes(j, error)) {
        return false;
    }
    for (size_t i = 0; i < j->loops.count; i++) {
        loop *l = &j->loops.items[i];
        if (l->done || l->count < 3) {
            continue;
        }
        if (l->is_hole) {
            turn_over(j, l); // of no loop: a part kept the other way round
        }
        if (!boolean_cut_ears(b->context, j->nodes.items, l->start, l->count, j->flat.items, b->tolerance,
                              &j->ears)) {
            return mr_fail_memory(error, l->count * sizeof(boolean_corners3));
        }
        if (!keep_ears(j, face, l->is_hole, error)) {
            return false;
        }
    }
    return true;
}

bool boolean_fill(boolean *b, mr_error *error)
{
    job j = { .b = b };
    bool good = true;
    for (size_t f = 0; good && f < b->faces.count; f++) {
        good = b->faces.items[f].count == 0 || fill_face(&j, &b->faces.items[f], error);
        good = good && (f % 256 || mr_keep_going(b->context, error));
    }
    mr_array_free(b->context, &j.points);
    mr_array_free(b->context, &j.flat);
    mr_array_free(b->context, &j.steps);
    mr_array_free(b->context, &j.first);
    mr_array_free(b->context, &j.loops);
    mr_array_free(b->context, &j.nodes);
    mr_array_free(b->context, &j.ears);
    mr_array_free(b->context, &j.order);
    return good;
}
