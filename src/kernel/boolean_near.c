// kernel/boolean_near.c: a grid of bits that leaves out what is far from the other mesh, and a tree over the rest.

#include "kernel/boolean_near.h"

#include "base/thread.h"
#include "kernel/bvh.h"
#include "kernel/compact.h"
#include "kernel/sort.h"

enum { GRAIN = 4096, LANES = 64 };

typedef struct job {
    boolean *b;
    const boolean_side *side;
    mr_box common;
    double scale[3]; // cells a unit of length
    uint32_t across; // cells along each axis, a multiple of LANES
    uint64_t *own, *other;
    uint32_t *keep;
} job;

static uint32_t cell_of(const job *j, float x, int axis)
{
    double at = ((double)x - (double)j->common.low[axis]) * j->scale[axis];
    return at <= 0.0 ? 0 : at >= (double)(j->across - 1) ? j->across - 1 : (uint32_t)at;
}

typedef struct cells {
    uint32_t low[3], high[3];
} cells;

static bool cells_of(const job *j, uint32_t triangle, cells *c)
{
    mr_box box = boolean_box_of(j->side, triangle);
    if (!boolean_boxes_meet(&box, &j->common)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        c->low[k] = cell_of(j, box.low[k], k);
        c->high[k] = cell_of(j, box.high[k], k);
    }
    return true;
}

// The bits of x cells low to high in word w of a row.
static uint64_t bits_of(const cells *c, uint32_t w)
{
    uint32_t from = c->low[0] / LANES == w ? c->low[0] % LANES : 0;
    uint32_t to = c->high[0] / LANES == w ? c->high[0] % LANES : LANES - 1;
    return (~UINT64_C(0) << from) & (~UINT64_C(0) >> (LANES - 1 - to));
}

// Sets the cells' bits in `own`, or answers whether some cell has both bits.
static bool visit(const job *j, const cells *c, bool set)
{
    uint32_t words = j->across / LANES;
    for (uint32_t z = c->low[2]; z <= c->high[2]; z++) {
        for (uint32_t y = c->low[1]; y <= c->high[1]; y++) {
            for (uint32_t w = c->low[0] / LANES; w <= c->high[0] / LANES; w++) {
                size_t at = ((size_t)z * j->across + y) * words + w;
                uint64_t bits = bits_of(c, w);
                if (!set && (bits & j->own[at] & j->other[at])) {
                    return true;
                }
                if (set && (__atomic_load_n(&j->own[at], __ATOMIC_RELAXED) & bits) != bits) {
                    __atomic_fetch_or(&j->own[at], bits, __ATOMIC_RELAXED);
                }
            }
        }
    }
    return false;
}

static bool mark(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t t = begin; t < end; t++) {
        cells c;
        if (cells_of(j, (uint32_t)t, &c)) {
            visit(j, &c, true);
        }
    }
    return mr_keep_going(j->b->context, error);
}

static bool choose(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t t = begin; t < end; t++) {
        cells c;
        j->keep[t] = cells_of(j, (uint32_t)t, &c) && visit(j, &c, false);
    }
    return mr_keep_going(j->b->context, error);
}

static void lay_grid(job *j)
{
    const boolean *b = j->b;
    size_t triangles = b->side[0].mesh.triangle_count + b->side[1].mesh.triangle_count;
    j->across = triangles < 20000 ? LANES : 2 * LANES;
    for (int k = 0; k < 3; k++) {
        float low = b->side[0].box.low[k], high = b->side[0].box.high[k];
        j->common.low[k] = low > b->side[1].box.low[k] ? low : b->side[1].box.low[k];
        j->common.high[k] = high < b->side[1].box.high[k] ? high : b->side[1].box.high[k];
        double size = (double)j->common.high[k] - (double)j->common.low[k];
        j->scale[k] = size > 0.0 ? (double)j->across / size : 0.0;
    }
}

bool boolean_find_near(boolean *b, boolean_near *near, mr_error *error)
{
    *near = (boolean_near){ 0 };
    if (!boolean_boxes_meet(&b->side[0].box, &b->side[1].box)) {
        return true;
    }
    job j = { .b = b };
    lay_grid(&j);
    size_t words = (size_t)j.across * j.across * (j.across / LANES);
    uint64_t *bits[2];
    for (int i = 0; i < 2; i++) {
        size_t count = b->side[i].mesh.triangle_count;
        if (!(bits[i] = boolean_take(b, words, sizeof *bits[i], true, error)) ||
            !(near->triangles[i] = boolean_take(b, count, sizeof(uint32_t), false, error))) {
            return false;
        }
        j.side = &b->side[i];
        j.own = bits[i];
        if (!mr_parallel_for(b->context, count, GRAIN, mark, &j, error)) {
            return false;
        }
    }
    for (int i = 0; i < 2; i++) {
        size_t count = b->side[i].mesh.triangle_count;
        j.side = &b->side[i];
        j.own = bits[i];
        j.other = bits[1 - i];
        if (!(j.keep = boolean_take(b, count, sizeof *j.keep, false, error)) ||
            !mr_parallel_for(b->context, count, GRAIN, choose, &j, error) ||
            !mr_compact_indices(b->context, j.keep, count, near->triangles[i], &near->count[i], error)) {
            return false;
        }
    }
    return true;
}

static void box_up(const boolean_side *side, boolean_tree *tree)
{
    for (size_t node = 2 * tree->leaves - 1; node > 0; node--) {
        mr_box *box = &tree->boxes[node];
        if (node < tree->leaves) {
            *box = tree->boxes[2 * node];
            mr_box_add(box, &tree->boxes[2 * node + 1]);
            continue;
        }
        *box = mr_box_empty();
        size_t first = BOOLEAN_LEAF * (node - tree->leaves);
        for (size_t i = first; i < first + BOOLEAN_LEAF && i < tree->count; i++) {
            mr_box own = boolean_box_of(side, tree->order[i]);
            mr_box_add(box, &own);
        }
    }
}

bool boolean_plant(boolean *b, const uint32_t *triangles, size_t count, boolean_tree *tree, mr_error *error)
{
    const boolean_side *side = &b->side[1];
    uint32_t *codes;
    *tree = (boolean_tree){ .count = count, .leaves = 1 };
    while (BOOLEAN_LEAF * tree->leaves < count) {
        tree->leaves *= 2;
    }
    if (!(codes = boolean_take(b, count, sizeof *codes, false, error)) ||
        !(tree->order = boolean_take(b, count, sizeof *tree->order, false, error)) ||
        !(tree->boxes = boolean_take(b, 2 * tree->leaves, sizeof *tree->boxes, false, error))) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        mr_box box = boolean_box_of(side, triangles[i]);
        codes[i] = mr_bvh_code(&box, &side->box);
    }
    if (!mr_sort_permutation(b->context, codes, count, 30, tree->order, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        tree->order[i] = triangles[tree->order[i]];
    }
    box_up(side, tree);
    return true;
}
