// world/scope.h: what a name means where it stands, the same for the checker and the evaluator.

#ifndef MARRAM_WORLD_SCOPE_H
#define MARRAM_WORLD_SCOPE_H

#include "world/builtins.h"
#include "world/shape.h"
#include "world/types.h"

typedef enum mr_scope_kind {
    MR_SCOPE_PART,  // a part's own members: shape, and at build the layer that holds their values
    MR_SCOPE_CELL,  // one name of a let, an each, a parameter
    MR_SCOPE_ASKED, // the names a rule's deferred options may read
    MR_SCOPE_GROUND // the file's top level is outermost
} mr_scope_kind;

typedef struct mr_layer mr_layer;

struct mr_scope {
    const mr_scope *outer;
    mr_scope_kind kind;
    mr_view name;                             // CELL
    mr_place place;                           // CELL
    mr_datum value;                           // CELL, at build
    const mr_world_type *type;                // CELL, when checking
    const struct mr_compiled_value *compiled; // CELL, when compiling: a value that is no constant
    const mr_decl *decl; // CELL, when checking: the each or let that makes it, while its type is not known
    uint32_t pattern;    // CELL, when checking: which name of decl's pattern
    bool busy;
    mr_shape *shape;              // PART
    mr_layer *layer;              // PART, at build
    struct mr_asked_names *asked; // ASKED
};

// What may be read of a candidate under way. The bits of mr_asked_names.visible.
typedef enum mr_asked {
    MR_ASKED_HERE,
    MR_ASKED_K,
    MR_ASKED_ALONG,
    MR_ASKED_SIDE,
    MR_ASKED_THING,
    MR_ASKED_PLACED_EARLIER,
    MR_ASKED_SPACING,
    MR_ASKED_SIZE,
    MR_ASKED_TEST,
    MR_ASKED_ROOM,
    MR_ASKED_COUNT
} mr_asked;
extern const char *const mr_asked_texts[MR_ASKED_COUNT];

typedef struct mr_asked_names {
    uint32_t visible;            // bits of mr_asked
    const mr_written_rule *rule; // at build
    size_t given_count;          // names of given: that may be read
    const mr_view *given_names;
    const mr_world_type *const *given_types;           // when checking
    const mr_world_type *option_types[MR_ASKED_COUNT]; // when checking: of spacing size test room
    const mr_world_type *land;                         // when checking: of the scatter's over:, or NULL
    bool draws;                                        // uniform and below may stand here
} mr_asked_names;

typedef enum mr_found_kind {
    MR_FOUND_NOTHING,
    MR_FOUND_CELL,
    MR_FOUND_MEMBER,
    MR_FOUND_ASKED,
    MR_FOUND_GIVEN,
    MR_FOUND_SELF,
    MR_FOUND_SPACE, // an import, a package, a node family
    MR_FOUND_BUILTIN
} mr_found_kind;

typedef struct mr_found {
    mr_found_kind kind;
    const mr_scope *scope; // where it was found
    mr_member *member;
    mr_asked asked;
    size_t given;
    const mr_builtin *builtin;
} mr_found;

// Looks a name up from the inside out.
mr_found mr_scope_find(const mr_scope *scope, const mr_file *file, mr_view name);
// The innermost part scope, or NULL.
const mr_scope *mr_scope_part(const mr_scope *scope);
// The innermost scope of a rule's deferred option, or NULL.
const mr_scope *mr_scope_asked(const mr_scope *scope);
// Whether NAME in NAME.f(...) is a node family or a package, and which of both.
bool mr_space_is(const mr_file *file, mr_view name);
bool mr_space_is_family(mr_view name);
// The name nearest to `wanted` among all that are visible, or NULL; into out.
const char *mr_scope_nearest(const mr_scope *scope, const mr_file *file, mr_view wanted, char out[64]);

#endif
