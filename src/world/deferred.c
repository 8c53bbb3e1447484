// world/deferred.c: options asked for each candidate: compiled where that can be, else by walking their expressions.
//
// A walking asker says that it draws even where it does not: the evaluator serves one question at a time, and a
// drawing asker is asked in candidate order on one thread. What can be asked from many threads is compiled instead.

#include "world/compile.h"

static bool arguments_draw(const mr_argument *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].value && mr_expr_draws(items[i].value)) {
            return true;
        }
    }
    return false;
}

static bool is_draw_name(mr_view name)
{
    return mr_view_is(name, "uniform") || mr_view_is(name, "below");
}

bool mr_expr_draws(const mr_expr *expr)
{
    if (!expr) {
        return false;
    }
    if (expr->kind == MR_EXPR_CALL && (expr->a->kind == MR_EXPR_NAME || expr->a->kind == MR_EXPR_MEMBER) &&
        is_draw_name(expr->a->text)) {
        return true;
    }
    for (size_t i = 0; i < expr->step_count; i++) {
        if (mr_expr_draws(expr->steps[i].value)) {
            return true;
        }
    }
    return mr_expr_draws(expr->a) || mr_expr_draws(expr->b) || mr_expr_draws(expr->c) ||
           arguments_draw(expr->items, expr->item_count);
}

void mr_asked_begin(mr_evaluator *ev, mr_rule_run *rule, const mr_asking *asking, uint32_t lane,
                    mr_arena *arena, mr_view option, mr_error *error, mr_asked_frame *frame)
{
    frame->asked = ev->asked;
    frame->arena = ev->arena;
    frame->subject = ev->subject;
    frame->error = ev->error;
    frame->now = (mr_asked_now){ .asking = asking,
                                 .run = rule->run,
                                 .rule = rule->written,
                                 .rule_run = rule,
                                 .lane = lane,
                                 .draws = asking->stream != NULL };
    rule->run->items = asking->items;
    rule->run->item_count = asking->item_count;
    ev->asked = &frame->now;
    ev->arena = arena;
    ev->subject = option;
    ev->error = error;
}

enum { SCRATCH_KEPT = 1 << 18 };

void mr_asked_end(mr_evaluator *ev, const mr_asked_frame *frame)
{
    ev->asked = frame->asked;
    ev->arena = frame->arena;
    ev->subject = frame->subject;
    ev->error = frame->error;
    if (ev->scratch_used > SCRATCH_KEPT && ev->arena != &ev->scratch) {
        mr_arena_destroy(&ev->scratch);
        mr_arena_init(&ev->scratch, ev->context);
        ev->scratch_used = 0;
    }
}

mr_stream *mr_asked_stream(mr_evaluator *ev, const mr_scope *scope, mr_place place,
                           const mr_scatter_stream *described, const char *what)
{
    const mr_scope *option = mr_scope_asked(scope);
    if (!ev->asked || !option || !option->asked->draws) {
        mr_evaluator_fail(ev, place,
                          "%s may stand only in candidates, keep, order, size, place and a maker's options",
                          what);
        return NULL;
    }
    const mr_asking *asking = ev->asked->asking;
    mr_stream *stream = asking->stream;
    if (described) {
        int32_t number = mr_run_stream_number(ev->asked->run, *described);
        stream = number >= 0 && (size_t)number < asking->stream_count ? &asking->streams[number] : NULL;
    }
    if (!stream) {
        mr_evaluator_fail_with(ev, MR_BAD_INPUT, place,
                               "give the rule draws: a stream, or the scatter a seed:",
                               "%s draws, but the rule has no stream", what);
        return NULL;
    }
    if (asking->draws) {
        ++*asking->draws;
    }
    return stream;
}

static bool drawn_range(mr_evaluator *ev, const mr_scope *scope, const mr_expr *expr,
                        const mr_interval *range, mr_datum *answer)
{
    if (range->low.kind == MR_DATUM_INT) {
        int64_t low = range->low.integer, high = range->high.integer;
        int64_t wide;
        if (__builtin_sub_overflow(high, low, &wide) ||
            (range->to && __builtin_add_overflow(wide, 1, &wide)) || wide < 1 || wide > UINT32_MAX) {
            return mr_evaluator_fail(ev, expr->place, "a range from %lld to %lld holds nothing to draw",
                                     (long long)low, (long long)high);
        }
        mr_stream *stream = mr_asked_stream(ev, scope, expr->place, NULL, "a range");
        if (!stream) {
            return false;
        }
        *answer = mr_datum_integer(low + (int64_t)mr_stream_below(stream, (uint32_t)wide));
        return true;
    }
    mr_stream *stream = mr_asked_stream(ev, scope, expr->place, NULL, "a range");
    if (!stream) {
        return false;
    }
    *answer = mr_datum_number(mr_stream_uniform(stream, range->low.number, range->high.number),
                              range->low.dimension);
    return true;
}

// Which NaN a chain of operations ends in is the machine's; what is kept of it is the canonical one, as of a program.
static double kept(float number)
{
    return number != number ? (double)__builtin_nanf("") : (double)number;
}

static bool as_given(mr_evaluator *ev, const mr_deferred *deferred, mr_datum value, const mr_expr *expr,
                     double *answer)
{
    mr_datum *like = &deferred->rule->given_like[deferred->given];
    if (value.kind == MR_DATUM_BOOL) {
        *answer = value.boolean;
    } else if (mr_datum_is_numeric(value)) {
        *answer = kept(mr_datum_as_number(value));
        value = mr_datum_number((float)*answer, mr_datum_dimension(value));
    } else {
        return mr_evaluator_fail(ev, expr->place, "given holds numbers and conditions");
    }
    bool same = like->kind == MR_DATUM_NONE ||
                (like->kind == value.kind &&
                 mr_dimension_equal(mr_datum_dimension(*like), mr_datum_dimension(value)));
    *like = value;
    return same || mr_evaluator_fail(ev, expr->place, "a given name is of two kinds");
}

static bool ask_one(mr_evaluator *ev, const mr_deferred *deferred, const mr_scope *scope, const mr_expr *expr,
                    double *answer)
{
    static const mr_world_type *const wants[] = {
        [MR_ANSWER_NUMBER] = &mr_type_number,  [MR_ANSWER_LENGTH] = &mr_type_plain_metres,
        [MR_ANSWER_ANGLE] = &mr_type_angle,    [MR_ANSWER_WHOLE] = &mr_type_int,
        [MR_ANSWER_CONDITION] = &mr_type_bool, [MR_ANSWER_QUANTITY] = &mr_type_quantity,
        [MR_ANSWER_GIVEN] = &mr_type_any,
    };
    mr_datum value;
    if (!mr_evaluate(ev, scope, expr, NULL, &value)) {
        return false;
    }
    const mr_expr *at = expr;
    mr_expr drawn = { .kind = MR_EXPR_NONE, .place = expr->place };
    if (value.kind == MR_DATUM_RANGE) {
        if (!drawn_range(ev, scope, expr, value.range, &value)) {
            return false;
        }
        at = &drawn;
    }
    if (deferred->kind == MR_ANSWER_GIVEN) {
        return as_given(ev, deferred, value, expr, answer);
    }
    if (!mr_coerce(ev, scope, at, wants[deferred->kind], &value)) {
        return false;
    }
    // A whole number that orders is a number, as the engine's: f32.
    *answer = value.kind == MR_DATUM_BOOL         ? (double)value.boolean
              : deferred->kind == MR_ANSWER_WHOLE ? (double)value.integer
                                                  : kept(mr_datum_as_number(value));
    return true;
}

static bool ask_walking(void *self, const mr_asking *asking, const uint32_t *lanes, size_t begin,
                        size_t count, double *answers, mr_error *error)
{
    const mr_deferred *deferred = self;
    mr_evaluator *ev = deferred->evaluator;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        uint32_t lane = lanes ? lanes[i] : (uint32_t)(begin + i);
        mr_asked_frame frame;
        mr_asked_begin(ev, deferred->rule, asking, lane, &ev->scratch, deferred->option, error, &frame);
        const mr_scope *scope = deferred->scope;
        if (deferred->leaf >= 0) {
            scope = deferred->rule->leaves.items[deferred->leaf].scope;
        }
        bool condition = deferred->kind == MR_ANSWER_CONDITION;
        for (size_t k = 0; good && k < deferred->expr_count; k++) {
            good = ask_one(ev, deferred, scope, deferred->exprs[k], &answers[i]);
            if (condition && good && answers[i] == 0) {
                break;
            }
        }
        mr_asked_end(ev, &frame);
    }
    return good;
}

bool mr_deferred_asker(mr_evaluator *ev, mr_deferred deferred, mr_asker *asker)
{
    if (!ev->walk_only && mr_compile_asker(&deferred, asker)) {
        return true;
    }
    mr_deferred *made = mr_arena_take(&deferred.rule->run->arena, sizeof *made);
    if (!made) {
        return mr_fail_memory(ev->error, sizeof *made);
    }
    *made = deferred;
    *asker = (mr_asker){ .self = made, .draws = true, .ask = ask_walking };
    return true;
}

// keep as two askers: its draw-free beginning, and the rest.
bool mr_keep_askers(mr_evaluator *ev, mr_deferred deferred, const mr_expr *const *exprs, size_t first,
                    size_t count, mr_asker *keep_first, mr_asker *keep_then)
{
    deferred.exprs = exprs;
    deferred.expr_count = first;
    if (first > 0 && !mr_deferred_asker(ev, deferred, keep_first)) {
        return false;
    }
    deferred.exprs = exprs + first;
    deferred.expr_count = count - first;
    return first == count || mr_deferred_asker(ev, deferred, keep_then);
}

// Names of the candidate under way.

static bool asked_array(mr_evaluator *ev, const mr_expr *expr, const void *array)
{
    return array ||
           mr_evaluator_fail(ev, expr->place, "these candidates have no %.*s", MR_VIEW_ARGS(expr->text));
}

static bool placed_earlier(mr_evaluator *ev, mr_datum *answer)
{
    mr_rule_run *rule = ev->asked->rule_run;
    size_t count = ev->asked->asking->earlier_count;
    if (!rule->earlier || rule->earlier_count != count) {
        mr_sequence *made = mr_arena_take(&ev->main, sizeof *made + count * sizeof(mr_datum));
        if (!made) {
            return mr_fail_memory(ev->error, count * sizeof(mr_datum));
        }
        mr_datum *items = (mr_datum *)(made + 1);
        for (size_t i = 0; i < count; i++) {
            items[i] = (mr_datum){ .kind = MR_DATUM_PLACED, .index = (uint32_t)i, .run = rule->run };
        }
        *made = (mr_sequence){ .count = count, .items = items };
        rule->earlier = made;
        rule->earlier_count = count;
    }
    *answer = (mr_datum){ .kind = MR_DATUM_LIST, .sequence = rule->earlier };
    return true;
}

// An option read by a later one: the number it came to for this candidate, else its expression asked again (only those
// that do not draw are readable before they are drawn).
static bool asked_option(mr_evaluator *ev, const mr_expr *expr, mr_rule_option option, const float *array,
                         bool plain, mr_datum *answer)
{
    mr_rule_run *rule = ev->asked->rule_run;
    if (array) {
        float number = array[ev->asked->lane];
        *answer = plain ? mr_datum_plain(number) : mr_datum_metres(number);
        return true;
    }
    const mr_argument *written = rule->written->call.given[option];
    if (!written || mr_expr_draws(written->value)) {
        return mr_evaluator_fail(ev, expr->place, "%.*s is not known yet here", MR_VIEW_ARGS(expr->text));
    }
    return mr_evaluate_as(ev, rule->scopes[option], written->value,
                          plain ? &mr_type_number : &mr_type_plain_metres, answer);
}

bool mr_evaluate_asked(mr_evaluator *ev, const mr_found *found, const mr_expr *expr, mr_datum *answer)
{
    const mr_asked_now *now = ev->asked;
    if (!now) {
        return mr_evaluator_fail(ev, expr->place, "%.*s is known only while the rule's candidates are asked",
                                 MR_VIEW_ARGS(expr->text));
    }
    const mr_candidates *candidates = now->asking->candidates;
    if (found->kind == MR_FOUND_ASKED && found->asked == MR_ASKED_PLACED_EARLIER) {
        return placed_earlier(ev, answer);
    }
    if (!candidates || now->lane >= candidates->count) {
        return mr_evaluator_fail(ev, expr->place, "%.*s is not known as the rule begins",
                                 MR_VIEW_ARGS(expr->text));
    }
    uint32_t lane = now->lane;
    if (found->kind == MR_FOUND_GIVEN) {
        mr_datum like = now->rule_run->given_like[found->given];
        if (!asked_array(ev, expr, candidates->given[found->given])) {
            return false;
        }
        float number = candidates->given[found->given][lane];
        *answer = like.kind == MR_DATUM_BOOL ? mr_datum_boolean(number != 0)
                                             : mr_datum_number(number, like.dimension);
        return true;
    }
    switch (found->asked) {
    case MR_ASKED_HERE: {
        float x = candidates->x[lane], z = candidates->z[lane];
        return candidates->y ? mr_make_spot(ev, x, candidates->y[lane], z, now->run->land, answer)
                             : mr_make_spot_on(ev, now->run->land, x, z, answer);
    }
    case MR_ASKED_K:
        if (!asked_array(ev, expr, candidates->k)) {
            return false;
        }
        *answer = mr_datum_integer(candidates->k[lane]);
        return true;
    case MR_ASKED_ALONG:
        if (!asked_array(ev, expr, candidates->along)) {
            return false;
        }
        *answer = mr_datum_metres(candidates->along[lane]);
        return true;
    case MR_ASKED_SIDE:
        if (!asked_array(ev, expr, candidates->side)) {
            return false;
        }
        *answer = mr_datum_integer((int64_t)candidates->side[lane]);
        return true;
    case MR_ASKED_THING:
        if (!asked_array(ev, expr, candidates->thing)) {
            return false;
        }
        *answer = (mr_datum){ .kind = MR_DATUM_PLACED, .index = candidates->thing[lane], .run = now->run };
        if (answer->index >= now->run->item_count) {
            return mr_evaluator_fail(ev, expr->place, "these candidates ring no placed thing");
        }
        return true;
    case MR_ASKED_SPACING: {
        // A size is drawn before spacing is asked: there it is worked out anew.
        bool asked = found->scope->asked != &now->rule_run->names[MR_RULE_SIZE];
        return asked_option(ev, expr, MR_RULE_SPACING, asked ? candidates->spacing : NULL, false, answer);
    }
    case MR_ASKED_SIZE:
        return asked_option(ev, expr, MR_RULE_SIZE, candidates->size, true, answer);
    case MR_ASKED_TEST:
        return asked_option(ev, expr, MR_RULE_TEST, candidates->test, false, answer);
    case MR_ASKED_ROOM:
        return asked_option(ev, expr, MR_RULE_ROOM, NULL, false, answer);
    default:
        return false;
    }
}
