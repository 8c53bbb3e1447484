// world/builtins_land.c: lands and spines, and what they answer; outlines.

#include "world/builtin_tables.h"
#include "world/call.h"
#include "world/check.h"

static bool plan(mr_evaluator *ev, mr_call *call, size_t which, float *x, float *z)
{
    if (mr_plan_of(call->values[which], x, z)) {
        return true;
    }
    return mr_coerce(ev, call->scope, call->given[which] ? call->given[which]->value : call->expr,
                     &mr_type_spot, &call->values[which]) &&
           mr_plan_of(call->values[which], x, z);
}

// terrain.land

static bool add_spines(mr_evaluator *ev, mr_call *call, mr_land *land, const mr_sequence *spines)
{
    for (size_t i = 0; i < spines->count; i++) {
        mr_datum spine = spines->items[i];
        char name[32];
        if (!mr_coerce(ev, call->scope, call->given[1]->value, &mr_type_spine, &spine)) {
            return false;
        }
        if (spines->names[i].size >= sizeof name) {
            return mr_evaluator_fail(ev, call->given[1]->value->place,
                                     "%.*s: a spine's name has at most 31 letters",
                                     MR_VIEW_ARGS(spines->names[i]));
        }
        mr_text_format(name, sizeof name, "%.*s", MR_VIEW_ARGS(spines->names[i]));
        if (!mr_land_add_spine(land, name, spine.spine->spine, ev->error)) {
            return mr_evaluator_failed_at(ev, call->given[1]->value->place);
        }
    }
    return true;
}

static bool call_land(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float reach = call->given[2] ? call->values[2].number : 16.0f;
    float outside = call->given[3] ? call->values[3].number : -30.0f;
    mr_land *land = mr_land_create(ev->context, call->values[0].data->raster, reach, outside, ev->error);
    if (!land) {
        return mr_evaluator_failed_at(ev, call->expr->place);
    }
    if (call->given[1] && !add_spines(ev, call, land, call->values[1].sequence)) {
        mr_land_release(land);
        return false;
    }
    return mr_make_land(ev, land, answer);
}

// What a land answers

static bool call_height(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float x, z;
    if (!plan(ev, call, 0, &x, &z)) {
        return false;
    }
    *answer = mr_datum_metres(mr_land_height(call->self.land->land, x, z));
    return true;
}

static bool call_slope(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float x, z;
    if (!plan(ev, call, 0, &x, &z)) {
        return false;
    }
    *answer = mr_datum_plain(mr_land_slope(call->self.land->land, x, z));
    return true;
}

static bool make_numbers(mr_evaluator *ev, const float *values, size_t count, mr_datum *answer)
{
    mr_sequence *made = mr_make_sequence(ev, count, false);
    for (size_t i = 0; made && i < count; i++) {
        ((mr_datum *)(uintptr_t)made->items)[i] = mr_datum_plain(values[i]);
    }
    *answer = (mr_datum){ .kind = MR_DATUM_TUPLE, .sequence = made };
    return made != NULL;
}

static bool call_normal(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float x, z, normal[3];
    if (!plan(ev, call, 0, &x, &z)) {
        return false;
    }
    mr_land_normal(call->self.land->land, x, z, normal);
    return make_numbers(ev, normal, 3, answer);
}

static bool call_holds(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float x, z;
    if (!plan(ev, call, 0, &x, &z)) {
        return false;
    }
    *answer = mr_datum_boolean(mr_land_holds(call->self.land->land, x, z));
    return true;
}

// Spines

static bool call_spine(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_sequence *list = call->values[0].sequence;
    size_t bytes;
    float *points = mr_size_multiply(list->count, 2 * sizeof *points, &bytes)
                        ? mr_allocate(ev->context, bytes + 1)
                        : NULL;
    if (!points) {
        return mr_fail_memory(ev->error, list->count * 2 * sizeof *points);
    }
    const mr_expr *written = call->given[0]->value;
    bool good = true;
    for (size_t i = 0; good && i < list->count; i++) {
        mr_datum one = list->items[i];
        const mr_expr *expr =
            written->kind == MR_EXPR_LIST && i < written->item_count ? written->items[i].value : written;
        if (one.kind == MR_DATUM_TUPLE && one.sequence->count == 2) {
            const mr_world_type *lengths[2] = { &mr_type_length, &mr_type_length };
            mr_world_type pair = { .of = MR_OF_TUPLE, .count = 2, .items = lengths };
            good = mr_coerce(ev, call->scope, expr, &pair, &one);
        } else {
            good = mr_coerce(ev, call->scope, expr, &mr_type_spot, &one);
        }
        if (good) {
            mr_plan_of(one, &points[2 * i], &points[2 * i + 1]);
        }
    }
    mr_spine *spine = NULL;
    if (good) {
        spine = mr_spine_create(ev->context, points, list->count, call->given[1] && call->values[1].boolean,
                                ev->error);
        if (!spine) {
            mr_evaluator_failed_at(ev, call->expr->place);
        }
    }
    mr_free(ev->context, points);
    return spine && mr_make_spine(ev, spine, answer);
}

static bool spot_on_spine(mr_evaluator *ev, mr_call *call, float across, mr_datum *answer)
{
    const mr_spine_datum *spine = call->self.spine;
    const mr_land_datum *land = spine->land ? spine->land : mr_land_at(ev, call->scope, call->expr->place);
    float x, z;
    mr_spine_at(spine->spine, call->values[0].number, across, &x, &z);
    return land && mr_make_spot_on(ev, land, x, z, answer);
}

static bool call_at(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    return spot_on_spine(ev, call, 0, answer);
}

static bool call_spot_at(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    return spot_on_spine(ev, call, call->given[1] ? call->values[1].number : 0, answer);
}

static bool call_heading_at(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float heading[2];
    mr_spine_heading(call->self.spine->spine, call->values[0].number, &heading[0], &heading[1]);
    return make_numbers(ev, heading, 2, answer);
}

static bool call_bend_at(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    (void)ev;
    float span = call->given[1] ? call->values[1].number : 6.0f;
    *answer = mr_datum_plain(mr_spine_bend(call->self.spine->spine, call->values[0].number, span));
    return true;
}

static bool call_from_end(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    (void)ev;
    *answer = mr_datum_metres(mr_spine_length(call->self.spine->spine) - call->values[0].number);
    return true;
}

static bool call_index_at(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    (void)ev;
    *answer = mr_datum_integer((int64_t)mr_spine_index_at(call->self.spine->spine, call->values[0].number));
    return true;
}

static bool call_nearest(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float x, z, along;
    if (!plan(ev, call, 0, &x, &z)) {
        return false;
    }
    mr_spine_distance(call->self.spine->spine, x, z, &along);
    *answer = mr_datum_metres(along);
    return true;
}

static bool call_distance(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float x, z, along;
    if (!plan(ev, call, 0, &x, &z)) {
        return false;
    }
    *answer = mr_datum_metres(mr_spine_distance(call->self.spine->spine, x, z, &along));
    return true;
}

static bool call_length(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    (void)ev;
    *answer = mr_datum_metres(mr_spine_length(call->self.spine->spine));
    return true;
}

static bool call_discs(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_spine *spine = call->values[0].spine->spine;
    float length = mr_spine_length(spine), every = call->values[1].number;
    if (!(every > 0)) {
        return mr_evaluator_fail(ev, call->given[1]->value->place, "every is %g m; it must be more than 0",
                                 (double)every);
    }
    double wanted = (double)length / (double)every + 2;
    if (wanted > (double)ev->limits.elements) {
        return mr_evaluator_fail_with(ev, MR_LIMIT, call->expr->place, NULL,
                                      "%.0f discs pass the limit of %llu", wanted,
                                      (unsigned long long)ev->limits.elements);
    }
    size_t count = 0;
    while ((float)count * every <= length) {
        count++;
    }
    mr_sequence *made = mr_make_sequence(ev, count, false);
    mr_scatter_disc *discs = mr_evaluator_take(ev, count * sizeof *discs + 1);
    if (!made || !discs) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        float along = (float)i * every;
        mr_datum radius = call->values[2];
        if (radius.kind == MR_DATUM_FUNCTION) {
            mr_datum at = mr_datum_metres(along);
            if (!mr_call_closure(ev, radius.function, &at, 1, call->expr->place, &radius)) {
                return false;
            }
        }
        if (!mr_coerce(ev, call->scope, call->given[2]->value, &mr_type_length, &radius)) {
            return false;
        }
        if (!(radius.number >= 0)) {
            return mr_evaluator_fail(ev, call->given[2]->value->place,
                                     "radius is %g m; it must not be negative", (double)radius.number);
        }
        mr_spine_at(spine, along, 0, &discs[i].x, &discs[i].z);
        discs[i].radius = radius.number;
        ((mr_datum *)(uintptr_t)made->items)[i] = (mr_datum){ .kind = MR_DATUM_DISC, .disc = &discs[i] };
    }
    *answer = (mr_datum){ .kind = MR_DATUM_LIST, .sequence = made };
    return true;
}

// Outlines

static bool make_outline(mr_evaluator *ev, mr_outline outline, mr_datum *answer)
{
    mr_outline *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = outline;
    *answer = (mr_datum){ .kind = MR_DATUM_OUTLINE, .outline = made };
    return true;
}

static bool call_rect(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_interval *x = call->values[0].range, *z = call->values[1].range;
    return make_outline(ev,
                        (mr_outline){ .kind = MR_OUTLINE_RECT,
                                      .x0 = x->low.number,
                                      .x1 = x->high.number,
                                      .z0 = z->low.number,
                                      .z1 = z->high.number },
                        answer);
}

static bool call_disc(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float x, z, radius = call->values[1].number;
    if (!plan(ev, call, 0, &x, &z)) {
        return false;
    }
    if (!(radius >= 0)) {
        return mr_evaluator_fail(ev, call->given[1]->value->place, "radius is %g m; it must not be negative",
                                 (double)radius);
    }
    return make_outline(ev,
                        (mr_outline){ .kind = MR_OUTLINE_DISC,
                                      .x0 = x - radius,
                                      .x1 = x + radius,
                                      .z0 = z - radius,
                                      .z1 = z + radius,
                                      .cx = x,
                                      .cz = z,
                                      .radius = radius },
                        answer);
}

static bool call_polygon(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_sequence *list = call->values[0].sequence;
    float *points = mr_evaluator_take(ev, list->count * 2 * sizeof *points + 1);
    if (!points) {
        return false;
    }
    if (list->count < 3) {
        return mr_evaluator_fail(ev, call->expr->place, "a polygon has at least 3 corners, not %zu",
                                 list->count);
    }
    mr_outline outline = { .kind = MR_OUTLINE_POLYGON, .points = points, .point_count = list->count };
    for (size_t i = 0; i < list->count; i++) {
        mr_datum one = list->items[i];
        float x, z;
        if (!mr_plan_of(one, &x, &z) &&
            (!mr_coerce(ev, call->scope, call->given[0]->value, &mr_type_spot, &one) ||
             !mr_plan_of(one, &x, &z))) {
            return false;
        }
        points[2 * i] = x;
        points[2 * i + 1] = z;
        outline.x0 = i == 0 || x < outline.x0 ? x : outline.x0;
        outline.x1 = i == 0 || x > outline.x1 ? x : outline.x1;
        outline.z0 = i == 0 || z < outline.z0 ? z : outline.z0;
        outline.z1 = i == 0 || z > outline.z1 ? z : outline.z1;
    }
    return make_outline(ev, outline, answer);
}

#define LAND .home = MR_HOME_LAND
#define SPINE .home = MR_HOME_SPINE
#define PLACE                                                                                                \
    {                                                                                                        \
        {                                                                                                    \
            "p", &mr_type_any                                                                                \
        }                                                                                                    \
    }
#define ALONG                                                                                                \
    {                                                                                                        \
        "along", &mr_type_length                                                                             \
    }

const mr_builtin mr_land_builtins[] = {
    { .name = "terrain.land",
      .doc = "A land from a raster: the ground as questions.",
      .answer = &mr_type_land,
      .params = { { "raster", &mr_type_raster },
                  { "spines", &mr_type_record, MR_PARAM_OPTIONAL },
                  { "reach", &mr_type_length, MR_PARAM_OPTIONAL },
                  { "outside", &mr_type_length, MR_PARAM_OPTIONAL } },
      .call = call_land,
      .check = mr_check_land },
    { .name = "spine",
      .doc = "A line over the land through points of the plan.",
      .answer = &mr_type_spine,
      .params = { { "points", &mr_type_list }, { "smooth", &mr_type_bool, MR_PARAM_OPTIONAL } },
      .call = call_spine },
    { .name = "discsAlongSpine",
      .doc = "Discs at 0, every, 2 every, ... up to the spine's length.",
      .answer = &mr_type_disc_list,
      .params = { { "spine", &mr_type_spine }, { "every", &mr_type_length }, { "radius", &mr_type_any } },
      .call = call_discs,
      .check = mr_check_discs },
    { .name = "rect",
      .doc = "The outline of a rectangle on the plan.",
      .answer = &mr_type_outline,
      .params = { { "x", &mr_type_length_range }, { "z", &mr_type_length_range } },
      .call = call_rect },
    { .name = "disc",
      .doc = "The outline of a circle on the plan.",
      .answer = &mr_type_outline,
      .params = { { "at", &mr_type_spot }, { "radius", &mr_type_length } },
      .call = call_disc },
    { .name = "polygon",
      .doc = "The outline through corners on the plan.",
      .answer = &mr_type_outline,
      .params = { { "corners", &mr_type_list } },
      .call = call_polygon },

    { LAND, .name = "height", .doc = "The ground's height at a place.", .answer = &mr_type_length,
      .params = PLACE, .call = call_height },
    { LAND, .name = "slope", .doc = "Rise over run at a place.", .answer = &mr_type_number, .params = PLACE,
      .call = call_slope },
    { LAND, .name = "normal", .doc = "The unit vector that stands on the ground at a place.",
      .answer = &mr_type_vec3, .params = PLACE, .call = call_normal },
    { LAND, .name = "holds", .doc = "Whether a place lies on the land's rectangle.", .answer = &mr_type_bool,
      .params = PLACE, .call = call_holds },

    { SPINE, .name = "length", .doc = "Its length in the plan.", .answer = &mr_type_length, .property = true,
      .call = call_length },
    { SPINE, .name = "at", .doc = "The spot at a distance along.", .answer = &mr_type_spot,
      .params = { ALONG }, .call = call_at },
    { SPINE, .name = "spotAt", .doc = "The spot at a distance along and across (right is positive).",
      .answer = &mr_type_spot, .params = { ALONG, { "across", &mr_type_length, MR_PARAM_OPTIONAL } },
      .call = call_spot_at },
    { SPINE, .name = "headingAt", .doc = "The unit vector in the plan it runs along.",
      .answer = &mr_type_heading, .params = { ALONG }, .call = call_heading_at },
    { SPINE, .name = "bendAt", .doc = "How sharply it bends, 0 straight to 1.", .answer = &mr_type_number,
      .params = { ALONG, { "span", &mr_type_length, MR_PARAM_OPTIONAL } }, .call = call_bend_at },
    { SPINE, .name = "fromEnd", .doc = "The distance along that lies so far before its end.",
      .answer = &mr_type_length, .params = { { "distance", &mr_type_length } }, .call = call_from_end },
    { SPINE, .name = "indexAt", .doc = "The number of the last sample at or before.", .answer = &mr_type_int,
      .params = { ALONG }, .call = call_index_at },
    { SPINE, .name = "nearest", .doc = "The distance along where it is nearest to a place.",
      .answer = &mr_type_length, .params = PLACE, .call = call_nearest },
    { SPINE, .name = "distance", .doc = "The distance in the plan from a place to its line.",
      .answer = &mr_type_length, .params = PLACE, .call = call_distance },
    { 0 }
};
