// kernel/hash_batch.c: which queries share their candidates.

#include "kernel/hash_batch.h"

#include "base/isa.h"
#include "base/memory.h"
#include "base/thread.h"

MR_ISA_TABLES(mr_hash_tile_kernels, mr_hash_tile_kernels);

enum {
    GROUP = 64,     // queries looked at together: the bits of a word
    TILE_CELLS = 8, // cells of a row that share: candidates grow with them, and look-ups a query fall
    AHEAD = 32,     // places read ahead of a row
    GRAIN = 1024
};

typedef struct group {
    uint32_t query[GROUP];
    float q[GROUP][3];
    mr_hash_cell cell[GROUP];
} group;

typedef struct asking {
    mr_context *context;
    const mr_hash_batch *batch;
    void *argument;
    const mr_hash_tile_kernels *kernels;
    float squared;
    mr_hash_tile *tile;
    uint32_t *near; // of one query that is asked alone
    size_t room;
    group group;
} asking;

static void load_query(const mr_hash_batch *batch, size_t turn, group *g, size_t i)
{
    uint32_t query = batch->turns ? batch->turns[turn] : (uint32_t)turn;
    g->query[i] = query;
    if (batch->queries) {
        memcpy(g->q[i], batch->queries + 3 * (size_t)query, sizeof g->q[i]);
    } else {
        mr_hash_place(batch->index, query, g->q[i]);
    }
    g->cell[i] = mr_hash_cell_of(g->q[i], batch->index->inv_cell);
}

static bool grow(asking *a, mr_error *error)
{
    size_t room = 2 * a->room;
    uint32_t *more = mr_buffer_take(a->context, room * sizeof *more, error);
    if (!more) {
        return false;
    }
    memcpy(more, a->near, a->room * sizeof *more);
    mr_buffer_discard(a->context, a->near);
    a->near = more;
    a->room = room;
    return true;
}

// One query's own walk: where there are no others by it, or more candidates than a tile holds.
static bool ask_alone(asking *a, size_t i, mr_error *error)
{
    const mr_hash_batch *batch = a->batch;
    size_t count = 0;
    mr_hash_walk walk;
    mr_hash_walk_begin(&walk, batch->index, a->group.q[i], batch->radius);
    for (uint32_t place; mr_hash_walk_next(&walk, &place);) {
        if (count == a->room && !grow(a, error)) {
            return false;
        }
        a->near[count++] = batch->points ? batch->index->order[place] : place;
    }
    return batch->answer(a->argument, a->group.query[i], a->near, count, error);
}

// The cells about all of the queries in `those`: the least of their positions has the least cells, and the greatest the
// greatest.
static mr_hash_box box_of(const asking *a, uint64_t those)
{
    const group *g = &a->group;
    float low[3], high[3], reach = mr_hash_reach(a->squared);
    memcpy(low, g->q[__builtin_ctzll(those)], sizeof low);
    memcpy(high, low, sizeof high);
    for (those &= those - 1u; those; those &= those - 1u) {
        const float *q = g->q[__builtin_ctzll(those)];
        for (int k = 0; k < 3; k++) {
            low[k] = q[k] < low[k] ? q[k] : low[k];
            high[k] = q[k] > high[k] ? q[k] : high[k];
        }
    }
    return (mr_hash_box){ mr_hash_box_about(a->batch->index, low, reach).low,
                          mr_hash_box_about(a->batch->index, high, reach).high };
}

// False where the candidates are too many, or every place is one.
static bool fill_tile(const asking *a, uint64_t those)
{
    const mr_hash_index *index = a->batch->index;
    mr_hash_tile *tile = a->tile;
    mr_hash_walk walk;
    mr_hash_walk_over(&walk, index, a->group.q[__builtin_ctzll(those)], a->squared, box_of(a, those));
    if (walk.whole) {
        return false;
    }
    tile->count = 0;
    do {
        if (walk.at < walk.end) {
            if (walk.end - walk.at > MR_HASH_TILE - tile->count) {
                return false;
            }
            // The next tile's row goes on from here.
            __builtin_prefetch(index->x + walk.end + AHEAD);
            __builtin_prefetch(index->y + walk.end + AHEAD);
            __builtin_prefetch(index->z + walk.end + AHEAD);
            a->kernels->collect(index, walk.at, walk.end, walk.row_y, walk.row_z, a->batch->points, tile);
        }
    } while (mr_hash_walk_run(&walk));
    for (uint32_t i = 0; i < 16; i++) {
        tile->x[tile->count + i] = __builtin_nanf("");
    }
    return true;
}

// The queries of `left` that stand in the row of the first of them and at most TILE_CELLS along.
static uint64_t beside_first(const group *g, uint64_t left)
{
    const mr_hash_cell first = g->cell[__builtin_ctzll(left)];
    uint64_t those = 0;
    for (; left; left &= left - 1u) {
        const mr_hash_cell *cell = &g->cell[__builtin_ctzll(left)];
        bool beside =
            cell->y == first.y && cell->z == first.z && (uint32_t)cell->x - (uint32_t)first.x < TILE_CELLS;
        those |= beside ? left & -left : 0;
    }
    return those;
}

static bool ask_those(asking *a, uint64_t those, mr_error *error)
{
    const mr_hash_batch *batch = a->batch;
    bool shared = batch->index->x && fill_tile(a, those);
    for (; those; those &= those - 1u) {
        size_t i = (size_t)__builtin_ctzll(those);
        bool good;
        if (shared) {
            uint32_t count = a->kernels->near(a->tile, a->group.q[i], a->squared);
            good = batch->answer(a->argument, a->group.query[i], a->tile->near, count, error);
        } else {
            good = ask_alone(a, i, error);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

// What the group after the next will read is asked of the memory now.
static void look_ahead(const asking *a, size_t end, size_t last)
{
    const mr_hash_batch *batch = a->batch;
    if (!batch->turns) {
        return;
    }
    for (size_t turn = end; turn < last && turn < end + 2 * GROUP; turn++) {
        uint32_t query = batch->turns[turn];
        bool sooner = turn < end + GROUP;
        if (!sooner) {
            __builtin_prefetch(batch->queries + 3 * (size_t)query);
        }
        if (batch->soon) {
            batch->soon(a->argument, query, sooner);
        }
    }
}

static bool ask_group(asking *a, size_t begin, size_t end, mr_error *error)
{
    const mr_hash_batch *batch = a->batch;
    uint64_t left = 0;
    for (size_t i = 0; i < end - begin; i++) {
        load_query(batch, begin + i, &a->group, i);
        const float *q = a->group.q[i];
        if (q[0] == q[0] && q[1] == q[1] && q[2] == q[2]) {
            left |= (uint64_t)1 << i;
        } else if (!batch->answer(a->argument, a->group.query[i], a->near, 0, error)) {
            return false; // NaN, which would spoil the box of those beside it, is near to nothing
        }
    }
    while (left) {
        uint64_t those = beside_first(&a->group, left);
        if (!ask_those(a, those, error)) {
            return false;
        }
        left &= ~those;
    }
    return mr_keep_going(a->context, error);
}

bool mr_hash_batch_part(mr_context *context, const mr_hash_batch *batch, size_t begin, size_t end,
                        void *argument, mr_error *error)
{
    asking a = { .context = context,
                 .batch = batch,
                 .argument = argument,
                 .kernels = MR_ISA_PICK(mr_hash_tile_kernels, mr_context_isa(context)),
                 .squared = batch->radius * batch->radius,
                 .room = MR_HASH_TILE };
    a.tile = mr_buffer_take(context, sizeof *a.tile, error);
    a.near = a.tile ? mr_buffer_take(context, a.room * sizeof *a.near, error) : NULL;
    bool good = a.near != NULL;
    for (size_t at = begin; at < end && good; at += GROUP) {
        size_t to = at + GROUP < end ? at + GROUP : end;
        look_ahead(&a, to, end);
        good = ask_group(&a, at, to, error);
    }
    mr_buffer_release(context, a.near);
    mr_buffer_release(context, a.tile);
    return good;
}

typedef struct batch_job {
    mr_context *context;
    const mr_hash_batch *batch;
} batch_job;

static bool batch_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const batch_job *job = argument;
    return mr_hash_batch_part(job->context, job->batch, begin, end, job->batch->argument, error);
}

bool mr_hash_batch_ask(mr_context *context, const mr_hash_batch *batch, size_t count, mr_error *error)
{
    batch_job job = { context, batch };
    return mr_parallel_for(context, count, GRAIN, batch_run, &job, error);
}
