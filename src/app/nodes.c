// app/nodes.c: `marram nodes` and `marram node`: what there is to build with, from the descriptors.

#include "app/catalogue.h"
#include "graph/node.h"

static const char *node_name(size_t index)
{
    return mr_node_at(index)->name;
}

static const char *node_summary(size_t index)
{
    return mr_node_at(index)->summary;
}

static const char *node_detail(size_t index, size_t k)
{
    const mr_input *inputs = mr_node_at(index)->inputs;
    for (size_t i = 0; i <= k / 2; i++) {
        if (!inputs[i].name) {
            return NULL;
        }
    }
    const mr_input *input = &inputs[k / 2];
    return k % 2 == 0 ? input->name : input->doc ? input->doc : "";
}

static const mr_catalogue nodes = {
    .kind = "node", .count = mr_node_count, .name = node_name, .summary = node_summary, .detail = node_detail
};

static mr_exit run_nodes(mr_context *context, const mr_arguments *arguments)
{
    return mr_catalogue_list(context, arguments, &nodes);
}

static void print_default(mr_text *text, const mr_input *input)
{
    static const int components[MR_TYPE_COUNT] = {
        [MR_VEC2] = 2, [MR_VEC3] = 3, [MR_VEC4] = 4, [MR_COLOR] = 4
    };
    if (input->flags & MR_REQUIRED) {
        mr_text_print(text, "required");
    } else if (components[input->type] > 0) {
        mr_text_print(text, "default (");
        for (int i = 0; i < components[input->type]; i++) {
            mr_text_print(text, "%s%g", i ? ", " : "", input->vector[i]);
        }
        mr_text_print(text, ")");
    } else if (input->type == MR_NUMBER || input->type == MR_INT) {
        mr_text_print(text, "default %g", input->value);
    } else if (input->type == MR_BOOL) {
        mr_text_print(text, "default %s", input->value != 0 ? "true" : "false");
    } else if (input->type == MR_TEXT || input->type == MR_CHOICE) {
        mr_text_print(text, "default \"%s\"", input->text ? input->text : "");
    } else {
        mr_text_print(text, "optional");
    }
}

static void print_range(mr_text *text, const mr_input *input)
{
    if (input->range.bounded && __builtin_isinf(input->range.high)) {
        mr_text_print(text, ", at least %g", input->range.low);
    } else if (input->range.bounded) {
        mr_text_print(text, ", %.10g to %.10g", input->range.low, input->range.high);
    }
}

static void print_node(mr_text *text, const mr_node *node)
{
    mr_text_print(text, "%s (version %u)\n%s\n", node->name, node->version, node->summary);
    if (node->source) {
        mr_text_print(text, "Source: %s\n", node->source);
    }
    mr_text_print(text, "\nInputs:\n");
    for (const mr_input *input = node->inputs; input->name; input++) {
        const char *unit = mr_unit_symbol(input->unit);
        mr_text_print(text, "  %-14s %-9s %s%s", input->name, mr_type_name(input->type), unit,
                      *unit ? ", " : "");
        print_default(text, input);
        print_range(text, input);
        if (input->choices) {
            mr_text_print(text, ", one of: %s", input->choices);
        }
        mr_text_print(text, "\n");
        if (input->doc) {
            mr_text_print(text, "  %-14s %s\n", "", input->doc);
        }
    }
    mr_text_print(text, "\nOutputs:\n");
    for (const mr_output *output = node->outputs; output->name; output++) {
        mr_text_print(text, "  %-14s %-9s %s\n", output->name, mr_type_name(output->type),
                      output->doc ? output->doc : "");
    }
    if (node->example) {
        mr_text_print(text, "\nExample:\n  %s\n", node->example);
    }
}

static void input_json(mr_json *json, const mr_input *input)
{
    mr_json_begin_object(json);
    mr_json_pair(json, "name", input->name);
    mr_json_pair(json, "type", mr_type_name(input->type));
    mr_json_pair(json, "unit", mr_unit_symbol(input->unit));
    mr_json_key(json, "required");
    mr_json_bool(json, input->flags & MR_REQUIRED);
    if (input->range.bounded) {
        mr_json_key(json, "least");
        mr_json_f64(json, input->range.low);
        mr_json_key(json, "most");
        mr_json_f64(json, input->range.high);
    }
    if (input->choices) {
        mr_json_pair(json, "choices", input->choices);
    }
    mr_json_pair(json, "doc", input->doc);
    mr_json_end(json);
}

static void node_json(mr_json *json, const mr_node *node)
{
    mr_json_begin_object(json);
    mr_json_pair(json, "name", node->name);
    mr_json_key(json, "version");
    mr_json_unsigned(json, node->version);
    mr_json_pair(json, "summary", node->summary);
    mr_json_key(json, "inputs");
    mr_json_begin_list(json);
    for (const mr_input *input = node->inputs; input->name; input++) {
        input_json(json, input);
    }
    mr_json_end(json);
    mr_json_key(json, "outputs");
    mr_json_begin_list(json);
    for (const mr_output *output = node->outputs; output->name; output++) {
        mr_json_begin_object(json);
        mr_json_pair(json, "name", output->name);
        mr_json_pair(json, "type", mr_type_name(output->type));
        mr_json_pair(json, "doc", output->doc);
        mr_json_end(json);
    }
    mr_json_end(json);
    mr_json_end(json);
}

static mr_exit run_node(mr_context *context, const mr_arguments *arguments)
{
    const mr_node *node = mr_node_find(arguments->operands[0]);
    if (!node) {
        mr_error error = { 0 };
        mr_node_unknown(arguments->operands[0], &error);
        return mr_report(&error);
    }
    mr_text text;
    mr_json json;
    mr_text_init(&text, context);
    mr_json_init(&json, context, true);
    node_json(&json, node);
    mr_json_finish(&json, NULL);
    print_node(&text, node);
    mr_exit status = mr_say(arguments->json ? &json.text : &text);
    mr_json_destroy(&json);
    mr_text_destroy(&text);
    return status;
}

static const mr_option options[] = { MR_OPTION_JSON, MR_OPTION_ISA, { .name = NULL } };

const mr_command mr_command_nodes = {
    .name = "nodes",
    .operands = "[QUERY]",
    .summary = "List the nodes a graph or a world may call; those that answer the query's words, best first.",
    .most_operands = 1,
    .options = options,
    .run = run_nodes,
};

const mr_command mr_command_node = {
    .name = "node",
    .operands = "NAME",
    .summary = "Say all there is to know of one node: inputs, units, defaults, ranges, outputs.",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run_node,
};
