// graph/input.c: given values cast to an input's type and checked.

#include "graph/node.h"

#include "base/number_text.h"

bool mr_input_find(const mr_node *node, const char *name, uint32_t *place, mr_error *error)
{
    const char *names[MR_MAX_INPUTS];
    uint32_t count = mr_node_input_count(node);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = node->inputs[i].name;
        if (strcmp(names[i], name) == 0) {
            *place = i;
            return true;
        }
    }
    const char *nearest = mr_nearest_name(name, names, count);
    if (nearest) {
        return mr_fail(error, MR_BAD_INPUT, "%s has no input %s; did you mean %s?", node->name, name,
                       nearest);
    }
    char list[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof list; i++) {
        used += mr_text_format(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    return mr_fail(error, MR_BAD_INPUT, "%s has no input %s; it has %s", node->name, name,
                   count ? list : "none");
}

// What a message says of a given value: short, and the number as its author would write it.
static const char *describe(const mr_value *value, char out[96])
{
    char text[MR_NUMBER_TEXT_SIZE];
    switch (value->type) {
    case MR_NUMBER:
        mr_f64_text(value->number, text);
        mr_text_format(out, 96, "%s", text);
        break;
    case MR_INT:
        mr_text_format(out, 96, "%lld", (long long)value->integer);
        break;
    case MR_BOOL:
        return value->boolean ? "true" : "false";
    case MR_TEXT:
    case MR_CHOICE:
        mr_text_format(out, 96, "\"%.60s%s\"", value->text->data, value->text->size > 60 ? "..." : "");
        break;
    case MR_LIST:
        mr_text_format(out, 96, "a List of %zu", value->list->count);
        break;
    default:
        mr_text_format(out, 96, "a %s", mr_type_name(value->type));
        break;
    }
    return out;
}

static bool is_vector(mr_type type)
{
    return type == MR_VEC2 || type == MR_VEC3 || type == MR_VEC4 || type == MR_COLOR;
}

static uint32_t lanes_of(mr_type type)
{
    return type == MR_VEC2 ? 2 : type == MR_VEC3 ? 3 : 4;
}

bool mr_input_takes(const mr_input *input, mr_type from)
{
    mr_type to = input->type;
    if (to == from || to == MR_ANY || from == MR_ANY) {
        return true;
    }
    switch (to) {
    case MR_NUMBER:
    case MR_INT:
        return from == MR_NUMBER || from == MR_INT;
    case MR_TEXT:
    case MR_CHOICE:
        return from == MR_TEXT || from == MR_CHOICE;
    case MR_COLOR:
        return from == MR_VEC3 || from == MR_VEC4 || from == MR_LIST || from == MR_RECORD;
    case MR_VEC2:
    case MR_VEC3:
        return from == MR_LIST || from == MR_RECORD;
    case MR_VEC4:
        return from == MR_COLOR || from == MR_LIST || from == MR_RECORD;
    case MR_LIST:
    case MR_RECORD:
        return from == MR_LIST || from == MR_RECORD; // an empty one is both
    default:
        return false;
    }
}

static mr_range range_of(const mr_input *input)
{
    if (!input->range.bounded && input->unit == MR_FRACTION) {
        return (mr_range){ true, 0, 1 };
    }
    return input->range;
}

// "at least 0 m", "0 to 16", "a whole number from 0 to 4294967295".
static const char *describe_range(const mr_input *input, char out[160])
{
    mr_range range = range_of(input);
    char low[MR_NUMBER_TEXT_SIZE], high[MR_NUMBER_TEXT_SIZE];
    const char *symbol = mr_unit_symbol(input->unit);
    const char *space = *symbol ? " " : "";
    const char *whole = input->type == MR_INT ? "a whole number" : "a finite number";
    mr_f64_text(range.low, low);
    mr_f64_text(range.high, high);
    if (!range.bounded) {
        mr_text_format(out, 160, "%s", whole);
    } else if (range.high == INFINITY) {
        mr_text_format(out, 160, "at least %s%s%s", low, space, symbol);
    } else if (range.low == -INFINITY) {
        mr_text_format(out, 160, "at most %s%s%s", high, space, symbol);
    } else {
        mr_text_format(out, 160, "%s%s to %s%s%s", input->type == MR_INT ? "a whole number from " : "", low,
                       high, space, symbol);
    }
    return out;
}

// node may be a stand-in without a name.
static bool refuse(const mr_node *node, const mr_input *input, const mr_value *given, const char *lane,
                   mr_error *error)
{
    char value[96], range[160];
    const char *symbol = mr_unit_symbol(input->unit);
    return mr_fail(error, MR_BAD_INPUT, "%s%s%s%s is %s%s%s; it must be %s", node->name ? node->name : "",
                   node->name ? ": " : "", input->name, lane, describe(given, value), *symbol ? " " : "",
                   symbol, describe_range(input, range));
}

static bool refuse_type(const mr_node *node, const mr_input *input, const mr_value *given, mr_error *error)
{
    char value[96];
    mr_type type = input->type == MR_CHOICE ? MR_TEXT : input->type;
    const char *name = mr_type_name(type);
    bool vowel = type == MR_INT || type == MR_ANY;
    return mr_fail(error, MR_BAD_INPUT, "%s%s%s is %s; it must be %s %s", node->name ? node->name : "",
                   node->name ? ": " : "", input->name, describe(given, value), vowel ? "an" : "a", name);
}

static bool in_range(const mr_input *input, double number)
{
    mr_range range = range_of(input);
    return number - number == 0 && (!range.bounded || (number >= range.low && number <= range.high));
}

static bool to_number(const mr_value *given, double *number)
{
    if (given->type == MR_NUMBER) {
        *number = given->number;
    } else if (given->type == MR_INT) {
        *number = (double)given->integer;
    }
    return given->type == MR_NUMBER || given->type == MR_INT;
}

static bool check_number(const mr_node *node, const mr_input *input, const mr_value *given, mr_value *checked,
                         mr_error *error)
{
    double number;
    if (!to_number(given, &number)) {
        return refuse_type(node, input, given, error);
    }
    if (!in_range(input, number)) {
        return refuse(node, input, given, "", error);
    }
    *checked = mr_value_number(number);
    return true;
}

static bool check_integer(const mr_node *node, const mr_input *input, const mr_value *given,
                          mr_value *checked, mr_error *error)
{
    double number;
    if (!to_number(given, &number)) {
        return refuse_type(node, input, given, error);
    }
    bool whole =
        given->type == MR_INT || (number >= -0x1p63 && number < 0x1p63 && __builtin_trunc(number) == number);
    if (!whole || !in_range(input, number)) {
        return refuse(node, input, given, "", error);
    }
    *checked = mr_value_integer(given->type == MR_INT ? given->integer : (int64_t)number);
    return true;
}

static bool check_choice(const mr_node *node, const mr_input *input, const mr_value *given, mr_error *error)
{
    const char *names[64];
    char words[512];
    char list[640] = "";
    size_t used = 0, count = 0, length = strlen(input->choices);
    mr_text_format(words, sizeof words, "%s", input->choices);
    for (size_t i = 0; i < length && i < sizeof words - 1; i++) {
        if (words[i] != ' ' && (i == 0 || words[i - 1] == 0) && count < 64) {
            names[count++] = words + i;
        }
        words[i] = words[i] == ' ' ? 0 : words[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (mr_view_is((mr_view){ given->text->data, given->text->size }, names[i])) {
            return true;
        }
        const char *between = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        used += used < sizeof list
                    ? mr_text_format(list + used, sizeof list - used, "%s%s", between, names[i])
                    : 0;
    }
    char value[96];
    const char *nearest = mr_nearest_name(given->text->data, names, count);
    return mr_fail(error, MR_BAD_INPUT, "%s%s%s is %s; it must be %s%s%s%s", node->name ? node->name : "",
                   node->name ? ": " : "", input->name, describe(given, value), list,
                   nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static const char *const lane_names[2][4] = { { "x", "y", "z", "w" }, { "r", "g", "b", "a" } };

// The lanes of a list or record of numbers: how many, or 0 when it is not one.
static uint32_t read_lanes(const mr_value *given, mr_type type, double lanes[4])
{
    uint32_t wanted = lanes_of(type);
    const mr_list *list = given->list;
    if (list->count > wanted) {
        return 0;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const mr_value *item = &list->items[i];
        if (given->type == MR_RECORD) {
            item = mr_record_find(list, lane_names[0][i]);
            if (!item && type == MR_COLOR) {
                item = mr_record_find(list, lane_names[1][i]);
            }
            if (!item && type == MR_VEC2 && i == 1) {
                item = mr_record_find(list, "z"); // a place on the plan
            }
        }
        if (!item || !to_number(item, &lanes[i])) {
            return 0;
        }
    }
    return (uint32_t)list->count;
}

static bool check_vector(const mr_node *node, const mr_input *input, const mr_value *given, mr_value *checked,
                         mr_error *error)
{
    mr_value vector = { .type = input->type };
    uint32_t wanted = lanes_of(input->type);
    uint32_t got = 0;
    if (given->type == MR_LIST || given->type == MR_RECORD) {
        got = read_lanes(given, input->type, vector.vector);
    } else if (is_vector(given->type)) {
        got = lanes_of(given->type);
        memcpy(vector.vector, given->vector, sizeof vector.vector);
    }
    if (input->type == MR_COLOR && got == 3) {
        vector.vector[3] = 1;
        got = 4;
    }
    if (got != wanted) {
        return refuse_type(node, input, given, error);
    }
    for (uint32_t i = 0; i < wanted; i++) {
        if (!in_range(input, vector.vector[i])) {
            char lane[3] = { '.', *lane_names[input->type == MR_COLOR][i], 0 };
            mr_value bad = mr_value_number(vector.vector[i]);
            return refuse(node, input, &bad, lane, error);
        }
    }
    for (uint32_t i = wanted; i < 4; i++) {
        vector.vector[i] = 0;
    }
    *checked = vector;
    return true;
}

// An empty list and an empty record are one thing to whoever wrote {}.
static bool check_container(const mr_node *node, const mr_input *input, const mr_value *given,
                            mr_context *context, mr_value *checked, mr_error *error)
{
    bool other = given->type == (input->type == MR_LIST ? MR_RECORD : MR_LIST);
    if (other && given->list->count == 0) {
        return input->type == MR_LIST ? mr_value_list(context, checked, error)
                                      : mr_value_record(context, checked, error);
    }
    if (given->type != input->type) {
        return refuse_type(node, input, given, error);
    }
    *checked = mr_value_retain(*given);
    return true;
}

bool mr_input_check(const mr_node *node, const mr_input *input, const mr_value *given, mr_context *context,
                    mr_value *checked, mr_error *error)
{
    if (given->type == MR_NONE) {
        return mr_input_default(node, input, context, checked, error);
    }
    switch (input->type) {
    case MR_NUMBER:
        return check_number(node, input, given, checked, error);
    case MR_INT:
        return check_integer(node, input, given, checked, error);
    case MR_TEXT:
    case MR_CHOICE:
        if (given->type != MR_TEXT && given->type != MR_CHOICE) {
            return refuse_type(node, input, given, error);
        }
        if (input->type == MR_CHOICE && !check_choice(node, input, given, error)) {
            return false;
        }
        *checked = mr_value_retain(*given);
        checked->type = MR_TEXT;
        return true;
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR:
        return check_vector(node, input, given, checked, error);
    case MR_LIST:
    case MR_RECORD:
        return check_container(node, input, given, context, checked, error);
    default:
        if (given->type != input->type && input->type != MR_ANY) {
            return refuse_type(node, input, given, error);
        }
        *checked = mr_value_retain(*given);
        return true;
    }
}

bool mr_input_default(const mr_node *node, const mr_input *input, mr_context *context, mr_value *value,
                      mr_error *error)
{
    if (input->flags & MR_REQUIRED) {
        return mr_fail(error, MR_BAD_INPUT, "%s%sinput %s is missing%s%s", node->name ? node->name : "",
                       node->name ? ": " : "", input->name, input->doc ? ": " : "",
                       input->doc ? input->doc : "");
    }
    mr_value answer = { .type = MR_NONE };
    switch (input->type) {
    case MR_NUMBER:
        answer = input->value == input->value ? mr_value_number(input->value) : answer;
        break;
    case MR_INT:
        answer = input->value == input->value ? mr_value_integer((int64_t)input->value) : answer;
        break;
    case MR_BOOL:
        answer = input->value == input->value ? mr_value_boolean(input->value != 0) : answer;
        break;
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR:
        if (input->vector[0] == input->vector[0]) {
            answer.type = input->type;
            memcpy(answer.vector, input->vector, sizeof answer.vector);
        }
        break;
    case MR_TEXT:
    case MR_CHOICE:
        if (input->text && !mr_value_text(context, mr_view_of(input->text), &answer, error)) {
            return false;
        }
        break;
    default:
        break;
    }
    *value = answer;
    return true;
}
