// kernel/device_table.c: a table of columns in the order a binding states, or sorted by name.

#include "kernel/device_run.h"

static bool table_slots(device_run *run, uint32_t place, size_t count, mr_error *error)
{
    size_t most = count > 0 ? count : 1;
    run->tables[place] = mr_allocate_zeroed(run->context, most * sizeof(mr_kernel_slot));
    run->table_columns[place] = mr_allocate_zeroed(run->context, most * sizeof(mr_column *));
    if (!run->tables[place] || !run->table_columns[place]) {
        return mr_fail_memory(error, most * sizeof(mr_kernel_slot));
    }
    run->slots[place].columns = run->tables[place];
    run->slots[place].column_count = count;
    return true;
}

static bool table_slot(device_run *run, uint32_t place, size_t at, mr_column *column, mr_error *error)
{
    const mr_binding *binding = &run->kernel->bindings[place];
    column = device_cast(run, binding, mr_column_retain(column), error);
    if (!column) {
        return false;
    }
    run->table_columns[place][at] = column;
    mr_kernel_slot *slot = &run->tables[place][at];
    slot->data = column->data;
    slot->count = column->count;
    slot->lanes = mr_column_lanes(column->type);
    slot->element = mr_column_element(column->type);
    return true;
}

static size_t words_in(const char *text)
{
    size_t count = 0;
    while (*text) {
        count++;
        text += strcspn(text, " ");
        text += *text == ' ';
    }
    return count;
}

// The columns the binding's order names, exactly.
static bool table_ordered(device_run *run, uint32_t place, const mr_table *table, mr_error *error)
{
    const mr_binding *binding = &run->kernel->bindings[place];
    size_t count = words_in(binding->order), at = 0;
    if (!table_slots(run, place, count, error)) {
        return false;
    }
    for (const char *text = binding->order; *text; at++) {
        char name[32];
        size_t size = strcspn(text, " ");
        mr_text_format(name, sizeof name, "%.*s", (int)size, text);
        mr_column *column = device_find(table, name);
        if (!column) {
            return mr_kernel_refuse(error, run->kernel, binding->name, "takes the columns %s; %s is missing",
                                    binding->order, name);
        }
        if (!table_slot(run, place, at, column, error)) {
            return false;
        }
        text += size + (text[size] == ' ');
    }
    for (size_t i = 0; table->count > count && i < table->count; i++) {
        if (!device_size_reads(binding->order, mr_view_of(table->items[i].name))) {
            return mr_kernel_refuse(error, run->kernel, binding->name,
                                    "takes the columns %s; there is no place for %s", binding->order,
                                    table->items[i].name);
        }
    }
    return true;
}

// By name: each place takes the least name above the one before it.
static bool table_sorted(device_run *run, uint32_t place, const mr_table *table, mr_error *error)
{
    const char *before = NULL;
    if (!table_slots(run, place, table->count, error)) {
        return false;
    }
    for (size_t at = 0; at < table->count; at++) {
        const mr_attribute *least = NULL;
        for (size_t i = 0; i < table->count; i++) {
            const mr_attribute *item = &table->items[i];
            if ((!before || strcmp(item->name, before) > 0) &&
                (!least || strcmp(item->name, least->name) < 0)) {
                least = item;
            }
        }
        if (!least) {
            return mr_kernel_refuse(error, run->kernel, run->kernel->bindings[place].name,
                                    "holds a name twice");
        }
        if (!table_slot(run, place, at, least->column, error)) {
            return false;
        }
        before = least->name;
    }
    return true;
}

bool device_bind_table(device_run *run, uint32_t place, mr_error *error)
{
    const mr_binding *binding = &run->kernel->bindings[place];
    const mr_bind *bind = run->binds[place];
    if (bind && bind->kind != MR_BIND_TABLE) {
        return mr_kernel_refuse(error, run->kernel, binding->name, "takes a table of columns");
    }
    const mr_table *table = bind ? &bind->table : &run->request->bind_columns;
    if (!bind && !table->items) {
        if (binding->optional) {
            return true;
        }
        return mr_kernel_refuse(error, run->kernel, binding->name,
                                "is not bound; it takes a table of columns");
    }
    return binding->order ? table_ordered(run, place, table, error) : table_sorted(run, place, table, error);
}
