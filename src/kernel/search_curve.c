// kernel/search_curve.c: samples placed on curves by arc length.

#include "base/thread.h"
#include "kernel/kernel.h"
#include "num/vector.h"

#include <string.h>

enum { GRAIN = 1 << 11 };
enum { OWNER, AT, VERTICES, CURVES, SEGMENT, PLACED, HEADING };

typedef struct job {
    const int32_t *owner;
    const float *at;
    const mr_vec4 *vertices; // position, and the arc length from the first curve's start
    size_t vertex_count;
    const mr_vec4 *curves; // first vertex, vertices (negative: closed), arc length before it, own length
    size_t curve_count;
    int32_t *segment;
    mr_vec4 *placed;
    mr_vec3 *heading;
} job;

typedef struct curve {
    size_t first, count; // count 0: there is none
    bool closed;
    float before, length;
} curve;

// Whole numbers held in floats; what is no such number, or leaves the vertices, is no curve.
static curve curve_of(const job *j, int32_t owner)
{
    curve none = { 0 };
    if (owner < 0 || (size_t)owner >= j->curve_count) {
        return none;
    }
    mr_vec4 c = j->curves[owner];
    bool closed = c.y < 0.0f;
    float count = closed ? -c.y : c.y;
    if (!(c.x >= 0.0f && c.x < 0x1p31f && count >= 1.0f && count < 0x1p31f)) {
        return none;
    }
    curve answer = { (size_t)c.x, (size_t)count, closed, c.z, c.w };
    return answer.first + answer.count <= j->vertex_count ? answer : none;
}

// The last vertex of the curve whose arc length is not above s and that starts a segment.
static size_t segment_at(const job *j, const curve *c, float s)
{
    const mr_vec4 *run = j->vertices + c->first;
    size_t low = 0, high = c->count; // of vertices 0 .. low - 1 none is above, from high on all are
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run[middle].w <= s) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    size_t last = c->closed || c->count == 1 ? c->count - 1 : c->count - 2;
    size_t at = low > 0 ? low - 1 : 0;
    return at < last ? at : last;
}

static float held_to_unit(float t)
{
    return t > 0.0f ? (t < 1.0f ? t : 1.0f) : 0.0f; // NaN is 0
}

// Divided by its greatest part first, so that no square leaves the floats.
static mr_vec3 unit(mr_vec3 d)
{
    float x = __builtin_fabsf(d.x), y = __builtin_fabsf(d.y), z = __builtin_fabsf(d.z);
    float most = x > y ? x : y;
    most = z > most ? z : most;
    if (!(most > 0.0f)) {
        return (mr_vec3){ 0 };
    }
    mr_vec3 small = { d.x / most, d.y / most, d.z / most };
    float length = mr_f32_sqrt(small.x * small.x + small.y * small.y + small.z * small.z);
    return (mr_vec3){ small.x / length, small.y / length, small.z / length };
}

static void place_one(const job *j, size_t i)
{
    curve c = curve_of(j, j->owner[i]);
    if (c.count == 0) {
        j->segment[2 * i] = j->segment[2 * i + 1] = -1;
        j->placed[i] = (mr_vec4){ 0 };
        j->heading[i] = (mr_vec3){ 0 };
        return;
    }
    float s = c.before + held_to_unit(j->at[i]) * c.length;
    size_t at = segment_at(j, &c, s), next = at + 1 < c.count ? at + 1 : c.closed ? 0 : at;
    mr_vec4 p = j->vertices[c.first + at], q = j->vertices[c.first + next];
    float end = next > at ? q.w : c.before + c.length, span = end - p.w;
    float t = span > 0.0f ? held_to_unit((s - p.w) / span) : 0.0f;
    mr_vec3 d = { q.x - p.x, q.y - p.y, q.z - p.z };
    j->segment[2 * i] = (int32_t)(c.first + at);
    j->segment[2 * i + 1] = (int32_t)(c.first + next);
    j->placed[i] = (mr_vec4){ p.x + d.x * t, p.y + d.y * t, p.z + d.z * t, t };
    if (t == 1.0f) {
        j->placed[i] = (mr_vec4){ q.x, q.y, q.z, t }; // p + (q - p) need not be q
    }
    j->heading[i] = unit(d);
}

static bool place_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    (void)error;
    for (size_t i = begin; i < end; i++) {
        place_one(argument, i);
    }
    return true;
}

static void clear_past(const mr_kernel_slot *slot, size_t live)
{
    if (slot->made) {
        memset(slot->u32 + live * slot->lanes, 0, (slot->count - live) * slot->lanes * sizeof(uint32_t));
    }
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots;
    job j = { .owner = slots[OWNER].i32,
              .at = slots[AT].f32,
              .vertices = slots[VERTICES].data,
              .vertex_count = slots[VERTICES].count,
              .curves = slots[CURVES].data,
              .curve_count = slots[CURVES].count,
              .segment = slots[SEGMENT].i32,
              .placed = slots[PLACED].data,
              .heading = slots[HEADING].data };
    for (size_t i = SEGMENT; i <= HEADING; i++) {
        clear_past(&slots[i], call->live);
    }
    return mr_parallel_for(call->context, call->live, GRAIN, place_run, &j, error);
}

const mr_kernel mr_kernel_search_curve = {
    .name = "search_curve",
    .summary = "Places samples on curves by arc length: the segment, the position and the direction of each.",
    .determinism = MR_EXACT,
    .gpu = "exact where division and square root round correctly: each sample is worked out by itself, one "
           "rounding an "
           "operation",
    .bindings = { { .name = "owner",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "the curve each sample is on; where there is none such, segment is -1 and the "
                           "rest 0" },
                  { .name = "at",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = "n",
                    .doc = "how far along it, 0 at its start to 1 at its end; held to those, NaN is 0" },
                  { .name = "vertices",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 4,
                    .doc = "of each vertex the position, and the arc length from the start of the first "
                           "curve, which "
                           "ascends" },
                  { .name = "curves",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 4,
                    .doc = "of each curve its first vertex, its number of vertices (negative: closed), the "
                           "arc length "
                           "before it and its own; one without vertices, or that leaves them, is none" },
                  { .name = "segment",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .lanes = 2,
                    .count = "n",
                    .doc =
                        "the vertices its segment starts and ends at: the last segment that does not start "
                        "past it; "
                        "from the last vertex of an open curve the one before, of a curve of one vertex that "
                        "vertex twice" },
                  { .name = "placed",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 4,
                    .count = "n",
                    .doc = "its position, and how far along the segment it is, 0 to 1" },
                  { .name = "heading",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .count = "n",
                    .doc = "the segment's unit direction, 0 where it has no length. New past the live "
                           "samples all three "
                           "are 0; bound they are left alone" },
                  MR_KERNEL_DOMAIN_COUNT },
    .specializations = { MR_KERNEL_COUNT },
    .run = run,
};
