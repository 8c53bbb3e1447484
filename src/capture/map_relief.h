// capture/map_relief.h: a panel's ground: heights by pixel, their colours, shading and contours.

#ifndef MARRAM_CAPTURE_MAP_RELIEF_H
#define MARRAM_CAPTURE_MAP_RELIEF_H

#include "capture/map_canvas.h"
#include "data/scene.h"

// A panel's window on the world, pixels square.
typedef struct mr_map_view {
    double x, z;                       // metres at the panel's top left corner
    double step;                       // metres a pixel
    uint32_t left, top, width, height; // pixels
} mr_map_view;

static inline float mr_map_view_x(const mr_map_view *view, double x)
{
    return (float)((x - view->x) / view->step + (double)view->left);
}
static inline float mr_map_view_y(const mr_map_view *view, double z)
{
    return (float)((z - view->z) / view->step + (double)view->top);
}
static inline mr_map_box mr_map_view_box(const mr_map_view *view)
{
    return (mr_map_box){ (float)view->left, (float)view->top, (float)(view->left + view->width),
                         (float)(view->top + view->height) };
}

// What the heights' colours stand for, one for all panels of a map.
typedef struct mr_map_tint {
    bool sea;        // there is water, and land above it
    float level;     // the water's, metres
    float low, high; // of all grounds
} mr_map_tint;

typedef struct mr_map_relief {
    mr_context *context;
    const mr_scene *scene;
    mr_map_view view;
    mr_map_tint tint;
    float *heights;  // (width + 2) * (height + 2): a pixel more on each side; NaN off the ground
    float low, high; // of the panel
    float interval;  // of the contours, metres; every fifth is an index; 0: none
    float upright;   // how many times slopes are steepened for the shading
} mr_map_relief;

bool mr_map_relief_make(mr_context *context, const mr_scene *scene, const mr_map_view *view,
                        const mr_map_tint *tint, mr_map_relief *relief, mr_error *error);
void mr_map_relief_free(mr_map_relief *relief);

// The canvas's backdrop: argument is the relief.
void mr_map_relief_fill(void *argument, uint32_t y, uint32_t begin, uint32_t end, float *pixels);

// The colour of a height on flat ground, for the legend.
mr_map_color mr_map_tint_color(const mr_map_tint *tint, float height);

// The height at a pixel of the panel (0, 0 its first); from -1 to width or height.
static inline float mr_map_relief_at(const mr_map_relief *relief, int32_t x, int32_t y)
{
    return relief->heights[(size_t)(y + 1) * (relief->view.width + 2) + (size_t)(x + 1)];
}

// The largest of 1, 2, 5 times a power of ten that is at most value.
double mr_map_round_step(double value);

#endif
