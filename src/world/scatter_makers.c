// world/scatter_makers.c: the table of candidates, and the makers that fill it.

#include "world/scatter_run.h"

#include <math.h>

enum { MOST_CANDIDATES = 1000000000 };

typedef struct array_of {
    size_t offset; // of the pointer in mr_candidates
    size_t size;   // of an element
    uint32_t with; // 0: always there
} array_of;

static const array_of arrays[] = {
    { offsetof(mr_candidates, x), sizeof(float), 0 },
    { offsetof(mr_candidates, z), sizeof(float), 0 },
    { offsetof(mr_candidates, y), sizeof(float), 0 },
    { offsetof(mr_candidates, k), sizeof(int64_t), 0 },
    { offsetof(mr_candidates, along), sizeof(float), MR_WITH_ALONG },
    { offsetof(mr_candidates, side), sizeof(float), MR_WITH_ALONG },
    { offsetof(mr_candidates, thing), sizeof(uint32_t), MR_WITH_THING },

};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static void **array_at(mr_candidates *table, size_t offset)
{
    return (void **)((char *)table + offset);
}

// Replaces one array by a longer one that begins with what the old held.
static bool lengthen(mr_scatter_state *state, void **array, size_t old_count, size_t count, size_t size,
                     mr_error *error)
{
    void *longer = mr_buffer_take(state->context, count * size, error);
    if (!longer) {
        return false;
    }
    if (*array) {
        memcpy(longer, *array, old_count * size);
        mr_buffer_release(state->context, *array);
    }
    *array = longer;
    return true;
}

// The arrays of the rule's own options, beside those of the maker.
static bool lengthen_asked(mr_scatter_state *state, size_t old_count, size_t count, mr_error *error)
{
    mr_candidates *table = &state->candidates;
    const mr_scatter_rule *rule = state->rule;
    struct {
        bool wanted;
        float **array;
    } asked[] = { { rule->size.ask, &table->size },
                  { rule->spacing.ask, &table->spacing },
                  { rule->test.ask, &table->test } };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        if (asked[i].wanted &&
            !lengthen(state, (void **)asked[i].array, old_count, count, sizeof(float), error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < rule->given_count; i++) {
        if (!lengthen(state, (void **)&table->given[i], old_count, count, sizeof(float), error)) {
            return false;
        }
    }
    return true;
}

static bool lengthen_all(mr_scatter_state *state, size_t old_count, size_t count, uint32_t with,
                         mr_error *error)
{
    if (count > MOST_CANDIDATES) {
        return mr_fail(error, MR_LIMIT, "rule %s has %zu candidates; a rule tries at most %d",
                       state->rule->name, count, MOST_CANDIDATES);
    }
    for (int i = 0; i < ARRAYS; i++) {
        bool wanted = arrays[i].with == 0 || (arrays[i].with & with);
        if (wanted && !lengthen(state, array_at(&state->candidates, arrays[i].offset), old_count, count,
                                arrays[i].size, error)) {
            return false;
        }
    }
    return lengthen_asked(state, old_count, count, error);
}

bool mr_candidates_take(mr_scatter_state *state, size_t count, uint32_t with, mr_error *error)
{
    if (!lengthen_all(state, 0, count > 0 ? count : 1, with, error)) {
        return false;
    }
    state->candidates.count = count;
    return true;
}

bool mr_candidates_grow(mr_scatter_state *state, size_t count, mr_error *error)
{
    const mr_candidates *table = &state->candidates;
    uint32_t with = (table->along ? MR_WITH_ALONG : 0u) | (table->thing ? MR_WITH_THING : 0u);
    return lengthen_all(state, table->count, count, with, error);
}

void mr_candidates_release(mr_scatter_state *state)
{
    mr_candidates *table = &state->candidates;
    for (int i = 0; i < ARRAYS; i++) {
        mr_buffer_release(state->context, *array_at(table, arrays[i].offset));
    }
    mr_buffer_release(state->context, table->size);
    mr_buffer_release(state->context, table->spacing);
    mr_buffer_release(state->context, table->test);
    for (int i = 0; i < MR_GIVEN_MAX; i++) {
        mr_buffer_release(state->context, table->given[i]);
    }
    memset(table, 0, sizeof *table);
}

// How many squares of `cell` begin below the end: start + i * cell in f32.
static size_t squares(float start, float end, float cell)
{
    double guess = ((double)end - (double)start) / (double)cell;
    if (!(guess > 0)) {
        return 0;
    }
    if (guess > MOST_CANDIDATES) {
        return (size_t)MOST_CANDIDATES + 1;
    }
    size_t count = (size_t)guess;
    while (count > 0 && !(start + (float)(count - 1) * cell < end)) {
        count--;
    }
    while (count <= MOST_CANDIDATES && start + (float)count * cell < end) {
        count++;
    }
    return count;
}

bool mr_scatter_grid_size(mr_scatter_state *state, size_t *columns, size_t *rows, mr_error *error)
{
    const mr_maker *maker = &state->rule->maker;
    if (!(maker->cell > 0) || !isfinite(maker->cell)) {
        return mr_fail(error, MR_BAD_INPUT, "rule %s: the grid's cell is %g m; it must be more than 0",
                       state->rule->name, (double)maker->cell);
    }
    if (!isfinite(maker->x0) || !isfinite(maker->x1) || !isfinite(maker->z0) || !isfinite(maker->z1)) {
        return mr_fail(error, MR_BAD_INPUT, "rule %s: the grid spans %g ..< %g m by %g ..< %g m",
                       state->rule->name, (double)maker->x0, (double)maker->x1, (double)maker->z0,
                       (double)maker->z1);
    }
    *columns = squares(maker->x0, maker->x1, maker->cell);
    *rows = squares(maker->z0, maker->z1, maker->cell);
    if ((double)*columns * (double)*rows > MOST_CANDIDATES) {
        mr_fail(error, MR_LIMIT,
                "rule %s: a grid of %zu x %zu squares has %g candidates; a rule tries at most %d",
                state->rule->name, *columns, *rows, (double)*columns * (double)*rows, MOST_CANDIDATES);
        return mr_hint(error, "make the cell wider or the ranges shorter");
    }
    return true;
}

void mr_scatter_grid_spot(const mr_maker *maker, size_t column, size_t row, float ux, float uz, float *x,
                          float *z)
{
    *x = maker->x0 + (float)column * maker->cell + maker->cell * ux;
    *z = maker->z0 + (float)row * maker->cell + maker->cell * uz;
}

// One step of the spine: its side or sides, each spot, then the next along.
static bool spine_candidate(mr_scatter_state *state, size_t step, float along, float side, uint32_t *lane,
                            mr_candidate_taken taken, mr_error *error)
{
    const mr_maker *maker = &state->rule->maker;
    mr_candidates *table = &state->candidates;
    if (taken) {
        table->count = 0; // one entry is enough: nothing is kept
    }
    // Room for a power of two entries, so that growing is rare.
    size_t count = table->count;
    if (!taken && count > 0 && (count & (count - 1)) == 0 && count >= 64 &&
        !mr_candidates_grow(state, 2 * count, error)) {
        return false;
    }
    *lane = (uint32_t)count;
    table->count = count + 1;
    table->along[count] = along;
    table->side[count] = side;
    table->k[count] = (int64_t)step;
    mr_spine_at(maker->spine, along, 0, &table->x[count], &table->z[count]);
    table->y[count] = mr_land_height(state->scatter->land, table->x[count], table->z[count]);
    double across;
    if (!mr_scatter_ask(state, &maker->across, *lane, 0, &across, error)) {
        return false;
    }
    if (!isfinite(across)) {
        return mr_scatter_fail_at(state, *lane, error, "across", across);
    }
    mr_spine_at(maker->spine, along, side * (float)across, &table->x[count], &table->z[count]);
    table->y[count] = mr_land_height(state->scatter->land, table->x[count], table->z[count]);
    return !taken || taken(state, *lane, error);
}

static float side_of(mr_scatter_state *state, size_t step)
{
    switch (state->rule->maker.sides) {
    case MR_RANDOM_SIDE: {
        mr_stream *stream = mr_scatter_stream_of(state);
        if (!stream) {
            return 1;
        }
        state->report->draws++;
        return mr_stream_unit(stream) < 0.5f ? 1 : -1;
    }
    case MR_LEFT_SIDE:
        return -1;
    case MR_ALTERNATING_SIDES:
        return step % 2 == 0 ? 1 : -1;
    default:
        return 1;
    }
}

bool mr_scatter_walk_spine(mr_scatter_state *state, mr_candidate_taken taken, mr_error *error)
{
    const mr_maker *maker = &state->rule->maker;
    bool backwards = maker->from > maker->to;
    float along = maker->from;
    if (!isfinite(maker->from) || !isfinite(maker->to)) {
        return mr_fail(error, MR_BAD_INPUT, "rule %s: the spots run from %g m to %g m", state->rule->name,
                       (double)maker->from, (double)maker->to);
    }
    for (size_t step = 0; backwards ? along >= maker->to : along <= maker->to; step++) {
        if (taken && mr_scatter_full(state)) {
            state->report->cap++;
            return true;
        }
        if (step % 4096 == 0 && !mr_keep_going(state->context, error)) {
            return false;
        }
        uint32_t lane = 0;
        bool both = maker->sides == MR_BOTH_SIDES;
        if (!spine_candidate(state, step, along, both ? -1 : side_of(state, step), &lane, taken, error)) {
            return false;
        }
        if (both && !(taken && mr_scatter_full(state)) &&
            !spine_candidate(state, step, along, 1, &lane, taken, error)) {
            return false;
        }
        if (taken && mr_scatter_full(state)) {
            continue; // a rule at its cap draws nothing more
        }
        double length;
        if (!mr_scatter_ask(state, &maker->step, lane, 0, &length, error)) {
            return false;
        }
        float next = backwards ? along - (float)length : along + (float)length;
        if (!(length > 0) || next == along) {
            mr_scatter_fail_at(state, lane, error, "step", length);
            return mr_hint(error, "a step must lead on along the spine");
        }
        along = next;
    }
    return true;
}
