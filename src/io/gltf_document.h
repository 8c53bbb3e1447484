// io/gltf_document.h: a glTF document while it is put together, and its writing as one .glb.

#ifndef MARRAM_IO_GLTF_DOCUMENT_H
#define MARRAM_IO_GLTF_DOCUMENT_H

#include "base/array.h"
#include "data/scene.h"
#include "io/gltf_mesh.h"

enum { MR_GLTF_TRANSLATION, MR_GLTF_ROTATION, MR_GLTF_SCALE, MR_GLTF_INSTANCE_ATTRIBUTES };

typedef struct mr_gltf_view {
    const void *bytes; // borrowed, or the document's own
    bool owned;
    size_t size;
    uint64_t offset;
    uint32_t target; // 34962 vertices, 34963 indices, 0 neither
} mr_gltf_view;

typedef struct mr_gltf_accessor {
    uint32_t view;
    uint32_t component; // 5121 u8, 5123 u16, 5125 u32, 5126 f32
    const char *type;   // "SCALAR", "VEC3", ...
    size_t count;
    bool normalized;
    bool bounded;
    float low[3];
    float high[3];
} mr_gltf_accessor;

typedef struct mr_gltf_primitive {
    const char *name;
    uint32_t position, normal, uv, color, indices; // accessors, or MR_NO_INDEX
    uint32_t material;
} mr_gltf_primitive;

typedef struct mr_gltf_node {
    const char *name;
    uint32_t parent, first_child, last_child, next; // or MR_NO_INDEX
    mr_transform transform;
    bool placed; // transform is not the identity
    uint32_t mesh, camera, light;
    uint32_t instances[MR_GLTF_INSTANCE_ATTRIBUTES]; // accessors; the first MR_NO_INDEX when it has none
    bool has_id;
    uint64_t id;
    const char *kind; // of a population's group, or NULL
    uint32_t variant;
} mr_gltf_node;

typedef struct mr_gltf_document {
    mr_context *context;
    mr_arena arena; // names made for the document
    const char *name;
    MR_ARRAY(mr_gltf_view) views;
    MR_ARRAY(mr_gltf_accessor) accessors;
    MR_ARRAY(mr_gltf_primitive) meshes; // one primitive each
    MR_ARRAY(mr_gltf_node) nodes;
    MR_ARRAY(mr_material) materials;
    MR_ARRAY(float) fovs; // of the cameras
    uint32_t lights;
    uint64_t size; // of the binary chunk
    bool instancing;
} mr_gltf_document;

void mr_gltf_document_init(mr_gltf_document *document, mr_context *context, const char *name);
void mr_gltf_document_destroy(mr_gltf_document *document);

// A view of bytes and an accessor over it. Bytes that are owned go with the document, also on failure.
bool mr_gltf_add_accessor(mr_gltf_document *document, mr_gltf_accessor accessor, const void *bytes,
                          bool owned, size_t size, uint32_t target, uint32_t *number, mr_error *error);
// A mesh (borrowed until the document is written) with its accessors.
bool mr_gltf_add_mesh(mr_gltf_document *document, const mr_gltf_mesh *mesh, const char *name,
                      uint32_t material, uint32_t *number, mr_error *error);
// A node beneath parent (MR_NO_INDEX: at the root). Fill it in through document->nodes.items[*number].
bool mr_gltf_add_node(mr_gltf_document *document, uint32_t parent, const char *name, uint32_t *number,
                      mr_error *error);

// Writes the file; answers its size.
bool mr_gltf_document_save(mr_gltf_document *document, const char *path, uint64_t *bytes, mr_error *error);

#endif
