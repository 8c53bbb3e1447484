// Inputs cast and checked, and what is said of those that are refused.

#include "support.h"

#include "graph/program.h"

static bool nothing_cook(mr_cook *cook, mr_error *error)
{
    mr_cook_set(cook, "answer", mr_value_number(1));
    return true;
}

static const mr_node node = {
    .name = "test.node",
    .version = 1,
    .inputs = {
        { .name = "radius", .type = MR_NUMBER, .unit = MR_METRES, .value = 5, MR_AT_LEAST(0) },
        { .name = "seed", .type = MR_INT, MR_ANY_SEED },
        { .name = "octaves", .type = MR_INT, .value = 6, MR_WITHIN(1, 16) },
        { .name = "blend", .type = MR_CHOICE, .choices = "replace add max min", .text = "add" },
        { .name = "share", .type = MR_NUMBER, .unit = MR_FRACTION, .value = 0.5 },
        { .name = "from", .type = MR_VEC2, .unit = MR_METRES },
        { .name = "tint", .type = MR_COLOR, .vector = { 1, 1, 1, 1 }, MR_WITHIN(0, 1) },
        { .name = "title", .type = MR_TEXT },
        { .name = "sharp", .type = MR_BOOL },
        { .name = "depth", .type = MR_NUMBER, .value = NAN },
        { .name = "names", .type = MR_LIST },
        { .name = "raster", .type = MR_RASTER, .doc = "The ground." },
        { .name = "needed", .type = MR_INT, .flags = MR_REQUIRED, .doc = "How many." },
    },
    .outputs = { { .name = "answer", .type = MR_NUMBER } },
    .cook = nothing_cook,
};

static const mr_input *input(const char *name)
{
    uint32_t place = 0;
    mr_error error;
    test_assert_ok(mr_input_find(&node, name, &place, &error), &error);
    return &node.inputs[place];
}

static mr_value text(mr_context *context, const char *words)
{
    mr_value value;
    mr_error error;
    test_assert_ok(mr_value_text(context, mr_view_of(words), &value, &error), &error);
    return value;
}

static mr_value numbers(mr_context *context, size_t count, const double *given)
{
    mr_value value;
    mr_error error;
    test_assert_ok(mr_value_list(context, &value, &error), &error);
    for (size_t i = 0; i < count; i++) {
        test_assert_ok(mr_list_add(value.list, mr_value_number(given[i]), &error), &error);
    }
    return value;
}

static void refused(mr_context *context, const char *name, mr_value given, const char *message)
{
    mr_value checked = { .type = MR_NONE };
    mr_error error;
    assert_false(mr_input_check(&node, input(name), &given, context, &checked, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_int_equal(checked.type, MR_NONE);
    mr_value_release(&given);
}

static mr_value taken(mr_context *context, const char *name, mr_value given)
{
    mr_value checked;
    mr_error error;
    test_assert_ok(mr_input_check(&node, input(name), &given, context, &checked, &error), &error);
    mr_value_release(&given);
    return checked;
}

static void numbers_are_checked_and_the_value_got_is_said(void **state)
{
    mr_context *context = *state;
    refused(context, "radius", mr_value_number(-4), "test.node: radius is -4 m; it must be at least 0 m");
    refused(context, "radius", mr_value_number(NAN), "test.node: radius is nan m; it must be at least 0 m");
    refused(context, "radius", mr_value_number(INFINITY),
            "test.node: radius is inf m; it must be at least 0 m");
    refused(context, "radius", mr_value_boolean(true), "test.node: radius is true; it must be a Number");
    refused(context, "share", mr_value_number(1.5), "test.node: share is 1.5; it must be 0 to 1");
    refused(context, "depth", mr_value_number(-INFINITY),
            "test.node: depth is -inf; it must be a finite number");
    refused(context, "octaves", mr_value_integer(17),
            "test.node: octaves is 17; it must be a whole number from 1 to 16");
    refused(context, "octaves", mr_value_number(2.5),
            "test.node: octaves is 2.5; it must be a whole number from 1 to 16");
    assert_int_equal(taken(context, "octaves", mr_value_number(3)).integer, 3);
    assert_true(taken(context, "radius", mr_value_integer(3)).number == 3);
    assert_int_equal(taken(context, "radius", mr_value_integer(3)).type, MR_NUMBER);
}

static void seeds_past_32_bits_are_refused_with_the_range(void **state)
{
    mr_context *context = *state;
#define SEED_RANGE "; it must be a whole number from 0 to 4294967295"
    refused(context, "seed", mr_value_integer(-1), "test.node: seed is -1" SEED_RANGE);
    refused(context, "seed", mr_value_integer(4294967296), "test.node: seed is 4294967296" SEED_RANGE);
    refused(context, "seed", mr_value_integer(9007199254740993),
            "test.node: seed is 9007199254740993" SEED_RANGE);
    refused(context, "seed", mr_value_number(18446744073709551615.0),
            "test.node: seed is 1.8446744073709552e+19" SEED_RANGE);
    refused(context, "seed", text(context, "oak"), "test.node: seed is \"oak\"; it must be an Int");
    static const int64_t good[] = { 0, 1, 2147483647, 4294967295 };
    for (int i = 0; i < 4; i++) {
        assert_int_equal(taken(context, "seed", mr_value_integer(good[i])).integer, good[i]);
    }
}

static void choices_are_words_and_the_nearest_is_offered(void **state)
{
    mr_context *context = *state;
    refused(context, "blend", text(context, "repalce"),
            "test.node: blend is \"repalce\"; it must be replace, add, max or min; did you mean replace?");
    refused(context, "blend", text(context, "zzzzzz"),
            "test.node: blend is \"zzzzzz\"; it must be replace, add, max or min");
    refused(context, "blend", text(context, ""),
            "test.node: blend is \"\"; it must be replace, add, max or min");
    refused(context, "blend", mr_value_integer(1), "test.node: blend is 1; it must be a Text");
    mr_value value = taken(context, "blend", text(context, "min"));
    assert_string_equal(value.text->data, "min");
    mr_cook cook = { .context = context, .node = &node };
    mr_value inputs[MR_MAX_INPUTS] = { { .type = MR_NONE } };
    inputs[3] = value;
    cook.inputs = inputs;
    assert_int_equal(mr_cook_choice(&cook, "blend"), 3);
    mr_value_release(&value);
}

static void vectors_come_from_lists_and_records(void **state)
{
    mr_context *context = *state;
    mr_value from = taken(context, "from", numbers(context, 2, (double[]){ 3, -4 }));
    assert_true(from.type == MR_VEC2 && from.vector[0] == 3 && from.vector[1] == -4);
    mr_value record;
    mr_error error;
    test_assert_ok(mr_value_record(context, &record, &error), &error);
    test_assert_ok(mr_record_set(record.list, MR_VIEW("z"), mr_value_integer(7), &error), &error);
    test_assert_ok(mr_record_set(record.list, MR_VIEW("x"), mr_value_number(6), &error), &error);
    from = taken(context, "from", record);
    assert_true(from.vector[0] == 6 && from.vector[1] == 7);
    mr_value tint = taken(context, "tint", numbers(context, 3, (double[]){ 0.25, 0.5, 0.75 }));
    assert_true(tint.type == MR_COLOR && tint.vector[2] == 0.75 && tint.vector[3] == 1);
    refused(context, "from", numbers(context, 3, (double[]){ 1, 2, 3 }),
            "test.node: from is a List of 3; it must be a Vec2");
    refused(context, "tint", numbers(context, 3, (double[]){ 1, 2, 3 }),
            "test.node: tint.g is 2; it must be 0 to 1");
    refused(context, "from", numbers(context, 2, (double[]){ 1, NAN }),
            "test.node: from.y is nan m; it must be a finite number");
}

static void what_is_left_out_takes_its_default_or_is_not_given(void **state)
{
    mr_context *context = *state;
    mr_value none = { .type = MR_NONE };
    assert_true(taken(context, "radius", none).number == 5);
    assert_int_equal(taken(context, "depth", none).type, MR_NONE);
    assert_int_equal(taken(context, "raster", none).type, MR_NONE);
    assert_int_equal(taken(context, "title", none).type, MR_NONE);
    mr_value blend = taken(context, "blend", none);
    assert_string_equal(blend.text->data, "add");
    mr_value_release(&blend);
    refused(context, "needed", none, "test.node: input needed is missing: How many.");
    refused(context, "raster", mr_value_integer(1), "test.node: raster is 1; it must be a Raster");
}

static void an_empty_record_is_an_empty_list(void **state)
{
    mr_context *context = *state;
    mr_value record;
    mr_error error;
    test_assert_ok(mr_value_record(context, &record, &error), &error);
    mr_value list = taken(context, "names", record);
    assert_int_equal(list.type, MR_LIST);
    mr_value_release(&list);
}

static void refuse_add(mr_graph *graph, const mr_binding *bindings, size_t count, const char *message)
{
    uint32_t made = 77;
    mr_error error;
    assert_false(mr_graph_add(graph, &node, bindings, count, (mr_origin){ "x.lua", 1 }, &made, &error));
    assert_string_equal(error.message, message);
    assert_string_equal(error.file, "x.lua");
    assert_int_equal(error.line, 1);
    assert_int_equal(made, 77);
    assert_int_equal(mr_graph_size(graph), 1);
}

static void adding_a_node_checks_names_and_wires(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_graph *graph = mr_graph_create(context, NULL, &error);
    mr_binding need = { .name = "needed", .value = mr_value_integer(1) };
    uint32_t made;
    test_assert_ok(mr_graph_add(graph, &node, &need, 1, (mr_origin){ 0 }, &made, &error), &error);
    mr_binding bindings[2] = { need, need };
    refuse_add(graph, bindings, 2, "test.node: input needed is given twice");
    refuse_add(graph, NULL, 0, "test.node: input needed is missing: How many.");
    bindings[1].name = "radios";
    refuse_add(graph, bindings, 2, "test.node has no input radios; did you mean radius?");
    bindings[1] = (mr_binding){ .name = "raster", .wired = true, .socket = { 0, 0 } };
    refuse_add(graph, bindings, 2,
               "test.node: raster is a Number (the answer of test.node); it must be a Raster");
    bindings[1] = (mr_binding){ .name = "radius", .wired = true, .socket = { 1, 0 } };
    refuse_add(graph, bindings, 2,
               "test.node: radius is wired to output 0 of node 1, which is not in this graph");
    bindings[1].socket = (mr_socket){ 0, 1 };
    refuse_add(graph, bindings, 2,
               "test.node: radius is wired to output 1 of node 0, which is not in this graph");
    bindings[1].socket = (mr_socket){ 0, 0 };
    test_assert_ok(mr_graph_add(graph, &node, bindings, 2, (mr_origin){ 0 }, &made, &error), &error);
    mr_socket wanted = { 5, 0 };
    mr_value value;
    assert_false(mr_graph_cook(graph, &wanted, 1, &value, NULL, &error));
    test_assert_ok(mr_graph_cook(graph, NULL, 0, &value, NULL, &error), &error);
    mr_graph_destroy(graph);
}

static bool big_cook(mr_cook *cook, mr_error *error)
{
    mr_cook_set(cook, "answer", mr_value_number(1e9));
    return true;
}
static const mr_node big = {
    .name = "test.big",
    .version = 1,
    .outputs = { { .name = "answer", .type = MR_NUMBER } },
    .cook = big_cook,
};

static void wired_values_are_checked_when_cooked(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_graph *graph = mr_graph_create(context, NULL, &error);
    uint32_t from, to;
    test_assert_ok(mr_graph_add(graph, &big, NULL, 0, (mr_origin){ 0 }, &from, &error), &error);
    mr_binding bindings[2] = { { .name = "needed", .value = mr_value_integer(1) },
                               { .name = "octaves", .wired = true, .socket = { from, 0 } } };
    test_assert_ok(mr_graph_add(graph, &node, bindings, 2, (mr_origin){ "land.lua", 12 }, &to, &error),
                   &error);
    mr_socket wanted = { to, 0 };
    mr_value value;
    assert_false(mr_graph_cook(graph, &wanted, 1, &value, NULL, &error));
    assert_string_equal(error.message,
                        "test.node: octaves is 1000000000; it must be a whole number from 1 to 16");
    assert_string_equal(error.file, "land.lua");
    assert_int_equal(error.line, 12);
    mr_graph_destroy(graph);
}

static void unknown_nodes_are_named_with_the_nearest(void **state)
{
    for (size_t i = 0; i < mr_node_count(); i++) {
        const mr_node *at = mr_node_at(i);
        assert_ptr_equal(mr_node_find(at->name), at);
        assert_true(at->version > 0 && at->summary && at->cook && mr_node_output_count(at) > 0);
        if (i > 0) {
            assert_true(strcmp(mr_node_at(i - 1)->name, at->name) < 0);
        }
        char wrong[64], expected[256];
        mr_error error;
        mr_text_format(wrong, sizeof wrong, "%sq", at->name);
        if (mr_node_find(wrong)) {
            continue;
        }
        assert_false(mr_node_unknown(wrong, &error));
        mr_text_format(expected, sizeof expected, "no node is called %s; did you mean %s?", wrong, at->name);
        assert_string_equal(error.message, expected);
    }
    mr_error error;
    assert_null(mr_node_find("nowhere.nothing"));
    assert_false(mr_node_unknown("qqqqqqqqqqqqqqq.zzzzz", &error));
    assert_string_equal(error.message, "no node is called qqqqqqqqqqqqqqq.zzzzz");
}

// Every default a descriptor states passes its own check, and every choice's default is one of the choices.
static void every_default_of_the_registry_passes_its_own_check(void **state)
{
    mr_context *context = *state;
    for (size_t i = 0; i < mr_node_count(); i++) {
        const mr_node *at = mr_node_at(i);
        for (uint32_t k = 0; k < mr_node_input_count(at); k++) {
            mr_value value, checked;
            mr_error error;
            if (at->inputs[k].flags & MR_REQUIRED) {
                continue;
            }
            test_assert_ok(mr_input_default(at, &at->inputs[k], context, &value, &error), &error);
            if (value.type != MR_NONE) {
                test_assert_ok(mr_input_check(at, &at->inputs[k], &value, context, &checked, &error), &error);
                mr_value_release(&checked);
            }
            mr_value_release(&value);
        }
    }
}

// A program whose first output is planned and whose second is wired; "count" nodes deep.
static bool plan(void *self, mr_graph *graph, const mr_binding *inputs, size_t count, mr_binding *outputs,
                 mr_error *error)
{
    uint32_t made;
    mr_binding need = { .name = "needed", .value = mr_value_integer(1) };
    if (!mr_graph_add(graph, &node, &need, 1, (mr_origin){ "p.lua", 4 }, &made, error)) {
        return false;
    }
    outputs[0] = (mr_binding){ .name = "plain", .value = mr_value_retain(inputs[0].value) };
    outputs[1] = (mr_binding){ .name = "cooked", .wired = true, .socket = { made, 0 } };
    return true;
}

static void a_program_answers_planned_and_cooked_outputs_in_order(void **state)
{
    mr_context *context = *state;
    static const mr_input inputs[] = { { .name = "title", .type = MR_TEXT, .flags = MR_REQUIRED } };
    static const mr_output outputs[] = { { .name = "plain", .type = MR_TEXT },
                                         { .name = "cooked", .type = MR_NUMBER } };
    mr_graph_program program = { .name = "p.lua",
                                 .inputs = inputs,
                                 .input_count = 1,
                                 .outputs = outputs,
                                 .output_count = 2,
                                 .plan = plan };
    mr_value values[2];
    mr_error error;
    mr_binding given = { .name = "title", .value = text(context, "hills") };
    mr_cook_report report;
    test_assert_ok(mr_graph_program_call(context, ".", &program, &given, 1, values, &report, &error), &error);
    assert_string_equal(values[0].text->data, "hills");
    assert_true(values[1].number == 1);
    assert_int_equal(report.nodes, 1);
    mr_value_release(&values[0]);
    assert_false(mr_graph_program_call(context, ".", &program, NULL, 0, values, NULL, &error));
    assert_string_equal(error.message, "p.lua: input title is missing");
    mr_binding wrong = { .name = "titel", .value = given.value };
    assert_false(mr_graph_program_call(context, ".", &program, &wrong, 1, values, NULL, &error));
    assert_string_equal(error.message, "p.lua has no input titel; did you mean title?");
    mr_binding twice[2] = { given, given };
    assert_false(mr_graph_program_call(context, ".", &program, twice, 2, values, NULL, &error));
    assert_string_equal(error.message, "p.lua: input title is given twice");
    mr_value_release(&given.value);
}

static int setup(void **state)
{
    *state = test_context();
    return 0;
}
static int teardown(void **state)
{
    mr_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_checked_and_the_value_got_is_said),
        cmocka_unit_test(seeds_past_32_bits_are_refused_with_the_range),
        cmocka_unit_test(choices_are_words_and_the_nearest_is_offered),
        cmocka_unit_test(vectors_come_from_lists_and_records),
        cmocka_unit_test(what_is_left_out_takes_its_default_or_is_not_given),
        cmocka_unit_test(an_empty_record_is_an_empty_list),
        cmocka_unit_test(adding_a_node_checks_names_and_wires),
        cmocka_unit_test(wired_values_are_checked_when_cooked),
        cmocka_unit_test(unknown_nodes_are_named_with_the_nearest),
        cmocka_unit_test(every_default_of_the_registry_passes_its_own_check),
        cmocka_unit_test(a_program_answers_planned_and_cooked_outputs_in_order),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
