// world/check_fit.c: whether what is given is what is asked for; operators; what two types share.

#include "world/check_state.h"

bool mr_check_literal(const mr_expr *expr, double *value)
{
    if (expr->kind == MR_EXPR_UNARY && expr->op == MR_OPERATOR_NEGATE && mr_check_literal(expr->a, value)) {
        *value = -*value;
        return true;
    }
    if (expr->kind == MR_EXPR_INT || expr->kind == MR_EXPR_NUMBER) {
        double scale = expr->unit ? expr->unit->scale : 1.0;
        *value = (expr->kind == MR_EXPR_INT ? (double)expr->integer : expr->number_exact) * scale;
        return true;
    }
    return false;
}

bool mr_check_literal_zero(const mr_expr *expr)
{
    return !expr->unit && ((expr->kind == MR_EXPR_INT && expr->integer == 0) ||
                           (expr->kind == MR_EXPR_NUMBER && expr->number == 0));
}

// "write 2.6 m" where a plain number is written and a unit is missing.
static const char *unit_hint(const mr_expr *expr, mr_typed given, mr_dimension wanted, char hint[96])
{
    const char *unit = mr_dimension_unit(wanted);
    bool written = expr->kind == MR_EXPR_INT || expr->kind == MR_EXPR_NUMBER;
    if (!unit[0] || !mr_typed_numeric(given) || !mr_dimension_plain(mr_typed_dimension(given)) ||
        (written && expr->unit)) {
        return NULL;
    }
    if (!written) {
        mr_text_format(hint, 96, "multiply it by 1 %s", unit);
    } else if (expr->kind == MR_EXPR_INT) {
        mr_text_format(hint, 96, "write %lld %s", (long long)expr->integer, unit);
    } else {
        mr_text_format(hint, 96, "write %g %s", expr->number_exact, unit);
    }
    return hint;
}

static bool refuse(mr_checker *c, const mr_expr *expr, mr_typed given, mr_typed want)
{
    char asked[256], got[256], hint[96];
    mr_type_describe(want, asked, sizeof asked);
    mr_type_describe(given, got, sizeof got);
    const char *unit = want->of == MR_OF_NUMBER && !want->any_dimension
                           ? unit_hint(expr, given, want->dimension, hint)
                           : NULL;
    mr_check_fail(c, expr->place, unit, "%s asked for, not %s", asked, got);
    return false;
}

static bool fits_number(mr_checker *c, const mr_expr *expr, mr_typed given, mr_typed want)
{
    if (!mr_typed_numeric(given)) {
        return refuse(c, expr, given, want);
    }
    if (want->any_dimension) {
        return true;
    }
    mr_dimension dimension = mr_typed_dimension(given);
    bool plain = mr_dimension_plain(dimension);
    if (!mr_dimension_equal(dimension, want->dimension) &&
        !(plain && (want->plain_metres || mr_check_literal_zero(expr)))) {
        return refuse(c, expr, given, want);
    }
    double value;
    if (want->fraction && mr_check_literal(expr, &value) && !(value >= 0 && value <= 1)) {
        mr_check_fail(c, expr->place, NULL, "a fraction is 0 to 1, not %g", value);
        return false;
    }
    return true;
}

static bool fits_whole(mr_checker *c, const mr_expr *expr, mr_typed given, mr_typed want)
{
    if (given->of != MR_OF_INT) {
        if (want->seed && (given->of == MR_OF_TEXT || given->of == MR_OF_NUMBER)) {
            char got[256];
            mr_type_describe(given, got, sizeof got);
            mr_check_fail(c, expr->place, NULL, "a seed is a whole number from 0 to 4294967295, not %s", got);
            return false;
        }
        return refuse(c, expr, given, want);
    }
    double value;
    if (want->seed && mr_check_literal(expr, &value) && !(value >= 0 && value <= 4294967295.0)) {
        mr_check_fail(c, expr->place, NULL, "a seed is a whole number from 0 to 4294967295, not %s%lld",
                      expr->kind == MR_EXPR_UNARY ? "-" : "",
                      (long long)(expr->kind == MR_EXPR_UNARY ? expr->a->integer : expr->integer));
        return false;
    }
    return true;
}

static bool fits_items(mr_checker *c, const mr_expr *expr, mr_typed given, mr_typed want)
{
    bool color = want->color && given->of == MR_OF_TUPLE && (given->count == 3 || given->count == 4);
    if (given->of != MR_OF_TUPLE || (!color && given->count != want->count)) {
        return refuse(c, expr, given, want);
    }
    bool written = expr->kind == MR_EXPR_TUPLE && expr->item_count == given->count;
    for (size_t i = 0; i < given->count; i++) {
        if (!mr_check_fits(c, written ? expr->items[i].value : expr, given->items[i],
                           color ? &mr_type_number : want->items[i])) {
            return false;
        }
    }
    return true;
}

static bool fits_list(mr_checker *c, const mr_expr *expr, mr_typed given, mr_typed want)
{
    if (given->of != MR_OF_LIST) {
        return refuse(c, expr, given, want);
    }
    if (!want->element || !given->element || mr_typed_unknown(want->element) ||
        mr_typed_unknown(given->element)) {
        return true;
    }
    if (expr->kind == MR_EXPR_LIST) { // its elements were held to what is asked for as they were read
        return mr_check_fits(c, expr->item_count ? expr->items[0].value : expr, given->element,
                             want->element);
    }
    return mr_check_fits(c, expr, given->element, want->element);
}

static bool fits_place(mr_checker *c, const mr_expr *expr, mr_typed given, mr_typed want)
{
    if (given->of == MR_OF_SPOT || given->of == MR_OF_PLACED || given->of == MR_OF_PART) {
        return true;
    }
    if (given->of != MR_OF_TUPLE || given->count < 2 || given->count > 3) {
        return refuse(c, expr, given, want);
    }
    bool written = expr->kind == MR_EXPR_TUPLE && expr->item_count == given->count;
    for (size_t i = 0; i < given->count; i++) {
        if (!mr_check_fits(c, written ? expr->items[i].value : expr, given->items[i], &mr_type_length)) {
            return false;
        }
    }
    return true;
}

static bool fits_choice(mr_checker *c, const mr_expr *expr, mr_typed given, mr_typed want)
{
    if (given->of != MR_OF_CHOICE) {
        return refuse(c, expr, given, want);
    }
    for (size_t i = 0; i < given->count; i++) {
        bool there = want->count == 0;
        for (size_t k = 0; k < want->count; k++) {
            there |= mr_view_equal(given->names[i], want->names[k]);
        }
        if (!there) {
            return refuse(c, expr, given, want);
        }
    }
    return true;
}

static bool fits_range(mr_checker *c, const mr_expr *expr, mr_typed given, mr_typed want)
{
    if (given->of != MR_OF_RANGE) {
        return refuse(c, expr, given, want);
    }
    if (!want->element || !given->element || mr_typed_unknown(given->element)) {
        return true;
    }
    bool written = expr->kind == MR_EXPR_BINARY;
    // The ends are of one kind already; a literal 0 is of any.
    const mr_expr *end = written ? (mr_check_literal_zero(expr->a) ? expr->b : expr->a) : expr;
    return mr_check_fits(c, end, given->element, want->element);
}

// Parts stand for what they are made of.
static mr_typed content_of(mr_checker *c, mr_typed given)
{
    return given->of == MR_OF_PART && given->shape ? mr_check_content(c, given->shape) : &mr_type_any;
}

bool mr_check_fits(mr_checker *c, const mr_expr *expr, mr_typed given, mr_typed want)
{
    if (mr_typed_unknown(given) || mr_typed_unknown(want)) {
        return true;
    }
    bool through = want->of == MR_OF_LAND || want->of == MR_OF_DATA || want->of == MR_OF_SPINE ||
                   want->of == MR_OF_CAMERA || want->of == MR_OF_SUN || want->of == MR_OF_PLACED;
    if (given->of == MR_OF_PART && through) {
        given = content_of(c, given);
        if (mr_typed_unknown(given)) {
            return true;
        }
    }
    switch (want->of) {
    case MR_OF_NUMBER:
        return fits_number(c, expr, given, want);
    case MR_OF_INT:
        return fits_whole(c, expr, given, want);
    case MR_OF_BOOL:
        return given->of == MR_OF_BOOL || (given->of == MR_OF_NUMBER && given->layer) ||
               refuse(c, expr, given, want);
    case MR_OF_TUPLE:
        return fits_items(c, expr, given, want);
    case MR_OF_LIST:
        return fits_list(c, expr, given, want);
    case MR_OF_RANGE:
        return fits_range(c, expr, given, want);
    case MR_OF_SPOT:
        return fits_place(c, expr, given, want);
    case MR_OF_CHOICE:
        return fits_choice(c, expr, given, want);
    case MR_OF_DATA:
        return (given->of == MR_OF_DATA &&
                (want->data == MR_NONE || given->data == MR_NONE || given->data == want->data)) ||
               refuse(c, expr, given, want);
    case MR_OF_RECORD:
        return (given->of == MR_OF_RECORD && (!want->decl || given->decl == want->decl)) ||
               refuse(c, expr, given, want);
    default:
        return given->of == want->of || refuse(c, expr, given, want);
    }
}

static mr_typed fail_operands(mr_checker *c, const mr_expr *expr, mr_typed a, mr_typed b)
{
    char left[256], right[256], hint[96];
    mr_type_describe(a, left, sizeof left);
    mr_type_describe(b, right, sizeof right);
    // Beside a quantity a whole number is wrong as any plain number is.
    bool quantities = mr_typed_numeric(a) && mr_typed_numeric(b);
    if (quantities && a->of == MR_OF_INT) {
        mr_text_format(left, sizeof left, "a number");
    }
    if (quantities && b->of == MR_OF_INT) {
        mr_text_format(right, sizeof right, "a number");
    }
    const char *unit = quantities ? unit_hint(expr->b, b, mr_typed_dimension(a), hint) : NULL;
    if (quantities && !unit) {
        unit = unit_hint(expr->a, a, mr_typed_dimension(b), hint);
    }
    switch (expr->op) {
    case MR_OPERATOR_MULTIPLY:
        return mr_check_fail(c, expr->place, NULL, "multiplies %s with %s", left, right);
    case MR_OPERATOR_DIVIDE:
    case MR_OPERATOR_DIV:
        return mr_check_fail(c, expr->place, NULL, "divides %s by %s", left, right);
    case MR_OPERATOR_REMAINDER:
        return mr_check_fail(c, expr->place, NULL, "takes the remainder of %s by %s", left, right);
    case MR_OPERATOR_ADD:
        return mr_check_fail(c, expr->place, unit, "adds %s and %s", left, right);
    case MR_OPERATOR_SUBTRACT:
        return mr_check_fail(c, expr->place, unit, "subtracts %s from %s", right, left);
    default:
        return mr_check_fail(c, expr->place, unit, "compares %s with %s", left, right);
    }
}

static bool share_dimension(const mr_expr *expr, mr_typed a, mr_typed b, mr_dimension *dimension)
{
    *dimension = mr_typed_dimension(a);
    if (mr_dimension_equal(*dimension, mr_typed_dimension(b)) || mr_check_literal_zero(expr->b)) {
        return true;
    }
    *dimension = mr_typed_dimension(b);
    return mr_check_literal_zero(expr->a);
}

static mr_typed scalars(mr_checker *c, const mr_expr *expr, mr_typed a, mr_typed b)
{
    mr_dimension dimension;
    bool whole = a->of == MR_OF_INT && b->of == MR_OF_INT;
    switch (expr->op) {
    case MR_OPERATOR_ADD:
    case MR_OPERATOR_SUBTRACT:
        if (whole) {
            return &mr_type_int;
        }
        return share_dimension(expr, a, b, &dimension) ? mr_check_number_of(c, dimension)
                                                       : fail_operands(c, expr, a, b);
    case MR_OPERATOR_MULTIPLY:
    case MR_OPERATOR_DIVIDE:
        if (whole) {
            return expr->op == MR_OPERATOR_MULTIPLY ? &mr_type_int : &mr_type_number;
        }
        if (!mr_dimension_combine(mr_typed_dimension(a), mr_typed_dimension(b),
                                  expr->op == MR_OPERATOR_MULTIPLY ? 1 : -1, &dimension)) {
            return mr_check_fail(c, expr->place, NULL, "a unit's exponent passes 9");
        }
        return mr_check_number_of(c, dimension);
    case MR_OPERATOR_REMAINDER:
    case MR_OPERATOR_DIV:
        return whole ? &mr_type_int
                     : mr_check_fail(c, expr->place, "use floor(a / b)", "%s is for whole numbers",
                                     mr_operator_text(expr->op));
    default:
        return share_dimension(expr, a, b, &dimension) ? &mr_type_bool : fail_operands(c, expr, a, b);
    }
}

static bool lengths(mr_typed type, size_t count)
{
    if (type->of != MR_OF_TUPLE || type->count != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (type->items[i]->of != MR_OF_NUMBER ||
            !mr_dimension_equal(type->items[i]->dimension, mr_dimension_length)) {
            return false;
        }
    }
    return true;
}

static mr_typed tuples(mr_checker *c, const mr_expr *expr, mr_typed a, mr_typed b)
{
    bool adds = expr->op == MR_OPERATOR_ADD || expr->op == MR_OPERATOR_SUBTRACT;
    bool both = a->of == MR_OF_TUPLE && b->of == MR_OF_TUPLE;
    bool plan = adds && both && lengths(a, 2) && b->count == 3;
    size_t count = a->of == MR_OF_TUPLE ? a->count : b->count;
    if ((both && (!adds || (!plan && a->count != b->count))) ||
        (!both && expr->op != MR_OPERATOR_MULTIPLY && expr->op != MR_OPERATOR_DIVIDE) ||
        (!both && b->of == MR_OF_TUPLE && expr->op == MR_OPERATOR_DIVIDE) || count > 64) {
        return fail_operands(c, expr, a, b);
    }
    mr_typed items[64];
    const mr_expr *left = a->of == MR_OF_TUPLE && expr->a->kind == MR_EXPR_TUPLE ? expr->a : NULL;
    const mr_expr *right = b->of == MR_OF_TUPLE && expr->b->kind == MR_EXPR_TUPLE ? expr->b : NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = plan && i == 1 ? 2 : i;
        mr_typed x = a->of == MR_OF_TUPLE ? a->items[i] : a;
        mr_typed y = b->of == MR_OF_TUPLE ? b->items[other] : b;
        mr_expr one = *expr;
        one.a = left && i < left->item_count ? left->items[i].value : expr->a;
        one.b = right && other < right->item_count ? right->items[other].value : expr->b;
        if (mr_typed_unknown(x) || mr_typed_unknown(y)) {
            items[i] = &mr_type_any;
        } else if (!mr_typed_numeric(x) || !mr_typed_numeric(y)) {
            return fail_operands(c, expr, a, b);
        } else {
            items[i] = scalars(c, &one, x, y);
        }
    }
    return mr_check_tuple_of(c, items, count);
}

mr_typed mr_check_operator(mr_checker *c, const mr_expr *expr, mr_typed a, mr_typed b)
{
    bool compares = expr->op >= MR_OPERATOR_LESS && expr->op <= MR_OPERATOR_NOT_EQUAL;
    bool equality = expr->op == MR_OPERATOR_EQUAL || expr->op == MR_OPERATOR_NOT_EQUAL;
    if (mr_typed_unknown(a) || mr_typed_unknown(b)) {
        return a->of == MR_OF_BROKEN || b->of == MR_OF_BROKEN ? &mr_type_broken
               : compares                                     ? &mr_type_bool
                                                              : &mr_type_any;
    }
    if (mr_typed_numeric(a) && mr_typed_numeric(b)) {
        return scalars(c, expr, a, b);
    }
    if (equality) {
        bool none = a->of == MR_OF_NONE || b->of == MR_OF_NONE;
        return none || a->of == b->of ? &mr_type_bool : fail_operands(c, expr, a, b);
    }
    if (compares) {
        return fail_operands(c, expr, a, b);
    }
    bool adds = expr->op == MR_OPERATOR_ADD || expr->op == MR_OPERATOR_SUBTRACT;
    if (a->of == MR_OF_SPOT && b->of == MR_OF_SPOT && expr->op == MR_OPERATOR_SUBTRACT) {
        mr_typed items[2] = { &mr_type_length, &mr_type_length };
        return mr_check_tuple_of(c, items, 2);
    }
    if (a->of == MR_OF_SPOT && b->of == MR_OF_TUPLE && adds) {
        return mr_check_fits(c, expr->b, b, &mr_type_spot) ? &mr_type_spot : &mr_type_broken;
    }
    if ((a->of == MR_OF_TUPLE || mr_typed_numeric(a)) && (b->of == MR_OF_TUPLE || mr_typed_numeric(b))) {
        return tuples(c, expr, a, b);
    }
    if (a->of == MR_OF_TEXT && b->of == MR_OF_TEXT && expr->op == MR_OPERATOR_ADD) {
        return &mr_type_text;
    }
    return fail_operands(c, expr, a, b);
}

mr_typed mr_check_unify(mr_checker *c, mr_typed a, mr_typed b)
{
    if (a == b || mr_typed_unknown(b)) {
        return b->of == MR_OF_ANY ? b : a;
    }
    if (mr_typed_unknown(a) || a->of == MR_OF_NONE) {
        return a->of == MR_OF_NONE ? b : a;
    }
    if (b->of == MR_OF_NONE) {
        return a;
    }
    if (mr_typed_numeric(a) && mr_typed_numeric(b)) {
        if (a->of == MR_OF_INT && b->of == MR_OF_INT) {
            return &mr_type_int;
        }
        return mr_dimension_equal(mr_typed_dimension(a), mr_typed_dimension(b))
                   ? mr_check_number_of(c, mr_typed_dimension(a))
                   : NULL;
    }
    if (a->of != b->of) {
        bool places =
            (a->of == MR_OF_SPOT && b->of == MR_OF_TUPLE) || (a->of == MR_OF_TUPLE && b->of == MR_OF_SPOT);
        return places ? &mr_type_any : NULL;
    }
    switch (a->of) {
    case MR_OF_TUPLE: {
        if (a->count != b->count || a->count > 64) {
            return &mr_type_any;
        }
        mr_typed items[64];
        for (size_t i = 0; i < a->count; i++) {
            items[i] = mr_check_unify(c, a->items[i], b->items[i]);
            items[i] = items[i] ? items[i] : &mr_type_any;
        }
        return mr_check_tuple_of(c, items, a->count);
    }
    case MR_OF_LIST:
    case MR_OF_RANGE: {
        mr_typed element =
            a->element && b->element ? mr_check_unify(c, a->element, b->element) : &mr_type_any;
        return mr_check_type(c, (mr_world_type){ .of = a->of, .element = element ? element : &mr_type_any });
    }
    case MR_OF_CHOICE: {
        mr_view *names = mr_check_take(c, (a->count + b->count) * sizeof *names + 1);
        if (!names) {
            return &mr_type_broken;
        }
        for (size_t i = 0; i < a->count + b->count; i++) {
            names[i] = i < a->count ? a->names[i] : b->names[i - a->count];
        }
        return mr_check_type(
            c, (mr_world_type){ .of = MR_OF_CHOICE, .count = a->count + b->count, .names = names });
    }
    case MR_OF_DESIGN:
    case MR_OF_PART:
        return a->shape == b->shape ? a : mr_check_type(c, (mr_world_type){ .of = a->of });
    case MR_OF_RECORD:
        return a->decl == b->decl && a->decl ? a : &mr_type_any;
    case MR_OF_FUNCTION:
    case MR_OF_LAND:
        return &mr_type_any;
    default:
        return a;
    }
}

mr_typed mr_check_element_of(mr_checker *c, mr_place place, mr_typed list)
{
    if (mr_typed_unknown(list)) {
        return &mr_type_any;
    }
    if (list->of == MR_OF_LIST) {
        return list->element ? list->element : &mr_type_any;
    }
    if (list->of == MR_OF_RANGE &&
        (!list->element || list->element->of == MR_OF_INT || mr_typed_unknown(list->element))) {
        return &mr_type_int;
    }
    char got[256];
    mr_type_describe(list, got, sizeof got);
    return mr_check_fail(c, place, NULL, "a list or a range of whole numbers is asked for, not %s", got);
}
