// kernel/ray_end.h: where a ray ends, worked in f64 and rounded once.

#ifndef MARRAM_KERNEL_RAY_END_H
#define MARRAM_KERNEL_RAY_END_H

#include "kernel/tree.h"

typedef struct mr_f64_vec3 {
    double x, y, z;
} mr_f64_vec3;

static inline mr_f64_vec3 mr_f64_vec3_of(const float *v)
{
    return (mr_f64_vec3){ (double)v[0], (double)v[1], (double)v[2] };
}

static inline mr_f64_vec3 mr_f64_vec3_subtract(mr_f64_vec3 a, mr_f64_vec3 b)
{
    return (mr_f64_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

// a + b t
static inline mr_f64_vec3 mr_f64_vec3_along(mr_f64_vec3 a, mr_f64_vec3 b, double t)
{
    return (mr_f64_vec3){ a.x + b.x * t, a.y + b.y * t, a.z + b.z * t };
}

static inline double mr_f64_vec3_dot(mr_f64_vec3 a, mr_f64_vec3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

static inline mr_f64_vec3 mr_f64_vec3_cross(mr_f64_vec3 a, mr_f64_vec3 b)
{
    return (mr_f64_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline mr_f64_vec3 mr_f64_vec3_scale(mr_f64_vec3 a, double by)
{
    return (mr_f64_vec3){ a.x * by, a.y * by, a.z * by };
}

static inline void mr_f64_vec3_round(mr_f64_vec3 v, float *out)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

// Of length 1, and turned against the direction. A normal along which the ray does not move stays as it is.
static inline mr_f64_vec3 mr_ray_faced(mr_f64_vec3 normal, mr_f64_vec3 direction)
{
    double length = __builtin_sqrt(mr_f64_vec3_dot(normal, normal));
    double turn = mr_f64_vec3_dot(normal, direction) > 0.0 ? -1.0 : 1.0;
    return (mr_f64_vec3){ turn * (normal.x / length), turn * (normal.y / length),
                          turn * (normal.z / length) };
}

// A hit's outputs: the point at t, pushed out along the normal.
static inline void mr_ray_end_hit(const mr_ray *ray, double t, mr_f64_vec3 normal, float skin,
                                  float *hit_normal, float *hit_end)
{
    mr_f64_vec3 at = mr_f64_vec3_along(mr_f64_vec3_of(ray->origin), mr_f64_vec3_of(ray->direction), t);
    mr_f64_vec3_round(normal, hit_normal);
    mr_f64_vec3_round(mr_f64_vec3_along(at, normal, (double)skin), hit_end);
}

// A miss's: no normal, and the ray's end. What does not move along an axis stays, however far the ray goes.
static inline void mr_ray_end_miss(const mr_ray *ray, float *hit_normal, float *hit_end)
{
    for (int axis = 0; axis < 3; axis++) {
        double d = (double)ray->direction[axis];
        hit_normal[axis] = 0.0f;
        hit_end[axis] =
            d == 0.0 ? ray->origin[axis] : (float)((double)ray->origin[axis] + d * (double)ray->high);
    }
}

#endif
