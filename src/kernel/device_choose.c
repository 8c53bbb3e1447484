// kernel/device_choose.c: a request's variant, and the values of its params.

#include "kernel/device_run.h"

#include <math.h>

mr_column_type device_column_type(mr_element element, uint32_t lanes)
{
    static const mr_column_type floats[] = { MR_COLUMN_FLOAT, MR_COLUMN_VEC2, MR_COLUMN_VEC3,
                                             MR_COLUMN_VEC4 };
    static const mr_column_type ints[] = { MR_COLUMN_INT, MR_COLUMN_INT2, MR_COLUMN_INT3, MR_COLUMN_INT4 };
    if (element == MR_F32 && lanes == 16) {
        return MR_COLUMN_MAT4;
    }
    if (lanes == 0 || lanes > (element == MR_U32 ? 1u : 4u)) {
        return MR_COLUMN_TYPE_COUNT;
    }
    return element == MR_U32 ? MR_COLUMN_UINT : element == MR_I32 ? ints[lanes - 1] : floats[lanes - 1];
}

mr_element device_element(const device_run *run, const mr_binding *binding)
{
    switch (binding->element) {
    case MR_TAKES_F32:
        return MR_F32;
    case MR_TAKES_I32:
        return MR_I32;
    case MR_TAKES_T:
        return mr_column_element(run->type);
    case MR_TAKES_U32:
    case MR_TAKES_WORD:
        break;
    }
    return MR_U32;
}

uint32_t device_lanes(const device_run *run, const mr_binding *binding)
{
    if (binding->lanes) {
        return binding->lanes;
    }
    return binding->element == MR_TAKES_T ? mr_column_lanes(run->type) : 1;
}

mr_column_type device_type(const device_run *run, const mr_binding *binding)
{
    if (binding->element == MR_TAKES_T && !binding->lanes) {
        return run->type; // Color stays Color
    }
    return device_column_type(device_element(run, binding), device_lanes(run, binding));
}

static int specialization_place(const mr_kernel *kernel, const char *name)
{
    for (uint32_t i = 0; i < mr_kernel_specialization_count(kernel); i++) {
        if (strcmp(kernel->specializations[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static bool unknown_specialization(const mr_kernel *kernel, const char *name, mr_error *error)
{
    const char *names[MR_KERNEL_SPECIALIZATIONS];
    uint32_t count = mr_kernel_specialization_count(kernel);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = kernel->specializations[i].name;
    }
    const char *nearest = mr_nearest_name(name, names, count);
    mr_kernel_refuse(error, kernel, NULL, "there is no specialization %s", name);
    if (nearest) {
        mr_hint(error, "did you mean %s?", nearest);
    }
    return false;
}

// Chooses what the request states; chosen[i] says which.
static bool choose_stated(device_run *run, bool *chosen, mr_error *error)
{
    const mr_kernel *kernel = run->kernel;
    for (size_t i = 0; i < run->request->specialize_count; i++) {
        const mr_choice *choice = &run->request->specialize[i];
        int place = specialization_place(kernel, choice->name);
        if (place < 0) {
            return unknown_specialization(kernel, choice->name, error);
        }
        int option = mr_kernel_option(&kernel->specializations[place], mr_view_of(choice->option));
        if (option < 0) {
            return mr_kernel_refuse(error, kernel, NULL, "%s is one of: %s; not %s", choice->name,
                                    kernel->specializations[place].options, choice->option);
        }
        if (chosen[place]) {
            return mr_kernel_refuse(error, kernel, NULL, "%s is specialized twice", choice->name);
        }
        chosen[place] = true;
        run->choices[place] = (uint8_t)option;
    }
    return true;
}

static bool choose_count(device_run *run, bool chosen, mr_error *error)
{
    int place = specialization_place(run->kernel, "COUNT");
    bool live = run->request->domain.word != NULL;
    if (place < 0) {
        return true;
    }
    int device = mr_kernel_option(&run->kernel->specializations[place], MR_VIEW("device"));
    if (!chosen) {
        run->choices[place] = (uint8_t)(live ? device : 0);
    } else if (live && run->choices[place] != device) {
        return mr_kernel_refuse(error, run->kernel, NULL, "COUNT is plain, but the domain is a live count");
    }
    return true;
}

// The type of the column or the field bound by a name, or MR_COLUMN_TYPE_COUNT.
static mr_column_type bound_type(const device_run *run, const char *name)
{
    for (size_t i = 0; i < run->request->bind_count; i++) {
        const mr_bind *bind = &run->request->bind[i];
        if (strcmp(bind->name, name) != 0) {
            continue;
        }
        if (bind->kind == MR_BIND_COLUMN && bind->column) {
            return bind->column->type;
        }
        if (bind->kind == MR_BIND_PROGRAM && bind->program) {
            return bind->program->type;
        }
    }
    return MR_COLUMN_TYPE_COUNT;
}

// The option of T that a column's elements are: its own type's, or that of as many lanes and the same kind of word.
static int option_of(const mr_specialization *t, mr_column_type type)
{
    mr_column_type plain = device_column_type(mr_column_element(type), mr_column_lanes(type));
    const char *at = t->options;
    int same_lanes = -1;
    for (int place = 0; *at; place++) {
        size_t size = strcspn(at, " ");
        mr_column_type option = mr_kernel_type((mr_view){ at, size });
        if (option == plain) {
            return place;
        }
        // Words of UInt and Bool are taken for i32's where there is no u32.
        bool whole = mr_column_element(option) != MR_F32 && mr_column_element(type) != MR_F32;
        if (same_lanes < 0 && whole && mr_column_lanes(option) == mr_column_lanes(type)) {
            same_lanes = place;
        }
        at += size + (at[size] == ' ');
    }
    return same_lanes;
}

static void option_text(const mr_specialization *specialization, uint8_t place, mr_view *text)
{
    const char *at = specialization->options;
    for (uint8_t i = 0; i < place; i++) {
        at += strcspn(at, " ") + 1;
    }
    *text = (mr_view){ at, strcspn(at, " ") };
}

// The specialization that names the type of what TAKES_T: T, or KEY of a kernel that orders by it.
static int type_place(const mr_kernel *kernel)
{
    int place = specialization_place(kernel, "T");
    return place >= 0 ? place : specialization_place(kernel, "KEY");
}

static void choose_type(device_run *run, bool chosen)
{
    int place = type_place(run->kernel);
    if (place < 0) {
        return;
    }
    const mr_specialization *t = &run->kernel->specializations[place];
    mr_column_type bound = MR_COLUMN_TYPE_COUNT;
    for (uint32_t i = 0; i < mr_kernel_binding_count(run->kernel); i++) {
        const mr_binding *binding = &run->kernel->bindings[i];
        bound = binding->element == MR_TAKES_T ? bound_type(run, binding->name) : bound;
        if (bound != MR_COLUMN_TYPE_COUNT) {
            break;
        }
    }
    int option = bound != MR_COLUMN_TYPE_COUNT && !chosen ? option_of(t, bound) : -1;
    if (option >= 0) {
        run->choices[place] = (uint8_t)option;
    }
    mr_view text;
    option_text(t, run->choices[place], &text);
    run->type = mr_kernel_type(text);
    if (bound == MR_COLUMN_COLOR && run->type == MR_COLUMN_VEC4) {
        run->type = bound;
    }
}

bool device_choose(device_run *run, mr_error *error)
{
    bool chosen[MR_KERNEL_SPECIALIZATIONS] = { false };
    int count = specialization_place(run->kernel, "COUNT"), t = type_place(run->kernel);
    if (!choose_stated(run, chosen, error) || !choose_count(run, count >= 0 && chosen[count], error)) {
        return false;
    }
    choose_type(run, t >= 0 && chosen[t]);
    for (uint32_t i = 0; i < mr_kernel_binding_count(run->kernel); i++) {
        run->present[i] = device_when(run->kernel, run->choices, run->kernel->bindings[i].when);
    }
    return true;
}

// Params.

static int param_place(const mr_kernel *kernel, const char *name, const char *suffix)
{
    char whole[64];
    mr_text_format(whole, sizeof whole, "%s%s", name, suffix);
    for (uint32_t i = 0; i < mr_kernel_param_count(kernel); i++) {
        if (strcmp(kernel->params[i].name, whole) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static bool set_param(device_run *run, int place, double value, mr_error *error)
{
    const mr_kernel_param *param = &run->kernel->params[place];
    mr_word *word = &run->params[place];
    bool bounded = param->low < param->high;
    if (bounded && !(value >= param->low && value <= param->high)) {
        return mr_kernel_refuse(error, run->kernel, NULL, "param %s is %g; it must be from %g to %g",
                                param->name, value, param->low, param->high);
    }
    double low = param->type == MR_I32 ? -0x1p31 : 0, high = param->type == MR_I32 ? 0x1p31 - 1 : 0x1p32 - 1;
    if (param->type != MR_F32 && (value != floor(value) || !(value >= low && value <= high))) {
        return mr_kernel_refuse(error, run->kernel, NULL,
                                "param %s is %g; it must be a whole number from %.0f to %.0f", param->name,
                                value, low, high);
    }
    if (param->type == MR_F32) {
        word->f32 = (float)value;
    } else if (param->type == MR_I32) {
        word->i32 = (int32_t)value;
    } else {
        word->u32 = (uint32_t)value;
    }
    run->given[place] = true;
    return true;
}

static bool unknown_param(const mr_kernel *kernel, const char *name, mr_error *error)
{
    const char *names[MR_KERNEL_PARAMS];
    uint32_t count = mr_kernel_param_count(kernel);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = kernel->params[i].name;
    }
    const char *nearest = mr_nearest_name(name, names, count);
    mr_kernel_refuse(error, kernel, NULL, "there is no param %s", name);
    if (nearest) {
        mr_hint(error, "did you mean %s?", nearest);
    }
    return false;
}

static bool set_uniform(device_run *run, const mr_uniform *uniform, bool must, mr_error *error)
{
    static const char *const suffixes[] = { "_x", "_y", "_z", "_w" };
    for (uint32_t lane = 0; lane < uniform->lanes; lane++) {
        int place = param_place(run->kernel, uniform->name, uniform->lanes == 1 ? "" : suffixes[lane]);
        if (place < 0 && must) {
            return unknown_param(run->kernel, uniform->name, error);
        }
        if (place >= 0 && !set_param(run, place, uniform->value[lane], error)) {
            return false;
        }
    }
    return true;
}

static bool set_textures(device_run *run, mr_error *error)
{
    for (size_t i = 0; i < run->request->bind_count; i++) {
        const mr_bind *bind = &run->request->bind[i];
        if (bind->kind != MR_BIND_TEXTURE) {
            continue;
        }
        int width = param_place(run->kernel, bind->name, "_width");
        int height = param_place(run->kernel, bind->name, "_height");
        if ((width >= 0 && !set_param(run, width, bind->texture->width, error)) ||
            (height >= 0 && !set_param(run, height, bind->texture->height, error))) {
            return false;
        }
    }
    return true;
}

// Names any node may give, whatever the kernel declares.
static bool everybodys(const char *name)
{
    return strcmp(name, "count") == 0 || strcmp(name, "time") == 0 || strcmp(name, "frame") == 0;
}

bool device_params(device_run *run, mr_error *error)
{
    const mr_kernel_request *request = run->request;
    if (!set_textures(run, error)) {
        return false;
    }
    for (size_t i = 0; i < request->step_count; i++) {
        if (!set_uniform(run, &request->step[i], false, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < request->uniform_count; i++) {
        if (!set_uniform(run, &request->uniforms[i], !everybodys(request->uniforms[i].name), error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < mr_kernel_param_count(run->kernel); i++) {
        const mr_kernel_param *param = &run->kernel->params[i];
        if (run->given[i]) {
            continue;
        }
        if (isnan(param->value)) {
            return mr_kernel_refuse(error, run->kernel, NULL, "param %s must be given", param->name);
        }
        if (!set_param(run, (int)i, param->value, error)) {
            return false;
        }
    }
    return true;
}
