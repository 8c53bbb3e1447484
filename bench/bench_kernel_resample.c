// Images brought to another size.

#include "bench.h"

#include "kernel/resample.h"

enum { SIDE = 4096 };

typedef struct work {
    mr_context *context;
    mr_resample_spec spec;
    const float *source;
    float *out;
} work;

static bool resample(void *argument, mr_error *error)
{
    const work *w = argument;
    return mr_resample(w->context, &w->spec, w->source, w->out, error);
}

static void row(const bench *b, work *w, const char *name)
{
    size_t width = mr_resample_width(&w->spec), height = mr_resample_height(&w->spec);
    double in = (double)(w->spec.source_width * w->spec.source_height * w->spec.lanes);
    double out = (double)(width * height * w->spec.lanes);
    bench_run(b, name, 9, resample, w, out, "value", 4 * (in + out));
}

int main(void)
{
    bench b = bench_begin("resample", NULL);
    mr_error error = { 0 };
    size_t words = (size_t)SIDE * SIDE;
    float *source = mr_buffer_take(b.context, words * 4, &error);
    float *out = source ? mr_buffer_take(b.context, words * 4, &error) : NULL;
    if (!out) {
        bench_fail("images", &error);
    }
    for (size_t i = 0; i < words; i++) {
        source[i] = (float)(i * 2654435761u % 1000u) * 0.001f;
    }
    work w = { .context = b.context,
               .spec = { .filter = MR_FILTER_LANCZOS3,
                         .axis = MR_RESAMPLE_BOTH,
                         .slices = 1,
                         .source_width = SIDE,
                         .source_height = SIDE,
                         .width = SIDE / 2,
                         .height = SIDE / 2,
                         .lanes = 1,
                         .lane_count = 1 },
               .source = source,
               .out = out };
    mr_filter_taps taps;
    row(&b, &w, "lanczos3 4096 x 4096 to 2048 x 2048 (30 ms)");
    w.spec.axis = MR_RESAMPLE_WIDTH;
    row(&b, &w, "lanczos3 4096 to 2048 across");
    w.spec.axis = MR_RESAMPLE_HEIGHT;
    row(&b, &w, "lanczos3 4096 to 2048 down");
    w.spec.axis = MR_RESAMPLE_BOTH;
    w.spec.filter = MR_FILTER_CATMULL_ROM;
    row(&b, &w, "catmull_rom 4096 x 4096 to 2048 x 2048");
    w.spec.filter = MR_FILTER_BILINEAR;
    row(&b, &w, "bilinear 4096 x 4096 to 2048 x 2048");
    w.spec.filter = MR_FILTER_NEAREST;
    row(&b, &w, "nearest 4096 x 4096 to 2048 x 2048");
    w.spec = (mr_resample_spec){ .filter = MR_FILTER_LANCZOS3,
                                 .axis = MR_RESAMPLE_BOTH,
                                 .slices = 1,
                                 .source_width = SIDE / 2,
                                 .source_height = SIDE / 2,
                                 .width = SIDE,
                                 .height = SIDE,
                                 .lanes = 1,
                                 .lane_count = 1 };
    row(&b, &w, "lanczos3 2048 x 2048 to 4096 x 4096");
    w.spec.source_width = w.spec.source_height = SIDE / 2;
    w.spec.width = w.spec.height = SIDE / 4;
    w.spec.lanes = w.spec.lane_count = 4;
    row(&b, &w, "lanczos3 2048 x 2048 to 1024 x 1024, 4 lanes");
    double start = mr_clock_seconds();
    if (!mr_filter_taps_make(b.context, MR_FILTER_LANCZOS3, SIDE, SIDE / 2, &taps, &error)) {
        bench_fail("weights", &error);
    }
    printf("of which the weights of one axis %.3f ms\n", (mr_clock_seconds() - start) * 1e3);
    mr_filter_taps_release(b.context, &taps);
    mr_buffer_release(b.context, out);
    mr_buffer_release(b.context, source);
    bench_end(&b);
    return 0;
}
