// kernel/tree_trace.isa.c: rays through the tree, a node of eight boxes or a block of eight triangles at a time.
//
// From v3 on the eight lanes are written out in vector registers; the plain loops do the same operations in the same
// order, and tree_triangle.h is what both follow.

#include "kernel/tree_state.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define LANES MR_TREE_WIDTH
#define FAR_AWAY __builtin_inff()

// The lanes of a node whose boxes the ray meets between its low and best, and where it enters each.

#if defined(__AVX2__)
static inline __m256 side(const mr_tree_node *node, const mr_tree_ray *r, uint32_t row, const float *origin,
                          int axis)
{
    __m256 bound = _mm256_loadu_ps(node->bounds[row]);
    return _mm256_mul_ps(_mm256_sub_ps(bound, _mm256_set1_ps(origin[axis])),
                         _mm256_set1_ps(r->inverse[axis]));
}

static inline uint32_t meet_node(const mr_tree_node *node, const mr_tree_ray *r, float best, float *enter)
{
    const uint32_t *near = r->near_side;
    __m256 in_x = side(node, r, near[0], r->near_origin, 0),
           out_x = side(node, r, 3 - near[0], r->far_origin, 0);
    __m256 in_y = side(node, r, 1 + near[1], r->near_origin, 1);
    __m256 out_y = side(node, r, 4 - near[1], r->far_origin, 1);
    __m256 in_z = side(node, r, 2 + near[2], r->near_origin, 2);
    __m256 out_z = side(node, r, 5 - near[2], r->far_origin, 2);
    __m256 in = _mm256_max_ps(_mm256_max_ps(in_x, in_y), _mm256_max_ps(in_z, _mm256_set1_ps(r->low)));
    __m256 out = _mm256_min_ps(_mm256_min_ps(out_x, out_y), _mm256_min_ps(out_z, _mm256_set1_ps(best)));
    _mm256_storeu_ps(enter, in);
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(in, out, _CMP_LE_OQ));
}
#else
static inline uint32_t meet_node(const mr_tree_node *node, const mr_tree_ray *r, float best, float *enter)
{
    float in[LANES], out[LANES];
    uint32_t mask = 0;
    for (int i = 0; i < LANES; i++) {
        in[i] = r->low;
        out[i] = best;
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        const float *near = node->bounds[axis + r->near_side[axis]];
        const float *far = node->bounds[axis + 3 - r->near_side[axis]];
        const float near_origin = r->near_origin[axis], far_origin = r->far_origin[axis];
        const float inverse = r->inverse[axis];
        for (int i = 0; i < LANES; i++) {
            float a = (near[i] - near_origin) * inverse, b = (far[i] - far_origin) * inverse;
            in[i] = a > in[i] ? a : in[i];
            out[i] = b < out[i] ? b : out[i];
        }
    }
    for (int i = 0; i < LANES; i++) {
        enter[i] = in[i];
        mask |= (uint32_t)(in[i] <= out[i]) << i;
    }
    return mask;
}
#endif

// The lanes of a block whose triangles the ray meets between its low and best, and where.

typedef struct seen { // corners as the ray sees them
    float x[3][LANES], y[3][LANES], z[3][LANES];
} seen;

static inline mr_tree_corner corner_of(const seen *s, int corner, uint32_t lane)
{
    return (mr_tree_corner){ s->x[corner][lane], s->y[corner][lane], s->z[corner][lane] };
}

static inline void see_block(const mr_tree_block *block, const mr_tree_ray *r, seen *s)
{
    const float ox = r->origin[r->x], oy = r->origin[r->y], oz = r->origin[r->z];
    for (int corner = 0; corner < 3; corner++) {
        const float *x = block->corner[corner][r->x], *y = block->corner[corner][r->y];
        const float *z = block->corner[corner][r->z];
        for (int i = 0; i < LANES; i++) {
            float along = z[i] - oz;
            s->x[corner][i] = (x[i] - ox) - r->shear_x * along;
            s->y[corner][i] = (y[i] - oy) - r->shear_y * along;
            s->z[corner][i] = r->scale_z * along;
        }
    }
}

#if defined(__AVX512F__)
static inline __m512d load_wide(const float *lanes)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(lanes));
}

static inline __m512d edge(__m512d px, __m512d py, __m512d qx, __m512d qy)
{
    return _mm512_sub_pd(_mm512_mul_pd(px, qy), _mm512_mul_pd(py, qx));
}

static inline uint32_t meet_seen(const seen *s, float low, float best, float *t)
{
    __m512d ax = load_wide(s->x[0]), bx = load_wide(s->x[1]), cx = load_wide(s->x[2]);
    __m512d ay = load_wide(s->y[0]), by = load_wide(s->y[1]), cy = load_wide(s->y[2]);
    __m512d a = edge(bx, by, cx, cy), b = edge(cx, cy, ax, ay), c = edge(ax, ay, bx, by);
    __m512d none = _mm512_setzero_pd(), sum = _mm512_add_pd(_mm512_add_pd(a, b), c);
    __mmask8 above = _mm512_cmp_pd_mask(a, none, _CMP_GE_OQ);
    above = _mm512_mask_cmp_pd_mask(above, b, none, _CMP_GE_OQ);
    above = _mm512_mask_cmp_pd_mask(above, c, none, _CMP_GE_OQ);
    __mmask8 below = _mm512_cmp_pd_mask(a, none, _CMP_LE_OQ);
    below = _mm512_mask_cmp_pd_mask(below, b, none, _CMP_LE_OQ);
    below = _mm512_mask_cmp_pd_mask(below, c, none, _CMP_LE_OQ);
    __mmask8 inside = (__mmask8)((above | below) & _mm512_cmp_pd_mask(sum, none, _CMP_NEQ_OQ));
    if (!inside) {
        return 0;
    }
    __m512d z = _mm512_add_pd(_mm512_mul_pd(a, load_wide(s->z[0])), _mm512_mul_pd(b, load_wide(s->z[1])));
    z = _mm512_add_pd(z, _mm512_mul_pd(c, load_wide(s->z[2])));
    __m256 at = _mm512_cvtpd_ps(_mm512_div_pd(z, sum));
    _mm256_storeu_ps(t, at);
    uint32_t good = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(at, _mm256_set1_ps(low), _CMP_GE_OQ)) &
                    (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(at, _mm256_set1_ps(best), _CMP_LE_OQ)) &
                    (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(at, _mm256_set1_ps(FAR_AWAY), _CMP_LT_OQ)) &
                    (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(at, _mm256_set1_ps(-FAR_AWAY), _CMP_GT_OQ));
    return inside & good;
}
#else
static inline uint32_t meet_seen(const seen *s, float low, float best, float *t)
{
    double sum[LANES], z[LANES];
    uint32_t inside[LANES], any = 0, mask = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        mr_tree_corner a = corner_of(s, 0, i), b = corner_of(s, 1, i), c = corner_of(s, 2, i);
        mr_tree_weights w = mr_tree_weigh(a, b, c);
        sum[i] = mr_tree_sum(w);
        z[i] = (w.a * (double)a.z + w.b * (double)b.z) + w.c * (double)c.z;
        uint32_t above = (uint32_t)(w.a >= 0.0) & (uint32_t)(w.b >= 0.0) & (uint32_t)(w.c >= 0.0);
        uint32_t below = (uint32_t)(w.a <= 0.0) & (uint32_t)(w.b <= 0.0) & (uint32_t)(w.c <= 0.0);
        inside[i] = (above | below) & (uint32_t)(sum[i] != 0.0);
        any |= inside[i];
    }
    if (!any) {
        return 0;
    }
    for (uint32_t i = 0; i < LANES; i++) {
        t[i] = (float)(z[i] / sum[i]);
        bool good = t[i] >= low && t[i] <= best && __builtin_fabsf(t[i]) < FAR_AWAY;
        mask |= (inside[i] & (uint32_t)good) << i;
    }
    return mask;
}
#endif

static inline uint32_t meet_block(const mr_tree_block *block, const mr_tree_ray *r, float best, seen *s,
                                  float *t)
{
    see_block(block, r, s);
    return meet_seen(s, r->low, best, t);
}

// What is still to be gone into, the nearest on top.

typedef struct entry {
    float enter;
    uint32_t link;
} entry;

typedef struct walk {
    uint32_t count;
    entry entries[MR_TREE_STACK];
} walk;

// Goes into a node: the nearest child that is met is answered, the others wait. MR_TREE_NONE: none is met.
static inline uint32_t go_into(walk *w, const mr_tree_node *node, const mr_tree_ray *r, float best)
{
    float enter[LANES];
    uint32_t mask = meet_node(node, r, best, enter);
    if (!mask) {
        return MR_TREE_NONE;
    }
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    mask &= mask - 1;
    entry nearest = { enter[lane], node->child[lane] };
    uint32_t bottom = w->count;
    for (; mask; mask &= mask - 1) {
        lane = (uint32_t)__builtin_ctz(mask);
        entry other = { enter[lane], node->child[lane] };
        if (other.enter < nearest.enter) {
            entry put = nearest;
            nearest = other;
            other = put;
        }
        uint32_t at = w->count++;
        for (; at > bottom && w->entries[at - 1].enter < other.enter; at--) {
            w->entries[at] = w->entries[at - 1];
        }
        w->entries[at] = other;
    }
    return nearest.link;
}

// The next link that waits and may hold something at best or before; MR_TREE_NONE: there is none.
static inline uint32_t come_back(walk *w, float best)
{
    while (w->count > 0) {
        entry top = w->entries[--w->count];
        if (top.enter <= best) {
            return top.link;
        }
    }
    return MR_TREE_NONE;
}

// The next leaf on the way from `link` on, as its number; MR_TREE_NONE: there is none.
static inline uint32_t next_leaf(walk *w, const mr_tree *tree, const mr_tree_ray *r, float best,
                                 uint32_t link)
{
    while (!(link & MR_TREE_LEAF)) {
        link = go_into(w, &tree->nodes[link], r, best);
        link = link == MR_TREE_NONE ? come_back(w, best) : link;
    }
    return link == MR_TREE_NONE ? link : link & ~MR_TREE_LEAF;
}

static mr_tree_hit closest(const mr_tree *tree, const mr_tree_ray *r)
{
    mr_tree_hit hit = { r->high, MR_TREE_NONE, 0, 0 };
    walk w;
    seen s;
    w.count = 0;
    float t[LANES];
    uint32_t leaf = next_leaf(&w, tree, r, hit.t, 0);
    while (leaf != MR_TREE_NONE) {
        const mr_tree_block *block = &tree->blocks[leaf];
        for (uint32_t mask = meet_block(block, r, hit.t, &s, t); mask; mask &= mask - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(mask);
            if (t[lane] < hit.t || (t[lane] == hit.t && block->item[lane] < hit.item)) {
                hit = (mr_tree_hit){ t[lane], block->item[lane], leaf, lane };
            }
        }
        uint32_t link = come_back(&w, hit.t);
        leaf = link == MR_TREE_NONE ? link : next_leaf(&w, tree, r, hit.t, link);
    }
    return hit;
}

static bool any(const mr_tree *tree, const mr_tree_ray *r)
{
    walk w;
    seen s;
    w.count = 0;
    float t[LANES];
    uint32_t leaf = next_leaf(&w, tree, r, r->high, 0);
    while (leaf != MR_TREE_NONE) {
        if (meet_block(&tree->blocks[leaf], r, r->high, &s, t)) {
            return true;
        }
        uint32_t link = come_back(&w, r->high);
        leaf = link == MR_TREE_NONE ? link : next_leaf(&w, tree, r, r->high, link);
    }
    return false;
}

// The sign of an edge function for a ray moved aside by (e, e e), where e is less than any number.
static inline int edge_sign(mr_tree_corner p, mr_tree_corner q)
{
    double at = mr_tree_edge(p, q);
    if (at != 0.0) {
        return at > 0.0 ? 1 : -1;
    }
    return p.y != q.y ? (p.y > q.y ? 1 : -1) : q.x > p.x ? 1 : q.x < p.x ? -1 : 0;
}

static inline int32_t crossing(mr_tree_corner a, mr_tree_corner b, mr_tree_corner c)
{
    int first = edge_sign(b, c);
    return first == edge_sign(c, a) && first == edge_sign(a, b) ? first : 0;
}

static int32_t crossings(const mr_tree *tree, const mr_tree_ray *r, float margin, bool *near)
{
    walk w;
    seen s;
    int32_t sum = 0;
    w.count = 0;
    float t[LANES];
    uint32_t leaf = next_leaf(&w, tree, r, r->high, 0);
    while (leaf != MR_TREE_NONE) {
        for (uint32_t mask = meet_block(&tree->blocks[leaf], r, r->high, &s, t); mask; mask &= mask - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(mask);
            *near |= t[lane] <= margin;
            sum += t[lane] >= 0.0f
                       ? crossing(corner_of(&s, 0, lane), corner_of(&s, 1, lane), corner_of(&s, 2, lane))
                       : 0;
        }
        uint32_t link = come_back(&w, r->high);
        leaf = link == MR_TREE_NONE ? link : next_leaf(&w, tree, r, r->high, link);
    }
    return sum;
}

static void visit_boxes(const mr_tree *tree, const mr_tree_ray *r, mr_tree_visitor visit, void *self)
{
    walk w;
    w.count = 0;
    float high = r->high;
    uint32_t leaf = next_leaf(&w, tree, r, high, 0);
    while (leaf != MR_TREE_NONE && visit(self, leaf, &high)) {
        uint32_t link = come_back(&w, high);
        leaf = link == MR_TREE_NONE ? link : next_leaf(&w, tree, r, high, link);
    }
}

const mr_tree_kernels MR_ISA(mr_tree_kernels) = { closest, any, crossings, visit_boxes };
