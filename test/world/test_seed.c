// Every construct of the reference page's blocks parses and checks; what is of later versions says so when it is built,
// and the rest builds.

#include "world_support.h"

#include "base/file.h"

static mr_world_source *open_seed(mr_context *context, const char *name)
{
    char path[MR_PATH_SIZE];
    snprintf(path, sizeof path, MARRAM_SOURCE_DIR "/test/world/seed/%s.world", name);
    char *bytes;
    size_t size;
    mr_error error = { 0 };
    test_assert_ok(mr_file_read(context, path, 0, &bytes, &size, &error), &error);
    mr_world_source *world = open_world(context, bytes);
    mr_free(context, bytes);
    if (!mr_world_source_good(world)) {
        mr_text text;
        mr_text_init(&text, context);
        mr_world_source_print(world, &text);
        fail_msg("%s\n%s", name, text.data);
    }
    return world;
}

static mr_scene *build_seed(mr_context *context, const char *name)
{
    mr_world_source *world = open_seed(context, name);
    mr_scene *scene = NULL;
    mr_error error = { 0 };
    if (!mr_world_source_build(world, &scene, &error)) {
        fail_msg("%s: %u:%u: %s (%s)", name, error.line, error.column, error.message, error.hint);
    }
    mr_world_source_destroy(world);
    return scene;
}

static uint64_t family_count(const mr_scene *scene, const char *path)
{
    for (size_t i = 0; i < scene->families.count; i++) {
        if (strcmp(scene->families.items[i].path, path) == 0) {
            return scene->families.items[i].count;
        }
    }
    return 0;
}

static void the_lanterns_block_builds(void **state)
{
    mr_scene *scene = build_seed(*state, "lanterns");
    assert_int_equal(family_count(scene, "island.lantern"), 12);
    mr_scene_destroy(scene);
}

static void the_pins_block_builds(void **state)
{
    mr_scene *scene = build_seed(*state, "pins");
    assert_int_equal(family_count(scene, "bowlingPins.pin"), 10);
    mr_scene_destroy(scene);
}

static void the_vegetation_block_builds(void **state)
{
    mr_scene *scene = build_seed(*state, "vegetation");
    assert_int_equal(scene->populations.count, 1);
    const mr_population *population = &scene->populations.items[0];
    assert_int_equal(population->rule_count, 8);
    for (uint32_t i = 0; i < population->rule_count; i++) {
        const mr_rule_report *report = &population->rules[i];
        bool none_wanted = strcmp(report->name, "rocks") == 0; // the ground is flat
        assert_true(none_wanted || report->placed > 0);
    }
    mr_scene_destroy(scene);
}

static void the_wood_builds(void **state)
{
    mr_scene *scene = build_seed(*state, "wood");
    assert_true(scene->populations.items[0].item_count > 10000);
    assert_int_equal(family_count(scene, "wood.trees.tree"), scene->populations.items[0].item_count);
    mr_scene_destroy(scene);
}

static void later_blocks_check_and_say_not_yet_when_built(void **state)
{
    static const struct {
        const char *name;
        const char *says;
    } later[] = {
        { "variants", "not yet: weberpenn.spruceTree" },
        { "boss", "not yet: on needs a running world" },
        { "cover", "not yet: groundcover" },
    };
    for (size_t i = 0; i < 3; i++) {
        mr_world_source *world = open_seed(*state, later[i].name);
        mr_scene *scene;
        mr_error error = { 0 };
        assert_false(mr_world_source_build(world, &scene, &error));
        assert_text_contains(error.message, later[i].says);
        assert_int_equal(error.status, MR_NOT_YET);
        assert_true(error.line > 0);
        mr_world_source_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lanterns_block_builds),
        cmocka_unit_test(the_pins_block_builds),
        cmocka_unit_test(the_vegetation_block_builds),
        cmocka_unit_test(the_wood_builds),
        cmocka_unit_test(later_blocks_check_and_say_not_yet_when_built),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
