// Terrain noise: 4096 x 4096 cells of 1 m, feature size 600 m.

#include "bench.h"

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
    return 0;
}
