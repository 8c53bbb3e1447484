// What sorting, gathering, scattering and joining cost.

#include "bench.h"

#include "kernel/sort.h"

enum { COUNT = 1 << 24 };

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

typedef struct sorting {
    mr_context *context;
    uint32_t *keys;
    uint32_t *permutation;
    unsigned bits;
} sorting;

static bool sort_all(void *argument, mr_error *error)
{
    const sorting *s = argument;
    return mr_sort_permutation(s->context, s->keys, COUNT, s->bits, s->permutation, error);
}

int main(void)
{
    bench b = bench_begin("kernel sort", NULL);
    mr_error error;
    sorting s = { b.context, NULL, NULL, 32 };
    s.keys = mr_buffer_take(b.context, COUNT * 4, &error);
    s.permutation = mr_buffer_take(b.context, COUNT * 4, &error);
    uint64_t state = 1;
    for (size_t i = 0; i < COUNT; i++) {
        s.keys[i] = (uint32_t)next(&state);
    }
    bench_run_cold(&b, "sort 32 bits, cold", sort_all, &s, COUNT, "key", 8.0 * COUNT);
    for (s.bits = 32; s.bits > 0; s.bits -= 8) {
        char name[32];
        snprintf(name, sizeof name, "sort %u bits", s.bits);
        bench_run(&b, name, 9, sort_all, &s, COUNT, "key", 8.0 * COUNT);
    }
    bench_end(&b);
    return 0;
}
