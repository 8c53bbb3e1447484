// kernel/intersect_planar.c: a greedy triangulation around edges that must be there, and the walk of its faces.

#include "kernel/intersect_planar.h"

#include <string.h>

enum { PLACE_BITS = 26 }; // of a point in a candidate, behind the class

static const double *at(const mr_planar *p, uint32_t point)
{
    return p->points.items + 2 * (size_t)point;
}

static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double square(const double *a, const double *b)
{
    return (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]);
}

// Whether a point is on an edge but at neither end: the fraction of the way in t.
static bool is_on(const mr_planar *p, uint32_t a, uint32_t b, uint32_t point, double *t)
{
    const double *from = at(p, a), *to = at(p, b), *c = at(p, point);
    double length = square(from, to), across = turn(from, to, c);
    *t = ((c[0] - from[0]) * (to[0] - from[0]) + (c[1] - from[1]) * (to[1] - from[1])) / length;
    return point != a && point != b && *t > 0.0 && *t < 1.0 && across * across <= p->near * p->near * length;
}

static bool apart(double a, double b, double c, double d)
{
    double low = a < b ? a : b, high = a < b ? b : a;
    return (c < low && d < low) || (c > high && d > high);
}

static bool cross(const mr_planar *p, uint32_t a, uint32_t b, const mr_planar_edge *e)
{
    const double *pa = at(p, a), *pb = at(p, b), *pc = at(p, e->a), *pd = at(p, e->b);
    if (apart(pa[0], pb[0], pc[0], pd[0]) || apart(pa[1], pb[1], pc[1], pd[1]) || a == e->a || a == e->b ||
        b == e->a || b == e->b) {
        return false;
    }
    return (turn(pa, pb, pc) > 0.0) != (turn(pa, pb, pd) > 0.0) &&
           (turn(pc, pd, pa) > 0.0) != (turn(pc, pd, pb) > 0.0);
}

// Holds an edge unless it is held, or (where asked) crosses one that is.
static bool hold(mr_planar *p, uint32_t a, uint32_t b, bool if_free)
{
    mr_planar_edge edge = { a, b };
    for (size_t i = 0; i < p->held.count; i++) {
        const mr_planar_edge *e = &p->held.items[i];
        if ((e->a == a && e->b == b) || (e->a == b && e->b == a) || (if_free && cross(p, a, b, e))) {
            return true;
        }
    }
    return mr_array_push(p->context, &p->held, edge);
}

// Holds a segment in pieces between the points on it.
static bool hold_pieces(mr_planar *p, uint32_t a, uint32_t b, bool if_free)
{
    size_t count = p->points.count / 2;
    double done = 0.0;
    for (uint32_t last = a; last != b;) {
        uint32_t next = b;
        double nearest = 2.0, t;
        for (uint32_t c = 0; c < count; c++) {
            if (c != last && is_on(p, a, b, c, &t) && t > done && t < nearest) {
                nearest = t;
                next = c;
            }
        }
        if (!hold(p, last, next, if_free)) {
            return false;
        }
        last = next;
        done = nearest;
    }
    return true;
}

static uint64_t candidate_of(const mr_planar *p, uint32_t a, uint32_t b)
{
    float length = (float)square(at(p, a), at(p, b));
    uint32_t bits;
    memcpy(&bits, &length, sizeof bits);
    return (uint64_t)(bits >> 20) << (2 * PLACE_BITS) | (uint64_t)a << PLACE_BITS | b;
}

static void sift(uint64_t *items, size_t place, size_t count)
{
    for (size_t child; (child = 2 * place + 1) < count; place = child) {
        child += child + 1 < count && items[child] < items[child + 1];
        if (items[place] >= items[child]) {
            return;
        }
        uint64_t swap = items[place];
        items[place] = items[child];
        items[child] = swap;
    }
}

static void put_in_order(uint64_t *items, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) {
        sift(items, i, count);
    }
    for (size_t last = count; last-- > 1;) {
        uint64_t swap = items[0];
        items[0] = items[last];
        items[last] = swap;
        sift(items, 0, last);
    }
}

static bool passes_a_point(const mr_planar *p, uint32_t a, uint32_t b)
{
    double t;
    for (uint32_t c = 0; c < p->points.count / 2; c++) {
        if (is_on(p, a, b, c, &t)) {
            return true;
        }
    }
    return false;
}

// All that fits, shortest first. `sides` of the held edges are the triangle's own, which with the points say how many
// there are in all.
static bool hold_candidates(mr_planar *p, size_t sides)
{
    uint32_t count = (uint32_t)(p->points.count / 2);
    size_t all = 3 * (size_t)count - 3 - sides;
    p->candidates.count = 0;
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a + 1; b < count; b++) {
            if (!mr_array_push(p->context, &p->candidates, candidate_of(p, a, b))) {
                return false;
            }
        }
    }
    put_in_order(p->candidates.items, p->candidates.count);
    for (size_t i = 0; i < p->candidates.count && p->held.count < all; i++) {
        uint32_t mask = ((uint32_t)1 << PLACE_BITS) - 1;
        uint32_t a = (uint32_t)(p->candidates.items[i] >> PLACE_BITS) & mask,
                 b = (uint32_t)p->candidates.items[i] & mask;
        if (!passes_a_point(p, a, b) && !hold(p, a, b, true)) {
            return false;
        }
    }
    return true;
}

// Half-edge 2 k goes along held edge k, 2 k + 1 back.
static uint32_t from_of(const mr_planar *p, uint32_t half)
{
    const mr_planar_edge *e = &p->held.items[half / 2];
    return half % 2 ? e->b : e->a;
}

// A number that grows with the direction's angle.
static double angle_of(const mr_planar *p, uint32_t half)
{
    const double *from = at(p, from_of(p, half)), *to = at(p, from_of(p, half ^ 1));
    double x = to[0] - from[0], y = to[1] - from[1];
    double part = y / (__builtin_fabs(x) + __builtin_fabs(y));
    return x < 0.0 ? 2.0 - part : part < 0.0 ? 4.0 + part : part;
}

static void sort_by_angle(mr_planar *p, uint32_t begin, uint32_t end)
{
    uint32_t *around = p->around.items;
    for (uint32_t i = begin + 1; i < end; i++) {
        uint32_t half = around[i], place = i;
        double angle = angle_of(p, half);
        for (; place > begin && angle_of(p, around[place - 1]) > angle; place--) {
            around[place] = around[place - 1];
        }
        around[place] = half;
    }
}

// Every point's half-edges, counterclockwise.
static bool sort_around(mr_planar *p)
{
    size_t points = p->points.count / 2, halves = 2 * p->held.count;
    if (!mr_array_reserve(p->context, &p->first, points + 2) ||
        !mr_array_reserve(p->context, &p->around, halves) ||
        !mr_array_reserve(p->context, &p->place, halves) || !mr_array_reserve(p->context, &p->seen, halves)) {
        return false;
    }
    uint32_t *first = p->first.items, *next = first + 1;
    memset(first, 0, (points + 2) * sizeof *first);
    for (uint32_t h = 0; h < halves; h++) {
        next[from_of(p, h) + 1]++;
    }
    for (size_t i = 0; i < points; i++) {
        next[i + 1] += next[i];
    }
    for (uint32_t h = 0; h < halves; h++) {
        p->around.items[next[from_of(p, h)]++] = h;
    }
    for (size_t i = 0; i < points; i++) {
        sort_by_angle(p, first[i], first[i + 1]);
    }
    for (uint32_t i = 0; i < halves; i++) {
        p->place.items[p->around.items[i]] = i;
        p->seen.items[i] = 0;
    }
    return true;
}

// The half-edge that follows with the same face on its left: the first clockwise from the way back.
static uint32_t next_of(const mr_planar *p, uint32_t half)
{
    uint32_t back = half ^ 1, point = from_of(p, back), place = p->place.items[back];
    uint32_t before = place == p->first.items[point] ? p->first.items[point + 1] : place;
    return p->around.items[before - 1];
}

static bool add_triangle(mr_planar *p, uint32_t a, uint32_t b, uint32_t c)
{
    mr_planar_triangle t = { { a, b, c } };
    return mr_array_push(p->context, &p->triangles, t);
}

static bool is_ear(const mr_planar *p, size_t i)
{
    const uint32_t *ring = p->ring.items;
    size_t count = p->ring.count;
    uint32_t a = ring[(i + count - 1) % count], b = ring[i], c = ring[(i + 1) % count];
    const double *pa = at(p, a), *pb = at(p, b), *pc = at(p, c);
    if (!(turn(pa, pb, pc) > 0.0)) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        uint32_t d = ring[k];
        const double *pd = at(p, d);
        if (d != a && d != b && d != c && turn(pa, pb, pd) >= 0.0 && turn(pb, pc, pd) >= 0.0 &&
            turn(pc, pa, pd) >= 0.0) {
            return false;
        }
    }
    return true;
}

// Cuts the ring to triangles; one with no ear left (which rounding alone can leave) loses its first corner.
static bool cut_ring(mr_planar *p)
{
    while (p->ring.count > 3) {
        uint32_t *ring = p->ring.items;
        size_t count = p->ring.count, ear = 0;
        while (ear < count && !is_ear(p, ear)) {
            ear++;
        }
        ear = ear == count ? 0 : ear;
        if (!add_triangle(p, ring[(ear + count - 1) % count], ring[ear], ring[(ear + 1) % count])) {
            return false;
        }
        memmove(ring + ear, ring + ear + 1, (count - ear - 1) * sizeof *ring);
        p->ring.count--;
    }
    return p->ring.count < 3 || add_triangle(p, p->ring.items[0], p->ring.items[1], p->ring.items[2]);
}

static bool walk_faces(mr_planar *p)
{
    for (uint32_t start = 0; start < 2 * p->held.count; start++) {
        double area = 0.0;
        p->ring.count = 0;
        for (uint32_t h = start; !p->seen.items[h]; h = next_of(p, h)) {
            const double *from = at(p, from_of(p, h)), *to = at(p, from_of(p, h ^ 1));
            p->seen.items[h] = 1;
            area += from[0] * to[1] - from[1] * to[0];
            if (!mr_array_push(p->context, &p->ring, from_of(p, h))) {
                return false;
            }
        }
        if (p->ring.count >= 3 && area > 0.0 && !cut_ring(p)) {
            return false;
        }
    }
    return true;
}

bool mr_planar_cut(mr_planar *p)
{
    p->held.count = p->triangles.count = 0;
    if (p->points.count / 2 > (size_t)1 << PLACE_BITS) {
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (!hold_pieces(p, i, (i + 1) % 3, false)) {
            return false;
        }
    }
    size_t sides = p->held.count;
    for (size_t i = 0; i < p->segments.count; i++) {
        if (!hold_pieces(p, p->segments.items[i].a, p->segments.items[i].b, true)) {
            return false;
        }
    }
    return hold_candidates(p, sides) && sort_around(p) && walk_faces(p);
}

void mr_planar_free(mr_planar *p)
{
    mr_array_free(p->context, &p->points);
    mr_array_free(p->context, &p->segments);
    mr_array_free(p->context, &p->triangles);
    mr_array_free(p->context, &p->held);
    mr_array_free(p->context, &p->candidates);
    mr_array_free(p->context, &p->first);
    mr_array_free(p->context, &p->around);
    mr_array_free(p->context, &p->place);
    mr_array_free(p->context, &p->ring);
    mr_array_free(p->context, &p->seen);
}
