// node/terrain/project.c: a curve drives the ground by its distance in the plan: a road, a riverbed, a long ramp.

#include "node/terrain/shared_polyline.h"
#include "node/terrain/shared_profile.h"

typedef struct project {
    terrain_polyline line;
    bool curve_height;
    float width, falloff;
    double reach, from, rise_over_length;
} project;

static void project_fill(const void *shape, const terrain_span *span, float *value, float *weight)
{
    const project *p = shape;
    terrain_near near[TERRAIN_TILE_WIDTH];
    terrain_polyline_near(&p->line, span, p->reach, near);
    for (size_t i = 0; i < span->count; i++) {
        value[i] = (float)(p->curve_height ? near[i].height : p->from + near[i].along * p->rise_over_length);
        weight[i] = terrain_footprint((float)near[i].distance, p->width, p->falloff);
    }
}

static bool project_cook(mr_cook *cook, mr_error *error)
{
    double width = mr_cook_number(cook, "width"), falloff = mr_cook_number(cook, "falloff");
    project p = { .curve_height = mr_cook_boolean(cook, "useCurveHeight"),
                  .width = (float)width,
                  .falloff = (float)falloff,
                  .reach = (double)(float)width + (double)(float)falloff,
                  .from = mr_cook_number(cook, "fromHeight") };
    if (!terrain_polyline_of(cook, p.curve_height, &p.line, error)) {
        return false;
    }
    double rise = mr_cook_number(cook, "toHeight") - p.from;
    p.rise_over_length = p.line.length > 0 ? rise / p.line.length : 0;
    const double low[2] = { p.line.bounds.low_x, p.line.bounds.low_z };
    const double high[2] = { p.line.bounds.high_x, p.line.bounds.high_z };
    bool good = terrain_cook(cook, mr_cook_text(cook, "layer"), mr_cook_choice(cook, "blend"),
                             terrain_around(low, high, p.reach), project_fill, &p, error);
    terrain_polyline_end(&p.line);
    return good;
}

const mr_node mr_node_terrain_project = {
    .name = "terrain.project",
    .version = 1,
    .summary = "A curve drives the ground by distance to it in the plan: to its own height, or graded from its start to its end.",
    .inputs = {
        TERRAIN_RASTER_INPUT,
        TERRAIN_CURVE_INPUTS,
        { .name = "width", .type = MR_NUMBER, .unit = MR_METRES, .value = 4, MR_WITHIN(0, TERRAIN_FAR), .doc = "Within it of the curve, on either side, the ground takes the height whole." },
        { .name = "falloff", .type = MR_NUMBER, .unit = MR_METRES, .value = 4, MR_WITHIN(0, TERRAIN_FAR), .doc = "How far beyond the width it takes to meet the ground as it was." },
        { .name = "useCurveHeight", .type = MR_BOOL, .doc = "Take the curve's own y at its nearest place, in place of fromHeight and toHeight." },
        { .name = "fromHeight", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(-1e9, 1e9), .doc = "The height at the curve's start." },
        { .name = "toHeight", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(-1e9, 1e9), .doc = "The height at its end; between them by length along the curve in the plan." },
        TERRAIN_BLEND_INPUT("replace"),
        TERRAIN_LAYER_INPUT,
        TERRAIN_MASK_INPUTS,
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .example = "g.terrain.project { raster = g.terrain.source { size = { 512, 512 } }, points = { { -200, 0 }, { 0, 60 }, { 200, 0 } }, width = 5, falloff = 12, fromHeight = 2, toHeight = 14 }",
    .cook = project_cook,
};
