// kernel/transfer_readback.c: columns become plain values.

#include "kernel/transfer.h"

static bool read_text(const mr_column *column, size_t i, mr_value *out, mr_error *error)
{
    return mr_value_text(column->context, mr_view_of(column->words[column->u32[i]]), out, error);
}

static double word_number(const mr_column *column, size_t word)
{
    mr_element element = mr_column_element(column->type);
    return element == MR_F32   ? (double)column->f32[word]
           : element == MR_I32 ? (double)column->i32[word]
                               : (double)column->u32[word];
}

static bool read_lanes(const mr_column *column, size_t i, mr_value *out, mr_error *error)
{
    uint32_t lanes = mr_column_lanes(column->type);
    if (!mr_value_list(column->context, out, error)) {
        return false;
    }
    for (uint32_t k = 0; k < lanes; k++) {
        if (!mr_list_add(out->list, mr_value_number(word_number(column, i * lanes + k)), error)) {
            mr_value_release(out);
            return false;
        }
    }
    return true;
}

static bool read_element(const mr_column *column, size_t i, mr_value *out, mr_error *error)
{
    static const mr_type vectors[MR_COLUMN_TYPE_COUNT] = { [MR_COLUMN_VEC2] = MR_VEC2,
                                                           [MR_COLUMN_VEC3] = MR_VEC3,
                                                           [MR_COLUMN_VEC4] = MR_VEC4,
                                                           [MR_COLUMN_COLOR] = MR_COLOR };
    uint32_t lanes = mr_column_lanes(column->type);
    if (column->type == MR_COLUMN_TEXT) {
        return read_text(column, i, out, error);
    }
    if (column->type == MR_COLUMN_BOOL) {
        *out = mr_value_boolean(column->u32[i] != 0);
    } else if (lanes == 1) {
        *out = mr_value_number(word_number(column, i));
    } else if (vectors[column->type] == MR_NONE) {
        return read_lanes(column, i, out, error);
    } else {
        *out = (mr_value){ .type = vectors[column->type] };
        for (uint32_t k = 0; k < lanes; k++) {
            out->vector[k] = word_number(column, i * lanes + k);
        }
    }
    return true;
}

static bool read_column(mr_context *context, const mr_column *column, mr_value *out, mr_error *error)
{
    mr_value list;
    if (!mr_value_list(context, &list, error)) {
        return false;
    }
    size_t count = mr_column_live_count(column);
    for (size_t i = 0; i < count; i++) {
        mr_value one;
        if (!read_element(column, i, &one, error) || !mr_list_add(list.list, one, error)) {
            mr_value_release(&list);
            return false;
        }
    }
    *out = list;
    return true;
}

static bool read_items(mr_context *context, const mr_value *from, mr_value *out, mr_error *error);

static bool read_one(mr_context *context, const mr_value *value, mr_value *out, mr_error *error)
{
    switch (value->type) {
    case MR_COLUMN:
        return read_column(context, value->column, out, error);
    case MR_COUNT:
        *out = mr_value_number((double)mr_count_read(&value->count));
        return true;
    case MR_LIST:
    case MR_RECORD:
        return read_items(context, value, out, error);
    case MR_NUMBER:
    case MR_INT:
    case MR_BOOL:
    case MR_TEXT:
    case MR_CHOICE:
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR:
    case MR_GEOMETRY:
        *out = mr_value_retain(*value);
        return true;
    default:
        return mr_fail(error, MR_BAD_INPUT, "a %s is not read back", mr_type_name(value->type));
    }
}

static bool read_items(mr_context *context, const mr_value *from, mr_value *out, mr_error *error)
{
    const mr_list *list = from->list;
    bool named = from->type == MR_RECORD;
    mr_value made;
    if (!(named ? mr_value_record : mr_value_list)(context, &made, error)) {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        mr_value one;
        bool good = read_one(context, &list->items[i], &one, error);
        if (!good && named) {
            mr_fail_prefix(error, "%s", list->names[i]->data);
        } else if (!good) {
            mr_fail_prefix(error, "%zu", i);
        }
        if (!good ||
            !(named ? mr_record_set(made.list, (mr_view){ list->names[i]->data, list->names[i]->size }, one,
                                    error)
                    : mr_list_add(made.list, one, error))) {
            mr_value_release(&made);
            return false;
        }
    }
    *out = made;
    return true;
}

bool mr_transfer_readback(mr_context *context, const mr_value *columns, mr_value *values, mr_error *error)
{
    if (columns->type != MR_RECORD) {
        return mr_fail(error, MR_BAD_INPUT, "what is read back is a Record of named columns, not a %s",
                       mr_type_name(columns->type));
    }
    return read_items(context, columns, values, error);
}

bool mr_transfer_readback_field(mr_context *context, const mr_element_program *program, mr_value *value,
                                mr_error *error)
{
    if (program->elements == SIZE_MAX) {
        mr_fail(error, MR_BAD_INPUT, "a field that reads no column has no length to be read back over");
        return mr_hint(error, "evaluate it over a domain first, and read back the column");
    }
    mr_column *column = mr_element_program_column(context, program, program->elements, error);
    if (!column) {
        return false;
    }
    bool good = read_column(context, mr_column_publish(column), value, error);
    mr_column_release(column);
    return good;
}
