// world/population.h: a scatter of the language: what its rules say, and what came of them.

#ifndef MARRAM_WORLD_POPULATION_H
#define MARRAM_WORLD_POPULATION_H

#include "world/eval.h"

// The parameters of rule(...), in the order of its table. The deferred ones come first, in the order in which an option
// may read those before it.
typedef enum mr_rule_option {
    MR_RULE_CANDIDATES,
    MR_RULE_KEEP,
    MR_RULE_GIVEN,
    MR_RULE_ORDER,
    MR_RULE_SPACING,
    MR_RULE_SIZE,
    MR_RULE_TEST,
    MR_RULE_ROOM,
    MR_RULE_PLACE,
    MR_RULE_AT_MOST,
    MR_RULE_CAP_GROUP,
    MR_RULE_BLOCKS,
    MR_RULE_COTTAGE_MARGIN,
    MR_RULE_MARGIN,
    MR_RULE_DRAWS,
    MR_RULE_NAME,
    MR_RULE_OPTION_COUNT
} mr_rule_option;

struct mr_written_rule {
    mr_call call;
    mr_view name; // empty: none yet
    mr_place place;
};

struct mr_written_maker {
    mr_call call;
};

// How a deferred option's answers become numbers.
typedef enum mr_answer_kind {
    MR_ANSWER_NUMBER,
    MR_ANSWER_LENGTH, // a plain number is metres
    MR_ANSWER_ANGLE,
    MR_ANSWER_WHOLE,
    MR_ANSWER_CONDITION,
    MR_ANSWER_QUANTITY, // of any dimension
    MR_ANSWER_GIVEN     // a number of any dimension or a condition: which, the rule remembers
} mr_answer_kind;

typedef struct mr_rule_run mr_rule_run;

// One deferred option: an expression asked for each candidate.
typedef struct mr_deferred {
    mr_evaluator *evaluator;
    mr_rule_run *rule;
    const mr_scope *scope;
    const mr_expr *const *exprs; // conditions that must all hold, in order; else one
    size_t expr_count;
    mr_answer_kind kind;
    mr_view option;
    bool scoped;    // place options: a let stands in front of the leaf, so its scope is the pick's
    int32_t leaf;   // place options: in the scope of this leaf, as the pick left it
    uint32_t given; // MR_ANSWER_GIVEN: which
} mr_deferred;

// One kind's call in a place option.
typedef struct mr_leaf {
    const mr_expr *expr;
    const mr_scope *scope; // where the last pick found it
    uint32_t first_choice;
    uint32_t choice_count; // more than one: the kind is not known beforehand
} mr_leaf;

struct mr_rule_run {
    mr_run *run;
    mr_written_rule *written;
    const mr_scope *scopes[MR_RULE_OPTION_COUNT]; // where each deferred option is read
    mr_asked_names names[MR_RULE_OPTION_COUNT];
    mr_view given_names[MR_GIVEN_MAX];
    const mr_expr *given_exprs[MR_GIVEN_MAX];
    uint32_t given_count;
    mr_datum given_like[MR_GIVEN_MAX]; // kind and dimension of its answers
    MR_ARRAY(mr_leaf) leaves;
    const mr_written_maker *maker;
    const mr_sequence *earlier; // placedEarlier, once made
    size_t earlier_count;
    MR_ARRAY(float) spots;
    MR_ARRAY(uint32_t) things;
    mr_scatter_rule rule;
};

struct mr_run {
    mr_evaluator *evaluator;
    mr_place place;
    const mr_land_datum *land;
    mr_rule_run *rules;
    size_t rule_count;
    MR_ARRAY(mr_shape *) kinds;
    MR_ARRAY(const char *) kind_names;
    MR_ARRAY(mr_scatter_stream) streams;
    MR_ARRAY(mr_view) groups;
    MR_ARRAY(uint64_t) group_caps;
    MR_ARRAY(struct mr_program *) programs;
    mr_arena arena;
    mr_scatter_rule *scatter_rules;
    const mr_item *items; // so far, then all
    size_t item_count;
    mr_scatter_result result;
    mr_instance *owner; // the part whose field holds the answer, and the field; NULL: nobody yet
    mr_view field;
    bool written;        // to the scene
    uint32_t population; // its number there
};

void mr_run_destroy(mr_run *run);
void mr_rule_set_name(mr_written_rule *rule, mr_view name);
void mr_run_set_owner(mr_evaluator *evaluator, mr_run *run, mr_instance *owner, mr_view field);
bool mr_run_kind(mr_evaluator *evaluator, mr_datum placed, mr_datum *answer);
mr_view mr_run_rule_name(mr_datum placed);
bool mr_run_group_name(mr_evaluator *evaluator, mr_datum placed, mr_datum *answer);
// A kind's number in the run, made when new; UINT32_MAX: no memory.
uint32_t mr_run_kind_number(mr_run *run, mr_shape *shape);
int32_t mr_run_stream_number(mr_run *run, mr_scatter_stream stream);

// Fills a scatter rule from what was written. scopes of its deferred options are made here.
bool mr_rule_prepare(mr_evaluator *evaluator, mr_run *run, mr_rule_run *rule, bool seeded, uint32_t seed);
// The maker a rule's candidates are, or none: then they are a list.
bool mr_maker_prepare(mr_evaluator *evaluator, mr_rule_run *rule);
bool mr_place_prepare(mr_evaluator *evaluator, mr_rule_run *rule);
bool mr_deferred_asker(mr_evaluator *evaluator, mr_deferred deferred, mr_asker *asker);
bool mr_keep_askers(mr_evaluator *evaluator, mr_deferred deferred, const mr_expr *const *exprs, size_t first,
                    size_t count, mr_asker *keep_first, mr_asker *keep_then);
// Bits of mr_asked that an option of a rule with these options may read.
uint32_t mr_rule_readable(mr_rule_option option, const mr_argument *const given[MR_PARAM_MAX]);
// Whether an expression, where it stands, draws from a stream.
bool mr_expr_draws(const mr_expr *expr);

// Evaluates under a candidate (or, lane MR_NO_INDEX, as the rule begins).
typedef struct mr_asked_frame {
    mr_asked_now now;
    const mr_asked_now *asked;
    mr_arena *arena;
    mr_view subject;
    mr_error *error;
} mr_asked_frame;
void mr_asked_begin(mr_evaluator *evaluator, mr_rule_run *rule, const mr_asking *asking, uint32_t lane,
                    mr_arena *arena, mr_view option, mr_error *error, mr_asked_frame *frame);
void mr_asked_end(mr_evaluator *evaluator, const mr_asked_frame *frame);
// The stream a draw takes its number from: the rule's, or the one described. NULL with an error.
mr_stream *mr_asked_stream(mr_evaluator *evaluator, const mr_scope *scope, mr_place place,
                           const mr_scatter_stream *described, const char *what);

// What the parts of the world keep clear, gathered once.
typedef struct mr_clear_zones {
    MR_ARRAY(mr_scatter_disc) discs;
    MR_ARRAY(mr_scatter_footprint) footprints;
} mr_clear_zones;
bool mr_zones_gather(mr_evaluator *evaluator);
void mr_zones_destroy(mr_evaluator *evaluator);

#endif
