// field/field_compile.c: from a field to a program that kernels run.

#include "base/array.h"
#include "base/map.h"
#include "field/field_state.h"
#include "kernel/map.h"

// What an input of the program reads.
typedef struct field_input {
    field_node node;
    const mr_column *column;
    uint32_t lane;
} field_input;

typedef struct field_program {
    mr_element_program program;
    mr_context *context;
    mr_program *compiled;
    mr_field *root;
    MR_ARRAY(field_input) inputs;
} field_program;

typedef struct lowering {
    mr_context *context;
    mr_program_builder *builder;
    field_program *made;
    mr_map numbers;                   // of nodes, by their addresses: places in the order
    MR_ARRAY(const mr_field *) order; // operands first
    MR_ARRAY(uint32_t) places;        // by number: where its registers begin
    MR_ARRAY(mr_register) registers;  // a node's, lane after lane
} lowering;

static mr_view key_of(const mr_field *const *node)
{
    return (mr_view){ (const char *)node, sizeof *node };
}

static bool is_numbered(const lowering *l, const mr_field *node)
{
    uint64_t number;
    return mr_map_find(&l->numbers, key_of(&node), &number);
}

typedef struct visit {
    const mr_field *node;
    uint32_t next; // of its operands
} visit;

// Puts every node that the root reads into the order, operands before what they are operands of. A chain may be longer
// than a stack is deep, so the walk keeps its own.
static bool put_in_order(lowering *l, const mr_field *root)
{
    MR_ARRAY(visit) stack = { 0 };
    bool good = mr_array_push(l->context, &stack, (visit){ root, 0 });
    while (good && stack.count) {
        visit *top = &stack.items[stack.count - 1];
        const mr_field *node = top->node;
        if (top->next < node->operand_count) {
            const mr_field *operand = node->operands[top->next++];
            good = is_numbered(l, operand) || mr_array_push(l->context, &stack, (visit){ operand, 0 });
            continue;
        }
        stack.count--;
        if (!is_numbered(l, node)) {
            good = mr_map_put(&l->numbers, key_of(&node), l->order.count) &&
                   mr_array_push(l->context, &l->order, node);
        }
    }
    mr_array_free(l->context, &stack);
    return good;
}

static const mr_register *registers_of(const lowering *l, const mr_field *node)
{
    uint64_t number = 0;
    mr_map_find(&l->numbers, key_of(&node), &number);
    return l->registers.items + l->places.items[number];
}

static mr_register input(lowering *l, field_input wanted, mr_lane lane)
{
    field_program *made = l->made;
    for (size_t i = 0; i < made->inputs.count; i++) {
        const field_input *other = &made->inputs.items[i];
        if (other->node == wanted.node && other->column == wanted.column && other->lane == wanted.lane) {
            return mr_program_input(l->builder, (uint32_t)i, lane);
        }
    }
    if (!mr_array_push(l->context, &made->inputs, wanted)) {
        return MR_NO_REGISTER; // which the builder takes for an error
    }
    return mr_program_input(l->builder, (uint32_t)made->inputs.count - 1, lane);
}

static void lower_constant(lowering *l, const mr_field *node, mr_register *out)
{
    for (uint32_t k = 0; k < mr_column_lanes(node->type); k++) {
        float number;
        memcpy(&number, &node->words[k], sizeof number);
        switch (field_kind_of(node->type)) {
        case FIELD_F32:
            out[k] = mr_program_f32(l->builder, number);
            break;
        case FIELD_BOOL:
            out[k] = mr_program_bool(l->builder, node->words[k] != 0);
            break;
        case FIELD_I32:
        case FIELD_U32:
            out[k] = mr_program_word(l->builder, node->words[k]);
            break;
        }
    }
}

// A Bool column's words are truths whatever they are.
static mr_register truth_of(lowering *l, mr_column_type type, mr_register word)
{
    return type == MR_COLUMN_BOOL
               ? mr_program_op2(l->builder, MR_OP_WNE, word, mr_program_word(l->builder, 0))
               : word;
}

static mr_lane lane_of_type(mr_column_type type)
{
    return field_kind_of(type) == FIELD_F32 ? MR_LANE_F32 : MR_LANE_WORD;
}

static void lower_inputs(lowering *l, const mr_field *node, mr_register *out)
{
    mr_element_program *program = &l->made->program;
    program->needs_position = program->needs_position || node->node == FIELD_POSITION;
    program->needs_state = program->needs_state || node->node == FIELD_STATE || node->node == FIELD_STEP;
    if (node->node == FIELD_COLUMN && node->column->count < program->elements) {
        program->elements = node->column->count;
    }
    for (uint32_t k = 0; k < mr_column_lanes(node->type); k++) {
        mr_register word =
            input(l, (field_input){ node->node, node->column, node->lane + k }, lane_of_type(node->type));
        out[k] = truth_of(l, node->type, word);
    }
}

// A column read at numbers, for mr_external; self is the column.
static bool read_table(void *self, const void *const *operands, void *const *results, size_t count,
                       mr_error *error)
{
    const mr_column *column = self;
    const int32_t *index = operands[0];
    uint32_t lanes = mr_column_lanes(column->type);
    int64_t last = (int64_t)column->count - 1;
    (void)error;
    for (uint32_t k = 0; k < lanes; k++) {
        uint32_t *out = results[k];
        for (size_t i = 0; i < count; i++) {
            int64_t at = index[i] < 0 ? 0 : index[i] > last ? last : index[i];
            out[i] = last < 0 ? 0 : column->u32[(size_t)at * lanes + k];
        }
    }
    return true;
}

static void lower_table(lowering *l, const mr_field *node, const field_operands *operands, mr_register *out)
{
    mr_external external = { .name = "table",
                             .self = node->column,
                             .arity = 1,
                             .operands = { MR_LANE_WORD },
                             .result_count = (uint8_t)mr_column_lanes(node->type),
                             .pure = true,
                             .call = read_table };
    for (uint32_t k = 0; k < external.result_count; k++) {
        external.results[k] = lane_of_type(node->type);
    }
    field_kind kind = field_kind_of(node->operands[0]->type);
    mr_register index = field_operand(operands, 0, 0, kind == FIELD_BOOL ? FIELD_I32 : kind);
    if (kind == FIELD_F32) {
        index = mr_program_op1(l->builder, MR_OP_F32_TO_WORD, mr_program_op1(l->builder, MR_OP_FLOOR, index));
    } else if (kind == FIELD_U32) {
        index = mr_program_op2(l->builder, MR_OP_UMIN, index, mr_program_word(l->builder, INT32_MAX));
    }
    mr_register first = mr_program_call(l->builder, &external, &index);
    for (uint32_t k = 0; k < external.result_count; k++) {
        out[k] = first == MR_NO_REGISTER ? first : truth_of(l, node->type, first + k);
    }
}

// The first noise in the order that was asked for alike, so that equal calls are one.
static field_noise *first_alike(const lowering *l, field_noise *noise)
{
    for (size_t i = 0; i < l->order.count; i++) {
        field_noise *other = l->order.items[i]->noise;
        if (other && field_same_noise(other, noise)) {
            return other;
        }
    }
    return noise;
}

static void lower(lowering *l, const mr_field *node, mr_register *out)
{
    field_operands operands = { .builder = l->builder, .node = node };
    for (uint32_t k = 0; k < node->operand_count; k++) {
        operands.lanes[k] = registers_of(l, node->operands[k]);
    }
    switch (node->node) {
    case FIELD_CONSTANT:
        lower_constant(l, node, out);
        break;
    case FIELD_TABLE:
        lower_table(l, node, &operands, out);
        break;
    case FIELD_COMPONENT:
        out[0] = operands.lanes[0][node->lane];
        break;
    case FIELD_APPLY:
        field_operator_lower(&operands, out);
        break;
    case FIELD_NOISE:
        field_lower_noise(&operands, first_alike(l, node->noise), out);
        break;
    case FIELD_COLUMN:
    case FIELD_ID:
    case FIELD_POSITION:
    case FIELD_STATE:
    case FIELD_STEP:
        lower_inputs(l, node, out);
        break;
    }
}

static bool lower_all(lowering *l, mr_error *error)
{
    for (size_t i = 0; i < l->order.count; i++) {
        const mr_field *node = l->order.items[i];
        mr_register out[FIELD_LANES_MAX];
        lower(l, node, out);
        if (!mr_array_push(l->context, &l->places, (uint32_t)l->registers.count)) {
            return mr_fail_memory(error, sizeof(uint32_t));
        }
        for (uint32_t k = 0; k < mr_column_lanes(node->type); k++) {
            if (!mr_array_push(l->context, &l->registers, out[k])) {
                return mr_fail_memory(error, sizeof *out);
            }
        }
    }
    const mr_field *root = l->order.items[l->order.count - 1];
    for (uint32_t k = 0; k < mr_column_lanes(root->type); k++) {
        mr_program_output(l->builder, registers_of(l, root)[k]);
    }
    l->made->compiled = mr_program_finish(l->builder, error);
    return l->made->compiled != NULL;
}

static bool compile(field_program *made, mr_field *root, mr_error *error)
{
    lowering l = { .context = made->context,
                   .builder = mr_program_builder_create(made->context),
                   .made = made };
    mr_map_init(&l.numbers, made->context);
    bool good = l.builder && put_in_order(&l, root);
    good = good ? lower_all(&l, error) : mr_fail_memory(error, sizeof(visit));
    mr_map_destroy(&l.numbers);
    mr_array_free(made->context, &l.order);
    mr_array_free(made->context, &l.places);
    mr_array_free(made->context, &l.registers);
    mr_program_builder_destroy(l.builder);
    return good;
}

// Running.

static mr_program_input_data data_of(const field_input *input, const mr_program_lanes *lanes)
{
    static const uint32_t nothing = 0;
    const mr_program_input_data none = { .data = &nothing, .from = MR_INPUT_SAME };
    switch (input->node) {
    case FIELD_COLUMN: {
        const mr_column *column = input->column;
        mr_program_input_data data = { .data = column->u32 + input->lane,
                                       .stride = mr_column_lanes(column->type),
                                       .elements = column->count };
        return column->count ? data : none;
    }
    case FIELD_POSITION:
        return (mr_program_input_data){ .data = lanes->position + input->lane,
                                        .from = MR_INPUT_PLACES,
                                        .stride = 3 };
    case FIELD_STATE:
        return input->lane >= lanes->width ? none
                                           : (mr_program_input_data){ .data = lanes->state + input->lane,
                                                                      .from = MR_INPUT_PLACES,
                                                                      .stride = lanes->width };
    case FIELD_STEP:
        return (mr_program_input_data){ .data = &lanes->step, .from = MR_INPUT_SAME };
    case FIELD_ID:
    default:
        return (mr_program_input_data){ .from = MR_INPUT_NUMBERS };
    }
}

static bool run(const mr_element_program *program, const mr_program_lanes *lanes, void *out, mr_error *error)
{
    enum { FEW = 32 };
    const field_program *made = program->self;
    if ((program->needs_position && !lanes->position) || (program->needs_state && !lanes->state)) {
        return mr_fail(error, MR_BAD_INPUT, "a field that reads %s, which is not to be had here",
                       program->needs_state && !lanes->state ? "a walk's state" : "the position");
    }
    mr_program_input_data few[FEW], *inputs = few;
    size_t size = made->inputs.count * sizeof *inputs;
    if (made->inputs.count > FEW && !(inputs = mr_allocate(made->context, size))) {
        return mr_fail_memory(error, size);
    }
    for (size_t i = 0; i < made->inputs.count; i++) {
        inputs[i] = data_of(&made->inputs.items[i], lanes);
    }
    uint32_t width = mr_column_lanes(program->type);
    void *outputs[FIELD_LANES_MAX];
    for (uint32_t k = 0; k < width; k++) {
        outputs[k] = (uint32_t *)out + k;
    }
    mr_program_run_data data = { .inputs = inputs,
                                 .input_count = made->inputs.count,
                                 .outputs = outputs,
                                 .output_stride = width,
                                 .lanes = lanes->ids,
                                 .first = lanes->first,
                                 .count = lanes->count };
    bool good = mr_program_run(made->context, made->compiled, &data, error);
    if (inputs != few) {
        mr_free(made->context, inputs);
    }
    return good;
}

mr_element_program *mr_field_program_create(mr_context *context, mr_field *field, mr_error *error)
{
    field_program *made = mr_allocate_zeroed(context, sizeof *made);
    if (!made) {
        mr_fail_memory(error, sizeof *made);
        return NULL;
    }
    made->context = context;
    made->root = mr_field_retain(field);
    made->program =
        (mr_element_program){ .type = field->type, .self = made, .elements = SIZE_MAX, .run = run };
    if (!compile(made, field, error)) {
        mr_field_program_destroy(&made->program);
        return NULL;
    }
    return &made->program;
}

void mr_field_program_destroy(mr_element_program *program)
{
    if (!program) {
        return;
    }
    field_program *made = program->self;
    mr_program_destroy(made->compiled);
    mr_array_free(made->context, &made->inputs);
    mr_field_release(made->root);
    mr_free(made->context, made);
}

size_t mr_field_program_length(const mr_element_program *program)
{
    const field_program *made = program->self;
    return mr_program_length(made->compiled);
}

mr_column *mr_field_evaluate(mr_context *context, mr_field *field, const mr_count *domain,
                             const mr_column *position, mr_error *error)
{
    size_t count = domain->capacity;
    if (count > MR_COUNT_MOST) {
        mr_fail(error, MR_LIMIT, "a field over %zu elements is past the %zu that indices can hold", count,
                MR_COUNT_MOST);
        return NULL;
    }
    if (position && (mr_column_lanes(position->type) != 3 || mr_column_element(position->type) != MR_F32 ||
                     position->count < count)) {
        mr_fail(error, MR_BAD_INPUT, "positions are %zu or more Vec3; the column is %zu of %s", count,
                position->count, mr_column_type_name(position->type));
        return NULL;
    }
    mr_element_program *program = mr_field_program_create(context, field, error);
    mr_column *out = program ? mr_column_create(context, field->type, count, error) : NULL;
    if (out && !mr_map_elements(context, program, count, position ? position->f32 : NULL, out->data, error)) {
        mr_column_release(out);
        out = NULL;
    }
    mr_field_program_destroy(program);
    if (!out) {
        return NULL;
    }
    mr_column_set_live(out, domain->word);
    return mr_column_publish(out);
}
