// kernel/boolean_cross.c: the curve in which the moved A and B cross, a segment for each pair of triangles that do.

#include "base/thread.h"
#include "kernel/boolean_near.h"

#include <string.h>

enum { GRAIN = 64, STACK = 96 };

typedef struct found {
    uint32_t triangle[2];
    mr_cut_end ends[2]; // names alone
    boolean_crossing at[2];
    int count[2]; // of beginnings and of ends: one each
} found;

typedef MR_ARRAY(found) found_list;

typedef struct job {
    boolean *b;
    const boolean_near *near;
    boolean_tree tree;
    found_list *lists; // one a run
} job;

typedef struct corners {
    const uint32_t *ids;
    boolean_corner at[3];
    int side[3]; // by the other's plane: 1 outside, -1 inside, 0 of a triangle of no area
} corners;

static corners corners_of(const boolean_side *side, uint32_t triangle)
{
    corners c = { .ids = boolean_corners(side, triangle) };
    for (int i = 0; i < 3; i++) {
        c.at[i] = boolean_corner_of(side, c.ids[i]);
    }
    return c;
}

// The sides of p's corners by the plane of q. False: all on one.
static bool take_sides(corners *p, const corners *q)
{
    for (int i = 0; i < 3; i++) {
        p->side[i] = boolean_volume((boolean_corner[4]){ q->at[0], q->at[1], q->at[2], p->at[i] });
    }
    return p->side[0] != p->side[1] || p->side[1] != p->side[2];
}

// Whether edge i of p, whose ends are on both sides of q's plane, goes through q. The volumes are of A's edge and B's, in
// that order, whichever is asked about.
static bool goes_through(const corners *p, int i, const corners *q, bool of_a)
{
    int turns = 0;
    for (int k = 0; k < 3; k++) {
        boolean_corner from = p->at[i], to = p->at[(i + 1) % 3], c = q->at[k], d = q->at[(k + 1) % 3];
        turns += of_a ? boolean_volume((boolean_corner[4]){ from, to, c, d })
                      : boolean_volume((boolean_corner[4]){ c, d, from, to });
    }
    return turns == 3 || turns == -3;
}

// Puts the crossing of edge i of p through q into its place: a curve begins in A's triangle where the triangle's own
// boundary goes in, and in B's where it comes out.
static void put_end(found *f, const corners *p, int i, const corners *q, bool of_a, uint32_t triangle)
{
    uint32_t from = p->ids[i], to = p->ids[(i + 1) % 3];
    bool in = p->side[i] > p->side[(i + 1) % 3], up = from < to;
    int place = in == of_a ? 0 : 1;
    boolean_corner lo = p->at[up ? i : (i + 1) % 3], hi = p->at[up ? (i + 1) % 3 : i];
    f->ends[place] = (mr_cut_end){ .kind = of_a ? MR_END_EDGE_OF_A : MR_END_EDGE_OF_B,
                                   .lo = up ? from : to,
                                   .hi = up ? to : from,
                                   .tri = triangle };
    f->at[place] = (boolean_crossing){ boolean_fraction(q->at, lo, hi), in == up ? 1 : -1 };
    f->count[place]++;
}

static bool cross(const boolean *b, uint32_t ta, uint32_t tb, found *f)
{
    corners a = corners_of(&b->side[0], ta), c = corners_of(&b->side[1], tb);
    *f = (found){ .triangle = { ta, tb } };
    if (!take_sides(&a, &c) || !take_sides(&c, &a)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if (a.side[i] != a.side[(i + 1) % 3] && goes_through(&a, i, &c, true)) {
            put_end(f, &a, i, &c, true, tb);
        }
        if (c.side[i] != c.side[(i + 1) % 3] && goes_through(&c, i, &a, false)) {
            put_end(f, &c, i, &a, false, ta);
        }
    }
    return f->count[0] + f->count[1] > 0;
}

static bool cross_with_leaf(const job *j, uint32_t a, const mr_box *box, size_t leaf, found_list *list,
                            mr_error *error)
{
    size_t first = BOOLEAN_LEAF * leaf;
    for (size_t i = first; i < first + BOOLEAN_LEAF && i < j->tree.count; i++) {
        found f;
        uint32_t t = j->tree.order[i];
        mr_box other = boolean_box_of(&j->b->side[1], t);
        if (!boolean_boxes_meet(box, &other) || !cross(j->b, a, t, &f)) {
            continue;
        }
        if (f.count[0] != 1 || f.count[1] != 1) {
            return mr_fail(error, MR_INTERNAL,
                           "boolean: triangle %u of A and %u of B cross in %d and %d ends", a, t, f.count[0],
                           f.count[1]);
        }
        if (!mr_array_push(j->b->context, list, f)) {
            return mr_fail_memory(error, (list->count + 1) * sizeof f);
        }
    }
    return true;
}

static bool cross_range(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    found_list *list = &j->lists[mr_parallel_run_of(j->near->count[0], GRAIN, begin)];
    for (size_t k = begin; k < end; k++) {
        uint32_t a = j->near->triangles[0][k];
        mr_box box = boolean_box_of(&j->b->side[0], a);
        size_t stack[STACK], depth = 0;
        stack[depth++] = 1;
        while (depth > 0) {
            size_t node = stack[--depth];
            if (!boolean_boxes_meet(&box, &j->tree.boxes[node])) {
                continue;
            }
            if (node < j->tree.leaves) {
                stack[depth++] = 2 * node + 1;
                stack[depth++] = 2 * node;
            } else if (!cross_with_leaf(j, a, &box, node - j->tree.leaves, list, error)) {
                return false;
            }
        }
    }
    return mr_keep_going(j->b->context, error);
}

// The runs' lists one behind the other, as cuts and ends.
static bool gather(job *j, size_t runs, mr_error *error)
{
    boolean *b = j->b;
    mr_cut_end *ends;
    boolean_crossing *at;
    for (size_t i = 0; i < runs; i++) {
        b->cut_count += j->lists[i].count;
    }
    if (!(b->cuts = boolean_take(b, b->cut_count, sizeof *b->cuts, false, error)) ||
        !(ends = boolean_take(b, 2 * b->cut_count, sizeof *ends, false, error)) ||
        !(at = boolean_take(b, 2 * b->cut_count, sizeof *at, false, error))) {
        return false;
    }
    size_t next = 0;
    for (size_t i = 0; i < runs; i++) {
        for (size_t k = 0; k < j->lists[i].count; k++, next++) {
            const found *f = &j->lists[i].items[k];
            b->cuts[next] = (boolean_cut){ .triangle = { f->triangle[0], f->triangle[1] } };
            memcpy(ends + 2 * next, f->ends, sizeof f->ends);
            memcpy(at + 2 * next, f->at, sizeof f->at);
        }
    }
    return boolean_number(b, ends, at, error);
}

bool boolean_cross(boolean *b, mr_error *error)
{
    boolean_near near;
    job j = { .b = b, .near = &near };
    if (!boolean_find_near(b, &near, error) || !boolean_move(b, &near, error) ||
        !boolean_plant(b, near.triangles[1], near.count[1], &j.tree, error)) {
        return false;
    }
    size_t runs = mr_parallel_runs(near.count[0], GRAIN);
    j.lists = boolean_take(b, runs, sizeof *j.lists, true, error);
    bool good = j.lists && mr_parallel_for(b->context, near.count[0], GRAIN, cross_range, &j, error) &&
                gather(&j, runs, error);
    for (size_t i = 0; j.lists && i < runs; i++) {
        mr_array_free(b->context, &j.lists[i]);
    }
    return good;
}
