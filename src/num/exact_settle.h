// num/exact_settle.h: the whole answer of any function here for any argument, by wide numbers.

#ifndef MARRAM_NUM_EXACT_SETTLE_H
#define MARRAM_NUM_EXACT_SETTLE_H

typedef enum exact_function {
    EXACT_CBRT,
    EXACT_EXP,
    EXACT_EXP2,
    EXACT_EXPM1,
    EXACT_LOG,
    EXACT_LOG2,
    EXACT_LOG10,
    EXACT_LOG1P,
    EXACT_SIN,
    EXACT_COS,
    EXACT_TAN,
    EXACT_ASIN,
    EXACT_ACOS,
    EXACT_ATAN,
    EXACT_SINH,
    EXACT_COSH,
    EXACT_TANH,
    EXACT_POW,   // of x and y
    EXACT_ATAN2, // of x = the ordinate, y = the abscissa
} exact_function;

// Correctly rounded to f32 (a double that f32 holds) or f64. y is read by the functions of two arguments alone.
double mr_exact_settle_f32(exact_function function, double x, double y);
double mr_exact_settle_f64(exact_function function, double x, double y);

#endif
