// The ordered scatter: about one million things placed from three million candidates.

#include "bench.h"

#include "world/scatter.h"

#include <math.h>

enum { SIDE = 1733, CELL = 2, DISCS = 200 };

typedef struct forest {
    mr_context *context;
    mr_land *land;
    mr_scatter_disc discs[DISCS];
    size_t placed, candidates;
} forest;

static bool keep(void *self, const mr_asking *asking, const uint32_t *lanes, size_t begin, size_t count,
                 double *answers, mr_error *error)
{
    (void)error;
    const forest *f = self;
    const mr_candidates *table = asking->candidates;
    for (size_t i = 0; i < count; i++) {
        size_t lane = lanes ? lanes[i] : begin + i;
        answers[i] = table->y[lane] > 2.6f && mr_land_slope(f->land, table->x[lane], table->z[lane]) < 0.6f;
    }
    return true;
}

static bool order(void *self, const mr_asking *asking, const uint32_t *lanes, size_t begin, size_t count,
                  double *answers, mr_error *error)
{
    (void)self;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        size_t lane = lanes ? lanes[i] : begin + i;
        answers[i] = (double)(asking->candidates->y[lane] + mr_stream_uniform(asking->stream, 0, 10));
        ++*asking->draws;
    }
    return true;
}

static bool spacing(void *self, const mr_asking *asking, const uint32_t *lanes, size_t begin, size_t count,
                    double *answers, mr_error *error)
{
    (void)self;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        size_t lane = lanes ? lanes[i] : begin + i;
        answers[i] = (double)(2.05f + 0.01f * asking->candidates->y[lane]);
    }
    return true;
}

static bool below_four(void *self, const mr_asking *asking, const uint32_t *lanes, size_t begin, size_t count,
                       double *answers, mr_error *error)
{
    (void)self;
    (void)lanes;
    (void)begin;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        answers[i] = mr_stream_below(asking->stream, 4);
        ++*asking->draws;
    }
    return true;
}

static bool scatter_once(void *argument, mr_error *error)
{
    forest *f = argument;
    float half = SIDE * CELL / 2;
    mr_scatter_rule rule = {
        .name = "pines",
        .maker = { .kind = MR_MAKE_GRID, .cell = CELL, .x0 = -half, .x1 = half, .z0 = -half, .z1 = half },
        .keep_first = { f, false, keep },
        .order = { f, true, order },
        .spacing = { f, false, spacing },
        .choices = { { .variant = { f, true, below_four } } },
        .choice_count = 1,
        .at_most = UINT64_MAX,
        .group = -1,
        .group_at_most = UINT64_MAX,
        .blocks = true,
    };
    mr_scatter_stream stream = { 42, 1 };
    mr_scatter scatter = {
        .land = f->land,
        .rules = &rule,
        .rule_count = 1,
        .streams = &stream,
        .stream_count = 1,
        .clearances = f->discs,
        .clearance_count = DISCS,
    };
    mr_arena arena;
    mr_arena_init(&arena, f->context);
    mr_scatter_result result;
    bool good = mr_scatter_run(f->context, &scatter, &arena, &result, error);
    if (good) {
        f->placed = result.item_count;
        f->candidates = result.reports[0].candidates;
    }
    mr_arena_destroy(&arena);
    return good;
}

int main(void)
{
    mr_error error = { 0 };
    bench b = bench_begin("scatter", NULL);
    // A context of its own: the copy's buffers would be the peak of the bench's.
    forest f = { 0 };
    if (!mr_context_create(NULL, &f.context, &error)) {
        bench_fail("context", &error);
    }
    int64_t corner = -SIDE / 2;
    mr_raster *raster = mr_raster_create(f.context, corner, corner, CELL, SIDE + 1, SIDE + 1, 2, &error);
    float *cells = raster ? mr_raster_layer_write(raster, "height", 0, &error) : NULL;
    f.land = cells ? mr_land_create(b.context, raster, 16, -30, &error) : NULL;
    if (!f.land) {
        bench_fail("land", &error);
    }
    size_t stride = mr_raster_stride(raster);
    for (size_t i = 0; i < stride * mr_raster_rows(raster); i++) {
        float x = (float)(i % stride) * 0.01f;
        float z = (float)(i / stride) * 0.013f;
        cells[i] = 8 + 6 * (x - floorf(x)) * (1 - (x - floorf(x))) * 4 * (z - floorf(z));
    }
    mr_stream stream = mr_stream_init(7, 7);
    for (int i = 0; i < DISCS; i++) {
        f.discs[i] = (mr_scatter_disc){ mr_stream_uniform(&stream, -1700, 1700),
                                        mr_stream_uniform(&stream, -1700, 1700),
                                        mr_stream_uniform(&stream, 0.7f, 12), "part" };
    }
    uint64_t before = mr_context_memory_now(f.context);
    const char *work = "keep, order, spacing, clearances; 3.0 M candidates";
    bench_run_cold(&b, "the same, cold", scatter_once, &f, (double)SIDE * SIDE, "candidate", 0);
    printf("    %zu placed of %zu; peak memory %.0f MB beside the land's %.0f MB\n", f.placed, f.candidates,
           (double)(mr_context_memory_peak(f.context) - before) * 1e-6, (double)before * 1e-6);
    bench_run(&b, work, 3, scatter_once, &f, (double)SIDE * SIDE, "candidate", 0);
    mr_land_release(f.land);
    mr_raster_release(raster);
    mr_context_destroy(f.context);
    bench_end(&b);
    return 0;
}
