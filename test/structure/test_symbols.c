// What the library calls and what it shows. A function whose answer depends on the C library, the locale, the clock or
// the process may not be called: its bits, or its manners, would differ from machine to machine.

#include "support.h"

static const struct {
    const char *names; // with f and l behind them too where `floats`
    bool floats;
    const char *why;
} refused[] = {
    { "sin cos tan asin acos atan atan2 sincos sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log "
      "log2 log10 log1p "
      "pow cbrt hypot erf erfc tgamma lgamma fmod remainder remquo drem j0 j1 jn y0 y1 yn",
      true, "the C library's answers differ in the last bits; num/exact.h has ours" },
    { "fmin fmax fdim", true, "which zero they answer is not settled; write the comparison" },
    { "qsort qsort_r bsearch lfind lsearch hsearch", false,
      "the order of equal elements is the C library's; sort stably" },
    { "rand srand random srandom drand48 lrand48 mrand48 rand_r arc4random getrandom getentropy", false,
      "randomness comes from streams and hashes alone" },
    { "strtod strtof strtold atof scanf sscanf fscanf vsscanf wcstod", false,
      "the locale decides the decimal point; base/number_text.h" },
    { "printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf dprintf vdprintf asprintf "
      "vasprintf strfromd "
      "strfromf gcvt ecvt fcvt",
      false, "the locale decides the decimal point; base/text.h" },
    { "setlocale localeconv strcoll strxfrm nl_langinfo toupper tolower isalpha isspace __ctype_b_loc "
      "__ctype_tolower_loc "
      "__ctype_toupper_loc strcasecmp strncasecmp strerror strerror_r perror",
      false, "the answer depends on the locale" },
    { "time clock gettimeofday clock_gettime localtime gmtime mktime strftime", false,
      "no answer may depend on the time" },
    { "getenv secure_getenv setenv putenv", false, "no answer may depend on the environment" },
    { "exit _exit _Exit abort quick_exit", false, "errors are answers; the library never ends its host" },
    { "puts putchar fputs fputc putc fwrite stdout stderr system popen", false,
      "the library never prints or runs anything" },
    { "malloc calloc realloc aligned_alloc posix_memalign strdup strndup", false,
      "memory goes through the context" },
    { "thrd_create mtx_lock mtx_init cnd_wait call_once", false,
      "base/thread.h: C11 threads are unseen by ThreadSanitizer" },
};

// An object's name (any part of its path) and the function it may call after all.
static const struct {
    const char *object;
    const char *symbol;
    const char *why;
} exempt[] = {
    { "src/base/context.c", "clock_gettime", "the one clock, for limits and timings" },
    { "src/base/context.c", "getenv", "MARRAM_ISA chooses among copies whose bits are the same" },
    { "src/base/context.c", "malloc", "the context itself, where the embedder gave no allocator" },
    { "src/base/memory.c", "malloc", "the default allocator" },
    { "src/base/memory.c", "realloc", "the default allocator" },
    { "src/base/buffer.c", "malloc", "the default allocator" },
    { "src/base/buffer.c", "aligned_alloc", "the default allocator" },
    // The command line is a program: it prints, reads its environment and ends with a status.
    { "marram_app.dir/", "fputs", "the command line prints" },
    { "marram_app.dir/", "fputc", "the command line prints" },
    { "marram_app.dir/", "putc", "the command line prints" },
    { "marram_app.dir/", "putchar", "the command line prints" },
    { "marram_app.dir/", "puts", "the command line prints" },
    { "marram_app.dir/", "fwrite", "the command line prints" },
    { "marram_app.dir/", "stdout", "the command line prints" },
    { "marram_app.dir/", "stderr", "the command line prints" },
    { "marram_app.dir/", "exit", "the command line ends with a status" },
    { "marram_app.dir/", "_exit", "a second interrupt ends the command at once" },
    { "marram_app.dir/", "getenv", "NO_COLOR, TERM and the like" },
};

static bool word_among(const char *words, const char *word, size_t size)
{
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ");
        if (length == size && memcmp(at, word, size) == 0) {
            return true;
        }
        at += length;
        at += strspn(at, " ");
    }
    return false;
}

// The name a symbol has in the source: without version, __isoc99_, __..._chk, __..._finite.
static void plain_name(const char *symbol, char *out, size_t room)
{
    size_t size = strcspn(symbol, "@");
    static const char *const before[] = { "__isoc99_", "__isoc23_", "__" };
    static const char *const after[] = { "_chk", "_finite" };
    for (size_t i = 0; i < 2; i++) {
        if (strncmp(symbol, before[i], strlen(before[i])) == 0) {
            symbol += strlen(before[i]);
            size -= strlen(before[i]);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(after[i]);
        if (strncmp(symbol, "__", 2) == 0 && size > length + 2 &&
            memcmp(symbol + size - length, after[i], length) == 0) {
            symbol += 2;
            size -= 2 + length;
        }
    }
    snprintf(out, room, "%.*s", (int)size, symbol);
}

static const char *why_refused(const char *object, const char *symbol)
{
    char name[512];
    plain_name(symbol, name, sizeof name);
    for (size_t i = 0; i < sizeof exempt / sizeof exempt[0]; i++) {
        if (object && strstr(object, exempt[i].object) && strcmp(name, exempt[i].symbol) == 0) {
            return NULL;
        }
    }
    size_t size = strlen(name);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        bool suffixed = refused[i].floats && size > 1 && (name[size - 1] == 'f' || name[size - 1] == 'l');
        if (word_among(refused[i].names, name, size) ||
            (suffixed && word_among(refused[i].names, name, size - 1))) {
            return refused[i].why;
        }
    }
    return NULL;
}

static FILE *run(const char *command)
{
    FILE *lines = popen(command, "r");
    assert_non_null(lines);
    return lines;
}

static void no_object_calls_what_is_refused(void **state)
{
    // Every object of the library, of the command line and of what is built into them; "path: U name" a line.
    FILE *lines = run(
        "find '" MARRAM_BINARY_DIR "' -name '*.o' -not -path '*/test/*' -not -path '*/bench/*' -not -path "
        "'*/fuzz/*' -not -path '*/CMakeScratch/*' -not -path '*/CompilerId*' -print0 | xargs -0 nm -A "
        "--undefined-only");
    char line[4096];
    size_t seen = 0, wrong = 0;
    while (fgets(line, sizeof line, lines)) {
        char object[2048], symbol[1024];
        if (sscanf(line, "%2047[^:]: %*1[UwvV] %1023s", object, symbol) != 2) {
            continue;
        }
        seen++;
        const char *why = why_refused(object, symbol);
        if (why) {
            print_error("%s calls %s: %s\n", object + strlen(MARRAM_BINARY_DIR) + 1, symbol, why);
            wrong++;
        }
    }
    assert_int_equal(pclose(lines), 0);
    assert_true(seen > 100);
    assert_int_equal(wrong, 0);
}

#ifdef MARRAM_SANITIZED
static void skip_sanitized(void)
{
    print_message("skipped: a sanitizer's own symbols are in the library\n");
    skip();
}
#else
static void skip_sanitized(void)
{
}
#endif

static void the_shared_library_calls_no_transcendental(void **state)
{
    skip_sanitized();
    FILE *lines = run("nm -D --undefined-only '" MARRAM_LIBRARY "'");
    char line[1024], symbol[1024];
    size_t seen = 0, wrong = 0;
    while (fgets(line, sizeof line, lines)) {
        if (sscanf(line, " %*1[Uwv] %1023s", symbol) != 1) {
            continue;
        }
        seen++;
        char name[512];
        plain_name(symbol, name, sizeof name);
        size_t size = strlen(name);
        bool suffixed = size > 1 && (name[size - 1] == 'f' || name[size - 1] == 'l');
        if (word_among(refused[0].names, name, size) ||
            (suffixed && word_among(refused[0].names, name, size - 1))) {
            print_error("libmarram.so needs %s: %s\n", symbol, refused[0].why);
            wrong++;
        }
    }
    assert_int_equal(pclose(lines), 0);
    assert_true(seen > 20);
    assert_int_equal(wrong, 0);
}

static void every_exported_symbol_begins_with_mr(void **state)
{
    skip_sanitized();
    FILE *lines = run("nm -D --defined-only '" MARRAM_LIBRARY "'");
    char line[1024], symbol[1024], kind;
    size_t seen = 0, wrong = 0;
    while (fgets(line, sizeof line, lines)) {
        if (sscanf(line, "%*s %c %1023s", &kind, symbol) != 2 || kind == 'A') { // A: the version's own name
            continue;
        }
        seen++;
        if (strncmp(symbol, "mr_", 3) != 0) {
            print_error("libmarram.so shows %s\n", symbol);
            wrong++;
        }
    }
    assert_int_equal(pclose(lines), 0);
    assert_true(seen >= 8);
    assert_int_equal(wrong, 0);
}

// gcc writes variable.number, clang function.variable.
static bool names_variable(const char *symbol, const char *variable)
{
    for (const char *at = symbol; at; at = strchr(at, '.')) {
        at += *at == '.';
        if (strncmp(at, variable, strlen(variable)) == 0) {
            return true;
        }
    }
    return false;
}

// Two contexts share nothing, so an object has no variable that outlives a call.
static void no_object_keeps_state_of_its_own(void **state)
{
    skip_sanitized();
    static const struct {
        const char *object, *variable, *why;
    } kept[] = {
        { "src/base/context.c", "c_locale", "the C locale, made once and never changed" },
        { "src/base/context.c", "once", "guards it" },
        { "src/base/context.c", "state", "what this thread is doing, put back by mr_leave" },
        { "src/base/isa.c", "found", "what the processor can do, which does not change" },
        { "src/base/memory.c", "refusal", "why this thread's last allocation was refused, for the message" },
        { "src/io/image.c", "scope_now",
          "whose memory this thread's codec uses, put back by mr_library_end" },
        { "src/base/file.c", "turn", "numbers the files beside, whose names never show" },
        { "marram_app.dir/", "", "a program has what it was started with" },
    };
    FILE *lines =
        run("find '" MARRAM_BINARY_DIR "/CMakeFiles' -name '*.o' -not -path '*/CMakeScratch/*' -not -path "
            "'*/CompilerId*' -print0 | xargs -0 objdump -t");
    char line[4096], object[2048] = "", section[256], variable[1024];
    size_t seen = 0, wrong = 0;
    while (fgets(line, sizeof line, lines)) {
        if (strstr(line, "file format")) {
            snprintf(object, sizeof object, "%.*s", (int)strcspn(line, ":"), line);
            seen++;
        }
        // "address flags section<tab>size name", the flags seven columns wide.
        if (strlen(line) < 26 || sscanf(line + 25, "%255s %*x %1023s", section, variable) != 2) {
            continue;
        }
        bool writable = (strncmp(section, ".data", 5) == 0 && strncmp(section, ".data.rel.ro", 12) != 0) ||
                        strncmp(section, ".bss", 4) == 0 || strncmp(section, ".tbss", 5) == 0 ||
                        strncmp(section, ".tdata", 6) == 0 || strcmp(section, "*COM*") == 0;
        bool known = !writable || variable[0] == '.';
        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
            known = known || (strstr(object, kept[i].object) && names_variable(variable, kept[i].variable));
        }
        if (!known) {
            print_error("%s keeps %s in %s\n", object, variable, section);
            wrong++;
        }
    }
    assert_int_equal(pclose(lines), 0);
    assert_true(seen > 10);
    assert_int_equal(wrong, 0);
}

static void the_rule_itself_tells_right_from_wrong(void **state)
{
    static const char *const bad[] = { "sin",
                                       "sinf",
                                       "powl",
                                       "pow@GLIBC_2.29",
                                       "__pow_finite",
                                       "__snprintf_chk",
                                       "fmodf",
                                       "qsort",
                                       "__isoc99_sscanf",
                                       "__isoc23_strtod",
                                       "strtod",
                                       "exp10",
                                       "abort" };
    static const char *const good[] = { "sqrt",   "sqrtf",  "floor",      "memcpy", "single",
                                        "expand", "mr_pow", "logf_table", "free" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_non_null(why_refused("src/num/exact.c", bad[i]));
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_null(why_refused("src/num/exact.c", good[i]));
    }
    assert_non_null(why_refused("src/num/exact.c", "malloc"));
    assert_null(why_refused("x/src/base/memory.c.o", "malloc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_itself_tells_right_from_wrong),
        cmocka_unit_test(no_object_calls_what_is_refused),
        cmocka_unit_test(the_shared_library_calls_no_transcendental),
        cmocka_unit_test(no_object_keeps_state_of_its_own),
        cmocka_unit_test(every_exported_symbol_begins_with_mr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
