// world/shape.h: the parts of a file as a tree of names, before anything is computed.
//
// A shape is what one part declaration (or the file's top level) declares: fields, functions, records, materials and
// children. `part a.b` stands in a's shape. What is found here is the same for every copy of the part.

#ifndef MARRAM_WORLD_SHAPE_H
#define MARRAM_WORLD_SHAPE_H

#include "base/map.h"
#include "world/datum.h"

struct mr_world_type;

typedef enum mr_member_kind {
    MR_MEMBER_FIELD,
    MR_MEMBER_STATE,
    MR_MEMBER_FUNCTION,
    MR_MEMBER_RECORD,
    MR_MEMBER_MATERIAL,
    MR_MEMBER_PART
} mr_member_kind;

typedef struct mr_member {
    mr_view name;
    mr_place place;
    mr_member_kind kind;
    const mr_decl *decl;       // the first that declares it
    mr_shape *shape;           // PART: that of decl
    bool family;               // PART: with an index, or inside an each or an if
    bool read;                 // something names it
    MR_ARRAY(uint32_t) groups; // PART: the body's lines that make such children
    const mr_expr *set;        // FIELD: the value the caller set from outside, in place of the written one
    const char *set_path;      // and what messages call the text it stands in
    // the checker's memory
    const struct mr_world_type *type;
    uint8_t type_state;
} mr_member;

struct mr_shape {
    mr_shape *parent;
    mr_shape *next;      // all shapes of the file
    const mr_decl *decl; // NULL: the file's top level
    mr_view name;
    bool design;
    bool looped;                         // stands inside an each or an if
    const mr_scope *scope;               // the checker's: where the body's expressions stand
    const struct mr_world_type *content; // the checker's: what stands behind the last design's colon
    uint8_t content_state;
    MR_ARRAY(mr_member) members; // in the order declared
    mr_map index;
    MR_ARRAY(const mr_decl *)
    groups; // lines that make children or call generators: part, each, if, statement
};

typedef struct mr_shapes {
    const mr_file *file;
    mr_shape *root;
    mr_shape **by_decl; // a part declaration's shape, by decl->id
    mr_shape *all;
} mr_shapes;

// Builds the tree. Doubled names and paths that lead nowhere go to diagnostics. False only when there is no memory.
bool mr_shapes_create(mr_context *context, const mr_file *file, mr_diagnostics *diagnostics,
                      mr_shapes *shapes, mr_error *error);
void mr_shapes_destroy(mr_context *context, mr_shapes *shapes);

mr_member *mr_shape_find(const mr_shape *shape, mr_view name);
// "island.vegetation" into out.
void mr_shape_path(const mr_shape *shape, char *out, size_t size);

#endif
