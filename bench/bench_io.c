// The writers: a ground of 4096 x 4096 as PNG and EXR, a scene of 100,000 instances as .glb, a map of it.

#include "bench.h"

#include "capture/map.h"
#include "io/csv.h"
#include "io/gltf.h"
#include "io/height.h"
#include "kernel/fbm.h"

enum { SIDE = 4096, THINGS = 100000 };

typedef struct work {
    mr_context *context;
    mr_raster *raster;
    mr_scene *scene;
    char path[MR_PATH_SIZE];
} work;

static bool save_png(void *argument, mr_error *error)
{
    const work *w = argument;
    return mr_height_save_png(w->context, w->path, w->raster, "height", NULL, NULL, error);
}

static bool load_height(void *argument, mr_error *error)
{
    const work *w = argument;
    mr_height_file file;
    bool good = mr_height_load(w->context, w->path, &file, error);
    mr_texture_release(good ? file.texture : NULL);
    return good;
}

static bool save_exr(void *argument, mr_error *error)
{
    const work *w = argument;
    return mr_height_save_exr(w->context, w->path, w->raster, "height", error);
}

static bool save_glb(void *argument, mr_error *error)
{
    const work *w = argument;
    return mr_gltf_save(w->context, w->scene, w->path, NULL, NULL, error);
}

static bool save_csv(void *argument, mr_error *error)
{
    const work *w = argument;
    mr_csv csv;
    if (!mr_csv_begin(w->context, w->path, &csv, error)) {
        return false;
    }
    const mr_population *population = &w->scene->populations.items[0];
    for (size_t i = 0; i < population->item_count; i++) {
        const mr_item *item = &population->items[i];
        mr_csv_text(&csv, MR_VIEW("rocks.layout"));
        mr_csv_integer(&csv, item->variant);
        mr_csv_number(&csv, (double)item->x);
        mr_csv_number(&csv, (double)item->y);
        mr_csv_number(&csv, (double)item->z);
        mr_csv_number(&csv, (double)item->turn);
        mr_csv_row(&csv);
    }
    return mr_csv_finish(&csv, error);
}

static bool save_map(void *argument, mr_error *error)
{
    const work *w = argument;
    mr_map_options options = mr_map_options_default();
    options.size = 2000;
    return mr_map_save(w->context, w->scene, w->path, &options, error);
}

static mr_raster *make_ground(mr_context *context, uint32_t side, mr_error *error)
{
    mr_raster *raster =
        mr_raster_create(context, -(int64_t)side / 2, -(int64_t)side / 2, 1, side, side, 0, error);
    float *cells = raster ? mr_raster_layer_replace(raster, "height", error) : NULL;
    mr_fbm_config config = {
        .cell = 1, .feature_size = 600, .octaves = 6, .lacunarity = 2, .gain = 0.5, .seed = 1, .amplitude = 40
    };
    mr_fbm fbm;
    mr_fbm_prepare(&fbm, &config);
    if (!cells || !mr_fbm_fill(context, &fbm, raster->corner_x, raster->corner_z, side, side, cells, side,
                               MR_BLEND_REPLACE, NULL, error)) {
        bench_fail("ground", error);
    }
    return raster;
}

static mr_scene *make_scene(mr_context *context, mr_raster *raster, mr_error *error)
{
    static const char *kinds[] = { "rock" };
    static const float points[12] = { 1, 0, 0, -1, 0, 0.5f, 0, 0, -1, 0, 1, 0 };
    static const uint32_t triangles[12] = { 0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0 };
    mr_scene *scene = mr_scene_create(context, error);
    mr_mesh mesh = { .name = "rock", .material = MR_NO_INDEX };
    mesh.geometry = mr_geometry_from_triangles(context, points, 4, triangles, 4, error);
    mr_model model = { .name = "rock", .piece_count = 1 };
    model.pieces = mr_arena_take(&scene->arena, sizeof *model.pieces);
    model.pieces[0] = (mr_model_piece){ 0, mr_transform_identity };
    mr_population population = { .path = "rocks.layout", .kinds = kinds, .kind_count = 1, .model_count = 1 };
    population.models = mr_arena_take(&scene->arena, sizeof *population.models);
    population.items = mr_arena_take(&scene->arena, THINGS * sizeof *population.items);
    uint32_t state = 1;
    for (; population.item_count < THINGS; population.item_count++) {
        mr_item *item = &population.items[population.item_count];
        state = state * 1664525u + 1013904223u;
        item->x = (float)(state >> 8) * 0x1p-24f * 2000 - 1000;
        state = state * 1664525u + 1013904223u;
        item->z = (float)(state >> 8) * 0x1p-24f * 2000 - 1000;
        item->size = 1;
        item->turn = (float)(state & 7);
    }
    mr_ground ground = { .path = "land", .raster = raster };
    if (!mr_array_push(context, &scene->meshes, mesh) || !mr_array_push(context, &scene->models, model) ||
        !mr_array_push(context, &scene->populations, population) ||
        !mr_array_push(context, &scene->grounds, ground)) {
        bench_fail("scene", error);
    }
    return scene;
}

int main(void)
{
    bench b = bench_begin("writers (files synced to the disk)", NULL);
    mr_error error = { 0 };
    const double cells = (double)SIDE * SIDE;
    work w = { .context = b.context };
    const char *folder = getenv("TMPDIR");
    mr_text_format(w.path, sizeof w.path, "%s/marram-bench.out", folder ? folder : "/tmp");
    w.raster = make_ground(b.context, SIDE, &error);
    bench_run(&b, "height.png, 16 bits, 4096 x 4096", 5, save_png, &w, cells, "sample", cells * 6);
    bench_run(&b, "the same read", 3, load_height, &w, cells, "sample", cells * 6);
    bench_run(&b, "height.exr, f32, 4096 x 4096", 5, save_exr, &w, cells, "sample", cells * 8);
    bench_run(&b, "the same read", 3, load_height, &w, cells, "sample", cells * 8);
    mr_raster_release(w.raster);
    w.scene = make_scene(b.context, make_ground(b.context, 1025, &error), &error);
    bench_run(&b, ".glb, 100,000 instances, a ground of 1025 x 1025", 5, save_glb, &w, THINGS, "item", 0);
    bench_run(&b, "layout.csv, 100,000 rows", 5, save_csv, &w, THINGS, "row", 0);
    bench_run(&b, "map.png, 2000 pixels, 100,000 things", 5, save_map, &w, THINGS, "item", 0);
    mr_scene_destroy(w.scene);
    remove(w.path);
    bench_end(&b);
    return 0;
}
