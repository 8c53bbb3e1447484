// The kernels that search the spatial hash, against a look at every point.

#include "hash_support.h"

#include "kernel/hash_walk.h"

typedef struct scene {
    cloud points, queries;
    bool self; // the queries are the points
    uint32_t buckets;
    float inv_cell, radius;
    slow_index index;
} scene;

static float radius_for(test_random *random, float side)
{
    switch (test_below(random, 10)) {
    case 0:
        return 0;
    case 1:
        return (float)test_between(random, 1, 20) * side;
    case 2:
        return 1e20f; // its square is past f32
    case 3:
        return side; // a corner's neighbours stand at exactly so much
    default:
        return (float)test_between(random, 0, 2) * side;
    }
}

static scene scene_of(test_random *random)
{
    scene s = { .points = cloud_of(random, size_of(random)), .buckets = buckets_for(random) };
    s.self = test_below(random, 2) == 0;
    s.queries = s.self ? s.points : cloud_of(random, size_of(random));
    s.inv_cell = (test_below(random, 3) ? 1.0f : (float)test_between(random, 0.2, 4)) / s.points.side;
    s.radius = radius_for(random, s.points.side);
    s.index = slow_index_of_cloud(&s.points, s.buckets, s.inv_cell);
    return s;
}

static void scene_free(scene *s)
{
    slow_index_free(&s->index);
    free(s->points.xyz);
    if (!s->self) {
        free(s->queries.xyz);
    }
}

static float squared_between(const float *p, const float *q)
{
    volatile float x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    volatile float xx = x * x, yy = y * y, zz = z * z, xy = xx + yy, sum = xy + zz;
    return sum;
}

static bool is_near(const scene *s, const float *q, size_t point)
{
    volatile float squared = s->radius * s->radius;
    return squared_between(s->points.xyz + 3 * point, q) <= squared;
}

static bool bind_index(kernel_test *t, const scene *s)
{
    test_number(t, "buckets", s->buckets);
    test_number(t, "inv_cell", (double)s->inv_cell);
    return test_bind(t, "pts", MR_COLUMN_VEC3, s->points.xyz, s->points.count) &&
           test_bind(t, "order", MR_COLUMN_UINT, s->index.order, s->points.count) &&
           test_bind(t, "range", MR_COLUMN_UINT, s->index.range, 2 * (size_t)s->buckets);
}

static void begin_search(kernel_test *t, mr_context *context, const char *name, const scene *s, bool skip)
{
    test_kernel(t, context, name, s->queries.count);
    assert_true(bind_index(t, s));
    assert_true(test_bind(t, "qpts", MR_COLUMN_VEC3, s->queries.xyz, s->queries.count));
    test_number(t, "skip_self", skip);
}

static uint32_t slow_count(const scene *s, size_t query, bool skip)
{
    uint32_t count = 0;
    for (size_t i = 0; i < s->points.count; i++) {
        count += !(skip && i == query) && is_near(s, s->queries.xyz + 3 * query, i);
    }
    return count;
}

static void counts_are_those_of_looking_at_every_point(void **state)
{
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(6000); n++) {
        scene s = scene_of(&random);
        bool skip = test_below(&random, 2);
        uint32_t live = (uint32_t)s.queries.count;
        kernel_test t;
        begin_search(&t, contexts[n % context_count], "hash_count", &s, skip);
        test_number(&t, "radius", (double)s.radius);
        if (n % 3 == 0) {
            live = test_below(&random, live + 1);
            assert_true(test_live(&t, live));
        }
        test_run(&t);
        const mr_column *counts = test_found(&t, "counts");
        for (size_t q = 0; q < s.queries.count; q++) {
            assert_int_equal(counts->u32[q], q < live ? slow_count(&s, q, skip) : 0);
        }
        test_end(&t);
        scene_free(&s);
    }
}

// Whether a list is in the order of the walk: cells by z, y and x, and places in a cell; or by place alone.
static bool in_order(const scene *s, const uint32_t *list, size_t count)
{
    bool by_cell = true, by_place = true;
    uint32_t *place_of = malloc((s->points.count + 1) * 4);
    for (size_t i = 0; i < s->points.count; i++) {
        place_of[s->index.order[i]] = (uint32_t)i;
    }
    for (size_t i = 1; i < count; i++) {
        mr_hash_cell a = mr_hash_cell_of(s->points.xyz + 3 * (size_t)list[i - 1], s->inv_cell),
                     b = mr_hash_cell_of(s->points.xyz + 3 * (size_t)list[i], s->inv_cell);
        bool later = place_of[list[i]] > place_of[list[i - 1]];
        by_place &= later;
        by_cell &= a.z != b.z ? a.z < b.z : a.y != b.y ? a.y < b.y : a.x != b.x ? a.x < b.x : later;
    }
    free(place_of);
    return by_cell || by_place;
}

static void assert_list(const scene *s, size_t query, bool skip, const uint32_t *list, size_t count)
{
    bool *seen = calloc(s->points.count + 1, 1);
    for (size_t i = 0; i < count; i++) {
        assert_true(list[i] < s->points.count);
        assert_false(seen[list[i]]); // no point twice, whatever cells share a bucket
        seen[list[i]] = true;
        assert_true(is_near(s, s->queries.xyz + 3 * query, list[i]));
        assert_false(skip && list[i] == query);
    }
    assert_true(in_order(s, list, count));
    free(seen);
}

static void lists_hold_the_points_that_are_near(void **state)
{
    test_random random = { 2 };
    for (size_t n = 0; n < test_count(6000); n++) {
        scene s = scene_of(&random);
        bool skip = test_below(&random, 2);
        size_t count = s.queries.count, live = count;
        uint32_t *offsets = calloc(count + 1, 4), sum = 0;
        kernel_test t;
        begin_search(&t, contexts[n % context_count], "hash_gather", &s, skip);
        test_number(&t, "radius", (double)s.radius);
        if (n % 3 == 0) {
            live = test_below(&random, (uint32_t)count + 1);
            assert_true(test_live(&t, (uint32_t)live));
        }
        for (size_t q = 0; q < count; q++) {
            offsets[q] = sum;
            sum += q < live ? slow_count(&s, q, skip) : 0;
        }
        uint32_t total = n % 2 ? sum : test_below(&random, 2 * sum + 3);
        test_number(&t, "total", total);
        assert_true(test_bind(&t, "qoff", MR_COLUMN_UINT, offsets, count));
        test_run(&t);
        const mr_column *items = test_found(&t, "items");
        assert_int_equal(items->count, total);
        assert_int_equal(test_found(&t, "items_count")->u32[0], sum); // the true count, also past what fits
        for (size_t q = 0; q < live; q++) {
            uint32_t end = q + 1 < count ? offsets[q + 1] : sum;
            if (end <= total) {
                assert_list(&s, q, skip, items->u32 + offsets[q], end - offsets[q]);
            }
        }
        for (size_t i = sum; i < total; i++) {
            assert_int_equal(items->u32[i], 0);
        }
        test_end(&t);
        free(offsets);
        scene_free(&s);
    }
}

static mr_hash_found slow_nearest(const scene *s, size_t points, size_t query, bool skip)
{
    mr_hash_found best = { 0xffffffffu, INFINITY };
    for (size_t i = 0; i < points; i++) {
        float squared = squared_between(s->points.xyz + 3 * i, s->queries.xyz + 3 * query);
        bool first = best.point == 0xffffffffu && squared <= INFINITY;
        if (!(skip && i == query) && (first || squared < best.squared)) {
            best = (mr_hash_found){ (uint32_t)i, squared };
        }
    }
    return best;
}

static void the_nearest_is_that_of_looking_at_every_point(void **state)
{
    test_random random = { 3 };
    for (size_t n = 0; n < test_count(6000); n++) {
        scene s = scene_of(&random);
        bool skip = test_below(&random, 2), some = n % 4 == 0;
        uint32_t live = (uint32_t)s.queries.count, points = (uint32_t)s.points.count;
        if (some) { // the index is of the first points alone
            cloud fewer = s.points;
            points = test_below(&random, points + 1);
            uint32_t *keys = malloc(s.points.count * 4 + 4);
            for (size_t i = 0; i < fewer.count; i++) {
                keys[i] = i < points ? slow_bucket(fewer.xyz + 3 * i, s.buckets, s.inv_cell) : 0x7fffffffu;
            }
            slow_index_free(&s.index);
            s.index = slow_index_of(keys, fewer.count, s.buckets);
            free(keys);
        }
        kernel_test t;
        begin_search(&t, contexts[n % context_count], "hash_nearest", &s, skip);
        test_number(&t, "points", (double)s.points.count);
        if (some) {
            test_choose(&t, "POINTS", "device");
            assert_true(test_bind(&t, "point_count", MR_COLUMN_UINT, &points, 1));
        }
        if (test_below(&random, 2)) {
            static const uint32_t rings[] = { 0, 1, 3, 7, 100, 4294967295u };
            test_number(&t, "rings", rings[test_below(&random, 6)]);
        }
        if (n % 3 == 0) {
            live = test_below(&random, live + 1);
            assert_true(test_live(&t, live));
        }
        test_run(&t);
        const mr_column *nearest = test_found(&t, "nearest"), *squared = test_found(&t, "dist2");
        for (size_t q = 0; q < s.queries.count; q++) {
            mr_hash_found found =
                q < live ? slow_nearest(&s, points, q, skip) : (mr_hash_found){ 0xffffffffu, INFINITY };
            assert_int_equal(nearest->u32[q], found.point);
            assert_true(squared->f32[q] == found.squared);
        }
        test_end(&t);
        scene_free(&s);
    }
}

// The mean push in f64, of what f32 says is near; *total is how much was added up, without signs.
static size_t slow_push(const scene *s, size_t query, bool skip, double push[3])
{
    const float *q = s->queries.xyz + 3 * query;
    volatile float limit = s->radius * s->radius;
    size_t count = 0;
    memset(push, 0, 3 * sizeof *push);
    for (size_t i = 0; i < s->points.count; i++) {
        const float *p = s->points.xyz + 3 * i;
        float squared = squared_between(p, q);
        if (!(squared < limit) || (skip && (i == query || squared == 0))) {
            continue;
        }
        count++;
        double distance = sqrt((double)squared);
        for (int k = 0; k < 3 && squared > 0; k++) {
            push[k] += ((double)q[k] - (double)p[k]) / distance * (1 - distance / (double)s->radius);
        }
    }
    for (int k = 0; k < 3; k++) {
        push[k] /= count ? (double)count : 1;
    }
    return count;
}

static void the_push_is_the_mean_over_what_is_near(void **state)
{
    test_random random = { 4 };
    for (size_t n = 0; n < test_count(4000); n++) {
        scene s = scene_of(&random);
        bool skip = test_below(&random, 2);
        uint32_t live = (uint32_t)s.queries.count;
        kernel_test t;
        begin_search(&t, contexts[n % context_count], "hash_repel", &s, skip);
        test_number(&t, "radius", (double)s.radius);
        if (n % 3 == 0) {
            live = test_below(&random, live + 1);
            assert_true(test_live(&t, live));
        }
        test_run(&t);
        const mr_column *push = test_found(&t, "push");
        bool tame = s.points.side > 1e-20f && s.radius < 1e18f; // squares neither vanish nor overflow
        for (size_t q = 0; q < s.queries.count; q++) {
            double wanted[3];
            size_t count = slow_push(&s, q, skip, wanted);
            for (size_t k = 0; k < 3; k++) {
                double got = (double)push->f32[3 * q + k];
                if (q >= live || count == 0) {
                    assert_true(push->u32[3 * q + k] == 0);
                } else if (tame) {
                    assert_true(fabs(got - wanted[k]) <= 1e-5);
                }
            }
        }
        test_end(&t);
        scene_free(&s);
    }
}

// Connected sets.

static uint32_t root_of(const uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        i = parent[i];
    }
    return i;
}

static bool joined(const scene *s, const float *normals, float cosine, size_t a, size_t b)
{
    volatile float xx = normals[3 * a] * normals[3 * b], yy = normals[3 * a + 1] * normals[3 * b + 1],
                   zz = normals[3 * a + 2] * normals[3 * b + 2], xy = xx + yy, dot = xy + zz;
    return is_near(s, s->points.xyz + 3 * a, b) && dot >= cosine;
}

static uint32_t *slow_sets(const scene *s, size_t live, const float *normals, float cosine)
{
    uint32_t *parent = malloc((s->points.count + 1) * 4);
    for (uint32_t i = 0; i < s->points.count; i++) {
        parent[i] = i;
        for (uint32_t k = 0; k < i && i < live; k++) {
            if (joined(s, normals, cosine, i, k)) {
                uint32_t a = root_of(parent, i), b = root_of(parent, k);
                parent[a > b ? a : b] = a > b ? b : a;
            }
        }
    }
    for (uint32_t i = 0; i < s->points.count; i++) {
        parent[i] = root_of(parent, i);
    }
    return parent;
}

typedef struct hooking {
    const scene *s;
    mr_context *context;
    size_t live;
    bool device, normal;
    const float *normals;
    float cosine;
} hooking;

static bool hook_stage(const hooking *h, const char *stage, const uint32_t *label, uint32_t *hooked,
                       mr_error *error)
{
    size_t count = h->s->points.count;
    bool hook = strcmp(stage, "hook") == 0;
    kernel_test t;
    test_kernel(&t, h->context, "hash_hook", count);
    test_choose(&t, "STAGE", stage);
    bool good = test_bind(&t, "hooked", MR_COLUMN_UINT, hooked, count);
    if (hook) {
        test_choose(&t, "MATCH", h->normal ? "normal" : "position");
        good = good && bind_index(&t, h->s) && test_bind(&t, "label", MR_COLUMN_UINT, label, count) &&
               (!h->normal || test_bind(&t, "nrm", MR_COLUMN_VEC3, h->normals, count));
        test_number(&t, "radius", (double)h->s->radius);
        test_number(&t, "cos_angle", (double)h->cosine);
    }
    good = good && (!h->device || test_live(&t, (uint32_t)h->live)) && test_try(&t, error);
    if (good) {
        memcpy(hooked, test_found(&t, "hooked")->u32, count * 4);
    }
    test_end(&t);
    return good;
}

// What one round leaves: every root's least neighbouring root.
static void slow_hook(const hooking *h, const uint32_t *label, uint32_t *hooked)
{
    for (size_t i = 0; i < h->live; i++) {
        for (size_t k = 0; k < h->live; k++) {
            if (joined(h->s, h->normals, h->normal ? h->cosine : -INFINITY, i, k) &&
                label[k] < hooked[label[i]]) {
                hooked[label[i]] = label[k];
            }
        }
    }
}

static void check_rounds(const hooking *h)
{
    size_t count = h->s->points.count, size = count * 4 + 4;
    uint32_t *label = malloc(size), *hooked = malloc(size), *wanted = malloc(size);
    mr_error error;
    for (uint32_t i = 0; i < count; i++) {
        label[i] = hooked[i] = wanted[i] = i;
    }
    for (size_t rounds = 0; rounds < 20; rounds++) {
        slow_hook(h, label, wanted);
        test_assert_ok(hook_stage(h, "hook", label, hooked, &error), &error);
        assert_memory_equal(hooked, wanted, count * 4);
        test_assert_ok(hook_stage(h, "find", label, hooked, &error), &error);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(hooked[i], root_of(wanted, i));
        }
        bool same = memcmp(hooked, label, count * 4) == 0;
        memcpy(label, hooked, count * 4);
        memcpy(wanted, hooked, count * 4);
        if (same) {
            break;
        }
    }
    uint32_t *sets = slow_sets(h->s, h->live, h->normals, h->normal ? h->cosine : -INFINITY);
    assert_memory_equal(label, sets, count * 4);
    free(sets);
    free(label);
    free(hooked);
    free(wanted);
}

static void rounds_of_hooking_find_the_connected_sets(void **state)
{
    test_random random = { 5 };
    for (size_t n = 0; n < test_count(1500); n++) {
        scene s = scene_of(&random);
        float *normals = malloc((3 * s.points.count + 1) * sizeof(float));
        for (size_t i = 0; i < 3 * s.points.count; i++) {
            normals[i] = i % 3 == test_below(&random, 3) ? 1.0f : test_below(&random, 40) ? 0.5f : NAN;
        }
        hooking h = {
            &s, contexts[n % context_count], s.points.count, n % 3 == 0, n % 2 == 0, normals, 0.75f
        };
        if (!h.normal) { // NaN would part what position joins, in the slow sets
            memset(normals, 0, 3 * s.points.count * sizeof(float));
        }
        if (h.device) {
            h.live = test_below(&random, (uint32_t)s.points.count + 1);
            uint32_t *keys = malloc(s.points.count * 4 + 4);
            for (size_t i = 0; i < s.points.count; i++) {
                keys[i] = i < h.live ? slow_bucket(s.points.xyz + 3 * i, s.buckets, s.inv_cell) : 0x7fffffffu;
            }
            slow_index_free(&s.index);
            s.index = slow_index_of(keys, s.points.count, s.buckets);
            free(keys);
        }
        check_rounds(&h);
        free(normals);
        scene_free(&s);
    }
}

// Twice as many rounds as a number's bits are enough, also for a chain numbered to make it hard.
static void twice_the_bits_of_rounds_are_enough(void **state)
{
    enum { COUNT = 3000 };
    test_random random = { 6 };
    for (size_t kind = 0; kind < 3; kind++) {
        scene s = { .points = { COUNT, malloc(3 * COUNT * sizeof(float)), 1 },
                    .buckets = 4096,
                    .inv_cell = 1,
                    .radius = 1 };
        uint32_t at[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            at[i] = kind == 0 ? i : COUNT - 1 - i;
        }
        for (uint32_t i = COUNT - 1; kind == 2 && i > 0; i--) {
            uint32_t with = test_below(&random, i + 1), other = at[i];
            at[i] = at[with];
            at[with] = other;
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            memcpy(s.points.xyz + 3 * i, (float[]){ (float)at[i], 0, 0 }, 12);
        }
        s.index = slow_index_of_cloud(&s.points, s.buckets, s.inv_cell);
        uint32_t label[COUNT], hooked[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            label[i] = i;
        }
        hooking h = { .s = &s, .context = contexts[kind % context_count], .live = COUNT };
        mr_error error;
        for (size_t rounds = 0; rounds < 24; rounds++) {
            memcpy(hooked, label, sizeof hooked);
            test_assert_ok(hook_stage(&h, "hook", label, hooked, &error), &error);
            test_assert_ok(hook_stage(&h, "find", label, hooked, &error), &error);
            memcpy(label, hooked, sizeof hooked);
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_int_equal(label[i], 0);
        }
        slow_index_free(&s.index);
        free(s.points.xyz);
    }
}

// A search of many queries by every kernel: the words of all that it wrote.
static mr_column *large_search(mr_context *context, const scene *s, const char *name, const char *output,
                               const uint32_t *offsets, uint32_t total)
{
    kernel_test t;
    begin_search(&t, context, name, s, true);
    if (strcmp(name, "hash_nearest") == 0) {
        test_number(&t, "points", (double)s->points.count);
    } else {
        test_number(&t, "radius", (double)s->radius);
    }
    if (offsets) {
        test_number(&t, "total", total);
        assert_true(test_bind(&t, "qoff", MR_COLUMN_UINT, offsets, s->queries.count));
    }
    test_run(&t);
    mr_column *column = mr_kernel_result_take(&t.result, output);
    test_end(&t);
    return column;
}

static void large_searches_are_the_same_everywhere(void **state)
{
    static const char *const names[] = { "hash_count", "hash_gather", "hash_nearest", "hash_repel" };
    static const char *const outputs[] = { "counts", "items", "nearest", "push" };
    enum { COUNT = 9000 };
    test_random random = { 7 };
    scene s = { .points = { COUNT, malloc(3 * COUNT * sizeof(float)), 1 },
                .self = true,
                .buckets = 8192,
                .inv_cell = 0.7f,
                .radius = 1.25f };
    for (size_t i = 0; i < 3 * COUNT; i++) {
        s.points.xyz[i] = (float)test_between(&random, -10, 10);
    }
    s.queries = s.points;
    s.index = slow_index_of_cloud(&s.points, s.buckets, s.inv_cell);
    uint32_t *offsets = malloc(COUNT * 4), total = 0;
    for (size_t q = 0; q < COUNT; q++) {
        offsets[q] = total;
        total += slow_count(&s, q, true);
    }
    for (size_t k = 0; k < 4; k++) {
        const uint32_t *with = k == 1 ? offsets : NULL;
        mr_column *first = large_search(contexts[0], &s, names[k], outputs[k], with, total);
        for (size_t c = 1; c < context_count; c++) {
            mr_column *other = large_search(contexts[c], &s, names[k], outputs[k], with, total);
            assert_int_equal(first->count, other->count);
            assert_memory_equal(first->u32, other->u32, first->count * mr_column_lanes(first->type) * 4);
            mr_column_release(other);
        }
        for (size_t q = 0; q < COUNT && k == 0; q++) {
            assert_int_equal(first->u32[q], (q + 1 < COUNT ? offsets[q + 1] : total) - offsets[q]);
        }
        mr_column_release(first);
    }
    free(offsets);
    scene_free(&s);
}

// Bad input.

static void words_that_are_no_index_lead_nowhere(void **state)
{
    test_random random = { 8 };
    static const uint32_t wild[] = { 0, 1, 5, 63, 64, 0x7fffffffu, 0x80000000u, 0xffffffffu };
    for (size_t n = 0; n < test_count(2000); n++) {
        scene s = scene_of(&random);
        size_t count = s.points.count;
        for (size_t i = 0; i < 2 * (size_t)s.buckets; i++) {
            s.index.range[i] = test_below(&random, 2) ? s.index.range[i] : wild[test_below(&random, 8)];
        }
        for (size_t i = 0; i < count; i++) {
            s.index.order[i] = test_below(&random, 2) ? s.index.order[i] : wild[test_below(&random, 8)];
        }
        static const char *const names[] = { "hash_count", "hash_nearest", "hash_repel" };
        mr_error error;
        for (size_t k = 0; k < 3; k++) {
            kernel_test t;
            begin_search(&t, contexts[n % context_count], names[k], &s, false);
            test_number(&t, k == 1 ? "points" : "radius", k == 1 ? (double)count : (double)s.radius);
            test_run(&t);
            for (size_t q = 0; k == 1 && q < s.queries.count; q++) {
                uint32_t found = test_found(&t, "nearest")->u32[q];
                assert_true(found < count || found == 0xffffffffu);
            }
            test_end(&t);
        }
        uint32_t *label = malloc(count * 4 + 4), *hooked = malloc(count * 4 + 4);
        for (size_t i = 0; i < count; i++) {
            label[i] = wild[test_below(&random, 8)];
            hooked[i] =
                test_below(&random, 2) ? test_below(&random, (uint32_t)count) : wild[test_below(&random, 8)];
        }
        hooking h = { .s = &s, .context = contexts[n % context_count], .live = count };
        test_assert_ok(hook_stage(&h, "hook", label, hooked, &error), &error);
        uint32_t *before = malloc(count * 4 + 4);
        memcpy(before, hooked, count * 4);
        test_assert_ok(hook_stage(&h, "find", label, hooked, &error), &error);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t root = i;
            while (before[root] < root) {
                root = before[root];
            }
            assert_int_equal(hooked[i], root);
        }
        free(before);
        free(label);
        free(hooked);
        scene_free(&s);
    }
}

static void bad_input_is_refused_by_name(void **state)
{
    float xyz[9] = { 0, 0, 0, 0.5f, 0, 0, 9, 9, 9 };
    scene s = { .points = { 3, xyz, 1 }, .self = true, .buckets = 4, .inv_cell = 1, .radius = 1 };
    s.queries = s.points;
    s.index = slow_index_of_cloud(&s.points, 4, 1);
    static const uint32_t falls[] = { 0, 2, 1 }, late[] = { 1, 2, 4 }, wrong[] = { 0, 1, 4 },
                          right[] = { 0, 2, 4 };
    static const struct {
        const uint32_t *offsets;
        const char *part;
    } cases[] = { { falls, "binding qoff falls at query 2" },
                  { late, "binding qoff begins with 1" },
                  { wrong, "binding qoff leaves query 0 room for 1" },
                  { right, NULL } };
    kernel_test t;
    for (size_t i = 0; i < 4; i++) {
        begin_search(&t, contexts[0], "hash_gather", &s, false);
        test_number(&t, "radius", 1);
        test_number(&t, "total", 5);
        assert_true(test_bind(&t, "qoff", MR_COLUMN_UINT, cases[i].offsets, 3));
        if (cases[i].part) {
            test_refused(&t, cases[i].part);
        } else {
            test_run(&t);
            assert_int_equal(test_found(&t, "items_count")->u32[0], 5);
        }
        test_end(&t);
    }
    begin_search(&t, contexts[0], "hash_count", &s, false);
    test_refused(&t, "radius");
    test_number(&t, "radius", -1);
    test_refused(&t, "radius");
    t.uniforms[t.request.uniform_count - 1].value[0] = NAN;
    test_refused(&t, "radius");
    t.uniforms[t.request.uniform_count - 1].value[0] = 1;
    t.uniforms[0].value[0] = 3; // buckets
    test_refused(&t, "power of two");
    t.uniforms[0].value[0] = 8;
    test_refused(&t, "binding range");
    test_end(&t);
    slow_index_free(&s.index);
}

static bool search_somehow(mr_context *context)
{
    enum { COUNT = 5000 };
    static float xyz[3 * COUNT];
    static uint32_t order[COUNT], range[2] = { 0, COUNT };
    scene s = {
        .points = { COUNT, xyz, 1 }, .buckets = 1, .inv_cell = 1, .radius = 1, .index = { .order = order }
    };
    s.index.range = range;
    for (uint32_t i = 0; i < COUNT; i++) {
        xyz[3 * i] = (float)i * 10;
        order[i] = i;
    }
    kernel_test t;
    mr_error error = { 0 };
    test_kernel(&t, context, "hash_count", COUNT);
    bool good = bind_index(&t, &s) && test_bind(&t, "qpts", MR_COLUMN_VEC3, xyz, COUNT);
    test_number(&t, "radius", 1);
    good = good && test_try(&t, &error);
    assert_true(good || error.status != MR_BAD_INPUT);
    test_end(&t);
    return good;
}

static void a_failing_allocator_loses_nothing(void **state)
{
    test_allocations(search_somehow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_looking_at_every_point),
        cmocka_unit_test(lists_hold_the_points_that_are_near),
        cmocka_unit_test(the_nearest_is_that_of_looking_at_every_point),
        cmocka_unit_test(the_push_is_the_mean_over_what_is_near),
        cmocka_unit_test(rounds_of_hooking_find_the_connected_sets),
        cmocka_unit_test(twice_the_bits_of_rounds_are_enough),
        cmocka_unit_test(large_searches_are_the_same_everywhere),
        cmocka_unit_test(words_that_are_no_index_lead_nowhere),
        cmocka_unit_test(bad_input_is_refused_by_name),
        cmocka_unit_test(a_failing_allocator_loses_nothing),
    };
    return cmocka_run_group_tests(tests, contexts_begin, contexts_end);
}
