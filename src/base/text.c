// base/text.c: views, growing text, names compared, UTF-8.

#include "base/text.h"

#include "base/context.h"

int mr_view_compare(mr_view a, mr_view b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : a.size < b.size ? -1 : a.size > b.size;
}

void mr_text_init(mr_text *text, mr_context *context)
{
    *text = (mr_text){ .context = context };
}

void mr_text_destroy(mr_text *text)
{
    mr_free(text->context, text->data);
    mr_text_init(text, text->context);
}

// Room for size more bytes and the 0 behind them.
static bool make_room(mr_text *text, size_t size)
{
    size_t needed;
    if (text->failed || !mr_size_add(text->size, size, &needed) || !mr_size_add(needed, 1, &needed)) {
        text->failed = true;
        return false;
    }
    if (needed <= text->capacity) {
        return true;
    }
    size_t capacity = text->capacity + text->capacity / 2;
    capacity = capacity < needed ? needed : capacity;
    capacity = capacity < 64 ? 64 : capacity;
    char *data = mr_reallocate(text->context, text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void mr_text_add(mr_text *text, const char *data, size_t size)
{
    if (!make_room(text, size)) {
        return;
    }
    if (size) {
        memcpy(text->data + text->size, data, size);
    }
    text->size += size;
    text->data[text->size] = '\0';
}

void mr_text_add_view(mr_text *text, mr_view view)
{
    mr_text_add(text, view.data, view.size);
}

void mr_text_print(mr_text *text, const char *format, ...)
{
    char here[256];
    va_list list;
    va_start(list, format);
    size_t size = mr_text_format_list(here, sizeof here, format, list);
    va_end(list);
    if (size < sizeof here) {
        mr_text_add(text, here, size);
        return;
    }
    if (!make_room(text, size)) {
        return;
    }
    va_start(list, format);
    mr_text_format_list(text->data + text->size, size + 1, format, list);
    va_end(list);
    text->size += size;
}

bool mr_text_finish(mr_text *text, mr_error *error)
{
    if (!text->failed && !text->data) {
        mr_text_add(text, "", 0);
    }
    return text->failed ? mr_fail_memory(error, text->size) : true;
}

// Optimal string alignment over bytes: insert, delete, replace and swap of neighbours cost 1 each. Long names are cut;
// nobody is offered a name that far away.
enum { LONGEST_NAME = 128 };

uint32_t mr_edit_distance(mr_view a, mr_view b)
{
    size_t rows = a.size < LONGEST_NAME ? a.size : LONGEST_NAME;
    size_t columns = b.size < LONGEST_NAME ? b.size : LONGEST_NAME;
    uint32_t lines[3][LONGEST_NAME + 1];
    uint32_t *before = lines[0], *above = lines[1], *line = lines[2];
    for (size_t j = 0; j <= columns; j++) {
        above[j] = (uint32_t)j;
    }
    for (size_t i = 1; i <= rows; i++) {
        line[0] = (uint32_t)i;
        for (size_t j = 1; j <= columns; j++) {
            uint32_t best = above[j - 1] + (a.data[i - 1] != b.data[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = line[j - 1] + 1 < best ? line[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1] &&
                before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            line[j] = best;
        }
        uint32_t *oldest = before;
        before = above;
        above = line;
        line = oldest;
    }
    size_t cut = a.size > b.size ? a.size - rows - (b.size - columns) : b.size - columns - (a.size - rows);
    return above[columns] + (uint32_t)cut;
}

const char *mr_nearest_name(const char *wanted, const char *const *names, size_t count)
{
    mr_view view = mr_view_of(wanted);
    uint32_t most = view.size < 6 ? 1 : (uint32_t)(view.size / 3);
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        uint32_t distance = names[i] ? mr_edit_distance(view, mr_view_of(names[i])) : UINT32_MAX;
        if (distance <= most) {
            if (distance == 0) {
                return names[i];
            }
            nearest = names[i];
            most = distance - 1;
        }
    }
    return nearest;
}

void mr_name_hint(mr_view wanted, const char *const *names, size_t count, char *out, size_t size)
{
    char text[64];
    mr_text_format(text, sizeof text, "%.*s", MR_VIEW_ARGS(wanted));
    const char *near = mr_nearest_name(text, names, count);
    if (near) {
        mr_text_format(out, size, "did you mean %s?", near);
        return;
    }
    size_t used = mr_text_format(out, size, "one of");
    for (size_t i = 0; i < count && used < size; i++) {
        used += mr_text_format(out + used, size - used, "%s %s", i ? "," : "", names[i]);
    }
}

// The code point at data, and how many bytes it takes; 0 bytes when it is not well-formed.
static uint32_t decode(const unsigned char *data, size_t size, size_t *taken)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[4] = { { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };
    *taken = 0;
    for (size_t length = 1; length <= 4 && length <= size; length++) {
        if ((data[0] & forms[length - 1].mask) != forms[length - 1].lead) {
            continue;
        }
        uint32_t point = data[0] & (uint32_t)(unsigned char)~forms[length - 1].mask;
        for (size_t i = 1; i < length; i++) {
            if ((data[i] & 0xc0) != 0x80) {
                return 0xfffd;
            }
            point = point << 6 | (data[i] & 0x3fu);
        }
        if (point < forms[length - 1].least || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
            return 0xfffd;
        }
        *taken = length;
        return point;
    }
    return 0xfffd;
}

bool mr_utf8_valid(mr_view bytes)
{
    for (size_t at = 0, taken; at < bytes.size; at += taken) {
        decode((const unsigned char *)bytes.data + at, bytes.size - at, &taken);
        if (!taken) {
            return false;
        }
    }
    return true;
}

uint32_t mr_utf8_next(mr_view bytes, size_t *at)
{
    size_t taken;
    uint32_t point = decode((const unsigned char *)bytes.data + *at, bytes.size - *at, &taken);
    *at += taken ? taken : 1;
    return point;
}
