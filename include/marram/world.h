// marram/world.h: a world's text opened, checked and built into a scene.
//
// A world belongs to one thread at a time. Two worlds share nothing but their context's threads, memory and cache, and
// may be used by two threads at once. The calling thread's stack must have 1 MB: worlds nest, and so do their graphs.

#ifndef MARRAM_WORLD_H
#define MARRAM_WORLD_H

#include <marram/base.h>
#include <marram/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mr_world mr_world;

// A field set from outside: `island.hill` or `hill`, and a value as the language writes it: `120 m`.
typedef struct mr_setting {
    const char *field;
    const char *value;
} mr_setting;

typedef struct mr_world_options {
    size_t size;                // sizeof(mr_world_options), set by mr_world_options_default()
    const mr_setting *settings; // read while the world is opened, not kept
    size_t setting_count;
    uint64_t most_elements; // of one list, or of one `each`
    uint64_t most_steps;    // of evaluation; 0: no limit
    uint32_t most_depth;    // to which calls and fields nest
} mr_world_options;

// No settings, and the limits that `marram build` has.
MR_API mr_world_options mr_world_options_default(void);

// Reads a world's file and checks it, which computes nothing. What is wrong with the text, or with a setting, is in the
// world's messages, and the world opens all the same. The Lua graphs and the data it names are sought in the file's
// folder, when they are needed. options may be NULL for the defaults. Errors: MR_BAD_INPUT (no such file, a setting
// without a field or value, options of another size), MR_LIMIT (a file of more than 64 MiB), MR_SYSTEM (it cannot be
// read), MR_OUT_OF_MEMORY.
MR_API bool mr_world_open(mr_context *context, const char *path, const mr_world_options *options,
                          mr_world **world, mr_error *error);

// Ends a world; the scenes built from it stay. NULL is allowed. Its context must still be there.
MR_API void mr_world_destroy(mr_world *world);

// Whether a world can be built, and how many errors and warnings it has, those past the ones that are kept (200 of each)
// counted too. errors and warnings may be NULL.
MR_API bool mr_world_check(const mr_world *world, size_t *errors, size_t *warnings);

// The messages that are kept, in the order of their places. The first fills message with what it says, where (file, line
// and column) and what to do, and answers its level: MR_LOG_ERROR or MR_LOG_WARNING. message's status is MR_BAD_INPUT for
// an error, MR_OK for a warning. index is less than mr_world_message_count; past it message is emptied and the answer is
// MR_LOG_DEBUG. Building adds warnings.
MR_API size_t mr_world_message_count(const mr_world *world);
MR_API mr_log_level mr_world_message(const mr_world *world, size_t index, mr_error *message);

// The same as a person reads it: "island.world:12:18: error: ...", the line, a caret under the column, the hint; each
// ended by a line feed. Puts as much into out as fits in size bytes, a 0 at the end among them, and answers how many
// bytes the whole has without that 0. 0 past the last message, and where there is no memory. out may be NULL where size
// is 0.
MR_API size_t mr_world_message_text(const mr_world *world, size_t index, char *out, size_t size);

// Computes the world. The scene is the caller's, who ends it with mr_scene_destroy. May be called again; what has not
// changed comes from the context's cache. Errors are the first that is met, with its place where it has one: MR_BAD_INPUT
// (the world has errors, or one shows only as it is computed), MR_LIMIT, MR_NOT_YET, MR_SYSTEM, MR_OUT_OF_MEMORY,
// MR_CANCELLED.
MR_API bool mr_world_build(mr_world *world, mr_scene **scene, mr_error *error);

#ifdef __cplusplus
}
#endif

#endif
