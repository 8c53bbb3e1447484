// The scan kernel against a slow loop that follows the order scan.h states, to the bit, in every form, on every
// instruction set and with one thread and seven; and against f64 sums within the stated bound.

#include "support.h"

#include "kernel/device.h"
#include "kernel/scan.h"

#include <math.h>

static const char *const types[] = { "f32", "i32", "vec2", "vec3", "vec4", "ivec2", "ivec3", "ivec4" };
static const mr_column_type columns[] = { MR_COLUMN_FLOAT, MR_COLUMN_INT,  MR_COLUMN_VEC2, MR_COLUMN_VEC3,
                                          MR_COLUMN_VEC4,  MR_COLUMN_INT2, MR_COLUMN_INT3, MR_COLUMN_INT4 };
static const char *const ops[] = { "add", "min", "max", "mul" };

typedef struct sample {
    size_t n, live, held; // held: segments there are
    uint32_t type, op, segments;
    bool exclusive, segmented, device_count, device_segments;
    mr_column *src, *starts, *count, *segment_count;
} sample;

typedef union bits {
    float f32;
    int32_t i32;
    uint32_t u32;
} bits;

// One fold of two words, as the kernel's page says it.
static bits fold(const sample *s, bits a, bits b)
{
    bits c = a;
    if (mr_column_element(columns[s->type]) != MR_F32) {
        c.u32 = s->op == 0   ? a.u32 + b.u32
                : s->op == 3 ? a.u32 * b.u32
                : s->op == 1 ? (a.i32 < b.i32 ? a.u32 : b.u32)
                             : (a.i32 > b.i32 ? a.u32 : b.u32);
    } else if (s->op == 0) {
        c.f32 = a.f32 + b.f32;
    } else if (s->op == 3) {
        c.f32 = a.f32 * b.f32;
    } else if (isnan(a.f32) || isnan(b.f32)) {
        c = isnan(a.f32) ? b : a;
    } else if (a.f32 == b.f32) {
        c = (s->op == 1) == !!signbit(a.f32) ? a : b;
    } else {
        c = (s->op == 1) == (a.f32 < b.f32) ? a : b;
    }
    return c;
}

static bool same(const sample *s, bits a, bits b)
{
    bool numbers = mr_column_element(columns[s->type]) == MR_F32;
    return a.u32 == b.u32 || (numbers && isnan(a.f32) && isnan(b.f32));
}

// The inclusive fold of a group's lane, by the order's own words: tiles of 16, 64 of them a block, 64 of those a span.
static void scan_lane(const sample *s, const bits *x, size_t count, bits *out)
{
    bits spans, blocks, tiles;
    for (size_t at = 0; at < count; at += 16) {
        bits tile[16];
        size_t size = count - at < 16 ? count - at : 16;
        memcpy(tile, x + at, size * sizeof *tile);
        for (size_t half = 1; half < 16; half *= 2) {
            for (size_t i = 0; i < size; i++) {
                if (i / half % 2 == 1) {
                    tile[i] = fold(s, tile[i / half * half - 1], tile[i]);
                }
            }
        }
        bool first_tile = at % 1024 == 0, first_block = at % 65536 < 1024, first_span = at < 65536;
        if (first_tile && at % 65536 == 0 && at > 0) {
            spans = out[at - 1]; // the fold of all before
        }
        if (first_tile && !first_block) { // of the span's blocks before
            bits own = tiles;
            blocks = at % 65536 == 1024 ? own : fold(s, blocks, own);
        }
        for (size_t i = 0; i < size; i++) {
            bits word = first_tile ? tile[i] : fold(s, tiles, tile[i]);
            bits behind = first_block ? word : fold(s, blocks, word);
            out[at + i] = first_span ? behind : fold(s, spans, behind);
            if (i + 1 == size) {
                tiles = word;
            }
        }
    }
}

static size_t start_of(const sample *s, size_t group)
{
    size_t start = s->segmented ? s->starts->u32[group] : 0;
    return start < s->live ? start : s->live;
}

static void check_group(const sample *s, size_t group, size_t begin, size_t end, const bits *dst,
                        const bits *total)
{
    size_t lanes = mr_column_lanes(columns[s->type]), count = end - begin;
    bits *x = malloc((count + 1) * sizeof *x), *out = malloc((count + 1) * sizeof *out), zero = { .u32 = 0 };
    for (size_t lane = 0; lane < lanes; lane++) {
        for (size_t i = 0; i < count; i++) {
            x[i].u32 = s->src->u32[(begin + i) * lanes + lane];
        }
        scan_lane(s, x, count, out);
        bits first = s->op == 1 || s->op == 2 ? x[0] : zero;
        if (s->op == 3) {
            first.u32 = mr_column_element(columns[s->type]) == MR_F32 ? 0x3f800000 : 1;
        }
        for (size_t i = 0; i < count; i++) {
            bits want = !s->exclusive ? out[i] : i == 0 ? first : out[i - 1];
            if (!same(s, dst[(begin + i) * lanes + lane], want)) {
                fail_msg("%s %s n %zu group %zu (%zu) element %zu: %x is not %x", types[s->type], ops[s->op],
                         s->n, group, count, i, dst[(begin + i) * lanes + lane].u32, want.u32);
            }
        }
        assert_true(same(s, total[group * lanes + lane], count ? out[count - 1] : zero));
    }
    free(x);
    free(out);
}

static void check(const sample *s, const mr_kernel_result *result)
{
    const mr_column *dst = mr_kernel_result_find(result, "dst"),
                    *total = mr_kernel_result_find(result, "total");
    const bits *words = (const bits *)dst->data, *totals = (const bits *)total->data;
    size_t lanes = mr_column_lanes(columns[s->type]), groups = s->segmented ? s->held : 1;
    assert_int_equal(dst->count, s->n);
    assert_int_equal(total->count, s->segmented ? s->segments : 1);
    for (size_t group = 0; group < groups; group++) {
        check_group(s, group, start_of(s, group), group + 1 < groups ? start_of(s, group + 1) : s->live,
                    words, totals);
    }
    for (size_t i = groups * lanes; i < total->count * lanes; i++) {
        assert_int_equal(totals[i].u32, 0);
    }
    for (size_t i = 0; i < (groups ? start_of(s, 0) : s->live) * lanes; i++) {
        assert_int_equal(words[i].u32, 0);
    }
    for (size_t i = s->live * lanes; i < s->n * lanes; i++) {
        assert_int_equal(words[i].u32, groups ? totals[(groups - 1) * lanes + i % lanes].u32 : 0);
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

static float any_float(test_random *random, uint32_t kind)
{
    static const float odd[] = { 0.0f,   -0.0f, 1.0f, 1.0f,     -1.0f,    NAN,     INFINITY,
                                 1e-42f, 3e38f, 0.5f, 0x1p-30f, 16777216, -1e-45f, -INFINITY };
    switch (kind) {
    case 0:
        return odd[test_below(random, 14)];
    case 1:
        return odd[test_below(random, 5)];
    case 2:
        return (float)test_between(random, 0.9, 1.1);
    default:
        return (float)test_between(random, -100, 100);
    }
}

static void fill(const sample *s, test_random *random)
{
    size_t words = s->src->count * mr_column_lanes(s->src->type);
    uint32_t kind = test_below(random, 5), range = test_below(random, 2) ? 100 : UINT32_MAX;
    for (size_t i = 0; i < words; i++) {
        if (mr_column_element(s->src->type) == MR_F32) {
            s->src->f32[i] = any_float(random, kind);
        } else {
            s->src->u32[i] = test_below(random, range) - range / 2;
        }
    }
}

static sample sample_of(mr_context *context, test_random *random, size_t n)
{
    sample s = { .n = n, .live = n, .type = test_below(random, 8), .op = test_below(random, 4) };
    s.exclusive = test_below(random, 2);
    s.device_count = test_below(random, 3) == 0;
    s.segmented = test_below(random, 2);
    s.src = column(context, columns[s.type], n);
    fill(&s, random);
    mr_column_publish(s.src);
    if (s.device_count) {
        uint32_t live = test_below(random, (uint32_t)n + 5);
        s.count = word(context, live);
        s.live = live < n ? live : n;
    }
    if (s.segmented) {
        s.held = s.segments = 1 + test_below(random, test_below(random, 2) ? 6 : 1 + (uint32_t)n);
        s.starts = column(context, test_below(random, 2) ? MR_COLUMN_INT : MR_COLUMN_UINT, s.segments);
        uint32_t at = test_below(random, 4) ? 0 : test_below(random, 9);
        for (size_t i = 0; i < s.segments; i++) {
            s.starts->u32[i] = at;
            at += test_below(random, 4) ? test_below(random, 2 * (uint32_t)(n / s.segments) + 2) : 0;
        }
        if ((s.device_segments = test_below(random, 3) == 0)) {
            uint32_t held = test_below(random, s.segments + 2);
            s.segment_count = word(context, held);
            s.held = held < s.segments ? held : s.segments;
            for (size_t i = s.held; i < s.segments; i++) { // what no group is made of
                s.starts->u32[i] = test_u32(random);
            }
        }
        mr_column_publish(s.starts);
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
    mr_choice choices[] = { { "OP", ops[s->op] }, { "T", types[s->type] }, { "SEGMENTS", "device" } };
    mr_uniform uniforms[] = { { "exclusive", 1, { s->exclusive } }, { "segments", 1, { s->segments } } };
    mr_bind bind[3] = { { .name = "src", .kind = MR_BIND_COLUMN, .column = s->src } };
    size_t binds = 1;
    if (s->starts) {
        bind[binds++] = (mr_bind){ .name = "starts", .kind = MR_BIND_COLUMN, .column = s->starts };
    }
    if (s->segment_count) {
        bind[binds++] =
            (mr_bind){ .name = "segment_count", .kind = MR_BIND_COLUMN, .column = s->segment_count };
    }
    mr_kernel_request request = { .kernel = mr_kernel_find("scan"),
                                  .domain = s->count ? (mr_count){ s->count, s->n } : mr_count_plain(s->n),
                                  .specialize = choices,
                                  .specialize_count = s->segment_count ? 3 : 2,
                                  .bind = bind,
                                  .bind_count = binds,
                                  .uniforms = uniforms,
                                  .uniform_count = 2 };
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
    for (size_t k = 0; k < test_count(12000); k++) {
        mr_context *context = m.contexts[k % m.count];
        size_t n = k % 100 == 0 ? test_below(&random, 9000) : test_below(&random, k % 3 ? 70 : 6);
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
    static const size_t sizes[] = { 1023,   1024,   1025,   65535,  65536, 65537,
                                    131071, 262143, 262144, 262145, 400003 };
    machines m = machines_begin();
    for (size_t k = 0; k < 11 + test_count(11); k++) {
        for (size_t i = 0; i < m.count; i++) {
            test_random same_random = { k };
            sample s = sample_of(m.contexts[i], &same_random, sizes[(k * 7 + k / 11) % 11]);
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

// In place, long enough to be written past the caches when it is not, and by itself from C.
static void a_long_scan_is_the_same_in_place_and_within_its_bound(void **state)
{
    enum { COUNT = 1200007 };
    float *from = malloc(COUNT * sizeof *from), *to = malloc(COUNT * sizeof *to), total;
    test_random random = { 3 };
    for (size_t i = 0; i < COUNT; i++) {
        from[i] = (float)test_between(&random, -1, 3);
    }
    mr_scan_run scan = { .op = MR_SCAN_ADD,
                         .element = MR_F32,
                         .lanes = 1,
                         .from = from,
                         .to = to,
                         .segments = { NULL, 1, COUNT },
                         .longest = COUNT,
                         .totals = &total };
    mr_error error;
    test_assert_ok(mr_scan(*state, &scan, &error), &error);
    double sum = 0, magnitudes = 0, bound = (4 + 64 + 64 + COUNT / 65536.0) * 0x1p-24;
    for (size_t i = 0; i < COUNT; i++) {
        sum += (double)from[i];
        magnitudes += fabs((double)from[i]);
        assert_true(fabs((double)to[i] - sum) <= bound * magnitudes);
    }
    assert_true(total == to[COUNT - 1]);
    scan.to = from;
    test_assert_ok(mr_scan(*state, &scan, &error), &error);
    assert_memory_equal(from, to, COUNT * sizeof *from);
    free(from);
    free(to);
}

static void sums_of_what_is_not_negative_never_fall(void **state)
{
    enum { COUNT = 300000 };
    float *x = malloc(COUNT * sizeof *x);
    test_random random = { 4 };
    for (size_t k = 0; k < test_count(6); k++) {
        for (size_t i = 0; i < COUNT; i++) {
            x[i] = test_below(&random, 3) ? (float)exp(test_between(&random, -20, 5)) : 0;
        }
        mr_scan_run scan = { .element = MR_F32,
                             .lanes = 1,
                             .exclusive = k % 2,
                             .from = x,
                             .to = x,
                             .segments = { NULL, 1, COUNT },
                             .longest = COUNT };
        mr_error error;
        test_assert_ok(mr_scan(*state, &scan, &error), &error);
        for (size_t i = 1; i < COUNT; i++) {
            assert_true(x[i] >= x[i - 1]);
        }
    }
    free(x);
}

static void differences_of_running_sums_are_the_input(void **state)
{
    test_random random = { 5 };
    for (size_t k = 0; k < test_count(300); k++) {
        uint32_t x[3000], y[3000];
        size_t count = 1 + test_below(&random, 3000);
        for (size_t i = 0; i < count; i++) {
            x[i] = test_u32(&random);
        }
        mr_scan_run scan = { .element = MR_I32,
                             .lanes = 1,
                             .from = x,
                             .to = y,
                             .segments = { NULL, 1, count },
                             .longest = count };
        mr_error error;
        test_assert_ok(mr_scan(*state, &scan, &error), &error);
        assert_int_equal(y[0], x[0]);
        for (size_t i = 1; i < count; i++) {
            assert_int_equal(y[i] - y[i - 1], x[i]);
        }
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
    refused(*state, &s, "kernel scan: binding starts is not bound");
    s.starts = mr_column_publish(mr_column_from(*state, MR_COLUMN_UINT, falling, 3, &error));
    refused(*state, &s, "kernel scan: binding starts falls at group 2: 2 comes after 3");
    s.segments = 4;
    refused(*state, &s, "kernel scan: binding starts holds 3 elements");
    s.segments = 2;
    s.n = 5;
    refused(*state, &s, "kernel scan: binding src holds 4 elements");
    s.n = 4;
    s.exclusive = true;
    mr_kernel_result result;
    test_assert_ok(run(*state, &s, &result, &error), &error);
    mr_kernel_result_release(&result);
    sample_end(&s);
}

static void every_failing_allocation_is_an_error(void **state)
{
    for (uint64_t at = 1;; at++) {
        mr_context *context = test_context_of(7, 0);
        sample s = { .n = 300000, .type = 4, .live = 300000 };
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
        cmocka_unit_test_setup_teardown(a_long_scan_is_the_same_in_place_and_within_its_bound, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(sums_of_what_is_not_negative_never_fall, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(differences_of_running_sums_are_the_input, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(bad_groups_are_refused, test_setup, test_teardown),
        cmocka_unit_test(every_failing_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
