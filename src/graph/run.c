// graph/run.c: one node cooked once.

#include "graph/run.h"

#ifndef MARRAM_BUILD_ID
#define MARRAM_BUILD_ID MARRAM_VERSION
#endif

bool mr_run_fail(const mr_graph_step *at, mr_error *error)
{
    if (!error || error->status == MR_CANCELLED) {
        return false;
    }
    size_t size = strlen(at->node->name);
    bool named = strncmp(error->message, at->node->name, size) == 0 && error->message[size] == ':';
    if (!named) {
        mr_fail_prefix(error, "%s", at->node->name);
    }
    return at->origin.file ? mr_fail_at(error, at->origin.file, at->origin.line, 0) : false;
}

bool mr_run_key(const mr_graph *graph, const mr_graph_step *at, const mr_digest *inputs,
                const mr_run_inputs *values, mr_digest *key, mr_error *error)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_digest_text(&digester, MR_VIEW(MARRAM_BUILD_ID));
    mr_digest_text(&digester, mr_view_of(at->node->name));
    mr_digest_u64(&digester, at->node->version);
    for (uint32_t i = 0; i < at->input_count; i++) {
        mr_digest_u64(&digester, inputs[i].low);
        mr_digest_u64(&digester, inputs[i].high);
    }
    if (at->node->pulls) {
        mr_cook cook = {
            .context = graph->context,
            .node = at->node,
            .inputs = values->given,
            .folder = graph->folder,
        };
        if (!at->node->pulls(&cook, &digester, error)) {
            return mr_run_fail(at, error);
        }
    }
    *key = mr_digest_end(&digester);
    return true;
}

// Whether value is an answer of the declared type, made that type where it is a number of the other kind; its columns
// are published.
static bool publish(mr_value *value, mr_type declared)
{
    if (declared == MR_NUMBER && value->type == MR_INT) {
        *value = mr_value_number((double)value->integer);
    }
    bool fits = value->type == declared || declared == MR_ANY ||
                (declared == MR_CHOICE && value->type == MR_TEXT) ||
                (declared == MR_TEXT && value->type == MR_CHOICE);
    if (!fits || value->type == MR_NONE) {
        return false;
    }
    mr_value_publish(value);
    return true;
}

static bool publish_outputs(const mr_graph_step *at, mr_value *outputs, mr_digest *digests, mr_error *error)
{
    for (uint32_t i = 0; i < at->output_count; i++) {
        const mr_output *output = &at->node->outputs[i];
        if (outputs[i].type == MR_NONE) {
            return mr_fail(error, MR_INTERNAL, "answered no %s", output->name);
        }
        if (!publish(&outputs[i], output->type)) {
            return mr_fail(error, MR_INTERNAL, "answered a %s where %s is a %s",
                           mr_type_name(outputs[i].type), output->name, mr_type_name(output->type));
        }
        digests[i] = mr_value_digest_of(&outputs[i]);
    }
    return true;
}

static void release(mr_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mr_value_release(&values[i]);
    }
}

static bool cook_once(const mr_graph *graph, const mr_graph_step *at, const mr_value *checked,
                      mr_value *owned, mr_value *outputs, mr_digest *digests, mr_error *error)
{
    mr_value made[MR_MAX_OUTPUTS] = { { .type = MR_NONE } };
    mr_cook cook = {
        .context = graph->context,
        .node = at->node,
        .inputs = checked,
        .outputs = made,
        .owned = owned,
        .folder = graph->folder,
    };
    if (error) {
        error->status = MR_OK;
    }
    if (!at->node->cook(&cook, error) || !publish_outputs(at, made, digests, error)) {
        if (error && error->status == MR_OK) {
            mr_fail(error, MR_INTERNAL, "failed and said nothing");
        }
        release(made, MR_MAX_OUTPUTS);
        return false;
    }
    memcpy(outputs, made, at->output_count * sizeof *made);
    return true;
}

static bool again(const mr_graph *graph, const mr_graph_step *at, const mr_value *checked,
                  const mr_digest *digests, mr_error *error)
{
    mr_value second[MR_MAX_OUTPUTS];
    mr_digest others[MR_MAX_OUTPUTS];
    if (!cook_once(graph, at, checked, NULL, second, others, error)) {
        return false;
    }
    release(second, at->output_count);
    for (uint32_t i = 0; i < at->output_count; i++) {
        if (!mr_digest_equal(digests[i], others[i])) {
            return mr_fail(error, MR_INTERNAL, "cooked twice over the same inputs, its %s came out different",
                           at->node->outputs[i].name);
        }
    }
    return true;
}

// The inputs as the node may read them: cast and in range. A value that needed no cast is only borrowed, so that its
// owner's reference stays the only one.
static bool check(const mr_graph *graph, const mr_graph_step *at, const mr_value *given, mr_value *checked,
                  mr_value *casts, mr_error *error)
{
    for (uint32_t i = 0; i < at->input_count; i++) {
        const mr_graph_input *input = &graph->inputs.items[at->first_input + i];
        checked[i] = given[i];
        if (!input->wired) {
            continue;
        }
        if (!mr_input_check(at->node, &at->node->inputs[i], &given[i], graph->context, &casts[i], error)) {
            return false;
        }
        checked[i] = casts[i];
        if (casts[i].type == given[i].type) {
            mr_value_release(&casts[i]);
            checked[i] = given[i];
        }
    }
    return true;
}

static bool any_owned(const mr_value *owned, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (owned[i].type != MR_NONE) {
            return true;
        }
    }
    return false;
}

bool mr_run_cook(const mr_graph *graph, const mr_graph_step *at, mr_run_inputs *inputs, mr_cache *cache,
                 bool twice, mr_value *outputs, mr_digest *digests, double *seconds, mr_error *error)
{
    mr_value checked[MR_MAX_INPUTS];
    mr_value casts[MR_MAX_INPUTS] = { { .type = MR_NONE } };
    mr_error own;
    error = error ? error : &own;
    bool moved = any_owned(inputs->owned, at->input_count);
    bool good = check(graph, at, inputs->given, checked, casts, error);
    if (good) {
        double begin = mr_clock_seconds();
        good = cook_once(graph, at, checked, inputs->owned, outputs, digests, error);
        bool short_of_memory = !good && (error->status == MR_OUT_OF_MEMORY || error->status == MR_LIMIT);
        // The cache may be what holds the memory; an answer may not depend on it. What was written in place is gone.
        if (short_of_memory && !moved && mr_keep_going(graph->context, NULL) && mr_cache_drop_values(cache)) {
            good = cook_once(graph, at, checked, inputs->owned, outputs, digests, error);
        }
        *seconds = mr_clock_seconds() - begin;
        if (good && twice && !again(graph, at, checked, digests, error)) {
            release(outputs, at->output_count);
            good = false;
        }
    }
    release(casts, at->input_count);
    return good || mr_run_fail(at, error);
}
