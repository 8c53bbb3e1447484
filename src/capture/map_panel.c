#include "capture/map_panel.h"

#include "base/number_text.h"

#include <string.h>

enum { LABELS = 96, NAME_SIZE = 64 };

static bool holds(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

bool mr_map_spine_is_water(const char *name)
{
    return holds(name, "brook") || holds(name, "stream") || holds(name, "river") || holds(name, "creek") ||
           holds(name, "water") || holds(name, "beck") || holds(name, "burn");
}

// The last name of a path, without an index.
static mr_view last_name(const char *path)
{
    mr_view name = mr_view_of(path);
    size_t end = name.size;
    size_t depth = 0;
    for (size_t i = name.size; i-- > 0;) {
        if (name.data[i] == ']') {
            depth++;
        } else if (name.data[i] == '[' && depth > 0) {
            depth--;
            end = depth == 0 ? i : end;
        } else if (name.data[i] == '.' && depth == 0) {
            return (mr_view){ name.data + i + 1, end - i - 1 };
        }
    }
    return (mr_view){ name.data, end };
}

bool mr_map_names_a_footprint(const mr_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->footprints.count; i++) {
        if (mr_view_is(last_name(scene->footprints.items[i].part), name)) {
            return true;
        }
    }
    return false;
}

// --- Names, kept from lying on one another ---

typedef struct labels {
    mr_map_box boxes[LABELS];
    size_t count;
} labels;

static bool overlaps(const labels *taken, mr_map_box box)
{
    for (size_t i = 0; i < taken->count; i++) {
        const mr_map_box *other = &taken->boxes[i];
        if (box.x0 < other->x1 && box.x1 > other->x0 && box.y0 < other->y1 && box.y1 > other->y0) {
            return true;
        }
    }
    return taken->count == LABELS;
}

static mr_map_style name_style(const mr_map_panel *panel)
{
    return (mr_map_style){ .size = 13 * panel->unit,
                           .color = mr_map_rgb(0x1f1d1a, 1),
                           .halo = mr_map_rgb(0xfffdf4, 0.82f) };
}

// Writes a name beside a place, to the right, left, below or above, where it is free and on the panel.
static void write_name(const mr_map_panel *panel, labels *taken, float x, float y, float radius, mr_view name)
{
    mr_map_style style = name_style(panel);
    float width = mr_map_text_width(name, &style);
    float size = style.size;
    float gap = radius + 5 * panel->unit;
    mr_map_point starts[4] = { { x + gap, y + size / 2 },
                               { x - gap - width, y + size / 2 },
                               { x - width / 2, y + gap + size },
                               { x - width / 2, y - gap } };
    mr_map_box inside = mr_map_view_box(&panel->relief->view);
    for (int i = 0; i < 4; i++) {
        mr_map_box box = { starts[i].x - 2, starts[i].y - size - 2, starts[i].x + width + 2,
                           starts[i].y + size * 0.35f + 2 };
        bool within = box.x0 > inside.x0 && box.x1 < inside.x1 && box.y0 > inside.y0 && box.y1 < inside.y1;
        if (within && !overlaps(taken, box)) {
            taken->boxes[taken->count++] = box;
            mr_map_text(panel->canvas, starts[i].x, starts[i].y, name, &style);
            return;
        }
    }
}

// --- Grid and coordinates ---

// About five lines a side, none nearer than its figures need.
static double grid_step(const mr_map_panel *panel)
{
    const mr_map_view *view = &panel->relief->view;
    float side = (float)(view->width > view->height ? view->width : view->height) / 5;
    float least = 92 * panel->unit;
    double wanted = (double)(side > least ? side : least) * view->step;
    double step = mr_map_round_step(wanted);
    return step < wanted * 0.7 ? mr_map_round_step(step * 2.6) : step;
}

static void draw_grid(const mr_map_panel *panel)
{
    const mr_map_view *view = &panel->relief->view;
    double step = grid_step(panel);
    mr_map_box box = mr_map_view_box(view);
    mr_map_color color = mr_map_rgb(0x30363c, 0.13f);
    for (double x = __builtin_ceil(view->x / step) * step; x < view->x + view->width * view->step;
         x += step) {
        float at = mr_map_view_x(view, x);
        mr_map_rectangle(panel->canvas, (mr_map_box){ at - 0.5f, box.y0, at + 0.5f, box.y1 }, color);
    }
    for (double z = __builtin_ceil(view->z / step) * step; z < view->z + view->height * view->step;
         z += step) {
        float at = mr_map_view_y(view, z);
        mr_map_rectangle(panel->canvas, (mr_map_box){ box.x0, at - 0.5f, box.x1, at + 0.5f }, color);
    }
}

// Metres, or kilometres where all of them are whole thousands.
static mr_view length_text(double metres, double step, bool with_unit, char out[NAME_SIZE])
{
    bool far = step >= 1000;
    char number[MR_NUMBER_TEXT_SIZE];
    mr_f64_text_general(far ? metres / 1000 : metres, 9, number);
    mr_text_format(out, NAME_SIZE, "%s%s", number, with_unit ? (far ? " km" : " m") : "");
    return mr_view_of(out);
}

static void draw_coordinates(const mr_map_panel *panel)
{
    const mr_map_view *view = &panel->relief->view;
    float u = panel->unit;
    double step = grid_step(panel);
    mr_map_box box = mr_map_view_box(view);
    mr_map_style style = { .size = 11 * u, .color = mr_map_rgb(0x57534c, 1), .align = MR_MAP_CENTER };
    mr_map_color tick = mr_map_rgb(0x57534c, 1);
    char text[NAME_SIZE];
    for (double k = __builtin_ceil(view->x / step); k * step < view->x + view->width * view->step; k++) {
        float at = mr_map_view_x(view, k * step);
        mr_map_rectangle(panel->canvas, (mr_map_box){ at - 0.5f, box.y1 + 2, at + 0.5f, box.y1 + 2 + 6 * u },
                         tick);
        mr_map_text(panel->canvas, at, box.y1 + 25 * u, length_text(k * step + 0.0, step, step >= 1000, text),
                    &style);
    }
    style.along_y = -1;
    for (double k = __builtin_ceil(view->z / step); k * step < view->z + view->height * view->step; k++) {
        float at = mr_map_view_y(view, k * step);
        if (at < box.y0 + 22 * u) {
            continue; // its figure would stand in the heading
        }
        mr_map_rectangle(panel->canvas, (mr_map_box){ box.x0 - 2 - 6 * u, at - 0.5f, box.x0 - 2, at + 0.5f },
                         tick);
        mr_map_text(panel->canvas, box.x0 - 13 * u, at, length_text(k * step + 0.0, step, step >= 1000, text),
                    &style);
    }
}

// --- Contour figures ---

// How far the height strays from a contour's along a straight line of length `reach` either way, over the interval, or a
// large number where a figure cannot stand.
static float strays(const mr_map_relief *relief, int32_t x, int32_t y, float tx, float ty, float reach)
{
    float here = mr_map_relief_at(relief, x, y);
    float worst = 0;
    for (int side = -1; side <= 1; side += 2) {
        for (int part = 1; part <= 2; part++) {
            float along = (float)side * reach * (float)part / 2;
            int32_t px = x + (int32_t)__builtin_rintf(tx * along);
            int32_t py = y + (int32_t)__builtin_rintf(ty * along);
            if (px < 4 || py < 4 || px >= (int32_t)relief->view.width - 4 ||
                py >= (int32_t)relief->view.height - 4) {
                return 1e9f;
            }
            float off = (mr_map_relief_at(relief, px, py) - here) / relief->interval;
            off = off < 0 ? -off : off;
            worst = off > worst || !(off >= 0) ? off : worst;
        }
    }
    return worst;
}

typedef struct figure {
    float score;
    int32_t x, y;
    float tx, ty;
    float height;
} figure;

static void look_for_figure(const mr_map_panel *panel, int32_t x, int32_t y, figure *best)
{
    const mr_map_relief *relief = panel->relief;
    float index = relief->interval * 5;
    float h = mr_map_relief_at(relief, x, y);
    float gx = (mr_map_relief_at(relief, x + 1, y) - mr_map_relief_at(relief, x - 1, y)) / 2;
    float gy = (mr_map_relief_at(relief, x, y + 1) - mr_map_relief_at(relief, x, y - 1)) / 2;
    float rise = __builtin_sqrtf(gx * gx + gy * gy);
    float level = __builtin_rintf(h / index) * index;
    float off = h > level ? h - level : level - h;
    bool coast = relief->tint.sea && level == relief->tint.level;
    if (!(rise > 1e-6f) || !(off < 0.6f * rise) || coast || relief->interval / rise < 4) {
        return;
    }
    float tx = -gy / rise;
    float ty = gx / rise;
    if (tx < 0 || (tx == 0 && ty > 0)) { // never upside down
        tx = -tx;
        ty = -ty;
    }
    float score = strays(relief, x, y, tx, ty, 26 * panel->unit);
    if (score < best->score) {
        *best = (figure){ score, x, y, tx, ty, level };
    }
}

static void draw_contour_figures(const mr_map_panel *panel)
{
    const mr_map_relief *relief = panel->relief;
    if (!(relief->interval > 0)) {
        return;
    }
    int32_t cell = (int32_t)(230 * panel->unit);
    for (int32_t top = 0; top < (int32_t)relief->view.height; top += cell) {
        for (int32_t left = 0; left < (int32_t)relief->view.width; left += cell) {
            figure best = { .score = 0.35f };
            for (int32_t y = top; y < top + cell && y < (int32_t)relief->view.height; y += 3) {
                for (int32_t x = left; x < left + cell && x < (int32_t)relief->view.width; x += 3) {
                    look_for_figure(panel, x, y, &best);
                }
            }
            if (best.score >= 0.35f) {
                continue;
            }
            bool wet = relief->tint.sea && best.height < relief->tint.level;
            mr_map_style style = { .size = 9.5f * panel->unit,
                                   .color = mr_map_rgb(wet ? 0x24587a : 0x5e411f, 1),
                                   .halo = mr_map_rgb(wet ? 0xd4e8ec : 0xf0ead2, 0.75f),
                                   .align = MR_MAP_CENTER,
                                   .along_x = best.tx,
                                   .along_y = best.ty };
            char text[MR_NUMBER_TEXT_SIZE];
            size_t size = mr_f64_text_general((double)best.height, 6, text);
            float half = style.size / 2;
            float x = (float)relief->view.left + (float)best.x + 0.5f - best.ty * half;
            float y = (float)relief->view.top + (float)best.y + 0.5f + best.tx * half;
            mr_map_text(panel->canvas, x, y, (mr_view){ text, size }, &style);
        }
    }
}

// --- Footprints and spines ---

static void draw_footprints(const mr_map_panel *panel)
{
    const mr_map_view *view = &panel->relief->view;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < panel->scene->footprints.count; i++) {
            const float *at = panel->scene->footprints.items[i].corners;
            mr_map_point corners[5];
            for (int k = 0; k < 5; k++) {
                corners[k].x = mr_map_view_x(view, (double)at[2 * (k % 4)]);
                corners[k].y = mr_map_view_y(view, (double)at[2 * (k % 4) + 1]);
            }
            if (pass == 0) {
                mr_map_polyline(panel->canvas, corners, 5, 3.4f * panel->unit, mr_map_rgb(0x3a241c, 1));
            } else {
                mr_map_convex(panel->canvas, corners, 4, mr_map_rgb(0xb4674f, 1));
            }
        }
    }
}

void mr_map_spine_line(mr_map_canvas *canvas, const mr_map_point *points, size_t count, bool water,
                       float width)
{
    if (water) {
        mr_map_polyline(canvas, points, count, width + 1.6f, mr_map_rgb(0x2c6a94, 0.9f));
        mr_map_polyline(canvas, points, count, width, mr_map_rgb(0x6fb1d6, 1));
        return;
    }
    mr_map_polyline(canvas, points, count, width + 2.2f, mr_map_rgb(0x5b3a22, 0.95f));
    mr_map_polyline(canvas, points, count, width, mr_map_rgb(0xfbf3dd, 1));
    // Dashes along it, each gathered from the pieces of the line that lie in it.
    float dash = 3.2f * width;
    float at = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        float dx = points[i + 1].x - points[i].x;
        float dy = points[i + 1].y - points[i].y;
        float length = __builtin_sqrtf(dx * dx + dy * dy);
        float from = 0;
        while (from < length) {
            float phase = at + from;
            float cycle = phase - __builtin_floorf(phase / (2 * dash)) * 2 * dash;
            float rest = cycle < dash ? dash - cycle : 2 * dash - cycle;
            float to = from + (rest > 0.05f ? rest : 0.05f);
            to = to < length ? to : length;
            if (cycle < dash) {
                mr_map_line(canvas, points[i].x + dx * from / length, points[i].y + dy * from / length,
                            points[i].x + dx * to / length, points[i].y + dy * to / length, width * 0.42f,
                            mr_map_rgb(0xa5623a, 1));
            }
            from = to;
        }
        at += length;
    }
}

// The spine in pixels, in the things' arena; points nearer than half a pixel to the one before are left out.
static size_t spine_points(const mr_map_panel *panel, const mr_plan_spine *spine, mr_map_point *out)
{
    const mr_map_view *view = &panel->relief->view;
    size_t count = 0;
    for (size_t i = 0; i < spine->point_count; i++) {
        mr_map_point at = { mr_map_view_x(view, (double)spine->points[2 * i]),
                            mr_map_view_y(view, (double)spine->points[2 * i + 1]) };
        float dx = count > 0 ? at.x - out[count - 1].x : 1;
        float dy = count > 0 ? at.y - out[count - 1].y : 1;
        if (dx * dx + dy * dy >= 0.25f || i + 1 == spine->point_count) {
            out[count++] = at;
        }
    }
    return count;
}

// A name along the line, where the line is straightest over the name's length.
static void write_along(const mr_map_panel *panel, labels *taken, const mr_map_point *points, size_t count,
                        mr_view name, bool water)
{
    mr_map_style style = name_style(panel);
    style.align = MR_MAP_CENTER;
    style.color = mr_map_rgb(water ? 0x1f5478 : 0x5b3a22, 1);
    float width = mr_map_text_width(name, &style);
    float best = 0.9f;
    mr_map_box inside = mr_map_view_box(&panel->relief->view);
    mr_map_point middle = { 0, 0 };
    size_t last = 0;
    float back = 0;
    for (size_t i = 0; i < count; i++) {
        // `last` trails i by about the name's length.
        if (i > 0) {
            float dx = points[i].x - points[i - 1].x;
            float dy = points[i].y - points[i - 1].y;
            back += __builtin_sqrtf(dx * dx + dy * dy);
        }
        while (last + 1 < i) {
            float dx = points[last + 1].x - points[last].x;
            float dy = points[last + 1].y - points[last].y;
            float step = __builtin_sqrtf(dx * dx + dy * dy);
            if (back - step < width * 1.1f) {
                break;
            }
            back -= step;
            last++;
        }
        float dx = points[i].x - points[last].x;
        float dy = points[i].y - points[last].y;
        float chord = __builtin_sqrtf(dx * dx + dy * dy);
        mr_map_point at = { (points[i].x + points[last].x) / 2, (points[i].y + points[last].y) / 2 };
        bool within = at.x > inside.x0 + width && at.x < inside.x1 - width && at.y > inside.y0 + 20 &&
                      at.y < inside.y1 - 20;
        if (within && back > width && chord / back > best) {
            best = chord / back;
            middle = at;
            style.along_x = dx < 0 ? -dx / chord : dx / chord;
            style.along_y = dx < 0 ? -dy / chord : dy / chord;
        }
    }
    if (style.along_x == 0 && style.along_y == 0) {
        return;
    }
    float aside = 9 * panel->unit;
    float x = middle.x + style.along_y * aside;
    float y = middle.y - style.along_x * aside;
    float reach_x = style.along_x * width / 2;
    float reach_y = style.along_y * width / 2;
    reach_y = reach_y < 0 ? -reach_y : reach_y;
    mr_map_box box = { x - reach_x - 4, y - reach_y - style.size, x + reach_x + 4, y + reach_y + 4 };
    if (taken->count < LABELS) {
        taken->boxes[taken->count++] = box;
    }
    mr_map_text(panel->canvas, x, y, name, &style);
}

static void draw_spines(const mr_map_panel *panel, labels *taken, bool names)
{
    size_t most = 0;
    for (size_t i = 0; i < panel->scene->spines.count; i++) {
        size_t count = panel->scene->spines.items[i].point_count;
        most = count > most ? count : most;
    }
    mr_map_point *points = most > 0 ? mr_allocate(panel->canvas->context, most * sizeof *points) : NULL;
    if (!points) {
        panel->canvas->failed = panel->canvas->failed || most > 0;
        return;
    }
    for (size_t i = 0; i < panel->scene->spines.count; i++) {
        const mr_plan_spine *spine = &panel->scene->spines.items[i];
        bool water = mr_map_spine_is_water(spine->name);
        size_t count = spine_points(panel, spine, points);
        // About two metres wide, but never a hair.
        float width = (float)(1.8 / panel->relief->view.step);
        width = width < 2.4f * panel->unit ? 2.4f * panel->unit
                : width > 9 * panel->unit  ? 9 * panel->unit
                                           : width;
        if (count >= 2 && !names) {
            mr_map_spine_line(panel->canvas, points, count, water, width);
        } else if (count >= 2) {
            write_along(panel, taken, points, count, mr_view_of(spine->name), water);
        }
    }
    mr_free(panel->canvas->context, points);
}

// --- Things ---

static bool in_view(const mr_map_view *view, const mr_map_thing *thing)
{
    double x = ((double)thing->x - view->x) / view->step;
    double y = ((double)thing->z - view->z) / view->step;
    return x >= 0 && y >= 0 && x < view->width && y < view->height;
}

float mr_map_panel_floor(const mr_map_panel *panel)
{
    const mr_map_view *view = &panel->relief->view;
    size_t count = 0;
    for (size_t i = 0; i < panel->things->things.count; i++) {
        count += in_view(view, &panel->things->things.items[i]);
    }
    float area = (float)view->width * (float)view->height;
    float spacing = count > 0 ? __builtin_sqrtf(area / (float)count) : 100;
    float least = 0.2f * spacing;
    float most = (panel->names ? 2.1f : 1.5f) * panel->unit;
    return least < 0.8f ? 0.8f : least > most ? most : least;
}

static void draw_things(const mr_map_panel *panel)
{
    const mr_map_view *view = &panel->relief->view;
    for (size_t i = 0; i < panel->things->things.count; i++) {
        const mr_map_thing *thing = &panel->things->things.items[panel->things->order[i]];
        const mr_map_kind *kind = &panel->things->kinds.items[thing->kind];
        if (kind->part && mr_map_names_a_footprint(panel->scene, kind->name)) {
            continue; // its outline is drawn
        }
        float radius = (float)((double)thing->radius / view->step);
        // Single things the world names must be found among thousands.
        float least =
            kind->radius < 0.35 ? panel->floor * 0.65f : panel->floor; // gravel must not drown the rest
        if (kind->part && kind->count <= 200) {
            least = panel->names ? 3.6f * panel->unit : 2.4f * panel->unit;
        }
        mr_map_symbol_draw(panel->canvas, kind, mr_map_view_x(view, (double)thing->x),
                           mr_map_view_y(view, (double)thing->z), radius > least ? radius : least);
    }
}

static void write_footprint_names(const mr_map_panel *panel, labels *taken)
{
    const mr_map_view *view = &panel->relief->view;
    for (size_t i = 0; i < panel->scene->footprints.count; i++) {
        const mr_plan_rectangle *rectangle = &panel->scene->footprints.items[i];
        bool first = true;
        mr_map_box box = { 1e9f, 1e9f, -1e9f, -1e9f };
        for (size_t k = 0; k < panel->scene->footprints.count; k++) {
            const mr_plan_rectangle *other = &panel->scene->footprints.items[k];
            if (strcmp(other->part, rectangle->part) != 0) {
                continue;
            }
            first = first && k >= i;
            for (int c = 0; c < 4; c++) {
                float x = mr_map_view_x(view, (double)other->corners[2 * c]);
                float y = mr_map_view_y(view, (double)other->corners[2 * c + 1]);
                box.x0 = x < box.x0 ? x : box.x0;
                box.x1 = x > box.x1 ? x : box.x1;
                box.y0 = y < box.y0 ? y : box.y0;
                box.y1 = y > box.y1 ? y : box.y1;
            }
        }
        if (first) {
            write_name(panel, taken, (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, (box.x1 - box.x0) / 2,
                       last_name(rectangle->part));
        }
    }
}

static void write_thing_names(const mr_map_panel *panel, labels *taken)
{
    const mr_map_view *view = &panel->relief->view;
    for (size_t k = 0; k < panel->things->kinds.count; k++) {
        const mr_map_kind *kind = &panel->things->kinds.items[k];
        if (!kind->part || kind->count != 1 || mr_map_names_a_footprint(panel->scene, kind->name)) {
            continue;
        }
        const mr_map_thing *thing = &panel->things->things.items[kind->first];
        if (in_view(view, thing)) {
            float radius = (float)((double)thing->radius / view->step);
            radius = radius < 3.6f * panel->unit ? 3.6f * panel->unit : radius;
            write_name(panel, taken, mr_map_view_x(view, (double)thing->x),
                       mr_map_view_y(view, (double)thing->z), radius, mr_view_of(kind->name));
        }
    }
}

void mr_map_panel_draw(const mr_map_panel *panel)
{
    labels taken = { .count = 0 };
    mr_map_clip(panel->canvas, mr_map_view_box(&panel->relief->view));
    draw_grid(panel);
    draw_contour_figures(panel);
    draw_spines(panel, &taken, false);
    draw_footprints(panel);
    draw_things(panel);
    if (panel->names) {
        write_footprint_names(panel, &taken);
        draw_spines(panel, &taken, true);
        write_thing_names(panel, &taken);
    }
    mr_map_clip_none(panel->canvas);
}

// --- Frame ---

static void draw_scale_bar(const mr_map_panel *panel)
{
    const mr_map_view *view = &panel->relief->view;
    float u = panel->unit;
    double length = mr_map_round_step((double)view->width * view->step * 0.3);
    float pixels = (float)(length / view->step);
    float x = (float)view->left + 26 * u;
    float y = (float)(view->top + view->height) - 28 * u;
    mr_map_rectangle(panel->canvas, (mr_map_box){ x - 14 * u, y - 34 * u, x + pixels + 46 * u, y + 16 * u },
                     mr_map_rgb(0xfbf8ef, 0.84f));
    mr_map_color ink = mr_map_rgb(MR_MAP_INK, 1);
    mr_map_rectangle(panel->canvas, (mr_map_box){ x - 1, y - 1, x + pixels + 1, y + 7 * u + 1 }, ink);
    for (int i = 0; i < 4; i++) {
        mr_map_box part = { x + pixels * (float)i / 4, y, x + pixels * (float)(i + 1) / 4, y + 7 * u };
        mr_map_rectangle(panel->canvas, part, i % 2 ? ink : mr_map_rgb(0xffffff, 1));
    }
    mr_map_style style = { .size = 11 * u, .color = ink, .align = MR_MAP_CENTER };
    char text[NAME_SIZE];
    mr_map_text(panel->canvas, x, y - 9 * u, MR_VIEW("0"), &style);
    if (pixels > 130 * u) {
        if (pixels > 130 * u) {
            mr_map_text(panel->canvas, x + pixels / 2, y - 9 * u,
                        length_text(length / 2, length, false, text), &style);
        }
    }
    mr_map_text(panel->canvas, x + pixels, y - 9 * u, length_text(length, length, true, text), &style);
}

void mr_map_panel_frame(const mr_map_panel *panel)
{
    mr_map_box box = mr_map_view_box(&panel->relief->view);
    mr_map_frame(panel->canvas, box, 2, mr_map_rgb(MR_MAP_INK, 1));
    draw_coordinates(panel);
    draw_scale_bar(panel);
}

void mr_map_north_arrow(mr_map_canvas *canvas, float x, float y, float size)
{
    mr_map_color ink = mr_map_rgb(MR_MAP_INK, 1);
    mr_map_disc(canvas, x, y, size, mr_map_rgb(0xfbf8ef, 0.84f));
    mr_map_ring(canvas, x, y, size, 1.4f, mr_map_rgb(MR_MAP_INK, 0.8f));
    mr_map_point dark[3] = { { x, y - 0.62f * size },
                             { x, y + 0.45f * size },
                             { x - 0.34f * size, y + 0.66f * size } };
    mr_map_point pale[3] = { { x, y - 0.62f * size },
                             { x, y + 0.45f * size },
                             { x + 0.34f * size, y + 0.66f * size } };
    mr_map_convex(canvas, dark, 3, ink);
    mr_map_convex(canvas, pale, 3, mr_map_rgb(0xffffff, 1));
    mr_map_point outline[5] = { dark[0], dark[2], dark[1], pale[2], dark[0] };
    mr_map_polyline(canvas, outline, 5, 1.2f, ink);
    mr_map_style style = { .size = 0.34f * size, .color = ink, .align = MR_MAP_CENTER, .weight = 0.15f };
    style.halo = mr_map_rgb(0xfbf8ef, 0.9f);
    mr_map_text(canvas, x, y - 1.1f * size, MR_VIEW("N"), &style);
}
