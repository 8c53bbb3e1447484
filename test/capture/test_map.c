#include "support.h"

#include "base/file.h"
#include "capture/map.h"
#include "capture/map_extent.h"
#include "capture/map_font.h"
#include "capture/map_relief.h"

#include <math.h>

// --- Worlds to draw ---

static float fbm(double x, double z, uint32_t seed, int octaves)
{
    float sum = 0;
    float scale = 1;
    for (int i = 0; i < octaves; i++) {
        // Lattice noise of the test's own: values at whole places, mixed smoothly.
        double fx = floor(x), fz = floor(z);
        double tx = x - fx, tz = z - fz;
        tx = tx * tx * tx * (tx * (tx * 6 - 15) + 10);
        tz = tz * tz * tz * (tz * (tz * 6 - 15) + 10);
        double corner[4];
        for (int k = 0; k < 4; k++) {
            test_random random = { (uint64_t)((int64_t)fx + (k & 1)) * 0x9e3779b97f4a7c15u ^
                                   (uint64_t)((int64_t)fz + (k >> 1)) * 0xc2b2ae3d27d4eb4fu ^
                                   (seed + (uint32_t)i) };
            test_u64(&random);
            corner[k] = test_between(&random, -1, 1);
        }
        double a = corner[0] + (corner[1] - corner[0]) * tx;
        double b = corner[2] + (corner[3] - corner[2]) * tx;
        sum += scale * (float)(a + (b - a) * tz);
        scale *= 0.5f;
        x *= 2;
        z *= 2;
    }
    return sum;
}

static float island_height(double x, double z)
{
    double dx = x - 30, dz = z + 60;
    double r = sqrt(dx * dx + dz * dz) + 120 * (double)fbm(x / 260, z / 260, 1, 5);
    double shore = 690 - r;
    double land = shore < 0 ? -0.3 - fmin(30, 0.05 * -shore + 0.0003 * shore * shore)
                            : -0.3 + 6 * fmin(1, shore / 90) + fmax(0, shore - 60) * 0.012;
    double hx = x - 30, hz = z + 230;
    double t = sqrt(hx * hx + hz * hz) / 520;
    double hill = t < 1 ? (1 - t * t) * (1 - t * t) * (130 + 46 * (double)fbm(x / 150, z / 150, 7, 6)) : 0;
    double rough = shore > 0 ? fmin(1, shore / 60) * 2.2 * (double)fbm(x / 60, z / 60, 3, 4) : 0;
    double flat = sqrt((x + 4) * (x + 4) + (z - 338) * (z - 338));
    double height = land + hill * fmin(1, fmax(0, shore / 200)) + rough;
    double pad = flat < 46 ? 1 : flat > 100 ? 0 : (100 - flat) / 54;
    return (float)(height + (4.6 - height) * pad * pad * (3 - 2 * pad));
}

static mr_ground make_ground(mr_context *context, uint32_t side, double cell, float (*height)(double, double))
{
    mr_error error;
    int64_t corner = -(int64_t)(side / 2);
    mr_raster *raster = mr_raster_create(context, corner, corner, cell, side, side, 8, &error);
    assert_non_null(raster);
    float *cells = mr_raster_layer_write(raster, "height", 0, &error);
    size_t stride = mr_raster_stride(raster);
    for (size_t j = 0; j < stride; j++) {
        for (size_t i = 0; i < stride; i++) {
            double x = ((double)corner + (double)i - 8) * cell;
            double z = ((double)corner + (double)j - 8) * cell;
            cells[j * stride + i] = height(x, z);
        }
    }
    return (mr_ground){ .path = "w.land", .raster = raster, .outside = -30 };
}

static void add_spine(mr_scene *scene, const char *name, const float (*controls)[2], size_t count)
{
    mr_plan_spine spine = { .name = name };
    spine.points = mr_arena_take(&scene->arena, (count - 1) * 32 * 2 * sizeof(float));
    for (size_t i = 0; i + 1 < count; i++) {
        const float *p[4] = { controls[i > 0 ? i - 1 : 0], controls[i], controls[i + 1],
                              controls[i + 2 < count ? i + 2 : count - 1] };
        for (int k = 0; k < 32; k++) {
            float t = (float)k / 31;
            for (int axis = 0; axis < 2; axis++) {
                float a = p[0][axis], b = p[1][axis], c = p[2][axis], d = p[3][axis];
                spine.points[2 * spine.point_count + (size_t)axis] =
                    0.5f * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t +
                            (3 * b - 3 * c + d - a) * t * t * t);
            }
            spine.point_count++;
        }
    }
    assert_true(mr_array_push(scene->context, &scene->spines, spine));
}

static void add_items(mr_scene *scene, const char *path, const char **kinds, uint32_t kind_count,
                      const float *rooms, size_t count, mr_item (*place)(test_random *, uint32_t))
{
    mr_population population = { .path = path, .kinds = kinds, .kind_count = kind_count };
    population.items = mr_arena_take(&scene->arena, (count + 1) * sizeof *population.items);
    test_random random = { 99 };
    while (population.item_count < count) {
        uint32_t kind = test_below(&random, kind_count);
        mr_item item = place(&random, kind);
        item.kind = kind;
        item.size = 1;
        item.room = rooms[kind] * (float)test_between(&random, 0.7, 1.3);
        population.items[population.item_count++] = item;
    }
    assert_true(mr_array_push(scene->context, &scene->populations, population));
}

static mr_item place_on_island(test_random *random, uint32_t kind)
{
    mr_item item = { 0 };
    do {
        item.x = (float)test_between(random, -200, 195);
        item.z = (float)test_between(random, 295, 515);
        item.y = island_height((double)item.x, (double)item.z);
    } while (item.y < (kind == 2 ? 0.2f : 2.6f) ||
             sqrt(pow((double)item.x + 12, 2) + pow((double)item.z - 335, 2)) < 24);
    return item;
}

static void add_standing(mr_scene *scene, const char *path, float x, float z, uint32_t model)
{
    mr_entity entity = {
        .path = path, .parent = MR_NO_INDEX, .transform = mr_transform_identity, .model = model
    };
    entity.transform.translation[0] = x;
    entity.transform.translation[2] = z;
    assert_true(mr_array_push(scene->context, &scene->entities, entity));
}

static uint32_t add_disc_model(mr_scene *scene, const char *name, float radius)
{
    float points[9] = { -radius, 0, -radius, radius, 0, -radius, 0, 1, radius };
    uint32_t triangle[3] = { 0, 1, 2 };
    mr_error error;
    mr_mesh mesh = { .name = name, .material = MR_NO_INDEX };
    mesh.geometry = mr_geometry_from_triangles(scene->context, points, 3, triangle, 1, &error);
    assert_true(mr_array_push(scene->context, &scene->meshes, mesh));
    mr_model model = { .name = name, .piece_count = 1 };
    model.pieces = mr_arena_take(&scene->arena, sizeof *model.pieces);
    model.pieces[0] = (mr_model_piece){ (uint32_t)scene->meshes.count - 1, mr_transform_identity };
    assert_true(mr_array_push(scene->context, &scene->models, model));
    return (uint32_t)scene->models.count - 1;
}

static mr_scene *make_island(mr_context *context)
{
    static const char *kinds[] = { "conifer", "maple", "rock", "fern", "hosta", "flower", "edging" };
    static const float rooms[] = { 2.6f, 3.2f, 0.7f, 0.75f, 0.6f, 0.35f, 0.18f };
    static const float walkway[][2] = { { -22, 498 }, { -22, 476 }, { -34, 450 },
                                        { -14, 424 }, { -38, 400 }, { -12, 378 },
                                        { -22, 354 }, { -16, 340 }, { -16, 333.6f } };
    static const float brook[][2] = { { 150, -40 }, { 120, 60 }, { 140, 160 }, { 95, 250 }, { 70, 330 },
                                      { 88, 400 },  { 60, 470 }, { 74, 545 },  { 60, 640 } };
    mr_error error;
    mr_scene *scene = mr_scene_create(context, &error);
    scene->name = "island";
    assert_true(mr_array_push(context, &scene->grounds, make_ground(context, 1025, 2, island_height)));
    add_items(scene, "island.vegetation.layout", kinds, 7, rooms, 700, place_on_island);
    add_spine(scene, "walkway", walkway, 9);
    add_spine(scene, "brook", brook, 9);
    static const float rectangles[4][4] = { { -18.7f, -12.6f, 323.8f, 330 },
                                            { -21.5f, -18.7f, 325.1f, 330 },
                                            { -18.5f, -13.2f, 330, 331.7f },
                                            { -16.6f, -15.3f, 331.7f, 332.4f } };
    for (int i = 0; i < 4; i++) {
        const float *r = rectangles[i];
        mr_plan_rectangle rectangle = { "island.cottage",
                                        { r[0], r[2], r[1], r[2], r[1], r[3], r[0], r[3] } };
        assert_true(mr_array_push(context, &scene->footprints, rectangle));
    }
    uint32_t lantern = add_disc_model(scene, "lantern", 0.07f);
    static const float spots[12][2] = { { -14.2f, 335.2f }, { -17.2f, 335.5f }, { -14.1f, 338.3f },
                                        { -17.1f, 338 },    { -15, 341.5f },    { -17.7f, 340.3f },
                                        { -16.6f, 344 },    { -19, 342.4f },    { -18.1f, 346.4f },
                                        { -20.7f, 344.7f }, { -19.4f, 348.6f }, { -22.2f, 347.3f } };
    static const char *const names[12] = { "island.lantern[0]", "island.lantern[1]",  "island.lantern[2]",
                                           "island.lantern[3]", "island.lantern[4]",  "island.lantern[5]",
                                           "island.lantern[6]", "island.lantern[7]",  "island.lantern[8]",
                                           "island.lantern[9]", "island.lantern[10]", "island.lantern[11]" };
    for (int i = 0; i < 12; i++) {
        add_standing(scene, names[i], spots[i][0], spots[i][1], lantern);
    }
    add_standing(scene, "island.amphora", -13.4f, 337, add_disc_model(scene, "amphora", 0.4f));
    add_standing(scene, "island.balloon", -10, 300, add_disc_model(scene, "balloon", 9.4f));
    add_standing(scene, "island.cottage", -16, 330, add_disc_model(scene, "cottage", 3));
    add_standing(scene, "island.pin[1]", 40, 350, add_disc_model(scene, "pin", 0.1f));
    return scene;
}

static float ridge_height(double x, double z)
{
    double ridge = 1 - fabs((double)fbm(x / 9000, z / 9000, 5, 1));
    return (float)(300 + 500 * ridge * ridge + 260 * (double)fbm(x / 5000, z / 5000, 11, 7));
}

static mr_item place_in_forest(test_random *random, uint32_t kind)
{
    mr_item item = { 0 };
    do {
        item.x = (float)test_between(random, -14900, 14900);
        item.z = (float)test_between(random, -14900, 14900);
    } while (fbm((double)item.x / 3000, (double)item.z / 3000, 40 + kind, 3) < 0.1f);
    return item;
}

static mr_scene *make_forest(mr_context *context, size_t count)
{
    static const char *kinds[] = { "oak", "pine", "hickory", "boulder", "meadow_tuft" };
    static const float rooms[] = { 4, 3, 4, 2, 0.6f };
    mr_error error;
    mr_scene *scene = mr_scene_create(context, &error);
    scene->name = "jacksboro";
    assert_true(mr_array_push(context, &scene->grounds, make_ground(context, 1001, 30, ridge_height)));
    add_items(scene, "forest.trees", kinds, 5, rooms, count, place_in_forest);
    return scene;
}

static void save(mr_context *context, const mr_scene *scene, const char *name, uint32_t size)
{
    char path[MR_PATH_SIZE];
    mr_error error;
    assert_true(mr_path_join(path, MARRAM_BINARY_DIR "/test", name, &error));
    mr_map_options options = mr_map_options_default();
    options.size = size;
    double begin = mr_clock_seconds();
    test_assert_ok(mr_map_save(context, scene, path, &options, &error), &error);
    print_message("%s: %.2f s\n", path, mr_clock_seconds() - begin);
}

static void maps_of_an_island_and_of_a_forest(void **state)
{
    mr_context *context = *state;
    mr_scene *scene = make_island(context);
    save(context, scene, "map_island.png", 2400);
    mr_scene_destroy(scene);
    scene = make_forest(context, 60000);
    save(context, scene, "map_forest.png", 2000);
    mr_scene_destroy(scene);
}

static uint8_t *draw(mr_context *context, const mr_scene *scene, uint32_t size, uint32_t *width,
                     uint32_t *height)
{
    mr_map_options options = mr_map_options_default();
    options.size = size;
    mr_error error;
    uint8_t *rgb = NULL;
    test_assert_ok(mr_map_draw(context, scene, &options, &rgb, width, height, &error), &error);
    return rgb;
}

static void a_map_is_the_same_for_any_threads(void **state)
{
    static const uint32_t threads[] = { 1, 2, 7 };
    uint8_t *first = NULL;
    uint32_t width = 0;
    uint32_t height = 0;
    for (int i = 0; i < 3; i++) {
        mr_context *context = test_context_of(threads[i], 0);
        mr_scene *scene = make_forest(context, 3000);
        uint32_t own_width;
        uint32_t own_height;
        uint8_t *rgb = draw(context, scene, 1600, &own_width, &own_height);
        if (first) {
            assert_int_equal(own_width, width);
            assert_int_equal(own_height, height);
            assert_memory_equal(rgb, first, (size_t)width * height * 3);
        } else {
            width = own_width;
            height = own_height;
            first = malloc((size_t)width * height * 3);
            memcpy(first, rgb, (size_t)width * height * 3);
        }
        mr_buffer_release(context, rgb);
        mr_scene_destroy(scene);
        test_context_end(context);
    }
    free(first);
}

static float flat_height(double x, double z)
{
    return 5;
}

static float tilted_height(double x, double z)
{
    return (float)(x * 0.1);
}

static void the_long_side_is_what_was_asked_for(void **state)
{
    mr_context *context = *state;
    mr_error error;
    static const uint32_t shapes[][2] = { { 200, 200 }, { 20, 900 }, { 900, 20 }, { 2, 2 }, { 1, 1 } };
    for (size_t i = 0; i < 5; i++) {
        mr_scene *scene = mr_scene_create(context, &error);
        mr_raster *raster = mr_raster_create(context, -3, 5, 3, shapes[i][0], shapes[i][1], 0, &error);
        float *cells = mr_raster_layer_write(raster, "height", 1, &error);
        cells[0] = NAN;
        mr_ground ground = { .path = "g", .raster = raster };
        assert_true(mr_array_push(context, &scene->grounds, ground));
        uint32_t width;
        uint32_t height;
        uint8_t *rgb = draw(context, scene, 1600, &width, &height);
        uint32_t side = width > height ? width : height;
        assert_int_equal(side, 1600);
        mr_buffer_release(context, rgb);
        mr_scene_destroy(scene);
    }
    mr_scene *scene = mr_scene_create(context, &error); // nothing at all
    uint32_t width;
    uint32_t height;
    uint8_t *rgb = draw(context, scene, 1600, &width, &height);
    mr_buffer_release(context, rgb);
    static const uint32_t refused[] = { 0, 1599, 8193, 0xffffffff };
    for (int i = 0; i < 4; i++) {
        mr_map_options options = { .size = refused[i] };
        assert_false(mr_map_draw(context, scene, &options, &rgb, &width, &height, &error));
        assert_int_equal(error.status, MR_BAD_INPUT);
        assert_text_contains(error.message, "1600 to 8192");
    }
    mr_scene_destroy(scene);
}

// Pixels of a disc's colour, in a picture of one disc on paper.
static double area_drawn(mr_context *context, float radius, float x, float y)
{
    mr_map_canvas canvas;
    mr_map_canvas_init(&canvas, context, 120, 100);
    canvas.paper = mr_map_rgb(0, 1);
    mr_map_disc(&canvas, x, y, radius, mr_map_rgb(0xffffff, 1));
    static uint8_t rgb[120 * 100 * 3];
    mr_error error;
    test_assert_ok(mr_map_canvas_draw(&canvas, rgb, &error), &error);
    mr_map_canvas_destroy(&canvas);
    double sum = 0;
    for (int i = 0; i < 120 * 100; i++) {
        sum += rgb[3 * i] / 255.0;
    }
    return sum;
}

static void shapes_cover_their_own_area(void **state)
{
    mr_context *context = *state;
    test_random random = { 6 };
    for (int i = 0; i < 200; i++) {
        float radius = (float)test_between(&random, 0.5, 20);
        double drawn = area_drawn(context, radius, (float)test_between(&random, 30, 90),
                                  (float)test_between(&random, 30, 70));
        double area = 3.14159265 * (double)(radius * radius);
        assert_true(fabs(drawn - area) < 0.05 * area + 0.35);
    }
    mr_map_canvas canvas;
    mr_map_canvas_init(&canvas, context, 64, 64);
    canvas.paper = mr_map_rgb(0, 1);
    mr_map_rectangle(&canvas, (mr_map_box){ 3, 4, 9, 17 }, mr_map_rgb(0xffffff, 1));
    mr_map_rectangle(&canvas, (mr_map_box){ 20.25f, 30, 20.75f, 40 }, mr_map_rgb(0xffffff, 1));
    mr_map_line(&canvas, 30, 50.5f, 50, 50.5f, 3, mr_map_rgb(0xffffff, 1));
    mr_map_disc(&canvas, NAN, 5, 9, mr_map_rgb(0xffffff, 1));
    mr_map_disc(&canvas, -1e30f, 5, 1e30f, mr_map_rgb(0xffffff, 0));
    uint8_t rgb[64 * 64 * 3];
    mr_error error;
    test_assert_ok(mr_map_canvas_draw(&canvas, rgb, &error), &error);
    mr_map_canvas_destroy(&canvas);
    double boxes[3] = { 0 };
    for (int i = 0; i < 64 * 64; i++) {
        int x = i % 64, y = i / 64;
        boxes[y > 45 ? 2 : x < 15 ? 0 : 1] += rgb[3 * i] / 255.0;
    }
    assert_true(boxes[0] == 6 * 13);              // edges on pixels are sharp
    assert_true(fabs(boxes[1] - 0.5 * 10) < 0.1); // half a pixel wide
    assert_true(fabs(boxes[2] - (20 * 3 + 3.14159265 * 2.25)) < 1);
}

static void every_letter_of_ascii_is_drawn_within_its_room(void **state)
{
    mr_context *context = *state;
    for (char c = 33; c < 127; c++) {
        mr_map_canvas canvas;
        mr_map_canvas_init(&canvas, context, 60, 70);
        canvas.paper = mr_map_rgb(0xffffff, 1);
        mr_map_style style = { .size = 32, .color = mr_map_rgb(0, 1) };
        mr_map_text(&canvas, 10, 45, (mr_view){ &c, 1 }, &style);
        float width = mr_map_text_width((mr_view){ &c, 1 }, &style);
        uint8_t rgb[60 * 70 * 3];
        mr_error error;
        test_assert_ok(mr_map_canvas_draw(&canvas, rgb, &error), &error);
        mr_map_canvas_destroy(&canvas);
        size_t dark = 0;
        for (int i = 0; i < 60 * 70; i++) {
            bool ink = rgb[3 * i] < 128;
            dark += ink;
            assert_false(ink && ((float)(i % 60) < 5 || (float)(i % 60) > 10 + width + 4));
        }
        assert_true(dark > 8);
    }
}

static void grounds_are_sampled_where_they_stand(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_scene *scene = mr_scene_create(context, &error);
    assert_true(mr_array_push(context, &scene->grounds, make_ground(context, 101, 2, tilted_height)));
    mr_map_tint tint = { .sea = true, .low = -10, .high = 10 };
    // Closer than the cells, as close, and wider.
    static const double steps[] = { 0.3, 2, 5 };
    for (int i = 0; i < 3; i++) {
        mr_map_view view = { .x = -40, .z = -40, .step = steps[i], .width = 16, .height = 16 };
        mr_map_relief relief;
        test_assert_ok(mr_map_relief_make(context, scene, &view, &tint, &relief, &error), &error);
        for (int32_t y = -1; y <= 16; y++) {
            for (int32_t x = -1; x <= 16; x++) {
                double at = -40 + (x + 0.5) * steps[i];
                float h = mr_map_relief_at(&relief, x, y);
                // The mean of whole cells is off by up to half of one.
                assert_true(fabs((double)h - at * 0.1) < (i == 2 ? 0.101 : 1e-4));
            }
        }
        mr_map_relief_free(&relief);
    }
    mr_map_view view = { .x = 99, .z = 0, .step = 1, .width = 16, .height = 16 };
    mr_map_relief relief;
    test_assert_ok(mr_map_relief_make(context, scene, &view, &tint, &relief, &error), &error);
    assert_true(!isnan(mr_map_relief_at(&relief, 0, 0)));
    assert_true(isnan(mr_map_relief_at(&relief, 9, 0))); // past the border
    mr_map_relief_free(&relief);
    mr_scene_destroy(scene);
}

static void the_crowd_is_found_among_strays(void **state)
{
    mr_context *context = *state;
    mr_error error;
    static const char *kinds[] = { "rock" };
    mr_scene *scene = mr_scene_create(context, &error);
    mr_population population = { .path = "w.rocks", .kinds = kinds, .kind_count = 1, .item_count = 1000 };
    population.items = mr_arena_take(&scene->arena, 1000 * sizeof *population.items);
    test_random random = { 31 };
    for (size_t i = 0; i < 1000; i++) {
        bool stray = i % 3 == 0;
        population.items[i].x =
            (float)(stray ? test_between(&random, -900, 900) : test_between(&random, 210, 300));
        population.items[i].z =
            (float)(stray ? test_between(&random, -900, 900) : test_between(&random, -500, -450));
        population.items[i].size = 1;
        population.items[i].room = 1;
    }
    assert_true(mr_array_push(context, &scene->populations, population));
    mr_map_things things;
    test_assert_ok(mr_map_things_gather(context, scene, &things, &error), &error);
    assert_int_equal(things.things.count, 1000);
    mr_map_rect whole = { -1000, -1000, 1000, 1000 };
    mr_map_rect crowd = whole;
    assert_true(mr_map_find_crowd(context, &things, &whole, &crowd));
    assert_true(crowd.x0 < 225 && crowd.x1 > 285 && crowd.z0 < -490 && crowd.z1 > -460);
    assert_true(mr_map_share(&crowd, &whole) < 0.12);
    mr_map_rect close;
    assert_true(mr_map_look_closer(context, &things, &whole, 5, &close));
    assert_true(close.x0 > 150 && close.x1 < 360 && close.z0 > -560 && close.z1 < -390);
    assert_false(mr_map_look_closer(context, &things, &whole, 0.1, &close)); // they can be seen as they are
    mr_map_things_free(&things);
    // Spread evenly there is no crowd.
    for (size_t i = 0; i < 1000; i++) {
        scene->populations.items[0].items[i].x = (float)test_between(&random, -900, 900);
        scene->populations.items[0].items[i].z = (float)test_between(&random, -900, 900);
    }
    test_assert_ok(mr_map_things_gather(context, scene, &things, &error), &error);
    assert_false(mr_map_find_crowd(context, &things, &whole, &crowd));
    mr_map_things_free(&things);
    mr_scene_destroy(scene);
}

// Water where the ground's own layers say it is, else below 0.
static void water_lies_where_the_ground_says(void **state)
{
    mr_context *context = *state;
    mr_error error;
    uint8_t *pictures[3];
    uint32_t width = 0;
    uint32_t height = 0;
    for (int i = 0; i < 3; i++) {
        mr_scene *scene = mr_scene_create(context, &error);
        assert_true(mr_array_push(context, &scene->grounds, make_ground(context, 101, 2, tilted_height)));
        mr_raster *raster = scene->grounds.items[0].raster;
        size_t cells = mr_raster_stride(raster) * mr_raster_rows(raster);
        if (i > 0) {
            float *water = mr_raster_layer_write(raster, "water", 0, &error);
            float *covered = mr_raster_layer_write(raster, "waterMask", 0, &error);
            const float *ground = mr_raster_layer_read(raster, "height");
            for (size_t k = 0; i == 1 && k < cells; k++) {
                water[k] = ground[k] < 5 ? 5.0f : 0;
                covered[k] = ground[k] < 5;
            }
        }
        pictures[i] = draw(context, scene, 1600, &width, &height);
        mr_scene_destroy(scene);
    }
    // Along the middle row of the ground's panel: how many pixels are more blue than red.
    size_t blue[3] = { 0 };
    for (int i = 0; i < 3; i++) {
        const uint8_t *row = pictures[i] + (size_t)(height / 2) * width * 3;
        for (uint32_t x = 80; x < 1150; x++) {
            blue[i] += row[3 * x + 2] > row[3 * x] + 20;
        }
        mr_buffer_release(context, pictures[i]);
    }
    assert_true(blue[0] > 400 && blue[0] < 650); // half of it lies below 0
    assert_true(blue[1] > blue[0] + 150);        // three quarters below 5
    assert_true(blue[2] < 40);                   // water is spoken of, and there is none
}

static void steps_are_one_two_or_five_times_a_power_of_ten(void **state)
{
    static const double cases[][2] = { { 1, 1 },         { 1.99, 1 },    { 2, 2 },       { 4.9, 2 },
                                       { 5, 5 },         { 9.99, 5 },    { 10, 10 },     { 734, 500 },
                                       { 0.3, 0.2 },     { 0.07, 0.05 }, { 1e-3, 1e-3 }, { 2.5e6, 2e6 },
                                       { 0.0199, 0.01 }, { 60, 50 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(fabs(mr_map_round_step(cases[i][0]) / cases[i][1] - 1) < 1e-9);
    }
    assert_true(mr_map_round_step(0) == 1 && mr_map_round_step((double)NAN) == 1);
    assert_true(mr_map_round_step((double)INFINITY) == 1 && mr_map_round_step(-3) == 1);
}

static void strange_scenes_are_drawn_or_refused_and_leak_nothing(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_scene *scene = make_forest(context, 500);
    scene->name =
        "a name far too long to stand anywhere on the map, with \xc3\xa9 and \xff bytes, of more than a line";
    scene->populations.items[0].items[3].x = NAN;
    scene->populations.items[0].items[4].room = INFINITY;
    scene->populations.items[0].items[5].x = 1e30f;
    scene->populations.items[0].items[6].kind = 77;
    mr_plan_spine spine = { .name = "brook",
                            .points = (float[]){ 0, 0, NAN, 3, 1e30f, 1e30f, 5, 5 },
                            .point_count = 4 };
    assert_true(mr_array_push(context, &scene->spines, spine));
    mr_plan_rectangle rectangle = { "w.nowhere", { NAN, 0, 1, 0, 1, INFINITY, 0, 1 } };
    assert_true(mr_array_push(context, &scene->footprints, rectangle));
    uint32_t width;
    uint32_t height;
    uint8_t *rgb = draw(context, scene, 1600, &width, &height);
    mr_buffer_release(context, rgb);
    mr_scene_destroy(scene);
    // A single thing on flat ground; many kinds.
    scene = mr_scene_create(context, &error);
    assert_true(mr_array_push(context, &scene->grounds, make_ground(context, 40, 1, flat_height)));
    static char names[60][8];
    static const char *kinds[60];
    static float rooms[60];
    for (int i = 0; i < 60; i++) {
        snprintf(names[i], sizeof names[i], "kind%d", i);
        kinds[i] = names[i];
        rooms[i] = 0.3f;
    }
    add_items(scene, "w.many", kinds, 60, rooms, 900, place_in_forest);
    rgb = draw(context, scene, 1600, &width, &height);
    mr_buffer_release(context, rgb);
    mr_scene_destroy(scene);
}

static void a_failing_allocation_is_an_error_and_leaks_nothing(void **state)
{
    size_t failed = 0;
    for (uint64_t n = 1;; n += n < 30 ? 1 : 11) {
        mr_context *context = test_context_of(1, 0);
        mr_error error;
        mr_scene *scene = mr_scene_create(context, &error);
        assert_true(mr_array_push(context, &scene->grounds, make_ground(context, 30, 1, tilted_height)));
        add_standing(scene, "w.amphora", 3, 3, add_disc_model(scene, "amphora", 1));
        mr_memory_fail_after(context, n, false);
        uint8_t *rgb;
        uint32_t width;
        uint32_t height;
        mr_map_options options = { .size = 1600 };
        bool good = mr_map_draw(context, scene, &options, &rgb, &width, &height, &error);
        mr_memory_fail_after(context, 0, false);
        if (good) {
            mr_buffer_release(context, rgb);
        } else {
            failed++;
            assert_int_equal(error.status, MR_OUT_OF_MEMORY);
        }
        mr_scene_destroy(scene);
        test_context_end(context);
        if (good) {
            break;
        }
    }
    assert_true(failed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(maps_of_an_island_and_of_a_forest, test_setup, test_teardown),
        cmocka_unit_test(a_map_is_the_same_for_any_threads),
        cmocka_unit_test_setup_teardown(the_long_side_is_what_was_asked_for, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(shapes_cover_their_own_area, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(every_letter_of_ascii_is_drawn_within_its_room, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(grounds_are_sampled_where_they_stand, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(the_crowd_is_found_among_strays, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(water_lies_where_the_ground_says, test_setup, test_teardown),
        cmocka_unit_test(steps_are_one_two_or_five_times_a_power_of_ten),
        cmocka_unit_test_setup_teardown(strange_scenes_are_drawn_or_refused_and_leak_nothing, test_setup,
                                        test_teardown),
        cmocka_unit_test(a_failing_allocation_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
