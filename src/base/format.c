// base/format.c: printf's formats without the C library, so that no locale is asked.

#include "base/text.h"

#include "base/decimal.h"
#include "base/number_text.h"

// Where formatted text goes: what does not fit is counted and dropped.
typedef struct mr_sink {
    char *out;
    size_t capacity; // without the ending 0
    size_t size;
} mr_sink;

static void put(mr_sink *sink, const char *data, size_t size)
{
    if (sink->size < sink->capacity) {
        size_t room = sink->capacity - sink->size;
        memcpy(sink->out + sink->size, data, size < room ? size : room);
    }
    sink->size += size;
}

static void put_repeated(mr_sink *sink, char what, size_t count)
{
    if (sink->size < sink->capacity && count) {
        size_t room = sink->capacity - sink->size;
        memset(sink->out + sink->size, what, count < room ? count : room);
    }
    sink->size += count;
}

typedef struct mr_spec {
    bool left, zeros, plus, space;
    size_t width;
    int precision; // -1: none given
    int size;      // of an integer, in bytes
    char kind;
} mr_spec;

static size_t read_number(const char **at)
{
    size_t number = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        number = number < 100000 ? number * 10 + (size_t)(**at - '0') : number;
    }
    return number;
}

static int read_size(const char **at)
{
    switch (*(*at)++) {
    case 'h':
        if (**at == 'h') {
            ++*at;
            return sizeof(char);
        }
        return sizeof(short);
    case 'l':
        if (**at == 'l') {
            ++*at;
            return sizeof(long long);
        }
        return sizeof(long);
    case 'z':
        return sizeof(size_t);
    case 'j':
        return sizeof(intmax_t);
    case 't':
        return sizeof(ptrdiff_t);
    default:
        --*at;
        return sizeof(int);
    }
}

// Text with a sign (or none) before it, brought to the width; zeros go between the two.
static void put_padded(mr_sink *sink, const mr_spec *spec, const char *sign, const char *text, size_t size)
{
    size_t whole = strlen(sign) + size;
    size_t fill = spec->width > whole ? spec->width - whole : 0;
    bool zeros = spec->zeros && !spec->left;
    if (!spec->left && !zeros) {
        put_repeated(sink, ' ', fill);
    }
    put(sink, sign, strlen(sign));
    if (zeros) {
        put_repeated(sink, '0', fill);
    }
    put(sink, text, size);
    if (spec->left) {
        put_repeated(sink, ' ', fill);
    }
}

static const char *sign_of(const mr_spec *spec, bool negative)
{
    return negative ? "-" : spec->plus ? "+" : spec->space ? " " : "";
}

static void put_integer(mr_sink *sink, mr_spec *spec, uint64_t magnitude, bool negative)
{
    const char *names = spec->kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned base = spec->kind == 'x' || spec->kind == 'X' ? 16 : 10;
    char digits[64];
    size_t count = 0;
    size_t least = spec->precision < 0 ? 1 : spec->precision > 40 ? 40 : (size_t)spec->precision;
    for (; magnitude || count < least; magnitude /= base) {
        digits[sizeof digits - ++count] = names[magnitude % base];
    }
    spec->zeros = spec->zeros && spec->precision < 0;
    put_padded(sink, spec, sign_of(spec, negative), digits + sizeof digits - count, count);
}

// Rounded to `keep` digits (%e) or to `keep` digits behind the point (%f).
static size_t exact_digits(double magnitude, bool behind_point, size_t keep, char digits[MR_DECIMAL_DIGITS],
                           int *point)
{
    uint64_t mantissa;
    int exponent;
    mr_f64_parts(magnitude, &mantissa, &exponent);
    *point = 1;
    if (mantissa == 0) {
        return 0;
    }
    mr_decimal base, exact;
    mr_decimal_power(&base, exponent);
    mr_decimal_multiply(&exact, &base, mantissa);
    size_t count = mr_decimal_digits(&exact, digits, point);
    if (behind_point) {
        int64_t kept = (int64_t)*point + (int64_t)keep;
        if (kept < 0) {
            *point = 1;
            return 0;
        }
        keep = (size_t)kept;
    }
    count = mr_decimal_round(digits, count, keep, point);
    if (count == 0) {
        *point = 1;
    }
    return count;
}

static void put_fixed(mr_sink *sink, const mr_spec *spec, const char *sign, double magnitude)
{
    char digits[MR_DECIMAL_DIGITS];
    int point;
    size_t behind = spec->precision < 0 ? 6 : (size_t)spec->precision;
    size_t count = exact_digits(magnitude, true, behind, digits, &point);
    size_t before = point > 0 ? (size_t)point : 1;
    size_t whole = strlen(sign) + before + (behind ? 1 + behind : 0);
    size_t fill = spec->width > whole ? spec->width - whole : 0;
    if (!spec->left && !spec->zeros) {
        put_repeated(sink, ' ', fill);
    }
    put(sink, sign, strlen(sign));
    if (!spec->left && spec->zeros) {
        put_repeated(sink, '0', fill);
    }
    size_t used = 0;
    if (point > 0) {
        used = count < before ? count : before;
        put(sink, digits, used);
        put_repeated(sink, '0', before - used);
    } else {
        put(sink, "0", 1);
    }
    if (behind) {
        size_t zeros = point < 0 ? (size_t)-point : 0;
        put(sink, ".", 1);
        zeros = zeros < behind ? zeros : behind;
        put_repeated(sink, '0', zeros);
        size_t rest = count - used < behind - zeros ? count - used : behind - zeros;
        put(sink, digits + used, rest);
        put_repeated(sink, '0', behind - zeros - rest);
    }
    if (spec->left) {
        put_repeated(sink, ' ', fill);
    }
}

static void put_exponential(mr_sink *sink, const mr_spec *spec, const char *sign, double magnitude)
{
    enum { MOST = 60 };
    char digits[MR_DECIMAL_DIGITS], text[MOST + 16];
    int point;
    size_t behind = spec->precision < 0 ? 6 : spec->precision > MOST ? MOST : (size_t)spec->precision;
    size_t count = exact_digits(magnitude, false, behind + 1, digits, &point);
    size_t size = 0;
    for (size_t i = 0; i <= behind; i++) {
        text[size++] = i < count ? digits[i] : '0';
        if (i == 0 && behind) {
            text[size++] = '.';
        }
    }
    int exponent = point - 1;
    size += mr_text_format(text + size, sizeof text - size, "e%c%02d", exponent < 0 ? '-' : '+',
                           exponent < 0 ? -exponent : exponent);
    put_padded(sink, spec, sign, text, size);
}

static void put_double(mr_sink *sink, mr_spec *spec, double value)
{
    bool negative = __builtin_signbit(value);
    const char *sign = sign_of(spec, negative);
    double magnitude = negative ? -value : value;
    if (!(magnitude <= 1.7976931348623157e308)) {
        spec->zeros = false;
        bool nan = magnitude != magnitude;
        put_padded(sink, spec, nan ? sign_of(spec, false) : sign, nan ? "nan" : "inf", 3);
    } else if (spec->kind == 'f') {
        put_fixed(sink, spec, sign, magnitude);
    } else if (spec->kind == 'e') {
        put_exponential(sink, spec, sign, magnitude);
    } else {
        char text[MR_NUMBER_TEXT_SIZE];
        size_t size = mr_f64_text_general(magnitude, spec->precision < 0 ? 6 : spec->precision, text);
        put_padded(sink, spec, sign, text, size);
    }
}

static void put_text(mr_sink *sink, mr_spec *spec, const char *text)
{
    text = text ? text : "(null)";
    size_t size = 0;
    while ((spec->precision < 0 || size < (size_t)spec->precision) && text[size]) {
        size++;
    }
    spec->zeros = false;
    put_padded(sink, spec, "", text, size);
}

static const char *read_spec(const char *at, mr_spec *spec, int star_width, int star_precision)
{
    *spec = (mr_spec){ .precision = -1 };
    for (;; at++) {
        if (*at == '-') {
            spec->left = true;
        } else if (*at == '0') {
            spec->zeros = true;
        } else if (*at == '+') {
            spec->plus = true;
        } else if (*at == ' ') {
            spec->space = true;
        } else {
            break;
        }
    }
    if (*at == '*') {
        at++;
        spec->left = spec->left || star_width < 0;
        spec->width = (size_t)(star_width < 0 ? -(int64_t)star_width : star_width);
    } else {
        spec->width = read_number(&at);
    }
    if (*at == '.') {
        at++;
        if (*at == '*') {
            at++;
            spec->precision = star_precision;
        } else {
            spec->precision = (int)read_number(&at);
        }
    }
    spec->size = read_size(&at);
    spec->kind = *at;
    return at;
}

// Whether the specification takes its width (or its precision) from the arguments.
static bool has_star(const char *at, bool precision)
{
    for (; *at && !(*at >= 'a' && *at <= 'z') && *at != 'X' && *at != '%'; at++) {
        if (*at == '.') {
            return precision && at[1] == '*';
        }
        if (*at == '*' && !precision) {
            return true;
        }
    }
    return false;
}

size_t mr_text_format_list(char *out, size_t size, const char *format, va_list list)
{
    mr_sink sink = { out, size ? size - 1 : 0, 0 };
    for (const char *at = format; *at; at++) {
        const char *plain = at;
        while (*at && *at != '%') {
            at++;
        }
        put(&sink, plain, (size_t)(at - plain));
        if (!*at) {
            break;
        }
        at++;
        mr_spec spec;
        int star_width = has_star(at, false) ? va_arg(list, int) : 0;
        int star_precision = has_star(at, true) ? va_arg(list, int) : -1;
        at = read_spec(at, &spec, star_width, star_precision);
        switch (spec.kind) {
        case 'd':
        case 'i': {
            int64_t value = spec.size == 8 ? va_arg(list, int64_t) : va_arg(list, int);
            value = spec.size == 1 ? (signed char)value : spec.size == 2 ? (short)value : value;
            put_integer(&sink, &spec, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
            break;
        }
        case 'u':
        case 'x':
        case 'X': {
            uint64_t value = spec.size == 8 ? va_arg(list, uint64_t) : va_arg(list, unsigned);
            value = spec.size == 1 ? (unsigned char)value : spec.size == 2 ? (unsigned short)value : value;
            spec.plus = spec.space = false;
            put_integer(&sink, &spec, value, false);
            break;
        }
        case 'f':
        case 'e':
        case 'g':
            put_double(&sink, &spec, va_arg(list, double));
            break;
        case 's':
            put_text(&sink, &spec, va_arg(list, const char *));
            break;
        case 'c': {
            char one = (char)va_arg(list, int);
            spec.zeros = false;
            put_padded(&sink, &spec, "", &one, 1);
            break;
        }
        case '%':
            put(&sink, "%", 1);
            break;
        default: // not of the subset: shown as it is, and nothing more of the list is read
            put(&sink, "%", 1);
            put(&sink, at, strlen(at));
            goto done;
        }
    }
done:
    if (size) {
        out[sink.size < sink.capacity ? sink.size : sink.capacity] = '\0';
    }
    return sink.size;
}

size_t mr_text_format(char *out, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t length = mr_text_format_list(out, size, format, list);
    va_end(list);
    return length;
}
