// node/terrain/shared_rect.c: from metres to whole cells.

#include "node/terrain/shared_rect.h"

// The whole cell at or before (down) or at or after a position; one that is a cell's but for rounding is that cell's.
static double cell_beside(double metres, double resolution, bool down)
{
    double cells = metres / resolution, nearest = __builtin_rint(cells);
    double slack = 1e-6 + 1e-12 * (nearest < 0 ? -nearest : nearest);
    if (cells - nearest < slack && nearest - cells < slack) {
        return nearest;
    }
    return down ? __builtin_floor(cells) : __builtin_ceil(cells);
}

mr_raster *terrain_rect(mr_context *context, const double size[2], const double origin[2], double resolution,
                        uint32_t margin, mr_error *error)
{
    double corner[2], count[2];
    for (int k = 0; k < 2; k++) {
        corner[k] = cell_beside(origin[k] - size[k] / 2, resolution, true);
        count[k] = cell_beside(origin[k] + size[k] / 2, resolution, false) - corner[k] + 1;
    }
    if (!(count[0] * count[1] <= 0x1p40 && count[0] < 0x1p31 && count[1] < 0x1p31)) {
        mr_fail(error, MR_LIMIT, "%g m x %g m at %g m a cell is %g x %g cells, %.1f GB a layer", size[0],
                size[1], resolution, count[0], count[1], count[0] * count[1] * 4e-9);
        mr_hint(error, "ask for a coarser resolution or a smaller size");
        return NULL;
    }
    return mr_raster_create(context, (int64_t)corner[0], (int64_t)corner[1], resolution, (uint32_t)count[0],
                            (uint32_t)count[1], margin, error);
}
