// base/map.c: open addressing over a list of entries; the list's order is the order of insertion.

#include "base/map.h"

#include <xxhash.h>

void mr_map_init(mr_map *map, mr_context *context)
{
    *map = (mr_map){ .context = context };
    mr_arena_init(&map->keys, context);
}

void mr_map_destroy(mr_map *map)
{
    mr_free(map->context, map->entries);
    mr_free(map->context, map->slots);
    mr_arena_destroy(&map->keys);
    mr_map_init(map, map->context);
}

// The slot that holds key, or the empty one where it belongs. slot_count is a power of two with room to spare.
static size_t slot_of(const mr_map *map, mr_view key)
{
    size_t mask = map->slot_count - 1;
    size_t slot = (size_t)XXH3_64bits(key.data, key.size) & mask;
    while (map->slots[slot] && !mr_view_equal(map->entries[map->slots[slot] - 1].key, key)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

bool mr_map_find(const mr_map *map, mr_view key, uint64_t *value)
{
    if (map->slot_count == 0) {
        return false;
    }
    size_t slot = slot_of(map, key);
    if (!map->slots[slot]) {
        return false;
    }
    if (value) {
        *value = map->entries[map->slots[slot] - 1].value;
    }
    return true;
}

static bool grow(mr_map *map)
{
    size_t capacity = map->capacity ? map->capacity * 2 : 8;
    if (capacity > UINT32_MAX / 4) {
        return false;
    }
    uint32_t *slots = mr_allocate_zeroed(map->context, capacity * 2 * sizeof *slots);
    mr_map_entry *entries =
        slots ? mr_reallocate(map->context, map->entries, capacity * sizeof *entries) : NULL;
    if (!entries) {
        mr_free(map->context, slots);
        return false;
    }
    mr_free(map->context, map->slots);
    map->entries = entries;
    map->capacity = capacity;
    map->slots = slots;
    map->slot_count = capacity * 2;
    for (size_t i = 0; i < map->count; i++) {
        map->slots[slot_of(map, entries[i].key)] = (uint32_t)(i + 1);
    }
    return true;
}

bool mr_map_put(mr_map *map, mr_view key, uint64_t value)
{
    size_t slot = 0;
    if (map->slot_count) {
        slot = slot_of(map, key);
        if (map->slots[slot]) {
            map->entries[map->slots[slot] - 1].value = value;
            return true;
        }
    }
    if (map->count == map->capacity) {
        if (!grow(map)) {
            return false;
        }
        slot = slot_of(map, key);
    }
    char *copy = mr_arena_text(&map->keys, key.data, key.size);
    if (!copy) {
        return false;
    }
    map->entries[map->count] = (mr_map_entry){ { copy, key.size }, value };
    map->slots[slot] = (uint32_t)++map->count;
    return true;
}
