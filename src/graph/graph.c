// graph/graph.c: nodes added and wired.

#include "graph/graph_state.h"

mr_graph *mr_graph_create(mr_context *context, const char *folder, mr_error *error)
{
    mr_graph *graph = mr_allocate_zeroed(context, sizeof *graph);
    if (!graph) {
        mr_fail_memory(error, sizeof *graph);
        return NULL;
    }
    graph->context = context;
    mr_arena_init(&graph->arena, context);
    if (folder) {
        graph->folder = mr_arena_text(&graph->arena, folder, strlen(folder));
        if (!graph->folder) {
            mr_fail_memory(error, strlen(folder));
            mr_graph_destroy(graph);
            return NULL;
        }
    }
    return graph;
}

void mr_graph_destroy(mr_graph *graph)
{
    if (!graph) {
        return;
    }
    for (size_t i = 0; i < graph->inputs.count; i++) {
        mr_value_release(&graph->inputs.items[i].value);
    }
    mr_array_free(graph->context, &graph->inputs);
    mr_array_free(graph->context, &graph->nodes);
    mr_arena_destroy(&graph->arena);
    mr_free(graph->context, graph);
}

const mr_node *mr_graph_node(const mr_graph *graph, uint32_t index)
{
    return index < graph->nodes.count ? graph->nodes.items[index].node : NULL;
}

size_t mr_graph_size(const mr_graph *graph)
{
    return graph->nodes.count;
}

mr_digest mr_value_digest_of(const mr_value *value)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_value_digest(value, &digester);
    return mr_digest_end(&digester);
}

static bool check_wire(const mr_graph *graph, const mr_node *node, const mr_input *input, mr_socket socket,
                       mr_error *error)
{
    if (socket.node >= graph->nodes.count || socket.output >= graph->nodes.items[socket.node].output_count) {
        return mr_fail(error, MR_BAD_INPUT,
                       "%s: %s is wired to output %u of node %u, which is not in this graph", node->name,
                       input->name, socket.output, socket.node);
    }
    const mr_node *from = graph->nodes.items[socket.node].node;
    const mr_output *output = &from->outputs[socket.output];
    if (!mr_input_takes(input, output->type)) {
        return mr_fail(error, MR_BAD_INPUT, "%s: %s is a %s (the %s of %s); it must be a %s", node->name,
                       input->name, mr_type_name(output->type), output->name, from->name,
                       mr_type_name(input->type == MR_CHOICE ? MR_TEXT : input->type));
    }
    return true;
}

// Fills inputs from the bindings and the defaults. The filled ones hold references also on failure.
static bool bind(const mr_graph *graph, const mr_node *node, const mr_binding *bindings, size_t count,
                 mr_graph_input *inputs, mr_error *error)
{
    bool bound[MR_MAX_INPUTS] = { false };
    for (size_t i = 0; i < count; i++) {
        uint32_t place;
        if (!mr_input_find(node, bindings[i].name, &place, error)) {
            return false;
        }
        if (bound[place]) {
            return mr_fail(error, MR_BAD_INPUT, "%s: input %s is given twice", node->name, bindings[i].name);
        }
        bound[place] = true;
        const mr_input *input = &node->inputs[place];
        inputs[place].wired = bindings[i].wired;
        inputs[place].socket = bindings[i].socket;
        if (bindings[i].wired ? !check_wire(graph, node, input, bindings[i].socket, error)
                              : !mr_input_check(node, input, &bindings[i].value, graph->context,
                                                &inputs[place].value, error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < mr_node_input_count(node); i++) {
        if (!bound[i] && !mr_input_default(node, &node->inputs[i], graph->context, &inputs[i].value, error)) {
            return false;
        }
    }
    return true;
}

// A graph's nodes come from few files: the last one's text is mostly this one's.
static const char *keep_file(mr_graph *graph, const char *file)
{
    const char *last = graph->nodes.count ? graph->nodes.items[graph->nodes.count - 1].origin.file : NULL;
    return last && strcmp(last, file) == 0 ? last : mr_arena_text(&graph->arena, file, strlen(file));
}

static bool append(mr_graph *graph, const mr_node *node, const mr_graph_input *inputs, mr_origin origin,
                   mr_error *error)
{
    uint32_t input_count = mr_node_input_count(node);
    uint32_t output_count = mr_node_output_count(node);
    if (graph->nodes.count >= UINT32_MAX / MR_MAX_INPUTS) {
        return mr_fail(error, MR_LIMIT, "the graph has %zu nodes, and no room for more", graph->nodes.count);
    }
    const char *file = origin.file ? keep_file(graph, origin.file) : NULL;
    if ((origin.file && !file) ||
        !mr_array_reserve(graph->context, &graph->inputs, graph->inputs.count + input_count) ||
        !mr_array_reserve(graph->context, &graph->nodes, graph->nodes.count + 1)) {
        return mr_fail_memory(error, input_count * sizeof *inputs);
    }
    graph->nodes.items[graph->nodes.count++] = (mr_graph_step){
        .node = node,
        .origin = { file, origin.line },
        .first_input = (uint32_t)graph->inputs.count,
        .input_count = input_count,
        .first_output = graph->output_count,
        .output_count = output_count,
    };
    for (uint32_t i = 0; i < input_count; i++) {
        mr_graph_input *input = &graph->inputs.items[graph->inputs.count++];
        *input = inputs[i];
        if (!input->wired) {
            input->digest = mr_value_digest_of(&input->value);
        }
    }
    graph->output_count += output_count;
    return true;
}

bool mr_graph_add(mr_graph *graph, const mr_node *node, const mr_binding *bindings, size_t count,
                  mr_origin origin, uint32_t *made, mr_error *error)
{
    mr_graph_input inputs[MR_MAX_INPUTS];
    memset(inputs, 0, sizeof inputs);
    if (!bind(graph, node, bindings, count, inputs, error) || !append(graph, node, inputs, origin, error)) {
        for (uint32_t i = 0; i < MR_MAX_INPUTS; i++) {
            mr_value_release(&inputs[i].value);
        }
        return origin.file ? mr_fail_at(error, origin.file, origin.line, 0) : false;
    }
    *made = (uint32_t)graph->nodes.count - 1;
    return true;
}
