// world/population_maker.c: where a rule's candidates come from.

#include "world/call.h"
#include "world/population.h"

enum { GRID_CELL, GRID_X, GRID_Z, GRID_AS_TAKEN };
enum { SPINE_SPINE, SPINE_STEP, SPINE_SIDES, SPINE_ACROSS, SPINE_FROM, SPINE_TO, SPINE_AS_TAKEN };
enum { POINTS_OUTLINE, POINTS_TRIES };
enum { RINGS_THINGS, RINGS_COUNT, RINGS_DISTANCE, RINGS_ANGLE };

static bool part_asker(mr_evaluator *ev, mr_rule_run *rule, size_t param, mr_answer_kind kind,
                       mr_asker *asker)
{
    const mr_call *call = &rule->maker->call;
    *asker = (mr_asker){ 0 };
    if (!call->given[param]) {
        return true;
    }
    // The maker's own scope may lie outside the rule's (a field holds it): its options are asked there, with the names
    // of a candidate in front.
    mr_scope *scope = mr_arena_take(&rule->run->arena, sizeof *scope);
    mr_asked_names *names = mr_arena_take(&rule->run->arena, sizeof *names);
    const mr_expr **exprs = mr_arena_take(&rule->run->arena, sizeof *exprs);
    if (!scope || !names || !exprs) {
        return mr_fail_memory(ev->error, sizeof *scope);
    }
    *names = rule->names[MR_RULE_KEEP];
    names->draws = true;
    *scope = (mr_scope){ .outer = call->scope, .kind = MR_SCOPE_ASKED, .asked = names };
    *exprs = call->given[param]->value;
    return mr_deferred_asker(ev,
                             (mr_deferred){ .evaluator = ev,
                                            .rule = rule,
                                            .scope = scope,
                                            .exprs = exprs,
                                            .expr_count = 1,
                                            .kind = kind,
                                            .option = mr_view_of(call->builtin->params[param].name),
                                            .leaf = -1 },
                             asker);
}

static bool grid_maker(mr_evaluator *ev, mr_rule_run *rule, mr_maker *maker)
{
    const mr_call *call = &rule->maker->call;
    const mr_interval *x = call->values[GRID_X].range, *z = call->values[GRID_Z].range;
    maker->kind = MR_MAKE_GRID;
    maker->cell = call->values[GRID_CELL].number;
    maker->x0 = x->low.number;
    maker->x1 = x->high.number;
    maker->z0 = z->low.number;
    maker->z1 = z->high.number;
    maker->as_taken = call->given[GRID_AS_TAKEN] && call->values[GRID_AS_TAKEN].boolean;
    if (!(maker->cell > 0)) {
        return mr_evaluator_fail(ev, call->given[GRID_CELL]->value->place,
                                 "cell is %g m; it must be more than 0", (double)maker->cell);
    }
    double cells = ((double)maker->x1 - (double)maker->x0) / (double)maker->cell *
                   (((double)maker->z1 - (double)maker->z0) / (double)maker->cell);
    if (!(cells < 1e9)) {
        return mr_evaluator_fail_with(ev, MR_LIMIT, call->expr->place, NULL,
                                      "a grid of %.3g squares passes the limit of 1000000000", cells);
    }
    return true;
}

static bool spine_maker(mr_evaluator *ev, mr_rule_run *rule, mr_maker *maker)
{
    const mr_call *call = &rule->maker->call;
    maker->kind = MR_MAKE_SPINE;
    maker->spine = call->values[SPINE_SPINE].spine->spine;
    maker->from = call->given[SPINE_FROM] ? call->values[SPINE_FROM].number : 0.0f;
    maker->to = call->given[SPINE_TO] ? call->values[SPINE_TO].number : mr_spine_length(maker->spine);
    maker->sides = call->given[SPINE_SIDES]
                       ? (mr_sides)mr_choice_place(call->builtin->params[SPINE_SIDES].choices,
                                                   *call->values[SPINE_SIDES].text)
                       : MR_BOTH_SIDES;
    maker->as_taken = call->given[SPINE_AS_TAKEN] && call->values[SPINE_AS_TAKEN].boolean;
    return part_asker(ev, rule, SPINE_STEP, MR_ANSWER_LENGTH, &maker->step) &&
           part_asker(ev, rule, SPINE_ACROSS, MR_ANSWER_LENGTH, &maker->across);
}

static bool points_maker(mr_evaluator *ev, mr_rule_run *rule, mr_maker *maker)
{
    const mr_call *call = &rule->maker->call;
    int64_t tries = call->values[POINTS_TRIES].integer;
    maker->kind = MR_MAKE_POINTS;
    maker->outline = *call->values[POINTS_OUTLINE].outline;
    maker->tries = (uint64_t)tries;
    if (tries < 0 || tries > INT32_MAX) {
        return mr_evaluator_fail(ev, call->given[POINTS_TRIES]->value->place,
                                 "tries is %lld; it must be 0 to 2147483647", (long long)tries);
    }
    return true;
}

// Things of a ring maker: placed by this scatter (by number), or any places.
static bool ask_things(void *self, const mr_asking *asking, const uint32_t **items, size_t *count,
                       mr_error *error)
{
    mr_rule_run *rule = self;
    mr_evaluator *ev = rule->run->evaluator;
    const mr_call *call = &rule->maker->call;
    mr_asked_frame frame;
    mr_asked_begin(ev, rule, asking, MR_NO_INDEX, &ev->main, MR_VIEW("things"), error, &frame);
    mr_datum list;
    mr_scope scope = { .outer = call->scope,
                       .kind = MR_SCOPE_ASKED,
                       .asked = &rule->names[MR_RULE_CANDIDATES] };
    bool good = mr_evaluate_as(ev, &scope, call->given[RINGS_THINGS]->value, &mr_type_list, &list);
    rule->things.count = 0;
    for (size_t i = 0; good && i < list.sequence->count; i++) {
        mr_datum one = list.sequence->items[i];
        if (one.kind != MR_DATUM_PLACED || one.run != rule->run) {
            good = mr_evaluator_fail(ev, call->given[RINGS_THINGS]->value->place,
                                     "things placed earlier by this scatter are asked for");
        } else if (!mr_array_push(ev->context, &rule->things, one.index)) {
            good = mr_fail_memory(error, sizeof one.index);
        }
    }
    mr_asked_end(ev, &frame);
    *items = rule->things.items;
    *count = rule->things.count;
    return good;
}

static bool push_spots(mr_evaluator *ev, mr_rule_run *rule, const mr_scope *scope, const mr_expr *expr,
                       mr_datum list)
{
    bool written = expr->kind == MR_EXPR_LIST && expr->item_count == list.sequence->count;
    rule->spots.count = 0;
    for (size_t i = 0; i < list.sequence->count; i++) {
        mr_datum one = list.sequence->items[i];
        if (one.kind != MR_DATUM_SPOT &&
            !mr_coerce(ev, scope, written ? expr->items[i].value : expr, &mr_type_spot, &one)) {
            return false;
        }
        if (!mr_array_push(ev->context, &rule->spots, one.spot->x) ||
            !mr_array_push(ev->context, &rule->spots, one.spot->z)) {
            return mr_fail_memory(ev->error, sizeof(float));
        }
    }
    return true;
}

static bool ask_list(mr_rule_run *rule, const mr_expr *expr, const mr_scope *scope, mr_view option,
                     const mr_asking *asking, const float **spots, size_t *count, mr_error *error)
{
    mr_evaluator *ev = rule->run->evaluator;
    mr_asked_frame frame;
    mr_asked_begin(ev, rule, asking, MR_NO_INDEX, &ev->main, option, error, &frame);
    mr_datum list;
    bool good =
        mr_evaluate_as(ev, scope, expr, &mr_type_list, &list) && push_spots(ev, rule, scope, expr, list);
    mr_asked_end(ev, &frame);
    *spots = rule->spots.items;
    *count = rule->spots.count / 2;
    return good;
}

static bool ask_candidates(void *self, const mr_asking *asking, const float **spots, size_t *count,
                           mr_error *error)
{
    mr_rule_run *rule = self;
    return ask_list(rule, rule->written->call.given[MR_RULE_CANDIDATES]->value,
                    rule->scopes[MR_RULE_CANDIDATES], MR_VIEW("candidates"), asking, spots, count, error);
}

static bool ask_ring_spots(void *self, const mr_asking *asking, const float **spots, size_t *count,
                           mr_error *error)
{
    mr_rule_run *rule = self;
    const mr_call *call = &rule->maker->call;
    mr_scope scope = { .outer = call->scope,
                       .kind = MR_SCOPE_ASKED,
                       .asked = &rule->names[MR_RULE_CANDIDATES] };
    return ask_list(rule, call->given[RINGS_THINGS]->value, &scope, MR_VIEW("things"), asking, spots, count,
                    error);
}

static bool mentions(const mr_expr *expr, const char *name)
{
    if (!expr) {
        return false;
    }
    if (expr->kind == MR_EXPR_NAME && mr_view_is(expr->text, name)) {
        return true;
    }
    for (size_t i = 0; i < expr->item_count; i++) {
        if (mentions(expr->items[i].value, name)) {
            return true;
        }
    }
    for (size_t i = 0; i < expr->step_count; i++) {
        if (mentions(expr->steps[i].value, name)) {
            return true;
        }
    }
    return mentions(expr->a, name) || mentions(expr->b, name) || mentions(expr->c, name);
}

static bool rings_maker(mr_evaluator *ev, mr_rule_run *rule, mr_maker *maker)
{
    const mr_call *call = &rule->maker->call;
    maker->kind = MR_MAKE_RINGS;
    maker->things_are_spots = !mentions(call->given[RINGS_THINGS]->value, "placedEarlier");
    maker->things = maker->things_are_spots ? NULL : ask_things;
    maker->list = maker->things_are_spots ? ask_ring_spots : NULL;
    return part_asker(ev, rule, RINGS_COUNT, MR_ANSWER_WHOLE, &maker->ring_count) &&
           part_asker(ev, rule, RINGS_DISTANCE, MR_ANSWER_LENGTH, &maker->distance) &&
           part_asker(ev, rule, RINGS_ANGLE, MR_ANSWER_ANGLE, &maker->angle);
}

// Whether an expression, read as the rule is prepared, may come to a maker: a maker's call, or a name that holds one.
static bool may_be_maker(const mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr)
{
    if (expr->kind == MR_EXPR_CALL && expr->a->kind == MR_EXPR_NAME) {
        mr_found found = mr_scope_find(scope, ev->file, expr->a->text);
        return found.kind == MR_FOUND_BUILTIN && found.builtin->answer == &mr_type_maker;
    }
    if (expr->kind == MR_EXPR_NAME) {
        mr_found found = mr_scope_find(scope, ev->file, expr->text);
        return found.kind == MR_FOUND_CELL || found.kind == MR_FOUND_MEMBER;
    }
    return expr->kind == MR_EXPR_MEMBER;
}

bool mr_maker_prepare(mr_evaluator *ev, mr_rule_run *rule)
{
    mr_maker *maker = &rule->rule.maker;
    const mr_expr *expr = rule->written->call.given[MR_RULE_CANDIDATES]->value;
    const mr_scope *scope = rule->written->call.scope;
    maker->self = rule;
    maker->kind = MR_MAKE_LIST;
    maker->list = ask_candidates;
    ev->subject = MR_VIEW("candidates");
    if (!may_be_maker(ev, rule->scopes[MR_RULE_CANDIDATES], expr)) {
        return true;
    }
    mr_datum value;
    if (!mr_evaluate(ev, scope, expr, NULL, &value)) {
        return false;
    }
    if (value.kind != MR_DATUM_MAKER) {
        return true;
    }
    rule->maker = value.maker;
    static const struct {
        const char *name;
        bool (*prepare)(mr_evaluator *ev, mr_rule_run *rule, mr_maker *maker);
    } makers[] = { { "jitteredGrid", grid_maker },
                   { "spotsAlongSpine", spine_maker },
                   { "randomPointsIn", points_maker },
                   { "ringsAround", rings_maker } };
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (strcmp(value.maker->call.builtin->name, makers[i].name) == 0) {
            return makers[i].prepare(ev, rule, maker);
        }
    }
    return mr_evaluator_fail(ev, expr->place, "this maker makes no candidates");
}
