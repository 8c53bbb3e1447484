// The expand kernel against a loop that says what it means, in every form.

#include "support.h"

#include "kernel/device.h"

typedef struct sample {
    mr_column *counts, *offsets;
    mr_column *element_count; // ELEMENTS=device, or NULL
    mr_column *live;          // COUNT=device, or NULL
    mr_column *onto;          // what owner is bound to, or NULL
    size_t n, elements;       // elements: that count
} sample;

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

static void fill(sample *s, mr_context *context, test_random *random, size_t held, uint32_t most)
{
    static const mr_column_type types[] = { MR_COLUMN_INT, MR_COLUMN_UINT, MR_COLUMN_FLOAT };
    mr_column_type type = types[test_below(random, 3)];
    s->counts = column(context, type, held);
    s->offsets = column(context, MR_COLUMN_INT, held + test_below(random, 2));
    int32_t at = 0;
    for (size_t i = 0; i < held; i++) {
        uint32_t own = test_below(random, 3) ? test_below(random, most) : 0;
        if (type == MR_COLUMN_FLOAT) {
            s->counts->f32[i] = (float)own;
        } else {
            s->counts->u32[i] = own;
        }
        s->offsets->i32[i] = at;
        at += (int32_t)own;
    }
    for (size_t i = s->elements; i < held; i++) { // past the elements anything may stand
        s->counts->u32[i] = s->offsets->u32[i] = type == MR_COLUMN_FLOAT ? 0x3f800000 : test_u32(random);
    }
    mr_column_publish(s->counts);
    mr_column_publish(s->offsets);
}

static sample sample_of(mr_context *context, test_random *random, size_t held, size_t n, uint32_t most)
{
    sample s = { .n = n, .elements = held };
    if (test_below(random, 2)) {
        uint32_t stated = test_below(random, (uint32_t)held + 3);
        s.live = word(context, stated);
        s.elements = stated < held ? stated : held;
    }
    if (test_below(random, 3) == 0) {
        uint32_t stated = test_below(random, (uint32_t)held + 3);
        s.element_count = word(context, stated);
        s.elements = stated < held ? stated : held;
    }
    if (test_below(random, 5) == 0) {
        s.onto = column(context, MR_COLUMN_INT, test_below(random, 2 * (uint32_t)n + 4));
        for (size_t i = 0; i < s.onto->count; i++) {
            s.onto->i32[i] = (int32_t)i + 900;
        }
        mr_column *count = word(context, test_below(random, (uint32_t)s.onto->count + 1));
        mr_column_set_live(s.onto, count);
        mr_column_release(count);
        mr_column_publish(s.onto);
    }
    fill(&s, context, random, held, most);
    return s;
}

static void sample_end(sample *s)
{
    mr_column_release(s->counts);
    mr_column_release(s->offsets);
    mr_column_release(s->element_count);
    mr_column_release(s->live);
    mr_column_release(s->onto);
}

static bool run(mr_context *context, const sample *s, mr_kernel_result *result, mr_error *error)
{
    mr_choice device = { "ELEMENTS", "device" };
    mr_bind bind[4] = { { .name = "counts", .kind = MR_BIND_COLUMN, .column = s->counts },
                        { .name = "offsets", .kind = MR_BIND_COLUMN, .column = s->offsets } };
    size_t count = 2;
    if (s->element_count) {
        bind[count++] =
            (mr_bind){ .name = "element_count", .kind = MR_BIND_COLUMN, .column = s->element_count };
    }
    if (s->onto) {
        bind[count++] = (mr_bind){ .name = "owner", .kind = MR_BIND_COLUMN, .column = s->onto };
    }
    mr_kernel_request request = { .kernel = mr_kernel_find("expand"),
                                  .domain = s->live ? (mr_count){ s->live, s->n } : mr_count_plain(s->n),
                                  .specialize = &device,
                                  .specialize_count = s->element_count ? 1 : 0,
                                  .bind = bind,
                                  .bind_count = count };
    return mr_kernel_run(context, &request, result, error);
}

static size_t count_of(const sample *s, size_t element)
{
    return s->counts->type == MR_COLUMN_FLOAT ? (size_t)s->counts->f32[element] : s->counts->u32[element];
}

// Every slot of every element, one after another.
static void check(const sample *s, const mr_kernel_result *result)
{
    const mr_column *owner = mr_kernel_result_find(result, "owner");
    const mr_column *local = mr_kernel_result_find(result, "local_index");
    size_t base = s->onto ? s->onto->live->u32[0] : 0, sum = 0;
    assert_int_equal(local->count, s->n);
    assert_int_equal(owner->count, s->onto ? s->onto->count : s->n);
    size_t room = owner->count - base < s->n ? owner->count - base : s->n;
    for (size_t i = 0; i < base; i++) {
        assert_int_equal(owner->i32[i], s->onto->i32[i]);
    }
    for (size_t j = 0; j < s->elements; j++) {
        for (size_t k = 0; k < count_of(s, j); k++, sum++) {
            if (sum < room) {
                assert_int_equal(owner->i32[base + sum], j);
                assert_int_equal(local->i32[sum], k);
            }
        }
    }
    size_t written = sum < room ? sum : room;
    for (size_t i = base + written; i < owner->count; i++) {
        assert_int_equal(owner->i32[i], -1);
    }
    for (size_t i = written; i < s->n; i++) {
        assert_int_equal(local->i32[i], -1);
    }
    assert_int_equal(owner->live->u32[0], base + (s->live ? sum : written));
}

static void every_form_equals_the_plain_loop(void **state)
{
    test_random random = { 1 };
    mr_context *contexts[] = { test_context_of(1, 0), test_context_of(7, 0) };
    for (size_t k = 0; k < test_count(10000); k++) {
        bool large = k % 400 == 0;
        size_t held = large ? test_below(&random, 60000) : test_below(&random, 40);
        size_t n = large ? test_below(&random, 100000) : test_below(&random, 90);
        mr_context *context = contexts[large || k % 50 == 1];
        sample s = sample_of(context, &random, held, n, k % 7 ? 5 : 60);
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

static void refused(mr_context *context, const int32_t counts[3], const int32_t offsets[3], bool live,
                    mr_status status, const char *part)
{
    mr_error error = { 0 };
    sample s = { .n = 8 };
    s.counts = mr_column_publish(mr_column_from(context, MR_COLUMN_INT, counts, 3, &error));
    s.offsets = mr_column_publish(mr_column_from(context, MR_COLUMN_INT, offsets, 3, &error));
    s.live = live ? word(context, 3) : NULL;
    mr_kernel_result result;
    assert_false(run(context, &s, &result, &error));
    assert_int_equal(error.status, status);
    assert_text_contains(error.message, part);
    sample_end(&s);
}

static void what_is_no_running_sum_is_refused(void **state)
{
    refused(*state, (int32_t[]){ 1, -1, 2 }, (int32_t[]){ 0, 1, 0 }, false, MR_BAD_INPUT,
            "kernel expand: binding counts is -1 at element 1");
    refused(*state, (int32_t[]){ 1, 1, 2 }, (int32_t[]){ 0, 1, 3 }, false, MR_BAD_INPUT,
            "kernel expand: binding offsets is 3 at element 2");
    refused(*state, (int32_t[]){ 1, 1, 2 }, (int32_t[]){ 1, 2, 3 }, false, MR_BAD_INPUT,
            "binding offsets is 1 at element 0");
    refused(*state, (int32_t[]){ INT32_MAX, INT32_MAX, 2 }, (int32_t[]){ 0, INT32_MAX, -2 }, true, MR_LIMIT,
            "kernel expand: binding counts comes to 4294967296");
    refused(*state, (int32_t[]){ INT32_MAX, INT32_MAX, 2 }, (int32_t[]){ 0, 5, -2 }, true, MR_BAD_INPUT,
            "binding offsets is 5 at element 1");
}

static void every_failing_allocation_is_an_error(void **state)
{
    for (uint64_t at = 1;; at++) {
        mr_context *context = test_context_of(1, 0);
        test_random random = { 3 };
        sample s = sample_of(context, &random, 100, 100, 4);
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
            assert_true(at > 5);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_equals_the_plain_loop),
        cmocka_unit_test_setup_teardown(what_is_no_running_sum_is_refused, test_setup, test_teardown),
        cmocka_unit_test(every_failing_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
