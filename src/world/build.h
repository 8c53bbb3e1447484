// world/build.h: from evaluated parts to the scene.

#ifndef MARRAM_WORLD_BUILD_H
#define MARRAM_WORLD_BUILD_H

#include "base/map.h"
#include "world/population.h"

typedef struct mr_builder {
    mr_evaluator *ev;
    mr_scene *scene;
    mr_map meshes;   // digest of geometry and material: mesh
    mr_map models;   // mesh: the model of it alone
    mr_map families; // path without indices: family
    uint32_t unnamed;
} mr_builder;

// What a part hands down to those inside it.
typedef struct mr_look {
    const mr_written_material *material;
    float tint[4];
    bool hidden;
} mr_look;

bool mr_build_world(mr_evaluator *evaluator, mr_scene *scene);

bool mr_build_look(mr_builder *builder, mr_instance *part, mr_look *look);
// The mesh of a part's geometry under a look.
bool mr_build_mesh(mr_builder *builder, mr_instance *part, const mr_look *look, uint32_t *mesh);
bool mr_build_population(mr_builder *builder, mr_run *run);
char *mr_build_text(mr_builder *builder, const char *text);
// Counts one part, or one of a family, or `count` placed things.
bool mr_build_count(mr_builder *builder, const mr_instance *part, uint64_t count);
// A placed thing's own options.
bool mr_build_placed(mr_builder *builder, mr_instance *part);

#endif
