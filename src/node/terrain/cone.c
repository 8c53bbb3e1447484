// node/terrain/cone.c: a rounded hill, or with a height below 0 a crater.

#include "node/terrain/shared_pass.h"
#include "node/terrain/shared_profile.h"

typedef struct cone {
    double at[2];
    float radius, per_radius, falloff, height;
} cone;

static void cone_fill(const void *shape, const terrain_span *span, float *value, float *weight)
{
    const cone *c = shape;
    float dz = (float)(span->z - c->at[1]);
    for (size_t i = 0; i < span->count; i++) {
        float distance = terrain_distance(TERRAIN_DISC, (float)(span->x[i] - c->at[0]), dz);
        value[i] = distance * c->per_radius;
        weight[i] = terrain_footprint(distance, c->radius, c->falloff);
    }
    terrain_domes(value, span->count, c->height);
}

static bool cone_cook(mr_cook *cook, mr_error *error)
{
    const double *at = mr_cook_vector(cook, "at");
    double radius = mr_cook_number(cook, "radius"), falloff = mr_cook_number(cook, "falloff");
    cone c = {
        .at = { at[0], at[1] },
        .radius = (float)radius,
        .per_radius = (float)(1.0 / radius),
        .falloff = (float)falloff,
        .height = (float)mr_cook_number(cook, "height"),
    };
    return terrain_cook(cook, mr_cook_text(cook, "layer"), mr_cook_choice(cook, "blend"),
                        terrain_around(c.at, c.at, radius + falloff), cone_fill, &c, error);
}

const mr_node mr_node_terrain_cone = {
    .name = "terrain.cone",
    .version = 1,
    .summary = "A rounded hill (a crater where the height is below 0), level at its top and at its rim.",
    .inputs = {
        TERRAIN_RASTER_INPUT,
        TERRAIN_AT_INPUT,
        { .name = "radius", .type = MR_NUMBER, .unit = MR_METRES, .value = 100, MR_WITHIN(1e-3, TERRAIN_FAR), .doc = "From the top to the rim." },
        { .name = "height", .type = MR_NUMBER, .unit = MR_METRES, .value = 40, MR_WITHIN(-1e9, 1e9), .doc = "Of the top above the rim; below 0 cuts a crater." },
        { .name = "falloff", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(0, TERRAIN_FAR), .doc = "How far beyond the rim a blend other than add takes to let go." },
        TERRAIN_BLEND_INPUT("add"),
        TERRAIN_LAYER_INPUT,
        TERRAIN_MASK_INPUTS,
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .example = "g.terrain.cone { raster = g.terrain.source { size = { 512, 512 } }, at = { 40, -20 }, radius = 120, height = 60 }",
    .cook = cone_cook,
};
