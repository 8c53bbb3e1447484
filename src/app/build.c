// app/build.c: `marram build`: cooks a world and writes what it becomes.

#include "app/open_world.h"
#include "app/write_world.h"

// "worlds/island/island.world" is written to "island" beside where one stands, unless told otherwise.
static void default_folder(const char *world, char *folder, size_t size)
{
    const char *slash = strrchr(world, '/');
    const char *name = slash ? slash + 1 : world;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    bool same = length == strlen(name); // a file without an ending: do not write over it
    mr_text_format(folder, size, "%.*s%s", (int)length, name, same ? "-built" : "");
}

static void print_summary(mr_text *text, const mr_scene *scene, const char *folder, double seconds)
{
    uint64_t items = 0;
    for (size_t i = 0; i < scene->populations.count; i++) {
        items += scene->populations.items[i].item_count;
    }
    char hash[33];
    mr_digest_hex(mr_scene_digest(scene), hash);
    mr_text_print(text, "%s: %zu parts, %llu placed things, content hash %s\n", scene->name,
                  scene->entities.count, (unsigned long long)items, hash);
    for (size_t p = 0; p < scene->populations.count; p++) {
        const mr_population *population = &scene->populations.items[p];
        for (uint32_t r = 0; r < population->rule_count; r++) {
            const mr_rule_report *rule = &population->rules[r];
            mr_text_print(text, "  %-18s %8llu placed of %llu\n", rule->name,
                          (unsigned long long)rule->placed, (unsigned long long)rule->candidates);
        }
    }
    mr_text_print(text, "written to %s in %.2f s\n", folder, seconds);
}

static mr_exit write_and_say(mr_context *context, const mr_arguments *arguments, const mr_scene *scene,
                             const mr_stage_time *stages, size_t stage_count, double started)
{
    char folder[MR_PATH_SIZE];
    mr_error error = { 0 };
    mr_text manifest;
    mr_text summary;
    if (arguments->output) {
        mr_text_format(folder, sizeof folder, "%s", arguments->output);
    } else {
        default_folder(arguments->operands[0], folder, sizeof folder);
    }
    mr_write_options options = {
        .folder = folder, .plain_nodes = arguments->plain_nodes, .stages = stages, .stage_count = stage_count
    };
    if (!mr_world_write(context, scene, &options, &manifest, &error)) {
        return mr_report(&error);
    }
    mr_text_init(&summary, context);
    print_summary(&summary, scene, folder, mr_clock_seconds() - started);
    mr_exit status = arguments->quiet ? MR_EXIT_OK : mr_say(arguments->json ? &manifest : &summary);
    mr_text_destroy(&summary);
    mr_text_destroy(&manifest);
    return status;
}

static mr_exit build(mr_context *context, const mr_arguments *arguments, mr_opened_world *opened,
                     double started)
{
    mr_error error = { 0 };
    mr_scene *scene = NULL;
    mr_stage_time stages[] = { { "open", mr_clock_seconds() - started }, { "cook", 0 } };
    double cooking = mr_clock_seconds();
    if (!mr_world_good(opened->world)) {
        mr_print_diagnostics(context, opened->world);
        return MR_EXIT_INPUT;
    }
    bool built = mr_world_build(opened->world, &scene, &error);
    stages[1].seconds = mr_clock_seconds() - cooking;
    mr_print_diagnostics(context, opened->world);
    if (!built) {
        return mr_report(&error);
    }
    mr_exit status = write_and_say(context, arguments, scene, stages, 2, started);
    mr_scene_destroy(scene);
    return status;
}

static mr_exit run(mr_context *context, const mr_arguments *arguments)
{
    mr_entry entry;
    mr_enter(context, &entry);
    double started = mr_clock_seconds();
    mr_opened_world opened;
    mr_exit status = mr_open_world(context, arguments, &opened);
    if (status == MR_EXIT_OK) {
        status = build(context, arguments, &opened, started);
    }
    mr_close_world(&opened);
    mr_leave(&entry);
    return status;
}

static const mr_option options[] = {
    { .name = "output",
      .letter = 'o',
      .kind = MR_OPTION_TEXT,
      .value = "DIR",
      .doc = "Folder to write to, made when missing. Default: the world's name.",
      .target = offsetof(mr_arguments, output) },
    MR_OPTION_SET,
    MR_OPTION_THREADS,
    MR_OPTION_MEMORY,
    MR_OPTION_ISA,
    { .name = "plain-nodes",
      .kind = MR_OPTION_FLAG,
      .doc = "Write every copy in world.glb as a node, for readers without EXT_mesh_gpu_instancing.",
      .target = offsetof(mr_arguments, plain_nodes) },
    { .name = "quiet",
      .letter = 'q',
      .kind = MR_OPTION_FLAG,
      .doc = "Say nothing but warnings and errors.",
      .target = offsetof(mr_arguments, quiet) },
    MR_OPTION_JSON,
    { .name = NULL },
};

const mr_command mr_command_build = {
    .name = "build",
    .operands = "WORLD",
    .summary = "Cook a world into ground, meshes, populations and pictures.",
    .more = "Writes manifest.json, world.glb, height.exr, height.png, layout.csv and map.png. They appear "
            "together when\n"
            "all are whole; when the build fails or is interrupted, what stood there stands there still.",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
