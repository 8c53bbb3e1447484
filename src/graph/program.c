// graph/program.c: a graph that a higher floor wrote, planned and cooked.

#include "graph/program.h"

// The program's inputs as a node's, so that they are named and checked as a node's are.
static bool check_inputs(mr_context *context, const mr_graph_program *program, const mr_binding *inputs,
                         size_t count, mr_binding *checked, mr_error *error)
{
    mr_node node = { .name = program->name };
    bool given[MR_MAX_INPUTS] = { false };
    memcpy(node.inputs, program->inputs, program->input_count * sizeof *program->inputs);
    for (size_t i = 0; i < count; i++) {
        uint32_t place;
        if (!mr_input_find(&node, inputs[i].name, &place, error)) {
            return false;
        }
        if (given[place]) {
            return mr_fail(error, MR_BAD_INPUT, "%s: input %s is given twice", node.name, inputs[i].name);
        }
        given[place] = true;
        checked[i].name = node.inputs[place].name;
        if (!mr_input_check(&node, &node.inputs[place], &inputs[i].value, context, &checked[i].value,
                            error)) {
            return false;
        }
    }
    for (size_t i = 0; i < program->input_count; i++) {
        mr_value unused;
        if (!given[i] && (node.inputs[i].flags & MR_REQUIRED)) {
            return mr_input_default(&node, &node.inputs[i], context, &unused, error);
        }
    }
    return true;
}

// Cooks the wired outputs in one go and moves the planned ones.
static bool collect(mr_graph *graph, const mr_graph_program *program, mr_binding *planned, mr_value *outputs,
                    mr_cook_report *report, mr_error *error)
{
    mr_socket wanted[MR_MAX_OUTPUTS];
    mr_value cooked[MR_MAX_OUTPUTS];
    size_t count = 0;
    for (size_t i = 0; i < program->output_count; i++) {
        if (planned[i].wired) {
            wanted[count++] = planned[i].socket;
        }
    }
    if (!mr_graph_cook(graph, wanted, count, cooked, report, error)) {
        return false;
    }
    for (size_t i = program->output_count; i-- > 0;) {
        outputs[i] = planned[i].wired ? cooked[--count] : planned[i].value;
        planned[i].value = (mr_value){ .type = MR_NONE };
    }
    return true;
}

bool mr_graph_program_call(mr_context *context, const char *folder, const mr_graph_program *program,
                           const mr_binding *inputs, size_t count, mr_value *outputs, mr_cook_report *report,
                           mr_error *error)
{
    if (program->input_count > MR_MAX_INPUTS || program->output_count > MR_MAX_OUTPUTS) {
        return mr_fail(error, MR_LIMIT,
                       "%s declares %zu inputs and %zu outputs; at most %d and %d are allowed", program->name,
                       program->input_count, program->output_count, MR_MAX_INPUTS, MR_MAX_OUTPUTS);
    }
    if (count > program->input_count && program->input_count == 0) {
        return mr_fail(error, MR_BAD_INPUT, "%s has no input %s; it has none", program->name, inputs[0].name);
    }
    mr_binding checked[MR_MAX_INPUTS] = { { .name = NULL } };
    mr_binding planned[MR_MAX_OUTPUTS] = { { .name = NULL } };
    size_t kept = count < MR_MAX_INPUTS ? count : MR_MAX_INPUTS; // one more is given twice, and is found so
    bool good = false;
    mr_graph *graph = mr_graph_create(context, folder, error);
    if (!graph || !check_inputs(context, program, inputs, kept, checked, error)) {
        goto done;
    }
    good = program->plan(program->self, graph, checked, kept, planned, error) &&
           collect(graph, program, planned, outputs, report, error);
done:
    for (size_t i = 0; i < MR_MAX_INPUTS; i++) {
        mr_value_release(&checked[i].value);
    }
    for (size_t i = 0; i < MR_MAX_OUTPUTS; i++) {
        mr_value_release(&planned[i].value);
    }
    mr_graph_destroy(graph);
    return good;
}
