// world/population_rule.c: what a rule says, made into what the scatter's engine runs.

#include "world/call.h"
#include "world/population.h"

#include "num/hash.h"

#define BIT(name) (1u << MR_ASKED_##name)

// What each deferred option may read of a candidate.
static const uint32_t readable[MR_RULE_PLACE + 1] = {
    [MR_RULE_CANDIDATES] = BIT(PLACED_EARLIER),
    [MR_RULE_KEEP] = BIT(HERE) | BIT(K) | BIT(ALONG) | BIT(SIDE) | BIT(THING) | BIT(PLACED_EARLIER),
    [MR_RULE_GIVEN] = BIT(HERE) | BIT(K) | BIT(ALONG) | BIT(SIDE) | BIT(THING) | BIT(PLACED_EARLIER),
    [MR_RULE_ORDER] = BIT(HERE) | BIT(K) | BIT(ALONG) | BIT(SIDE) | BIT(THING) | BIT(PLACED_EARLIER),
    [MR_RULE_SPACING] = BIT(HERE) | BIT(K) | BIT(ALONG) | BIT(SIDE) | BIT(THING) | BIT(PLACED_EARLIER),
    [MR_RULE_SIZE] =
        BIT(HERE) | BIT(K) | BIT(ALONG) | BIT(SIDE) | BIT(THING) | BIT(PLACED_EARLIER) | BIT(SPACING),
    [MR_RULE_TEST] = BIT(HERE) | BIT(K) | BIT(ALONG) | BIT(SIDE) | BIT(THING) | BIT(PLACED_EARLIER) |
                     BIT(SPACING) | BIT(SIZE),
    [MR_RULE_ROOM] = BIT(HERE) | BIT(K) | BIT(ALONG) | BIT(SIDE) | BIT(THING) | BIT(PLACED_EARLIER) |
                     BIT(SPACING) | BIT(SIZE) | BIT(TEST),
    [MR_RULE_PLACE] = BIT(HERE) | BIT(K) | BIT(ALONG) | BIT(SIDE) | BIT(THING) | BIT(PLACED_EARLIER) |
                      BIT(SPACING) | BIT(SIZE) | BIT(TEST) | BIT(ROOM),
};

uint32_t mr_rule_readable(mr_rule_option option, const mr_argument *const given[MR_PARAM_MAX])
{
    uint32_t mask = readable[option];
    static const struct {
        mr_rule_option option;
        uint32_t bit;
    } options[] = { { MR_RULE_SPACING, BIT(SPACING) },
                    { MR_RULE_SIZE, BIT(SIZE) },
                    { MR_RULE_TEST, BIT(TEST) },
                    { MR_RULE_ROOM, BIT(ROOM) } };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const mr_argument *written = given[options[i].option];
        if (!written || written->value->kind == MR_EXPR_NONE) {
            mask &= ~options[i].bit;
        }
    }
    return mask;
}

static bool make_scopes(mr_evaluator *ev, mr_rule_run *rule)
{
    const mr_call *call = &rule->written->call;
    const mr_argument *given = call->given[MR_RULE_GIVEN];
    if (given) {
        const mr_expr *record = given->value;
        if (record->kind != MR_EXPR_TUPLE || record->item_count == 0 || record->items[0].name.size == 0) {
            return mr_evaluator_fail(ev, record->place, "given is a record: given: (name: value, ...)");
        }
        if (record->item_count > MR_GIVEN_MAX) {
            return mr_evaluator_fail(ev, record->place, "given holds at most %d names", MR_GIVEN_MAX);
        }
        for (size_t i = 0; i < record->item_count; i++) {
            rule->given_names[i] = record->items[i].name;
            rule->given_exprs[i] = record->items[i].value;
        }
        rule->given_count = (uint32_t)record->item_count;
    }
    for (uint32_t i = 0; i <= MR_RULE_PLACE; i++) {
        mr_scope *scope = mr_arena_take(&rule->run->arena, sizeof *scope);
        if (!scope) {
            return mr_fail_memory(ev->error, sizeof *scope);
        }
        rule->names[i] = (mr_asked_names){ .visible = mr_rule_readable((mr_rule_option)i, call->given),
                                           .rule = rule->written,
                                           .given_count = i > MR_RULE_GIVEN ? rule->given_count : 0,
                                           .given_names = rule->given_names,
                                           .draws = (call->builtin->params[i].flags & MR_PARAM_DRAWS) != 0 };
        *scope = (mr_scope){ .outer = call->scope, .kind = MR_SCOPE_ASKED, .asked = &rule->names[i] };
        rule->scopes[i] = scope;
    }
    return true;
}

static bool option_asker(mr_evaluator *ev, mr_rule_run *rule, mr_rule_option option, mr_answer_kind kind,
                         mr_asker *asker)
{
    const mr_argument *given = rule->written->call.given[option];
    *asker = (mr_asker){ 0 };
    if (!given) {
        return true;
    }
    const mr_expr **exprs = mr_arena_take(&rule->run->arena, sizeof *exprs);
    if (!exprs) {
        return mr_fail_memory(ev->error, sizeof *exprs);
    }
    *exprs = given->value;
    return mr_deferred_asker(
        ev,
        (mr_deferred){ .evaluator = ev,
                       .rule = rule,
                       .scope = rule->scopes[option],
                       .exprs = exprs,
                       .expr_count = 1,
                       .kind = kind,
                       .option = mr_view_of(rule->written->call.builtin->params[option].name),
                       .leaf = -1 },
        asker);
}

// The conditions of a && b && c in order.
static void flatten_and(const mr_expr *expr, const mr_expr **exprs, size_t *count)
{
    if (expr->kind == MR_EXPR_BINARY && expr->op == MR_OPERATOR_AND) {
        flatten_and(expr->a, exprs, count);
        flatten_and(expr->b, exprs, count);
        return;
    }
    if (exprs) {
        exprs[*count] = expr;
    }
    ++*count;
}

static bool prepare_keep(mr_evaluator *ev, mr_rule_run *rule)
{
    const mr_argument *given = rule->written->call.given[MR_RULE_KEEP];
    if (!given) {
        return true;
    }
    size_t count = 0, first = 0;
    flatten_and(given->value, NULL, &count);
    const mr_expr **exprs = mr_arena_take(&rule->run->arena, count * sizeof *exprs);
    if (!exprs) {
        return mr_fail_memory(ev->error, count * sizeof *exprs);
    }
    count = 0;
    flatten_and(given->value, exprs, &count);
    while (first < count && !mr_expr_draws(exprs[first])) {
        first++;
    }
    mr_deferred deferred = { .evaluator = ev,
                             .rule = rule,
                             .scope = rule->scopes[MR_RULE_KEEP],
                             .kind = MR_ANSWER_CONDITION,
                             .option = MR_VIEW("keep"),
                             .leaf = -1 };
    return mr_keep_askers(ev, deferred, exprs, first, count, &rule->rule.keep_first, &rule->rule.keep_then);
}

static bool prepare_given(mr_evaluator *ev, mr_rule_run *rule)
{
    for (uint32_t i = 0; i < rule->given_count; i++) {
        if (!mr_deferred_asker(ev,
                               (mr_deferred){ .evaluator = ev,
                                              .rule = rule,
                                              .scope = rule->scopes[MR_RULE_GIVEN],
                                              .exprs = &rule->given_exprs[i],
                                              .expr_count = 1,
                                              .kind = MR_ANSWER_GIVEN,
                                              .option = rule->given_names[i],
                                              .leaf = -1,
                                              .given = i },
                               &rule->rule.given[i])) {
            return false;
        }
    }
    rule->rule.given_count = rule->given_count;
    return true;
}

static bool prepare_stream(mr_evaluator *ev, mr_run *run, mr_rule_run *rule, bool seeded, uint32_t seed)
{
    const mr_call *call = &rule->written->call;
    int32_t stream = -1;
    if (call->given[MR_RULE_DRAWS]) {
        if (call->values[MR_RULE_DRAWS].kind == MR_DATUM_STREAM) {
            stream = mr_run_stream_number(run, *call->values[MR_RULE_DRAWS].stream);
        }
    } else if (seeded) {
        stream = mr_run_stream_number(run, (mr_scatter_stream){ seed, mr_name_hash(rule->written->name) });
    }
    rule->rule.stream = stream;
    return stream != -2 || mr_fail_memory(ev->error, sizeof(mr_scatter_stream));
}

// Streams that options draw from by their names must be among the scatter's before it starts.
static bool named_streams(mr_evaluator *ev, mr_run *run, const mr_scope *scope, const mr_expr *expr);

static bool named_streams_in(mr_evaluator *ev, mr_run *run, const mr_scope *scope, const mr_argument *items,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].value && !named_streams(ev, run, scope, items[i].value)) {
            return false;
        }
    }
    return true;
}

static bool named_streams(mr_evaluator *ev, mr_run *run, const mr_scope *scope, const mr_expr *expr)
{
    if (!expr) {
        return true;
    }
    if (expr->kind == MR_EXPR_CALL && expr->a->kind == MR_EXPR_MEMBER &&
        (mr_view_is(expr->a->text, "uniform") || mr_view_is(expr->a->text, "below"))) {
        mr_datum stream;
        if (!mr_evaluate_as(ev, scope, expr->a->a, &mr_type_stream, &stream)) {
            return false;
        }
        if (mr_run_stream_number(run, *stream.stream) < 0) {
            return mr_fail_memory(ev->error, sizeof(mr_scatter_stream));
        }
    }
    for (size_t i = 0; i < expr->step_count; i++) {
        if (!named_streams(ev, run, scope, expr->steps[i].value)) {
            return false;
        }
    }
    return named_streams(ev, run, scope, expr->a) && named_streams(ev, run, scope, expr->b) &&
           named_streams(ev, run, scope, expr->c) &&
           named_streams_in(ev, run, scope, expr->items, expr->item_count);
}

static bool cap(mr_evaluator *ev, const mr_rule_run *rule, uint64_t *answer)
{
    const mr_call *call = &rule->written->call;
    *answer = UINT64_MAX;
    if (!call->given[MR_RULE_AT_MOST]) {
        return true;
    }
    int64_t value = call->values[MR_RULE_AT_MOST].integer;
    if (value < 0) {
        return mr_evaluator_fail(ev, call->given[MR_RULE_AT_MOST]->value->place,
                                 "atMost is %lld; it must not be negative", (long long)value);
    }
    *answer = (uint64_t)value;
    return true;
}

static bool prepare_plain(mr_evaluator *ev, mr_rule_run *rule)
{
    const mr_call *call = &rule->written->call;
    uint64_t at_most;
    if (!cap(ev, rule, &at_most)) {
        return false;
    }
    // With a group, atMost is how far the group may count when this rule places; alone, the rule's own count.
    bool grouped = rule->rule.group >= 0;
    rule->rule.at_most = grouped ? UINT64_MAX : at_most;
    rule->rule.group_at_most = grouped ? at_most : UINT64_MAX;
    rule->rule.blocks = !call->given[MR_RULE_BLOCKS] || call->values[MR_RULE_BLOCKS].boolean;
    for (uint32_t i = MR_RULE_COTTAGE_MARGIN; i <= MR_RULE_MARGIN; i++) {
        if (call->given[i]) {
            rule->rule.has_margin = true;
            rule->rule.margin = call->values[i].number;
            if (!(rule->rule.margin >= 0)) {
                return mr_evaluator_fail(ev, call->given[i]->value->place,
                                         "a margin of %g m; it must not be negative",
                                         (double)rule->rule.margin);
            }
        }
    }
    if (!call->given[MR_RULE_TEST] && !call->given[MR_RULE_SPACING] && !call->given[MR_RULE_ROOM]) {
        return mr_evaluator_fail_with(
            ev, MR_BAD_INPUT, rule->written->place, "write test: none to place without a test",
            "%.*s: a rule says test, spacing or room", MR_VIEW_ARGS(rule->written->name));
    }
    return true;
}

bool mr_rule_prepare(mr_evaluator *ev, mr_run *run, mr_rule_run *rule, bool seeded, uint32_t seed)
{
    mr_view subject = ev->subject;
    mr_scatter_rule *made = &rule->rule;
    const mr_call *call = &rule->written->call;
    made->name = mr_arena_text(&run->arena, rule->written->name.data, rule->written->name.size);
    if (!made->name) {
        return mr_fail_memory(ev->error, rule->written->name.size);
    }
    made->test_none = call->given[MR_RULE_TEST] && call->given[MR_RULE_TEST]->value->kind == MR_EXPR_NONE;
    bool good = prepare_plain(ev, rule) && prepare_stream(ev, run, rule, seeded, seed);
    for (uint32_t i = 0; good && i <= MR_RULE_PLACE; i++) {
        good = !call->given[i] || named_streams(ev, run, call->scope, call->given[i]->value);
    }
    good = good && make_scopes(ev, rule) && mr_maker_prepare(ev, rule) && prepare_keep(ev, rule) &&
           prepare_given(ev, rule) &&
           option_asker(ev, rule, MR_RULE_ORDER, MR_ANSWER_QUANTITY, &made->order) &&
           option_asker(ev, rule, MR_RULE_SIZE, MR_ANSWER_NUMBER, &made->size) &&
           option_asker(ev, rule, MR_RULE_SPACING, MR_ANSWER_LENGTH, &made->spacing) &&
           (made->test_none || option_asker(ev, rule, MR_RULE_TEST, MR_ANSWER_LENGTH, &made->test)) &&
           option_asker(ev, rule, MR_RULE_ROOM, MR_ANSWER_LENGTH, &made->room) && mr_place_prepare(ev, rule);
    ev->subject = subject;
    return good;
}
