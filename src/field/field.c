// field/field.c: a field's nodes.

#include "field/field_state.h"

field_kind field_kind_of(mr_column_type type)
{
    switch (type) {
    case MR_COLUMN_BOOL:
        return FIELD_BOOL;
    case MR_COLUMN_UINT:
        return FIELD_U32;
    default:
        return mr_column_element(type) == MR_F32 ? FIELD_F32 : FIELD_I32;
    }
}

mr_column_type field_type_of(field_kind kind, uint32_t lanes)
{
    static const mr_column_type floats[] = { MR_COLUMN_FLOAT, MR_COLUMN_VEC2, MR_COLUMN_VEC3,
                                             MR_COLUMN_VEC4 };
    static const mr_column_type ints[] = { MR_COLUMN_INT, MR_COLUMN_INT2, MR_COLUMN_INT3, MR_COLUMN_INT4 };
    if (lanes == 1 && kind == FIELD_BOOL) {
        return MR_COLUMN_BOOL;
    }
    if (lanes == 1 && kind == FIELD_U32) {
        return MR_COLUMN_UINT;
    }
    if (lanes == 16 && kind == FIELD_F32) {
        return MR_COLUMN_MAT4;
    }
    if (lanes < 1 || lanes > 4) {
        return MR_COLUMN_TYPE_COUNT;
    }
    return kind == FIELD_F32 ? floats[lanes - 1] : ints[lanes - 1];
}

mr_field *field_make(mr_context *context, field_node node, mr_column_type type, mr_error *error)
{
    mr_field *field = mr_allocate_zeroed(context, sizeof *field);
    if (!field) {
        mr_fail_memory(error, sizeof *field);
        return NULL;
    }
    mr_refs_init(&field->refs);
    field->context = context;
    field->node = node;
    field->type = type;
    return field;
}

mr_field *mr_field_retain(mr_field *field)
{
    mr_refs_retain(&field->refs);
    return field;
}

// A chain may be longer than a stack is deep, so what dies with a node is put on a list.
void mr_field_release(mr_field *field)
{
    mr_field *dead = NULL;
    if (field && mr_refs_release(&field->refs)) {
        dead = field;
    }
    while (dead) {
        mr_field *gone = dead;
        dead = gone->next;
        for (uint32_t i = 0; i < gone->operand_count; i++) {
            if (mr_refs_release(&gone->operands[i]->refs)) {
                gone->operands[i]->next = dead;
                dead = gone->operands[i];
            }
        }
        mr_column_release(gone->column);
        mr_free(gone->context, gone->noise);
        mr_free(gone->context, gone);
    }
}

mr_column_type mr_field_type(const mr_field *field)
{
    return field->type;
}

mr_field *mr_field_number(mr_context *context, double number, mr_error *error)
{
    mr_field *field = field_make(context, FIELD_CONSTANT, MR_COLUMN_FLOAT, error);
    if (field) {
        float rounded = (float)number;
        memcpy(field->words, &rounded, sizeof rounded);
        field->number = number;
        field->literal = true;
    }
    return field;
}

static bool refuse_text(mr_column_type type, mr_error *error)
{
    return type != MR_COLUMN_TEXT ||
           mr_fail(error, MR_BAD_INPUT, "a field is made of numbers; a column of Text is none");
}

mr_field *mr_field_constant(mr_context *context, mr_column_type type, const void *words, mr_error *error)
{
    mr_field *field = refuse_text(type, error) ? field_make(context, FIELD_CONSTANT, type, error) : NULL;
    if (field) {
        memcpy(field->words, words, 4 * (size_t)mr_column_lanes(type));
    }
    return field;
}

mr_field *mr_field_column(mr_context *context, mr_column *column, mr_error *error)
{
    mr_field *field =
        refuse_text(column->type, error) ? field_make(context, FIELD_COLUMN, column->type, error) : NULL;
    if (field) {
        field->column = mr_column_retain(column);
    }
    return field;
}

mr_field *mr_field_id(mr_context *context, mr_error *error)
{
    return field_make(context, FIELD_ID, MR_COLUMN_INT, error);
}

mr_field *mr_field_position(mr_context *context, mr_error *error)
{
    return field_make(context, FIELD_POSITION, MR_COLUMN_VEC3, error);
}

mr_field *mr_field_walk_state(mr_context *context, uint32_t first, mr_error *error)
{
    if (first != 0 && first != 4) {
        mr_fail(error, MR_BAD_INPUT, "a walk's state is read from lane 0 or 4, not %u", first);
        return NULL;
    }
    mr_field *field = field_make(context, FIELD_STATE, MR_COLUMN_VEC4, error);
    if (field) {
        field->lane = first;
    }
    return field;
}

mr_field *mr_field_walk_step(mr_context *context, mr_error *error)
{
    return field_make(context, FIELD_STEP, MR_COLUMN_INT, error);
}

void field_take_operand(mr_field *field, mr_field *operand)
{
    field->operands[field->operand_count++] = mr_field_retain(operand);
}

mr_field *mr_field_table(mr_context *context, mr_column *column, mr_field *index, mr_error *error)
{
    if (!index || !refuse_text(column->type, error)) {
        return NULL;
    }
    if (mr_column_lanes(index->type) != 1) {
        mr_fail(error, MR_BAD_INPUT, "a column is read at a number; the index is %s",
                mr_column_type_name(index->type));
        return NULL;
    }
    mr_field *field = field_make(context, FIELD_TABLE, column->type, error);
    if (field) {
        field->column = mr_column_retain(column);
        field_take_operand(field, index);
    }
    return field;
}

mr_field *mr_field_component(mr_field *of, uint32_t lane, mr_error *error)
{
    if (!of) {
        return NULL;
    }
    if (lane >= mr_column_lanes(of->type)) {
        mr_fail(error, MR_BAD_INPUT, "a %s has no component %u", mr_column_type_name(of->type), lane);
        return NULL;
    }
    mr_field *field =
        field_make(of->context, FIELD_COMPONENT, field_type_of(field_kind_of(of->type), 1), error);
    if (field) {
        field->lane = lane;
        field_take_operand(field, of);
    }
    return field;
}

static mr_field *apply_once(mr_context *context, const field_operator *applied, mr_field *const *operands,
                            uint32_t count, mr_error *error)
{
    mr_column_type type;
    if (!field_operator_type(applied, operands, count, &type, error)) {
        return NULL;
    }
    mr_field *field = field_make(context, FIELD_APPLY, type, error);
    if (field) {
        field->applied = applied;
        for (uint32_t i = 0; i < count; i++) {
            field_take_operand(field, operands[i]);
        }
    }
    return field;
}

static mr_field *apply_folded(mr_context *context, const field_operator *applied, mr_field *const *operands,
                              size_t count, mr_error *error)
{
    mr_field *sum = mr_field_retain(operands[0]);
    for (size_t i = 1; sum && i < count; i++) {
        mr_field *next = apply_once(context, applied, (mr_field *[2]){ sum, operands[i] }, 2, error);
        mr_field_release(sum);
        sum = next;
    }
    return sum;
}

mr_field *mr_field_apply(mr_context *context, mr_view name, mr_field *const *operands, size_t count,
                         mr_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!operands[i]) {
            return NULL;
        }
    }
    const field_operator *applied = field_operator_find(name);
    if (!applied) {
        mr_fail(error, MR_BAD_INPUT, "fields have no operator %.*s", MR_VIEW_ARGS(name));
        return NULL;
    }
    uint32_t least, most;
    field_operator_arity(applied, &least, &most);
    if (count < least || count > most) {
        if (most == UINT32_MAX) {
            mr_fail(error, MR_BAD_INPUT, "%s takes %u operands or more and was given %zu",
                    field_operator_name(applied), least, count);
        } else if (least == most) {
            mr_fail(error, MR_BAD_INPUT, "%s takes %u operand%s and was given %zu",
                    field_operator_name(applied), least, least == 1 ? "" : "s", count);
        } else {
            mr_fail(error, MR_BAD_INPUT, "%s takes %u to %u operands and was given %zu",
                    field_operator_name(applied), least, most, count);
        }
        return NULL;
    }
    return most == UINT32_MAX ? apply_folded(context, applied, operands, count, error)
                              : apply_once(context, applied, operands, (uint32_t)count, error);
}
