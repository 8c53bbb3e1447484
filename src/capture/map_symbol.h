// capture/map_symbol.h: what stands in a world, by kind, and how a kind is drawn.

#ifndef MARRAM_CAPTURE_MAP_SYMBOL_H
#define MARRAM_CAPTURE_MAP_SYMBOL_H

#include "capture/map_canvas.h"
#include "data/scene.h"

typedef enum mr_map_symbol {
    MR_MAP_CONIFER,
    MR_MAP_TREE,
    MR_MAP_ROCK,
    MR_MAP_SHRUB,
    MR_MAP_FLOWER,
    MR_MAP_LIGHT,
    MR_MAP_OBJECT,
} mr_map_symbol;

typedef struct mr_map_kind {
    const char *name;
    mr_map_symbol symbol;
    uint32_t color;
    size_t count;
    double radius;  // the mean, metres
    bool part;      // of the world's parts, not of a population
    uint32_t first; // its first thing
} mr_map_kind;

typedef struct mr_map_thing {
    float x, z;   // metres
    float radius; // metres
    uint32_t kind;
} mr_map_thing;

typedef struct mr_map_things {
    mr_context *context;
    mr_arena arena;
    MR_ARRAY(mr_map_kind) kinds;
    MR_ARRAY(mr_map_thing) things; // in the scene's order
    uint32_t *order;               // of drawing: kinds of great things first, each in the scene's order
} mr_map_things;

// Everything placed: items of populations, and entities that show a model. A thing's radius is half the greater side of its
// model on the plan, at its size; without a model an item's room.
bool mr_map_things_gather(mr_context *context, const mr_scene *scene, mr_map_things *things, mr_error *error);
void mr_map_things_free(mr_map_things *things);

// Draws one at (x, y) with a radius in pixels.
void mr_map_symbol_draw(mr_map_canvas *canvas, const mr_map_kind *kind, float x, float y, float radius);

#endif
