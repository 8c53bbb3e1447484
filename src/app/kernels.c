// app/kernels.c: `marram kernels` and `marram kernel`: what nodes are built from, from the descriptors.

#include "app/catalogue.h"
#include "kernel/kernel.h"

static const char *kernel_name(size_t index)
{
    return mr_kernel_at(index)->name;
}

static const char *kernel_summary(size_t index)
{
    return mr_kernel_at(index)->summary;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static const char *kernel_detail(size_t index, size_t k)
{
    const mr_kernel *kernel = mr_kernel_at(index);
    uint32_t bindings = mr_kernel_binding_count(kernel), params = mr_kernel_param_count(kernel),
             specializations = mr_kernel_specialization_count(kernel);
    size_t place = k / 2;
    bool doc = k % 2 == 1;
    if (place < bindings) {
        return doc ? or_empty(kernel->bindings[place].doc) : kernel->bindings[place].name;
    }
    place -= bindings;
    if (place < params) {
        return doc ? or_empty(kernel->params[place].doc) : kernel->params[place].name;
    }
    place -= params;
    if (place < specializations) {
        return doc ? kernel->specializations[place].options : kernel->specializations[place].name;
    }
    return NULL;
}

static const mr_catalogue kernels = { .kind = "kernel",
                                      .count = mr_kernel_count,
                                      .name = kernel_name,
                                      .summary = kernel_summary,
                                      .detail = kernel_detail };

static mr_exit run_kernels(mr_context *context, const mr_arguments *arguments)
{
    return mr_catalogue_list(context, arguments, &kernels);
}

static const char *determinism_text(const mr_kernel *kernel)
{
    return kernel->determinism == MR_EXACT ? "exact" : "exact here; floats fold in source order";
}

// "vec3 f32" is said as the words an element has: "f32 x 3", "T", "any word".
static void element_text(char out[32], const mr_binding *binding)
{
    static const char *const takes[] = { "f32", "i32", "u32", "any word", "T" };
    mr_text_format(out, 32, binding->lanes > 1 ? "%s x %u" : "%s", takes[binding->element], binding->lanes);
}

static void count_text(char out[64], const mr_binding *binding)
{
    bool written = binding->access == MR_WRITE || binding->access == MR_APPEND;
    mr_text_format(out, 64, "%s", binding->count ? binding->count : written ? "n" : "any");
}

static void print_bindings(mr_text *text, const mr_kernel *kernel)
{
    mr_text_print(text, "\nBindings:\n");
    for (uint32_t i = 0; i < mr_kernel_binding_count(kernel); i++) {
        const mr_binding *binding = &kernel->bindings[i];
        char element[32], count[64];
        element_text(element, binding);
        count_text(count, binding);
        mr_text_print(text, "  %-14s %-9s %-10s elements: %s%s", binding->name,
                      mr_access_name(binding->access), element, count,
                      binding->optional ? "; may be left out" : "");
        if (binding->order) {
            mr_text_print(text, "; in the order: %s", binding->order);
        }
        if (binding->when) {
            mr_text_print(text, "; when %s", binding->when);
        }
        mr_text_print(text, "\n");
        if (binding->doc) {
            mr_text_print(text, "  %-14s %s\n", "", binding->doc);
        }
    }
}

static void print_params(mr_text *text, const mr_kernel *kernel)
{
    static const char *const types[] = { "f32", "i32", "u32" };
    if (mr_kernel_param_count(kernel) > 0) {
        mr_text_print(text, "\nParams:\n");
    }
    for (uint32_t i = 0; i < mr_kernel_param_count(kernel); i++) {
        const mr_kernel_param *param = &kernel->params[i];
        mr_text_print(text, "  %-14s %-9s ", param->name, types[param->type]);
        if (__builtin_isnan(param->value)) {
            mr_text_print(text, "required");
        } else {
            mr_text_print(text, "default %.10g", param->value);
        }
        if (param->low < param->high) {
            mr_text_print(text, ", %.10g to %.10g", param->low, param->high);
        }
        mr_text_print(text, "\n");
        if (param->doc) {
            mr_text_print(text, "  %-14s %s\n", "", param->doc);
        }
    }
}

static void print_specializations(mr_text *text, const mr_kernel *kernel)
{
    if (mr_kernel_specialization_count(kernel) > 0) {
        mr_text_print(text, "\nSpecializations (the first option is the default):\n");
    }
    for (uint32_t i = 0; i < mr_kernel_specialization_count(kernel); i++) {
        const mr_specialization *one = &kernel->specializations[i];
        mr_text_print(text, "  %-14s %s\n", one->name, one->options);
        if (one->doc) {
            mr_text_print(text, "  %-14s %s\n", "", one->doc);
        }
    }
}

static void print_kernel(mr_text *text, const mr_kernel *kernel)
{
    mr_text_print(text, "%s\n%s\n", kernel->name, kernel->summary);
    mr_text_print(text, "Determinism: %s. On a GPU: %s\n", determinism_text(kernel), or_empty(kernel->gpu));
    if (kernel->source) {
        mr_text_print(text, "Source: %s\n", kernel->source);
    }
    print_bindings(text, kernel);
    print_params(text, kernel);
    print_specializations(text, kernel);
}

static void binding_json(mr_json *json, const mr_binding *binding)
{
    char element[32], count[64];
    element_text(element, binding);
    count_text(count, binding);
    mr_json_begin_object(json);
    mr_json_pair(json, "name", binding->name);
    mr_json_pair(json, "access", mr_access_name(binding->access));
    mr_json_pair(json, "element", element);
    mr_json_pair(json, "count", count);
    mr_json_pair(json, "order", binding->order);
    mr_json_pair(json, "when", binding->when);
    mr_json_key(json, "optional");
    mr_json_bool(json, binding->optional);
    mr_json_pair(json, "doc", binding->doc);
    mr_json_end(json);
}

static void param_json(mr_json *json, const mr_kernel_param *param)
{
    static const char *const types[] = { "f32", "i32", "u32" };
    mr_json_begin_object(json);
    mr_json_pair(json, "name", param->name);
    mr_json_pair(json, "type", types[param->type]);
    mr_json_key(json, "required");
    mr_json_bool(json, __builtin_isnan(param->value));
    if (!__builtin_isnan(param->value)) {
        mr_json_key(json, "default");
        mr_json_f64(json, param->value);
    }
    if (param->low < param->high) {
        mr_json_key(json, "least");
        mr_json_f64(json, param->low);
        mr_json_key(json, "most");
        mr_json_f64(json, param->high);
    }
    mr_json_pair(json, "doc", param->doc);
    mr_json_end(json);
}

static void kernel_json(mr_json *json, const mr_kernel *kernel)
{
    mr_json_begin_object(json);
    mr_json_pair(json, "name", kernel->name);
    mr_json_pair(json, "summary", kernel->summary);
    mr_json_pair(json, "determinism", determinism_text(kernel));
    mr_json_pair(json, "gpu", kernel->gpu);
    mr_json_key(json, "bindings");
    mr_json_begin_list(json);
    for (uint32_t i = 0; i < mr_kernel_binding_count(kernel); i++) {
        binding_json(json, &kernel->bindings[i]);
    }
    mr_json_end(json);
    mr_json_key(json, "params");
    mr_json_begin_list(json);
    for (uint32_t i = 0; i < mr_kernel_param_count(kernel); i++) {
        param_json(json, &kernel->params[i]);
    }
    mr_json_end(json);
    mr_json_key(json, "specializations");
    mr_json_begin_list(json);
    for (uint32_t i = 0; i < mr_kernel_specialization_count(kernel); i++) {
        mr_json_begin_object(json);
        mr_json_pair(json, "name", kernel->specializations[i].name);
        mr_json_pair(json, "options", kernel->specializations[i].options);
        mr_json_pair(json, "doc", kernel->specializations[i].doc);
        mr_json_end(json);
    }
    mr_json_end(json);
    mr_json_end(json);
}

static mr_exit run_kernel(mr_context *context, const mr_arguments *arguments)
{
    const mr_kernel *kernel = mr_kernel_find(arguments->operands[0]);
    if (!kernel) {
        mr_error error = { 0 };
        mr_kernel_unknown(arguments->operands[0], &error);
        return mr_report(&error);
    }
    mr_text text;
    mr_json json;
    mr_text_init(&text, context);
    mr_json_init(&json, context, true);
    kernel_json(&json, kernel);
    mr_json_finish(&json, NULL);
    print_kernel(&text, kernel);
    mr_exit status = mr_say(arguments->json ? &json.text : &text);
    mr_json_destroy(&json);
    mr_text_destroy(&text);
    return status;
}

static const mr_option options[] = { MR_OPTION_JSON, { .name = NULL } };

const mr_command mr_command_kernels = {
    .name = "kernels",
    .operands = "[QUERY]",
    .summary = "List the kernels that nodes are built from; those that answer the query's words, best first.",
    .most_operands = 1,
    .options = options,
    .run = run_kernels,
};

const mr_command mr_command_kernel = {
    .name = "kernel",
    .operands = "NAME",
    .summary = "Say all there is to know of one kernel: bindings, params, specializations, determinism.",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run_kernel,
};
