#include "app/open_world.h"

enum { LONGEST_FIELD = 255 };

// A setting's FIELD=VALUE; the field's path is copied into name, without the =.
static bool split_setting(const char *written, char name[LONGEST_FIELD + 1], mr_setting *setting)
{
    const char *equals = strchr(written, '=');
    size_t size = equals ? (size_t)(equals - written) : 0;
    if (size == 0 || size > LONGEST_FIELD) {
        mr_print(stderr, "marram: --set is '%s'; it must be FIELD=VALUE, as in --set island.hill='120 m'\n",
                 written);
        return false;
    }
    memcpy(name, written, size);
    name[size] = 0;
    *setting = (mr_setting){ name, equals + 1 };
    return true;
}

mr_exit mr_open_world(mr_context *context, const mr_arguments *arguments, mr_world **world)
{
    mr_error error = { 0 };
    char names[MR_MAX_SETTINGS][LONGEST_FIELD + 1];
    mr_setting settings[MR_MAX_SETTINGS];
    for (size_t i = 0; i < arguments->setting_count; i++) {
        if (!split_setting(arguments->settings[i], names[i], &settings[i])) {
            return MR_EXIT_USAGE;
        }
    }
    mr_world_options options = mr_world_options_default();
    options.settings = settings;
    options.setting_count = arguments->setting_count;
    return mr_world_open(context, arguments->operands[0], &options, world, &error) ? MR_EXIT_OK
                                                                                   : mr_report(&error);
}

static void print_message(mr_context *context, const mr_world *world, size_t index)
{
    size_t size = mr_world_message_text(world, index, NULL, 0) + 1;
    char *text = mr_allocate(context, size);
    if (text) {
        fwrite(text, 1, mr_world_message_text(world, index, text, size), stderr);
    }
    mr_free(context, text);
}

void mr_print_messages(mr_context *context, const char *path, const mr_world *world)
{
    size_t errors, warnings;
    size_t count = mr_world_message_count(world);
    mr_world_check(world, &errors, &warnings);
    mr_progress_end();
    for (size_t i = 0; i < count; i++) {
        print_message(context, world, i);
    }
    size_t more = errors + warnings - count;
    if (more > 0) {
        mr_print(stderr, "%s: %zu more message%s like these\n", path, more, more > 1 ? "s" : "");
    }
}

static void json_message(mr_json *json, const mr_world *world, size_t index)
{
    mr_error message;
    mr_log_level level = mr_world_message(world, index, &message);
    mr_json_begin_object(json);
    mr_json_key(json, "severity");
    mr_json_text(json, level == MR_LOG_ERROR ? MR_VIEW("error") : MR_VIEW("warning"));
    mr_json_key(json, "file");
    mr_json_text(json, mr_view_of(message.file));
    mr_json_key(json, "line");
    mr_json_unsigned(json, message.line);
    mr_json_key(json, "column");
    mr_json_unsigned(json, message.column);
    mr_json_key(json, "message");
    mr_json_text(json, mr_view_of(message.message));
    if (message.hint[0]) {
        mr_json_key(json, "hint");
        mr_json_text(json, mr_view_of(message.hint));
    }
    mr_json_end(json);
}

void mr_json_messages(mr_json *json, const mr_world *world)
{
    size_t count = mr_world_message_count(world);
    mr_json_begin_list(json);
    for (size_t i = 0; i < count; i++) {
        json_message(json, world, i);
    }
    mr_json_end(json);
}
