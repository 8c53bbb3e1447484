// What the tree costs: building it over a million triangles by both methods, and four million random rays through each;
// beside it Embree, where CMake found it. Figures to meet: Morton build 0.1 s, rays 2.0 s (Morton) and 1.6 s (surface).

#include "bench.h"
#include "kernel/tree.h"
#include "num/exact.h"

#ifdef MARRAM_EMBREE
#include <embree3/rtcore.h>
#endif

enum { ACROSS = 1000, DOWN = 500, TRIANGLES = 2 * ACROSS * DOWN, RAYS = 4000000 };

typedef struct scene {
    mr_context *context;
    float *points;
    int32_t *corners, *starts, *counts;
    mr_faces faces;
    mr_ray *rays;
    mr_hit *hits;
    mr_tree *tree;
    mr_tree_method method;
} scene;

static double unit(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void *take(scene *s, size_t size)
{
    mr_error error;
    void *memory = mr_buffer_take(s->context, size, &error);
    if (!memory) {
        bench_fail("scene", &error);
    }
    return memory;
}

// A place on the unit sphere; z from -1 to 1, turn from 0 to 1.
static void on_sphere(float z, float turn, float radius, float *out)
{
    float sine, cosine, across = mr_f32_sqrt(1.0f - z * z > 0.0f ? 1.0f - z * z : 0.0f);
    mr_f32_sincos(6.2831853f * turn, &sine, &cosine);
    out[0] = radius * across * cosine;
    out[1] = radius * across * sine;
    out[2] = radius * z;
}

static void make_sphere(scene *s)
{
    s->points = take(s, (size_t)ACROSS * (DOWN + 1) * 3 * sizeof(float));
    s->corners = take(s, (size_t)TRIANGLES * 3 * sizeof(int32_t));
    s->starts = take(s, TRIANGLES * sizeof(int32_t));
    s->counts = take(s, TRIANGLES * sizeof(int32_t));
    for (int j = 0; j <= DOWN; j++) {
        for (int i = 0; i < ACROSS; i++) {
            float sine, cosine, polar = 3.14159265f * (float)j / DOWN, bump;
            mr_f32_sincos(polar, &sine, &cosine);
            float turn = (float)i / ACROSS;
            bump = 1.0f + 0.05f * mr_f32_sin(40.0f * polar) * mr_f32_sin(6.2831853f * 30.0f * turn) * sine;
            on_sphere(cosine, turn, bump, s->points + 3 * (j * ACROSS + i));
        }
    }
    for (int j = 0; j < DOWN; j++) {
        for (int i = 0; i < ACROSS; i++) {
            int32_t a = j * ACROSS + i, b = j * ACROSS + (i + 1) % ACROSS, *c = s->corners + 6 * a;
            c[0] = a, c[1] = a + ACROSS, c[2] = b + ACROSS;
            c[3] = a, c[4] = b + ACROSS, c[5] = b;
        }
    }
    for (int32_t i = 0; i < TRIANGLES; i++) {
        s->starts[i] = 3 * i;
        s->counts[i] = 3;
    }
    s->faces = (mr_faces){ s->points,  (size_t)ACROSS * (DOWN + 1),
                           s->corners, (size_t)TRIANGLES * 3,
                           s->starts,  s->counts,
                           TRIANGLES };
}

// From a random place on a sphere of radius 3 to one within the unit sphere.
static void make_rays(scene *s)
{
    uint64_t state = 1;
    s->rays = take(s, RAYS * sizeof *s->rays);
    s->hits = take(s, RAYS * sizeof *s->hits);
    for (size_t i = 0; i < RAYS; i++) {
        mr_ray *ray = &s->rays[i];
        float to[3];
        on_sphere((float)(2 * unit(&state) - 1), (float)unit(&state), 3.0f, ray->origin);
        on_sphere((float)(2 * unit(&state) - 1), (float)unit(&state), (float)unit(&state), to);
        for (int axis = 0; axis < 3; axis++) {
            ray->direction[axis] = to[axis] - ray->origin[axis];
        }
        ray->low = 0.0f;
        ray->high = __builtin_inff();
    }
}

static bool build(void *argument, mr_error *error)
{
    scene *s = argument;
    mr_tree_destroy(s->tree);
    s->tree = mr_tree_over_faces(s->context, &s->faces, s->method, error);
    return s->tree;
}

static bool trace(void *argument, mr_error *error)
{
    scene *s = argument;
    return mr_tree_closest_all(s->context, s->tree, s->rays, RAYS, s->hits, error);
}

static void bench_method(const bench *b, scene *s, mr_tree_method method, const char *built,
                         const char *traced)
{
    s->method = method;
    bench_run(b, built, 9, build, s, TRIANGLES, "triangle", 0);
    bench_run(b, traced, 3, trace, s, RAYS, "ray", 0);
    size_t met = 0;
    double sum = 0;
    for (size_t i = 0; i < RAYS; i++) {
        met += s->hits[i].t >= 0;
        sum += (double)s->hits[i].t;
    }
    printf("    %zu hits, sum of t %.3f; %.1f MB\n", met, sum, (double)mr_tree_bytes(s->tree) * 1e-6);
}

#ifdef MARRAM_EMBREE
typedef struct embree {
    scene *s;
    RTCDevice device;
    RTCScene scene;
    enum RTCBuildQuality quality;
} embree;

static bool embree_build(void *argument, mr_error *error)
{
    embree *e = argument;
    (void)error;
    if (e->scene) {
        rtcReleaseScene(e->scene);
    }
    e->scene = rtcNewScene(e->device);
    rtcSetSceneBuildQuality(e->scene, e->quality);
    RTCGeometry geometry = rtcNewGeometry(e->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *points = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                            3 * sizeof(float), e->s->faces.point_count);
    uint32_t *corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                3 * sizeof(uint32_t), TRIANGLES);
    memcpy(points, e->s->points, e->s->faces.point_count * 3 * sizeof(float));
    memcpy(corners, e->s->corners, (size_t)TRIANGLES * 3 * sizeof(uint32_t));
    rtcSetGeometryBuildQuality(geometry, e->quality);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(e->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(e->scene);
    return true;
}

static bool embree_rays(void *argument, size_t begin, size_t end, mr_error *error)
{
    embree *e = argument;
    (void)error;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (size_t i = begin; i < end; i++) {
        const mr_ray *ray = &e->s->rays[i];
        struct RTCRayHit hit = { 0 };
        hit.ray.org_x = ray->origin[0], hit.ray.org_y = ray->origin[1], hit.ray.org_z = ray->origin[2];
        hit.ray.dir_x = ray->direction[0], hit.ray.dir_y = ray->direction[1],
        hit.ray.dir_z = ray->direction[2];
        hit.ray.tnear = ray->low, hit.ray.tfar = ray->high, hit.ray.mask = ~0u;
        hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(e->scene, &context, &hit);
        bool met = hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        e->s->hits[i].t = met ? hit.ray.tfar : -1.0f;
        e->s->hits[i].primitive = met ? hit.hit.primID : MR_TREE_NONE;
    }
    return true;
}

static bool embree_trace(void *argument, mr_error *error)
{
    embree *e = argument;
    return mr_parallel_for(e->s->context, RAYS, 256, embree_rays, e, error);
}

static void bench_embree(const bench *b, scene *s)
{
    embree e = { .s = s, .device = rtcNewDevice(NULL) };
    e.quality = RTC_BUILD_QUALITY_LOW;
    bench_run(b, "Embree, low quality: build", 5, embree_build, &e, TRIANGLES, "triangle", 0);
    bench_run(b, "Embree, low quality: 4 million rays", 3, embree_trace, &e, RAYS, "ray", 0);
    e.quality = RTC_BUILD_QUALITY_MEDIUM;
    bench_run(b, "Embree, medium quality: build", 5, embree_build, &e, TRIANGLES, "triangle", 0);
    bench_run(b, "Embree, medium quality: 4 million rays", 3, embree_trace, &e, RAYS, "ray", 0);
    rtcReleaseScene(e.scene);
    rtcReleaseDevice(e.device);
}
#endif

int main(void)
{
    bench b = bench_begin("rays", NULL);
    scene s = { .context = b.context };
    make_sphere(&s);
    make_rays(&s);
    bench_method(&b, &s, MR_TREE_MORTON, "Morton tree: build over 1 million triangles (100 ms)",
                 "Morton tree: closest, 4 million rays (2000 ms)");
    bench_method(&b, &s, MR_TREE_SURFACE, "surface tree: build over 1 million triangles",
                 "surface tree: closest, 4 million rays (1600 ms)");
#ifdef MARRAM_EMBREE
    bench_embree(&b, &s);
#endif
    mr_tree_destroy(s.tree);
    void *const buffers[] = { s.points, s.corners, s.starts, s.counts, s.rays, s.hits };
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        mr_buffer_release(s.context, buffers[i]);
    }
    bench_end(&b);
    return 0;
}
