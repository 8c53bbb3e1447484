// kernel/walk.c: dependent steps of many walkers, a block of them at a time.

#include "kernel/walk.h"

#include "base/thread.h"
#include "kernel/kernel.h"

#include <math.h>

enum { WALK_STEP, WALK_STEP_HI, WALK_DONE, START, FINISH, PATH, STEPS_RUN };
enum { STEPS, WIDTH, DX, DY, DZ, DW };
enum { BLOCK = 256 };

// The walkers of a block that have not stopped, packed.
typedef struct block {
    const mr_walk *walk;
    size_t begin;
    size_t active;
    bool whole; // all of the block's walkers go on, so that ids count up
    uint32_t ids[BLOCK];
    float state[BLOCK * MR_WALK_WIDTH_MAX];
    float low[BLOCK * 4], high[BLOCK * 4];
    uint32_t stops[BLOCK];
} block;

static mr_program_lanes lanes_of(const block *b, uint32_t step)
{
    return (mr_program_lanes){ .first = b->begin,
                               .count = b->active,
                               .ids = b->whole ? NULL : b->ids,
                               .state = b->state,
                               .width = b->walk->width,
                               .step = step };
}

static void stop(const block *b, size_t place, uint32_t step)
{
    const mr_walk *walk = b->walk;
    size_t id = b->ids[place], size = walk->width * sizeof(float);
    const float *state = b->state + place * walk->width;
    memcpy(walk->finish + id * walk->width, state, size);
    walk->steps_run[id] = step;
    for (uint32_t k = step; k < walk->steps; k++) {
        memcpy(walk->path + (id * walk->steps + k) * walk->width, state, size);
    }
}

// Lets go the walkers that stop before a step; those that go on close up, in order.
static bool let_go(block *b, uint32_t step, mr_error *error)
{
    const mr_element_program *done = b->walk->done;
    mr_program_lanes lanes = lanes_of(b, step);
    if (!done->run(done, &lanes, b->stops, error)) {
        return false;
    }
    uint32_t width = b->walk->width;
    // -0 is 0; a NaN is not.
    uint32_t counted = done->type == MR_COLUMN_FLOAT ? 0x7fffffffu : UINT32_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < b->active; i++) {
        if (b->stops[i] & counted) {
            stop(b, i, step);
            continue;
        }
        b->ids[kept] = b->ids[i];
        memmove(b->state + kept * width, b->state + i * width, width * sizeof(float));
        kept++;
    }
    b->whole = b->whole && kept == b->active;
    b->active = kept;
    return true;
}

// Lanes from to from + 3 of the states, of a program's answers; 0 where it has none.
static void take(block *b, const mr_element_program *program, const float *answers, uint32_t from)
{
    uint32_t width = b->walk->width, have = mr_column_lanes(program->type);
    for (size_t i = 0; i < b->active; i++) {
        for (uint32_t l = from; l < width && l < from + 4; l++) {
            b->state[i * width + l] = l - from < have ? answers[i * have + l - from] : 0;
        }
    }
}

static bool step_all(block *b, uint32_t step, mr_error *error)
{
    const mr_walk *walk = b->walk;
    mr_program_lanes lanes = lanes_of(b, step);
    bool high = walk->step_hi && walk->width > 4;
    if ((walk->step && !walk->step->run(walk->step, &lanes, b->low, error)) ||
        (high && !walk->step_hi->run(walk->step_hi, &lanes, b->high, error))) {
        return false;
    }
    if (walk->step) {
        take(b, walk->step, b->low, 0);
    } else {
        for (size_t i = 0; i < b->active; i++) {
            mr_walk_advance(b->state + i * walk->width, walk->width, walk->advance);
        }
    }
    if (high) {
        take(b, walk->step_hi, b->high, 4);
    }
    for (size_t i = 0; i < b->active; i++) {
        memcpy(walk->path + ((size_t)b->ids[i] * walk->steps + step) * walk->width,
               b->state + i * walk->width, walk->width * sizeof(float));
    }
    return true;
}

static bool walk_block(block *b, const mr_walk *walk, size_t begin, size_t count, mr_error *error)
{
    b->walk = walk;
    b->begin = begin;
    b->active = count;
    b->whole = true;
    for (size_t i = 0; i < count; i++) {
        b->ids[i] = (uint32_t)(begin + i);
    }
    memcpy(b->state, walk->start + begin * walk->width, count * walk->width * sizeof(float));
    for (uint32_t k = 0; k < walk->steps && b->active; k++) {
        if ((walk->done && !let_go(b, k, error)) || !step_all(b, k, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < b->active; i++) {
        stop(b, i, walk->steps);
    }
    return true;
}

typedef struct walking {
    mr_context *context;
    const mr_walk *walk;
} walking;

static bool walk_range(void *argument, size_t begin, size_t end, mr_error *error)
{
    const walking *w = argument;
    block b;
    for (; begin < end; begin += BLOCK) {
        size_t count = end - begin < BLOCK ? end - begin : BLOCK;
        if (!mr_keep_going(w->context, error) || !walk_block(&b, w->walk, begin, count, error)) {
            return false;
        }
    }
    return true;
}

static bool check_program(const mr_element_program *program, const char *binding, bool floats,
                          mr_error *error)
{
    if (!program) {
        return true;
    }
    if (program->needs_position) {
        return mr_fail(error, MR_BAD_INPUT, "binding %s reads positions, of which a walk has none", binding);
    }
    uint32_t lanes = mr_column_lanes(program->type);
    bool good = floats ? mr_column_element(program->type) == MR_F32 && lanes <= 4 : lanes == 1;
    return good || mr_fail(error, MR_BAD_INPUT, "binding %s answers %s; it takes %s", binding,
                           mr_column_type_name(program->type), floats ? "1 to 4 floats" : "a truth");
}

bool mr_walk_check(const mr_walk *walk, mr_error *error)
{
    return check_program(walk->step, "WALK_STEP", true, error) &&
           check_program(walk->step_hi, "WALK_STEP_HI", true, error) &&
           check_program(walk->done, "WALK_DONE", false, error);
}

bool mr_walk_run(mr_context *context, const mr_walk *walk, mr_error *error)
{
    walking w = { context, walk };
    return mr_walk_check(walk, error) &&
           mr_parallel_for(context, walk->walkers, BLOCK, walk_range, &w, error);
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *slots = call->slots;
    const mr_word *params = call->params;
    mr_walk walk = { .walkers = call->n,
                     .steps = params[STEPS].u32,
                     .width = params[WIDTH].u32,
                     .start = slots[START].f32,
                     .step = slots[WALK_STEP].program,
                     .step_hi = slots[WALK_STEP_HI].program,
                     .done = slots[WALK_DONE].program,
                     .advance = { params[DX].f32, params[DY].f32, params[DZ].f32, params[DW].f32 },
                     .finish = slots[FINISH].f32,
                     .path = slots[PATH].f32,
                     .steps_run = slots[STEPS_RUN].u32 };
    return mr_walk_run(call->context, &walk, error) || mr_fail_prefix(error, "kernel walk");
}

#define WALK_PROGRAM(called, about)                                                                          \
    {                                                                                                        \
        .name = called, .access = MR_PROGRAM, .element = MR_TAKES_WORD, .optional = true, .doc = about       \
    }
#define WALK_ADVANCE(called, about)                                                                          \
    {                                                                                                        \
        .name = called, .type = MR_F32, .doc = about                                                         \
    }

const mr_kernel mr_kernel_walk = {
    .name = "walk",
    .summary = "Runs dependent steps for each walker and writes its state after every one.",
    .determinism = MR_EXACT,
    .gpu = "exact, a walker a thread: each writes its own rows",
    .bindings = { WALK_PROGRAM("WALK_STEP",
                               "A field: lanes 0 to 3 of the next state. Left out: the state moved by "
                               "dx, dy, dz and dw."),
                  WALK_PROGRAM("WALK_STEP_HI", "A field: lanes 4 to 7. Left out they stay."),
                  WALK_PROGRAM("WALK_DONE", "A field: whether the walker stops before the step."),
                  { .name = "start",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .flat = true,
                    .count = "n * width",
                    .doc = "The walkers' first states." },
                  { .name = "finish",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .count = "n * width",
                    .doc = "Their last." },
                  { .name = "path",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .count = "n * steps * width",
                    .doc = "Row k of walker i, the state after step k, at (i * steps + k) * width; once "
                           "stopped, the "
                           "state it stopped in." },
                  { .name = "steps_run",
                    .access = MR_WRITE,
                    .element = MR_TAKES_U32,
                    .doc = "How many steps each ran." } },
    .params = { { .name = "steps",
                  .type = MR_U32,
                  .value = NAN,
                  .low = 0,
                  .high = (double)INT32_MAX,
                  .doc = "The most steps a walker takes." },
                { .name = "width",
                  .type = MR_U32,
                  .value = 3,
                  .low = 1,
                  .high = MR_WALK_WIDTH_MAX,
                  .doc = "Floats in a state." },
                WALK_ADVANCE("dx", "What the constant step adds to lane 0."),
                WALK_ADVANCE("dy", "To lane 1."),
                WALK_ADVANCE("dz", "To lane 2."),
                WALK_ADVANCE("dw", "To lane 3.") },
    .run = run,
};
