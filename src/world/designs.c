// world/designs.c: which top-level parts are designs: those that some expression names to stand copies of.

#include "world/designs.h"

enum { DEEPEST = 12 }; // of fields that name fields that name designs

typedef struct marker {
    mr_shapes *shapes;
} marker;

static void mark(marker *m, const mr_expr *expr, uint32_t depth);

static mr_shape *top_part(const marker *m, mr_view name)
{
    mr_member *member = mr_shape_find(m->shapes->root, name);
    return member && member->kind == MR_MEMBER_PART ? member->shape : NULL;
}

static void mark_name(marker *m, mr_view name, uint32_t depth)
{
    mr_shape *shape = top_part(m, name);
    if (shape) {
        shape->design = true;
        return;
    }
    // A field of that name may hold designs.
    for (mr_shape *one = m->shapes->all; one && depth < DEEPEST; one = one->next) {
        mr_member *member = mr_shape_find(one, name);
        if (member && member->kind == MR_MEMBER_FIELD) {
            mark(m, member->set ? member->set : member->decl->value, depth + 1);
        }
    }
}

// An expression that comes to a design, or to a list of them.
static void mark(marker *m, const mr_expr *expr, uint32_t depth)
{
    if (!expr) {
        return;
    }
    switch (expr->kind) {
    case MR_EXPR_NAME:
        mark_name(m, expr->text, depth);
        break;
    case MR_EXPR_IF:
        mark(m, expr->b, depth);
        mark(m, expr->c, depth);
        break;
    case MR_EXPR_BLOCK:
        if (expr->step_count > 0) {
            mark(m, expr->steps[expr->step_count - 1].value, depth);
        }
        break;
    case MR_EXPR_LIST:
    case MR_EXPR_TUPLE:
        for (size_t i = 0; i < expr->item_count; i++) {
            mark(m, expr->items[i].value, depth);
        }
        break;
    case MR_EXPR_INDEX:
        mark(m, expr->a, depth);
        break;
    case MR_EXPR_LAMBDA:
        mark(m, expr->b, depth);
        break;
    case MR_EXPR_CALL:
        if (expr->a->kind == MR_EXPR_NAME && mr_view_is(expr->a->text, "oneOf") && expr->item_count > 0) {
            mark(m, expr->items[0].value, depth);
        } else if (expr->a->kind == MR_EXPR_MEMBER) {
            bool part = expr->a->a->kind == MR_EXPR_NAME && top_part(m, expr->a->a->text);
            if (!part &&
                !(expr->a->a->kind == MR_EXPR_NAME && mr_space_is(m->shapes->file, expr->a->a->text))) {
                mark(m, expr->a->a, depth);
            }
        } else {
            mark(m, expr->a, depth);
        }
        break;
    default:
        break;
    }
}

// Every call in an expression: of a top-level part, of rule and spawn.
static void walk(marker *m, const mr_expr *expr);

static void walk_steps(marker *m, const mr_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        walk(m, steps[i].value);
        walk_steps(m, steps[i].body, steps[i].body_count);
        walk_steps(m, steps[i].otherwise, steps[i].otherwise_count);
    }
}

static void walk(marker *m, const mr_expr *expr)
{
    if (!expr) {
        return;
    }
    if (expr->kind == MR_EXPR_CALL && expr->a->kind == MR_EXPR_NAME) {
        mr_shape *shape = top_part(m, expr->a->text);
        bool spawn = mr_view_is(expr->a->text, "spawn");
        if (shape) {
            shape->design = true;
        }
        for (size_t i = 0; i < expr->item_count; i++) {
            if (mr_view_is(expr->items[i].name, "place") || (spawn && i == 0)) {
                mark(m, expr->items[i].value, 0);
            }
        }
    }
    walk(m, expr->a);
    walk(m, expr->b);
    walk(m, expr->c);
    for (size_t i = 0; i < expr->item_count; i++) {
        walk(m, expr->items[i].value);
    }
    walk_steps(m, expr->steps, expr->step_count);
}

static void walk_decls(marker *m, mr_decl *const *decls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const mr_decl *decl = decls[i];
        if (decl->kind == MR_DECL_PART) {
            mark(m, decl->value, 0);
        }
        walk(m, decl->index);
        walk(m, decl->type);
        walk(m, decl->value);
        for (size_t k = 0; k < decl->option_count; k++) {
            walk(m, decl->options[k].value);
        }
        walk_decls(m, decl->body, decl->body_count);
        walk_decls(m, decl->otherwise, decl->otherwise_count);
    }
}

void mr_designs_mark(mr_shapes *shapes)
{
    marker m = { .shapes = shapes };
    walk_decls(&m, shapes->file->decls, shapes->file->decl_count);
}
