// world/eval_node.c: nodes and graphs called from a world: data to values and back.

#include "world/call.h"

#include "graph/node.h"
#include "graph/program.h"

static const double degrees_per_radian = 180.0 / 3.14159265358979323846;

// What a world gives for a node's number.
const mr_world_type *mr_world_input_type(const mr_input *input)
{
    switch (input->unit) {
    case MR_METRES:
        return input->flags & MR_PLAIN_METRES ? &mr_type_plain_metres : &mr_type_length;
    case MR_DEGREES:
    case MR_RADIANS:
        return &mr_type_angle;
    case MR_SECONDS:
        return &mr_type_time;
    case MR_KILOGRAMS:
        return &mr_type_mass;
    case MR_FRACTION:
    case MR_UNITLESS:
        break;
    }
    return &mr_type_number;
}

static double in_unit(const mr_input *input, float number)
{
    return input->unit == MR_DEGREES ? (double)(float)((double)number * degrees_per_radian) : (double)number;
}

static bool plain_value(mr_evaluator *ev, mr_place place, mr_datum datum, mr_value *value);

static bool list_value(mr_evaluator *ev, mr_place place, mr_datum datum, mr_value *value)
{
    bool record = datum.kind == MR_DATUM_RECORD;
    if (!(record ? mr_value_record : mr_value_list)(ev->context, value, ev->error)) {
        return mr_evaluator_failed_at(ev, place);
    }
    for (size_t i = 0; i < datum.sequence->count; i++) {
        mr_value item = { 0 };
        if (!plain_value(ev, place, datum.sequence->items[i], &item) ||
            !(record ? mr_record_set(value->list, datum.sequence->names[i], item, ev->error)
                     : mr_list_add(value->list, item, ev->error))) {
            mr_value_release(value);
            return mr_evaluator_failed_at(ev, place);
        }
    }
    return true;
}

// A datum as what it simply is: quantities in metres, radians, seconds, kilograms.
static bool plain_value(mr_evaluator *ev, mr_place place, mr_datum datum, mr_value *value)
{
    switch (datum.kind) {
    case MR_DATUM_INT:
        *value = mr_value_integer(datum.integer);
        return true;
    case MR_DATUM_NUMBER:
        *value = mr_value_number((double)datum.number);
        return true;
    case MR_DATUM_BOOL:
        *value = mr_value_boolean(datum.boolean);
        return true;
    case MR_DATUM_TEXT:
    case MR_DATUM_CHOICE:
        return mr_value_text(ev->context, *datum.text, value, ev->error) || mr_evaluator_failed_at(ev, place);
    case MR_DATUM_TUPLE:
    case MR_DATUM_LIST:
    case MR_DATUM_RECORD:
        return list_value(ev, place, datum, value);
    case MR_DATUM_DATA:
        *value = mr_value_retain(*datum.data);
        return true;
    case MR_DATUM_SPOT:
        *value =
            (mr_value){ .type = MR_VEC3,
                        .vector = { (double)datum.spot->x, (double)datum.spot->y, (double)datum.spot->z } };
        return true;
    case MR_DATUM_PART:
        if (!mr_instance_open(ev, datum.part)) {
            return false;
        }
        if (datum.part->content.kind != MR_DATUM_PART) {
            return plain_value(ev, place, datum.part->content, value);
        }
        break;
    default:
        break;
    }
    char what[96];
    mr_datum_describe(datum, what, sizeof what);
    return mr_evaluator_fail(ev, place, "%s cannot be given to a node", what);
}

static bool vector_value(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, const mr_input *input,
                         mr_datum datum, mr_value *value)
{
    size_t wanted = input->type == MR_VEC2 ? 2 : input->type == MR_VEC3 ? 3 : 4;
    *value = (mr_value){ .type = input->type };
    float x, z;
    if (datum.kind == MR_DATUM_SPOT && wanted <= 3) {
        mr_plan_of(datum, &x, &z);
        value->vector[0] = (double)x;
        value->vector[1] = (double)(wanted == 2 ? z : datum.spot->y);
        value->vector[2] = (double)z;
        return true;
    }
    bool color = input->type == MR_COLOR;
    bool fits = datum.kind == MR_DATUM_TUPLE &&
                (datum.sequence->count == wanted || (color && datum.sequence->count == 3));
    if (!fits) {
        char what[96];
        mr_datum_describe(datum, what, sizeof what);
        return mr_evaluator_fail(ev, expr->place, "a tuple of %zu is asked for, not %s", wanted, what);
    }
    bool written = expr->kind == MR_EXPR_TUPLE && expr->item_count == datum.sequence->count;
    value->vector[3] = color ? 1.0 : 0.0;
    for (size_t i = 0; i < datum.sequence->count; i++) {
        mr_datum one = datum.sequence->items[i];
        if (!mr_coerce(ev, scope, written ? expr->items[i].value : expr, mr_world_input_type(input), &one)) {
            return false;
        }
        value->vector[i] = in_unit(input, one.number);
    }
    return true;
}

static bool choice_value(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, const mr_input *input,
                         mr_value *value)
{
    mr_datum datum;
    if (expr->kind == MR_EXPR_NAME && mr_choice_place(input->choices, expr->text) >= 0) {
        return mr_value_text(ev->context, expr->text, value, ev->error) ||
               mr_evaluator_failed_at(ev, expr->place);
    }
    if (!mr_evaluate(ev, scope, expr, &mr_type_choice, &datum)) {
        return false;
    }
    if (datum.kind != MR_DATUM_TEXT && datum.kind != MR_DATUM_CHOICE) {
        return mr_evaluator_fail(ev, expr->place, "one of %s is asked for", input->choices);
    }
    return mr_value_text(ev->context, *datum.text, value, ev->error) ||
           mr_evaluator_failed_at(ev, expr->place);
}

static bool typed_value(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, const mr_input *input,
                        mr_value *value)
{
    mr_datum datum;
    if (input->type == MR_CHOICE) {
        return choice_value(ev, scope, expr, input, value);
    }
    if (!mr_evaluate(ev, scope, expr, NULL, &datum)) {
        return false;
    }
    switch (input->type) {
    case MR_NUMBER:
        if (!mr_coerce(ev, scope, expr, mr_world_input_type(input), &datum)) {
            return false;
        }
        *value = mr_value_number(in_unit(input, datum.number));
        return true;
    case MR_INT: // a seed's text or a wide number gets the descriptor's own message
        if (datum.kind == MR_DATUM_INT) {
            *value = mr_value_integer(datum.integer);
            return true;
        }
        return plain_value(ev, expr->place, datum, value);
    case MR_BOOL:
        if (!mr_coerce(ev, scope, expr, &mr_type_bool, &datum)) {
            return false;
        }
        *value = mr_value_boolean(datum.boolean);
        return true;
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR:
        return vector_value(ev, scope, expr, input, datum, value);
    case MR_RASTER:
    case MR_GEOMETRY:
    case MR_TEXTURE: {
        mr_world_type want = { .of = MR_OF_DATA, .data = input->type };
        want.name = input->type == MR_RASTER ? "raster" : input->type == MR_GEOMETRY ? "geometry" : "texture";
        if (datum.kind == MR_DATUM_LAND && input->type == MR_RASTER) {
            *value = (mr_value){ .type = MR_RASTER, .raster = mr_raster_retain(datum.land->land->raster) };
            return true;
        }
        if (!mr_coerce(ev, scope, expr, &want, &datum)) {
            return false;
        }
        *value = mr_value_retain(*datum.data);
        return true;
    }
    default:
        return plain_value(ev, expr->place, datum, value);
    }
}

// A node's answer as a datum; takes the value.
static bool value_datum(mr_evaluator *ev, mr_value value, mr_datum *answer)
{
    switch (value.type) {
    case MR_NONE:
        *answer = mr_datum_none();
        return true;
    case MR_NUMBER:
        *answer = mr_datum_plain((float)value.number);
        return true;
    case MR_INT:
        *answer = mr_datum_integer(value.integer);
        return true;
    case MR_BOOL:
        *answer = mr_datum_boolean(value.boolean);
        return true;
    case MR_TEXT:
    case MR_CHOICE: {
        bool made = mr_make_text(ev, (mr_view){ value.text->data, value.text->size }, MR_DATUM_TEXT, answer);
        mr_value_release(&value);
        return made;
    }
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR: {
        size_t count = value.type == MR_VEC2 ? 2 : value.type == MR_VEC3 ? 3 : 4;
        mr_sequence *made = mr_make_sequence(ev, count, false);
        for (size_t i = 0; made && i < count; i++) {
            ((mr_datum *)(uintptr_t)made->items)[i] = mr_datum_plain((float)value.vector[i]);
        }
        *answer = (mr_datum){ .kind = MR_DATUM_TUPLE, .sequence = made };
        return made != NULL;
    }
    case MR_LIST:
    case MR_RECORD: {
        bool record = value.type == MR_RECORD;
        mr_sequence *made = mr_make_sequence(ev, value.list->count, record);
        bool good = made != NULL;
        for (size_t i = 0; good && i < value.list->count; i++) {
            good = value_datum(ev, mr_value_retain(value.list->items[i]),
                               (mr_datum *)(uintptr_t)&made->items[i]);
            if (good && record) {
                mr_datum name;
                mr_string *text = value.list->names[i];
                good = mr_make_text(ev, (mr_view){ text->data, text->size }, MR_DATUM_TEXT, &name);
                ((mr_view *)(uintptr_t)made->names)[i] = good ? *name.text : (mr_view){ 0 };
            }
        }
        mr_value_release(&value);
        *answer = (mr_datum){ .kind = record ? MR_DATUM_RECORD : MR_DATUM_LIST, .sequence = made };
        return good;
    }
    default:
        return mr_make_data(ev, value, answer);
    }
}

const mr_input *mr_world_input(const mr_input *inputs, size_t count, mr_view name)
{
    for (size_t i = 0; i < count; i++) {
        if (mr_view_is(name, inputs[i].name)) {
            return &inputs[i];
        }
    }
    return NULL;
}

const char *mr_world_input_nearest(const mr_input *inputs, size_t count, mr_view name)
{
    const char *names[64];
    char wanted[64];
    for (size_t i = 0; i < count && i < 64; i++) {
        names[i] = inputs[i].name;
    }
    mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(name));
    return mr_nearest_name(wanted, names, count < 64 ? count : 64);
}

enum { BINDINGS_MAX = 64 };

static void release_bindings(mr_binding *bindings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mr_value_release(&bindings[i].value);
    }
}

// A call's arguments as bindings of a list of inputs.
static bool bind_inputs(mr_evaluator *ev, const mr_scope *scope, const mr_expr *call, const char *name,
                        const mr_input *inputs, size_t input_count, mr_binding *bindings, size_t *count)
{
    size_t next = 0;
    mr_view subject = ev->subject;
    for (size_t i = 0; i < call->item_count; i++) {
        const mr_argument *argument = &call->items[i];
        const mr_input *input = argument->name.size > 0 ? mr_world_input(inputs, input_count, argument->name)
                                : next < input_count    ? &inputs[next++]
                                                        : NULL;
        if (!input) {
            char hint[96];
            const char *near = mr_world_input_nearest(inputs, input_count, argument->name);
            mr_text_format(hint, sizeof hint, "did you mean %s?", near ? near : "");
            if (argument->name.size > 0) {
                return mr_evaluator_fail_with(ev, MR_BAD_INPUT, argument->place, near ? hint : NULL,
                                              "%s has no input %.*s", name, MR_VIEW_ARGS(argument->name));
            }
            return mr_evaluator_fail(ev, argument->place, "%s takes fewer inputs", name);
        }
        for (size_t k = 0; k < *count; k++) {
            if (strcmp(bindings[k].name, input->name) == 0) {
                return mr_evaluator_fail(ev, argument->place, "%s: %s is given twice", name, input->name);
            }
        }
        ev->subject = mr_view_of(input->name);
        mr_value value = { 0 };
        bool good = *count < BINDINGS_MAX && typed_value(ev, scope, argument->value, input, &value);
        ev->subject = subject;
        if (!good) {
            return false;
        }
        bindings[(*count)++] = (mr_binding){ .name = input->name, .value = value };
    }
    return true;
}

static bool answer_outputs(mr_evaluator *ev, const mr_output *outputs, size_t count, mr_value *values,
                           mr_datum *answer)
{
    if (count == 1) {
        return value_datum(ev, values[0], answer);
    }
    mr_sequence *made = mr_make_sequence(ev, count, true);
    bool good = made != NULL;
    for (size_t i = 0; i < count; i++) {
        if (good) {
            ((mr_view *)(uintptr_t)made->names)[i] = mr_view_of(outputs[i].name);
            good = value_datum(ev, values[i], (mr_datum *)(uintptr_t)&made->items[i]);
        } else {
            mr_value_release(&values[i]);
        }
    }
    *answer = (mr_datum){ .kind = MR_DATUM_RECORD, .sequence = made };
    return good;
}

bool mr_call_node(mr_evaluator *ev, const mr_scope *scope, const mr_expr *call, const mr_node *node,
                  mr_datum *answer)
{
    mr_binding bindings[BINDINGS_MAX];
    mr_value outputs[MR_MAX_OUTPUTS] = { 0 };
    size_t count = 0;
    mr_node_set_add(&ev->nodes, node);
    bool good =
        bind_inputs(ev, scope, call, node->name, node->inputs, mr_node_input_count(node), bindings, &count) &&
        (mr_node_call(ev->context, ev->folder, node, bindings, count, outputs, ev->error) ||
         mr_evaluator_failed_at(ev, call->place));
    release_bindings(bindings, count);
    return good && answer_outputs(ev, node->outputs, mr_node_output_count(node), outputs, answer);
}

bool mr_call_program(mr_evaluator *ev, const mr_scope *scope, const mr_expr *call,
                     const mr_graph_program *program, mr_datum *answer)
{
    mr_binding bindings[BINDINGS_MAX];
    mr_value outputs[BINDINGS_MAX] = { 0 };
    mr_cook_report report = { 0 };
    size_t count = 0;
    if (program->output_count > BINDINGS_MAX) {
        return mr_evaluator_fail(ev, call->place, "%s has more than %d outputs", program->name, BINDINGS_MAX);
    }
    bool good = bind_inputs(ev, scope, call, program->name, program->inputs, program->input_count, bindings,
                            &count) &&
                (mr_graph_program_call(ev->context, ev->folder, program, bindings, count, outputs, &report,
                                       ev->error) ||
                 mr_evaluator_graph_failed(ev, call->place));
    mr_node_set_join(&ev->nodes, &report.needed);
    release_bindings(bindings, count);
    return good && answer_outputs(ev, program->outputs, program->output_count, outputs, answer);
}
