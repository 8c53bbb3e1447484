#include "capture/map_symbol.h"

#include "base/map.h"

#include <string.h>

typedef struct look {
    const char *word; // part of the kind's name, in small letters
    mr_map_symbol symbol;
    uint32_t color;
} look;

// The first word that a kind's name holds says how it looks.
static const look looks[] = {
    { "pine", MR_MAP_CONIFER, 0x2f6242 },   { "spruce", MR_MAP_CONIFER, 0x2b5a4a },
    { "fir", MR_MAP_CONIFER, 0x356a4c },    { "conifer", MR_MAP_CONIFER, 0x2f6242 },
    { "cedar", MR_MAP_CONIFER, 0x3c6a50 },  { "hemlock", MR_MAP_CONIFER, 0x335f47 },
    { "larch", MR_MAP_CONIFER, 0x5f7f3f },  { "specimen", MR_MAP_TREE, 0xa1502f },
    { "maple", MR_MAP_TREE, 0xb9682f },     { "oak", MR_MAP_TREE, 0x66833a },
    { "birch", MR_MAP_TREE, 0x9aae55 },     { "beech", MR_MAP_TREE, 0x7a8f3c },
    { "hickory", MR_MAP_TREE, 0x8f8f3a },   { "poplar", MR_MAP_TREE, 0x87a348 },
    { "willow", MR_MAP_TREE, 0x8fa860 },    { "alder", MR_MAP_TREE, 0x5f7d45 },
    { "palm", MR_MAP_TREE, 0x6d9a4a },      { "tree", MR_MAP_TREE, 0x66833a },
    { "rock", MR_MAP_ROCK, 0x8d8a86 },      { "stone", MR_MAP_ROCK, 0x9a968e },
    { "boulder", MR_MAP_ROCK, 0x7f7c79 },   { "edging", MR_MAP_ROCK, 0xaaa498 },
    { "pebble", MR_MAP_ROCK, 0xa39c92 },    { "cairn", MR_MAP_ROCK, 0x77736e },
    { "crag", MR_MAP_ROCK, 0x6f6c6a },      { "flower", MR_MAP_FLOWER, 0xc8508a },
    { "heather", MR_MAP_FLOWER, 0x9a5a9a }, { "rose", MR_MAP_FLOWER, 0xc44a5a },
    { "fern", MR_MAP_SHRUB, 0x5d9a4a },     { "hosta", MR_MAP_SHRUB, 0x7fb56a },
    { "shrub", MR_MAP_SHRUB, 0x6a8f4a },    { "bush", MR_MAP_SHRUB, 0x5f8a45 },
    { "tuft", MR_MAP_SHRUB, 0x93b05a },     { "grass", MR_MAP_SHRUB, 0x93b05a },
    { "meadow", MR_MAP_SHRUB, 0xa3b55f },   { "reed", MR_MAP_SHRUB, 0xa8a050 },
    { "thistle", MR_MAP_FLOWER, 0x8a5fb0 }, { "lantern", MR_MAP_LIGHT, 0xf2b632 },
    { "lamp", MR_MAP_LIGHT, 0xf2b632 },     { "light", MR_MAP_LIGHT, 0xf2b632 },
    { "fire", MR_MAP_LIGHT, 0xe8742c },
};

// For kinds nobody knows, in the order they come.
static const uint32_t palette[] = { 0xc0504d, 0x4f6fb0, 0xd98c2b, 0x7a5aa6, 0x2f8f8a,
                                    0xa8447c, 0x6b6f2a, 0x3f7fbf, 0xb5673a, 0x58585c };

static bool holds_word(const char *name, const char *word)
{
    size_t length = strlen(word);
    for (; *name; name++) {
        size_t i = 0;
        while (i < length && (name[i] | 0x20) == word[i]) {
            i++;
        }
        if (i == length) {
            return true;
        }
    }
    return false;
}

static void choose_look(mr_map_kind *kind, size_t *unknown)
{
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        if (holds_word(kind->name, looks[i].word)) {
            kind->symbol = looks[i].symbol;
            kind->color = looks[i].color;
            return;
        }
    }
    kind->symbol = MR_MAP_OBJECT;
    kind->color = palette[(*unknown)++ % (sizeof palette / sizeof palette[0])];
}

typedef struct gatherer {
    mr_context *context;
    const mr_scene *scene;
    mr_map_things *out;
    mr_map names;        // of kinds
    float *model_radius; // of each model, metres at size 1; below 0 where it has no points
    size_t unknown;
} gatherer;

static bool kind_of_name(gatherer *g, mr_view name, bool part, uint32_t *kind, mr_error *error)
{
    uint64_t found;
    if (mr_map_find(&g->names, name, &found)) {
        *kind = (uint32_t)found;
        return true;
    }
    mr_map_kind made = { .part = part };
    made.name = mr_arena_text(&g->out->arena, name.data, name.size);
    *kind = (uint32_t)g->out->kinds.count;
    if (!made.name || !mr_map_put(&g->names, name, *kind)) {
        return mr_fail_memory(error, name.size);
    }
    choose_look(&made, &g->unknown);
    return mr_array_push(g->context, &g->out->kinds, made) || mr_fail_memory(error, sizeof made);
}

static bool add_thing(gatherer *g, float x, float z, float radius, uint32_t kind, mr_error *error)
{
    if (!__builtin_isfinite(x) || !__builtin_isfinite(z) || !__builtin_isfinite(radius)) {
        return true;
    }
    mr_map_thing thing = { x, z, radius > 0 ? radius : 0.25f, kind };
    mr_map_kind *of = &g->out->kinds.items[kind];
    of->first = of->count == 0 ? (uint32_t)g->out->things.count : of->first;
    of->count++;
    of->radius += (double)thing.radius; // the sum, until all are there
    return mr_array_push(g->context, &g->out->things, thing) || mr_fail_memory(error, sizeof thing);
}

// Half the greater side of the box a model's points stand in, on the plan. A piece's own turn is passed over.
static float radius_of_model(const mr_scene *scene, const mr_model *model)
{
    float radius = -1;
    for (size_t p = 0; p < model->piece_count; p++) {
        const mr_model_piece *piece = &model->pieces[p];
        float low[3];
        float high[3];
        const mr_mesh *mesh = piece->mesh < scene->meshes.count ? &scene->meshes.items[piece->mesh] : NULL;
        if (!mesh || !mesh->geometry || !mr_geometry_bounds(mesh->geometry, low, high)) {
            continue;
        }
        for (int axis = 0; axis < 3; axis += 2) {
            float half = (high[axis] - low[axis]) / 2 * piece->transform.scale[axis];
            half = half < 0 ? -half : half;
            radius = half > radius ? half : radius;
        }
    }
    return radius;
}

static bool gather_population(gatherer *g, const mr_population *population, mr_error *error)
{
    uint32_t *kinds = mr_arena_take(&g->out->arena, (population->kind_count + 1) * sizeof *kinds);
    float *radii = mr_arena_take(&g->out->arena, (population->kind_count + 1) * sizeof *radii);
    if (!kinds || !radii) {
        return mr_fail_memory(error, population->kind_count * sizeof *kinds);
    }
    for (uint32_t k = 0; k < population->kind_count; k++) {
        if (!kind_of_name(g, mr_view_of(population->kinds[k]), false, &kinds[k], error)) {
            return false;
        }
        // The variants of a kind differ little; the first stands for all.
        radii[k] = -1;
        for (size_t m = 0; m < population->model_count && radii[k] < 0; m++) {
            if (population->models[m].kind == k && population->models[m].model < g->scene->models.count) {
                radii[k] = g->model_radius[population->models[m].model];
            }
        }
    }
    for (size_t i = 0; i < population->item_count; i++) {
        const mr_item *item = &population->items[i];
        if (item->kind >= population->kind_count) {
            continue;
        }
        float radius = radii[item->kind] >= 0 ? radii[item->kind] * item->size : item->room;
        if (!add_thing(g, item->x, item->z, radius, kinds[item->kind], error)) {
            return false;
        }
    }
    return true;
}

// v turned by q.
static void turn(const float q[4], double v[3])
{
    double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    double cx = y * v[2] - z * v[1] + w * v[0];
    double cy = z * v[0] - x * v[2] + w * v[1];
    double cz = x * v[1] - y * v[0] + w * v[2];
    v[0] += 2 * (y * cz - z * cy);
    v[1] += 2 * (z * cx - x * cz);
    v[2] += 2 * (x * cy - y * cx);
}

// Where an entity stands in the world and by how much it is scaled; false where it, or what it stands in, is hidden.
static bool stand(const mr_scene *scene, size_t entity, double at[3], double *scale)
{
    at[0] = at[1] = at[2] = 0;
    *scale = 1;
    size_t steps = 0;
    for (uint32_t up = (uint32_t)entity; up != MR_NO_INDEX; up = scene->entities.items[up].parent) {
        if (up >= scene->entities.count || ++steps > scene->entities.count ||
            scene->entities.items[up].hidden) {
            return false;
        }
        const mr_transform *t = &scene->entities.items[up].transform;
        for (int i = 0; i < 3; i++) {
            at[i] *= (double)t->scale[i];
        }
        turn(t->rotation, at);
        for (int i = 0; i < 3; i++) {
            at[i] += (double)t->translation[i];
        }
        *scale *= (double)(t->scale[0] > t->scale[2] ? t->scale[0] : t->scale[2]);
    }
    return true;
}

// "island.lantern[3]" is of the kind "lantern".
static mr_view family_of(const char *path)
{
    mr_view name = mr_view_of(path);
    size_t depth = 0;
    size_t end = name.size;
    size_t begin = 0;
    for (size_t i = name.size; i-- > 0;) {
        char c = name.data[i];
        if (c == ']') {
            depth++;
        } else if (c == '[' && depth > 0) {
            depth--;
            end = depth == 0 ? i : end;
        } else if (c == '.' && depth == 0) {
            begin = i + 1;
            break;
        }
    }
    return (mr_view){ name.data + begin, end > begin ? end - begin : 0 };
}

// What a person would point at: the outermost part that stands somewhere of its own. One that only holds others has no place
// and is passed over.
static size_t whole_of(const mr_scene *scene, size_t at)
{
    const mr_entity *entities = scene->entities.items;
    for (size_t steps = 0; steps < scene->entities.count; steps++) {
        uint32_t parent = entities[at].parent;
        if (parent >= scene->entities.count) {
            break;
        }
        const float *place = entities[parent].transform.translation;
        bool holder = place[0] == 0 && place[1] == 0 && place[2] == 0;
        if (holder && entities[parent].model >= scene->models.count) {
            break;
        }
        at = parent;
    }
    return at;
}

// How far each whole reaches from its place, by its pieces; below 0 where it has none.
static void measure_wholes(const gatherer *g, float *reach)
{
    for (size_t i = 0; i < g->scene->entities.count; i++) {
        reach[i] = -1;
    }
    for (size_t i = 0; i < g->scene->entities.count; i++) {
        const mr_entity *entity = &g->scene->entities.items[i];
        double at[3];
        double middle[3];
        double scale;
        double ignored;
        size_t whole = whole_of(g->scene, i);
        if (entity->model >= g->scene->models.count || g->model_radius[entity->model] < 0 ||
            !stand(g->scene, i, at, &scale) || !stand(g->scene, whole, middle, &ignored)) {
            continue;
        }
        double dx = at[0] - middle[0];
        double dz = at[2] - middle[2];
        float far =
            (float)(__builtin_sqrt(dx * dx + dz * dz) + (double)g->model_radius[entity->model] * scale);
        reach[whole] = far > reach[whole] ? far : reach[whole];
    }
}

static bool add_wholes(gatherer *g, const float *reach, mr_error *error)
{
    for (size_t i = 0; i < g->scene->entities.count; i++) {
        double at[3];
        double scale;
        uint32_t kind;
        if (reach[i] < 0 || !stand(g->scene, i, at, &scale)) {
            continue;
        }
        if (!kind_of_name(g, family_of(g->scene->entities.items[i].path), true, &kind, error) ||
            !add_thing(g, (float)at[0], (float)at[2], reach[i], kind, error)) {
            return false;
        }
    }
    return true;
}

static bool gather_entities(gatherer *g, mr_error *error)
{
    float *reach = mr_allocate(g->context, (g->scene->entities.count + 1) * sizeof *reach);
    if (!reach) {
        return mr_fail_memory(error, g->scene->entities.count * sizeof *reach);
    }
    measure_wholes(g, reach);
    bool good = add_wholes(g, reach, error);
    mr_free(g->context, reach);
    return good;
}

// Kinds by falling radius (ties by number), then the things of each as they come: a counting sort.
static bool sort_things(mr_map_things *things, mr_error *error)
{
    size_t kinds = things->kinds.count;
    uint32_t *rank = mr_arena_take(&things->arena, (kinds + 1) * sizeof *rank);
    size_t *begin = mr_arena_take(&things->arena, (kinds + 2) * sizeof *begin);
    things->order = mr_allocate(things->context, (things->things.count + 1) * sizeof *things->order);
    if (!rank || !begin || !things->order) {
        return mr_fail_memory(error, things->things.count * sizeof *things->order);
    }
    for (size_t k = 0; k < kinds; k++) {
        for (size_t other = 0; other < kinds; other++) {
            double a = things->kinds.items[other].radius;
            double b = things->kinds.items[k].radius;
            rank[k] += a > b || (a == b && other < k);
        }
    }
    for (size_t k = 0; k < kinds; k++) {
        begin[rank[k] + 1] = things->kinds.items[k].count;
    }
    for (size_t r = 0; r < kinds; r++) {
        begin[r + 1] += begin[r];
    }
    for (size_t i = 0; i < things->things.count; i++) {
        things->order[begin[rank[things->things.items[i].kind]]++] = (uint32_t)i;
    }
    return true;
}

static bool gather(gatherer *g, mr_error *error)
{
    g->model_radius = mr_allocate(g->context, (g->scene->models.count + 1) * sizeof *g->model_radius);
    if (!g->model_radius) {
        return mr_fail_memory(error, g->scene->models.count * sizeof *g->model_radius);
    }
    for (size_t i = 0; i < g->scene->models.count; i++) {
        g->model_radius[i] = radius_of_model(g->scene, &g->scene->models.items[i]);
    }
    for (size_t i = 0; i < g->scene->populations.count; i++) {
        if (!gather_population(g, &g->scene->populations.items[i], error)) {
            return false;
        }
    }
    if (!gather_entities(g, error)) {
        return false;
    }
    for (size_t k = 0; k < g->out->kinds.count; k++) {
        mr_map_kind *kind = &g->out->kinds.items[k];
        kind->radius = kind->count > 0 ? kind->radius / (double)kind->count : 0;
    }
    return sort_things(g->out, error);
}

bool mr_map_things_gather(mr_context *context, const mr_scene *scene, mr_map_things *things, mr_error *error)
{
    memset(things, 0, sizeof *things);
    things->context = context;
    mr_arena_init(&things->arena, context);
    gatherer g = { .context = context, .scene = scene, .out = things };
    mr_map_init(&g.names, context);
    bool good = gather(&g, error);
    mr_map_destroy(&g.names);
    mr_free(context, g.model_radius);
    if (!good) {
        mr_map_things_free(things);
    }
    return good;
}

void mr_map_things_free(mr_map_things *things)
{
    mr_array_free(things->context, &things->kinds);
    mr_array_free(things->context, &things->things);
    mr_free(things->context, things->order);
    things->order = NULL;
    mr_arena_destroy(&things->arena);
}

// --- Drawing ---

static mr_map_color toward(uint32_t color, uint32_t other, float t, float alpha)
{
    mr_map_color a = mr_map_rgb(color, alpha);
    mr_map_color b = mr_map_rgb(other, 1);
    return (mr_map_color){ a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, alpha };
}

static const mr_map_point compass[8] = {
    { 1, 0 },  { 0.7071f, 0.7071f },   { 0, 1 },  { -0.7071f, 0.7071f },
    { -1, 0 }, { -0.7071f, -0.7071f }, { 0, -1 }, { 0.7071f, -0.7071f }
};

static void draw_crown(mr_map_canvas *canvas, const mr_map_kind *kind, float x, float y, float r)
{
    mr_map_disc(canvas, x + 0.16f * r, y + 0.2f * r, r, mr_map_rgb(0x101820, 0.26f));
    mr_map_disc(canvas, x, y, r, toward(kind->color, 0x10201a, 0.45f, 0.96f));
    mr_map_disc(canvas, x, y, r - (r > 9 ? 1.3f : 0.9f), toward(kind->color, 0xffffff, 0.04f, 1));
    mr_map_disc(canvas, x - 0.24f * r, y - 0.26f * r, 0.5f * r, toward(kind->color, 0xfff6d0, 0.35f, 0.5f));
    if (kind->symbol == MR_MAP_CONIFER && r >= 5) {
        for (int i = 0; i < 8; i++) {
            mr_map_line(canvas, x + compass[i].x * 0.15f * r, y + compass[i].y * 0.15f * r,
                        x + compass[i].x * 0.8f * r, y + compass[i].y * 0.8f * r, r > 9 ? 1.2f : 0.9f,
                        toward(kind->color, 0x06140e, 0.55f, 0.7f));
        }
    }
}

static void draw_rock(mr_map_canvas *canvas, const mr_map_kind *kind, float x, float y, float r)
{
    static const mr_map_point shape[6] = { { 0.95f, 0.1f },   { 0.5f, 0.8f },   { -0.4f, 0.85f },
                                           { -0.95f, 0.15f }, { -0.5f, -0.8f }, { 0.55f, -0.7f } };
    mr_map_point outer[6];
    mr_map_point inner[6];
    mr_map_point cast[6];
    float rim = r > 4 ? 1.1f : 0.8f;
    for (int i = 0; i < 6; i++) {
        outer[i] = (mr_map_point){ x + shape[i].x * r, y + shape[i].y * r };
        cast[i] = (mr_map_point){ outer[i].x + 0.18f * r, outer[i].y + 0.22f * r };
        inner[i] = (mr_map_point){ x + shape[i].x * (r - rim), y + shape[i].y * (r - rim) };
    }
    mr_map_convex(canvas, cast, 6, mr_map_rgb(0x101820, 0.25f));
    mr_map_convex(canvas, outer, 6, toward(kind->color, 0x202020, 0.6f, 1));
    mr_map_convex(canvas, inner, 6, mr_map_rgb(kind->color, 1));
    mr_map_point facet[3] = { inner[4], inner[5], { x + 0.1f * r, y + 0.05f * r } };
    mr_map_convex(canvas, facet, 3, toward(kind->color, 0xffffff, 0.4f, 1));
}

static void draw_flower(mr_map_canvas *canvas, const mr_map_kind *kind, float x, float y, float r)
{
    static const mr_map_point petals[5] = {
        { 0, -1 }, { 0.951f, -0.309f }, { 0.588f, 0.809f }, { -0.588f, 0.809f }, { -0.951f, -0.309f }
    };
    for (int i = 0; i < 5; i++) {
        mr_map_disc(canvas, x + petals[i].x * 0.58f * r, y + petals[i].y * 0.58f * r, 0.44f * r,
                    toward(kind->color, 0x301020, 0.35f, 1));
    }
    for (int i = 0; i < 5; i++) {
        mr_map_disc(canvas, x + petals[i].x * 0.56f * r, y + petals[i].y * 0.56f * r, 0.44f * r - 0.6f,
                    mr_map_rgb(kind->color, 1));
    }
    mr_map_disc(canvas, x, y, 0.32f * r, mr_map_rgb(0xf7d65a, 1));
}

static void draw_light(mr_map_canvas *canvas, const mr_map_kind *kind, float x, float y, float r)
{
    mr_map_disc(canvas, x, y, 2.1f * r, mr_map_rgb(0xffe9a0, 0.35f));
    mr_map_disc(canvas, x, y, r, mr_map_rgb(0x4a3410, 1));
    mr_map_disc(canvas, x, y, r - (r > 4 ? 1.3f : 0.9f), mr_map_rgb(kind->color, 1));
    mr_map_disc(canvas, x - 0.15f * r, y - 0.2f * r, 0.35f * r, mr_map_rgb(0xfffbe0, 0.9f));
}

static void draw_object(mr_map_canvas *canvas, const mr_map_kind *kind, float x, float y, float r)
{
    mr_map_disc(canvas, x + 0.16f * r, y + 0.2f * r, r, mr_map_rgb(0x101820, 0.25f));
    mr_map_disc(canvas, x, y, r, toward(kind->color, 0x101010, 0.55f, 1));
    mr_map_disc(canvas, x, y, r - (r > 6 ? 1.4f : 1.0f), mr_map_rgb(kind->color, 1));
    mr_map_disc(canvas, x, y, 0.3f * r, mr_map_rgb(0xffffff, 0.85f));
}

void mr_map_symbol_draw(mr_map_canvas *canvas, const mr_map_kind *kind, float x, float y, float radius)
{
    if (radius < 1.7f) {
        mr_map_disc(canvas, x, y, radius, toward(kind->color, 0x000000, 0.1f, 0.92f));
        return;
    }
    if (radius < 3) {
        mr_map_disc(canvas, x, y, radius, toward(kind->color, 0x101010, 0.5f, 0.95f));
        mr_map_disc(canvas, x - 0.1f, y - 0.1f, radius - 0.8f, mr_map_rgb(kind->color, 1));
        return;
    }
    switch (kind->symbol) {
    case MR_MAP_CONIFER:
    case MR_MAP_TREE:
    case MR_MAP_SHRUB:
        draw_crown(canvas, kind, x, y, radius);
        break;
    case MR_MAP_ROCK:
        draw_rock(canvas, kind, x, y, radius);
        break;
    case MR_MAP_FLOWER:
        draw_flower(canvas, kind, x, y, radius);
        break;
    case MR_MAP_LIGHT:
        draw_light(canvas, kind, x, y, radius);
        break;
    case MR_MAP_OBJECT:
        draw_object(canvas, kind, x, y, radius);
        break;
    }
}
