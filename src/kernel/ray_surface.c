// kernel/ray_surface.c: the normal, and the end held off the surface, of the closest hits the ray kernel found.

#include "base/thread.h"
#include "kernel/faces.h"
#include "kernel/kernel.h"
#include "kernel/ray_end.h"

enum { RAYS, PTS, VPT, VSTART, HIT, HIT_PRIM, HIT_NORMAL, HIT_END };
enum { SKIN };
enum { HIT_WORDS = 4, GRAIN = 2048 };
#define FAN_MOST 0x1p27f

typedef struct job {
    mr_faces faces;
    const mr_ray *rays;
    const float *hit;
    const uint32_t *hit_primitive;
    float skin;
    float *hit_normal, *hit_end;
} job;

// The normal of a primitive's triangle; false: there is none.
static bool normal_of(const mr_faces *faces, uint32_t primitive, float fan, mr_f64_vec3 *normal)
{
    if (primitive >= faces->count || !(fan >= 0.0f && fan < FAN_MOST)) {
        return false;
    }
    mr_face_run run = mr_face_run_of(faces, primitive);
    size_t at = (size_t)fan;
    if (run.count < at + 3) {
        return false;
    }
    const float *a = mr_face_vertex(faces, run.first), *b = mr_face_vertex(faces, run.first + at + 1);
    const float *c = mr_face_vertex(faces, run.first + at + 2);
    if (!a || !b || !c) {
        return false;
    }
    mr_f64_vec3 from = mr_f64_vec3_of(a);
    *normal = mr_f64_vec3_cross(mr_f64_vec3_subtract(mr_f64_vec3_of(b), from),
                                mr_f64_vec3_subtract(mr_f64_vec3_of(c), from));
    return mr_f64_vec3_dot(*normal, *normal) > 0.0;
}

static bool surface_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        mr_f64_vec3 normal;
        const float *hit = j->hit + HIT_WORDS * i;
        if (normal_of(&j->faces, j->hit_primitive[i], hit[3], &normal)) {
            normal = mr_ray_faced(normal, mr_f64_vec3_of(j->rays[i].direction));
            mr_ray_end_hit(&j->rays[i], (double)hit[0], normal, j->skin, j->hit_normal + 3 * i,
                           j->hit_end + 3 * i);
        } else {
            mr_ray_end_miss(&j->rays[i], j->hit_normal + 3 * i, j->hit_end + 3 * i);
        }
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *s = call->slots;
    job j = {
        .faces = { .points = s[PTS].f32,
                   .point_count = s[PTS].count,
                   .vertex_points = s[VPT].i32,
                   .vertex_count = s[VPT].count,
                   .starts = s[VSTART].i32,
                   .count = s[VSTART].count },
        .rays = s[RAYS].data,
        .hit = s[HIT].f32,
        .hit_primitive = s[HIT_PRIM].u32,
        .skin = call->params[SKIN].f32,
        .hit_normal = s[HIT_NORMAL].f32,
        .hit_end = s[HIT_END].f32,
    };
    return mr_parallel_for(call->context, call->n, GRAIN, surface_run, &j, error);
}

const mr_kernel mr_kernel_ray_surface = {
    .name = "ray_surface",
    .summary = "For the closest hits of the ray kernel: the normal of the triangle that was hit, and the "
               "ray's end held "
               "off the surface.",
    .determinism = MR_EXACT,
    .gpu = "exact where a device has f64: each number is worked in it and rounded once",
    .bindings = { { .name = "rays",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .flat = true,
                    .count = "8 * n",
                    .doc = "The rays that were traced, 8 words each." },
                  { .name = "pts",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "Where the points are." },
                  { .name = "vpt",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc = "The point of each vertex." },
                  { .name = "vstart",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc = "Each primitive's first vertex." },
                  { .name = "hit",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 4,
                    .count = "n",
                    .doc = "t, u, v and the fan, as the ray kernel wrote them." },
                  { .name = "hit_prim",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "n",
                    .doc = "The primitive of each hit. One that is none, a fan past its end, or a triangle "
                           "of no area "
                           "counts as a miss." },
                  { .name = "hit_normal",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "The unit normal, turned against the ray's direction; zero for a miss." },
                  { .name = "hit_end",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "The point that was hit, moved along the normal by skin; for a miss the ray's "
                           "end, origin "
                           "+ direction * tmax." } },
    .params = { { .name = "skin",
                  .type = MR_F32,
                  .value = 0,
                  .doc = "How far off the surface the end is held." } },
    .run = run,
};
