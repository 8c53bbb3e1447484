// num/noise.h: lattice noise, fractal sums, cellular noise and stripes, the same to the bit on every machine.
//
// Every function is pure; the seed is one more coordinate of the hash. Arithmetic is f32 in the order docs/noise.md
// gives, with + - * and floor (a square root for distances; exp, cos, sin and / in phacelle alone). A coordinate is
// split into a whole cell and a fraction before anything else; the f32 forms split what f32 can hold, and callers with
// ground far from the origin split f64 coordinates with mr_lattice_of_f64 and use the forms that take mr_lattice.

#ifndef MARRAM_NUM_NOISE_H
#define MARRAM_NUM_NOISE_H

#include "num/hash.h"

// A coordinate as the lattice cell it stands in and the fraction past that cell's corner. The cell is the low word of
// floor(p), so the lattice repeats after 2^32 cells. What is not finite counts as 0.
typedef struct mr_lattice {
    int32_t cell;
    float t; // 0..1; 1 only when f32 cannot hold the f64 fraction below it
} mr_lattice;
mr_lattice mr_lattice_of(float p);
mr_lattice mr_lattice_of_f64(double p);

// A value and its derivatives.
typedef struct mr_noise2 {
    float value, dx, dy;
} mr_noise2;
typedef struct mr_noise3 {
    float value, dx, dy, dz;
} mr_noise3;

// Value noise in [-1, 1): a random value at each lattice point, blended by the quintic fade.
mr_noise2 mr_value2(float x, float y, uint32_t seed);
mr_noise3 mr_value3(float x, float y, float z, uint32_t seed);
// Gradient noise: [-1, 1] in the plane, [-1.5, 1.5] in space, 0 at lattice points; gradients are not normalised.
mr_noise2 mr_gradient2(float x, float y, uint32_t seed);
mr_noise3 mr_gradient3(float x, float y, float z, uint32_t seed);

// The same on coordinates already split. A period above 0 wraps the lattice to 0..period - 1 along its axis; periods
// may be NULL (no axis wraps).
mr_noise2 mr_value2_at(const mr_lattice p[2], uint32_t seed, const int32_t periods[2]);
mr_noise3 mr_value3_at(const mr_lattice p[3], uint32_t seed, const int32_t periods[3]);
mr_noise2 mr_gradient2_at(const mr_lattice p[2], uint32_t seed, const int32_t periods[2]);
mr_noise3 mr_gradient3_at(const mr_lattice p[3], uint32_t seed, const int32_t periods[3]);

// Fractal sums of gradient noise: octave i samples p * lacunarity^i seeded by mr_hash1(i, seed), times gain^i, not
// normalised. fbm sums the noise itself, ridged (1 - |n|)^2 (after Musgrave), billow 2 |n| - 1.
typedef struct mr_fractal {
    uint32_t octaves;
    float lacunarity; // usually 2
    float gain;       // usually 0.5
} mr_fractal;
mr_noise2 mr_fbm2(float x, float y, uint32_t seed, mr_fractal fractal);
mr_noise3 mr_fbm3(float x, float y, float z, uint32_t seed, mr_fractal fractal);
mr_noise2 mr_ridged2(float x, float y, uint32_t seed, mr_fractal fractal);
mr_noise3 mr_ridged3(float x, float y, float z, uint32_t seed, mr_fractal fractal);
mr_noise2 mr_billow2(float x, float y, uint32_t seed, mr_fractal fractal);
mr_noise3 mr_billow3(float x, float y, float z, uint32_t seed, mr_fractal fractal);

// fBm (lacunarity 2, gain 0.5) of a position pushed twice by fBm of itself (after Quilez).
float mr_warp2(float x, float y, uint32_t seed, uint32_t octaves, float strength);
float mr_warp3(float x, float y, float z, uint32_t seed, uint32_t octaves, float strength);

// fBm whose octave i is also weighted by the product of 1 + c * noise over the octaves up to it; c = 0 is mr_fbm2.
float mr_cascade2(float x, float y, uint32_t seed, mr_fractal fractal, float c);

// Cellular noise (Worley 1996): one feature point a cell, moved from its middle by jitter (0 a grid, 1 anywhere).
typedef struct mr_cellular2_answer {
    float f1, f2; // distances to the nearest and the second nearest point
    uint32_t id;  // a word of the nearest point's cell
    float to[2];  // from the sample to the nearest point
} mr_cellular2_answer;
typedef struct mr_cellular3_answer {
    float f1, f2;
    uint32_t id;
    float to[3];
} mr_cellular3_answer;
mr_cellular2_answer mr_cellular2(float x, float y, uint32_t seed, float jitter);
mr_cellular3_answer mr_cellular3(float x, float y, float z, uint32_t seed, float jitter);
mr_cellular2_answer mr_cellular2_at(const mr_lattice p[2], uint32_t seed, float jitter);
mr_cellular3_answer mr_cellular3_at(const mr_lattice p[3], uint32_t seed, float jitter);

// Stripes that run along a unit direction (phacelle noise, after Johansen): the cosine and sine of their phase, faded
// together from the waves of 4 x 4 cells. freq is near 1, offset in cycles, normalisation 0 (the waves' mean) to 1 (always
// of length 1). -sine * side is the derivative of the cosine along (x, y).
typedef struct mr_phacelle_answer {
    float cosine, sine;
    float side[2]; // across the stripes, 2 pi freq long
} mr_phacelle_answer;
mr_phacelle_answer mr_phacelle(float x, float y, const float direction[2], float freq, float offset,
                               float normalisation, uint32_t seed);

#endif
