// The public island's rules as the scatter's askers: what each rule keeps, orders, sizes and stands, and the lists of one spot
// that walk where the rule's numbers are drawn candidate by candidate, placing and all.

#ifndef MARRAM_TEST_ISLAND_OPTIONS_H
#define MARRAM_TEST_ISLAND_OPTIONS_H

#include "island_land.h"
#include "world/scatter.h"

enum { SQUARES = 74 * 37 };

typedef enum kind { SPECIMEN, CONIFER, MAPLE, ROCK, HOSTA, FLOWER, FERN, EDGING, KINDS } kind;

// What the walks and the conifers' own stream keep from one candidate to the next.
typedef struct island {
    island_land land;
    mr_spine *walkway;
    mr_land *questions; // the engine's own, over the same samples
    mr_stream forms;
    uint64_t form_draws;
    float conifer_size;
    float width[100], lean[100], lean_turn[100];
    size_t conifer_count;
    float spot[2];
    float forest[2 * SQUARES], forest_order[SQUARES];
    float size; // one drawn in keep
    // walks
    size_t fixed, rocks_k, hostas_k, flowers_k, lane_k, bed, amphora, tree, clump, clumps, edge_k;
    bool rocks_begun, tree_begun, edge_begun;
    float rocks_side, edge_pos, edge_side, bed_x;
} island;

typedef struct knows {
    island *world;
    const mr_asking *asking;
    float x, z;
    int64_t k;
    float size, spacing;
    float number; // the option's own
} knows;

typedef struct option {
    double (*formula)(const knows *here);
    bool draws;
    float number;
} option;

typedef struct option_self {
    island *world;
    option option;
} option_self;

static bool ask(void *self, const mr_asking *asking, const uint32_t *lanes, size_t begin, size_t count,
                double *answers, mr_error *error)
{
    const option_self *asked = self;
    const mr_candidates *table = asking->candidates;
    for (size_t i = 0; i < count; i++) {
        size_t lane = lanes ? lanes[i] : begin + i;
        knows here = { asked->world,
                       asking,
                       table->x[lane],
                       table->z[lane],
                       table->k[lane],
                       table->size ? table->size[lane] : 0,
                       table->spacing ? table->spacing[lane] : 0,
                       asked->option.number };
        answers[i] = asked->option.formula(&here);
    }
    return true;
}

static float unit_of(const mr_asking *asking)
{
    ++*asking->draws;
    return mr_stream_unit(asking->stream);
}

static float signed_of(const mr_asking *asking)
{
    ++*asking->draws;
    return mr_to_signed(mr_stream_next(asking->stream));
}

static uint32_t below_of(const mr_asking *asking, uint32_t n)
{
    ++*asking->draws;
    return mr_stream_below(asking->stream, n);
}

static float u(const knows *here)
{
    return unit_of(here->asking);
}

static double just_number(const knows *here)
{
    return (double)here->number;
}

static double turn(const knows *here)
{
    return (double)(6.28f * u(here));
}

static double foot(const knows *here)
{
    return (double)island_height(&here->world->land, here->x, here->z);
}

// ---- which conifer ----

static float form_unit(island *world)
{
    world->form_draws++;
    return mr_stream_unit(&world->forms);
}

static const struct {
    uint32_t first, count;
} forms[] = { { 0, 3 }, { 3, 3 }, { 6, 2 }, { 8, 2 }, { 10, 2 } };
enum { YOUNG, FOREST_GROWN, SHORE, HEMLOCK, FIR };

static uint32_t form_variant(island *world, uint32_t form)
{
    world->form_draws++;
    return forms[form].first + mr_stream_below(&world->forms, forms[form].count);
}

static double ring_variant(const knows *here)
{
    static const uint32_t ring[] = { 2, 0, 1, 1, 1, 0, 2, 0 };
    island *world = here->world;
    uint32_t form = ring[here->k];
    below_of(here->asking, 12); // the earlier island's variant
    uint32_t variant = form_variant(world, form);
    size_t n = world->conifer_count++;
    world->conifer_size = form == FOREST_GROWN ? 1 : 0.95f + 0.2f * form_unit(world);
    world->width[n] = 0.92f + 0.16f * form_unit(world);
    world->lean[n] = 2.5f * form_unit(world);
    world->lean_turn[n] = 6.28f * form_unit(world);
    return variant;
}

static uint32_t pine_form(float w, float h, float d, float p)
{
    if (h < 5.5f) {
        return w < 0.7f ? SHORE : YOUNG;
    }
    if (d > 0.5f && p > 9) {
        return w < 0.55f ? FOREST_GROWN : YOUNG;
    }
    if (d > 0.3f) {
        return w < 0.25f && p > 9 ? FOREST_GROWN : w < 0.8f ? YOUNG : SHORE;
    }
    return w < 0.45f ? SHORE : YOUNG;
}

static uint32_t forest_form(island *world, float h, float d, float p)
{
    float hemlock = 0.25f * (0.4f + 0.8f * fminf(d, 1));
    float fir = 0.15f * (h < 8 ? 2.1f : 0.5f);
    float at = form_unit(world) * (0.60f + hemlock + fir);
    return at < hemlock ? HEMLOCK : at < hemlock + fir ? FIR : pine_form(form_unit(world), h, d, p);
}

static double forest_variant(const knows *here)
{
    island *world = here->world;
    below_of(here->asking, 12);
    uint32_t form = forest_form(world, (float)foot(here), forest_density(&world->land, here->x, here->z),
                                path_distance(&world->land, here->x, here->z));
    uint32_t variant = form_variant(world, form);
    size_t n = world->conifer_count++;
    float base[] = { 0.85f, 0.95f, 0.9f, 0.85f, 0.85f };
    float more[] = { 0.35f, 0.1f, 0.22f, 0.35f, 0.35f };
    world->conifer_size = base[form] + more[form] * form_unit(world);
    world->width[n] = 0.88f + 0.27f * form_unit(world);
    world->lean[n] = 3 * form_unit(world);
    world->lean_turn[n] = 6.28f * form_unit(world);
    return variant;
}

static double conifer_size(const knows *here)
{
    u(here); // the earlier island's size
    return (double)here->world->conifer_size;
}

// ---- 1, 2: anchors ----

static bool fixed_list(void *self, const mr_asking *asking, const float **spots, size_t *count,
                       mr_error *error)
{
    static const float all[] = { -4, 341, -31, 347 };
    *spots = all;
    *count = 2;
    return true;
}

static bool ring_list(void *self, const mr_asking *asking, const float **spots, size_t *count,
                      mr_error *error)
{
    static const float all[] = { -36, 323, -31, 309, -24, 305, -10, 303, 4, 306, 12, 336, -34, 340, 8, 345 };
    *spots = all;
    *count = 8;
    return true;
}

static double specimen_variant(const knows *here)
{
    return (double)here->k;
}

static double specimen_turn(const knows *here)
{
    return (double)(here->k == 0 ? 0.4f : 2.1f);
}

static double specimen_size(const knows *here)
{
    return (double)(here->k == 0 ? 1 : 0.92f);
}

// ---- 3: the forest ----

static bool grows_forest(const island_land *land, float x, float z)
{
    return standable(land, x, z, 2.6f, 4.5f) && island_slope(land, x, z) < 0.42f &&
           forest_density(land, x, z) > 0.18f && path_distance(land, x, z) < 70;
}

// A square's spot and, where it is kept, its order are drawn before the next square's.
static bool forest_list(void *self, const mr_asking *asking, const float **spots, size_t *count,
                        mr_error *error)
{
    island *world = self;
    *spots = world->forest;
    *count = 0;
    for (int square = 0; square < SQUARES; square++) {
        float x = -230 + 6 * (float)(square % 74);
        float z = 300 + 6 * (float)(square / 74);
        x += 6 * unit_of(asking);
        z += 6 * unit_of(asking);
        if (grows_forest(&world->land, x, z)) {
            world->forest_order[*count] = path_distance(&world->land, x, z) + 10 * unit_of(asking);
            world->forest[2 * *count] = x;
            world->forest[2 * *count + 1] = z;
            ++*count;
        }
    }
    return true;
}

static double forest_order(const knows *here)
{
    return (double)here->world->forest_order[here->k];
}

static double forest_spacing(const knows *here)
{
    return (double)(7 + 6 * (1 - forest_density(&here->world->land, here->x, here->z)));
}

static double forest_room(const knows *here)
{
    return (double)(here->spacing / 2 - 0.4f);
}

static double forest_pick(const knows *here)
{
    return u(here) < 0.66f ? 0 : 1;
}

static double below_3(const knows *here)
{
    return below_of(here->asking, 3);
}

static double maple_size(const knows *here)
{
    return (double)(0.8f + 0.5f * u(here));
}

// ---- 4: rocks ----

static double beach_keep(const knows *here)
{
    const island_land *land = &here->world->land;
    float h = island_height(land, here->x, here->z);
    return inside_fence(here->x, here->z) && h > 0.15f && h < 2.2f &&
           path_distance(land, here->x, here->z) > 3.5f && plan(here->x + 22, here->z - 499) > 6;
}

static double beach_size(const knows *here)
{
    float a = u(here);
    return (double)(0.5f + 1.6f * a * u(here));
}

static double steep_keep(const knows *here)
{
    const island_land *land = &here->world->land;
    return standable(land, here->x, here->z, 2.6f, 3.5f) && path_distance(land, here->x, here->z) < 60;
}

static double steep_chance(const knows *here)
{
    float slope = island_slope(&here->world->land, here->x, here->z);
    return u(here) < 0.06f + 2.2f * fmaxf(0, slope - 0.1f);
}

static double steep_size(const knows *here)
{
    float a = u(here);
    return (double)(0.45f + 1.7f * a * u(here));
}

static double half_size(const knows *here)
{
    return (double)(0.5f * here->size);
}

static double rock_room(const knows *here)
{
    return (double)(0.55f * here->size);
}

static double below_6(const knows *here)
{
    return below_of(here->asking, 6);
}

static double rule_size(const knows *here)
{
    return (double)here->size;
}

static bool one_spot(island *world, const float **spots, size_t *count)
{
    *spots = world->spot;
    *count = 1;
    return true;
}

static bool no_spot(const float **spots, size_t *count)
{
    static const float none[2] = { 0 };
    *spots = none;
    *count = 0;
    return true;
}

// The spot at point k of the centre line, so far to the side.
static void beside(island *world, size_t k, float offset)
{
    const mr_spine *way = world->walkway;
    float tx = way->x[k + 1] - way->x[k - 1];
    float tz = way->z[k + 1] - way->z[k - 1];
    float length = plan(tx, tz);
    world->spot[0] = way->x[k] + offset * -tz / length;
    world->spot[1] = way->z[k] + offset * tx / length;
}

static bool path_rock(void *self, const mr_asking *asking, const float **spots, size_t *count,
                      mr_error *error)
{
    island *world = self;
    if (world->rocks_k + 8 >= POINTS) {
        return no_spot(spots, count);
    }
    if (world->rocks_begun) {
        world->rocks_k += 9 + below_of(asking, 7);
        world->rocks_side = -world->rocks_side;
        if (world->rocks_k + 8 >= POINTS) {
            return no_spot(spots, count);
        }
    }
    world->rocks_begun = true;
    beside(world, world->rocks_k, world->rocks_side * (2.3f + 1.4f * unit_of(asking)));
    return one_spot(world, spots, count);
}

static double path_rock_keep(const knows *here)
{
    island *world = here->world;
    if (!(u(here) < 0.7f) || !standable(&world->land, here->x, here->z, 2.6f, 1.8f)) {
        return 0;
    }
    world->size = 0.55f + 0.9f * u(here);
    return standable(&world->land, here->x, here->z, 2.6f, 0.9f + 0.45f + 0.7f * world->size);
}

static double drawn_size(const knows *here)
{
    return (double)here->world->size;
}

// ---- 5: hostas ----

static bool foundation_hosta(void *self, const mr_asking *asking, const float **spots, size_t *count,
                             mr_error *error)
{
    static const float all[][2] = { { -21, 331.2f },    { -19.6f, 331.6f }, { -18, 333.4f },
                                    { -12.9f, 333.8f }, { -12.4f, 332.2f }, { -11.6f, 329.4f },
                                    { -22.4f, 326 },    { -22.4f, 328.7f }, { -11.7f, 326.4f },
                                    { -11.8f, 324.2f }, { -22.3f, 324.4f }, { -12.4f, 322.4f } };
    island *world = self;
    const float *at = all[world->fixed++];
    world->spot[0] = at[0] + 0.3f * signed_of(asking);
    world->spot[1] = at[1] + 0.3f * signed_of(asking);
    return one_spot(world, spots, count);
}

static double off_path(const knows *here, float least)
{
    return path_distance(&here->world->land, here->x, here->z) > least;
}

static double foundation_keep(const knows *here)
{
    return off_path(here, 1.5f);
}

static bool random_side(island *world, const mr_asking *asking, size_t k, float offset, float more,
                        const float **spots, size_t *count)
{
    float side = unit_of(asking) < 0.5f ? 1.0f : -1.0f;
    beside(world, k, side * (offset + more * unit_of(asking)));
    return one_spot(world, spots, count);
}

static bool path_hosta(void *self, const mr_asking *asking, const float **spots, size_t *count,
                       mr_error *error)
{
    island *world = self;
    return random_side(world, asking, world->hostas_k--, 1.7f, 0.9f, spots, count);
}

static double path_hosta_keep(const knows *here)
{
    return u(here) < 0.45f && standable(&here->world->land, here->x, here->z, 2.6f, 1.3f);
}

static double below_2(const knows *here)
{
    return below_of(here->asking, 2);
}

static double hosta_size(const knows *here)
{
    return (double)(1.15f + 0.6f * u(here));
}

// ---- 6: flowers ----

static bool porch_flower(void *self, const mr_asking *asking, const float **spots, size_t *count,
                         mr_error *error)
{
    island *world = self;
    while (world->bed % 2 == 0 && world->bed_x < -13.2f &&
           !(world->bed_x < -17.2f || world->bed_x > -14.7f)) {
        world->bed_x += 0.55f;
    }
    if (!(world->bed_x < -13.2f)) {
        return no_spot(spots, count);
    }
    world->spot[0] = world->bed_x + 0.3f * signed_of(asking);
    world->spot[1] = 332.5f + 0.5f * unit_of(asking) + 0.45f * (float)(world->bed % 2);
    world->bed_x += world->bed % 2 == 1 ? 0.55f : 0;
    world->bed++;
    return one_spot(world, spots, count);
}

static double porch_keep(const knows *here)
{
    return off_path(here, 1.25f);
}

static bool amphora_flower(void *self, const mr_asking *asking, const float **spots, size_t *count,
                           mr_error *error)
{
    island *world = self;
    float angle = 6.28f * unit_of(asking);
    float distance = 0.9f + unit_of(asking);
    world->spot[0] = -13.4f + distance * cosf(angle);
    world->spot[1] = 337 + distance * sinf(angle);
    return one_spot(world, spots, count);
}

static double amphora_keep(const knows *here)
{
    return off_path(here, 1.4f);
}

static bool path_flower(void *self, const mr_asking *asking, const float **spots, size_t *count,
                        mr_error *error)
{
    island *world = self;
    return random_side(world, asking, world->flowers_k--, 1.5f, 0.9f, spots, count);
}

static double path_flower_keep(const knows *here)
{
    return u(here) < 0.6f && standable(&here->world->land, here->x, here->z, 2.6f, 1.3f);
}

static double flower_size(const knows *here)
{
    return (double)(1.1f + 0.4f * u(here));
}

// ---- 7: ferns ----

static bool is_tree(const mr_item *item)
{
    return item->kind == SPECIMEN || item->kind == CONIFER || item->kind == MAPLE;
}

static bool tree_fern(void *self, const mr_asking *asking, const float **spots, size_t *count,
                      mr_error *error)
{
    island *world = self;
    while (world->clump == world->clumps) {
        world->tree += world->tree_begun;
        world->tree_begun = true;
        while (world->tree < asking->item_count && !is_tree(&asking->items[world->tree])) {
            world->tree++;
        }
        if (world->tree >= asking->item_count) {
            world->tree_begun = false;
            return no_spot(spots, count);
        }
        world->clumps = 3 + below_of(asking, 2);
        world->clump = 0;
    }
    world->clump++;
    float angle = 6.28f * unit_of(asking);
    float distance = 1.4f + 3.4f * unit_of(asking);
    world->spot[0] = asking->items[world->tree].x + distance * cosf(angle);
    world->spot[1] = asking->items[world->tree].z + distance * sinf(angle);
    return one_spot(world, spots, count);
}

static double tree_fern_keep(const knows *here)
{
    const island_land *land = &here->world->land;
    return standable(land, here->x, here->z, 2.6f, 1.4f) && island_slope(land, here->x, here->z) < 0.45f;
}

static bool lane_fern(void *self, const mr_asking *asking, const float **spots, size_t *count,
                      mr_error *error)
{
    island *world = self;
    size_t k = world->lane_k;
    world->lane_k += 3;
    return k + 2 < POINTS ? random_side(world, asking, k, 1.6f, 2.2f, spots, count) : no_spot(spots, count);
}

static double lane_fern_keep(const knows *here)
{
    return u(here) < 0.55f && standable(&here->world->land, here->x, here->z, 2.7f, 1.35f);
}

static double fern_size(const knows *here)
{
    return (double)(1.0f + 0.6f * u(here));
}

// ---- 8: edging ----

static float bend_at(const mr_spine *way, size_t k)
{
    size_t before = k >= 6 ? k - 6 : 0;
    size_t after = k + 6 < POINTS ? k + 6 : POINTS - 1;
    float ax = way->x[k] - way->x[before];
    float az = way->z[k] - way->z[before];
    float bx = way->x[after] - way->x[k];
    float bz = way->z[after] - way->z[k];
    float cosine = (ax * bx + az * bz) / ((plan(ax, az) + 0.0001f) * (plan(bx, bz) + 0.0001f));
    return fminf(1, 4 * (1 - cosine));
}

static bool edging_stone(void *self, const mr_asking *asking, const float **spots, size_t *count,
                         mr_error *error)
{
    island *world = self;
    const mr_spine *way = world->walkway;
    if (!world->edge_begun && world->edge_side > 1) {
        return no_spot(spots, count);
    }
    if (!world->edge_begun) {
        world->edge_pos = 0.3f * unit_of(asking);
        world->edge_begun = true;
        world->edge_k = 1;
    }
    for (;;) {
        size_t k = world->edge_k;
        float dx = way->x[k + 1] - way->x[k];
        float dz = way->z[k + 1] - way->z[k];
        float length = plan(dx, dz) + 0.0001f;
        if (world->edge_pos < length) {
            world->size = (0.9f + 0.3f * unit_of(asking)) * (1 + 0.35f * bend_at(way, k));
            float r = 0.17f * world->size;
            float offset = world->edge_side * (0.9f + r + 0.03f + 0.17f * unit_of(asking));
            float t = world->edge_pos / length;
            world->spot[0] = way->x[k] + dx * t - dz / length * offset;
            world->spot[1] = way->z[k] + dz * t + dx / length * offset;
            world->edge_pos += 0.7f + 0.4f * unit_of(asking);
            return one_spot(world, spots, count);
        }
        world->edge_pos -= length;
        world->edge_k++;
        if (world->edge_k + 1 >= POINTS) { // the other side, or done
            world->edge_side += 2;
            if (world->edge_side > 1) {
                world->edge_begun = false;
                return no_spot(spots, count);
            }
            world->edge_k = 1;
            world->edge_pos = 0.3f * unit_of(asking);
        }
    }
}

static double edging_keep(const knows *here)
{
    const island_land *land = &here->world->land;
    return u(here) > 0.06f && island_height(land, here->x, here->z) > 2.7f && inside_fence(here->x, here->z);
}

static double edging_room(const knows *here)
{
    return (double)(0.17f * here->world->size);
}

static double below_4(const knows *here)
{
    return below_of(here->asking, 4);
}

#endif
