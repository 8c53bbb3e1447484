// world/scatter.c: the rules in order.

#include "world/scatter.h"

#include "num/exact.h"
#include "world/scatter_run.h"

#include <math.h>

mr_stream *mr_scatter_stream_of(mr_scatter_state *state)
{
    return state->rule->stream >= 0 ? &state->streams[state->rule->stream] : NULL;
}

mr_asking mr_scatter_asking(mr_scatter_state *state)
{
    return (mr_asking){
        .context = state->context,
        .candidates = &state->candidates,
        .items = state->items,
        .item_count = state->item_count,
        .earlier_count = state->earlier_count,
        .stream = mr_scatter_stream_of(state),
        .draws = &state->report->draws,
        .streams = state->streams,
        .stream_count = state->scatter->stream_count,
    };
}

bool mr_scatter_full(const mr_scatter_state *state)
{
    const mr_scatter_rule *rule = state->rule;
    if (state->report->placed >= rule->at_most) {
        return true;
    }
    if (rule->group < 0) {
        return false;
    }
    uint64_t cap =
        rule->group_at_most != UINT64_MAX ? rule->group_at_most : state->scatter->group_caps[rule->group];
    return state->group_counts[rule->group] >= cap;
}

bool mr_scatter_ask(mr_scatter_state *state, const mr_asker *asker, uint32_t lane, double without,
                    double *answer, mr_error *error)
{
    if (!asker->ask) {
        *answer = without;
        return true;
    }
    mr_asking asking = mr_scatter_asking(state);
    return asker->ask(asker->self, &asking, NULL, lane, 1, answer, error);
}

bool mr_scatter_fail_at(mr_scatter_state *state, uint32_t lane, mr_error *error, const char *what,
                        double value)
{
    return mr_fail(error, MR_BAD_INPUT, "rule %s: %s is %g at (%g, %g) m", state->rule->name, what, value,
                   (double)state->candidates.x[lane], (double)state->candidates.z[lane]);
}

static bool run_rule(mr_scatter_state *state, mr_error *error)
{
    bool stepwise = state->rule->maker.as_taken || state->rule->maker.kind == MR_MAKE_POINTS ||
                    state->rule->maker.kind == MR_MAKE_RINGS;
    state->earlier_count = state->item_count;
    bool good = stepwise ? mr_scatter_step(state, error) : mr_scatter_gather(state, error);
    mr_candidates_release(state);
    return good;
}

static bool index_discs(mr_disc_index *index, const mr_scatter_disc *discs, size_t count, mr_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!(discs[i].radius >= 0) || !isfinite(discs[i].radius) || !isfinite(discs[i].x) ||
            !isfinite(discs[i].z)) {
            return mr_fail(error, MR_BAD_INPUT, "%s%sa disc of radius %g m at (%g, %g) m",
                           discs[i].part ? discs[i].part : "", discs[i].part ? ": " : "",
                           (double)discs[i].radius, (double)discs[i].x, (double)discs[i].z);
        }
        if (!mr_disc_index_add(index, discs[i].x, discs[i].z, discs[i].radius, error)) {
            return false;
        }
    }
    return true;
}

static mr_frame frame_of(const mr_scatter_footprint *footprint)
{
    float a = footprint->x0 * footprint->scale;
    float b = footprint->x1 * footprint->scale;
    float c = footprint->z0 * footprint->scale;
    float d = footprint->z1 * footprint->scale;
    return (mr_frame){
        .footprint = footprint,
        .cosine = mr_f32_cos(footprint->turn),
        .sine = mr_f32_sin(footprint->turn),
        .x0 = a < b ? a : b,
        .x1 = a < b ? b : a,
        .z0 = c < d ? c : d,
        .z1 = c < d ? d : c,
    };
}

static bool begin(mr_scatter_state *state, mr_error *error)
{
    const mr_scatter *scatter = state->scatter;
    state->streams = mr_arena_take(state->arena, (scatter->stream_count + 1) * sizeof *state->streams);
    state->group_counts =
        mr_arena_take(state->arena, (scatter->group_count + 1) * sizeof *state->group_counts);
    state->frames = mr_arena_take(state->arena, (scatter->footprint_count + 1) * sizeof *state->frames);
    state->reports = mr_arena_take(state->arena, (scatter->rule_count + 1) * sizeof *state->reports);
    if (!state->streams || !state->group_counts || !state->frames || !state->reports) {
        return mr_fail_memory(error, scatter->rule_count * sizeof *state->reports);
    }
    for (size_t i = 0; i < scatter->stream_count; i++) {
        state->streams[i] = mr_stream_init(scatter->streams[i].seed, scatter->streams[i].salt);
    }
    for (size_t i = 0; i < scatter->footprint_count; i++) {
        state->frames[i] = frame_of(&scatter->footprints[i]);
    }
    for (size_t i = 0; i < scatter->rule_count; i++) {
        state->reports[i].name = scatter->rules[i].name;
    }
    return index_discs(&state->clearances, scatter->clearances, scatter->clearance_count, error) &&
           index_discs(&state->keep_clear, scatter->keep_clear, scatter->keep_clear_count, error);
}

static bool finish(mr_scatter_state *state, mr_scatter_result *result, mr_error *error)
{
    uint32_t *stream_states =
        mr_arena_take(state->arena, (state->scatter->stream_count + 1) * sizeof *stream_states);
    if (!stream_states || (state->items && !mr_arena_adopt(state->arena, state->items))) {
        return mr_fail_memory(error, state->scatter->stream_count * sizeof *stream_states);
    }
    for (size_t i = 0; i < state->scatter->stream_count; i++) {
        stream_states[i] = state->streams[i].state;
    }

    *result = (mr_scatter_result){
        .items = state->items,
        .item_count = state->item_count,
        .reports = state->reports,
        .stream_states = stream_states,
    };
    return true;
}

bool mr_scatter_run(mr_context *context, const mr_scatter *scatter, mr_arena *arena,
                    mr_scatter_result *result, mr_error *error)
{
    mr_scatter_state state = { .context = context, .scatter = scatter, .arena = arena };
    mr_disc_index_init(&state.clearances, context);
    mr_disc_index_init(&state.keep_clear, context);
    mr_disc_index_init(&state.placed, context);
    bool good = begin(&state, error);
    for (size_t i = 0; good && i < scatter->rule_count; i++) {
        state.rule = &scatter->rules[i];
        state.rule_number = (uint32_t)i;
        state.report = &state.reports[i];
        mr_progress(context, "scatter", i, scatter->rule_count);
        good = run_rule(&state, error);
    }
    good = good && finish(&state, result, error);
    if (!good) {
        mr_buffer_release(context, state.items);
    }
    mr_disc_index_destroy(&state.clearances);
    mr_disc_index_destroy(&state.keep_clear);
    mr_disc_index_destroy(&state.placed);
    return good;
}
