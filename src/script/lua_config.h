// script/lua_config.h: the configuration Lua's own sources are compiled with (as LUA_USER_H, read behind luaconf.h).
//
// It takes from them whatever differs from machine to machine: number text and powers of the C library, the locale, the
// clock and addresses in hash seeds, printing, and the allocator of last resort.

#ifndef MARRAM_SCRIPT_LUA_CONFIG_H
#define MARRAM_SCRIPT_LUA_CONFIG_H

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/lua_number.h"

// A state carries its host: 8 bytes for the pointer, and 8 of zeros, which are what a coroutine hashes by.
#undef LUA_EXTRASPACE
#define LUA_EXTRASPACE MR_LUA_EXTRASPACE

// Hash seeds: the layout of a table is a function of what was put into it.
#define luai_makeseed(L) 0x6d617272u

#undef lua_getlocaledecpoint
#define lua_getlocaledecpoint() '.'

// A float is written as the shortest decimal that reads back as the same float.
#undef lua_number2str
#define lua_number2str(s, sz, n) mr_lua_number_text((s), (sz), (n))
#undef lua_integer2str
#define lua_integer2str(s, sz, n) mr_lua_integer_text((s), (sz), (n))
#undef lua_pointer2str
#define lua_pointer2str(s, sz, p) ((void)(sz), (void)(p), (s)[0] = '?', (s)[1] = 0, 1)
#undef lua_str2number
#define lua_str2number(s, p) mr_lua_read_number((s), (p))
#undef lua_strx2number
#define lua_strx2number(s, p) mr_lua_read_number((s), (p))
// What is left of it stands in string.format and string.pack of the stock library, which are replaced.
#undef l_sprintf
#define l_sprintf(s, sz, f, i) ((void)(sz), (void)(f), (void)(i), (s)[0] = 0, 0)

#define luai_numpow(L, a, b) ((void)(L), mr_lua_power((a), (b)))
#define luai_nummod(L, a, b, m) ((void)(L), (m) = mr_lua_modulo((a), (b)))
#define luai_numidiv(L, a, b) ((void)(L), mr_lua_floor_divide((a), (b)))

#undef strcoll
#define strcoll strcmp

#undef isalpha
#undef isdigit
#undef isxdigit
#undef isalnum
#undef isspace
#undef ispunct
#undef iscntrl
#undef isgraph
#undef islower
#undef isupper
#undef tolower
#undef toupper
#define islower(c) ((unsigned)(c) - 'a' < 26u)
#define isupper(c) ((unsigned)(c) - 'A' < 26u)
#define isdigit(c) ((unsigned)(c) - '0' < 10u)
#define isalpha(c) (((unsigned)(c) | 32u) - 'a' < 26u)
#define isalnum(c) (isalpha(c) || isdigit(c))
#define isxdigit(c) (isdigit(c) || ((unsigned)(c) | 32u) - 'a' < 6u)
#define isspace(c) ((unsigned)(c) == ' ' || (unsigned)(c) - '\t' < 5u)
#define isgraph(c) ((unsigned)(c)-33u < 94u)
#define ispunct(c) (isgraph(c) && !isalnum(c))
#define iscntrl(c) ((unsigned)(c) < 32u || (unsigned)(c) == 127u)
#define tolower(c) ((int)(isupper(c) ? (unsigned)(c) + 32u : (unsigned)(c)))
#define toupper(c) ((int)(islower(c) ? (unsigned)(c)-32u : (unsigned)(c)))

// Nothing is printed, read or ended by Lua itself: every call is protected, files come from the host, and print is the
// host's.
#define lua_writestring(s, l) ((void)(s), (void)(l))
#define lua_writeline() ((void)0)
#define lua_writestringerror(s, p) ((void)(s), (void)(p))
#undef abort
#define abort() __builtin_trap()
#ifdef lauxlib_c
#undef getc
#undef strerror
#define fopen(name, mode) ((void)(name), (FILE *)NULL)
#define freopen(name, mode, file) ((void)(name), (FILE *)NULL)
#define getc(file) ((void)(file), EOF)
#define strerror(number) ((void)(number), "files are the host's")
#define realloc(memory, size) ((void)(memory), (void)(size), NULL)
#undef stdin
#define stdin ((FILE *)NULL)
// There is no __close: a buffer's box is emptied where it would be closed, and by __gc where an error came first.
#define lua_toclose(L, index) ((void)(L), (void)(index))
#define lua_closeslot(L, index) resizebox((L), (index), 0)
#else
#define luaL_tolstring mr_lua_tolstring
#endif

struct lua_State;
// Words for a value, without an address: "table", "function".
extern const char *mr_lua_tolstring(struct lua_State *L, int index, size_t *size);
// Counts work done outside Lua's own instructions; raises the limit's error when there is too much.
extern void mr_lua_work(struct lua_State *L, size_t amount);

#endif
