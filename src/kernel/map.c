// kernel/map.c: dst[id] = an expression of the element, for every element of a domain.

#include "kernel/map.h"

#include "base/thread.h"
#include "kernel/kernel.h"

enum { GRAIN = 8192 };

typedef struct mapping {
    const mr_element_program *program;
    const float *position;
    uint32_t *out;
} mapping;

static bool map_run(void *argument, size_t begin, size_t end, mr_error *error)
{
    const mapping *m = argument;
    mr_program_lanes lanes = { .first = begin,
                               .count = end - begin,
                               .position = m->position ? m->position + 3 * begin : NULL };
    return m->program->run(m->program, &lanes, m->out + begin * mr_column_lanes(m->program->type), error);
}

bool mr_map_elements(mr_context *context, const mr_element_program *program, size_t count,
                     const float *position, void *out, mr_error *error)
{
    if (program->needs_state || (program->needs_position && !position)) {
        return mr_fail(error, MR_BAD_INPUT, "a field that reads %s, which is not to be had here",
                       program->needs_state ? "a walk's state" : "the position");
    }
    mapping m = { program, position, out };
    return mr_parallel_for(context, count, GRAIN, map_run, &m, error);
}
