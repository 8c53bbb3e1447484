#include "world/scope.h"

#include "graph/node.h"

const char *const mr_asked_texts[MR_ASKED_COUNT] = { "here",          "k",       "along", "side", "thing",
                                                     "placedEarlier", "spacing", "size",  "test", "room" };

const mr_scope *mr_scope_part(const mr_scope *scope)
{
    while (scope && scope->kind != MR_SCOPE_PART) {
        scope = scope->outer;
    }
    return scope;
}

const mr_scope *mr_scope_asked(const mr_scope *scope)
{
    while (scope && scope->kind != MR_SCOPE_ASKED) {
        scope = scope->outer;
    }
    return scope;
}

bool mr_space_is_family(mr_view name)
{
    for (size_t i = 0; i < mr_node_count(); i++) {
        const char *node = mr_node_at(i)->name;
        const char *dot = strchr(node, '.');
        if (dot && (size_t)(dot - node) == name.size && memcmp(node, name.data, name.size) == 0) {
            return true;
        }
    }
    return mr_view_is(name, "terrain");
}

bool mr_space_is(const mr_file *file, mr_view name)
{
    if (mr_view_is(name, "materials") || mr_space_is_family(name)) {
        return true;
    }
    for (size_t i = 0; mr_package_at(i); i++) {
        if (mr_view_is(name, mr_package_at(i))) {
            return true;
        }
    }
    for (size_t i = 0; i < file->import_count; i++) {
        if (mr_view_equal(file->imports[i].name, name)) {
            return true;
        }
    }
    return false;
}

static bool find_asked(const mr_scope *scope, mr_view name, mr_found *found)
{
    const mr_asked_names *asked = scope->asked;
    for (size_t i = 0; i < asked->given_count; i++) {
        if (mr_view_equal(asked->given_names[i], name)) {
            *found = (mr_found){ .kind = MR_FOUND_GIVEN, .scope = scope, .given = i };
            return true;
        }
    }
    for (uint32_t i = 0; i < MR_ASKED_COUNT; i++) {
        if ((asked->visible >> i & 1u) && mr_view_is(name, mr_asked_texts[i])) {
            *found = (mr_found){ .kind = MR_FOUND_ASKED, .scope = scope, .asked = (mr_asked)i };
            return true;
        }
    }
    return false;
}

mr_found mr_scope_find(const mr_scope *scope, const mr_file *file, mr_view name)
{
    mr_found found = { 0 };
    for (const mr_scope *at = scope; at; at = at->outer) {
        switch (at->kind) {
        case MR_SCOPE_CELL:
            if (mr_view_equal(at->name, name)) {
                return (mr_found){ .kind = MR_FOUND_CELL, .scope = at };
            }
            break;
        case MR_SCOPE_PART: {
            mr_member *member = mr_shape_find(at->shape, name);
            if (member) {
                return (mr_found){ .kind = MR_FOUND_MEMBER, .scope = at, .member = member };
            }
            break;
        }
        case MR_SCOPE_ASKED:
            if (find_asked(at, name, &found)) {
                return found;
            }
            break;
        case MR_SCOPE_GROUND:
            break;
        }
    }
    if (mr_view_is(name, "self")) {
        const mr_scope *part = mr_scope_part(scope);
        if (part) {
            return (mr_found){ .kind = MR_FOUND_SELF, .scope = part };
        }
    }
    if (mr_space_is(file, name)) {
        return (mr_found){ .kind = MR_FOUND_SPACE };
    }
    const mr_builtin *builtin = mr_builtin_find(MR_HOME_WORLD, name);
    if (builtin) {
        return (mr_found){ .kind = MR_FOUND_BUILTIN, .builtin = builtin };
    }
    return found;
}

// Keeps the name with the least distance; the earlier of equals.
static void offer(mr_view wanted, mr_view name, uint32_t *best, char out[64])
{
    if (name.size == 0 || name.size >= 64 || wanted.size >= 64) {
        return;
    }
    uint32_t distance = mr_edit_distance(wanted, name);
    if (distance < *best && distance <= (wanted.size < 3 ? 1 : wanted.size / 3 + 1) &&
        distance < wanted.size) {
        *best = distance;
        mr_text_format(out, 64, "%.*s", MR_VIEW_ARGS(name));
    }
}

const char *mr_scope_nearest(const mr_scope *scope, const mr_file *file, mr_view wanted, char out[64])
{
    uint32_t best = UINT32_MAX;
    out[0] = 0;
    for (const mr_scope *at = scope; at; at = at->outer) {
        if (at->kind == MR_SCOPE_CELL) {
            offer(wanted, at->name, &best, out);
        } else if (at->kind == MR_SCOPE_PART) {
            for (size_t i = 0; i < at->shape->members.count; i++) {
                offer(wanted, at->shape->members.items[i].name, &best, out);
            }
        } else if (at->kind == MR_SCOPE_ASKED) {
            for (size_t i = 0; i < at->asked->given_count; i++) {
                offer(wanted, at->asked->given_names[i], &best, out);
            }
            for (uint32_t i = 0; i < MR_ASKED_COUNT; i++) {
                if (at->asked->visible >> i & 1u) {
                    offer(wanted, mr_view_of(mr_asked_texts[i]), &best, out);
                }
            }
        }
    }
    for (size_t i = 0; i < file->import_count; i++) {
        offer(wanted, file->imports[i].name, &best, out);
    }
    for (size_t i = 0; mr_builtin_at(MR_HOME_WORLD, i); i++) {
        offer(wanted, mr_view_of(mr_builtin_at(MR_HOME_WORLD, i)->name), &best, out);
    }
    for (size_t i = 0; i < mr_node_count(); i++) {
        const char *node = mr_node_at(i)->name;
        const char *dot = strchr(node, '.');
        offer(wanted, (mr_view){ node, dot ? (size_t)(dot - node) : 0 }, &best, out);
    }
    for (size_t i = 0; mr_package_at(i); i++) {
        offer(wanted, mr_view_of(mr_package_at(i)), &best, out);
    }
    return out[0] ? out : NULL;
}
