// kernel/jump.c: one round of pointer jumping, three ways.

#include "kernel/jump.h"

#include "base/thread.h"
#include "kernel/kernel.h"

enum { GRAIN = 1 << 14 };

typedef struct job {
    mr_context *context;
    const mr_jump *jump;
    size_t n;
} job;

static inline size_t link_of(const mr_jump *jump, size_t n, size_t i)
{
    size_t link = (uint32_t)jump->parent[i];
    return link < n ? link : i;
}

static bool rank_round(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_jump *jump = j->jump;
    for (size_t i = begin; i < end; i++) {
        size_t link = link_of(jump, j->n, i);
        uint32_t ahead = link == i ? 0 : (uint32_t)jump->value[link];
        jump->parent_out[i] = (int32_t)link_of(jump, j->n, link);
        jump->value_out[i] = (int32_t)((uint32_t)jump->value[i] + ahead);
    }
    return mr_keep_going(j->context, error);
}

static bool min_round(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_jump *jump = j->jump;
    for (size_t i = begin; i < end; i++) {
        size_t link = link_of(jump, j->n, i);
        int32_t own = jump->value[i], ahead = jump->value[link];
        jump->parent_out[i] = (int32_t)link_of(jump, j->n, link);
        jump->value_out[i] = own < ahead ? own : ahead;
    }
    return mr_keep_going(j->context, error);
}

bool mr_jump_rank(mr_context *context, const mr_jump *jump, size_t n, mr_error *error)
{
    job j = { context, jump, n };
    return mr_parallel_for(context, n, GRAIN, rank_round, &j, error);
}

bool mr_jump_min(mr_context *context, const mr_jump *jump, size_t n, mr_error *error)
{
    job j = { context, jump, n };
    return mr_parallel_for(context, n, GRAIN, min_round, &j, error);
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
