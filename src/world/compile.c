// world/compile.c: names, operators and branches as registers.

#include "world/compile.h"

#include "world/apply.h"

enum { DEEPEST = 150 };

mr_compiled_value mr_compiled_number(mr_register reg, mr_dimension dimension)
{
    return (mr_compiled_value){
        .kind = MR_COMPILED_SCALAR, .lane = MR_LANE_F32, .reg = reg, .dimension = dimension
    };
}

mr_compiled_value mr_compiled_constant(mr_datum datum)
{
    return (mr_compiled_value){ .kind = MR_COMPILED_CONSTANT, .datum = datum };
}

static mr_compiled_value whole(mr_register reg)
{
    return (mr_compiled_value){ .kind = MR_COMPILED_SCALAR, .lane = MR_LANE_I64, .reg = reg };
}

static mr_compiled_value truth(mr_register reg)
{
    return (mr_compiled_value){ .kind = MR_COMPILED_SCALAR, .lane = MR_LANE_BOOL, .reg = reg };
}

bool mr_compiled_numeric(const mr_compiled_value *value)
{
    return value->kind == MR_COMPILED_CONSTANT
               ? mr_datum_is_numeric(value->datum)
               : value->kind == MR_COMPILED_SCALAR && value->lane != MR_LANE_BOOL;
}

static bool is_whole(const mr_compiled_value *value)
{
    return value->kind == MR_COMPILED_CONSTANT
               ? value->datum.kind == MR_DATUM_INT
               : value->kind == MR_COMPILED_SCALAR && value->lane == MR_LANE_I64;
}

mr_dimension mr_compiled_dimension(const mr_compiled_value *value)
{
    if (value->kind == MR_COMPILED_CONSTANT) {
        return mr_datum_dimension(value->datum);
    }
    return value->kind == MR_COMPILED_SCALAR && value->lane == MR_LANE_F32 ? value->dimension
                                                                           : mr_dimension_none;
}

bool mr_compile_number(mr_compiler *c, const mr_compiled_value *value, mr_register *reg)
{
    if (!mr_compiled_numeric(value)) {
        return false;
    }
    if (value->kind == MR_COMPILED_CONSTANT) {
        *reg = mr_program_f32(c->builder, mr_datum_as_number(value->datum));
    } else {
        *reg = value->lane == MR_LANE_F32 ? value->reg : mr_program_op1(c->builder, MR_OP_TO_F32, value->reg);
    }
    return true;
}

bool mr_compile_whole(mr_compiler *c, const mr_compiled_value *value, mr_register *reg)
{
    if (!is_whole(value)) {
        return false;
    }
    *reg =
        value->kind == MR_COMPILED_CONSTANT ? mr_program_i64(c->builder, value->datum.integer) : value->reg;
    return true;
}

bool mr_compile_truth(mr_compiler *c, const mr_compiled_value *value, mr_register *reg)
{
    if (value->kind == MR_COMPILED_CONSTANT) {
        bool layer = value->datum.kind == MR_DATUM_NUMBER && value->datum.layer;
        if (value->datum.kind != MR_DATUM_BOOL && !layer) {
            return false;
        }
        *reg = mr_program_bool(c->builder, layer ? value->datum.number >= 0.5f : value->datum.boolean);
        return true;
    }
    if (value->kind != MR_COMPILED_SCALAR || (value->lane != MR_LANE_BOOL && !value->layer)) {
        return false;
    }
    *reg = value->layer ? mr_program_op2(c->builder, MR_OP_GE, value->reg, mr_program_f32(c->builder, 0.5f))
                        : value->reg;
    return true;
}

// A tuple of registers, from a tuple of either kind.
static bool items_of(mr_compiler *c, const mr_compiled_value *value, const mr_compiled_value **items,
                     size_t *count)
{
    if (value->kind == MR_COMPILED_TUPLE) {
        *items = value->items;
        *count = value->count;
        return true;
    }
    if (value->kind != MR_COMPILED_CONSTANT || value->datum.kind != MR_DATUM_TUPLE) {
        return false;
    }
    const mr_sequence *sequence = value->datum.sequence;
    mr_compiled_value *made = mr_arena_take(c->arena, sequence->count * sizeof *made + 1);
    for (size_t i = 0; made && i < sequence->count; i++) {
        made[i] = mr_compiled_constant(sequence->items[i]);
    }
    *items = made;
    *count = sequence->count;
    return made != NULL;
}

bool mr_compile_plan(mr_compiler *c, const mr_compiled_value *value, mr_register *x, mr_register *z)
{
    if (value->kind == MR_COMPILED_SPOT) {
        *x = value->spot[0];
        *z = value->spot[2];
        return true;
    }
    if (value->kind == MR_COMPILED_CONSTANT) {
        float at[2];
        if (!mr_plan_of(value->datum, &at[0], &at[1])) {
            return false;
        }
        *x = mr_program_f32(c->builder, at[0]);
        *z = mr_program_f32(c->builder, at[1]);
        return true;
    }
    return value->kind == MR_COMPILED_TUPLE && value->count >= 2 && value->count <= 3 &&
           mr_compile_number(c, &value->items[0], x) &&
           mr_compile_number(c, &value->items[value->count - 1], z);
}

// Names

const mr_scope *mr_compile_cell(mr_compiler *c, const mr_scope *outer, mr_view name,
                                const mr_compiled_value *value)
{
    mr_scope *cell = mr_arena_take(c->arena, sizeof *cell);
    mr_compiled_value *kept = mr_arena_take(c->arena, sizeof *kept);
    if (!cell || !kept) {
        return NULL;
    }
    *kept = *value;
    *cell = (mr_scope){ .outer = outer, .kind = MR_SCOPE_CELL, .name = name };
    if (value->kind == MR_COMPILED_CONSTANT) {
        cell->value = value->datum;
    } else {
        cell->compiled = kept;
    }
    return cell;
}

bool mr_compile_pattern(mr_compiler *c, const mr_scope *outer, const mr_param *pattern, size_t count,
                        bool tuple, const mr_compiled_value *value, const mr_scope **scope)
{
    const mr_compiled_value *items = value;
    size_t item_count = 1;
    if (tuple && count > 1 && (!items_of(c, value, &items, &item_count) || item_count != count)) {
        return false;
    }
    for (size_t i = 0; i < count && outer; i++) {
        outer = mr_compile_cell(c, outer, pattern[i].name, tuple && count > 1 ? &items[i] : value);
    }
    *scope = outer;
    return outer != NULL;
}

static mr_register input(mr_compiler *c, uint32_t number, mr_lane lane)
{
    return mr_program_input(c->builder, number, lane);
}

// A candidate's array where it holds the answer by the time the option is asked; else the option's expression again.
static bool asked_option(mr_compiler *c, mr_rule_option option, uint32_t number, bool known,
                         mr_dimension dimension, mr_compiled_value *value)
{
    const mr_argument *written = c->rule->written->call.given[option];
    if (known) {
        *value = mr_compiled_number(input(c, number, MR_LANE_F32), dimension);
        return true;
    }
    if (!written || mr_expr_draws(written->value) || !c->rule->scopes[option]) {
        return false;
    }
    return mr_compile_expr(c, c->rule->scopes[option], written->value, value) &&
           mr_compile_as(c, written->value,
                         mr_dimension_plain(dimension) ? &mr_type_number : &mr_type_plain_metres, value);
}

static bool compile_asked(mr_compiler *c, const mr_found *found, mr_compiled_value *value)
{
    const mr_maker_kind maker = c->rule->rule.maker.kind;
    if (found->kind == MR_FOUND_GIVEN) {
        mr_datum like = c->rule->given_like[found->given];
        if (like.kind == MR_DATUM_NONE) {
            return false;
        }
        mr_register reg = input(c, MR_INPUT_GIVEN + (uint32_t)found->given, MR_LANE_F32);
        *value = like.kind == MR_DATUM_BOOL
                     ? truth(mr_program_op2(c->builder, MR_OP_NE, reg, mr_program_f32(c->builder, 0)))
                     : mr_compiled_number(reg, like.dimension);
        return true;
    }
    bool in_size = found->scope->asked == &c->rule->names[MR_RULE_SIZE];
    switch (found->asked) {
    case MR_ASKED_HERE:
        *value = (mr_compiled_value){ .kind = MR_COMPILED_SPOT,
                                      .spot = { input(c, MR_INPUT_X, MR_LANE_F32),
                                                input(c, MR_INPUT_Y, MR_LANE_F32),
                                                input(c, MR_INPUT_Z, MR_LANE_F32) },
                                      .land = mr_run_land(c->rule->run) };
        return true;
    case MR_ASKED_K:
        *value = whole(input(c, MR_INPUT_K, MR_LANE_I64));
        return true;
    case MR_ASKED_ALONG:
        *value = mr_compiled_number(input(c, MR_INPUT_ALONG, MR_LANE_F32), mr_dimension_length);
        return maker == MR_MAKE_SPINE;
    case MR_ASKED_SIDE:
        *value = whole(mr_program_op1(c->builder, MR_OP_FLOOR_TO_INT, input(c, MR_INPUT_SIDE, MR_LANE_F32)));
        return maker == MR_MAKE_SPINE;
    case MR_ASKED_SPACING:
        return asked_option(c, MR_RULE_SPACING, MR_INPUT_SPACING, !in_size, mr_dimension_length, value);
    case MR_ASKED_SIZE:
        return asked_option(c, MR_RULE_SIZE, MR_INPUT_SIZE, true, mr_dimension_none, value);
    case MR_ASKED_TEST:
        return asked_option(c, MR_RULE_TEST, MR_INPUT_TEST, true, mr_dimension_length, value);
    case MR_ASKED_ROOM:
        return asked_option(c, MR_RULE_ROOM, 0, false, mr_dimension_length, value);
    default:
        return false;
    }
}

// What the evaluator works out now, once: its failure is not the world's, for it may never be asked.
static bool constant(mr_compiler *c, const mr_scope *scope, const mr_expr *expr, mr_compiled_value *value)
{
    mr_error *error = c->ev->error, ignored = { 0 };
    mr_datum datum;
    c->ev->error = &ignored;
    bool good = mr_evaluate(c->ev, scope, expr, NULL, &datum);
    c->ev->error = error;
    if (good) {
        *value = mr_compiled_constant(datum);
    }
    return good;
}

static bool compile_name(mr_compiler *c, const mr_scope *scope, const mr_expr *expr, mr_compiled_value *value)
{
    mr_found found = mr_scope_find(scope, c->ev->file, expr->text);
    switch (found.kind) {
    case MR_FOUND_CELL:
        *value = found.scope->compiled ? *found.scope->compiled : mr_compiled_constant(found.scope->value);
        return true;
    case MR_FOUND_ASKED:
    case MR_FOUND_GIVEN:
        return compile_asked(c, &found, value);
    case MR_FOUND_NOTHING:
        return false;
    default:
        return constant(c, scope, expr, value);
    }
}

static bool compile_member(mr_compiler *c, const mr_scope *scope, const mr_expr *expr,
                           mr_compiled_value *value)
{
    mr_compiled_value of;
    if (expr->a->kind == MR_EXPR_NAME && mr_space_is(c->ev->file, expr->a->text)) {
        return constant(c, scope, expr, value);
    }
    if (!mr_compile_expr(c, scope, expr->a, &of)) {
        return false;
    }
    if (of.kind == MR_COMPILED_CONSTANT) {
        mr_error *error = c->ev->error, ignored = { 0 };
        mr_datum datum;
        c->ev->error = &ignored;
        bool good = mr_evaluate_member(c->ev, scope, expr, of.datum, &datum);
        c->ev->error = error;
        *value = good ? mr_compiled_constant(datum) : of;
        return good;
    }
    static const char letters[] = "xyzwrgba";
    const char *at = expr->text.size == 1 ? strchr(letters, expr->text.data[0]) : NULL;
    if (!at || !*at) {
        return false;
    }
    size_t index = (size_t)(at - letters) % 4;
    if (of.kind == MR_COMPILED_SPOT) {
        if (at - letters > 2) {
            return false;
        }
        *value = mr_compiled_number(of.spot[index], mr_dimension_length);
        return true;
    }
    index = of.count == 2 && *at == 'z' ? 1 : index;
    if (of.kind != MR_COMPILED_TUPLE || index >= of.count) {
        return false;
    }
    *value = of.items[index];
    return true;
}

// Operators

static bool share_dimension(const mr_expr *expr, const mr_compiled_value *a, const mr_compiled_value *b,
                            mr_dimension *dimension)
{
    *dimension = mr_compiled_dimension(a);
    if (mr_dimension_equal(*dimension, mr_compiled_dimension(b)) || mr_evaluate_literal_is_zero(expr->b)) {
        return true;
    }
    *dimension = mr_compiled_dimension(b);
    return mr_evaluate_literal_is_zero(expr->a);
}

static bool compile_whole_operator(mr_compiler *c, const mr_expr *expr, const mr_compiled_value *a,
                                   const mr_compiled_value *b, mr_compiled_value *value)
{
    static const mr_op ops[MR_OPERATOR_COUNT] = {
        [MR_OPERATOR_ADD] = MR_OP_IADD,          [MR_OPERATOR_SUBTRACT] = MR_OP_ISUB,
        [MR_OPERATOR_MULTIPLY] = MR_OP_IMUL,     [MR_OPERATOR_DIV] = MR_OP_IDIV,
        [MR_OPERATOR_REMAINDER] = MR_OP_IMOD,    [MR_OPERATOR_LESS] = MR_OP_ILT,
        [MR_OPERATOR_LESS_EQUAL] = MR_OP_ILE,    [MR_OPERATOR_GREATER] = MR_OP_IGT,
        [MR_OPERATOR_GREATER_EQUAL] = MR_OP_IGE, [MR_OPERATOR_EQUAL] = MR_OP_IEQ,
        [MR_OPERATOR_NOT_EQUAL] = MR_OP_INE,
    };
    mr_register x, y;
    if (!mr_compile_whole(c, a, &x) || !mr_compile_whole(c, b, &y)) {
        return false;
    }
    mr_register made = mr_program_op2(c->builder, ops[expr->op], x, y);
    *value = expr->op >= MR_OPERATOR_LESS ? truth(made) : whole(made);
    return true;
}

static bool compile_scalars(mr_compiler *c, const mr_expr *expr, const mr_compiled_value *a,
                            const mr_compiled_value *b, mr_compiled_value *value)
{
    static const mr_op ops[MR_OPERATOR_COUNT] = {
        [MR_OPERATOR_ADD] = MR_OP_ADD,      [MR_OPERATOR_SUBTRACT] = MR_OP_SUB,
        [MR_OPERATOR_MULTIPLY] = MR_OP_MUL, [MR_OPERATOR_DIVIDE] = MR_OP_DIV,
        [MR_OPERATOR_LESS] = MR_OP_LT,      [MR_OPERATOR_LESS_EQUAL] = MR_OP_LE,
        [MR_OPERATOR_GREATER] = MR_OP_GT,   [MR_OPERATOR_GREATER_EQUAL] = MR_OP_GE,
        [MR_OPERATOR_EQUAL] = MR_OP_EQ,     [MR_OPERATOR_NOT_EQUAL] = MR_OP_NE,
    };
    if (is_whole(a) && is_whole(b) && expr->op != MR_OPERATOR_DIVIDE) {
        return compile_whole_operator(c, expr, a, b, value);
    }
    mr_dimension dimension;
    mr_register x, y;
    bool scales = expr->op == MR_OPERATOR_MULTIPLY || expr->op == MR_OPERATOR_DIVIDE;
    if (expr->op == MR_OPERATOR_DIV || expr->op == MR_OPERATOR_REMAINDER || !mr_compile_number(c, a, &x) ||
        !mr_compile_number(c, b, &y)) {
        return false;
    }
    bool fits = scales ? mr_dimension_combine(mr_compiled_dimension(a), mr_compiled_dimension(b),
                                              expr->op == MR_OPERATOR_MULTIPLY ? 1 : -1, &dimension)
                       : share_dimension(expr, a, b, &dimension);
    mr_register made = mr_program_op2(c->builder, ops[expr->op], x, y);
    *value = expr->op >= MR_OPERATOR_LESS ? truth(made) : mr_compiled_number(made, dimension);
    return fits;
}

static bool is_length(const mr_compiled_value *value)
{
    return mr_dimension_equal(mr_compiled_dimension(value), mr_dimension_length);
}

static bool compile_tuples(mr_compiler *c, const mr_expr *expr, const mr_compiled_value *a,
                           const mr_compiled_value *b, mr_compiled_value *value)
{
    const mr_compiled_value *left = NULL, *right = NULL;
    size_t left_count = 0, right_count = 0;
    bool has_left = items_of(c, a, &left, &left_count), has_right = items_of(c, b, &right, &right_count);
    bool adds = expr->op == MR_OPERATOR_ADD || expr->op == MR_OPERATOR_SUBTRACT;
    bool both = has_left && has_right;
    bool plan =
        adds && both && left_count == 2 && right_count == 3 && is_length(&left[0]) && is_length(&left[1]);
    size_t count = has_left ? left_count : right_count;
    if ((both && (!adds || (!plan && left_count != right_count))) ||
        (!both && expr->op != MR_OPERATOR_MULTIPLY && expr->op != MR_OPERATOR_DIVIDE) ||
        (!has_left && expr->op == MR_OPERATOR_DIVIDE) || (!has_left && !has_right)) {
        return false;
    }
    mr_compiled_value *items = mr_arena_take(c->arena, count * sizeof *items + 1);
    for (size_t i = 0; items && i < count; i++) {
        mr_compiled_value x = has_left ? left[i] : *a, y = has_right ? right[plan && i == 1 ? 2 : i] : *b;
        // As the walker reads it: a whole 0 added to a quantity is that quantity's 0.
        bool zero = both && y.kind == MR_COMPILED_CONSTANT && y.datum.kind == MR_DATUM_INT &&
                    y.datum.integer == 0 && !is_whole(&x);
        y = zero ? mr_compiled_constant(mr_datum_number(0, mr_compiled_dimension(&x))) : y;
        if (!mr_compile_operator(c, expr, &x, &y, &items[i])) {
            return false;
        }
    }
    *value = (mr_compiled_value){ .kind = MR_COMPILED_TUPLE, .items = items, .count = count };
    return items != NULL;
}

static bool compile_height(mr_compiler *c, const mr_land_datum *land, mr_register x, mr_register z,
                           mr_register *y);

static bool moved_spot(mr_compiler *c, const mr_expr *expr, const mr_compiled_value *spot,
                       const mr_compiled_value *by, mr_compiled_value *value)
{
    const mr_compiled_value *items;
    size_t count;
    if (!items_of(c, by, &items, &count) || count < 2 || count > 3) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        bool zero = items[i].kind == MR_COMPILED_CONSTANT && mr_datum_is_numeric(items[i].datum) &&
                    mr_datum_as_number(items[i].datum) == 0;
        if (!mr_compiled_numeric(&items[i]) || (!zero && !is_length(&items[i]))) {
            return false;
        }
    }
    mr_register dx, dz;
    mr_op op = expr->op == MR_OPERATOR_ADD ? MR_OP_ADD : MR_OP_SUB;
    if (!mr_compile_number(c, &items[0], &dx) || !mr_compile_number(c, &items[count - 1], &dz)) {
        return false;
    }
    *value = *spot;
    value->spot[0] = mr_program_op2(c->builder, op, spot->spot[0], dx);
    value->spot[2] = mr_program_op2(c->builder, op, spot->spot[2], dz);
    return !spot->land || compile_height(c, spot->land, value->spot[0], value->spot[2], &value->spot[1]);
}

static bool ask_heights(void *self, const void *const *operands, void *const *results, size_t count,
                        mr_error *error)
{
    (void)error;
    mr_land_heights(self, operands[0], operands[1], results[0], count);
    return true;
}

static bool compile_height(mr_compiler *c, const mr_land_datum *land, mr_register x, mr_register z,
                           mr_register *y)
{
    const mr_external height = { .name = "height",
                                 .self = land->land,
                                 .arity = 2,
                                 .operands = { MR_LANE_F32, MR_LANE_F32 },
                                 .result_count = 1,
                                 .results = { MR_LANE_F32 },
                                 .pure = true,
                                 .call = ask_heights };
    *y = mr_program_call(c->builder, &height, (const mr_register[]){ x, z });
    return true;
}

bool mr_compile_operator(mr_compiler *c, const mr_expr *expr, const mr_compiled_value *a,
                         const mr_compiled_value *b, mr_compiled_value *value)
{
    if (a->kind == MR_COMPILED_CONSTANT && b->kind == MR_COMPILED_CONSTANT) {
        mr_error *error = c->ev->error, ignored = { 0 };
        mr_datum datum;
        c->ev->error = &ignored;
        bool good = mr_evaluate_operator(c->ev, NULL, expr, a->datum, b->datum, &datum);
        c->ev->error = error;
        *value = mr_compiled_constant(datum);
        return good;
    }
    if (mr_compiled_numeric(a) && mr_compiled_numeric(b)) {
        return compile_scalars(c, expr, a, b, value);
    }
    bool equality = expr->op == MR_OPERATOR_EQUAL || expr->op == MR_OPERATOR_NOT_EQUAL;
    mr_register x, y;
    if (equality) {
        bool layers =
            (a->kind == MR_COMPILED_SCALAR && a->layer) || (b->kind == MR_COMPILED_SCALAR && b->layer);
        if (layers || !mr_compile_truth(c, a, &x) || !mr_compile_truth(c, b, &y)) {
            return false;
        }
        mr_register same = mr_program_op2(c->builder, MR_OP_BEQ, x, y);
        *value = truth(expr->op == MR_OPERATOR_EQUAL ? same : mr_program_op1(c->builder, MR_OP_NOT, same));
        return true;
    }
    if (expr->op >= MR_OPERATOR_LESS) {
        return false;
    }
    if (a->kind == MR_COMPILED_SPOT && (expr->op == MR_OPERATOR_ADD || expr->op == MR_OPERATOR_SUBTRACT)) {
        return b->kind != MR_COMPILED_SPOT && moved_spot(c, expr, a, b, value);
    }
    return b->kind != MR_COMPILED_SPOT && compile_tuples(c, expr, a, b, value);
}

// a && b asks b only where a holds; a || b only where it does not.
static bool compile_both(mr_compiler *c, const mr_scope *scope, const mr_expr *expr, mr_compiled_value *value)
{
    mr_compiled_value left, right;
    mr_register a, b;
    bool both = expr->op == MR_OPERATOR_AND;
    if (!mr_compile_expr(c, scope, expr->a, &left) || !mr_compile_truth(c, &left, &a)) {
        return false;
    }
    mr_program_begin_if(c->builder, both ? a : mr_program_op1(c->builder, MR_OP_NOT, a));
    bool good = mr_compile_expr(c, scope, expr->b, &right) && mr_compile_truth(c, &right, &b);
    mr_program_end_if(c->builder);
    if (good) {
        *value = truth(mr_program_op2(c->builder, both ? MR_OP_AND : MR_OP_OR, a, b));
    }
    return good;
}

// Two branches' values, chosen lane by lane.
static bool choose(mr_compiler *c, mr_register condition, const mr_compiled_value *a,
                   const mr_compiled_value *b, mr_compiled_value *value)
{
    mr_register x, y;
    if (a->kind == MR_COMPILED_SPOT && b->kind == MR_COMPILED_SPOT && a->land == b->land) {
        *value = *a;
        for (int i = 0; i < 3; i++) {
            value->spot[i] = mr_program_op3(c->builder, MR_OP_WHERE, condition, a->spot[i], b->spot[i]);
        }
        return true;
    }
    if (mr_compiled_numeric(a) && mr_compiled_numeric(b)) {
        if (is_whole(a) != is_whole(b) ||
            !mr_dimension_equal(mr_compiled_dimension(a), mr_compiled_dimension(b))) {
            return false; // what they are differs from lane to lane
        }
        bool layer =
            (a->kind == MR_COMPILED_SCALAR && a->layer) || (b->kind == MR_COMPILED_SCALAR && b->layer);
        if (is_whole(a)) {
            if (!mr_compile_whole(c, a, &x) || !mr_compile_whole(c, b, &y)) {
                return false;
            }
            *value = whole(mr_program_op3(c->builder, MR_OP_IWHERE, condition, x, y));
            return true;
        }
        if (layer || !mr_compile_number(c, a, &x) || !mr_compile_number(c, b, &y)) {
            return false;
        }
        *value = mr_compiled_number(mr_program_op3(c->builder, MR_OP_WHERE, condition, x, y),
                                    mr_compiled_dimension(a));
        return true;
    }
    const mr_compiled_value *left, *right;
    size_t left_count, right_count;
    if (items_of(c, a, &left, &left_count) && items_of(c, b, &right, &right_count) &&
        left_count == right_count) {
        mr_compiled_value *items = mr_arena_take(c->arena, left_count * sizeof *items + 1);
        for (size_t i = 0; items && i < left_count; i++) {
            if (!choose(c, condition, &left[i], &right[i], &items[i])) {
                return false;
            }
        }
        *value = (mr_compiled_value){ .kind = MR_COMPILED_TUPLE, .items = items, .count = left_count };
        return items != NULL;
    }
    bool layers = (a->kind == MR_COMPILED_SCALAR && a->layer) || (b->kind == MR_COMPILED_SCALAR && b->layer);
    if (layers || !mr_compile_truth(c, a, &x) || !mr_compile_truth(c, b, &y)) {
        return false;
    }
    *value = truth(mr_program_op3(c->builder, MR_OP_BWHERE, condition, x, y));
    return true;
}

static bool compile_if(mr_compiler *c, const mr_scope *scope, const mr_expr *expr, mr_compiled_value *value)
{
    mr_compiled_value condition, a, b;
    mr_register holds;
    if (!expr->c || !mr_compile_expr(c, scope, expr->a, &condition) ||
        !mr_compile_truth(c, &condition, &holds)) {
        return false;
    }
    if (condition.kind == MR_COMPILED_CONSTANT && condition.datum.kind == MR_DATUM_BOOL) {
        return mr_compile_expr(c, scope, condition.datum.boolean ? expr->b : expr->c, value);
    }
    mr_program_begin_if(c->builder, holds);
    bool good = mr_compile_expr(c, scope, expr->b, &a);
    mr_program_end_if(c->builder);
    mr_program_begin_if(c->builder, mr_program_op1(c->builder, MR_OP_NOT, holds));
    good = good && mr_compile_expr(c, scope, expr->c, &b);
    mr_program_end_if(c->builder);
    return good && choose(c, holds, &a, &b, value);
}

static bool compile_unary(mr_compiler *c, const mr_scope *scope, const mr_expr *expr,
                          mr_compiled_value *value)
{
    mr_compiled_value a;
    mr_register reg;
    if (!mr_compile_expr(c, scope, expr->a, &a)) {
        return false;
    }
    mr_program_at(c->builder, c->ev->file->path, expr->place.line, expr->place.column);
    if (expr->op == MR_OPERATOR_NOT) {
        if (!mr_compile_truth(c, &a, &reg)) {
            return false;
        }
        *value = truth(mr_program_op1(c->builder, MR_OP_NOT, reg));
        return true;
    }
    if (is_whole(&a)) {
        mr_compile_whole(c, &a, &reg);
        *value = whole(mr_program_op1(c->builder, MR_OP_INEG, reg));
        return true;
    }
    if (!mr_compile_number(c, &a, &reg)) {
        return false;
    }
    *value = mr_compiled_number(mr_program_op1(c->builder, MR_OP_NEG, reg), mr_compiled_dimension(&a));
    return true;
}

static bool compile_tuple(mr_compiler *c, const mr_scope *scope, const mr_expr *expr,
                          mr_compiled_value *value)
{
    if (expr->item_count == 0 || expr->items[0].name.size > 0) {
        return false;
    }
    mr_compiled_value *items = mr_arena_take(c->arena, expr->item_count * sizeof *items);
    for (size_t i = 0; items && i < expr->item_count; i++) {
        if (!mr_compile_expr(c, scope, expr->items[i].value, &items[i])) {
            return false;
        }
    }
    *value = (mr_compiled_value){ .kind = MR_COMPILED_TUPLE, .items = items, .count = expr->item_count };
    return items != NULL;
}

static bool compile_range(mr_compiler *c, const mr_scope *scope, const mr_expr *expr,
                          mr_compiled_value *value)
{
    mr_compiled_value *items = mr_arena_take(c->arena, 2 * sizeof *items);
    if (!items || !mr_compile_expr(c, scope, expr->a, &items[0]) ||
        !mr_compile_expr(c, scope, expr->b, &items[1])) {
        return false;
    }
    if (items[0].kind == MR_COMPILED_CONSTANT && items[1].kind == MR_COMPILED_CONSTANT) {
        return constant(c, scope, expr, value);
    }
    if (is_whole(&items[0]) != is_whole(&items[1]) || !mr_compiled_numeric(&items[0]) ||
        !mr_compiled_numeric(&items[1]) ||
        !mr_dimension_equal(mr_compiled_dimension(&items[0]), mr_compiled_dimension(&items[1]))) {
        return false;
    }
    *value = (mr_compiled_value){
        .kind = MR_COMPILED_RANGE, .items = items, .count = 2, .to = expr->op == MR_OPERATOR_RANGE_TO
    };
    return true;
}

static bool compile_binary(mr_compiler *c, const mr_scope *scope, const mr_expr *expr,
                           mr_compiled_value *value)
{
    mr_compiled_value a, b;
    if (expr->op == MR_OPERATOR_AND || expr->op == MR_OPERATOR_OR) {
        return compile_both(c, scope, expr, value);
    }
    if (expr->op == MR_OPERATOR_RANGE_BELOW || expr->op == MR_OPERATOR_RANGE_TO) {
        return compile_range(c, scope, expr, value);
    }
    if (!mr_compile_expr(c, scope, expr->a, &a) || !mr_compile_expr(c, scope, expr->b, &b)) {
        return false;
    }
    mr_program_at(c->builder, c->ev->file->path, expr->place.line, expr->place.column);
    return mr_compile_operator(c, expr, &a, &b, value);
}

static bool compile_block(mr_compiler *c, const mr_scope *scope, const mr_expr *expr,
                          mr_compiled_value *value)
{
    for (size_t i = 0; i < expr->step_count; i++) {
        const mr_step *step = &expr->steps[i];
        if ((step->kind != MR_STEP_LET && step->kind != MR_STEP_EXPR) ||
            !mr_compile_expr(c, scope, step->value, value) ||
            (step->kind == MR_STEP_LET && !mr_compile_pattern(c, scope, step->pattern, step->pattern_count,
                                                              step->pattern_tuple, value, &scope))) {
            return false;
        }
    }
    return expr->step_count > 0;
}

static bool compile_kind(mr_compiler *c, const mr_scope *scope, const mr_expr *expr, mr_compiled_value *value)
{
    switch (expr->kind) {
    case MR_EXPR_INT:
    case MR_EXPR_NUMBER:
    case MR_EXPR_TEXT:
    case MR_EXPR_TRUE:
    case MR_EXPR_FALSE:
        return constant(c, scope, expr, value);
    case MR_EXPR_NAME:
        return compile_name(c, scope, expr, value);
    case MR_EXPR_MEMBER:
        return compile_member(c, scope, expr, value);
    case MR_EXPR_CALL:
        return mr_compile_call(c, scope, expr, value);
    case MR_EXPR_UNARY:
        return compile_unary(c, scope, expr, value);
    case MR_EXPR_BINARY:
        return compile_binary(c, scope, expr, value);
    case MR_EXPR_TUPLE:
        return compile_tuple(c, scope, expr, value);
    case MR_EXPR_IF:
        return compile_if(c, scope, expr, value);
    case MR_EXPR_BLOCK:
        return compile_block(c, scope, expr, value);
    default:
        return false;
    }
}

bool mr_compile_expr(mr_compiler *c, const mr_scope *scope, const mr_expr *expr, mr_compiled_value *value)
{
    if (c->depth >= DEEPEST) {
        return false;
    }
    c->depth++;
    mr_program_at(c->builder, c->ev->file->path, expr->place.line, expr->place.column);
    bool good = compile_kind(c, scope, expr, value);
    c->depth--;
    return good;
}
