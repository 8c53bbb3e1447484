// base/error.h: filling an mr_error.

#ifndef MARRAM_BASE_ERROR_H
#define MARRAM_BASE_ERROR_H

#include <marram/base.h>

// Fills error (which may be NULL) and answers false, so that `return mr_fail(...)` is the whole of an error path. The
// format is that of base/text.h's mr_text_format: independent of the locale, never allocating.
bool mr_fail(mr_error *error, mr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Adds a hint (what to do) to an error already filled. Answers false.
bool mr_hint(mr_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// States where: file may be NULL (left as it is). Answers false.
bool mr_fail_at(mr_error *error, const char *file, uint32_t line, uint32_t column);

// "file:line:column" with what is known of them.
enum { MR_PLACE_SIZE = MR_PATH_SIZE + 24 };
size_t mr_place_text(char out[MR_PLACE_SIZE], const char *file, uint32_t line, uint32_t column);

// Puts "prefix: " before the message. Answers false.
bool mr_fail_prefix(mr_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// MR_OUT_OF_MEMORY with the size that was asked for.
bool mr_fail_memory(mr_error *error, size_t size);

#endif
