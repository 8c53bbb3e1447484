// The reduce kernel against a slow loop that follows the order reduce.h states, to the bit, in every form, on every
// instruction set and with one thread and seven; and against f64 sums within the stated bound.

#include "support.h"

#include "kernel/device.h"
#include "kernel/reduce.h"

#include <math.h>

static const char *const types[] = { "f32", "i32", "vec2", "vec3", "vec4", "ivec2", "ivec3", "ivec4" };
static const mr_column_type columns[] = { MR_COLUMN_FLOAT, MR_COLUMN_INT,  MR_COLUMN_VEC2, MR_COLUMN_VEC3,
                                          MR_COLUMN_VEC4,  MR_COLUMN_INT2, MR_COLUMN_INT3, MR_COLUMN_INT4 };
static const char *const folds[] = { "add", "min", "max", "mean", "count", "argmin", "argmax" };
enum { ADD, MIN, MAX, MEAN, COUNT, ARGMIN, ARGMAX };

typedef struct sample {
    size_t n, live, held; // held: segments there are
    uint32_t type, fold, segments;
    bool segmented;
    mr_column *src, *starts, *count, *segment_count;
} sample;

typedef union bits {
    float f32;
    int32_t i32;
    uint32_t u32;
} bits;

static bool numbers(const sample *s)
{
    return mr_column_element(columns[s->type]) == MR_F32;
}

static bool same(const sample *s, bits a, bits b)
{
    return a.u32 == b.u32 || (numbers(s) && isnan(a.f32) && isnan(b.f32));
}

static bits least(const sample *s, bits a, bits b, bool greatest)
{
    if (!numbers(s)) {
        return greatest == (a.i32 > b.i32) ? a : b;
    }
    if (isnan(a.f32) || isnan(b.f32)) {
        return isnan(a.f32) ? b : a;
    }
    if (a.f32 == b.f32) {
        return greatest == !signbit(a.f32) ? a : b;
    }
    return greatest == (a.f32 > b.f32) ? a : b;
}

static bits plus(const sample *s, bits a, bits b)
{
    bits c;
    if (numbers(s)) {
        c.f32 = a.f32 + b.f32;
    } else {
        c.u32 = a.u32 + b.u32;
    }
    return c;
}

// The sum of a run in the stated order; x is written over.
static bits sum_of(const sample *s, bits *x, size_t count)
{
    do {
        size_t blocks = 0;
        for (size_t at = 0; at < count; at += 16384, blocks++) {
            size_t size = count - at < 16384 ? count - at : 16384;
            bits lanes[64];
            bool there[64] = { false };
            for (size_t i = 0; i < size; i++) {
                lanes[i % 64] = there[i % 64] ? plus(s, lanes[i % 64], x[at + i]) : x[at + i];
                there[i % 64] = true;
            }
            for (size_t half = 32; half > 0; half /= 2) {
                for (size_t k = 0; k < half; k++) {
                    lanes[k] = there[k + half] ? plus(s, lanes[k], lanes[k + half]) : lanes[k];
                }
            }
            x[blocks] = lanes[0];
        }
        count = blocks;
    } while (count > 1);
    return x[0];
}

static bits mean_of(const sample *s, bits *x, size_t count)
{
    bits mean;
    if (numbers(s)) {
        mean.f32 = sum_of(s, x, count).f32 / (float)count;
        return mean;
    }
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += x[i].i32;
    }
    mean.i32 = (int32_t)(sum / (int64_t)count);
    return mean;
}

static bits fold_lane(const sample *s, bits *x, size_t count)
{
    bits answer = { .u32 = 0 };
    if (count == 0) {
        return answer;
    }
    switch (s->fold) {
    case ADD:
        return sum_of(s, x, count);
    case MEAN:
        return mean_of(s, x, count);
    case COUNT:
        answer.i32 = (int32_t)count;
        if (numbers(s)) {
            answer.f32 = (float)count;
        }
        return answer;
    default:
        answer = x[0];
        for (size_t i = 1; i < count; i++) {
            answer = least(s, answer, x[i], s->fold == MAX);
        }
        return answer;
    }
}

static bool beats(const sample *s, bits a, bits b)
{
    if (!numbers(s)) {
        return s->fold == ARGMIN ? a.i32 < b.i32 : a.i32 > b.i32;
    }
    return (!isnan(a.f32) && isnan(b.f32)) || (s->fold == ARGMIN ? a.f32 < b.f32 : a.f32 > b.f32);
}

static size_t pick(const sample *s, size_t begin, size_t end)
{
    size_t lanes = mr_column_lanes(columns[s->type]), picked = begin;
    const bits *x = (const bits *)s->src->data;
    for (size_t i = begin + 1; i < end; i++) {
        bool all = true;
        for (size_t lane = 0; lane < lanes; lane++) {
            all = all && beats(s, x[i * lanes + lane], x[picked * lanes + lane]);
        }
        picked = all ? i : picked;
    }
    return picked;
}

static size_t start_of(const sample *s, size_t group)
{
    size_t start = s->segmented ? s->starts->u32[group] : 0;
    return start < s->live ? start : s->live;
}

static void check_group(const sample *s, size_t group, size_t begin, size_t end, const bits *dst,
                        int32_t picked)
{
    size_t lanes = mr_column_lanes(columns[s->type]), count = end - begin;
    bool picks = s->fold >= ARGMIN && count > 0;
    size_t want = picks ? pick(s, begin, end) : 0;
    bits *x = malloc((count + 1) * sizeof *x);
    assert_int_equal(picked, picks ? (int32_t)want : -1);
    for (size_t lane = 0; lane < lanes; lane++) {
        bits answer;
        for (size_t i = 0; i < count; i++) {
            x[i].u32 = s->src->u32[(begin + i) * lanes + lane];
        }
        answer = picks ? x[want - begin] : fold_lane(s, x, count);
        if (!same(s, dst[group * lanes + lane], answer)) {
            fail_msg("%s %s n %zu group %zu (%zu): %x is not %x", types[s->type], folds[s->fold], s->n, group,
                     count, dst[group * lanes + lane].u32, answer.u32);
        }
    }
    free(x);
}

static void check(const sample *s, const mr_kernel_result *result)
{
    const mr_column *dst = mr_kernel_result_find(result, "dst");
    const mr_column *picked = mr_kernel_result_find(result, "picked");
    size_t lanes = mr_column_lanes(columns[s->type]), groups = s->segmented ? s->held : 1;
    assert_int_equal(dst->count, s->segmented ? s->segments : 1);
    assert_int_equal(picked->count, dst->count);
    for (size_t group = 0; group < groups; group++) {
        check_group(s, group, start_of(s, group), group + 1 < groups ? start_of(s, group + 1) : s->live,
                    (const bits *)dst->data, picked->i32[group]);
    }
    for (size_t group = groups; group < dst->count; group++) {
        assert_int_equal(picked->i32[group], -1);
        for (size_t lane = 0; lane < lanes; lane++) {
            assert_int_equal(dst->u32[group * lanes + lane], 0);
        }
    }
}

static mr_column *column(mr_context *context, mr_column_type type, size_t count)
{
    mr_error error;
    mr_column *made = mr_column_create(context, type, count, &error);
    assert_non_null(made);
    return made;
}

static mr_column *word(mr_context *context, uint32_t value)
{
    mr_column *made = column(context, MR_COLUMN_UINT, 1);
    made->u32[0] = value;
    return mr_column_publish(made);
}

static void fill(const sample *s, test_random *random)
{
    static const float odd[] = { NAN, 0.0f, -0.0f, 1.0f, -1.0f, INFINITY, 1e-42f, -INFINITY, 3e38f, -1e-45f };
    size_t words = s->src->count * mr_column_lanes(s->src->type);
    uint32_t kind = test_below(random, 5), range = test_below(random, 2) ? 100 : UINT32_MAX;
    for (size_t i = 0; i < words; i++) {
        if (!numbers(s)) {
            s->src->u32[i] = test_below(random, range) - range / 2;
        } else if (kind < 3) { // all NaN, NaN and the zeros, or whatever there is
            s->src->f32[i] = odd[test_below(random, kind == 0 ? 1 : kind == 1 ? 3 : 10)];
        } else {
            s->src->f32[i] = (float)test_between(random, -100, 100);
        }
    }
}

static void cut(sample *s, mr_context *context, test_random *random)
{
    uint32_t at = test_below(random, 4) ? 0 : test_below(random, 9), n = (uint32_t)s->n;
    s->segmented = true;
    s->held = s->segments = 1 + test_below(random, test_below(random, 2) ? 6 : 1 + n);
    s->starts = column(context, test_below(random, 2) ? MR_COLUMN_INT : MR_COLUMN_UINT, s->segments);
    for (size_t i = 0; i < s->segments; i++) {
        s->starts->u32[i] = at;
        at += test_below(random, 4) ? test_below(random, 2 * (n / s->segments) + 2) : 0;
    }
    if (test_below(random, 3) == 0) {
        uint32_t held = test_below(random, s->segments + 2);
        s->segment_count = word(context, held);
        s->held = held < s->segments ? held : s->segments;
        for (size_t i = s->held; i < s->segments; i++) { // what no group is made of
            s->starts->u32[i] = test_u32(random);
        }
    }
    mr_column_publish(s->starts);
}

static sample sample_of(mr_context *context, test_random *random, size_t n)
{
    sample s = { .n = n, .live = n, .type = test_below(random, 8), .fold = test_below(random, 7) };
    s.src = column(context, columns[s.type], n);
    fill(&s, random);
    mr_column_publish(s.src);
    if (test_below(random, 3) == 0) {
        uint32_t live = test_below(random, (uint32_t)n + 5);
        s.count = word(context, live);
        s.live = live < n ? live : n;
    }
    if (test_below(random, 2)) {
        cut(&s, context, random);
    }
    return s;
}

static void sample_end(sample *s)
{
    mr_column_release(s->src);
    mr_column_release(s->starts);
    mr_column_release(s->count);
    mr_column_release(s->segment_count);
}

static bool run(mr_context *context, const sample *s, mr_kernel_result *result, mr_error *error)
{
    mr_choice choices[] = { { "FOLD", folds[s->fold] }, { "T", types[s->type] }, { "SEGMENTS", "device" } };
    mr_uniform uniform = { "segments", 1, { s->segments } };
    mr_bind bind[3] = { { .name = "src", .kind = MR_BIND_COLUMN, .column = s->src } };
    size_t binds = 1;
    if (s->starts) {
        bind[binds++] = (mr_bind){ .name = "starts", .kind = MR_BIND_COLUMN, .column = s->starts };
    }
    if (s->segment_count) {
        bind[binds++] =
            (mr_bind){ .name = "segment_count", .kind = MR_BIND_COLUMN, .column = s->segment_count };
    }
    mr_kernel_request request = { .kernel = mr_kernel_find("reduce"),
                                  .domain = s->count ? (mr_count){ s->count, s->n } : mr_count_plain(s->n),
                                  .specialize = choices,
                                  .specialize_count = s->segment_count ? 3 : 2,
                                  .bind = bind,
                                  .bind_count = binds,
                                  .uniforms = &uniform,
                                  .uniform_count = 1 };
    return mr_kernel_run(context, &request, result, error);
}

typedef struct machines {
    mr_context *contexts[6];
    size_t count;
} machines;

// Every instruction set there is, with one thread and with seven.
static machines machines_begin(void)
{
    static const char *const isas[] = { "base", "v3", "v4" };
    machines m = { .count = 0 };
    for (size_t i = 0; i < 6; i++) {
        mr_context_config config = mr_context_config_default();
        mr_error error;
        config.isa = isas[i / 2];
        config.threads = i % 2 ? 7 : 1;
        m.count += mr_context_create(&config, &m.contexts[m.count], &error);
    }
    assert_true(m.count > 0);
    return m;
}

static void machines_end(machines *m)
{
    for (size_t i = 0; i < m->count; i++) {
        test_context_end(m->contexts[i]);
    }
}

static void every_form_equals_the_stated_order(void **state)
{
    test_random random = { 1 };
    machines m = machines_begin();
    for (size_t k = 0; k < test_count(14000); k++) {
        mr_context *context = m.contexts[k % m.count];
        size_t n = k % 100 == 0 ? test_below(&random, 9000) : test_below(&random, k % 3 ? 300 : 6);
        sample s = sample_of(context, &random, n);
        mr_kernel_result result;
        mr_error error;
        test_assert_ok(run(context, &s, &result, &error), &error);
        check(&s, &result);
        mr_kernel_result_release(&result);
        sample_end(&s);
    }
    machines_end(&m);
}

static void long_groups_equal_the_stated_order_on_every_machine(void **state)
{
    static const size_t sizes[] = { 1024, 16383, 16384, 16385, 131071, 131072, 131073, 262145, 300003 };
    machines m = machines_begin();
    for (size_t k = 0; k < 9 + test_count(45); k++) {
        for (size_t i = 0; i < m.count; i++) {
            test_random random = { k };
            sample s = sample_of(m.contexts[i], &random, sizes[k % 9]);
            mr_kernel_result result;
            mr_error error;
            test_assert_ok(run(m.contexts[i], &s, &result, &error), &error);
            check(&s, &result);
            mr_kernel_result_release(&result);
            sample_end(&s);
        }
    }
    machines_end(&m);
}

static void sums_are_within_their_bound(void **state)
{
    enum { MOST = 700001 };
    float *x = malloc(MOST * sizeof *x);
    test_random random = { 3 };
    for (size_t k = 0; k < test_count(8); k++) {
        size_t count = 1 + test_below(&random, MOST);
        double sum = 0, magnitudes = 0;
        for (size_t i = 0; i < count; i++) {
            x[i] = (float)(test_between(&random, -1, 2) * pow(10, test_between(&random, -5, 3)));
            sum += (double)x[i];
            magnitudes += fabs((double)x[i]);
        }
        float answer;
        mr_reduce_run reduce = { .fold = MR_REDUCE_ADD,
                                 .element = MR_F32,
                                 .lanes = 1,
                                 .from = x,
                                 .segments = { NULL, 1, count },
                                 .longest = count,
                                 .to = &answer };
        mr_error error;
        test_assert_ok(mr_reduce(*state, &reduce, &error), &error);
        int levels = count > 16384 ? 2 : 1;
        assert_true(fabs((double)answer - sum) <= (256 + 6) * levels * 0x1p-24 * magnitudes);
    }
    free(x);
}

static void whole_means_are_exact_and_round_toward_zero(void **state)
{
    static const int32_t values[][3] = { { INT32_MAX, INT32_MAX, INT32_MAX - 1 },
                                         { INT32_MIN, INT32_MIN, INT32_MIN + 1 },
                                         { -1, -1, 0 },
                                         { 2, 2, 1 } };
    static const int32_t means[] = { INT32_MAX - 1, INT32_MIN + 1, 0, 1 };
    for (size_t k = 0; k < 4; k++) {
        int32_t answer;
        mr_reduce_run reduce = { .fold = MR_REDUCE_MEAN,
                                 .element = MR_I32,
                                 .lanes = 1,
                                 .from = values[k],
                                 .segments = { NULL, 1, 3 },
                                 .longest = 3,
                                 .to = &answer };
        mr_error error;
        test_assert_ok(mr_reduce(*state, &reduce, &error), &error);
        assert_int_equal(answer, means[k]);
    }
}

static void refused(mr_context *context, sample *s, const char *part)
{
    mr_kernel_result result;
    mr_error error = { 0 };
    assert_false(run(context, s, &result, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_text_contains(error.message, part);
}

static void bad_groups_are_refused(void **state)
{
    static const uint32_t falling[] = { 0, 3, 2 };
    mr_error error;
    sample s = { .n = 4, .segments = 3 };
    s.src = mr_column_publish(column(*state, MR_COLUMN_FLOAT, 4));
    refused(*state, &s, "kernel reduce: binding starts is not bound");
    s.starts = mr_column_publish(mr_column_from(*state, MR_COLUMN_UINT, falling, 3, &error));
    refused(*state, &s, "kernel reduce: binding starts falls at group 2: 2 comes after 3");
    s.segments = 4;
    refused(*state, &s, "kernel reduce: binding starts holds 3 elements");
    s.segments = 2;
    s.n = 5;
    refused(*state, &s, "kernel reduce: binding src holds 4 elements");
    sample_end(&s);
}

static void every_failing_allocation_is_an_error(void **state)
{
    for (uint64_t at = 1;; at++) {
        mr_context *context = test_context_of(7, 0);
        sample s = { .n = 300000, .type = 4, .live = 300000, .fold = ARGMAX };
        s.src = column(context, MR_COLUMN_VEC4, s.n);
        memset(s.src->data, 0, s.n * 16);
        mr_column_publish(s.src);
        mr_kernel_result result;
        mr_error error = { 0 };
        mr_memory_fail_after(context, at, false);
        bool good = run(context, &s, &result, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY);
        mr_kernel_result_release(&result);
        if (good) {
            mr_context_cancel(context);
            assert_false(run(context, &s, &result, &error));
            assert_int_equal(error.status, MR_CANCELLED);
            mr_context_resume(context);
        }
        sample_end(&s);
        test_context_end(context);
        if (good) {
            assert_true(at > 5);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_equals_the_stated_order),
        cmocka_unit_test(long_groups_equal_the_stated_order_on_every_machine),
        cmocka_unit_test_setup_teardown(sums_are_within_their_bound, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(whole_means_are_exact_and_round_toward_zero, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(bad_groups_are_refused, test_setup, test_teardown),
        cmocka_unit_test(every_failing_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
