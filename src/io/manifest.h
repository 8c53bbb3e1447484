// io/manifest.h: what was built, as JSON: the hash, counts, rules, bounds, grounds, the files beside it and what they took.

#ifndef MARRAM_IO_MANIFEST_H
#define MARRAM_IO_MANIFEST_H

#include "data/scene.h"

#define MR_MANIFEST_NAME "manifest.json"

typedef struct mr_manifest_file {
    const char *name;
    double seconds; // it took
} mr_manifest_file;

// What codes 0 and 65535 of a ground's PNG stand for, in metres.
typedef struct mr_manifest_range {
    bool written; // there is a PNG
    float low, high;
} mr_manifest_range;

typedef struct mr_manifest {
    const mr_scene *scene;
    const mr_manifest_file *files; // without the manifest itself
    size_t file_count;
    bool itself;                     // the manifest is among the files
    const mr_manifest_range *ranges; // one a ground
} mr_manifest;

// Puts the manifest's text into out, which was initialized. Errors: MR_OUT_OF_MEMORY.
bool mr_manifest_text(mr_context *context, const mr_manifest *manifest, mr_text *out, mr_error *error);

// Warns, naming them, where the manifest at path speaks of nodes in other versions than the scene was built with. No
// manifest there, or one that cannot be read, is nothing to say.
void mr_manifest_compare(const mr_scene *scene, const char *path);

#endif
