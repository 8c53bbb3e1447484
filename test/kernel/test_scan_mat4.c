// The scan of matrices against a slow loop that follows the order scan_mat4.h states, to the bit, with one thread and
// seven; and against f64 products of rotations and moves.

#include "support.h"

#include "kernel/device.h"
#include "kernel/scan_mat4.h"

#include <math.h>

typedef struct sample {
    size_t n;
    uint32_t segments;
    bool exclusive;
    mr_column *src, *starts;
} sample;

// Entry by entry; volatile, so that nothing is fused or done in another order.
static mr_mat4 times(const mr_mat4 *a, const mr_mat4 *b)
{
    mr_mat4 out;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            volatile float sum = a->m[row] * b->m[4 * column];
            for (int k = 1; k < 4; k++) {
                volatile float term = a->m[4 * k + row] * b->m[4 * column + k];
                sum = sum + term;
            }
            out.m[4 * column + row] = sum;
        }
    }
    return out;
}

static bool same(const mr_mat4 *a, const mr_mat4 *b)
{
    for (int i = 0; i < 16; i++) {
        if (memcmp(&a->m[i], &b->m[i], 4) != 0 && !(isnan(a->m[i]) && isnan(b->m[i]))) {
            return false;
        }
    }
    return true;
}

static size_t start_of(const sample *s, size_t group)
{
    size_t start = s->segments ? s->starts->u32[group] : 0;
    return start < s->n ? start : s->n;
}

static void check_group(const sample *s, size_t begin, size_t end, const mr_mat4 *dst, const mr_mat4 *total)
{
    const mr_mat4 *m = (const mr_mat4 *)s->src->data;
    mr_mat4 inside = mr_mat4_identity(), before = inside, last = inside;
    for (size_t i = begin; i < end; i++) {
        size_t place = (i - begin) % 128;
        if (place == 0) {
            before = last;
        }
        inside = place == 0 ? m[i] : times(&inside, &m[i]);
        mr_mat4 answer = i - begin < 128 ? inside : times(&before, &inside);
        const mr_mat4 *want = s->exclusive ? &last : &answer;
        if (!same(&dst[i], want)) {
            fail_msg("n %zu group %zu..%zu matrix %zu", s->n, begin, end, i);
        }
        last = answer;
    }
    assert_true(same(total, &last));
}

static void check(const sample *s, const mr_kernel_result *result)
{
    const mr_column *dst = mr_kernel_result_find(result, "dst"),
                    *total = mr_kernel_result_find(result, "total");
    const mr_mat4 *m = (const mr_mat4 *)dst->data, *totals = (const mr_mat4 *)total->data;
    size_t groups = s->segments ? s->segments : 1;
    mr_mat4 identity = mr_mat4_identity();
    assert_int_equal(dst->count, s->n);
    assert_int_equal(total->count, groups);
    for (size_t i = 0; i < start_of(s, 0); i++) {
        assert_true(same(&m[i], &identity));
    }
    for (size_t group = 0; group < groups; group++) {
        check_group(s, start_of(s, group), group + 1 < groups ? start_of(s, group + 1) : s->n, m,
                    totals + group);
    }
}

static mr_column *column(mr_context *context, mr_column_type type, size_t count)
{
    mr_error error;
    mr_column *made = mr_column_create(context, type, count, &error);
    assert_non_null(made);
    return made;
}

// A turn and a move, which products of thousands neither blow up nor shrink.
static mr_mat4 any_frame(test_random *random)
{
    mr_vec4 q = { (float)test_between(random, -1, 1), (float)test_between(random, -1, 1),
                  (float)test_between(random, -1, 1), (float)test_between(random, 0.1, 1) };
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    mr_vec3 move = { (float)test_between(random, -1, 1), (float)test_between(random, -1, 1), 0.5f };
    return mr_mat4_from(move, (mr_quaternion){ q.x / length, q.y / length, q.z / length, q.w / length },
                        (mr_vec3){ 1, 1, 1 });
}

static sample sample_of(mr_context *context, test_random *random, size_t n)
{
    static const float odd[] = { 0, -0.0f, 1, -1, 1e-42f, NAN, INFINITY, 3e38f };
    sample s = { .n = n, .exclusive = test_below(random, 2), .src = column(context, MR_COLUMN_MAT4, n) };
    bool frames = test_below(random, 3) > 0;
    for (size_t i = 0; i < n; i++) {
        mr_mat4 *m = (mr_mat4 *)s.src->data + i;
        *m = any_frame(random);
        if (!frames) {
            m->m[test_below(random, 16)] = odd[test_below(random, 8)];
        }
    }
    mr_column_publish(s.src);
    if (test_below(random, 2)) {
        uint32_t at = test_below(random, 4) ? 0 : test_below(random, 9);
        s.segments = 1 + test_below(random, test_below(random, 2) ? 6 : 1 + (uint32_t)n);
        s.starts = column(context, MR_COLUMN_UINT, s.segments);
        for (size_t i = 0; i < s.segments; i++) {
            s.starts->u32[i] = at;
            at += test_below(random, 4) ? test_below(random, 2 * (uint32_t)(n / s.segments) + 2) : 0;
        }
        mr_column_publish(s.starts);
    }
    return s;
}

static void sample_end(sample *s)
{
    mr_column_release(s->src);
    mr_column_release(s->starts);
}

static bool run(mr_context *context, const sample *s, mr_kernel_result *result, mr_error *error)
{
    mr_uniform uniforms[] = { { "exclusive", 1, { s->exclusive } }, { "segments", 1, { s->segments } } };
    mr_bind bind[] = { { .name = "src", .kind = MR_BIND_COLUMN, .column = s->src },
                       { .name = "starts", .kind = MR_BIND_COLUMN, .column = s->starts } };
    mr_kernel_request request = { .kernel = mr_kernel_find("scan_mat4"),
                                  .domain = mr_count_plain(s->n),
                                  .bind = bind,
                                  .bind_count = s->starts ? 2 : 1,
                                  .uniforms = uniforms,
                                  .uniform_count = 2 };
    return mr_kernel_run(context, &request, result, error);
}

static void every_form_equals_the_stated_order(void **state)
{
    static const size_t sizes[] = { 0, 1, 127, 128, 129, 1023, 1024, 1025, 5000 };
    test_random random = { 1 };
    mr_context *contexts[] = { test_context_of(1, 0), test_context_of(7, 0) };
    for (size_t k = 0; k < 18 + test_count(10000); k++) {
        size_t n = k < 18 ? sizes[k / 2] : test_below(&random, k % 60 ? 20 : 3000);
        mr_context *context = contexts[k % 2];
        sample s = sample_of(context, &random, n);
        mr_kernel_result result;
        mr_error error;
        test_assert_ok(run(context, &s, &result, &error), &error);
        check(&s, &result);
        mr_kernel_result_release(&result);
        sample_end(&s);
    }
    test_context_end(contexts[0]);
    test_context_end(contexts[1]);
}

// Of frames the products stay frames: their errors add up and do not grow.
static void products_of_frames_are_near_those_of_f64(void **state)
{
    enum { COUNT = 4000 };
    static mr_mat4 from[COUNT], to[COUNT];
    test_random random = { 2 };
    for (size_t i = 0; i < COUNT; i++) {
        from[i] = any_frame(&random);
    }
    mr_scan_mat4_run scan = { .from = from, .to = to, .segments = { NULL, 1, COUNT }, .longest = COUNT };
    mr_error error;
    test_assert_ok(mr_scan_mat4(*state, &scan, &error), &error);
    double product[16] = { [0] = 1, [5] = 1, [10] = 1, [15] = 1 };
    for (size_t i = 0; i < COUNT; i++) {
        double next[16] = { 0 };
        for (size_t k = 0; k < 64; k++) {
            next[k / 16 * 4 + k % 4] +=
                product[k / 4 % 4 * 4 + k % 4] * (double)from[i].m[k / 16 * 4 + k / 4 % 4];
        }
        memcpy(product, next, sizeof product);
        for (size_t k = 0; k < 16; k++) { // a move is at most 1.5 long
            double size = k < 12 ? 1 : 1.5 * (double)(i + 1);
            assert_true(fabs((double)to[i].m[k] - product[k]) <= 8 * (double)(i + 1) * 0x1p-24 * size);
        }
    }
    scan.to = from; // in place
    test_assert_ok(mr_scan_mat4(*state, &scan, &error), &error);
    assert_memory_equal(from, to, sizeof to);
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
    sample s = { .n = 4, .segments = 3, .src = column(*state, MR_COLUMN_MAT4, 4) };
    memset(s.src->data, 0, 4 * sizeof(mr_mat4));
    mr_column_publish(s.src);
    refused(*state, &s, "kernel scan_mat4: binding starts is not bound");
    s.starts = mr_column_publish(mr_column_from(*state, MR_COLUMN_UINT, falling, 3, &error));
    refused(*state, &s, "kernel scan_mat4: binding starts falls at group 2: 2 comes after 3");
    s.segments = 4;
    refused(*state, &s, "kernel scan_mat4: binding starts holds 3 elements");
    s.segments = 0;
    s.n = 5;
    refused(*state, &s, "kernel scan_mat4: binding src holds 4 elements");
    sample_end(&s);
}

static void every_failing_allocation_is_an_error(void **state)
{
    for (uint64_t at = 1;; at++) {
        mr_context *context = test_context_of(1, 0);
        test_random random = { 3 };
        sample s = sample_of(context, &random, 3000);
        mr_kernel_result result;
        mr_error error = { 0 };
        mr_memory_fail_after(context, at, false);
        bool good = run(context, &s, &result, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY);
        mr_kernel_result_release(&result);
        sample_end(&s);
        test_context_end(context);
        if (good) {
            assert_true(at > 4);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_equals_the_stated_order),
        cmocka_unit_test_setup_teardown(products_of_frames_are_near_those_of_f64, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(bad_groups_are_refused, test_setup, test_teardown),
        cmocka_unit_test(every_failing_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
