// capture/map_panel.h: what lies on a panel's ground, and what stands round it.

#ifndef MARRAM_CAPTURE_MAP_PANEL_H
#define MARRAM_CAPTURE_MAP_PANEL_H

#include "capture/map_font.h"
#include "capture/map_relief.h"
#include "capture/map_symbol.h"

#define MR_MAP_INK 0x2b2a28

typedef struct mr_map_panel {
    mr_map_canvas *canvas;
    const mr_scene *scene;
    const mr_map_things *things;
    const mr_map_relief *relief;
    float unit;  // pixels of a two-thousandth of the map's long side
    bool names;  // names are written on it
    float floor; // the least radius a thing shows with, pixels; worked out by mr_map_panel_floor
} mr_map_panel;

// The least radius things need on the panel to be seen without hiding each other.
float mr_map_panel_floor(const mr_map_panel *panel);
// Grid, contour figures, footprints, spines, things, names.
void mr_map_panel_draw(const mr_map_panel *panel);
// The frame, the coordinates along it, and the scale bar.
void mr_map_panel_frame(const mr_map_panel *panel);
void mr_map_north_arrow(mr_map_canvas *canvas, float x, float y, float size);

// Whether a part of this name has a footprint, which is drawn in its place.
bool mr_map_names_a_footprint(const mr_scene *scene, const char *name);

// A spine's look: whether it is water.
bool mr_map_spine_is_water(const char *name);
void mr_map_spine_line(mr_map_canvas *canvas, const mr_map_point *points, size_t count, bool water,
                       float width);

#endif
