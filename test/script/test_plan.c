// Graphs written in Lua: what they declare, the nodes they make, their files, and their errors. The registry here is the
// test's own.

#include "support.h"

#include "base/file.h"
#include "script/loader.h"

#include <pthread.h>

static bool cook_number(mr_cook *cook, mr_error *error)
{
    double value = mr_cook_number(cook, "value");
    if (value == 13) {
        return mr_fail(error, MR_BAD_INPUT, "13 is not wanted");
    }
    mr_cook_set(cook, "number", mr_value_number(value));
    return true;
}

static bool cook_sum(mr_cook *cook, mr_error *error)
{
    mr_cook_set(cook, "sum", mr_value_number(mr_cook_number(cook, "a") + mr_cook_number(cook, "b")));
    return true;
}

static bool cook_split(mr_cook *cook, mr_error *error)
{
    double value = mr_cook_number(cook, "value"), whole = __builtin_floor(value);
    mr_cook_set(cook, "whole", mr_value_number(whole));
    mr_cook_set(cook, "rest", mr_value_number(value - whole));
    return true;
}

// The content of a list as one number: text sizes, numbers and records by their order.
static double weigh(const mr_value *value)
{
    double sum = 0;
    switch (value->type) {
    case MR_NUMBER:
        return value->number;
    case MR_INT:
        return (double)value->integer;
    case MR_BOOL:
        return value->boolean;
    case MR_TEXT:
        return (double)value->text->size;
    case MR_LIST:
    case MR_RECORD:
        for (size_t i = 0; i < value->list->count; i++) {
            sum = sum * 10 + weigh(&value->list->items[i]);
        }
        return sum;
    default:
        return -1;
    }
}

static bool cook_weigh(mr_cook *cook, mr_error *error)
{
    double sum = 0;
    const mr_list *list = mr_cook_list(cook, "list");
    for (size_t i = 0; i < list->count; i++) {
        sum = sum * 10 + weigh(&list->items[i]);
    }
    const double *at = mr_cook_vector(cook, "at");
    mr_cook_set(cook, "weight",
                mr_value_number(sum + 1000 * at[0] + 10000 * at[1] + (double)mr_cook_choice(cook, "kind")));
    return true;
}

static const mr_node node_number = {
    .name = "test.number",
    .version = 1,
    .inputs = { { .name = "value", .type = MR_NUMBER, .unit = MR_METRES, MR_AT_LEAST(-100) },
                { .name = "seed", .type = MR_INT, MR_ANY_SEED } },
    .outputs = { { .name = "number", .type = MR_NUMBER } },
    .cook = cook_number,
};
static const mr_node node_split = {
    .name = "test.split",
    .version = 1,
    .inputs = { { .name = "value", .type = MR_NUMBER, .flags = MR_REQUIRED } },
    .outputs = { { .name = "whole", .type = MR_NUMBER }, { .name = "rest", .type = MR_NUMBER } },
    .cook = cook_split,
};
static const mr_node node_sum = {
    .name = "test.sum",
    .version = 1,
    .inputs = { { .name = "a", .type = MR_NUMBER, .flags = MR_REQUIRED },
                { .name = "b", .type = MR_NUMBER, .value = 1 } },
    .outputs = { { .name = "sum", .type = MR_NUMBER } },
    .cook = cook_sum,
};
static const mr_node node_weigh = {
    .name = "weight.of",
    .version = 1,
    .inputs = { { .name = "list", .type = MR_LIST, .flags = MR_REQUIRED },
                { .name = "at", .type = MR_VEC2 },
                { .name = "kind", .type = MR_CHOICE, .choices = "plain fancy", .text = "plain" } },
    .outputs = { { .name = "weight", .type = MR_NUMBER } },
    .cook = cook_weigh,
};
extern const mr_node *const mr_node_table[];
const mr_node *const mr_node_table[] = { &node_number, &node_split, &node_sum, &node_weigh, NULL };

typedef struct place {
    mr_context *context;
    mr_script_loader *loader;
    char folder[MR_PATH_SIZE];
} place;

static place place_make(mr_context *context)
{
    place made = { .context = context };
    mr_error error = { 0 };
    test_folder(made.folder);
    made.loader = mr_script_loader_create(context, NULL, &error);
    assert_non_null(made.loader);
    return made;
}

static void place_end(place *old)
{
    mr_script_loader_destroy(old->loader);
    test_folder_remove(old->folder);
}

static void put_file(const place *in, const char *name, const char *text)
{
    char path[MR_PATH_SIZE], parent[MR_PATH_SIZE];
    mr_error error = { 0 };
    assert_true(mr_path_join(path, in->folder, name, &error));
    assert_true(mr_path_folder(parent, path, &error));
    assert_true(mr_folder_create(parent, &error));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const mr_graph_program *load(const place *in, const char *path, mr_error *error)
{
    const mr_graph_program *program = NULL;
    mr_graph_loader face = mr_script_loader_interface(in->loader);
    return face.load(face.self, in->folder, path, &program, error) ? program : NULL;
}

// Calls the graph in `text` with the given inputs and answers its first output, a number.
static bool call(const place *in, const char *name, const mr_binding *inputs, size_t count, double *answer,
                 mr_error *error)
{
    mr_value outputs[MR_MAX_OUTPUTS] = { 0 };
    const mr_graph_program *program = load(in, name, error);
    if (!program ||
        !mr_graph_program_call(in->context, in->folder, program, inputs, count, outputs, NULL, error)) {
        return false;
    }
    *answer = outputs[0].type == MR_INT ? (double)outputs[0].integer : outputs[0].number;
    for (size_t i = 0; i < program->output_count; i++) {
        mr_value_release(&outputs[i]);
    }
    return true;
}

static double call_text(mr_context *context, const char *text)
{
    place here = place_make(context);
    mr_error error = { 0 };
    double answer = 0;
    put_file(&here, "land.lua", text);
    if (!call(&here, "land.lua", NULL, 0, &answer, &error)) {
        fail_msg("%s\n  %s:%u: %s", text, error.file, error.line, error.message);
    }
    place_end(&here);
    return answer;
}

static mr_error call_fails(mr_context *context, const char *text, const char *part, uint32_t line)
{
    place here = place_make(context);
    mr_error error = { 0 };
    double answer = 0;
    put_file(&here, "land.lua", text);
    bool good = call(&here, "land.lua", NULL, 0, &answer, &error);
    place_end(&here);
    if (good || !strstr(error.message, part) || error.line != line ||
        (line && strcmp(error.file, "land.lua") != 0)) {
        fail_msg("%s\n  %s:%u: \"%s\", not %u: \"%s\"", text, error.file, error.line, error.message, line,
                 part);
    }
    return error;
}

#define GRAPH(build)                                                                                         \
    "return proc.define{ outputs = { { 'n', 'Number' } }, build = function(g, inputs)\n" build "\nend }"

static void a_graph_is_planned_and_cooked(void **state)
{
    assert_true(call_text(*state, GRAPH("return { n = g.test.number{ value = 5 } }")) == 5);
    assert_true(call_text(*state, GRAPH("return g.test.number{ value = 5 }")) == 5);
    assert_true(call_text(*state, GRAPH("return { n = g.test.sum{ a = g.test.number{ value = 5 }, b = "
                                        "g.test.number{ value = 7 }.number } }")) == 12);
    assert_true(call_text(*state, GRAPH("return { n = g.test.sum{ a = 2 } }")) == 3);
    assert_true(call_text(*state, GRAPH("local s = g.test.split{ value = 3.25 } return { n = g.test.sum{ a = "
                                        "s.whole, b = s.rest } }")) == 3.25);
    assert_true(call_text(*state, GRAPH("local s = g.test.number{ value = 0 } for i = 1, 100 do s = "
                                        "g.test.sum{ a = s, b = i } end return { n = s }")) == 5050);
    assert_true(call_text(*state, GRAPH("return { n = 4 }")) == 4);
    assert_true(
        call_text(*state,
                  GRAPH("return { n = g.weight.of{ list = { 1, 'ab', { c = 4, a = 3 }, true } } }")) ==
        1 * 1000 + 2 * 100 + 34 * 10 + 1);
    assert_true(
        call_text(*state, GRAPH("return { n = g.weight.of{ list = {}, at = { 2, 3 }, kind = 'fancy' } }")) ==
        32001);
    assert_true(call_text(*state, GRAPH("return { n = g.weight.of{ list = {}, at = vector.create(1, 2) * 2 + "
                                        "vector.create(0, 1) } }")) == 52000);
}

static void inputs_are_declared_checked_and_planned(void **state)
{
    place here = place_make(*state);
    mr_error error = { 0 };
    put_file(
        &here, "land.lua",
        "return proc.define{ summary = 'A sum.', inputs = {\n"
        " { 'size', 'Number', 2048, unit = 'm', min = 64, max = 1e6, doc = 'Side.' },\n"
        " { 'seed', 'Int', 7 }, { 'on', 'Bool', true }, { 'kind', 'Choice', 'b', choices = { 'a', 'b' } },\n"
        " { 'at', 'Vec2', { 1, 2 } }, { 'list', 'List' }, { 'word', 'Text', 'x' } },\n"
        "outputs = { { 'n', 'Number' }, { 't', 'Text', doc = 'Words.' } },\n"
        "build = function(g, inputs)\n"
        " local text = '' for k, v in pairs(inputs) do text = text .. k .. '=' .. (type(v) == 'table' and #v "
        "or tostring(v)) .. ' ' end\n"
        " return { n = g.test.sum{ a = inputs.size * 2, b = inputs.seed }, t = text }\nend }");
    const mr_graph_program *program = load(&here, "land.lua", &error);
    test_assert_ok(program != NULL, &error);
    assert_string_equal(program->summary, "A sum.");
    assert_int_equal(program->input_count, 7);
    const mr_input *size = &program->inputs[0];
    assert_string_equal(size->name, "size");
    assert_true(size->type == MR_NUMBER && size->unit == MR_METRES && size->value == 2048 &&
                size->range.bounded && size->range.low == 64 && size->range.high == 1e6);
    assert_string_equal(size->doc, "Side.");
    assert_string_equal(program->inputs[3].choices, "a b");
    assert_string_equal(program->inputs[3].text, "b");
    assert_true(program->inputs[4].vector[1] == 2);
    assert_true(program->inputs[5].flags & MR_REQUIRED);
    assert_int_equal(program->output_count, 2);
    assert_string_equal(program->outputs[1].doc, "Words.");

    mr_value list = { 0 }, outputs[2] = { 0 };
    assert_true(mr_value_list(*state, &list, &error));
    assert_true(mr_list_add(list.list, mr_value_number(3), &error));
    mr_binding given[] = { { .name = "list", .value = list },
                           { .name = "size", .value = mr_value_integer(100) } };
    test_assert_ok(mr_graph_program_call(*state, here.folder, program, given, 2, outputs, NULL, &error),
                   &error);
    assert_true(outputs[0].number == 207);
    assert_string_equal(outputs[1].text->data,
                        "at=(1.0, 2.0) kind=b list=1 on=true seed=7 size=100.0 word=x ");
    mr_value_release(&outputs[1]);
    // The same program again, and its file is read no second time.
    put_file(&here, "land.lua", "broken(");
    assert_true(load(&here, "land.lua", &error) == program);
    test_assert_ok(mr_graph_program_call(*state, here.folder, program, given, 2, outputs, NULL, &error),
                   &error);
    assert_true(outputs[0].number == 207);
    mr_value_release(&outputs[1]);
    // What it declares is what it takes.
    assert_false(mr_graph_program_call(*state, here.folder, program, given, 0, outputs, NULL, &error));
    assert_text_contains(error.message, "list");
    given[1].value = mr_value_number(2);
    assert_false(mr_graph_program_call(*state, here.folder, program, given, 2, outputs, NULL, &error));
    assert_text_contains(error.message, "size is 2");
    given[1].name = "sise";
    assert_false(mr_graph_program_call(*state, here.folder, program, given, 2, outputs, NULL, &error));
    assert_text_contains(error.message, "did you mean size");
    mr_value_release(&list);
    place_end(&here);
}

static void a_plan_has_no_memory_of_the_one_before(void **state)
{
    place here = place_make(*state);
    mr_error error = { 0 };
    double answer = 0;
    put_file(&here, "count.lua", "local n = 0\nreturn function() n = n + 1 return n end");
    put_file(
        &here, "land.lua",
        "local count = require('count') count()\n" GRAPH("count() string.rep = nil return { n = count() }"));
    for (int i = 0; i < 3; i++) {
        test_assert_ok(call(&here, "land.lua", NULL, 0, &answer, &error), &error);
        assert_true(answer == 3);
    }
    place_end(&here);
}

static void a_wrong_graph_says_what_and_where(void **state)
{
    mr_context *context = *state;
    call_fails(context, GRAPH("return { n = g.tset.number{} }"),
               "no node family is called tset; did you mean test?", 2);
    call_fails(context, GRAPH("return { n = g.test.nmber{} }"),
               "test has no node nmber; did you mean number?", 2);
    call_fails(context, GRAPH("\nreturn { n = g.test.number{ valeu = 1 } }"),
               "test.number has no input valeu; did you mean value?", 3);
    call_fails(context, GRAPH("return { n = g.test.number{ value = 'x' } }"), "value", 2);
    call_fails(context, GRAPH("return { n = g.test.number{ value = -101 } }"), "-101 m", 2);
    call_fails(context, GRAPH("return { n = g.test.number{ seed = -1 } }"), "4294967295", 2);
    call_fails(context, GRAPH("return { n = g.test.number{ seed = 1 << 53 | 1 } }"), "9007199254740993", 2);
    call_fails(context, GRAPH("return { n = g.test.number{ 5 } }"), "without a name", 2);
    call_fails(context, GRAPH("return { n = g.test.number(5) }"), "in one table", 2);
    call_fails(context, GRAPH("return { n = g.test.sum{} }"), "input a is missing", 2);
    call_fails(context, GRAPH("return { n = g.test.sum{ a = g.test.split{ value = 1 } } }"), "socket within",
               2);
    call_fails(context, GRAPH("return { n = g.test.split{ value = 1 }.hole }"),
               "test.split has no output hole; did you mean whole?", 2);
    call_fails(context, GRAPH("return { n = g.test.number{}.foo }"), "answers one output, number", 2);
    call_fails(context, GRAPH("return { n = g.weight.of{ list = { { g.test.number{} } } } }"),
               "list: element 1: element 1: not yet", 2);
    call_fails(context, GRAPH("return { n = g.weight.of{ list = { 1, x = 2 } } }"), "half a list", 2);
    call_fails(context, GRAPH("return { n = g.weight.of{ list = { print } } }"), "not yet: a function", 2);
    call_fails(context, GRAPH("return { n = g.weight.of{ list = g } }"), "weight.of", 2);
    call_fails(context, GRAPH("local t = {} t[1] = t return { n = g.weight.of{ list = t } }"), "32 deep", 2);
    call_fails(context, GRAPH("return { n = g.test.number{} + 1 }"),
               "not yet: + over a socket (number of test.number)", 2);
    call_fails(context, GRAPH("return { n = -g.test.number{} }"), "not yet: - over a socket", 2);
    call_fails(context, GRAPH("if g.test.number{} < 1 then end"), "math.lt", 2);
    call_fails(context, GRAPH("if 1 >= g.test.number{} then end"), "math.le", 2);
    call_fails(context, GRAPH("return { n = math.lt(g.test.number{}, 1) }"), "not yet: math.lt", 2);
    call_fails(context, GRAPH("return { n = 'a' .. g.test.number{} }"), "not yet: ..", 2);
    call_fails(context, GRAPH("g.test.other = 1"), "cannot be changed", 2);
    call_fails(context, GRAPH("g.other = 1"), "cannot be changed", 2);
    call_fails(context, GRAPH("return { n = inputs.size }"), "declares no input size", 2);
    call_fails(context, GRAPH("return {}"), "build answered no n", 1);
    call_fails(context, GRAPH("return { n = 1, m = 2 }"), "no field m", 1);
    call_fails(context, GRAPH("return 5"), "a table of outputs", 1);
    call_fails(context, GRAPH("return { n = 'x' }"), "build's answer: n is", 1);
    call_fails(context, GRAPH("local x = nil\nreturn x.y"), "nil value", 3);
    call_fails(context, GRAPH("return { n = g.test.number{ value = 13 } }"), "test.number: 13 is not wanted",
               2);
    call_fails(context, "x = = 1", "unexpected symbol", 1);
    call_fails(context, "return 5", "return proc.define", 0);
    call_fails(context, "return {}", "return proc.define", 0);
    call_fails(context, "proc.define(5)", "takes one table", 1);
    call_fails(context, "return proc.define{ build = function() end }", "outputs are missing", 1);
    call_fails(context, "return proc.define{ outputs = { { 'n', 'Number' } } }", "build must be", 1);
    call_fails(context, "return proc.define{ output = {}, build = print }", "did you mean outputs?", 1);
    call_fails(context, "return proc.define{ outputs = { { 'n', 'Nmber' } }, build = print }",
               "did you mean Number?", 1);
    call_fails(context, "return proc.define{ outputs = { { 'n' } }, build = print }", "n has no type", 1);
    call_fails(context, "return proc.define{ outputs = { 'n' }, build = print }",
               "output 1 is no declaration", 1);
    call_fails(context,
               "return proc.define{ outputs = { { 'n', 'Number' }, { 'n', 'Number' } }, build = print }",
               "declared twice", 1);
    call_fails(context, "return proc.define{ inputs = { { 'a b', 'Number' } }, build = print }",
               "no name of letters", 1);
    call_fails(context, "return proc.define{ inputs = { { 'a', 'Number', 5, unit = 'mm' } }, build = print }",
               "no unit \"mm\"", 1);
    call_fails(context, "return proc.define{ inputs = { { 'a', 'Number', 5, min = 6 } }, build = print }",
               "default of a", 1);
    call_fails(context, "return proc.define{ inputs = { { 'a', 'Number', 'x' } }, build = print }",
               "default of a", 1);
    call_fails(context,
               "return proc.define{ inputs = { { 'a', 'Number', 5, min = 6, max = 5 } }, build = print }",
               "min is more than max", 1);
    call_fails(context, "return proc.define{ inputs = { { 'a', 'Number', 5, mni = 6 } }, build = print }",
               "did you mean min?", 1);
    call_fails(context, "return proc.define{ inputs = { { 'a', 'Choice', 'x' } }, build = print }",
               "needs choices", 1);
    call_fails(context,
               "return proc.define{ inputs = { { 'a', 'Choice', 'x', choices = 'y z' } }, build = print }",
               "default of a", 1);
    call_fails(context,
               "local t = {} for i = 1, 100 do t[i] = { 'a' .. i, 'Number', 1 } end return proc.define{ "
               "inputs = t, build = print }",
               "24 at most", 1);
    mr_error error = call_fails(context, GRAPH("while true do end"), "more work", 2);
    assert_int_equal(error.status, MR_LIMIT);
    error = call_fails(
        context, GRAPH("pcall(function() while true do g.test.number{} end end) return { n = 1 }"), "", 2);
    assert_int_equal(error.status, MR_LIMIT);
    error = call_fails(context, GRAPH("return { n = g.test.number{} + 1 }"), "not yet", 2);
    assert_int_equal(error.status, MR_NOT_YET);
}

static void a_failed_call_may_be_caught_in_lua(void **state)
{
    assert_true(call_text(*state, GRAPH("local ok, m = pcall(g.test.number, { value = 'x' }) return { n = ok "
                                        "and 1 or #m > 10 and 2 or 3 }")) == 2);
    assert_true(
        call_text(
            *state,
            GRAPH("local ok, m = pcall(function() return g.nothing end) return { n = ok and 1 or 2 }")) == 2);
}

static void modules_come_from_the_worlds_folder_alone(void **state)
{
    static const char *const refused[] = {
        "../outside",
        "/etc/passwd",
        "..",
        "a..b",
        "lib/../../outside",
        "./shapes",
        ".hidden",
        "lib/./shapes",
        "lib//shapes",
        "",
        "C:shapes",
        "lib\\\\..\\\\x",
        "@shapes",
        "escape",
        "linked.outside",
        "shapes\\0/../escape",
        "~/x",
        "nothing",
        "lib",
        "shapes.lua.lua",
        "land",
    };
    place here = place_make(*state);
    char inner[MR_PATH_SIZE], path[MR_PATH_SIZE], outside[MR_PATH_SIZE];
    mr_error error = { 0 };
    double answer = 0;
    // The world's folder is inside the test's, so that there is something to escape to.
    mr_text_format(inner, sizeof inner, "%s/world", here.folder);
    put_file(&here, "outside.lua", "return 'escaped'");
    put_file(&here, "world/shapes.lua", "return { size = 3 }");
    put_file(&here, "world/lib/shapes.lua", "local n = ... ; return { size = #n }");
    put_file(&here, "world/lib/deep/init.lua", "return 5");
    put_file(&here, "world/packages/rocks.lua", "return 6");
    put_file(&here, "world/nothing_returned.lua", "x = 7");
    put_file(&here, "world/a.lua", "return require('b')");
    put_file(&here, "world/b.lua", "return require('a')");
    put_file(&here, "world/broken.lua", "\n\nx = = 1");
    put_file(&here, "world/bytes.lua", "\x1bLua\x54");
    mr_text_format(path, sizeof path, "%s/escape.lua", inner);
    mr_text_format(outside, sizeof outside, "%s/outside.lua", here.folder);
    assert_int_equal(symlink(outside, path), 0);
    mr_text_format(path, sizeof path, "%s/linked", inner);
    assert_int_equal(symlink(here.folder, path), 0);
    mr_text_format(path, sizeof path, "%s/lib/near.lua", inner);
    assert_int_equal(symlink("../shapes.lua", path), 0);
    place world = here;
    memcpy(world.folder, inner, sizeof inner);

    put_file(&world, "land.lua",
             "local a, b, c = require('shapes'), require 'lib.shapes', require('lib/deep')\n"
             "assert(require('shapes') == a and require('nothing_returned') == true and x == 7)\n"
             "local d = require('rocks') + require('lib.near').size\n" GRAPH(
                 "return { n = a.size * 10000 + b.size * 100 + c + d }"));
    test_assert_ok(call(&world, "land.lua", NULL, 0, &answer, &error), &error);
    assert_true(answer == 3 * 10000 + 10 * 100 + 5 + 9);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char text[600];
        snprintf(text, sizeof text, "local v = require(\"%s\")\n%s", refused[i], GRAPH("return { n = 1 }"));
        snprintf(path, sizeof path, "try%zu.lua", i);
        put_file(&world, path, text);
        if (call(&world, path, NULL, 0, &answer, &error) && strcmp(refused[i], "land") != 0) {
            fail_msg("require \"%s\" was let through", refused[i]);
        }
        assert_true(strcmp(refused[i], "land") == 0 || (error.line == 1 && error.status == MR_BAD_INPUT));
    }
    put_file(&world, "circle.lua", "require('a')\n" GRAPH("return { n = 1 }"));
    assert_false(call(&world, "circle.lua", NULL, 0, &answer, &error));
    assert_text_contains(error.message, "requires itself");
    put_file(&world, "uses_broken.lua", "require('broken')\n" GRAPH("return { n = 1 }"));
    assert_false(call(&world, "uses_broken.lua", NULL, 0, &answer, &error));
    assert_string_equal(error.file, "broken.lua");
    assert_int_equal(error.line, 3);
    put_file(&world, "uses_bytes.lua", "require('bytes')\n" GRAPH("return { n = 1 }"));
    assert_false(call(&world, "uses_bytes.lua", NULL, 0, &answer, &error));
    assert_text_contains(error.message, "compiled Lua");
    put_file(&world, "late.lua", GRAPH("return { n = require('shapes').size }"));
    assert_false(call(&world, "late.lua", NULL, 0, &answer, &error));
    assert_text_contains(error.message, "at the top of the file");
    // The graph's own path goes by the same rules.
    static const char *const paths[] = {
        "../outside.lua", "/etc/passwd", "escape.lua", "linked/outside.lua", "nowhere.lua", "", "lib",
        "bytes.lua"
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        error = (mr_error){ 0 };
        assert_null(load(&world, paths[i], &error));
        assert_true(error.message[0] && error.status == MR_BAD_INPUT);
    }
    place_end(&here);
}

static void every_file_is_in_the_digest(void **state)
{
    mr_error error = { 0 };
    mr_digest digests[4];
    static const char *const modules[] = { "return 1", "return 1", "return 2", "return 1 " };
    for (size_t i = 0; i < 4; i++) {
        place here = place_make(*state);
        put_file(&here, "m.lua", modules[i]);
        put_file(&here, "land.lua", "local m = require('m')\n" GRAPH("return { n = m }"));
        const mr_graph_program *program = load(&here, "land.lua", &error);
        test_assert_ok(program != NULL, &error);
        digests[i] = program->digest;
        place_end(&here);
    }
    assert_true(mr_digest_equal(digests[0], digests[1]));
    assert_false(mr_digest_equal(digests[0], digests[2]));
    assert_false(mr_digest_equal(digests[0], digests[3]));
}

static void a_failing_allocation_leaks_nothing(void **state)
{
    mr_context *context = test_context_of(1, 0);
    mr_error error = { 0 };
    place here = place_make(context);
    double answer = 0;
    put_file(&here, "m.lua", "return { 1, 2, 3 }");
    put_file(&here, "land.lua",
             "local m = require('m')\nreturn proc.define{ inputs = { { 'kind', 'Choice', 'a', choices = { "
             "'a', 'b' } }, { 'at', 'Vec2', { 1, 2 } } },\n"
             "outputs = { { 'n', 'Number' } }, build = function(g, inputs)\n"
             "local s = g.test.split{ value = 3.25 } return { n = g.test.sum{ a = s.whole, b = g.weight.of{ "
             "list = { m, 'text', { x = 1, y = 2 } } } } } end }");
    test_assert_ok(call(&here, "land.lua", NULL, 0, &answer, &error), &error);
    assert_true(answer == 12355);
    size_t failed = 0;
    bool done = false;
    for (uint64_t n = 1; !done; n += n < 600 ? 1 : 5) {
        assert_true(n < 20000);
        bool sticky = n % 2 == 1; // Lua collects and tries again: one failure may be none
        place again = here;
        error = (mr_error){ 0 };
        mr_cache_clear(context);
        uint64_t held = mr_context_memory_now(context);
        again.loader = mr_script_loader_create(context, NULL, &error);
        assert_non_null(again.loader);
        mr_memory_fail_after(context, n, sticky);
        bool good = call(&again, "land.lua", NULL, 0, &answer, &error);
        mr_memory_fail_after(context, 0, false);
        done = good && sticky;
        failed += !good;
        if (!good && error.status != MR_OUT_OF_MEMORY) {
            fail_msg("allocation %d: status %d, %s", (int)n, (int)error.status, error.message);
        }
        mr_script_loader_destroy(again.loader);
        mr_cache_clear(context);
        mr_buffer_trim(context);
        if (mr_context_memory_now(context) > held + 4096) {
            fail_msg("allocation %d: %zu bytes are still held", (int)n,
                     (size_t)(mr_context_memory_now(context) - held));
        }
    }
    assert_true(failed > 300);
    place_end(&here);
    mr_context_destroy(context);
}

typedef struct thread_call {
    place here;
    double answer;
    bool good;
} thread_call;

static void *call_on_thread(void *argument)
{
    thread_call *run = argument;
    mr_error error = { 0 };
    run->good = true;
    for (int i = 0; i < 10 && run->good; i++) {
        run->good = call(&run->here, "land.lua", NULL, 0, &run->answer, &error);
    }
    return NULL;
}

// One program planned on two threads, and two contexts on two more.
static void threads_plan_at_once(void **state)
{
    static thread_call runs[4];
    pthread_t threads[4];
    mr_context *other = test_context_of(2, 0);
    place first = place_make(*state), second = place_make(other);
    static const char text[] = GRAPH("local s = g.test.number{ value = 0 } for i = 1, 50 do s = g.test.sum{ "
                                     "a = s, b = i } end return { n = s }");
    put_file(&first, "land.lua", text);
    put_file(&second, "land.lua", text);
    for (int i = 0; i < 4; i++) {
        runs[i].here = i < 2 ? first : second;
        assert_int_equal(pthread_create(&threads[i], NULL, call_on_thread, &runs[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_true(runs[i].good);
        assert_true(runs[i].answer == 1275);
    }
    place_end(&first);
    place_end(&second);
    mr_context_destroy(other); // the cache is its own, and ends with it
}

// A graph whose nodes follow the order in which pairs walks 200 text keys, and that sorts 10,000 records: its answer and
// the order of its nodes as one hash.
static int print_hash(void)
{
    mr_context *context = test_context_of(2, 0);
    place here = place_make(context);
    mr_error error = { 0 };
    put_file(&here, "land.lua",
             "local t = {} for i = 1, 200 do t['key' .. i * 7919 % 200 .. ('x'):rep(i % 50)] = i end\n"
             "local records = {} for i = 1, 10000 do records[i] = { key = i * 7919 % 10, i = i } end\n"
             "table.sort(records, function(a, b) return a.key < b.key end)\n"
             "local h = 0 for i, r in ipairs(records) do h = (h * 31 + r.i) % 1000003 end\n" GRAPH(
                 "local s = g.test.number{ value = h }\n"
                 "for k, v in pairs(t) do s = g.test.sum{ a = s, b = g.test.number{ value = v * 2^-20, seed "
                 "= #k } } end\n"
                 "return { n = s }"));
    const mr_graph_program *program = load(&here, "land.lua", &error);
    mr_graph *graph = mr_graph_create(context, here.folder, &error);
    mr_binding output = { 0 };
    mr_value value = { 0 };
    mr_digester digester;
    mr_digest_begin(&digester);
    bool good = program && graph && program->plan(program->self, graph, NULL, 0, &output, &error) &&
                mr_graph_cook(graph, &output.socket, 1, &value, NULL, &error);
    if (good) {
        char hex[33];
        for (size_t i = 0; i < mr_graph_size(graph); i++) {
            mr_digest_text(&digester, mr_view_of(mr_graph_node(graph, (uint32_t)i)->name));
        }
        mr_digest_f64(&digester, value.number);
        mr_digest_hex(mr_digest_end(&digester), hex);
        printf("%s %zu\n", hex, mr_graph_size(graph));
    } else {
        printf("%s\n", error.message);
    }
    mr_value_release(&value);
    mr_graph_destroy(graph);
    place_end(&here);
    mr_context_destroy(context);
    return good ? 0 : 1;
}

static void twenty_processes_make_one_graph(void **state)
{
    char self[4096], command[4200], first[200] = "", line[200];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(size > 0);
    self[size] = 0;
    snprintf(command, sizeof command, "'%s' --hash", self);
    for (int i = 0; i < 20; i++) {
        FILE *run = popen(command, "r");
        assert_non_null(run);
        assert_non_null(fgets(line, sizeof line, run));
        assert_int_equal(pclose(run), 0);
        if (i == 0) {
            snprintf(first, sizeof first, "%s", line);
        }
        assert_string_equal(line, first);
    }
    assert_text_contains(first, " 401");
}

static int end_context(void **state)
{
    mr_context_destroy(*state); // with its cache
    return 0;
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "--hash") == 0) {
        return print_hash();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_is_planned_and_cooked),
        cmocka_unit_test(inputs_are_declared_checked_and_planned),
        cmocka_unit_test(a_plan_has_no_memory_of_the_one_before),
        cmocka_unit_test(a_wrong_graph_says_what_and_where),
        cmocka_unit_test(a_failed_call_may_be_caught_in_lua),
        cmocka_unit_test(modules_come_from_the_worlds_folder_alone),
        cmocka_unit_test(every_file_is_in_the_digest),
        cmocka_unit_test(a_failing_allocation_leaks_nothing),
        cmocka_unit_test(threads_plan_at_once),
        cmocka_unit_test(twenty_processes_make_one_graph),
    };
    return cmocka_run_group_tests_name("script plan", tests, test_setup, end_context);
}
