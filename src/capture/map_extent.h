// capture/map_extent.h: which parts of a world its map shows.

#ifndef MARRAM_CAPTURE_MAP_EXTENT_H
#define MARRAM_CAPTURE_MAP_EXTENT_H

#include "capture/map_symbol.h"
#include "data/scene.h"

typedef struct mr_map_rect {
    double x0, z0, x1, z1; // metres
} mr_map_rect;

bool mr_map_rect_is_empty(const mr_map_rect *r);
// Grows by a share of its greater side, and by at least so many metres.
void mr_map_rect_grow(mr_map_rect *r, double share, double least);
// The greater of the shares of the whole's sides.
double mr_map_share(const mr_map_rect *part, const mr_map_rect *whole);

mr_map_rect mr_map_rect_of_grounds(const mr_scene *scene);
// Where things and footprints are; far strays of a crowd are left out.
mr_map_rect mr_map_rect_of_things(const mr_scene *scene, const mr_map_things *things);
// The smallest part of the whole, half as wide again as high, that holds most of the things; false where it would be more
// than a third of the whole, or there is no memory to look (then crowd stays as it is).
bool mr_map_find_crowd(mr_context *context, const mr_map_things *things, const mr_map_rect *whole,
                       mr_map_rect *crowd);
// Where things stand densest: a window that holds about sixty of them, for a map of so many metres a pixel on which they
// cannot be seen as they are. False where they can, or there are few.
bool mr_map_look_closer(mr_context *context, const mr_map_things *things, const mr_map_rect *whole,
                        double step, mr_map_rect *window);

#endif
