// world/lexer.h: a world's text as tokens.

#ifndef MARRAM_WORLD_LEXER_H
#define MARRAM_WORLD_LEXER_H

#include "world/ast.h"

typedef enum mr_token_kind {
    MR_TOKEN_END, // of the file
    MR_TOKEN_NAME,
    MR_TOKEN_INT,
    MR_TOKEN_NUMBER,
    MR_TOKEN_TEXT,
    MR_TOKEN_OPERATOR, // of two sides, or unary
    MR_TOKEN_OPEN,     // ( [ {
    MR_TOKEN_CLOSE,    // ) ] }
    MR_TOKEN_COMMA,
    MR_TOKEN_COLON,
    MR_TOKEN_SEMICOLON,
    MR_TOKEN_DOT,
    MR_TOKEN_ASSIGN, // =
    MR_TOKEN_ARROW,  // =>
} mr_token_kind;

typedef struct mr_token {
    mr_token_kind kind;
    mr_operator op;  // MR_TOKEN_OPERATOR; '-' is MR_OPERATOR_SUBTRACT
    char bracket;    // MR_TOKEN_OPEN and _CLOSE
    bool first;      // the first of its line
    uint32_t indent; // spaces before the first token of its line
    mr_place place;
    mr_view text; // as written; MR_TOKEN_TEXT: decoded
    size_t end;   // the byte after it
    int64_t integer;
    float number;
    double number_exact;
    const mr_unit_name *unit;
} mr_token;

typedef struct mr_tokens {
    mr_token *items; // ends with MR_TOKEN_END
    size_t count;
} mr_tokens;

// Cuts the file's text into tokens, in its arena. Broken ones are reported and left out. False: no memory.
bool mr_lex(mr_file *file, mr_diagnostics *diagnostics, mr_tokens *tokens);

// Whether a token is the word; and the units a number may carry.
bool mr_token_is(const mr_token *token, const char *word);
extern const mr_unit_name mr_unit_names[];
extern const size_t mr_unit_name_count;
#define MR_UNITS_HINT "units are mm cm m km deg rad turn ms s min h g kg m^2 m/s m/s^2"

#endif
