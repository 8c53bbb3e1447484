// kernel/bvh_span.c: which sorted places an inner node of a radix tree covers.

#include "base/thread.h"
#include "kernel/bvh.h"

// The length of the common prefix of the codes at two places, 64 and more where they are equal (the places themselves
// tell those apart); -1 past either end.
static int prefix(const uint32_t *codes, int64_t count, int64_t i, int64_t j)
{
    if (j < 0 || j >= count) {
        return -1;
    }
    uint32_t difference = codes[i] ^ codes[j];
    if (difference) {
        return __builtin_clz(difference);
    }
    return i == j ? 64 : 32 + __builtin_clz((uint32_t)i ^ (uint32_t)j);
}

mr_bvh_span mr_bvh_span_of(const uint32_t *codes, uint32_t count, uint32_t i)
{
    int64_t n = count, at = i;
    int64_t step = prefix(codes, n, at, at + 1) > prefix(codes, n, at, at - 1) ? 1 : -1;
    int outside = prefix(codes, n, at, at - step);
    int64_t bound = 2;
    while (prefix(codes, n, at, at + bound * step) > outside) {
        bound *= 2;
    }
    int64_t length = 0;
    for (int64_t part = bound / 2; part >= 1; part /= 2) {
        length += prefix(codes, n, at, at + (length + part) * step) > outside ? part : 0;
    }
    int64_t first = step > 0 ? at : at - length, last = first + length;
    // The last place that shares more with the first than the whole run does.
    int common = prefix(codes, n, first, last);
    int64_t low = first, high = last;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (prefix(codes, n, first, middle) > common) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (mr_bvh_span){ (uint32_t)first, (uint32_t)last, (uint32_t)low };
}

typedef struct job {
    const uint32_t *codes, *order;
    size_t count;
    uint32_t *sorted;
} job;

static bool sort_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t k = begin; k < end; k++) {
        if (j->order[k] >= j->count) {
            return mr_fail(error, MR_BAD_INPUT, "place %zu names primitive %u, and there are %zu", k,
                           j->order[k], j->count);
        }
        j->sorted[k] = j->codes[j->order[k]];
        // The place before is asked for anew at a run's beginning, which another thread may not have reached.
        size_t before = k ? k - 1 : 0;
        if (j->order[before] < j->count && j->codes[j->order[before]] > j->sorted[k]) {
            return mr_fail(error, MR_BAD_INPUT,
                           "the codes are not in order: the one at place %zu is less than the one before it",
                           k);
        }
    }
    return true;
}

bool mr_bvh_sorted_codes(mr_context *context, const uint32_t *codes, const uint32_t *order, size_t count,
                         uint32_t *sorted, mr_error *error)
{
    job j = { codes, order, count, sorted };
    return mr_parallel_for(context, count, 4096, sort_run, &j, error);
}
