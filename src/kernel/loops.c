// kernel/loops.c: directed edges become linked lists: which edge follows which, and where chains begin.
//
// A point may have many edges leave it and many enter it. The least that enters is followed by the least that leaves;
// the others end and begin chains there. So every edge has at most one ahead of it and one behind, whatever the mesh.

#include "base/thread.h"
#include "kernel/kernel.h"
#include "kernel/run_sides.h"

enum { GRAIN = 1 << 14 };

enum {
    TAIL,
    TIP,
    LEAVING_CLEARED,
    ENTERING_CLEARED,
    LEAVING_CLAIMED,
    ENTERING_CLAIMED,
    LEAVING,
    ENTERING,
    NEXT,
    HEAD
};
enum { N, NPTS };
enum { COUNT, STAGE };
enum { COUNT_DEVICE = 1, STAGE_CLEAR = 0, STAGE_CLAIM = 1 };

typedef struct job {
    mr_context *context;
    const int32_t *tail, *tip;
    size_t edges;
    int32_t *claims[2]; // the least edge that leaves each point, and that enters it
    size_t points;
    int32_t *next, *head;
} job;

static bool clear(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t p = begin; p < end; p++) {
        j->claims[0][p] = MR_SIDE_NONE;
        j->claims[1][p] = MR_SIDE_NONE;
    }
    return mr_keep_going(j->context, error);
}

// One run an end: edges claim the points at one end in turn, while another thread sees to the other end.
static bool claim(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t side = begin; side < end; side++) {
        const int32_t *ends = side == 0 ? j->tail : j->tip;
        int32_t *claims = j->claims[side];
        for (size_t e = 0; e < j->edges; e++) {
            size_t point = (uint32_t)ends[e];
            if (point < j->points && (int32_t)e < claims[point]) {
                claims[point] = (int32_t)e;
            }
            if (e % GRAIN == 0 && !mr_keep_going(j->context, error)) {
                return false;
            }
        }
    }
    return true;
}

// Whether edge f is followed by edge g at a point. Claims that no claim stage made are not trusted.
static inline bool linked(const job *j, size_t f, size_t g, size_t point)
{
    return f < j->edges && g < j->edges && (uint32_t)j->tip[f] == point && (uint32_t)j->tail[g] == point;
}

static bool link_edges(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t e = begin; e < end; e++) {
        size_t from = (uint32_t)j->tail[e], to = (uint32_t)j->tip[e];
        j->next[e] = (int32_t)e;
        j->head[e] = 1;
        if (to < j->points && j->claims[1][to] == (int32_t)e) {
            size_t after = (uint32_t)j->claims[0][to];
            j->next[e] = (int32_t)(linked(j, e, after, to) ? after : e);
        }
        if (from < j->points && j->claims[0][from] == (int32_t)e) {
            size_t before = (uint32_t)j->claims[1][from];
            j->head[e] = before == e || !linked(j, before, e, from);
        }
    }
    return mr_keep_going(j->context, error);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots;
    bool device = call->choices[COUNT] == COUNT_DEVICE;
    uint8_t stage = call->choices[STAGE];
    size_t leaving = stage == STAGE_CLEAR   ? LEAVING_CLEARED
                     : stage == STAGE_CLAIM ? LEAVING_CLAIMED
                                            : LEAVING;
    job j = {
        .context = call->context,
        .tail = slots[TAIL].i32,
        .tip = slots[TIP].i32,
        .edges = device ? call->live : least(call->n, call->params[N].u32),
        .claims = { slots[leaving].i32, slots[leaving + 1].i32 },
        .points = least(slots[leaving].count, slots[leaving + 1].count),
        .next = slots[NEXT].i32,
        .head = slots[HEAD].i32,
    };
    if (stage == STAGE_CLEAR) {
        return mr_parallel_for(call->context, call->n, GRAIN, clear, &j, error);
    }
    j.points = device ? j.points : least(j.points, call->params[NPTS].u32);
    if (stage == STAGE_CLAIM) {
        return mr_parallel_for(call->context, 2, 1, claim, &j, error);
    }
    for (size_t e = j.edges; e < call->n; e++) {
        j.next[e] = (int32_t)e;
        j.head[e] = 0;
    }
    return mr_parallel_for(call->context, j.edges, GRAIN, link_edges, &j, error);
}

#define CLAIMS(binding, by, when_stage, how, holds)                                                          \
    {                                                                                                        \
        .name = binding, .access = how, .element = MR_TAKES_I32, .count = holds,                             \
        .when = "STAGE=" when_stage,                                                                         \
        .doc = "a word a point: the least edge that " by " it, 2147483647 while there is none",              \
    }

const mr_kernel mr_kernel_loops = {
    .name = "loops",
    .summary = "Links every directed edge to the one that follows it, and marks the edges that begin a "
               "chain, in three "
               "stages: the points' words are cleared, edges claim their ends, and claims become links.",
    .determinism = MR_EXACT,
    .gpu = "exact: claims are the least of whole numbers",
    .bindings = { { .name = "tail",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=claim; STAGE=link",
                    .doc = "the point each edge leaves; out of range, nothing leads to it" },
                  { .name = "tip",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=claim; STAGE=link",
                    .doc = "the point each edge enters; out of range, nothing follows it" },
                  CLAIMS("leaving", "leaves", "clear", MR_WRITE, "n"),
                  CLAIMS("entering", "enters", "clear", MR_WRITE, "n"),
                  CLAIMS("leaving", "leaves", "claim", MR_IN_PLACE, NULL),
                  CLAIMS("entering", "enters", "claim", MR_IN_PLACE, NULL),
                  CLAIMS("leaving", "leaves", "link", MR_READ, NULL),
                  CLAIMS("entering", "enters", "link", MR_READ, NULL),
                  { .name = "next",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=link",
                    .doc = "the edge that follows, or the edge itself at a chain's end" },
                  { .name = "head",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=link",
                    .doc =
                        "1 of an edge that follows none; an edge from a point to itself is a chain of one" },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "n",
                  .type = MR_U32,
                  .value = UINT32_MAX,
                  .doc = "plain, claim and link: the edges, where they are fewer than the domain" },
                { .name = "npts",
                  .type = MR_U32,
                  .value = UINT32_MAX,
                  .doc = "plain, claim and link: the points, where they are fewer than their words" } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "STAGE",
                           .options = "clear claim link",
                           .doc = "clear: over the points; claim and link: over the edges" } },
    .run = run,
};
