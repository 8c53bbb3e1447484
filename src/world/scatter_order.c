// world/scatter_order.c: candidates in their order, and the placing of them all.

#include "base/thread.h"
#include "world/scatter_run.h"

#include <math.h>

enum { GRAIN = 16384 };

// A number's bits as a word that sorts the way it does; -0 and 0 are one. Orders are numbers of the language: f32.
static uint32_t sort_key(float value)
{
    uint32_t bits;
    value = value == 0 ? 0 : value;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

typedef struct keyed {
    uint32_t key;
    uint32_t lane;
} keyed;

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

// Stable, by digits from the least; a digit that all keys share moves nothing.
static keyed *radix_sort(keyed *items, keyed *spare, size_t count)
{
    for (int shift = 0; shift < 32; shift += DIGIT_BITS) {
        uint32_t starts[DIGITS] = { 0 };
        for (size_t i = 0; i < count; i++) {
            starts[items[i].key >> shift & (DIGITS - 1)]++;
        }
        if (count == 0 || starts[items[0].key >> shift & (DIGITS - 1)] == count) {
            continue;
        }
        uint32_t start = 0;
        for (int digit = 0; digit < DIGITS; digit++) {
            uint32_t here = starts[digit];
            starts[digit] = start;
            start += here;
        }
        for (size_t i = 0; i < count; i++) {
            spare[starts[items[i].key >> shift & (DIGITS - 1)]++] = items[i];
        }
        keyed *swap = items;
        items = spare;
        spare = swap;
    }
    return items;
}

bool mr_scatter_sort(mr_scatter_state *state, mr_lanes *kept, double *orders, mr_error *error)
{
    // A key and its lane take an order's own eight bytes.
    _Static_assert(sizeof(keyed) == sizeof(double), "keys are made in place");
    keyed *items = (keyed *)(void *)orders;
    size_t count = kept->count;
    for (size_t i = 0; i < count; i++) {
        double order = orders[i];
        if (order != order) {
            return mr_scatter_fail_at(state, kept->items[i], error, "order", order);
        }
        items[i] = (keyed){ sort_key((float)order), kept->items[i] };
    }
    keyed *spare = mr_buffer_take(state->context, (count + 1) * sizeof *spare, error);
    if (!spare) {
        return false;
    }
    const keyed *sorted = radix_sort(items, spare, count);
    for (size_t i = 0; i < count; i++) {
        kept->items[i] = sorted[i].lane;
    }
    mr_buffer_discard(state->context, spare);
    return true;
}

// Sizes and radii that no draw touches may be asked many at once. An asker's error is left for the candidate's own turn, which
// may never come.
static bool ask_radii(mr_scatter_state *state, const mr_lanes *kept, float **rooms, mr_error *error)
{
    const mr_scatter_rule *rule = state->rule;
    *rooms = NULL;
    if (rule->size.ask && rule->size.draws) {
        return true;
    }
    float *made = mr_buffer_take(state->context, (state->candidates.count + 1) * sizeof *made, error);
    if (!made) {
        return false;
    }
    memset(made, 0, state->candidates.count * sizeof *made);
    mr_error ignored;
    const struct {
        const mr_asker *asker;
        float *answers;
    } asked[] = { { &rule->size, state->candidates.size },
                  { &rule->spacing, state->candidates.spacing },
                  { &rule->test, state->candidates.test },
                  { &rule->room, made } };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        if (asked[i].asker->ask &&
            !mr_scatter_ask_many(state, asked[i].asker, kept, asked[i].answers, NULL, &ignored)) {
            mr_buffer_release(state->context, made);
            return mr_keep_going(state->context, error);
        }
    }
    *rooms = made;
    return true;
}

// The order is that of chance, so what the tests read is laid out in it beforehand, on all cores, with the answers of those
// tests that nothing placed can change.
typedef struct line_up_job {
    const mr_scatter_state *state;
    const mr_lanes *kept;
    const float *rooms;
    mr_waiting *waiting;
} line_up_job;

static bool line_up(void *argument, size_t begin, size_t end, mr_error *error)
{
    (void)error;
    const line_up_job *job = argument;
    for (size_t i = begin; i < end; i++) {
        job->waiting[i] = mr_scatter_line_up(job->state, job->kept->items[i], job->rooms);
    }
    return true;
}

enum { AHEAD = 24, NEAR_AHEAD = 8 };

static void fetch_ahead(const mr_scatter_state *state, const mr_waiting *waiting, size_t count, size_t i,
                        const float *rooms)
{
    const mr_candidates *table = &state->candidates;
    if (i + AHEAD < count && waiting[i + AHEAD].test >= 0) {
        const mr_waiting *coming = &waiting[i + AHEAD];
        mr_disc_index_prefetch(&state->placed, coming->x, coming->z, coming->test);
    }
    if (i + NEAR_AHEAD < count) {
        uint32_t lane = waiting[i + NEAR_AHEAD].lane;
        __builtin_prefetch(&table->y[lane]);
        __builtin_prefetch(&table->k[lane]);
        __builtin_prefetch(&rooms[lane]);
    }
}

// Where a draw of size must wait for its turn, so must the radii that may read it.
static bool place_each(mr_scatter_state *state, const mr_lanes *kept, const mr_waiting *waiting,
                       const float *rooms, mr_error *error)
{
    for (size_t i = 0; i < kept->count; i++) {
        if (mr_scatter_full(state)) {
            state->report->cap += kept->count - i;
            return true;
        }
        if (i % 4096 == 0) {
            mr_progress(state->context, state->rule->name, i, kept->count);
            if (!mr_keep_going(state->context, error)) {
                return false;
            }
        }
        if (waiting) {
            fetch_ahead(state, waiting, kept->count, i, rooms);
        }
        if (!(waiting ? mr_scatter_place_waiting(state, &waiting[i], rooms, error)
                      : mr_scatter_place(state, kept->items[i], NULL, error))) {
            return false;
        }
    }
    return true;
}

bool mr_scatter_place_all(mr_scatter_state *state, const mr_lanes *kept, mr_error *error)
{
    float *rooms;
    mr_waiting *waiting = NULL;
    if (!ask_radii(state, kept, &rooms, error)) {
        return false;
    }
    bool good = true;
    if (rooms) {
        waiting = mr_buffer_take(state->context, (kept->count + 1) * sizeof *waiting, error);
        line_up_job job = { state, kept, rooms, waiting };
        good = waiting && mr_parallel_for(state->context, kept->count, GRAIN, line_up, &job, error);
    }
    good = good && place_each(state, kept, waiting, rooms, error);
    mr_buffer_release(state->context, waiting);
    mr_buffer_release(state->context, rooms);
    return good;
}
