// world/check_rule.c: rules, their options and draws, and the scatter.

#include "world/check_state.h"
#include "world/population.h"

MR_CHECKED(mr_check_draw)
{
    const mr_scope *option = mr_scope_asked(call->scope);
    if (!option || !option->asked->draws) {
        return mr_check_fail(
            checker, call->expr->place, checker->calls ? "a world's own function may not draw" : NULL,
            "%s may stand only in candidates, keep, order, size, place and a maker's options",
            call->builtin->name);
    }
    if (call->builtin->answer) {
        return call->builtin->answer;
    }
    mr_typed a = call->types[0], b = call->types[1];
    if (mr_typed_unknown(a) || mr_typed_unknown(b)) {
        return &mr_type_any;
    }
    mr_dimension from = mr_typed_dimension(a), to = mr_typed_dimension(b);
    bool first_zero = mr_check_literal_zero(call->given[0]->value);
    bool last_zero = mr_check_literal_zero(call->given[1]->value);
    if (!mr_dimension_equal(from, to) && !first_zero && !last_zero) {
        char low[48], high[48];
        mr_dimension_name(from, low);
        mr_dimension_name(to, high);
        return mr_check_fail(checker, call->expr->place, NULL, "uniform from %s to %s", low, high);
    }
    return mr_check_number_of(checker, first_zero ? to : from);
}

static mr_scope *option_scope(mr_checker *c, const mr_checked_call *call, mr_rule_option option,
                              size_t given_count, const mr_view *given_names, const mr_typed *given_types)
{
    mr_scope *scope = mr_check_take(c, sizeof *scope);
    mr_asked_names *names = mr_check_take(c, sizeof *names);
    if (!scope || !names) {
        return NULL;
    }
    *names = (mr_asked_names){ .visible = mr_rule_readable(option, call->given),
                               .given_count = option > MR_RULE_GIVEN ? given_count : 0,
                               .given_names = given_names,
                               .given_types = given_types,
                               .draws = (call->builtin->params[option].flags & MR_PARAM_DRAWS) != 0 };
    *scope = (mr_scope){ .outer = call->scope, .kind = MR_SCOPE_ASKED, .asked = names };
    return scope;
}

static void check_candidates(mr_checker *c, const mr_scope *scope, const mr_expr *value)
{
    c->subject = MR_VIEW("candidates");
    mr_typed given = mr_check_expr(c, scope, value, NULL);
    if (mr_typed_unknown(given) || given->of == MR_OF_MAKER) {
        return;
    }
    if (given->of != MR_OF_LIST) {
        char got[256];
        mr_type_describe(given, got, sizeof got);
        mr_check_fail(c, value->place, NULL, "spots or a candidate maker are asked for, not %s", got);
        return;
    }
    if (given->element && !mr_typed_unknown(given->element)) {
        const mr_expr *item =
            value->kind == MR_EXPR_LIST && value->item_count ? value->items[0].value : value;
        mr_check_fits(c, item, given->element, &mr_type_spot);
    }
}

static const struct {
    const char *name;
    mr_typed type;
} copy_options[] = { { "variant", &mr_type_int },
                     { "turn", &mr_type_angle },
                     { "size", &mr_type_number },
                     { "sink", &mr_type_number },
                     { "height", &mr_type_plain_metres } };

static void check_copy(mr_checker *c, const mr_scope *scope, const mr_expr *call)
{
    for (size_t i = 0; i < call->item_count; i++) {
        const mr_argument *argument = &call->items[i];
        size_t at = 0;
        while (at < 5 && !mr_view_is(argument->name, copy_options[at].name)) {
            at++;
        }
        if (at == 5) {
            mr_check_fail(c, argument->place, "a design's own fields are stated by variants: on its header",
                          "place says variant turn size sink height, not %.*s",
                          MR_VIEW_ARGS(argument->name.size ? argument->name : MR_VIEW("a bare value")));
            return;
        }
        mr_param_spec param = { copy_options[at].name, copy_options[at].type, MR_PARAM_RANGE };
        mr_check_answer(c, scope, &param, argument->value, copy_options[at].name);
    }
}

static void check_place(mr_checker *c, const mr_scope *scope, const mr_expr *expr)
{
    c->subject = MR_VIEW("place");
    if (expr->kind == MR_EXPR_IF) {
        mr_check_condition(c, scope, expr->a);
        check_place(c, scope, expr->b);
        if (expr->c) {
            check_place(c, scope, expr->c);
        } else {
            mr_check_fail(c, expr->place, "write else { ... }",
                          "place says nothing where the condition fails");
        }
        return;
    }
    if (expr->kind == MR_EXPR_BLOCK && expr->step_count > 0) {
        for (size_t i = 0; i + 1 < expr->step_count; i++) {
            const mr_step *step = &expr->steps[i];
            mr_typed value = mr_check_expr(c, scope, step->value, NULL);
            if (step->kind == MR_STEP_LET) {
                scope = mr_check_pattern(c, scope, step->pattern, step->pattern_count, step->pattern_tuple,
                                         false, value, step->place);
            }
        }
        check_place(c, scope, expr->steps[expr->step_count - 1].value);
        return;
    }
    const mr_expr *callee = expr->kind == MR_EXPR_CALL ? expr->a : expr;
    bool whole = expr->kind == MR_EXPR_CALL && callee->kind == MR_EXPR_NAME &&
                 mr_scope_find(scope, c->file, callee->text).kind == MR_FOUND_BUILTIN;
    mr_typed kind = mr_check_as(c, scope, whole ? expr : callee, &mr_type_design);
    if (!whole && expr->kind == MR_EXPR_CALL) {
        check_copy(c, scope, expr);
    }
    if (kind->of == MR_OF_DESIGN && kind->shape && kind->shape->decl) {
        const mr_decl *decl = kind->shape->decl;
        bool stated = false;
        for (size_t i = 0; i < decl->option_count; i++) {
            stated |= mr_view_is(decl->options[i].name, "variants");
        }
        if (!stated) {
            mr_check_missing(c, callee->place, kind->shape, NULL, NULL, true);
        }
    }
}

// given: (d: forestDensity(here)): names and what they are.
static size_t check_given(mr_checker *c, const mr_scope *scope, const mr_expr *record, mr_view *names,
                          mr_typed *types)
{
    c->subject = MR_VIEW("given");
    if (record->kind != MR_EXPR_TUPLE || record->item_count == 0 || record->items[0].name.size == 0) {
        mr_check_fail(c, record->place, NULL, "given is a record: given: (name: value, ...)");
        return 0;
    }
    if (record->item_count > MR_GIVEN_MAX) {
        mr_check_fail(c, record->place, NULL, "given holds at most %d names", MR_GIVEN_MAX);
        return 0;
    }
    for (size_t i = 0; i < record->item_count; i++) {
        const mr_expr *value = record->items[i].value;
        names[i] = record->items[i].name;
        types[i] = mr_check_expr(c, scope, value, NULL);
        if (!mr_typed_unknown(types[i]) && !mr_typed_numeric(types[i]) && types[i]->of != MR_OF_BOOL) {
            mr_check_fail(c, value->place, NULL, "given holds numbers and conditions");
        }
        types[i] = types[i]->of == MR_OF_INT ? &mr_type_number : types[i];
    }
    return record->item_count;
}

MR_CHECKED(mr_check_rule)
{
    mr_checker *c = checker;
    mr_view subject = c->subject;
    mr_view *names = mr_check_take(c, MR_GIVEN_MAX * sizeof *names);
    mr_typed *types = mr_check_take(c, MR_GIVEN_MAX * sizeof *types);
    size_t given_count = 0;
    for (uint32_t i = 0; names && types && i <= MR_RULE_PLACE; i++) {
        mr_scope *scope =
            call->given[i] ? option_scope(c, call, (mr_rule_option)i, given_count, names, types) : NULL;
        const mr_param_spec *param = &call->builtin->params[i];
        if (!scope) {
            continue;
        }
        const mr_expr *value = call->given[i]->value;
        switch (i) {
        case MR_RULE_CANDIDATES:
            check_candidates(c, scope, value);
            break;
        case MR_RULE_GIVEN:
            given_count = check_given(c, scope, value, names, types);
            break;
        case MR_RULE_PLACE:
            check_place(c, scope, value);
            break;
        default:
            if (!((param->flags & MR_PARAM_NONE) && value->kind == MR_EXPR_NONE)) {
                mr_check_answer(c, scope, param, value, param->name);
            }
        }
    }
    c->subject = subject;
    if (!call->given[MR_RULE_TEST] && !call->given[MR_RULE_SPACING] && !call->given[MR_RULE_ROOM]) {
        return mr_check_fail(c, call->expr->place, "write test: none to place without a test",
                             "a rule says test, spacing or room");
    }
    return &mr_type_rule;
}

MR_CHECKED(mr_check_scatter)
{
    (void)call;
    return mr_check_type(
        checker, (mr_world_type){ .of = MR_OF_LIST, .element = &mr_type_placed, .from_scatter = true });
}
