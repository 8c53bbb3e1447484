// The tree against a loop over all triangles, to the bit: both methods, every instruction set, one thread and seven;
// ties, edges, corners, rays along axes and planes, far and tiny scenes, and what counts for nothing.

#include "slow_rays.h"

static const char *const isas[] = { "base", "v3", "v4" };
enum { CONTEXTS = 4 };

// One context an instruction set that runs here, all but the last of one thread.
typedef struct contexts {
    mr_context *items[CONTEXTS];
    size_t count;
} contexts;

static int setup(void **state)
{
    static contexts all;
    all.count = 0;
    for (size_t i = 0; i < CONTEXTS; i++) {
        mr_context_config config = mr_context_config_default();
        config.isa = i < 3 ? isas[i] : NULL;
        config.threads = i < 3 ? 1 : 7;
        mr_error error;
        all.count += mr_context_create(&config, &all.items[all.count], &error);
    }
    *state = &all;
    return all.count >= 2 ? 0 : -1;
}

static int teardown(void **state)
{
    contexts *all = *state;
    for (size_t i = 0; i < all->count; i++) {
        test_context_end(all->items[i]);
    }
    return 0;
}

static void assert_hit(const mr_hit *got, const mr_hit *want, const mr_ray *ray, const char *what)
{
    // -0 and 0 are one t.
    bool same = got->t == want->t && got->u == want->u && got->v == want->v &&
                got->primitive == want->primitive && got->fan == want->fan;
    if (!same) {
        fail_msg("%s: %a %a %a of %u/%u, not %a %a %a of %u/%u; ray %a %a %a + t %a %a %a, %a to %a", what,
                 (double)got->t, (double)got->u, (double)got->v, got->primitive, got->fan, (double)want->t,
                 (double)want->u, (double)want->v, want->primitive, want->fan, (double)ray->origin[0],
                 (double)ray->origin[1], (double)ray->origin[2], (double)ray->direction[0],
                 (double)ray->direction[1], (double)ray->direction[2], (double)ray->low, (double)ray->high);
    }
}

// Every context and method against the loop. Answers how many rays hit.
static size_t check_rays(const contexts *all, const scene *s, const mr_ray *rays, size_t count)
{
    mr_hit *want = room_for(count, sizeof *want), *got = room_for(count, sizeof *got);
    bool *met = room_for(count, sizeof *met);
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) {
        want[i] = slow_closest(s, &rays[i]);
        hits += want[i].primitive != MR_TREE_NONE;
    }
    for (size_t k = 0; k < 2 * all->count; k++) {
        mr_context *context = all->items[k / 2];
        mr_error error;
        mr_tree *tree =
            mr_tree_over_faces(context, &s->faces, k % 2 ? MR_TREE_SURFACE : MR_TREE_MORTON, &error);
        test_assert_ok(tree, &error);
        test_assert_ok(mr_tree_closest_all(context, tree, rays, count, got, &error), &error);
        test_assert_ok(mr_tree_any_all(context, tree, rays, count, met, &error), &error);
        for (size_t i = 0; i < count; i++) {
            assert_hit(&got[i], &want[i], &rays[i], k % 2 ? "surface" : "Morton");
            assert_int_equal(met[i], want[i].primitive != MR_TREE_NONE);
        }
        mr_tree_destroy(tree);
    }
    free(want);
    free(got);
    free(met);
    return hits;
}

static size_t random_size(test_random *random)
{
    static const uint32_t sizes[] = { 0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 200 };
    return test_below(random, 2) ? sizes[test_below(random, 13)] : test_below(random, 80);
}

static void hits_are_those_of_a_loop_over_all_triangles(void **state)
{
    enum { RAYS = 60 };
    static const float scales[] = { 1, 1, 1000, 1e-6f, 1e25f, 1e-38f };
    test_random random = { 1 };
    size_t rays_in_all = 0, hits = 0;
    for (size_t n = 0; n < test_count(700); n++) {
        kind of = (kind)test_below(&random, KINDS);
        float scale = scales[test_below(&random, 6)];
        float offset = test_below(&random, 3) ? 0 : scale * (float)test_between(&random, -1e5, 1e5);
        scene s = random_scene(&random, random_size(&random), of, scale, offset);
        mr_ray rays[RAYS];
        for (size_t i = 0; i < RAYS; i++) {
            rays[i] = random_ray(&random, &s, of, scale, offset);
        }
        hits += check_rays(*state, &s, rays, RAYS);
        rays_in_all += RAYS;
        free_scene(&s);
    }
    assert_true(hits * 5 > rays_in_all);
    assert_true(test_scale() < 1 || rays_in_all >= 10000);
}

// A closed lattice surface: a torus of quads about the z axis, turned and moved.
static scene torus(size_t across, size_t around, const float turn[9], const float at[3])
{
    size_t quads = across * around;
    scene s = { .faces = { .count = quads } };
    s.points = room_for(quads, 3 * sizeof(float));
    s.corners = room_for(quads * 4, sizeof(int32_t));
    s.starts = room_for(quads, sizeof(int32_t));
    s.counts = room_for(quads, sizeof(int32_t));
    for (size_t i = 0; i < across; i++) {
        for (size_t j = 0; j < around; j++) {
            size_t k = i * around + j, i1 = (i + 1) % across, j1 = (j + 1) % around;
            double a = 2 * M_PI * (double)i / (double)across, b = 2 * M_PI * (double)j / (double)around;
            double p[3] = { (1 + 0.4 * cos(b)) * cos(a), (1 + 0.4 * cos(b)) * sin(a), 0.4 * sin(b) };
            for (int axis = 0; axis < 3; axis++) {
                s.points[3 * k + (size_t)axis] =
                    (float)((double)turn[3 * axis] * p[0] + (double)turn[3 * axis + 1] * p[1] +
                            (double)turn[3 * axis + 2] * p[2] + (double)at[axis]);
            }
            int32_t c[] = { (int32_t)k, (int32_t)(i1 * around + j), (int32_t)(i1 * around + j1),
                            (int32_t)(i * around + j1) };
            memcpy(s.corners + 4 * k, c, sizeof c);
            s.starts[k] = (int32_t)(4 * k);
            s.counts[k] = 4;
        }
    }
    s.faces.points = s.points;
    s.faces.point_count = quads;
    s.faces.vertex_points = s.corners;
    s.faces.vertex_count = 4 * quads;
    s.faces.starts = s.starts;
    s.faces.counts = s.counts;
    return s;
}

static void large_trees_and_sorted_rays_answer_the_same(void **state)
{
    enum { RAYS = 6000, CHECKED = 60 };
    static mr_ray rays[RAYS];
    static mr_hit first[RAYS], other[RAYS];
    test_random random = { 2 };
    contexts *all = *state;
    mr_error error;
    scene s = torus(260, 130, (float[]){ 1, 0, 0, 0, 0.6f, -0.8f, 0, 0.8f, 0.6f }, (float[]){ 3, 4, 5 });
    for (size_t i = 0; i < RAYS; i++) {
        rays[i] = random_ray(&random, &s, ANY, 1.4f, 4);
    }
    for (size_t k = 0; k < 2 * all->count; k++) {
        mr_tree *tree = mr_tree_over_faces(all->items[k / 2], &s.faces, k % 2, &error);
        test_assert_ok(tree, &error);
        assert_true(mr_tree_bytes(tree) > (size_t)1 << 20);
        assert_int_equal(mr_tree_triangles(tree), 2 * s.faces.count);
        test_assert_ok(mr_tree_closest_all(all->items[k / 2], tree, rays, RAYS, k ? other : first, &error),
                       &error);
        for (size_t i = 0; i < RAYS && k; i++) {
            assert_hit(&other[i], &first[i], &rays[i], "large");
        }
        mr_tree_destroy(tree);
    }
    for (size_t i = 0; i < test_count(CHECKED); i++) {
        mr_hit want = slow_closest(&s, &rays[i % RAYS]);
        assert_hit(&first[i % RAYS], &want, &rays[i % RAYS], "loop");
    }
    free_scene(&s);
}

// Inside a torus, by its own equation where the facets leave no doubt.
static int inside_torus(const double p[3])
{
    double ring = sqrt(p[0] * p[0] + p[1] * p[1]) - 1, tube = sqrt(ring * ring + p[2] * p[2]);
    return tube < 0.36 ? 1 : tube > 0.42 ? 0 : -1;
}

static void crossings_count_a_closed_surface_whatever_the_ray(void **state)
{
    const contexts *all = *state;
    test_random random = { 3 };
    mr_error error;
    static const float plain[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, none[3];
    scene s = torus(24, 16, plain, none);
    for (size_t k = 0; k < 2 * all->count; k++) {
        mr_tree *tree = mr_tree_over_faces(all->items[k / 2], &s.faces, k % 2, &error);
        test_assert_ok(tree, &error);
        for (size_t n = 0; n < test_count(2000); n++) {
            mr_ray ray = random_ray(&random, &s, LATTICE, 0.5f, 0);
            int want = inside_torus(
                (double[]){ (double)ray.origin[0], (double)ray.origin[1], (double)ray.origin[2] });
            if (want < 0 || (ray.direction[0] == 0 && ray.direction[1] == 0 && ray.direction[2] == 0)) {
                continue;
            }
            bool near;
            ray.low = NAN; // not asked
            int32_t sum = mr_tree_crossings(tree, &ray, 1e-6f, &near);
            if (sum != want || near) {
                fail_msg("%d, not %d (near %d) from %a %a %a along %a %a %a", sum, want, near,
                         (double)ray.origin[0], (double)ray.origin[1], (double)ray.origin[2],
                         (double)ray.direction[0], (double)ray.direction[1], (double)ray.direction[2]);
            }
        }
        mr_ray from = { .origin = { s.points[0], s.points[1], s.points[2] }, .direction = { 1, 0.1f, 0.2f } };
        bool near = false;
        mr_tree_crossings(tree, &from, 1e-6f, &near);
        assert_true(near);
        mr_tree_destroy(tree);
    }
    free_scene(&s);
}

// Visits.

typedef struct visits {
    const mr_box *boxes;
    const mr_ray *ray;
    size_t count;
    bool *seen;
    double best;
} visits;

// Where a ray enters a box, in f64; infinite: it does not.
static double enters(const mr_box *box, const mr_ray *ray)
{
    double in = (double)ray->low, out = (double)ray->high;
    for (int axis = 0; axis < 3; axis++) {
        double o = (double)ray->origin[axis], d = (double)ray->direction[axis];
        double a = (double)box->low[axis] - o, b = (double)box->high[axis] - o;
        if (d == 0) {
            out = a <= 0 && b >= 0 ? out : -INFINITY;
            continue;
        }
        in = fmax(in, fmin(a / d, b / d));
        out = fmin(out, fmax(a / d, b / d));
    }
    return in <= out ? in : INFINITY;
}

static bool note(void *self, uint32_t item, float *high)
{
    visits *v = self;
    assert_true(item < v->count);
    assert_false(v->seen[item]);
    v->seen[item] = true;
    double at = enters(&v->boxes[item], v->ray);
    if (at < v->best) {
        v->best = at;
        *high = (float)at;
    }
    return true;
}

static bool stop(void *self, uint32_t item, float *high)
{
    ++*(int *)self;
    return false;
}

static void boxes_are_visited_as_far_as_is_asked(void **state)
{
    enum { MOST = 200 };
    static mr_box boxes[MOST];
    static bool seen[MOST];
    contexts *all = *state;
    test_random random = { 4 };
    mr_error error;
    for (size_t n = 0; n < test_count(200); n++) {
        size_t count = test_below(&random, MOST);
        for (size_t i = 0; i < count; i++) {
            for (int axis = 0; axis < 3; axis++) {
                boxes[i].low[axis] = (float)test_below(&random, 6);
                boxes[i].high[axis] = boxes[i].low[axis] + (float)test_below(&random, 3) -
                                      (float)(test_below(&random, 40) == 0);
            }
        }
        scene none = { .points = (float[3]){ 1, 2, 3 }, .faces = { .point_count = 1 } };
        size_t k = test_below(&random, (uint32_t)all->count);
        mr_tree *tree = mr_tree_over_boxes(all->items[k], boxes, count, n % 2, &error);
        test_assert_ok(tree, &error);
        for (size_t r = 0; r < 20; r++) {
            mr_ray ray = random_ray(&random, &none, LATTICE, 1, 0);
            double best = INFINITY;
            for (size_t i = 0; i < count; i++) {
                bool good = true;
                for (int axis = 0; axis < 3; axis++) {
                    good &= boxes[i].low[axis] <= boxes[i].high[axis];
                }
                best = good && ray_counts(&ray) ? fmin(best, enters(&boxes[i], &ray)) : best;
            }
            memset(seen, 0, sizeof seen);
            visits v = { boxes, &ray, count, seen, INFINITY };
            mr_tree_visit(tree, &ray, note, &v);
            assert_true(v.best == best);
            int calls = 0;
            mr_tree_visit(tree, &ray, stop, &calls);
            assert_true(calls <= 1 && (best == INFINITY || calls == 1));
        }
        mr_tree_destroy(tree);
    }
}

static void failing_memory_and_a_cancel_are_errors(void **state)
{
    test_random random = { 5 };
    scene s = random_scene(&random, 300, ANY, 1, 0);
    s.counts[7] = 3;
    mr_context *context = test_context_of(1, 0);
    mr_ray ray = { .direction = { 1, 0, 0 }, .high = 1 };
    mr_hit hit;
    for (mr_tree_method method = MR_TREE_MORTON; method <= MR_TREE_SURFACE; method++) {
        mr_tree *tree = NULL;
        for (uint64_t site = 1; !tree; site++) {
            mr_error error = { 0 };
            mr_memory_fail_after(context, site, true);
            tree = mr_tree_over_faces(context, &s.faces, method, &error);
            mr_memory_fail_after(context, 0, false);
            assert_true(tree || error.status == MR_OUT_OF_MEMORY);
            mr_buffer_trim(context);
            assert_true(site < 1000);
        }
        mr_error error = { 0 };
        mr_context_cancel(context);
        assert_false(mr_tree_closest_all(context, tree, &ray, 1, &hit, &error));
        assert_int_equal(error.status, MR_CANCELLED);
        assert_null(mr_tree_over_faces(context, &s.faces, method, &error));
        mr_context_resume(context);
        mr_tree_destroy(tree);
    }
    test_context_end(context);
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_are_those_of_a_loop_over_all_triangles),
        cmocka_unit_test(large_trees_and_sorted_rays_answer_the_same),
        cmocka_unit_test(crossings_count_a_closed_surface_whatever_the_ray),
        cmocka_unit_test(boxes_are_visited_as_far_as_is_asked),
        cmocka_unit_test(failing_memory_and_a_cancel_are_errors),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
