// world/builtins_part.c: what parts are made of besides nodes' answers: cameras, lights, graphs, changed records.

#include "world/builtin_tables.h"
#include "world/call.h"
#include "world/check.h"

static bool call_graph(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    char path[MR_PATH_SIZE];
    mr_text_format(path, sizeof path, "%.*s", MR_VIEW_ARGS(*call->values[0].text));
    if (!ev->loader || !ev->loader->load) {
        return mr_evaluator_fail(ev, call->expr->place, "graphs cannot be loaded here");
    }
    mr_closure *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    const mr_graph_program *program = NULL;
    if (!ev->loader->load(ev->loader->self, ev->folder, path, &program, ev->error)) {
        return mr_evaluator_graph_failed(ev, call->expr->place);
    }
    *made = (mr_closure){ .kind = MR_CLOSURE_PROGRAM, .program = program };
    *answer = (mr_datum){ .kind = MR_DATUM_FUNCTION, .function = made };
    return true;
}

static void spot_to(const mr_spot *spot, float out[3])
{
    out[0] = spot->x;
    out[1] = spot->y;
    out[2] = spot->z;
}

static bool call_camera(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_camera *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    spot_to(call->values[0].spot, made->at);
    spot_to(call->values[1].spot, made->look_at);
    made->fov = call->given[2] ? call->values[2].number : 0.87266463f; // 50 degrees
    if (!(made->fov > 0 && made->fov < 3.1415927f)) {
        return mr_evaluator_fail(ev, call->given[2]->value->place,
                                 "fov is %g deg; it must be more than 0 and less than 180",
                                 (double)made->fov * (180.0 / 3.14159265358979323846));
    }
    *answer = (mr_datum){ .kind = MR_DATUM_CAMERA, .camera = made };
    return true;
}

static bool call_sun(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_sun *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = (mr_sun){ call->values[0].number, call->given[1] ? call->values[1].number : 0 };
    *answer = (mr_datum){ .kind = MR_DATUM_SUN, .sun = made };
    return true;
}

static bool call_light(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_light *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = (mr_light){ .color = { 1, 1, 1 }, .intensity = call->given[1] ? call->values[1].number : 1.0f };
    for (size_t i = 0; call->given[0] && i < 3; i++) {
        made->color[i] = mr_datum_as_number(call->values[0].sequence->items[i]);
    }
    *answer = (mr_datum){ .kind = MR_DATUM_LIGHT, .light = made };
    return true;
}

static bool copy_sequence(mr_evaluator *ev, mr_datum from, mr_datum *copy)
{
    mr_sequence *made = mr_make_sequence(ev, from.sequence->count, from.sequence->names != NULL);
    if (!made) {
        return false;
    }
    memcpy((void *)(uintptr_t)made->items, from.sequence->items, made->count * sizeof *made->items);
    if (made->names) {
        memcpy((void *)(uintptr_t)made->names, from.sequence->names, made->count * sizeof *made->names);
    }
    made->record = from.sequence->record;
    *copy = from;
    copy->sequence = made;
    return true;
}

static bool field_hole(mr_evaluator *ev, const mr_expr *path, mr_datum *holder, mr_datum **hole)
{
    char what[96], near[64];
    if (holder->kind != MR_DATUM_RECORD) {
        mr_datum_describe(*holder, what, sizeof what);
        return mr_evaluator_fail(ev, path->place, "%s has no %.*s to override", what,
                                 MR_VIEW_ARGS(path->text));
    }
    mr_datum copy;
    if (!copy_sequence(ev, *holder, &copy)) {
        return false;
    }
    *holder = copy;
    uint32_t best = 4;
    near[0] = 0;
    for (size_t i = 0; i < copy.sequence->count; i++) {
        uint32_t distance = mr_edit_distance(copy.sequence->names[i], path->text);
        if (distance == 0) {
            *hole = (mr_datum *)(uintptr_t)&copy.sequence->items[i];
            return true;
        }
        if (distance < best) {
            best = distance;
            mr_text_format(near, sizeof near, "%.*s", MR_VIEW_ARGS(copy.sequence->names[i]));
        }
    }
    char hint[96];
    mr_text_format(hint, sizeof hint, "did you mean %s?", near);
    return mr_evaluator_fail_with(ev, MR_BAD_INPUT, path->place, near[0] ? hint : NULL,
                                  "the record has no field %.*s", MR_VIEW_ARGS(path->text));
}

// Copies what leads to the path's end, and answers the place to write to.
static bool find_hole(mr_evaluator *ev, mr_call *call, const mr_expr *path, mr_datum *whole, mr_datum **hole)
{
    if (path->kind == MR_EXPR_NAME) {
        return field_hole(ev, path, whole, hole);
    }
    mr_datum *holder;
    if (path->kind != MR_EXPR_MEMBER && path->kind != MR_EXPR_INDEX) {
        return mr_evaluator_fail(ev, path->place, "a path is names and indices: levelParams[2].branches");
    }
    if (!find_hole(ev, call, path->a, whole, &holder)) {
        return false;
    }
    if (path->kind == MR_EXPR_MEMBER) {
        return field_hole(ev, path, holder, hole);
    }
    mr_datum index, copy;
    if (!mr_evaluate_as(ev, call->scope, path->b, &mr_type_int, &index)) {
        return false;
    }
    if (holder->kind != MR_DATUM_LIST || index.integer < 0 ||
        (uint64_t)index.integer >= holder->sequence->count) {
        char what[96];
        mr_datum_describe(*holder, what, sizeof what);
        return mr_evaluator_fail(ev, path->place, "%s has no element %lld to override", what,
                                 (long long)index.integer);
    }
    if (!copy_sequence(ev, *holder, &copy)) {
        return false;
    }
    *holder = copy;
    *hole = (mr_datum *)(uintptr_t)&copy.sequence->items[index.integer];
    return true;
}

static bool call_override(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_datum *hole;
    *answer = call->values[0];
    if (!find_hole(ev, call, call->given[1]->value, answer, &hole)) {
        return false;
    }
    *hole = call->values[2];
    return true;
}

const mr_builtin mr_part_builtins[] = {
    { .name = "graph",
      .doc = "A Lua graph as a function of its inputs.",
      .params = { { "path", &mr_type_text } },
      .call = call_graph,
      .check = mr_check_graph },
    { .name = "camera",
      .doc = "A view of the world.",
      .answer = &mr_type_camera,
      .params = { { "at", &mr_type_spot },
                  { "lookAt", &mr_type_spot },
                  { "fov", &mr_type_angle, MR_PARAM_OPTIONAL } },
      .call = call_camera },
    { .name = "sun",
      .doc = "Where the sun stands.",
      .answer = &mr_type_sun,
      .params = { { "elevation", &mr_type_angle }, { "azimuth", &mr_type_angle, MR_PARAM_OPTIONAL } },
      .call = call_sun },
    { .name = "light",
      .doc = "A light that shines in all directions; intensity in candela.",
      .answer = &mr_type_light,
      .params = { { "color", &mr_type_color, MR_PARAM_OPTIONAL },
                  { "intensity", &mr_type_number, MR_PARAM_OPTIONAL } },
      .call = call_light },
    { .name = "override",
      .doc = "A record with one nested field changed.",
      .params = { { "record", &mr_type_record },
                  { "path", &mr_type_any, MR_PARAM_GROUP },
                  { "value", &mr_type_any } },
      .call = call_override,
      .check = mr_check_override },
    { 0 }
};
