// world/check_expr.c: the types of expressions.

#include "world/check_state.h"

#include "graph/node.h"

static mr_typed check_name(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed want)
{
    if (want && want->of == MR_OF_CHOICE) {
        for (size_t i = 0; i < want->count; i++) {
            if (mr_view_equal(want->names[i], expr->text)) {
                return mr_check_type(
                    c, (mr_world_type){ .of = MR_OF_CHOICE, .count = 1, .names = &want->names[i] });
            }
        }
    }
    mr_found found = mr_scope_find(scope, c->file, expr->text);
    static mr_typed const asked[MR_ASKED_COUNT] = {
        [MR_ASKED_HERE] = &mr_type_spot,      [MR_ASKED_K] = &mr_type_int,
        [MR_ASKED_ALONG] = &mr_type_length,   [MR_ASKED_SIDE] = &mr_type_int,
        [MR_ASKED_THING] = &mr_type_placed,   [MR_ASKED_PLACED_EARLIER] = &mr_type_placed_list,
        [MR_ASKED_SPACING] = &mr_type_length, [MR_ASKED_SIZE] = &mr_type_number,
        [MR_ASKED_TEST] = &mr_type_length,    [MR_ASKED_ROOM] = &mr_type_length,
    };
    switch (found.kind) {
    case MR_FOUND_CELL:
        return mr_check_cell(c, found.scope);
    case MR_FOUND_MEMBER:
        return mr_check_member(c, found.scope, found.member);
    case MR_FOUND_ASKED:
        return asked[found.asked];
    case MR_FOUND_GIVEN:
        return found.scope->asked->given_types[found.given];
    case MR_FOUND_SELF:
        return mr_check_type(c, (mr_world_type){ .of = MR_OF_PART, .shape = found.scope->shape });
    case MR_FOUND_SPACE:
        return &mr_type_space;
    case MR_FOUND_BUILTIN:
        return mr_check_type(
            c, (mr_world_type){ .of = MR_OF_FUNCTION, .builtin = found.builtin, .scope = scope });
    case MR_FOUND_NOTHING:
        break;
    }
    char near[64], hint[96];
    if (want && want->of == MR_OF_CHOICE && want->count > 0) {
        char asked_for[256];
        mr_type_describe(want, asked_for, sizeof asked_for);
        return mr_check_fail(c, expr->place, NULL, "%s is asked for, not %.*s", asked_for,
                             MR_VIEW_ARGS(expr->text));
    }
    for (uint32_t i = 0; mr_scope_asked(scope) && i < MR_ASKED_COUNT; i++) {
        if (mr_view_is(expr->text, mr_asked_texts[i])) {
            return mr_check_fail(c, expr->place, NULL, "%s is not known in this option", mr_asked_texts[i]);
        }
    }
    const char *name = mr_scope_nearest(scope, c->file, expr->text, near);
    mr_text_format(hint, sizeof hint, "did you mean %s?", near);
    return mr_check_fail(c, expr->place, name ? hint : NULL, "nothing is called %.*s",
                         MR_VIEW_ARGS(expr->text));
}

static mr_typed check_list(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed want)
{
    mr_typed inner = want && want->of == MR_OF_LIST ? want->element : NULL;
    mr_typed element = NULL;
    for (size_t i = 0; i < expr->item_count; i++) {
        const mr_expr *item = expr->items[i].value;
        mr_typed one = mr_check_expr(c, scope, item, inner);
        if (inner && !mr_typed_unknown(inner) && !mr_check_fits(c, item, one, inner)) {
            return &mr_type_broken;
        }
        mr_typed both = element ? mr_check_unify(c, element, one) : one;
        element = both ? both : &mr_type_any;
        if (one->of == MR_OF_BROKEN) {
            return &mr_type_broken;
        }
    }
    return mr_check_list_of(c, element ? element : inner ? inner : &mr_type_any);
}

static mr_typed check_tuple(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed want)
{
    bool record = expr->item_count > 0 && expr->items[0].name.size > 0;
    mr_typed *items = mr_check_take(c, expr->item_count * sizeof *items + 1);
    mr_view *names = record ? mr_check_take(c, expr->item_count * sizeof *names + 1) : NULL;
    if (!items || (record && !names)) {
        return &mr_type_broken;
    }
    for (size_t i = 0; i < expr->item_count; i++) {
        mr_typed inner =
            want && want->of == MR_OF_TUPLE && !record && i < want->count ? want->items[i] : NULL;
        items[i] = mr_check_expr(c, scope, expr->items[i].value, inner);
        if (items[i]->of == MR_OF_BROKEN) {
            return &mr_type_broken;
        }
        if (record) {
            names[i] = expr->items[i].name;
        }
    }
    return mr_check_type(c, (mr_world_type){ .of = record ? MR_OF_RECORD : MR_OF_TUPLE,
                                             .count = expr->item_count,
                                             .items = items,
                                             .names = names });
}

static mr_typed check_range(mr_checker *c, const mr_scope *scope, const mr_expr *expr)
{
    mr_typed low = mr_check_expr(c, scope, expr->a, NULL), high = mr_check_expr(c, scope, expr->b, NULL);
    if (mr_typed_unknown(low) || mr_typed_unknown(high)) {
        return low->of == MR_OF_BROKEN || high->of == MR_OF_BROKEN ? &mr_type_broken : &mr_type_range;
    }
    if (!mr_typed_numeric(low) || !mr_typed_numeric(high)) {
        return mr_check_fail(c, expr->place, NULL, "a range goes from one number to another");
    }
    mr_typed element = low->of == MR_OF_INT && high->of == MR_OF_INT ? &mr_type_int : NULL;
    if (!element) {
        mr_dimension a = mr_typed_dimension(low), b = mr_typed_dimension(high);
        bool first_zero = mr_check_literal_zero(expr->a);
        bool last_zero = mr_check_literal_zero(expr->b);
        if (!mr_dimension_equal(a, b) && !first_zero && !last_zero) {
            char from[48], to[48];
            mr_dimension_name(a, from);
            mr_dimension_name(b, to);
            return mr_check_fail(c, expr->place, NULL, "a range from %s to %s", from, to);
        }
        element = mr_check_number_of(c, mr_dimension_plain(a) ? b : a);
    }
    return mr_check_type(c, (mr_world_type){ .of = MR_OF_RANGE, .element = element });
}

void mr_check_condition(mr_checker *c, const mr_scope *scope, const mr_expr *expr)
{
    mr_check_as(c, scope, expr, &mr_type_bool);
}

// A distance is held to the land's reach: a test beyond it is always or never true.
static void warn_of_reach(mr_checker *c, const mr_scope *scope, const mr_expr *expr)
{
    bool less = expr->op == MR_OPERATOR_LESS || expr->op == MR_OPERATOR_LESS_EQUAL;
    bool more = expr->op == MR_OPERATOR_GREATER || expr->op == MR_OPERATOR_GREATER_EQUAL;
    const mr_expr *call = expr->a;
    double bound;
    if ((!less && !more) || call->kind != MR_EXPR_CALL || call->a->kind != MR_EXPR_MEMBER ||
        !mr_check_literal(expr->b, &bound)) {
        return;
    }
    mr_view name = call->a->text;
    if (name.size <= 8 || memcmp(name.data + name.size - 8, "Distance", 8) != 0) {
        return;
    }
    bool reported = c->reported;
    c->reported = true; // asked again only for its type
    mr_typed of = mr_check_expr(c, scope, call->a->a, NULL);
    c->reported = reported;
    if (of->of == MR_OF_PART && of->shape) {
        of = mr_check_content(c, of->shape);
    }
    if (of->of != MR_OF_LAND || !(of->reach > 0)) {
        return;
    }
    double reach = (double)of->reach;
    bool always = less && (expr->op == MR_OPERATOR_LESS ? bound > reach : bound >= reach);
    bool never = more && (expr->op == MR_OPERATOR_GREATER ? bound >= reach : bound > reach);
    if (always || never) {
        mr_check_warn(c, expr->place,
                      "give the land a farther reach:", "%.*s is known to %g m, so this is %s true",
                      MR_VIEW_ARGS(name), reach, always ? "always" : "never");
    }
}

static mr_typed check_binary(mr_checker *c, const mr_scope *scope, const mr_expr *expr)
{
    if (expr->op == MR_OPERATOR_AND || expr->op == MR_OPERATOR_OR) {
        mr_check_condition(c, scope, expr->a);
        mr_check_condition(c, scope, expr->b);
        return &mr_type_bool;
    }
    if (expr->op == MR_OPERATOR_RANGE_BELOW || expr->op == MR_OPERATOR_RANGE_TO) {
        return check_range(c, scope, expr);
    }
    mr_typed a = mr_check_expr(c, scope, expr->a, NULL);
    mr_typed b = mr_check_expr(c, scope, expr->b, NULL);
    warn_of_reach(c, scope, expr);
    return mr_check_operator(c, expr, a, b);
}

static mr_typed check_unary(mr_checker *c, const mr_scope *scope, const mr_expr *expr)
{
    if (expr->op == MR_OPERATOR_NOT) {
        mr_check_condition(c, scope, expr->a);
        return &mr_type_bool;
    }
    mr_typed a = mr_check_expr(c, scope, expr->a, NULL);
    if (mr_typed_unknown(a) || mr_typed_numeric(a) || a->of == MR_OF_TUPLE) {
        if (a->of == MR_OF_NUMBER) {
            return mr_check_number_of(c, a->dimension);
        }
        return a->of == MR_OF_INT ? &mr_type_int : a;
    }
    char got[256];
    mr_type_describe(a, got, sizeof got);
    return mr_check_fail(c, expr->place, NULL, "%s has no negative", got);
}

static mr_typed check_index(mr_checker *c, const mr_scope *scope, const mr_expr *expr)
{
    mr_typed of = mr_check_expr(c, scope, expr->a, NULL);
    mr_typed index = mr_check_expr(c, scope, expr->b, NULL);
    if (mr_typed_unknown(of)) {
        return of;
    }
    if (of->of == MR_OF_LIST) {
        if (!of->family && !mr_typed_unknown(index) && index->of != MR_OF_INT) {
            return mr_check_fail(c, expr->b->place, NULL, "a list is indexed by a whole number");
        }
        return of->element ? of->element : &mr_type_any;
    }
    double at;
    if (of->of == MR_OF_TUPLE) {
        bool known = mr_check_literal(expr->b, &at) && at >= 0 && at < (double)of->count;
        return known ? of->items[(size_t)at] : &mr_type_any;
    }
    char got[256];
    mr_type_describe(of, got, sizeof got);
    return mr_check_fail(c, expr->place, NULL, "%s has no elements to index", got);
}

static void check_acts(mr_checker *c, const mr_scope *scope, const mr_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const mr_step *step = &steps[i];
        mr_typed value = mr_check_expr(c, scope, step->value, NULL);
        if (step->kind == MR_STEP_LET) {
            scope = mr_check_pattern(c, scope, step->pattern, step->pattern_count, step->pattern_tuple, false,
                                     value, step->place);
        } else if (step->kind == MR_STEP_EACH) {
            mr_typed element = mr_check_element_of(c, step->value->place, value);
            check_acts(c,
                       mr_check_pattern(c, scope, step->pattern, step->pattern_count, step->pattern_tuple,
                                        true, element, step->place),
                       step->body, step->body_count);
        } else if (step->kind == MR_STEP_IF) {
            check_acts(c, scope, step->body, step->body_count);
            check_acts(c, scope, step->otherwise, step->otherwise_count);
        }
    }
}

static mr_typed check_block(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed want)
{
    mr_typed last = &mr_type_none;
    for (size_t i = 0; i < expr->step_count; i++) {
        const mr_step *step = &expr->steps[i];
        bool ends = i + 1 == expr->step_count;
        last = mr_check_expr(c, scope, step->value, ends ? want : NULL);
        if (step->kind == MR_STEP_LET) {
            scope = mr_check_pattern(c, scope, step->pattern, step->pattern_count, step->pattern_tuple, false,
                                     last, step->place);
        }
    }
    return last;
}

static mr_typed check_if(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed want)
{
    mr_check_condition(c, scope, expr->a);
    mr_typed a = mr_check_expr(c, scope, expr->b, want);
    if (!expr->c) {
        return a;
    }
    mr_typed b = mr_check_expr(c, scope, expr->c, want);
    mr_typed both = mr_check_unify(c, a, b);
    if (both) {
        return both;
    }
    char left[256], right[256];
    mr_type_describe(a, left, sizeof left);
    mr_type_describe(b, right, sizeof right);
    return mr_check_fail(c, expr->place, NULL, "if gives %s, and %s otherwise", left, right);
}

static mr_typed check_member_expr(mr_checker *c, const mr_scope *scope, const mr_expr *expr)
{
    if (expr->a->kind == MR_EXPR_NAME && mr_space_is(c->file, expr->a->text)) {
        return mr_check_space_member(c, expr, expr->a->text);
    }
    return mr_check_member_of(c, scope, expr, mr_check_expr(c, scope, expr->a, NULL));
}

static mr_typed check_kind(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed want)
{
    switch (expr->kind) {
    case MR_EXPR_INT:
    case MR_EXPR_NUMBER:
        if (expr->unit) {
            return mr_check_number_of(c, expr->unit->dimension);
        }
        return expr->kind == MR_EXPR_INT ? &mr_type_int : &mr_type_number;
    case MR_EXPR_TEXT:
        return &mr_type_text;
    case MR_EXPR_TRUE:
    case MR_EXPR_FALSE:
        return &mr_type_bool;
    case MR_EXPR_NONE:
        return &mr_type_none;
    case MR_EXPR_NAME:
        return check_name(c, scope, expr, want);
    case MR_EXPR_MEMBER:
        return check_member_expr(c, scope, expr);
    case MR_EXPR_INDEX:
        return check_index(c, scope, expr);
    case MR_EXPR_CALL:
        return mr_check_call(c, scope, expr, want);
    case MR_EXPR_UNARY:
        return check_unary(c, scope, expr);
    case MR_EXPR_BINARY:
        return check_binary(c, scope, expr);
    case MR_EXPR_TUPLE:
        return check_tuple(c, scope, expr, want);
    case MR_EXPR_LIST:
        return check_list(c, scope, expr, want);
    case MR_EXPR_IF:
        return check_if(c, scope, expr, want);
    case MR_EXPR_LAMBDA: {
        mr_typed made =
            mr_check_type(c, (mr_world_type){ .of = MR_OF_FUNCTION, .expr = expr, .scope = scope });
        if (c->calls == 0 && made->expr && !mr_array_push(c->context, &c->lambdas, made)) {
            c->out_of_memory = true;
        }
        return made;
    }
    case MR_EXPR_BLOCK:
        return check_block(c, scope, expr, want);
    case MR_EXPR_ACTS:
        check_acts(c, scope, expr->steps, expr->step_count);
        return &mr_type_any;
    case MR_EXPR_ONE_OF:
        break;
    }
    return mr_check_fail(c, expr->place, NULL, "a type cannot stand here");
}

enum { DEEPEST = 300 };

mr_typed mr_check_expr(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed want)
{
    if (c->out_of_memory) {
        return &mr_type_broken;
    }
    if (c->depth >= DEEPEST) { // names of names of names: it is worked out where it is built
        return &mr_type_any;
    }
    c->depth++;
    c->steps++;
    mr_typed type = check_kind(c, scope, expr, want);
    c->depth--;
    return type;
}

mr_typed mr_check_as(mr_checker *c, const mr_scope *scope, const mr_expr *expr, mr_typed want)
{
    mr_typed given = mr_check_expr(c, scope, expr, want);
    return mr_check_fits(c, expr, given, want) ? given : &mr_type_broken;
}
