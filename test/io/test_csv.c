#include "support.h"

#include "io/csv.h"

#include <math.h>

static char *read_all(mr_context *context, const char *path, size_t *size)
{
    char *bytes = NULL;
    mr_error error;
    assert_true(mr_file_read(context, path, 0, &bytes, size, &error));
    return bytes;
}

static void fields_with_commas_quotes_and_breaks_are_quoted_as_rfc_4180_says(void **state)
{
    mr_context *context = test_context_of(1, 0);
    char folder[64] = "/tmp/marram-csv-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[128];
    snprintf(path, sizeof path, "%s/t.csv", folder);
    mr_csv csv;
    mr_error error;
    assert_true(mr_csv_begin(context, path, &csv, &error));
    csv.line_end = "\r\n";
    mr_csv_text(&csv, MR_VIEW("plain"));
    mr_csv_text(&csv, MR_VIEW("a,b"));
    mr_csv_text(&csv, MR_VIEW("say \"so\""));
    mr_csv_text(&csv, MR_VIEW("two\nlines"));
    mr_csv_text(&csv, MR_VIEW("\""));
    mr_csv_text(&csv, MR_VIEW(""));
    mr_csv_row(&csv);
    mr_csv_number(&csv, (double)0.1f);
    mr_csv_number(&csv, -1e20);
    mr_csv_integer(&csv, INT64_MIN);
    mr_csv_row(&csv);
    assert_true(mr_csv_finish(&csv, &error));
    size_t size;
    char *bytes = read_all(context, path, &size);
    assert_string_equal(bytes, "plain,\"a,b\",\"say \"\"so\"\"\",\"two\nlines\",\"\"\"\",\r\n"
                               "0.100000001,-1e+20,-9223372036854775808\r\n");
    mr_free(context, bytes);
    unlink(path);
    rmdir(folder);
    mr_context_destroy(context);
}

static void numbers_are_what_printf_prints_with_nine_digits_in_any_locale(void **state)
{
    mr_context *context = test_context_of(1, 0);
    char folder[64] = "/tmp/marram-csv-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[128];
    snprintf(path, sizeof path, "%s/t.csv", folder);
    mr_csv csv;
    mr_error error;
    assert_true(mr_csv_begin(context, path, &csv, &error));
    test_random random = { 5 };
    size_t count = test_count(20000);
    char *expected = malloc(count * 32);
    float *values = malloc(count * sizeof *values);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = test_u32(&random);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            value = 1.5f;
        }
        values[i] = value;
        used += (size_t)sprintf(expected + used, "%.9g\n", (double)value);
    }
    const char *why;
    if (!test_comma_locale(&why)) {
        print_message("[ SKIPPED  ] the comma: %s\n", why);
    }
    for (size_t i = 0; i < count; i++) {
        mr_csv_number(&csv, (double)values[i]);
        mr_csv_row(&csv);
    }
    setlocale(LC_ALL, "C");
    free(values);
    assert_true(mr_csv_finish(&csv, &error));
    size_t size;
    char *bytes = read_all(context, path, &size);
    assert_int_equal(size, used);
    assert_memory_equal(bytes, expected, used);
    mr_free(context, bytes);
    free(expected);
    unlink(path);
    rmdir(folder);
    mr_context_destroy(context);
}

static void an_abandoned_table_leaves_nothing_and_the_old_file_whole(void **state)
{
    mr_context *context = test_context_of(1, 0);
    char folder[64] = "/tmp/marram-csv-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[128];
    snprintf(path, sizeof path, "%s/t.csv", folder);
    mr_error error;
    assert_true(mr_file_save(context, path, "old", 3, &error));
    mr_csv csv;
    assert_true(mr_csv_begin(context, path, &csv, &error));
    for (int i = 0; i < 100000; i++) {
        mr_csv_integer(&csv, i);
        mr_csv_row(&csv);
    }
    mr_csv_abandon(&csv);
    size_t size;
    char *bytes = read_all(context, path, &size);
    assert_string_equal(bytes, "old");
    mr_free(context, bytes);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); // nothing else was left in it
    assert_false(mr_csv_begin(context, "/nonexistent/t.csv", &csv, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    mr_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_with_commas_quotes_and_breaks_are_quoted_as_rfc_4180_says),
        cmocka_unit_test(numbers_are_what_printf_prints_with_nine_digits_in_any_locale),
        cmocka_unit_test(an_abandoned_table_leaves_nothing_and_the_old_file_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
