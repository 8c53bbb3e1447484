// world/eval_member.c: what stands behind a dot.

#include "world/call.h"

#include "graph/node.h"
#include "world/population.h"

static bool no_member(mr_evaluator *ev, const mr_expr *expr, mr_datum of, const char *near)
{
    char what[96], hint[96];
    mr_datum_describe(of, what, sizeof what);
    mr_text_format(hint, sizeof hint, "did you mean %s?", near ? near : "");
    return mr_evaluator_fail_with(ev, MR_BAD_INPUT, expr->place, near ? hint : NULL, "%s has no %.*s", what,
                                  MR_VIEW_ARGS(expr->text));
}

static bool make_closure(mr_evaluator *ev, mr_closure closure, mr_datum *answer)
{
    mr_closure *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = closure;
    *answer = (mr_datum){ .kind = MR_DATUM_FUNCTION, .function = made };
    return true;
}

// The questions of a home, by name: a property is asked at once, others are functions.
static bool home_member(mr_evaluator *ev, const mr_expr *expr, mr_home home, mr_datum of, mr_datum *answer)
{
    const mr_builtin *builtin = mr_builtin_find(home, expr->text);
    if (!builtin) {
        const char *names[64];
        size_t count = 0;
        for (; count < 64 && mr_builtin_at(home, count); count++) {
            names[count] = mr_builtin_at(home, count)->name;
        }
        char wanted[64];
        mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(expr->text));
        return no_member(ev, expr, of, mr_nearest_name(wanted, names, count));
    }
    if (builtin->property) {
        mr_call call = { .expr = expr, .builtin = builtin, .self = of };
        return builtin->call(ev, &call, answer);
    }
    return make_closure(ev, (mr_closure){ .kind = MR_CLOSURE_BUILTIN, .builtin = builtin, .self = of },
                        answer);
}

static bool spot_member(mr_evaluator *ev, const mr_expr *expr, mr_datum of, mr_datum *answer)
{
    if (expr->text.size == 1) {
        switch (expr->text.data[0]) {
        case 'x':
            *answer = mr_datum_metres(of.spot->x);
            return true;
        case 'y':
            *answer = mr_datum_metres(of.spot->y);
            return true;
        case 'z':
            *answer = mr_datum_metres(of.spot->z);
            return true;
        default:
            break;
        }
    }
    return no_member(ev, expr, of, NULL);
}

static bool tuple_member(mr_evaluator *ev, const mr_expr *expr, mr_datum of, mr_datum *answer)
{
    static const char letters[] = "xyzwrgba";
    const char *at = expr->text.size == 1 ? strchr(letters, expr->text.data[0]) : NULL;
    size_t count = of.sequence->count;
    if (at && *at) {
        size_t index = (size_t)(at - letters) % 4;
        // A place on the plan has x and z.
        if (count == 2 && *at == 'z') {
            index = 1;
        }
        if (index < count) {
            *answer = of.sequence->items[index];
            return true;
        }
    }
    return no_member(ev, expr, of, NULL);
}

static bool record_member(mr_evaluator *ev, const mr_expr *expr, mr_datum of, mr_datum *answer)
{
    const mr_sequence *record = of.sequence;
    uint32_t best = 3;
    size_t near = record->count;
    for (size_t i = 0; i < record->count; i++) {
        uint32_t distance = mr_edit_distance(record->names[i], expr->text);
        if (distance == 0) {
            *answer = record->items[i];
            return true;
        }
        if (distance < best) {
            best = distance;
            near = i;
        }
    }
    char name[64];
    if (near < record->count) {
        mr_text_format(name, sizeof name, "%.*s", MR_VIEW_ARGS(record->names[near]));
    }
    return no_member(ev, expr, of, near < record->count ? name : NULL);
}

static bool placed_member(mr_evaluator *ev, const mr_expr *expr, mr_datum of, mr_datum *answer)
{
    const mr_item *item = mr_run_item(of);
    static const char *const names[] = { "kind",   "variant", "place", "turn",  "size", "sink",
                                         "height", "room",    "rule",  "group", "key" };
    enum { NAMES = sizeof names / sizeof *names };
    size_t at = 0;
    while (at < NAMES && !mr_view_is(expr->text, names[at])) {
        at++;
    }
    switch (at) {
    case 0:
        return mr_run_kind(ev, of, answer);
    case 1:
        *answer = mr_datum_integer(item->variant);
        return true;
    case 2:
        return mr_make_spot(ev, item->x, item->y, item->z, mr_run_land(of.run), answer);
    case 3:
        *answer = mr_datum_number(item->turn, mr_dimension_angle);
        return true;
    case 4:
        *answer = mr_datum_plain(item->size);
        return true;
    case 5:
        *answer = mr_datum_plain(item->sink);
        return true;
    case 6:
        *answer = mr_datum_metres(item->height);
        return true;
    case 7:
        *answer = mr_datum_metres(item->room);
        return true;
    case 8:
        return mr_make_text(ev, mr_run_rule_name(of), MR_DATUM_TEXT, answer);
    case 9:
        return mr_run_group_name(ev, of, answer);
    case 10:
        return mr_make_text(ev, mr_view_of(item->key ? item->key : ""), MR_DATUM_TEXT, answer);
    default: {
        char wanted[64];
        mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(expr->text));
        return no_member(ev, expr, of, mr_nearest_name(wanted, names, NAMES));
    }
    }
}

static bool has_suffix(mr_view name, const char *suffix, mr_view *stem)
{
    size_t size = strlen(suffix);
    if (name.size <= size || memcmp(name.data + name.size - size, suffix, size) != 0) {
        return false;
    }
    *stem = (mr_view){ name.data, name.size - size };
    return true;
}

static bool land_spine(const mr_land *land, mr_view name, size_t *spine)
{
    for (size_t i = 0; i < land->spine_count; i++) {
        if (mr_view_is(name, land->spines[i].name)) {
            *spine = i;
            return true;
        }
    }
    return false;
}

// The spine whose distance a question's name asks for: NAMEDistance, the walkway's also pathDistance.
static bool distance_spine(const mr_land *land, mr_view name, size_t *spine)
{
    mr_view stem;
    if (!has_suffix(name, "Distance", &stem)) {
        return false;
    }
    return land_spine(land, stem, spine) ||
           (mr_view_is(stem, "path") && land_spine(land, MR_VIEW("walkway"), spine));
}

static bool land_layer(const mr_land *land, mr_view name, uint32_t *layer)
{
    for (uint32_t i = 0; i < land->raster->layer_count; i++) {
        if (mr_view_is(name, land->raster->layers[i].name)) {
            *layer = i;
            return true;
        }
    }
    return false;
}

bool mr_land_question(mr_evaluator *ev, const mr_land_datum *land, mr_view name, bool *found,
                      mr_datum *answer)
{
    mr_datum self = { .kind = MR_DATUM_LAND, .land = land };
    const mr_builtin *builtin = mr_builtin_find(MR_HOME_LAND, name);
    size_t spine;
    uint32_t layer;
    *found = true;
    if (builtin) {
        return make_closure(ev, (mr_closure){ .kind = MR_CLOSURE_BUILTIN, .builtin = builtin, .self = self },
                            answer);
    }
    if (distance_spine(land->land, name, &spine) || land_layer(land->land, name, &layer)) {
        return make_closure(ev, (mr_closure){ .kind = MR_CLOSURE_QUESTION, .name = name, .self = self },
                            answer);
    }
    *found = false;
    return true;
}

bool mr_land_question_number(const mr_land *land, mr_view name, bool *distance, size_t *number)
{
    uint32_t layer;
    *distance = distance_spine(land, name, number);
    if (*distance) {
        return true;
    }
    if (!land_layer(land, name, &layer)) {
        return false;
    }
    *number = layer;
    return true;
}

bool mr_land_answer(mr_evaluator *ev, const mr_closure *question, float x, float z, mr_datum *answer)
{
    (void)ev;
    const mr_land *land = question->self.land->land;
    size_t spine;
    uint32_t layer = 0;
    if (distance_spine(land, question->name, &spine)) {
        *answer = mr_datum_metres(mr_land_spine_distance(land, spine, x, z));
    } else {
        land_layer(land, question->name, &layer);
        *answer = mr_datum_plain(mr_land_layer(land, layer, x, z));
        answer->layer = true;
    }
    return true;
}

static bool land_member(mr_evaluator *ev, const mr_expr *expr, mr_datum of, mr_datum *answer)
{
    const mr_land *land = of.land->land;
    size_t spine;
    if (land_spine(land, expr->text, &spine)) {
        return mr_make_spine_of(ev, land->spines[spine].spine, of.land, answer);
    }
    bool found;
    if (!mr_land_question(ev, of.land, expr->text, &found, answer)) {
        return false;
    }
    if (found) {
        return true;
    }
    char texts[2 * MR_LAND_SPINES + MR_RASTER_LAYERS][48], wanted[64];
    const char *names[2 * MR_LAND_SPINES + MR_RASTER_LAYERS + 8];
    size_t count = 0;
    for (size_t i = 0; mr_builtin_at(MR_HOME_LAND, i) && count < 8; i++) {
        names[count++] = mr_builtin_at(MR_HOME_LAND, i)->name;
    }
    size_t text = 0;
    for (size_t i = 0; i < land->spine_count; i++) {
        mr_text_format(texts[text], sizeof texts[0], "%s", land->spines[i].name);
        names[count++] = texts[text++];
        bool walkway = strcmp(land->spines[i].name, "walkway") == 0;
        mr_text_format(texts[text], sizeof texts[0], "%sDistance", walkway ? "path" : land->spines[i].name);
        names[count++] = texts[text++];
    }
    for (uint32_t i = 0; i < land->raster->layer_count; i++) {
        mr_text_format(texts[text], sizeof texts[0], "%s", land->raster->layers[i].name);
        names[count++] = texts[text++];
    }
    mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(expr->text));
    return no_member(ev, expr, of, mr_nearest_name(wanted, names, count));
}

static bool part_member(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, mr_datum of,
                        mr_datum *answer)
{
    bool found;
    if (!mr_part_member(ev, of.part, expr->text, expr->place, &found, answer)) {
        return false;
    }
    if (found) {
        return true;
    }
    if (of.part->content.kind != MR_DATUM_NONE && of.part->content.kind != MR_DATUM_PART) {
        return mr_evaluate_member(ev, scope, expr, of.part->content, answer);
    }
    char near[64];
    uint32_t best = 3;
    near[0] = 0;
    for (uint32_t i = 0; i < of.part->layer_count; i++) {
        const mr_shape *shape = of.part->layers[i]->shape;
        for (size_t k = 0; k < shape->members.count; k++) {
            uint32_t distance = mr_edit_distance(shape->members.items[k].name, expr->text);
            if (distance < best && shape->members.items[k].name.size < sizeof near) {
                best = distance;
                mr_text_format(near, sizeof near, "%.*s", MR_VIEW_ARGS(shape->members.items[k].name));
            }
        }
    }
    char hint[96];
    mr_text_format(hint, sizeof hint, "did you mean %s?", near);
    return mr_evaluator_fail_with(ev, MR_BAD_INPUT, expr->place, near[0] ? hint : NULL, "%s has no %.*s",
                                  mr_instance_path(ev, of.part), MR_VIEW_ARGS(expr->text));
}

bool mr_space_member(mr_evaluator *ev, const mr_expr *expr, mr_view space, mr_datum *answer)
{
    if (mr_view_is(space, "materials")) {
        mr_member *member = mr_shape_find(ev->shapes->root, expr->text);
        if (member && member->kind == MR_MEMBER_MATERIAL) {
            return mr_member_value(ev, &ev->root->layers[0]->scope, member, expr->place, answer);
        }
        return mr_evaluator_fail_with(ev, MR_BAD_INPUT, expr->place,
                                      "declare it: material name: (0.3, 0.2, 0.1)",
                                      "no material is called %.*s", MR_VIEW_ARGS(expr->text));
    }
    if (!mr_space_is_family(space)) {
        mr_view *name = mr_evaluator_take(ev, sizeof *name);
        char *bytes = mr_evaluator_take(ev, space.size + expr->text.size + 2);
        if (!name || !bytes) {
            return false;
        }
        size_t size = mr_text_format(bytes, space.size + expr->text.size + 2, "%.*s.%.*s",
                                     MR_VIEW_ARGS(space), MR_VIEW_ARGS(expr->text));
        return make_closure(ev, (mr_closure){ .kind = MR_CLOSURE_PACKAGE, .name = { bytes, size } }, answer);
    }
    char full[128];
    mr_text_format(full, sizeof full, "%.*s.%.*s", MR_VIEW_ARGS(space), MR_VIEW_ARGS(expr->text));
    if (strcmp(full, "terrain.land") == 0) {
        const mr_builtin *land = mr_builtin_find(MR_HOME_WORLD, MR_VIEW("terrain.land"));
        return make_closure(ev, (mr_closure){ .kind = MR_CLOSURE_BUILTIN, .builtin = land }, answer);
    }
    const mr_node *node = mr_node_find(full);
    if (node) {
        return make_closure(ev, (mr_closure){ .kind = MR_CLOSURE_NODE, .node = node }, answer);
    }
    mr_error unknown = { 0 };
    mr_node_unknown(full, &unknown);
    return mr_evaluator_fail_with(ev, MR_BAD_INPUT, expr->place, unknown.hint[0] ? unknown.hint : NULL, "%s",
                                  unknown.message);
}

bool mr_evaluate_member(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, mr_datum of,
                        mr_datum *answer)
{
    switch (of.kind) {
    case MR_DATUM_SPOT:
        return spot_member(ev, expr, of, answer);
    case MR_DATUM_TUPLE:
        return tuple_member(ev, expr, of, answer);
    case MR_DATUM_RECORD:
        return record_member(ev, expr, of, answer);
    case MR_DATUM_LIST:
        return home_member(ev, expr, MR_HOME_LIST, of, answer);
    case MR_DATUM_SPINE:
        return home_member(ev, expr, MR_HOME_SPINE, of, answer);
    case MR_DATUM_STREAM:
        return home_member(ev, expr, MR_HOME_STREAM, of, answer);
    case MR_DATUM_LAND:
        return land_member(ev, expr, of, answer);
    case MR_DATUM_PLACED:
        return placed_member(ev, expr, of, answer);
    case MR_DATUM_PART:
        return part_member(ev, scope, expr, of, answer);
    case MR_DATUM_SPACE:
        return mr_space_member(ev, expr, *of.text, answer);
    case MR_DATUM_RANGE:
        if (mr_view_is(expr->text, "low") || mr_view_is(expr->text, "high")) {
            *answer = mr_view_is(expr->text, "low") ? of.range->low : of.range->high;
            return true;
        }
        return no_member(ev, expr, of, NULL);
    default:
        return no_member(ev, expr, of, NULL);
    }
}
