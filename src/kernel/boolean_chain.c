// kernel/boolean_chain.c: what is kept of the faces that something crosses, as the directed edges around it.

#include "kernel/boolean_state.h"

static bool is_before(const boolean_edge *a, const boolean_edge *b)
{
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

static void sift(boolean_edge *edges, size_t at, size_t count)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_before(&edges[child], &edges[child + 1]);
        if (!is_before(&edges[at], &edges[child])) {
            return;
        }
        boolean_edge swap = edges[at];
        edges[at] = edges[child];
        edges[child] = swap;
    }
}

static void put_in_order(boolean_edge *edges, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) {
        sift(edges, i, count);
    }
    for (size_t last = count; last-- > 1;) {
        boolean_edge swap = edges[0];
        edges[0] = edges[last];
        edges[last] = swap;
        sift(edges, 0, last);
    }
}

void boolean_tidy(boolean_edge *edges, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (edges[i].from > edges[i].to) {
            edges[i] = (boolean_edge){ edges[i].to, edges[i].from, -edges[i].count };
        }
    }
    put_in_order(edges, *count);
    for (size_t i = 0, n; i < *count; i += n) {
        boolean_edge sum = edges[i];
        for (n = 1; i + n < *count && edges[i + n].from == sum.from && edges[i + n].to == sum.to; n++) {
            sum.count += edges[i + n].count;
        }
        if (sum.count != 0 && sum.from != sum.to) {
            edges[kept++] = sum;
        }
    }
    *count = kept;
}

static bool add_edge(boolean *b, uint32_t from, uint32_t to, int32_t count, mr_error *error)
{
    boolean_edge edge = { from, to, count };
    return count == 0 || mr_array_push(b->context, &b->edges, edge) ||
           mr_fail_memory(error, (b->edges.count + 1) * sizeof edge);
}

// A side of the triangle, between its crossing points.
static bool add_side(boolean *b, const boolean_side *side, uint32_t from, uint32_t to, mr_error *error)
{
    uint32_t crossing = b->total - (uint32_t)b->point_count;
    bool up = from < to;
    size_t count;
    const uint32_t *points =
        boolean_points_of(b, (uint32_t)(side - b->side), up ? from : to, up ? to : from, &count);
    int32_t winding = side->winding[from];
    uint32_t last = side->base + from;
    for (size_t k = 0; k < count; k++) {
        uint32_t p = points[up ? k : count - 1 - k];
        if (!add_edge(b, last, crossing + p, boolean_multiplicity(b, side, winding), error)) {
            return false;
        }
        last = crossing + p;
        winding += up ? b->points[p].at.step : -b->points[p].at.step;
    }
    return add_edge(b, last, side->base + to, boolean_multiplicity(b, side, winding), error);
}

// The cuts of each face, in order: cuts[first[f]] to cuts[first[f + 1] - 1].
static bool list_cuts(boolean *b, uint32_t **first, uint32_t **cuts, mr_error *error)
{
    if (!(*first = boolean_take(b, b->faces.count + 2, sizeof **first, true, error)) ||
        !(*cuts = boolean_take(b, 2 * b->cut_count, sizeof **cuts, false, error))) {
        return false;
    }
    uint32_t *next = *first + 1; // ends as the first of the face after
    for (size_t k = 0; k < 2 * b->cut_count; k++) {
        uint32_t face = b->side[k % 2].face_of[b->cuts[k / 2].triangle[k % 2]] - 1;
        next[face + 1]++;
    }
    for (size_t f = 0; f < b->faces.count; f++) {
        next[f + 1] += next[f];
    }
    for (size_t k = 0; k < 2 * b->cut_count; k++) {
        uint32_t face = b->side[k % 2].face_of[b->cuts[k / 2].triangle[k % 2]] - 1;
        (*cuts)[next[face]++] = (uint32_t)(k / 2);
    }
    return true;
}

bool boolean_chain(boolean *b, mr_error *error)
{
    uint32_t *first, *cuts, crossing = b->total - (uint32_t)b->point_count;
    if (!list_cuts(b, &first, &cuts, error)) {
        return false;
    }
    for (size_t f = 0; f < b->faces.count; f++) {
        boolean_face *face = &b->faces.items[f];
        const boolean_side *side = &b->side[face->side];
        const uint32_t *ids = boolean_corners(side, face->triangle);
        face->first = b->edges.count;
        for (int i = 0; i < 3; i++) {
            if (!add_side(b, side, ids[i], ids[(i + 1) % 3], error)) {
                return false;
            }
        }
        for (uint32_t k = first[f]; k < first[f + 1]; k++) {
            const uint32_t *ends = b->cuts[cuts[k]].point;
            int32_t count = face->side == 0 ? -b->slope : b->slope;
            if (!add_edge(b, crossing + ends[0], crossing + ends[1], count, error)) {
                return false;
            }
        }
        face->count = b->edges.count - face->first;
        boolean_tidy(b->edges.items + face->first, &face->count);
        b->edges.count = face->first + face->count;
    }
    return mr_keep_going(b->context, error);
}
