// kernel/fbm.h: the terrain's fractal noise over the cells of a raster.
//
// What a cell gets is a pure function of its whole-number index and the cell's size, whatever the tile, the extent, the
// thread or the instruction set; mr_fbm_sample is that function.

#ifndef MARRAM_KERNEL_FBM_H
#define MARRAM_KERNEL_FBM_H

#include "base/context.h"
#include "kernel/blend.h"
#include "num/angle_noise.h"

typedef struct mr_fbm_config {
    double cell;         // metres
    double feature_size; // metres: the lattice cell of the first octave
    uint32_t octaves;    // 1..16
    double lacunarity;   // 2
    double gain;         // 0.5
    uint32_t seed;
    bool ridge;       // (1 - |n|)^2, held to 0 or more under the square, in place of n
    double warp;      // metres the position is pushed by; 0: none
    double amplitude; // what the sum is multiplied by
} mr_fbm_config;

// A config made ready. Worked out in f64, then rounded once to f32: amplitude, warp and each octave's strength.
typedef struct mr_fbm {
    double cell;
    double feature_size;
    float amplitude;
    bool ridge;
    mr_angle_fbm noise;
    mr_angle_warp warp;
} mr_fbm;

void mr_fbm_prepare(mr_fbm *fbm, const mr_fbm_config *config);

// The definition: what cell (x, z), standing at (x * cell, z * cell), gets.
float mr_fbm_sample(const mr_fbm *fbm, int64_t x, int64_t z);

// Blends width x rows cells into out (stride elements a row), the first of them cell (x, z). weights is NULL or as out.
// Errors: MR_OUT_OF_MEMORY and MR_LIMIT for the tiles' scratch, MR_CANCELLED.
bool mr_fbm_fill(mr_context *context, const mr_fbm *fbm, int64_t x, int64_t z, size_t width, size_t rows,
                 float *out, size_t stride, mr_blend blend, const float *weights, mr_error *error);

// What the copies of fbm.isa.c are called with: one tile of the job, at most MR_FBM_TILE_WIDTH cells wide.
enum { MR_FBM_TILE_WIDTH = 256, MR_FBM_TILE_ROWS = 512 };
typedef struct mr_fbm_tile {
    const mr_fbm *fbm;
    int64_t x, z;
    size_t width, rows;
    float *out;
    size_t stride;
    const float *weights;
    mr_blend blend;
    void *scratch; // scratch_size bytes, 64-byte aligned
} mr_fbm_tile;

typedef struct mr_fbm_kernels {
    size_t (*scratch_size)(const mr_fbm *fbm);
    void (*tile)(const mr_fbm_tile *tile);
} mr_fbm_kernels;

#endif
