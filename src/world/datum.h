// world/datum.h: what an expression of a world comes to.
//
// A datum is 16 bytes and never changed once made. What it points to lives in an arena of the evaluation that made it,
// or (data, lands, spines) is kept alive by the evaluation until it ends.

#ifndef MARRAM_WORLD_DATUM_H
#define MARRAM_WORLD_DATUM_H

#include "data/value.h"
#include "scene/land.h"
#include "world/ast.h"
#include "world/scatter.h"

typedef enum mr_datum_kind {
    MR_DATUM_NONE,
    MR_DATUM_BOOL,
    MR_DATUM_INT,
    MR_DATUM_NUMBER, // f32 with a dimension
    MR_DATUM_TEXT,
    MR_DATUM_CHOICE, // a bare name where a choice was asked for
    MR_DATUM_TUPLE,
    MR_DATUM_RECORD,
    MR_DATUM_LIST,
    MR_DATUM_RANGE,
    MR_DATUM_FUNCTION,
    MR_DATUM_SPOT,
    MR_DATUM_DESIGN,
    MR_DATUM_PART,
    MR_DATUM_PLACED,
    MR_DATUM_SPINE,
    MR_DATUM_LAND,
    MR_DATUM_STREAM,
    MR_DATUM_RULE,
    MR_DATUM_MAKER,
    MR_DATUM_OUTLINE,
    MR_DATUM_DISC, // a circle on the plan, as discsAlongSpine makes them
    MR_DATUM_DATA, // a node's answer: geometry, raster, texture, column
    MR_DATUM_MATERIAL,
    MR_DATUM_CAMERA,
    MR_DATUM_SUN,
    MR_DATUM_LIGHT,
    MR_DATUM_SPACE, // a package or node family by its name
    MR_DATUM_KIND_COUNT
} mr_datum_kind;

typedef struct mr_scope mr_scope;
typedef struct mr_shape mr_shape;
typedef struct mr_instance mr_instance;
typedef struct mr_builtin mr_builtin;
typedef struct mr_run mr_run;
typedef struct mr_sequence mr_sequence;
typedef struct mr_interval mr_interval;
typedef struct mr_closure mr_closure;
typedef struct mr_spot mr_spot;
typedef struct mr_design mr_design;
typedef struct mr_written_rule mr_written_rule;
typedef struct mr_written_maker mr_written_maker;
typedef struct mr_written_material mr_written_material;
struct mr_node;
struct mr_graph_program;

typedef struct mr_datum {
    uint8_t kind;
    bool layer; // NUMBER: a land's layer answered it, and it may stand as a condition (from 0.5 up)
    union {
        mr_dimension dimension; // NUMBER
        uint32_t index;         // PLACED: the item's number in its run
    };
    union {
        bool boolean;
        int64_t integer;
        float number;
        const mr_view *text; // TEXT, CHOICE, SPACE
        const mr_sequence *sequence;
        const mr_interval *range;
        const mr_closure *function;
        const mr_spot *spot;
        const mr_design *design;
        mr_instance *part;
        mr_run *run; // PLACED
        const struct mr_spine_datum *spine;
        const struct mr_land_datum *land;
        const mr_scatter_stream *stream;
        mr_written_rule *rule;
        const mr_written_maker *maker;
        const mr_outline *outline;
        const mr_scatter_disc *disc;
        const mr_value *data;
        const mr_written_material *material;
        const mr_camera *camera;
        const mr_sun *sun;
        const mr_light *light;
    };
} mr_datum;

struct mr_sequence { // TUPLE, RECORD, LIST
    size_t count;
    const mr_datum *items;
    const mr_view *names;  // RECORD
    const mr_datum *keys;  // LIST of a part family: the members' indices
    mr_run *run;           // LIST: the scatter that answered it
    const mr_decl *record; // RECORD made by a declared record
};

struct mr_interval { // whole ends are ints, others numbers of one dimension
    mr_datum low, high;
    bool to; // ..=
};

typedef struct mr_land_datum {
    mr_land *land;
    const char *path; // of the part that is it, or NULL
} mr_land_datum;

typedef struct mr_spine_datum {
    mr_spine *spine;
    const mr_land_datum *land; // the land it was asked of, or NULL
} mr_spine_datum;

struct mr_spot { // a point on the land, in world coordinates
    float x, y, z;
    const mr_land_datum *land; // or NULL: y as it was given
};

typedef enum mr_closure_kind {
    MR_CLOSURE_LAMBDA,   // expr in scope
    MR_CLOSURE_DECL,     // a declared fn in scope
    MR_CLOSURE_RECORD,   // a record's constructor
    MR_CLOSURE_BUILTIN,  // builtin, with self where it is a question of something
    MR_CLOSURE_QUESTION, // name, a land's layer or spine distance; self the land
    MR_CLOSURE_NODE,
    MR_CLOSURE_PROGRAM, // a graph's
    MR_CLOSURE_PACKAGE  // name: of a later package
} mr_closure_kind;

struct mr_closure {
    mr_closure_kind kind;
    const mr_expr *expr;
    const mr_decl *decl;
    const mr_scope *scope;
    const mr_builtin *builtin;
    const struct mr_node *node;
    const struct mr_graph_program *program;
    mr_view name;
    mr_datum self;
};

struct mr_design {
    mr_shape *shape;
    size_t count; // fields given by its call
    const mr_view *names;
    const mr_datum *values;
    const mr_place *places;
};

struct mr_written_material {
    const char *name;
    float base_color[4];
    float metallic, roughness;
    float emissive[3];
    bool double_sided;
};

extern const mr_dimension mr_dimension_none, mr_dimension_length, mr_dimension_angle, mr_dimension_time,
    mr_dimension_mass;
bool mr_dimension_equal(mr_dimension a, mr_dimension b);
bool mr_dimension_plain(mr_dimension dimension);
// a + sign * b, false when an exponent leaves -9..9.
bool mr_dimension_combine(mr_dimension a, mr_dimension b, int sign, mr_dimension *answer);
// "meters", "degrees", "m/s^2", "a number".
void mr_dimension_name(mr_dimension dimension, char out[48]);
// The unit a plain number of it would be written in ("m", "deg", "s", "kg"), or "".
const char *mr_dimension_unit(mr_dimension dimension);

mr_datum mr_datum_none(void);
mr_datum mr_datum_boolean(bool boolean);
mr_datum mr_datum_integer(int64_t integer);
mr_datum mr_datum_number(float number, mr_dimension dimension);
mr_datum mr_datum_plain(float number);
mr_datum mr_datum_metres(float number);

bool mr_datum_is_numeric(mr_datum datum); // INT or NUMBER
float mr_datum_as_number(mr_datum datum); // of a numeric one
mr_dimension mr_datum_dimension(mr_datum datum);
bool mr_datum_equal(mr_datum a, mr_datum b); // by content
// "meters", "a whole number", "a list of 4": for messages.
void mr_datum_describe(mr_datum datum, char *out, size_t size);
// As text(v) writes it; false when it has no text.
bool mr_datum_text(mr_datum datum, char *out, size_t size);

#endif
