// base/text.h: borrowed text, growing text, formatting without a locale, names compared and the nearest offered.

#ifndef MARRAM_BASE_TEXT_H
#define MARRAM_BASE_TEXT_H

#include "base/memory.h"

#include <stdarg.h>
#include <string.h>

// Borrowed bytes, UTF-8, not ended by 0.
typedef struct mr_view {
    const char *data;
    size_t size;
} mr_view;

#define MR_VIEW(literal) ((mr_view){ "" literal, sizeof(literal) - 1 })
#define MR_VIEW_ARGS(view) (int)(view).size, (view).data // for "%.*s"
static inline mr_view mr_view_of(const char *text)
{
    return (mr_view){ text, text ? strlen(text) : 0 };
}
static inline bool mr_view_equal(mr_view a, mr_view b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}
static inline bool mr_view_is(mr_view view, const char *text)
{
    return mr_view_equal(view, mr_view_of(text));
}
int mr_view_compare(mr_view a, mr_view b); // by bytes, as strcmp

// vsnprintf without a locale, for %s %.*s %c %d %i %u %x %X %p-free, with h hh l ll z j t sizes, width, 0 and - flags,
// %g %.Ng %.Nf %e of doubles (correctly rounded), and %%. Answers the length the whole text would have.
size_t mr_text_format(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t mr_text_format_list(char *out, size_t size, const char *format, va_list list)
    __attribute__((format(printf, 3, 0)));

// Growing text. Once an addition fails, `failed` is set, later ones do nothing, and finish says so: check once.
typedef struct mr_text {
    mr_context *context;
    char *data; // ended by 0 whenever not NULL
    size_t size;
    size_t capacity;
    bool failed;
} mr_text;

void mr_text_init(mr_text *text, mr_context *context);
void mr_text_destroy(mr_text *text);
void mr_text_add(mr_text *text, const char *data, size_t size);
void mr_text_add_view(mr_text *text, mr_view view);
void mr_text_print(mr_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool mr_text_finish(mr_text *text, mr_error *error);

// The name of `names` nearest to `wanted` by edit distance with transpositions, near enough to offer, or NULL. names
// ends at count; ties take the earlier.
const char *mr_nearest_name(const char *wanted, const char *const *names, size_t count);
// A hint for a name that is none of `names`: "did you mean X?", or, when none is near, "one of A, B, C"; cut to its room.
void mr_name_hint(mr_view wanted, const char *const *names, size_t count, char *out, size_t size);
uint32_t mr_edit_distance(mr_view a, mr_view b);

// Whether bytes are well-formed UTF-8; decode one code point at *at and step over it (0xfffd for a broken one).
bool mr_utf8_valid(mr_view bytes);
uint32_t mr_utf8_next(mr_view bytes, size_t *at);

#endif
