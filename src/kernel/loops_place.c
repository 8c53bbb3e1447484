// kernel/loops_place.c: the ring of every edge, and how far along it the edge stands.

#include "base/thread.h"
#include "kernel/kernel.h"

enum { GRAIN = 1 << 14 };
enum { ROOT, HEAD, HEADOF_CLAIMED, RANK, HEADOF, RING, POS };
enum { N };
enum { COUNT, STAGE };
enum { COUNT_DEVICE = 1, STAGE_CLAIM = 0 };

typedef struct job {
    const mr_kernel_call *call;
    size_t edges;
} job;

// First edges are few, and are taken in turn: of two that claim one end, which no list has, the lesser holds it.
static bool claim(const job *j, mr_error *error)
{
    const mr_kernel_slot *slots = j->call->slots;
    int32_t *headof = slots[HEADOF_CLAIMED].i32;
    memset(headof, 0xff, j->call->n * sizeof *headof);
    for (size_t e = 0; e < j->edges; e++) {
        size_t root = (uint32_t)slots[ROOT].i32[e];
        if (slots[HEAD].i32[e] != 0 && root < j->edges && headof[root] < 0) {
            headof[root] = (int32_t)e;
        }
        if (e % GRAIN == 0 && !mr_keep_going(j->call->context, error)) {
            return false;
        }
    }
    return true;
}

static bool place(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_kernel_slot *slots = j->call->slots;
    for (size_t e = begin; e < end; e++) {
        size_t root = (uint32_t)slots[ROOT].i32[e];
        size_t first = root < j->edges ? (uint32_t)slots[HEADOF].i32[root] : UINT32_MAX;
        bool placed = first < j->edges;
        slots[RING].i32[e] = placed ? (int32_t)first : -1;
        slots[POS].u32[e] = placed ? slots[RANK].u32[first] - slots[RANK].u32[e] : 0;
    }
    return mr_keep_going(j->call->context, error);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    size_t named = call->params[N].u32;
    bool held = call->choices[COUNT] != COUNT_DEVICE && named < call->n;
    job j = { call, held ? named : call->live };
    if (call->choices[STAGE] == STAGE_CLAIM) {
        return claim(&j, error);
    }
    for (size_t e = j.edges; e < call->n; e++) {
        call->slots[RING].i32[e] = -1;
        call->slots[POS].i32[e] = 0;
    }
    return mr_parallel_for(call->context, j.edges, GRAIN, place, &j, error);
}

const mr_kernel mr_kernel_loops_place = {
    .name = "loops_place",
    .summary = "Gives every edge of ranked lists its ring, which is its list's first edge, and its position "
               "along it.",
    .determinism = MR_EXACT,
    .gpu = "exact: whole numbers; a list has one first edge, so no two claim one word",
    .bindings = { { .name = "root",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "the last edge of each edge's list: what jump's rank rounds leave as parents" },
                  { .name = "head",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=claim",
                    .doc = "not 0 of the first edge of a list, as loops_cut marks them" },
                  { .name = "headof",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=claim",
                    .doc = "at a list's last edge its first edge, -1 elsewhere" },
                  { .name = "rank",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=place",
                    .doc = "how many edges follow each in its list" },
                  { .name = "headof",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=place",
                    .doc = "what the stage claim wrote" },
                  { .name = "ring",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=place",
                    .doc = "the first edge of the edge's list, -1 where there is none" },
                  { .name = "pos",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=place",
                    .doc = "how many edges of the ring are ahead of it, counted from the first" },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "n",
                  .type = MR_U32,
                  .value = UINT32_MAX,
                  .doc = "plain: the edges, where they are fewer than the domain" } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "STAGE",
                           .options = "claim place",
                           .doc =
                               "claim: lists' ends learn their first edges; place: every edge reads them" } },
    .run = run,
};
