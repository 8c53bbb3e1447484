// kernel/filter_weights.c: what each filter weighs, and the table of an axis.

#include "kernel/filter_weights.h"

#include "base/memory.h"
#include "base/thread.h"
#include "num/exact.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

double mr_filter_support(mr_filter filter)
{
    static const double supports[] = { 1, 3, 2, 0.5 };
    return supports[filter];
}

// sin(pi x): exactly 0 at whole numbers.
static double sine_of_turns(double x)
{
    double whole = __builtin_rint(x);
    double sine = (double)mr_f32_sin((float)((x - whole) * pi));
    return (int64_t)whole & 1 ? -sine : sine;
}

static double lanczos3(double x)
{
    if (x < 1e-6) {
        return 1;
    }
    return 3 * sine_of_turns(x) * sine_of_turns(x / 3) / (pi * pi * x * x);
}

double mr_filter_weight(mr_filter filter, double x)
{
    x = __builtin_fabs(x);
    if (!(x < mr_filter_support(filter))) {
        return 0;
    }
    switch (filter) {
    case MR_FILTER_BILINEAR:
        return 1 - x;
    case MR_FILTER_LANCZOS3:
        return lanczos3(x);
    case MR_FILTER_CATMULL_ROM:
        return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2;
    case MR_FILTER_NEAREST:
        break;
    }
    return 1;
}

typedef struct table_job {
    mr_filter filter;
    size_t in;
    double stretch;
    mr_filter_taps *taps;
    double *sums; // `most` a run of the loop
    size_t grain;
} table_job;

static void nearest_tap(const table_job *job, size_t i)
{
    mr_filter_taps *taps = job->taps;
    taps->first[i] = (uint32_t)((2 * (uint64_t)i + 1) * job->in / (2 * (uint64_t)taps->out));
    taps->count[i] = 1;
    taps->weights[i * taps->most] = 1;
}

static void filter_taps(const table_job *job, size_t i, double *sums)
{
    mr_filter_taps *taps = job->taps;
    const int64_t last = (int64_t)job->in - 1;
    double centre = (double)(2 * (uint64_t)i + 1) * (double)job->in / (double)(2 * (uint64_t)taps->out) - 0.5;
    double reach = mr_filter_support(job->filter) * job->stretch;
    int64_t from = (int64_t)__builtin_ceil(centre - reach), to = (int64_t)__builtin_floor(centre + reach);
    int64_t low = from > 0 ? from : 0, high = to < last ? to : last;
    double sum = 0;
    memset(sums, 0, (size_t)(high - low + 1) * sizeof *sums);
    for (int64_t k = from; k <= to; k++) {
        double weight = mr_filter_weight(job->filter, ((double)k - centre) / job->stretch);
        sums[(k < low ? low : k > high ? high : k) - low] += weight;
        sum += weight;
    }
    int64_t first = low, end = high;
    while (first < end && sums[first - low] == 0) {
        first++;
    }
    while (end > first && sums[end - low] == 0) {
        end--;
    }
    taps->first[i] = (uint32_t)first;
    taps->count[i] = (uint32_t)(end - first + 1);
    for (int64_t k = first; k <= end; k++) {
        taps->weights[i * taps->most + (size_t)(k - first)] = (float)(sums[k - low] / sum);
    }
}

static bool work_out(void *argument, size_t begin, size_t end, mr_error *error)
{
    const table_job *job = argument;
    double *sums = job->sums + mr_parallel_run_of(job->taps->out, job->grain, begin) * job->taps->most;
    (void)error;
    for (size_t i = begin; i < end; i++) {
        if (job->filter == MR_FILTER_NEAREST) {
            nearest_tap(job, i);
        } else {
            filter_taps(job, i, sums);
        }
    }
    return true;
}

static size_t most_taps(mr_filter filter, size_t in, double stretch)
{
    if (filter == MR_FILTER_NEAREST) {
        return 1;
    }
    size_t most = (size_t)(2 * mr_filter_support(filter) * stretch) + 2;
    return most < in ? most : in;
}

bool mr_filter_taps_make(mr_context *context, mr_filter filter, size_t in, size_t out, mr_filter_taps *taps,
                         mr_error *error)
{
    double stretch = in > out ? (double)in / (double)out : 1;
    size_t grain = 64, weights, sums;
    *taps = (mr_filter_taps){ .out = out, .most = most_taps(filter, in, stretch) };
    if (!mr_size_multiply(out, taps->most * sizeof(float), &weights) || out > SIZE_MAX / 8 ||
        !mr_size_multiply(mr_parallel_runs(out, grain), taps->most * sizeof(double), &sums)) {
        return mr_fail(error, MR_LIMIT, "the weights of %zu pixels made of %zu do not fit in memory", out,
                       in);
    }
    table_job job = { filter, in, stretch, taps, NULL, grain };
    taps->first = mr_buffer_take(context, out * sizeof(uint32_t), error);
    taps->count = taps->first ? mr_buffer_take(context, out * sizeof(uint32_t), error) : NULL;
    taps->weights = taps->count ? mr_buffer_take(context, weights, error) : NULL;
    job.sums = taps->weights ? mr_buffer_take(context, sums, error) : NULL;
    bool good = job.sums && mr_parallel_for(context, out, grain, work_out, &job, error);
    mr_buffer_release(context, job.sums);
    if (!good) {
        mr_filter_taps_release(context, taps);
    }
    return good;
}

void mr_filter_taps_release(mr_context *context, mr_filter_taps *taps)
{
    mr_buffer_release(context, taps->first);
    mr_buffer_release(context, taps->count);
    mr_buffer_release(context, taps->weights);
    *taps = (mr_filter_taps){ 0 };
}
