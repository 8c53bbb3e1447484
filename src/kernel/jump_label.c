// kernel/jump_label.c: connected sets by a forest that every thread links at once.
//
// An element's parent is never greater than itself, and a root is only ever linked to a lesser element of its set. So
// when all pairs are in, the root of each set is its least element, whatever order they came in.

#include "kernel/jump.h"

#include "base/memory.h"
#include "base/thread.h"

#include <stdatomic.h>

enum { GRAIN = 1 << 14 };
enum { AHEAD = 24 }; // pairs

typedef struct job {
    mr_context *context;
    const int32_t *la, *lb;
    int32_t *label;
    size_t elements;
    _Atomic uint32_t *parent;
    _Atomic int32_t *least; // of the labels of a root's set
    atomic_size_t changed;
} job;

static inline uint32_t parent_of(const job *j, uint32_t i)
{
    return atomic_load_explicit(&j->parent[i], memory_order_relaxed);
}

// The root of i, halving the way to it.
static uint32_t root_of(const job *j, uint32_t i)
{
    for (;;) {
        uint32_t parent = parent_of(j, i), above = parent_of(j, parent);
        if (parent == above) {
            return parent;
        }
        // Lost where another thread has halved it further.
        atomic_compare_exchange_weak_explicit(&j->parent[i], &parent, above, memory_order_relaxed,
                                              memory_order_relaxed);
        i = above;
    }
}

static void join(const job *j, uint32_t a, uint32_t b)
{
    for (;;) {
        a = root_of(j, a);
        b = root_of(j, b);
        if (a == b) {
            return;
        }
        uint32_t high = a > b ? a : b, low = a > b ? b : a, expected = high;
        if (atomic_compare_exchange_strong_explicit(&j->parent[high], &expected, low, memory_order_relaxed,
                                                    memory_order_relaxed)) {
            return;
        }
    }
}

static bool begin_sets(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t i = begin; i < end; i++) {
        atomic_init(&j->parent[i], (uint32_t)i);
        atomic_init(&j->least[i], INT32_MAX);
    }
    return mr_keep_going(j->context, error);
}

static void ask_for(const job *j, int32_t element)
{
    if ((uint32_t)element < j->elements) {
        __builtin_prefetch(&j->parent[element], 1);
    }
}

// What was asked for is there: the next step of the way to the root.
static void ask_on(const job *j, int32_t element)
{
    if ((uint32_t)element < j->elements) {
        __builtin_prefetch(&j->parent[parent_of(j, (uint32_t)element)]);
    }
}

static bool join_pairs(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t i = begin; i < end; i++) {
        if (i + AHEAD < end) {
            ask_for(j, j->la[i + AHEAD]);
            ask_for(j, j->lb[i + AHEAD]);
            ask_on(j, j->la[i + AHEAD / 2]);
            ask_on(j, j->lb[i + AHEAD / 2]);
        }
        uint32_t a = (uint32_t)j->la[i], b = (uint32_t)j->lb[i];
        if (a < j->elements && b < j->elements) {
            join(j, a, b);
        }
    }
    return mr_keep_going(j->context, error);
}

static bool find_least(void *argument, size_t begin, size_t end, mr_error *error)
{
    const job *j = argument;
    for (size_t i = begin; i < end; i++) {
        uint32_t root = root_of(j, (uint32_t)i);
        atomic_store_explicit(&j->parent[i], root, memory_order_relaxed);
        int32_t held = atomic_load_explicit(&j->least[root], memory_order_relaxed);
        while (j->label[i] < held &&
               !atomic_compare_exchange_weak_explicit(&j->least[root], &held, j->label[i],
                                                      memory_order_relaxed, memory_order_relaxed)) {
        }
    }
    return mr_keep_going(j->context, error);
}

static bool write_labels(void *argument, size_t begin, size_t end, mr_error *error)
{
    job *j = argument;
    size_t changed = 0;
    for (size_t i = begin; i < end; i++) {
        int32_t least = atomic_load_explicit(&j->least[parent_of(j, (uint32_t)i)], memory_order_relaxed);
        changed += j->label[i] != least;
        j->label[i] = least;
    }
    atomic_fetch_add_explicit(&j->changed, changed, memory_order_relaxed);
    return mr_keep_going(j->context, error);
}

bool mr_jump_label(mr_context *context, const int32_t *la, const int32_t *lb, size_t pairs, int32_t *label,
                   size_t elements, size_t *changed, mr_error *error)
{
    size_t size;
    if (!mr_size_multiply(elements, sizeof(_Atomic uint32_t) + sizeof(_Atomic int32_t), &size) ||
        elements > INT32_MAX) {
        return mr_fail(error, MR_LIMIT, "%zu elements are more than 32-bit labels can number", elements);
    }
    *changed = 0;
    if (elements == 0) {
        return true;
    }
    void *scratch = mr_buffer_take(context, size, error);
    if (!scratch) {
        return false;
    }
    job j = { .context = context, .la = la, .lb = lb, .label = label, .elements = elements };
    j.parent = scratch;
    j.least = (_Atomic int32_t *)(j.parent + elements);
    atomic_init(&j.changed, 0);
    bool good = mr_parallel_for(context, elements, GRAIN, begin_sets, &j, error) &&
                mr_parallel_for(context, pairs, GRAIN, join_pairs, &j, error) &&
                mr_parallel_for(context, elements, GRAIN, find_least, &j, error) &&
                mr_parallel_for(context, elements, GRAIN, write_labels, &j, error);
    *changed = atomic_load_explicit(&j.changed, memory_order_relaxed);
    mr_buffer_release(context, scratch);
    return good;
}
