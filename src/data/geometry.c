#include "data/geometry.h"

#include "base/array.h"

static const char *const class_names[MR_CLASS_COUNT] = { "point", "vertex", "primitive", "detail" };

const char *mr_class_name(mr_class class_of)
{
    return class_names[class_of];
}

mr_geometry *mr_geometry_create(mr_context *context, mr_error *error)
{
    mr_geometry *geometry = mr_allocate_zeroed(context, sizeof *geometry);
    if (!geometry) {
        mr_fail_memory(error, sizeof *geometry);
        return NULL;
    }
    mr_refs_init(&geometry->refs);
    geometry->context = context;
    return geometry;
}

mr_geometry *mr_geometry_retain(mr_geometry *geometry)
{
    mr_refs_retain(&geometry->refs);
    return geometry;
}

void mr_geometry_release(mr_geometry *geometry)
{
    if (!geometry || !mr_refs_release(&geometry->refs)) {
        return;
    }
    for (int c = 0; c < MR_CLASS_COUNT; c++) {
        for (size_t i = 0; i < geometry->classes[c].count; i++) {
            mr_column_release(geometry->classes[c].items[i].column);
        }
        mr_free(geometry->context, geometry->classes[c].items);
    }
    mr_free(geometry->context, geometry);
}

mr_geometry *mr_geometry_writable(mr_geometry *geometry, mr_error *error)
{
    if (mr_refs_alone(&geometry->refs)) {
        return geometry;
    }
    mr_geometry *copy = mr_geometry_create(geometry->context, error);
    for (int c = 0; copy && c < MR_CLASS_COUNT; c++) {
        const mr_attributes *from = &geometry->classes[c];
        mr_attributes *to = &copy->classes[c];
        if (!mr_array_grow(geometry->context, (void **)&to->items, &to->capacity, from->count,
                           sizeof *to->items)) {
            mr_fail_memory(error, from->count * sizeof *to->items);
            mr_geometry_release(copy);
            copy = NULL;
            break;
        }
        for (size_t i = 0; i < from->count; i++) {
            to->items[i] = from->items[i];
            mr_column_retain(to->items[i].column);
        }
        to->count = from->count;
        to->elements = from->elements;
    }
    mr_geometry_release(geometry);
    return copy;
}

// The place of name among the sorted attributes, or where it would go.
static size_t find_place(const mr_attributes *attributes, const char *name, bool *found)
{
    size_t low = 0;
    size_t high = attributes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(attributes->items[middle].name, name);
        if (order == 0) {
            *found = true;
            return middle;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    *found = false;
    return low;
}

mr_column *mr_geometry_find(const mr_geometry *geometry, mr_class class_of, const char *name)
{
    bool found;
    size_t place = find_place(&geometry->classes[class_of], name, &found);
    return found ? geometry->classes[class_of].items[place].column : NULL;
}

bool mr_geometry_set(mr_geometry *geometry, mr_class class_of, const char *name, mr_column *column,
                     mr_error *error)
{
    mr_attributes *attributes = &geometry->classes[class_of];
    bool found;
    size_t place = find_place(attributes, name, &found);
    bool others = attributes->count > (found ? 1u : 0u);
    mr_column_publish(column);
    if (strlen(name) >= sizeof attributes->items->name) {
        mr_column_release(column);
        return mr_fail(error, MR_BAD_INPUT, "the attribute name %s is longer than %zu bytes", name,
                       sizeof attributes->items->name - 1);
    }
    if (others && column->count != attributes->elements) {
        mr_fail(error, MR_BAD_INPUT, "%s.%s has %zu elements where the class has %zu", class_names[class_of],
                name, column->count, attributes->elements);
        mr_column_release(column);
        return false;
    }
    if (!found) {
        if (!mr_array_grow(geometry->context, (void **)&attributes->items, &attributes->capacity,
                           attributes->count + 1, sizeof *attributes->items)) {
            mr_column_release(column);
            return mr_fail_memory(error, sizeof *attributes->items);
        }
        memmove(attributes->items + place + 1, attributes->items + place,
                (attributes->count - place) * sizeof *attributes->items);
        attributes->count++;
        memset(attributes->items[place].name, 0, sizeof attributes->items[place].name);
        memcpy(attributes->items[place].name, name, strlen(name));
    } else {
        mr_column_release(attributes->items[place].column);
    }
    attributes->items[place].column = column;
    attributes->elements = column->count;
    return true;
}

void mr_geometry_remove(mr_geometry *geometry, mr_class class_of, const char *name)
{
    mr_attributes *attributes = &geometry->classes[class_of];
    bool found;
    size_t place = find_place(attributes, name, &found);
    if (!found) {
        return;
    }
    mr_column_release(attributes->items[place].column);
    attributes->count--;
    memmove(attributes->items + place, attributes->items + place + 1,
            (attributes->count - place) * sizeof *attributes->items);
    if (attributes->count == 0) {
        attributes->elements = 0;
    }
}

size_t mr_geometry_count(const mr_geometry *geometry, mr_class class_of)
{
    return geometry->classes[class_of].elements;
}

static bool set_new(mr_geometry *geometry, mr_class class_of, const char *name, mr_column *column,
                    mr_error *error)
{
    return column && mr_geometry_set(geometry, class_of, name, column, error);
}

bool mr_geometry_set_triangles(mr_geometry *geometry, size_t triangle_count, mr_error *error)
{
    mr_context *context = geometry->context;
    mr_column *start = mr_column_create(context, MR_COLUMN_INT, triangle_count, error);
    mr_column *count = start ? mr_column_create(context, MR_COLUMN_INT, triangle_count, error) : NULL;
    mr_column *closed = count ? mr_column_create(context, MR_COLUMN_BOOL, triangle_count, error) : NULL;
    if (!closed) {
        mr_column_release(start);
        mr_column_release(count);
        return false;
    }
    for (size_t i = 0; i < triangle_count; i++) {
        start->i32[i] = (int32_t)(3 * i);
        count->i32[i] = 3;
        closed->u32[i] = 1;
    }
    // Each set takes its column even when it fails, so all of them are made before the first may fail.
    bool good = mr_geometry_set(geometry, MR_PRIMITIVE, "vstart", start, error);
    good = mr_geometry_set(geometry, MR_PRIMITIVE, "vcount", count, good ? error : NULL) && good;
    return mr_geometry_set(geometry, MR_PRIMITIVE, "closed", closed, good ? error : NULL) && good;
}

mr_geometry *mr_geometry_from_triangles(mr_context *context, const float *points, size_t point_count,
                                        const uint32_t *triangles, size_t triangle_count, mr_error *error)
{
    if (point_count > INT32_MAX || triangle_count > INT32_MAX / 3) {
        mr_fail(error, MR_LIMIT, "%zu points and %zu triangles; a geometry holds at most 2147483647 vertices",
                point_count, triangle_count);
        return NULL;
    }
    mr_geometry *geometry = mr_geometry_create(context, error);
    if (!geometry) {
        return NULL;
    }
    bool good = mr_geometry_set_triangles(geometry, triangle_count, error) &&
                set_new(geometry, MR_POINT, "P",
                        mr_column_from(context, MR_COLUMN_VEC3, points, point_count, error), error) &&
                set_new(geometry, MR_VERTEX, "pt",
                        mr_column_from(context, MR_COLUMN_INT, triangles, 3 * triangle_count, error), error);
    if (!good) {
        mr_geometry_release(geometry);
        return NULL;
    }
    return geometry;
}

static bool validate_runs(const mr_geometry *geometry, mr_error *error)
{
    size_t vertices = mr_geometry_count(geometry, MR_VERTEX);
    const mr_column *start = mr_geometry_find(geometry, MR_PRIMITIVE, "vstart");
    const mr_column *count = mr_geometry_find(geometry, MR_PRIMITIVE, "vcount");
    size_t primitives = mr_geometry_count(geometry, MR_PRIMITIVE);
    if (primitives == 0) {
        return true;
    }
    if (!start || !count || start->type != MR_COLUMN_INT || count->type != MR_COLUMN_INT) {
        return mr_fail(error, MR_BAD_INPUT, "the geometry has %zu primitives but no Int vstart and vcount",
                       primitives);
    }
    for (size_t i = 0; i < primitives; i++) {
        int64_t from = start->i32[i];
        int64_t run = count->i32[i];
        if (from < 0 || run < 0 || (uint64_t)(from + run) > vertices) {
            return mr_fail(error, MR_BAD_INPUT, "primitive %zu runs over vertices %lld to %lld of %zu", i,
                           (long long)from, (long long)(from + run - 1), vertices);
        }
    }
    return true;
}

bool mr_geometry_validate(const mr_geometry *geometry, mr_error *error)
{
    size_t points = mr_geometry_count(geometry, MR_POINT);
    const mr_column *place = mr_geometry_find(geometry, MR_POINT, "P");
    if (points > 0 && (!place || place->type != MR_COLUMN_VEC3)) {
        return mr_fail(error, MR_BAD_INPUT, "the geometry has %zu points but no Vec3 P", points);
    }
    for (size_t i = 0; i < 3 * points; i++) {
        if (!__builtin_isfinite(place->f32[i])) {
            return mr_fail(error, MR_BAD_INPUT, "point %zu stands at %g, %g, %g", i / 3,
                           (double)place->f32[i / 3 * 3], (double)place->f32[i / 3 * 3 + 1],
                           (double)place->f32[i / 3 * 3 + 2]);
        }
    }
    const mr_column *pt = mr_geometry_find(geometry, MR_VERTEX, "pt");
    size_t vertices = mr_geometry_count(geometry, MR_VERTEX);
    if (vertices > 0 && (!pt || pt->type != MR_COLUMN_INT)) {
        return mr_fail(error, MR_BAD_INPUT, "the geometry has %zu vertices but no Int pt", vertices);
    }
    for (size_t i = 0; i < vertices; i++) {
        if (pt->i32[i] < 0 || (size_t)pt->i32[i] >= points) {
            return mr_fail(error, MR_BAD_INPUT, "vertex %zu stands on point %d of %zu", i, pt->i32[i],
                           points);
        }
    }
    return validate_runs(geometry, error);
}

bool mr_geometry_bounds(const mr_geometry *geometry, float low[3], float high[3])
{
    const mr_column *place = mr_geometry_find(geometry, MR_POINT, "P");
    if (!place || place->type != MR_COLUMN_VEC3 || place->count == 0) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = place->f32[axis];
        for (size_t i = 1; i < place->count; i++) {
            float at = place->f32[3 * i + (size_t)axis];
            low[axis] = at < low[axis] ? at : low[axis];
            high[axis] = at > high[axis] ? at : high[axis];
        }
    }
    return true;
}

void mr_geometry_digest(const mr_geometry *geometry, mr_digester *digester)
{
    for (int c = 0; c < MR_CLASS_COUNT; c++) {
        mr_digest_u64(digester, geometry->classes[c].count);
        for (size_t i = 0; i < geometry->classes[c].count; i++) {
            mr_digest_text(digester, mr_view_of(geometry->classes[c].items[i].name));
            mr_column_digest(geometry->classes[c].items[i].column, digester);
        }
    }
}
