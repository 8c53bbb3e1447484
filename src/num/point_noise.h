// num/point_noise.h: noise at arbitrary points: what fields and kernels sample by the million. docs/noise.md defines it to
// the bit, with vectors.
//
// The lattice hash costs about one multiply a corner: corners share what belongs to their plane and their row. Arrays
// are worked a vector of points at a time; every form gives the same bits. A coordinate that is not finite, or 2^31 (in
// simplex noise 2^29) and more in size, counts as 0.

#ifndef MARRAM_NUM_POINT_NOISE_H
#define MARRAM_NUM_POINT_NOISE_H

#include "base/isa.h"
#include "num/hash.h"

#include <stddef.h>

typedef enum mr_point_noise_kind {
    MR_POINT_VALUE2, // [0, 1): a random number at each lattice point of the plane (x, y), blended by the quintic fade
    MR_POINT_VALUE3,    // the same in space
    MR_POINT_GRADIENT2, // [-1, 1], 0 at lattice points; gradients to the corners of an octagon
    MR_POINT_GRADIENT3, // gradients to the corners of an icosahedron
    MR_POINT_SIMPLEX3,  // [-1, 1]: the same gradients on the lattice of tetrahedra (after Perlin 2001)
} mr_point_noise_kind;

enum { MR_POINT_OCTAVES = 32 };

// Octave i samples p * lacunarity^i seeded by seed + i * 7919, times gain^i; the sum is over the weights' sizes, so that a
// sum has the range of one octave. One octave is the noise itself; octaves past 32 are left out; none is 0.
typedef struct mr_point_noise {
    mr_point_noise_kind kind;
    uint32_t seed;
    uint32_t octaves;
    float lacunarity; // usually 2
    float gain;       // usually 0.5
} mr_point_noise;

// z is not read by the plane's kinds.
float mr_point_noise_at(const mr_point_noise *noise, float x, float y, float z);
// out[i] of (x[i], y[i], z[i]); out overlaps no input. z may be NULL for the plane's kinds.
void mr_point_noise_array(mr_isa isa, const mr_point_noise *noise, const float *x, const float *y,
                          const float *z, float *out, size_t count);

// A flow without sources: the curl of three gradient noises of num/noise.h (seeded hash1(0..2, seed)) at p * frequency,
// times amplitude.
void mr_point_curl3(const float p[3], uint32_t seed, float frequency, float amplitude, float out[3]);

#endif
