// world/check.c: the checker's memory and messages, and its way through a file.

#include "world/check_state.h"

#include "world/designs.h"

mr_typed mr_check_fail(mr_checker *c, mr_place place, const char *hint, const char *format, ...)
{
    if (c->reported) {
        return &mr_type_broken;
    }
    char message[MR_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    mr_text_format_list(message, sizeof message, format, list);
    va_end(list);
    c->reported = true;
    mr_diagnose(c->diagnostics, MR_ERROR, c->path, place, hint, c->subject.size ? "%.*s: %s" : "%.*s%s",
                MR_VIEW_ARGS(c->subject), message);
    return &mr_type_broken;
}

void mr_check_warn(mr_checker *c, mr_place place, const char *hint, const char *format, ...)
{
    char message[MR_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    mr_text_format_list(message, sizeof message, format, list);
    va_end(list);
    mr_diagnose(c->diagnostics, MR_WARNING, c->path, place, hint, "%s", message);
}

void *mr_check_take(mr_checker *c, size_t size)
{
    void *memory = mr_arena_take(&c->arena, size);
    c->out_of_memory |= !memory;
    return memory;
}

mr_typed mr_check_type(mr_checker *c, mr_world_type type)
{
    mr_world_type *made = mr_check_take(c, sizeof *made);
    if (!made) {
        return &mr_type_broken;
    }
    *made = type;
    return made;
}

mr_typed mr_check_list_of(mr_checker *c, mr_typed element)
{
    return mr_check_type(c, (mr_world_type){ .of = MR_OF_LIST, .element = element });
}

mr_typed mr_check_number_of(mr_checker *c, mr_dimension dimension)
{
    if (mr_dimension_plain(dimension)) {
        return &mr_type_number;
    }
    return mr_dimension_equal(dimension, mr_dimension_length)
               ? &mr_type_length
               : mr_check_type(c, (mr_world_type){ .of = MR_OF_NUMBER, .dimension = dimension });
}

mr_typed mr_check_tuple_of(mr_checker *c, const mr_typed *items, size_t count)
{
    mr_typed *kept = mr_check_take(c, count * sizeof *kept + 1);
    if (!kept) {
        return &mr_type_broken;
    }
    memcpy(kept, items, count * sizeof *kept);
    return mr_check_type(c, (mr_world_type){ .of = MR_OF_TUPLE, .count = count, .items = kept });
}

mr_dimension mr_typed_dimension(mr_typed type)
{
    return type->of == MR_OF_NUMBER ? type->dimension : mr_dimension_none;
}

// Scopes first, for all parts, so that a field may be asked for before its part is come to.

static void scope_decls(mr_checker *c, mr_shape *shape, const mr_scope *scope, mr_decl *const *decls,
                        size_t count);

static void scope_part(mr_checker *c, mr_shape *shape, const mr_scope *outer)
{
    mr_scope *scope = mr_check_take(c, sizeof *scope);
    if (!scope) {
        return;
    }
    *scope = (mr_scope){ .outer = outer, .kind = MR_SCOPE_PART, .shape = shape };
    shape->scope = scope;
    const mr_decl *decl = shape->decl;
    scope_decls(c, shape, scope, decl ? decl->body : c->file->decls,
                decl ? decl->body_count : c->file->decl_count);
}

static const mr_scope *scope_names(mr_checker *c, const mr_scope *scope, const mr_decl *decl)
{
    for (size_t i = 0; i < decl->param_count; i++) {
        mr_scope *cell = mr_check_take(c, sizeof *cell);
        if (!cell) {
            return scope;
        }
        *cell = (mr_scope){ .outer = scope,
                            .kind = MR_SCOPE_CELL,
                            .name = decl->params[i].name,
                            .place = decl->params[i].place,
                            .decl = decl,
                            .pattern = (uint32_t)i };
        scope = cell;
    }
    return scope;
}

static void scope_decls(mr_checker *c, mr_shape *shape, const mr_scope *scope, mr_decl *const *decls,
                        size_t count)
{
    for (size_t i = 0; i < count && !c->out_of_memory; i++) {
        const mr_decl *decl = decls[i];
        c->scope_of[decl->id] = scope;
        mr_shape *inner = decl->kind == MR_DECL_PART ? c->shapes->by_decl[decl->id] : NULL;
        if (inner) {
            const mr_scope *outer = scope;
            if (decl->path_count > 1) { // it stands in the part its path leads to
                outer = inner->parent->scope;
            }
            scope_part(c, inner, outer);
        } else if (decl->kind == MR_DECL_EACH) {
            scope_decls(c, shape, scope_names(c, scope, decl), decl->body, decl->body_count);
        } else if (decl->kind == MR_DECL_IF) {
            scope_decls(c, shape, scope, decl->body, decl->body_count);
            scope_decls(c, shape, scope, decl->otherwise, decl->otherwise_count);
        } else if (decl->kind == MR_DECL_LET) {
            scope = scope_names(c, scope, decl);
        }
    }
}

// `part a.b` may stand before part a: then its scope is hung below a's once that is made.
static void hang_paths(mr_checker *c)
{
    for (mr_shape *shape = c->shapes->all; shape; shape = shape->next) {
        if (shape->decl && shape->decl->path_count > 1 && shape->scope && shape->parent) {
            ((mr_scope *)(uintptr_t)shape->scope)->outer = shape->parent->scope;
        }
    }
}

bool mr_check(mr_context *context, mr_shapes *shapes, const mr_file *file, const char *folder,
              const mr_graph_loader *loader, mr_diagnostics *diagnostics, mr_error *error)
{
    mr_checker c = {
        .context = context,
        .shapes = shapes,
        .file = file,
        .path = file->path,
        .folder = folder,
        .loader = loader,
        .diagnostics = diagnostics,
    };
    mr_arena_init(&c.arena, context);
    size_t bytes = ((size_t)file->decl_ids + 1) * sizeof *c.scope_of;
    c.scope_of = mr_allocate_zeroed(context, bytes);
    c.value_of = mr_allocate_zeroed(context, bytes);
    if (c.scope_of && c.value_of) {
        mr_designs_mark(shapes);
        scope_part(&c, shapes->root, NULL);
        hang_paths(&c);
        if (!c.out_of_memory) {
            mr_check_decls(&c, file->decls, file->decl_count);
            mr_check_unread(&c);
        }
    }
    bool good = c.scope_of && c.value_of && !c.out_of_memory;
    mr_free(context, c.scope_of);
    mr_free(context, c.value_of);
    mr_array_free(context, &c.lambdas);
    mr_array_free(context, &c.fields);
    mr_arena_destroy(&c.arena);
    for (mr_shape *shape = shapes->all; shape;
         shape = shape->next) { // what pointed into the checker's memory
        shape->scope = NULL;
        shape->content = NULL;
        for (size_t i = 0; i < shape->members.count; i++) {
            shape->members.items[i].type = NULL;
        }
    }
    if (good && c.stopped.status != MR_OK) {
        if (error) {
            *error = c.stopped;
        }
        return false;
    }
    return good || mr_fail_memory(error, bytes);
}
