// node/terrain/fbm.c: fractal noise blended into a layer.

#include "kernel/fbm.h"
#include "node/terrain/shared_pass.h"

typedef struct weights_job {
    const mr_raster *raster;
    terrain_mask mask;
    float *weights;
} weights_job;

static void weights_tile(void *argument, const terrain_tile *tile)
{
    const weights_job *job = argument;
    size_t stride = mr_raster_stride(job->raster);
    for (size_t j = 0; j < tile->rows; j++) {
        size_t at = (tile->top + j) * stride + tile->left;
        for (size_t i = at; i < at + tile->width; i++) {
            job->weights[i] = terrain_mask_at(&job->mask, i);
        }
    }
}

static mr_fbm config_of(const mr_cook *cook, double cell)
{
    mr_fbm fbm;
    mr_fbm_prepare(&fbm, &(mr_fbm_config){
                             .cell = cell,
                             .feature_size = mr_cook_number(cook, "featureSize"),
                             .octaves = (uint32_t)mr_cook_integer(cook, "octaves"),
                             .lacunarity = mr_cook_number(cook, "lacunarity"),
                             .gain = mr_cook_number(cook, "gain"),
                             .seed = mr_cook_seed(cook, "seed"),
                             .ridge = mr_cook_boolean(cook, "ridge"),
                             .warp = mr_cook_number(cook, "warp"),
                             .amplitude = mr_cook_number(cook, "amplitude"),
                         });
    return fbm;
}

static bool fill(mr_cook *cook, mr_raster *raster, mr_error *error)
{
    float *cells = mr_raster_layer_write(raster, mr_cook_text(cook, "layer"), 0.0f, error);
    weights_job job = { .raster = raster };
    if (!cells || !terrain_mask_of(cook, raster, &job.mask, error)) {
        return false;
    }
    size_t stride = mr_raster_stride(raster), rows = mr_raster_rows(raster);
    if (job.mask.cells) {
        job.weights = mr_buffer_take(cook->context, stride * rows * sizeof(float), error);
        if (!job.weights || !terrain_tiles(raster, terrain_everywhere(), weights_tile, &job, error)) {
            mr_buffer_release(cook->context, job.weights);
            return false;
        }
    }
    mr_fbm fbm = config_of(cook, raster->cell);
    bool good = mr_fbm_fill(cook->context, &fbm, raster->corner_x - (int64_t)raster->margin,
                            raster->corner_z - (int64_t)raster->margin, stride, rows, cells, stride,
                            mr_cook_choice(cook, "blend"), job.weights, error);
    if (job.weights) {
        mr_buffer_release(cook->context, job.weights);
    }
    return good;
}

static bool fbm_cook(mr_cook *cook, mr_error *error)
{
    mr_raster *raster = mr_cook_take_raster(cook, "raster", error);
    if (!raster) {
        return false;
    }
    if (!fill(cook, raster, error)) {
        mr_raster_release(raster);
        return false;
    }
    mr_cook_set_raster(cook, "raster", raster);
    return true;
}

const mr_node mr_node_terrain_fbm = {
    .name = "terrain.fbm",
    .version = 1,
    .summary = "Fractal noise blended into a layer: lumps, ridges, or warped relief.",
    .source = "Gradient noise after Perlin 2002 with hashed angles; ridged fold after Musgrave 1998; warp after Quilez. docs/noise.md.",
    .inputs = {
        TERRAIN_RASTER_INPUT,
        { .name = "featureSize", .type = MR_NUMBER, .unit = MR_METRES, .value = 200, MR_WITHIN(1e-3, TERRAIN_FAR), .doc = "Size of the largest feature, whatever the resolution." },
        { .name = "amplitude", .type = MR_NUMBER, .unit = MR_METRES, .value = 20, MR_WITHIN(-1e9, 1e9), .doc = "What the noise, about -1 to 1, is multiplied by; with ridge 0 to 1." },
        { .name = "octaves", .type = MR_INT, .value = 6, MR_WITHIN(1, 16), .doc = "Layers, each finer than the one before." },
        { .name = "seed", .type = MR_INT, .value = 1, MR_ANY_SEED, .doc = "Another number, another ground." },
        { .name = "ridge", .type = MR_BOOL, .doc = "Fold the noise about 0 and square it: sharp crests and rounded valleys." },
        { .name = "warp", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(0, TERRAIN_FAR), .doc = "How far the ground is pushed about before it is sampled; turns lumps into ridgelines and basins." },
        { .name = "lacunarity", .type = MR_NUMBER, .value = 2, MR_WITHIN(1, 4), .doc = "How many times finer each layer is than the one before." },
        { .name = "gain", .type = MR_NUMBER, .value = 0.5, MR_WITHIN(0, 1), .doc = "How many times as strong." },
        TERRAIN_BLEND_INPUT("add"),
        TERRAIN_LAYER_INPUT,
        TERRAIN_MASK_INPUTS,
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .example = "g.terrain.fbm { raster = g.terrain.source { size = { 512, 512 } }, featureSize = 180, amplitude = 22, seed = 7 }",
    .cook = fbm_cook,
};
