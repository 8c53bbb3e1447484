#include "world/scatter_discs.h"

#include <math.h>
#include <string.h>

// Level n holds radii up to 2^(n - 20) m: from a micrometre to the size of a star, wider ones in the last.
enum { UNIT_LEVEL = 20, FIRST_BUCKETS = 64, DISCS_A_BUCKET = 3 };
_Static_assert(sizeof(mr_disc_bucket) == 64, "a bucket is a cache line");

void mr_disc_index_init(mr_disc_index *index, mr_context *context)
{
    memset(index, 0, sizeof *index);
    index->context = context;
}

void mr_disc_index_destroy(mr_disc_index *index)
{
    for (uint32_t i = 0; i < index->used_count; i++) {
        mr_buffer_release(index->context, index->levels[index->used[i]].buckets);
    }
    index->used_count = 0;
}

static uint32_t level_of(float radius)
{
    uint32_t level = 0;
    for (double widest = ldexp(1, -UNIT_LEVEL); level + 1 < MR_DISC_LEVELS && (double)radius > widest;
         widest *= 2) {
        level++;
    }
    return level;
}

// Cells of one row stand beside each other, so that a question's cells share pages.
static inline size_t bucket_of(const mr_disc_level *level, int64_t i, int64_t j)
{
    return (size_t)((uint64_t)i + (uint64_t)j * 0x9e3779b97f4a7c15u) & (level->bucket_count - 1);
}

static inline int64_t cell_of(double at)
{
    if (!(at > -9e18 && at < 9e18)) {
        return 0;
    }
    int64_t whole = (int64_t)at;
    return whole - ((double)whole > at);
}

static void put(mr_disc_level *level, float x, float z, float radius)
{
    size_t at = bucket_of(level, cell_of((double)x * level->per_cell), cell_of((double)z * level->per_cell));
    mr_disc_bucket *bucket = &level->buckets[at];
    while ((bucket->count_and_more & 7) == MR_BUCKET_DISCS) {
        uint32_t more = bucket->count_and_more >> 3;
        if (more == 0) {
            more = (uint32_t)(level->bucket_count + level->extra_count++) + 1;
            bucket->count_and_more |= more << 3;
            level->buckets[more - 1].count_and_more = 0;
        }
        bucket = &level->buckets[more - 1];
    }
    uint32_t n = bucket->count_and_more++ & 7;
    bucket->x[n] = x;
    bucket->z[n] = z;
    bucket->radius[n] = radius;
}

// Lays the level out anew with more buckets. Room for those that go on is set aside for the fullest case there can be: every
// disc past a bucket's fifth.
static bool lay_out(mr_disc_index *index, mr_disc_level *level, size_t bucket_count, mr_error *error)
{
    size_t extra = DISCS_A_BUCKET * bucket_count / MR_BUCKET_DISCS + 16;
    mr_disc_bucket *buckets = mr_buffer_take(index->context, (bucket_count + extra) * sizeof *buckets, error);
    if (!buckets) {
        return false;
    }
    mr_disc_level old = *level;
    for (size_t i = 0; i < bucket_count; i++) {
        buckets[i].count_and_more = 0;
    }
    level->buckets = buckets;
    level->bucket_count = bucket_count;
    level->extra_count = 0;
    level->extra_capacity = extra;
    for (size_t i = 0; i < old.bucket_count + old.extra_count; i++) {
        const mr_disc_bucket *bucket = &old.buckets[i];
        for (uint32_t n = 0; n < (bucket->count_and_more & 7); n++) {
            put(level, bucket->x[n], bucket->z[n], bucket->radius[n]);
        }
    }
    mr_buffer_discard(index->context, old.buckets);
    return true;
}

bool mr_disc_index_add(mr_disc_index *index, float x, float z, float radius, mr_error *error)
{
    uint32_t number = level_of(radius);
    mr_disc_level *level = &index->levels[number];
    if (level->count >= (size_t)1 << 28) {
        return mr_fail(error, MR_LIMIT, "more than %d discs of one size", 1 << 28);
    }
    if (!level->buckets) {
        // Twice across the first disc, so that circles of like size meet in four cells or so.
        level->cell = radius > 0 ? 4 * (double)radius : ldexp(4, -UNIT_LEVEL);
        level->per_cell = 1 / level->cell;
        if (!lay_out(index, level, FIRST_BUCKETS, error)) {
            return false;
        }
        index->used[index->used_count++] = (uint8_t)number;
    } else if (level->count >= DISCS_A_BUCKET * level->bucket_count) {
        if (!lay_out(index, level, 2 * level->bucket_count, error)) {
            return false;
        }
    }
    level->count++;
    level->widest = radius > level->widest ? radius : level->widest;
    put(level, x, z, radius);
    return true;
}

typedef struct cells {
    int64_t i0, i1, j0, j1;
    bool all; // more cells than buckets: ask every disc
} cells;

static inline cells cells_within(const mr_disc_level *level, float x, float z, float radius)
{
    // The f32 distance and sum are within a few parts in 2^24 of the true ones, a cell's number within one in 2^50.
    double reach = ((double)radius + (double)level->widest) * 1.000001;
    cells range = { cell_of(((double)x - reach) * level->per_cell),
                    cell_of(((double)x + reach) * level->per_cell),
                    cell_of(((double)z - reach) * level->per_cell),
                    cell_of(((double)z + reach) * level->per_cell), false };
    double count = ((double)(range.i1 - range.i0) + 1) * ((double)(range.j1 - range.j0) + 1);
    range.all = !(count < (double)level->bucket_count);
    return range;
}

static inline bool bucket_clear(const mr_disc_level *level, const mr_disc_bucket *bucket, float x, float z,
                                float radius)
{
    for (;;) {
        uint32_t count = bucket->count_and_more & 7;
        for (uint32_t n = 0; n < count; n++) {
            float dx = x - bucket->x[n];
            float dz = z - bucket->z[n];
            if (sqrtf(dx * dx + dz * dz) < radius + bucket->radius[n]) {
                return false;
            }
        }
        uint32_t more = bucket->count_and_more >> 3;
        if (more == 0) {
            return true;
        }
        bucket = &level->buckets[more - 1];
    }
}

static bool level_clear(const mr_disc_level *level, float x, float z, float radius)
{
    cells range = cells_within(level, x, z, radius);
    if (range.all) {
        for (size_t i = 0; i < level->bucket_count; i++) {
            if (!bucket_clear(level, &level->buckets[i], x, z, radius)) {
                return false;
            }
        }
        return true;
    }
    for (int64_t j = range.j0; j <= range.j1; j++) {
        for (int64_t i = range.i0; i <= range.i1; i++) {
            if (!bucket_clear(level, &level->buckets[bucket_of(level, i, j)], x, z, radius)) {
                return false;
            }
        }
    }
    return true;
}

bool mr_disc_index_clear(const mr_disc_index *index, float x, float z, float radius)
{
    for (uint32_t i = 0; i < index->used_count; i++) {
        if (!level_clear(&index->levels[index->used[i]], x, z, radius)) {
            return false;
        }
    }
    return true;
}

void mr_disc_index_prefetch(const mr_disc_index *index, float x, float z, float radius)
{
    for (uint32_t n = 0; n < index->used_count; n++) {
        const mr_disc_level *level = &index->levels[index->used[n]];
        cells range = cells_within(level, x, z, radius);
        for (int64_t j = range.j0; !range.all && j <= range.j1 && j < range.j0 + 4; j++) {
            for (int64_t i = range.i0; i <= range.i1 && i < range.i0 + 4; i++) {
                __builtin_prefetch(&level->buckets[bucket_of(level, i, j)]);
            }
        }
    }
}
