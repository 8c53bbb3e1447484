// kernel/hash_batch.h: many searches of one radius at once.
//
// Queries that stand in a few cells of one row share what a walk of each would look up: the points of the cells about
// them are brought together once, each a single time, and every query is compared with those. What is found, and in
// which order, is what mr_hash_walk finds.

#ifndef MARRAM_KERNEL_HASH_BATCH_H
#define MARRAM_KERNEL_HASH_BATCH_H

#include "kernel/hash_walk.h"

typedef struct mr_hash_batch {
    const mr_hash_index *index;
    const float *queries;  // xyz each; NULL: the index's own points, and a query's number is its place
    const uint32_t *turns; // the order they are asked in, best that of their buckets; NULL: as they stand
    float radius;
    bool points; // answers are points; false: places
    // Called once for every query, from any thread, with what is near; the words are its own for the call.
    bool (*answer)(void *argument, uint32_t query, const uint32_t *near, size_t count, mr_error *error);
    // NULL, or called some time before a query is answered, twice: to prefetch what answering will touch, first its own
    // words, then what those lead to. Queries in the order of their cells read their words from anywhere.
    void (*soon)(const void *argument, uint32_t query, bool sooner);
    void *argument;
} mr_hash_batch;

// Asks count queries. Errors: MR_OUT_OF_MEMORY and MR_LIMIT for scratch, MR_CANCELLED, and those of answer.
bool mr_hash_batch_ask(mr_context *context, const mr_hash_batch *batch, size_t count, mr_error *error);
// Asks those of turns begin .. end - 1, on this thread, with an argument of its own.
bool mr_hash_batch_part(mr_context *context, const mr_hash_batch *batch, size_t begin, size_t end,
                        void *argument, mr_error *error);

// The points about some queries. What the copies of hash_batch.isa.c are called with.
enum { MR_HASH_TILE = 1024 };
typedef struct mr_hash_tile {
    float x[MR_HASH_TILE + 16], y[MR_HASH_TILE + 16], z[MR_HASH_TILE + 16];
    uint32_t name[MR_HASH_TILE + 16]; // places, or points
    uint32_t near[MR_HASH_TILE + 16];
    uint32_t count;
} mr_hash_tile;

typedef struct mr_hash_tile_kernels {
    // Adds those of places at .. end - 1 whose points stand in row (y, z); there is room for all of them. points: they
    // are named by order.
    void (*collect)(const mr_hash_index *index, uint32_t at, uint32_t end, int32_t y, int32_t z, bool points,
                    mr_hash_tile *tile);
    // Lists in tile->near those within the radius of q, in order, and answers how many. NaN stands in the 16 words past
    // the positions.
    uint32_t (*near)(mr_hash_tile *tile, const float q[3], float squared);
} mr_hash_tile_kernels;

#endif
