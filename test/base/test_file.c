// Whole files in and out; a read-only mount and a full disk where the test may mount.

#include "support.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>

static char folder[MR_PATH_SIZE];

static int make_folder(void **state)
{
    test_folder(folder);
    return test_setup(state);
}
static int remove_folder(void **state)
{
    test_folder_remove(folder);
    return test_teardown(state);
}

static const char *in_folder(const char *name)
{
    static char path[2 * MR_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void assert_file_is(mr_context *context, const char *path, const char *bytes, size_t size)
{
    char *read = NULL;
    size_t length = 0;
    mr_error error;
    test_assert_ok(mr_file_read(context, path, 0, &read, &length, &error), &error);
    assert_int_equal(length, size);
    assert_memory_equal(read, bytes, size);
    assert_int_equal(read[length], 0);
    mr_free(context, read);
}

static void what_is_saved_is_read_back_at_every_size(void **state)
{
    static const size_t sizes[] = { 0, 1, 2, 4095, 4096, 4097, 100000, 3000000 };
    test_random random = { 1 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *bytes = malloc(sizes[i] + 1);
        for (size_t k = 0; k < sizes[i]; k++) {
            bytes[k] = (char)test_u32(&random);
        }
        mr_error error;
        test_assert_ok(mr_file_save(*state, in_folder("file"), bytes, sizes[i], &error), &error);
        assert_file_is(*state, in_folder("file"), bytes, sizes[i]);
        assert_int_equal(test_folder_count(folder), 1);
        free(bytes);
    }
}

static void a_reader_sees_the_old_file_until_the_commit(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_file_writer writer;
    test_assert_ok(mr_file_save(context, in_folder("file"), "old", 3, &error), &error);
    chmod(in_folder("file"), 0640);
    test_assert_ok(mr_file_begin(context, in_folder("file"), &writer, &error), &error);
    test_assert_ok(mr_file_write(&writer, "new", 3, &error), &error);
    assert_file_is(context, in_folder("file"), "old", 3);
    test_assert_ok(mr_file_write_at(&writer, 1, "EWER", 4, &error), &error);
    assert_int_equal(writer.written, 5);
    test_assert_ok(mr_file_write(&writer, "!", 1, &error), &error);
    test_assert_ok(mr_file_commit(&writer, &error), &error);
    assert_file_is(context, in_folder("file"), "nEWER!", 6);
    mr_file_abandon(&writer); // harmless now
    assert_file_is(context, in_folder("file"), "nEWER!", 6);
    struct stat about;
    assert_int_equal(stat(in_folder("file"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    test_assert_ok(mr_file_begin(context, in_folder("file"), &writer, &error), &error);
    test_assert_ok(mr_file_write(&writer, "half", 4, &error), &error);
    mr_file_abandon(&writer);
    assert_file_is(context, in_folder("file"), "nEWER!", 6);
    assert_int_equal(test_folder_count(folder), 1);
}

static void what_cannot_be_read_says_what_and_where(void **state)
{
    mr_context *context = *state;
    mr_error error = { 0 };
    char *bytes = (char *)1;
    size_t size = 77;
    assert_false(mr_file_read(context, in_folder("missing"), 0, &bytes, &size, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_text_contains(error.message, in_folder("missing"));
    assert_text_contains(error.message, "no such file");
    assert_false(mr_file_read(context, folder, 0, &bytes, &size, &error));
    assert_text_contains(error.message, "it is a folder");
    assert_false(mr_file_read(context, "", 0, &bytes, &size, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    char longer[2000];
    memset(longer, 'p', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    assert_false(mr_file_read(context, longer, 0, &bytes, &size, &error));
    assert_text_contains(error.message, "has 1999 bytes; at most 511");
    assert_false(mr_file_save(context, longer, "", 0, &error));
    assert_false(mr_folder_create(longer, &error));
    test_assert_ok(mr_file_save(context, in_folder("ten"), "0123456789", 10, &error), &error);
    assert_false(mr_file_read(context, in_folder("ten"), 9, &bytes, &size, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_text_contains(error.message, "has 10 bytes; at most 9");
    assert_false(mr_file_read(context, "/dev/zero", 100000, &bytes, &size, &error)); // no size to go by
    assert_int_equal(error.status, MR_LIMIT);
    assert_ptr_equal(bytes, (char *)1);
    assert_int_equal(size, 77);
    for (uint64_t site = 1; site <= 2; site++) {
        mr_memory_fail_after(context, site, true);
        bool good = mr_file_read(context, in_folder("ten"), 0, &bytes, &size, &error);
        mr_memory_fail_after(context, 0, false);
        assert_int_equal(good, site > 1);
    }
    mr_free(context, bytes);
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
    mr_context *context = *state;
    mr_error error = { 0 };
    assert_false(mr_file_save(context, folder, "x", 1, &error));
    assert_text_contains(error.message, "it is a folder");
    assert_false(mr_file_save(context, in_folder("none/file"), "x", 1, &error));
    assert_text_contains(error.message, "no such file or folder");
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_false(mr_file_save(context, in_folder("pipe"), "x", 1, &error));
    assert_text_contains(error.message, "not an ordinary file");
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_false(mr_file_save(context, "/dev/null", "x", 1, &error));
    unlink(in_folder("pipe"));
    char name[300];
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    test_assert_ok(mr_file_save(context, in_folder(name), "x", 1, &error),
                   &error); // the longest name there is
    unlink(in_folder(name));
    name[255] = 'n';
    name[299] = '\0';
    assert_false(mr_file_save(context, in_folder(name), "x", 1, &error));
    assert_text_contains(error.message, "too long");
    assert_int_equal(test_folder_count(folder), 0);
}

static void folders_are_made_with_their_parents(void **state)
{
    mr_error error = { 0 };
    test_assert_ok(mr_folder_create(in_folder("a/b//c/"), &error), &error);
    assert_true(mr_path_is_folder(in_folder("a/b/c")));
    test_assert_ok(mr_folder_create(in_folder("a/b/c"), &error), &error);
    test_assert_ok(mr_file_save(*state, in_folder("a/file"), "x", 1, &error), &error);
    assert_false(mr_folder_create(in_folder("a/file/d"), &error));
    assert_text_contains(error.message, "a/file\"");
    assert_text_contains(error.message, "not a folder");
    assert_true(mr_path_exists(in_folder("a/file")));
    assert_false(mr_path_is_folder(in_folder("a/file")));
    assert_false(mr_path_exists(in_folder("b")));
}

static void paths_are_joined_and_taken_apart(void **state)
{
    char out[MR_PATH_SIZE];
    mr_error error = { 0 };
    static const char *const joins[][3] = { { "a", "b", "a/b" }, { "a/", "b", "a/b" },
                                            { "", "b", "b" },    { "a", "/b", "/b" },
                                            { "/", "b", "/b" },  { "a/b", "c/d", "a/b/c/d" } };
    for (size_t i = 0; i < sizeof joins / sizeof joins[0]; i++) {
        test_assert_ok(mr_path_join(out, joins[i][0], joins[i][1], &error), &error);
        assert_string_equal(out, joins[i][2]);
    }
    static const char *const folders[][2] = { { "a/b", "a" },   { "b", "." },    { "/b", "/" },
                                              { "/", "/" },     { "a//b", "a" }, { "a/b/", "a" },
                                              { "a/b//", "a" }, { "//b", "/" } };
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        test_assert_ok(mr_path_folder(out, folders[i][0], &error), &error);
        assert_string_equal(out, folders[i][1]);
    }
    char longer[600];
    memset(longer, 'p', sizeof longer);
    longer[510] = '\0';
    strcpy(out, "kept");
    assert_false(mr_path_join(out, "ab", longer, &error));
    assert_text_contains(error.message, "at most 511");
    assert_string_equal(out, "kept");
    longer[510] = 'p';
    longer[599] = '\0';
    assert_false(mr_path_folder(out, longer, &error));
    assert_false(mr_path_folder(out, "", &error));
}

static void on_signal(int number)
{
}

// A pipe that trickles while signals without SA_RESTART break every call in two.
static void interrupted_calls_are_taken_up_again(void **state)
{
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    struct sigaction action = { .sa_handler = on_signal }, before;
    sigaction(SIGALRM, &action, &before);
    pid_t child = fork();
    if (child == 0) {
        int out = open(in_folder("pipe"), O_WRONLY);
        for (int i = 0; i < 50; i++) {
            char byte = (char)i;
            usleep(2000);
            kill(getppid(), SIGALRM);
            if (write(out, &byte, 1) != 1) {
                _exit(1);
            }
        }
        _exit(0);
    }
    char *bytes = NULL;
    size_t size = 0;
    mr_error error;
    bool good = mr_file_read(*state, in_folder("pipe"), 0, &bytes, &size, &error);
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGALRM, &before, NULL);
    unlink(in_folder("pipe"));
    test_assert_ok(good, &error);
    assert_int_equal(ended, 0);
    assert_int_equal(size, 50);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], i);
    }
    mr_free(*state, bytes);
}

// Runs body in a child that has mounts of its own; skips, saying what the system answered, where that is not allowed.
static void in_own_mounts(void (*body)(mr_context *context), mr_context *context)
{
    int answer[2];
    assert_int_equal(pipe(answer), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(answer[0]);
        int number = 0;
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("none", folder, "tmpfs", 0, "size=256k") != 0) {
            number = errno;
        }
        (void)!write(answer[1], &number, sizeof number);
        if (!number) {
            body(context);
        }
        _exit(0);
    }
    close(answer[1]);
    int number = -1, ended = 0;
    (void)!read(answer[0], &number, sizeof number);
    close(answer[0]);
    waitpid(child, &ended, 0);
    assert_int_equal(ended, 0);
    if (number) {
        print_message("skipped: this user may not mount (error %d)\n", number);
        skip();
    }
}

// In the child: cmocka's failures would unwind the parent's frames, so the status says it.
#define child_check(what)                                                                                    \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #what, error.message);                           \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

static void fill_disk(mr_context *context)
{
    mr_error error = { 0 };
    static char block[400000];
    child_check(mr_file_save(context, in_folder("kept"), "kept", 4, &error));
    mr_file_writer writer;
    child_check(mr_file_begin(context, in_folder("kept"), &writer, &error));
    bool good = true;
    for (int i = 0; i < 10 && good; i++) {
        good = mr_file_write(&writer, block, sizeof block / 4, &error);
    }
    child_check(!good);
    child_check(error.status == MR_SYSTEM);
    child_check(strstr(error.message, "the disk is full"));
    child_check(strstr(error.message, "kept\""));
    child_check(strstr(error.message, " bytes)"));
    mr_file_abandon(&writer);
    child_check(test_folder_count(folder) == 1);
    char *bytes;
    size_t size;
    child_check(mr_file_read(context, in_folder("kept"), 0, &bytes, &size, &error) && size == 4);
    mr_free(context, bytes);
    child_check(!mr_file_save(context, in_folder("kept"), block, sizeof block, &error));
    child_check(test_folder_count(folder) == 1);
}

static void a_full_disk_is_told_and_the_old_file_stays(void **state)
{
    in_own_mounts(fill_disk, *state);
}

static void write_to_read_only(mr_context *context)
{
    mr_error error = { 0 };
    child_check(mr_file_save(context, in_folder("kept"), "kept", 4, &error));
    child_check(mount("none", folder, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) == 0);
    child_check(!mr_file_save(context, in_folder("kept"), "other", 5, &error));
    child_check(error.status == MR_SYSTEM);
    child_check(strstr(error.message, "the file system is read-only"));
    child_check(strstr(error.message, "kept\""));
    child_check(!mr_folder_create(in_folder("sub"), &error));
    child_check(strstr(error.message, "read-only"));
    child_check(test_folder_count(folder) == 1);
}

static void a_read_only_mount_is_told(void **state)
{
    in_own_mounts(write_to_read_only, *state);
}

static const char *const pair[] = { "a", "b" };

static void write_pair(mr_context *context, mr_file_set *set, const char *text)
{
    mr_error error;
    char path[MR_PATH_SIZE];
    test_assert_ok(mr_file_set_begin(context, in_folder("set"), set, &error), &error);
    for (int i = 0; i < 2; i++) {
        test_assert_ok(mr_path_join(path, set->beside, pair[i], &error), &error);
        test_assert_ok(mr_file_save(context, path, text, strlen(text), &error), &error);
    }
}

static void a_set_of_files_appears_together(void **state)
{
    mr_context *context = *state;
    mr_file_set set;
    mr_error error = { 0 };
    write_pair(context, &set, "old");
    assert_int_equal(test_folder_count(in_folder("set")), 1); // only what is beside
    test_assert_ok(mr_file_set_commit(&set, pair, 2, &error), &error);
    mr_file_set_abandon(&set, &error);
    assert_int_equal(test_folder_count(in_folder("set")), 2);
    chmod(in_folder("set/b"), 0640);
    write_pair(context, &set, "newer");
    assert_file_is(context, in_folder("set/a"), "old", 3);
    assert_file_is(context, in_folder("set/b"), "old", 3);
    test_assert_ok(mr_file_set_commit(&set, pair, 2, &error), &error);
    assert_file_is(context, in_folder("set/a"), "newer", 5);
    assert_file_is(context, in_folder("set/b"), "newer", 5);
    struct stat about;
    assert_int_equal(stat(in_folder("set/b"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(test_folder_count(in_folder("set")), 2);
}

// A folder stands where the second file belongs: the first does not appear either.
static void a_set_that_cannot_appear_whole_leaves_what_was(void **state)
{
    mr_context *context = *state;
    mr_file_set set;
    mr_error error = { 0 };
    write_pair(context, &set, "old");
    test_assert_ok(mr_file_set_commit(&set, pair, 1, &error), &error);
    assert_int_equal(mkdir(in_folder("set/b"), 0700), 0);
    write_pair(context, &set, "newer");
    assert_false(mr_file_set_commit(&set, pair, 2, &error));
    mr_file_set_abandon(&set, &error);
    assert_text_contains(error.message, in_folder("set/b"));
    assert_text_contains(error.message, "it is a folder");
    assert_file_is(context, in_folder("set/a"), "old", 3);
    assert_int_equal(test_folder_count(in_folder("set")), 2);
}

// The folder goes with what was to be in it; an error met on the way speaks of the place, not of what was beside it.
static void a_set_given_up_leaves_nothing(void **state)
{
    mr_file_set set;
    mr_error error = { 0 };
    write_pair(*state, &set, "half");
    mr_fail(&error, MR_SYSTEM, "cannot write \"%s/a\": no", set.beside);
    mr_file_set_abandon(&set, &error);
    char expected[3 * MR_PATH_SIZE];
    snprintf(expected, sizeof expected, "cannot write \"%s/a\": no", in_folder("set"));
    assert_string_equal(error.message, expected);
    assert_int_equal(test_folder_count(folder), 0);
    assert_int_equal(mkdir(in_folder("set"), 0700), 0);
    write_pair(*state, &set, "half");
    mr_file_set_abandon(&set, &error);
    assert_int_equal(test_folder_count(folder), 1); // it was there before
    assert_int_equal(test_folder_count(in_folder("set")), 0);
    assert_false(mr_file_set_begin(*state, "/dev/null/x", &set, &error));
    assert_text_contains(error.message, "/dev/null");
    mr_file_set_abandon(&set, &error);
}

// Of a path of folders those that were there stay, the others go, whether the set was begun or could not be.
static void folders_made_for_a_set_go_with_it(void **state)
{
    mr_file_set set;
    mr_error error = { 0 };
    assert_int_equal(mkdir(in_folder("old"), 0700), 0);
    test_assert_ok(mr_file_set_begin(*state, in_folder("old/a//b/c/"), &set, &error), &error);
    assert_true(mr_path_is_folder(in_folder("old/a/b/c")));
    mr_file_set_abandon(&set, &error);
    assert_true(mr_path_is_folder(in_folder("old")));
    assert_int_equal(test_folder_count(in_folder("old")), 0);
    char path[MR_PATH_SIZE + 32] = "old/a/b/";
    size_t size = strlen(path);
    memset(path + size, 'n', 256); // a name longer than the system allows
    path[size + 256] = '\0';
    assert_false(mr_file_set_begin(*state, in_folder(path), &set, &error));
    assert_text_contains(error.message, "too long");
    assert_int_equal(test_folder_count(in_folder("old")), 0);
}

enum { MANY = 40 };
static char many_names[MANY][8];
static const char *many[MANY];

static bool commit_many(mr_context *context, const char *path, const char *text)
{
    mr_file_set set;
    bool good = mr_file_set_begin(context, path, &set, NULL);
    for (size_t i = 0; good && i < MANY; i++) {
        char beside[MR_PATH_SIZE];
        good = mr_path_join(beside, set.beside, many[i], NULL);
        FILE *file = good ? fopen(beside, "wb") : NULL;
        good = file && fputs(text, file) >= 0;
        good = file && fclose(file) == 0 && good;
    }
    return good && mr_file_set_commit(&set, many, MANY, NULL);
}

// Two programs put their sets into one folder at once: in the end all files are of one.
static void sets_put_in_place_at_once_do_not_mix(void **state)
{
    char path[2 * MR_PATH_SIZE];
    snprintf(path, sizeof path, "%s", in_folder("set"));
    for (size_t i = 0; i < MANY; i++) {
        snprintf(many_names[i], sizeof many_names[i], "f%zu", i);
        many[i] = many_names[i];
    }
    for (int round = 0; round < 100; round++) {
        pid_t children[2];
        for (int who = 0; who < 2; who++) {
            children[who] = fork();
            assert_true(children[who] >= 0);
            if (children[who] == 0) {
                _exit(commit_many(*state, path, who ? "one" : "two") ? 0 : 1);
            }
        }
        for (int who = 0; who < 2; who++) {
            int status = 1;
            assert_int_equal(waitpid(children[who], &status, 0), children[who]);
            assert_int_equal(status, 0);
        }
        char *bytes;
        size_t size;
        char first = 0;
        mr_error error = { 0 };
        for (size_t i = 0; i < MANY; i++) {
            char place[MR_PATH_SIZE];
            test_assert_ok(mr_path_join(place, path, many[i], &error), &error);
            test_assert_ok(mr_file_read(*state, place, 0, &bytes, &size, &error), &error);
            first = first ? first : bytes[0];
            if (bytes[0] != first) {
                fail_msg("round %d: %s is of the other set", round, many[i]);
            }
            mr_free(*state, bytes);
        }
        assert_int_equal(test_folder_count(path), MANY);
    }
}

// A caller that holds the folder all the while (flock FOLDER marram ...) stops nothing.
static void a_folder_locked_by_the_caller_is_written_all_the_same(void **state)
{
    mr_file_set set;
    mr_error error = { 0 };
    write_pair(*state, &set, "text");
    int held = open(in_folder("set"), O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(held, LOCK_EX), 0);
    test_assert_ok(mr_file_set_commit(&set, pair, 2, &error), &error);
    close(held);
    assert_file_is(*state, in_folder("set/b"), "text", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_saved_is_read_back_at_every_size, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_reader_sees_the_old_file_until_the_commit, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_says_what_and_where, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_leaves_nothing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(folders_are_made_with_their_parents, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(paths_are_joined_and_taken_apart, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(interrupted_calls_are_taken_up_again, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_full_disk_is_told_and_the_old_file_stays, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_read_only_mount_is_told, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_set_of_files_appears_together, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_set_that_cannot_appear_whole_leaves_what_was, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_set_given_up_leaves_nothing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(folders_made_for_a_set_go_with_it, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(sets_put_in_place_at_once_do_not_mix, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_folder_locked_by_the_caller_is_written_all_the_same, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
