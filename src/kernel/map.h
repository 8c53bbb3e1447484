// kernel/map.h: an expression over every element.

#ifndef MARRAM_KERNEL_MAP_H
#define MARRAM_KERNEL_MAP_H

#include "base/context.h"
#include "kernel/element_program.h"

// out[i] = the program's answer at element i, for 0..count - 1, packed, over all cores. position: 3 floats an element, or
// NULL. An element's answer depends on nothing but its own inputs, so no split shows. Errors: MR_BAD_INPUT for a program
// that reads positions where there are none or a walk's state; the program's own; MR_CANCELLED.
bool mr_map_elements(mr_context *context, const mr_element_program *program, size_t count,
                     const float *position, void *out, mr_error *error);

#endif
