// kernel/ray_table.c: rays through the node table of the bvh kernels.
//
// A table may be anything: its links are checked as they are followed, and no more nodes are looked at than there are.

#include "kernel/ray_table.h"

#include "kernel/tree_triangle.h"

enum { STACK = 128 }; // a radix tree over 30 bits and 27 of place is less than half as deep

typedef struct search {
    const uint32_t *nodes;
    const mr_faces *faces;
    mr_tree_ray ray;
    bool any; // the first hit found will do
    mr_hit hit;
} search;

// A bound that is no number bounds nothing.
static bool meets_box(const search *s, size_t node)
{
    const mr_tree_ray *r = &s->ray;
    mr_box box = mr_bvh_box(s->nodes, node);
    float in = r->low, out = r->high;
    for (int axis = 0; axis < 3; axis++) {
        bool back = r->near_side[axis];
        float near = back ? box.high[axis] : box.low[axis], far = back ? box.low[axis] : box.high[axis];
        float a = (near - r->near_origin[axis]) * r->inverse[axis];
        float b = (far - r->far_origin[axis]) * r->inverse[axis];
        in = a > in ? a : in;
        out = b < out ? b : out;
    }
    return in <= out;
}

// The ray's high is lowered to the hit's t, and an equal t kept to the lower primitive and fan.
static void meet_primitive(search *s, uint32_t primitive)
{
    mr_face_run run = mr_face_run_of(s->faces, primitive);
    const float *first = run.count > 2 ? mr_face_vertex(s->faces, run.first) : NULL;
    if (!first || !mr_tree_point_counts(first)) {
        return;
    }
    for (size_t fan = 0; fan + 2 < run.count; fan++) {
        const float *q = mr_face_vertex(s->faces, run.first + fan + 1);
        const float *p = mr_face_vertex(s->faces, run.first + fan + 2);
        mr_hit found = { .primitive = primitive, .fan = (uint32_t)fan };
        if (!q || !p || !mr_tree_point_counts(q) || !mr_tree_point_counts(p) ||
            !mr_tree_meets(&s->ray, first, q, p, &found.t, &found.u, &found.v)) {
            continue;
        }
        // Of one primitive fans come in order; of another at equal t the lower number wins.
        if (s->hit.primitive == MR_TREE_NONE || found.t < s->hit.t || primitive < s->hit.primitive) {
            s->hit = found;
            s->ray.high = found.t;
        }
    }
}

static bool walk(search *s, mr_error *error)
{
    uint32_t stack[STACK], depth = 1;
    size_t count = s->faces->count, nodes = 2 * count - 1, looked = 0;
    stack[0] = 0;
    while (depth > 0 && !(s->any && s->hit.primitive != MR_TREE_NONE)) {
        uint32_t node = stack[--depth];
        if (node >= nodes || looked++ >= nodes) {
            return mr_fail(error, MR_BAD_INPUT, "the links of the node table are no tree");
        }
        if (!meets_box(s, node)) {
            continue;
        }
        const uint32_t *links = s->nodes + MR_BVH_NODE_WORDS * node + MR_BVH_LEFT;
        if (links[1] == MR_BVH_LEAF) {
            if (links[0] >= count) {
                return mr_fail(error, MR_BAD_INPUT,
                               "a leaf of the node table is primitive %u, and there are %zu", links[0],
                               count);
            }
            meet_primitive(s, links[0]);
        } else if (depth + 2 > STACK) {
            return mr_fail(error, MR_BAD_INPUT, "the node table is deeper than a radix tree can be");
        } else {
            stack[depth++] = links[1];
            stack[depth++] = links[0];
        }
    }
    return true;
}

static bool search_table(search *s, const mr_ray *ray, mr_error *error)
{
    s->hit = (mr_hit){ -1.0f, 0.0f, 0.0f, MR_TREE_NONE, 0 };
    if (s->faces->count == 0 || !mr_tree_ray_turn(&s->ray, ray)) {
        return true;
    }
    mr_box bounds = mr_bvh_box(s->nodes, 0);
    mr_tree_ray_aim(&s->ray, ray, &bounds);
    return walk(s, error);
}

bool mr_ray_table_closest(const uint32_t *nodes, const mr_faces *faces, const mr_ray *ray, mr_hit *hit,
                          mr_error *error)
{
    search s = { .nodes = nodes, .faces = faces };
    bool good = search_table(&s, ray, error);
    *hit = s.hit;
    return good;
}

bool mr_ray_table_any(const uint32_t *nodes, const mr_faces *faces, const mr_ray *ray, bool *met,
                      mr_error *error)
{
    search s = { .nodes = nodes, .faces = faces, .any = true };
    bool good = search_table(&s, ray, error);
    *met = s.hit.primitive != MR_TREE_NONE;
    return good;
}
