#include "capture/map_canvas.h"

#include "base/context.h"
#include "base/thread.h"

#include <string.h>

enum { BAND_ROWS = 32 };

void mr_map_canvas_init(mr_map_canvas *canvas, mr_context *context, uint32_t width, uint32_t height)
{
    memset(canvas, 0, sizeof *canvas);
    canvas->context = context;
    canvas->width = width;
    canvas->height = height;
    canvas->paper = mr_map_rgb(0xffffff, 1);
    mr_map_clip_none(canvas);
}

void mr_map_canvas_destroy(mr_map_canvas *canvas)
{
    mr_array_free(canvas->context, &canvas->shapes);
    mr_array_free(canvas->context, &canvas->points);
}

static mr_map_box meet(mr_map_box a, mr_map_box b)
{
    return (mr_map_box){ a.x0 > b.x0 ? a.x0 : b.x0, a.y0 > b.y0 ? a.y0 : b.y0, a.x1 < b.x1 ? a.x1 : b.x1,
                         a.y1 < b.y1 ? a.y1 : b.y1 };
}

void mr_map_clip(mr_map_canvas *canvas, mr_map_box box)
{
    mr_map_clip_none(canvas);
    canvas->clip = meet(canvas->clip, box);
}

void mr_map_clip_none(mr_map_canvas *canvas)
{
    canvas->clip = (mr_map_box){ 0, 0, (float)canvas->width, (float)canvas->height };
}

static void add_shape(mr_map_canvas *canvas, mr_map_shape_kind kind, const mr_map_point *points, size_t count,
                      float width, mr_map_color color)
{
    mr_map_box box = { points[0].x, points[0].y, points[0].x, points[0].y };
    for (size_t i = 1; i < count; i++) {
        box.x0 = points[i].x < box.x0 ? points[i].x : box.x0;
        box.y0 = points[i].y < box.y0 ? points[i].y : box.y0;
        box.x1 = points[i].x > box.x1 ? points[i].x : box.x1;
        box.y1 = points[i].y > box.y1 ? points[i].y : box.y1;
    }
    float reach = (kind == MR_MAP_CONVEX ? 0 : width) + 1;
    box = meet((mr_map_box){ box.x0 - reach, box.y0 - reach, box.x1 + reach, box.y1 + reach }, canvas->clip);
    if (!(box.x0 < box.x1) || !(box.y0 < box.y1)) {
        return; // outside, or not a number
    }
    mr_map_shape shape = { .kind = kind,
                           .first = (uint32_t)canvas->points.count,
                           .count = (uint32_t)count,
                           .width = width,
                           .color = color,
                           .box = box };
    if (canvas->points.count + count > UINT32_MAX ||
        !mr_array_reserve(canvas->context, &canvas->points, canvas->points.count + count) ||
        !mr_array_push(canvas->context, &canvas->shapes, shape)) {
        canvas->failed = true;
        return;
    }
    memcpy(canvas->points.items + canvas->points.count, points, count * sizeof *points);
    canvas->points.count += count;
}

void mr_map_disc(mr_map_canvas *canvas, float x, float y, float radius, mr_map_color color)
{
    mr_map_point at = { x, y };
    add_shape(canvas, MR_MAP_DISC, &at, 1, radius, color);
}

void mr_map_segments(mr_map_canvas *canvas, const mr_map_point *points, size_t count, float width,
                     mr_map_color color)
{
    if (count >= 2) {
        add_shape(canvas, MR_MAP_STROKE, points, count, width / 2, color);
    }
}

void mr_map_line(mr_map_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                 mr_map_color color)
{
    mr_map_point points[2] = { { x0, y0 }, { x1, y1 } };
    mr_map_segments(canvas, points, 2, width, color);
}

void mr_map_polyline(mr_map_canvas *canvas, const mr_map_point *points, size_t count, float width,
                     mr_map_color color)
{
    enum { RUN = 12 };
    mr_map_point pairs[2 * RUN];
    for (size_t begin = 0; begin + 1 < count; begin += RUN) {
        size_t run = count - 1 - begin < RUN ? count - 1 - begin : RUN;
        for (size_t i = 0; i < run; i++) {
            pairs[2 * i] = points[begin + i];
            pairs[2 * i + 1] = points[begin + i + 1];
        }
        mr_map_segments(canvas, pairs, 2 * run, width, color);
    }
}

void mr_map_convex(mr_map_canvas *canvas, const mr_map_point *corners, size_t count, mr_map_color color)
{
    if (count >= 3) {
        add_shape(canvas, MR_MAP_CONVEX, corners, count, 0, color);
    }
}

void mr_map_rectangle(mr_map_canvas *canvas, mr_map_box box, mr_map_color color)
{
    mr_map_point corners[4] = {
        { box.x0, box.y0 }, { box.x1, box.y0 }, { box.x1, box.y1 }, { box.x0, box.y1 }
    };
    mr_map_convex(canvas, corners, 4, color);
}

void mr_map_frame(mr_map_canvas *canvas, mr_map_box box, float width, mr_map_color color)
{
    float w = width;
    mr_map_rectangle(canvas, (mr_map_box){ box.x0 - w, box.y0 - w, box.x1 + w, box.y0 }, color);
    mr_map_rectangle(canvas, (mr_map_box){ box.x0 - w, box.y1, box.x1 + w, box.y1 + w }, color);
    mr_map_rectangle(canvas, (mr_map_box){ box.x0 - w, box.y0, box.x0, box.y1 }, color);
    mr_map_rectangle(canvas, (mr_map_box){ box.x1, box.y0, box.x1 + w, box.y1 }, color);
}

void mr_map_ring(mr_map_canvas *canvas, float x, float y, float radius, float width, mr_map_color color)
{
    // A regular polygon of 24 sides by repeated turning: cos and sin of 15 degrees.
    enum { SIDES = 24 };
    const float c = 0.965925826f;
    const float s = 0.258819045f;
    mr_map_point points[SIDES + 1];
    float dx = radius;
    float dy = 0;
    for (int i = 0; i < SIDES; i++) {
        points[i] = (mr_map_point){ x + dx, y + dy };
        float turned = c * dx - s * dy;
        dy = s * dx + c * dy;
        dx = turned;
    }
    points[SIDES] = points[0];
    mr_map_point pairs[2 * SIDES];
    for (int i = 0; i < SIDES; i++) {
        pairs[2 * i] = points[i];
        pairs[2 * i + 1] = points[i + 1];
    }
    mr_map_segments(canvas, pairs, 2 * (size_t)SIDES, width, color);
}

static float share(float inside)
{
    float value = inside + 0.5f;
    return value <= 0 ? 0 : value >= 1 ? 1 : value;
}

static float disc_share(const mr_map_shape *shape, const mr_map_point *points, float x, float y)
{
    float dx = x - points[0].x;
    float dy = y - points[0].y;
    float squared = dx * dx + dy * dy;
    float outer = shape->width + 0.5f;
    if (squared >= outer * outer) {
        return 0;
    }
    float covered = share(shape->width - __builtin_sqrtf(squared));
    // A disc thinner than a pixel covers its own area of it and no more.
    return shape->width < 0.5f ? covered * (shape->width * 2) : covered;
}

static float squared_distance(const mr_map_point *a, const mr_map_point *b, float x, float y)
{
    float ux = b->x - a->x;
    float uy = b->y - a->y;
    float vx = x - a->x;
    float vy = y - a->y;
    float along = ux * vx + uy * vy;
    float length = ux * ux + uy * uy;
    float t = along <= 0 || length <= 0 ? 0 : along >= length ? 1 : along / length;
    float dx = vx - t * ux;
    float dy = vy - t * uy;
    return dx * dx + dy * dy;
}

static float stroke_share(const mr_map_shape *shape, const mr_map_point *points, float x, float y)
{
    float least = squared_distance(points, points + 1, x, y);
    for (uint32_t i = 2; i + 1 < shape->count; i += 2) {
        float squared = squared_distance(points + i, points + i + 1, x, y);
        least = squared < least ? squared : least;
    }
    float width = shape->width < 0.5f ? 0.5f : shape->width;
    float outer = width + 0.5f;
    if (least >= outer * outer) {
        return 0;
    }
    float covered = share(width - __builtin_sqrtf(least));
    return shape->width < 0.5f ? covered * (shape->width * 2) : covered;
}

static float convex_share(const mr_map_shape *shape, const mr_map_point *points, float x, float y)
{
    float turn = 0;
    for (uint32_t i = 0; i < shape->count && turn == 0; i++) {
        const mr_map_point *a = points + i;
        const mr_map_point *b = points + (i + 1) % shape->count;
        const mr_map_point *c = points + (i + 2) % shape->count;
        turn = (b->x - a->x) * (c->y - b->y) - (b->y - a->y) * (c->x - b->x);
    }
    float side = turn < 0 ? -1.0f : 1.0f;
    float covered = 1;
    for (uint32_t i = 0; i < shape->count; i++) {
        const mr_map_point *a = points + i;
        const mr_map_point *b = points + (i + 1) % shape->count;
        float ux = b->x - a->x;
        float uy = b->y - a->y;
        float length = __builtin_sqrtf(ux * ux + uy * uy);
        if (length <= 0) {
            continue;
        }
        float part = share(side * (ux * (y - a->y) - uy * (x - a->x)) / length);
        // A strip thinner than a pixel is cut from both sides; a product of shares would fade it twice.
        covered = part < 1 ? covered - (1 - part) : covered;
        if (covered <= 0) {
            return 0;
        }
    }
    return covered;
}

static uint32_t pixel_of(float value, uint32_t most)
{
    return value <= 0 ? 0 : value >= (float)most ? most : (uint32_t)value;
}

static void draw_shape(const mr_map_canvas *canvas, const mr_map_shape *shape, uint32_t begin, uint32_t end,
                       float *band)
{
    const mr_map_point *points = canvas->points.items + shape->first;
    uint32_t x0 = pixel_of(shape->box.x0, canvas->width);
    uint32_t x1 = pixel_of(shape->box.x1 + 1, canvas->width);
    uint32_t y0 = pixel_of(shape->box.y0, canvas->height);
    uint32_t y1 = pixel_of(shape->box.y1 + 1, canvas->height);
    y0 = y0 > begin ? y0 : begin;
    y1 = y1 < end ? y1 : end;
    for (uint32_t y = y0; y < y1; y++) {
        float *row = band + (size_t)(y - begin) * canvas->width * 3;
        float at_y = (float)y + 0.5f;
        if (at_y < shape->box.y0 || at_y > shape->box.y1) {
            continue;
        }
        for (uint32_t x = x0; x < x1; x++) {
            float at_x = (float)x + 0.5f;
            if (at_x < shape->box.x0 || at_x > shape->box.x1) {
                continue;
            }
            float covered = shape->kind == MR_MAP_DISC     ? disc_share(shape, points, at_x, at_y)
                            : shape->kind == MR_MAP_STROKE ? stroke_share(shape, points, at_x, at_y)
                                                           : convex_share(shape, points, at_x, at_y);
            float alpha = covered * shape->color.a;
            if (alpha > 0) {
                float *pixel = row + 3 * (size_t)x;
                pixel[0] += (shape->color.r - pixel[0]) * alpha;
                pixel[1] += (shape->color.g - pixel[1]) * alpha;
                pixel[2] += (shape->color.b - pixel[2]) * alpha;
            }
        }
    }
}

static uint8_t byte_of(float value)
{
    float scaled = value * 255.0f + 0.5f;
    return scaled <= 0 ? 0 : scaled >= 255.0f ? 255 : (uint8_t)scaled;
}

typedef struct drawing {
    mr_map_canvas *canvas;
    uint8_t *rgb;
} drawing;

static void fill_backdrop(const mr_map_canvas *canvas, uint32_t begin, uint32_t end, float *band)
{
    for (uint32_t y = begin; y < end; y++) {
        float *row = band + (size_t)(y - begin) * canvas->width * 3;
        for (uint32_t x = 0; x < canvas->width; x++) {
            row[3 * (size_t)x] = canvas->paper.r;
            row[3 * (size_t)x + 1] = canvas->paper.g;
            row[3 * (size_t)x + 2] = canvas->paper.b;
        }
        for (uint32_t i = 0; i < canvas->layer_count; i++) {
            const mr_map_layer *layer = &canvas->layers[i];
            if (y >= layer->y0 && y < layer->y1) {
                layer->fill(layer->argument, y, layer->x0, layer->x1, row + 3 * (size_t)layer->x0);
            }
        }
    }
}

static bool draw_bands(void *argument, size_t first, size_t last, mr_error *error)
{
    const drawing *d = argument;
    const mr_map_canvas *canvas = d->canvas;
    size_t size = (size_t)canvas->width * BAND_ROWS * 3 * sizeof(float);
    float *band = mr_allocate(canvas->context, size);
    if (!band) {
        return mr_fail_memory(error, size);
    }
    for (size_t i = first; i < last; i++) {
        uint32_t begin = (uint32_t)i * BAND_ROWS;
        uint32_t end = begin + BAND_ROWS < canvas->height ? begin + BAND_ROWS : canvas->height;
        fill_backdrop(canvas, begin, end, band);
        for (size_t s = 0; s < canvas->shapes.count; s++) {
            const mr_map_shape *shape = &canvas->shapes.items[s];
            if (shape->box.y1 >= (float)begin && shape->box.y0 <= (float)end) {
                draw_shape(canvas, shape, begin, end, band);
            }
        }
        uint8_t *out = d->rgb + (size_t)begin * canvas->width * 3;
        size_t samples = (size_t)(end - begin) * canvas->width * 3;
        for (size_t k = 0; k < samples; k++) {
            out[k] = byte_of(band[k]);
        }
        if (!mr_keep_going(canvas->context, error)) {
            break;
        }
    }
    mr_free(canvas->context, band);
    return mr_keep_going(canvas->context, error);
}

bool mr_map_canvas_draw(mr_map_canvas *canvas, uint8_t *rgb, mr_error *error)
{
    if (canvas->failed) {
        return mr_fail(error, MR_OUT_OF_MEMORY, "no memory left for the map's %zu shapes",
                       canvas->shapes.count);
    }
    drawing d = { canvas, rgb };
    size_t bands = (canvas->height + BAND_ROWS - 1) / BAND_ROWS;
    return mr_parallel_for(canvas->context, bands, 1, draw_bands, &d, error);
}
