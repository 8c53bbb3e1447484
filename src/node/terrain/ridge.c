// node/terrain/ridge.c: the rounded hill's profile swept along a line; with a height below 0 a valley.

#include "node/terrain/shared_pass.h"
#include "node/terrain/shared_profile.h"

typedef struct ridge {
    double from[2];
    terrain_line line;
    float radius, per_radius, falloff, height;
} ridge;

static void ridge_fill(const void *shape, const terrain_span *span, float *value, float *weight)
{
    const ridge *r = shape;
    float dz = (float)(span->z - r->from[1]);
    for (size_t i = 0; i < span->count; i++) {
        float distance;
        terrain_line_at(r->line, (float)(span->x[i] - r->from[0]), dz, &distance);
        value[i] = distance * r->per_radius;
        weight[i] = terrain_footprint(distance, r->radius, r->falloff);
    }
    terrain_domes(value, span->count, r->height);
}

static bool ridge_cook(mr_cook *cook, mr_error *error)
{
    const double *from = mr_cook_vector(cook, "from"), *to = mr_cook_vector(cook, "to");
    double radius = mr_cook_number(cook, "radius"), falloff = mr_cook_number(cook, "falloff");
    ridge r = {
        .from = { from[0], from[1] },
        .line = terrain_line_of(from, to),
        .radius = (float)radius,
        .per_radius = (float)(1.0 / radius),
        .falloff = (float)falloff,
        .height = (float)mr_cook_number(cook, "height"),
    };
    return terrain_cook(cook, mr_cook_text(cook, "layer"), mr_cook_choice(cook, "blend"),
                        terrain_around(from, to, radius + falloff), ridge_fill, &r, error);
}

const mr_node mr_node_terrain_ridge = {
    .name = "terrain.ridge",
    .version = 1,
    .summary = "A rounded ridge along a line; a height below 0 cuts the same profile, which is a valley.",
    .inputs = {
        TERRAIN_RASTER_INPUT,
        { .name = "from", .type = MR_VEC2, .unit = MR_METRES, .vector = { -100, 0 }, MR_WITHIN(-TERRAIN_FAR, TERRAIN_FAR), .doc = "One end of the crest, as (x, z)." },
        { .name = "to", .type = MR_VEC2, .unit = MR_METRES, .vector = { 100, 0 }, MR_WITHIN(-TERRAIN_FAR, TERRAIN_FAR), .doc = "The other end." },
        { .name = "radius", .type = MR_NUMBER, .unit = MR_METRES, .value = 60, MR_WITHIN(1e-3, TERRAIN_FAR), .doc = "From the crest to the foot." },
        { .name = "height", .type = MR_NUMBER, .unit = MR_METRES, .value = 40, MR_WITHIN(-1e9, 1e9), .doc = "Of the crest above the foot; below 0 cuts a valley." },
        { .name = "falloff", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(0, TERRAIN_FAR), .doc = "How far beyond the foot a blend other than add takes to let go." },
        TERRAIN_BLEND_INPUT("add"),
        TERRAIN_LAYER_INPUT,
        TERRAIN_MASK_INPUTS,
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .example = "g.terrain.ridge { raster = g.terrain.source { size = { 512, 512 } }, from = { -200, 0 }, to = { 200, 60 }, radius = 80, height = 60 }",
    .cook = ridge_cook,
};
