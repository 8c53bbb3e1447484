// world/ast.h: a parsed world. Everything lives in the file's arena; nothing is changed after parsing.

#ifndef MARRAM_WORLD_AST_H
#define MARRAM_WORLD_AST_H

#include "base/array.h"
#include "base/text.h"

typedef struct mr_place {
    uint32_t line;   // from 1
    uint32_t column; // from 1, in characters
} mr_place;

typedef enum mr_expr_kind {
    MR_EXPR_INT,    // integer
    MR_EXPR_NUMBER, // number, times unit
    MR_EXPR_TEXT,   // text
    MR_EXPR_TRUE,
    MR_EXPR_FALSE,
    MR_EXPR_NONE,
    MR_EXPR_NAME,   // text
    MR_EXPR_MEMBER, // a . text
    MR_EXPR_INDEX,  // a [ b ]
    MR_EXPR_CALL,   // a ( items )
    MR_EXPR_UNARY,  // op a
    MR_EXPR_BINARY, // a op b
    MR_EXPR_TUPLE,  // items, two or more or all named (a record literal)
    MR_EXPR_LIST,   // items
    MR_EXPR_IF,     // a ? b : c; c is NULL where there is no else
    MR_EXPR_LAMBDA, // params => b, or fn(params) type { b }
    MR_EXPR_BLOCK,  // lets and expressions; the last is its value
    MR_EXPR_ACTS,   // acts, where an option takes them
    MR_EXPR_ONE_OF, // a type: items are the names
} mr_expr_kind;

typedef enum mr_operator {
    MR_OPERATOR_NEGATE,
    MR_OPERATOR_NOT,
    MR_OPERATOR_MULTIPLY,
    MR_OPERATOR_DIVIDE,
    MR_OPERATOR_REMAINDER,
    MR_OPERATOR_DIV,
    MR_OPERATOR_ADD,
    MR_OPERATOR_SUBTRACT,
    MR_OPERATOR_RANGE_BELOW, // ..<
    MR_OPERATOR_RANGE_TO,    // ..=
    MR_OPERATOR_LESS,
    MR_OPERATOR_LESS_EQUAL,
    MR_OPERATOR_GREATER,
    MR_OPERATOR_GREATER_EQUAL,
    MR_OPERATOR_EQUAL,
    MR_OPERATOR_NOT_EQUAL,
    MR_OPERATOR_AND,
    MR_OPERATOR_OR,
    MR_OPERATOR_COUNT
} mr_operator;
const char *mr_operator_text(mr_operator op); // "+", "..<", ...

// Dimensions as exponents; scale is what a number of the unit is worth in m, rad, s, kg.
typedef struct mr_dimension {
    int8_t length, angle, time, mass;
} mr_dimension;
typedef struct mr_unit_name {
    const char *name; // "mm", "deg", "m/s"
    mr_dimension dimension;
    double scale; // exact in f64 for all but deg and turn
} mr_unit_name;

typedef struct mr_expr mr_expr;

typedef struct mr_argument {
    mr_view name; // empty when positional
    mr_place place;
    mr_expr *value;
} mr_argument;

typedef struct mr_param {
    mr_view name;
    mr_place place;
    mr_expr *type;    // or NULL
    mr_expr *initial; // or NULL (record fields)
} mr_param;

typedef enum mr_step_kind { MR_STEP_LET, MR_STEP_EXPR, MR_STEP_EACH, MR_STEP_IF } mr_step_kind;
typedef struct mr_step mr_step;
struct mr_step { // of a block, or of acts
    mr_step_kind kind;
    mr_place place;
    mr_param *pattern; // let, each: one name, or the names taken apart
    size_t pattern_count;
    bool pattern_tuple; // written in brackets
    mr_expr *value;     // let's value, the expression, each's list, if's condition
    mr_step *body;      // each, if
    size_t body_count;
    mr_step *otherwise; // if
    size_t otherwise_count;
};

struct mr_expr {
    mr_expr_kind kind;
    mr_operator op;
    uint32_t id;    // dense within the file, for side tables
    mr_place place; // of its operator or first token: where a caret should stand
    mr_place first; // of its first token
    int64_t integer;
    float number;             // the decimal rounded once to f32; a unit's scale is not multiplied in
    double number_exact;      // the decimal rounded to f64, for scaled units
    const mr_unit_name *unit; // or NULL
    mr_view text;
    mr_expr *a, *b, *c;
    mr_argument *items;
    size_t item_count;
    mr_param *params; // lambda
    size_t param_count;
    bool params_tuple; // `(a, b) => ...` or fn(a, b): written in brackets
    bool is_fn;        // fn form
    mr_expr *type;     // fn's result type or NULL
    mr_step *steps;    // block, acts
    size_t step_count;
};

typedef enum mr_decl_kind {
    MR_DECL_PART,
    MR_DECL_FIELD,
    MR_DECL_STATE,
    MR_DECL_FUNCTION,
    MR_DECL_RECORD,
    MR_DECL_MATERIAL,
    MR_DECL_EACH,
    MR_DECL_IF,
    MR_DECL_LET, // among an each's or if's declarations
    MR_DECL_STATEMENT,
} mr_decl_kind;

typedef struct mr_decl mr_decl;
struct mr_decl {
    mr_decl_kind kind;
    uint32_t id;
    mr_place place;
    mr_view *path; // part: its names ("island", "vegetation"); others: one name
    mr_place *path_places;
    size_t path_count;
    mr_expr *index; // part [ index ]
    mr_expr *type;  // field: what stands after ":" (a type, or a value); function's result type
    mr_expr *
        value; // part: the design; field, state, let: the value; each: the list; if: the condition; statement: itself;
    // function: its block; material: what stands after ":"
    mr_argument *options; // part, field, material: the named ones after the commas
    size_t option_count;
    mr_param *params; // function, record; let's and each's pattern
    size_t param_count;
    bool pattern_tuple;
    mr_decl **body; // part, each, if
    size_t body_count;
    mr_decl **otherwise; // if
    size_t otherwise_count;
};

typedef struct mr_import {
    mr_place place;
    mr_view name;
    mr_view from; // empty where there is none
} mr_import;

typedef struct mr_file {
    mr_context *context;
    mr_arena arena;
    char path[MR_PATH_SIZE]; // as messages show it
    mr_view text;
    mr_import *imports;
    size_t import_count;
    mr_decl **decls;
    size_t decl_count;
    uint32_t expr_count; // ids are below it
    uint32_t decl_ids;
} mr_file;

// Messages of a run, in the order of their places when shown.
typedef enum mr_severity { MR_WARNING, MR_ERROR } mr_severity;
typedef struct mr_diagnostic {
    mr_severity severity;
    mr_place place;
    const char *file;
    char *message;
    char *hint; // or NULL
} mr_diagnostic;
typedef struct mr_diagnostics {
    mr_context *context;
    mr_arena arena;
    MR_ARRAY(mr_diagnostic) list; // in the order of their places
    size_t errors;
    size_t warnings;
    bool out_of_memory;
} mr_diagnostics;

void mr_diagnostics_init(mr_diagnostics *diagnostics, mr_context *context);
void mr_diagnostics_destroy(mr_diagnostics *diagnostics);
// Adds a message; past 200 errors only the count goes up.
void mr_diagnose(mr_diagnostics *diagnostics, mr_severity severity, const char *file, mr_place place,
                 const char *hint, const char *format, ...) __attribute__((format(printf, 6, 7)));
// Whether a line has an error already.
bool mr_diagnosed_line(const mr_diagnostics *diagnostics, const char *file, uint32_t line);
// "island.world:12:18: error: keep: compares meters with a number", the line, a caret, the hint.
void mr_diagnostic_print(mr_text *out, const mr_diagnostic *diagnostic, const mr_file *file);

// Parses a whole file. All syntax errors go to diagnostics (one a declaration); false only when there is no memory. The
// file is usable where it has no error. text is copied.
bool mr_file_parse(mr_context *context, const char *path, mr_view text, mr_diagnostics *diagnostics,
                   mr_file **file, mr_error *error);
// The same with expressions numbered from first_id on, for a text whose expressions are used beside another file's.
bool mr_file_parse_from(mr_context *context, const char *path, mr_view text, uint32_t first_id,
                        mr_diagnostics *diagnostics, mr_file **file, mr_error *error);
void mr_file_destroy(mr_file *file);

#endif
