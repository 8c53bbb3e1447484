// base/number_text.h: numbers to text and back, without a locale and without the C library.

#ifndef MARRAM_BASE_NUMBER_TEXT_H
#define MARRAM_BASE_NUMBER_TEXT_H

#include "base/text.h"

enum { MR_NUMBER_TEXT_SIZE = 40 };

// The shortest decimal that reads back as the same number ("0.1", "1e+20", "-0", "inf", "nan"); written plain from
// 1e-5 up to below 1e17 (f64) or 1e9 (f32), else with an exponent. Answers the length; out holds
// MR_NUMBER_TEXT_SIZE bytes and is ended by 0.
size_t mr_f32_text(float value, char *out);
size_t mr_f64_text(double value, char *out);

// printf's %.*g (digits 1..17) of the exact value, rounded half to even on the decimal expansion as glibc does.
size_t mr_f64_text_general(double value, int digits, char *out);

// A decimal number (digits, point, exponent; no sign, no space, no hex) at the start of text, rounded once and
// correctly to nearest-even. A digit must stand before or behind the point; a point that another point follows is not
// read ("1..5" reads "1"), nor is an e without digits. Answers the bytes read, 0 when there is no number. Overflow
// answers infinity.
size_t mr_f32_parse(mr_view text, float *value);
size_t mr_f64_parse(mr_view text, double *value);

#endif
