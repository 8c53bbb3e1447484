#include "data/scene.h"

#include "base/context.h"
#include "num/exact.h"

const mr_transform mr_transform_identity = { .rotation = { 0, 0, 0, 1 }, .scale = { 1, 1, 1 } };

mr_scene *mr_scene_create(mr_context *context, mr_error *error)
{
    mr_scene *scene = mr_allocate_zeroed(context, sizeof *scene);
    if (!scene) {
        mr_fail_memory(error, sizeof *scene);
        return NULL;
    }
    scene->context = context;
    scene->name = "";
    mr_arena_init(&scene->arena, context);
    return scene;
}

void mr_scene_destroy(mr_scene *scene)
{
    if (!scene) {
        return;
    }
    mr_context *context = scene->context;
    for (size_t i = 0; i < scene->meshes.count; i++) {
        mr_geometry_release(scene->meshes.items[i].geometry);
    }
    for (size_t i = 0; i < scene->grounds.count; i++) {
        mr_raster_release(scene->grounds.items[i].raster);
    }
    mr_array_free(context, &scene->materials);
    mr_array_free(context, &scene->meshes);
    mr_array_free(context, &scene->models);
    mr_array_free(context, &scene->entities);
    mr_array_free(context, &scene->populations);
    mr_array_free(context, &scene->grounds);
    mr_array_free(context, &scene->spines);
    mr_array_free(context, &scene->footprints);
    mr_array_free(context, &scene->cameras);
    mr_array_free(context, &scene->suns);
    mr_array_free(context, &scene->lights);
    mr_array_free(context, &scene->families);
    mr_array_free(context, &scene->nodes);
    mr_arena_destroy(&scene->arena);
    mr_free(context, scene);
}

const char *mr_scene_name(const mr_scene *scene)
{
    return scene->name;
}

uint64_t mr_scene_part_count(const mr_scene *scene)
{
    return scene->entities.count;
}

uint64_t mr_scene_placed_count(const mr_scene *scene)
{
    uint64_t count = 0;
    for (size_t i = 0; i < scene->populations.count; i++) {
        count += scene->populations.items[i].item_count;
    }
    return count;
}

size_t mr_scene_family_count(const mr_scene *scene)
{
    return scene->families.count;
}

const mr_family *mr_scene_family(const mr_scene *scene, size_t index)
{
    return index < scene->families.count ? &scene->families.items[index] : NULL;
}

size_t mr_scene_rule_count(const mr_scene *scene)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->populations.count; i++) {
        count += scene->populations.items[i].rule_count;
    }
    return count;
}

const mr_rule_report *mr_scene_rule(const mr_scene *scene, size_t index, const char **population)
{
    for (size_t i = 0; i < scene->populations.count; i++) {
        const mr_population *at = &scene->populations.items[i];
        if (index < at->rule_count) {
            if (population) {
                *population = at->path;
            }
            return &at->rules[index];
        }
        index -= at->rule_count;
    }
    return NULL;
}

mr_transform mr_item_transform(const mr_item *item)
{
    float sine, cosine;
    mr_f32_sincos(item->turn * 0.5f, &sine, &cosine);
    mr_transform transform = {
        .translation = { item->x, item->height - item->sink * item->size, item->z },
        .rotation = { 0, sine, 0, cosine },
        .scale = { item->size, item->size, item->size },
    };
    return transform;
}

static void rotate(const float q[4], const float v[3], float out[3])
{
    // v + 2 w (u x v) + 2 u x (u x v)
    float t[3] = { 2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]),
                   2 * (q[0] * v[1] - q[1] * v[0]) };
    out[0] = v[0] + q[3] * t[0] + (q[1] * t[2] - q[2] * t[1]);
    out[1] = v[1] + q[3] * t[1] + (q[2] * t[0] - q[0] * t[2]);
    out[2] = v[2] + q[3] * t[2] + (q[0] * t[1] - q[1] * t[0]);
}

static void apply(const mr_transform *transform, const float from[3], float out[3])
{
    float scaled[3] = { from[0] * transform->scale[0], from[1] * transform->scale[1],
                        from[2] * transform->scale[2] };
    rotate(transform->rotation, scaled, out);
    for (int axis = 0; axis < 3; axis++) {
        out[axis] += transform->translation[axis];
    }
}

typedef struct box {
    bool any;
    float low[3], high[3];
} box;

static void grow(box *bounds, const float at[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (!bounds->any || at[axis] < bounds->low[axis]) {
            bounds->low[axis] = at[axis];
        }
        if (!bounds->any || at[axis] > bounds->high[axis]) {
            bounds->high[axis] = at[axis];
        }
    }
    bounds->any = true;
}

static void corner_of(const box *bounds, int corner, float at[3])
{
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = corner >> axis & 1 ? bounds->high[axis] : bounds->low[axis];
    }
}

static box model_box(const mr_scene *scene, uint32_t model)
{
    box bounds = { 0 };
    for (size_t i = 0; i < scene->models.items[model].piece_count; i++) {
        const mr_model_piece *piece = &scene->models.items[model].pieces[i];
        box mesh = { 0 };
        mesh.any = mr_geometry_bounds(scene->meshes.items[piece->mesh].geometry, mesh.low, mesh.high);
        for (int corner = 0; mesh.any && corner < 8; corner++) {
            float at[3];
            float there[3];
            corner_of(&mesh, corner, at);
            apply(&piece->transform, at, there);
            grow(&bounds, there);
        }
    }
    return bounds;
}

static void grow_placed(box *bounds, const box *model, const mr_transform *chain[], size_t links)
{
    for (int corner = 0; model->any && corner < 8; corner++) {
        float at[3];
        corner_of(model, corner, at);
        for (size_t i = 0; i < links; i++) {
            float there[3];
            apply(chain[i], at, there);
            memcpy(at, there, sizeof at);
        }
        grow(bounds, at);
    }
}

static void grow_ground(box *bounds, const mr_raster *raster)
{
    float low;
    float high;
    if (!mr_raster_range(raster, "height", &low, &high)) {
        return;
    }
    float at[2][3] = {
        { (float)((double)raster->corner_x * raster->cell), low,
          (float)((double)raster->corner_z * raster->cell) },
        { (float)((double)(raster->corner_x + raster->width - 1) * raster->cell), high,
          (float)((double)(raster->corner_z + raster->height - 1) * raster->cell) },
    };
    grow(bounds, at[0]);
    grow(bounds, at[1]);
}

enum { DEEPEST_PARENTS = 256 };

static box scene_box(const mr_scene *scene)
{
    box bounds = { 0 };
    for (size_t i = 0; i < scene->grounds.count; i++) {
        grow_ground(&bounds, scene->grounds.items[i].raster);
    }
    for (size_t i = 0; i < scene->entities.count; i++) {
        const mr_entity *entity = &scene->entities.items[i];
        if (entity->model == MR_NO_INDEX || entity->hidden) {
            continue;
        }
        const mr_transform *chain[DEEPEST_PARENTS];
        size_t links = 0;
        for (uint32_t at = (uint32_t)i; at != MR_NO_INDEX && links < DEEPEST_PARENTS;
             at = scene->entities.items[at].parent) {
            chain[links++] = &scene->entities.items[at].transform;
        }
        box model = model_box(scene, entity->model);
        grow_placed(&bounds, &model, chain, links);
    }
    for (size_t p = 0; p < scene->populations.count; p++) {
        const mr_population *population = &scene->populations.items[p];
        for (size_t m = 0; m < population->model_count; m++) {
            box model = model_box(scene, population->models[m].model);
            for (size_t i = 0; model.any && i < population->item_count; i++) {
                const mr_item *item = &population->items[i];
                if (item->kind == population->models[m].kind &&
                    item->variant == population->models[m].variant) {
                    mr_transform transform = mr_item_transform(item);
                    grow_placed(&bounds, &model, (const mr_transform *[]){ &transform }, 1);
                }
            }
        }
    }
    return bounds;
}

bool mr_scene_bounds(const mr_scene *scene, float low[3], float high[3])
{
    mr_entry entry;
    mr_enter(scene->context, &entry);
    box bounds = scene_box(scene);
    mr_leave(&entry);
    if (bounds.any) {
        memcpy(low, bounds.low, sizeof bounds.low);
        memcpy(high, bounds.high, sizeof bounds.high);
    }
    return bounds.any;
}

static void digest_floats(mr_digester *digester, const float *values, size_t count)
{
    mr_digest_bytes(digester, values, count * sizeof *values);
}

static void digest_transform(mr_digester *digester, const mr_transform *transform)
{
    digest_floats(digester, transform->translation, 3);
    digest_floats(digester, transform->rotation, 4);
    digest_floats(digester, transform->scale, 3);
}

static void digest_model(const mr_scene *scene, uint32_t index, mr_digester *digester)
{
    if (index == MR_NO_INDEX) {
        mr_digest_u64(digester, 0);
        return;
    }
    const mr_model *model = &scene->models.items[index];
    mr_digest_u64(digester, 1 + model->piece_count);
    for (size_t i = 0; i < model->piece_count; i++) {
        const mr_mesh *mesh = &scene->meshes.items[model->pieces[i].mesh];
        digest_transform(digester, &model->pieces[i].transform);
        mr_geometry_digest(mesh->geometry, digester);
        mr_digest_u64(digester, mesh->material != MR_NO_INDEX);
        if (mesh->material != MR_NO_INDEX) {
            const mr_material *material = &scene->materials.items[mesh->material];
            digest_floats(digester, material->base_color, 4);
            digest_floats(digester, &material->metallic, 1);
            digest_floats(digester, &material->roughness, 1);
            digest_floats(digester, material->emissive, 3);
            mr_digest_u64(digester, material->double_sided);
        }
    }
}

static void digest_population(const mr_scene *scene, const mr_population *population, mr_digester *digester)
{
    mr_digest_u64(digester, population->item_count);
    for (size_t i = 0; i < population->item_count; i++) {
        const mr_item *item = &population->items[i];
        float values[] = { item->x,    item->y,    item->z,      item->turn,
                           item->size, item->sink, item->height, item->room };
        mr_digest_text(digester, mr_view_of(population->rules[item->rule].name));
        mr_digest_text(digester, mr_view_of(population->kinds[item->kind]));
        mr_digest_u64(digester, item->variant);
        mr_digest_text(digester, mr_view_of(item->key));
        mr_digest_u64(digester, item->hidden);
        digest_floats(digester, values, sizeof values / sizeof *values);
    }
    mr_digest_u64(digester, population->model_count);
    for (size_t i = 0; i < population->model_count; i++) {
        mr_digest_text(digester, mr_view_of(population->kinds[population->models[i].kind]));
        mr_digest_u64(digester, population->models[i].variant);
        digest_model(scene, population->models[i].model, digester);
    }
}

// A set of named things: each is hashed alone with its name and the hashes are summed, so that their order in the scene is
// not part of the answer.
typedef struct unordered {
    uint64_t count;
    mr_digest sum;
} unordered;

static mr_digester begin_one(const char *kind, const char *name)
{
    mr_digester one;
    mr_digest_begin(&one);
    mr_digest_text(&one, mr_view_of(kind));
    mr_digest_text(&one, mr_view_of(name));
    return one;
}

static void end_one(unordered *set, const mr_digester *one)
{
    mr_digest hash = mr_digest_end(one);
    set->count++;
    set->sum.low += hash.low;
    set->sum.high += hash.high;
}

mr_digest mr_scene_digest(const mr_scene *scene)
{
    unordered set = { 0 };
    for (size_t i = 0; i < scene->entities.count; i++) {
        const mr_entity *entity = &scene->entities.items[i];
        mr_digester one = begin_one("entity", entity->path);
        mr_digest_text(
            &one,
            mr_view_of(entity->parent == MR_NO_INDEX ? "" : scene->entities.items[entity->parent].path));
        digest_transform(&one, &entity->transform);
        mr_digest_u64(&one, entity->hidden);
        digest_model(scene, entity->model, &one);
        end_one(&set, &one);
    }
    for (size_t i = 0; i < scene->populations.count; i++) {
        mr_digester one = begin_one("population", scene->populations.items[i].path);
        digest_population(scene, &scene->populations.items[i], &one);
        end_one(&set, &one);
    }
    for (size_t i = 0; i < scene->grounds.count; i++) {
        mr_digester one = begin_one("ground", scene->grounds.items[i].path);
        mr_raster_digest(scene->grounds.items[i].raster, &one);
        digest_floats(&one, &scene->grounds.items[i].outside, 1);
        end_one(&set, &one);
    }
    for (size_t i = 0; i < scene->spines.count; i++) {
        mr_digester one = begin_one("spine", scene->spines.items[i].name);
        digest_floats(&one, scene->spines.items[i].points, 2 * scene->spines.items[i].point_count);
        end_one(&set, &one);
    }
    for (size_t i = 0; i < scene->footprints.count; i++) {
        mr_digester one = begin_one("footprint", scene->footprints.items[i].part);
        digest_floats(&one, scene->footprints.items[i].corners, 8);
        end_one(&set, &one);
    }
    for (size_t i = 0; i < scene->cameras.count; i++) {
        const mr_camera *camera = &scene->cameras.items[i];
        mr_digester one = begin_one("camera", camera->path);
        digest_floats(&one, camera->at, 3);
        digest_floats(&one, camera->look_at, 3);
        digest_floats(&one, &camera->fov, 1);
        end_one(&set, &one);
    }
    for (size_t i = 0; i < scene->suns.count; i++) {
        mr_digester one = begin_one("sun", "");
        digest_floats(&one, &scene->suns.items[i].elevation, 1);
        digest_floats(&one, &scene->suns.items[i].azimuth, 1);
        end_one(&set, &one);
    }
    for (size_t i = 0; i < scene->lights.count; i++) {
        const mr_light *light = &scene->lights.items[i];
        mr_digester one = begin_one("light", light->path);
        digest_floats(&one, light->at, 3);
        digest_floats(&one, light->color, 3);
        digest_floats(&one, &light->intensity, 1);
        end_one(&set, &one);
    }
    mr_digester whole;
    mr_digest_begin(&whole);
    mr_digest_u64(&whole, set.count);
    mr_digest_u64(&whole, set.sum.low);
    mr_digest_u64(&whole, set.sum.high);
    return mr_digest_end(&whole);
}

void mr_scene_hash(const mr_scene *scene, char hash[MR_HASH_SIZE])
{
    mr_entry entry;
    mr_enter(scene->context, &entry);
    mr_digest_hex(mr_scene_digest(scene), hash);
    mr_leave(&entry);
}
