// base/error.c: filling an mr_error.

#include "base/error.h"

#include "base/context_state.h"
#include "base/text.h"

bool mr_fail(mr_error *error, mr_status status, const char *format, ...)
{
    if (!error) {
        return false;
    }
    error->status = status;
    error->line = 0;
    error->column = 0;
    error->file[0] = '\0';
    error->hint[0] = '\0';
    va_list list;
    va_start(list, format);
    mr_text_format_list(error->message, sizeof error->message, format, list);
    va_end(list);
    return false;
}

bool mr_hint(mr_error *error, const char *format, ...)
{
    if (!error) {
        return false;
    }
    va_list list;
    va_start(list, format);
    mr_text_format_list(error->hint, sizeof error->hint, format, list);
    va_end(list);
    return false;
}

bool mr_fail_at(mr_error *error, const char *file, uint32_t line, uint32_t column)
{
    if (!error) {
        return false;
    }
    if (file) {
        mr_text_format(error->file, sizeof error->file, "%s", file);
    }
    error->line = line;
    error->column = column;
    return false;
}

size_t mr_place_text(char out[MR_PLACE_SIZE], const char *file, uint32_t line, uint32_t column)
{
    size_t size = mr_text_format(out, MR_PLACE_SIZE, "%.*s", MR_PATH_SIZE, file);
    if (line) {
        size += mr_text_format(out + size, MR_PLACE_SIZE - size, column ? ":%u:%u" : ":%u", line, column);
    }
    return size;
}

bool mr_fail_prefix(mr_error *error, const char *format, ...)
{
    if (!error) {
        return false;
    }
    char message[MR_MESSAGE_SIZE];
    memcpy(message, error->message, sizeof message);
    va_list list;
    va_start(list, format);
    size_t size = mr_text_format_list(error->message, sizeof error->message, format, list);
    va_end(list);
    if (size < sizeof error->message) {
        mr_text_format(error->message + size, sizeof error->message - size, ": %s", message);
    }
    return false;
}

bool mr_fail_memory(mr_error *error, size_t size)
{
    mr_refusal *refusal = mr_refusal_here();
    mr_refusal last = *refusal;
    *refusal = (mr_refusal){ 0 };
    if (last.limit) {
        mr_fail(error, MR_LIMIT,
                "out of memory: %llu bytes asked for while %llu are held would pass the limit of %llu bytes",
                (unsigned long long)last.asked, (unsigned long long)last.held,
                (unsigned long long)last.limit);
        return mr_hint(error, "raise the memory limit or ask for less at once");
    }
    return mr_fail(error, MR_OUT_OF_MEMORY, "out of memory: the system gave no %zu bytes", size);
}
