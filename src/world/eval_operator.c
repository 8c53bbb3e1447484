// world/eval_operator.c: what operators do to data. Numbers are worked by the one table of operations.

#include "world/apply.h"

static bool fail_operands(mr_evaluator *ev, const mr_expr *expr, mr_datum a, mr_datum b)
{
    char left[96], right[96];
    mr_datum_describe(a, left, sizeof left);
    mr_datum_describe(b, right, sizeof right);
    switch (expr->op) {
    case MR_OPERATOR_MULTIPLY:
        return mr_evaluator_fail(ev, expr->place, "multiplies %s with %s", left, right);
    case MR_OPERATOR_DIVIDE:
    case MR_OPERATOR_DIV:
        return mr_evaluator_fail(ev, expr->place, "divides %s by %s", left, right);
    case MR_OPERATOR_REMAINDER:
        return mr_evaluator_fail(ev, expr->place, "takes the remainder of %s by %s", left, right);
    case MR_OPERATOR_ADD:
        return mr_evaluator_fail(ev, expr->place, "adds %s and %s", left, right);
    case MR_OPERATOR_SUBTRACT:
        return mr_evaluator_fail(ev, expr->place, "subtracts %s from %s", right, left);
    default:
        return mr_evaluator_fail(ev, expr->place, "compares %s with %s", left, right);
    }
}

bool mr_evaluate_literal_is_zero(const mr_expr *expr)
{
    return !expr->unit && ((expr->kind == MR_EXPR_INT && expr->integer == 0) ||
                           (expr->kind == MR_EXPR_NUMBER && expr->number == 0));
}

bool mr_apply(mr_evaluator *ev, mr_place place, mr_op op, mr_lane_value a, mr_lane_value b, mr_lane_value c,
              mr_lane_value *answer)
{
    mr_error error = { 0 };
    mr_lane_value operands[MR_OPERANDS_MAX] = { a, b, c };
    return mr_operation_apply(op, operands, answer, &error) ||
           mr_evaluator_fail(ev, place, "%s", error.message);
}

float mr_apply_f32(mr_op op, float a, float b, float c)
{
    mr_lane_value operands[MR_OPERANDS_MAX] = { { .f32 = a }, { .f32 = b }, { .f32 = c } };
    mr_lane_value answer = { .f32 = 0 };
    mr_operation_apply(op, operands, &answer, NULL);
    return answer.f32;
}

static bool integers(mr_evaluator *ev, const mr_expr *expr, int64_t a, int64_t b, mr_datum *answer)
{
    static const mr_op ops[] = { [MR_OPERATOR_ADD] = MR_OP_IADD,
                                 [MR_OPERATOR_SUBTRACT] = MR_OP_ISUB,
                                 [MR_OPERATOR_MULTIPLY] = MR_OP_IMUL,
                                 [MR_OPERATOR_DIV] = MR_OP_IDIV,
                                 [MR_OPERATOR_REMAINDER] = MR_OP_IMOD };
    if (expr->op == MR_OPERATOR_DIVIDE) {
        *answer = mr_datum_plain(mr_apply_f32(MR_OP_DIV, (float)a, (float)b, 0));
        return true;
    }
    mr_lane_value value;
    if (!mr_apply(ev, expr->place, ops[expr->op], (mr_lane_value){ .i64 = a }, (mr_lane_value){ .i64 = b },
                  (mr_lane_value){ 0 }, &value)) {
        return false;
    }
    *answer = mr_datum_integer(value.i64);
    return true;
}

// The dimension two added or compared numbers share; a literal 0 and what a whole number meets takes the other's.
static bool shared_dimension(mr_evaluator *ev, const mr_expr *expr, mr_datum a, mr_datum b,
                             mr_dimension *dimension)
{
    mr_dimension left = mr_datum_dimension(a), right = mr_datum_dimension(b);
    *dimension = left;
    if (mr_dimension_equal(left, right) || mr_evaluate_literal_is_zero(expr->b)) {
        return true;
    }
    *dimension = right;
    return mr_evaluate_literal_is_zero(expr->a) || fail_operands(ev, expr, a, b);
}

static bool numbers(mr_evaluator *ev, const mr_expr *expr, mr_datum a, mr_datum b, mr_datum *answer)
{
    float x = mr_datum_as_number(a), y = mr_datum_as_number(b);
    mr_dimension dimension;
    switch (expr->op) {
    case MR_OPERATOR_ADD:
    case MR_OPERATOR_SUBTRACT:
        if (!shared_dimension(ev, expr, a, b, &dimension)) {
            return false;
        }
        *answer = mr_datum_number(mr_apply_f32(expr->op == MR_OPERATOR_ADD ? MR_OP_ADD : MR_OP_SUB, x, y, 0),
                                  dimension);
        return true;
    case MR_OPERATOR_MULTIPLY:
    case MR_OPERATOR_DIVIDE:
        if (!mr_dimension_combine(mr_datum_dimension(a), mr_datum_dimension(b),
                                  expr->op == MR_OPERATOR_MULTIPLY ? 1 : -1, &dimension)) {
            return mr_evaluator_fail(ev, expr->place, "a unit's exponent passes 9");
        }
        *answer = mr_datum_number(
            mr_apply_f32(expr->op == MR_OPERATOR_MULTIPLY ? MR_OP_MUL : MR_OP_DIV, x, y, 0), dimension);
        return true;
    default:
        return mr_evaluator_fail_with(ev, MR_BAD_INPUT, expr->place, "use floor(a / b)",
                                      "%s is for whole numbers", mr_operator_text(expr->op));
    }
}

static bool scalars(mr_evaluator *ev, const mr_expr *expr, mr_datum a, mr_datum b, mr_datum *answer)
{
    return a.kind == MR_DATUM_INT && b.kind == MR_DATUM_INT ? integers(ev, expr, a.integer, b.integer, answer)
                                                            : numbers(ev, expr, a, b, answer);
}

static bool is_lengths(mr_datum datum, size_t count)
{
    if (datum.kind != MR_DATUM_TUPLE || datum.sequence->count != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        mr_datum one = datum.sequence->items[i];
        if (!mr_datum_is_numeric(one) || one.kind != MR_DATUM_NUMBER ||
            !mr_dimension_equal(one.dimension, mr_dimension_length)) {
            return false;
        }
    }
    return true;
}

static bool moved_spot(mr_evaluator *ev, const mr_expr *expr, mr_datum spot, mr_datum by, mr_datum *answer)
{
    float x, z;
    if (!mr_plan_of(by, &x, &z)) {
        return fail_operands(ev, expr, spot, by);
    }
    for (size_t i = 0; i < by.sequence->count; i++) {
        mr_datum one = by.sequence->items[i];
        if (mr_datum_as_number(one) != 0 &&
            !mr_dimension_equal(mr_datum_dimension(one), mr_dimension_length)) {
            return fail_operands(ev, expr, spot, by);
        }
    }
    const mr_spot *from = spot.spot;
    x = expr->op == MR_OPERATOR_ADD ? from->x + x : from->x - x;
    z = expr->op == MR_OPERATOR_ADD ? from->z + z : from->z - z;
    return from->land ? mr_make_spot_on(ev, from->land, x, z, answer)
                      : mr_make_spot(ev, x, from->y, z, NULL, answer);
}

// A spot less a spot is how far it is in the plan: (x, z).
static bool between_spots(mr_evaluator *ev, mr_datum a, mr_datum b, mr_datum *answer)
{
    mr_sequence *made = mr_make_sequence(ev, 2, false);
    if (!made) {
        return false;
    }
    ((mr_datum *)made->items)[0] = mr_datum_metres(a.spot->x - b.spot->x);
    ((mr_datum *)made->items)[1] = mr_datum_metres(a.spot->z - b.spot->z);
    *answer = (mr_datum){ .kind = MR_DATUM_TUPLE, .sequence = made };
    return true;
}

static bool tuples(mr_evaluator *ev, const mr_expr *expr, mr_datum a, mr_datum b, mr_datum *answer)
{
    bool adds = expr->op == MR_OPERATOR_ADD || expr->op == MR_OPERATOR_SUBTRACT;
    // A plan place moved by (x, y, z): the height of the land is not moved.
    bool plan = adds && is_lengths(a, 2) && b.kind == MR_DATUM_TUPLE && b.sequence->count == 3;
    size_t count = a.kind == MR_DATUM_TUPLE ? a.sequence->count : b.sequence->count;
    bool both = a.kind == MR_DATUM_TUPLE && b.kind == MR_DATUM_TUPLE;
    if ((both && !adds) || (both && !plan && a.sequence->count != b.sequence->count) ||
        (!both && expr->op != MR_OPERATOR_MULTIPLY && expr->op != MR_OPERATOR_DIVIDE) ||
        (!both && b.kind == MR_DATUM_TUPLE && expr->op == MR_OPERATOR_DIVIDE)) {
        return fail_operands(ev, expr, a, b);
    }
    mr_sequence *made = mr_make_sequence(ev, count, false);
    for (size_t i = 0; made && i < count; i++) {
        mr_datum x = a.kind == MR_DATUM_TUPLE ? a.sequence->items[i] : a;
        mr_datum y = b.kind == MR_DATUM_TUPLE ? b.sequence->items[plan && i == 1 ? 2 : i] : b;
        if (!mr_datum_is_numeric(x) || !mr_datum_is_numeric(y)) {
            return fail_operands(ev, expr, a, b);
        }
        if (both && y.kind == MR_DATUM_INT && y.integer == 0 && x.kind == MR_DATUM_NUMBER) {
            y = mr_datum_number(0, x.dimension);
        }
        if (!scalars(ev, expr, x, y, (mr_datum *)&made->items[i])) {
            return false;
        }
    }
    *answer = (mr_datum){ .kind = MR_DATUM_TUPLE, .sequence = made };
    return made != NULL;
}

static bool compare(mr_evaluator *ev, const mr_expr *expr, mr_datum a, mr_datum b, mr_datum *answer)
{
    mr_dimension dimension;
    if (!shared_dimension(ev, expr, a, b, &dimension)) {
        return false;
    }
    bool less, equal;
    if (a.kind == MR_DATUM_INT && b.kind == MR_DATUM_INT) {
        less = a.integer < b.integer;
        equal = a.integer == b.integer;
        *answer = mr_datum_boolean(expr->op == MR_OPERATOR_LESS         ? less
                                   : expr->op == MR_OPERATOR_LESS_EQUAL ? less || equal
                                   : expr->op == MR_OPERATOR_GREATER    ? !less && !equal
                                                                        : !less);
        return true;
    }
    float x = mr_datum_as_number(a), y = mr_datum_as_number(b);
    *answer = mr_datum_boolean(expr->op == MR_OPERATOR_LESS         ? x < y
                               : expr->op == MR_OPERATOR_LESS_EQUAL ? x <= y
                               : expr->op == MR_OPERATOR_GREATER    ? x > y
                                                                    : x >= y);
    return true;
}

static bool equal(mr_evaluator *ev, const mr_expr *expr, mr_datum a, mr_datum b, mr_datum *answer)
{
    mr_dimension dimension;
    if (mr_datum_is_numeric(a) && mr_datum_is_numeric(b) && !shared_dimension(ev, expr, a, b, &dimension)) {
        return false;
    }
    *answer = mr_datum_boolean(mr_datum_equal(a, b) == (expr->op == MR_OPERATOR_EQUAL));
    return true;
}

bool mr_evaluate_operator(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, mr_datum a,
                          mr_datum b, mr_datum *answer)
{
    (void)scope;
    if (expr->op == MR_OPERATOR_EQUAL || expr->op == MR_OPERATOR_NOT_EQUAL) {
        return equal(ev, expr, a, b, answer);
    }
    bool compares = expr->op >= MR_OPERATOR_LESS && expr->op <= MR_OPERATOR_GREATER_EQUAL;
    if (mr_datum_is_numeric(a) && mr_datum_is_numeric(b)) {
        return compares ? compare(ev, expr, a, b, answer) : scalars(ev, expr, a, b, answer);
    }
    if (compares) {
        return fail_operands(ev, expr, a, b);
    }
    if (a.kind == MR_DATUM_SPOT && b.kind == MR_DATUM_SPOT && expr->op == MR_OPERATOR_SUBTRACT) {
        return between_spots(ev, a, b, answer);
    }
    if (a.kind == MR_DATUM_SPOT && b.kind == MR_DATUM_TUPLE &&
        (expr->op == MR_OPERATOR_ADD || expr->op == MR_OPERATOR_SUBTRACT)) {
        return moved_spot(ev, expr, a, b, answer);
    }
    bool numeric_or_tuple = (a.kind == MR_DATUM_TUPLE || mr_datum_is_numeric(a)) &&
                            (b.kind == MR_DATUM_TUPLE || mr_datum_is_numeric(b));
    if (numeric_or_tuple) {
        return tuples(ev, expr, a, b, answer);
    }
    if (expr->op == MR_OPERATOR_ADD && a.kind == MR_DATUM_TEXT && b.kind == MR_DATUM_TEXT) {
        mr_view *made = mr_evaluator_take(ev, sizeof *made + a.text->size + b.text->size + 1);
        if (!made) {
            return false;
        }
        char *bytes = (char *)(made + 1);
        memcpy(bytes, a.text->data, a.text->size);
        memcpy(bytes + a.text->size, b.text->data, b.text->size);
        *made = (mr_view){ bytes, a.text->size + b.text->size };
        *answer = (mr_datum){ .kind = MR_DATUM_TEXT, .text = made };
        return true;
    }
    return fail_operands(ev, expr, a, b);
}
