// The public island's vegetation by the scatter: its rules, drawn from its streams in its order, against its published
// counts and items. The land the rules ask is the test's own (island_land.h), for its cells' diagonals cross.
//
// The public island draws a candidate's numbers, tests it and draws its placing before the next candidate's, but for the forest,
// whose squares draw spot and order one after the other. The engine's makers draw all spots first (or a thing's whole ring),
// so those rules are written as one rule a candidate: a list of one spot, drawn as that rule begins. The two rock rules that
// try points in a box are the engine's own; tests, caps, groups, rooms, sorting, streams are everywhere.

#include "support.h"

#include "island_options.h"

enum { MOST_RULES = 1400, LANTERNS = 12 };

// ---- the rules ----

typedef bool (*list_maker)(void *self, const mr_asking *asking, const float **spots, size_t *count,
                           mr_error *error);

typedef struct one_choice {
    kind kind;
    option variant, turn, size;
} one_choice;

typedef struct table_rule {
    const char *name;
    size_t times; // one rule a candidate, so many
    mr_maker maker;
    list_maker list;
    option keep_first, keep_then, order, size, spacing, test, room, pick;
    bool test_none, ignored;
    float margin; // 0: the cottage's own
    uint64_t at_most, group_at_most;
    one_choice choices[2];
} table_rule;

#define PLAIN(formula)                                                                                       \
    {                                                                                                        \
        formula, false, 0                                                                                    \
    }
#define DRAWN(formula)                                                                                       \
    {                                                                                                        \
        formula, true, 0                                                                                     \
    }
#define NUMBER(number)                                                                                       \
    {                                                                                                        \
        just_number, false, number                                                                           \
    }

static const table_rule table[] = {
    { .name = "specimens",
      .list = fixed_list,
      .test_none = true,
      .room = NUMBER(0.7f),
      .choices = { { SPECIMEN, PLAIN(specimen_variant), PLAIN(specimen_turn), PLAIN(specimen_size) } } },
    { .name = "ring",
      .list = ring_list,
      .test = NUMBER(1.2f),
      .room = NUMBER(0.6f),
      .choices = { { CONIFER, DRAWN(ring_variant), DRAWN(turn), DRAWN(conifer_size) } } },
    { .name = "forest",
      .list = forest_list,
      .order = PLAIN(forest_order),
      .spacing = PLAIN(forest_spacing),
      .room = PLAIN(forest_room),
      .pick = DRAWN(forest_pick),
      .choices = { { CONIFER, DRAWN(forest_variant), DRAWN(turn), DRAWN(conifer_size) },
                   { MAPLE, DRAWN(below_3), DRAWN(turn), DRAWN(maple_size) } },
      .at_most = 90 },
    { .name = "beach rocks",
      .maker = { .kind = MR_MAKE_POINTS,
                 .outline = { MR_OUTLINE_RECT, .x0 = -77, .x1 = 33, .z0 = 459, .z1 = 529 },
                 .tries = 400 },
      .keep_first = PLAIN(beach_keep),
      .size = DRAWN(beach_size),
      .test = PLAIN(half_size),
      .room = PLAIN(rock_room),
      .choices = { { ROCK, DRAWN(below_6), DRAWN(turn), PLAIN(rule_size) } },
      .at_most = 22 },
    { .name = "steep rocks",
      .maker = { .kind = MR_MAKE_POINTS,
                 .outline = { MR_OUTLINE_RECT, .x0 = -170, .x1 = 170, .z0 = 300, .z1 = 490 },
                 .tries = 3000 },
      .keep_first = PLAIN(steep_keep),
      .keep_then = DRAWN(steep_chance),
      .size = DRAWN(steep_size),
      .test = PLAIN(half_size),
      .room = PLAIN(rock_room),
      .choices = { { ROCK, DRAWN(below_6), DRAWN(turn), PLAIN(rule_size) } },
      .group_at_most = 98 },
    { .name = "path rocks",
      .times = 25,
      .list = path_rock,
      .keep_then = DRAWN(path_rock_keep),
      .size = PLAIN(drawn_size),
      .test = PLAIN(rock_room),
      .room = PLAIN(rock_room),
      .choices = { { ROCK, DRAWN(below_6), DRAWN(turn), PLAIN(rule_size) } } },
    { .name = "foundation hostas",
      .times = 12,
      .list = foundation_hosta,
      .keep_first = PLAIN(foundation_keep),
      .test = NUMBER(0.4f),
      .room = NUMBER(0.6f),
      .margin = 0.15f,
      .choices = { { HOSTA, DRAWN(below_2), DRAWN(turn), DRAWN(hosta_size) } } },
    { .name = "path hostas",
      .times = 30,
      .list = path_hosta,
      .keep_then = DRAWN(path_hosta_keep),
      .test = NUMBER(0.45f),
      .room = NUMBER(0.6f),
      .margin = 0.2f,
      .choices = { { HOSTA, DRAWN(below_2), DRAWN(turn), DRAWN(hosta_size) } } },
    { .name = "porch flowers",
      .times = 12,
      .list = porch_flower,
      .keep_first = PLAIN(porch_keep),
      .test = NUMBER(0.25f),
      .room = NUMBER(0.3f),
      .margin = 0.1f,
      .choices = { { FLOWER, DRAWN(below_6), DRAWN(turn), DRAWN(flower_size) } } },
    { .name = "amphora flowers",
      .times = 14,
      .list = amphora_flower,
      .keep_first = PLAIN(amphora_keep),
      .test = NUMBER(0.25f),
      .room = NUMBER(0.3f),
      .choices = { { FLOWER, DRAWN(below_6), DRAWN(turn), DRAWN(flower_size) } } },
    { .name = "path flowers",
      .times = 25,
      .list = path_flower,
      .keep_then = DRAWN(path_flower_keep),
      .test = NUMBER(0.25f),
      .room = NUMBER(0.3f),
      .margin = 0.1f,
      .choices = { { FLOWER, DRAWN(below_6), DRAWN(turn), DRAWN(flower_size) } } },
    { .name = "tree ferns",
      .times = 420,
      .list = tree_fern,
      .keep_first = PLAIN(tree_fern_keep),
      .test = NUMBER(0.5f),
      .room = NUMBER(0.75f),
      .margin = 0.2f,
      .choices = { { FERN, DRAWN(below_2), DRAWN(turn), DRAWN(fern_size) } } },
    { .name = "lane ferns",
      .times = 70,
      .list = lane_fern,
      .keep_then = DRAWN(lane_fern_keep),
      .test = NUMBER(0.5f),
      .room = NUMBER(0.75f),
      .margin = 0.2f,
      .choices = { { FERN, DRAWN(below_2), DRAWN(turn), DRAWN(fern_size) } } },
    { .name = "edging",
      .times = 600,
      .list = edging_stone,
      .keep_then = DRAWN(edging_keep),
      .test = NUMBER(0.1f),
      .room = PLAIN(edging_room),
      .ignored = true,
      .choices = { { EDGING, DRAWN(below_4), DRAWN(turn), PLAIN(drawn_size) } } },
};
enum { TABLE = sizeof table / sizeof *table, OPTIONS = 20 };

static mr_asker asker_of(island *world, option from, option_self **selves)
{
    if (!from.formula) {
        return (mr_asker){ 0 };
    }
    **selves = (option_self){ world, from };
    return (mr_asker){ (*selves)++, from.draws, ask };
}

static mr_scatter_rule engine_rule(island *world, const table_rule *from, option_self *selves)
{
    static const int32_t groups[] = {
        [SPECIMEN] = -1, [CONIFER] = -1, [MAPLE] = -1, [ROCK] = 0,
        [HOSTA] = 1,     [FLOWER] = 2,   [FERN] = 3,   [EDGING] = -1,
    };
    mr_scatter_rule made = {
        .name = from->name,
        .maker = from->maker,
        .keep_first = asker_of(world, from->keep_first, &selves),
        .keep_then = asker_of(world, from->keep_then, &selves),
        .order = asker_of(world, from->order, &selves),
        .size = asker_of(world, from->size, &selves),
        .spacing = asker_of(world, from->spacing, &selves),
        .test = asker_of(world, from->test, &selves),
        .room = asker_of(world, from->room, &selves),
        .test_none = from->test_none,
        .pick = asker_of(world, from->pick, &selves),
        .choice_count = from->pick.formula ? 2 : 1,
        .at_most = from->at_most ? from->at_most : UINT64_MAX,
        .group = groups[from->choices[0].kind],
        .group_at_most = from->group_at_most ? from->group_at_most : UINT64_MAX,
        .blocks = !from->ignored,
        .has_margin = from->margin > 0,
        .margin = from->margin,
    };
    made.maker.self = world;
    made.maker.list = from->list;
    for (uint32_t i = 0; i < made.choice_count; i++) {
        const one_choice *choice = &from->choices[i];
        made.choices[i] = (mr_choice){
            .kind = (uint32_t)choice->kind,
            .variant = asker_of(world, choice->variant, &selves),
            .turn = asker_of(world, choice->turn, &selves),
            .size = asker_of(world, choice->size, &selves),
            .height = asker_of(world, (option)PLAIN(foot), &selves),
        };
    }
    return made;
}

// ---- what is kept clear ----

static const mr_scatter_footprint cottage[] = {
    { -18.7f, -12.6f, 323.8f, 330.0f, .scale = 1, .clearance = 1.2f, .part = "cottage" },
    { -21.5f, -18.7f, 325.1f, 330.0f, .scale = 1, .clearance = 1.2f, .part = "wing" },
    { -18.5f, -13.2f, 330.0f, 331.7f, .scale = 1, .clearance = 1.2f, .part = "deck" },
    { -16.6f, -15.3f, 331.7f, 332.4f, .scale = 1, .clearance = 1.2f, .part = "steps" },
};

static const mr_scatter_disc objects[] = {
    { -13.4f, 337, 1.2f, "amphora" }, { -10.9f, 337.8f, 1.6f, "horn-flower" },
    { -9, 342, 1, "ball" },           { -6, 309, 1.5f, "launch" },
    { -10, 300, 12, "balloon" },      { -13, 335.4f, 1.5f, "route" },
    { -9.8f, 333, 1.5f, "route" },    { -9.2f, 326, 1.5f, "route" },
    { -8.6f, 319, 1.5f, "route" },    { -6.8f, 314.4f, 1.5f, "route" },
    { -6.1f, 312.6f, 1.5f, "route" },
};
enum { OBJECTS = sizeof objects / sizeof *objects };

// Two lanterns a pair, so far back from the walkway's end; the heading is that of five points.
static void stand_lanterns(const mr_spine *way, mr_scatter_disc *lanterns)
{
    for (int pair = 0; pair < LANTERNS / 2; pair++) {
        float left = 1.8f + 2.8f * (float)pair;
        size_t k = POINTS - 1;
        for (;; k--) {
            float dx = way->x[k - 1] - way->x[k];
            float dz = way->z[k - 1] - way->z[k];
            float length = plan(dx, dz) + 0.00001f;
            if (left > length) {
                left -= length;
                continue;
            }
            size_t after = k + 2 < POINTS ? k + 2 : POINTS - 1;
            float tx = way->x[after] - way->x[k - 3];
            float tz = way->z[after] - way->z[k - 3];
            float t = left / length;
            for (int side = 0; side < 2; side++) {
                float offset = (side == 0 ? 1.5f : -1.5f) / plan(tx, tz);
                lanterns[2 * pair + side] =
                    (mr_scatter_disc){ way->x[k] + dx * t - tz * offset, way->z[k] + dz * t + tx * offset,
                                       0.7f, "lantern" };
            }
            break;
        }
    }
}

// ---- the tests ----

typedef struct cooked {
    island *world;
    mr_arena arena;
    mr_scatter_result result;
    uint32_t rule_part[MOST_RULES]; // the table's row
    size_t rule_count;
    mr_scatter_disc discs[OBJECTS + LANTERNS];
} cooked;

static cooked *all;

static mr_land *questions_of(mr_context *context, const island_land *land)
{
    mr_error error;
    mr_raster *raster = mr_raster_create(context, -512, -512, 2, SIDE, SIDE, 0, &error);
    assert_non_null(raster);
    memcpy(mr_raster_layer_write(raster, "height", 0, &error), land->height, sizeof land->height);
    memcpy(mr_raster_layer_write(raster, "path", 0, &error), land->path, sizeof land->path);
    mr_land *made = mr_land_create(context, raster, 16, -30, &error);
    assert_non_null(made);
    mr_raster_release(raster);
    return made;
}

static void begin_walks(island *world)
{
    world->forms = mr_stream_init(20260520, 2);
    world->rocks_k = 20;
    world->rocks_side = 1;
    world->hostas_k = POINTS - 2;
    world->flowers_k = POINTS - 2;
    world->lane_k = 4;
    world->bed_x = -18.2f;
    world->edge_side = -1;
}

static int cook(void **state)
{
    static const float control[] = { -22, 498, -22, 476, -34, 450, -14, 424, -38,
                                     400, -12, 378, -22, 354, -16, 340, -16, 333.6f };
    static const uint64_t caps[] = { 120, 60, 120, 220 };
    mr_context *context = test_context();
    *state = context;
    mr_error error;
    all = calloc(1, sizeof *all);
    island *world = all->world = calloc(1, sizeof *world);
    world->walkway = mr_spine_create(context, control, 9, true, &error);
    assert_non_null(world->walkway);
    island_land_make(context, &world->land, world->walkway);
    world->questions = questions_of(context, &world->land);
    test_assert_ok(mr_land_add_spine(world->questions, "walkway", world->walkway, &error), &error);
    begin_walks(world);
    memcpy(all->discs, objects, sizeof objects);
    stand_lanterns(world->walkway, all->discs + OBJECTS);

    mr_scatter_rule *rules = calloc(MOST_RULES, sizeof *rules);
    option_self *selves = calloc(MOST_RULES * OPTIONS, sizeof *selves);
    size_t count = 0;
    for (size_t part = 0; part < TABLE; part++) {
        for (size_t n = 0; n < (table[part].times ? table[part].times : 1); n++) {
            assert_true(count < MOST_RULES);
            all->rule_part[count] = (uint32_t)part;
            rules[count] = engine_rule(world, &table[part], selves + count * OPTIONS);
            count++;
        }
    }
    all->rule_count = count;
    mr_scatter_stream stream = { 20260520, 1 };
    mr_scatter scatter = {
        .land = world->questions,
        .rules = rules,
        .rule_count = count,
        .streams = &stream,
        .stream_count = 1,
        .group_caps = caps,
        .group_count = 4,
        .clearances = all->discs,
        .clearance_count = OBJECTS + LANTERNS,
        .footprints = cottage,
        .footprint_count = 4,
    };
    mr_arena_init(&all->arena, context);
    test_assert_ok(mr_scatter_run(context, &scatter, &all->arena, &all->result, &error), &error);
    free(rules);
    free(selves);
    return 0;
}

static int end(void **state)
{
    mr_arena_destroy(&all->arena);
    mr_land_release(all->world->questions);
    mr_spine_release(all->world->walkway);
    free(all->world);
    free(all);
    test_context_end(*state);
    return 0;
}

static void stripes_are_the_published_ones(void **state)
{
    const float slanted[2] = { 0.6f, 0.8f };
    const float along_x[2] = { 1, 0 };
    stripes a = phacelle(1.40625f, -2.71875f, slanted, 1, 0, 0.4f, 31);
    assert_float_equal(a.cosine, 0.132794, 2e-6);
    assert_float_equal(a.sine, 0.163350, 2e-6);
    stripes b = phacelle(-3.3f, 7.9f, slanted, 1, 0.25f, 0.4f, 31);
    assert_float_equal(b.cosine, -0.864742, 2e-6);
    assert_float_equal(b.sine, 0.502217, 2e-6);
    stripes c = phacelle(0.5f, 0.25f, along_x, 1, 0, 0.4f, 7);
    assert_float_equal(c.cosine, -0.852523, 2e-6);
    assert_float_equal(c.sine, 0.107909, 2e-6);
}

static void the_land_has_its_published_heights(void **state)
{
    static const struct {
        double x, z, height, slope, path, density;
        bool fence;
    } checks[] = {
        { -22, 499, 0.7430, 0.0105, 1, 0, true },
        { -16, 330, 4.6, 0, 3.6, 0, true },
        { -10, 300, 4.6, 0, 16, 0.0647, true },
        { -36, 323, 4.6, 0, 16, 0.0075, true },
        { -25, 410, 6.2876, 0.0437, 2.2194, 0.0002, true },
        { 100, 400, 5.1247, 0.2168, 16, 0.7081, true },
        { -150, 450, 4.6990, 0.1734, 16, 0.7291, true },
        { 0, 0, 79.3984, 0.6067, 16, 0.0511, false },
        { 0, -230, 152.7078, 0.2572, 16, 0, false },
        { 30, -230, 149.0553, 0.1736, 16, 0, false },
        { 500, 500, 2.3710, 0.1258, 16, 0, false },
        { -60, 790, -30.3, 0, 16, 0, false },
    };
    const island_land *land = &all->world->land;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        float x = (float)checks[i].x;
        float z = (float)checks[i].z;
        assert_float_equal(island_height(land, x, z), checks[i].height, 2e-4);
        assert_float_equal(island_slope(land, x, z), checks[i].slope, 2e-4);
        assert_float_equal(path_distance(land, x, z), checks[i].path, 1e-4);
        assert_float_equal(forest_density(land, x, z), checks[i].density, 1e-4);
        assert_int_equal(inside_fence(x, z), checks[i].fence);
    }
    assert_float_equal(coast(-22, 499), -9.856, 1e-3);
    assert_float_equal(coast(-16, 330), -172.1, 0.06);
    assert_float_equal(coast(0, 0), -499.62, 0.006);
    assert_float_equal(150 / land->hill_scale, 1.0408770, 1e-6);
    assert_float_equal(raw_hill(0, 0), 0.55275, 1e-5);
    assert_float_equal(raw_hill(100, 150), 0.13264, 1e-5);
    static const struct {
        size_t point;
        double height;
    } carved[] = { { 0, 0.7532 }, { 27, 2.6993 }, { 100, 6.3253 }, { 150, 4.5533 }, { 203, 4.6 } };
    for (int i = 0; i < 5; i++) {
        assert_float_equal(land->walkway_height[carved[i].point], carved[i].height, 1e-4);
    }
}

// The library's land over the same samples: its diagonal is that of every other cell here, its layers are bilinear, and its
// distance to the walkway is the published grid's at the grid's own samples.
static void the_library_answers_the_same_questions(void **state)
{
    const island_land *land = &all->world->land;
    const mr_land *asked = all->world->questions;
    test_random random = { 4 };
    const uint32_t path = 1; // the second layer
    size_t compared = 0;
    for (size_t n = 0; n < test_count(200000); n++) {
        float x = (float)test_between(&random, -1023, 1023);
        float z = (float)test_between(&random, -1023, 1023);
        size_t cell = (size_t)((x + 1024) / 2) + (size_t)((z + 1024) / 2);
        if (cell % 2 == 1) {
            assert_float_equal(mr_land_height(asked, x, z), island_height(land, x, z), 1e-3);
            compared++;
        }
        assert_float_equal(mr_land_layer(asked, path, x, z), path_distance(land, x, z), 1e-3);
    }
    assert_true(compared > 1000);
    for (size_t n = 0; n < SIDE * SIDE; n++) {
        float distance = mr_land_spine_distance(asked, 0, sample_x(n % SIDE), sample_x(n / SIDE));
        assert_true(fabsf(distance - land->path[n]) < 1e-4f);
    }
}

static void lanterns_stand_where_they_are_published(void **state)
{
    static const double spots[][2] = { { -14.217, 335.205 }, { -17.198, 335.545 }, { -14.146, 338.323 },
                                       { -17.129, 338.002 }, { -14.966, 341.451 }, { -17.721, 340.263 },
                                       { -16.558, 344.074 }, { -19.053, 342.408 }, { -18.129, 346.356 },
                                       { -20.656, 344.740 }, { -19.427, 348.589 }, { -22.159, 347.349 } };
    for (int i = 0; i < LANTERNS; i++) {
        assert_float_equal(all->discs[OBJECTS + i].x, spots[i][0], 6e-4);
        assert_float_equal(all->discs[OBJECTS + i].z, spots[i][1], 6e-4);
    }
}

static size_t placed_by(const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < all->result.item_count; i++) {
        count += strcmp(table[all->rule_part[all->result.items[i].rule]].name, name) == 0;
    }
    return count;
}

static void every_rule_places_its_published_count(void **state)
{
    static const struct {
        const char *name;
        size_t count;
    } published[] = {
        { "specimens", 2 },          { "ring", 7 },         { "forest", 90 },
        { "beach rocks", 22 },       { "steep rocks", 76 }, { "path rocks", 8 },
        { "foundation hostas", 11 }, { "path hostas", 10 }, { "porch flowers", 3 },
        { "amphora flowers", 0 },    { "path flowers", 8 }, { "tree ferns", 77 },
        { "lane ferns", 29 },        { "edging", 335 },
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        size_t placed = placed_by(published[i].name);
        if (placed != published[i].count) {
            fail_msg("%s: %zu placed, %zu published", published[i].name, placed, published[i].count);
        }
    }
    assert_int_equal(all->result.item_count, 678);
    // 1812 candidates kept, 125 tried to place 90; 93 and 898 tries for the rocks.
    const mr_rule_report *forest = &all->result.reports[2];
    assert_int_equal(forest->candidates, 1812);
    assert_int_equal(forest->placed + forest->footprint + forest->clearance + forest->blocked, 125);
    assert_int_equal(all->result.reports[3].candidates, 93);
    assert_int_equal(all->result.reports[4].candidates, 898);
}

static void variants_are_shared_out_as_published(void **state)
{
    static const struct {
        kind kind;
        uint32_t variants;
        uint32_t counts[6];
    } published[] = { { MAPLE, 3, { 10, 15, 10 } },
                      { ROCK, 6, { 26, 18, 10, 12, 15, 25 } },
                      { EDGING, 4, { 86, 85, 83, 81 } },
                      { HOSTA, 2, { 13, 8 } },
                      { FERN, 2, { 51, 55 } } };
    uint32_t counts[KINDS][12] = { 0 };
    for (size_t i = 0; i < all->result.item_count; i++) {
        counts[all->result.items[i].kind][all->result.items[i].variant]++;
    }
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        for (uint32_t v = 0; v < published[i].variants; v++) {
            assert_int_equal(counts[published[i].kind][v], published[i].counts[v]);
        }
    }
    // Of the forest's conifers, the ring's seven (two shore, three young, two forest-grown) left out.
    static const uint32_t grown[] = { 16, 10, 7, 12, 10 };
    static const uint32_t ring[] = { 3, 2, 2, 0, 0 };
    for (int form = 0; form < 5; form++) {
        uint32_t count = 0;
        for (uint32_t v = 0; v < forms[form].count; v++) {
            count += counts[CONIFER][forms[form].first + v];
        }
        assert_int_equal(count, grown[form] + ring[form]);
    }
}

static void draws_are_counted_as_published(void **state)
{
    static const struct {
        const char *last; // of the rules so far
        uint64_t draws;
    } published[] = { { "ring", 21 },           { "forest", 7669 },        { "path rocks", 10993 },
                      { "path hostas", 11170 }, { "path flowers", 11326 }, { "lane ferns", 12628 },
                      { "edging", 15112 } };
    uint64_t draws = 0;
    size_t checked = 0;
    for (size_t rule = 0; rule < all->rule_count; rule++) {
        uint32_t part = all->rule_part[rule];
        draws += all->result.reports[rule].draws;
        bool last = rule + 1 == all->rule_count || all->rule_part[rule + 1] != part;
        if (last && strcmp(table[part].name, published[checked].last) == 0) {
            assert_int_equal(draws, published[checked].draws);
            checked++;
        }
    }
    assert_int_equal(checked, sizeof published / sizeof *published);
    assert_int_equal(all->result.stream_states[0], 0x92165de9u);
    assert_int_equal(all->world->form_draws, 396);
}

typedef struct published_item {
    size_t number;
    kind kind;
    uint32_t variant;
    double x, z, turn, size, room, y; // y 0: not published
} published_item;

static void items_stand_where_they_are_published(void **state)
{
    static const published_item items[] = {
        { 0, SPECIMEN, 0, -4, 341, 0.4, 1, 0.7, 4.6 },
        { 1, SPECIMEN, 1, -31, 347, 2.1, 0.92, 0.7, 4.6 },
        { 2, CONIFER, 7, -36, 323, 0.7968, 1.0469, 0.6, 0 },
        { 3, CONIFER, 0, -31, 309, 2.7846, 1.1254, 0.6, 0 },
        { 4, CONIFER, 4, -24, 305, 3.3790, 1, 0.6, 0 },
        { 5, CONIFER, 5, 4, 306, 3.7728, 1, 0.6, 0 },
        { 6, CONIFER, 0, 12, 336, 6.1004, 1.0180, 0.6, 0 },
        { 7, CONIFER, 7, -34, 340, 0.7645, 0.9894, 0.6, 0 },
        { 8, CONIFER, 1, 8, 345, 1.7409, 1.0511, 0.6, 0 },
        { 9, CONIFER, 6, -17.1652, 437.6892, 4.8037, 1.0044, 3.7295, 5.5056 },
        { 10, CONIFER, 11, -27.2042, 395.6399, 2.1227, 1.0244, 4.2379, 5.1766 },
        { 11, CONIFER, 9, -25.6443, 447.8948, 0.0782, 1.0640, 3.8965, 4.6876 },
        { 12, CONIFER, 1, -27.9340, 418.0904, 1.4017, 0.9559, 3.1588, 6.4725 },
        { 13, MAPLE, 1, -21.3988, 408.3346, 0.8823, 1.1630, 3.2438, 6.0399 },
        { 14, CONIFER, 0, -38.4822, 456.5639, 1.1939, 0.8953, 3.5563, 4.5238 },
        { 15, MAPLE, 1, -40.2589, 408.1259, 0.8573, 0.9790, 3.7132, 6.4851 },
        { 60, MAPLE, 1, -199.8821, 376.9637, 4.0912, 0.9983, 4.3412, 8.8592 },
        { 98, MAPLE, 2, 34.1449, 462.8564, 1.2069, 1.1982, 4.4500, 5.5132 },
        { 99, ROCK, 0, -55.1806, 489.0864, 3.8029, 0.6194, 0.3407, 1.6212 },
        { 100, ROCK, 1, -61.5420, 495.6382, 1.7598, 1.3365, 0.7351, 0.4873 },
        { 121, ROCK, 5, 90.6233, 437.3867, 2.6714, 0.6615, 0.3638, 7.7327 },
        { 125, ROCK, 5, -162.1776, 410.7487, 1.9163, 0.5545, 0.3050, 6.1484 },
        { 197, ROCK, 0, -19.0190, 478.9292, 4.8188, 1.4267, 0.7847, 2.6838 },
        { 205, HOSTA, 0, -21.2726, 331.4112, 5.7620, 1.5190, 0.6, 4.6 },
        { 216, HOSTA, 0, -18.3061, 334.4737, 4.2758, 1.5133, 0.6, 4.6 },
        { 226, FLOWER, 0, -14.4024, 332.8116, 1.5691, 1.3491, 0.3, 4.6 },
        { 237, FERN, 0, -7.8858, 339.7065, 4.5250, 1.5213, 0.75, 4.6 },
        { 314, FERN, 1, -26.9758, 473.5008, 2.4361, 1.0751, 0.75, 2.8463 },
        { 343, EDGING, 3, -24.5632, 472.7880, 2.5036, 1.1013, 0.1872, 2.7192 },
        { 517, EDGING, 3, -22.2948, 471.7868, 0.0098, 1.0512, 0.1787, 2.7099 },
        { 677, EDGING, 1, -14.8271, 333.7947, 4.1365, 0.9889, 0.1681, 4.6 },
    };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        const published_item *expected = &items[i];
        assert_true(expected->number < all->result.item_count);
        const mr_item *item = &all->result.items[expected->number];
        bool near = fabs((double)item->x - expected->x) < 1e-3 &&
                    fabs((double)item->z - expected->z) < 1e-3 &&
                    fabs((double)item->turn - expected->turn) < 1e-3 &&
                    fabs((double)item->size - expected->size) < 1e-3 &&
                    fabs((double)item->room - expected->room) < 1e-3 &&
                    (expected->y == 0 || fabs((double)item->height - expected->y) < 1e-3);
        if (item->kind != (uint32_t)expected->kind || item->variant != expected->variant || !near) {
            fail_msg(
                "item %zu is kind %u variant %u at (%.4f, %.4f) turn %.4f size %.4f room %.4f height %.4f",
                expected->number, item->kind, item->variant, (double)item->x, (double)item->z,
                (double)item->turn, (double)item->size, (double)item->room, (double)item->height);
        }
    }
    const island *world = all->world; // conifers by the order placed
    static const struct {
        size_t conifer;
        double width, lean, turn;
    } leans[] = { { 0, 1.0081, 2.2460, 1.7270 },
                  { 2, 0.9212, 2.2740, 0.5022 },
                  { 7, 1.1260, 2.1083, 1.0212 } };
    for (int i = 0; i < 3; i++) {
        assert_float_equal(world->width[leans[i].conifer], leans[i].width, 1e-4);
        assert_float_equal(world->lean[leans[i].conifer], leans[i].lean, 1e-3);
        assert_float_equal(world->lean_turn[leans[i].conifer], leans[i].turn, 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stripes_are_the_published_ones),
        cmocka_unit_test(the_land_has_its_published_heights),
        cmocka_unit_test(the_library_answers_the_same_questions),
        cmocka_unit_test(lanterns_stand_where_they_are_published),
        cmocka_unit_test(every_rule_places_its_published_count),
        cmocka_unit_test(variants_are_shared_out_as_published),
        cmocka_unit_test(draws_are_counted_as_published),
        cmocka_unit_test(items_stand_where_they_are_published),
    };
    return cmocka_run_group_tests(tests, cook, end);
}
