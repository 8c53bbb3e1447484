// The ordered scatter as an author writes it: a world's text, about one million things placed from three million
// candidates by a rule with keep, order, spacing and what parts keep clear, worked by the evaluator.

#include "bench.h"

#include "world/eval.h"
#include "world/population.h"
#include "world/world.h"

#include <sys/resource.h>

enum { RUNS = 5, SIDE = 1733 };

static const double seconds_asked = 2, megabytes_asked = 400;

static const char *const text =
    "part land: terrain.land(terrain.fbm(terrain.source(size: (3466 m, 3466 m), resolution: 2 m, height: 9 "
    "m),\n"
    "    featureSize: 180 m, amplitude: 7 m, octaves: 4))\n"
    "part tree\n"
    "part stones\n"
    "  each i in 0 ..< 200 {\n"
    "    part stone[i], at: ((random(1, i) % 3400 - 1700) * 1 m, 0 m, (random(2, i) % 3400 - 1700) * 1 m),\n"
    "      clearance: (1 + random(3, i) % 12) * 1 m\n"
    "  }\n"
    "field ground = land.height((0 m, 0 m))\n"
    "field layout = scatter(over: land, seed: 42, rules: [pines])\n"
    "field pines = rule(candidates: jitteredGrid(cell: 2 m, x: -1733 m ..< 1733 m, z: -1733 m ..< 1733 m),\n"
    "  keep: here.y > 2.6 m && land.slope(here) < 0.6,\n"
    "  order: here.y + uniform(0 m, 10 m),\n"
    "  spacing: 2.3 m + 0.01 * here.y,\n"
    "  place: tree(variant: below(4)))\n";

typedef struct rules_run {
    double seconds, processor, megabytes, land_megabytes;
    size_t placed, candidates, programs;
} rules_run;

static mr_datum field(mr_evaluator *ev, const char *name, const mr_error *error)
{
    mr_scope *scope = &ev->root->layers[0]->scope;
    mr_datum value;
    if (!mr_member_value(ev, scope, mr_shape_find(scope->shape, mr_view_of(name)), (mr_place){ 0 }, &value)) {
        bench_fail(name, error);
    }
    return value;
}

static double processor_seconds(void)
{
    struct rusage used = { 0 };
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

// In a context of its own, whose peak is the scatter's: the land is there before, and counted apart.
static rules_run run_once(void)
{
    rules_run run = { 0 };
    mr_error error = { 0 };
    mr_context *context = NULL;
    mr_world_source *world = NULL;
    mr_world_source_config config = mr_world_source_config_default();
    if (!mr_context_create(NULL, &context, &error) ||
        !mr_world_source_open_text(context, "bench.world", mr_view_of(text), &config, &world, &error)) {
        bench_fail("world", &error);
    }
    mr_evaluator *ev = mr_world_source_good(world) ? mr_world_evaluator(world, &error) : NULL;
    if (!ev) {
        const mr_diagnostics *all = mr_world_source_diagnostics(world);
        fprintf(stderr, "the world is wrong: %s\n", all->list.count ? all->list.items[0].message : "");
        exit(1);
    }
    field(ev, "ground", &error);
    mr_buffer_trim(context);
    uint64_t before = mr_context_memory_now(context);
    double start = mr_clock_seconds(), worked = processor_seconds();
    mr_datum layout = field(ev, "layout", &error);
    run.seconds = mr_clock_seconds() - start;
    run.processor = processor_seconds() - worked;
    const mr_run *made = layout.sequence->run;
    run.placed = layout.sequence->count;
    run.candidates = made->result.reports[0].candidates;
    run.programs = made->programs.count;
    run.land_megabytes = (double)before * 1e-6;
    run.megabytes = (double)mr_context_memory_peak(context) * 1e-6;
    mr_evaluator_destroy(ev);
    mr_world_source_destroy(world);
    mr_context_destroy(context);
    return run;
}

int main(void)
{
    bench b = bench_begin("rules in the world language", NULL);
    rules_run first = run_once(), run = first;
    double times[RUNS] = { first.seconds };
    for (int i = 1; i < RUNS; i++) {
        run = run_once();
        int at = i;
        for (; at > 0 && times[at - 1] > run.seconds; at--) {
            times[at] = times[at - 1];
        }
        times[at] = run.seconds;
    }
    bench_time time = { times[0], times[RUNS / 2] };
    bench_print(&b, "keep, order, spacing, clearances; 3.0 M candidates, cold", time, (double)SIDE * SIDE,
                "candidate", 0);
    printf("    %zu placed of %zu; %zu options compiled; median %.2f s (asked: %.0f s), processor %.2f s; "
           "peak memory %.0f MB, of "
           "it %.0f MB the land's before it (asked: %.0f MB)\n",
           run.placed, run.candidates, run.programs, time.median, seconds_asked, run.processor, run.megabytes,
           run.land_megabytes, megabytes_asked);
    bench_end(&b);
    return 0;
}
