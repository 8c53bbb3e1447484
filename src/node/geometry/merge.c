// node/geometry/merge.c: geometries side by side in one.
//
// Elements keep their order, a's first. An attribute that one of them lacks is 0 on its elements (of Color: white). The
// detail class is the first's that has one.

#include "graph/node.h"

enum { MOST = 8 };
static const char *const names[MOST] = { "a", "b", "c", "d", "e", "f", "g", "h" };

typedef struct parts {
    const mr_geometry *items[MOST];
    const char *names[MOST];
    size_t count;
} parts;

// An attribute of the answer: of the type it has wherever it is found.
static bool type_of(const parts *p, mr_class class_of, const char *name, mr_column_type *type,
                    mr_error *error)
{
    const char *first = NULL;
    for (size_t i = 0; i < p->count; i++) {
        const mr_column *column = mr_geometry_find(p->items[i], class_of, name);
        if (column && first && column->type != *type) {
            return mr_fail(error, MR_BAD_INPUT, "%s.%s is %s in %s and %s in %s; it must be of one type",
                           mr_class_name(class_of), name, mr_column_type_name(*type), first,
                           mr_column_type_name(column->type), p->names[i]);
        }
        if (column && !first) {
            *type = column->type;
            first = p->names[i];
        }
    }
    return true;
}

// How many are added to the numbers in an attribute: those of the points or vertices that stand before.
static bool is_link(mr_class class_of, const char *name, mr_class *to)
{
    *to = class_of == MR_VERTEX ? MR_POINT : MR_VERTEX;
    return (class_of == MR_VERTEX && strcmp(name, "pt") == 0) ||
           (class_of == MR_PRIMITIVE && strcmp(name, "vstart") == 0);
}

static bool copy_words(mr_column *to, size_t at, const mr_column *from, mr_error *error)
{
    for (size_t i = 0; i < from->count; i++) {
        uint32_t word = from->u32[i];
        const char *text = word < from->word_count ? from->words[word] : "";
        to->u32[at + i] = mr_column_word(to, mr_view_of(text));
        if (to->u32[at + i] == UINT32_MAX) {
            return mr_fail_memory(error, strlen(text));
        }
    }
    return true;
}

static bool fill(mr_column *to, size_t at, size_t count, mr_error *error)
{
    size_t lanes = mr_column_lanes(to->type);
    if (to->type == MR_COLUMN_TEXT) {
        uint32_t word = count > 0 ? mr_column_word(to, MR_VIEW("")) : 0;
        for (size_t i = 0; i < count; i++) {
            to->u32[at + i] = word;
        }
        return word != UINT32_MAX || mr_fail_memory(error, 1);
    }
    memset(to->u32 + at * lanes, 0, count * lanes * 4);
    for (size_t i = 0; to->type == MR_COLUMN_COLOR && i < count * lanes; i++) {
        to->f32[at * lanes + i] = 1;
    }
    return true;
}

static bool join(const parts *p, mr_class class_of, const char *name, mr_column *to, mr_error *error)
{
    size_t at = 0, linked = 0, lanes = mr_column_lanes(to->type);
    mr_class link;
    bool links = is_link(class_of, name, &link) && to->type == MR_COLUMN_INT;
    for (size_t i = 0; i < p->count; i++) {
        size_t count = mr_geometry_count(p->items[i], class_of);
        const mr_column *from = mr_geometry_find(p->items[i], class_of, name);
        if (!from) {
            if (!fill(to, at, count, error)) {
                return false;
            }
        } else if (to->type == MR_COLUMN_TEXT) {
            if (!copy_words(to, at, from, error)) {
                return false;
            }
        } else if (count > 0) {
            memcpy(to->u32 + at * lanes, from->u32, count * lanes * 4);
        }
        for (size_t k = 0; links && k < count; k++) {
            to->i32[at + k] += (int32_t)linked;
        }
        linked += links ? mr_geometry_count(p->items[i], link) : 0;
        at += count;
    }
    return true;
}

static bool merge_attribute(const parts *p, mr_class class_of, const char *name, size_t total,
                            mr_geometry *merged, mr_error *error)
{
    mr_column_type type = MR_COLUMN_FLOAT;
    if (mr_geometry_find(merged, class_of, name)) {
        return true;
    }
    mr_column *column = type_of(p, class_of, name, &type, error)
                            ? mr_column_create(merged->context, type, total, error)
                            : NULL;
    if (!column || !join(p, class_of, name, column, error)) {
        mr_column_release(column);
        return false;
    }
    return mr_geometry_set(merged, class_of, name, column, error);
}

static bool merge_class(const parts *p, mr_class class_of, mr_geometry *merged, mr_error *error)
{
    size_t total = 0;
    for (size_t i = 0; i < p->count; i++) {
        total += mr_geometry_count(p->items[i], class_of);
    }
    if (total > INT32_MAX) {
        return mr_fail(error, MR_LIMIT,
                       "together they have %zu elements of the class %s; at most 2147483647 are allowed",
                       total, mr_class_name(class_of));
    }
    for (size_t i = 0; i < p->count; i++) {
        const mr_attributes *attributes = &p->items[i]->classes[class_of];
        for (size_t k = 0; k < attributes->count; k++) {
            if (!merge_attribute(p, class_of, attributes->items[k].name, total, merged, error)) {
                return false;
            }
        }
    }
    return true;
}

static bool merge_detail(const parts *p, mr_geometry *merged, mr_error *error)
{
    for (size_t i = 0; i < p->count; i++) {
        const mr_attributes *detail = &p->items[i]->classes[MR_DETAIL];
        for (size_t k = 0; k < detail->count; k++) {
            if (!mr_geometry_set(merged, MR_DETAIL, detail->items[k].name,
                                 mr_column_retain(detail->items[k].column), error)) {
                return false;
            }
        }
        if (detail->count > 0) {
            break;
        }
    }
    return true;
}

static bool merge_cook(mr_cook *cook, mr_error *error)
{
    parts p = { .count = 0 };
    for (size_t i = 0; i < MOST; i++) {
        const mr_geometry *item = mr_cook_geometry(cook, names[i]);
        if (!item) {
            continue;
        }
        if (!mr_geometry_validate(item, error)) {
            return mr_fail_prefix(error, "%s", names[i]);
        }
        p.names[p.count] = names[i];
        p.items[p.count++] = item;
    }
    mr_geometry *merged = mr_geometry_create(cook->context, error);
    if (!merged || !merge_class(&p, MR_POINT, merged, error) || !merge_class(&p, MR_VERTEX, merged, error) ||
        !merge_class(&p, MR_PRIMITIVE, merged, error) || !merge_detail(&p, merged, error)) {
        mr_geometry_release(merged);
        return false;
    }
    mr_cook_set_geometry(cook, "geometry", merged);
    return true;
}

const mr_node mr_node_geometry_merge = {
    .name = "geometry.merge",
    .version = 1,
    .summary = "Up to eight geometries in one, element after element.",
    .inputs = {
        { .name = "a", .type = MR_GEOMETRY, .flags = MR_REQUIRED, .doc = "The first." },
        { .name = "b", .type = MR_GEOMETRY, .doc = "Behind it." },
        { .name = "c", .type = MR_GEOMETRY, .doc = "And so on." },
        { .name = "d", .type = MR_GEOMETRY, .doc = "And so on." },
        { .name = "e", .type = MR_GEOMETRY, .doc = "And so on." },
        { .name = "f", .type = MR_GEOMETRY, .doc = "And so on." },
        { .name = "g", .type = MR_GEOMETRY, .doc = "And so on." },
        { .name = "h", .type = MR_GEOMETRY, .doc = "And so on." },
    },
    .outputs = { { .name = "geometry", .type = MR_GEOMETRY } },
    .example = "g.geometry.merge { a = g.mesh.box {}, b = g.mesh.cone {} }",
    .cook = merge_cook,
};
