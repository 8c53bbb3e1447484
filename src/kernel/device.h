// kernel/device.h: runs a kernel over columns. Everything its descriptor states is checked here, before anything runs,
// so that a kernel's own function only computes.

#ifndef MARRAM_KERNEL_DEVICE_H
#define MARRAM_KERNEL_DEVICE_H

#include "data/count.h"
#include "data/geometry.h"
#include "data/texture.h"
#include "kernel/kernel.h"

typedef enum mr_bind_kind {
    MR_BIND_COLUMN,
    MR_BIND_PROGRAM, // evaluated over the domain on the way, or handed to an MR_PROGRAM binding
    MR_BIND_TEXTURE, // its texels; sets the params NAME_width and NAME_height where the kernel has them
    MR_BIND_COUNT,   // a count's word, or, for a name that output sizes read, how many elements
    MR_BIND_TABLE,   // an MR_COLUMNS binding's columns
} mr_bind_kind;

typedef struct mr_table {
    const mr_attribute *items;
    size_t count;
} mr_table;

typedef struct mr_bind {
    const char *name;
    mr_bind_kind kind;
    union { // borrowed
        mr_column *column;
        const mr_element_program *program;
        const mr_texture *texture;
        mr_count count;
        mr_table table;
    };
} mr_bind;

// A Number, Bool (1 or 0) or Vec given to a kernel's params: of 2 to 4 lanes it spreads over NAME_x to NAME_w.
typedef struct mr_uniform {
    const char *name;
    uint32_t lanes;
    double value[4];
} mr_uniform;

typedef struct mr_choice {
    const char *name;
    const char *option;
} mr_choice;

// Everything is borrowed for the call.
typedef struct mr_kernel_request {
    const mr_kernel *kernel;
    mr_count domain;
    const mr_choice
        *specialize; // what is left out is the first option; T left out is that of the first T column bound
    size_t specialize_count;
    const mr_bind *bind;
    size_t bind_count;
    const mr_uniform *uniforms; // a name the kernel has no param for is refused
    size_t uniform_count;
    const mr_uniform *step; // and here ignored (dt, time, frame)
    size_t step_count;
    mr_table columns;      // read bindings left unbound take their own name from it
    mr_table bind_columns; // the same, and an MR_COLUMNS binding left unbound takes all of it
} mr_kernel_request;

// What a kernel wrote, by binding name, published; an appended output also as NAME_count, its live count's word.
typedef struct mr_kernel_result {
    size_t count;
    mr_attribute items[2 * MR_KERNEL_BINDINGS];
} mr_kernel_result;

// Runs a kernel. On failure the result is empty. Errors name kernel and binding: MR_BAD_INPUT (a name the kernel does
// not have, with the nearest; a missing binding; the wrong lanes; a domain past a column's end; a param out of range),
// MR_LIMIT (counts past 32 bits, memory), MR_OUT_OF_MEMORY, MR_CANCELLED, and what the kernel itself refuses.
bool mr_kernel_run(mr_context *context, const mr_kernel_request *request, mr_kernel_result *result,
                   mr_error *error);
mr_column *mr_kernel_result_find(const mr_kernel_result *result, const char *name); // borrowed, or NULL
mr_column *mr_kernel_result_take(mr_kernel_result *result, const char *name);       // the reference, or NULL
void mr_kernel_result_release(mr_kernel_result *result);

// A column's words as those of another type of as many lanes: Float to Int and UInt rounds toward 0 and saturates (NaN
// is 0), Int and UInt to Float round to nearest, Int and UInt are the same bits. The column itself where nothing
// changes. The reference is the caller's.
mr_column *mr_column_cast(mr_column *column, mr_column_type type, mr_error *error);

#endif
