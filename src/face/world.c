// face/world.c: the public face of worlds: a source with the Lua host to load its graphs.

#include <marram/world.h>

#include "base/context.h"
#include "face/options.h"
#include "script/loader.h"
#include "world/world.h"

struct mr_world {
    mr_context *context;
    mr_script_loader *scripts;
    mr_graph_loader loader;
    mr_world_source *source;
    double open_seconds;
};

mr_world_options mr_world_options_default(void)
{
    mr_world_source_config config = mr_world_source_config_default();
    return (mr_world_options){
        .size = sizeof(mr_world_options),
        .most_elements = config.elements,
        .most_steps = config.steps,
        .most_depth = config.depth,
    };
}

static bool check_settings(const mr_world_options *options, mr_error *error)
{
    for (size_t i = 0; i < options->setting_count; i++) {
        const mr_setting *setting = &options->settings[i];
        if (!setting->field || !setting->field[0] || !setting->value) {
            mr_fail(error, MR_BAD_INPUT, "setting %zu has no %s", i + 1, setting->value ? "field" : "value");
            return mr_hint(error,
                           "a setting is a field's path and a value, as in \"island.hill\", \"120 m\"");
        }
    }
    return true;
}

static bool open_source(mr_world *world, const char *path, const mr_world_options *options, mr_error *error)
{
    world->scripts = mr_script_loader_create(world->context, NULL, error);
    if (!world->scripts) {
        return false;
    }
    world->loader = mr_script_loader_interface(world->scripts);
    mr_world_source_config config = {
        .loader = &world->loader,
        .sets = options->settings,
        .set_count = options->setting_count,
        .elements = options->most_elements,
        .depth = options->most_depth,
        .steps = options->most_steps,
    };
    return mr_world_source_open(world->context, path, &config, &world->source, error);
}

bool mr_world_open(mr_context *context, const char *path, const mr_world_options *options, mr_world **world,
                   mr_error *error)
{
    mr_world_options chosen = mr_world_options_default();
    if (!mr_options_lay(&chosen, options, "mr_world_options", error) || !check_settings(&chosen, error)) {
        return false;
    }
    mr_entry entry;
    mr_enter(context, &entry);
    double begin = mr_clock_seconds();
    mr_world *made = mr_allocate_zeroed(context, sizeof *made);
    bool good = made || mr_fail_memory(error, sizeof *made);
    if (made) {
        made->context = context;
        good = open_source(made, path, &chosen, error);
        made->open_seconds = mr_clock_seconds() - begin;
        if (good) {
            *world = made;
        } else {
            mr_world_destroy(made);
        }
    }
    mr_leave(&entry);
    return good;
}

void mr_world_destroy(mr_world *world)
{
    if (world) {
        mr_world_source_destroy(world->source);
        mr_script_loader_destroy(world->scripts);
        mr_free(world->context, world);
    }
}

bool mr_world_check(const mr_world *world, size_t *errors, size_t *warnings)
{
    const mr_diagnostics *diagnostics = mr_world_source_diagnostics(world->source);
    if (errors) {
        *errors = diagnostics->errors;
    }
    if (warnings) {
        *warnings = diagnostics->warnings;
    }
    return diagnostics->errors == 0;
}

size_t mr_world_message_count(const mr_world *world)
{
    return mr_world_source_diagnostics(world->source)->list.count;
}

static const mr_diagnostic *message_at(const mr_world *world, size_t index)
{
    const mr_diagnostics *diagnostics = mr_world_source_diagnostics(world->source);
    return index < diagnostics->list.count ? &diagnostics->list.items[index] : NULL;
}

mr_log_level mr_world_message(const mr_world *world, size_t index, mr_error *message)
{
    const mr_diagnostic *one = message_at(world, index);
    *message = (mr_error){ 0 };
    if (!one) {
        return MR_LOG_DEBUG;
    }
    bool warning = one->severity != MR_ERROR;
    mr_fail(message, warning ? MR_OK : MR_BAD_INPUT, "%s", one->message);
    mr_fail_at(message, one->file, one->place.line, one->place.column);
    if (one->hint) {
        mr_hint(message, "%s", one->hint);
    }
    return warning ? MR_LOG_WARNING : MR_LOG_ERROR;
}

size_t mr_world_message_text(const mr_world *world, size_t index, char *out, size_t size)
{
    const mr_diagnostic *one = message_at(world, index);
    mr_text text;
    if (size > 0) {
        out[0] = 0;
    }
    if (!one) {
        return 0;
    }
    mr_text_init(&text, world->context);
    mr_diagnostic_print(&text, one, mr_world_source_file(world->source));
    size_t length = text.failed ? 0 : text.size;
    if (size > 0 && length > 0) {
        size_t fits = length < size ? length : size - 1;
        memcpy(out, text.data, fits);
        out[fits] = 0;
    }
    mr_text_destroy(&text);
    return length;
}

// The first error among the messages, for a caller who asks for a scene without asking for them.
static bool fail_with_first(const mr_world *world, mr_error *error)
{
    mr_error message;
    size_t count = mr_world_message_count(world);
    for (size_t i = 0; i < count; i++) {
        if (mr_world_message(world, i, &message) == MR_LOG_ERROR) {
            if (error) {
                *error = message;
            }
            return false;
        }
    }
    return mr_fail(error, MR_BAD_INPUT, "the world has errors");
}

bool mr_world_build(mr_world *world, mr_scene **scene, mr_error *error)
{
    if (!mr_world_source_good(world->source)) {
        return fail_with_first(world, error);
    }
    mr_entry entry;
    mr_enter(world->context, &entry);
    double begin = mr_clock_seconds();
    mr_scene *made;
    bool good = mr_world_source_build(world->source, &made, error);
    if (good) {
        made->open_seconds = world->open_seconds;
        made->cook_seconds = mr_clock_seconds() - begin;
        *scene = made;
    }
    mr_leave(&entry);
    return good;
}
