// world/eval.c: expressions to data.

#include "world/apply.h"

#include "base/context.h"

// A list element by place, or a family's member by its index.
static bool index_list(mr_evaluator *ev, const mr_expr *expr, mr_datum list, mr_datum index, mr_datum *answer)
{
    const mr_sequence *items = list.sequence;
    if (items->keys) {
        for (size_t i = 0; i < items->count; i++) {
            if (mr_datum_equal(items->keys[i], index)) {
                *answer = items->items[i];
                return true;
            }
        }
        char key[64];
        if (!mr_datum_text(index, key, sizeof key)) {
            return mr_evaluator_fail(ev, expr->place, "an index is a whole number or a text");
        }
        return mr_evaluator_fail(ev, expr->place, "no part of this family is numbered %s", key);
    }
    if (index.kind != MR_DATUM_INT) {
        return mr_evaluator_fail(ev, expr->place, "a list is indexed by a whole number");
    }
    if (index.integer < 0 || (uint64_t)index.integer >= items->count) {
        return mr_evaluator_fail(ev, expr->place, "index %lld is outside a list of %zu (the first is 0)",
                                 (long long)index.integer, items->count);
    }
    *answer = items->items[index.integer];
    return true;
}

static bool evaluate_index(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, mr_datum *answer)
{
    mr_datum of, index;
    if (!mr_evaluate(ev, scope, expr->a, NULL, &of) || !mr_evaluate(ev, scope, expr->b, NULL, &index)) {
        return false;
    }
    if (of.kind == MR_DATUM_LIST || of.kind == MR_DATUM_TUPLE) {
        return index_list(ev, expr, of, index, answer);
    }
    char what[96];
    mr_datum_describe(of, what, sizeof what);
    return mr_evaluator_fail(ev, expr->place, "%s has no elements to index", what);
}

static bool evaluate_number(const mr_expr *expr, mr_datum *answer)
{
    if (!expr->unit) {
        *answer = expr->kind == MR_EXPR_INT ? mr_datum_integer(expr->integer) : mr_datum_plain(expr->number);
        return true;
    }
    double exact = expr->kind == MR_EXPR_INT ? (double)expr->integer : expr->number_exact;
    float number = expr->kind == MR_EXPR_INT ? (float)expr->integer : expr->number;
    if (expr->unit->scale != 1.0) {
        number = (float)(exact * expr->unit->scale);
    }
    *answer = mr_datum_number(number, expr->unit->dimension);
    return true;
}

static bool evaluate_items(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr,
                           const mr_world_type *want, mr_datum *answer)
{
    bool list = expr->kind == MR_EXPR_LIST;
    bool names = expr->item_count > 0 && expr->items[0].name.size > 0;
    mr_sequence *made = mr_make_sequence(ev, expr->item_count, names);
    if (!made) {
        return false;
    }
    for (size_t i = 0; i < expr->item_count; i++) {
        const mr_world_type *inner = NULL;
        if (want && list && want->of == MR_OF_LIST) {
            inner = want->element;
        } else if (want && want->of == MR_OF_TUPLE && i < want->count) {
            inner = want->items[i];
        }
        if (!mr_evaluate(ev, scope, expr->items[i].value, inner, (mr_datum *)&made->items[i])) {
            return false;
        }
        if (names) {
            ((mr_view *)made->names)[i] = expr->items[i].name;
        }
    }
    *answer = (mr_datum){ .kind = list    ? MR_DATUM_LIST
                                  : names ? MR_DATUM_RECORD
                                          : MR_DATUM_TUPLE,
                          .sequence = made };
    return true;
}

static bool evaluate_range(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, mr_datum *answer)
{
    mr_datum low, high;
    if (!mr_evaluate(ev, scope, expr->a, NULL, &low) || !mr_evaluate(ev, scope, expr->b, NULL, &high)) {
        return false;
    }
    if (!mr_datum_is_numeric(low) || !mr_datum_is_numeric(high)) {
        return mr_evaluator_fail(ev, expr->place, "a range goes from one number to another");
    }
    if (low.kind != high.kind) {
        mr_dimension dimension = low.kind == MR_DATUM_NUMBER ? low.dimension : high.dimension;
        const mr_expr *whole = low.kind == MR_DATUM_INT ? expr->a : expr->b;
        if (!mr_dimension_plain(dimension) && !mr_evaluate_literal_is_zero(whole)) {
            return mr_evaluator_fail(ev, expr->place, "a range's two ends are of different kinds");
        }
        low = mr_datum_number(mr_datum_as_number(low), dimension);
        high = mr_datum_number(mr_datum_as_number(high), dimension);
    }
    if (low.kind == MR_DATUM_NUMBER && mr_evaluate_literal_is_zero(expr->a)) {
        low.dimension = high.dimension;
    } else if (low.kind == MR_DATUM_NUMBER && mr_evaluate_literal_is_zero(expr->b)) {
        high.dimension = low.dimension;
    }
    if (low.kind == MR_DATUM_NUMBER && !mr_dimension_equal(low.dimension, high.dimension)) {
        char a[48], b[48];
        mr_dimension_name(low.dimension, a);
        mr_dimension_name(high.dimension, b);
        return mr_evaluator_fail(ev, expr->place, "a range from %s to %s", a, b);
    }
    mr_interval *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = (mr_interval){ .low = low, .high = high, .to = expr->op == MR_OPERATOR_RANGE_TO };
    *answer = (mr_datum){ .kind = MR_DATUM_RANGE, .range = made };
    return true;
}

bool mr_evaluate_condition(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, bool *holds)
{
    mr_datum datum;
    if (!mr_evaluate_as(ev, scope, expr, &mr_type_bool, &datum)) {
        return false;
    }
    *holds = datum.boolean;
    return true;
}

static bool evaluate_binary(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, mr_datum *answer)
{
    if (expr->op == MR_OPERATOR_AND || expr->op == MR_OPERATOR_OR) {
        bool holds;
        if (!mr_evaluate_condition(ev, scope, expr->a, &holds)) {
            return false;
        }
        if (holds == (expr->op == MR_OPERATOR_AND) && !mr_evaluate_condition(ev, scope, expr->b, &holds)) {
            return false;
        }
        *answer = mr_datum_boolean(holds);
        return true;
    }
    if (expr->op == MR_OPERATOR_RANGE_BELOW || expr->op == MR_OPERATOR_RANGE_TO) {
        return evaluate_range(ev, scope, expr, answer);
    }
    mr_datum a, b;
    return mr_evaluate(ev, scope, expr->a, NULL, &a) && mr_evaluate(ev, scope, expr->b, NULL, &b) &&
           mr_evaluate_operator(ev, scope, expr, a, b, answer);
}

static bool evaluate_unary(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, mr_datum *answer)
{
    if (expr->op == MR_OPERATOR_NOT) {
        bool holds;
        if (!mr_evaluate_condition(ev, scope, expr->a, &holds)) {
            return false;
        }
        *answer = mr_datum_boolean(!holds);
        return true;
    }
    mr_datum a;
    if (!mr_evaluate(ev, scope, expr->a, NULL, &a)) {
        return false;
    }
    switch (a.kind) {
    case MR_DATUM_INT: {
        mr_lane_value negative, nothing = { 0 };
        if (!mr_apply(ev, expr->place, MR_OP_INEG, (mr_lane_value){ .i64 = a.integer }, nothing, nothing,
                      &negative)) {
            return false;
        }
        *answer = mr_datum_integer(negative.i64);
        return true;
    }
    case MR_DATUM_NUMBER:
        *answer = mr_datum_number(-a.number, a.dimension);
        return true;
    case MR_DATUM_TUPLE: {
        mr_sequence *made = mr_make_sequence(ev, a.sequence->count, false);
        for (size_t i = 0; made && i < a.sequence->count; i++) {
            mr_datum one = a.sequence->items[i];
            if (!mr_datum_is_numeric(one) || (one.kind == MR_DATUM_INT && one.integer == INT64_MIN)) {
                return mr_evaluator_fail(ev, expr->place, "only numbers have a negative");
            }
            ((mr_datum *)made->items)[i] = one.kind == MR_DATUM_INT
                                               ? mr_datum_integer(-one.integer)
                                               : mr_datum_number(-one.number, one.dimension);
        }
        *answer = (mr_datum){ .kind = MR_DATUM_TUPLE, .sequence = made };
        return made != NULL;
    }
    default: {
        char what[96];
        mr_datum_describe(a, what, sizeof what);
        return mr_evaluator_fail(ev, expr->place, "%s has no negative", what);
    }
    }
}

static bool evaluate_block(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr,
                           const mr_world_type *want, mr_datum *answer)
{
    *answer = mr_datum_none();
    for (size_t i = 0; i < expr->step_count; i++) {
        const mr_step *step = &expr->steps[i];
        mr_datum value;
        bool last = i + 1 == expr->step_count;
        if (step->kind != MR_STEP_LET && step->kind != MR_STEP_EXPR) {
            return mr_evaluator_fail_with(ev, MR_NOT_YET, step->place, NULL,
                                          "not yet: acts run only in a running world");
        }
        if (!mr_evaluate(ev, scope, step->value, last ? want : NULL, &value)) {
            return false;
        }
        if (step->kind == MR_STEP_EXPR) {
            *answer = value;
        } else if (!mr_bind_pattern(ev, scope, step->pattern, step->pattern_count, step->pattern_tuple, false,
                                    0, value, step->place, &scope)) {
            return false;
        }
    }
    return true;
}

static bool evaluate_lambda(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, mr_datum *answer)
{
    mr_closure *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = (mr_closure){ .kind = MR_CLOSURE_LAMBDA, .expr = expr, .scope = scope };
    *answer = (mr_datum){ .kind = MR_DATUM_FUNCTION, .function = made };
    return true;
}

static bool evaluate_builtin_name(mr_evaluator *ev, const mr_builtin *builtin, mr_datum *answer)
{
    mr_closure *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = (mr_closure){ .kind = MR_CLOSURE_BUILTIN, .builtin = builtin };
    *answer = (mr_datum){ .kind = MR_DATUM_FUNCTION, .function = made };
    return true;
}

static bool names_choice(const mr_world_type *want, mr_view name)
{
    if (!want || want->of != MR_OF_CHOICE) {
        return false;
    }
    for (size_t i = 0; i < want->count; i++) {
        if (mr_view_equal(want->names[i], name)) {
            return true;
        }
    }
    return want->count == 0;
}

static bool evaluate_name(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr,
                          const mr_world_type *want, mr_datum *answer)
{
    if (ev->builtin_of[expr->id]) {
        return evaluate_builtin_name(ev, ev->builtin_of[expr->id], answer);
    }
    if (names_choice(want, expr->text)) {
        return mr_make_text(ev, expr->text, MR_DATUM_CHOICE, answer);
    }
    mr_found found = mr_scope_find(scope, ev->file, expr->text);
    switch (found.kind) {
    case MR_FOUND_CELL:
        *answer = found.scope->value;
        return true;
    case MR_FOUND_MEMBER:
        return mr_member_value(ev, found.scope, found.member, expr->place, answer);
    case MR_FOUND_ASKED:
    case MR_FOUND_GIVEN:
        return mr_evaluate_asked(ev, &found, expr, answer);
    case MR_FOUND_SELF:
        *answer = (mr_datum){ .kind = MR_DATUM_PART, .part = found.scope->layer->instance };
        return true;
    case MR_FOUND_SPACE:
        return mr_make_text(ev, expr->text, MR_DATUM_SPACE, answer);
    case MR_FOUND_BUILTIN:
        if (!mr_scope_asked(scope)) {
            ev->builtin_of[expr->id] = found.builtin;
        }
        return evaluate_builtin_name(ev, found.builtin, answer);
    case MR_FOUND_NOTHING:
        break;
    }
    char near[64], hint[96];
    const char *name = mr_scope_nearest(scope, ev->file, expr->text, near);
    mr_text_format(hint, sizeof hint, "did you mean %s?", near);
    return mr_evaluator_fail_with(ev, MR_BAD_INPUT, expr->place, name ? hint : NULL, "nothing is called %.*s",
                                  MR_VIEW_ARGS(expr->text));
}

static bool evaluate_member_of(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, mr_datum *answer)
{
    mr_datum of;
    return mr_evaluate(ev, scope, expr->a, NULL, &of) && mr_evaluate_member(ev, scope, expr, of, answer);
}

static bool evaluate_kind(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr,
                          const mr_world_type *want, mr_datum *answer)
{
    switch (expr->kind) {
    case MR_EXPR_INT:
    case MR_EXPR_NUMBER:
        return evaluate_number(expr, answer);
    case MR_EXPR_TEXT:
        return mr_make_text(ev, expr->text, MR_DATUM_TEXT, answer);
    case MR_EXPR_TRUE:
    case MR_EXPR_FALSE:
        *answer = mr_datum_boolean(expr->kind == MR_EXPR_TRUE);
        return true;
    case MR_EXPR_NONE:
        *answer = mr_datum_none();
        return true;
    case MR_EXPR_NAME:
        return evaluate_name(ev, scope, expr, want, answer);
    case MR_EXPR_MEMBER:
        return evaluate_member_of(ev, scope, expr, answer);
    case MR_EXPR_INDEX:
        return evaluate_index(ev, scope, expr, answer);
    case MR_EXPR_CALL:
        return mr_evaluate_call(ev, scope, expr, want, answer);
    case MR_EXPR_UNARY:
        return evaluate_unary(ev, scope, expr, answer);
    case MR_EXPR_BINARY:
        return evaluate_binary(ev, scope, expr, answer);
    case MR_EXPR_TUPLE:
    case MR_EXPR_LIST:
        return evaluate_items(ev, scope, expr, want, answer);
    case MR_EXPR_IF: {
        bool holds;
        if (!mr_evaluate_condition(ev, scope, expr->a, &holds)) {
            return false;
        }
        if (!holds && !expr->c) {
            *answer = mr_datum_none();
            return true;
        }
        return mr_evaluate(ev, scope, holds ? expr->b : expr->c, want, answer);
    }
    case MR_EXPR_LAMBDA:
        return evaluate_lambda(ev, scope, expr, answer);
    case MR_EXPR_BLOCK:
        return evaluate_block(ev, scope, expr, want, answer);
    case MR_EXPR_ACTS:
        return mr_evaluator_fail_with(ev, MR_NOT_YET, expr->place, NULL,
                                      "not yet: acts run only in a running world");
    case MR_EXPR_ONE_OF:
        break;
    }
    return mr_evaluator_fail(ev, expr->place, "a type cannot stand here");
}

bool mr_evaluate(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, const mr_world_type *want,
                 mr_datum *answer)
{
    if (ev->depth >= ev->limits.depth) {
        return mr_evaluator_fail_with(ev, MR_LIMIT, expr->place, "does a function call itself without end?",
                                      "calls and fields are nested more than %u deep", ev->limits.depth);
    }
    ev->steps++;
    if (ev->limits.steps && ev->steps > ev->limits.steps) {
        return mr_evaluator_fail_with(ev, MR_LIMIT, expr->place, NULL,
                                      "the world takes more than %llu steps to work out",
                                      (unsigned long long)ev->limits.steps);
    }
    if ((ev->steps & 1023u) == 0 && !mr_keep_going(ev->context, ev->error)) {
        return mr_evaluator_failed_at(ev, expr->place);
    }
    ev->depth++;
    bool done = evaluate_kind(ev, scope, expr, want, answer);
    ev->depth--;
    return done;
}
