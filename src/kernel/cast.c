// kernel/cast.c: a column's numbers in words of another kind.

#include "base/thread.h"
#include "kernel/device.h"

typedef struct cast_job {
    const mr_column *from;
    mr_column *to;
} cast_job;

// Toward 0, saturated, NaN 0.
static int32_t to_i32(float value)
{
    if (!(value > -0x1p31f)) {
        return value <= -0x1p31f ? INT32_MIN : 0;
    }
    return value < 0x1p31f ? (int32_t)value : INT32_MAX;
}

static uint32_t to_u32(float value)
{
    if (!(value > 0)) {
        return 0;
    }
    return value < 0x1p32f ? (uint32_t)value : UINT32_MAX;
}

static bool cast_words(void *argument, size_t begin, size_t end, mr_error *error)
{
    const cast_job *job = argument;
    mr_element from = mr_column_element(job->from->type), to = mr_column_element(job->to->type);
    (void)error;
    for (size_t i = begin; i < end; i++) {
        if (to == MR_I32) {
            job->to->i32[i] = to_i32(job->from->f32[i]);
        } else if (to == MR_U32) {
            job->to->u32[i] = to_u32(job->from->f32[i]);
        } else if (from == MR_I32) {
            job->to->f32[i] = (float)job->from->i32[i];
        } else {
            job->to->f32[i] = (float)job->from->u32[i];
        }
    }
    return true;
}

mr_column *mr_column_cast(mr_column *column, mr_column_type type, mr_error *error)
{
    mr_element from = mr_column_element(column->type), to = mr_column_element(type);
    uint32_t lanes = mr_column_lanes(type);
    if (lanes != mr_column_lanes(column->type)) {
        mr_fail(error, MR_BAD_INPUT, "%s has %u words an element; a %s has %u",
                mr_column_type_name(column->type), mr_column_lanes(column->type), mr_column_type_name(type),
                lanes);
        return NULL;
    }
    if (column->type == type) {
        return mr_column_retain(column);
    }
    bool bits = from == to || (from != MR_F32 && to != MR_F32);
    mr_column *cast = bits ? mr_column_from(column->context, type, column->data, column->count, error)
                           : mr_column_create(column->context, type, column->count, error);
    if (!cast) {
        return NULL;
    }
    mr_column_set_live(cast, column->live);
    cast_job job = { column, cast };
    if (!bits && !mr_parallel_for(column->context, column->count * lanes, 1 << 16, cast_words, &job, error)) {
        mr_column_release(cast);
        return NULL;
    }
    return cast;
}
