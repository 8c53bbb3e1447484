// world/builtins_number.c: functions of numbers, vectors and seeds.

#include "world/apply.h"
#include "world/builtin_tables.h"
#include "world/check.h"

#include "num/hash.h"
#include "num/noise.h"

// Numbers of a call that must share a dimension: the arguments in order, then the rest. A literal 0 takes the others'.
static bool shared(mr_evaluator *ev, mr_call *call, size_t count, mr_dimension *dimension)
{
    bool known = false;
    *dimension = mr_dimension_none;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count + call->rest_count; i++) {
            mr_datum value = i < count ? call->values[i] : call->rest_values[i - count];
            const mr_argument *argument = i < count ? call->given[i] : call->rest[i - count];
            if (i < count && !argument) {
                continue;
            }
            bool zero = mr_evaluate_literal_is_zero(argument->value);
            if (pass == 0 && !zero && !known) {
                *dimension = mr_datum_dimension(value);
                known = true;
            } else if (pass == 1 && !zero && !mr_dimension_equal(*dimension, mr_datum_dimension(value))) {
                char a[48], b[48];
                mr_dimension_name(*dimension, a);
                mr_dimension_name(mr_datum_dimension(value), b);
                return mr_evaluator_fail(ev, argument->value->place, "%s is given %s and %s",
                                         call->builtin->name, a, b);
            }
        }
    }
    return true;
}

static bool extreme_of_list(mr_evaluator *ev, mr_call *call, bool least, mr_datum *answer)
{
    mr_datum list = call->rest_values[0];
    size_t count = 0;
    if (!mr_elements_of(ev, list, call->expr->place, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        mr_datum one = mr_element_at(list, i);
        if (!mr_datum_is_numeric(one)) {
            return mr_evaluator_fail(ev, call->expr->place, "%s takes numbers", call->builtin->name);
        }
        bool better = i == 0 || (one.kind == MR_DATUM_INT && answer->kind == MR_DATUM_INT
                                     ? (least ? one.integer < answer->integer : one.integer > answer->integer)
                                     : (least ? mr_datum_as_number(one) < mr_datum_as_number(*answer)
                                              : mr_datum_as_number(one) > mr_datum_as_number(*answer)));
        if (better) {
            *answer = one;
        }
    }
    return count > 0 || mr_evaluator_fail(ev, call->expr->place, "%s of an empty list", call->builtin->name);
}

static bool extreme(mr_evaluator *ev, mr_call *call, bool least, mr_datum *answer)
{
    if (call->rest_count == 1 && call->rest_values[0].kind == MR_DATUM_LIST) {
        return extreme_of_list(ev, call, least, answer);
    }
    bool whole = true;
    for (size_t i = 0; i < call->rest_count; i++) {
        if (!mr_coerce(ev, call->scope, call->rest[i]->value, &mr_type_quantity, &call->rest_values[i])) {
            return false;
        }
        whole = whole && call->rest_values[i].kind == MR_DATUM_INT;
    }
    mr_dimension dimension = { 0 };
    if (!shared(ev, call, 0, &dimension)) {
        return false;
    }
    mr_datum best = call->rest_values[0];
    for (size_t i = 1; i < call->rest_count; i++) {
        mr_datum one = call->rest_values[i];
        if (whole) {
            best.integer = least ? (one.integer < best.integer ? one.integer : best.integer)
                                 : (one.integer > best.integer ? one.integer : best.integer);
        } else {
            float a = mr_datum_as_number(best), b = mr_datum_as_number(one);
            best = mr_datum_plain(mr_apply_f32(least ? MR_OP_MIN : MR_OP_MAX, a, b, 0));
        }
    }
    *answer = whole ? best : mr_datum_number(mr_datum_as_number(best), dimension);
    return true;
}

static bool call_min(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    return extreme(ev, call, true, answer);
}

static bool call_max(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    return extreme(ev, call, false, answer);
}

static bool call_abs(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_datum value = call->values[0];
    if (value.kind == MR_DATUM_INT) {
        mr_lane_value size, nothing = { 0 };
        if (!mr_apply(ev, call->expr->place, MR_OP_IABS, (mr_lane_value){ .i64 = value.integer }, nothing,
                      nothing, &size)) {
            return false;
        }
        *answer = mr_datum_integer(size.i64);
    } else {
        *answer = mr_datum_number(mr_apply_f32(MR_OP_ABS, value.number, 0, 0), value.dimension);
    }
    return true;
}

static bool whole(mr_evaluator *ev, mr_call *call, mr_op op, mr_datum *answer)
{
    mr_datum value = call->values[0];
    if (value.kind == MR_DATUM_INT) {
        *answer = value;
        return true;
    }
    if (!mr_dimension_plain(value.dimension)) {
        char name[48];
        mr_dimension_name(value.dimension, name);
        return mr_evaluator_fail_with(ev, MR_BAD_INPUT, call->given[0]->value->place, "divide it by its unit",
                                      "%s takes a number, not %s", call->builtin->name, name);
    }
    mr_lane_value made, nothing = { 0 };
    if (!mr_apply(ev, call->expr->place, op, (mr_lane_value){ .f32 = value.number }, nothing, nothing,
                  &made)) {
        return false;
    }
    *answer = mr_datum_integer(made.i64);
    return true;
}

static bool call_floor(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    return whole(ev, call, MR_OP_FLOOR_TO_INT, answer);
}

static bool call_ceil(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    return whole(ev, call, MR_OP_CEIL_TO_INT, answer);
}

static bool call_round(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    return whole(ev, call, MR_OP_ROUND_TO_INT, answer);
}

static bool call_clamp(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_dimension dimension = { 0 };
    if (!shared(ev, call, 3, &dimension)) {
        return false;
    }
    if (call->values[0].kind == MR_DATUM_INT && call->values[1].kind == MR_DATUM_INT &&
        call->values[2].kind == MR_DATUM_INT) {
        int64_t v = call->values[0].integer, low = call->values[1].integer, high = call->values[2].integer;
        v = v < low ? low : v;
        *answer = mr_datum_integer(v > high ? high : v);
        return true;
    }
    *answer = mr_datum_number(mr_apply_f32(MR_OP_CLAMP, mr_datum_as_number(call->values[0]),
                                           mr_datum_as_number(call->values[1]),
                                           mr_datum_as_number(call->values[2])),
                              dimension);
    return true;
}

static bool call_mix(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float t = mr_datum_as_number(call->values[2]);
    mr_datum a = call->values[0], b = call->values[1];
    if (a.kind == MR_DATUM_TUPLE && b.kind == MR_DATUM_TUPLE && a.sequence->count == b.sequence->count) {
        mr_sequence *made = mr_make_sequence(ev, a.sequence->count, false);
        for (size_t i = 0; made && i < a.sequence->count; i++) {
            mr_datum p = a.sequence->items[i], q = b.sequence->items[i];
            if (!mr_datum_is_numeric(p) || !mr_datum_is_numeric(q) ||
                !mr_dimension_equal(mr_datum_dimension(p), mr_datum_dimension(q))) {
                return mr_evaluator_fail(ev, call->expr->place, "mix takes numbers alike");
            }
            float from = mr_datum_as_number(p);
            ((mr_datum *)made->items)[i] = mr_datum_number(
                mr_apply_f32(MR_OP_MIX, from, mr_datum_as_number(q), t), mr_datum_dimension(p));
        }
        *answer = (mr_datum){ .kind = MR_DATUM_TUPLE, .sequence = made };
        return made != NULL;
    }
    mr_dimension dimension = { 0 };
    if (!mr_coerce(ev, call->scope, call->given[0]->value, &mr_type_quantity, &a) ||
        !mr_coerce(ev, call->scope, call->given[1]->value, &mr_type_quantity, &b) ||
        !shared(ev, call, 2, &dimension)) {
        return false;
    }
    float from = mr_datum_as_number(a);
    *answer = mr_datum_number(mr_apply_f32(MR_OP_MIX, from, mr_datum_as_number(b), t), dimension);
    return true;
}

static bool call_smoothstep(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_dimension dimension = { 0 };
    float low = 0, high = 1, x = mr_datum_as_number(call->values[0]); // smoothstep(t): over 0..1
    if (!call->given[2] != !call->given[1]) {
        return mr_evaluator_fail(ev, call->expr->place, "smoothstep takes (t) or (low, high, x)");
    }
    if (call->given[1]) {
        if (!shared(ev, call, 3, &dimension)) {
            return false;
        }
        low = x;
        high = mr_datum_as_number(call->values[1]);
        x = mr_datum_as_number(call->values[2]);
    }
    *answer = mr_datum_plain(mr_apply_f32(MR_OP_SMOOTHSTEP, low, high, x));
    return true;
}

static bool call_sqrt(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_dimension d = mr_datum_dimension(call->values[0]);
    if ((d.length | d.angle | d.time | d.mass) & 1) {
        return mr_evaluator_fail(ev, call->expr->place, "the root of this unit is no unit");
    }
    d = (mr_dimension){ (int8_t)(d.length / 2), (int8_t)(d.angle / 2), (int8_t)(d.time / 2),
                        (int8_t)(d.mass / 2) };
    *answer = mr_datum_number(mr_apply_f32(MR_OP_SQRT, mr_datum_as_number(call->values[0]), 0, 0), d);
    return true;
}

static bool angle_argument(mr_evaluator *ev, mr_call *call, float *x)
{
    mr_datum value = call->values[0];
    if (!mr_dimension_plain(mr_datum_dimension(value)) &&
        !mr_dimension_equal(mr_datum_dimension(value), mr_dimension_angle)) {
        return mr_evaluator_fail(ev, call->given[0]->value->place, "%s takes an angle", call->builtin->name);
    }
    *x = mr_datum_as_number(value);
    return true;
}

#define TRIGONOMETRIC(name, op)                                                                              \
    static bool call_##name(mr_evaluator *ev, mr_call *call, mr_datum *answer)                               \
    {                                                                                                        \
        float x = 0;                                                                                         \
        if (!angle_argument(ev, call, &x)) {                                                                 \
            return false;                                                                                    \
        }                                                                                                    \
        *answer = mr_datum_plain(mr_apply_f32(op, x, 0, 0));                                                 \
        return true;                                                                                         \
    }
TRIGONOMETRIC(sin, MR_OP_SIN)
TRIGONOMETRIC(cos, MR_OP_COS)
TRIGONOMETRIC(tan, MR_OP_TAN)

#define PLAIN_FUNCTION(name, op, dimension)                                                                  \
    static bool call_##name(mr_evaluator *ev, mr_call *call, mr_datum *answer)                               \
    {                                                                                                        \
        (void)ev;                                                                                            \
        *answer = mr_datum_number(mr_apply_f32(op, call->values[0].number, 0, 0), dimension);                \
        return true;                                                                                         \
    }
PLAIN_FUNCTION(asin, MR_OP_ASIN, mr_dimension_angle)
PLAIN_FUNCTION(acos, MR_OP_ACOS, mr_dimension_angle)
PLAIN_FUNCTION(atan, MR_OP_ATAN, mr_dimension_angle)
PLAIN_FUNCTION(exp, MR_OP_EXP, mr_dimension_none)
PLAIN_FUNCTION(log, MR_OP_LOG, mr_dimension_none)

static bool call_atan2(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_dimension dimension = { 0 };
    if (!shared(ev, call, 2, &dimension)) {
        return false;
    }
    *answer = mr_datum_number(mr_apply_f32(MR_OP_ATAN2, mr_datum_as_number(call->values[0]),
                                           mr_datum_as_number(call->values[1]), 0),
                              mr_dimension_angle);
    return true;
}

static bool call_pow(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    (void)ev;
    *answer = mr_datum_plain(mr_apply_f32(MR_OP_POW, call->values[0].number, call->values[1].number, 0));
    return true;
}

static bool make_tuple(mr_evaluator *ev, const mr_datum *values, size_t count, mr_datum *answer)
{
    mr_sequence *made = mr_make_sequence(ev, count, false);
    if (!made) {
        return false;
    }
    memcpy((void *)(uintptr_t)made->items, values, count * sizeof *values);
    *answer = (mr_datum){ .kind = MR_DATUM_TUPLE, .sequence = made };
    return true;
}

static bool call_vector(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    return make_tuple(ev, call->values, call->given[2] ? 3 : 2, answer);
}

// The components of a vector: a tuple of numbers, or a spot's x, y, z.
static bool vector(mr_evaluator *ev, mr_call *call, size_t which, float out[4], size_t *count,
                   mr_dimension *dimension)
{
    mr_datum value = call->values[which];
    if (value.kind == MR_DATUM_SPOT) {
        out[0] = value.spot->x;
        out[1] = value.spot->y;
        out[2] = value.spot->z;
        *count = 3;
        *dimension = mr_dimension_length;
        return true;
    }
    if (value.kind == MR_DATUM_TUPLE && value.sequence->count >= 1 && value.sequence->count <= 4) {
        *count = value.sequence->count;
        for (size_t i = 0; i < *count; i++) {
            mr_datum one = value.sequence->items[i];
            if (!mr_datum_is_numeric(one) ||
                (i > 0 && !mr_dimension_equal(*dimension, mr_datum_dimension(one)))) {
                return mr_evaluator_fail(ev, call->expr->place, "%s takes vectors of numbers alike",
                                         call->builtin->name);
            }
            *dimension = mr_datum_dimension(one);
            out[i] = mr_datum_as_number(one);
        }
        return true;
    }
    return mr_evaluator_fail(ev, call->expr->place, "%s takes vectors", call->builtin->name);
}

static bool call_dot(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float a[4] = { 0 }, b[4] = { 0 };
    size_t count = 0, other = 0;
    mr_dimension p = { 0 }, q = { 0 }, dimension = { 0 };
    if (!vector(ev, call, 0, a, &count, &p) || !vector(ev, call, 1, b, &other, &q)) {
        return false;
    }
    if (count != other || !mr_dimension_combine(p, q, 1, &dimension)) {
        return mr_evaluator_fail(ev, call->expr->place, "dot takes two vectors of one size");
    }
    float sum = a[0] * b[0];
    for (size_t i = 1; i < count; i++) {
        sum = sum + a[i] * b[i];
    }
    *answer = mr_datum_number(sum, dimension);
    return true;
}

static bool call_cross(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float a[4] = { 0 }, b[4] = { 0 };
    size_t count = 0, other = 0;
    mr_dimension p = { 0 }, q = { 0 }, dimension = { 0 };
    if (!vector(ev, call, 0, a, &count, &p) || !vector(ev, call, 1, b, &other, &q)) {
        return false;
    }
    if (count != 3 || other != 3 || !mr_dimension_combine(p, q, 1, &dimension)) {
        return mr_evaluator_fail(ev, call->expr->place, "cross takes two vectors of three");
    }
    mr_datum values[3] = { mr_datum_number(a[1] * b[2] - a[2] * b[1], dimension),
                           mr_datum_number(a[2] * b[0] - a[0] * b[2], dimension),
                           mr_datum_number(a[0] * b[1] - a[1] * b[0], dimension) };
    return make_tuple(ev, values, 3, answer);
}

static float length_of(const float *a, size_t count)
{
    float sum = a[0] * a[0];
    for (size_t i = 1; i < count; i++) {
        sum = sum + a[i] * a[i];
    }
    return mr_apply_f32(MR_OP_SQRT, sum, 0, 0);
}

static bool call_length(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float a[4] = { 0 };
    size_t count = 0;
    mr_dimension dimension = { 0 };
    if (!vector(ev, call, 0, a, &count, &dimension)) {
        return false;
    }
    *answer = mr_datum_number(length_of(a, count), dimension);
    return true;
}

static bool call_normalize(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float a[4] = { 0 };
    size_t count = 0;
    mr_dimension dimension = { 0 };
    if (!vector(ev, call, 0, a, &count, &dimension)) {
        return false;
    }
    float length = length_of(a, count);
    mr_datum values[4];
    for (size_t i = 0; i < count; i++) {
        values[i] = mr_datum_plain(mr_apply_f32(MR_OP_DIV, a[i], length, 0));
    }
    return make_tuple(ev, values, count, answer);
}

static bool call_noise(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    float x, z;
    if (!mr_plan_of(call->values[0], &x, &z)) {
        if (!mr_coerce(ev, call->scope, call->given[0]->value, &mr_type_spot, &call->values[0])) {
            return false;
        }
        mr_plan_of(call->values[0], &x, &z);
    }
    float size = call->given[1] ? mr_datum_as_number(call->values[1]) : 1.0f;
    if (!(size > 0)) {
        return mr_evaluator_fail(ev, call->expr->place, "noise: size is %g m; it must be more than 0",
                                 (double)size);
    }
    uint32_t seed = call->given[2] ? (uint32_t)call->values[2].integer : 0;
    *answer = mr_datum_plain(0.5f + 0.5f * mr_gradient2(x / size, z / size, seed).value);
    return true;
}

static bool call_random(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    (void)ev;
    uint32_t i = (uint32_t)(uint64_t)call->values[1].integer;
    *answer = mr_datum_integer(mr_random((uint32_t)call->values[0].integer, i));
    return true;
}

static bool call_one_of(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    size_t count = 0;
    if (!mr_elements_of(ev, call->values[0], call->expr->place, &count)) {
        return false;
    }
    if (count == 0) {
        return mr_evaluator_fail(ev, call->expr->place, "oneOf an empty list");
    }
    *answer = mr_element_at(call->values[0], mr_random((uint32_t)call->values[1].integer, 0) % count);
    return true;
}

static bool call_text(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    char text[1024];
    if (call->values[0].kind == MR_DATUM_TEXT) {
        *answer = call->values[0];
        return true;
    }
    if (!mr_datum_text(call->values[0], text, sizeof text)) {
        char what[96];
        mr_datum_describe(call->values[0], what, sizeof what);
        return mr_evaluator_fail(ev, call->expr->place, "%s cannot be written as text", what);
    }
    return mr_make_text(ev, mr_view_of(text), MR_DATUM_TEXT, answer);
}

#define ONE_NUMBER(a)                                                                                        \
    {                                                                                                        \
        {                                                                                                    \
            a, &mr_type_number                                                                               \
        }                                                                                                    \
    }

const mr_builtin mr_number_builtins[] = {
    { .name = "min",
      .doc = "The least of its values, or of a list.",
      .params = { { "values", &mr_type_any, MR_PARAM_REST } },
      .call = call_min,
      .check = mr_check_same },
    { .name = "max",
      .doc = "The greatest of its values, or of a list.",
      .params = { { "values", &mr_type_any, MR_PARAM_REST } },
      .call = call_max,
      .check = mr_check_same },
    { .name = "abs",
      .doc = "Without its sign.",
      .params = { { "x", &mr_type_quantity } },
      .call = call_abs,
      .check = mr_check_same },
    { .name = "floor",
      .doc = "The whole number at or below.",
      .answer = &mr_type_int,
      .params = { { "x", &mr_type_quantity } },
      .call = call_floor,
      .check = mr_check_whole },
    { .name = "ceil",
      .doc = "The whole number at or above.",
      .answer = &mr_type_int,
      .params = { { "x", &mr_type_quantity } },
      .call = call_ceil,
      .check = mr_check_whole },
    { .name = "round",
      .doc = "The nearest whole number; a half goes away from 0.",
      .answer = &mr_type_int,
      .params = { { "x", &mr_type_quantity } },
      .call = call_round,
      .check = mr_check_whole },
    { .name = "clamp",
      .doc = "x held to low..high.",
      .params = { { "x", &mr_type_quantity }, { "low", &mr_type_quantity }, { "high", &mr_type_quantity } },
      .call = call_clamp,
      .check = mr_check_same },
    { .name = "mix",
      .doc = "a + (b - a) * t.",
      .params = { { "a", &mr_type_any }, { "b", &mr_type_any }, { "t", &mr_type_number } },
      .call = call_mix,
      .check = mr_check_mix },
    { .name = "smoothstep",
      .doc = "A smooth rise from 0 at low to 1 at high; of one number, over 0..1.",
      .answer = &mr_type_number,
      .params = { { "low", &mr_type_quantity },
                  { "high", &mr_type_quantity, MR_PARAM_OPTIONAL },
                  { "x", &mr_type_quantity, MR_PARAM_OPTIONAL } },
      .call = call_smoothstep,
      .check = mr_check_smoothstep },
    { .name = "sqrt",
      .doc = "The square root; its unit's exponents are halved.",
      .params = { { "x", &mr_type_quantity } },
      .call = call_sqrt,
      .check = mr_check_root },
    { .name = "sin",
      .doc = "Of an angle (a plain number is radians).",
      .answer = &mr_type_number,
      .params = { { "x", &mr_type_quantity } },
      .call = call_sin },
    { .name = "cos",
      .doc = "Of an angle (a plain number is radians).",
      .answer = &mr_type_number,
      .params = { { "x", &mr_type_quantity } },
      .call = call_cos },
    { .name = "tan",
      .doc = "Of an angle (a plain number is radians).",
      .answer = &mr_type_number,
      .params = { { "x", &mr_type_quantity } },
      .call = call_tan },
    { .name = "asin",
      .doc = "The angle with this sine.",
      .answer = &mr_type_angle,
      .params = ONE_NUMBER("x"),
      .call = call_asin },
    { .name = "acos",
      .doc = "The angle with this cosine.",
      .answer = &mr_type_angle,
      .params = ONE_NUMBER("x"),
      .call = call_acos },
    { .name = "atan",
      .doc = "The angle with this tangent.",
      .answer = &mr_type_angle,
      .params = ONE_NUMBER("x"),
      .call = call_atan },
    { .name = "atan2",
      .doc = "The angle of (x, y), from y and x.",
      .answer = &mr_type_angle,
      .params = { { "y", &mr_type_quantity }, { "x", &mr_type_quantity } },
      .call = call_atan2 },
    { .name = "exp",
      .doc = "e to the x.",
      .answer = &mr_type_number,
      .params = ONE_NUMBER("x"),
      .call = call_exp },
    { .name = "log",
      .doc = "The natural logarithm.",
      .answer = &mr_type_number,
      .params = ONE_NUMBER("x"),
      .call = call_log },
    { .name = "pow",
      .doc = "x to the y.",
      .answer = &mr_type_number,
      .params = { { "x", &mr_type_number }, { "y", &mr_type_number } },
      .call = call_pow },
    { .name = "vec2",
      .doc = "A vector of two.",
      .params = { { "x", &mr_type_quantity }, { "y", &mr_type_quantity } },
      .call = call_vector,
      .check = mr_check_vector },
    { .name = "vec3",
      .doc = "A vector of three.",
      .params = { { "x", &mr_type_quantity }, { "y", &mr_type_quantity }, { "z", &mr_type_quantity } },
      .call = call_vector,
      .check = mr_check_vector },
    { .name = "dot",
      .doc = "The inner product.",
      .params = { { "a", &mr_type_any }, { "b", &mr_type_any } },
      .call = call_dot,
      .check = mr_check_dot },
    { .name = "cross",
      .doc = "The outer product of two vectors of three.",
      .params = { { "a", &mr_type_any }, { "b", &mr_type_any } },
      .call = call_cross,
      .check = mr_check_first },
    { .name = "length",
      .doc = "A vector's length.",
      .params = { { "a", &mr_type_any } },
      .call = call_length,
      .check = mr_check_length },
    { .name = "normalize",
      .doc = "A vector of length 1 (0 stays 0).",
      .params = { { "a", &mr_type_any } },
      .call = call_normalize,
      .check = mr_check_normalize },
    { .name = "noise",
      .doc = "Gradient noise in 0..1 over a place on the plan.",
      .answer = &mr_type_number,
      .params = { { "p", &mr_type_any },
                  { "size", &mr_type_plain_metres, MR_PARAM_OPTIONAL },
                  { "seed", &mr_type_seed, MR_PARAM_OPTIONAL } },
      .call = call_noise },
    { .name = "random",
      .doc = "The i-th whole number of a seed: pcg(pcg(seed) + i).",
      .answer = &mr_type_int,
      .params = { { "seed", &mr_type_seed }, { "i", &mr_type_int } },
      .call = call_random },
    { .name = "oneOf",
      .doc = "The element random(seed, 0) % n of a list.",
      .params = { { "list", &mr_type_list }, { "seed", &mr_type_seed } },
      .call = call_one_of,
      .check = mr_check_one_of },
    { .name = "text",
      .doc = "A value written as text.",
      .answer = &mr_type_text,
      .params = { { "v", &mr_type_any } },
      .call = call_text },
    { 0 }
};
