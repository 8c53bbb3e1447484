// kernel/transfer_upload.c: plain values become columns.

#include "kernel/transfer.h"

// An element's numbers, or its text.
typedef struct element {
    enum { NUMBERS, TRUTH, TEXT, OTHER } sort;
    mr_column_type type; // what a list of its like becomes
    uint32_t lanes;
    double number[16];
    mr_view text;
} element;

static bool number_of(const mr_value *value, double *number)
{
    *number = value->type == MR_INT    ? (double)value->integer
              : value->type == MR_BOOL ? (value->boolean ? 1 : 0)
                                       : value->number;
    return value->type == MR_NUMBER || value->type == MR_INT || value->type == MR_BOOL;
}

static const mr_column_type vectors[] = { [2] = MR_COLUMN_VEC2, [3] = MR_COLUMN_VEC3, [4] = MR_COLUMN_VEC4 };

static bool read_list(const mr_list *list, element *e)
{
    if (list->count < 2 || list->count > 16) {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (!number_of(&list->items[i], &e->number[i])) {
            return false;
        }
    }
    e->lanes = (uint32_t)list->count;
    e->type = e->lanes == 16 ? MR_COLUMN_MAT4 : e->lanes <= 4 ? vectors[e->lanes] : MR_COLUMN_TYPE_COUNT;
    return e->type != MR_COLUMN_TYPE_COUNT;
}

// {x, y, z} or {r, g, b}, in any order of setting, and nothing beside.
static bool read_named(const mr_list *record, const char *const *names, element *e)
{
    e->lanes = 0;
    while (e->lanes < 4) {
        const mr_value *lane = mr_record_find(record, names[e->lanes]);
        if (!lane) {
            break;
        }
        if (!number_of(lane, &e->number[e->lanes])) {
            return false;
        }
        e->lanes++;
    }
    return e->lanes == record->count && e->lanes >= 2;
}

static bool read_record(const mr_list *record, element *e)
{
    static const char *const places[] = { "x", "y", "z", "w" }, *const colors[] = { "r", "g", "b", "a" };
    if (read_named(record, places, e)) {
        e->type = vectors[e->lanes];
        return true;
    }
    if (read_named(record, colors, e) && e->lanes >= 3) {
        e->number[3] = e->lanes == 3 ? 1 : e->number[3];
        e->lanes = 4;
        e->type = MR_COLUMN_COLOR;
        return true;
    }
    return false;
}

static element read_element(const mr_value *value)
{
    element e = { .sort = OTHER, .type = MR_COLUMN_FLOAT, .lanes = 1 };
    switch (value->type) {
    case MR_BOOL:
        e.type = MR_COLUMN_BOOL;
        // fall through
    case MR_NUMBER:
    case MR_INT:
        number_of(value, &e.number[0]);
        e.sort = value->type == MR_BOOL ? TRUTH : NUMBERS;
        break;
    case MR_TEXT:
    case MR_CHOICE:
        e.sort = TEXT;
        e.type = MR_COLUMN_TEXT;
        e.text = (mr_view){ value->text->data, value->text->size };
        break;
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR:
        e.sort = NUMBERS;
        e.lanes = value->type == MR_VEC2 ? 2 : value->type == MR_VEC3 ? 3 : 4;
        e.type = value->type == MR_COLOR ? MR_COLUMN_COLOR : vectors[e.lanes];
        memcpy(e.number, value->vector, e.lanes * sizeof *e.number);
        break;
    case MR_LIST:
        e.sort = read_list(value->list, &e) ? NUMBERS : OTHER;
        break;
    case MR_RECORD:
        e.sort = read_record(value->list, &e) ? NUMBERS : OTHER;
        break;
    default:
        break;
    }
    return e;
}

// One number as a word of the column's; false where it does not hold it.
static bool write_word(mr_column_type type, double number, uint32_t *word)
{
    union {
        float f32;
        int32_t i32;
        uint32_t u32;
    } bits = { 0 };
    switch (mr_column_element(type)) {
    case MR_F32:
        bits.f32 = (float)number;
        if (__builtin_isinf(bits.f32) && !__builtin_isinf(number)) {
            return false;
        }
        break;
    case MR_I32:
        if (!(number >= INT32_MIN && number <= INT32_MAX) || number != (double)(int32_t)number) {
            return false;
        }
        bits.i32 = (int32_t)number;
        break;
    case MR_U32: {
        double most = type == MR_COLUMN_BOOL ? 1 : UINT32_MAX;
        if (!(number >= 0 && number <= most) || number != (double)(uint32_t)number) {
            return false;
        }
        bits.u32 = (uint32_t)number;
        break;
    }
    }
    *word = bits.u32;
    return true;
}

static bool write_element(mr_column *column, size_t i, const mr_value *value, mr_error *error)
{
    element e = read_element(value);
    uint32_t lanes = mr_column_lanes(column->type);
    if (column->type == MR_COLUMN_TEXT) {
        if (e.sort != TEXT) {
            return mr_fail(error, MR_BAD_INPUT, "element %zu is a %s among texts", i,
                           mr_type_name(value->type));
        }
        column->u32[i] = mr_column_word(column, e.text);
        return column->u32[i] != UINT32_MAX || mr_fail_memory(error, e.text.size);
    }
    if (column->type == MR_COLUMN_COLOR && e.type == MR_COLUMN_VEC3) {
        e.lanes = 4;
        e.number[3] = 1;
    }
    bool fits = e.sort == NUMBERS || (e.sort == TRUTH && lanes == 1);
    if (!fits || e.lanes != lanes) {
        return mr_fail(error, MR_BAD_INPUT, "element %zu, %s, is no %s", i,
                       fits ? mr_column_type_name(e.type) : mr_type_name(value->type),
                       mr_column_type_name(column->type));
    }
    for (uint32_t k = 0; k < lanes; k++) {
        if (!write_word(column->type, e.number[k], &column->u32[i * lanes + k])) {
            return mr_fail(error, MR_BAD_INPUT, "element %zu is %g, which a column of %s cannot hold", i,
                           e.number[k], mr_column_type_name(column->type));
        }
    }
    return true;
}

static bool make_column(mr_context *context, mr_column_type type, const mr_value *items, size_t count,
                        mr_value *out, mr_error *error)
{
    mr_column *column = mr_column_create(context, type, count, error);
    for (size_t i = 0; column && i < count; i++) {
        if (!write_element(column, i, &items[i], error)) {
            mr_column_release(column);
            column = NULL;
        }
    }
    if (column) {
        *out = (mr_value){ .type = MR_COLUMN, .column = mr_column_publish(column) };
    }
    return column != NULL;
}

static bool upload_list(mr_context *context, const mr_list *list, mr_value *out, mr_error *error)
{
    if (list->count == 0) {
        mr_fail(error, MR_BAD_INPUT, "an empty list says no type for its column");
        return mr_hint(error, "write {type = \"Float\", values = {}}");
    }
    element first = read_element(&list->items[0]);
    if (first.sort == OTHER) {
        return mr_fail(error, MR_BAD_INPUT, "a list of %ss is no column", mr_type_name(list->items[0].type));
    }
    for (size_t i = 1; i < list->count; i++) {
        element e = read_element(&list->items[i]);
        if (e.sort != first.sort || e.type != first.type) {
            return mr_fail(error, MR_BAD_INPUT, "element %zu is a %s in a list that begins with a %s", i,
                           mr_type_name(list->items[i].type), mr_type_name(list->items[0].type));
        }
    }
    return make_column(context, first.type, list->items, list->count, out, error);
}

static bool is_typed(const mr_list *record)
{
    const mr_value *type = mr_record_find(record, "type");
    return record->count == 2 && type && (type->type == MR_TEXT || type->type == MR_CHOICE) &&
           mr_record_find(record, "values");
}

static bool upload_typed(mr_context *context, const mr_list *record, mr_value *out, mr_error *error)
{
    const char *name = mr_record_find(record, "type")->text->data;
    const mr_value *values = mr_record_find(record, "values");
    const char *wanted = strcmp(name, "String") == 0 ? "Text" : name;
    mr_column_type type = 0;
    while (type < MR_COLUMN_TYPE_COUNT && strcmp(mr_column_type_name(type), wanted) != 0) {
        type++;
    }
    if (type == MR_COLUMN_TYPE_COUNT) {
        const char *names[MR_COLUMN_TYPE_COUNT];
        for (mr_column_type t = 0; t < MR_COLUMN_TYPE_COUNT; t++) {
            names[t] = mr_column_type_name(t);
        }
        char hint[MR_HINT_SIZE];
        mr_name_hint(mr_view_of(name), names, MR_COLUMN_TYPE_COUNT, hint, sizeof hint);
        mr_fail(error, MR_BAD_INPUT, "no column is of type %s", name);
        return mr_hint(error, "%s", hint);
    }
    if (values->type == MR_LIST && !(read_element(values).sort == NUMBERS && mr_column_lanes(type) > 1)) {
        return make_column(context, type, values->list->items, values->list->count, out, error);
    }
    return make_column(context, type, values, 1, out, error);
}

static bool upload_count(mr_context *context, const mr_count *count, mr_value *out, mr_error *error)
{
    uint32_t number = (uint32_t)count->capacity;
    mr_column *word = count->word ? mr_column_retain(count->word)
                                  : mr_column_from(context, MR_COLUMN_UINT, &number, 1, error);
    if (word) {
        *out = (mr_value){ .type = MR_COLUMN, .column = mr_column_publish(word) };
    }
    return word != NULL;
}

static bool upload_record(mr_context *context, const mr_list *record, mr_value *out, mr_error *error);

static bool upload_one(mr_context *context, const mr_value *value, mr_value *out, mr_error *error)
{
    switch (value->type) {
    case MR_BOOL: {
        mr_value number = mr_value_number(value->boolean ? 1 : 0);
        return make_column(context, MR_COLUMN_FLOAT, &number, 1, out, error);
    }
    case MR_NUMBER:
    case MR_INT:
    case MR_TEXT:
    case MR_CHOICE:
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR:
        return make_column(context, read_element(value).type, value, 1, out, error);
    case MR_COLUMN:
        *out = mr_value_retain(*value);
        return true;
    case MR_COUNT:
        return upload_count(context, &value->count, out, error);
    case MR_LIST:
        return upload_list(context, value->list, out, error);
    case MR_RECORD:
        return is_typed(value->list) ? upload_typed(context, value->list, out, error)
                                     : upload_record(context, value->list, out, error);
    default:
        return mr_fail(error, MR_BAD_INPUT, "a %s is not uploaded", mr_type_name(value->type));
    }
}

static bool upload_record(mr_context *context, const mr_list *record, mr_value *out, mr_error *error)
{
    mr_value made;
    if (!mr_value_record(context, &made, error)) {
        return false;
    }
    for (size_t i = 0; i < record->count; i++) {
        const mr_string *name = record->names[i];
        mr_value column;
        bool good =
            upload_one(context, &record->items[i], &column, error) || mr_fail_prefix(error, "%s", name->data);
        if (!good || !mr_record_set(made.list, (mr_view){ name->data, name->size }, column, error)) {
            mr_value_release(&made);
            return false;
        }
    }
    *out = made;
    return true;
}

bool mr_transfer_upload(mr_context *context, const mr_value *values, mr_value *columns, mr_error *error)
{
    if (values->type != MR_RECORD) {
        return mr_fail(error, MR_BAD_INPUT, "what is uploaded is a Record of named values, not a %s",
                       mr_type_name(values->type));
    }
    return upload_record(context, values->list, columns, error);
}
