// field/program.c: running a program, a block of lanes at a time or one by one.

#include "field/program_move.h"

enum { BLOCK = 256, BLOCK_MAX = 1 << 16, SMALL = 16384, KEEP_GOING = 4096 };

static bool fail_at_place(const program_instruction *instruction, mr_error *error)
{
    return instruction->place.file ? mr_fail_at(error, instruction->place.file, instruction->place.line,
                                                instruction->place.column)
                                   : false;
}

static bool any_lane(const uint32_t *truths, size_t count)
{
    uint32_t any = 0;
    for (size_t i = 0; i < count; i++) {
        any |= truths[i];
    }
    return any != 0;
}

static bool call_external(const program_run *r, const program_instruction *instruction, size_t count,
                          mr_error *error)
{
    const mr_external *call = &r->program->calls[instruction->operands[0]];
    const uint32_t *list = r->program->lists + instruction->operands[1];
    const void *operands[MR_CALL_OPERANDS_MAX];
    void *results[MR_CALL_RESULTS_MAX];
    for (size_t i = 0; i < call->arity; i++) {
        operands[i] = r->slots[list[i]];
    }
    for (size_t i = 0; i < call->result_count; i++) {
        results[i] = r->slots[list[call->arity + i]];
    }
    return call->call(call->self, operands, results, count, error);
}

static bool draw_below(const program_run *r, const program_instruction *instruction, mr_error *error)
{
    int64_t n = *(const int64_t *)r->slots[instruction->operands[1]];
    if (n < 0 || n > (int64_t)UINT32_MAX) {
        return mr_fail(error, MR_BAD_INPUT, "below(%lld) is asked for; it must be from 0 to 4294967295",
                       (long long)n);
    }
    mr_stream *stream = r->data->streams[instruction->operands[0]];
    *(int64_t *)r->slots[instruction->result] = (int64_t)mr_stream_below(stream, (uint32_t)n);
    return true;
}

// One instruction that is no operation; a skip is the loop's own. Draws come one lane at a time.
static bool work_other(const program_run *r, const program_instruction *instruction, size_t count,
                       mr_error *error)
{
    const program_message *message;
    switch (instruction->code) {
    case PROGRAM_CALL:
        return call_external(r, instruction, count, error);
    case PROGRAM_DRAW_UNIT:
        *(float *)r->slots[instruction->result] = mr_stream_unit(r->data->streams[instruction->operands[0]]);
        break;
    case PROGRAM_DRAW_BELOW:
        if (!draw_below(r, instruction, error)) {
            return false;
        }
        break;
    case PROGRAM_STOP:
    default:
        message = &r->program->messages[instruction->operands[0]];
        mr_fail(error, MR_BAD_INPUT, "%s", message->message);
        if (message->hint) {
            mr_hint(error, "%s", message->hint);
        }
        return false;
    }
    if (r->data->draws) {
        ++*r->data->draws;
    }
    return true;
}

// An operation that a single lane had no answer for says why.
static bool refuse(const program_run *r, const program_instruction *instruction, size_t count,
                   mr_error *error)
{
    mr_lane_value operands[MR_OPERANDS_MAX] = { 0 }, value;
    const mr_operation *operation = mr_operation_of((mr_op)instruction->code);
    for (size_t i = 0; count == 1 && i < operation->arity; i++) {
        memcpy(&operands[i], r->slots[instruction->operands[i]], program_lane_size(operation->operands[i]));
    }
    return count == 1 && mr_operation_apply(operation->op, operands, &value, error);
}

// Works all instructions over the lanes the slots hold. False where some lane had no answer; with a single lane the
// error says which and why.
static bool work(const program_run *r, size_t count, mr_error *error)
{
    const program_instruction *instructions = r->program->instructions;
    size_t end = r->program->instruction_count;
    for (size_t i = 0; i < end;) {
        const program_instruction *instruction = &instructions[i++];
        if (instruction->code < MR_OP_COUNT) {
            const void *operands[MR_OPERANDS_MAX];
            for (size_t k = 0; k < MR_OPERANDS_MAX; k++) {
                operands[k] = r->slots[instruction->operands[k]];
            }
            if (!r->operations[instruction->code](r->slots[instruction->result], operands, count)) {
                refuse(r, instruction, count, error);
                return fail_at_place(instruction, error);
            }
        } else if (instruction->code == PROGRAM_SKIP) {
            if (!any_lane(r->slots[instruction->operands[0]], count)) {
                i = instruction->operands[1];
            }
        } else if (!work_other(r, instruction, count, error)) {
            return fail_at_place(instruction, error);
        }
    }
    return true;
}

static bool work_lanes(const program_run *r, size_t begin, size_t count, mr_error *error)
{
    for (size_t i = begin; i < begin + count; i++) {
        program_bring(r, i, 1);
        if (!work(r, 1, error)) {
            return false;
        }
        program_store(r, i, 1);
    }
    return true;
}

// Lane by lane, in order.
static bool work_each(const program_run *r, mr_error *error)
{
    for (size_t begin = 0; begin < r->data->count; begin += KEEP_GOING) {
        size_t count = r->data->count - begin < KEEP_GOING ? r->data->count - begin : KEEP_GOING;
        if (!work_lanes(r, begin, count, error) || !mr_keep_going(r->context, error)) {
            return false;
        }
    }
    return true;
}

static bool work_blocks(const program_run *r, mr_error *error)
{
    size_t since = 0;
    for (size_t begin = 0; begin < r->data->count; begin += r->block) {
        size_t count = r->data->count - begin < r->block ? r->data->count - begin : r->block;
        program_bring(r, begin, count);
        mr_error unread;
        if (work(r, count, count == 1 ? error : &unread)) {
            program_store(r, begin, count);
        } else if (count == 1 || !work_lanes(r, begin, count, error)) {
            return false;
        }
        since += count;
        if (since >= KEEP_GOING) {
            since = 0;
            if (!mr_keep_going(r->context, error)) {
                return false;
            }
        }
    }
    return true;
}

bool mr_program_run(mr_context *context, const mr_program *program, const mr_program_run_data *data,
                    mr_error *error)
{
    if (data->count == 0) {
        return true;
    }
    if (data->input_count < program->inputs_needed || data->stream_count < program->streams_needed) {
        return mr_fail(
            error, MR_INTERNAL, "a program reads %u inputs and %u streams, and was given %zu and %zu",
            program->inputs_needed, program->streams_needed, data->input_count, data->stream_count);
    }
    size_t block = data->block ? data->block : BLOCK;
    block = block > BLOCK_MAX ? BLOCK_MAX : block;
    block = program->draws ? 1 : data->count < block ? data->count : block;
    program_run r = { .context = context,
                      .program = program,
                      .data = data,
                      .operations = mr_operation_blocks(mr_context_isa(context)),
                      .moves = program_moves_of(mr_context_isa(context)),
                      .block = block };
    // Slots begin where their offset says times the lanes of a block, so an even count keeps the wide ones in place.
    r.block += r.block & 1u;
    size_t table = (program->slot_count * sizeof(void *) + 63u) & ~(size_t)63u;
    size_t size = table + program->lane_bytes * r.block;
    _Alignas(64) unsigned char small[SMALL];
    unsigned char *memory = size <= SMALL ? small : mr_allocate(context, size);
    if (!memory) {
        return mr_fail_memory(error, size);
    }
    // A skipped instruction leaves its slot as it was; what is there may be any number but not nothing.
    memset(memory, 0, size);
    r.slots = (void **)(void *)memory;
    r.memory = memory + table;
    program_prepare(&r);
    bool good = block == 1 ? work_each(&r, error) : work_blocks(&r, error);
    if (memory != small) {
        mr_free(context, memory);
    }
    return good;
}
