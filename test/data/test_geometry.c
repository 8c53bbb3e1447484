// Geometries: attributes as a plain list of names has them, columns shared by copies, linkage checked.

#include "refused.h"

#include "data/geometry.h"

#include <math.h>

static mr_column *column_of(mr_context *context, mr_column_type type, size_t count, uint32_t word)
{
    mr_error error;
    mr_column *column = mr_column_create(context, type, count, &error);
    test_assert_ok(column != NULL, &error);
    for (size_t i = 0; i < count * mr_column_lanes(type); i++) {
        column->u32[i] = word;
    }
    return column;
}

static mr_geometry *geometry_of(mr_context *context)
{
    mr_error error;
    mr_geometry *geometry = mr_geometry_create(context, &error);
    test_assert_ok(geometry != NULL, &error);
    return geometry;
}

static mr_digest digest_of(const mr_geometry *geometry)
{
    mr_digester digester;
    mr_digest_begin(&digester);
    mr_geometry_digest(geometry, &digester);
    return mr_digest_end(&digester);
}

// The model: for each class what names there are with what word in them, and the count of elements.
enum { NAMES = 12 };
typedef struct model {
    bool there[MR_CLASS_COUNT][NAMES];
    uint32_t word[MR_CLASS_COUNT][NAMES];
    size_t elements[MR_CLASS_COUNT];
} model;

static size_t count_there(const model *m, int class_of)
{
    size_t count = 0;
    for (int i = 0; i < NAMES; i++) {
        count += m->there[class_of][i];
    }
    return count;
}

static void assert_is(const mr_geometry *geometry, const model *m, const char *const *names)
{
    for (int c = 0; c < MR_CLASS_COUNT; c++) {
        assert_int_equal(geometry->classes[c].count, count_there(m, c));
        assert_int_equal(mr_geometry_count(geometry, c), count_there(m, c) ? m->elements[c] : 0);
        for (int i = 0; i < NAMES; i++) {
            const mr_column *column = mr_geometry_find(geometry, c, names[i]);
            assert_int_equal(column != NULL, m->there[c][i]);
            if (column) {
                assert_true(column->published && column->count == m->elements[c]);
                assert_true(column->count == 0 || column->u32[0] == m->word[c][i]);
            }
        }
        for (size_t i = 1; i < geometry->classes[c].count; i++) {
            assert_true(strcmp(geometry->classes[c].items[i - 1].name, geometry->classes[c].items[i].name) <
                        0);
        }
    }
}

static void attributes_are_what_a_plain_list_says(void **state)
{
    static const char *const names[NAMES] = { "P",   "N",    "uv",    "Cd",  "a",  "ab",
                                              "abc", "mass", "width", "aaa", "zz", "vstart" };
    test_random random = { 21 };
    for (size_t round = 0; round < test_count(60); round++) {
        mr_geometry *geometry = geometry_of(*state);
        model m = { 0 };
        for (int step = 0; step < 100; step++) {
            int c = (int)test_below(&random, MR_CLASS_COUNT), i = (int)test_below(&random, NAMES);
            bool others = count_there(&m, c) > (size_t)m.there[c][i];
            if (test_below(&random, 3) == 0) {
                mr_geometry_remove(geometry, c, names[i]);
                m.there[c][i] = false;
                continue;
            }
            size_t elements = others && test_below(&random, 8) ? m.elements[c] : test_below(&random, 5);
            uint32_t word = test_u32(&random);
            bool good = !others || elements == m.elements[c];
            mr_error error = { .status = MR_OK };
            assert_int_equal(mr_geometry_set(geometry, c, names[i],
                                             column_of(*state, MR_COLUMN_UINT, elements, word), &error),
                             good);
            if (good) {
                m.there[c][i] = true;
                m.word[c][i] = word;
                m.elements[c] = elements;
            } else {
                char says[128];
                snprintf(says, sizeof says, "%s.%s has %zu elements where the class has %zu",
                         mr_class_name(c), names[i], elements, m.elements[c]);
                assert_string_equal(error.message, says);
                assert_int_equal(error.status, MR_BAD_INPUT);
            }
            assert_is(geometry, &m, names);
        }
        mr_geometry_release(geometry);
    }
}

static void long_names_are_refused(void **state)
{
    mr_error error = { .status = MR_OK };
    mr_geometry *geometry = geometry_of(*state);
    assert_false(mr_geometry_set(geometry, MR_POINT, "a name of thirty two bytes is 1 m",
                                 column_of(*state, MR_COLUMN_INT, 1, 0), &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_true(mr_geometry_set(geometry, MR_POINT, "a name of thirty one bytes 1234",
                                column_of(*state, MR_COLUMN_INT, 1, 0), &error));
    mr_geometry_release(geometry);
}

static void copies_share_their_columns(void **state)
{
    mr_error error;
    mr_geometry *geometry = geometry_of(*state);
    mr_column *place = column_of(*state, MR_COLUMN_VEC3, 4, 0);
    mr_geometry_set(geometry, MR_POINT, "P", place, &error);
    mr_geometry_set(geometry, MR_POINT, "mass", column_of(*state, MR_COLUMN_FLOAT, 4, 1), &error);
    assert_ptr_equal(mr_geometry_writable(geometry, &error), geometry);
    mr_digest before = digest_of(geometry);
    mr_geometry *copy = mr_geometry_writable(mr_geometry_retain(geometry), &error);
    assert_ptr_not_equal(copy, geometry);
    assert_ptr_equal(mr_geometry_find(copy, MR_POINT, "P"), place);
    mr_geometry_set(copy, MR_POINT, "mass", column_of(*state, MR_COLUMN_FLOAT, 4, 2), &error);
    mr_geometry_remove(copy, MR_POINT, "P");
    mr_geometry_set(copy, MR_DETAIL, "name", column_of(*state, MR_COLUMN_INT, 1, 2), &error);
    assert_true(mr_digest_equal(digest_of(geometry), before));
    assert_ptr_equal(mr_geometry_find(geometry, MR_POINT, "P"), place);
    mr_geometry_release(geometry);
    mr_geometry_release(copy);
}

static void the_order_of_setting_is_no_part_of_the_digest(void **state)
{
    mr_error error;
    static const char *const names[] = { "P", "N", "Cd", "mass" };
    mr_digest first = { 0, 0 };
    for (uint32_t turn = 0; turn < 4; turn++) {
        mr_geometry *geometry = geometry_of(*state);
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t at = (i + turn) % 4;
            mr_geometry_set(geometry, MR_VERTEX, names[at], column_of(*state, MR_COLUMN_INT, 3, at), &error);
        }
        first = turn == 0 ? digest_of(geometry) : first;
        assert_true(mr_digest_equal(digest_of(geometry), first));
        mr_column *mass = mr_column_retain(mr_geometry_find(geometry, MR_VERTEX, "mass"));
        mr_geometry_remove(geometry, MR_VERTEX, "mass");
        assert_false(mr_digest_equal(digest_of(geometry), first));
        mr_geometry_set(geometry, MR_VERTEX, "mess", mr_column_retain(mass), &error);
        assert_false(mr_digest_equal(digest_of(geometry), first)); // the name is
        mr_geometry_remove(geometry, MR_VERTEX, "mess");
        mr_geometry_set(geometry, MR_POINT, "mass", mass, &error);
        assert_false(mr_digest_equal(digest_of(geometry), first)); // and the class
        mr_geometry_release(geometry);
    }
}

static const float square[12] = { 0, 0, 0, 2, 0, 0, 2, 0, -3, 0, 0, -3 };
static const uint32_t halves[6] = { 0, 1, 2, 0, 2, 3 };

static void triangles_become_points_vertices_and_runs(void **state)
{
    mr_error error;
    mr_geometry *geometry = mr_geometry_from_triangles(*state, square, 4, halves, 2, &error);
    test_assert_ok(geometry && mr_geometry_validate(geometry, &error), &error);
    assert_int_equal(mr_geometry_count(geometry, MR_POINT), 4);
    assert_int_equal(mr_geometry_count(geometry, MR_VERTEX), 6);
    assert_int_equal(mr_geometry_count(geometry, MR_PRIMITIVE), 2);
    assert_memory_equal(mr_geometry_find(geometry, MR_VERTEX, "pt")->u32, halves, sizeof halves);
    assert_int_equal(mr_geometry_find(geometry, MR_PRIMITIVE, "vstart")->i32[1], 3);
    float low[3], high[3];
    assert_true(mr_geometry_bounds(geometry, low, high));
    assert_true(low[0] == 0 && low[1] == 0 && low[2] == -3 && high[0] == 2 && high[1] == 0 && high[2] == 0);
    mr_geometry_release(geometry);
    geometry = mr_geometry_from_triangles(*state, NULL, 0, NULL, 0, &error); // nothing is a geometry too
    test_assert_ok(geometry && mr_geometry_validate(geometry, &error), &error);
    assert_false(mr_geometry_bounds(geometry, low, high));
    mr_geometry_release(geometry);
    assert_null(mr_geometry_from_triangles(*state, square, (size_t)1 << 31, halves, 2, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_null(mr_geometry_from_triangles(*state, square, 4, halves, (size_t)1 << 30, &error));
    assert_int_equal(error.status, MR_LIMIT);
}

static void broken_linkage_is_named(void **state)
{
    static const struct {
        mr_class class_of;
        const char *name;
        size_t at;
        uint32_t word;
        const char *says;
    } cases[] = {
        { MR_VERTEX, "pt", 4, 4, "vertex 4 stands on point 4 of 4" },
        { MR_VERTEX, "pt", 0, 0xffffffff, "vertex 0 stands on point -1 of 4" },
        { MR_PRIMITIVE, "vstart", 1, 4, "primitive 1 runs over vertices 4 to 6 of 6" },
        { MR_PRIMITIVE, "vstart", 0, 0x80000000, "primitive 0 runs over vertices -2147483648" },
        { MR_PRIMITIVE, "vstart", 0, 0x7fffffff,
          "primitive 0 runs over vertices 2147483647 to 2147483649 of 6" },
        { MR_PRIMITIVE, "vcount", 0, 7, "primitive 0 runs over vertices 0 to 6 of 6" },
        { MR_PRIMITIVE, "vcount", 1, 0xffffffff, "primitive 1 runs over" },
        { MR_POINT, "P", 7, 0x7f800000, "point 2 stands at 2, inf, -3" },
        { MR_POINT, "P", 11, 0x7fc00001, "point 3 stands at 0, 0, nan" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mr_error error;
        mr_geometry *geometry = mr_geometry_from_triangles(*state, square, 4, halves, 2, &error);
        mr_column *column = mr_geometry_find(geometry, cases[i].class_of, cases[i].name);
        mr_column *copy = mr_column_writable(mr_column_retain(column), &error);
        copy->u32[cases[i].at] = cases[i].word;
        assert_true(mr_geometry_set(geometry, cases[i].class_of, cases[i].name, copy, &error));
        assert_false(mr_geometry_validate(geometry, &error));
        assert_int_equal(error.status, MR_BAD_INPUT);
        assert_text_contains(error.message, cases[i].says);
        mr_geometry_release(geometry);
    }
    static const struct {
        mr_class class_of;
        const char *name;
        const char *says;
    } wrong[] = { { MR_VERTEX, "pt", "6 vertices but no Int pt" },
                  { MR_PRIMITIVE, "vstart", "2 primitives but no Int vstart and vcount" },
                  { MR_PRIMITIVE, "vcount", "2 primitives but no Int vstart and vcount" },
                  { MR_POINT, "P", "4 points but no Vec3 P" } };
    for (size_t i = 0; i < 8; i++) {
        mr_error error;
        size_t k = i / 2;
        mr_geometry *geometry = mr_geometry_from_triangles(*state, square, 4, halves, 2, &error);
        size_t count = mr_geometry_count(geometry, wrong[k].class_of);
        if (i % 2) {
            mr_geometry_set(geometry, wrong[k].class_of, wrong[k].name,
                            column_of(*state, MR_COLUMN_FLOAT, count, 0), &error);
        } else {
            mr_geometry_set(geometry, wrong[k].class_of, "other", column_of(*state, MR_COLUMN_INT, count, 0),
                            &error);
            mr_geometry_remove(geometry, wrong[k].class_of, wrong[k].name);
        }
        assert_false(mr_geometry_validate(geometry, &error));
        assert_text_contains(error.message, wrong[k].says);
        mr_geometry_release(geometry);
    }
}

static bool work(mr_context *context, mr_error *error)
{
    mr_geometry *geometry = mr_geometry_from_triangles(context, square, 4, halves, 2, error);
    mr_geometry *copy = geometry ? mr_geometry_writable(mr_geometry_retain(geometry), error) : NULL;
    bool good = copy != NULL;
    for (int i = 0; good && i < 20; i++) {
        char name[8];
        snprintf(name, sizeof name, "a%d", i);
        mr_column *column = mr_column_create(context, MR_COLUMN_INT, 4, error);
        good = column && mr_geometry_set(copy, MR_POINT, name, column, error);
    }
    mr_geometry_release(geometry);
    mr_geometry_release(copy);
    return good;
}

static void refused_memory_anywhere_is_an_error_and_no_leak(void **state)
{
    refuse_everywhere(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(attributes_are_what_a_plain_list_says, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(long_names_are_refused, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(copies_share_their_columns, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(the_order_of_setting_is_no_part_of_the_digest, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(triangles_become_points_vertices_and_runs, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(broken_linkage_is_named, test_setup, test_teardown),
        cmocka_unit_test(refused_memory_anywhere_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
