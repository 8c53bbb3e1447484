// kernel/device.c: a request becomes a call, and what was written becomes columns.

#include "kernel/device.h"

#include "kernel/device_run.h"

static bool takes_count(const device_run *run)
{
    for (uint32_t i = 0; i < mr_kernel_binding_count(run->kernel); i++) {
        if (run->present[i] && strcmp(run->kernel->bindings[i].name, "domain_count") == 0) {
            return true;
        }
    }
    return false;
}

static bool set_domain(device_run *run, mr_error *error)
{
    const mr_count *domain = &run->request->domain;
    if (domain->capacity > MR_COUNT_MOST) {
        return mr_fail(error, MR_LIMIT,
                       "kernel %s: a domain of %zu elements is past the %zu that indices can hold",
                       run->kernel->name, domain->capacity, MR_COUNT_MOST);
    }
    run->n = domain->capacity;
    run->live = takes_count(run) ? mr_count_held(domain) : run->n;
    return true;
}

static void publish(device_run *run, mr_kernel_result *result, uint32_t place)
{
    const mr_binding *binding = &run->kernel->bindings[place];
    mr_column *column = run->columns[place];
    mr_column *counter = run->counters[place];
    if (counter) {
        mr_column_set_live(column, mr_column_publish(counter));
    } else if (binding->live && run->request->domain.word) {
        mr_column_set_live(column, run->request->domain.word);
    }
    mr_attribute *item = &result->items[result->count++];
    mr_text_format(item->name, sizeof item->name, "%s", binding->name);
    item->column = mr_column_publish(column);
    run->columns[place] = NULL;
    if (counter) {
        item = &result->items[result->count++];
        mr_text_format(item->name, sizeof item->name, "%s_count", binding->name);
        item->column = counter;
        run->counters[place] = NULL;
    }
}

static void end_run(device_run *run)
{
    for (uint32_t i = 0; i < MR_KERNEL_BINDINGS; i++) {
        mr_column_release(run->columns[i]);
        mr_column_release(run->counters[i]);
        mr_count_release(&run->sizes[i]);
        for (size_t k = 0; run->table_columns[i] && k < run->slots[i].column_count; k++) {
            mr_column_release(run->table_columns[i][k]);
        }
        mr_free(run->context, run->table_columns[i]);
        mr_free(run->context, run->tables[i]);
    }
}

static bool call_kernel(device_run *run, mr_error *error)
{
    mr_kernel_call call = {
        .context = run->context,
        .kernel = run->kernel,
        .n = run->n,
        .live = run->live,
        .slots = run->slots,
        .params = run->params,
        .choices = run->choices,
    };
    return run->kernel->run(&call, error);
}

bool mr_kernel_run(mr_context *context, const mr_kernel_request *request, mr_kernel_result *result,
                   mr_error *error)
{
    device_run run = { .context = context, .request = request, .kernel = request->kernel };
    result->count = 0;
    if (!run.kernel) {
        return mr_fail(error, MR_BAD_INPUT, "no kernel was given");
    }
    if (!run.kernel->run) {
        return mr_kernel_refuse(error, run.kernel, NULL,
                                "it is a library of functions, which fields call; there is nothing to run");
    }
    bool good = device_choose(&run, error) && device_params(&run, error) && set_domain(&run, error) &&
                device_bind(&run, error) && device_outputs(&run, error) && call_kernel(&run, error);
    for (uint32_t i = 0; good && i < mr_kernel_binding_count(run.kernel); i++) {
        mr_access access = run.kernel->bindings[i].access;
        if (run.present[i] && (access == MR_WRITE || access == MR_IN_PLACE || access == MR_APPEND)) {
            publish(&run, result, i);
        }
    }
    end_run(&run);
    return good;
}

mr_column *mr_kernel_result_find(const mr_kernel_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++) {
        if (strcmp(result->items[i].name, name) == 0) {
            return result->items[i].column;
        }
    }
    return NULL;
}

mr_column *mr_kernel_result_take(mr_kernel_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++) {
        if (strcmp(result->items[i].name, name) == 0) {
            mr_column *column = result->items[i].column;
            result->items[i] = result->items[--result->count];
            return column;
        }
    }
    return NULL;
}

void mr_kernel_result_release(mr_kernel_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        mr_column_release(result->items[i].column);
    }
    result->count = 0;
}
