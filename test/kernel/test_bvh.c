// The kernels that make the node table, against a tree cut from its definition top down and boxes folded leaf by leaf.

#include "kernel/bvh.h"
#include "kernel/device.h"
#include "support.h"

#include <math.h>

typedef struct scene {
    size_t points, vertices, primitives;
    float *pts;
    int32_t *vpt, *vstart, *vcount;
} scene;

// What the kernels made of a scene.
typedef struct made {
    uint32_t *codes, *order, *nodes;
} made;

static void *room_for(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

static float coordinate(test_random *random, uint32_t kind)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, -0.0f, 0.0f, 1e-42f, -1e-42f, 3e38f, -3e38f };
    if (kind == 0) {
        return (float)test_between(random, -10, 10);
    }
    if (kind == 1) {
        return (float)test_below(random, 4); // a lattice: many codes are equal
    }
    return test_below(random, 4) ? (float)test_between(random, -1, 1) : odd[test_below(random, 9)];
}

static scene random_scene(test_random *random, size_t primitives)
{
    scene s = { .primitives = primitives,
                .points =
                    test_below(random, 8) ? 1 + test_below(random, (uint32_t)(2 * primitives + 4)) : 0 };
    uint32_t kind = test_below(random, 3), wild = test_below(random, 4) == 0;
    s.vertices = 3 * primitives;
    s.pts = room_for(s.points, 3 * sizeof(float));
    s.vpt = room_for(s.vertices, sizeof(int32_t));
    s.vstart = room_for(primitives, sizeof(int32_t));
    s.vcount = room_for(primitives, sizeof(int32_t));
    for (size_t i = 0; i < 3 * s.points; i++) {
        s.pts[i] = coordinate(random, kind);
    }
    for (size_t i = 0; i < s.vertices; i++) {
        s.vpt[i] =
            (int32_t)test_below(random, (uint32_t)s.points + 1) - (int32_t)(test_below(random, 9) == 0);
    }
    for (size_t i = 0; i < primitives; i++) {
        s.vstart[i] = (int32_t)(3 * i);
        s.vcount[i] = wild ? (int32_t)test_below(random, 8) - 2 : 3;
        if (wild && test_below(random, 8) == 0) {
            s.vstart[i] = (int32_t)test_u32(random);
            s.vcount[i] = (int32_t)test_u32(random);
        }
    }
    return s;
}

static void free_scene(scene *s)
{
    free(s->pts);
    free(s->vpt);
    free(s->vstart);
    free(s->vcount);
}

static mr_column *column_of(mr_context *context, mr_column_type type, const void *words, size_t count)
{
    mr_error error;
    mr_column *column = mr_column_from(context, type, words, count, &error);
    assert_non_null(column);
    return mr_column_publish(column);
}

// Runs a kernel whose columns stand by name; answers the output of that name.
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

static void let_go(inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        mr_column_release(in->items[i].column);
    }
    in->count = 0;
}

static bool run_on(mr_context *context, const char *kernel, size_t n, inputs *in, const mr_uniform *uniforms,
                   size_t uniform_count, mr_kernel_result *result, mr_error *error)
{
    mr_kernel_request request = { .kernel = mr_kernel_find(kernel),
                                  .domain = mr_count_plain(n),
                                  .columns = { in->items, in->count },
                                  .uniforms = uniforms,
                                  .uniform_count = uniform_count };
    assert_non_null(request.kernel);
    return mr_kernel_run(context, &request, result, error);
}

static bool step(mr_context *context, const char *kernel, size_t n, inputs *in, const mr_uniform *uniforms,
                 size_t uniform_count, mr_error *error)
{
    mr_kernel_result result;
    if (!run_on(context, kernel, n, in, uniforms, uniform_count, &result, error)) {
        assert_int_equal(result.count, 0);
        return false;
    }
    for (size_t i = 0; i < result.count; i++) {
        give(in, result.items[i].name, mr_column_retain(result.items[i].column));
    }
    mr_kernel_result_release(&result);
    return true;
}

static size_t power_of_two(size_t count)
{
    size_t room = count > 0;
    while (room < count) {
        room *= 2;
    }
    return room;
}

// By (code, primitive): the order a stable sort gives.
static const uint32_t *compared;
static int by_code(const void *a, const void *b)
{
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return compared[p] != compared[q] ? (compared[p] < compared[q] ? -1 : 1) : p < q ? -1 : 1;
}

static void give_scene(mr_context *context, const scene *s, inputs *in)
{
    float lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (size_t i = 0; i < 3 * s->points; i++) {
        lo[i % 3] = s->pts[i] < lo[i % 3] ? s->pts[i] : lo[i % 3];
        hi[i % 3] = s->pts[i] > hi[i % 3] ? s->pts[i] : hi[i % 3];
    }
    give(in, "pts", column_of(context, MR_COLUMN_VEC3, s->pts, s->points));
    give(in, "vpt", column_of(context, MR_COLUMN_INT, s->vpt, s->vertices));
    give(in, "vstart", column_of(context, MR_COLUMN_INT, s->vstart, s->primitives));
    give(in, "vcount", column_of(context, MR_COLUMN_INT, s->vcount, s->primitives));
    give(in, "lo", column_of(context, MR_COLUMN_VEC3, lo, 1));
    give(in, "hi", column_of(context, MR_COLUMN_VEC3, hi, 1));
}

static bool build(mr_context *context, const scene *s, inputs *in, mr_error *error)
{
    size_t np = s->primitives, room = power_of_two(np);
    if (!step(context, "bvh_codes", np, in, NULL, 0, error)) {
        return false;
    }
    mr_column *codes = NULL;
    for (size_t i = 0; i < in->count; i++) {
        codes = strcmp(in->items[i].name, "codes") == 0 ? in->items[i].column : codes;
    }
    uint32_t *order = room_for(np, sizeof *order);
    for (uint32_t i = 0; i < np; i++) {
        order[i] = i;
    }
    compared = codes->u32;
    qsort(order, np, sizeof *order, by_code);
    mr_column *ordered = mr_column_from(context, MR_COLUMN_UINT, order, np, error);
    free(order);
    if (!ordered) {
        return false;
    }
    give(in, "order", mr_column_publish(ordered));
    mr_uniform uniforms[] = { { "np", 1, { (double)np } },
                              { "pyr_size", 1, { (double)room } },
                              { "level", 1, { 0 } } };
    if (!step(context, "bvh", np, in, uniforms, 2, error)) {
        return false;
    }
    for (size_t level = 1; room >> level > 0; level++) {
        uniforms[2].value[0] = (double)level;
        if (!step(context, "bvh_pyramid", room >> level, in, uniforms, 3, error)) {
            return false;
        }
    }
    return step(context, "bvh_internal", np ? np - 1 : 0, in, uniforms, 2, error);
}

static const mr_column *made_of(const inputs *in, const char *name)
{
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(in->items[i].name, name) == 0) {
            return in->items[i].column;
        }
    }
    fail_msg("no %s", name);
    return NULL;
}

// The definitions, slowly.

static bool vertex_at(const scene *s, size_t primitive, int64_t k, const float **point)
{
    int64_t vertex = (int64_t)s->vstart[primitive] + k;
    if (s->vstart[primitive] < 0 || vertex >= (int64_t)s->vertices) {
        return false;
    }
    int32_t at = s->vpt[vertex];
    *point = at >= 0 && at < (int64_t)s->points ? s->pts + 3 * at : NULL;
    return true;
}

static mr_box box_of(const scene *s, size_t primitive)
{
    mr_box box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    const float *point;
    for (int64_t k = 0; k < s->vcount[primitive] && vertex_at(s, primitive, k, &point); k++) {
        for (int axis = 0; point && axis < 3; axis++) {
            float x = point[axis] == 0 ? 0.0f : point[axis];
            box.low[axis] = fminf(box.low[axis], x);
            box.high[axis] = fmaxf(box.high[axis], x);
        }
    }
    return box;
}

static uint32_t code_of(const mr_box *box, const float *lo, const float *hi)
{
    uint32_t code = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (!(box->low[axis] <= box->high[axis])) {
            return 0;
        }
        volatile float low = 0.5f * box->low[axis], high = 0.5f * box->high[axis];
        volatile float centre = low + high, from = centre - lo[axis], size = hi[axis] - lo[axis];
        volatile float part = from / size, scaled = part * 1024.0f;
        int slice = isnan(scaled) ? 0 : (int)fmaxf(0, fminf(1023, floorf(scaled)));
        for (int bit = 0; bit < 10; bit++) {
            code |= (uint32_t)(slice >> bit & 1) << (3 * bit + 2 - axis);
        }
    }
    return code;
}

static mr_box folded(const mr_box *a, const mr_box *b)
{
    mr_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.low[axis] = fminf(a->low[axis], b->low[axis]);
        box.high[axis] = fmaxf(a->high[axis], b->high[axis]);
    }
    return box;
}

static void assert_node(const uint32_t *nodes, size_t node, const mr_box *box, uint32_t left, uint32_t right)
{
    uint32_t words[8];
    memcpy(words, box, sizeof *box);
    words[6] = left;
    words[7] = right;
    if (memcmp(nodes + 8 * node, words, sizeof words) != 0) {
        fail_msg("node %zu is { %08x %08x %08x %08x %08x %08x, %u %u }, not { ... %u %u }", node,
                 nodes[8 * node], nodes[8 * node + 1], nodes[8 * node + 2], nodes[8 * node + 3],
                 nodes[8 * node + 4], nodes[8 * node + 5], nodes[8 * node + 6], nodes[8 * node + 7], left,
                 right);
    }
}

// Checks the run first to last, which is node `node`, and answers its box.
static mr_box check_run(const scene *s, const made *m, size_t first, size_t last, size_t node)
{
    size_t np = s->primitives;
    if (first == last) {
        mr_box box = box_of(s, m->order[first]);
        assert_int_equal(node, np - 1 + first);
        assert_node(m->nodes, node, &box, m->order[first], 0xffffffffu);
        return box;
    }
    uint64_t low = (uint64_t)m->codes[m->order[first]] << 32 | first;
    uint64_t high = (uint64_t)m->codes[m->order[last]] << 32 | last;
    uint64_t bit = 1;
    while ((low ^ high) / 2 >= bit) {
        bit *= 2;
    }
    size_t split = first;
    while (!(((uint64_t)m->codes[m->order[split + 1]] << 32 | (split + 1)) & bit)) {
        split++;
    }
    size_t left = split == first ? np - 1 + split : split,
           right = split + 1 == last ? np - 1 + last : split + 1;
    mr_box a = check_run(s, m, first, split, left), b = check_run(s, m, split + 1, last, right);
    mr_box box = folded(&a, &b);
    assert_node(m->nodes, node, &box, (uint32_t)left, (uint32_t)right);
    return box;
}

static void check_scene(const scene *s, const inputs *in)
{
    made m = { made_of(in, "codes")->u32, made_of(in, "order")->u32, made_of(in, "nodes")->u32 };
    size_t np = s->primitives;
    assert_int_equal(made_of(in, "nodes")->count, np ? (2 * np - 1) * 8 : 0);
    assert_int_equal(made_of(in, "pyr")->count, 6 * power_of_two(np));
    for (size_t i = 0; i < np; i++) {
        mr_box box = box_of(s, i);
        assert_int_equal(m.codes[i], code_of(&box, made_of(in, "lo")->f32, made_of(in, "hi")->f32));
    }
    if (np) {
        check_run(s, &m, 0, np - 1, 0);
    }
}

static size_t random_size(test_random *random)
{
    static const uint32_t sizes[] = { 0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 63, 64, 65 };
    return test_below(random, 2) ? sizes[test_below(random, 14)] : test_below(random, 100);
}

static void the_table_is_that_of_the_definition(void **state)
{
    test_random random = { 1 };
    size_t primitives = 0;
    for (size_t n = 0; n < test_count(600); n++) {
        scene s = random_scene(&random, random_size(&random));
        inputs in = { .count = 0 };
        mr_error error = { 0 };
        give_scene(*state, &s, &in);
        test_assert_ok(build(*state, &s, &in, &error), &error);
        check_scene(&s, &in);
        primitives += s.primitives;
        let_go(&in);
        free_scene(&s);
    }
    assert_true(test_scale() < 1 || primitives >= 10000);
}

static mr_context *context_of(const char *isa, uint32_t threads)
{
    mr_context_config config = mr_context_config_default();
    config.isa = isa;
    config.threads = threads;
    mr_context *context = NULL;
    mr_error error;
    test_assert_ok(mr_context_create(&config, &context, &error), &error);
    return context;
}

static void one_thread_and_seven_give_the_same_table(void **state)
{
    test_random random = { 2 };
    for (int round = 0; round < 2; round++) {
        scene s = random_scene(&random, 20000 + 4096 * (size_t)round);
        inputs first = { .count = 0 }, second = { .count = 0 };
        mr_context *one = context_of("base", 1), *many = context_of(NULL, 7);
        mr_error error = { 0 };
        give_scene(one, &s, &first);
        give_scene(many, &s, &second);
        test_assert_ok(build(one, &s, &first, &error), &error);
        test_assert_ok(build(many, &s, &second, &error), &error);
        check_scene(&s, &first);
        const mr_column *a = made_of(&first, "nodes"), *b = made_of(&second, "nodes");
        assert_memory_equal(a->u32, b->u32, a->count * 4);
        assert_memory_equal(made_of(&first, "pyr")->f32, made_of(&second, "pyr")->f32,
                            made_of(&first, "pyr")->count * 4);
        let_go(&first);
        let_go(&second);
        test_context_end(one);
        test_context_end(many);
        free_scene(&s);
    }
}

static void refused(mr_context *context, const char *kernel, size_t n, inputs *in, double np, double room,
                    double level, const char *part)
{
    mr_uniform uniforms[] = { { "np", 1, { np } }, { "pyr_size", 1, { room } }, { "level", 1, { level } } };
    mr_error error = { 0 };
    bool levels = strcmp(kernel, "bvh_pyramid") == 0, codes = strcmp(kernel, "bvh_codes") == 0;
    assert_false(step(context, kernel, n, in, uniforms, codes ? 0 : levels ? 3 : 2, &error));
    assert_text_contains(error.message, kernel);
    assert_text_contains(error.message, part);
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    test_random random = { 3 };
    scene s = random_scene(&random, 5);
    inputs in = { .count = 0 };
    mr_error error = { 0 };
    give_scene(*state, &s, &in);
    refused(*state, "bvh_codes", 6, &in, 0, 0, 0, "binding vstart holds 5 elements");
    refused(*state, "bvh", 5, &in, 5, 8, 0, "binding codes is not bound");
    test_assert_ok(build(*state, &s, &in, &error), &error);
    refused(*state, "bvh", 4, &in, 5, 8, 0, "np is 5");
    refused(*state, "bvh", 5, &in, 5, 16, 0, "pyr_size is 16; 5 primitives round up to 8");
    refused(*state, "bvh", 6, &in, 6, 8, 0, "binding vstart");
    refused(*state, "bvh_pyramid", 4, &in, 5, 8, 2, "level 2 of a pyramid of 8 has 2");
    refused(*state, "bvh_pyramid", 1, &in, 5, 8, 4, "has 0");
    refused(*state, "bvh_pyramid", 1, &in, 5, 8, 0, "level");
    refused(*state, "bvh_internal", 5, &in, 5, 8, 0, "np - 1 is 4");
    refused(*state, "bvh", 5, &in, 2e9, 8, 0, "np");
    give(&in, "order", column_of(*state, MR_COLUMN_UINT, (uint32_t[]){ 0, 1, 2, 3, 5 }, 5));
    refused(*state, "bvh", 5, &in, 5, 8, 0, "binding order: place 4 names primitive 5, and there are 5");
    refused(*state, "bvh_internal", 4, &in, 5, 8, 0, "binding order: place 4 names primitive 5");
    give(&in, "order", column_of(*state, MR_COLUMN_UINT, (uint32_t[]){ 0, 1, 2, 3, 4 }, 5));
    give(&in, "codes", column_of(*state, MR_COLUMN_UINT, (uint32_t[]){ 1, 2, 9, 7, 9 }, 5));
    refused(*state, "bvh", 5, &in, 5, 8, 0, "not in order: the one at place 3");
    let_go(&in);
    free_scene(&s);
}

static void failing_memory_is_an_error_at_every_site(void **state)
{
    test_random random = { 4 };
    scene s = random_scene(&random, 50);
    mr_context *context = test_context_of(1, 0);
    bool good = false;
    for (uint64_t site = 1; !good; site++) {
        inputs in = { .count = 0 };
        mr_error error = { 0 };
        give_scene(context, &s, &in);
        mr_memory_fail_after(context, site, true);
        good = build(context, &s, &in, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY);
        let_go(&in);
        mr_buffer_trim(context);
        assert_true(site < 1000);
    }
    test_context_end(context);
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_table_is_that_of_the_definition, test_setup, test_teardown),
        cmocka_unit_test(one_thread_and_seven_give_the_same_table),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused_by_name, test_setup, test_teardown),
        cmocka_unit_test(failing_memory_is_an_error_at_every_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
