// What the graph floor adds to the work of its nodes: a chain of light raster nodes, cooked, cooked again after an edit,
// and found in the cache; thousands of nodes that do next to nothing.

#include "bench.h"

#include "graph/graph.h"

enum { SIDE = 2048, CHAIN = 8, SMALL = 10000 };

typedef struct lift_pass {
    float *cells;
    float by;
} lift_pass;

static bool lift_cells(void *argument, size_t begin, size_t end, mr_error *error)
{
    const lift_pass *pass = argument;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        pass->cells[i] = pass->cells[i] * 1.0001f + pass->by;
    }
    return true;
}

static bool lift_cook(mr_cook *cook, mr_error *error)
{
    mr_raster *raster = mr_cook_given(cook, "raster")
                            ? mr_cook_take_raster(cook, "raster", error)
                            : mr_raster_create(cook->context, 0, 0, 1, SIDE, SIDE, 16, error);
    lift_pass pass = { raster ? mr_raster_layer_write(raster, "height", 0, error) : NULL,
                       (float)mr_cook_number(cook, "by") };
    if (!pass.cells || !mr_parallel_for(cook->context, mr_raster_stride(raster) * mr_raster_rows(raster),
                                        1 << 16, lift_cells, &pass, error)) {
        mr_raster_release(raster);
        return false;
    }
    mr_cook_set_raster(cook, "raster", raster);
    return true;
}

static const mr_node lift = {
    .name = "bench.lift",
    .version = 1,
    .inputs = { { .name = "raster", .type = MR_RASTER }, { .name = "by", .type = MR_NUMBER, .value = 1 } },
    .outputs = { { .name = "raster", .type = MR_RASTER } },
    .cook = lift_cook,
};

static bool sum_cook(mr_cook *cook, mr_error *error)
{
    (void)error;
    mr_cook_set(cook, "sum", mr_value_number(mr_cook_number(cook, "a") + mr_cook_number(cook, "b")));
    return true;
}

static const mr_node sum = {
    .name = "bench.sum",
    .version = 1,
    .inputs = { { .name = "a", .type = MR_NUMBER }, { .name = "b", .type = MR_NUMBER } },
    .outputs = { { .name = "sum", .type = MR_NUMBER } },
    .cook = sum_cook,
};

typedef struct job {
    mr_context *context;
    double edit;     // of the node at `edited`
    uint32_t edited; // CHAIN: none
    bool changes;    // a new edit each run
    bool clears;
    size_t cooked;
} job;

static bool cook_last(mr_graph *graph, uint32_t last, size_t *cooked, mr_error *error)
{
    mr_value value;
    mr_cook_report report;
    if (!mr_graph_cook(graph, &(mr_socket){ last, 0 }, 1, &value, &report, error)) {
        return false;
    }
    *cooked = report.cooked;
    mr_value_release(&value);
    return true;
}

static bool chain(void *argument, mr_error *error)
{
    job *j = argument;
    if (j->clears) {
        mr_cache_clear(j->context);
    }
    j->edit += j->changes;
    mr_graph *graph = mr_graph_create(j->context, NULL, error);
    uint32_t node = 0;
    bool good = graph != NULL;
    for (uint32_t i = 0; good && i < CHAIN; i++) {
        mr_binding inputs[2] = {
            { .name = "by", .value = mr_value_number(i == j->edited ? j->edit : i) },
            { .name = "raster", .wired = true, .socket = { node, 0 } },
        };
        good = mr_graph_add(graph, &lift, inputs, i ? 2 : 1, (mr_origin){ 0 }, &node, error);
    }
    good = good && cook_last(graph, node, &j->cooked, error);
    mr_graph_destroy(graph);
    return good;
}

// The same work with no graph: what the chain may cost at least.
static bool bare(void *argument, mr_error *error)
{
    job *j = argument;
    mr_value value = { .type = MR_NONE };
    for (int i = 0; i < CHAIN; i++) {
        mr_value inputs[2] = { value, mr_value_number(i) }, owned[2] = { value };
        mr_value made = { .type = MR_NONE };
        mr_cook cook = {
            .context = j->context, .node = &lift, .inputs = inputs, .outputs = &made, .owned = owned
        };
        if (!lift_cook(&cook, error)) {
            return false;
        }
        value = made;
    }
    mr_value_release(&value);
    return true;
}

static bool thousands(void *argument, mr_error *error)
{
    job *j = argument;
    if (j->clears) {
        mr_cache_clear(j->context);
    }
    mr_graph *graph = mr_graph_create(j->context, NULL, error);
    uint32_t node = 0;
    bool good = graph != NULL;
    for (uint32_t i = 0; good && i < SMALL; i++) {
        mr_binding inputs[2] = {
            { .name = "a", .value = mr_value_number(i) },
            { .name = "b", .wired = true, .socket = { node, 0 } },
        };
        good = mr_graph_add(graph, &sum, inputs, i ? 2 : 1, (mr_origin){ 0 }, &node, error);
    }
    good = good && cook_last(graph, node, &j->cooked, error);
    mr_graph_destroy(graph);
    return good;
}

int main(void)
{
    bench b = bench_begin("graph", NULL);
    const double cells = (double)CHAIN * (SIDE + 32) * (SIDE + 32);
    job j = { .context = b.context, .edited = CHAIN };
    bench_run(&b, "8 light nodes at 2048 x 2048, no graph", 9, bare, &j, cells, "cell", 8 * cells);
    j.clears = true;
    bench_run(&b, "8 light nodes at 2048 x 2048, nothing cached", 9, chain, &j, cells, "cell", 8 * cells);
    j = (job){ .context = b.context, .edited = 0, .changes = true };
    bench_run(&b, "the first one's number changes each time", 9, chain, &j, cells, "cell", 8 * cells);
    j.edited = CHAIN - 1;
    bench_run(&b, "the last one's number changes each time", 9, chain, &j, cells, "cell", 8 * cells / CHAIN);
    printf("    of %d nodes %zu were cooked\n", CHAIN, j.cooked);
    j.changes = false;
    bench_run(&b, "nothing changes", 9, chain, &j, cells, "cell", 0);
    j = (job){ .context = b.context, .clears = true };
    bench_run(&b, "10000 sums in a row, nothing cached", 9, thousands, &j, SMALL, "node", 0);
    j.clears = false;
    bench_run(&b, "10000 sums in a row, all cached", 9, thousands, &j, SMALL, "node", 0);
    bench_end(&b);
    return 0;
}
