// app/open_world.h: a world opened for a command.

#ifndef MARRAM_APP_OPEN_WORLD_H
#define MARRAM_APP_OPEN_WORLD_H

#include <marram/world.h>

#include "app/command.h"
#include "io/json.h"

// Opens arguments' first operand with its settings. MR_EXIT_OK and a world to be destroyed, or the status after a message.
mr_exit mr_open_world(mr_context *context, const mr_arguments *arguments, mr_world **world);

// The world's messages on standard error, each with its line and a caret; and as a JSON list.
void mr_print_messages(mr_context *context, const char *path, const mr_world *world);
void mr_json_messages(mr_json *json, const mr_world *world);

#endif
