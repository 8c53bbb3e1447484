// world/eval_call.c: calls: functions of the world, lambdas, standard functions, designs.

#include "world/call.h"

#include "graph/node.h"

static bool fail_arguments(mr_evaluator *ev, const mr_expr *call, mr_view name, size_t wanted)
{
    return mr_evaluator_fail(ev, call->place, "%.*s takes %zu argument%s, not %zu", MR_VIEW_ARGS(name),
                             wanted, wanted == 1 ? "" : "s", call->item_count);
}

// Puts arguments to parameters by place or name: order[i] is the argument of parameter i, or NULL.
static bool order_arguments(mr_evaluator *ev, const mr_expr *call, mr_view name, const mr_param *params,
                            size_t count, const mr_argument **order)
{
    size_t next = 0;
    for (size_t i = 0; i < call->item_count; i++) {
        const mr_argument *argument = &call->items[i];
        size_t at = next;
        if (argument->name.size > 0) {
            for (at = 0; at < count && !mr_view_equal(params[at].name, argument->name); at++) {
            }
            if (at == count) {
                return mr_evaluator_fail(ev, argument->place, "%.*s has no parameter %.*s",
                                         MR_VIEW_ARGS(name), MR_VIEW_ARGS(argument->name));
            }
        } else {
            next++;
        }
        if (at >= count) {
            return fail_arguments(ev, call, name, count);
        }
        if (order[at]) {
            return mr_evaluator_fail(ev, argument->place, "%.*s: %.*s is given twice", MR_VIEW_ARGS(name),
                                     MR_VIEW_ARGS(params[at].name));
        }
        order[at] = argument;
    }
    return true;
}

static bool param_value(mr_evaluator *ev, const mr_scope *from, const mr_scope *inside, const mr_param *param,
                        const mr_expr *expr, mr_datum *value)
{
    const mr_world_type *type = param->type ? mr_type_written(ev, inside, param->type) : NULL;
    if (param->type && !type) {
        return false;
    }
    return type ? mr_evaluate_as(ev, from, expr, type, value) : mr_evaluate(ev, from, expr, NULL, value);
}

static bool answer_as(mr_evaluator *ev, const mr_scope *scope, const mr_expr *type, const mr_expr *body,
                      mr_datum *answer)
{
    const mr_world_type *wanted = type ? mr_type_written(ev, scope, type) : NULL;
    if (type && !wanted) {
        return false;
    }
    return wanted ? mr_evaluate_as(ev, scope, body, wanted, answer)
                  : mr_evaluate(ev, scope, body, NULL, answer);
}

static bool call_params(mr_evaluator *ev, const mr_scope *scope, const mr_expr *call, mr_view name,
                        const mr_param *params, size_t count, const mr_scope *inside, const mr_scope **made)
{
    const mr_argument *order[64] = { 0 };
    if (count > 64) {
        return mr_evaluator_fail(ev, call->place, "%.*s has more than 64 parameters", MR_VIEW_ARGS(name));
    }
    if (!order_arguments(ev, call, name, params, count, order)) {
        return false;
    }
    // Arguments are worked as written, left to right, so that draws in them are made in that order; then what is left out.
    mr_datum values[64];
    for (size_t i = 0; i < call->item_count; i++) {
        size_t at = 0;
        while (order[at] != &call->items[i]) {
            at++;
        }
        if (!param_value(ev, scope, inside, &params[at], order[at]->value, &values[at])) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!order[i] && !params[i].initial) {
            return mr_evaluator_fail(ev, call->place, "%.*s: %.*s is missing", MR_VIEW_ARGS(name),
                                     MR_VIEW_ARGS(params[i].name));
        }
        if (!order[i] && !param_value(ev, inside, inside, &params[i], params[i].initial, &values[i])) {
            return false;
        }
    }
    const mr_scope *body = inside;
    for (size_t i = 0; i < count; i++) {
        body = mr_scope_cell(ev, body, params[i].name, values[i]);
        if (!body) {
            return false;
        }
    }
    *made = body;
    return true;
}

static bool call_record(mr_evaluator *ev, const mr_scope *scope, const mr_expr *call,
                        const mr_closure *closure, mr_datum *answer)
{
    const mr_decl *decl = closure->decl;
    const mr_argument *order[64] = { 0 };
    if (decl->param_count > 64) {
        return mr_evaluator_fail(ev, call->place, "a record has more than 64 fields");
    }
    if (!order_arguments(ev, call, decl->path[0], decl->params, decl->param_count, order)) {
        return false;
    }
    mr_sequence *made = mr_make_sequence(ev, decl->param_count, true);
    if (!made) {
        return false;
    }
    made->record = decl;
    for (size_t i = 0; i < decl->param_count; i++) {
        const mr_param *param = &decl->params[i];
        const mr_expr *expr = order[i] ? order[i]->value : param->initial;
        if (!expr) {
            return mr_evaluator_fail(ev, call->place, "%.*s: %.*s is missing", MR_VIEW_ARGS(decl->path[0]),
                                     MR_VIEW_ARGS(param->name));
        }
        if (!param_value(ev, order[i] ? scope : closure->scope, closure->scope, param, expr,
                         (mr_datum *)&made->items[i])) {
            return false;
        }
        ((mr_view *)made->names)[i] = param->name;
    }
    *answer = (mr_datum){ .kind = MR_DATUM_RECORD, .sequence = made };
    return true;
}

static bool call_design(mr_evaluator *ev, const mr_scope *scope, const mr_expr *call, const mr_design *design,
                        mr_datum *answer)
{
    size_t count = design->count + call->item_count;
    mr_design *made = mr_evaluator_take(ev, sizeof *made);
    mr_view *names = mr_evaluator_take(ev, count * sizeof *names);
    mr_datum *values = mr_evaluator_take(ev, count * sizeof *values);
    mr_place *places = mr_evaluator_take(ev, count * sizeof *places);
    if (!made || !names || !values || !places) {
        return false;
    }
    *made = (mr_design){ .shape = design->shape, .names = names, .values = values, .places = places };
    for (size_t i = 0; i < design->count; i++) {
        names[i] = design->names[i];
        values[i] = design->values[i];
        places[i] = design->places[i];
    }
    made->count = design->count;
    for (size_t i = 0; i < call->item_count; i++) {
        const mr_argument *argument = &call->items[i];
        if (argument->name.size == 0) {
            return mr_evaluator_fail_with(ev, MR_BAD_INPUT, argument->place, "write name: value",
                                          "a design's fields are given by their names");
        }
        const mr_member *member = mr_shape_find(design->shape, argument->name);
        if (!member || member->kind != MR_MEMBER_FIELD) {
            return mr_evaluator_fail(ev, argument->place, "%.*s has no field %.*s",
                                     MR_VIEW_ARGS(design->shape->name), MR_VIEW_ARGS(argument->name));
        }
        const mr_world_type *type = NULL;
        if (member->decl->type) {
            bool wrong;
            type = mr_type_or_value(ev, scope, member->decl->type, &wrong);
            if (wrong) {
                return false;
            }
        }
        if (!mr_evaluate(ev, scope, argument->value, type, &values[made->count])) {
            return false;
        }
        if (type) {
            mr_view subject = ev->subject;
            ev->subject = argument->name;
            bool fits = mr_coerce(ev, scope, argument->value, type, &values[made->count]);
            ev->subject = subject;
            if (!fits) {
                return false;
            }
        }
        names[made->count] = argument->name;
        places[made->count++] = argument->value->place;
    }
    *answer = (mr_datum){ .kind = MR_DATUM_DESIGN, .design = made };
    return true;
}

bool mr_choice_of(mr_evaluator *ev, const mr_expr *expr, const char *choices, mr_datum *answer)
{
    if (expr->kind == MR_EXPR_NAME && mr_choice_place(choices, expr->text) >= 0) {
        return mr_make_text(ev, expr->text, MR_DATUM_CHOICE, answer);
    }
    return mr_evaluator_fail(ev, expr->place, "one of %s is asked for", choices);
}

static bool builtin_argument(mr_evaluator *ev, const mr_scope *scope, const mr_param_spec *param,
                             const mr_argument *argument, const mr_world_type *want, mr_datum *value)
{
    if (param->choices) {
        return mr_choice_of(ev, argument->value, param->choices, value);
    }
    if ((param->flags & MR_PARAM_NONE) && argument->value->kind == MR_EXPR_NONE) {
        *value = mr_datum_none();
        return true;
    }
    if (!mr_evaluate(ev, scope, argument->value, want ? want : param->type, value)) {
        return false;
    }
    mr_view subject = ev->subject;
    if (argument->name.size > 0) {
        ev->subject = argument->name;
    }
    bool fits = mr_coerce(ev, scope, argument->value, param->type, value);
    ev->subject = subject;
    return fits;
}

bool mr_call_builtin(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, const mr_builtin *builtin,
                     mr_datum self, const mr_world_type *want, mr_datum *answer)
{
    if (builtin->later) {
        return mr_evaluator_fail_with(ev, MR_NOT_YET, expr->place, NULL, "not yet: %s needs %s",
                                      builtin->name, builtin->later);
    }
    mr_call call = { .expr = expr, .scope = scope, .builtin = builtin, .self = self };
    char message[MR_MESSAGE_SIZE], hint[MR_HINT_SIZE];
    mr_place place;
    if (!mr_bind_arguments(builtin, expr, call.given, call.rest, &call.rest_count, &place, message, hint)) {
        return mr_evaluator_fail_with(ev, MR_BAD_INPUT, place, hint[0] ? hint : NULL, "%s", message);
    }
    // What is chosen from a list is what is asked for: bare names in it are read as such choices.
    mr_world_type elements = { .of = MR_OF_LIST, .element = want };
    bool choices = want && want->of == MR_OF_CHOICE && strcmp(builtin->name, "oneOf") == 0;
    // Arguments are read left to right as written: draws in them are made in that order.
    for (size_t a = 0; a < expr->item_count; a++) {
        const mr_argument *argument = &expr->items[a];
        for (size_t i = 0; i < MR_PARAM_MAX && builtin->params[i].name; i++) {
            const mr_param_spec *param = &builtin->params[i];
            if (call.given[i] == argument && !(param->flags & (MR_PARAM_DEFERRED | MR_PARAM_GROUP)) &&
                !builtin_argument(ev, scope, param, argument, choices && i == 0 ? &elements : NULL,
                                  &call.values[i])) {
                return false;
            }
            for (size_t r = 0; (param->flags & MR_PARAM_REST) && r < call.rest_count; r++) {
                if (call.rest[r] == argument &&
                    !builtin_argument(ev, scope, param, argument, NULL, &call.rest_values[r])) {
                    return false;
                }
            }
        }
    }
    return builtin->call(ev, &call, answer);
}

static bool call_question(mr_evaluator *ev, const mr_scope *scope, const mr_expr *call,
                          const mr_closure *question, mr_datum *answer)
{
    if (call->item_count != 1 || call->items[0].name.size > 0) {
        return fail_arguments(ev, call, question->name, 1);
    }
    mr_datum at;
    float x, z;
    if (!mr_evaluate(ev, scope, call->items[0].value, NULL, &at)) {
        return false;
    }
    if (!mr_plan_of(at, &x, &z)) {
        if (!mr_coerce(ev, scope, call->items[0].value, &mr_type_spot, &at)) {
            return false;
        }
        mr_plan_of(at, &x, &z);
    }
    return mr_land_answer(ev, question, x, z, answer);
}

static bool call_value(mr_evaluator *ev, const mr_scope *scope, const mr_expr *call, mr_datum value,
                       const mr_world_type *want, mr_datum *answer)
{
    if (value.kind == MR_DATUM_DESIGN) {
        return call_design(ev, scope, call, value.design, answer);
    }
    if (value.kind != MR_DATUM_FUNCTION) {
        char what[96];
        mr_datum_describe(value, what, sizeof what);
        return mr_evaluator_fail(ev, call->place, "%s cannot be called", what);
    }
    const mr_closure *closure = value.function;
    const mr_scope *inside;
    switch (closure->kind) {
    case MR_CLOSURE_LAMBDA:
        return call_params(ev, scope, call, MR_VIEW("the function"), closure->expr->params,
                           closure->expr->param_count, closure->scope, &inside) &&
               answer_as(ev, inside, closure->expr->type, closure->expr->b, answer);
    case MR_CLOSURE_DECL:
        return call_params(ev, scope, call, closure->decl->path[0], closure->decl->params,
                           closure->decl->param_count, closure->scope, &inside) &&
               answer_as(ev, inside, closure->decl->type, closure->decl->value, answer);
    case MR_CLOSURE_RECORD:
        return call_record(ev, scope, call, closure, answer);
    case MR_CLOSURE_BUILTIN:
        return mr_call_builtin(ev, scope, call, closure->builtin, closure->self, want, answer);
    case MR_CLOSURE_QUESTION:
        return call_question(ev, scope, call, closure, answer);
    case MR_CLOSURE_NODE:
        return mr_call_node(ev, scope, call, closure->node, answer);
    case MR_CLOSURE_PROGRAM:
        return mr_call_program(ev, scope, call, closure->program, answer);
    case MR_CLOSURE_PACKAGE:
        break;
    }
    return mr_evaluator_fail_with(ev, MR_NOT_YET, call->place, NULL,
                                  "not yet: %.*s is of a later version's package",
                                  MR_VIEW_ARGS(closure->name));
}

// In a rule's options a name that means nothing else is a question of the scatter's land.
static bool call_unknown(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, mr_datum *answer)
{
    const mr_expr *callee = expr->a;
    const mr_scope *asked = mr_scope_asked(scope);
    if (asked && ev->asked) {
        const mr_land_datum *land = mr_land_at(ev, scope, callee->place);
        bool found = false;
        mr_datum question;
        if (!land || !mr_land_question(ev, land, callee->text, &found, &question)) {
            return false;
        }
        if (found) {
            return call_value(ev, scope, expr, question, NULL, answer);
        }
    }
    mr_datum nothing;
    return mr_evaluate(ev, scope, callee, NULL, &nothing) &&
           call_value(ev, scope, expr, nothing, NULL, answer);
}

static bool call_named(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr,
                       const mr_world_type *want, mr_datum *answer)
{
    const mr_expr *callee = expr->a;
    if (ev->builtin_of[callee->id]) {
        return mr_call_builtin(ev, scope, expr, ev->builtin_of[callee->id], mr_datum_none(), want, answer);
    }
    mr_found found = mr_scope_find(scope, ev->file, callee->text);
    if (found.kind == MR_FOUND_BUILTIN) {
        ev->builtin_of[callee->id] = found.builtin;
        return mr_call_builtin(ev, scope, expr, found.builtin, mr_datum_none(), want, answer);
    }
    if (found.kind == MR_FOUND_NOTHING) {
        return call_unknown(ev, scope, expr, answer);
    }
    mr_datum value;
    return mr_evaluate(ev, scope, callee, NULL, &value) && call_value(ev, scope, expr, value, want, answer);
}

bool mr_evaluate_call(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, const mr_world_type *want,
                      mr_datum *answer)
{
    const mr_expr *callee = expr->a;
    mr_datum value;
    if (callee->kind == MR_EXPR_NAME) {
        return call_named(ev, scope, expr, want, answer);
    }
    if (callee->kind == MR_EXPR_MEMBER && callee->a->kind == MR_EXPR_NAME &&
        mr_space_is(ev->file, callee->a->text)) {
        return mr_space_member(ev, callee, callee->a->text, &value) &&
               call_value(ev, scope, expr, value, want, answer);
    }
    return mr_evaluate(ev, scope, callee, NULL, &value) && call_value(ev, scope, expr, value, want, answer);
}

static bool call_with_data(mr_evaluator *ev, const mr_closure *closure, const mr_datum *values, size_t count,
                           mr_place place, mr_datum *answer)
{
    const mr_builtin *builtin = closure->builtin;
    if (builtin->later) {
        return mr_evaluator_fail_with(ev, MR_NOT_YET, place, NULL, "not yet: %s needs %s", builtin->name,
                                      builtin->later);
    }
    const mr_expr nothing = { .kind = MR_EXPR_NONE, .place = place };
    const mr_argument given = { .place = place, .value = (mr_expr *)(uintptr_t)&nothing };
    mr_call call = { .expr = &nothing, .scope = closure->scope, .builtin = builtin, .self = closure->self };
    for (size_t i = 0; i < MR_PARAM_MAX && builtin->params[i].name; i++) {
        const mr_param_spec *param = &builtin->params[i];
        if (param->flags & (MR_PARAM_DEFERRED | MR_PARAM_GROUP)) {
            return mr_evaluator_fail(ev, place, "%s cannot be handed on as a function", builtin->name);
        }
        if (i >= count) {
            if (!(param->flags & MR_PARAM_OPTIONAL)) {
                return mr_evaluator_fail(ev, place, "%s: %s is missing", builtin->name, param->name);
            }
            continue;
        }
        call.values[i] = values[i];
        call.given[i] = &given;
        if (!mr_coerce(ev, closure->scope, &nothing, param->type, &call.values[i])) {
            return false;
        }
    }
    return builtin->call(ev, &call, answer);
}

bool mr_call_closure(mr_evaluator *ev, const mr_closure *closure, const mr_datum *values, size_t count,
                     mr_place place, mr_datum *answer)
{
    const mr_scope *inside = closure->scope;
    float x, z;
    switch (closure->kind) {
    case MR_CLOSURE_LAMBDA:
    case MR_CLOSURE_DECL: {
        bool lambda = closure->kind == MR_CLOSURE_LAMBDA;
        const mr_param *params = lambda ? closure->expr->params : closure->decl->params;
        size_t wanted = lambda ? closure->expr->param_count : closure->decl->param_count;
        if (wanted != count) {
            return mr_evaluator_fail(ev, place, "the function takes %zu arguments, not %zu", wanted, count);
        }
        const mr_expr nothing = { .kind = MR_EXPR_NONE, .place = place };
        for (size_t i = 0; i < count; i++) {
            mr_datum value = values[i];
            const mr_world_type *type =
                params[i].type ? mr_type_written(ev, closure->scope, params[i].type) : NULL;
            if ((params[i].type && !type) ||
                (type && !mr_coerce(ev, closure->scope, &nothing, type, &value))) {
                return false;
            }
            inside = mr_scope_cell(ev, inside, params[i].name, value);
            if (!inside) {
                return false;
            }
        }
        return answer_as(ev, inside, lambda ? closure->expr->type : closure->decl->type,
                         lambda ? closure->expr->b : closure->decl->value, answer);
    }
    case MR_CLOSURE_BUILTIN:
        return call_with_data(ev, closure, values, count, place, answer);
    case MR_CLOSURE_QUESTION:
        if (count != 1 || !mr_plan_of(values[0], &x, &z)) {
            return mr_evaluator_fail(ev, place, "%.*s is asked at a place", MR_VIEW_ARGS(closure->name));
        }
        return mr_land_answer(ev, closure, x, z, answer);
    default:
        return mr_evaluator_fail(ev, place, "this cannot be handed on as a function");
    }
}

bool mr_call_on_element(mr_evaluator *ev, const mr_closure *closure, int64_t number, mr_datum element,
                        mr_place place, mr_datum *answer)
{
    if (closure->kind == MR_CLOSURE_LAMBDA && !closure->expr->is_fn) {
        const mr_scope *inside;
        return mr_bind_pattern(ev, closure->scope, closure->expr->params, closure->expr->param_count,
                               closure->expr->params_tuple, true, number, element, place, &inside) &&
               mr_evaluate(ev, inside, closure->expr->b, NULL, answer);
    }
    size_t wanted = closure->kind == MR_CLOSURE_LAMBDA ? closure->expr->param_count
                    : closure->kind == MR_CLOSURE_DECL ? closure->decl->param_count
                                                       : 1;
    mr_datum values[2] = { mr_datum_integer(number), element };
    return wanted == 2 ? mr_call_closure(ev, closure, values, 2, place, answer)
                       : mr_call_closure(ev, closure, &element, 1, place, answer);
}
