// script/loader.h: graphs written in Lua, as programs a world calls by the path of their file.

#ifndef MARRAM_SCRIPT_LOADER_H
#define MARRAM_SCRIPT_LOADER_H

#include "graph/program.h"

typedef struct mr_script_loader mr_script_loader;

// Programs are kept until the loader ends, so that a file is read and checked once; from several threads at once too.
// packages: the folder of the packages that ship, or NULL. A program may be planned on several threads at once: each
// plan runs its files afresh in a state of its own. The calling thread's stack must have 512 kB: a script may call 200
// functions within functions of the library.
mr_script_loader *mr_script_loader_create(mr_context *context, const char *packages, mr_error *error);
void mr_script_loader_destroy(mr_script_loader *loader); // NULL is allowed
// The interface, whose self is the loader. Errors have the script's file and line where there is one.
mr_graph_loader mr_script_loader_interface(mr_script_loader *loader);

// How much a script may do, each time it is run: instructions, and bytes of memory. 0 leaves a limit as it is.
void mr_script_loader_limit(mr_script_loader *loader, uint64_t work, uint64_t memory);

#endif
