// Terrain noise and the terrain nodes: 4096 x 4096 cells of 1 m, feature size 600 m.

#include "bench.h"

#include "graph/graph.h"
#include "kernel/fbm.h"

enum { SIDE = 4096 };

typedef struct fill {
    mr_context *context;
    mr_fbm fbm;
    float *cells;
    mr_blend blend;
} fill;

static bool fill_once(void *argument, mr_error *error)
{
    fill *f = argument;
    return mr_fbm_fill(f->context, &f->fbm, -SIDE / 2, -SIDE / 2, SIDE, SIDE, f->cells, SIDE, f->blend, NULL,
                       error);
}

static bool fill_fresh(void *argument, mr_error *error)
{
    fill *f = argument;
    f->cells = mr_buffer_take(f->context, sizeof(float) * SIDE * SIDE, error);
    return f->cells && fill_once(argument, error);
}

typedef struct node_call {
    mr_context *context;
    const mr_node *node;
    mr_binding inputs[8];
    size_t count;
} node_call;

// One call that finds nothing in the cache. The ground is shared, so the layer written is copied first.
static bool call_once(void *argument, mr_error *error)
{
    node_call *call = argument;
    mr_value out = { 0 };
    mr_cache_clear(call->context);
    bool good = mr_node_call(call->context, NULL, call->node, call->inputs, call->count, &out, error);
    mr_value_release(&out);
    return good;
}

static mr_value bench_text(mr_context *context, const char *words)
{
    mr_value value = { 0 };
    mr_value_text(context, mr_view_of(words), &value, NULL);
    return value;
}

static void run_nodes(void)
{
    bench b = bench_begin("terrain nodes", NULL);
    mr_error error = { 0 };
    const mr_value side = { .type = MR_VEC2, .vector = { SIDE - 1, SIDE - 1 } };
    const mr_value from = { .type = MR_VEC2, .vector = { -1500, -300 } },
                   to = { .type = MR_VEC2, .vector = { 1500, 900 } };
    mr_value ground = { 0 };
    const mr_binding size = { .name = "size", .value = side };
    if (!mr_node_call(b.context, NULL, mr_node_find("terrain.source"), &size, 1, &ground, &error)) {
        bench_fail("source", &error);
    }
    mr_value wide = mr_value_number(1500), level = mr_value_number(0.5);
    mr_value slope = bench_text(b.context, "slope"), height = bench_text(b.context, "height");
    node_call calls[] = {
        { .node = mr_node_find("terrain.fbm"),
          .inputs = { { .name = "featureSize", .value = mr_value_number(600) } } },
        { .node = mr_node_find("terrain.flatten"), .inputs = { { .name = "radius", .value = wide } } },
        { .node = mr_node_find("terrain.cone"), .inputs = { { .name = "radius", .value = wide } } },
        { .node = mr_node_find("terrain.ridge"),
          .inputs = { { .name = "from", .value = from },
                      { .name = "to", .value = to },
                      { .name = "radius", .value = wide } } },
        { .node = mr_node_find("terrain.coast"), .inputs = { { .name = "radius", .value = wide } } },
        { .node = mr_node_find("terrain.sea"), .inputs = { { .name = "level", .value = level } } },
        { .node = mr_node_find("terrain.mask"), .inputs = { { .name = "input", .value = height } } },
        { .node = mr_node_find("terrain.mask"), .inputs = { { .name = "input", .value = slope } } },
    };
    const double cells = (double)SIDE * SIDE;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        node_call *call = &calls[i];
        call->context = b.context;
        while (call->inputs[call->count].name) {
            call->count++;
        }
        call->inputs[call->count++] = (mr_binding){ .name = "raster", .value = ground };
        char name[64];
        snprintf(name, sizeof name, "%s%s%s", call->node->name, i == 7 ? ", slope" : "",
                 i == 6 ? ", height" : "");
        bench_run(&b, name, 3, call_once, call, cells, "cell", cells * 8);
    }
    mr_value_release(&slope);
    mr_value_release(&height);
    mr_value_release(&ground);
    bench_end(&b);
}

static void run_isa(const char *isa, uint32_t threads)
{
    mr_context_config config = mr_context_config_default();
    config.isa = isa;
    config.threads = threads;
    mr_context *probe = NULL;
    if (!mr_context_create(&config, &probe, NULL)) {
        return;
    }
    mr_context_destroy(probe);
    bench b = bench_begin("terrain.fbm", &config);
    const double cells = (double)SIDE * SIDE;
    fill f = { .context = b.context, .blend = MR_BLEND_REPLACE };
    mr_fbm_config fbm = {
        .cell = 1, .feature_size = 600, .octaves = 6, .lacunarity = 2, .gain = 0.5, .seed = 1, .amplitude = 40
    };
    mr_fbm_prepare(&f.fbm, &fbm);
    bench_run_cold(&b, "fbm, 6 octaves, cold buffer", fill_fresh, &f, cells, "cell", cells * 4);
    bench_run(&b, "fbm, 6 octaves, replace", 9, fill_once, &f, cells, "cell", cells * 4);
    f.blend = MR_BLEND_ADD;
    bench_run(&b, "fbm, 6 octaves, add", 9, fill_once, &f, cells, "cell", cells * 8);
    fbm.ridge = true;
    mr_fbm_prepare(&f.fbm, &fbm);
    bench_run(&b, "fbm, 6 octaves, ridge, add", 9, fill_once, &f, cells, "cell", cells * 8);
    fbm.ridge = false;
    fbm.warp = 80;
    mr_fbm_prepare(&f.fbm, &fbm);
    bench_run(&b, "fbm, 6 octaves, warp 80 m, add", 5, fill_once, &f, cells, "cell", cells * 8);
    fbm.warp = 0;
    fbm.octaves = 12;
    mr_fbm_prepare(&f.fbm, &fbm);
    bench_run(&b, "fbm, 12 octaves (the finest below a cell), add", 5, fill_once, &f, cells, "cell",
              cells * 8);
    mr_buffer_release(b.context, f.cells);
    bench_end(&b);
}

int main(void)
{
    run_isa(NULL, 0);
    run_isa("v3", 0);
    run_isa("base", 0);
    run_isa(NULL, 1);
    run_nodes();
    return 0;
}
