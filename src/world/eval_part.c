// world/eval_part.c: parts made from their declarations, and their fields, each computed once.

#include "world/population.h"

static const char *const option_names[] = { "at",   "turn",     "scale", "clearance", "footprint",
                                            "tint", "material", "bark",  "variants",  "hidden" };

bool mr_part_option_is(mr_view name)
{
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++) {
        if (mr_view_is(name, option_names[i])) {
            return true;
        }
    }
    return false;
}

static mr_layer *make_layer(mr_evaluator *ev, mr_instance *part, mr_shape *shape, const mr_scope *outer)
{
    mr_layer *layer = mr_arena_take(&ev->main, sizeof *layer);
    size_t slots = shape->members.count * sizeof *layer->slots,
           groups = shape->groups.count * sizeof *layer->groups;
    if (!layer) {
        mr_fail_memory(ev->error, sizeof *layer);
        return NULL;
    }
    layer->shape = shape;
    layer->instance = part;
    layer->scope = (mr_scope){ .outer = outer, .kind = MR_SCOPE_PART, .shape = shape, .layer = layer };
    layer->slots = slots ? mr_arena_take(&ev->main, slots) : NULL;
    layer->groups = groups ? mr_arena_take(&ev->main, groups) : NULL;
    if ((slots && !layer->slots) || (groups && !layer->groups)) {
        mr_fail_memory(ev->error, slots + groups);
        return NULL;
    }
    part->layers[part->layer_count++] = layer;
    return layer;
}

mr_instance *mr_instance_make(mr_evaluator *ev, mr_instance *parent, mr_shape *shape, const mr_scope *outer,
                              mr_datum key)
{
    mr_instance *part = mr_arena_take(&ev->main, sizeof *part);
    if (!part) {
        mr_fail_memory(ev->error, sizeof *part);
        return NULL;
    }
    part->parent = parent;
    part->depth = parent ? parent->depth + 1 : 0;
    part->key = key;
    part->next = ev->instances;
    ev->instances = part;
    return make_layer(ev, part, shape, outer) ? part : NULL;
}

void mr_instances_destroy(mr_evaluator *ev)
{
    for (mr_instance *part = ev->instances; part; part = part->next) {
        for (uint32_t i = 0; i < part->layer_count; i++) {
            mr_layer *layer = part->layers[i];
            for (size_t k = 0; layer->groups && k < layer->shape->groups.count; k++) {
                mr_array_free(ev->context, &layer->groups[k].instances);
                mr_array_free(ev->context, &layer->groups[k].statements);
            }
        }
    }
    ev->instances = NULL;
}

const char *mr_instance_path(mr_evaluator *ev, mr_instance *part)
{
    if (part->path) {
        return part->path;
    }
    const char *parent = part->parent ? mr_instance_path(ev, part->parent) : "";
    char key[96];
    bool keyed = part->key.kind != MR_DATUM_NONE && mr_datum_text(part->key, key, sizeof key);
    mr_view name = part->layers[0]->shape->name;
    size_t size = strlen(parent) + name.size + (keyed ? strlen(key) : 0) + 4;
    char *path = mr_arena_take(&ev->main, size);
    if (!path) {
        return "?";
    }
    mr_text_format(path, size, keyed ? "%s%s%.*s[%s]" : "%s%s%.*s", parent, parent[0] ? "." : "",
                   MR_VIEW_ARGS(name), key);
    return part->path = path;
}

static bool trail_push(mr_evaluator *ev, const char *what, const mr_instance *part, mr_view name)
{
    return mr_array_push(ev->context, &ev->trail, (mr_trail){ .what = what, .part = part, .name = name }) ||
           mr_fail_memory(ev->error, sizeof(mr_trail));
}

// "fields go round: a.x -> a.y -> a.x", from where the trail meets itself.
static bool fail_cycle(mr_evaluator *ev, const mr_instance *part, mr_view name, mr_place place)
{
    if (ev->collecting) { // what is under way waits for the clearances being gathered
        ev->derived = true;
        return mr_fail(ev->error, MR_BAD_INPUT, "derives from a scatter");
    }
    char round[MR_MESSAGE_SIZE - 64];
    size_t used = 0;
    bool inside = false;
    for (size_t i = 0; i < ev->trail.count; i++) {
        const mr_trail *step = &ev->trail.items[i];
        inside |= step->part == part && mr_view_equal(step->name, name);
        if (inside && used < sizeof round) {
            used += mr_text_format(round + used, sizeof round - used, "%s%.*s -> ", step->what,
                                   MR_VIEW_ARGS(step->name));
        }
    }
    if (used < sizeof round) {
        mr_text_format(round + used, sizeof round - used, "%.*s", MR_VIEW_ARGS(name));
    }
    mr_view subject = ev->subject;
    ev->subject = (mr_view){ 0 };
    mr_evaluator_fail(ev, place, "fields go round: %s", round);
    ev->subject = subject;
    return false;
}

// What an evaluation inside another's way puts aside and takes back.
typedef struct aside {
    mr_arena *arena;
    const mr_asked_now *asked;
    mr_view subject;
    bool tainted;
} aside;

static aside step_aside(mr_evaluator *ev, mr_view subject)
{
    aside kept = { ev->arena, ev->asked, ev->subject, ev->tainted };
    ev->arena = &ev->main;
    ev->asked = NULL;
    ev->subject = subject;
    ev->tainted = false;
    return kept;
}

// Answers whether what was computed derives from a scatter.
static bool step_back(mr_evaluator *ev, aside kept)
{
    bool tainted = ev->tainted;
    ev->arena = kept.arena;
    ev->asked = kept.asked;
    ev->subject = kept.subject;
    ev->tainted = kept.tainted || tainted;
    return tainted;
}

static bool read_tainted(mr_evaluator *ev)
{
    if (ev->collecting) {
        ev->derived = true;
        return mr_fail(ev->error, MR_BAD_INPUT, "derives from a scatter");
    }
    ev->tainted = true;
    return true;
}

static const mr_argument *decl_option(const mr_decl *decl, const char *name)
{
    for (size_t i = 0; decl && i < decl->option_count; i++) {
        if (mr_view_is(decl->options[i].name, name)) {
            return &decl->options[i];
        }
    }
    return NULL;
}

// `within: 5 ..= 15`: plain bounds take the field's unit.
static bool check_within(mr_evaluator *ev, const mr_layer *layer, const mr_decl *decl, mr_place place,
                         mr_datum value)
{
    const mr_argument *option = decl_option(decl, "within");
    mr_datum within;
    if (!option) {
        return true;
    }
    if (!mr_evaluate_as(ev, &layer->scope, option->value, &mr_type_range, &within)) {
        return false;
    }
    float low = mr_datum_as_number(within.range->low), high = mr_datum_as_number(within.range->high);
    mr_dimension bound = mr_datum_dimension(within.range->low);
    // Degrees are written plain too; angles are held in radians.
    if (mr_dimension_plain(bound) && mr_dimension_equal(mr_datum_dimension(value), mr_dimension_angle)) {
        low = (float)((double)low * (3.14159265358979323846 / 180.0));
        high = (float)((double)high * (3.14159265358979323846 / 180.0));
    } else if (!mr_dimension_plain(bound) && !mr_dimension_equal(bound, mr_datum_dimension(value))) {
        return mr_evaluator_fail(ev, option->value->place, "within is of another unit than the field");
    }
    if (!mr_datum_is_numeric(value)) {
        return mr_evaluator_fail(ev, option->value->place, "within is for numbers");
    }
    float number = mr_datum_as_number(value);
    if (number >= low && (within.range->to ? number <= high : number < high)) {
        return true;
    }
    char given[64], from[64], to[64];
    const char *unit = mr_dimension_unit(mr_datum_dimension(value));
    bool degrees = mr_dimension_equal(mr_datum_dimension(value), mr_dimension_angle);
    double scale = degrees ? 180.0 / 3.14159265358979323846 : 1.0;
    mr_text_format(given, sizeof given, "%g", (double)number * scale);
    mr_text_format(from, sizeof from, "%g", (double)low * scale);
    mr_text_format(to, sizeof to, "%g", (double)high * scale);
    return mr_evaluator_fail(ev, place, "%s%s%s is outside %s %s %s%s%s", given, unit[0] ? " " : "", unit,
                             from, within.range->to ? "..=" : "..<", to, unit[0] ? " " : "", unit);
}

static bool compute_material(mr_evaluator *ev, const mr_layer *layer, const mr_decl *decl, mr_datum *answer)
{
    mr_written_material *made = mr_evaluator_take(ev, sizeof *made);
    mr_datum base;
    if (!made || !mr_evaluate(ev, &layer->scope, decl->value, NULL, &base)) {
        return false;
    }
    char *name = mr_arena_text(ev->arena, decl->path[0].data, decl->path[0].size);
    *made = base.kind == MR_DATUM_MATERIAL
                ? *base.material
                : (mr_written_material){ .base_color = { 1, 1, 1, 1 }, .roughness = 1 };
    made->name = name;
    mr_datum color = base;
    if (base.kind != MR_DATUM_MATERIAL &&
        !mr_coerce(ev, &layer->scope, decl->value, &mr_type_color, &color)) {
        return false;
    }
    for (size_t i = 0; base.kind != MR_DATUM_MATERIAL && i < color.sequence->count; i++) {
        made->base_color[i] = mr_datum_as_number(color.sequence->items[i]);
    }
    for (size_t i = 0; i < decl->option_count; i++) {
        const mr_argument *option = &decl->options[i];
        static const char *const names[] = { "roughness", "metallic", "emissive", "doubleSided", "color" };
        static const mr_world_type *const types[] = { &mr_type_fraction, &mr_type_fraction, &mr_type_color,
                                                      &mr_type_bool, &mr_type_color };
        size_t at = 0;
        while (at < 5 && !mr_view_is(option->name, names[at])) {
            at++;
        }
        if (at == 5) {
            return mr_evaluator_fail(ev, option->place,
                                     "a material has no option %.*s (roughness metallic emissive "
                                     "doubleSided color)",
                                     MR_VIEW_ARGS(option->name));
        }
        mr_datum value;
        if (!mr_evaluate_as(ev, &layer->scope, option->value, types[at], &value)) {
            return false;
        }
        switch (at) {
        case 0:
            made->roughness = value.number;
            break;
        case 1:
            made->metallic = value.number;
            break;
        case 3:
            made->double_sided = value.boolean;
            break;
        default:
            for (size_t k = 0; k < value.sequence->count; k++) {
                float one = mr_datum_as_number(value.sequence->items[k]);
                if (at == 2 && k < 3) {
                    made->emissive[k] = one;
                } else if (at == 4) {
                    made->base_color[k] = one;
                }
            }
        }
    }
    *answer = (mr_datum){ .kind = MR_DATUM_MATERIAL, .material = made };
    return true;
}

// Where a field's value comes from: set from outside, given by the design's user, written, or its default.
static bool compute_field(mr_evaluator *ev, mr_layer *layer, const mr_member *member, mr_slot *slot,
                          mr_datum *answer)
{
    const mr_decl *decl = member->decl;
    if (member->kind == MR_MEMBER_MATERIAL) {
        return compute_material(ev, layer, decl, answer);
    }
    const mr_world_type *type = NULL;
    bool wrong = false, type_is_value = false;
    if (decl->type) {
        type = mr_type_or_value(ev, &layer->scope, decl->type, &wrong);
        type_is_value = !type && !wrong;
    }
    const mr_argument *initial = decl_option(decl, "default");
    const mr_expr *expr = member->set     ? member->set
                          : slot->expr    ? slot->expr
                          : decl->value   ? decl->value
                          : type_is_value ? decl->type
                          : initial       ? initial->value
                                          : NULL;
    const mr_scope *scope = member->set  ? &ev->root->layers[0]->scope
                            : slot->expr ? slot->scope
                                         : &layer->scope;
    mr_place place = member->set ? member->place : expr ? expr->place : slot->place;
    if (wrong) {
        return false;
    }
    if (slot->has_value && !member->set) {
        *answer = slot->value;
        place = slot->place;
    } else if (!expr) {
        return mr_evaluator_fail_with(ev, MR_BAD_INPUT, slot->place.line ? slot->place : member->place,
                                      "give it where the design is used, or a default:",
                                      "this field of %.*s is not given", MR_VIEW_ARGS(layer->shape->name));
    } else if (!mr_evaluate(ev, scope, expr, type, answer)) {
        return false;
    }
    const mr_expr at = { .kind = MR_EXPR_NONE, .place = place };
    return (!type || mr_coerce(ev, scope, expr ? expr : &at, type, answer)) &&
           check_within(ev, layer, decl, place, *answer);
}

static void name_rule_or_run(mr_evaluator *ev, mr_layer *layer, const mr_member *member, mr_datum value)
{
    if (value.kind == MR_DATUM_RULE) {
        mr_rule_set_name(value.rule, member->name);
    } else if (value.kind == MR_DATUM_LIST && value.sequence->run) {
        mr_run_set_owner(ev, value.sequence->run, layer->instance, member->name);
    }
}

bool mr_field_value(mr_evaluator *ev, mr_layer *layer, mr_member *member, mr_datum *answer)
{
    mr_slot *slot = &layer->slots[(size_t)(member - layer->shape->members.items)];
    if (slot->state == MR_DONE) {
        *answer = slot->value;
        return !slot->tainted || read_tainted(ev);
    }
    if (slot->state == MR_UNDER_WAY) {
        return fail_cycle(ev, layer->instance, member->name, member->place);
    }
    if (!trail_push(ev, "", layer->instance, member->name)) {
        return false;
    }
    slot->state = MR_UNDER_WAY;
    aside kept = step_aside(ev, member->name);
    mr_datum value;
    bool done = compute_field(ev, layer, member, slot, &value);
    bool tainted = step_back(ev, kept);
    ev->trail.count--;
    slot->state = done ? MR_DONE : MR_NOT_BEGUN;
    if (done) {
        slot->value = *answer = value;
        slot->tainted = tainted;
        name_rule_or_run(ev, layer, member, value);
    }
    return done;
}

// Lines of a body.

static bool run_decl(mr_evaluator *ev, mr_layer *layer, mr_group *group, const mr_scope **scope,
                     const mr_decl *decl);

static bool run_decls(mr_evaluator *ev, mr_layer *layer, mr_group *group, const mr_scope *scope,
                      mr_decl *const *decls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!run_decl(ev, layer, group, &scope, decls[i])) {
            return false;
        }
    }
    return true;
}

static bool run_each(mr_evaluator *ev, mr_layer *layer, mr_group *group, const mr_scope *scope,
                     const mr_decl *decl)
{
    mr_datum list;
    size_t count;
    if (!mr_evaluate(ev, scope, decl->value, NULL, &list) ||
        !mr_elements_of(ev, list, decl->value->place, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const mr_scope *inside;
        if (!mr_bind_pattern(ev, scope, decl->params, decl->param_count, decl->pattern_tuple, true,
                             (int64_t)i, mr_element_at(list, i), decl->place, &inside) ||
            !run_decls(ev, layer, group, inside, decl->body, decl->body_count)) {
            return false;
        }
        if ((i & 255u) == 0 && !mr_keep_going(ev->context, ev->error)) {
            return mr_evaluator_failed_at(ev, decl->place);
        }
    }
    return true;
}

static bool run_part(mr_evaluator *ev, mr_layer *layer, mr_group *group, const mr_scope *scope,
                     const mr_decl *decl)
{
    mr_shape *shape = ev->shapes->by_decl[decl->id];
    mr_datum key = mr_datum_none();
    if (!shape) {
        return mr_evaluator_fail(ev, decl->place, "a part cannot stand here");
    }
    if (decl->index) {
        if (!mr_evaluate(ev, scope, decl->index, NULL, &key)) {
            return false;
        }
        if (key.kind != MR_DATUM_INT && key.kind != MR_DATUM_TEXT) {
            char what[96];
            mr_datum_describe(key, what, sizeof what);
            return mr_evaluator_fail(ev, decl->index->place,
                                     "a part is numbered by a whole number or a text, not %s", what);
        }
    }
    if (layer->instance->depth + 1 > MR_PARTS_DEEPEST) {
        return mr_evaluator_fail_with(ev, MR_LIMIT, decl->place, "does a design hold itself?",
                                      "parts stand inside each other more than %d deep", MR_PARTS_DEEPEST);
    }
    mr_instance *part = mr_instance_make(ev, layer->instance, shape, scope, key);
    return part &&
           (mr_array_push(ev->context, &group->instances, part) || mr_fail_memory(ev->error, sizeof part));
}

static bool run_decl(mr_evaluator *ev, mr_layer *layer, mr_group *group, const mr_scope **scope,
                     const mr_decl *decl)
{
    switch (decl->kind) {
    case MR_DECL_PART:
        return run_part(ev, layer, group, *scope, decl);
    case MR_DECL_EACH:
        return run_each(ev, layer, group, *scope, decl);
    case MR_DECL_IF: {
        bool holds;
        return mr_evaluate_condition(ev, *scope, decl->value, &holds) &&
               run_decls(ev, layer, group, *scope, holds ? decl->body : decl->otherwise,
                         holds ? decl->body_count : decl->otherwise_count);
    }
    case MR_DECL_LET: {
        mr_datum value;
        return mr_evaluate(ev, *scope, decl->value, NULL, &value) &&
               mr_bind_pattern(ev, *scope, decl->params, decl->param_count, decl->pattern_tuple, false, 0,
                               value, decl->place, scope);
    }
    case MR_DECL_STATEMENT:
        return mr_array_push(ev->context, &group->statements, (mr_statement){ decl, *scope }) ||
               mr_fail_memory(ev->error, sizeof(mr_statement));
    default:
        return true;
    }
}

static uint64_t key_hash(mr_datum key, mr_view name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < name.size; i++) {
        hash = (hash ^ (uint8_t)name.data[i]) * 0x100000001b3u;
    }
    if (key.kind == MR_DATUM_INT) {
        return (hash ^ (uint64_t)key.integer) * 0x9e3779b97f4a7c15u;
    }
    for (size_t i = 0; key.kind == MR_DATUM_TEXT && i < key.text->size; i++) {
        hash = (hash ^ (uint8_t)key.text->data[i]) * 0x100000001b3u;
    }
    return hash * 0x9e3779b97f4a7c15u;
}

// Two parts of one name and index, over all lines of the body that are made: a table of what is there.
static bool check_doubles(mr_evaluator *ev, const mr_layer *layer, const mr_group *made)
{
    size_t total = 0;
    for (size_t g = 0; g < layer->shape->groups.count; g++) {
        total += layer->groups[g].instances.count;
    }
    if (total < 2) {
        return true;
    }
    size_t size = 4;
    while (size < 2 * total) {
        size *= 2;
    }
    mr_instance **table = mr_allocate_zeroed(ev->context, size * sizeof *table);
    if (!table) {
        return mr_fail_memory(ev->error, size * sizeof *table);
    }
    bool good = true;
    for (size_t g = 0; good && g < layer->shape->groups.count; g++) {
        const mr_group *group = &layer->groups[g];
        for (size_t i = 0; good && i < group->instances.count; i++) {
            mr_instance *part = group->instances.items[i];
            mr_view name = part->layers[0]->shape->name;
            size_t at = (size_t)key_hash(part->key, name) >> 7 & (size - 1);
            for (; table[at]; at = (at + 1) & (size - 1)) {
                if (mr_view_equal(table[at]->layers[0]->shape->name, name) &&
                    mr_datum_equal(table[at]->key, part->key)) {
                    mr_place other = table[at]->layers[0]->shape->decl->place;
                    mr_place here = part->layers[0]->shape->decl->place;
                    char hint[96];
                    mr_text_format(hint, sizeof hint, "the other is made at %u:%u", other.line, other.column);
                    good = mr_evaluator_fail_with(ev, MR_BAD_INPUT, here, hint, "two parts are called %s",
                                                  mr_instance_path(ev, part));
                    break;
                }
            }
            table[at] = part;
        }
    }
    mr_free(ev->context, table);
    (void)made;
    return good;
}

bool mr_instance_group(mr_evaluator *ev, mr_layer *layer, size_t number)
{
    mr_group *group = &layer->groups[number];
    const mr_decl *decl = layer->shape->groups.items[number];
    if (group->state == MR_DONE) {
        return !group->tainted || read_tainted(ev);
    }
    mr_view name = decl->path_count ? decl->path[decl->path_count - 1] : MR_VIEW("each");
    if (group->state == MR_UNDER_WAY) {
        return fail_cycle(ev, layer->instance, name, decl->place);
    }
    if (!trail_push(ev, decl->path_count ? "" : "parts of ", layer->instance, name)) {
        return false;
    }
    group->state = MR_UNDER_WAY;
    aside kept = step_aside(ev, (mr_view){ 0 });
    const mr_scope *scope = &layer->scope;
    bool done = run_decl(ev, layer, group, &scope, decl) && check_doubles(ev, layer, group);
    group->tainted = step_back(ev, kept);
    ev->trail.count--;
    group->state = done ? MR_DONE : MR_NOT_BEGUN;
    if (!done) {
        group->instances.count = 0;
        group->statements.count = 0;
    }
    return done;
}

static bool gather_family(mr_evaluator *ev, mr_layer *layer, const mr_member *member, mr_datum *answer)
{
    size_t count = 0;
    for (size_t i = 0; i < member->groups.count; i++) {
        if (!mr_instance_group(ev, layer, member->groups.items[i])) {
            return false;
        }
        const mr_group *group = &layer->groups[member->groups.items[i]];
        for (size_t k = 0; k < group->instances.count; k++) {
            count += mr_view_equal(group->instances.items[k]->layers[0]->shape->name, member->name);
        }
    }
    mr_sequence *made = mr_make_sequence(ev, count, false);
    mr_datum *keys = mr_evaluator_take(ev, count * sizeof *keys + 1);
    if (!made || !keys) {
        return false;
    }
    count = 0;
    for (size_t i = 0; i < member->groups.count; i++) {
        const mr_group *group = &layer->groups[member->groups.items[i]];
        for (size_t k = 0; k < group->instances.count; k++) {
            mr_instance *part = group->instances.items[k];
            if (mr_view_equal(part->layers[0]->shape->name, member->name)) {
                keys[count] = part->key;
                ((mr_datum *)made->items)[count++] = (mr_datum){ .kind = MR_DATUM_PART, .part = part };
            }
        }
    }
    made->keys = keys;
    if (!member->family) {
        *answer = count ? made->items[0] : mr_datum_none();
    } else {
        *answer = (mr_datum){ .kind = MR_DATUM_LIST, .sequence = made };
    }
    return true;
}

static bool part_value(mr_evaluator *ev, mr_layer *layer, const mr_member *member, mr_datum *answer)
{
    if (member->shape->design) {
        mr_design *made = mr_evaluator_take(ev, sizeof *made);
        if (!made) {
            return false;
        }
        *made = (mr_design){ .shape = member->shape };
        *answer = (mr_datum){ .kind = MR_DATUM_DESIGN, .design = made };
        return true;
    }
    mr_slot *slot = &layer->slots[(size_t)(member - layer->shape->members.items)];
    if (slot->state == MR_DONE) {
        *answer = slot->value;
        return !slot->tainted || read_tainted(ev);
    }
    aside kept = step_aside(ev, (mr_view){ 0 });
    mr_datum value;
    bool done = gather_family(ev, layer, member, &value);
    slot->tainted = step_back(ev, kept);
    if (done) {
        slot->value = *answer = value;
        slot->state = MR_DONE;
    }
    return done;
}

static bool make_function(mr_evaluator *ev, mr_closure closure, mr_datum *answer)
{
    mr_closure *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = closure;
    *answer = (mr_datum){ .kind = MR_DATUM_FUNCTION, .function = made };
    return true;
}

bool mr_member_value(mr_evaluator *ev, const mr_scope *scope, mr_member *member, mr_place place,
                     mr_datum *answer)
{
    mr_layer *layer = scope->layer;
    (void)place;
    switch (member->kind) {
    case MR_MEMBER_FIELD:
    case MR_MEMBER_STATE:
    case MR_MEMBER_MATERIAL:
        return mr_field_value(ev, layer, member, answer);
    case MR_MEMBER_FUNCTION:
        return make_function(
            ev, (mr_closure){ .kind = MR_CLOSURE_DECL, .decl = member->decl, .scope = &layer->scope },
            answer);
    case MR_MEMBER_RECORD:
        return make_function(
            ev, (mr_closure){ .kind = MR_CLOSURE_RECORD, .decl = member->decl, .scope = &layer->scope },
            answer);
    case MR_MEMBER_PART:
        return part_value(ev, layer, member, answer);
    }
    return false;
}

static bool give_field(mr_evaluator *ev, mr_layer *layer, mr_view name, mr_place place, mr_slot **slot)
{
    mr_member *member = mr_shape_find(layer->shape, name);
    if (!member || member->kind != MR_MEMBER_FIELD) {
        const char *names[64];
        char texts[64][48], wanted[48], hint[80];
        size_t count = 0;
        for (size_t i = 0; i < layer->shape->members.count && count < 64; i++) {
            const mr_member *one = &layer->shape->members.items[i];
            if (one->kind == MR_MEMBER_FIELD) {
                mr_text_format(texts[count], sizeof texts[0], "%.*s", MR_VIEW_ARGS(one->name));
                names[count] = texts[count];
                count++;
            }
        }
        mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(name));
        const char *near = mr_nearest_name(wanted, names, count);
        mr_text_format(hint, sizeof hint, "did you mean %s?", near ? near : "");
        return mr_evaluator_fail_with(ev, MR_BAD_INPUT, place, near ? hint : NULL, "%.*s has no field %.*s",
                                      MR_VIEW_ARGS(layer->shape->name), MR_VIEW_ARGS(name));
    }
    *slot = &layer->slots[(size_t)(member - layer->shape->members.items)];
    return true;
}

static bool give_fields(mr_evaluator *ev, mr_layer *layer, const mr_design *design)
{
    for (size_t i = 0; i < design->count; i++) {
        mr_slot *slot;
        if (!give_field(ev, layer, design->names[i], design->places[i], &slot)) {
            return false;
        }
        slot->has_value = true;
        slot->value = design->values[i];
        slot->place = design->places[i];
    }
    return true;
}

static bool give_options(mr_evaluator *ev, mr_layer *layer, const mr_layer *from)
{
    const mr_decl *decl = from->shape->decl;
    for (size_t i = 0; i < decl->option_count; i++) {
        const mr_argument *option = &decl->options[i];
        mr_slot *slot;
        if (mr_part_option_is(option->name)) {
            continue;
        }
        if (!give_field(ev, layer, option->name, option->place, &slot)) {
            return false;
        }
        slot->has_value = false;
        slot->expr = option->value;
        slot->scope = &from->scope;
        slot->place = option->place;
    }
    return true;
}

static bool no_design_options(mr_evaluator *ev, const mr_decl *decl)
{
    for (size_t i = 0; i < decl->option_count; i++) {
        if (!mr_part_option_is(decl->options[i].name)) {
            char hint[MR_HINT_SIZE];
            mr_name_hint(decl->options[i].name, option_names, sizeof option_names / sizeof *option_names,
                         hint, sizeof hint);
            return mr_evaluator_fail_with(ev, MR_BAD_INPUT, decl->options[i].place, hint,
                                          "a part has no option %.*s", MR_VIEW_ARGS(decl->options[i].name));
        }
    }
    return true;
}

static bool open_layers(mr_evaluator *ev, mr_instance *part)
{
    for (uint32_t i = part->layer_count - 1; i < part->layer_count; i++) {
        mr_layer *layer = part->layers[i];
        const mr_decl *decl = layer->shape->decl;
        if (!decl || !decl->value) {
            return !decl || no_design_options(ev, decl);
        }
        mr_datum header;
        if (!mr_evaluate(ev, &layer->scope, decl->value, NULL, &header)) {
            return false;
        }
        if (header.kind != MR_DATUM_DESIGN) {
            part->content = header;
            return no_design_options(ev, decl);
        }
        if (part->layer_count == MR_LAYERS_MAX) {
            return mr_evaluator_fail(ev, decl->value->place,
                                     "designs are made of each other more than %d deep", MR_LAYERS_MAX);
        }
        mr_layer *next = make_layer(ev, part, header.design->shape, &ev->root->layers[0]->scope);
        if (!next || !give_fields(ev, next, header.design) || !give_options(ev, next, layer)) {
            return false;
        }
    }
    return true;
}

bool mr_instance_open(mr_evaluator *ev, mr_instance *part)
{
    mr_view name = part->layers[0]->shape->name;
    if (part->opened == MR_DONE) {
        return !part->tainted || read_tainted(ev);
    }
    mr_place place = part->layers[0]->shape->decl ? part->layers[0]->shape->decl->place : (mr_place){ 0 };
    if (part->opened == MR_UNDER_WAY) {
        return fail_cycle(ev, part, name, place);
    }
    if (!trail_push(ev, "", part, name)) {
        return false;
    }
    uint32_t layers = part->layer_count;
    part->opened = MR_UNDER_WAY;
    aside kept = step_aside(ev, name);
    bool done = open_layers(ev, part);
    part->tainted = step_back(ev, kept);
    ev->trail.count--;
    part->opened = done ? MR_DONE : MR_NOT_BEGUN;
    if (!done) {
        part->layer_count = layers; // tried again from the start, should the failure have been passed over
    }
    return done;
}

bool mr_part_member(mr_evaluator *ev, mr_instance *part, mr_view name, mr_place place, bool *found,
                    mr_datum *answer)
{
    *found = true;
    mr_member *member = mr_shape_find(part->layers[0]->shape, name);
    if (member) {
        return mr_member_value(ev, &part->layers[0]->scope, member, place, answer);
    }
    if (!mr_instance_open(ev, part)) {
        return false;
    }
    for (uint32_t i = 1; i < part->layer_count; i++) {
        member = mr_shape_find(part->layers[i]->shape, name);
        if (member) {
            return mr_member_value(ev, &part->layers[i]->scope, member, place, answer);
        }
    }
    if (mr_part_option_is(name)) {
        static const struct {
            const char *name;
            const mr_world_type *type;
        } readable[] = { { "clearance", &mr_type_length },
                         { "footprint", &mr_type_list },
                         { "at", &mr_type_spot },
                         { "turn", &mr_type_angle },
                         { "tint", &mr_type_color } };
        for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
            mr_place where;
            if (mr_view_is(name, readable[i].name)) {
                return mr_instance_option(ev, part, readable[i].name, readable[i].type, found, answer,
                                          &where);
            }
        }
    }
    *found = false;
    return true;
}

mr_instance *mr_instance_of_design(mr_evaluator *ev, mr_shape *shape, const mr_design *given)
{
    mr_instance *part = mr_instance_make(ev, NULL, shape, &ev->root->layers[0]->scope, mr_datum_none());
    return part && (!given || give_fields(ev, part->layers[0], given)) ? part : NULL;
}
