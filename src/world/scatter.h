// world/scatter.h: the ordered scatter as data: rules tried in turn over a land, each clear of what stands.
//
// The engine knows nothing of the language. What an author wrote as an expression arrives as an mr_asker, which answers
// one number a candidate; the order of draws is that of the language's section 6 to the bit.

#ifndef MARRAM_WORLD_SCATTER_H
#define MARRAM_WORLD_SCATTER_H

#include "data/scene.h"
#include "num/stream.h"
#include "scene/land.h"

enum { MR_GIVEN_MAX = 16, MR_CHOICE_MAX = 32 };

// The candidates of the rule under way, one entry each in every array that is not NULL.
typedef struct mr_candidates {
    size_t count;
    float *x, *z;    // the spot
    float *y;        // the land's height there
    int64_t *k;      // its number: in the list, the ring, the step, the try; row-major cell number of a grid
    float *along;    // spine makers
    float *side;     // spine makers: -1 left, +1 right
    uint32_t *thing; // ring makers: the placed item it rings
    size_t columns;  // grid makers: cell (k % columns, k / columns); else 0
    float *size;     // where the rule states a size
    float *spacing;  // asked before test and room
    float *test;
    float *given[MR_GIVEN_MAX];
} mr_candidates;

// What an asker may read. Lanes are candidates' numbers. stream is NULL where the rule draws nothing.
typedef struct mr_asking {
    mr_context *context;
    const mr_candidates *candidates;
    const mr_item *items; // all placed so far, by this rule too
    size_t item_count;
    size_t earlier_count; // those placed when the rule began (placedEarlier)
    mr_stream *stream;
    uint64_t *draws;    // counts the numbers drawn
    mr_stream *streams; // all of the scatter's, as they stand: draws from one by its name
    size_t stream_count;
} mr_asking;

// Answers one number a lane: lanes[0..count-1], or begin..begin+count-1 where lanes is NULL. An asker that does not
// draw may be asked from many threads and in any order; one that draws is asked in candidate order, lane by lane.
typedef struct mr_asker {
    void *self; // NULL ask: absent
    bool draws;
    bool (*ask)(void *self, const mr_asking *asking, const uint32_t *lanes, size_t begin, size_t count,
                double *answers, mr_error *error);
} mr_asker;

typedef enum mr_maker_kind {
    MR_MAKE_LIST,
    MR_MAKE_GRID,
    MR_MAKE_SPINE,
    MR_MAKE_POINTS,
    MR_MAKE_RINGS
} mr_maker_kind;
typedef enum mr_sides {
    MR_BOTH_SIDES,
    MR_ALTERNATING_SIDES,
    MR_RANDOM_SIDE,
    MR_LEFT_SIDE,
    MR_RIGHT_SIDE
} mr_sides;
typedef enum mr_outline_kind { MR_OUTLINE_RECT, MR_OUTLINE_DISC, MR_OUTLINE_POLYGON } mr_outline_kind;

typedef struct mr_outline {
    mr_outline_kind kind;
    float x0, x1, z0, z1; // the box (all kinds)
    float cx, cz, radius; // disc
    const float *points;  // polygon: x, z each; even-odd, an edge's lower end included
    size_t point_count;
} mr_outline;

typedef struct mr_maker {
    mr_maker_kind kind;
    bool as_taken; // a gathering maker gone through candidate by candidate
    // list: the spots are asked once as the rule begins (draws and all): fills x, z pairs into an array of its own
    void *self;
    bool (*list)(void *self, const mr_asking *asking, const float **spots, size_t *count, mr_error *error);
    float cell, x0, x1, z0, z1; // grid
    const mr_spine *spine;      // spine
    mr_sides sides;
    float from, to;
    mr_asker step, across;
    mr_outline outline; // points
    uint64_t tries;
    // rings: the things, item numbers, asked once as the rule begins; or fixed spots (things_are_spots)
    bool (*things)(void *self, const mr_asking *asking, const uint32_t **items, size_t *count,
                   mr_error *error);
    bool things_are_spots;                // then `list` answers them and a ring's y-turns are about those
    mr_asker ring_count, distance, angle; // an absent angle is drawn: u * 2 pi
} mr_maker;

// One kind a rule may place, and how its copies stand. Absent: variant 0, turn drawn (0 without a stream), the rule's
// size or 1, sink 0, the land's height.
typedef struct mr_choice {
    uint32_t kind;
    mr_asker variant, turn, size, sink, height;
    // the draws among them are made in the order variant, turn, size, sink, height, whatever their written order
} mr_choice;

typedef struct mr_scatter_rule {
    const char *name;
    int32_t stream; // place in mr_scatter.streams, or -1: draws nothing
    mr_maker maker;
    // keep is keep_first && keep_then: the draw-free beginning of the condition, and the rest. Either may be absent.
    mr_asker keep_first, keep_then;
    mr_asker given[MR_GIVEN_MAX]; // asked once a candidate after keep, in order
    uint32_t given_count;
    mr_asker order; // candidates are taken least first, stably
    mr_asker size, spacing, test, room;
    bool test_none;
    mr_asker pick; // which choice; absent: the first
    mr_choice choices[MR_CHOICE_MAX];
    uint32_t choice_count;
    uint64_t at_most;       // UINT64_MAX: no cap
    int32_t group;          // place in mr_scatter.groups, or -1
    uint64_t group_at_most; // this rule's own for the group, or UINT64_MAX: the group's
    bool blocks;            // later rules keep clear of what it places
    bool has_margin;
    float margin; // from footprints, in place of the part's clearance
} mr_scatter_rule;

typedef struct mr_scatter_disc {
    float x, z, radius;
    const char *part; // for reports
} mr_scatter_disc;

// A footprint's rectangle in its part's frame, and the frame: plan place, turn about +y, scale.
typedef struct mr_scatter_footprint {
    float x0, x1, z0, z1;
    float at_x, at_z, turn, scale;
    float clearance;
    const char *part;
} mr_scatter_footprint;

typedef struct mr_scatter_stream {
    uint32_t seed, salt;
} mr_scatter_stream;

typedef struct mr_scatter {
    const mr_land *land;
    const mr_scatter_rule *rules;
    size_t rule_count;
    const mr_scatter_stream *streams; // each started afresh; rules that name one share its state
    size_t stream_count;
    const uint64_t *group_caps; // UINT64_MAX: none
    size_t group_count;
    const mr_scatter_disc *clearances; // of parts
    size_t clearance_count;
    const mr_scatter_disc *keep_clear;
    size_t keep_clear_count;
    const mr_scatter_footprint *footprints;
    size_t footprint_count;
} mr_scatter;

typedef struct mr_scatter_result {
    mr_item *items; // keys in the arena handed in
    size_t item_count;
    mr_rule_report *reports; // one a rule
    uint32_t *stream_states; // one a stream, after the last rule
} mr_scatter_result;

// Runs the scatter. Items, reports and keys live in `arena`. Errors: a negative or NaN radius (names rule and
// candidate), an asker's own error, limits, cancellation.
bool mr_scatter_run(mr_context *context, const mr_scatter *scatter, mr_arena *arena,
                    mr_scatter_result *result, mr_error *error);

#endif
