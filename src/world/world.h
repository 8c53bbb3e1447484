// world/world.h: a world's source opened, checked and built into a scene, by whatever loads its graphs. The face to the
// floors above.
//
// A source belongs to one thread at a time; two share nothing.

#ifndef MARRAM_WORLD_WORLD_H
#define MARRAM_WORLD_WORLD_H

#include <marram/world.h>

#include "data/scene.h"
#include "graph/program.h"
#include "world/ast.h"

typedef struct mr_world_source_config {
    const mr_graph_loader *loader; // of graph("..."); NULL: such a call is an error
    const mr_setting *sets;        // read while it is opened, not kept
    size_t set_count;
    uint64_t elements; // the most of one list or one each
    uint32_t depth;    // the most that calls and fields nest
    uint64_t steps;    // the most steps of evaluation; 0: no limit
} mr_world_source_config;
mr_world_source_config mr_world_source_config_default(void);

typedef struct mr_world_source mr_world_source;

// Reads, parses and checks a file. What is wrong with it is in the diagnostics, and the world opens all the same; false
// only where the file cannot be read or there is no memory. Graphs and data it names are sought in the file's folder.
bool mr_world_source_open(mr_context *context, const char *path, const mr_world_source_config *config,
                          mr_world_source **world, mr_error *error);
// The same of a text; path is what messages show and whose folder is the world's.
bool mr_world_source_open_text(mr_context *context, const char *path, mr_view text,
                               const mr_world_source_config *config, mr_world_source **world,
                               mr_error *error);
void mr_world_source_destroy(mr_world_source *world); // NULL is allowed

const mr_file *mr_world_source_file(const mr_world_source *world);
const mr_diagnostics *mr_world_source_diagnostics(const mr_world_source *world);
bool mr_world_source_good(const mr_world_source *world); // no errors
// All messages in the order of their places, each with its line and caret.
void mr_world_source_print(const mr_world_source *world, mr_text *out);

// Computes the world. Fails with the first error: of the build (place and hint filled), a limit, cancellation. A world
// with errors is not built. Warnings are added to the diagnostics. The scene is the caller's.
bool mr_world_source_build(mr_world_source *world, mr_scene **scene, mr_error *error);

// The standard functions for the reference: calls visit for each, in order. home: "", "list", "spine", "land", "stream".
void mr_world_functions(void (*visit)(void *self, const char *home, const char *signature, const char *doc),
                        void *self);

#endif
