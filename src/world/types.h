// world/types.h: the types a checker works out and an author may write.

#ifndef MARRAM_WORLD_TYPES_H
#define MARRAM_WORLD_TYPES_H

#include "world/datum.h"

typedef enum mr_of {
    MR_OF_ANY,    // not known: everything goes
    MR_OF_BROKEN, // an error was reported: say no more
    MR_OF_NONE,
    MR_OF_BOOL,
    MR_OF_INT,
    MR_OF_NUMBER,
    MR_OF_TEXT,
    MR_OF_CHOICE,
    MR_OF_TUPLE,
    MR_OF_RECORD,
    MR_OF_LIST,
    MR_OF_RANGE,
    MR_OF_FUNCTION,
    MR_OF_SPOT,
    MR_OF_DESIGN,
    MR_OF_PART,
    MR_OF_PLACED,
    MR_OF_SPINE,
    MR_OF_LAND,
    MR_OF_STREAM,
    MR_OF_RULE,
    MR_OF_MAKER,
    MR_OF_OUTLINE,
    MR_OF_DISC,
    MR_OF_DATA,
    MR_OF_MATERIAL,
    MR_OF_CAMERA,
    MR_OF_SUN,
    MR_OF_LIGHT,
    MR_OF_SPACE,
    MR_OF_COUNT
} mr_of;

typedef struct mr_world_type mr_world_type;
struct mr_world_type {
    mr_of of;
    const char *name;             // as an author writes it, where it has one
    mr_dimension dimension;       // NUMBER
    bool any_dimension;           // NUMBER asked for: a quantity of any dimension
    bool plain_metres;            // NUMBER asked for: a plain number is metres
    bool fraction;                // NUMBER: 0..1
    bool seed;                    // INT: 0..4294967295
    bool layer;                   // NUMBER: a land's layer, which may stand as a condition
    bool color;                   // TUPLE asked for: three or four plain numbers
    mr_type data;                 // DATA: which, or MR_NONE for any
    const mr_world_type *element; // LIST, RANGE; NULL: any
    size_t count;                 // TUPLE, RECORD, CHOICE
    const mr_world_type *const *items;
    const mr_view *names;  // RECORD, CHOICE
    const mr_decl *decl;   // RECORD: the declared one; FUNCTION: a declared fn or record
    const mr_expr *expr;   // FUNCTION: a lambda
    const mr_scope *scope; // FUNCTION: where decl or expr stand
    const mr_builtin *builtin;
    const struct mr_node *node;
    const struct mr_graph_program *program;
    const mr_world_type *self;   // FUNCTION: what builtin is a question of
    const mr_world_type *answer; // FUNCTION asked for, or known only by its answer
    mr_shape *shape;             // DESIGN, PART
    const mr_world_type *spines; // LAND: a RECORD of them, or NULL
    float reach;                 // LAND: how far its distances go, where that is written; else 0
    bool family;                 // LIST of a part family: indexed by what its members are numbered
    bool from_scatter;           // LIST
};

extern const mr_world_type mr_type_any, mr_type_broken, mr_type_none, mr_type_bool, mr_type_int,
    mr_type_number, mr_type_text, mr_type_length, mr_type_angle, mr_type_time, mr_type_mass, mr_type_fraction,
    mr_type_seed, mr_type_vec2, mr_type_vec3, mr_type_color, mr_type_spot, mr_type_range,
    mr_type_length_range, mr_type_design, mr_type_part, mr_type_spine, mr_type_land, mr_type_stream,
    mr_type_rule, mr_type_placed, mr_type_raster, mr_type_geometry, mr_type_data, mr_type_material,
    mr_type_maker, mr_type_outline, mr_type_disc, mr_type_camera, mr_type_sun, mr_type_light,
    mr_type_quantity, mr_type_layer, mr_type_function, mr_type_list, mr_type_placed_list, mr_type_disc_list,
    mr_type_spot_list, mr_type_rule_list, mr_type_plain_metres, mr_type_slope, mr_type_heading,
    mr_type_record, mr_type_range_or_number, mr_type_choice, mr_type_space;

// The type an author's name stands for ("meters"), or NULL.
const mr_world_type *mr_type_named(mr_view name);
const char *const *mr_type_names(size_t *count);
// "meters", "a whole number", "a list of spots", "one of a b c": for messages.
void mr_type_describe(const mr_world_type *type, char *out, size_t size);

// Reads what may be a type. VALUE: it is none (a field's value may stand there); WRONG: a List of what is no type.
typedef enum mr_type_reading {
    MR_READ_TYPE,
    MR_READ_VALUE,
    MR_READ_WRONG,
    MR_READ_NO_MEMORY
} mr_type_reading;
mr_type_reading mr_type_read(mr_arena *arena, const mr_scope *scope, const mr_file *file, const mr_expr *expr,
                             const mr_world_type **type);
// What to say of an expression that is no type.
void mr_type_unknown(const mr_expr *expr, char message[MR_MESSAGE_SIZE], char hint[MR_HINT_SIZE]);
// The place of a name among "a b c", or -1.
int mr_choice_place(const char *choices, mr_view name);

#endif
