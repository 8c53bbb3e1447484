// The floors: a source includes what is beneath it, or beside it in its own folder, and nothing above.

#include "support.h"

typedef struct test_floor {
    const char *folder;
    int number;
} test_floor;

static const test_floor floors[] = {
    { "base", 0 },  { "num", 1 },    { "data", 2 },    { "io", 2 },    { "kernel", 3 }, { "field", 4 },
    { "graph", 5 }, { "node", 6 },   { "grow", 6 },    { "scene", 7 }, { "asset", 7 },  { "script", 8 },
    { "world", 8 }, { "render", 9 }, { "capture", 9 }, { "face", 10 }, { "app", 11 },
};

static const test_floor *floor_of(const char *path, size_t size)
{
    for (size_t i = 0; i < sizeof floors / sizeof floors[0]; i++) {
        if (strlen(floors[i].folder) == size && memcmp(floors[i].folder, path, size) == 0) {
            return &floors[i];
        }
    }
    return NULL;
}

// What is wrong with `from` including `included` (both from src/ on), or NULL.
static const char *wrong_with(const char *from, const char *included)
{
    const test_floor *own = floor_of(from, strcspn(from, "/"));
    const test_floor *other = floor_of(included, strcspn(included, "/"));
    if (!own) {
        return "the file lies in a folder that is no floor";
    }
    if (!other || !strchr(included, '/')) {
        return "the include does not begin with a floor's folder";
    }
    if (own == other) {
        // Families beside each other know nothing of each other; what they share lies in the floor's folder itself.
        const char *family = strchr(from, '/') + 1, *other_family = strchr(included, '/') + 1;
        size_t size = strcspn(family, "/"), other_size = strcspn(other_family, "/");
        bool inside = other_family[other_size] == '/';
        if (inside &&
            (family[size] != '/' || size != other_size || memcmp(family, other_family, size) != 0)) {
            return "the include reaches into another family's folder";
        }
        return NULL;
    }
    if (other->number < own->number) {
        return NULL;
    }
    if (strcmp(own->folder, "io") == 0 && strcmp(other->folder, "data") == 0) {
        return NULL; // codecs are between bytes and data
    }
    return other->number > own->number ? "the include goes up" : "the include goes to a floor beside";
}

typedef void (*test_line)(const char *path, const char *name, bool quoted, size_t *wrong);

static void read_includes(const char *path, test_line line_of, size_t *wrong)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[2048], name[1024];
    while (fgets(line, sizeof line, file)) {
        char open;
        if (sscanf(line, " # include %c%1023[^\">]", &open, name) == 2 && (open == '"' || open == '<')) {
            line_of(path, name, open == '"', wrong);
        }
    }
    fclose(file);
}

static size_t walk(const char *folder, test_line line_of, size_t *wrong)
{
    size_t files = 0;
    DIR *open = opendir(folder);
    assert_non_null(open);
    for (const struct dirent *entry; (entry = readdir(open));) {
        char path[4096];
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        size_t size = strlen(path);
        struct stat about;
        if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
            files += walk(path, line_of, wrong);
        } else if (strcmp(path + size - 2, ".c") == 0 || strcmp(path + size - 2, ".h") == 0) {
            files++;
            read_includes(path, line_of, wrong);
        }
    }
    closedir(open);
    return files;
}

static void source_line(const char *path, const char *name, bool quoted, size_t *wrong)
{
    const char *from = path + strlen(MARRAM_SOURCE_DIR "/src/");
    const char *what = quoted ? wrong_with(from, name) : NULL;
    if (what) {
        print_error("src/%s includes \"%s\": %s\n", from, name, what);
        ++*wrong;
    }
}

static void no_include_goes_up(void **state)
{
    size_t wrong = 0;
    size_t files = walk(MARRAM_SOURCE_DIR "/src", source_line, &wrong);
    assert_true(files > 20);
    assert_int_equal(wrong, 0);
}

static void public_line(const char *path, const char *name, bool quoted, size_t *wrong)
{
    static const char *const standard[] = { "stdbool.h", "stddef.h", "stdint.h",
                                            "stdarg.h",  "limits.h", "float.h" };
    bool good = !quoted && strncmp(name, "marram/", 7) == 0;
    for (size_t i = 0; !quoted && i < sizeof standard / sizeof standard[0]; i++) {
        good = good || strcmp(name, standard[i]) == 0;
    }
    if (!good) {
        print_error("%s includes %s; public headers include <marram/...> and the C standard alone\n", path,
                    name);
        ++*wrong;
    }
}

static void public_headers_include_only_public_headers_and_the_standard(void **state)
{
    size_t wrong = 0;
    assert_true(walk(MARRAM_SOURCE_DIR "/include", public_line, &wrong) > 1);
    assert_int_equal(wrong, 0);
}

static void the_rule_itself_tells_right_from_wrong(void **state)
{
    assert_null(wrong_with("base/text.c", "base/text.h"));
    assert_null(wrong_with("io/png.c", "data/raster.h"));
    assert_null(wrong_with("graph/cook.c", "kernel/kernel.h"));
    assert_null(wrong_with("node/terrain/fbm.c", "node/terrain/shared.h"));
    assert_null(wrong_with("node/terrain/fbm.c", "node/shared.h"));
    assert_null(wrong_with("app/main.c", "capture/capture.h"));
    assert_null(wrong_with("face/write.c", "capture/map.h"));
    assert_non_null(wrong_with("world/world.c", "face/options.h"));
    assert_non_null(wrong_with("base/text.c", "num/exact.h"));
    assert_non_null(wrong_with("data/raster.c", "io/png.h"));
    assert_non_null(wrong_with("world/check.c", "script/host.h"));
    assert_non_null(wrong_with("scene/land.c", "asset/asset.h"));
    assert_non_null(wrong_with("node/terrain/fbm.c", "node/mesh/cone.h"));
    assert_non_null(wrong_with("node/shared.c", "node/mesh/cone.h"));
    assert_non_null(wrong_with("base/text.c", "text.h"));
    assert_non_null(wrong_with("base/text.c", "../num/exact.h"));
    assert_non_null(wrong_with("elsewhere/x.c", "base/text.h"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_itself_tells_right_from_wrong),
        cmocka_unit_test(no_include_goes_up),
        cmocka_unit_test(public_headers_include_only_public_headers_and_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
