// app/write_world.h: the files a built world becomes.

#ifndef MARRAM_APP_WRITE_WORLD_H
#define MARRAM_APP_WRITE_WORLD_H

#include "data/scene.h"

typedef struct mr_stage_time {
    const char *name;
    double seconds;
} mr_stage_time;

typedef struct mr_write_options {
    const char *folder;
    bool plain_nodes;
    const mr_stage_time *stages; // what came before, for the manifest's timings
    size_t stage_count;
} mr_write_options;

// Writes world.glb, height.exr and height.png (for each ground), layout.csv, map.png and manifest.json, whose text is also
// answered (free with mr_text_destroy). They appear together when all are whole; after an error what stood there stands
// there still. Errors: MR_LIMIT (more than 16 grounds, a file too large), MR_SYSTEM, MR_OUT_OF_MEMORY, MR_CANCELLED.
bool mr_world_write(mr_context *context, const mr_scene *scene, const mr_write_options *options,
                    mr_text *manifest, mr_error *error);

#endif
