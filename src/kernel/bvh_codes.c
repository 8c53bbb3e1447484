// kernel/bvh_codes.c: a Morton code for each primitive, by which a sort puts what is near in space near in the order.

#include "base/thread.h"
#include "kernel/bvh.h"
#include "kernel/kernel.h"

enum { PTS, VPT, VSTART, VCOUNT, LO, HI, CODES };
enum { GRAIN = 4096 };

// 0 to 1023: which of the axis's 1024 slices.
static uint32_t slice_of(float low, float high, float scene_low, float scene_high)
{
    float centre = 0.5f * low + 0.5f * high;
    float at = (centre - scene_low) / (scene_high - scene_low) * 1024.0f;
    return at >= 1023.0f ? 1023u : at > 0.0f ? (uint32_t)at : 0u;
}

// Ten bits with two zeros before each.
static uint32_t spread(uint32_t x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

uint32_t mr_bvh_code(const mr_box *box, const mr_box *scene)
{
    uint32_t slices[3];
    for (int axis = 0; axis < 3; axis++) {
        if (!(box->low[axis] <= box->high[axis])) {
            return 0;
        }
        slices[axis] = slice_of(box->low[axis], box->high[axis], scene->low[axis], scene->high[axis]);
    }
    return spread(slices[0]) << 2 | spread(slices[1]) << 1 | spread(slices[2]);
}

typedef struct job {
    mr_faces faces;
    mr_box scene;
    uint32_t *codes;
} job;

static bool code_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        mr_box box = mr_face_box(&j->faces, i);
        j->codes[i] = mr_bvh_code(&box, &j->scene);
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
                   .counts = s[VCOUNT].i32,
                   .count = call->n },
        .codes = s[CODES].u32,
    };
    memcpy(j.scene.low, s[LO].f32, sizeof j.scene.low);
    memcpy(j.scene.high, s[HI].f32, sizeof j.scene.high);
    return mr_parallel_for(call->context, call->n, GRAIN, code_run, &j, error);
}

const mr_kernel mr_kernel_bvh_codes = {
    .name = "bvh_codes",
    .summary =
        "The 30-bit Morton code of each primitive's bounds centre within the scene's bounds; 0 for a "
        "primitive of no vertices, and on an axis where the centre is no number or the scene has no size.",
    .source = "G. M. Morton 1966; C. Lauterbach et al. 2009, Fast BVH Construction on GPUs",
    .determinism = MR_EXACT,
    .gpu = "exact: a subtraction, a division and a product of f32, one primitive an invocation",
    .bindings = { { .name = "pts",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .doc = "Where the points are." },
                  { .name = "vpt",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc = "The point of each vertex; one out of range counts for nothing." },
                  { .name = "vstart",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "Each primitive's first vertex." },
                  { .name = "vcount",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "How many vertices each primitive has; cut to those there are." },
                  { .name = "lo",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .count = "1",
                    .doc = "The low corner of the scene's bounds." },
                  { .name = "hi",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .count = "1",
                    .doc = "The high corner of the scene's bounds." },
                  { .name = "codes",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .doc = "The codes, x in the highest bit of each three." } },
    .run = run,
};
