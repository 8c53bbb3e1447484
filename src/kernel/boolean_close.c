// kernel/boolean_close.c: the answer: what nothing crosses, and what was filled, as a manifold.
//
// Where faces were cut, merged and split, an edge may be of more than two triangles and a point of more than one fan. Only
// there half-edges are paired one by one: at such an edge by angle, so that each pair has solid between, and each fan
// gets a point of its own.

#include "base/thread.h"
#include "kernel/boolean_state.h"

#include <string.h>

#define NONE UINT32_MAX
enum { MERGED = 2 }; // of a seam's bits

typedef struct job {
    boolean *b;
    uint8_t *seam;             // of each point: whether some filled face has it
    boolean_triangles plain;   // with no point on the seam
    boolean_triangles joined;  // with one
    uint32_t *order;           // half-edges 3 t + i of `joined`, by edge
    uint32_t *twin;            // of each, or NONE where neither end is on the seam
    uint32_t *fan;             // of each: the point that the corner it begins at gets
    MR_ARRAY(uint32_t) copies; // points made: what each is a copy of
} job;

static const uint32_t *corners_of(const job *j, uint32_t half_edge)
{
    return j->joined.items[half_edge / 3].corners;
}
static uint32_t from_of(const job *j, uint32_t half_edge)
{
    return corners_of(j, half_edge)[half_edge % 3];
}
static uint32_t next_of(uint32_t half_edge)
{
    return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}
static uint32_t to_of(const job *j, uint32_t half_edge)
{
    return from_of(j, next_of(half_edge));
}

static bool push(boolean *b, boolean_triangles *list, const boolean_triangle *t, mr_error *error)
{
    return mr_array_push(b->context, list, *t) || mr_fail_memory(error, (list->count + 1) * sizeof *t);
}

static bool add_triangle(job *j, const boolean_triangle *t, mr_error *error)
{
    bool seam = j->seam[t->corners[0]] || j->seam[t->corners[1]] || j->seam[t->corners[2]];
    return push(j->b, seam ? &j->joined : &j->plain, t, error);
}

// The triangles that were left alone, as often as they are kept.
static bool add_whole(job *j, uint32_t which, mr_error *error)
{
    boolean *b = j->b;
    const boolean_side *side = &b->side[which];
    for (uint32_t t = 0; t < side->mesh.triangle_count; t++) {
        if (side->face_of[t]) {
            continue;
        }
        const uint32_t *ids = boolean_corners(side, t);
        int32_t count = boolean_multiplicity(b, side, side->winding[ids[0]]);
        if (count == 0) {
            continue;
        }
        uint32_t p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = boolean_find(b, side->base + ids[i]);
        }
        if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0]) {
            continue;
        }
        boolean_triangle piece = { { p[0], p[count < 0 ? 2 : 1], p[count < 0 ? 1 : 2] },
                                   t + (which ? (uint32_t)b->side[0].mesh.triangle_count : 0) };
        for (int32_t n = count < 0 ? -count : count; n > 0; n--) {
            if (!add_triangle(j, &piece, error)) {
                return false;
            }
        }
    }
    return mr_keep_going(b->context, error);
}

// The corners ascending, and whether that turns the triangle over.
static bool sorted_corners(const boolean_triangle *t, uint32_t out[3])
{
    bool odd = false;
    memcpy(out, t->corners, sizeof t->corners);
    for (int i = 0; i < 3; i++) {
        int k = i == 1 ? 1 : 0;
        if (out[k] > out[k + 1]) {
            uint32_t swap = out[k];
            out[k] = out[k + 1];
            out[k + 1] = swap;
            odd = !odd;
        }
    }
    return odd;
}

static int compare_triangles(const boolean_triangle *a, const boolean_triangle *b)
{
    uint32_t p[3], q[3];
    sorted_corners(a, p);
    sorted_corners(b, q);
    for (int i = 0; i < 3; i++) {
        if (p[i] != q[i]) {
            return p[i] < q[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool triangle_before(const void *self, uint32_t i, uint32_t k)
{
    const job *j = self;
    int order = compare_triangles(&j->joined.items[i], &j->joined.items[k]);
    return order ? order < 0 : i < k;
}

// Triangles of the same points that face each other are nothing.
static bool drop_opposites(job *j, mr_error *error)
{
    boolean *b = j->b;
    size_t count = j->joined.count, kept = 0;
    uint32_t *order = boolean_take(b, count, sizeof *order, false, error), corners[3];
    uint8_t *drop = order ? boolean_take(b, count, sizeof *drop, true, error) : NULL;
    if (!drop) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    if (!boolean_order(b, order, count, triangle_before, j, error)) {
        return false;
    }
    for (size_t i = 0, n; i < count; i += n) {
        int32_t sum = 0;
        for (n = 0; i + n < count &&
                    compare_triangles(&j->joined.items[order[i]], &j->joined.items[order[i + n]]) == 0;
             n++) {
            sum += sorted_corners(&j->joined.items[order[i + n]], corners) ? -1 : 1;
        }
        for (size_t k = i; k < i + n; k++) {
            int32_t own = sorted_corners(&j->joined.items[order[k]], corners) ? -1 : 1;
            drop[order[k]] = own * sum <= 0;
            sum -= drop[order[k]] ? 0 : own;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!drop[i]) {
            j->joined.items[kept++] = j->joined.items[i];
        }
    }
    j->joined.count = kept;
    return true;
}

static bool edge_before(const void *self, uint32_t h, uint32_t g)
{
    const job *j = self;
    uint32_t hf = from_of(j, h), ht = to_of(j, h), gf = from_of(j, g), gt = to_of(j, g);
    uint32_t hl = hf < ht ? hf : ht, hh = hf < ht ? ht : hf, gl = gf < gt ? gf : gt, gh = gf < gt ? gt : gf;
    return hl != gl ? hl < gl : hh != gh ? hh < gh : h < g;
}

// The angle of a triangle about the edge from lo to hi, as a number that grows with it, 0 to below 4.
static double angle_of(const double across[2][3], const float *origin, const float *at)
{
    double x = 0.0, y = 0.0;
    for (int k = 0; k < 3; k++) {
        double v = (double)at[k] - (double)origin[k];
        x += across[0][k] * v;
        y += across[1][k] * v;
    }
    double size = __builtin_fabs(x) + __builtin_fabs(y);
    if (!(size > 0.0)) {
        return 0.0;
    }
    double part = y / size;
    return x < 0.0 ? 2.0 - part : part < 0.0 ? 4.0 + part : part;
}

typedef struct leaf {
    uint32_t half_edge;
    double angle;
    bool up; // from the lower point to the higher
} leaf;

// Two directions across the edge, turning left as seen from its higher end.
static void frame_of(const float *lo, const float *hi, double across[2][3])
{
    double axis[3], square = 0.0;
    int least = 0;
    for (int k = 0; k < 3; k++) {
        axis[k] = (double)hi[k] - (double)lo[k];
        square += axis[k] * axis[k];
        least = __builtin_fabs(axis[k]) < __builtin_fabs(axis[least]) ? k : least;
    }
    double length = square > 0.0 ? __builtin_sqrt(square) : 1.0, unit[3] = { 0.0, 0.0, 0.0 };
    unit[least] = 1.0;
    for (int k = 0; k < 3; k++) {
        axis[k] /= length;
    }
    for (int k = 0; k < 3; k++) {
        across[0][k] = unit[k] - axis[least] * axis[k];
    }
    square = 0.0;
    for (int k = 0; k < 3; k++) {
        square += across[0][k] * across[0][k];
    }
    for (int k = 0; k < 3; k++) {
        across[0][k] /= __builtin_sqrt(square);
    }
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        across[1][k] = axis[u] * across[0][v] - axis[v] * across[0][u];
    }
}

static void sort_leaves(leaf *leaves, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        leaf l = leaves[i];
        size_t at = i;
        for (; at > 0 && (leaves[at - 1].angle > l.angle ||
                          (leaves[at - 1].angle == l.angle && leaves[at - 1].half_edge > l.half_edge));
             at--) {
            leaves[at] = leaves[at - 1];
        }
        leaves[at] = l;
    }
}

// Pairs the half-edges of one edge. Turning left about it, solid begins behind a triangle that goes down it and ends
// at one that goes up, so pairs are as brackets are.
static bool pair_edge(job *j, const uint32_t *half_edges, size_t count, mr_error *error)
{
    boolean *b = j->b;
    uint32_t first = half_edges[0], from = from_of(j, first), to = to_of(j, first);
    uint32_t lo = from < to ? from : to, hi = from < to ? to : from;
    if (count == 2 && from_of(j, half_edges[1]) == to) {
        j->twin[half_edges[0]] = half_edges[1];
        j->twin[half_edges[1]] = half_edges[0];
        return true;
    }
    leaf *leaves = mr_buffer_take(b->context, 2 * count * sizeof *leaves, error);
    if (!leaves) {
        return false;
    }
    double across[2][3];
    frame_of(boolean_position(b, lo), boolean_position(b, hi), across);
    for (size_t i = 0; i < count; i++) {
        uint32_t h = half_edges[i], third = from_of(j, next_of(next_of(h)));
        leaves[i] = (leaf){ h, angle_of(across, boolean_position(b, lo), boolean_position(b, third)),
                            from_of(j, h) == lo };
    }
    sort_leaves(leaves, count);
    leaf *open = leaves + count;
    size_t depth = 0;
    // Twice around: what is open at the end is closed at the beginning.
    for (size_t i = 0; i < 2 * count; i++) {
        const leaf *l = &leaves[i % count];
        if (!l->up && i < count) {
            open[depth++] = *l;
        } else if (l->up && depth > 0 && j->twin[l->half_edge] == NONE) {
            uint32_t other = open[--depth].half_edge;
            j->twin[l->half_edge] = other;
            j->twin[other] = l->half_edge;
        }
    }
    mr_buffer_release(b->context, leaves);
    for (size_t i = 0; i < count; i++) {
        if (j->twin[half_edges[i]] == NONE) {
            return mr_fail(error, MR_INTERNAL, "boolean: an edge of the answer has one side");
        }
    }
    return true;
}

static bool on_seam(const job *j, uint32_t half_edge)
{
    return j->seam[from_of(j, half_edge)] || j->seam[to_of(j, half_edge)];
}

static size_t edge_run(const job *j, size_t first)
{
    size_t count = 3 * j->joined.count, n = 1;
    uint32_t from = from_of(j, j->order[first]), to = to_of(j, j->order[first]);
    for (; first + n < count; n++) {
        uint32_t f = from_of(j, j->order[first + n]), t = to_of(j, j->order[first + n]);
        if (!((f == from && t == to) || (f == to && t == from))) {
            break;
        }
    }
    return n;
}

static bool pair_all(job *j, mr_error *error)
{
    boolean *b = j->b;
    size_t count = 3 * j->joined.count;
    if (!(j->order = boolean_take(b, count, sizeof *j->order, false, error)) ||
        !(j->twin = boolean_take(b, count, sizeof *j->twin, false, error)) ||
        !(j->fan = boolean_take(b, count, sizeof *j->fan, false, error))) {
        return false;
    }
    for (uint32_t h = 0; h < count; h++) {
        j->order[h] = h;
        j->twin[h] = NONE;
    }
    if (!boolean_order(b, j->order, count, edge_before, j, error)) {
        return false;
    }
    for (size_t i = 0, n; i < count; i += n) {
        n = edge_run(j, i);
        if (on_seam(j, j->order[i]) && !pair_edge(j, j->order + i, n, error)) {
            return false;
        }
    }
    return true;
}

// Gives every fan its point: the first its own, each further one a copy.
static bool number_fans(job *j, mr_error *error)
{
    boolean *b = j->b;
    size_t count = 3 * j->joined.count;
    uint8_t *used = boolean_take(b, b->total, sizeof *used, true, error);
    if (!used) {
        return false;
    }
    j->copies.count = 0;
    for (size_t h = 0; h < count; h++) {
        j->fan[h] = NONE;
    }
    for (uint32_t h = 0; h < count; h++) {
        uint32_t point = from_of(j, h), number = point;
        if (j->fan[h] != NONE) {
            continue;
        }
        if (!j->seam[point]) {
            j->fan[h] = point;
            continue;
        }
        if (used[point]) {
            number = b->total + (uint32_t)j->copies.count;
            if (!mr_array_push(b->context, &j->copies, point)) {
                return mr_fail_memory(error, (j->copies.count + 1) * sizeof point);
            }
        }
        used[point] = 1;
        for (uint32_t g = h; j->fan[g] == NONE; g = j->twin[next_of(next_of(g))]) {
            j->fan[g] = number;
        }
    }
    return true;
}

// Edges of two points that have another edge between them in the same fans: the surfaces change partners there, which
// leaves each of the points to two fans. Answers whether there were any.
static bool part_doubles(job *j)
{
    size_t count = 3 * j->joined.count;
    bool any = false;
    for (size_t i = 0, n; i < count; i += n) {
        n = edge_run(j, i);
        for (size_t p = i; n > 2 && p < i + n; p++) {
            for (size_t q = p + 1; q < i + n; q++) {
                uint32_t h = j->order[p], g = j->order[q];
                if (!on_seam(j, h) || from_of(j, h) != from_of(j, g) || j->fan[h] != j->fan[g] ||
                    j->fan[next_of(h)] != j->fan[next_of(g)]) {
                    continue;
                }
                uint32_t ht = j->twin[h], gt = j->twin[g];
                j->twin[h] = gt;
                j->twin[gt] = h;
                j->twin[g] = ht;
                j->twin[ht] = g;
                any = true;
                p = q = i + n; // fans have changed: the rest is for the next time
            }
        }
    }
    return any;
}

typedef struct writer {
    job *j;
    mr_boolean_mesh *answer;
    uint32_t *number; // of each point, in the answer
} writer;

static const float *position_of(const job *j, uint32_t point)
{
    return boolean_position(j->b, point < j->b->total ? point : j->copies.items[point - j->b->total]);
}

static void write_triangle(const writer *w, size_t at, const uint32_t corners[3], uint32_t source)
{
    for (int i = 0; i < 3; i++) {
        w->answer->triangles[3 * at + (size_t)i] = w->number[corners[i]];
    }
    w->answer->sources[at] = source;
}

static void use(const writer *w, const uint32_t corners[3])
{
    for (int i = 0; i < 3; i++) {
        w->number[corners[i]] = 0;
    }
}

static bool write_points(writer *w, size_t points, mr_error *error)
{
    mr_boolean_mesh *answer = w->answer;
    for (size_t p = 0; p < points; p++) {
        w->number[p] = w->number[p] == NONE ? NONE : (uint32_t)answer->point_count++;
    }
    answer->points = mr_buffer_take(w->j->b->context, 3 * answer->point_count * sizeof(float), error);
    if (!answer->points) {
        return false;
    }
    for (size_t p = 0; p < points; p++) {
        if (w->number[p] != NONE) {
            memcpy(answer->points + 3 * (size_t)w->number[p], position_of(w->j, (uint32_t)p),
                   3 * sizeof(float));
        }
    }
    return true;
}

static bool write_answer(job *j, mr_boolean_mesh *answer, mr_error *error)
{
    boolean *b = j->b;
    size_t points = b->total + j->copies.count, plain = j->plain.count, joined = j->joined.count;
    writer w = { j, answer, boolean_take(b, points, sizeof(uint32_t), false, error) };
    if (!w.number) {
        return false;
    }
    answer->triangle_count = plain + joined;
    if (answer->triangle_count > INT32_MAX / 3) {
        return mr_fail(error, MR_LIMIT, "boolean: the answer has more triangles than 32 bits count");
    }
    if (answer->triangle_count == 0) {
        return true;
    }
    answer->triangles = mr_buffer_take(b->context, 3 * answer->triangle_count * sizeof(uint32_t), error);
    answer->sources = answer->triangles
                          ? mr_buffer_take(b->context, answer->triangle_count * sizeof(uint32_t), error)
                          : NULL;
    if (!answer->sources) {
        return false;
    }
    memset(w.number, 0xff, points * sizeof(uint32_t));
    for (size_t t = 0; t < plain; t++) {
        use(&w, j->plain.items[t].corners);
    }
    for (size_t t = 0; t < joined; t++) {
        use(&w, j->fan + 3 * t);
    }
    if (!write_points(&w, points, error)) {
        return false;
    }
    for (size_t t = 0; t < plain; t++) {
        write_triangle(&w, t, j->plain.items[t].corners, j->plain.items[t].source);
    }
    for (size_t t = 0; t < joined; t++) {
        write_triangle(&w, plain + t, j->fan + 3 * t, j->joined.items[t].source);
    }
    return true;
}

static void mark_seam(job *j)
{
    boolean *b = j->b;
    for (size_t i = 0; i < b->edges.count; i++) {
        j->seam[b->edges.items[i].from] = j->seam[b->edges.items[i].to] = 1;
    }
    // A face may have lost a corner, which then has faces that were left alone and no edge of this one.
    for (size_t f = 0; f < b->faces.count; f++) {
        const boolean_side *side = &b->side[b->faces.items[f].side];
        for (int i = 0; i < 3; i++) {
            j->seam[boolean_find(b, side->base + boolean_corners(side, b->faces.items[f].triangle)[i])] = 1;
        }
    }
}

// Edges to points that were merged may have become one edge, whose other end then may have several fans.
static void widen_seam(job *j)
{
    boolean *b = j->b;
    for (uint32_t p = 0; p < b->total; p++) {
        uint32_t stands = boolean_find(b, p);
        if (stands != p) {
            j->seam[p] = j->seam[stands] = MERGED;
        }
    }
    for (int which = 0; which < 2; which++) {
        const boolean_side *side = &b->side[which];
        for (uint32_t t = 0; t < side->mesh.triangle_count; t++) {
            const uint32_t *ids = boolean_corners(side, t);
            const uint8_t *seam = j->seam + side->base;
            if (((seam[ids[0]] | seam[ids[1]] | seam[ids[2]]) & MERGED) == 0) {
                continue;
            }
            for (int i = 0; i < 3; i++) {
                j->seam[boolean_find(b, side->base + ids[i])] |= 1;
            }
        }
    }
}

static bool close_up(job *j, mr_boolean_mesh *answer, mr_error *error)
{
    boolean *b = j->b;
    mark_seam(j);
    widen_seam(j);
    for (size_t t = 0; t < b->made.count; t++) {
        if (!push(b, &j->joined, &b->made.items[t], error)) {
            return false;
        }
    }
    if (!add_whole(j, 0, error) || !add_whole(j, 1, error) || !drop_opposites(j, error) ||
        !pair_all(j, error)) {
        return false;
    }
    do {
        if (!number_fans(j, error)) {
            return false;
        }
    } while (part_doubles(j));
    return write_answer(j, answer, error);
}

bool boolean_close(boolean *b, mr_boolean_mesh *answer, mr_error *error)
{
    job j = { .b = b, .seam = boolean_take(b, b->total, 1, true, error) };
    bool good = j.seam && close_up(&j, answer, error);
    mr_array_free(b->context, &j.plain);
    mr_array_free(b->context, &j.joined);
    mr_array_free(b->context, &j.copies);
    return good;
}
