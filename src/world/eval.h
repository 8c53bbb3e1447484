// world/eval.h: the evaluator: expressions to data, fields once, parts with their frames.
//
// One evaluator computes one build of one file, on one thread at a time. It trusts nothing the checker found: every
// operation checks its data, so that a hole in the checker is an error and never a crash.

#ifndef MARRAM_WORLD_EVAL_H
#define MARRAM_WORLD_EVAL_H

#include "graph/program.h"
#include "world/scope.h"

// What the askers of a scatter say of the candidate under way.
typedef struct mr_asked_now {
    const mr_asking *asking;
    mr_run *run;
    mr_written_rule *rule;
    struct mr_rule_run *rule_run;
    uint32_t lane; // MR_NO_INDEX: no candidate yet (as the rule begins)
    bool draws;
} mr_asked_now;

typedef enum mr_progress_state { MR_NOT_BEGUN, MR_UNDER_WAY, MR_DONE } mr_progress_state;

// A field's value in one layer of one part.
typedef struct mr_slot {
    uint8_t state;
    bool tainted; // derives from a scatter
    bool has_value;
    const mr_expr *expr; // given by a user of the design, in scope
    const mr_scope *scope;
    mr_place place; // of what was given
    mr_datum value; // given, or computed
} mr_slot;

typedef struct mr_statement {
    const mr_decl *decl;
    const mr_scope *scope;
} mr_statement;

// What one line of a body made.
typedef struct mr_group {
    uint8_t state;
    bool tainted;
    MR_ARRAY(mr_instance *) instances;
    MR_ARRAY(mr_statement) statements;
} mr_group;

// One declaration's share of a part: the part's own, then its design's, then that design's design's.
struct mr_layer {
    mr_shape *shape;
    mr_instance *instance;
    mr_scope scope;
    mr_slot *slots;
    mr_group *groups;
};

enum { MR_LAYERS_MAX = 16, MR_PARTS_DEEPEST = 48 };

typedef struct mr_part_frame {
    float at[3];
    float turn[4]; // quaternion x y z w
    float scale[3];
} mr_part_frame;

struct mr_instance {
    mr_instance *parent;
    mr_layer *layers[MR_LAYERS_MAX];
    uint32_t layer_count;
    uint32_t depth;
    uint8_t opened;
    uint8_t framed;
    bool tainted;        // its header derives from a scatter
    mr_datum key;        // NONE: no index
    mr_datum content;    // what stands behind the last design's colon
    mr_part_frame frame; // in the parent's
    const char *path;
    mr_instance *next; // all of the evaluator
};

typedef struct mr_trail { // what is being computed, for the way round
    const char *what;     // "", "clearance of "
    const mr_instance *part;
    mr_view name;
} mr_trail;

typedef struct mr_world_limits {
    uint64_t elements; // of one list, of one each
    uint32_t depth;    // of nested evaluation
    uint64_t steps;    // of evaluation, 0: no limit
} mr_world_limits;

struct mr_evaluator {
    mr_context *context;
    const mr_file *file;
    const char *folder;
    const mr_graph_loader *loader;
    mr_shapes *shapes;
    mr_error *error;
    mr_world_limits limits;

    mr_arena main;    // lives as long as the evaluator
    mr_arena scratch; // one candidate's data; emptied between candidates
    mr_arena *arena;
    size_t scratch_used;

    mr_instance *root;
    mr_instance *instances;
    uint32_t depth;
    uint64_t steps;
    const mr_asked_now *asked;
    mr_view subject;               // the field or option under way, for messages
    bool tainted;                  // something read since it was cleared derives from a scatter
    bool collecting;               // clearances are being gathered: what derives from a scatter is left out
    bool walk_only;                // compile nothing: for tests that hold both ways against each other
    bool derived;                  // ... and the failure under way is that
    const mr_builtin **builtin_of; // by expr id: names that mean a builtin
    MR_ARRAY(mr_trail) trail;
    MR_ARRAY(mr_value *) values; // what must be let go at the end
    MR_ARRAY(mr_land *) lands;
    MR_ARRAY(mr_spine *) spines;
    MR_ARRAY(mr_run *) runs;
    mr_node_set nodes;            // that had a part in what was evaluated
    struct mr_clear_zones *zones; // clearances and footprints of the world's parts, once gathered
    uint8_t zones_state;
    mr_diagnostics *diagnostics; // for warnings
};

bool mr_evaluator_create(mr_context *context, mr_shapes *shapes, const mr_file *file, const char *folder,
                         const mr_graph_loader *loader, mr_world_limits limits, mr_diagnostics *diagnostics,
                         mr_evaluator **evaluator, mr_error *error);
void mr_evaluator_destroy(mr_evaluator *evaluator);

// An evaluator of a world that has no errors; error must outlive it. NULL with an error.
struct mr_world_source;
mr_evaluator *mr_world_evaluator(struct mr_world_source *world, mr_error *error);

// Memory of the arena under way; NULL after filling the error.
void *mr_evaluator_take(mr_evaluator *evaluator, size_t size);
// Fills the error, with the place and the field or option under way, unless one is there. Answers false.
bool mr_evaluator_fail(mr_evaluator *evaluator, mr_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool mr_evaluator_fail_with(mr_evaluator *evaluator, mr_status status, mr_place place, const char *hint,
                            const char *format, ...) __attribute__((format(printf, 5, 6)));
// Adds place and subject to an error that a lower floor filled. Answers false.
bool mr_evaluator_failed_at(mr_evaluator *evaluator, mr_place place);
// The same of a graph's error, which keeps its own line; the hint says what called it. Answers false.
bool mr_evaluator_graph_failed(mr_evaluator *evaluator, mr_place place);

// An expression's value; want (or NULL) says what is asked for, and is only used to read bare names as choices.
bool mr_evaluate(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *expr,
                 const mr_world_type *want, mr_datum *answer);
// The same, made into what is asked for, or an error.
bool mr_evaluate_as(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *expr,
                    const mr_world_type *want, mr_datum *answer);
bool mr_coerce(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *expr, const mr_world_type *want,
               mr_datum *datum);
bool mr_evaluate_operator(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *expr, mr_datum a,
                          mr_datum b, mr_datum *answer);
bool mr_evaluate_call(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *expr,
                      const mr_world_type *want, mr_datum *answer);
bool mr_evaluate_member(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *expr, mr_datum of,
                        mr_datum *answer);
bool mr_evaluate_asked(mr_evaluator *evaluator, const mr_found *found, const mr_expr *expr, mr_datum *answer);
// Whether a value holds as a condition.
bool mr_evaluate_condition(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *expr, bool *holds);
// Calls a function with data.
bool mr_call_closure(mr_evaluator *evaluator, const mr_closure *closure, const mr_datum *values, size_t count,
                     mr_place place, mr_datum *answer);
// Node calls: family.name(...), and a graph's program.
bool mr_call_node(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *call,
                  const struct mr_node *node, mr_datum *answer);
bool mr_call_program(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *call,
                     const mr_graph_program *program, mr_datum *answer);
bool mr_evaluate_literal_is_zero(const mr_expr *expr);

// A written type: or_value answers NULL for what is a value (wrong tells an error from that); written makes it an error.
const mr_world_type *mr_type_or_value(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *expr,
                                      bool *wrong);
const mr_world_type *mr_type_written(mr_evaluator *evaluator, const mr_scope *scope, const mr_expr *expr);

// Making data in the arena under way.
bool mr_make_text(mr_evaluator *evaluator, mr_view text, mr_datum_kind kind, mr_datum *answer);
mr_sequence *mr_make_sequence(mr_evaluator *evaluator, size_t count, bool names);
bool mr_make_spot(mr_evaluator *evaluator, float x, float y, float z, const mr_land_datum *land,
                  mr_datum *answer);
bool mr_make_spot_on(mr_evaluator *evaluator, const mr_land_datum *land, float x, float z, mr_datum *answer);
bool mr_make_data(mr_evaluator *evaluator, mr_value value, mr_datum *answer); // takes the value
bool mr_make_land(mr_evaluator *evaluator, mr_land *land, mr_datum *answer);  // takes the reference
bool mr_make_spine(mr_evaluator *evaluator, mr_spine *spine, mr_datum *answer);
bool mr_make_spine_of(mr_evaluator *evaluator, mr_spine *spine, const mr_land_datum *land,
                      mr_datum *answer); // borrowed

// The land that spots stand on: the scatter's over:, else what the name `land` finds. NULL with an error.
const mr_land_datum *mr_land_at(mr_evaluator *evaluator, const mr_scope *scope, mr_place place);
// x and z of a place on the plan (a spot or a tuple of two or three lengths).
bool mr_plan_of(mr_datum datum, float *x, float *z);

// One name in front of a scope; NULL after filling the error.
const mr_scope *mr_scope_cell(mr_evaluator *evaluator, const mr_scope *outer, mr_view name, mr_datum value);
// A pattern of one name or several over a value; number is the value's place in its list.
bool mr_bind_pattern(mr_evaluator *evaluator, const mr_scope *outer, const mr_param *pattern, size_t count,
                     bool tuple, bool numbered, int64_t number, mr_datum value, mr_place place,
                     const mr_scope **scope);
// The elements of what each and list questions go through: a list, a range of whole numbers.
bool mr_elements_of(mr_evaluator *evaluator, mr_datum datum, mr_place place, size_t *count);
mr_datum mr_element_at(mr_datum datum, size_t index);

// Parts.
bool mr_field_value(mr_evaluator *evaluator, mr_layer *layer, mr_member *member, mr_datum *answer);
bool mr_member_value(mr_evaluator *evaluator, const mr_scope *scope, mr_member *member, mr_place place,
                     mr_datum *answer);
bool mr_part_member(mr_evaluator *evaluator, mr_instance *part, mr_view name, mr_place place, bool *found,
                    mr_datum *answer);
mr_instance *mr_instance_make(mr_evaluator *evaluator, mr_instance *parent, mr_shape *shape,
                              const mr_scope *outer, mr_datum key);
// A design on its own, for a population's variant.
mr_instance *mr_instance_of_design(mr_evaluator *evaluator, mr_shape *shape, const mr_design *given);
bool mr_instance_open(mr_evaluator *evaluator, mr_instance *part);
bool mr_instance_group(mr_evaluator *evaluator, mr_layer *layer, size_t group);
bool mr_instance_frame(mr_evaluator *evaluator, mr_instance *part);
// An option of the nearest layer that states it; found is false where none does.
bool mr_instance_option(mr_evaluator *evaluator, mr_instance *part, const char *name,
                        const mr_world_type *want, bool *found, mr_datum *answer, mr_place *place);
// A point in the part's frame to the world, and back to its parent's.
void mr_instance_to_world(const mr_instance *part, const float point[3], float out[3]);
bool mr_part_option_is(mr_view name);
const char *mr_instance_path(mr_evaluator *evaluator, mr_instance *part);

void mr_instances_destroy(mr_evaluator *evaluator);
// What a placed datum is: its item, the land and the kind of its run.
const mr_item *mr_run_item(mr_datum placed);
const mr_land_datum *mr_run_land(const mr_run *run);
// scatter(...): runs the rules; the answer is the list of what was placed.
bool mr_population_run(mr_evaluator *evaluator, mr_call *call, mr_datum *answer);

#endif
