// base/number_parse.c: text to numbers, rounded once.
//
// The decimal is a whole number w times 10^e. Up to 19 digits and moderate e, w * 5^e (or its quotient) is worked in
// 128 bits; anything else in long integers of 32-bit limbs. Both give 64 leading bits and whether any bit beyond is
// set, and one rounding makes the answer of them.

#include "base/number_text.h"

// mantissa (top bit set unless 0) * 2^exponent, and something more beneath when sticky.
typedef struct mr_leading {
    uint64_t mantissa;
    int exponent;
    bool sticky;
} mr_leading;

// 800 digits hold every double and every halfway point; what follows can only break a tie.
enum { MOST_DIGITS = 800, LIMBS = 200 };

typedef struct mr_big {
    uint32_t limbs[LIMBS]; // lowest first
    int count;
} mr_big;

static void big_multiply_add(mr_big *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < big->count; i++) {
        carry += (uint64_t)big->limbs[i] * factor;
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        big->limbs[big->count++] = (uint32_t)carry;
    }
}

static void big_multiply_fives(mr_big *big, int power)
{
    for (; power >= 13; power -= 13) {
        big_multiply_add(big, 1220703125u, 0);
    }
    for (; power > 0; power--) {
        big_multiply_add(big, 5, 0);
    }
}

static int big_bits(const mr_big *big)
{
    return big->count ? big->count * 32 - __builtin_clz(big->limbs[big->count - 1]) : 0;
}

static void big_shift_left(mr_big *big, int bits)
{
    int whole = bits / 32, part = bits % 32;
    uint32_t carry = 0;
    for (int i = 0; part && i < big->count; i++) {
        uint32_t limb = big->limbs[i];
        big->limbs[i] = limb << part | carry;
        carry = limb >> (32 - part);
    }
    if (carry) {
        big->limbs[big->count++] = carry;
    }
    if (whole) {
        memmove(big->limbs + whole, big->limbs, (size_t)big->count * sizeof *big->limbs);
        memset(big->limbs, 0, (size_t)whole * sizeof *big->limbs);
        big->count += whole;
    }
}

static int big_compare(const mr_big *a, const mr_big *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int i = a->count; i-- > 0;) {
        if (a->limbs[i] != b->limbs[i]) {
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
        }
    }
    return 0;
}

static void big_subtract(mr_big *a, const mr_big *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        borrow += (int64_t)a->limbs[i] - (i < b->count ? b->limbs[i] : 0);
        a->limbs[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->count && a->limbs[a->count - 1] == 0) {
        a->count--;
    }
}

static mr_leading leading_of_big(const mr_big *big)
{
    mr_leading leading = { 0, big_bits(big) - 64, false };
    for (int bit = 0; bit < 64; bit++) {
        int at = leading.exponent + 63 - bit;
        leading.mantissa <<= 1;
        if (at >= 0) {
            leading.mantissa |= big->limbs[at / 32] >> (at % 32) & 1;
        }
    }
    for (int at = leading.exponent - 1; at >= 0 && !leading.sticky; at--) {
        leading.sticky = big->limbs[at / 32] >> (at % 32) & 1;
    }
    return leading;
}

// number / divisor by shift and subtract, one bit a step: slow, plain, and only for what 128 bits cannot hold.
static mr_leading leading_of_quotient(mr_big *number, mr_big *divisor)
{
    int shift = big_bits(divisor) - big_bits(number);
    if (shift > 0) {
        big_shift_left(number, shift);
    } else {
        big_shift_left(divisor, -shift);
    }
    if (big_compare(number, divisor) < 0) {
        big_shift_left(number, 1);
        shift++;
    }
    mr_leading leading = { 0, -shift - 63, false };
    for (int bit = 0; bit < 64; bit++) {
        leading.mantissa <<= 1;
        if (big_compare(number, divisor) >= 0) {
            big_subtract(number, divisor);
            leading.mantissa |= 1;
        }
        big_shift_left(number, 1);
    }
    leading.sticky = number->count != 0;
    return leading;
}

__extension__ typedef unsigned __int128 mr_u128;

static mr_leading leading_of_wide(mr_u128 wide, int exponent, bool sticky)
{
    uint64_t high = (uint64_t)(wide >> 64);
    int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)wide);
    if (bits <= 64) {
        return (mr_leading){ (uint64_t)wide << (64 - bits), exponent - (64 - bits), sticky };
    }
    int drop = bits - 64;
    mr_u128 rest = wide & (((mr_u128)1 << drop) - 1);
    return (mr_leading){ (uint64_t)(wide >> drop), exponent + drop, sticky || rest != 0 };
}

static mr_leading leading_of_small(uint64_t whole, int power)
{
    static const uint64_t fives[28] = { 1ull,
                                        5ull,
                                        25ull,
                                        125ull,
                                        625ull,
                                        3125ull,
                                        15625ull,
                                        78125ull,
                                        390625ull,
                                        1953125ull,
                                        9765625ull,
                                        48828125ull,
                                        244140625ull,
                                        1220703125ull,
                                        6103515625ull,
                                        30517578125ull,
                                        152587890625ull,
                                        762939453125ull,
                                        3814697265625ull,
                                        19073486328125ull,
                                        95367431640625ull,
                                        476837158203125ull,
                                        2384185791015625ull,
                                        11920928955078125ull,
                                        59604644775390625ull,
                                        298023223876953125ull,
                                        1490116119384765625ull,
                                        7450580596923828125ull };
    if (power >= 0) {
        return leading_of_wide((mr_u128)whole * fives[power], power, false);
    }
    // Both raised to a top bit, the quotient has 64 or 65 bits.
    uint64_t divisor = fives[-power];
    int number_shift = __builtin_clzll(whole), divisor_shift = __builtin_clzll(divisor);
    mr_u128 number = (mr_u128)(whole << number_shift) << 64;
    divisor <<= divisor_shift;
    mr_u128 quotient = number / divisor;
    return leading_of_wide(quotient, power - 64 - number_shift + divisor_shift, quotient * divisor != number);
}

// One rounding to `bits` bits (53 or 24), lowest exponent `least` (-1074 or -149), to nearest-even. Answers the bits
// of the number as the format stores them, fraction_bits of fraction beneath the exponent.
static uint64_t round_leading(mr_leading leading, int bits, int least, int fraction_bits, int most_raised)
{
    int drop = 64 - bits;
    if (leading.exponent + drop < least) {
        drop = least - leading.exponent;
    }
    if (drop > 64) {
        return 0;
    }
    uint64_t kept = drop < 64 ? leading.mantissa >> drop : 0;
    uint64_t rest = drop < 64 ? leading.mantissa << (64 - drop) : leading.mantissa;
    uint64_t half = (uint64_t)1 << 63;
    if (rest > half || (rest == half && (leading.sticky || (kept & 1)))) {
        kept++;
    }
    int exponent = leading.exponent + drop;
    if (kept >> bits) {
        kept >>= 1;
        exponent++;
    }
    if (!(kept >> fraction_bits)) {
        return kept; // below the smallest normal number
    }
    int raised = exponent - least + 1;
    if (raised >= most_raised) {
        return (uint64_t)most_raised << fraction_bits;
    }
    return ((uint64_t)raised << fraction_bits) | (kept & (((uint64_t)1 << fraction_bits) - 1));
}

// What was read: the digits without leading zeros lie in text from `first` on (a point may stand among them).
typedef struct mr_scanned {
    size_t size;
    size_t first;
    size_t digits;  // from the first that is not 0 to the last that is not 0
    int64_t power;  // of ten, of the last of those digits
    uint64_t whole; // their value when there are at most 19
} mr_scanned;

static bool is_digit(mr_view text, size_t at)
{
    return at < text.size && text.data[at] >= '0' && text.data[at] <= '9';
}

static size_t scan_exponent(mr_view text, size_t at, int64_t *exponent)
{
    *exponent = 0;
    if (at >= text.size || (text.data[at] != 'e' && text.data[at] != 'E')) {
        return at;
    }
    size_t next = at + 1;
    bool negative = false;
    if (next < text.size && (text.data[next] == '+' || text.data[next] == '-')) {
        negative = text.data[next] == '-';
        next++;
    }
    if (!is_digit(text, next)) {
        return at;
    }
    int64_t value = 0;
    for (; is_digit(text, next); next++) {
        if (value < 1000000000000000) {
            value = value * 10 + (text.data[next] - '0');
        }
    }
    *exponent = negative ? -value : value;
    return next;
}

static mr_scanned scan(mr_view text)
{
    mr_scanned scanned = { 0 };
    size_t at = 0, seen = 0; // seen: digits since the first that is not 0
    int64_t before = 0;      // the number is 0.d1d2d3... times 10 to this, d1 the first digit that is not 0
    uint64_t whole = 0;
    bool point = false, any = false;
    for (;; at++) {
        if (is_digit(text, at)) {
            any = true;
            char digit = text.data[at];
            if (seen == 0 && digit == '0') {
                before -= point;
                continue;
            }
            if (seen++ == 0) {
                scanned.first = at;
            }
            before += !point;
            whole = seen <= 19 ? whole * 10 + (uint64_t)(digit - '0') : whole;
            if (digit != '0') {
                scanned.digits = seen;
                scanned.whole = whole;
            }
        } else if (!point && at < text.size && text.data[at] == '.' &&
                   (is_digit(text, at + 1) || (any && !(at + 1 < text.size && text.data[at + 1] == '.')))) {
            point = true;
        } else {
            break;
        }
    }
    if (!any) {
        return scanned;
    }
    int64_t exponent;
    scanned.size = scan_exponent(text, at, &exponent);
    scanned.power = exponent + before - (int64_t)scanned.digits;
    return scanned;
}

static mr_leading leading_of_long(mr_view text, const mr_scanned *scanned)
{
    mr_big number = { .count = 0 };
    size_t taken = scanned->digits < MOST_DIGITS ? scanned->digits : MOST_DIGITS;
    size_t at = scanned->first;
    for (size_t i = 0; i < taken; at++) {
        if (text.data[at] != '.') {
            big_multiply_add(&number, 10, (uint32_t)(text.data[at] - '0'));
            i++;
        }
    }
    int64_t power = scanned->power + (int64_t)(scanned->digits - taken);
    if (taken < scanned->digits) { // the digits left out are not all 0: a 1 stands for them
        big_multiply_add(&number, 10, 1);
        power--;
    }
    mr_leading leading;
    if (power >= 0) {
        big_multiply_fives(&number, (int)power);
        leading = leading_of_big(&number);
    } else {
        mr_big divisor = { .limbs = { 1 }, .count = 1 };
        big_multiply_fives(&divisor, (int)-power);
        leading = leading_of_quotient(&number, &divisor);
    }
    leading.exponent += (int)power;
    return leading;
}

static size_t parse(mr_view text, int bits, int least, int fraction_bits, int most_raised, uint64_t *answer)
{
    mr_scanned scanned = scan(text);
    if (scanned.size == 0) {
        return 0;
    }
    int64_t magnitude = scanned.power + (int64_t)scanned.digits; // the number is below 10 to this
    if (scanned.digits == 0 || magnitude < -400) {
        *answer = 0;
    } else if (magnitude > 400) {
        *answer = (uint64_t)most_raised << fraction_bits;
    } else {
        bool small = scanned.digits <= 19 && scanned.power >= -27 && scanned.power <= 27;
        mr_leading leading =
            small ? leading_of_small(scanned.whole, (int)scanned.power) : leading_of_long(text, &scanned);
        *answer = round_leading(leading, bits, least, fraction_bits, most_raised);
    }
    return scanned.size;
}

size_t mr_f64_parse(mr_view text, double *value)
{
    uint64_t bits;
    size_t size = parse(text, 53, -1074, 52, 0x7ff, &bits);
    if (size) {
        memcpy(value, &bits, sizeof bits);
    }
    return size;
}

size_t mr_f32_parse(mr_view text, float *value)
{
    uint64_t bits;
    size_t size = parse(text, 24, -149, 23, 0xff, &bits);
    if (size) {
        uint32_t low = (uint32_t)bits;
        memcpy(value, &low, sizeof low);
    }
    return size;
}
