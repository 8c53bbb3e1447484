#include "io/gltf_document.h"

#include "base/file.h"
#include "io/json.h"

enum {
    COMPONENT_U16 = 5123,
    COMPONENT_U32 = 5125,
    COMPONENT_U8 = 5121,
    COMPONENT_F32 = 5126,
    TARGET_VERTICES = 34962,
    TARGET_INDICES = 34963,
    // 65535 restarts a strip in 16-bit indices, so the greatest that may be used is 65534.
    MOST_SHORT_VERTICES = 65535,
    HEAD_SIZE = 12,
    CHUNK_HEAD_SIZE = 8,
};

void mr_gltf_document_init(mr_gltf_document *document, mr_context *context, const char *name)
{
    memset(document, 0, sizeof *document);
    document->context = context;
    document->name = name;
    mr_arena_init(&document->arena, context);
}

void mr_gltf_document_destroy(mr_gltf_document *document)
{
    for (size_t i = 0; i < document->views.count; i++) {
        if (document->views.items[i].owned) {
            mr_free(document->context, (void *)(uintptr_t)document->views.items[i].bytes);
        }
    }
    mr_array_free(document->context, &document->views);
    mr_array_free(document->context, &document->accessors);
    mr_array_free(document->context, &document->meshes);
    mr_array_free(document->context, &document->nodes);
    mr_array_free(document->context, &document->materials);
    mr_array_free(document->context, &document->fovs);
    mr_arena_destroy(&document->arena);
}

static uint64_t padded(uint64_t size)
{
    return (size + 3) & ~(uint64_t)3;
}

bool mr_gltf_add_accessor(mr_gltf_document *document, mr_gltf_accessor accessor, const void *bytes,
                          bool owned, size_t size, uint32_t target, uint32_t *number, mr_error *error)
{
    mr_gltf_view view = {
        .bytes = bytes, .owned = owned, .size = size, .offset = document->size, .target = target
    };
    accessor.view = (uint32_t)document->views.count;
    if (!mr_array_push(document->context, &document->views, view)) {
        if (owned) {
            mr_free(document->context, (void *)(uintptr_t)bytes);
        }
        return mr_fail_memory(error, sizeof view);
    }
    document->size += padded(size);
    if (!mr_array_push(document->context, &document->accessors, accessor)) {
        return mr_fail_memory(error, sizeof accessor);
    }
    *number = (uint32_t)document->accessors.count - 1;
    return true;
}

static bool add_floats(mr_gltf_document *document, const float *values, const char *type, size_t lanes,
                       size_t count, bool bounded, uint32_t *number, mr_error *error)
{
    *number = MR_NO_INDEX;
    if (!values) {
        return true;
    }
    mr_gltf_accessor accessor = {
        .component = COMPONENT_F32, .type = type, .count = count, .bounded = bounded
    };
    for (size_t i = 0; bounded && i < count; i++) {
        for (size_t k = 0; k < 3; k++) {
            float value = values[i * lanes + k];
            accessor.low[k] = i == 0 || value < accessor.low[k] ? value : accessor.low[k];
            accessor.high[k] = i == 0 || value > accessor.high[k] ? value : accessor.high[k];
        }
    }
    return mr_gltf_add_accessor(document, accessor, values, false, count * lanes * sizeof(float),
                                TARGET_VERTICES, number, error);
}

static bool add_indices(mr_gltf_document *document, const mr_gltf_mesh *mesh, uint32_t *number,
                        mr_error *error)
{
    mr_gltf_accessor accessor = { .component = COMPONENT_U32, .type = "SCALAR", .count = mesh->index_count };
    if (mesh->vertex_count > MOST_SHORT_VERTICES) {
        return mr_gltf_add_accessor(document, accessor, mesh->indices, false,
                                    mesh->index_count * sizeof(uint32_t), TARGET_INDICES, number, error);
    }
    uint16_t *shorts = mr_allocate(document->context, mesh->index_count * sizeof *shorts);
    if (!shorts) {
        return mr_fail_memory(error, mesh->index_count * sizeof *shorts);
    }
    for (size_t i = 0; i < mesh->index_count; i++) {
        shorts[i] = (uint16_t)mesh->indices[i];
    }
    accessor.component = COMPONENT_U16;
    return mr_gltf_add_accessor(document, accessor, shorts, true, mesh->index_count * sizeof *shorts,
                                TARGET_INDICES, number, error);
}

bool mr_gltf_add_mesh(mr_gltf_document *document, const mr_gltf_mesh *mesh, const char *name,
                      uint32_t material, uint32_t *number, mr_error *error)
{
    mr_gltf_primitive made = { .name = name, .material = material };
    size_t count = mesh->vertex_count;
    if (!add_floats(document, mesh->positions, "VEC3", 3, count, true, &made.position, error) ||
        !add_floats(document, mesh->normals, "VEC3", 3, count, false, &made.normal, error) ||
        !add_floats(document, mesh->uvs, "VEC2", 2, count, false, &made.uv, error) ||
        !add_floats(document, mesh->colors, "VEC4", 4, count, false, &made.color, error)) {
        return false;
    }
    if (mesh->byte_colors) {
        mr_gltf_accessor accessor = {
            .component = COMPONENT_U8, .type = "VEC4", .count = count, .normalized = true
        };
        if (!mr_gltf_add_accessor(document, accessor, mesh->byte_colors, false, count * 4, TARGET_VERTICES,
                                  &made.color, error)) {
            return false;
        }
    }
    if (!add_indices(document, mesh, &made.indices, error)) {
        return false;
    }
    if (!mr_array_push(document->context, &document->meshes, made)) {
        return mr_fail_memory(error, sizeof made);
    }
    *number = (uint32_t)document->meshes.count - 1;
    return true;
}

bool mr_gltf_add_node(mr_gltf_document *document, uint32_t parent, const char *name, uint32_t *number,
                      mr_error *error)
{
    mr_gltf_node node = {
        .name = name,
        .parent = parent,
        .first_child = MR_NO_INDEX,
        .last_child = MR_NO_INDEX,
        .next = MR_NO_INDEX,
        .transform = { .rotation = { 0, 0, 0, 1 }, .scale = { 1, 1, 1 } },
        .mesh = MR_NO_INDEX,
        .camera = MR_NO_INDEX,
        .light = MR_NO_INDEX,
        .instances = { MR_NO_INDEX, MR_NO_INDEX, MR_NO_INDEX },
    };
    if (!mr_array_push(document->context, &document->nodes, node)) {
        return mr_fail_memory(error, sizeof node);
    }
    uint32_t made = (uint32_t)document->nodes.count - 1;
    if (parent != MR_NO_INDEX) {
        mr_gltf_node *above = &document->nodes.items[parent];
        if (above->last_child == MR_NO_INDEX) {
            above->first_child = made;
        } else {
            document->nodes.items[above->last_child].next = made;
        }
        above->last_child = made;
    }
    *number = made;
    return true;
}

static void put_number(mr_json *json, const char *key, uint64_t value)
{
    mr_json_key(json, key);
    mr_json_unsigned(json, value);
}

static void put_reference(mr_json *json, const char *key, uint32_t value)
{
    if (value != MR_NO_INDEX) {
        put_number(json, key, value);
    }
}

static void put_name(mr_json *json, const char *name)
{
    if (name && name[0]) {
        mr_json_key(json, "name");
        mr_json_text(json, mr_view_of(name));
    }
}

static void put_floats(mr_json *json, const char *key, const float *values, size_t count)
{
    mr_json_key(json, key);
    mr_json_begin_flat_list(json);
    for (size_t i = 0; i < count; i++) {
        mr_json_f32(json, values[i]);
    }
    mr_json_end(json);
}

static void put_transform(mr_json *json, const mr_transform *transform)
{
    const float *t = transform->translation;
    const float *r = transform->rotation;
    const float *s = transform->scale;
    if (t[0] != 0 || t[1] != 0 || t[2] != 0) {
        put_floats(json, "translation", t, 3);
    }
    if (r[0] != 0 || r[1] != 0 || r[2] != 0 || r[3] != 1) {
        put_floats(json, "rotation", r, 4);
    }
    if (s[0] != 1 || s[1] != 1 || s[2] != 1) {
        put_floats(json, "scale", s, 3);
    }
}

static void put_node_extensions(mr_json *json, const mr_gltf_node *node)
{
    bool instanced = node->instances[0] != MR_NO_INDEX;
    if (!instanced && node->light == MR_NO_INDEX) {
        return;
    }
    mr_json_key(json, "extensions");
    mr_json_begin_object(json);
    if (instanced) {
        mr_json_key(json, "EXT_mesh_gpu_instancing");
        mr_json_begin_object(json);
        mr_json_key(json, "attributes");
        mr_json_begin_object(json);
        put_number(json, "TRANSLATION", node->instances[MR_GLTF_TRANSLATION]);
        put_number(json, "ROTATION", node->instances[MR_GLTF_ROTATION]);
        put_number(json, "SCALE", node->instances[MR_GLTF_SCALE]);
        mr_json_end(json);
        mr_json_end(json);
    }
    if (node->light != MR_NO_INDEX) {
        mr_json_key(json, "KHR_lights_punctual");
        mr_json_begin_object(json);
        put_number(json, "light", node->light);
        mr_json_end(json);
    }
    mr_json_end(json);
}

static void put_node_extras(mr_json *json, const mr_gltf_node *node)
{
    if (!node->has_id && !node->kind) {
        return;
    }
    mr_json_key(json, "extras");
    mr_json_begin_object(json);
    if (node->has_id) {
        // A JSON number is a double for most readers; an id has 64 bits.
        char id[17];
        mr_text_format(id, sizeof id, "%08x%08x", (unsigned)(node->id >> 32), (unsigned)node->id);
        mr_json_key(json, "id");
        mr_json_text(json, mr_view_of(id));
    }
    if (node->kind) {
        mr_json_key(json, "kind");
        mr_json_text(json, mr_view_of(node->kind));
        put_number(json, "variant", node->variant);
    }
    mr_json_end(json);
}

static void put_nodes(mr_json *json, const mr_gltf_document *document)
{
    mr_json_key(json, "nodes");
    mr_json_begin_list(json);
    for (size_t i = 0; i < document->nodes.count; i++) {
        const mr_gltf_node *node = &document->nodes.items[i];
        mr_json_begin_object(json);
        put_name(json, node->name);
        if (node->placed) {
            put_transform(json, &node->transform);
        }
        put_reference(json, "mesh", node->mesh);
        put_reference(json, "camera", node->camera);
        if (node->first_child != MR_NO_INDEX) {
            mr_json_key(json, "children");
            mr_json_begin_flat_list(json);
            for (uint32_t c = node->first_child; c != MR_NO_INDEX; c = document->nodes.items[c].next) {
                mr_json_unsigned(json, c);
            }
            mr_json_end(json);
        }
        put_node_extensions(json, node);
        put_node_extras(json, node);
        mr_json_end(json);
    }
    mr_json_end(json);
}

static void put_scene(mr_json *json, const mr_gltf_document *document)
{
    put_number(json, "scene", 0);
    mr_json_key(json, "scenes");
    mr_json_begin_list(json);
    mr_json_begin_object(json);
    put_name(json, document->name);
    if (document->nodes.count > 0) {
        mr_json_key(json, "nodes");
        mr_json_begin_flat_list(json);
        for (size_t i = 0; i < document->nodes.count; i++) {
            if (document->nodes.items[i].parent == MR_NO_INDEX) {
                mr_json_unsigned(json, i);
            }
        }
        mr_json_end(json);
    }
    mr_json_end(json);
    mr_json_end(json);
}

static void put_meshes(mr_json *json, const mr_gltf_document *document)
{
    mr_json_key(json, "meshes");
    mr_json_begin_list(json);
    for (size_t i = 0; i < document->meshes.count; i++) {
        const mr_gltf_primitive *mesh = &document->meshes.items[i];
        mr_json_begin_object(json);
        put_name(json, mesh->name);
        mr_json_key(json, "primitives");
        mr_json_begin_list(json);
        mr_json_begin_object(json);
        mr_json_key(json, "attributes");
        mr_json_begin_object(json);
        put_reference(json, "POSITION", mesh->position);
        put_reference(json, "NORMAL", mesh->normal);
        put_reference(json, "TEXCOORD_0", mesh->uv);
        put_reference(json, "COLOR_0", mesh->color);
        mr_json_end(json);
        put_reference(json, "indices", mesh->indices);
        put_reference(json, "material", mesh->material);
        mr_json_end(json);
        mr_json_end(json);
        mr_json_end(json);
    }
    mr_json_end(json);
}

static float unit(float value)
{
    return value > 0 ? (value < 1 ? value : 1) : 0; // NaN is 0 too
}

static void put_emission(mr_json *json, const mr_material *material)
{
    float most = 0;
    float factor[3];
    for (int i = 0; i < 3; i++) {
        float value = __builtin_isfinite(material->emissive[i]) ? material->emissive[i] : 0;
        most = value > most ? value : most;
    }
    if (most <= 0) {
        return;
    }
    float strength = most > 1 ? most : 1;
    for (int i = 0; i < 3; i++) {
        factor[i] = unit(material->emissive[i] / strength);
    }
    put_floats(json, "emissiveFactor", factor, 3);
    if (strength > 1) {
        mr_json_key(json, "extensions");
        mr_json_begin_object(json);
        mr_json_key(json, "KHR_materials_emissive_strength");
        mr_json_begin_object(json);
        mr_json_key(json, "emissiveStrength");
        mr_json_f32(json, strength);
        mr_json_end(json);
        mr_json_end(json);
    }
}

static bool emits_strongly(const mr_material *material)
{
    return material->emissive[0] > 1 || material->emissive[1] > 1 || material->emissive[2] > 1;
}

static void put_materials(mr_json *json, const mr_gltf_document *document)
{
    mr_json_key(json, "materials");
    mr_json_begin_list(json);
    for (size_t i = 0; i < document->materials.count; i++) {
        const mr_material *material = &document->materials.items[i];
        float color[4];
        for (int k = 0; k < 4; k++) {
            color[k] = unit(material->base_color[k]);
        }
        mr_json_begin_object(json);
        put_name(json, material->name);
        mr_json_key(json, "pbrMetallicRoughness");
        mr_json_begin_object(json);
        put_floats(json, "baseColorFactor", color, 4);
        mr_json_key(json, "metallicFactor");
        mr_json_f32(json, unit(material->metallic));
        mr_json_key(json, "roughnessFactor");
        mr_json_f32(json, unit(material->roughness));
        mr_json_end(json);
        put_emission(json, material);
        if (color[3] < 1) {
            mr_json_key(json, "alphaMode");
            mr_json_text(json, MR_VIEW("BLEND"));
        }
        if (material->double_sided) {
            mr_json_key(json, "doubleSided");
            mr_json_bool(json, true);
        }
        mr_json_end(json);
    }
    mr_json_end(json);
}

// Bounds are doubles in JSON, and readers compare them with the values themselves.
static void put_bound(mr_json *json, const char *key, const float *bound)
{
    mr_json_key(json, key);
    mr_json_begin_flat_list(json);
    for (int i = 0; i < 3; i++) {
        mr_json_f64(json, (double)bound[i]);
    }
    mr_json_end(json);
}

static void put_accessors(mr_json *json, const mr_gltf_document *document)
{
    mr_json_key(json, "accessors");
    mr_json_begin_list(json);
    for (size_t i = 0; i < document->accessors.count; i++) {
        const mr_gltf_accessor *accessor = &document->accessors.items[i];
        mr_json_begin_object(json);
        put_number(json, "bufferView", accessor->view);
        put_number(json, "componentType", accessor->component);
        if (accessor->normalized) {
            mr_json_key(json, "normalized");
            mr_json_bool(json, true);
        }
        put_number(json, "count", accessor->count);
        mr_json_key(json, "type");
        mr_json_text(json, mr_view_of(accessor->type));
        if (accessor->bounded) {
            put_bound(json, "min", accessor->low);
            put_bound(json, "max", accessor->high);
        }
        mr_json_end(json);
    }
    mr_json_end(json);
    mr_json_key(json, "bufferViews");
    mr_json_begin_list(json);
    for (size_t i = 0; i < document->views.count; i++) {
        const mr_gltf_view *view = &document->views.items[i];
        mr_json_begin_object(json);
        put_number(json, "buffer", 0);
        put_number(json, "byteOffset", view->offset);
        put_number(json, "byteLength", view->size);
        if (view->target) {
            put_number(json, "target", view->target);
        }
        mr_json_end(json);
    }
    mr_json_end(json);
    mr_json_key(json, "buffers");
    mr_json_begin_list(json);
    mr_json_begin_object(json);
    put_number(json, "byteLength", document->size);
    mr_json_end(json);
    mr_json_end(json);
}

static void put_cameras(mr_json *json, const mr_gltf_document *document)
{
    mr_json_key(json, "cameras");
    mr_json_begin_list(json);
    for (size_t i = 0; i < document->fovs.count; i++) {
        mr_json_begin_object(json);
        mr_json_key(json, "type");
        mr_json_text(json, MR_VIEW("perspective"));
        mr_json_key(json, "perspective");
        mr_json_begin_object(json);
        mr_json_key(json, "yfov");
        mr_json_f32(json, document->fovs.items[i]);
        mr_json_key(json, "znear");
        mr_json_f64(json, 0.1);
        mr_json_end(json);
        mr_json_end(json);
    }
    mr_json_end(json);
}

// Suns are white; a white face turned to one is lit to white.
static void put_lights(mr_json *json, const mr_gltf_document *document)
{
    mr_json_key(json, "extensions");
    mr_json_begin_object(json);
    mr_json_key(json, "KHR_lights_punctual");
    mr_json_begin_object(json);
    mr_json_key(json, "lights");
    mr_json_begin_list(json);
    for (uint32_t i = 0; i < document->lights; i++) {
        mr_json_begin_object(json);
        put_name(json, "sun");
        mr_json_key(json, "type");
        mr_json_text(json, MR_VIEW("directional"));
        mr_json_key(json, "intensity");
        mr_json_f64(json, 3.14159);
        mr_json_end(json);
    }
    mr_json_end(json);
    mr_json_end(json);
    mr_json_end(json);
}

static void put_extension_names(mr_json *json, const mr_gltf_document *document)
{
    bool strong = false;
    for (size_t i = 0; i < document->materials.count; i++) {
        strong |= emits_strongly(&document->materials.items[i]);
    }
    if (!document->instancing && document->lights == 0 && !strong) {
        return;
    }
    mr_json_key(json, "extensionsUsed");
    mr_json_begin_flat_list(json);
    if (document->instancing) {
        mr_json_text(json, MR_VIEW("EXT_mesh_gpu_instancing"));
    }
    if (document->lights > 0) {
        mr_json_text(json, MR_VIEW("KHR_lights_punctual"));
    }
    if (strong) {
        mr_json_text(json, MR_VIEW("KHR_materials_emissive_strength"));
    }
    mr_json_end(json);
    if (document->instancing) {
        // A reader that does not know it would show one copy at the origin.
        mr_json_key(json, "extensionsRequired");
        mr_json_begin_flat_list(json);
        mr_json_text(json, MR_VIEW("EXT_mesh_gpu_instancing"));
        mr_json_end(json);
    }
}

static void put_document(mr_json *json, const mr_gltf_document *document)
{
    mr_json_begin_object(json);
    mr_json_key(json, "asset");
    mr_json_begin_object(json);
    mr_json_key(json, "version");
    mr_json_text(json, MR_VIEW("2.0"));
    mr_json_key(json, "generator");
    mr_json_text(json, MR_VIEW("marram"));
    mr_json_end(json);
    put_extension_names(json, document);
    put_scene(json, document);
    if (document->nodes.count > 0) {
        put_nodes(json, document);
    }
    if (document->meshes.count > 0) {
        put_meshes(json, document);
    }
    if (document->materials.count > 0) {
        put_materials(json, document);
    }
    if (document->accessors.count > 0) {
        put_accessors(json, document);
    }
    if (document->fovs.count > 0) {
        put_cameras(json, document);
    }
    if (document->lights > 0) {
        put_lights(json, document);
    }
    mr_json_end(json);
}

static bool write_views(const mr_gltf_document *document, mr_file_writer *file, mr_error *error)
{
    static const unsigned char zeros[4] = { 0 };
    for (size_t i = 0; i < document->views.count; i++) {
        const mr_gltf_view *view = &document->views.items[i];
        size_t pad = (size_t)(padded(view->size) - view->size);
        if (!mr_file_write(file, view->bytes, view->size, error) ||
            (pad > 0 && !mr_file_write(file, zeros, pad, error))) {
            return false;
        }
    }
    return true;
}

static bool write_file(const mr_gltf_document *document, const mr_json *json, mr_file_writer *file,
                       uint64_t *bytes, mr_error *error)
{
    uint64_t json_size = padded(json->text.size);
    bool binary = document->size > 0;
    uint64_t whole =
        HEAD_SIZE + CHUNK_HEAD_SIZE + json_size + (binary ? CHUNK_HEAD_SIZE + document->size : 0);
    if (whole > UINT32_MAX) {
        return mr_fail(error, MR_LIMIT, "a .glb of %llu bytes is needed; the format ends at %u",
                       (unsigned long long)whole, UINT32_MAX);
    }
    uint32_t head[5] = { 0x46546c67, 2, (uint32_t)whole, (uint32_t)json_size, 0x4e4f534a };
    uint32_t binary_head[2] = { (uint32_t)document->size, 0x004e4942 };
    if (!mr_file_write(file, head, sizeof head, error) ||
        !mr_file_write(file, json->text.data, json->text.size, error) ||
        !mr_file_write(file, "   ", json_size - json->text.size, error)) {
        return false;
    }
    if (binary && (!mr_file_write(file, binary_head, sizeof binary_head, error) ||
                   !write_views(document, file, error))) {
        return false;
    }
    *bytes = whole;
    return true;
}

bool mr_gltf_document_save(mr_gltf_document *document, const char *path, uint64_t *bytes, mr_error *error)
{
    mr_json json;
    mr_json_init(&json, document->context, false);
    put_document(&json, document);
    mr_file_writer file;
    bool good = mr_json_finish(&json, error) && mr_file_begin(document->context, path, &file, error);
    if (good) {
        good = write_file(document, &json, &file, bytes, error) && mr_file_commit(&file, error);
        mr_file_abandon(&file);
    }
    mr_json_destroy(&json);
    return good;
}
