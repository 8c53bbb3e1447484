// node/terrain/ramp.c: a graded slope from one height to another along a line.

#include "node/terrain/shared_pass.h"
#include "node/terrain/shared_profile.h"

typedef struct ramp {
    double from[2];
    terrain_line line;
    float radius, falloff, start, rise;
} ramp;

static void ramp_fill(const void *shape, const terrain_span *span, float *value, float *weight)
{
    const ramp *r = shape;
    float dz = (float)(span->z - r->from[1]);
    for (size_t i = 0; i < span->count; i++) {
        float distance;
        float t = terrain_line_at(r->line, (float)(span->x[i] - r->from[0]), dz, &distance);
        value[i] = r->start + r->rise * t;
        weight[i] = terrain_footprint(distance, r->radius, r->falloff);
    }
}

static bool ramp_cook(mr_cook *cook, mr_error *error)
{
    const double *from = mr_cook_vector(cook, "from"), *to = mr_cook_vector(cook, "to");
    double radius = mr_cook_number(cook, "radius"), falloff = mr_cook_number(cook, "falloff");
    double start = mr_cook_number(cook, "fromHeight");
    ramp r = {
        .from = { from[0], from[1] },
        .line = terrain_line_of(from, to),
        .radius = (float)radius,
        .falloff = (float)falloff,
        .start = (float)start,
        .rise = (float)(mr_cook_number(cook, "toHeight") - start),
    };
    return terrain_cook(cook, mr_cook_text(cook, "layer"), mr_cook_choice(cook, "blend"),
                        terrain_around(from, to, radius + falloff), ramp_fill, &r, error);
}

const mr_node mr_node_terrain_ramp = {
    .name = "terrain.ramp",
    .version = 1,
    .summary = "A graded slope along a line, from one height at its start to another at its end.",
    .inputs = {
        TERRAIN_RASTER_INPUT,
        { .name = "from", .type = MR_VEC2, .unit = MR_METRES, .vector = { -100, 0 }, MR_WITHIN(-TERRAIN_FAR, TERRAIN_FAR), .doc = "The start, as (x, z)." },
        { .name = "to", .type = MR_VEC2, .unit = MR_METRES, .vector = { 100, 0 }, MR_WITHIN(-TERRAIN_FAR, TERRAIN_FAR), .doc = "The end." },
        { .name = "fromHeight", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(-1e9, 1e9), .doc = "The height at the start." },
        { .name = "toHeight", .type = MR_NUMBER, .unit = MR_METRES, .value = 20, MR_WITHIN(-1e9, 1e9), .doc = "The height at the end." },
        { .name = "radius", .type = MR_NUMBER, .unit = MR_METRES, .value = 10, MR_WITHIN(0, TERRAIN_FAR), .doc = "Half the width that is graded; each end is rounded by it and level." },
        { .name = "falloff", .type = MR_NUMBER, .unit = MR_METRES, .value = 10, MR_WITHIN(0, TERRAIN_FAR), .doc = "How far beyond the radius it takes to meet the ground as it was." },
        TERRAIN_BLEND_INPUT("replace"),
        TERRAIN_LAYER_INPUT,
        TERRAIN_MASK_INPUTS,
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .example = "g.terrain.ramp { raster = g.terrain.source { size = { 512, 512 } }, from = { -200, 0 }, to = { 200, 0 }, toHeight = 30, radius = 12 }",
    .cook = ramp_cook,
};
