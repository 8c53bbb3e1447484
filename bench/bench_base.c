// What the base floor costs: numbers to text and back, buffers fresh and recycled, the pool's loops, hashing.

#include "base/context.h"
#include "base/digest.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 1000000, LOOPS = 2000 };
static const size_t block = (size_t)256 << 20;

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void row(const char *what, double seconds, double count, const char *unit)
{
    printf("%-36s %10.4f s %12.3f %s\n", what, seconds, count / seconds * 1e-6, unit);
}

// The machine's limit is how fast it fills memory that is there: the row says the ratio to it.
static void row_of_limit(const char *what, double seconds, double limit)
{
    printf("%-36s %10.4f s %12.3f GB/s   %.2f of the limit\n", what, seconds, (double)block / seconds * 1e-9,
           limit / seconds);
}

static bool nothing(void *argument, size_t begin, size_t end, mr_error *error)
{
    (void)argument, (void)begin, (void)end, (void)error;
    return true;
}

static void bench_numbers(void)
{
    double *values = malloc(NUMBERS * sizeof *values);
    char(*texts)[MR_NUMBER_TEXT_SIZE] = malloc(NUMBERS * sizeof *texts);
    if (!values || !texts) {
        exit(1);
    }
    uint64_t state = 1;
    for (size_t i = 0; i < NUMBERS; i++) {
        values[i] = (double)(next(&state) >> 11) * 0x1p-53 * 4000;
    }
    double begin = mr_clock_seconds();
    for (size_t i = 0; i < NUMBERS; i++) {
        mr_f64_text_general((double)(float)values[i], 9, texts[i]);
    }
    row("f32 to text, 9 digits", mr_clock_seconds() - begin, NUMBERS, "million/s");
    begin = mr_clock_seconds();
    for (size_t i = 0; i < NUMBERS; i++) {
        mr_f32_text((float)values[i], texts[i]);
    }
    row("f32 to text, shortest", mr_clock_seconds() - begin, NUMBERS, "million/s");
    begin = mr_clock_seconds();
    for (size_t i = 0; i < NUMBERS; i++) {
        mr_f64_text(values[i], texts[i]);
    }
    row("f64 to text, shortest", mr_clock_seconds() - begin, NUMBERS, "million/s");
    begin = mr_clock_seconds();
    for (size_t i = 0; i < NUMBERS; i++) {
        mr_f64_parse(mr_view_of(texts[i]), &values[i]);
    }
    row("f64 from text, 17 digits", mr_clock_seconds() - begin, NUMBERS, "million/s");
    free(values);
    free(texts);
}

static void bench_memory(mr_context *context)
{
    mr_error error;
    double limit = 1e9;
    double cold = 0, warm = 0;
    for (int round = 0; round < 4; round++) {
        double begin = mr_clock_seconds();
        void *buffer = mr_buffer_take(context, block, &error);
        if (!buffer) {
            exit(1);
        }
        memset(buffer, round, block);
        double taken = mr_clock_seconds() - begin;
        cold = round == 0 ? taken : cold;
        warm = round == 0 || taken < warm ? taken : warm;
        begin = mr_clock_seconds();
        memset(buffer, round + 1, block);
        taken = mr_clock_seconds() - begin;
        limit = taken < limit ? taken : limit;
        mr_buffer_release(context, buffer);
    }
    row_of_limit("fill a buffer taken cold, 256 MB", cold, limit);
    row_of_limit("fill a buffer taken warm, 256 MB", warm, limit);
    void *buffer = mr_buffer_take(context, block, &error);
    memset(buffer, 1, block);
    mr_digester digester;
    mr_digest_begin(&digester);
    double begin = mr_clock_seconds();
    mr_digest_bytes(&digester, buffer, block);
    row_of_limit("hash 256 MB", mr_clock_seconds() - begin, limit);
    mr_buffer_release(context, buffer);

    begin = mr_clock_seconds();
    for (size_t i = 0; i < NUMBERS; i++) {
        mr_free(context, mr_allocate(context, 16 + i % 500));
    }
    row("allocate and free", mr_clock_seconds() - begin, NUMBERS, "million/s");
    begin = mr_clock_seconds();
    for (size_t i = 0; i < NUMBERS; i++) {
        mr_buffer_release(context, mr_buffer_take(context, 65536, &error));
    }
    row("take and release a buffer, 64 kB", mr_clock_seconds() - begin, NUMBERS, "million/s");
}

static void bench_loops(mr_context *context)
{
    static const size_t runs[] = { 2, 64, 1024 };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char what[64];
        snprintf(what, sizeof what, "empty loops of %zu runs", runs[i]);
        double begin = mr_clock_seconds();
        for (int k = 0; k < LOOPS; k++) {
            mr_parallel_for(context, runs[i], 1, nothing, NULL, NULL);
        }
        row(what, mr_clock_seconds() - begin, LOOPS, "million loops/s");
    }
}

int main(void)
{
    mr_context *context;
    mr_error error;
    if (!mr_context_create(NULL, &context, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("base floor, %u threads\n", mr_context_threads(context));
    bench_numbers();
    bench_memory(context);
    bench_loops(context);
    mr_context_destroy(context);
    return 0;
}
