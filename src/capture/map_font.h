// capture/map_font.h: a drawn alphabet: strokes of one pen, so that text can be of any size, turned, and given a halo.

#ifndef MARRAM_CAPTURE_MAP_FONT_H
#define MARRAM_CAPTURE_MAP_FONT_H

#include "capture/map_canvas.h"

#include "base/text.h"

typedef enum mr_map_align { MR_MAP_LEFT, MR_MAP_CENTER, MR_MAP_RIGHT } mr_map_align;

typedef struct mr_map_style {
    float size;   // pixels, the height of a capital
    float weight; // the pen's width over the size; 0: 0.13
    mr_map_color color;
    mr_map_color halo; // alpha 0: none
    mr_map_align align;
    float along_x, along_y; // unit direction of the line; both 0: to the right
    float spread;           // further room between letters, over the size
} mr_map_style;

// The width of text in pixels.
float mr_map_text_width(mr_view text, const mr_map_style *style);
// Draws one line; (x, y) is on the base line, at its left, middle or right. What the alphabet lacks shows as a box.
void mr_map_text(mr_map_canvas *canvas, float x, float y, mr_view text, const mr_map_style *style);

#endif
