// world/compile_ask.c: askers that run programs.

#include "world/compile.h"

enum { BLOCK = 1024, STREAMS_MOST = 64 };

typedef struct compiled_asker {
    mr_program *program;
    mr_lane lane;
    mr_view option; // for messages
} compiled_asker;

// As the walking says it: the option stands in front.
static bool failed(const compiled_asker *compiled, mr_error *error)
{
    if (error && error->status == MR_BAD_INPUT && error->line > 0) {
        char message[MR_MESSAGE_SIZE];
        memcpy(message, error->message, sizeof message);
        mr_text_format(error->message, sizeof error->message, "%.*s: %s", MR_VIEW_ARGS(compiled->option),
                       message);
    }
    return false;
}

static bool ask_compiled(void *self, const mr_asking *asking, const uint32_t *lanes, size_t begin,
                         size_t count, double *answers, mr_error *error)
{
    const compiled_asker *compiled = self;
    const mr_candidates *table = asking->candidates;
    const void *arrays[MR_INPUT_COUNT] = { table->x,    table->y,       table->z,    table->k,   table->along,
                                           table->side, table->spacing, table->size, table->test };
    mr_program_input_data inputs[MR_INPUT_COUNT] = { 0 };
    mr_stream *streams[STREAMS_MOST];
    for (uint32_t i = 0; i < MR_INPUT_COUNT; i++) {
        inputs[i].data = i < MR_INPUT_GIVEN ? arrays[i] : table->given[i - MR_INPUT_GIVEN];
    }
    for (size_t i = 0; i < asking->stream_count && i < STREAMS_MOST; i++) {
        streams[i] = &asking->streams[i];
    }
    union {
        float f32[BLOCK];
        int64_t i64[BLOCK];
        uint32_t truth[BLOCK];
    } out;
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t part = count - at < BLOCK ? count - at : BLOCK;
        void *outputs[1] = { &out };
        mr_program_run_data run = { .inputs = inputs,
                                    .input_count = MR_INPUT_COUNT,
                                    .outputs = outputs,
                                    .lanes = lanes ? lanes + at : NULL,
                                    .first = begin + at,
                                    .count = part,
                                    .streams = streams,
                                    .stream_count = asking->stream_count,
                                    .draws = asking->draws };
        if (!mr_program_run(asking->context, compiled->program, &run, error)) {
            return failed(compiled, error);
        }
        for (size_t i = 0; i < part; i++) {
            answers[at + i] = compiled->lane == MR_LANE_F32   ? (double)out.f32[i]
                              : compiled->lane == MR_LANE_I64 ? (double)out.i64[i]
                                                              : (double)out.truth[i];
        }
    }
    return true;
}

// A range drawn from.
static bool draw_range(mr_compiler *c, const mr_scope *scope, mr_compiled_value *value)
{
    mr_compiled_value low, high;
    bool to;
    if (value->kind == MR_COMPILED_RANGE) {
        low = value->items[0];
        high = value->items[1];
        to = value->to;
    } else if (value->kind == MR_COMPILED_CONSTANT && value->datum.kind == MR_DATUM_RANGE) {
        low = mr_compiled_constant(value->datum.range->low);
        high = mr_compiled_constant(value->datum.range->high);
        to = value->datum.range->to;
    } else {
        return true;
    }
    const mr_scope *option = mr_scope_asked(scope);
    int32_t stream = option && option->asked->draws ? c->rule->rule.stream : -1;
    if (stream < 0) {
        return false;
    }
    bool constants = low.kind == MR_COMPILED_CONSTANT && high.kind == MR_COMPILED_CONSTANT;
    if (constants && low.datum.kind == MR_DATUM_INT) {
        int64_t wide;
        if (__builtin_sub_overflow(high.datum.integer, low.datum.integer, &wide) ||
            (to && __builtin_add_overflow(wide, 1, &wide)) || wide < 1 || wide > UINT32_MAX) {
            return false;
        }
        mr_register drawn =
            mr_program_draw_below(c->builder, (uint32_t)stream, mr_program_i64(c->builder, wide));
        *value = (mr_compiled_value){ .kind = MR_COMPILED_SCALAR, .lane = MR_LANE_I64 };
        value->reg =
            mr_program_op2(c->builder, MR_OP_IADD, mr_program_i64(c->builder, low.datum.integer), drawn);
        return true;
    }
    mr_register a, b;
    if ((low.kind == MR_COMPILED_SCALAR && low.lane == MR_LANE_I64) ||
        (high.kind == MR_COMPILED_SCALAR && high.lane == MR_LANE_I64) || !mr_compile_number(c, &low, &a) ||
        !mr_compile_number(c, &high, &b)) {
        return false;
    }
    mr_register u = mr_program_draw_unit(c->builder, (uint32_t)stream);
    mr_register wide = mr_program_op2(c->builder, MR_OP_SUB, b, a);
    *value = mr_compiled_number(
        mr_program_op2(c->builder, MR_OP_ADD, a, mr_program_op2(c->builder, MR_OP_MUL, wide, u)),
        mr_compiled_dimension(&low));
    return true;
}

// The answer's register, and its lane.
static bool answer_register(mr_compiler *c, const mr_deferred *deferred, const mr_expr *expr,
                            mr_compiled_value *value, mr_register *reg)
{
    static const mr_world_type *const wants[] = {
        [MR_ANSWER_NUMBER] = &mr_type_number,  [MR_ANSWER_LENGTH] = &mr_type_plain_metres,
        [MR_ANSWER_ANGLE] = &mr_type_angle,    [MR_ANSWER_WHOLE] = &mr_type_int,
        [MR_ANSWER_CONDITION] = &mr_type_bool, [MR_ANSWER_QUANTITY] = &mr_type_quantity,
        [MR_ANSWER_GIVEN] = &mr_type_any,
    };
    const mr_expr drawn = { .kind = MR_EXPR_NONE, .place = expr->place };
    bool range = value->kind == MR_COMPILED_RANGE ||
                 (value->kind == MR_COMPILED_CONSTANT && value->datum.kind == MR_DATUM_RANGE);
    if (!draw_range(c, deferred->scope, value) ||
        !mr_compile_as(c, range ? &drawn : expr, wants[deferred->kind], value)) {
        return false;
    }
    if (deferred->kind == MR_ANSWER_CONDITION) {
        return mr_compile_truth(c, value, reg);
    }
    if (deferred->kind == MR_ANSWER_GIVEN) {
        bool boolean = value->kind == MR_COMPILED_CONSTANT
                           ? value->datum.kind == MR_DATUM_BOOL
                           : value->kind == MR_COMPILED_SCALAR && value->lane == MR_LANE_BOOL;
        mr_datum like = boolean ? mr_datum_boolean(false) : mr_datum_number(0, mr_compiled_dimension(value));
        if (!(boolean ? mr_compile_truth(c, value, reg) : mr_compile_number(c, value, reg))) {
            return false;
        }
        deferred->rule->given_like[deferred->given] = like;
        return true;
    }
    return deferred->kind == MR_ANSWER_WHOLE ? mr_compile_whole(c, value, reg)
                                             : mr_compile_number(c, value, reg);
}

static bool compile(mr_compiler *c, const mr_deferred *deferred, mr_register *answer)
{
    uint32_t regions = 0;
    bool good = true;
    mr_register holds = MR_NO_REGISTER;
    mr_register conditions[64];
    if (deferred->expr_count > 64) {
        return false;
    }
    for (size_t i = 0; good && i < deferred->expr_count; i++) {
        mr_compiled_value value;
        if (i > 0) {
            mr_program_begin_if(c->builder, holds);
            regions++;
        }
        good = mr_compile_expr(c, deferred->scope, deferred->exprs[i], &value) &&
               answer_register(c, deferred, deferred->exprs[i], &value, &holds);
        conditions[i] = holds;
    }
    // a && (b && (c)): each is read beside the one that let it be worked.
    for (size_t i = deferred->expr_count; good && i-- > 1;) {
        mr_program_end_if(c->builder);
        regions--;
        holds = mr_program_op2(c->builder, MR_OP_AND, conditions[i - 1], holds);
        conditions[i - 1] = holds;
    }
    for (; regions > 0; regions--) {
        mr_program_end_if(c->builder);
    }
    *answer = holds;
    return good;
}

static bool finish(mr_compiler *c, mr_register answer, compiled_asker *made)
{
    mr_error ignored = { 0 };
    made->lane = mr_program_lane(c->builder, answer);
    mr_program_output(c->builder, answer);
    made->program = mr_program_finish(c->builder, &ignored);
    return made->program != NULL;
}

bool mr_compile_asker(const mr_deferred *deferred, mr_asker *asker)
{
    mr_evaluator *ev = deferred->evaluator;
    mr_rule_run *rule = deferred->rule;
    if (deferred->leaf >= 0 && deferred->scoped) { // its scope is found as the kind is picked
        return false;
    }
    compiled_asker *made = mr_arena_take(&rule->run->arena, sizeof *made);
    if (!made) {
        return false;
    }
    made->option = deferred->option;
    mr_compiler c = { .ev = ev, .rule = rule, .arena = &rule->run->arena };
    c.builder = mr_program_builder_create(ev->context);
    if (!c.builder) {
        return false;
    }
    mr_arena *arena = ev->arena;
    mr_view subject = ev->subject;
    ev->arena = &ev->main;
    mr_register answer = MR_NO_REGISTER;
    bool good = compile(&c, deferred, &answer) && finish(&c, answer, made);
    ev->arena = arena;
    ev->subject = subject;
    mr_program_builder_destroy(c.builder);
    if (!good || !mr_array_push(ev->context, &rule->run->programs, made->program)) {
        if (good) {
            mr_program_destroy(made->program);
        }
        return false;
    }
    *asker = (mr_asker){ .self = made, .draws = mr_program_draws(made->program), .ask = ask_compiled };
    return true;
}
