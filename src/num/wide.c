// num/wide.c: 256-bit numbers by schoolbook arithmetic, and the elementary functions by their series.

#include "num/wide.h"

#include <string.h>

#include "num/wide_tables.h"

static const wide zero;

bool wide_is_zero(const wide *a)
{
    return a->limbs[0] == 0;
}

// The number 0.words * 2^exponent; words may begin with zeros, and what is past 256 bits is cut.
static wide normalized(const uint32_t *words, int count, int32_t exponent, bool negative)
{
    int first = 0;
    while (first < count && words[first] == 0) {
        first++;
    }
    if (first == count) {
        return zero;
    }
    int shift = __builtin_clz(words[first]);
    wide a = { .exponent = exponent - 32 * first - shift, .negative = negative };
    for (int i = 0; i < WIDE_LIMBS; i++) {
        uint32_t high = first + i < count ? words[first + i] : 0;
        uint32_t low = first + i + 1 < count ? words[first + i + 1] : 0;
        a.limbs[i] = shift ? high << shift | low >> (32 - shift) : high;
    }
    return a;
}

wide wide_from(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t biased = (int32_t)(bits >> 52 & 0x7ff);
    uint64_t mantissa = bits & 0xfffffffffffff;
    if (biased) {
        mantissa |= UINT64_C(1) << 52;
    }
    const uint32_t words[2] = { (uint32_t)(mantissa >> 32), (uint32_t)mantissa };
    return normalized(words, 2, (biased ? biased : 1) - 1075 + 64, bits >> 63);
}

static wide from_integer(int64_t n)
{
    uint64_t size = n < 0 ? (uint64_t)-n : (uint64_t)n;
    const uint32_t words[2] = { (uint32_t)(size >> 32), (uint32_t)size };
    return normalized(words, 2, 64, n < 0);
}

wide wide_negate(wide a)
{
    a.negative = !a.negative && !wide_is_zero(&a);
    return a;
}

wide wide_shift(wide a, int32_t bits)
{
    if (!wide_is_zero(&a)) {
        a.exponent += bits;
    }
    return a;
}

int wide_compare_magnitude(const wide *a, const wide *b)
{
    if (wide_is_zero(a) || wide_is_zero(b)) {
        return (int)!wide_is_zero(a) - (int)!wide_is_zero(b);
    }
    if (a->exponent != b->exponent) {
        return a->exponent < b->exponent ? -1 : 1;
    }
    for (int i = 0; i < WIDE_LIMBS; i++) {
        if (a->limbs[i] != b->limbs[i]) {
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
        }
    }
    return 0;
}

wide wide_add(wide a, wide b)
{
    if (wide_compare_magnitude(&a, &b) < 0) {
        wide larger = b;
        b = a;
        a = larger;
    }
    int64_t apart = (int64_t)a.exponent - b.exponent;
    if (wide_is_zero(&b) || apart > 32 * (WIDE_LIMBS + 1)) {
        return a;
    }
    // One word above for the carry, and two below: where the exponents differ by more than one, a difference loses at
    // most one leading bit, and the cut stays far below the last place.
    enum { COUNT = WIDE_LIMBS + 3 };
    uint32_t left[COUNT] = { 0 }, right[COUNT] = { 0 }, sum[COUNT];
    int skip = (int)apart / 32, shift = (int)apart % 32;
    for (int i = 0; i < WIDE_LIMBS; i++) {
        left[1 + i] = a.limbs[i];
        int at = 1 + i + skip;
        if (at < COUNT) {
            right[at] |= b.limbs[i] >> shift;
        }
        if (shift && at + 1 < COUNT) {
            right[at + 1] |= b.limbs[i] << (32 - shift);
        }
    }
    uint64_t carry = 0;
    for (int i = COUNT - 1; i >= 0; i--) {
        if (a.negative == b.negative) {
            carry += (uint64_t)left[i] + right[i];
            sum[i] = (uint32_t)carry;
            carry >>= 32;
        } else {
            carry = (uint64_t)left[i] - right[i] - carry;
            sum[i] = (uint32_t)carry;
            carry = carry >> 63;
        }
    }
    return normalized(sum, COUNT, a.exponent + 32, a.negative);
}

wide wide_subtract(wide a, wide b)
{
    return wide_add(a, wide_negate(b));
}

wide wide_multiply(wide a, wide b)
{
    uint32_t product[2 * WIDE_LIMBS] = { 0 };
    for (int i = WIDE_LIMBS - 1; i >= 0; i--) {
        uint64_t carry = 0;
        for (int j = WIDE_LIMBS - 1; j >= 0; j--) {
            carry += (uint64_t)a.limbs[i] * b.limbs[j] + product[i + j + 1];
            product[i + j + 1] = (uint32_t)carry;
            carry >>= 32;
        }
        product[i] = (uint32_t)carry;
    }
    return normalized(product, 2 * WIDE_LIMBS, a.exponent + b.exponent, a.negative != b.negative);
}

// a / n
static wide divide_small(wide a, uint32_t n)
{
    uint32_t quotient[WIDE_LIMBS + 2];
    uint64_t rest = 0;
    for (int i = 0; i < WIDE_LIMBS + 2; i++) {
        rest = rest << 32 | (i < WIDE_LIMBS ? a.limbs[i] : 0);
        quotient[i] = (uint32_t)(rest / n);
        rest %= n;
    }
    return normalized(quotient, WIDE_LIMBS + 2, a.exponent, a.negative);
}

// One bit of the quotient at a time.
wide wide_divide(wide a, wide b)
{
    if (wide_is_zero(&a)) {
        return zero;
    }
    uint32_t rest[WIDE_LIMBS + 1] = { 0 }, divisor[WIDE_LIMBS + 1] = { 0 };
    memcpy(rest + 1, a.limbs, sizeof a.limbs);
    memcpy(divisor + 1, b.limbs, sizeof b.limbs);
    uint32_t quotient[WIDE_LIMBS + 1] = { 0 };
    for (int bit = 0; bit < 32 * (WIDE_LIMBS + 1); bit++) {
        uint32_t difference[WIDE_LIMBS + 1];
        uint64_t borrow = 0;
        for (int i = WIDE_LIMBS; i >= 0; i--) {
            uint64_t d = (uint64_t)rest[i] - divisor[i] - borrow;
            difference[i] = (uint32_t)d;
            borrow = d >> 63;
        }
        if (!borrow) {
            memcpy(rest, difference, sizeof rest);
            quotient[bit / 32] |= UINT32_C(1) << (31 - bit % 32);
        }
        for (int i = 0; i < WIDE_LIMBS; i++) {
            rest[i] = rest[i] << 1 | rest[i + 1] >> 31;
        }
        rest[WIDE_LIMBS] <<= 1;
    }
    return normalized(quotient, WIDE_LIMBS + 1, a.exponent - b.exponent + 1, a.negative != b.negative);
}

// The nearest f64, roughly: the leading 53 bits, for first guesses. Its exponent must be one f64 has.
static double leading(wide a)
{
    uint64_t bits = (uint64_t)a.limbs[0] << 32 | a.limbs[1];
    double size = (double)(bits >> 11) * 0x1p-53;
    return a.negative ? -size : size;
}

wide wide_square_root(wide a)
{
    if (wide_is_zero(&a)) {
        return zero;
    }
    // An even exponent, so that the root's is whole; then Newton's steps for 1 / sqrt double the good bits each.
    int32_t odd = a.exponent & 1;
    int32_t half = (a.exponent - odd) / 2;
    a.exponent = odd;
    wide inverse = wide_from(1.0 / __builtin_sqrt(leading(a) * (odd ? 2.0 : 1.0)));
    const wide three = from_integer(3);
    for (int i = 0; i < 3; i++) {
        wide square = wide_multiply(a, wide_multiply(inverse, inverse));
        inverse = wide_shift(wide_multiply(inverse, wide_subtract(three, square)), -1);
    }
    wide root = wide_multiply(a, inverse);
    // One more step on the root itself: root + (a - root^2) / (2 root).
    wide rest = wide_subtract(a, wide_multiply(root, root));
    root = wide_add(root, wide_shift(wide_multiply(rest, inverse), -1));
    return wide_shift(root, half);
}

// Bits from `at` (0 is the highest of the limbs) on, as a number below 2^count; bits past the last are 0.
static uint64_t bits_at(const wide *a, int at, int count)
{
    uint64_t bits = 0;
    for (int i = at; i < at + count; i++) {
        uint32_t bit = i < 32 * WIDE_LIMBS ? a->limbs[i / 32] >> (31 - i % 32) & 1u : 0;
        bits = bits << 1 | bit;
    }
    return bits;
}

double wide_round(wide a, int bits, int lowest, int top)
{
    if (wide_is_zero(&a)) {
        return 0.0;
    }
    double sign = a.negative ? -1.0 : 1.0;
    if (a.exponent > top) {
        return sign * __builtin_inf();
    }
    int place = a.exponent - bits < lowest ? lowest : a.exponent - bits; // of the last bit kept
    int kept = a.exponent - place;
    if (kept < 0) {
        return sign * 0.0;
    }
    uint64_t mantissa = bits_at(&a, 0, kept);
    // The part cut off is compared with a half by its first bits: all alike after the first means the half itself.
    bool above = bits_at(&a, kept, 1);
    bool alike = true;
    for (int i = kept + 1; i < kept + 150 && alike; i++) {
        alike = (bits_at(&a, i, 1) != 0) != above;
    }
    if (alike ? (mantissa & 1) != 0 : above) {
        mantissa++;
    }
    // 2^place in two factors, since either end of f64's range may lie past one.
    double scale = place < -1000 ? 0x1p-1000 : place > 900 ? 0x1p900 : 1.0;
    int rest = place < -1000 ? place + 1000 : place > 900 ? place - 900 : place;
    uint64_t power = (uint64_t)(1023 + rest) << 52;
    double factor;
    memcpy(&factor, &power, sizeof factor);
    double size = (double)mantissa * factor * scale;
    double limit_place = size;
    uint64_t limit = (uint64_t)(1023 + (top < 1024 ? top : 1023)) << 52;
    double limit_value;
    memcpy(&limit_value, &limit, sizeof limit_value);
    if (top < 1024 && limit_place >= limit_value) {
        size = __builtin_inf();
    }
    return sign * size;
}

wide wide_exp(wide x)
{
    if (wide_is_zero(&x)) {
        return from_integer(1);
    }
    if (x.exponent > 12) {
        return wide_shift(from_integer(1), x.negative ? -1000000 : 1000000);
    }
    double near = x.exponent < -60 ? 0.0 : leading(x);
    for (int i = 0; i < x.exponent; i++) {
        near *= 2.0;
    }
    for (int i = 0; i > x.exponent && near != 0.0; i--) {
        near *= 0.5;
    }
    double k = __builtin_floor(near * 0x1.71547652b82fep+0 + 0.5);
    wide r = wide_subtract(x, wide_multiply(from_integer((int64_t)k), wide_ln2));
    r = wide_shift(r, -8); // below 2^-9
    wide sum = from_integer(1);
    for (uint32_t i = 23; i > 0; i--) {
        sum = wide_add(from_integer(1), divide_small(wide_multiply(r, sum), i));
    }
    for (int i = 0; i < 8; i++) {
        sum = wide_multiply(sum, sum);
    }
    return wide_shift(sum, (int32_t)k);
}

wide wide_log(wide x)
{
    // x = m 2^k with m from sqrt(1/2) to sqrt(2), and log m = 2 atanh((m - 1) / (m + 1)).
    int32_t k = x.exponent;
    x.exponent = 0;
    if (leading(x) < 0x1.6a09e667f3bcdp-1) {
        x.exponent = 1;
        k--;
    }
    wide s = wide_divide(wide_subtract(x, from_integer(1)), wide_add(x, from_integer(1)));
    wide square = wide_multiply(s, s);
    wide sum = zero;
    for (int i = 53; i >= 0; i--) {
        sum = wide_add(divide_small(from_integer(1), (uint32_t)(2 * i + 1)), wide_multiply(square, sum));
    }
    return wide_add(wide_shift(wide_multiply(s, sum), 1), wide_multiply(from_integer(k), wide_ln2));
}

wide wide_log2(wide x)
{
    return wide_divide(wide_log(x), wide_ln2);
}

wide wide_log10(wide x)
{
    return wide_divide(wide_log(x), wide_ln10);
}

// x = quarter * pi / 2 + r with r from -pi / 4 to pi / 4 (after Payne and Hanek 1983): those bits of 2 / pi whose
// product with x is a multiple of 4 are left out, and enough of the rest are taken.
static wide reduced(double x, unsigned *quarter)
{
    *quarter = 0;
    if (__builtin_fabs(x) < 0.785) {
        return wide_from(x);
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52 & 0x7ff) - 1075; // |x| = mantissa * 2^e
    uint64_t mantissa = (bits & 0xfffffffffffff) | UINT64_C(1) << 52;
    enum { WINDOW = 12, COUNT = WINDOW + 2 };
    int first = e - 1 > 1 ? e - 1 : 1; // the first bit of 2 / pi taken, which weighs 2^-first
    uint32_t window[WINDOW];
    for (int i = 0; i < WINDOW; i++) {
        int at = first - 1 + 32 * i;
        uint64_t two = (uint64_t)two_over_pi[at / 32] << 32 | two_over_pi[at / 32 + 1];
        window[i] = (uint32_t)(two >> (32 - at % 32));
    }
    uint32_t product[COUNT] = { 0 };
    const uint32_t parts[2] = { (uint32_t)(mantissa >> 32), (uint32_t)mantissa };
    for (int p = 1; p >= 0; p--) {
        uint64_t carry = 0;
        for (int i = WINDOW - 1; i >= 0; i--) {
            carry += (uint64_t)parts[p] * window[i] + product[p + i + 1];
            product[p + i + 1] = (uint32_t)carry;
            carry >>= 32;
        }
        product[p] = (uint32_t)carry;
    }
    // The product weighs 2^-point a unit; above the point are the quarter turns.
    int point = first + 32 * WINDOW - 1 - e;
    int whole = 32 * COUNT - point; // bits above the point
    unsigned n = 0;
    for (int i = whole - 2; i < whole; i++) {
        n = n << 1 | (i < 0 ? 0u : product[i / 32] >> (31 - i % 32) & 1u);
    }
    for (int i = 0; i < whole; i++) {
        product[i / 32] &= ~(UINT32_C(1) << (31 - i % 32));
    }
    wide fraction = normalized(product, COUNT, 32 * COUNT - point, false);
    if (fraction.exponent >= 0 && !wide_is_zero(&fraction)) { // from a half on: down from the next quarter
        fraction = wide_subtract(fraction, from_integer(1));
        n++;
    }
    wide r = wide_multiply(fraction, wide_half_pi);
    if (x < 0) {
        r = wide_negate(r);
        n = 0u - n;
    }
    *quarter = n & 3u;
    return r;
}

void wide_sincos(double x, wide *sine, wide *cosine)
{
    unsigned quarter;
    wide r = reduced(x, &quarter);
    wide square = wide_multiply(r, r);
    wide s = from_integer(1), c = from_integer(1);
    for (uint32_t i = 60; i > 0; i -= 2) {
        s = wide_subtract(from_integer(1), divide_small(wide_multiply(square, s), i * (i + 1)));
        c = wide_subtract(from_integer(1), divide_small(wide_multiply(square, c), i * (i - 1)));
    }
    s = wide_multiply(s, r);
    wide turned_sine = quarter & 1u ? c : s;
    wide turned_cosine = quarter & 1u ? s : c;
    *sine = quarter & 2u ? wide_negate(turned_sine) : turned_sine;
    *cosine = (quarter + 1u) & 2u ? wide_negate(turned_cosine) : turned_cosine;
}

// atan of 0 <= q <= 1 as atan(c) + atan((q - c) / (1 + q c)) with c the nearest quarter.
static wide atan_to_one(wide q)
{
    if (wide_is_zero(&q)) {
        return zero;
    }
    int nearest = 0;
    if (q.exponent >= -3) {
        double near = leading(q);
        for (int i = 0; i > q.exponent; i--) {
            near *= 0.5;
        }
        if (q.exponent == 1) {
            near = 1.0;
        }
        nearest = (int)(near * 4.0 + 0.5);
    }
    wide c = wide_shift(from_integer(nearest), -2);
    wide t = wide_divide(wide_subtract(q, c), wide_add(from_integer(1), wide_multiply(q, c)));
    wide square = wide_multiply(t, t);
    wide sum = zero;
    for (int i = 46; i >= 0; i--) {
        sum = wide_subtract(divide_small(from_integer(1), (uint32_t)(2 * i + 1)), wide_multiply(square, sum));
    }
    wide small = wide_multiply(t, sum);
    return nearest ? wide_add(wide_atan_quarters[nearest - 1], small) : small;
}

wide wide_atan2(wide y, wide x)
{
    bool below = y.negative, behind = x.negative;
    y.negative = x.negative = false;
    wide angle;
    if (wide_compare_magnitude(&y, &x) <= 0) {
        angle = atan_to_one(wide_divide(y, x));
    } else {
        angle = wide_subtract(wide_half_pi, atan_to_one(wide_divide(x, y)));
    }
    if (behind) {
        angle = wide_subtract(wide_shift(wide_half_pi, 1), angle);
    }
    return below ? wide_negate(angle) : angle;
}
