// base/map.h: a map from text to a number, walked in the order of insertion (never in hash order).

#ifndef MARRAM_BASE_MAP_H
#define MARRAM_BASE_MAP_H

#include "base/text.h"

typedef struct mr_map_entry {
    mr_view key; // the map's own copy
    uint64_t value;
} mr_map_entry;

typedef struct mr_map {
    mr_context *context;
    mr_map_entry *entries; // in the order they were put
    size_t count;
    size_t capacity;
    uint32_t *slots; // open addressing; entry number + 1, or 0
    size_t slot_count;
    mr_arena keys;
} mr_map;

void mr_map_init(mr_map *map, mr_context *context);
void mr_map_destroy(mr_map *map);
// The value of key, or false.
bool mr_map_find(const mr_map *map, mr_view key, uint64_t *value);
// Puts key; false only when there is no memory. An entry that is there is overwritten.
bool mr_map_put(mr_map *map, mr_view key, uint64_t value);

#endif
