// node/terrain/source.c: the rect of ground a graph starts from.

#include "node/terrain/shared_rect.h"

static bool source_cook(mr_cook *cook, mr_error *error)
{
    mr_raster *raster =
        terrain_rect(cook->context, mr_cook_vector(cook, "size"), mr_cook_vector(cook, "origin"),
                     mr_cook_number(cook, "resolution"), (uint32_t)mr_cook_integer(cook, "margin"), error);
    if (!raster) {
        return false;
    }
    if (!mr_raster_layer_write(raster, "height", (float)mr_cook_number(cook, "height"), error)) {
        mr_raster_release(raster);
        return false;
    }
    mr_cook_set_raster(cook, "raster", raster);
    return true;
}

const mr_node mr_node_terrain_source = {
    .name = "terrain.source",
    .version = 1,
    .summary = "A rect of level ground: a raster with a height layer. Cells stand on the rect's border and every resolution metres.",
    .inputs = {
        { .name = "size", .type = MR_VEC2, .unit = MR_METRES, .vector = { 1024, 1024 }, MR_WITHIN(1e-6, TERRAIN_FAR), .doc = "Of the rect along x and z." },
        { .name = "resolution", .type = MR_NUMBER, .unit = MR_METRES, .value = 1, MR_WITHIN(1e-6, 1e6), .doc = "From one cell to the next." },
        { .name = "origin", .type = MR_VEC2, .unit = MR_METRES, MR_WITHIN(-TERRAIN_FAR, TERRAIN_FAR), .doc = "The rect's middle, as (x, z)." },
        { .name = "height", .type = MR_NUMBER, .unit = MR_METRES, .value = 0, MR_WITHIN(-1e9, 1e9), .doc = "What the ground starts at." },
        { .name = "margin", .type = MR_INT, .value = MR_RASTER_DEFAULT_MARGIN, MR_WITHIN(0, 4096), .doc = "Cells kept past the rect on each side, for what looks beyond a cell." },
    },
    .outputs = TERRAIN_RASTER_OUTPUTS,
    .example = "g.terrain.source { size = { 2048, 2048 }, resolution = 2 }",
    .cook = source_cook,
};
