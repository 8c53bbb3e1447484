#include "kernel/cpu_call.h"

#include "base/context.h"
#include "base/text.h"

static bool is_type(const char *name)
{
    for (mr_type type = MR_NONE; type < MR_TYPE_COUNT; type++) {
        if (strcmp(mr_type_name(type), name) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_returns(const mr_cpu_call *call, mr_error *error)
{
    for (size_t i = 0; i < call->return_count; i++) {
        if (!is_type(call->returns[i])) {
            const char *names[MR_TYPE_COUNT];
            for (mr_type type = MR_NONE; type < MR_TYPE_COUNT; type++) {
                names[type] = mr_type_name(type);
            }
            char hint[MR_HINT_SIZE];
            mr_name_hint(mr_view_of(call->returns[i]), names, MR_TYPE_COUNT, hint, sizeof hint);
            mr_fail(error, MR_BAD_INPUT, "%s: result %zu is declared as %s, which is no type",
                    call->function->name, i + 1, call->returns[i]);
            return mr_hint(error, "%s", hint);
        }
    }
    return true;
}

// A whole number is a Number too.
static bool is_of(const mr_value *value, const char *type)
{
    return strcmp(type, "Any") == 0 || strcmp(mr_type_name(value->type), type) == 0 ||
           (value->type == MR_INT && strcmp(type, "Number") == 0);
}

static bool check_results(const mr_cpu_call *call, const mr_list *results, mr_error *error)
{
    const char *name = call->function->name;
    if (results->count != call->return_count) {
        return mr_fail(error, MR_BAD_INPUT, "%s: %zu results are declared, and it answered %zu", name,
                       call->return_count, results->count);
    }
    for (size_t i = 0; i < results->count; i++) {
        if (!is_of(&results->items[i], call->returns[i])) {
            return mr_fail(error, MR_BAD_INPUT, "%s: result %zu is declared as %s, and it answered a %s",
                           name, i + 1, call->returns[i], mr_type_name(results->items[i].type));
        }
    }
    return true;
}

static bool call_function(const mr_cpu_call *call, mr_function *function, mr_list *results, mr_error *error)
{
    double start = mr_thread_seconds();
    if (!function->calls->call(function->self, call->arguments, call->argument_count, results, error)) {
        return mr_fail_prefix(error, "%s", function->name);
    }
    double took = (mr_thread_seconds() - start) * 1000;
    double ceiling = call->ceiling > 0 ? call->ceiling : MR_CPU_CALL_CEILING;
    if (took > ceiling) {
        return mr_fail(error, MR_LIMIT, "%s: it took %.0f ms, past the ceiling of %.0f ms", function->name,
                       took, ceiling);
    }
    return true;
}

bool mr_cpu_call_run(mr_context *context, const mr_cpu_call *call, mr_value *values, mr_error *error)
{
    mr_value results;
    if (!check_returns(call, error) || !mr_value_list(context, &results, error)) {
        return false;
    }
    if (!call_function(call, call->function, results.list, error) ||
        !check_results(call, results.list, error)) {
        mr_value_release(&results);
        return false;
    }
    mr_value_publish(&results);
    *values = results;
    return true;
}

bool mr_cpu_read(mr_context *context, const mr_cpu_call *call, mr_function *digest, mr_digester *digester,
                 mr_value *values, mr_error *error)
{
    mr_value state;
    if (!mr_value_list(context, &state, error)) {
        return false;
    }
    bool good = call_function(call, digest, state.list, error);
    if (good && state.list->count != 1) {
        good = mr_fail(error, MR_BAD_INPUT, "%s: a digest answers one value, not %zu", digest->name,
                       state.list->count);
    }
    good = good && mr_cpu_call_run(context, call, values, error);
    if (good) {
        mr_value_publish(&state);
        mr_value_digest(&state, digester);
    }
    mr_value_release(&state);
    return good;
}
