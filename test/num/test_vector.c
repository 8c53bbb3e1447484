// Vectors, quaternions and matrices: the laws they keep, worked again in f64.

#include "num/vector.h"
#include "support.h"

#include <math.h>

static float number(test_random *random)
{
    return (float)test_between(random, -5, 5);
}

static mr_vec3 vector(test_random *random)
{
    return (mr_vec3){ number(random), number(random), number(random) };
}

static void assert_near(mr_vec3 a, mr_vec3 b, float bound)
{
    assert_true(fabsf(a.x - b.x) <= bound && fabsf(a.y - b.y) <= bound && fabsf(a.z - b.z) <= bound);
}

static void cross_is_at_right_angles_and_right_handed(void **state)
{
    mr_vec3 z = mr_vec3_cross((mr_vec3){ 1, 0, 0 }, (mr_vec3){ 0, 1, 0 });
    assert_true(z.x == 0 && z.y == 0 && z.z == 1);
    test_random random = { 1 };
    for (int i = 0; i < 1000; i++) {
        mr_vec3 a = vector(&random), b = vector(&random), c = mr_vec3_cross(a, b);
        assert_true(fabsf(mr_vec3_dot(a, c)) < 1e-4f && fabsf(mr_vec3_dot(b, c)) < 1e-4f);
    }
}

static void normalized_has_length_one_and_nothing_stays_nothing(void **state)
{
    test_random random = { 2 };
    for (int i = 0; i < 1000; i++) {
        mr_vec3 a = mr_vec3_normalize(vector(&random));
        assert_true(fabsf(mr_vec3_length(a) - 1) < 2e-7f);
        mr_vec2 b = mr_vec2_normalize((mr_vec2){ number(&random), number(&random) });
        assert_true(fabsf(mr_vec2_length(b) - 1) < 2e-7f);
    }
    assert_near(mr_vec3_normalize((mr_vec3){ 0, 0, 0 }), (mr_vec3){ 0, 0, 0 }, 0);
    assert_true(mr_vec2_normalize((mr_vec2){ 0, 0 }).x == 0);
    assert_true(mr_vec4_normalize((mr_vec4){ 0, 0, 0, 2 }).w == 1);
}

// Right-handed about +y: +z comes to +x after a quarter turn.
static void a_quarter_turn_about_y_brings_z_to_x(void **state)
{
    mr_quaternion q = mr_quaternion_about_y(1.57079637f);
    assert_near(mr_quaternion_rotate(q, (mr_vec3){ 0, 0, 1 }), (mr_vec3){ 1, 0, 0 }, 2e-7f);
    assert_near(mr_quaternion_rotate(q, (mr_vec3){ 1, 0, 0 }), (mr_vec3){ 0, 0, -1 }, 2e-7f);
}

static void matrix_scales_turns_then_moves(void **state)
{
    test_random random = { 3 };
    for (int i = 0; i < 1000; i++) {
        mr_vec3 axis = mr_vec3_normalize(vector(&random)), move = vector(&random), scale = vector(&random);
        mr_quaternion q = mr_quaternion_about(axis, number(&random));
        mr_mat4 m = mr_mat4_from(move, q, scale);
        mr_vec3 p = vector(&random);
        mr_vec3 want = mr_vec3_add(mr_quaternion_rotate(q, mr_vec3_multiply(scale, p)), move);
        assert_near(mr_mat4_point(&m, p), want, 4e-5f);
        assert_near(mr_mat4_direction(&m, p), mr_vec3_sub(want, move), 4e-5f);
    }
}

static void products_are_one_after_the_other(void **state)
{
    test_random random = { 4 };
    for (int i = 0; i < 1000; i++) {
        mr_quaternion a = mr_quaternion_about(mr_vec3_normalize(vector(&random)), number(&random));
        mr_quaternion b = mr_quaternion_about(mr_vec3_normalize(vector(&random)), number(&random));
        mr_mat4 ma = mr_mat4_from(vector(&random), a, vector(&random));
        mr_mat4 mb = mr_mat4_from(vector(&random), b, vector(&random));
        mr_mat4 product = mr_mat4_multiply(&ma, &mb);
        mr_vec3 p = vector(&random);
        assert_near(mr_mat4_point(&product, p), mr_mat4_point(&ma, mr_mat4_point(&mb, p)), 4e-4f);
        assert_near(mr_quaternion_rotate(mr_quaternion_multiply(a, b), p),
                    mr_quaternion_rotate(a, mr_quaternion_rotate(b, p)), 1e-5f);
        mr_mat4 identity = mr_mat4_identity(), same = mr_mat4_multiply(&identity, &ma);
        assert_memory_equal(&same, &ma, sizeof same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cross_is_at_right_angles_and_right_handed),
        cmocka_unit_test(normalized_has_length_one_and_nothing_stays_nothing),
        cmocka_unit_test(a_quarter_turn_about_y_brings_z_to_x),
        cmocka_unit_test(matrix_scales_turns_then_moves),
        cmocka_unit_test(products_are_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
