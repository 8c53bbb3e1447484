// transfer.upload, transfer.readback, cpu.call, cpu.read, device.bound, device.live and device.guard.

#include "support.h"

#include "kernel/cpu_call.h"
#include "kernel/live.h"
#include "kernel/transfer.h"

#include <math.h>

static mr_context *context_of(void **state)
{
    return *state;
}

static mr_value number(double value)
{
    return mr_value_number(value);
}

static mr_value text(mr_context *context, const char *words)
{
    mr_value value;
    assert_true(mr_value_text(context, mr_view_of(words), &value, NULL));
    return value;
}

static mr_value list_of(mr_context *context, size_t count, const mr_value *items)
{
    mr_value list;
    assert_true(mr_value_list(context, &list, NULL));
    for (size_t i = 0; i < count; i++) {
        assert_true(mr_list_add(list.list, items[i], NULL));
    }
    return list;
}

static mr_value record(mr_context *context)
{
    mr_value value;
    assert_true(mr_value_record(context, &value, NULL));
    return value;
}

static void set(mr_value *into, const char *name, mr_value item)
{
    assert_true(mr_record_set(into->list, mr_view_of(name), item, NULL));
}

static mr_value typed(mr_context *context, const char *type, mr_value values)
{
    mr_value value = record(context);
    set(&value, "type", text(context, type));
    set(&value, "values", values);
    return value;
}

// Uploads one value, which is taken. NULL where it is refused.
static mr_column *upload(mr_context *context, mr_value value, mr_error *error)
{
    mr_value values = record(context), columns;
    set(&values, "it", value);
    mr_column *column = NULL;
    if (mr_transfer_upload(context, &values, &columns, error)) {
        const mr_value *made = mr_record_find(columns.list, "it");
        assert_int_equal(made->type, MR_COLUMN);
        assert_true(made->column->published);
        column = mr_column_retain(made->column);
        mr_value_release(&columns);
    }
    mr_value_release(&values);
    return column;
}

static void expect_column(mr_context *context, mr_value value, mr_column_type type, size_t count,
                          const void *words)
{
    mr_error error = { 0 };
    mr_column *column = upload(context, value, &error);
    if (!column) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(column->type, type);
    assert_int_equal(column->count, count);
    assert_memory_equal(column->data, words, count * mr_column_lanes(type) * 4);
    mr_column_release(column);
}

static void expect_refused(mr_context *context, mr_value value, const char *message)
{
    mr_error error = { 0 };
    assert_null(upload(context, value, &error));
    assert_int_equal(error.status, MR_BAD_INPUT);
    if (!strstr(error.message, message) || strncmp(error.message, "it: ", 4) != 0) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, message);
    }
}

static mr_value vector(mr_type type, double x, double y, double z, double w)
{
    return (mr_value){ .type = type, .vector = { x, y, z, w } };
}

static void values_become_columns_of_their_type(void **state)
{
    mr_context *c = context_of(state);
    expect_column(c, number(1.5), MR_COLUMN_FLOAT, 1, (float[]){ 1.5f });
    expect_column(c, mr_value_integer(7), MR_COLUMN_FLOAT, 1, (float[]){ 7 });
    expect_column(c, mr_value_boolean(true), MR_COLUMN_FLOAT, 1, (float[]){ 1 });
    expect_column(c, list_of(c, 3, (mr_value[]){ number(1), mr_value_integer(-2), number(0.1) }),
                  MR_COLUMN_FLOAT, 3, (float[]){ 1, -2, 0.1f });
    expect_column(c, list_of(c, 2, (mr_value[]){ mr_value_boolean(true), mr_value_boolean(false) }),
                  MR_COLUMN_BOOL, 2, (uint32_t[]){ 1, 0 });
    expect_column(c, vector(MR_VEC2, 3, 4, 0, 0), MR_COLUMN_VEC2, 1, (float[]){ 3, 4 });
    // A vector in each of its forms.
    mr_value named = record(c);
    set(&named, "z", number(3));
    set(&named, "x", number(1));
    set(&named, "y", number(2));
    mr_value items[] = { vector(MR_VEC3, 7, 8, 9, 0), named,
                         list_of(c, 3, (mr_value[]){ number(4), number(5), number(6) }) };
    expect_column(c, list_of(c, 3, items), MR_COLUMN_VEC3, 3, (float[]){ 7, 8, 9, 1, 2, 3, 4, 5, 6 });
    mr_value color = record(c);
    set(&color, "r", number(0.25));
    set(&color, "g", number(0.5));
    set(&color, "b", number(1));
    expect_column(c, list_of(c, 1, &color), MR_COLUMN_COLOR, 1, (float[]){ 0.25f, 0.5f, 1, 1 });
}

static void a_stated_type_is_held_to(void **state)
{
    mr_context *c = context_of(state);
    mr_value wholes[] = { number(-5), mr_value_integer(2147483647), number(-0.0) };
    expect_column(c, typed(c, "Int", list_of(c, 3, wholes)), MR_COLUMN_INT, 3,
                  (int32_t[]){ -5, 2147483647, 0 });
    mr_value large = number(4294967295.0);
    expect_column(c, typed(c, "UInt", list_of(c, 1, &large)), MR_COLUMN_UINT, 1, (uint32_t[]){ UINT32_MAX });
    expect_column(c, typed(c, "Float", list_of(c, 0, NULL)), MR_COLUMN_FLOAT, 0, NULL);
    expect_column(c, typed(c, "Vec3", list_of(c, 3, (mr_value[]){ number(1), number(2), number(3) })),
                  MR_COLUMN_VEC3, 1, (float[]){ 1, 2, 3 });
    mr_value rgb = list_of(c, 3, (mr_value[]){ number(1), number(0), number(0.5) });
    expect_column(c, typed(c, "Color", list_of(c, 1, &rgb)), MR_COLUMN_COLOR, 1, (float[]){ 1, 0, 0.5f, 1 });
    mr_value pair = list_of(c, 2, (mr_value[]){ number(1), number(-2) });
    expect_column(c, typed(c, "Int2", list_of(c, 1, &pair)), MR_COLUMN_INT2, 1, (int32_t[]){ 1, -2 });

    mr_value half = number(0.5), past = number(2147483648.0), minus = number(-1), nan = number(NAN),
             huge = number(1e300), two = number(2);
    expect_refused(c, typed(c, "Int", list_of(c, 1, &half)),
                   "element 0 is 0.5, which a column of Int cannot hold");
    expect_refused(c, typed(c, "Int", list_of(c, 1, &past)), "element 0");
    expect_refused(c, typed(c, "UInt", list_of(c, 1, &minus)), "element 0 is -1");
    expect_refused(c, typed(c, "Int", list_of(c, 1, &nan)), "which a column of Int cannot hold");
    expect_refused(c, typed(c, "Bool", list_of(c, 1, &two)), "which a column of Bool cannot hold");
    expect_refused(c, list_of(c, 1, &huge), "which a column of Float cannot hold");
    expect_refused(c, typed(c, "Vec2", list_of(c, 1, &two)), "element 0, Float, is no Vec2");
    expect_refused(c, typed(c, "Flot", list_of(c, 1, &two)), "no column is of type Flot");
    mr_value infinite = number(INFINITY);
    expect_column(c, list_of(c, 1, &infinite), MR_COLUMN_FLOAT, 1, (float[]){ INFINITY });
}

static void lists_that_are_no_column_are_refused(void **state)
{
    mr_context *c = context_of(state);
    expect_refused(c, list_of(c, 0, NULL), "an empty list");
    expect_refused(c, list_of(c, 2, (mr_value[]){ number(1), text(c, "a") }), "element 1 is a Text");
    expect_refused(c, list_of(c, 2, (mr_value[]){ number(1), vector(MR_VEC2, 1, 2, 0, 0) }),
                   "element 1 is a Vec2");
    mr_value empty = list_of(c, 0, NULL);
    expect_refused(c, list_of(c, 1, &empty), "a list of Lists");
    mr_error error = { 0 };
    mr_value plain = number(1), columns;
    assert_false(mr_transfer_upload(c, &plain, &columns, &error));
}

static void texts_and_tables_go_up_and_come_back(void **state)
{
    mr_context *c = context_of(state);
    mr_value inner = record(c), values = record(c), columns, back;
    set(&inner, "height", list_of(c, 2, (mr_value[]){ number(2), number(3) }));
    set(&inner, "words", list_of(c, 3, (mr_value[]){ text(c, "oak"), text(c, "fir"), text(c, "oak") }));
    set(&values, "table", inner);
    set(&values, "names", typed(c, "String", list_of(c, 1, (mr_value[]){ text(c, "") })));
    set(&values, "on", list_of(c, 1, (mr_value[]){ mr_value_boolean(true) }));
    set(&values, "at", list_of(c, 1, (mr_value[]){ vector(MR_VEC3, 1, 2, 3, 0) }));
    assert_true(mr_transfer_upload(c, &values, &columns, NULL));
    const mr_value *table = mr_record_find(columns.list, "table");
    const mr_column *words = mr_record_find(table->list, "words")->column;
    assert_int_equal(words->type, MR_COLUMN_TEXT);
    assert_int_equal(words->word_count, 2);
    assert_true(mr_transfer_readback(c, &columns, &back, NULL));
    mr_value expected = record(c), same = record(c);
    set(&same, "height", list_of(c, 2, (mr_value[]){ number(2), number(3) }));
    set(&same, "words", list_of(c, 3, (mr_value[]){ text(c, "oak"), text(c, "fir"), text(c, "oak") }));
    set(&expected, "table", same);
    set(&expected, "names", list_of(c, 1, (mr_value[]){ text(c, "") }));
    set(&expected, "on", list_of(c, 1, (mr_value[]){ mr_value_boolean(true) }));
    set(&expected, "at", list_of(c, 1, (mr_value[]){ vector(MR_VEC3, 1, 2, 3, 0) }));
    assert_true(mr_value_equal(&back, &expected));
    mr_value_release(&values);
    mr_value_release(&columns);
    mr_value_release(&back);
    mr_value_release(&expected);
}

static mr_column *word(mr_context *context, mr_column_type type, uint32_t bits)
{
    mr_column *column = mr_column_from(context, type, &bits, 1, NULL);
    assert_non_null(column);
    return mr_column_publish(column);
}

static void a_readback_takes_the_live_elements_and_counts_as_numbers(void **state)
{
    mr_context *c = context_of(state);
    mr_column *live = word(c, MR_COLUMN_UINT, 2);
    mr_column *column = mr_column_from(c, MR_COLUMN_INT, (int32_t[]){ 5, 6, -1, -1 }, 4, NULL);
    mr_column_set_live(column, live);
    mr_column_publish(column);
    mr_count over;
    assert_true(mr_count_live(live, 1, &over, NULL)); // states more than its capacity: an overflow
    mr_value columns = record(c), back;
    set(&columns, "items", (mr_value){ .type = MR_COLUMN, .column = column });
    set(&columns, "count", (mr_value){ .type = MR_COUNT, .count = over });
    set(&columns, "plain", (mr_value){ .type = MR_COUNT, .count = mr_count_plain(9) });
    set(&columns, "name", text(c, "kept"));
    assert_true(mr_transfer_readback(c, &columns, &back, NULL));
    mr_value expected = record(c);
    set(&expected, "items", list_of(c, 2, (mr_value[]){ number(5), number(6) }));
    set(&expected, "count", number(2));
    set(&expected, "plain", number(9));
    set(&expected, "name", text(c, "kept"));
    assert_true(mr_value_equal(&back, &expected));
    mr_value_release(&expected);
    mr_value_release(&back);
    mr_value_release(&columns);
    mr_column_release(live);

    mr_error error = { 0 };
    columns = record(c);
    set(&columns, "lost", (mr_value){ .type = MR_NONE });
    assert_false(mr_transfer_readback(c, &columns, &back, &error));
    assert_string_equal(error.message, "lost: a None is not read back");
    mr_value_release(&columns);
}

static bool halves(const mr_element_program *program, const mr_program_lanes *lanes, void *out,
                   mr_error *error)
{
    float *answers = out;
    for (size_t i = 0; i < lanes->count; i++) {
        answers[i] = 0.5f * (float)(lanes->first + i);
    }
    return true;
}

static void a_field_is_read_over_what_it_reads(void **state)
{
    mr_context *c = context_of(state);
    mr_element_program program = { .type = MR_COLUMN_FLOAT, .elements = 3, .run = halves };
    mr_value value;
    assert_true(mr_transfer_readback_field(c, &program, &value, NULL));
    mr_value expected = list_of(c, 3, (mr_value[]){ number(0), number(0.5), number(1) });
    assert_true(mr_value_equal(&value, &expected));
    mr_value_release(&value);
    mr_value_release(&expected);
    mr_error error = { 0 };
    program.elements = SIZE_MAX;
    assert_false(mr_transfer_readback_field(c, &program, &value, &error));
    assert_non_null(strstr(error.message, "no length"));
    program =
        (mr_element_program){ .type = MR_COLUMN_FLOAT, .elements = 3, .run = halves, .needs_position = true };
    assert_false(mr_transfer_readback_field(c, &program, &value, &error));
    assert_non_null(strstr(error.message, "the position"));
}

static void a_count_is_bounded_by_what_is_known_of_it(void **state)
{
    mr_context *c = context_of(state);
    mr_error error = { 0 };
    mr_count count;
    assert_true(mr_device_bound(c, &(mr_bound){ .value = number(100) }, &count, &error));
    assert_null(count.word);
    assert_int_equal(count.capacity, 100);
    assert_true(
        mr_device_bound(c, &(mr_bound){ .value = mr_value_integer(100), .live = true }, &count, &error));
    assert_non_null(count.word);
    assert_int_equal(count.capacity, 128);
    assert_int_equal(mr_count_read(&count), 100);
    mr_count wider;
    mr_value as_value = { .type = MR_COUNT, .count = count };
    assert_true(mr_device_bound(c, &(mr_bound){ .value = as_value, .has_capacity = true, .capacity = 7 },
                                &wider, &error));
    assert_ptr_equal(wider.word, count.word);
    assert_int_equal(wider.capacity, 7);
    assert_int_equal(mr_count_read(&wider), 100);
    assert_int_equal(mr_count_held(&wider), 7);
    mr_count_release(&wider);
    mr_count_release(&count);

    static const struct {
        uint32_t count;
        size_t capacity;
    } rooms[] = { { 0, 1 }, { 1, 2 }, { 3, 8 }, { 4, 8 }, { 5, 16 }, { 1u << 20, 1u << 21 } };
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        mr_column *column = word(c, MR_COLUMN_INT, rooms[i].count);
        mr_bound bound = { .value = { .type = MR_COLUMN, .column = column } };
        assert_true(mr_device_bound(c, &bound, &count, &error));
        assert_int_equal(count.capacity, rooms[i].capacity);
        mr_count_release(&count);
        mr_column_release(column);
    }
    static const double wrong[] = { -1, 0.5, NAN, INFINITY, 4294967296.0 };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(mr_device_bound(c, &(mr_bound){ .value = number(wrong[i]) }, &count, &error));
        assert_non_null(strstr(error.message, "a count is a whole number"));
    }
    assert_false(mr_device_bound(c, &(mr_bound){ .value = number(9), .has_capacity = true, .capacity = 8 },
                                 &count, &error));
    mr_column *floats = word(c, MR_COLUMN_FLOAT, 0);
    assert_false(
        mr_device_bound(c, &(mr_bound){ .value = { .type = MR_COLUMN, .column = floats } }, &count, &error));
    mr_column_release(floats);
}

static void a_column_carries_a_count(void **state)
{
    mr_context *c = context_of(state);
    mr_error error = { 0 };
    mr_column *column =
        mr_column_publish(mr_column_from(c, MR_COLUMN_FLOAT, (float[]){ 1, 2, 3 }, 3, &error));
    mr_column *two = word(c, MR_COLUMN_UINT, 2);
    mr_count count;
    assert_true(mr_count_live(two, 3, &count, &error));
    mr_column *carrying = mr_device_live(mr_column_retain(column), &count, &error);
    assert_int_equal(mr_column_live_count(carrying), 2);
    assert_ptr_equal(carrying->live, two);
    assert_int_equal(mr_column_live_count(column), 3); // the other holder sees nothing of it
    mr_count plain = mr_count_plain(1), all = mr_count_plain(3);
    carrying = mr_device_live(carrying, &plain, &error);
    assert_int_equal(mr_column_live_count(carrying), 1);
    carrying = mr_device_live(carrying, &all, &error);
    assert_null(carrying->live);
    mr_count past = mr_count_plain(4);
    assert_null(mr_device_live(carrying, &past, &error));
    assert_non_null(strstr(error.message, "can reach 4"));
    mr_count_release(&count);
    mr_column_release(two);
    mr_column_release(column);
}

// A function of the tests: what it answers, and how often it was called.
typedef struct spy {
    size_t called;
    bool (*answer)(mr_context *context, const mr_value *arguments, size_t count, mr_list *results,
                   mr_error *error);
    mr_context *context;
} spy;

static bool spy_call(void *self, const mr_value *arguments, size_t count, mr_list *results, mr_error *error)
{
    spy *s = self;
    s->called++;
    return s->answer(s->context, arguments, count, results, error);
}

static void spy_digest(void *self, mr_digester *digester)
{
    mr_digest_u64(digester, 1);
}

static const mr_function_calls spy_calls = { .call = spy_call, .digest = spy_digest };

static mr_function *function_of(mr_context *context, spy *s)
{
    s->context = context;
    mr_function *function = mr_function_create(context, "spy", &spy_calls, s, NULL);
    assert_non_null(function);
    return function;
}

static bool raises(mr_context *context, const mr_value *arguments, size_t count, mr_list *results,
                   mr_error *error)
{
    return mr_fail(error, MR_BAD_INPUT, "edge 12 has one face");
}

static bool sums(mr_context *context, const mr_value *arguments, size_t count, mr_list *results,
                 mr_error *error)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += arguments[i].number;
    }
    mr_value said;
    return mr_list_add(results, number(sum), error) &&
           mr_value_text(context, MR_VIEW("summed"), &said, error) && mr_list_add(results, said, error);
}

static bool one_sum(mr_context *context, const mr_value *arguments, size_t count, mr_list *results,
                    mr_error *error)
{
    return mr_list_add(results, number(arguments[0].number), error);
}

static void a_guard_refuses_unless_its_flag_is_0(void **state)
{
    mr_context *c = context_of(state);
    mr_error error = { 0 };
    spy detail = { .answer = raises };
    mr_function *lazy = function_of(c, &detail);
    mr_guard guard = { .flag = number(0), .why = "not a solid", .detail = lazy };
    assert_true(mr_device_guard(c, &guard, &error));
    guard.flag = number(-0.0);
    assert_true(mr_device_guard(c, &guard, &error));
    assert_int_equal(detail.called, 0);
    guard.flag = number(NAN);
    assert_false(mr_device_guard(c, &guard, &error));
    assert_string_equal(error.message, "edge 12 has one face");
    guard.detail = NULL;
    assert_false(mr_device_guard(c, &guard, &error));
    assert_string_equal(error.message, "not a solid");
    mr_column *one = word(c, MR_COLUMN_INT, 1);
    guard.flag = (mr_value){ .type = MR_COLUMN, .column = one };
    assert_false(mr_device_guard(c, &guard, &error));
    mr_element_program program = { .type = MR_COLUMN_FLOAT, .elements = SIZE_MAX, .run = halves };
    assert_true(mr_device_guard(c, &(mr_guard){ .program = &program, .why = "w" }, &error)); // element 0 is 0
    guard.flag = (mr_value){ .type = MR_NONE };
    assert_false(mr_device_guard(c, &guard, &error));
    assert_non_null(strstr(error.message, "a guard's flag"));
    mr_column_release(one);
    mr_function_release(lazy);
}

static void a_call_is_held_to_its_returns(void **state)
{
    mr_context *c = context_of(state);
    mr_error error = { 0 };
    spy adder = { .answer = sums };
    mr_function *function = function_of(c, &adder);
    mr_value arguments[] = { number(2), number(3) }, values;
    static const char *const returns[] = { "Number", "Text" }, *const wrong[] = { "Number", "Bool" },
                             *const unknown[] = { "Numbr", "Text" };
    mr_cpu_call call = { .function = function,
                         .arguments = arguments,
                         .argument_count = 2,
                         .returns = returns,
                         .return_count = 2 };
    assert_true(mr_cpu_call_run(c, &call, &values, &error));
    assert_int_equal(values.list->count, 2);
    assert_true(values.list->items[0].number == 5);
    assert_string_equal(values.list->items[1].text->data, "summed");
    mr_value_release(&values);
    call.return_count = 1;
    assert_false(mr_cpu_call_run(c, &call, &values, &error));
    assert_string_equal(error.message, "spy: 1 results are declared, and it answered 2");
    call.return_count = 2;
    call.returns = wrong;
    assert_false(mr_cpu_call_run(c, &call, &values, &error));
    assert_string_equal(error.message, "spy: result 2 is declared as Bool, and it answered a Text");
    size_t before = adder.called;
    call.returns = unknown;
    assert_false(mr_cpu_call_run(c, &call, &values, &error));
    assert_non_null(strstr(error.hint, "Number"));
    assert_int_equal(adder.called, before); // refused before it runs
    adder.answer = raises;
    call.returns = returns;
    assert_false(mr_cpu_call_run(c, &call, &values, &error));
    assert_string_equal(error.message, "spy: edge 12 has one face");
    mr_function_release(function);
}

static bool works(mr_context *context, const mr_value *arguments, size_t count, mr_list *results,
                  mr_error *error)
{
    double until = mr_thread_seconds() + 0.02;
    while (mr_thread_seconds() < until) {
    }
    return true;
}

static void a_call_past_its_ceiling_is_refused(void **state)
{
    mr_context *c = context_of(state);
    mr_error error = { 0 };
    spy worker = { .answer = works };
    mr_function *function = function_of(c, &worker);
    mr_value values;
    mr_cpu_call call = { .function = function, .ceiling = 10 };
    assert_false(mr_cpu_call_run(c, &call, &values, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_non_null(strstr(error.message, "past the ceiling of 10 ms"));
    call.ceiling = 0;
    assert_true(mr_cpu_call_run(c, &call, &values, &error));
    mr_value_release(&values);
    mr_function_release(function);
}

static mr_digest state_read(mr_context *context, double stands)
{
    spy reader = { .answer = one_sum }, digests = { .answer = one_sum };
    mr_function *function = function_of(context, &reader), *digest = function_of(context, &digests);
    static const char *const returns[] = { "Number" };
    mr_value argument = number(stands), values;
    mr_cpu_call call = { .function = function,
                         .arguments = &argument,
                         .argument_count = 1,
                         .returns = returns,
                         .return_count = 1 };
    mr_digester digester;
    mr_digest_begin(&digester);
    assert_true(mr_cpu_read(context, &call, digest, &digester, &values, NULL));
    assert_int_equal(reader.called, 1);
    assert_int_equal(digests.called, 1);
    mr_value_release(&values);
    mr_function_release(function);
    mr_function_release(digest);
    return mr_digest_end(&digester);
}

static void a_read_is_keyed_by_what_it_read(void **state)
{
    mr_context *c = context_of(state);
    assert_true(mr_digest_equal(state_read(c, 1), state_read(c, 1)));
    assert_false(mr_digest_equal(state_read(c, 1), state_read(c, 2)));
}

static bool exercise(mr_context *c, mr_error *error)
{
    mr_value values = { .type = MR_NONE }, list = { .type = MR_NONE }, columns = { .type = MR_NONE },
             back = { .type = MR_NONE }, word_value = { .type = MR_NONE };
    bool good = mr_value_record(c, &values, error) && mr_value_list(c, &list, error) &&
                mr_value_text(c, MR_VIEW("a word"), &word_value, error);
    if (good) {
        mr_value moved = word_value;
        word_value = (mr_value){ .type = MR_NONE };
        good = mr_list_add(list.list, moved, error);
    }
    if (good) {
        mr_value moved = list;
        list = (mr_value){ .type = MR_NONE };
        good = mr_record_set(values.list, MR_VIEW("words"), moved, error) &&
               mr_record_set(values.list, MR_VIEW("number"), number(3), error);
    }
    good = good && mr_transfer_upload(c, &values, &columns, error) &&
           mr_transfer_readback(c, &columns, &back, error);
    mr_count count = { 0 };
    if (good) {
        good = mr_device_bound(c, &(mr_bound){ .value = number(1), .live = true }, &count, error);
    }
    if (good) {
        mr_column *column = mr_column_retain(mr_record_find(columns.list, "number")->column);
        column = mr_device_live(column, &count, error);
        good = column != NULL;
        mr_column_release(column);
    }
    mr_count_release(&count);
    mr_value_release(&values);
    mr_value_release(&list);
    mr_value_release(&columns);
    mr_value_release(&back);
    mr_value_release(&word_value);
    return good;
}

static void a_failing_allocator_loses_nothing(void **state)
{
    mr_context *c = context_of(state);
    for (size_t n = 1;; n++) {
        mr_error error = { 0 };
        uint64_t before = mr_context_memory_now(c);
        mr_memory_fail_after(c, n, false);
        bool good = exercise(c, &error);
        mr_memory_fail_after(c, 0, false);
        mr_buffer_trim(c);
        assert_true(mr_context_memory_now(c) <= before);
        if (good) {
            assert_true(n > 10);
            return;
        }
        assert_int_equal(error.status, MR_OUT_OF_MEMORY);
    }
}

int main(void)
{
#define TRANSFER_TEST(name) cmocka_unit_test_setup_teardown(name, test_setup, test_teardown)
    const struct CMUnitTest tests[] = {
        TRANSFER_TEST(values_become_columns_of_their_type),
        TRANSFER_TEST(a_stated_type_is_held_to),
        TRANSFER_TEST(lists_that_are_no_column_are_refused),
        TRANSFER_TEST(texts_and_tables_go_up_and_come_back),
        TRANSFER_TEST(a_readback_takes_the_live_elements_and_counts_as_numbers),
        TRANSFER_TEST(a_field_is_read_over_what_it_reads),
        TRANSFER_TEST(a_count_is_bounded_by_what_is_known_of_it),
        TRANSFER_TEST(a_column_carries_a_count),
        TRANSFER_TEST(a_guard_refuses_unless_its_flag_is_0),
        TRANSFER_TEST(a_call_is_held_to_its_returns),
        TRANSFER_TEST(a_call_past_its_ceiling_is_refused),
        TRANSFER_TEST(a_read_is_keyed_by_what_it_read),
        TRANSFER_TEST(a_failing_allocator_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
