#include "app/open_world.h"

#include "io/json.h"

static bool split_settings(const mr_arguments *arguments, mr_opened_world *opened)
{
    for (size_t i = 0; i < arguments->setting_count; i++) {
        const char *equals = strchr(arguments->settings[i], '=');
        size_t size = equals ? (size_t)(equals - arguments->settings[i]) : 0;
        if (size == 0 || size >= sizeof opened->names[i]) {
            mr_print(stderr,
                     "marram: --set is '%s'; it must be FIELD=VALUE, as in --set island.hill='120 m'\n",
                     arguments->settings[i]);
            return false;
        }
        memcpy(opened->names[i], arguments->settings[i], size);
        opened->names[i][size] = 0;
        opened->sets[i] = (mr_world_set){ opened->names[i], equals + 1 };
    }
    return true;
}

mr_exit mr_open_world(mr_context *context, const mr_arguments *arguments, mr_opened_world *opened)
{
    mr_error error = { 0 };
    memset(opened, 0, sizeof *opened);
    if (!split_settings(arguments, opened)) {
        return MR_EXIT_USAGE;
    }
    opened->scripts = mr_script_loader_create(context, NULL, &error);
    if (!opened->scripts) {
        return mr_report(&error);
    }
    opened->loader = mr_script_loader_interface(opened->scripts);
    mr_world_config config = mr_world_config_default();
    config.loader = &opened->loader;
    config.sets = opened->sets;
    config.set_count = arguments->setting_count;
    if (!mr_world_open(context, arguments->operands[0], &config, &opened->world, &error)) {
        return mr_report(&error);
    }
    return MR_EXIT_OK;
}

void mr_close_world(mr_opened_world *opened)
{
    mr_world_destroy(opened->world);
    mr_script_loader_destroy(opened->scripts);
}

void mr_print_diagnostics(mr_context *context, const mr_world *world)
{
    mr_text text;
    mr_text_init(&text, context);
    mr_world_print(world, &text);
    mr_progress_end();
    if (text.size > 0) {
        fwrite(text.data, 1, text.size, stderr);
    }
    mr_text_destroy(&text);
}

void mr_json_diagnostics(mr_json *json, const mr_world *world)
{
    const mr_diagnostics *diagnostics = mr_world_diagnostics(world);
    mr_json_begin_list(json);
    for (size_t i = 0; i < diagnostics->list.count; i++) {
        const mr_diagnostic *one = &diagnostics->list.items[i];
        mr_json_begin_object(json);
        mr_json_key(json, "severity");
        mr_json_text(json, one->severity == MR_ERROR ? MR_VIEW("error") : MR_VIEW("warning"));
        mr_json_key(json, "file");
        mr_json_text(json, mr_view_of(one->file));
        mr_json_key(json, "line");
        mr_json_unsigned(json, one->place.line);
        mr_json_key(json, "column");
        mr_json_unsigned(json, one->place.column);
        mr_json_key(json, "message");
        mr_json_text(json, mr_view_of(one->message));
        if (one->hint) {
            mr_json_key(json, "hint");
            mr_json_text(json, mr_view_of(one->hint));
        }
        mr_json_end(json);
    }
    mr_json_end(json);
}
