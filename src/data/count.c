// data/count.c: numbers and live counts, and what is worked out of them.

#include "data/count.h"

mr_count mr_count_plain(size_t number)
{
    return (mr_count){ NULL, number };
}

bool mr_count_live(mr_column *word, size_t capacity, mr_count *count, mr_error *error)
{
    bool whole = word->type == MR_COLUMN_INT || word->type == MR_COLUMN_UINT;
    if (!whole || word->count != 1) {
        return mr_fail(error, MR_BAD_INPUT, "a live count is one Int or UInt word; this is %zu of %s",
                       word->count, mr_column_type_name(word->type));
    }
    if (capacity > MR_COUNT_MOST) {
        return mr_fail(error, MR_LIMIT, "a capacity of %zu elements is past the %zu that indices can hold",
                       capacity, MR_COUNT_MOST);
    }
    *count = (mr_count){ mr_column_retain(word), capacity };
    return true;
}

mr_count mr_count_of(const mr_column *column)
{
    mr_column *live = column->live;
    return (mr_count){ live ? mr_column_retain(live) : NULL, column->count };
}

mr_count mr_count_retain(mr_count count)
{
    if (count.word) {
        mr_column_retain(count.word);
    }
    return count;
}

void mr_count_release(mr_count *count)
{
    mr_column_release(count->word);
    *count = (mr_count){ NULL, 0 };
}

size_t mr_count_read(const mr_count *count)
{
    const mr_column *word = count->word;
    if (!word) {
        return count->capacity;
    }
    return word->type == MR_COLUMN_INT && word->i32[0] < 0 ? 0 : word->u32[0];
}

size_t mr_count_held(const mr_count *count)
{
    size_t true_count = mr_count_read(count);
    return true_count < count->capacity ? true_count : count->capacity;
}

static bool work(mr_count_op op, size_t a, size_t b, size_t *answer)
{
    switch (op) {
    case MR_COUNT_ADD:
        return mr_size_add(a, b, answer);
    case MR_COUNT_MULTIPLY:
        return mr_size_multiply(a, b, answer);
    case MR_COUNT_MIN:
        *answer = a < b ? a : b;
        return true;
    case MR_COUNT_MAX:
        *answer = a > b ? a : b;
        return true;
    case MR_COUNT_SUBTRACT:
        *answer = a > b ? a - b : 0;
        return true;
    case MR_COUNT_DIVIDE:
        *answer = a / b;
        return true;
    }
    return false;
}

static bool work_checked(mr_count_op op, size_t a, size_t b, size_t most, size_t *answer, mr_error *error)
{
    static const char *const signs[] = { "+", "*", "min", "max", "-", "/" };
    if (!work(op, a, b, answer) || *answer > most) {
        return mr_fail(error, MR_LIMIT, "a count of %zu %s %zu is past the %zu that can be held", a,
                       signs[op], b, most);
    }
    return true;
}

bool mr_count_combine(mr_context *context, mr_count_op op, const mr_count *a, const mr_count *b,
                      mr_count *answer, mr_error *error)
{
    if (op == MR_COUNT_DIVIDE && (b->word || b->capacity == 0)) {
        return mr_fail(error, MR_BAD_INPUT, "a count is divided by a plain number of 1 or more, not by %s",
                       b->word ? "a live count" : "0");
    }
    bool live = op != MR_COUNT_SUBTRACT && (a->word || b->word);
    size_t number = 0, capacity = 0;
    if (!work_checked(op, mr_count_read(a), mr_count_read(b), live ? UINT32_MAX : MR_COUNT_MOST, &number,
                      error)) {
        return false;
    }
    if (!live) {
        *answer = mr_count_plain(number);
        return true;
    }
    if (!work_checked(op, a->capacity, b->capacity, MR_COUNT_MOST, &capacity, error)) {
        return false;
    }
    uint32_t bits = (uint32_t)number;
    mr_column *word = mr_column_from(context, MR_COLUMN_UINT, &bits, 1, error);
    if (!word) {
        return false;
    }
    *answer = (mr_count){ mr_column_publish(word), capacity };
    return true;
}
