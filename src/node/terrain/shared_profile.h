// node/terrain/shared_profile.h: the curves and distances of placed shapes, in f32, each a pure function.
//
// Distances are worked from positions already made relative to the shape in f64, so that a shape keeps its form however
// far from the origin it stands.

#ifndef MARRAM_NODE_TERRAIN_SHARED_PROFILE_H
#define MARRAM_NODE_TERRAIN_SHARED_PROFILE_H

#include "num/exact.h"

typedef enum terrain_shape { TERRAIN_DISC, TERRAIN_SQUARE } terrain_shape;

// 0 to 1 with level ends, for t held to 0..1.
static inline float terrain_smooth(float t)
{
    t = t > 0.0f ? t : 0.0f;
    t = t < 1.0f ? t : 1.0f;
    return t * t * (3.0f - 2.0f * t);
}

// How much of a shape covers a place at `distance`: 1 within radius, falling smoothly to 0 across falloff beyond it.
static inline float terrain_footprint(float distance, float radius, float falloff)
{
    float past = distance - radius;
    float falling = 1.0f - terrain_smooth(falloff > 0.0f ? past / falloff : 0.0f);
    return past <= 0.0f ? 1.0f : past < falloff ? falling : 0.0f;
}

// Rounded hills: out[i] becomes height * (1 + cos(pi x)) / 2 of x = out[i] (0 or more), which is height at 0, level
// there and at 1, and 0 past 1. The cosine is correctly rounded.
static inline void terrain_domes(float *out, size_t count, float height)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (out[i] < 1.0f ? out[i] : 1.0f) * 3.14159274f;
    }
    mr_f32_cos_array(out, out, count);
    for (size_t i = 0; i < count; i++) {
        out[i] = height * (0.5f + 0.5f * out[i]);
    }
}

static inline float terrain_distance(terrain_shape shape, float dx, float dz)
{
    float ax = __builtin_fabsf(dx), az = __builtin_fabsf(dz);
    return shape == TERRAIN_SQUARE ? (ax > az ? ax : az) : __builtin_sqrtf(dx * dx + dz * dz);
}

// A line from one place to another: how far along it (0..1) the nearest place to (dx, dz), relative to its start, is,
// and the distance to that.
typedef struct terrain_line {
    float x, z; // from the start to the end
    float over; // 1 / length^2, 0 when the ends are one
} terrain_line;

static inline terrain_line terrain_line_of(const double from[2], const double to[2])
{
    float x = (float)(to[0] - from[0]), z = (float)(to[1] - from[1]);
    float square = x * x + z * z;
    return (terrain_line){ x, z, square > 0.0f ? 1.0f / square : 0.0f };
}

static inline float terrain_line_at(terrain_line line, float dx, float dz, float *distance)
{
    float t = (dx * line.x + dz * line.z) * line.over;
    t = t > 0.0f ? t : 0.0f;
    t = t < 1.0f ? t : 1.0f;
    float rx = dx - t * line.x, rz = dz - t * line.z;
    *distance = __builtin_sqrtf(rx * rx + rz * rz);
    return t;
}

#endif
