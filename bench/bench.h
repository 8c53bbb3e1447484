// bench/bench.h: times a workload and prints it beside what the machine allows.
//
// A row is: workload, best and median time, rate, the machine's limit for the bytes it must move (the measured rate of
// a parallel copy), and how much of that limit is reached. "cold" rows run once on memory the pool has just taken from
// the system; all others are the median of several runs on memory already touched.

#ifndef MARRAM_BENCH_BENCH_H
#define MARRAM_BENCH_BENCH_H

#include "base/context.h"
#include "base/memory.h"
#include "base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-function"

enum { BENCH_RUNS = 15 };

typedef struct bench {
    mr_context *context;
    double copy_rate; // bytes read and written a second, by a copy on all threads
} bench;

typedef bool (*bench_body)(void *argument, mr_error *error);

static void bench_fail(const char *name, const mr_error *error)
{
    fprintf(stderr, "%s: %s\n", name, error->message);
    exit(1);
}

typedef struct bench_copy {
    mr_context *context;
    char *from, *to;
    size_t size;
} bench_copy;

static bool bench_copy_part(void *argument, size_t begin, size_t end, mr_error *error)
{
    const bench_copy *copy = argument;
    (void)error;
    memcpy(copy->to + (begin << 16), copy->from + (begin << 16), (end - begin) << 16);
    return true;
}

static bool bench_copy_all(void *argument, mr_error *error)
{
    const bench_copy *copy = argument;
    return mr_parallel_for(copy->context, copy->size >> 16, 64, bench_copy_part, argument, error);
}

typedef struct bench_time {
    double best, median;
} bench_time;

static bench_time bench_measure(const char *name, int runs, bench_body body, void *argument)
{
    double times[BENCH_RUNS];
    mr_error error = { 0 };
    for (int i = 0; i < runs; i++) {
        double start = mr_clock_seconds();
        if (!body(argument, &error)) {
            bench_fail(name, &error);
        }
        double took = mr_clock_seconds() - start;
        int at = i;
        for (; at > 0 && times[at - 1] > took; at--) {
            times[at] = times[at - 1];
        }
        times[at] = took;
    }
    return (bench_time){ times[0], times[runs / 2] };
}

// Makes a context with all the machine's threads and measures its copy rate. config may be NULL.
static bench bench_begin(const char *title, const mr_context_config *config)
{
    bench b = { 0 };
    mr_error error = { 0 };
    if (!mr_context_create(config, &b.context, &error)) {
        bench_fail("context", &error);
    }
    bench_copy copy = { b.context, NULL, NULL, (size_t)256 << 20 };
    copy.from = mr_buffer_take(b.context, copy.size, &error);
    copy.to = copy.from ? mr_buffer_take(b.context, copy.size, &error) : NULL;
    if (!copy.to) {
        bench_fail("copy", &error);
    }
    memset(copy.from, 1, copy.size);
    memset(copy.to, 2, copy.size);
    b.copy_rate = 2.0 * (double)copy.size / bench_measure("copy", 9, bench_copy_all, &copy).median;
    mr_buffer_release(b.context, copy.to);
    mr_buffer_release(b.context, copy.from);
    mr_buffer_trim(b.context);
    printf("%s: %u threads, %s, copy %.1f GB/s (read and written)\n", title, mr_context_threads(b.context),
           mr_isa_name(mr_context_isa(b.context)), b.copy_rate * 1e-9);
    printf("%-58s %10s %10s %14s %10s %7s\n", "workload", "best", "median", "rate", "limit", "of it");
    return b;
}

static void bench_end(bench *b)
{
    mr_context_destroy(b->context);
}

static void bench_print(const bench *b, const char *name, bench_time time, double items, const char *unit,
                        double bytes)
{
    double rate = items / time.median, limit = bytes / b->copy_rate;
    const char *prefix = rate >= 1e9 ? "G" : rate >= 1e6 ? "M" : rate >= 1e3 ? "k" : "";
    double scaled = rate >= 1e9 ? rate * 1e-9 : rate >= 1e6 ? rate * 1e-6 : rate >= 1e3 ? rate * 1e-3 : rate;
    char text[40];
    snprintf(text, sizeof text, "%.3g %s%s/s", scaled, prefix, unit);
    printf("%-58s %7.2f ms %7.2f ms %14s", name, time.best * 1e3, time.median * 1e3, text);
    if (bytes > 0) {
        printf(" %7.2f ms %6.0f%%", limit * 1e3, 100.0 * limit / time.median);
    }
    printf("\n");
    fflush(stdout);
}

// The median of `runs` (at most BENCH_RUNS) after one that warms; items of unit ("cell") and bytes the work must move.
static bench_time bench_run(const bench *b, const char *name, int runs, bench_body body, void *argument,
                            double items, const char *unit, double bytes)
{
    bench_measure(name, 1, body, argument);
    bench_time time = bench_measure(name, runs, body, argument);
    bench_print(b, name, time, items, unit, bytes);
    return time;
}

// One run, nothing warmed.
static bench_time bench_run_cold(const bench *b, const char *name, bench_body body, void *argument,
                                 double items, const char *unit, double bytes)
{
    bench_time time = bench_measure(name, 1, body, argument);
    bench_print(b, name, time, items, unit, bytes);
    return time;
}

#endif
