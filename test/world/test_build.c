// A world built into a scene: parts, loops, land, scatters, variants, and what the language promises of them.

#include "world_support.h"

#define LAND                                                                                                 \
    "part land: terrain.land(graph(\"hill.lua\")(height: 5 m), spines: (walkway: spine([(-50 m, 0 m), (50 "  \
    "m, 0 m)])))\n"

static const mr_entity *entity_of(const mr_scene *scene, const char *path)
{
    for (size_t i = 0; i < scene->entities.count; i++) {
        if (strcmp(scene->entities.items[i].path, path) == 0) {
            return &scene->entities.items[i];
        }
    }
    fail_msg("no entity %s", path);
    return NULL;
}

static void twelve_lanterns_stand_in_six_pairs_by_the_walkway(void **state)
{
    mr_context *c = *state;
    mr_scene *scene = build_world(
        c, "part island\n"
           "  part land: terrain.land(graph(\"hill.lua\")(height: 5 m), spines: (walkway: spine([(-50 m, 0 "
           "m), (50 m, 0 m)])))\n"
           "  each pair in 0 ..< 6 {\n"
           "    each (k, side) in [(0, -1), (1, 1)] {\n"
           "      let way = land.walkway;\n"
           "      let spot = way.spotAt(way.fromEnd(1.8 m + pair * 2.8 m), across: side * 1.5 m);\n"
           "      part lantern[2 * pair + k]: pathLantern, at: spot\n"
           "    }\n"
           "  }\n"
           "part pathLantern\n"
           "  part glass, at: (0 m, 0.2 m, 0 m)\n");
    const mr_entity *one = entity_of(scene, "island.lantern[3]");
    assert_float_equal(one->transform.translation[0], 50 - 1.8f - 2.8f, 1e-5f);
    assert_float_equal(one->transform.translation[1], 5, 0);
    assert_float_equal(one->transform.translation[2], 1.5, 0);
    entity_of(scene, "island.lantern[11].glass");
    assert_int_equal(scene->entities.count, 2 + 12 + 12);
    assert_int_equal(scene->grounds.count, 1);
    assert_string_equal(scene->spines.items[0].name, "walkway");
    for (size_t i = 0; i < scene->families.count; i++) {
        if (strcmp(scene->families.items[i].path, "island.lantern") == 0) {
            assert_int_equal(scene->families.items[i].count, 12);
        }
    }
    mr_scene_destroy(scene);
}

static const char *const wood =
    "part wood\n"
    "  part land: terrain.land(graph(\"hill.lua\")(height: 5 m, wave: 0.5 m))\n"
    "part pine\n"
    "  field seed: seed\n"
    "  field variant: int\n"
    "  part trunk, at: (0 m, 1 m, 0 m)\n"
    "part wood.trees\n"
    "  field layout = scatter(over: land, seed: 42, rules: [pines, ferns])\n"
    "  field pines = rule(\n"
    "      candidates: jitteredGrid(cell: 5 m, x: -90 m ..< 90 m, z: -90 m ..< 90 m),\n"
    "      keep: land.slope(here) < 0.6 && noise(here, size: 90 m, seed: 3) > 0.45 && uniform(0, 1) < 0.9,\n"
    "      order: here.x + uniform(0 m, 10 m),\n"
    "      spacing: 4 m, place: pine(variant: below(4), size: 0.7 + 0.6 * uniform(0, 1)),\n"
    "      atMost: 200)\n"
    "  field ferns = rule(candidates: ringsAround(placedEarlier, count: 3 ..= 4, distance: 1.4 m ..= 4.8 "
    "m),\n"
    "      test: 0.5 m, room: 0.75 m, place: fern, capGroup: ferns, atMost: 100)\n"
    "  each thing in layout { part tree[thing.key]: thing }\n"
    "part fern\n";

static void a_wood_is_placed_by_its_rules(void **state)
{
    mr_context *c = *state;
    mr_scene *scene = build_world(c, wood);
    assert_int_equal(scene->populations.count, 1);
    const mr_population *population = &scene->populations.items[0];
    assert_string_equal(population->path, "wood.trees.layout");
    assert_int_equal(population->rules[0].placed, 200);
    assert_int_equal(population->rules[1].placed, 100);
    assert_int_equal(population->item_count, 300);
    assert_int_equal(population->model_count, 5);
    assert_int_equal(population->rules[0].candidates, 36 * 36);
    mr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_lanterns_stand_in_six_pairs_by_the_walkway),
        cmocka_unit_test(a_wood_is_placed_by_its_rules),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
