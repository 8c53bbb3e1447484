// kernel/device_bind.c: what each of a kernel's bindings reads and writes.

#include "base/thread.h"
#include "kernel/device_run.h"

// What a count's text may read: n, params, bindings, and names bound for counts alone.
static bool resolve(void *self, mr_view name, mr_count *count, mr_error *error)
{
    device_run *run = self;
    if (mr_view_is(name, "n")) {
        *count = mr_count_plain(run->n);
        return true;
    }
    for (uint32_t i = 0; i < mr_kernel_param_count(run->kernel); i++) {
        const mr_kernel_param *param = &run->kernel->params[i];
        if (mr_view_is(name, param->name)) {
            double value = param->type == MR_F32   ? (double)run->params[i].f32
                           : param->type == MR_I32 ? (double)run->params[i].i32
                                                   : (double)run->params[i].u32;
            *count = mr_count_plain(value > 0 ? (size_t)value : 0);
            return true;
        }
    }
    for (size_t i = 0; i < run->request->bind_count; i++) {
        const mr_bind *bind = &run->request->bind[i];
        if (mr_view_is(name, bind->name) && bind->kind == MR_BIND_COUNT) {
            *count = mr_count_retain(bind->count);
            return true;
        }
    }
    bool absent = false;
    for (uint32_t i = 0; i < mr_kernel_binding_count(run->kernel); i++) {
        bool named = mr_view_is(name, run->kernel->bindings[i].name);
        if (named && run->present[i]) {
            *count = mr_count_plain(run->slots[i].count);
            return true;
        }
        absent |= named;
    }
    if (absent) {
        *count = mr_count_plain(0);
        return true;
    }
    return mr_kernel_refuse(error, run->kernel, NULL,
                            "%.*s says how much it writes; bind it to a number or a count",
                            MR_VIEW_ARGS(name));
}

// Whether some count of the variant's reads the name.
static bool sizes_read(const device_run *run, const char *name)
{
    for (uint32_t i = 0; i < mr_kernel_binding_count(run->kernel); i++) {
        if (run->present[i] && device_size_reads(run->kernel->bindings[i].count, mr_view_of(name))) {
            return true;
        }
    }
    return false;
}

static bool unknown_binding(const mr_kernel *kernel, const char *name, mr_error *error)
{
    const char *names[MR_KERNEL_BINDINGS];
    uint32_t count = mr_kernel_binding_count(kernel);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = kernel->bindings[i].name;
    }
    const char *nearest = mr_nearest_name(name, names, count);
    mr_kernel_refuse(error, kernel, NULL, "there is no binding %s", name);
    if (nearest) {
        mr_hint(error, "did you mean %s?", nearest);
    }
    return false;
}

static bool place_bind(device_run *run, const mr_bind *bind, mr_error *error)
{
    const mr_binding *absent = NULL;
    for (uint32_t i = 0; i < mr_kernel_binding_count(run->kernel); i++) {
        const mr_binding *binding = &run->kernel->bindings[i];
        if (strcmp(binding->name, bind->name) != 0) {
            continue;
        }
        if (!run->present[i]) {
            absent = binding;
            continue;
        }
        if (run->binds[i]) {
            return mr_kernel_refuse(error, run->kernel, bind->name, "is bound twice");
        }
        bool nothing = (bind->kind == MR_BIND_COLUMN && !bind->column) ||
                       (bind->kind == MR_BIND_PROGRAM && !bind->program) ||
                       (bind->kind == MR_BIND_TEXTURE && !bind->texture);
        if (nothing) {
            return mr_kernel_refuse(error, run->kernel, bind->name, "is bound to nothing");
        }
        run->binds[i] = bind;
        return true;
    }
    if (absent) {
        return mr_kernel_refuse(error, run->kernel, bind->name, "is of another variant: it stands where %s",
                                absent->when);
    }
    if (bind->kind == MR_BIND_COUNT && sizes_read(run, bind->name)) {
        return true;
    }
    return unknown_binding(run->kernel, bind->name, error);
}

mr_column *device_find(const mr_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->items[i].name, name) == 0) {
            return table->items[i].column;
        }
    }
    return NULL;
}

static mr_column *evaluate(device_run *run, const mr_binding *binding, const mr_element_program *program,
                           mr_error *error)
{
    mr_column *out = mr_element_program_column(run->context, program, run->n, error);
    if (!out) {
        mr_fail_prefix(error, "kernel %s: binding %s", run->kernel->name, binding->name);
    }
    return out;
}

// The column a bind stands for, as a reference; NULL with an error where it stands for none.
static mr_column *column_of(device_run *run, const mr_binding *binding, const mr_bind *bind, mr_error *error)
{
    switch (bind->kind) {
    case MR_BIND_COLUMN:
        return mr_column_retain(bind->column);
    case MR_BIND_TEXTURE:
        return mr_column_retain(bind->texture->texels);
    case MR_BIND_PROGRAM:
        return evaluate(run, binding, bind->program, error);
    case MR_BIND_COUNT: {
        if (bind->count.word) {
            return mr_column_retain(bind->count.word);
        }
        uint32_t number = (uint32_t)bind->count.capacity;
        return mr_column_from(run->context, MR_COLUMN_UINT, &number, 1, error);
    }
    case MR_BIND_TABLE:
        break;
    }
    mr_kernel_refuse(error, run->kernel, binding->name, "takes a column, not a table of columns");
    return NULL;
}

// A flat binding's column as a run of single words; takes the reference. One that is read is only looked at.
static bool fits(const device_run *run, const mr_binding *binding, const mr_column *column, mr_error *error)
{
    uint32_t lanes = device_lanes(run, binding), own = mr_column_lanes(column->type);
    if (binding->flat || lanes == own) {
        return true;
    }
    return mr_kernel_refuse(error, run->kernel, binding->name,
                            "takes %u word%s an element; the column is %s, of %u", lanes,
                            lanes == 1 ? "" : "s", mr_column_type_name(column->type), own);
}

mr_column *device_cast(device_run *run, const mr_binding *binding, mr_column *column, mr_error *error)
{
    mr_element element = device_element(run, binding), own = mr_column_element(column->type);
    if (!fits(run, binding, column, error)) {
        mr_column_release(column);
        return NULL;
    }
    // Words of Int, UInt and Bool are read as they are.
    if (binding->element == MR_TAKES_WORD || own == element || (own != MR_F32 && element != MR_F32)) {
        return column;
    }
    mr_column_type to = device_column_type(element, mr_column_lanes(column->type));
    if (to == MR_COLUMN_TYPE_COUNT) {
        mr_kernel_refuse(error, run->kernel, binding->name,
                         "takes whole numbers, and no such column has the words of a %s",
                         mr_column_type_name(column->type));
        mr_column_release(column);
        return NULL;
    }
    mr_column *answer = mr_column_cast(column, to, error);
    mr_column_release(column);
    return answer;
}

static void fill_slot(device_run *run, uint32_t place, mr_column *column)
{
    const mr_binding *binding = &run->kernel->bindings[place];
    mr_kernel_slot *slot = &run->slots[place];
    uint32_t lanes = mr_column_lanes(column->type);
    slot->data = column->data;
    slot->lanes = binding->flat ? 1 : lanes;
    slot->count = binding->flat ? column->count * lanes : column->count;
    slot->element = mr_column_element(column->type);
    run->columns[place] = column;
}

static bool bind_read(device_run *run, uint32_t place, mr_error *error)
{
    const mr_binding *binding = &run->kernel->bindings[place];
    const mr_bind *bind = run->binds[place];
    mr_column *column = NULL;
    if (bind) {
        column = column_of(run, binding, bind, error);
    } else if (strcmp(binding->name, "domain_count") == 0) {
        mr_bind domain = { .kind = MR_BIND_COUNT, .count = run->request->domain };
        column = column_of(run, binding, &domain, error);
    } else {
        mr_column *named = device_find(&run->request->bind_columns, binding->name);
        named = named ? named : device_find(&run->request->columns, binding->name);
        if (!named && binding->optional) {
            run->slots[place].lanes = device_lanes(run, binding);
            run->slots[place].element = device_element(run, binding);
            return true;
        }
        if (!named) {
            return mr_kernel_refuse(error, run->kernel, binding->name, "is not bound; it %s",
                                    binding->access == MR_IN_PLACE ? "is worked on in place" : "is read");
        }
        column = mr_column_retain(named);
    }
    column = column ? device_cast(run, binding, column, error) : NULL;
    if (column) {
        fill_slot(run, place, column);
    }
    return column != NULL;
}

// A written binding's own copy of what it is bound to, in the binding's type; takes the reference.
static mr_column *copy_of(device_run *run, const mr_binding *binding, mr_column *column, mr_error *error)
{
    mr_column_type type =
        binding->element == MR_TAKES_WORD || binding->flat ? column->type : device_type(run, binding);
    if (!fits(run, binding, column, error)) {
        mr_column_release(column);
        return NULL;
    }
    if (mr_column_lanes(type) == 1 && column->type == MR_COLUMN_TEXT) {
        type = MR_COLUMN_UINT;
    }
    mr_column *own = type == column->type
                         ? mr_column_from(run->context, type, column->data, column->count, error)
                         : mr_column_cast(column, type, error);
    if (own) {
        mr_column_set_live(own, column->live);
    }
    mr_column_release(column);
    return own;
}

static bool bind_in_place(device_run *run, uint32_t place, mr_error *error)
{
    const mr_binding *binding = &run->kernel->bindings[place];
    mr_column *column = NULL;
    if (run->binds[place]) {
        column = column_of(run, binding, run->binds[place], error);
    } else if (binding->access == MR_IN_PLACE) {
        mr_column *named = device_find(&run->request->bind_columns, binding->name);
        named = named ? named : device_find(&run->request->columns, binding->name);
        if (!named) {
            return mr_kernel_refuse(error, run->kernel, binding->name,
                                    "is not bound; it is worked on in place");
        }
        column = mr_column_retain(named);
    }
    column = column ? copy_of(run, binding, column, error) : NULL;
    if (!column) {
        return false;
    }
    fill_slot(run, place, column);
    return true;
}

static bool bind_program(device_run *run, uint32_t place, mr_error *error)
{
    const mr_binding *binding = &run->kernel->bindings[place];
    const mr_bind *bind = run->binds[place];
    if (!bind && binding->optional) {
        return true;
    }
    if (!bind || bind->kind != MR_BIND_PROGRAM) {
        return mr_kernel_refuse(error, run->kernel, binding->name, "takes a field");
    }
    run->slots[place].program = bind->program;
    run->slots[place].lanes = mr_column_lanes(bind->program->type);
    run->slots[place].element = mr_column_element(bind->program->type);
    return true;
}

// Whether the binding holds as many elements as its count asks for.
static bool check_least(device_run *run, uint32_t place, mr_error *error)
{
    const mr_binding *binding = &run->kernel->bindings[place];
    const mr_kernel_slot *slot = &run->slots[place];
    mr_count least;
    if (!binding->count || (!slot->data && !slot->columns)) {
        return true;
    }
    if (!device_size(run->context, binding->count, resolve, run, &least, error)) {
        return mr_fail_prefix(error, "kernel %s: binding %s", run->kernel->name, binding->name);
    }
    size_t held = least.capacity;
    mr_count_release(&least);
    for (size_t i = 0; i < slot->column_count; i++) {
        if (slot->columns[i].count < held) {
            return mr_kernel_refuse(error, run->kernel, binding->name,
                                    "has a column of %zu elements; %s asks for %zu", slot->columns[i].count,
                                    binding->count, held);
        }
    }
    if (!slot->columns && slot->count < held) {
        return mr_kernel_refuse(error, run->kernel, binding->name, "holds %zu elements; %s asks for %zu",
                                slot->count, binding->count, held);
    }
    return true;
}

bool device_bind(device_run *run, mr_error *error)
{
    uint32_t count = mr_kernel_binding_count(run->kernel);
    for (size_t i = 0; i < run->request->bind_count; i++) {
        if (!place_bind(run, &run->request->bind[i], error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        bool good = true;
        switch (run->present[i] ? run->kernel->bindings[i].access : MR_WRITE) {
        case MR_READ:
            good = bind_read(run, i, error);
            break;
        case MR_IN_PLACE:
            good = bind_in_place(run, i, error);
            break;
        case MR_COLUMNS:
            good = device_bind_table(run, i, error);
            break;
        case MR_PROGRAM:
            good = bind_program(run, i, error);
            break;
        case MR_WRITE:
        case MR_APPEND:
            break;
        }
        if (!good) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        mr_access access = run->kernel->bindings[i].access;
        if (run->present[i] && access != MR_WRITE && access != MR_APPEND && !check_least(run, i, error)) {
            return false;
        }
    }
    return true;
}

// Outputs.

static bool make_output(device_run *run, uint32_t place, mr_error *error)
{
    const mr_binding *binding = &run->kernel->bindings[place];
    mr_count *size = &run->sizes[place];
    *size = mr_count_plain(run->n);
    if (binding->count && !device_size(run->context, binding->count, resolve, run, size, error)) {
        return mr_fail_prefix(error, "kernel %s: binding %s", run->kernel->name, binding->name);
    }
    if (size->capacity > MR_COUNT_MOST) {
        return mr_fail(error, MR_LIMIT,
                       "kernel %s: binding %s would hold %zu elements, past the %zu that indices can hold",
                       run->kernel->name, binding->name, size->capacity, MR_COUNT_MOST);
    }
    mr_column *column = mr_column_create(run->context, device_type(run, binding), size->capacity, error);
    if (!column) {
        return mr_fail_prefix(error, "kernel %s: binding %s", run->kernel->name, binding->name);
    }
    mr_column_set_live(column, size->word);
    fill_slot(run, place, column);
    run->slots[place].made = true;
    return true;
}

static bool make_counter(device_run *run, uint32_t place, mr_error *error)
{
    const mr_column *column = run->columns[place];
    uint32_t start = 0;
    if (run->binds[place]) {
        if (!column->live) {
            return mr_kernel_refuse(
                error, run->kernel, run->kernel->bindings[place].name,
                "appends; the column it is bound to carries no live count to append after");
        }
        start = (uint32_t)mr_column_live_count(column);
    }
    run->counters[place] = mr_column_from(run->context, MR_COLUMN_UINT, &start, 1, error);
    run->slots[place].counter = run->counters[place] ? run->counters[place]->u32 : NULL;
    return run->counters[place] != NULL;
}

bool device_outputs(device_run *run, mr_error *error)
{
    for (uint32_t i = 0; i < mr_kernel_binding_count(run->kernel); i++) {
        const mr_binding *binding = &run->kernel->bindings[i];
        if (!run->present[i] || (binding->access != MR_WRITE && binding->access != MR_APPEND)) {
            continue;
        }
        bool appends = binding->access == MR_APPEND; // into as much room as the column has
        bool good = run->binds[i] ? bind_in_place(run, i, error) && (appends || check_least(run, i, error))
                                  : make_output(run, i, error);
        if (!good || (appends && !make_counter(run, i, error))) {
            return false;
        }
    }
    return true;
}
