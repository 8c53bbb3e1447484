// clang-format off
// num/exact_polynomials.h: made by tools/exact_polynomials.py; not to be edited.

#ifndef MARRAM_NUM_EXACT_POLYNOMIALS_H
#define MARRAM_NUM_EXACT_POLYNOMIALS_H

// sin r = r + r^3 p(r^2), |r| to pi / 4. Error below 2^-55.4.
static inline double exact_poly_sin(double x)
{
    double x2 = x * x;
    double x4 = x2 * x2;
    return ((-0x1.5555555555555p-3 + 0x1.1111111110bb1p-7 * x) + (-0x1.a01a019e8357dp-13 + 0x1.71de37961e4c6p-19 * x) * x2) + (-0x1.ae600a926c89ap-26 + 0x1.5e0af186af739p-33 * x) * x4;
}

// cos r = 1 - r^2 / 2 + r^4 p(r^2), |r| to pi / 4. Error below 2^-49.7.
static inline double exact_poly_cos(double x)
{
    double x2 = x * x;
    double x4 = x2 * x2;
    return ((0x1.5555555555437p-5 + -0x1.6c16c16b612abp-10 * x) + (0x1.a019ff534c684p-16 + -0x1.27e25f0776cc1p-22 * x) * x2) + 0x1.1c81a3b8d462fp-29 * x4;
}

// asin s = s + s^3 p(s^2), s^2 to 1/4. Error below 2^-50.0.
static inline double exact_poly_asin(double x)
{
    double x2 = x * x;
    double x4 = x2 * x2;
    double x8 = x4 * x4;
    return (((0x1.55555555555bbp-3 + 0x1.33333333030cfp-4 * x) + (0x1.6db6dba99e56dp-5 + 0x1.f1c6ff7f5507fp-6 * x) * x2) + ((0x1.6e8f34a32a3ecp-6 + 0x1.1c0d74beb3610p-6 * x) + (0x1.cf5ed14c7cb7ep-7 + 0x1.512bc40e88a9ep-7 * x) * x2) * x4) + ((0x1.fa1b2b4831188p-7 + -0x1.bf16e7c9f283cp-8 * x) + 0x1.c8a4a8d5d7026p-6 * x2) * x8;
}

// atan t = t + t^3 p(t^2), |t| to tan(pi / 8). Error below 2^-47.9.
static inline double exact_poly_atan(double x)
{
    double x2 = x * x;
    double x4 = x2 * x2;
    double x8 = x4 * x4;
    return (((-0x1.55555555553a3p-2 + 0x1.99999998d12f0p-3 * x) + (-0x1.249248aa52bc5p-3 + 0x1.c71c381ab56c6p-4 * x) * x2) + ((-0x1.74563c795c0ffp-4 + 0x1.3a9d83feefaedp-4 * x) + (-0x1.0c52a4b5af878p-4 + 0x1.a769bd3353c1cp-5 * x) * x2) * x4) + -0x1.be20c62f176ddp-6 * x8;
}

// e^r - 1 = r + r^2 p(r), |r| to log(2) / 2. Error below 2^-48.3.
static inline double exact_poly_exp(double x)
{
    double x2 = x * x;
    double x4 = x2 * x2;
    double x8 = x4 * x4;
    return (((0x1.0000000000000p-1 + 0x1.5555555553b78p-3 * x) + (0x1.5555555554cb7p-5 + 0x1.1111111c478ebp-7 * x) * x2) + ((0x1.6c16c1738ff55p-10 + 0x1.a019ada3609f3p-13 * x) + (0x1.a019c9a5652d3p-16 + 0x1.72c72ca338df0p-19 * x) * x2) * x4) + 0x1.2880411bad1aap-22 * x8;
}

// log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2), |s| to (sqrt 2 - 1) / (sqrt 2 + 1). Error below 2^-57.5.
static inline double exact_poly_log(double x)
{
    double x2 = x * x;
    double x4 = x2 * x2;
    return ((0x1.5555555555558p-1 + 0x1.99999999952ccp-2 * x) + (0x1.2492492df3ba9p-2 + 0x1.c71c62e26208bp-3 * x) * x2) + ((0x1.7462b58e46ebep-3 + 0x1.39fe42e9740a7p-3 * x) + 0x1.2b59b713616c9p-3 * x2) * x4;
}

// x^(1/3), x from 1 to 2. Error below 2^-21.9.
static inline double exact_poly_cbrt(double x)
{
    double x2 = x * x;
    double x4 = x2 * x2;
    return ((0x1.cb68f94b94beap-2 + 0x1.e33114033c8b7p-1 * x) + (-0x1.4f65258278179p-1 + 0x1.8026ac948a766p-2 * x) * x2) + ((-0x1.1d2e558db1d25p-3 + 0x1.e346250683378p-6 * x) + -0x1.6254d5208eb99p-9 * x2) * x4;
}

// pi / 2 in parts of 32, 32 and 53 bits, log 2 in parts of 40 and 53: whole numbers of up to 21 and 13 bits times
// any part but the last are exact.
#define EXACT_HALF_PI_1 0x1.921fb54400000p+0
#define EXACT_HALF_PI_2 0x1.0b4611a600000p-34
#define EXACT_HALF_PI_3 0x1.3198a2e037073p-69
#define EXACT_LN2_1 0x1.62e42fefa2000p-1
#define EXACT_LN2_2 0x1.9ef35793c7673p-41
#define EXACT_HALF_PI 0x1.921fb54442d18p+0
#define EXACT_PI 0x1.921fb54442d18p+1
#define EXACT_QUARTER_PI 0x1.921fb54442d18p-1
#define EXACT_TWO_OVER_PI 0x1.45f306dc9c883p-1
#define EXACT_LN2 0x1.62e42fefa39efp-1
#define EXACT_LOG2_E 0x1.71547652b82fep+0
#define EXACT_LOG10_E 0x1.bcb7b1526e50ep-2
#define EXACT_LOG10_2 0x1.34413509f79ffp-2
#define EXACT_CBRT2 0x1.428a2f98d728bp+0
#define EXACT_CBRT4 0x1.965fea53d6e3dp+0
#define EXACT_SQRT_HALF 0x1.6a09e667f3bcdp-1
#define EXACT_TAN_PI_8 0x1.a827999fcef32p-2

#endif
