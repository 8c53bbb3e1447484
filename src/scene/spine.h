// scene/spine.h: a line over the land: a walkway, a brook.
//
// A spine is its points in the plan (x, z; f32). Smooth ones are uniform Catmull-Rom between the control points (ends
// doubled), each span sampled at t = s / steps, s = 0..steps-1, steps = floor(straight length in metres) + 1, the last
// control point closing it. Lengths are plan lengths. Both ends run on straight. Right of travel is positive across:
// (-tz, tx) for heading (tx, tz). Every f32 operation is rounded and none is fused.

#ifndef MARRAM_SCENE_SPINE_H
#define MARRAM_SCENE_SPINE_H

#include "base/memory.h"

typedef struct mr_spine {
    mr_refs refs;
    mr_context *context;
    float *x;
    float *z;
    float *along; // plan length from the first point to each
    size_t count; // at least 2, no two neighbours alike
    void *index;  // made by mr_spine_index for fast distances, or NULL
} mr_spine;

// points: x, z each. Errors: fewer than two, not finite, more than a million, all alike.
mr_spine *mr_spine_create(mr_context *context, const float *points, size_t count, bool smooth,
                          mr_error *error);
mr_spine *mr_spine_retain(mr_spine *spine);
void mr_spine_release(mr_spine *spine);

float mr_spine_length(const mr_spine *spine);
void mr_spine_at(const mr_spine *spine, float along, float across, float *x, float *z);
void mr_spine_heading(const mr_spine *spine, float along, float *tx, float *tz);
// 0 straight to 1: min(1, 4 (1 - cos of the angle between the headings over `span` before and after)).
float mr_spine_bend(const mr_spine *spine, float along, float span);
size_t mr_spine_index_at(const mr_spine *spine, float along); // the last sample at or before
// Plan distance to the line, its along where it is nearest (the first of equals).
float mr_spine_distance(const mr_spine *spine, float x, float z, float *along);
// Exactly min(distance, reach), quick by an index; `reach` must be the one the index was made for.
bool mr_spine_index(mr_spine *spine, float reach, mr_error *error);
float mr_spine_distance_within(const mr_spine *spine, float x, float z, float reach);

#endif
