// data/scene.h: a world as plain data, for the writers, the map and the renderers to read.
//
// Everything is owned by the scene's arena or counted; nothing here computes.

#ifndef MARRAM_DATA_SCENE_H
#define MARRAM_DATA_SCENE_H

#include <marram/scene.h>

#include "base/array.h"
#include "base/digest.h"
#include "base/text.h"
#include "data/geometry.h"
#include "data/raster.h"

typedef struct mr_transform {
    float translation[3];
    float rotation[4]; // quaternion x y z w
    float scale[3];
} mr_transform;
extern const mr_transform mr_transform_identity;

enum { MR_NO_INDEX = 0xffffffff };

typedef struct mr_material {
    const char *name;
    float base_color[4]; // linear
    float metallic;
    float roughness;
    float emissive[3];
    bool double_sided;
} mr_material;

typedef struct mr_mesh {
    const char *name;
    mr_geometry *geometry;
    uint32_t material; // or MR_NO_INDEX
} mr_mesh;

// A model: meshes that stand together under one transform (a design's variant).
typedef struct mr_model_piece {
    uint32_t mesh;
    mr_transform transform; // in the model's frame
} mr_model_piece;
typedef struct mr_model {
    const char *name; // "pine", "pine#3"
    mr_model_piece *pieces;
    size_t piece_count;
} mr_model;

typedef struct mr_entity {
    const char *path;       // "island.lantern[3]"
    uint64_t id;            // the hash of its path
    uint32_t parent;        // entity, or MR_NO_INDEX
    mr_transform transform; // in the parent's frame
    uint32_t model;         // or MR_NO_INDEX
    bool hidden;
} mr_entity;

// One placed thing of a population.
typedef struct mr_item {
    uint32_t rule; // of the population's rules
    uint32_t kind; // of the population's kinds
    uint32_t variant;
    uint32_t candidate; // its number among the rule's candidates
    float x, y, z;      // y: the land's height there
    float turn;         // radians about +y, right-handed
    float size;
    float sink;
    float height; // the foot's height before sinking
    float room;
    const char *key; // readable, stable under edits of other rules
    bool hidden;     // listed, not drawn
} mr_item;

typedef struct mr_population {
    const char *path; // "island.vegetation.layout"
    const char **kinds;
    uint32_t kind_count;
    mr_rule_report *rules;
    uint32_t rule_count;
    mr_item *items;
    size_t item_count;
    // models[kind][variant's place]: which model an item of that kind and variant is an instance of
    struct {
        uint32_t kind;
        uint32_t variant;
        uint32_t model;
    } * models;
    size_t model_count;
} mr_population;

typedef struct mr_plan_spine {
    const char *name;
    float *points; // x, z each, in the plan
    size_t point_count;
} mr_plan_spine;

// A footprint's rectangle on the plan, as its four corners in world coordinates (x, z each).
typedef struct mr_plan_rectangle {
    const char *part;
    float corners[8];
} mr_plan_rectangle;

typedef struct mr_camera {
    const char *path;
    float at[3];
    float look_at[3];
    float fov; // radians, vertical
} mr_camera;

typedef struct mr_sun {
    float elevation, azimuth; // radians
} mr_sun;

// A light that shines from a place in all directions.
typedef struct mr_light {
    const char *path;
    float at[3];
    float color[3];  // linear
    float intensity; // candela
} mr_light;

typedef struct mr_ground {
    const char *path; // "island.land"
    mr_raster *raster;
    float outside;
} mr_ground;

// A node that had a part in the scene.
typedef struct mr_made_by {
    const char *node;
    uint32_t version;
} mr_made_by;

struct mr_scene {
    mr_context *context;
    mr_arena arena;
    const char *name; // the world's
    MR_ARRAY(mr_material) materials;
    MR_ARRAY(mr_mesh) meshes;
    MR_ARRAY(mr_model) models;
    MR_ARRAY(mr_entity) entities;
    MR_ARRAY(mr_population) populations;
    MR_ARRAY(mr_ground) grounds;
    MR_ARRAY(mr_plan_spine) spines;
    MR_ARRAY(mr_plan_rectangle) footprints;
    MR_ARRAY(mr_camera) cameras;
    MR_ARRAY(mr_sun) suns;
    MR_ARRAY(mr_light) lights;
    MR_ARRAY(mr_family)
    families; // in declaration order; not part of the content hash, which has what they count
    MR_ARRAY(mr_made_by) nodes;        // by name; not part of the content hash
    double open_seconds, cook_seconds; // what making it took, for the manifest; not part of the content hash
};

mr_scene *mr_scene_create(mr_context *context, mr_error *error);
// The content hash: decoded values in canonical order (entities by path, items in list order, layers by name).
mr_digest mr_scene_digest(const mr_scene *scene);
// The drawn transform of an item: (x, height - sink * size, z), turn about +y, uniform size.
mr_transform mr_item_transform(const mr_item *item);

#endif
