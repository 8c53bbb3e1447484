// field/field.h: expressions over elements.
//
// A field says what each element of a class answers: an immutable graph of operations over constants, columns, the
// element's number and position, shared by reference count. Nothing is worked while it is built. What consumes it
// compiles it to one program, which runs in blocks over all cores: however long the chain, no temporary is longer than
// a block. Equal parts are worked once, and parts that are constant while it is compiled.
//
// Kinds. Operands meet in one kind: Int where all are whole (UInt where all are UInt), else Float. A number that was
// written as a number (mr_field_number) and is whole takes the kind of what it meets. Whole arithmetic wraps round at 32
// bits; a UInt among Ints is its signed word. A Bool among numbers is 0 or 1, a number where a truth is asked for holds
// unless it is 0.
// Widths. Operands widen to the widest: a number stands for every component, a shorter vector reads 0 for those it
// lacks. Four lanes are a Color where every four-lane operand is one. Truths of more than one lane are Ints of 0 and 1.
//
// Every builder answers a reference of the caller's, or NULL with an error: no memory, or operands that do not go
// together (MR_BAD_INPUT, naming the operator). Operands are borrowed; one that is NULL makes the answer NULL and leaves
// the error, so that a chain need be checked only at its end. Fields may be shared between threads.

#ifndef MARRAM_FIELD_FIELD_H
#define MARRAM_FIELD_FIELD_H

#include "data/count.h"
#include "field/operations.h"
#include "kernel/device.h"
#include "kernel/element_program.h"

typedef struct mr_field mr_field;

mr_field *mr_field_retain(mr_field *field);
void mr_field_release(mr_field *field); // NULL is allowed
mr_column_type mr_field_type(const mr_field *field);

// The same value for every element: a Float, and lanes of any type but Text.
mr_field *mr_field_number(mr_context *context, double number, mr_error *error);
mr_field *mr_field_constant(mr_context *context, mr_column_type type, const void *words, mr_error *error);

// An element's own value in a column (retained); past its end that of the last element, of an empty column 0. Not Text.
mr_field *mr_field_column(mr_context *context, mr_column *column, mr_error *error);
// The element's number, an Int, and its position, a Vec3 (where what runs the field has positions).
mr_field *mr_field_id(mr_context *context, mr_error *error);
mr_field *mr_field_position(mr_context *context, mr_error *error);
// In a walk: lanes first (0 or 4) to first + 3 of the walker's state, a Vec4 (0 past the state's width), and the number
// of the step, an Int. The walker's number is mr_field_id.
mr_field *mr_field_walk_state(mr_context *context, uint32_t first, mr_error *error);
mr_field *mr_field_walk_step(mr_context *context, mr_error *error);

// A column read at a number that is worked out (floored where it is a Float): before the first element the first, past
// the last the last; of an empty column 0. NaN reads the first.
mr_field *mr_field_table(mr_context *context, mr_column *column, mr_field *index, mr_error *error);

// One component of a vector; errors where it has none of that number.
mr_field *mr_field_component(mr_field *field, uint32_t lane, mr_error *error);

typedef enum mr_noise_kind {
    // num/point_noise.h.
    MR_NOISE_VALUE2,
    MR_NOISE_VALUE3,
    MR_NOISE_GRADIENT2,
    MR_NOISE_GRADIENT3,
    MR_NOISE_SIMPLEX3,
    MR_NOISE_CURL3,   // a Vec3: frequency, amplitude
    MR_NOISE_WORLEY2, // num/noise.h: the distance to the nearest feature point; jitter
    MR_NOISE_WORLEY3,
    MR_NOISE_ANGLE_LAYER2, // num/angle_noise.h: one layer, its lattice beginning at 0
    MR_NOISE_ANGLE2,       // octaves, each moved by an offset of its own; warp and feature
} mr_noise_kind;

// A kind reads what is named with it, the first five and the last `octaves`, `lacunarity` and `gain`, and all the seed.
typedef struct mr_noise_settings {
    mr_noise_kind kind;
    uint32_t seed;
    uint32_t octaves;       // 1: the noise itself
    float lacunarity, gain; // usually 2 and 0.5
    float jitter;
    float frequency, amplitude;
    double warp, feature; // lengths in one unit; warp 0: none
} mr_noise_settings;
// Noise at a field's first two or three components.
mr_field *mr_field_noise(mr_context *context, const mr_noise_settings *settings, mr_field *at,
                         mr_error *error);

// An operator of the table below on operands.
mr_field *mr_field_apply(mr_context *context, mr_view name, mr_field *const *operands, size_t count,
                         mr_error *error);

// What the operators are, for bindings and documents: those of the math page by its names, and functions of rand, noise
// and color.
typedef struct mr_field_operator_about {
    const char *name;
    uint32_t least, most; // operands; most UINT32_MAX: any number of them
    const char *summary;
    const char *guard; // or NULL
} mr_field_operator_about;
size_t mr_field_operator_count(void);
mr_field_operator_about mr_field_operator_at(size_t index);

// A field as a program that kernels run (`map` over a domain, `walk` as its step). It keeps what it reads.
mr_element_program *mr_field_program_create(mr_context *context, mr_field *field, mr_error *error);
void mr_field_program_destroy(mr_element_program *program); // NULL is allowed
// How many operations it works an element, for tests and reports.
size_t mr_field_program_length(const mr_element_program *program);

// The field over a domain as a published column of its type, which carries the domain's live count. position: 3 floats an
// element, or NULL; a field that reads positions is refused without. Errors: those of compiling, MR_LIMIT past 2^31 - 1
// elements, memory, cancellation.
mr_column *mr_field_evaluate(mr_context *context, mr_field *field, const mr_count *domain,
                             const mr_column *position, mr_error *error);

// Fields as the programs of the kernel `walk`: the next state's lanes 0 to 3 and 4 to 7, and whether the walker stops.
// Each may be NULL, for the kernel's own default.
typedef struct mr_walk_spec {
    mr_element_program *step, *step_hi, *done;
} mr_walk_spec;
// Errors: MR_BAD_INPUT where a field answers what a walk does not take; those of compiling. Then nothing is to release.
bool mr_walk_spec_create(mr_context *context, mr_field *step, mr_field *step_hi, mr_field *done,
                         mr_walk_spec *spec, mr_error *error);
void mr_walk_spec_release(mr_walk_spec *spec);
// Writes the kernel's binds for what the spec has; answers how many.
size_t mr_walk_spec_bind(const mr_walk_spec *spec, mr_bind binds[3]);

#endif
