// capture/map_canvas.h: a list of shapes in the order they lie on one another, and its drawing, anti-aliased.
//
// Shapes are covered by distance: a pixel's share is how far its centre lies within the outline, cut to 0..1. Only sums,
// products, quotients and square roots are used, so the pixels are the same everywhere; bands of rows are drawn beside
// each other and each takes the shapes in list order, so the threads do not show.

#ifndef MARRAM_CAPTURE_MAP_CANVAS_H
#define MARRAM_CAPTURE_MAP_CANVAS_H

#include "base/array.h"

typedef struct mr_map_color {
    float r, g, b; // 0..1, as shown (sRGB)
    float a;
} mr_map_color;

static inline mr_map_color mr_map_rgb(uint32_t hex, float alpha)
{
    return (mr_map_color){ (float)(hex >> 16 & 255) / 255.0f, (float)(hex >> 8 & 255) / 255.0f,
                           (float)(hex & 255) / 255.0f, alpha };
}

typedef struct mr_map_box {
    float x0, y0, x1, y1; // pixels, y downwards
} mr_map_box;

typedef enum mr_map_shape_kind {
    MR_MAP_DISC,   // points[first]: centre and radius
    MR_MAP_STROKE, // segments of one pen, as one shape
    MR_MAP_CONVEX, // corners in either turn
} mr_map_shape_kind;

typedef struct mr_map_shape {
    mr_map_shape_kind kind;
    uint32_t first; // of the canvas's points
    uint32_t count; // points
    float width;    // half the pen's, or the disc's radius
    mr_map_color color;
    mr_map_box box; // what it may touch, cut to what it is clipped to
} mr_map_shape;

typedef struct mr_map_point {
    float x, y;
} mr_map_point;

// Fills the pixels of a row below the shapes: x from begin to end, three floats each.
typedef void (*mr_map_backdrop)(void *argument, uint32_t y, uint32_t begin, uint32_t end, float *pixels);

typedef struct mr_map_layer {
    mr_map_backdrop fill;
    void *argument;
    uint32_t x0, y0, x1, y1; // pixels
} mr_map_layer;

enum { MR_MAP_LAYERS = 4 };

typedef struct mr_map_canvas {
    mr_context *context;
    uint32_t width, height;
    mr_map_color paper;
    MR_ARRAY(mr_map_shape) shapes;
    MR_ARRAY(mr_map_point) points;
    mr_map_box clip; // of the shapes added from now on
    mr_map_layer layers[MR_MAP_LAYERS];
    uint32_t layer_count;
    bool failed; // no memory for a shape; said by mr_map_canvas_draw
} mr_map_canvas;

void mr_map_canvas_init(mr_map_canvas *canvas, mr_context *context, uint32_t width, uint32_t height);
void mr_map_canvas_destroy(mr_map_canvas *canvas);
void mr_map_clip(mr_map_canvas *canvas, mr_map_box box);
void mr_map_clip_none(mr_map_canvas *canvas);

void mr_map_disc(mr_map_canvas *canvas, float x, float y, float radius, mr_map_color color);
void mr_map_line(mr_map_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                 mr_map_color color);
// A line through the points, as one shape; for long ones call it in pieces.
void mr_map_polyline(mr_map_canvas *canvas, const mr_map_point *points, size_t count, float width,
                     mr_map_color color);
// Segments that need not meet: two points each.
void mr_map_segments(mr_map_canvas *canvas, const mr_map_point *points, size_t count, float width,
                     mr_map_color color);
void mr_map_convex(mr_map_canvas *canvas, const mr_map_point *corners, size_t count, mr_map_color color);
void mr_map_rectangle(mr_map_canvas *canvas, mr_map_box box, mr_map_color color);
void mr_map_frame(mr_map_canvas *canvas, mr_map_box box, float width, mr_map_color color);
void mr_map_ring(mr_map_canvas *canvas, float x, float y, float radius, float width, mr_map_color color);

// Draws everything into width * height * 3 bytes.
bool mr_map_canvas_draw(mr_map_canvas *canvas, uint8_t *rgb, mr_error *error);

#endif
