// world/scatter_run.h: what the scatter's files share: the run under way.

#ifndef MARRAM_WORLD_SCATTER_RUN_H
#define MARRAM_WORLD_SCATTER_RUN_H

#include "base/context.h"
#include "world/scatter.h"
#include "world/scatter_discs.h"

// A footprint with its frame worked out.
typedef struct mr_frame {
    const mr_scatter_footprint *footprint;
    float cosine, sine;
    float x0, x1, z0, z1; // scaled
} mr_frame;

typedef struct mr_scatter_state {
    mr_context *context;
    const mr_scatter *scatter;
    mr_arena *arena;
    mr_item *items; // a pooled buffer
    size_t item_count, item_capacity;
    mr_stream *streams;
    uint64_t *group_counts;
    mr_frame *frames;
    mr_disc_index clearances;
    mr_disc_index keep_clear;
    mr_disc_index placed; // the rooms of what blocks
    mr_rule_report *reports;
    // the rule under way
    const mr_scatter_rule *rule;
    uint32_t rule_number;
    mr_rule_report *report;
    mr_candidates candidates;
    size_t earlier_count;
    char *keys; // where the next key goes
    size_t key_room;
} mr_scatter_state;

// The stream the rule under way draws from, or NULL.
mr_stream *mr_scatter_stream_of(mr_scatter_state *state);
mr_asking mr_scatter_asking(mr_scatter_state *state);
bool mr_scatter_full(const mr_scatter_state *state); // the rule under way is at a cap

// One number for one candidate; an absent asker answers `without`.
bool mr_scatter_ask(mr_scatter_state *state, const mr_asker *asker, uint32_t lane, double without,
                    double *answer, mr_error *error);

// Candidate arrays for the rule under way: x z y k, and those the maker asks for.
enum { MR_WITH_ALONG = 1, MR_WITH_THING = 2 };
bool mr_candidates_take(mr_scatter_state *state, size_t count, uint32_t with, mr_error *error);
bool mr_candidates_grow(mr_scatter_state *state, size_t count, mr_error *error);
void mr_candidates_release(mr_scatter_state *state);

// A gathering maker: all candidates, keep, given, order; then placing.
bool mr_scatter_gather(mr_scatter_state *state, mr_error *error);
// A stepwise one.
bool mr_scatter_step(mr_scatter_state *state, mr_error *error);
// Both go along a spine alike: `taken` is called at each candidate where the maker is stepwise, else NULL.
typedef bool (*mr_candidate_taken)(mr_scatter_state *state, uint32_t lane, mr_error *error);
bool mr_scatter_walk_spine(mr_scatter_state *state, mr_candidate_taken taken, mr_error *error);
bool mr_scatter_grid_size(mr_scatter_state *state, size_t *columns, size_t *rows, mr_error *error);
void mr_scatter_grid_spot(const mr_maker *maker, size_t column, size_t row, float ux, float uz, float *x,
                          float *z);

// keep, given, then place: one candidate of a stepwise maker.
bool mr_scatter_try(mr_scatter_state *state, uint32_t lane, mr_error *error);
// Candidates' numbers that are still in the running, in their order.
typedef struct mr_lanes {
    uint32_t *items;
    size_t count;
} mr_lanes;

// Asks one asker of many lanes; one that does not draw, on all cores. Answers go by candidate, or by place among the lanes.
bool mr_scatter_ask_many(mr_scatter_state *state, const mr_asker *asker, const mr_lanes *asked,
                         float *by_lane, double *in_order, mr_error *error);
// Puts the lanes in order, least first, stably. The orders are used up.
bool mr_scatter_sort(mr_scatter_state *state, mr_lanes *kept, double *orders, mr_error *error);
bool mr_scatter_place_all(mr_scatter_state *state, const mr_lanes *kept, mr_error *error);

// Size, radii, the tests and, when clear, the kind and its copy. asked_rooms: candidates.size, spacing and test hold the answers
// and this the rooms, asked many at once; NULL: each is asked now.
bool mr_scatter_place(mr_scatter_state *state, uint32_t lane, const float *asked_rooms, mr_error *error);
// What a candidate fell at.
typedef enum mr_fall {
    MR_FALL_NONE,
    MR_FALL_FOOTPRINT,
    MR_FALL_CLEARANCE,
    MR_FALL_KEEP_CLEAR,
    MR_FALL_BLOCKED
} mr_fall;
// A candidate as its tests read it, and what of them can be known before its turn: `test` is the test circle's radius; less
// than 0, the number of the mr_fall it will fall at; NaN where one of its radii is bad.
typedef struct mr_waiting {
    float x, z, test;
    uint32_t lane;
} mr_waiting;
mr_waiting mr_scatter_line_up(const mr_scatter_state *state, uint32_t lane, const float *asked_rooms);
bool mr_scatter_place_waiting(mr_scatter_state *state, const mr_waiting *one, const float *asked_rooms,
                              mr_error *error);
const char *mr_scatter_key(mr_scatter_state *state, uint32_t lane);
bool mr_scatter_fail_at(mr_scatter_state *state, uint32_t lane, mr_error *error, const char *what,
                        double value);

#endif
