#include "kernel/element_program.h"

#include "base/thread.h"

typedef struct evaluation {
    const mr_element_program *program;
    mr_column *out;
} evaluation;

static bool evaluate_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const evaluation *e = argument;
    mr_program_lanes lanes = { .first = begin, .count = end - begin };
    return e->program->run(e->program, &lanes, e->out->u32 + begin * mr_column_lanes(e->program->type),
                           error);
}

mr_column *mr_element_program_column(mr_context *context, const mr_element_program *program, size_t count,
                                     mr_error *error)
{
    if (program->needs_position || program->needs_state) {
        mr_fail(error, MR_BAD_INPUT, "a field that reads %s, which is not to be had here",
                program->needs_state ? "a walk's state" : "the position");
        return NULL;
    }
    mr_column *out = mr_column_create(context, program->type, count, error);
    evaluation e = { program, out };
    if (out && !mr_parallel_for(context, count, 4096, evaluate_run, &e, error)) {
        mr_column_release(out);
        return NULL;
    }
    return out;
}
