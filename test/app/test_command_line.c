// The command line as a person meets it: what it prints, what it ends with, and that nothing half-written is left.

#include "support.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

typedef struct answer {
    int status; // exit status, or 128 + the signal
    char out[65536];
    char err[65536];
} answer;

static void read_whole(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(text, 1, size - 1, file) : 0;
    text[count] = 0;
    if (file) {
        fclose(file);
    }
}

static char folder[MR_PATH_SIZE];
static answer last;

// Runs `marram WORDS` in a shell, in the test's folder.
static const answer *run(const char *words)
{
    char command[8192];
    snprintf(command, sizeof command, "cd '%s' && PATH='%s':\"$PATH\" && marram %s >out.txt 2>err.txt",
             folder, MARRAM_BINARY_DIR, words);
    int status = system(command);
    last.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    char path[MR_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/out.txt", folder);
    read_whole(path, last.out, sizeof last.out);
    snprintf(path, sizeof path, "%s/err.txt", folder);
    read_whole(path, last.err, sizeof last.err);
    return &last;
}

static void write_file(const char *name, const char *text)
{
    char path[MR_PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool exists(const char *name)
{
    char path[MR_PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static const char small_world[] =
    "part wood\n"
    "  part land: terrain.land(ground)\n"
    "  field ground = terrain.fbm(terrain.source(size: (256 m, 256 m), resolution: 2 m, height: 6 m), "
    "featureSize: 90 m,\n"
    "      amplitude: 5 m, seed: 3)\n"
    "part pine\n"
    "  part trunk: mesh.cylinder(radius: 0.15 m, height: 9 m)\n"
    "  part crown: mesh.cone(radius: 1.6 m, height: 7 m), at: (0 m, 2.5 m, 0 m)\n"
    "part wood.trees\n"
    "  field layout = scatter(over: land, seed: 42, rules: [pines])\n"
    "  field pines = rule(candidates: jitteredGrid(cell: 6 m, x: -120 m ..< 120 m, z: -120 m ..< 120 m),\n"
    "      keep: land.slope(here) < 0.6, spacing: 4 m, place: pine(variant: below(4), size: 0.7 + 0.6 * "
    "uniform(0, 1)))\n";

static int setup(void **state)
{
    (void)state;
    test_folder(folder);
    write_file("wood.world", small_world);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char path[MR_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/disk", folder);
    umount(path); // where a test mounted it and stopped half way
    test_folder_remove(folder);
    return 0;
}

static void help_and_usage_have_their_statuses(void **state)
{
    static const struct {
        const char *words;
        int status;
        const char *out, *err;
    } cases[] = {
        { "", 2, "", "usage: marram COMMAND" },
        { "--help", 0, "usage: marram COMMAND", "" },
        { "--version", 0, "marram 0.", "" },
        { "biuld x", 2, "", "there is no command 'biuld'; did you mean build?" },
        { "build", 2, "", "marram build: WORLD is missing" },
        { "build a b", 2, "", "'b' is one word too many" },
        { "build --thread 2 a", 2, "", "there is no option --thread; did you mean --threads?" },
        { "build --threads 0 a", 2, "", "--threads is '0'; it must be a whole number from 1 to 1024" },
        { "build --threads", 2, "", "--threads takes a value, N" },
        { "build --json=1 a", 2, "", "--json takes no value" },
        { "build --set x a", 2, "", "--set is 'x'; it must be FIELD=VALUE" },
        { "build --help", 0, "usage: marram build WORLD", "" },
        { "help stream", 0, "usage: marram stream", "" },
        { "stream", 2, "", "--seed is missing" },
        { "stream --seed -1", 2, "", "--seed is '-1'; it must be a whole number from 0 to 4294967295" },
        { "stream --seed 4294967296", 2, "", "must be a whole number from 0 to 4294967295" },
        { "stream --seed 99999999999999999999999", 2, "", "must be a whole number from 0 to 4294967295" },
        { "node terrain.fmb", 1, "", "terrain.fbm" },
        { "nodes qqqqq", 1, "", "no node answers 'qqqqq'" },
        { "kernels qqqqq", 1, "", "no kernel answers 'qqqqq'" },
        { "kernels 'SIDES edge'", 0, "run_sides", "" },
        { "kernel run_side", 1, "", "run_sides" },
        { "kernel edges", 0, "Bindings:", "" },
        { "kernel edges --json", 0, "\"bindings\"", "" },
        { "build missing.world", 1, "", "cannot open \"missing.world\": there is no such file or folder" },
        { "build .", 1, "", "cannot read \".\": it is a folder" },
        { "build ''", 2, "", "WORLD is empty" },
        { "build wood.world -o ''", 2, "", "--output is empty; it takes a value, DIR" },
        { "build wood.world -o wood.world", 1, "", "it is there and is not a folder" },
        { "build wood.world -o /dev/full/x", 1, "", "it is there and is not a folder" },
        { "build wood.world --threads abc", 2, "", "--threads is 'abc'; it must be a whole number from 1" },
        { "build wood.world --threads 1000000000", 2, "", "from 1 to 1024" },
        { "check wood.world", 0, "wood.world: 0 errors, 0 warnings", "" },
        { "--isa", 2, "", "a command is missing before --isa" },
        { "help biuld", 2, "", "did you mean build?" },
        { "--help build", 0, "usage: marram build WORLD", "" },
        { "-h biuld", 2, "", "did you mean build?" },
        { "help help", 0, "usage: marram COMMAND", "" },
        { "help --help", 0, "usage: marram COMMAND", "" },
        { "help build x", 2, "", "'x' is one word too many" },
        { "--help --help x", 2, "", "'x' is one word too many" },
        { "--version x", 2, "", "'x' is one word too many" },
        { "nodes --isa z80", 2, "", "z80" },
        { "check wood.world --set wood.grund=3", 1, "",
          "has no field wood.grund\n    did you mean wood.ground?" },
        { "check wood.world --set wod.ground=3", 1, "", "did you mean wood.ground?" },
        { "check wood.world --set wood.tres.pines=3", 1, "", "did you mean wood.trees.pines?" },
        { "check wood.world --set ground=3", 1, "", "did you mean wood.ground?" },
        { "check wood.world --set wood=3", 1, "", "fields there are: wood.ground" },
        { "check wood.world --set wood.trees.zzz=3", 1, "", "wood.trees.layout, wood.trees.pines" },
        { "check wood.world --set pine.trunk=3", 1, "", "write the field's path" },
        { "check wood.world --set ..=3", 1, "", "has no field .." },
        { "check wood.world --set wood.trees.pines=3", 1, "", "--set wood.trees.pines:1:" },
        { "check wood.world --set wood.ground=3 --set wood.ground=4", 1, "", "--set wood.ground:1:" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const answer *said = run(cases[i].words);
        if (said->status != cases[i].status || !strstr(said->out, cases[i].out) ||
            !strstr(said->err, cases[i].err)) {
            fail_msg("marram %s: status %d where %d was expected, out '%s', err '%s'", cases[i].words,
                     said->status, cases[i].status, said->out, said->err);
        }
    }
}

// What stands on standard output is an answer only when all of it arrived.
static void an_answer_that_cannot_be_written_is_status_three(void **state)
{
    static const char *const commands[] = { "--help",
                                            "--version",
                                            "build --help",
                                            "nodes",
                                            "node mesh.box",
                                            "kernel edges",
                                            "check wood.world",
                                            "stream --seed 1",
                                            "build wood.world -o made" };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        static const char *const ways[] = { "/dev/full", "&-" };
        for (size_t way = 0; way < 2; way++) {
            char command[256];
            snprintf(command, sizeof command, "%s >%s 2>err.txt; exit $?; :", commands[i], ways[way]);
            const answer *said = run(command);
            if (said->status != 3 || !strstr(said->err, "standard output could not be written")) {
                fail_msg("marram %s: status %d, '%s'", command, said->status, said->err);
            }
        }
    }
}

// The reference's own vectors of the island's stream.
static void stream_prints_the_published_words(void **state)
{
    assert_string_equal(run("stream --seed 20260520 --salt 1 -n 5")->out,
                        "4208404450\n544951066\n2648638333\n554165986\n1904442840\n");
    assert_string_equal(run("stream --seed=20260520 -t7 -n 1")->out, "1419980109\n");
    assert_int_equal(strlen(run("stream --seed 1 -n 0")->out), 0);
}

static void build_writes_every_file_and_says_so(void **state)
{
    const answer *said = run("build wood.world -o made");
    if (said->status != 0) {
        fail_msg("%s", said->err);
    }
    assert_text_contains(said->out, "pines");
    static const char *const files[] = { "made/manifest.json", "made/world.glb",  "made/height.exr",
                                         "made/height.png",    "made/layout.csv", "made/map.png" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!exists(files[i])) {
            fail_msg("%s is missing", files[i]);
        }
    }
    char path[MR_PATH_SIZE + 32];
    char text[4096];
    snprintf(path, sizeof path, "%s/made/layout.csv", folder);
    read_whole(path, text, sizeof text);
    assert_memory_equal(text,
                        "path,rule,kind,variant,x,y,z,turn,size,room,key\nwood.trees.layout,pines,pine,", 77);
    snprintf(path, sizeof path, "%s/made/manifest.json", folder);
    read_whole(path, text, sizeof text);
    static const char *const keys[] = { "\"version\"", "\"content_hash\"", "\"parts\"", "\"rules\"",
                                        "\"placed\"",  "\"bounds\"",       "\"files\"", "\"timings\"" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_text_contains(text, keys[i]);
    }
}

static void content_hash_of(const char *words, char hash[33])
{
    const answer *said = run(words);
    const char *at = strstr(said->out, "\"content_hash\": \"");
    if (said->status != 0 || !at) {
        fail_msg("marram %s: %s%s", words, said->out, said->err);
    }
    memcpy(hash, at + strlen("\"content_hash\": \""), 32);
    hash[32] = 0;
}

static void threads_and_instruction_sets_move_no_bit(void **state)
{
    char expected[33];
    char hash[33];
    content_hash_of("build wood.world -o made --json", expected);
    static const char *const words[] = { "build wood.world -o made --json --threads 1",
                                         "build wood.world -o made --json --threads 2",
                                         "build wood.world -o made --json --threads 7",
                                         "build wood.world -o made --json --isa base" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        content_hash_of(words[i], hash);
        assert_string_equal(hash, expected);
    }
}

static void a_comment_moves_no_bit_and_a_setting_does(void **state)
{
    char expected[33];
    char hash[33];
    content_hash_of("build wood.world -o made --json", expected);
    char text[sizeof small_world + 128];
    snprintf(text, sizeof text, "// a comment\n\n%s// another\n", small_world);
    write_file("wood.world", text);
    content_hash_of("build wood.world -o made --json", hash);
    assert_string_equal(hash, expected);
    content_hash_of("build wood.world -o made --json --set 'wood.ground=terrain.source(size: (256 m, 256 m), "
                    "resolution: 2 m)'",
                    hash);
    assert_string_not_equal(hash, expected);
}

static void a_wrong_world_is_status_one_and_writes_nothing(void **state)
{
    write_file("bad.world", "part a: mesh.box(size: (1 m, 2 m, 1 m + 3 s))\n");
    const answer *said = run("build bad.world -o made");
    assert_int_equal(said->status, 1);
    assert_text_contains(said->err, "bad.world:1:");
    assert_text_contains(said->err, "error:");
    assert_false(exists("made"));
    write_file("broken.world", "part a\n  field b = 2 m +\n");
    assert_int_equal(run("check broken.world --json")->status, 1);
    assert_text_contains(last.out, "\"severity\": \"error\"");
}

static void more_grounds_than_can_be_written_are_refused(void **state)
{
    write_file("many.world",
               "part wood\n  each k in 0 ..< count {\n    part land[k]: terrain.land(terrain.source("
               "size: (8 m, 8 m), resolution: 2 m))\n  }\n  field count = 17\n");
    assert_int_equal(run("build many.world -o made")->status, 1);
    assert_text_contains(last.err, "the world has 17 grounds; at most 16 can be written");
    assert_false(exists("made"));
    assert_int_equal(run("build many.world -o made --set wood.count=16")->status, 0);
    assert_true(exists("made/height-16.png"));
}

// All names in a folder, hidden ones too, and what the files hold, as one hash: what a rebuild that failed must leave.
static void fingerprint(const char *name, char *text, size_t size)
{
    char command[2 * MR_PATH_SIZE + 128];
    char path[MR_PATH_SIZE + 16];
    snprintf(command, sizeof command, "cd '%s/%s' && { ls -A; cksum *; } >'%s/print.txt' 2>&1", folder, name,
             folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/print.txt", folder);
    read_whole(path, text, size);
}

// A small file system fills up half way through a rebuild: an error that says so, status 3, and what stood there stands
// there still, to the byte; nothing is left beside it.
static void a_full_disk_leaves_nothing_half_written(void **state)
{
    char path[MR_PATH_SIZE + 16];
    char before[4096];
    char after[4096];
    snprintf(path, sizeof path, "%s/disk", folder);
    mkdir(path, 0700);
    if (mount("tmpfs", path, "tmpfs", 0, "size=16m") != 0) {
        print_message("skipped: mounting a tmpfs at %s is not permitted (run as root)\n", path);
        skip();
    }
    int built = run("build wood.world -o disk/made")->status;
    fingerprint("disk/made", before, sizeof before);
    // Room for some of the files of a second build, not for all.
    char command[2 * MR_PATH_SIZE + 64];
    snprintf(command, sizeof command,
             "cd '%s' && { head -c 100000000 /dev/zero >fill 2>/dev/null; truncate -s -200K fill; }", path);
    int filled = system(command);
    int status = run("build wood.world -o disk/made --set 'wood.ground=terrain.source(size: (256 m, 256 m), "
                     "resolution: 2 m)'")
                     ->status;
    fingerprint("disk/made", after, sizeof after);
    int fresh = run("build wood.world -o disk/fresh")->status;
    bool fresh_stands = exists("disk/fresh");
    umount(path);
    assert_int_equal(built, 0);
    assert_int_equal(filled, 0);
    assert_int_equal(status, 3);
    assert_string_equal(after, before);
    assert_int_equal(fresh, 3);
    assert_false(fresh_stands);
    assert_text_contains(last.err, "cannot write \"disk/fresh/");
    assert_text_contains(last.err, "the disk is full");
}

static void a_read_only_folder_is_status_three(void **state)
{
    char path[MR_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/disk", folder);
    mkdir(path, 0700);
    if (mount("tmpfs", path, "tmpfs", MS_RDONLY, "size=64k") != 0) {
        print_message("skipped: mounting a tmpfs at %s is not permitted (run as root)\n", path);
        skip();
    }
    const answer *said = run("build wood.world -o disk/made");
    umount(path);
    assert_int_equal(said->status, 3);
    assert_text_contains(said->err, "disk/made");
}

static pid_t start(char *const words[], bool closed)
{
    pid_t child = fork();
    if (child == 0) {
        char program[MR_PATH_SIZE];
        snprintf(program, sizeof program, "%s/marram", MARRAM_BINARY_DIR);
        if (chdir(folder) != 0 || !freopen("out.txt", "w", stdout) || !freopen("err.txt", "w", stderr)) {
            _exit(99);
        }
        for (int stream = 0; closed && stream < 3; stream++) {
            close(stream);
        }
        execv(program, words);
        _exit(98);
    }
    assert_true(child > 0);
    return child;
}

static int end_of(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool ended(pid_t child)
{
    siginfo_t about = { 0 };
    return waitid(P_PID, (id_t)child, &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid != 0;
}

// Whether a process sleeps: it waits for something.
static bool sleeps(pid_t process)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    read_whole(path, text, sizeof text);
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'S';
}

static pid_t start_long_build(void)
{
    char text[sizeof small_world];
    memcpy(text, small_world, sizeof small_world);
    // A grid that lasts: 5 cm over 240 m are 23 million squares.
    memcpy(strstr(text, "cell: 6 m"), "cell: 5cm", 9);
    write_file("long.world", text);
    char *words[] = { "marram", "build", "long.world", "-o", "made", "-j", "2", NULL };
    pid_t child = start(words, false);
    // It cooks when it has started a second thread.
    char tasks[64];
    snprintf(tasks, sizeof tasks, "/proc/%d/task", (int)child);
    while (test_folder_count(tasks) == 1 && !ended(child)) {
        sched_yield();
    }
    return child;
}

// Ctrl-C, a polite kill or a terminal that goes away in the middle of the cooking: the program stops by itself, says
// so, and makes no folder.
static void an_interrupt_stops_cleanly(void **state)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        pid_t child = start_long_build();
        kill(child, signals[i]);
        assert_int_equal(end_of(child), 3);
        char path[MR_PATH_SIZE + 16];
        snprintf(path, sizeof path, "%s/err.txt", folder);
        read_whole(path, last.err, sizeof last.err);
        assert_string_equal(last.err, "marram: interrupted\n");
        assert_false(exists("made"));
    }
}

// Under nohup the terminal may go: the work goes on, and only what else is sent stops it.
static void a_hangup_that_is_ignored_stops_nothing(void **state)
{
    struct sigaction before;
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigaction(SIGHUP, &ignore, &before);
    pid_t child = start_long_build();
    sigaction(SIGHUP, &before, NULL);
    char path[64];
    char text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    read_whole(path, text, sizeof text);
    const char *ignored = strstr(text, "SigIgn:");
    assert_non_null(ignored);
    assert_true(strtoull(ignored + strlen("SigIgn:"), NULL, 16) & 1ull << (SIGHUP - 1));
    kill(child, SIGTERM);
    assert_int_equal(end_of(child), 3);
}

// Ctrl-C while the files of a rebuild are written: all of them are new, or all are what they were.
static void an_interrupt_leaves_the_old_files_or_the_new(void **state)
{
    char old[4096];
    char now[4096];
    char path[MR_PATH_SIZE + 16];
    char command[MR_PATH_SIZE + 64];
    size_t interrupted = 0;
    assert_int_equal(run("build wood.world -o made")->status, 0);
    fingerprint("made", old, sizeof old);
    snprintf(path, sizeof path, "%s/made", folder);
    for (int attempt = 0; attempt < 20 && interrupted < 3; attempt++) {
        char *words[] = { "marram",
                          "build",
                          "wood.world",
                          "-o",
                          "made",
                          "--set",
                          "wood.ground=terrain.source(size: (64 m, 64 m), resolution: 1 m)",
                          NULL };
        pid_t child = start(words, false);
        while (test_folder_count(path) == 6 && !ended(child)) {
            sched_yield();
        }
        kill(child, SIGINT);
        int status = end_of(child);
        assert_true(status == 0 || status == 3);
        interrupted += status == 3;
        fingerprint("made", now, sizeof now);
        if (status == 3) {
            assert_string_equal(now, old);
            continue;
        }
        assert_string_not_equal(now, old);
        assert_int_equal(test_folder_count(path), 6);
        snprintf(command, sizeof command, "rm -r '%s'", path);
        assert_int_equal(system(command), 0);
        assert_int_equal(run("build wood.world -o made")->status, 0);
    }
    assert_true(interrupted > 0);
}

// `marram check` of a world that is a pipe, once it waits for what nobody writes. Answers the pipe's other end.
static int check_a_pipe(bool closed, pid_t *child)
{
    char path[MR_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/pipe.world", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    char *words[] = { "marram", "check", "pipe.world", NULL };
    *child = start(words, closed);
    int writer = open(path, O_WRONLY); // waits for the reader
    assert_true(writer >= 0);
    while (!sleeps(*child) && !ended(*child)) {
        sched_yield();
    }
    return writer;
}

static void an_interrupt_ends_the_wait_for_a_pipe(void **state)
{
    pid_t child;
    int writer = check_a_pipe(false, &child);
    kill(child, SIGINT);
    assert_int_equal(end_of(child), 3);
    close(writer);
}

// A file that got the number of a closed standard stream would have messages written into it.
static void a_closed_standard_stream_is_no_files_number(void **state)
{
    pid_t child;
    int writer = check_a_pipe(true, &child);
    for (int stream = 0; stream < 3; stream++) {
        char path[64];
        char target[MR_PATH_SIZE] = "";
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)child, stream);
        assert_true(readlink(path, target, sizeof target - 1) > 0);
        assert_string_equal(target, "/dev/null");
    }
    close(writer);
    assert_int_equal(end_of(child), 3); // the answer could not be written
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(help_and_usage_have_their_statuses),
        TEST(stream_prints_the_published_words),
        TEST(build_writes_every_file_and_says_so),
        TEST(threads_and_instruction_sets_move_no_bit),
        TEST(a_comment_moves_no_bit_and_a_setting_does),
        TEST(a_wrong_world_is_status_one_and_writes_nothing),
        TEST(more_grounds_than_can_be_written_are_refused),
        TEST(a_full_disk_leaves_nothing_half_written),
        TEST(a_read_only_folder_is_status_three),
        TEST(an_interrupt_stops_cleanly),
        TEST(a_hangup_that_is_ignored_stops_nothing),
        TEST(an_interrupt_leaves_the_old_files_or_the_new),
        TEST(an_interrupt_ends_the_wait_for_a_pipe),
        TEST(an_answer_that_cannot_be_written_is_status_three),
        TEST(a_closed_standard_stream_is_no_files_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
