// kernel/edges_runs.c: the second stage of the edge table: where runs of equal sides start, and what they are.

#include "kernel/edges_runs.h"

#include "base/thread.h"
#include "kernel/kernel.h"
#include "kernel/run_sides.h"

enum { GRAIN = 1 << 14 };

typedef struct side {
    int32_t lo, hi;
} side;

// The slots are read in the order's order, all over the mesh: a cache line that is asked for early is there in time.
enum { AHEAD = 24 };

static inline uint32_t slot_at(const mr_sorted_sides *sides, size_t place)
{
    return sides->order ? (uint32_t)sides->order[place] : (uint32_t)place;
}

static inline void ask_for(const mr_sorted_sides *sides, size_t place)
{
    if (sides->order && place < sides->places) {
        uint32_t slot = slot_at(sides, place);
        if (slot < sides->slots) {
            __builtin_prefetch(&sides->lo[slot]);
            __builtin_prefetch(&sides->hi[slot]);
        }
    }
}

static inline side side_at(const mr_sorted_sides *sides, size_t place)
{
    uint32_t slot = slot_at(sides, place);
    return slot < sides->slots ? (side){ sides->lo[slot], sides->hi[slot] }
                               : (side){ MR_SIDE_NONE, MR_SIDE_NONE };
}

static inline bool same(side a, side b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

typedef struct job {
    mr_context *context;
    const mr_sorted_sides *sides;
    int32_t *flag;
    const int32_t *starts;
    int32_t *a, *b, *fcount;
} job;

static bool flag_heads(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    const mr_sorted_sides sides = *j->sides;
    int32_t *flag = j->flag;
    side before = begin > 0 ? side_at(&sides, begin - 1) : (side){ MR_SIDE_NONE, MR_SIDE_NONE };
    for (size_t i = begin; i < end; i++) {
        ask_for(&sides, i + AHEAD);
        side here = side_at(&sides, i);
        flag[i] = here.lo != MR_SIDE_NONE && !same(here, before);
        before = here;
    }
    return mr_keep_going(j->context, error);
}

bool mr_edge_heads(mr_context *context, const mr_sorted_sides *sides, int32_t *flag, mr_error *error)
{
    job j = { .context = context, .sides = sides, .flag = flag };
    return mr_parallel_for(context, sides->places, GRAIN, flag_heads, &j, error);
}

static bool write_rows(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job j = *(const job *)argument;
    const mr_sorted_sides sides = *j.sides;
    size_t walked = 0, asked = 0;
    for (size_t e = begin; e < end; e++) {
        size_t start = (uint32_t)j.starts[e], place = start;
        for (asked = asked > start ? asked : start; sides.order && asked < start + AHEAD; asked++) {
            ask_for(&sides, asked);
        }
        side edge = start < sides.places ? side_at(&sides, start) : (side){ MR_SIDE_NONE, MR_SIDE_NONE };
        bool is = edge.lo != MR_SIDE_NONE;
        while (is && ++place < sides.places && same(side_at(&sides, place), edge)) {
            // Starts that are no heads can make many edges walk one long run.
            if (++walked % GRAIN == 0 && !mr_keep_going(j.context, error)) {
                return false;
            }
        }
        j.a[e] = is ? edge.lo : -1;
        j.b[e] = is ? edge.hi : -1;
        j.fcount[e] = (int32_t)(place - start);
    }
    return mr_keep_going(j.context, error);
}

bool mr_edge_table_rows(mr_context *context, const mr_sorted_sides *sides, const int32_t *starts,
                        size_t edges, int32_t *a, int32_t *b, int32_t *fcount, mr_error *error)
{
    job j = { .context = context, .sides = sides, .starts = starts, .a = a, .b = b, .fcount = fcount };
    return mr_parallel_for(context, edges, GRAIN, write_rows, &j, error);
}

enum { LO, HI, ORDER, STARTS, FLAG, A, B, FCOUNT, DOMAIN_COUNT };
enum { N };
enum { COUNT, STAGE };
enum { COUNT_DEVICE = 1, STAGE_HEADS = 0 };

// How many sorted places there are. In the table's stage the domain is the edges, so its count, which states the
// places, is not to be held to it.
static size_t live_places(const mr_kernel_call *call)
{
    size_t order = call->slots[ORDER].count, places = call->params[N].u32;
    if (call->choices[COUNT] == COUNT_DEVICE) {
        const mr_kernel_slot *count = &call->slots[DOMAIN_COUNT];
        places = count->element == MR_I32 && count->i32[0] < 0 ? 0 : count->u32[0];
    }
    return places < order ? places : order;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots;
    size_t slot_count = slots[LO].count < slots[HI].count ? slots[LO].count : slots[HI].count;
    mr_sorted_sides sides = { slots[LO].i32, slots[HI].i32, slot_count, slots[ORDER].i32, live_places(call) };
    if (call->choices[STAGE] == STAGE_HEADS) {
        sides.places = sides.places < call->n ? sides.places : call->n;
        if (call->n > sides.places) {
            memset(slots[FLAG].i32 + sides.places, 0, (call->n - sides.places) * 4);
        }
        return mr_edge_heads(call->context, &sides, slots[FLAG].i32, error);
    }
    return mr_edge_table_rows(call->context, &sides, slots[STARTS].i32, call->n, slots[A].i32, slots[B].i32,
                              slots[FCOUNT].i32, error);
}

const mr_kernel mr_kernel_edges_runs = {
    .name = "edges_runs",
    .summary =
        "Turns a mesh's sides, sorted by their points, into its table of edges: first flags where each "
        "edge's "
        "run starts, then, of the runs that start at given places, writes the two points and how many sides.",
    .determinism = MR_EXACT,
    .gpu = "exact: whole numbers, a slot an invocation",
    .bindings = { { .name = "lo",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc = "the sides' lower points, as edges writes them" },
                  { .name = "hi",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc = "the sides' higher points" },
                  { .name = "order",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .doc = "the slots sorted by hi and then, stably, by lo; one out of range holds no side" },
                  { .name = "starts",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=table",
                    .doc = "the places where edges start: the flags, compacted" },
                  { .name = "flag",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=heads",
                    .doc = "1 where a place starts an edge" },
                  { .name = "a",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=table",
                    .doc = "each edge's lower point, -1 where there is no edge" },
                  { .name = "b",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=table",
                    .doc = "each edge's higher point, -1 where there is no edge" },
                  { .name = "fcount",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=table",
                    .doc =
                        "its sides: 1 of an open edge, at most 2 of a manifold one, 0 where there is none" },
                  MR_KERNEL_DOMAIN_COUNT },
    .params = { { .name = "n",
                  .type = MR_U32,
                  .value = UINT32_MAX,
                  .doc = "plain: the sorted places, where they are fewer than order's" } },
    .specializations = { MR_KERNEL_COUNT,
                         { .name = "STAGE",
                           .options = "heads table",
                           .doc =
                               "heads: over the sorted places; table: over the edges. Over a live count both "
                               "take that of the sorted places" } },
    .run = run,
};
