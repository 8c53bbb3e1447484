// num/exact.h: the elementary functions, the same bits on every machine.
//
// mr_f32_*: correctly rounded (to nearest, ties to even) for every argument, subnormal numbers included, so that any
// machine can match them. Special values are those of C's Annex F; a NaN answer is always the quiet NaN 0x7fc00000,
// whatever NaN went in. Method and evidence: docs/exact-math.md, docs/verification.md.
//
// mr_f64_*: pure functions of their bits, within 1 unit in the last place of the true value (the nearest number in every
// case tried); a NaN answer is 0x7ff8000000000000. They are for what is worked in f64 (the Lua host); f32 results never
// come from them.
//
// All are pure, lock nothing, allocate nothing and may be called from any thread. Arithmetic is + - * / and sqrt of f64,
// never fused, under round to nearest; angles are radians.

#ifndef MARRAM_NUM_EXACT_H
#define MARRAM_NUM_EXACT_H

#include <stddef.h>
#include <stdint.h>

float mr_f32_sqrt(float x);
float mr_f32_cbrt(float x);
float mr_f32_exp(float x);
float mr_f32_exp2(float x);
float mr_f32_expm1(float x); // e^x - 1
float mr_f32_log(float x);
float mr_f32_log2(float x);
float mr_f32_log10(float x);
float mr_f32_log1p(float x); // log(1 + x)
float mr_f32_sin(float x);
float mr_f32_cos(float x);
float mr_f32_tan(float x);
float mr_f32_asin(float x);
float mr_f32_acos(float x);
float mr_f32_atan(float x);
float mr_f32_sinh(float x);
float mr_f32_cosh(float x);
float mr_f32_tanh(float x);
void mr_f32_sincos(float x, float *sine, float *cosine);

float mr_f32_pow(float x, float y);
float mr_f32_atan2(float y, float x);
float mr_f32_hypot(float x, float y);
float mr_f32_fmod(float x, float y); // x - y trunc(x / y), exact, the sign of x
float mr_f32_mod(float x, float y);  // x - y floor(x / y), rounded once, the sign of y

// out[i] = f(x[i]) with the very bits of the functions above. out may be x (or y); else they may not overlap.
void mr_f32_sqrt_array(const float *x, float *out, size_t count);
void mr_f32_cbrt_array(const float *x, float *out, size_t count);
void mr_f32_exp_array(const float *x, float *out, size_t count);
void mr_f32_exp2_array(const float *x, float *out, size_t count);
void mr_f32_expm1_array(const float *x, float *out, size_t count);
void mr_f32_log_array(const float *x, float *out, size_t count);
void mr_f32_log2_array(const float *x, float *out, size_t count);
void mr_f32_log10_array(const float *x, float *out, size_t count);
void mr_f32_log1p_array(const float *x, float *out, size_t count);
void mr_f32_sin_array(const float *x, float *out, size_t count);
void mr_f32_cos_array(const float *x, float *out, size_t count);
void mr_f32_tan_array(const float *x, float *out, size_t count);
void mr_f32_asin_array(const float *x, float *out, size_t count);
void mr_f32_acos_array(const float *x, float *out, size_t count);
void mr_f32_atan_array(const float *x, float *out, size_t count);
void mr_f32_sinh_array(const float *x, float *out, size_t count);
void mr_f32_cosh_array(const float *x, float *out, size_t count);
void mr_f32_tanh_array(const float *x, float *out, size_t count);
void mr_f32_pow_array(const float *x, const float *y, float *out, size_t count);
void mr_f32_atan2_array(const float *y, const float *x, float *out, size_t count);
void mr_f32_hypot_array(const float *x, const float *y, float *out, size_t count);
void mr_f32_fmod_array(const float *x, const float *y, float *out, size_t count);
void mr_f32_mod_array(const float *x, const float *y, float *out, size_t count);

double mr_f64_exp(double x);
double mr_f64_log(double x);
double mr_f64_log2(double x);
double mr_f64_log10(double x);
double mr_f64_sin(double x);
double mr_f64_cos(double x);
double mr_f64_tan(double x);
double mr_f64_asin(double x);
double mr_f64_acos(double x);
double mr_f64_atan(double x);
double mr_f64_sinh(double x);
double mr_f64_cosh(double x);
double mr_f64_tanh(double x);
double mr_f64_pow(double x, double y);
double mr_f64_atan2(double y, double x);
double mr_f64_fmod(double x, double y); // exact

#endif
