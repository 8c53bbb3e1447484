// kernel/boolean_ears.c: ear clipping with exact turns.

#include "kernel/boolean_ears.h"

#include "num/predicates.h"

typedef struct ring {
    boolean_node *nodes;
    const float *flat;
    double height;
} ring;

static const float *at(const ring *r, uint32_t node)
{
    return r->flat + 2 * (size_t)r->nodes[node].point;
}

static bool same_place(const float *a, const float *b)
{
    return a[0] == b[0] && a[1] == b[1];
}

// Whether the ear's height over its longest side is at least that asked for.
static bool is_high(const ring *r, const float *a, const float *b, const float *c)
{
    const float *p[3] = { a, b, c };
    double longest = 0.0;
    for (int i = 0; i < 3; i++) {
        double x = (double)p[(i + 1) % 3][0] - (double)p[i][0],
               y = (double)p[(i + 1) % 3][1] - (double)p[i][1];
        double square = x * x + y * y;
        longest = square > longest ? square : longest;
    }
    double area = ((double)b[0] - (double)a[0]) * ((double)c[1] - (double)a[1]) -
                  ((double)b[1] - (double)a[1]) * ((double)c[0] - (double)a[0]);
    return area > 0.0 && area * area >= longest * r->height * r->height;
}

static bool blocks(const float *p, const float *a, const float *b, const float *c)
{
    float left = a[0] < b[0] ? a[0] : b[0], right = a[0] < b[0] ? b[0] : a[0];
    left = c[0] < left ? c[0] : left;
    right = c[0] > right ? c[0] : right;
    if (p[0] < left || p[0] > right || same_place(p, a) || same_place(p, b) || same_place(p, c)) {
        return false;
    }
    return mr_orient2d(a, b, p) >= 0 && mr_orient2d(b, c, p) >= 0 && mr_orient2d(c, a, p) >= 0;
}

static bool is_ear(const ring *r, uint32_t node, bool high)
{
    uint32_t before = r->nodes[node].before, after = r->nodes[node].after;
    const float *a = at(r, before), *b = at(r, node), *c = at(r, after);
    if (mr_orient2d(a, b, c) <= 0 || (high && !is_high(r, a, b, c))) {
        return false;
    }
    for (uint32_t k = r->nodes[after].after; k != before; k = r->nodes[k].after) {
        if (blocks(at(r, k), a, b, c)) {
            return false;
        }
    }
    return true;
}

// A corner to cut off where there is no ear: a flat one, or one that turns left, or any.
static uint32_t forced(const ring *r, uint32_t start, size_t count)
{
    int best = -2;
    uint32_t chosen = start;
    for (uint32_t node = start; count--; node = r->nodes[node].after) {
        int turn = mr_orient2d(at(r, r->nodes[node].before), at(r, node), at(r, r->nodes[node].after));
        turn = turn == 0 ? 2 : turn;
        if (turn > best) {
            best = turn;
            chosen = node;
        }
    }
    return chosen;
}

static bool cut_off(mr_context *context, ring *r, uint32_t node, boolean_ears *ears)
{
    boolean_node n = r->nodes[node];
    boolean_corners3 ear = { { r->nodes[n.before].point, n.point, r->nodes[n.after].point } };
    r->nodes[n.before].after = n.after;
    r->nodes[n.after].before = n.before;
    return mr_array_push(context, ears, ear);
}

bool boolean_cut_ears(mr_context *context, boolean_node *nodes, uint32_t start, size_t count,
                      const float *flat, double height, boolean_ears *ears)
{
    ring r = { nodes, flat, height };
    uint32_t node = start;
    bool high = true;
    for (size_t tries = 0; count > 3;) {
        bool ear = is_ear(&r, node, high);
        if (!ear && ++tries >= count) {
            if (high) {
                high = false;
                tries = 0;
                continue;
            }
            node = forced(&r, node, count);
            ear = true;
        }
        uint32_t after = nodes[node].after;
        if (ear) {
            if (!cut_off(context, &r, node, ears)) {
                return false;
            }
            count--;
            tries = 0;
            high = true;
            // The next corner but one, so that a fan does not grow from one point.
            after = nodes[after].after;
        }
        node = after;
    }
    if (count < 3) {
        return true;
    }
    boolean_corners3 last = { { nodes[node].point, nodes[nodes[node].after].point,
                                nodes[nodes[node].before].point } };
    return mr_array_push(context, ears, last);
}
