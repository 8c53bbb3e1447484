// world/builtins_list.c: what lists answer.

#include "world/builtin_tables.h"
#include "world/call.h"
#include "world/check.h"

static bool make_list(mr_evaluator *ev, const mr_datum *items, size_t count, mr_datum *answer)
{
    mr_sequence *made = mr_make_sequence(ev, count, false);
    if (!made) {
        return false;
    }
    if (count > 0) {
        memcpy((void *)(uintptr_t)made->items, items, count * sizeof *items);
    }
    *answer = (mr_datum){ .kind = MR_DATUM_LIST, .sequence = made };
    return true;
}

static bool call_map(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_sequence *list = call->self.sequence;
    mr_sequence *made = mr_make_sequence(ev, list->count, false);
    for (size_t i = 0; made && i < list->count; i++) {
        if (!mr_call_on_element(ev, call->values[0].function, (int64_t)i, list->items[i], call->expr->place,
                                (mr_datum *)(uintptr_t)&made->items[i])) {
            return false;
        }
    }
    *answer = (mr_datum){ .kind = MR_DATUM_LIST, .sequence = made };
    return made != NULL;
}

static bool holds(mr_evaluator *ev, mr_call *call, size_t i, bool *answer)
{
    mr_datum value;
    if (!mr_call_on_element(ev, call->values[0].function, (int64_t)i, call->self.sequence->items[i],
                            call->expr->place, &value) ||
        !mr_coerce(ev, call->scope, call->expr, &mr_type_bool, &value)) {
        return false;
    }
    *answer = value.boolean;
    return true;
}

static bool call_filter(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_sequence *list = call->self.sequence;
    mr_sequence *made = mr_make_sequence(ev, list->count, false);
    size_t kept = 0;
    for (size_t i = 0; made && i < list->count; i++) {
        bool keep;
        if (!holds(ev, call, i, &keep)) {
            return false;
        }
        if (keep) {
            ((mr_datum *)(uintptr_t)made->items)[kept++] = list->items[i];
        }
    }
    if (made) {
        made->count = kept;
    }
    *answer = (mr_datum){ .kind = MR_DATUM_LIST, .sequence = made };
    return made != NULL;
}

static bool call_find(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_sequence *list = call->self.sequence;
    *answer = mr_datum_none();
    for (size_t i = 0; i < list->count; i++) {
        bool found;
        if (!holds(ev, call, i, &found)) {
            return false;
        }
        if (found) {
            *answer = list->items[i];
            return true;
        }
    }
    return true;
}

static bool call_count(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_sequence *list = call->self.sequence;
    int64_t count = 0;
    for (size_t i = 0; call->given[0] && i < list->count; i++) {
        bool counts;
        if (!holds(ev, call, i, &counts)) {
            return false;
        }
        count += counts;
    }
    *answer = mr_datum_integer(call->given[0] ? count : (int64_t)list->count);
    return true;
}

// An element, or what a function says of it.
static bool element_key(mr_evaluator *ev, mr_call *call, size_t i, mr_datum *key)
{
    *key = call->self.sequence->items[i];
    return !call->given[0] ||
           mr_call_on_element(ev, call->values[0].function, (int64_t)i, *key, call->expr->place, key);
}

static bool call_sum(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_expr zero = { .kind = MR_EXPR_INT, .place = call->expr->place };
    const mr_expr other = { .kind = MR_EXPR_NONE, .place = call->expr->place };
    *answer = mr_datum_integer(0);
    for (size_t i = 0; i < call->self.sequence->count; i++) {
        mr_datum one;
        mr_expr add = { .kind = MR_EXPR_BINARY, .op = MR_OPERATOR_ADD, .place = call->expr->place };
        add.a = (mr_expr *)(uintptr_t)(i == 0 ? &zero : &other);
        add.b = (mr_expr *)(uintptr_t)&other;
        if (!element_key(ev, call, i, &one)) {
            return false;
        }
        if (i == 0 && one.kind != MR_DATUM_INT) {
            *answer = one;
        } else if (!mr_evaluate_operator(ev, call->scope, &add, *answer, one, answer)) {
            return false;
        }
    }
    return true;
}

static bool compare_keys(mr_evaluator *ev, mr_call *call, mr_datum a, mr_datum b, int *order)
{
    if (mr_datum_is_numeric(a) && mr_datum_is_numeric(b) &&
        mr_dimension_equal(mr_datum_dimension(a), mr_datum_dimension(b))) {
        if (a.kind == MR_DATUM_INT && b.kind == MR_DATUM_INT) {
            *order = (a.integer > b.integer) - (a.integer < b.integer);
        } else {
            float x = mr_datum_as_number(a), y = mr_datum_as_number(b);
            *order = (x > y) - (x < y);
        }
        return true;
    }
    if (a.kind == MR_DATUM_TEXT && b.kind == MR_DATUM_TEXT) {
        *order = mr_view_compare(*a.text, *b.text);
        return true;
    }
    char left[96], right[96];
    mr_datum_describe(a, left, sizeof left);
    mr_datum_describe(b, right, sizeof right);
    return mr_evaluator_fail(ev, call->expr->place, "%s: compares %s with %s", call->builtin->name, left,
                             right);
}

static bool extreme(mr_evaluator *ev, mr_call *call, int sign, mr_datum *answer)
{
    mr_datum best = mr_datum_none();
    *answer = mr_datum_none();
    for (size_t i = 0; i < call->self.sequence->count; i++) {
        mr_datum key;
        int order = -sign;
        if (!element_key(ev, call, i, &key) || (i > 0 && !compare_keys(ev, call, key, best, &order))) {
            return false;
        }
        if (i == 0 || order * sign > 0) {
            best = key;
            *answer = call->self.sequence->items[i];
        }
    }
    return true;
}

static bool call_least(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    return extreme(ev, call, -1, answer);
}

static bool call_greatest(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    return extreme(ev, call, 1, answer);
}

typedef struct keyed {
    mr_datum key;
    mr_datum item;
} keyed;

// Merges runs, the earlier of equals first.
static bool merge_sort(mr_evaluator *ev, mr_call *call, keyed *items, keyed *spare, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = low + width < count ? low + width : count;
            size_t high = middle + width < count ? middle + width : count;
            size_t a = low, b = middle;
            for (size_t out = low; out < high; out++) {
                int order = -1;
                if (a < middle && b < high && !compare_keys(ev, call, items[a].key, items[b].key, &order)) {
                    return false;
                }
                bool left = b >= high || (a < middle && order <= 0);
                spare[out] = left ? items[a++] : items[b++];
            }
        }
        memcpy(items, spare, count * sizeof *items);
    }
    return true;
}

static bool call_sort(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    size_t count = call->self.sequence->count;
    keyed *items = mr_evaluator_take(ev, count * sizeof *items + 1);
    keyed *spare = mr_evaluator_take(ev, count * sizeof *spare + 1);
    mr_sequence *made = mr_make_sequence(ev, count, false);
    if (!items || !spare || !made) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        items[i].item = call->self.sequence->items[i];
        if (!element_key(ev, call, i, &items[i].key)) {
            return false;
        }
    }
    if (!merge_sort(ev, call, items, spare, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        ((mr_datum *)(uintptr_t)made->items)[i] = items[i].item;
    }
    *answer = (mr_datum){ .kind = MR_DATUM_LIST, .sequence = made };
    return true;
}

static bool call_first(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    (void)ev;
    *answer = call->self.sequence->count ? call->self.sequence->items[0] : mr_datum_none();
    return true;
}

static bool call_last(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    (void)ev;
    size_t count = call->self.sequence->count;
    *answer = count ? call->self.sequence->items[count - 1] : mr_datum_none();
    return true;
}

static bool call_reversed(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    size_t count = call->self.sequence->count;
    if (!make_list(ev, call->self.sequence->items, count, answer)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        ((mr_datum *)(uintptr_t)answer->sequence->items)[i] = call->self.sequence->items[count - 1 - i];
    }
    return true;
}

static bool make_pair(mr_evaluator *ev, mr_datum a, mr_datum b, mr_datum *answer)
{
    mr_sequence *made = mr_make_sequence(ev, 2, false);
    if (!made) {
        return false;
    }
    ((mr_datum *)(uintptr_t)made->items)[0] = a;
    ((mr_datum *)(uintptr_t)made->items)[1] = b;
    *answer = (mr_datum){ .kind = MR_DATUM_TUPLE, .sequence = made };
    return true;
}

static bool call_zip(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_sequence *a = call->self.sequence, *b = call->values[0].sequence;
    size_t count = a->count < b->count ? a->count : b->count;
    mr_sequence *made = mr_make_sequence(ev, count, false);
    for (size_t i = 0; made && i < count; i++) {
        if (!make_pair(ev, a->items[i], b->items[i], (mr_datum *)(uintptr_t)&made->items[i])) {
            return false;
        }
    }
    *answer = (mr_datum){ .kind = MR_DATUM_LIST, .sequence = made };
    return made != NULL;
}

static bool call_numbered(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    const mr_sequence *list = call->self.sequence;
    mr_sequence *made = mr_make_sequence(ev, list->count, false);
    for (size_t i = 0; made && i < list->count; i++) {
        if (!make_pair(ev, mr_datum_integer((int64_t)i), list->items[i],
                       (mr_datum *)(uintptr_t)&made->items[i])) {
            return false;
        }
    }
    *answer = (mr_datum){ .kind = MR_DATUM_LIST, .sequence = made };
    return made != NULL;
}

static bool call_at(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    int64_t at = call->values[0].integer;
    size_t count = call->self.sequence->count;
    if (at < 0 || (uint64_t)at >= count) {
        return mr_evaluator_fail(ev, call->expr->place, "at(%lld) is outside a list of %zu (the first is 0)",
                                 (long long)at, count);
    }
    *answer = call->self.sequence->items[at];
    return true;
}

static bool call_len(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    (void)ev;
    *answer = mr_datum_integer((int64_t)call->self.sequence->count);
    return true;
}

#define LIST .home = MR_HOME_LIST
#define BY                                                                                                   \
    {                                                                                                        \
        "by", &mr_type_function, MR_PARAM_OPTIONAL                                                           \
    }

const mr_builtin mr_list_builtins[] = {
    { LIST, .name = "map", .doc = "What a function answers of each element.",
      .params = { { "f", &mr_type_function } }, .call = call_map, .check = mr_check_map },
    { LIST, .name = "filter", .doc = "The elements of which a condition holds.",
      .params = { { "f", &mr_type_function } }, .call = call_filter, .check = mr_check_filter },
    { LIST, .name = "find", .doc = "The first element of which a condition holds, or none.",
      .params = { { "f", &mr_type_function } }, .call = call_find, .check = mr_check_find },
    { LIST, .name = "count", .doc = "How many elements, or of how many a condition holds.",
      .answer = &mr_type_int, .params = { { "f", &mr_type_function, MR_PARAM_OPTIONAL } }, .call = call_count,
      .check = mr_check_count },
    { LIST, .name = "sum", .doc = "The elements added in order, or what a function answers of each.",
      .params = { BY }, .call = call_sum, .check = mr_check_sum },
    { LIST, .name = "min", .doc = "The least element, by itself or by a function; the first of equals.",
      .params = { BY }, .call = call_least, .check = mr_check_extreme },
    { LIST, .name = "max", .doc = "The greatest element, by itself or by a function; the first of equals.",
      .params = { BY }, .call = call_greatest, .check = mr_check_extreme },
    { LIST, .name = "sort", .doc = "Least first, by itself or by a function; equals keep their order.",
      .params = { BY }, .call = call_sort, .check = mr_check_sort },
    { LIST, .name = "first", .doc = "The first element, or none.", .call = call_first,
      .check = mr_check_element },
    { LIST, .name = "last", .doc = "The last element, or none.", .call = call_last,
      .check = mr_check_element },
    { LIST, .name = "reversed", .doc = "Last first.", .call = call_reversed, .check = mr_check_self },
    { LIST, .name = "zip", .doc = "Pairs of this list's and another's elements, as long as both last.",
      .params = { { "other", &mr_type_list } }, .call = call_zip, .check = mr_check_zip },
    { LIST, .name = "numbered", .doc = "Pairs of number and element.", .call = call_numbered,
      .check = mr_check_numbered },
    { LIST, .name = "at", .doc = "The element at a place, the first 0.", .params = { { "n", &mr_type_int } },
      .call = call_at, .check = mr_check_element },
    { LIST, .name = "len", .doc = "How many elements.", .answer = &mr_type_int, .property = true,
      .call = call_len },
    { 0 }
};
