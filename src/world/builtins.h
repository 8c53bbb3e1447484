// world/builtins.h: the standard functions and the questions values answer, as tables: name, parameters, doc, function.
//
// The checker, the evaluator, the nearest-name hints and the reference page read these tables; nothing about a function
// is written elsewhere.

#ifndef MARRAM_WORLD_BUILTINS_H
#define MARRAM_WORLD_BUILTINS_H

#include "world/types.h"

enum {
    MR_PARAM_OPTIONAL = 1,
    MR_PARAM_REST = 2,     // takes every further positional argument
    MR_PARAM_DEFERRED = 4, // asked for each candidate, not when the call is made
    MR_PARAM_NAMED = 8,    // only by its name
    MR_PARAM_GROUP = 16,   // a cap group: a bare name in a namespace of its own, or capGroup(name, atMost: n)
    MR_PARAM_RANGE = 32,   // a range of such values may stand for a draw from it
    MR_PARAM_DRAWS = 64,   // deferred: uniform and below may stand in it
    MR_PARAM_NONE = 128    // none may stand for it
};
enum { MR_PARAM_MAX = 18, MR_REST_MAX = 64 };

typedef struct mr_param_spec {
    const char *name;
    const mr_world_type *type;
    uint32_t flags;
    const char *choices; // "bothSides alternatingSides", of a choice
} mr_param_spec;

// Whose question a builtin is.
typedef enum mr_home {
    MR_HOME_WORLD, // a function of its own
    MR_HOME_LIST,
    MR_HOME_SPINE,
    MR_HOME_LAND,
    MR_HOME_STREAM,
    MR_HOME_COUNT
} mr_home;

typedef struct mr_evaluator mr_evaluator;
typedef struct mr_checker mr_checker;

typedef struct mr_call {
    const mr_expr *expr;
    const mr_scope *scope;
    const mr_builtin *builtin;
    mr_datum self;
    const mr_argument *given[MR_PARAM_MAX]; // NULL: left out
    mr_datum values[MR_PARAM_MAX];          // of those that are not deferred
    const mr_argument *rest[MR_REST_MAX];
    mr_datum rest_values[MR_REST_MAX];
    size_t rest_count;
} mr_call;

typedef struct mr_checked_call {
    const mr_expr *expr;
    const mr_scope *scope;
    const mr_builtin *builtin;
    const mr_world_type *self;
    const mr_argument *given[MR_PARAM_MAX];
    const mr_world_type *types[MR_PARAM_MAX];
    const mr_argument *rest[MR_REST_MAX];
    const mr_world_type *rest_types[MR_REST_MAX];
    size_t rest_count;
} mr_checked_call;

struct mr_builtin {
    const char *name;
    mr_home home;
    const char *doc;
    const mr_world_type *answer; // where it does not depend on the arguments
    bool property;               // a question without brackets (spine.length)
    bool draws;
    const char *later; // not carried out yet: what it needs
    mr_param_spec params[MR_PARAM_MAX];
    bool (*call)(mr_evaluator *evaluator, mr_call *call, mr_datum *answer);
    const mr_world_type *(*check)(mr_checker *checker, mr_checked_call *call);
};

// The builtin of a home by name, or NULL.
const mr_builtin *mr_builtin_find(mr_home home, mr_view name);
// All of a home, in the tables' order; NULL past the last.
const mr_builtin *mr_builtin_at(mr_home home, size_t index);
// The packages of later versions: their names are known, their calls are not carried out.
const char *mr_package_at(size_t index);
// Puts a call's arguments to a builtin's parameters. False: message says what is wrong, place where.
bool mr_bind_arguments(const mr_builtin *builtin, const mr_expr *call, const mr_argument *given[MR_PARAM_MAX],
                       const mr_argument *rest[MR_REST_MAX], size_t *rest_count, mr_place *place,
                       char message[MR_MESSAGE_SIZE], char hint[MR_HINT_SIZE]);

#endif
