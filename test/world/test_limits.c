// What a wrong or hostile world gets when it is built: an error with its place, never a crash, a hang or a leak.

#include "world_support.h"

#include "base/context.h"

#define LAND "part land: terrain.land(graph(\"hill.lua\")(height: 5 m))\n"

static void expect(mr_context *context, const char *text, const char *wanted)
{
    char got[2048], messages[1024];
    mr_error error = { 0 };
    mr_scene *scene = NULL;
    mr_world_source *world = open_world(context, text);
    world_messages(world, messages, sizeof messages);
    if (!mr_world_source_good(world)) {
        fail_msg("%s\n%s", messages, text);
    }
    bool built = mr_world_source_build(world, &scene, &error);
    mr_world_source_destroy(world);
    mr_scene_destroy(scene);
    snprintf(got, sizeof got, "%u:%u: %s%s%s%s", error.line, error.column, built ? "built" : error.message,
             error.hint[0] ? " (" : "", error.hint, error.hint[0] ? ")" : "");
    if (strcmp(got, wanted) != 0) {
        fail_msg("%s\nsays\n%s\nnot\n%s", text, got, wanted);
    }
}

static void doubled_numbers_show_both_places(void **state)
{
    expect(*state, "part p\n  each k in [1, 2, 1] { part q[k] }\n",
           "2:25: two parts are called p.q[1] (the other is made at 2:25)");
    expect(*state, "part p\n  part q[3]\n  each k in 0 ..< 5 { part q[k] }\n",
           "3:23: two parts are called p.q[3] (the other is made at 2:3)");
}

static void ways_round_are_shown(void **state)
{
    expect(*state, "part p, scale: a\n  field a: number = b\n  field b: number = a\n",
           "2:9: fields go round: a -> b -> a");
    expect(*state,
           LAND "part tree\n"
                "part vase, at: (9 m, 9 m), clearance: 1 m * layout.len\n"
                "field layout: List[placed] = scatter(over: land, seed: 1, rules: [r])\n"
                "field r = rule(candidates: [(0 m, 0 m)], test: 1 m, place: tree)\n",
           "4:7: fields go round: layout -> layout");
    expect(*state, "part a: b\npart b: a\npart c: a\n",
           "1:9: c: designs are made of each other more than 16 deep");
}

static void a_design_that_holds_itself_ends_in_a_limit(void **state)
{
    expect(*state, "part a\n  part inner: a\npart c: a\n",
           "2:3: parts stand inside each other more than 48 deep (does a design hold itself?)");
}

static void calls_and_lists_without_end_end_in_limits(void **state)
{
    expect(*state, "fn f(n: int) int { f(n + 1) }\npart p, scale: f(0)\n",
           "1:22: scale: calls and fields are nested more than 400 deep (does a function call itself without "
           "end?)");
    expect(*state, "part p\n  each k in 0 ..< 1_000_000_000 { part q[k] }\n",
           "2:15: a range of 1000000000 whole numbers passes the limit of 16777216");
    expect(*state, "field a = 9_223_372_036_854_775_807\npart p, scale: a + 1\n",
           "2:18: scale: 9223372036854775807 + 1 overflows; whole numbers go from -9223372036854775808 to "
           "9223372036854775807");
    expect(*state, "part p, scale: [1, 2].at(5)\n",
           "1:23: scale: at(5) is outside a list of 2 (the first is 0)");
    expect(*state, "part p, scale: [1, 2][2]\n",
           "1:22: scale: index 2 is outside a list of 2 (the first is 0)");
}

static void a_list_of_a_million_elements_is_read(void **state)
{
    mr_text text;
    mr_text_init(&text, *state);
    mr_text_print(&text, "field a = [");
    for (int i = 0; i < 1000000; i++) {
        mr_text_print(&text, "1,");
    }
    mr_text_print(&text, "1]\npart p, scale: a.len\n");
    mr_scene *scene = build_world(*state, text.data);
    assert_float_equal(scene->entities.items[0].transform.scale[0], 1000001, 0);
    mr_scene_destroy(scene);
    mr_text_destroy(&text);
}

static void sizes_that_are_no_sizes_are_errors(void **state)
{
    expect(*state, "part p, scale: 0 * 1\n", "1:18: scale: a scale is a finite number other than 0, not 0");
    expect(*state,
           LAND "part tree\nfield layout = scatter(over: land, seed: 1, rules: [r])\n"
                "field r = rule(candidates: [(0 m, 0 m)], test: 0 m - 1 m, place: tree)\n",
           "3:16: rule r: test is -1 at (0, 0) m");
    expect(*state,
           LAND "part tree\nfield layout = scatter(over: land, seed: 1, rules: [r])\n"
                "field r = rule(candidates: jitteredGrid(cell: 0 m, x: 0 m ..< 1 m, z: 0 m ..< 1 m), test: 1 "
                "m, place: tree)\n",
           "4:47: candidates: cell is 0 m; it must be more than 0");
    expect(*state,
           LAND "part tree\nfield layout = scatter(over: land, seed: 1, rules: [r])\n"
                "field r = rule(candidates: jitteredGrid(cell: 0.001 m, x: -90 m ..< 90 m, z: -90 m ..< 90 "
                "m), test: 1 m, place: tree)\n",
           "4:28: candidates: a grid of 3.24e+10 squares passes the limit of 1000000000");
    expect(*state,
           LAND "part tree\nfield layout = scatter(over: land, seed: 1, rules: [r])\n"
                "field r = rule(candidates: [(0 m, 0 m)], test: 1 m, place: tree, atMost: 0 - 1)\n",
           "4:76: layout: atMost is -1; it must not be negative");
    expect(*state, "part p, at: (1 m, 2 m)\n",
           "1:13: at: two lengths are a spot on the land, and nothing here is called land (name a land, or "
           "give three lengths)");
    expect(*state, "part c: camera(at: (0 m, 0 m, 0 m), lookAt: (1 m, 0 m, 0 m), fov: 200 deg)\n",
           "1:67: c: fov is 200 deg; it must be more than 0 and less than 180");
}

static void rules_need_names_and_streams(void **state)
{
    expect(*state,
           LAND "part tree\nfield layout = scatter(over: land, seed: 1, rules: [rule(candidates: [(0 m, 0 "
                "m)], test: 1 m, place: tree)])\n",
           "3:53: layout: this rule has no name (hold it in a field, or give it a name:)");
    expect(*state,
           LAND "part tree\nfield layout = scatter(over: land, seed: 1, rules: [r, r])\n"
                "field r = rule(candidates: [(0 m, 0 m)], test: 1 m, place: tree)\n",
           "3:56: layout: two rules are called r");
    expect(*state,
           LAND "part tree\nfield layout = scatter(over: land, rules: [r])\n"
                "field r = rule(candidates: [(0 m, 0 m)], keep: uniform(0, 1) < 2, test: 1 m, place: tree)\n",
           "4:48: keep: uniform draws, but the rule has no stream (give the rule draws: a stream, or the "
           "scatter a seed:)");
}

static void a_rule_that_places_nothing_is_warned_of(void **state)
{
    mr_error error = { 0 };
    mr_scene *scene = NULL;
    char messages[1024];
    mr_world_source *world =
        open_world(*state, LAND "part tree\nfield layout = scatter(over: land, seed: 1, rules: [r])\n"
                                "field r = rule(candidates: [(0 m, 0 m), (900 m, 0 m), (5 m, 5 m)], keep: "
                                "here.x > 90 m, test: 1 m, place: tree)\n");
    test_assert_ok(mr_world_source_build(world, &scene, &error), &error);
    world_messages(world, messages, sizeof messages);
    assert_string_equal(
        messages,
        "4:11: warning: r: the rule placed nothing: of 3 candidates 1 fell off the land, 2 at keep, 0 "
        "where something stands\n");
    mr_scene_destroy(scene);
    mr_world_source_destroy(world);
}

static void memory_that_is_not_allowed_is_refused(void **state)
{
    mr_context *context = test_context_of(1, 24u << 20);
    mr_cache_set_limit(context, 1 << 20);
    mr_error error = { 0 };
    mr_world_source *world = NULL;
    mr_scene *scene = NULL;
    const char *text = "part land: terrain.land(terrain.source(size: (8000 m, 8000 m), resolution: 1 m))\n";
    test_assert_ok(mr_world_source_open_text(context, "test.world", mr_view_of(text), NULL, &world, &error),
                   &error);
    assert_true(mr_world_source_good(world));
    assert_false(mr_world_source_build(world, &scene, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_int_equal(error.line, 1);
    mr_world_source_destroy(world);
    mr_context_destroy(context);
}

static void a_failing_allocator_leaks_nothing(void **state)
{
    const char *text =
        "part island\n  part land: terrain.land(terrain.source(size: (100 m, 100 m), resolution: 2 m))\n"
        "fn f(x) { x * 2 }\npart tree\n  part trunk: mesh.box(size: (1 m, 1 m, 1 m))\npart island.trees\n"
        "  field layout = scatter(over: land, seed: 1, rules: [r])\n"
        "  field r = rule(candidates: jitteredGrid(cell: 20 m, x: -50 m ..< 50 m, z: -50 m ..< 50 m), keep: "
        "f(here.x) > -80 m, test: 1 m, place: tree(variant: below(2)))\n"
        "  each thing in layout { part t[thing.key]: thing }\n";
    mr_context *context = test_context_of(1, 0);
    mr_cache_set_limit(context, 1 << 20);
    uint64_t held = mr_context_memory_now(context);
    bool built = false;
    for (uint64_t n = 1; !built; n = n + 1 + n / 40) {
        mr_error error = { 0 };
        mr_world_source *world = NULL;
        mr_scene *scene = NULL;
        mr_memory_fail_after(context, n, n % 2);
        bool opened =
            mr_world_source_open_text(context, "test.world", mr_view_of(text), NULL, &world, &error);
        built = opened && mr_world_source_good(world) && mr_world_source_build(world, &scene, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(built || error.message[0] || opened);
        mr_scene_destroy(scene);
        mr_world_source_destroy(world);
        mr_cache_clear(context);
        mr_buffer_trim(context);
        assert_int_equal(mr_context_memory_now(context), held);
    }
    mr_context_destroy(context);
}

static void cancelling_ends_a_build(void **state)
{
    mr_context *context = test_context_of(1, 0);
    mr_error error = { 0 };
    mr_world_source *world = NULL;
    mr_scene *scene = NULL;
    const char *text = "fn f(n: int) int { [1, 2, 3].map(x => x * n).sum() }\npart p\n  each k in 0 ..< "
                       "300_000 { let a = f(k); if a < 0 { part q[k] } }\n";
    test_assert_ok(mr_world_source_open_text(context, "test.world", mr_view_of(text), NULL, &world, &error),
                   &error);
    mr_context_cancel(context);
    assert_false(mr_world_source_build(world, &scene, &error));
    assert_int_equal(error.status, MR_CANCELLED);
    mr_context_resume(context);
    mr_world_source_destroy(world);
    mr_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubled_numbers_show_both_places),
        cmocka_unit_test(ways_round_are_shown),
        cmocka_unit_test(a_design_that_holds_itself_ends_in_a_limit),
        cmocka_unit_test(calls_and_lists_without_end_end_in_limits),
        cmocka_unit_test(a_list_of_a_million_elements_is_read),
        cmocka_unit_test(sizes_that_are_no_sizes_are_errors),
        cmocka_unit_test(rules_need_names_and_streams),
        cmocka_unit_test(a_rule_that_places_nothing_is_warned_of),
        cmocka_unit_test(memory_that_is_not_allowed_is_refused),
        cmocka_unit_test(a_failing_allocator_leaks_nothing),
        cmocka_unit_test(cancelling_ends_a_build),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
