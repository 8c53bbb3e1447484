// kernel/kernel.h: a kernel's descriptor, which says everything a caller can know about it, and what its function is
// handed once device.h has checked a request against it.

#ifndef MARRAM_KERNEL_KERNEL_H
#define MARRAM_KERNEL_KERNEL_H

#include "base/context.h"
#include "data/column.h"
#include "kernel/element_program.h"

// What a kernel does with a binding.
typedef enum mr_access {
    MR_READ,     // takes a column's words as they are, or cast by value
    MR_WRITE,    // every element is written; bound to a column, a copy of it is
    MR_IN_PLACE, // read and written; the answer has the binding's type
    MR_APPEND,   // written from the front, with a counter that becomes its live count
    MR_COLUMNS,  // a table of columns, in the order the binding states or sorted by name
    MR_PROGRAM,  // an expression over elements that the kernel runs itself
} mr_access;

// The words of an element. MR_TAKES_T: those of the type that specialization T (or KEY) names. MR_TAKES_WORD: any, never
// cast.
typedef enum mr_takes { MR_TAKES_F32, MR_TAKES_I32, MR_TAKES_U32, MR_TAKES_WORD, MR_TAKES_T } mr_takes;

// A name may stand more than once, with another access, where no variant has two of them: what one stage writes the
// next works on in place and the last reads.
typedef struct mr_binding {
    const char *name;
    mr_access access;
    mr_takes element;
    uint32_t lanes; // words an element; 0: 1, or those of T
    bool flat;      // takes a column of any lanes as a run of its words
    // Elements, as sums and differences of products of numbers, `n`, params, and bindings (how many elements they hold).
    // Of a read binding the least it must hold, of a written one how many it is made with. NULL: any, of a read
    // binding; n, of a written one.
    const char *count;
    const char *order; // MR_COLUMNS: the names the kernel reads by slot number, "tail head"; NULL: sorted
    const char
        *when; // the variants that have it: "COUNT=device", "A=x B=y; A=z" (any of, each all of); NULL: all
    bool live; // the answer carries the count the kernel ran over
    bool optional; // a read binding that may be left out: its slot is empty
    const char *doc;
} mr_binding;

typedef struct mr_kernel_param {
    const char *name;
    mr_element type;
    double value;     // the default; NAN: it must be given
    double low, high; // inclusive, where low < high: what it may be
    const char *doc;
} mr_kernel_param;

typedef struct mr_specialization {
    const char *name;
    const char *options; // "f32 i32 vec2"; the first is the default
    const char *doc;
} mr_specialization;

// MR_EXACT: the same bits on every device, from any split. MR_FLOAT_ORDER: exact here, where floats that meet in one
// place fold in source order; a device that folds in arrival order answers other last bits.
typedef enum mr_determinism { MR_EXACT, MR_FLOAT_ORDER } mr_determinism;

enum { MR_KERNEL_BINDINGS = 16, MR_KERNEL_PARAMS = 24, MR_KERNEL_SPECIALIZATIONS = 6 };

// One binding as the kernel's function sees it. An optional binding left out has NULL data.
typedef struct mr_kernel_slot {
    union {
        void *data;
        float *f32;
        int32_t *i32;
        uint32_t *u32;
    };
    size_t count;       // elements
    uint32_t lanes;     // words an element
    mr_element element; // what the words are
    bool made; // a written binding nobody bound: the contents are undefined, else they are a column's
    uint32_t
        *counter; // MR_APPEND: how many elements there are; written by the kernel, may state more than fit
    const struct mr_kernel_slot *columns; // MR_COLUMNS: one a column, in the binding's order
    size_t column_count;
    const mr_element_program *program; // MR_PROGRAM
} mr_kernel_slot;

typedef union mr_word {
    float f32;
    int32_t i32;
    uint32_t u32;
} mr_word;

typedef struct mr_kernel mr_kernel;

typedef struct mr_kernel_call {
    mr_context *context;
    const mr_kernel *kernel;
    size_t n; // elements the kernel runs over: the capacity, over a live count
    size_t
        live; // how many of them hold something; n over a plain number, or in a variant that takes no count
    const mr_kernel_slot *slots; // by binding number
    const mr_word *params;       // by param number
    const uint8_t *choices;      // by specialization number, the option's place
} mr_kernel_call;

struct mr_kernel {
    const char *name;
    const char *summary;
    const char *source; // papers, pages
    mr_determinism determinism;
    const char *gpu;                          // whether a GPU can give the same bits, and by what form
    mr_binding bindings[MR_KERNEL_BINDINGS];  // ended by a NULL name
    mr_kernel_param params[MR_KERNEL_PARAMS]; // ended by a NULL name
    mr_specialization specializations[MR_KERNEL_SPECIALIZATIONS]; // ended by a NULL name
    // Everything the descriptor states holds when it is called. NULL: a library of functions, which has nothing to run.
    bool (*run)(const mr_kernel_call *call, mr_error *error);
};

// What a kernel that can run over a live count adds to its specializations and its bindings (the first and the last of
// the two tables, by custom). The count is in mr_kernel_call.live.
#define MR_KERNEL_COUNT                                                                                      \
    {                                                                                                        \
        .name = "COUNT", .options = "plain device",                                                          \
        .doc = "device: n is a capacity and domain_count holds how many elements there are. Chosen by the "  \
               "domain.",                                                                                    \
    }
#define MR_KERNEL_DOMAIN_COUNT                                                                               \
    {                                                                                                        \
        .name = "domain_count", .access = MR_READ, .element = MR_TAKES_U32, .count = "1",                    \
        .when = "COUNT=device", .doc = "How many of the n elements there are. Bound by the domain.",         \
    }

uint32_t mr_kernel_binding_count(const mr_kernel *kernel);
uint32_t mr_kernel_param_count(const mr_kernel *kernel);
uint32_t mr_kernel_specialization_count(const mr_kernel *kernel);
const char *mr_access_name(mr_access access); // "read", "write", "in place", "append", "columns", "program"

// The type a T option names ("f32" is Float, "ivec3" is Int3), or MR_COLUMN_TYPE_COUNT.
mr_column_type mr_kernel_type(mr_view option);
// The place of an option among a specialization's, or -1.
int mr_kernel_option(const mr_specialization *specialization, mr_view option);

// Fails with "kernel NAME: " and, where binding is not NULL, "binding BINDING " before the message. Answers false.
bool mr_kernel_refuse(mr_error *error, const mr_kernel *kernel, const char *binding, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Whether a descriptor holds together (names differ, counts and variants parse and name what there is, defaults are in
// range): a test asks it of every kernel there is.
bool mr_kernel_check(const mr_kernel *kernel, mr_error *error);

// The registry: generated by the build from the files of src/kernel, sorted by file name, read-only.
extern const mr_kernel *const mr_kernel_table[];
size_t mr_kernel_count(void);
const mr_kernel *mr_kernel_at(size_t index);
const mr_kernel *mr_kernel_find(const char *name); // NULL: none
// A message with the nearest name: "no kernel is called sacn; did you mean scan?".
bool mr_kernel_unknown(const char *name, mr_error *error);

#endif
