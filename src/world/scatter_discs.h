// world/scatter_discs.h: discs on the plan, and whether a circle is clear of them all.

#ifndef MARRAM_WORLD_SCATTER_DISCS_H
#define MARRAM_WORLD_SCATTER_DISCS_H

#include "base/array.h"

typedef struct mr_disc {
    float x, z, radius;
    uint32_t next; // in its bucket, + 1; 0 ends
} mr_disc;

// The discs whose radius is at most half its cell and more than a quarter, and the widest of them. A bucket is a hash of
// a cell: discs of other cells that share it are asked too, which costs time and changes no answer.
typedef struct mr_disc_level {
    double cell;
    float widest;
    MR_ARRAY(mr_disc) discs;
    uint32_t *buckets; // number of the newest disc + 1
    uint32_t mask;     // bucket count - 1
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
