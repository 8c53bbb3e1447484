#include "kernel/live.h"

static bool whole_number(const mr_value *value, size_t *number, mr_error *error)
{
    double given = value->type == MR_INT ? (double)value->integer : value->number;
    if (!(given >= 0) || given > (double)MR_COUNT_MOST || given != (double)(size_t)given) {
        return mr_fail(error, MR_BAD_INPUT, "a count is a whole number from 0 to %zu, not %g", MR_COUNT_MOST,
                       given);
    }
    *number = (size_t)given;
    return true;
}

static size_t power_of_two_above(size_t number)
{
    size_t room = 1;
    while (room < number) {
        room *= 2;
    }
    return room < MR_COUNT_MOST ? room : MR_COUNT_MOST;
}

static bool bound_number(mr_context *context, const mr_bound *bound, mr_count *count, mr_error *error)
{
    size_t number = 0;
    if (!whole_number(&bound->value, &number, error)) {
        return false;
    }
    if (bound->has_capacity && number > bound->capacity) {
        return mr_fail(error, MR_BAD_INPUT, "a count of %zu is above the capacity of %zu stated for it",
                       number, bound->capacity);
    }
    if (!bound->live) {
        *count = mr_count_plain(number);
        return true;
    }
    uint32_t bits = (uint32_t)number;
    mr_column *word = mr_column_from(context, MR_COLUMN_UINT, &bits, 1, error);
    if (!word) {
        return false;
    }
    mr_column_publish(word);
    bool good =
        mr_count_live(word, bound->has_capacity ? bound->capacity : power_of_two_above(number), count, error);
    mr_column_release(word);
    return good;
}

static bool bound_word(mr_column *word, const mr_bound *bound, mr_count *count, mr_error *error)
{
    if (!mr_count_live(word, bound->has_capacity ? bound->capacity : 0, count, error)) {
        return false;
    }
    if (!bound->has_capacity) {
        size_t now = mr_count_read(count);
        count->capacity = power_of_two_above(now < MR_COUNT_MOST / 2 ? 2 * now : MR_COUNT_MOST);
    }
    return true;
}

bool mr_device_bound(mr_context *context, const mr_bound *bound, mr_count *count, mr_error *error)
{
    const mr_value *value = &bound->value;
    switch (value->type) {
    case MR_NUMBER:
    case MR_INT:
        return bound_number(context, bound, count, error);
    case MR_COLUMN:
        return bound_word(value->column, bound, count, error);
    case MR_COUNT:
        if (!value->count.word) {
            mr_bound plain = *bound;
            plain.value = mr_value_integer((int64_t)value->count.capacity);
            return bound_number(context, &plain, count, error);
        }
        return mr_count_live(value->count.word, bound->has_capacity ? bound->capacity : value->count.capacity,
                             count, error);
    default:
        return mr_fail(error, MR_BAD_INPUT, "a count is a Number, a Count or a one-word Column, not %s",
                       mr_type_name(value->type));
    }
}

mr_column *mr_device_live(mr_column *values, const mr_count *count, mr_error *error)
{
    if (count->capacity > values->count) {
        mr_fail(error, MR_BAD_INPUT, "a count that can reach %zu does not fit a column of %zu elements",
                count->capacity, values->count);
        mr_column_release(values);
        return NULL;
    }
    mr_column *word = count->word ? mr_column_retain(count->word) : NULL;
    if (!word && count->capacity < values->count) {
        uint32_t bits = (uint32_t)count->capacity;
        word = mr_column_from(values->context, MR_COLUMN_UINT, &bits, 1, error);
        if (!word) {
            mr_column_release(values);
            return NULL;
        }
        mr_column_publish(word);
    }
    mr_column *carrying = mr_column_writable(values, error);
    if (carrying) {
        mr_column_set_live(carrying, word);
        mr_column_publish(carrying);
    }
    mr_column_release(word);
    return carrying;
}

static bool word_is_zero(const mr_column *column)
{
    return mr_column_element(column->type) == MR_F32 ? column->f32[0] == 0 : column->u32[0] == 0;
}

static bool flag_is_zero(mr_context *context, const mr_guard *guard, bool *zero, mr_error *error)
{
    const mr_value *flag = &guard->flag;
    mr_column *column = NULL;
    if (guard->program) {
        column = mr_element_program_column(context, guard->program, 1, error);
        if (!column) {
            return false;
        }
    } else if (flag->type == MR_COLUMN) {
        column = mr_column_retain(flag->column);
    } else if (flag->type != MR_NUMBER && flag->type != MR_INT && flag->type != MR_BOOL) {
        return mr_fail(error, MR_BAD_INPUT, "a guard's flag is a Number or a one-word Column, not %s",
                       mr_type_name(flag->type));
    }
    if (column && (column->count != 1 || mr_column_lanes(column->type) != 1)) {
        mr_fail(error, MR_BAD_INPUT, "a guard's flag is one word, not %zu of %s", column->count,
                mr_column_type_name(column->type));
        mr_column_release(column);
        return false;
    }
    *zero = column ? word_is_zero(column)
                   : (flag->type == MR_NUMBER ? flag->number == 0
                      : flag->type == MR_INT  ? flag->integer == 0
                                              : !flag->boolean);
    mr_column_release(column);
    return true;
}

bool mr_device_guard(mr_context *context, const mr_guard *guard, mr_error *error)
{
    bool zero = false;
    if (!flag_is_zero(context, guard, &zero, error)) {
        return false;
    }
    if (zero) {
        return true;
    }
    mr_value list = { .type = MR_NONE };
    if (guard->detail && mr_value_list(context, &list, error)) {
        bool raised = !guard->detail->calls->call(guard->detail->self, NULL, 0, list.list, error);
        mr_value_release(&list);
        if (raised) {
            return false;
        }
    }
    return mr_fail(error, MR_BAD_INPUT, "%s", guard->why);
}
