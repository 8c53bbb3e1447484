#include "world/datum.h"

#include "base/number_text.h"

const mr_dimension mr_dimension_none = { 0 };
const mr_dimension mr_dimension_length = { .length = 1 };
const mr_dimension mr_dimension_angle = { .angle = 1 };
const mr_dimension mr_dimension_time = { .time = 1 };
const mr_dimension mr_dimension_mass = { .mass = 1 };

enum { GREATEST_EXPONENT = 9 };

bool mr_dimension_equal(mr_dimension a, mr_dimension b)
{
    return a.length == b.length && a.angle == b.angle && a.time == b.time && a.mass == b.mass;
}

bool mr_dimension_plain(mr_dimension dimension)
{
    return mr_dimension_equal(dimension, mr_dimension_none);
}

static bool combine_one(int8_t a, int8_t b, int sign, int8_t *answer)
{
    int sum = a + sign * b;
    *answer = (int8_t)sum;
    return sum >= -GREATEST_EXPONENT && sum <= GREATEST_EXPONENT;
}

bool mr_dimension_combine(mr_dimension a, mr_dimension b, int sign, mr_dimension *answer)
{
    return combine_one(a.length, b.length, sign, &answer->length) &&
           combine_one(a.angle, b.angle, sign, &answer->angle) &&
           combine_one(a.time, b.time, sign, &answer->time) &&
           combine_one(a.mass, b.mass, sign, &answer->mass);
}

static const struct {
    mr_dimension dimension;
    const char *name;
    const char *unit;
} named_dimensions[] = {
    { { 0 }, "a number", "" },
    { { .length = 1 }, "meters", "m" },
    { { .angle = 1 }, "degrees", "deg" },
    { { .time = 1 }, "seconds", "s" },
    { { .mass = 1 }, "kilograms", "kg" },
};

void mr_dimension_name(mr_dimension dimension, char out[48])
{
    for (size_t i = 0; i < sizeof named_dimensions / sizeof *named_dimensions; i++) {
        if (mr_dimension_equal(dimension, named_dimensions[i].dimension)) {
            mr_text_format(out, 48, "%s", named_dimensions[i].name);
            return;
        }
    }
    const struct {
        const char *symbol;
        int8_t exponent;
    } parts[] = { { "m", dimension.length },
                  { "rad", dimension.angle },
                  { "kg", dimension.mass },
                  { "s", dimension.time } };
    size_t size = 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (size_t i = 0; i < 4; i++) {
            int exponent = parts[i].exponent * sign;
            if (exponent <= 0) {
                continue;
            }
            const char *before = sign < 0 ? (size ? "/" : "1/") : size ? " " : "";
            size += mr_text_format(out + size, 48 - size, exponent > 1 ? "%s%s^%d" : "%s%s", before,
                                   parts[i].symbol, exponent);
        }
    }
}

const char *mr_dimension_unit(mr_dimension dimension)
{
    for (size_t i = 0; i < sizeof named_dimensions / sizeof *named_dimensions; i++) {
        if (mr_dimension_equal(dimension, named_dimensions[i].dimension)) {
            return named_dimensions[i].unit;
        }
    }
    return "";
}

mr_datum mr_datum_none(void)
{
    return (mr_datum){ .kind = MR_DATUM_NONE };
}

mr_datum mr_datum_boolean(bool boolean)
{
    return (mr_datum){ .kind = MR_DATUM_BOOL, .boolean = boolean };
}

mr_datum mr_datum_integer(int64_t integer)
{
    return (mr_datum){ .kind = MR_DATUM_INT, .integer = integer };
}

mr_datum mr_datum_number(float number, mr_dimension dimension)
{
    return (mr_datum){ .kind = MR_DATUM_NUMBER, .dimension = dimension, .number = number };
}

mr_datum mr_datum_plain(float number)
{
    return mr_datum_number(number, mr_dimension_none);
}

mr_datum mr_datum_metres(float number)
{
    return mr_datum_number(number, mr_dimension_length);
}

bool mr_datum_is_numeric(mr_datum datum)
{
    return datum.kind == MR_DATUM_INT || datum.kind == MR_DATUM_NUMBER;
}

float mr_datum_as_number(mr_datum datum)
{
    return datum.kind == MR_DATUM_INT ? (float)datum.integer : datum.number;
}

mr_dimension mr_datum_dimension(mr_datum datum)
{
    return datum.kind == MR_DATUM_NUMBER ? datum.dimension : mr_dimension_none;
}

static bool sequences_equal(const mr_sequence *a, const mr_sequence *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        if ((a->names && !mr_view_equal(a->names[i], b->names[i])) ||
            !mr_datum_equal(a->items[i], b->items[i])) {
            return false;
        }
    }
    return true;
}

bool mr_datum_equal(mr_datum a, mr_datum b)
{
    if (mr_datum_is_numeric(a) && mr_datum_is_numeric(b)) {
        if (a.kind == MR_DATUM_INT && b.kind == MR_DATUM_INT) {
            return a.integer == b.integer;
        }
        return mr_datum_as_number(a) == mr_datum_as_number(b);
    }
    if (a.kind != b.kind) {
        return false;
    }
    switch (a.kind) {
    case MR_DATUM_NONE:
        return true;
    case MR_DATUM_BOOL:
        return a.boolean == b.boolean;
    case MR_DATUM_TEXT:
    case MR_DATUM_CHOICE:
    case MR_DATUM_SPACE:
        return mr_view_equal(*a.text, *b.text);
    case MR_DATUM_TUPLE:
    case MR_DATUM_RECORD:
    case MR_DATUM_LIST:
        return sequences_equal(a.sequence, b.sequence);
    case MR_DATUM_RANGE:
        return a.range->to == b.range->to && mr_datum_equal(a.range->low, b.range->low) &&
               mr_datum_equal(a.range->high, b.range->high);
    case MR_DATUM_SPOT:
        return a.spot->x == b.spot->x && a.spot->y == b.spot->y && a.spot->z == b.spot->z;
    case MR_DATUM_DESIGN:
        return a.design->shape == b.design->shape && a.design->count == 0 && b.design->count == 0;
    case MR_DATUM_PLACED:
        return a.run == b.run && a.index == b.index;
    default:
        return a.part == b.part;
    }
}

static const char *const kind_names[MR_DATUM_KIND_COUNT] = {
    [MR_DATUM_NONE] = "none",
    [MR_DATUM_BOOL] = "true or false",
    [MR_DATUM_INT] = "a whole number",
    [MR_DATUM_NUMBER] = "a number",
    [MR_DATUM_TEXT] = "a text",
    [MR_DATUM_CHOICE] = "a choice",
    [MR_DATUM_TUPLE] = "a tuple",
    [MR_DATUM_RECORD] = "a record",
    [MR_DATUM_LIST] = "a list",
    [MR_DATUM_RANGE] = "a range",
    [MR_DATUM_FUNCTION] = "a function",
    [MR_DATUM_SPOT] = "a spot",
    [MR_DATUM_DESIGN] = "a design",
    [MR_DATUM_PART] = "a part",
    [MR_DATUM_PLACED] = "a placed thing",
    [MR_DATUM_SPINE] = "a spine",
    [MR_DATUM_LAND] = "a land",
    [MR_DATUM_STREAM] = "a stream",
    [MR_DATUM_RULE] = "a rule",
    [MR_DATUM_MAKER] = "a candidate maker",
    [MR_DATUM_OUTLINE] = "an outline",
    [MR_DATUM_DISC] = "a disc",
    [MR_DATUM_DATA] = "a node's answer",
    [MR_DATUM_MATERIAL] = "a material",
    [MR_DATUM_CAMERA] = "a camera",
    [MR_DATUM_SUN] = "a sun",
    [MR_DATUM_LIGHT] = "a light",
    [MR_DATUM_SPACE] = "a package",
};

void mr_datum_describe(mr_datum datum, char *out, size_t size)
{
    char name[48];
    switch (datum.kind) {
    case MR_DATUM_NUMBER:
        mr_dimension_name(datum.dimension, name);
        mr_text_format(out, size, "%s", name);
        break;
    case MR_DATUM_LIST:
    case MR_DATUM_TUPLE:
        mr_text_format(out, size, "%s of %zu", kind_names[datum.kind], datum.sequence->count);
        break;
    case MR_DATUM_DATA:
        switch (datum.data->type) {
        case MR_RASTER:
            mr_text_format(out, size, "a raster");
            break;
        case MR_GEOMETRY:
            mr_text_format(out, size, "a geometry");
            break;
        default:
            mr_text_format(out, size, "a %s", mr_type_name(datum.data->type));
        }
        break;
    default:
        mr_text_format(out, size, "%s", kind_names[datum.kind]);
    }
}

bool mr_datum_text(mr_datum datum, char *out, size_t size)
{
    char number[MR_NUMBER_TEXT_SIZE];
    switch (datum.kind) {
    case MR_DATUM_NONE:
        mr_text_format(out, size, "none");
        return true;
    case MR_DATUM_BOOL:
        mr_text_format(out, size, "%s", datum.boolean ? "true" : "false");
        return true;
    case MR_DATUM_INT:
        mr_text_format(out, size, "%lld", (long long)datum.integer);
        return true;
    case MR_DATUM_NUMBER:
        mr_f32_text(datum.number, number);
        mr_text_format(out, size, "%s", number);
        return true;
    case MR_DATUM_TEXT:
    case MR_DATUM_CHOICE:
        mr_text_format(out, size, "%.*s", MR_VIEW_ARGS(*datum.text));
        return true;
    default:
        return false;
    }
}
