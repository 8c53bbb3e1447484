// test/support.h: what every test may use.
//
// One test program is one file, so these are static. Random streams here are the tests' own (splitmix64): a test never
// draws from the generator it tests.

#ifndef MARRAM_TEST_SUPPORT_H
#define MARRAM_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter" // cmocka's state

// How many times as many random cases to run; make heavy raises it. The environment's MARRAM_TEST_SCALE, default 1.
static double test_scale(void)
{
    const char *text = getenv("MARRAM_TEST_SCALE");
    double scale = text ? atof(text) : 1.0;
    return scale > 0 ? scale : 1.0;
}

static size_t test_count(size_t count)
{
    double scaled = (double)count * test_scale();
    return scaled < 1 ? 1 : (size_t)scaled;
}

typedef struct test_random {
    uint64_t state;
} test_random;

static uint64_t test_u64(test_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t test_u32(test_random *random)
{
    return (uint32_t)(test_u64(random) >> 32);
}

// 0 to below - 1.
static uint32_t test_below(test_random *random, uint32_t below)
{
    return (uint32_t)((uint64_t)test_u32(random) * below >> 32);
}

// low to below high.
static double test_between(test_random *random, double low, double high)
{
    return low + (high - low) * ((double)(test_u64(random) >> 11) * 0x1p-53);
}

// A context with default hooks; threads 0 is all the machine has. Ends the test when it cannot be made.
static mr_context *test_context_of(uint32_t threads, uint64_t memory_limit)
{
    mr_context_config config = mr_context_config_default();
    config.threads = threads;
    config.memory_limit = memory_limit;
    mr_context *context = NULL;
    mr_error error;
    if (!mr_context_create(&config, &context, &error)) {
        fail_msg("no context: %s", error.message);
    }
    return context;
}

static mr_context *test_context(void)
{
    return test_context_of(0, 0);
}

// Ends a context and fails the test when it still holds memory.
static void test_context_end(mr_context *context)
{
    mr_buffer_trim(context);
    uint64_t held = mr_context_memory_now(context);
    mr_context_destroy(context);
    assert_int_equal(held, 0);
}

// cmocka fixtures: *state is the context.
static int test_setup(void **state)
{
    *state = test_context();
    return *state ? 0 : -1;
}

static int test_teardown(void **state)
{
    test_context_end(*state);
    return 0;
}

static void test_assert_ok(bool good, const mr_error *error)
{
    if (!good) {
        fail_msg("status %d: %s", (int)error->status, error->message);
    }
}

// A context that counts what it has of the system's: what a higher floor keeps in it is let go with it, and a leak shows
// when it has ended.
typedef struct test_counting {
    mr_context *context;
    atomic_long blocks;
} test_counting;

static void *test_counting_allocate(void *user, size_t size, size_t align)
{
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);
    atomic_fetch_add(&((test_counting *)user)->blocks, memory != NULL);
    return memory;
}

static void test_counting_free(void *user, void *memory, size_t size)
{
    (void)size;
    atomic_fetch_sub(&((test_counting *)user)->blocks, 1);
    free(memory);
}

static mr_context *test_counting_context(test_counting *count, uint32_t threads)
{
    mr_context_config config = mr_context_config_default();
    mr_error error;
    atomic_init(&count->blocks, 0);
    config.user = count;
    config.allocate = test_counting_allocate;
    config.free = test_counting_free;
    config.threads = threads;
    test_assert_ok(mr_context_create(&config, &count->context, &error), &error);
    return count->context;
}

static void test_counting_end(test_counting *count)
{
    mr_context_destroy(count->context);
    assert_int_equal(atomic_load(&count->blocks), 0);
}

static test_counting test_setup_count;

static int test_setup_counting(void **state)
{
    *state = test_counting_context(&test_setup_count, 0);
    return 0;
}

static int test_teardown_counting(void **state)
{
    test_counting_end(&test_setup_count);
    return 0;
}

#define assert_text_contains(text, part)                                                                     \
    do {                                                                                                     \
        const char *text_ = (text);                                                                          \
        if (!strstr(text_, (part))) {                                                                        \
            fail_msg("\"%s\" is not in \"%s\"", (part), text_);                                              \
        }                                                                                                    \
    } while (0)

// A fresh empty folder beneath the build's own test folder (TMPDIR where set), its path in out.
static void test_folder(char out[MR_PATH_SIZE])
{
    const char *parent = getenv("TMPDIR");
    snprintf(out, MR_PATH_SIZE, "%s/marram-test-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(out)) {
        fail_msg("no folder could be made at %s", out);
    }
}

// Removes a folder and what is in it. Links are removed, never followed.
static void test_folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    if (folder) {
        for (const struct dirent *entry; (entry = readdir(folder));) {
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
                continue;
            }
            char inner[4096];
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
            struct stat about;
            if (lstat(inner, &about) == 0 && S_ISDIR(about.st_mode)) {
                test_folder_remove(inner);
            } else {
                unlink(inner);
            }
        }
        closedir(folder);
    }
    rmdir(path);
}

static size_t test_folder_count(const char *path)
{
    size_t count = 0;
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

// Sets the process to a locale whose decimal separator is a comma, as a host program may have. A bare machine has
// none, so one is compiled from the C library's own sources into a folder of the test where localedef can. False, with
// why, when there is no way.
static bool test_comma_locale(const char **why)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                         "fr_FR.utf8",  "de_DE",      "fr_FR" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0) {
            return true;
        }
    }
    char folder[MR_PATH_SIZE], command[2 * MR_PATH_SIZE];
    test_folder(folder);
    snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1",
             folder);
    int unused = system(command);
    (void)unused;
    const char *before = getenv("LOCPATH");
    char *kept = before ? strdup(before) : NULL;
    setenv("LOCPATH", folder, 1);
    bool done = setlocale(LC_ALL, "de_DE.UTF-8") && strcmp(localeconv()->decimal_point, ",") == 0;
    if (kept) {
        setenv("LOCPATH", kept, 1);
    } else {
        unsetenv("LOCPATH");
    }
    free(kept);
    test_folder_remove(folder);
    *why = "no locale with a decimal comma is installed and localedef could not make one";
    return done;
}

#endif
