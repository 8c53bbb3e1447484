// world/build_population.c: what a scatter placed, and the variants it placed, each grown once.

#include "world/build.h"

#include "num/hash.h"

// Placed kinds and variants, least first.
typedef struct grown {
    uint32_t kind;
    uint32_t variant;
} grown;

static bool is_before(grown a, grown b)
{
    return a.kind != b.kind ? a.kind < b.kind : a.variant < b.variant;
}

static void sort_grown(grown *items, grown *spare, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = low + width < count ? low + width : count;
            size_t high = middle + width < count ? middle + width : count;
            size_t a = low, c = middle;
            for (size_t out = low; out < high; out++) {
                bool left = c >= high || (a < middle && !is_before(items[c], items[a]));
                spare[out] = left ? items[a++] : items[c++];
            }
        }
        memcpy(items, spare, count * sizeof *items);
    }
}

static size_t distinct(grown *items, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || is_before(items[kept - 1], items[i])) {
            items[kept++] = items[i];
        }
    }
    return kept;
}

// What a design's variant is given: seed and variant where it has such fields, or the record its header states.
static bool variant_fields(mr_builder *b, mr_shape *shape, uint32_t variant, mr_design *given)
{
    mr_evaluator *ev = b->ev;
    const mr_argument *stated = NULL;
    for (size_t i = 0; i < shape->decl->option_count; i++) {
        if (mr_view_is(shape->decl->options[i].name, "variants")) {
            stated = &shape->decl->options[i];
        }
    }
    mr_datum records = { 0 };
    size_t count = 0;
    if (stated) {
        if (!mr_evaluate_as(ev, &ev->root->layers[0]->scope, stated->value, &mr_type_list, &records)) {
            return false;
        }
        if (variant >= records.sequence->count) {
            return mr_evaluator_fail(ev, stated->value->place,
                                     "%.*s states %zu variants, and variant %u is placed",
                                     MR_VIEW_ARGS(shape->name), records.sequence->count, variant);
        }
        records = records.sequence->items[variant];
        if (records.kind != MR_DATUM_RECORD) {
            return mr_evaluator_fail_with(ev, MR_BAD_INPUT, stated->value->place,
                                          "write variants: [(height: 9 m), (height: 12 m)]",
                                          "variants is a list of records");
        }
        count = records.sequence->count;
    }
    mr_view *names = mr_evaluator_take(ev, (count + 2) * sizeof *names);
    mr_datum *values = mr_evaluator_take(ev, (count + 2) * sizeof *values);
    mr_place *places = mr_evaluator_take(ev, (count + 2) * sizeof *places);
    if (!names || !values || !places) {
        return false;
    }
    *given = (mr_design){ .shape = shape, .names = names, .values = values, .places = places };
    for (size_t i = 0; i < count; i++) {
        names[i] = records.sequence->names[i];
        values[i] = records.sequence->items[i];
        places[i] = stated->value->place;
    }
    const struct {
        const char *name;
        int64_t value;
    } own[2] = { { "seed", mr_random(mr_name_hash(shape->name), variant) }, { "variant", variant } };
    for (size_t i = 0; i < 2; i++) {
        const mr_member *member = mr_shape_find(shape, mr_view_of(own[i].name));
        bool is_given = false;
        for (size_t k = 0; k < count; k++) {
            is_given |= mr_view_is(names[k], own[i].name);
        }
        if (member && member->kind == MR_MEMBER_FIELD && !member->decl->value && !is_given) {
            names[count] = member->name;
            values[count] = mr_datum_integer(own[i].value);
            places[count++] = member->place;
        }
    }
    given->count = count;
    return true;
}

typedef MR_ARRAY(mr_model_piece) piece_list;

static void turn_product(const float a[4], const float c[4], float out[4])
{
    float x = a[3] * c[0] + a[0] * c[3] + a[1] * c[2] - a[2] * c[1];
    float y = a[3] * c[1] - a[0] * c[2] + a[1] * c[3] + a[2] * c[0];
    float z = a[3] * c[2] + a[0] * c[1] - a[1] * c[0] + a[2] * c[3];
    float w = a[3] * c[3] - a[0] * c[0] - a[1] * c[1] - a[2] * c[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
}

// Where a part of a variant stands in the variant's frame.
static mr_transform piece_transform(const mr_instance *part)
{
    mr_transform made = mr_transform_identity;
    float origin[3] = { 0 };
    mr_instance_to_world(part, origin, made.translation);
    for (; part; part = part->parent) {
        turn_product(part->frame.turn, made.rotation, made.rotation);
        for (int i = 0; i < 3; i++) {
            made.scale[i] *= part->frame.scale[i];
        }
    }
    return made;
}

static bool gather_pieces(mr_builder *b, mr_instance *part, const mr_look *outer, piece_list *pieces)
{
    mr_evaluator *ev = b->ev;
    mr_look look = *outer;
    if (!mr_instance_open(ev, part) || !mr_instance_frame(ev, part) || !mr_build_look(b, part, &look)) {
        return false;
    }
    if (look.hidden) {
        return true;
    }
    if (part->content.kind == MR_DATUM_DATA && part->content.data->type == MR_GEOMETRY) {
        mr_model_piece piece = { .transform = piece_transform(part) };
        if (!mr_build_mesh(b, part, &look, &piece.mesh)) {
            return false;
        }
        if (!mr_array_push(ev->context, pieces, piece)) {
            return mr_fail_memory(ev->error, sizeof piece);
        }
    }
    for (uint32_t i = 0; i < part->layer_count; i++) {
        mr_layer *layer = part->layers[i];
        for (size_t g = 0; g < layer->shape->groups.count; g++) {
            if (!mr_instance_group(ev, layer, g)) {
                return false;
            }
            for (size_t k = 0; k < layer->groups[g].statements.count; k++) {
                const mr_statement *statement = &layer->groups[g].statements.items[k];
                mr_datum nothing;
                if (!mr_evaluate(ev, statement->scope, statement->decl->value, NULL, &nothing)) {
                    return false;
                }
            }
            for (size_t k = 0; k < layer->groups[g].instances.count; k++) {
                if (!gather_pieces(b, layer->groups[g].instances.items[k], &look, pieces)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool grow_variant(mr_builder *b, mr_shape *shape, uint32_t variant, uint32_t *model)
{
    mr_design given;
    mr_look look = { .tint = { 1, 1, 1, 1 } };
    piece_list pieces = { 0 };
    mr_model made = { 0 };
    char name[256];
    mr_instance *part =
        variant_fields(b, shape, variant, &given) ? mr_instance_of_design(b->ev, shape, &given) : NULL;
    bool good = part && gather_pieces(b, part, &look, &pieces);
    if (good) {
        mr_text_format(name, sizeof name, "%.*s#%u", MR_VIEW_ARGS(shape->name), variant);
        made.name = mr_build_text(b, name);
        made.pieces = mr_arena_take(&b->scene->arena, pieces.count * sizeof *made.pieces + 1);
        made.piece_count = pieces.count;
        good = made.name && made.pieces;
    }
    if (good) {
        if (pieces.count > 0) {
            memcpy(made.pieces, pieces.items, pieces.count * sizeof *made.pieces);
        }
        *model = (uint32_t)b->scene->models.count;
        good = mr_array_push(b->ev->context, &b->scene->models, made) ||
               mr_fail_memory(b->ev->error, sizeof made);
    }
    mr_array_free(b->ev->context, &pieces);
    return good;
}

static bool grow_variants(mr_builder *b, mr_run *run, mr_population *population)
{
    mr_context *context = b->ev->context;
    size_t bytes;
    if (!mr_size_multiply(run->item_count, 2 * sizeof(grown), &bytes)) {
        return mr_fail_memory(b->ev->error, run->item_count);
    }
    grown *items = mr_allocate(context, bytes + 1);
    if (!items) {
        return mr_fail_memory(b->ev->error, bytes);
    }
    for (size_t i = 0; i < run->item_count; i++) {
        items[i] = (grown){ run->items[i].kind, run->items[i].variant };
    }
    sort_grown(items, items + run->item_count, run->item_count);
    size_t count = distinct(items, run->item_count);
    population->models = mr_arena_take(&b->scene->arena, count * sizeof *population->models + 1);
    bool good = population->models != NULL || mr_fail_memory(b->ev->error, count);
    for (size_t i = 0; good && i < count; i++) {
        population->models[i].kind = items[i].kind;
        population->models[i].variant = items[i].variant;
        good =
            grow_variant(b, run->kinds.items[items[i].kind], items[i].variant, &population->models[i].model);
    }
    population->model_count = count;
    mr_free(context, items);
    return good;
}

static bool copy_items(mr_builder *b, const mr_run *run, mr_population *population)
{
    mr_arena *arena = &b->scene->arena;
    size_t keys = 0;
    for (size_t i = 0; i < run->item_count; i++) {
        keys += strlen(run->items[i].key) + 1;
    }
    population->items = mr_arena_take(arena, run->item_count * sizeof *population->items + 1);
    char *text = mr_arena_take(arena, keys + 1);
    if (!population->items || !text) {
        return mr_fail_memory(b->ev->error, run->item_count * sizeof *population->items);
    }
    population->item_count = run->item_count;
    for (size_t i = 0; i < run->item_count; i++) {
        population->items[i] = run->items[i];
        population->items[i].key = text;
        size_t size = strlen(run->items[i].key) + 1;
        memcpy(text, run->items[i].key, size);
        text += size;
    }
    return true;
}

static bool population_path(mr_builder *b, mr_run *run, mr_population *population)
{
    char path[2 * MR_PATH_SIZE];
    if (run->owner) {
        const char *owner = mr_instance_path(b->ev, run->owner);
        mr_text_format(path, sizeof path, owner[0] ? "%s.%.*s" : "%s%.*s", owner, MR_VIEW_ARGS(run->field));
    } else {
        mr_text_format(path, sizeof path, "scatter[%u]", b->unnamed++);
    }
    population->path = mr_build_text(b, path);
    return population->path != NULL;
}

bool mr_build_population(mr_builder *b, mr_run *run)
{
    if (run->written) {
        return true;
    }
    mr_arena *arena = &b->scene->arena;
    mr_population made = { .kind_count = (uint32_t)run->kinds.count,
                           .rule_count = (uint32_t)run->rule_count };
    made.kinds = mr_arena_take(arena, run->kinds.count * sizeof *made.kinds + 1);
    made.rules = mr_arena_take(arena, run->rule_count * sizeof *made.rules + 1);
    if (!made.kinds || !made.rules) {
        return mr_fail_memory(b->ev->error, run->rule_count * sizeof *made.rules);
    }
    for (size_t i = 0; i < run->kinds.count; i++) {
        made.kinds[i] = mr_build_text(b, run->kind_names.items[i]);
        if (!made.kinds[i]) {
            return false;
        }
    }
    for (size_t i = 0; i < run->rule_count; i++) {
        made.rules[i] = run->result.reports[i];
        made.rules[i].name = mr_build_text(b, run->rules[i].rule.name);
        if (!made.rules[i].name) {
            return false;
        }
    }
    if (!population_path(b, run, &made) || !copy_items(b, run, &made) || !grow_variants(b, run, &made)) {
        return false;
    }
    run->written = true;
    run->population = (uint32_t)b->scene->populations.count;
    return mr_array_push(b->ev->context, &b->scene->populations, made) ||
           mr_fail_memory(b->ev->error, sizeof made);
}

// `part tree[i]: thing, scale: 2`: the same item, with what is said of it.
bool mr_build_placed(mr_builder *b, mr_instance *part)
{
    const mr_decl *decl = part->layers[0]->shape->decl;
    if (decl->option_count == 0) {
        return true;
    }
    mr_run *run = part->content.run;
    if (!mr_build_population(b, run)) {
        return false;
    }
    mr_item *item = &b->scene->populations.items[run->population].items[part->content.index];
    for (size_t i = 0; i < decl->option_count; i++) {
        const mr_argument *option = &decl->options[i];
        const mr_scope *scope = &part->layers[0]->scope;
        mr_datum value;
        b->ev->subject = option->name;
        if (mr_view_is(option->name, "at")) {
            if (!mr_evaluate_as(b->ev, scope, option->value, &mr_type_spot, &value)) {
                return false;
            }
            item->x = value.spot->x;
            item->z = value.spot->z;
            item->y = item->height = value.spot->y;
        } else if (mr_view_is(option->name, "turn")) {
            if (!mr_evaluate_as(b->ev, scope, option->value, &mr_type_angle, &value)) {
                return false;
            }
            item->turn = value.number;
        } else if (mr_view_is(option->name, "scale")) {
            if (!mr_evaluate_as(b->ev, scope, option->value, &mr_type_number, &value)) {
                return false;
            }
            item->size = item->size * value.number;
        } else if (mr_view_is(option->name, "hidden")) {
            if (!mr_evaluate_as(b->ev, scope, option->value, &mr_type_bool, &value)) {
                return false;
            }
            item->hidden = value.boolean;
        } else if (!mr_view_is(option->name, "clearance")) {
            return mr_evaluator_fail_with(b->ev, MR_NOT_YET, option->place, NULL,
                                          "not yet: a placed thing's own %.*s", MR_VIEW_ARGS(option->name));
        }
        b->ev->subject = (mr_view){ 0 };
    }
    return true;
}
