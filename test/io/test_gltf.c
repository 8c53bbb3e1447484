#include "support.h"

#include "base/file.h"
#include "io/gltf.h"
#include "io/gltf_mesh.h"
#include "io/json.h"
#include "num/exact.h"

#include <math.h>

// --- Reading a .glb again ---

typedef struct glb {
    mr_context *context;
    char *bytes;
    size_t size;
    json_t *json;
    const unsigned char *binary;
    size_t binary_size;
} glb;

static uint32_t u32_at(const void *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

static glb read_glb(mr_context *context, const char *path)
{
    glb file = { .context = context };
    mr_error error;
    test_assert_ok(mr_file_read(context, path, 0, &file.bytes, &file.size, &error), &error);
    assert_memory_equal(file.bytes, "glTF", 4);
    assert_int_equal(u32_at(file.bytes + 4), 2);
    assert_int_equal(u32_at(file.bytes + 8), file.size);
    uint32_t json_size = u32_at(file.bytes + 12);
    assert_int_equal(json_size % 4, 0);
    assert_memory_equal(file.bytes + 16, "JSON", 4);
    test_assert_ok(mr_json_parse(file.bytes + 20, json_size, path, &file.json, &error), &error);
    if (20 + json_size < file.size) {
        file.binary_size = u32_at(file.bytes + 20 + json_size);
        assert_memory_equal(file.bytes + 24 + json_size, "BIN\0", 4);
        file.binary = (const unsigned char *)file.bytes + 28 + json_size;
        assert_int_equal(28 + json_size + file.binary_size, file.size);
    }
    return file;
}

static void close_glb(glb *file)
{
    json_decref(file->json);
    mr_free(file->context, file->bytes);
}

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

// Whether every index of mesh is below its vertices' count, of the type stated, and none is 65535 in 16 bits.
static void check_indices(const glb *file, size_t mesh, json_int_t expected_type, size_t expected_vertices)
{
    json_t *primitive = json_array_get(
        json_object_get(json_array_get(json_object_get(file->json, "meshes"), mesh), "primitives"), 0);
    json_t *accessors = json_object_get(file->json, "accessors");
    json_t *indices = json_array_get(accessors, (size_t)number_of(primitive, "indices"));
    json_t *positions =
        json_array_get(accessors, (size_t)number_of(json_object_get(primitive, "attributes"), "POSITION"));
    assert_int_equal(number_of(positions, "count"), expected_vertices);
    assert_int_equal(number_of(indices, "componentType"), expected_type);
    json_t *view =
        json_array_get(json_object_get(file->json, "bufferViews"), (size_t)number_of(indices, "bufferView"));
    const unsigned char *bytes = file->binary + number_of(view, "byteOffset");
    uint32_t most = 0;
    for (json_int_t i = 0; i < number_of(indices, "count"); i++) {
        uint32_t index = expected_type == 5123 ? (uint32_t)bytes[2 * i] | (uint32_t)bytes[2 * i + 1] << 8
                                               : u32_at(bytes + 4 * i);
        assert_true(index < expected_vertices);
        most = index > most ? index : most;
    }
    assert_int_equal(most, expected_vertices - 1);
    assert_true(expected_type == 5125 || most < 65535);
}

// --- Making scenes ---

static mr_geometry *make_box(mr_context *context, float width, float height)
{
    static const uint32_t faces[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 },
                                           { 0, 1, 4 }, { 1, 5, 4 }, { 2, 6, 3 }, { 3, 6, 7 },
                                           { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
    float points[24];
    for (uint32_t i = 0; i < 8; i++) {
        points[3 * i] = i & 1 ? width / 2 : -width / 2;
        points[3 * i + 1] = i & 4 ? height : 0;
        points[3 * i + 2] = i & 2 ? width / 2 : -width / 2;
    }
    mr_error error;
    mr_geometry *made = mr_geometry_from_triangles(context, points, 8, &faces[0][0], 12, &error);
    assert_non_null(made);
    return made;
}

static uint32_t add_mesh(mr_scene *scene, const char *name, mr_geometry *geometry, uint32_t material)
{
    mr_mesh mesh = { .name = name, .geometry = geometry, .material = material };
    assert_true(mr_array_push(scene->context, &scene->meshes, mesh));
    return (uint32_t)scene->meshes.count - 1;
}

static uint32_t add_model(mr_scene *scene, const char *name, const mr_model_piece *pieces, size_t count)
{
    mr_model model = { .name = name, .piece_count = count };
    model.pieces = mr_arena_take(&scene->arena, count * sizeof *pieces);
    memcpy(model.pieces, pieces, count * sizeof *pieces);
    assert_true(mr_array_push(scene->context, &scene->models, model));
    return (uint32_t)scene->models.count - 1;
}

static void add_entity(mr_scene *scene, const char *path, uint32_t parent, mr_transform transform,
                       uint32_t model, bool hidden)
{
    mr_entity entity = { .path = path, .id = 0xfedcba9876543210u + scene->entities.count, .parent = parent };
    entity.transform = transform;
    entity.model = model;
    entity.hidden = hidden;
    assert_true(mr_array_push(scene->context, &scene->entities, entity));
}

static mr_transform moved(float x, float y, float z)
{
    mr_transform t = mr_transform_identity;
    t.translation[0] = x;
    t.translation[1] = y;
    t.translation[2] = z;
    return t;
}

// Turned about +y by an angle, and about +x by another.
static mr_transform turned(mr_transform t, float about_y, float about_x, float scale)
{
    double cy = cos((double)about_y / 2), sy = sin((double)about_y / 2);
    double cx = cos((double)about_x / 2), sx = sin((double)about_x / 2);
    t.rotation[0] = (float)(cy * sx);
    t.rotation[1] = (float)(sy * cx);
    t.rotation[2] = (float)(-sy * sx);
    t.rotation[3] = (float)(cy * cx);
    for (int i = 0; i < 3; i++) {
        t.scale[i] = scale;
    }
    return t;
}

// --- Matrices, worked here in another way than the writer's ---

static void matrix_of(const mr_transform *t, double m[16])
{
    double x = (double)t->rotation[0], y = (double)t->rotation[1], z = (double)t->rotation[2],
           w = (double)t->rotation[3];
    double r[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                    2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                    2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y) };
    memset(m, 0, 16 * sizeof *m);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            m[4 * c + k] = r[3 * c + k] * (double)t->scale[c];
        }
        m[12 + c] = (double)t->translation[c];
    }
    m[15] = 1;
}

static void multiply(const double a[16], const double b[16], double out[16])
{
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            double sum = 0;
            for (int k = 0; k < 4; k++) {
                sum += a[4 * k + r] * b[4 * c + k];
            }
            out[4 * c + r] = sum;
        }
    }
}

// An item as the seed page says: at (x, height - sink * size, z), turned about +y, of one size.
static void item_matrix(const mr_item *item, double m[16])
{
    double c = cos((double)item->turn) * (double)item->size;
    double s = sin((double)item->turn) * (double)item->size;
    double out[16] = { c,
                       0,
                       -s,
                       0,
                       0,
                       (double)item->size,
                       0,
                       0,
                       s,
                       0,
                       c,
                       0,
                       (double)item->x,
                       (double)item->height - (double)item->sink * (double)item->size,
                       (double)item->z,
                       1 };
    memcpy(m, out, sizeof out);
}

static void put_matrix(mr_json *json, const double m[16])
{
    mr_json_key(json, "matrix");
    mr_json_begin_flat_list(json);
    for (int i = 0; i < 16; i++) {
        mr_json_f64(json, m[i]);
    }
    mr_json_end(json);
}

static void put_count(mr_json *json, const char *key, uint64_t value)
{
    mr_json_key(json, key);
    mr_json_unsigned(json, value);
}

// --- The checks in node ---

static bool node_modules(char out[MR_PATH_SIZE], const char **why)
{
    const char *deps = getenv("MARRAM_DEPS");
    snprintf(out, MR_PATH_SIZE, "%s/node/node_modules", deps ? deps : MARRAM_SOURCE_DIR "/build/deps");
    char probe[2 * MR_PATH_SIZE];
    snprintf(probe, sizeof probe, "%s/gltf-validator/package.json", out);
    *why = "gltf-validator and three are not in build/deps/node (scripts/setup fetches them)";
    if (access(probe, R_OK) != 0) {
        return false;
    }
    *why = "there is no node";
    return system("node --version >/dev/null 2>&1") == 0;
}

static void check_in_node(const char *path, const char *expected)
{
    char modules[MR_PATH_SIZE];
    const char *why;
    if (!node_modules(modules, &why)) {
        print_message("[ SKIPPED  ] %s: %s\n", path, why);
        return;
    }
    char command[4 * MR_PATH_SIZE];
    snprintf(command, sizeof command, "node '%s/test/io/check_gltf.mjs' '%s' '%s' '%s' >&2",
             MARRAM_SOURCE_DIR, modules, path, expected ? expected : "");
    if (system(command) != 0) {
        fail_msg("%s: the checks in node found the above", path);
    }
}

// --- The tests ---

static void indices_have_the_width_their_vertices_need(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "w.glb", &error));
    for (uint32_t count = 65534; count <= 65537; count++) {
        // A strip of triangles over points on two lines.
        float *points = malloc(count * 3 * sizeof *points);
        uint32_t *triangles = malloc(count * 3 * sizeof *triangles);
        for (uint32_t i = 0; i < count; i++) {
            points[3 * i] = (float)(i / 2);
            points[3 * i + 1] = 0;
            points[3 * i + 2] = (float)(i % 2);
        }
        for (uint32_t i = 0; i + 2 < count; i++) {
            triangles[3 * i] = i;
            triangles[3 * i + 1] = i + 1 + i % 2;
            triangles[3 * i + 2] = i + 2 - i % 2;
        }
        mr_scene *scene = mr_scene_create(context, &error);
        mr_geometry *strip = mr_geometry_from_triangles(context, points, count, triangles, count - 2, &error);
        assert_non_null(strip);
        mr_model_piece piece = { add_mesh(scene, "strip", strip, MR_NO_INDEX), mr_transform_identity };
        add_entity(scene, "w.strip", MR_NO_INDEX, mr_transform_identity, add_model(scene, "strip", &piece, 1),
                   false);
        test_assert_ok(mr_gltf_save(context, scene, path, NULL, NULL, &error), &error);
        glb file = read_glb(context, path);
        check_indices(&file, 0, count <= 65535 ? 5123 : 5125, count);
        close_glb(&file);
        check_in_node(path, NULL);
        mr_scene_destroy(scene);
        free(points);
        free(triangles);
    }
    test_folder_remove(folder);
}

// A hundred thousand rocks of three kinds, the third of two pieces.
static mr_scene *make_rocks(mr_context *context, size_t count)
{
    static const char *kinds[] = { "pebble", "slab", "cairn" };
    mr_error error;
    mr_scene *scene = mr_scene_create(context, &error);
    scene->name = "rocks";
    mr_material grey = { .name = "grey", .base_color = { 0.4f, 0.4f, 0.45f, 1 }, .roughness = 0.9f };
    assert_true(mr_array_push(context, &scene->materials, grey));
    mr_model_piece pieces[2];
    uint32_t models[3];
    for (uint32_t i = 0; i < 2; i++) {
        pieces[0] = (mr_model_piece){ add_mesh(scene, kinds[i], make_box(context, 0.3f + (float)i, 0.2f), 0),
                                      mr_transform_identity };
        models[i] = add_model(scene, kinds[i], pieces, 1);
    }
    pieces[0] = (mr_model_piece){ 0, turned(moved(0.5f, 0, 0.25f), 0.7f, 0, 1) };
    pieces[1] = (mr_model_piece){ 1, turned(moved(0, 0.2f, 0), 0, 0.3f, 0.5f) };
    add_mesh(scene, "unused", make_box(context, 1, 1), 0);
    models[2] = add_model(scene, "cairn", pieces, 2);
    mr_population population = {
        .path = "rocks.layout", .kinds = kinds, .kind_count = 3, .item_count = count
    };
    population.models = mr_arena_take(&scene->arena, 3 * sizeof *population.models);
    population.model_count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        population.models[i].kind = 2 - i;
        population.models[i].variant = 4;
        population.models[i].model = models[2 - i];
    }
    population.items = mr_arena_take(&scene->arena, (count + 1) * sizeof *population.items);
    test_random random = { 8 };
    for (size_t i = 0; i < count; i++) {
        mr_item *item = &population.items[i];
        item->kind = i < 3 ? (uint32_t)i : test_below(&random, 3);
        item->variant = 4;
        item->x = (float)test_between(&random, -900, 900);
        item->z = (float)test_between(&random, -900, 900);
        item->height = item->y = (float)test_between(&random, -3, 150);
        item->turn = (float)test_between(&random, 0, 6.28);
        item->size = (float)test_between(&random, 0.2, 3);
        item->sink = 0.2f;
        item->key = i % 1000 == 0 ? "rock" : "r";
    }
    assert_true(mr_array_push(context, &scene->populations, population));
    return scene;
}

static void write_expected_groups(mr_json *json, const mr_scene *scene)
{
    const mr_population *population = &scene->populations.items[0];
    mr_json_key(json, "groups");
    mr_json_begin_list(json);
    for (uint32_t kind = 0; kind < 3; kind++) {
        for (size_t piece = 0; piece < (kind == 2 ? 2u : 1u); piece++) {
            mr_json_begin_object(json);
            mr_json_key(json, "kind");
            mr_json_text(json, mr_view_of(population->kinds[kind]));
            put_count(json, "variant", 4);
            put_count(json, "piece", piece);
            mr_json_key(json, "items");
            mr_json_begin_list(json);
            uint64_t at = 0;
            for (size_t i = 0; i < population->item_count; i++) {
                const mr_item *item = &population->items[i];
                if (item->kind != kind) {
                    continue;
                }
                if (at % 97 == 0) {
                    double m[16], own[16], whole[16];
                    item_matrix(item, m);
                    matrix_of(&scene->models.items[kind].pieces[piece].transform, own);
                    multiply(m, own, whole);
                    mr_json_begin_object(json);
                    put_count(json, "at", at);
                    put_matrix(json, whole);
                    mr_json_end(json);
                }
                at++;
            }
            mr_json_end(json);
            put_count(json, "count", at);
            mr_json_end(json);
        }
    }
    mr_json_end(json);
}

static void save_json(mr_context *context, mr_json *json, const char *path)
{
    mr_error error;
    test_assert_ok(mr_json_finish(json, &error), &error);
    test_assert_ok(mr_file_save(context, path, json->text.data, json->text.size, &error), &error);
    mr_json_destroy(json);
}

static void a_hundred_thousand_rocks_are_three_meshes_and_their_instances(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    char expected[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "rocks.glb", &error));
    assert_true(mr_path_join(expected, folder, "rocks.json", &error));
    mr_scene *scene = make_rocks(context, 100000);
    // The cairn is made of the two others' meshes; give it one of its own so that there are three.
    scene->models.items[2].pieces[1].mesh = 2;
    scene->meshes.items[2].name = "top";
    mr_gltf_report report;
    test_assert_ok(mr_gltf_save(context, scene, path, NULL, &report, &error), &error);
    assert_int_equal(report.meshes, 3);
    assert_int_equal(report.nodes, 1 + 4);
    uint64_t cairns = 0;
    for (size_t i = 0; i < 100000; i++) {
        cairns += scene->populations.items[0].items[i].kind == 2;
    }
    assert_int_equal(report.instances, 100000 + cairns);
    assert_int_equal(report.items_without_model, 0);
    mr_json json;
    mr_json_init(&json, context, true);
    mr_json_begin_object(&json);
    mr_json_key(&json, "counts");
    mr_json_begin_object(&json);
    put_count(&json, "geometries", 3);
    put_count(&json, "instanced", 4);
    put_count(&json, "instances", 100000 + cairns);
    put_count(&json, "triangles", 12 * (100000 + cairns));
    mr_json_end(&json);
    write_expected_groups(&json, scene);
    mr_json_end(&json);
    save_json(context, &json, expected);
    check_in_node(path, expected);
    mr_scene_destroy(scene);
    test_folder_remove(folder);
}

static void plain_nodes_stand_each_thing_where_its_instance_stood(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    char expected[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "rocks.glb", &error));
    assert_true(mr_path_join(expected, folder, "rocks.json", &error));
    mr_scene *scene = make_rocks(context, 300);
    char keys[300][24];
    uint64_t cairns = 0;
    mr_json json;
    mr_json_init(&json, context, true);
    mr_json_begin_object(&json);
    mr_json_key(&json, "nodes");
    mr_json_begin_list(&json);
    for (size_t i = 0; i < 300; i++) {
        mr_item *item = &scene->populations.items[0].items[i];
        snprintf(keys[i], sizeof keys[i], "rock/%zu", i);
        item->key = keys[i];
        cairns += item->kind == 2;
        char name[64];
        mr_text_format(name, sizeof name, "rocks.layout[%s]", keys[i]);
        double m[16];
        item_matrix(item, m);
        mr_json_begin_object(&json);
        mr_json_key(&json, "name");
        mr_json_text(&json, mr_view_of(name));
        put_matrix(&json, m);
        mr_json_end(&json);
    }
    mr_json_end(&json);
    mr_json_key(&json, "counts");
    mr_json_begin_object(&json);
    put_count(&json, "instanced", 0);
    put_count(&json, "meshes", 300 + cairns);
    mr_json_end(&json);
    mr_json_end(&json);
    save_json(context, &json, expected);
    mr_gltf_options options = mr_gltf_options_default();
    options.plain_nodes = true;
    mr_gltf_report report;
    test_assert_ok(mr_gltf_save(context, scene, path, &options, &report, &error), &error);
    assert_int_equal(report.instances, 300);
    check_in_node(path, expected);
    mr_scene_destroy(scene);
    test_folder_remove(folder);
}

// A mesh with everything: a polygon with a notch, colours, uvs, a broken normal, an open line, a face without area.
static mr_geometry *make_odd(mr_context *context)
{
    static const float points[] = { 0, 0, 0, 4, 0, 0, 4, 0, 3, 2, 0, 1, 0, 0, 3, 0, 2, 0, 1, 2, 0, 1, 2, 0 };
    static const int32_t corner[] = { 4, 3, 2,           1, 0, /* notch */ 5, 6, 7, /* no area */ 0,
                                      1, 5, /* tri */ 0, 5 };
    static const int32_t starts[] = { 0, 5, 8, 11 };
    static const int32_t counts[] = { 5, 3, 3, 2 };
    static const uint32_t closed[] = { 1, 1, 1, 0 };
    float normals[13 * 3];
    float uvs[13 * 2];
    float colors[8 * 4];
    for (int i = 0; i < 13; i++) {
        normals[3 * i] = 0;
        normals[3 * i + 1] = i % 5 == 0   ? 0
                             : i % 5 == 1 ? NAN
                                          : 2.5f; // some without a direction, some not of length 1
        normals[3 * i + 2] = i % 5 == 2 ? 1e-30f : 0;
        uvs[2 * i] = i == 3 ? NAN : (float)i / 13;
        uvs[2 * i + 1] = i == 4 ? INFINITY : -0.0f;
    }
    for (int i = 0; i < 32; i++) {
        colors[i] = i == 5 ? NAN : (float)i / 20 - 0.2f; // below 0 and above 1 too
    }
    mr_error error;
    mr_geometry *g = mr_geometry_create(context, &error);
    assert_true(mr_geometry_set(g, MR_POINT, "P", mr_column_from(context, MR_COLUMN_VEC3, points, 8, &error),
                                &error));
    assert_true(mr_geometry_set(g, MR_POINT, "Cd",
                                mr_column_from(context, MR_COLUMN_COLOR, colors, 8, &error), &error));
    assert_true(mr_geometry_set(g, MR_VERTEX, "pt",
                                mr_column_from(context, MR_COLUMN_INT, corner, 13, &error), &error));
    assert_true(mr_geometry_set(g, MR_VERTEX, "N",
                                mr_column_from(context, MR_COLUMN_VEC3, normals, 13, &error), &error));
    assert_true(mr_geometry_set(g, MR_VERTEX, "uv", mr_column_from(context, MR_COLUMN_VEC2, uvs, 13, &error),
                                &error));
    assert_true(mr_geometry_set(g, MR_PRIMITIVE, "vstart",
                                mr_column_from(context, MR_COLUMN_INT, starts, 4, &error), &error));
    assert_true(mr_geometry_set(g, MR_PRIMITIVE, "vcount",
                                mr_column_from(context, MR_COLUMN_INT, counts, 4, &error), &error));
    assert_true(mr_geometry_set(g, MR_PRIMITIVE, "closed",
                                mr_column_from(context, MR_COLUMN_BOOL, closed, 4, &error), &error));
    return g;
}

static mr_scene *make_everything(mr_context *context)
{
    mr_error error;
    mr_scene *scene = make_rocks(context, 50);
    scene->name = "every \"thing\" \xc3\xa9";
    mr_material materials[] = {
        { .name = "glass",
          .base_color = { 0.2f, 2, NAN, 0.5f },
          .metallic = 0.5f,
          .roughness = -1,
          .double_sided = true },
        { .name = "lamp", .base_color = { 1, 1, 1, 1 }, .roughness = 1, .emissive = { 8, 4, 0 } },
        { .name = "ember", .base_color = { 1, 1, 1, 1 }, .roughness = 1, .emissive = { 0.5f, 0, 0 } },
    };
    for (int i = 0; i < 3; i++) {
        assert_true(mr_array_push(context, &scene->materials, materials[i]));
    }
    mr_model_piece pieces[4] = {
        { add_mesh(scene, "odd", make_odd(context), 1), mr_transform_identity },
        { add_mesh(scene, "lamp", make_box(context, 1, 1), 2), moved(0, 3, 0) },
        { add_mesh(scene, "ember", make_box(context, 1, 1), 3), moved(1, 3, 0) },
        { add_mesh(scene, "nothing", mr_geometry_create(context, &error), MR_NO_INDEX),
          mr_transform_identity },
    };
    uint32_t many = add_model(scene, "many", pieces, 4);
    uint32_t odd = add_model(scene, "odd", pieces, 1);
    uint32_t none = add_model(scene, "none", pieces + 3, 1);
    // Children before their parents too.
    add_entity(scene, "w.house.porch", 2, turned(moved(1, 2, 3), 0.5f, 0.25f, 2), many, false);
    add_entity(scene, "w.house.porch.step[2]", 0, moved(0, 0, 1), odd, false);
    add_entity(scene, "w.house", MR_NO_INDEX, turned(moved(-16, 4.6f, 330), 1.2f, 0, 1), MR_NO_INDEX, false);
    add_entity(scene, "w.cellar", MR_NO_INDEX, mr_transform_identity, odd, true);
    add_entity(scene, "w.cellar.box", 3, mr_transform_identity, many, false);
    add_entity(scene, "w.empty", MR_NO_INDEX, moved(1, 1, 1), none, false);
    mr_raster *raster = mr_raster_create(context, -20, -30, 2.5, 41, 31, 2, &error);
    float *cells = mr_raster_layer_write(raster, "height", 0, &error);
    for (size_t i = 0; i < mr_raster_stride(raster) * mr_raster_rows(raster); i++) {
        cells[i] =
            (float)(i % mr_raster_stride(raster)) * 0.3f - (float)(i / mr_raster_stride(raster)) * 0.1f;
    }
    mr_ground ground = { .path = "w.land", .raster = raster, .outside = -30 };
    assert_true(mr_array_push(context, &scene->grounds, ground));
    mr_camera cameras[] = { { "w.view", { 0, 10, 50 }, { 0, 5, 0 }, 0.8f },
                            { "w.above", { 0, 90, 0 }, { 0, 0, 0 }, 1 } };
    assert_true(mr_array_push(context, &scene->cameras, cameras[0]));
    assert_true(mr_array_push(context, &scene->cameras, cameras[1]));
    mr_sun sun = { 0.6f, 1.0f };
    assert_true(mr_array_push(context, &scene->suns, sun));
    return scene;
}

static void put_node(mr_json *json, const char *name, const double m[16])
{
    mr_json_begin_object(json);
    mr_json_key(json, "name");
    mr_json_text(json, mr_view_of(name));
    put_matrix(json, m);
    mr_json_end(json);
}

static void a_scene_with_everything_is_valid_and_stands_where_it_should(void **state)
{
    mr_context *context = *state;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    char expected[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "all.glb", &error));
    assert_true(mr_path_join(expected, folder, "all.json", &error));
    mr_scene *scene = make_everything(context);
    mr_gltf_report report;
    test_assert_ok(mr_gltf_save(context, scene, path, NULL, &report, &error), &error);
    assert_int_equal(report.dropped_triangles, 1);
    assert_int_equal(report.ground_stride, 1);
    mr_json json;
    mr_json_init(&json, context, true);
    mr_json_begin_object(&json);
    mr_json_key(&json, "counts");
    mr_json_begin_object(&json);
    put_count(&json, "lights", 1);
    put_count(&json, "cameras", 2);
    mr_json_end(&json);
    mr_json_key(&json, "nodes");
    mr_json_begin_list(&json);
    double house[16], porch[16], step[16], whole[16], at[16];
    matrix_of(&scene->entities.items[2].transform, house);
    matrix_of(&scene->entities.items[0].transform, porch);
    matrix_of(&scene->entities.items[1].transform, step);
    put_node(&json, "w.house", house);
    multiply(house, porch, whole);
    put_node(&json, "w.house.porch", whole);
    multiply(whole, step, at);
    put_node(&json, "w.house.porch.step[2]", at);
    mr_transform corner = moved(-50, 0, -75);
    matrix_of(&corner, at);
    put_node(&json, "w.land", at);
    // The sun stands 0.6 up and 1.0 west of south; its node's +z looks at it and +x is level.
    double el = (double)0.6f, az = (double)1.0f;
    double back[3] = { -cos(el) * sin(az), sin(el), cos(el) * cos(az) };
    double flat = sqrt(back[0] * back[0] + back[2] * back[2]);
    double across[3] = { back[2] / flat, 0, -back[0] / flat };
    double sun[16] = { across[0],
                       0,
                       across[2],
                       0,
                       back[1] * across[2],
                       back[2] * across[0] - back[0] * across[2],
                       -back[1] * across[0],
                       0,
                       back[0],
                       back[1],
                       back[2],
                       0,
                       0,
                       0,
                       0,
                       1 };
    put_node(&json, "sun", sun);
    double c = 10 / sqrt(101.0), s = 1 / sqrt(101.0); // looks 5 down over 50
    double view[16] = { 1, 0, 0, 0, 0, c, -s, 0, 0, s, c, 0, 0, 10, 50, 1 };
    put_node(&json, "w.view", view);
    double above[16] = { 1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 90, 0, 1 };
    put_node(&json, "w.above", above);
    mr_json_end(&json);
    mr_json_end(&json);
    save_json(context, &json, expected);
    check_in_node(path, expected);
    glb file = read_glb(context, path);
    size_t i;
    json_t *node;
    json_array_foreach(json_object_get(file.json, "nodes"), i, node)
    {
        const char *name = json_string_value(json_object_get(node, "name"));
        assert_true(!name || !strstr(name, "cellar"));
        if (name && strcmp(name, "w.house") == 0) {
            const char *id = json_string_value(json_object_get(json_object_get(node, "extras"), "id"));
            assert_string_equal(id, "fedcba9876543212");
        }
    }
    close_glb(&file);
    mr_gltf_options options = mr_gltf_options_default();
    options.plain_nodes = true;
    test_assert_ok(mr_gltf_save(context, scene, path, &options, NULL, &error), &error);
    check_in_node(path, NULL);
    mr_scene_destroy(scene);
    // Nothing at all is a scene too.
    scene = mr_scene_create(context, &error);
    test_assert_ok(mr_gltf_save(context, scene, path, NULL, NULL, &error), &error);
    check_in_node(path, NULL);
    mr_scene_destroy(scene);
    test_folder_remove(folder);
}

static void the_same_scene_gives_the_same_bytes_with_any_threads(void **state)
{
    char *first = NULL;
    size_t first_size = 0;
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "all.glb", &error));
    static const uint32_t threads[] = { 1, 2, 7 };
    for (int i = 0; i < 3; i++) {
        mr_context *context = test_context_of(threads[i], 0);
        mr_scene *scene = make_everything(context);
        test_assert_ok(mr_gltf_save(context, scene, path, NULL, NULL, &error), &error);
        char *bytes;
        size_t size;
        assert_true(mr_file_read(context, path, 0, &bytes, &size, &error));
        if (first) {
            assert_int_equal(size, first_size);
            assert_memory_equal(bytes, first, size);
        } else {
            first = malloc(size);
            memcpy(first, bytes, size);
            first_size = size;
        }
        mr_free(context, bytes);
        mr_scene_destroy(scene);
        test_context_end(context);
    }
    free(first);
    test_folder_remove(folder);
}

static void a_great_ground_is_thinned_and_its_border_stays(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_raster *raster = mr_raster_create(context, 10, -5, 0.5, 1025, 700, 1, &error);
    float *cells = mr_raster_layer_write(raster, "height", 0, &error);
    for (size_t i = 0; i < mr_raster_stride(raster) * mr_raster_rows(raster); i++) {
        cells[i] = (float)(i % 977);
    }
    mr_gltf_mesh mesh;
    test_assert_ok(mr_gltf_mesh_ground(context, raster, "g", 500000, &mesh, &error), &error);
    assert_int_equal(mesh.stride, 2);
    assert_int_equal(mesh.vertex_count, 513 * 351); // 0, 2, .., 698 and 699
    assert_true(mesh.index_count / 3 <= 500000);
    size_t stride = mr_raster_stride(raster);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        size_t i = v % 513 * 2;
        size_t j = v / 513 * 2 > 699 ? 699 : v / 513 * 2;
        assert_true(mesh.positions[3 * v] == (float)i * 0.5f && mesh.positions[3 * v + 2] == (float)j * 0.5f);
        assert_true(mesh.positions[3 * v + 1] == cells[(j + 1) * stride + i + 1]);
    }
    assert_true(mesh.translation[0] == 5 && mesh.translation[2] == -2.5);
    // Each cell is split from the corner along +z to the corner along +x, and faces up.
    for (size_t t = 0; t < mesh.index_count; t += 6) {
        size_t cell = t / 6;
        uint32_t a = (uint32_t)(cell / 512 * 513 + cell % 512);
        uint32_t expected[6] = { a, a + 513, a + 1, a + 1, a + 513, a + 514 };
        assert_memory_equal(mesh.indices + t, expected, sizeof expected);
    }
    mr_gltf_mesh_free(context, &mesh);
    cells[3 * stride + 5] = NAN;
    assert_false(mr_gltf_mesh_ground(context, raster, "g", 5000000, &mesh, &error));
    assert_text_contains(error.message, "(4, 2)");
    mr_raster_release(raster);
}

// The area of what the triangles cover, and whether all turn one way.
static double area_of(const float *corners, const uint32_t *triangles, size_t count, bool *one_way)
{
    double sum = 0;
    *one_way = true;
    for (size_t i = 0; i < count; i++) {
        const float *a = corners + 3 * triangles[3 * i];
        const float *b = corners + 3 * triangles[3 * i + 1];
        const float *c = corners + 3 * triangles[3 * i + 2];
        double area =
            ((double)(b[0] - a[0]) * (double)(c[1] - a[1]) - (double)(b[1] - a[1]) * (double)(c[0] - a[0])) /
            2;
        *one_way = *one_way && area >= 0;
        sum += area;
    }
    return sum;
}

static void polygons_of_any_shape_are_cut_into_triangles_that_cover_them_once(void **state)
{
    test_random random = { 21 };
    enum { MOST = 60 };
    for (size_t n = 0; n < test_count(3000); n++) {
        // A star about the origin: simple, and seldom convex.
        size_t count = 3 + test_below(&random, MOST - 3);
        float corners[MOST * 3];
        uint32_t links[MOST * 2];
        uint32_t triangles[MOST * 3];
        double shoelace = 0;
        for (size_t i = 0; i < count; i++) {
            double angle = 6.283185307179586 * ((double)i + test_between(&random, 0, 0.9)) / (double)count;
            double radius = test_between(&random, 0.2, 3);
            corners[3 * i] = (float)(radius * cos(angle));
            corners[3 * i + 1] = (float)(radius * sin(angle));
            corners[3 * i + 2] = 0;
        }
        for (size_t i = 0; i < count; i++) {
            const float *a = corners + 3 * i;
            const float *b = corners + 3 * ((i + 1) % count);
            shoelace += ((double)a[0] * (double)b[1] - (double)a[1] * (double)b[0]) / 2;
        }
        size_t made = mr_polygon_cut(corners, count, links, triangles);
        assert_int_equal(made, count - 2);
        bool one_way;
        double area = area_of(corners, triangles, made, &one_way);
        assert_true(fabs(area - shoelace) < 1e-5 * fabs(shoelace) + 1e-6);
        if (count > 3) { // three corners of a star may turn the other way about
            assert_true(one_way);
        }
    }
}

static void numbers_that_are_not_finite_are_errors_that_name_the_thing(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_scene *scene = make_everything(context);
    mr_item *item = &scene->populations.items[0].items[7];
    float kept = item->x;
    item->x = NAN;
    item->key = "rock/7";
    assert_false(mr_gltf_save(context, scene, "/tmp/never.glb", NULL, NULL, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_text_contains(error.message, "rock/7");
    item->x = kept;
    scene->entities.items[0].transform.scale[1] = INFINITY;
    assert_false(mr_gltf_save(context, scene, "/tmp/never.glb", NULL, NULL, &error));
    assert_text_contains(error.message, "w.house.porch");
    scene->entities.items[0].transform.scale[1] = 1;
    scene->cameras.items[0].fov = 4;
    assert_false(mr_gltf_save(context, scene, "/tmp/never.glb", NULL, NULL, &error));
    assert_text_contains(error.message, "w.view");
    assert_int_equal(access("/tmp/never.glb", F_OK), -1);
    mr_scene_destroy(scene);
}

static void any_failing_allocation_is_an_error_and_leaks_nothing(void **state)
{
    char folder[MR_PATH_SIZE];
    char path[MR_PATH_SIZE];
    test_folder(folder);
    mr_error error;
    assert_true(mr_path_join(path, folder, "w.glb", &error));
    size_t failed = 0;
    for (uint64_t n = 1;; n++) {
        assert_true(n < 100000);
        mr_context *context = test_context_of(1, 0);
        mr_scene *scene = make_everything(context);
        mr_memory_fail_after(context, n, false);
        bool good = mr_gltf_save(context, scene, path, NULL, NULL, &error);
        mr_memory_fail_after(context, 0, false);
        mr_scene_destroy(scene);
        test_context_end(context);
        if (good) {
            break;
        }
        failed++;
        assert_int_equal(error.status, MR_OUT_OF_MEMORY);
        assert_int_equal(test_folder_count(folder), 0);
    }
    assert_true(failed > 50);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(indices_have_the_width_their_vertices_need, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(a_hundred_thousand_rocks_are_three_meshes_and_their_instances,
                                        test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(plain_nodes_stand_each_thing_where_its_instance_stood, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(a_scene_with_everything_is_valid_and_stands_where_it_should,
                                        test_setup, test_teardown),
        cmocka_unit_test(the_same_scene_gives_the_same_bytes_with_any_threads),
        cmocka_unit_test_setup_teardown(a_great_ground_is_thinned_and_its_border_stays, test_setup,
                                        test_teardown),
        cmocka_unit_test(polygons_of_any_shape_are_cut_into_triangles_that_cover_them_once),
        cmocka_unit_test_setup_teardown(numbers_that_are_not_finite_are_errors_that_name_the_thing,
                                        test_setup, test_teardown),
        cmocka_unit_test(any_failing_allocation_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
