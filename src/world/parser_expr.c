// world/parser_expr.c: expressions, by precedence climbing.

#include "world/parser.h"

static const struct {
    const char *text;
    int binds; // tighter is greater; 0: not an operator of two sides
} operators[MR_OPERATOR_COUNT] = {
    [MR_OPERATOR_NEGATE] = { "-", 0 },        [MR_OPERATOR_NOT] = { "!", 0 },
    [MR_OPERATOR_MULTIPLY] = { "*", 7 },      [MR_OPERATOR_DIVIDE] = { "/", 7 },
    [MR_OPERATOR_REMAINDER] = { "%", 7 },     [MR_OPERATOR_DIV] = { "div", 7 },
    [MR_OPERATOR_ADD] = { "+", 6 },           [MR_OPERATOR_SUBTRACT] = { "-", 6 },
    [MR_OPERATOR_RANGE_BELOW] = { "..<", 5 }, [MR_OPERATOR_RANGE_TO] = { "..=", 5 },
    [MR_OPERATOR_LESS] = { "<", 4 },          [MR_OPERATOR_LESS_EQUAL] = { "<=", 4 },
    [MR_OPERATOR_GREATER] = { ">", 4 },       [MR_OPERATOR_GREATER_EQUAL] = { ">=", 4 },
    [MR_OPERATOR_EQUAL] = { "==", 4 },        [MR_OPERATOR_NOT_EQUAL] = { "!=", 4 },
    [MR_OPERATOR_AND] = { "&&", 3 },          [MR_OPERATOR_OR] = { "||", 2 },
};
enum { COMPARISONS = 4, RANGES = 5, LOOSEST = 2 };

const char *mr_operator_text(mr_operator op)
{
    return op < MR_OPERATOR_COUNT ? operators[op].text : "?";
}

static mr_expr *make(mr_parser *parser, mr_expr_kind kind, mr_place first)
{
    mr_expr *expr = mr_parser_take(parser, sizeof *expr);
    if (expr) {
        expr->kind = kind;
        expr->id = parser->file->expr_count++;
        expr->place = expr->first = first;
    }
    return expr;
}

// Whether an opening brace after a name, a call or a list begins a body and is not part of the expression: it always is,
// because nothing in the language puts a brace behind an operand.

static mr_expr *parse_binary(mr_parser *parser, int loosest);

static bool binary_operator(const mr_token *token, mr_operator *op)
{
    if (token->kind == MR_TOKEN_OPERATOR && token->op != MR_OPERATOR_NOT) {
        *op = token->op;
        return true;
    }
    if (token->kind == MR_TOKEN_NAME && token->op == MR_OPERATOR_DIV) {
        *op = MR_OPERATOR_DIV;
        return true;
    }
    return false;
}

// `name: value` or `value`, up to the closing bracket.
static bool parse_arguments(mr_parser *parser, char closing, mr_argument **out, size_t *out_count)
{
    MR_ARRAY(mr_argument) list = { 0 };
    while (!parser->failed && !mr_parser_accept_bracket(parser, MR_TOKEN_CLOSE, closing)) {
        mr_argument one = { .place = mr_parser_peek(parser)->place };
        const mr_token *token = mr_parser_peek(parser);
        if (token->kind == MR_TOKEN_NAME && token[1].kind == MR_TOKEN_COLON && closing == ')') {
            one.name = token->text;
            parser->at += 2;
        }
        one.value = mr_parse_expr(parser);
        if (one.value && !mr_array_push(parser->file->context, &list, one)) {
            parser->out_of_memory = parser->failed = true;
        }
        const mr_token *after = mr_parser_peek(parser);
        if (!parser->failed && !mr_parser_accept(parser, MR_TOKEN_COMMA) &&
            !(after->kind == MR_TOKEN_CLOSE && after->bracket == closing)) {
            mr_parser_fail(parser, NULL, "expected , or %c", closing);
        }
    }
    mr_parser_keep(parser, &list, out, out_count);
    return !parser->failed;
}

// After `(`: `(a)` is a itself, `(a, b)` a tuple, `(x: a, y: b)` a record, `(a, b) => ...` a lambda's names.
static bool lambda_names_follow(const mr_parser *parser)
{
    const mr_token *token = mr_parser_peek(parser);
    while (token->kind == MR_TOKEN_NAME) {
        token++;
        if (token->kind == MR_TOKEN_COMMA) {
            token++;
        } else {
            break;
        }
    }
    return token->kind == MR_TOKEN_CLOSE && token->bracket == ')' && token[1].kind == MR_TOKEN_ARROW;
}

static mr_expr *parse_lambda(mr_parser *parser, mr_place first, bool tuple)
{
    mr_expr *lambda = make(parser, MR_EXPR_LAMBDA, first);
    if (!lambda) {
        return NULL;
    }
    lambda->params_tuple = tuple;
    MR_ARRAY(mr_param) names = { 0 };
    do {
        const mr_token *token = mr_parser_peek(parser);
        if (tuple && token->kind == MR_TOKEN_CLOSE) {
            break;
        }
        mr_param one = { .name = token->text, .place = token->place };
        mr_parser_next(parser);
        if (!mr_array_push(parser->file->context, &names, one)) {
            parser->out_of_memory = parser->failed = true;
        }
    } while (!parser->failed && tuple && mr_parser_accept(parser, MR_TOKEN_COMMA));
    mr_parser_keep(parser, &names, &lambda->params, &lambda->param_count);
    if (tuple) {
        mr_parser_close(parser, ')');
    }
    mr_parser_expect(parser, MR_TOKEN_ARROW, "=>");
    lambda->b = parser->failed ? NULL : mr_parse_expr(parser);
    return lambda->b ? lambda : NULL;
}

static mr_expr *parse_brackets(mr_parser *parser)
{
    const mr_token *token = mr_parser_peek(parser);
    mr_place first = token->place;
    if (token->bracket == '{') {
        return mr_parse_block(parser);
    }
    mr_parser_open(parser, token->bracket);
    if (token->bracket == '(' && lambda_names_follow(parser)) {
        return parse_lambda(parser, first, true);
    }
    mr_expr *expr = make(parser, token->bracket == '(' ? MR_EXPR_TUPLE : MR_EXPR_LIST, first);
    if (!expr ||
        !parse_arguments(parser, token->bracket == '(' ? ')' : ']', &expr->items, &expr->item_count)) {
        return NULL;
    }
    parser->open--;
    if (expr->kind == MR_EXPR_LIST) {
        return expr;
    }
    size_t named = 0;
    for (size_t i = 0; i < expr->item_count; i++) {
        named += expr->items[i].name.size > 0;
    }
    if (named != 0 && named != expr->item_count) {
        return mr_parser_fail(parser, "name all of them, or none",
                              "some of these values have names and some have none");
    }
    if (expr->item_count == 0) {
        return mr_parser_fail(parser, NULL, "nothing stands between the brackets");
    }
    return expr->item_count == 1 && named == 0 ? expr->items[0].value : expr;
}

static mr_expr *parse_if(mr_parser *parser)
{
    mr_expr *expr = make(parser, MR_EXPR_IF, mr_parser_next(parser)->place);
    if (!expr) {
        return NULL;
    }
    expr->a = mr_parse_expr(parser);
    expr->b = expr->a ? mr_parse_block(parser) : NULL;
    if (expr->b && mr_token_is(mr_parser_peek(parser), "else")) {
        mr_parser_next(parser);
        expr->c = mr_token_is(mr_parser_peek(parser), "if") ? parse_if(parser) : mr_parse_block(parser);
    }
    return parser->failed ? NULL : expr;
}

static mr_expr *parse_fn(mr_parser *parser)
{
    mr_expr *expr = make(parser, MR_EXPR_LAMBDA, mr_parser_next(parser)->place);
    if (!expr) {
        return NULL;
    }
    expr->is_fn = expr->params_tuple = true;
    if (!mr_parse_params(parser, &expr->params, &expr->param_count)) {
        return NULL;
    }
    if (mr_parser_peek(parser)->kind == MR_TOKEN_NAME) {
        expr->type = mr_parse_type(parser);
    }
    expr->b = parser->failed ? NULL : mr_parse_block(parser);
    return expr->b ? expr : NULL;
}

static mr_expr *parse_word(mr_parser *parser)
{
    const mr_token *token = mr_parser_peek(parser);
    static const struct {
        const char *word;
        mr_expr_kind kind;
    } constants[] = { { "true", MR_EXPR_TRUE }, { "false", MR_EXPR_FALSE }, { "none", MR_EXPR_NONE } };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (mr_token_is(token, constants[i].word)) {
            return make(parser, constants[i].kind, mr_parser_next(parser)->place);
        }
    }
    if (mr_token_is(token, "if")) {
        return parse_if(parser);
    }
    if (mr_token_is(token, "fn") && token[1].kind == MR_TOKEN_OPEN && token[1].bracket == '(') {
        return parse_fn(parser);
    }
    if (mr_token_is(token, "one") && mr_token_is(token + 1, "of")) {
        return mr_parse_type(parser);
    }
    if (token[1].kind == MR_TOKEN_ARROW) {
        return parse_lambda(parser, token->place, false);
    }
    static const char *const reserved[] = { "else", "let", "each", "div" };
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        if (mr_token_is(token, reserved[i])) {
            return mr_parser_fail(parser, NULL, "a value is missing before '%s'", reserved[i]);
        }
    }
    mr_expr *expr = make(parser, MR_EXPR_NAME, token->place);
    if (expr) {
        expr->text = token->text;
    }
    mr_parser_next(parser);
    return expr;
}

static mr_expr *parse_primary(mr_parser *parser)
{
    const mr_token *token = mr_parser_peek(parser);
    mr_expr *expr = NULL;
    switch (token->kind) {
    case MR_TOKEN_INT:
    case MR_TOKEN_NUMBER:
    case MR_TOKEN_TEXT:
        expr = make(parser,
                    token->kind == MR_TOKEN_TEXT  ? MR_EXPR_TEXT
                    : token->kind == MR_TOKEN_INT ? MR_EXPR_INT
                                                  : MR_EXPR_NUMBER,
                    token->place);
        if (expr) {
            expr->integer = token->integer;
            expr->number = token->number;
            expr->number_exact = token->number_exact;
            expr->unit = token->unit;
            expr->text = token->text;
        }
        mr_parser_next(parser);
        return expr;
    case MR_TOKEN_NAME:
        return parse_word(parser);
    case MR_TOKEN_OPEN:
        return parse_brackets(parser);
    case MR_TOKEN_END:
        return mr_parser_fail(parser, NULL, "a value is missing at the end of the line");
    default:
        return mr_parser_fail(parser, NULL, "a value is missing before '%.*s'", MR_VIEW_ARGS(token->text));
    }
}

static mr_expr *parse_member(mr_parser *parser, mr_expr *of)
{
    mr_expr *expr = make(parser, MR_EXPR_MEMBER, of->first);
    mr_parser_next(parser);
    if (!expr || !mr_parser_expect_name(parser, "a name after the dot", &expr->text, &expr->place)) {
        return NULL;
    }
    expr->a = of;
    return expr;
}

static mr_expr *parse_postfix(mr_parser *parser)
{
    mr_expr *expr = parse_primary(parser);
    // A chain a.b.c hangs as deep as it is long, and those who walk the tree recurse.
    for (uint32_t links = 0; expr && !parser->failed; links++) {
        const mr_token *token = mr_parser_peek(parser);
        bool bracket = token->kind == MR_TOKEN_OPEN && token->bracket != '{';
        if (!bracket && token->kind != MR_TOKEN_DOT) {
            break;
        }
        if (links >= MR_DEEPEST_EXPR) {
            return mr_parser_fail(parser, "name a part of it in a field or a let",
                                  "this chain has more than %d links", MR_DEEPEST_EXPR);
        }
        if (token->kind == MR_TOKEN_DOT) {
            expr = parse_member(parser, expr);
        } else if (token->bracket == '(') {
            mr_expr *call = make(parser, MR_EXPR_CALL, expr->first);
            mr_parser_open(parser, '(');
            if (!call || !parse_arguments(parser, ')', &call->items, &call->item_count)) {
                return NULL;
            }
            parser->open--;
            call->place = expr->place;
            call->a = expr;
            expr = call;
        } else {
            mr_expr *index = make(parser, MR_EXPR_INDEX, expr->first);
            mr_parser_open(parser, '[');
            mr_expr *inside = mr_parse_expr(parser);
            if (!index || !inside || !mr_parser_close(parser, ']')) {
                return NULL;
            }
            index->place = token->place;
            index->a = expr;
            index->b = inside;
            expr = index;
        }
    }
    return parser->failed ? NULL : expr;
}

static mr_expr *parse_unary(mr_parser *parser)
{
    const mr_token *token = mr_parser_peek(parser);
    bool negate = token->kind == MR_TOKEN_OPERATOR && token->op == MR_OPERATOR_SUBTRACT;
    bool not = token->kind == MR_TOKEN_OPERATOR && token->op == MR_OPERATOR_NOT;
    if (!negate && !not ) {
        return parse_postfix(parser);
    }
    mr_parser_next(parser);
    mr_expr *expr = make(parser, MR_EXPR_UNARY, token->place);
    if (!expr || ++parser->depth > MR_DEEPEST_EXPR) {
        return mr_parser_fail(parser, NULL, "this expression is nested more than %d deep", MR_DEEPEST_EXPR);
    }
    expr->op = negate ? MR_OPERATOR_NEGATE : MR_OPERATOR_NOT;
    expr->a = parse_unary(parser);
    parser->depth--;
    return expr->a ? expr : NULL;
}

static mr_expr *parse_binary(mr_parser *parser, int loosest)
{
    mr_expr *left = parse_unary(parser);
    mr_operator op;
    uint32_t links = 0;
    while (left && binary_operator(mr_parser_peek(parser), &op) && operators[op].binds >= loosest) {
        mr_place place = mr_parser_next(parser)->place;
        if (++links > MR_DEEPEST_EXPR) {
            return mr_parser_fail(parser, "name a part of it in a field or a let",
                                  "this expression chains more than %d operators", MR_DEEPEST_EXPR);
        }
        mr_expr *right = parse_binary(parser, operators[op].binds + 1);
        mr_expr *expr = right ? make(parser, MR_EXPR_BINARY, left->first) : NULL;
        if (!expr) {
            return NULL;
        }
        expr->place = place;
        expr->op = op;
        expr->a = left;
        expr->b = right;
        left = expr;
        mr_operator next;
        bool again =
            binary_operator(mr_parser_peek(parser), &next) && operators[next].binds == operators[op].binds;
        if (again && (operators[op].binds == COMPARISONS || operators[op].binds == RANGES)) {
            return mr_parser_fail(parser, operators[op].binds == COMPARISONS ? "write a < b && b < c" : NULL,
                                  "%s cannot be chained",
                                  operators[op].binds == COMPARISONS ? "comparisons" : "ranges");
        }
    }
    return left;
}

mr_expr *mr_parse_expr(mr_parser *parser)
{
    if (parser->failed) {
        return NULL;
    }
    if (++parser->depth > MR_DEEPEST_EXPR) {
        return mr_parser_fail(parser, "name a part of it in a field or a let",
                              "this expression is nested more than %d deep", MR_DEEPEST_EXPR);
    }
    mr_expr *expr = parse_binary(parser, LOOSEST);
    parser->depth--;
    return parser->failed ? NULL : expr;
}

mr_expr *mr_parse_type(mr_parser *parser)
{
    const mr_token *token = mr_parser_peek(parser);
    if (!mr_token_is(token, "one") || !mr_token_is(token + 1, "of")) {
        return mr_parse_expr(parser);
    }
    mr_expr *expr = make(parser, MR_EXPR_ONE_OF, token->place);
    parser->at += 2;
    MR_ARRAY(mr_argument) names = { 0 };
    while (expr && !parser->failed && mr_parser_peek(parser)->kind == MR_TOKEN_NAME) {
        const mr_token *name = mr_parser_next(parser);
        if (!mr_array_push(parser->file->context, &names,
                           (mr_argument){ .name = name->text, .place = name->place })) {
            parser->out_of_memory = parser->failed = true;
        }
    }
    if (!expr) {
        mr_array_free(parser->file->context, &names);
        return NULL;
    }
    mr_parser_keep(parser, &names, &expr->items, &expr->item_count);
    return expr->item_count > 0 ? expr
                                : mr_parser_fail(parser, "write one of a b c", "'one of' names nothing");
}
