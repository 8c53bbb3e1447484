// What cooking promises: the answers of a slow walk whatever the threads, the cache and the order of making, the lowest
// failure, nothing cooked that did not change, nothing leaked when memory fails.

#include "support.h"

#include "graph/graph.h"

#include <pthread.h>

static atomic_int cooks;

static bool mix_cook(mr_cook *cook, mr_error *error)
{
    atomic_fetch_add(&cooks, 1);
    int64_t a = mr_cook_integer(cook, "a");
    int64_t b = mr_cook_integer(cook, "b");
    int64_t answer = (31 * a + 17 * b + mr_cook_integer(cook, "k")) % 9973;
    int64_t poison = mr_cook_integer(cook, "poison"); // 0: none
    if (poison && answer % poison == 1) {
        return mr_fail(error, MR_BAD_INPUT, "the sum is %lld", (long long)answer);
    }
    mr_cook_set(cook, "answer", mr_value_integer(answer));
    return true;
}

static const mr_node mix = {
    .name = "test.mix",
    .version = 1,
    .inputs = {
        { .name = "a", .type = MR_INT },
        { .name = "b", .type = MR_INT },
        { .name = "k", .type = MR_INT },
        { .name = "poison", .type = MR_INT},
    },
    .outputs = { { .name = "answer", .type = MR_INT } },
    .cook = mix_cook,
};

static bool tens_cook(mr_cook *cook, mr_error *error)
{
    atomic_fetch_add(&cooks, 1);
    mr_cook_set(cook, "answer", mr_value_integer(mr_cook_integer(cook, "a") / 10));
    return true;
}

static const mr_node tens = {
    .name = "test.tens",
    .version = 1,
    .inputs = { { .name = "a", .type = MR_INT } },
    .outputs = { { .name = "answer", .type = MR_INT } },
    .cook = tens_cook,
};

enum { SIDE = 3, CELLS = SIDE * SIDE };

// height = (height + 2 * other's height + k) mod 1021, written into the first raster.
static bool blend_cook(mr_cook *cook, mr_error *error)
{
    atomic_fetch_add(&cooks, 1);
    float other[CELLS] = { 0 };
    if (mr_cook_given(cook, "other")) {
        memcpy(other, mr_raster_layer_read(mr_cook_raster(cook, "other"), "height"), sizeof other);
    }
    mr_raster *raster = mr_cook_given(cook, "raster")
                            ? mr_cook_take_raster(cook, "raster", error)
                            : mr_raster_create(cook->context, 0, 0, 1, SIDE, SIDE, 0, error);
    float *height = raster ? mr_raster_layer_write(raster, "height", 0, error) : NULL;
    if (!height) {
        mr_raster_release(raster);
        return false;
    }
    for (int i = 0; i < CELLS; i++) {
        height[i] =
            (float)(((int)height[i] + 2 * (int)other[i] + (int)mr_cook_integer(cook, "k") + i) % 1021);
    }
    mr_cook_set_raster(cook, "raster", raster);
    return true;
}

static const mr_node blend = {
    .name = "test.blend",
    .version = 1,
    .inputs = {
        { .name = "raster", .type = MR_RASTER },
        { .name = "other", .type = MR_RASTER },
        { .name = "k", .type = MR_INT },
    },
    .outputs = { { .name = "raster", .type = MR_RASTER } },
    .cook = blend_cook,
};

static mr_binding wire(const char *name, uint32_t node)
{
    return (mr_binding){ .name = name, .wired = true, .socket = { node, 0 } };
}

static mr_binding whole(const char *name, int64_t value)
{
    return (mr_binding){ .name = name, .value = mr_value_integer(value) };
}

static uint32_t add(mr_graph *graph, const mr_node *node, mr_origin origin, size_t count,
                    const mr_binding *bindings)
{
    uint32_t made = 0;
    mr_error error;
    test_assert_ok(mr_graph_add(graph, node, bindings, count, origin, &made, &error), &error);
    return made;
}
#define ADD(graph, node, ...)                                                                                \
    add(graph, node, (mr_origin){ 0 }, sizeof((mr_binding[]){ __VA_ARGS__ }) / sizeof(mr_binding),           \
        (mr_binding[]){ __VA_ARGS__ })

static mr_graph *graph_of(mr_context *context)
{
    mr_error error;
    mr_graph *graph = mr_graph_create(context, NULL, &error);
    test_assert_ok(graph != NULL, &error);
    return graph;
}

static mr_cook_report cook(mr_graph *graph, uint32_t node, mr_value *value)
{
    mr_cook_report report;
    mr_error error;
    mr_socket wanted = { node, 0 };
    test_assert_ok(mr_graph_cook(graph, &wanted, 1, value, &report, &error), &error);
    return report;
}

static int64_t cook_integer(mr_graph *graph, uint32_t node, size_t *cooked)
{
    mr_value value;
    mr_cook_report report = cook(graph, node, &value);
    assert_int_equal(value.type, MR_INT);
    *cooked = report.cooked;
    return value.integer;
}

// A random graph of test.mix, and the plain numbers it is made of.
enum { MOST = 60 };
typedef struct model_node {
    int a, b; // nodes, or -1
    int64_t k, poison;
} model_node;

static size_t make_model(test_random *random, model_node *model)
{
    size_t count = 1 + test_below(random, MOST);
    bool poisoned = test_below(random, 2);
    for (size_t i = 0; i < count; i++) {
        model[i].a = i && test_below(random, 8) ? (int)test_below(random, (uint32_t)i) : -1;
        model[i].b = i && test_below(random, 3) ? (int)test_below(random, (uint32_t)i) : -1;
        model[i].k = test_below(random, 1000);
        model[i].poison = poisoned ? 3 + test_below(random, 40) : 0;
    }
    return count;
}

// The obvious walk: what node answers, or the lowest node that fails among those it needs.
static void need(const model_node *model, int at, bool *needed)
{
    if (at >= 0 && !needed[at]) {
        needed[at] = true;
        need(model, model[at].a, needed);
        need(model, model[at].b, needed);
    }
}

static bool walk(const model_node *model, int at, int64_t *answer)
{
    int64_t a = 0, b = 0;
    if (at < 0) {
        *answer = 0;
        return true;
    }
    if (!walk(model, model[at].a, &a) || !walk(model, model[at].b, &b)) {
        return false;
    }
    *answer = (31 * a + 17 * b + model[at].k) % 9973;
    return !model[at].poison || *answer % model[at].poison != 1;
}

static int lowest_failure(const model_node *model, int wanted)
{
    bool needed[MOST] = { false };
    need(model, wanted, needed);
    for (int i = 0; i < MOST; i++) {
        int64_t answer;
        if (needed[i] && !walk(model, i, &answer)) {
            return i; // its inputs are lower and did not fail
        }
    }
    return -1;
}

static mr_graph *graph_of_model(mr_context *context, const model_node *model, size_t count)
{
    mr_graph *graph = graph_of(context);
    for (size_t i = 0; i < count; i++) {
        mr_binding bindings[4] = { whole("k", model[i].k), whole("poison", model[i].poison) };
        size_t bound = 2;
        if (model[i].a >= 0) {
            bindings[bound++] = wire("a", (uint32_t)model[i].a);
        }
        if (model[i].b >= 0) {
            bindings[bound++] = wire("b", (uint32_t)model[i].b);
        }
        assert_int_equal(add(graph, &mix, (mr_origin){ "graph.lua", (uint32_t)i }, bound, bindings), i);
    }
    return graph;
}

// The walk takes a node as often as it is reached, so models stay thin enough by their chance of a planned input.
static void check_model(mr_context *context, const model_node *model, size_t count)
{
    mr_graph *graph = graph_of_model(context, model, count);
    for (int wanted = (int)count - 1; wanted >= 0 && wanted > (int)count - 4; wanted--) {
        mr_socket socket = { (uint32_t)wanted, 0 };
        mr_value value;
        mr_error error = { .status = MR_OK };
        bool good = mr_graph_cook(graph, &socket, 1, &value, NULL, &error);
        int lowest = lowest_failure(model, wanted);
        assert_int_equal(good, lowest < 0);
        if (good) {
            int64_t answer = -1;
            assert_true(walk(model, wanted, &answer));
            assert_int_equal(value.integer, answer);
        } else {
            assert_string_equal(error.file, "graph.lua");
            assert_int_equal(error.line, lowest);
            assert_text_contains(error.message, "test.mix: the sum is ");
            assert_int_equal(error.status, MR_BAD_INPUT);
        }
    }
    mr_graph_destroy(graph);
}

static void random_graphs_answer_as_a_slow_walk_at_any_threads(void **state)
{
    static const uint32_t threads[] = { 1, 2, 7 };
    for (int t = 0; t < 3; t++) {
        test_random random = { 42 };
        mr_context *context = test_context_of(threads[t], 0);
        for (size_t i = 0; i < test_count(1000); i++) {
            model_node model[MOST] = { { 0 } };
            size_t count = make_model(&random, model);
            if (i % 3 == 0) {
                mr_cache_set_limit(context, i % 2 ? 0 : 4000);
            } else if (i % 3 == 1) {
                mr_cache_clear(context);
            }
            check_model(context, model, count);
        }
        mr_context_destroy(context);
    }
}

// Rasters are written in place where nobody else reads them. Whatever the cache holds (limit 0: nothing, so that every
// last reader takes over), no node sees another's writing.
static void taking_over_changes_no_answer(void **state)
{
    static const uint32_t threads[] = { 1, 2, 7 };
    static const uint64_t limits[] = { 0, 2000, 1 << 20 };
    for (int t = 0; t < 9; t++) {
        test_random random = { 7 };
        mr_context *context = test_context_of(threads[t / 3], 0);
        mr_cache_set_limit(context, limits[t % 3]);
        for (size_t i = 0; i < test_count(100); i++) {
            int expected[MOST][CELLS];
            size_t count = 1 + test_below(&random, MOST);
            mr_graph *graph = graph_of(context);
            for (size_t n = 0; n < count; n++) {
                // Mostly the newest raster, so that chains with a single reader come about.
                int a = n == 0                   ? -1
                        : test_below(&random, 4) ? (int)n - 1
                                                 : (int)test_below(&random, (uint32_t)n);
                int b = n && test_below(&random, 3) == 0 ? (int)test_below(&random, (uint32_t)n) : -1;
                int k = (int)test_below(&random, 500);
                mr_binding bindings[3] = { whole("k", k) };
                size_t bound = 1;
                if (a >= 0) {
                    bindings[bound++] = wire("raster", (uint32_t)a);
                }
                if (b >= 0) {
                    bindings[bound++] = wire("other", (uint32_t)b);
                }
                add(graph, &blend, (mr_origin){ 0 }, bound, bindings);
                for (int c = 0; c < CELLS; c++) {
                    expected[n][c] =
                        ((a < 0 ? 0 : expected[a][c]) + 2 * (b < 0 ? 0 : expected[b][c]) + k + c) % 1021;
                }
            }
            mr_socket wanted[3];
            mr_value values[3];
            mr_error error;
            for (int w = 0; w < 3; w++) {
                wanted[w] =
                    (mr_socket){ w == 0 ? (uint32_t)count - 1 : test_below(&random, (uint32_t)count), 0 };
            }
            test_assert_ok(mr_graph_cook(graph, wanted, 3, values, NULL, &error), &error);
            for (int w = 0; w < 3; w++) {
                const float *height = mr_raster_layer_read(values[w].raster, "height");
                for (int c = 0; c < CELLS; c++) {
                    assert_int_equal((int)height[c], expected[wanted[w].node][c]);
                }
                mr_value_release(&values[w]);
            }
            mr_graph_destroy(graph);
        }
        mr_context_destroy(context);
    }
}

static void a_changed_input_cooks_its_dependents_alone(void **state)
{
    mr_context *context = test_context();
    size_t cooked;
    int64_t first = 0;
    for (int round = 0; round < 2; round++) {
        mr_graph *graph = graph_of(context);
        uint32_t left = ADD(graph, &mix, whole("k", 1));
        uint32_t right = ADD(graph, &mix, whole("k", round == 0 ? 2 : 9));
        uint32_t above_left = ADD(graph, &mix, wire("a", left), whole("k", 3));
        uint32_t above_right = ADD(graph, &mix, wire("a", right), whole("k", 4));
        uint32_t top = ADD(graph, &mix, wire("a", above_left), wire("b", above_right));
        int64_t answer = cook_integer(graph, top, &cooked);
        assert_int_equal(cooked, round == 0 ? 5 : 3);
        assert_true(round == 0 || answer != first);
        first = answer;
        assert_int_equal(cook_integer(graph, top, &cooked), answer);
        assert_int_equal(cooked, 0);
        mr_graph_destroy(graph);
    }
    mr_context_destroy(context);
}

static void an_input_that_cooks_to_the_same_value_stops_the_change(void **state)
{
    mr_context *context = test_context();
    size_t cooked;
    for (int64_t k = 40; k < 60; k++) {
        mr_graph *graph = graph_of(context);
        uint32_t source = ADD(graph, &mix, whole("k", k));
        uint32_t rough = ADD(graph, &tens, wire("a", source));
        uint32_t behind = ADD(graph, &mix, wire("a", rough), whole("k", 1));
        uint32_t top = ADD(graph, &mix, wire("a", behind), whole("k", 2));
        assert_int_equal(cook_integer(graph, top, &cooked), (31 * (31 * (k / 10) + 1) + 2) % 9973);
        assert_int_equal(cooked, k % 10 == 0 ? 4 : 2);
        mr_graph_destroy(graph);
    }
    mr_context_destroy(context);
}

static void two_and_two_point_nought_are_one_key(void **state)
{
    mr_context *context = test_context();
    for (int round = 0; round < 2; round++) {
        size_t cooked;
        mr_graph *graph = graph_of(context);
        uint32_t made =
            ADD(graph, &mix, { .name = "k", .value = round ? mr_value_number(2) : mr_value_integer(2) });
        cook_integer(graph, made, &cooked);
        assert_int_equal(cooked, round == 0);
        mr_graph_destroy(graph);
    }
    mr_context_destroy(context);
}

static void the_order_of_making_changes_no_key(void **state)
{
    mr_context *context = test_context();
    for (int round = 0; round < 2; round++) {
        size_t cooked;
        mr_graph *graph = graph_of(context);
        uint32_t one = 0, two = 0;
        if (round == 0) {
            one = ADD(graph, &mix, whole("k", 1));
            two = ADD(graph, &mix, whole("k", 2), whole("a", 5));
        } else {
            two = ADD(graph, &mix, whole("a", 5), whole("k", 2));
            ADD(graph, &mix, whole("k", 77)); // nobody needs it
            one = ADD(graph, &mix, whole("k", 1));
        }
        uint32_t top = ADD(graph, &mix, wire("b", two), wire("a", one));
        cook_integer(graph, top, &cooked);
        assert_int_equal(cooked, round == 0 ? 3 : 0);
        mr_graph_destroy(graph);
    }
    mr_context_destroy(context);
}

// Only what is asked for is made again when values were let go: the top's value is gone and is cooked, over inputs that
// have to be cooked for it; but while the top is there nothing beneath it is.
static void what_was_let_go_is_cooked_again_only_when_needed(void **state)
{
    mr_context *context = test_context();
    size_t cooked;
    mr_graph *graph = graph_of(context);
    uint32_t bottom = ADD(graph, &mix, whole("k", 1));
    uint32_t middle = ADD(graph, &mix, wire("a", bottom));
    uint32_t top = ADD(graph, &mix, wire("a", middle));
    mr_cache_set_limit(context, 0);
    cook_integer(graph, top, &cooked);
    assert_int_equal(cooked, 3);
    mr_cache_set_limit(context, 1 << 20);
    cook_integer(graph, top, &cooked); // digests are known, the value of the top is not there
    assert_int_equal(cooked, 3);
    cook_integer(graph, top, &cooked);
    assert_int_equal(cooked, 0);
    mr_cache_clear(context);
    mr_cache_set_limit(context, 0);
    cook_integer(graph, bottom, &cooked);
    mr_cache_set_limit(context, 1 << 20);
    cook_integer(graph, top, &cooked);
    assert_int_equal(cooked, 3);
    mr_cache_set_limit(context, 0); // lets every value go
    mr_cache_set_limit(context, 1 << 20);
    cook_integer(graph, middle, &cooked);
    assert_int_equal(cooked, 2);
    cook_integer(graph, top, &cooked); // over the middle that is there
    assert_int_equal(cooked, 1);
    mr_graph_destroy(graph);
    mr_context_destroy(context);
}

static void the_cache_stays_under_its_limit(void **state)
{
    mr_context *context = test_context_of(1, 0);
    mr_cache_set_limit(context, 1 << 20);
    mr_error error;
    for (int i = 0; i < 40; i++) {
        mr_value value;
        mr_binding k = whole("k", i);
        test_assert_ok(mr_node_call(context, NULL, &blend, &k, 1, &value, &error), &error);
        mr_value_release(&value);
    }
    mr_cache_set_limit(context, 3 * (sizeof(mr_value) + sizeof(mr_raster) + sizeof(mr_column) + 4 * CELLS));
    int before = atomic_load(&cooks);
    for (int i = 0; i < 40; i++) {
        mr_value value;
        mr_binding k = whole("k", i);
        test_assert_ok(mr_node_call(context, NULL, &blend, &k, 1, &value, &error), &error);
        assert_int_equal(mr_raster_layer_read(value.raster, "height")[0], i);
        mr_value_release(&value);
    }
    int again = atomic_load(&cooks) - before;
    assert_true(again >= 37 && again <= 40);
    mr_context_destroy(context);
}

static bool count_cook(mr_cook *cook, mr_error *error)
{
    mr_cook_set(cook, "answer", mr_value_integer(atomic_fetch_add(&cooks, 1)));
    return true;
}

static const mr_node unstable = {
    .name = "test.unstable",
    .version = 1,
    .outputs = { { .name = "answer", .type = MR_INT } },
    .cook = count_cook,
};

static void heavy_mode_names_the_node_that_answers_differently(void **state)
{
    setenv("MARRAM_HEAVY", "1", 1);
    mr_context *context = test_context();
    unsetenv("MARRAM_HEAVY");
    mr_graph *graph = graph_of(context);
    uint32_t made = add(graph, &unstable, (mr_origin){ "land.lua", 3 }, 0, NULL);
    uint32_t sound = ADD(graph, &mix, whole("k", 1));
    mr_value value;
    mr_error error;
    mr_socket wanted = { made, 0 };
    assert_false(mr_graph_cook(graph, &wanted, 1, &value, NULL, &error));
    assert_text_contains(error.message, "test.unstable: cooked twice");
    assert_string_equal(error.file, "land.lua");
    assert_int_equal(error.line, 3);
    wanted.node = sound;
    test_assert_ok(mr_graph_cook(graph, &wanted, 1, &value, NULL, &error), &error);
    mr_graph_destroy(graph);
    mr_context_destroy(context);
}

static bool wrong_cook(mr_cook *cook, mr_error *error)
{
    if (mr_cook_boolean(cook, "set")) {
        mr_cook_set(cook, "answer", mr_value_boolean(true));
    }
    return true;
}

static const mr_node wrong = {
    .name = "test.wrong",
    .version = 1,
    .inputs = { { .name = "set", .type = MR_BOOL } },
    .outputs = { { .name = "answer", .type = MR_RASTER } },
    .cook = wrong_cook,
};

static void outputs_are_checked(void **state)
{
    mr_context *context = test_context();
    mr_value value;
    mr_error error;
    mr_binding set = { .name = "set", .value = mr_value_boolean(true) };
    assert_false(mr_node_call(context, NULL, &wrong, &set, 1, &value, &error));
    assert_string_equal(error.message, "test.wrong: answered a Bool where answer is a Raster");
    assert_false(mr_node_call(context, NULL, &wrong, NULL, 0, &value, &error));
    assert_string_equal(error.message, "test.wrong: answered no answer");
    mr_context_destroy(context);
}

static bool nan_cook(mr_cook *cook, mr_error *error)
{
    mr_raster *raster = mr_raster_create(cook->context, 0, 0, 1, 1, 1, 0, error);
    float *height = raster ? mr_raster_layer_write(raster, "height", 0, error) : NULL;
    if (height) {
        uint32_t bits = 0xffc12345u;
        memcpy(height, &bits, sizeof bits);
    }
    mr_cook_set_raster(cook, "raster", raster);
    return height != NULL;
}

static const mr_node nan_node = {
    .name = "test.nan",
    .version = 1,
    .outputs = { { .name = "raster", .type = MR_RASTER } },
    .cook = nan_cook,
};

static void outputs_are_published_with_one_nan(void **state)
{
    mr_context *context = test_context();
    mr_value value;
    mr_error error;
    test_assert_ok(mr_node_call(context, NULL, &nan_node, NULL, 0, &value, &error), &error);
    assert_int_equal(value.raster->layers[0].column->u32[0], 0x7fc00000u);
    assert_true(value.raster->layers[0].column->published);
    mr_value_release(&value);
    mr_context_destroy(context);
}

static bool cancel_cook(mr_cook *cook, mr_error *error)
{
    mr_context_cancel(cook->context);
    mr_cook_set(cook, "answer", mr_value_integer(1));
    return true;
}

static const mr_node canceller = {
    .name = "test.cancel",
    .version = 1,
    .outputs = { { .name = "answer", .type = MR_INT } },
    .cook = cancel_cook,
};

static void a_cancelled_cook_stops_and_says_so(void **state)
{
    mr_context *context = test_context();
    mr_graph *graph = graph_of(context);
    uint32_t first = add(graph, &canceller, (mr_origin){ 0 }, 0, NULL);
    uint32_t top = ADD(graph, &mix, wire("a", first));
    mr_value value;
    mr_error error;
    mr_socket wanted = { top, 0 };
    assert_false(mr_graph_cook(graph, &wanted, 1, &value, NULL, &error));
    assert_int_equal(error.status, MR_CANCELLED);
    mr_context_resume(context);
    test_assert_ok(mr_graph_cook(graph, &wanted, 1, &value, NULL, &error), &error);
    mr_graph_destroy(graph);
    mr_context_destroy(context);
}

static atomic_llong held;
static void *counting_allocate(void *user, size_t size, size_t align)
{
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);
    if (memory) {
        atomic_fetch_add(&held, (long long)size);
    }
    return memory;
}
static void counting_free(void *user, void *memory, size_t size)
{
    atomic_fetch_sub(&held, (long long)size);
    free(memory);
}

// One whole life of a graph with rasters; false when memory failed on the way.
static bool live(mr_context *context, mr_error *error)
{
    mr_graph *graph = mr_graph_create(context, "folder", error);
    uint32_t at[5] = { 0 };
    bool good = graph != NULL;
    for (uint32_t i = 0; good && i < 5; i++) {
        mr_binding bindings[3] = { whole("k", (int64_t)i), wire("raster", i - 1), wire("other", i / 2) };
        good = mr_graph_add(graph, &blend, bindings, i == 0 ? 1 : 3, (mr_origin){ "where.lua", 1 }, &at[i],
                            error);
    }
    mr_value values[2] = { { .type = MR_NONE } };
    mr_socket wanted[2] = { { at[4], 0 }, { at[2], 0 } };
    good = good && mr_graph_cook(graph, wanted, 2, values, NULL, error);
    mr_value_release(&values[0]);
    mr_value_release(&values[1]);
    mr_graph_destroy(graph);
    return good;
}

static void memory_failing_anywhere_leaks_nothing_and_is_said(void **state)
{
    for (int sticky = 0; sticky < 2; sticky++) {
        for (uint32_t threads = 1; threads <= 2; threads++) {
            bool failed = true;
            for (uint64_t n = 1; failed || n < 40; n++) {
                mr_context_config config = mr_context_config_default();
                config.threads = threads;
                config.allocate = counting_allocate;
                config.free = counting_free;
                mr_context *context;
                mr_error error = { .status = MR_OK };
                test_assert_ok(mr_context_create(&config, &context, &error), &error);
                uint64_t before = mr_memory_allocations(context);
                mr_memory_fail_after(context, n, sticky);
                bool good = live(context, &error);
                failed = mr_memory_allocations(context) - before >= n;
                assert_true(good || error.status == MR_OUT_OF_MEMORY || error.status == MR_LIMIT);
                assert_true(good || failed);
                mr_memory_fail_after(context, 0, false);
                mr_context_destroy(context);
                assert_int_equal(atomic_load(&held), 0);
                assert_true(n < 2000);
            }
        }
    }
}

static void memory_that_the_cache_holds_is_no_reason_to_fail(void **state)
{
    mr_context *context = test_context_of(1, 1 << 20);
    mr_cache_set_limit(context, 1 << 30);
    for (int i = 0; i < 500; i++) { // buffers are 4 KiB and more, so these would not fit
        mr_value value;
        mr_error error;
        mr_binding k = whole("k", i);
        test_assert_ok(mr_node_call(context, NULL, &blend, &k, 1, &value, &error), &error);
        mr_value_release(&value);
    }
    mr_context_destroy(context);
}

static bool read_pulls(mr_cook *cook, mr_digester *digester, mr_error *error)
{
    mr_digest_u64(digester, (uint64_t)mr_cook_integer(cook, "a") + (uint64_t) * (const char *)cook->folder);
    return mr_cook_integer(cook, "a") != 13 || mr_fail(error, MR_SYSTEM, "no file is called 13");
}

static bool read_cook(mr_cook *cook, mr_error *error)
{
    atomic_fetch_add(&cooks, 1);
    mr_cook_set(cook, "answer", mr_value_integer(mr_cook_integer(cook, "a") + *cook->folder));
    return true;
}

static const mr_node reader = {
    .name = "test.read",
    .version = 1,
    .inputs = { { .name = "a", .type = MR_INT } },
    .outputs = { { .name = "answer", .type = MR_INT } },
    .cook = read_cook,
    .pulls = read_pulls,
};

static void what_a_node_would_read_is_part_of_its_key(void **state)
{
    mr_context *context = test_context();
    static const char *const folders[] = { "a", "b", "a" };
    for (int round = 0; round < 3; round++) {
        mr_error error;
        size_t cooked;
        mr_graph *graph = mr_graph_create(context, folders[round], &error);
        uint32_t source = ADD(graph, &mix, whole("k", 6));
        uint32_t top = ADD(graph, &reader, wire("a", source));
        assert_int_equal(cook_integer(graph, top, &cooked), 6 + *folders[round]);
        assert_int_equal(cooked, round == 0 ? 2 : round == 1 ? 1 : 0);
        uint32_t bad = ADD(graph, &mix, whole("k", 13));
        uint32_t bad_top =
            add(graph, &reader, (mr_origin){ "x.lua", 2 }, 1, (mr_binding[]){ wire("a", bad) });
        mr_socket wanted = { bad_top, 0 };
        mr_value value;
        assert_false(mr_graph_cook(graph, &wanted, 1, &value, NULL, &error));
        assert_string_equal(error.message, "test.read: no file is called 13");
        assert_string_equal(error.file, "x.lua");
        assert_int_equal(error.line, 2);
        mr_graph_destroy(graph);
    }
    mr_context_destroy(context);
}

typedef struct cook_thread {
    mr_context *context;
    uint64_t seed;
} cook_thread;

static void *cook_models(void *argument)
{
    cook_thread *thread = argument;
    test_random random = { thread->seed };
    for (size_t i = 0; i < test_count(60); i++) {
        model_node model[MOST] = { { 0 } };
        size_t count = make_model(&random, model);
        mr_graph *graph = graph_of_model(thread->context, model, count);
        mr_socket wanted = { (uint32_t)count - 1, 0 };
        mr_value value;
        mr_error error;
        int64_t answer = 0;
        bool good = mr_graph_cook(graph, &wanted, 1, &value, NULL, &error);
        if (good != (lowest_failure(model, (int)count - 1) < 0) ||
            (good && (!walk(model, (int)count - 1, &answer) || answer != value.integer))) {
            return argument;
        }
        mr_graph_destroy(graph);
    }
    return NULL;
}

static void two_graphs_of_one_context_cook_at_once(void **state)
{
    mr_context *context = test_context_of(3, 0);
    cook_thread threads[2] = { { context, 5 }, { context, 5 } };
    pthread_t ids[2];
    void *bad[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&ids[i], NULL, cook_models, &threads[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(ids[i], &bad[i]);
        assert_null(bad[i]);
    }
    mr_context_destroy(context);
}

static void a_chain_of_many_nodes_cooks(void **state)
{
    mr_context *context = test_context();
    mr_graph *graph = graph_of(context);
    uint32_t last = ADD(graph, &mix, whole("k", 1));
    int64_t expected = 1;
    for (int i = 0; i < 20000; i++) {
        last = ADD(graph, &mix, wire("a", last), whole("k", i));
        expected = (31 * expected + i) % 9973;
    }
    size_t cooked;
    assert_int_equal(cook_integer(graph, last, &cooked), expected);
    assert_int_equal(cooked, 20001);
    mr_graph_destroy(graph);
    mr_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_answer_as_a_slow_walk_at_any_threads),
        cmocka_unit_test(taking_over_changes_no_answer),
        cmocka_unit_test(a_changed_input_cooks_its_dependents_alone),
        cmocka_unit_test(an_input_that_cooks_to_the_same_value_stops_the_change),
        cmocka_unit_test(two_and_two_point_nought_are_one_key),
        cmocka_unit_test(the_order_of_making_changes_no_key),
        cmocka_unit_test(what_was_let_go_is_cooked_again_only_when_needed),
        cmocka_unit_test(the_cache_stays_under_its_limit),
        cmocka_unit_test(heavy_mode_names_the_node_that_answers_differently),
        cmocka_unit_test(outputs_are_checked),
        cmocka_unit_test(outputs_are_published_with_one_nan),
        cmocka_unit_test(a_cancelled_cook_stops_and_says_so),
        cmocka_unit_test(memory_failing_anywhere_leaks_nothing_and_is_said),
        cmocka_unit_test(memory_that_the_cache_holds_is_no_reason_to_fail),
        cmocka_unit_test(what_a_node_would_read_is_part_of_its_key),
        cmocka_unit_test(two_graphs_of_one_context_cook_at_once),
        cmocka_unit_test(a_chain_of_many_nodes_cooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
