// world/check_state.h: what the checker's files share.

#ifndef MARRAM_WORLD_CHECK_STATE_H
#define MARRAM_WORLD_CHECK_STATE_H

#include "world/check.h"

struct mr_checker {
    mr_context *context;
    mr_shapes *shapes;
    const mr_file *file;
    const char *path; // of the file messages are about
    const char *folder;
    const mr_graph_loader *loader; // or NULL
    mr_diagnostics *diagnostics;
    mr_arena arena;
    bool out_of_memory;
    mr_error stopped; // no error of the world's: memory or a cancellation while a graph was read
    bool reported;    // the statement under way has its error
    mr_view subject;  // the field or option under way, put before messages
    uint32_t depth;
    uint32_t calls; // of functions, one inside the other
    uint64_t steps; // spent on functions' bodies: beyond a limit they are taken as they are annotated
    const mr_scope **scope_of;      // by decl->id: where a declaration's expressions stand
    const mr_world_type **value_of; // by decl->id: what its value came to, once
    MR_ARRAY(const mr_world_type *)
    lambdas; // of the statement under way: those nobody asks are checked by themselves
    MR_ARRAY(const mr_member *) fields; // being worked out, for the way round
};

typedef const mr_world_type *mr_typed;

// Reports, unless the statement has its error already or what it is about is broken. Answers mr_type_broken.
mr_typed mr_check_fail(mr_checker *checker, mr_place place, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void mr_check_warn(mr_checker *checker, mr_place place, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void *mr_check_take(mr_checker *checker, size_t size);           // NULL: no memory, noted
mr_typed mr_check_type(mr_checker *checker, mr_world_type type); // a copy in the checker's arena
mr_typed mr_check_list_of(mr_checker *checker, mr_typed element);
mr_typed mr_check_number_of(mr_checker *checker, mr_dimension dimension);
mr_typed mr_check_tuple_of(mr_checker *checker, const mr_typed *items, size_t count);

static inline bool mr_typed_unknown(mr_typed type)
{
    return type->of == MR_OF_ANY || type->of == MR_OF_BROKEN;
}
static inline bool mr_typed_numeric(mr_typed type)
{
    return type->of == MR_OF_INT || type->of == MR_OF_NUMBER;
}
mr_dimension mr_typed_dimension(mr_typed type);

// A statement of its own inside another's way: its first error is reported, whatever the outer one's.
typedef struct mr_statement_kept {
    bool reported;
    mr_view subject;
    uint32_t depth;
    size_t lambdas;
    const char *path;
} mr_statement_kept;
mr_statement_kept mr_check_begin(mr_checker *checker, mr_view subject);
void mr_check_end(mr_checker *checker, mr_statement_kept kept);
// What a declaration's value comes to, checked once as a statement of its own.
mr_typed mr_check_value(mr_checker *checker, const mr_decl *decl);

// What an expression comes to; want (or NULL) is what is asked for.
mr_typed mr_check_expr(mr_checker *checker, const mr_scope *scope, const mr_expr *expr, mr_typed want);
// The same, held to what is asked for.
mr_typed mr_check_as(mr_checker *checker, const mr_scope *scope, const mr_expr *expr, mr_typed want);
bool mr_check_fits(mr_checker *checker, const mr_expr *expr, mr_typed given, mr_typed want);
void mr_check_condition(mr_checker *checker, const mr_scope *scope, const mr_expr *expr);
mr_typed mr_check_operator(mr_checker *checker, const mr_expr *expr, mr_typed a, mr_typed b);
mr_typed mr_check_call(mr_checker *checker, const mr_scope *scope, const mr_expr *expr, mr_typed want);
mr_typed mr_check_member_of(mr_checker *checker, const mr_scope *scope, const mr_expr *expr, mr_typed of);
mr_typed mr_check_space_member(mr_checker *checker, const mr_expr *expr, mr_view space);
// The type two values share; NULL where they have none.
mr_typed mr_check_unify(mr_checker *checker, mr_typed a, mr_typed b);
// What the elements of a list or a range are.
mr_typed mr_check_element_of(mr_checker *checker, mr_place place, mr_typed list);

// A member found at a part's scope.
mr_typed mr_check_member(mr_checker *checker, const mr_scope *scope, mr_member *member);
mr_typed mr_check_cell(mr_checker *checker, const mr_scope *cell);
// What a part's header comes to behind all its designs.
mr_typed mr_check_content(mr_checker *checker, mr_shape *shape);
mr_typed mr_check_written_type(mr_checker *checker, const mr_scope *scope, const mr_expr *expr);
// A design's field given by a user: its type held, its range looked at where both are written out.
void mr_check_given(mr_checker *checker, const mr_scope *scope, mr_shape *design, mr_view name,
                    mr_place place, const mr_expr *value);
// Fields a design needs that neither call nor options give.
void mr_check_missing(mr_checker *checker, mr_place place, const mr_shape *design, const mr_expr *call,
                      const mr_decl *options, bool variant);

// New names in front of a scope. numbered: two names may be number and element.
const mr_scope *mr_check_bind(mr_checker *checker, const mr_scope *outer, mr_view name, mr_place place,
                              mr_typed type);
const mr_scope *mr_check_pattern(mr_checker *checker, const mr_scope *outer, const mr_param *pattern,
                                 size_t count, bool tuple, bool numbered, mr_typed value, mr_place place);
void mr_check_hiding(mr_checker *checker, const mr_scope *outer, mr_view name, mr_place place);

// A function's answer for arguments of these types.
mr_typed mr_check_apply(mr_checker *checker, mr_typed function, const mr_typed *types, size_t count,
                        mr_place place);
// The same of a list's element.
mr_typed mr_check_on_element(mr_checker *checker, mr_typed function, mr_typed element, mr_place place);
mr_typed mr_check_call_type(mr_checker *checker, const mr_scope *scope, const mr_expr *call,
                            mr_typed function, mr_typed want);
// A deferred option's value: held to its parameter, a range where one may stand for a draw.
mr_typed mr_check_answer(mr_checker *checker, const mr_scope *scope, const mr_param_spec *param,
                         const mr_expr *value, const char *subject);
// Arguments of what a later version carries out: only what is plainly wrong in them.
void mr_check_loose(mr_checker *checker, const mr_scope *scope, const mr_argument *items, size_t count);
mr_typed mr_check_node_call(mr_checker *checker, const mr_scope *scope, const mr_expr *call,
                            const mr_node *node);
mr_typed mr_check_graph_call(mr_checker *checker, const mr_scope *scope, const mr_expr *call,
                             const mr_graph_program *program);
mr_typed mr_check_builtin_call(mr_checker *checker, const mr_scope *scope, const mr_expr *call,
                               const mr_builtin *builtin, mr_typed self, mr_typed want);
void mr_check_decls(mr_checker *checker, mr_decl *const *decls, size_t count);
// Warns of fields that nothing reads.
void mr_check_unread(mr_checker *checker);
// Marks every field of a name as read: what reads it is not known more nearly.
void mr_check_read(mr_checker *checker, mr_view name);
// The number an expression plainly is (a literal, perhaps with a minus); false for all else.
bool mr_check_literal(const mr_expr *expr, double *value);
// A written 0 without a unit, which takes the unit of what it meets; -0 and 0 m do not.
bool mr_check_literal_zero(const mr_expr *expr);

#endif
