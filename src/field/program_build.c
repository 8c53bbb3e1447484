// field/program_build.c: from calls to a list of drafts over registers, which are numbered as they are made.

#include "field/program_builder.h"

enum { DEPTH_MAX = 256 };

static mr_register fail(mr_program_builder *builder, const char *message)
{
    if (!builder->failed) {
        builder->failed = true;
        mr_fail(&builder->error, MR_INTERNAL, "a program was built wrongly: %s", message);
    }
    return MR_NO_REGISTER;
}

static mr_register fail_memory(mr_program_builder *builder)
{
    if (!builder->failed) {
        builder->failed = true;
        mr_fail_memory(&builder->error, sizeof(draft));
    }
    return MR_NO_REGISTER;
}

mr_program_builder *mr_program_builder_create(mr_context *context)
{
    mr_program_builder *builder = mr_allocate_zeroed(context, sizeof *builder);
    if (!builder) {
        return NULL;
    }
    builder->context = context;
    mr_arena_init(&builder->arena, context);
    if (!mr_array_push(context, &builder->regions, (region){ .open = true })) {
        mr_program_builder_destroy(builder);
        return NULL;
    }
    return builder;
}

void mr_program_builder_destroy(mr_program_builder *builder)
{
    if (!builder) {
        return;
    }
    mr_context *context = builder->context;
    mr_array_free(context, &builder->registers);
    mr_array_free(context, &builder->drafts);
    mr_array_free(context, &builder->regions);
    mr_array_free(context, &builder->calls);
    mr_array_free(context, &builder->lists);
    mr_array_free(context, &builder->messages);
    mr_array_free(context, &builder->outputs);
    mr_array_free(context, &builder->given);
    mr_array_free(context, &builder->buckets);
    mr_arena_destroy(&builder->arena);
    mr_free(context, builder);
}

mr_lane mr_program_lane(const mr_program_builder *builder, mr_register of)
{
    return of < builder->registers.count ? builder->registers.items[of].lane : MR_LANE_F32;
}

void mr_program_at(mr_program_builder *builder, const char *file, uint32_t line, uint32_t column)
{
    builder->place = (program_place){ file, line, column };
}

static bool is_register(mr_program_builder *builder, mr_register of, mr_lane lane)
{
    if (builder->failed) {
        return false;
    }
    if (of >= builder->registers.count) {
        fail(builder, "an operand is no register");
        return false;
    }
    if (builder->registers.items[of].lane != lane) {
        fail(builder, "an operand is of another kind than its operation takes");
        return false;
    }
    return true;
}

static mr_register add_register(mr_program_builder *builder, register_about about)
{
    if (builder->failed) {
        return MR_NO_REGISTER;
    }
    if (!mr_array_push(builder->context, &builder->registers, about)) {
        return fail_memory(builder);
    }
    return (mr_register)(builder->registers.count - 1);
}

// Constants and inputs are few: a walk finds them.
static mr_register find_or_add(mr_program_builder *builder, register_about about)
{
    for (size_t k = 0; k < builder->given.count; k++) {
        uint32_t i = builder->given.items[k];
        const register_about *other = &builder->registers.items[i];
        if (other->kind == about.kind && other->lane == about.lane && other->index == about.index &&
            other->value.i64 == about.value.i64) {
            return i;
        }
    }
    mr_register made = add_register(builder, about);
    if (made != MR_NO_REGISTER && !mr_array_push(builder->context, &builder->given, made)) {
        return fail_memory(builder);
    }
    return made;
}

static mr_register constant(mr_program_builder *builder, mr_lane lane, mr_lane_value value)
{
    if (lane == MR_LANE_F32 && value.f32 != value.f32) {
        value.truth = 0x7fc00000u;
    }
    return find_or_add(builder, (register_about){ .lane = lane, .kind = REGISTER_CONSTANT, .value = value });
}

// The other bytes of the union are 0, so that equal constants are equal words.
static mr_lane_value of_f32(float value)
{
    mr_lane_value word = { .i64 = 0 };
    word.f32 = value;
    return word;
}

static mr_lane_value of_word(uint32_t value)
{
    mr_lane_value word = { .i64 = 0 };
    word.word = value;
    return word;
}

mr_register mr_program_f32(mr_program_builder *builder, float value)
{
    return constant(builder, MR_LANE_F32, of_f32(value));
}

mr_register mr_program_i64(mr_program_builder *builder, int64_t value)
{
    return constant(builder, MR_LANE_I64, (mr_lane_value){ .i64 = value });
}

mr_register mr_program_bool(mr_program_builder *builder, bool value)
{
    return constant(builder, MR_LANE_BOOL, of_word(value));
}

mr_register mr_program_word(mr_program_builder *builder, uint32_t value)
{
    return constant(builder, MR_LANE_WORD, of_word(value));
}

mr_register mr_program_input(mr_program_builder *builder, uint32_t index, mr_lane lane)
{
    for (size_t i = 0; i < builder->given.count; i++) {
        const register_about *other = &builder->registers.items[builder->given.items[i]];
        if (other->kind == REGISTER_INPUT && other->index == index && other->lane != lane) {
            return fail(builder, "one input is read as two kinds");
        }
    }
    return find_or_add(builder, (register_about){ .lane = lane, .kind = REGISTER_INPUT, .index = index });
}

static uint32_t *bucket_of(const mr_program_builder *builder, const program_instruction *instruction)
{
    uint32_t hash = instruction->code * 0x9e3779b9u;
    for (size_t i = 0; i < MR_OPERANDS_MAX; i++) {
        hash = (hash ^ instruction->operands[i]) * 0x01000193u;
    }
    return &builder->buckets.items[(hash ^ hash >> 15) & (builder->buckets.count - 1)];
}

static bool append(mr_program_builder *builder, const program_instruction *instruction)
{
    draft made = { .instruction = *instruction, .region = builder->region };
    made.instruction.place = builder->place;
    if (!mr_array_push(builder->context, &builder->drafts, made)) {
        fail_memory(builder);
        return false;
    }
    return true;
}

// The register of an equal instruction that is worked wherever this one would be: one in a region still open.
static mr_register find_equal(const mr_program_builder *builder, const program_instruction *instruction)
{
    if (!builder->buckets.count) {
        return MR_NO_REGISTER;
    }
    for (uint32_t at = *bucket_of(builder, instruction); at; at = builder->drafts.items[at - 1].next) {
        const draft *other = &builder->drafts.items[at - 1];
        if (other->instruction.code == instruction->code && builder->regions.items[other->region].open &&
            memcmp(other->instruction.operands, instruction->operands, sizeof instruction->operands) == 0) {
            return other->instruction.result;
        }
    }
    return MR_NO_REGISTER;
}

static void put_in_bucket(mr_program_builder *builder, size_t number)
{
    draft *made = &builder->drafts.items[number];
    uint32_t *bucket = bucket_of(builder, &made->instruction);
    made->next = *bucket;
    *bucket = (uint32_t)number + 1;
}

// Twice as many buckets, a power of two, with every operation put anew.
static bool grow_buckets(mr_program_builder *builder)
{
    size_t count = builder->buckets.count ? 2 * builder->buckets.count : 64;
    if (!mr_array_reserve(builder->context, &builder->buckets, count)) {
        fail_memory(builder);
        return false;
    }
    builder->buckets.count = count;
    memset(builder->buckets.items, 0, count * sizeof *builder->buckets.items);
    for (size_t i = 0; i < builder->drafts.count; i++) {
        if (builder->drafts.items[i].instruction.code < MR_OP_COUNT) {
            put_in_bucket(builder, i);
        }
    }
    return true;
}

// The newest draft, an operation, where find_equal finds it.
static bool remember(mr_program_builder *builder)
{
    if (builder->drafts.count > builder->buckets.count) {
        return grow_buckets(builder);
    }
    put_in_bucket(builder, builder->drafts.count - 1);
    return true;
}

// The value of an operation whose operands are all constants, where it has one.
static bool fold(const mr_program_builder *builder, const mr_operation *operation, const uint32_t *operands,
                 mr_lane_value *value)
{
    mr_lane_value values[MR_OPERANDS_MAX];
    for (size_t i = 0; i < operation->arity; i++) {
        const register_about *about = &builder->registers.items[operands[i]];
        if (about->kind != REGISTER_CONSTANT) {
            return false;
        }
        values[i] = about->value;
    }
    return mr_operation_apply(operation->op, values, value, NULL);
}

mr_register mr_program_op(mr_program_builder *builder, mr_op op, mr_register a, mr_register b, mr_register c,
                          mr_register d)
{
    if (builder->failed) {
        return MR_NO_REGISTER;
    }
    if ((unsigned)op >= MR_OP_COUNT) {
        return fail(builder, "there is no such operation");
    }
    const mr_operation *operation = mr_operation_of(op);
    const mr_register given[MR_OPERANDS_MAX] = { a, b, c, d };
    program_instruction instruction = { .code = op };
    for (size_t i = 0; i < operation->arity; i++) {
        if (!is_register(builder, given[i], operation->operands[i])) {
            return MR_NO_REGISTER;
        }
        instruction.operands[i] = given[i];
    }
    mr_lane_value value = { .i64 = 0 };
    if (fold(builder, operation, instruction.operands, &value)) {
        return constant(builder, operation->result, value);
    }
    // Operations that fail keep their order, which their messages show.
    if (operation->commutes && !operation->fails && a > b) {
        instruction.operands[0] = b;
        instruction.operands[1] = a;
    }
    mr_register equal = find_equal(builder, &instruction);
    if (equal != MR_NO_REGISTER) {
        return equal;
    }
    instruction.result =
        add_register(builder, (register_about){ .lane = operation->result, .kind = REGISTER_WORKED });
    if (builder->failed || !append(builder, &instruction) || !remember(builder)) {
        return MR_NO_REGISTER;
    }
    return instruction.result;
}

// The first result of an equal pure call in an open region.
static mr_register find_equal_call(const mr_program_builder *builder, const mr_external *external,
                                   const mr_register *operands)
{
    for (size_t i = 0; external->pure && i < builder->drafts.count; i++) {
        const draft *other = &builder->drafts.items[i];
        if (other->instruction.code != PROGRAM_CALL || !builder->regions.items[other->region].open) {
            continue;
        }
        const mr_external *called = &builder->calls.items[other->instruction.operands[0]];
        if (called->pure && called->self == external->self && called->call == external->call &&
            called->arity == external->arity && called->result_count == external->result_count &&
            memcmp(builder->lists.items + other->instruction.operands[1], operands,
                   external->arity * sizeof *operands) == 0) {
            return other->instruction.operands[2];
        }
    }
    return MR_NO_REGISTER;
}

mr_register mr_program_call(mr_program_builder *builder, const mr_external *external,
                            const mr_register *operands)
{
    if (builder->failed) {
        return MR_NO_REGISTER;
    }
    if (external->arity > MR_CALL_OPERANDS_MAX || external->result_count == 0 ||
        external->result_count > MR_CALL_RESULTS_MAX) {
        return fail(builder, "a call has too many operands or results, or no result");
    }
    for (size_t i = 0; i < external->arity; i++) {
        if (!is_register(builder, operands[i], external->operands[i])) {
            return MR_NO_REGISTER;
        }
    }
    mr_register equal = external->arity ? find_equal_call(builder, external, operands) : MR_NO_REGISTER;
    if (equal != MR_NO_REGISTER) {
        return equal;
    }
    // The list holds the operands' registers, then the results'.
    program_instruction instruction = { .code = PROGRAM_CALL,
                                        .operands = { (uint32_t)builder->calls.count,
                                                      (uint32_t)builder->lists.count,
                                                      (uint32_t)builder->registers.count } };
    if (!mr_array_push(builder->context, &builder->calls, *external)) {
        return fail_memory(builder);
    }
    for (size_t i = 0; i < external->arity; i++) {
        if (!mr_array_push(builder->context, &builder->lists, operands[i])) {
            return fail_memory(builder);
        }
    }
    for (size_t i = 0; i < external->result_count; i++) {
        mr_register result =
            add_register(builder, (register_about){ .lane = external->results[i], .kind = REGISTER_WORKED });
        if (builder->failed || !mr_array_push(builder->context, &builder->lists, result)) {
            return fail_memory(builder);
        }
    }
    instruction.result = instruction.operands[2];
    return append(builder, &instruction) ? instruction.result : MR_NO_REGISTER;
}

static mr_register draw(mr_program_builder *builder, uint32_t code, mr_lane lane, uint32_t stream,
                        mr_register n)
{
    program_instruction instruction = { .code = code, .operands = { stream, n } };
    instruction.result = add_register(builder, (register_about){ .lane = lane, .kind = REGISTER_WORKED });
    if (builder->failed || !append(builder, &instruction)) {
        return MR_NO_REGISTER;
    }
    builder->draws = true;
    builder->streams = stream + 1 > builder->streams ? stream + 1 : builder->streams;
    return instruction.result;
}

mr_register mr_program_draw_unit(mr_program_builder *builder, uint32_t stream)
{
    return draw(builder, PROGRAM_DRAW_UNIT, MR_LANE_F32, stream, 0);
}

mr_register mr_program_draw_below(mr_program_builder *builder, uint32_t stream, mr_register n)
{
    return is_register(builder, n, MR_LANE_I64) ? draw(builder, PROGRAM_DRAW_BELOW, MR_LANE_I64, stream, n)
                                                : MR_NO_REGISTER;
}

void mr_program_stop(mr_program_builder *builder, const char *message, const char *hint)
{
    program_message copy = { mr_arena_text(&builder->arena, message, strlen(message)),
                             hint ? mr_arena_text(&builder->arena, hint, strlen(hint)) : NULL };
    program_instruction instruction = { .code = PROGRAM_STOP,
                                        .operands = { (uint32_t)builder->messages.count } };
    if (builder->failed || !copy.message || (hint && !copy.hint) ||
        !mr_array_push(builder->context, &builder->messages, copy)) {
        fail_memory(builder);
        return;
    }
    append(builder, &instruction);
}

void mr_program_begin_if(mr_program_builder *builder, mr_register condition)
{
    program_instruction instruction = { .code = PROGRAM_SKIP, .operands = { condition } };
    region made = { .outer = builder->region, .skip = (uint32_t)builder->drafts.count, .open = true };
    if (!is_register(builder, condition, MR_LANE_BOOL)) {
        return;
    }
    if (builder->depth == DEPTH_MAX) {
        builder->failed = true;
        mr_fail(&builder->error, MR_LIMIT, "conditions stand in each other more than %d deep",
                (int)DEPTH_MAX);
        return;
    }
    if (!append(builder, &instruction)) {
        return;
    }
    if (!mr_array_push(builder->context, &builder->regions, made)) {
        fail_memory(builder);
        return;
    }
    builder->depth++;
    builder->region = (uint32_t)(builder->regions.count - 1);
}

void mr_program_end_if(mr_program_builder *builder)
{
    if (builder->failed) {
        return;
    }
    region *inner = &builder->regions.items[builder->region];
    if (builder->region == 0) {
        fail(builder, "an end_if has no begin_if");
        return;
    }
    inner->open = false;
    builder->drafts.items[inner->skip].instruction.operands[1] = (uint32_t)builder->drafts.count;
    builder->region = inner->outer;
    builder->depth--;
}

void mr_program_output(mr_program_builder *builder, mr_register from)
{
    if (!builder->failed && from >= builder->registers.count) {
        fail(builder, "an output is no register");
    }
    if (!builder->failed && !mr_array_push(builder->context, &builder->outputs, from)) {
        fail_memory(builder);
    }
}
