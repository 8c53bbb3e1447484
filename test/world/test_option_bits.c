// Every operation and standard function that options compile to, against the walking of the same expressions: thousands
// of random options asked of candidates with edge values, equal to the bit, draws and errors too.

#include "option_maker.h"
#include "world_support.h"

#include "field/program_state.h"
#include "world/builtin_tables.h"
#include "world/compile.h"
#include "world/population.h"

#include <ctype.h>
#include <math.h>

enum { LANES = 80, RULES = 12, FREE_GIVEN = 5, FIXED_GIVEN = 3 };

// What was seen in options that compiled.
typedef struct seen {
    size_t operators[MR_OPERATOR_COUNT];
    size_t kinds[MR_EXPR_ONE_OF + 1];
    size_t asked[MR_ASKED_COUNT];
    size_t answers[MR_ANSWER_GIVEN + 1];
    size_t operations[MR_OP_COUNT];
    size_t builtins[MR_HOME_COUNT][64];
    size_t codes[8]; // from PROGRAM_CALL on
    size_t compiled, walked, failing_lanes, drawing;
    size_t least; // how often each must stand
} seen;

// Standard functions that no program has yet: these options are walked.
static const char *const walked_only[] = { "atan2",   "dot",     "cross",   "normalize",
                                           "random",  "oneOf",   "text",    "normal",
                                           "holds",   "at",      "spotAt",  "headingAt",
                                           "fromEnd", "indexAt", "nearest", "distance" };

static bool is_walked_only(const char *name)
{
    for (size_t i = 0; i < sizeof walked_only / sizeof *walked_only; i++) {
        if (strcmp(name, walked_only[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void note_name(seen *s, mr_view name, bool member, size_t argument_count)
{
    for (size_t home = 0; home < MR_HOME_COUNT; home++) {
        // A stream's draw has the name of the rule's, a spine's length that of a vector's.
        bool own = home == MR_HOME_WORLD ? !member : home == MR_HOME_LAND || member;
        for (size_t i = 0; own && mr_builtin_at((mr_home)home, i); i++) {
            const mr_builtin *one = mr_builtin_at((mr_home)home, i);
            if (mr_view_is(name, one->name) && one->property == (argument_count == 0)) {
                s->builtins[home][i]++;
            }
        }
    }
}

static void note_expr(seen *s, const mr_expr *expr)
{
    if (!expr) {
        return;
    }
    s->kinds[expr->kind]++;
    if (expr->kind == MR_EXPR_UNARY || expr->kind == MR_EXPR_BINARY) {
        s->operators[expr->op]++;
    }
    for (size_t i = 0; expr->kind == MR_EXPR_NAME && i < MR_ASKED_COUNT; i++) {
        s->asked[i] += mr_view_is(expr->text, mr_asked_texts[i]);
    }
    if (expr->kind == MR_EXPR_CALL) {
        note_name(s, expr->a->text, expr->a->kind == MR_EXPR_MEMBER, expr->item_count);
    } else if (expr->kind == MR_EXPR_MEMBER) {
        note_name(s, expr->text, true, 0);
    }
    note_expr(s, expr->a);
    note_expr(s, expr->b);
    note_expr(s, expr->c);
    for (size_t i = 0; i < expr->item_count; i++) {
        note_expr(s, expr->items[i].value);
    }
    for (size_t i = 0; i < expr->step_count; i++) {
        note_expr(s, expr->steps[i].value);
    }
}

static void note_program(seen *s, const mr_program *program)
{
    for (size_t i = 0; i < program->instruction_count; i++) {
        uint32_t code = program->instructions[i].code;
        if (code < MR_OP_COUNT) {
            s->operations[code]++;
        } else {
            s->codes[code - MR_OP_COUNT]++;
        }
    }
}

// Candidates that no maker would make: the edges of what each array can hold.
typedef struct table {
    mr_candidates candidates;
    float f32[8 + FIXED_GIVEN][LANES];
    int64_t k[LANES];
} table;

static float edge(test_random *random)
{
    static const float edges[] = { 0,         -0.0f,  1,        -1,        0.5f,     -0.5f,    1.5f,
                                   -2.5f,     1e-45f, -1e-45f,  1.2e-38f,  3.4e38f,  -3.4e38f, INFINITY,
                                   -INFINITY, NAN,    16777216, -16777218, 1e9f,     -1e9f,    3.1415927f,
                                   89.99f,    -99.5f, 100,      9.3e18f,   -9.3e18f, 1e-7f,    0.99999994f };
    uint32_t pick = test_below(random, 3 * sizeof edges / sizeof *edges);
    return pick < sizeof edges / sizeof *edges ? edges[pick] : (float)test_between(random, -95, 95);
}

static void fill_table(table *t, test_random *random)
{
    static const int64_t numbers[] = { 0,
                                       1,
                                       -1,
                                       INT64_MAX,
                                       INT64_MIN,
                                       INT64_MAX - 1,
                                       INT64_MIN + 1,
                                       16777217,
                                       -16777217,
                                       9007199254740993,
                                       4294967295,
                                       4294967296,
                                       3037000500 };
    for (size_t i = 0; i < LANES; i++) {
        for (size_t a = 0; a < 8 + FIXED_GIVEN; a++) {
            t->f32[a][i] = edge(random);
        }
        t->f32[4][i] = test_below(random, 2) ? 1 : -1; // side
        t->f32[10][i] = (float)test_below(random, 2);  // c, a condition
        uint32_t pick = test_below(random, 2 * sizeof numbers / sizeof *numbers);
        t->k[i] = pick < sizeof numbers / sizeof *numbers ? numbers[pick] : (int64_t)test_below(random, 4000);
    }
    t->candidates = (mr_candidates){ .count = LANES,
                                     .x = t->f32[0],
                                     .y = t->f32[1],
                                     .z = t->f32[2],
                                     .k = t->k,
                                     .along = t->f32[3],
                                     .side = t->f32[4],
                                     .spacing = t->f32[5],
                                     .size = t->f32[6],
                                     .test = t->f32[7],
                                     .given = { t->f32[8], t->f32[9], t->f32[10] } };
}

enum { STREAMS = 32 };

typedef struct harness {
    mr_evaluator *ev;
    mr_run *run;
    table table;
    const char *world;
    seen *seen;
    uint64_t draws;
    mr_stream streams[STREAMS];
} harness;

static void start_streams(harness *h)
{
    assert_in_range(h->run->streams.count, 1, STREAMS);
    for (size_t i = 0; i < h->run->streams.count; i++) {
        h->streams[i] = mr_stream_init(h->run->streams.items[i].seed, h->run->streams.items[i].salt);
    }
    h->draws = 0;
}

static mr_asking asking_of(harness *h, const mr_rule_run *rule)
{
    return (mr_asking){ .context = h->ev->context,
                        .candidates = &h->table.candidates,
                        .stream = &h->streams[rule->rule.stream],
                        .draws = &h->draws,
                        .streams = h->streams,
                        .stream_count = h->run->streams.count };
}

static void unlike(const harness *h, const mr_deferred *deferred, size_t lane, const char *what)
{
    const mr_expr *expr = deferred->exprs[0];
    fputs(h->world, stderr);
    fail_msg("line %u, %.*s, lane %zu: %s", expr->first.line, MR_VIEW_ARGS(deferred->option), lane, what);
}

static bool ask(harness *h, const mr_deferred *deferred, const mr_asker *asker, const uint32_t *lanes,
                size_t begin, size_t count, double *answers, mr_error *error)
{
    mr_asking asking = asking_of(h, deferred->rule);
    *error = (mr_error){ 0 };
    return asker->ask(asker->self, &asking, lanes, begin, count, answers, error);
}

// The walking may go on to say the value that is wrong.
static bool same_error(const mr_error *walked, const mr_error *compiled)
{
    return strncmp(walked->message, compiled->message, strlen(compiled->message)) == 0 &&
           compiled->message[0] && walked->line == compiled->line && walked->column == compiled->column;
}

static void expect_same(const harness *h, const mr_deferred *deferred, size_t lane, double walked,
                        double compiled)
{
    if (memcmp(&walked, &compiled, sizeof walked) != 0) {
        char text[96];
        snprintf(text, sizeof text, "walked %a, compiled %a", walked, compiled);
        unlike(h, deferred, lane, text);
    }
}

static void expect_same_error(const harness *h, const mr_deferred *deferred, size_t lane,
                              const mr_error *walked, const mr_error *compiled)
{
    if (!same_error(walked, compiled)) {
        char text[2048];
        snprintf(text, sizeof text, "walked %u:%u %s\ncompiled %u:%u %s", walked->line, walked->column,
                 walked->message, compiled->line, compiled->column, compiled->message);
        unlike(h, deferred, lane, text);
    }
}

// Whether a component is made that nobody may read: a program leaves it out, and then it cannot fail.
static bool may_drop(const mr_expr *expr)
{
    if (!expr) {
        return false;
    }
    bool three = expr->item_count == 3 && (expr->kind == MR_EXPR_TUPLE ||
                                           (expr->kind == MR_EXPR_CALL && mr_view_is(expr->a->text, "vec3")));
    bool drops = three || (expr->kind == MR_EXPR_MEMBER && expr->a->kind != MR_EXPR_NAME) ||
                 may_drop(expr->a) || may_drop(expr->b) || may_drop(expr->c);
    for (size_t i = 0; !drops && i < expr->item_count; i++) {
        drops = may_drop(expr->items[i].value);
    }
    for (size_t i = 0; !drops && i < expr->step_count; i++) {
        drops = may_drop(expr->steps[i].value);
    }
    return drops;
}

static bool deferred_may_drop(const mr_deferred *deferred)
{
    bool drops = false;
    for (size_t i = 0; i < deferred->expr_count; i++) {
        drops = drops || may_drop(deferred->exprs[i]);
    }
    return drops;
}

// What draws is asked in candidate order: up to the first that has no answer, all is alike; there, the error is.
static void compare_drawing(harness *h, const mr_deferred *deferred, const mr_asker *walked,
                            const mr_asker *compiled)
{
    double a[LANES], b[LANES];
    mr_error walked_error = { 0 }, error;
    size_t good = 0;
    start_streams(h);
    while (good < LANES && ask(h, deferred, walked, NULL, good, 1, &a[good], &walked_error)) {
        good++;
    }
    mr_stream after[STREAMS];
    memcpy(after, h->streams, sizeof after);
    uint64_t draws = h->draws;
    start_streams(h);
    if (!ask(h, deferred, compiled, NULL, 0, good, b, &error)) {
        unlike(h, deferred, good, error.message);
    }
    for (size_t i = 0; i < good; i++) {
        expect_same(h, deferred, i, a[i], b[i]);
    }
    if (good == LANES) {
        if (draws != h->draws || memcmp(after, h->streams, h->run->streams.count * sizeof *after) != 0) {
            unlike(h, deferred, 0, "the streams stand elsewhere");
        }
        return;
    }
    h->seen->failing_lanes++;
    if (deferred_may_drop(deferred)) {
        return;
    }
    start_streams(h);
    if (ask(h, deferred, compiled, NULL, 0, LANES, b, &error)) {
        unlike(h, deferred, good, walked_error.message);
    }
    expect_same_error(h, deferred, good, &walked_error, &error);
}

static void compare_lanes(harness *h, const mr_deferred *deferred, const mr_asker *walked,
                          const mr_asker *compiled)
{
    double a[LANES], b[LANES];
    uint32_t lanes[LANES];
    mr_error errors[LANES], error;
    size_t good = 0, first_bad = LANES;
    bool drops = deferred_may_drop(deferred);
    start_streams(h);
    for (uint32_t i = 0; i < LANES; i++) {
        if (ask(h, deferred, walked, NULL, i, 1, &a[good], &errors[i])) {
            lanes[good++] = i;
        } else {
            first_bad = first_bad == LANES ? i : first_bad;
            h->seen->failing_lanes++;
            if (drops) {
                continue;
            }
            if (ask(h, deferred, compiled, NULL, i, 1, b, &error)) {
                unlike(h, deferred, i, errors[i].message);
            }
            expect_same_error(h, deferred, i, &errors[i], &error);
        }
    }
    if (!ask(h, deferred, compiled, lanes, 0, good, b, &error)) {
        unlike(h, deferred, 0, error.message);
    }
    for (size_t i = 0; i < good; i++) {
        expect_same(h, deferred, lanes[i], a[i], b[i]);
    }
    if (drops && first_bad < LANES) {
        return;
    }
    bool whole = ask(h, deferred, compiled, NULL, 0, LANES, b, &error);
    if (whole != (first_bad == LANES)) {
        unlike(h, deferred, first_bad, "all lanes at once are judged otherwise");
    }
    if (!whole) {
        expect_same_error(h, deferred, first_bad, &errors[first_bad], &error);
    }
}

static void compare(harness *h, mr_rule_run *rule, mr_rule_option option, const mr_expr *const *exprs,
                    size_t expr_count, mr_answer_kind kind, uint32_t given)
{
    mr_deferred deferred = { .evaluator = h->ev,
                             .rule = rule,
                             .scope = rule->scopes[option],
                             .exprs = exprs,
                             .expr_count = expr_count,
                             .kind = kind,
                             .option = mr_view_of(rule->written->call.builtin->params[option].name),
                             .leaf = -1,
                             .given = given };
    mr_asker compiled, walked;
    mr_datum like = { 0 };
    if (kind == MR_ANSWER_GIVEN) {
        rule->given_like[given] = mr_datum_none();
    }
    if (!mr_compile_asker(&deferred, &compiled)) {
        h->seen->walked++;
        return;
    }
    like = rule->given_like[given];
    h->ev->walk_only = true;
    assert_true(mr_deferred_asker(h->ev, deferred, &walked));
    h->seen->compiled++;
    h->seen->answers[kind]++;
    for (size_t i = 0; i < expr_count; i++) {
        note_expr(h->seen, exprs[i]);
    }
    const mr_program *program = h->run->programs.items[h->run->programs.count - 1];
    note_program(h->seen, program);
    if (compiled.draws) {
        h->seen->drawing++;
        compare_drawing(h, &deferred, &walked, &compiled);
    } else {
        compare_lanes(h, &deferred, &walked, &compiled);
    }
    if (kind == MR_ANSWER_GIVEN) { // the walking would have failed at another kind or dimension
        assert_int_equal(rule->given_like[given].kind, like.kind);
        assert_true(
            mr_dimension_equal(mr_datum_dimension(rule->given_like[given]), mr_datum_dimension(like)));
    }
}

static void some_number(maker *m, uint32_t may)
{
    m->may = may;
    number(m, PLAIN, 4);
}

static void some_length(maker *m, uint32_t may)
{
    m->may = may;
    number(m, pick(m, 6) ? LENGTH : PLAIN, 4); // a plain number is metres
}

static void some_whole(maker *m, uint32_t may)
{
    m->may = may;
    whole(m, 4);
}

static void some_condition(maker *m, uint32_t may)
{
    m->may = may;
    condition(m, 4);
}

static void write_rule(maker *m, uint32_t number_of_rule)
{
    bool spine = number_of_rule % 3 == 0;
    uint32_t may = spine ? READS_SPINE : 0;
    mr_text_print(m->out, "field r%u = rule(candidates: %s,\n    keep: ", number_of_rule,
                  spine ? "spotsAlongSpine(land.path, step: 1 m, from: 5 m, to: 5 m)" : "[]");
    some_condition(m, may | DRAWS);
    for (uint32_t i = pick(m, 3); i > 0; i--) {
        put(m, " && ");
        some_condition(m, may | DRAWS);
    }
    put(m, ",\n    given: (a: slope(here), b: 2.5 m, c: dressed(here)");
    for (uint32_t i = 0; i < FREE_GIVEN; i++) {
        mr_text_print(m->out, ",\n        g%u: ", i);
        m->may = may;
        switch (pick(m, 4)) {
        case 0:
            condition(m, 4);
            break;
        case 1:
            whole(m, 4);
            break;
        default:
            number(m, (unit)pick(m, 3), 4);
        }
    }
    put(m, "),\n    order: ");
    m->may = may | READS_GIVEN | DRAWS;
    if (pick(m, 5)) {
        number(m, (unit)pick(m, 3), 4);
    } else {
        whole(m, 3);
    }
    put(m, ",\n    spacing: ");
    some_length(m, may | READS_GIVEN);
    may |= READS_GIVEN | READS_SPACING;
    put(m, ",\n    size: ");
    some_number(m, may & ~(uint32_t)READS_SPACING ? (may & ~(uint32_t)READS_SPACING) | DRAWS : DRAWS);
    if (pick(m, 2)) {
        put(m, pick(m, 2) ? " ..< " : " ..= ");
        some_number(m, (may & ~(uint32_t)READS_SPACING) | DRAWS);
    }
    may |= READS_SIZE;
    put(m, ",\n    test: ");
    some_length(m, may);
    may |= READS_TEST;
    put(m, ",\n    room: ");
    some_length(m, may);
    may |= DRAWS;
    put(m, ",\n    place: tree(variant: ");
    if (pick(m, 3)) {
        some_whole(m, may);
    } else {
        mr_text_print(m->out, pick(m, 2) ? "-%u ..< %u" : "%u ..= %u", pick(m, 5), 5 + pick(m, 9));
    }
    put(m, ",\n        turn: ");
    m->may = may;
    number(m, ANGLE, 4);
    put(m, ",\n        size: ");
    some_number(m, may);
    put(m, ",\n        height: ");
    m->may = may | READS_ROOM;
    number(m, LENGTH, 4);
    put(m, "),\n    atMost: 0)\n");
}

static void write_world(maker *m)
{
    put(m,
        "part land: terrain.land(graph(\"hill.lua\")(wave: 2 m, rise: 0.2),\n"
        "    spines: (path: spine([(-80 m, 0 m), (0 m, 12 m), (3 m, -40 m), (70 m, 9 m)], smooth: true)))\n"
        "fn twice(x) { x + x }\n"
        "field halved = x => x / 2\n"
        "fn share(x: fraction) number { x * 0.5 }\n"
        "fn moved(p: spot, by: meters) spot { p + (by, 0 m) }\n"
        "fn thick(p: spot) number { smoothstep(0 m, 50 m, length(vec2(p.x - 3 m, p.z))) }\n"
        "field steep = 0.7\n"
        "field pair = (1.25 m, -3.5)\n"
        "field dice = randomStream(seed: 5, salt: 11)\n"
        "part tree\n"
        "field layout = scatter(over: land, seed: 9, rules: [r0");
    for (uint32_t i = 1; i < RULES; i++) {
        mr_text_print(m->out, ", r%u", i);
    }
    put(m, "])\n");
    for (uint32_t i = 0; i < RULES; i++) {
        write_rule(m, i);
    }
}

static size_t flatten(const mr_expr *expr, const mr_expr **out, size_t count)
{
    if (expr->kind == MR_EXPR_BINARY && expr->op == MR_OPERATOR_AND) {
        count = flatten(expr->a, out, count);
        return flatten(expr->b, out, count);
    }
    out[count] = expr;
    return count + 1;
}

static void compare_rule(harness *h, mr_rule_run *rule)
{
    const mr_argument *const *given = rule->written->call.given;
    const mr_expr *exprs[64];
    compare(h, rule, MR_RULE_KEEP, exprs, flatten(given[MR_RULE_KEEP]->value, exprs, 0), MR_ANSWER_CONDITION,
            0);
    for (uint32_t i = FIXED_GIVEN; i < rule->given_count; i++) {
        compare(h, rule, MR_RULE_GIVEN, &rule->given_exprs[i], 1, MR_ANSWER_GIVEN, i);
    }
    static const struct {
        mr_rule_option option;
        mr_answer_kind kind;
    } options[] = { { MR_RULE_ORDER, MR_ANSWER_QUANTITY },
                    { MR_RULE_SPACING, MR_ANSWER_LENGTH },
                    { MR_RULE_SIZE, MR_ANSWER_NUMBER },
                    { MR_RULE_TEST, MR_ANSWER_LENGTH },
                    { MR_RULE_ROOM, MR_ANSWER_LENGTH } };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const mr_expr *expr = given[options[i].option]->value;
        compare(h, rule, options[i].option, &expr, 1, options[i].kind, 0);
    }
    static const mr_answer_kind placed[] = { MR_ANSWER_WHOLE, MR_ANSWER_ANGLE, MR_ANSWER_NUMBER,
                                             MR_ANSWER_LENGTH };
    const mr_expr *place = given[MR_RULE_PLACE]->value;
    assert_int_equal(place->item_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const mr_expr *expr = place->items[i].value;
        compare(h, rule, MR_RULE_PLACE, &expr, 1, placed[i], 0);
    }
}

static void compare_world(mr_context *context, maker *m, seen *s)
{
    mr_text text;
    mr_text_init(&text, context);
    m->out = &text;
    write_world(m);
    mr_world_source *world = open_world(context, text.data);
    if (!mr_world_source_good(world)) {
        char messages[2048];
        world_messages(world, messages, sizeof messages);
        fputs(text.data, stderr); // longer than what fail_msg shows
        fail_msg("%s", messages);
    }
    mr_error error = { 0 };
    mr_datum list;
    static harness h;
    h = (harness){ .world = text.data, .seen = s };
    h.ev = mr_world_evaluator(world, &error);
    assert_non_null(h.ev);
    mr_scope *scope = &h.ev->root->layers[0]->scope;
    // Most radii are nonsense, so the scatter itself seldom ends well; by then its rules are ready to be asked.
    mr_member_value(h.ev, scope, mr_shape_find(scope->shape, MR_VIEW("layout")), (mr_place){ 0 }, &list);
    if (h.ev->runs.count != 1 || h.ev->runs.items[0]->rules[RULES - 1].rule.choice_count != 1) {
        fputs(text.data, stderr);
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    }
    h.run = h.ev->runs.items[0];
    fill_table(&h.table, &m->random);
    for (size_t i = 0; i < RULES; i++) {
        compare_rule(&h, &h.run->rules[i]);
    }
    mr_evaluator_destroy(h.ev);
    mr_world_source_destroy(world);
    mr_text_destroy(&text);
}

// Every MR_OP_ that the compiler's sources write must stand in some program.
static void expect_written_operations(const seen *s, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char text[1 << 17];
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    size_t written = 0;
    for (const char *at = text; (at = strstr(at, "MR_OP_"));) {
        char name[48];
        size_t count = 0;
        for (at += strlen("MR_OP_"); count < sizeof name - 1 && (isalnum((unsigned char)*at) || *at == '_');
             at++) {
            name[count++] = (char)tolower((unsigned char)*at);
        }
        name[count] = 0;
        const mr_operation *operation = mr_operation_find(mr_view_of(name));
        assert_non_null(operation);
        written++;
        if (s->operations[operation->op] < s->least) {
            fail_msg("%s stands in %zu programs", name, s->operations[operation->op]);
        }
    }
    assert_true(written > 0);
}

static void expect_builtins(const seen *s, mr_home home)
{
    for (size_t i = 0; mr_builtin_at(home, i); i++) {
        const mr_builtin *one = mr_builtin_at(home, i);
        bool number_function = home != MR_HOME_WORLD || one->draws;
        for (size_t k = 0; mr_number_builtins[k].name; k++) {
            number_function = number_function || &mr_number_builtins[k] == one;
        }
        if (number_function && !is_walked_only(one->name) && s->builtins[home][i] < s->least) {
            fail_msg("%s stands in %zu compiled options", one->name, s->builtins[home][i]);
        }
    }
}

static void expect_all(const seen *s)
{
    for (size_t i = 0; i < MR_OPERATOR_COUNT; i++) {
        if (s->operators[i] < s->least) {
            fail_msg("%s stands in %zu compiled options", mr_operator_text((mr_operator)i), s->operators[i]);
        }
    }
    static const mr_expr_kind kinds[] = { MR_EXPR_INT,   MR_EXPR_NUMBER, MR_EXPR_TEXT,   MR_EXPR_TRUE,
                                          MR_EXPR_FALSE, MR_EXPR_NAME,   MR_EXPR_MEMBER, MR_EXPR_CALL,
                                          MR_EXPR_UNARY, MR_EXPR_BINARY, MR_EXPR_TUPLE,  MR_EXPR_IF,
                                          MR_EXPR_BLOCK };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_true(s->kinds[kinds[i]] >= s->least);
    }
    for (size_t i = 0; i < MR_ASKED_COUNT; i++) {
        bool walked = i == MR_ASKED_THING || i == MR_ASKED_PLACED_EARLIER; // no registers hold these
        if (!walked && s->asked[i] < s->least) {
            fail_msg("%s is read in %zu compiled options", mr_asked_texts[i], s->asked[i]);
        }
    }
    for (size_t i = 0; i <= MR_ANSWER_GIVEN; i++) {
        assert_true(s->answers[i] >= s->least);
    }
    for (size_t i = 0; i <= PROGRAM_SKIP - PROGRAM_CALL; i++) {
        assert_true(s->codes[i] >= s->least);
    }
    expect_builtins(s, MR_HOME_WORLD);
    expect_builtins(s, MR_HOME_LAND);
    expect_builtins(s, MR_HOME_SPINE);
    expect_builtins(s, MR_HOME_STREAM);
    expect_written_operations(s, MARRAM_SOURCE_DIR "/src/world/compile.c");
    expect_written_operations(s, MARRAM_SOURCE_DIR "/src/world/compile_call.c");
    expect_written_operations(s, MARRAM_SOURCE_DIR "/src/world/compile_ask.c");
    assert_true(s->compiled > 9 * s->walked);
    assert_true(s->failing_lanes > 5 * s->least && s->drawing > s->compiled / 10);
}

static void every_compiled_operation_equals_its_walking(void **state)
{
    maker m = { .random = { 20 } };
    size_t worlds = test_count(60);
    static seen s;
    s = (seen){ .least = worlds < 60 ? worlds / 3 : 20 };
    for (size_t i = 0; i < worlds; i++) {
        compare_world(*state, &m, &s);
    }
    assert_true(s.compiled >= 100 * worlds);
    expect_all(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_compiled_operation_equals_its_walking),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
