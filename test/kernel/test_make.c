// make, held to building each owner's shape by appending to lists.

#include "kernel/run_kernel.h"

enum { OWNERS_MOST = 60, LIST_MOST = 60000 };

static const char *const shapes[] = { "points", "strip", "fan", "grid", "ring" };
enum { POINTS, STRIP, FAN, GRID, RING };

static int32_t counts[OWNERS_MOST], sizes[3 * OWNERS_MOST], bases[3 * OWNERS_MOST];
static float points[3 * LIST_MOST];
static int32_t vertices[LIST_MOST], starts[LIST_MOST], lengths[LIST_MOST];
static size_t point_count, vertex_count, primitive_count;

static void add_primitive(size_t count, const int32_t *corners)
{
    starts[primitive_count] = (int32_t)vertex_count;
    lengths[primitive_count++] = (int32_t)count;
    for (size_t i = 0; i < count; i++) {
        vertices[vertex_count++] = corners[i];
    }
}

static void add_point(size_t along, size_t across, size_t owner)
{
    points[3 * point_count] = (float)along;
    points[3 * point_count + 1] = (float)across;
    points[3 * point_count++ + 2] = (float)owner;
}

static void add_quads(int32_t first, int32_t count, int32_t across)
{
    for (int32_t i = 0; i + 1 < count; i++) {
        for (int32_t k = 0; k + 1 < across; k++) {
            int32_t at = first + i * across + k;
            add_primitive(4, (int32_t[]){ at, at + across, at + across + 1, at + 1 });
        }
    }
}

static void add_owner(int shape, size_t owner, int32_t count, int32_t across)
{
    int32_t first = (int32_t)point_count, corners[OWNERS_MOST];
    for (int32_t i = 0; i < count; i++) {
        corners[i] = first + i;
        for (int32_t k = 0; k < (shape == GRID ? across : 1); k++) {
            add_point((size_t)i, (size_t)k, owner);
        }
    }
    if ((shape == STRIP && count >= 2) || (shape == RING && count >= 3)) {
        add_primitive((size_t)count, corners);
    } else if (shape == FAN) {
        for (int32_t i = 1; i + 1 < count; i++) {
            add_primitive(3, (int32_t[]){ first, first + i, first + i + 1 });
        }
    } else if (shape == GRID) {
        add_quads(first, count, across);
    }
}

static void build(int shape, size_t owners, int32_t across)
{
    point_count = vertex_count = primitive_count = 0;
    for (size_t o = 0; o < owners; o++) {
        bases[3 * o] = (int32_t)point_count;
        bases[3 * o + 1] = (int32_t)vertex_count;
        bases[3 * o + 2] = (int32_t)primitive_count;
        add_owner(shape, o, counts[o], across);
        sizes[3 * o] = (int32_t)point_count - bases[3 * o];
        sizes[3 * o + 1] = (int32_t)vertex_count - bases[3 * o + 1];
        sizes[3 * o + 2] = (int32_t)primitive_count - bases[3 * o + 2];
    }
}

static void begin_fill(kernel_run *run, mr_context *context, int shape, size_t owners, int32_t across,
                       size_t more)
{
    kernel_begin(run, context, "make", owners, -1);
    kernel_choose(run, "PASS", "fill");
    kernel_choose(run, "SHAPE", shapes[shape]);
    kernel_param(run, "across", across);
    kernel_bind(run, "counts", counts, owners);
    kernel_bind_as(run, "bases", MR_COLUMN_INT3, bases, owners);
    kernel_bind_number(run, "points", point_count + more);
    kernel_bind_number(run, "vertices", vertex_count + more);
    kernel_bind_number(run, "primitives", primitive_count + more);
}

static void check(mr_context *context, test_random *random, size_t owners, uint32_t longest)
{
    int shape = (int)test_below(random, 5);
    int32_t across = 2 + (int32_t)test_below(random, 4);
    size_t more = test_below(random, 2) ? test_below(random, 5) : 0; // slots past what there is
    for (size_t o = 0; o < owners; o++) {
        counts[o] = (int32_t)test_below(random, longest + 2) - 2;
    }
    build(shape, owners, across);
    kernel_run run;
    kernel_begin(&run, context, "make", owners, -1);
    kernel_choose(&run, "SHAPE", shapes[shape]);
    kernel_param(&run, "across", across);
    kernel_bind(&run, "counts", counts, owners);
    kernel_go_ok(&run);
    assert_words("sizes", kernel_out(&run, "sizes"), sizes, 3 * owners);
    kernel_end(&run);

    for (size_t i = 0; i < more; i++) {
        memset(points + 3 * (point_count + i), 0, 3 * sizeof *points);
        vertices[vertex_count + i] = -1;
        starts[primitive_count + i] = lengths[primitive_count + i] = 0;
    }
    begin_fill(&run, context, shape, owners, across, more);
    kernel_go_ok(&run);
    const mr_column *p = mr_kernel_result_find(&run.result, "P");
    assert_int_equal(p->type, MR_COLUMN_VEC3);
    assert_int_equal(p->count, point_count + more);
    assert_memory_equal(p->f32, points, 3 * (point_count + more) * sizeof *points);
    assert_out(&run, "vertex_pt", vertices, vertex_count + more);
    assert_out(&run, "prim_vstart", starts, primitive_count + more);
    assert_out(&run, "prim_vcount", lengths, primitive_count + more);
    kernel_end(&run);
}

static void shapes_are_those_built_by_hand(void **state)
{
    test_random random = { 51 };
    for (size_t i = 0; i < test_count(6000); i++) {
        check(*state, &random,
              test_below(&random, 3) ? test_below(&random, 6) : test_below(&random, OWNERS_MOST),
              1 + test_below(&random, 9));
    }
}

static void any_threads_make_the_same(void **state)
{
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        test_random random = { 52 };
        for (size_t i = 0; i < test_count(30); i++) {
            check(context, &random, OWNERS_MOST, OWNERS_MOST - 2);
        }
        test_context_end(context);
    }
}

static void what_does_not_hold_is_refused(void **state)
{
    kernel_run run;
    for (size_t bad = 0; bad < 4; bad++) {
        counts[0] = counts[1] = counts[2] = 3;
        build(RING, 3, 2);
        bases[bad == 0 ? 0 : bad == 1 ? 3 : bad == 2 ? 7 : 8] = bad == 0 ? -1 : bad == 3 ? INT32_MAX : 2;
        bases[5] = bad == 3 ? INT32_MIN : bases[5];
        begin_fill(&run, *state, RING, 3, 2, 0);
        kernel_refused(&run, "bases");
    }
    counts[0] = INT32_MAX;
    kernel_begin(&run, *state, "make", 1, -1);
    kernel_bind(&run, "counts", counts, 1);
    kernel_choose(&run, "SHAPE", "grid");
    assert_false(kernel_go(&run));
    assert_int_equal(run.error.status, MR_LIMIT);
    assert_text_contains(run.error.message, "make: binding counts");
    kernel_end(&run);
    counts[0] = 2;
    kernel_begin(&run, *state, "make", 2, -1);
    kernel_bind(&run, "counts", counts, 1);
    kernel_refused(&run, "counts");
    kernel_begin(&run, *state, "make", 1, -1);
    kernel_bind(&run, "counts", counts, 1);
    kernel_param(&run, "across", 1);
    kernel_refused(&run, "across");
    build(RING, 1, 2);
    begin_fill(&run, *state, RING, 1, 2, 0);
    run.request.bind_count--; // primitives
    kernel_refused(&run, "primitives");
}

static void failing_memory_is_an_error(void **state)
{
    mr_context *context = test_context_of(2, 0);
    counts[0] = counts[1] = 4;
    build(GRID, 2, 3);
    kernel_run run;
    begin_fill(&run, context, GRID, 2, 3, 0);
    bool good = false;
    for (uint64_t site = 1; !good && site < 100; site++) {
        mr_buffer_trim(context);
        mr_memory_fail_after(context, site, true);
        good = kernel_go(&run);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || run.error.status == MR_OUT_OF_MEMORY);
    }
    assert_true(good);
    kernel_end(&run);
    test_context_end(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shapes_are_those_built_by_hand, test_setup, test_teardown),
        cmocka_unit_test(any_threads_make_the_same),
        cmocka_unit_test_setup_teardown(what_does_not_hold_is_refused, test_setup, test_teardown),
        cmocka_unit_test(failing_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
