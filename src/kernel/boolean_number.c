// kernel/boolean_number.c: the crossing points: one of each name, where it is, and those of an edge in their order.

#include "kernel/boolean_state.h"
#include "kernel/intersect_unify.h"

#include <string.h>

void *boolean_take(boolean *b, size_t count, size_t size, bool zero, mr_error *error)
{
    size_t bytes;
    if (!mr_size_multiply(count, size, &bytes)) {
        mr_fail(error, MR_LIMIT, "boolean: %zu times %zu bytes are more than there can be", count, size);
        return NULL;
    }
    void *buffer = mr_buffer_take(b->context, bytes, error);
    if (buffer && !mr_arena_adopt(&b->arena, buffer)) {
        mr_buffer_release(b->context, buffer);
        mr_fail_memory(error, bytes);
        return NULL;
    }
    if (buffer && zero) {
        memset(buffer, 0, bytes);
    }
    return buffer;
}

bool boolean_order(boolean *b, uint32_t *items, size_t count,
                   bool (*less)(const void *self, uint32_t, uint32_t), const void *self, mr_error *error)
{
    uint32_t *from = items, *to = mr_buffer_take(b->context, count * sizeof *to, error), *scratch = to;
    if (!to) {
        return false;
    }
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            size_t middle = first + width < count ? first + width : count;
            size_t last = middle + width < count ? middle + width : count, i = first, k = middle;
            for (size_t at = first; at < last; at++) {
                bool right = i == middle || (k < last && less(self, from[k], from[i]));
                to[at] = right ? from[k++] : from[i++];
            }
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
    mr_buffer_release(b->context, scratch);
    return true;
}

const float *boolean_position(const boolean *b, uint32_t point)
{
    if (point < b->side[1].base) {
        return boolean_at(&b->side[0], point);
    }
    uint32_t crossing = b->total - (uint32_t)b->point_count;
    return point < crossing ? boolean_at(&b->side[1], point - b->side[1].base)
                            : b->positions + 3 * (size_t)(point - crossing);
}

uint32_t boolean_find(boolean *b, uint32_t point)
{
    while (b->same[point] != point) {
        b->same[point] = b->same[b->same[point]];
        point = b->same[point];
    }
    return point;
}

static bool along_edge(const void *self, uint32_t i, uint32_t k)
{
    const boolean_point *p = (const boolean_point *)self + i, *q = (const boolean_point *)self + k;
    return p->side != q->side   ? p->side < q->side
           : p->lo != q->lo     ? p->lo < q->lo
           : p->hi != q->hi     ? p->hi < q->hi
           : p->at.t != q->at.t ? p->at.t < q->at.t
                                : p->triangle < q->triangle;
}

static bool same_edge(const boolean_point *p, uint32_t side, uint32_t lo, uint32_t hi)
{
    return p->side == side && p->lo == lo && p->hi == hi;
}

static uint32_t cell_of(const boolean *b, uint32_t side, uint32_t lo, uint32_t hi)
{
    mr_cut_end name = { .kind = side, .lo = lo, .hi = hi };
    uint32_t cell = mr_cut_hash(&name) & (b->edge_cells - 1);
    while (b->edge_table[cell] &&
           !same_edge(&b->points[b->edge_points[b->edge_table[cell] - 1]], side, lo, hi)) {
        cell = (cell + 1) & (b->edge_cells - 1);
    }
    return cell;
}

const uint32_t *boolean_points_of(const boolean *b, uint32_t side, uint32_t lo, uint32_t hi, size_t *count)
{
    *count = 0;
    if (b->point_count == 0) {
        return NULL;
    }
    uint32_t first = b->edge_table[cell_of(b, side, lo, hi)];
    if (first == 0) {
        return NULL;
    }
    const uint32_t *points = b->edge_points + first - 1;
    while (first - 1 + *count < b->point_count && same_edge(&b->points[points[*count]], side, lo, hi)) {
        ++*count;
    }
    return points;
}

static bool list_by_edge(boolean *b, mr_error *error)
{
    b->edge_cells = 1;
    while (b->edge_cells < 2 * b->point_count) {
        b->edge_cells *= 2;
    }
    if (!(b->edge_points = boolean_take(b, b->point_count, sizeof *b->edge_points, false, error)) ||
        !(b->edge_table = boolean_take(b, b->edge_cells, sizeof *b->edge_table, true, error))) {
        return false;
    }
    for (uint32_t i = 0; i < b->point_count; i++) {
        b->edge_points[i] = i;
    }
    if (!boolean_order(b, b->edge_points, b->point_count, along_edge, b->points, error)) {
        return false;
    }
    for (uint32_t i = 0; i < b->point_count; i++) {
        const boolean_point *p = &b->points[b->edge_points[i]];
        uint32_t *cell = &b->edge_table[cell_of(b, p->side, p->lo, p->hi)];
        *cell = *cell ? *cell : i + 1;
    }
    return true;
}

// From the nearer end, so that both ends are met exactly.
static void place(const boolean *b, const boolean_point *p, float out[3])
{
    const float *lo = boolean_at(&b->side[p->side], p->lo), *hi = boolean_at(&b->side[p->side], p->hi);
    double t = p->at.t;
    for (int k = 0; k < 3; k++) {
        double from = (double)lo[k], to = (double)hi[k];
        out[k] = (float)(t < 0.5 ? from + t * (to - from) : to - (1.0 - t) * (to - from));
    }
}

static bool make_points(boolean *b, const mr_cut_end *ends, const boolean_crossing *at, const uint32_t *rep,
                        mr_error *error)
{
    uint32_t *number = boolean_take(b, 2 * b->cut_count, sizeof *number, false, error);
    if (!number) {
        return false;
    }
    for (size_t s = 0; s < 2 * b->cut_count; s++) {
        if (rep[s] == s) {
            number[s] = (uint32_t)b->point_count++;
        }
        b->cuts[s / 2].point[s % 2] = number[rep[s]];
    }
    if ((uint64_t)b->total + b->point_count > UINT32_MAX / 2) {
        return mr_fail(error, MR_LIMIT, "boolean: more points than 31 bits can number");
    }
    if (!(b->points = boolean_take(b, b->point_count, sizeof *b->points, false, error)) ||
        !(b->positions = boolean_take(b, 3 * b->point_count, sizeof(float), false, error))) {
        return false;
    }
    for (size_t s = 0; s < 2 * b->cut_count; s++) {
        if (rep[s] == s) {
            const mr_cut_end *e = &ends[s];
            boolean_point *p = &b->points[number[s]];
            *p = (boolean_point){ (e->kind & MR_END_KIND) == MR_END_EDGE_OF_B, e->lo, e->hi, e->tri, at[s] };
            place(b, p, b->positions + 3 * (size_t)number[s]);
        }
    }
    return true;
}

// The triangles that something crosses become faces.
static bool list_faces(boolean *b, mr_error *error)
{
    for (int i = 0; i < 2; i++) {
        size_t triangles = b->side[i].mesh.triangle_count;
        if (!(b->side[i].face_of = boolean_take(b, triangles, sizeof(uint32_t), true, error))) {
            return false;
        }
    }
    for (size_t k = 0; k < 2 * b->cut_count; k++) {
        uint32_t side = k % 2, triangle = b->cuts[k / 2].triangle[side];
        if (!b->side[side].face_of[triangle] && !boolean_add_face(b, side, triangle, error)) {
            return false;
        }
    }
    return true;
}

bool boolean_add_face(boolean *b, uint32_t side, uint32_t triangle, mr_error *error)
{
    boolean_face face = { .side = side, .triangle = triangle };
    if (!mr_array_push(b->context, &b->faces, face)) {
        return mr_fail_memory(error, (b->faces.count + 1) * sizeof face);
    }
    b->side[side].face_of[triangle] = (uint32_t)b->faces.count;
    return true;
}

bool boolean_number(boolean *b, const mr_cut_end *ends, const boolean_crossing *at, mr_error *error)
{
    uint32_t *rep = boolean_take(b, 2 * b->cut_count, sizeof *rep, false, error);
    if (!rep || !mr_cut_unify(b->context, ends, 2 * b->cut_count, rep, error) ||
        !make_points(b, ends, at, rep, error)) {
        return false;
    }
    b->total += (uint32_t)b->point_count;
    if (!(b->same = boolean_take(b, b->total, sizeof *b->same, false, error))) {
        return false;
    }
    for (uint32_t i = 0; i < b->total; i++) {
        b->same[i] = i;
    }
    return list_by_edge(b, error) && list_faces(b, error);
}
