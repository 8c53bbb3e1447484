#include "kernel/element_program.h"

#include "kernel/map.h"

mr_column *mr_element_program_column(mr_context *context, const mr_element_program *program, size_t count,
                                     mr_error *error)
{
    mr_column *out = mr_column_create(context, program->type, count, error);
    if (out && !mr_map_elements(context, program, count, NULL, out->data, error)) {
        mr_column_release(out);
        return NULL;
    }
    return out;
}
