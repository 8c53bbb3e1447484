// world/scatter_discs.h: discs on the plan, and whether a circle is clear of them all.

#ifndef MARRAM_WORLD_SCATTER_DISCS_H
#define MARRAM_WORLD_SCATTER_DISCS_H

#include "base/array.h"

// The discs of a bucket, as many as fill a cache line; `more` is the number of the bucket that goes on, + 1. A bucket is a
// hash of a cell: discs of other cells that share it are asked too, which costs time and changes no answer.
enum { MR_BUCKET_DISCS = 5 };
typedef struct mr_disc_bucket {
    float x[MR_BUCKET_DISCS], z[MR_BUCKET_DISCS], radius[MR_BUCKET_DISCS];
    uint32_t count_and_more; // count in the low 3 bits
} mr_disc_bucket;

// The discs of like radius: within a factor of two.
typedef struct mr_disc_level {
    double cell;
    double per_cell; // 1 / cell
    float widest;
    size_t count;
    mr_disc_bucket *buckets; // bucket_count of them, then those that go on
    size_t bucket_count;     // a power of two
    size_t extra_count, extra_capacity;
} mr_disc_level;

enum { MR_DISC_LEVELS = 64 };

typedef struct mr_disc_index {
    mr_context *context;
    mr_disc_level levels[MR_DISC_LEVELS]; // by radius, each twice the one before
    uint8_t used[MR_DISC_LEVELS];         // the levels that hold discs
    uint32_t used_count;
} mr_disc_index;

void mr_disc_index_init(mr_disc_index *index, mr_context *context);
void mr_disc_index_destroy(mr_disc_index *index);
bool mr_disc_index_add(mr_disc_index *index, float x, float z, float radius, mr_error *error);
// Whether sqrt(dx dx + dz dz) is not less than the f32 sum of the radii, for every disc.
bool mr_disc_index_clear(const mr_disc_index *index, float x, float z, float radius);
// Asks the machine to fetch what a coming question of that place will read.
void mr_disc_index_prefetch(const mr_disc_index *index, float x, float z, float radius);

#endif
