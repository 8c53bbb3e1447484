// kernel/boolean_wind.c: the winding number of the other operand about every point.
//
// Along an edge that nothing crosses it does not change, and at a crossing by one. So points that edges connect have one
// unknown number between them, which a point outside the other's bounds settles, or one ray.

#include "base/thread.h"
#include "kernel/boolean_state.h"

typedef struct job {
    boolean *b;
    boolean_side *side;
    const boolean_side *other;
    uint32_t *parent; // a forest; a root has itself
    int32_t *offset;  // winding of the point less that of its parent
    uint8_t *known;   // whether a root's winding number is
} job;

// Finds the root, hangs the point on it, and answers its offset from it.
static uint32_t root_of(job *j, uint32_t point, int32_t *offset)
{
    uint32_t root = point;
    int32_t sum = 0;
    while (j->parent[root] != root) {
        sum += j->offset[root];
        root = j->parent[root];
    }
    *offset = sum;
    while (j->parent[point] != root && point != root) {
        uint32_t next = j->parent[point];
        int32_t own = j->offset[point];
        j->parent[point] = root;
        j->offset[point] = sum;
        sum -= own;
        point = next;
    }
    return root;
}

// winding(to) = winding(from) + step. The lower number is the root, whatever the order of joining.
static bool join(job *j, uint32_t from, uint32_t to, int32_t step, mr_error *error)
{
    int32_t f, t;
    uint32_t root_from = root_of(j, from, &f), root_to = root_of(j, to, &t);
    if (root_from == root_to) {
        return f + step == t ||
               mr_fail(error, MR_INTERNAL, "boolean: points %u and %u of operand %s have no winding numbers",
                       from, to, j->side->name);
    }
    if (root_from < root_to) {
        j->parent[root_to] = root_from;
        j->offset[root_to] = f + step - t;
    } else {
        j->parent[root_from] = root_to;
        j->offset[root_from] = t - step - f;
    }
    return true;
}

static bool join_triangle(job *j, uint32_t triangle, mr_error *error)
{
    const uint32_t *ids = boolean_corners(j->side, triangle);
    uint32_t which = (uint32_t)(j->side - j->b->side);
    for (int i = 0; i < 3; i++) {
        uint32_t from = ids[i], to = ids[(i + 1) % 3];
        if (from > to) {
            continue; // the edge has a triangle that goes up it
        }
        size_t count = 0;
        int32_t step = 0;
        const uint32_t *points =
            j->side->face_of[triangle] ? boolean_points_of(j->b, which, from, to, &count) : NULL;
        for (size_t k = 0; k < count; k++) {
            step += j->b->points[points[k]].at.step;
        }
        if (!join(j, from, to, step, error)) {
            return false;
        }
    }
    return true;
}

static bool outside_box(const mr_box *box, const float *at)
{
    for (int k = 0; k < 3; k++) {
        if (at[k] < box->low[k] || at[k] > box->high[k]) {
            return true;
        }
    }
    return false;
}

// How often the ray from a point up along z comes out of the other operand more than it goes in.
static int32_t winding_by_ray(const job *j, uint32_t point)
{
    boolean_corner from = boolean_corner_of(j->side, point);
    int32_t winding = 0;
    for (uint32_t t = 0; t < j->other->mesh.triangle_count; t++) {
        const uint32_t *ids = boolean_corners(j->other, t);
        mr_box box = mr_box_empty();
        for (int i = 0; i < 3; i++) {
            mr_box_add_point(&box, boolean_at(j->other, ids[i]));
        }
        if (from.at[0] < box.low[0] || from.at[0] > box.high[0] || from.at[1] < box.low[1] ||
            from.at[1] > box.high[1] || from.at[2] > box.high[2]) {
            continue;
        }
        boolean_corner c[3];
        int turns = 0;
        for (int i = 0; i < 3; i++) {
            c[i] = boolean_corner_of(j->other, ids[i]);
        }
        for (int i = 0; i < 3; i++) {
            turns += boolean_area((boolean_corner[3]){ c[i], c[(i + 1) % 3], from });
        }
        // Counterclockwise from above: the outside is up, and the point is below where it is on the inner side.
        if ((turns == 3 || turns == -3) &&
            boolean_volume((boolean_corner[4]){ c[0], c[1], c[2], from }) == -turns / 3) {
            winding += turns / 3;
        }
    }
    return winding;
}

// The winding numbers of the roots: by a point outside the other's bounds, the lowest, or the root's own ray.
static bool settle_roots(job *j, mr_error *error)
{
    size_t points = j->side->mesh.point_count;
    for (uint32_t p = 0; p < points; p++) {
        int32_t offset;
        uint32_t root = root_of(j, p, &offset);
        if (!j->known[root] && outside_box(&j->other->box, boolean_at(j->side, p))) {
            j->known[root] = 1;
            j->side->winding[root] = -offset;
        }
    }
    for (uint32_t p = 0; p < points; p++) {
        int32_t offset;
        uint32_t root = root_of(j, p, &offset);
        if (!j->known[root]) {
            j->known[root] = 1;
            if (!mr_keep_going(j->b->context, error)) {
                return false;
            }
            // A point that no triangle has is nowhere.
            j->side->winding[root] =
                root == p && j->side->first[p] == j->side->first[p + 1] ? 0 : winding_by_ray(j, root);
        }
        j->side->winding[p] = j->side->winding[root] + offset;
    }
    return true;
}

static bool wind_side(void *argument, size_t begin, size_t end, mr_error *error)
{
    boolean *b = argument;
    for (size_t which = begin; which < end; which++) {
        boolean_side *side = &b->side[which];
        job j = { .b = b, .side = side, .other = &b->side[1 - which] };
        size_t points = side->mesh.point_count;
        j.parent = mr_buffer_take(b->context, points * sizeof *j.parent, error);
        j.offset = j.parent ? mr_buffer_take(b->context, points * sizeof *j.offset, error) : NULL;
        j.known = j.offset ? mr_buffer_take(b->context, points, error) : NULL;
        bool good = j.known != NULL;
        for (uint32_t p = 0; good && p < points; p++) {
            j.parent[p] = p;
            j.offset[p] = 0;
            j.known[p] = 0;
        }
        for (uint32_t t = 0; good && t < side->mesh.triangle_count; t++) {
            good = join_triangle(&j, t, error);
        }
        good = good && settle_roots(&j, error);
        mr_buffer_release(b->context, j.known);
        mr_buffer_release(b->context, j.offset);
        mr_buffer_release(b->context, j.parent);
        if (!good) {
            return false;
        }
    }
    return true;
}

bool boolean_wind(boolean *b, mr_error *error)
{
    for (int i = 0; i < 2; i++) {
        size_t points = b->side[i].mesh.point_count;
        if (!(b->side[i].winding = boolean_take(b, points, sizeof(int32_t), false, error))) {
            return false;
        }
    }
    return mr_parallel_for(b->context, 2, 1, wind_side, b, error);
}
