// node/terrain/shared_rect.h: the rect of ground a node opens.

#ifndef MARRAM_NODE_TERRAIN_SHARED_RECT_H
#define MARRAM_NODE_TERRAIN_SHARED_RECT_H

#include "node/terrain/shared_inputs.h"

// A ground of size metres about origin, a cell every `resolution` metres, border included on all sides: a size of 2048
// at 2 gives 1025 cells. Borders between cells go out to the next. Errors: MR_BAD_INPUT, MR_LIMIT with the sum.
mr_raster *terrain_rect(mr_context *context, const double size[2], const double origin[2], double resolution,
                        uint32_t margin, mr_error *error);

#endif
