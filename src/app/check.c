// app/check.c: `marram check`: all that is wrong with a world, without cooking it.

#include "app/open_world.h"

static mr_exit say_checked(mr_context *context, const mr_arguments *arguments, const mr_world *world)
{
    size_t errors, warnings;
    bool good = mr_world_check(world, &errors, &warnings);
    mr_text text;
    mr_json json;
    mr_text_init(&text, context);
    mr_json_init(&json, context, true);
    mr_json_begin_object(&json);
    mr_json_key(&json, "errors");
    mr_json_unsigned(&json, errors);
    mr_json_key(&json, "warnings");
    mr_json_unsigned(&json, warnings);
    mr_json_key(&json, "messages");
    mr_json_messages(&json, world);
    mr_json_end(&json);
    mr_json_finish(&json, NULL);
    mr_text_print(&text, "%s: %zu error%s, %zu warning%s\n", arguments->operands[0], errors,
                  errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
    if (!arguments->json) {
        mr_print_messages(context, arguments->operands[0], world);
    }
    mr_exit status = mr_say(arguments->json ? &json.text : &text);
    mr_json_destroy(&json);
    mr_text_destroy(&text);
    return status == MR_EXIT_OK && !good ? MR_EXIT_INPUT : status;
}

static mr_exit run(mr_context *context, const mr_arguments *arguments)
{
    mr_world *world;
    mr_exit status = mr_open_world(context, arguments, &world);
    if (status == MR_EXIT_OK) {
        status = say_checked(context, arguments, world);
        mr_world_destroy(world);
    }
    return status;
}

static const mr_option options[] = { MR_OPTION_SET, MR_OPTION_JSON, { .name = NULL } };

const mr_command mr_command_check = {
    .name = "check",
    .operands = "WORLD",
    .summary = "Say all that is wrong with a world, without cooking it.",
    .more = "Exit status 1 where there is an error; warnings alone are 0.",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
