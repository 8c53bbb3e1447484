// The public island's land, from its published figures: a function baked into a grid of 2 m, its walkway carved in. Written
// out plainly beside the library, with its noise and its spine, so that what the rules ask has an independent source.

#ifndef MARRAM_TEST_ISLAND_LAND_H
#define MARRAM_TEST_ISLAND_LAND_H

#include "base/thread.h"
#include "num/noise.h"
#include "scene/land.h"

#include <math.h>

enum { SIDE = 1025, POINTS = 205 };

typedef struct island_land {
    float hill[SIDE * SIDE]; // scaled, before erosion
    float uncarved[SIDE * SIDE];
    float height[SIDE * SIDE];
    float path[SIDE * SIDE]; // distance to the walkway, held to 16 m
    float walkway_height[POINTS];
    float hill_scale;
    const mr_spine *walkway;
} island_land;

static float clamp01(float t)
{
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

static float smooth(float a, float b, float x)
{
    float t = clamp01((x - a) / (b - a));
    return t * t * (3 - 2 * t);
}

static float mix(float a, float b, float t)
{
    return a + (b - a) * t;
}

static float plan(float x, float z)
{
    return sqrtf(x * x + z * z);
}

static float fbm(float x, float z, uint32_t seed, uint32_t octaves)
{
    return mr_fbm2(x, z, seed, (mr_fractal){ octaves, 2, 0.5f }).value;
}

// ---- the coast ----

static float least_smooth(float a, float b, float k)
{
    float h = clamp01(0.5f + 0.5f * (b - a) / k);
    return mix(b, a, h) - k * h * (1 - h);
}

static float most_smooth(float a, float b, float k)
{
    return -least_smooth(-a, -b, k);
}

static float capsule(float x, float z, const float ends[4], float radius)
{
    float dx = ends[2] - ends[0];
    float dz = ends[3] - ends[1];
    float t = clamp01(((x - ends[0]) * dx + (z - ends[1]) * dz) / (dx * dx + dz * dz));
    return plan(x - ends[0] - dx * t, z - ends[1] - dz * t) - radius;
}

static float coast(float x, float z)
{
    static const struct {
        float ends[4], radius, blend;
    } capes[] = { { { 420, 380, 700, 600 }, 75, 100 },
                  { { -330, 430, -250, 720 }, 65, 100 },
                  { { 190, 600, 130, 730 }, 45, 60 } };
    static const float bays[][4] = {
        { -60, 790, 290, 80 }, { 430, -470, 100, 60 }, { -640, -60, 80, 50 }, { -120, -700, 70, 50 }
    };
    float d = plan(x, z + 40) - 640;
    for (int i = 0; i < 3; i++) {
        d = least_smooth(d, capsule(x, z, capes[i].ends, capes[i].radius), capes[i].blend);
    }
    for (int i = 0; i < 4; i++) {
        d = most_smooth(d, -(plan(x - bays[i][0], z - bays[i][1]) - bays[i][2]), bays[i][3]);
    }
    float w = 1 - smooth(70, 130, fabsf(d));
    if (w > 0) {
        float qx = x + 40 * fbm(x / 300, z / 300, 11, 3);
        float qz = z + 40 * fbm(x / 300 + 17, z / 300 - 9, 13, 3);
        d += w * 22 * fbm(qx / 180, qz / 180, 17, 6);
    }
    return d;
}

// ---- the hill ----

static float raw_hill(float x, float z)
{
    float wx = x + 70 * fbm(x / 300 + 3.1f, z / 300 + 7.7f, 21, 3);
    float wz = z + 70 * fbm(x / 300 + 11.3f, z / 300 + 2.2f, 23, 3);
    float t = plan(0.86f * (wx - 30), wz + 230) / 540;
    if (t >= 1) {
        return 0;
    }
    float f = powf(1 - smooth(0, 1, t), 1.4f);
    float ridge = mr_ridged2(wx / 230, wz / 230, 29, (mr_fractal){ 5, 2, 0.5f }).value;
    float flank = smooth(0, 0.25f, t) * (1 - smooth(0.6f, 1, t));
    return f + 0.16f * f * (ridge - 0.9f) * (0.35f + flank);
}

typedef struct stripes {
    float cosine, sine, side[2];
} stripes;

// Stripes along a direction, with their phase blended between the cells' own.
static stripes phacelle(float x, float z, const float along[2], float freq, float offset, float normal,
                        uint32_t seed)
{
    const float turn = 6.28318530717958647692f;
    stripes made = { .side = { -along[1] * freq * turn, along[0] * freq * turn } };
    float phase = turn * offset;
    mr_lattice px = mr_lattice_of(x);
    mr_lattice pz = mr_lattice_of(z);
    float c = 0;
    float s = 0;
    float weights = 0;
    for (int32_t j = -1; j <= 2; j++) {
        for (int32_t i = -1; i <= 2; i++) {
            mr_words3 h = mr_hash2(px.cell + i, pz.cell + j, seed);
            float vx = px.t - (float)i - 0.5f * mr_to_signed(h.x);
            float vz = pz.t - (float)j - 0.5f * mr_to_signed(h.y);
            float weight = expf(-2 * (vx * vx + vz * vz)) - 0.01111f;
            if (weight > 0) {
                float wave = vx * made.side[0] + vz * made.side[1] + phase;
                c += weight * cosf(wave);
                s += weight * sinf(wave);
                weights += weight;
            }
        }
    }
    c /= weights;
    s /= weights;
    float length = fmaxf(plan(c, s), 1 - normal);
    made.cosine = c / length;
    made.sine = s / length;
    return made;
}

static float erosion(float x, float z, float h, const float gradient[2])
{
    float s[2] = { gradient[0], gradient[1] };
    float amp = 9;
    float wavelength = 140;
    float eroded = h;
    float tt = clamp01(h / 150);
    float fade = smooth(0.02f, 0.2f, tt) * (1 - 0.6f * smooth(0.75f, 1, tt));
    for (uint32_t o = 0; o < 4; o++) {
        float steep = plan(s[0], s[1]);
        if (steep > 0.02f) {
            float along[2] = { s[0] / steep, s[1] / steep };
            stripes n = phacelle(x / wavelength, z / wavelength, along, 1, 0, 0.4f, 31 + o);
            float less = 1 - clamp01(steep / 0.25f);
            float k = amp * (1 - less * less) * fade;
            eroded += k * (0.5f * n.cosine - 0.5f);
            for (int axis = 0; axis < 2; axis++) {
                s[axis] += -n.sine * n.side[axis] / wavelength * k * 0.5f;
            }
        }
        amp /= 2;
        wavelength /= 2;
    }
    return eroded;
}

static float sample_x(size_t i)
{
    return 2 * (float)i - 1024;
}

static float eroded_hill(const island_land *land, size_t i, size_t j)
{
    const float *at = &land->hill[j * SIDE + i];
    if (!(*at > 1) || i == 0 || j == 0 || i == SIDE - 1 || j == SIDE - 1) {
        return *at;
    }
    const float gradient[2] = { (at[1] - at[-1]) / 4, (at[SIDE] - at[-SIDE]) / 4 };
    return erosion(sample_x(i), sample_x(j), *at, gradient);
}

static bool fill_hill(void *argument, size_t begin, size_t end, mr_error *error)
{
    island_land *land = argument;
    for (size_t n = begin; n < end; n++) {
        float x = sample_x(n % SIDE);
        float z = sample_x(n / SIDE);
        bool within = fabsf(x - 30) < 702 && fabsf(z + 230) < 702;
        land->hill[n] = within ? raw_hill(x, z) * land->hill_scale : 0;
    }
    return true;
}

static float to_pad(float x, float z)
{
    return plan(x + 4, z - 338);
}

static float shore(float s)
{
    if (s < 0) {
        float u = -s;
        return -0.3f - fminf(30, 0.05f * u + 0.0003f * u * u);
    }
    return mix(-0.3f, 5.8f, smooth(0, 90, s)) + 1.2f * smooth(0, 18, s);
}

static bool fill_uncarved(void *argument, size_t begin, size_t end, mr_error *error)
{
    island_land *land = argument;
    for (size_t n = begin; n < end; n++) {
        float x = sample_x(n % SIDE);
        float z = sample_x(n / SIDE);
        float s = -coast(x, z);
        float p = to_pad(x, z);
        float h = shore(s);
        if (s > 0) {
            h += eroded_hill(land, n % SIDE, n / SIDE) * smooth(60, 220, s);
            h += (0.9f * fbm(x / 70, z / 70, 41, 4) + 0.25f * fbm(x / 26, z / 26, 43, 2)) *
                 (0.8f + 7.5f * smooth(46, 170, p)) * smooth(0, 40, s);
        }
        land->uncarved[n] = mix(h, 4.6f, 1 - smooth(46, 100, p));
    }
    return true;
}

// ---- what the rules ask ----

// On the triangles; the diagonals of neighbouring cells cross.
static float height_on(const float *cells, float x, float z)
{
    float px = (x + 1024) / 2;
    float pz = (z + 1024) / 2;
    if (!(px >= 0 && pz >= 0 && px <= SIDE - 1 && pz <= SIDE - 1)) {
        return -30;
    }
    size_t i = px < SIDE - 1 ? (size_t)px : SIDE - 2;
    size_t j = pz < SIDE - 1 ? (size_t)pz : SIDE - 2;
    float fx = px - (float)i;
    float fz = pz - (float)j;
    float a = cells[j * SIDE + i];
    float b = cells[j * SIDE + i + 1];
    float c = cells[(j + 1) * SIDE + i];
    float d = cells[(j + 1) * SIDE + i + 1];
    if ((i + j) % 2 == 0) {
        return fx >= fz ? a + fx * (b - a) + fz * (d - b) : a + fx * (d - c) + fz * (c - a);
    }
    return fx + fz <= 1 ? a + fx * (b - a) + fz * (c - a) : d + (1 - fx) * (c - d) + (1 - fz) * (b - d);
}

static float island_height(const island_land *land, float x, float z)
{
    return height_on(land->height, x, z);
}

static float island_slope(const island_land *land, float x, float z)
{
    return plan((island_height(land, x + 1, z) - island_height(land, x - 1, z)) / 2,
                (island_height(land, x, z + 1) - island_height(land, x, z - 1)) / 2);
}

static bool inside_fence(float x, float z)
{
    static const float fence[][2] = { { -190, 285 }, { 175, 285 },  { 200, 430 }, { 175, 540 },
                                      { 120, 552 },  { 60, 525 },   { 0, 507 },   { -60, 505 },
                                      { -120, 512 }, { -200, 545 }, { -215, 420 } };
    enum { CORNERS = sizeof fence / sizeof *fence };
    bool inside = false;
    for (int i = 0; i < CORNERS; i++) {
        const float *a = fence[i];
        const float *b = fence[(i + 1) % CORNERS];
        if ((a[1] > z) != (b[1] > z) && x < a[0] + (z - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) {
            inside = !inside;
        }
    }
    return inside;
}

static float path_distance(const island_land *land, float x, float z)
{
    float px = (x + 1024) / 2;
    float pz = (z + 1024) / 2;
    if (!(px >= 0 && pz >= 0 && px < SIDE - 1 && pz < SIDE - 1)) {
        return 16;
    }
    size_t at = (size_t)pz * SIDE + (size_t)px;
    float fx = px - floorf(px);
    float near = mix(land->path[at], land->path[at + 1], fx);
    float far = mix(land->path[at + SIDE], land->path[at + SIDE + 1], fx);
    return mix(near, far, pz - floorf(pz));
}

static bool standable(const island_land *land, float x, float z, float least, float path)
{
    return inside_fence(x, z) && island_height(land, x, z) > least && path_distance(land, x, z) > path;
}

static float forest_density(const island_land *land, float x, float z)
{
    float h = island_height(land, x, z);
    return smooth(2.8f, 4.2f, h) * (1 - smooth(50, 85, h)) * smooth(34, 58, to_pad(x, z)) *
           smooth(2.2f, 4.5f, path_distance(land, x, z)) *
           (0.55f + 0.45f * smooth(-0.25f, 0.3f, fbm(x / 55, z / 55, 61, 3)));
}

// ---- the walkway ----

static void smooth_walkway(island_land *land)
{
    const mr_spine *way = land->walkway;
    float *h = land->walkway_height;
    for (int i = 0; i < POINTS; i++) {
        h[i] = height_on(land->uncarved, way->x[i], way->z[i]);
    }
    for (int pass = 0; pass < 2; pass++) {
        float before[POINTS];
        memcpy(before, h, sizeof before);
        for (int i = 0; i < POINTS; i++) {
            float sum = 0;
            int count = 0;
            for (int k = i - 4; k <= i + 4; k++) {
                if (k >= 0 && k < POINTS) {
                    sum += before[k];
                    count++;
                }
            }
            h[i] = sum / (float)count;
        }
    }
    h[POINTS - 1] = 4.6f;
}

static void carve(island_land *land)
{
    const mr_spine *way = land->walkway;
    static float there[SIDE * SIDE]; // the walkway's height at the nearest place
    smooth_walkway(land);
    for (size_t n = 0; n < SIDE * SIDE; n++) {
        land->path[n] = 1e9f;
    }
    for (int k = 0; k + 1 < POINTS; k++) {
        float dx = way->x[k + 1] - way->x[k];
        float dz = way->z[k + 1] - way->z[k];
        for (size_t n = 0; n < SIDE * SIDE; n++) {
            float x = sample_x(n % SIDE);
            float z = sample_x(n / SIDE);
            if (z < fminf(way->z[k], way->z[k + 1]) - 16 || z > fmaxf(way->z[k], way->z[k + 1]) + 16) {
                n += SIDE - 1;
                continue;
            }
            float t = clamp01(((x - way->x[k]) * dx + (z - way->z[k]) * dz) / (dx * dx + dz * dz));
            float d = plan(x - way->x[k] - dx * t, z - way->z[k] - dz * t);
            if (d < land->path[n]) {
                land->path[n] = d;
                there[n] = mix(land->walkway_height[k], land->walkway_height[k + 1], t);
            }
        }
    }
    for (size_t n = 0; n < SIDE * SIDE; n++) {
        float d = land->path[n];
        land->height[n] = land->uncarved[n];
        if (d < 6) {
            float to_end =
                plan(sample_x(n % SIDE) - way->x[POINTS - 1], sample_x(n / SIDE) - way->z[POINTS - 1]);
            float press = 0.05f * smooth(5, 14, to_end);
            land->height[n] = mix(land->height[n], there[n] - press, smooth(6, 1.4f, d));
        }
        land->path[n] = fminf(d, 16);
    }
    for (int i = 0; i < POINTS; i++) {
        land->walkway_height[i] = island_height(land, way->x[i], way->z[i]);
    }
}

static void island_land_make(mr_context *context, island_land *land, const mr_spine *walkway)
{
    mr_error error;
    float most = 0;
    for (size_t j = 0; j < SIDE; j += 16) {
        for (size_t i = 0; i < SIDE; i += 16) {
            most = fmaxf(most, raw_hill(sample_x(i), sample_x(j)));
        }
    }
    land->hill_scale = 150 / most;
    land->walkway = walkway;
    assert_true(mr_parallel_for(context, SIDE * SIDE, 4096, fill_hill, land, &error));
    assert_true(mr_parallel_for(context, SIDE * SIDE, 4096, fill_uncarved, land, &error));
    carve(land);
}

#endif
