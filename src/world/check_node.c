// world/check_node.c: calls of nodes and of graphs, which are held to what their inputs are declared as.

#include "graph/program.h"
#include "world/call.h"
#include "world/check_state.h"

static mr_typed output_type(mr_checker *c, const mr_output *output)
{
    switch (output->type) {
    case MR_NUMBER:
        return &mr_type_number;
    case MR_INT:
        return &mr_type_int;
    case MR_BOOL:
        return &mr_type_bool;
    case MR_TEXT:
    case MR_CHOICE:
        return &mr_type_text;
    case MR_VEC2:
        return &mr_type_vec2;
    case MR_VEC3:
        return &mr_type_vec3;
    case MR_RASTER:
        return &mr_type_raster;
    case MR_GEOMETRY:
        return &mr_type_geometry;
    case MR_TEXTURE:
    case MR_COLUMN:
        return mr_check_type(c, (mr_world_type){ .of = MR_OF_DATA, .data = output->type, .name = "texture" });
    default:
        return &mr_type_any;
    }
}

static void check_vector(mr_checker *c, const mr_expr *expr, const mr_input *input, mr_typed given)
{
    size_t wanted = input->type == MR_VEC2 ? 2 : input->type == MR_VEC3 ? 3 : 4;
    if (mr_typed_unknown(given) || given->of == MR_OF_SPOT) {
        return;
    }
    bool color = input->type == MR_COLOR && given->of == MR_OF_TUPLE && given->count == 3;
    if (given->of != MR_OF_TUPLE || (given->count != wanted && !color)) {
        char got[256];
        mr_type_describe(given, got, sizeof got);
        mr_check_fail(c, expr->place, NULL, "a tuple of %zu is asked for, not %s", wanted, got);
        return;
    }
    bool written = expr->kind == MR_EXPR_TUPLE && expr->item_count == given->count;
    for (size_t i = 0; i < given->count; i++) {
        mr_check_fits(c, written ? expr->items[i].value : expr, given->items[i], mr_world_input_type(input));
    }
}

static void check_input(mr_checker *c, const mr_scope *scope, const char *name, const mr_input *input,
                        const mr_expr *expr)
{
    double value;
    if (input->type == MR_CHOICE) {
        bool there = expr->kind == MR_EXPR_NAME && mr_choice_place(input->choices, expr->text) >= 0;
        bool free =
            expr->kind == MR_EXPR_NAME && mr_scope_find(scope, c->file, expr->text).kind == MR_FOUND_NOTHING;
        if (!there && free) {
            mr_check_fail(c, expr->place, NULL, "one of %s is asked for, not %.*s", input->choices,
                          MR_VIEW_ARGS(expr->text));
        } else if (!there) {
            mr_check_expr(c, scope, expr, NULL);
        }
        return;
    }
    mr_typed given = mr_check_expr(c, scope, expr, NULL);
    switch (input->type) {
    case MR_NUMBER:
        mr_check_fits(c, expr, given, mr_world_input_type(input));
        break;
    case MR_INT:
        mr_check_fits(c, expr, given, input->range.high == 4294967295.0 ? &mr_type_seed : &mr_type_int);
        break;
    case MR_BOOL:
        mr_check_fits(c, expr, given, &mr_type_bool);
        break;
    case MR_TEXT:
        mr_check_fits(c, expr, given, &mr_type_text);
        break;
    case MR_VEC2:
    case MR_VEC3:
    case MR_VEC4:
    case MR_COLOR:
        check_vector(c, expr, input, given);
        return;
    case MR_RASTER:
        if (given->of == MR_OF_LAND || (given->of == MR_OF_PART && given->shape &&
                                        mr_check_content(c, given->shape)->of == MR_OF_LAND)) {
            return;
        }
        mr_check_fits(c, expr, given, &mr_type_raster);
        return;
    case MR_GEOMETRY:
        mr_check_fits(c, expr, given, &mr_type_geometry);
        return;
    case MR_LIST:
        mr_check_fits(c, expr, given, &mr_type_list);
        return;
    default:
        return;
    }
    // A number written out is held to the input's range here; others where they are cooked.
    if (!c->reported && input->range.bounded && mr_check_literal(expr, &value)) {
        double scale = input->unit == MR_DEGREES ? 180.0 / 3.14159265358979323846 : 1.0;
        value = input->type == MR_INT ? value : (double)(float)value * scale;
        mr_value number = input->type == MR_INT ? mr_value_integer((int64_t)value) : mr_value_number(value);
        mr_value checked = { 0 };
        mr_error error = { 0 };
        const mr_node node = { .name = name };
        if (!mr_input_check(&node, input, &number, c->context, &checked, &error)) {
            c->subject = (mr_view){ 0 };
            mr_check_fail(c, expr->place, error.hint[0] ? error.hint : NULL, "%s", error.message);
        }
        mr_value_release(&checked);
    }
}

// What can be called: a node, or a graph as one.
typedef struct called {
    const char *name;
    const mr_input *inputs;
    size_t input_count;
    const mr_output *outputs;
    size_t output_count;
} called;

static bool check_argument(mr_checker *c, const mr_scope *scope, const called *of,
                           const mr_argument *argument, size_t *next, bool *given)
{
    const mr_input *input = argument->name.size > 0
                                ? mr_world_input(of->inputs, of->input_count, argument->name)
                            : *next < of->input_count ? &of->inputs[(*next)++]
                                                      : NULL;
    if (!input && argument->name.size == 0) {
        mr_check_fail(c, argument->place, NULL, "%s takes fewer inputs", of->name);
        return false;
    }
    if (!input) {
        char hint[96];
        const char *near = mr_world_input_nearest(of->inputs, of->input_count, argument->name);
        mr_text_format(hint, sizeof hint, "did you mean %s?", near ? near : "");
        mr_check_fail(c, argument->place, near ? hint : NULL, "%s has no input %.*s", of->name,
                      MR_VIEW_ARGS(argument->name));
        return false;
    }
    if (given[input - of->inputs]) {
        mr_check_fail(c, argument->place, NULL, "%s: %s is given twice", of->name, input->name);
        return false;
    }
    given[input - of->inputs] = true;
    mr_view subject = c->subject;
    c->subject = mr_view_of(input->name);
    check_input(c, scope, of->name, input, argument->value);
    c->subject = subject;
    return true;
}

static mr_typed answer_type(mr_checker *c, const called *of)
{
    if (of->output_count <= 1) {
        return of->output_count ? output_type(c, &of->outputs[0]) : &mr_type_none;
    }
    mr_view *names = mr_check_take(c, of->output_count * sizeof *names);
    mr_typed *items = mr_check_take(c, of->output_count * sizeof *items);
    for (size_t i = 0; names && items && i < of->output_count; i++) {
        names[i] = mr_view_of(of->outputs[i].name);
        items[i] = output_type(c, &of->outputs[i]);
    }
    return names && items ? mr_check_type(c, (mr_world_type){ .of = MR_OF_RECORD,
                                                              .count = of->output_count,
                                                              .names = names,
                                                              .items = items })
                          : &mr_type_broken;
}

static mr_typed check_called(mr_checker *c, const mr_scope *scope, const mr_expr *call, const called *of)
{
    bool given[MR_MAX_INPUTS] = { false };
    size_t next = 0;
    for (size_t i = 0; i < call->item_count; i++) {
        if (!check_argument(c, scope, of, &call->items[i], &next, given)) {
            return &mr_type_broken;
        }
    }
    for (size_t i = 0; i < of->input_count; i++) {
        if (!given[i] && (of->inputs[i].flags & MR_REQUIRED)) {
            return mr_check_fail(c, call->place, NULL, "%s: %s is missing", of->name, of->inputs[i].name);
        }
    }
    return answer_type(c, of);
}

mr_typed mr_check_node_call(mr_checker *c, const mr_scope *scope, const mr_expr *call, const mr_node *node)
{
    called of = { node->name, node->inputs, mr_node_input_count(node), node->outputs,
                  mr_node_output_count(node) };
    return check_called(c, scope, call, &of);
}

mr_typed mr_check_graph_call(mr_checker *c, const mr_scope *scope, const mr_expr *call,
                             const mr_graph_program *program)
{
    called of = { program->name, program->inputs, program->input_count, program->outputs,
                  program->output_count };
    return check_called(c, scope, call, &of);
}

// A graph that could not be read: its error stands at its own line, once, however many calls ask for it.
static mr_typed report_graph(mr_checker *c, mr_place place, const mr_error *error)
{
    if (error->status == MR_OUT_OF_MEMORY || error->status == MR_CANCELLED) {
        c->stopped = c->stopped.status == MR_OK ? *error : c->stopped;
        return &mr_type_broken;
    }
    if (!error->file[0]) {
        return mr_check_fail(c, place, error->hint[0] ? error->hint : NULL, "%s", error->message);
    }
    char path[MR_PATH_SIZE], hint[MR_HINT_SIZE];
    mr_world_graph_path(c->folder, error->file, path);
    mr_world_graph_hint(c->path, place, error->hint, hint);
    if (!mr_diagnosed_line(c->diagnostics, path, error->line)) {
        mr_diagnose(c->diagnostics, MR_ERROR, path, (mr_place){ .line = error->line }, hint, "%s",
                    error->message);
    }
    c->reported = true;
    return &mr_type_broken;
}

// graph("land.lua") is read here where its name is written out; what is worked out is read when it is called.
MR_CHECKED(mr_check_graph)
{
    const mr_expr *path = call->given[0]->value;
    if (path->kind != MR_EXPR_TEXT || !checker->loader || !checker->loader->load || checker->reported) {
        return &mr_type_any;
    }
    char name[MR_PATH_SIZE];
    const mr_graph_program *program = NULL;
    mr_error error = { 0 };
    mr_text_format(name, sizeof name, "%.*s", MR_VIEW_ARGS(path->text));
    if (!checker->loader->load(checker->loader->self, checker->folder, name, &program, &error)) {
        return report_graph(checker, call->expr->place, &error);
    }
    return mr_check_type(checker, (mr_world_type){ .of = MR_OF_FUNCTION, .program = program });
}
