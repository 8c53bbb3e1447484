#include "io/gltf_mesh.h"

#include "base/array.h"

#include <string.h>

enum {
    POLYGON_LIMIT = 20000, // corners of a polygon that is not convex; ears take quadratic time
    WORDS = 12,            // of a vertex: position 3, normal 3, uv 2, colour 4
};

// Where each attribute of a corner comes from.
typedef struct source {
    const float *values;
    uint32_t lanes;
    mr_class class_of;
} source;

typedef struct builder {
    mr_context *context;
    const char *name;
    const float *points;
    const int32_t *point_of; // a vertex's
    size_t corner_count;
    source normal;
    source uv;
    source color;
    mr_gltf_mesh *mesh;
    size_t vertex_capacity;
    float *vertices;  // WORDS each, before they are split
    uint32_t *slots;  // open addressing: vertex number + 1, or 0
    size_t slot_mask; // slots are a power of two
    size_t index_capacity;
    float *corners;      // of the polygon being cut
    uint32_t *links;     // scratch of the cutting
    uint32_t *triangles; // its answer
    size_t corner_capacity;
} builder;

static source find_source(const mr_geometry *geometry, const char *name, uint32_t least_lanes,
                          const mr_class *classes, size_t class_count)
{
    for (size_t i = 0; i < class_count; i++) {
        const mr_column *column = mr_geometry_find(geometry, classes[i], name);
        if (column && mr_column_element(column->type) == MR_F32 &&
            mr_column_lanes(column->type) >= least_lanes && mr_column_lanes(column->type) <= 4) {
            return (source){ column->f32, mr_column_lanes(column->type), classes[i] };
        }
    }
    return (source){ 0 };
}

static const float *source_at(const builder *b, const source *from, size_t vertex, size_t primitive)
{
    size_t at = from->class_of == MR_VERTEX  ? vertex
                : from->class_of == MR_POINT ? (size_t)b->point_of[vertex]
                                             : primitive;
    return from->values + at * from->lanes;
}

static void subtract(const float *a, const float *b, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = (double)a[i] - (double)b[i];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Scales to length 1; false for a vector that has no direction. Scaled by its greatest part first, so that squares
// neither vanish nor overflow.
static bool normalize(double v[3])
{
    double most = 0;
    for (int i = 0; i < 3; i++) {
        double size = __builtin_fabs(v[i]);
        most = size > most ? size : most;
    }
    if (!(most > 0) || !__builtin_isfinite(most)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        v[i] /= most;
    }
    double length = __builtin_sqrt(dot(v, v));
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
    return true;
}

// Newell's normal: the sum of the corners' cross products, right for corners that are not quite in a plane.
static void polygon_normal(const float *corners, size_t count, double normal[3])
{
    normal[0] = normal[1] = normal[2] = 0;
    for (size_t i = 0; i < count; i++) {
        double a[3];
        double b[3];
        double c[3];
        subtract(corners + 3 * i, corners, a);
        subtract(corners + 3 * ((i + 1) % count), corners, b);
        cross(a, b, c);
        for (int k = 0; k < 3; k++) {
            normal[k] += c[k];
        }
    }
}

// How far corner b turns against the polygon's normal: positive where it is convex.
static double turn(const float *corners, uint32_t a, uint32_t b, uint32_t c, const double normal[3])
{
    double u[3];
    double v[3];
    double w[3];
    subtract(corners + 3 * b, corners + 3 * a, u);
    subtract(corners + 3 * c, corners + 3 * b, v);
    cross(u, v, w);
    return dot(w, normal);
}

static bool is_convex(const float *corners, size_t count, const double normal[3])
{
    for (size_t i = 0; i < count; i++) {
        if (turn(corners, (uint32_t)i, (uint32_t)((i + 1) % count), (uint32_t)((i + 2) % count), normal) <
            0) {
            return false;
        }
    }
    return true;
}

// Whether any corner still in the ring (but the triangle's own) lies in triangle a b c.
static bool holds_a_corner(const float *corners, const uint32_t *next, uint32_t a, uint32_t b, uint32_t c,
                           const double normal[3])
{
    for (uint32_t p = next[c]; p != a; p = next[p]) {
        const float *at = corners + 3 * (size_t)p;
        if (memcmp(at, corners + 3 * (size_t)a, 12) == 0 || memcmp(at, corners + 3 * (size_t)b, 12) == 0 ||
            memcmp(at, corners + 3 * (size_t)c, 12) == 0) {
            continue; // a seam runs through a corner twice
        }
        if (turn(corners, a, b, p, normal) >= 0 && turn(corners, b, c, p, normal) >= 0 &&
            turn(corners, c, a, p, normal) >= 0) {
            return true;
        }
    }
    return false;
}

static size_t cut_fan(size_t count, uint32_t *triangles)
{
    for (uint32_t i = 0; i + 2 < count; i++) {
        triangles[3 * i] = 0;
        triangles[3 * i + 1] = i + 1;
        triangles[3 * i + 2] = i + 2;
    }
    return count - 2;
}

static size_t cut_ears(const float *corners, size_t count, const double normal[3], uint32_t *next,
                       uint32_t *triangles)
{
    uint32_t *before = next + count;
    for (uint32_t i = 0; i < count; i++) {
        next[i] = i + 1 < count ? i + 1 : 0;
        before[i] = i > 0 ? i - 1 : (uint32_t)count - 1;
    }
    size_t made = 0;
    size_t left = count;
    uint32_t at = 0;
    size_t refused = 0; // corners looked at since the last cut
    while (left > 3) {
        uint32_t a = before[at];
        uint32_t c = next[at];
        bool ear = turn(corners, a, at, c, normal) > 0 && !holds_a_corner(corners, next, a, at, c, normal);
        // A polygon that crosses itself may have no ear left; then any corner goes, so that the cutting ends.
        if (!ear && refused < left) {
            refused++;
            at = c;
            continue;
        }
        triangles[3 * made] = a;
        triangles[3 * made + 1] = at;
        triangles[3 * made + 2] = c;
        made++;
        next[a] = c;
        before[c] = a;
        left--;
        refused = 0;
        at = next[c]; // not the neighbour just widened: that would cut slivers from one corner
    }
    triangles[3 * made] = before[at];
    triangles[3 * made + 1] = at;
    triangles[3 * made + 2] = next[at];
    return made + 1;
}

size_t mr_polygon_cut(const float *corners, size_t count, uint32_t *links, uint32_t *triangles)
{
    double normal[3];
    polygon_normal(corners, count, normal);
    if (count == 3 || is_convex(corners, count, normal)) {
        return cut_fan(count, triangles);
    }
    return count > POLYGON_LIMIT ? 0 : cut_ears(corners, count, normal, links, triangles);
}

static uint64_t hash_words(const float *words)
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < WORDS; i += 2) {
        uint64_t pair;
        memcpy(&pair, words + i, sizeof pair);
        hash = (hash ^ pair) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    // Floats that are whole numbers leave the low bits alone until now.
    hash = (hash ^ hash >> 29) * 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 32;
}

// Room for `needed` items, asked for only when there is none: growing copies.
static bool reserve(mr_context *context, void **items, size_t *capacity, size_t needed, size_t item_size,
                    mr_error *error)
{
    if (*capacity >= needed || mr_array_grow(context, items, capacity, needed, item_size)) {
        return true;
    }
    return mr_fail_memory(error, needed * item_size);
}

static bool grow_slots(builder *b, mr_error *error)
{
    size_t count = b->slots ? 2 * (b->slot_mask + 1) : 1024;
    uint32_t *slots = mr_allocate_zeroed(b->context, count * sizeof *slots);
    if (!slots) {
        return mr_fail_memory(error, count * sizeof *slots);
    }
    mr_free(b->context, b->slots);
    b->slots = slots;
    b->slot_mask = count - 1;
    for (size_t i = 0; i < b->mesh->vertex_count; i++) {
        size_t at = hash_words(b->vertices + i * WORDS) & b->slot_mask;
        while (slots[at]) {
            at = (at + 1) & b->slot_mask;
        }
        slots[at] = (uint32_t)i + 1;
    }
    return true;
}

// The vertex that has these words, made when new.
static bool find_vertex(builder *b, const float *words, uint32_t *number, mr_error *error)
{
    if ((!b->slots || b->mesh->vertex_count * 2 > b->slot_mask) && !grow_slots(b, error)) {
        return false;
    }
    size_t at = hash_words(words) & b->slot_mask;
    for (; b->slots[at]; at = (at + 1) & b->slot_mask) {
        size_t have = b->slots[at] - 1;
        if (memcmp(b->vertices + have * WORDS, words, WORDS * sizeof(float)) == 0) {
            *number = (uint32_t)have;
            return true;
        }
    }
    if (b->mesh->vertex_count == UINT32_MAX - 1) {
        return mr_fail(error, MR_LIMIT, "mesh \"%s\" has more than %u vertices", b->name, UINT32_MAX - 1);
    }
    if (!reserve(b->context, (void **)&b->vertices, &b->vertex_capacity, b->mesh->vertex_count + 1,
                 WORDS * sizeof(float), error)) {
        return false;
    }
    memcpy(b->vertices + b->mesh->vertex_count * WORDS, words, WORDS * sizeof(float));
    *number = (uint32_t)b->mesh->vertex_count++;
    b->slots[at] = *number + 1;
    return true;
}

static float clean(float value, float otherwise)
{
    // + 0 makes -0 and 0 one vertex
    return __builtin_isfinite(value) ? value + 0.0f : otherwise;
}

static float clean_unit(float value)
{
    return value > 0 ? (value < 1 ? value : 1.0f) : (value <= 0 ? 0.0f : 1.0f);
}

// The words of a corner of a primitive whose face looks along `face`.
static void gather_words(const builder *b, size_t vertex, size_t primitive, const double face[3],
                         float *words)
{
    const float *point = b->points + 3 * (size_t)b->point_of[vertex];
    memset(words, 0, WORDS * sizeof(float));
    for (int i = 0; i < 3; i++) {
        words[i] = clean(point[i], 0);
    }
    if (b->normal.values) {
        const float *n = source_at(b, &b->normal, vertex, primitive);
        double normal[3] = { (double)n[0], (double)n[1], (double)n[2] };
        if (!normalize(normal)) {
            memcpy(normal, face, sizeof normal);
        }
        for (int i = 0; i < 3; i++) {
            words[3 + i] = (float)normal[i] + 0.0f;
        }
    }
    if (b->uv.values) {
        const float *uv = source_at(b, &b->uv, vertex, primitive);
        words[6] = clean(uv[0], 0);
        words[7] = clean(uv[1], 0);
    }
    if (b->color.values) {
        const float *color = source_at(b, &b->color, vertex, primitive);
        for (uint32_t i = 0; i < 4; i++) {
            words[8 + i] = i < b->color.lanes ? clean_unit(color[i]) : 1.0f;
        }
    }
}

static bool reserve_polygon(builder *b, size_t count, mr_error *error)
{
    if (count <= b->corner_capacity) {
        return true;
    }
    size_t capacity = count < 64 ? 64 : count + count / 2;
    mr_free(b->context, b->corners);
    mr_free(b->context, b->links);
    mr_free(b->context, b->triangles);
    b->corner_capacity = 0;
    b->corners = mr_allocate(b->context, capacity * 3 * sizeof *b->corners);
    b->links = mr_allocate(b->context, capacity * 2 * sizeof *b->links);
    b->triangles = mr_allocate(b->context, capacity * 3 * sizeof *b->triangles);
    if (!b->corners || !b->links || !b->triangles) {
        return mr_fail_memory(error, capacity * 3 * sizeof *b->corners);
    }
    b->corner_capacity = capacity;
    return true;
}

static bool add_triangle(builder *b, size_t primitive, size_t start, const uint32_t corners[3],
                         mr_error *error)
{
    double u[3];
    double v[3];
    double face[3];
    subtract(b->corners + 3 * (size_t)corners[1], b->corners + 3 * (size_t)corners[0], u);
    subtract(b->corners + 3 * (size_t)corners[2], b->corners + 3 * (size_t)corners[0], v);
    cross(u, v, face);
    if (!normalize(face)) {
        b->mesh->dropped++;
        return true;
    }
    if (!reserve(b->context, (void **)&b->mesh->indices, &b->index_capacity, b->mesh->index_count + 3,
                 sizeof(uint32_t), error)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        float words[WORDS];
        gather_words(b, start + corners[i], primitive, face, words);
        if (!find_vertex(b, words, &b->mesh->indices[b->mesh->index_count + (size_t)i], error)) {
            return false;
        }
    }
    b->mesh->index_count += 3;
    return true;
}

static bool add_primitive(builder *b, size_t primitive, size_t start, size_t count, mr_error *error)
{
    if (!reserve_polygon(b, count, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(b->corners + 3 * i, b->points + 3 * (size_t)b->point_of[start + i], 3 * sizeof(float));
    }
    size_t triangles = mr_polygon_cut(b->corners, count, b->links, b->triangles);
    if (triangles == 0) {
        return mr_fail(error, MR_LIMIT,
                       "mesh \"%s\": primitive %zu is not convex and has %zu corners; at most %d can be cut",
                       b->name, primitive, count, (int)POLYGON_LIMIT);
    }
    for (size_t i = 0; i < triangles; i++) {
        if (!add_triangle(b, primitive, start, b->triangles + 3 * i, error)) {
            return false;
        }
    }
    return true;
}

static bool add_primitives(builder *b, const mr_geometry *geometry, mr_error *error)
{
    const mr_column *starts = mr_geometry_find(geometry, MR_PRIMITIVE, "vstart");
    const mr_column *counts = mr_geometry_find(geometry, MR_PRIMITIVE, "vcount");
    const mr_column *closed = mr_geometry_find(geometry, MR_PRIMITIVE, "closed");
    size_t primitives = starts && counts ? mr_geometry_count(geometry, MR_PRIMITIVE) : 0;
    for (size_t i = 0; i < primitives; i++) {
        bool polygon = (!closed || closed->u32[i] != 0) && counts->i32[i] >= 3;
        if (polygon && !add_primitive(b, i, (size_t)starts->i32[i], (size_t)counts->i32[i], error)) {
            return false;
        }
    }
    return true;
}

// One attribute of every vertex, in a run of its own.
static float *split(const builder *b, size_t first, size_t lanes, mr_error *error)
{
    size_t bytes = b->mesh->vertex_count * lanes * sizeof(float);
    float *out = mr_allocate(b->context, bytes > 0 ? bytes : 1);
    if (!out) {
        mr_fail_memory(error, bytes);
        return NULL;
    }
    for (size_t i = 0; i < b->mesh->vertex_count; i++) {
        memcpy(out + i * lanes, b->vertices + i * WORDS + first, lanes * sizeof(float));
    }
    return out;
}

static bool split_attributes(const builder *b, mr_error *error)
{
    mr_gltf_mesh *mesh = b->mesh;
    mesh->positions = split(b, 0, 3, error);
    bool good = mesh->positions != NULL;
    if (good && b->normal.values) {
        good = (mesh->normals = split(b, 3, 3, error)) != NULL;
    }
    if (good && b->uv.values) {
        good = (mesh->uvs = split(b, 6, 2, error)) != NULL;
    }
    if (good && b->color.values) {
        good = (mesh->colors = split(b, 8, 4, error)) != NULL;
    }
    return good;
}

static bool build(builder *b, const mr_geometry *geometry, mr_error *error)
{
    static const mr_class corner_classes[] = { MR_VERTEX, MR_POINT };
    static const mr_class color_classes[] = { MR_VERTEX, MR_POINT, MR_PRIMITIVE };
    const mr_column *points = mr_geometry_find(geometry, MR_POINT, "P");
    const mr_column *point_of = mr_geometry_find(geometry, MR_VERTEX, "pt");
    if (!points || !point_of) {
        return true; // nothing that has a face
    }
    b->points = points->f32;
    b->point_of = point_of->i32;
    b->corner_count = mr_geometry_count(geometry, MR_VERTEX);
    b->normal = find_source(geometry, "N", 3, corner_classes, 2);
    b->uv = find_source(geometry, "uv", 2, corner_classes, 2);
    b->color = find_source(geometry, "Cd", 3, color_classes, 3);
    return add_primitives(b, geometry, error) && split_attributes(b, error);
}

bool mr_gltf_mesh_build(mr_context *context, const mr_geometry *geometry, const char *name,
                        mr_gltf_mesh *mesh, mr_error *error)
{
    if (!mr_geometry_validate(geometry, error)) {
        return mr_fail_prefix(error, "mesh \"%s\"", name);
    }
    mr_gltf_mesh made = { .stride = 1 };
    builder b = { .context = context, .name = name, .mesh = &made };
    bool good = build(&b, geometry, error);
    mr_free(context, b.vertices);
    mr_free(context, b.slots);
    mr_free(context, b.corners);
    mr_free(context, b.links);
    mr_free(context, b.triangles);
    if (!good) {
        mr_gltf_mesh_free(context, &made);
        return false;
    }
    *mesh = made;
    return true;
}

void mr_gltf_mesh_free(mr_context *context, mr_gltf_mesh *mesh)
{
    mr_free(context, mesh->positions);
    mr_free(context, mesh->normals);
    mr_free(context, mesh->uvs);
    mr_free(context, mesh->colors);
    mr_free(context, mesh->byte_colors);
    mr_free(context, mesh->indices);
    memset(mesh, 0, sizeof *mesh);
}
