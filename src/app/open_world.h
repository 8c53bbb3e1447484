// app/open_world.h: a world opened for a command, with the Lua host handed in.

#ifndef MARRAM_APP_OPEN_WORLD_H
#define MARRAM_APP_OPEN_WORLD_H

#include "app/command.h"
#include "io/json.h"
#include "script/loader.h"
#include "world/world.h"

typedef struct mr_opened_world {
    mr_script_loader *scripts;
    mr_graph_loader loader;
    mr_world_set sets[MR_MAX_SETTINGS];
    char names[MR_MAX_SETTINGS][256]; // the fields' paths, cut off before the =
    mr_world *world;
} mr_opened_world;

// Opens arguments' first operand with its settings. MR_EXIT_OK, or the status after a message. Close in any case.
mr_exit mr_open_world(mr_context *context, const mr_arguments *arguments, mr_opened_world *opened);
void mr_close_world(mr_opened_world *opened);

// The world's messages on standard error, each with its line and a caret; and as a JSON list.
void mr_print_diagnostics(mr_context *context, const mr_world *world);
void mr_json_diagnostics(mr_json *json, const mr_world *world);

#endif
