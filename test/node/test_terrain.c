// The terrain nodes: each shape against its formula worked slowly in f64, and what a ground promises: no tile, thread or
// extent shows, the margin is the raster's own, what a mask holds out stays.

#include "graph/graph.h"
#include "kernel/fbm.h"
#include "num/hash.h"
#include "support.h"

#include <math.h>

// Ends a context that has called nodes: nothing is left but the empty cache's own record, which goes with it.
static void end_context(mr_context *context)
{
    mr_cache_clear(context);
    mr_buffer_trim(context);
    uint64_t held = mr_context_memory_now(context);
    mr_context_destroy(context);
    assert_in_range(held, 0, 1024);
}

// Inputs for one call, by name.
typedef struct call {
    mr_binding bindings[MR_MAX_INPUTS];
    size_t count;
} call;

static mr_value number(double n)
{
    return mr_value_number(n);
}

static mr_value vec2(double x, double z)
{
    return (mr_value){ .type = MR_VEC2, .vector = { x, z } };
}

static mr_value text(mr_context *context, const char *words)
{
    mr_value value;
    mr_error error;
    test_assert_ok(mr_value_text(context, mr_view_of(words), &value, &error), &error);
    return value;
}

static void give(call *c, const char *name, mr_value value)
{
    c->bindings[c->count++] = (mr_binding){ .name = name, .value = value };
}

static void give_raster(call *c, mr_raster *raster)
{
    give(c, "raster", (mr_value){ .type = MR_RASTER, .raster = mr_raster_retain(raster) });
}

// Calls and lets the inputs go. NULL, with the error, when it fails.
static mr_raster *run(mr_context *context, const char *node, call *c, mr_error *error)
{
    mr_value out[MR_MAX_OUTPUTS] = { 0 };
    const mr_node *found = mr_node_find(node);
    assert_non_null(found);
    bool good = mr_node_call(context, NULL, found, c->bindings, c->count, out, error);
    for (size_t i = 0; i < c->count; i++) {
        mr_value_release(&c->bindings[i].value);
    }
    c->count = 0;
    return good ? out[0].raster : NULL;
}

static mr_raster *must(mr_context *context, const char *node, call *c)
{
    mr_error error = { 0 };
    mr_raster *raster = run(context, node, c, &error);
    test_assert_ok(raster != NULL, &error);
    return raster;
}

static void must_fail(mr_context *context, const char *node, call *c, const char *part)
{
    mr_error error = { 0 };
    mr_raster *raster = run(context, node, c, &error);
    assert_null(raster);
    char all[2048];
    snprintf(all, sizeof all, "%s %s", error.message, error.hint);
    assert_text_contains(all, part);
}

static mr_raster *ground(mr_context *context, double width, double depth, double resolution, double x,
                         double z, double height)
{
    call c = { 0 };
    give(&c, "size", vec2(width, depth));
    give(&c, "resolution", number(resolution));
    give(&c, "origin", vec2(x, z));
    give(&c, "height", number(height));
    return must(context, "terrain.source", &c);
}

// Makes the raster's height uneven, so that blends show.
static mr_raster *uneven(mr_context *context, double width, double resolution)
{
    mr_raster *flat = ground(context, width, width, resolution, 0, 0, 0);
    call c = { 0 };
    give_raster(&c, flat);
    give(&c, "featureSize", number(width / 3));
    give(&c, "amplitude", number(12));
    mr_raster *raster = must(context, "terrain.fbm", &c);
    mr_raster_release(flat);
    return raster;
}

static const float *layer(const mr_raster *raster, const char *name)
{
    const float *cells = mr_raster_layer_read(raster, name);
    assert_non_null(cells);
    return cells;
}

static double x_of(const mr_raster *raster, size_t column)
{
    return (double)(raster->corner_x - raster->margin + (int64_t)column) * raster->cell;
}

static double z_of(const mr_raster *raster, size_t row)
{
    return (double)(raster->corner_z - raster->margin + (int64_t)row) * raster->cell;
}

static double smooth(double t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

static double footprint(double d, double radius, double falloff)
{
    return d <= radius ? 1 : d >= radius + falloff ? 0 : 1 - smooth((d - radius) / falloff);
}

static double dome(double x)
{
    return x >= 1 ? 0 : 0.5 + 0.5 * cos(acos(-1) * x);
}

static double to_segment(const double a[2], const double b[2], double x, double z, double *t)
{
    double dx = b[0] - a[0], dz = b[1] - a[1], square = dx * dx + dz * dz;
    *t = square > 0 ? ((x - a[0]) * dx + (z - a[1]) * dz) / square : 0;
    *t = *t < 0 ? 0 : *t > 1 ? 1 : *t;
    return hypot(x - a[0] - *t * dx, z - a[1] - *t * dz);
}

static const char *const blends[] = { "replace", "add", "max", "min" };

static double blended(int blend, double old, double value, double weight)
{
    double full = blend == 0   ? value
                  : blend == 1 ? old + value
                  : blend == 2 ? fmax(old, value)
                               : fmin(old, value);
    return old + (full - old) * weight;
}

static void source_puts_cells_on_its_border_and_every_resolution(void **state)
{
    mr_raster *raster = ground(*state, 2048, 100, 2, 0, 0, 7);
    assert_int_equal(raster->width, 1025);
    assert_int_equal(raster->height, 51);
    assert_int_equal(raster->corner_x, -512);
    assert_int_equal(raster->corner_z, -25);
    assert_int_equal(raster->margin, MR_RASTER_DEFAULT_MARGIN);
    assert_true(layer(raster, "height")[0] == 7.0f);
    mr_raster_release(raster);
    raster = ground(*state, 60, 60.1, 0.3, 30, 1, 0);
    assert_int_equal(raster->width, 201); // 60 / 0.3 is 200 but for rounding
    assert_int_equal(raster->corner_x, 0);
    assert_int_equal(raster->height, 202); // -29.05 to 31.05 m, out to -97 and 104
    assert_int_equal(raster->corner_z, -97);
    mr_raster_release(raster);
}

static void source_refuses_what_no_machine_holds_with_the_sum(void **state)
{
    call c = { 0 };
    give(&c, "size", vec2(1e9, 1e9));
    give(&c, "resolution", number(0.001));
    must_fail(*state, "terrain.source", &c, "GB");
    static const double sizes[] = { 0, -4, NAN, INFINITY };
    for (size_t i = 0; i < 4; i++) {
        give(&c, "size", vec2(sizes[i], 10));
        must_fail(*state, "terrain.source", &c, "size");
        give(&c, "resolution", number(sizes[i]));
        must_fail(*state, "terrain.source", &c, "resolution");
    }
    mr_context *small = test_context_of(1, 16 << 20);
    give(&c, "size", vec2(10000, 10000));
    must_fail(small, "terrain.source", &c, "limit");
    end_context(small);
}

static void placed_shapes_follow_their_formulas(void **state)
{
    const double at[2] = { 13.7, -21.3 }, to[2] = { 60.2, 33.9 };
    mr_raster *base = uneven(*state, 200, 1);
    size_t stride = mr_raster_stride(base), rows = mr_raster_rows(base);
    static const char *const nodes[] = { "terrain.flatten", "terrain.cone", "terrain.ridge", "terrain.ramp",
                                         "terrain.coast" };
    for (int node = 0; node < 5; node++) {
        for (int blend = 0; blend < 4; blend++) {
            for (int square = 0; square < 2; square++) {
                double radius = 25.5, falloff = 17.25, height = blend == 3 ? -11 : 9;
                call c = { 0 };
                give_raster(&c, base);
                give(&c, "radius", number(radius));
                give(&c, "falloff", number(falloff));
                if (node != 4) {
                    give(&c, "blend", text(*state, blends[blend]));
                }
                if (node == 0 || node == 4) {
                    give(&c, "shape", text(*state, square ? "square" : "disc"));
                }
                if (node <= 1 || node == 4) {
                    give(&c, "at", vec2(at[0], at[1]));
                } else {
                    give(&c, "from", vec2(at[0], at[1]));
                    give(&c, "to", vec2(to[0], to[1]));
                }
                if (node == 3) {
                    give(&c, "fromHeight", number(2));
                    give(&c, "toHeight", number(height));
                } else {
                    give(&c, node == 4 ? "seabed" : "height", number(height));
                }
                mr_raster *raster = must(*state, nodes[node], &c);
                const float *before = layer(base, "height"), *after = layer(raster, "height");
                for (size_t k = 0; k < stride * rows; k++) {
                    double x = x_of(base, k % stride), z = z_of(base, k / stride), t;
                    double d = square && (node == 0 || node == 4) ? fmax(fabs(x - at[0]), fabs(z - at[1]))
                                                                  : hypot(x - at[0], z - at[1]);
                    double along = to_segment(at, to, x, z, &t), old = (double)before[k];
                    double want =
                        node == 0 ? blended(blend, old, height, footprint(d, radius, falloff))
                        : node == 1
                            ? blended(blend, old, height * dome(d / radius), footprint(d, radius, falloff))
                        : node == 2 ? blended(blend, old, height * dome(along / radius),
                                              footprint(along, radius, falloff))
                        : node == 3
                            ? blended(blend, old, 2 + (height - 2) * t, footprint(along, radius, falloff))
                            : blended(0, old, height, 1 - footprint(d, radius, falloff));
                    if (!(fabs((double)after[k] - want) < 2e-5)) {
                        fail_msg("%s, %s: cell %zu is %d um off", nodes[node], blends[blend], k,
                                 (int)(1e6 * ((double)after[k] - want)));
                    }
                }
                mr_raster_release(raster);
            }
        }
    }
    mr_raster_release(base);
}

static void a_ramp_of_one_in_a_thousand_has_no_steps(void **state)
{
    mr_raster *flat = ground(*state, 4000, 20, 1, 0, 0, 0);
    call c = { 0 };
    give_raster(&c, flat);
    give(&c, "from", vec2(-2000, 0));
    give(&c, "to", vec2(2000, 0));
    give(&c, "fromHeight", number(0));
    give(&c, "toHeight", number(4));
    give(&c, "radius", number(100));
    mr_raster *raster = must(*state, "terrain.ramp", &c);
    const float *cells = layer(raster, "height") + raster->margin * mr_raster_stride(raster) + raster->margin;
    for (uint32_t i = 1; i < raster->width; i++) {
        assert_true(fabs((double)(cells[i] - cells[i - 1]) - 0.001) < 2e-6);
    }
    assert_true(cells[0] == 0.0f && cells[4000] == 4.0f);
    mr_raster_release(raster);
    mr_raster_release(flat);
}

static mr_value points_list(mr_context *context, const double (*points)[3], size_t count, int lanes)
{
    mr_value list;
    mr_error error;
    test_assert_ok(mr_value_list(context, &list, &error), &error);
    for (size_t i = 0; i < count; i++) {
        mr_value item = lanes == 2 ? vec2(points[i][0], points[i][2])
                                   : (mr_value){ .type = MR_VEC3,
                                                 .vector = { points[i][0], points[i][1], points[i][2] } };
        test_assert_ok(mr_list_add(list.list, item, &error), &error);
    }
    return list;
}

static double slow_nearest(const double (*points)[3], size_t count, double x, double z, double *along,
                           double *height)
{
    double best = INFINITY, length = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        const double a[2] = { points[i][0], points[i][2] }, b[2] = { points[i + 1][0], points[i + 1][2] };
        double t, d = to_segment(a, b, x, z, &t), piece = hypot(b[0] - a[0], b[1] - a[1]);
        if (d < best) {
            best = d;
            *along = length + t * piece;
            *height = points[i][1] + t * (points[i + 1][1] - points[i][1]);
        }
        length += piece;
    }
    return best;
}

static void project_follows_the_nearest_place_of_a_long_curve(void **state)
{
    enum { COUNT = 300 };
    static double points[COUNT][3];
    test_random random = { 8 };
    double length = 0;
    for (size_t i = 0; i < COUNT; i++) {
        points[i][0] = (double)i * 0.7 - 105 + test_between(&random, -3, 3);
        points[i][1] = test_between(&random, -4, 4);
        points[i][2] = 50 * sin((double)i * 0.05) + test_between(&random, -3, 3);
        length += i ? hypot(points[i][0] - points[i - 1][0], points[i][2] - points[i - 1][2]) : 0;
    }
    mr_raster *base = uneven(*state, 240, 1);
    size_t stride = mr_raster_stride(base), rows = mr_raster_rows(base);
    for (int own = 0; own < 2; own++) {
        call c = { 0 };
        give_raster(&c, base);
        give(&c, "points", points_list(*state, points, COUNT, own ? 3 : 2));
        give(&c, "width", number(3.5));
        give(&c, "falloff", number(9));
        give(&c, "useCurveHeight", mr_value_boolean(own));
        give(&c, "fromHeight", number(-6));
        give(&c, "toHeight", number(15));
        mr_raster *raster = must(*state, "terrain.project", &c);
        const float *before = layer(base, "height"), *after = layer(raster, "height");
        for (size_t k = 0; k < stride * rows; k++) {
            double along = 0, height = 0;
            double d =
                slow_nearest(points, COUNT, x_of(base, k % stride), z_of(base, k / stride), &along, &height);
            double weight = footprint(d, 3.5, 9);
            double want = blended(0, (double)before[k], own ? height : -6 + 21 * along / length, weight);
            if (weight == 0) {
                assert_true(after[k] == before[k]);
            } else if (!(fabs((double)after[k] - want) < 3e-5)) {
                fail_msg("cell %zu is %d um off", k, (int)(1e6 * ((double)after[k] - want)));
            }
        }
        mr_raster_release(raster);
    }
    mr_raster_release(base);
}

static void project_reads_a_geometry_as_it_reads_points(void **state)
{
    static const double points[4][3] = { { -40, 1, 0 }, { 0, 2, 30 }, { 20, 3, -10 }, { 45, 4, 5 } };
    static const float flat[12] = { -40, 1, 0, 0, 2, 30, 20, 3, -10, 45, 4, 5 };
    static const int32_t corners[4] = { 0, 1, 2, 3 }, starts[1] = { 0 }, counts[1] = { 4 };
    static const uint32_t closed[1] = { 0 };
    mr_raster *base = uneven(*state, 120, 1);
    mr_error error;
    call c = { 0 };
    give_raster(&c, base);
    give(&c, "points", points_list(*state, points, 4, 3));
    give(&c, "useCurveHeight", mr_value_boolean(true));
    mr_raster *want = must(*state, "terrain.project", &c);
    for (int lines = 0; lines < 2; lines++) {
        mr_geometry *geometry = mr_geometry_create(*state, &error);
        assert_non_null(geometry);
        test_assert_ok(mr_geometry_set(geometry, MR_POINT, "P",
                                       mr_column_from(*state, MR_COLUMN_VEC3, flat, 4, &error), &error),
                       &error);
        if (lines) {
            test_assert_ok(mr_geometry_set(geometry, MR_VERTEX, "pt",
                                           mr_column_from(*state, MR_COLUMN_INT, corners, 4, &error), &error),
                           &error);
            test_assert_ok(mr_geometry_set(geometry, MR_PRIMITIVE, "vstart",
                                           mr_column_from(*state, MR_COLUMN_INT, starts, 1, &error), &error),
                           &error);
            test_assert_ok(mr_geometry_set(geometry, MR_PRIMITIVE, "vcount",
                                           mr_column_from(*state, MR_COLUMN_INT, counts, 1, &error), &error),
                           &error);
            test_assert_ok(mr_geometry_set(geometry, MR_PRIMITIVE, "closed",
                                           mr_column_from(*state, MR_COLUMN_BOOL, closed, 1, &error), &error),
                           &error);
        }
        give_raster(&c, base);
        give(&c, "curve", (mr_value){ .type = MR_GEOMETRY, .geometry = geometry });
        give(&c, "useCurveHeight", mr_value_boolean(true));
        mr_raster *got = must(*state, "terrain.project", &c);
        assert_memory_equal(layer(got, "height"), layer(want, "height"),
                            mr_raster_stride(base) * mr_raster_rows(base) * sizeof(float));
        mr_raster_release(got);
    }
    mr_raster_release(want);

    give_raster(&c, base);
    must_fail(*state, "terrain.project", &c, "there is no curve");
    give_raster(&c, base);
    give(&c, "points", points_list(*state, points, 1, 3));
    must_fail(*state, "terrain.project", &c, "fewer than 2");
    give_raster(&c, base);
    give(&c, "points", points_list(*state, points, 3, 2));
    give(&c, "useCurveHeight", mr_value_boolean(true));
    must_fail(*state, "terrain.project", &c, "useCurveHeight needs");
    static const double hostile[2][3] = { { 0, 0, 0 }, { NAN, 0, 3 } };
    give_raster(&c, base);
    give(&c, "points", points_list(*state, hostile, 2, 3));
    must_fail(*state, "terrain.project", &c, "nan");
    mr_raster_release(base);
}

static void fbm_equals_its_definition_at_every_stored_cell(void **state)
{
    mr_raster *flat = ground(*state, 300, 90, 0.5, 1000, -2000, 3);
    call c = { 0 };
    give_raster(&c, flat);
    give(&c, "featureSize", number(70));
    give(&c, "amplitude", number(9));
    give(&c, "octaves", number(5));
    give(&c, "seed", number(4294967295.0));
    give(&c, "ridge", mr_value_boolean(true));
    give(&c, "warp", number(12));
    mr_raster *raster = must(*state, "terrain.fbm", &c);
    mr_fbm fbm;
    mr_fbm_prepare(&fbm, &(mr_fbm_config){ .cell = 0.5,
                                           .feature_size = 70,
                                           .octaves = 5,
                                           .lacunarity = 2,
                                           .gain = 0.5,
                                           .seed = 4294967295u,
                                           .ridge = true,
                                           .warp = 12,
                                           .amplitude = 9 });
    size_t stride = mr_raster_stride(raster), rows = mr_raster_rows(raster);
    const float *cells = layer(raster, "height");
    for (size_t k = 0; k < stride * rows; k += 7) {
        float want = 3.0f + mr_fbm_sample(&fbm, raster->corner_x - raster->margin + (int64_t)(k % stride),
                                          raster->corner_z - raster->margin + (int64_t)(k / stride));
        assert_true(cells[k] == want);
    }
    assert_true(layer(flat, "height")[0] == 3.0f); // another holder's ground is never written
    mr_raster_release(raster);
    mr_raster_release(flat);
}

static void seeds_past_their_range_are_the_error_that_says_the_range(void **state)
{
    mr_raster *flat = ground(*state, 20, 20, 1, 0, 0, 0);
    const mr_value bad[] = { number(-1),
                             number(4294967296.0),
                             number(9007199254740993.0),
                             number(18446744073709551615.0),
                             mr_value_integer(-1),
                             mr_value_integer(INT64_C(1) << 32),
                             number(1.5),
                             number(NAN) };
    call c = { 0 };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        give_raster(&c, flat);
        give(&c, "seed", bad[i]);
        must_fail(*state, "terrain.fbm", &c, "4294967295");
    }
    give_raster(&c, flat);
    give(&c, "seed", text(*state, "one"));
    must_fail(*state, "terrain.fbm", &c, "seed");
    for (int i = 0; i < 2; i++) {
        give_raster(&c, flat);
        give(&c, "seed", i ? number(4294967295.0) : number(0));
        mr_raster_release(must(*state, "terrain.fbm", &c));
    }
    mr_raster_release(flat);
}

// A ground by every local node in a row.
static mr_raster *every_local_node(mr_context *context, double width, double resolution, double x, double z,
                                   double margin)
{
    call c = { 0 };
    give(&c, "size", vec2(width, width));
    give(&c, "resolution", number(resolution));
    give(&c, "origin", vec2(x, z));
    give(&c, "margin", number(margin));
    mr_raster *raster = must(context, "terrain.source", &c);
    static const double curve[3][3] = { { -40, 2, -60 }, { 10, 0, 0 }, { 50, 1, 70 } };
    for (int step = 0; step < 9; step++) {
        give(&c, "raster", (mr_value){ .type = MR_RASTER, .raster = raster });
        switch (step) {
        case 0:
            give(&c, "warp", number(15));
            raster = must(context, "terrain.fbm", &c);
            break;
        case 1:
            give(&c, "at", vec2(20.3, 10.1));
            raster = must(context, "terrain.cone", &c);
            break;
        case 2:
            give(&c, "name", text(context, "steep"));
            give(&c, "input", text(context, "slope"));
            give(&c, "min", number(4));
            give(&c, "feather", number(3));
            give(&c, "jitter", number(1));
            give(&c, "step", number(resolution * 2));
            raster = must(context, "terrain.mask", &c);
            break;
        case 3:
            give(&c, "from", vec2(-70, -20));
            give(&c, "to", vec2(30, 44.4));
            give(&c, "mask", text(context, "steep"));
            raster = must(context, "terrain.ridge", &c);
            break;
        case 4:
            give(&c, "from", vec2(0, 0));
            give(&c, "to", vec2(90, 3));
            raster = must(context, "terrain.ramp", &c);
            break;
        case 5:
            give(&c, "points", points_list(context, curve, 3, 3));
            raster = must(context, "terrain.project", &c);
            break;
        case 6:
            give(&c, "at", vec2(-30, 30));
            give(&c, "radius", number(14));
            give(&c, "height", number(3));
            raster = must(context, "terrain.flatten", &c);
            break;
        case 7:
            give(&c, "radius", number(70));
            give(&c, "falloff", number(30));
            raster = must(context, "terrain.coast", &c);
            break;
        default:
            give(&c, "level", number(1));
            raster = must(context, "terrain.sea", &c);
        }
    }
    return raster;
}

static void grounds_shifted_by_whole_cells_agree_bit_for_bit(void **state)
{
    static const double cells[] = { 0.3, 1, 2 };
    static const int64_t shifts[] = { 1, 7, 100 };
    static const char *const names[] = { "height", "steep", "water", "waterMask" };
    for (size_t n = 0; n < 3; n++) {
        double cell = cells[n];
        mr_raster *first = every_local_node(*state, 120 * cell, cell, 0, 0, 16);
        for (size_t s = 0; s < 3; s++) {
            double shift = (double)shifts[s] * cell;
            mr_raster *second = every_local_node(*state, 120 * cell, cell, shift, shift, 16);
            assert_int_equal(second->corner_x - first->corner_x, shifts[s]);
            size_t stride = mr_raster_stride(first), rows = mr_raster_rows(first), by = (size_t)shifts[s];
            for (size_t k = 0; k < 4; k++) {
                const float *a = layer(first, names[k]), *b = layer(second, names[k]);
                // The margin's last cells see its end: slope looks two cells out, and nodes after read its mask.
                for (size_t j = by + 2; j < rows - 2; j++) {
                    assert_memory_equal(b + (j - by) * stride + 2, a + j * stride + by + 2,
                                        (stride - by - 4) * sizeof(float) * (j >= by + 4));
                }
            }
            mr_raster_release(second);
        }
        mr_raster_release(first);
    }
}

static void threads_change_no_bit_and_the_margin_is_the_rasters_own(void **state)
{
    mr_context *one = test_context_of(1, 0), *seven = test_context_of(7, 0);
    mr_raster *a = every_local_node(one, 50, 0.5, 3, -4, 16),
              *b = every_local_node(seven, 50, 0.5, 3, -4, 16);
    mr_raster *wide = every_local_node(one, 50, 0.5, 3, -4, 40);
    mr_digester first, second;
    mr_digest_begin(&first);
    mr_digest_begin(&second);
    mr_raster_digest(a, &first);
    mr_raster_digest(b, &second);
    assert_true(mr_digest_equal(mr_digest_end(&first), mr_digest_end(&second)));
    // A wider margin holds the same ground, more of it.
    for (size_t j = 3; j + 3 < mr_raster_rows(a); j++) {
        assert_memory_equal(layer(a, "height") + j * mr_raster_stride(a) + 3,
                            layer(wide, "height") + (j + 24) * mr_raster_stride(wide) + 27,
                            (mr_raster_stride(a) - 6) * sizeof(float));
    }
    mr_raster_release(a);
    mr_raster_release(b);
    mr_raster_release(wide);
    end_context(one);
    end_context(seven);
}

static mr_raster *with_mask(mr_context *context, mr_raster *base, const char *name, const char *input,
                            double low, double high, double feather, bool invert)
{
    call c = { 0 };
    give_raster(&c, base);
    give(&c, "name", text(context, name));
    give(&c, "input", text(context, input));
    give(&c, "min", number(low));
    give(&c, "max", number(high));
    give(&c, "feather", number(feather));
    give(&c, "invert", mr_value_boolean(invert));
    return must(context, "terrain.mask", &c);
}

static double band(double v, double low, double high, double feather)
{
    double a = low < -1e29 ? 1 : feather > 0 ? smooth((v - low + feather) / (2 * feather)) : v >= low;
    double b = high > 1e29 ? 1 : feather > 0 ? 1 - smooth((v - high + feather) / (2 * feather)) : v <= high;
    return a * b;
}

static void masks_follow_their_formulas(void **state)
{
    mr_raster *base = uneven(*state, 40, 0.5);
    size_t stride = mr_raster_stride(base), rows = mr_raster_rows(base);
    const float *h = layer(base, "height");
    static const struct {
        const char *input;
        double low, high, feather;
    } cases[] = { { "height", -1, 3, 1 },
                  { "height", 0, 1e30, 0 },
                  { "slope", 8, 20, 3 },
                  { "slope", -1e30, 12, 2 },
                  { "curvature", 0, 1e30, 0.05 } };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        for (int invert = 0; invert < 2; invert++) {
            mr_raster *raster = with_mask(*state, base, "m", cases[n].input, cases[n].low, cases[n].high,
                                          cases[n].feather, invert);
            const float *m = layer(raster, "m");
            for (size_t j = 0; j < rows; j++) {
                for (size_t i = 0; i < stride; i++) {
                    // A step of 1 m is two cells, held at the margin's end.
                    size_t w = i < 2 ? 0 : i - 2, e = i + 2 < stride ? i + 2 : stride - 1;
                    size_t s = j < 2 ? 0 : j - 2, t = j + 2 < rows ? j + 2 : rows - 1, at = j * stride + i;
                    double west = (double)h[j * stride + w], east = (double)h[j * stride + e];
                    double north = (double)h[s * stride + i], south = (double)h[t * stride + i],
                           here = (double)h[at], v = here;
                    if (cases[n].input[0] == 's') {
                        double gx = (east - west) / ((double)(e - w) * 0.5),
                               gz = (south - north) / ((double)(t - s) * 0.5);
                        v = atan(hypot(gx, gz)) * 180 / acos(-1);
                    } else if (cases[n].input[0] == 'c') {
                        v = west + east + north + south - 4 * here;
                    }
                    double want = band(v, cases[n].low, cases[n].high, cases[n].feather);
                    want = invert ? 1 - want : want;
                    if (!(fabs((double)m[at] - want) < 3e-4)) {
                        fail_msg("%s: cell (%zu, %zu) is %d e-6 off", cases[n].input, i, j,
                                 (int)(1e6 * ((double)m[at] - want)));
                    }
                }
            }
            mr_raster_release(raster);
        }
    }
    mr_raster_release(base);
}

static void a_mask_by_curve_knows_every_distance(void **state)
{
    static const double points[4][3] = { { -40, 0, 0 }, { 0, 0, 30 }, { 20, 0, -10 }, { 45, 0, 5 } };
    mr_raster *base = ground(*state, 200, 200, 1, 0, 0, 0);
    size_t stride = mr_raster_stride(base), rows = mr_raster_rows(base);
    static const double bands[][3] = { { -1e30, 12, 4 }, { 30, 1e30, 5 }, { 60, 90, 10 } };
    for (size_t n = 0; n < 3; n++) {
        call c = { 0 };
        give_raster(&c, base);
        give(&c, "input", text(*state, "curve"));
        give(&c, "points", points_list(*state, points, 4, 2));
        give(&c, "min", number(bands[n][0]));
        give(&c, "max", number(bands[n][1]));
        give(&c, "feather", number(bands[n][2]));
        mr_raster *raster = must(*state, "terrain.mask", &c);
        for (size_t k = 0; k < stride * rows; k++) {
            double along, height,
                d = slow_nearest(points, 4, x_of(base, k % stride), z_of(base, k / stride), &along, &height);
            assert_true(fabs((double)layer(raster, "mask")[k] -
                             band(d, bands[n][0], bands[n][1], bands[n][2])) < 1e-5);
        }
        mr_raster_release(raster);
    }
    mr_raster_release(base);
}

static void a_mask_of_noise_covers_its_share_and_jitter_moves_an_edge(void **state)
{
    mr_raster *base = ground(*state, 600, 600, 1, 0, 0, 0);
    mr_raster *raster = with_mask(*state, base, "patches", "noise", 0.5, 1e30, 0, false);
    size_t cells = mr_raster_stride(base) * mr_raster_rows(base);
    double sum = 0;
    for (size_t k = 0; k < cells; k++) {
        float m = layer(raster, "patches")[k];
        assert_true(m == 0.0f || m == 1.0f);
        sum += (double)m;
    }
    assert_true(sum / (double)cells > 0.4 && sum / (double)cells < 0.6);
    mr_raster_release(raster);

    call c = { 0 };
    static const double points[2][3] = { { -400, 0, 0 }, { 400, 0, 0 } };
    mr_raster *edges[2];
    for (int jitter = 0; jitter < 2; jitter++) {
        give_raster(&c, base);
        give(&c, "input", text(*state, "curve"));
        give(&c, "points", points_list(*state, points, 2, 2));
        give(&c, "max", number(50));
        give(&c, "jitter", number(jitter * 10));
        edges[jitter] = must(*state, "terrain.mask", &c);
    }
    size_t moved = 0, stride = mr_raster_stride(base);
    for (size_t k = 0; k < cells; k++) {
        double d = fabs(z_of(base, k / stride));
        bool differs = layer(edges[0], "mask")[k] != layer(edges[1], "mask")[k];
        assert_true(!differs || (d > 39.9 && d < 60.1));
        moved += differs;
    }
    assert_true(moved > 1000);
    mr_raster_release(edges[0]);
    mr_raster_release(edges[1]);
    mr_raster_release(base);
}

static void what_a_mask_holds_out_keeps_its_bits_at_every_blend(void **state)
{
    mr_raster *plain = uneven(*state, 60, 1);
    mr_raster *base = with_mask(*state, plain, "half", "height", 0, 1e30, 2, false);
    mr_raster_release(plain);
    size_t cells = mr_raster_stride(base) * mr_raster_rows(base);
    static const char *const nodes[] = { "terrain.fbm",   "terrain.flatten", "terrain.cone",
                                         "terrain.ridge", "terrain.ramp",    "terrain.project" };
    static const double points[2][3] = { { -100, 0, 0 }, { 100, 0, 20 } };
    for (size_t n = 0; n < 6; n++) {
        for (int blend = 0; blend < 4; blend++) {
            for (int mode = 0; mode < 2; mode++) {
                mr_raster *made[2];
                for (int masked = 0; masked < 2; masked++) {
                    call c = { 0 };
                    give_raster(&c, base);
                    give(&c, "blend", text(*state, blends[blend]));
                    if (n == 5) {
                        give(&c, "points", points_list(*state, points, 2, 2));
                        give(&c, "falloff", number(30));
                    }
                    if (masked) {
                        give(&c, "mask", text(*state, "half"));
                        give(&c, "maskMode", text(*state, mode ? "subtract" : "multiply"));
                    }
                    made[masked] = must(*state, nodes[n], &c);
                }
                const float *old = layer(base, "height"), *m = layer(base, "half");
                const float *whole = layer(made[0], "height"), *part = layer(made[1], "height");
                for (size_t k = 0; k < cells; k++) {
                    float weight = mode ? 1.0f - m[k] : m[k];
                    if (weight <= 0.0f) {
                        assert_true(memcmp(&part[k], &old[k], sizeof(float)) == 0);
                    } else if (weight >= 1.0f) {
                        assert_true(part[k] == whole[k]);
                    } else {
                        double want = (double)old[k] + (double)(whole[k] - old[k]) * (double)weight;
                        assert_true(fabs((double)part[k] - want) < 1e-4);
                    }
                }
                mr_raster_release(made[0]);
                mr_raster_release(made[1]);
            }
        }
    }
    call c = { 0 };
    give_raster(&c, base);
    give(&c, "mask", text(*state, "halv"));
    must_fail(*state, "terrain.cone", &c, "did you mean \"half\"?");
    give_raster(&c, base);
    give(&c, "mask", text(*state, "vegetation"));
    must_fail(*state, "terrain.fbm", &c, "it has height, half");
    mr_raster_release(base);
}

static void an_islands_border_is_under_water_for_a_thousand_seeds(void **state)
{
    for (uint32_t seed = 0; seed < 1000; seed++) {
        mr_raster *raster = ground(*state, 96, 96, 2, 0, 0, 6);
        for (int step = 0; step < 3; step++) {
            call c = { 0 };
            give(&c, "raster", (mr_value){ .type = MR_RASTER, .raster = raster });
            if (step == 0) {
                give(&c, "seed", number(seed * 4294967.0));
                give(&c, "featureSize", number(40));
                give(&c, "amplitude", number(30));
                raster = must(*state, "terrain.fbm", &c);
            } else if (step == 1) {
                give(&c, "radius", number(26));
                give(&c, "falloff", number(20));
                give(&c, "seabed", number(-8));
                raster = must(*state, "terrain.coast", &c);
            } else {
                raster = must(*state, "terrain.sea", &c);
            }
        }
        size_t stride = mr_raster_stride(raster);
        for (size_t j = 0; j < raster->height; j++) {
            for (size_t i = 0; i < raster->width; i++) {
                if (i == 0 || j == 0 || i + 1 == raster->width || j + 1 == raster->height) {
                    size_t at = (j + raster->margin) * stride + i + raster->margin;
                    assert_true(layer(raster, "height")[at] == -8.0f);
                    assert_true(layer(raster, "waterMask")[at] == 1.0f && layer(raster, "water")[at] == 0.0f);
                }
            }
        }
        mr_raster_release(raster);
    }
}

static void a_coast_follows_a_painted_layer(void **state)
{
    mr_raster *plain = uneven(*state, 120, 1);
    mr_raster *base = with_mask(*state, plain, "painted", "noise", 0.4, 0.7, 0.1, false);
    call c = { 0 };
    give_raster(&c, base);
    give(&c, "land", text(*state, "painted"));
    give(&c, "landGain", number(1.5));
    give(&c, "seabed", number(-30));
    mr_raster *raster = must(*state, "terrain.coast", &c);
    for (size_t k = 0; k < mr_raster_stride(base) * mr_raster_rows(base); k++) {
        double land = fmin(1, 1.5 * (double)layer(base, "painted")[k]);
        double want = -30 + ((double)layer(base, "height")[k] + 30) * land;
        assert_true(fabs((double)layer(raster, "height")[k] - want) < 2e-5);
    }
    mr_raster_release(raster);
    mr_raster_release(base);
    mr_raster_release(plain);
}

static void seas_meet_by_their_blend(void **state)
{
    mr_raster *low = ground(*state, 20, 20, 1, 0, 0, -10);
    static const struct {
        const char *blend;
        double first, second, want;
    } cases[] = {
        { "max", 2, 1, 2 }, { "max", 1, 2, 2 }, { "min", 2, 1, 1 }, { "replace", 2, 1, 1 }, { "add", 2, 1, 3 }
    };
    for (size_t n = 0; n < 5; n++) {
        call c = { 0 };
        give_raster(&c, low);
        give(&c, "level", number(cases[n].first));
        give(&c, "blend", text(*state, cases[n].blend));
        mr_raster *raster = must(*state, "terrain.sea", &c);
        assert_true(layer(raster, "water")[0] == (float)cases[n].first);
        give(&c, "raster", (mr_value){ .type = MR_RASTER, .raster = raster });
        give(&c, "level", number(cases[n].second));
        give(&c, "blend", text(*state, cases[n].blend));
        raster = must(*state, "terrain.sea", &c);
        assert_true(layer(raster, "water")[0] == (float)cases[n].want);
        assert_true(layer(raster, "waterMask")[0] == 1.0f);
        mr_raster_release(raster);
    }
    call c = { 0 };
    give_raster(&c, low);
    give(&c, "level", number(-12));
    mr_raster *dry = must(*state, "terrain.sea", &c);
    assert_true(layer(dry, "waterMask")[0] == 0.0f);
    mr_raster_release(dry);
    mr_raster_release(low);
}

static mr_texture *picture(mr_context *context, uint32_t width, uint32_t height, uint32_t bits, bool floating,
                           float (*texel)(uint32_t x, uint32_t y))
{
    mr_error error;
    mr_texture *texture = mr_texture_create(context, width, height, 1, &error);
    test_assert_ok(texture != NULL, &error);
    texture->bits = bits;
    texture->floating = floating;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            texture->texels->f32[y * width + x] = texel(x, y);
        }
    }
    return texture;
}

static void give_texture(call *c, mr_texture *texture)
{
    give(c, "texture", (mr_value){ .type = MR_TEXTURE, .texture = mr_texture_retain(texture) });
}

static float tilted(uint32_t x, uint32_t y)
{
    return (float)(100 + 3 * x + 7 * y);
}

static float ragged(uint32_t x, uint32_t y)
{
    return (float)(mr_random(y, x) >> 16);
}

static float holed(uint32_t x, uint32_t y)
{
    return x == 3 && y == 2 ? NAN : 1.0f;
}

static void a_picture_without_a_size_is_the_ground_texel_for_cell(void **state)
{
    mr_texture *texture = picture(*state, 37, 23, 16, false, ragged);
    texture->has_range = true;
    texture->range_low = -50;
    texture->range_high = 250;
    for (int own = 0; own < 2; own++) {
        call c = { 0 };
        give_texture(&c, texture);
        give(&c, "resolution", number(2));
        give(&c, "origin", vec2(10, -4));
        if (own) {
            give(&c, "metresPerCode", number(0.25));
            give(&c, "base", number(-3));
        }
        mr_raster *raster = must(*state, "terrain.from_texture", &c);
        assert_int_equal(raster->width, 37);
        assert_int_equal(raster->height, 23);
        assert_int_equal(raster->corner_x, 5 - 18);
        for (uint32_t y = 0; y < 23; y++) {
            for (uint32_t x = 0; x < 37; x++) {
                double code = (double)ragged(x, y), want = own ? -3 + 0.25 * code : -50 + code * 300 / 65535;
                float got = layer(
                    raster, "height")[(y + raster->margin) * mr_raster_stride(raster) + x + raster->margin];
                assert_true(fabs((double)got - want) < 1e-4);
                assert_true(!own || got == (float)want);
            }
        }
        mr_raster_release(raster);
    }
    mr_texture_release(texture);
}

static void a_tilted_picture_stays_tilted_at_any_resolution(void **state)
{
    mr_texture *texture = picture(*state, 60, 40, 32, true, tilted);
    static const double resolutions[] = { 0.3, 1, 5, 23 };
    for (size_t n = 0; n < 8; n++) {
        bool corners = n >= 4;
        call c = { 0 };
        give_texture(&c, texture);
        give(&c, "size", vec2(600, 800));
        give(&c, "resolution", number(resolutions[n % 4]));
        give(&c, "texels", text(*state, corners ? "corners" : "areas"));
        mr_raster *raster = must(*state, "terrain.from_texture", &c);
        size_t stride = mr_raster_stride(raster);
        double per_x = 600.0 / (corners ? 59 : 60), per_z = 800.0 / (corners ? 39 : 40);
        for (size_t k = 0; k < stride * mr_raster_rows(raster); k += 3) {
            double u = (x_of(raster, k % stride) + 300) / per_x - (corners ? 0 : 0.5);
            double v = (z_of(raster, k / stride) + 400) / per_z - (corners ? 0 : 0.5);
            double clear = 2 * fmax(1, resolutions[n % 4] / per_x);
            if (u > clear && v > clear && u < 59 - clear && v < 39 - clear) {
                // The kernel widened over finer texels keeps a plane only nearly.
                double bound = resolutions[n % 4] > per_x ? 0.2 : 2e-4;
                assert_true(fabs((double)layer(raster, "height")[k] - (100 + 3 * u + 7 * v)) < bound);
            }
        }
        mr_raster_release(raster);
    }
    mr_texture_release(texture);
}

static int warnings;
static void count_warnings(void *user, mr_log_level level, const char *message)
{
    warnings += level == MR_LOG_WARNING && strstr(message, "8 bits") != NULL;
}

static void pictures_say_what_is_wrong_with_them(void **state)
{
    mr_texture *texture = picture(*state, 8, 8, 32, true, holed);
    call c = { 0 };
    give_texture(&c, texture);
    must_fail(*state, "terrain.from_texture", &c, "texel (3, 2) is nan");
    give_texture(&c, texture);
    give(&c, "channel", number(2));
    must_fail(*state, "terrain.from_texture", &c, "channel is 2");
    give_texture(&c, texture);
    give(&c, "size", vec2(100, 0));
    must_fail(*state, "terrain.from_texture", &c, "size is (100, 0)");
    give_texture(&c, texture);
    give(&c, "range", vec2(0, 100));
    give(&c, "metresPerCode", number(1));
    must_fail(*state, "terrain.from_texture", &c, "both given");
    mr_texture_release(texture);

    mr_context_config config = mr_context_config_default();
    config.log = count_warnings;
    mr_context *context = NULL;
    mr_error error;
    test_assert_ok(mr_context_create(&config, &context, &error), &error);
    texture = picture(context, 8, 8, 8, false, tilted);
    give_texture(&c, texture);
    mr_raster_release(must(context, "terrain.from_texture", &c));
    assert_int_equal(warnings, 1);
    mr_texture_release(texture);
    end_context(context);
}

// The inputs of one of the calls whose every allocation is made to fail.
static const char *give_one_of(call *c, mr_context *context, int which, mr_raster *base)
{
    static const double points[3][3] = { { -40, 0, 0 }, { 0, 0, 30 }, { 20, 0, -10 } };
    if (which == 3) {
        mr_texture *texture = picture(context, 8, 8, 16, false, ragged);
        give_texture(c, texture);
        mr_texture_release(texture);
        return "terrain.from_texture";
    }
    give_raster(c, base);
    if (which == 0) {
        give(c, "input", text(context, "curve"));
        give(c, "points", points_list(context, points, 3, 2));
        give(c, "max", number(20));
        give(c, "jitter", number(3));
        return "terrain.mask";
    }
    if (which == 1) {
        give(c, "points", points_list(context, points, 3, 2));
        return "terrain.project";
    }
    give(c, "mask", text(context, "mask"));
    return which == 2 ? "terrain.fbm" : "terrain.sea";
}

static void failing_memory_leaves_an_error_and_nothing_else(void **state)
{
    for (int which = 0; which < 5; which++) {
        bool passed = false;
        for (uint64_t n = 1; n < 200 && !passed; n++) {
            mr_context *context = test_context_of(1, 0);
            mr_error error = { 0 };
            mr_raster *flat = ground(context, 40, 40, 1, 0, 0, 0);
            mr_raster *base = with_mask(context, flat, "mask", "height", -1, 1, 0, false);
            call c = { 0 };
            const char *node = give_one_of(&c, context, which, base);
            mr_memory_fail_after(context, n, true);
            mr_raster *raster = run(context, node, &c, &error);
            mr_memory_fail_after(context, 0, false);
            assert_true(raster || error.status == MR_OUT_OF_MEMORY);
            passed = raster != NULL;
            mr_raster_release(raster);
            mr_raster_release(flat);
            mr_raster_release(base);
            end_context(context);
        }
        assert_true(passed);
    }
}

static void a_cancelled_cook_says_so(void **state)
{
    mr_context *context = test_context_of(1, 0);
    mr_raster *flat = ground(context, 40, 40, 1, 0, 0, 0);
    call c = { 0 };
    give_raster(&c, flat);
    mr_context_cancel(context);
    mr_error error = { 0 };
    assert_null(run(context, "terrain.cone", &c, &error));
    assert_int_equal(error.status, MR_CANCELLED);
    mr_context_resume(context);
    mr_raster_release(flat);
    end_context(context);
}

static void every_node_says_all_a_user_can_know(void **state)
{
    static const char *const names[] = { "source", "from_texture", "fbm",     "flatten", "cone", "ridge",
                                         "ramp",   "coast",        "project", "mask",    "sea" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "terrain.%s", names[i]);
        const mr_node *node = mr_node_find(name);
        assert_non_null(node);
        assert_true(node->version >= 1 && node->summary && node->outputs[0].doc);
        for (size_t k = 0; node->inputs[k].name; k++) {
            const mr_input *input = &node->inputs[k];
            assert_true(input->doc && input->doc[strlen(input->doc) - 1] == '.');
            assert_true(input->type != MR_CHOICE || (input->choices && input->text));
        }
    }
}

static int clear_and_end(void **state)
{
    end_context(*state);
    return 0;
}

int main(void)
{
#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, test_setup, clear_and_end)
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(source_puts_cells_on_its_border_and_every_resolution),
        WITH_CONTEXT(source_refuses_what_no_machine_holds_with_the_sum),
        WITH_CONTEXT(placed_shapes_follow_their_formulas),
        WITH_CONTEXT(a_ramp_of_one_in_a_thousand_has_no_steps),
        WITH_CONTEXT(project_follows_the_nearest_place_of_a_long_curve),
        WITH_CONTEXT(project_reads_a_geometry_as_it_reads_points),
        WITH_CONTEXT(fbm_equals_its_definition_at_every_stored_cell),
        WITH_CONTEXT(seeds_past_their_range_are_the_error_that_says_the_range),
        WITH_CONTEXT(grounds_shifted_by_whole_cells_agree_bit_for_bit),
        WITH_CONTEXT(threads_change_no_bit_and_the_margin_is_the_rasters_own),
        WITH_CONTEXT(masks_follow_their_formulas),
        WITH_CONTEXT(a_mask_by_curve_knows_every_distance),
        WITH_CONTEXT(a_mask_of_noise_covers_its_share_and_jitter_moves_an_edge),
        WITH_CONTEXT(what_a_mask_holds_out_keeps_its_bits_at_every_blend),
        WITH_CONTEXT(an_islands_border_is_under_water_for_a_thousand_seeds),
        WITH_CONTEXT(a_coast_follows_a_painted_layer),
        WITH_CONTEXT(seas_meet_by_their_blend),
        WITH_CONTEXT(a_picture_without_a_size_is_the_ground_texel_for_cell),
        WITH_CONTEXT(a_tilted_picture_stays_tilted_at_any_resolution),
        WITH_CONTEXT(pictures_say_what_is_wrong_with_them),
        WITH_CONTEXT(failing_memory_leaves_an_error_and_nothing_else),
        WITH_CONTEXT(a_cancelled_cook_says_so),
        WITH_CONTEXT(every_node_says_all_a_user_can_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
