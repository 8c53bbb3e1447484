// data/function.h: a function as a value: what a graph hands about and cpu.call calls. A script's closure, or C.

#ifndef MARRAM_DATA_FUNCTION_H
#define MARRAM_DATA_FUNCTION_H

#include "data/value.h"

typedef struct mr_function_calls {
    // Adds its results, in order, to the list. False with an error. From one thread at a time.
    bool (*call)(void *self, const mr_value *arguments, size_t count, mr_list *results, mr_error *error);
    // What makes this function another than its like: its code and what it closes over, by content, never by address.
    void (*digest)(void *self, mr_digester *digester);
    void (*destroy)(void *self); // or NULL
} mr_function_calls;

struct mr_function {
    mr_refs refs;
    mr_context *context;
    char name[64]; // for messages
    void *self;
    const mr_function_calls *calls;
};

// Owns self from then on, also when it fails: NULL with an error.
mr_function *mr_function_create(mr_context *context, const char *name, const mr_function_calls *calls,
                                void *self, mr_error *error);
mr_function *mr_function_retain(mr_function *function);
void mr_function_release(mr_function *function); // NULL is allowed

#endif
