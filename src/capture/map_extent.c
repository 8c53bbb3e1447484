#include "capture/map_extent.h"

enum { BINS = 512 };

static void include(mr_map_rect *r, double x, double z)
{
    r->x0 = x < r->x0 ? x : r->x0;
    r->x1 = x > r->x1 ? x : r->x1;
    r->z0 = z < r->z0 ? z : r->z0;
    r->z1 = z > r->z1 ? z : r->z1;
}

static const mr_map_rect nothing = { 1e300, 1e300, -1e300, -1e300 };

bool mr_map_rect_is_empty(const mr_map_rect *r)
{
    return !(r->x0 <= r->x1) || !(r->z0 <= r->z1);
}

mr_map_rect mr_map_rect_of_grounds(const mr_scene *scene)
{
    mr_map_rect r = nothing;
    for (size_t i = 0; i < scene->grounds.count; i++) {
        const mr_raster *raster = scene->grounds.items[i].raster;
        double x = (double)raster->corner_x * raster->cell;
        double z = (double)raster->corner_z * raster->cell;
        include(&r, x, z);
        include(&r, x + (raster->width - 1) * raster->cell, z + (raster->height - 1) * raster->cell);
    }
    return r;
}

static uint32_t bin_of(double value, double low, double high)
{
    double at = high > low ? (value - low) / (high - low) * BINS : 0;
    return at <= 0 ? 0 : at >= BINS - 1 ? BINS - 1 : (uint32_t)at;
}

// From where to where all but a hundredth of the things at either end stand along one axis.
static void central_range(const mr_map_things *things, bool along_x, double low, double high, double *from,
                          double *to)
{
    size_t bins[BINS] = { 0 };
    for (size_t i = 0; i < things->things.count; i++) {
        const mr_map_thing *thing = &things->things.items[i];
        bins[bin_of((double)(along_x ? thing->x : thing->z), low, high)]++;
    }
    size_t fringe = things->things.count / 100;
    uint32_t first = 0;
    uint32_t last = BINS - 1;
    for (size_t seen = bins[first]; first < BINS - 1 && seen <= fringe; seen += bins[++first]) {
    }
    for (size_t seen = bins[last]; last > 0 && seen <= fringe; seen += bins[--last]) {
    }
    *from = low + (high - low) * first / BINS;
    *to = low + (high - low) * (last + 1) / BINS;
}

mr_map_rect mr_map_rect_of_things(const mr_scene *scene, const mr_map_things *things)
{
    mr_map_rect all = nothing;
    for (size_t i = 0; i < things->things.count; i++) {
        include(&all, (double)things->things.items[i].x, (double)things->things.items[i].z);
    }
    mr_map_rect r = all;
    if (things->things.count >= 100) {
        central_range(things, true, all.x0, all.x1, &r.x0, &r.x1);
        central_range(things, false, all.z0, all.z1, &r.z0, &r.z1);
    }
    for (size_t i = 0; i < scene->footprints.count; i++) {
        for (int c = 0; c < 4; c++) {
            include(&r, (double)scene->footprints.items[i].corners[2 * c],
                    (double)scene->footprints.items[i].corners[2 * c + 1]);
        }
    }
    return r;
}

void mr_map_rect_grow(mr_map_rect *r, double share, double least)
{
    double by_x = (r->x1 - r->x0) * share;
    double by_z = (r->z1 - r->z0) * share;
    double by = by_x > by_z ? by_x : by_z;
    by = by > least ? by : least;
    r->x0 -= by;
    r->x1 += by;
    r->z0 -= by;
    r->z1 += by;
}

double mr_map_share(const mr_map_rect *part, const mr_map_rect *whole)
{
    double x = (part->x1 - part->x0) / (whole->x1 - whole->x0);
    double z = (part->z1 - part->z0) / (whole->z1 - whole->z0);
    return x > z ? x : z;
}

enum { CROWD_PARTS = 96 };

// Sums over all parts above and to the left: sums[row * (CROWD_PARTS + 1) + column].
static void sum_parts(const mr_map_things *things, const mr_map_rect *whole, uint32_t *sums)
{
    enum { STRIDE = CROWD_PARTS + 1 };
    double wide = (whole->x1 - whole->x0) / CROWD_PARTS;
    double high = (whole->z1 - whole->z0) / CROWD_PARTS;
    for (size_t i = 0; i < things->things.count; i++) {
        double x = ((double)things->things.items[i].x - whole->x0) / wide;
        double z = ((double)things->things.items[i].z - whole->z0) / high;
        if (x >= 0 && z >= 0 && x < CROWD_PARTS && z < CROWD_PARTS) {
            sums[((size_t)z + 1) * STRIDE + (size_t)x + 1]++;
        }
    }
    for (size_t row = 1; row < STRIDE; row++) {
        for (size_t column = 1; column < STRIDE; column++) {
            sums[row * STRIDE + column] += sums[(row - 1) * STRIDE + column] +
                                           sums[row * STRIDE + column - 1] -
                                           sums[(row - 1) * STRIDE + column - 1];
        }
    }
}

// The fullest window of so many parts; answers how many things it holds.
static uint32_t fullest(const uint32_t *sums, size_t wide, size_t high, size_t *left, size_t *top)
{
    enum { STRIDE = CROWD_PARTS + 1 };
    uint32_t most = 0;
    for (size_t row = 0; row + high <= CROWD_PARTS; row++) {
        for (size_t column = 0; column + wide <= CROWD_PARTS; column++) {
            uint32_t held = sums[(row + high) * STRIDE + column + wide] + sums[row * STRIDE + column] -
                            sums[row * STRIDE + column + wide] - sums[(row + high) * STRIDE + column];
            if (held > most) {
                most = held;
                *left = column;
                *top = row;
            }
        }
    }
    return most;
}

bool mr_map_find_crowd(mr_context *context, const mr_map_things *things, const mr_map_rect *whole,
                       mr_map_rect *crowd)
{
    size_t size = (size_t)(CROWD_PARTS + 1) * (CROWD_PARTS + 1) * sizeof(uint32_t);
    uint32_t *sums = things->things.count >= 50 ? mr_allocate_zeroed(context, size) : NULL;
    if (!sums) {
        return false; // the map is whole without it
    }
    sum_parts(things, whole, sums);
    double wide = (whole->x1 - whole->x0) / CROWD_PARTS;
    double high = (whole->z1 - whole->z0) / CROWD_PARTS;
    bool found = false;
    for (size_t columns = 2; columns <= CROWD_PARTS / 3 && !found; columns++) {
        double rows_wanted = (double)columns * wide / high / 1.5;
        size_t rows = rows_wanted < 1                 ? 1
                      : rows_wanted > CROWD_PARTS / 3 ? CROWD_PARTS / 3
                                                      : (size_t)rows_wanted;
        size_t left = 0;
        size_t top = 0;
        if ((double)fullest(sums, columns, rows, &left, &top) >= 0.58 * (double)things->things.count) {
            found = true;
            *crowd = (mr_map_rect){ whole->x0 + (double)left * wide, whole->z0 + (double)top * high,
                                    whole->x0 + (double)(left + columns) * wide,
                                    whole->z0 + (double)(top + rows) * high };
            mr_map_rect_grow(crowd, 0.09, 4);
        }
    }
    mr_free(context, sums);
    return found;
}

bool mr_map_look_closer(mr_context *context, const mr_map_things *things, const mr_map_rect *whole,
                        double step, mr_map_rect *window)
{
    enum { PARTS = 48 };
    size_t count = things->things.count;
    double radius = 0;
    for (size_t k = 0; k < things->kinds.count; k++) {
        radius += things->kinds.items[k].radius * (double)things->kinds.items[k].count;
    }
    if (count < 500 || radius / (double)count / step > 1.3) {
        return false; // they can be seen as they are
    }
    uint32_t *parts = mr_allocate_zeroed(context, PARTS * PARTS * sizeof *parts);
    if (!parts) {
        return false; // the map is whole without it
    }
    double wide = (whole->x1 - whole->x0) / PARTS;
    double high = (whole->z1 - whole->z0) / PARTS;
    uint32_t best = 0;
    for (size_t i = 0; i < count; i++) {
        double x = ((double)things->things.items[i].x - whole->x0) / wide;
        double z = ((double)things->things.items[i].z - whole->z0) / high;
        if (x >= 0 && z >= 0 && x < PARTS && z < PARTS) {
            uint32_t part = (uint32_t)z * PARTS + (uint32_t)x;
            parts[part]++;
            best = parts[part] > parts[best] ? part : best;
        }
    }
    double x = whole->x0 + (best % PARTS + 0.5) * wide;
    double z = whole->z0 + (best / PARTS + 0.5) * high;
    double half = __builtin_sqrt(60 * wide * high / (double)(parts[best] > 0 ? parts[best] : 1)) / 2;
    mr_free(context, parts);
    *window = (mr_map_rect){ x - half, z - half, x + half, z + half };
    return half * 2 < 0.2 * (whole->x1 - whole->x0);
}
