// script/lib_string.c: the string library: Lua's own patterns with their work counted, and a format of our own, because
// the stock one asks the C library and the locale.

#include "base/number_text.h"
#include "script/state.h"

enum { BYTES_A_UNIT = 16, MOST_WIDTH = 99 };

// Upvalue 1: the function; its text arguments' bytes are paid for first.
static int counted(lua_State *L)
{
    size_t bytes = 0;
    int given = lua_gettop(L);
    for (int i = 1; i <= given; i++) {
        if (lua_type(L, i) == LUA_TSTRING) {
            bytes += lua_rawlen(L, i);
        }
    }
    mr_lua_work(L, 1 + bytes / BYTES_A_UNIT);
    lua_CFunction function = lua_tocfunction(L, lua_upvalueindex(1));
    return function(L);
}

static int rep(lua_State *L)
{
    size_t size, separator_size;
    const char *text = luaL_checklstring(L, 1, &size);
    lua_Integer count = luaL_checkinteger(L, 2);
    const char *separator = luaL_optlstring(L, 3, "", &separator_size);
    if (count <= 0 || size + separator_size == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    uint64_t most = mr_script_of(L)->limits.text;
    if ((lua_Unsigned)count > (most + separator_size) / (size + separator_size)) {
        return mr_script_stop(L, MR_LIMIT,
                              "string.rep would make %lld copies of %zu bytes; a text may have %llu bytes",
                              (long long)count, size + separator_size, (unsigned long long)most);
    }
    luaL_Buffer whole;
    luaL_buffinit(L, &whole);
    for (lua_Integer i = 0; i < count; i++) {
        luaL_addlstring(&whole, text, size);
        if (i + 1 < count) {
            luaL_addlstring(&whole, separator, separator_size);
        }
    }
    luaL_pushresult(&whole);
    mr_lua_work(L, (size_t)count);
    return 1;
}

static bool has_specials(const char *pattern, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (pattern[i] && strchr("^$*+?.([%-", pattern[i])) {
            return true;
        }
    }
    return false;
}

// Upvalue 1: the stock find, for patterns. A plain search is done here, where it can be counted.
static int find(lua_State *L)
{
    size_t size, wanted_size;
    const char *text = luaL_checklstring(L, 1, &size);
    const char *wanted = luaL_checklstring(L, 2, &wanted_size);
    if (!lua_toboolean(L, 4) && has_specials(wanted, wanted_size)) {
        return counted(L);
    }
    lua_Integer start = luaL_optinteger(L, 3, 1);
    if (start < 0) {
        start = (lua_Unsigned)size + (lua_Unsigned)start + 1u > (lua_Unsigned)size
                    ? 1
                    : (lua_Integer)size + start + 1;
    }
    start = start < 1 ? 1 : start;
    if ((lua_Unsigned)start > size + 1) {
        lua_pushnil(L);
        return 1;
    }
    for (size_t at = (size_t)start - 1; at + wanted_size <= size; at++) {
        size_t same = 0;
        while (same < wanted_size && text[at + same] == wanted[same]) {
            same++;
        }
        mr_lua_work(L, 1 + same / 4);
        if (same == wanted_size) {
            lua_pushinteger(L, (lua_Integer)at + 1);
            lua_pushinteger(L, (lua_Integer)(at + wanted_size));
            return 2;
        }
    }
    lua_pushnil(L);
    return 1;
}

typedef struct spec {
    char text[16]; // "%-8.3" without the conversion
    size_t size;
    int width;
    int precision; // -1: none given
    bool left;
    char kind;
} spec;

static const char *read_spec(lua_State *L, const char *at, spec *got)
{
    const char *begin = at;
    *got = (spec){ .precision = -1 };
    while (*at == '-' || *at == '+' || *at == ' ' || *at == '0') {
        got->left = got->left || *at == '-';
        at++;
    }
    if (*at == '#') {
        luaL_error(L, "string.format has no flag '#' here");
    }
    for (int digits = 0; *at >= '0' && *at <= '9' && digits < 2; digits++) {
        got->width = got->width * 10 + (*at++ - '0');
    }
    if (*at == '.') {
        got->precision = 0;
        at++;
        for (int digits = 0; *at >= '0' && *at <= '9' && digits < 2; digits++) {
            got->precision = got->precision * 10 + (*at++ - '0');
        }
    }
    if ((*at >= '0' && *at <= '9') || at - begin > 10) {
        luaL_error(L,
                   "invalid conversion '%%%s' to string.format: width and precision have two digits at most",
                   lua_pushlstring(L, begin, (size_t)(at - begin) + 1));
    }
    got->text[0] = '%';
    memcpy(got->text + 1, begin, (size_t)(at - begin));
    got->size = (size_t)(at - begin) + 1;
    got->kind = *at;
    return at;
}

static void add_padded(luaL_Buffer *out, const spec *how, const char *text, size_t size)
{
    for (size_t i = size; !how->left && i < (size_t)how->width; i++) {
        luaL_addchar(out, ' ');
    }
    luaL_addlstring(out, text, size);
    for (size_t i = size; how->left && i < (size_t)how->width; i++) {
        luaL_addchar(out, ' ');
    }
}

static void add_integer(lua_State *L, luaL_Buffer *out, spec *how, int argument)
{
    char text[256];
    lua_Integer number = luaL_checkinteger(L, argument);
    memcpy(how->text + how->size, how->kind == 'i' ? "lld" : "ll?", 4);
    if (how->kind != 'i') {
        how->text[how->size + 2] = how->kind;
    }
    luaL_addlstring(out, text, mr_text_format(text, sizeof text, how->text, (long long)number));
}

static void add_float(lua_State *L, luaL_Buffer *out, spec *how, int argument)
{
    char text[640];
    double number = luaL_checknumber(L, argument);
    bool upper = how->kind == 'E' || how->kind == 'F' || how->kind == 'G';
    char kind = (char)(how->kind | 32);
    int most = kind == 'e' ? 60 : kind == 'g' ? 17 : 99;
    if (how->precision > most) {
        luaL_error(L, "string.format: %%%c has at most %d digits here", how->kind, most);
    }
    mr_lua_work(L, kind == 'g' ? 16 : 100); // all digits of a large number are worked out
    how->text[how->size] = kind;
    how->text[how->size + 1] = 0;
    size_t size = mr_text_format(text, sizeof text, how->text, number);
    for (size_t i = 0; upper && i < size; i++) {
        text[i] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]);
    }
    luaL_addlstring(out, text, size);
}

// A text as Lua would read it back.
static void add_quoted_text(luaL_Buffer *out, const char *text, size_t size)
{
    luaL_addchar(out, '"');
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\' || c == '\n') {
            luaL_addchar(out, '\\');
            luaL_addchar(out, (char)c);
        } else if (c < 32 || c == 127) {
            char code[8];
            bool digit_follows = i + 1 < size && text[i + 1] >= '0' && text[i + 1] <= '9';
            luaL_addlstring(out, code,
                            mr_text_format(code, sizeof code, digit_follows ? "\\%03d" : "\\%d", (int)c));
        } else {
            luaL_addchar(out, (char)c);
        }
    }
    luaL_addchar(out, '"');
}

static void add_quoted(lua_State *L, luaL_Buffer *out, int argument)
{
    size_t size;
    const char *text;
    switch (lua_type(L, argument)) {
    case LUA_TSTRING:
        text = lua_tolstring(L, argument, &size);
        add_quoted_text(out, text, size);
        return;
    case LUA_TNUMBER:
        if (!lua_isinteger(L, argument)) {
            double number = lua_tonumber(L, argument);
            if (!(number - number == 0)) {
                luaL_addstring(out, number != number ? "(0/0)" : number > 0 ? "1e9999" : "-1e9999");
                return;
            }
        } else if (lua_tointeger(L, argument) == LUA_MININTEGER) {
            luaL_addstring(out, "0x8000000000000000");
            return;
        }
        mr_lua_tolstring(L, argument, NULL);
        luaL_addvalue(out);
        return;
    case LUA_TNIL:
    case LUA_TBOOLEAN:
        mr_lua_tolstring(L, argument, NULL);
        luaL_addvalue(out);
        return;
    default:
        luaL_argerror(L, argument, "%q writes texts, numbers, booleans and nil");
    }
}

static void add_conversion(lua_State *L, luaL_Buffer *out, spec *how, int argument)
{
    size_t size;
    const char *text;
    char c;
    luaL_checkany(L, argument);
    switch (how->kind) {
    case 'd':
    case 'i':
    case 'x':
    case 'X':
        add_integer(L, out, how, argument);
        return;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        add_float(L, out, how, argument);
        return;
    case 'c':
        c = (char)luaL_checkinteger(L, argument);
        add_padded(out, how, &c, 1);
        return;
    case 's':
        text = mr_lua_tolstring(L, argument, &size);
        if (how->width == 0 && how->precision < 0) {
            luaL_addvalue(out);
            return;
        }
        // The text stays on the stack, held, beneath whatever the buffer puts there; a copy is not needed.
        lua_replace(L, argument);
        size = how->precision >= 0 && (size_t)how->precision < size ? (size_t)how->precision : size;
        add_padded(out, how, text, size);
        return;
    case 'q':
        add_quoted(L, out, argument);
        return;
    case 'a':
    case 'A':
        luaL_error(L, "string.format: %%%c is not part of this sandbox; use %%.17g", how->kind);
        return;
    case 'p':
        luaL_error(L, "string.format: %%p is not part of this sandbox: an address differs from run to run");
        return;
    default:
        luaL_error(L, "string.format knows no conversion '%%%c'", how->kind ? how->kind : ' ');
    }
}

static int format(lua_State *L)
{
    size_t size;
    const char *at = luaL_checklstring(L, 1, &size);
    const char *end = at + size;
    int argument = 1;
    luaL_Buffer out;
    mr_lua_work(L, 1 + size / BYTES_A_UNIT);
    luaL_buffinit(L, &out);
    while (at < end) {
        if (*at != '%') {
            luaL_addchar(&out, *at++);
        } else if (*++at == '%') {
            luaL_addchar(&out, *at++);
        } else {
            spec how;
            at = read_spec(L, at, &how) + 1;
            add_conversion(L, &out, &how, ++argument);
            mr_lua_work(L, 16);
        }
    }
    luaL_pushresult(&out);
    return 1;
}

// Every function of the table on top that has none yet is made to pay for its arguments.
static void count_all(lua_State *L)
{
    int table = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, table);) {
        if (lua_iscfunction(L, -1) && !lua_getupvalue(L, -1, 1)) {
            lua_pushcclosure(L, counted, 1);
            lua_pushvalue(L, -2);
            lua_insert(L, -2);
            lua_rawset(L, table);
        } else {
            lua_settop(L, table + 1);
        }
    }
}

void mr_script_open_string(lua_State *L)
{
    static const char *const gone[] = { "dump", "pack", "packsize", "unpack" };
    luaL_requiref(L, "string", luaopen_string, 1);
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        lua_pushnil(L);
        lua_setfield(L, -2, gone[i]);
    }
    lua_getfield(L, -1, "find");
    lua_pushcclosure(L, find, 1);
    lua_setfield(L, -2, "find");
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, rep, 1);
    lua_setfield(L, -2, "rep");
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, format, 1);
    lua_setfield(L, -2, "format");
    count_all(L);
    // The metatable of texts: the sandbox's own, which no script reaches, without arithmetic on digits in texts.
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "string");
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 2);
    luaL_requiref(L, "utf8", luaopen_utf8, 1);
    count_all(L);
    lua_pop(L, 1);
}
