// Deferred options compiled to programs and walked expression by expression: the same bits, and the same draws.

#include "world_support.h"

#include "world/population.h"

typedef struct maker {
    test_random random;
    mr_text *out;
    bool draws; // uniform and below may be written
    bool given; // the given names may be read
} maker;

static void condition(maker *m, int depth);

// A plain number.
static void number(maker *m, int depth)
{
    uint32_t pick = test_below(&m->random, depth <= 0 ? 8 : 22);
    switch (pick) {
    case 0:
        mr_text_print(m->out, "%.3g", test_between(&m->random, 0, 9));
        return;
    case 1:
        mr_text_print(m->out, "land.slope(here)");
        return;
    case 2:
        mr_text_print(m->out, "(here.x / 7 m)");
        return;
    case 3:
        mr_text_print(m->out, "noise(here, size: %.3g m, seed: %u)", test_between(&m->random, 1, 90),
                      test_u32(&m->random));
        return;
    case 4:
        mr_text_print(m->out, m->draws ? "uniform(0, %u)" : "(thick(here) * %u)",
                      1 + test_below(&m->random, 9));
        return;
    case 5:
        mr_text_print(m->out, m->draws ? "below(%u)" : "(k %% %u)", 1 + test_below(&m->random, 9));
        return;
    case 6:
        mr_text_print(m->out, m->given ? "d" : "(k %% 5 div 2)");
        return;
    case 7:
        mr_text_print(m->out, "bumps.at(1)");
        return;
    case 8:
    case 9:
    case 10:
    case 11: {
        static const char *const ops[] = { "+", "-", "*", "/" };
        mr_text_print(m->out, "(");
        number(m, depth - 1);
        mr_text_print(m->out, " %s ", ops[pick - 8]);
        number(m, depth - 1);
        mr_text_print(m->out, ")");
        return;
    }
    case 12:
    case 13: {
        mr_text_print(m->out, pick == 12 ? "min(" : "max(");
        number(m, depth - 1);
        mr_text_print(m->out, ", ");
        number(m, depth - 1);
        mr_text_print(m->out, ")");
        return;
    }
    case 14:
    case 15:
    case 16: {
        static const char *const names[] = { "clamp", "mix", "smoothstep" };
        mr_text_print(m->out, "%s(", names[pick - 14]);
        number(m, depth - 1);
        mr_text_print(m->out, ", ");
        number(m, depth - 1);
        mr_text_print(m->out, ", ");
        number(m, depth - 1);
        mr_text_print(m->out, ")");
        return;
    }
    case 17:
    case 18: {
        static const char *const names[] = { "sqrt", "abs", "sin", "cos", "exp", "log", "floor", "twice" };
        mr_text_print(m->out, "%s(", names[test_below(&m->random, 8)]);
        number(m, depth - 1);
        mr_text_print(m->out, ")");
        return;
    }
    case 19:
        mr_text_print(m->out, "(if ");
        condition(m, depth - 1);
        mr_text_print(m->out, " { 1.5 * ");
        number(m, depth - 1);
        mr_text_print(m->out, " } else { 0.5 * ");
        number(m, depth - 1);
        mr_text_print(m->out, " })");
        return;
    case 20:
        mr_text_print(m->out, "({ let a = ");
        number(m, depth - 1);
        mr_text_print(m->out, "; a * a + ");
        number(m, depth - 1);
        mr_text_print(m->out, " })");
        return;
    default:
        mr_text_print(m->out, "(land.height(here + (%.3g m, 0 m, %.3g m)) / 1 m)",
                      test_between(&m->random, 0, 5), test_between(&m->random, 0, 5));
        return;
    }
}

static void condition(maker *m, int depth)
{
    static const char *const ops[] = { "<", "<=", ">", ">=", "==", "!=" };
    switch (test_below(&m->random, depth <= 0 ? 3 : 7)) {
    case 0:
        mr_text_print(m->out, "dressed(here)");
        return;
    case 3:
    case 4: {
        bool both = test_below(&m->random, 2);
        mr_text_print(m->out, "(");
        condition(m, depth - 1);
        mr_text_print(m->out, both ? " && " : " || ");
        condition(m, depth - 1);
        mr_text_print(m->out, ")");
        return;
    }
    case 5:
        mr_text_print(m->out, "!(");
        condition(m, depth - 1);
        mr_text_print(m->out, ")");
        return;
    default:
        mr_text_print(m->out, "(");
        number(m, depth - 1);
        mr_text_print(m->out, " %s ", ops[test_below(&m->random, 6)]);
        number(m, depth - 1);
        mr_text_print(m->out, ")");
    }
}

static void option(maker *m, const char *before, bool draws, bool given, bool truth, const char *after)
{
    m->draws = draws;
    m->given = given;
    mr_text_print(m->out, "%s", before);
    if (truth) {
        condition(m, 4);
    } else {
        number(m, 4);
    }
    mr_text_print(m->out, "%s", after);
}

static void write_world(maker *m)
{
    mr_text_print(
        m->out,
        "part land: terrain.land(graph(\"hill.lua\")(wave: 2 m, rise: 0.2))\n"
        "fn twice(x) { x + x }\n"
        "fn thick(p: spot) number { smoothstep(0 m, 50 m, length(vec2(p.x - 3 m, p.z))) }\n"
        "field bumps = [1, 3, 5]\n"
        "part tree\n"
        "field layout = scatter(over: land, seed: 9, rules: [r])\n"
        "field r = rule(candidates: jitteredGrid(cell: 9 m, x: -90 m ..< 90 m, z: -90 m ..< 90 m),\n    ");
    option(m, "keep: ", false, false, true, " ");
    option(m, "|| ", true, false, true, ",\n    ");
    option(m, "given: (d: ", false, false, false, "),\n    ");
    option(m, "order: clamp(", true, true, false, ", -9, 9),\n    ");
    option(m, "size: clamp(", true, true, false, ", 0.1, 3),\n    ");
    option(m, "spacing: clamp(", false, true, false,
           ", 0, 4) * 1 m, room: spacing / 3 + size * 0.1 m,\n    ");
    option(m, "place: if ", true, true, true, " { tree(variant: below(5), turn: ");
    option(m, "clamp(", true, true, false, ", -3, 3) * 1 rad) } else { tree(variant: k % 3) })\n");
}

static bool place(mr_world_source *world, bool walk, mr_evaluator **ev, mr_run **run, mr_error *error)
{
    *ev = mr_world_evaluator(world, error);
    assert_non_null(*ev);
    (*ev)->walk_only = walk;
    mr_scope *scope = &(*ev)->root->layers[0]->scope;
    mr_datum list;
    if (!mr_member_value(*ev, scope, mr_shape_find(scope->shape, MR_VIEW("layout")), (mr_place){ 0 },
                         &list)) {
        return false;
    }
    *run = list.sequence->run;
    return true;
}

static void compiled_and_walked_options_place_the_same_bits(void **state)
{
    mr_context *c = *state;
    maker m = { .random = { 77 } };
    size_t programs = 0, placed = 0, worlds = test_count(250);
    for (size_t n = 0; n < worlds; n++) {
        mr_text text;
        mr_text_init(&text, c);
        m.out = &text;
        write_world(&m);
        mr_world_source *world = open_world(c, text.data);
        char messages[2048];
        world_messages(world, messages, sizeof messages);
        if (!mr_world_source_good(world)) {
            fail_msg("%s\n%s", messages, text.data);
        }
        mr_error walked_error = { 0 }, compiled_error = { 0 };
        mr_evaluator *walking, *compiling;
        mr_run *walked = NULL, *compiled = NULL;
        bool walks = place(world, true, &walking, &walked, &walked_error);
        bool compiles = place(world, false, &compiling, &compiled, &compiled_error);
        if (walks != compiles) {
            fail_msg("walked: %s\ncompiled: %s\n%s", walked_error.message, compiled_error.message, text.data);
        }
        if (walks) {
            assert_int_equal(walked->programs.count, 0);
            programs += compiled->programs.count;
            placed += walked->item_count;
            bool same = walked->item_count == compiled->item_count &&
                        walked->result.stream_states[0] == compiled->result.stream_states[0];
            for (size_t i = 0; same && i < walked->item_count; i++) {
                mr_item a = walked->items[i], b = compiled->items[i];
                same = strcmp(a.key, b.key) == 0 && memcmp(&a.x, &b.x, sizeof a.x) == 0 &&
                       a.variant == b.variant && memcmp(&a.turn, &b.turn, sizeof a.turn) == 0 &&
                       memcmp(&a.size, &b.size, sizeof a.size) == 0 &&
                       memcmp(&a.room, &b.room, sizeof a.room) == 0 && memcmp(&a.y, &b.y, sizeof a.y) == 0;
            }
            if (!same) {
                fail_msg("%s\nplaced %zu walked, %zu compiled, and not alike", text.data, walked->item_count,
                         compiled->item_count);
            }
        }
        mr_evaluator_destroy(walking);
        mr_evaluator_destroy(compiling);
        mr_world_source_destroy(world);
        mr_text_destroy(&text);
    }
    assert_true(programs > 6 * worlds); // most options are compiled
    assert_true(placed > 20 * worlds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_and_walked_options_place_the_same_bits),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
