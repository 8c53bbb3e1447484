// io/gltf.h: a scene as glTF 2.0 binary (.glb).
//
// Units are metres and +y is up, as in the scene. Each mesh of the scene is written once. The items of a population
// are grouped by kind and variant, and each piece of the variant's model becomes one node with EXT_mesh_gpu_instancing
// (TRANSLATION, ROTATION, SCALE); with plain_nodes each item is a node of its own instead. Entities are nodes in their
// own hierarchy, named by their path, `extras` holding the id (as hexadecimal text); hidden ones are left out with their
// subtree.
// Grounds are meshes of the drawn triangles: each cell split by the diagonal from the corner one cell along +z to the
// corner one along +x. The sun is a directional light (KHR_lights_punctual).

#ifndef MARRAM_IO_GLTF_H
#define MARRAM_IO_GLTF_H

#include "data/scene.h"

typedef struct mr_gltf_options {
    bool plain_nodes;
    uint32_t ground_triangles; // a ground that would have more is thinned by a whole stride
} mr_gltf_options;
mr_gltf_options mr_gltf_options_default(void); // instancing, 1,000,000 triangles a ground

// What was written.
typedef struct mr_gltf_report {
    uint64_t bytes;
    uint32_t meshes;
    uint32_t nodes;
    uint64_t instances;
    uint64_t vertices;
    uint64_t triangles;
    uint64_t dropped_triangles; // without an area
    uint64_t items_without_model;
    uint32_t ground_stride; // the largest stride a ground was thinned by; 1 when none was
} mr_gltf_report;

// The bytes are the same for the same scene whatever the threads. report may be NULL. Errors: MR_BAD_INPUT (broken
// linkage, a number that is not finite; the mesh, entity or item is named), MR_LIMIT (more than 4 GiB), MR_SYSTEM.
bool mr_gltf_save(mr_context *context, const mr_scene *scene, const char *path,
                  const mr_gltf_options *options, mr_gltf_report *report, mr_error *error);

#endif
