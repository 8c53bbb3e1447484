// The world language's grammar: what a text means as a tree, every construct of the reference page, and the errors.

#include "support.h"

#include "world/ast.h"

// A tree as text, to compare with what the grammar says.
static void show(mr_text *out, const mr_expr *expr);

static void show_arguments(mr_text *out, const mr_argument *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mr_text_print(out, " ");
        if (items[i].name.size > 0) {
            mr_text_print(out, "%.*s:", MR_VIEW_ARGS(items[i].name));
        }
        if (items[i].value) {
            show(out, items[i].value);
        }
    }
}

static void show_steps(mr_text *out, const mr_step *steps, size_t count)
{
    static const char *const kinds[] = { "let", "do", "each", "if" };
    for (size_t i = 0; i < count; i++) {
        mr_text_print(out, " (%s", kinds[steps[i].kind]);
        for (size_t k = 0; k < steps[i].pattern_count; k++) {
            mr_text_print(out, " %.*s", MR_VIEW_ARGS(steps[i].pattern[k].name));
        }
        mr_text_print(out, " ");
        show(out, steps[i].value);
        show_steps(out, steps[i].body, steps[i].body_count);
        if (steps[i].otherwise_count) {
            mr_text_print(out, " else");
            show_steps(out, steps[i].otherwise, steps[i].otherwise_count);
        }
        mr_text_print(out, ")");
    }
}

static void show(mr_text *out, const mr_expr *expr)
{
    switch (expr->kind) {
    case MR_EXPR_INT:
        mr_text_print(out, "%lld", (long long)expr->integer);
        break;
    case MR_EXPR_NUMBER:
        mr_text_print(out, "%.9g%s", (double)expr->number, expr->unit ? expr->unit->name : "");
        break;
    case MR_EXPR_TEXT:
        mr_text_print(out, "\"%.*s\"", MR_VIEW_ARGS(expr->text));
        break;
    case MR_EXPR_TRUE:
    case MR_EXPR_FALSE:
    case MR_EXPR_NONE:
        mr_text_print(out, "%s",
                      expr->kind == MR_EXPR_TRUE    ? "true"
                      : expr->kind == MR_EXPR_FALSE ? "false"
                                                    : "none");
        break;
    case MR_EXPR_NAME:
        mr_text_add_view(out, expr->text);
        break;
    case MR_EXPR_MEMBER:
        mr_text_print(out, "(. ");
        show(out, expr->a);
        mr_text_print(out, " %.*s)", MR_VIEW_ARGS(expr->text));
        break;
    case MR_EXPR_INDEX:
        mr_text_print(out, "(at ");
        show(out, expr->a);
        mr_text_print(out, " ");
        show(out, expr->b);
        mr_text_print(out, ")");
        break;
    case MR_EXPR_CALL:
        mr_text_print(out, "(call ");
        show(out, expr->a);
        show_arguments(out, expr->items, expr->item_count);
        mr_text_print(out, ")");
        break;
    case MR_EXPR_UNARY:
        mr_text_print(out, "(%s ", mr_operator_text(expr->op));
        show(out, expr->a);
        mr_text_print(out, ")");
        break;
    case MR_EXPR_BINARY:
        mr_text_print(out, "(%s ", mr_operator_text(expr->op));
        show(out, expr->a);
        mr_text_print(out, " ");
        show(out, expr->b);
        mr_text_print(out, ")");
        break;
    case MR_EXPR_TUPLE:
    case MR_EXPR_LIST:
    case MR_EXPR_ONE_OF:
        mr_text_print(out, expr->kind == MR_EXPR_TUPLE  ? "(tuple"
                           : expr->kind == MR_EXPR_LIST ? "(list"
                                                        : "(one");
        show_arguments(out, expr->items, expr->item_count);
        mr_text_print(out, ")");
        break;
    case MR_EXPR_IF:
        mr_text_print(out, "(if ");
        show(out, expr->a);
        mr_text_print(out, " ");
        show(out, expr->b);
        if (expr->c) {
            mr_text_print(out, " ");
            show(out, expr->c);
        }
        mr_text_print(out, ")");
        break;
    case MR_EXPR_LAMBDA:
        mr_text_print(out, "(fn");
        for (size_t i = 0; i < expr->param_count; i++) {
            mr_text_print(out, " %.*s", MR_VIEW_ARGS(expr->params[i].name));
        }
        mr_text_print(out, " ");
        show(out, expr->b);
        mr_text_print(out, ")");
        break;
    case MR_EXPR_BLOCK:
    case MR_EXPR_ACTS:
        mr_text_print(out, expr->kind == MR_EXPR_BLOCK ? "(block" : "(acts");
        show_steps(out, expr->steps, expr->step_count);
        mr_text_print(out, ")");
        break;
    }
}

static void show_decls(mr_text *out, mr_decl *const *decls, size_t count)
{
    static const char *const kinds[] = { "part",     "field", "state", "fn",  "record",
                                         "material", "each",  "if",    "let", "do" };
    for (size_t i = 0; i < count; i++) {
        const mr_decl *decl = decls[i];
        mr_text_print(out, "(%s", kinds[decl->kind]);
        for (size_t k = 0; k < decl->path_count; k++) {
            mr_text_print(out, "%s%.*s", k ? "." : " ", MR_VIEW_ARGS(decl->path[k]));
        }
        if (decl->index) {
            mr_text_print(out, "[");
            show(out, decl->index);
            mr_text_print(out, "]");
        }
        for (size_t k = 0; k < decl->param_count; k++) {
            mr_text_print(out, " %.*s", MR_VIEW_ARGS(decl->params[k].name));
        }
        if (decl->type) {
            mr_text_print(out, " :");
            show(out, decl->type);
        }
        if (decl->value) {
            mr_text_print(out, " ");
            show(out, decl->value);
        }
        show_arguments(out, decl->options, decl->option_count);
        if (decl->body_count) {
            mr_text_print(out, " ");
            show_decls(out, decl->body, decl->body_count);
        }
        if (decl->otherwise_count) {
            mr_text_print(out, " else ");
            show_decls(out, decl->otherwise, decl->otherwise_count);
        }
        mr_text_print(out, ")");
    }
}

// The tree of a text, or its messages where it has errors. Free with mr_text_destroy.
static mr_text parsed(mr_context *context, const char *text, size_t size)
{
    mr_diagnostics diagnostics;
    mr_diagnostics_init(&diagnostics, context);
    mr_file *file = NULL;
    mr_error error;
    mr_text out;
    mr_text_init(&out, context);
    test_assert_ok(mr_file_parse(context, "w.world", (mr_view){ text, size }, &diagnostics, &file, &error),
                   &error);
    if (diagnostics.errors == 0) {
        show_decls(&out, file->decls, file->decl_count);
    }
    for (size_t i = 0; i < diagnostics.list.count; i++) {
        mr_diagnostic_print(&out, &diagnostics.list.items[i], NULL);
    }
    mr_file_destroy(file);
    mr_diagnostics_destroy(&diagnostics);
    return out;
}

static void assert_parsed(void **state, const char *text, const char *expected)
{
    mr_text out = parsed(*state, text, strlen(text));
    assert_string_equal(out.data ? out.data : "", expected);
    mr_text_destroy(&out);
}

static void operators_bind_as_the_grammar_says(void **state)
{
    assert_parsed(state, "field a = 1 + 2 * 3 - 4\n", "(field a (- (+ 1 (* 2 3)) 4))");
    assert_parsed(state, "field a = -x.y[2](3)\n", "(field a (- (call (at (. x y) 2) 3)))");
    assert_parsed(state, "field a = !p || q && r < s + 1\n", "(field a (|| (! p) (&& q (< r (+ s 1)))))");
    assert_parsed(state, "field a = 7 div 2 % 3 / 4\n", "(field a (/ (% (div 7 2) 3) 4))");
    assert_parsed(state, "field a = -230 m ..< n + 1\n", "(field a (..< (- 230m) (+ n 1)))");
    assert_parsed(state, "field a = x => x * 2 + 1\n", "(field a (fn x (+ (* x 2) 1)))");
    assert_parsed(state, "field a = (p, q) => p + q\n", "(field a (fn p q (+ p q)))");
    assert_parsed(state, "field a = (p + q)\n", "(field a (+ p q))");
    assert_parsed(state, "field a = (x: 1, y: 2)\n", "(field a (tuple x:1 y:2))");
    assert_parsed(state, "field a = if c { 1 } else if d { 2 } else { let k = 3; k }\n",
                  "(field a (if c (block (do 1)) (if d (block (do 2)) (block (let k 3) (do k)))))");
}

static void literals_are_read_as_the_grammar_says(void **state)
{
    assert_parsed(state, "field a = 0x1f\n", "(field a 31)");
    assert_parsed(state, "field a = 1_000 + 2.5e-3\n", "(field a (+ 1000 0.00249999994))");
    assert_parsed(state, "field a = 9223372036854775807\n", "(field a 9223372036854775807)");
    assert_parsed(state, "field a = 2.6 m + 2.6m\n", "(field a (+ 2.5999999m 2.5999999m))");
    assert_parsed(state, "field a = 9.81 m/s^2\n", "(field a 9.81000042m/s^2)");
    assert_parsed(state, "field a = 6 m / s\n", "(field a (/ 6m s))");
    assert_parsed(state, "field a = 0..<6\n", "(field a (..< 0 6))");
    assert_parsed(state, "field a = \"x\\n\\u{e9}\\\"\"\n", "(field a \"x\n\xc3\xa9\"\")");
    assert_parsed(state, "field t: one of a b c\n", "(field t :(one a: b: c:))");
}

static void lines_continue_where_they_should(void **state)
{
    assert_parsed(state, "field a = 1 +\n 2\n", "(field a (+ 1 2))");
    assert_parsed(state, "field a = 1\n  + 2\n", "(field a (+ 1 2))");
    assert_parsed(state, "field a = x\n  .y\nfield b = 2\n", "(field a (. x y))(field b 2)");
    assert_parsed(state, "part a: b,\n   at: (1 m, 2 m)\n  part c\n", "(part a b at:(tuple 1m 2m) (part c))");
    assert_parsed(state, "field a = f(\n1,\n2\n)\nfield b = 3\r\n", "(field a (call f 1 2))(field b 3)");
    assert_parsed(state, "part p\n  if c {\n    part a\n  }\n  else {\n    part b\n  }\n",
                  "(part p (if c (part a) else (part b)))");
    assert_parsed(state, "part p\n  each k in 0 ..< 2 { let s = k +\n 1; part a[s]: b }\n  part q\n",
                  "(part p (each k (..< 0 2) (let s (+ k 1))(part a[s] b))(part q))");
    assert_parsed(state,
                  "part p\n  each k in xs {\n    part a\n      part b\n        part c\n    part d\n  }\n",
                  "(part p (each k xs (part a (part b (part c)))(part d)))");
}

static void acts_are_read(void **state)
{
    assert_parsed(
        state,
        "part b\n  on(c, { each i in 0 ..< 2 { spawn(t(i), under: a); remove(x) } if q { set(s, 1) } })\n",
        "(part b (do (call on c (acts (each i (..< 0 2) (do (call spawn (call t i) under:a)) (do (call "
        "remove x))) (if q (do (call set s 1)))))))");
}

static void errors_say_what_and_where_one_a_declaration(void **state)
{
    assert_parsed(state, "field a = a < b < c\n",
                  "w.world:1:17: error: comparisons cannot be chained\n    write a < b && b < c\n");
    assert_parsed(state, "part a\n\tpart b\n",
                  "w.world:2:1: error: a tab stands here\n    indent with spaces\n");
    assert_parsed(
        state, "field a = (1 +\nfield b = 2\nfield c = * 3\n",
        "w.world:2:7: error: expected , or )\nw.world:3:11: error: a value is missing before '*'\n");
    assert_parsed(state, "field a =\nfield\n",
                  "w.world:1:10: error: a value is missing at the end of the line\n"
                  "w.world:2:1: error: a line must begin a declaration or call a generator\n    did you mean "
                  "field?\n");
    assert_parsed(
        state, "field a = \"abc\n",
        "w.world:1:11: error: this text has no end\n    end it with \" on the same line; write \\n for a "
        "new line\n");
    assert_parsed(
        state, "prat a\n",
        "w.world:1:1: error: a line must begin a declaration or call a generator\n    did you mean part?\n");
    assert_parsed(state, "}\nfield a = 1\n", "w.world:1:1: error: this } closes nothing\n");
    assert_parsed(
        state, "part a\n   part b\n     part c\n    part d\n",
        "w.world:4:5: error: this line is indented 4 spaces where the lines before it have 3\n    lines of "
        "one body stand equally deep\n");
    assert_parsed(
        state, "field a = 2.6mm2\n",
        "w.world:1:14: error: this is no unit\n    units are mm cm m km deg rad turn ms s min h g kg m^2 "
        "m/s m/s^2\n");
    assert_parsed(
        state, "field a = 3 mm2\n",
        "w.world:1:13: error: mm2 is no unit\n    units are mm cm m km deg rad turn ms s min h g kg "
        "m^2 m/s m/s^2\n");
    // One error a line, however many bytes of it mean nothing.
    assert_parsed(
        state, "part w\xc3\xb6od\nfield a = ?? $ \x01\x02\nfield b = 2 2\n",
        "w.world:1:7: error: this character means nothing here\n    names and signs are plain ASCII; "
        "other characters stand in texts and comments\n"
        "w.world:2:11: error: '?' means nothing here\n"
        "w.world:3:13: error: '2' cannot stand here\n    begin it on a line of its own\n");
}

// Bytes are passed with their count, as a file's are.
static void assert_answered(void **state, const char *bytes, size_t size, const char *expected)
{
    mr_text out = parsed(*state, bytes, size);
    assert_string_equal(out.data, expected);
    mr_text_destroy(&out);
}

static void a_file_that_is_no_text_gets_one_error(void **state)
{
    static const char program[] = "\x7f"
                                  "ELF\x02\x01\0\0\xff\xfe?? ??\n$$$\n";
    assert_answered(
        state, program, sizeof program - 1,
        "w.world:1:7: error: a zero byte stands here, which no text has\n    is this a world file?\n");
    static const char utf16[] = "\xff\xfep\0a\0r\0t\0\n\0";
    assert_answered(state, utf16, sizeof utf16 - 1,
                    "w.world:1:1: error: the file is not UTF-8 text\n    save it as UTF-8\n");
    static const char latin1[] = "part a // caf\xc3\xa9\n\n  // caf\xe9, and ?\n?\n";
    assert_answered(state, latin1, sizeof latin1 - 1,
                    "w.world:3:9: error: the file is not UTF-8 text\n    save it as UTF-8\n");
    static const char zero_in_text[] = "\xef\xbb\xbf"
                                       "field a = \"b\0c\"\n";
    assert_answered(
        state, zero_in_text, sizeof zero_in_text - 1,
        "w.world:1:13: error: a zero byte stands here, which no text has\n    is this a world file?\n");
    assert_parsed(state,
                  "\xef\xbb\xbf"
                  "field a = \"\xef\xbf\xbd\"\n",
                  "(field a \"\xef\xbf\xbd\")");
}

static void depth_has_a_clear_limit(void **state)
{
    char text[4096] = "field a = ";
    for (int i = 0; i < 1000; i++) {
        strcat(text, "(");
    }
    mr_text out = parsed(*state, text, strlen(text));
    assert_text_contains(out.data, "nested more than 200 deep");
    mr_text_destroy(&out);
    strcpy(text, "field a = ");
    for (int i = 0; i < 1000; i++) {
        strcat(text, "-");
    }
    out = parsed(*state, text, strlen(text));
    assert_text_contains(out.data, "nested more than 200 deep");
    mr_text_destroy(&out);
    strcpy(text, "field a = 1");
    for (int i = 0; i < 1000; i++) {
        strcat(text, "+1");
    }
    out = parsed(*state, text, strlen(text));
    assert_text_contains(out.data, "chains more than 200 operators");
    mr_text_destroy(&out);
    mr_text deep;
    mr_text_init(&deep, *state);
    for (int i = 0; i < 200; i++) {
        mr_text_print(&deep, "%*spart a\n", i, "");
    }
    out = parsed(*state, deep.data, deep.size);
    assert_text_contains(out.data, "nested more than 64 deep");
    mr_text_destroy(&out);
    mr_text_destroy(&deep);
}

// The reference page's code blocks, its own notation (`...`) taken out.
static const char *const page_blocks[] = {
    "part island\n"
    "  each pair in 0 ..< 6 {\n"
    "    each (k, side) in [(0, -1), (1, 1)] {                // left, then right\n"
    "      let way  = land.walkway;\n"
    "      let spot = way.spotAt(way.fromEnd(1.8 m + pair * 2.8 m), across: side * 1.5 m);\n"
    "      part lantern[2 * pair + k]: pathLantern, at: spot          // a point on the ground\n"
    "    }\n"
    "  }\n",
    "part bowlingPins                                           // a frameless holder\n"
    "  each k in 0 ..< 10 {\n"
    "    part pin[k]: ninepin, at: pinSpot(k), scale: 0.6         // the rack's k-th spot, on the ground\n"
    "  }\n",
    "part island.vegetation                                   // a generated population\n"
    "  field layout: List[placed] = scatter(over: land, keepClearOf: brookDiscs, rules: [\n"
    "      anchors, forest, rocks, hostas, flowers, ferns, edging, brookStones, ringExtras, groves])\n"
    "  field brookDiscs = discsAlongSpine(land.brook, every: 3 m,      // 145 discs, two radii\n"
    "      radius: fn(along: meters) meters { if land.brook.indexAt(along) >= 18 { 3.2 m } else { 2.6 m } "
    "})\n"
    "  field main  = randomStream(seed: 20260520, salt: 1)      // drawn in turn by eight rules\n"
    "  field grove = randomStream(seed: 20260520, salt: 7)      // the groves' own\n"
    "  field forest = rule(draws: main,\n"
    "      candidates: jitteredGrid(cell: 6 m, x: -230 m ..< 210 m, z: 300 m ..< 520 m),\n"
    "      keep: land.height(here) > 2.6 m && dressed(here) && land.slope(here) < 0.42\n"
    "            && land.pathDistance(here) > 4.5 m && land.pathDistance(here) < 70 m\n"
    "            && forestDensity(here) > 0.18,\n"
    "      order: land.pathDistance(here) + uniform(0 m, 10 m), // nearest the walkway first, roughly\n"
    "      spacing: 7 m + 6 m * (1 - forestDensity(here)),\n"
    "      test: spacing / 2, room: spacing / 2 - 0.4 m,\n"
    "      place: if uniform(0, 1) < 0.66 { conifer(variant: below(6), size: 0.75 + 0.55 * uniform(0, 1)) }\n"
    "             else { forestMaple(variant: below(3), size: 0.8 + 0.5 * uniform(0, 1)) },\n"
    "      atMost: 90)\n"
    "  field ferns = rule(draws: main,\n"
    "      candidates: ringsAround(trees(placedEarlier), count: 3 ..= 4, distance: 1.4 m ..= 4.8 m),\n"
    "      keep: land.height(here) > 2.6 m && dressed(here) && land.pathDistance(here) > 1.4 m\n"
    "            && land.slope(here) < 0.45,\n"
    "      test: 0.5 m, room: 0.75 m, cottageMargin: 0.2 m, capGroup: ferns, atMost: 220)\n",
    "part islandSpruce\n"
    "  field height: meters, within: 5 ..= 15\n"
    "  field seed: seed\n"
    "  field age: fraction\n"
    "  part tree: weberpenn.spruceTree(seed, height, bare: 0.04), bark: (maxLevel: 1, subdivide: 1, "
    "fatSides: 7, "
    "midSides: 4),\n"
    "             tint: weberpenn.ageTint(age, vary: 1, seed: seed)\n"
    "    foliage(self, weberpenn.spruceFoliage(seed, cardScale: cardSize(height)), material: "
    "materials.needles)\n"
    "\n"
    "part forestMaple                                           // illustration\n"
    "  field seed: seed\n"
    "  field params = override(weberpenn.redMaple(seed, height: 8.6 m), path: levelParams[2].branches, "
    "value: 0)\n"
    "  part tree: params, bark: (maxLevel: 2, subdivide: 1, fatSides: 7, midSides: 4)\n"
    "    foliage(self, weberpenn.mapleFoliage(seed, leafSize: 0.34, detail: 5, sway: true), material: "
    "materials.mapleLeaf)\n",
    "part boss                                                  // illustration\n"
    "  part army                                                // empty at load; filled at run time\n"
    "  on(became(health < 0.5), {\n"
    "    each i in 0 ..< 20 {\n"
    "      spawn(troll(stance: oneOf([guard, charge, flank], seed: i)),\n"
    "            under: army, at: ring(self, 6 m, i / 20));     // army.troll[0] to troll[19]\n"
    "    }\n"
    "  })\n",
    "part island.groundcover: groundcover.cover(maps: ground, kinds: [ferns, cones, twigs,\n"
    "      lawn, meadow, tussock, marram, daisies, buttercups, vetch, moss, needles])\n"
    "  field ground = groundcover.maps(square: 1424 m, texel: 2 m,\n"
    "      height: land.height, slope: land.slope,\n"
    "      moisture: moistureMap, exposure: exposureMap,        // 0 dry to 1 wet; 0 shade to 1 sun (below)\n"
    "      path: p => land.pathDistance(p) - 0.9 m,             // from the walkway's edge, not its middle\n"
    "      water: p => min(shore(widthPerHeight: 11), land.brookDistance(p) - 1.2 m),\n"
    "      canopy: crowns(island.vegetation),                 // a disc of shade under each tree\n"
    "      object: discs(island.vegetation, cottage.footprint, bridge.ends),\n"
    "      farColor: farColorMap)                             // the ground's color seen from far (below)\n"
    "  field ferns = groundcover.meshKind(fern, seed: 41, perCluster: 3, range: 50 m, fadeStart: 36 m, "
    "maxInstances: 6000,\n"
    "      wind: 0.5, canopy: atLeast(0.3, soft: 0.3), moisture: atLeast(0.25, soft: 0.15),\n"
    "      slope: atMost(35 deg, soft: 10 deg), object: atLeast(0.6 m, soft: 0.4 m))\n"
    "  field lawn = groundcover.grass(seed: 21, wind: 0.8, canopy: atMost(0.55, soft: 0.4),\n"
    "      path: rising(0 m, 0.7 m), givesWayTo: near(ferns, within: 0.8 m, strength: 0.7))\n",
    "part a\n"
    "  field keep = uniform(0, 1) < 0.06 + 2.2 * (land.slope(here) - 0.1)\n"
    "  field size = 0.5 + 1.6 * uniform(0, 1) * uniform(0, 1)\n"
    "  capGroup(ferns, atMost: 220)\n"
    "  field spots = foundationSpots.map(fn(k, p) { p + (0.3 m * uniform(-1, 1), 0 m, 0.3 m * uniform(-1, "
    "1)) })\n"
    "  each (i, thing) in layout { part tree[i]: thing.kind }\n"
    "  field params = override(params, path: levelParams[2].branches, value: 9)\n",
};

static void every_block_of_the_page_parses(void **state)
{
    for (size_t i = 0; i < sizeof page_blocks / sizeof *page_blocks; i++) {
        mr_text out = parsed(*state, page_blocks[i], strlen(page_blocks[i]));
        if (strstr(out.data, "error:")) {
            fail_msg("block %zu: %s", i, out.data);
        }
        mr_text_destroy(&out);
    }
    assert_parsed(
        state, page_blocks[1],
        "(part bowlingPins (each k (..< 0 10) (part pin[k] ninepin at:(call pinSpot k) scale:0.600000024)))");
}

// Any text at all is answered: cut, doubled and changed pieces of the page, and noise.
static void no_text_breaks_the_parser(void **state)
{
    test_random random = { 11 };
    static const char pieces[] =
        "part field each if else {}()[]=>..<..= :;,.\n\n    \"\\u{12}1.5e3 m/s 0x && || ! let fn div\t\r\x7f";
    for (size_t round = 0; round < test_count(20000); round++) {
        const char *block = page_blocks[test_below(&random, sizeof page_blocks / sizeof *page_blocks)];
        char text[4096];
        size_t size = strlen(block);
        memcpy(text, block, size);
        for (uint32_t edits = 1 + test_below(&random, 6); edits > 0; edits--) {
            size_t at = test_below(&random, (uint32_t)size);
            size_t length = test_below(&random, 12);
            size_t from = test_below(&random, (uint32_t)sizeof pieces - 13);
            if (test_below(&random, 3) == 0 && at + length < size) {
                memmove(text + at, text + at + length, size - at - length);
                size -= length;
            } else if (at + length < size) {
                memcpy(text + at, pieces + from, length);
            }
        }
        mr_text out = parsed(*state, text, size);
        mr_text_destroy(&out);
    }
}

static void no_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 4000; n++) {
        mr_context *context = test_context_of(1, 0);
        mr_diagnostics diagnostics;
        mr_diagnostics_init(&diagnostics, context);
        mr_file *file = NULL;
        mr_error error;
        mr_memory_fail_after(context, n, true);
        bool whole =
            mr_file_parse(context, "w.world", mr_view_of(page_blocks[2]), &diagnostics, &file, &error);
        mr_memory_fail_after(context, 0, false);
        if (!whole) {
            assert_int_equal(error.status, MR_OUT_OF_MEMORY);
        }
        mr_file_destroy(file);
        mr_diagnostics_destroy(&diagnostics);
        test_context_end(context);
        if (whole) {
            return;
        }
    }
    fail_msg("parsing never came to an end");
}

static void assert_first_message(void **state, mr_view text, const char *expected)
{
    mr_diagnostics diagnostics;
    mr_diagnostics_init(&diagnostics, *state);
    mr_file *file = NULL;
    mr_error error;
    test_assert_ok(mr_file_parse(*state, "w.world", text, &diagnostics, &file, &error), &error);
    mr_text out;
    mr_text_init(&out, *state);
    mr_diagnostic_print(&out, &diagnostics.list.items[0], file);
    assert_string_equal(out.data, expected);
    mr_text_destroy(&out);
    mr_file_destroy(file);
    mr_diagnostics_destroy(&diagnostics);
}

static void a_message_shows_the_line_and_a_caret(void **state)
{
    assert_first_message(state, MR_VIEW("field a = \"\xc3\xa9\" + * 2\n"),
                         "w.world:1:17: error: a value is missing before '*'\n"
                         "    field a = \"\xc3\xa9\" + * 2\n"
                         "                    ^\n");
    // What would be an order to the terminal is shown, not sent.
    assert_first_message(state, MR_VIEW("field a = \"\x1b[2J\xc2\x9b\" + * 2\n"),
                         "w.world:1:21: error: a value is missing before '*'\n"
                         "    field a = \"\xef\xbf\xbd[2J\xef\xbf\xbd\" + * 2\n"
                         "                        ^\n");
}

// A line of a hundred thousand characters is shown where the fault is, in a few more than a hundred.
static void a_message_shows_part_of_a_long_line(void **state)
{
    mr_text text;
    mr_text_init(&text, *state);
    mr_text_print(&text, "field a = [");
    for (int i = 0; i < 50000; i++) {
        mr_text_print(&text, "1,");
    }
    mr_text_print(&text, "*");
    for (int i = 0; i < 50000; i++) {
        mr_text_print(&text, ",1");
    }
    mr_text expected;
    mr_text_init(&expected, *state);
    mr_text_print(&expected, "w.world:1:100012: error: a value is missing before '*'\n    ...");
    for (int i = 0; i < 60; i++) {
        mr_text_print(&expected, "1,");
    }
    mr_text_print(&expected, "*");
    for (int i = 0; i < 19; i++) {
        mr_text_print(&expected, ",1");
    }
    mr_text_print(&expected, ",...\n    %*s^\n", 123, "");
    assert_first_message(state, (mr_view){ text.data, text.size }, expected.data);
    mr_text_destroy(&expected);
    mr_text_destroy(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(operators_bind_as_the_grammar_says, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(literals_are_read_as_the_grammar_says, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(lines_continue_where_they_should, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(acts_are_read, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(errors_say_what_and_where_one_a_declaration, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(depth_has_a_clear_limit, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(every_block_of_the_page_parses, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(no_text_breaks_the_parser, test_setup, test_teardown),
        cmocka_unit_test(no_memory_is_an_error_and_leaks_nothing),
        cmocka_unit_test_setup_teardown(a_message_shows_the_line_and_a_caret, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_message_shows_part_of_a_long_line, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_is_no_text_gets_one_error, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
