// What a context promises its host: the float state and the locale as they were, limits, and plain refusals.

#include "support.h"

#include "base/number_text.h"
#include "base/thread.h"

#include <fenv.h>
#include <math.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

// Kept from the compiler, which may not know of the modes set here.
static double halve(double value)
{
    static _Thread_local volatile double given, half;
    given = value;
    half = given / 2;
    return half;
}
static double third(void)
{
    volatile double one = 1, three = 3;
    volatile double quotient = one / three;
    return quotient;
}

static void set_flush(bool on)
{
#if defined(__x86_64__)
    _mm_setcsr((_mm_getcsr() & ~0x8040u) | (on ? 0x8040u : 0));
#endif
}

static bool check_state(void *argument, size_t begin, size_t end, mr_error *error)
{
    const double *nearest = argument;
    bool good = halve(0x1p-1022) == 0x1p-1023 && halve(0x1p-1073) == 0x1p-1074 && third() == *nearest &&
                fegetround() == FE_TONEAREST;
    double until = mr_clock_seconds() + 0.001; // so that the others get some too
    while (mr_clock_seconds() < until) {
    }
    return good || mr_fail(error, MR_INTERNAL, "the float state is not the library's own");
}

static void flush_to_zero_and_rounding_are_ours_inside_and_the_hosts_after(void **state)
{
    double nearest = third();
    static const int roundings[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    for (int i = 0; i < 8; i++) {
        mr_context *context = test_context_of(3, 0);
        int rounding = roundings[i % 4];
        bool flush = i >= 4;
        fesetround(rounding);
        set_flush(flush);
        feraiseexcept(FE_DIVBYZERO);
        double before = third();
        mr_entry entry, inner;
        mr_error error;
        mr_enter(context, &entry);
        mr_enter(context, &inner);
        bool good = mr_parallel_for(context, 30, 1, check_state, &nearest, &error);
        mr_leave(&inner);
        good = good && mr_parallel_for(context, 1, 1, check_state, &nearest, &error);
        mr_leave(&entry);
        int after = fegetround();
        double same = third();
        double tiny = halve(0x1p-1022);
        int raised = fetestexcept(FE_DIVBYZERO | FE_UNDERFLOW);
        fesetround(FE_TONEAREST);
        set_flush(false);
        feclearexcept(FE_ALL_EXCEPT);
        test_assert_ok(good, &error);
        assert_int_equal(after, rounding);
        assert_true(same == before);
        assert_true(raised & FE_DIVBYZERO);
#if defined(__x86_64__)
        assert_true(tiny == (flush ? 0 : 0x1p-1023));
#else
        assert_true(tiny == 0x1p-1023);
#endif
        test_context_end(context);
    }
}

// The start of libraries that read numbers with the C library: what they would see.
static bool check_point(void *argument, size_t begin, size_t end, mr_error *error)
{
    char text[32];
    snprintf(text, sizeof text, "%g", 1.5);
    return strcmp(text, "1.5") == 0 && strtod("1.5", NULL) == 1.5
               ? true
               : mr_fail(error, MR_INTERNAL, "the locale is not the C locale: %s", text);
}

static void a_comma_decimal_locale_is_neither_seen_nor_lost(void **state)
{
    const char *why = "";
    if (!test_comma_locale(&why)) {
        print_message("skipped: %s\n", why);
        skip();
    }
    char host[32];
    snprintf(host, sizeof host, "%g", 1.5);
    assert_string_equal(host, "1,5");
    mr_context *context = test_context_of(3, 0);
    mr_error error;
    mr_entry entry;

    // Our own text needs no entry at all.
    char text[64];
    mr_text_format(text, sizeof text, "%g %.2f %e", 1.5, 2.25, 0.5);
    assert_string_equal(text, "1.5 2.25 5.000000e-01");
    double value = 0;
    assert_int_equal(mr_f64_parse(MR_VIEW("1.5"), &value), 3);
    assert_true(value == 1.5);

    mr_enter(context, &entry);
    bool good = mr_parallel_for(context, 100, 1, check_point, NULL, &error);
    mr_leave(&entry);
    snprintf(host, sizeof host, "%g", 1.5);
    assert_string_equal(host, "1,5");
    test_assert_ok(good, &error);

    // A thread's own locale comes back too.
    locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t was = uselocale(own);
    mr_enter(context, &entry);
    mr_leave(&entry);
    assert_true(uselocale((locale_t)0) == own);
    uselocale(was);
    freelocale(own);
    setlocale(LC_ALL, "C");
    test_context_end(context);
}

static void configs_that_make_no_sense_are_refused(void **state)
{
    mr_context *context = NULL;
    mr_error error = { 0 };
    mr_context_config config = mr_context_config_default();
    config.isa = "v9";
    assert_false(mr_context_create(&config, &context, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_string_equal(error.message, "isa is \"v9\"; it must be base, v3 or v4");
    config = mr_context_config_default();
    config.allocate = (void *(*)(void *, size_t, size_t))(uintptr_t)1;
    assert_false(mr_context_create(&config, &context, &error));
    assert_text_contains(error.message, "allocate without free");
    config = mr_context_config_default();
    config.time_limit = NAN;
    assert_false(mr_context_create(&config, &context, &error));
    assert_text_contains(error.message, "time_limit is nan s");
    config.size = 0;
    assert_false(mr_context_create(&config, &context, NULL));
    config.size = sizeof config + 8; // a caller built against a later version
    assert_false(mr_context_create(&config, &context, &error));
    assert_null(context);
    mr_context_destroy(NULL);
}

static void an_older_and_shorter_config_is_taken(void **state)
{
    mr_context_config config = mr_context_config_default();
    config.size = offsetof(mr_context_config, threads);
    config.threads = 77; // past its end: unread
    config.isa = "nonsense";
    mr_context *context;
    mr_error error;
    test_assert_ok(mr_context_create(&config, &context, &error), &error);
    assert_int_not_equal(mr_context_threads(context), 77);
    mr_context_destroy(context);
}

static void the_instruction_set_can_be_forced(void **state)
{
    mr_error error = { 0 };
    for (unsigned i = 0; i < MR_ISA_COUNT; i++) {
        mr_context *context = NULL;
        mr_context_config config = mr_context_config_default();
        config.isa = mr_isa_name((mr_isa)i);
        setenv("MARRAM_ISA", "base", 1); // the config is stronger
        bool possible = i <= (unsigned)mr_isa_best();
        assert_int_equal(mr_context_create(&config, &context, &error), possible);
        if (possible) {
            assert_int_equal(mr_context_isa(context), i);
        } else {
            assert_text_contains(error.message, "at most");
        }
        mr_context_destroy(context);
        context = NULL;
        config.isa = NULL;
        setenv("MARRAM_ISA", mr_isa_name((mr_isa)i), 1);
        assert_int_equal(mr_context_create(&config, &context, &error), possible);
        if (possible) {
            assert_int_equal(mr_context_isa(context), i);
        }
        mr_context_destroy(context);
    }
    setenv("MARRAM_ISA", "sse9", 1);
    mr_context *context = NULL;
    assert_false(mr_context_create(NULL, &context, &error));
    assert_text_contains(error.message, "MARRAM_ISA is \"sse9\"");
    unsetenv("MARRAM_ISA");
    test_assert_ok(mr_context_create(NULL, &context, &error), &error);
    assert_int_equal(mr_context_isa(context), mr_isa_best());
    mr_context_destroy(context);
}

typedef struct test_calls {
    unsigned logs, progresses;
    uint64_t last;
    char message[1100];
} test_calls;
static void note_log(void *user, mr_log_level level, const char *message)
{
    test_calls *calls = user;
    calls->logs++;
    snprintf(calls->message, sizeof calls->message, "%d %s", (int)level, message);
}
static void note_progress(void *user, const char *stage, uint64_t done, uint64_t total)
{
    test_calls *calls = user;
    calls->progresses++;
    calls->last = done;
}
static bool tell_progress(void *argument, size_t begin, size_t end, mr_error *error)
{
    double until = mr_clock_seconds() + 0.0005;
    while (mr_clock_seconds() < until) {
        mr_progress(argument, "stage", begin, 400);
    }
    return true;
}

static void log_and_progress_reach_the_host_and_not_too_often(void **state)
{
    test_calls calls = { 0 };
    mr_context_config config = mr_context_config_default();
    config.user = &calls;
    config.threads = 3;
    config.log = note_log;
    config.progress = note_progress;
    mr_context *context;
    mr_error error;
    test_assert_ok(mr_context_create(&config, &context, &error), &error);
    mr_log(context, MR_LOG_WARNING, "%d of %s", 3, "these");
    assert_string_equal(calls.message, "2 3 of these");
    char longer[3000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    mr_log(context, MR_LOG_INFO, "%s", longer);
    assert_int_equal(strlen(calls.message), 2 + 1023);
    mr_progress(context, "outside any entry", 1, 2);
    assert_int_equal(calls.progresses, 0);
    mr_entry entry;
    mr_enter(context, &entry);
    double begin = mr_clock_seconds();
    assert_true(mr_parallel_for(context, 400, 1, tell_progress, context, NULL));
    double taken = mr_clock_seconds() - begin;
    mr_leave(&entry);
    assert_true(calls.progresses >= 1);
    assert_true(calls.progresses <= 2 + taken * 21);
    test_context_end(context);
}

static void errors_say_where_and_fit_their_room(void **state)
{
    mr_error error;
    memset(&error, 'x', sizeof error);
    assert_false(mr_fail(&error, MR_BAD_INPUT, "radius is %g m", -4.0));
    assert_string_equal(error.message, "radius is -4 m");
    assert_string_equal(error.hint, "");
    assert_string_equal(error.file, "");
    assert_int_equal(error.line, 0);
    assert_false(mr_fail_at(&error, "valley.world", 31, 22));
    assert_false(mr_fail_prefix(&error, "terrain.%s", "cone"));
    assert_string_equal(error.message, "terrain.cone: radius is -4 m");
    mr_hint(&error, "make it more than %d", 0);
    assert_string_equal(error.hint, "make it more than 0");
    assert_int_equal(error.line, 31);
    mr_fail_at(&error, NULL, 1, 2);
    assert_string_equal(error.file, "valley.world");
    char longer[3000];
    memset(longer, 'y', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    mr_fail(&error, MR_INTERNAL, "%s", longer);
    assert_int_equal(strlen(error.message), MR_MESSAGE_SIZE - 1);
    mr_fail_prefix(&error, "%s", longer);
    assert_int_equal(strlen(error.message), MR_MESSAGE_SIZE - 1);
    mr_fail_at(&error, longer, 1, 1);
    assert_int_equal(strlen(error.file), MR_PATH_SIZE - 1);
    mr_hint(&error, "%s", longer);
    assert_int_equal(strlen(error.hint), MR_HINT_SIZE - 1);
    assert_false(mr_fail(NULL, MR_INTERNAL, "nobody listens"));
    assert_false(mr_hint(NULL, "x"));
    assert_false(mr_fail_at(NULL, "x", 1, 1));
    assert_false(mr_fail_prefix(NULL, "x"));
    assert_false(mr_fail_memory(NULL, 1));
}

// A log hook that uses another context: its entry nests in the first one's.
static void entries_of_two_contexts_nest(void **state)
{
    mr_context_config config = mr_context_config_default();
    config.time_limit = 1000;
    mr_context *limited, *other = test_context_of(1, 0);
    mr_error error;
    test_assert_ok(mr_context_create(&config, &limited, &error), &error);
    mr_entry outer, inner;
    mr_enter(limited, &outer);
    mr_enter(other, &inner);
    mr_context_cancel(other);
    assert_false(mr_keep_going(other, &error));
    mr_leave(&inner);
    assert_true(mr_keep_going(limited, &error));
    mr_leave(&outer);
    mr_context_destroy(limited);
    mr_context_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flush_to_zero_and_rounding_are_ours_inside_and_the_hosts_after),
        cmocka_unit_test(a_comma_decimal_locale_is_neither_seen_nor_lost),
        cmocka_unit_test(configs_that_make_no_sense_are_refused),
        cmocka_unit_test(an_older_and_shorter_config_is_taken),
        cmocka_unit_test(the_instruction_set_can_be_forced),
        cmocka_unit_test(log_and_progress_reach_the_host_and_not_too_often),
        cmocka_unit_test(errors_say_where_and_fit_their_room),
        cmocka_unit_test(entries_of_two_contexts_nest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
