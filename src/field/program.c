// field/program.c: running a program, a block of lanes at a time or one by one.

#include "field/program_state.h"

enum { BLOCK = 256, BLOCK_MAX = 1 << 16, SMALL = 16384, KEEP_GOING = 4096 };

typedef struct run {
    mr_context *context;
    const mr_program *program;
    const mr_program_run_data *data;
    const mr_operation_block *operations;
    unsigned char *memory;
    size_t block; // lanes the memory is laid out for
    // Where each slot's lanes are: in the memory, or in the caller's own arrays.
    void **slots;
} run;

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

static bool call_external(const run *r, const program_instruction *instruction, size_t count, mr_error *error)
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

static bool draw_below(const run *r, const program_instruction *instruction, mr_error *error)
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
static bool work_other(const run *r, const program_instruction *instruction, size_t count, mr_error *error)
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
static bool refuse(const run *r, const program_instruction *instruction, size_t count, mr_error *error)
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
static bool work(const run *r, size_t count, mr_error *error)
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

static void fill(void *out, mr_lane lane, const void *value, size_t count)
{
    if (lane == MR_LANE_I64) {
        int64_t word;
        memcpy(&word, value, sizeof word);
        for (size_t i = 0; i < count; i++) {
            ((int64_t *)out)[i] = word;
        }
        return;
    }
    uint32_t word;
    memcpy(&word, value, sizeof word);
    for (size_t i = 0; i < count; i++) {
        ((uint32_t *)out)[i] = word;
    }
}

static void gather_words(uint32_t *restrict out, const uint32_t *restrict from, const uint32_t *places,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = from[places[i]];
    }
}

// Every stride-th word. The strides of vectors are constants, so that the compiler knows them.
static void spread_words(uint32_t *restrict out, const uint32_t *restrict from, size_t stride, size_t count)
{
    switch (stride) {
    case 2:
        for (size_t i = 0; i < count; i++) {
            out[i] = from[2 * i];
        }
        break;
    case 3:
        for (size_t i = 0; i < count; i++) {
            out[i] = from[3 * i];
        }
        break;
    case 4:
        for (size_t i = 0; i < count; i++) {
            out[i] = from[4 * i];
        }
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            out[i] = from[stride * i];
        }
    }
}

// Puts every slot in the memory, and what does not change from block to block into them.
static void prepare(const run *r)
{
    const mr_program *program = r->program;
    for (size_t i = 0; i < program->slot_count; i++) {
        r->slots[i] = r->memory + program->slots[i].offset * r->block;
    }
    for (size_t i = 0; i < program->constant_count; i++) {
        const program_constant *constant = &program->constants[i];
        fill(r->slots[constant->slot], program->slots[constant->slot].lane, &constant->value, r->block);
    }
    for (size_t i = 0; i < program->input_count; i++) {
        const program_input *input = &program->inputs[i];
        const mr_program_input_data *data = &r->data->inputs[input->index];
        if (data->from == MR_INPUT_SAME) {
            fill(r->slots[input->slot], program->slots[input->slot].lane, data->data, r->block);
        }
    }
}

// The number of the i-th lane of the run, held to the elements there are.
static size_t lane_of(const run *r, const mr_program_input_data *data, size_t i)
{
    size_t lane = data->from == MR_INPUT_PLACES ? i : r->data->lanes ? r->data->lanes[i] : r->data->first + i;
    return data->from == MR_INPUT_LANES && data->elements && lane >= data->elements ? data->elements - 1
                                                                                    : lane;
}

static void bring_each(const run *r, const program_input *input, size_t begin, size_t count)
{
    const mr_program_input_data *data = &r->data->inputs[input->index];
    size_t stride = data->stride ? data->stride : 1;
    void *slot = r->slots[input->slot];
    bool wide = r->program->slots[input->slot].lane == MR_LANE_I64;
    for (size_t i = 0; i < count; i++) {
        size_t at = lane_of(r, data, begin + i) * stride;
        if (wide) {
            ((int64_t *)slot)[i] = ((const int64_t *)data->data)[at];
        } else {
            ((uint32_t *)slot)[i] = ((const uint32_t *)data->data)[at];
        }
    }
}

static void bring_numbers(const run *r, const program_input *input, size_t begin, size_t count)
{
    uint32_t *slot = r->slots[input->slot];
    if (r->data->lanes) {
        memcpy(slot, r->data->lanes + begin, count * sizeof *slot);
        return;
    }
    uint32_t first = (uint32_t)(r->data->first + begin);
    for (size_t i = 0; i < count; i++) {
        slot[i] = first + (uint32_t)i;
    }
}

static void bring_one(const run *r, const program_input *input, size_t begin, size_t count)
{
    const mr_program_input_data *data = &r->data->inputs[input->index];
    mr_lane lane = r->program->slots[input->slot].lane;
    bool scattered = data->from == MR_INPUT_LANES && r->data->lanes;
    size_t first = data->from == MR_INPUT_PLACES ? begin : r->data->first + begin;
    bool past = data->from == MR_INPUT_LANES && data->elements && first + count > data->elements;
    if (data->from == MR_INPUT_NUMBERS) {
        bring_numbers(r, input, begin, count);
    } else if (scattered && data->stride <= 1 && !data->elements && lane != MR_LANE_I64) {
        gather_words(r->slots[input->slot], data->data, r->data->lanes + begin, count);
    } else if (scattered || past || (data->stride > 1 && lane == MR_LANE_I64)) {
        r->slots[input->slot] = r->memory + r->program->slots[input->slot].offset * r->block;
        bring_each(r, input, begin, count);
    } else if (data->stride > 1) {
        spread_words(r->slots[input->slot], (const uint32_t *)data->data + first * data->stride, data->stride,
                     count);
    } else {
        // Read where it is; a slot of an input is never written.
        r->slots[input->slot] = (void *)((uintptr_t)data->data + first * program_lane_size(lane));
    }
}

// Brings the inputs of the lanes from `begin` of the run on.
static void bring(const run *r, size_t begin, size_t count)
{
    const mr_program *program = r->program;
    for (size_t i = 0; i < program->input_count; i++) {
        if (r->data->inputs[program->inputs[i].index].from != MR_INPUT_SAME) {
            bring_one(r, &program->inputs[i], begin, count);
        }
    }
}

static uint32_t canonical(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}

static void store_f32(uint32_t *restrict to, const uint32_t *restrict from, size_t stride, size_t count)
{
    if (stride == 1) {
        for (size_t i = 0; i < count; i++) {
            to[i] = canonical(from[i]);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        to[stride * i] = canonical(from[i]);
    }
}

// Hands the outputs on; any NaN becomes the canonical one.
static void store(const run *r, size_t begin, size_t count)
{
    const mr_program *program = r->program;
    size_t stride = r->data->output_stride ? r->data->output_stride : 1;
    for (size_t k = 0; k < program->output_count; k++) {
        uint32_t slot = program->outputs[k];
        mr_lane lane = program->slots[slot].lane;
        size_t size = program_lane_size(lane);
        unsigned char *to = (unsigned char *)r->data->outputs[k] + begin * stride * size;
        if (lane == MR_LANE_F32) {
            store_f32((uint32_t *)(void *)to, r->slots[slot], stride, count);
        } else if (stride == 1) {
            memcpy(to, r->slots[slot], count * size);
        } else {
            for (size_t i = 0; i < count; i++) {
                memcpy(to + i * stride * size, (unsigned char *)r->slots[slot] + i * size, size);
            }
        }
    }
}

static bool work_lanes(const run *r, size_t begin, size_t count, mr_error *error)
{
    for (size_t i = begin; i < begin + count; i++) {
        bring(r, i, 1);
        if (!work(r, 1, error)) {
            return false;
        }
        store(r, i, 1);
    }
    return true;
}

// Lane by lane, in order.
static bool work_each(const run *r, mr_error *error)
{
    for (size_t begin = 0; begin < r->data->count; begin += KEEP_GOING) {
        size_t count = r->data->count - begin < KEEP_GOING ? r->data->count - begin : KEEP_GOING;
        if (!work_lanes(r, begin, count, error) || !mr_keep_going(r->context, error)) {
            return false;
        }
    }
    return true;
}

static bool work_blocks(const run *r, mr_error *error)
{
    size_t since = 0;
    for (size_t begin = 0; begin < r->data->count; begin += r->block) {
        size_t count = r->data->count - begin < r->block ? r->data->count - begin : r->block;
        bring(r, begin, count);
        mr_error unread;
        if (work(r, count, count == 1 ? error : &unread)) {
            store(r, begin, count);
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
    run r = { .context = context,
              .program = program,
              .data = data,
              .operations = mr_operation_blocks(mr_context_isa(context)),
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
    prepare(&r);
    bool good = block == 1 ? work_each(&r, error) : work_blocks(&r, error);
    if (memory != small) {
        mr_free(context, memory);
    }
    return good;
}
