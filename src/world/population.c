// world/population.c: runs a written scatter.

#include "world/population.h"

#include "base/context.h"
#include "field/program.h"
#include "num/hash.h"

enum { OVER, KEEP_CLEAR, RULES, SEED };

void mr_run_destroy(mr_run *run)
{
    mr_context *context = run->evaluator->context;
    for (size_t i = 0; i < run->rule_count; i++) {
        mr_array_free(context, &run->rules[i].leaves);
        mr_array_free(context, &run->rules[i].spots);
        mr_array_free(context, &run->rules[i].things);
    }
    for (size_t i = 0; i < run->programs.count; i++) {
        mr_program_destroy(run->programs.items[i]);
    }
    mr_array_free(context, &run->programs);
    mr_array_free(context, &run->kinds);
    mr_array_free(context, &run->kind_names);
    mr_array_free(context, &run->streams);
    mr_array_free(context, &run->groups);
    mr_array_free(context, &run->group_caps);
    mr_arena_destroy(&run->arena);
}

void mr_rule_set_name(mr_written_rule *rule, mr_view name)
{
    if (rule->name.size == 0) {
        rule->name = name;
    }
}

void mr_run_set_owner(mr_evaluator *ev, mr_run *run, mr_instance *owner, mr_view field)
{
    (void)ev;
    if (!run->owner) {
        run->owner = owner;
        run->field = field;
    }
}

const mr_item *mr_run_item(mr_datum placed)
{
    return &placed.run->items[placed.index];
}

const mr_land_datum *mr_run_land(const mr_run *run)
{
    return run->land;
}

bool mr_run_kind(mr_evaluator *ev, mr_datum placed, mr_datum *answer)
{
    mr_design *made = mr_evaluator_take(ev, sizeof *made);
    if (!made) {
        return false;
    }
    made->shape = placed.run->kinds.items[mr_run_item(placed)->kind];
    *answer = (mr_datum){ .kind = MR_DATUM_DESIGN, .design = made };
    return true;
}

mr_view mr_run_rule_name(mr_datum placed)
{
    return placed.run->rules[mr_run_item(placed)->rule].written->name;
}

bool mr_run_group_name(mr_evaluator *ev, mr_datum placed, mr_datum *answer)
{
    int32_t group = placed.run->rules[mr_run_item(placed)->rule].rule.group;
    if (group < 0) {
        *answer = mr_datum_none();
        return true;
    }
    return mr_make_text(ev, placed.run->groups.items[group], MR_DATUM_TEXT, answer);
}

uint32_t mr_run_kind_number(mr_run *run, mr_shape *shape)
{
    mr_context *context = run->evaluator->context;
    for (size_t i = 0; i < run->kinds.count; i++) {
        if (run->kinds.items[i] == shape) {
            return (uint32_t)i;
        }
    }
    char *name = mr_arena_text(&run->arena, shape->name.data, shape->name.size);
    if (!name || !mr_array_push(context, &run->kinds, shape) ||
        !mr_array_push(context, &run->kind_names, name)) {
        return UINT32_MAX;
    }
    return (uint32_t)run->kinds.count - 1;
}

int32_t mr_run_stream_number(mr_run *run, mr_scatter_stream stream)
{
    for (size_t i = 0; i < run->streams.count; i++) {
        if (run->streams.items[i].seed == stream.seed && run->streams.items[i].salt == stream.salt) {
            return (int32_t)i;
        }
    }
    return mr_array_push(run->evaluator->context, &run->streams, stream) ? (int32_t)run->streams.count - 1
                                                                         : -2;
}

static bool gather_rules(mr_evaluator *ev, mr_run *run, const mr_call *call)
{
    const mr_sequence *list = call->values[RULES].sequence;
    const mr_expr *written = call->given[RULES]->value;
    run->rules = mr_arena_take(&run->arena, list->count * sizeof *run->rules + 1);
    run->scatter_rules = mr_arena_take(&run->arena, list->count * sizeof *run->scatter_rules + 1);
    if (!run->rules || !run->scatter_rules) {
        return mr_fail_memory(ev->error, list->count * sizeof *run->rules);
    }
    for (size_t i = 0; i < list->count; i++) {
        mr_written_rule *rule = list->items[i].rule;
        mr_place place = written->kind == MR_EXPR_LIST && i < written->item_count
                             ? written->items[i].value->place
                             : rule->place;
        if (rule->name.size == 0) {
            return mr_evaluator_fail_with(ev, MR_BAD_INPUT, place,
                                          "hold it in a field, or give it a name:", "this rule has no name");
        }
        for (size_t k = 0; k < i; k++) {
            if (mr_view_equal(run->rules[k].written->name, rule->name)) {
                return mr_evaluator_fail(ev, place, "two rules are called %.*s", MR_VIEW_ARGS(rule->name));
            }
        }
        run->rules[i] = (mr_rule_run){ .run = run, .written = rule };
        run->rule_count = i + 1;
    }
    return true;
}

static bool group_number(mr_evaluator *ev, mr_run *run, const mr_expr *name, int32_t *number)
{
    if (name->kind != MR_EXPR_NAME) {
        return mr_evaluator_fail(ev, name->place, "a cap group is a bare name");
    }
    for (size_t i = 0; i < run->groups.count; i++) {
        if (mr_view_equal(run->groups.items[i], name->text)) {
            *number = (int32_t)i;
            return true;
        }
    }
    *number = (int32_t)run->groups.count;
    return (mr_array_push(ev->context, &run->groups, name->text) &&
            mr_array_push(ev->context, &run->group_caps, UINT64_MAX)) ||
           mr_fail_memory(ev->error, sizeof name->text);
}

static bool cap_value(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr, uint64_t *cap)
{
    mr_datum value;
    if (!mr_evaluate_as(ev, scope, expr, &mr_type_int, &value)) {
        return false;
    }
    if (value.integer < 0) {
        return mr_evaluator_fail(ev, expr->place, "atMost is %lld; it must not be negative",
                                 (long long)value.integer);
    }
    *cap = (uint64_t)value.integer;
    return true;
}

// capGroup(ferns, atMost: 220): the group, and the default it states.
static bool group_call(mr_evaluator *ev, mr_run *run, const mr_scope *scope, const mr_expr *call,
                       int32_t *number)
{
    const mr_expr *cap = NULL, *name = NULL;
    for (size_t i = 0; i < call->item_count; i++) {
        if (call->items[i].name.size == 0 || mr_view_is(call->items[i].name, "group")) {
            name = call->items[i].value;
        } else if (mr_view_is(call->items[i].name, "atMost")) {
            cap = call->items[i].value;
        }
    }
    if (!name || call->item_count > 2) {
        return mr_evaluator_fail(ev, call->place, "write capGroup(name, atMost: n)");
    }
    return group_number(ev, run, name, number) &&
           (!cap || cap_value(ev, scope, cap, &run->group_caps.items[*number]));
}

static bool is_cap_group(const mr_expr *expr)
{
    return expr->kind == MR_EXPR_CALL && expr->a->kind == MR_EXPR_NAME &&
           mr_view_is(expr->a->text, "capGroup");
}

// Statements capGroup(...) in the body of the part the scatter stands in, and outward.
static bool gather_groups(mr_evaluator *ev, mr_run *run, const mr_scope *scope)
{
    for (const mr_scope *part = mr_scope_part(scope); part; part = mr_scope_part(part->outer)) {
        for (size_t i = 0; i < part->shape->groups.count; i++) {
            const mr_decl *decl = part->shape->groups.items[i];
            int32_t number;
            if (decl->kind == MR_DECL_STATEMENT && is_cap_group(decl->value) &&
                !group_call(ev, run, part, decl->value, &number)) {
                return false;
            }
        }
    }
    return true;
}

static bool rule_groups(mr_evaluator *ev, mr_run *run)
{
    for (size_t i = 0; i < run->rule_count; i++) {
        mr_rule_run *rule = &run->rules[i];
        const mr_argument *option = rule->written->call.given[MR_RULE_CAP_GROUP];
        rule->rule.group = -1;
        if (!option) {
            continue;
        }
        bool good = is_cap_group(option->value)
                        ? group_call(ev, run, rule->written->call.scope, option->value, &rule->rule.group)
                        : group_number(ev, run, option->value, &rule->rule.group);
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool keep_clear_discs(mr_evaluator *ev, mr_run *run, const mr_call *call, mr_scatter *scatter)
{
    if (!call->given[KEEP_CLEAR]) {
        return true;
    }
    const mr_sequence *list = call->values[KEEP_CLEAR].sequence;
    mr_scatter_disc *discs = mr_arena_take(&run->arena, list->count * sizeof *discs + 1);
    if (!discs) {
        return mr_fail_memory(ev->error, list->count * sizeof *discs);
    }
    for (size_t i = 0; i < list->count; i++) {
        mr_datum one = list->items[i];
        if (one.kind == MR_DATUM_OUTLINE && one.outline->kind == MR_OUTLINE_DISC) {
            discs[i] = (mr_scatter_disc){ .x = one.outline->cx,
                                          .z = one.outline->cz,
                                          .radius = one.outline->radius };
        } else if (mr_coerce(ev, call->scope, call->given[KEEP_CLEAR]->value, &mr_type_disc, &one)) {
            discs[i] = *one.disc;
        } else {
            return false;
        }
    }
    scatter->keep_clear = discs;
    scatter->keep_clear_count = list->count;
    return true;
}

static bool answer_list(mr_evaluator *ev, mr_run *run, mr_datum *answer)
{
    mr_sequence *made = mr_arena_take(&ev->main, sizeof *made + run->item_count * sizeof(mr_datum));
    if (!made) {
        return mr_fail_memory(ev->error, run->item_count * sizeof(mr_datum));
    }
    mr_datum *items = (mr_datum *)(made + 1);
    for (size_t i = 0; i < run->item_count; i++) {
        items[i] = (mr_datum){ .kind = MR_DATUM_PLACED, .index = (uint32_t)i, .run = run };
    }
    *made = (mr_sequence){ .count = run->item_count, .items = items, .run = run };
    *answer = (mr_datum){ .kind = MR_DATUM_LIST, .sequence = made };
    return true;
}

static void warn_empty_rules(mr_evaluator *ev, const mr_run *run)
{
    for (size_t i = 0; i < run->rule_count; i++) {
        const mr_rule_report *report = &run->result.reports[i];
        const mr_rule_run *rule = &run->rules[i];
        if (report->placed > 0 || !ev->diagnostics || report->candidates == report->cap) {
            if (report->placed > 0 || report->candidates > 0 || !ev->diagnostics) {
                continue;
            }
        }
        uint64_t blocked = report->footprint + report->clearance + report->keep_clear + report->blocked;
        mr_diagnose(
            ev->diagnostics, MR_WARNING, ev->file->path, rule->written->place, NULL,
            "%.*s: the rule placed nothing: of %llu candidates %llu fell off the land, %llu at keep, %llu "
            "where something stands",
            MR_VIEW_ARGS(rule->written->name), (unsigned long long)report->candidates,
            (unsigned long long)report->off_land, (unsigned long long)report->keep,
            (unsigned long long)blocked);
    }
}

static bool run_rules(mr_evaluator *ev, mr_run *run, mr_call *call)
{
    bool seeded = call->given[SEED] != NULL;
    if (!gather_rules(ev, run, call) || !gather_groups(ev, run, call->scope) || !rule_groups(ev, run) ||
        !mr_zones_gather(ev)) {
        return false;
    }
    mr_scatter scatter = { .land = run->land->land,
                           .rules = run->scatter_rules,
                           .rule_count = run->rule_count,
                           .clearances = ev->zones->discs.items,
                           .clearance_count = ev->zones->discs.count,
                           .footprints = ev->zones->footprints.items,
                           .footprint_count = ev->zones->footprints.count };
    if (!keep_clear_discs(ev, run, call, &scatter)) {
        return false;
    }
    for (size_t i = 0; i < run->rule_count; i++) {
        if (!mr_rule_prepare(ev, run, &run->rules[i], seeded,
                             seeded ? (uint32_t)call->values[SEED].integer : 0)) {
            return false;
        }
        run->scatter_rules[i] = run->rules[i].rule;
    }
    scatter.streams = run->streams.items;
    scatter.stream_count = run->streams.count;
    scatter.group_caps = run->group_caps.items;
    scatter.group_count = run->groups.count;
    mr_error *error = ev->error;
    if (!mr_scatter_run(ev->context, &scatter, &run->arena, &run->result, error)) {
        ev->error = error;
        return mr_evaluator_failed_at(ev, call->expr->place);
    }
    run->items = run->result.items;
    run->item_count = run->result.item_count;
    warn_empty_rules(ev, run);
    return true;
}

bool mr_population_run(mr_evaluator *ev, mr_call *call, mr_datum *answer)
{
    if (ev->collecting) {
        ev->derived = true;
        return mr_fail(ev->error, MR_BAD_INPUT, "derives from a scatter");
    }
    if (ev->asked) {
        return mr_evaluator_fail(ev, call->expr->place, "a scatter cannot run inside another's option");
    }
    mr_run *run = mr_arena_take(&ev->main, sizeof *run);
    if (!run) {
        return mr_fail_memory(ev->error, sizeof *run);
    }
    *run = (mr_run){ .evaluator = ev, .place = call->expr->place, .land = call->values[OVER].land };
    mr_arena_init(&run->arena, ev->context);
    if (!mr_array_push(ev->context, &ev->runs, run)) {
        return mr_fail_memory(ev->error, sizeof run);
    }
    ev->tainted = true;
    mr_arena *arena = ev->arena;
    ev->arena = &ev->main;
    bool good = run_rules(ev, run, call) && answer_list(ev, run, answer);
    ev->arena = arena;
    return good;
}
