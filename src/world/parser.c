// world/parser.c: the cursor, and expressions' blocks and acts.

#include "world/parser.h"

// Whether a line that begins with `token` goes on with what `before` left open.
static bool line_goes_on(const mr_token *before, const mr_token *token)
{
    bool left_open = before->kind == MR_TOKEN_COMMA || before->kind == MR_TOKEN_OPERATOR ||
                     before->kind == MR_TOKEN_ARROW ||
                     (before->kind == MR_TOKEN_NAME && before->op == MR_OPERATOR_DIV);
    return left_open || token->kind == MR_TOKEN_OPERATOR || token->kind == MR_TOKEN_DOT ||
           token->kind == MR_TOKEN_CLOSE || mr_token_is(token, "else") ||
           (token->kind == MR_TOKEN_NAME && token->op == MR_OPERATOR_DIV);
}

const mr_token *mr_parser_peek(const mr_parser *parser)
{
    static const mr_token end_of_line = { .kind = MR_TOKEN_END };
    const mr_token *token = &parser->tokens.items[parser->at];
    if (token->kind == MR_TOKEN_END || parser->open > 0 || !token->first || parser->at == parser->began) {
        return token;
    }
    return line_goes_on(token - 1, token) ? token : &end_of_line;
}

const mr_token *mr_parser_next(mr_parser *parser)
{
    const mr_token *token = &parser->tokens.items[parser->at];
    if (token->kind != MR_TOKEN_END) {
        parser->at++;
    }
    return token;
}

bool mr_parser_accept(mr_parser *parser, mr_token_kind kind)
{
    if (mr_parser_peek(parser)->kind != kind) {
        return false;
    }
    mr_parser_next(parser);
    return true;
}

bool mr_parser_accept_bracket(mr_parser *parser, mr_token_kind kind, char bracket)
{
    const mr_token *token = mr_parser_peek(parser);
    return token->kind == kind && token->bracket == bracket && mr_parser_next(parser);
}

void *mr_parser_fail(mr_parser *parser, const char *hint, const char *format, ...)
{
    if (!parser->failed) {
        char message[MR_MESSAGE_SIZE];
        va_list list;
        va_start(list, format);
        mr_text_format_list(message, sizeof message, format, list);
        va_end(list);
        // Past a line's end the place to point at is behind its last token.
        const mr_token *token = &parser->tokens.items[parser->at];
        mr_place place = token->place;
        if (mr_parser_peek(parser)->kind == MR_TOKEN_END && parser->at > 0) {
            const mr_token *last = token - 1;
            place = last->place;
            place.column += (uint32_t)last->text.size + (last->kind == MR_TOKEN_TEXT ? 2u : 0u);
        }
        if (!mr_diagnosed_line(parser->diagnostics, parser->file->path, place.line)) {
            mr_diagnose(parser->diagnostics, MR_ERROR, parser->file->path, place, hint, "%s", message);
        }
        parser->failed = true;
    }
    return NULL;
}

void *mr_parser_take(mr_parser *parser, size_t size)
{
    void *memory = mr_arena_take(&parser->file->arena, size);
    if (!memory) {
        parser->out_of_memory = parser->failed = true;
    }
    return memory;
}

void *mr_parser_move(mr_parser *parser, void *items, size_t size)
{
    void *kept = size > 0 ? mr_parser_take(parser, size) : NULL;
    if (kept) {
        memcpy(kept, items, size);
    }
    mr_free(parser->file->context, items);
    return kept;
}

static void fail_expected(mr_parser *parser, const char *what)
{
    const mr_token *token = mr_parser_peek(parser);
    if (token->kind == MR_TOKEN_END) {
        mr_parser_fail(parser, NULL, "expected %s", what);
    } else {
        mr_parser_fail(parser, NULL, "expected %s, not '%.*s'", what, MR_VIEW_ARGS(token->text));
    }
}

bool mr_parser_expect(mr_parser *parser, mr_token_kind kind, const char *what)
{
    if (!parser->failed && !mr_parser_accept(parser, kind)) {
        fail_expected(parser, what);
    }
    return !parser->failed;
}

bool mr_parser_open(mr_parser *parser, char bracket)
{
    if (!parser->failed && !mr_parser_accept_bracket(parser, MR_TOKEN_OPEN, bracket)) {
        fail_expected(parser, (char[]){ bracket, 0 });
    }
    parser->open += !parser->failed;
    return !parser->failed;
}

bool mr_parser_close(mr_parser *parser, char bracket)
{
    if (!parser->failed && !mr_parser_accept_bracket(parser, MR_TOKEN_CLOSE, bracket)) {
        fail_expected(parser, (char[]){ bracket, 0 });
    }
    parser->open -= !parser->failed;
    return !parser->failed;
}

bool mr_parser_expect_name(mr_parser *parser, const char *what, mr_view *name, mr_place *place)
{
    const mr_token *token = mr_parser_peek(parser);
    if (!mr_parser_expect(parser, MR_TOKEN_NAME, what)) {
        return false;
    }
    *name = token->text;
    *place = token->place;
    return true;
}

bool mr_parse_pattern(mr_parser *parser, mr_param **params, size_t *count, bool *tuple)
{
    MR_ARRAY(mr_param) list = { 0 };
    *tuple = mr_parser_peek(parser)->kind == MR_TOKEN_OPEN;
    if (*tuple) {
        mr_parser_open(parser, '(');
    }
    do {
        mr_param one = { 0 };
        if (mr_parser_expect_name(parser, "a name", &one.name, &one.place) &&
            !mr_array_push(parser->file->context, &list, one)) {
            parser->out_of_memory = parser->failed = true;
        }
    } while (!parser->failed && *tuple && mr_parser_accept(parser, MR_TOKEN_COMMA));
    if (*tuple) {
        mr_parser_close(parser, ')');
    }
    mr_parser_keep(parser, &list, params, count);
    return !parser->failed;
}

bool mr_parse_params(mr_parser *parser, mr_param **params, size_t *count)
{
    MR_ARRAY(mr_param) list = { 0 };
    mr_parser_open(parser, '(');
    while (!parser->failed && mr_parser_peek(parser)->kind != MR_TOKEN_CLOSE) {
        mr_param one = { 0 };
        mr_parser_expect_name(parser, "a parameter's name", &one.name, &one.place);
        if (!parser->failed && mr_parser_accept(parser, MR_TOKEN_COLON)) {
            one.type = mr_parse_type(parser);
        }
        if (!parser->failed && mr_parser_accept(parser, MR_TOKEN_ASSIGN)) {
            one.initial = mr_parse_expr(parser);
        }
        if (!parser->failed && !mr_array_push(parser->file->context, &list, one)) {
            parser->out_of_memory = parser->failed = true;
        }
        if (!parser->failed && !mr_parser_accept(parser, MR_TOKEN_COMMA)) {
            break;
        }
    }
    mr_parser_close(parser, ')');
    mr_parser_keep(parser, &list, params, count);
    return !parser->failed;
}

bool mr_parse_options(mr_parser *parser, mr_argument **options, size_t *count)
{
    MR_ARRAY(mr_argument) list = { 0 };
    while (!parser->failed && mr_parser_accept(parser, MR_TOKEN_COMMA)) {
        mr_argument one = { 0 };
        mr_parser_expect_name(parser, "an option's name", &one.name, &one.place);
        mr_parser_expect(parser, MR_TOKEN_COLON, ": after the option's name");
        one.value = parser->failed ? NULL : mr_parse_expr(parser);
        if (one.value && !mr_array_push(parser->file->context, &list, one)) {
            parser->out_of_memory = parser->failed = true;
        }
    }
    mr_parser_keep(parser, &list, options, count);
    return !parser->failed;
}

static bool parse_steps(mr_parser *parser, mr_step **steps, size_t *count, bool *acts);

// each pattern in list { steps }, and if condition { steps } else { steps }
static bool parse_loop_or_choice(mr_parser *parser, mr_step *step)
{
    bool each = mr_token_is(mr_parser_peek(parser), "each");
    step->kind = each ? MR_STEP_EACH : MR_STEP_IF;
    mr_parser_next(parser);
    if (each && mr_parse_pattern(parser, &step->pattern, &step->pattern_count, &step->pattern_tuple)) {
        mr_view in;
        mr_place place;
        if (mr_parser_expect_name(parser, "'in'", &in, &place) && !mr_view_is(in, "in")) {
            mr_parser_fail(parser, NULL, "expected 'in', not '%.*s'", MR_VIEW_ARGS(in));
        }
    }
    step->value = mr_parse_expr(parser);
    bool acts = true;
    if (!parser->failed && parse_steps(parser, &step->body, &step->body_count, &acts) && !each &&
        mr_token_is(mr_parser_peek(parser), "else")) {
        mr_parser_next(parser);
        parse_steps(parser, &step->otherwise, &step->otherwise_count, &acts);
    }
    return !parser->failed;
}

// An if that ends in a value is an expression; one of acts is a step. They look alike up to the closing brace, so an if is
// read as an expression unless an act stands in it, which only the caller's place decides.
static bool parse_step(mr_parser *parser, mr_step *step, bool *acts)
{
    const mr_token *token = mr_parser_peek(parser);
    step->place = token->place;
    if (mr_token_is(token, "let")) {
        step->kind = MR_STEP_LET;
        mr_parser_next(parser);
        mr_parse_pattern(parser, &step->pattern, &step->pattern_count, &step->pattern_tuple);
        mr_parser_expect(parser, MR_TOKEN_ASSIGN, "=");
        step->value = mr_parse_expr(parser);
        return mr_parser_expect(parser, MR_TOKEN_SEMICOLON, "; after a let");
    }
    if (mr_token_is(token, "each")) {
        *acts = true;
        return parse_loop_or_choice(parser, step);
    }
    if (*acts && mr_token_is(token, "if")) {
        return parse_loop_or_choice(parser, step);
    }
    step->kind = MR_STEP_EXPR;
    step->value = mr_parse_expr(parser);
    return !parser->failed;
}

static bool parse_steps(mr_parser *parser, mr_step **steps, size_t *count, bool *acts)
{
    MR_ARRAY(mr_step) list = { 0 };
    mr_parser_open(parser, '{');
    if (++parser->depth > MR_DEEPEST_EXPR) {
        mr_parser_fail(parser, NULL, "this expression is nested more than %d deep", MR_DEEPEST_EXPR);
    }
    while (!parser->failed && mr_parser_peek(parser)->kind != MR_TOKEN_CLOSE) {
        mr_step one = { 0 };
        if (parse_step(parser, &one, acts) && !mr_array_push(parser->file->context, &list, one)) {
            parser->out_of_memory = parser->failed = true;
        }
        bool braced = one.kind == MR_STEP_LET || one.kind == MR_STEP_EACH || one.kind == MR_STEP_IF ||
                      (one.value && one.value->kind == MR_EXPR_IF);
        bool parted = !parser->failed && mr_parser_accept(parser, MR_TOKEN_SEMICOLON);
        if (!parser->failed && !parted && !braced && mr_parser_peek(parser)->kind != MR_TOKEN_CLOSE) {
            fail_expected(parser, "; or }");
        }
    }
    parser->depth--;
    mr_parser_close(parser, '}');
    mr_parser_keep(parser, &list, steps, count);
    return !parser->failed;
}

mr_expr *mr_parse_block(mr_parser *parser)
{
    mr_expr *expr = mr_parser_take(parser, sizeof *expr);
    if (!expr) {
        return NULL;
    }
    expr->id = parser->file->expr_count++;
    expr->place = expr->first = mr_parser_peek(parser)->place;
    bool acts = false;
    if (!parse_steps(parser, &expr->steps, &expr->step_count, &acts)) {
        return NULL;
    }
    bool ends_in_value = expr->step_count > 0 && expr->steps[expr->step_count - 1].kind == MR_STEP_EXPR;
    expr->kind = acts || !ends_in_value ? MR_EXPR_ACTS : MR_EXPR_BLOCK;
    return expr;
}
