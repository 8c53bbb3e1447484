// field/field_walk.c: fields as the programs of a walk.

#include "field/field.h"
#include "kernel/walk.h"

bool mr_walk_spec_create(mr_context *context, mr_field *step, mr_field *step_hi, mr_field *done,
                         mr_walk_spec *spec, mr_error *error)
{
    mr_field *const fields[] = { step, step_hi, done };
    mr_walk_spec made = { 0 };
    mr_element_program **const programs[] = { &made.step, &made.step_hi, &made.done };
    bool good = true;
    for (size_t i = 0; good && i < 3; i++) {
        *programs[i] = fields[i] ? mr_field_program_create(context, fields[i], error) : NULL;
        good = *programs[i] || !fields[i];
    }
    mr_walk walk = { .step = made.step, .step_hi = made.step_hi, .done = made.done };
    if (!good || !mr_walk_check(&walk, error)) {
        mr_walk_spec_release(&made);
        return false;
    }
    *spec = made;
    return true;
}

void mr_walk_spec_release(mr_walk_spec *spec)
{
    mr_field_program_destroy(spec->step);
    mr_field_program_destroy(spec->step_hi);
    mr_field_program_destroy(spec->done);
    *spec = (mr_walk_spec){ 0 };
}

size_t mr_walk_spec_bind(const mr_walk_spec *spec, mr_bind binds[3])
{
    static const char *const names[] = { "WALK_STEP", "WALK_STEP_HI", "WALK_DONE" };
    const mr_element_program *const programs[] = { spec->step, spec->step_hi, spec->done };
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        if (programs[i]) {
            binds[count++] = (mr_bind){ .name = names[i], .kind = MR_BIND_PROGRAM, .program = programs[i] };
        }
    }
    return count;
}
