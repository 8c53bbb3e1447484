// Any bytes as a graph's Lua file: it is read, and planned when it declares a graph. Whatever it does, it ends within its
// limits, leaves no memory behind, and answers the same when it is run again.

#include "script/plan.h"

#include <stdlib.h>

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

// Once through: what it declared, planned into a graph. The digest is of the outcome.
static mr_digest run(mr_context *context, const uint8_t *data, size_t size)
{
    static const mr_script_limits limits = { .work = 300000, .memory = 4 << 20, .text = 1 << 18 };
    mr_error error = { 0 };
    mr_digester digester;
    mr_script_file file = { .name = "fuzz.lua", .text = (char *)(uintptr_t)data, .size = size };
    mr_script_files files = {
        .context = context, .folders = { "." }, .items = &file, .count = 1, .capacity = 1, .complete = true
    };
    mr_digest_begin(&digester);
    mr_script *script = mr_script_create(context, &limits, &error);
    check(script != NULL);
    mr_script_plan read = { .files = &files, .name = "fuzz.lua", .wants_record = true };
    bool good = mr_script_plan_run(script, &read, &error);
    if (good) {
        mr_graph_program program = {
            .name = "fuzz.lua",
            .inputs = read.definition->inputs,
            .input_count = read.definition->input_count,
            .outputs = read.definition->outputs,
            .output_count = read.definition->output_count,
        };
        mr_binding outputs[MR_MAX_OUTPUTS] = { 0 };
        mr_graph *graph = mr_graph_create(context, ".", &error);
        mr_script *planner = mr_script_create(context, &limits, &error);
        check(graph && planner);
        mr_script_plan plan = {
            .files = &files, .name = "fuzz.lua", .graph = graph, .program = &program, .outputs = outputs
        };
        good = mr_script_plan_run(planner, &plan, &error);
        mr_digest_u64(&digester, mr_graph_size(graph));
        for (size_t i = 0; i < MR_MAX_OUTPUTS; i++) {
            mr_value_digest(&outputs[i].value, &digester);
            if (!outputs[i].wired) {
                mr_value_release(&outputs[i].value);
            }
        }
        mr_script_destroy(planner);
        mr_graph_destroy(graph);
    }
    mr_script_destroy(script);
    check(good || error.message[0]);
    check(good || (error.status != MR_OK && error.status != MR_INTERNAL));
    mr_digest_text(&digester, mr_view_of(good ? "" : error.message));
    mr_digest_u64(&digester, good ? 0 : error.line);
    return mr_digest_end(&digester);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static mr_context *context;
    if (!context) {
        mr_context_config config = mr_context_config_default();
        config.threads = 1;
        config.log = NULL;
        check(mr_context_create(&config, &context, NULL));
    }
    uint64_t held = mr_context_memory_now(context);
    mr_digest first = run(context, data, size);
    void *apart = mr_allocate(context, 1 + size * 3); // so that nothing lies where it lay
    mr_digest second = run(context, data, size);
    mr_free(context, apart);
    check(mr_digest_equal(first, second));
    check(mr_context_memory_now(context) == held);
    return 0;
}
