#include "scene/spine.h"

#include "base/array.h"

#include <math.h>

enum { MOST_POINTS = 1000000, MOST_SAMPLES = 16000000 };

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static float plan_length(float dx, float dz)
{
    return sqrtf(dx * dx + dz * dz);
}

// Uniform Catmull-Rom between b and c.
static float catmull_rom(float a, float b, float c, float d, float t)
{
    float k1 = c - a;
    float k2 = 2 * a - 5 * b + 4 * c - d;
    float k3 = 3 * b - a - 3 * c + d;
    return 0.5f * (2 * b + (k1 + (k2 + k3 * t) * t) * t);
}

typedef MR_ARRAY(float) floats;

static bool add_point(mr_context *context, floats *plan, float x, float z, mr_error *error)
{
    // Doubled points have no heading, so the second is left out.
    size_t n = plan->count;
    if (n >= 2 && plan->items[n - 2] == x && plan->items[n - 1] == z) {
        return true;
    }
    if (n / 2 >= MOST_SAMPLES) {
        return mr_fail(error, MR_LIMIT, "a spine has more than %d samples", MOST_SAMPLES);
    }
    return (mr_array_push(context, plan, x) && mr_array_push(context, plan, z)) ||
           mr_fail_memory(error, plan->capacity * sizeof(float));
}

static bool sample_smooth(mr_context *context, const float *points, size_t count, floats *plan,
                          mr_error *error)
{
    for (size_t i = 0; i + 1 < count; i++) {
        const float *a = points + 2 * (i > 0 ? i - 1 : 0);
        const float *b = points + 2 * i;
        const float *c = points + 2 * (i + 1);
        const float *d = points + 2 * (i + 2 < count ? i + 2 : count - 1);
        float straight = plan_length(c[0] - b[0], c[1] - b[1]);
        if (straight > MOST_SAMPLES) {
            return mr_fail(error, MR_LIMIT,
                           "a spine's span is %g m long; a smooth one is sampled every metre",
                           (double)straight);
        }
        int32_t steps = (int32_t)straight + 1;
        for (int32_t s = 0; s < steps; s++) {
            float t = (float)s / (float)steps;
            if (!add_point(context, plan, catmull_rom(a[0], b[0], c[0], d[0], t),
                           catmull_rom(a[1], b[1], c[1], d[1], t), error)) {
                return false;
            }
        }
    }
    return add_point(context, plan, points[2 * count - 2], points[2 * count - 1], error);
}

static bool sample(mr_context *context, const float *points, size_t count, bool smooth, floats *plan,
                   mr_error *error)
{
    if (count < 2 || count > MOST_POINTS) {
        return mr_fail(error, MR_BAD_INPUT, "a spine of %zu points; it has 2 to %d", count, MOST_POINTS);
    }
    for (size_t i = 0; i < 2 * count; i++) {
        if (!isfinite(points[i]) || fabsf(points[i]) > 1e12f) {
            return mr_fail(error, MR_BAD_INPUT, "point %zu of a spine stands at (%g, %g) m", i / 2,
                           (double)points[i / 2 * 2], (double)points[i / 2 * 2 + 1]);
        }
    }
    if (smooth) {
        return sample_smooth(context, points, count, plan, error);
    }
    for (size_t i = 0; i < count; i++) {
        if (!add_point(context, plan, points[2 * i], points[2 * i + 1], error)) {
            return false;
        }
    }
    return true;
}

static mr_spine *from_plan(mr_context *context, const floats *plan, mr_error *error)
{
    size_t count = plan->count / 2;
    if (count < 2) {
        mr_fail(error, MR_BAD_INPUT, "all points of a spine are one");
        return NULL;
    }
    mr_spine *spine = mr_allocate_zeroed(context, sizeof *spine + 3 * count * sizeof(float));
    if (!spine) {
        mr_fail_memory(error, 3 * count * sizeof(float));
        return NULL;
    }
    mr_refs_init(&spine->refs);
    spine->context = context;
    spine->count = count;
    spine->x = (float *)(spine + 1);
    spine->z = spine->x + count;
    spine->along = spine->z + count;
    for (size_t i = 0; i < count; i++) {
        spine->x[i] = plan->items[2 * i];
        spine->z[i] = plan->items[2 * i + 1];
        spine->along[i] = i == 0 ? 0
                                 : spine->along[i - 1] + plan_length(spine->x[i] - spine->x[i - 1],
                                                                     spine->z[i] - spine->z[i - 1]);
    }
    return spine;
}

mr_spine *mr_spine_create(mr_context *context, const float *points, size_t count, bool smooth,
                          mr_error *error)
{
    floats plan = { 0 };
    mr_spine *spine = NULL;
    if (sample(context, points, count, smooth, &plan, error)) {
        spine = from_plan(context, &plan, error);
    }
    mr_array_free(context, &plan);
    return spine;
}

mr_spine *mr_spine_retain(mr_spine *spine)
{
    mr_refs_retain(&spine->refs);
    return spine;
}

void mr_spine_release(mr_spine *spine)
{
    if (spine && mr_refs_release(&spine->refs)) {
        mr_free(spine->context, spine->index);
        mr_free(spine->context, spine);
    }
}

float mr_spine_length(const mr_spine *spine)
{
    return spine->along[spine->count - 1];
}

size_t mr_spine_index_at(const mr_spine *spine, float along)
{
    size_t low = 0;
    size_t high = spine->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (spine->along[middle] <= along) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// The segment an along falls on: the first and the last run on straight past the ends.
static size_t segment_at(const mr_spine *spine, float along)
{
    size_t index = mr_spine_index_at(spine, along);
    return index + 1 < spine->count ? index : spine->count - 2;
}

static void segment_heading(const mr_spine *spine, size_t segment, float *tx, float *tz)
{
    float dx = spine->x[segment + 1] - spine->x[segment];
    float dz = spine->z[segment + 1] - spine->z[segment];
    float length = plan_length(dx, dz);
    *tx = length > 0 ? dx / length : 1;
    *tz = length > 0 ? dz / length : 0;
}

void mr_spine_heading(const mr_spine *spine, float along, float *tx, float *tz)
{
    segment_heading(spine, segment_at(spine, along), tx, tz);
}

void mr_spine_at(const mr_spine *spine, float along, float across, float *x, float *z)
{
    size_t segment = segment_at(spine, along);
    float tx;
    float tz;
    segment_heading(spine, segment, &tx, &tz);
    float past = along - spine->along[segment];
    *x = spine->x[segment] + tx * past - tz * across;
    *z = spine->z[segment] + tz * past + tx * across;
}

float mr_spine_bend(const mr_spine *spine, float along, float span)
{
    float before[2];
    float here[2];
    float after[2];
    mr_spine_at(spine, along - span, 0, &before[0], &before[1]);
    mr_spine_at(spine, along, 0, &here[0], &here[1]);
    mr_spine_at(spine, along + span, 0, &after[0], &after[1]);
    float ax = here[0] - before[0];
    float az = here[1] - before[1];
    float bx = after[0] - here[0];
    float bz = after[1] - here[1];
    float lengths = plan_length(ax, az) * plan_length(bx, bz);
    if (!(lengths > 0)) {
        return 0;
    }
    float bend = 4 * (1 - (ax * bx + az * bz) / lengths);
    return bend < 0 ? 0 : bend > 1 ? 1 : bend;
}

// The squared distance to a segment, and where along it the nearest point lies. One formula for every search, so that an
// index can leave segments out but never change an answer.
static float segment_distance(const mr_spine *spine, size_t segment, float x, float z, float *share)
{
    float ax = spine->x[segment];
    float az = spine->z[segment];
    float dx = spine->x[segment + 1] - ax;
    float dz = spine->z[segment + 1] - az;
    float t = ((x - ax) * dx + (z - az) * dz) / (dx * dx + dz * dz);
    t = t > 0 ? t : 0; // also where the segment is too short to tell
    t = t < 1 ? t : 1;
    float ox = x - (ax + t * dx);
    float oz = z - (az + t * dz);
    *share = t;
    return ox * ox + oz * oz;
}

float mr_spine_distance(const mr_spine *spine, float x, float z, float *along)
{
    float best = INFINITY;
    float best_along = 0;
    for (size_t i = 0; i + 1 < spine->count; i++) {
        float share;
        float squared = segment_distance(spine, i, x, z, &share);
        if (squared < best) {
            best = squared;
            best_along = spine->along[i] + share * (spine->along[i + 1] - spine->along[i]);
        }
    }
    if (along) {
        *along = best_along;
    }
    return sqrtf(best);
}

// A grid of buckets over the spine's bounds grown by reach: a bucket lists every segment whose box grown by reach (and a
// little, for rounding) meets it, so a place within reach of a segment finds it in its own bucket.
typedef struct spine_index {
    double x0, z0, bucket;
    uint32_t columns, rows;
    float reach;
    uint32_t *starts; // columns * rows + 1
    uint32_t *segments;
} spine_index;

enum { MOST_BUCKETS = 1 << 20 };

static void segment_buckets(const mr_spine *spine, const spine_index *index, size_t segment,
                            uint32_t range[4])
{
    double grow = (double)index->reach * 1.001 + 0.01;
    double ax = spine->x[segment];
    double bx = spine->x[segment + 1];
    double az = spine->z[segment];
    double bz = spine->z[segment + 1];
    double low[2] = { lesser(ax, bx) - grow - fabs(ax) * 1e-5, lesser(az, bz) - grow - fabs(az) * 1e-5 };
    double high[2] = { greater(ax, bx) + grow + fabs(bx) * 1e-5, greater(az, bz) + grow + fabs(bz) * 1e-5 };
    double from[2] = { (low[0] - index->x0) / index->bucket, (low[1] - index->z0) / index->bucket };
    double to[2] = { (high[0] - index->x0) / index->bucket, (high[1] - index->z0) / index->bucket };
    double most[2] = { index->columns - 1.0, index->rows - 1.0 };
    for (int axis = 0; axis < 2; axis++) {
        range[2 * axis] = (uint32_t)lesser(greater(floor(from[axis]), 0), most[axis]);
        range[2 * axis + 1] = (uint32_t)lesser(greater(floor(to[axis]), 0), most[axis]);
    }
}

static void count_or_fill(const mr_spine *spine, spine_index *index, uint32_t *cursor)
{
    for (size_t i = 0; i + 1 < spine->count; i++) {
        uint32_t range[4];
        segment_buckets(spine, index, i, range);
        for (uint32_t row = range[2]; row <= range[3]; row++) {
            for (uint32_t column = range[0]; column <= range[1]; column++) {
                uint32_t *at = &cursor[row * index->columns + column];
                if (index->segments) {
                    index->segments[*at] = (uint32_t)i;
                }
                ++*at;
            }
        }
    }
}

static void lay_buckets(const mr_spine *spine, spine_index *index, float reach)
{
    double low[2] = { INFINITY, INFINITY };
    double high[2] = { -INFINITY, -INFINITY };
    for (size_t i = 0; i < spine->count; i++) {
        low[0] = lesser(low[0], spine->x[i]);
        low[1] = lesser(low[1], spine->z[i]);
        high[0] = greater(high[0], spine->x[i]);
        high[1] = greater(high[1], spine->z[i]);
    }
    double grow = 1.01 * (double)reach + 1 +
                  1e-4 * greater(greater(fabs(low[0]), fabs(high[0])), greater(fabs(low[1]), fabs(high[1])));
    index->reach = reach;
    index->x0 = low[0] - grow;
    index->z0 = low[1] - grow;
    double size_x = high[0] + grow - index->x0;
    double size_z = high[1] + grow - index->z0;
    index->bucket = greater(greater((double)reach * 0.5, 1), sqrt(size_x * size_z / MOST_BUCKETS) * 1.01);
    index->bucket = greater(index->bucket, greater(size_x, size_z) / 65536);
    index->columns = (uint32_t)(size_x / index->bucket) + 1;
    index->rows = (uint32_t)(size_z / index->bucket) + 1;
}

bool mr_spine_index(mr_spine *spine, float reach, mr_error *error)
{
    if (!(reach > 0) || !isfinite(reach)) {
        return mr_fail(error, MR_BAD_INPUT, "reach is %g m; it must be more than 0", (double)reach);
    }
    spine_index plan = { 0 };
    lay_buckets(spine, &plan, reach);
    size_t buckets = (size_t)plan.columns * plan.rows;
    uint32_t *counts = mr_allocate_zeroed(spine->context, (buckets + 1) * sizeof *counts);
    if (!counts) {
        return mr_fail_memory(error, (buckets + 1) * sizeof *counts);
    }
    count_or_fill(spine, &plan, counts);
    size_t total = 0;
    for (size_t i = 0; i < buckets; i++) {
        total += counts[i];
    }
    size_t bytes = sizeof(spine_index) + (buckets + 1 + total) * sizeof(uint32_t);
    spine_index *index = total < UINT32_MAX ? mr_allocate(spine->context, bytes) : NULL;
    if (!index) {
        mr_free(spine->context, counts);
        return mr_fail_memory(error, bytes);
    }
    *index = plan;
    index->starts = (uint32_t *)(index + 1);
    index->segments = index->starts + buckets + 1;
    uint32_t start = 0;
    for (size_t i = 0; i < buckets; i++) {
        index->starts[i] = start;
        start += counts[i];
        counts[i] = index->starts[i];
    }
    index->starts[buckets] = start;
    count_or_fill(spine, index, counts);
    mr_free(spine->context, counts);
    mr_free(spine->context, spine->index);
    spine->index = index;
    return true;
}

float mr_spine_distance_within(const mr_spine *spine, float x, float z, float reach)
{
    const spine_index *index = spine->index;
    if (!index || index->reach != reach) {
        float distance = mr_spine_distance(spine, x, z, NULL);
        return distance < reach ? distance : reach;
    }
    double column = ((double)x - index->x0) / index->bucket;
    double row = ((double)z - index->z0) / index->bucket;
    if (!(column >= 0 && row >= 0 && column < index->columns && row < index->rows)) {
        return reach;
    }
    size_t bucket = (size_t)row * index->columns + (size_t)column;
    float best = INFINITY;
    for (uint32_t i = index->starts[bucket]; i < index->starts[bucket + 1]; i++) {
        float share;
        float squared = segment_distance(spine, index->segments[i], x, z, &share);
        best = squared < best ? squared : best;
    }
    float distance = sqrtf(best);
    return distance < reach ? distance : reach;
}
