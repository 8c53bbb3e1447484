// world/check_decl.c: declarations: fields, parts and their options, functions, loops.

#include "world/check_state.h"

mr_statement_kept mr_check_begin(mr_checker *c, mr_view subject)
{
    mr_statement_kept kept = { c->reported, c->subject, c->depth, c->lambdas.count, c->path };
    c->reported = false;
    c->subject = subject;
    return kept;
}

void mr_check_end(mr_checker *c, mr_statement_kept kept)
{
    // Functions that were handed to nobody who asks them: with parameters of any type.
    while (c->lambdas.count > kept.lambdas) {
        mr_typed lambda = c->lambdas.items[--c->lambdas.count];
        mr_typed types[64];
        for (size_t i = 0; i < 64; i++) {
            types[i] = &mr_type_any;
        }
        if (lambda->expr && lambda->expr->param_count <= 64) {
            mr_check_apply(c, lambda, types, lambda->expr->param_count, lambda->expr->place);
        }
    }
    c->reported = kept.reported;
    c->subject = kept.subject;
    c->depth = kept.depth;
    c->path = kept.path;
}

mr_typed mr_check_written_type(mr_checker *c, const mr_scope *scope, const mr_expr *expr)
{
    mr_typed type = &mr_type_any;
    mr_type_reading reading = mr_type_read(&c->arena, scope, c->file, expr, &type);
    if (reading == MR_READ_TYPE) {
        return type;
    }
    c->out_of_memory |= reading == MR_READ_NO_MEMORY;
    char message[MR_MESSAGE_SIZE], hint[MR_HINT_SIZE];
    mr_type_unknown(expr, message, hint);
    return mr_check_fail(c, expr->place, hint[0] ? hint : NULL, "%s", message);
}

// Names

void mr_check_hiding(mr_checker *c, const mr_scope *outer, mr_view name, mr_place place)
{
    if (c->calls > 0) {
        return;
    }
    for (const mr_scope *scope = outer; scope && scope->kind != MR_SCOPE_PART; scope = scope->outer) {
        if (scope->kind == MR_SCOPE_CELL && mr_view_equal(scope->name, name)) {
            mr_check_warn(c, place, NULL, "%.*s hides the %.*s of %u:%u", MR_VIEW_ARGS(name),
                          MR_VIEW_ARGS(name), scope->place.line, scope->place.column);
            return;
        }
        if (scope->kind == MR_SCOPE_ASKED) {
            for (uint32_t i = 0; i < MR_ASKED_COUNT; i++) {
                if ((scope->asked->visible >> i & 1u) && mr_view_is(name, mr_asked_texts[i])) {
                    mr_check_warn(c, place, NULL, "%.*s hides the candidate's %.*s", MR_VIEW_ARGS(name),
                                  MR_VIEW_ARGS(name));
                    return;
                }
            }
        }
    }
}

const mr_scope *mr_check_bind(mr_checker *c, const mr_scope *outer, mr_view name, mr_place place,
                              mr_typed type)
{
    mr_scope *cell = mr_check_take(c, sizeof *cell);
    if (!cell) {
        return outer;
    }
    *cell = (mr_scope){ .outer = outer, .kind = MR_SCOPE_CELL, .name = name, .place = place, .type = type };
    return cell;
}

// What one name of a pattern is, of a value of this type.
static mr_typed pattern_type(mr_checker *c, size_t count, bool tuple, bool numbered, size_t which,
                             mr_typed value, mr_place place)
{
    if (!tuple || count == 1 || mr_typed_unknown(value)) {
        return !tuple || count == 1 ? value : &mr_type_any;
    }
    if (value->of == MR_OF_TUPLE && value->count == count) {
        return value->items[which];
    }
    if (numbered && count == 2) {
        return which == 0 ? &mr_type_int : value;
    }
    char got[256];
    mr_type_describe(value, got, sizeof got);
    return mr_check_fail(c, place, NULL, "%zu names cannot take %s apart", count, got);
}

const mr_scope *mr_check_pattern(mr_checker *c, const mr_scope *outer, const mr_param *pattern, size_t count,
                                 bool tuple, bool numbered, mr_typed value, mr_place place)
{
    const mr_scope *scope = outer;
    for (size_t i = 0; i < count; i++) {
        mr_check_hiding(c, outer, pattern[i].name, pattern[i].place);
        scope = mr_check_bind(c, scope, pattern[i].name, pattern[i].place,
                              pattern_type(c, count, tuple, numbered, i, value, place));
    }
    return scope;
}

mr_typed mr_check_value(mr_checker *c, const mr_decl *decl)
{
    mr_typed *value = &c->value_of[decl->id];
    if (*value) {
        return *value;
    }
    *value = &mr_type_any; // asked for again on the way
    mr_statement_kept kept = mr_check_begin(c, (mr_view){ 0 });
    const mr_scope *scope = c->scope_of[decl->id];
    if (decl->kind == MR_DECL_PART && c->shapes->by_decl[decl->id]) {
        scope = c->shapes->by_decl[decl->id]->scope; // a header sees the part's own fields
    }
    if (decl->value && scope) {
        *value = mr_check_expr(c, scope, decl->value, NULL);
    } else if (!decl->value) {
        *value = &mr_type_none;
    }
    mr_check_end(c, kept);
    return *value;
}

mr_typed mr_check_cell(mr_checker *c, const mr_scope *cell)
{
    if (cell->type) {
        return cell->type;
    }
    const mr_decl *decl = cell->decl;
    mr_typed value = mr_check_value(c, decl);
    bool each = decl->kind == MR_DECL_EACH;
    mr_statement_kept kept = mr_check_begin(c, (mr_view){ 0 });
    c->reported = true; // said where the declaration itself is checked
    if (each) {
        value = mr_check_element_of(c, decl->value->place, value);
    }
    mr_typed type =
        pattern_type(c, decl->param_count, decl->pattern_tuple, each, cell->pattern, value, decl->place);
    mr_check_end(c, kept);
    ((mr_scope *)(uintptr_t)cell)->type = type;
    return type;
}

// Fields

static mr_typed fail_cycle(mr_checker *c, const mr_member *member)
{
    char round[MR_MESSAGE_SIZE - 64];
    size_t used = 0;
    bool inside = false;
    for (size_t i = 0; i < c->fields.count; i++) {
        inside |= c->fields.items[i] == member;
        if (inside && used < sizeof round) {
            used += mr_text_format(round + used, sizeof round - used, "%.*s -> ",
                                   MR_VIEW_ARGS(c->fields.items[i]->name));
        }
    }
    if (used < sizeof round) {
        mr_text_format(round + used, sizeof round - used, "%.*s", MR_VIEW_ARGS(member->name));
    }
    c->subject = (mr_view){ 0 };
    return mr_check_fail(c, member->place, NULL, "fields go round: %s", round);
}

static void check_within(mr_checker *c, const mr_scope *scope, const mr_decl *decl, mr_typed type,
                         const mr_expr *value)
{
    for (size_t i = 0; i < decl->option_count; i++) {
        const mr_expr *within = decl->options[i].value;
        double low, high, given;
        if (!mr_view_is(decl->options[i].name, "within")) {
            continue;
        }
        mr_typed range = mr_check_as(c, scope, within, &mr_type_range);
        if (!mr_typed_unknown(type) && !mr_typed_numeric(type)) {
            mr_check_fail(c, within->place, NULL, "within is for numbers");
        } else if (range->of == MR_OF_RANGE && range->element && mr_typed_numeric(range->element)) {
            mr_dimension bound = mr_typed_dimension(range->element);
            if (!mr_typed_unknown(type) && !mr_dimension_plain(bound) &&
                !mr_dimension_equal(bound, mr_typed_dimension(type))) {
                mr_check_fail(c, within->place, NULL, "within is of another unit than the field");
            }
        }
        if (!value || within->kind != MR_EXPR_BINARY || !mr_check_literal(value, &given) ||
            !mr_check_literal(within->a, &low) || !mr_check_literal(within->b, &high)) {
            continue;
        }
        bool degrees = mr_dimension_equal(mr_typed_dimension(type), mr_dimension_angle);
        double scale = degrees ? 3.14159265358979323846 / 180.0 : 1.0;
        low = within->a->unit ? low : low * scale;
        high = within->b->unit ? high : high * scale;
        bool to = within->op == MR_OPERATOR_RANGE_TO;
        // A bound in f32 is the literal's own, so a value that equals it as written is inside.
        if ((float)given < (float)low || (to ? (float)given > (float)high : (float)given >= (float)high)) {
            const char *unit = mr_dimension_unit(mr_typed_dimension(type));
            mr_check_fail(c, value->place, NULL, "%g%s%s is outside %g %s %g%s%s", given / scale,
                          unit[0] ? " " : "", unit, low / scale, to ? "..=" : "..<", high / scale,
                          unit[0] ? " " : "", unit);
        }
    }
}

static void check_field_options(mr_checker *c, const mr_scope *scope, const mr_decl *decl, mr_typed type)
{
    for (size_t i = 0; i < decl->option_count; i++) {
        const mr_argument *option = &decl->options[i];
        if (mr_view_is(option->name, "default")) {
            mr_check_as(c, scope, option->value, type);
            check_within(c, scope, decl, type, option->value);
        } else if (!mr_view_is(option->name, "within")) {
            mr_check_fail(c, option->place, NULL, "a field has no option %.*s (within, default)",
                          MR_VIEW_ARGS(option->name));
        }
    }
}

// The set value is in another text than the file's: its places mean nothing there.
static void check_set(mr_checker *c, const mr_member *member, mr_typed type)
{
    mr_statement_kept kept = mr_check_begin(c, (mr_view){ 0 });
    c->path = member->set_path;
    mr_check_as(c, c->shapes->root->scope, member->set, type);
    check_within(c, c->shapes->root->scope, member->decl, type, member->set);
    mr_check_end(c, kept);
}

static mr_typed work_field(mr_checker *c, const mr_scope *scope, const mr_member *member)
{
    const mr_decl *decl = member->decl;
    mr_typed written = NULL;
    const mr_expr *value = decl->value;
    if (decl->type) {
        mr_typed type = &mr_type_any;
        mr_type_reading reading = mr_type_read(&c->arena, scope, c->file, decl->type, &type);
        c->out_of_memory |= reading == MR_READ_NO_MEMORY;
        bool nothing = reading == MR_READ_VALUE && decl->type->kind == MR_EXPR_NAME &&
                       mr_scope_find(scope, c->file, decl->type->text).kind == MR_FOUND_NOTHING;
        if (reading == MR_READ_TYPE) {
            written = type;
        } else if (reading == MR_READ_VALUE && !value && !nothing) {
            value = decl->type;
        } else {
            written = mr_check_written_type(c, scope, decl->type);
        }
    }
    mr_typed given = value ? mr_check_expr(c, scope, value, written) : NULL;
    if (given && written && !mr_check_fits(c, value, given, written)) {
        given = &mr_type_broken;
    }
    // What was worked out may say more than what was written (which spines a land has, which design a part is).
    bool nearer = given && written && given->of == written->of && given->of != MR_OF_NUMBER &&
                  given->of != MR_OF_INT && given->of != MR_OF_CHOICE && given->of != MR_OF_TUPLE &&
                  !(written->of == MR_OF_LIST && !given->from_scatter);
    mr_typed type = nearer || !written ? (given ? given : &mr_type_any) : written;
    check_field_options(c, scope, decl, type);
    if (value) {
        check_within(c, scope, decl, type, value);
    } else if (decl->option_count > 0) {
        check_within(c, scope, decl, type, NULL);
    }
    if (member->set) {
        check_set(c, member, type);
    }
    return type;
}

static mr_typed work_material(mr_checker *c, const mr_scope *scope, const mr_decl *decl)
{
    mr_typed base = mr_check_expr(c, scope, decl->value, NULL);
    if (base->of != MR_OF_MATERIAL) {
        mr_check_fits(c, decl->value, base, &mr_type_color);
    }
    static const char *const names[] = { "roughness", "metallic", "emissive", "doubleSided", "color" };
    static mr_typed const types[] = { &mr_type_fraction, &mr_type_fraction, &mr_type_color, &mr_type_bool,
                                      &mr_type_color };
    for (size_t i = 0; i < decl->option_count; i++) {
        size_t at = 0;
        while (at < 5 && !mr_view_is(decl->options[i].name, names[at])) {
            at++;
        }
        if (at == 5) {
            mr_check_fail(c, decl->options[i].place, NULL,
                          "a material has no option %.*s (roughness metallic emissive doubleSided color)",
                          MR_VIEW_ARGS(decl->options[i].name));
        } else {
            c->subject = decl->options[i].name;
            mr_check_as(c, scope, decl->options[i].value, types[at]);
        }
    }
    return &mr_type_material;
}

mr_typed mr_check_member(mr_checker *c, const mr_scope *scope, mr_member *member)
{
    enum { NOT_YET_WORKED, WORKING, WORKED };
    member->read = true;
    if (member->type_state == WORKED && member->type) {
        return member->type;
    }
    if (member->type_state == WORKING) {
        // Written out, its type is known whichever way the values go; that they go round is found when they are computed.
        mr_typed written = NULL;
        if (member->decl->type &&
            mr_type_read(&c->arena, scope, c->file, member->decl->type, &written) == MR_READ_TYPE) {
            return written;
        }
        return member->kind == MR_MEMBER_PART ? &mr_type_any : fail_cycle(c, member);
    }
    const mr_decl *decl = member->decl;
    switch (member->kind) {
    case MR_MEMBER_FUNCTION:
        return mr_check_type(c, (mr_world_type){ .of = MR_OF_FUNCTION, .decl = decl, .scope = scope });
    case MR_MEMBER_RECORD:
        return mr_check_type(c, (mr_world_type){ .of = MR_OF_FUNCTION, .decl = decl, .scope = scope });
    case MR_MEMBER_PART: {
        bool design = member->shape->design;
        mr_typed part = mr_check_type(
            c, (mr_world_type){ .of = design ? MR_OF_DESIGN : MR_OF_PART, .shape = member->shape });
        if (member->family && !design) {
            part = mr_check_type(c, (mr_world_type){ .of = MR_OF_LIST, .element = part, .family = true });
        }
        return part;
    }
    default:
        break;
    }
    if (!mr_array_push(c->context, &c->fields, member)) {
        c->out_of_memory = true;
        return &mr_type_broken;
    }
    member->type_state = WORKING;
    mr_statement_kept kept = mr_check_begin(c, member->name);
    uint32_t calls = c->calls;
    c->calls = 0;
    mr_typed type = member->kind == MR_MEMBER_MATERIAL ? work_material(c, scope, decl)
                    : member->kind == MR_MEMBER_STATE  ? mr_check_expr(c, scope, decl->value, NULL)
                                                       : work_field(c, scope, member);
    mr_check_end(c, kept);
    c->calls = calls;
    c->fields.count--;
    member->type = type;
    member->type_state = WORKED;
    return type;
}

mr_typed mr_check_content(mr_checker *c, mr_shape *shape)
{
    for (uint32_t links = 0; shape && shape->decl && links < 16; links++) {
        mr_typed header = mr_check_value(c, shape->decl);
        if (header->of != MR_OF_DESIGN) {
            return header;
        }
        shape = header->shape;
    }
    return &mr_type_any;
}

// Parts

static const struct {
    const char *name;
    mr_typed type;
} part_options[] = {
    { "at", &mr_type_spot },           { "turn", &mr_type_angle },     { "scale", &mr_type_any },
    { "clearance", &mr_type_length },  { "footprint", &mr_type_list }, { "tint", &mr_type_color },
    { "material", &mr_type_material }, { "bark", &mr_type_any },       { "variants", &mr_type_list },
    { "hidden", &mr_type_bool },
};
enum { PART_OPTIONS = sizeof part_options / sizeof *part_options };

void mr_check_given(mr_checker *c, const mr_scope *scope, mr_shape *design, mr_view name, mr_place place,
                    const mr_expr *value)
{
    mr_member *member = mr_shape_find(design, name);
    if (!member || member->kind != MR_MEMBER_FIELD) {
        const char *names[64];
        char texts[64][48], wanted[48], hint[80];
        size_t count = 0;
        for (size_t i = 0; i < design->members.count && count < 64; i++) {
            if (design->members.items[i].kind == MR_MEMBER_FIELD) {
                mr_text_format(texts[count], sizeof texts[0], "%.*s",
                               MR_VIEW_ARGS(design->members.items[i].name));
                names[count] = texts[count];
                count++;
            }
        }
        mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(name));
        const char *near = mr_nearest_name(wanted, names, count);
        mr_text_format(hint, sizeof hint, "did you mean %s?", near ? near : "");
        mr_check_fail(c, place, near ? hint : NULL, "%.*s has no field %.*s", MR_VIEW_ARGS(design->name),
                      MR_VIEW_ARGS(name));
        return;
    }
    bool read = member->read; // giving is not reading
    mr_typed type = mr_check_member(c, design->scope, member);
    member->read = read;
    mr_view subject = c->subject;
    c->subject = name;
    mr_check_as(c, scope, value, member->decl->type ? type : &mr_type_any);
    check_within(c, design->scope, member->decl, type, value);
    c->subject = subject;
}

static bool is_given(const mr_argument *items, size_t count, mr_view name)
{
    for (size_t i = 0; i < count; i++) {
        if (mr_view_equal(items[i].name, name)) {
            return true;
        }
    }
    return false;
}

void mr_check_missing(mr_checker *c, mr_place place, const mr_shape *design, const mr_expr *call,
                      const mr_decl *options, bool variant)
{
    for (size_t i = 0; i < design->members.count; i++) {
        const mr_member *member = &design->members.items[i];
        const mr_decl *decl = member->decl;
        mr_typed type;
        if (member->kind != MR_MEMBER_FIELD || decl->value || member->set || !decl->type ||
            is_given(decl->options, decl->option_count, MR_VIEW("default")) ||
            mr_type_read(&c->arena, design->scope, c->file, decl->type, &type) != MR_READ_TYPE ||
            (call && is_given(call->items, call->item_count, member->name)) ||
            (options && is_given(options->options, options->option_count, member->name)) ||
            (variant && (mr_view_is(member->name, "seed") || mr_view_is(member->name, "variant")))) {
            continue;
        }
        char hint[160];
        mr_text_format(hint, sizeof hint,
                       variant ? "state variants: [(%.*s: ...)] on its header, or a default:"
                               : "give it: %.*s: ...",
                       MR_VIEW_ARGS(member->name));
        mr_check_fail(c, place, hint, "%.*s: its field %.*s is not given", MR_VIEW_ARGS(design->name),
                      MR_VIEW_ARGS(member->name));
        return;
    }
}

static void check_part_option(mr_checker *c, const mr_scope *scope, const mr_argument *option,
                              mr_typed header)
{
    for (size_t i = 0; i < PART_OPTIONS; i++) {
        if (!mr_view_is(option->name, part_options[i].name)) {
            continue;
        }
        c->subject = option->name;
        if (mr_view_is(option->name, "scale")) {
            mr_typed given = mr_check_expr(c, scope, option->value, NULL);
            mr_check_fits(c, option->value, given,
                          given->of == MR_OF_TUPLE ? &mr_type_vec3 : &mr_type_number);
        } else if (mr_view_is(option->name, "bark")) {
            mr_check_loose(c, scope, option->value->items, option->value->item_count);
        } else {
            mr_check_as(c, scope, option->value, part_options[i].type);
        }
        c->subject = (mr_view){ 0 };
        return;
    }
    if (header->of == MR_OF_DESIGN && header->shape) {
        mr_check_given(c, scope, header->shape, option->name, option->place, option->value);
    } else if (mr_typed_unknown(header) || header->of == MR_OF_DESIGN) {
        mr_check_expr(c, scope, option->value, NULL);
    } else {
        const char *names[PART_OPTIONS];
        char hint[MR_HINT_SIZE];
        for (size_t i = 0; i < PART_OPTIONS; i++) {
            names[i] = part_options[i].name;
        }
        mr_name_hint(option->name, names, PART_OPTIONS, hint, sizeof hint);
        mr_check_fail(c, option->place, hint, "a part has no option %.*s", MR_VIEW_ARGS(option->name));
    }
}

static void check_part(mr_checker *c, const mr_decl *decl)
{
    mr_shape *shape = c->shapes->by_decl[decl->id];
    if (!shape || !shape->scope) {
        return;
    }
    mr_typed header = mr_check_value(c, decl);
    mr_statement_kept kept = mr_check_begin(c, (mr_view){ 0 });
    c->reported = header->of == MR_OF_BROKEN;
    if (decl->index) {
        mr_typed index = mr_check_expr(c, c->scope_of[decl->id], decl->index, NULL);
        if (!mr_typed_unknown(index) && index->of != MR_OF_INT && index->of != MR_OF_TEXT) {
            char got[256];
            mr_type_describe(index, got, sizeof got);
            mr_check_fail(c, decl->index->place, NULL,
                          "a part is numbered by a whole number or a text, not %s", got);
        }
    }
    for (size_t i = 0; i < decl->option_count; i++) {
        check_part_option(c, shape->scope, &decl->options[i], header);
        for (size_t k = 0; k < i; k++) {
            if (mr_view_equal(decl->options[i].name, decl->options[k].name)) {
                mr_check_fail(c, decl->options[i].place, NULL, "%.*s is given twice",
                              MR_VIEW_ARGS(decl->options[i].name));
            }
        }
    }
    if (header->of == MR_OF_DESIGN && header->shape) {
        const mr_expr *call = decl->value->kind == MR_EXPR_CALL ? decl->value : NULL;
        bool plain = call || decl->value->kind == MR_EXPR_NAME;
        if (plain) {
            mr_check_missing(c, decl->value->place, header->shape, call, decl, false);
        }
    }
    mr_check_end(c, kept);
    mr_check_decls(c, decl->body, decl->body_count);
}

static void check_function(mr_checker *c, const mr_decl *decl)
{
    const mr_scope *scope = c->scope_of[decl->id];
    mr_statement_kept kept = mr_check_begin(c, decl->path[0]);
    mr_typed types[64];
    size_t count = decl->param_count;
    if (count > 64) {
        mr_check_fail(c, decl->place, NULL, "a function has at most 64 parameters");
        count = 64;
    }
    const mr_scope *inside = scope;
    for (size_t i = 0; i < count; i++) {
        types[i] =
            decl->params[i].type ? mr_check_written_type(c, scope, decl->params[i].type) : &mr_type_any;
        if (decl->params[i].initial) {
            mr_check_as(c, scope, decl->params[i].initial, types[i]);
        }
        for (size_t k = 0; k < i; k++) {
            if (mr_view_equal(decl->params[k].name, decl->params[i].name)) {
                mr_check_fail(c, decl->params[i].place, NULL, "two parameters are called %.*s",
                              MR_VIEW_ARGS(decl->params[i].name));
            }
        }
        inside = mr_check_bind(c, inside, decl->params[i].name, decl->params[i].place, types[i]);
    }
    mr_typed answer = decl->type ? mr_check_written_type(c, scope, decl->type) : NULL;
    mr_typed body = mr_check_expr(c, inside, decl->value, answer);
    if (answer) {
        mr_check_fits(
            c, decl->value->step_count ? decl->value->steps[decl->value->step_count - 1].value : decl->value,
            body, answer);
    }
    mr_check_end(c, kept);
}

static void check_record(mr_checker *c, const mr_decl *decl)
{
    const mr_scope *scope = c->scope_of[decl->id];
    mr_statement_kept kept = mr_check_begin(c, decl->path[0]);
    for (size_t i = 0; i < decl->param_count; i++) {
        const mr_param *param = &decl->params[i];
        mr_typed type = param->type ? mr_check_written_type(c, scope, param->type) : &mr_type_any;
        if (param->initial) {
            mr_check_as(c, scope, param->initial, type);
        }
    }
    mr_check_end(c, kept);
}

static void check_names(mr_checker *c, const mr_decl *decl)
{
    const mr_scope *outer = c->scope_of[decl->id];
    for (size_t i = 0; i < decl->param_count; i++) {
        mr_check_hiding(c, outer, decl->params[i].name, decl->params[i].place);
    }
}

static void check_decl(mr_checker *c, const mr_decl *decl)
{
    switch (decl->kind) {
    case MR_DECL_PART:
        check_part(c, decl);
        break;
    case MR_DECL_FIELD:
    case MR_DECL_STATE:
    case MR_DECL_MATERIAL: {
        const mr_scope *part = mr_scope_part(c->scope_of[decl->id]);
        mr_member *member = part ? mr_shape_find(part->shape, decl->path[0]) : NULL;
        if (member && member->decl == decl) {
            bool read = member->read;
            mr_check_member(c, part, member);
            member->read = read;
        }
        break;
    }
    case MR_DECL_FUNCTION:
        check_function(c, decl);
        break;
    case MR_DECL_RECORD:
        check_record(c, decl);
        break;
    case MR_DECL_LET: {
        check_names(c, decl);
        mr_typed value = mr_check_value(c, decl);
        mr_statement_kept kept = mr_check_begin(c, (mr_view){ 0 });
        pattern_type(c, decl->param_count, decl->pattern_tuple, false, 0, value, decl->place);
        mr_check_end(c, kept);
        break;
    }
    case MR_DECL_EACH: {
        check_names(c, decl);
        mr_typed list = mr_check_value(c, decl);
        mr_statement_kept kept = mr_check_begin(c, (mr_view){ 0 });
        mr_typed element = mr_check_element_of(c, decl->value->place, list);
        if (!c->reported) {
            pattern_type(c, decl->param_count, decl->pattern_tuple, true, 0, element, decl->place);
        }
        mr_check_end(c, kept);
        mr_check_decls(c, decl->body, decl->body_count);
        break;
    }
    case MR_DECL_IF: {
        mr_typed condition = mr_check_value(c, decl);
        mr_statement_kept kept = mr_check_begin(c, (mr_view){ 0 });
        mr_check_fits(c, decl->value, condition, &mr_type_bool);
        mr_check_end(c, kept);
        mr_check_decls(c, decl->body, decl->body_count);
        mr_check_decls(c, decl->otherwise, decl->otherwise_count);
        break;
    }
    case MR_DECL_STATEMENT:
        mr_check_value(c, decl);
        break;
    }
}

void mr_check_decls(mr_checker *c, mr_decl *const *decls, size_t count)
{
    for (size_t i = 0; i < count && !c->out_of_memory; i++) {
        check_decl(c, decls[i]);
    }
}

void mr_check_read(mr_checker *c, mr_view name)
{
    for (mr_shape *shape = c->shapes->all; shape; shape = shape->next) {
        mr_member *member = mr_shape_find(shape, name);
        if (member) {
            member->read = true;
        }
    }
}

static void unread_in(mr_checker *c, const mr_shape *shape)
{
    for (size_t i = 0; i < shape->members.count; i++) {
        const mr_member *member = &shape->members.items[i];
        bool own = mr_view_is(member->name, "seed") || mr_view_is(member->name, "variant");
        if (member->kind == MR_MEMBER_FIELD && !member->read && !own &&
            !(member->type && member->type->from_scatter)) {
            mr_check_warn(c, member->place, NULL, "nothing reads the field %.*s", MR_VIEW_ARGS(member->name));
        }
        if (member->kind == MR_MEMBER_PART && member->shape) {
            unread_in(c, member->shape);
        }
    }
}

void mr_check_unread(mr_checker *c)
{
    if (c->diagnostics->errors == 0) {
        unread_in(c, c->shapes->root);
    }
}
