// The scene: hashed by what stands in it, in whatever order it was put there; bounds as a slow walk in f64 has them.

#include "refused.h"

#include "data/scene.h"

#include <math.h>

enum {
    MATERIALS = 3,
    MESHES = 4,
    MODELS = 4,
    ENTITIES = 14,
    POPULATIONS = 2,
    ITEMS = 25,
    GROUNDS = 2,
    SPINES = 3
};

static mr_transform random_transform(test_random *random)
{
    double q[4], length = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = test_between(random, -1, 1);
        length += q[i] * q[i];
    }
    mr_transform transform;
    for (int i = 0; i < 4; i++) {
        transform.rotation[i] = (float)(q[i] / sqrt(length));
    }
    for (int i = 0; i < 3; i++) {
        transform.translation[i] = (float)test_between(random, -20, 20);
        transform.scale[i] = (float)test_between(random, 0.2, 3);
    }
    return transform;
}

// A way to put n things into an array: place[i] is where thing i goes. order 0: as they come.
static void shuffle(uint32_t *place, uint32_t n, uint64_t order)
{
    test_random random = { order };
    for (uint32_t i = 0; i < n; i++) {
        place[i] = i;
    }
    for (uint32_t i = n; order && i > 1; i--) {
        uint32_t k = test_below(&random, i), kept = place[k];
        place[k] = place[i - 1];
        place[i - 1] = kept;
    }
}

static const char *name_of(mr_scene *scene, const char *kind, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, "%s%u", kind, number);
    return mr_arena_text(&scene->arena, name, strlen(name));
}

static mr_geometry *random_mesh(mr_context *context, test_random *random)
{
    mr_error error;
    float at[36];
    for (int i = 0; i < 36; i++) {
        at[i] = (float)test_between(random, -2, 2);
    }
    static const uint32_t triangle[3] = { 0, 1, 2 };
    return mr_geometry_from_triangles(context, at, 1 + test_below(random, 10) + 2, triangle, 1, &error);
}

static mr_raster *random_ground(mr_context *context, test_random *random)
{
    mr_error error;
    mr_raster *raster = mr_raster_create(context, (int64_t)test_below(random, 100) - 50,
                                         (int64_t)test_below(random, 100) - 50, 0.5, 5, 7, 1, &error);
    float *height = mr_raster_layer_write(raster, "height", 0, &error);
    for (int i = 0; i < 7 * 9; i++) {
        height[i] = (float)test_between(random, -30, 30);
    }
    return raster;
}

#define MAKE(scene, array, n)                                                                                \
    do {                                                                                                     \
        assert_true(mr_array_reserve((scene)->context, &(scene)->array, (n)));                               \
        memset((scene)->array.items, 0, (n) * sizeof *(scene)->array.items);                                 \
        (scene)->array.count = (n);                                                                          \
    } while (0)

static void make_population(mr_scene *scene, mr_population *p, uint32_t number, const uint32_t *models,
                            test_random *random)
{
    p->path = name_of(scene, "layout", number);
    p->kinds = mr_arena_take(&scene->arena, 2 * sizeof *p->kinds);
    p->rules = mr_arena_take(&scene->arena, 2 * sizeof *p->rules);
    p->items = mr_arena_take(&scene->arena, ITEMS * sizeof *p->items);
    p->models = mr_arena_take(&scene->arena, 4 * sizeof *p->models);
    p->kind_count = p->rule_count = 2;
    p->item_count = ITEMS;
    p->model_count = 4;
    for (uint32_t i = 0; i < 2; i++) {
        p->kinds[i] = name_of(scene, "kind", i);
        p->rules[i].name = name_of(scene, "rule", i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        p->models[i].kind = i / 2;
        p->models[i].variant = i % 2;
        p->models[i].model = models[test_below(random, MODELS)];
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        p->items[i] = (mr_item){
            .rule = test_below(random, 2),
            .kind = test_below(random, 2),
            .variant = test_below(random, 2),
            .x = (float)test_between(random, -60, 60),
            .y = (float)test_between(random, -5, 5),
            .z = (float)test_between(random, -60, 60),
            .turn = (float)test_between(random, -10, 10),
            .size = (float)test_between(random, 0.5, 2),
            .sink = (float)test_between(random, 0, 1),
            .height = (float)test_between(random, -5, 5),
            .room = 1,
            .key = name_of(scene, "key", i),
        };
    }
}

// The same content for one seed, its arrays in the order that order says.
static mr_scene *make_scene(mr_context *context, uint64_t content, uint64_t order)
{
    test_random random = { content };
    mr_error error;
    mr_scene *scene = mr_scene_create(context, &error);
    uint32_t place[ENTITIES], materials[ENTITIES], meshes[ENTITIES], models[ENTITIES];
    test_assert_ok(scene != NULL, &error);
    shuffle(materials, MATERIALS, order);
    MAKE(scene, materials, MATERIALS);
    for (uint32_t i = 0; i < MATERIALS; i++) {
        mr_material *material = &scene->materials.items[materials[i]];
        material->name = name_of(scene, "material", i);
        material->base_color[0] = (float)test_between(&random, 0, 1);
        material->roughness = (float)test_between(&random, 0, 1);
    }
    shuffle(meshes, MESHES, order);
    MAKE(scene, meshes, MESHES);
    for (uint32_t i = 0; i < MESHES; i++) {
        uint32_t material = test_below(&random, MATERIALS + 1);
        scene->meshes.items[meshes[i]] = (mr_mesh){
            .name = name_of(scene, "mesh", i),
            .geometry = random_mesh(context, &random),
            .material = material < MATERIALS ? materials[material] : MR_NO_INDEX,
        };
    }
    shuffle(models, MODELS, order);
    MAKE(scene, models, MODELS);
    for (uint32_t i = 0; i < MODELS; i++) {
        mr_model *model = &scene->models.items[models[i]];
        model->name = name_of(scene, "model", i);
        model->piece_count = 1 + test_below(&random, 3);
        model->pieces = mr_arena_take(&scene->arena, model->piece_count * sizeof *model->pieces);
        for (size_t k = 0; k < model->piece_count; k++) {
            model->pieces[k].mesh = meshes[test_below(&random, MESHES)];
            model->pieces[k].transform = random_transform(&random);
        }
    }
    shuffle(place, ENTITIES, order);
    MAKE(scene, entities, ENTITIES);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        mr_entity *entity = &scene->entities.items[place[i]];
        uint32_t model = test_below(&random, MODELS + 1);
        entity->path = name_of(scene, "world.part", i);
        entity->parent = i && test_below(&random, 3) ? place[test_below(&random, i)] : MR_NO_INDEX;
        entity->transform = random_transform(&random);
        entity->model = model < MODELS ? models[model] : MR_NO_INDEX;
        entity->hidden = test_below(&random, 6) == 0;
    }
    shuffle(place, POPULATIONS, order);
    MAKE(scene, populations, POPULATIONS);
    for (uint32_t i = 0; i < POPULATIONS; i++) {
        make_population(scene, &scene->populations.items[place[i]], i, models, &random);
    }
    shuffle(place, GROUNDS, order);
    MAKE(scene, grounds, GROUNDS);
    for (uint32_t i = 0; i < GROUNDS; i++) {
        scene->grounds.items[place[i]] =
            (mr_ground){ .path = name_of(scene, "land", i), .raster = random_ground(context, &random) };
    }
    shuffle(place, SPINES, order);
    MAKE(scene, spines, SPINES);
    for (uint32_t i = 0; i < SPINES; i++) {
        mr_plan_spine *spine = &scene->spines.items[place[i]];
        spine->name = name_of(scene, "spine", i);
        spine->point_count = 3;
        spine->points = mr_arena_take(&scene->arena, 6 * sizeof *spine->points);
        spine->points[1] = (float)test_between(&random, -1, 1);
    }
    MAKE(scene, footprints, 1);
    scene->footprints.items[0].part = name_of(scene, "house", 0);
    MAKE(scene, cameras, 1);
    scene->cameras.items[0].path = name_of(scene, "camera", 0);
    MAKE(scene, suns, 1);
    return scene;
}

static void the_order_of_things_is_no_part_of_the_digest(void **state)
{
    for (uint64_t content = 1; content <= test_count(20); content++) {
        mr_scene *scene = make_scene(*state, content, 0);
        mr_digest digest = mr_scene_digest(scene);
        mr_scene_destroy(scene);
        for (uint64_t order = 1; order <= 5; order++) {
            scene = make_scene(*state, content, order);
            assert_true(mr_digest_equal(mr_scene_digest(scene), digest));
            mr_scene_destroy(scene);
        }
        scene = make_scene(*state, content + 1000, 0);
        assert_false(mr_digest_equal(mr_scene_digest(scene), digest));
        mr_scene_destroy(scene);
    }
}

// Each case is one edit; which says there are more.
static bool edit(mr_scene *s, int which)
{
    mr_population *p = &s->populations.items[1];
    mr_item *item = &p->items[3];
    uint32_t *ints[] = { &s->entities.items[2].model, &item->rule,          &item->kind, &item->variant,
                         &p->models[1].kind,          &p->models[1].variant };
    float *floats[] = {
        &s->entities.items[1].transform.translation[2],
        &s->entities.items[1].transform.rotation[3],
        &s->entities.items[1].transform.scale[0],
        &item->x,
        &item->y,
        &item->z,
        &item->turn,
        &item->size,
        &item->sink,
        &item->height,
        &item->room,
        &s->grounds.items[0].outside,
        &s->spines.items[2].points[5],
        &s->footprints.items[0].corners[7],
        &s->cameras.items[0].at[1],
        &s->cameras.items[0].look_at[2],
        &s->cameras.items[0].fov,
        &s->suns.items[0].elevation,
        &s->suns.items[0].azimuth,
    };
    const char **names[] = { &s->entities.items[3].path,
                             &p->path,
                             &p->kinds[item->kind],
                             &p->rules[item->rule].name,
                             &item->key,
                             &s->grounds.items[1].path,
                             &s->spines.items[0].name,
                             &s->footprints.items[0].part,
                             &s->cameras.items[0].path };
    int int_count = sizeof ints / sizeof *ints, float_count = sizeof floats / sizeof *floats,
        name_count = sizeof names / sizeof *names;
    if (which < int_count) {
        *ints[which] = *ints[which] == 0 ? 1 : 0;
    } else if ((which -= int_count) < float_count) {
        *floats[which] += 0.125f;
    } else if ((which -= float_count) < name_count) {
        *names[which] = "another";
    } else if ((which -= name_count) == 0) {
        s->entities.items[4].hidden = !s->entities.items[4].hidden;
    } else if (which == 1) {
        s->entities.count--;
    } else if (which == 2) {
        p->item_count--;
    } else if (which == 3) {
        mr_error error;
        mr_raster_layer_write(s->grounds.items[0].raster, "height", 0, &error)[8] += 1;
    } else if (which == 4) { // two items of a list change places
        mr_item kept = p->items[0];
        p->items[0] = p->items[1];
        p->items[1] = kept;
    } else if (which == 5) {
        s->entities.items[5].parent = s->entities.items[5].parent == MR_NO_INDEX ? 0 : MR_NO_INDEX;
    } else {
        return false;
    }
    return true;
}

static void every_part_is_part_of_the_digest(void **state)
{
    mr_scene *plain = make_scene(*state, 3, 0);
    mr_digest digest = mr_scene_digest(plain);
    mr_scene_destroy(plain);
    for (int which = 0;; which++) {
        mr_scene *scene = make_scene(*state, 3, 0);
        bool more = edit(scene, which);
        if (more && mr_digest_equal(mr_scene_digest(scene), digest)) {
            fail_msg("edit %d left the digest as it was", which);
        }
        scene->entities.count = ENTITIES;
        mr_scene_destroy(scene);
        if (!more) {
            assert_true(which > 30);
            break;
        }
    }
}

static void material_of_what_stands_is_part_of_the_digest(void **state)
{
    for (int which = 0; which < 6; which++) {
        mr_scene *scene = make_scene(*state, 5, 0);
        mr_material *material = &scene->materials.items[0];
        scene->meshes.items[scene->models.items[0].pieces[0].mesh].material = 0;
        scene->entities.items[0].model = 0;
        mr_digest before = mr_scene_digest(scene);
        float *floats[] = { &material->base_color[3], &material->metallic, &material->roughness,
                            &material->emissive[1] };
        if (which < 4) {
            *floats[which] += 0.25f;
        } else if (which == 4) {
            material->double_sided = !material->double_sided;
        } else {
            scene->meshes.items[scene->models.items[0].pieces[0].mesh].material = MR_NO_INDEX;
        }
        assert_false(mr_digest_equal(mr_scene_digest(scene), before));
        mr_scene_destroy(scene);
    }
}

static void apply(const mr_transform *t, const double from[3], double to[3])
{
    double x = (double)t->rotation[0], y = (double)t->rotation[1], z = (double)t->rotation[2],
           w = (double)t->rotation[3];
    double matrix[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w) },
                            { 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w) },
                            { 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y) } };
    for (int i = 0; i < 3; i++) {
        to[i] = (double)t->translation[i];
        for (int k = 0; k < 3; k++) {
            to[i] += matrix[i][k] * from[k] * (double)t->scale[k];
        }
    }
}

typedef struct bounds {
    double low[3], high[3];
} bounds;

static void grow(bounds *b, const double at[3])
{
    for (int i = 0; i < 3; i++) {
        b->low[i] = fmin(b->low[i], at[i]);
        b->high[i] = fmax(b->high[i], at[i]);
    }
}

// Every point of every mesh of the model, and its box's corners, under transforms, innermost first.
static void grow_model(bounds *inner, bounds *outer, const mr_scene *scene, uint32_t index,
                       const mr_transform *const *chain, size_t links)
{
    const mr_model *model = &scene->models.items[index];
    bounds box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (size_t k = 0; k < model->piece_count; k++) {
        const mr_column *places =
            mr_geometry_find(scene->meshes.items[model->pieces[k].mesh].geometry, MR_POINT, "P");
        bounds mesh = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
        for (size_t p = 0; p < places->count; p++) {
            double at[3] = { (double)places->f32[3 * p], (double)places->f32[3 * p + 1],
                             (double)places->f32[3 * p + 2] };
            double there[3];
            grow(&mesh, at);
            apply(&model->pieces[k].transform, at, there);
            for (size_t i = 0; i < links; i++) {
                memcpy(at, there, sizeof at);
                apply(chain[i], at, there);
            }
            grow(inner, there);
        }
        for (int c = 0; c < 8; c++) {
            double at[3], there[3];
            for (int i = 0; i < 3; i++) {
                at[i] = c >> i & 1 ? mesh.high[i] : mesh.low[i];
            }
            apply(&model->pieces[k].transform, at, there);
            grow(&box, there);
        }
    }
    for (int c = 0; c < 8; c++) {
        double at[3], there[3];
        for (int i = 0; i < 3; i++) {
            there[i] = c >> i & 1 ? box.high[i] : box.low[i];
        }
        for (size_t i = 0; i < links; i++) {
            memcpy(at, there, sizeof at);
            apply(chain[i], at, there);
        }
        grow(outer, there);
    }
}

static void bounds_hold_every_point_and_little_more(void **state)
{
    for (uint64_t content = 1; content <= test_count(100); content++) {
        mr_scene *scene = make_scene(*state, content, content % 3);
        bounds inner = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } },
               outer = inner;
        for (uint32_t i = 0; i < ENTITIES; i++) {
            const mr_transform *chain[ENTITIES];
            size_t links = 0;
            for (uint32_t at = i; at != MR_NO_INDEX; at = scene->entities.items[at].parent) {
                chain[links++] = &scene->entities.items[at].transform;
            }
            if (scene->entities.items[i].model != MR_NO_INDEX && !scene->entities.items[i].hidden) {
                grow_model(&inner, &outer, scene, scene->entities.items[i].model, chain, links);
            }
        }
        for (uint32_t p = 0; p < POPULATIONS; p++) {
            for (uint32_t i = 0; i < ITEMS; i++) {
                const mr_item *item = &scene->populations.items[p].items[i];
                double half = (double)item->turn / 2;
                mr_transform t = { { item->x, item->height - item->sink * item->size, item->z },
                                   { 0, (float)sin(half), 0, (float)cos(half) },
                                   { item->size, item->size, item->size } };
                const mr_transform *chain[1] = { &t };
                uint32_t model = scene->populations.items[p].models[2 * item->kind + item->variant].model;
                grow_model(&inner, &outer, scene, model, chain, 1);
            }
        }
        for (uint32_t g = 0; g < GROUNDS; g++) {
            const mr_raster *raster = scene->grounds.items[g].raster;
            const float *height = mr_raster_layer_read(raster, "height");
            for (int64_t j = 0; j < 7; j++) {
                for (int64_t i = 0; i < 5; i++) {
                    double at[3] = { (double)(raster->corner_x + i) * 0.5,
                                     (double)height[(j + 1) * 7 + i + 1],
                                     (double)(raster->corner_z + j) * 0.5 };
                    grow(&inner, at);
                    grow(&outer, at);
                }
            }
        }
        float low[3], high[3];
        assert_true(mr_scene_bounds(scene, low, high));
        for (int i = 0; i < 3; i++) {
            double slack = 1e-4 * (1 + fabs(outer.low[i]) + fabs(outer.high[i]));
            assert_true((double)low[i] <= inner.low[i] + slack && (double)high[i] >= inner.high[i] - slack);
            assert_true(fabs((double)low[i] - outer.low[i]) < slack &&
                        fabs((double)high[i] - outer.high[i]) < slack);
        }
        mr_scene_destroy(scene);
    }
}

static void an_empty_scene_has_no_bounds_and_one_digest(void **state)
{
    mr_error error;
    mr_scene *a = mr_scene_create(*state, &error), *b = mr_scene_create(*state, &error);
    float low[3] = { 5, 5, 5 }, high[3] = { 5, 5, 5 };
    assert_false(mr_scene_bounds(a, low, high));
    assert_true(low[0] == 5 && high[2] == 5);
    assert_true(mr_digest_equal(mr_scene_digest(a), mr_scene_digest(b)));
    mr_scene_destroy(a);
    mr_scene_destroy(b);
    mr_scene_destroy(NULL);
}

static void items_stand_sunk_turned_and_sized(void **state)
{
    test_random random = { 77 };
    for (size_t i = 0; i < test_count(20000); i++) {
        mr_item item = { .x = 3,
                         .z = -4,
                         .height = 10,
                         .size = 2,
                         .sink = 0.25f,
                         .turn = (float)test_between(&random, -30, 30) };
        mr_transform t = mr_item_transform(&item);
        assert_true(t.translation[0] == 3 && t.translation[1] == 9.5f && t.translation[2] == -4);
        assert_true(t.scale[0] == 2 && t.scale[1] == 2 && t.scale[2] == 2);
        assert_true(t.rotation[0] == 0 && t.rotation[2] == 0);
        // Rounded once from the true sine and cosine, which libm has within a hair.
        assert_true(fabs((double)t.rotation[1] - sin((double)item.turn / 2)) <= 0x1p-25 + 1e-15);
        assert_true(fabs((double)t.rotation[3] - cos((double)item.turn / 2)) <= 0x1p-25 + 1e-15);
    }
}

static bool work(mr_context *context, mr_error *error)
{
    mr_scene *scene = mr_scene_create(context, error);
    bool good = scene != NULL;
    for (int i = 0; good && i < 30; i++) {
        good = mr_array_push(context, &scene->suns, (mr_sun){ 0, 1 }) &&
               mr_array_push(context, &scene->grounds, (mr_ground){ .path = "land" });
        if (!good) {
            mr_fail_memory(error, sizeof(mr_ground));
        }
    }
    mr_scene_destroy(scene);
    return good;
}

static void refused_memory_anywhere_is_an_error_and_no_leak(void **state)
{
    refuse_everywhere(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_order_of_things_is_no_part_of_the_digest, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(every_part_is_part_of_the_digest, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(material_of_what_stands_is_part_of_the_digest, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(bounds_hold_every_point_and_little_more, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(an_empty_scene_has_no_bounds_and_one_digest, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(items_stand_sunk_turned_and_sized, test_setup, test_teardown),
        cmocka_unit_test(refused_memory_anywhere_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
