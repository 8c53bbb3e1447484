// kernel/cpu_call.h: cpu.call and cpu.read: a function of the caller's, with its results held to what was declared.
//
// On the CPU device a column's or a geometry's data stands where the function can read it, so nothing is copied for it.

#ifndef MARRAM_KERNEL_CPU_CALL_H
#define MARRAM_KERNEL_CPU_CALL_H

#include "data/function.h"

enum { MR_CPU_CALL_CEILING = 5000 }; // milliseconds, where none is stated

typedef struct mr_cpu_call {
    mr_function *function;
    const mr_value *arguments; // borrowed
    size_t argument_count;
    const char *const *returns; // type names of the results, as mr_type_name has them; "Any" takes any
    size_t return_count;
    double ceiling; // milliseconds of the calling thread's processor time; 0: MR_CPU_CALL_CEILING
} mr_cpu_call;

// Calls the function; *values becomes a List of its results, published. Errors: MR_BAD_INPUT for a name of `returns`
// that is no type, for results of other types or another number of them (the message names the result); MR_LIMIT for a
// call that took longer than its ceiling (how long is measured when it ends: stopping a script while it runs is the
// script host's limit); what the function itself fails with, with its name before it.
bool mr_cpu_call_run(mr_context *context, const mr_cpu_call *call, mr_value *values, mr_error *error);

// The same for a function that reads what the graph does not hold. `digest`, called first with the same arguments, must
// answer one value that stands for all it reads; its content is added to the digester, and what was cooked is cooked
// again when that moves.
bool mr_cpu_read(mr_context *context, const mr_cpu_call *call, mr_function *digest, mr_digester *digester,
                 mr_value *values, mr_error *error);

#endif
