// node/terrain/sea.c: water over all ground that stands below a level.

#include "node/terrain/shared_pass.h"

typedef struct sea {
    const mr_raster *raster;
    const float *height;
    float *water, *covered;
    terrain_mask mask;
    mr_blend blend;
    float level;
} sea;

static void sea_tile(void *argument, const terrain_tile *tile)
{
    const sea *s = argument;
    size_t stride = mr_raster_stride(s->raster);
    for (size_t j = 0; j < tile->rows; j++) {
        size_t at = (tile->top + j) * stride + tile->left;
        for (size_t i = at; i < at + tile->width; i++) {
            float weight = terrain_mask_at(&s->mask, i);
            if (!(s->height[i] < s->level) || !(weight > 0.0f)) {
                continue;
            }
            // Where no water stood there is no surface to blend with.
            s->water[i] =
                s->covered[i] > 0.0f ? mr_blend_at(s->blend, s->water[i], s->level, weight) : s->level;
            s->covered[i] = s->covered[i] > weight ? s->covered[i] : weight;
        }
    }
}

static bool sea_cook(mr_cook *cook, mr_error *error)
{
    mr_raster *raster = mr_cook_take_raster(cook, "raster", error);
    if (!raster) {
        return false;
    }
    sea s = { .raster = raster,
              .blend = mr_cook_choice(cook, "blend"),
              .level = (float)mr_cook_number(cook, "level") };
    bool good = terrain_layer_of(raster, "raster", "height", &s.height, error) &&
                (s.water = mr_raster_layer_write(raster, "water", 0.0f, error)) &&
                (s.covered = mr_raster_layer_write(raster, "waterMask", 0.0f, error)) &&
                terrain_mask_of(cook, raster, &s.mask, error) &&
                terrain_tiles(raster, terrain_everywhere(), sea_tile, &s, error);
    if (!good) {
        mr_raster_release(raster);
        return false;
    }
    mr_cook_set_raster(cook, "raster", raster);
    return true;
}

const mr_node mr_node_terrain_sea = {
    .name = "terrain.sea",
    .version = 1,
    .summary = "Floods all ground below a level: the layer water holds the surface's height, waterMask where it is (1).",
    .inputs = {
        TERRAIN_RASTER_INPUT,
        { .name = "level", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(-1e9, 1e9), .doc = "The height of the surface." },
        { .name = "blend", .type = MR_CHOICE, .choices = MR_BLEND_CHOICES, .text = "max", .doc = "How the surface meets water that stands there already; max does not mind the order." },
        TERRAIN_MASK_INPUTS,
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .example = "g.terrain.sea { raster = g.terrain.source { size = { 512, 512 }, height = -3 }, level = 0 }",
    .cook = sea_cook,
};
