#include "world/world.h"

#include "base/context.h"
#include "base/file.h"
#include "world/build.h"
#include "world/check.h"

struct mr_world_source {
    mr_context *context;
    char folder[MR_PATH_SIZE];
    mr_world_source_config config;
    mr_diagnostics diagnostics;
    mr_file *file;
    mr_shapes shapes;
    mr_file **set_files; // one a set: its value lives there
    size_t set_count;
};

mr_world_source_config mr_world_source_config_default(void)
{
    return (mr_world_source_config){ .elements = 16u << 20, .depth = 400 };
}

void mr_world_source_destroy(mr_world_source *world)
{
    if (!world) {
        return;
    }
    mr_context *context = world->context;
    mr_shapes_destroy(context, &world->shapes);
    for (size_t i = 0; i < world->set_count; i++) {
        mr_file_destroy(world->set_files[i]);
    }
    mr_free(context, world->set_files);
    mr_file_destroy(world->file);
    mr_diagnostics_destroy(&world->diagnostics);
    mr_free(context, world);
}

const mr_file *mr_world_source_file(const mr_world_source *world)
{
    return world->file;
}

const mr_diagnostics *mr_world_source_diagnostics(const mr_world_source *world)
{
    return &world->diagnostics;
}

bool mr_world_source_good(const mr_world_source *world)
{
    return world->diagnostics.errors == 0;
}

void mr_world_source_print(const mr_world_source *world, mr_text *out)
{
    size_t count = world->diagnostics.list.count;
    for (size_t i = 0; i < count; i++) {
        mr_diagnostic_print(out, &world->diagnostics.list.items[i], world->file);
    }
    size_t more = world->diagnostics.errors + world->diagnostics.warnings - count;
    if (more > 0) {
        mr_text_print(out, "%s: %zu more message%s like these\n", world->file->path, more,
                      more > 1 ? "s" : "");
    }
}

// A path's member: of the last name a field, of those before it parts. NULL where there is none; then *shape is the last
// that was found, and *rest the name that it has not and what stands behind it.
static mr_member *follow_field(mr_shape **shape, const char **rest)
{
    for (;;) {
        const char *dot = strchr(*rest, '.');
        mr_view name = { *rest, dot ? (size_t)(dot - *rest) : strlen(*rest) };
        mr_member *member = mr_shape_find(*shape, name);
        if (!dot) {
            return member && member->kind == MR_MEMBER_FIELD ? member : NULL;
        }
        if (!member || member->kind != MR_MEMBER_PART || !member->shape) {
            return NULL;
        }
        *shape = member->shape;
        *rest = dot + 1;
    }
}

static size_t names_of(const mr_shape *shape, mr_member_kind kind, size_t count, char texts[][48],
                       const char **names)
{
    size_t found = 0;
    for (size_t i = 0; i < shape->members.count && found < count; i++) {
        const mr_member *member = &shape->members.items[i];
        if (member->kind == kind && member->name.size < sizeof texts[0]) {
            mr_text_format(texts[found], sizeof texts[0], "%.*s", MR_VIEW_ARGS(member->name));
            names[found] = texts[found];
            found++;
        }
    }
    return found;
}

// What a wrong path may have meant: a name nearly the same where it goes wrong; the field of that name in another part;
// else what fields there are.
static void hint_at_field(const mr_shapes *shapes, const mr_shape *shape, const char *rest, char *hint,
                          size_t size)
{
    enum { MOST = 64 };
    char texts[MOST][48];
    const char *names[MOST];
    char path[MR_PATH_SIZE];
    char wanted[48];
    const char *dot = strchr(rest, '.');
    const mr_member *part = mr_shape_find(shape, mr_view_of(rest));
    if (part && part->kind == MR_MEMBER_PART && part->shape) {
        shape = part->shape; // a part's own name: one of its fields was meant
        rest = "";
    }
    size_t count = names_of(shape, dot ? MR_MEMBER_PART : MR_MEMBER_FIELD, MOST, texts, names);
    mr_text_format(wanted, sizeof wanted, "%.*s", (int)strcspn(rest, "."), rest);
    const char *near = mr_nearest_name(wanted, names, count);
    mr_shape_path(shape, path, sizeof path);
    const char *between = path[0] ? "." : "";
    if (near) {
        mr_text_format(hint, size, "did you mean %s%s%s%s?", path, between, near, dot ? dot : "");
        return;
    }
    for (const mr_shape *other = shapes->all; other && !dot && *rest; other = other->next) {
        const mr_member *member = mr_shape_find(other, mr_view_of(rest));
        mr_shape_path(other, path, sizeof path);
        if (member && member->kind == MR_MEMBER_FIELD && path[0]) {
            mr_text_format(hint, size, "did you mean %s.%s?", path, rest);
            return;
        }
    }
    mr_shape_path(shape, path, sizeof path);
    count = names_of(shape, MR_MEMBER_FIELD, 8, texts, names);
    size_t used =
        mr_text_format(hint, size, count ? "fields there are: " : "write the field's path, PART.FIELD");
    for (size_t i = 0; i < count && used < size; i++) {
        used += mr_text_format(hint + used, size - used, "%s%s%s%s", i ? ", " : "", path, between, names[i]);
    }
}

// The value is parsed as that of a field; its expression ids would meet the file's, so it is read as ids behind them.
static bool set_field(mr_world_source *world, const mr_setting *set, mr_error *error)
{
    char where[MR_PATH_SIZE];
    mr_text_format(where, sizeof where, "--set %s", set->field);
    mr_shape *shape = world->shapes.root;
    const char *rest = set->field;
    mr_member *member = follow_field(&shape, &rest);
    if (!member) {
        char hint[MR_HINT_SIZE];
        hint_at_field(&world->shapes, shape, rest, hint, sizeof hint);
        mr_diagnose(&world->diagnostics, MR_ERROR, where, (mr_place){ 0 }, hint, "the world has no field %s",
                    set->field);
        return true;
    }
    mr_text text;
    mr_text_init(&text, world->context);
    mr_text_print(&text, "field value = %s\n", set->value);
    mr_file *made = NULL;
    bool good = mr_text_finish(&text, error) &&
                mr_file_parse_from(world->context, where, (mr_view){ text.data, text.size },
                                   world->file->expr_count, &world->diagnostics, &made, error);
    mr_text_destroy(&text);
    if (!good) {
        return false;
    }
    world->file->expr_count = made->expr_count;
    world->set_files[world->set_count++] = made;
    if (made->decl_count == 1 && made->decls[0]->kind == MR_DECL_FIELD) {
        member->set = made->decls[0]->value;
        member->set_path = made->path;
    } else if (mr_world_source_good(world)) {
        mr_diagnose(&world->diagnostics, MR_ERROR, where, (mr_place){ 0 }, NULL,
                    "one value is asked for, not %s", set->value);
    }
    return true;
}

static bool open_rest(mr_world_source *world, mr_view text, const char *path, mr_error *error)
{
    if (!mr_path_folder(world->folder, path, error) ||
        !mr_file_parse(world->context, path, text, &world->diagnostics, &world->file, error) ||
        !mr_shapes_create(world->context, world->file, &world->diagnostics, &world->shapes, error)) {
        return false;
    }
    size_t bytes = (world->config.set_count + 1) * sizeof *world->set_files;
    world->set_files = mr_allocate_zeroed(world->context, bytes);
    if (!world->set_files) {
        return mr_fail_memory(error, bytes);
    }
    for (size_t i = 0; i < world->config.set_count; i++) {
        if (!set_field(world, &world->config.sets[i], error)) {
            return false;
        }
    }
    return mr_check(world->context, &world->shapes, world->file, world->folder, world->config.loader,
                    &world->diagnostics, error);
}

bool mr_world_source_open_text(mr_context *context, const char *path, mr_view text,
                               const mr_world_source_config *config, mr_world_source **world, mr_error *error)
{
    mr_entry entry;
    mr_enter(context, &entry);
    mr_world_source *made = mr_allocate_zeroed(context, sizeof *made);
    bool good = made || mr_fail_memory(error, sizeof *made);
    if (made) {
        made->context = context;
        made->config = config ? *config : mr_world_source_config_default();
        mr_diagnostics_init(&made->diagnostics, context);
        good = open_rest(made, text, path, error);
        if (good) {
            *world = made;
        } else {
            mr_world_source_destroy(made);
        }
    }
    mr_leave(&entry);
    return good;
}

enum { LARGEST_WORLD = 64 << 20 };

bool mr_world_source_open(mr_context *context, const char *path, const mr_world_source_config *config,
                          mr_world_source **world, mr_error *error)
{
    char *bytes;
    size_t size;
    if (!mr_file_read(context, path, LARGEST_WORLD, &bytes, &size, error)) {
        return false;
    }
    bool good = mr_world_source_open_text(context, path, (mr_view){ bytes, size }, config, world, error);
    mr_free(context, bytes);
    return good;
}

static const char *world_name(const mr_world_source *world, mr_scene *scene)
{
    const char *slash = strrchr(world->file->path, '/');
    const char *name = slash ? slash + 1 : world->file->path;
    const char *dot = strrchr(name, '.');
    return mr_arena_text(&scene->arena, name, dot ? (size_t)(dot - name) : strlen(name));
}

mr_evaluator *mr_world_evaluator(mr_world_source *world, mr_error *error)
{
    mr_world_limits limits = { world->config.elements, world->config.depth, world->config.steps };
    mr_evaluator *ev;
    return mr_evaluator_create(world->context, &world->shapes, world->file, world->folder,
                               world->config.loader, limits, &world->diagnostics, &ev, error)
               ? ev
               : NULL;
}

static bool build(mr_world_source *world, mr_scene **scene, mr_error *error)
{
    mr_error unused;
    if (!error) {
        error = &unused;
    }
    *error = (mr_error){ 0 };
    if (!mr_world_source_good(world)) {
        return mr_fail(error, MR_BAD_INPUT, "%s has %zu error%s", world->file->path,
                       world->diagnostics.errors, world->diagnostics.errors == 1 ? "" : "s");
    }
    mr_scene *made = mr_scene_create(world->context, error);
    if (!made) {
        return false;
    }
    made->name = world_name(world, made);
    bool good = made->name || mr_fail_memory(error, MR_PATH_SIZE);
    mr_evaluator *ev = good ? mr_world_evaluator(world, error) : NULL;
    good = ev != NULL;
    if (good) {
        good = mr_build_world(ev, made);
        mr_evaluator_destroy(ev);
    }
    if (good) {
        *scene = made;
    } else {
        mr_scene_destroy(made);
    }
    return good;
}

bool mr_world_source_build(mr_world_source *world, mr_scene **scene, mr_error *error)
{
    mr_entry entry;
    mr_enter(world->context, &entry);
    bool good = build(world, scene, error);
    mr_leave(&entry);
    return good;
}

static void write_signature(const mr_builtin *builtin, char *out, size_t size)
{
    size_t used = mr_text_format(out, size, "%s", builtin->name);
    if (builtin->property || used >= size) {
        return;
    }
    used += mr_text_format(out + used, size - used, "(");
    for (size_t i = 0; i < MR_PARAM_MAX && builtin->params[i].name && used < size; i++) {
        const mr_param_spec *param = &builtin->params[i];
        bool optional = (param->flags & MR_PARAM_OPTIONAL) != 0;
        used += mr_text_format(out + used, size - used, "%s%s%s%s", i ? ", " : "", param->name,
                               param->flags & MR_PARAM_REST ? "..." : "", optional ? "?" : "");
    }
    if (used < size) {
        mr_text_format(out + used, size - used, ")");
    }
}

void mr_world_functions(void (*visit)(void *self, const char *home, const char *signature, const char *doc),
                        void *self)
{
    static const char *const homes[MR_HOME_COUNT] = { "", "list", "spine", "land", "stream" };
    for (int home = 0; home < MR_HOME_COUNT; home++) {
        for (size_t i = 0; mr_builtin_at((mr_home)home, i); i++) {
            char signature[512];
            write_signature(mr_builtin_at((mr_home)home, i), signature, sizeof signature);
            visit(self, homes[home], signature, mr_builtin_at((mr_home)home, i)->doc);
        }
    }
}
