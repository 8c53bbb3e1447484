// world/build_look.c: geometries under materials and tints as the scene's meshes, each once.

#include "world/build.h"

bool mr_build_look(mr_builder *b, mr_instance *part, mr_look *look)
{
    mr_datum value;
    bool found;
    mr_place place;
    if (!mr_instance_option(b->ev, part, "material", &mr_type_material, &found, &value, &place)) {
        return false;
    }
    look->material = found ? value.material : look->material;
    if (!mr_instance_option(b->ev, part, "tint", &mr_type_color, &found, &value, &place)) {
        return false;
    }
    for (size_t i = 0; found && i < value.sequence->count; i++) {
        look->tint[i] *= mr_datum_as_number(value.sequence->items[i]);
    }
    if (!mr_instance_option(b->ev, part, "hidden", &mr_type_bool, &found, &value, &place)) {
        return false;
    }
    look->hidden = look->hidden || (found && value.boolean);
    if (!mr_instance_option(b->ev, part, "bark", &mr_type_any, &found, &value, &place)) {
        return false;
    }
    return !found ||
           mr_evaluator_fail_with(b->ev, MR_NOT_YET, place, NULL, "not yet: bark needs the plants' packages");
}

static bool plain_look(const mr_look *look)
{
    return !look->material && look->tint[0] == 1 && look->tint[1] == 1 && look->tint[2] == 1 &&
           look->tint[3] == 1;
}

static bool material_number(mr_builder *b, const mr_look *look, uint32_t *number)
{
    *number = MR_NO_INDEX;
    if (plain_look(look)) {
        return true;
    }
    mr_material made = { .base_color = { 1, 1, 1, 1 }, .roughness = 1, .name = "" };
    if (look->material) {
        made.name = look->material->name;
        memcpy(made.base_color, look->material->base_color, sizeof made.base_color);
        memcpy(made.emissive, look->material->emissive, sizeof made.emissive);
        made.metallic = look->material->metallic;
        made.roughness = look->material->roughness;
        made.double_sided = look->material->double_sided;
    }
    for (int i = 0; i < 4; i++) {
        made.base_color[i] *= look->tint[i];
    }
    for (size_t i = 0; i < b->scene->materials.count; i++) {
        const mr_material *one = &b->scene->materials.items[i];
        if (strcmp(one->name, made.name) == 0 &&
            memcmp(one->base_color, made.base_color, sizeof made.base_color) == 0 &&
            memcmp(one->emissive, made.emissive, sizeof made.emissive) == 0 &&
            one->metallic == made.metallic && one->roughness == made.roughness &&
            one->double_sided == made.double_sided) {
            *number = (uint32_t)i;
            return true;
        }
    }
    *number = (uint32_t)b->scene->materials.count;
    made.name = mr_build_text(b, made.name);
    return made.name && (mr_array_push(b->ev->context, &b->scene->materials, made) ||
                         mr_fail_memory(b->ev->error, sizeof made));
}

bool mr_build_mesh(mr_builder *b, mr_instance *part, const mr_look *look, uint32_t *mesh)
{
    mr_geometry *geometry = part->content.data->geometry;
    uint32_t material;
    if (!material_number(b, look, &material)) {
        return false;
    }
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_geometry_digest(geometry, &digester);
    mr_digest_u64(&digester, material);
    char key[33];
    mr_digest_hex(mr_digest_end(&digester), key);
    uint64_t there;
    if (mr_map_find(&b->meshes, mr_view_of(key), &there)) {
        *mesh = (uint32_t)there;
        return true;
    }
    mr_view name = part->layers[part->layer_count - 1]->shape->name;
    mr_mesh made = { .name = mr_arena_text(&b->scene->arena, name.data, name.size),
                     .geometry = mr_geometry_retain(geometry),
                     .material = material };
    *mesh = (uint32_t)b->scene->meshes.count;
    if (!made.name || !mr_array_push(b->ev->context, &b->scene->meshes, made)) {
        mr_geometry_release(geometry);
        return mr_fail_memory(b->ev->error, sizeof made);
    }
    return mr_map_put(&b->meshes, mr_view_of(key), *mesh) || mr_fail_memory(b->ev->error, sizeof key);
}
