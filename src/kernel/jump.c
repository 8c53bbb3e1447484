// kernel/jump.c: one round of pointer jumping, three ways.
//
// A link is read with the value it leads to. Where links lead all over memory the two are laid side by side first, so
// that a step waits for one cache line and not for two, and are asked for ahead of their use. Links that run beside
// each other, as most do that a mesh or a curve made, are read as they stand.

#include "kernel/jump.h"

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/kernel.h"

enum { GRAIN = 1 << 14 };
enum { AHEAD = 48 };      // elements
enum { LARGE = 1 << 18 }; // elements, of which caches hold less
enum { SAMPLES = 1024 };

typedef struct step {
    uint32_t link;
    uint32_t value;
} step;

typedef struct job {
    mr_context *context;
    const mr_jump *jump;
    uint32_t n;
    step *steps;
} job;

static inline uint32_t link_of(const int32_t *parent, uint32_t n, uint32_t i)
{
    uint32_t link = (uint32_t)parent[i];
    return link < n ? link : i;
}

static inline uint32_t meet(bool ranks, bool ends, uint32_t own, uint32_t ahead)
{
    return ranks ? own + (ends ? 0 : ahead) : (int32_t)own < (int32_t)ahead ? own : ahead;
}

static inline bool jump_in_place(const job *j, size_t begin, size_t end, bool ranks, mr_error *error)
{
    uint32_t n = j->n;
    const int32_t *restrict parent = j->jump->parent, *restrict value = j->jump->value;
    int32_t *restrict parent_out = j->jump->parent_out, *restrict value_out = j->jump->value_out;
    for (uint32_t i = (uint32_t)begin, last = (uint32_t)end; i < last; i++) {
        uint32_t link = link_of(parent, n, i);
        parent_out[i] = (int32_t)link_of(parent, n, link);
        value_out[i] = (int32_t)meet(ranks, link == i, (uint32_t)value[i], (uint32_t)value[link]);
    }
    return mr_keep_going(j->context, error);
}

static inline bool jump_steps(const job *j, size_t begin, size_t end, bool ranks, mr_error *error)
{
    size_t n = j->n;
    const step *restrict steps = j->steps;
    int32_t *restrict parent_out = j->jump->parent_out, *restrict value_out = j->jump->value_out;
    for (size_t i = begin; i < end; i++) {
        __builtin_prefetch(&steps[steps[i + AHEAD < n ? i + AHEAD : i].link]);
        step own = steps[i], ahead = steps[own.link];
        parent_out[i] = (int32_t)ahead.link;
        value_out[i] = (int32_t)meet(ranks, own.link == i, own.value, ahead.value);
    }
    return mr_keep_going(j->context, error);
}

static bool rank_round(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    return j->steps ? jump_steps(j, begin, end, true, error) : jump_in_place(j, begin, end, true, error);
}

static bool min_round(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    return j->steps ? jump_steps(j, begin, end, false, error) : jump_in_place(j, begin, end, false, error);
}

static bool lay_steps(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const int32_t *parent = j->jump->parent, *value = j->jump->value;
    step *restrict steps = j->steps;
    for (size_t i = begin; i < end; i++) {
        steps[i] = (step){ link_of(parent, j->n, (uint32_t)i), (uint32_t)value[i] };
    }
    return mr_keep_going(j->context, error);
}

// Whether neighbours' links lead apart, of some of the elements. It decides how they are read, not what is answered.
static bool are_scattered(const mr_jump *jump, uint32_t n)
{
    size_t apart = 0;
    for (uint32_t k = 0; n >= LARGE && k < SAMPLES; k++) {
        uint32_t i = k * ((n - 1) / SAMPLES);
        int64_t from = (int64_t)link_of(jump->parent, n, i), to = (int64_t)link_of(jump->parent, n, i + 1);
        apart += to - from > 64 || from - to > 64;
    }
    return apart > SAMPLES / 4;
}

static bool run_round(mr_context *context, const mr_jump *jump, size_t n, mr_range_body body, mr_error *error)
{
    job j = { context, jump, (uint32_t)n, NULL };
    size_t size;
    if (n > INT32_MAX || !mr_size_multiply(n, sizeof *j.steps, &size)) {
        return mr_fail(error, MR_LIMIT, "%zu elements are more than 32-bit links can number", n);
    }
    if (are_scattered(jump, j.n)) {
        j.steps = mr_buffer_take(context, size, error);
        if (!j.steps || !mr_parallel_for(context, n, GRAIN, lay_steps, &j, error)) {
            mr_buffer_release(context, j.steps);
            return false;
        }
    }
    bool good = mr_parallel_for(context, n, GRAIN, body, &j, error);
    mr_buffer_release(context, j.steps);
    return good;
}

bool mr_jump_rank(mr_context *context, const mr_jump *jump, size_t n, mr_error *error)
{
    return run_round(context, jump, n, rank_round, error);
}

bool mr_jump_min(mr_context *context, const mr_jump *jump, size_t n, mr_error *error)
{
    return run_round(context, jump, n, min_round, error);
}

enum { PARENT, VALUE, LA, LB, PARENT_OUT, VALUE_OUT, LABEL, CHANGED };
enum { N };
enum { COUNT, MODE };
enum { COUNT_DEVICE = 1, MODE_RANK = 0, MODE_LABEL = 2 };

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots;
    size_t named = call->params[N].u32;
    size_t live = call->choices[COUNT] == COUNT_DEVICE || call->live < named ? call->live : named;
    if (call->choices[MODE] == MODE_LABEL) {
        size_t changed;
        if (!mr_jump_label(call->context, slots[LA].i32, slots[LB].i32, live, slots[LABEL].i32,
                           slots[LABEL].count, &changed, error)) {
            return false;
        }
        slots[CHANGED].i32[0] = (int32_t)changed;
        return true;
    }
    mr_jump jump = { slots[PARENT].i32, slots[VALUE].i32, slots[PARENT_OUT].i32, slots[VALUE_OUT].i32 };
    for (size_t i = live; i < call->n; i++) {
        jump.parent_out[i] = (int32_t)i;
        jump.value_out[i] = 0;
    }
    return call->choices[MODE] == MODE_RANK ? mr_jump_rank(call->context, &jump, live, error)
                                            : mr_jump_min(call->context, &jump, live, error);
}

const mr_kernel mr_kernel_jump = {
    .name = "jump",
    .summary =
        "A round of pointer jumping: every element takes the link of the one it links to, and adds up the "
        "distance or keeps the least value on the way; or gives connected elements their least label.",
    .source =
        "J. Wyllie, The Complexity of Parallel Computations (1979); S. Jayanti and R. Tarjan, A Randomized "
        "Concurrent Algorithm for Disjoint Set Union (2016); J. Jaiganesh and M. Burtscher, A "
        "High-Performance "
        "Connected Components Implementation for GPUs (2018)",
    .determinism = MR_EXACT,
    .gpu = "exact: rank and min are double-buffered whole numbers; of label the final labels are, and a "
           "device that "
           "propagates them may take more rounds",
    .bindings = { { .name = "parent",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "MODE=rank; MODE=min",
                    .doc = "what each element links to; itself, or out of range, at an end" },
                  { .name = "value",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "MODE=rank; MODE=min",
                    .doc =
                        "the distance to the link, or the least label so far; of an end, when ranking, 0" },
                  { .name = "la",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "MODE=label",
                    .doc = "one element of each pair; out of range, the pair joins nothing" },
                  { .name = "lb",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "MODE=label",
                    .doc = "the other" },
                  { .name = "parent_out",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "MODE=rank; MODE=min",
                    .doc = "the link's link; past the live count the slot itself" },
                  { .name = "value_out",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "MODE=rank; MODE=min",
                    .doc = "the sum, which wraps past 32 bits, or the lesser; past the live count 0" },
                  { .name = "label",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_I32,
                    .when = "MODE=label",
                    .doc = "a label an element; becomes the least of its set" },
                  { .name = "changed",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "1",
                    .when = "MODE=label",
                    .doc = "how many labels this round changed; 0 once all are final" },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "n",
                  .type = MR_U32,
                  .value = UINT32_MAX,
                  .doc = "plain: elements or pairs, where they are fewer than the domain" } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "MODE",
                           .options = "rank min label",
                           .doc = "rank: distance along links; min: least value along them; label: least "
                                  "label of "
                                  "connected sets, over pairs" } },
    .run = run,
};
