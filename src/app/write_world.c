#include "app/write_world.h"

#include "base/context.h"
#include "base/file.h"
#include "base/map.h"
#include "base/thread.h"
#include "capture/map.h"
#include "io/csv.h"
#include "io/gltf.h"
#include "io/height.h"
#include "io/json.h"

enum { MOST_GROUNDS = 16, MOST_FILES = 3 + 2 * MOST_GROUNDS };

#define MANIFEST "manifest.json"

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
    float low[MOST_GROUNDS], high[MOST_GROUNDS]; // of the height files' codes
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
    return mr_height_save_png(job->context, path, job->scene->grounds.items[file->ground].raster, "height",
                              &job->low[file->ground], &job->high[file->ground], error);
}

static bool write_map(writing *job, written_file *file, const char *path, mr_error *error)
{
    (void)file;
    mr_map_options options = mr_map_options_default();
    return mr_map_save(job->context, job->scene, path, &options, error);
}

static void layout_row(mr_csv *csv, const mr_population *population, const mr_item *item)
{
    mr_csv_text(csv, mr_view_of(population->path));
    mr_csv_text(csv, mr_view_of(population->rules[item->rule].name));
    mr_csv_text(csv, mr_view_of(population->kinds[item->kind]));
    mr_csv_integer(csv, item->variant);
    const float numbers[] = { item->x, item->y, item->z, item->turn, item->size, item->room };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        mr_csv_number(csv, (double)numbers[i]);
    }
    mr_csv_text(csv, mr_view_of(item->key));
    mr_csv_row(csv);
}

static bool write_layout(writing *job, written_file *file, const char *path, mr_error *error)
{
    (void)file;
    mr_csv csv;
    if (!mr_csv_begin(job->context, path, &csv, error)) {
        return false;
    }
    csv.line_end = "\n";
    static const char *const header[] = { "path", "rule", "kind", "variant", "x",  "y",
                                          "z",    "turn", "size", "room",    "key" };
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) {
        mr_csv_text(&csv, mr_view_of(header[i]));
    }
    mr_csv_row(&csv);
    for (size_t p = 0; p < job->scene->populations.count; p++) {
        const mr_population *population = &job->scene->populations.items[p];
        for (size_t i = 0; i < population->item_count; i++) {
            layout_row(&csv, population, &population->items[i]);
        }
    }
    bool good = mr_csv_finish(&csv, error);
    mr_csv_abandon(&csv);
    return good;
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

static void add_file(writing *job, const char *name, size_t ground,
                     bool (*write)(writing *job, written_file *file, const char *path, mr_error *error))
{
    written_file *file = &job->files[job->file_count++];
    *file = (written_file){ .write = write, .ground = ground };
    mr_text_format(file->name, sizeof file->name, "%s", name);
}

// The longest first, so that the short ones fill what is left of the cores. A second ground's files are numbered.
static void list_files(writing *job)
{
    add_file(job, "map.png", 0, write_map);
    add_file(job, "world.glb", 0, write_glb);
    for (size_t i = 0; i < job->scene->grounds.count; i++) {
        char name[96];
        char number[24] = "";
        if (i > 0) {
            mr_text_format(number, sizeof number, "-%zu", i + 1);
        }
        mr_text_format(name, sizeof name, "height%s.exr", number);
        add_file(job, name, i, write_exr);
        mr_text_format(name, sizeof name, "height%s.png", number);
        add_file(job, name, i, write_png);
    }
    add_file(job, "layout.csv", 0, write_layout);
}

// A path without its indices: the family a part belongs to.
static size_t family_of(const char *path, char *family, size_t size)
{
    size_t length = 0;
    int depth = 0;
    for (; *path && length + 1 < size; path++) {
        depth += *path == '[';
        if (depth == 0) {
            family[length++] = *path;
        }
        depth -= *path == ']';
    }
    family[length] = 0;
    return length;
}

static bool count_part(mr_map *parts, const char *path, uint64_t more)
{
    char family[512];
    uint64_t count = 0;
    mr_view name = { family, family_of(path, family, sizeof family) };
    mr_map_find(parts, name, &count);
    return mr_map_put(parts, name, count + more);
}

static bool manifest_parts(mr_json *json, const mr_scene *scene)
{
    mr_map parts;
    mr_map_init(&parts, scene->context);
    bool good = true;
    for (size_t i = 0; i < scene->entities.count; i++) {
        good = good && count_part(&parts, scene->entities.items[i].path, 1);
    }
    for (size_t i = 0; i < scene->populations.count; i++) {
        good = good &&
               count_part(&parts, scene->populations.items[i].path, scene->populations.items[i].item_count);
    }
    mr_json_key(json, "parts");
    mr_json_begin_object(json);
    for (size_t i = 0; i < parts.count; i++) {
        mr_json_key_view(json, parts.entries[i].key);
        mr_json_unsigned(json, parts.entries[i].value);
    }
    mr_json_end(json);
    mr_map_destroy(&parts);
    return good;
}

static void manifest_rule(mr_json *json, const mr_rule_report *rule)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {
        { "placed", rule->placed },         { "candidates", rule->candidates },
        { "off_land", rule->off_land },     { "keep", rule->keep },
        { "footprint", rule->footprint },   { "clearance", rule->clearance },
        { "keep_clear", rule->keep_clear }, { "blocked", rule->blocked },
        { "past_cap", rule->cap },          { "draws", rule->draws },
    };
    mr_json_begin_object(json);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        mr_json_key(json, counts[i].key);
        mr_json_unsigned(json, counts[i].value);
    }
    mr_json_end(json);
}

// A rule's name is its own where only one population has it, else its population's path stands before it.
static bool manifest_rules(mr_json *json, const mr_scene *scene)
{
    mr_map names;
    mr_map_init(&names, scene->context);
    bool good = true;
    for (size_t p = 0; p < scene->populations.count; p++) {
        for (uint32_t r = 0; r < scene->populations.items[p].rule_count; r++) {
            good = good && count_part(&names, scene->populations.items[p].rules[r].name, 1);
        }
    }
    mr_json_key(json, "rules");
    mr_json_begin_object(json);
    for (size_t p = 0; p < scene->populations.count; p++) {
        const mr_population *population = &scene->populations.items[p];
        for (uint32_t r = 0; r < population->rule_count; r++) {
            uint64_t count = 0;
            char name[512];
            mr_map_find(&names, mr_view_of(population->rules[r].name), &count);
            mr_text_format(name, sizeof name, "%s%s%s", count > 1 ? population->path : "",
                           count > 1 ? "." : "", population->rules[r].name);
            mr_json_key(json, name);
            manifest_rule(json, &population->rules[r]);
        }
    }
    mr_json_end(json);
    mr_map_destroy(&names);
    return good;
}

static void json_corner(mr_json *json, const char *key, const float at[3])
{
    mr_json_key(json, key);
    mr_json_begin_flat_list(json);
    for (int axis = 0; axis < 3; axis++) {
        mr_json_f32(json, at[axis]);
    }
    mr_json_end(json);
}

static void manifest_bounds(mr_json *json, const mr_scene *scene)
{
    float low[3];
    float high[3];
    mr_json_key(json, "bounds");
    if (!mr_scene_bounds(scene, low, high)) {
        mr_json_null(json);
        return;
    }
    mr_json_begin_object(json);
    json_corner(json, "low", low);
    json_corner(json, "high", high);
    mr_json_end(json);
}

static void manifest_grounds(mr_json *json, const writing *job)
{
    mr_json_key(json, "grounds");
    mr_json_begin_list(json);
    for (size_t i = 0; i < job->scene->grounds.count; i++) {
        const mr_ground *ground = &job->scene->grounds.items[i];
        const mr_raster *raster = ground->raster;
        mr_json_begin_object(json);
        mr_json_key(json, "part");
        mr_json_text(json, mr_view_of(ground->path));
        mr_json_key(json, "cell");
        mr_json_f64(json, raster->cell);
        mr_json_key(json, "corner");
        mr_json_begin_flat_list(json);
        mr_json_f64(json, (double)raster->corner_x * raster->cell);
        mr_json_f64(json, (double)raster->corner_z * raster->cell);
        mr_json_end(json);
        mr_json_key(json, "size");
        mr_json_begin_flat_list(json);
        mr_json_unsigned(json, raster->width);
        mr_json_unsigned(json, raster->height);
        mr_json_end(json);
        // What code 0 and code 65535 of the PNG stand for.
        mr_json_key(json, "low");
        mr_json_f32(json, job->low[i]);
        mr_json_key(json, "high");
        mr_json_f32(json, job->high[i]);
        mr_json_end(json);
    }
    mr_json_end(json);
}

static void manifest_files(mr_json *json, const writing *job)
{
    mr_json_key(json, "files");
    mr_json_begin_list(json);
    for (size_t i = 0; i < job->file_count; i++) {
        mr_json_text(json, mr_view_of(job->files[i].name));
    }
    mr_json_text(json, MR_VIEW(MANIFEST));
    mr_json_end(json);
}

static void manifest_timings(mr_json *json, const writing *job)
{
    mr_json_key(json, "timings");
    mr_json_begin_object(json);
    for (size_t i = 0; i < job->options->stage_count; i++) {
        mr_json_key(json, job->options->stages[i].name);
        mr_json_f32(json, (float)job->options->stages[i].seconds);
    }
    for (size_t i = 0; i < job->file_count; i++) {
        mr_json_key(json, job->files[i].name);
        mr_json_f32(json, (float)job->files[i].seconds);
    }
    mr_json_end(json);
}

static bool make_manifest(const writing *job, mr_json *json, mr_error *error)
{
    char hash[33];
    mr_digest_hex(mr_scene_digest(job->scene), hash);
    mr_json_begin_object(json);
    mr_json_key(json, "version");
    mr_json_text(json, mr_view_of(mr_version()));
    mr_json_key(json, "world");
    mr_json_text(json, mr_view_of(job->scene->name));
    mr_json_key(json, "content_hash");
    mr_json_text(json, mr_view_of(hash));
    bool good = manifest_parts(json, job->scene) && manifest_rules(json, job->scene);
    manifest_bounds(json, job->scene);
    manifest_grounds(json, job);
    manifest_files(json, job);
    manifest_timings(json, job);
    mr_json_end(json);
    return good ? mr_json_finish(json, error) : mr_fail_memory(error, 1);
}

static bool write_files(writing *job, mr_json *manifest, mr_error *error)
{
    char path[MR_PATH_SIZE];
    return mr_parallel_for(job->context, job->file_count, 1, write_file, job, error) &&
           make_manifest(job, manifest, error) && mr_path_join(path, job->folder, MANIFEST, error) &&
           mr_file_save(job->context, path, manifest->text.data, manifest->text.size, error);
}

// The manifest last: where it stands, all it speaks of does.
static bool publish(const writing *job, mr_file_set *set, mr_error *error)
{
    const char *names[MOST_FILES + 1];
    for (size_t i = 0; i < job->file_count; i++) {
        names[i] = job->files[i].name;
    }
    names[job->file_count] = MANIFEST;
    return mr_file_set_commit(set, names, job->file_count + 1, error);
}

bool mr_world_write(mr_context *context, const mr_scene *scene, const mr_write_options *options,
                    mr_text *manifest, mr_error *error)
{
    mr_file_set set;
    if (scene->grounds.count > MOST_GROUNDS) {
        mr_fail(error, MR_LIMIT, "the world has %zu grounds; at most %d can be written", scene->grounds.count,
                MOST_GROUNDS);
        return mr_hint(error, "merge them, or build them as worlds of their own");
    }
    if (!mr_file_set_begin(context, options->folder, &set, error)) {
        return false;
    }
    writing job = { .context = context, .scene = scene, .options = options, .folder = set.beside };
    mr_json json;
    list_files(&job);
    mr_json_init(&json, context, true);
    bool good = write_files(&job, &json, error) && publish(&job, &set, error);
    if (good) {
        *manifest = json.text;
        mr_text_init(&json.text, context);
    }
    mr_json_destroy(&json);
    mr_file_set_abandon(&set, error);
    return good;
}
