// kernel/kernel.c: the registry, and what descriptors say of themselves.

#include "kernel/kernel.h"

#include "kernel/device_run.h"

#include <math.h>

size_t mr_kernel_count(void)
{
    size_t count = 0;
    while (mr_kernel_table[count]) {
        count++;
    }
    return count;
}

const mr_kernel *mr_kernel_at(size_t index)
{
    return mr_kernel_table[index];
}

const mr_kernel *mr_kernel_find(const char *name)
{
    for (size_t i = 0; mr_kernel_table[i]; i++) {
        if (strcmp(mr_kernel_table[i]->name, name) == 0) {
            return mr_kernel_table[i];
        }
    }
    return NULL;
}

bool mr_kernel_unknown(const char *name, mr_error *error)
{
    enum { MOST = 256 };
    const char *names[MOST];
    size_t count = 0;
    for (; mr_kernel_table[count] && count < MOST; count++) {
        names[count] = mr_kernel_table[count]->name;
    }
    char hint[MR_HINT_SIZE];
    mr_name_hint(mr_view_of(name), names, count, hint, sizeof hint);
    mr_fail(error, MR_BAD_INPUT, "no kernel is called %s", name);
    mr_hint(error, "%s", hint);
    return false;
}

uint32_t mr_kernel_binding_count(const mr_kernel *kernel)
{
    uint32_t count = 0;
    while (count < MR_KERNEL_BINDINGS && kernel->bindings[count].name) {
        count++;
    }
    return count;
}

uint32_t mr_kernel_param_count(const mr_kernel *kernel)
{
    uint32_t count = 0;
    while (count < MR_KERNEL_PARAMS && kernel->params[count].name) {
        count++;
    }
    return count;
}

uint32_t mr_kernel_specialization_count(const mr_kernel *kernel)
{
    uint32_t count = 0;
    while (count < MR_KERNEL_SPECIALIZATIONS && kernel->specializations[count].name) {
        count++;
    }
    return count;
}

const char *mr_access_name(mr_access access)
{
    static const char *const names[] = { "read", "write", "in place", "append", "columns", "program" };
    return names[access];
}

mr_column_type mr_kernel_type(mr_view option)
{
    static const struct {
        const char *name;
        mr_column_type type;
    } types[] = {
        { "f32", MR_COLUMN_FLOAT },  { "vec2", MR_COLUMN_VEC2 },  { "vec3", MR_COLUMN_VEC3 },
        { "vec4", MR_COLUMN_VEC4 },  { "i32", MR_COLUMN_INT },    { "ivec2", MR_COLUMN_INT2 },
        { "ivec3", MR_COLUMN_INT3 }, { "ivec4", MR_COLUMN_INT4 }, { "u32", MR_COLUMN_UINT },
        { "mat4", MR_COLUMN_MAT4 },
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (mr_view_is(option, types[i].name)) {
            return types[i].type;
        }
    }
    return MR_COLUMN_TYPE_COUNT;
}

int mr_kernel_option(const mr_specialization *specialization, mr_view option)
{
    const char *at = specialization->options;
    for (int place = 0; *at; place++) {
        size_t size = strcspn(at, " ");
        if (mr_view_equal(option, (mr_view){ at, size })) {
            return place;
        }
        at += size + (at[size] == ' ');
    }
    return -1;
}

bool mr_kernel_refuse(mr_error *error, const mr_kernel *kernel, const char *binding, const char *format, ...)
{
    char message[MR_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    mr_text_format_list(message, sizeof message, format, list);
    va_end(list);
    return binding ? mr_fail(error, MR_BAD_INPUT, "kernel %s: binding %s %s", kernel->name, binding, message)
                   : mr_fail(error, MR_BAD_INPUT, "kernel %s: %s", kernel->name, message);
}

// Checks of a descriptor.

static bool broken(mr_error *error, const mr_kernel *kernel, const char *what, const char *of)
{
    return mr_fail(error, MR_INTERNAL, "kernel %s: %s: %s", kernel->name, of, what);
}

static bool check_when(const mr_kernel *kernel, const mr_binding *binding, mr_error *error)
{
    const char *at = binding->when;
    mr_view name, option;
    bool starts;
    while (at && device_when_next(&at, &name, &option, &starts)) {
        bool found = false;
        for (uint32_t i = 0; i < mr_kernel_specialization_count(kernel); i++) {
            const mr_specialization *specialization = &kernel->specializations[i];
            found |= mr_view_is(name, specialization->name) && mr_kernel_option(specialization, option) >= 0;
        }
        if (!found) {
            return broken(error, kernel, "its variants name an option there is not", binding->name);
        }
    }
    return true;
}

static bool resolve_any(void *self, mr_view name, mr_count *count, mr_error *error)
{
    (void)self;
    (void)name;
    (void)error;
    *count = mr_count_plain(1);
    return true;
}

static bool check_binding(const mr_kernel *kernel, const mr_binding *binding, mr_error *error)
{
    mr_count count;
    uint32_t lanes = binding->lanes ? binding->lanes : 1;
    mr_element element = binding->element == MR_TAKES_I32   ? MR_I32
                         : binding->element == MR_TAKES_U32 ? MR_U32
                                                            : MR_F32;
    bool plain = binding->element != MR_TAKES_T && binding->access != MR_COLUMNS;
    if (plain && device_column_type(element, lanes) == MR_COLUMN_TYPE_COUNT) {
        return broken(error, kernel, "no column has such elements", binding->name);
    }
    if (!binding->doc) {
        return broken(error, kernel, "it has no doc", binding->name);
    }
    if (binding->count && !device_size(NULL, binding->count, resolve_any, NULL, &count, error)) {
        return mr_fail_prefix(error, "kernel %s: %s", kernel->name, binding->name);
    }
    return check_when(kernel, binding, error);
}

static bool check_param(const mr_kernel *kernel, const mr_kernel_param *param, mr_error *error)
{
    bool bounded = param->low < param->high;
    if (!param->doc) {
        return broken(error, kernel, "it has no doc", param->name);
    }
    if (!isnan(param->value) && bounded && !(param->value >= param->low && param->value <= param->high)) {
        return broken(error, kernel, "its default is out of its range", param->name);
    }
    return true;
}

static uint32_t option_count(const mr_specialization *specialization)
{
    uint32_t count = 0;
    for (const char *at = specialization->options; *at; count++) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return count;
}

// Whether some variant has both bindings.
static bool meet(const mr_kernel *kernel, const mr_binding *a, const mr_binding *b)
{
    uint8_t choices[MR_KERNEL_SPECIALIZATIONS] = { 0 };
    uint32_t count = mr_kernel_specialization_count(kernel), turned;
    do {
        if (device_when(kernel, choices, a->when) && device_when(kernel, choices, b->when)) {
            return true;
        }
        turned = 0;
        while (turned < count && ++choices[turned] == option_count(&kernel->specializations[turned])) {
            choices[turned++] = 0;
        }
    } while (turned < count);
    return false;
}

bool mr_kernel_check(const mr_kernel *kernel, mr_error *error)
{
    uint32_t bindings = mr_kernel_binding_count(kernel), params = mr_kernel_param_count(kernel);
    const char *names[MR_KERNEL_BINDINGS + MR_KERNEL_PARAMS];
    if (!kernel->summary || !kernel->gpu) {
        return broken(error, kernel, "there is no summary, or no word on GPUs", kernel->name);
    }
    for (uint32_t i = 0; i < bindings + params; i++) {
        names[i] = i < bindings ? kernel->bindings[i].name : kernel->params[i - bindings].name;
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(names[i], names[k]) == 0 &&
                (i >= bindings || meet(kernel, &kernel->bindings[k], &kernel->bindings[i]))) {
                return broken(error, kernel, "the name stands twice", names[i]);
            }
        }
    }
    for (uint32_t i = 0; i < bindings; i++) {
        if (!check_binding(kernel, &kernel->bindings[i], error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < params; i++) {
        if (!check_param(kernel, &kernel->params[i], error)) {
            return false;
        }
    }
    return true;
}
