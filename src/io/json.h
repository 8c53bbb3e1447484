// io/json.h: JSON written by a small emitter of our own (keys in the order given, numbers the shortest that read back,
// no locale), and read through jansson.

#ifndef MARRAM_IO_JSON_H
#define MARRAM_IO_JSON_H

#include "base/text.h"

#include <jansson.h>

enum { MR_JSON_DEPTH = 64 };

// Where an error of `text` is met it is kept there; mr_json_finish says it. `pretty` breaks lines and indents by two.
typedef struct mr_json {
    mr_text text;
    bool pretty;
    bool after_key;
    bool broken; // calls that do not fit: a value without a key in an object, more depth than there is
    uint32_t depth;
    struct {
        bool object;
        bool flat; // on one line also when pretty
        bool any;
    } stack[MR_JSON_DEPTH];
} mr_json;

void mr_json_init(mr_json *json, mr_context *context, bool pretty);
void mr_json_destroy(mr_json *json);
bool mr_json_finish(mr_json *json, mr_error *error); // then json->text holds it

void mr_json_begin_object(mr_json *json);
void mr_json_begin_list(mr_json *json);
void mr_json_begin_flat_list(mr_json *json); // stays on one line
void mr_json_end(mr_json *json);             // ends the innermost object or list
void mr_json_key(mr_json *json, const char *key);
void mr_json_key_view(mr_json *json, mr_view key);
void mr_json_text(mr_json *json, mr_view text); // broken UTF-8 becomes U+FFFD
void mr_json_f32(mr_json *json, float value);   // a NaN or infinity becomes null
void mr_json_f64(mr_json *json, double value);
void mr_json_integer(mr_json *json, int64_t value);
void mr_json_unsigned(mr_json *json, uint64_t value);
void mr_json_bool(mr_json *json, bool value);
void mr_json_null(mr_json *json);
// Text that is JSON already.
void mr_json_raw(mr_json *json, mr_view text);

// Reads JSON (any value at the top; a key given twice is an error). `name` is the file's, for errors, which state line
// and column. Let go with json_decref.
bool mr_json_parse(const char *bytes, size_t size, const char *name, json_t **value, mr_error *error);

#endif
