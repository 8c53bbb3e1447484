// What the language promises: what does not move a bit, what is computed only when it is read, what ends in an error and
// never otherwise.

#include "world_support.h"

#include "base/context.h"

#include <pthread.h>

static mr_digest hash_of(mr_context *context, const char *text)
{
    mr_scene *scene = build_world(context, text);
    mr_digest digest = mr_scene_digest(scene);
    mr_scene_destroy(scene);
    return digest;
}

static void assert_same_world(mr_context *context, const char *a, const char *b)
{
    char first[33], second[33];
    mr_digest_hex(hash_of(context, a), first);
    mr_digest_hex(hash_of(context, b), second);
    assert_string_equal(first, second);
}

#define WOOD_LAND                                                                                            \
    "part wood\n  part land: terrain.land(terrain.fbm(terrain.source(size: (200 m, 200 m), resolution: 2 "   \
    "m), featureSize: 60 m, amplitude: 5 m))\n"
#define PINE                                                                                                 \
    "part pine\n  field seed: seed\n  part trunk: mesh.cylinder(radius: 0.1 m, height: 2 m + 1 m * (seed % " \
    "5) / 5)\n"
#define FERN "part fern\n"
#define PINES                                                                                                \
    "  field pines = rule(candidates: jitteredGrid(cell: 5 m, x: -90 m ..< 90 m, z: -90 m ..< 90 m), keep: " \
    "land.slope(here) < 0.6, spacing: 4 m, place: pine(variant: below(3), size: 0.7 + 0.6 * uniform(0, "     \
    "1)))\n"
#define PINES_REORDERED                                                                                      \
    "  field pines = rule(place: pine(size: 0.7 + 0.6 * uniform(0, 1), variant: below(3)), spacing: 4 m, "   \
    "keep: land.slope(here) < 0.6, candidates: jitteredGrid(z: -90 m ..< 90 m, cell: 5 m, x: -90 m ..< 90 "  \
    "m))\n"
#define FERNS                                                                                                \
    "  field ferns = rule(candidates: ringsAround(placedEarlier, count: 2 ..= 3, distance: 1 m ..= 3 m), "   \
    "test: 0.4 m, place: fern)\n"
#define TREES "part wood.trees\n  field layout = scatter(over: land, seed: 7, rules: [pines, ferns])\n"
#define WOOD WOOD_LAND PINE FERN TREES PINES FERNS

static void comments_and_spaces_move_no_bit(void **state)
{
    assert_same_world(*state, WOOD,
                      "// a comment\n\n" WOOD_LAND "// another\n" PINE FERN TREES
                      "\n\n  // and one more\n" PINES FERNS);
}

static void the_order_of_parts_and_fields_moves_no_bit(void **state)
{
    assert_same_world(*state, WOOD, FERN PINE WOOD_LAND TREES FERNS PINES);
    assert_same_world(*state, WOOD, TREES PINES FERNS WOOD_LAND FERN PINE);
}

static void the_order_of_a_rules_options_moves_no_bit(void **state)
{
    assert_same_world(*state, WOOD, WOOD_LAND PINE FERN TREES PINES_REORDERED FERNS);
}

static void what_nothing_reads_moves_no_bit(void **state)
{
    assert_same_world(*state, WOOD, WOOD "  field unread = uniformly(3)\nfn uniformly(x) { x * 2 }\n");
}

static const mr_population *population_of(const mr_scene *scene, const char *path)
{
    for (size_t i = 0; i < scene->populations.count; i++) {
        if (strcmp(scene->populations.items[i].path, path) == 0) {
            return &scene->populations.items[i];
        }
    }
    fail_msg("no population %s", path);
    return NULL;
}

static void a_part_that_is_added_leaves_every_other_as_it_was(void **state)
{
    mr_scene *before = build_world(*state, WOOD);
    mr_scene *after = build_world(
        *state, "part tower, at: (500 m, 0 m, 500 m)\n  part wall: mesh.box(size: (1 m, 2 m, 3 m))\n" WOOD);
    const mr_population *a = population_of(before, "wood.trees.layout"),
                        *b = population_of(after, "wood.trees.layout");
    assert_int_equal(a->item_count, b->item_count);
    for (size_t i = 0; i < a->item_count; i++) {
        assert_memory_equal(&a->items[i].x, &b->items[i].x, 8 * sizeof(float));
        assert_string_equal(a->items[i].key, b->items[i].key);
    }
    mr_scene_destroy(before);
    mr_scene_destroy(after);
}

static void editing_a_rule_moves_no_item_of_another(void **state)
{
    mr_scene *before = build_world(
        *state, WOOD_LAND PINE FERN
        "part wood.trees\n  field layout = scatter(over: land, seed: 7, rules: [other, pines])\n" PINES
        "  field other = rule(candidates: [(500 m, 500 m)], test: 1 m, place: fern)\n");
    mr_scene *after = build_world(
        *state, WOOD_LAND PINE FERN
        "part wood.trees\n  field layout = scatter(over: land, seed: 7, rules: [other, pines])\n" PINES
        "  field other = rule(candidates: [(500 m, 500 m), (600 m, 0 m)], keep: uniform(0, 1) < 2, test: 1 "
        "m, place: fern)\n");
    const mr_population *a = &before->populations.items[0], *b = &after->populations.items[0];
    assert_true(a->item_count > 100);
    assert_int_equal(a->item_count, b->item_count);
    for (size_t i = 0; i < a->item_count; i++) {
        assert_float_equal(a->items[i].turn, b->items[i].turn, 0);
    }
    mr_scene_destroy(before);
    mr_scene_destroy(after);
}

static void thread_counts_and_a_comma_locale_move_no_bit(void **state)
{
    char first[33], other[33];
    mr_digest_hex(hash_of(*state, WOOD), first);
    const uint32_t threads[] = { 1, 2, 7 };
    for (size_t i = 0; i < 3; i++) {
        mr_context *context = test_context_of(threads[i], 0);
        mr_digest_hex(hash_of(context, WOOD), other);
        assert_string_equal(first, other);
        mr_context_destroy(context);
    }
    const char *why = NULL;
    if (test_comma_locale(&why)) {
        mr_digest_hex(hash_of(*state, WOOD), other);
        setlocale(LC_ALL, "C");
        assert_string_equal(first, other);
    }
}

typedef struct other_thread {
    char hash[33];
} other_thread;

// test_context and its asserts belong to the main thread, so failures here are told by an empty hash.
static void *build_elsewhere(void *argument)
{
    other_thread *other = argument;
    mr_context *context = NULL;
    mr_context_config config = mr_context_config_default();
    mr_world_source *world = NULL;
    mr_scene *scene = NULL;
    mr_error error = { 0 };
    config.threads = 2;
    if (mr_context_create(&config, &context, &error) &&
        mr_world_source_open_text(context, "other.world", mr_view_of(WOOD), NULL, &world, &error) &&
        mr_world_source_build(world, &scene, &error)) {
        mr_digest_hex(mr_scene_digest(scene), other->hash);
    }
    mr_scene_destroy(scene);
    mr_world_source_destroy(world);
    mr_context_destroy(context);
    return NULL;
}

static void two_worlds_on_two_threads_share_nothing(void **state)
{
    pthread_t threads[2];
    other_thread others[2] = { 0 };
    char hash[33];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, build_elsewhere, &others[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    mr_digest_hex(hash_of(*state, WOOD), hash);
    assert_string_equal(hash, others[0].hash);
    assert_string_equal(hash, others[1].hash);
}

// Three grounds, each with its own wood and of a size of its own, that read nothing of each other.
#define REGION(name, seed, size, salt)                                                                       \
    "part " name "\n  part land: terrain.land(terrain.fbm(terrain.source(size: (" size ", 160 m), "          \
    "resolution: 2 m), featureSize: 70 m, amplitude: 9 m, seed: " seed "))\n"                                \
    "part " name ".trees\n  field layout = scatter(over: land, seed: " seed ", rules: [pines, ferns])\n"     \
    "  field own = randomStream(seed: " seed ", salt: " salt ")\n"                                           \
    "  field pines = rule(candidates: jitteredGrid(cell: 4 m, x: -80 m ..< 80 m, z: -80 m ..< 80 m), "       \
    "draws: own, keep: land.slope(here) < 0.5, spacing: 3 m, place: pine(variant: below(3), size: "          \
    "uniform(0.7, "                                                                                          \
    "1.3)))\n" FERNS
static const char *const region_names[] = { "north", "south", "east" };
static const char *const regions[] = { REGION("north", "3", "180 m", "1"), REGION("south", "8", "220 m", "1"),
                                       REGION("east", "11", "300 m", "5") };
enum { REGIONS = 3, REGION_HASHES = 2 * 33 };

// Of one region in a scene: the ground's digest and that of all that is placed on it.
static void region_hashes(const mr_scene *scene, const char *name, char out[REGION_HASHES])
{
    char path[64];
    const mr_ground *ground = NULL;
    mr_digester digester;
    mr_digest_begin(&digester);
    snprintf(path, sizeof path, "%s.land", name);
    for (size_t i = 0; i < scene->grounds.count; i++) {
        if (strcmp(scene->grounds.items[i].path, path) == 0) {
            ground = &scene->grounds.items[i];
        }
    }
    assert_non_null(ground);
    mr_raster_digest(ground->raster, &digester);
    mr_digest_hex(mr_digest_end(&digester), out);
    out[32] = ' ';

    snprintf(path, sizeof path, "%s.trees.layout", name);
    const mr_population *wood = population_of(scene, path);
    assert_true(wood->item_count > 300);
    mr_digest_begin(&digester);
    for (size_t i = 0; i < wood->item_count; i++) {
        const mr_item *item = &wood->items[i];
        const float floats[] = { item->x,    item->y,    item->z,      item->turn,
                                 item->size, item->sink, item->height, item->room };
        const uint32_t words[] = { item->rule, item->kind, item->variant, item->candidate };
        mr_digest_bytes(&digester, floats, sizeof floats);
        mr_digest_bytes(&digester, words, sizeof words);
        mr_digest_text(&digester, mr_view_of(item->key));
    }
    mr_digest_hex(mr_digest_end(&digester), out + 33);
}

// The world that has the regions of `order`, up to one that is none.
static mr_scene *build_regions(mr_context *context, const int order[REGIONS])
{
    char text[8192] = PINE FERN;
    for (int i = 0; i < REGIONS && order[i] >= 0; i++) {
        strcat(text, regions[order[i]]);
    }
    return build_world(context, text);
}

// In a process of its own: one region, built alone.
static int print_region(int region)
{
    mr_context *context = test_context_of(1 + (uint32_t)region, 0);
    mr_scene *scene = build_regions(context, (int[REGIONS]){ region, -1, -1 });
    char hashes[REGION_HASHES];
    region_hashes(scene, region_names[region], hashes);
    printf("%s\n", hashes);
    mr_scene_destroy(scene);
    mr_context_destroy(context);
    return 0;
}

static void grounds_and_woods_are_one_in_any_order_and_any_process(void **state)
{
    static const int orders[][REGIONS] = {
        { 0, 1, 2 },  { 0, 2, 1 },  { 1, 0, 2 },   { 1, 2, 0 },   { 2, 0, 1 },   { 2, 1, 0 },
        { 2, 0, -1 }, { 1, 2, -1 }, { 0, -1, -1 }, { 1, -1, -1 }, { 2, -1, -1 },
    };
    char first[REGIONS][REGION_HASHES], again[REGION_HASHES], self[4096], command[4200];
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        for (int cached = 0; cached < 2; cached++) {
            mr_scene *scene = build_regions(*state, orders[o]);
            for (int i = 0; i < REGIONS && orders[o][i] >= 0; i++) {
                int region = orders[o][i];
                region_hashes(scene, region_names[region], o || cached ? again : first[region]);
                if (o || cached) {
                    assert_string_equal(again, first[region]);
                }
            }
            mr_scene_destroy(scene);
            if (cached) {
                mr_cache_clear(*state);
            }
        }
    }
    assert_string_not_equal(first[0], first[1]);
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(size > 0);
    self[size] = 0;
    for (int region = REGIONS - 1; region >= 0; region--) {
        snprintf(command, sizeof command, "'%s' --region %d", self, region);
        FILE *run = popen(command, "r");
        assert_non_null(run);
        assert_non_null(fgets(again, sizeof again, run));
        assert_int_equal(pclose(run), 0);
        assert_string_equal(again, first[region]);
    }
}

static void a_set_field_stands_in_for_the_written_one(void **state)
{
    mr_context *c = *state;
    const char *text = "field width = 2 m\nfield age: fraction, default: 0.5\npart p\n  field deep = 3\n  "
                       "part q, at: (width, 0, 0), scale: deep * (1 + age)\n";
    const struct {
        mr_setting set;
        const char *messages;
        float x, scale;
    } cases[] = {
        { { "width", "5 m" }, "", 5, 4.5f },
        { { "p.deep", "2 + 4" }, "", 2, 9 },
        { { "age", "1" }, "", 2, 6 },
        { { "age", "2" }, "1:15: a fraction is 0 to 1, not 2\n", 0, 0 },
        { { "width", "5" }, "", 0, 0 },
        { { "widht", "5 m" }, "0:0: the world has no field widht (did you mean width?)\n", 0, 0 },
        { { "width", "5 m +" }, NULL, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char messages[1024];
        mr_world_source *world = open_world_set(c, text, &cases[i].set, 1);
        world_messages(world, messages, sizeof messages);
        if (cases[i].x != 0) {
            mr_scene *scene = NULL;
            mr_error error = { 0 };
            assert_string_equal(messages, "");
            test_assert_ok(mr_world_source_build(world, &scene, &error), &error);
            assert_float_equal(scene->entities.items[1].transform.translation[0], cases[i].x, 0);
            assert_float_equal(scene->entities.items[1].transform.scale[0], cases[i].scale, 1e-6f);
            mr_scene_destroy(scene);
        } else {
            assert_false(mr_world_source_good(world));
            if (cases[i].messages && cases[i].messages[0]) {
                assert_string_equal(messages, cases[i].messages);
            }
        }
        mr_world_source_destroy(world);
    }
}

int main(int count, char **arguments)
{
    if (count > 2 && strcmp(arguments[1], "--region") == 0) {
        return print_region(arguments[2][0] - '0');
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_spaces_move_no_bit),
        cmocka_unit_test(the_order_of_parts_and_fields_moves_no_bit),
        cmocka_unit_test(the_order_of_a_rules_options_moves_no_bit),
        cmocka_unit_test(what_nothing_reads_moves_no_bit),
        cmocka_unit_test(a_part_that_is_added_leaves_every_other_as_it_was),
        cmocka_unit_test(editing_a_rule_moves_no_item_of_another),
        cmocka_unit_test(thread_counts_and_a_comma_locale_move_no_bit),
        cmocka_unit_test(two_worlds_on_two_threads_share_nothing),
        cmocka_unit_test(grounds_and_woods_are_one_in_any_order_and_any_process),
        cmocka_unit_test(a_set_field_stands_in_for_the_written_one),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
