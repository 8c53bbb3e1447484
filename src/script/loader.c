// script/loader.c: programs from Lua files.

#include "script/loader.h"

#include "base/array.h"
#include "base/thread.h"
#include "script/plan.h"

typedef struct program {
    mr_graph_program face;
    mr_script_loader *loader;
    char *folder, *path;
    mr_script_files files;
    mr_arena arena; // what the definition holds
} program;

struct mr_script_loader {
    mr_context *context;
    char *packages;
    mr_script_limits limits;
    mr_mutex lock; // of the list
    MR_ARRAY(program *) programs;
};

static char *copy_text(mr_context *context, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mr_allocate(context, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static void program_destroy(program *old)
{
    if (old) {
        mr_context *context = old->loader->context;
        mr_script_files_destroy(&old->files);
        mr_arena_destroy(&old->arena);
        mr_free(context, old->folder);
        mr_free(context, old->path);
        mr_free(context, old);
    }
}

static void release_outputs(mr_binding *outputs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!outputs[i].wired) {
            mr_value_release(&outputs[i].value);
        }
        outputs[i] = (mr_binding){ 0 };
    }
}

static bool plan(void *self, mr_graph *graph, const mr_binding *inputs, size_t count, mr_binding *outputs,
                 mr_error *error)
{
    program *of = self;
    mr_script *script = mr_script_create(of->loader->context, &of->loader->limits, error);
    if (!script) {
        return false;
    }
    mr_binding made[MR_MAX_OUTPUTS] = { 0 };
    mr_script_plan run = {
        .files = &of->files,
        .name = of->path,
        .graph = graph,
        .inputs = inputs,
        .input_count = count,
        .program = &of->face,
        .outputs = made,
    };
    bool good = mr_script_plan_run(script, &run, error);
    mr_script_destroy(script);
    if (good) {
        memcpy(outputs, made, of->face.output_count * sizeof *outputs);
    } else {
        release_outputs(made, of->face.output_count);
    }
    return good;
}

// Runs the file to learn what it declares and which files it takes.
static bool program_read(program *made, mr_error *error)
{
    mr_script *script = mr_script_create(made->loader->context, &made->loader->limits, error);
    if (!script) {
        return false;
    }
    mr_script_plan run = { .files = &made->files, .name = made->path, .wants_record = true };
    bool good = mr_script_plan_run(script, &run, error);
    if (good) {
        mr_digester digester;
        made->files.complete = true;
        mr_digest_begin(&digester);
        mr_script_files_digest(&made->files, &digester);
        made->face = (mr_graph_program){
            .self = made,
            .name = made->path,
            .summary = run.definition->summary ? run.definition->summary : "",
            .inputs = run.definition->inputs,
            .input_count = run.definition->input_count,
            .outputs = run.definition->outputs,
            .output_count = run.definition->output_count,
            .plan = plan,
            .digest = mr_digest_end(&digester),
        };
        made->arena = script->arena;
        mr_arena_init(&script->arena, made->loader->context);
    }
    mr_script_destroy(script);
    return good;
}

static program *program_create(mr_script_loader *loader, const char *folder, const char *path,
                               mr_error *error)
{
    program *made = mr_allocate_zeroed(loader->context, sizeof *made);
    if (!made) {
        mr_fail_memory(error, sizeof *made);
        return NULL;
    }
    made->loader = loader;
    mr_arena_init(&made->arena, loader->context);
    made->folder = copy_text(loader->context, folder);
    made->path = copy_text(loader->context, path);
    made->files =
        (mr_script_files){ .context = loader->context, .folders = { made->folder, loader->packages } };
    bool good = made->folder && made->path ? program_read(made, error)
                                           : mr_fail_memory(error, strlen(folder) + strlen(path));
    if (!good) {
        program_destroy(made);
        return NULL;
    }
    return made;
}

static program *find(const mr_script_loader *loader, const char *folder, const char *path)
{
    for (size_t i = 0; i < loader->programs.count; i++) {
        program *kept = loader->programs.items[i];
        if (strcmp(kept->folder, folder) == 0 && strcmp(kept->path, path) == 0) {
            return kept;
        }
    }
    return NULL;
}

static bool load(void *self, const char *folder, const char *path, const mr_graph_program **answer,
                 mr_error *error)
{
    mr_script_loader *loader = self;
    mr_mutex_lock(&loader->lock);
    program *kept = find(loader, folder, path);
    if (!kept) {
        kept = program_create(loader, folder, path, error);
        if (kept && !mr_array_push(loader->context, &loader->programs, kept)) {
            program_destroy(kept);
            kept = NULL;
            mr_fail_memory(error, sizeof kept);
        }
    }
    mr_mutex_unlock(&loader->lock);
    if (!kept) {
        return false;
    }
    *answer = &kept->face;
    return true;
}

mr_script_loader *mr_script_loader_create(mr_context *context, const char *packages, mr_error *error)
{
    mr_script_loader *loader = mr_allocate_zeroed(context, sizeof *loader);
    char *copy = packages ? copy_text(context, packages) : NULL;
    if (!loader || (packages && !copy)) {
        mr_free(context, loader);
        mr_free(context, copy);
        mr_fail_memory(error, sizeof *loader);
        return NULL;
    }
    loader->context = context;
    loader->packages = copy;
    loader->limits = mr_script_limits_default();
    mr_mutex_init(&loader->lock);
    return loader;
}

void mr_script_loader_destroy(mr_script_loader *loader)
{
    if (!loader) {
        return;
    }
    for (size_t i = 0; i < loader->programs.count; i++) {
        program_destroy(loader->programs.items[i]);
    }
    mr_array_free(loader->context, &loader->programs);
    mr_mutex_destroy(&loader->lock);
    mr_free(loader->context, loader->packages);
    mr_free(loader->context, loader);
}

mr_graph_loader mr_script_loader_interface(mr_script_loader *loader)
{
    return (mr_graph_loader){ loader, load };
}

void mr_script_loader_limit(mr_script_loader *loader, uint64_t work, uint64_t memory)
{
    loader->limits.work = work ? work : loader->limits.work;
    loader->limits.memory = memory ? memory : loader->limits.memory;
}
