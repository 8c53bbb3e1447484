// The spatial hash: building it over 4 million points and listing all pairs within a radius, 8 neighbours a point on the
// mean. The figure is 1.5 s for both.

#include "bench.h"

#include "kernel/device.h"
#include "kernel/hash.h"
#include "kernel/neighbour_index.h"
#include "kernel/scan.h"
#include "kernel/sort.h"

enum { COUNT = 4000000, BUCKETS = 1 << 22, FIGURE_MS = 1500 };

typedef struct work {
    mr_context *context;
    float *points;
    float radius;
    mr_neighbour_index index;
    mr_neighbour_lists lists;
    mr_column *pts, *keys, *order, *range, *offsets;
    uint32_t total;
} work;

static bool build(void *argument, mr_error *error)
{
    work *w = argument;
    mr_neighbour_index_destroy(w->context, &w->index);
    return mr_neighbour_index_create(w->context, w->points, COUNT, w->radius, &w->index, error);
}

static bool list(void *argument, mr_error *error)
{
    work *w = argument;
    mr_neighbour_lists_destroy(w->context, &w->lists);
    return mr_neighbour_lists_create(w->context, &w->index, &w->lists, error);
}

static bool build_and_list(void *argument, mr_error *error)
{
    return build(argument, error) && list(argument, error);
}

static bool keys(void *argument, mr_error *error)
{
    work *w = argument;
    return mr_hash_keys(w->context, w->points, COUNT, BUCKETS, 1.0f / w->radius, w->keys->u32, error);
}

static bool sort(void *argument, mr_error *error)
{
    work *w = argument;
    return mr_sort_permutation(w->context, w->keys->u32, COUNT, 22, w->order->u32, error);
}

static bool starts(void *argument, mr_error *error)
{
    work *w = argument;
    return mr_hash_starts(w->context, w->keys->u32, w->order->u32, COUNT, BUCKETS, w->range->u32, error);
}

// A kernel over the points themselves as queries.
static bool search(work *w, const char *name, const char *output, mr_column **answer, mr_error *error)
{
    mr_bind bind[] = {
        { .name = "pts", .column = w->pts },      { .name = "order", .column = w->order },
        { .name = "range", .column = w->range },  { .name = "qpts", .column = w->pts },
        { .name = "qoff", .column = w->offsets },
    };
    bool near = strcmp(name, "hash_nearest") != 0, gather = w->offsets != NULL;
    mr_uniform uniforms[] = { { "buckets", 1, { BUCKETS } },
                              { "inv_cell", 1, { (double)(1.0f / w->radius) } },
                              { "skip_self", 1, { 1 } },
                              { near ? "radius" : "points", 1, { near ? (double)w->radius : COUNT } },
                              { "total", 1, { w->total } } };
    mr_kernel_request request = { .kernel = mr_kernel_find(name),
                                  .domain = mr_count_plain(COUNT),
                                  .bind = bind,
                                  .bind_count = gather ? 5 : 4,
                                  .uniforms = uniforms,
                                  .uniform_count = gather ? 5 : 4 };
    mr_kernel_result result;
    bool good = mr_kernel_run(w->context, &request, &result, error);
    if (good && answer) {
        *answer = mr_kernel_result_take(&result, output);
    }
    mr_kernel_result_release(&result);
    return good;
}

static bool count_and_gather(void *argument, mr_error *error)
{
    work *w = argument;
    mr_column *counts = NULL;
    uint64_t total = 0;
    w->offsets = NULL;
    bool good = search(w, "hash_count", "counts", &counts, error) &&
                mr_scan_counts(w->context, counts->u32, COUNT, counts->u32, &total, error);
    w->offsets = counts;
    w->total = (uint32_t)total;
    good = good && search(w, "hash_gather", NULL, NULL, error);
    mr_column_release(counts);
    w->offsets = NULL;
    return good;
}

static bool nearest(void *argument, mr_error *error)
{
    return search(argument, "hash_nearest", NULL, NULL, error);
}

static bool repel(void *argument, mr_error *error)
{
    return search(argument, "hash_repel", NULL, NULL, error);
}

static mr_column *words(mr_context *context, mr_column_type type, size_t count)
{
    mr_error error = { 0 };
    mr_column *column = mr_column_create(context, type, count, &error);
    if (!column) {
        bench_fail("columns", &error);
    }
    return column;
}

int main(void)
{
    bench b = bench_begin("kernel_hash", NULL);
    work w = { .context = b.context };
    w.pts = words(b.context, MR_COLUMN_VEC3, COUNT);
    w.keys = words(b.context, MR_COLUMN_UINT, COUNT);
    w.order = words(b.context, MR_COLUMN_UINT, COUNT);
    w.range = words(b.context, MR_COLUMN_UINT, 2 * BUCKETS);
    w.points = w.pts->f32;
    w.radius = 0.0078159f; // 8 of 4 million in a ball of it, in a cube of 1
    for (uint32_t i = 0; i < 3 * COUNT; i++) {
        w.points[i] = mr_to_unit(mr_pcg(i));
    }
    bench_run_cold(&b, "hash: index and all lists, 4 M points (cold)", build_and_list, &w, COUNT, "point", 0);
    bench_time whole =
        bench_run(&b, "hash: index and all lists, 4 M points", 7, build_and_list, &w, COUNT, "point", 0);
    printf("  figure %d ms; %.2f neighbours a point\n", FIGURE_MS, (double)w.lists.total / COUNT);
    bench_run(&b, "  the index alone", 7, build, &w, COUNT, "point", 0);
    bench_run(&b, "  the lists alone", 7, list, &w, COUNT, "point", 0);
    double bytes = 4.0 * COUNT;
    bench_run(&b, "hash: keys", 7, keys, &w, COUNT, "point", 4 * bytes);
    bench_run(&b, "  sort of the keys", 7, sort, &w, COUNT, "point", 2 * bytes);
    bench_run(&b, "hash_starts", 7, starts, &w, COUNT, "point", 4 * bytes);
    bench_run(&b, "hash_count, scan, hash_gather, queries in any order", 5, count_and_gather, &w, COUNT,
              "query", 0);
    bench_run(&b, "hash_nearest, but itself", 5, nearest, &w, COUNT, "query", 0);
    bench_run(&b, "hash_repel", 5, repel, &w, COUNT, "query", 0);
    mr_neighbour_lists_destroy(b.context, &w.lists);
    mr_neighbour_index_destroy(b.context, &w.index);
    mr_column_release(w.range);
    mr_column_release(w.order);
    mr_column_release(w.keys);
    mr_column_release(w.pts);
    bench_end(&b);
    return whole.best * 1e3 > FIGURE_MS;
}
