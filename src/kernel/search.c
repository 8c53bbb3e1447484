// kernel/search.c: where queries stand in a sorted column.

#include "base/thread.h"
#include "kernel/kernel.h"
#include "kernel/order_key.h"

enum {
    GRAIN = 1 << 12,
    TOGETHER =
        16 // queries searched side by side: each waits for memory at every step, but not for the others
};
enum { SORTED, QUERIES, PLACE };
enum { SIDE = 1 };
enum { UPPER = 1 };

typedef struct job {
    const uint32_t *sorted, *queries;
    size_t count; // of sorted
    mr_element element;
    bool upper;
    int32_t *place;
} job;

static inline uint32_t key_of(uint32_t word, mr_element element)
{
    return element == MR_U32 ? word : mr_sort_key(word, element == MR_F32);
}

// Halves what is left of the column for each query, every one as often: the place is from `at` to at + left.
static inline void search_some(const job *j, mr_element element, bool upper, size_t begin, size_t count)
{
    uint32_t keys[TOGETHER];
    size_t at[TOGETHER] = { 0 };
    for (size_t k = 0; k < count; k++) {
        keys[k] = key_of(j->queries[begin + k], element);
    }
    for (size_t left = j->count; left > 0;) {
        size_t half = (left + 1) / 2;
        for (size_t k = 0; k < count; k++) {
            uint32_t value = key_of(j->sorted[at[k] + half - 1], element);
            bool past = upper ? value <= keys[k] : value < keys[k];
            at[k] += past ? half : 0;
        }
        left -= half;
    }
    for (size_t k = 0; k < count; k++) {
        j->place[begin + k] = (int32_t)at[k];
    }
}

static inline void search_all(const job *j, mr_element element, bool upper, size_t begin, size_t end)
{
    for (; begin + TOGETHER <= end; begin += TOGETHER) {
        search_some(j, element, upper, begin, TOGETHER);
    }
    search_some(j, element, upper, begin, end - begin);
}

static bool search_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    (void)error;
    switch (j->element) {
    case MR_F32:
        search_all(j, MR_F32, j->upper, begin, end);
        break;
    case MR_I32:
        search_all(j, MR_I32, j->upper, begin, end);
        break;
    case MR_U32:
        search_all(j, MR_U32, j->upper, begin, end);
        break;
    }
    return true;
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots;
    job j = { .sorted = slots[SORTED].u32,
              .queries = slots[QUERIES].u32,
              .count = slots[SORTED].count,
              .element = slots[SORTED].element,
              .upper = call->choices[SIDE] == UPPER,
              .place = slots[PLACE].i32 };
    return mr_parallel_for(call->context, call->n, GRAIN, search_run, &j, error);
}

const mr_kernel mr_kernel_search = {
    .name = "search",
    .summary = "Finds by halving where each of a run of queries stands in a sorted column.",
    .source = "Knuth, The Art of Computer Programming 3, 6.2.1",
    .determinism = MR_EXACT,
    .gpu = "exact: comparisons alone",
    .bindings = { { .name = "sorted",
                    .access = MR_READ,
                    .element = MR_TAKES_T,
                    .doc = "ascending, all of it, in the order of sort: -0 and +0 are equal, NaN comes last. "
                           "Of a "
                           "column that is not, some place within it is answered, the same every time" },
                  { .name = "queries",
                    .access = MR_READ,
                    .element = MR_TAKES_T,
                    .count = "n",
                    .doc = "what is looked for; NaN is past +infinity" },
                  { .name = "place",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "the first place of the side's, or how many elements sorted has" } },
    .specializations = { { .name = "T",
                           .options = "f32 i32 u32",
                           .doc = "the number a value is; left out, that of sorted" },
                         { .name = "SIDE",
                           .options = "lower upper",
                           .doc = "lower: the first place whose value is not below the query; upper: whose "
                                  "value is "
                                  "above it" } },
    .run = run,
};
