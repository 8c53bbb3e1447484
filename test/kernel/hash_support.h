// test/kernel/hash_support.h: what the tests of the spatial hash share: awkward points, an index built by hand, and
// kernels run with a line a binding.

#ifndef MARRAM_TEST_HASH_SUPPORT_H
#define MARRAM_TEST_HASH_SUPPORT_H

#include "support.h"

#include "kernel/device.h"
#include "kernel/hash.h"

#include <math.h>

// Contexts: every instruction set there is, on one thread and on seven.

enum { CONTEXTS = 6 };
static mr_context *contexts[CONTEXTS];
static size_t context_count;

static int contexts_begin(void **state)
{
    static const char *const isas[] = { "base", "v3", "v4" };
    for (size_t i = 0; i < CONTEXTS; i++) {
        mr_context_config config = mr_context_config_default();
        mr_error error;
        config.isa = isas[i / 2];
        config.threads = i % 2 ? 7 : 1;
        context_count += mr_context_create(&config, &contexts[context_count], &error);
    }
    return context_count > 0 ? 0 : -1;
}

static int contexts_end(void **state)
{
    for (size_t i = 0; i < context_count; i++) {
        test_context_end(contexts[i]);
    }
    return 0;
}

// Points.

typedef struct cloud {
    size_t count;
    float *xyz;
    float side; // about what a cell's side should be
} cloud;

static const float awkward[] = { 0.0f,          -0.0f,          1e-40f,    -1e-40f, 0x1p-149f, 1e30f,
                                 -1e30f,        INFINITY,       -INFINITY, NAN,     3.0e38f,   -3.0e38f,
                                 2147483648.0f, -2147483648.0f, 1.0f,      -1.0f,   0.5f,      16777216.0f };

static float coordinate(test_random *random, uint32_t kind, float side)
{
    switch (kind) {
    case 0: // some cells across
        return (float)test_between(random, -3, 3) * side;
    case 1: // on the cells' own corners
        return (float)((int)test_below(random, 5) - 2) * side;
    case 2: // a few f32 steps about a corner
        return nextafterf((float)((int)test_below(random, 3) - 1) * side,
                          test_below(random, 2) ? 1e30f : -1e30f);
    case 3: // so far out that f32 is coarse
        return 1e7f * side + (float)test_between(random, -4, 4) * side;
    case 4:
        return test_below(random, 4) ? (float)test_between(random, -2, 2) * side
                                     : awkward[test_below(random, sizeof awkward / sizeof *awkward)];
    default: // all in a heap
        return (float)test_below(random, 2) * side;
    }
}

static cloud cloud_of(test_random *random, size_t count)
{
    static const float sides[] = { 1.0f, 0.1f, 7.25f, 1e-3f, 1e-30f, 1e12f };
    uint32_t kind = test_below(random, 8), side = test_below(random, 12);
    cloud c = { count, malloc((3 * count + 1) * sizeof(float)), sides[side < 6 ? side : 0] };
    for (size_t i = 0; i < 3 * count; i++) {
        uint32_t of = kind < 6 ? kind : kind == 6 ? (i % 3 ? 5 : 0) : test_below(random, 6);
        c.xyz[i] = coordinate(random, of, c.side);
    }
    for (size_t i = 0; count > 1 && i < count / 8; i++) { // some stand on others
        memcpy(c.xyz + 3 * test_below(random, (uint32_t)count),
               c.xyz + 3 * test_below(random, (uint32_t)count), 3 * sizeof(float));
    }
    return c;
}

// Mostly small, by block edges, now and then some hundreds.
static size_t size_of(test_random *random)
{
    static const uint32_t edges[] = { 0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 127, 128, 129 };
    uint32_t pick = test_below(random, 40);
    return pick < 13 ? edges[pick] : pick == 39 ? 200 + test_below(random, 200) : test_below(random, 24);
}

static uint32_t buckets_for(test_random *random)
{
    return 1u << test_below(random, 10);
}

// An index, worked out slowly from keys: a stable sort, and a count of what is below.

typedef struct slow_index {
    uint32_t *keys, *order, *range;
} slow_index;

static slow_index slow_index_of(const uint32_t *keys, size_t count, uint32_t buckets)
{
    slow_index s = { malloc((count + 1) * 4), malloc((count + 1) * 4), malloc(2 * (size_t)buckets * 4) };
    size_t places = 0;
    memcpy(s.keys, keys, count * 4);
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && keys[s.order[at - 1]] > keys[i]; at--) {
            s.order[at] = s.order[at - 1];
        }
        s.order[at] = (uint32_t)i;
    }
    for (uint32_t k = 0; k < buckets; k++) {
        s.range[2 * k] = (uint32_t)places;
        while (places < count && keys[s.order[places]] == k) {
            places++;
        }
        s.range[2 * k + 1] = (uint32_t)places;
    }
    return s;
}

// The bucket of a point by the words of docs/noise.md, in f64 and 64-bit whole numbers.
static uint32_t slow_bucket(const float *p, uint32_t buckets, float inv_cell)
{
    uint32_t cell[3];
    for (int i = 0; i < 3; i++) {
        volatile float product = p[i] * inv_cell;
        double whole = isnan(product) ? -0x1p31 : floor((double)product);
        whole = whole < -0x1p31 ? -0x1p31 : whole > 2147483520.0 ? 2147483520.0 : whole;
        cell[i] = (uint32_t)(int64_t)whole;
    }
    uint32_t y = cell[1] * 1664525u + 1013904223u, z = cell[2] * 1664525u + 1013904223u;
    for (int round = 0; round < 2; round++) {
        y += z * 1664525u;
        z += y * 1664525u;
        y ^= y >> 16;
        z ^= z >> 16;
    }
    return (uint32_t)(((uint64_t)cell[0] + y) % buckets);
}

static slow_index slow_index_of_cloud(const cloud *c, uint32_t buckets, float inv_cell)
{
    uint32_t *keys = malloc((c->count + 1) * 4);
    for (size_t i = 0; i < c->count; i++) {
        keys[i] = slow_bucket(c->xyz + 3 * i, buckets, inv_cell);
    }
    slow_index s = slow_index_of(keys, c->count, buckets);
    free(keys);
    return s;
}

static void slow_index_free(slow_index *s)
{
    free(s->keys);
    free(s->order);
    free(s->range);
}

// A kernel's run.

typedef struct kernel_test {
    mr_context *context;
    mr_kernel_request request;
    mr_bind bind[MR_KERNEL_BINDINGS];
    mr_uniform uniforms[MR_KERNEL_PARAMS];
    mr_choice choices[MR_KERNEL_SPECIALIZATIONS];
    mr_kernel_result result;
} kernel_test;

static void test_kernel(kernel_test *t, mr_context *context, const char *name, size_t n)
{
    *t = (kernel_test){ .context = context };
    t->request.kernel = mr_kernel_find(name);
    assert_non_null(t->request.kernel);
    t->request.domain = mr_count_plain(n);
}

static bool test_bind(kernel_test *t, const char *name, mr_column_type type, const void *words, size_t count)
{
    mr_error error;
    mr_column *column = mr_column_from(t->context, type, words, count, &error);
    if (!column) {
        return false;
    }
    t->bind[t->request.bind_count++] =
        (mr_bind){ .name = name, .kind = MR_BIND_COLUMN, .column = mr_column_publish(column) };
    return true;
}

static void test_number(kernel_test *t, const char *name, double value)
{
    t->uniforms[t->request.uniform_count++] = (mr_uniform){ name, 1, { value } };
}

static void test_choose(kernel_test *t, const char *name, const char *option)
{
    t->choices[t->request.specialize_count++] = (mr_choice){ name, option };
}

// The domain becomes a live count of `live` over the capacity it had.
static bool test_live(kernel_test *t, uint32_t live)
{
    mr_error error;
    mr_column *word = mr_column_from(t->context, MR_COLUMN_UINT, &live, 1, &error);
    bool good = word && mr_count_live(mr_column_publish(word), t->request.domain.capacity, &t->request.domain,
                                      &error);
    mr_column_release(word);
    return good;
}

static bool test_try(kernel_test *t, mr_error *error)
{
    t->request.bind = t->bind;
    t->request.uniforms = t->uniforms;
    t->request.specialize = t->choices;
    return mr_kernel_run(t->context, &t->request, &t->result, error);
}

static void test_run(kernel_test *t)
{
    mr_error error = { 0 };
    test_assert_ok(test_try(t, &error), &error);
}

static const mr_column *test_found(const kernel_test *t, const char *name)
{
    const mr_column *column = mr_kernel_result_find(&t->result, name);
    assert_non_null(column);
    return column;
}

static void test_end(kernel_test *t)
{
    mr_kernel_result_release(&t->result);
    for (size_t i = 0; i < t->request.bind_count; i++) {
        mr_column_release(t->bind[i].column);
    }
    mr_count_release(&t->request.domain);
}

static void test_refused(kernel_test *t, const char *part)
{
    mr_error error = { 0 };
    assert_false(test_try(t, &error));
    assert_text_contains(error.message, t->request.kernel->name);
    assert_text_contains(error.message, part);
    assert_int_equal(t->result.count, 0);
}

// Runs body with the n-th allocation failing, for every n, until it succeeds; body answers whether it did.
static void test_allocations(bool (*body)(mr_context *context))
{
    mr_context *context = test_context_of(1, 0);
    bool done = false;
    for (uint64_t n = 1; n < 500 && !done; n++) {
        mr_buffer_trim(context);
        mr_memory_fail_after(context, n, true);
        done = body(context);
        mr_memory_fail_after(context, 0, false);
    }
    assert_true(done);
    test_context_end(context);
}

#endif
