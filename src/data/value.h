// data/value.h: what a socket carries.

#ifndef MARRAM_DATA_VALUE_H
#define MARRAM_DATA_VALUE_H

#include "data/count.h"
#include "data/geometry.h"
#include "data/raster.h"
#include "data/texture.h"

typedef enum mr_type {
    MR_NONE,
    MR_NUMBER, // f64
    MR_INT,    // i64
    MR_BOOL,
    MR_TEXT,
    MR_CHOICE, // descriptors only: the value is text, one of the input's choices
    MR_VEC2,
    MR_VEC3,
    MR_VEC4,
    MR_COLOR,
    MR_COLUMN,
    MR_COUNT, // how many elements there are: a live count, or a number
    MR_GEOMETRY,
    MR_RASTER,
    MR_TEXTURE,
    MR_LIST,   // values of any type
    MR_RECORD, // named values, in the order they were set
    MR_FUNCTION,
    MR_ANY, // descriptors only
    MR_TYPE_COUNT
} mr_type;

const char *mr_type_name(mr_type type); // "Number", "Raster", ...

typedef struct mr_list mr_list;
typedef struct mr_function mr_function;
typedef struct mr_value {
    mr_type type;
    union {
        double number;
        int64_t integer;
        bool boolean;
        double vector[4]; // VEC2..COLOR
        struct mr_string *text;
        mr_column *column;
        mr_count count;
        mr_geometry *geometry;
        mr_raster *raster;
        mr_texture *texture;
        mr_list *list; // LIST and RECORD
        mr_function *function;
    };
} mr_value;

typedef struct mr_string {
    mr_refs refs;
    mr_context *context;
    size_t size;
    char data[]; // ended by 0
} mr_string;

struct mr_list {
    mr_refs refs;
    mr_context *context;
    size_t count;
    size_t capacity;
    uint32_t depth; // of the lists within: 0 when there is none
    mr_value *items;
    mr_string **names; // RECORD only: one an item
};
enum { MR_LIST_DEPTH = 64 }; // lists within lists; more is MR_LIMIT

// A plain struct copy moves a value; these share it and let it go.
mr_value mr_value_retain(mr_value value);
void mr_value_release(mr_value *value); // leaves MR_NONE

static inline mr_value mr_value_number(double number)
{
    return (mr_value){ .type = MR_NUMBER, .number = number };
}
static inline mr_value mr_value_integer(int64_t integer)
{
    return (mr_value){ .type = MR_INT, .integer = integer };
}
static inline mr_value mr_value_boolean(bool boolean)
{
    return (mr_value){ .type = MR_BOOL, .boolean = boolean };
}
bool mr_value_text(mr_context *context, mr_view text, mr_value *value, mr_error *error);
bool mr_value_list(mr_context *context, mr_value *value, mr_error *error);         // an empty list
bool mr_value_record(mr_context *context, mr_value *value, mr_error *error);       // an empty record
bool mr_list_add(mr_list *list, mr_value item, mr_error *error);                   // takes the item
bool mr_record_set(mr_list *record, mr_view name, mr_value item, mr_error *error); // takes the item
const mr_value *mr_record_find(const mr_list *record, const char *name);           // borrowed, or NULL

// Publishes every column the value holds (columns that are published already are only looked at).
void mr_value_publish(mr_value *value);

// A key for caches and comparisons: 2 and 2.0 are one Number; records by name. Content, never addresses.
void mr_value_digest(const mr_value *value, mr_digester *digester);
bool mr_value_equal(const mr_value *a, const mr_value *b); // by digest
size_t mr_value_bytes(const mr_value *value);              // memory it holds, shared parts counted whole

#endif
