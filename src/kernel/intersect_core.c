// kernel/intersect_core.c: the parts of a pair of triangles: which there are, exactly, and where their ends stand.

#include "kernel/intersect_core.h"

#include "num/predicates.h"

#include <string.h>

typedef struct corner {
    const float *at;
    uint32_t id;
} corner;

typedef struct triangle {
    corner corners[3];
} triangle;

// An edge, from its lower point id to its higher.
typedef struct edge {
    corner lo, hi;
    bool turned; // the triangle goes along it from hi to lo
} edge;

static bool triangle_of(const mr_triangles *mesh, uint32_t index, triangle *t)
{
    if (index >= mesh->triangle_count) {
        return false;
    }
    const uint32_t *ids = mesh->triangles + 3 * (size_t)index;
    for (int i = 0; i < 3; i++) {
        if (ids[i] >= mesh->point_count || ids[i] == ids[(i + 1) % 3]) {
            return false;
        }
        const float *at = mesh->points + 3 * (size_t)ids[i];
        for (int k = 0; k < 3; k++) {
            if (!(__builtin_fabsf(at[k]) <= 3.4028234663852886e38f)) {
                return false;
            }
        }
        t->corners[i] = (corner){ at, ids[i] };
    }
    return true;
}

static edge edge_of(const triangle *t, int i)
{
    corner from = t->corners[i], to = t->corners[(i + 1) % 3];
    return from.id < to.id ? (edge){ from, to, false } : (edge){ to, from, true };
}

static int side_of(const triangle *t, const float *point)
{
    return mr_orient3d(t->corners[0].at, t->corners[1].at, t->corners[2].at, point);
}

static int outer(int side)
{
    return side >= 0 ? 1 : -1;
}

// A point as seen along an axis: the plane of the two coordinates after it, which keeps right hands right.
static void flatten(const float *point, int axis, float flat[2])
{
    flat[0] = point[(axis + 1) % 3];
    flat[1] = point[(axis + 2) % 3];
}

static int turn(const float *a, const float *b, const float *c, int axis)
{
    float p[2], q[2], r[2];
    flatten(a, axis, p);
    flatten(b, axis, q);
    flatten(c, axis, r);
    return mr_orient2d(p, q, r);
}

static void turn_exact(const float *a, const float *b, const float *c, int axis, mr_exact *area)
{
    float p[2], q[2], r[2];
    flatten(a, axis, p);
    flatten(b, axis, q);
    flatten(c, axis, r);
    mr_orient2d_exact(p, q, r, area);
}

static bool on_one_line(const float *a, const float *b, const float *c)
{
    return turn(a, b, c, 0) == 0 && turn(a, b, c, 1) == 0 && turn(a, b, c, 2) == 0;
}

// The axis along which two directions span the most.
static int widest_axis(const float *from, const float *to, const float *other_from, const float *other_to)
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)to[k] - (double)from[k];
        v[k] = (double)other_to[k] - (double)other_from[k];
    }
    int best = 0;
    double most = -1.0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double size = __builtin_fabs(u[i] * v[j] - u[j] * v[i]);
        if (size > most) {
            most = size;
            best = k;
        }
    }
    return best;
}

// A point of an edge, the fraction near / (near + far) of the way from lo.
static void set_position(mr_cut_end *end, const edge *e, double near, double far)
{
    double t = near / (near + far);
    for (int k = 0; k < 3; k++) {
        double from = (double)e->lo.at[k], to = (double)e->hi.at[k];
        // From the nearer end, so that both ends are met exactly.
        end->position[k] = (float)(t < 0.5 ? from + t * (to - from) : to - (1.0 - t) * (to - from));
    }
}

static mr_cut_end point_end(uint32_t kind, corner c)
{
    mr_cut_end end = { .kind = kind, .lo = c.id, .hi = c.id };
    memcpy(end.position, c.at, sizeof end.position);
    return end;
}

static mr_cut_end edge_end(uint32_t kind, const edge *e, const triangle *t, uint32_t index)
{
    mr_cut_end end = { .kind = kind, .lo = e->lo.id, .hi = e->hi.id, .tri = index };
    mr_exact lo, hi;
    mr_orient3d_exact(t->corners[0].at, t->corners[1].at, t->corners[2].at, e->lo.at, &lo);
    mr_orient3d_exact(t->corners[0].at, t->corners[1].at, t->corners[2].at, e->hi.at, &hi);
    set_position(&end, e, __builtin_fabs(mr_exact_value(&lo)), __builtin_fabs(mr_exact_value(&hi)));
    return end;
}

static mr_cut_end edges_end(const edge *a, const edge *b)
{
    mr_cut_end end = {
        .kind = MR_END_EDGES, .lo = a->lo.id, .hi = a->hi.id, .tri = b->lo.id, .extra = b->hi.id
    };
    int axis = widest_axis(a->lo.at, a->hi.at, b->lo.at, b->hi.at);
    mr_exact lo, hi;
    turn_exact(b->lo.at, b->hi.at, a->lo.at, axis, &lo);
    turn_exact(b->lo.at, b->hi.at, a->hi.at, axis, &hi);
    set_position(&end, a, __builtin_fabs(mr_exact_value(&lo)), __builtin_fabs(mr_exact_value(&hi)));
    return end;
}

// Part 0.

// Whether the line of an edge whose ends are on both sides of a triangle's plane goes through the triangle. `a_first`:
// the edge is A's, so that one pair of edges gives one sign whichever of the two goes through the other's triangle.
static bool goes_through(const edge *e, const triangle *t, bool a_first)
{
    int inside = 0;
    for (int i = 0; i < 3; i++) {
        edge side = edge_of(t, i);
        const edge *p = a_first ? e : &side, *q = a_first ? &side : e;
        int sign = outer(mr_orient3d(p->lo.at, p->hi.at, q->lo.at, q->hi.at));
        inside += side.turned ? -sign : sign;
    }
    return inside == 3 || inside == -3;
}

typedef struct sides {
    int of_a[3], of_b[3]; // the corners of a by the plane of b, and the other way round
} sides;

static sides sides_of(const triangle *a, const triangle *b)
{
    sides s;
    for (int i = 0; i < 3; i++) {
        s.of_a[i] = side_of(b, a->corners[i].at);
    }
    for (int i = 0; i < 3; i++) {
        s.of_b[i] = side_of(a, b->corners[i].at);
    }
    return s;
}

static bool all_outer_or_inner(const int side[3])
{
    return outer(side[0]) == outer(side[1]) && outer(side[1]) == outer(side[2]);
}

// The ends of the curve, as edge numbers: 0 to 2 an edge of a through b, 3 to 5 one of b through a.
static int crossings_of(const triangle *a, const triangle *b, const sides *s, int ends[6])
{
    int count = 0;
    if (all_outer_or_inner(s->of_a) || all_outer_or_inner(s->of_b)) {
        return 0;
    }
    for (int i = 0; i < 6; i++) {
        const int *side = i < 3 ? s->of_a : s->of_b;
        if (outer(side[i % 3]) != outer(side[(i + 1) % 3])) {
            edge e = edge_of(i < 3 ? a : b, i % 3);
            if (goes_through(&e, i < 3 ? b : a, i < 3)) {
                ends[count++] = i;
            }
        }
    }
    return count;
}

// Parts 1 to 6.

// A fraction of the way along an edge: near / (near + far), both exact and above 0 together.
typedef struct fraction {
    mr_exact near, whole;
} fraction;

static int compare_fractions(const fraction *a, const fraction *b)
{
    mr_exact left = { 0 }, right = { 0 };
    mr_exact_add_multiple(&left, &a->near, &b->whole);
    mr_exact_add_multiple(&right, &b->near, &a->whole);
    for (int i = 0; i < right.count; i++) {
        mr_exact_add(&left, -right.part[i]);
    }
    return mr_exact_sign(&left);
}

// near = |a|, whole = |a - b|, of two areas with different signs.
static fraction fraction_of(const mr_exact *a, const mr_exact *b)
{
    fraction f = { *a, *a };
    for (int i = 0; i < b->count; i++) {
        mr_exact_add(&f.whole, -b->part[i]);
    }
    if (mr_exact_sign(&f.near) < 0) {
        for (int i = 0; i < f.near.count; i++) {
            f.near.part[i] = -f.near.part[i];
        }
        for (int i = 0; i < f.whole.count; i++) {
            f.whole.part[i] = -f.whole.part[i];
        }
    }
    return f;
}

// Where an edge is cut off: by an edge of the triangle, by two that meet in a corner, or not at all.
typedef struct clip_end {
    int edge, other; // -1: none
    fraction at;
} clip_end;

static void cut_off(clip_end *end, int edge_number, const fraction *at, int wanted)
{
    int order = end->edge < 0 ? wanted : compare_fractions(at, &end->at);
    if (order == wanted) {
        *end = (clip_end){ edge_number, -1, *at };
    } else if (order == 0) {
        end->other = edge_number;
    }
}

// Cuts edge e to triangle t in their plane. False: nothing of a length is left. ends[0] is where e comes in, ends[1]
// where it leaves.
static bool clip(const edge *e, const triangle *t, clip_end ends[2])
{
    int axis = widest_axis(t->corners[0].at, t->corners[1].at, t->corners[0].at, t->corners[2].at);
    int winding = turn(t->corners[0].at, t->corners[1].at, t->corners[2].at, axis);
    ends[0].edge = ends[0].other = ends[1].edge = ends[1].other = -1;
    int along = -1;
    for (int i = 0; i < 3; i++) {
        edge side = edge_of(t, i);
        mr_exact lo, hi;
        turn_exact(side.lo.at, side.hi.at, e->lo.at, axis, &lo);
        turn_exact(side.lo.at, side.hi.at, e->hi.at, axis, &hi);
        int in = side.turned ? -winding : winding;
        int from = in * mr_exact_sign(&lo), to = in * mr_exact_sign(&hi);
        if (from + to < 0) {
            return false; // outside, but for an end at most
        }
        if (from * to < 0) {
            fraction at = fraction_of(&lo, &hi);
            cut_off(&ends[from > 0], i, &at, from > 0 ? -1 : 1);
        } else if (from == 0 && to == 0) {
            along = i;
        }
    }
    // What cuts off an edge that goes along a side is the side's corners.
    ends[0].other = along >= 0 ? along : ends[0].other;
    ends[1].other = along >= 0 ? along : ends[1].other;
    return ends[0].edge < 0 || ends[1].edge < 0 || compare_fractions(&ends[0].at, &ends[1].at) < 0;
}

// The corner in which two edges of a triangle meet.
static corner shared_corner(const triangle *t, int i, int j)
{
    return t->corners[(i + 1) % 3 == j ? j : i];
}

static mr_cut_end end_of_clip(const clip_end *clipped, const edge *e, const corner *own, const triangle *t,
                              bool edge_is_of_b)
{
    if (clipped->edge < 0) {
        return point_end(edge_is_of_b ? MR_END_POINT_OF_B : MR_END_POINT_OF_A, *own);
    }
    if (clipped->other >= 0) {
        return point_end(edge_is_of_b ? MR_END_POINT_OF_A : MR_END_POINT_OF_B,
                         shared_corner(t, clipped->edge, clipped->other));
    }
    edge side = edge_of(t, clipped->edge);
    return edge_is_of_b ? edges_end(&side, e) : edges_end(e, &side);
}

// Parts 7 to 33.

// Whether c, on the line of e or not, is strictly inside e.
static bool inside_edge(const edge *e, const float *c)
{
    bool length = false;
    for (int k = 0; k < 3; k++) {
        float lo = e->lo.at[k], hi = e->hi.at[k];
        if (!(lo < hi ? lo < c[k] && c[k] < hi : lo > hi ? lo > c[k] && c[k] > hi : lo == c[k])) {
            return false;
        }
        length = length || lo != hi;
    }
    return length && on_one_line(e->lo.at, e->hi.at, c);
}

static bool edges_cross(const edge *a, const edge *b)
{
    if (mr_orient3d(a->lo.at, a->hi.at, b->lo.at, b->hi.at) != 0) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        int from = turn(a->lo.at, a->hi.at, b->lo.at, axis);
        if (from != 0) {
            return turn(a->lo.at, a->hi.at, b->hi.at, axis) == -from &&
                   turn(b->lo.at, b->hi.at, a->lo.at, axis) * turn(b->lo.at, b->hi.at, a->hi.at, axis) < 0;
        }
    }
    return false;
}

static bool boxes_apart(const triangle *a, const triangle *b)
{
    for (int k = 0; k < 3; k++) {
        float low[2], high[2];
        for (int m = 0; m < 2; m++) {
            const corner *c = m ? b->corners : a->corners;
            float x = c[0].at[k], y = c[1].at[k], z = c[2].at[k];
            low[m] = x < y ? x : y;
            low[m] = low[m] < z ? low[m] : z;
            high[m] = x > y ? x : y;
            high[m] = high[m] > z ? high[m] : z;
        }
        if (low[0] > high[1] || low[1] > high[0]) {
            return true;
        }
    }
    return false;
}

static bool touches_plane(const int side[3])
{
    return side[0] * side[1] <= 0 || side[1] * side[2] <= 0;
}

static uint64_t shared_edge_parts(const triangle *a, const triangle *b, const sides *s)
{
    uint64_t parts = 0;
    for (int i = 0; i < 3; i++) {
        edge e = edge_of(a, i);
        for (int j = 0; j < 3; j++) {
            edge f = edge_of(b, j);
            // An end of each edge, or a point between, must be on the other's plane.
            bool near = s->of_a[i] * s->of_a[(i + 1) % 3] <= 0 && s->of_b[j] * s->of_b[(j + 1) % 3] <= 0;
            parts |= (uint64_t)(near && edges_cross(&e, &f)) << (7 + 3 * i + j);
            parts |= (uint64_t)(s->of_a[i] == 0 && inside_edge(&f, a->corners[i].at)) << (16 + 3 * i + j);
            parts |= (uint64_t)(s->of_b[j] == 0 && inside_edge(&e, b->corners[j].at)) << (25 + 3 * j + i);
        }
    }
    return parts;
}

static bool is_flat(const triangle *t)
{
    return on_one_line(t->corners[0].at, t->corners[1].at, t->corners[2].at);
}

static bool all_zero(const sides *s)
{
    return !s->of_a[0] && !s->of_a[1] && !s->of_a[2] && !s->of_b[0] && !s->of_b[1] && !s->of_b[2];
}

static uint64_t parts_of(const triangle *a, const triangle *b)
{
    if (boxes_apart(a, b)) {
        return 0;
    }
    sides s = sides_of(a, b);
    if (!touches_plane(s.of_a) || !touches_plane(s.of_b)) {
        return 0;
    }
    uint64_t parts = shared_edge_parts(a, b, &s);
    if (all_zero(&s) && !is_flat(a) && !is_flat(b)) {
        for (int i = 0; i < 3; i++) {
            clip_end ends[2];
            edge of_b = edge_of(b, i), of_a = edge_of(a, i);
            parts |= (uint64_t)clip(&of_b, a, ends) << (1 + i);
            parts |= (uint64_t)clip(&of_a, b, ends) << (4 + i);
        }
        return parts;
    }
    int ends[6];
    return parts | (uint64_t)(crossings_of(a, b, &s, ends) == 2);
}

uint64_t mr_cut_parts(const mr_cut_meshes *meshes, uint32_t a, uint32_t b)
{
    triangle ta, tb;
    return triangle_of(&meshes->mesh[0], a, &ta) && triangle_of(&meshes->mesh[1], b, &tb) ? parts_of(&ta, &tb)
                                                                                          : 0;
}

// The ends of a part that is there; answers which meshes it cuts.
static uint32_t ends_of(const triangle *ta, const triangle *tb, uint32_t a, uint32_t b, uint32_t part,
                        mr_cut_end ends[2])
{
    if (part == 0) {
        sides s = sides_of(ta, tb);
        int numbers[6];
        crossings_of(ta, tb, &s, numbers);
        for (int k = 0; k < 2; k++) {
            bool of_a = numbers[k] < 3;
            edge e = edge_of(of_a ? ta : tb, numbers[k] % 3);
            ends[k] = edge_end(of_a ? MR_END_EDGE_OF_A : MR_END_EDGE_OF_B, &e, of_a ? tb : ta, of_a ? b : a);
        }
        return 3;
    }
    if (part < 7) {
        bool of_b = part < 4;
        clip_end clipped[2];
        edge e = edge_of(of_b ? tb : ta, (int)(part - 1) % 3);
        clip(&e, of_b ? ta : tb, clipped);
        ends[0] = end_of_clip(&clipped[0], &e, &e.lo, of_b ? ta : tb, of_b);
        ends[1] = end_of_clip(&clipped[1], &e, &e.hi, of_b ? ta : tb, of_b);
        return of_b ? 1 : 2;
    }
    if (part < 16) {
        edge e = edge_of(ta, (int)(part - 7) / 3), f = edge_of(tb, (int)(part - 7) % 3);
        ends[0] = edges_end(&e, &f);
    } else if (part < 25) {
        ends[0] = point_end(MR_END_POINT_OF_A, ta->corners[(part - 16) / 3]);
    } else {
        ends[0] = point_end(MR_END_POINT_OF_B, tb->corners[(part - 25) / 3]);
    }
    ends[1] = ends[0];
    return 3;
}

bool mr_cut_part(const mr_cut_meshes *meshes, uint32_t a, uint32_t b, uint32_t part, mr_cut_end ends[2])
{
    triangle ta, tb;
    if (part >= MR_CUT_PARTS || !triangle_of(&meshes->mesh[0], a, &ta) ||
        !triangle_of(&meshes->mesh[1], b, &tb) || !(parts_of(&ta, &tb) >> part & 1)) {
        return false;
    }
    uint32_t cuts = ends_of(&ta, &tb, a, b, part, ends);
    ends[0].kind |= cuts << MR_END_CUTS_SHIFT;
    ends[1].kind |= cuts << MR_END_CUTS_SHIFT;
    return true;
}

const mr_kernel mr_kernel_intersect_core = {
    .name = "intersect_core",
    .summary =
        "The parts in which a triangle of one mesh and one of another cut each other, and the named ends "
        "of each.",
    .source =
        "J. Shewchuk 1997, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates",
    .determinism = MR_EXACT,
    .gpu = "exact where f64 is there: sums and products of f64, unfused",
};
