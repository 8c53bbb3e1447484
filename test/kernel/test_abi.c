// The rules of device.kernel, on small kernels: what binds to what, casts, copies, counts, refusals.

#include "support.h"

#include "kernel/device.h"

#include <math.h>

// The kernels. Slots are addressed by their places in the descriptor.

static bool scale_run(const mr_kernel_call *call, mr_error *error)
{
    for (size_t i = 0; i < call->n; i++) {
        call->slots[1].f32[i] = call->slots[0].f32[i] * call->params[0].f32;
    }
    return true;
}

static const mr_kernel abi_scale = {
    .name = "abi_scale",
    .summary = "Multiplies every element of src by the scale param into dst.",
    .gpu = "exact",
    .bindings = { { .name = "src",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = "n",
                    .doc = "what is scaled" },
                  { .name = "dst", .access = MR_WRITE, .element = MR_TAKES_F32, .doc = "src * scale" } },
    .params = { { .name = "scale", .type = MR_F32, .value = 2, .doc = "the factor" } },
    .run = scale_run,
};

static bool add_run(const mr_kernel_call *call, mr_error *error)
{
    for (size_t i = 0; i < call->n; i++) {
        call->slots[1].i32[i] = call->slots[0].i32[i] + call->params[0].i32;
    }
    return true;
}

static const mr_kernel abi_add = {
    .name = "abi_add",
    .summary = "Adds the delta param to every element of src into dst.",
    .gpu = "exact",
    .bindings = { { .name = "src",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "whole numbers" },
                  { .name = "dst", .access = MR_WRITE, .element = MR_TAKES_I32, .doc = "src + delta" } },
    .params = { { .name = "delta",
                  .type = MR_I32,
                  .value = NAN,
                  .low = -100,
                  .high = 100,
                  .doc = "what is added" } },
    .run = add_run,
};

static bool columns_run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *table = call->slots[0].columns;
    for (size_t i = 0; i < call->n; i++) {
        call->slots[1].f32[i] = 10 * table[0].f32[i * table[0].lanes] + table[1].f32[i * table[1].lanes];
    }
    return true;
}

static const mr_kernel abi_columns = {
    .name = "abi_columns",
    .summary = "Ten times the first lane of the first column by name, and the first lane of the second.",
    .gpu = "exact",
    .bindings = { { .name = "table",
                    .access = MR_COLUMNS,
                    .element = MR_TAKES_WORD,
                    .count = "n",
                    .doc = "two columns" },
                  { .name = "dst", .access = MR_WRITE, .element = MR_TAKES_F32, .doc = "the sum" } },
    .run = columns_run,
};

static const mr_kernel abi_ordered = {
    .name = "abi_ordered",
    .summary = "Ten times the first lane of slot 0 plus the first lane of slot 1.",
    .gpu = "exact",
    .bindings = { { .name = "table",
                    .access = MR_COLUMNS,
                    .element = MR_TAKES_WORD,
                    .order = "tail head",
                    .count = "n",
                    .doc = "tail, then head" },
                  { .name = "dst", .access = MR_WRITE, .element = MR_TAKES_F32, .doc = "the sum" } },
    .run = columns_run,
};

static bool filter_run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *hits = &call->slots[1];
    for (size_t i = 0; i < call->n; i++) {
        if (call->slots[0].f32[i] > call->params[0].f32) {
            if (*hits->counter < hits->count) {
                hits->f32[*hits->counter] = call->slots[0].f32[i];
            }
            ++*hits->counter;
        }
    }
    for (size_t i = *hits->counter; i < hits->count; i++) {
        hits->f32[i] = 0;
    }
    return true;
}

static const mr_kernel abi_filter = {
    .name = "abi_filter",
    .summary = "Appends every element of src above the threshold param to hits.",
    .gpu = "exact",
    .bindings = { { .name = "src",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = "n",
                    .doc = "what is looked at" },
                  { .name = "hits",
                    .access = MR_APPEND,
                    .element = MR_TAKES_F32,
                    .count = "room",
                    .doc = "those above" } },
    .params = { { .name = "threshold", .type = MR_F32, .value = 0, .doc = "what they are above" } },
    .run = filter_run,
};

static bool inout_run(const mr_kernel_call *call, mr_error *error)
{
    for (size_t i = 0; i < call->n; i++) {
        float *dst = &call->slots[1].f32[i];
        *dst = call->params[0].u32 == 1 ? *dst + call->slots[0].f32[i] : 2 * call->slots[0].f32[i];
    }
    return true;
}

static const mr_kernel abi_inout = {
    .name = "abi_inout",
    .summary = "Writes src doubled into dst, or adds src to the dst it is bound when mode is 1.",
    .gpu = "exact",
    .bindings = { { .name = "src",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = "n",
                    .doc = "what is added" },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .count = "n",
                    .doc = "the sum" } },
    .params = { { .name = "mode", .type = MR_U32, .value = 0, .doc = "1 adds" } },
    .run = inout_run,
};

static bool inplace_run(const mr_kernel_call *call, mr_error *error)
{
    for (size_t i = 0; i < call->n; i++) {
        call->slots[0].i32[i]++;
    }
    return true;
}

static const mr_kernel abi_inplace = {
    .name = "abi_inplace",
    .summary = "Adds one to every element of data in place.",
    .gpu = "exact",
    .bindings = { { .name = "data",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .doc = "what grows" } },
    .run = inplace_run,
};

static bool len_run(const mr_kernel_call *call, mr_error *error)
{
    memcpy(call->slots[1].data, call->slots[0].data, call->slots[0].count * 4);
    return true;
}

static const mr_kernel abi_len = {
    .name = "abi_len",
    .summary = "Copies src into a dst the length of src.",
    .gpu = "exact",
    .bindings = { { .name = "src", .access = MR_READ, .element = MR_TAKES_F32, .doc = "what is copied" },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .count = "src",
                    .doc = "the copy" } },
    .run = len_run,
};

static bool live_run(const mr_kernel_call *call, mr_error *error)
{
    for (size_t i = 0; i < call->n; i++) {
        call->slots[1].f32[i] = i < call->live ? 2 * call->slots[0].f32[i] : -1;
    }
    return true;
}

static const mr_kernel abi_live = {
    .name = "abi_live",
    .summary = "Doubles src into dst for the elements a live count holds and writes -1 past it.",
    .gpu = "exact",
    .bindings = { { .name = "src",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = "n",
                    .doc = "what is doubled" },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .live = true,
                    .doc = "the double" },
                  MR_KERNEL_DOMAIN_COUNT },
    .specializations = { MR_KERNEL_COUNT },
    .run = live_run,
};

static bool nothing_run(const mr_kernel_call *call, mr_error *error)
{
    return true;
}

static const mr_kernel abi_nothing = {
    .name = "abi_nothing",
    .summary = "Reads src and writes nothing.",
    .gpu = "exact",
    .bindings = { { .name = "src", .access = MR_READ, .element = MR_TAKES_F32, .doc = "what is read" } },
    .run = nothing_run,
};

static bool pair_run(const mr_kernel_call *call, mr_error *error)
{
    for (size_t i = 0; i < call->n; i++) {
        call->slots[2].f32[i] = call->slots[0].f32[i] + call->slots[1].f32[i];
    }
    return true;
}

static const mr_kernel abi_pair = {
    .name = "abi_pair",
    .summary = "Adds two read bindings, a and b, element by element into dst.",
    .gpu = "exact",
    .bindings = { { .name = "a", .access = MR_READ, .element = MR_TAKES_F32, .count = "n", .doc = "one" },
                  { .name = "b",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .count = "n",
                    .doc = "the other" },
                  { .name = "dst", .access = MR_WRITE, .element = MR_TAKES_F32, .doc = "the sum" } },
    .run = pair_run,
};

static bool spec_run(const mr_kernel_call *call, mr_error *error)
{
    const mr_kernel_slot *src = &call->slots[0], *dst = &call->slots[1];
    for (size_t i = 0; i < call->n * src->lanes; i++) {
        if (src->element == MR_F32) {
            dst->f32[i] = 2 * src->f32[i];
        } else {
            dst->i32[i] = 2 * src->i32[i];
        }
    }
    return true;
}

static const mr_kernel abi_spec = {
    .name = "abi_spec",
    .summary = "Doubles src into dst as the element type T the specialization names.",
    .gpu = "exact",
    .bindings = { { .name = "src",
                    .access = MR_READ,
                    .element = MR_TAKES_T,
                    .count = "n",
                    .doc = "what is doubled" },
                  { .name = "dst", .access = MR_WRITE, .element = MR_TAKES_T, .doc = "the double" } },
    .specializations = { { .name = "T", .options = "f32 vec3 i32", .doc = "the element" } },
    .run = spec_run,
};

static bool spread_run(const mr_kernel_call *call, mr_error *error)
{
    for (size_t i = 0; i < 6; i++) {
        call->slots[1].f32[i] = i < 4 ? call->params[i].f32 : (float)call->params[i].u32;
    }
    return true;
}

static const mr_kernel abi_spread = {
    .name = "abi_spread",
    .summary = "Writes its params.",
    .gpu = "exact",
    .bindings = { { .name = "image",
                    .access = MR_READ,
                    .element = MR_TAKES_F32,
                    .optional = true,
                    .doc = "texels" },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .count = "6",
                    .doc = "the params" } },
    .params = { { .name = "dir_x", .type = MR_F32, .doc = "x" },
                { .name = "dir_y", .type = MR_F32, .doc = "y" },
                { .name = "dir_z", .type = MR_F32, .doc = "z" },
                { .name = "dt", .type = MR_F32, .value = 7, .doc = "seconds" },
                { .name = "image_width", .type = MR_U32, .doc = "texels across" },
                { .name = "image_height", .type = MR_U32, .doc = "texels down" } },
    .run = spread_run,
};

// `room` sizes out, and carries on as its live count.
static bool sized_run(const mr_kernel_call *call, mr_error *error)
{
    memset(call->slots[0].data, 0, call->slots[0].count * 4);
    return true;
}

static const mr_kernel abi_sized = {
    .name = "abi_sized",
    .summary = "Writes zeros.",
    .gpu = "exact",
    .bindings = { { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_F32,
                    .count = "2 * room + n",
                    .doc = "zeros" },
                  { .name = "domain_count",
                    .access = MR_READ,
                    .element = MR_TAKES_U32,
                    .count = "1",
                    .doc = "in every variant" } },
    .run = sized_run,
};

// One name that is written, worked on in place and read, by stage.
static bool stages_run(const mr_kernel_call *call, mr_error *error)
{
    for (size_t i = 0; i < call->n; i++) {
        if (call->choices[0] == 0) {
            call->slots[0].i32[i] = 5;
        } else if (call->choices[0] == 1) {
            call->slots[1].i32[i] += 1;
        } else {
            call->slots[3].i32[i] = 10 * call->slots[2].i32[i];
        }
    }
    return true;
}

static const mr_kernel abi_stages = {
    .name = "abi_stages",
    .summary = "Makes words, lets them grow, and writes ten times as much.",
    .gpu = "exact",
    .bindings = { { .name = "word",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .when = "STAGE=make",
                    .doc = "5" },
                  { .name = "word",
                    .access = MR_IN_PLACE,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=grow",
                    .doc = "one more" },
                  { .name = "word",
                    .access = MR_READ,
                    .element = MR_TAKES_I32,
                    .count = "n",
                    .when = "STAGE=read",
                    .doc = "what is read" },
                  { .name = "dst",
                    .access = MR_WRITE,
                    .element = MR_TAKES_I32,
                    .count = "word",
                    .when = "STAGE=read",
                    .doc = "ten times the word" } },
    .specializations = { { .name = "STAGE", .options = "make grow read", .doc = "what is done" } },
    .run = stages_run,
};

static const mr_kernel *const kernels[] = { &abi_scale,  &abi_add,     &abi_columns, &abi_ordered,
                                            &abi_filter, &abi_inout,   &abi_inplace, &abi_len,
                                            &abi_live,   &abi_nothing, &abi_pair,    &abi_spec,
                                            &abi_spread, &abi_sized,   &abi_stages };

// Requests.

static mr_column *floats(mr_context *context, size_t count, const float *values)
{
    mr_error error;
    mr_column *column = mr_column_from(context, MR_COLUMN_FLOAT, values, count, &error);
    assert_non_null(column);
    return mr_column_publish(column);
}

static mr_column *column_of(mr_context *context, mr_column_type type, size_t count, const void *words)
{
    mr_error error;
    mr_column *column = mr_column_from(context, type, words, count, &error);
    assert_non_null(column);
    return mr_column_publish(column);
}

#define BIND(binding, of)                                                                                    \
    {                                                                                                        \
        .name = binding, .kind = MR_BIND_COLUMN, .column = (of)                                              \
    }
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void run_ok(mr_context *context, const mr_kernel_request *request, mr_kernel_result *result)
{
    mr_error error = { 0 };
    test_assert_ok(mr_kernel_run(context, request, result, &error), &error);
}

static void refused(mr_context *context, const mr_kernel_request *request, const char *kernel,
                    const char *part)
{
    mr_error error = { 0 };
    mr_kernel_result result;
    assert_false(mr_kernel_run(context, request, &result, &error));
    assert_int_equal(result.count, 0);
    assert_text_contains(error.message, kernel);
    if (!strstr(error.message, part) && !strstr(error.hint, part)) {
        fail_msg("\"%s\" is not in \"%s\" / \"%s\"", part, error.message, error.hint);
    }
}

static void assert_floats(const mr_column *column, size_t count, const float *values)
{
    assert_non_null(column);
    assert_int_equal(column->count, count);
    for (size_t i = 0; i < count; i++) {
        if (column->f32[i] != values[i]) {
            fail_msg("element %zu is %g, not %g", i, (double)column->f32[i], (double)values[i]);
        }
    }
}

static void every_descriptor_holds_together(void **state)
{
    mr_error error = { 0 };
    for (size_t i = 0; i < LENGTH(kernels); i++) {
        test_assert_ok(mr_kernel_check(kernels[i], &error), &error);
    }
    for (size_t i = 0; i < mr_kernel_count(); i++) {
        test_assert_ok(mr_kernel_check(mr_kernel_at(i), &error), &error);
        assert_ptr_equal(mr_kernel_find(mr_kernel_at(i)->name), mr_kernel_at(i));
    }
    mr_kernel bad = abi_scale;
    bad.bindings[1].name = "src";
    assert_false(mr_kernel_check(&bad, &error));
    bad = abi_scale;
    bad.bindings[1].count = "n +";
    assert_false(mr_kernel_check(&bad, &error));
    bad = abi_live;
    bad.bindings[2].when = "COUNT=often";
    assert_false(mr_kernel_check(&bad, &error));
}

static void a_name_may_stand_once_a_variant(void **state)
{
    mr_error error = { 0 };
    mr_kernel bad = abi_stages;
    bad.bindings[1].when = NULL;
    assert_false(mr_kernel_check(&bad, &error));
    bad.bindings[1].when = "STAGE=grow; STAGE=read";
    assert_false(mr_kernel_check(&bad, &error));
    assert_text_contains(error.message, "stands twice");

    mr_choice choice[] = { { "STAGE", "make" } };
    mr_bind bind[1];
    mr_kernel_request request = {
        .kernel = &abi_stages, .domain = mr_count_plain(2), .specialize = choice, .specialize_count = 1
    };
    mr_kernel_result made, grown, read;
    run_ok(*state, &request, &made);
    choice[0].option = "grow";
    refused(*state, &request, "abi_stages", "word is not bound");
    bind[0] = (mr_bind)BIND("word", mr_kernel_result_find(&made, "word"));
    request.bind = bind;
    request.bind_count = 1;
    run_ok(*state, &request, &grown);
    choice[0].option = "read";
    bind[0].column = mr_kernel_result_find(&grown, "word");
    run_ok(*state, &request, &read);
    assert_int_equal(read.count, 1);
    assert_int_equal(mr_kernel_result_find(&made, "word")->i32[1], 5);
    assert_int_equal(mr_kernel_result_find(&grown, "word")->i32[1], 6);
    assert_int_equal(mr_kernel_result_find(&read, "dst")->i32[1], 60);
    bind[0].name = "dst";
    choice[0].option = "make";
    refused(*state, &request, "abi_stages", "dst is of another variant");
    mr_kernel_result_release(&read);
    mr_kernel_result_release(&grown);
    mr_kernel_result_release(&made);
}

static void what_a_kernel_writes_comes_back_by_name(void **state)
{
    mr_column *src = floats(*state, 3, (float[]){ 1, 2.5f, -3 });
    mr_bind bind[] = { BIND("src", src) };
    mr_uniform uniforms[] = { { "scale", 1, { 4 } } };
    mr_kernel_request request = {
        .kernel = &abi_scale, .domain = mr_count_of(src), .bind = bind, .bind_count = 1
    };
    mr_kernel_result result;
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 3, (float[]){ 2, 5, -6 });
    assert_null(mr_kernel_result_find(&result, "src"));
    assert_true(mr_kernel_result_find(&result, "dst")->published);
    mr_kernel_result_release(&result);
    request.uniforms = uniforms;
    request.uniform_count = 1;
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 3, (float[]){ 4, 10, -12 });
    mr_kernel_result_release(&result);
    mr_column_release(src);
}

static void columns_are_cast_by_value(void **state)
{
    mr_column *src = floats(*state, 6, (float[]){ 1.9f, -1.9f, 3e9f, -3e9f, NAN, INFINITY });
    mr_column *whole = column_of(*state, MR_COLUMN_INT, 3, (int32_t[]){ -7, 0, 16777217 });
    mr_column *unsigned_ = column_of(*state, MR_COLUMN_UINT, 2, (uint32_t[]){ 4000000000u, 1 });
    mr_bind bind[] = { BIND("src", src) };
    mr_uniform zero[] = { { "delta", 1, { 0 } } };
    mr_kernel_result result;
    mr_kernel_request request = { .kernel = &abi_add,
                                  .domain = mr_count_plain(6),
                                  .bind = bind,
                                  .bind_count = 1,
                                  .uniforms = zero,
                                  .uniform_count = 1 };
    run_ok(*state, &request, &result);
    mr_column *dst = mr_kernel_result_find(&result, "dst");
    static const int32_t cast[] = { 1, -1, INT32_MAX, INT32_MIN, 0, INT32_MAX };
    assert_int_equal(dst->type, MR_COLUMN_INT);
    assert_memory_equal(dst->i32, cast, sizeof cast);
    mr_kernel_result_release(&result);

    request = (mr_kernel_request){
        .kernel = &abi_scale, .domain = mr_count_plain(3), .bind = bind, .bind_count = 1
    };
    bind[0].column = whole;
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 3, (float[]){ -14, 0, 33554432 });
    mr_kernel_result_release(&result);
    bind[0].column = unsigned_;
    request.domain = mr_count_plain(2);
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 2, (float[]){ 8e9f, 2 });
    mr_kernel_result_release(&result);

    // In place: the numbers are cast, and what comes back has the binding's type; the given column keeps its own.
    bind[0] = (mr_bind)BIND("data", src);
    request = (mr_kernel_request){
        .kernel = &abi_inplace, .domain = mr_count_plain(2), .bind = bind, .bind_count = 1
    };
    run_ok(*state, &request, &result);
    dst = mr_kernel_result_find(&result, "data");
    assert_int_equal(dst->type, MR_COLUMN_INT);
    assert_int_equal(dst->i32[0], 2);
    assert_int_equal(dst->i32[1], 0);
    assert_true(src->f32[0] == 1.9f);
    mr_kernel_result_release(&result);
    mr_column_release(unsigned_);
    mr_column_release(whole);
    mr_column_release(src);
}

static void a_written_binding_bound_to_a_column_writes_a_copy(void **state)
{
    mr_column *src = floats(*state, 2, (float[]){ 1, 2 }), *dst = floats(*state, 3, (float[]){ 10, 20, 30 });
    mr_bind bind[] = { BIND("src", src), BIND("dst", dst) };
    mr_uniform mode[] = { { "mode", 1, { 1 } } };
    mr_kernel_request request = { .kernel = &abi_inout,
                                  .domain = mr_count_plain(2),
                                  .bind = bind,
                                  .bind_count = 2,
                                  .uniforms = mode,
                                  .uniform_count = 1 };
    mr_kernel_result result;
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 3, (float[]){ 11, 22, 30 });
    assert_floats(dst, 3, (float[]){ 10, 20, 30 });
    mr_kernel_result_release(&result);
    request.bind_count = 1;
    request.uniform_count = 0;
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 2, (float[]){ 2, 4 });
    mr_kernel_result_release(&result);
    mr_column_release(dst);
    mr_column_release(src);
}

static void tables_stand_in_the_stated_order_or_sorted(void **state)
{
    mr_column *one = floats(*state, 2, (float[]){ 1, 2 }), *two = floats(*state, 2, (float[]){ 5, 6 });
    mr_attribute items[] = { { "tail", one }, { "head", two } },
                 strange[] = { { "tail", one }, { "hand", two } };
    mr_attribute many[] = { { "tail", one }, { "head", two }, { "more", two } };
    mr_bind bind[] = { { .name = "table", .kind = MR_BIND_TABLE, .table = { items, 2 } } };
    mr_kernel_request request = {
        .kernel = &abi_ordered, .domain = mr_count_plain(2), .bind = bind, .bind_count = 1
    };
    mr_kernel_result result;
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 2, (float[]){ 15, 26 });
    mr_kernel_result_release(&result);
    request.kernel = &abi_columns; // head before tail
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 2, (float[]){ 51, 62 });
    mr_kernel_result_release(&result);
    request.bind_count = 0; // an unbound table takes all of bind.columns
    request.bind_columns = (mr_table){ items, 2 };
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 2, (float[]){ 51, 62 });
    mr_kernel_result_release(&result);
    request.kernel = &abi_ordered;
    request.bind_columns = (mr_table){ strange, 2 };
    refused(*state, &request, "abi_ordered", "head is missing");
    request.bind_columns = (mr_table){ many, 3 };
    refused(*state, &request, "abi_ordered", "no place for more");
    request.bind_columns = (mr_table){ items, 2 };
    request.domain = mr_count_plain(3);
    refused(*state, &request, "abi_ordered", "asks for 3");
    request.bind_columns = (mr_table){ NULL, 0 };
    refused(*state, &request, "abi_ordered", "not bound");
    mr_column_release(two);
    mr_column_release(one);
}

static void unbound_reads_take_the_column_of_their_name(void **state)
{
    mr_column *one = floats(*state, 2, (float[]){ 1, 2 }), *two = floats(*state, 2, (float[]){ 5, 6 });
    mr_column *three = floats(*state, 2, (float[]){ 100, 100 });
    mr_attribute items[] = { { "a", one }, { "b", two } };
    mr_bind bind[] = { BIND("b", three) };
    mr_kernel_request request = { .kernel = &abi_pair,
                                  .domain = mr_count_plain(2),
                                  .bind_columns = { items, 2 } };
    mr_kernel_result result;
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 2, (float[]){ 6, 8 });
    mr_kernel_result_release(&result);
    request = (mr_kernel_request){ .kernel = &abi_pair,
                                   .domain = mr_count_plain(2),
                                   .columns = { items, 2 },
                                   .bind = bind,
                                   .bind_count = 1 };
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 2, (float[]){ 101, 102 });
    mr_kernel_result_release(&result);
    request.columns.count = 0;
    refused(*state, &request, "abi_pair", "binding a is not bound");
    mr_column_release(three);
    mr_column_release(two);
    mr_column_release(one);
}

static void appended_outputs_carry_their_counts(void **state)
{
    mr_column *src = floats(*state, 5, (float[]){ 1, -1, 2, -2, 3 });
    mr_bind bind[] = { BIND("src", src),
                       { .name = "room", .kind = MR_BIND_COUNT, .count = mr_count_plain(6) } };
    mr_kernel_request request = {
        .kernel = &abi_filter, .domain = mr_count_plain(5), .bind = bind, .bind_count = 2
    };
    mr_kernel_result result, again;
    run_ok(*state, &request, &result);
    mr_column *hits = mr_kernel_result_find(&result, "hits");
    assert_int_equal(hits->count, 6);
    assert_int_equal(mr_column_live_count(hits), 3);
    assert_int_equal(mr_kernel_result_find(&result, "hits_count")->u32[0], 3);

    // The count is the next kernel's domain, capacity and all, with nothing read in between.
    mr_bind live[] = { BIND("src", hits) };
    mr_kernel_request next = {
        .kernel = &abi_live, .domain = mr_count_of(hits), .bind = live, .bind_count = 1
    };
    run_ok(*state, &next, &again);
    assert_floats(mr_kernel_result_find(&again, "dst"), 6, (float[]){ 2, 4, 6, -1, -1, -1 });
    assert_int_equal(mr_column_live_count(mr_kernel_result_find(&again, "dst")), 3);
    mr_kernel_result_release(&again);
    mr_count_release(&next.domain);

    // Bound to what an append returned, a later pass appends after it, and its own column stays as it was.
    mr_bind more[] = { BIND("src", src), BIND("hits", hits), { .name = "room", .kind = MR_BIND_COUNT } };
    request.bind = more;
    more[2].count = mr_count_plain(6);
    request.bind_count = 3;
    run_ok(*state, &request, &again);
    assert_floats(mr_kernel_result_find(&again, "hits"), 6, (float[]){ 1, 2, 3, 1, 2, 3 });
    assert_int_equal(mr_kernel_result_find(&again, "hits_count")->u32[0], 6);
    assert_int_equal(mr_column_live_count(hits), 3);
    mr_column *full = mr_kernel_result_take(&again, "hits");
    mr_kernel_result_release(&again);

    // Past the capacity the count states how many there were.
    more[1].column = full;
    run_ok(*state, &request, &again);
    assert_int_equal(mr_kernel_result_find(&again, "hits_count")->u32[0], 9);
    assert_int_equal(mr_column_live_count(mr_kernel_result_find(&again, "hits")), 6);
    mr_kernel_result_release(&again);
    more[1].column = src;
    refused(*state, &request, "abi_filter", "live count to append after");
    mr_column_release(full);
    mr_kernel_result_release(&result);
    mr_column_release(src);
}

static void a_domain_is_a_number_or_a_count(void **state)
{
    mr_column *src = floats(*state, 4, (float[]){ 1, 2, 3, 4 });
    mr_column *word = column_of(*state, MR_COLUMN_INT, 1, (int32_t[]){ 2 });
    mr_column *much = column_of(*state, MR_COLUMN_UINT, 1, (uint32_t[]){ 4000000000u });
    mr_column *below = column_of(*state, MR_COLUMN_INT, 1, (int32_t[]){ -5 });
    mr_bind bind[] = { BIND("src", src) };
    mr_kernel_request request = {
        .kernel = &abi_live, .domain = mr_count_plain(4), .bind = bind, .bind_count = 1
    };
    mr_kernel_result result;
    mr_error error;
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 4, (float[]){ 2, 4, 6, 8 });
    assert_null(mr_kernel_result_find(&result, "dst")->live);
    mr_kernel_result_release(&result);
    const struct {
        mr_column *word;
        float answers[4];
    } cases[] = { { word, { 2, 4, -1, -1 } }, { much, { 2, 4, 6, 8 } }, { below, { -1, -1, -1, -1 } } };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        test_assert_ok(mr_count_live(cases[i].word, 4, &request.domain, &error), &error);
        run_ok(*state, &request, &result);
        assert_floats(mr_kernel_result_find(&result, "dst"), 4, cases[i].answers);
        mr_kernel_result_release(&result);
        mr_count_release(&request.domain);
    }
    mr_choice plain[] = { { "COUNT", "plain" } };
    assert_true(mr_count_live(word, 4, &request.domain, &error));
    request.specialize = plain;
    request.specialize_count = 1;
    refused(*state, &request, "abi_live", "domain is a live count");
    mr_count_release(&request.domain);
    assert_false(mr_count_live(src, 4, &request.domain, &error));
    mr_column_release(below);
    mr_column_release(much);
    mr_column_release(word);
    mr_column_release(src);
}

static void count_arithmetic_stays_live_while_it_grows(void **state)
{
    mr_column *word = column_of(*state, MR_COLUMN_UINT, 1, (uint32_t[]){ 5 });
    mr_error error;
    mr_count live, eight = mr_count_plain(8), answer;
    assert_true(mr_count_live(word, 100, &live, &error));
    static const struct {
        mr_count_op op;
        bool live;
        size_t value, capacity;
    } cases[] = { { MR_COUNT_ADD, true, 13, 108 },    { MR_COUNT_MULTIPLY, true, 40, 800 },
                  { MR_COUNT_MIN, true, 5, 8 },       { MR_COUNT_MAX, true, 8, 100 },
                  { MR_COUNT_SUBTRACT, false, 0, 0 }, { MR_COUNT_DIVIDE, true, 0, 12 } };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_true(mr_count_combine(*state, cases[i].op, &live, &eight, &answer, &error));
        assert_int_equal(answer.word != NULL, cases[i].live);
        assert_int_equal(mr_count_read(&answer), cases[i].value);
        assert_int_equal(answer.capacity, cases[i].capacity);
        mr_count_release(&answer);
    }
    mr_count huge = mr_count_plain(MR_COUNT_MOST), zero = mr_count_plain(0);
    assert_false(mr_count_combine(*state, MR_COUNT_MULTIPLY, &live, &huge, &answer, &error));
    assert_int_equal(error.status, MR_LIMIT);
    assert_false(mr_count_combine(*state, MR_COUNT_ADD, &huge, &huge, &answer, &error));
    assert_false(mr_count_combine(*state, MR_COUNT_DIVIDE, &live, &zero, &answer, &error));
    assert_false(mr_count_combine(*state, MR_COUNT_DIVIDE, &eight, &live, &answer, &error));
    mr_count_release(&live);
    mr_column_release(word);
}

static void outputs_are_sized_by_what_names_are_bound_to(void **state)
{
    mr_column *word = column_of(*state, MR_COLUMN_UINT, 1, (uint32_t[]){ 3 });
    mr_bind bind[] = { { .name = "room", .kind = MR_BIND_COUNT, .count = mr_count_plain(7) } };
    mr_kernel_request request = {
        .kernel = &abi_sized, .domain = mr_count_plain(2), .bind = bind, .bind_count = 1
    };
    mr_kernel_result result;
    mr_error error;
    run_ok(*state, &request, &result);
    assert_int_equal(mr_kernel_result_find(&result, "dst")->count, 16);
    assert_null(mr_kernel_result_find(&result, "dst")->live);
    mr_kernel_result_release(&result);
    assert_true(mr_count_live(word, 10, &bind[0].count, &error));
    run_ok(*state, &request, &result);
    assert_int_equal(mr_kernel_result_find(&result, "dst")->count, 22);
    assert_int_equal(mr_column_live_count(mr_kernel_result_find(&result, "dst")), 8);
    mr_kernel_result_release(&result);
    mr_count_release(&bind[0].count);
    request.bind_count = 0;
    refused(*state, &request, "abi_sized", "room says how much it writes");
    mr_column *src = floats(*state, 2, (float[]){ 4, 5 });
    mr_bind other[] = { BIND("src", src) };
    request = (mr_kernel_request){
        .kernel = &abi_len, .domain = mr_count_plain(0), .bind = other, .bind_count = 1
    };
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 2, (float[]){ 4, 5 });
    mr_kernel_result_release(&result);
    mr_column_release(src);
    mr_column_release(word);
}

static void the_element_type_is_specialized_or_taken_from_the_column(void **state)
{
    mr_column *vectors = column_of(*state, MR_COLUMN_VEC3, 1, (float[]){ 1, 2, 3 });
    mr_column *whole = column_of(*state, MR_COLUMN_INT, 2, (int32_t[]){ 3, INT32_MIN });
    mr_column *pair = column_of(*state, MR_COLUMN_VEC2, 1, (float[]){ 1, 2 });
    mr_bind bind[] = { BIND("src", vectors) };
    mr_kernel_request request = {
        .kernel = &abi_spec, .domain = mr_count_plain(1), .bind = bind, .bind_count = 1
    };
    mr_kernel_result result;
    run_ok(*state, &request, &result);
    assert_int_equal(mr_kernel_result_find(&result, "dst")->type, MR_COLUMN_VEC3);
    assert_true(mr_kernel_result_find(&result, "dst")->f32[2] == 6);
    mr_kernel_result_release(&result);
    bind[0].column = whole;
    run_ok(*state, &request, &result);
    assert_int_equal(mr_kernel_result_find(&result, "dst")->type, MR_COLUMN_INT);
    assert_int_equal(mr_kernel_result_find(&result, "dst")->i32[0], 6);
    mr_kernel_result_release(&result);
    mr_choice as_float[] = { { "T", "f32" } };
    request.specialize = as_float; // stated: the whole numbers are cast
    request.specialize_count = 1;
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 1, (float[]){ 6 });
    mr_kernel_result_release(&result);
    bind[0].column = pair;
    refused(*state, &request, "abi_spec", "takes 1 word an element; the column is Vec2");
    request.specialize = (mr_choice[]){ { "T", "vec2" } };
    refused(*state, &request, "abi_spec", "one of: f32 vec3 i32; not vec2");
    request.specialize = (mr_choice[]){ { "TT", "vec3" } };
    refused(*state, &request, "abi_spec", "did you mean T?");
    request.specialize = (mr_choice[]){ { "T", "f32" }, { "T", "f32" } };
    request.specialize_count = 2;
    refused(*state, &request, "abi_spec", "twice");
    mr_column_release(pair);
    mr_column_release(whole);
    mr_column_release(vectors);
}

static void params_spread_default_and_are_refused(void **state)
{
    mr_error error;
    mr_texture *texture = mr_texture_create(*state, 3, 2, 1, &error);
    memset(texture->texels->data, 0, 24);
    mr_column_publish(texture->texels);
    mr_uniform uniforms[] = { { "dir", 3, { 1, 2, 3 } }, { "frame", 1, { 9 } } };
    mr_uniform step[] = { { "dt", 1, { 0.5 } }, { "weather", 1, { 1 } } };
    mr_bind bind[] = { { .name = "image", .kind = MR_BIND_TEXTURE, .texture = texture } };
    mr_kernel_request request = { .kernel = &abi_spread,
                                  .uniforms = uniforms,
                                  .uniform_count = 2,
                                  .step = step,
                                  .step_count = 2,
                                  .bind = bind,
                                  .bind_count = 1 };
    mr_kernel_result result;
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 6, (float[]){ 1, 2, 3, 0.5f, 3, 2 });
    mr_kernel_result_release(&result);
    request = (mr_kernel_request){ .kernel = &abi_spread };
    run_ok(*state, &request, &result);
    assert_floats(mr_kernel_result_find(&result, "dst"), 6, (float[]){ 0, 0, 0, 7, 0, 0 });
    mr_kernel_result_release(&result);
    const struct {
        mr_uniform uniform;
        const char *says;
    } bad[] = { { { "dif", 3, { 1, 2, 3 } }, "no param dif" },
                { { "dir", 4, { 1, 2, 3, 4 } }, "no param dir" },
                { { "image_width", 1, { 1.5 } }, "whole number" },
                { { "image_width", 1, { -1 } }, "whole number" },
                { { "image_width", 1, { NAN } }, "whole number" } };
    for (size_t i = 0; i < LENGTH(bad); i++) {
        request.uniforms = &bad[i].uniform;
        request.uniform_count = 1;
        refused(*state, &request, "abi_spread", bad[i].says);
    }
    mr_column *src = floats(*state, 1, (float[]){ 1 });
    mr_bind one[] = { BIND("src", src) };
    request =
        (mr_kernel_request){ .kernel = &abi_add, .domain = mr_count_plain(1), .bind = one, .bind_count = 1 };
    refused(*state, &request, "abi_add", "param delta must be given");
    request.uniforms = (mr_uniform[]){ { "delta", 1, { 101 } } };
    request.uniform_count = 1;
    refused(*state, &request, "abi_add", "from -100 to 100");
    mr_column_release(src);
    mr_texture_release(texture);
}

static void bindings_are_refused_by_name(void **state)
{
    mr_column *src = floats(*state, 2, (float[]){ 1, 2 });
    mr_bind misspelled[] = { BIND("scr", src) }, twice[] = { BIND("src", src), BIND("src", src) };
    mr_bind none[] = { BIND("src", NULL) }, absent[] = { BIND("src", src), BIND("domain_count", src) };
    mr_kernel_request request = {
        .kernel = &abi_scale, .domain = mr_count_plain(2), .bind = misspelled, .bind_count = 1
    };
    refused(*state, &request, "abi_scale", "did you mean src?");
    request.bind = twice;
    request.bind_count = 2;
    refused(*state, &request, "abi_scale", "binding src is bound twice");
    request.bind = none;
    request.bind_count = 1;
    refused(*state, &request, "abi_scale", "bound to nothing");
    request.bind_count = 0;
    refused(*state, &request, "abi_scale", "binding src is not bound");
    request.bind = twice;
    request.bind_count = 1;
    request.domain = mr_count_plain(3);
    refused(*state, &request, "abi_scale", "binding src holds 2 elements; n asks for 3");
    request.domain = mr_count_plain((size_t)1 << 32);
    refused(*state, &request, "abi_scale", "past the 2147483647");
    request = (mr_kernel_request){
        .kernel = &abi_live, .domain = mr_count_plain(2), .bind = absent, .bind_count = 2
    };
    refused(*state, &request, "abi_live", "of another variant");
    mr_error error;
    mr_kernel_result result;
    request.kernel = NULL;
    assert_false(mr_kernel_run(*state, &request, &result, &error));
    request = (mr_kernel_request){
        .kernel = &abi_nothing, .domain = mr_count_plain(2), .bind = twice, .bind_count = 1
    };
    run_ok(*state, &request, &result);
    assert_int_equal(result.count, 0);
    assert_false(mr_kernel_unknown("scna", &error));
    mr_column_release(src);
}

static bool squares(const mr_element_program *program, const mr_program_lanes *lanes, void *out,
                    mr_error *error)
{
    float *answers = out;
    for (size_t i = 0; i < lanes->count; i++) {
        answers[i] = (float)((lanes->first + i) * (lanes->first + i) % 1000);
    }
    return true;
}

static void a_field_is_evaluated_on_the_way(void **state)
{
    mr_element_program program = { .type = MR_COLUMN_FLOAT, .run = squares };
    mr_bind bind[] = { { .name = "src", .kind = MR_BIND_PROGRAM, .program = &program } };
    mr_kernel_request request = {
        .kernel = &abi_scale, .domain = mr_count_plain(50000), .bind = bind, .bind_count = 1
    };
    mr_kernel_result result;
    run_ok(*state, &request, &result);
    for (size_t i = 0; i < 50000; i++) {
        assert_true(mr_kernel_result_find(&result, "dst")->f32[i] == 2 * (float)(i * i % 1000));
    }
    mr_kernel_result_release(&result);
    program.needs_position = true;
    refused(*state, &request, "abi_scale", "reads the position");
}

// Every allocation of a run fails once; each time the run is refused whole or goes through, and nothing is lost.
static void a_failing_allocator_loses_nothing(void **state)
{
    for (uint64_t at = 1;; at++) {
        mr_context *context = test_context_of(1, 0);
        mr_column *one = floats(context, 2, (float[]){ 1, 2 });
        mr_attribute items[] = { { "tail", one }, { "head", one } };
        mr_bind bind[] = { BIND("src", one),
                           { .name = "room", .kind = MR_BIND_COUNT, .count = mr_count_plain(3) } };
        mr_kernel_request table = { .kernel = &abi_ordered,
                                    .domain = mr_count_plain(2),
                                    .bind_columns = { items, 2 } };
        mr_kernel_request append = {
            .kernel = &abi_filter, .domain = mr_count_plain(2), .bind = bind, .bind_count = 2
        };
        mr_kernel_result first, second = { 0 };
        mr_error error = { 0 };
        mr_memory_fail_after(context, at, false);
        bool good = mr_kernel_run(context, &table, &first, &error) &&
                    mr_kernel_run(context, &append, &second, &error);
        mr_memory_fail_after(context, 0, false);
        if (!good) {
            assert_int_equal(error.status, MR_OUT_OF_MEMORY);
        }
        mr_kernel_result_release(&first);
        mr_kernel_result_release(&second);
        mr_column_release(one);
        test_context_end(context);
        if (good) {
            assert_true(at > 5);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_descriptor_holds_together, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_name_may_stand_once_a_variant, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(what_a_kernel_writes_comes_back_by_name, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(columns_are_cast_by_value, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_written_binding_bound_to_a_column_writes_a_copy, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(tables_stand_in_the_stated_order_or_sorted, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(unbound_reads_take_the_column_of_their_name, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(appended_outputs_carry_their_counts, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_domain_is_a_number_or_a_count, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(count_arithmetic_stays_live_while_it_grows, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(outputs_are_sized_by_what_names_are_bound_to, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(the_element_type_is_specialized_or_taken_from_the_column, test_setup,
                                        test_teardown),
        cmocka_unit_test_setup_teardown(params_spread_default_and_are_refused, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(bindings_are_refused_by_name, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_field_is_evaluated_on_the_way, test_setup, test_teardown),
        cmocka_unit_test(a_failing_allocator_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
