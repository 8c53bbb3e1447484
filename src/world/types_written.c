// world/types_written.c: an author's type, read where it stands.

#include "world/eval.h"

mr_type_reading mr_type_read(mr_arena *arena, const mr_scope *scope, const mr_file *file, const mr_expr *expr,
                             const mr_world_type **type)
{
    if (expr->kind == MR_EXPR_NAME) {
        *type = mr_view_is(expr->text, "List") ? &mr_type_list : mr_type_named(expr->text);
        if (*type) {
            return MR_READ_TYPE;
        }
        mr_found found = mr_scope_find(scope, file, expr->text);
        if (found.kind != MR_FOUND_MEMBER || found.member->kind != MR_MEMBER_RECORD) {
            return MR_READ_VALUE;
        }
        mr_world_type *made = mr_arena_take(arena, sizeof *made);
        if (!made) {
            return MR_READ_NO_MEMORY;
        }
        *made = (mr_world_type){ .of = MR_OF_RECORD, .decl = found.member->decl, .scope = found.scope };
        *type = made;
        return MR_READ_TYPE;
    }
    if (expr->kind == MR_EXPR_INDEX && expr->a->kind == MR_EXPR_NAME && mr_view_is(expr->a->text, "List")) {
        const mr_world_type *element;
        mr_type_reading inner = mr_type_read(arena, scope, file, expr->b, &element);
        if (inner != MR_READ_TYPE) {
            return inner == MR_READ_VALUE ? MR_READ_WRONG : inner;
        }
        mr_world_type *made = mr_arena_take(arena, sizeof *made);
        if (!made) {
            return MR_READ_NO_MEMORY;
        }
        *made = (mr_world_type){ .of = MR_OF_LIST, .element = element };
        *type = made;
        return MR_READ_TYPE;
    }
    if (expr->kind == MR_EXPR_ONE_OF) {
        mr_world_type *made = mr_arena_take(arena, sizeof *made + expr->item_count * sizeof(mr_view));
        if (!made) {
            return MR_READ_NO_MEMORY;
        }
        mr_view *names = (mr_view *)(made + 1);
        *made = (mr_world_type){ .of = MR_OF_CHOICE, .count = expr->item_count, .names = names };
        for (size_t i = 0; i < expr->item_count; i++) {
            names[i] = expr->items[i].name;
        }
        *type = made;
        return MR_READ_TYPE;
    }
    return MR_READ_VALUE;
}

void mr_type_unknown(const mr_expr *expr, char message[MR_MESSAGE_SIZE], char hint[MR_HINT_SIZE])
{
    const mr_expr *name = expr->kind == MR_EXPR_INDEX ? expr->b : expr;
    hint[0] = 0;
    if (name->kind != MR_EXPR_NAME) {
        mr_text_format(message, MR_MESSAGE_SIZE, "a type is asked for here");
        return;
    }
    char wanted[64];
    mr_text_format(wanted, sizeof wanted, "%.*s", MR_VIEW_ARGS(name->text));
    size_t count;
    const char *const *names = mr_type_names(&count);
    const char *near = mr_nearest_name(wanted, names, count);
    mr_text_format(message, MR_MESSAGE_SIZE, "%.*s is no type", MR_VIEW_ARGS(name->text));
    if (near) {
        mr_text_format(hint, MR_HINT_SIZE, "did you mean %s?", near);
    }
}

const mr_world_type *mr_type_or_value(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr,
                                      bool *wrong)
{
    const mr_world_type *type = NULL;
    mr_type_reading reading = mr_type_read(ev->arena, scope, ev->file, expr, &type);
    *wrong = reading == MR_READ_NO_MEMORY || reading == MR_READ_WRONG;
    if (reading == MR_READ_NO_MEMORY) {
        mr_fail_memory(ev->error, sizeof *type);
    } else if (reading == MR_READ_WRONG) {
        char message[MR_MESSAGE_SIZE], hint[MR_HINT_SIZE];
        mr_type_unknown(expr, message, hint);
        mr_evaluator_fail_with(ev, MR_BAD_INPUT, expr->place, hint[0] ? hint : NULL, "%s", message);
    }
    return reading == MR_READ_TYPE ? type : NULL;
}

const mr_world_type *mr_type_written(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr)
{
    bool wrong;
    const mr_world_type *type = mr_type_or_value(ev, scope, expr, &wrong);
    if (!type && !wrong) {
        char message[MR_MESSAGE_SIZE], hint[MR_HINT_SIZE];
        mr_type_unknown(expr, message, hint);
        mr_evaluator_fail_with(ev, MR_BAD_INPUT, expr->place, hint[0] ? hint : NULL, "%s", message);
    }
    return type;
}

int mr_choice_place(const char *choices, mr_view name)
{
    int place = 0;
    while (*choices) {
        size_t size = strcspn(choices, " ");
        if (name.size == size && memcmp(choices, name.data, size) == 0) {
            return place;
        }
        place++;
        choices += size;
        choices += strspn(choices, " ");
    }
    return -1;
}
