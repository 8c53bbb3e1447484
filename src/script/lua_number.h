// script/lua_number.h: Lua's arithmetic and number text, the same on every machine.

#ifndef MARRAM_SCRIPT_LUA_NUMBER_H
#define MARRAM_SCRIPT_LUA_NUMBER_H

#include <stddef.h>

enum { MR_LUA_EXTRASPACE = 16 };

// The shortest text that reads back as the same number; "inf", "-inf", "nan". Answers the length.
int mr_lua_number_text(char *out, size_t size, double number);
int mr_lua_integer_text(char *out, size_t size, long long number);

// strtod without a locale: spaces, a sign, a decimal or hexadecimal number, rounded once to nearest even. *end is text
// where there is no number.
double mr_lua_read_number(const char *text, char **end);

double mr_lua_power(double base, double exponent);
// Lua's a % b (the divisor's sign) and a // b; 0 for a divisor of 0.
double mr_lua_modulo(double a, double b);
double mr_lua_floor_divide(double a, double b);

// What an object that stands as a key hashes by: how many were made before it, never where it lies.
unsigned mr_lua_serial(const void *object);

#endif
