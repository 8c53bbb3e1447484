#include "world/ast.h"

enum { MOST_SHOWN = 200 };

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
    }
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

void mr_diagnostic_print(mr_text *out, const mr_diagnostic *diagnostic, const mr_file *file)
{
    const char *severity = diagnostic->severity == MR_ERROR ? "error" : "warning";
    if (diagnostic->place.line == 0) {
        mr_text_print(out, "%s: %s: %s\n", diagnostic->file, severity, diagnostic->message);
    } else {
        mr_text_print(out, "%s:%u:%u: %s: %s\n", diagnostic->file, diagnostic->place.line,
                      diagnostic->place.column, severity, diagnostic->message);
    }
    if (file && diagnostic->place.line > 0 && strcmp(file->path, diagnostic->file) == 0) {
        mr_view line = line_of(file->text, diagnostic->place.line);
        mr_text_print(out, "    ");
        mr_text_add_view(out, line);
        mr_text_print(out, "\n    ");
        uint32_t column = 1;
        for (size_t at = 0; column < diagnostic->place.column; column++) {
            bool tab = at < line.size && line.data[at] == '\t';
            if (at < line.size) {
                mr_utf8_next(line, &at);
            }
            mr_text_add(out, tab ? "\t" : " ", 1);
        }
        mr_text_print(out, "^\n");
    }
    if (diagnostic->hint) {
        mr_text_print(out, "    %s\n", diagnostic->hint);
    }
}
