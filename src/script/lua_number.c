// script/lua_number.c: number text through base/number_text.h, powers and remainders through num/exact.h.

#include "script/lua_number.h"

#include "base/number_text.h"
#include "num/exact.h"

int mr_lua_number_text(char *out, size_t size, double number)
{
    char text[MR_NUMBER_TEXT_SIZE];
    size_t length = mr_f64_text(number, text);
    length = length < size ? length : size - 1;
    memcpy(out, text, length);
    out[length] = 0;
    return (int)length;
}

int mr_lua_integer_text(char *out, size_t size, long long number)
{
    return (int)mr_text_format(out, size, "%lld", number);
}

// value * 2^exponent, with `sticky` saying that bits below were lost, rounded once to nearest even.
static double round_binary(uint64_t value, bool sticky, int64_t exponent)
{
    if (value == 0) {
        return 0;
    }
    int bits = 64 - __builtin_clzll(value);
    int64_t top = exponent + bits - 1;
    if (top > 1023) {
        return __builtin_inf();
    }
    int64_t keep = top >= -1022 ? 53 : 53 + 1022 + top;
    int64_t drop = bits - keep;
    if (drop > 64) {
        return 0;
    }
    if (drop > 0) {
        uint64_t kept = drop == 64 ? 0 : value >> drop;
        uint64_t half = (uint64_t)1 << (drop - 1);
        uint64_t lost = value & (half | (half - 1));
        bool up = lost > half || (lost == half && (sticky || (kept & 1)));
        value = kept + up;
        exponent += drop;
    }
    // Exact: value has at most 53 bits (54 when a carry made a power of two).
    return __builtin_ldexp((double)value, (int)exponent);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// The digits behind "0x". Answers where they end, text itself where there are none.
static const char *read_hexadecimal(const char *text, double *number)
{
    const char *at = text;
    uint64_t value = 0;
    int64_t exponent = 0;
    bool sticky = false, point = false, digits = false;
    for (;; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        int digit = hex_digit(*at);
        if (digit < 0) {
            break;
        }
        digits = true;
        if (value >> 60) {
            sticky = sticky || digit;
            exponent += point ? 0 : 4;
        } else {
            value = value << 4 | (unsigned)digit;
            exponent -= point ? 4 : 0;
        }
    }
    if (!digits) {
        return text;
    }
    if (*at == 'p' || *at == 'P') {
        const char *power = at + 1;
        bool negative = *power == '-';
        power += *power == '-' || *power == '+';
        if (*power >= '0' && *power <= '9') {
            int64_t given = 0;
            for (; *power >= '0' && *power <= '9'; power++) {
                given = given < 100000000 ? given * 10 + (*power - '0') : given;
            }
            exponent += negative ? -given : given;
            at = power;
        }
    }
    *number = round_binary(value, sticky, exponent);
    return at;
}

double mr_lua_read_number(const char *text, char **end)
{
    const char *at = text;
    while (*at == ' ' || (*at >= '\t' && *at <= '\r')) {
        at++;
    }
    bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    double number = 0;
    const char *behind = at;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        behind = read_hexadecimal(at + 2, &number);
        behind = behind == at + 2 ? at : behind;
    } else {
        behind += mr_f64_parse(mr_view_of(at), &number);
    }
    *end = (char *)(uintptr_t)(behind == at ? text : behind);
    return behind == at ? 0 : negative ? -number : number;
}

double mr_lua_power(double base, double exponent)
{
    return exponent == 2 ? base * base : mr_f64_pow(base, exponent);
}

double mr_lua_modulo(double a, double b)
{
    if (b == 0) {
        return 0;
    }
    double rest = mr_f64_fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double mr_lua_floor_divide(double a, double b)
{
    return b == 0 ? 0 : __builtin_floor(a / b);
}
