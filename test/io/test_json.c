#include "support.h"

#include "io/json.h"

#include <math.h>

static void a_document_is_laid_out_with_its_keys_in_the_order_given(void **state)
{
    mr_context *context = test_context_of(1, 0);
    mr_json json;
    mr_error error;
    mr_json_init(&json, context, true);
    mr_json_begin_object(&json);
    mr_json_key(&json, "zebra");
    mr_json_f32(&json, 0.1f);
    mr_json_key(&json, "ant");
    mr_json_begin_flat_list(&json);
    mr_json_f64(&json, 1);
    mr_json_integer(&json, -2);
    mr_json_begin_object(&json);
    mr_json_key(&json, "k");
    mr_json_bool(&json, true);
    mr_json_end(&json);
    mr_json_end(&json);
    mr_json_key(&json, "none");
    mr_json_begin_object(&json);
    mr_json_end(&json);
    mr_json_key(&json, "list");
    mr_json_begin_list(&json);
    mr_json_null(&json);
    mr_json_f64(&json, (double)INFINITY);
    mr_json_end(&json);
    mr_json_end(&json);
    assert_true(mr_json_finish(&json, &error));
    assert_string_equal(json.text.data, "{\n"
                                        "  \"zebra\": 0.1,\n"
                                        "  \"ant\": [1, -2, {\"k\": true}],\n"
                                        "  \"none\": {},\n"
                                        "  \"list\": [\n"
                                        "    null,\n"
                                        "    null\n"
                                        "  ]\n"
                                        "}\n");
    mr_json_destroy(&json);
    mr_context_destroy(context);
}

static void any_number_reads_back_as_itself_in_a_locale_with_decimal_commas(void **state)
{
    mr_context *context = test_context_of(1, 0);
    const char *why;
    if (!test_comma_locale(&why)) {
        print_message("[ SKIPPED  ] the comma: %s\n", why);
    }
    test_random random = { 9 };
    size_t count = test_count(20000);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = test_u64(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        mr_json json;
        mr_error error;
        mr_json_init(&json, context, false);
        mr_json_begin_list(&json);
        mr_json_f64(&json, value);
        mr_json_f32(&json, (float)value);
        mr_json_unsigned(&json, bits >> 1);
        mr_json_end(&json);
        assert_true(mr_json_finish(&json, &error));
        json_t *read;
        assert_true(mr_json_parse(json.text.data, json.text.size, "numbers", &read, &error));
        assert_true(json_number_value(json_array_get(read, 0)) == value);
        if (isfinite((float)value)) {
            assert_true((float)json_number_value(json_array_get(read, 1)) == (float)value);
        }
        assert_true((uint64_t)json_integer_value(json_array_get(read, 2)) == bits >> 1);
        json_decref(read);
        mr_json_destroy(&json);
    }
    setlocale(LC_ALL, "C");
    mr_context_destroy(context);
}

static void any_text_is_escaped_so_that_it_reads_back(void **state)
{
    mr_context *context = test_context_of(1, 0);
    test_random random = { 12 };
    for (size_t i = 0; i < test_count(5000); i++) {
        char text[24];
        size_t size = test_below(&random, sizeof text);
        for (size_t k = 0; k < size; k++) {
            text[k] = (char)(1 + test_below(&random, 127));
        }
        mr_json json;
        mr_error error;
        mr_json_init(&json, context, false);
        mr_json_begin_object(&json);
        mr_json_key_view(&json, (mr_view){ text, size });
        mr_json_text(&json, (mr_view){ text, size });
        mr_json_end(&json);
        assert_true(mr_json_finish(&json, &error));
        json_t *read;
        assert_true(mr_json_parse(json.text.data, json.text.size, "texts", &read, &error));
        const char *key = json_object_iter_key(json_object_iter(read));
        assert_int_equal(strlen(key), size);
        assert_memory_equal(key, text, size);
        assert_int_equal(json_string_length(json_object_iter_value(json_object_iter(read))), size);
        json_decref(read);
        mr_json_destroy(&json);
    }
    mr_json json;
    mr_error error;
    mr_json_init(&json, context, false);
    mr_json_text(&json, MR_VIEW("a\xff\xc3(\xef\xbf\xbd\xe2\x82\xac"));
    assert_true(mr_json_finish(&json, &error));
    assert_string_equal(json.text.data, "\"a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xe2\x82\xac\"");
    mr_json_destroy(&json);
    mr_context_destroy(context);
}

static void calls_that_do_not_nest_are_an_error(void **state)
{
    mr_context *context = test_context_of(1, 0);
    mr_json json;
    mr_error error;
    mr_json_init(&json, context, false);
    mr_json_begin_object(&json);
    mr_json_integer(&json, 1);
    mr_json_end(&json);
    assert_false(mr_json_finish(&json, &error));
    mr_json_destroy(&json);
    mr_json_init(&json, context, false);
    mr_json_begin_object(&json);
    assert_false(mr_json_finish(&json, &error));
    mr_json_destroy(&json);
    mr_json_init(&json, context, false);
    mr_json_end(&json);
    assert_false(mr_json_finish(&json, &error));
    mr_json_destroy(&json);
    mr_json_init(&json, context, false);
    for (int i = 0; i < 100; i++) {
        mr_json_begin_list(&json);
    }
    assert_false(mr_json_finish(&json, &error));
    mr_json_destroy(&json);
    mr_context_destroy(context);
}

static void broken_json_is_an_error_that_says_where(void **state)
{
    mr_error error;
    json_t *read;
    const char *text = "{\n \"a\": 1,\n \"a\": 2 }";
    assert_false(mr_json_parse(text, strlen(text), "m.json", &read, &error));
    assert_string_equal(error.file, "m.json");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.status, MR_BAD_INPUT);
    assert_false(mr_json_parse("", 0, "m.json", &read, &error));
    assert_false(mr_json_parse("{", 1, "m.json", &read, &error));
    static char deep[100000];
    memset(deep, '[', sizeof deep);
    assert_false(mr_json_parse(deep, sizeof deep, "m.json", &read, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_is_laid_out_with_its_keys_in_the_order_given),
        cmocka_unit_test(any_number_reads_back_as_itself_in_a_locale_with_decimal_commas),
        cmocka_unit_test(any_text_is_escaped_so_that_it_reads_back),
        cmocka_unit_test(calls_that_do_not_nest_are_an_error),
        cmocka_unit_test(broken_json_is_an_error_that_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
