// node/terrain/flatten.c: ground levelled to one height inside a disc or square.

#include "node/terrain/shared_pass.h"
#include "node/terrain/shared_profile.h"

typedef struct flatten {
    double at[2];
    terrain_shape shape;
    float radius, falloff, height;
} flatten;

static void flatten_fill(const void *shape, const terrain_span *span, float *value, float *weight)
{
    const flatten *f = shape;
    float dz = (float)(span->z - f->at[1]);
    for (size_t i = 0; i < span->count; i++) {
        float distance = terrain_distance(f->shape, (float)(span->x[i] - f->at[0]), dz);
        value[i] = f->height;
        weight[i] = terrain_footprint(distance, f->radius, f->falloff);
    }
}

static bool flatten_cook(mr_cook *cook, mr_error *error)
{
    const double *at = mr_cook_vector(cook, "at");
    double radius = mr_cook_number(cook, "radius"), falloff = mr_cook_number(cook, "falloff");
    flatten f = {
        .at = { at[0], at[1] },
        .shape = mr_cook_choice(cook, "shape"),
        .radius = (float)radius,
        .falloff = (float)falloff,
        .height = (float)mr_cook_number(cook, "height"),
    };
    return terrain_cook(cook, mr_cook_text(cook, "layer"), mr_cook_choice(cook, "blend"),
                        terrain_around(f.at, f.at, radius + falloff), flatten_fill, &f, error);
}

const mr_node mr_node_terrain_flatten = {
    .name = "terrain.flatten",
    .version = 1,
    .summary = "Levels the ground to one height inside a disc or square, settling into it across the falloff.",
    .inputs = {
        TERRAIN_RASTER_INPUT,
        TERRAIN_AT_INPUT,
        { .name = "radius", .type = MR_NUMBER, .unit = MR_METRES, .value = 50, MR_WITHIN(0, TERRAIN_FAR), .doc = "How far the level ground reaches from its middle." },
        { .name = "falloff", .type = MR_NUMBER, .unit = MR_METRES, .value = 25, MR_WITHIN(0, TERRAIN_FAR), .doc = "How far beyond the radius it takes to meet the ground as it was." },
        { .name = "height", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(-1e9, 1e9), .doc = "The height levelled to." },
        TERRAIN_SHAPE_INPUT,
        TERRAIN_BLEND_INPUT("replace"),
        TERRAIN_LAYER_INPUT,
        TERRAIN_MASK_INPUTS,
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .example = "g.terrain.flatten { raster = g.terrain.source { size = { 512, 512 } }, at = { 40, -20 }, radius = 60, height = 4 }",
    .cook = flatten_cook,
};
