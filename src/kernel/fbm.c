// kernel/fbm.c: what a cell's fractal noise is, and the tiles a raster is cut into to work it out.

#include "kernel/fbm.h"

#include "base/isa.h"
#include "base/memory.h"
#include "base/thread.h"

MR_ISA_TABLES(mr_fbm_kernels, mr_fbm_kernels);

void mr_fbm_prepare(mr_fbm *fbm, const mr_fbm_config *config)
{
    fbm->cell = config->cell;
    fbm->feature_size = config->feature_size;
    fbm->amplitude = (float)config->amplitude;
    fbm->ridge = config->ridge;
    mr_angle_fbm_prepare(&fbm->noise, config->seed, config->octaves, config->lacunarity, config->gain);
    mr_angle_warp_prepare(&fbm->warp, &fbm->noise, config->seed, config->warp, config->feature_size);
}

float mr_fbm_sample(const mr_fbm *fbm, int64_t x, int64_t z)
{
    double px = (double)x * fbm->cell / fbm->feature_size, pz = (double)z * fbm->cell / fbm->feature_size;
    float n = mr_angle_warped2(&fbm->noise, &fbm->warp, px, pz);
    if (fbm->ridge) {
        float rest = 1.0f - __builtin_fabsf(n);
        rest = rest > 0.0f ? rest : 0.0f;
        n = rest * rest;
    }
    return n * fbm->amplitude;
}

typedef struct job {
    mr_context *context;
    mr_fbm_tile whole;
    size_t across;
    const mr_fbm_kernels *kernels;
} job;

static bool run_tiles(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    void *scratch = mr_buffer_take(j->context, j->kernels->scratch_size(j->whole.fbm), error);
    if (!scratch) {
        return false;
    }
    bool good = true;
    for (size_t k = begin; k < end && (good = mr_keep_going(j->context, error)); k++) {
        size_t left = k % j->across * MR_FBM_TILE_WIDTH, top = k / j->across * MR_FBM_TILE_ROWS;
        mr_fbm_tile tile = j->whole;
        size_t at = top * tile.stride + left;
        tile.x += (int64_t)left;
        tile.z += (int64_t)top;
        tile.width = tile.width - left < MR_FBM_TILE_WIDTH ? tile.width - left : MR_FBM_TILE_WIDTH;
        tile.rows = tile.rows - top < MR_FBM_TILE_ROWS ? tile.rows - top : MR_FBM_TILE_ROWS;
        tile.out += at;
        tile.weights = tile.weights ? tile.weights + at : NULL;
        tile.scratch = scratch;
        j->kernels->tile(&tile);
    }
    mr_buffer_release(j->context, scratch);
    return good;
}

bool mr_fbm_fill(mr_context *context, const mr_fbm *fbm, int64_t x, int64_t z, size_t width, size_t rows,
                 float *out, size_t stride, mr_blend blend, const float *weights, mr_error *error)
{
    job j = {
        .context = context,
        .whole = { .fbm = fbm,
                   .x = x,
                   .z = z,
                   .width = width,
                   .rows = rows,
                   .out = out,
                   .stride = stride,
                   .weights = weights,
                   .blend = blend },
        .across = (width + MR_FBM_TILE_WIDTH - 1) / MR_FBM_TILE_WIDTH,
        .kernels = MR_ISA_PICK(mr_fbm_kernels, mr_context_isa(context)),
    };
    size_t down = (rows + MR_FBM_TILE_ROWS - 1) / MR_FBM_TILE_ROWS;
    return mr_parallel_for(context, j.across * down, 1, run_tiles, &j, error);
}
