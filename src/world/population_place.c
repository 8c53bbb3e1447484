// world/population_place.c: what a rule places: its kinds, and the numbers of each copy.

#include "world/call.h"
#include "world/population.h"

static const char *const place_options[] = { "variant", "turn", "size", "sink", "height" };
enum { PLACE_OPTIONS = sizeof place_options / sizeof *place_options };
static const mr_answer_kind place_answers[PLACE_OPTIONS] = { MR_ANSWER_WHOLE, MR_ANSWER_ANGLE,
                                                             MR_ANSWER_NUMBER, MR_ANSWER_NUMBER,
                                                             MR_ANSWER_LENGTH };

static bool add_leaf(mr_evaluator *ev, mr_rule_run *rule, const mr_expr *expr)
{
    mr_leaf leaf = { .expr = expr, .scope = rule->scopes[MR_RULE_PLACE] };
    return mr_array_push(ev->context, &rule->leaves, leaf) || mr_fail_memory(ev->error, sizeof leaf);
}

static bool gather_leaves(mr_evaluator *ev, mr_rule_run *rule, const mr_expr *expr)
{
    if (expr->kind == MR_EXPR_IF) {
        if (!expr->c) {
            return mr_evaluator_fail_with(ev, MR_BAD_INPUT, expr->place, "write else { ... }",
                                          "place says nothing where the condition fails");
        }
        return gather_leaves(ev, rule, expr->b) && gather_leaves(ev, rule, expr->c);
    }
    if (expr->kind == MR_EXPR_BLOCK && expr->step_count > 0) {
        return gather_leaves(ev, rule, expr->steps[expr->step_count - 1].value);
    }
    return add_leaf(ev, rule, expr);
}

// The design a leaf names, where that is known before any candidate is.
static bool known_kind(mr_evaluator *ev, mr_rule_run *rule, const mr_expr *callee, mr_shape **shape)
{
    *shape = NULL;
    if (callee->kind != MR_EXPR_NAME) {
        return true;
    }
    mr_found found = mr_scope_find(rule->scopes[MR_RULE_PLACE], ev->file, callee->text);
    if (found.kind != MR_FOUND_MEMBER) {
        return true;
    }
    mr_datum value;
    if (!mr_member_value(ev, found.scope, found.member, callee->place, &value)) {
        return false;
    }
    if (value.kind != MR_DATUM_DESIGN) {
        char what[96];
        mr_datum_describe(value, what, sizeof what);
        return value.kind == MR_DATUM_FUNCTION ||
               mr_evaluator_fail(ev, callee->place, "a design is asked for, not %s", what);
    }
    *shape = value.design->shape;
    return true;
}

// Whether lets stand in front of some kind: then what its options read is found as the kind is picked.
static bool has_lets(const mr_expr *expr)
{
    if (expr->kind == MR_EXPR_IF) {
        return has_lets(expr->b) || (expr->c && has_lets(expr->c));
    }
    return expr->kind == MR_EXPR_BLOCK &&
           (expr->step_count > 1 || (expr->step_count == 1 && has_lets(expr->steps[0].value)));
}

static bool leaf_askers(mr_evaluator *ev, mr_rule_run *rule, size_t number, mr_choice *choice)
{
    const mr_expr *expr = rule->leaves.items[number].expr;
    mr_asker *askers[PLACE_OPTIONS] = { &choice->variant, &choice->turn, &choice->size, &choice->sink,
                                        &choice->height };
    if (expr->kind != MR_EXPR_CALL) {
        return true;
    }
    for (size_t i = 0; i < expr->item_count; i++) {
        const mr_argument *argument = &expr->items[i];
        size_t option = 0;
        while (option < PLACE_OPTIONS && !mr_view_is(argument->name, place_options[option])) {
            option++;
        }
        if (option == PLACE_OPTIONS) {
            return mr_evaluator_fail_with(
                ev, MR_BAD_INPUT, argument->place,
                "a design's own fields are stated by variants: on its header",
                "place says variant turn size sink height, not %.*s",
                MR_VIEW_ARGS(argument->name.size ? argument->name : MR_VIEW("a bare value")));
        }
        const mr_expr **exprs = mr_arena_take(&rule->run->arena, sizeof *exprs);
        if (!exprs) {
            return mr_fail_memory(ev->error, sizeof *exprs);
        }
        *exprs = argument->value;
        if (!mr_deferred_asker(
                ev,
                (mr_deferred){ .evaluator = ev,
                               .rule = rule,
                               .scope = rule->scopes[MR_RULE_PLACE],
                               .exprs = exprs,
                               .expr_count = 1,
                               .kind = place_answers[option],
                               .option = argument->name,
                               .scoped = has_lets(rule->written->call.given[MR_RULE_PLACE]->value),
                               .leaf = (int32_t)number },
                askers[option])) {
            return false;
        }
    }
    return true;
}

static bool add_choice(mr_evaluator *ev, mr_rule_run *rule, size_t leaf, mr_shape *shape,
                       const mr_choice *askers)
{
    if (rule->rule.choice_count == MR_CHOICE_MAX) {
        return mr_evaluator_fail(ev, rule->leaves.items[leaf].expr->place, "a rule places at most %d kinds",
                                 MR_CHOICE_MAX);
    }
    mr_choice *choice = &rule->rule.choices[rule->rule.choice_count++];
    *choice = *askers;
    choice->kind = mr_run_kind_number(rule->run, shape);
    return choice->kind != UINT32_MAX || mr_fail_memory(ev->error, sizeof shape);
}

static bool leaf_choices(mr_evaluator *ev, mr_rule_run *rule, size_t number)
{
    mr_leaf *leaf = &rule->leaves.items[number];
    const mr_expr *callee = leaf->expr->kind == MR_EXPR_CALL ? leaf->expr->a : leaf->expr;
    // oneOf(...), a list's element: the whole expression names the kind, and nothing is said of the copy
    bool whole = leaf->expr->kind == MR_EXPR_CALL && callee->kind == MR_EXPR_NAME &&
                 mr_scope_find(rule->scopes[MR_RULE_PLACE], ev->file, callee->text).kind == MR_FOUND_BUILTIN;
    mr_shape *shape;
    mr_choice askers = { 0 };
    if (!known_kind(ev, rule, callee, &shape) || (!whole && !leaf_askers(ev, rule, number, &askers))) {
        return false;
    }
    leaf->first_choice = rule->rule.choice_count;
    leaf->choice_count = 1;
    if (shape) {
        return add_choice(ev, rule, number, shape, &askers);
    }
    const mr_shape *root = ev->shapes->root;
    leaf->choice_count = 0;
    for (size_t i = 0; i < root->members.count; i++) {
        if (root->members.items[i].kind == MR_MEMBER_PART && root->members.items[i].shape->design) {
            if (!add_choice(ev, rule, number, root->members.items[i].shape, &askers)) {
                return false;
            }
            leaf->choice_count++;
        }
    }
    return leaf->choice_count > 0 || mr_evaluator_fail(ev, leaf->expr->place, "the world has no design");
}

static bool pick_leaf(mr_evaluator *ev, mr_rule_run *rule, const mr_scope *scope, const mr_expr *expr,
                      size_t *number)
{
    if (expr->kind == MR_EXPR_IF) {
        bool holds;
        return mr_evaluate_condition(ev, scope, expr->a, &holds) &&
               pick_leaf(ev, rule, scope, holds ? expr->b : expr->c, number);
    }
    if (expr->kind == MR_EXPR_BLOCK) {
        for (size_t i = 0; i + 1 < expr->step_count; i++) {
            const mr_step *step = &expr->steps[i];
            mr_datum value;
            if (!mr_evaluate(ev, scope, step->value, NULL, &value) ||
                (step->kind == MR_STEP_LET &&
                 !mr_bind_pattern(ev, scope, step->pattern, step->pattern_count, step->pattern_tuple, false,
                                  0, value, step->place, &scope))) {
                return false;
            }
        }
        return pick_leaf(ev, rule, scope, expr->steps[expr->step_count - 1].value, number);
    }
    for (*number = 0; rule->leaves.items[*number].expr != expr; ++*number) {
    }
    rule->leaves.items[*number].scope = scope;
    return true;
}

static bool pick_kind(mr_evaluator *ev, mr_rule_run *rule, const mr_leaf *leaf, uint32_t *choice)
{
    *choice = leaf->first_choice;
    if (leaf->choice_count == 1) {
        return true;
    }
    const mr_expr *callee = leaf->expr->kind == MR_EXPR_CALL ? leaf->expr->a : leaf->expr;
    bool whole = leaf->expr->kind == MR_EXPR_CALL && callee->kind == MR_EXPR_NAME &&
                 mr_scope_find(leaf->scope, ev->file, callee->text).kind == MR_FOUND_BUILTIN;
    mr_datum value;
    if (!mr_evaluate_as(ev, leaf->scope, whole ? leaf->expr : callee, &mr_type_design, &value)) {
        return false;
    }
    for (uint32_t i = 0; i < leaf->choice_count; i++) {
        if (rule->run->kinds.items[rule->rule.choices[leaf->first_choice + i].kind] == value.design->shape) {
            *choice = leaf->first_choice + i;
            return true;
        }
    }
    return mr_evaluator_fail(ev, callee->place, "this design cannot be placed");
}

static bool ask_pick(void *self, const mr_asking *asking, const uint32_t *lanes, size_t begin, size_t count,
                     double *answers, mr_error *error)
{
    mr_rule_run *rule = self;
    mr_evaluator *ev = rule->run->evaluator;
    const mr_expr *expr = rule->written->call.given[MR_RULE_PLACE]->value;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        mr_asked_frame frame;
        // What a let holds is read again by the options of the copy, so it outlives the scratch memory.
        mr_asked_begin(ev, rule, asking, lanes ? lanes[i] : (uint32_t)(begin + i), &ev->main,
                       MR_VIEW("place"), error, &frame);
        size_t leaf = 0;
        uint32_t choice = 0;
        good = pick_leaf(ev, rule, rule->scopes[MR_RULE_PLACE], expr, &leaf) &&
               pick_kind(ev, rule, &rule->leaves.items[leaf], &choice);
        answers[i] = (double)choice;
        mr_asked_end(ev, &frame);
    }
    return good;
}

bool mr_place_prepare(mr_evaluator *ev, mr_rule_run *rule)
{
    const mr_expr *expr = rule->written->call.given[MR_RULE_PLACE]->value;
    ev->subject = MR_VIEW("place");
    if (!gather_leaves(ev, rule, expr)) {
        return false;
    }
    for (size_t i = 0; i < rule->leaves.count; i++) {
        if (!leaf_choices(ev, rule, i)) {
            return false;
        }
    }
    bool plain = rule->rule.choice_count == 1 && rule->leaves.items[0].expr == expr;
    if (!plain) {
        rule->rule.pick = (mr_asker){ .self = rule, .draws = true, .ask = ask_pick };
    }
    return true;
}
