// The kernel walk against loops written out in C: the constant step, steps that read a table, steps that stop.

#include "support.h"

#include "base/thread.h"
#include "field/field.h"
#include "kernel/device.h"
#include "kernel/walk.h"

#include <math.h>

enum { TABLE = 50 };

typedef struct builder {
    mr_context *context;
    mr_field *made[64];
    size_t count;
} builder;

static mr_field *keep(builder *b, mr_field *field)
{
    assert_non_null(field);
    return b->made[b->count++] = field;
}

static mr_field *number(builder *b, double value)
{
    mr_error error;
    return keep(b, mr_field_number(b->context, value, &error));
}

static mr_field *apply(builder *b, const char *name, mr_field *x, mr_field *y, mr_field *z, mr_field *w)
{
    mr_error error;
    mr_field *operands[4] = { x, y, z, w };
    size_t count = w ? 4 : z ? 3 : y ? 2 : 1;
    return keep(b, mr_field_apply(b->context, mr_view_of(name), operands, count, &error));
}

static mr_field *state_lane(builder *b, uint32_t lane)
{
    mr_error error;
    mr_field *state = keep(b, mr_field_walk_state(b->context, lane & 4u, &error));
    return keep(b, mr_field_component(state, lane & 3u, &error));
}

static void release_all(builder *b)
{
    for (size_t i = 0; i < b->count; i++) {
        mr_field_release(b->made[i]);
    }
    b->count = 0;
}

// What a walk is made of, on both sides.
typedef struct setup {
    int step, high, done; // which of the forms below; 0: left out
    float advance[4];
    size_t walkers;
    uint32_t steps, width;
    mr_column *table; // a Float column
    mr_column *own;   // one Float a walker
    const float *start;
} setup;

// Step 1: (x + 1, y * 0.5, z + k, w + id). Step 2: (table[x], y + own): two lanes, so that the others become 0.
// High 1: (x, s4 * s4, s5 + 1, s7).
static void build(builder *b, const setup *s, mr_walk_spec *spec)
{
    mr_error error;
    mr_field *x = state_lane(b, 0), *y = state_lane(b, 1), *z = state_lane(b, 2), *w = state_lane(b, 3);
    mr_field *id = keep(b, mr_field_id(b->context, &error)),
             *k = keep(b, mr_field_walk_step(b->context, &error));
    mr_field *step = NULL, *high = NULL, *done = NULL;
    if (s->step == 1) {
        step = apply(b, "vec4", apply(b, "add", x, number(b, 1), NULL, NULL),
                     apply(b, "mul", y, number(b, 0.5), NULL, NULL), apply(b, "add", z, k, NULL, NULL),
                     apply(b, "add", w, id, NULL, NULL));
    } else if (s->step == 2) {
        mr_field *read = keep(b, mr_field_table(b->context, s->table, x, &error));
        mr_field *own = keep(b, mr_field_column(b->context, s->own, &error));
        step = apply(b, "vec2", read, apply(b, "add", y, own, NULL, NULL), NULL, NULL);
    }
    if (s->high == 1) {
        mr_field *s4 = state_lane(b, 4), *s5 = state_lane(b, 5);
        high = apply(b, "vec4", x, apply(b, "mul", s4, s4, NULL, NULL),
                     apply(b, "add", s5, number(b, 1), NULL, NULL), state_lane(b, 7));
    }
    if (s->done == 1) {
        done = apply(b, "gt", x, number(b, 6), NULL, NULL);
    } else if (s->done == 2) {
        done = apply(b, "eq", apply(b, "mod", id, number(b, 5), NULL, NULL), k, NULL, NULL);
    } else if (s->done == 3) {
        done = apply(b, "sub", y, y, NULL, NULL); // 0, of either sign, or NaN
    }
    test_assert_ok(mr_walk_spec_create(b->context, step, high, done, spec, &error), &error);
}

static float read_table(const mr_column *table, float x)
{
    double at = isnan(x) ? 0 : floor((double)x);
    at = at < 0 ? 0 : at > (double)(table->count - 1) ? (double)(table->count - 1) : at;
    return table->f32[(size_t)at];
}

static bool stops(const setup *s, const float state[8], uint32_t id, uint32_t k)
{
    float y = s->width > 1 ? state[1] : 0;
    return s->done == 1 ? state[0] > 6 : s->done == 2 ? id % 5 == k : s->done == 3 ? !(y - y == 0) : false;
}

static void move(const setup *s, float state[8], uint32_t id, uint32_t k)
{
    float old[8];
    memcpy(old, state, sizeof old);
    if (s->step == 0) {
        for (int l = 0; l < 4; l++) {
            state[l] = old[l] + s->advance[l];
        }
    } else if (s->step == 1) {
        state[0] = old[0] + 1;
        state[1] = old[1] * 0.5f;
        state[2] = old[2] + (float)k;
        state[3] = old[3] + (float)id;
    } else {
        state[0] = read_table(s->table, old[0]);
        state[1] = old[1] + s->own->f32[id < s->own->count ? id : s->own->count - 1];
        state[2] = state[3] = 0;
    }
    if (s->high == 1) {
        state[4] = old[0];
        state[5] = old[4] * old[4];
        state[6] = old[5] + 1;
        state[7] = old[7];
    }
    for (uint32_t l = s->width; l < 8; l++) {
        state[l] = 0;
    }
}

static void assert_word(const setup *s, const char *what, float got, float want)
{
    if (memcmp(&got, &want, 4) != 0 && !(isnan(got) && isnan(want))) {
        fail_msg("%s is %.9g, not %.9g (step %d, high %d, done %d, width %u)", what, (double)got,
                 (double)want, s->step, s->high, s->done, s->width);
    }
}

static void assert_walk(const setup *s, const mr_kernel_result *result)
{
    const mr_column *finish = mr_kernel_result_find(result, "finish"),
                    *path = mr_kernel_result_find(result, "path");
    const mr_column *run = mr_kernel_result_find(result, "steps_run");
    assert_int_equal(finish->count, s->walkers * s->width);
    assert_int_equal(path->count, s->walkers * s->width * s->steps);
    assert_int_equal(run->count, s->walkers);
    for (uint32_t id = 0; id < s->walkers; id++) {
        float state[8] = { 0 };
        memcpy(state, s->start + id * s->width, s->width * sizeof(float));
        uint32_t ran = 0;
        bool stopped = false;
        for (uint32_t k = 0; k < s->steps; k++) {
            stopped = stopped || stops(s, state, id, k);
            if (!stopped) {
                move(s, state, id, k);
                ran++;
            }
            for (uint32_t l = 0; l < s->width; l++) {
                assert_word(s, "path", path->f32[((size_t)id * s->steps + k) * s->width + l], state[l]);
            }
        }
        for (uint32_t l = 0; l < s->width; l++) {
            assert_word(s, "finish", finish->f32[id * s->width + l], state[l]);
        }
        assert_int_equal(run->u32[id], ran);
    }
}

static bool run_walk(mr_context *context, const setup *s, const mr_walk_spec *spec, mr_column *start,
                     mr_kernel_result *result, mr_error *error)
{
    mr_bind binds[4];
    size_t count = mr_walk_spec_bind(spec, binds);
    binds[count++] = (mr_bind){ .name = "start", .kind = MR_BIND_COLUMN, .column = start };
    mr_uniform uniforms[] = {
        { "steps", 1, { s->steps } },           { "width", 1, { s->width } },
        { "dx", 1, { (double)s->advance[0] } }, { "dy", 1, { (double)s->advance[1] } },
        { "dz", 1, { (double)s->advance[2] } }, { "dw", 1, { (double)s->advance[3] } }
    };
    mr_kernel_request request = { .kernel = mr_kernel_find("walk"),
                                  .domain = mr_count_plain(s->walkers),
                                  .bind = binds,
                                  .bind_count = count,
                                  .uniforms = uniforms,
                                  .uniform_count = 6 };
    return mr_kernel_run(context, &request, result, error);
}

static mr_column *random_floats(mr_context *context, test_random *random, size_t count)
{
    static const float odd[] = { 0, -0.0f, NAN, INFINITY, -INFINITY, 1e-44f, 1e30f };
    mr_error error;
    mr_column *column = mr_column_create(context, MR_COLUMN_FLOAT, count, &error);
    assert_non_null(column);
    for (size_t i = 0; i < count; i++) {
        column->f32[i] =
            test_below(random, 30) ? (float)test_between(random, -3, 12) : odd[test_below(random, 7)];
    }
    return mr_column_publish(column);
}

static void one_walk(mr_context *context, uint32_t seed, size_t *states)
{
    static const size_t edges[] = { 0, 1, 2, 255, 256, 257, 513 };
    test_random random = { seed };
    setup s = { .step = (int)test_below(&random, 3),
                .high = (int)test_below(&random, 2),
                .done = (int)test_below(&random, 4),
                .walkers = test_below(&random, 4) ? test_below(&random, 40) : edges[test_below(&random, 7)],
                .steps = test_below(&random, 12),
                .width = 1 + test_below(&random, 8) };
    for (int l = 0; l < 4; l++) {
        s.advance[l] = (float)test_between(&random, -1, 2);
    }
    s.table = random_floats(context, &random, TABLE);
    s.own = random_floats(context, &random, 1 + test_below(&random, 300));
    mr_column *start = random_floats(context, &random, s.walkers * s.width);
    s.start = start->f32;
    builder b = { .context = context };
    mr_walk_spec spec;
    mr_kernel_result result;
    mr_error error;
    build(&b, &s, &spec);
    test_assert_ok(run_walk(context, &s, &spec, start, &result, &error), &error);
    assert_walk(&s, &result);
    *states += s.walkers * s.steps;
    mr_kernel_result_release(&result);
    mr_walk_spec_release(&spec);
    release_all(&b);
    mr_column_release(start);
    mr_column_release(s.table);
    mr_column_release(s.own);
}

static void random_walks_equal_the_loop(void **state)
{
    size_t states = 0;
    uint32_t seed = 0;
    for (mr_isa isa = MR_ISA_BASE; isa <= mr_isa_best(); isa++) {
        for (uint32_t threads = 1; threads < 8; threads += 6) {
            mr_context_config config = mr_context_config_default();
            config.isa = mr_isa_name(isa);
            config.threads = threads;
            mr_error error;
            mr_context *context;
            test_assert_ok(mr_context_create(&config, &context, &error), &error);
            for (size_t i = 0; i < test_count(200); i++) {
                one_walk(context, seed++, &states);
            }
            test_context_end(context);
        }
    }
    assert_true(states > 10000 || test_scale() < 1);
}

static void a_walk_that_does_not_hold_together_is_refused(void **state)
{
    mr_context *context = *state;
    mr_error error;
    builder b = { .context = context };
    mr_walk_spec spec;
    mr_field *id = keep(&b, mr_field_id(context, &error)), *p = keep(&b, mr_field_position(context, &error));
    assert_false(mr_walk_spec_create(context, id, NULL, NULL, &spec, &error));
    assert_text_contains(error.message, "WALK_STEP answers Int");
    assert_false(mr_walk_spec_create(context, NULL, p, NULL, &spec, &error));
    assert_text_contains(error.message, "WALK_STEP_HI reads positions");
    assert_false(
        mr_walk_spec_create(context, NULL, NULL, apply(&b, "rand3", id, id, NULL, NULL), &spec, &error));
    assert_text_contains(error.message, "WALK_DONE answers Vec3; it takes a truth");
    test_random random = { 3 };
    mr_column *start = random_floats(context, &random, 12);
    mr_kernel_result result;
    setup s = { .walkers = 4, .steps = 2, .width = 3 };
    mr_walk_spec none = { 0 };
    test_assert_ok(run_walk(context, &s, &none, start, &result, &error), &error);
    mr_kernel_result_release(&result);
    s.walkers = 5;
    assert_false(run_walk(context, &s, &none, start, &result, &error));
    assert_text_contains(error.message, "start");
    s = (setup){ .walkers = 1, .steps = 2, .width = 9 };
    assert_false(run_walk(context, &s, &none, start, &result, &error));
    assert_text_contains(error.message, "width");
    s = (setup){ .walkers = 4, .steps = 1u << 30, .width = 3 };
    assert_false(run_walk(context, &s, &none, start, &result, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message, "path");
    mr_column_release(start);
    release_all(&b);
}

static void no_memory_is_an_error_at_every_site(void **state)
{
    mr_context *context = *state;
    test_random random = { 4 };
    mr_error error;
    setup s = { .step = 2, .high = 1, .done = 1, .walkers = 600, .steps = 5, .width = 6 };
    s.table = random_floats(context, &random, TABLE);
    s.own = random_floats(context, &random, 9);
    mr_column *start = random_floats(context, &random, s.walkers * s.width);
    s.start = start->f32;
    builder b = { .context = context };
    mr_walk_spec spec;
    build(&b, &s, &spec);
    bool good = false;
    for (uint64_t n = 1; !good; n++) {
        mr_kernel_result result;
        mr_memory_fail_after(context, n, true);
        good = run_walk(context, &s, &spec, start, &result, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY || error.status == MR_LIMIT);
        mr_kernel_result_release(&result);
        assert_true(n < 200);
    }
    mr_walk_spec_release(&spec);
    release_all(&b);
    mr_column_release(start);
    mr_column_release(s.table);
    mr_column_release(s.own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_walks_equal_the_loop),
        cmocka_unit_test_setup_teardown(a_walk_that_does_not_hold_together_is_refused, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(no_memory_is_an_error_at_every_site, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
