// world/parser.h: what the parser's two files share: the cursor over the tokens, and where lines end.

#ifndef MARRAM_WORLD_PARSER_H
#define MARRAM_WORLD_PARSER_H

#include "world/lexer.h"

enum { MR_DEEPEST_EXPR = 200, MR_DEEPEST_DECL = 64 };

typedef struct mr_parser {
    mr_file *file;
    mr_diagnostics *diagnostics;
    mr_tokens tokens;
    size_t at;
    size_t began;   // the first token of the declaration under way
    uint32_t depth; // of expressions
    uint32_t decl_depth;
    uint32_t open; // brackets open: newlines mean nothing inside
    bool failed;   // the declaration under way is broken: unwind to its end
    bool out_of_memory;
} mr_parser;

// The token to read; where a newline ends the declaration under way, a token of kind MR_TOKEN_END.
const mr_token *mr_parser_peek(const mr_parser *parser);
const mr_token *mr_parser_next(mr_parser *parser);
bool mr_parser_accept(mr_parser *parser, mr_token_kind kind);
bool mr_parser_accept_bracket(mr_parser *parser, mr_token_kind kind, char bracket);
bool mr_parser_expect(mr_parser *parser, mr_token_kind kind, const char *what);
// An opening bracket inside which newlines mean nothing, and the closing one that ends it.
bool mr_parser_open(mr_parser *parser, char bracket);
bool mr_parser_close(mr_parser *parser, char bracket);
bool mr_parser_expect_name(mr_parser *parser, const char *what, mr_view *name, mr_place *place);

// Reports once a declaration, at the token to read, and sets failed. Answers NULL.
void *mr_parser_fail(mr_parser *parser, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void *mr_parser_take(mr_parser *parser, size_t size);

mr_expr *mr_parse_expr(mr_parser *parser);
// A type: a name, List[T], or `one of a b c`.
mr_expr *mr_parse_type(mr_parser *parser);
mr_expr *mr_parse_block(mr_parser *parser); // at its {
// `, name: value` as often as it stands there.
bool mr_parse_options(mr_parser *parser, mr_argument **options, size_t *count);
// `(name: type = initial, ...)`
bool mr_parse_params(mr_parser *parser, mr_param **params, size_t *count);
// One name, or names in brackets.
bool mr_parse_pattern(mr_parser *parser, mr_param **params, size_t *count, bool *tuple);

// Lists are gathered on the heap and moved to the arena.
#define mr_parser_keep(parser, array, out, out_count)                                                        \
    (*(out_count) = (array)->count,                                                                          \
     *(out) = mr_parser_move((parser), (array)->items, (array)->count * sizeof(*(array)->items)),            \
     (void)((array)->items = NULL))
void *mr_parser_move(mr_parser *parser, void *items, size_t size);

#endif
