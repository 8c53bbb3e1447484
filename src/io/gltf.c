#include "io/gltf.h"

#include "base/context.h"
#include "base/thread.h"
#include "io/gltf_document.h"
#include "num/exact.h"

typedef struct writer {
    mr_context *context;
    const mr_scene *scene;
    mr_gltf_options options;
    mr_gltf_document document;
    mr_gltf_report report;
    mr_gltf_mesh *built;   // a scene mesh's, empty where it is not used
    bool *used;            // whether a scene mesh is
    uint32_t *mesh_of;     // a scene mesh's number in the document, or MR_NO_INDEX
    uint32_t *material_of; // a scene material's
    uint32_t *node_of;     // an entity's, or MR_NO_INDEX while it has none
    mr_gltf_mesh *grounds; // one a ground
    float *instances;      // scratch of a group
} writer;

mr_gltf_options mr_gltf_options_default(void)
{
    return (mr_gltf_options){ .plain_nodes = false, .ground_triangles = 1000000 };
}

static bool is_identity(const mr_transform *t)
{
    return t->translation[0] == 0 && t->translation[1] == 0 && t->translation[2] == 0 &&
           t->rotation[0] == 0 && t->rotation[1] == 0 && t->rotation[2] == 0 && t->rotation[3] == 1 &&
           t->scale[0] == 1 && t->scale[1] == 1 && t->scale[2] == 1;
}

static bool is_finite(const mr_transform *t)
{
    bool good = true;
    for (int i = 0; i < 3; i++) {
        good = good && __builtin_isfinite(t->translation[i]) && __builtin_isfinite(t->scale[i]);
    }
    for (int i = 0; i < 4; i++) {
        good = good && __builtin_isfinite(t->rotation[i]);
    }
    return good;
}

// Readers ask for turns of length 1 to within a rounding; one without length is no turn.
static void unit_rotation(const double from[4], float to[4])
{
    double length =
        __builtin_sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2] + from[3] * from[3]);
    for (int i = 0; i < 4; i++) {
        to[i] = length > 0 ? (float)(from[i] / length) + 0.0f : i == 3 ? 1.0f : 0.0f;
    }
}

static void place_node(writer *w, uint32_t node, const mr_transform *transform)
{
    mr_gltf_node *at = &w->document.nodes.items[node];
    at->transform = *transform;
    at->placed = !is_identity(transform);
    if (at->placed) {
        double rotation[4];
        for (int i = 0; i < 4; i++) {
            rotation[i] = (double)transform->rotation[i];
        }
        unit_rotation(rotation, at->transform.rotation);
    }
}

// Item and piece as one transform. An item's scale is the same along all axes, so that the product is again a move, a
// turn and a scale.
static mr_transform compose(const mr_transform *item, const mr_transform *piece)
{
    double q[4];
    double p[4];
    for (int i = 0; i < 4; i++) {
        q[i] = (double)item->rotation[i];
        p[i] = (double)piece->rotation[i];
    }
    double v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = (double)item->scale[i] * (double)piece->translation[i];
    }
    // v + 2 q x (q x v + w v)
    double c[3] = { q[1] * v[2] - q[2] * v[1] + q[3] * v[0], q[2] * v[0] - q[0] * v[2] + q[3] * v[1],
                    q[0] * v[1] - q[1] * v[0] + q[3] * v[2] };
    mr_transform out;
    out.translation[0] = (float)((double)item->translation[0] + v[0] + 2 * (q[1] * c[2] - q[2] * c[1]));
    out.translation[1] = (float)((double)item->translation[1] + v[1] + 2 * (q[2] * c[0] - q[0] * c[2]));
    out.translation[2] = (float)((double)item->translation[2] + v[2] + 2 * (q[0] * c[1] - q[1] * c[0]));
    double r[4] = {
        q[3] * p[0] + q[0] * p[3] + q[1] * p[2] - q[2] * p[1],
        q[3] * p[1] - q[0] * p[2] + q[1] * p[3] + q[2] * p[0],
        q[3] * p[2] + q[0] * p[1] - q[1] * p[0] + q[2] * p[3],
        q[3] * p[3] - q[0] * p[0] - q[1] * p[1] - q[2] * p[2],
    };
    unit_rotation(r, out.rotation);
    for (int i = 0; i < 3; i++) {
        out.scale[i] = item->scale[i] * piece->scale[i];
    }
    return out;
}

static bool mark_model(writer *w, uint32_t model, const char *whose, mr_error *error)
{
    if (model >= w->scene->models.count) {
        return mr_fail(error, MR_INTERNAL, "\"%s\" stands model %u of %zu", whose, model,
                       w->scene->models.count);
    }
    const mr_model *at = &w->scene->models.items[model];
    for (size_t i = 0; i < at->piece_count; i++) {
        if (at->pieces[i].mesh >= w->scene->meshes.count) {
            return mr_fail(error, MR_INTERNAL, "model \"%s\" holds mesh %u of %zu", at->name,
                           at->pieces[i].mesh, w->scene->meshes.count);
        }
        if (!is_finite(&at->pieces[i].transform)) {
            return mr_fail(error, MR_BAD_INPUT, "model \"%s\": piece %zu stands where a number is not finite",
                           at->name, i);
        }
        w->used[at->pieces[i].mesh] = true;
    }
    return true;
}

// Whether an entity and everything above it shows. A chain longer than there are entities goes round.
static bool is_shown(const writer *w, size_t entity, bool *shown, mr_error *error)
{
    *shown = true;
    size_t steps = 0;
    for (uint32_t at = (uint32_t)entity; at != MR_NO_INDEX; at = w->scene->entities.items[at].parent) {
        if (at >= w->scene->entities.count || ++steps > w->scene->entities.count) {
            return mr_fail(error, MR_INTERNAL, "\"%s\" has no way up to the root",
                           w->scene->entities.items[entity].path);
        }
        if (w->scene->entities.items[at].hidden) {
            *shown = false;
        }
    }
    return true;
}

static bool mark_used(writer *w, mr_error *error)
{
    for (size_t i = 0; i < w->scene->entities.count; i++) {
        const mr_entity *entity = &w->scene->entities.items[i];
        bool shown;
        if (!is_shown(w, i, &shown, error)) {
            return false;
        }
        if (shown && entity->model != MR_NO_INDEX && !mark_model(w, entity->model, entity->path, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < w->scene->populations.count; i++) {
        const mr_population *population = &w->scene->populations.items[i];
        for (size_t k = 0; k < population->model_count; k++) {
            if (!mark_model(w, population->models[k].model, population->path, error)) {
                return false;
            }
        }
    }
    return true;
}

static bool build_mesh_range(void *argument, size_t begin, size_t end, mr_error *error)
{
    writer *w = argument;
    for (size_t i = begin; i < end; i++) {
        const mr_mesh *mesh = &w->scene->meshes.items[i];
        if (w->used[i] && mesh->geometry &&
            !mr_gltf_mesh_build(w->context, mesh->geometry, mesh->name, &w->built[i], error)) {
            return false;
        }
    }
    return true;
}

static bool material_number(writer *w, uint32_t material, uint32_t *number, mr_error *error)
{
    *number = MR_NO_INDEX;
    if (material == MR_NO_INDEX) {
        return true;
    }
    if (material >= w->scene->materials.count) {
        return mr_fail(error, MR_INTERNAL, "material %u of %zu is used", material, w->scene->materials.count);
    }
    if (w->material_of[material] == MR_NO_INDEX) {
        w->material_of[material] = (uint32_t)w->document.materials.count;
        if (!mr_array_push(w->context, &w->document.materials, w->scene->materials.items[material])) {
            return mr_fail_memory(error, sizeof(mr_material));
        }
    }
    *number = w->material_of[material];
    return true;
}

static void count_mesh(writer *w, const mr_gltf_mesh *mesh)
{
    w->report.vertices += mesh->vertex_count;
    w->report.triangles += mesh->index_count / 3;
    w->report.dropped_triangles += mesh->dropped;
}

static bool add_meshes(writer *w, mr_error *error)
{
    if (!mr_parallel_for(w->context, w->scene->meshes.count, 1, build_mesh_range, w, error)) {
        return false;
    }
    for (size_t i = 0; i < w->scene->meshes.count; i++) {
        const mr_mesh *mesh = &w->scene->meshes.items[i];
        w->mesh_of[i] = MR_NO_INDEX;
        count_mesh(w, &w->built[i]);
        if (w->built[i].index_count == 0) {
            continue;
        }
        uint32_t material;
        if (!material_number(w, mesh->material, &material, error) ||
            !mr_gltf_add_mesh(&w->document, &w->built[i], mesh->name, material, &w->mesh_of[i], error)) {
            return false;
        }
    }
    return true;
}

// Hangs a model's pieces on a node: on itself where one mesh stands as it is, else as nodes beneath.
static bool add_model(writer *w, uint32_t node, const mr_model *model, mr_error *error)
{
    if (model->piece_count == 1 && is_identity(&model->pieces[0].transform)) {
        w->document.nodes.items[node].mesh = w->mesh_of[model->pieces[0].mesh];
        return true;
    }
    for (size_t i = 0; i < model->piece_count; i++) {
        uint32_t mesh = w->mesh_of[model->pieces[i].mesh];
        uint32_t made;
        if (mesh == MR_NO_INDEX) {
            continue;
        }
        if (!mr_gltf_add_node(&w->document, node, w->scene->meshes.items[model->pieces[i].mesh].name, &made,
                              error)) {
            return false;
        }
        w->document.nodes.items[made].mesh = mesh;
        place_node(w, made, &model->pieces[i].transform);
    }
    return true;
}

static bool add_entity(writer *w, uint32_t number, mr_error *error)
{
    const mr_entity *entity = &w->scene->entities.items[number];
    if (!is_finite(&entity->transform)) {
        return mr_fail(error, MR_BAD_INPUT, "\"%s\" stands where a number is not finite", entity->path);
    }
    uint32_t parent = entity->parent == MR_NO_INDEX ? MR_NO_INDEX : w->node_of[entity->parent];
    uint32_t node;
    if (!mr_gltf_add_node(&w->document, parent, entity->path, &node, error)) {
        return false;
    }
    w->node_of[number] = node;
    w->document.nodes.items[node].has_id = true;
    w->document.nodes.items[node].id = entity->id;
    place_node(w, node, &entity->transform);
    return entity->model == MR_NO_INDEX || add_model(w, node, &w->scene->models.items[entity->model], error);
}

// Entities in their own order, but each after what it stands in.
static bool add_entity_chain(writer *w, uint32_t number, mr_error *error)
{
    while (w->node_of[number] == MR_NO_INDEX) {
        uint32_t top = number;
        while (w->scene->entities.items[top].parent != MR_NO_INDEX &&
               w->node_of[w->scene->entities.items[top].parent] == MR_NO_INDEX) {
            top = w->scene->entities.items[top].parent;
        }
        if (!add_entity(w, top, error)) {
            return false;
        }
    }
    return true;
}

static bool add_entities(writer *w, mr_error *error)
{
    for (size_t i = 0; i < w->scene->entities.count; i++) {
        bool shown;
        if (!is_shown(w, i, &shown, error) || (shown && !add_entity_chain(w, (uint32_t)i, error))) {
            return false;
        }
    }
    return true;
}

// The place in population->models of an item's kind and variant, or model_count. `order` sorts the models.
static size_t find_group(const mr_population *population, const uint32_t *order, const mr_item *item)
{
    uint64_t wanted = (uint64_t)item->kind << 32 | item->variant;
    size_t low = 0;
    size_t high = population->model_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        uint64_t have = (uint64_t)population->models[order[middle]].kind << 32 |
                        population->models[order[middle]].variant;
        if (have == wanted) {
            return order[middle];
        }
        if (have < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return population->model_count;
}

// Insertion into a sorted list: populations have tens of models.
static void sort_models(const mr_population *population, uint32_t *order)
{
    for (uint32_t i = 0; i < population->model_count; i++) {
        uint32_t at = i;
        for (; at > 0; at--) {
            uint32_t before = order[at - 1];
            bool after = population->models[before].kind < population->models[i].kind ||
                         (population->models[before].kind == population->models[i].kind &&
                          population->models[before].variant <= population->models[i].variant);
            if (after) {
                break;
            }
            order[at] = before;
        }
        order[at] = i;
    }
}

static bool check_item(const mr_population *population, size_t number, mr_error *error)
{
    mr_transform transform = mr_item_transform(&population->items[number]);
    if (!is_finite(&transform)) {
        return mr_fail(error, MR_BAD_INPUT, "\"%s\": item %zu (%s) stands where a number is not finite",
                       population->path, number, population->items[number].key);
    }
    return true;
}

static bool add_instance_accessors(writer *w, uint32_t node, size_t count, mr_error *error)
{
    static const char *const types[MR_GLTF_INSTANCE_ATTRIBUTES] = { "VEC3", "VEC4", "VEC3" };
    static const size_t lanes[MR_GLTF_INSTANCE_ATTRIBUTES] = { 3, 4, 3 };
    static const size_t first[MR_GLTF_INSTANCE_ATTRIBUTES] = { 0, 3, 7 };
    for (int k = 0; k < MR_GLTF_INSTANCE_ATTRIBUTES; k++) {
        float *values = mr_allocate(w->context, count * lanes[k] * sizeof *values);
        if (!values) {
            return mr_fail_memory(error, count * lanes[k] * sizeof *values);
        }
        for (size_t i = 0; i < count; i++) {
            memcpy(values + i * lanes[k], w->instances + 10 * i + first[k], lanes[k] * sizeof *values);
        }
        mr_gltf_accessor accessor = { .component = 5126, .type = types[k], .count = count };
        uint32_t number;
        if (!mr_gltf_add_accessor(&w->document, accessor, values, true, count * lanes[k] * sizeof *values, 0,
                                  &number, error)) {
            return false;
        }
        w->document.nodes.items[node].instances[k] = number;
    }
    w->document.instancing = true;
    w->report.instances += count;
    return true;
}

// One node a piece, holding every item of the group.
static bool add_instances(writer *w, uint32_t parent, const mr_population *population, size_t group,
                          const uint32_t *items, size_t count, mr_error *error)
{
    const mr_model *model = &w->scene->models.items[population->models[group].model];
    for (size_t p = 0; p < model->piece_count; p++) {
        const mr_model_piece *piece = &model->pieces[p];
        if (w->mesh_of[piece->mesh] == MR_NO_INDEX) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            mr_transform item = mr_item_transform(&population->items[items[i]]);
            mr_transform whole = compose(&item, &piece->transform);
            memcpy(w->instances + 10 * i, whole.translation, sizeof whole.translation);
            memcpy(w->instances + 10 * i + 3, whole.rotation, sizeof whole.rotation);
            memcpy(w->instances + 10 * i + 7, whole.scale, sizeof whole.scale);
        }
        uint32_t node;
        if (!mr_gltf_add_node(&w->document, parent, w->scene->meshes.items[piece->mesh].name, &node, error)) {
            return false;
        }
        w->document.nodes.items[node].mesh = w->mesh_of[piece->mesh];
        w->document.nodes.items[node].kind = population->kinds[population->models[group].kind];
        w->document.nodes.items[node].variant = population->models[group].variant;
        if (!add_instance_accessors(w, node, count, error)) {
            return false;
        }
    }
    return true;
}

static bool add_plain_item(writer *w, uint32_t parent, const mr_population *population, size_t group,
                           const mr_item *item, mr_error *error)
{
    size_t size = strlen(population->path) + strlen(item->key ? item->key : "") + 3;
    char *name = mr_arena_take(&w->document.arena, size);
    if (!name) {
        return mr_fail_memory(error, size);
    }
    mr_text_format(name, size, "%s[%s]", population->path, item->key ? item->key : "");
    uint32_t node;
    if (!mr_gltf_add_node(&w->document, parent, name, &node, error)) {
        return false;
    }
    mr_transform transform = mr_item_transform(item);
    place_node(w, node, &transform);
    w->report.instances++;
    return add_model(w, node, &w->scene->models.items[population->models[group].model], error);
}

typedef struct grouping {
    uint32_t *order;    // models sorted by kind and variant
    uint32_t *group_of; // an item's
    size_t *begin;      // of a group in `sorted`, one more than there are groups
    uint32_t *sorted;   // item numbers by group, each group in list order
} grouping;

static bool allocate_grouping(mr_context *context, const mr_population *population, grouping *g,
                              mr_error *error)
{
    size_t items = population->item_count;
    size_t models = population->model_count;
    g->order = mr_allocate(context, (models + 1) * sizeof *g->order);
    g->group_of = mr_allocate(context, (items + 1) * sizeof *g->group_of);
    g->begin = mr_allocate_zeroed(context, (models + 2) * sizeof *g->begin);
    g->sorted = mr_allocate(context, (items + 1) * sizeof *g->sorted);
    return (g->order && g->group_of && g->begin && g->sorted) ||
           mr_fail_memory(error, (items + 1) * sizeof *g->sorted);
}

static void free_grouping(mr_context *context, grouping *g)
{
    mr_free(context, g->order);
    mr_free(context, g->group_of);
    mr_free(context, g->begin);
    mr_free(context, g->sorted);
}

static bool group_items(writer *w, const mr_population *population, grouping *g, mr_error *error)
{
    if (!allocate_grouping(w->context, population, g, error)) {
        return false;
    }
    sort_models(population, g->order);
    for (size_t i = 0; i < population->item_count; i++) {
        if (!check_item(population, i, error)) {
            return false;
        }
        size_t group = find_group(population, g->order, &population->items[i]);
        g->group_of[i] = (uint32_t)group;
        g->begin[group + 1]++;
        w->report.items_without_model += group == population->model_count;
    }
    for (size_t k = 0; k <= population->model_count; k++) {
        g->begin[k + 1] += g->begin[k];
    }
    for (size_t i = population->item_count; i-- > 0;) {
        g->sorted[--g->begin[g->group_of[i] + 1]] = (uint32_t)i;
    }
    // Each place above now holds where its own group begins.
    for (size_t k = 0; k <= population->model_count; k++) {
        g->begin[k] = g->begin[k + 1];
    }
    g->begin[population->model_count + 1] = population->item_count;
    return true;
}

static bool add_groups(writer *w, uint32_t node, const mr_population *population, const grouping *g,
                       mr_error *error)
{
    size_t most = 0;
    for (size_t k = 0; k < population->model_count; k++) {
        most = g->begin[k + 1] - g->begin[k] > most ? g->begin[k + 1] - g->begin[k] : most;
    }
    w->instances = mr_allocate(w->context, (most + 1) * 10 * sizeof *w->instances);
    bool good = w->instances || mr_fail_memory(error, (most + 1) * 10 * sizeof *w->instances);
    for (size_t k = 0; good && k < population->model_count; k++) {
        size_t count = g->begin[k + 1] - g->begin[k];
        good = count == 0 || add_instances(w, node, population, k, g->sorted + g->begin[k], count, error);
    }
    mr_free(w->context, w->instances);
    w->instances = NULL;
    return good;
}

static bool add_plain_items(writer *w, uint32_t node, const mr_population *population, const grouping *g,
                            mr_error *error)
{
    for (size_t i = 0; i < population->item_count; i++) {
        if (g->group_of[i] < population->model_count &&
            !add_plain_item(w, node, population, g->group_of[i], &population->items[i], error)) {
            return false;
        }
    }
    return true;
}

static bool add_population(writer *w, const mr_population *population, mr_error *error)
{
    if (population->item_count == 0) {
        return true;
    }
    uint32_t node;
    grouping g = { 0 };
    bool good = mr_gltf_add_node(&w->document, MR_NO_INDEX, population->path, &node, error) &&
                group_items(w, population, &g, error) &&
                (w->options.plain_nodes ? add_plain_items(w, node, population, &g, error)
                                        : add_groups(w, node, population, &g, error));
    free_grouping(w->context, &g);
    return good;
}

static bool add_ground(writer *w, size_t number, uint32_t material, mr_error *error)
{
    const mr_ground *ground = &w->scene->grounds.items[number];
    mr_gltf_mesh *mesh = &w->grounds[number];
    if (!mr_gltf_mesh_ground(w->context, ground->raster, ground->path, w->options.ground_triangles, mesh,
                             error)) {
        return false;
    }
    count_mesh(w, mesh);
    w->report.ground_stride = mesh->stride > w->report.ground_stride ? mesh->stride : w->report.ground_stride;
    if (mesh->stride > 1) {
        mr_log(w->context, MR_LOG_INFO, "%s: the .glb holds every %u. sample of the ground (%zu triangles)",
               ground->path, mesh->stride, mesh->index_count / 3);
    }
    if (mesh->index_count == 0) {
        return true;
    }
    uint32_t number_of_mesh;
    uint32_t node;
    if (!mr_gltf_add_mesh(&w->document, mesh, ground->path, material, &number_of_mesh, error) ||
        !mr_gltf_add_node(&w->document, MR_NO_INDEX, ground->path, &node, error)) {
        return false;
    }
    mr_transform transform = mr_transform_identity;
    for (int i = 0; i < 3; i++) {
        transform.translation[i] = (float)mesh->translation[i];
    }
    w->document.nodes.items[node].mesh = number_of_mesh;
    place_node(w, node, &transform);
    return true;
}

static bool add_grounds(writer *w, mr_error *error)
{
    if (w->scene->grounds.count == 0) {
        return true;
    }
    mr_material earth = { .name = "ground", .base_color = { 1, 1, 1, 1 }, .roughness = 1 };
    uint32_t material = (uint32_t)w->document.materials.count;
    if (!mr_array_push(w->context, &w->document.materials, earth)) {
        return mr_fail_memory(error, sizeof earth);
    }
    for (size_t i = 0; i < w->scene->grounds.count; i++) {
        if (!add_ground(w, i, material, error)) {
            return false;
        }
    }
    return true;
}

// The turn that takes +z along `back` with +x level: the axes a camera and a light look down the -z of.
static void look_rotation(const double back[3], float rotation[4])
{
    double x[3] = { back[2], 0, -back[0] };
    double across = __builtin_sqrt(x[0] * x[0] + x[2] * x[2]);
    if (across > 0) {
        x[0] /= across;
        x[2] /= across;
    } else {
        x[0] = 1; // straight up or down
        x[2] = 0;
    }
    double y[3] = { back[1] * x[2] - back[2] * x[1], back[2] * x[0] - back[0] * x[2],
                    back[0] * x[1] - back[1] * x[0] };
    double m[3][3] = { { x[0], y[0], back[0] }, { x[1], y[1], back[1] }, { x[2], y[2], back[2] } };
    double q[4];
    double trace = m[0][0] + m[1][1] + m[2][2];
    if (trace > 0) {
        double s = 2 * __builtin_sqrt(1 + trace);
        q[3] = s / 4;
        q[0] = (m[2][1] - m[1][2]) / s;
        q[1] = (m[0][2] - m[2][0]) / s;
        q[2] = (m[1][0] - m[0][1]) / s;
    } else {
        int i = m[0][0] > m[1][1] && m[0][0] > m[2][2] ? 0 : m[1][1] > m[2][2] ? 1 : 2;
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        double s = 2 * __builtin_sqrt(1 + m[i][i] - m[j][j] - m[k][k]);
        q[i] = s / 4;
        q[j] = (m[j][i] + m[i][j]) / s;
        q[k] = (m[k][i] + m[i][k]) / s;
        q[3] = (m[k][j] - m[j][k]) / s;
    }
    unit_rotation(q, rotation);
}

static bool add_camera(writer *w, const mr_camera *camera, mr_error *error)
{
    mr_transform transform = mr_transform_identity;
    double back[3];
    double squared = 0;
    for (int i = 0; i < 3; i++) {
        transform.translation[i] = camera->at[i];
        back[i] = (double)camera->at[i] - (double)camera->look_at[i];
        squared += back[i] * back[i];
    }
    if (!is_finite(&transform) || !(squared > 0) || !__builtin_isfinite(squared) || !(camera->fov > 0) ||
        !(camera->fov < 3.1415927f)) {
        return mr_fail(
            error, MR_BAD_INPUT,
            "camera \"%s\": it must look at another place than its own, with a field of view between 0 and "
            "180 degrees",
            camera->path);
    }
    for (int i = 0; i < 3; i++) {
        back[i] /= __builtin_sqrt(squared);
    }
    look_rotation(back, transform.rotation);
    uint32_t node;
    if (!mr_gltf_add_node(&w->document, MR_NO_INDEX, camera->path, &node, error)) {
        return false;
    }
    place_node(w, node, &transform);
    w->document.nodes.items[node].camera = (uint32_t)w->document.fovs.count;
    return mr_array_push(w->context, &w->document.fovs, camera->fov) || mr_fail_memory(error, sizeof(float));
}

// Azimuth runs from south (+z) to west (-x); light leaves along a node's -z, so its +z looks at the sun.
static bool add_sun(writer *w, const mr_sun *sun, mr_error *error)
{
    if (!__builtin_isfinite(sun->elevation) || !__builtin_isfinite(sun->azimuth)) {
        return mr_fail(error, MR_BAD_INPUT, "the sun's elevation and azimuth must be finite; got %g and %g",
                       (double)sun->elevation, (double)sun->azimuth);
    }
    double flat = (double)mr_f32_cos(sun->elevation);
    double back[3] = { -flat * (double)mr_f32_sin(sun->azimuth), (double)mr_f32_sin(sun->elevation),
                       flat * (double)mr_f32_cos(sun->azimuth) };
    mr_transform transform = mr_transform_identity;
    look_rotation(back, transform.rotation);
    uint32_t node;
    if (!mr_gltf_add_node(&w->document, MR_NO_INDEX, "sun", &node, error)) {
        return false;
    }
    place_node(w, node, &transform);
    w->document.nodes.items[node].light = w->document.lights++;
    return true;
}

static bool add_views(writer *w, mr_error *error)
{
    for (size_t i = 0; i < w->scene->cameras.count; i++) {
        if (!add_camera(w, &w->scene->cameras.items[i], error)) {
            return false;
        }
    }
    for (size_t i = 0; i < w->scene->suns.count; i++) {
        if (!add_sun(w, &w->scene->suns.items[i], error)) {
            return false;
        }
    }
    return true;
}

static bool allocate(writer *w, mr_error *error)
{
    const mr_scene *scene = w->scene;
    w->built = mr_allocate_zeroed(w->context, (scene->meshes.count + 1) * sizeof *w->built);
    w->used = mr_allocate_zeroed(w->context, (scene->meshes.count + 1) * sizeof *w->used);
    w->mesh_of = mr_allocate(w->context, (scene->meshes.count + 1) * sizeof *w->mesh_of);
    w->material_of = mr_allocate(w->context, (scene->materials.count + 1) * sizeof *w->material_of);
    w->node_of = mr_allocate(w->context, (scene->entities.count + 1) * sizeof *w->node_of);
    w->grounds = mr_allocate_zeroed(w->context, (scene->grounds.count + 1) * sizeof *w->grounds);
    if (!w->built || !w->used || !w->mesh_of || !w->material_of || !w->node_of || !w->grounds) {
        return mr_fail_memory(error, scene->meshes.count * sizeof *w->built);
    }
    memset(w->material_of, 0xff, (scene->materials.count + 1) * sizeof *w->material_of);
    memset(w->node_of, 0xff, (scene->entities.count + 1) * sizeof *w->node_of);
    return true;
}

static void release(writer *w)
{
    for (size_t i = 0; w->built && i < w->scene->meshes.count; i++) {
        mr_gltf_mesh_free(w->context, &w->built[i]);
    }
    for (size_t i = 0; w->grounds && i < w->scene->grounds.count; i++) {
        mr_gltf_mesh_free(w->context, &w->grounds[i]);
    }
    mr_free(w->context, w->built);
    mr_free(w->context, w->used);
    mr_free(w->context, w->mesh_of);
    mr_free(w->context, w->material_of);
    mr_free(w->context, w->node_of);
    mr_free(w->context, w->grounds);
    mr_gltf_document_destroy(&w->document);
}

static bool fill_document(writer *w, mr_error *error)
{
    if (!allocate(w, error) || !mark_used(w, error) || !add_meshes(w, error) || !add_grounds(w, error) ||
        !add_entities(w, error)) {
        return false;
    }
    for (size_t i = 0; i < w->scene->populations.count; i++) {
        if (!add_population(w, &w->scene->populations.items[i], error)) {
            return false;
        }
    }
    return add_views(w, error);
}

bool mr_gltf_save(mr_context *context, const mr_scene *scene, const char *path,
                  const mr_gltf_options *options, mr_gltf_report *report, mr_error *error)
{
    writer w = { .context = context, .scene = scene, .report = { .ground_stride = 1 } };
    w.options = options ? *options : mr_gltf_options_default();
    mr_gltf_document_init(&w.document, context, scene->name);
    bool good = fill_document(&w, error) && mr_gltf_document_save(&w.document, path, &w.report.bytes, error);
    if (good && report) {
        w.report.meshes = (uint32_t)w.document.meshes.count;
        w.report.nodes = (uint32_t)w.document.nodes.count;
        *report = w.report;
    }
    release(&w);
    return good;
}
