// The public face of worlds: what is asked is answered, what is wrong has its place, what is owned outlives what it may.

#include "support.h"

#include <marram/marram.h>

#include "data/scene.h"
#include "io/json.h"
#include "world/world.h"

static const char wood[] =
    "part wood\n"
    "  field hill = 5 m\n"
    "  field ground = terrain.fbm(terrain.source(size: (128 m, 96 m), resolution: 2 m, height: 6 m), "
    "featureSize: 60 m, amplitude: hill, seed: 3)\n"
    "  part land: terrain.land(ground)\n"
    "part pine\n"
    "  part trunk: mesh.cylinder(radius: 0.15 m, height: 9 m)\n"
    "part wood.trees\n"
    "  field layout = scatter(over: land, seed: 42, rules: [pines, bushes])\n"
    "  field pines = rule(candidates: jitteredGrid(cell: 9 m, x: -50 m ..< 50 m, z: -40 m ..< 40 m), "
    "spacing: 4 m, atMost: 20, place: pine())\n"
    "  field bushes = rule(candidates: jitteredGrid(cell: 9 m, x: -50 m ..< 50 m, z: -40 m ..< 40 m), "
    "spacing: 3 m, place: pine(size: 0.3))\n"
    "part wood.post[1]: mesh.box(size: (1 m, 1 m, 1 m)), at: (0 m, 100 m, 0 m)\n"
    "part wood.post[2]: mesh.box(size: (1 m, 1 m, 1 m)), at: (3 m, 100 m, 0 m)\n";

static const char wrong[] = "part wrong\n"
                            "  field height = 1 m + 2 s\n"
                            "  field unread = 3\n"
                            "  field other = heigt\n";

enum { PATH_SIZE = MR_PATH_SIZE + 96 };

typedef struct fixture {
    char folder[MR_PATH_SIZE];
    mr_context *context;
} fixture;

static void path_of(const fixture *f, const char *name, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%s", f->folder, name);
}

static void put(const fixture *f, const char *name, const char *text)
{
    char path[PATH_SIZE];
    path_of(f, name, path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool there(const fixture *f, const char *name)
{
    char path[PATH_SIZE];
    path_of(f, name, path);
    return access(path, F_OK) == 0;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    test_folder(f->folder);
    put(f, "wood.world", wood);
    put(f, "wrong.world", wrong);
    assert_true(mr_context_create(NULL, &f->context, NULL));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    mr_context_destroy(f->context);
    test_folder_remove(f->folder);
    free(f);
    return 0;
}

static mr_world *open(const fixture *f, const char *name, const mr_world_options *options)
{
    char path[PATH_SIZE];
    mr_error error = { 0 };
    mr_world *world;
    path_of(f, name, path);
    if (!mr_world_open(f->context, path, options, &world, &error)) {
        fail_msg("%s: %s", name, error.message);
    }
    return world;
}

static mr_scene *built(const fixture *f, const char *name, const mr_world_options *options)
{
    mr_error error = { 0 };
    mr_scene *scene;
    mr_world *world = open(f, name, options);
    if (!mr_world_build(world, &scene, &error)) {
        fail_msg("%s: %s", name, error.message);
    }
    mr_world_destroy(world); // the scene outlives it
    return scene;
}

static void messages_have_their_places_and_stand_in_their_order(void **state)
{
    const fixture *f = *state;
    mr_world *world = open(f, "wrong.world", NULL);
    size_t errors = 0, warnings = 0;
    assert_false(mr_world_check(world, &errors, &warnings));
    assert_false(mr_world_check(world, NULL, NULL));
    assert_int_equal(errors, 2);
    size_t count = mr_world_message_count(world);
    assert_int_equal(count, errors + warnings);
    size_t seen[2] = { 0, 0 };
    uint32_t line = 0;
    for (size_t i = 0; i < count; i++) {
        mr_error message;
        mr_log_level level = mr_world_message(world, i, &message);
        assert_true(level == MR_LOG_ERROR || level == MR_LOG_WARNING);
        assert_int_equal(message.status, level == MR_LOG_ERROR ? MR_BAD_INPUT : MR_OK);
        assert_true(message.line >= line && message.column > 0);
        assert_non_null(strstr(message.file, "/wrong.world"));
        line = message.line;
        seen[level == MR_LOG_WARNING]++;
        char text[4096], start[PATH_SIZE + MR_MESSAGE_SIZE];
        size_t size = mr_world_message_text(world, i, text, sizeof text);
        assert_int_equal(size, strlen(text));
        snprintf(start, sizeof start, "%s:%u:%u: %s: %s\n", message.file, message.line, message.column,
                 level == MR_LOG_ERROR ? "error" : "warning", message.message);
        assert_int_equal(strncmp(text, start, strlen(start)), 0);
        assert_non_null(strstr(text, "^\n"));
        // What does not fit is left off, and the length said all the same.
        char few[9] = "xxxxxxxx";
        assert_int_equal(mr_world_message_text(world, i, few, sizeof few), size);
        assert_true(strlen(few) == 8 && memcmp(few, text, 8) == 0);
        assert_int_equal(mr_world_message_text(world, i, NULL, 0), size);
    }
    assert_int_equal(seen[0], errors);
    assert_int_equal(seen[1], warnings);
    mr_error past;
    assert_int_equal(mr_world_message(world, count, &past), MR_LOG_DEBUG);
    assert_int_equal(mr_world_message_text(world, count, NULL, 0), 0);
    mr_world_destroy(world);
}

static void building_a_wrong_world_fails_with_its_first_error(void **state)
{
    const fixture *f = *state;
    mr_world *world = open(f, "wrong.world", NULL);
    mr_scene *scene = (mr_scene *)&world;
    mr_error error = { 0 }, first;
    assert_false(mr_world_build(world, &scene, &error));
    assert_ptr_equal(scene, &world); // untouched
    assert_false(mr_world_build(world, &scene, NULL));
    assert_int_equal(mr_world_message(world, 0, &first), MR_LOG_ERROR);
    assert_int_equal(first.line, 2);
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_int_equal(error.line, 2);
    assert_string_equal(error.message, first.message);
    assert_string_equal(error.file, first.file);
    mr_world_destroy(world);
}

static void what_a_scene_answers_adds_up(void **state)
{
    const fixture *f = *state;
    mr_scene *scene = built(f, "wood.world", NULL);
    assert_string_equal(mr_scene_name(scene), "wood");
    assert_int_equal(mr_scene_rule_count(scene), 2);
    uint64_t placed = 0;
    for (size_t i = 0; i < 2; i++) {
        const char *population = NULL;
        const mr_rule_report *rule = mr_scene_rule(scene, i, &population);
        assert_string_equal(rule->name, i ? "bushes" : "pines");
        assert_string_equal(population, "wood.trees.layout");
        placed += rule->placed;
        // Every cell of the grid has a candidate, and each is placed, fell or came past the cap.
        uint64_t cells = 12 * 9;
        assert_int_equal(rule->placed + rule->off_land + rule->keep + rule->footprint + rule->clearance +
                             rule->keep_clear + rule->blocked + rule->cap,
                         cells);
    }
    assert_int_equal(mr_scene_rule(scene, 0, NULL)->placed, 20);
    assert_null(mr_scene_rule(scene, 2, NULL));
    assert_int_equal(mr_scene_placed_count(scene), placed);
    bool found = false;
    for (size_t i = 0; i < mr_scene_family_count(scene); i++) {
        const mr_family *family = mr_scene_family(scene, i);
        if (strcmp(family->path, "wood.post") == 0) {
            assert_int_equal(family->count, 2);
            found = true;
        }
    }
    assert_true(found);
    assert_null(mr_scene_family(scene, mr_scene_family_count(scene)));
    float low[3], high[3];
    assert_true(mr_scene_bounds(scene, low, high));
    assert_true(low[0] == -64 && low[2] == -48);   // the ground's corner
    assert_true(high[1] >= 100 && high[1] <= 101); // the posts'
    mr_scene_destroy(scene);
}

static void hash_of(mr_scene *scene, char hash[MR_HASH_SIZE])
{
    mr_scene_hash(scene, hash);
    assert_int_equal(strlen(hash), MR_HASH_SIZE - 1);
    assert_int_equal(strspn(hash, "0123456789abcdef"), MR_HASH_SIZE - 1);
    mr_scene_destroy(scene);
}

static void a_setting_is_the_same_as_the_text_edited(void **state)
{
    const fixture *f = *state;
    char edited[sizeof wood], hashes[3][MR_HASH_SIZE];
    memcpy(edited, wood, sizeof wood);
    *strstr(edited, "5 m") = '8';
    put(f, "edited.world", edited);
    hash_of(built(f, "wood.world", NULL), hashes[0]);
    hash_of(built(f, "edited.world", NULL), hashes[1]);
    {
        char field[] = "wood.hill", value[] = "8 m";
        mr_setting setting = { field, value };
        mr_world_options options = mr_world_options_default();
        options.settings = &setting;
        options.setting_count = 1;
        mr_world *world = open(f, "wood.world", &options);
        memset(field, 'x', sizeof field - 1); // nothing of a setting is kept
        memset(value, 'x', sizeof value - 1);
        mr_scene *scene;
        assert_true(mr_world_build(world, &scene, NULL));
        hash_of(scene, hashes[2]);
        mr_world_destroy(world);
    }
    assert_string_not_equal(hashes[0], hashes[1]);
    assert_string_equal(hashes[1], hashes[2]);
}

static void a_setting_that_fits_nothing_is_a_message(void **state)
{
    const fixture *f = *state;
    mr_setting setting = { "wood.hil", "8 m" };
    mr_world_options options = mr_world_options_default();
    options.settings = &setting;
    options.setting_count = 1;
    mr_world *world = open(f, "wood.world", &options);
    mr_error message;
    assert_false(mr_world_check(world, NULL, NULL));
    assert_int_equal(mr_world_message(world, 0, &message), MR_LOG_ERROR);
    assert_non_null(strstr(message.message, "wood.hil"));
    mr_world_destroy(world);
}

static void options_that_mean_nothing_are_refused(void **state)
{
    const fixture *f = *state;
    char path[PATH_SIZE];
    path_of(f, "wood.world", path);
    mr_error error;
    mr_world *world = NULL;
    mr_world_options options = { .size = 0 };
    assert_false(mr_world_open(f->context, path, &options, &world, &error));
    assert_non_null(strstr(error.hint, "mr_world_options_default"));
    options.size = sizeof options + 8;
    assert_false(mr_world_open(f->context, path, &options, &world, &error));
    options = mr_world_options_default();
    mr_setting setting = { "wood.hill", NULL };
    options.settings = &setting;
    options.setting_count = 1;
    assert_false(mr_world_open(f->context, path, &options, &world, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_null(world);
    // An older program's record, which ends before what this version added, has the defaults for the rest.
    options = (mr_world_options){ .size = offsetof(mr_world_options, most_elements) };
    assert_true(mr_world_open(f->context, path, &options, &world, &error));
    assert_true(mr_world_check(world, NULL, NULL));
    mr_world_destroy(world);

    mr_scene *scene = built(f, "wood.world", NULL);
    char folder[PATH_SIZE];
    path_of(f, "out", folder);
    mr_write_options write = mr_write_options_default();
    write.files = 0;
    assert_false(mr_scene_write(scene, folder, &write, &error));
    write.files = MR_WRITE_ALL + 1;
    assert_false(mr_scene_write(scene, folder, &write, &error));
    write = (mr_write_options){ .files = MR_WRITE_ALL };
    assert_false(mr_scene_write(scene, folder, &write, &error));
    assert_false(there(f, "out"));
    mr_scene_destroy(scene);
}

static void keep(void *user, const char *text, size_t size)
{
    json_t **manifest = user;
    assert_int_equal(text[size], 0);
    assert_true(mr_json_parse(text, size, "manifest", manifest, NULL));
}

// The folder holds the chosen files, the manifest speaks of them alone, and has the scene's hash, whether it is one of them
// or not.
static void files_that_were_chosen_are_written_and_no_others(void **state)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } files[] = {
        { MR_WRITE_MANIFEST, "manifest.json" }, { MR_WRITE_GLB, "world.glb" },
        { MR_WRITE_HEIGHT_EXR, "height.exr" },  { MR_WRITE_HEIGHT_PNG, "height.png" },
        { MR_WRITE_LAYOUT, "layout.csv" },      { MR_WRITE_MAP, "map.png" },
    };
    const fixture *f = *state;
    mr_scene *scene = built(f, "wood.world", NULL);
    char hash[MR_HASH_SIZE];
    mr_scene_hash(scene, hash);
    static const uint32_t choices[] = { MR_WRITE_ALL, MR_WRITE_LAYOUT, MR_WRITE_MANIFEST,
                                        MR_WRITE_HEIGHT_PNG | MR_WRITE_MANIFEST,
                                        MR_WRITE_HEIGHT_EXR | MR_WRITE_GLB | MR_WRITE_MAP };
    for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
        char name[32], folder[PATH_SIZE];
        snprintf(name, sizeof name, "out%zu", c);
        path_of(f, name, folder);
        json_t *manifest = NULL;
        mr_error error = { 0 };
        mr_write_options options = mr_write_options_default();
        options.files = choices[c];
        options.user = &manifest;
        options.manifest = keep;
        if (!mr_scene_write(scene, folder, &options, &error)) {
            fail_msg("%s", error.message);
        }
        size_t written = 0;
        const json_t *listed = json_object_get(manifest, "files");
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            char path[80];
            snprintf(path, sizeof path, "%s/%s", name, files[i].name);
            bool chosen = (choices[c] & files[i].bit) != 0, found = false;
            assert_int_equal(there(f, path), chosen);
            for (size_t k = 0; k < json_array_size(listed); k++) {
                found = found || strcmp(json_string_value(json_array_get(listed, k)), files[i].name) == 0;
            }
            assert_int_equal(found, chosen);
            written += chosen;
        }
        assert_int_equal(json_array_size(listed), written);
        assert_string_equal(json_string_value(json_object_get(manifest, "content_hash")), hash);
        const json_t *ground = json_array_get(json_object_get(manifest, "grounds"), 0);
        assert_int_equal(json_object_get(ground, "high") != NULL, (choices[c] & MR_WRITE_HEIGHT_PNG) != 0);
        json_decref(manifest);
    }
    mr_scene_destroy(scene);
}

// A log that keeps its last warning.
static void keep_warning(void *user, mr_log_level level, const char *message)
{
    if (level == MR_LOG_WARNING) {
        snprintf(user, 1024, "%s", message);
    }
}

static void replace_in(const fixture *f, const char *name, const char *from, const char *to)
{
    static char text[1 << 16];
    char path[PATH_SIZE];
    path_of(f, name, path);
    FILE *file = fopen(path, "rb");
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    char *at = strstr(text, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    put(f, name, text);
}

static void a_manifest_of_other_node_versions_is_warned_about_by_name(void **state)
{
    fixture *f = *state;
    char warning[1024] = "", folder[PATH_SIZE];
    mr_context_config config = mr_context_config_default();
    mr_error error;
    config.user = warning;
    config.log = keep_warning;
    mr_context_destroy(f->context);
    test_assert_ok(mr_context_create(&config, &f->context, &error), &error);
    path_of(f, "out", folder);
    mr_scene *scene = built(f, "wood.world", NULL);
    mr_write_options options = mr_write_options_default();
    options.files = MR_WRITE_MANIFEST;
    test_assert_ok(mr_scene_write(scene, folder, &options, &error), &error);
    test_assert_ok(mr_scene_write(scene, folder, &options, &error), &error);
    assert_string_equal(warning, ""); // of the same versions
    replace_in(f, "out/manifest.json", "\"terrain.fbm\": 1", "\"terrain.fbm\": 8");
    test_assert_ok(mr_scene_write(scene, folder, &options, &error), &error);
    assert_text_contains(warning, "terrain.fbm (8 then, 1 now)");
    assert_null(strstr(warning, "terrain.source"));
    assert_text_contains(warning, "out/manifest.json");
    warning[0] = 0;
    replace_in(f, "out/manifest.json", "{", "]"); // no manifest at all: nothing to say
    test_assert_ok(mr_scene_write(scene, folder, &options, &error), &error);
    assert_string_equal(warning, "");
    mr_scene_destroy(scene);
}

// A graph that is wrong: its body of build on line 3 of land.lua, and the error that is to be had, at line (0: the
// world's own place, else land.lua's). checked: known before anything is cooked.
typedef struct wrong_graph {
    const char *body, *message;
    uint32_t line;
    bool checked;
} wrong_graph;

#define GROUND "g.terrain.source{ size = { 64, 64 }, resolution = 1 }"
static const wrong_graph wrong_graphs[] = {
    { "return g.terrain.fmb{}", "terrain has no node fmb; did you mean fbm?", 3, false },
    { "return g.terain.fbm{}", "no node family is called terain; did you mean terrain?", 3, false },
    { "return g.terrain.fbm{ rastr = " GROUND " }", "has no input rastr; did you mean raster?", 3, false },
    { "return g.terrain.fbm{ raster = " GROUND ", octaves = 99 }", "octaves is 99; it must be", 3, false },
    { "return g.terrain.from_texture{ texture = 'no.png', size = { 64, 64 } }", "no.png", 3, false },
    { "local t\nreturn t.x", "attempt to index a nil value", 4, false },
    { "error('mine')", "mine", 3, false },
    { "while true do end", "more work than it may", 3, false },
    { "return = 5", "unexpected symbol near '='", 3, true },
    { "return 3", "build answered a number; it must answer a table", 2, false },
    { "return { ground = 3 }", "build's answer: ground is 3; it must be a Raster", 2, false },
    { "return { grund = " GROUND " }", "build answered no ground", 2, false },
    { "return inputs.hight", "the graph declares no input hight; did you mean height?", 3, false },
};

static void put_graph(const fixture *f, const char *name, const char *body)
{
    char text[2048];
    snprintf(text, sizeof text,
             "return proc.define{ inputs = { { 'height', 'Number', 5, unit = 'm', min = 1, max = 100 } },\n"
             "  outputs = { { 'ground', 'Raster' } }, build = function(g, inputs)\n%s\nend }\n",
             body);
    put(f, name, text);
}

static void put_graph_world(const fixture *f, const char *call)
{
    char text[1024];
    snprintf(text, sizeof text,
             "part island\n"
             "  field ground = %s\n"
             "  part land: terrain.land(ground)\n",
             call);
    put(f, "island.world", text);
}

// The first error of a world: a message of the check, or what building says.
static mr_error first_error(const fixture *f, const char *name, bool *checked)
{
    mr_error error = { 0 };
    mr_scene *scene = NULL;
    mr_world *world = open(f, name, NULL);
    *checked = !mr_world_check(world, NULL, NULL);
    if (*checked) {
        assert_int_equal(mr_world_message(world, 0, &error), MR_LOG_ERROR);
    } else if (mr_world_build(world, &scene, &error)) {
        mr_scene_destroy(scene);
        fail_msg("%s was built", name);
    }
    mr_world_destroy(world);
    return error;
}

static void an_error_within_a_graph_stands_at_the_graphs_own_line(void **state)
{
    const fixture *f = *state;
    char lua[PATH_SIZE], world[PATH_SIZE];
    path_of(f, "land.lua", lua);
    path_of(f, "island.world", world);
    put_graph_world(f, "graph(\"land.lua\")(height: 10 m)");
    for (size_t i = 0; i < sizeof wrong_graphs / sizeof *wrong_graphs; i++) {
        const wrong_graph *one = &wrong_graphs[i];
        bool checked;
        put_graph(f, "land.lua", one->body);
        mr_error error = first_error(f, "island.world", &checked);
        if (checked != one->checked || !strstr(error.message, one->message) || error.line != one->line ||
            strcmp(error.file, lua) != 0 || !strstr(error.hint, "called from")) {
            fail_msg("%s\n  %s:%u:%u: %s\n  %s", one->body, error.file, error.line, error.column,
                     error.message, error.hint);
        }
        // "called from /tmp/x/island.world:2:18", as far as a hint has room
        const char *caller = strstr(error.hint, "called from ") + strlen("called from ");
        assert_int_equal(
            strncmp(caller, world, strlen(caller) < strlen(world) ? strlen(caller) : strlen(world)), 0);
        if (strlen(error.hint) + 1 < sizeof error.hint) {
            assert_non_null(strstr(error.hint, "island.world:2:"));
        }
    }
}

static void a_graphs_call_is_checked_against_what_it_declares(void **state)
{
    static const struct {
        const char *call, *message;
        uint32_t column;
    } calls[] = {
        { "graph(\"none.lua\")()", "there is no file \"none.lua\" in the world's folder", 18 },
        { "graph(\"../land.lua\")()", "../land.lua", 18 },
        { "graph(\"land.lua\")(hight: 10 m)", "land.lua has no input hight", 36 },
        { "graph(\"land.lua\")(height: 10 s)", "height: ", 44 },
        { "graph(\"land.lua\")(height: 1000 m)", "height is 1000", 44 },
        { "graph(\"land.lua\")(height: 10 m, height: 10 m)", "height is given twice", 50 },
        { "graph(\"land.lua\")(10 m, 5 m)", "land.lua takes fewer inputs", 42 },
        { "graph(\"land.lua\")().x", "a raster has no x", 38 },
    };
    const fixture *f = *state;
    char world[PATH_SIZE];
    path_of(f, "island.world", world);
    put_graph(f, "land.lua", "return " GROUND);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        bool checked;
        put_graph_world(f, calls[i].call);
        mr_error error = first_error(f, "island.world", &checked);
        if (!checked || !strstr(error.message, calls[i].message) || error.line != 2 ||
            error.column != calls[i].column || strcmp(error.file, world) != 0) {
            fail_msg("%s\n  %s:%u:%u: %s", calls[i].call, error.file, error.line, error.column,
                     error.message);
        }
    }
    // One that is right is built, its file read once; one whose name is worked out is read when it is called.
    put_graph_world(f, "graph(\"land.lua\")(height: 10 m)");
    mr_scene_destroy(built(f, "island.world", NULL));
    put_graph_world(f, "graph(name)()\n  field name = \"land.lua\"");
    mr_scene_destroy(built(f, "island.world", NULL));
    put_graph_world(f, "graph(name)()\n  field name = \"none.lua\"");
    bool checked;
    mr_error error = first_error(f, "island.world", &checked);
    assert_true(!checked && strstr(error.message, "none.lua") && strcmp(error.file, world) == 0);
    assert_int_equal(error.line, 2);
}

static void every_refused_allocation_is_an_error_and_no_leak(void **state)
{
    const fixture *f = *state;
    char path[PATH_SIZE];
    path_of(f, "wrong.world", path);
    for (uint64_t at = 1;; at++) {
        assert_true(at < 100000);
        uint64_t before = mr_context_memory_now(f->context);
        mr_world *world = NULL;
        mr_error error = { 0 };
        mr_memory_fail_after(f->context, at, true);
        bool good = mr_world_open(f->context, path, NULL, &world, &error);
        mr_memory_fail_after(f->context, 0, false);
        if (good) {
            mr_world_destroy(world);
        } else {
            assert_int_equal(error.status, MR_OUT_OF_MEMORY);
            assert_null(world);
        }
        assert_int_equal(mr_context_memory_now(f->context), before);
        if (good) {
            break;
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(messages_have_their_places_and_stand_in_their_order),
        TEST(building_a_wrong_world_fails_with_its_first_error),
        TEST(what_a_scene_answers_adds_up),
        TEST(a_setting_is_the_same_as_the_text_edited),
        TEST(a_setting_that_fits_nothing_is_a_message),
        TEST(options_that_mean_nothing_are_refused),
        TEST(files_that_were_chosen_are_written_and_no_others),
        TEST(a_manifest_of_other_node_versions_is_warned_about_by_name),
        TEST(an_error_within_a_graph_stands_at_the_graphs_own_line),
        TEST(a_graphs_call_is_checked_against_what_it_declares),
        TEST(every_refused_allocation_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
