// graph/node.h: a node's descriptor, which says everything a user can know about it, and what its cook is handed.

#ifndef MARRAM_GRAPH_NODE_H
#define MARRAM_GRAPH_NODE_H

#include "base/context.h"
#include "data/value.h"

#include <math.h>

typedef enum mr_unit {
    MR_UNITLESS,
    MR_METRES,
    MR_DEGREES, // a world's angle arrives in degrees
    MR_RADIANS,
    MR_SECONDS,
    MR_KILOGRAMS,
    MR_FRACTION, // 0..1, checked
} mr_unit;
const char *mr_unit_symbol(mr_unit unit); // "m", "deg", ...

enum { MR_REQUIRED = 1, MR_PLAIN_METRES = 2 /* a world may give a plain number, in metres */ };
enum { MR_MAX_INPUTS = 24, MR_MAX_OUTPUTS = 8 };

typedef struct mr_range {
    bool bounded;
    double low, high; // inclusive
} mr_range;
#define MR_WITHIN(from, to) .range = { true, (from), (to) }
#define MR_AT_LEAST(from) .range = { true, (from), INFINITY }
#define MR_ANY_SEED .range = { true, 0, 4294967295.0 }

typedef struct mr_input {
    const char *name;
    mr_type type;
    uint32_t flags;
    mr_unit unit;
    mr_range range;      // of Number, Int and each component of a vector
    double value;        // the default of Number, Int, Bool; NAN: none, and what is left out is not given
    double vector[4];    // the default of Vec2..Color; NAN first: none
    const char *text;    // the default of Text and Choice; NULL: none
    const char *choices; // "replace add max min"
    const char *doc;
} mr_input;

typedef struct mr_output {
    const char *name;
    mr_type type;
    const char *doc;
} mr_output;

typedef struct mr_cook mr_cook;

typedef struct mr_node {
    const char *name; // "terrain.fbm"
    uint32_t version; // goes up whenever the answer for the same inputs changes
    const char *summary;
    const char *source;                // papers, pages
    mr_input inputs[MR_MAX_INPUTS];    // ended by a NULL name
    mr_output outputs[MR_MAX_OUTPUTS]; // ended by a NULL name
    const char *example;               // a line of Lua that runs, or NULL
    // How many cells (raster nodes) past a cell its answer reads; UINT32_MAX: the whole field. NULL: 0.
    uint32_t (*reach)(const mr_cook *cook);
    // Reads cook->inputs (borrowed, already checked and defaulted, in the descriptor's order) and fills cook->outputs.
    bool (*cook)(mr_cook *cook, mr_error *error);
    // For nodes that read the disk: a digest of what would be read, part of the cache key. NULL: pure.
    bool (*pulls)(mr_cook *cook, mr_digester *digester, mr_error *error);
} mr_node;

struct mr_cook {
    mr_context *context;
    const mr_node *node;
    const mr_value *inputs;
    mr_value *outputs;
    // An input nobody else will read again may be taken over and written in place: then its value here is moved out.
    mr_value *owned;    // owned[i].type != MR_NONE: this cook owns a reference to input i beside inputs[i]
    const char *folder; // the world's folder, for nodes that read files
};

// Inputs by name; the name must be the descriptor's (a wrong one is a broken invariant). Casts are done already.
double mr_cook_number(const mr_cook *cook, const char *name);
int64_t mr_cook_integer(const mr_cook *cook, const char *name);
uint32_t mr_cook_seed(const mr_cook *cook, const char *name);
bool mr_cook_boolean(const mr_cook *cook, const char *name);
const char *mr_cook_text(const mr_cook *cook, const char *name);
uint32_t mr_cook_choice(const mr_cook *cook, const char *name); // the place among the choices
const double *mr_cook_vector(const mr_cook *cook, const char *name);
bool mr_cook_given(const mr_cook *cook, const char *name); // not left out (optional inputs without a default)
const mr_raster *mr_cook_raster(const mr_cook *cook, const char *name);
const mr_geometry *mr_cook_geometry(const mr_cook *cook, const char *name);
const mr_texture *mr_cook_texture(const mr_cook *cook, const char *name);
const mr_list *mr_cook_list(const mr_cook *cook, const char *name);
// The raster input as one that may be written: taken over when nobody else needs it, else copied (layers shared).
mr_raster *mr_cook_take_raster(mr_cook *cook, const char *name, mr_error *error);
void mr_cook_set_raster(mr_cook *cook, const char *output, mr_raster *raster);       // takes the reference
void mr_cook_set_geometry(mr_cook *cook, const char *output, mr_geometry *geometry); // takes the reference
void mr_cook_set(mr_cook *cook, const char *output, mr_value value);                 // takes the reference

// Casts one given value to an input's type and checks range and choice. The message names node and input ("terrain.cone:
// radius is -4 m; it must be at least 0"). Int from a whole Number; Vec2 from a list or record of two numbers, and so on.
// Seeds and other Ints past their range say the range.
bool mr_input_check(const mr_node *node, const mr_input *input, const mr_value *given, mr_context *context,
                    mr_value *checked, mr_error *error);

// The default of an input that was left out: MR_NONE where it has none. Fails when the input is required.
bool mr_input_default(const mr_node *node, const mr_input *input, mr_context *context, mr_value *value,
                      mr_error *error);
// Whether an output of type `from` can be wired to an input: of its type, or of one that mr_input_check casts.
bool mr_input_takes(const mr_input *input, mr_type from);
// The input of that name, or an error that offers the nearest.
bool mr_input_find(const mr_node *node, const char *name, uint32_t *place, mr_error *error);
uint32_t mr_node_input_count(const mr_node *node);
uint32_t mr_node_output_count(const mr_node *node);

// The registry: generated by the build, sorted by name, read-only.
extern const mr_node *const mr_node_table[];
size_t mr_node_count(void);
const mr_node *mr_node_at(size_t index);
const mr_node *mr_node_find(const char *name);
// A message with the nearest name: "no node is called terrain.fmb; did you mean terrain.fbm?".
bool mr_node_unknown(const char *name, mr_error *error);

#endif
