// kernel/tree_triangle.h: how a ray meets a triangle: the one definition, which tree_trace.isa.c works eight at a time.
//
// The ray is turned and sheared to run along the axis of its greatest direction (Woop, Benthin, Wald 2013); the
// triangle's corners, each moved by the same f32 operations whichever triangle it belongs to, become points of a plane
// about the ray. Their edge functions are products of f32 worked in f64: exact but for one rounding of a difference,
// so the sign is exact.

#ifndef MARRAM_KERNEL_TREE_TRIANGLE_H
#define MARRAM_KERNEL_TREE_TRIANGLE_H

#include "kernel/tree.h"

// A ray made ready.
typedef struct mr_tree_ray {
    float origin[3];
    float low, high;
    uint32_t x, y, z; // the axes that become x, y and z; z is that of the greatest direction
    float shear_x, shear_y, scale_z;
    // For boxes: the near and the far side's origin of each axis, moved apart by what widens the boxes, and 1/direction.
    float near_origin[3], far_origin[3], inverse[3];
    uint32_t
        near_side[3]; // 0, or 3 where the direction is negative: which row of a node's bounds is the near one
} mr_tree_ray;

static inline bool mr_tree_point_counts(const float *p)
{
    return __builtin_fabsf(p[0]) <= MR_TREE_FAR && __builtin_fabsf(p[1]) <= MR_TREE_FAR &&
           __builtin_fabsf(p[2]) <= MR_TREE_FAR;
}

// False: the ray meets nothing.
static inline bool mr_tree_ray_turn(mr_tree_ray *r, const mr_ray *ray)
{
    const float *d = ray->direction;
    float size[3] = { __builtin_fabsf(d[0]), __builtin_fabsf(d[1]), __builtin_fabsf(d[2]) };
    uint32_t z = size[1] > size[0] ? 1 : 0;
    z = size[2] > size[z] ? 2 : z;
    bool counts = size[0] <= MR_TREE_LONGEST && size[1] <= MR_TREE_LONGEST && size[2] <= MR_TREE_LONGEST;
    if (!counts || !(size[z] >= MR_TREE_SHORTEST) || !mr_tree_point_counts(ray->origin) ||
        !(ray->low <= ray->high)) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        r->origin[axis] = ray->origin[axis];
    }
    r->low = ray->low;
    r->high = ray->high;
    bool back = d[z] < 0.0f; // x and y are changed over, so that a triangle's turn is kept
    r->z = z;
    r->x = (z + (back ? 2u : 1u)) % 3u;
    r->y = (z + (back ? 1u : 2u)) % 3u;
    r->shear_x = d[r->x] / d[z];
    r->shear_y = d[r->y] / d[z];
    r->scale_z = 1.0f / d[z];
    return true;
}

// Makes the box test ready for a tree of these bounds.
//
// What a hit's t and place are off by, against the true ray and the triangle's own box, comes from five f32 roundings
// (moving, shearing, scaling), each at most 2^-24 of the greatest distance from the origin to a corner of the bounds,
// and the box test's own come to two more. The boxes are widened by 2^-20 of that distance and of the origin's own
// (which the widening is added to, and rounded with). A direction near 0 is held at 2^-30 of the greatest, which moves
// the ray by less than that of the distance. What underflows is below the last term.
static inline void mr_tree_ray_aim(mr_tree_ray *r, const mr_ray *ray, const mr_box *bounds)
{
    float reach = 0.0f, away = 0.0f, greatest = __builtin_fabsf(ray->direction[r->z]);
    for (int axis = 0; axis < 3; axis++) {
        float o = r->origin[axis], size = __builtin_fabsf(o);
        float low = __builtin_fabsf(bounds->low[axis] - o), high = __builtin_fabsf(bounds->high[axis] - o);
        reach = low > reach ? low : reach;
        reach = high > reach ? high : reach;
        away = size > away ? size : away;
    }
    float least = greatest * 0x1p-30f;
    float widen = 0x1p-20f * (reach + away) + 0x1p-80f * (greatest > 1.0f ? greatest : 1.0f);
    for (int axis = 0; axis < 3; axis++) {
        float d = ray->direction[axis];
        bool negative = d < 0.0f;
        d = __builtin_fabsf(d) >= least ? d : negative ? -least : least;
        r->inverse[axis] = 1.0f / d;
        r->near_side[axis] = negative ? 3 : 0;
        r->near_origin[axis] = negative ? r->origin[axis] - widen : r->origin[axis] + widen;
        r->far_origin[axis] = negative ? r->origin[axis] + widen : r->origin[axis] - widen;
    }
}

// A corner as the ray sees it.
typedef struct mr_tree_corner {
    float x, y, z;
} mr_tree_corner;

static inline mr_tree_corner mr_tree_see(const mr_tree_ray *r, float x, float y, float z)
{
    x = x - r->origin[r->x];
    y = y - r->origin[r->y];
    z = z - r->origin[r->z];
    return (mr_tree_corner){ x - r->shear_x * z, y - r->shear_y * z, r->scale_z * z };
}

// The edge functions: what weighs a, b and c.
typedef struct mr_tree_weights {
    double a, b, c;
} mr_tree_weights;

static inline double mr_tree_edge(mr_tree_corner p, mr_tree_corner q)
{
    return (double)p.x * (double)q.y - (double)p.y * (double)q.x;
}

static inline mr_tree_weights mr_tree_weigh(mr_tree_corner a, mr_tree_corner b, mr_tree_corner c)
{
    return (mr_tree_weights){ mr_tree_edge(b, c), mr_tree_edge(c, a), mr_tree_edge(a, b) };
}

static inline double mr_tree_sum(mr_tree_weights w)
{
    return (w.a + w.b) + w.c;
}

static inline float mr_tree_t(mr_tree_weights w, mr_tree_corner a, mr_tree_corner b, mr_tree_corner c)
{
    double z = (w.a * (double)a.z + w.b * (double)b.z) + w.c * (double)c.z;
    return (float)(z / mr_tree_sum(w));
}

// The definition of a hit. Its low and high ends are in.
static inline bool mr_tree_meets(const mr_tree_ray *r, const float *p, const float *q, const float *s,
                                 float *t, float *u, float *v)
{
    mr_tree_corner a = mr_tree_see(r, p[r->x], p[r->y], p[r->z]);
    mr_tree_corner b = mr_tree_see(r, q[r->x], q[r->y], q[r->z]);
    mr_tree_corner c = mr_tree_see(r, s[r->x], s[r->y], s[r->z]);
    mr_tree_weights w = mr_tree_weigh(a, b, c);
    bool inside = (w.a >= 0.0 && w.b >= 0.0 && w.c >= 0.0) || (w.a <= 0.0 && w.b <= 0.0 && w.c <= 0.0);
    double sum = mr_tree_sum(w);
    if (!inside || sum == 0.0) {
        return false;
    }
    *t = mr_tree_t(w, a, b, c);
    *u = (float)(w.b / sum);
    *v = (float)(w.c / sum);
    return *t >= r->low && *t <= r->high && __builtin_fabsf(*t) < __builtin_inff();
}

#endif
