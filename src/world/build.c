// world/build.c: walks the world's parts and puts them into the scene, parents before children, in declaration order.

#include "world/build.h"

#include "base/context.h"

char *mr_build_text(mr_builder *b, const char *text)
{
    char *copy = mr_arena_text(&b->scene->arena, text, strlen(text));
    if (!copy) {
        mr_fail_memory(b->ev->error, strlen(text));
    }
    return copy;
}

static bool no_memory(mr_builder *b, size_t size)
{
    return mr_fail_memory(b->ev->error, size);
}

static size_t bare_path(const mr_instance *part, char *out, size_t size)
{
    if (!part->parent) {
        return 0;
    }
    size_t used = bare_path(part->parent, out, size);
    if (used >= size) {
        return used;
    }
    return used + mr_text_format(out + used, size - used, used ? ".%.*s" : "%.*s",
                                 MR_VIEW_ARGS(part->layers[0]->shape->name));
}

bool mr_build_count(mr_builder *b, const mr_instance *part, uint64_t count)
{
    char path[2 * MR_PATH_SIZE];
    path[0] = 0;
    bare_path(part, path, sizeof path);
    uint64_t at;
    if (mr_map_find(&b->families, mr_view_of(path), &at)) {
        b->scene->families.items[at].count += count;
        return true;
    }
    at = b->scene->families.count;
    char *kept = mr_build_text(b, path);
    return kept && ((mr_array_push(b->ev->context, &b->scene->families, (mr_family){ kept, count }) &&
                     mr_map_put(&b->families, mr_view_of(path), at)) ||
                    no_memory(b, sizeof(mr_family)));
}

static bool push_ground(mr_builder *b, mr_instance *part, const mr_land_datum *land)
{
    mr_scene *scene = b->scene;
    char *path = mr_build_text(b, mr_instance_path(b->ev, part));
    if (!path) {
        return false;
    }
    mr_ground ground = { .path = path,
                         .raster = mr_raster_retain(land->land->raster),
                         .outside = land->land->outside };
    if (!mr_array_push(b->ev->context, &scene->grounds, ground)) {
        mr_raster_release(ground.raster);
        return no_memory(b, sizeof ground);
    }
    for (size_t i = 0; i < land->land->spine_count; i++) {
        const mr_spine *spine = land->land->spines[i].spine;
        mr_plan_spine made = { .name = mr_build_text(b, land->land->spines[i].name),
                               .points = mr_arena_take(&scene->arena, spine->count * 2 * sizeof(float)),
                               .point_count = spine->count };
        if (!made.name || !made.points) {
            return no_memory(b, spine->count * 2 * sizeof(float));
        }
        for (size_t k = 0; k < spine->count; k++) {
            made.points[2 * k] = spine->x[k];
            made.points[2 * k + 1] = spine->z[k];
        }
        if (!mr_array_push(b->ev->context, &scene->spines, made)) {
            return no_memory(b, sizeof made);
        }
    }
    return true;
}

static bool push_view(mr_builder *b, mr_instance *part)
{
    mr_context *context = b->ev->context;
    mr_scene *scene = b->scene;
    char *path = mr_build_text(b, mr_instance_path(b->ev, part));
    if (!path) {
        return false;
    }
    switch (part->content.kind) {
    case MR_DATUM_CAMERA: {
        mr_camera camera = *part->content.camera;
        camera.path = path;
        return mr_array_push(context, &scene->cameras, camera) || no_memory(b, sizeof camera);
    }
    case MR_DATUM_SUN:
        return mr_array_push(context, &scene->suns, *part->content.sun) || no_memory(b, sizeof(mr_sun));
    default: {
        mr_light light = *part->content.light;
        float origin[3] = { 0 };
        light.path = path;
        mr_instance_to_world(part, origin, light.at);
        return mr_array_push(context, &scene->lights, light) || no_memory(b, sizeof light);
    }
    }
}

static bool push_footprint(mr_builder *b, mr_instance *part)
{
    mr_datum list;
    bool found;
    mr_place place;
    if (!mr_instance_option(b->ev, part, "footprint", &mr_type_list, &found, &list, &place)) {
        return false;
    }
    for (size_t i = 0; found && i < list.sequence->count; i++) {
        mr_datum one = list.sequence->items[i];
        if (one.kind != MR_DATUM_OUTLINE || one.outline->kind != MR_OUTLINE_RECT) {
            return mr_evaluator_fail_with(b->ev, MR_BAD_INPUT, place,
                                          "write footprint: [rect(x: a ..< b, z: c ..< d)]",
                                          "a footprint is a list of rectangles");
        }
        mr_plan_rectangle made = { .part = mr_build_text(b, mr_instance_path(b->ev, part)) };
        const float x[4] = { one.outline->x0, one.outline->x1, one.outline->x1, one.outline->x0 };
        const float z[4] = { one.outline->z0, one.outline->z0, one.outline->z1, one.outline->z1 };
        for (int k = 0; k < 4; k++) {
            float corner[3] = { x[k], 0, z[k] }, out[3];
            mr_instance_to_world(part, corner, out);
            made.corners[2 * k] = out[0];
            made.corners[2 * k + 1] = out[2];
        }
        if (!made.part || !mr_array_push(b->ev->context, &b->scene->footprints, made)) {
            return no_memory(b, sizeof made);
        }
    }
    return true;
}

static bool whole_model(mr_builder *b, mr_instance *part, const mr_look *look, uint32_t *model)
{
    uint32_t mesh;
    if (!mr_build_mesh(b, part, look, &mesh)) {
        return false;
    }
    char key[32];
    mr_text_format(key, sizeof key, "%u", mesh);
    uint64_t there;
    if (mr_map_find(&b->models, mr_view_of(key), &there)) {
        *model = (uint32_t)there;
        return true;
    }
    mr_model made = { .name = b->scene->meshes.items[mesh].name,
                      .pieces = mr_arena_take(&b->scene->arena, sizeof *made.pieces),
                      .piece_count = 1 };
    if (!made.pieces) {
        return no_memory(b, sizeof *made.pieces);
    }
    made.pieces[0] = (mr_model_piece){ .mesh = mesh, .transform = mr_transform_identity };
    *model = (uint32_t)b->scene->models.count;
    return (mr_array_push(b->ev->context, &b->scene->models, made) &&
            mr_map_put(&b->models, mr_view_of(key), *model)) ||
           no_memory(b, sizeof made);
}

static uint64_t path_id(const char *path)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_digest_text(&digester, mr_view_of(path));
    return mr_digest_end(&digester).low;
}

static bool push_entity(mr_builder *b, mr_instance *part, const mr_look *look, uint32_t parent,
                        uint32_t *entity)
{
    mr_entity made = { .path = mr_build_text(b, mr_instance_path(b->ev, part)),
                       .parent = parent,
                       .model = MR_NO_INDEX,
                       .hidden = look->hidden };
    if (!made.path) {
        return false;
    }
    made.id = path_id(made.path);
    memcpy(made.transform.translation, part->frame.at, sizeof part->frame.at);
    memcpy(made.transform.rotation, part->frame.turn, sizeof part->frame.turn);
    memcpy(made.transform.scale, part->frame.scale, sizeof part->frame.scale);
    bool drawn = part->content.kind == MR_DATUM_DATA && part->content.data->type == MR_GEOMETRY;
    if (drawn && !whole_model(b, part, look, &made.model)) {
        return false;
    }
    *entity = (uint32_t)b->scene->entities.count;
    return mr_array_push(b->ev->context, &b->scene->entities, made) || no_memory(b, sizeof made);
}

// Whether a value's expression is a scatter: such a field is computed although nothing reads it.
static bool is_scatter(const mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr)
{
    switch (expr->kind) {
    case MR_EXPR_CALL: {
        if (expr->a->kind != MR_EXPR_NAME || !mr_view_is(expr->a->text, "scatter")) {
            return false;
        }
        return mr_scope_find(scope, ev->file, expr->a->text).kind == MR_FOUND_BUILTIN;
    }
    case MR_EXPR_IF:
        return is_scatter(ev, scope, expr->b) || (expr->c && is_scatter(ev, scope, expr->c));
    case MR_EXPR_BLOCK:
        return expr->step_count > 0 && expr->steps[expr->step_count - 1].value &&
               is_scatter(ev, scope, expr->steps[expr->step_count - 1].value);
    default:
        return false;
    }
}

static bool build_fields(mr_builder *b, mr_layer *layer)
{
    mr_shape *shape = layer->shape;
    for (size_t i = 0; i < shape->members.count; i++) {
        mr_member *member = &shape->members.items[i];
        const mr_expr *value =
            member->kind == MR_MEMBER_FIELD ? (member->set ? member->set : member->decl->value) : NULL;
        if (!value || !is_scatter(b->ev, &layer->scope, value)) {
            continue;
        }
        mr_datum list;
        if (!mr_field_value(b->ev, layer, member, &list)) {
            return false;
        }
        if (list.kind == MR_DATUM_LIST && list.sequence->run && !mr_build_population(b, list.sequence->run)) {
            return false;
        }
    }
    return true;
}

static bool run_statements(mr_builder *b, const mr_group *group)
{
    for (size_t i = 0; i < group->statements.count; i++) {
        const mr_statement *statement = &group->statements.items[i];
        const mr_expr *call = statement->decl->value;
        mr_datum nothing;
        bool cap = call->a->kind == MR_EXPR_NAME && mr_view_is(call->a->text, "capGroup");
        if (!cap && !mr_evaluate(b->ev, statement->scope, call, NULL, &nothing)) {
            return false;
        }
    }
    return true;
}

static bool build_part(mr_builder *b, mr_instance *part, const mr_look *outer, uint32_t parent);

static bool build_groups(mr_builder *b, mr_layer *layer, const mr_look *look, uint32_t entity)
{
    for (size_t g = 0; g < layer->shape->groups.count; g++) {
        const mr_decl *decl = layer->shape->groups.items[g];
        const mr_shape *shape = decl->kind == MR_DECL_PART ? b->ev->shapes->by_decl[decl->id] : NULL;
        if (shape && shape->design) {
            continue;
        }
        if (!mr_instance_group(b->ev, layer, g) || !run_statements(b, &layer->groups[g])) {
            return false;
        }
        for (size_t i = 0; i < layer->groups[g].instances.count; i++) {
            if (!build_part(b, layer->groups[g].instances.items[i], look, entity)) {
                return false;
            }
        }
        if (!mr_keep_going(b->ev->context, b->ev->error)) {
            return false;
        }
    }
    return true;
}

static bool has_body(const mr_instance *part)
{
    return part->layers[0]->shape->groups.count > 0 || part->layers[0]->shape->members.count > 0;
}

static bool build_content(mr_builder *b, mr_instance *part)
{
    switch (part->content.kind) {
    case MR_DATUM_LAND:
        return push_ground(b, part, part->content.land);
    case MR_DATUM_CAMERA:
    case MR_DATUM_SUN:
    case MR_DATUM_LIGHT:
        return push_view(b, part);
    default:
        return true;
    }
}

static bool build_part(mr_builder *b, mr_instance *part, const mr_look *outer, uint32_t parent)
{
    if (!mr_instance_open(b->ev, part) || !mr_build_count(b, part, 1)) {
        return false;
    }
    if (part->content.kind == MR_DATUM_PLACED) {
        if (has_body(part)) {
            return mr_evaluator_fail_with(b->ev, MR_NOT_YET, part->layers[0]->shape->decl->place, NULL,
                                          "not yet: a placed thing with a body of its own");
        }
        return mr_build_placed(b, part);
    }
    mr_look look = *outer;
    uint32_t entity;
    if (!mr_instance_frame(b->ev, part) || !mr_build_look(b, part, &look) ||
        !push_entity(b, part, &look, parent, &entity) || !build_content(b, part) ||
        !push_footprint(b, part)) {
        return false;
    }
    for (uint32_t i = 0; i < part->layer_count; i++) {
        if (!build_fields(b, part->layers[i]) || !build_groups(b, part->layers[i], &look, entity)) {
            return false;
        }
    }
    return true;
}

static bool build_left_runs(mr_builder *b)
{
    for (size_t i = 0; i < b->ev->runs.count; i++) {
        if (!b->ev->runs.items[i]->written && !mr_build_population(b, b->ev->runs.items[i])) {
            return false;
        }
    }
    return true;
}

// The registry is sorted by file and so by name.
static bool build_nodes(mr_builder *b)
{
    for (size_t i = 0; i < mr_node_count(); i++) {
        const mr_node *node = mr_node_at(i);
        if (mr_node_set_has(&b->ev->nodes, i) &&
            !mr_array_push(b->ev->context, &b->scene->nodes, (mr_made_by){ node->name, node->version })) {
            return mr_fail_memory(b->ev->error, sizeof(mr_made_by));
        }
    }
    return true;
}

bool mr_build_world(mr_evaluator *ev, mr_scene *scene)
{
    mr_builder b = { .ev = ev, .scene = scene };
    mr_map_init(&b.meshes, ev->context);
    mr_map_init(&b.models, ev->context);
    mr_map_init(&b.families, ev->context);
    mr_look look = { .tint = { 1, 1, 1, 1 } };
    mr_layer *root = ev->root->layers[0];
    bool good = mr_instance_open(ev, ev->root) && mr_instance_frame(ev, ev->root) && build_fields(&b, root) &&
                build_groups(&b, root, &look, MR_NO_INDEX) && build_left_runs(&b) && build_nodes(&b);
    mr_map_destroy(&b.meshes);
    mr_map_destroy(&b.models);
    mr_map_destroy(&b.families);
    return good;
}
