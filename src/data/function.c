#include "data/function.h"

#include "base/text.h"

mr_function *mr_function_create(mr_context *context, const char *name, const mr_function_calls *calls,
                                void *self, mr_error *error)
{
    mr_function *function = mr_allocate_zeroed(context, sizeof *function);
    if (!function) {
        if (calls->destroy) {
            calls->destroy(self);
        }
        mr_fail_memory(error, sizeof *function);
        return NULL;
    }
    mr_refs_init(&function->refs);
    function->context = context;
    mr_text_format(function->name, sizeof function->name, "%s", name);
    function->self = self;
    function->calls = calls;
    return function;
}

mr_function *mr_function_retain(mr_function *function)
{
    mr_refs_retain(&function->refs);
    return function;
}

void mr_function_release(mr_function *function)
{
    if (function && mr_refs_release(&function->refs)) {
        if (function->calls->destroy) {
            function->calls->destroy(function->self);
        }
        mr_free(function->context, function);
    }
}
