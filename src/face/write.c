// face/write.c: the files a built world becomes, written beside each other.

#include "base/context.h"
#include "base/file.h"
#include "base/thread.h"
#include "capture/map.h"
#include "face/options.h"
#include "io/gltf.h"
#include "io/height.h"
#include "io/layout.h"
#include "io/manifest.h"

enum { MOST_GROUNDS = 16, MOST_FILES = 3 + 2 * MOST_GROUNDS };

typedef struct writing writing;
typedef struct written_file {
    char name[96];
    bool (*write)(writing *job, struct written_file *file, const char *path, mr_error *error);
    size_t ground;
    double seconds;
} written_file;

struct writing {
    mr_context *context;
    const mr_scene *scene;
    const mr_write_options *options;
    const char *folder; // where the files are written until all are whole
    written_file files[MOST_FILES];
    size_t file_count;
    mr_manifest_range ranges[MOST_GROUNDS];
};

static bool write_glb(writing *job, written_file *file, const char *path, mr_error *error)
{
    (void)file;
    mr_gltf_options options = mr_gltf_options_default();
    options.plain_nodes = job->options->plain_nodes;
    return mr_gltf_save(job->context, job->scene, path, &options, NULL, error);
}

static bool write_exr(writing *job, written_file *file, const char *path, mr_error *error)
{
    return mr_height_save_exr(job->context, path, job->scene->grounds.items[file->ground].raster, "height",
                              error);
}

static bool write_png(writing *job, written_file *file, const char *path, mr_error *error)
{
    mr_manifest_range *range = &job->ranges[file->ground];
    range->written = true;
    return mr_height_save_png(job->context, path, job->scene->grounds.items[file->ground].raster, "height",
                              &range->low, &range->high, error);
}

static bool write_map(writing *job, written_file *file, const char *path, mr_error *error)
{
    (void)file;
    mr_map_options options = mr_map_options_default();
    return mr_map_save(job->context, job->scene, path, &options, error);
}

static bool write_layout(writing *job, written_file *file, const char *path, mr_error *error)
{
    (void)file;
    return mr_layout_save(job->context, job->scene, path, error);
}

static bool write_file(void *argument, size_t begin, size_t end, mr_error *error)
{
    writing *job = argument;
    for (size_t i = begin; i < end; i++) {
        char path[MR_PATH_SIZE];
        double start = mr_clock_seconds();
        if (!mr_path_join(path, job->folder, job->files[i].name, error) ||
            !job->files[i].write(job, &job->files[i], path, error)) {
            return false;
        }
        job->files[i].seconds = mr_clock_seconds() - start;
    }
    return true;
}

static void add_file(writing *job, uint32_t kind, const char *name, size_t ground,
                     bool (*write)(writing *job, written_file *file, const char *path, mr_error *error))
{
    if (job->options->files & kind) {
        written_file *file = &job->files[job->file_count++];
        *file = (written_file){ .write = write, .ground = ground };
        mr_text_format(file->name, sizeof file->name, "%s", name);
    }
}

// The longest first, so that the short ones fill what is left of the cores. A second ground's files are numbered.
static void list_files(writing *job)
{
    add_file(job, MR_WRITE_MAP, "map.png", 0, write_map);
    add_file(job, MR_WRITE_GLB, "world.glb", 0, write_glb);
    for (size_t i = 0; i < job->scene->grounds.count; i++) {
        char name[96];
        char number[24] = "";
        if (i > 0) {
            mr_text_format(number, sizeof number, "-%zu", i + 1);
        }
        mr_text_format(name, sizeof name, "height%s.exr", number);
        add_file(job, MR_WRITE_HEIGHT_EXR, name, i, write_exr);
        mr_text_format(name, sizeof name, "height%s.png", number);
        add_file(job, MR_WRITE_HEIGHT_PNG, name, i, write_png);
    }
    add_file(job, MR_WRITE_LAYOUT, "layout.csv", 0, write_layout);
}

static bool make_manifest(const writing *job, mr_text *text, mr_error *error)
{
    mr_manifest_file files[MOST_FILES];
    for (size_t i = 0; i < job->file_count; i++) {
        files[i] = (mr_manifest_file){ job->files[i].name, job->files[i].seconds };
    }
    mr_manifest manifest = {
        .scene = job->scene,
        .files = files,
        .file_count = job->file_count,
        .itself = (job->options->files & MR_WRITE_MANIFEST) != 0,
        .ranges = job->ranges,
    };
    return mr_manifest_text(job->context, &manifest, text, error);
}

static bool write_files(writing *job, mr_text *manifest, mr_error *error)
{
    char path[MR_PATH_SIZE];
    if (!mr_parallel_for(job->context, job->file_count, 1, write_file, job, error) ||
        !make_manifest(job, manifest, error)) {
        return false;
    }
    return (job->options->files & MR_WRITE_MANIFEST) == 0 ||
           (mr_path_join(path, job->folder, MR_MANIFEST_NAME, error) &&
            mr_file_save(job->context, path, manifest->data, manifest->size, error));
}

// The manifest last: where it stands, all it speaks of does.
static bool publish(const writing *job, mr_file_set *set, mr_error *error)
{
    const char *names[MOST_FILES + 1];
    size_t count = job->file_count;
    for (size_t i = 0; i < count; i++) {
        names[i] = job->files[i].name;
    }
    if (job->options->files & MR_WRITE_MANIFEST) {
        names[count++] = MR_MANIFEST_NAME;
    }
    return mr_file_set_commit(set, names, count, error);
}

static bool write_all(const mr_scene *scene, const char *folder, const mr_write_options *options,
                      mr_error *error)
{
    mr_file_set set;
    if (!mr_file_set_begin(scene->context, folder, &set, error)) {
        return false;
    }
    writing job = { .context = scene->context, .scene = scene, .options = options, .folder = set.beside };
    mr_text manifest;
    char before[MR_PATH_SIZE];
    if (mr_path_join(before, folder, MR_MANIFEST_NAME, NULL)) {
        mr_manifest_compare(scene, before);
    }
    list_files(&job);
    mr_text_init(&manifest, scene->context);
    bool good = write_files(&job, &manifest, error) && publish(&job, &set, error);
    mr_file_set_abandon(&set, error);
    if (good && options->manifest) {
        options->manifest(options->user, manifest.data, manifest.size);
    }
    mr_text_destroy(&manifest);
    return good;
}

mr_write_options mr_write_options_default(void)
{
    return (mr_write_options){ .size = sizeof(mr_write_options), .files = MR_WRITE_ALL };
}

static bool check_options(const mr_scene *scene, const mr_write_options *options, mr_error *error)
{
    if (options->files == 0 || (options->files & ~(uint32_t)MR_WRITE_ALL)) {
        return mr_fail(error, MR_BAD_INPUT, "files is %u; it must be a sum of MR_WRITE_...", options->files);
    }
    if (scene->grounds.count > MOST_GROUNDS) {
        mr_fail(error, MR_LIMIT, "the world has %zu grounds; at most %d can be written", scene->grounds.count,
                MOST_GROUNDS);
        return mr_hint(error, "merge them, or build them as worlds of their own");
    }
    return true;
}

bool mr_scene_write(const mr_scene *scene, const char *folder, const mr_write_options *options,
                    mr_error *error)
{
    mr_write_options chosen = mr_write_options_default();
    if (!mr_options_lay(&chosen, options, "mr_write_options", error) ||
        !check_options(scene, &chosen, error)) {
        return false;
    }
    mr_entry entry;
    mr_enter(scene->context, &entry);
    bool good = write_all(scene, folder, &chosen, error);
    mr_leave(&entry);
    return good;
}
