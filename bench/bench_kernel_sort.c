// What sorting, gathering, scattering, searching and joining cost, each beside the bytes it must move at least.

#include "bench.h"

#include "kernel/gather.h"
#include "kernel/order_key.h"
#include "kernel/scatter.h"
#include "kernel/sort.h"

enum { COUNT = 1 << 24 };

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void *take(const bench *b, size_t words)
{
    mr_error error;
    void *memory = mr_buffer_take(b->context, words * sizeof(uint32_t), &error);
    if (!memory) {
        bench_fail("memory", &error);
    }
    return memory;
}

typedef struct sorting {
    mr_context *context;
    uint32_t *keys, *permutation;
} sorting;

static bool sort_all(void *argument, mr_error *error)
{
    const sorting *s = argument;
    return mr_sort_permutation(s->context, s->keys, COUNT, 32, s->permutation, error);
}

typedef enum keys_kind { FLOATS, UNIT_FLOATS, WORDS_16_BITS, WORDS_8_BITS, IN_ORDER, KINDS } keys_kind;

static void make_keys(keys_kind kind, uint32_t *keys)
{
    uint64_t state = 1;
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t word = (uint32_t)next(&state);
        float unit = (float)(word >> 8) * 0x1p-24f;
        switch (kind) {
        case FLOATS:
            keys[i] = mr_sort_key(word, true);
            break;
        case UNIT_FLOATS:
            memcpy(&word, &unit, sizeof unit);
            keys[i] = mr_sort_key(word, true);
            break;
        case WORDS_16_BITS:
            keys[i] = word >> 16;
            break;
        case WORDS_8_BITS:
            keys[i] = word >> 24;
            break;
        default:
            keys[i] = (uint32_t)i;
            break;
        }
    }
}

static void bench_sort(const bench *b)
{
    static const char *const names[] = { "sort, any f32 (at most 350 ms)", "sort, f32 of 0 to 1",
                                         "sort, 16 bits", "sort, 8 bits", "sort, in order already" };
    sorting s = { b->context, take(b, COUNT), take(b, COUNT) };
    for (keys_kind kind = FLOATS; kind < KINDS; kind++) {
        make_keys(kind, s.keys);
        if (kind == FLOATS) {
            mr_buffer_trim(b->context);
            bench_run_cold(b, "sort, any f32, cold", sort_all, &s, COUNT, "key", 8.0 * COUNT);
        }
        bench_run(b, names[kind], 9, sort_all, &s, COUNT, "key", 8.0 * COUNT);
    }
    mr_buffer_release(b->context, s.permutation);
    mr_buffer_release(b->context, s.keys);
}

typedef struct gathering {
    mr_context *context;
    uint32_t *from, *to;
    int32_t *index;
    size_t count;
} gathering;

static bool gather_all(void *argument, mr_error *error)
{
    const gathering *g = argument;
    return mr_gather(g->context, g->from, COUNT, 3, g->index, g->count, g->to, error);
}

static void bench_gather(const bench *b)
{
    gathering g = { b->context, take(b, 3 * (size_t)COUNT), take(b, 3 * (size_t)COUNT), take(b, COUNT),
                    COUNT };
    uint64_t state = 2;
    memset(g.from, 0, 3 * (size_t)COUNT * sizeof *g.from);
    for (size_t i = 0; i < COUNT; i++) {
        size_t other = next(&state) % (i + 1);
        g.index[i] = g.index[other];
        g.index[other] = (int32_t)i;
    }
    bench_run_cold(b, "gather Vec3 by a permutation, cold", gather_all, &g, COUNT, "element", 28.0 * COUNT);
    bench_run(b, "gather Vec3 by a permutation (at most 120 ms)", 9, gather_all, &g, COUNT, "element",
              28.0 * COUNT);
    g.count = 0;
    for (size_t i = 0; i < COUNT; i++) {
        if (next(&state) & 1u) {
            g.index[g.count++] = (int32_t)i;
        }
    }
    // Half the elements lie on all of the lines.
    double bytes = 12.0 * COUNT + 16.0 * (double)g.count;
    bench_run(b, "gather Vec3, a sorted half (at least 67% of the limit)", 9, gather_all, &g, (double)g.count,
              "element", bytes);
    mr_buffer_release(b->context, g.index);
    mr_buffer_release(b->context, g.to);
    mr_buffer_release(b->context, g.from);
}

typedef struct scattering {
    mr_context *context;
    mr_place_fold fold;
} scattering;

static bool scatter_all(void *argument, mr_error *error)
{
    const scattering *s = argument;
    return mr_fold_into_places(s->context, &s->fold, MR_PLACE_INIT | MR_PLACE_WORK | MR_PLACE_FINISH, error);
}

static void bench_scatter(const bench *b)
{
    uint32_t *from = take(b, COUNT), *to = take(b, COUNT);
    int32_t *index = take(b, COUNT), *hits = take(b, COUNT), *last = take(b, COUNT);
    uint64_t state = 3;
    scattering s = {
        b->context,
        { .from = from, .index = index, .count = COUNT, .words = 1, .to = to, .hits = hits, .last = last }
    };
    for (size_t i = 0; i < COUNT; i++) {
        float value = (float)(next(&state) >> 40);
        memcpy(&from[i], &value, sizeof value);
    }
    static const size_t places[] = { 1 << 10, 1 << 20, COUNT };
    static const char *const names[] = { "scatter add f32 to 1 Ki places, in order",
                                         "scatter add f32 to 1 Mi places",
                                         "scatter add f32 to 16 Mi places" };
    for (size_t k = 0; k < 3; k++) {
        s.fold.places = places[k];
        for (size_t i = 0; i < COUNT; i++) {
            index[i] = (int32_t)(next(&state) % places[k]);
        }
        bench_run(b, names[k], 9, scatter_all, &s, COUNT, "element", 8.0 * COUNT + 12.0 * (double)places[k]);
    }
    mr_buffer_release(b->context, last);
    mr_buffer_release(b->context, hits);
    mr_buffer_release(b->context, index);
    mr_buffer_release(b->context, to);
    mr_buffer_release(b->context, from);
}

int main(void)
{
    bench b = bench_begin("kernels sort, gather, scatter; 16.7 million elements", NULL);
    bench_sort(&b);
    bench_gather(&b);
    bench_scatter(&b);
    bench_end(&b);
    return 0;
}
