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
enum { AHEAD = 24 }; // places
enum { FEW = 48 };   // sides that are sorted by insertion

typedef struct build {
    mr_context *context;
    mr_edge_table *table;
    mr_sides sides;
    int32_t *sorted_lo, *sorted_hi; // a word a place
    atomic_int most;                // the greatest point of a side
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

// The sides of places by lo, read from all over the mesh: what is asked for early is there in time.
static bool gather_sides(void *argument, size_t begin, size_t end, mr_error *error)
{
    const build *b = argument;
    const int32_t *lo = b->sides.lo, *hi = b->sides.hi, *vertex = b->table->vertex;
    int32_t *sorted_lo = b->sorted_lo, *sorted_hi = b->sorted_hi;
    size_t last = b->table->vertices - 1;
    for (size_t i = begin; i < end; i++) {
        int32_t coming = vertex[i + AHEAD < last ? i + AHEAD : last], v = vertex[i];
        __builtin_prefetch(&lo[coming]);
        __builtin_prefetch(&hi[coming]);
        sorted_lo[i] = lo[v];
        sorted_hi[i] = hi[v];
    }
    return mr_keep_going(b->context, error);
}

static void insert_by_hi(int32_t *hi, int32_t *vertex, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        int32_t key = hi[i], word = vertex[i];
        size_t at = i;
        for (; at > 0 && hi[at - 1] > key; at--) {
            hi[at] = hi[at - 1];
            vertex[at] = vertex[at - 1];
        }
        hi[at] = key;
        vertex[at] = word;
    }
}

// The sides of a point that very many edges begin at.
static bool sort_by_hi(const build *b, int32_t *hi, int32_t *vertex, size_t count, mr_error *error)
{
    int32_t *scratch = mr_buffer_take(b->context, 3 * count * sizeof *scratch, error);
    if (!scratch) {
        return false;
    }
    int32_t *order = scratch + 2 * count;
    memcpy(scratch, hi, count * sizeof *hi);
    memcpy(scratch + count, vertex, count * sizeof *vertex);
    bool good =
        mr_sort_permutation(b->context, (const uint32_t *)scratch, count, 31, (uint32_t *)order, error);
    for (size_t i = 0; good && i < count; i++) {
        hi[i] = scratch[order[i]];
        vertex[i] = scratch[count + (size_t)order[i]];
    }
    mr_buffer_release(b->context, scratch);
    return good;
}

// Sorts by hi the runs of one lo that start at begin .. end - 1.
static bool sort_runs(void *argument, size_t begin, size_t end, mr_error *error)
{
    const build *b = argument;
    const int32_t *lo = b->sorted_lo;
    int32_t *hi = b->sorted_hi, *vertex = b->table->vertex;
    size_t places = b->table->vertices, start = begin;
    while (start > 0 && start < end && lo[start] == lo[start - 1]) {
        start++;
    }
    while (start < end && lo[start] != MR_SIDE_NONE) {
        size_t next = start + 1;
        while (next < places && lo[next] == lo[start]) {
            next++;
        }
        if (next - start <= FEW) {
            insert_by_hi(hi + start, vertex + start, next - start);
        } else if (!sort_by_hi(b, hi + start, vertex + start, next - start, error)) {
            return false;
        }
        start = next;
    }
    return mr_keep_going(b->context, error);
}

// By lo, which takes the whole mesh, and then the few sides of one lo by hi.
static bool sort_sides(build *b, mr_error *error)
{
    size_t count = b->table->vertices;
    if (!mr_parallel_for(b->context, count, GRAIN, find_most, b, error)) {
        return false;
    }
    unsigned bits = point_bits(atomic_load_explicit(&b->most, memory_order_relaxed));
    return mr_sort_permutation(b->context, (const uint32_t *)b->sides.lo, count, bits,
                               (uint32_t *)b->table->vertex, error) &&
           mr_parallel_for(b->context, count, GRAIN, gather_sides, b, error) &&
           mr_parallel_for(b->context, count, GRAIN, sort_runs, b, error);
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
    const mr_edge_table table = *b->table;
    const int32_t *faces = b->sides.face;
    size_t open = 0, crowded = 0;
    for (size_t e = begin; e < end; e++) {
        size_t start = (size_t)table.start[e], count = (size_t)table.count[e];
        open += count == 1;
        crowded += count > 2;
        for (size_t place = start; place < start + count; place++) {
            size_t ahead = place + AHEAD < table.vertices ? place + AHEAD : place;
            __builtin_prefetch(&faces[table.vertex[ahead]]);
            __builtin_prefetch(&table.edge[table.vertex[ahead]], 1);
            int32_t vertex = table.vertex[place];
            table.edge[vertex] = (int32_t)e;
            table.face[place] = faces[vertex];
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
    mr_sorted_sides sorted = { b->sorted_lo, b->sorted_hi, table->vertices, NULL, table->vertices };
    int32_t *flags = b->sides.lo, *starts = b->sides.hi; // both done with
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
    if (count > INT32_MAX || !mr_size_multiply(count, 5 * sizeof(int32_t), &size)) {
        return mr_fail(error, MR_LIMIT, "a mesh of %zu vertices has more sides than 32 bits can number",
                       count);
    }
    int32_t *scratch = mr_buffer_take(context, size + 1, error);
    table->places = scratch ? mr_buffer_take(context, size / 5 * 3 + 1, error) : NULL;
    bool good = table->places != NULL;
    if (good) {
        table->vertex = table->places;
        table->face = table->vertex + count;
        table->edge = table->face + count;
        b.sides = (mr_sides){ scratch, scratch + count, scratch + 2 * count, scratch + 3 * count };
        b.sorted_lo = b.sides.rev; // which way sides run is not read
        b.sorted_hi = scratch + 4 * count;
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
