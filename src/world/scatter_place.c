// world/scatter_place.c: whether a candidate's circle is clear, and the copy that then stands there.

#include "world/scatter_run.h"

#include <math.h>

// Strictly inside the rectangle grown by m on all four sides: square corners.
static bool on_footprint(const mr_frame *frame, float x, float z, float m)
{
    float dx = x - frame->footprint->at_x;
    float dz = z - frame->footprint->at_z;
    float lx = dx * frame->cosine - dz * frame->sine;
    float lz = dx * frame->sine + dz * frame->cosine;
    return lx > frame->x0 - m && lx < frame->x1 + m && lz > frame->z0 - m && lz < frame->z1 + m;
}

// What stands whatever the rules place.
static mr_fall fixed_fall(const mr_scatter_state *state, float x, float z, float radius)
{
    const mr_scatter_rule *rule = state->rule;
    for (size_t i = 0; i < state->scatter->footprint_count; i++) {
        float margin = rule->has_margin ? rule->margin : state->frames[i].footprint->clearance;
        if (on_footprint(&state->frames[i], x, z, radius + margin)) {
            return MR_FALL_FOOTPRINT;
        }
    }
    if (!mr_disc_index_clear(&state->clearances, x, z, radius)) {
        return MR_FALL_CLEARANCE;
    }
    return mr_disc_index_clear(&state->keep_clear, x, z, radius) ? MR_FALL_NONE : MR_FALL_KEEP_CLEAR;
}

// Counts what the candidate fell at, if anything.
static bool is_clear(mr_scatter_state *state, mr_fall fall, float x, float z, float radius)
{
    if (fall == MR_FALL_NONE && !mr_disc_index_clear(&state->placed, x, z, radius)) {
        fall = MR_FALL_BLOCKED;
    }
    mr_rule_report *report = state->report;
    uint64_t *const counts[] = { NULL, &report->footprint, &report->clearance, &report->keep_clear,
                                 &report->blocked };
    if (fall != MR_FALL_NONE) {
        ++*counts[fall];
    }
    return fall == MR_FALL_NONE;
}

typedef struct radii {
    float size, spacing, test, room;
} radii;

static bool is_length(float value)
{
    return value >= 0 && isfinite(value);
}

static bool check_length(mr_scatter_state *state, uint32_t lane, const char *what, float value,
                         mr_error *error)
{
    return is_length(value) || mr_scatter_fail_at(state, lane, error, what, (double)value);
}

// What the options that are left out stand for.
static void fill_in(const mr_scatter_rule *rule, radii *sizes)
{
    if (!rule->test.ask) {
        sizes->test = rule->test_none ? 0 : rule->spacing.ask ? sizes->spacing / 2 : sizes->room;
    }
    if (!rule->room.ask) {
        sizes->room = rule->test_none && rule->spacing.ask ? sizes->spacing / 2 : sizes->test;
    }
}

static radii asked_radii(const mr_scatter_state *state, uint32_t lane, const float *asked_rooms)
{
    const mr_candidates *table = &state->candidates;
    return (radii){
        .size = table->size ? table->size[lane] : 1,
        .spacing = table->spacing ? table->spacing[lane] : 0,
        .test = table->test ? table->test[lane] : 0,
        .room = asked_rooms[lane],
    };
}

// size, spacing, test, room, in that order: each may read those before it.
static bool ask_radii(mr_scatter_state *state, uint32_t lane, radii *out, mr_error *error)
{
    const mr_scatter_rule *rule = state->rule;
    mr_candidates *table = &state->candidates;
    const struct {
        const mr_asker *asker;
        float *answer, *kept;
    } asked[] = { { &rule->size, &out->size, table->size },
                  { &rule->spacing, &out->spacing, table->spacing },
                  { &rule->test, &out->test, table->test },
                  { &rule->room, &out->room, NULL } };
    *out = (radii){ .size = 1 };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        double answer;
        if (!asked[i].asker->ask) {
            continue;
        }
        if (!mr_scatter_ask(state, asked[i].asker, lane, 0, &answer, error)) {
            return false;
        }
        *asked[i].answer = (float)answer;
        if (asked[i].kept) {
            asked[i].kept[lane] = (float)answer;
        }
    }
    return true;
}

static float drawn_turn(mr_scatter_state *state)
{
    mr_stream *stream = mr_scatter_stream_of(state);
    if (!stream) {
        return 0;
    }
    state->report->draws++;
    return mr_stream_unit(stream) * 6.28318530717958647692f;
}

static bool fill_item(mr_scatter_state *state, uint32_t lane, const radii *sizes, mr_item *item,
                      mr_error *error)
{
    const mr_scatter_rule *rule = state->rule;
    double pick;
    double variant;
    if (!mr_scatter_ask(state, &rule->pick, lane, 0, &pick, error)) {
        return false;
    }
    const mr_choice *choice = &rule->choices[(uint32_t)pick];
    if (!mr_scatter_ask(state, &choice->variant, lane, 0, &variant, error)) {
        return false;
    }
    if (!(variant >= 0 && variant <= 4294967295.0)) {
        return mr_scatter_fail_at(state, lane, error, "variant", variant);
    }
    double turn;
    if (choice->turn.ask) {
        if (!mr_scatter_ask(state, &choice->turn, lane, 0, &turn, error)) {
            return false;
        }
    } else {
        turn = (double)drawn_turn(state);
    }
    double size;
    double sink;
    double height;
    float y = state->candidates.y[lane];
    if (!mr_scatter_ask(state, &choice->size, lane, (double)sizes->size, &size, error) ||
        !mr_scatter_ask(state, &choice->sink, lane, 0, &sink, error) ||
        !mr_scatter_ask(state, &choice->height, lane, (double)y, &height, error)) {
        return false;
    }
    const struct {
        const char *name;
        double value;
    } checked[] = { { "turn", turn }, { "size", size }, { "sink", sink }, { "height", height } };
    for (size_t i = 0; i < sizeof checked / sizeof *checked; i++) {
        if (!isfinite(checked[i].value) || (i == 1 && checked[i].value < 0)) {
            return mr_scatter_fail_at(state, lane, error, checked[i].name, checked[i].value);
        }
    }
    *item = (mr_item){
        .rule = state->rule_number,
        .kind = choice->kind,
        .variant = (uint32_t)variant,
        .candidate = (uint32_t)state->candidates.k[lane],
        .x = state->candidates.x[lane],
        .y = y,
        .z = state->candidates.z[lane],
        .turn = (float)turn,
        .size = (float)size,
        .sink = (float)sink,
        .height = (float)height,
        .room = sizes->room,
        .key = mr_scatter_key(state, lane),
    };
    return item->key || mr_fail_memory(error, 16);
}

static bool room_for_item(mr_scatter_state *state, mr_error *error)
{
    if (state->item_count < state->item_capacity) {
        return true;
    }
    size_t capacity = state->item_capacity ? state->item_capacity + state->item_capacity / 2 : 1024;
    if (capacity > UINT32_MAX) {
        return mr_fail(error, MR_LIMIT, "rule %s would place more than %zu things", state->rule->name,
                       state->item_capacity);
    }
    mr_item *longer = mr_buffer_take(state->context, capacity * sizeof *longer, error);
    if (!longer) {
        return false;
    }
    if (state->items) {
        memcpy(longer, state->items, state->item_count * sizeof *longer);
        mr_buffer_discard(state->context, state->items);
    }
    state->items = longer;
    state->item_capacity = capacity;
    return true;
}

static bool stand(mr_scatter_state *state, uint32_t lane, const radii *sizes, mr_error *error)
{
    mr_item item;
    if (!fill_item(state, lane, sizes, &item, error) || !room_for_item(state, error)) {
        return false;
    }
    if (state->rule->blocks && !mr_disc_index_add(&state->placed, item.x, item.z, item.room, error)) {
        return false;
    }
    state->items[state->item_count++] = item;
    state->report->placed++;
    if (state->rule->group >= 0) {
        state->group_counts[state->rule->group]++;
    }
    return true;
}

bool mr_scatter_place(mr_scatter_state *state, uint32_t lane, const float *asked_rooms, mr_error *error)
{
    radii sizes;
    if (asked_rooms) {
        sizes = asked_radii(state, lane, asked_rooms);
    } else if (!ask_radii(state, lane, &sizes, error)) {
        return false;
    }
    if (!check_length(state, lane, "size", sizes.size, error) ||
        !check_length(state, lane, "spacing", sizes.spacing, error) ||
        !check_length(state, lane, "test", sizes.test, error) ||
        !check_length(state, lane, "room", sizes.room, error)) {
        return false;
    }
    fill_in(state->rule, &sizes);
    float x = state->candidates.x[lane];
    float z = state->candidates.z[lane];
    if (!state->rule->test_none && !is_clear(state, fixed_fall(state, x, z, sizes.test), x, z, sizes.test)) {
        return true;
    }
    return stand(state, lane, &sizes, error);
}

mr_waiting mr_scatter_line_up(const mr_scatter_state *state, uint32_t lane, const float *asked_rooms)
{
    radii sizes = asked_radii(state, lane, asked_rooms);
    mr_waiting one = { .x = state->candidates.x[lane], .z = state->candidates.z[lane], .lane = lane };
    if (!is_length(sizes.size) || !is_length(sizes.spacing) || !is_length(sizes.test) ||
        !is_length(sizes.room)) {
        one.test = NAN;
        return one;
    }
    fill_in(state->rule, &sizes);
    mr_fall fall = state->rule->test_none ? MR_FALL_NONE : fixed_fall(state, one.x, one.z, sizes.test);
    one.test = fall == MR_FALL_NONE ? sizes.test : -(float)fall;
    return one;
}

bool mr_scatter_place_waiting(mr_scatter_state *state, const mr_waiting *one, const float *asked_rooms,
                              mr_error *error)
{
    if (one->test != one->test) {
        return mr_scatter_place(state, one->lane, asked_rooms, error); // which says what is wrong
    }
    mr_fall fall = one->test < 0 ? (mr_fall)-one->test : MR_FALL_NONE;
    if (!state->rule->test_none && !is_clear(state, fall, one->x, one->z, one->test)) {
        return true;
    }
    radii sizes = asked_radii(state, one->lane, asked_rooms);
    fill_in(state->rule, &sizes);
    return stand(state, one->lane, &sizes, error);
}

enum { KEY_SLAB = 32768 };

static char *write_number(char *out, int64_t number)
{
    char digits[20];
    int count = 0;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        digits[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0) {
        *out++ = '-';
    }
    while (count > 0) {
        *out++ = digits[--count];
    }
    return out;
}

// Keys stand one behind the other: a million of them are worth the packing.
static char *key_room(mr_scatter_state *state, size_t size)
{
    if (size > state->key_room) {
        size_t slab = size > KEY_SLAB ? size : KEY_SLAB;
        state->keys = mr_arena_take(state->arena, slab);
        state->key_room = state->keys ? slab : 0;
    }
    char *key = state->keys;
    if (key) {
        state->keys += size;
        state->key_room -= size;
    }
    return key;
}

// The rule, then what its maker counts by: a cell, a step and side, the thing and a number about it, or a number.
const char *mr_scatter_key(mr_scatter_state *state, uint32_t lane)
{
    const mr_candidates *table = &state->candidates;
    const char *first = state->rule->name;
    if (table->thing && !state->rule->maker.things_are_spots) {
        first = state->items[table->thing[lane]].key;
    }
    size_t rule_size = strlen(state->rule->name);
    size_t first_size = first == state->rule->name ? 0 : strlen(first) + 1;
    char tail[64];
    char *end = tail;
    *end++ = '/';
    if (table->columns > 0) {
        end = write_number(end, table->k[lane] % (int64_t)table->columns);
        *end++ = ',';
        end = write_number(end, table->k[lane] / (int64_t)table->columns);
    } else {
        if (table->thing && state->rule->maker.things_are_spots) {
            end = write_number(end, table->thing[lane]);
            *end++ = '/';
        }
        end = write_number(end, table->k[lane]);
        if (table->side) {
            *end++ = table->side[lane] < 0 ? 'L' : 'R';
        }
    }
    size_t tail_size = (size_t)(end - tail);
    char *key = key_room(state, rule_size + first_size + tail_size + 1);
    if (!key) {
        return NULL;
    }
    memcpy(key, state->rule->name, rule_size);
    if (first_size > 0) {
        key[rule_size] = '/';
        memcpy(key + rule_size + 1, first, first_size - 1);
    }
    memcpy(key + rule_size + first_size, tail, tail_size);
    key[rule_size + first_size + tail_size] = 0;
    return key;
}
