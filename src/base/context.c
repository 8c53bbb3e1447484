// base/context.c: making and ending a context, its entries, log, progress and attachments.

#include "base/context.h"

#include "base/context_state.h"
#include "base/text.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

const char *mr_version(void)
{
    return MARRAM_VERSION;
}

mr_context_config mr_context_config_default(void)
{
    return (mr_context_config){ .size = sizeof(mr_context_config) };
}

double mr_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double mr_thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

mr_thread_state *mr_thread_state_here(void)
{
    static _Thread_local mr_thread_state state;
    return &state;
}

// The C locale is made once and kept for the process: a thread that still uses it must never find it freed.
static locale_t c_locale;
static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}
static locale_t the_c_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    return c_locale;
}

static uint64_t control_word_get(void)
{
#if defined(__x86_64__)
    return _mm_getcsr();
#elif defined(__aarch64__)
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
#else
    return 0;
#endif
}

static void control_word_set(uint64_t word)
{
#if defined(__x86_64__)
    _mm_setcsr((unsigned)word);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(word));
#else
    (void)word;
#endif
}

static void set_float_state(void)
{
    fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
    control_word_set(0x1f80); // exceptions masked, nearest, neither flush-to-zero nor denormals-are-zero
#else
    control_word_set(0);
#endif
}

void mr_enter_worker(void)
{
    set_float_state();
    if (the_c_locale()) {
        uselocale(the_c_locale());
    }
}

void mr_enter(mr_context *context, mr_entry *entry)
{
    entry->context = context;
    entry->control_word = control_word_get();
    fegetenv(&entry->float_state);
    set_float_state();
    entry->locale = the_c_locale() ? uselocale(the_c_locale()) : (locale_t)0;

    mr_thread_state *state = mr_thread_state_here();
    entry->outer = state->context;
    entry->outer_deadline = state->deadline;
    entry->outer_owner = state->owner;
    if (state->context != context) {
        state->context = context;
        state->deadline = 0;
        state->owner = true;
        if (context && context->config.time_limit > 0) {
            state->deadline = mr_clock_seconds() + context->config.time_limit;
        }
    }
}

void mr_leave(mr_entry *entry)
{
    mr_thread_state *state = mr_thread_state_here();
    state->context = entry->outer;
    state->deadline = entry->outer_deadline;
    state->owner = entry->outer_owner;
    if (entry->locale) {
        uselocale(entry->locale);
    }
    fesetenv(&entry->float_state);
    control_word_set(entry->control_word);
}

bool mr_keep_going(mr_context *context, mr_error *error)
{
    if (atomic_load_explicit(&context->cancelled, memory_order_relaxed)) {
        return mr_fail(error, MR_CANCELLED, "cancelled");
    }
    const mr_thread_state *state = mr_thread_state_here();
    if (state->context == context && state->deadline > 0 && mr_clock_seconds() > state->deadline) {
        return mr_fail(error, MR_LIMIT, "the time limit of %g s was reached", context->config.time_limit);
    }
    return true;
}

static bool choose_isa(const char *wanted, mr_isa *isa, mr_error *error)
{
    const char *source = "isa";
    mr_isa best = mr_isa_best();
    if (!wanted) {
        wanted = getenv("MARRAM_ISA");
        source = "MARRAM_ISA";
    }
    if (!wanted || !*wanted) {
        *isa = best;
        return true;
    }
    for (unsigned i = 0; i < MR_ISA_COUNT; i++) {
        if (strcmp(wanted, mr_isa_name((mr_isa)i)) == 0) {
            if (i > (unsigned)best) {
                return mr_fail(error, MR_BAD_INPUT, "%s is \"%s\"; this machine can run at most \"%s\"",
                               source, wanted, mr_isa_name(best));
            }
            *isa = (mr_isa)i;
            return true;
        }
    }
    return mr_fail(error, MR_BAD_INPUT, "%s is \"%s\"; it must be base, v3 or v4", source, wanted);
}

static uint32_t choose_threads(uint32_t wanted)
{
    enum { MOST = 1024 };
    if (wanted == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        wanted = online < 1 ? 1 : online > MOST ? MOST : (uint32_t)online;
    }
    return wanted > MOST ? MOST : wanted;
}

bool mr_context_create(const mr_context_config *config, mr_context **context, mr_error *error)
{
    mr_context_config chosen = mr_context_config_default();
    if (config) {
        if (config->size == 0 || config->size > sizeof chosen) {
            return mr_fail(error, MR_BAD_INPUT, "the config's size is %zu; it must be 1 to %zu", config->size,
                           sizeof chosen);
        }
        memcpy(&chosen, config, config->size);
        chosen.size = sizeof chosen;
    }
    if (!chosen.allocate != !chosen.free) {
        return mr_fail(error, MR_BAD_INPUT, "the config has %s without %s; both or neither must be given",
                       chosen.allocate ? "allocate" : "free", chosen.allocate ? "free" : "allocate");
    }
    if (!(chosen.time_limit >= 0)) {
        return mr_fail(error, MR_BAD_INPUT, "time_limit is %g s; it must be 0 or more", chosen.time_limit);
    }
    mr_isa isa = MR_ISA_BASE;
    if (!choose_isa(chosen.isa, &isa, error)) {
        return false;
    }
    uint32_t threads = choose_threads(chosen.threads);
    size_t size = sizeof(mr_context) + (threads - 1) * sizeof(pthread_t);
    mr_context *made =
        chosen.allocate ? chosen.allocate(chosen.user, size, _Alignof(max_align_t)) : malloc(size);
    if (!made) {
        return mr_fail_memory(error, size);
    }
    memset(made, 0, size);
    made->config = chosen;
    made->config.isa = NULL; // the caller's text need not outlive the call
    made->isa = isa;
    made->threads = threads;
    const char *heavy = getenv("MARRAM_HEAVY");
    made->heavy = heavy && strcmp(heavy, "1") == 0;
    made->own_size = size;
    atomic_init(&made->cancelled, false);
    mr_memory_open(made);
    mr_pool_open(made, (pthread_t *)(made + 1));
    mr_mutex_init(&made->attachments_mutex);
    *context = made;
    return true;
}

void mr_context_destroy(mr_context *context)
{
    if (!context) {
        return;
    }
    while (context->attachments) {
        mr_attachment *attachment = context->attachments;
        context->attachments = attachment->next;
        if (attachment->destroy) {
            attachment->destroy(attachment->made);
        }
        mr_free(context, attachment);
    }
    mr_pool_close(context);
    mr_mutex_destroy(&context->attachments_mutex);
    mr_memory_close(context);
    if (context->config.free) {
        context->config.free(context->config.user, context, context->own_size);
    } else {
        free(context);
    }
}

void mr_context_cancel(mr_context *context)
{
    atomic_store_explicit(&context->cancelled, true, memory_order_relaxed);
}

void mr_context_resume(mr_context *context)
{
    atomic_store_explicit(&context->cancelled, false, memory_order_relaxed);
}

mr_isa mr_context_isa(const mr_context *context)
{
    return context->isa;
}

uint32_t mr_context_threads(const mr_context *context)
{
    return context->threads;
}

bool mr_context_heavy(const mr_context *context)
{
    return context->heavy;
}

uint64_t mr_context_memory_limit(const mr_context *context)
{
    return context->config.memory_limit;
}

void mr_log(mr_context *context, mr_log_level level, const char *format, ...)
{
    if (!context->config.log) {
        return;
    }
    char message[1024];
    va_list list;
    va_start(list, format);
    mr_text_format_list(message, sizeof message, format, list);
    va_end(list);
    context->config.log(context->config.user, level, message);
}

void mr_progress(mr_context *context, const char *stage, uint64_t done, uint64_t total)
{
    mr_thread_state *state = mr_thread_state_here();
    if (!context->config.progress || !state->owner || state->context != context) {
        return;
    }
    double now = mr_clock_seconds();
    if (now < state->progress_at) {
        return;
    }
    state->progress_at = now + 0.05;
    context->config.progress(context->config.user, stage, done, total);
}

static mr_attachment *find_attachment(mr_context *context, const void *key)
{
    mr_attachment *at = context->attachments;
    while (at && at->key != key) {
        at = at->next;
    }
    return at;
}

void *mr_context_find(mr_context *context, const void *key)
{
    mr_mutex_lock(&context->attachments_mutex);
    const mr_attachment *found = find_attachment(context, key);
    void *made = found ? found->made : NULL;
    mr_mutex_unlock(&context->attachments_mutex);
    return made;
}

void *mr_context_attach(mr_context *context, const void *key, void *made, void (*destroy)(void *made))
{
    mr_attachment *attachment = mr_allocate(context, sizeof *attachment);
    mr_mutex_lock(&context->attachments_mutex);
    const mr_attachment *found = find_attachment(context, key);
    void *answer = found ? found->made : attachment ? made : NULL;
    if (!found && attachment) {
        *attachment = (mr_attachment){ context->attachments, key, made, destroy };
        context->attachments = attachment;
        attachment = NULL;
    }
    mr_mutex_unlock(&context->attachments_mutex);
    mr_free(context, attachment);
    if (answer != made && destroy) {
        destroy(made);
    }
    return answer;
}
