#include "world/ast.h"

enum { MOST_SHOWN = 200, MOST_COLUMNS = 160, MOST_BEFORE = 120 };

void mr_diagnostics_init(mr_diagnostics *diagnostics, mr_context *context)
{
    *diagnostics = (mr_diagnostics){ .context = context };
    mr_arena_init(&diagnostics->arena, context);
}

void mr_diagnostics_destroy(mr_diagnostics *diagnostics)
{
    mr_array_free(diagnostics->context, &diagnostics->list);
    mr_arena_destroy(&diagnostics->arena);
}

static bool is_after(const mr_diagnostic *a, const mr_diagnostic *b)
{
    return a->place.line != b->place.line ? a->place.line > b->place.line : a->place.column > b->place.column;
}

// The last of the list put where its place says.
static void settle(mr_diagnostics *diagnostics)
{
    mr_diagnostic *items = diagnostics->list.items;
    size_t at = diagnostics->list.count - 1;
    mr_diagnostic one = items[at];
    for (; at > 0 && is_after(&items[at - 1], &one); at--) {
        items[at] = items[at - 1];
    }
    items[at] = one;
}

void mr_diagnose(mr_diagnostics *diagnostics, mr_severity severity, const char *file, mr_place place,
                 const char *hint, const char *format, ...)
{
    size_t *count = severity == MR_ERROR ? &diagnostics->errors : &diagnostics->warnings;
    if (++*count > MOST_SHOWN) {
        return;
    }
    char message[MR_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    mr_text_format_list(message, sizeof message, format, list);
    va_end(list);
    mr_diagnostic one = {
        .severity = severity,
        .place = place,
        .file = mr_arena_text(&diagnostics->arena, file, strlen(file)),
        .message = mr_arena_text(&diagnostics->arena, message, strlen(message)),
        .hint = hint ? mr_arena_text(&diagnostics->arena, hint, strlen(hint)) : NULL,
    };
    if (!one.file || !one.message || !mr_array_push(diagnostics->context, &diagnostics->list, one)) {
        diagnostics->out_of_memory = true;
        return;
    }
    settle(diagnostics);
}

bool mr_diagnosed_line(const mr_diagnostics *diagnostics, const char *file, uint32_t line)
{
    for (size_t i = 0; i < diagnostics->list.count; i++) {
        const mr_diagnostic *one = &diagnostics->list.items[i];
        if (one->severity == MR_ERROR && one->place.line == line && strcmp(one->file, file) == 0) {
            return true;
        }
    }
    return false;
}

static mr_view line_of(mr_view text, uint32_t line)
{
    size_t start = 0;
    for (size_t i = 0; i < text.size && line > 1; i++) {
        if (text.data[i] == '\n') {
            line--;
            start = i + 1;
        }
    }
    size_t end = start;
    while (line == 1 && end < text.size && text.data[end] != '\n' && text.data[end] != '\r') {
        end++;
    }
    return (mr_view){ text.data + start, end - start };
}

// The line and a caret under the column, of a long line only what stands about it. Control characters of a hostile
// file are no orders to the terminal: they are shown as U+FFFD.
static void print_line(mr_text *out, mr_view line, uint32_t column)
{
    uint32_t first = column > MOST_BEFORE ? column - MOST_BEFORE : 1;
    mr_text_print(out, "    %s", first > 1 ? "..." : "");
    uint32_t at_column = 1;
    size_t at = 0;
    for (; at < line.size && at_column < first + MOST_COLUMNS; at_column++) {
        size_t start = at;
        uint32_t point = mr_utf8_next(line, &at);
        bool odd = point == 0xfffd || (point < ' ' && point != '\t') || (point >= 0x7f && point < 0xa0);
        if (at_column >= first) {
            mr_text_add_view(out, odd ? MR_VIEW("\xef\xbf\xbd") : (mr_view){ line.data + start, at - start });
        }
    }
    mr_text_print(out, "%s\n    %s", at < line.size ? "..." : "", first > 1 ? "   " : "");
    at = 0;
    for (at_column = 1; at_column < column; at_column++) {
        bool tab = at < line.size && line.data[at] == '\t';
        if (at < line.size) {
            mr_utf8_next(line, &at);
        }
        if (at_column >= first) {
            mr_text_add(out, tab ? "\t" : " ", 1);
        }
    }
    mr_text_print(out, "^\n");
}

void mr_diagnostic_print(mr_text *out, const mr_diagnostic *diagnostic, const mr_file *file)
{
    const char *severity = diagnostic->severity == MR_ERROR ? "error" : "warning";
    char place[MR_PLACE_SIZE];
    mr_place_text(place, diagnostic->file, diagnostic->place.line, diagnostic->place.column);
    mr_text_print(out, "%s: %s: %s\n", place, severity, diagnostic->message);
    if (file && diagnostic->place.line > 0 && strcmp(file->path, diagnostic->file) == 0) {
        print_line(out, line_of(file->text, diagnostic->place.line), diagnostic->place.column);
    }
    if (diagnostic->hint) {
        mr_text_print(out, "    %s\n", diagnostic->hint);
    }
}
