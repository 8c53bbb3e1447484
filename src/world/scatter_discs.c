#include "world/scatter_discs.h"

#include <math.h>
#include <string.h>

// Level n holds radii up to 2^(n - 20) m: from a micrometre to the size of a star, wider ones in the last.
enum { UNIT_LEVEL = 20, FIRST_BUCKETS = 256 };

void mr_disc_index_init(mr_disc_index *index, mr_context *context)
{
    memset(index, 0, sizeof *index);
    index->context = context;
}

void mr_disc_index_destroy(mr_disc_index *index)
{
    for (uint32_t i = 0; i < index->used_count; i++) {
        mr_disc_level *level = &index->levels[index->used[i]];
        mr_array_free(index->context, &level->discs);
        mr_free(index->context, level->buckets);
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

// Cells of one row stand beside each other, so that a question's cells share cache lines.
static uint32_t bucket_of(const mr_disc_level *level, int64_t i, int64_t j)
{
    return (uint32_t)((uint64_t)i + (uint64_t)j * 0x9e3779b97f4a7c15u) & level->mask;
}

static int64_t cell_of(double at)
{
    double whole = floor(at);
    return whole > -9e18 && whole < 9e18 ? (int64_t)whole : 0;
}

static void put_in_bucket(mr_disc_level *level, uint32_t number)
{
    mr_disc *disc = &level->discs.items[number];
    uint32_t bucket =
        bucket_of(level, cell_of((double)disc->x / level->cell), cell_of((double)disc->z / level->cell));
    disc->next = level->buckets[bucket];
    level->buckets[bucket] = number + 1;
}

static bool grow_buckets(mr_disc_index *index, mr_disc_level *level, mr_error *error)
{
    size_t count = level->buckets ? 4 * ((size_t)level->mask + 1) : FIRST_BUCKETS;
    uint32_t *buckets = mr_allocate_zeroed(index->context, count * sizeof *buckets);
    if (!buckets) {
        return mr_fail_memory(error, count * sizeof *buckets);
    }
    mr_free(index->context, level->buckets);
    level->buckets = buckets;
    level->mask = (uint32_t)(count - 1);
    for (size_t i = 0; i < level->discs.count; i++) {
        put_in_bucket(level, (uint32_t)i);
    }
    return true;
}

bool mr_disc_index_add(mr_disc_index *index, float x, float z, float radius, mr_error *error)
{
    uint32_t number = level_of(radius);
    mr_disc_level *level = &index->levels[number];
    if (level->discs.count >= INT32_MAX) {
        return mr_fail(error, MR_LIMIT, "more than %d discs of one size", INT32_MAX);
    }
    if (!level->buckets) {
        // Twice the widest disc, so that circles of like size meet in four cells or so.
        level->cell = ldexp(4, (int)number - UNIT_LEVEL);
        if (!grow_buckets(index, level, error)) {
            return false;
        }
        index->used[index->used_count++] = (uint8_t)number;
    } else if (level->discs.count > level->mask && !grow_buckets(index, level, error)) {
        return false;
    }
    if (!mr_array_push(index->context, &level->discs, (mr_disc){ .x = x, .z = z, .radius = radius })) {
        return mr_fail_memory(error, sizeof(mr_disc));
    }
    level->widest = radius > level->widest ? radius : level->widest;
    put_in_bucket(level, (uint32_t)level->discs.count - 1);
    return true;
}

static inline bool clear_of(const mr_disc *disc, float x, float z, float radius)
{
    float dx = x - disc->x;
    float dz = z - disc->z;
    return !(sqrtf(dx * dx + dz * dz) < radius + disc->radius);
}

typedef struct cells {
    int64_t i0, i1, j0, j1;
    bool all; // more cells than discs: ask them one by one
} cells;

static cells cells_within(const mr_disc_level *level, float x, float z, float radius)
{
    // The f32 distance and sum are within a few parts in 2^24 of the true ones.
    double reach = ((double)radius + (double)level->widest) * 1.000001;
    cells range = { cell_of(((double)x - reach) / level->cell), cell_of(((double)x + reach) / level->cell),
                    cell_of(((double)z - reach) / level->cell), cell_of(((double)z + reach) / level->cell),
                    false };
    double count = ((double)(range.i1 - range.i0) + 1) * ((double)(range.j1 - range.j0) + 1);
    range.all = !(count < (double)level->discs.count + 16);
    return range;
}

static bool level_clear(const mr_disc_level *level, float x, float z, float radius)
{
    cells range = cells_within(level, x, z, radius);
    if (range.all) {
        for (size_t i = 0; i < level->discs.count; i++) {
            if (!clear_of(&level->discs.items[i], x, z, radius)) {
                return false;
            }
        }
        return true;
    }
    for (int64_t j = range.j0; j <= range.j1; j++) {
        for (int64_t i = range.i0; i <= range.i1; i++) {
            for (uint32_t at = level->buckets[bucket_of(level, i, j)]; at;
                 at = level->discs.items[at - 1].next) {
                if (!clear_of(&level->discs.items[at - 1], x, z, radius)) {
                    return false;
                }
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
            __builtin_prefetch(&level->buckets[bucket_of(level, range.i0, j)]);
        }
    }
}
