// base/decimal.c: exact decimals by small multiplications over base-1e9 limbs.

#include "base/decimal.h"

#include <string.h>

#define BASE 1000000000u

static void multiply_small(mr_decimal *decimal, uint32_t factor)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < decimal->count; i++) {
        uint64_t sum = (uint64_t)decimal->limbs[i] * factor + carry;
        carry = sum / BASE;
        decimal->limbs[i] = (uint32_t)(sum - carry * BASE);
    }
    while (carry) {
        decimal->limbs[decimal->count++] = (uint32_t)(carry % BASE);
        carry /= BASE;
    }
}

void mr_decimal_power(mr_decimal *base, int exponent)
{
    static const uint32_t fives[14] = { 1,     5,      25,      125,     625,      3125,      15625,
                                        78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125 };
    base->limbs[0] = 1;
    base->count = 1;
    base->scale = 0;
    if (exponent < 0) {
        base->scale = -exponent;
        int left = -exponent;
        for (; left > 13; left -= 13) {
            multiply_small(base, fives[13]);
        }
        multiply_small(base, fives[left]);
        return;
    }
    for (; exponent > 31; exponent -= 31) {
        multiply_small(base, 1u << 31);
    }
    multiply_small(base, 1u << exponent);
}

void mr_decimal_multiply(mr_decimal *product, const mr_decimal *base, uint64_t mantissa)
{
    const uint32_t parts[3] = { (uint32_t)(mantissa % BASE), (uint32_t)(mantissa / BASE % BASE),
                                (uint32_t)(mantissa / BASE / BASE) };
    size_t part_count = parts[2] ? 3 : parts[1] ? 2 : 1;
    memset(product->limbs, 0, (base->count + part_count) * sizeof *product->limbs);
    for (size_t p = 0; p < part_count; p++) {
        uint64_t carry = 0;
        for (size_t i = 0; i < base->count; i++) {
            uint64_t sum = (uint64_t)base->limbs[i] * parts[p] + product->limbs[i + p] + carry;
            carry = sum / BASE;
            product->limbs[i + p] = (uint32_t)(sum - carry * BASE);
        }
        product->limbs[base->count + p] = (uint32_t)carry;
    }
    product->count = base->count + part_count;
    while (product->count && product->limbs[product->count - 1] == 0) {
        product->count--;
    }
    product->scale = base->scale;
}

bool mr_f64_parts(double value, uint64_t *mantissa, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & 0xfffffffffffffu;
    int raised = (int)(bits >> 52 & 0x7ff);
    *mantissa = raised ? fraction | (uint64_t)1 << 52 : fraction;
    *exponent = (raised ? raised : 1) - 1075;
    return raised != 0x7ff;
}

size_t mr_decimal_digits(const mr_decimal *decimal, char digits[MR_DECIMAL_DIGITS], int *point)
{
    size_t count = 0;
    for (size_t i = decimal->count; i-- > 0;) {
        uint32_t limb = decimal->limbs[i];
        char nine[9];
        for (int k = 8; k >= 0; k--) {
            nine[k] = (char)('0' + limb % 10);
            limb /= 10;
        }
        int skip = 0;
        while (count == 0 && skip < 9 && nine[skip] == '0') {
            skip++;
        }
        memcpy(digits + count, nine + skip, (size_t)(9 - skip));
        count += (size_t)(9 - skip);
    }
    *point = (int)count - decimal->scale;
    return count;
}

size_t mr_decimal_round(char *digits, size_t count, size_t keep, int *point)
{
    if (count > keep) {
        bool up = digits[keep] > '5';
        if (digits[keep] == '5') {
            bool more = false;
            for (size_t i = keep + 1; i < count && !more; i++) {
                more = digits[i] != '0';
            }
            up = more || (keep > 0 && (digits[keep - 1] & 1));
        }
        count = keep;
        while (up && count > 0 && digits[count - 1] == '9') {
            count--;
        }
        if (up && count > 0) {
            digits[count - 1]++;
        } else if (up) {
            digits[count++] = '1';
            ++*point;
        }
    }
    while (count > 0 && digits[count - 1] == '0') {
        count--;
    }
    return count;
}
