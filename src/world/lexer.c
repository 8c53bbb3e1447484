#include "world/lexer.h"

#include "base/number_text.h"

enum { MOST_ERRORS = 200 };

#define DIMENSION(l, a, t, m) .dimension = { .length = (l), .angle = (a), .time = (t), .mass = (m) }

// deg and turn are pi / 180 and 2 pi in f64; every other scale is exact or the nearest f64.
const mr_unit_name mr_unit_names[] = {
    { .name = "mm", DIMENSION(1, 0, 0, 0), .scale = 0.001 },
    { .name = "cm", DIMENSION(1, 0, 0, 0), .scale = 0.01 },
    { .name = "m", DIMENSION(1, 0, 0, 0), .scale = 1 },
    { .name = "km", DIMENSION(1, 0, 0, 0), .scale = 1000 },
    { .name = "deg", DIMENSION(0, 1, 0, 0), .scale = 0.017453292519943295 },
    { .name = "rad", DIMENSION(0, 1, 0, 0), .scale = 1 },
    { .name = "turn", DIMENSION(0, 1, 0, 0), .scale = 6.283185307179586 },
    { .name = "ms", DIMENSION(0, 0, 1, 0), .scale = 0.001 },
    { .name = "s", DIMENSION(0, 0, 1, 0), .scale = 1 },
    { .name = "min", DIMENSION(0, 0, 1, 0), .scale = 60 },
    { .name = "h", DIMENSION(0, 0, 1, 0), .scale = 3600 },
    { .name = "g", DIMENSION(0, 0, 0, 1), .scale = 0.001 },
    { .name = "kg", DIMENSION(0, 0, 0, 1), .scale = 1 },
    { .name = "m^2", DIMENSION(2, 0, 0, 0), .scale = 1 },
    { .name = "m/s", DIMENSION(1, 0, -1, 0), .scale = 1 },
    { .name = "m/s^2", DIMENSION(1, 0, -2, 0), .scale = 1 },
};
const size_t mr_unit_name_count = sizeof mr_unit_names / sizeof *mr_unit_names;

typedef struct lexer {
    mr_file *file;
    mr_diagnostics *diagnostics;
    const char *text;
    size_t size;
    size_t at;
    size_t line_start;
    uint32_t line;
    uint32_t indent;
    bool line_is_blank; // no token on this line yet
    size_t
        known_byte; // a byte of this line whose column is known, so that a long line is not counted again and again
    uint32_t known_column;
    MR_ARRAY(mr_token) tokens;
} lexer;

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(int c)
{
    return is_name_start(c) || is_digit(c);
}

static int peek_at(const lexer *lex, size_t offset)
{
    return lex->at + offset < lex->size ? (unsigned char)lex->text[lex->at + offset] : 0;
}

// Columns count characters, so the bytes of a character after its first are passed over.
static mr_place place_of(lexer *lex, size_t byte)
{
    if (byte < lex->known_byte || lex->known_byte < lex->line_start) {
        lex->known_byte = lex->line_start;
        lex->known_column = 1;
    }
    for (; lex->known_byte < byte; lex->known_byte++) {
        lex->known_column += ((unsigned char)lex->text[lex->known_byte] & 0xc0) != 0x80;
    }
    return (mr_place){ lex->line, lex->known_column };
}

// One error a line: what follows the first is mostly its consequence.
static void report(lexer *lex, size_t byte, const char *hint, const char *message)
{
    mr_place place = place_of(lex, byte);
    if (!mr_diagnosed_line(lex->diagnostics, lex->file->path, place.line)) {
        mr_diagnose(lex->diagnostics, MR_ERROR, lex->file->path, place, hint, "%s", message);
    }
}

static bool add(lexer *lex, mr_token token, size_t start)
{
    token.place = place_of(lex, start);
    token.first = lex->line_is_blank;
    token.indent = lex->indent;
    token.end = lex->at;
    if (token.kind != MR_TOKEN_TEXT) {
        token.text = (mr_view){ lex->text + start, lex->at - start };
    }
    lex->line_is_blank = false;
    return mr_array_push(lex->file->context, &lex->tokens, token);
}

static void new_line(lexer *lex)
{
    lex->at++;
    lex->line++;
    lex->line_start = lex->at;
    lex->line_is_blank = true;
    lex->indent = 0;
    while (peek_at(lex, 0) == ' ') {
        lex->at++;
        lex->indent++;
    }
}

// A unit stands right after its number, with at most spaces between; the longest name wins, and it ends where a name
// would end, so that `2 more` is no metre.
static const mr_unit_name *unit_after(lexer *lex)
{
    size_t start = lex->at;
    while (start < lex->size && lex->text[start] == ' ') {
        start++;
    }
    const mr_unit_name *best = NULL;
    size_t best_size = 0;
    for (size_t i = 0; i < mr_unit_name_count; i++) {
        size_t size = strlen(mr_unit_names[i].name);
        bool fits = size > best_size && size <= lex->size - start &&
                    memcmp(lex->text + start, mr_unit_names[i].name, size) == 0 &&
                    (start + size == lex->size || !is_name((unsigned char)lex->text[start + size]));
        if (fits) {
            best = &mr_unit_names[i];
            best_size = size;
        }
    }
    if (best) {
        lex->at = start + best_size;
    }
    return best;
}

static void skip_digits(lexer *lex)
{
    while (is_digit(peek_at(lex, 0)) || (peek_at(lex, 0) == '_' && is_digit(peek_at(lex, 1)))) {
        lex->at++;
    }
}

static bool lex_hex(lexer *lex, size_t start)
{
    uint64_t value = 0;
    size_t digits = 0;
    bool fits = true;
    lex->at += 2;
    for (;; lex->at++) {
        int c = peek_at(lex, 0);
        int digit = is_digit(c)            ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (c == '_' && digits > 0) {
            continue;
        }
        if (digit < 0) {
            break;
        }
        fits = fits && value <= (uint64_t)INT64_MAX >> 4;
        value = value << 4 | (uint64_t)digit;
        digits++;
    }
    if (digits == 0 || is_name(peek_at(lex, 0))) {
        while (is_name(peek_at(lex, 0))) {
            lex->at++;
        }
        report(lex, start, "write hexadecimal digits after 0x, as in 0x1f", "this is not a whole number");
        return true;
    }
    if (!fits) {
        report(lex, start, NULL, "this whole number does not fit 64 bits");
        return true;
    }
    return add(lex, (mr_token){ .kind = MR_TOKEN_INT, .integer = (int64_t)value }, start);
}

// The digits of a number with the underscores taken out, in the file's arena.
static mr_view plain_digits(lexer *lex, size_t start, size_t end)
{
    char *plain = mr_arena_take(&lex->file->arena, end - start + 1);
    size_t size = 0;
    for (size_t i = start; plain && i < end; i++) {
        if (lex->text[i] != '_') {
            plain[size++] = lex->text[i];
        }
    }
    return (mr_view){ plain, size };
}

static bool lex_number(lexer *lex)
{
    size_t start = lex->at;
    if (peek_at(lex, 0) == '0' && (peek_at(lex, 1) | 32) == 'x') {
        return lex_hex(lex, start);
    }
    bool whole = true;
    skip_digits(lex);
    if (peek_at(lex, 0) == '.' && is_digit(peek_at(lex, 1))) {
        whole = false;
        lex->at++;
        skip_digits(lex);
    }
    if ((peek_at(lex, 0) | 32) == 'e') {
        size_t sign = peek_at(lex, 1) == '+' || peek_at(lex, 1) == '-';
        if (is_digit(peek_at(lex, 1 + sign))) {
            whole = false;
            lex->at += 1 + sign;
            skip_digits(lex);
        }
    }
    size_t end = lex->at;
    mr_view digits = plain_digits(lex, start, end);
    if (!digits.data) {
        return false;
    }
    mr_token token = { .kind = whole ? MR_TOKEN_INT : MR_TOKEN_NUMBER };
    token.unit = unit_after(lex);
    mr_f32_parse(digits, &token.number);
    mr_f64_parse(digits, &token.number_exact);
    if (token.unit) {
        token.kind = MR_TOKEN_NUMBER;
    }
    if (token.kind == MR_TOKEN_INT) {
        for (size_t i = 0; i < digits.size; i++) {
            if (__builtin_mul_overflow(token.integer, 10, &token.integer) ||
                __builtin_add_overflow(token.integer, digits.data[i] - '0', &token.integer)) {
                report(lex, start, "write it with a decimal point for a number of the nearest size",
                       "this whole number does not fit 64 bits");
                return true;
            }
        }
    } else if (!__builtin_isfinite(token.number)) {
        report(lex, start, NULL, "this number is past the greatest a number can hold, 3.4e38");
        return true;
    }
    if (is_name_start(peek_at(lex, 0)) && lex->at == end) {
        while (is_name(peek_at(lex, 0))) {
            lex->at++;
        }
        report(lex, end, MR_UNITS_HINT, "this is no unit");
        return true;
    }
    return add(lex, token, start);
}

static void put_utf8(char *out, size_t *size, uint32_t code)
{
    if (code < 0x80) {
        out[(*size)++] = (char)code;
    } else if (code < 0x800) {
        out[(*size)++] = (char)(0xc0 | code >> 6);
        out[(*size)++] = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        out[(*size)++] = (char)(0xe0 | code >> 12);
        out[(*size)++] = (char)(0x80 | (code >> 6 & 63));
        out[(*size)++] = (char)(0x80 | (code & 63));
    } else {
        out[(*size)++] = (char)(0xf0 | code >> 18);
        out[(*size)++] = (char)(0x80 | (code >> 12 & 63));
        out[(*size)++] = (char)(0x80 | (code >> 6 & 63));
        out[(*size)++] = (char)(0x80 | (code & 63));
    }
}

// \u{...}: one to six hexadecimal digits of a code point that is none of the surrogates. Answers 0 where it is broken.
static bool lex_code_point(lexer *lex, char *out, size_t *size)
{
    uint32_t code = 0;
    size_t digits = 0;
    if (peek_at(lex, 0) != '{') {
        return false;
    }
    for (lex->at++; digits <= 6 && peek_at(lex, 0) != '}'; lex->at++, digits++) {
        int c = peek_at(lex, 0) | 32;
        int digit = is_digit(peek_at(lex, 0)) ? peek_at(lex, 0) - '0'
                    : c >= 'a' && c <= 'f'    ? c - 'a' + 10
                                              : -1;
        if (digit < 0) {
            return false;
        }
        code = code << 4 | (uint32_t)digit;
    }
    if (digits == 0 || digits > 6 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        return false;
    }
    lex->at++;
    put_utf8(out, size, code);
    return true;
}

static bool lex_text(lexer *lex)
{
    size_t start = lex->at++;
    size_t end = lex->at;
    while (end < lex->size && lex->text[end] != '"' && lex->text[end] != '\n') {
        end += lex->text[end] == '\\' && end + 1 < lex->size && lex->text[end + 1] != '\n' ? 2 : 1;
    }
    if (end >= lex->size || lex->text[end] != '"') {
        lex->at = end < lex->size ? end : lex->size;
        report(lex, start, "end it with \" on the same line; write \\n for a new line",
               "this text has no end");
        return true;
    }
    char *out = mr_arena_take(&lex->file->arena, end - lex->at + 1);
    if (!out) {
        return false;
    }
    size_t size = 0;
    while (lex->at < end) {
        size_t escape = lex->at;
        char c = lex->text[lex->at++];
        if (c != '\\') {
            out[size++] = c;
            continue;
        }
        c = lex->text[lex->at++];
        const char *known = strchr("nt\"\\", c);
        if (c != 0 && known) {
            out[size++] = "\n\t\"\\"[known - &"nt\"\\"[0]];
        } else if (c != 'u' || !lex_code_point(lex, out, &size)) {
            report(lex, escape, "escapes are \\n \\t \\\" \\\\ and \\u{...}", "this escape means nothing");
        }
    }
    lex->at = end + 1;
    return add(lex, (mr_token){ .kind = MR_TOKEN_TEXT, .text = { out, size } }, start);
}

typedef struct symbol {
    const char *text;
    mr_token_kind kind;
    mr_operator op;
} symbol;

// Longer ones first, so that the first that fits is the longest.
static const symbol symbols[] = {
    { "..<", MR_TOKEN_OPERATOR, MR_OPERATOR_RANGE_BELOW },
    { "..=", MR_TOKEN_OPERATOR, MR_OPERATOR_RANGE_TO },
    { "=>", MR_TOKEN_ARROW, MR_OPERATOR_COUNT },
    { "==", MR_TOKEN_OPERATOR, MR_OPERATOR_EQUAL },
    { "!=", MR_TOKEN_OPERATOR, MR_OPERATOR_NOT_EQUAL },
    { "<=", MR_TOKEN_OPERATOR, MR_OPERATOR_LESS_EQUAL },
    { ">=", MR_TOKEN_OPERATOR, MR_OPERATOR_GREATER_EQUAL },
    { "&&", MR_TOKEN_OPERATOR, MR_OPERATOR_AND },
    { "||", MR_TOKEN_OPERATOR, MR_OPERATOR_OR },
    { "=", MR_TOKEN_ASSIGN, MR_OPERATOR_COUNT },
    { "<", MR_TOKEN_OPERATOR, MR_OPERATOR_LESS },
    { ">", MR_TOKEN_OPERATOR, MR_OPERATOR_GREATER },
    { "!", MR_TOKEN_OPERATOR, MR_OPERATOR_NOT },
    { "+", MR_TOKEN_OPERATOR, MR_OPERATOR_ADD },
    { "-", MR_TOKEN_OPERATOR, MR_OPERATOR_SUBTRACT },
    { "*", MR_TOKEN_OPERATOR, MR_OPERATOR_MULTIPLY },
    { "/", MR_TOKEN_OPERATOR, MR_OPERATOR_DIVIDE },
    { "%", MR_TOKEN_OPERATOR, MR_OPERATOR_REMAINDER },
    { ",", MR_TOKEN_COMMA, MR_OPERATOR_COUNT },
    { ":", MR_TOKEN_COLON, MR_OPERATOR_COUNT },
    { ";", MR_TOKEN_SEMICOLON, MR_OPERATOR_COUNT },
    { ".", MR_TOKEN_DOT, MR_OPERATOR_COUNT },
    { "(", MR_TOKEN_OPEN, MR_OPERATOR_COUNT },
    { "[", MR_TOKEN_OPEN, MR_OPERATOR_COUNT },
    { "{", MR_TOKEN_OPEN, MR_OPERATOR_COUNT },
    { ")", MR_TOKEN_CLOSE, MR_OPERATOR_COUNT },
    { "]", MR_TOKEN_CLOSE, MR_OPERATOR_COUNT },
    { "}", MR_TOKEN_CLOSE, MR_OPERATOR_COUNT },
};

static bool lex_symbol(lexer *lex)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t size = strlen(symbols[i].text);
        if (size <= lex->size - lex->at && memcmp(lex->text + lex->at, symbols[i].text, size) == 0) {
            size_t start = lex->at;
            lex->at += size;
            return add(
                lex,
                (mr_token){ .kind = symbols[i].kind, .op = symbols[i].op, .bracket = symbols[i].text[0] },
                start);
        }
    }
    size_t start = lex->at++;
    while (lex->at < lex->size && ((unsigned char)lex->text[lex->at] & 0xc0) == 0x80) {
        lex->at++;
    }
    char message[48] = "this character means nothing here";
    bool plain = lex->text[start] > ' ' && lex->text[start] < 127;
    if (plain) {
        mr_text_format(message, sizeof message, "'%c' means nothing here", lex->text[start]);
    }
    report(lex, start,
           plain ? NULL : "names and signs are plain ASCII; other characters stand in texts and comments",
           message);
    return true;
}

static bool lex_one(lexer *lex)
{
    int c = peek_at(lex, 0);
    if (is_name_start(c)) {
        size_t start = lex->at;
        while (is_name(peek_at(lex, 0))) {
            lex->at++;
        }
        mr_token token = { .kind = MR_TOKEN_NAME };
        if (lex->at - start == 3 && memcmp(lex->text + start, "div", 3) == 0) {
            token.op = MR_OPERATOR_DIV;
        }
        return add(lex, token, start);
    }
    if (is_digit(c)) {
        return lex_number(lex);
    }
    return c == '"' ? lex_text(lex) : lex_symbol(lex);
}

static bool lex_all(lexer *lex)
{
    while (lex->at < lex->size && lex->diagnostics->errors <= MOST_ERRORS) {
        int c = peek_at(lex, 0);
        if (c == '\n') {
            new_line(lex);
        } else if (c == ' ' || (c == '\r' && peek_at(lex, 1) == '\n')) {
            lex->at++;
        } else if (c == '\t') {
            report(lex, lex->at, "indent with spaces", "a tab stands here");
            lex->at++;
        } else if (c == '/' && peek_at(lex, 1) == '/') {
            while (lex->at < lex->size && lex->text[lex->at] != '\n') {
                lex->at++;
            }
        } else if (!lex_one(lex)) {
            return false;
        }
    }
    lex->line_is_blank = true;
    lex->indent = 0;
    return add(lex, (mr_token){ .kind = MR_TOKEN_END }, lex->at);
}

// A file that is no text gets one error, at its first byte that no text has, and is read no further.
static void refuse_what_is_no_text(lexer *lex)
{
    mr_view text = lex->file->text;
    for (size_t at = 0, next; at < text.size; at = next) {
        next = at;
        uint32_t point = mr_utf8_next(text, &next);
        bool broken = point == 0xfffd && next == at + 1;
        if (broken || point == 0) {
            report(lex, at, broken ? "save it as UTF-8" : "is this a world file?",
                   broken ? "the file is not UTF-8 text" : "a zero byte stands here, which no text has");
            lex->size = lex->at;
            return;
        }
        if (point == '\n') {
            lex->line++;
            lex->line_start = next;
        }
    }
    lex->line = 1;
    lex->line_start = lex->at;
}

bool mr_lex(mr_file *file, mr_diagnostics *diagnostics, mr_tokens *tokens)
{
    lexer lex = { .file = file,
                  .diagnostics = diagnostics,
                  .text = file->text.data,
                  .size = file->text.size,
                  .line = 1,
                  .known_column = 1 };
    if (lex.size >= 3 && memcmp(lex.text, "\xef\xbb\xbf", 3) == 0) {
        lex.at = lex.line_start = 3;
    }
    lex.known_byte = lex.line_start;
    refuse_what_is_no_text(&lex);
    lex.line_is_blank = true;
    while (peek_at(&lex, 0) == ' ') {
        lex.at++;
        lex.indent++;
    }
    bool whole = lex_all(&lex);
    if (whole) {
        size_t size = lex.tokens.count * sizeof(mr_token);
        tokens->items = mr_arena_take(&file->arena, size);
        tokens->count = lex.tokens.count;
        if (tokens->items) {
            memcpy(tokens->items, lex.tokens.items, size);
        }
        whole = tokens->items != NULL;
    }
    mr_array_free(file->context, &lex.tokens);
    return whole;
}

bool mr_token_is(const mr_token *token, const char *word)
{
    return token->kind == MR_TOKEN_NAME && mr_view_is(token->text, word);
}
