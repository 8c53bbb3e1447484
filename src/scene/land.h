// scene/land.h: the ground as questions: height, slope, normal, named layers, distances to its spines.

#ifndef MARRAM_SCENE_LAND_H
#define MARRAM_SCENE_LAND_H

#include "data/raster.h"
#include "scene/spine.h"

enum { MR_LAND_SPINES = 16 };

typedef struct mr_land {
    mr_refs refs;
    mr_context *context;
    mr_raster *raster;
    float reach;   // metres: the farthest a spine's distance is known
    float outside; // the height off the rect
    size_t spine_count;
    struct {
        char name[32];
        mr_spine *spine;
    } spines[MR_LAND_SPINES];
} mr_land;

// Takes its own references. Errors: a raster without a height layer, reach not more than 0.
mr_land *mr_land_create(mr_context *context, mr_raster *raster, float reach, float outside, mr_error *error);
bool mr_land_add_spine(mr_land *land, const char *name, mr_spine *spine, mr_error *error);
mr_land *mr_land_retain(mr_land *land);
void mr_land_release(mr_land *land);

// Whether (x, z) lies on the rect (its border included).
bool mr_land_holds(const mr_land *land, float x, float z);
// On the triangles of the cell, the same that are drawn (split by the diagonal from the corner one cell along +z to the
// corner one along +x); `outside` off the rect. Cell numbers are found in f64, the rest is f32.
float mr_land_height(const mr_land *land, float x, float z);
// Rise over run: the length of the central differences of height 1 m either side.
float mr_land_slope(const mr_land *land, float x, float z);
void mr_land_normal(const mr_land *land, float x, float z, float normal[3]);
// A named layer, bilinear; 0 off the rect. layer: its place among the raster's layers.
float mr_land_layer(const mr_land *land, uint32_t layer, float x, float z);
// exactly min(distance in plan to the spine's line, reach)
float mr_land_spine_distance(const mr_land *land, size_t spine, float x, float z);

// The same for runs of places; safe from any thread.
void mr_land_heights(const mr_land *land, const float *x, const float *z, float *out, size_t count);
void mr_land_slopes(const mr_land *land, const float *x, const float *z, float *out, size_t count);
void mr_land_layers(const mr_land *land, uint32_t layer, const float *x, const float *z, float *out,
                    size_t count);
void mr_land_spine_distances(const mr_land *land, size_t spine, const float *x, const float *z, float *out,
                             size_t count);

#endif
