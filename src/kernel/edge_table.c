// kernel/edge_table.c: sides, sorted by their points, become edges that know their sides and sides that know their edge.

#include "kernel/edge_table.h"

#include "base/memory.h"
#include "base/thread.h"
#include "kernel/compact.h"
#include "kernel/edges_runs.h"
#include "kernel/run_sides.h"
#include "kernel/sort.h"

#include <stdatomic.h>
#include <string.h>

enum { GRAIN = 1 << 14 };

typedef struct build {
    mr_context *context;
    mr_edge_table *table;
    mr_sides sides;
    int32_t *order, *spare;
    atomic_int most; // the greatest point of a side
    atomic_size_t open, crowded;
} build;

static bool find_most(void *argument, size_t begin, size_t end, mr_error *error)
{
    build *b = argument;
    int32_t most = 0;
    for (size_t v = begin; v < end; v++) {
        int32_t hi = b->sides.hi[v];
        most = hi > most && hi != MR_SIDE_NONE ? hi : most;
    }
    int32_t held = atomic_load_explicit(&b->most, memory_order_relaxed);
    while (most > held && !atomic_compare_exchange_weak_explicit(&b->most, &held, most, memory_order_relaxed,
                                                                 memory_order_relaxed)) {
    }
    return mr_keep_going(b->context, error);
}

// The low bits that tell all points apart, and from MR_SIDE_NONE, of which all bits are 1.
static unsigned point_bits(int32_t most)
{
    unsigned bits = 1;
    while (bits < 31 && most >= (INT32_C(1) << bits) - 1) {
        bits++;
    }
    return bits;
}

static bool gather_lo(void *argument, size_t begin, size_t end, mr_error *error)
{
    const build *b = argument;
    for (size_t i = begin; i < end; i++) {
        b->spare[i] = b->sides.lo[b->order[i]];
    }
    return mr_keep_going(b->context, error);
}

static bool compose(void *argument, size_t begin, size_t end, mr_error *error)
{
    const build *b = argument;
    for (size_t i = begin; i < end; i++) {
        b->table->vertex[i] = b->order[b->sides.rev[i]];
    }
    return mr_keep_going(b->context, error);
}

// By hi and then, stably, by lo. Which way sides run is not read again, and makes room.
static bool sort_sides(build *b, mr_error *error)
{
    size_t count = b->table->vertices;
    if (!mr_parallel_for(b->context, count, GRAIN, find_most, b, error)) {
        return false;
    }
    unsigned bits = point_bits(atomic_load_explicit(&b->most, memory_order_relaxed));
    return mr_sort_permutation(b->context, (const uint32_t *)b->sides.hi, count, bits, (uint32_t *)b->order,
                               error) &&
           mr_parallel_for(b->context, count, GRAIN, gather_lo, b, error) &&
           mr_sort_permutation(b->context, (const uint32_t *)b->spare, count, bits, (uint32_t *)b->sides.rev,
                               error) &&
           mr_parallel_for(b->context, count, GRAIN, compose, b, error);
}

static bool take_rows(build *b, mr_error *error)
{
    mr_edge_table *table = b->table;
    size_t edges = table->edges;
    table->rows = mr_buffer_take(b->context, 4 * edges * sizeof(int32_t) + 1, error);
    table->a = table->rows;
    table->b = table->a + edges;
    table->start = table->b + edges;
    table->count = table->start + edges;
    return table->rows != NULL;
}

// Each edge's sides learn it, and it counts itself.
static bool tell_sides(void *argument, size_t begin, size_t end, mr_error *error)
{
    build *b = argument;
    mr_edge_table *table = b->table;
    size_t open = 0, crowded = 0;
    for (size_t e = begin; e < end; e++) {
        size_t start = (size_t)table->start[e], count = (size_t)table->count[e];
        open += count == 1;
        crowded += count > 2;
        for (size_t place = start; place < start + count; place++) {
            int32_t vertex = table->vertex[place];
            table->edge[vertex] = (int32_t)e;
            table->face[place] = b->sides.face[vertex];
        }
    }
    atomic_fetch_add_explicit(&b->open, open, memory_order_relaxed);
    atomic_fetch_add_explicit(&b->crowded, crowded, memory_order_relaxed);
    return mr_keep_going(b->context, error);
}

// The vertices that no side leaves stand behind all sides.
static void tell_others(mr_edge_table *table)
{
    size_t last = table->edges;
    table->sides = last > 0 ? (size_t)table->start[last - 1] + (size_t)table->count[last - 1] : 0;
    for (size_t place = table->sides; place < table->vertices; place++) {
        table->edge[table->vertex[place]] = -1;
    }
}

static bool build_rows(build *b, mr_error *error)
{
    mr_edge_table *table = b->table;
    mr_sorted_sides sorted = { b->sides.lo, b->sides.hi, table->vertices, table->vertex, table->vertices };
    int32_t *flags = b->order, *starts = b->spare; // both done with
    if (!mr_edge_heads(b->context, &sorted, flags, error) ||
        !mr_compact_indices(b->context, (const uint32_t *)flags, table->vertices, (uint32_t *)starts,
                            &table->edges, error) ||
        !take_rows(b, error)) {
        return false;
    }
    memcpy(table->start, starts, table->edges * sizeof *starts);
    if (!mr_edge_table_rows(b->context, &sorted, table->start, table->edges, table->a, table->b, table->count,
                            error) ||
        !mr_parallel_for(b->context, table->edges, GRAIN, tell_sides, b, error)) {
        return false;
    }
    tell_others(table);
    table->open = atomic_load_explicit(&b->open, memory_order_relaxed);
    table->crowded = atomic_load_explicit(&b->crowded, memory_order_relaxed);
    return true;
}

bool mr_edge_table_build(mr_context *context, const mr_linkage *mesh, mr_edge_table *table, mr_error *error)
{
    size_t count = mesh->vertices, size;
    build b = { .context = context, .table = table };
    *table = (mr_edge_table){ .vertices = count };
    if (count > INT32_MAX || !mr_size_multiply(count, 6 * sizeof(int32_t), &size)) {
        return mr_fail(error, MR_LIMIT, "a mesh of %zu vertices has more sides than 32 bits can number",
                       count);
    }
    int32_t *scratch = mr_buffer_take(context, size + 1, error);
    table->places = scratch ? mr_buffer_take(context, size / 2 + 1, error) : NULL;
    bool good = table->places != NULL;
    if (good) {
        table->vertex = table->places;
        table->face = table->vertex + count;
        table->edge = table->face + count;
        b.sides = (mr_sides){ scratch, scratch + count, scratch + 2 * count, scratch + 3 * count };
        b.order = scratch + 4 * count;
        b.spare = scratch + 5 * count;
        good =
            mr_edges_sides(context, mesh, &b.sides, error) && sort_sides(&b, error) && build_rows(&b, error);
    }
    mr_buffer_release(context, scratch);
    if (!good) {
        mr_edge_table_release(context, table);
    }
    return good;
}

void mr_edge_table_release(mr_context *context, mr_edge_table *table)
{
    mr_buffer_release(context, table->rows);
    mr_buffer_release(context, table->places);
    *table = (mr_edge_table){ 0 };
}
