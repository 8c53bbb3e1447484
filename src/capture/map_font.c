// capture/map_font.c: the alphabet.
//
// A glyph is its advance and its strokes on a grid: a capital stands from y = 0 down to the base line y = 16, small letters
// from 5, descenders reach 21. Strokes are parted by '|' and begin with their kind: 'l' straight lines through x,y points;
// 's' smooth (the inner points pull the curve, a quadratic B-spline); 'o' smooth and closed; 'd' a dot.

#include "capture/map_font.h"

// Room between letters beside a glyph's own, on the grid.
static const float tracking = 1.2f;

enum { CAPITAL = 16, CURVE_STEPS = 5, MOST_CONTROLS = 24, MOST_POINTS = 512 };

typedef struct glyph {
    uint32_t point; // Unicode
    unsigned char advance;
    const char *strokes;
} glyph;

#define ROUND "o4,5 1,8 1,13 4,16 6,16 9,13 9,8 6,5" // the body of a b d g o p q

// In the order of their code points.
static const glyph glyphs[] = {
    { ' ', 7, "" },
    { '!', 4, "l2,0 2,11|d2,15" },
    { '"', 7, "l2,0 2,4|l5,0 5,4" },
    { '#', 12, "l4,1 3,15|l9,1 8,15|l1,5 11,5|l1,11 11,11" },
    { '$', 12, "s10,3 9,1 6,1 1,1 1,4 1,7 6,8 11,9 11,12 11,15 6,15 2,15 1,13|l6,-1 6,17" },
    { '%', 13, "l11,0 1,16|o2,0 1,1 1,4 2,5 4,5 5,4 5,1 4,0|o8,11 7,12 7,15 8,16 10,16 11,15 11,12 10,11" },
    { '&', 13, "s12,16 3,7 2,5 2,0 5,0 8,0 8,3 8,6 1,8 1,12 1,16 5,16 9,16 11,10" },
    { '\'', 4, "l2,0 2,4" },
    { '(', 5, "s4,0 1,3 1,9 1,15 4,19" },
    { ')', 5, "s1,0 4,3 4,9 4,15 1,19" },
    { '*', 8, "l4,2 4,10|l1,4 7,8|l1,8 7,4" },
    { '+', 11, "l5,5 5,13|l1,9 9,9" },
    { ',', 4, "l2,15 2,16 1,19" },
    { '-', 7, "l1,10 6,10" },
    { '.', 4, "d2,15" },
    { '/', 8, "l7,0 1,18" },
    { '0', 12, "o4,0 1,4 1,12 4,16 7,16 10,12 10,4 7,0" },
    { '1', 12, "l2,4 6,0 6,16" },
    { '2', 12, "s1,4 1,0 5,0 10,0 10,4 10,7 6,11 1,16|l1,16 10,16" },
    { '3', 12, "s1,3 2,0 5,0 10,0 10,4 10,7 5,7|s5,7 11,7 11,12 11,16 5,16 1,16 1,13" },
    { '4', 12, "l8,16 8,0 1,11 11,11" },
    { '5', 12, "l9,0 2,0 1,7|s1,7 3,6 5,6 10,6 10,11 10,16 5,16 2,16 1,13" },
    { '6', 12, "s9,1 7,0 6,0 1,0 1,9 1,11|o4,6 1,9 1,13 4,16 7,16 10,13 10,9 7,6" },
    { '7', 12, "l1,0 10,0 4,16" },
    { '8', 12, "o4,0 2,2 2,5 4,7 7,7 9,5 9,2 7,0|o4,7 1,9 1,13 4,16 7,16 10,13 10,9 7,7" },
    { '9', 12, "o4,0 1,3 1,7 4,10 7,10 10,7 10,3 7,0|s10,5 10,7 10,16 5,16 4,16 2,15" },
    { ':', 4, "d2,7|d2,15" },
    { ';', 4, "d2,7|l2,15 2,16 1,19" },
    { '<', 10, "l8,5 1,9 8,13" },
    { '=', 11, "l1,7 9,7|l1,11 9,11" },
    { '>', 10, "l1,5 8,9 1,13" },
    { '?', 10, "s1,4 1,0 5,0 9,0 9,4 9,7 5,8 5,12|d5,15" },
    { '@', 15,
      "o6,5 5,6 5,10 6,11 8,11 9,10 9,6 8,5|s9,5 9,12 11,12 13,12 13,7 13,1 7,1 1,1 1,8 1,16 7,16 11,16" },
    { 'A', 12, "l1,16 6,0 11,16|l3,11 9,11" },
    { 'B', 12, "l1,0 1,16|s1,0 5,0 9,0 9,4 9,8 5,8 1,8|s1,8 6,8 10,8 10,12 10,16 6,16 1,16" },
    { 'C', 12, "s11,4 10,0 6,0 1,0 1,8 1,16 6,16 10,16 11,12" },
    { 'D', 13, "l1,0 1,16|s1,0 5,0 11,0 11,8 11,16 5,16 1,16" },
    { 'E', 11, "l9,0 1,0 1,16 9,16|l1,8 8,8" },
    { 'F', 11, "l9,0 1,0 1,16|l1,8 8,8" },
    { 'G', 13, "s11,4 10,0 6,0 1,0 1,8 1,16 6,16 11,16 11,9|l11,9 7,9" },
    { 'H', 13, "l1,0 1,16|l11,0 11,16|l1,8 11,8" },
    { 'I', 4, "l2,0 2,16" },
    { 'J', 10, "s8,0 8,11 8,16 4,16 1,16 1,12" },
    { 'K', 12, "l1,0 1,16|l10,0 1,10|l4,7 11,16" },
    { 'L', 10, "l1,0 1,16 9,16" },
    { 'M', 15, "l1,16 1,0 7,12 13,0 13,16" },
    { 'N', 13, "l1,16 1,0 11,16 11,0" },
    { 'O', 14, "o5,0 1,4 1,12 5,16 8,16 12,12 12,4 8,0" },
    { 'P', 12, "l1,0 1,16|s1,0 6,0 10,0 10,4 10,9 6,9 1,9" },
    { 'Q', 14, "o5,0 1,4 1,12 5,16 8,16 12,12 12,4 8,0|l8,12 13,18" },
    { 'R', 12, "l1,0 1,16|s1,0 6,0 10,0 10,4 10,9 6,9 1,9|l6,9 11,16" },
    { 'S', 12, "s10,3 9,0 6,0 1,0 1,4 1,7 6,8 11,9 11,12 11,16 6,16 2,16 1,13" },
    { 'T', 12, "l0,0 11,0|l5,0 5,16" },
    { 'U', 13, "s1,0 1,11 1,16 6,16 11,16 11,11 11,0" },
    { 'V', 12, "l1,0 6,16 11,0" },
    { 'W', 17, "l1,0 4,16 8,2 12,16 15,0" },
    { 'X', 12, "l1,0 11,16|l11,0 1,16" },
    { 'Y', 12, "l1,0 6,8 11,0|l6,8 6,16" },
    { 'Z', 12, "l1,0 10,0 1,16 10,16" },
    { '[', 6, "l4,0 1,0 1,19 4,19" },
    { '\\', 8, "l1,0 7,18" },
    { ']', 6, "l1,0 4,0 4,19 1,19" },
    { '^', 9, "l1,5 4,0 7,5" },
    { '_', 11, "l0,19 10,19" },
    { '`', 5, "l1,0 3,3" },
    { 'a', 11, ROUND "|l9,5 9,16" },
    { 'b', 11, "l1,0 1,16|" ROUND },
    { 'c', 10, "s9,8 8,5 5,5 1,5 1,10 1,16 5,16 8,16 9,13" },
    { 'd', 11, "l9,0 9,16|" ROUND },
    { 'e', 11, "l1,10 9,10|s9,10 9,5 5,5 1,5 1,10 1,16 5,16 8,16 9,14" },
    { 'f', 7, "s7,0 3,0 3,4 3,10 3,16|l0,6 6,6" },
    { 'g', 11, ROUND "|s9,5 9,17 9,21 5,21 2,21 1,19" },
    { 'h', 11, "l1,0 1,16|s1,10 1,5 5,5 9,5 9,9 9,12 9,16" },
    { 'i', 4, "l2,5 2,16|d2,1" },
    { 'j', 5, "s3,5 3,17 3,21 0,21|d3,1" },
    { 'k', 10, "l1,0 1,16|l8,5 1,12|l4,9 9,16" },
    { 'l', 4, "l2,0 2,16" },
    { 'm', 16, "l1,5 1,16|s1,9 1,5 4,5 8,5 8,9 8,12 8,16|s8,9 8,5 11,5 15,5 15,9 15,12 15,16" },
    { 'n', 11, "l1,5 1,16|s1,10 1,5 5,5 9,5 9,9 9,12 9,16" },
    { 'o', 11, ROUND },
    { 'p', 11, "l1,5 1,21|" ROUND },
    { 'q', 11, "l9,5 9,21|" ROUND },
    { 'r', 8, "l1,5 1,16|s1,10 1,5 5,5 7,5" },
    { 's', 10, "s8,7 8,5 5,5 1,5 1,8 1,10 5,10 9,11 9,13 9,16 5,16 1,16 1,14" },
    { 't', 8, "s3,1 3,11 3,16 6,16 7,16|l0,5 6,5" },
    { 'u', 11, "s1,5 1,11 1,16 5,16 9,16 9,11|l9,5 9,16" },
    { 'v', 10, "l1,5 5,16 9,5" },
    { 'w', 14, "l1,5 4,16 7,6 10,16 13,5" },
    { 'x', 10, "l1,5 8,16|l8,5 1,16" },
    { 'y', 10, "l1,5 5,16|s9,5 6,14 4,21 1,21" },
    { 'z', 10, "l1,5 8,5 1,16 8,16" },
    { '{', 6, "s5,0 3,0 3,3 3,9 1,9|s1,9 3,10 3,15 3,19 5,19" },
    { '|', 4, "l2,0 2,19" },
    { '}', 6, "s1,0 3,0 3,3 3,9 5,9|s5,9 3,10 3,15 3,19 1,19" },
    { '~', 11, "s1,10 2,7 4,8 6,10 8,10 9,8" },
    { 0xb0, 7, "o2,0 1,1 1,4 2,5 4,5 5,4 5,1 4,0" },
    { 0xb7, 4, "d2,10" },
    { 0xd7, 11, "l2,6 8,12|l8,6 2,12" },
    { 0x2013, 11, "l0,10 10,10" },
};

static const glyph missing = { 0xfffd, 11, "l1,1 9,1 9,16 1,16 1,1" };

static const glyph *find_glyph(uint32_t point)
{
    size_t low = 0;
    size_t high = sizeof glyphs / sizeof glyphs[0];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (glyphs[middle].point == point) {
            return &glyphs[middle];
        }
        if (glyphs[middle].point < point) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &missing;
}

static float scale_of(const mr_map_style *style)
{
    return style->size / CAPITAL;
}

float mr_map_text_width(mr_view text, const mr_map_style *style)
{
    float width = 0;
    size_t at = 0;
    while (at < text.size) {
        width += (float)find_glyph(mr_utf8_next(text, &at))->advance + tracking + style->spread * CAPITAL;
    }
    return width * scale_of(style);
}

typedef struct outline {
    mr_map_point points[MOST_POINTS]; // two a segment
    size_t count;
} outline;

static void add_segment(outline *out, mr_map_point a, mr_map_point b)
{
    if (out->count + 2 <= MOST_POINTS) {
        out->points[out->count++] = a;
        out->points[out->count++] = b;
    }
}

static mr_map_point between(mr_map_point a, mr_map_point b)
{
    return (mr_map_point){ (a.x + b.x) / 2, (a.y + b.y) / 2 };
}

// The curve from a to b pulled by c.
static void add_curve(outline *out, mr_map_point a, mr_map_point c, mr_map_point b)
{
    mr_map_point from = a;
    for (int i = 1; i <= CURVE_STEPS; i++) {
        float t = (float)i / CURVE_STEPS;
        float u = 1 - t;
        mr_map_point to = { u * u * a.x + 2 * u * t * c.x + t * t * b.x,
                            u * u * a.y + 2 * u * t * c.y + t * t * b.y };
        add_segment(out, from, to);
        from = to;
    }
}

static void add_stroke(outline *out, char kind, const mr_map_point *p, size_t count)
{
    if (kind == 'd' && count > 0) {
        add_segment(out, p[0], p[0]);
    } else if (kind == 'l') {
        for (size_t i = 0; i + 1 < count; i++) {
            add_segment(out, p[i], p[i + 1]);
        }
    } else if (kind == 's' && count >= 3) {
        mr_map_point from = p[0];
        for (size_t i = 1; i + 1 < count; i++) {
            mr_map_point to = i + 2 < count ? between(p[i], p[i + 1]) : p[i + 1];
            add_curve(out, from, p[i], to);
            from = to;
        }
    } else if (kind == 'o' && count >= 3) {
        for (size_t i = 0; i < count; i++) {
            const mr_map_point *next = &p[(i + 1) % count];
            add_curve(out, between(p[(i + count - 1) % count], p[i]), p[i], between(p[i], *next));
        }
    }
}

static const char *read_number(const char *text, float *number)
{
    float sign = 1;
    if (*text == '-') {
        sign = -1;
        text++;
    }
    float value = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        value = value * 10 + (float)(*text - '0');
    }
    *number = sign * value;
    return text;
}

// A glyph's segments on its own grid.
static void read_glyph(const glyph *from, outline *out)
{
    out->count = 0;
    const char *text = from->strokes;
    while (*text) {
        char kind = *text++;
        mr_map_point controls[MOST_CONTROLS];
        size_t count = 0;
        while (*text && *text != '|') {
            mr_map_point at;
            text = read_number(text, &at.x);
            text = read_number(text + (*text == ',' ? 1 : 0), &at.y);
            text += *text == ' ' ? 1 : 0;
            if (count < MOST_CONTROLS) {
                controls[count++] = at;
            }
        }
        add_stroke(out, kind, controls, count);
        text += *text == '|' ? 1 : 0;
    }
}

static void draw_pass(mr_map_canvas *canvas, float x, float y, mr_view text, const mr_map_style *style,
                      float width, mr_map_color color)
{
    float scale = scale_of(style);
    float ax = style->along_x;
    float ay = style->along_y;
    if (ax == 0 && ay == 0) {
        ax = 1;
    }
    float whole = mr_map_text_width(text, style) - style->spread * style->size;
    float pen = style->align == MR_MAP_LEFT ? 0 : style->align == MR_MAP_CENTER ? -whole / 2 : -whole;
    size_t at = 0;
    while (at < text.size) {
        const glyph *here = find_glyph(mr_utf8_next(text, &at));
        outline out;
        read_glyph(here, &out);
        for (size_t i = 0; i < out.count; i++) {
            float across = pen + out.points[i].x * scale;
            float down = (out.points[i].y - CAPITAL) * scale;
            out.points[i] = (mr_map_point){ x + ax * across - ay * down, y + ay * across + ax * down };
        }
        mr_map_segments(canvas, out.points, out.count, width, color);
        pen += ((float)here->advance + tracking + style->spread * CAPITAL) * scale;
    }
}

void mr_map_text(mr_map_canvas *canvas, float x, float y, mr_view text, const mr_map_style *style)
{
    float width = style->size * (style->weight > 0 ? style->weight : 0.13f);
    width = width < 1.1f ? 1.1f : width;
    if (style->halo.a > 0) {
        draw_pass(canvas, x, y, text, style, width + 0.35f * style->size + 1, style->halo);
    }
    draw_pass(canvas, x, y, text, style, width, style->color);
}
