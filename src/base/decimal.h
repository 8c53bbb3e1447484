// base/decimal.h: a binary number written out in decimal, exactly. For number_text.c and text.c.

#ifndef MARRAM_BASE_DECIMAL_H
#define MARRAM_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An integer of base-1e9 limbs, lowest first. 767 digits are the most a double can have, a few more for its bounds.
enum { MR_DECIMAL_LIMBS = 92, MR_DECIMAL_DIGITS = MR_DECIMAL_LIMBS * 9 };
typedef struct mr_decimal {
    uint32_t limbs[MR_DECIMAL_LIMBS];
    size_t count;
    int scale; // the number is the integer over 10 to the scale
} mr_decimal;

// base * mantissa, where base is 2 to the exponent (which makes it 5 to the -exponent over 10 to it when negative).
void mr_decimal_power(mr_decimal *base, int exponent);
void mr_decimal_multiply(mr_decimal *product, const mr_decimal *base, uint64_t mantissa);

// A double's parts: value = mantissa * 2^exponent, false when it is not finite.
bool mr_f64_parts(double value, uint64_t *mantissa, int *exponent);

// All digits, highest first, without leading zeros; 0 has none. point: value = 0.d1d2d3... * 10^point.
size_t mr_decimal_digits(const mr_decimal *decimal, char digits[MR_DECIMAL_DIGITS], int *point);

// Keeps the first `keep` of count digits, rounded half to even on what is left out. Answers the digits left (without
// trailing zeros), and moves the point when a carry makes a new first digit.
size_t mr_decimal_round(char *digits, size_t count, size_t keep, int *point);

#endif
