// The kernel map: an expression over a domain, by the rules of device.kernel.

#include "support.h"

#include "field/field.h"
#include "kernel/device.h"
#include "num/hash.h"

#include <math.h>

static mr_column *floats(mr_context *context, mr_column_type type, const float *words, size_t count)
{
    mr_error error;
    mr_column *column = mr_column_from(context, type, words, count, &error);
    assert_non_null(column);
    return mr_column_publish(column);
}

static mr_field *apply2(mr_context *context, const char *name, mr_field *a, mr_field *b)
{
    mr_error error;
    mr_field *made = mr_field_apply(context, mr_view_of(name), (mr_field *[2]){ a, b }, b ? 2 : 1, &error);
    test_assert_ok(made != NULL, &error);
    return made;
}

static mr_element_program *program_of(mr_context *context, mr_field *field)
{
    mr_error error;
    mr_element_program *program = mr_field_program_create(context, field, &error);
    test_assert_ok(program != NULL, &error);
    return program;
}

typedef struct mapped {
    mr_kernel_result result;
    mr_column *dst;
} mapped;

static bool run_map(mr_context *context, const mr_element_program *program, mr_count domain,
                    mr_column *position, const char *t, mapped *out, mr_error *error)
{
    mr_bind binds[2] = { { .name = "TEMPLATE", .kind = MR_BIND_PROGRAM, .program = program },
                         { .name = "position", .kind = MR_BIND_COLUMN, .column = position } };
    mr_choice choice = { "T", t };
    mr_kernel_request request = { .kernel = mr_kernel_find("map"),
                                  .domain = domain,
                                  .specialize = &choice,
                                  .specialize_count = t != NULL,
                                  .bind = binds,
                                  .bind_count = position ? 2 : 1 };
    *out = (mapped){ 0 };
    bool good = mr_kernel_run(context, &request, &out->result, error);
    out->dst = good ? mr_kernel_result_find(&out->result, "dst") : NULL;
    return good;
}

// a[i] * b[i] + id, the columns of random lengths: past its end each reads its last element.
static void a_column_reads_its_last_element_past_its_end(void **state)
{
    mr_context *context = *state;
    test_random random = { 9 };
    mr_error error;
    static const size_t edges[] = { 0, 1, 2, 255, 256, 257, 8191, 8192, 8193, 40000 };
    size_t elements = 0;
    for (size_t round = 0; round < test_count(60); round++) {
        size_t n = round < 10 ? edges[round] : test_below(&random, 700);
        size_t sizes[2] = { 1 + test_below(&random, 600),
                            test_below(&random, 9) ? 1 + test_below(&random, 600) : 0 };
        mr_column *columns[2];
        mr_field *fields[2];
        for (int k = 0; k < 2; k++) {
            float *words = malloc((sizes[k] + 1) * sizeof *words);
            for (size_t i = 0; i < sizes[k]; i++) {
                words[i] = test_below(&random, 40)
                               ? (float)test_between(&random, -9, 9)
                               : (float[]){ NAN, INFINITY, -0.0f, 1e-42f }[test_below(&random, 4)];
            }
            columns[k] = floats(context, MR_COLUMN_FLOAT, words, sizes[k]);
            fields[k] = mr_field_column(context, columns[k], &error);
            free(words);
        }
        mr_field *product = apply2(context, "mul", fields[0], fields[1]), *id = mr_field_id(context, &error);
        mr_field *sum = apply2(context, "add", product, id);
        mr_element_program *program = program_of(context, sum);
        mapped got;
        test_assert_ok(run_map(context, program, mr_count_plain(n), NULL, NULL, &got, &error), &error);
        assert_int_equal(got.dst->type, MR_COLUMN_FLOAT);
        assert_int_equal(got.dst->count, n);
        for (size_t i = 0; i < n; i++) {
            float v[2];
            for (int k = 0; k < 2; k++) {
                v[k] = sizes[k] == 0 ? 0 : columns[k]->f32[i < sizes[k] ? i : sizes[k] - 1];
            }
            float want = v[0] * v[1];
            want = want + (float)i;
            if (isnan(want)) {
                assert_int_equal(got.dst->u32[i], 0x7fc00000u);
            } else {
                assert_memory_equal(&got.dst->f32[i], &want, 4);
            }
        }
        elements += n;
        mr_kernel_result_release(&got.result);
        mr_field_program_destroy(program);
        mr_field *const made[] = { product, id, sum, fields[0], fields[1] };
        for (int k = 0; k < 5; k++) {
            mr_field_release(made[k]);
        }
        mr_column_release(columns[0]);
        mr_column_release(columns[1]);
    }
    assert_true(elements > 10000 || test_scale() < 1);
}

static void every_type_comes_back_as_itself_or_as_t_says(void **state)
{
    mr_context *context = *state;
    mr_error error;
    static const struct {
        mr_column_type type, back;
        const char *t;
    } cases[] = { { MR_COLUMN_FLOAT, MR_COLUMN_FLOAT, "f32" }, { MR_COLUMN_INT, MR_COLUMN_INT, "i32" },
                  { MR_COLUMN_UINT, MR_COLUMN_UINT, "u32" },   { MR_COLUMN_BOOL, MR_COLUMN_UINT, "u32" },
                  { MR_COLUMN_VEC2, MR_COLUMN_VEC2, "vec2" },  { MR_COLUMN_VEC3, MR_COLUMN_VEC3, "vec3" },
                  { MR_COLUMN_VEC4, MR_COLUMN_VEC4, "vec4" },  { MR_COLUMN_COLOR, MR_COLUMN_COLOR, "vec4" },
                  { MR_COLUMN_MAT4, MR_COLUMN_MAT4, "mat4" },  { MR_COLUMN_INT2, MR_COLUMN_INT2, "ivec2" },
                  { MR_COLUMN_INT3, MR_COLUMN_INT3, "ivec3" }, { MR_COLUMN_INT4, MR_COLUMN_INT4, "ivec4" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t words[16];
        for (uint32_t k = 0; k < 16; k++) {
            words[k] = cases[i].type == MR_COLUMN_BOOL ? 1 : 0x3f800000u + k;
        }
        mr_field *field = mr_field_constant(context, cases[i].type, words, &error);
        mr_element_program *program = program_of(context, field);
        for (size_t j = 0; j <= sizeof cases / sizeof *cases; j++) {
            const char *t = j ? cases[j - 1].t : NULL;
            mapped got;
            bool lanes = !t || mr_column_lanes(cases[j - 1].type) == mr_column_lanes(cases[i].type);
            bool words_alike = !t || (mr_column_element(cases[j - 1].type) == MR_F32) ==
                                         (mr_column_element(cases[i].type) == MR_F32);
            bool good = run_map(context, program, mr_count_plain(5), NULL, t, &got, &error);
            assert_int_equal(good, lanes && words_alike);
            if (!good) {
                assert_text_contains(error.message, "kernel map: binding TEMPLATE answers");
                continue;
            }
            assert_true(t || got.dst->type == cases[i].back);
            for (size_t e = 0; e < 5; e++) {
                size_t size = 4 * mr_column_lanes(cases[i].type);
                assert_memory_equal((char *)got.dst->data + e * size, words, size);
            }
            mr_kernel_result_release(&got.result);
        }
        mr_field_program_destroy(program);
        mr_field_release(field);
    }
}

static void a_live_count_leaves_zeros_behind_it(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_field *id = mr_field_id(context, &error), *one = mr_field_number(context, 1, &error);
    mr_field *next = apply2(context, "add", id, one);
    mr_element_program *program = program_of(context, next);
    for (uint32_t live = 0; live < 12; live++) {
        mr_column *word = mr_column_publish(mr_column_from(context, MR_COLUMN_UINT, &live, 1, &error));
        mr_count domain;
        test_assert_ok(mr_count_live(word, 9, &domain, &error), &error);
        mapped got;
        test_assert_ok(run_map(context, program, domain, NULL, NULL, &got, &error), &error);
        assert_int_equal(got.dst->count, 9);
        assert_int_equal(mr_column_live_count(got.dst), live < 9 ? live : 9);
        for (uint32_t i = 0; i < 9; i++) {
            assert_int_equal(got.dst->i32[i], i < live ? i + 1 : 0);
        }
        mr_kernel_result_release(&got.result);
        mr_count_release(&domain);
        mr_column_release(word);
    }
    mr_field_program_destroy(program);
    mr_field_release(next);
    mr_field_release(one);
    mr_field_release(id);
}

static void positions_are_bound_where_a_field_reads_them(void **state)
{
    mr_context *context = *state;
    mr_error error;
    static const float points[6] = { 3, 4, 0, 0, -5, 12 };
    mr_column *position = floats(context, MR_COLUMN_VEC3, points, 2);
    mr_field *p = mr_field_position(context, &error), *length = apply2(context, "length", p, NULL);
    mr_element_program *program = program_of(context, length);
    mapped got;
    test_assert_ok(run_map(context, program, mr_count_plain(2), position, NULL, &got, &error), &error);
    assert_true(got.dst->f32[0] == 5 && got.dst->f32[1] == 13);
    mr_kernel_result_release(&got.result);
    assert_false(run_map(context, program, mr_count_plain(2), NULL, NULL, &got, &error));
    assert_text_contains(error.message, "kernel map: binding TEMPLATE");
    assert_text_contains(error.message, "position");
    assert_false(run_map(context, program, mr_count_plain(3), position, NULL, &got, &error));
    assert_text_contains(error.message, "position");
    mr_field_program_destroy(program);
    mr_field *step = mr_field_walk_step(context, &error);
    program = program_of(context, step);
    assert_false(run_map(context, program, mr_count_plain(2), position, NULL, &got, &error));
    assert_text_contains(error.message, "walk's state");
    mr_field_program_destroy(program);
    mr_field_release(step);
    mr_field_release(length);
    mr_field_release(p);
    mr_column_release(position);
}

// A read binding takes a field too, which is evaluated on the way.
static void positions_may_be_a_field_themselves(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_field *id = mr_field_id(context, &error), *seed = mr_field_number(context, 7, &error);
    mr_field *scattered = apply2(context, "rand3", seed, id), *p = mr_field_position(context, &error);
    mr_field *shifted = apply2(context, "add", p, id);
    mr_element_program *where = program_of(context, scattered), *program = program_of(context, shifted);
    mr_bind binds[2] = { { .name = "TEMPLATE", .kind = MR_BIND_PROGRAM, .program = program },
                         { .name = "position", .kind = MR_BIND_PROGRAM, .program = where } };
    mr_kernel_request request = {
        .kernel = mr_kernel_find("map"), .domain = mr_count_plain(9000), .bind = binds, .bind_count = 2
    };
    mr_kernel_result result;
    test_assert_ok(mr_kernel_run(context, &request, &result, &error), &error);
    const mr_column *dst = mr_kernel_result_find(&result, "dst");
    assert_int_equal(dst->type, MR_COLUMN_VEC3);
    for (uint32_t i = 0; i < 9000; i++) {
        float want[3];
        mr_rand3(7, i, want);
        for (uint32_t l = 0; l < 3; l++) {
            assert_true(dst->f32[3 * i + l] == want[l] + (float)i);
        }
    }
    mr_kernel_result_release(&result);
    mr_field_program_destroy(where);
    mr_field_program_destroy(program);
    mr_field *const made[] = { id, seed, scattered, p, shifted };
    for (int k = 0; k < 5; k++) {
        mr_field_release(made[k]);
    }
}

static void no_memory_is_an_error_at_every_site(void **state)
{
    mr_context *context = *state;
    mr_error error;
    mr_field *id = mr_field_id(context, &error), *wave = apply2(context, "sin", id, NULL);
    mr_element_program *program = program_of(context, wave);
    bool good = false;
    for (uint64_t n = 1; !good; n++) {
        mapped got;
        mr_memory_fail_after(context, n, true);
        good = run_map(context, program, mr_count_plain(20000), NULL, NULL, &got, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY || error.status == MR_LIMIT);
        mr_kernel_result_release(&got.result);
        assert_true(n < 100);
    }
    mr_field_program_destroy(program);
    mr_field_release(wave);
    mr_field_release(id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_column_reads_its_last_element_past_its_end, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(every_type_comes_back_as_itself_or_as_t_says, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(a_live_count_leaves_zeros_behind_it, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(positions_are_bound_where_a_field_reads_them, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(positions_may_be_a_field_themselves, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(no_memory_is_an_error_at_every_site, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
