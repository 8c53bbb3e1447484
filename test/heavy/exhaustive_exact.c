// Every argument of every f32 function of one argument: all 2^32 of them, in the array and (for one argument in 64) the
// scalar form.
//
//     exhaustive_exact [--threads N] [FUNCTION ...]
//
// The screen is the C library's f64 function of the machine this runs on, whose error the glibc manual ("Known Maximum
// Errors in Math Functions") puts at 4 units in the last place or fewer; 64 units are allowed here. An answer that f64 number's whole neighbourhood
// rounds to is right; near a tie, and wherever the screen and the answer differ, MPFR decides.

#include "../num/exact_reference.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static double screen_error = 0x1p-46; // 64 units in the last place

typedef double (*screen_function)(double);

// In the order of unary_functions.
static const screen_function screens[UNARY_COUNT] = { sqrt, cbrt, exp, exp2, expm1, log,  log2, log10, log1p,
                                                      sin,  cos,  tan, asin, acos,  atan, sinh, cosh,  tanh };

enum { BLOCK = 4096, BLOCKS = 1 << 20 };

typedef struct sweep {
    const unary_f32 *function;
    screen_function screen;
    atomic_uint next; // block
    atomic_ullong asked, wrong;
} sweep;

static void *work(void *argument)
{
    sweep *job = argument;
    reference r;
    reference_begin(&r, true);
    static _Thread_local float x[BLOCK], out[BLOCK];
    unsigned long long asked = 0, wrong = 0;
    for (;;) {
        uint32_t block = atomic_fetch_add(&job->next, 1u);
        if (block >= BLOCKS) {
            break;
        }
        for (uint32_t i = 0; i < BLOCK; i++) {
            x[i] = float_of(block * BLOCK + i);
        }
        job->function->array(x, out, BLOCK);
        for (uint32_t i = 0; i < BLOCK; i++) {
            double near = job->screen((double)x[i]);
            float low = (float)(near * (1.0 - screen_error)), high = (float)(near * (1.0 + screen_error));
            float got = out[i];
            bool sure = isnan(near) ? bits_of(got) == 0x7fc00000u
                                    : bits_of(low) == bits_of(high) && bits_of(got) == bits_of(low);
            if (!sure) {
                asked++;
                sure = bits_of(got) == bits_of(reference_f32(&r, job->function->reference, x[i]));
            }
            if ((i & 63u) == (block & 63u)) {
                sure = sure && bits_of(job->function->scalar(x[i])) == bits_of(got);
            }
            if (!sure && wrong++ < 3) {
                printf("%s(%a) is %a, not %a\n", job->function->name, (double)x[i], (double)got,
                       (double)reference_f32(&r, job->function->reference, x[i]));
            }
        }
    }
    atomic_fetch_add(&job->asked, asked);
    atomic_fetch_add(&job->wrong, wrong);
    reference_end(&r);
    return NULL;
}

static bool named(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return count == 0;
}

int main(int count, char **words)
{
    int threads = 2;
    int first = 1;
    if (count > 2 && strcmp(words[1], "--threads") == 0) {
        threads = atoi(words[2]);
        first = 3;
    }
    threads = threads < 1 ? 1 : threads > 64 ? 64 : threads;
    unsigned long long wrong = 0;
    printf("| function | arguments | asked of MPFR | wrong | seconds |\n|---|---|---|---|---|\n");
    for (size_t f = 0; f < UNARY_COUNT; f++) {
        if (!named(unary_functions[f].name, words + first, count - first)) {
            continue;
        }
        sweep job = { .function = &unary_functions[f], .screen = screens[f] };
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        pthread_t others[64];
        int started = 0;
        while (started < threads - 1 && pthread_create(&others[started], NULL, work, &job) == 0) {
            started++;
        }
        work(&job);
        while (started > 0) {
            pthread_join(others[--started], NULL);
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("| %s | 4294967296 | %llu | %llu | %.0f |\n", unary_functions[f].name, atomic_load(&job.asked),
               atomic_load(&job.wrong),
               (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9);
        fflush(stdout);
        wrong += atomic_load(&job.wrong);
    }
    return wrong ? 1 : 0;
}
