// ray_shapes against distances: along a line the distance to a convex shape falls and then rises, so its crossings are
// found by thirds and halves, which know nothing of the kernel's formulas. ray_surface against its own definition.

#include "kernel/device.h"
#include "slow_rays.h"

typedef enum shape_kind { PLANE, SPHERE, BOX, CAPSULE } shape_kind;

typedef struct row {
    int32_t kind;
    float center[3], extent[3], rotation[4];
} row;

static mr_column *column_of(mr_context *context, mr_column_type type, const void *words, size_t count)
{
    mr_error error;
    mr_column *column = mr_column_from(context, type, words, count, &error);
    assert_non_null(column);
    return mr_column_publish(column);
}

// Words `from` to `from` + lanes of each row.
static mr_column *column_of_rows(mr_context *context, mr_column_type type, const row *rows, size_t count,
                                 size_t from)
{
    uint32_t lanes = mr_column_lanes(type);
    uint32_t *words = room_for(count, lanes * sizeof *words);
    for (size_t i = 0; i < count; i++) {
        memcpy(words + lanes * i, (const char *)&rows[i] + from, lanes * sizeof *words);
    }
    mr_column *column = column_of(context, type, words, count);
    free(words);
    return column;
}

typedef struct table {
    mr_attribute items[7];
} table;

static table table_of(mr_context *context, const row *rows, size_t count)
{
    table t = {
        { { "shapeKind", column_of_rows(context, MR_COLUMN_INT, rows, count, offsetof(row, kind)) },
          { "center", column_of_rows(context, MR_COLUMN_VEC3, rows, count, offsetof(row, center)) },
          { "extent", column_of_rows(context, MR_COLUMN_VEC3, rows, count, offsetof(row, extent)) },
          { "rotation", column_of_rows(context, MR_COLUMN_VEC4, rows, count, offsetof(row, rotation)) },
          { "bounce", column_of_rows(context, MR_COLUMN_FLOAT, rows, count, offsetof(row, center)) },
          { "friction", column_of_rows(context, MR_COLUMN_FLOAT, rows, count, offsetof(row, center)) },
          { "index", column_of_rows(context, MR_COLUMN_INT, rows, count, offsetof(row, kind)) } }
    };
    return t;
}

static void let_go(table *t)
{
    for (size_t i = 0; i < 7; i++) {
        mr_column_release(t->items[i].column);
    }
}

static bool run_shapes(mr_context *context, table *t, const mr_ray *rays, size_t count, double skin,
                       mr_kernel_result *result, mr_error *error)
{
    mr_column *column = column_of(context, MR_COLUMN_VEC4, rays, 2 * count);
    mr_bind bind[] = { { .name = "rays", .kind = MR_BIND_COLUMN, .column = column },
                       { .name = "shapes", .kind = MR_BIND_TABLE, .table = { t->items, 7 } } };
    mr_uniform uniform = { "skin", 1, { skin } };
    mr_kernel_request request = { .kernel = mr_kernel_find("ray_shapes"),
                                  .domain = mr_count_plain(count),
                                  .bind = bind,
                                  .bind_count = 2,
                                  .uniforms = &uniform,
                                  .uniform_count = 1 };
    bool good = mr_kernel_run(context, &request, result, error);
    mr_column_release(column);
    return good;
}

// The signed distance of a place, in f64.

static void in_frame(const row *s, const double p[3], double out[3])
{
    double q[4], size = 0, d[3];
    for (int i = 0; i < 4; i++) {
        q[i] = (double)s->rotation[i];
        size += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) {
        q[i] = size > 0 ? q[i] / sqrt(size) : i == 3;
    }
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double m[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                    2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                    2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y) };
    for (int i = 0; i < 3; i++) {
        d[i] = p[i] - (double)s->center[i];
    }
    for (int i = 0; i < 3; i++) { // by the transpose
        out[i] = s->kind == SPHERE ? d[i] : m[i] * d[0] + m[3 + i] * d[1] + m[6 + i] * d[2];
    }
}

static double distance(const row *s, const double p[3])
{
    double q[3], e[3] = { (double)s->extent[0], (double)s->extent[1], (double)s->extent[2] };
    in_frame(s, p, q);
    if (s->kind == SPHERE) {
        return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) - e[0];
    }
    if (s->kind == CAPSULE) {
        double y = fmax(0, fabs(q[1]) - e[1]);
        return sqrt(q[0] * q[0] + y * y + q[2] * q[2]) - e[0];
    }
    double out = 0, in = -INFINITY;
    for (int i = 0; i < 3; i++) {
        double d = fabs(q[i]) - e[i];
        out += fmax(d, 0) * fmax(d, 0);
        in = fmax(in, d);
    }
    return in > 0 ? sqrt(out) : in;
}

static double distance_at(const row *s, const mr_ray *ray, double t)
{
    double p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = (double)ray->origin[i] + t * (double)ray->direction[i];
    }
    return distance(s, p);
}

// The root between a (outside) and b (inside).
static double root(const row *s, const mr_ray *ray, double a, double b)
{
    for (int i = 0; i < 200; i++) {
        double middle = (a + b) / 2;
        if (distance_at(s, ray, middle) > 0) {
            a = middle;
        } else {
            b = middle;
        }
    }
    return (a + b) / 2;
}

// Where the line crosses a shape, planes aside. 0: it does not; -1: it is too near to say.
static int crossings(const row *s, const mr_ray *ray, double *enter, double *leave)
{
    double low = -1e4, high = 1e4;
    for (int i = 0; i < 300; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (distance_at(s, ray, a) < distance_at(s, ray, b)) {
            high = b;
        } else {
            low = a;
        }
    }
    double least = distance_at(s, ray, (low + high) / 2);
    if (fabs(least) < 1e-5) {
        return -1;
    }
    *enter = least < 0 ? root(s, ray, -1e4, (low + high) / 2) : 0;
    *leave = least < 0 ? root(s, ray, 1e4, (low + high) / 2) : 0;
    return least < 0;
}

static row random_row(test_random *random)
{
    row s = { .kind = (int32_t)test_below(random, 4) };
    for (int i = 0; i < 3; i++) {
        s.center[i] = (float)test_between(random, -2, 2);
        s.extent[i] = (float)test_between(random, 0.2, 1.5);
    }
    for (int i = 0; i < 4; i++) {
        s.rotation[i] = test_below(random, 3) ? (float)test_between(random, -1, 1) : (float)(i == 3);
    }
    if (s.kind == PLANE) {
        double size = 0;
        for (int i = 0; i < 3; i++) {
            s.extent[i] = (float)test_between(random, -1, 1);
            size += (double)s.extent[i] * (double)s.extent[i];
        }
        for (int i = 0; i < 3; i++) {
            s.extent[i] = (float)((double)s.extent[i] / sqrt(size));
        }
    }
    return s;
}

static mr_ray random_line(test_random *random)
{
    mr_ray ray = { .low = 0, .high = test_below(random, 2) ? INFINITY : (float)test_between(random, 0, 4) };
    ray.low = test_below(random, 4) ? 0 : (float)test_between(random, -4, 2);
    float length = test_below(random, 4) ? 1 : (float)test_between(random, 0.1, 5);
    bool along_axis = test_below(random, 5) == 0;
    uint32_t only = test_below(random, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ray.origin[i] = (float)test_between(random, -4, 4);
        ray.direction[i] = along_axis && i != only ? 0 : length * (float)test_between(random, -1, 1);
    }
    ray.high = ray.high < ray.low ? ray.low : ray.high;
    return ray;
}

// What a shape alone should give: its t, INFINITY for a miss, or NAN where it is too near to say.
static double expected(const row *s, const mr_ray *ray)
{
    double enter, leave, low = (double)ray->low, high = (double)ray->high, doubt = 1e-4;
    if (s->kind == PLANE) {
        double from = 0, along = 0;
        for (int i = 0; i < 3; i++) {
            from += ((double)s->center[i] - (double)ray->origin[i]) * (double)s->extent[i];
            along += (double)ray->direction[i] * (double)s->extent[i];
        }
        if (fabs(along) < 1e-3) {
            return NAN;
        }
        enter = leave = from / along;
    } else {
        int crossed = crossings(s, ray, &enter, &leave);
        if (crossed <= 0) {
            return crossed ? NAN : INFINITY;
        }
    }
    const double ends[] = { enter, leave };
    for (int i = 0; i < 2; i++) {
        if (fabs(ends[i] - low) < doubt || fabs(ends[i] - high) < doubt) {
            return NAN;
        }
        if (ends[i] > low && ends[i] < high) {
            return ends[i];
        }
    }
    return INFINITY;
}

// The normal by differences of the distance, turned against the ray.
static void slow_normal(const row *s, const mr_ray *ray, double t, double out[3])
{
    double p[3], size = 0, along = 0;
    for (int i = 0; i < 3; i++) {
        p[i] = (double)ray->origin[i] + t * (double)ray->direction[i];
    }
    for (int i = 0; i < 3; i++) {
        double a[3] = { p[0], p[1], p[2] }, b[3] = { p[0], p[1], p[2] };
        a[i] += 1e-6;
        b[i] -= 1e-6;
        out[i] = s->kind == PLANE ? (double)s->extent[i] : (distance(s, a) - distance(s, b)) / 2e-6;
        size += out[i] * out[i];
        along += out[i] * (double)ray->direction[i];
    }
    for (int i = 0; i < 3; i++) {
        out[i] *= (along > 0 ? -1 : 1) / sqrt(size);
    }
}

static void check_ray(const row *rows, size_t count, const mr_ray *ray, double skin, const float *hit,
                      uint32_t got, const float *normal, const float *end)
{
    double best = INFINITY, second = INFINITY;
    size_t want = count;
    for (size_t i = 0; i < count; i++) {
        double t = expected(&rows[i], ray);
        if (isnan(t)) {
            return;
        }
        if (t < best) {
            second = best;
            best = t;
            want = i;
        } else if (t < second) {
            second = t;
        }
    }
    assert_true(hit[1] == 0 && hit[2] == 0 && hit[3] == 0);
    if (want == count) {
        assert_int_equal(got, MR_TREE_NONE);
        assert_true(hit[0] == -1 && normal[0] == 0 && normal[1] == 0 && normal[2] == 0);
        for (int i = 0; i < 3; i++) {
            float at = ray->direction[i] == 0
                           ? ray->origin[i]
                           : (float)((double)ray->origin[i] + (double)ray->direction[i] * (double)ray->high);
            assert_true(end[i] == at);
        }
        return;
    }
    if (fabs((double)hit[0] - best) > 1e-5 * fmax(1, fabs(best))) {
        fail_msg("t %.9g, not %.9g, of kind %d", (double)hit[0], best, rows[want].kind);
    }
    if (second - best > 1e-4) {
        double slow[3], dot = 0;
        assert_int_equal(got, want);
        slow_normal(&rows[want], ray, best, slow);
        for (int i = 0; i < 3; i++) {
            dot += slow[i] * (double)normal[i];
            double at = (double)ray->origin[i] + best * (double)ray->direction[i] + skin * (double)normal[i];
            assert_true(fabs((double)end[i] - at) < 1e-4 * fmax(1, fabs(at)));
        }
        assert_true(dot > 0.99); // an edge of a box has no one normal
    }
}

static void the_closest_crossing_is_that_of_the_distances(void **state)
{
    enum { RAYS = 40, ROWS = 5 };
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(260); n++) {
        row rows[ROWS];
        mr_ray rays[RAYS];
        size_t count = n % 3 ? 1 : test_below(&random, ROWS + 1);
        double skin = n % 2 ? 0 : 0.125;
        for (size_t i = 0; i < count; i++) {
            rows[i] = random_row(&random);
        }
        for (size_t i = 0; i < RAYS; i++) {
            rays[i] = random_line(&random);
        }
        table t = table_of(*state, rows, count);
        mr_kernel_result result;
        mr_error error = { 0 };
        test_assert_ok(run_shapes(*state, &t, rays, RAYS, skin, &result, &error), &error);
        for (size_t i = 0; i < RAYS; i++) {
            check_ray(rows, count, &rays[i], skin, mr_kernel_result_find(&result, "hit")->f32 + 4 * i,
                      mr_kernel_result_find(&result, "hit_prim")->u32[i],
                      mr_kernel_result_find(&result, "hit_normal")->f32 + 3 * i,
                      mr_kernel_result_find(&result, "hit_end")->f32 + 3 * i);
        }
        mr_kernel_result_release(&result);
        let_go(&t);
    }
}

typedef struct one_case {
    row shape;
    mr_ray ray;
    float t; // -1: a miss
    float normal[3];
} one_case;

static void chosen_rays_meet_what_they_should(void **state)
{
    static const one_case cases[] = {
        // In at a face, out at the opposite one, along an edge, and past it.
        { { BOX, { 0 }, { 1, 2, 3 }, { 0, 0, 0, 1 } },
          { { -5, 0, 0 }, 0, { 1, 0, 0 }, INFINITY },
          4,
          { -1, 0, 0 } },
        { { BOX, { 0 }, { 1, 2, 3 }, { 0, 0, 0, 1 } },
          { { 0, 0, 0 }, 0, { 0, 2, 0 }, INFINITY },
          1,
          { 0, -1, 0 } },
        { { BOX, { 0 }, { 1, 2, 3 }, { 0, 0, 0, 0 } },
          { { -5, 2, 3 }, 0, { 1, 0, 0 }, INFINITY },
          4,
          { -1, 0, 0 } },
        { { BOX, { 0 }, { 1, 2, 3 }, { 0, 0, 0, 1 } },
          { { -5, 2.5f, 0 }, 0, { 1, 0, 0 }, INFINITY },
          -1,
          { 0 } },
        { { BOX, { 0 }, { 1, -2, 3 }, { 0, 0, 0, 1 } },
          { { -5, 0, 0 }, 0, { 1, 0, 0 }, INFINITY },
          -1,
          { 0 } },
        // Both ends of the range are in; nothing is beyond them.
        { { SPHERE, { 0 }, { 1 }, { 0 } }, { { -3, 0, 0 }, 0, { 1, 0, 0 }, 2 }, 2, { -1, 0, 0 } },
        { { SPHERE, { 0 }, { 1 }, { 0 } }, { { -3, 0, 0 }, 0, { 1, 0, 0 }, 1.75f }, -1, { 0 } },
        { { SPHERE, { 0 }, { 1 }, { 0 } }, { { -3, 0, 0 }, 2.5f, { 1, 0, 0 }, 9 }, 4, { -1, 0, 0 } },
        { { SPHERE, { 0 }, { 0 }, { 0 } }, { { -3, 0, 0 }, 0, { 1, 0, 0 }, 9 }, -1, { 0 } },
        { { SPHERE, { 0 }, { 1, NAN, NAN }, { 0 } }, { { -3, 0, 0 }, 0, { 1, 0, 0 }, 9 }, 2, { -1, 0, 0 } },
        // A plane from either side, and along it.
        { { PLANE, { 0, 1, 0 }, { 0, 1, 0 }, { 0 } }, { { 0, 3, 0 }, 0, { 0, -2, 0 }, 9 }, 1, { 0, 1, 0 } },
        { { PLANE, { 0, 1, 0 }, { 0, 1, 0 }, { 0 } },
          { { 0, 0, 0 }, 0, { 0, 2, 0 }, 9 },
          0.5f,
          { 0, -1, 0 } },
        { { PLANE, { 0, 1, 0 }, { 0, 1, 0 }, { 0 } }, { { 0, 1, 0 }, 0, { 1, 0, 0 }, 9 }, -1, { 0 } },
        { { PLANE, { 0, NAN, 0 }, { 0, 1, 0 }, { 0 } }, { { 0, 3, 0 }, 0, { 0, -1, 0 }, 9 }, -1, { 0 } },
        // A capsule's cap along its own axis, its side, and a turned one.
        { { CAPSULE, { 0 }, { 1, 2 }, { 0, 0, 0, 1 } },
          { { 0, 9, 0 }, 0, { 0, -1, 0 }, 99 },
          6,
          { 0, 1, 0 } },
        { { CAPSULE, { 0 }, { 1, 2 }, { 0, 0, 0, 1 } },
          { { 9, 1, 0 }, 0, { -1, 0, 0 }, 99 },
          8,
          { 1, 0, 0 } },
        { { CAPSULE, { 0 }, { 1, 2 }, { 0, 0, 1, 1 } },
          { { 9, 0, 0 }, 0, { -1, 0, 0 }, 99 },
          6,
          { 1, 0, 0 } },
        { { 4, { 0 }, { 1, 1, 1 }, { 0, 0, 0, 1 } }, { { 9, 0, 0 }, 0, { -1, 0, 0 }, 99 }, -1, { 0 } },
        { { BOX, { 0, NAN, 0 }, { 1, 1, 1 }, { 0, 0, 0, 1 } },
          { { 9, 0, 0 }, 0, { -1, 0, 0 }, 99 },
          -1,
          { 0 } },
        // Rays that say nothing.
        { { SPHERE, { 0 }, { 1 }, { 0 } }, { { -3, 0, 0 }, 0, { 0, 0, 0 }, 9 }, -1, { 0 } },
        { { SPHERE, { 0 }, { 1 }, { 0 } }, { { -3, NAN, 0 }, 0, { 1, 0, 0 }, 9 }, -1, { 0 } },
        { { SPHERE, { 0 }, { 1 }, { 0 } }, { { -3, 0, 0 }, NAN, { 1, 0, 0 }, 9 }, -1, { 0 } },
        { { SPHERE, { 0 }, { 1 }, { 0 } }, { { -3, 0, 0 }, 0, { INFINITY, 0, 0 }, 9 }, -1, { 0 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const one_case *c = &cases[i];
        row rows[] = { { .kind = 7 }, c->shape, c->shape }; // of two alike the lower row
        table t = table_of(*state, rows, 3);
        mr_kernel_result result;
        mr_error error = { 0 };
        test_assert_ok(run_shapes(*state, &t, &c->ray, 1, 0, &result, &error), &error);
        float got = mr_kernel_result_find(&result, "hit")->f32[0];
        if (fabsf(got - c->t) > 1e-6f) {
            fail_msg("case %zu: t %g, not %g", i, (double)got, (double)c->t);
        }
        assert_int_equal(mr_kernel_result_find(&result, "hit_prim")->u32[0], c->t < 0 ? MR_TREE_NONE : 1);
        for (size_t k = 0; k < 3; k++) {
            assert_true(fabsf(mr_kernel_result_find(&result, "hit_normal")->f32[k] - c->normal[k]) < 1e-6f);
        }
        mr_kernel_result_release(&result);
        let_go(&t);
    }
}

static void one_thread_and_seven_give_the_same_bits(void **state)
{
    static const char *const names[] = { "hit", "hit_prim", "hit_normal", "hit_end" };
    enum { RAYS = 3000, ROWS = 6 };
    static mr_ray rays[RAYS];
    test_random random = { 2 };
    row rows[ROWS];
    mr_context *contexts[] = { test_context_of(1, 0), test_context_of(7, 0) };
    mr_kernel_result results[2];
    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = random_row(&random);
    }
    for (size_t i = 0; i < RAYS; i++) {
        rays[i] = random_line(&random);
    }
    for (size_t k = 0; k < 2; k++) {
        table t = table_of(contexts[k], rows, ROWS);
        mr_error error = { 0 };
        test_assert_ok(run_shapes(contexts[k], &t, rays, RAYS, 0.1, &results[k], &error), &error);
        let_go(&t);
    }
    for (size_t i = 0; i < 4; i++) {
        const mr_column *a = mr_kernel_result_find(&results[0], names[i]);
        assert_memory_equal(a->data, mr_kernel_result_find(&results[1], names[i])->data,
                            a->count * mr_column_lanes(a->type) * 4);
    }
    for (size_t k = 0; k < 2; k++) {
        mr_kernel_result_release(&results[k]);
        test_context_end(contexts[k]);
    }
}

static void a_table_that_does_not_fit_is_refused(void **state)
{
    test_random random = { 3 };
    row rows[] = { random_row(&random), random_row(&random) };
    mr_ray ray = random_line(&random);
    mr_kernel_result result;
    for (size_t i = 0; i < 5; i++) {
        table t = table_of(*state, rows, 2);
        mr_error error = { 0 };
        mr_column_release(t.items[i].column);
        t.items[i].column = i == 4 ? column_of_rows(*state, MR_COLUMN_FLOAT, rows, 1, 0)
                                   : column_of_rows(*state, MR_COLUMN_VEC2, rows, 2, 0);
        assert_false(run_shapes(*state, &t, &ray, 1, 0, &result, &error));
        assert_text_contains(error.message, "kernel ray_shapes: binding shapes");
        assert_text_contains(error.message, i == 4 ? "columns of 2 and of 1 rows" : t.items[i].name);
        let_go(&t);
    }
}

static void failing_memory_is_an_error_at_every_site(void **state)
{
    test_random random = { 4 };
    row rows[] = { random_row(&random) };
    mr_ray ray = random_line(&random);
    mr_context *context = test_context_of(1, 0);
    table t = table_of(context, rows, 1);
    mr_column *column = column_of(context, MR_COLUMN_VEC4, &ray, 2);
    mr_bind bind[] = { { .name = "rays", .kind = MR_BIND_COLUMN, .column = column },
                       { .name = "shapes", .kind = MR_BIND_TABLE, .table = { t.items, 7 } } };
    mr_kernel_request request = {
        .kernel = mr_kernel_find("ray_shapes"), .domain = mr_count_plain(1), .bind = bind, .bind_count = 2
    };
    bool good = false;
    for (uint64_t site = 1; !good; site++) {
        mr_kernel_result result;
        mr_error error = { 0 };
        mr_memory_fail_after(context, site, true);
        good = mr_kernel_run(context, &request, &result, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY);
        mr_kernel_result_release(&result);
        mr_buffer_trim(context);
        assert_true(site < 100);
    }
    mr_column_release(column);
    let_go(&t);
    test_context_end(context);
}

// ray_surface.

static void check_surface(const scene *s, const mr_ray *ray, const float *hit, uint32_t primitive, float skin,
                          const float *normal, const float *end)
{
    double e[2][3], n[3], size = 0, along = 0;
    const float *p[3] = { NULL };
    bool named = primitive < s->faces.count && hit[3] >= 0 && hit[3] < 1000 && s->starts[primitive] >= 0;
    for (size_t k = 0; k < 3 && named; k++) {
        size_t vertex = (size_t)s->starts[primitive] + (k ? (size_t)hit[3] + k : 0);
        int32_t at = vertex < s->faces.vertex_count ? s->corners[vertex] : -1;
        p[k] = at >= 0 && (size_t)at < s->faces.point_count ? s->points + 3 * at : NULL;
    }
    if (p[0] && p[1] && p[2]) {
        for (int i = 0; i < 3; i++) {
            e[0][i] = (double)p[1][i] - (double)p[0][i];
            e[1][i] = (double)p[2][i] - (double)p[0][i];
        }
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = e[0][j] * e[1][k] - e[0][k] * e[1][j];
            size += n[i] * n[i];
            along += n[i] * (double)ray->direction[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        double unit = size > 0 ? n[i] / sqrt(size) * (along > 0 ? -1 : 1) : 0;
        double at = (double)ray->origin[i];
        at += size > 0                 ? (double)hit[0] * (double)ray->direction[i] + (double)skin * unit
              : ray->direction[i] != 0 ? (double)ray->direction[i] * (double)ray->high
                                       : 0;
        assert_true(fabs((double)normal[i] - unit) < 1e-6);
        assert_true((double)end[i] == at || fabs((double)end[i] - at) < 1e-5 * fmax(1, fabs(at)) ||
                    (isnan(end[i]) && isnan(at)));
    }
}

static void surfaces_face_the_ray_and_ends_stand_off_them(void **state)
{
    enum { RAYS = 60 };
    test_random random = { 5 };
    for (size_t n = 0; n < test_count(200); n++) {
        scene s = random_scene(&random, test_below(&random, 40), n % 3 ? ANY : LATTICE, 1, 0);
        mr_ray rays[RAYS];
        float hit[RAYS][4];
        uint32_t primitive[RAYS];
        for (size_t i = 0; i < RAYS; i++) {
            rays[i] = random_ray(&random, &s, ANY, 1, 0);
            mr_hit found = slow_closest(&s, &rays[i]);
            bool wild = test_below(&random, 10) == 0; // what no ray kernel wrote
            float odd[] = { NAN, -1, 3e38f, 2 };
            memcpy(hit[i], (float[]){ found.t, found.u, found.v, wild ? odd[i % 4] : (float)found.fan }, 16);
            primitive[i] = wild && i % 3 ? test_u32(&random) % 50 : found.primitive;
        }
        mr_attribute items[] = { { "rays", column_of(*state, MR_COLUMN_VEC4, rays, 2 * RAYS) },
                                 { "pts", column_of(*state, MR_COLUMN_VEC3, s.points, s.faces.point_count) },
                                 { "vpt", column_of(*state, MR_COLUMN_INT, s.corners, s.faces.vertex_count) },
                                 { "vstart", column_of(*state, MR_COLUMN_INT, s.starts, s.faces.count) },
                                 { "hit", column_of(*state, MR_COLUMN_VEC4, hit, RAYS) },
                                 { "hit_prim", column_of(*state, MR_COLUMN_UINT, primitive, RAYS) } };
        mr_uniform uniform = { "skin", 1, { 0.01 } };
        mr_kernel_request request = { .kernel = mr_kernel_find("ray_surface"),
                                      .domain = mr_count_plain(RAYS),
                                      .columns = { items, 6 },
                                      .uniforms = &uniform,
                                      .uniform_count = 1 };
        mr_kernel_result result;
        mr_error error = { 0 };
        test_assert_ok(mr_kernel_run(*state, &request, &result, &error), &error);
        for (size_t i = 0; i < RAYS; i++) {
            check_surface(&s, &rays[i], hit[i], primitive[i], 0.01f,
                          mr_kernel_result_find(&result, "hit_normal")->f32 + 3 * i,
                          mr_kernel_result_find(&result, "hit_end")->f32 + 3 * i);
        }
        mr_kernel_result_release(&result);
        for (size_t i = 0; i < 6; i++) {
            mr_column_release(items[i].column);
        }
        free_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_closest_crossing_is_that_of_the_distances, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(chosen_rays_meet_what_they_should, test_setup, test_teardown),
        cmocka_unit_test(one_thread_and_seven_give_the_same_bits),
        cmocka_unit_test_setup_teardown(a_table_that_does_not_fit_is_refused, test_setup, test_teardown),
        cmocka_unit_test(failing_memory_is_an_error_at_every_site),
        cmocka_unit_test_setup_teardown(surfaces_face_the_ray_and_ends_stand_off_them, test_setup,
                                        test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
