// world/builtins_scatter.c: streams, rules, candidate makers and the scatter.

#include "world/builtin_tables.h"
#include "world/call.h"
#include "world/check.h"
#include "world/population.h"

static bool call_random_stream(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_scatter_stream *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = (mr_scatter_stream){ (uint32_t)call->values[0].integer,
                                 call->given[1] ? (uint32_t)call->values[1].integer : 0 };
    *answer = (mr_datum){ .kind = MR_DATUM_STREAM, .stream = made };
    return true;
}

static const mr_scatter_stream *described(const mr_call *call)
{
    return call->self.kind == MR_DATUM_STREAM ? call->self.stream : NULL;
}

static bool call_uniform(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_datum a = call->values[0], b = call->values[1];
    mr_dimension dimension = mr_datum_dimension(a);
    if (!mr_dimension_equal(dimension, mr_datum_dimension(b))) {
        if (mr_evaluate_literal_is_zero(call->given[0]->value)) {
            dimension = mr_datum_dimension(b);
        } else if (!mr_evaluate_literal_is_zero(call->given[1]->value)) {
            char from[48], to[48];
            mr_dimension_name(dimension, from);
            mr_dimension_name(mr_datum_dimension(b), to);
            return mr_evaluator_fail(ev, call->expr->place, "uniform from %s to %s", from, to);
        }
    }
    mr_stream *stream = mr_asked_stream(ev, call->scope, call->expr->place, described(call), "uniform");
    if (!stream) {
        return false;
    }
    *answer =
        mr_datum_number(mr_stream_uniform(stream, mr_datum_as_number(a), mr_datum_as_number(b)), dimension);
    return true;
}

static bool call_below(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    int64_t n = call->values[0].integer;
    if (n < 1 || n > UINT32_MAX) {
        return mr_evaluator_fail(ev, call->expr->place, "below(%lld); it must be 1 to 4294967295",
                                 (long long)n);
    }
    mr_stream *stream = mr_asked_stream(ev, call->scope, call->expr->place, described(call), "below");
    if (!stream) {
        return false;
    }
    *answer = mr_datum_integer(mr_stream_below(stream, (uint32_t)n));
    return true;
}

static bool call_rule(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_written_rule *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = (mr_written_rule){ .call = *call, .place = call->expr->place };
    if (call->given[MR_RULE_NAME]) {
        made->name = *call->values[MR_RULE_NAME].text;
    }
    *answer = (mr_datum){ .kind = MR_DATUM_RULE, .rule = made };
    return true;
}

static bool call_maker(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    mr_written_maker *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    *made = (mr_written_maker){ .call = *call };
    *answer = (mr_datum){ .kind = MR_DATUM_MAKER, .maker = made };
    return true;
}

static bool call_cap_group(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    (void)ev;
    (void)call;
    *answer = mr_datum_none();
    return true;
}

#define STREAM .home = MR_HOME_STREAM
#define DEFERRED MR_PARAM_DEFERRED
#define DRAWN (MR_PARAM_DEFERRED | MR_PARAM_DRAWS)
#define OPTIONAL MR_PARAM_OPTIONAL
#define UNIFORM_PARAMS                                                                                       \
    {                                                                                                        \
        { "a", &mr_type_quantity },                                                                          \
        {                                                                                                    \
            "b", &mr_type_quantity                                                                           \
        }                                                                                                    \
    }
#define AS_TAKEN                                                                                             \
    {                                                                                                        \
        "asTaken", &mr_type_bool, OPTIONAL | MR_PARAM_NAMED                                                  \
    }

const mr_builtin mr_scatter_builtins[] = {
    { .name = "randomStream",
      .doc = "A stream of random numbers, started by each scatter that names it.",
      .answer = &mr_type_stream,
      .params = { { "seed", &mr_type_seed }, { "salt", &mr_type_seed, OPTIONAL } },
      .call = call_random_stream },
    { .name = "uniform",
      .doc = "a + (b - a) u, u the rule's stream's next number.",
      .draws = true,
      .params = UNIFORM_PARAMS,
      .call = call_uniform,
      .check = mr_check_draw },
    { .name = "below",
      .doc = "A whole number below n, of the rule's stream.",
      .answer = &mr_type_int,
      .draws = true,
      .params = { { "n", &mr_type_int } },
      .call = call_below,
      .check = mr_check_draw },
    { STREAM, .name = "uniform", .doc = "a + (b - a) u, u this stream's next number.", .draws = true,
      .params = UNIFORM_PARAMS, .call = call_uniform, .check = mr_check_draw },
    { STREAM, .name = "below", .doc = "A whole number below n, of this stream.", .answer = &mr_type_int,
      .draws = true, .params = { { "n", &mr_type_int } }, .call = call_below, .check = mr_check_draw },
    { .name = "rule",
      .doc = "A rule of a scatter: which spots it tries, which it keeps, what it places there.",
      .answer = &mr_type_rule,
      .params = { [MR_RULE_CANDIDATES] = { "candidates", &mr_type_any, DRAWN },
                  [MR_RULE_KEEP] = { "keep", &mr_type_bool, DRAWN | OPTIONAL },
                  [MR_RULE_GIVEN] = { "given", &mr_type_record, DEFERRED | OPTIONAL },
                  [MR_RULE_ORDER] = { "order", &mr_type_quantity, DRAWN | OPTIONAL },
                  [MR_RULE_SPACING] = { "spacing", &mr_type_plain_metres, DEFERRED | OPTIONAL },
                  [MR_RULE_SIZE] = { "size", &mr_type_number, DRAWN | OPTIONAL | MR_PARAM_RANGE },
                  [MR_RULE_TEST] = { "test", &mr_type_plain_metres, DEFERRED | OPTIONAL | MR_PARAM_NONE },
                  [MR_RULE_ROOM] = { "room", &mr_type_plain_metres, DEFERRED | OPTIONAL },
                  [MR_RULE_PLACE] = { "place", &mr_type_design, DRAWN },
                  [MR_RULE_AT_MOST] = { "atMost", &mr_type_int, OPTIONAL },
                  [MR_RULE_CAP_GROUP] = { "capGroup", &mr_type_any, OPTIONAL | MR_PARAM_GROUP },
                  [MR_RULE_BLOCKS] = { "blocks", &mr_type_bool, OPTIONAL },
                  [MR_RULE_COTTAGE_MARGIN] = { "cottageMargin", &mr_type_length, OPTIONAL },
                  [MR_RULE_MARGIN] = { "margin", &mr_type_length, OPTIONAL },
                  [MR_RULE_DRAWS] = { "draws", &mr_type_stream, OPTIONAL | MR_PARAM_NONE },
                  [MR_RULE_NAME] = { "name", &mr_type_text, OPTIONAL } },
      .call = call_rule,
      .check = mr_check_rule },
    { .name = "jitteredGrid",
      .doc = "One spot in each square of a grid.",
      .answer = &mr_type_maker,
      .params = { { "cell", &mr_type_length },
                  { "x", &mr_type_length_range },
                  { "z", &mr_type_length_range },
                  AS_TAKEN },
      .call = call_maker },
    { .name = "spotsAlongSpine",
      .doc = "Spots at distances along a spine and across from it.",
      .answer = &mr_type_maker,
      .params = { { "spine", &mr_type_spine },
                  { "step", &mr_type_length, DRAWN | MR_PARAM_RANGE },
                  { "sides", &mr_type_choice, OPTIONAL,
                    "bothSides alternatingSides randomSide leftSide rightSide" },
                  { "across", &mr_type_length, DRAWN | OPTIONAL | MR_PARAM_RANGE },
                  { "from", &mr_type_length, OPTIONAL },
                  { "to", &mr_type_length, OPTIONAL },
                  AS_TAKEN },
      .call = call_maker },
    { .name = "randomPointsIn",
      .doc = "Up to so many spots drawn in an outline, until the rule's cap.",
      .answer = &mr_type_maker,
      .params = { { "outline", &mr_type_outline }, { "tries", &mr_type_int } },
      .call = call_maker },
    { .name = "ringsAround",
      .doc = "Single random spots round each of some things.",
      .answer = &mr_type_maker,
      .params = { { "things", &mr_type_list, DEFERRED },
                  { "count", &mr_type_int, DRAWN | MR_PARAM_RANGE },
                  { "distance", &mr_type_length, DRAWN | MR_PARAM_RANGE },
                  { "angle", &mr_type_angle, DRAWN | OPTIONAL | MR_PARAM_RANGE } },
      .call = call_maker },
    { .name = "capGroup",
      .doc = "A group of rules that share a cap.",
      .answer = &mr_type_none,
      .params = { { "group", &mr_type_any, MR_PARAM_GROUP }, { "atMost", &mr_type_int, OPTIONAL } },
      .call = call_cap_group },
    { .name = "scatter",
      .doc = "Runs rules in order over a land; what they placed.",
      .answer = &mr_type_placed_list,
      .params = { { "over", &mr_type_land },
                  { "keepClearOf", &mr_type_list, OPTIONAL },
                  { "rules", &mr_type_rule_list },
                  { "seed", &mr_type_seed, OPTIONAL } },
      .call = mr_population_run,
      .check = mr_check_scatter },
    { 0 }
};
