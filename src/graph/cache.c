// graph/cache.c: values kept by key, and which are let go when room is short.
//
// Greedy dual size: an entry's rank is the floor at its last use plus its cost a byte; the lowest rank goes first and
// raises the floor to itself, so that what was dear but is never asked for again ages out.

#include "graph/cache.h"

#include "base/thread.h"
#include "graph/graph.h"

enum { MOST_ENTRIES = 1 << 17, FIRST_BUCKETS = 256 };

typedef struct mr_cache_entry {
    struct mr_cache_entry *next; // in its bucket
    struct mr_cache_entry *older;
    struct mr_cache_entry *newer;
    mr_digest key;
    double cost; // seconds a byte
    double rank;
    size_t bytes; // of the values; 0: none held
    uint32_t count;
    struct {
        mr_digest digest;
        mr_value value;
    } outputs[];
} mr_cache_entry;

struct mr_cache {
    mr_context *context;
    mr_mutex mutex;
    uint64_t limit;
    uint64_t held;
    double floor;
    mr_cache_entry **buckets;
    size_t bucket_count; // a power of two, or 0
    size_t entry_count;
    mr_cache_entry *oldest; // by last use
    mr_cache_entry *newest;
};

static void let_values_go(mr_cache *cache, mr_cache_entry *entry)
{
    for (uint32_t i = 0; i < entry->count; i++) {
        mr_value_release(&entry->outputs[i].value);
    }
    cache->held -= entry->bytes;
    entry->bytes = 0;
}

static void unlink_use(mr_cache *cache, mr_cache_entry *entry)
{
    *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
    *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
}

static void link_newest(mr_cache *cache, mr_cache_entry *entry)
{
    entry->older = cache->newest;
    entry->newer = NULL;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
}

static mr_cache_entry **slot_of(mr_cache *cache, mr_digest key)
{
    mr_cache_entry **slot = &cache->buckets[key.low & (cache->bucket_count - 1)];
    while (*slot && !mr_digest_equal((*slot)->key, key)) {
        slot = &(*slot)->next;
    }
    return slot;
}

static void forget(mr_cache *cache, mr_cache_entry *entry)
{
    *slot_of(cache, entry->key) = entry->next;
    unlink_use(cache, entry);
    let_values_go(cache, entry);
    cache->entry_count--;
    mr_free(cache->context, entry);
}

static void make_room(mr_cache *cache, uint64_t bytes)
{
    while (cache->held > 0 && cache->held + bytes > cache->limit) {
        mr_cache_entry *least = NULL;
        for (mr_cache_entry *at = cache->oldest; at; at = at->newer) {
            if (at->bytes && (!least || at->rank < least->rank)) {
                least = at;
            }
        }
        cache->floor = least->rank;
        let_values_go(cache, least);
    }
}

static bool grow(mr_cache *cache)
{
    size_t count = cache->bucket_count ? 2 * cache->bucket_count : FIRST_BUCKETS;
    mr_cache_entry **buckets = mr_allocate_zeroed(cache->context, count * sizeof *buckets);
    if (!buckets) {
        return cache->bucket_count > 0;
    }
    for (mr_cache_entry *at = cache->oldest; at; at = at->newer) {
        mr_cache_entry **slot = &buckets[at->key.low & (count - 1)];
        at->next = *slot;
        *slot = at;
    }
    mr_free(cache->context, cache->buckets);
    cache->buckets = buckets;
    cache->bucket_count = count;
    return true;
}

static mr_cache_entry *find_or_add(mr_cache *cache, mr_digest key, uint32_t count)
{
    if (cache->entry_count >= cache->bucket_count && !grow(cache)) {
        return NULL;
    }
    mr_cache_entry *found = *slot_of(cache, key);
    if (found) {
        return found;
    }
    mr_cache_entry *entry =
        mr_allocate_zeroed(cache->context, sizeof *entry + count * sizeof *entry->outputs);
    if (!entry) {
        return NULL;
    }
    entry->key = key;
    entry->count = count;
    *slot_of(cache, key) = entry;
    link_newest(cache, entry);
    cache->entry_count++;
    while (cache->entry_count > MOST_ENTRIES) {
        forget(cache, cache->oldest);
    }
    return entry;
}

mr_cache_hit mr_cache_find(mr_cache *cache, mr_digest key, uint32_t count, mr_digest *digests,
                           mr_value *values)
{
    mr_cache_hit hit = MR_CACHE_MISS;
    mr_mutex_lock(&cache->mutex);
    mr_cache_entry *entry = cache->bucket_count ? *slot_of(cache, key) : NULL;
    if (entry && entry->count == count) {
        hit = entry->bytes ? MR_CACHE_VALUES : MR_CACHE_DIGESTS;
        for (uint32_t i = 0; i < count; i++) {
            digests[i] = entry->outputs[i].digest;
            if (entry->bytes) {
                values[i] = mr_value_retain(entry->outputs[i].value);
            }
        }
        entry->rank = cache->floor + entry->cost;
        unlink_use(cache, entry);
        link_newest(cache, entry);
    }
    mr_mutex_unlock(&cache->mutex);
    return hit;
}

void mr_cache_put(mr_cache *cache, mr_digest key, uint32_t count, const mr_digest *digests,
                  const mr_value *values, double seconds)
{
    size_t bytes = 0;
    for (uint32_t i = 0; values && i < count; i++) {
        bytes += mr_value_bytes(&values[i]);
    }
    mr_mutex_lock(&cache->mutex);
    mr_cache_entry *entry = find_or_add(cache, key, count);
    if (entry && entry->count == count) {
        for (uint32_t i = 0; i < count; i++) {
            entry->outputs[i].digest = digests[i];
        }
        if (values && !entry->bytes && bytes <= cache->limit) {
            make_room(cache, bytes);
            for (uint32_t i = 0; i < count; i++) {
                entry->outputs[i].value = mr_value_retain(values[i]);
            }
            entry->bytes = bytes;
            entry->cost = seconds / (double)bytes;
            entry->rank = cache->floor + entry->cost;
            cache->held += bytes;
        }
    }
    mr_mutex_unlock(&cache->mutex);
}

bool mr_cache_drop_values(mr_cache *cache)
{
    mr_mutex_lock(&cache->mutex);
    bool any = cache->held > 0;
    for (mr_cache_entry *at = cache->oldest; at; at = at->newer) {
        if (at->bytes) {
            let_values_go(cache, at);
        }
    }
    mr_mutex_unlock(&cache->mutex);
    mr_buffer_trim(cache->context);
    return any;
}

static void clear(mr_cache *cache)
{
    while (cache->oldest) {
        mr_cache_entry *entry = cache->oldest;
        cache->oldest = entry->newer;
        let_values_go(cache, entry);
        mr_free(cache->context, entry);
    }
    mr_free(cache->context, cache->buckets);
    cache->buckets = NULL;
    cache->newest = NULL;
    cache->bucket_count = cache->entry_count = 0;
    cache->floor = 0;
}

static void destroy(void *made)
{
    mr_cache *cache = made;
    clear(cache);
    mr_mutex_destroy(&cache->mutex);
    mr_free(cache->context, cache);
}

static const char cache_key;

mr_cache *mr_cache_of(mr_context *context)
{
    mr_cache *cache = mr_context_find(context, &cache_key);
    if (cache) {
        return cache;
    }
    cache = mr_allocate_zeroed(context, sizeof *cache);
    if (!cache) {
        return NULL;
    }
    uint64_t half = mr_context_memory_limit(context) / 2;
    cache->context = context;
    cache->limit = (uint64_t)1 << 30;
    cache->limit = half && half < cache->limit ? half : cache->limit;
    mr_mutex_init(&cache->mutex);
    return mr_context_attach(context, &cache_key, cache, destroy);
}

void mr_cache_set_limit(mr_context *context, uint64_t bytes)
{
    mr_cache *cache = mr_cache_of(context);
    if (cache) {
        mr_mutex_lock(&cache->mutex);
        cache->limit = bytes;
        make_room(cache, 0);
        mr_mutex_unlock(&cache->mutex);
    }
}

void mr_cache_clear(mr_context *context)
{
    mr_cache *cache = mr_context_find(context, &cache_key);
    if (cache) {
        mr_mutex_lock(&cache->mutex);
        clear(cache);
        mr_mutex_unlock(&cache->mutex);
    }
}
