// kernel/map.c: dst[id] = an expression of the element, for every element of a domain.

#include "kernel/map.h"

#include "base/thread.h"
#include "kernel/kernel.h"

enum { TEMPLATE, POSITION, DOMAIN_COUNT, DST };
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

// Whether the program's words are those of T: as many lanes, floats to floats. T's own type has no Bool and no Color.
static bool check_type(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *dst = &call->slots[DST];
    mr_column_type type = call->slots[TEMPLATE].program->type;
    bool floats = mr_column_element(type) == MR_F32;
    if (mr_column_lanes(type) == dst->lanes && floats == (dst->element == MR_F32)) {
        return true;
    }
    return mr_kernel_refuse(error, call->kernel, "TEMPLATE", "answers %s, which is not what T names",
                            mr_column_type_name(type));
}

static bool run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *dst = &call->slots[DST];
    if (!check_type(call, error)) {
        return false;
    }
    if (!mr_map_elements(call->context, call->slots[TEMPLATE].program, call->live, call->slots[POSITION].f32,
                         dst->data, error)) {
        return mr_fail_prefix(error, "kernel map: binding TEMPLATE");
    }
    memset(dst->u32 + call->live * dst->lanes, 0, (dst->count - call->live) * dst->lanes * 4);
    return true;
}

const mr_kernel mr_kernel_map = {
    .name = "map",
    .summary = "Writes what an expression answers for each element.",
    .determinism = MR_EXACT,
    .gpu =
        "exact: the expression as one function, each operation rounded once; elementary functions need their "
        "correctly rounded forms",
    .bindings = { { .name = "TEMPLATE",
                    .access = MR_PROGRAM,
                    .element = MR_TAKES_T,
                    .doc = "The field. A column it reads past its end reads its last element." },
                  { .name = "position",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .lanes = 3,
                    .count = "n",
                    .optional = true,
                    .doc = "The elements' positions, for a field that reads them." },
                  MR_KERNEL_DOMAIN_COUNT,
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_T,
                    .live = true,
                    .doc = "The answers; 0 past the live count." } },
    .specializations = { { .name = "T",
                           .options = "f32 i32 u32 vec2 vec3 vec4 ivec2 ivec3 ivec4 mat4",
                           .doc = "What an answer is; left out it is the field's own." },
                         MR_KERNEL_COUNT },
    .run = run,
};
