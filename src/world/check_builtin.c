// world/check_builtin.c: standard functions: their arguments, and what they answer for them.

#include "world/check_state.h"

static void check_param(mr_checker *c, const mr_scope *scope, const mr_param_spec *param,
                        const mr_argument *argument, mr_typed want, bool place, mr_typed *type)
{
    const mr_expr *value = argument->value;
    mr_view subject = c->subject;
    *type = &mr_type_any;
    if (param->choices) {
        if (value->kind != MR_EXPR_NAME || mr_choice_place(param->choices, value->text) < 0) {
            mr_check_fail(c, value->place, NULL, "%s: one of %s is asked for", param->name, param->choices);
        }
        return;
    }
    if ((param->flags & MR_PARAM_NONE) && value->kind == MR_EXPR_NONE) {
        *type = &mr_type_none;
        return;
    }
    if (argument->name.size > 0) {
        c->subject = argument->name;
    }
    *type = mr_check_expr(c, scope, value, want ? want : param->type);
    if (!mr_check_fits(c, value, *type, place ? &mr_type_spot : param->type)) {
        *type = &mr_type_broken;
    }
    c->subject = subject;
}

// An argument asked for each candidate: with the names of one in front, and a range where one may stand for a draw.
static mr_typed check_deferred(mr_checker *c, const mr_scope *scope, const mr_param_spec *param,
                               const mr_argument *argument, uint32_t visible)
{
    mr_scope *inside = mr_check_take(c, sizeof *inside);
    mr_asked_names *names = mr_check_take(c, sizeof *names);
    if (!inside || !names) {
        return &mr_type_broken;
    }
    *names = (mr_asked_names){ .visible = visible, .draws = (param->flags & MR_PARAM_DRAWS) != 0 };
    *inside = (mr_scope){ .outer = scope, .kind = MR_SCOPE_ASKED, .asked = names };
    return mr_check_answer(c, inside, param, argument->value, param->name);
}

mr_typed mr_check_answer(mr_checker *c, const mr_scope *scope, const mr_param_spec *param,
                         const mr_expr *value, const char *subject)
{
    mr_view kept = c->subject;
    c->subject = mr_view_of(subject);
    mr_typed type = mr_check_expr(c, scope, value, param->type);
    if (type->of == MR_OF_RANGE && (param->flags & MR_PARAM_RANGE)) {
        mr_world_type range = { .of = MR_OF_RANGE, .element = param->type };
        mr_check_fits(c, value, type, &range);
    } else if (!mr_check_fits(c, value, type, param->type)) {
        type = &mr_type_broken;
    }
    c->subject = kept;
    return type;
}

static void check_group(mr_checker *c, const mr_scope *scope, const mr_expr *value)
{
    bool call = value->kind == MR_EXPR_CALL && value->a->kind == MR_EXPR_NAME &&
                mr_view_is(value->a->text, "capGroup");
    if (call) {
        mr_check_expr(c, scope, value, NULL);
    } else if (value->kind != MR_EXPR_NAME) {
        mr_check_fail(c, value->place, NULL, "a cap group is a bare name");
    }
}

mr_typed mr_check_builtin_call(mr_checker *c, const mr_scope *scope, const mr_expr *expr,
                               const mr_builtin *builtin, mr_typed self, mr_typed want)
{
    if (builtin->later) {
        mr_check_loose(c, scope, expr->items, expr->item_count);
        return &mr_type_any;
    }
    mr_checked_call call = { .expr = expr, .scope = scope, .builtin = builtin, .self = self };
    char message[MR_MESSAGE_SIZE], hint[MR_HINT_SIZE];
    mr_place where;
    if (!mr_bind_arguments(builtin, expr, call.given, call.rest, &call.rest_count, &where, message, hint)) {
        return mr_check_fail(c, where, hint[0] ? hint : NULL, "%s", message);
    }
    mr_world_type elements = { .of = MR_OF_LIST, .element = want };
    bool choices = want && want->of == MR_OF_CHOICE && strcmp(builtin->name, "oneOf") == 0;
    bool rule = strcmp(builtin->name, "rule") == 0;
    for (size_t i = 0; i < MR_PARAM_MAX && builtin->params[i].name; i++) {
        const mr_param_spec *param = &builtin->params[i];
        bool place = (builtin->home == MR_HOME_LAND || builtin->home == MR_HOME_SPINE) &&
                     strcmp(param->name, "p") == 0;
        call.types[i] = &mr_type_any;
        if (call.given[i] && (param->flags & MR_PARAM_GROUP)) {
            if (strcmp(builtin->name, "override") != 0) {
                check_group(c, scope, call.given[i]->value);
            }
        } else if (call.given[i] && (param->flags & MR_PARAM_DEFERRED)) {
            // A rule's own options know of each other; they are gone through by its own check.
            uint32_t things = 1u << MR_ASKED_PLACED_EARLIER;
            uint32_t all = things | 1u << MR_ASKED_HERE | 1u << MR_ASKED_K | 1u << MR_ASKED_ALONG |
                           1u << MR_ASKED_SIDE | 1u << MR_ASKED_THING;
            if (!rule) {
                call.types[i] = check_deferred(c, scope, param, call.given[i],
                                               strcmp(param->name, "things") == 0 ? things : all);
            }
        } else if (call.given[i]) {
            check_param(c, scope, param, call.given[i], choices && i == 0 ? &elements : NULL, place,
                        &call.types[i]);
        }
        for (size_t r = 0; (param->flags & MR_PARAM_REST) && r < call.rest_count; r++) {
            check_param(c, scope, param, call.rest[r], NULL, place, &call.rest_types[r]);
        }
    }
    for (size_t i = 0; i < MR_PARAM_MAX && builtin->params[i].name; i++) {
        if (call.types[i]->of == MR_OF_BROKEN) {
            return &mr_type_broken;
        }
    }
    return builtin->check ? builtin->check(c, &call) : builtin->answer ? builtin->answer : &mr_type_any;
}

// Numbers

// The dimension all numbers of a call share; NULL when it is reported, `whole` where all are whole numbers.
static mr_typed shared(mr_checker *c, mr_checked_call *call, size_t count, bool *whole)
{
    mr_typed first = NULL;
    *whole = true;
    for (size_t i = 0; i < count + call->rest_count; i++) {
        mr_typed type = i < count ? call->types[i] : call->rest_types[i - count];
        const mr_argument *argument = i < count ? call->given[i] : call->rest[i - count];
        if (!argument) {
            continue;
        }
        if (mr_typed_unknown(type)) {
            return type->of == MR_OF_BROKEN ? type : &mr_type_any;
        }
        if (!mr_typed_numeric(type)) {
            char got[256];
            mr_type_describe(type, got, sizeof got);
            return mr_check_fail(c, argument->value->place, NULL, "%s takes numbers, not %s",
                                 call->builtin->name, got);
        }
        *whole = *whole && type->of == MR_OF_INT;
        if (mr_check_literal_zero(argument->value)) {
            continue;
        }
        if (!first) {
            first = type;
        } else if (!mr_dimension_equal(mr_typed_dimension(first), mr_typed_dimension(type))) {
            char a[48], b[48];
            mr_dimension_name(mr_typed_dimension(first), a);
            mr_dimension_name(mr_typed_dimension(type), b);
            return mr_check_fail(c, argument->value->place, NULL, "%s is given %s and %s",
                                 call->builtin->name, a, b);
        }
    }
    return first ? mr_check_number_of(c, mr_typed_dimension(first)) : &mr_type_number;
}

MR_CHECKED(mr_check_same)
{
    bool whole;
    if (call->rest_count == 1 && call->rest_types[0]->of == MR_OF_LIST) {
        mr_typed element = call->rest_types[0]->element;
        return element ? element : &mr_type_any;
    }
    size_t count = 0;
    while (count < MR_PARAM_MAX && call->builtin->params[count].name) {
        count++;
    }
    mr_typed type = shared(checker, call, count, &whole);
    return whole && !mr_typed_unknown(type) ? &mr_type_int : type;
}

MR_CHECKED(mr_check_whole)
{
    if (!mr_typed_unknown(call->types[0]) && !mr_dimension_plain(mr_typed_dimension(call->types[0]))) {
        char name[48];
        mr_dimension_name(call->types[0]->dimension, name);
        return mr_check_fail(checker, call->given[0]->value->place, "divide it by its unit",
                             "%s takes a number, not %s", call->builtin->name, name);
    }
    return &mr_type_int;
}

MR_CHECKED(mr_check_mix)
{
    bool whole;
    if (call->types[0]->of == MR_OF_TUPLE) {
        return call->types[0];
    }
    return shared(checker, call, 2, &whole);
}

MR_CHECKED(mr_check_smoothstep)
{
    bool whole;
    if (!call->given[1] != !call->given[2]) {
        return mr_check_fail(checker, call->expr->place, NULL, "smoothstep takes (t) or (low, high, x)");
    }
    mr_typed type = shared(checker, call, 3, &whole);
    return type->of == MR_OF_BROKEN ? type : &mr_type_number;
}

MR_CHECKED(mr_check_root)
{
    mr_dimension d = mr_typed_dimension(call->types[0]);
    if ((d.length | d.angle | d.time | d.mass) & 1) {
        return mr_check_fail(checker, call->expr->place, NULL, "the root of this unit is no unit");
    }
    return mr_check_number_of(checker, (mr_dimension){ (int8_t)(d.length / 2), (int8_t)(d.angle / 2),
                                                       (int8_t)(d.time / 2), (int8_t)(d.mass / 2) });
}

MR_CHECKED(mr_check_vector)
{
    return mr_check_tuple_of(checker, call->types, call->given[2] ? 3 : 2);
}

static mr_typed component(mr_typed type)
{
    if (type->of == MR_OF_SPOT) {
        return &mr_type_length;
    }
    return type->of == MR_OF_TUPLE && type->count > 0 && mr_typed_numeric(type->items[0]) ? type->items[0]
                                                                                          : NULL;
}

MR_CHECKED(mr_check_dot)
{
    mr_typed a = component(call->types[0]), b = component(call->types[1]);
    mr_dimension dimension;
    if (!a || !b || !mr_dimension_combine(mr_typed_dimension(a), mr_typed_dimension(b), 1, &dimension)) {
        return &mr_type_any;
    }
    return mr_check_number_of(checker, dimension);
}

MR_CHECKED(mr_check_first)
{
    (void)checker;
    return call->types[0]->of == MR_OF_TUPLE ? call->types[0] : &mr_type_any;
}

MR_CHECKED(mr_check_length)
{
    mr_typed a = component(call->types[0]);
    if (!a && !mr_typed_unknown(call->types[0])) {
        char got[256];
        mr_type_describe(call->types[0], got, sizeof got);
        return mr_check_fail(checker, call->given[0]->value->place, NULL, "length takes a vector, not %s",
                             got);
    }
    return a ? mr_check_number_of(checker, mr_typed_dimension(a)) : &mr_type_any;
}

MR_CHECKED(mr_check_normalize)
{
    if (call->types[0]->of != MR_OF_TUPLE || call->types[0]->count > 4) {
        return &mr_type_any;
    }
    mr_typed items[4] = { &mr_type_number, &mr_type_number, &mr_type_number, &mr_type_number };
    return mr_check_tuple_of(checker, items, call->types[0]->count);
}

MR_CHECKED(mr_check_one_of)
{
    (void)checker;
    return call->types[0]->of == MR_OF_LIST && call->types[0]->element ? call->types[0]->element
                                                                       : &mr_type_any;
}

// Lists

static mr_typed element(const mr_checked_call *call)
{
    return call->self && call->self->of == MR_OF_LIST && call->self->element ? call->self->element
                                                                             : &mr_type_any;
}

static mr_typed asked(mr_checker *c, mr_checked_call *call)
{
    return mr_check_on_element(c, call->types[0], element(call), call->expr->place);
}

static bool holds(mr_checker *c, mr_checked_call *call)
{
    const mr_expr *value = call->given[0]->value;
    const mr_expr *body = value->kind == MR_EXPR_LAMBDA && value->b ? value->b : value;
    return mr_check_fits(c, body, asked(c, call), &mr_type_bool);
}

MR_CHECKED(mr_check_map)
{
    mr_typed answer = asked(checker, call);
    return answer->of == MR_OF_BROKEN ? answer : mr_check_list_of(checker, answer);
}

MR_CHECKED(mr_check_filter)
{
    return holds(checker, call) ? mr_check_list_of(checker, element(call)) : &mr_type_broken;
}

MR_CHECKED(mr_check_find)
{
    return holds(checker, call) ? element(call) : &mr_type_broken;
}

MR_CHECKED(mr_check_count)
{
    return !call->given[0] || holds(checker, call) ? &mr_type_int : &mr_type_broken;
}

MR_CHECKED(mr_check_sum)
{
    mr_typed of = call->given[0] ? asked(checker, call) : element(call);
    if (mr_typed_unknown(of) || mr_typed_numeric(of) || of->of == MR_OF_TUPLE) {
        return of;
    }
    char got[256];
    mr_type_describe(of, got, sizeof got);
    return mr_check_fail(checker, call->expr->place, NULL, "sum adds numbers, not %s", got);
}

static bool sortable(mr_checker *c, mr_checked_call *call)
{
    mr_typed of = call->given[0] ? asked(c, call) : element(call);
    if (mr_typed_unknown(of) || mr_typed_numeric(of) || of->of == MR_OF_TEXT) {
        return of->of != MR_OF_BROKEN;
    }
    char got[256];
    mr_type_describe(of, got, sizeof got);
    mr_check_fail(c, call->expr->place, "say by what: .sort(thing => thing.size)",
                  "%s compares numbers or texts, not %s", call->builtin->name, got);
    return false;
}

MR_CHECKED(mr_check_extreme)
{
    return sortable(checker, call) ? element(call) : &mr_type_broken;
}

MR_CHECKED(mr_check_sort)
{
    return sortable(checker, call) ? mr_check_list_of(checker, element(call)) : &mr_type_broken;
}

MR_CHECKED(mr_check_element)
{
    (void)checker;
    return element(call);
}

MR_CHECKED(mr_check_self)
{
    return mr_check_list_of(checker, element(call));
}

MR_CHECKED(mr_check_zip)
{
    mr_typed other =
        call->types[0]->of == MR_OF_LIST && call->types[0]->element ? call->types[0]->element : &mr_type_any;
    mr_typed items[2] = { element(call), other };
    return mr_check_list_of(checker, mr_check_tuple_of(checker, items, 2));
}

MR_CHECKED(mr_check_numbered)
{
    mr_typed items[2] = { &mr_type_int, element(call) };
    return mr_check_list_of(checker, mr_check_tuple_of(checker, items, 2));
}

// Lands, graphs, records

MR_CHECKED(mr_check_land)
{
    mr_world_type land = mr_type_land;
    land.reach = 16.0f;
    double reach;
    if (call->given[2]) {
        land.reach = mr_check_literal(call->given[2]->value, &reach) ? (float)reach : 0.0f;
    }
    static const mr_world_type no_spines = { .of = MR_OF_RECORD };
    land.spines = call->given[1] ? (call->types[1]->of == MR_OF_RECORD ? call->types[1] : NULL) : &no_spines;
    for (size_t i = 0; call->given[1] && land.spines && land.spines->names && i < land.spines->count; i++) {
        const mr_expr *record = call->given[1]->value;
        const mr_expr *item = record->kind == MR_EXPR_TUPLE ? record->items[i].value : record;
        mr_check_fits(checker, item, land.spines->items[i], &mr_type_spine);
    }
    return mr_check_type(checker, land);
}

MR_CHECKED(mr_check_discs)
{
    mr_typed radius = call->types[2];
    if (radius->of == MR_OF_FUNCTION) {
        mr_typed along = &mr_type_length;
        radius = mr_check_apply(checker, radius, &along, 1, call->expr->place);
    }
    mr_check_fits(checker, call->given[2]->value, radius, &mr_type_length);
    return &mr_type_disc_list;
}

// Follows a path of fields and indices through a record; NULL where it cannot be followed.
static mr_typed path_type(mr_checker *c, const mr_expr *path, mr_typed record)
{
    if (path->kind == MR_EXPR_NAME) {
        return mr_check_member_of(c, NULL, path, record);
    }
    if (path->kind != MR_EXPR_MEMBER && path->kind != MR_EXPR_INDEX) {
        return mr_check_fail(c, path->place, NULL, "a path is names and indices: levelParams[2].branches");
    }
    mr_typed inner = path_type(c, path->a, record);
    if (mr_typed_unknown(inner)) {
        return inner;
    }
    if (path->kind == MR_EXPR_MEMBER) {
        return mr_check_member_of(c, NULL, path, inner);
    }
    return inner->of == MR_OF_LIST && inner->element ? inner->element : &mr_type_any;
}

MR_CHECKED(mr_check_override)
{
    mr_typed field = path_type(checker, call->given[1]->value, call->types[0]);
    if (field->of == MR_OF_BROKEN) {
        return field;
    }
    if (field->of == MR_OF_NUMBER || field->of == MR_OF_INT || field->of == MR_OF_BOOL ||
        field->of == MR_OF_TEXT) {
        mr_check_fits(checker, call->given[2]->value, call->types[2], field);
    }
    return call->types[0];
}

MR_CHECKED(mr_check_later)
{
    (void)checker;
    (void)call;
    return &mr_type_any;
}
