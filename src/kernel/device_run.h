// kernel/device_run.h: one run of a kernel as it is put together. Shared by the sources of device.c alone.

#ifndef MARRAM_KERNEL_DEVICE_RUN_H
#define MARRAM_KERNEL_DEVICE_RUN_H

#include "kernel/device.h"

typedef struct device_run {
    mr_context *context;
    const mr_kernel_request *request;
    const mr_kernel *kernel;
    uint8_t choices[MR_KERNEL_SPECIALIZATIONS];
    mr_word params[MR_KERNEL_PARAMS];
    bool given[MR_KERNEL_PARAMS];
    mr_column_type type;              // T's
    bool present[MR_KERNEL_BINDINGS]; // in this variant
    const mr_bind *binds[MR_KERNEL_BINDINGS];
    size_t n, live;
    mr_kernel_slot slots[MR_KERNEL_BINDINGS];
    mr_column *columns[MR_KERNEL_BINDINGS];  // what a slot points into
    mr_column *counters[MR_KERNEL_BINDINGS]; // of appended outputs
    mr_count sizes[MR_KERNEL_BINDINGS];      // of outputs, as worked out
    mr_kernel_slot *tables[MR_KERNEL_BINDINGS];
    mr_column **table_columns[MR_KERNEL_BINDINGS];
} device_run;

// device_choose.c: the variant, and the numbers it is given.
bool device_choose(device_run *run, mr_error *error);
bool device_params(device_run *run, mr_error *error);
// device_bind.c: what each binding reads and writes.
bool device_bind(device_run *run, mr_error *error);
bool device_outputs(device_run *run, mr_error *error);
// The column of that name, borrowed, or NULL.
mr_column *device_find(const mr_table *table, const char *name);
// The column with the binding's words; takes the reference, also on failure.
mr_column *device_cast(device_run *run, const mr_binding *binding, mr_column *column, mr_error *error);
// device_table.c.
bool device_bind_table(device_run *run, uint32_t place, mr_error *error);

// device_size.c. Whether a `when` holds for a variant: NULL always does.
bool device_when(const mr_kernel *kernel, const uint8_t *choices, const char *when);
// Works a binding's count out; resolve answers what a name holds. The answer is the caller's to release.
typedef bool (*device_resolve)(void *self, mr_view name, mr_count *count, mr_error *error);
bool device_size(mr_context *context, const char *text, device_resolve resolve, void *self, mr_count *count,
                 mr_error *error);
// Whether a count's text reads a name.
bool device_size_reads(const char *text, mr_view name);
// Steps through `when`: the next NAME=option; false at its end. *starts: the term begins a clause.
bool device_when_next(const char **at, mr_view *name, mr_view *option, bool *starts);

// The words an element of a binding has in this variant, and their type.
mr_element device_element(const device_run *run, const mr_binding *binding);
uint32_t device_lanes(const device_run *run, const mr_binding *binding);
// What the fields of a binding's elements are as a column's type.
mr_column_type device_type(const device_run *run, const mr_binding *binding);
mr_column_type device_column_type(mr_element element, uint32_t lanes);

#endif
