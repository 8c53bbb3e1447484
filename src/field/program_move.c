// field/program_move.c: the words of a run's lanes, into its slots and out of them.

#include "field/program_move.h"

MR_ISA_TABLES(program_moves, program_moves_table);

const program_moves *program_moves_of(mr_isa isa)
{
    return MR_ISA_PICK(program_moves_table, isa);
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

void program_prepare(const program_run *r)
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
static size_t lane_of(const program_run *r, const mr_program_input_data *data, size_t i)
{
    size_t lane = data->from == MR_INPUT_PLACES ? i : r->data->lanes ? r->data->lanes[i] : r->data->first + i;
    return data->from == MR_INPUT_LANES && data->elements && lane >= data->elements ? data->elements - 1
                                                                                    : lane;
}

static void bring_each(const program_run *r, const program_input *input, size_t begin, size_t count)
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

static void bring_numbers(const program_run *r, const program_input *input, size_t begin, size_t count)
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

static size_t first_of(const program_run *r, const mr_program_input_data *data, size_t begin)
{
    return data->from == MR_INPUT_PLACES ? begin : r->data->first + begin;
}

static void bring_one(const program_run *r, const program_input *input, size_t begin, size_t count)
{
    const mr_program_input_data *data = &r->data->inputs[input->index];
    mr_lane lane = r->program->slots[input->slot].lane;
    bool scattered = data->from == MR_INPUT_LANES && r->data->lanes;
    size_t first = first_of(r, data, begin);
    bool past = data->from == MR_INPUT_LANES && data->elements && first + count > data->elements;
    if (data->from == MR_INPUT_NUMBERS) {
        bring_numbers(r, input, begin, count);
    } else if (scattered && data->stride <= 1 && !data->elements && lane != MR_LANE_I64) {
        r->moves->gather(r->slots[input->slot], data->data, r->data->lanes + begin, count);
    } else if (scattered || past || (data->stride > 1 && lane == MR_LANE_I64)) {
        r->slots[input->slot] = r->memory + r->program->slots[input->slot].offset * r->block;
        bring_each(r, input, begin, count);
    } else if (data->stride > 1) {
        r->moves->take_one(r->slots[input->slot], (const uint32_t *)data->data + first * data->stride,
                           data->stride, count);
    } else {
        // Read where it is; a slot of an input is never written.
        r->slots[input->slot] = (void *)((uintptr_t)data->data + first * program_lane_size(lane));
    }
}

// Takes apart a vector whose words are this input and those after it. How many inputs that was; 0: it is none.
static size_t bring_group(const program_run *r, size_t at, size_t begin, size_t count)
{
    const program_input *inputs = &r->program->inputs[at];
    const mr_program_input_data *data = &r->data->inputs[inputs[0].index];
    size_t stride = data->stride, first = first_of(r, data, begin);
    uint32_t *out[PROGRAM_GROUP_MAX];
    if (stride < 2 || stride > PROGRAM_GROUP_MAX || at + stride > r->program->input_count ||
        (data->from == MR_INPUT_LANES &&
         (r->data->lanes || (data->elements && first + count > data->elements)))) {
        return 0;
    }
    for (size_t k = 0; k < stride; k++) {
        const mr_program_input_data *next = &r->data->inputs[inputs[k].index];
        if (next->from != data->from || next->stride != stride || next->elements != data->elements ||
            next->data != (const uint32_t *)data->data + k ||
            r->program->slots[inputs[k].slot].lane == MR_LANE_I64) {
            return 0;
        }
        out[k] = r->slots[inputs[k].slot];
    }
    r->moves->take[stride](out, (const uint32_t *)data->data + first * stride, count);
    return stride;
}

void program_bring(const program_run *r, size_t begin, size_t count)
{
    const mr_program *program = r->program;
    for (size_t i = 0; i < program->input_count;) {
        mr_input_from from = r->data->inputs[program->inputs[i].index].from;
        bool grouped = from == MR_INPUT_LANES || from == MR_INPUT_PLACES;
        size_t taken = grouped ? bring_group(r, i, begin, count) : 0;
        if (!taken && from != MR_INPUT_SAME) {
            bring_one(r, &program->inputs[i], begin, count);
        }
        i += taken ? taken : 1;
    }
}

// Puts together vectors whose words are this output and those after it. How many outputs that was; 0: they are none.
static size_t store_group(const program_run *r, size_t at, size_t begin, size_t count)
{
    const mr_program *program = r->program;
    size_t stride = r->data->output_stride;
    uint32_t *to = r->data->outputs[at];
    const uint32_t *from[PROGRAM_GROUP_MAX];
    if (stride < 2 || stride > PROGRAM_GROUP_MAX || at + stride > program->output_count) {
        return 0;
    }
    for (size_t k = 0; k < stride; k++) {
        if (r->data->outputs[at + k] != to + k ||
            program->slots[program->outputs[at + k]].lane != MR_LANE_F32) {
            return 0;
        }
        from[k] = r->slots[program->outputs[at + k]];
    }
    r->moves->put[stride](to + begin * stride, from, count);
    return stride;
}

static void store_one(const program_run *r, size_t at, size_t begin, size_t count)
{
    uint32_t slot = r->program->outputs[at];
    mr_lane lane = r->program->slots[slot].lane;
    size_t size = program_lane_size(lane), stride = r->data->output_stride ? r->data->output_stride : 1;
    unsigned char *to = (unsigned char *)r->data->outputs[at] + begin * stride * size;
    if (lane == MR_LANE_F32) {
        r->moves->put_one((uint32_t *)(void *)to, r->slots[slot], stride, count);
    } else if (stride == 1) {
        memcpy(to, r->slots[slot], count * size);
    } else {
        for (size_t i = 0; i < count; i++) {
            memcpy(to + i * stride * size, (unsigned char *)r->slots[slot] + i * size, size);
        }
    }
}

void program_store(const program_run *r, size_t begin, size_t count)
{
    for (size_t k = 0; k < r->program->output_count;) {
        size_t stored = store_group(r, k, begin, count);
        if (!stored) {
            store_one(r, k, begin, count);
        }
        k += stored ? stored : 1;
    }
}
