#include "world/shape.h"

typedef struct builder {
    mr_context *context;
    const mr_file *file;
    mr_diagnostics *diagnostics;
    mr_shapes *shapes;
    bool out_of_memory;
} builder;

mr_member *mr_shape_find(const mr_shape *shape, mr_view name)
{
    uint64_t at;
    return mr_map_find(&shape->index, name, &at) ? &shape->members.items[at] : NULL;
}

void mr_shape_path(const mr_shape *shape, char *out, size_t size)
{
    const mr_shape *chain[MR_PATH_SIZE / 2];
    size_t count = 0;
    for (; shape && shape->decl && count < sizeof chain / sizeof *chain; shape = shape->parent) {
        chain[count++] = shape;
    }
    out[0] = 0;
    for (size_t used = 0; count > 0 && used < size; count--) {
        used += mr_text_format(out + used, size - used, used ? ".%.*s" : "%.*s",
                               MR_VIEW_ARGS(chain[count - 1]->name));
    }
}

static mr_shape *make_shape(builder *b, mr_shape *parent, const mr_decl *decl)
{
    mr_shape *shape = mr_allocate_zeroed(b->context, sizeof *shape);
    if (!shape) {
        b->out_of_memory = true;
        return NULL;
    }
    shape->parent = parent;
    shape->decl = decl;
    shape->name = decl ? decl->path[decl->path_count - 1] : MR_VIEW("");
    mr_map_init(&shape->index, b->context);
    shape->next = b->shapes->all;
    b->shapes->all = shape;
    if (decl) {
        b->shapes->by_decl[decl->id] = shape;
    }
    return shape;
}

// Whether two declarations of one name can both be: parts told apart by an index, or that stand in braces.
static bool may_share(const mr_member *there, const mr_member *made)
{
    return there->kind == MR_MEMBER_PART && made->kind == MR_MEMBER_PART && there->family && made->family;
}

static mr_member *add_member(builder *b, mr_shape *shape, mr_member made, uint32_t group)
{
    mr_member *there = mr_shape_find(shape, made.name);
    if (there && !may_share(there, &made)) {
        char hint[96];
        mr_text_format(hint, sizeof hint, "the other stands at %u:%u", there->place.line,
                       there->place.column);
        bool parts = there->kind == MR_MEMBER_PART && made.kind == MR_MEMBER_PART;
        mr_diagnose(b->diagnostics, MR_ERROR, b->file->path, made.place, hint,
                    parts ? "%.*s: two parts of one parent have this name"
                          : "%.*s: this name is declared twice",
                    MR_VIEW_ARGS(made.name));
        return NULL;
    }
    if (!there) {
        size_t number = shape->members.count;
        if (!mr_array_push(b->context, &shape->members, made) ||
            !mr_map_put(&shape->index, made.name, number)) {
            b->out_of_memory = true;
            return NULL;
        }
        there = &shape->members.items[number];
    }
    if (made.kind == MR_MEMBER_PART &&
        (there->groups.count == 0 || there->groups.items[there->groups.count - 1] != group) &&
        !mr_array_push(b->context, &there->groups, group)) {
        b->out_of_memory = true;
    }
    return there;
}

static void add_decls(builder *b, mr_shape *shape, mr_decl *const *decls, size_t count, bool braces,
                      uint32_t group);

static void add_part(builder *b, mr_shape *shape, const mr_decl *decl, bool braces, uint32_t group)
{
    mr_shape *made = make_shape(b, shape, decl);
    if (!made) {
        return;
    }
    made->looped = braces;
    mr_member member = {
        .name = made->name,
        .place = decl->path_places[decl->path_count - 1],
        .kind = MR_MEMBER_PART,
        .decl = decl,
        .shape = made,
        .family = braces || decl->index,
    };
    add_member(b, shape, member, group);
    add_decls(b, made, decl->body, decl->body_count, false, 0);
}

static void add_named(builder *b, mr_shape *shape, const mr_decl *decl, mr_member_kind kind, bool braces)
{
    if (braces) {
        mr_diagnose(b->diagnostics, MR_ERROR, b->file->path, decl->place,
                    kind == MR_MEMBER_FIELD ? "write let name = value;" : "declare it outside the braces",
                    "%.*s: only parts and let stand inside each and if", MR_VIEW_ARGS(decl->path[0]));
        return;
    }
    add_member(
        b, shape,
        (mr_member){ .name = decl->path[0], .place = decl->path_places[0], .kind = kind, .decl = decl }, 0);
}

static bool add_group(builder *b, mr_shape *shape, const mr_decl *decl, uint32_t *group)
{
    *group = (uint32_t)shape->groups.count;
    if (!mr_array_push(b->context, &shape->groups, decl)) {
        b->out_of_memory = true;
    }
    return !b->out_of_memory;
}

static void add_decl(builder *b, mr_shape *shape, const mr_decl *decl, bool braces, uint32_t group)
{
    switch (decl->kind) {
    case MR_DECL_PART:
        if (decl->path_count > 1) {
            if (braces) {
                mr_diagnose(b->diagnostics, MR_ERROR, b->file->path, decl->place, NULL,
                            "a part with a path cannot stand inside each or if");
            }
            return; // added once every part it may lead through is there
        }
        if (braces || add_group(b, shape, decl, &group)) {
            add_part(b, shape, decl, braces, group);
        }
        break;
    case MR_DECL_FIELD:
        add_named(b, shape, decl, MR_MEMBER_FIELD, braces);
        break;
    case MR_DECL_STATE:
        add_named(b, shape, decl, MR_MEMBER_STATE, braces);
        break;
    case MR_DECL_FUNCTION:
        add_named(b, shape, decl, MR_MEMBER_FUNCTION, braces);
        break;
    case MR_DECL_RECORD:
        add_named(b, shape, decl, MR_MEMBER_RECORD, braces);
        break;
    case MR_DECL_MATERIAL:
        add_named(b, shape, decl, MR_MEMBER_MATERIAL, braces);
        break;
    case MR_DECL_EACH:
    case MR_DECL_IF:
        if (braces || add_group(b, shape, decl, &group)) {
            add_decls(b, shape, decl->body, decl->body_count, true, group);
            add_decls(b, shape, decl->otherwise, decl->otherwise_count, true, group);
        }
        break;
    case MR_DECL_STATEMENT:
        if (!braces) {
            add_group(b, shape, decl, &group);
        }
        break;
    case MR_DECL_LET:
        if (!braces) {
            mr_diagnose(b->diagnostics, MR_ERROR, b->file->path, decl->place, "write field name = value",
                        "let stands only inside each and if");
        }
        break;
    }
}

static void add_decls(builder *b, mr_shape *shape, mr_decl *const *decls, size_t count, bool braces,
                      uint32_t group)
{
    for (size_t i = 0; i < count && !b->out_of_memory; i++) {
        add_decl(b, shape, decls[i], braces, group);
    }
}

// The shape a path leads to from `from` outward, all but its last name; NULL is reported.
static mr_shape *follow_path(builder *b, mr_shape *from, const mr_decl *decl)
{
    mr_shape *shape = NULL;
    for (mr_shape *outer = from; outer && !shape; outer = outer->parent) {
        const mr_member *member = mr_shape_find(outer, decl->path[0]);
        shape = member && member->kind == MR_MEMBER_PART ? member->shape : NULL;
        from = outer;
    }
    for (size_t i = 0; i + 1 < decl->path_count; i++) {
        const mr_member *member = i == 0 ? NULL : mr_shape_find(shape, decl->path[i]);
        if (i > 0) {
            from = shape;
            shape = member && member->kind == MR_MEMBER_PART ? member->shape : NULL;
        }
        if (!shape) {
            const char *names[64];
            char texts[64][48];
            size_t count = 0;
            for (size_t k = 0; k < from->members.count && count < 64; k++) {
                const mr_member *one = &from->members.items[k];
                if (one->kind == MR_MEMBER_PART && one->name.size < sizeof texts[0]) {
                    mr_text_format(texts[count], sizeof texts[0], "%.*s", MR_VIEW_ARGS(one->name));
                    names[count] = texts[count];
                    count++;
                }
            }
            char wanted[48], hint[80];
            mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(decl->path[i]));
            const char *near = mr_nearest_name(wanted, names, count);
            mr_text_format(hint, sizeof hint, "did you mean %s?", near ? near : "");
            mr_diagnose(b->diagnostics, MR_ERROR, b->file->path, decl->path_places[i], near ? hint : NULL,
                        "%.*s: no part has this name", MR_VIEW_ARGS(decl->path[i]));
            return NULL;
        }
    }
    return shape;
}

// Parts with paths, the shorter paths first so that `part a.b.c` may stand before `part a.b`. One with the length asked
// for is added; whether longer ones are left is answered. What they add may hold paths of its own.
static bool add_paths(builder *b, mr_shape *shape, mr_decl *const *decls, size_t count, size_t length)
{
    bool longer = false;
    for (size_t i = 0; i < count && !b->out_of_memory; i++) {
        const mr_decl *decl = decls[i];
        if (decl->kind != MR_DECL_PART) {
            continue;
        }
        if (decl->path_count == length && length > 1) {
            mr_shape *into = follow_path(b, shape, decl);
            uint32_t group;
            if (into && add_group(b, into, decl, &group)) {
                add_part(b, into, decl, false, group);
            }
        }
        longer |= decl->path_count > length;
        mr_shape *inner = b->shapes->by_decl[decl->id];
        if (inner) {
            longer |= add_paths(b, inner, decl->body, decl->body_count, length);
        }
    }
    return longer;
}

bool mr_shapes_create(mr_context *context, const mr_file *file, mr_diagnostics *diagnostics,
                      mr_shapes *shapes, mr_error *error)
{
    *shapes = (mr_shapes){ .file = file };
    builder b = { .context = context, .file = file, .diagnostics = diagnostics, .shapes = shapes };
    size_t bytes;
    shapes->by_decl = mr_size_multiply((size_t)file->decl_ids + 1, sizeof *shapes->by_decl, &bytes)
                          ? mr_allocate_zeroed(context, bytes)
                          : NULL;
    shapes->root = shapes->by_decl ? make_shape(&b, NULL, NULL) : NULL;
    if (shapes->root) {
        add_decls(&b, shapes->root, file->decls, file->decl_count, false, 0);
        for (size_t length = 2; add_paths(&b, shapes->root, file->decls, file->decl_count, length);
             length++) {
        }
    }
    if (!shapes->root || b.out_of_memory) {
        mr_shapes_destroy(context, shapes);
        return mr_fail_memory(error, sizeof(mr_shape));
    }
    return true;
}

void mr_shapes_destroy(mr_context *context, mr_shapes *shapes)
{
    for (mr_shape *shape = shapes->all, *next; shape; shape = next) {
        next = shape->next;
        for (size_t i = 0; i < shape->members.count; i++) {
            mr_array_free(context, &shape->members.items[i].groups);
        }
        mr_array_free(context, &shape->members);
        mr_array_free(context, &shape->groups);
        mr_map_destroy(&shape->index);
        mr_free(context, shape);
    }
    mr_free(context, shapes->by_decl);
    *shapes = (mr_shapes){ 0 };
}
