// scatter, held to a walk over the sources that looks at one place at a time.

#include "kernel/random_words.h"
#include "kernel/run_kernel.h"

#include "kernel/order_key.h"

#include <math.h>

enum { MOST = 4000, PLACES_MOST = 3000, LANES_MOST = 4, LARGE = 150000 };

static const char *const folds[] = { "add", "min", "max", "mean", "set" };
enum { ADD, MIN, MAX, MEAN, SET };

typedef struct trial {
    size_t n, held, words, places, live_places; // n may be a capacity, of which held are there
    bool floats, exact;
    int fold;
    float scale;
    long live, live_size; // below 0: plain
} trial;

static uint32_t source[LARGE * LANES_MOST];
static int32_t places_of[LARGE];
static int32_t want[LARGE * LANES_MOST], want_hits[LARGE], want_last[LARGE];

static int32_t rounded_multiple(float value, float scale)
{
    volatile float scaled = value * scale;
    double y = nearbyint((double)scaled);
    return isnan(y) ? 0 : y >= 0x1p31 ? INT32_MAX : y <= -0x1p31 ? INT32_MIN : (int32_t)y;
}

// The words of the sources that reach one place, one lane, in order, as what they come to.
static uint32_t fold_lane(const trial *t, size_t place, size_t lane, int32_t hits)
{
    float sum = 0;
    int64_t whole = 0;
    uint32_t multiples = 0, best = 0;
    bool first = true;
    for (size_t i = 0; i < t->held; i++) {
        if (places_of[i] != (int32_t)place) {
            continue;
        }
        uint32_t word = source[i * t->words + lane];
        volatile float next = sum + f32_of_word(word);
        sum = next;
        whole += (int32_t)word;
        multiples += (uint32_t)rounded_multiple(f32_of_word(word), t->scale);
        // A strict order that the zeros and a NaN are part of, other than by keys.
        float x = f32_of_word(word), y = f32_of_word(best);
        bool below = !t->floats ? (int32_t)word < (int32_t)best
                     : isnan(x) ? false
                     : isnan(y) ? true
                     : x == y   ? signbit(x) && !signbit(y)
                                : x < y;
        bool above = !t->floats ? (int32_t)word > (int32_t)best
                     : isnan(y) ? false
                     : isnan(x) ? true
                     : x == y   ? !signbit(x) && signbit(y)
                                : x > y;
        best = first || t->fold == SET || (t->fold == MIN ? below : above) ? word : best;
        first = false;
    }
    if (first) {
        return 0;
    }
    if (t->fold != ADD && t->fold != MEAN) {
        return best;
    }
    if (!t->floats) {
        return t->fold == MEAN ? (uint32_t)(int32_t)(whole / hits) : (uint32_t)whole;
    }
    volatile float total = t->exact ? (float)(int32_t)multiples / t->scale : sum;
    volatile float mean = total / (float)hits;
    return word_of_f32(t->fold == MEAN ? mean : total);
}

static void expect(const trial *t)
{
    memset(want_hits, 0, t->places * sizeof *want_hits);
    memset(want_last, 0, t->places * sizeof *want_last);
    for (size_t i = 0; i < t->held; i++) {
        if (places_of[i] >= 0 && (size_t)places_of[i] < t->live_places) {
            want_hits[places_of[i]]++;
            want_last[places_of[i]] = (int32_t)i + 1;
        }
    }
    for (size_t p = 0; p < t->places; p++) {
        for (size_t k = 0; k < t->words; k++) {
            uint32_t word = p < t->live_places ? fold_lane(t, p, k, want_hits[p]) : 0;
            bool nan = t->floats && (word & 0x7fffffffu) > 0x7f800000u;
            want[p * t->words + k] = nan ? 0x7fc00000 : (int32_t)word;
        }
    }
}

static void make_trial(test_random *random, trial *t, size_t n, size_t places)
{
    *t = (trial){
        .n = n, .places = places, .words = 1 + test_below(random, LANES_MOST), .live = -1, .live_size = -1
    };
    t->floats = test_below(random, 2);
    t->exact = t->floats && test_below(random, 4) == 0;
    t->fold = (int)test_below(random, 5);
    t->scale = test_below(random, 2) ? 1024.0f : 3.7f;
    t->held = n;
    t->live_places = places;
    if (test_below(random, 3) == 0) {
        t->live = (long)test_below(random, (uint32_t)n + 3);
        t->held = (size_t)t->live < n ? (size_t)t->live : n;
    }
    if (test_below(random, 3) == 0) {
        t->live_size = (long)test_below(random, (uint32_t)places + 1);
        t->live_places = (size_t)t->live_size;
    }
    uint32_t below = 1 + test_below(random, (uint32_t)places + 2);
    for (size_t i = 0; i < n; i++) {
        places_of[i] =
            test_below(random, 12) ? (int32_t)test_below(random, below) : (int32_t)test_u32(random);
        for (size_t k = 0; k < t->words; k++) {
            source[i * t->words + k] = random_word(random, t->floats ? MR_F32 : MR_I32);
        }
    }
}

static const mr_column_type float_types[] = { MR_COLUMN_FLOAT, MR_COLUMN_VEC2, MR_COLUMN_VEC3,
                                              MR_COLUMN_VEC4 };
static const mr_column_type int_types[] = { MR_COLUMN_INT, MR_COLUMN_INT2, MR_COLUMN_INT3, MR_COLUMN_INT4 };

// The element as T, or as a run of T's scalars.
static void bind_source(kernel_run *run, const trial *t, bool as_lanes)
{
    mr_column_type type = (t->floats ? float_types : int_types)[t->words - 1];
    kernel_bind_as(run, "src", type, source, t->n);
    if (as_lanes) {
        kernel_choose(run, "T", t->floats ? "f32" : "i32");
        kernel_param(run, "lanes", (double)t->words);
    }
}

static void bind_size(kernel_run *run, const trial *t)
{
    if (t->live_size < 0) {
        kernel_bind_number(run, "size", t->places);
        return;
    }
    uint32_t word = (uint32_t)t->live_size;
    kernel_bind_as(run, "size_count", MR_COLUMN_UINT, &word, 1);
    mr_bind *bind = &run->binds[run->request.bind_count++];
    *bind = (mr_bind){ .name = "size", .kind = MR_BIND_COUNT };
    mr_column *column = run->columns[run->request.bind_count - 2];
    test_assert_ok(mr_count_live(column, t->places, &bind->count, &run->error), &run->error);
    kernel_choose(run, "SIZE", "device");
}

static void end_size(kernel_run *run)
{
    for (size_t i = 0; i < run->request.bind_count; i++) {
        if (strcmp(run->binds[i].name, "size") == 0) {
            mr_count_release(&run->binds[i].count);
        }
    }
}

static void check_answer(const kernel_run *run, const trial *t, bool as_lanes)
{
    const mr_column *dst = mr_kernel_result_find(&run->result, "dst");
    mr_column_type type = (t->floats ? float_types : int_types)[as_lanes ? 0 : t->words - 1];
    assert_int_equal(dst->type, type);
    assert_int_equal(dst->count, as_lanes ? t->places * t->words : t->places);
    if (t->live_size >= 0) {
        assert_int_equal(mr_column_live_count(dst), t->live_places * (as_lanes ? t->words : 1));
    }
    assert_words(folds[t->fold], dst->i32, want, t->places * t->words);
    assert_out(run, "hits", want_hits, t->places);
    assert_out(run, "last", want_last, t->places);
}

static void check_whole(mr_context *context, test_random *random, const trial *t)
{
    bool as_lanes = test_below(random, 2);
    kernel_run run;
    kernel_begin(&run, context, "scatter", t->n, t->live);
    bind_source(&run, t, as_lanes);
    kernel_bind(&run, "index", places_of, t->n);
    bind_size(&run, t);
    kernel_choose(&run, "FOLD", folds[t->fold]);
    kernel_choose(&run, "EXACT", t->exact ? "on" : "off");
    kernel_param(&run, "scale", (double)t->scale);
    kernel_go_ok(&run);
    check_answer(&run, t, as_lanes);
    end_size(&run);
    kernel_end(&run);
}

// One pass over the outputs of the one before, which are let go.
static void run_pass(kernel_run *run, kernel_run *before, mr_context *context, const trial *t,
                     const char *pass)
{
    kernel_begin(run, context, "scatter", strcmp(pass, "fold") == 0 ? t->n : t->places,
                 strcmp(pass, "fold") == 0 ? t->live : -1);
    kernel_choose(run, "PASS", pass);
    kernel_choose(run, "FOLD", folds[t->fold]);
    if (strcmp(pass, "fold") == 0) {
        bind_source(run, t, true);
        kernel_bind(run, "index", places_of, t->n);
    } else {
        kernel_choose(run, "T", t->floats ? "f32" : "i32");
        kernel_param(run, "lanes", (double)t->words);
    }
    static const char *const names[] = { "dst", "hits", "last" };
    for (size_t i = 0; before && i < 3; i++) {
        size_t at = run->request.bind_count++;
        run->columns[at] = mr_kernel_result_take(&before->result, names[i]);
        run->binds[at] = (mr_bind){ .name = names[i], .kind = MR_BIND_COLUMN, .column = run->columns[at] };
    }
    bind_size(run, t);
    kernel_go_ok(run);
    if (before) {
        end_size(before);
        kernel_end(before);
    }
}

static void check_passes(mr_context *context, const trial *t)
{
    kernel_run init, fold, finish;
    run_pass(&init, NULL, context, t, "init");
    run_pass(&fold, &init, context, t, "fold");
    run_pass(&finish, &fold, context, t, "finish");
    const mr_column *dst = mr_kernel_result_find(&finish.result, "dst");
    assert_words(folds[t->fold], dst->i32, want, t->places * t->words);
    assert_out(&finish, "hits", want_hits, t->places);
    assert_out(&finish, "last", want_last, t->places);
    end_size(&finish);
    kernel_end(&finish);
}

static void every_place_is_what_its_sources_come_to_in_order(void **state)
{
    test_random random = { 31 };
    for (size_t i = 0; i < test_count(11000); i++) {
        trial t;
        make_trial(&random, &t, test_below(&random, 40), test_below(&random, 20));
        expect(&t);
        check_whole(*state, &random, &t);
    }
}

static bool sums_fit(const trial *t)
{
    return t->floats || t->fold != MEAN;
}

static void three_passes_come_to_the_same(void **state)
{
    test_random random = { 32 };
    for (size_t i = 0; i < test_count(1500); i++) {
        trial t;
        make_trial(&random, &t, test_below(&random, 40), test_below(&random, 20));
        t.exact = false;
        if (!sums_fit(&t)) { // small enough for the sum between passes
            for (size_t k = 0; k < t.n * t.words; k++) {
                source[k] = test_below(&random, 2000) - 1000u;
            }
        }
        expect(&t);
        check_passes(*state, &t);
    }
}

// Enough for buckets: many places of few sources, few of many, more places than sources.
static void any_threads_and_buckets_give_the_fold_in_order(void **state)
{
    static const size_t sizes[][2] = { { MOST, PLACES_MOST }, { 30000, 7 }, { 300, 20000 }, { 30000, 150 } };
    for (uint32_t threads = 1; threads <= 7; threads += 6) {
        mr_context *context = test_context_of(threads, 0);
        test_random random = { 33 };
        for (size_t i = 0; i < test_count(20); i++) {
            trial t;
            make_trial(&random, &t, sizes[i % 4][0], sizes[i % 4][1]);
            if (t.places > 1000) { // the slow walk reads every source for each place
                t.n = t.n < 300 ? t.n : 300;
                t.held = t.held < t.n ? t.held : t.n;
                t.live = t.live > (long)t.n ? (long)t.n : t.live;
            }
            expect(&t);
            check_whole(context, &random, &t);
        }
        test_context_end(context);
    }
}

static void a_large_float_sum_is_the_serial_one(void **state)
{
    enum { PLACES = 40000 };
    static float sums[PLACES];
    test_random random = { 34 };
    memset(sums, 0, sizeof sums);
    for (size_t i = 0; i < LARGE; i++) {
        float value = (float)test_between(&random, -1e6, 1e6);
        places_of[i] = (int32_t)test_below(&random, PLACES);
        source[i] = word_of_f32(value);
        volatile float sum = sums[places_of[i]] + value;
        sums[places_of[i]] = sum;
    }
    for (uint32_t threads = 1; threads <= 7; threads += 3) {
        mr_context *context = test_context_of(threads, 0);
        kernel_run run;
        kernel_begin(&run, context, "scatter", LARGE, -1);
        kernel_bind_as(&run, "src", MR_COLUMN_FLOAT, source, LARGE);
        kernel_bind(&run, "index", places_of, LARGE);
        kernel_bind_number(&run, "size", PLACES);
        kernel_go_ok(&run);
        assert_memory_equal(kernel_out(&run, "dst"), sums, sizeof sums);
        kernel_end(&run);
        test_context_end(context);
    }
}

static void an_integer_mean_is_the_true_one_rounded_toward_zero(void **state)
{
    static const int32_t values[] = { INT32_MAX, INT32_MAX, -7, 2, INT32_MIN, INT32_MIN, 7, -2 };
    static const int32_t index[] = { 0, 0, 1, 1, 2, 2, 3, 3 }, mean[] = { INT32_MAX, -2, INT32_MIN, 2 };
    kernel_run run;
    kernel_begin(&run, *state, "scatter", 8, -1);
    kernel_bind(&run, "src", values, 8);
    kernel_bind(&run, "index", index, 8);
    kernel_bind_number(&run, "size", 4);
    kernel_choose(&run, "FOLD", "mean");
    kernel_go_ok(&run);
    assert_out(&run, "dst", mean, 4);
    kernel_end(&run);
}

static void begin_small(kernel_run *run, mr_context *context, const char *pass)
{
    static const float values[6] = { 1, 2, 3, 4, 5, 6 };
    static const int32_t index[6] = { 0 };
    kernel_begin(run, context, "scatter", 6, -1);
    kernel_bind_as(run, "src", MR_COLUMN_FLOAT, values, 6);
    kernel_bind(run, "index", index, 6);
    kernel_choose(run, "PASS", pass);
}

static void what_does_not_fit_is_refused(void **state)
{
    kernel_run run;
    begin_small(&run, *state, "whole");
    kernel_refused(&run, "size");
    begin_small(&run, *state, "whole");
    kernel_bind_number(&run, "size", 3);
    kernel_param(&run, "lanes", 2);
    kernel_refused(&run, "src");
    begin_small(&run, *state, "whole");
    kernel_bind_number(&run, "size", 3);
    kernel_choose(&run, "SIZE", "device");
    kernel_refused(&run, "size_count");
    begin_small(&run, *state, "fold");
    kernel_bind_number(&run, "size", 3);
    kernel_refused(&run, "dst");
    begin_small(&run, *state, "init");
    kernel_bind_number(&run, "size", 3);
    kernel_refused(&run, "src");
    begin_small(&run, *state, "whole");
    kernel_bind_number(&run, "size", 3);
    kernel_param(&run, "scale", 0);
    kernel_refused(&run, "scale");
    begin_small(&run, *state, "whole");
    kernel_bind_number(&run, "size", (size_t)INT32_MAX);
    kernel_param(&run, "lanes", 16);
    assert_false(kernel_go(&run));
    assert_int_equal(run.error.status, MR_LIMIT);
    kernel_end(&run);
    kernel_begin(&run, *state, "scatter", 3, -1);
    kernel_choose(&run, "PASS", "init");
    kernel_choose(&run, "EXACT", "on");
    kernel_bind_number(&run, "size", 3);
    kernel_refused(&run, "EXACT");
}

static void failing_memory_is_an_error(void **state)
{
    test_random random = { 35 };
    mr_context *context = test_context_of(2, 0);
    trial t;
    make_trial(&random, &t, 30000, 150);
    for (size_t k = 0; k < 30000; k++) {
        source[k] = k & 3;
    }
    for (int fold = 0; fold < 5; fold++) {
        kernel_run run;
        kernel_begin(&run, context, "scatter", 30000, -1);
        kernel_bind(&run, "src", (const int32_t *)source, 30000);
        kernel_bind(&run, "index", places_of, 30000);
        kernel_bind_number(&run, "size", 150);
        kernel_choose(&run, "FOLD", folds[fold]);
        bool good = false;
        for (uint64_t site = 1; !good && site < 2000; site++) {
            mr_buffer_trim(context);
            mr_memory_fail_after(context, site, true);
            good = kernel_go(&run);
            mr_memory_fail_after(context, 0, false);
            assert_true(good || run.error.status == MR_OUT_OF_MEMORY);
        }
        assert_true(good);
        kernel_end(&run);
    }
    test_context_end(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_place_is_what_its_sources_come_to_in_order, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(three_passes_come_to_the_same, test_setup, test_teardown),
        cmocka_unit_test(any_threads_and_buckets_give_the_fold_in_order),
        cmocka_unit_test(a_large_float_sum_is_the_serial_one),
        cmocka_unit_test_setup_teardown(an_integer_mean_is_the_true_one_rounded_toward_zero, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, test_setup, test_teardown),
        cmocka_unit_test(failing_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
