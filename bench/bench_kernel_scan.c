// The scans and reductions of 16.7 million elements beside what the machine allows: a copy by memcpy on all threads,
// and a plain read of the bytes. The figures: a scan's add in 1.3 copies, a reduction in 1.2 reads, a mask of
// which half is kept compacted in 25 ms.

#include "bench.h"

#include "kernel/compact.h"
#include "kernel/device.h"
#include "kernel/reduce.h"
#include "kernel/scan.h"

enum { COUNT = 1 << 24, READ_PART = 1 << 14 };

typedef struct work {
    mr_context *context;
    uint32_t *from, *to, *inverse;
    mr_scan_run scan;
    mr_reduce_run reduce;
    int32_t picked;
    uint32_t answers[4];
} work;

static bool read_part(void *argument, size_t begin, size_t end, mr_error *error)
{
    const work *w = argument;
    uint32_t any = 0;
    (void)error;
    for (size_t i = begin * READ_PART; i < end * READ_PART; i++) {
        any |= w->from[i];
    }
    return any != 1;
}

static bool read_all(void *argument, mr_error *error)
{
    const work *w = argument;
    return mr_parallel_for(w->context, COUNT / READ_PART, 8, read_part, argument, error);
}

static bool copy_all(void *argument, mr_error *error)
{
    const work *w = argument;
    bench_copy copy = { w->context, (char *)w->from, (char *)w->to, (size_t)COUNT * 4 };
    return bench_copy_all(&copy, error);
}

static bool scan_all(void *argument, mr_error *error)
{
    const work *w = argument;
    return mr_scan(w->context, &w->scan, error);
}

static bool reduce_all(void *argument, mr_error *error)
{
    const work *w = argument;
    return mr_reduce(w->context, &w->reduce, error);
}

static bool compact_all(void *argument, mr_error *error)
{
    const work *w = argument;
    mr_compact_answer answer = { w->to, COUNT, 0, w->inverse };
    size_t kept;
    return mr_compact(w->context, w->from, COUNT, &answer, &kept, error);
}

static bool counts_all(void *argument, mr_error *error)
{
    const work *w = argument;
    uint64_t total;
    return mr_scan_counts(w->context, w->from, COUNT, w->to, &total, error);
}

static void figure(const char *what, bench_time time, double allowed, const char *of)
{
    printf("    %s: %.2f ms, allowed %.2f ms (%s): %s\n", what, time.best * 1e3, allowed * 1e3, of,
           time.best <= allowed ? "met" : "NOT MET");
}

static uint32_t random_word(uint32_t i)
{
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

static void fill_numbers(work *w, bool floats)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        float number = (float)(random_word(i) >> 8) * 0x1p-24f - 0.5f;
        memcpy(&w->from[i], &number, 4);
        if (!floats) {
            w->from[i] = random_word(i) >> 20;
        }
    }
}

static void bench_scans(bench *b, work *w)
{
    static const char *const names[] = { "scan add", "scan min", "scan max", "scan mul" };
    double bytes = 8.0 * COUNT;
    for (int whole = 0; whole < 2; whole++) {
        fill_numbers(w, !whole);
        bench_time copy =
            bench_run(b, "memcpy on all threads", BENCH_RUNS, copy_all, w, COUNT, "elem", bytes);
        for (int op = 0; op < 2; op++) {
            char name[64];
            snprintf(name, sizeof name, "%s %s", names[op], whole ? "i32" : "f32");
            w->scan.op = (mr_scan_op)op;
            w->scan.element = whole ? MR_I32 : MR_F32;
            w->scan.exclusive = false;
            bench_time time = bench_run(b, name, BENCH_RUNS, scan_all, w, COUNT, "elem", bytes);
            if (op == 0) {
                figure(name, time, 1.3 * copy.best, "1.3 copies");
                w->scan.exclusive = true;
                bench_run(b, "  exclusive", BENCH_RUNS, scan_all, w, COUNT, "elem", bytes);
            }
        }
    }
    w->scan = (mr_scan_run){ .op = MR_SCAN_ADD,
                             .element = MR_F32,
                             .lanes = 3,
                             .from = w->from,
                             .to = w->to,
                             .segments = { NULL, 1, COUNT / 3 },
                             .longest = COUNT / 3 };
    fill_numbers(w, true);
    bench_run(b, "scan add Vec3, a third as many", BENCH_RUNS, scan_all, w, COUNT / 3, "elem", bytes);
}

static void bench_segments(bench *b, work *w)
{
    static const size_t sizes[] = { 3, 100, 10000 };
    uint32_t *starts = w->inverse;
    for (size_t k = 0; k < 3; k++) {
        char name[64];
        size_t groups = COUNT / sizes[k];
        for (size_t i = 0; i < groups; i++) {
            starts[i] = (uint32_t)(i * sizes[k]);
        }
        w->scan.segments = w->reduce.segments = (mr_segments){ starts, groups, COUNT };
        w->scan.lanes = w->reduce.lanes = 1;
        w->scan.longest = w->reduce.longest = sizes[k] * 2;
        w->reduce.fold = MR_REDUCE_ADD;
        w->reduce.to = w->to;
        w->reduce.picked = NULL;
        snprintf(name, sizeof name, "scan add f32, groups of %zu", sizes[k]);
        bench_run(b, name, 7, scan_all, w, COUNT, "elem", 8.0 * COUNT);
        snprintf(name, sizeof name, "reduce add f32, groups of %zu", sizes[k]);
        bench_run(b, name, 7, reduce_all, w, COUNT, "elem", 4.0 * COUNT);
    }
}

static void bench_reductions(bench *b, work *w)
{
    static const struct {
        const char *name;
        mr_reduce_fold fold;
    } folds[] = { { "reduce add f32", MR_REDUCE_ADD },
                  { "reduce min f32", MR_REDUCE_MIN },
                  { "reduce argmin f32", MR_REDUCE_ARGMIN } };
    fill_numbers(w, true);
    bench_time read =
        bench_run(b, "read the bytes once", BENCH_RUNS, read_all, w, COUNT, "elem", 4.0 * COUNT);
    for (size_t k = 0; k < 3; k++) {
        w->reduce.fold = folds[k].fold;
        bench_time time = bench_run(b, folds[k].name, BENCH_RUNS, reduce_all, w, COUNT, "elem", 4.0 * COUNT);
        figure(folds[k].name, time, 1.2 * read.best, "1.2 reads");
    }
    w->reduce.fold = MR_REDUCE_MEAN;
    w->reduce.element = MR_I32;
    bench_run(b, "reduce mean i32", BENCH_RUNS, reduce_all, w, COUNT, "elem", 4.0 * COUNT);
    w->reduce.element = MR_F32;
}

static void bench_compaction(bench *b, work *w)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        w->from[i] = random_word(i) & 1;
    }
    bench_time time = bench_run(b, "compact, half kept, with the inverse", BENCH_RUNS, compact_all, w, COUNT,
                                "elem", 4.0 * COUNT * 2.5);
    figure("compact", time, 0.025, "25 ms");
    bench_run(b, "running sum of counts", BENCH_RUNS, counts_all, w, COUNT, "elem", 8.0 * COUNT);
}

static uint32_t *take(bench *b)
{
    mr_error error = { 0 };
    uint32_t *words = mr_buffer_take(b->context, (size_t)COUNT * 4, &error);
    if (!words) {
        bench_fail("words", &error);
    }
    return words;
}

int main(void)
{
    bench b = bench_begin("scan, reduce, compact: 16.7 million elements", NULL);
    work w = { .context = b.context, .from = take(&b), .to = take(&b), .inverse = take(&b) };
    w.scan = (mr_scan_run){
        .lanes = 1, .from = w.from, .to = w.to, .segments = { NULL, 1, COUNT }, .longest = COUNT
    };
    w.reduce = (mr_reduce_run){ .element = MR_F32,
                                .lanes = 1,
                                .from = w.from,
                                .segments = w.scan.segments,
                                .longest = COUNT,
                                .to = w.answers,
                                .picked = &w.picked };
    fill_numbers(&w, true);
    w.scan.element = MR_F32;
    bench_run_cold(&b, "scan add f32, to fresh memory", scan_all, &w, COUNT, "elem", 8.0 * COUNT);
    memset(w.to, 1, (size_t)COUNT * 4);
    memset(w.inverse, 1, (size_t)COUNT * 4);
    bench_scans(&b, &w);
    bench_reductions(&b, &w);
    bench_segments(&b, &w);
    bench_compaction(&b, &w);
    mr_buffer_release(b.context, w.from);
    mr_buffer_release(b.context, w.to);
    mr_buffer_release(b.context, w.inverse);
    bench_end(&b);
    return 0;
}
