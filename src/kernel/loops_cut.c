// kernel/loops_cut.c: where lists of linked edges start, and the links cut that lead to a start.

#include "base/thread.h"
#include "kernel/kernel.h"

enum { GRAIN = 1 << 14 };
enum { NEXT, HEAD0, LABEL, PAR, HEAD_FOUND, HEAD, CUT };
enum { N };
enum { COUNT, STAGE };
enum { COUNT_DEVICE = 1, STAGE_HEAD = 0 };

typedef struct job {
    const mr_kernel_call *call;
    size_t edges;
} job;

static inline size_t next_of(const job *j, size_t e)
{
    size_t next = (uint32_t)j->call->slots[NEXT].i32[e];
    return next < j->edges ? next : e;
}

// An edge as many steps ahead as there are edges stands at a chain's end, which links to itself, or on a ring, where
// none does.
static bool find_heads(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_kernel_slot *slots = j->call->slots;
    for (size_t e = begin; e < end; e++) {
        size_t ahead = (uint32_t)slots[PAR].i32[e];
        bool least = slots[LABEL].i32[e] == (int32_t)e;
        bool rings = least && ahead < j->edges && next_of(j, ahead) != ahead;
        slots[HEAD_FOUND].i32[e] = slots[HEAD0].i32[e] != 0 || rings;
    }
    return mr_keep_going(j->call->context, error);
}

static bool cut_links(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_kernel_slot *slots = j->call->slots;
    for (size_t e = begin; e < end; e++) {
        size_t next = next_of(j, e);
        slots[CUT].i32[e] = (int32_t)(slots[HEAD].i32[next] != 0 ? e : next);
    }
    return mr_keep_going(j->call->context, error);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    size_t named = call->params[N].u32;
    bool held = call->choices[COUNT] != COUNT_DEVICE && named < call->n;
    bool heads = call->choices[STAGE] == STAGE_HEAD;
    job j = { call, held ? named : call->live };
    for (size_t e = j.edges; e < call->n; e++) {
        call->slots[heads ? HEAD_FOUND : CUT].i32[e] = heads ? 0 : (int32_t)e;
    }
    return mr_parallel_for(call->context, j.edges, GRAIN, heads ? find_heads : cut_links, &j, error);
}

const mr_kernel mr_kernel_loops_cut = {
    .name = "loops_cut",
    .summary =
        "Finds the first edge of every chain and ring of linked edges (a ring's is its least), and ends each "
        "list at the edge before it.",
    .determinism = MR_EXACT,
    .gpu = "exact: whole numbers, a slot an invocation",
    .bindings = { { .name = "next",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "the edge that follows each; itself, or out of range, at an end" },
                  { .name = "head0",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=head",
                    .doc = "not 0 of an edge that begins a chain, as loops marks them" },
                  { .name = "label",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=head",
                    .doc = "the least edge within reach, from ceil(log2 n) rounds of jump's min" },
                  { .name = "par",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=head",
                    .doc = "the edge that many steps ahead, from the same rounds" },
                  { .name = "head",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=head",
                    .doc = "1 of the first edge of every list" },
                  { .name = "head",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=cut",
                    .doc = "what the stage head wrote" },
                  { .name = "cut",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=cut",
                    .doc = "the edge that follows, or the edge itself where its list ends" },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "n",
                  .type = MR_U32,
                  .value = UINT32_MAX,
                  .doc = "plain: the edges, where they are fewer than the domain" } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "STAGE", .options = "head cut", .doc = "which of the two is written" } },
    .run = run,
};
