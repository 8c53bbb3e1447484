// base/number_text.c: numbers to text.
//
// The exact decimal expansion of the number, and of the two bounds halfway to its neighbours, is cut to its first 18
// digits (10 for f32), with a note whether anything is left beyond. On those the shortest text is found by dropping
// digits while a decimal inside the bounds remains; no more than 17 (9) digits are ever needed.

#include "base/number_text.h"

#include "base/decimal.h"

static const uint64_t powers_of_ten[20] = { 1ull,
                                            10ull,
                                            100ull,
                                            1000ull,
                                            10000ull,
                                            100000ull,
                                            1000000ull,
                                            10000000ull,
                                            100000000ull,
                                            1000000000ull,
                                            10000000000ull,
                                            100000000000ull,
                                            1000000000000ull,
                                            10000000000000ull,
                                            100000000000000ull,
                                            1000000000000000ull,
                                            10000000000000000ull,
                                            100000000000000000ull,
                                            1000000000000000000ull,
                                            10000000000000000000ull };

static unsigned digits_of(uint64_t number)
{
    unsigned digits = 1;
    while (digits < 20 && number >= powers_of_ten[digits]) {
        digits++;
    }
    return digits;
}

static size_t put_digits(char *out, uint64_t number, unsigned digits)
{
    for (unsigned i = digits; i-- > 0;) {
        out[i] = (char)('0' + number % 10);
        number /= 10;
    }
    return digits;
}

// The integer over 10^dropped rounded down, and whether that left anything out.
typedef struct mr_cut {
    uint64_t value;
    bool more;
} mr_cut;

static size_t decimal_digit_count(const mr_decimal *decimal)
{
    return decimal->count ? (decimal->count - 1) * 9 + digits_of(decimal->limbs[decimal->count - 1]) : 0;
}

// dropped may be negative: then the integer is raised. The answer must fit 64 bits.
static mr_cut cut_decimal(const mr_decimal *decimal, int dropped)
{
    mr_cut cut = { 0, false };
    if (dropped < 0) {
        for (size_t i = decimal->count; i-- > 0;) {
            cut.value = cut.value * 1000000000u + decimal->limbs[i];
        }
        cut.value *= powers_of_ten[-dropped];
        return cut;
    }
    size_t whole = (size_t)dropped / 9;
    unsigned part = (unsigned)dropped % 9;
    for (size_t i = decimal->count; i-- > whole + 1;) {
        cut.value = cut.value * 1000000000u + decimal->limbs[i];
    }
    if (whole < decimal->count) {
        uint64_t ten = powers_of_ten[part];
        cut.value = cut.value * powers_of_ten[9 - part] + decimal->limbs[whole] / ten;
        cut.more = decimal->limbs[whole] % ten != 0;
    }
    for (size_t i = 0; i < whole && i < decimal->count && !cut.more; i++) {
        cut.more = decimal->limbs[i] != 0;
    }
    return cut;
}

// Text of number * 10^-(digits of it) * 10^point: plain while plain_from <= point - 1 < plain_below, else with an
// exponent.
static size_t put_number(char *out, bool negative, uint64_t number, int point, int plain_from,
                         int plain_below)
{
    size_t size = 0;
    if (negative) {
        out[size++] = '-';
    }
    while (number % 10 == 0) {
        number /= 10;
    }
    char digits[20];
    int count = (int)put_digits(digits, number, digits_of(number));
    int exponent = point - 1;
    if (exponent < plain_from || exponent >= plain_below) {
        out[size++] = digits[0];
        if (count > 1) {
            out[size++] = '.';
            memcpy(out + size, digits + 1, (size_t)(count - 1));
            size += (size_t)(count - 1);
        }
        out[size++] = 'e';
        out[size++] = exponent < 0 ? '-' : '+';
        uint64_t magnitude = (uint64_t)(exponent < 0 ? -exponent : exponent);
        size += put_digits(out + size, magnitude, magnitude < 100 ? 2 : 3);
    } else if (point <= 0) {
        memcpy(out + size, "0.0000000000000000", (size_t)(2 - point));
        size += (size_t)(2 - point);
        memcpy(out + size, digits, (size_t)count);
        size += (size_t)count;
    } else {
        for (int i = 0; i < count || i < point; i++) {
            if (i == point) {
                out[size++] = '.';
            }
            out[size++] = i < count ? digits[i] : '0';
        }
    }
    out[size] = '\0';
    return size;
}

static size_t put_special(char *out, bool negative, const char *name)
{
    return mr_text_format(out, MR_NUMBER_TEXT_SIZE, "%s%s", negative ? "-" : "", name);
}

// The shortest decimal for mantissa * 2^exponent. even: the mantissa is even, so that the bounds themselves read back
// as it; narrow: the neighbour below is only half as far. digits: 18 or 10. *point as in put_number.
static uint64_t shortest(uint64_t mantissa, int exponent, bool narrow, int digits, int *point)
{
    bool even = !(mantissa & 1);
    mr_decimal base, exact, below, above;
    mr_decimal_power(&base, exponent - 2);
    mr_decimal_multiply(&exact, &base, mantissa * 4);
    mr_decimal_multiply(&below, &base, mantissa * 4 - (narrow ? 1 : 2));
    mr_decimal_multiply(&above, &base, mantissa * 4 + 2);
    int dropped = (int)decimal_digit_count(&exact) - digits;
    mr_cut value = cut_decimal(&exact, dropped);
    mr_cut low = cut_decimal(&below, dropped);
    mr_cut high = cut_decimal(&above, dropped);

    uint64_t answer = value.value;
    for (int drop = 1; drop < digits; drop++) {
        uint64_t ten = powers_of_ten[drop];
        uint64_t floor = value.value - value.value % ten;
        uint64_t ceiling = floor + ten;
        bool floor_inside = floor > low.value || (even && floor == low.value && !low.more);
        bool ceiling_inside = ceiling < high.value || (ceiling == high.value && (high.more || even));
        if (!floor_inside && !ceiling_inside) {
            break;
        }
        uint64_t beyond = value.value - floor;
        bool up = beyond > ten / 2 || (beyond == ten / 2 && (value.more || (floor / ten & 1)));
        answer = !floor_inside ? ceiling : !ceiling_inside ? floor : up ? ceiling : floor;
    }
    *point = (int)digits_of(answer) + dropped - exact.scale;
    return answer;
}

size_t mr_f64_text(double value, char *out)
{
    uint64_t mantissa, bits;
    int exponent, point;
    memcpy(&bits, &value, sizeof bits);
    bool negative = bits >> 63;
    if (!mr_f64_parts(value, &mantissa, &exponent)) {
        return put_special(out, negative && !(bits << 12), bits << 12 ? "nan" : "inf");
    }
    if (mantissa == 0) {
        return put_special(out, negative, "0");
    }
    // A whole number below 2^53 is its own shortest text: its neighbours are at most 1 away.
    if (exponent <= 0 && exponent > -53 && !(mantissa & (((uint64_t)1 << -exponent) - 1))) {
        uint64_t whole = mantissa >> -exponent;
        return put_number(out, negative, whole, (int)digits_of(whole), -5, 17);
    }
    bool narrow = mantissa == (uint64_t)1 << 52 && exponent > -1074;
    uint64_t number = shortest(mantissa, exponent, narrow, 18, &point);
    return put_number(out, negative, number, point, -5, 17);
}

size_t mr_f32_text(float value, char *out)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bool negative = bits >> 31;
    uint32_t fraction = bits & 0x7fffffu;
    int raised = (int)(bits >> 23 & 0xff);
    if (raised == 0xff) {
        return put_special(out, negative && !fraction, fraction ? "nan" : "inf");
    }
    uint64_t mantissa = raised ? fraction | 0x800000u : fraction;
    int exponent = (raised ? raised : 1) - 150;
    int point;
    if (mantissa == 0) {
        return put_special(out, negative, "0");
    }
    if (exponent <= 0 && exponent > -24 && !(mantissa & (((uint64_t)1 << -exponent) - 1))) {
        uint64_t whole = mantissa >> -exponent;
        return put_number(out, negative, whole, (int)digits_of(whole), -5, 9);
    }
    uint64_t number = shortest(mantissa, exponent, mantissa == 0x800000u && exponent > -149, 10, &point);
    return put_number(out, negative, number, point, -5, 9);
}

size_t mr_f64_text_general(double value, int digits, char *out)
{
    uint64_t mantissa, bits;
    int exponent;
    memcpy(&bits, &value, sizeof bits);
    bool negative = bits >> 63;
    if (!mr_f64_parts(value, &mantissa, &exponent)) {
        return put_special(out, negative, bits << 12 ? "nan" : "inf");
    }
    if (mantissa == 0) {
        return put_special(out, negative, "0");
    }
    digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    int zeros = __builtin_ctzll(mantissa);
    mantissa >>= zeros;
    exponent += zeros;
    mr_decimal base, exact;
    mr_decimal_power(&base, exponent);
    mr_decimal_multiply(&exact, &base, mantissa);
    int dropped = (int)decimal_digit_count(&exact) - 18;
    mr_cut cut = cut_decimal(&exact, dropped);
    uint64_t ten = powers_of_ten[18 - digits];
    uint64_t number = cut.value / ten;
    uint64_t rest = cut.value % ten;
    if (rest > ten / 2 || (rest == ten / 2 && (cut.more || (number & 1)))) {
        number++;
    }
    int point = (int)digits_of(number) + dropped + (18 - digits) - exact.scale;
    return put_number(out, negative, number, point, -4, digits);
}
