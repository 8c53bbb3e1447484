// world/eval_coerce.c: a datum made into what is asked for, or the error that says what it is instead.

#include "world/eval.h"

static bool refuse(mr_evaluator *ev, const mr_expr *expr, const mr_world_type *want, mr_datum datum)
{
    char asked[200], given[96];
    mr_type_describe(want, asked, sizeof asked);
    mr_datum_describe(datum, given, sizeof given);
    char hint[96];
    hint[0] = 0;
    if (want->of == MR_OF_NUMBER && !want->any_dimension && mr_datum_is_numeric(datum) &&
        mr_dimension_plain(mr_datum_dimension(datum))) {
        char number[64];
        const char *unit = mr_dimension_unit(want->dimension);
        if (unit[0] && mr_datum_text(datum, number, sizeof number)) {
            mr_text_format(hint, sizeof hint, "write %s %s", number, unit);
        }
    }
    return mr_evaluator_fail_with(ev, MR_BAD_INPUT, expr->place, hint[0] ? hint : NULL,
                                  "%s asked for, not %s", asked, given);
}

static bool coerce_number(mr_evaluator *ev, const mr_expr *expr, const mr_world_type *want, mr_datum *datum)
{
    if (!mr_datum_is_numeric(*datum)) {
        return refuse(ev, expr, want, *datum);
    }
    if (want->any_dimension) {
        return true;
    }
    mr_dimension dimension = mr_datum_dimension(*datum);
    if (!mr_dimension_equal(dimension, want->dimension) &&
        !(mr_dimension_plain(dimension) && (want->plain_metres || mr_evaluate_literal_is_zero(expr)))) {
        return refuse(ev, expr, want, *datum);
    }
    bool layer = datum->kind == MR_DATUM_NUMBER && datum->layer;
    *datum = mr_datum_number(mr_datum_as_number(*datum), want->dimension);
    datum->layer = layer;
    if (want->fraction && !(datum->number >= 0 && datum->number <= 1)) {
        return mr_evaluator_fail(ev, expr->place, "a fraction is 0 to 1, not %g", (double)datum->number);
    }
    return true;
}

static bool coerce_integer(mr_evaluator *ev, const mr_expr *expr, const mr_world_type *want, mr_datum *datum)
{
    if (datum->kind != MR_DATUM_INT) {
        if (want->seed && (datum->kind == MR_DATUM_TEXT || datum->kind == MR_DATUM_NUMBER)) {
            char given[96];
            mr_datum_describe(*datum, given, sizeof given);
            return mr_evaluator_fail(ev, expr->place, "a seed is a whole number from 0 to 4294967295, not %s",
                                     given);
        }
        return refuse(ev, expr, want, *datum);
    }
    if (want->seed && (datum->integer < 0 || datum->integer > UINT32_MAX)) {
        return mr_evaluator_fail(ev, expr->place, "a seed is a whole number from 0 to 4294967295, not %lld",
                                 (long long)datum->integer);
    }
    return true;
}

static bool coerce_sequence(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr,
                            const mr_world_type *want, mr_datum *datum)
{
    const mr_sequence *given = datum->sequence;
    bool list = want->of == MR_OF_LIST;
    if (list && (!want->element || want->element->of == MR_OF_ANY || given->run)) {
        return true;
    }
    bool color = want->color && (given->count == 3 || given->count == 4);
    if (!list && !color && given->count != want->count) {
        return refuse(ev, expr, want, *datum);
    }
    bool written =
        (expr->kind == MR_EXPR_LIST || expr->kind == MR_EXPR_TUPLE) && expr->item_count == given->count;
    mr_sequence *made = mr_make_sequence(ev, given->count, false);
    for (size_t i = 0; made && i < given->count; i++) {
        mr_datum *item = (mr_datum *)&made->items[i];
        *item = given->items[i];
        const mr_expr *inner = written ? expr->items[i].value : expr;
        if (!mr_coerce(ev, scope, inner,
                       list    ? want->element
                       : color ? &mr_type_number
                               : want->items[i],
                       item)) {
            return false;
        }
    }
    if (made) {
        made->keys = given->keys;
        datum->sequence = made;
    }
    return made != NULL;
}

static bool coerce_place(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr,
                         const mr_world_type *want, mr_datum *datum)
{
    if (datum->kind == MR_DATUM_PLACED) {
        const mr_item *item = mr_run_item(*datum);
        return mr_make_spot(ev, item->x, item->y, item->z, mr_run_land(datum->run), datum);
    }
    if (datum->kind == MR_DATUM_PART) {
        mr_instance *part = datum->part;
        if (!mr_instance_open(ev, part) || !mr_instance_frame(ev, part)) {
            return false;
        }
        float origin[3] = { 0 }, world[3];
        mr_instance_to_world(part, origin, world);
        return mr_make_spot(ev, world[0], world[1], world[2], NULL, datum);
    }
    if (datum->kind != MR_DATUM_TUPLE || datum->sequence->count < 2 || datum->sequence->count > 3) {
        return refuse(ev, expr, want, *datum);
    }
    float at[3] = { 0 };
    size_t count = datum->sequence->count;
    bool written = expr->kind == MR_EXPR_TUPLE && expr->item_count == count;
    for (size_t i = 0; i < count; i++) {
        mr_datum one = datum->sequence->items[i];
        if (!coerce_number(ev, written ? expr->items[i].value : expr, &mr_type_length, &one)) {
            return false;
        }
        at[i] = one.number;
    }
    if (count == 3) {
        return mr_make_spot(ev, at[0], at[1], at[2], NULL, datum);
    }
    const mr_land_datum *land = mr_land_at(ev, scope, expr->place);
    return land && mr_make_spot_on(ev, land, at[0], at[1], datum);
}

static bool coerce_choice(mr_evaluator *ev, const mr_expr *expr, const mr_world_type *want, mr_datum *datum)
{
    if (datum->kind == MR_DATUM_CHOICE) {
        for (size_t i = 0; i < want->count; i++) {
            if (mr_view_equal(*datum->text, want->names[i])) {
                return true;
            }
        }
    }
    return refuse(ev, expr, want, *datum);
}

static bool coerce_data(mr_evaluator *ev, const mr_expr *expr, const mr_world_type *want, mr_datum *datum)
{
    if (datum->kind == MR_DATUM_DATA && (want->data == MR_NONE || datum->data->type == want->data)) {
        return true;
    }
    return refuse(ev, expr, want, *datum);
}

// The datum kinds that are simply what is asked for.
static const mr_datum_kind plain_kinds[MR_OF_COUNT] = {
    [MR_OF_NONE] = MR_DATUM_NONE,     [MR_OF_TEXT] = MR_DATUM_TEXT,
    [MR_OF_RANGE] = MR_DATUM_RANGE,   [MR_OF_FUNCTION] = MR_DATUM_FUNCTION,
    [MR_OF_RECORD] = MR_DATUM_RECORD, [MR_OF_DESIGN] = MR_DATUM_DESIGN,
    [MR_OF_PART] = MR_DATUM_PART,     [MR_OF_PLACED] = MR_DATUM_PLACED,
    [MR_OF_SPINE] = MR_DATUM_SPINE,   [MR_OF_LAND] = MR_DATUM_LAND,
    [MR_OF_STREAM] = MR_DATUM_STREAM, [MR_OF_RULE] = MR_DATUM_RULE,
    [MR_OF_MAKER] = MR_DATUM_MAKER,   [MR_OF_OUTLINE] = MR_DATUM_OUTLINE,
    [MR_OF_DISC] = MR_DATUM_DISC,     [MR_OF_MATERIAL] = MR_DATUM_MATERIAL,
    [MR_OF_CAMERA] = MR_DATUM_CAMERA, [MR_OF_SUN] = MR_DATUM_SUN,
    [MR_OF_LIGHT] = MR_DATUM_LIGHT,   [MR_OF_SPACE] = MR_DATUM_SPACE,
};

static bool coerce_range(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr,
                         const mr_world_type *want, mr_datum *datum)
{
    if (datum->kind != MR_DATUM_RANGE) {
        return refuse(ev, expr, want, *datum);
    }
    if (!want->element) {
        return true;
    }
    mr_interval *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = *datum->range;
    bool written = expr->kind == MR_EXPR_BINARY;
    if (!mr_coerce(ev, scope, written ? expr->a : expr, want->element, &made->low) ||
        !mr_coerce(ev, scope, written ? expr->b : expr, want->element, &made->high)) {
        return false;
    }
    datum->range = made;
    return true;
}

bool mr_coerce(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, const mr_world_type *want,
               mr_datum *datum)
{
    bool through = want->of == MR_OF_LAND || want->of == MR_OF_DATA || want->of == MR_OF_SPINE ||
                   want->of == MR_OF_CAMERA || want->of == MR_OF_SUN || want->of == MR_OF_PLACED;
    if (datum->kind == MR_DATUM_PART && through) { // a part stands for what it is made of
        if (!mr_instance_open(ev, datum->part)) {
            return false;
        }
        *datum = datum->part->content;
    }
    switch (want->of) {
    case MR_OF_ANY:
    case MR_OF_BROKEN:
        return true;
    case MR_OF_NUMBER:
        return coerce_number(ev, expr, want, datum);
    case MR_OF_INT:
        return coerce_integer(ev, expr, want, datum);
    case MR_OF_BOOL:
        if (datum->kind == MR_DATUM_NUMBER && datum->layer) {
            *datum = mr_datum_boolean(datum->number >= 0.5f);
        }
        return datum->kind == MR_DATUM_BOOL || refuse(ev, expr, want, *datum);
    case MR_OF_TUPLE:
        return datum->kind == MR_DATUM_TUPLE ? coerce_sequence(ev, scope, expr, want, datum)
                                             : refuse(ev, expr, want, *datum);
    case MR_OF_LIST:
        return datum->kind == MR_DATUM_LIST ? coerce_sequence(ev, scope, expr, want, datum)
                                            : refuse(ev, expr, want, *datum);
    case MR_OF_RANGE:
        return coerce_range(ev, scope, expr, want, datum);
    case MR_OF_SPOT:
        return datum->kind == MR_DATUM_SPOT || coerce_place(ev, scope, expr, want, datum);
    case MR_OF_CHOICE:
        return coerce_choice(ev, expr, want, datum);
    case MR_OF_DATA:
        return coerce_data(ev, expr, want, datum);
    case MR_OF_RECORD:
        return (datum->kind == MR_DATUM_RECORD && (!want->decl || datum->sequence->record == want->decl)) ||
               refuse(ev, expr, want, *datum);
    default:
        return datum->kind == plain_kinds[want->of] || refuse(ev, expr, want, *datum);
    }
}

bool mr_evaluate_as(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, const mr_world_type *want,
                    mr_datum *answer)
{
    return mr_evaluate(ev, scope, expr, want, answer) && mr_coerce(ev, scope, expr, want, answer);
}
