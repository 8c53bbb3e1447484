#include "world/types.h"

#define LENGTH                                                                                               \
    {                                                                                                        \
        .length = 1                                                                                          \
    }
#define PLAIN                                                                                                \
    {                                                                                                        \
        0                                                                                                    \
    }

static const mr_world_type *const two_numbers[] = { &mr_type_number, &mr_type_number };
static const mr_world_type *const three_numbers[] = { &mr_type_number, &mr_type_number, &mr_type_number };

const mr_world_type mr_type_any = { .of = MR_OF_ANY, .name = "any" };
const mr_world_type mr_type_broken = { .of = MR_OF_BROKEN };
const mr_world_type mr_type_none = { .of = MR_OF_NONE };
const mr_world_type mr_type_bool = { .of = MR_OF_BOOL, .name = "bool" };
const mr_world_type mr_type_int = { .of = MR_OF_INT, .name = "int" };
const mr_world_type mr_type_number = { .of = MR_OF_NUMBER, .name = "number" };
const mr_world_type mr_type_text = { .of = MR_OF_TEXT, .name = "text" };
const mr_world_type mr_type_length = { .of = MR_OF_NUMBER, .name = "meters", .dimension = LENGTH };
const mr_world_type mr_type_angle = { .of = MR_OF_NUMBER, .name = "degrees", .dimension = { .angle = 1 } };
const mr_world_type mr_type_time = { .of = MR_OF_NUMBER, .name = "seconds", .dimension = { .time = 1 } };
const mr_world_type mr_type_mass = { .of = MR_OF_NUMBER, .name = "kilograms", .dimension = { .mass = 1 } };
const mr_world_type mr_type_fraction = { .of = MR_OF_NUMBER, .name = "fraction", .fraction = true };
const mr_world_type mr_type_seed = { .of = MR_OF_INT, .name = "seed", .seed = true };
const mr_world_type mr_type_vec2 = { .of = MR_OF_TUPLE, .name = "vec2", .count = 2, .items = two_numbers };
const mr_world_type mr_type_vec3 = { .of = MR_OF_TUPLE, .name = "vec3", .count = 3, .items = three_numbers };
const mr_world_type mr_type_color = {
    .of = MR_OF_TUPLE, .name = "color", .color = true, .count = 3, .items = three_numbers
};
const mr_world_type mr_type_spot = { .of = MR_OF_SPOT, .name = "spot" };
const mr_world_type mr_type_range = { .of = MR_OF_RANGE, .name = "range" };
const mr_world_type mr_type_length_range = { .of = MR_OF_RANGE, .element = &mr_type_length };
const mr_world_type mr_type_design = { .of = MR_OF_DESIGN, .name = "design" };
const mr_world_type mr_type_part = { .of = MR_OF_PART, .name = "part" };
const mr_world_type mr_type_spine = { .of = MR_OF_SPINE, .name = "spine" };
const mr_world_type mr_type_land = { .of = MR_OF_LAND, .name = "land" };
const mr_world_type mr_type_stream = { .of = MR_OF_STREAM, .name = "stream" };
const mr_world_type mr_type_rule = { .of = MR_OF_RULE, .name = "rule" };
const mr_world_type mr_type_placed = { .of = MR_OF_PLACED, .name = "placed" };
const mr_world_type mr_type_raster = { .of = MR_OF_DATA, .name = "raster", .data = MR_RASTER };
const mr_world_type mr_type_geometry = { .of = MR_OF_DATA, .name = "geometry", .data = MR_GEOMETRY };
const mr_world_type mr_type_data = { .of = MR_OF_DATA };
const mr_world_type mr_type_material = { .of = MR_OF_MATERIAL, .name = "material" };
const mr_world_type mr_type_maker = { .of = MR_OF_MAKER };
const mr_world_type mr_type_outline = { .of = MR_OF_OUTLINE };
const mr_world_type mr_type_disc = { .of = MR_OF_DISC };
const mr_world_type mr_type_camera = { .of = MR_OF_CAMERA };
const mr_world_type mr_type_sun = { .of = MR_OF_SUN };
const mr_world_type mr_type_light = { .of = MR_OF_LIGHT };
const mr_world_type mr_type_quantity = { .of = MR_OF_NUMBER, .any_dimension = true };
const mr_world_type mr_type_layer = { .of = MR_OF_NUMBER, .layer = true };
const mr_world_type mr_type_function = { .of = MR_OF_FUNCTION };
const mr_world_type mr_type_list = { .of = MR_OF_LIST };
const mr_world_type mr_type_placed_list = { .of = MR_OF_LIST, .element = &mr_type_placed };
const mr_world_type mr_type_disc_list = { .of = MR_OF_LIST, .element = &mr_type_disc };
const mr_world_type mr_type_spot_list = { .of = MR_OF_LIST, .element = &mr_type_spot };
const mr_world_type mr_type_rule_list = { .of = MR_OF_LIST, .element = &mr_type_rule };
const mr_world_type mr_type_plain_metres = { .of = MR_OF_NUMBER, .dimension = LENGTH, .plain_metres = true };
const mr_world_type mr_type_slope = { .of = MR_OF_NUMBER };
const mr_world_type mr_type_heading = { .of = MR_OF_TUPLE, .count = 2, .items = two_numbers };
const mr_world_type mr_type_record = { .of = MR_OF_RECORD };
const mr_world_type mr_type_range_or_number = { .of = MR_OF_NUMBER, .any_dimension = true };
const mr_world_type mr_type_choice = { .of = MR_OF_CHOICE };
const mr_world_type mr_type_space = { .of = MR_OF_SPACE };

static const mr_world_type *const written[] = {
    &mr_type_number,   &mr_type_int,  &mr_type_bool,   &mr_type_text,   &mr_type_length,   &mr_type_angle,
    &mr_type_time,     &mr_type_mass, &mr_type_vec2,   &mr_type_vec3,   &mr_type_spot,     &mr_type_color,
    &mr_type_range,    &mr_type_seed, &mr_type_design, &mr_type_part,   &mr_type_spine,    &mr_type_land,
    &mr_type_stream,   &mr_type_rule, &mr_type_placed, &mr_type_raster, &mr_type_geometry, &mr_type_material,
    &mr_type_fraction, &mr_type_any,
};
enum { WRITTEN = sizeof written / sizeof *written };

const mr_world_type *mr_type_named(mr_view name)
{
    for (size_t i = 0; i < WRITTEN; i++) {
        if (mr_view_is(name, written[i]->name)) {
            return written[i];
        }
    }
    return NULL;
}

static const char *const written_names[] = {
    "number", "int",  "bool",   "text",   "meters",   "degrees",  "seconds",  "kilograms", "vec2",
    "vec3",   "spot", "color",  "range",  "seed",     "design",   "part",     "spine",     "land",
    "stream", "rule", "placed", "raster", "geometry", "material", "fraction", "List"
};

const char *const *mr_type_names(size_t *count)
{
    *count = sizeof written_names / sizeof *written_names;
    return written_names;
}

static const char *const plain_names[MR_OF_COUNT] = {
    [MR_OF_ANY] = "anything",
    [MR_OF_BROKEN] = "anything",
    [MR_OF_NONE] = "none",
    [MR_OF_BOOL] = "true or false",
    [MR_OF_INT] = "a whole number",
    [MR_OF_NUMBER] = "a number",
    [MR_OF_TEXT] = "a text",
    [MR_OF_CHOICE] = "a choice",
    [MR_OF_TUPLE] = "a tuple",
    [MR_OF_RECORD] = "a record",
    [MR_OF_LIST] = "a list",
    [MR_OF_RANGE] = "a range",
    [MR_OF_FUNCTION] = "a function",
    [MR_OF_SPOT] = "a spot",
    [MR_OF_DESIGN] = "a design",
    [MR_OF_PART] = "a part",
    [MR_OF_PLACED] = "a placed thing",
    [MR_OF_SPINE] = "a spine",
    [MR_OF_LAND] = "a land",
    [MR_OF_STREAM] = "a stream",
    [MR_OF_RULE] = "a rule",
    [MR_OF_MAKER] = "a candidate maker",
    [MR_OF_OUTLINE] = "an outline",
    [MR_OF_DISC] = "a disc",
    [MR_OF_DATA] = "a node's answer",
    [MR_OF_MATERIAL] = "a material",
    [MR_OF_CAMERA] = "a camera",
    [MR_OF_SUN] = "a sun",
    [MR_OF_LIGHT] = "a light",
    [MR_OF_SPACE] = "a package",
};

void mr_type_describe(const mr_world_type *type, char *out, size_t size)
{
    switch (type->of) {
    case MR_OF_INT:
        mr_text_format(out, size, "%s", type->seed ? "a seed" : "a whole number");
        break;
    case MR_OF_NUMBER:
        if (type->any_dimension) {
            mr_text_format(out, size, "a number or a quantity");
        } else if (type->fraction) {
            mr_text_format(out, size, "a fraction");
        } else {
            char name[48];
            mr_dimension_name(type->dimension, name);
            mr_text_format(out, size, "%s", name);
        }
        break;
    case MR_OF_CHOICE: {
        size_t used = mr_text_format(out, size, "one of");
        for (size_t i = 0; i < type->count && used < size; i++) {
            used += mr_text_format(out + used, size - used, " %.*s", MR_VIEW_ARGS(type->names[i]));
        }
        break;
    }
    case MR_OF_TUPLE:
        if (type->color) {
            mr_text_format(out, size, "a color");
        } else {
            mr_text_format(out, size, "a tuple of %zu", type->count);
        }
        break;
    case MR_OF_RECORD:
        if (type->decl) {
            mr_text_format(out, size, "a %.*s", MR_VIEW_ARGS(type->decl->path[0]));
        } else {
            mr_text_format(out, size, "a record");
        }
        break;
    case MR_OF_LIST:
        if (type->element && type->element->of > MR_OF_BROKEN) {
            char element[160];
            mr_type_describe(type->element, element, sizeof element);
            mr_text_format(out, size, "a list of %s", element);
        } else {
            mr_text_format(out, size, "a list");
        }
        break;
    case MR_OF_RANGE:
        if (type->element && type->element->of == MR_OF_NUMBER) {
            char element[160];
            mr_type_describe(type->element, element, sizeof element);
            mr_text_format(out, size, "a range of %s", element);
        } else {
            mr_text_format(out, size, "a range");
        }
        break;
    case MR_OF_DATA:
        if (type->data == MR_RASTER || type->data == MR_GEOMETRY) {
            mr_text_format(out, size, "a %s", type->name);
        } else if (type->data == MR_NONE) {
            mr_text_format(out, size, "a node's answer");
        } else {
            mr_text_format(out, size, "a %s", mr_type_name(type->data));
        }
        break;
    default:
        mr_text_format(out, size, "%s", plain_names[type->of]);
    }
}
