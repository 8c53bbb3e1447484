// field/program_finish.c: from registers to slots.
//
// What nobody reads is left out; then each register has a slot from its making to its last reading, and slots of one
// lane type are used again.

#include "field/program_builder.h"

typedef struct finish {
    const mr_program_builder *builder;
    mr_program *program;
    bool *read;          // by register
    bool *kept;          // by draft
    uint32_t *last;      // by register: the last draft that reads it
    uint32_t *slot;      // by register
    uint32_t *free_next; // by slot: the next free one of its lane type, one more than its number
    uint32_t free_first[MR_LANE_COUNT];
} finish;

// Does body for each operand that is a register.
#define FOR_OPERANDS(builder, instruction, operand, body)                                                    \
    do {                                                                                                     \
        const program_instruction *in_ = (instruction);                                                      \
        if (in_->code < MR_OP_COUNT) {                                                                       \
            for (size_t k_ = 0; k_ < mr_operation_of((mr_op)in_->code)->arity; k_++) {                       \
                uint32_t operand = in_->operands[k_];                                                        \
                body;                                                                                        \
            }                                                                                                \
        } else if (in_->code == PROGRAM_CALL) {                                                              \
            for (size_t k_ = 0; k_ < (builder)->calls.items[in_->operands[0]].arity; k_++) {                 \
                uint32_t operand = (builder)->lists.items[in_->operands[1] + k_];                            \
                body;                                                                                        \
            }                                                                                                \
        } else if (in_->code == PROGRAM_DRAW_BELOW) {                                                        \
            uint32_t operand = in_->operands[1];                                                             \
            body;                                                                                            \
        } else if (in_->code == PROGRAM_SKIP) {                                                              \
            uint32_t operand = in_->operands[0];                                                             \
            body;                                                                                            \
        }                                                                                                    \
    } while (0)

// How many registers an instruction writes, the first of them its result.
static uint32_t result_count(const mr_program_builder *builder, const program_instruction *instruction)
{
    if (instruction->code == PROGRAM_CALL) {
        return builder->calls.items[instruction->operands[0]].result_count;
    }
    return instruction->code == PROGRAM_STOP || instruction->code == PROGRAM_SKIP ? 0 : 1;
}

// Backwards: an instruction is kept when something kept reads it, or when it does more than answer; a skip, when
// something kept stands in it.
static void mark(finish *f)
{
    const mr_program_builder *builder = f->builder;
    for (size_t i = 0; i < builder->outputs.count; i++) {
        f->read[builder->outputs.items[i]] = true;
    }
    for (size_t i = builder->drafts.count; i-- > 0;) {
        const program_instruction *instruction = &builder->drafts.items[i].instruction;
        bool kept = f->kept[i];
        for (uint32_t k = 0; k < result_count(builder, instruction); k++) {
            kept = kept || f->read[instruction->result + k];
        }
        kept = kept || instruction->code == PROGRAM_DRAW_UNIT || instruction->code == PROGRAM_DRAW_BELOW ||
               instruction->code == PROGRAM_STOP ||
               (instruction->code == PROGRAM_CALL && !builder->calls.items[instruction->operands[0]].pure);
        f->kept[i] = kept;
        if (!kept) {
            continue;
        }
        FOR_OPERANDS(builder, instruction, operand, {
            f->read[operand] = true;
            if (f->last[operand] < i) {
                f->last[operand] = (uint32_t)i;
            }
        });
        uint32_t inside = builder->drafts.items[i].region;
        if (inside) {
            f->kept[builder->regions.items[inside].skip] = true;
        }
    }
    for (size_t i = 0; i < builder->outputs.count; i++) {
        f->last[builder->outputs.items[i]] = UINT32_MAX;
    }
}

static void give_slot(finish *f, mr_register of)
{
    mr_lane lane = f->builder->registers.items[of].lane;
    uint32_t reused = f->free_first[lane];
    if (reused) {
        f->free_first[lane] = f->free_next[reused - 1];
        f->slot[of] = reused - 1;
        return;
    }
    mr_program *program = f->program;
    f->slot[of] = (uint32_t)program->slot_count;
    program->slots[program->slot_count++] = (program_slot){ lane, program->lane_bytes };
    program->lane_bytes += program_lane_size(lane);
}

static void free_slot(finish *f, mr_register of)
{
    mr_lane lane = f->builder->registers.items[of].lane;
    f->free_next[f->slot[of]] = f->free_first[lane];
    f->free_first[lane] = f->slot[of] + 1;
}

// Constants and inputs first; they keep their slots.
static void place_given(finish *f)
{
    const mr_program_builder *builder = f->builder;
    mr_program *program = f->program;
    for (size_t i = 0; i < builder->registers.count; i++) {
        const register_about *about = &builder->registers.items[i];
        if (!f->read[i] || about->kind == REGISTER_WORKED) {
            continue;
        }
        give_slot(f, (mr_register)i);
        if (about->kind == REGISTER_CONSTANT) {
            program->constants[program->constant_count++] = (program_constant){ f->slot[i], about->value };
        } else {
            program->inputs[program->input_count++] = (program_input){ f->slot[i], about->index };
            if (about->index >= program->inputs_needed) {
                program->inputs_needed = about->index + 1;
            }
        }
    }
}

// An operand's slot is free once its last reader has its own result's: a result never shares a slot with an operand.
static void place_worked(finish *f)
{
    const mr_program_builder *builder = f->builder;
    mr_program *program = f->program;
    for (size_t i = 0; i < builder->drafts.count; i++) {
        if (!f->kept[i]) {
            continue;
        }
        const program_instruction *made = &builder->drafts.items[i].instruction;
        for (uint32_t k = 0; k < result_count(builder, made); k++) {
            give_slot(f, made->result + k);
        }
        program_instruction instruction = *made;
        if (result_count(builder, made)) {
            instruction.result = f->slot[made->result];
        }
        if (made->code < MR_OP_COUNT) {
            for (size_t k = 0; k < mr_operation_of((mr_op)made->code)->arity; k++) {
                instruction.operands[k] = f->slot[made->operands[k]];
            }
        } else if (made->code == PROGRAM_CALL) {
            const mr_external *call = &builder->calls.items[made->operands[0]];
            for (size_t k = 0; k < (size_t)call->arity + call->result_count; k++) {
                size_t at = made->operands[1] + k;
                program->lists[at] = f->slot[builder->lists.items[at]];
            }
        } else if (made->code == PROGRAM_DRAW_BELOW) {
            instruction.operands[1] = f->slot[made->operands[1]];
        } else if (made->code == PROGRAM_SKIP) {
            instruction.operands[0] = f->slot[made->operands[0]];
        }
        program->instructions[program->instruction_count++] = instruction;
        FOR_OPERANDS(builder, made, operand, {
            // An operand named twice is freed once.
            if (f->last[operand] == i && builder->registers.items[operand].kind == REGISTER_WORKED) {
                free_slot(f, operand);
                f->last[operand] = UINT32_MAX;
            }
        });
        for (uint32_t k = 0; k < result_count(builder, made); k++) {
            if (!f->read[made->result + k]) {
                free_slot(f, made->result + k);
            }
        }
    }
}

// Targets were counted in drafts; now in what is left of them.
static void aim_skips(finish *f)
{
    const mr_program_builder *builder = f->builder;
    uint32_t *place = f->last; // by draft: how many kept stand before it; it has room for them and one more
    uint32_t count = 0;
    for (size_t i = 0; i < builder->drafts.count; i++) {
        place[i] = count;
        count += f->kept[i];
    }
    place[builder->drafts.count] = count;
    for (size_t i = 0; i < f->program->instruction_count; i++) {
        program_instruction *instruction = &f->program->instructions[i];
        if (instruction->code == PROGRAM_SKIP) {
            instruction->operands[1] = place[instruction->operands[1]];
        }
    }
}

static void *copy(mr_arena *arena, const void *items, size_t count, size_t size)
{
    void *made = mr_arena_take(arena, count ? count * size : 1);
    if (made && count) {
        memcpy(made, items, count * size);
    }
    return made;
}

static bool copy_messages(mr_program *program, const mr_program_builder *builder)
{
    for (size_t i = 0; i < builder->messages.count; i++) {
        program_message *message = &program->messages[i];
        message->message = mr_arena_text(&program->arena, message->message, strlen(message->message));
        if (message->hint) {
            message->hint = mr_arena_text(&program->arena, message->hint, strlen(message->hint));
        }
        if (!message->message || (builder->messages.items[i].hint && !message->hint)) {
            return false;
        }
    }
    return true;
}

static bool finish_into(mr_program *program, mr_program_builder *builder)
{
    mr_arena *arena = &program->arena, *scratch = &builder->arena;
    size_t registers = builder->registers.count + 1, drafts = builder->drafts.count + 1;
    size_t most = registers > drafts ? registers : drafts;
    finish f = {
        .builder = builder,
        .program = program,
        .read = mr_arena_take(scratch, registers * sizeof(bool)),
        .kept = mr_arena_take(scratch, drafts * sizeof(bool)),
        .last = mr_arena_take(scratch, most * sizeof(uint32_t)),
        .slot = mr_arena_take(scratch, registers * sizeof(uint32_t)),
        .free_next = mr_arena_take(scratch, registers * sizeof(uint32_t)),
    };
    program->instructions = mr_arena_take(arena, drafts * sizeof *program->instructions);
    program->slots = mr_arena_take(arena, registers * sizeof *program->slots);
    program->constants = mr_arena_take(arena, registers * sizeof *program->constants);
    program->inputs = mr_arena_take(arena, registers * sizeof *program->inputs);
    program->calls = copy(arena, builder->calls.items, builder->calls.count, sizeof *program->calls);
    program->lists = copy(arena, builder->lists.items, builder->lists.count, sizeof *program->lists);
    program->messages =
        copy(arena, builder->messages.items, builder->messages.count, sizeof *program->messages);
    program->outputs = copy(arena, builder->outputs.items, builder->outputs.count, sizeof *program->outputs);
    if (!f.read || !f.kept || !f.last || !f.slot || !f.free_next || !program->instructions ||
        !program->slots || !program->constants || !program->inputs || !program->calls || !program->lists ||
        !program->messages || !program->outputs || !copy_messages(program, builder)) {
        return false;
    }
    program->output_count = builder->outputs.count;
    program->draws = builder->draws;
    program->streams_needed = builder->streams;
    mark(&f);
    place_given(&f);
    place_worked(&f);
    aim_skips(&f);
    for (size_t i = 0; i < program->output_count; i++) {
        program->outputs[i] = f.slot[builder->outputs.items[i]];
    }
    if (program->output_count == 1 && program->instruction_count == 0) {
        const register_about *about = &builder->registers.items[builder->outputs.items[0]];
        program->is_constant = about->kind == REGISTER_CONSTANT;
        program->constant = about->value;
    }
    return true;
}

mr_program *mr_program_finish(mr_program_builder *builder, mr_error *error)
{
    if (!builder->failed && builder->region != 0) {
        builder->failed = true;
        mr_fail(&builder->error, MR_INTERNAL, "a program was built wrongly: a begin_if has no end_if");
    }
    if (builder->failed) {
        if (error) {
            *error = builder->error;
        }
        return NULL;
    }
    mr_program *program = mr_allocate_zeroed(builder->context, sizeof *program);
    if (!program) {
        mr_fail_memory(error, sizeof *program);
        return NULL;
    }
    program->context = builder->context;
    mr_arena_init(&program->arena, builder->context);
    if (!finish_into(program, builder)) {
        mr_program_destroy(program);
        mr_fail_memory(error, builder->drafts.count * sizeof(program_instruction));
        return NULL;
    }
    return program;
}

void mr_program_destroy(mr_program *program)
{
    if (program) {
        mr_arena_destroy(&program->arena);
        mr_free(program->context, program);
    }
}

bool mr_program_draws(const mr_program *program)
{
    return program->draws;
}

size_t mr_program_length(const mr_program *program)
{
    return program->instruction_count;
}

bool mr_program_constant(const mr_program *program, mr_lane_value *value)
{
    if (program->is_constant) {
        *value = program->constant;
    }
    return program->is_constant;
}
