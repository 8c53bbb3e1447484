// base/array.c: growing arrays.

#include "base/array.h"

bool mr_array_grow(mr_context *context, void **items, size_t *capacity, size_t needed, size_t item_size)
{
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < needed) {
        if (!mr_size_add(wanted, wanted / 2, &wanted)) {
            return false;
        }
    }
    size_t bytes;
    if (!mr_size_multiply(wanted, item_size, &bytes)) {
        return false;
    }
    void *grown = mr_reallocate(context, *items, bytes);
    if (!grown) {
        return false;
    }
    *items = grown;
    *capacity = wanted;
    return true;
}
