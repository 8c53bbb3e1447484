#include "capture/map.h"

#include "base/context.h"
#include "base/number_text.h"
#include "capture/map_extent.h"
#include "capture/map_panel.h"
#include "io/png.h"

#include <string.h>

enum {
    LEAST_SIZE = 1600,
    MOST_SIZE = 8192,
    LEGEND_ENTRIES = 40,
    FOOTPRINT = 0xb4674f /* colour */,
    LINE_SIZE = 160
};

typedef struct sheet {
    mr_context *context;
    const mr_scene *scene;
    const char *title;
    float unit;
    mr_map_canvas canvas;
    mr_map_things things;
    mr_map_tint tint;
    bool detailed; // the things stand on a small part of the ground, which a second panel shows
    bool closer;   // they crowd all of it; a small second panel shows some as they are
    mr_map_relief reliefs[2];
    mr_map_panel panels[2];
    uint32_t panel_count;
    mr_map_box legend;
    mr_map_point close_head; // where the small panel's heading stands
} sheet;

mr_map_options mr_map_options_default(void)
{
    return (mr_map_options){ .size = 2400 };
}

// --- What to show ---

// The level of the water the grounds say they have (their layers water and waterMask): the one most cells lie under, ties
// to the first met. Of several levels the others are not drawn. False where no ground speaks of water.
static bool find_level(const mr_scene *scene, float *level)
{
    enum { LEVELS = 64 };
    float levels[LEVELS];
    size_t counts[LEVELS] = { 0 };
    size_t count = 0;
    bool spoken = false;
    for (size_t g = 0; g < scene->grounds.count; g++) {
        const mr_raster *raster = scene->grounds.items[g].raster;
        const float *water = mr_raster_layer_read(raster, "water");
        const float *covered = mr_raster_layer_read(raster, "waterMask");
        size_t cells = mr_raster_stride(raster) * mr_raster_rows(raster);
        spoken = spoken || (water && covered);
        for (size_t i = 0; water && covered && i < cells; i++) {
            if (!(covered[i] > 0.5f)) {
                continue;
            }
            size_t k = 0;
            while (k < count && levels[k] != water[i]) {
                k++;
            }
            if (k == count && count < LEVELS) {
                levels[count++] = water[i];
            }
            counts[k < LEVELS ? k : LEVELS - 1]++;
        }
    }
    size_t best = 0;
    for (size_t k = 1; k < count; k++) {
        best = counts[k] > counts[best] ? k : best;
    }
    *level = count > 0 ? levels[best] : -__builtin_inff(); // dry: nothing lies under it
    return spoken;
}

static mr_map_tint measure_tint(const mr_scene *scene)
{
    mr_map_tint tint = { .low = __builtin_inff(), .high = -__builtin_inff() };
    for (size_t i = 0; i < scene->grounds.count; i++) {
        float low;
        float high;
        if (mr_raster_range(scene->grounds.items[i].raster, "height", &low, &high)) {
            tint.low = low < tint.low ? low : tint.low;
            tint.high = high > tint.high ? high : tint.high;
        }
    }
    if (!(tint.low <= tint.high)) {
        tint.low = tint.high = 0;
    }
    if (!find_level(scene, &tint.level)) {
        tint.level = 0;
        tint.sea = tint.low < 0 && tint.high > 0;
    } else {
        tint.sea = tint.low < tint.level && tint.high > tint.level;
    }
    return tint;
}

// A window of the panel's shape with the rect in its middle.
static mr_map_view view_of(const mr_map_rect *r, uint32_t left, uint32_t top, uint32_t width, uint32_t height)
{
    double across = (r->x1 - r->x0) / width;
    double down = (r->z1 - r->z0) / height;
    double step = across > down ? across : down;
    mr_map_view view = {
        .step = step > 0 ? step : 1, .left = left, .top = top, .width = width, .height = height
    };
    view.x = (r->x0 + r->x1) / 2 - view.step * width / 2;
    view.z = (r->z0 + r->z1) / 2 - view.step * height / 2;
    return view;
}

// Slides a window that hangs over the rect's border back onto it, where it fits.
static void slide_onto(mr_map_view *view, const mr_map_rect *r)
{
    double wide = view->step * view->width;
    double high = view->step * view->height;
    if (wide <= r->x1 - r->x0) {
        view->x = view->x < r->x0 ? r->x0 : view->x + wide > r->x1 ? r->x1 - wide : view->x;
    }
    if (high <= r->z1 - r->z0) {
        view->z = view->z < r->z0 ? r->z0 : view->z + high > r->z1 ? r->z1 - high : view->z;
    }
}

// --- Layout ---

static uint32_t px(float value)
{
    return (uint32_t)(value + 0.5f);
}

// The whole ground at the left; at its right the closer panel over the legend, or the legend alone.
static void lay_out(sheet *s, uint32_t size, mr_map_view views[2])
{
    float u = s->unit;
    mr_map_rect whole = mr_map_rect_of_grounds(s->scene);
    mr_map_rect things = mr_map_rect_of_things(s->scene, &s->things);
    if (mr_map_rect_is_empty(&whole)) {
        whole = things;
        if (mr_map_rect_is_empty(&whole)) {
            whole = (mr_map_rect){ -50, -50, 50, 50 };
        }
        mr_map_rect_grow(&whole, 0.08, 10);
    }
    if (!(whole.x0 < whole.x1) || !(whole.z0 < whole.z1)) {
        mr_map_rect_grow(&whole, 0, 1); // a ground of one cell
    }
    if (!mr_map_rect_is_empty(&things)) {
        mr_map_rect_grow(&things, 0.07, 8);
        // A part of the ground worth a panel of its own: where all of it is, else where most things crowd.
        s->detailed =
            s->scene->grounds.count > 0 && (mr_map_share(&things, &whole) < 0.3 ||
                                            mr_map_find_crowd(s->context, &s->things, &whole, &things) ||
                                            mr_map_share(&things, &whole) < 0.5);
    }
    double shape = (whole.x1 - whole.x0) / (whole.z1 - whole.z0);
    shape = shape < 0.6 ? 0.6 : shape > 1.9 ? 1.9 : shape;
    float margin = 48 * u;
    float gutter = 44 * u; // the coordinates' room
    float head = 118 * u;
    float side = s->detailed ? 0 : 400 * u;
    float room = (float)size - 2 * margin - gutter * 1.55f;
    float width = s->detailed ? (room - gutter) * 0.46f : room - side;
    float height = width / (float)shape;
    float most = (float)size - head - gutter - margin * 0.7f;
    if (height > most) {
        height = most;
        width = height * (float)shape;
    }
    float least = 760 * u; // the legend's
    float body = height > least ? height : least;
    uint32_t left = px(margin + gutter * 0.75f);
    uint32_t top = px(head);
    views[0] = view_of(&whole, left, top, px(width), px(height));
    float right = (float)left + width + gutter * (s->detailed ? 1.7f : 0.8f);
    float end = s->detailed ? (float)size - margin : right + side;
    s->legend = (mr_map_box){ right, (float)top, end, (float)top + body };
    mr_map_rect close;
    if (!s->detailed && mr_map_look_closer(s->context, &s->things, &whole, views[0].step, &close)) {
        s->closer = true;
        uint32_t edge = px(side - gutter * 0.75f);
        float above = s->legend.y1 - gutter * 0.75f - (float)edge;
        views[1] = view_of(&close, px(right + gutter * 0.75f), px(above), edge, edge);
        slide_onto(&views[1], &whole);
        s->legend.y1 = above - 62 * u;
        s->close_head = (mr_map_point){ right, above - 16 * u };
    }
    if (s->detailed) {
        float detail = body * 0.63f;
        views[1] = view_of(&things, px(right), top, px(end - right), px(detail));
        slide_onto(&views[1], &whole);
        s->legend.y0 += detail + gutter * 1.1f;
    }
    uint32_t across = px(end + margin);
    uint32_t down = px((float)top + body + gutter + margin * 0.7f);
    // The long side is what was asked for, whatever was rounded on the way.
    if (across >= down) {
        across = size;
    } else {
        down = size;
    }
    mr_map_canvas_init(&s->canvas, s->context, across, down);
    s->canvas.paper = mr_map_rgb(0xf5f0e3, 1);
    s->panel_count = s->detailed || s->closer ? 2 : 1;
}

// --- Legend ---

typedef struct entry {
    const mr_map_kind *kind; // or a line or a patch:
    const char *spine;
    uint32_t patch;
    char text[LINE_SIZE];
    char count[24];
} entry;

static void count_text(size_t count, char out[24])
{
    char digits[24];
    size_t length = mr_text_format(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            out[at++] = ' ';
        }
        out[at++] = digits[i];
    }
    out[at] = 0;
}

static void add_entry(entry *entries, size_t *count, entry made)
{
    if (*count < LEGEND_ENTRIES) {
        entries[(*count)++] = made;
    }
}

// Kinds by how many there are (ties as they come), the world's own parts after the populations', then lines and patches.
static size_t gather_entries(const sheet *s, entry *entries)
{
    enum { MOST_KINDS = 26 };
    size_t count = 0;
    size_t left_out = 0;
    for (int part = 0; part < 2; part++) {
        const mr_map_kind *before = NULL;
        for (;;) {
            const mr_map_kind *best = NULL;
            for (size_t k = 0; k < s->things.kinds.count; k++) {
                const mr_map_kind *kind = &s->things.kinds.items[k];
                bool after =
                    !before || kind->count < before->count || (kind->count == before->count && kind > before);
                if (kind->part == (part == 1) && kind->count > 0 && after &&
                    (!best || kind->count > best->count)) {
                    best = kind;
                }
            }
            if (!best) {
                break;
            }
            before = best;
            if (count >= MOST_KINDS) {
                left_out++;
                continue;
            }
            bool outlined = best->part && mr_map_names_a_footprint(s->scene, best->name);
            entry made = { .kind = outlined ? NULL : best, .patch = outlined ? FOOTPRINT : 0 };
            mr_text_format(made.text, sizeof made.text, "%.40s", best->name);
            count_text(best->count, made.count);
            add_entry(entries, &count, made);
        }
    }
    if (left_out > 0) {
        entry made = { 0 };
        mr_text_format(made.text, sizeof made.text, "and %zu further kinds", left_out);
        add_entry(entries, &count, made);
    }
    for (size_t i = 0; i < s->scene->spines.count && i < 6; i++) {
        entry made = { .spine = s->scene->spines.items[i].name };
        mr_text_format(made.text, sizeof made.text, "%.40s", made.spine);
        add_entry(entries, &count, made);
    }
    return count;
}

static void draw_entry(sheet *s, const entry *e, float x, float y, float width)
{
    float u = s->unit;
    mr_map_style style = { .size = 14 * u, .color = mr_map_rgb(MR_MAP_INK, 1) };
    float middle = y - 7 * u;
    float sign = x + 15 * u;
    if (e->kind) {
        mr_map_symbol_draw(&s->canvas, e->kind, sign, middle, 9.5f * u);
    } else if (e->spine) {
        mr_map_point line[3] = { { x, middle + 3 * u },
                                 { sign, middle - 3 * u },
                                 { x + 30 * u, middle + 1 * u } };
        mr_map_spine_line(&s->canvas, line, 3, mr_map_spine_is_water(e->spine), 4 * u);
    } else if (e->patch) {
        mr_map_box box = { x + 3 * u, middle - 8 * u, x + 27 * u, middle + 8 * u };
        mr_map_rectangle(&s->canvas, box, mr_map_rgb(0x3a241c, 1));
        box = (mr_map_box){ box.x0 + 2 * u, box.y0 + 2 * u, box.x1 - 2 * u, box.y1 - 2 * u };
        mr_map_rectangle(&s->canvas, box, mr_map_rgb(e->patch, 1));
    }
    mr_map_text(&s->canvas, x + 42 * u, y, mr_view_of(e->text), &style);
    style.align = MR_MAP_RIGHT;
    style.color = mr_map_rgb(0x6a645a, 1);
    mr_map_text(&s->canvas, x + width, y, mr_view_of(e->count), &style);
}

// Where the shore stands on the bar of heights, 0..1: the sea gets a third at most, so that the land's colours can be read.
static float shore_of_bar(const sheet *s)
{
    float shore = s->tint.sea ? (s->tint.level - s->tint.low) / (s->tint.high - s->tint.low) : 0;
    return shore > 0.34f ? 0.34f : shore;
}

static float height_on_bar(const sheet *s, float t)
{
    float shore = shore_of_bar(s);
    float base = s->tint.sea ? s->tint.level : s->tint.low;
    return t < shore ? s->tint.low + (base - s->tint.low) * t / shore
                     : base + (s->tint.high - base) * (t - shore) / (1 - shore);
}

static float place_on_bar(const sheet *s, float height)
{
    float shore = shore_of_bar(s);
    float base = s->tint.sea ? s->tint.level : s->tint.low;
    return s->tint.sea && height < base ? shore * (height - s->tint.low) / (base - s->tint.low)
                                        : shore + (1 - shore) * (height - base) / (s->tint.high - base);
}

static void write_metres(sheet *s, float x, float y, float height, const char *unit, mr_map_align align)
{
    mr_map_style style = { .size = 12 * s->unit, .color = mr_map_rgb(MR_MAP_INK, 1), .align = align };
    char number[MR_NUMBER_TEXT_SIZE];
    char text[LINE_SIZE];
    mr_f64_text_general((double)height, 4, number);
    mr_text_format(text, sizeof text, "%s%s", number, unit);
    mr_map_text(&s->canvas, x, y, mr_view_of(text), &style);
}

// The colours of the heights.
static void draw_ramp(sheet *s, mr_map_box box)
{
    enum { STEPS = 96 };
    float u = s->unit;
    float width = box.x1 - box.x0;
    for (int i = 0; i < STEPS; i++) {
        float h = height_on_bar(s, ((float)i + 0.5f) / STEPS);
        mr_map_box part = { box.x0 + width * (float)i / STEPS, box.y0,
                            box.x0 + width * (float)(i + 1) / STEPS + 0.6f, box.y1 };
        mr_map_rectangle(&s->canvas, part, mr_map_tint_color(&s->tint, h));
    }
    mr_map_frame(&s->canvas, box, 1.2f, mr_map_rgb(MR_MAP_INK, 0.9f));
    float y = box.y1 + 22 * u;
    write_metres(s, box.x0, y, s->tint.low, " m", MR_MAP_LEFT);
    write_metres(s, box.x1, y, s->tint.high, " m", MR_MAP_RIGHT);
    if (s->tint.sea) {
        float at = box.x0 + width * shore_of_bar(s);
        mr_map_rectangle(&s->canvas, (mr_map_box){ at - 0.8f, box.y0 - 4 * u, at + 0.8f, box.y1 + 4 * u },
                         mr_map_rgb(0x2b5a74, 1));
        write_metres(s, at, y, s->tint.level, "", MR_MAP_CENTER);
    } else {
        write_metres(s, (box.x0 + box.x1) / 2, y, (s->tint.low + s->tint.high) / 2, "", MR_MAP_CENTER);
    }
}

// How much ground lies at each height, standing on the ramp: bars in its colours.
static void draw_heights(sheet *s, mr_map_box box)
{
    enum { BARS = 56 };
    size_t counts[BARS] = { 0 };
    size_t most = 1;
    const mr_map_relief *relief = &s->reliefs[0];
    for (int32_t y = 0; y < (int32_t)relief->view.height; y++) {
        for (int32_t x = 0; x < (int32_t)relief->view.width; x++) {
            float t = place_on_bar(s, mr_map_relief_at(relief, x, y)) * BARS;
            if (t >= 0) { // not a NaN
                size_t bar = t < BARS - 1 ? (size_t)t : BARS - 1;
                counts[bar]++;
                most = counts[bar] > most ? counts[bar] : most;
            }
        }
    }
    float width = (box.x1 - box.x0) / BARS;
    for (int i = 0; i < BARS; i++) {
        float tall = (box.y1 - box.y0) * (float)counts[i] / (float)most;
        mr_map_box bar = { box.x0 + width * (float)i + 0.5f, box.y1 - tall,
                           box.x0 + width * (float)(i + 1) - 0.5f, box.y1 };
        mr_map_rectangle(&s->canvas, bar,
                         mr_map_tint_color(&s->tint, height_on_bar(s, ((float)i + 0.5f) / BARS)));
    }
}

static void contour_text(const sheet *s, char out[LINE_SIZE])
{
    char first[MR_NUMBER_TEXT_SIZE];
    char second[MR_NUMBER_TEXT_SIZE];
    mr_f64_text_general((double)s->reliefs[0].interval, 6, first);
    mr_f64_text_general((double)s->reliefs[s->panel_count - 1].interval, 6, second);
    if (s->panel_count > 1 && s->reliefs[0].interval != s->reliefs[1].interval) {
        mr_text_format(out, LINE_SIZE, "contours each %s m, close up %s m", first, second);
    } else {
        mr_text_format(out, LINE_SIZE, "contours each %s m", first);
    }
}

static void write_head(sheet *s, float x, float y, mr_view text)
{
    mr_map_style head = {
        .size = 15 * s->unit, .color = mr_map_rgb(0x6a4a2e, 1), .weight = 0.15f, .spread = 0.12f
    };
    mr_map_text(&s->canvas, x, y, text, &head);
}

// Entries in columns from the box's top; answers where they end.
static float draw_entries(sheet *s, mr_map_box box)
{
    float u = s->unit;
    entry entries[LEGEND_ENTRIES];
    size_t count = gather_entries(s, entries);
    float width = box.x1 - box.x0;
    float row = 30 * u;
    size_t rows = (size_t)((box.y1 - box.y0) / row);
    rows = rows < 1 ? 1 : rows;
    size_t fit = (size_t)(width / (225 * u));
    fit = fit < 1 ? 1 : fit;
    size_t columns = (count + rows - 1) / rows;
    columns = s->detailed || columns > fit ? fit : columns < 1 ? 1 : columns;
    rows = (count + columns - 1) / columns;
    float most = (box.y1 - box.y0) / (float)(rows > 0 ? rows : 1);
    row = row > most ? most : row; // a crowded legend closes up
    float gap = 34 * u;
    float column = (width - gap * (float)(columns - 1)) / (float)columns;
    for (size_t i = 0; i < count; i++) {
        draw_entry(s, &entries[i], box.x0 + (column + gap) * (float)(i / rows),
                   box.y0 + row * (float)(i % rows) + 14 * u, column);
    }
    return box.y0 + row * (float)rows;
}

static void draw_legend(sheet *s)
{
    float u = s->unit;
    mr_map_box box = s->legend;
    bool ramp = s->scene->grounds.count > 0 && s->tint.high > s->tint.low;
    float room = !ramp ? 0 : s->detailed ? 64 * u : 92 * u; // the ramp's, at the bottom
    write_head(s, box.x0, box.y0 + 15 * u, MR_VIEW("LEGEND"));
    float end = draw_entries(s, (mr_map_box){ box.x0, box.y0 + 42 * u, box.x1, box.y1 - room });
    if (!ramp) {
        return;
    }
    float bar = s->detailed ? 520 * u : box.x1 - box.x0;
    float y = box.y1 - 30 * u;
    draw_ramp(s, (mr_map_box){ box.x0, y - 18 * u, box.x0 + bar, y });
    char text[LINE_SIZE];
    contour_text(s, text);
    mr_map_style style = { .size = 12 * u, .color = mr_map_rgb(0x6a645a, 1) };
    if (s->detailed) {
        mr_map_text(&s->canvas, box.x0 + bar + 30 * u, y - 4 * u, mr_view_of(text), &style);
        return;
    }
    float top = y - 250 * u;
    if (top > end + 30 * u) {
        draw_heights(s, (mr_map_box){ box.x0, top + 60 * u, box.x1, y - 20 * u });
        write_head(s, box.x0, top + 15 * u, MR_VIEW("HEIGHTS"));
        mr_map_text(&s->canvas, box.x0, top + 42 * u, mr_view_of(text), &style);
    } else {
        mr_map_text(&s->canvas, box.x0, y - 30 * u, mr_view_of(text), &style);
    }
}

// --- Title ---

static void draw_title(sheet *s)
{
    float u = s->unit;
    char title[LINE_SIZE];
    size_t size = mr_text_format(title, sizeof title, "%.80s", s->title && s->title[0] ? s->title : "world");
    size = size < sizeof title ? size : sizeof title - 1;
    for (size_t i = 0; i < size; i++) {
        title[i] = title[i] >= 'a' && title[i] <= 'z' ? (char)(title[i] - 'a' + 'A') : title[i];
    }
    mr_map_style style = {
        .size = 38 * u, .color = mr_map_rgb(MR_MAP_INK, 1), .weight = 0.12f, .spread = 0.24f
    };
    float x = (float)s->panels[0].relief->view.left;
    mr_map_text(&s->canvas, x, 76 * u, (mr_view){ title, size }, &style);
    float after = x + mr_map_text_width((mr_view){ title, size }, &style) + 20 * u;
    char line[LINE_SIZE * 2];
    char things[24];
    count_text(s->things.things.count, things);
    size_t used = mr_text_format(line, sizeof line, "%s things placed", things);
    if (s->scene->grounds.count > 0) {
        const mr_raster *raster = s->scene->grounds.items[0].raster;
        char wide[MR_NUMBER_TEXT_SIZE];
        char high[MR_NUMBER_TEXT_SIZE];
        char cell[MR_NUMBER_TEXT_SIZE];
        mr_f64_text_general((raster->width - 1) * raster->cell, 6, wide);
        mr_f64_text_general((raster->height - 1) * raster->cell, 6, high);
        mr_f64_text_general(raster->cell, 4, cell);
        mr_text_format(line + used, sizeof line - used,
                       "  \xc2\xb7  %s \xc3\x97 %s m of ground in cells of %s m", wide, high, cell);
    }
    mr_map_style small = { .size = 15 * u, .color = mr_map_rgb(0x6a645a, 1), .align = MR_MAP_RIGHT };
    float end = (float)s->canvas.width - 48 * u;
    if (after + mr_map_text_width(mr_view_of(line), &small) < end) {
        mr_map_text(&s->canvas, end, 76 * u, mr_view_of(line), &small);
    }
    mr_map_rectangle(&s->canvas, (mr_map_box){ x, 94 * u, end, 94 * u + 1.6f * u }, mr_map_rgb(0x9a8f7a, 1));
}

// --- All of it ---

static void draw_sheet(sheet *s)
{
    float u = s->unit;
    for (uint32_t i = 0; i < s->panel_count; i++) {
        mr_map_panel *panel = &s->panels[i];
        *panel = (mr_map_panel){ .canvas = &s->canvas,
                                 .scene = s->scene,
                                 .things = &s->things,
                                 .relief = &s->reliefs[i],
                                 .unit = u,
                                 .names = !s->detailed || i == 1 };
        panel->floor = mr_map_panel_floor(panel);
        const mr_map_view *view = &s->reliefs[i].view;
        s->canvas.layers[i] =
            (mr_map_layer){ mr_map_relief_fill, &s->reliefs[i],           view->left,
                            view->top,          view->left + view->width, view->top + view->height };
        s->canvas.layer_count = i + 1;
        mr_map_panel_draw(panel);
        mr_map_panel_frame(panel);
    }
    const mr_map_view *first = &s->reliefs[0].view;
    if (s->panel_count > 1) {
        const mr_map_view *second = &s->reliefs[1].view;
        mr_map_box shown = { mr_map_view_x(first, second->x), mr_map_view_y(first, second->z),
                             mr_map_view_x(first, second->x + second->width * second->step),
                             mr_map_view_y(first, second->z + second->height * second->step) };
        mr_map_frame(&s->canvas, shown, 3.2f * u, mr_map_rgb(0xffffff, 0.75f));
        mr_map_frame(&s->canvas, shown, 1.8f * u, mr_map_rgb(0xa83226, 1));
        mr_map_frame(&s->canvas, mr_map_view_box(second), 3, mr_map_rgb(0xa83226, 1));
    }
    mr_map_north_arrow(&s->canvas, (float)(first->left + first->width) - 46 * u, (float)first->top + 64 * u,
                       30 * u);
    draw_title(s);
    draw_legend(s);
    if (s->closer) {
        write_head(s, s->close_head.x, s->close_head.y, MR_VIEW("CLOSE UP"));
    }
}

static bool draw(sheet *s, uint32_t size, uint8_t **rgb, mr_error *error)
{
    mr_map_view views[2] = { 0 };
    if (!mr_map_things_gather(s->context, s->scene, &s->things, error)) {
        return false;
    }
    s->tint = measure_tint(s->scene);
    lay_out(s, size, views);
    for (uint32_t i = 0; i < s->panel_count; i++) {
        if (!mr_map_relief_make(s->context, s->scene, &views[i], &s->tint, &s->reliefs[i], error)) {
            return false;
        }
    }
    draw_sheet(s);
    size_t bytes = (size_t)s->canvas.width * s->canvas.height * 3;
    uint8_t *pixels = mr_buffer_take(s->context, bytes, error);
    if (!pixels) {
        return false;
    }
    if (!mr_map_canvas_draw(&s->canvas, pixels, error)) {
        mr_buffer_release(s->context, pixels);
        return false;
    }
    *rgb = pixels;
    return true;
}

bool mr_map_draw(mr_context *context, const mr_scene *scene, const mr_map_options *options, uint8_t **rgb,
                 uint32_t *width, uint32_t *height, mr_error *error)
{
    mr_map_options chosen = options ? *options : mr_map_options_default();
    if (chosen.size < LEAST_SIZE || chosen.size > MOST_SIZE) {
        return mr_fail(error, MR_BAD_INPUT, "a map's long side is %u pixels; it must be %d to %d",
                       chosen.size, (int)LEAST_SIZE, (int)MOST_SIZE);
    }
    sheet s = { .context = context,
                .scene = scene,
                .title = chosen.title ? chosen.title : scene->name,
                .unit = (float)chosen.size / 2000 };
    mr_map_canvas_init(&s.canvas, context, 1, 1);
    bool good = draw(&s, chosen.size, rgb, error);
    if (good) {
        *width = s.canvas.width;
        *height = s.canvas.height;
    }
    for (int i = 0; i < 2; i++) {
        mr_map_relief_free(&s.reliefs[i]);
    }
    mr_map_things_free(&s.things);
    mr_map_canvas_destroy(&s.canvas);
    return good;
}

bool mr_map_save(mr_context *context, const mr_scene *scene, const char *path, const mr_map_options *options,
                 mr_error *error)
{
    uint8_t *rgb;
    uint32_t width;
    uint32_t height;
    if (!mr_map_draw(context, scene, options, &rgb, &width, &height, error)) {
        return false;
    }
    bool good = mr_png_save(context, path, rgb, width, height, 3, 8, NULL, 0, error);
    mr_buffer_release(context, rgb);
    return good;
}
