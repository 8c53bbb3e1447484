// The ray kernel: closest and any against a loop over all triangles, through the table and through a tree; winding
// against a sum of arc tangents, and against solids whose inside is known.

#include "kernel/bvh.h"
#include "kernel/device.h"
#include "slow_rays.h"

static mr_column *column_of(mr_context *context, mr_column_type type, const void *words, size_t count)
{
    mr_error error;
    mr_column *column = mr_column_from(context, type, words, count, &error);
    assert_non_null(column);
    return mr_column_publish(column);
}

typedef struct inputs {
    mr_attribute items[16];
    size_t count;
} inputs;

static void give(inputs *in, const char *name, mr_column *column)
{
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(in->items[i].name, name) == 0) {
            mr_column_release(in->items[i].column);
            in->items[i].column = column;
            return;
        }
    }
    snprintf(in->items[in->count].name, sizeof in->items[0].name, "%s", name);
    in->items[in->count++].column = column;
}

static mr_column *given(const inputs *in, const char *name)
{
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(in->items[i].name, name) == 0) {
            return in->items[i].column;
        }
    }
    return NULL;
}

static void let_go(inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        mr_column_release(in->items[i].column);
    }
    in->count = 0;
}

static bool run_on(mr_context *context, const char *kernel, size_t n, inputs *in, const mr_uniform *uniforms,
                   size_t uniform_count, const char *stage, mr_error *error)
{
    mr_choice choice = { "STAGE", stage };
    mr_kernel_request request = { .kernel = mr_kernel_find(kernel),
                                  .domain = mr_count_plain(n),
                                  .columns = { in->items, in->count },
                                  .uniforms = uniforms,
                                  .uniform_count = uniform_count,
                                  .specialize = &choice,
                                  .specialize_count = stage ? 1 : 0 };
    mr_kernel_result result;
    assert_non_null(request.kernel);
    if (!mr_kernel_run(context, &request, &result, error)) {
        assert_int_equal(result.count, 0);
        return false;
    }
    for (size_t i = 0; i < result.count; i++) {
        give(in, result.items[i].name, mr_column_retain(result.items[i].column));
    }
    mr_kernel_result_release(&result);
    return true;
}

static void give_scene(mr_context *context, const scene *s, inputs *in)
{
    give(in, "pts", column_of(context, MR_COLUMN_VEC3, s->points, s->faces.point_count));
    give(in, "vpt", column_of(context, MR_COLUMN_INT, s->corners, s->faces.vertex_count));
    give(in, "vstart", column_of(context, MR_COLUMN_INT, s->starts, s->faces.count));
    give(in, "vcount", column_of(context, MR_COLUMN_INT, s->counts, s->faces.count));
}

// The kernels that make the table, in turn; it is given as accel.
static void give_table(mr_context *context, const scene *s, inputs *in)
{
    size_t np = s->faces.count, room = np > 0;
    mr_error error;
    float low[3] = { -4, -4, -4 }, high[3] = { 4, 4, 4 };
    while (room < np) {
        room *= 2;
    }
    mr_uniform uniforms[] = { { "np", 1, { (double)np } },
                              { "pyr_size", 1, { (double)room } },
                              { "level", 1, { 0 } } };
    give(in, "lo", column_of(context, MR_COLUMN_VEC3, low, 1));
    give(in, "hi", column_of(context, MR_COLUMN_VEC3, high, 1));
    test_assert_ok(run_on(context, "bvh_codes", np, in, NULL, 0, NULL, &error), &error);
    const uint32_t *codes = given(in, "codes")->u32;
    uint32_t *order = room_for(np, sizeof *order);
    for (size_t i = 0; i < np; i++) { // by insertion: scenes are small, or codes few
        size_t at = i;
        for (; at > 0 && codes[order[at - 1]] > codes[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint32_t)i;
    }
    give(in, "order", column_of(context, MR_COLUMN_UINT, order, np));
    free(order);
    test_assert_ok(run_on(context, "bvh", np, in, uniforms, 2, NULL, &error), &error);
    for (size_t level = 1; room >> level; level++) {
        uniforms[2].value[0] = (double)level;
        test_assert_ok(run_on(context, "bvh_pyramid", room >> level, in, uniforms, 3, NULL, &error), &error);
    }
    test_assert_ok(run_on(context, "bvh_internal", np ? np - 1 : 0, in, uniforms, 2, NULL, &error), &error);
    give(in, "accel", mr_column_retain(given(in, "nodes")));
}

static bool trace(mr_context *context, const char *stage, const mr_ray *rays, size_t count, inputs *in,
                  size_t np, mr_error *error)
{
    mr_uniform uniforms[] = { { "np", 1, { (double)np } } };
    give(in, "rays", column_of(context, MR_COLUMN_VEC4, rays, 2 * count));
    return run_on(context, "ray", count, in, uniforms, 1, stage, error);
}

static void check_hits(const inputs *in, const char *stage, const mr_hit *want, size_t count)
{
    const float *hit = given(in, "hit")->f32;
    const uint32_t *primitive = given(in, "hit_prim")->u32;
    assert_int_equal(given(in, "hit")->count, count);
    for (size_t i = 0; i < count; i++) {
        bool met = want[i].primitive != MR_TREE_NONE;
        mr_hit w = want[i];
        if (strcmp(stage, "any") == 0) {
            w = (mr_hit){ met ? 0 : -1, 0, 0, met ? 0 : MR_TREE_NONE, 0 };
        }
        assert_int_equal(primitive[i], w.primitive);
        assert_true(hit[4 * i] == w.t && hit[4 * i + 1] == w.u && hit[4 * i + 2] == w.v);
        assert_true(hit[4 * i + 3] == (float)w.fan);
    }
}

static void hits_are_those_of_a_loop_over_all_triangles(void **state)
{
    enum { RAYS = 40 };
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(150); n++) {
        kind of = (kind)test_below(&random, KINDS);
        // Of so few rays to so many primitives the table is walked; of the others a tree is built.
        size_t rays_now = n % 3 ? RAYS : 1 + test_below(&random, 3);
        scene s =
            random_scene(&random, n % 3 ? test_below(&random, 60) : 400 + test_below(&random, 30), of, 1, 0);
        mr_ray rays[RAYS];
        mr_hit want[RAYS];
        inputs in = { .count = 0 };
        mr_error error = { 0 };
        give_scene(*state, &s, &in);
        give_table(*state, &s, &in);
        for (size_t round = 0; round < (n % 3 ? 1 : 12); round++) {
            for (size_t i = 0; i < rays_now; i++) {
                rays[i] = random_ray(&random, &s, of, 1, 0);
                want[i] = slow_closest(&s, &rays[i]);
            }
            test_assert_ok(trace(*state, "closest", rays, rays_now, &in, s.faces.count, &error), &error);
            check_hits(&in, "closest", want, rays_now);
            test_assert_ok(trace(*state, "any", rays, rays_now, &in, s.faces.count, &error), &error);
            check_hits(&in, "any", want, rays_now);
        }
        let_go(&in);
        free_scene(&s);
    }
}

// Winding.

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double slow_winding(const scene *s, const float *origin)
{
    double sum = 0;
    for (size_t i = 0; i < s->faces.count && counts_as_number(origin); i++) {
        for (int32_t fan = 0; s->starts[i] >= 0 && fan + 2 < s->counts[i]; fan++) {
            size_t first = (size_t)s->starts[i];
            const float *p[3] = { corner(s, first), corner(s, first + (size_t)fan + 1),
                                  corner(s, first + (size_t)fan + 2) };
            double e[3][3], length[3];
            for (int k = 0; k < 3 && p[0] && p[1] && p[2]; k++) {
                for (int axis = 0; axis < 3; axis++) {
                    e[k][axis] = (double)p[k][axis] - (double)origin[axis];
                }
                length[k] = sqrt(dot(e[k], e[k]));
            }
            if (!p[0] || !p[1] || !p[2]) {
                continue;
            }
            double cross[3] = { e[1][1] * e[2][2] - e[1][2] * e[2][1], e[1][2] * e[2][0] - e[1][0] * e[2][2],
                                e[1][0] * e[2][1] - e[1][1] * e[2][0] };
            double below = length[0] * length[1] * length[2] + dot(e[0], e[1]) * length[2] +
                           dot(e[1], e[2]) * length[0] + dot(e[2], e[0]) * length[1];
            sum += 2 * atan2(dot(e[0], cross), below);
        }
    }
    return sum / (4 * M_PI);
}

static void winding_is_the_sum_of_the_solid_angles(void **state)
{
    enum { POINTS = 41 };
    test_random random = { 2 };
    for (size_t n = 0; n < test_count(600); n++) {
        scene s = random_scene(&random, test_below(&random, 300), n % 2 ? ANY : ODD, n % 5 ? 1 : 1e-20f, 0);
        mr_ray rays[POINTS];
        inputs in = { .count = 0 };
        mr_error error = { 0 };
        size_t count = n % 8 ? test_below(&random, 20) : POINTS;
        give_scene(*state, &s, &in);
        for (size_t i = 0; i < count; i++) {
            rays[i] = random_ray(&random, &s, ANY, n % 5 ? 1 : 1e-20f, 0);
            for (int axis = 0; axis < 3; axis++) { // off the surface
                rays[i].origin[axis] = (float)test_between(&random, -1.5, 1.5) * (n % 5 ? 1 : 1e-20f);
            }
            if (test_below(&random, 20) == 0) {
                rays[i].origin[1] = NAN;
            }
        }
        test_assert_ok(trace(*state, "winding", rays, count, &in, s.faces.count, &error), &error);
        for (size_t i = 0; i < count; i++) {
            double got = (double)given(&in, "hit")->f32[4 * i], want = slow_winding(&s, rays[i].origin);
            if (!(fabs(got - want) <= 0x1p-21 + 1e-9)) {
                fail_msg("%.9g, not %.9g", got, want);
            }
            assert_true(got * 0x1p20 == floor(got * 0x1p20));
            assert_int_equal(given(&in, "hit_prim")->u32[i], MR_TREE_NONE);
            for (int k = 1; k < 4; k++) {
                assert_true(given(&in, "hit")->f32[4 * i + (size_t)k] == 0);
            }
        }
        let_go(&in);
        free_scene(&s);
    }
}

// A box of quads that faces outward, `copies` of it nested, and whether the last is turned inside out.
static scene boxes(size_t copies, bool inward)
{
    static const int32_t quads[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
                                         { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
    scene s = { .faces = { .count = 6 * copies, .point_count = 8 * copies, .vertex_count = 24 * copies } };
    s.points = room_for(24 * copies, sizeof(float));
    s.corners = room_for(24 * copies, sizeof(int32_t));
    s.starts = room_for(6 * copies, sizeof(int32_t));
    s.counts = room_for(6 * copies, sizeof(int32_t));
    for (size_t c = 0; c < copies; c++) {
        bool turned = inward && c + 1 == copies;
        for (size_t i = 0; i < 8; i++) {
            for (size_t axis = 0; axis < 3; axis++) {
                s.points[24 * c + 3 * i + axis] = (i >> axis & 1 ? 1.0f : -1.0f) * (float)(c + 1);
            }
        }
        for (size_t q = 0; q < 6; q++) {
            s.starts[6 * c + q] = (int32_t)(24 * c + 4 * q);
            s.counts[6 * c + q] = 4;
            for (size_t k = 0; k < 4; k++) {
                s.corners[24 * c + 4 * q + k] = (int32_t)(8 * c) + quads[q][turned ? 3 - k : k];
            }
        }
    }
    s.faces.points = s.points;
    s.faces.vertex_points = s.corners;
    s.faces.starts = s.starts;
    s.faces.counts = s.counts;
    return s;
}

static void closed_solids_wind_a_whole_number_of_times_to_the_bit(void **state)
{
    test_random random = { 3 };
    for (size_t n = 0; n < 6; n++) {
        size_t copies = 1 + n / 2, count = test_count(500);
        scene s = boxes(copies, n % 2);
        mr_ray *rays = room_for(count, sizeof *rays);
        inputs in = { .count = 0 };
        mr_error error = { 0 };
        give_scene(*state, &s, &in);
        for (size_t i = 0; i < count; i++) {
            for (int axis = 0; axis < 3; axis++) {
                float at = (float)test_between(&random, -5, 5);
                rays[i].origin[axis] = test_below(&random, 4) ? at : floorf(at) + 0.5f; // seen edge on too
            }
        }
        test_assert_ok(trace(*state, "winding", rays, count, &in, s.faces.count, &error), &error);
        for (size_t i = 0; i < count; i++) {
            float greatest = 0, want = 0;
            for (int axis = 0; axis < 3; axis++) {
                greatest = fmaxf(greatest, fabsf(rays[i].origin[axis]));
            }
            for (size_t c = 0; c < copies; c++) {
                want += greatest < (float)(c + 1) ? (n % 2 && c + 1 == copies ? -1 : 1) : 0;
            }
            assert_true(given(&in, "hit")->f32[4 * i] == want);
        }
        mr_ray on = { .origin = { 0.25f, -0.5f, 1 } }; // on a face of the innermost box
        test_assert_ok(trace(*state, "winding", &on, 1, &in, s.faces.count, &error), &error);
        // As behind it: in the box, unless it faces inward.
        float behind = n % 2 && copies == 1 ? 0 : n % 2 ? (float)copies - 2 : (float)copies;
        assert_true(given(&in, "hit")->f32[0] == behind);
        let_go(&in);
        free(rays);
        free_scene(&s);
    }
}

static void every_instruction_set_and_thread_count_gives_the_same_bits(void **state)
{
    static const char *const isas[] = { "base", "v3", "v4", NULL }, *const stages[] = { "closest", "any",
                                                                                        "winding" };
    enum { RAYS = 300 };
    test_random random = { 4 };
    scene s = random_scene(&random, 200, ANY, 1, 0);
    mr_ray rays[RAYS];
    float first[3][4 * RAYS];
    for (size_t i = 0; i < RAYS; i++) {
        rays[i] = random_ray(&random, &s, ANY, 1, 0);
    }
    for (size_t k = 0; k < 4; k++) {
        mr_context_config config = mr_context_config_default();
        mr_context *context;
        mr_error error;
        config.isa = isas[k];
        config.threads = isas[k] ? 1 : 7;
        if (!mr_context_create(&config, &context, &error)) {
            continue;
        }
        inputs in = { .count = 0 };
        give_scene(context, &s, &in);
        for (size_t stage = 0; stage < 3; stage++) {
            test_assert_ok(trace(context, stages[stage], rays, RAYS, &in, s.faces.count, &error), &error);
            if (k == 0) {
                memcpy(first[stage], given(&in, "hit")->f32, sizeof first[stage]);
            }
            assert_memory_equal(first[stage], given(&in, "hit")->f32, sizeof first[stage]);
        }
        let_go(&in);
        test_context_end(context);
    }
    free_scene(&s);
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    test_random random = { 5 };
    scene s = random_scene(&random, 300, ANY, 1, 0);
    inputs in = { .count = 0 };
    mr_error error = { 0 };
    mr_ray ray = { .low = 0, .high = INFINITY, .direction = { 1, 0, 0 } };
    give_scene(*state, &s, &in);
    give_table(*state, &s, &in);
    assert_false(trace(*state, "closest", &ray, 1, &in, 301, &error));
    assert_text_contains(error.message, "kernel ray: binding vstart holds 300 elements");
    give(&in, "accel", column_of(*state, MR_COLUMN_UINT, given(&in, "nodes")->u32, 100));
    assert_false(trace(*state, "closest", &ray, 1, &in, 300, &error));
    assert_text_contains(error.message, "binding accel holds 100 elements");
    // Links that go round, out of range, or name no primitive; and any words at all.
    uint32_t *words = room_for(599 * 8, sizeof *words);
    for (size_t n = 0; n < test_count(300); n++) {
        memcpy(words, given(&in, "nodes")->u32, 599 * 8 * sizeof *words);
        for (size_t i = 0; i < 599 * 8; i++) {
            bool link = i % 8 > 5;
            if (n == 0 ? link : n == 1 ? link && i < 8 : test_below(&random, 40) == 0) {
                words[i] = n == 0 ? 0 : n == 1 ? 599 : link ? test_below(&random, 600) : test_u32(&random);
            }
        }
        for (int axis = 0; axis < 3; axis++) { // all of it is looked at
            ((float *)words)[axis] = -INFINITY;
            ((float *)words)[3 + axis] = INFINITY;
        }
        give(&in, "accel", column_of(*state, MR_COLUMN_UINT, words, 599 * 8));
        bool good = trace(*state, n % 2 ? "any" : "closest", &ray, 1, &in, 300, &error);
        if (n < 2) {
            assert_false(good);
            assert_text_contains(error.message, "kernel ray: binding accel: the");
            assert_text_contains(error.message, n ? "no tree" : "deeper");
        }
    }
    free(words);
    give(&in, "rays", column_of(*state, MR_COLUMN_VEC4, &ray, 2));
    mr_uniform uniforms[] = { { "np", 1, { 300 } } };
    assert_false(run_on(*state, "ray", 2, &in, uniforms, 1, "closest", &error));
    assert_text_contains(error.message, "binding rays holds 8 elements");
    assert_false(run_on(*state, "ray", 1, &in, uniforms, 1, "nearest", &error));
    assert_text_contains(error.message, "STAGE");
    let_go(&in);
    free_scene(&s);
}

static void failing_memory_is_an_error_at_every_site(void **state)
{
    static const char *const stages[] = { "closest", "any", "winding" };
    test_random random = { 6 };
    scene s = random_scene(&random, 100, ANY, 1, 0);
    mr_context *context = test_context_of(1, 0);
    for (size_t stage = 0; stage < 3; stage++) {
        bool good = false;
        for (uint64_t site = 1; !good; site++) {
            inputs in = { .count = 0 };
            mr_error error = { 0 };
            mr_ray ray = random_ray(&random, &s, ANY, 1, 0);
            mr_uniform uniforms[] = { { "np", 1, { 100 } } };
            give_scene(context, &s, &in);
            give(&in, "rays", column_of(context, MR_COLUMN_VEC4, &ray, 2));
            mr_memory_fail_after(context, site, true);
            good = run_on(context, "ray", 1, &in, uniforms, 1, stages[stage], &error);
            mr_memory_fail_after(context, 0, false);
            assert_true(good || error.status == MR_OUT_OF_MEMORY);
            let_go(&in);
            mr_buffer_trim(context);
            assert_true(site < 1000);
        }
    }
    test_context_end(context);
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hits_are_those_of_a_loop_over_all_triangles, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(winding_is_the_sum_of_the_solid_angles, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(closed_solids_wind_a_whole_number_of_times_to_the_bit, test_setup,
                                        test_teardown),
        cmocka_unit_test(every_instruction_set_and_thread_count_gives_the_same_bits),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused_by_name, test_setup, test_teardown),
        cmocka_unit_test(failing_memory_is_an_error_at_every_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
