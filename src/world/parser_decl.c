// world/parser_decl.c: declarations, their bodies by indentation, and the file.

#include "world/parser.h"

typedef MR_ARRAY(mr_decl *) decl_list;

static void parse_decls(mr_parser *parser, uint32_t indent, bool in_braces, decl_list *list);

static bool word_then_name(const mr_token *token, const char *word)
{
    return mr_token_is(token, word) && token[1].kind == MR_TOKEN_NAME && !token[1].first;
}

static uint32_t indent_of(const mr_parser *parser)
{
    return parser->tokens.items[parser->at].indent;
}

static bool keep_decls(mr_parser *parser, decl_list *list, mr_decl ***out, size_t *count)
{
    mr_parser_keep(parser, list, out, count);
    return !parser->out_of_memory;
}

// Lines deeper than the declaration's own line are its body; the first sets how deep.
static void parse_indented_body(mr_parser *parser, mr_decl *decl, uint32_t own_indent)
{
    const mr_token *token = &parser->tokens.items[parser->at];
    if (parser->failed || token->kind == MR_TOKEN_END || !token->first || token->indent <= own_indent) {
        return;
    }
    decl_list list = { 0 };
    if (++parser->decl_depth > MR_DEEPEST_DECL) {
        mr_parser_fail(parser, NULL, "parts are nested more than %d deep", MR_DEEPEST_DECL);
    } else {
        parse_decls(parser, token->indent, false, &list);
    }
    parser->decl_depth--;
    keep_decls(parser, &list, &decl->body, &decl->body_count);
}

// The braces of an each or an if among declarations: lines count inside.
static bool parse_braced_body(mr_parser *parser, mr_decl ***body, size_t *count)
{
    if (!mr_parser_accept_bracket(parser, MR_TOKEN_OPEN, '{')) {
        mr_parser_fail(parser, NULL, "expected {");
        return false;
    }
    decl_list list = { 0 };
    if (++parser->decl_depth > MR_DEEPEST_DECL) {
        mr_parser_fail(parser, NULL, "declarations are nested more than %d deep", MR_DEEPEST_DECL);
    } else {
        parse_decls(parser, 0, true, &list);
    }
    parser->decl_depth--;
    keep_decls(parser, &list, body, count);
    if (!parser->failed && !mr_parser_accept_bracket(parser, MR_TOKEN_CLOSE, '}')) {
        mr_parser_fail(parser, NULL, "expected }");
    }
    return !parser->failed;
}

static void parse_path(mr_parser *parser, mr_decl *decl)
{
    MR_ARRAY(mr_view) names = { 0 };
    MR_ARRAY(mr_place) places = { 0 };
    do {
        mr_view name;
        mr_place place;
        if (mr_parser_expect_name(parser, "a part's name", &name, &place) &&
            (!mr_array_push(parser->file->context, &names, name) ||
             !mr_array_push(parser->file->context, &places, place))) {
            parser->out_of_memory = parser->failed = true;
        }
    } while (!parser->failed && mr_parser_accept(parser, MR_TOKEN_DOT));
    mr_parser_keep(parser, &names, &decl->path, &decl->path_count);
    mr_parser_keep(parser, &places, &decl->path_places, &decl->path_count);
}

static void parse_one_name(mr_parser *parser, mr_decl *decl, const char *what)
{
    mr_view *name = mr_parser_take(parser, sizeof *name);
    mr_place *place = mr_parser_take(parser, sizeof *place);
    if (name && place && mr_parser_expect_name(parser, what, name, place)) {
        decl->path = name;
        decl->path_places = place;
        decl->path_count = 1;
    }
}

static void parse_part(mr_parser *parser, mr_decl *decl)
{
    decl->kind = MR_DECL_PART;
    uint32_t own_indent = indent_of(parser);
    mr_parser_next(parser);
    parse_path(parser, decl);
    if (!parser->failed && mr_parser_peek(parser)->kind == MR_TOKEN_OPEN &&
        mr_parser_peek(parser)->bracket == '[') {
        mr_parser_open(parser, '[');
        decl->index = mr_parse_expr(parser);
        mr_parser_close(parser, ']');
    }
    if (!parser->failed && mr_parser_accept(parser, MR_TOKEN_COLON)) {
        decl->value = mr_parse_expr(parser);
    }
    if (!parser->failed) {
        mr_parse_options(parser, &decl->options, &decl->option_count);
    }
    const mr_token *after = mr_parser_peek(parser);
    if (!parser->failed && after->kind != MR_TOKEN_END && after->kind != MR_TOKEN_SEMICOLON &&
        !(after->kind == MR_TOKEN_CLOSE && after->bracket == '}')) {
        mr_parser_fail(parser, NULL, "expected : and a design, an option or the end of the line, not '%.*s'",
                       MR_VIEW_ARGS(after->text));
    }
    parse_indented_body(parser, decl, own_indent);
}

// `field NAME: TYPE = value`, `field NAME = value`, `field NAME: TYPE-or-value`, options after commas.
static void parse_field(mr_parser *parser, mr_decl *decl)
{
    decl->kind = MR_DECL_FIELD;
    mr_parser_next(parser);
    parse_one_name(parser, decl, "a field's name");
    bool typed = !parser->failed && mr_parser_accept(parser, MR_TOKEN_COLON);
    if (typed) {
        decl->type = mr_parse_type(parser);
    }
    if (!parser->failed && mr_parser_accept(parser, MR_TOKEN_ASSIGN)) {
        decl->value = mr_parse_expr(parser);
    } else if (!typed) {
        mr_parser_fail(parser, "write field name = value, or field name: type",
                       "the field has neither type nor value");
    }
    if (!parser->failed) {
        mr_parse_options(parser, &decl->options, &decl->option_count);
    }
}

static void parse_state(mr_parser *parser, mr_decl *decl)
{
    decl->kind = MR_DECL_STATE;
    mr_parser_next(parser);
    parse_one_name(parser, decl, "a state's name");
    mr_parser_expect(parser, MR_TOKEN_ASSIGN, "=");
    decl->value = mr_parse_expr(parser);
}

static void parse_function(mr_parser *parser, mr_decl *decl)
{
    decl->kind = MR_DECL_FUNCTION;
    mr_parser_next(parser);
    parse_one_name(parser, decl, "a function's name");
    if (!parser->failed && mr_parse_params(parser, &decl->params, &decl->param_count)) {
        if (mr_parser_peek(parser)->kind == MR_TOKEN_NAME) {
            decl->type = mr_parse_type(parser);
        }
        decl->value = parser->failed ? NULL : mr_parse_block(parser);
    }
}

static void parse_record(mr_parser *parser, mr_decl *decl)
{
    decl->kind = MR_DECL_RECORD;
    mr_parser_next(parser);
    parse_one_name(parser, decl, "a record's name");
    if (!parser->failed) {
        mr_parse_params(parser, &decl->params, &decl->param_count);
    }
}

static void parse_material(mr_parser *parser, mr_decl *decl)
{
    decl->kind = MR_DECL_MATERIAL;
    mr_parser_next(parser);
    parse_one_name(parser, decl, "a material's name");
    mr_parser_expect(parser, MR_TOKEN_COLON, ":");
    decl->value = mr_parse_expr(parser);
    if (!parser->failed) {
        mr_parse_options(parser, &decl->options, &decl->option_count);
    }
}

static void parse_each(mr_parser *parser, mr_decl *decl)
{
    decl->kind = MR_DECL_EACH;
    mr_parser_next(parser);
    mr_view in;
    mr_place place;
    if (mr_parse_pattern(parser, &decl->params, &decl->param_count, &decl->pattern_tuple) &&
        mr_parser_expect_name(parser, "'in'", &in, &place) && !mr_view_is(in, "in")) {
        mr_parser_fail(parser, NULL, "expected 'in', not '%.*s'", MR_VIEW_ARGS(in));
    }
    decl->value = mr_parse_expr(parser);
    if (!parser->failed) {
        parse_braced_body(parser, &decl->body, &decl->body_count);
    }
}

static void parse_if(mr_parser *parser, mr_decl *decl)
{
    decl->kind = MR_DECL_IF;
    mr_parser_next(parser);
    decl->value = mr_parse_expr(parser);
    if (parser->failed || !parse_braced_body(parser, &decl->body, &decl->body_count) ||
        !mr_token_is(mr_parser_peek(parser), "else")) {
        return;
    }
    mr_parser_next(parser);
    if (!mr_token_is(mr_parser_peek(parser), "if")) {
        parse_braced_body(parser, &decl->otherwise, &decl->otherwise_count);
        return;
    }
    mr_decl *nested = mr_parser_take(parser, sizeof *nested);
    mr_decl **holder = mr_parser_take(parser, sizeof *holder);
    if (++parser->decl_depth > MR_DEEPEST_DECL) {
        mr_parser_fail(parser, NULL, "else if is chained more than %d deep", MR_DEEPEST_DECL);
    } else if (nested && holder) {
        nested->id = parser->file->decl_ids++;
        nested->place = mr_parser_peek(parser)->place;
        parse_if(parser, nested);
        *holder = nested;
        decl->otherwise = holder;
        decl->otherwise_count = 1;
    }
    parser->decl_depth--;
}

static void parse_let(mr_parser *parser, mr_decl *decl)
{
    decl->kind = MR_DECL_LET;
    mr_parser_next(parser);
    mr_parse_pattern(parser, &decl->params, &decl->param_count, &decl->pattern_tuple);
    mr_parser_expect(parser, MR_TOKEN_ASSIGN, "=");
    // A let ends at its semicolon, so newlines mean nothing before it.
    parser->open++;
    decl->value = mr_parse_expr(parser);
    mr_parser_expect(parser, MR_TOKEN_SEMICOLON, "; after a let");
    parser->open--;
}

static void parse_statement(mr_parser *parser, mr_decl *decl)
{
    decl->kind = MR_DECL_STATEMENT;
    decl->value = mr_parse_expr(parser);
    if (decl->value && decl->value->kind != MR_EXPR_CALL) {
        static const char *const words[] = { "part",     "field", "state", "fn",     "record",
                                             "material", "each",  "if",    "import", "let" };
        bool name = decl->value->kind == MR_EXPR_NAME;
        char word[64];
        mr_text_format(word, sizeof word, "%.*s", name ? (int)decl->value->text.size : 0,
                       name ? decl->value->text.data : "");
        const char *near = mr_nearest_name(word, words, sizeof words / sizeof *words);
        char hint[96];
        mr_text_format(hint, sizeof hint, "did you mean %s?", near ? near : "");
        mr_diagnose(parser->diagnostics, MR_ERROR, parser->file->path, decl->value->first, near ? hint : NULL,
                    "a line must begin a declaration or call a generator");
        parser->failed = true;
    }
}

static const struct {
    const char *word;
    void (*parse)(mr_parser *parser, mr_decl *decl);
    bool named; // the word means itself only with a name behind it
} declarations[] = {
    { "part", parse_part, true },   { "field", parse_field, true },   { "state", parse_state, true },
    { "fn", parse_function, true }, { "record", parse_record, true }, { "material", parse_material, true },
    { "each", parse_each, false },  { "if", parse_if, false },        { "let", parse_let, false },
};

static mr_decl *parse_decl(mr_parser *parser)
{
    mr_decl *decl = mr_parser_take(parser, sizeof *decl);
    if (!decl) {
        return NULL;
    }
    const mr_token *token = &parser->tokens.items[parser->at];
    decl->id = parser->file->decl_ids++;
    decl->place = token->place;
    for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++) {
        if (declarations[i].named ? word_then_name(token, declarations[i].word)
                                  : mr_token_is(token, declarations[i].word)) {
            declarations[i].parse(parser, decl);
            return decl;
        }
    }
    parse_statement(parser, decl);
    return decl;
}

// After an error: to the next line no deeper than the broken declaration's, passing over what its brackets hold.
static void skip_broken(mr_parser *parser, uint32_t indent)
{
    while (parser->tokens.items[parser->at].kind != MR_TOKEN_END) {
        const mr_token *token = &parser->tokens.items[parser->at];
        if (token->first && token->indent <= indent && token->kind != MR_TOKEN_CLOSE) {
            break;
        }
        parser->at++;
    }
    parser->failed = false;
    parser->open = 0;
    parser->depth = 0;
}

// What stands behind a whole declaration on its line: mostly a unit that there is not, or a forgotten operator.
static void fail_after_declaration(mr_parser *parser, const mr_token *token)
{
    const mr_token *before = token > parser->tokens.items ? token - 1 : token;
    bool after_number = (before->kind == MR_TOKEN_INT || before->kind == MR_TOKEN_NUMBER) && !before->unit;
    if (after_number && token->kind == MR_TOKEN_NAME) {
        mr_parser_fail(parser, MR_UNITS_HINT, "%.*s is no unit", MR_VIEW_ARGS(token->text));
    } else {
        mr_parser_fail(parser, "begin it on a line of its own", "'%.*s' cannot stand here",
                       MR_VIEW_ARGS(token->text));
    }
}

// Declarations up to a line that is less deep, or to the closing brace.
static void parse_decls(mr_parser *parser, uint32_t indent, bool in_braces, decl_list *list)
{
    while (!parser->out_of_memory) {
        const mr_token *token = &parser->tokens.items[parser->at];
        bool closing = token->kind == MR_TOKEN_CLOSE && token->bracket == '}';
        if (token->kind == MR_TOKEN_END || closing ||
            (!in_braces && token->first && token->indent < indent)) {
            return;
        }
        if (token->kind == MR_TOKEN_SEMICOLON) {
            parser->at++;
            continue;
        }
        size_t began = parser->at;
        parser->began = began;
        if (!in_braces && !token->first) {
            fail_after_declaration(parser, token);
            return;
        }
        if (!in_braces && token->indent > indent) {
            mr_parser_fail(parser, "lines of one body stand equally deep",
                           "this line is indented %u spaces where the lines before it have %u", token->indent,
                           indent);
            skip_broken(parser, indent);
            continue;
        }
        uint32_t own_indent = token->indent;
        mr_decl *decl = parse_decl(parser);
        if (parser->failed) {
            if (in_braces || parser->decl_depth > MR_DEEPEST_DECL) {
                return; // the braces are the outer declaration's: it is broken with them
            }
            skip_broken(parser, own_indent);
        } else if (decl && !mr_array_push(parser->file->context, list, decl)) {
            parser->out_of_memory = true;
        }
        if (parser->at == began) {
            parser->at++;
        }
    }
}

static void parse_imports(mr_parser *parser)
{
    MR_ARRAY(mr_import) list = { 0 };
    while (word_then_name(&parser->tokens.items[parser->at], "import")) {
        uint32_t indent = indent_of(parser);
        mr_import one = { .place = mr_parser_next(parser)->place };
        mr_place place;
        mr_parser_expect_name(parser, "what to import", &one.name, &place);
        if (!parser->failed && mr_token_is(mr_parser_peek(parser), "from")) {
            mr_parser_next(parser);
            one.from = mr_parser_peek(parser)->text;
            mr_parser_expect(parser, MR_TOKEN_TEXT, "a text after 'from'");
        }
        if (parser->failed) {
            skip_broken(parser, indent);
        } else if (!mr_array_push(parser->file->context, &list, one)) {
            parser->out_of_memory = true;
            break;
        }
    }
    mr_parser_keep(parser, &list, &parser->file->imports, &parser->file->import_count);
}

bool mr_file_parse(mr_context *context, const char *path, mr_view text, mr_diagnostics *diagnostics,
                   mr_file **file, mr_error *error)
{
    return mr_file_parse_from(context, path, text, 0, diagnostics, file, error);
}

bool mr_file_parse_from(mr_context *context, const char *path, mr_view text, uint32_t first_id,
                        mr_diagnostics *diagnostics, mr_file **file, mr_error *error)
{
    mr_file *made = mr_allocate_zeroed(context, sizeof *made);
    if (!made) {
        return mr_fail_memory(error, sizeof *made);
    }
    made->context = context;
    made->expr_count = first_id;
    mr_arena_init(&made->arena, context);
    mr_text_format(made->path, sizeof made->path, "%s", path);
    made->text = (mr_view){ mr_arena_text(&made->arena, text.data, text.size), text.size };
    mr_parser parser = { .file = made, .diagnostics = diagnostics };
    if (!made->text.data || !mr_lex(made, diagnostics, &parser.tokens)) {
        mr_file_destroy(made);
        return mr_fail_memory(error, text.size);
    }
    decl_list list = { 0 };
    parse_imports(&parser);
    while (!parser.out_of_memory && parser.tokens.items[parser.at].kind != MR_TOKEN_END) {
        parse_decls(&parser, 0, false, &list);
        if (parser.tokens.items[parser.at].kind == MR_TOKEN_CLOSE) {
            mr_parser_fail(&parser, NULL, "this } closes nothing");
            parser.at++;
        }
        if (parser.failed) {
            skip_broken(&parser, 0);
        }
    }
    keep_decls(&parser, &list, &made->decls, &made->decl_count);
    if (parser.out_of_memory || diagnostics->out_of_memory) {
        mr_file_destroy(made);
        return mr_fail_memory(error, sizeof(mr_decl));
    }
    *file = made;
    return true;
}

void mr_file_destroy(mr_file *file)
{
    if (file) {
        mr_context *context = file->context;
        mr_arena_destroy(&file->arena);
        mr_free(context, file);
    }
}
