#include "io/manifest.h"

#include "base/context.h"
#include "base/file.h"
#include "base/map.h"
#include "io/json.h"

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

static void manifest_grounds(mr_json *json, const mr_manifest *manifest)
{
    mr_json_key(json, "grounds");
    mr_json_begin_list(json);
    for (size_t i = 0; i < manifest->scene->grounds.count; i++) {
        const mr_ground *ground = &manifest->scene->grounds.items[i];
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
        if (manifest->ranges[i].written) {
            mr_json_key(json, "low");
            mr_json_f32(json, manifest->ranges[i].low);
            mr_json_key(json, "high");
            mr_json_f32(json, manifest->ranges[i].high);
        }
        mr_json_end(json);
    }
    mr_json_end(json);
}

static void manifest_nodes(mr_json *json, const mr_scene *scene)
{
    mr_json_key(json, "nodes");
    mr_json_begin_object(json);
    for (size_t i = 0; i < scene->nodes.count; i++) {
        mr_json_key(json, scene->nodes.items[i].node);
        mr_json_unsigned(json, scene->nodes.items[i].version);
    }
    mr_json_end(json);
}

static void manifest_files(mr_json *json, const mr_manifest *manifest)
{
    mr_json_key(json, "files");
    mr_json_begin_list(json);
    for (size_t i = 0; i < manifest->file_count; i++) {
        mr_json_text(json, mr_view_of(manifest->files[i].name));
    }
    if (manifest->itself) {
        mr_json_text(json, MR_VIEW(MR_MANIFEST_NAME));
    }
    mr_json_end(json);
}

static void manifest_timings(mr_json *json, const mr_manifest *manifest)
{
    mr_json_key(json, "timings");
    mr_json_begin_object(json);
    mr_json_key(json, "open");
    mr_json_f32(json, (float)manifest->scene->open_seconds);
    mr_json_key(json, "cook");
    mr_json_f32(json, (float)manifest->scene->cook_seconds);
    for (size_t i = 0; i < manifest->file_count; i++) {
        mr_json_key(json, manifest->files[i].name);
        mr_json_f32(json, (float)manifest->files[i].seconds);
    }
    mr_json_end(json);
}

static bool write_manifest(mr_json *json, const mr_manifest *manifest)
{
    char hash[MR_HASH_SIZE];
    mr_scene_hash(manifest->scene, hash);
    mr_json_begin_object(json);
    mr_json_key(json, "version");
    mr_json_text(json, mr_view_of(mr_version()));
    mr_json_key(json, "world");
    mr_json_text(json, mr_view_of(manifest->scene->name));
    mr_json_key(json, "content_hash");
    mr_json_text(json, mr_view_of(hash));
    bool good = manifest_parts(json, manifest->scene) && manifest_rules(json, manifest->scene);
    manifest_bounds(json, manifest->scene);
    manifest_grounds(json, manifest);
    manifest_nodes(json, manifest->scene);
    manifest_files(json, manifest);
    manifest_timings(json, manifest);
    mr_json_end(json);
    return good;
}

bool mr_manifest_text(mr_context *context, const mr_manifest *manifest, mr_text *out, mr_error *error)
{
    mr_json json;
    mr_json_init(&json, context, true);
    bool good = write_manifest(&json, manifest) ? mr_json_finish(&json, error) : mr_fail_memory(error, 1);
    if (good) {
        mr_text_destroy(out);
        *out = json.text;
        mr_text_init(&json.text, context);
    }
    mr_json_destroy(&json);
    return good;
}

// Says which of a manifest's nodes had another version than they have now.
static void compare_nodes(const mr_scene *scene, const char *path, json_t *nodes)
{
    const char *name;
    json_t *version;
    char text[512] = "";
    size_t size = 0, differ = 0;
    json_object_foreach(nodes, name, version)
    {
        for (size_t i = 0; i < scene->nodes.count; i++) {
            const mr_made_by *now = &scene->nodes.items[i];
            json_int_t before = json_integer_value(version);
            if (strcmp(now->node, name) != 0 || before == (json_int_t)now->version) {
                continue;
            }
            size_t room = size < sizeof text ? sizeof text - size : 0;
            size += mr_text_format(text + (room ? size : 0), room, "%s%s (%lld then, %u now)",
                                   differ++ ? ", " : "", name, (long long)before, now->version);
        }
    }
    if (differ > 0) {
        mr_log(scene->context, MR_LOG_WARNING,
               "%s: the world was built with other versions of nodes, whose answers may differ: %s%s", path,
               text, size >= sizeof text ? ", ..." : "");
    }
}

void mr_manifest_compare(const mr_scene *scene, const char *path)
{
    char *bytes = NULL;
    size_t size = 0;
    json_t *before = NULL;
    mr_error ignored;
    if (mr_file_read(scene->context, path, 64 << 20, &bytes, &size, &ignored) &&
        mr_json_parse(bytes, size, path, &before, &ignored)) {
        compare_nodes(scene, path, json_object_get(before, "nodes"));
        json_decref(before);
    }
    mr_free(scene->context, bytes);
}
