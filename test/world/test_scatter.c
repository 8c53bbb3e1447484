// The scatter against an implementation that is slow and obvious: it walks lists, has its own stream, and asks nothing in
// advance.

#include "support.h"

#include "world/scatter.h"
#include "world/scatter_discs.h"

#include <math.h>

// ---- what a rule's options may be in these tests ----

typedef enum form {
    ABSENT,
    CONSTANT,    // a
    UNIFORM,     // uniform(a, b)
    SQUARED,     // a + b * u * u
    BELOW,       // below(a)
    BY_X,        // a + b * frac(x / 10)
    CHANCE,      // uniform(0, 1) < a
    HIGH,        // the land's height above a
    HIGH_CHANCE, // the same, and then uniform(0, 1) < b
    BY_K,        // k % a + b
    BY_SIZE,     // a * size
    BY_SPACING,  // a * spacing
    BY_GIVEN,    // a * given[0]
    BY_THING,    // a * the ringed thing's size
    CANCELS,     // 1, and the scatter is called off
} form;

typedef struct test_option {
    form form;
    float a, b;
} test_option;

// One number, from what a candidate knows. `next` draws a word.
typedef struct test_knows {
    float x, z, y, size, spacing, given, thing_size;
    int64_t k;
} test_knows;
typedef uint32_t (*drawer)(void *from);

static float unit(drawer next, void *from)
{
    return (float)(next(from) >> 8) * 0x1p-24f;
}

static double answer_of(const test_option *option, const test_knows *knows, drawer next, void *from)
{
    float a = option->a;
    float b = option->b;
    switch (option->form) {
    case CONSTANT:
        return (double)a;
    case UNIFORM: {
        float u = unit(next, from);
        return (double)(a + (b - a) * u);
    }
    case SQUARED: {
        float u = unit(next, from);
        float v = unit(next, from);
        return (double)(a + b * u * v);
    }
    case BELOW:
        return next(from) % (uint32_t)a;
    case BY_X:
        return (double)(a + b * (knows->x / 10 - floorf(knows->x / 10)));
    case CHANCE:
        return unit(next, from) < a;
    case HIGH:
        return knows->y > a;
    case HIGH_CHANCE:
        return knows->y > a && unit(next, from) < b;
    case BY_K:
        return (double)(knows->k % (int64_t)a) + (double)b;
    case BY_SIZE:
        return (double)(a * knows->size);
    case BY_SPACING:
        return (double)(a * knows->spacing);
    case BY_GIVEN:
        return (double)(a * knows->given);
    case BY_THING:
        return (double)(a * knows->thing_size);
    default:
        return 0;
    }
}

static bool draws(const test_option *option)
{
    return option->form == UNIFORM || option->form == SQUARED || option->form == BELOW ||
           option->form == CHANCE || option->form == HIGH_CHANCE;
}

typedef struct counted_stream {
    mr_stream *stream;
    uint64_t *draws;
} counted_stream;

static uint32_t next_of_stream(void *from)
{
    counted_stream *counted = from;
    ++*counted->draws;
    return mr_stream_next(counted->stream);
}

static bool ask_option(void *self, const mr_asking *asking, const uint32_t *lanes, size_t begin, size_t count,
                       double *answers, mr_error *error)
{
    const mr_candidates *table = asking->candidates;
    counted_stream counted = { asking->stream, asking->draws };
    for (size_t i = 0; i < count; i++) {
        size_t lane = lanes ? lanes[i] : begin + i;
        test_knows knows = {
            .x = table->x[lane],
            .z = table->z[lane],
            .y = table->y[lane],
            .size = table->size ? table->size[lane] : 0,
            .spacing = table->spacing ? table->spacing[lane] : 0,
            .given = table->given[0] ? table->given[0][lane] : 0,
            .thing_size = table->thing && asking->item_count > table->thing[lane]
                              ? asking->items[table->thing[lane]].size
                              : 0,
            .k = table->k[lane],
        };
        if (((const test_option *)self)->form == CANCELS) {
            mr_context_cancel(asking->context);
            answers[i] = 1;
            continue;
        }
        answers[i] = answer_of(self, &knows, next_of_stream, &counted);
    }
    return true;
}

static mr_asker asker_of(test_option *option)
{
    return option->form == ABSENT ? (mr_asker){ 0 } : (mr_asker){ option, draws(option), ask_option };
}

// ---- a rule set as the tests hold it ----

typedef struct plan_rule {
    mr_maker_kind maker;
    bool as_taken;
    bool things_are_spots;
    float spots[2 * 40];
    size_t spot_count;
    float cell, x0, x1, z0, z1;
    mr_sides sides;
    float from, to;
    uint64_t tries;
    mr_outline_kind outline;
    test_option step, across, ring_count, distance, angle;
    test_option keep_first, keep_then, given, order, size, spacing, test, room, pick;
    bool test_none;
    struct {
        test_option variant, turn, size, sink, height;
    } choices[2];
    int32_t stream;
    uint64_t at_most, group_at_most;
    int32_t group;
    bool blocks, has_margin;
    float margin;
    char name[24];
} plan_rule;

enum { MOST_RULES = 6, MOST_DISCS = 6 };

typedef struct test_plan {
    plan_rule rules[MOST_RULES];
    size_t rule_count;
    mr_scatter_stream streams[2];
    uint64_t group_caps[2];
    mr_scatter_disc clearances[MOST_DISCS], keep_clear[MOST_DISCS];
    size_t clearance_count, keep_clear_count;
    mr_scatter_footprint footprints[3];
    size_t footprint_count;
} test_plan;

static const float polygon[] = { -20, -25, 22, -18, 3, 4, 18, 24, -15, 20 };

// ---- the slow way ----

typedef struct slow_stream {
    uint32_t state;
} slow_stream;

static uint32_t slow_pcg(uint32_t v)
{
    uint32_t s = v * 747796405u + 2891336453u;
    uint32_t w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
    return (w >> 22) ^ w;
}

static uint32_t slow_next(void *from)
{
    slow_stream *stream = from;
    stream->state = stream->state + 0x9E3779B9u;
    return slow_pcg(stream->state);
}

typedef struct slow_item {
    mr_item item;
    bool blocks;
} slow_item;

typedef struct slow_run {
    const test_plan *plan;
    const mr_land *land;
    const mr_spine *spine;
    slow_item items[40000];
    size_t item_count;
    slow_stream streams[2];
    uint64_t groups[2];
    uint64_t placed[MOST_RULES], tried[MOST_RULES], kept_out[MOST_RULES], off[MOST_RULES],
        blocked[MOST_RULES];
} slow_run;

typedef struct slow_candidate {
    test_knows knows;
    double order;
} slow_candidate;

static bool slow_full(const slow_run *run, size_t r)
{
    const plan_rule *rule = &run->plan->rules[r];
    uint64_t group_cap = rule->group < 0                     ? UINT64_MAX
                         : rule->group_at_most != UINT64_MAX ? rule->group_at_most
                                                             : run->plan->group_caps[rule->group];
    return run->placed[r] >= rule->at_most || (rule->group >= 0 && run->groups[rule->group] >= group_cap);
}

static bool circles_meet(float ax, float az, float ar, float bx, float bz, float br)
{
    float dx = ax - bx;
    float dz = az - bz;
    return sqrtf(dx * dx + dz * dz) < ar + br;
}

static bool slow_clear(const slow_run *run, const plan_rule *rule, float x, float z, float r)
{
    for (size_t i = 0; i < run->plan->footprint_count; i++) {
        const mr_scatter_footprint *f = &run->plan->footprints[i];
        float m = r + (rule->has_margin ? rule->margin : f->clearance);
        float lx = x - f->at_x;
        float lz = z - f->at_z;
        if (lx > f->x0 * f->scale - m && lx < f->x1 * f->scale + m && lz > f->z0 * f->scale - m &&
            lz < f->z1 * f->scale + m) {
            return false;
        }
    }
    for (size_t i = 0; i < run->plan->clearance_count; i++) {
        const mr_scatter_disc *d = &run->plan->clearances[i];
        if (circles_meet(x, z, r, d->x, d->z, d->radius)) {
            return false;
        }
    }
    for (size_t i = 0; i < run->plan->keep_clear_count; i++) {
        const mr_scatter_disc *d = &run->plan->keep_clear[i];
        if (circles_meet(x, z, r, d->x, d->z, d->radius)) {
            return false;
        }
    }
    for (size_t i = 0; i < run->item_count; i++) {
        if (run->items[i].blocks &&
            circles_meet(x, z, r, run->items[i].item.x, run->items[i].item.z, run->items[i].item.room)) {
            return false;
        }
    }
    return true;
}

static double slow_answer(slow_run *run, const plan_rule *rule, const test_option *option,
                          const test_knows *knows)
{
    return answer_of(option, knows, slow_next, rule->stream >= 0 ? &run->streams[rule->stream] : NULL);
}

static float slow_unit(slow_run *run, const plan_rule *rule, float without)
{
    return rule->stream >= 0 ? unit(slow_next, &run->streams[rule->stream]) : without;
}

static bool slow_keep(slow_run *run, size_t r, slow_candidate *one)
{
    const plan_rule *rule = &run->plan->rules[r];
    run->tried[r]++;
    if (!mr_land_holds(run->land, one->knows.x, one->knows.z)) {
        run->off[r]++;
        return false;
    }
    if ((rule->keep_first.form != ABSENT && slow_answer(run, rule, &rule->keep_first, &one->knows) == 0) ||
        (rule->keep_then.form != ABSENT && slow_answer(run, rule, &rule->keep_then, &one->knows) == 0)) {
        run->kept_out[r]++;
        return false;
    }
    if (rule->given.form != ABSENT) {
        one->knows.given = (float)slow_answer(run, rule, &rule->given, &one->knows);
    }
    return true;
}

static void slow_place(slow_run *run, size_t r, slow_candidate *one)
{
    const plan_rule *rule = &run->plan->rules[r];
    test_knows *k = &one->knows;
    float size = 1;
    if (rule->size.form != ABSENT) {
        size = k->size = (float)slow_answer(run, rule, &rule->size, k);
    }
    if (rule->spacing.form != ABSENT) {
        k->spacing = (float)slow_answer(run, rule, &rule->spacing, k);
    }
    float room = rule->room.form != ABSENT ? (float)slow_answer(run, rule, &rule->room, k) : 0;
    float test = rule->test.form != ABSENT      ? (float)slow_answer(run, rule, &rule->test, k)
                 : rule->test_none              ? 0
                 : rule->spacing.form != ABSENT ? k->spacing / 2
                                                : room;
    if (rule->room.form == ABSENT) {
        room = rule->test_none && rule->spacing.form != ABSENT ? k->spacing / 2 : test;
    }
    if (!rule->test_none && !slow_clear(run, rule, k->x, k->z, test)) {
        run->blocked[r]++;
        return;
    }
    size_t pick = rule->pick.form != ABSENT ? (size_t)slow_answer(run, rule, &rule->pick, k) : 0;
    slow_item *made = &run->items[run->item_count++];
    made->blocks = rule->blocks;
    mr_item *item = &made->item;
    memset(item, 0, sizeof *item);
    item->rule = (uint32_t)r;
    item->kind = (uint32_t)pick;
    item->x = k->x;
    item->z = k->z;
    item->y = k->y;
    item->room = room;
    item->variant = rule->choices[pick].variant.form != ABSENT
                        ? (uint32_t)slow_answer(run, rule, &rule->choices[pick].variant, k)
                        : 0;
    item->turn = rule->choices[pick].turn.form != ABSENT
                     ? (float)slow_answer(run, rule, &rule->choices[pick].turn, k)
                     : slow_unit(run, rule, 0) * 6.28318530717958647692f;
    item->size = rule->choices[pick].size.form != ABSENT
                     ? (float)slow_answer(run, rule, &rule->choices[pick].size, k)
                     : size;
    item->sink = (float)slow_answer(run, rule, &rule->choices[pick].sink, k);
    item->height = rule->choices[pick].height.form != ABSENT
                       ? (float)slow_answer(run, rule, &rule->choices[pick].height, k)
                       : k->y;
    run->placed[r]++;
    if (rule->group >= 0) {
        run->groups[rule->group]++;
    }
}

static slow_candidate candidate_at(const slow_run *run, float x, float z, int64_t k)
{
    return (slow_candidate){ .knows = { .x = x, .z = z, .y = mr_land_height(run->land, x, z), .k = k } };
}

typedef struct gathered {
    slow_candidate list[20000];
    size_t count;
} gathered;

// Takes one candidate as its maker gives it: kept for later, or tried at once.
static void slow_take(slow_run *run, size_t r, gathered *all, slow_candidate one)
{
    if (!run->plan->rules[r].as_taken) {
        all->list[all->count++] = one;
    } else if (slow_keep(run, r, &one)) {
        slow_place(run, r, &one);
    }
}

static void slow_gather(slow_run *run, size_t r, gathered *all)
{
    const plan_rule *rule = &run->plan->rules[r];
    bool taken = rule->as_taken;
    all->count = 0;
    if (rule->maker == MR_MAKE_LIST) {
        for (size_t i = 0; i < rule->spot_count && !(taken && slow_full(run, r)); i++) {
            slow_take(run, r, all, candidate_at(run, rule->spots[2 * i], rule->spots[2 * i + 1], (int64_t)i));
        }
    } else if (rule->maker == MR_MAKE_GRID) {
        int64_t k = 0;
        for (size_t j = 0; rule->z0 + (float)j * rule->cell < rule->z1; j++) {
            for (size_t i = 0; rule->x0 + (float)i * rule->cell < rule->x1 && !(taken && slow_full(run, r));
                 i++) {
                float x = rule->x0 + (float)i * rule->cell + rule->cell * slow_unit(run, rule, 0.5f);
                float z = rule->z0 + (float)j * rule->cell + rule->cell * slow_unit(run, rule, 0.5f);
                slow_take(run, r, all, candidate_at(run, x, z, k++));
            }
        }
    } else {
        float along = rule->from;
        for (int64_t step = 0; rule->from > rule->to ? along >= rule->to : along <= rule->to; step++) {
            slow_candidate one = { .knows.k = step };
            float sides[2] = { rule->sides == MR_BOTH_SIDES || rule->sides == MR_LEFT_SIDE ? -1.0f : 1.0f,
                               1 };
            if (taken && slow_full(run, r)) {
                break;
            }
            if (rule->sides == MR_RANDOM_SIDE) {
                sides[0] = rule->stream < 0 || slow_unit(run, rule, 0) < 0.5f ? 1.0f : -1.0f;
            } else if (rule->sides == MR_ALTERNATING_SIDES) {
                sides[0] = step % 2 == 0 ? 1.0f : -1.0f;
            }
            for (int s = 0; s < (rule->sides == MR_BOTH_SIDES ? 2 : 1) && !(taken && slow_full(run, r));
                 s++) {
                float x;
                float z;
                mr_spine_at(run->spine, along, 0, &x, &z);
                one = candidate_at(run, x, z, step);
                float across = (float)slow_answer(run, rule, &rule->across, &one.knows);
                mr_spine_at(run->spine, along, sides[s] * across, &x, &z);
                one = candidate_at(run, x, z, step);
                slow_take(run, r, all, one);
            }
            if (taken && slow_full(run, r)) {
                break;
            }
            float step_length = (float)slow_answer(run, rule, &rule->step, &one.knows);
            along = rule->from > rule->to ? along - step_length : along + step_length;
        }
    }
}

static void slow_gathering_rule(slow_run *run, size_t r, gathered *all)
{
    const plan_rule *rule = &run->plan->rules[r];
    slow_gather(run, r, all);
    if (rule->as_taken) {
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        slow_candidate one = all->list[i];
        if (slow_keep(run, r, &one)) {
            one.order = rule->order.form != ABSENT ? slow_answer(run, rule, &rule->order, &one.knows) : 0;
            all->list[kept++] = one;
        }
    }
    for (size_t i = 1; i < kept; i++) { // insertion sort: stable
        slow_candidate one = all->list[i];
        size_t at = i;
        for (; at > 0 && all->list[at - 1].order > one.order; at--) {
            all->list[at] = all->list[at - 1];
        }
        all->list[at] = one;
    }
    for (size_t i = 0; i < kept && !slow_full(run, r); i++) {
        slow_place(run, r, &all->list[i]);
    }
}

static void slow_points_rule(slow_run *run, size_t r)
{
    const plan_rule *rule = &run->plan->rules[r];
    for (uint64_t n = 0; n < rule->tries && !slow_full(run, r); n++) {
        float x = rule->x0 + (rule->x1 - rule->x0) * slow_unit(run, rule, 0.5f);
        float z = rule->z0 + (rule->z1 - rule->z0) * slow_unit(run, rule, 0.5f);
        float dx = x - 1;
        float dz = z - 2;
        bool in = true;
        if (rule->outline == MR_OUTLINE_DISC) {
            in = sqrtf(dx * dx + dz * dz) < 15;
        } else if (rule->outline == MR_OUTLINE_POLYGON) {
            in = false; // even-odd, by crossings of a ray towards +x
            for (int i = 0; i < 5; i++) {
                double ax = polygon[2 * i];
                double az = polygon[2 * i + 1];
                double bx = polygon[(2 * i + 2) % 10];
                double bz = polygon[(2 * i + 3) % 10];
                bool crosses = (az <= z && z < bz) || (bz <= z && z < az);
                in ^= crosses && x < ax + (z - az) / (bz - az) * (bx - ax);
            }
        }
        if (!in) {
            run->tried[r]++;
            run->off[r]++;
            continue;
        }
        slow_candidate one = candidate_at(run, x, z, (int64_t)n);
        if (slow_keep(run, r, &one)) {
            slow_place(run, r, &one);
        }
    }
}

static void slow_rings_rule(slow_run *run, size_t r)
{
    const plan_rule *rule = &run->plan->rules[r];
    size_t things = rule->things_are_spots ? rule->spot_count : run->item_count;
    for (size_t n = 0; n < things && !slow_full(run, r); n++) {
        float cx = rule->things_are_spots ? rule->spots[2 * n] : run->items[n].item.x;
        float cz = rule->things_are_spots ? rule->spots[2 * n + 1] : run->items[n].item.z;
        slow_candidate ring[8];
        slow_candidate at = candidate_at(run, cx, cz, 0);
        at.knows.thing_size = run->item_count > n ? run->items[n].item.size : 0;
        size_t count = (size_t)slow_answer(run, rule, &rule->ring_count, &at.knows);
        for (size_t i = 0; i < count; i++) {
            at.knows.k = (int64_t)i;
            float angle = rule->angle.form != ABSENT ? (float)slow_answer(run, rule, &rule->angle, &at.knows)
                                                     : slow_unit(run, rule, 0) * 6.28318530717958647692f;
            float distance = (float)slow_answer(run, rule, &rule->distance, &at.knows);
            ring[i] = candidate_at(run, cx + distance * (float)cos((double)angle),
                                   cz + distance * (float)sin((double)angle), (int64_t)i);
            ring[i].knows.thing_size = at.knows.thing_size;
        }
        for (size_t i = 0; i < count && !slow_full(run, r); i++) {
            if (slow_keep(run, r, &ring[i])) {
                slow_place(run, r, &ring[i]);
            }
        }
    }
}

static void slow_scatter(slow_run *run)
{
    static gathered all;
    for (int i = 0; i < 2; i++) {
        run->streams[i].state =
            slow_pcg(run->plan->streams[i].seed ^ (run->plan->streams[i].salt * 0x85ebca6bu));
    }
    for (size_t r = 0; r < run->plan->rule_count; r++) {
        switch (run->plan->rules[r].maker) {
        case MR_MAKE_POINTS:
            slow_points_rule(run, r);
            break;
        case MR_MAKE_RINGS:
            slow_rings_rule(run, r);
            break;
        default:
            slow_gathering_rule(run, r, &all);
        }
    }
}

// ---- a plan as the engine takes it ----

static bool list_spots(void *self, const mr_asking *asking, const float **spots, size_t *count,
                       mr_error *error)
{
    plan_rule *rule = self;
    *spots = rule->spots;
    *count = rule->spot_count;
    return true;
}

static uint32_t all_things[40000];

static bool earlier_things(void *self, const mr_asking *asking, const uint32_t **items, size_t *count,
                           mr_error *error)
{
    *items = all_things;
    *count = asking->earlier_count;
    return true;
}

static mr_scatter_rule engine_rule(plan_rule *rule, const mr_spine *spine)
{
    mr_scatter_rule made = {
        .name = rule->name,
        .stream = rule->stream,
        .maker = {
            .kind = rule->maker,
            .as_taken = rule->as_taken,
            .self = rule,
            .list = list_spots,
            .cell = rule->cell,
            .x0 = rule->x0,
            .x1 = rule->x1,
            .z0 = rule->z0,
            .z1 = rule->z1,
            .spine = spine,
            .sides = rule->sides,
            .from = rule->from,
            .to = rule->to,
            .step = asker_of(&rule->step),
            .across = asker_of(&rule->across),
            .outline = { .kind = rule->outline, .x0 = rule->x0, .x1 = rule->x1, .z0 = rule->z0, .z1 = rule->z1,
                         .cx = 1, .cz = 2, .radius = 15, .points = polygon, .point_count = 5 },
            .tries = rule->tries,
            .things = earlier_things,
            .things_are_spots = rule->things_are_spots,
            .ring_count = asker_of(&rule->ring_count),
            .distance = asker_of(&rule->distance),
            .angle = asker_of(&rule->angle),
        },
        .keep_first = asker_of(&rule->keep_first),
        .keep_then = asker_of(&rule->keep_then),
        .given = { asker_of(&rule->given) },
        .given_count = rule->given.form != ABSENT,
        .order = asker_of(&rule->order),
        .size = asker_of(&rule->size),
        .spacing = asker_of(&rule->spacing),
        .test = asker_of(&rule->test),
        .room = asker_of(&rule->room),
        .test_none = rule->test_none,
        .pick = asker_of(&rule->pick),
        .choice_count = 2,
        .at_most = rule->at_most,
        .group = rule->group,
        .group_at_most = rule->group_at_most,
        .blocks = rule->blocks,
        .has_margin = rule->has_margin,
        .margin = rule->margin,
    };
    for (int i = 0; i < 2; i++) {
        made.choices[i] = (mr_choice){
            .kind = (uint32_t)i,
            .variant = asker_of(&rule->choices[i].variant),
            .turn = asker_of(&rule->choices[i].turn),
            .size = asker_of(&rule->choices[i].size),
            .sink = asker_of(&rule->choices[i].sink),
            .height = asker_of(&rule->choices[i].height),
        };
    }
    return made;
}

static bool engine_run(mr_context *context, test_plan *plan, const mr_land *land, const mr_spine *spine,
                       mr_arena *arena, mr_scatter_result *result, mr_error *error)
{
    mr_scatter_rule rules[MOST_RULES];
    for (size_t i = 0; i < plan->rule_count; i++) {
        rules[i] = engine_rule(&plan->rules[i], spine);
    }
    mr_scatter scatter = {
        .land = land,
        .rules = rules,
        .rule_count = plan->rule_count,
        .streams = plan->streams,
        .stream_count = 2,
        .group_caps = plan->group_caps,
        .group_count = 2,
        .clearances = plan->clearances,
        .clearance_count = plan->clearance_count,
        .keep_clear = plan->keep_clear,
        .keep_clear_count = plan->keep_clear_count,
        .footprints = plan->footprints,
        .footprint_count = plan->footprint_count,
    };
    return mr_scatter_run(context, &scatter, arena, result, error);
}

// ---- random plans ----

static float between(test_random *random, double low, double high)
{
    return (float)test_between(random, low, high);
}

static test_option one_of(test_random *random, bool may_draw, const test_option *options, size_t count)
{
    test_option chosen = options[test_below(random, (uint32_t)count)];
    return !may_draw && draws(&chosen) ? (test_option){ CONSTANT, 1, 0 } : chosen;
}
#define ONE_OF(random, may_draw, ...)                                                                        \
    one_of((random), (may_draw), (const test_option[]){ __VA_ARGS__ },                                       \
           sizeof((const test_option[]){ __VA_ARGS__ }) / sizeof(test_option))

static void random_maker(test_random *random, plan_rule *rule, bool first)
{
    bool drawn = rule->stream >= 0;
    rule->maker = (mr_maker_kind)test_below(random, 5);
    rule->as_taken = rule->maker <= MR_MAKE_SPINE && test_below(random, 4) == 0;
    rule->things_are_spots = first || test_below(random, 3) == 0;
    rule->spot_count = test_below(random, 40);
    for (size_t i = 0; i < 2 * rule->spot_count; i++) {
        rule->spots[i] = between(random, -32, 32);
    }
    rule->cell = between(random, 0.8, 5);
    rule->x0 = between(random, -34, 0);
    rule->x1 = rule->x0 + between(random, -2, 40);
    rule->z0 = between(random, -34, 0);
    rule->z1 = rule->z0 + between(random, -2, 40);
    rule->sides = (mr_sides)test_below(random, 5);
    rule->from = between(random, -5, 60);
    rule->to = between(random, -5, 60);
    rule->tries = test_below(random, 400);
    rule->outline = (mr_outline_kind)test_below(random, 3);
    rule->step = ONE_OF(random, drawn, { CONSTANT, 0.7f, 0 }, { UNIFORM, 0.5f, 1.5f }, { BY_X, 0.5f, 2 });
    rule->across = ONE_OF(random, drawn, { CONSTANT, 2, 0 }, { UNIFORM, 0.5f, 4 }, { BY_K, 5, 0.5f });
    rule->ring_count = ONE_OF(random, drawn, { CONSTANT, 3, 0 }, { BELOW, 5, 0 }, { BY_K, 3, 2 });
    rule->distance = ONE_OF(random, drawn, { CONSTANT, 2, 0 }, { UNIFORM, 1.4f, 4.8f }, { BY_K, 3, 1 },
                            { BY_THING, 2, 0 });
    rule->angle = ONE_OF(random, drawn, { ABSENT, 0, 0 }, { UNIFORM, 0, 6.28f }, { CONSTANT, 1, 0 });
}

static void random_rule(test_random *random, plan_rule *rule, bool first)
{
    *rule = (plan_rule){ .stream = (int32_t)test_below(random, 3) - 1 };
    bool drawn = rule->stream >= 0;
    random_maker(random, rule, first);
    bool stepwise = rule->as_taken || rule->maker >= MR_MAKE_POINTS;
    rule->keep_first = ONE_OF(random, false, { ABSENT, 0, 0 }, { HIGH, -1, 0 }, { BY_K, 3, 0 });
    rule->keep_then = ONE_OF(random, drawn, { ABSENT, 0, 0 }, { CHANCE, 0.6f, 0 }, { HIGH_CHANCE, 0, 0.8f },
                             { HIGH, -2, 0 });
    rule->given = ONE_OF(random, false, { ABSENT, 0, 0 }, { BY_X, 0.5f, 2 });
    if (!stepwise) {
        rule->order = ONE_OF(random, drawn, { ABSENT, 0, 0 }, { UNIFORM, -5, 10 }, { BY_X, 0, 10 },
                             { BY_K, 7, -3 }, { BELOW, 3, 0 });
    }
    rule->size = ONE_OF(random, drawn, { ABSENT, 0, 0 }, { UNIFORM, 0.5f, 1.5f }, { SQUARED, 0.5f, 1.6f },
                        { BY_X, 1, 1 });
    rule->spacing = ONE_OF(random, false, { ABSENT, 0, 0 }, { CONSTANT, 2, 0 }, { BY_X, 1, 2 });
    rule->test = ONE_OF(random, false, { ABSENT, 0, 0 }, { CONSTANT, 0.5f, 0 }, { BY_X, 0.3f, 1 },
                        { BY_SIZE, 0.5f, 0 });
    rule->room = ONE_OF(random, false, { ABSENT, 0, 0 }, { CONSTANT, 0.7f, 0 }, { BY_X, 0.1f, 1 },
                        { BY_SIZE, 0.6f, 0 });
    if (rule->test.form == BY_SIZE && rule->size.form == ABSENT) {
        rule->test = (test_option){ CONSTANT, 0.25f, 0 };
    }
    if (rule->room.form == BY_SIZE && rule->size.form == ABSENT) {
        rule->room = (test_option){ BY_SPACING, 0.3f, 0 };
        rule->spacing = (test_option){ CONSTANT, 1.5f, 0 };
    }
    rule->test_none = test_below(random, 8) == 0;
    rule->pick = ONE_OF(random, drawn, { ABSENT, 0, 0 }, { CHANCE, 0.5f, 0 }, { BY_K, 2, 0 });
    for (int i = 0; i < 2; i++) {
        rule->choices[i].variant = ONE_OF(random, drawn, { ABSENT, 0, 0 }, { BELOW, 6, 0 }, { BY_K, 4, 0 });
        rule->choices[i].turn =
            ONE_OF(random, drawn, { ABSENT, 0, 0 }, { CONSTANT, 0.5f, 0 }, { UNIFORM, 0, 6 });
        rule->choices[i].size =
            ONE_OF(random, drawn, { ABSENT, 0, 0 }, { UNIFORM, 0.75f, 1.3f }, { CONSTANT, 2, 0 });
        rule->choices[i].sink = ONE_OF(random, drawn, { CONSTANT, 0.2f, 0 }, { UNIFORM, 0, 0.1f });
        rule->choices[i].height = ONE_OF(random, drawn, { ABSENT, 0, 0 }, { CONSTANT, 3, 0 });
    }
    rule->at_most = test_below(random, 3) == 0 ? test_below(random, 60) : UINT64_MAX;
    rule->group = (int32_t)test_below(random, 4) - 2;
    rule->group = rule->group < 0 ? -1 : rule->group;
    rule->group_at_most = test_below(random, 2) ? test_below(random, 90) : UINT64_MAX;
    rule->blocks = test_below(random, 5) != 0;
    rule->has_margin = test_below(random, 2);
    rule->margin = between(random, 0, 1);
}

static void random_disc(test_random *random, mr_scatter_disc *disc)
{
    *disc = (mr_scatter_disc){ between(random, -30, 30), between(random, -30, 30),
                               (float)pow(10, test_between(random, -1, 1)), "part" };
}

static void random_plan(test_random *random, test_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->rule_count = 1 + test_below(random, MOST_RULES);
    for (size_t i = 0; i < plan->rule_count; i++) {
        random_rule(random, &plan->rules[i], i == 0);
        snprintf(plan->rules[i].name, sizeof plan->rules[i].name, "r%zu", i);
    }
    for (int i = 0; i < 2; i++) {
        plan->streams[i] = (mr_scatter_stream){ test_u32(random), test_u32(random) };
        plan->group_caps[i] = test_below(random, 2) ? test_below(random, 100) : UINT64_MAX;
    }
    plan->clearance_count = test_below(random, MOST_DISCS);
    plan->keep_clear_count = test_below(random, MOST_DISCS);
    for (size_t i = 0; i < MOST_DISCS; i++) {
        random_disc(random, &plan->clearances[i]);
        random_disc(random, &plan->keep_clear[i]);
    }
    plan->footprint_count = test_below(random, 3);
    for (size_t i = 0; i < 3; i++) {
        float x0 = between(random, -10, 5);
        float z0 = between(random, -10, 5);
        plan->footprints[i] = (mr_scatter_footprint){ .x0 = x0,
                                                      .x1 = x0 + between(random, 0.5, 8),
                                                      .z0 = z0,
                                                      .z1 = z0 + between(random, 0.5, 8),
                                                      .at_x = between(random, -15, 15),
                                                      .at_z = between(random, -15, 15),
                                                      .scale = 1,
                                                      .clearance = between(random, 0, 2),
                                                      .part = "house" };
    }
}

// ---- the land they stand on ----

typedef struct test_ground {
    mr_raster *raster;
    mr_land *land;
    mr_spine *spine;
} test_ground;

static test_ground ground_of(mr_context *context)
{
    mr_error error;
    test_ground made;
    made.raster = mr_raster_create(context, -16, -16, 2, 33, 33, 2, &error);
    float *cells = mr_raster_layer_write(made.raster, "height", 0, &error);
    test_random random = { 77 };
    for (size_t i = 0; i < 37 * 37; i++) {
        cells[i] = between(&random, -3, 6);
    }
    made.land = mr_land_create(context, made.raster, 16, -30, &error);
    static const float points[] = { -28, -20, -5, -2, 8, -6, 25, 26 };
    made.spine = mr_spine_create(context, points, 4, true, &error);
    test_assert_ok(mr_land_add_spine(made.land, "path", made.spine, &error), &error);
    return made;
}

static void ground_end(test_ground *made)
{
    mr_spine_release(made->spine);
    mr_land_release(made->land);
    mr_raster_release(made->raster);
}

static void assert_same_item(size_t plan, size_t n, const mr_item *a, const mr_item *b)
{
    bool same = a->rule == b->rule && a->kind == b->kind && a->variant == b->variant && a->x == b->x &&
                a->y == b->y && a->z == b->z && a->turn == b->turn && a->size == b->size &&
                a->sink == b->sink && a->height == b->height && a->room == b->room;
    if (!same) {
        fail_msg("plan %zu, item %zu: rule %u kind %u variant %u at (%g, %g) turn %g size %g room %g, the "
                 "slow way rule "
                 "%u kind %u variant %u at (%g, %g) turn %g size %g room %g",
                 plan, n, a->rule, a->kind, a->variant, (double)a->x, (double)a->z, (double)a->turn,
                 (double)a->size, (double)a->room, b->rule, b->kind, b->variant, (double)b->x, (double)b->z,
                 (double)b->turn, (double)b->size, (double)b->room);
    }
}

static slow_run run;

static void check_plan(mr_context *context, size_t number, test_plan *plan, const test_ground *ground,
                       size_t *placed)
{
    memset(&run, 0, sizeof run);
    run.plan = plan;
    run.land = ground->land;
    run.spine = ground->spine;
    slow_scatter(&run);
    mr_arena arena;
    mr_arena_init(&arena, context);
    mr_scatter_result result;
    mr_error error;
    test_assert_ok(engine_run(context, plan, ground->land, ground->spine, &arena, &result, &error), &error);
    for (size_t i = 0; i < result.item_count && i < run.item_count; i++) {
        assert_same_item(number, i, &result.items[i], &run.items[i].item);
    }
    assert_int_equal(result.item_count, run.item_count);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(result.stream_states[i], run.streams[i].state);
    }
    for (size_t r = 0; r < plan->rule_count; r++) {
        const mr_rule_report *report = &result.reports[r];
        assert_int_equal(report->placed, run.placed[r]);
        assert_int_equal(report->candidates, run.tried[r]);
        assert_int_equal(report->off_land, run.off[r]);
        assert_int_equal(report->keep, run.kept_out[r]);
        assert_int_equal(report->footprint + report->clearance + report->keep_clear + report->blocked,
                         run.blocked[r]);
    }
    *placed += result.item_count;
    mr_arena_destroy(&arena);
}

static void any_rules_place_what_the_slow_way_places(void **state)
{
    test_ground ground = ground_of(*state);
    for (uint32_t i = 0; i < 40000; i++) {
        all_things[i] = i;
    }
    test_random random = { 2026 };
    size_t placed = 0;
    for (size_t number = 0; number < test_count(1000); number++) {
        static test_plan plan;
        random_plan(&random, &plan);
        check_plan(*state, number, &plan, &ground, &placed);
    }
    assert_true(placed > 10 * test_count(1000));
    ground_end(&ground);
}

static void one_two_and_seven_threads_place_the_same(void **state)
{
    (void)state;
    test_random random = { 9 };
    for (size_t number = 0; number < test_count(30); number++) {
        static test_plan plan;
        random_plan(&random, &plan);
        for (size_t r = 0; r < plan.rule_count; r++) {
            plan.rules[r].cell *= 0.3f; // enough candidates that they are shared out
        }
        static const uint32_t threads[] = { 1, 2, 7 };
        static mr_item items[40000];
        size_t count = 0;
        for (int t = 0; t < 3; t++) {
            mr_context *context = test_context_of(threads[t], 0);
            test_ground ground = ground_of(context);
            mr_arena arena;
            mr_arena_init(&arena, context);
            mr_scatter_result result;
            mr_error error;
            test_assert_ok(engine_run(context, &plan, ground.land, ground.spine, &arena, &result, &error),
                           &error);
            if (t == 0) {
                count = result.item_count;
                for (size_t i = 0; i < count; i++) {
                    items[i] = result.items[i];
                }
            }
            assert_int_equal(result.item_count, count);
            for (size_t i = 0; i < count; i++) {
                assert_same_item(number, i, &result.items[i], &items[i]);
            }
            mr_arena_destroy(&arena);
            ground_end(&ground);
            test_context_end(context);
        }
    }
}

static void a_rule_edit_moves_no_rule_of_another_stream(void **state)
{
    test_ground ground = ground_of(*state);
    static test_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.rule_count = 2;
    plan.streams[0] = (mr_scatter_stream){ 1, 1 };
    plan.streams[1] = (mr_scatter_stream){ 1, 2 };
    for (int i = 0; i < 2; i++) {
        plan.rules[i] = (plan_rule){ .maker = MR_MAKE_GRID,
                                     .cell = 4,
                                     .x0 = i ? 2.0f : -30.0f,
                                     .x1 = i ? 30.0f : -6.0f,
                                     .z0 = -30,
                                     .z1 = 30,
                                     .stream = i,
                                     .test = { CONSTANT, 0.5f, 0 },
                                     .at_most = UINT64_MAX,
                                     .group = -1,
                                     .blocks = true };
        snprintf(plan.rules[i].name, sizeof plan.rules[i].name, "r%d", i);
    }
    mr_item before[400];
    size_t count[2] = { 0 };
    for (int edit = 0; edit < 2; edit++) {
        plan.rules[0].cell = edit ? 3.0f : 4.0f;
        mr_arena arena;
        mr_arena_init(&arena, *state);
        mr_scatter_result result;
        mr_error error;
        test_assert_ok(engine_run(*state, &plan, ground.land, ground.spine, &arena, &result, &error), &error);
        for (size_t i = 0; i < result.item_count; i++) {
            if (result.items[i].rule == 1) {
                if (edit == 0) {
                    before[count[0]] = result.items[i];
                } else {
                    assert_same_item(0, i, &result.items[i], &before[count[1]]);
                }
                count[edit]++;
            }
        }
        mr_arena_destroy(&arena);
    }
    assert_int_equal(count[0], count[1]);
    assert_true(count[0] > 50);
    ground_end(&ground);
}

static void keys_say_where_a_thing_came_from(void **state)
{
    test_ground ground = ground_of(*state);
    static test_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.rule_count = 2;
    plan.rules[0] = (plan_rule){ .name = "oaks",
                                 .maker = MR_MAKE_GRID,
                                 .cell = 10,
                                 .x0 = -20,
                                 .x1 = 0,
                                 .z0 = -20,
                                 .z1 = 0,
                                 .test = { CONSTANT, 0.1f, 0 },
                                 .at_most = UINT64_MAX,
                                 .group = -1,
                                 .blocks = true };
    plan.rules[1] = (plan_rule){ .name = "ferns",
                                 .maker = MR_MAKE_RINGS,
                                 .ring_count = { CONSTANT, 2, 0 },
                                 .distance = { CONSTANT, 2, 0 },
                                 .test = { CONSTANT, 0.1f, 0 },
                                 .at_most = UINT64_MAX,
                                 .group = -1,
                                 .blocks = true };
    mr_arena arena;
    mr_arena_init(&arena, *state);
    mr_scatter_result result;
    mr_error error;
    test_assert_ok(engine_run(*state, &plan, ground.land, ground.spine, &arena, &result, &error), &error);
    assert_string_equal(result.items[0].key, "oaks/0,0");
    assert_string_equal(result.items[3].key, "oaks/1,1");
    assert_string_equal(result.items[4].key, "ferns/oaks/0,0/0");
    mr_arena_destroy(&arena);
    ground_end(&ground);
}

static void bad_numbers_name_the_rule_and_the_place(void **state)
{
    test_ground ground = ground_of(*state);
    static test_plan plan;
    static const struct {
        size_t option;
        float value;
        const char *message;
    } bad[] = {
        { offsetof(plan_rule, test), -1, "rule bad: test is -1 at (" },
        { offsetof(plan_rule, room), NAN, "rule bad: room is nan at (" },
        { offsetof(plan_rule, spacing), INFINITY, "rule bad: spacing is inf at (" },
        { offsetof(plan_rule, size), -2, "rule bad: size is -2 at (" },
        { offsetof(plan_rule, order), NAN, "rule bad: order is nan at (" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&plan, 0, sizeof plan);
        plan.rule_count = 1;
        plan.rules[0] = (plan_rule){ .name = "bad",
                                     .maker = MR_MAKE_GRID,
                                     .cell = 10,
                                     .x0 = -20,
                                     .x1 = 0,
                                     .z0 = -20,
                                     .z1 = 0,
                                     .test = { CONSTANT, 0.1f, 0 },
                                     .at_most = UINT64_MAX,
                                     .group = -1 };
        *(test_option *)((char *)&plan.rules[0] + bad[i].option) = (test_option){ CONSTANT, bad[i].value, 0 };
        mr_arena arena;
        mr_arena_init(&arena, *state);
        mr_scatter_result result;
        mr_error error;
        assert_false(engine_run(*state, &plan, ground.land, ground.spine, &arena, &result, &error));
        assert_text_contains(error.message, bad[i].message);
        mr_arena_destroy(&arena);
    }
    memset(&plan, 0, sizeof plan);
    plan.rule_count = 1;
    plan.rules[0] = (plan_rule){ .name = "bad",
                                 .maker = MR_MAKE_GRID,
                                 .cell = 1e-4f,
                                 .x0 = -1e6f,
                                 .x1 = 1e6f,
                                 .z0 = -1e6f,
                                 .z1 = 1e6f,
                                 .test = { CONSTANT, 0.1f, 0 },
                                 .at_most = UINT64_MAX,
                                 .group = -1 };
    mr_arena arena;
    mr_arena_init(&arena, *state);
    mr_scatter_result result;
    mr_error error;
    assert_false(engine_run(*state, &plan, ground.land, ground.spine, &arena, &result, &error));
    assert_text_contains(error.message, "a rule tries at most 1000000000");
    mr_arena_destroy(&arena);
    ground_end(&ground);
}

static void no_memory_is_an_error_and_leaks_nothing(void **state)
{
    test_random random = { 31 };
    static test_plan plan;
    do {
        random_plan(&random, &plan);
    } while (plan.rule_count < 5);
    for (uint64_t n = 1;; n++) {
        mr_context *context = test_context_of(1, 0);
        test_ground ground = ground_of(context);
        mr_arena arena;
        mr_arena_init(&arena, context);
        mr_scatter_result result;
        mr_error error;
        mr_memory_fail_after(context, n, true);
        bool whole = engine_run(context, &plan, ground.land, ground.spine, &arena, &result, &error);
        mr_memory_fail_after(context, 0, false);
        mr_arena_destroy(&arena);
        ground_end(&ground);
        test_context_end(context);
        if (whole) {
            assert_true(n > 10);
            return;
        }
        assert_true(error.status == MR_OUT_OF_MEMORY || error.status == MR_LIMIT);
    }
}

// A house turned about its place, and one twice as wide: against the corners worked out in f64, away from their very edges.
static void a_turned_footprint_keeps_its_own_ground_clear(void **state)
{
    test_ground ground = ground_of(*state);
    test_random random = { 12 };
    size_t inside = 0;
    for (size_t round = 0; round < test_count(40); round++) {
        static test_plan plan;
        memset(&plan, 0, sizeof plan);
        plan.rule_count = 1;
        plan.rules[0] = (plan_rule){ .name = "r",
                                     .maker = MR_MAKE_GRID,
                                     .cell = 1.5f,
                                     .x0 = -25,
                                     .x1 = 25,
                                     .z0 = -25,
                                     .z1 = 25,
                                     .stream = -1,
                                     .test = { CONSTANT, 0.1f, 0 },
                                     .room = { CONSTANT, 0, 0 },
                                     .at_most = UINT64_MAX,
                                     .group = -1 };
        mr_scatter_footprint *house = &plan.footprints[0];
        *house = (mr_scatter_footprint){ .x0 = -6,
                                         .x1 = 2,
                                         .z0 = -1,
                                         .z1 = 3,
                                         .at_x = between(&random, -10, 10),
                                         .at_z = between(&random, -10, 10),
                                         .turn = between(&random, -7, 7),
                                         .scale = between(&random, 0.5, 2),
                                         .clearance = between(&random, 0, 2) };
        plan.footprint_count = 1;
        mr_arena arena;
        mr_arena_init(&arena, *state);
        mr_scatter_result result;
        mr_error error;
        test_assert_ok(engine_run(*state, &plan, ground.land, ground.spine, &arena, &result, &error), &error);
        size_t placed = 0;
        for (int k = 0; k < 34 * 34; k++) {
            // Right-handed about +y: the part's +x leans to -z.
            double dx = -25 + 1.5 * (k % 34) + 0.75 - (double)house->at_x;
            double dz = -25 + 1.5 * (k / 34) + 0.75 - (double)house->at_z;
            double c = cos((double)house->turn);
            double s = sin((double)house->turn);
            double lx = dx * c - dz * s;
            double lz = dx * s + dz * c;
            double m = 0.1 + (double)house->clearance;
            double scale = (double)house->scale;
            double past = fmax(fmax(-6 * scale - m - lx, lx - 2 * scale - m),
                               fmax(-1 * scale - m - lz, lz - 3 * scale - m));
            bool stands = placed < result.item_count && result.items[placed].candidate == (uint32_t)k;
            placed += stands;
            inside += past < 0;
            assert_true(fabs(past) < 1e-4 || stands == (past > 0));
        }
        assert_int_equal(result.reports[0].candidates, 34 * 34);
        assert_int_equal(result.reports[0].footprint, 34 * 34 - result.item_count);
        mr_arena_destroy(&arena);
    }
    assert_true(inside > 100);
    ground_end(&ground);
}

// The index has levels by radius and cells by place: none of them may show, also where f32 is coarse.
static void discs_of_every_size_answer_as_a_list(void **state)
{
    enum { DISCS = 3000 };
    static float x[DISCS];
    static float z[DISCS];
    static float r[DISCS];
    test_random random = { 8 };
    mr_error error;
    for (size_t round = 0; round < test_count(12); round++) {
        mr_disc_index index;
        mr_disc_index_init(&index, *state);
        double middle = round % 3 == 0 ? 0 : pow(10, test_between(&random, 2, 7));
        double size = pow(10, test_between(&random, 0, 3));
        for (int i = 0; i < DISCS; i++) {
            x[i] = (float)(middle + test_between(&random, -size, size));
            z[i] = (float)(-middle + test_between(&random, -size, size));
            r[i] =
                i % 50 == 0 ? 0 : (float)(size * pow(10, test_between(&random, -5, round % 2 ? -1 : -2.5)));
            test_assert_ok(mr_disc_index_add(&index, x[i], z[i], r[i], &error), &error);
            float px = (float)(middle + test_between(&random, -size, size));
            float pz = (float)(-middle + test_between(&random, -size, size));
            if (i % 4 == 0) { // just touching
                px = x[i / 2] + r[i / 2];
                pz = z[i / 2];
            }
            float pr = (float)(size * pow(10, test_between(&random, -5, i % 100 == 0 ? 1 : -1.5)));
            bool clear = true;
            for (int k = 0; k <= i; k++) {
                clear &= !circles_meet(px, pz, pr, x[k], z[k], r[k]);
            }
            assert_int_equal(mr_disc_index_clear(&index, px, pz, pr), clear);
        }
        mr_disc_index_destroy(&index);
    }
}

static void a_cancelled_scatter_stops_and_leaks_nothing(void **state)
{
    static const mr_maker_kind makers[] = { MR_MAKE_GRID, MR_MAKE_POINTS, MR_MAKE_SPINE };
    for (int i = 0; i < 3; i++) {
        mr_context *context = test_context_of(2, 0);
        mr_error error;
        test_ground ground = ground_of(context);
        static test_plan plan;
        memset(&plan, 0, sizeof plan);
        plan.rule_count = 1;
        plan.rules[0] = (plan_rule){ .name = "r",
                                     .maker = makers[i],
                                     .cell = 0.2f,
                                     .x0 = -30,
                                     .x1 = 30,
                                     .z0 = -30,
                                     .z1 = 30,
                                     .to = 100,
                                     .step = { CONSTANT, 0.01f, 0 },
                                     .across = { CANCELS, 0, 0 },
                                     .keep_first = { CANCELS, 0, 0 },
                                     .stream = -1,
                                     .tries = 1000000,
                                     .test = { CONSTANT, 0.1f, 0 },
                                     .at_most = UINT64_MAX,
                                     .group = -1 };
        mr_arena arena;
        mr_arena_init(&arena, context);
        mr_scatter_result result;
        assert_false(engine_run(context, &plan, ground.land, ground.spine, &arena, &result, &error));
        assert_int_equal(error.status, MR_CANCELLED);
        mr_arena_destroy(&arena);
        ground_end(&ground);
        test_context_end(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_rules_place_what_the_slow_way_places, test_setup, test_teardown),
        cmocka_unit_test(one_two_and_seven_threads_place_the_same),
        cmocka_unit_test_setup_teardown(a_rule_edit_moves_no_rule_of_another_stream, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(keys_say_where_a_thing_came_from, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(bad_numbers_name_the_rule_and_the_place, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_turned_footprint_keeps_its_own_ground_clear, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(discs_of_every_size_answer_as_a_list, test_setup, test_teardown),
        cmocka_unit_test(a_cancelled_scatter_stops_and_leaks_nothing),
        cmocka_unit_test(no_memory_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
