// world/compile_call.c: calls as registers: draws, functions of numbers, questions of lands and spines, and the world's
// own functions, written out where they are called.

#include "world/call.h"
#include "world/compile.h"

enum { CALLS_DEEPEST = 16 };

// Made into what is asked for

static bool as_number(mr_compiler *c, const mr_expr *expr, const mr_world_type *want,
                      mr_compiled_value *value)
{
    if (!mr_compiled_numeric(value) || want->any_dimension) {
        return mr_compiled_numeric(value);
    }
    mr_dimension dimension = mr_compiled_dimension(value);
    bool plain = mr_dimension_plain(dimension);
    if (!mr_dimension_equal(dimension, want->dimension) &&
        !(plain && (want->plain_metres || mr_evaluate_literal_is_zero(expr)))) {
        return false;
    }
    mr_register reg;
    bool layer = value->kind == MR_COMPILED_SCALAR && value->layer;
    if (!mr_compile_number(c, value, &reg)) {
        return false;
    }
    *value = mr_compiled_number(reg, want->dimension);
    value->layer = layer;
    if (want->fraction) {
        mr_register low = mr_program_op2(c->builder, MR_OP_GE, reg, mr_program_f32(c->builder, 0));
        mr_register high = mr_program_op2(c->builder, MR_OP_LE, reg, mr_program_f32(c->builder, 1));
        mr_register inside = mr_program_op2(c->builder, MR_OP_AND, low, high);
        mr_program_begin_if(c->builder, mr_program_op1(c->builder, MR_OP_NOT, inside));
        mr_program_stop(c->builder, "a fraction is 0 to 1", NULL);
        mr_program_end_if(c->builder);
    }
    return true;
}

bool mr_compile_as(mr_compiler *c, const mr_expr *expr, const mr_world_type *want, mr_compiled_value *value)
{
    mr_register reg;
    if (value->kind == MR_COMPILED_CONSTANT && want->of != MR_OF_NUMBER) {
        mr_error *error = c->ev->error, ignored = { 0 };
        c->ev->error = &ignored;
        bool good = mr_coerce(c->ev, c->rule->scopes[MR_RULE_KEEP], expr, want, &value->datum);
        c->ev->error = error;
        return good;
    }
    switch (want->of) {
    case MR_OF_ANY:
        return true;
    case MR_OF_NUMBER:
        return as_number(c, expr, want, value);
    case MR_OF_INT:
        return !want->seed && mr_compile_whole(c, value, &reg);
    case MR_OF_BOOL:
        if (!mr_compile_truth(c, value, &reg)) {
            return false;
        }
        *value = (mr_compiled_value){ .kind = MR_COMPILED_SCALAR, .lane = MR_LANE_BOOL, .reg = reg };
        return true;
    case MR_OF_SPOT:
        return value->kind == MR_COMPILED_SPOT;
    case MR_OF_TUPLE: {
        if (value->kind != MR_COMPILED_TUPLE || value->count != want->count || want->color) {
            return false;
        }
        mr_compiled_value *items = mr_arena_take(c->arena, value->count * sizeof *items + 1);
        for (size_t i = 0; items && i < value->count; i++) {
            const mr_expr none = { .kind = MR_EXPR_NONE, .place = expr->place };
            bool written = expr->kind == MR_EXPR_TUPLE && expr->item_count == value->count;
            items[i] = value->items[i];
            if (!mr_compile_as(c, written ? expr->items[i].value : &none, want->items[i], &items[i])) {
                return false;
            }
        }
        value->items = items;
        return items != NULL;
    }
    default:
        return false;
    }
}

// Draws

static int32_t stream_of(mr_compiler *c, const mr_scope *scope, const mr_scatter_stream *described)
{
    const mr_scope *option = mr_scope_asked(scope);
    if (!option || !option->asked->draws) {
        return -1;
    }
    return described ? mr_run_stream_number(c->rule->run, *described) : c->rule->rule.stream;
}

static bool compile_uniform(mr_compiler *c, const mr_scope *scope, const mr_expr *expr,
                            const mr_scatter_stream *described, mr_compiled_value *value)
{
    int32_t stream = stream_of(c, scope, described);
    mr_compiled_value low, high;
    mr_register a, b;
    if (stream < 0 || expr->item_count != 2 || expr->items[0].name.size || expr->items[1].name.size ||
        !mr_compile_expr(c, scope, expr->items[0].value, &low) ||
        !mr_compile_expr(c, scope, expr->items[1].value, &high) || !mr_compile_number(c, &low, &a) ||
        !mr_compile_number(c, &high, &b)) {
        return false;
    }
    mr_dimension dimension = mr_compiled_dimension(&low);
    if (!mr_dimension_equal(dimension, mr_compiled_dimension(&high))) {
        if (mr_evaluate_literal_is_zero(expr->items[0].value)) {
            dimension = mr_compiled_dimension(&high);
        } else if (!mr_evaluate_literal_is_zero(expr->items[1].value)) {
            return false;
        }
    }
    mr_register u = mr_program_draw_unit(c->builder, (uint32_t)stream);
    mr_register wide = mr_program_op2(c->builder, MR_OP_SUB, b, a);
    *value = mr_compiled_number(
        mr_program_op2(c->builder, MR_OP_ADD, a, mr_program_op2(c->builder, MR_OP_MUL, wide, u)), dimension);
    return true;
}

static bool compile_below(mr_compiler *c, const mr_scope *scope, const mr_expr *expr,
                          const mr_scatter_stream *described, mr_compiled_value *value)
{
    int32_t stream = stream_of(c, scope, described);
    mr_compiled_value n;
    if (stream < 0 || expr->item_count != 1 || expr->items[0].name.size ||
        !mr_compile_expr(c, scope, expr->items[0].value, &n) || n.kind != MR_COMPILED_CONSTANT ||
        n.datum.kind != MR_DATUM_INT || n.datum.integer < 1 || n.datum.integer > UINT32_MAX) {
        return false;
    }
    *value = (mr_compiled_value){ .kind = MR_COMPILED_SCALAR, .lane = MR_LANE_I64 };
    value->reg =
        mr_program_draw_below(c->builder, (uint32_t)stream, mr_program_i64(c->builder, n.datum.integer));
    return true;
}

// Functions of numbers

enum { OPERANDS = 3 };

// How a function of the language is an operation: what its operands are, and what its answer is.
typedef struct simple_function {
    const char *name;
    mr_op op;
    mr_op whole_op; // of whole numbers, or the same as op: none
    uint8_t count;
    bool angle; // takes an angle or a plain number
    bool alike; // its operands share a dimension, which the answer has
    bool plain; // its operands and its answer are plain numbers
    bool to_whole;
    bool to_angle;
} simple_function;

static const simple_function simple_functions[] = {
    { .name = "abs", .op = MR_OP_ABS, .whole_op = MR_OP_IABS, .count = 1, .alike = true },
    { .name = "floor", .op = MR_OP_FLOOR_TO_INT, .count = 1, .plain = true, .to_whole = true },
    { .name = "ceil", .op = MR_OP_CEIL_TO_INT, .count = 1, .plain = true, .to_whole = true },
    { .name = "round", .op = MR_OP_ROUND_TO_INT, .count = 1, .plain = true, .to_whole = true },
    { .name = "sin", .op = MR_OP_SIN, .count = 1, .angle = true },
    { .name = "cos", .op = MR_OP_COS, .count = 1, .angle = true },
    { .name = "tan", .op = MR_OP_TAN, .count = 1, .angle = true },
    { .name = "asin", .op = MR_OP_ASIN, .count = 1, .plain = true, .to_angle = true },
    { .name = "acos", .op = MR_OP_ACOS, .count = 1, .plain = true, .to_angle = true },
    { .name = "atan", .op = MR_OP_ATAN, .count = 1, .plain = true, .to_angle = true },
    { .name = "exp", .op = MR_OP_EXP, .count = 1, .plain = true },
    { .name = "log", .op = MR_OP_LOG, .count = 1, .plain = true },
    { .name = "pow", .op = MR_OP_POW, .count = 2, .plain = true },
};

static bool same_dimension(const mr_expr *call, const mr_compiled_value *values, size_t count,
                           mr_dimension *dimension)
{
    bool known = false;
    *dimension = mr_dimension_none;
    for (size_t i = 0; i < count; i++) {
        if (mr_evaluate_literal_is_zero(call->items[i].value)) {
            continue;
        }
        if (known && !mr_dimension_equal(*dimension, mr_compiled_dimension(&values[i]))) {
            return false;
        }
        *dimension = mr_compiled_dimension(&values[i]);
        known = true;
    }
    return true;
}

static bool all_whole(mr_compiler *c, const mr_compiled_value *values, size_t count, mr_register *registers)
{
    for (size_t i = 0; i < count; i++) {
        if (!mr_compile_whole(c, &values[i], &registers[i])) {
            return false;
        }
    }
    return true;
}

static bool compile_simple(mr_compiler *c, const simple_function *function, const mr_expr *call,
                           const mr_compiled_value *values, mr_compiled_value *value)
{
    mr_register registers[OPERANDS] = { 0 };
    mr_dimension dimension = mr_compiled_dimension(&values[0]);
    if (function->to_whole && all_whole(c, values, 1, registers)) {
        *value = values[0];
        return true;
    }
    if (function->whole_op && all_whole(c, values, function->count, registers)) {
        *value = (mr_compiled_value){ .kind = MR_COMPILED_SCALAR, .lane = MR_LANE_I64 };
        value->reg = mr_program_op1(c->builder, function->whole_op, registers[0]);
        return true;
    }
    for (size_t i = 0; i < function->count; i++) {
        if (!mr_compile_number(c, &values[i], &registers[i]) ||
            (function->plain && !mr_dimension_plain(mr_compiled_dimension(&values[i])) &&
             !mr_evaluate_literal_is_zero(call->items[i].value))) {
            return false;
        }
    }
    if (function->angle && !mr_dimension_plain(dimension) &&
        !mr_dimension_equal(dimension, mr_dimension_angle)) {
        return false;
    }
    mr_register made = mr_program_op2(c->builder, function->op, registers[0], registers[function->count - 1]);
    if (function->to_whole) {
        *value = (mr_compiled_value){ .kind = MR_COMPILED_SCALAR, .lane = MR_LANE_I64, .reg = made };
    } else {
        *value = mr_compiled_number(made, function->to_angle ? mr_dimension_angle
                                          : function->alike  ? dimension
                                                             : mr_dimension_none);
    }
    return true;
}

static bool compile_extreme(mr_compiler *c, bool least, const mr_expr *call, const mr_compiled_value *values,
                            size_t count, mr_compiled_value *value)
{
    mr_register registers[MR_REST_MAX];
    mr_dimension dimension;
    if (count == 0 || !same_dimension(call, values, count, &dimension)) {
        return false;
    }
    bool whole = all_whole(c, values, count, registers);
    for (size_t i = 0; i < count; i++) {
        if (!whole && !mr_compile_number(c, &values[i], &registers[i])) {
            return false;
        }
        if (i > 0) {
            mr_op op = whole ? (least ? MR_OP_IMIN : MR_OP_IMAX) : least ? MR_OP_MIN : MR_OP_MAX;
            registers[0] = mr_program_op2(c->builder, op, registers[0], registers[i]);
        }
    }
    *value = mr_compiled_number(registers[0], dimension);
    value->lane = whole ? MR_LANE_I64 : MR_LANE_F32;
    return true;
}

static bool compile_clamp(mr_compiler *c, const mr_expr *call, const mr_compiled_value *values,
                          mr_compiled_value *value)
{
    mr_register r[3];
    mr_dimension dimension;
    if (!same_dimension(call, values, 3, &dimension)) {
        return false;
    }
    if (all_whole(c, values, 3, r)) {
        mr_register low = mr_program_op2(c->builder, MR_OP_IMAX, r[0], r[1]);
        *value = (mr_compiled_value){ .kind = MR_COMPILED_SCALAR, .lane = MR_LANE_I64 };
        value->reg = mr_program_op2(c->builder, MR_OP_IMIN, low, r[2]);
        return true;
    }
    if (!mr_compile_number(c, &values[0], &r[0]) || !mr_compile_number(c, &values[1], &r[1]) ||
        !mr_compile_number(c, &values[2], &r[2])) {
        return false;
    }
    *value = mr_compiled_number(mr_program_op3(c->builder, MR_OP_CLAMP, r[0], r[1], r[2]), dimension);
    return true;
}

static bool compile_mix(mr_compiler *c, const mr_expr *call, const mr_compiled_value *values,
                        mr_compiled_value *value)
{
    mr_register r[3];
    mr_dimension dimension;
    bool plain = mr_dimension_plain(mr_compiled_dimension(&values[2])) ||
                 mr_evaluate_literal_is_zero(call->items[2].value);
    if (!plain || !same_dimension(call, values, 2, &dimension) || !mr_compile_number(c, &values[0], &r[0]) ||
        !mr_compile_number(c, &values[1], &r[1]) || !mr_compile_number(c, &values[2], &r[2])) {
        return false;
    }
    *value = mr_compiled_number(mr_program_op3(c->builder, MR_OP_MIX, r[0], r[1], r[2]), dimension);
    return true;
}

static bool compile_smoothstep(mr_compiler *c, const mr_expr *call, const mr_compiled_value *values,
                               size_t count, mr_compiled_value *value)
{
    mr_register r[3];
    mr_dimension dimension;
    if (count == 1) {
        if (!mr_compile_number(c, &values[0], &r[2])) {
            return false;
        }
        r[0] = mr_program_f32(c->builder, 0);
        r[1] = mr_program_f32(c->builder, 1);
    } else if (count != 3 || !same_dimension(call, values, 3, &dimension) ||
               !mr_compile_number(c, &values[0], &r[0]) || !mr_compile_number(c, &values[1], &r[1]) ||
               !mr_compile_number(c, &values[2], &r[2])) {
        return false;
    }
    *value =
        mr_compiled_number(mr_program_op3(c->builder, MR_OP_SMOOTHSTEP, r[0], r[1], r[2]), mr_dimension_none);
    return true;
}

static bool compile_sqrt(mr_compiler *c, const mr_compiled_value *values, mr_compiled_value *value)
{
    mr_dimension d = mr_compiled_dimension(&values[0]);
    mr_register reg;
    if (((d.length | d.angle | d.time | d.mass) & 1) || !mr_compile_number(c, &values[0], &reg)) {
        return false;
    }
    d = (mr_dimension){ (int8_t)(d.length / 2), (int8_t)(d.angle / 2), (int8_t)(d.time / 2),
                        (int8_t)(d.mass / 2) };
    *value = mr_compiled_number(mr_program_op1(c->builder, MR_OP_SQRT, reg), d);
    return true;
}

// noise(p, size:, seed:)
static bool compile_noise(mr_compiler *c, const mr_scope *scope, const mr_expr *call,
                          mr_compiled_value *value)
{
    mr_compiled_value arguments[3];
    bool given[3] = { false };
    static const char *const names[] = { "p", "size", "seed" };
    size_t next = 0;
    for (size_t i = 0; i < call->item_count; i++) {
        size_t at = 0;
        if (call->items[i].name.size > 0) {
            while (at < 3 && !mr_view_is(call->items[i].name, names[at])) {
                at++;
            }
        } else {
            at = next++;
        }
        if (at >= 3 || given[at] || !mr_compile_expr(c, scope, call->items[i].value, &arguments[at])) {
            return false;
        }
        given[at] = true;
    }
    mr_register x, z, size = mr_program_f32(c->builder, 1), seed = mr_program_i64(c->builder, 0);
    if (!given[0] || !mr_compile_plan(c, &arguments[0], &x, &z)) {
        return false;
    }
    if (given[1]) { // a size that is no constant may be wrong in some lane
        if (arguments[1].kind != MR_COMPILED_CONSTANT || !mr_datum_is_numeric(arguments[1].datum) ||
            !(mr_datum_as_number(arguments[1].datum) > 0) || !mr_compile_number(c, &arguments[1], &size)) {
            return false;
        }
        mr_dimension dimension = mr_compiled_dimension(&arguments[1]);
        if (!mr_dimension_plain(dimension) && !mr_dimension_equal(dimension, mr_dimension_length)) {
            return false;
        }
    }
    if (given[2]) {
        if (arguments[2].kind != MR_COMPILED_CONSTANT || arguments[2].datum.kind != MR_DATUM_INT ||
            arguments[2].datum.integer < 0 || arguments[2].datum.integer > UINT32_MAX) {
            return false;
        }
        seed = mr_program_i64(c->builder, arguments[2].datum.integer);
    }
    mr_register noise = mr_program_op(c->builder, MR_OP_GRADIENT2, x, z, size, seed);
    mr_register half = mr_program_f32(c->builder, 0.5f);
    *value = mr_compiled_number(
        mr_program_op2(c->builder, MR_OP_ADD, half, mr_program_op2(c->builder, MR_OP_MUL, half, noise)),
        mr_dimension_none);
    return true;
}

// The length of a vector: of a spot's x, y, z, or of a tuple.
static bool compile_length(mr_compiler *c, const mr_compiled_value *of, mr_compiled_value *value)
{
    mr_register r[4];
    size_t count = 0;
    mr_dimension dimension = mr_dimension_length;
    if (of->kind == MR_COMPILED_SPOT) {
        for (; count < 3; count++) {
            r[count] = of->spot[count];
        }
    } else if (of->kind == MR_COMPILED_TUPLE && of->count >= 1 && of->count <= 4) {
        dimension = mr_compiled_dimension(&of->items[0]);
        for (; count < of->count; count++) {
            if (!mr_compile_number(c, &of->items[count], &r[count]) ||
                !mr_dimension_equal(dimension, mr_compiled_dimension(&of->items[count]))) {
                return false;
            }
        }
    } else {
        return false;
    }
    mr_register sum = mr_program_op2(c->builder, MR_OP_MUL, r[0], r[0]);
    for (size_t i = 1; i < count; i++) {
        sum = mr_program_op2(c->builder, MR_OP_ADD, sum, mr_program_op2(c->builder, MR_OP_MUL, r[i], r[i]));
    }
    *value = mr_compiled_number(mr_program_op1(c->builder, MR_OP_SQRT, sum), dimension);
    return true;
}

static bool all_positional(const mr_expr *call)
{
    for (size_t i = 0; i < call->item_count; i++) {
        if (call->items[i].name.size > 0) {
            return false;
        }
    }
    return call->item_count <= MR_REST_MAX;
}

static bool compile_builtin(mr_compiler *c, const mr_scope *scope, const mr_expr *call,
                            const mr_builtin *builtin, mr_compiled_value *value)
{
    const char *name = builtin->name;
    if (strcmp(name, "uniform") == 0) {
        return compile_uniform(c, scope, call, NULL, value);
    }
    if (strcmp(name, "below") == 0) {
        return compile_below(c, scope, call, NULL, value);
    }
    if (strcmp(name, "noise") == 0) {
        return compile_noise(c, scope, call, value);
    }
    if (!all_positional(call)) {
        return false;
    }
    mr_compiled_value values[MR_REST_MAX];
    size_t count = call->item_count;
    for (size_t i = 0; i < count; i++) {
        if (!mr_compile_expr(c, scope, call->items[i].value, &values[i])) {
            return false;
        }
    }
    mr_program_at(c->builder, c->ev->file->path, call->place.line, call->place.column);
    for (size_t i = 0; i < sizeof simple_functions / sizeof *simple_functions; i++) {
        if (strcmp(name, simple_functions[i].name) == 0) {
            return count == simple_functions[i].count &&
                   compile_simple(c, &simple_functions[i], call, values, value);
        }
    }
    if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0) {
        return compile_extreme(c, name[1] == 'i', call, values, count, value);
    }
    if (strcmp(name, "clamp") == 0) {
        return count == 3 && compile_clamp(c, call, values, value);
    }
    if (strcmp(name, "mix") == 0) {
        return count == 3 && compile_mix(c, call, values, value);
    }
    if (strcmp(name, "smoothstep") == 0) {
        return compile_smoothstep(c, call, values, count, value);
    }
    if (strcmp(name, "sqrt") == 0) {
        return count == 1 && compile_sqrt(c, values, value);
    }
    if (strcmp(name, "length") == 0) {
        return count == 1 && compile_length(c, &values[0], value);
    }
    bool vector = strcmp(name, "vec2") == 0 ? count == 2 : strcmp(name, "vec3") == 0 && count == 3;
    if (vector) {
        mr_compiled_value *items = mr_arena_take(c->arena, count * sizeof *items);
        for (size_t i = 0; items && i < count; i++) {
            items[i] = values[i];
        }
        *value = (mr_compiled_value){ .kind = MR_COMPILED_TUPLE, .items = items, .count = count };
        return items != NULL;
    }
    return false;
}

// Questions of lands and spines

typedef struct asked_layer {
    const mr_land *land;
    size_t number;
} asked_layer;

static bool ask_heights(void *self, const void *const *operands, void *const *results, size_t count,
                        mr_error *error)
{
    (void)error;
    mr_land_heights(self, operands[0], operands[1], results[0], count);
    return true;
}

static bool ask_slopes(void *self, const void *const *operands, void *const *results, size_t count,
                       mr_error *error)
{
    (void)error;
    mr_land_slopes(self, operands[0], operands[1], results[0], count);
    return true;
}

static bool ask_layers(void *self, const void *const *operands, void *const *results, size_t count,
                       mr_error *error)
{
    (void)error;
    const asked_layer *layer = self;
    mr_land_layers(layer->land, (uint32_t)layer->number, operands[0], operands[1], results[0], count);
    return true;
}

static bool ask_distances(void *self, const void *const *operands, void *const *results, size_t count,
                          mr_error *error)
{
    (void)error;
    const asked_layer *spine = self;
    mr_land_spine_distances(spine->land, spine->number, operands[0], operands[1], results[0], count);
    return true;
}

static bool ask_bends(void *self, const void *const *operands, void *const *results, size_t count,
                      mr_error *error)
{
    (void)error;
    const float *along = operands[0], *span = operands[1];
    float *out = results[0];
    for (size_t i = 0; i < count; i++) {
        out[i] = mr_spine_bend(self, along[i], span[i]);
    }
    return true;
}

static mr_register call_two(mr_compiler *c, const char *name, void *self,
                            bool (*ask)(void *, const void *const *, void *const *, size_t, mr_error *),
                            mr_register a, mr_register b)
{
    const mr_external external = { .name = name,
                                   .self = self,
                                   .arity = 2,
                                   .operands = { MR_LANE_F32, MR_LANE_F32 },
                                   .result_count = 1,
                                   .results = { MR_LANE_F32 },
                                   .pure = true,
                                   .call = ask };
    return mr_program_call(c->builder, &external, (const mr_register[]){ a, b });
}

static bool compile_question(mr_compiler *c, const mr_scope *scope, const mr_expr *call,
                             const mr_closure *question, mr_compiled_value *value)
{
    const mr_land *land = question->self.land->land;
    mr_compiled_value at;
    mr_register x, z;
    if (call->item_count != 1 || !mr_compile_expr(c, scope, call->items[0].value, &at) ||
        !mr_compile_plan(c, &at, &x, &z)) {
        return false;
    }
    void *self = (void *)(uintptr_t)land;
    if (question->kind == MR_CLOSURE_BUILTIN) {
        bool height = strcmp(question->builtin->name, "height") == 0;
        if (!height && strcmp(question->builtin->name, "slope") != 0) {
            return false;
        }
        *value = mr_compiled_number(
            call_two(c, question->builtin->name, self, height ? ask_heights : ask_slopes, x, z),
            height ? mr_dimension_length : mr_dimension_none);
        return true;
    }
    asked_layer *asked = mr_arena_take(&c->rule->run->arena, sizeof *asked);
    bool distance;
    if (!asked || !mr_land_question_number(land, question->name, &distance, &asked->number)) {
        return false;
    }
    asked->land = land;
    char *name = mr_arena_text(&c->rule->run->arena, question->name.data, question->name.size);
    if (!name) {
        return false;
    }
    *value = mr_compiled_number(call_two(c, name, asked, distance ? ask_distances : ask_layers, x, z),
                                distance ? mr_dimension_length : mr_dimension_none);
    value->layer = !distance;
    return true;
}

static bool compile_spine(mr_compiler *c, const mr_scope *scope, const mr_expr *call,
                          const mr_closure *question, mr_compiled_value *value)
{
    mr_spine *spine = question->self.spine->spine;
    mr_compiled_value values[2] = { { 0 }, mr_compiled_constant(mr_datum_metres(6.0f)) };
    mr_register along, span;
    bool bend = strcmp(question->builtin->name, "bendAt") == 0;
    if (!bend || call->item_count < 1 || call->item_count > 2 || call->items[0].name.size ||
        (call->item_count == 2 && call->items[1].name.size && !mr_view_is(call->items[1].name, "span"))) {
        return false;
    }
    for (size_t i = 0; i < call->item_count; i++) {
        if (!mr_compile_expr(c, scope, call->items[i].value, &values[i]) ||
            !mr_compile_as(c, call->items[i].value, &mr_type_length, &values[i])) {
            return false;
        }
    }
    if (!mr_compile_number(c, &values[0], &along) || !mr_compile_number(c, &values[1], &span)) {
        return false;
    }
    *value = mr_compiled_number(call_two(c, "bendAt", spine, ask_bends, along, span), mr_dimension_none);
    return true;
}

// The world's own functions

bool mr_compile_body(mr_compiler *c, const mr_closure *closure, const mr_compiled_value *values, size_t count,
                     mr_compiled_value *value)
{
    bool lambda = closure->kind == MR_CLOSURE_LAMBDA;
    const mr_param *params = lambda ? closure->expr->params : closure->decl->params;
    size_t wanted = lambda ? closure->expr->param_count : closure->decl->param_count;
    const mr_expr *type = lambda ? closure->expr->type : closure->decl->type;
    const mr_expr *body = lambda ? closure->expr->b : closure->decl->value;
    const mr_scope *inside = closure->scope;
    if (count != wanted || c->calls >= CALLS_DEEPEST) {
        return false;
    }
    for (size_t i = 0; i < count && inside; i++) {
        inside = mr_compile_cell(c, inside, params[i].name, &values[i]);
    }
    c->calls++;
    bool good = inside && mr_compile_expr(c, inside, body, value);
    c->calls--;
    if (good && type) {
        const mr_world_type *want = NULL;
        good = mr_type_read(c->arena, closure->scope, c->ev->file, type, &want) == MR_READ_TYPE &&
               mr_compile_as(c, body, want, value);
    }
    return good;
}

static bool compile_own(mr_compiler *c, const mr_scope *scope, const mr_expr *call, const mr_closure *closure,
                        mr_compiled_value *value)
{
    bool lambda = closure->kind == MR_CLOSURE_LAMBDA;
    const mr_param *params = lambda ? closure->expr->params : closure->decl->params;
    size_t count = lambda ? closure->expr->param_count : closure->decl->param_count;
    mr_compiled_value values[16];
    if (!all_positional(call) || call->item_count != count || count > 16) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const mr_expr *argument = call->items[i].value;
        if (!mr_compile_expr(c, scope, argument, &values[i])) {
            return false;
        }
        const mr_world_type *want = NULL;
        if (params[i].type &&
            (mr_type_read(c->arena, closure->scope, c->ev->file, params[i].type, &want) != MR_READ_TYPE ||
             !mr_compile_as(c, argument, want, &values[i]))) {
            return false;
        }
    }
    return mr_compile_body(c, closure, values, count, value);
}

static bool compile_called(mr_compiler *c, const mr_scope *scope, const mr_expr *expr, mr_datum callee,
                           mr_compiled_value *value)
{
    if (callee.kind != MR_DATUM_FUNCTION) {
        return false;
    }
    const mr_closure *closure = callee.function;
    switch (closure->kind) {
    case MR_CLOSURE_LAMBDA:
    case MR_CLOSURE_DECL:
        return compile_own(c, scope, expr, closure, value);
    case MR_CLOSURE_QUESTION:
        return compile_question(c, scope, expr, closure, value);
    case MR_CLOSURE_BUILTIN:
        if (closure->self.kind == MR_DATUM_LAND) {
            return compile_question(c, scope, expr, closure, value);
        }
        if (closure->self.kind == MR_DATUM_SPINE) {
            return compile_spine(c, scope, expr, closure, value);
        }
        if (closure->self.kind == MR_DATUM_STREAM) {
            return strcmp(closure->builtin->name, "uniform") == 0
                       ? compile_uniform(c, scope, expr, closure->self.stream, value)
                       : compile_below(c, scope, expr, closure->self.stream, value);
        }
        return closure->self.kind == MR_DATUM_NONE &&
               compile_builtin(c, scope, expr, closure->builtin, value);
    default:
        return false;
    }
}

bool mr_compile_call(mr_compiler *c, const mr_scope *scope, const mr_expr *expr, mr_compiled_value *value)
{
    const mr_expr *callee = expr->a;
    mr_compiled_value of;
    if (callee->kind == MR_EXPR_NAME) {
        mr_found found = mr_scope_find(scope, c->ev->file, callee->text);
        if (found.kind == MR_FOUND_BUILTIN) {
            return compile_builtin(c, scope, expr, found.builtin, value);
        }
        if (found.kind == MR_FOUND_NOTHING && mr_scope_asked(scope)) {
            mr_datum question;
            bool there;
            mr_error *error = c->ev->error, ignored = { 0 };
            c->ev->error = &ignored;
            bool good = mr_land_question(c->ev, mr_run_land(c->rule->run), callee->text, &there, &question);
            c->ev->error = error;
            return good && there && compile_called(c, scope, expr, question, value);
        }
    }
    return mr_compile_expr(c, scope, callee, &of) && of.kind == MR_COMPILED_CONSTANT &&
           compile_called(c, scope, expr, of.datum, value);
}
