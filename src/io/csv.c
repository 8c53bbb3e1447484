#include "io/csv.h"

#include "base/number_text.h"

enum { FLUSH_AT = 1 << 18 };

static bool usable(mr_csv *csv)
{
    return !csv->failed;
}

static void flush(mr_csv *csv)
{
    if (!mr_text_finish(&csv->line, &csv->error) ||
        (csv->line.size > 0 && !mr_file_write(&csv->file, csv->line.data, csv->line.size, &csv->error))) {
        csv->failed = true;
    }
    csv->line.size = 0;
}

bool mr_csv_begin(mr_context *context, const char *path, mr_csv *csv, mr_error *error)
{
    memset(csv, 0, sizeof *csv);
    csv->line_end = "\n";
    if (!mr_file_begin(context, path, &csv->file, error)) {
        return false;
    }
    mr_text_init(&csv->line, context);
    return true;
}

static void separate(mr_csv *csv)
{
    if (csv->in_row) {
        mr_text_add(&csv->line, ",", 1);
    }
    csv->in_row = true;
}

static bool needs_quotes(mr_view field)
{
    for (size_t i = 0; i < field.size; i++) {
        char c = field.data[i];
        if (c == ',' || c == '"' || c == '\n' || c == '\r') {
            return true;
        }
    }
    return false;
}

void mr_csv_text(mr_csv *csv, mr_view field)
{
    if (!usable(csv)) {
        return;
    }
    separate(csv);
    if (!needs_quotes(field)) {
        mr_text_add_view(&csv->line, field);
        return;
    }
    mr_text_add(&csv->line, "\"", 1);
    size_t begin = 0;
    for (size_t i = 0; i < field.size; i++) {
        if (field.data[i] == '"') {
            mr_text_add(&csv->line, field.data + begin, i + 1 - begin);
            begin = i; // the quote goes out once more with what follows
        }
    }
    mr_text_add(&csv->line, field.data + begin, field.size - begin);
    mr_text_add(&csv->line, "\"", 1);
}

void mr_csv_number(mr_csv *csv, double value)
{
    if (usable(csv)) {
        char text[MR_NUMBER_TEXT_SIZE];
        size_t size = mr_f64_text_general(value, 9, text);
        separate(csv);
        mr_text_add(&csv->line, text, size);
    }
}

void mr_csv_integer(mr_csv *csv, int64_t value)
{
    if (usable(csv)) {
        separate(csv);
        mr_text_print(&csv->line, "%lld", (long long)value);
    }
}

void mr_csv_row(mr_csv *csv)
{
    if (!usable(csv)) {
        return;
    }
    mr_text_add_view(&csv->line, mr_view_of(csv->line_end));
    csv->in_row = false;
    if (csv->line.failed || csv->line.size >= FLUSH_AT) {
        flush(csv);
    }
}

bool mr_csv_finish(mr_csv *csv, mr_error *error)
{
    if (!csv->failed) {
        flush(csv);
    }
    bool good = !csv->failed && mr_file_commit(&csv->file, &csv->error);
    if (!good && error) {
        *error = csv->error;
    }
    mr_csv_abandon(csv);
    return good;
}

void mr_csv_abandon(mr_csv *csv)
{
    mr_text_destroy(&csv->line);
    mr_file_abandon(&csv->file);
    csv->failed = true;
}
