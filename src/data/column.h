// data/column.h: a run of elements of one type, shared by count and never changed once published.

#ifndef MARRAM_DATA_COLUMN_H
#define MARRAM_DATA_COLUMN_H

#include "base/digest.h"
#include "base/memory.h"

typedef enum mr_column_type {
    MR_COLUMN_FLOAT,
    MR_COLUMN_INT,
    MR_COLUMN_UINT,
    MR_COLUMN_BOOL, // u32, 0 or 1
    MR_COLUMN_VEC2,
    MR_COLUMN_VEC3,
    MR_COLUMN_VEC4,
    MR_COLUMN_COLOR, // 4 lanes, linear, alpha last
    MR_COLUMN_MAT4,  // 16 lanes, column-major
    MR_COLUMN_INT2,
    MR_COLUMN_INT3,
    MR_COLUMN_INT4,
    MR_COLUMN_TEXT, // u32 into the column's own dictionary, words in first-seen order
    MR_COLUMN_TYPE_COUNT
} mr_column_type;

typedef enum mr_element { MR_F32, MR_I32, MR_U32 } mr_element;

mr_element mr_column_element(mr_column_type type);
uint32_t mr_column_lanes(mr_column_type type);
const char *mr_column_type_name(mr_column_type type);

typedef struct mr_column {
    mr_refs refs;
    mr_context *context;
    mr_column_type type;
    bool published;
    size_t count;
    size_t capacity;
    union {
        void *data; // a pooled buffer: capacity * lanes words of 32 bits, element after element
        float *f32;
        int32_t *i32;
        uint32_t *u32;
    };
    struct mr_column
        *live;    // one word, Int or UInt: how many of the elements there are; NULL: all. Part of the value
    char **words; // MR_COLUMN_TEXT: the dictionary
    size_t word_count;
    size_t word_capacity;
    atomic_uint digest_state; // of the digest, which is kept while the column is published
    mr_digest digest;
} mr_column;

// A column of count elements, contents undefined (text: empty dictionary). NULL with an error when it does not fit.
mr_column *mr_column_create(mr_context *context, mr_column_type type, size_t count, mr_error *error);
mr_column *mr_column_from(mr_context *context, mr_column_type type, const void *words, size_t count,
                          mr_error *error);
mr_column *mr_column_retain(mr_column *column);
void mr_column_release(mr_column *column); // NULL is allowed

// Gives an unpublished column a live count (retained; NULL takes it away).
void mr_column_set_live(mr_column *column, mr_column *live);
// How many of the elements there are: the live count held to count, or count.
size_t mr_column_live_count(const mr_column *column);

// Makes every NaN the canonical one and forbids further writing. Answers the column. A large column's digest is worked in
// the same pass.
mr_column *mr_column_publish(mr_column *column);

// Takes the publishing back. Only for whoever holds the one reference.
void mr_column_reopen(mr_column *column);

// The column itself when nobody else holds it (it may be written again), else a copy; takes the caller's reference.
mr_column *mr_column_writable(mr_column *column, mr_error *error);

// The dictionary's number of a word, added when new. UINT32_MAX when there is no memory.
uint32_t mr_column_word(mr_column *column, mr_view word);

// By type and elements (of text by the words themselves). A published column remembers its own, so that asking again
// costs nothing.
void mr_column_digest(const mr_column *column, mr_digester *digester);

#endif
