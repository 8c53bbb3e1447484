// app/build.c: `marram build`: cooks a world and writes what it becomes.

#include "app/open_world.h"

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
    char hash[MR_HASH_SIZE];
    mr_scene_hash(scene, hash);
    mr_text_print(text, "%s: %llu parts, %llu placed things, content hash %s\n", mr_scene_name(scene),
                  (unsigned long long)mr_scene_part_count(scene),
                  (unsigned long long)mr_scene_placed_count(scene), hash);
    const mr_rule_report *rule;
    for (size_t i = 0; (rule = mr_scene_rule(scene, i, NULL)); i++) {
        mr_text_print(text, "  %-18s %8llu placed of %llu\n", rule->name, (unsigned long long)rule->placed,
                      (unsigned long long)rule->candidates);
    }
    mr_text_print(text, "written to %s in %.2f s\n", folder, seconds);
}

static void keep_manifest(void *user, const char *text, size_t size)
{
    mr_text_add(user, text, size);
}

static mr_exit write_and_say(mr_context *context, const mr_arguments *arguments, const mr_scene *scene,
                             double started)
{
    char folder[MR_PATH_SIZE];
    mr_error error = { 0 };
    mr_text said;
    if (arguments->output) {
        mr_text_format(folder, sizeof folder, "%s", arguments->output);
    } else {
        default_folder(arguments->operands[0], folder, sizeof folder);
    }
    mr_text_init(&said, context);
    mr_write_options options = mr_write_options_default();
    options.plain_nodes = arguments->plain_nodes;
    options.user = &said;
    options.manifest = arguments->json ? keep_manifest : NULL;
    mr_exit status = MR_EXIT_OK;
    if (!mr_scene_write(scene, folder, &options, &error)) {
        status = mr_report(&error);
    } else if (!arguments->quiet) {
        if (!arguments->json) {
            print_summary(&said, scene, folder, mr_clock_seconds() - started);
        }
        status = mr_say(&said);
    }
    mr_text_destroy(&said);
    return status;
}

static mr_exit build(mr_context *context, const mr_arguments *arguments, mr_world *world, double started)
{
    mr_error error = { 0 };
    mr_scene *scene = NULL;
    bool good = mr_world_check(world, NULL, NULL);
    bool built = good && mr_world_build(world, &scene, &error);
    mr_print_messages(context, arguments->operands[0], world);
    if (!built) {
        return good ? mr_report(&error) : MR_EXIT_INPUT;
    }
    mr_exit status = write_and_say(context, arguments, scene, started);
    mr_scene_destroy(scene);
    return status;
}

static mr_exit run(mr_context *context, const mr_arguments *arguments)
{
    mr_entry entry;
    mr_enter(context, &entry);
    double started = mr_clock_seconds();
    mr_world *world;
    mr_exit status = mr_open_world(context, arguments, &world);
    if (status == MR_EXIT_OK) {
        status = build(context, arguments, world, started);
        mr_world_destroy(world);
    }
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
