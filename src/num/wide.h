// num/wide.h: numbers of 256 bits, for the few arguments that f64 cannot settle.
//
// Integer arithmetic only, cut (not rounded) at the last bit: an operation is off by a few units in the 255th bit, and a
// function of this header by less than 2^-220 of its answer. Slow (microseconds) and plain: it is what the quick paths
// fall back to, and what says which way a near-tie goes.

#ifndef MARRAM_NUM_WIDE_H
#define MARRAM_NUM_WIDE_H

#include <stdbool.h>
#include <stdint.h>

enum { WIDE_LIMBS = 8 };

// 0.limbs * 2^exponent, limbs[0] the highest and its top bit set; zero has no limb set.
typedef struct wide {
    uint32_t limbs[WIDE_LIMBS];
    int32_t exponent;
    bool negative;
} wide;

bool wide_is_zero(const wide *a);
wide wide_from(double x); // finite; exact
wide wide_negate(wide a);
wide wide_shift(wide a, int32_t bits); // a * 2^bits
wide wide_add(wide a, wide b);
wide wide_subtract(wide a, wide b);
wide wide_multiply(wide a, wide b);
wide wide_divide(wide a, wide b); // b is not zero
wide wide_square_root(wide a);    // a >= 0
int wide_compare_magnitude(const wide *a, const wide *b);

// To the nearest number of `bits` bits whose last place is at least 2^lowest and below 2^top in magnitude (past which it
// is infinite). What lies within 2^-150 of a tie counts as the tie, and goes to the even neighbour: no value of the
// functions here comes that near one without being it.
double wide_round(wide a, int bits, int lowest, int top);

wide wide_exp(wide x);   // past 2^12 in magnitude: a number that rounds to infinity or 0
wide wide_log(wide x);   // x > 0
wide wide_log2(wide x);  // x > 0
wide wide_log10(wide x); // x > 0
void wide_sincos(double x, wide *sine, wide *cosine);
wide wide_atan2(wide y, wide x); // not both zero

#endif
