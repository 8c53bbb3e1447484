// The example worlds from cold: `marram build` as a process of its own, files written, as a person waits for it.

#include "bench.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 5 };

typedef struct process {
    double seconds;
    double cpu;
    double megabytes;
} process;

static process run_once(const char *program, const char *world, const char *folder)
{
    double start = mr_clock_seconds();
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, "build", world, "-o", folder, "--quiet", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    struct rusage used = { 0 };
    if (child < 0 || wait4(child, &status, 0, &used) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s build %s failed\n", program, world);
        exit(1);
    }
    double user = (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec * 1e-6;
    double system = (double)used.ru_stime.tv_sec + (double)used.ru_stime.tv_usec * 1e-6;
    return (process){ mr_clock_seconds() - start, user + system, (double)used.ru_maxrss * 1024e-6 };
}

static void run_world(const char *name, const char *world, double at_most)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/tmp/marram-bench-%d", (int)getpid());
    process runs[RUNS];
    for (int i = 0; i < RUNS; i++) {
        process one = run_once(MARRAM_PROGRAM, world, folder);
        int at = i;
        for (; at > 0 && runs[at - 1].seconds > one.seconds; at--) {
            runs[at] = runs[at - 1];
        }
        runs[at] = one;
    }
    printf("%-28s best %.2f s, median %.2f s (asked: %.1f s), processor %.2f s, %.0f MB\n", name,
           runs[0].seconds, runs[RUNS / 2].seconds, at_most, runs[RUNS / 2].cpu, runs[RUNS / 2].megabytes);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) {
        fprintf(stderr, "%s is left\n", folder);
    }
}

int main(void)
{
    run_world("island, cold, files written", MARRAM_SOURCE_DIR "/worlds/island/island.world", 2);
    run_world("jacksboro, cold", MARRAM_SOURCE_DIR "/worlds/jacksboro/jacksboro.world", 3);
    return 0;
}
