// The checker: what it refuses, where, with which words and which hint; what it warns of; what it lets pass.

#include "world_support.h"

static void expect(mr_context *context, const char *text, const char *wanted)
{
    char got[4096];
    mr_world_source *world = open_world(context, text);
    world_messages(world, got, sizeof got);
    mr_world_source_destroy(world);
    if (strcmp(got, wanted) != 0) {
        fail_msg("%s\nsays\n%snot\n%s", text, got, wanted);
    }
}

#define LAND                                                                                                 \
    "part land: terrain.land(terrain.source(size: (100 m, 100 m), resolution: 1 m), spines: (walkway: "      \
    "spine([(0 m, 0 m), (9 m, 0 m)])))\n"
#define RULED(options)                                                                                       \
    LAND "part tree\nfield r = rule(candidates: [(0 m, 0 m)], place: tree, test: 1 m, " options ")\n"        \
         "field layout = scatter(over: land, seed: 1, rules: [r])\n"

static void unlike_dimensions_are_errors_that_show_both_and_offer_the_unit(void **state)
{
    mr_context *c = *state;
    expect(c, "field a = 2 m + 3\nfield b = a\nfield d = b\n",
           "1:15: a: adds meters and a number (write 3 m)\n");
    expect(c, "field a = 1 m < 2 s\n", "1:15: a: compares meters with seconds\n");
    expect(c, "field a = 3.5 - 1 deg\n", "1:15: a: subtracts degrees from a number (write 3.5 deg)\n");
    expect(c, "field a: meters = 2\n", "1:19: a: meters asked for, not a whole number (write 2 m)\n");
    expect(c, "field a: meters = 2.5\n", "1:19: a: meters asked for, not a number (write 2.5 m)\n");
    expect(c, "field a: degrees = 2 m\n", "1:20: a: degrees asked for, not meters\n");
    expect(c, RULED("keep: land.height(here) > 2.6"),
           "3:90: keep: compares meters with a number (write 2.6 m)\n");
    expect(c, "field a = max(2 m, 3)\n", "1:20: a: max is given meters and a number\n");
    expect(c, "field a = floor(2.5 m)\n",
           "1:17: a: floor takes a number, not meters (divide it by its unit)\n");
    expect(c, "field a = sqrt(3 m)\n", "1:11: a: the root of this unit is no unit\n");
    expect(c, "field a = 5 m % 2\n", "1:15: a: % is for whole numbers (use floor(a / b))\n");
}

static void the_literal_0_and_stated_exceptions_pass(void **state)
{
    mr_context *c = *state;
    expect(c,
           "field a: meters, default: 0\npart p, clearance: 0\nfield b = max(0, 2 m) + a\nfield d = b > "
           "0\nfield e = if d { 1 } else { 2 }\npart q, scale: e\n",
           "");
    expect(c,
           "part d\n  field h: meters, within: 5 ..= 15\n  field x = h\n  part q, at: (x, 0, 0)\npart e: "
           "d(h: 6 m)\n",
           "");
    expect(c, RULED("spacing: 4, room: 0.5"), "");
    expect(c, RULED("size: 0.0 ..< 1.5, order: uniform(0, 2 m)"), "");
}

static void a_0_with_a_unit_or_a_sign_is_no_bare_0(void **state)
{
    mr_context *c = *state;
    expect(
        c,
        "field a: degrees = if 1 < 2 { abs(-0 rad) } else { max(2 rad, -0 deg) }\nfield b = a\n" // -0 rad has a unit
        "field d = b\n",
        "3:7: warning: nothing reads the field d\n");
    expect(c, "field a = max(-0, 2 m)\n", "1:19: a: max is given a number and meters\n");
    expect(c, "field a = 1 rad + -0 m\n", "1:17: a: adds degrees and meters\n");
    expect(c, RULED("order: uniform(-0 m, 2 rad)"), "3:73: order: uniform from meters to degrees\n");
}

static void a_rule_asks_its_land_by_bare_names(void **state)
{
    mr_context *c = *state;
    expect(
        c,
        RULED("keep: height(here) > 2 m && slope(here) < 0.4 && holds(here) && walkwayDistance(here) > 1 m"),
        "");
    expect(c, RULED("keep: hieght(here) > 2 m"),
           "3:72: keep: nothing is called hieght (did you mean height?)\n");
}

static void fractions_seeds_and_ranges_are_held_where_they_are_written(void **state)
{
    mr_context *c = *state;
    expect(c, "field a: fraction = 1.5\n", "1:21: a: a fraction is 0 to 1, not 1.5\n");
    expect(c, "field a: seed = -1\n", "1:17: a: a seed is a whole number from 0 to 4294967295, not -1\n");
    expect(c, "field a: seed = 4294967296\n",
           "1:17: a: a seed is a whole number from 0 to 4294967295, not 4294967296\n");
    expect(c, "field a: seed = \"x\"\n",
           "1:17: a: a seed is a whole number from 0 to 4294967295, not a text\n");
    expect(c, "part d\n  field h: meters, within: 5 ..= 15\n  part q, at: (h, 0, 0)\npart e: d(h: 20 m)\n",
           "4:14: h: 20 m is outside 5 ..= 15 m\n");
    expect(c, "part d\n  field h: degrees, within: 0 ..< 90\n  part q, turn: h\npart e: d(h: 90 deg)\n",
           "4:14: h: 90 deg is outside 0 ..< 90 deg\n");
    expect(c, "part d\n  field h: meters\n  part q, at: (h, 0, 0)\npart e: d\n",
           "4:9: d: its field h is not given (give it: h: ...)\n");
    expect(c, "part d\n  field h: meters\n  part q, at: (h, 0, 0)\npart e: d(hh: 3 m)\n",
           "4:11: d has no field hh (did you mean h?)\n");
}

static void unknown_names_offer_the_nearest(void **state)
{
    mr_context *c = *state;
    expect(c, "field width = 2 m\nfield a = widht + 1 m\n",
           "2:11: a: nothing is called widht (did you mean width?)\n");
    expect(c, "field a = terain.source(size: (9 m, 9 m))\n",
           "1:11: a: nothing is called terain (did you mean terrain?)\n");
    expect(c, "field a = terrain.sorce(size: (9 m, 9 m))\n",
           "1:19: a: no node is called terrain.sorce; did you mean terrain.source?\n");
    expect(c, "field a = terrain.source(sise: (9 m, 9 m))\n",
           "1:26: a: terrain.source has no input sise (did you mean size?)\n");
    expect(c, "field a: metres = 2 m\n", "1:10: a: metres is no type (did you mean meters?)\n");
    expect(c, "part p, clearence: 2 m\n", "1:9: a part has no option clearence (did you mean clearance?)\n");
    expect(c, "part p, colour: red\n",
           "1:9: a part has no option colour (one of at, turn, scale, clearance, footprint, tint, material, "
           "bark, "
           "variants, hidden)\n");
    expect(c, "field a = clamp(1, 0, quite: 2)\n",
           "1:23: a: clamp has no option quite (one of x, low, high)\n");
    expect(c, RULED("kep: true"), "3:66: r: rule has no option kep (did you mean keep?)\n");
    expect(c, RULED("keep: land.hieght(here) > 2 m"),
           "3:77: keep: a land has no hieght (did you mean height?)\n");
    expect(c, RULED("keep: land.brookDistance(here) > 2 m"), "3:77: keep: a land has no brookDistance\n");
    expect(c, "field a = [1, 2].mpa(x => x)\n",
           "1:18: a: a list of a whole number has no mpa (did you mean map?)\n");
    expect(c, "part p\n  field height = 2 m\nfield a = p.hight\n",
           "3:13: a: p has no hight (did you mean height?)\n");
    expect(c, "field a = override((n: 1), path: m, value: 2)\n",
           "1:34: a: a record has no m (did you mean n?)\n");
}

static void choices_are_read_by_their_bare_names(void **state)
{
    mr_context *c = *state;
    expect(c,
           "part troll\n  field stance: one of guard charge flank\n  field s = stance == stance\n  part q, "
           "hidden: s\npart a: troll(stance: charge)\n",
           "");
    expect(c,
           "part troll\n  field stance: one of guard charge flank\n  field s = stance == stance\n  part q, "
           "hidden: s\npart a: troll(stance: run)\n",
           "5:23: stance: one of guard charge flank is asked for, not run\n");
    expect(c, RULED("keep: true && [guard].len > 0"), "3:81: keep: nothing is called guard\n");
    expect(c,
           LAND "part tree\nfield r = rule(candidates: spotsAlongSpine(land.walkway, step: 2 m, sides: "
                "both), place: tree, test: 1 m)\nfield layout = scatter(over: land, seed: 1, rules: [r])\n",
           "3:76: candidates: sides: one of bothSides alternatingSides randomSide leftSide rightSide is "
           "asked for\n");
}

static void one_error_a_statement_and_all_in_one_run(void **state)
{
    mr_context *c = *state;
    expect(c, "field a = 1 m + 2 + widht\nfield b = 3 s + 4\npart p, clearance: 5\n  field d: meters = 6\n",
           "1:15: a: adds meters and a number (write 2 m)\n2:15: b: adds seconds and a number (write 4 "
           "s)\n3:20: clearance: meters asked for, not a whole number (write 5 m)\n4:21: d: meters asked "
           "for, not a whole number (write 6 m)\n");
}

static void functions_are_checked_by_themselves_and_for_each_call(void **state)
{
    mr_context *c = *state;
    expect(
        c,
        "fn twice(x) { x * 2 }\nfield a: meters = twice(3 m)\nfield b: meters = twice(3) + a\nfield d = b\n",
        "3:28: b: adds a number and meters (multiply it by 1 m)\n");
    expect(c, "fn f(x: meters) meters { x + 1 }\n", "1:28: f: adds meters and a number (write 1 m)\n");
    expect(c, "fn f(x: meters) number { x }\nfield a = f(2 m)\npart p, scale: a\n",
           "1:26: f: a number asked for, not meters\n");
    expect(c, "fn f(x) { x + 1 }\nfield a = f(1, 2)\n", "2:11: a: f takes 1 argument, not 2\n");
    expect(c, "fn f(x) { x + 1 }\nfield a = f(y: 2)\n", "2:13: a: f has no parameter y (did you mean x?)\n");
    expect(c, "fn f(n: int) int { if n == 0 { 1 } else { n * f(n - 1) } }\npart p, scale: f(4)\n", "");
    expect(c, "record level(branches: int, spread: degrees = 10 deg)\nfield a = level(branches: 2 m)\n",
           "2:27: a: a whole number asked for, not meters\n");
    expect(c, "fn f() { uniform(0, 1) }\n",
           "1:10: f: uniform may stand only in candidates, keep, order, size, place and a maker's options\n");
    expect(c, "field a = [1 m, 2 m].map(x => x + 1)\n", "1:33: a: adds meters and a number (write 1 m)\n");
    expect(c, "field f = p => p.x + 1 m + 2\n", "1:7: warning: nothing reads the field f\n");
}

static void draws_stand_only_where_they_may(void **state)
{
    mr_context *c = *state;
    expect(c, RULED("spacing: uniform(1 m, 2 m)"),
           "3:75: spacing: uniform may stand only in candidates, keep, order, size, place and a maker's "
           "options\n");
    expect(c, RULED("given: (d: uniform(0, 1))"),
           "3:77: given: uniform may stand only in candidates, keep, order, size, place and a maker's "
           "options\n");
    expect(c, RULED("order: uniform(0, 1)"), "");
    expect(c, "field a = uniform(0, 1)\n",
           "1:11: a: uniform may stand only in candidates, keep, order, size, place and a maker's options\n");
    expect(c, RULED("keep: uniform(0, 1 m) < 2 m"), "");
    expect(c, RULED("keep: uniform(1 s, 1 m) < 2 m"), "3:72: keep: uniform from seconds to meters\n");
}

static void options_read_what_stands_before_them(void **state)
{
    mr_context *c = *state;
    expect(c, RULED("spacing: 2 m, room: spacing / 2"), "");
    expect(c, RULED("keep: size > 1, size: 2"), "3:72: keep: size is not known in this option\n");
    expect(c, RULED("given: (d: land.slope(here)), order: d"), "");
    expect(c, RULED("keep: d > 1, given: (d: land.slope(here))"), "3:72: keep: nothing is called d\n");
    expect(c, RULED("keep: dressed(here)"), "");
}

static void rules_say_what_they_need(void **state)
{
    mr_context *c = *state;
    expect(c,
           LAND "part tree\nfield r = rule(candidates: [(0 m, 0 m)], place: tree)\nfield layout = "
                "scatter(over: land, seed: 1, rules: [r])\n",
           "3:11: r: a rule says test, spacing or room (write test: none to place without a test)\n");
    expect(c,
           LAND "part tree\nfield r = rule(candidates: [(0 m, 0 m)], place: tree(age: 3), test: none)\nfield "
                "layout = scatter(over: land, seed: 1, rules: [r])\n",
           "3:54: place: place says variant turn size sink height, not age (a design's own fields are stated "
           "by variants: on its header)\n");
    expect(c,
           LAND "part tree\n  field age: number\n  part q, scale: age\nfield r = rule(candidates: [(0 m, 0 "
                "m)], place: tree, test: none)\nfield layout = scatter(over: land, seed: 1, rules: [r])\n",
           "5:49: place: tree: its field age is not given (state variants: [(age: ...)] on its header, or a "
           "default:)\n");
    expect(c,
           LAND "field r = rule(candidates: [(0 m, 0 m)], place: land, test: none)\nfield layout = "
                "scatter(over: land, seed: 1, rules: [r])\n",
           "3:30: over: a land asked for, not a design\n");
    expect(c,
           LAND "part tree\nfield r = rule(candidates: 5, place: tree, test: none)\nfield layout = "
                "scatter(over: land, seed: 1, rules: [r])\n",
           "3:28: candidates: spots or a candidate maker are asked for, not a whole number\n");
}

static void fields_that_go_round_show_the_way(void **state)
{
    mr_context *c = *state;
    expect(c, "field a = b + 1\nfield b = d * 2\nfield d = a\n", "1:7: fields go round: a -> b -> d -> a\n");
    expect(c, "field a = a\n", "1:7: fields go round: a -> a\n");
}

static void doubled_names_show_both_places(void **state)
{
    mr_context *c = *state;
    expect(c, "part p\n  part q\n  part q\n",
           "3:8: q: two parts of one parent have this name (the other stands at 2:8)\n");
    expect(c, "field a = 1\nfn a() { 1 }\npart p, scale: a\n",
           "2:4: a: this name is declared twice (the other stands at 1:7)\n");
    expect(c, "part p\n  part q[1]\n  part q[2]\n", "");
    expect(c, "part p.q\n", "1:6: p: no part has this name\n");
    expect(c, "part island\npart ilsand.q\n", "2:6: ilsand: no part has this name (did you mean island?)\n");
}

static void it_warns_of_hidden_names_unread_fields_and_tests_beyond_reach(void **state)
{
    mr_context *c = *state;
    expect(c, "field a = 2\n", "1:7: warning: nothing reads the field a\n");
    expect(c, "field b = { let a = 1; let a = 2; a }\npart p, scale: b\n",
           "1:28: warning: a hides the a of 1:17\n");
    expect(c, RULED("keep: [1].count(k => k > here.x / 1 m) > 0"),
           "3:82: warning: k hides the candidate's k\n");
    expect(c, RULED("keep: land.pathDistance(here) < 70 m"),
           "3:96: warning: pathDistance is known to 16 m, so this is always true (give the land a farther "
           "reach:)\n");
    expect(c, RULED("keep: land.pathDistance(here) < 15 m"), "");
    expect(c, RULED("keep: land.pathDistance(here) > 20 m"),
           "3:96: warning: pathDistance is known to 16 m, so this is never true (give the land a farther "
           "reach:)\n");
}

static void nodes_are_checked_from_their_descriptors(void **state)
{
    mr_context *c = *state;
    expect(c, "part land: terrain.land(terrain.source(size: (100, 100 m), resolution: 1 m))\n",
           "1:47: size: meters asked for, not a whole number (write 100 m)\n");
    expect(c, "part land: terrain.land(terrain.fbm(terrain.source(size: (100 m, 100 m)), octaves: 60))\n",
           "1:84: terrain.fbm: octaves is 60; it must be a whole number from 1 to 16\n");
    expect(c, "part land: terrain.land(terrain.fbm(terrain.source(size: (100 m, 100 m)), blend: sum))\n",
           "1:82: blend: one of replace add max min is asked for, not sum\n");
    expect(c, "part land: terrain.land(terrain.fbm(featureSize: 10 m))\n",
           "1:33: terrain.fbm: raster is missing\n");
    expect(c, "part land: terrain.land(mesh.cone(radius: 1 m))\n",
           "1:30: a raster asked for, not a geometry\n");
    expect(c, "part t: mesh.cone(radius: 1 m, height: 2)\n",
           "1:40: height: meters asked for, not a whole number (write 2 m)\n");
}

static void a_part_option_is_held_to_its_type(void **state)
{
    mr_context *c = *state;
    expect(c, "part p, turn: 3 m\n", "1:15: turn: degrees asked for, not meters\n");
    expect(c, "part p, at: (1, 2, 3)\n", "1:14: at: meters asked for, not a whole number (write 1 m)\n");
    expect(c, "part p, tint: (1, 2)\n", "1:15: tint: a color asked for, not a tuple of 2\n");
    expect(c, "part p, hidden: 1\n", "1:17: hidden: true or false asked for, not a whole number\n");
    expect(c, "part p, at: (1 m, 2 m, 3 m), at: (0 m, 0 m, 0 m)\n", "1:30: at is given twice\n");
    expect(c, "part p\n  each k in 5 { part q[k] }\n",
           "2:13: a list or a range of whole numbers is asked for, not a whole number\n");
    expect(c, "part p\n  each k in 0 ..< 3 { part q[1.5] }\n",
           "2:30: a part is numbered by a whole number or a text, not a number\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlike_dimensions_are_errors_that_show_both_and_offer_the_unit),
        cmocka_unit_test(the_literal_0_and_stated_exceptions_pass),
        cmocka_unit_test(a_0_with_a_unit_or_a_sign_is_no_bare_0),
        cmocka_unit_test(a_rule_asks_its_land_by_bare_names),
        cmocka_unit_test(fractions_seeds_and_ranges_are_held_where_they_are_written),
        cmocka_unit_test(unknown_names_offer_the_nearest),
        cmocka_unit_test(choices_are_read_by_their_bare_names),
        cmocka_unit_test(one_error_a_statement_and_all_in_one_run),
        cmocka_unit_test(functions_are_checked_by_themselves_and_for_each_call),
        cmocka_unit_test(draws_stand_only_where_they_may),
        cmocka_unit_test(options_read_what_stands_before_them),
        cmocka_unit_test(rules_say_what_they_need),
        cmocka_unit_test(fields_that_go_round_show_the_way),
        cmocka_unit_test(doubled_names_show_both_places),
        cmocka_unit_test(it_warns_of_hidden_names_unread_fields_and_tests_beyond_reach),
        cmocka_unit_test(nodes_are_checked_from_their_descriptors),
        cmocka_unit_test(a_part_option_is_held_to_its_type),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
