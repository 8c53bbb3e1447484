// node/terrain/coast.c: ground outside a landmass pulled down to the seabed.

#include "node/terrain/shared_pass.h"
#include "node/terrain/shared_profile.h"

typedef struct coast {
    double at[2];
    terrain_shape shape;
    float radius, falloff, seabed;
    const float *land; // a painted landmass, or NULL
    size_t stride;
    float gain;
} coast;

static void coast_fill(const void *shape, const terrain_span *span, float *value, float *weight)
{
    const coast *c = shape;
    if (c->land) {
        const float *land = c->land + span->row * c->stride + span->column;
        for (size_t i = 0; i < span->count; i++) {
            float covered = land[i] * c->gain;
            covered = covered > 0.0f ? covered : 0.0f;
            value[i] = c->seabed;
            weight[i] = 1.0f - (covered < 1.0f ? covered : 1.0f);
        }
        return;
    }
    float dz = (float)(span->z - c->at[1]);
    for (size_t i = 0; i < span->count; i++) {
        float distance = terrain_distance(c->shape, (float)(span->x[i] - c->at[0]), dz);
        value[i] = c->seabed;
        weight[i] = 1.0f - terrain_footprint(distance, c->radius, c->falloff);
    }
}

static bool coast_cook(mr_cook *cook, mr_error *error)
{
    const double *at = mr_cook_vector(cook, "at");
    const char *land = mr_cook_text(cook, "land");
    const mr_raster *raster = mr_cook_raster(cook, "raster");
    coast c = {
        .at = { at[0], at[1] },
        .shape = mr_cook_choice(cook, "shape"),
        .radius = (float)mr_cook_number(cook, "radius"),
        .falloff = (float)mr_cook_number(cook, "falloff"),
        .seabed = (float)mr_cook_number(cook, "seabed"),
        .stride = mr_raster_stride(raster),
        .gain = (float)mr_cook_number(cook, "landGain"),
    };
    if (*land && strcmp(land, "height") == 0) {
        return mr_fail(error, MR_BAD_INPUT,
                       "land names the layer \"height\"; it must be one that says where land is");
    }
    if (*land && !terrain_layer_of(raster, "land", land, &c.land, error)) {
        return false;
    }
    return terrain_cook(cook, "height", MR_BLEND_REPLACE, terrain_everywhere(), coast_fill, &c, error);
}

const mr_node mr_node_terrain_coast = {
    .name = "terrain.coast",
    .version = 1,
    .summary = "Pulls the ground outside a landmass down to the seabed, by distance from a point or by a painted layer.",
    .inputs = {
        TERRAIN_RASTER_INPUT,
        TERRAIN_AT_INPUT,
        { .name = "radius", .type = MR_NUMBER, .unit = MR_METRES, .value = 300, MR_WITHIN(0, TERRAIN_FAR), .doc = "Within it the ground is left as it is." },
        { .name = "falloff", .type = MR_NUMBER, .unit = MR_METRES, .value = 150, MR_WITHIN(0, TERRAIN_FAR), .doc = "How far beyond the radius the ground takes to reach the seabed." },
        { .name = "seabed", .type = MR_NUMBER, .unit = MR_METRES, .value = -20, MR_WITHIN(-1e9, 1e9), .doc = "The height of all ground past the falloff." },
        TERRAIN_SHAPE_INPUT,
        { .name = "land", .type = MR_TEXT, .text = "", .doc = "A layer that says where land is, 1 land to 0 seabed, in place of at, radius and falloff; empty: none." },
        { .name = "landGain", .type = MR_NUMBER, .value = 1, MR_WITHIN(0, 1e6), .doc = "What the land layer is multiplied by before it is held to 0..1." },
        TERRAIN_MASK_INPUTS,
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .example = "g.terrain.coast { raster = g.terrain.source { size = { 1024, 1024 }, height = 8 }, radius = 300, falloff = 150, seabed = -12 }",
    .cook = coast_cook,
};
