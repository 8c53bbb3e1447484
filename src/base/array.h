// base/array.h: growing arrays of any type.
//
//     MR_ARRAY(uint32_t) list = { 0 };
//     if (!mr_array_push(context, &list, 7)) { ... out of memory ... }
//     mr_array_free(context, &list);

#ifndef MARRAM_BASE_ARRAY_H
#define MARRAM_BASE_ARRAY_H

#include "base/memory.h"

#define MR_ARRAY(type)                                                                                       \
    struct {                                                                                                 \
        type *items;                                                                                         \
        size_t count;                                                                                        \
        size_t capacity;                                                                                     \
    }

// Grows *items to hold at least `needed` of item_size; false when there is no memory (the old items stay).
bool mr_array_grow(mr_context *context, void **items, size_t *capacity, size_t needed, size_t item_size);

#define mr_array_reserve(context, array, needed)                                                             \
    ((array)->capacity >= (needed) || mr_array_grow((context), (void **)&(array)->items, &(array)->capacity, \
                                                    (needed), sizeof(*(array)->items)))
#define mr_array_push(context, array, ...)                                                                   \
    (mr_array_reserve((context), (array), (array)->count + 1)                                                \
         ? ((array)->items[(array)->count++] = (__VA_ARGS__), true)                                          \
         : false)
#define mr_array_free(context, array)                                                                        \
    (mr_free((context), (array)->items), (array)->items = NULL, (array)->count = (array)->capacity = 0)

#endif
