// capture/map.h: a world as a map to look at.
//
// Shaded relief with colours by height and depth, contour lines, spines, footprints, and every placed thing as a symbol at
// its true size (or just large enough to be seen), with legend, scale bars, north (-z) and coordinates. Where the things
// stand on a small part of the ground a second panel shows that part closer. The pixels are worked with sums, products,
// quotients and square roots alone: the same on every machine and for any number of threads.

#ifndef MARRAM_CAPTURE_MAP_H
#define MARRAM_CAPTURE_MAP_H

#include "data/scene.h"

typedef struct mr_map_options {
    uint32_t size;     // pixels of the long side, 1600..8192
    const char *title; // NULL: the scene's name
} mr_map_options;
mr_map_options mr_map_options_default(void); // 2400 pixels, the scene's name

// Draws into *rgb (width * height * 3 bytes, row 0 at the top); let go of it with mr_buffer_release. Errors: MR_BAD_INPUT
// (size), MR_LIMIT, MR_OUT_OF_MEMORY, MR_CANCELLED.
bool mr_map_draw(mr_context *context, const mr_scene *scene, const mr_map_options *options, uint8_t **rgb,
                 uint32_t *width, uint32_t *height, mr_error *error);
// Draws and writes a PNG. options may be NULL.
bool mr_map_save(mr_context *context, const mr_scene *scene, const char *path, const mr_map_options *options,
                 mr_error *error);

#endif
