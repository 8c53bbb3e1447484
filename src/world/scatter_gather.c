// world/scatter_gather.c: makers whose candidates are all made before any is asked.

#include "base/thread.h"
#include "world/scatter_run.h"

#include <math.h>

enum { GRAIN = 16384, BLOCK = 1024 };

typedef struct grid_job {
    mr_scatter_state *state;
    size_t columns;
    mr_stream start; // of the candidates' draws
    bool draws;
} grid_job;

static bool fill_grid(void *argument, size_t begin, size_t end, mr_error *error)
{
    (void)error;
    const grid_job *job = argument;
    mr_candidates *table = &job->state->candidates;
    for (size_t n = begin; n < end; n++) {
        size_t column = n % job->columns;
        size_t row = n / job->columns;
        // Each square has two draws, so the stream's place is known without the squares before.
        float ux = job->draws ? mr_to_unit(mr_stream_word_at(job->start, (uint32_t)(2 * n))) : 0.5f;
        float uz = job->draws ? mr_to_unit(mr_stream_word_at(job->start, (uint32_t)(2 * n + 1))) : 0.5f;
        mr_scatter_grid_spot(&job->state->rule->maker, column, row, ux, uz, &table->x[n], &table->z[n]);

        table->k[n] = (int64_t)n;
    }
    mr_land_heights(job->state->scatter->land, table->x + begin, table->z + begin, table->y + begin,
                    end - begin);
    return true;
}

static bool make_grid(mr_scatter_state *state, mr_error *error)
{
    grid_job job = { .state = state };
    size_t rows;
    if (!mr_scatter_grid_size(state, &job.columns, &rows, error) ||
        !mr_candidates_take(state, job.columns * rows, 0, error)) {
        return false;
    }
    state->candidates.columns = job.columns;
    size_t count = job.columns * rows;
    mr_stream *stream = mr_scatter_stream_of(state);
    if (stream) {
        job.draws = true;
        job.start = *stream;
        *stream = mr_stream_skip(*stream, (uint32_t)(2 * count));
        state->report->draws += 2 * count;
    }
    return mr_parallel_for(state->context, count, GRAIN, fill_grid, &job, error);
}

static bool make_list(mr_scatter_state *state, mr_error *error)
{
    const float *spots;
    size_t count;
    mr_asking asking = mr_scatter_asking(state);
    if (!state->rule->maker.list(state->rule->maker.self, &asking, &spots, &count, error) ||
        !mr_candidates_take(state, count, 0, error)) {
        return false;
    }
    mr_candidates *table = &state->candidates;
    for (size_t i = 0; i < count; i++) {
        table->x[i] = spots[2 * i];
        table->z[i] = spots[2 * i + 1];
        table->k[i] = (int64_t)i;
    }
    mr_land_heights(state->scatter->land, table->x, table->z, table->y, count);
    return true;
}

static bool make_candidates(mr_scatter_state *state, mr_error *error)
{
    switch (state->rule->maker.kind) {
    case MR_MAKE_GRID:
        return make_grid(state, error);
    case MR_MAKE_SPINE:
        // The walk grows the table from here.
        return mr_candidates_take(state, 64, MR_WITH_ALONG, error) && (state->candidates.count = 0, true) &&
               mr_scatter_walk_spine(state, NULL, error);
    default:
        return make_list(state, error);
    }
}

// Asks one draw-free asker of many lanes, on all cores; answers go where `put` says.
typedef struct ask_job {
    mr_scatter_state *state;
    const mr_asker *asker;
    const uint32_t *lanes; // NULL: all candidates
    float *by_lane;        // answers by candidate, or
    double *in_order;      // answers by place among the lanes
} ask_job;

static bool ask_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const ask_job *job = argument;
    mr_asking asking = mr_scatter_asking(job->state);
    asking.stream = NULL;
    double answers[BLOCK];
    for (size_t at = begin; at < end; at += BLOCK) {
        size_t count = end - at < BLOCK ? end - at : BLOCK;
        double *out = job->in_order ? job->in_order + at : answers;
        const uint32_t *asked = job->lanes ? job->lanes + at : NULL;
        if (!job->asker->ask(job->asker->self, &asking, asked, asked ? 0 : at, count, out, error)) {
            return false;
        }
        for (size_t i = 0; job->by_lane && i < count; i++) {
            job->by_lane[asked ? asked[i] : at + i] = (float)out[i];
        }
    }
    return true;
}

bool mr_scatter_ask_many(mr_scatter_state *state, const mr_asker *asker, const mr_lanes *asked,
                         float *by_lane, double *in_order, mr_error *error)
{
    ask_job job = { state, asker, asked->items, by_lane, in_order };
    if (!asker->draws) {
        return mr_parallel_for(state->context, asked->count, GRAIN, ask_run, &job, error);
    }
    // One that draws, where nothing else of the candidate does: asked in order, many at a call.
    double answers[BLOCK];
    for (size_t at = 0; at < asked->count; at += BLOCK) {
        size_t count = asked->count - at < BLOCK ? asked->count - at : BLOCK;
        double *out = in_order ? in_order + at : answers;
        mr_asking asking = mr_scatter_asking(state);
        if (!mr_keep_going(state->context, error) ||
            !asker->ask(asker->self, &asking, asked->items + at, 0, count, out, error)) {
            return false;
        }
        for (size_t i = 0; by_lane && i < count; i++) {
            by_lane[asked->items[at + i]] = (float)out[i];
        }
    }
    return true;
}

// Leaves out the lanes whose answer is 0.
static void drop_false(mr_lanes *kept, const double *answers, uint64_t *fell)
{
    size_t count = 0;
    for (size_t i = 0; i < kept->count; i++) {
        kept->items[count] = kept->items[i];
        count += answers[i] != 0;
    }
    *fell += kept->count - count;
    kept->count = count;
}

static bool holds(void *self, const mr_asking *asking, const uint32_t *asked, size_t begin, size_t count,
                  double *answers, mr_error *error)
{
    (void)error;
    const mr_candidates *table = asking->candidates;
    for (size_t i = 0; i < count; i++) {
        size_t lane = asked ? asked[i] : begin + i;
        answers[i] = mr_land_holds(self, table->x[lane], table->z[lane]);
    }
    return true;
}

// The land, then the draw-free beginning of keep, of all candidates.
static bool ask_first(mr_scatter_state *state, mr_lanes *kept, double *answers, mr_error *error)
{
    const mr_asker land = { (void *)(uintptr_t)state->scatter->land, false, holds };
    const mr_asker *askers[] = { &land, &state->rule->keep_first };
    uint64_t *fell[] = { &state->report->off_land, &state->report->keep };
    for (size_t i = 0; i < kept->count; i++) {
        kept->items[i] = (uint32_t)i;
    }
    for (int i = 0; i < 2; i++) {
        if (askers[i]->ask) {
            if (!mr_scatter_ask_many(state, askers[i], kept, NULL, answers, error)) {
                return false;
            }
            drop_false(kept, answers, fell[i]);
        }
    }
    return true;
}

static uint32_t drawing_askers(const mr_scatter_rule *rule)
{
    uint32_t count = 0;
    count += rule->keep_then.ask && rule->keep_then.draws;
    count += rule->order.ask && rule->order.draws;
    for (uint32_t i = 0; i < rule->given_count; i++) {
        count += rule->given[i].draws;
    }
    return count;
}

// Where two of keep, given and order draw, their numbers alternate: candidate by candidate.
static bool ask_in_turn(mr_scatter_state *state, mr_lanes *kept, double *orders, mr_error *error)
{
    const mr_scatter_rule *rule = state->rule;
    size_t count = 0;
    for (size_t i = 0; i < kept->count; i++) {
        uint32_t lane = kept->items[i];
        double answer;
        if (i % 4096 == 0 && !mr_keep_going(state->context, error)) {
            return false;
        }
        if (!mr_scatter_ask(state, &rule->keep_then, lane, 1, &answer, error)) {
            return false;
        }
        if (answer == 0) {
            state->report->keep++;
            continue;
        }
        for (uint32_t g = 0; g < rule->given_count; g++) {
            if (!mr_scatter_ask(state, &rule->given[g], lane, 0, &answer, error)) {
                return false;
            }
            state->candidates.given[g][lane] = (float)answer;
        }
        if (!mr_scatter_ask(state, &rule->order, lane, 0, &orders[count], error)) {
            return false;
        }
        kept->items[count++] = lane;
    }
    kept->count = count;
    return true;
}

static bool ask_apart(mr_scatter_state *state, mr_lanes *kept, double *answers, mr_error *error)
{
    const mr_scatter_rule *rule = state->rule;
    if (rule->keep_then.ask) {
        if (!mr_scatter_ask_many(state, &rule->keep_then, kept, NULL, answers, error)) {
            return false;
        }
        drop_false(kept, answers, &state->report->keep);
    }
    for (uint32_t g = 0; g < rule->given_count; g++) {
        if (!mr_scatter_ask_many(state, &rule->given[g], kept, state->candidates.given[g], NULL, error)) {
            return false;
        }
    }
    return !rule->order.ask || mr_scatter_ask_many(state, &rule->order, kept, NULL, answers, error);
}

static bool keep_and_order(mr_scatter_state *state, mr_lanes *kept, double *answers, mr_error *error)
{
    return ask_first(state, kept, answers, error) &&
           (drawing_askers(state->rule) > 1 ? ask_in_turn : ask_apart)(state, kept, answers, error) &&
           (!state->rule->order.ask || mr_scatter_sort(state, kept, answers, error));
}

bool mr_scatter_gather(mr_scatter_state *state, mr_error *error)
{
    if (!make_candidates(state, error)) {
        return false;
    }
    size_t count = state->candidates.count;
    state->report->candidates = count;
    mr_lanes kept = { .count = count };
    kept.items = mr_buffer_take(state->context, (count + 1) * sizeof *kept.items, error);
    double *answers =
        kept.items ? mr_buffer_take(state->context, (count + 1) * sizeof *answers, error) : NULL;
    bool good = answers && keep_and_order(state, &kept, answers, error);
    mr_buffer_discard(state->context, answers);
    good = good && mr_scatter_place_all(state, &kept, error);
    mr_buffer_release(state->context, kept.items);
    return good;
}
