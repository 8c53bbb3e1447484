// num/angle_noise.h: gradient noise over a plane whose lattice gradients are unit vectors at a hashed angle: the noise
// of terrain. docs/noise.md defines it to the bit, with vectors.
//
// The order of operations is chosen so that a raster is fast: along z, inside one lattice cell, a column's noise is
// (p tz + q) + v (e tz + f) with four numbers that depend on the column alone. The inline pieces below are that order;
// the sampler of one position (here) and the sampler of rows (kernel/fbm) are both made of them.

#ifndef MARRAM_NUM_ANGLE_NOISE_H
#define MARRAM_NUM_ANGLE_NOISE_H

#include "num/noise.h"

enum { MR_ANGLE_OCTAVES = 16 };

extern const float mr_angle_sine[320];

// A two-round xorshift-multiply mixer (Wellons's lowbias32 constants).
static inline uint32_t mr_angle_mix(uint32_t v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ (v >> 16);
}

// The lattice hash in its three parts: of the seed, of a row of the lattice, of a corner on that row. A row's word is
// shared by its corners, so that a corner costs the mixer's two multiplies and an addition's worth of stepping.
static inline uint32_t mr_angle_key(uint32_t seed)
{
    return mr_pcg(seed);
}
static inline uint32_t mr_angle_row(uint32_t key, uint32_t z)
{
    return mr_angle_mix((z * 0x85ebca77u) ^ key);
}
static inline uint32_t mr_angle_corner(uint32_t row, uint32_t x)
{
    return mr_angle_mix(row + x * 0x9e3779b1u);
}

// t^3 (t (6 t - 15) + 10).
static inline float mr_angle_fade(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

// The noise along z at one column, as the lattice line z = cell sees it: p (z - cell) + q, times strength. t is the
// column's fraction past corner x, u its fade.
typedef struct mr_angle_line {
    float p, q;
} mr_angle_line;

static inline mr_angle_line mr_angle_line_at(uint32_t row, uint32_t x, float t, float u, float strength)
{
    uint32_t near = mr_angle_corner(row, x) >> 24, far = mr_angle_corner(row, x + 1u) >> 24;
    float near_q = mr_angle_sine[near + 64u] * t, far_q = mr_angle_sine[far + 64u] * (t - 1.0f);
    float near_p = mr_angle_sine[near], far_p = mr_angle_sine[far];
    float p = near_p + u * (far_p - near_p), q = near_q + u * (far_q - near_q);
    return (mr_angle_line){ p * strength, q * strength };
}

// What the line at the far side of the cell adds to the near one's.
typedef struct mr_angle_span {
    float e, f;
} mr_angle_span;

static inline mr_angle_span mr_angle_span_of(mr_angle_line near, mr_angle_line far)
{
    return (mr_angle_span){ far.p - near.p, (far.q - far.p) - near.q };
}

// The noise at fraction t past the near line, v the fade of t.
static inline float mr_angle_between(mr_angle_line near, mr_angle_span span, float t, float v)
{
    return (near.p * t + near.q) + v * (span.e * t + span.f);
}

// A push held to what leaves an int32's worth of cells in the finest octave. NaN becomes -limit.
static inline float mr_angle_held(float push, float limit)
{
    push = push > -limit ? push : -limit;
    return push < limit ? push : limit;
}

// The lattice cells below q; |q| is at most 2^30 + 1.
static inline int32_t mr_angle_floor(float q)
{
    int32_t whole = (int32_t)q;
    return whole - (int32_t)((float)whole > q);
}

typedef struct mr_angle_octave {
    uint32_t key;
    float strength;            // gain^i over the root of the sum of squares
    double frequency;          // lacunarity^i
    double offset_x, offset_z; // where the octave's lattice begins, so that octaves do not share their zeros
} mr_angle_octave;

typedef struct mr_angle_fbm {
    uint32_t octaves;
    mr_angle_octave octave[MR_ANGLE_OCTAVES];
} mr_angle_fbm;

// Octaves past 16 are left out. Octave i draws from seed + i * 7919.
void mr_angle_fbm_prepare(mr_angle_fbm *fbm, uint32_t seed, uint32_t octaves, double lacunarity, double gain);

// A push of the position by two 4-octave sums of their own seeds.
typedef struct mr_angle_warp {
    float scale; // distance / feature, noise units; 0: none
    float limit; // noise units: 2^30 cells of the finest octave
    mr_angle_fbm x, z;
} mr_angle_warp;

// For positions at which `fbm` is then sampled. distance 0 or less pushes nothing.
void mr_angle_warp_prepare(mr_angle_warp *warp, const mr_angle_fbm *fbm, uint32_t seed, double distance,
                           double feature);

// One layer: about -0.7 to 0.7, and 0 on its lattice.
float mr_angle_gradient2(mr_lattice x, mr_lattice z, uint32_t seed);
// The normalised sum at a position in noise units (metres over feature size).
float mr_angle_fbm2(const mr_angle_fbm *fbm, double x, double z);
float mr_angle_warped2(const mr_angle_fbm *fbm, const mr_angle_warp *warp, double x, double z);

#endif
