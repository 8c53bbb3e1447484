// Images resampled: against sums worked pixel by pixel in f64 from the filters' textbook forms, and by what must hold
// of any resampling.

#include "support.h"

#include "kernel/device.h"
#include "kernel/resample.h"

#include <math.h>

// The reference: libm's sine, one output pixel at a time, both axes in one sum.

static double reference_weight(mr_filter filter, double x)
{
    x = fabs(x);
    switch (filter) {
    case MR_FILTER_BILINEAR:
        return x < 1 ? 1 - x : 0;
    case MR_FILTER_LANCZOS3:
        return x == 0 ? 1 : x < 3 ? sin(M_PI * x) / (M_PI * x) * sin(M_PI * x / 3) / (M_PI * x / 3) : 0;
    case MR_FILTER_CATMULL_ROM:
        return x < 1   ? 1.5 * x * x * x - 2.5 * x * x + 1
               : x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2
                       : 0;
    case MR_FILTER_NEAREST:
        break;
    }
    return 0;
}

static long held(long k, long count)
{
    return k < 0 ? 0 : k < count ? k : count - 1;
}

// The weight pixel k of `in` has in pixel i of `out`, for all k, in weights[in].
static void reference_axis(mr_filter filter, bool resampled, size_t in, size_t out, size_t i, double *weights)
{
    double c = ((double)i + 0.5) * (double)in / (double)out - 0.5, sum = 0;
    double stretch = in > out ? (double)in / (double)out : 1;
    memset(weights, 0, in * sizeof *weights);
    if (!resampled || filter == MR_FILTER_NEAREST) {
        weights[!resampled ? i : (2 * i + 1) * in / (2 * out)] = 1;
        return;
    }
    for (long k = (long)(c - 3 * stretch) - 2; k <= (long)(c + 3 * stretch) + 2; k++) {
        double weight = reference_weight(filter, ((double)k - c) / stretch);
        weights[held(k, (long)in)] += weight;
        sum += weight;
    }
    for (size_t k = 0; k < in; k++) {
        weights[k] /= sum;
    }
}

static double reference_pixel(const mr_resample_spec *s, const float *image, size_t x, size_t y, size_t lane,
                              double *size)
{
    double across[256], down[256], sum = 0;
    reference_axis(s->filter, s->axis != MR_RESAMPLE_HEIGHT, s->source_width, mr_resample_width(s), x,
                   across);
    reference_axis(s->filter, s->axis != MR_RESAMPLE_WIDTH, s->source_height, mr_resample_height(s), y, down);
    *size = 0;
    for (size_t j = 0; j < s->source_height; j++) {
        for (size_t i = 0; i < s->source_width; i++) {
            if (across[i] != 0 && down[j] != 0) {
                double term = across[i] * down[j] *
                              (double)image[(j * s->source_width + i) * s->lanes + s->lane_base + lane];
                sum += term;
                *size += fabs(term);
            }
        }
    }
    if (s->clamp) {
        sum = sum < (double)s->low ? (double)s->low : sum > (double)s->high ? (double)s->high : sum;
    }
    return sum;
}

static size_t random_size(test_random *random)
{
    static const size_t edges[] = { 1, 2, 3, 15, 16, 17, 31, 32, 33 };
    return test_below(random, 2) ? edges[test_below(random, 9)] : 1 + test_below(random, 40);
}

static mr_resample_spec random_spec(test_random *random)
{
    mr_resample_spec s = { .filter = (mr_filter)test_below(random, 4),
                           .axis = (mr_resample_axis)test_below(random, 3),
                           .slices = 1 + test_below(random, 3),
                           .source_width = random_size(random),
                           .source_height = random_size(random),
                           .width = random_size(random),
                           .height = random_size(random),
                           .lanes = test_below(random, 2) ? 1 : 1 + test_below(random, 5),
                           .clamp = test_below(random, 4) == 0,
                           .low = -0.5f,
                           .high = 0.5f };
    s.lane_base = test_below(random, (uint32_t)s.lanes);
    s.lane_count = 1 + test_below(random, (uint32_t)(s.lanes - s.lane_base));
    return s;
}

static size_t words_in(const mr_resample_spec *s)
{
    return s->slices * s->source_width * s->source_height * s->lanes;
}

static size_t words_out(const mr_resample_spec *s)
{
    return s->slices * mr_resample_width(s) * mr_resample_height(s) * s->lanes;
}

static float *random_image(test_random *random, size_t words)
{
    float *image = malloc(words * sizeof *image);
    for (size_t i = 0; i < words; i++) {
        image[i] = (float)test_between(random, -1, 1);
    }
    return image;
}

static void every_pixel_is_the_filtered_sum_around_it(void **state)
{
    test_random random = { 1 };
    for (size_t n = 0; n < test_count(300); n++) {
        mr_resample_spec s = random_spec(&random);
        float *image = random_image(&random, words_in(&s)), *out = malloc(words_out(&s) * sizeof *out);
        mr_error error;
        for (size_t i = 0; i < words_out(&s); i++) {
            out[i] = 7;
        }
        test_assert_ok(mr_resample(*state, &s, image, out, &error), &error);
        size_t width = mr_resample_width(&s), height = mr_resample_height(&s);
        // All words are looked at; of the pixels that are written, some are worked again.
        for (size_t k = 0; k < words_out(&s); k++) {
            size_t lane = k % s.lanes, pixel = k / s.lanes, slice = pixel / (width * height);
            if (lane < s.lane_base || lane >= s.lane_base + s.lane_count) {
                assert_true(out[k] == 7);
            } else if (test_below(&random, 16) == 0) {
                double size,
                    want = reference_pixel(&s, image + slice * s.source_width * s.source_height * s.lanes,
                                           pixel % width, pixel / width % height, lane - s.lane_base, &size);
                assert_true(fabs((double)out[k] - want) <= 2e-6 * size + 1e-7);
            }
        }
        free(image);
        free(out);
    }
}

static void shrinking_far_averages_all_it_drops(void **state)
{
    mr_error error;
    test_random random = { 2 };
    for (int filter = 0; filter < MR_FILTER_NEAREST; filter++) {
        mr_resample_spec s = { .filter = (mr_filter)filter,
                               .axis = MR_RESAMPLE_BOTH,
                               .slices = 1,
                               .source_width = 250,
                               .source_height = 201,
                               .width = 2,
                               .height = 1,
                               .lanes = 1,
                               .lane_count = 1 };
        float *image = random_image(&random, words_in(&s)), out[2];
        test_assert_ok(mr_resample(*state, &s, image, out, &error), &error);
        for (size_t x = 0; x < 2; x++) {
            double size, want = reference_pixel(&s, image, x, 0, 0, &size);
            assert_true(fabs((double)out[x] - want) <= 1e-5 * size);
        }
        free(image);
    }
}

static void height_and_then_width_is_both_to_the_bit(void **state)
{
    test_random random = { 3 };
    for (size_t n = 0; n < test_count(100); n++) {
        mr_resample_spec both = random_spec(&random);
        both.axis = MR_RESAMPLE_BOTH;
        both.clamp = false;
        both.lane_base = 0;
        both.lane_count = both.lanes;
        mr_resample_spec height = both, width = both;
        height.axis = MR_RESAMPLE_HEIGHT;
        width.axis = MR_RESAMPLE_WIDTH;
        width.source_height = both.height;
        float *image = random_image(&random, words_in(&both));
        float *between = malloc(words_out(&height) * sizeof(float));
        float *twice = malloc(words_out(&both) * sizeof(float)),
              *once = malloc(words_out(&both) * sizeof(float));
        mr_error error;
        test_assert_ok(mr_resample(*state, &height, image, between, &error), &error);
        test_assert_ok(mr_resample(*state, &width, between, twice, &error), &error);
        test_assert_ok(mr_resample(*state, &both, image, once, &error), &error);
        assert_memory_equal(once, twice, words_out(&both) * sizeof(float));
        free(image);
        free(between);
        free(twice);
        free(once);
    }
}

static void a_size_that_stays_answers_the_image_itself(void **state)
{
    test_random random = { 4 };
    static const float odd[] = { -0.0f, 0x1p-149f, INFINITY, -INFINITY, NAN, 3.4e38f };
    for (int filter = 0; filter <= MR_FILTER_NEAREST; filter++) {
        mr_resample_spec s = { .filter = (mr_filter)filter,
                               .axis = MR_RESAMPLE_BOTH,
                               .slices = 2,
                               .source_width = 37,
                               .source_height = 19,
                               .width = 37,
                               .height = 19,
                               .lanes = 3,
                               .lane_count = 3 };
        float *image = random_image(&random, words_in(&s)), *out = malloc(words_out(&s) * sizeof *out);
        for (size_t i = 0; i < words_in(&s); i += 5) {
            image[i] = odd[test_below(&random, 6)];
        }
        mr_error error;
        test_assert_ok(mr_resample(*state, &s, image, out, &error), &error);
        for (size_t i = 0; i < words_in(&s); i++) {
            assert_true(isnan(image[i]) ? isnan(out[i]) : memcmp(&image[i], &out[i], sizeof(float)) == 0);
        }
        free(image);
        free(out);
    }
}

static void an_even_image_stays_even_and_a_slope_a_slope(void **state)
{
    mr_error error;
    float even[64], out[300];
    for (int filter = 0; filter <= MR_FILTER_NEAREST; filter++) {
        for (size_t width = 1; width <= 300; width += 7) {
            mr_resample_spec s = { .filter = (mr_filter)filter,
                                   .axis = MR_RESAMPLE_WIDTH,
                                   .slices = 1,
                                   .source_width = 64,
                                   .source_height = 1,
                                   .width = width,
                                   .lanes = 1,
                                   .lane_count = 1 };
            for (size_t i = 0; i < 64; i++) {
                even[i] = 0.7f;
            }
            test_assert_ok(mr_resample(*state, &s, even, out, &error), &error);
            for (size_t i = 0; i < width; i++) {
                assert_true(fabsf(out[i] - 0.7f) < 1e-6f);
            }
            for (size_t i = 0; i < 64; i++) {
                even[i] = (float)i;
            }
            test_assert_ok(mr_resample(*state, &s, even, out, &error), &error);
            // Growing by filters that keep straight lines, where no edge is in reach.
            bool straight = filter == MR_FILTER_BILINEAR || filter == MR_FILTER_CATMULL_ROM;
            for (size_t i = 0; i < width && straight && width > 64; i++) {
                float place = ((float)i + 0.5f) * 64 / (float)width - 0.5f;
                assert_true(place < 2 || place > 61 || fabsf(out[i] - place) < 1e-4f);
            }
        }
    }
}

static void nan_and_infinity_reach_the_pixels_that_weigh_them(void **state)
{
    mr_error error;
    float image[32] = { 0 }, out[64];
    image[10] = NAN;
    image[20] = INFINITY;
    mr_resample_spec s = { .filter = MR_FILTER_BILINEAR,
                           .axis = MR_RESAMPLE_WIDTH,
                           .slices = 1,
                           .source_width = 32,
                           .source_height = 1,
                           .width = 64,
                           .lanes = 1,
                           .lane_count = 1,
                           .clamp = true,
                           .low = -1,
                           .high = 1 };
    test_assert_ok(mr_resample(*state, &s, image, out, &error), &error);
    for (int i = 0; i < 64; i++) {
        double c = (i + 0.5) / 2 - 0.5;
        assert_true(fabs(c - 10) < 1 ? isnan(out[i]) : out[i] == (fabs(c - 20) < 1 ? 1.0f : 0.0f));
    }
}

static void every_instruction_set_and_thread_count_gives_the_same_bits(void **state)
{
    static const char *const isas[] = { "base", "v3", "v4" };
    test_random random = { 5 };
    for (size_t n = 0; n < test_count(40); n++) {
        mr_resample_spec s = random_spec(&random);
        if (n % 4 == 0) {
            s.source_width *= 40; // several blocks across
            s.width *= 30;
        }
        float *image = random_image(&random, words_in(&s));
        float *want = calloc(words_out(&s), sizeof(float)), *got = malloc(words_out(&s) * sizeof(float));
        for (size_t k = 0; k < 6; k++) {
            mr_context_config config = mr_context_config_default();
            mr_context *context = NULL;
            mr_error error;
            config.isa = isas[k / 2];
            config.threads = k % 2 ? 7 : 1;
            if (!mr_context_create(&config, &context, &error)) {
                continue; // a machine without it
            }
            memset(got, 0, words_out(&s) * sizeof(float));
            test_assert_ok(mr_resample(context, &s, image, k ? got : want, &error), &error);
            assert_true(k == 0 || memcmp(got, want, words_out(&s) * sizeof(float)) == 0);
            test_context_end(context);
        }
        free(image);
        free(want);
        free(got);
    }
}

// The kernel.

typedef struct request {
    mr_bind bind[2];
    mr_choice filter;
    mr_uniform uniforms[12];
    mr_kernel_request of;
} request;

static void fill_request(request *r, const mr_resample_spec *s, const char *filter, mr_column *src,
                         mr_column *dst)
{
    *r = (request){
        .bind = { { .name = "src", .column = src }, { .name = "dst", .column = dst } },
        .filter = { "FILTER", filter },
        .uniforms = { { "sw", 1, { (double)s->source_width } },
                      { "sh", 1, { (double)s->source_height } },
                      { "dw", 1, { (double)s->width } },
                      { "dh", 1, { (double)s->height } },
                      { "slices", 1, { (double)s->slices } },
                      { "lanes", 1, { (double)s->lanes } },
                      { "laneBase", 1, { (double)s->lane_base } },
                      { "laneCount", 1, { (double)s->lane_count } },
                      { "axis", 1, { (double)s->axis } },
                      { "clampRange", 1, { s->clamp } },
                      { "lo", 1, { (double)s->low } },
                      { "hi", 1, { (double)s->high } } },
    };
    r->of = (mr_kernel_request){
        .kernel = mr_kernel_find("resample"),
        .domain = mr_count_plain(words_out(s) / s->lanes),
        .specialize = &r->filter,
        .specialize_count = 1,
        .bind = r->bind,
        .bind_count = 2,
        .uniforms = r->uniforms,
        .uniform_count = 12,
    };
}

static const mr_resample_spec colours = { .filter = MR_FILTER_CATMULL_ROM,
                                          .axis = MR_RESAMPLE_BOTH,
                                          .slices = 2,
                                          .source_width = 9,
                                          .source_height = 7,
                                          .width = 5,
                                          .height = 12,
                                          .lanes = 4,
                                          .lane_base = 1,
                                          .lane_count = 2,
                                          .clamp = true,
                                          .low = -0.4f,
                                          .high = 0.4f };

static void the_kernel_writes_its_lanes_into_a_copy(void **state)
{
    test_random random = { 6 };
    mr_error error;
    float *image = random_image(&random, words_in(&colours)),
          *want = random_image(&random, words_out(&colours));
    mr_column *src = mr_column_from(*state, MR_COLUMN_VEC4, image, words_in(&colours) / 4, &error);
    mr_column *dst = mr_column_from(*state, MR_COLUMN_VEC4, want, words_out(&colours) / 4, &error);
    mr_column_publish(src);
    mr_column_publish(dst);
    test_assert_ok(mr_resample(*state, &colours, image, want, &error), &error);
    request r;
    fill_request(&r, &colours, "catmull_rom", src, dst);
    mr_kernel_result result;
    test_assert_ok(mr_kernel_run(*state, &r.of, &result, &error), &error);
    const mr_column *got = mr_kernel_result_find(&result, "dst");
    assert_int_equal(got->type, MR_COLUMN_VEC4);
    assert_memory_equal(got->data, want, words_out(&colours) * sizeof(float));
    mr_kernel_result_release(&result);
    mr_column_release(src);
    mr_column_release(dst);
    free(image);
    free(want);
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    mr_error error;
    mr_column *src = mr_column_create(*state, MR_COLUMN_FLOAT, words_in(&colours), &error);
    mr_column *dst = mr_column_create(*state, MR_COLUMN_FLOAT, words_out(&colours), &error);
    mr_column *whole = mr_column_create(*state, MR_COLUMN_INT, words_out(&colours), &error);
    memset(src->data, 0, words_in(&colours) * 4);
    memset(dst->data, 0, words_out(&colours) * 4);
    memset(whole->data, 0, words_out(&colours) * 4);
    struct {
        const char *param;
        double value;
        const char *says;
    } cases[] = { { "laneBase", 3, "laneBase 3 and laneCount 2 pass the 4 lanes" },
                  { "dw", 6, "the domain is 120" },
                  { "sw", 10, "binding src holds 504 elements" },
                  { "lanes", 5, "binding src" },
                  { "axis", 3, "axis" },
                  { "laneCount", 17, "laneCount" },
                  { "lo", 0.5, "lo is not at most hi" },
                  { "sh", 0, "sh" } };
    mr_kernel_result result;
    request r;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fill_request(&r, &colours, "nearest", src, dst);
        for (size_t k = 0; k < 12; k++) {
            if (strcmp(r.uniforms[k].name, cases[i].param) == 0) {
                r.uniforms[k].value[0] = cases[i].value;
            }
        }
        assert_false(mr_kernel_run(*state, &r.of, &result, &error));
        assert_text_contains(error.message, "kernel resample");
        assert_text_contains(error.message, cases[i].says);
    }
    fill_request(&r, &colours, "nearest", src, whole);
    assert_false(mr_kernel_run(*state, &r.of, &result, &error));
    assert_text_contains(error.message, "kernel resample: binding dst");
    mr_column_release(src);
    mr_column_release(dst);
    mr_column_release(whole);
}

static void failing_memory_anywhere_is_an_error(void **state)
{
    test_counting counting;
    test_random random = { 7 };
    float *image = random_image(&random, words_in(&colours)),
          *out = malloc(words_out(&colours) * sizeof(float));
    for (uint64_t after = 1;; after++) {
        mr_context *context = test_counting_context(&counting, 1);
        mr_error error = { 0 };
        mr_memory_fail_after(context, after, true);
        bool good = mr_resample(context, &colours, image, out, &error);
        mr_memory_fail_after(context, 0, false);
        assert_true(good || error.status == MR_OUT_OF_MEMORY);
        test_counting_end(&counting);
        if (good) {
            assert_true(after > 5);
            break;
        }
    }
    mr_context *context = test_context_of(1, 0);
    mr_error error;
    mr_context_cancel(context);
    assert_false(mr_resample(context, &colours, image, out, &error));
    assert_int_equal(error.status, MR_CANCELLED);
    mr_context_resume(context);
    test_context_end(context);
    free(image);
    free(out);
}

int main(void)
{
#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, test_setup, test_teardown)
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(every_pixel_is_the_filtered_sum_around_it),
        WITH_CONTEXT(shrinking_far_averages_all_it_drops),
        WITH_CONTEXT(height_and_then_width_is_both_to_the_bit),
        WITH_CONTEXT(a_size_that_stays_answers_the_image_itself),
        WITH_CONTEXT(an_even_image_stays_even_and_a_slope_a_slope),
        WITH_CONTEXT(nan_and_infinity_reach_the_pixels_that_weigh_them),
        cmocka_unit_test(every_instruction_set_and_thread_count_gives_the_same_bits),
        WITH_CONTEXT(the_kernel_writes_its_lanes_into_a_copy),
        WITH_CONTEXT(what_does_not_fit_is_refused_by_name),
        cmocka_unit_test(failing_memory_anywhere_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
