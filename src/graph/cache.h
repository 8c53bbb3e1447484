// graph/cache.h: the context's memory of cooked values, by key. For the sources of this folder.
//
// An entry knows the content digests of a node's outputs; while there is room it holds the values too. Digests outlive
// values, so a node all of whose answers are known by digest need not be cooked again for what stands behind it to be
// found. What is kept changes how long a cook takes and never what it answers.

#ifndef MARRAM_GRAPH_CACHE_H
#define MARRAM_GRAPH_CACHE_H

#include "graph/node.h"

typedef struct mr_cache mr_cache;

// The context's cache, made by the first call; NULL when there is no memory.
mr_cache *mr_cache_of(mr_context *context);

typedef enum mr_cache_hit { MR_CACHE_MISS, MR_CACHE_DIGESTS, MR_CACHE_VALUES } mr_cache_hit;

// What is known of a key: digests (count of them) and, where held, values, which the caller then owns references to.
mr_cache_hit mr_cache_find(mr_cache *cache, mr_digest key, uint32_t count, mr_digest *digests,
                           mr_value *values);

// Keeps digests and, where values is not NULL and they fit, references to values. seconds: what they cost to cook.
// Without memory nothing is kept.
void mr_cache_put(mr_cache *cache, mr_digest key, uint32_t count, const mr_digest *digests,
                  const mr_value *values, double seconds);

// Lets go of every value (digests stay). Answers whether there was one.
bool mr_cache_drop_values(mr_cache *cache);

#endif
