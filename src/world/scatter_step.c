// world/scatter_step.c: makers that go on only as long as the rule is below its cap.

#include "num/exact.h"
#include "world/scatter_run.h"

#include <math.h>

enum { MOST_IN_A_RING = 1000000 };

bool mr_scatter_try(mr_scatter_state *state, uint32_t lane, mr_error *error)
{
    const mr_scatter_rule *rule = state->rule;
    const mr_asker *keeps[] = { &rule->keep_first, &rule->keep_then };
    double answer;
    state->report->candidates++;
    if (!mr_land_holds(state->scatter->land, state->candidates.x[lane], state->candidates.z[lane])) {
        state->report->off_land++;
        return true;
    }
    for (int i = 0; i < 2; i++) {
        if (!mr_scatter_ask(state, keeps[i], lane, 1, &answer, error)) {
            return false;
        }
        if (answer == 0) {
            state->report->keep++;
            return true;
        }
    }
    for (uint32_t g = 0; g < rule->given_count; g++) {
        if (!mr_scatter_ask(state, &rule->given[g], lane, 0, &answer, error)) {
            return false;
        }
        state->candidates.given[g][lane] = (float)answer;
    }
    return mr_scatter_place(state, lane, NULL, error);
}

static void set_spot(mr_scatter_state *state, size_t lane, float x, float z, int64_t k)
{
    state->candidates.x[lane] = x;
    state->candidates.z[lane] = z;
    state->candidates.y[lane] = mr_land_height(state->scatter->land, x, z);
    state->candidates.k[lane] = k;
}

static float draw(mr_scatter_state *state, float without)
{
    mr_stream *stream = mr_scatter_stream_of(state);
    if (!stream) {
        return without;
    }
    state->report->draws++;
    return mr_stream_unit(stream);
}

static bool inside_polygon(const mr_outline *outline, float x, float z)
{
    bool inside = false;
    for (size_t i = 0, before = outline->point_count - 1; i < outline->point_count; before = i++) {
        double ax = outline->points[2 * before];
        double az = outline->points[2 * before + 1];
        double bx = outline->points[2 * i];
        double bz = outline->points[2 * i + 1];
        if ((az <= (double)z) != (bz <= (double)z) &&
            (double)x < ax + ((double)z - az) * (bx - ax) / (bz - az)) {
            inside = !inside;
        }
    }
    return inside;
}

static bool inside(const mr_outline *outline, float x, float z)
{
    if (outline->kind == MR_OUTLINE_DISC) {
        float dx = x - outline->cx;
        float dz = z - outline->cz;
        return sqrtf(dx * dx + dz * dz) < outline->radius;
    }
    return outline->kind == MR_OUTLINE_RECT || inside_polygon(outline, x, z);
}

static bool step_points(mr_scatter_state *state, mr_error *error)
{
    const mr_maker *maker = &state->rule->maker;
    const mr_outline *outline = &maker->outline;
    for (uint64_t n = 0; n < maker->tries; n++) {
        if (mr_scatter_full(state)) {
            state->report->cap += maker->tries - n;
            return true;
        }
        if (n % 1024 == 0) {
            mr_progress(state->context, state->rule->name, n, maker->tries);
            if (!mr_keep_going(state->context, error)) {
                return false;
            }
        }
        float x = outline->x0 + (outline->x1 - outline->x0) * draw(state, 0.5f);
        float z = outline->z0 + (outline->z1 - outline->z0) * draw(state, 0.5f);
        if (!inside(outline, x, z)) {
            state->report->candidates++;
            state->report->off_land++;
            continue;
        }
        set_spot(state, 0, x, z, (int64_t)n);
        if (!mr_scatter_try(state, 0, error)) {
            return false;
        }
    }
    return true;
}

// The spots about one thing, all drawn before the first is tried.
static bool draw_ring(mr_scatter_state *state, uint32_t thing, float x, float z, size_t *count,
                      mr_error *error)
{
    const mr_maker *maker = &state->rule->maker;
    mr_candidates *table = &state->candidates;
    double answer;
    table->thing[0] = thing;
    set_spot(state, 0, x, z, 0);
    if (!mr_scatter_ask(state, &maker->ring_count, 0, 1, &answer, error)) {
        return false;
    }
    if (!(answer >= 0 && answer <= MOST_IN_A_RING)) {
        return mr_scatter_fail_at(state, 0, error, "count", answer);
    }
    *count = (size_t)answer;
    if (*count > table->count) {
        if (!mr_candidates_grow(state, 2 * *count, error)) {
            return false;
        }
        table->count = 2 * *count;
    }
    for (size_t i = 0; i < *count; i++) {
        double angle;
        double distance;
        table->thing[i] = thing;
        set_spot(state, i, x, z, (int64_t)i);
        if (maker->angle.ask) {
            if (!mr_scatter_ask(state, &maker->angle, (uint32_t)i, 0, &angle, error)) {
                return false;
            }
        } else {
            angle = (double)(draw(state, 0) * 6.28318530717958647692f);
        }
        if (!mr_scatter_ask(state, &maker->distance, (uint32_t)i, 0, &distance, error)) {
            return false;
        }
        float sine = mr_f32_sin((float)angle);
        float cosine = mr_f32_cos((float)angle);
        set_spot(state, i, x + (float)distance * cosine, z + (float)distance * sine, (int64_t)i);
        if (!isfinite(table->x[i]) || !isfinite(table->z[i])) {
            return mr_scatter_fail_at(state, (uint32_t)i, error, "distance", distance);
        }
    }
    return true;
}

static bool step_rings(mr_scatter_state *state, mr_error *error)
{
    const mr_maker *maker = &state->rule->maker;
    mr_asking asking = mr_scatter_asking(state);
    const uint32_t *things = NULL;
    const float *spots = NULL;
    size_t count;
    if (!(maker->things_are_spots ? maker->list(maker->self, &asking, &spots, &count, error)
                                  : maker->things(maker->self, &asking, &things, &count, error))) {
        return false;
    }
    for (size_t n = 0; n < count; n++) {
        if (mr_scatter_full(state)) {
            state->report->cap += count - n;
            return true;
        }
        if (n % 256 == 0) {
            mr_progress(state->context, state->rule->name, n, count);
            if (!mr_keep_going(state->context, error)) {
                return false;
            }
        }
        uint32_t thing = things ? things[n] : (uint32_t)n;
        float x = things ? state->items[thing].x : spots[2 * n];
        float z = things ? state->items[thing].z : spots[2 * n + 1];
        size_t ring = 0;
        if (!draw_ring(state, thing, x, z, &ring, error)) {
            return false;
        }
        for (size_t i = 0; i < ring && !mr_scatter_full(state); i++) {
            if (!mr_scatter_try(state, (uint32_t)i, error)) {
                return false;
            }
        }
    }
    return true;
}

static bool step_grid(mr_scatter_state *state, mr_error *error)
{
    size_t columns;
    size_t rows;
    if (!mr_scatter_grid_size(state, &columns, &rows, error)) {
        return false;
    }
    for (size_t n = 0; n < columns * rows; n++) {
        if (mr_scatter_full(state)) {
            state->report->cap += columns * rows - n;
            return true;
        }
        if (n % 1024 == 0 && !mr_keep_going(state->context, error)) {
            return false;
        }
        float ux = draw(state, 0.5f);
        float uz = draw(state, 0.5f);
        float x;
        float z;
        mr_scatter_grid_spot(&state->rule->maker, n % columns, n / columns, ux, uz, &x, &z);
        set_spot(state, 0, x, z, (int64_t)n);
        state->candidates.columns = columns;
        if (!mr_scatter_try(state, 0, error)) {
            return false;
        }
    }
    return true;
}

static bool step_list(mr_scatter_state *state, mr_error *error)
{
    const float *spots;
    size_t count;
    mr_asking asking = mr_scatter_asking(state);
    if (!state->rule->maker.list(state->rule->maker.self, &asking, &spots, &count, error)) {
        return false;
    }
    for (size_t n = 0; n < count; n++) {
        if (mr_scatter_full(state)) {
            state->report->cap += count - n;
            return true;
        }
        set_spot(state, 0, spots[2 * n], spots[2 * n + 1], (int64_t)n);
        if (!mr_scatter_try(state, 0, error)) {
            return false;
        }
    }
    return true;
}

static bool step_spine(mr_scatter_state *state, mr_error *error)
{
    return mr_scatter_walk_spine(state, mr_scatter_try, error);
}

bool mr_scatter_step(mr_scatter_state *state, mr_error *error)
{
    static const struct {
        uint32_t with;
        bool (*step)(mr_scatter_state *state, mr_error *error);
    } makers[] = {
        [MR_MAKE_LIST] = { 0, step_list },
        [MR_MAKE_GRID] = { 0, step_grid },
        [MR_MAKE_SPINE] = { MR_WITH_ALONG, step_spine },
        [MR_MAKE_POINTS] = { 0, step_points },
        [MR_MAKE_RINGS] = { MR_WITH_THING, step_rings },
    };
    mr_maker_kind kind = state->rule->maker.kind;
    return mr_candidates_take(state, 1, makers[kind].with, error) && makers[kind].step(state, error);
}
