// kernel/ray.c: rays and segments against the triangles of a geometry.

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/bvh.h"
#include "kernel/kernel.h"
#include "kernel/ray_table.h"
#include "kernel/winding.h"

#include <math.h>
#include <string.h>

enum { RAYS, PTS, VPT, VSTART, VCOUNT, ACCEL, HIT, HIT_PRIM };
enum { NP };
enum { STAGE };
enum { CLOSEST, ANY, WINDING };
enum { RAY_WORDS = 8, HIT_WORDS = 4, GRAIN = 64, PART = 1 << 18 };

// A tree is built where the rays are more than a hundredth of the primitives, and the table is walked where they are less:
// building costs as much a primitive as a hundredth of a ray. The answers are the same.
enum { PRIMITIVES_A_RAY = 100 };

typedef struct job {
    const mr_kernel_call *call;
    const mr_faces *faces;
    const mr_tree *tree;   // or
    const uint32_t *nodes; // the table
    const mr_ray *rays;
    mr_hit *hits; // of the tree's rays, from `first` on
    bool *met;
    size_t first;
    float *hit;
    uint32_t *hit_primitive;
} job;

static void tell(const job *j, size_t i, const mr_hit *hit)
{
    float *out = j->hit + HIT_WORDS * i;
    out[0] = hit->t;
    out[1] = hit->u;
    out[2] = hit->v;
    out[3] = (float)hit->fan;
    j->hit_primitive[i] = hit->primitive;
}

// Which primitive is in the way is not said: the first one found hangs on the way the tree was walked.
static void tell_any(const job *j, size_t i, bool met)
{
    mr_hit hit = { met ? 0.0f : -1.0f, 0.0f, 0.0f, met ? 0 : MR_TREE_NONE, 0 };
    tell(j, i, &hit);
}

static bool table_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    bool any = j->call->choices[STAGE] == ANY;
    for (size_t i = begin; i < end; i++) {
        mr_hit hit;
        bool met;
        if (any ? !mr_ray_table_any(j->nodes, j->faces, &j->rays[i], &met, error)
                : !mr_ray_table_closest(j->nodes, j->faces, &j->rays[i], &hit, error)) {
            return mr_fail_prefix(error, "kernel ray: binding accel");
        }
        if (any) {
            tell_any(j, i, met);
        } else {
            tell(j, i, &hit);
        }
    }
    return mr_keep_going(j->call->context, error);
}

static bool tell_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        if (j->call->choices[STAGE] == ANY) {
            tell_any(j, j->first + i, j->met[i]);
        } else {
            tell(j, j->first + i, &j->hits[i]);
        }
    }
    return true;
}

static bool trace_part(job *j, size_t count, mr_error *error)
{
    mr_context *context = j->call->context;
    const mr_ray *rays = j->rays + j->first;
    bool good = j->call->choices[STAGE] == ANY
                    ? mr_tree_any_all(context, j->tree, rays, count, j->met, error)
                    : mr_tree_closest_all(context, j->tree, rays, count, j->hits, error);
    return good && mr_parallel_for(context, count, 4096, tell_run, j, error);
}

static bool trace_tree(job *j, mr_error *error)
{
    mr_context *context = j->call->context;
    size_t n = j->call->n, room = n < PART ? n : PART;
    mr_tree *tree = mr_tree_over_faces(context, j->faces, MR_TREE_MORTON, error);
    void *answers = tree ? mr_buffer_take(context, room * sizeof(mr_hit), error) : NULL;
    bool good = answers;
    j->tree = tree;
    j->hits = answers;
    j->met = answers;
    for (j->first = 0; good && j->first < n; j->first += room) {
        good = trace_part(j, n - j->first < room ? n - j->first : room, error);
    }
    if (answers) {
        mr_buffer_release(context, answers);
    }
    mr_tree_destroy(tree);
    return good;
}

static bool wind(const job *j, mr_error *error)
{
    size_t n = j->call->n;
    memset(j->hit, 0, n * HIT_WORDS * sizeof *j->hit);
    memset(j->hit_primitive, 0xff, n * sizeof *j->hit_primitive);
    mr_winding_points points = { (const float *)j->rays, RAY_WORDS, n, j->hit, HIT_WORDS };
    return mr_winding_numbers(j->call->context, j->faces, &points, error);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *s = call->slots;
    mr_faces faces = { .points = s[PTS].f32,
                       .point_count = s[PTS].count,
                       .vertex_points = s[VPT].i32,
                       .vertex_count = s[VPT].count,
                       .starts = s[VSTART].i32,
                       .counts = s[VCOUNT].i32,
                       .count = call->params[NP].u32 };
    job j = { .call = call,
              .faces = &faces,
              .nodes = s[ACCEL].u32,
              .rays = s[RAYS].data,
              .hit = s[HIT].f32,
              .hit_primitive = s[HIT_PRIM].u32 };
    if (call->n == 0) {
        return true;
    }
    if (call->choices[STAGE] == WINDING) {
        return wind(&j, error);
    }
    bool few = call->n < faces.count / PRIMITIVES_A_RAY;
    return few && j.nodes ? mr_parallel_for(call->context, call->n, GRAIN, table_run, &j, error)
                          : trace_tree(&j, error);
}

const mr_kernel mr_kernel_ray = {
    .name = "ray",
    .summary =
        "Rays and segments against the triangles of a geometry's polygons: the closest hit, whether there is "
        "any, or how often the surface winds about each origin.",
    .source =
        "S. Woop, C. Benthin, I. Wald 2013, Watertight Ray/Triangle Intersection; A. Jacobson, L. Kavan, O. "
        "Sorkine-Hornung 2013, Robust Inside-Outside Segmentation using Generalized Winding Numbers",
    .determinism = MR_EXACT,
    .gpu = "exact, closest and any, where a device has f64 (the edge functions are exact in it); winding "
           "needs f64 "
           "too, and is then the same to its 20 bits",
    .bindings = { { .name = "rays",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .flat = true,
                    .count = "8 * n",
                    .doc = "8 words a ray: origin x y z, tmin, direction x y z, tmax; both ends are in." },
                  { .name = "pts",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "Where the points are; a triangle with a coordinate that is no number, or past "
                           "2^100, "
                           "takes no part." },
                  { .name = "vpt",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc = "The point of each vertex; a triangle with one out of range takes no part." },
                  { .name = "vstart",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "np",
                    .doc = "Each primitive's first vertex." },
                  { .name = "vcount",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "np",
                    .doc = "How many vertices each primitive has: a polygon is the fan of its first." },
                  { .name = "accel",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "16 * np - 8",
                    .optional = true,
                    .doc = "The node table bvh_internal finished, of this geometry; walked where the rays "
                           "are few. "
                           "Winding does without." },
                  { .name = "hit",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 4,
                    .doc =
                        "closest: t, the weights u and v of the triangle's second and third vertex, and the "
                        "fan; "
                        "-1 0 0 0 for a miss. any: 0 0 0 0, or -1 0 0 0 for a miss. winding: the number, a "
                        "multiple of 2^-20, then zeros." },
                  { .name = "hit_prim",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .doc = "closest: the primitive, the lower one at equal t (then the lower fan). any: 0 "
                           "for a hit, "
                           "whichever it is. 0xffffffff for a miss, and of winding." } },
    .params = { { .name = "np",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = MR_BVH_MOST,
                  .doc = "How many primitives there are." } },
    .specializations = { { .name = "STAGE",
                           .options = "closest any winding",
                           .doc = "What is asked. A ray whose numbers say nothing (NaN, a direction of 0 or "
                                  "past "
                                  "2^64, an origin past 2^100) misses, and winds 0 times." } },
    .run = run,
};
