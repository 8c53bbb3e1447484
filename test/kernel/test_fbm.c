// The raster sampler of the terrain's noise: every instruction set, tile, thread count and extent gives the bits of the
// definition, one cell at a time.

#include "kernel/fbm.h"
#include "support.h"

#include <math.h>

static mr_context *context_of(const char *isa, uint32_t threads)
{
    mr_context_config config = mr_context_config_default();
    config.isa = isa;
    config.threads = threads;
    mr_context *context = NULL;
    mr_error error;
    return mr_context_create(&config, &context, &error) ? context : NULL;
}

static mr_fbm_config random_config(test_random *random)
{
    static const double cells[] = { 0.3, 1, 2 };
    return (mr_fbm_config){
        .cell = cells[test_below(random, 3)],
        .feature_size = pow(10, test_between(random, -1, 3.5)),
        .octaves = 1 + test_below(random, test_below(random, 4) ? 8 : 16),
        .lacunarity = test_below(random, 3) ? 2 : test_between(random, 1.5, 3),
        .gain = test_below(random, 3) ? 0.5 : test_between(random, 0.2, 0.9),
        .seed = test_u32(random),
        .ridge = test_below(random, 2),
        .warp = test_below(random, 2) ? test_between(random, 0, 300) : 0,
        .amplitude = test_between(random, -50, 50),
    };
}

static int64_t random_corner(test_random *random)
{
    static const int64_t places[] = { 0,          -300,        10000,
                                      -10000,     1000000,     -1000000,
                                      1000000000, -1000000000, 4611686018427387904 };
    return places[test_below(random, 9)] + (int64_t)test_below(random, 1000) - 500;
}

static void every_instruction_set_gives_the_bits_of_the_definition(void **state)
{
    static const char *const isas[] = { "base", "v3", "v4" };
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(40); n++) {
        mr_fbm_config config = random_config(&random);
        mr_fbm fbm;
        mr_fbm_prepare(&fbm, &config);
        int64_t x = random_corner(&random), z = random_corner(&random);
        size_t width = 1 + test_below(&random, 300), rows = 1 + test_below(&random, 60);
        float *want = malloc(width * rows * sizeof(float)), *got = malloc(width * rows * sizeof(float));
        for (size_t j = 0; j < rows; j++) {
            for (size_t i = 0; i < width; i++) {
                want[j * width + i] = mr_fbm_sample(&fbm, x + (int64_t)i, z + (int64_t)j);
            }
        }
        for (size_t k = 0; k < 3; k++) {
            mr_context *context = context_of(isas[k], 1);
            if (context) {
                mr_error error;
                memset(got, 0xff, width * rows * sizeof(float));
                test_assert_ok(
                    mr_fbm_fill(context, &fbm, x, z, width, rows, got, width, MR_BLEND_REPLACE, NULL, &error),
                    &error);
                assert_memory_equal(got, want, width * rows * sizeof(float));
                test_context_end(context);
            }
        }
        free(want);
        free(got);
    }
}

static void any_split_into_tiles_and_any_threads_give_the_same_bits(void **state)
{
    enum { SIDE = 600 };
    static float whole[SIDE * SIDE], parts[SIDE * SIDE];
    test_random random = { 2 };
    mr_context *one = context_of(NULL, 1), *many = context_of(NULL, 7);
    for (size_t n = 0; n < test_count(4); n++) {
        mr_fbm_config config = random_config(&random);
        mr_fbm fbm;
        mr_fbm_prepare(&fbm, &config);
        int64_t x = random_corner(&random), z = random_corner(&random);
        mr_error error;
        test_assert_ok(mr_fbm_fill(many, &fbm, x, z, SIDE, SIDE, whole, SIDE, MR_BLEND_REPLACE, NULL, &error),
                       &error);
        static const size_t tiles[][2] = { { 600, 1 }, { 97, 61 }, { 1, 600 }, { 256, 512 }, { 7, 300 } };
        for (size_t k = 0; k < 5; k++) {
            memset(parts, 0xff, sizeof parts);
            for (size_t top = 0; top < SIDE; top += tiles[k][1]) {
                for (size_t left = 0; left < SIDE; left += tiles[k][0]) {
                    size_t w = SIDE - left < tiles[k][0] ? SIDE - left : tiles[k][0];
                    size_t h = SIDE - top < tiles[k][1] ? SIDE - top : tiles[k][1];
                    test_assert_ok(mr_fbm_fill(one, &fbm, x + (int64_t)left, z + (int64_t)top, w, h,
                                               parts + top * SIDE + left, SIDE, MR_BLEND_REPLACE, NULL,
                                               &error),
                                   &error);
                }
            }
            assert_memory_equal(parts, whole, sizeof whole);
        }
    }
    test_context_end(one);
    test_context_end(many);
}

static void extents_shifted_by_whole_cells_agree_where_they_overlap(void **state)
{
    enum { SIDE = 200 };
    static float first[SIDE * SIDE], second[SIDE * SIDE];
    static const double cells[] = { 0.3, 1, 2 };
    static const int64_t shifts[] = { 1, 7, 100 };
    mr_error error;
    for (size_t c = 0; c < 3; c++) {
        mr_fbm_config config = { .cell = cells[c],
                                 .feature_size = 45,
                                 .octaves = 6,
                                 .lacunarity = 2,
                                 .gain = 0.5,
                                 .seed = 3,
                                 .warp = c == 1 ? 20 : 0,
                                 .amplitude = 12 };
        mr_fbm fbm;
        mr_fbm_prepare(&fbm, &config);
        for (size_t s = 0; s < 3; s++) {
            int64_t shift = shifts[s];
            test_assert_ok(
                mr_fbm_fill(*state, &fbm, -90, -90, SIDE, SIDE, first, SIDE, MR_BLEND_REPLACE, NULL, &error),
                &error);
            test_assert_ok(mr_fbm_fill(*state, &fbm, -90 + shift, -90 + shift, SIDE, SIDE, second, SIDE,
                                       MR_BLEND_REPLACE, NULL, &error),
                           &error);
            for (size_t j = 0; j < SIDE - (size_t)shift; j++) {
                assert_memory_equal(second + j * SIDE, first + (j + (size_t)shift) * SIDE + shift,
                                    (SIDE - (size_t)shift) * sizeof(float));
            }
        }
    }
}

static void blends_and_weights_follow_their_meaning(void **state)
{
    enum { WIDTH = 300, ROWS = 20 };
    static float old[WIDTH * ROWS], got[WIDTH * ROWS], weights[WIDTH * ROWS];
    test_random random = { 3 };
    for (size_t i = 0; i < WIDTH * ROWS; i++) {
        old[i] = (float)test_between(&random, -5, 5);
        uint32_t kind = test_below(&random, 4);
        weights[i] = kind == 0   ? 0.0f
                     : kind == 1 ? 1.0f
                     : kind == 2 ? NAN
                                 : (float)test_between(&random, -0.5, 1.5);
    }
    mr_fbm_config config = {
        .cell = 1, .feature_size = 20, .octaves = 3, .lacunarity = 2, .gain = 0.5, .amplitude = 8
    };
    mr_fbm fbm;
    mr_fbm_prepare(&fbm, &config);
    for (mr_blend blend = MR_BLEND_REPLACE; blend <= MR_BLEND_MIN; blend++) {
        for (int weighted = 0; weighted < 2; weighted++) {
            mr_error error;
            memcpy(got, old, sizeof got);
            test_assert_ok(mr_fbm_fill(*state, &fbm, 5, 6, WIDTH, ROWS, got, WIDTH, blend,
                                       weighted ? weights : NULL, &error),
                           &error);
            for (size_t k = 0; k < WIDTH * ROWS; k++) {
                float n = mr_fbm_sample(&fbm, 5 + (int64_t)(k % WIDTH), 6 + (int64_t)(k / WIDTH)), want = n;
                want = blend == MR_BLEND_ADD   ? old[k] + n
                       : blend == MR_BLEND_MAX ? fmaxf(old[k], n)
                       : blend == MR_BLEND_MIN ? fminf(old[k], n)
                                               : n;
                if (weighted && !(weights[k] > 0)) {
                    want = old[k];
                } else if (weighted && weights[k] < 1) {
                    volatile float part = (want - old[k]) * weights[k];
                    want = old[k] + part;
                }
                assert_true(got[k] == want);
            }
        }
    }
}

static void ridges_are_folded_about_zero(void **state)
{
    mr_fbm_config config = {
        .cell = 1, .feature_size = 20, .octaves = 5, .lacunarity = 2, .gain = 0.5, .amplitude = 1
    };
    mr_fbm plain, ridged;
    mr_fbm_prepare(&plain, &config);
    config.ridge = true;
    mr_fbm_prepare(&ridged, &config);
    for (int64_t i = 0; i < 3000; i++) {
        double n = fabs((double)mr_fbm_sample(&plain, i, 2 * i));
        double want = n < 1 ? (1 - n) * (1 - n) : 0;
        assert_true(fabs((double)mr_fbm_sample(&ridged, i, 2 * i) - want) < 1e-6);
    }
}

static void failing_memory_and_a_cancel_are_errors(void **state)
{
    static float cells[64 * 64];
    mr_fbm_config config = {
        .cell = 1, .feature_size = 20, .octaves = 5, .lacunarity = 2, .gain = 0.5, .amplitude = 1
    };
    mr_fbm fbm;
    mr_fbm_prepare(&fbm, &config);
    mr_context *context = test_context_of(1, 0);
    mr_error error;
    mr_memory_fail_after(context, 1, true);
    assert_false(mr_fbm_fill(context, &fbm, 0, 0, 64, 64, cells, 64, MR_BLEND_ADD, NULL, &error));
    assert_int_equal(error.status, MR_OUT_OF_MEMORY);
    mr_memory_fail_after(context, 0, false);
    mr_context_cancel(context);
    assert_false(mr_fbm_fill(context, &fbm, 0, 0, 64, 64, cells, 64, MR_BLEND_ADD, NULL, &error));
    assert_int_equal(error.status, MR_CANCELLED);
    mr_context_resume(context);
    test_context_end(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_gives_the_bits_of_the_definition),
        cmocka_unit_test(any_split_into_tiles_and_any_threads_give_the_same_bits),
        cmocka_unit_test_setup_teardown(extents_shifted_by_whole_cells_agree_where_they_overlap, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(blends_and_weights_follow_their_meaning, test_setup, test_teardown),
        cmocka_unit_test(ridges_are_folded_about_zero),
        cmocka_unit_test(failing_memory_and_a_cancel_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
